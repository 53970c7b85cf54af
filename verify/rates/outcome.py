"""What rate assertions return and raise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class RateError(AssertionError):
    """A bound or a rate does not hold."""


class UndecidedError(RateError):
    """The values cannot decide the claim; the message says what would."""


class SnapshotError(RateError, ValueError):
    """A file of accepted numbers is damaged; the message names it and says what to do."""


@dataclass(frozen=True)
class Estimate:
    """A number and the interval in which it is claimed to lie.

    Attributes:
        value: the best single number.
        low, high: the interval.
        error_probability: that the interval misses by chance; 0 for numbers computed from exact values.
    """

    value: float
    low: float
    high: float
    error_probability: float = 0.0

    def __str__(self) -> str:
        return f"{self.value:.4g} in [{self.low:.4g}, {self.high:.4g}]"


def exact(number: float) -> Estimate:
    """A number without an interval."""
    return Estimate(number, number, number)


@dataclass(frozen=True)
class Bounded:
    """What :func:`rateproof.verify.rates.assert_bound` found.

    Attributes:
        ratio: the largest metric / bound over all points. Of samples, the interval is for the largest median over
            groups of runs (see :func:`rateproof.verify.rates.chance.group_means`).
        at: the point where it is attained.
    """

    ratio: Estimate
    at: float

    def numbers(self) -> Mapping[str, Estimate]:
        """What a snapshot keeps; smaller is better."""
        return {"ratio": self.ratio}


@dataclass(frozen=True)
class Rate:
    """What :func:`verify.rates.assert_rate` found: values like ``constant * at^exponent * log(at)^log_power``.

    Attributes:
        exponent: the estimated exponent, given ``log_power``.
        constant: the constant of the *claimed* rate, over the later points.
        form: the claimed rate, such as ``at^-1 log(at)``.
    """

    exponent: Estimate
    constant: Estimate
    form: str

    def numbers(self) -> Mapping[str, Estimate]:
        """What a snapshot keeps; smaller is better."""
        return {"exponent": self.exponent, f"constant of {self.form}": self.constant}
