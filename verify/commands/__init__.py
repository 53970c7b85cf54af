"""The commands of ``rateproof``, one module each. Their imports are inside the functions: see :mod:`verify.cli`."""
