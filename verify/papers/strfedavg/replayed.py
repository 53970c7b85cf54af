"""Where the commands look for the measure of the stored counterexamples."""

from rateproof.verify.papers.strfedavg.counterexamples import measured, rungs

__all__ = ["measured", "rungs"]
