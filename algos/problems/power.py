"""Power growth: ``h(x) = alpha |x_1|^kappa`` with a quadratic outer level (family I4 for strfedavg)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rateproof.algos.noise import Noise, NoNoise
from rateproof.algos.problems.base import Array, Constants, Fact, Problem, noise_facts
from rateproof.algos.problems.quadratic import mean_of


class PowerGrowth(Problem):
    """``n = 2``, ``h_i(x) = alpha |x_1|^kappa`` for every client and ``f_i(x) = (mu/2)||x - d_i||^2``.

    ``X_h* = {x_1 = 0}`` is ``alpha``-weak sharp of order ``kappa`` with equality. The inner level is smooth on the
    whole space for ``kappa = 2`` only; ``grad_h`` takes the subgradient 0 at ``x_1 = 0`` when ``kappa = 1``.

    Args:
        alpha: positive.
        kappa: at least 1.
        d: ``(N, 2)``.
        mu: curvature of every ``f_i``, positive.
        noise: an additive law.

    Raises:
        ValueError: an argument is out of range or has the wrong shape.
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        kappa: float = 1.0,
        d: Sequence[Sequence[float]] = ((1.0, 1.0),),
        mu: float = 1.0,
        noise: Noise | None = None,
    ) -> None:
        for key, value in (("alpha", alpha), ("mu", mu)):
            if not 0 < value < math.inf:
                raise ValueError(f"{key} is {value}; it should be positive and finite")
        if not 1 <= kappa < math.inf:
            raise ValueError(f"kappa is {kappa}; it should be finite and at least 1")
        self.d = np.array(d, dtype=np.float64)
        if self.d.ndim != 2 or self.d.shape[1] != 2 or len(self.d) == 0 or not np.isfinite(self.d).all():
            raise ValueError(f"d has shape {self.d.shape}; it should be finite numbers of shape (N, 2)")
        self.noise = NoNoise() if noise is None else noise
        if not self.noise.additive:
            raise ValueError("noise samples data rows; it should be an additive law, such as AdditiveGaussian")
        self.noise.covariances(2)
        self.name, self.n, self.N = "power", 2, len(self.d)
        self.alpha, self.kappa, self.mu = float(alpha), float(kappa), float(mu)
        self.params = {"alpha": alpha, "kappa": kappa, "d": self.d.tolist(), "mu": mu}
        if noise is not None:
            self.params["noise"] = noise.to_params()
        self._target = mean_of(self.d)

    def f_i(self, i: int, x: Array) -> Array:
        """``(mu/2)||x - d_i||^2``: ``(runs,)``."""
        return np.asarray(0.5 * self.mu * np.sum((x - self.d[i]) ** 2, axis=-1))

    def h_i(self, i: int, x: Array) -> Array:
        """``alpha |x_1|^kappa``: ``(runs,)``."""
        return np.asarray(self.alpha * np.abs(x[..., 0]) ** self.kappa)

    def h(self, x: Array) -> Array:
        """The same for all clients: ``(runs,)``."""
        return self.h_i(0, x)

    def grad_f(self, i: int, y: Array, out: Array | None = None) -> Array:
        """``mu (y - d_i)``: ``(runs, n)``."""
        out = np.subtract(y, self.d[i], out=out)
        out *= self.mu
        return out

    def grad_h(self, i: int, y: Array, out: Array | None = None) -> Array:
        """``alpha kappa |y_1|^(kappa - 1) sign(y_1)`` in the first coordinate: ``(runs, n)``."""
        first = self.alpha * self.kappa * np.abs(y[..., 0]) ** (self.kappa - 1) * np.sign(y[..., 0])
        out = np.empty_like(y) if out is None else out
        out[..., 0], out[..., 1] = first, 0
        return out

    def local_L_h(self, rho: float) -> float:
        """Smoothness constant of ``h`` on ``|x_1| <= rho``: ``alpha kappa (kappa - 1) rho^(kappa - 2)``.

        It is inf for ``kappa < 2``, where the gradient is not Lipschitz at ``x_1 = 0``.
        """
        if not rho > 0:
            raise ValueError(f"rho is {rho}; it should be positive")
        return self.alpha * self.kappa * (self.kappa - 1) * rho ** (self.kappa - 2) if self.kappa >= 2 else math.inf

    @cached_property
    def constants(self) -> Constants:
        """Exact constants; ``L_h`` is inf unless ``kappa = 2``."""
        solution = self.bilevel_solution()
        return Constants(
            L_f=self.mu,
            L_h=2 * self.alpha if self.kappa == 2 else math.inf,
            mu_f=self.mu,
            sigma_f=math.sqrt(self.noise.sigma_f2),
            sigma_h=math.sqrt(self.noise.sigma_h2),
            f_star=float(self.f(solution[None])[0]),
            h_star=0.0,
            inf_f=float(self.f(self._target[None])[0]),
            mean_inf_f=0.0,
            mean_inf_h=0.0,
            alpha=self.alpha,
            kappa=self.kappa,
            grad_f_star=self.mu * abs(float(self._target[0])),
        )

    def facts(self) -> dict[str, Fact]:
        """Structural hypotheses."""
        smooth = self.kappa == 2
        if smooth:
            why = f"h is quadratic with L_h = {2 * self.alpha:g}"
        elif self.kappa < 2:
            why = f"kappa = {self.kappa:g} < 2: the gradient of h is not Lipschitz at x_1 = 0"
        else:
            why = f"kappa = {self.kappa:g} > 2: the curvature of h grows without limit; it is smooth on bounded sets"
        return {
            "f_convex": Fact(True, f"every f_i has curvature {self.mu:g}"),
            "f_strongly_convex": Fact(True, f"mu_f = {self.mu:g}"),
            "f_smooth": Fact(True, f"L_f = {self.mu:g}"),
            "h_convex": Fact(True, f"alpha |x_1|^kappa with kappa = {self.kappa:g} >= 1"),
            "h_smooth": Fact(smooth, why),
            "X_h_nonempty": Fact(True, "X_h* = {x_1 = 0}"),
            "f_bounded_below": Fact(True, f"inf f = {self.constants.inf_f:g}, attained"),
            "clients_attain_minimum": Fact(True, "f_i at d_i, h_i on x_1 = 0"),
            **noise_facts(self.noise),
            "weak_sharp": Fact(True, f"h - h* = alpha dist^kappa, alpha = {self.alpha:g}, kappa = {self.kappa:g}"),
        }

    def project(self, x: Array) -> Array:
        """``(0, x_2)``: ``(runs, n)``."""
        return np.asarray(x * np.array([0.0, 1.0]))

    def bilevel_solution(self) -> Array:
        """``(0, mean of d_2)``."""
        return np.array([0.0, self._target[1]])

    def regularised_solution(self, eta: float) -> Array:
        """Minimiser of ``h + eta f``: soft threshold for ``kappa = 1``, a scalar root otherwise.

        Raises:
            ValueError: ``eta`` is not positive and finite.
        """
        if not 0 < eta < math.inf:
            raise ValueError(f"eta is {eta}; it should be positive and finite")
        goal, weight = float(self._target[0]), eta * self.mu
        size = abs(goal)
        if self.kappa == 1:
            size = max(size - self.alpha / weight, 0.0)
        elif self.kappa == 2:
            size = size * weight / (2 * self.alpha + weight)
        elif size > 0:
            size = _balance(math.log(self.alpha * self.kappa), self.kappa - 1, math.log(weight), size)
        return np.array([math.copysign(size, goal), self._target[1]])


def _balance(log_slope: float, power: float, log_weight: float, goal: float) -> float:
    """The root ``t`` in ``(0, goal)`` of ``slope t^power = weight (goal - t)``, by bisection on ``log t``."""
    top = (log_weight + math.log(goal) - log_slope) / power
    high = min(math.log(goal), top)
    low = min(math.log(goal / 2), top - math.log(2) / power)
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        left = goal - math.exp(middle)
        if left <= 0 or log_slope + power * middle > log_weight + math.log(left):
            high = middle
        else:
            low = middle
    return math.exp(high)
