"""What we find: ground truths, deciders, verdicts, ledger and command line."""
