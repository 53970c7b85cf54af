"""A nonconvex outer level that everybody knows, over any inner level (strfedavg, problems (2) to (4); family I6).

``f(x) = weight sum_j phi((x_j - shift_j) / length)`` with a scalar ``phi`` whose constants are exact: minus the cosine,
``u^2 / (1 + u^2)``, or the envelope of the log-sum penalty. The penalised objective of problem (3) is
``F_lambda(y) = f(y) + (1/lambda) dist(y, X_h*)^2``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rateproof.algos.arguments import finite
from rateproof.algos.noise import Noise
from rateproof.algos.problems.base import Array, Constants, Fact, Problem, noise_facts
from rateproof.algos.problems.quadratic import QuadraticBilevel, diagonal_selection, overparameterised_least_squares
from rateproof.algos.smoothing import grad_lsp_envelope, lsp_curvature, lsp_envelope

Shape: TypeAlias = Literal["cosine", "ratio", "log-sum"]

# The search for a least value starts with this many cells and cuts each that may hold it into so many.
_CELLS, _PARTS = 1024, 16


@dataclass(frozen=True)
class Scalar:
    """A scalar function ``phi`` with its least value at 0.

    Attributes:
        value: ``sum_j phi(u_j)``, ``(..., n) -> (...)``.
        slope: ``phi'`` entry by entry, ``(..., n) -> (..., n)``.
        low, high: least and largest second derivative (one-sided where it jumps).
        steepest: largest ``|phi'|``.
        minimum: ``phi(0)``.
    """

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    low: float
    high: float
    steepest: float
    minimum: float


COSINE = Scalar(lambda u: -np.cos(u).sum(axis=-1), np.sin, low=-1.0, high=1.0, steepest=1.0, minimum=-1.0)
"""``-cos(u)``."""

RATIO = Scalar(
    lambda u: (u**2 / (1 + u**2)).sum(axis=-1),
    lambda u: 2 * u / (1 + u**2) ** 2,
    low=-0.5,  # at |u| = 1
    high=2.0,  # at 0
    steepest=3 * math.sqrt(3) / 8,  # at |u| = 1/sqrt(3)
    minimum=0.0,
)
"""``u^2 / (1 + u^2)``."""


def log_sum(mu: float, epsilon: float) -> Scalar:
    """Envelope of ``log(1 + |u| / epsilon)`` with parameter ``mu < epsilon^2`` (strfedavg, Section 5.2).

    Raises:
        ValueError: a parameter is not positive, or not ``mu < epsilon^2``.
    """
    low, high = lsp_curvature(mu=mu, epsilon=epsilon)
    return Scalar(
        lambda u: lsp_envelope(u, mu=mu, epsilon=epsilon),
        lambda u: grad_lsp_envelope(u, mu=mu, epsilon=epsilon),
        low=low,
        high=high,
        steepest=1 / epsilon,  # at |u| = mu / epsilon
        minimum=0.0,
    )


@dataclass(frozen=True, eq=False)
class Separable:
    """``f(x) = weight sum_j phi((x_j - shift_j) / length)``.

    Args:
        phi: the scalar function.
        shift: minimiser of ``f``, ``(n,)``.
        weight, length: units of ``f`` and of space, positive.

    Raises:
        ValueError: ``shift`` is not a finite vector, or a unit is not positive.
    """

    phi: Scalar
    shift: Array
    weight: float = 1.0
    length: float = 1.0

    def __post_init__(self) -> None:
        """Check every argument."""
        shift = np.array(self.shift, dtype=np.float64)
        if shift.ndim != 1 or not np.isfinite(shift).all():
            raise ValueError(f"shift has shape {shift.shape}; it should be n finite numbers")
        _check_positive(weight=self.weight, length=self.length)
        shift.setflags(write=False)
        object.__setattr__(self, "shift", shift)

    def value(self, x: Array) -> Array:
        """``f(x)``: ``(runs, n) -> (runs,)``."""
        return np.asarray(self.weight * self.phi.value((x - self.shift) / self.length))

    def gradient(self, x: Array, out: Array | None = None) -> Array:
        """Gradient of ``f``: ``(runs, n) -> (runs, n)``."""
        return np.multiply(self.phi.slope((x - self.shift) / self.length), self.weight / self.length, out=out)

    @property
    def curvature(self) -> tuple[float, float]:
        """Least and largest second derivative along a coordinate."""
        unit = self.weight / self.length**2
        return unit * self.phi.low, unit * self.phi.high

    @property
    def L_f(self) -> float:
        """Smallest smoothness constant."""
        return max(map(abs, self.curvature))

    @property
    def infimum(self) -> float:
        """``inf f``, attained at ``shift``."""
        return len(self.shift) * self.weight * self.phi.minimum

    def penalised_minimum(self, j: int, anchor: float, lam: float) -> tuple[float, float]:
        """Bounds on the least value over ``u`` of ``f``'s term in ``x_j = u`` plus ``(u - anchor)^2 / lam``.

        They differ by rounding, unless more cells than fit in memory would have to be searched.
        """
        one = replace(self, shift=self.shift[j : j + 1])
        reach = 0.5 * lam * self.weight / self.length * self.phi.steepest  # the slopes balance within this distance
        return least_value(
            lambda u: one.value(u[:, None]) + (u - anchor) ** 2 / lam,
            anchor - reach,
            anchor + reach,
            self.L_f + 2 / lam,
        )


def least_value(function: Callable[[Array], Array], left: float, right: float, L: float) -> tuple[float, float]:
    """Lower and upper bound on the least value of an ``L``-smooth function on an interval, up to rounding.

    Between the ends of a cell of width ``w`` the function lies at most ``L w^2 / 8`` below the lower end, so cells
    that cannot hold the least value are dropped and the others cut.

    Args:
        function: ``(m,) -> (m,)``.
        left, right: the interval.
        L: smoothness constant.
    """
    width = (right - left) / _CELLS
    cells: Array = left + width * np.arange(_CELLS, dtype=np.float64)
    upper = math.inf
    while True:
        ends = np.minimum(function(cells), function(cells + width))
        upper = min(upper, float(ends.min()))
        dip = L * width**2 / 8
        cells = cells[ends - dip <= upper]
        if dip <= np.finfo(float).eps * abs(upper) or len(cells) > 1000 * _CELLS or width <= 1e-300:
            return upper - dip, upper
        width /= _PARTS
        cells = (cells[:, None] + width * np.arange(_PARTS, dtype=np.float64)).ravel()


class NonconvexOuter(Problem):
    """``min f`` over ``X_h*`` with a nonconvex ``f`` that server and clients know, and the inner level of ``base``.

    Every client has the same ``f``, and its gradient carries no noise (strfedavg, problem (2), Assumption 3).

    Args:
        outer: the outer level.
        base: whose ``h_i``, projection and noise are taken over; its own outer level plays no part.
        name, params: of the family that built the instance.

    Raises:
        ValueError: the two have different dimensions.
    """

    def __init__(
        self, outer: Separable, base: Problem, *, name: str = "nonconvex", params: Mapping[str, object] | None = None
    ) -> None:
        if len(outer.shift) != base.n:
            raise ValueError(f"shift has {len(outer.shift)} numbers; it should have one per coordinate, n = {base.n}")
        self.outer, self.base = outer, base
        self.name, self.n, self.N = name, base.n, base.N
        self.noise = base.noise.scaled(f=0.0, h=1.0)
        self.params = {"base": base.name, **base.params} if params is None else params

    def f_i(self, i: int, x: Array) -> Array:
        """The outer loss, which all clients share: ``(runs, n) -> (runs,)``."""
        return self.outer.value(x)

    def f(self, x: Array) -> Array:
        """The outer loss: ``(runs, n) -> (runs,)``."""
        return self.outer.value(x)

    def h_i(self, i: int, x: Array) -> Array:
        """Inner loss of client ``i``: ``(runs, n) -> (runs,)``."""
        return self.base.h_i(i, x)

    def h(self, x: Array) -> Array:
        """Inner loss: ``(runs, n) -> (runs,)``."""
        return self.base.h(x)

    def grad_f(self, i: int, y: Array, out: Array | None = None) -> Array:
        """Gradient of the outer loss: ``(runs, n) -> (runs, n)``."""
        return self.outer.gradient(y, out)

    def grad_h(self, i: int, y: Array, out: Array | None = None) -> Array:
        """Gradient of ``h_i``: ``(runs, n) -> (runs, n)``."""
        return self.base.grad_h(i, y, out)

    def samples(self, i: int) -> int:
        """Number of data rows of client ``i``."""
        return self.base.samples(i)

    def sampled_grad_h(self, i: int, y: Array, rows: NDArray[np.int64], out: Array | None = None) -> Array:
        """Mini-batch gradient of ``h_i``: ``(runs, n) -> (runs, n)``."""
        return self.base.sampled_grad_h(i, y, rows, out)

    @cached_property
    def constants(self) -> Constants:
        """Exact constants; ``f_star`` and ``grad_f_star`` are NaN where the bilevel solution has no closed form."""
        inner, x = self.base.constants, self._solution
        return replace(
            inner,
            L_f=self.outer.L_f,
            mu_f=0.0,
            sigma_f=0.0,
            f_star=math.nan if x is None else float(self.f(x[None])[0]),
            inf_f=self.outer.infimum,
            mean_inf_f=self.outer.infimum,
            grad_f_star=math.nan if x is None else float(np.linalg.norm(self.outer.gradient(x[None]))),
        )

    def facts(self) -> dict[str, Fact]:
        """Structural hypotheses: those on ``f`` of the outer level, the others of ``base``."""
        low, high = self.outer.curvature
        bent = f"the curvature of f reaches {low:g}"
        return {
            **self.base.facts(),
            "f_convex": Fact(False, bent),
            "f_strongly_convex": Fact(False, bent),
            "f_smooth": Fact(True, f"curvature in [{low:g}, {high:g}], so L_f = {self.outer.L_f:g}"),
            "f_bounded_below": Fact(True, f"inf f = {self.outer.infimum:g}, attained"),
            **noise_facts(self.noise),
        }

    def project(self, x: Array) -> Array:
        """Projection on ``X_h*``: ``(runs, n) -> (runs, n)``."""
        return self.base.project(x)

    def bilevel_solution(self) -> Array:
        """A minimiser of ``f`` over ``X_h*``: ``(n,)``.

        Raises:
            ValueError: it has no closed form.
        """
        if self._solution is None:
            raise ValueError(
                f"problem '{self.name}' has no closed-form bilevel solution: the minimiser of f does not minimise h, "
                "and X_h* is not parallel to the axes"
            )
        return self._solution.copy()

    def regularised_solution(self, eta: float) -> Array:
        """Not defined.

        Raises:
            ValueError: always; ``h + eta f`` may have several minimisers.
        """
        raise ValueError(f"problem '{self.name}' has a nonconvex outer level: h + eta f may have several minimisers")

    def F_star(self, lam: float) -> tuple[float, float]:
        """Lower and upper bound on ``inf F_lambda``.

        They agree up to rounding where ``X_h*`` is parallel to the axes (``F_lambda`` is then separable) or contains
        the minimiser of ``f``. Elsewhere the lower one is ``inf f``, the upper one the better of the minimiser of
        ``f`` and its projection.

        Raises:
            ValueError: ``lam`` is not positive.
        """
        _check_positive(lam=lam)
        fixed = self._fixed
        if fixed is None:
            top = self.outer.shift[None]
            points = np.concatenate([top, self.project(top)])
            return self.outer.infimum, float(F_lambda(self, points, lam=lam).min())
        anchor = self.project(self.outer.shift[None])[0]
        free = self.outer.weight * self.outer.phi.minimum
        bounds = [
            self.outer.penalised_minimum(j, float(anchor[j]), lam) if fixed[j] else (free, free) for j in range(self.n)
        ]
        low, high = zip(*bounds, strict=True)
        return math.fsum(low), math.fsum(high)

    @property
    def _fixed(self) -> NDArray[np.bool_] | None:
        """Coordinates that are the same on all of ``X_h*`` while the others are free; None where it is no such set."""
        if isinstance(self.base, QuadraticBilevel) and self.base.inner.mean_diagonal is not None:
            return np.asarray(self.base.inner.mean_diagonal > 0)
        return None

    @cached_property
    def _solution(self) -> Array | None:
        nearest = self.project(self.outer.shift[None])[0]
        return nearest if self._fixed is not None or np.array_equal(nearest, self.outer.shift) else None


def F_lambda(problem: Problem, y: Array, *, lam: float) -> Array:
    """``f(y) + (1/lam) ||y - Pi(y)||^2`` (strfedavg, eq. 3): ``(runs, n) -> (runs,)``.

    Raises:
        ValueError: ``lam`` is not positive.
    """
    _check_positive(lam=lam)
    return np.asarray(problem.f(y) + np.sum((y - problem.project(y)) ** 2, axis=-1) / lam)


def grad_F_lambda(problem: Problem, y: Array, *, lam: float, factor: float = 2.0) -> Array:
    """``grad f(y) + (factor/lam) (y - Pi(y))``: ``(runs, n) -> (runs, n)``.

    ``factor = 2`` is the gradient of :func:`F_lambda`; the paper prints 1, the gradient for half the penalty.

    Raises:
        ValueError: ``lam`` is not positive.
    """
    _check_positive(lam=lam)
    return penalised_gradient(problem, y, problem.project(y), factor / lam)


def penalised_gradient(problem: Problem, y: Array, x: Array, pull: float) -> Array:
    """``grad f(y) + pull (y - x)`` for ``y`` and ``x`` of shape ``(runs, n)``."""
    return np.asarray(sum(problem.grad_f(i, y) for i in range(problem.N)) / problem.N + pull * (y - x))


def projection_problem(problem: Problem, y: ArrayLike) -> QuadraticBilevel:
    """Problem (4) of strfedavg: ``min g(x) = ||x - y||^2 / 2`` over ``X_h*``, with ``h_i`` and the noise on them.

    Args:
        problem: quadratic clients, or a nonconvex outer level over them.
        y: point to project, ``(n,)``.

    Raises:
        ValueError: the inner level is not quadratic, or ``y`` has another shape.
    """
    base = problem.base if isinstance(problem, NonconvexOuter) else problem
    if not isinstance(base, QuadraticBilevel):
        raise ValueError(f"problem '{problem.name}' has an inner level that is not quadratic; it should be")
    y = np.array(y, dtype=np.float64)
    if y.shape != (base.n,):
        raise ValueError(f"y has shape {y.shape}; it should be ({base.n},)")
    inner, N, n = base.inner, base.N, base.n
    F, d = np.broadcast_to(np.eye(n), (N, n, n)), np.broadcast_to(y, (N, n))
    noise = base.noise.scaled(f=0.0, h=1.0)
    points, values, attained = inner.minima
    if inner.centred and attained.all():
        return QuadraticBilevel.from_minimisers(
            F=F, d=d, H=inner.matrices, t=points, h_min=values, noise=noise, name="projection"
        )
    c = np.full(N, 0.5 * float(y @ y))
    return QuadraticBilevel(
        F=F, a=d, c=c, H=inner.matrices, b=inner.linear, e=inner.constant, noise=noise, name="projection"
    )


def under_log_sum(base: Problem, *, mu: float, epsilon: float) -> NonconvexOuter:
    """The inner level of ``base`` under the envelope of the log-sum penalty (strfedavg, eq. 16).

    Raises:
        ValueError: a parameter is not positive, or not ``mu < epsilon^2``.
    """
    params = {**base.params, "outer": "log-sum", "mu": mu, "epsilon": epsilon}
    return NonconvexOuter(Separable(log_sum(mu, epsilon), np.zeros(base.n)), base, name=base.name, params=params)


def nonconvex_diagonal(
    *,
    outer: Shape = "cosine",
    c: Sequence[float] = (-1.0, 1.0),
    shift: Sequence[float] = (1.0, 0.0),
    L_h: float = 1.0,
    weight: float = 1.0,
    length: float = 1.0,
    mu: float | None = None,
    epsilon: float | None = None,
    noise: Noise | None = None,
) -> NonconvexOuter:
    """Family I6 over I1, ``n = 2``: ``h_i(x) = (L_h/2)(x_1 - c_i)^2``, so ``X_h* = {x_1 = mean of c}``.

    Args:
        outer: shape of ``f``.
        c: ``(N,)``.
        shift: minimiser of ``f``, ``(2,)``.
        L_h: curvature of the inner level, positive.
        weight, length: units of ``f`` and of space.
        mu, epsilon: of the log-sum penalty (1/4 and 1 when left out); meaningless for the others.
        noise: an additive law; only its part on ``h`` counts.

    Raises:
        ValueError: a value is out of range or has the wrong shape.
    """
    centres, middle = np.atleast_1d(finite("c", c)), finite("shift", shift)
    base = diagonal_selection(c=centres.tolist(), d=((0.0, 0.0),) * len(centres), L_h=L_h, noise=noise)
    f = Separable(_scalar(outer, mu, epsilon), middle, weight, length)
    params = {"outer": outer, "c": centres.tolist(), "shift": middle.tolist(), "L_h": L_h}
    return _family("nonconvex_diagonal", f, base, params, mu, epsilon, noise)


def nonconvex_least_squares(
    *,
    outer: Shape = "cosine",
    seed: int = 0,
    N: int = 2,
    m: int = 2,
    n: int = 6,
    minimiser: Literal["origin", "solution"] = "origin",
    weight: float = 1.0,
    length: float = 1.0,
    mu: float | None = None,
    epsilon: float | None = None,
    noise: Noise | None = None,
) -> NonconvexOuter:
    """Family I6 over I2, least squares whose clients share their minimisers.

    Args:
        outer: shape of ``f``.
        seed, N, m, n: of :func:`rateproof.algos.problems.quadratic.overparameterised_least_squares`.
        minimiser: of ``f``: the origin, or the shared integer minimiser of ``h``, which then solves the problem.
        weight, length, mu, epsilon, noise: as for :func:`nonconvex_diagonal`.

    Raises:
        ValueError: a value is out of range.
    """
    if minimiser not in ("origin", "solution"):
        raise ValueError(f"minimiser is '{minimiser}'; it should be 'origin' or 'solution'")
    base = overparameterised_least_squares(seed=seed, N=N, m=m, n=n, noise=noise)
    shift = np.zeros(n) if minimiser == "origin" else base.inner.minima[0][0]
    f = Separable(_scalar(outer, mu, epsilon), shift, weight, length)
    params = {"outer": outer, "seed": seed, "N": N, "m": m, "n": n, "minimiser": minimiser}
    return _family("nonconvex_least_squares", f, base, params, mu, epsilon, noise)


def _family(
    name: str,
    outer: Separable,
    base: Problem,
    params: Mapping[str, object],
    mu: float | None,
    epsilon: float | None,
    noise: Noise | None,
) -> NonconvexOuter:
    optional = {"mu": mu, "epsilon": epsilon, "noise": None if noise is None else noise.to_params()}
    given = {k: v for k, v in optional.items() if v is not None}
    return NonconvexOuter(
        outer, base, name=name, params={**params, "weight": outer.weight, "length": outer.length, **given}
    )


def _scalar(outer: Shape, mu: float | None, epsilon: float | None) -> Scalar:
    if outer == "log-sum":
        return log_sum(0.25 if mu is None else mu, 1.0 if epsilon is None else epsilon)
    if outer not in ("cosine", "ratio"):
        raise ValueError(f"outer is '{outer}'; it should be 'cosine', 'ratio' or 'log-sum'")
    if mu is not None or epsilon is not None:
        raise ValueError(f"mu and epsilon mean nothing for outer = '{outer}'; leave them out")
    return COSINE if outer == "cosine" else RATIO


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} is {value}; it should be a positive number")
