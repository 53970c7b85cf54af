"""Bounds and rates as tests of anybody's code. Knows no paper; works with and without pytest."""

from rateproof.verify.rates.assertions import assert_bound, assert_rate
from rateproof.verify.rates.claims import assert_claim
from rateproof.verify.rates.outcome import Bounded, Estimate, Rate, RateError, UndecidedError

__all__ = ["Bounded", "Estimate", "Rate", "RateError", "UndecidedError", "assert_bound", "assert_claim", "assert_rate"]
