"""Nonsmooth losses of all clients at once, with exact moduli and exact smoothing where there is one.

A loss is evaluated at the models of all clients, ``(..., m, n) -> (..., m)``; smoothings are asked for at points of the
server, ``(runs, n)``, for all clients, ``(runs, m)``. ``h_eta(x) = E h(x + eta u)``, ``u`` uniform in the unit ball.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rateproof.algos import sphere
from rateproof.algos.arguments import finite
from rateproof.algos.max_affine import essential, max_affine
from rateproof.algos.noise import Array
from rateproof.algos.sets import ClientSets


class Losses(ABC):
    """The losses ``f_i`` of ``m`` clients on ``R^n``.

    Attributes:
        m, n: number of clients and dimension.
    """

    m: int
    n: int

    @abstractmethod
    def __call__(self, x: Array) -> Array:
        """``f_i(x_i)``: ``(..., m, n) -> (..., m)``."""

    @abstractmethod
    def one(self, i: int, x: Array) -> Array:
        """``f_i(x)``: ``(runs, n) -> (runs,)``."""

    @property
    @abstractmethod
    def lipschitz(self) -> Array:
        """A Lipschitz constant of every loss, ``(m,)``; inf where there is none."""

    @property
    @abstractmethod
    def least(self) -> bool:
        """Whether these are the least possible."""

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether every loss is known to be convex."""

    @abstractmethod
    def smoothed(self, x: Array, eta: float) -> tuple[Array, Array]:
        """Smoothed losses and their gradients, exactly: ``(runs, n) -> (runs, m), (runs, m, n)``.

        Raises:
            ValueError: no closed form is known.
        """

    def growth(self) -> tuple[Array, Array]:
        """``kappa`` and ``beta``, each ``(m,)``, with ``f_i(x) >= kappa_i |x| - beta_i``."""
        return -self.lipschitz, -self(np.zeros((self.m, self.n)))

    def spread(self, batch: int) -> float:
        """Bound on the standard deviation of one of ``batch`` consecutive losses about their mean; inf: none known."""
        return 0.0 if batch == 1 else math.inf


@dataclass(frozen=True, eq=False)
class MaxAffine(Losses):
    """``f_i(x) = max_j (A_ij.x + b_ij)``: affine losses with one piece. ``A`` is ``(m, p, n)``, ``b`` ``(m, p)``."""

    A: Array
    b: Array

    def __post_init__(self) -> None:
        A, b = finite("A", self.A), finite("b", self.b)
        if A.ndim != 3 or b.shape != A.shape[:2] or not A.size:
            raise ValueError(f"A has shape {A.shape} and b {b.shape}; they should be (m, p, n) and (m, p)")
        freeze(self, m=A.shape[0], n=A.shape[2], A=A, b=b)

    def __call__(self, x: Array) -> Array:
        """``f_i(x_i)``: ``(..., m, n) -> (..., m)``."""
        return np.asarray(forms(self.A, self.b, x).max(axis=-1))

    def one(self, i: int, x: Array) -> Array:
        """``f_i(x)``: ``(runs, n) -> (runs,)``."""
        return np.asarray((x @ self.A[i].T + self.b[i]).max(axis=-1))

    @cached_property
    def pieces(self) -> tuple[tuple[Array, Array], ...]:
        """Per client the pieces that count."""
        return tuple(essential(A, b) for A, b in zip(self.A, self.b, strict=True))

    @cached_property
    def lipschitz(self) -> Array:
        """Longest slope of a piece that counts."""
        return np.array([np.linalg.norm(A, axis=1).max() for A, _ in self.pieces])

    @property
    def least(self) -> bool:
        """True."""
        return True

    @property
    def convex(self) -> bool:
        """True."""
        return True

    def smoothed(self, x: Array, eta: float) -> tuple[Array, Array]:
        """Smoothed losses and gradients: ``(runs, n) -> (runs, m), (runs, m, n)``."""
        found = [self._smoothed(A, b, x, eta) for A, b in self.pieces]
        return np.stack([value for value, _ in found], axis=-1), np.stack([slope for _, slope in found], axis=-2)

    def growth(self) -> tuple[Array, Array]:
        """By a cross-polytope of slopes around 0 where there is one, else by the Lipschitz constants."""
        known = [_rise(A) for A in self.A]
        kappa, beta = super().growth()
        some = np.array([rise is not None for rise in known])
        return (
            np.where(some, [rise or 0.0 for rise in known], kappa),
            np.where(some, -self.b.min(axis=1), beta),
        )

    def _smoothed(self, A: Array, b: Array, x: Array, eta: float) -> tuple[Array, Array]:
        """One client: affine, the ramp of the difference of two pieces, or in dimension one or two."""
        if len(b) <= 2:
            apart = A[-1] - A[0]
            z, r = x @ apart + (b[-1] - b[0]), eta * float(np.linalg.norm(apart))
            value = x @ A[0] + b[0] + sphere.smooth_ramp(z, radius=r, n=self.n)
            return value, A[0] + sphere.smooth_step(z, radius=r, n=self.n)[..., None] * apart
        return max_affine(x, A, b, eta=eta)

    def spread(self, batch: int) -> float:
        """Losses of one batch with the same slopes differ by at most the largest difference of their ``b``."""
        A, b = (a.reshape(-1, batch, *a.shape[1:]) for a in (self.A, self.b))
        if not (A[:, :1] == A).all():
            return math.inf
        return _deviation(np.abs(b[:, :, None] - b[:, None, :]).max(axis=-1))


