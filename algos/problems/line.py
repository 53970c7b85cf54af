"""Federated problems of one variable with piecewise losses and intervals, exactly smoothed (fedrzo, Assumption 1).

Losses are piecewise polynomials of degree at most 2; constants, smoothings and infima are exact up to rounding. A loss
may be read with two-point noise ``f~_i(x, xi) = f_i(x) + nu xi s(x)``, ``xi = +-1`` with equal chance and ``|s| <= 1``.
Points carry an axis of length ``n = 1``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from rateproof.algos.arguments import check_counts, finite, nonnegative, shown
from rateproof.algos.noise import Stream, Streams
from rateproof.algos.piecewise import (
    Piecewise,
    Stacked,
    absolute,
    affine,
    from_slopes,
    huber,
    square_distance,
    steepest,
    total,
)
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.box import as_array, set_facts
from rateproof.algos.problems.federated import Constants, Federated, Smoothed
from rateproof.algos.sets import Box, ClientSets, interval

Ends: TypeAlias = tuple[float, float]
"""An interval; infinite where there is no bound."""
Numbers: TypeAlias = float | Sequence[float]
"""One number for all clients, or one a client."""


class Field(Protocol):
    """A function ``s`` of the line with ``|s| <= 1``: how the noise of a sample depends on the point."""

    def __call__(self, x: Array) -> Array:
        """Values, in the shape of ``x``."""


@dataclass(frozen=True)
class Steps:
    """``s(x) = (-1)^floor(x/period)``, so that ``s(x + period) = -s(x)``.

    Raises:
        ValueError: ``period`` is not a positive number.
    """

    period: float

    def __post_init__(self) -> None:
        _check_period(self.period)

    def __call__(self, x: Array) -> Array:
        """Signs."""
        return np.asarray(1.0 - 2.0 * np.mod(np.floor(x / self.period), 2))


@dataclass(frozen=True)
class Trapezoid:
    """Continuous with ``s(x + period) = -s(x)``: 1 for ``|x| <= period/4``, down to -1 at ``|x| = 3 period/4``.

    Raises:
        ValueError: ``period`` is not a positive number.
    """

    period: float

    def __post_init__(self) -> None:
        _check_period(self.period)

    def __call__(self, x: Array) -> Array:
        """Values between -1 and 1."""
        away = np.abs(np.mod(x / self.period + 1, 2) - 1)  # from the nearest even multiple, in periods
        return np.asarray(np.clip(2 - 4 * away, -1.0, 1.0))


@dataclass(frozen=True)
class Level:
    """``s = 1``: the noise cancels in a difference of values with one sample."""

    def __call__(self, x: Array) -> Array:
        """Ones."""
        return np.ones_like(x)


class LineSmoothed(Smoothed):
    """Smoothed problem of one radius, as piecewise polynomials.

    Attributes:
        loss: ``f_eta``.
        penalised: ``F_eta``.
    """

    def __init__(self, eta: float, losses: Sequence[Piecewise], sets: ClientSets) -> None:
        m = len(losses)
        self.eta = eta
        distinct: dict[Hashable, Piecewise] = {}
        for f in losses:
            if f.key() not in distinct:
                distinct[f.key()] = f.smoothed(eta).derivative
        self._slopes = tuple(distinct[f.key()] for f in losses)
        # The mean is smoothed, and divided at last: slopes that cancel leave exactly 0.
        self.loss = total(losses, divisor=m).smoothed(eta)
        distances = [square_distance(float(s.low[0]), float(s.high[0])) for s in sets.sets if isinstance(s, Box)]
        self.penalised = total([self.loss, total(distances, divisor=2 * eta * m)])
        self._slope, self._penalised_slope = self.loss.derivative, self.penalised.derivative

    def f(self, x: Array) -> Array:
        """``f_eta``: ``(runs, 1) -> (runs,)``."""
        return self.loss(x[..., 0])

    def grad_f(self, x: Array) -> Array:
        """``grad f_eta``: ``(runs, 1)``."""
        return self._slope(x)

    def F(self, x: Array) -> Array:
        """``F_eta``: ``(runs,)``."""
        return self.penalised(x[..., 0])

    def grad_F(self, x: Array) -> Array:
        """``grad F_eta``: ``(runs, 1)``."""
        return self._penalised_slope(x)

    def grad_f_i(self, i: int, x: Array) -> Array:
        """``grad f_{i,eta}``: ``(runs, 1)``."""
        return self._slopes[i](x)

    @cached_property
    def F_star(self) -> float:
        """Least value at stationary points; ``-inf`` where ``F_eta`` goes down far away."""
        return self.penalised.infimum

    @cached_property
    def stationary(self) -> Array:
        """Where ``grad F_eta`` vanishes, increasing, ``(k,)``; of an interval of such points its finite ends."""
        return self._penalised_slope.zeros


class LineProblem(Federated):
    """``min (1/m) sum_i f_i`` over the intersection of intervals, with piecewise losses.

    Args:
        losses: ``f_i``, continuous or not, of degree at most 2.
        intervals: ends of every ``X_i``; the line when left out.
        nu: size of the noise.
        noise: the field ``s``; :class:`Level` when left out.
        name: of the family.
        params: what built the instance.

    Raises:
        ValueError: no client, a wrong count, a degree above 2, ``nu`` negative, or an interval without a point.
    """

    def __init__(
        self,
        losses: Sequence[Piecewise],
        intervals: Sequence[Ends] | None = None,
        *,
        nu: float = 0.0,
        noise: Field | None = None,
        name: str = "line",
        params: Mapping[str, object] | None = None,
    ) -> None:
        if not losses:
            raise ValueError("losses is empty; it should hold the loss of every client")
        if high := [i for i, f in enumerate(losses) if f.degree > 2]:
            raise ValueError(
                f"the loss of client {high[0]} has degree {losses[high[0]].degree}; it should be at most 2"
            )
        nonnegative(nu=nu)
        self.losses, self.nu, self.noise_field = tuple(losses), float(nu), noise or Level()
        self.n, self.m, self.name, self.params = 1, len(self.losses), name, dict(params or {})
        self.sets = interval_sets(intervals, self.m)
        self._all = Stacked(self.losses)
        self._smoothed: dict[float, LineSmoothed] = {}

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Signs ``xi``, ``(steps, runs, m, 1)``; None without noise."""
        return None if self.nu == 0 else client_signs(rng, round, steps, self.m)

    def values(self, x: Array, xi: Array | None) -> Array:
        """``f_i(x_i) + nu xi_i s(x_i)``: ``(runs, m, 1) -> (runs, m)``."""
        at = x[..., 0]
        values = self._all(at)
        return values if xi is None else values + self.nu * xi[..., 0] * self.noise_field(at)

    def f_i(self, i: int, x: Array) -> Array:
        """``f_i``: ``(runs, 1) -> (runs,)``."""
        return self.losses[i](x[..., 0])

    @cached_property
    def constants(self) -> Constants:
        """Constants of Assumption 1."""
        return Constants(L0=steepest(self.losses), nu=self.nu, **set_facts(self.sets)[0])

    def facts(self) -> dict[str, Fact]:
        """Assumption 1, part by part."""
        L0 = self.constants.L0
        why = f"the steepest slope is {L0:g}" if math.isfinite(L0) else "a slope is unbounded, or a loss jumps"
        return {
            "lipschitz": Fact(math.isfinite(L0), why),
            "unbiased": Fact(True, "the losses are not random" if self.nu == 0 else "xi = +-1 with equal chance"),
            "variance_bounded": Fact(True, f"|nu s(x)| <= nu = {self.nu:g} at every point"),
            **set_facts(self.sets)[1],
        }

    def smoothed(self, eta: float) -> LineSmoothed:
        """The smoothed problem, exactly (kept for the radii asked for)."""
        if eta not in self._smoothed:
            self._smoothed[eta] = LineSmoothed(eta, self.losses, self.sets)
        return self._smoothed[eta]


