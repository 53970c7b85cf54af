"""Functions of one number with two derivatives, of which losses of one variable are made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rateproof.algos.problems.base import Array


@dataclass(frozen=True)
class Profile:
    """A function of one number with two derivatives; the constants are those on the whole line, inf where none is.

    Attributes:
        name: of the function.
        value, slope, curvature: ``(...) -> (...)``.
        steepest: largest ``|slope|``.
        slopes: least and largest slope.
        bends: least and largest curvature.
        turns: where slope or curvature turn, within the first period.
        period: of the slope; inf where it has none.
    """

    name: str
    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    curvature: Callable[[Array], Array]
    steepest: float
    bends: tuple[float, float]
    turns: tuple[float, ...]
    period: float = math.inf
    slopes: tuple[float, float] = (-1.0, 1.0)

    def over(self, low: float, high: float) -> tuple[float, float, float]:
        """Largest ``|slope|``, least and largest curvature on an interval; on a half-line those of the whole line."""
        if not (math.isfinite(low) and math.isfinite(high)) or high - low >= self.period:
            return self.steepest, *self.bends
        turns = np.array(self.turns)
        if math.isfinite(self.period):
            turns = turns + self.period * np.ceil((low - turns) / self.period)
        at = np.array([low, high, *turns[(low <= turns) & (turns <= high)]])
        bends = self.curvature(at)
        return float(np.abs(self.slope(at)).max()), float(bends.min()), float(bends.max())


LOG_COSH = Profile(
    "log cosh",
    value=lambda u: np.logaddexp(u, -u) - math.log(2),
    slope=np.tanh,
    curvature=lambda u: 1 - np.tanh(u) ** 2,
    steepest=1.0,
    bends=(0.0, 1.0),
    turns=(0.0,),
)
COSINE = Profile(
    "1 - cos",
    value=lambda u: 2 * np.sin(u / 2) ** 2,
    slope=np.sin,
    curvature=np.cos,
    steepest=1.0,
    bends=(-1.0, 1.0),
    turns=(0.0, math.pi / 2, math.pi, 3 * math.pi / 2),
    period=2 * math.pi,
)
WELLS = Profile(
    "double well",
    value=lambda u: (u**2 - 1) ** 2 / 4,
    slope=lambda u: u * (u**2 - 1),
    curvature=lambda u: 3 * u**2 - 1,
    steepest=math.inf,
    bends=(-1.0, math.inf),
    turns=(-(3**-0.5), 0.0, 3**-0.5),
    slopes=(-math.inf, math.inf),
)
LINEAR = Profile(
    "linear",
    value=lambda u: u,
    slope=np.ones_like,
    curvature=np.zeros_like,
    steepest=1.0,
    bends=(0.0, 0.0),
    turns=(),
    slopes=(1.0, 1.0),
)
SQUARE = Profile(
    "square",
    value=lambda u: u**2 / 2,
    slope=lambda u: u,
    curvature=np.ones_like,
    steepest=math.inf,
    bends=(1.0, 1.0),
    turns=(),
    slopes=(-math.inf, math.inf),
)
SIN = Profile(
    "sin",
    value=np.sin,
    slope=np.cos,
    curvature=lambda u: -np.sin(u),
    steepest=1.0,
    bends=(-1.0, 1.0),
    turns=(0.0, math.pi / 2, math.pi, 3 * math.pi / 2),
    period=2 * math.pi,
)
TANH = Profile(
    "tanh",
    value=np.tanh,
    slope=lambda u: 1 - np.tanh(u) ** 2,
    curvature=lambda u: -2 * np.tanh(u) * (1 - np.tanh(u) ** 2),
    steepest=1.0,
    bends=(-4 / 27**0.5, 4 / 27**0.5),
    turns=(-math.atanh(3**-0.5), 0.0, math.atanh(3**-0.5)),
    slopes=(0.0, 1.0),
)
ROOT = Profile(
    "root",
    value=lambda u: np.hypot(1, u),
    slope=lambda u: u / np.hypot(1, u),
    curvature=lambda u: np.hypot(1, u) ** -3.0,
    steepest=1.0,
    bends=(0.0, 1.0),
    turns=(0.0,),
)
#: By the names that they have in settings.
PROFILES = {
    "linear": LINEAR,
    "square": SQUARE,
    "sin": SIN,
    "tanh": TANH,
    "log_cosh": LOG_COSH,
    "root": ROOT,
    "cosine": COSINE,
}
