"""The static site of ``rateproof report``: an index, a page of each paper and of each claim, readable from disk."""
