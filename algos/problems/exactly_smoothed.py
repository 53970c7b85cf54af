"""The smoothed problem of nonsmooth losses whose smoothings have a closed form (fedrzo, eq. 3)."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from rateproof.algos.losses import Losses, MaxAffine
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Smoothed
from rateproof.algos.sets import ClientSets
from rateproof.algos.sphere import check_radius

#: Largest gap of a computed infimum, relative to 1 plus its size.
GAP = 1e-9


class ExactlySmoothed(Smoothed):
    """The smoothed problem of one radius, in closed form up to the infimum.

    Args:
        eta: radius.
        losses: of the clients, ``batch`` a client.
        sets: of the clients.
        batch: see :class:`rateproof.algos.problems.nonsmooth.Nonsmooth`.
        name: of the problem, for messages.

    Raises:
        ValueError: ``eta`` is not positive, or no closed form is known.
    """

    def __init__(self, eta: float, losses: Losses, sets: ClientSets, *, batch: int, name: str) -> None:
        self.eta, self._losses, self._sets, self._batch, self._name = check_radius(eta), losses, sets, batch, name
        losses.smoothed(np.zeros((1, losses.n)), eta)  # refuses losses without a closed form

    def f(self, x: Array) -> Array:
        """``f_eta``: ``(runs, n) -> (runs,)``."""
        return np.asarray(self._losses.smoothed(x, self.eta)[0].mean(axis=1))

    def grad_f(self, x: Array) -> Array:
        """``grad f_eta``: ``(runs, n)``."""
        return np.asarray(self._losses.smoothed(x, self.eta)[1].mean(axis=1))

    def grad_f_i(self, i: int, x: Array) -> Array:
        """``grad f_{i,eta}``: ``(runs, n)``."""
        q = self._batch
        return np.asarray(self._losses.smoothed(x, self.eta)[1][:, i * q : (i + 1) * q].mean(axis=1))

    def F(self, x: Array) -> Array:
        """``F_eta``: ``(runs,)``."""
        return np.asarray(self.f(x) + self._sets.dist2(x).mean(axis=1) / (2 * self.eta))

    def grad_F(self, x: Array) -> Array:
        """``grad F_eta``: ``(runs, n)``."""
        at = np.repeat(x[:, None, :], self._sets.m, axis=1)
        return np.asarray(self.grad_f(x) + (at - self._sets.project(at)).mean(axis=1) / self.eta)

    @property
    def F_star(self) -> float:
        """``inf F_eta`` of convex losses, at most :attr:`F_star_gap` below; ``-inf`` for affine losses without sets.

        Raises:
            ValueError: losses are not convex, no ball is known that holds a minimiser, or the gap is too large.
        """
        return self._least[0]

    @property
    def F_star_gap(self) -> float:
        """Bound on ``F_star - inf F_eta``: the norm of the gradient at a point times the distance to a minimiser."""
        return self._least[1]

    @property
    def minimiser(self) -> Array:
        """A point with ``F_eta = F_star``: ``(n,)``."""
        return self._least[2]

    @cached_property
    def _least(self) -> tuple[float, float, Array]:
        start = np.zeros(self._losses.n)
        if self._sets.free and isinstance(self._losses, MaxAffine) and self._losses.b.shape[1] == 1:
            flat = not self._losses.A.mean(axis=0).any()
            return (float(self.f(start[None])[0]) if flat else -math.inf), 0.0, start
        if not self._losses.convex:
            raise ValueError(f"the losses of '{self._name}' are not known to be convex; no exact infimum is known")
        from scipy.optimize import minimize, root  # here, because it takes long to load

        def both(x: Array) -> tuple[float, Array]:
            return float(self.F(x[None])[0]), self.grad_F(x[None])[0]

        reach = self._reach(both(start)[0])
        best = (math.inf, math.inf, start)
        for _ in range(3):
            # A line search stalls where values agree to rounding; from there the gradient alone leads on.
            low = minimize(both, best[2], jac=True, method="BFGS", options={"gtol": 1e-13, "maxiter": 2000}).x
            for x in (low, root(lambda y: both(y)[1], low, tol=1e-15).x):
                value, slope = both(x)
                gap = float(np.linalg.norm(slope)) * (reach + float(np.linalg.norm(x)))
                best = min(best, (value, gap, x), key=lambda found: found[1])
        if not best[1] <= GAP * (1 + abs(best[0])):
            raise ValueError(f"the infimum of '{self._name}' is known up to {best[1]:.3g} only, near {best[0]:.6g}")
        return best

    def _reach(self, level: float) -> float:
        """Radius of a ball around 0 that holds all ``x`` with ``F_eta(x) <= level``, by growth of losses, penalty."""
        kappa, beta = (float(part.mean()) for part in self._losses.growth())
        balls = [e for e in (one.enclosing for one in self._sets.sets) if e is not None]
        far = np.array([float(np.linalg.norm(centre)) + radius for centre, radius in balls])

        def floor(r: float) -> float:
            penalty = (np.maximum(r - far, 0.0) ** 2).sum() / (2 * self.eta * self._sets.m)
            return float(kappa * r - beta + penalty)

        r = 1.0
        # The floor is convex in r: once it is above the level and rising, it stays there.
        while not (floor(r) > level and floor(r) > floor(r / 2)):
            r *= 2
            if r > 2.0**60:
                raise ValueError(f"no ball is known that holds a minimiser of '{self._name}' smoothed")
        return r
