"""Executable, falsifiable convergence theorems: what papers claim, what they run, and what we find.

The packages :mod:`rateproof.theory`, :mod:`rateproof.algos` and :mod:`rateproof.verify` are the folders of these names
at the top of the repository; :mod:`rateproof.rates` holds the assertions for anybody's tests.
"""

__version__ = "0.1.0"