def client_signs(rng: Streams, round: int, steps: int, m: int, *, stream: Stream = "xi", k: int = 1) -> Array:
    """``k`` signs of every client in every local step, ``(steps, runs, m, k)``."""
    rows = np.arange(rng.runs)
    return np.stack([rng.signs(stream, round, i, steps, k, rows) for i in range(m)], axis=2)


def interval_sets(intervals: Sequence[Ends] | None, m: int) -> ClientSets:
    """The sets of ``m`` clients.

    Raises:
        ValueError: not one interval a client, or one without a point.
    """
    if intervals is None:
        return ClientSets.same(interval(), m)
    if len(intervals) != m:
        raise ValueError(f"intervals has {len(intervals)} entries; it should have one for each of the {m} clients")
    return ClientSets([interval(*ends) for ends in intervals])


def absolute_line(
    *,
    slope: Numbers = 1.0,
    centre: Numbers = 0.0,
    m: int = 1,
    low: Numbers = -math.inf,
    high: Numbers = math.inf,
    nu: float = 0.0,
    period: float | None = None,
) -> LineProblem:
    """``f_i(x) = slope_i |x - centre_i|``: concave kinks where slopes are negative.

    Args:
        slope, centre: of the losses.
        m: clients, where no list tells.
        low, high: ends of ``X_i``; no bound when left out.
        nu: size of the noise.
        period: of :class:`Steps`; the noise of a sample is the same everywhere when left out.
    """
    given = dict(locals())
    m = _count(m, slope, centre, low, high)
    pairs = zip(as_array("slope", slope, (m,)), as_array("centre", centre, (m,)), strict=True)
    losses = [absolute(slope=float(a), centre=float(c)) for a, c in pairs]
    return _family("absolute_line", losses, given, low=low, high=high, nu=nu, period=period)


