"""Where the commands look for the measure of the stored counterexamples."""

from rateproof.verify.papers.strfedavg.counterexamples import replayed

__all__ = ["replayed"]