@dataclass(frozen=True, eq=False)
class Norms(Losses):
    """``f_i(x) = weights_i ||x - centres_i||``: concave for a negative weight. ``(m,)`` and ``(m, n)``."""

    weights: Array
    centres: Array

    def __post_init__(self) -> None:
        w, c = np.asarray(self.weights, dtype=np.float64), np.asarray(self.centres, dtype=np.float64)
        if c.ndim != 2 or w.shape != c.shape[:1] or not c.size:
            raise ValueError(f"weights have shape {w.shape} and centres {c.shape}; they should be (m,) and (m, n)")
        freeze(self, m=c.shape[0], n=c.shape[1], weights=w, centres=c)

    def __call__(self, x: Array) -> Array:
        """``f_i(x_i)``: ``(..., m, n) -> (..., m)``."""
        away = x - self.centres
        return np.asarray(self.weights * np.sqrt(np.einsum("...j,...j->...", away, away)))

    def one(self, i: int, x: Array) -> Array:
        """``f_i(x)``: ``(runs, n) -> (runs,)``."""
        return np.asarray(self.weights[i] * np.linalg.norm(x - self.centres[i], axis=-1))

    @property
    def lipschitz(self) -> Array:
        """``|weights|``."""
        return np.abs(self.weights)

    @property
    def least(self) -> bool:
        """True."""
        return True

    @property
    def convex(self) -> bool:
        """Whether no weight is negative."""
        return bool((self.weights >= 0).all())

    def smoothed(self, x: Array, eta: float) -> tuple[Array, Array]:
        """Smoothed losses and gradients: ``(runs, n) -> (runs, m), (runs, m, n)``."""
        away = x[:, None, :] - self.centres
        slope = self.weights[:, None] * sphere.norm_gradient(away, eta=eta)
        return self.weights * sphere.norm(away, eta=eta), slope

    def growth(self) -> tuple[Array, Array]:
        """``f_i(x) >= weights_i |x| - |weights_i centres_i|``."""
        return self.weights, np.abs(self.weights) * np.linalg.norm(self.centres, axis=1)

    def spread(self, batch: int) -> float:
        """Losses of one batch with the same weight differ by at most it times the distance of their centres."""
        w, c = self.weights.reshape(-1, batch), self.centres.reshape(-1, batch, self.n)
        if not (w == w[:, :1]).all():
            return math.inf
        apart = np.linalg.norm(c[:, :, None] - c[:, None, :], axis=-1)
        return _deviation(np.abs(w[:, 0])[:, None, None] * apart)