def kink_line(
    *, L0: float = 1.0, centre: float = 0.0, m: int = 1, low: Numbers = 0.0, high: Numbers = math.inf
) -> LineProblem:
    """``f_i(x) = -L0 |x - centre|`` over half-lines or intervals: nonconvex; unbounded below without both ends.

    Args:
        L0, centre: of the losses of all clients.
        m: clients, where no list tells.
        low, high: ends of ``X_i``, one number or one for each client.

    Raises:
        ValueError: counts disagree, or a number is out of range.
    """
    given = dict(locals())
    finite("L0", L0)
    finite("centre", centre)
    m = _count(m, low, high)
    return _family("kink_line", [absolute(slope=-L0, centre=centre)] * m, given, low=low, high=high)


def huber_line(
    *,
    width: float = 1.5,
    slope: float = 1.5,
    centre: Numbers = 0.0,
    m: int = 1,
    low: Numbers = -math.inf,
    high: Numbers = math.inf,
    nu: float = 0.0,
    period: float | None = None,
) -> LineProblem:
    """``f_i`` quadratic within ``width`` of ``centre_i`` and of this slope beyond: ``x^2/2`` inside when both agree.

    For ``|x - centre_i| <= width - eta`` an estimate is ``(slope/width)(x - centre_i + v/2)``: linear recursions.

    Args:
        width: half the width of the quadratic part, positive.
        slope: beyond it.
        centre: of each loss, one number or one for each client.
        m: clients, where no list tells.
        low, high: ends of ``X_i``, one number or one for each client; no bound when left out.
        nu: size of the noise.
        period: of :class:`Steps`; the noise of a sample is the same everywhere when left out.

    Raises:
        ValueError: counts disagree, or a number is out of range.
    """
    given = dict(locals())
    finite("slope", slope)
    m = _count(m, centre, low, high)
    losses = [huber(width=width, slope=slope, centre=float(c)) for c in as_array("centre", centre, (m,))]
    return _family("huber_line", losses, given, low=low, high=high, nu=nu, period=period)


