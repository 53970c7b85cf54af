"""Bounds and rates as tests of anybody's code: the assertions of :mod:`rateproof.verify.rates`."""

from rateproof.verify.rates import (
    Bounded,
    Estimate,
    Rate,
    RateError,
    UndecidedError,
    assert_bound,
    assert_claim,
    assert_rate,
)

__all__ = ["Bounded", "Estimate", "Rate", "RateError", "UndecidedError", "assert_bound", "assert_claim", "assert_rate"]