@dataclass(frozen=True, eq=False)
class SetDistances(Losses):
    """``f_i(x) = weights_i dist(x, S_i)``; no closed form of the smoothing is known in general."""

    weights: Array
    targets: ClientSets

    def __post_init__(self) -> None:
        w = np.asarray(self.weights, dtype=np.float64)
        if w.shape != (self.targets.m,):
            raise ValueError(f"weights have shape {w.shape}; they should be one for each of {self.targets.m} sets")
        freeze(self, m=self.targets.m, n=self.targets.n, weights=w)

    def __call__(self, x: Array) -> Array:
        """``f_i(x_i)``: ``(..., m, n) -> (..., m)``."""
        stacked = x.reshape(-1, self.m, self.n)
        away = stacked - self.targets.project(stacked)
        return np.asarray(self.weights * np.sqrt(np.einsum("rij,rij->ri", away, away)).reshape(x.shape[:-1]))

    def one(self, i: int, x: Array) -> Array:
        """``f_i(x)``: ``(runs, n) -> (runs,)``."""
        return np.asarray(self.weights[i] * np.sqrt(self.targets.sets[i].dist2(x)))

    @property
    def lipschitz(self) -> Array:
        """``|weights|``; 0 for the whole space."""
        return np.where([one.whole for one in self.targets.sets], 0.0, np.abs(self.weights))

    @property
    def least(self) -> bool:
        """True."""
        return True

    @property
    def convex(self) -> bool:
        """Whether no weight is negative."""
        return bool((self.weights >= 0).all())

    def smoothed(self, x: Array, eta: float) -> tuple[Array, Array]:
        """Smoothed losses and gradients: ``(runs, n) -> (runs, m), (runs, m, n)``."""
        raise ValueError("no closed form is known for the smoothed distance to these sets; half-spaces have one")


def forms(A: Array, b: Array, x: Array) -> Array:
    """``A_i x_i + b_i``: ``(..., m, n) -> (..., m, k)``, one product a client."""
    flat = x.reshape(-1, *x.shape[-2:]).transpose(1, 0, 2)
    z = np.matmul(flat, A.transpose(0, 2, 1)).transpose(1, 0, 2)
    return np.asarray(z.reshape(*x.shape[:-1], A.shape[1]) + b)


def _rise(A: Array) -> float | None:
    """Some ``kappa > 0`` with ``max_j A_j.x >= kappa |x|``; None when 0 is not inside the hull of the rows.

    A hull that holds ``+-t_k e_k`` for every ``k`` holds the ball of radius ``(sum_k 1/t_k^2)^(-1/2)``.
    """
    from scipy.optimize import linprog  # here, because it takes long to load

    p, n = A.shape
    if p <= n:
        return None
    total = 0.0
    for axis in np.concatenate([np.eye(n), -np.eye(n)]):
        # the largest t with t axis = sum_j w_j A_j for weights w
        rows = np.vstack([np.column_stack([A.T, -axis]), np.append(np.ones(p), 0.0)])
        best = linprog(np.append(np.zeros(p), -1.0), A_eq=rows, b_eq=np.append(np.zeros(n), 1.0))
        if best.x is None or not -best.fun > 0:
            return None
        total += 1 / best.fun**2  # of both ends of an axis: at least that of the shorter one
    return float(1 / np.sqrt(total))


def _deviation(apart: Array) -> float:
    """Largest root of ``(1/(2 q^2)) sum_{l,k} apart_lk^2``: the variance when every pair differs at most so."""
    return math.sqrt(float((apart**2).mean(axis=(1, 2)).max()) / 2)


def freeze(one: object, **values: object) -> None:
    """Set attributes of a frozen object while it is made."""
    for name, value in values.items():
        object.__setattr__(one, name, value)
