"""What we find. Seven modules are the heart, the packages hold the rest.

- :mod:`verify.registry`: what a paper exports: its checks, records, spaces.
- :mod:`verify.trial`: one instance with all numbers and facts; a claim is evaluated on it.
- :mod:`verify.evidence`: what a decider found, and the rules that turn evidence into a verdict.
- :mod:`verify.checks`: runs the check of a claim, joins verdicts that hang together.
- :mod:`verify.severity`: how the claim fares read kindly, and how much is wrong with one that does not hold.
- :mod:`verify.runner`: runs many checks, in processes or on a cluster.
- :mod:`verify.times`: what checks are expected to take, and how much of it is left.

:mod:`verify.cli` is the command ``rateproof``; its commands are in ``commands``, what they print in ``pages``.
"""
