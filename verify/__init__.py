"""What we find: ground truths, deciders, verdicts, ledger and command line."""

from rateproof import require_siblings

require_siblings(__file__)
