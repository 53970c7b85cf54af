"""What rate assertions return and raise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


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


def about(runs: float) -> str:
    """A number of runs in words, to two digits."""
    return f"about {float(f'{runs:.2g}'):,.0f} runs" if math.isfinite(runs) else "more runs than can be foretold"


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
        shown: the smallest mean / bound at this point that as many runs with such a spread would have refuted; 1 for
            exact values, inf when nothing is known of the spread.
        runs: mean / bound -> about how many runs with such a spread refute it nine times in ten, also for the mean that
            was seen where it exceeds the bound; empty for exact values.
    """

    ratio: Estimate
    at: float
    shown: float = 1.0
    runs: Mapping[float, float] = field(default_factory=dict)

    def __str__(self) -> str:
        said = f"metric / bound is {self.ratio} at {self.at:g}"
        if not self.runs:
            return said
        shown = f"a mean of {self.shown:.3g} times the bound" if math.isfinite(self.shown) else "no violation"
        more = ", ".join(f"{r:.4g} times the bound takes {about(n)}" for r, n in self.runs.items())
        return f"{said}; these runs would have shown {shown}; {more}"

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

    def __str__(self) -> str:
        off = (self.exponent.high - self.exponent.low) / 2
        return f"exponent {self.exponent}, constant {self.constant} of {self.form}; shows one that is off by {off:.2g}"

    def numbers(self) -> Mapping[str, Estimate]:
        """What a snapshot keeps; smaller is better."""
        return {"exponent": self.exponent, f"constant of {self.form}": self.constant}