def sloped_line(
    *,
    breaks: Sequence[Sequence[float]] = ((0.0,),),
    slopes: Sequence[Sequence[float]] = ((-1.0, 1.0),),
    low: Numbers = -math.inf,
    high: Numbers = math.inf,
    nu: float = 0.0,
    period: float | None = None,
) -> LineProblem:
    """Continuous piecewise-linear losses with ``f_i(0) = 0``.

    Args:
        breaks: for each client its ``p`` increasing breaks; none for a linear loss.
        slopes: for each client its ``p + 1`` slopes, from left to right.
        low, high: ends of ``X_i``, one number or one for each client; no bound when left out.
        nu: size of the noise.
        period: of :class:`Steps`; the noise of a sample is the same everywhere when left out.

    Raises:
        ValueError: counts disagree, breaks do not increase, or a number is not finite.
    """
    given = dict(locals())
    for key, rows in (("breaks", breaks), ("slopes", slopes)):
        if not isinstance(rows, Sequence) or isinstance(rows, str):
            raise ValueError(f"{key} is {shown(rows)}; it should hold a list of numbers for each client")
    if len(breaks) != len(slopes):
        raise ValueError(f"breaks has {len(breaks)} clients and slopes {len(slopes)}; they should agree")
    losses = [_sloped(i, b, s) for i, (b, s) in enumerate(zip(breaks, slopes, strict=True))]
    return _family("sloped_line", losses, given, low=low, high=high, nu=nu, period=period)


def sigma_only_line(*, L0: float = 1.0, nu: float = 1.0, eta: float = 1.0, m: int = 1) -> LineProblem:
    """``f_i(x) = L0 x`` over ``X_i = {0}`` with noise that changes sign over ``eta``.

    With this smoothing radius every estimate is ``L0 +- 2 nu/eta`` with equal chance, wherever the point is: the second
    moment of an estimate is as large as Assumption 1 lets it be.

    Args:
        L0: slope of the losses.
        nu: size of the noise.
        eta: distance over which the noise changes sign; to be the smoothing radius.
        m: number of clients.

    Raises:
        ValueError: a number is out of range.
    """
    given = dict(locals())
    check_counts(m=m)
    finite("L0", L0)
    if not 0 < eta < math.inf:
        raise ValueError(f"eta is {eta}; it should be a positive number")
    return _family("sigma_only_line", [affine(slope=L0)] * m, given, low=0.0, high=0.0, nu=nu, period=eta)


def opposite_line(*, L0: float = 1.0, low: Numbers = 0.0, high: Numbers = 0.0) -> LineProblem:
    """``f_1(x) = L0 x`` and ``f_2(x) = -L0 x`` over one interval: nothing is random, and the clients drift apart.

    Args:
        L0: slope of the first loss.
        low, high: ends of ``X_1`` and ``X_2``, one number or two.

    Raises:
        ValueError: a number is out of range.
    """
    given = dict(locals())
    finite("L0", L0)
    losses = [affine(slope=L0), affine(slope=-L0)]
    return _family("opposite_line", losses, given, low=low, high=high)


def _family(
    name: str,
    losses: Sequence[Piecewise],
    params: Mapping[str, object],
    *,
    low: Numbers,
    high: Numbers,
    nu: float = 0.0,
    period: float | None = None,
) -> LineProblem:
    m = len(losses)
    ends = zip(as_array("low", low, (m,)).tolist(), as_array("high", high, (m,)).tolist(), strict=True)
    return LineProblem(
        losses, list(ends), nu=nu, noise=None if period is None else Steps(period), name=name, params=params
    )


def _sloped(i: int, breaks: Sequence[float], slopes: Sequence[float]) -> Piecewise:
    """The loss of client ``i`` of :func:`sloped_line`."""
    at, rises = finite(f"breaks of client {i}", breaks), finite(f"slopes of client {i}", slopes)
    if at.ndim != 1 or rises.ndim != 1 or len(rises) != len(at) + 1:
        raise ValueError(
            f"client {i} has breaks {shown(breaks)} and slopes {shown(slopes)}; they should be lists of p breaks and "
            "p + 1 slopes"
        )
    return from_slopes(at, rises)


def _count(m: int, *values: Numbers) -> int:
    """The number of clients: the length of a list, else ``m``."""
    check_counts(m=m)
    return max((len(v) for v in values if isinstance(v, Sequence)), default=m)


def _check_period(period: float) -> None:
    if not 0 < period < math.inf:
        raise ValueError(f"period is {period}; it should be a positive number")
