"""Federated bilevel problems that methods reach through gradients and products with second derivatives (mefbo, eq. 1).

``min F(x, y)`` over ``x in X`` and ``y in argmin over Y of G(x, .)``, with ``F = sum_i w_i f_i`` and
``G = sum_i w_i g_i`` over ``m`` clients. A model is the row ``z = (x, y)`` of ``n = dx + dy`` numbers; points carry a
leading axis of runs, ``(runs, n)``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import finite
from rateproof.algos.convex_sets import ConvexSet
from rateproof.algos.noise import Ints, MiniBatch, Noise, NoNoise, Streams
from rateproof.algos.problems.base import Array, Fact, Instance, Metric

#: Steps of the general search for ``theta*``, and the residual, relative to the size of a point, at which it ends.
STEPS, TOLERANCE = 100_000, 1e-13


@dataclass(frozen=True)
class Constants:
    """Constants of an instance over ``X x Y`` (mefbo, Assumptions 3.1 and 3.2); inf where there is none, NaN: unknown.

    Attributes:
        L_f: every ``f_i`` is ``L_f``-Lipschitz in ``(x, y)``.
        L_1: every ``grad f_i`` is ``L_1``-Lipschitz.
        L_g: every ``g_i(., y)`` is ``L_g``-Lipschitz.
        L_2: every ``grad g_i`` is ``L_2``-Lipschitz.
        rho_wc: the least number for which ``G(x, .) + rho_wc ||.||^2 / 2`` is convex for all ``x``.
        mu: every ``g_i(x, .)`` is ``mu``-strongly convex; 0 where one is not.
        Het: ``sum_i w_i ||grad_y g_i - grad_y G||^2 <= Het^2``.
        sigma_f, sigma_g: bounds on the standard deviations of stochastic gradients.
        F_inf: the infimum of ``F`` over ``X x Y``; for losses of data the lower bound 0.
    """

    L_f: float
    L_1: float
    L_g: float
    L_2: float
    rho_wc: float
    mu: float
    Het: float
    sigma_f: float
    sigma_g: float
    F_inf: float


class Sample(NamedTuple):
    """What a stochastic gradient depends on: noise to add ``(runs, n)``, numbers of rows ``(runs, batch)``, or None."""

    xi: Array | Ints | None
    zeta: Array | Ints | None


EXACT = Sample(None, None)


def noisy(gradient: Callable[..., Array], i: int, z: Array, drawn: Array | Ints | None) -> Array:
    """A gradient of client ``i`` with what was drawn for it, data rows or noise to add: ``(runs, n)``."""
    if drawn is None or (rows := data_rows(drawn)) is not None:
        return gradient(i, z, None if drawn is None else rows)
    return gradient(i, z) + drawn


def data_rows(drawn: Array | Ints | None) -> Ints | None:
    """Numbers of data rows; None where a draw is noise to add."""
    return None if drawn is None or drawn.dtype.kind != "i" else drawn.astype(np.int64, copy=False)


class SmoothBilevel(Instance):
    """A bilevel problem over ``m`` clients with smooth levels.

    Args:
        weights: ``w_i`` of the clients, positive, with sum one; ``1/m`` when left out.
        m: clients.
        X, Y: constraints.
        noise: of gradients; mini-batches where the losses are finite sums.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Attributes:
        m, dx, dy: clients, and dimensions of ``x`` and ``y``.
        beta_max: m times the largest weight.

    Raises:
        ValueError: weights that are not positive or do not sum to one.
    """

    m: int
    beta_max: float

    def __init__(
        self,
        *,
        m: int,
        X: ConvexSet,
        Y: ConvexSet,
        weights: ArrayLike | None = None,
        noise: Noise | None = None,
        name: str,
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.m, self.X, self.Y = m, X, Y
        self.dx, self.dy, self.n = X.n, Y.n, X.n + Y.n
        self.weights = check_weights(weights, m)
        self.beta_max = m * float(self.weights.max())
        self.noise: Noise = NoNoise() if noise is None else noise
        self.name, self.params = name, {} if params is None else params

    @property
    def clients(self) -> int:
        """Number of clients, ``m``."""
        return self.m

    def split(self, z: Array) -> tuple[Array, Array]:
        """``x`` and ``y`` of models: ``(..., n) -> (..., dx), (..., dy)``."""
        return z[..., : self.dx], z[..., self.dx :]

    def join(self, x: Array, y: Array) -> Array:
        """The models ``(x, y)``: ``(..., n)``."""
        return np.concatenate([x, y], axis=-1)

    def project(self, z: Array) -> Array:
        """Projection on ``X x Y``: ``(runs, n)``."""
        x, y = self.split(z)
        return self.join(self.X.project(x), self.Y.project(y))

    @abstractmethod
    def f_i(self, i: int, z: Array) -> Array:
        """Upper loss of client ``i``: ``(runs, n) -> (runs,)``."""

    @abstractmethod
    def g_i(self, i: int, z: Array) -> Array:
        """Lower loss of client ``i``: ``(runs, n) -> (runs,)``."""

    @abstractmethod
    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad f_i`` in ``(x, y)``, exact or on data rows ``(runs, batch)``: ``(runs, n)``."""

    @abstractmethod
    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad g_i`` in ``(x, y)``, exact or on data rows ``(runs, batch)``: ``(runs, n)``."""

    @abstractmethod
    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """``(grad^2_xy g_i v, grad^2_yy g_i v)``, the gradient of ``<grad_y g_i, v>``: ``(runs, n)``.

        Args:
            i: client.
            z: points, ``(runs, n)``.
            v: ``(runs, dy)``.
            rows: data rows; all of them when left out.
        """

    def samples(self, i: int) -> tuple[int, int]:
        """Data rows of client ``i`` in its upper and in its lower loss.

        Raises:
            ValueError: the losses are not finite sums.
        """
        raise ValueError(f"problem '{self.name}' is not a finite sum: use additive noise instead of MiniBatch")

    def draw(self, rng: Streams, round: int, i: int, steps: int, rows: Ints) -> list[Sample]:
        """Independent samples of client ``i`` for ``steps`` gradients of both levels, in the runs ``rows``."""
        if isinstance(law := self.noise, MiniBatch):
            upper, lower = self.samples(i)
            xi = rng.integers("xi", round, i, steps, law.batch_size, rows, upper)
            return list(map(Sample, xi, rng.integers("zeta", round, i, steps, law.batch_size, rows, lower)))
        drawn = law.draw(rng, round, i, steps, rows, self.n)
        return [EXACT] * steps if drawn is None else list(map(Sample, *drawn))

    def F(self, z: Array) -> Array:
        """Upper loss: ``(runs, n) -> (runs,)``."""
        return np.asarray(sum(w * self.f_i(i, z) for i, w in enumerate(self.weights)))

    def G(self, z: Array) -> Array:
        """Lower loss: ``(runs, n) -> (runs,)``."""
        return np.asarray(sum(w * self.g_i(i, z) for i, w in enumerate(self.weights)))

    def grad_F(self, z: Array) -> Array:
        """``grad F``: ``(runs, n)``."""
        return np.asarray(sum(w * self.gradient_f(i, z) for i, w in enumerate(self.weights)))

    def grad_G(self, z: Array) -> Array:
        """``grad G``: ``(runs, n)``."""
        return np.asarray(sum(w * self.gradient_g(i, z) for i, w in enumerate(self.weights)))

    def product_G(self, z: Array, v: Array) -> Array:
        """``(grad^2_xy G v, grad^2_yy G v)``: ``(runs, n)``."""
        return np.asarray(sum(w * self.product_g(i, z, v) for i, w in enumerate(self.weights)))

    @property
    @abstractmethod
    def constants(self) -> Constants:
        """Exact constants of the instance (computed once)."""

    def facts(self) -> dict[str, Fact]:
        """Assumptions 3.1 and 3.2, part by part, and whether the lower level is strongly convex."""
        c = self.constants

        def bounded(number: float, what: str, verb: str) -> Fact:
            if not math.isfinite(number):
                return Fact(False, f"not bounded, or not known: {what}")
            return Fact(True, f"{what} {verb} {number:g}")

        every = "every" if c.mu > 0 else "not every"
        return {
            "bounded_below": bounded(c.F_inf, "the infimum of F", "is"),
            "f_lipschitz": bounded(c.L_f, "slopes of f_i", "are at most"),
            "f_smooth": bounded(c.L_1, "slopes of the gradients of f_i", "are at most"),
            "g_lipschitz": bounded(c.L_g, "slopes of g_i in x", "are at most"),
            "g_smooth": bounded(c.L_2, "slopes of the gradients of g_i", "are at most"),
            "heterogeneity_bounded": bounded(c.Het, "deviations of grad_y g_i from their mean", "are at most"),
            "unbiased": Fact(True, self.noise.why_unbiased),
            "variance_bounded": bounded(c.sigma_f + c.sigma_g, "standard deviations", "sum up to"),
            "lower_strongly_convex": Fact(c.mu > 0, f"{every} g_i(x, .) is strongly convex, mu = {c.mu:g}"),
        }

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Both losses; families add what else they know."""
        return {"F": lambda problem, z: problem.F(z), "G": lambda problem, z: problem.G(z)}

    # The Moreau envelope of the lower level (mefbo, eqs. 3, 4, 6 and 13).

    def check_gamma(self, gamma: float) -> None:
        """Refuse a ``gamma`` for which the minimisation over ``theta`` in eq. (3) is not strongly convex.

        Raises:
            ValueError: says the range.
        """
        rho = self.constants.rho_wc
        if not 0 < gamma < math.inf or gamma * rho >= 1:  # a rho that is not known refuses nothing
            raise ValueError(
                f"gamma is {gamma:g}; it should be in (0, 1/rho_wc) = (0, {1 / rho if rho else math.inf:g}), or the "
                f"problem of theta is not strongly convex: the weak convexity rho_wc of the lower level is {rho:g}"
            )

    def theta_star(self, z: Array, gamma: float) -> Array:
        """``argmin over Y of G(x, theta) + ||theta - y||^2 / (2 gamma)``: ``(runs, dy)``.

        Accelerated projected gradients until their residual says that it is right to ``1e-13`` of its size or so.

        Raises:
            ValueError: ``gamma`` is out of range, no bounds on second derivatives are known, or the residual stays
                large.
        """
        self.check_gamma(gamma)
        x, y = self.split(z)
        return self._minimised(x, y, 1 / gamma)

    def lower_solution(self, x: Array) -> Array:
        """``y(x)``, the minimiser of ``G(x, .)`` over ``Y``, found as :meth:`theta_star` is: ``(runs, dy)``.

        Raises:
            ValueError: the lower level is not strongly convex, as far as is known.
        """
        if not self.constants.mu > 0:
            raise ValueError(f"the lower level of '{self.name}' is not strongly convex: mu is {self.constants.mu:g}")
        return self._minimised(x, np.zeros((len(x), self.dy)), 0.0)

    def Phi(self, x: Array) -> Array:
        """``F(x, y(x))``: ``(runs, dx) -> (runs,)``."""
        return self.F(self.join(x, self.lower_solution(x)))

    def hypergradient(self, x: Array) -> Array:
        """Gradient of ``F(x, y(x))`` for a strongly convex lower level over the whole space: ``(runs, dx)``.

        The linear system is solved by conjugate gradients, to a residual of ``1e-13`` of its right side.

        Raises:
            ValueError: another lower level.
        """
        if not self.Y.whole:
            raise ValueError(f"the hypergradient of '{self.name}' is not known: y has constraints")
        z = self.join(x, self.lower_solution(x))
        g_x, g_y = self.split(self.grad_F(z))
        v, left = np.zeros_like(g_y), g_y.copy()
        ahead, size = left.copy(), (left**2).sum(axis=1, keepdims=True)
        enough = TOLERANCE**2 * size
        for _ in range(10 * self.dy):
            if (size <= enough).all():
                break
            bent = self.split(self.product_G(z, ahead))[1]
            step = size / np.maximum((ahead * bent).sum(axis=1, keepdims=True), 1e-300)
            v, left = v + step * ahead, left - step * bent
            old, size = size, (left**2).sum(axis=1, keepdims=True)
            ahead = left + size / np.maximum(old, 1e-300) * ahead
        return g_x - self.split(self.product_G(z, v))[0]

    def _minimised(self, x: Array, y: Array, near: float) -> Array:
        """``argmin over Y of G(x, theta) + near ||theta - y||^2 / 2``: ``(runs, dy)``."""
        c = self.constants
        theta, low, high = self.Y.project(y), near + (c.mu or -c.rho_wc), near + self.lower_smoothness(x)
        if not (np.isfinite(low) and np.isfinite(high).all()):
            raise ValueError(f"theta* of problem '{self.name}' is not known: no bounds on its second derivatives are")
        ahead, before = theta, theta
        momentum = (np.sqrt(high) - np.sqrt(low)) / (np.sqrt(high) + np.sqrt(low))
        for _ in range(STEPS):
            slope = self.split(self.grad_G(self.join(x, ahead)))[1] + near * (ahead - y)
            theta = self.Y.project(ahead - slope / high)
            if (np.abs(theta - ahead) <= np.maximum(TOLERANCE * low / high, 4e-16) * (1 + np.abs(theta))).all():
                return theta
            ahead, before = theta + momentum * (theta - before), theta
        raise ValueError(f"a minimiser in y is not found in {STEPS} steps; a smaller gamma would make it easier")

    def lower_smoothness(self, x: Array) -> Array:
        """Bounds on the second derivatives of ``G(x, .)``: ``(runs, dx) -> (runs, 1)``."""
        return np.full((len(x), 1), self.constants.L_2)

    def v(self, z: Array, gamma: float) -> Array:
        """The Moreau envelope ``v_gamma(x, y)`` (eq. 3): ``(runs,)``."""
        x, y = self.split(z)
        theta = self.theta_star(z, gamma)
        return np.asarray(self.G(self.join(x, theta)) + ((theta - y) ** 2).sum(axis=-1) / (2 * gamma))

    def gap(self, z: Array, gamma: float) -> Array:
        """``G - v_gamma``, zero exactly at the feasible points of eq. (2): ``(runs,)``."""
        return np.asarray(self.G(z) - self.v(z, gamma))

    def grad_U(self, z: Array, gamma: float, c: float) -> Array:
        """Gradient of ``F/c + G - v_gamma`` (eqs. 4 and 6): ``(runs, n)``."""
        x, y = self.split(z)
        theta = self.theta_star(z, gamma)
        envelope = self.join(self.split(self.grad_G(self.join(x, theta)))[0], (y - theta) / gamma)
        return np.asarray(self.grad_F(z) / c + self.grad_G(z) - envelope)

    def R(self, z: Array, gamma: float, c: float) -> Array:
        """Stationarity ``dist(0, grad U_c + N)^2`` with the normal cone of ``X x Y`` (eq. 13): ``(runs,)``."""
        (x, y), (gx, gy) = self.split(z), self.split(self.grad_U(z, gamma, c))
        return self.X.stationarity(x, gx) + self.Y.stationarity(y, gy)


def check_weights(weights: ArrayLike | None, m: int) -> Array:
    """Weights of ``m`` clients, ``(m,)``; equal ones for None.

    Raises:
        ValueError: they are not positive, or do not sum to one.
    """
    if m < 1:
        raise ValueError(f"there are {m} clients; there should be at least 1")
    if weights is None:
        return np.full(m, 1 / m)
    w = finite("weights", weights)
    if w.shape != (m,) or not (w > 0).all() or abs(w.sum() - 1) > 1e-12:
        raise ValueError(
            f"weights have shape {w.shape} and sum {w.sum():.15g}; they should be {m} positive numbers with sum 1"
        )
    return w
