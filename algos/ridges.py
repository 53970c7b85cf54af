"""Losses that are sums of functions of linear forms, exactly smoothed in any dimension.

Shapes are those of :mod:`rateproof.algos.losses`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from rateproof.algos import sphere
from rateproof.algos.convex_sets import HalfSpace
from rateproof.algos.losses import Losses, forms, freeze
from rateproof.algos.noise import Array

#: Linear forms of one client whose sign patterns are listed.
LISTED = 12


@dataclass(frozen=True, eq=False)
class Ridges(Losses):
    """Sums of functions of linear forms: ``f_i(x) = c_i + s_i.x + sum_k w_ik max(z_ik, 0) + (q_ik/2) max(z_ik, 0)^2``.

    ``z_ik = A_ik.x + b_ik``. Holds l1 norms, Huber functions, distances to half-spaces and losses of ReLU units.

    Args:
        A, b: ``(m, k, n)`` and ``(m, k)``.
        w, q: ``(m, k)``.
        s, c: ``(m, n)`` and ``(m,)``.
        modulus: least Lipschitz constants ``(m,)`` when they are known otherwise; needed where ``q`` is not 0.
        rises: what :meth:`growth` should say, when it is known.
    """

    A: Array
    b: Array
    w: Array
    q: Array
    s: Array
    c: Array
    modulus: Array | None = None
    rises: tuple[Array, Array] | None = None

    def __post_init__(self) -> None:
        parts = {name: np.asarray(getattr(self, name), dtype=np.float64) for name in ("A", "b", "w", "q", "s", "c")}
        shape = parts["A"].shape
        want = {"b": shape[:2], "w": shape[:2], "q": shape[:2], "s": (shape[0], shape[-1]), "c": shape[:1]}
        if len(shape) != 3 or any(parts[name].shape != size for name, size in want.items()):
            shapes = ", ".join(f"{name} {part.shape}" for name, part in parts.items())
            raise ValueError(f"shapes are {shapes}; they should fit A of shape (m, k, n)")
        if self.modulus is None and parts["q"].any():
            raise ValueError("q is not 0; the Lipschitz constants of quadratic parts should be given as modulus")
        freeze(self, m=shape[0], n=shape[2], **parts)

    def __call__(self, x: Array) -> Array:
        """``f_i(x_i)``: ``(..., m, n) -> (..., m)``."""
        z = np.maximum(forms(self.A, self.b, x), 0.0)
        return np.asarray(
            self.c + np.einsum("...mn,mn->...m", x, self.s) + (z * (self.w + self.q / 2 * z)).sum(axis=-1)
        )

    def one(self, i: int, x: Array) -> Array:
        """``f_i(x)``: ``(runs, n) -> (runs,)``."""
        z = np.maximum(x @ self.A[i].T + self.b[i], 0.0)
        return np.asarray(self.c[i] + x @ self.s[i] + (z * (self.w[i] + self.q[i] / 2 * z)).sum(axis=-1))

    @cached_property
    def lipschitz(self) -> Array:
        """Least for orthogonal forms, and for few independent ones; else every form is taken at its worst."""
        if self.modulus is not None:
            return np.asarray(self.modulus, dtype=np.float64)
        return np.array([_steepest(A, w, s) for A, w, s in zip(self.A, self.w, self.s, strict=True)])

    @cached_property
    def least(self) -> bool:
        """Whether forms are orthogonal, or few and independent, or the constants were given."""
        return self.modulus is not None or all(
            _apart(A[(w != 0) & A.any(axis=1)]) for A, w in zip(self.A, self.w, strict=True)
        )

    @property
    def convex(self) -> bool:
        """Known when no weight is negative, or by pairs of equal size for Huber functions."""
        return bool((self.w >= 0).all() and (self.q >= 0).all()) or self._huber

    @property
    def _huber(self) -> bool:
        """Pairs ``(q/2) max(z, 0)^2 - (q/2) max(z - d, 0)^2`` with ``d > 0``: slopes rise from 0 to ``q d``."""
        half = self.A.shape[1] // 2
        low, high = self.q[:, :half], self.q[:, half:]
        paired = self.A.shape[1] == 2 * half and (self.A[:, :half] == self.A[:, half:]).all() and (low == -high).all()
        return bool(paired and (low >= 0).all() and (self.b[:, :half] > self.b[:, half:]).all() and not self.w.any())

    def growth(self) -> tuple[Array, Array]:
        """What was given, else by the Lipschitz constants."""
        return super().growth() if self.rises is None else self.rises

    def smoothed(self, x: Array, eta: float) -> tuple[Array, Array]:
        """Smoothed losses and gradients: ``(runs, n) -> (runs, m), (runs, m, n)``."""
        sphere.check_radius(eta)
        z = np.einsum("rn,mkn->rmk", x, self.A) + self.b
        r = eta * np.linalg.norm(self.A, axis=-1)
        rise = sphere.smooth_ramp(z, radius=r, n=self.n)
        value = self.c + x @ self.s.T + (self.w * rise).sum(axis=-1)
        slope = self.w * sphere.smooth_step(z, radius=r, n=self.n)
        if self.q.any():
            value = value + (self.q * sphere.smooth_square_ramp(z, radius=r, n=self.n)).sum(axis=-1)
            slope = slope + self.q * rise
        return value, self.s + np.einsum("rmk,mkn->rmn", slope, self.A)


def half_space_distances(weights: Array, halves: Sequence[HalfSpace]) -> Ridges:
    """``weights_i dist(x, S_i)`` for half-spaces ``S_i``, whose smoothing is known."""
    size = np.array([np.linalg.norm(half.normal) for half in halves])
    A = np.stack([half.normal for half in halves])[:, None, :] / size[:, None, None]
    b = -(np.array([half.offset for half in halves]) / size)[:, None]
    zero = np.zeros((len(halves), A.shape[2]))
    return Ridges(A, b, np.asarray(weights)[:, None], np.zeros_like(b), zero, zero[:, 0])


def l1_distances(weights: Array, centres: Array) -> Ridges:
    """``weights_i ||x - centres_i||_1``: ``(m,)`` and ``(m, n)``."""
    m, n = centres.shape
    A = np.broadcast_to(np.eye(n), (m, n, n))
    twice = np.repeat(2 * weights[:, None], n, axis=1)
    slope = np.repeat(-weights[:, None], n, axis=1)
    rises = None if (weights < 0).any() else (weights, weights * np.abs(centres).sum(axis=1))
    return Ridges(A, -centres, twice, np.zeros((m, n)), slope, weights * centres.sum(axis=1), rises=rises)


def huber_sums(weights: Array, centres: Array, mu: float) -> Ridges:
    """``weights_i sum_j H_mu(x_j - centres_ij)`` with ``H_mu`` of :func:`algos.smoothing.huber`: ``(m,)``, ``(m, n)``.

    ``H_mu(u) = max(u + mu, 0)^2/(2 mu) - max(u - mu, 0)^2/(2 mu) - u - mu/2``.
    """
    m, n = centres.shape
    A = np.broadcast_to(np.concatenate([np.eye(n), np.eye(n)]), (m, 2 * n, n))
    b = np.concatenate([mu - centres, -mu - centres], axis=1)
    q = np.repeat(weights[:, None] / mu, n, axis=1)
    slope = np.repeat(-weights[:, None], n, axis=1)
    offset = weights * (centres.sum(axis=1) - n * mu / 2)
    modulus = np.abs(weights) * math.sqrt(n)
    rises = None if (weights < 0).any() else (weights, weights * (np.abs(centres).sum(axis=1) + n * mu / 2))
    q = np.concatenate([q, -q], axis=1)
    return Ridges(A, b, np.zeros((m, 2 * n)), q, slope, offset, modulus, rises)


def _apart(A: Array) -> bool:
    """Whether forms are orthogonal, or few and independent: then every pattern of signs occurs."""
    gram = A @ A.T
    if not (gram - np.diag(np.diag(gram))).any():
        return True
    return len(A) <= LISTED and int(np.linalg.matrix_rank(A)) == len(A)


def _steepest(A: Array, w: Array, s: Array) -> float:
    """Longest ``s + sum_k t_k w_k A_k`` with ``t`` in ``{0, 1}``: exact for orthogonal or few forms, else a bound."""
    counts = (w != 0) & A.any(axis=1)
    A, w = A[counts], w[counts]
    gram = A @ A.T
    if not (gram - np.diag(np.diag(gram))).any():
        size2 = np.diag(gram)
        along = A @ s / size2
        rest = s - along @ A
        return math.sqrt(float(rest @ rest + (np.maximum(along**2, (along + w) ** 2) * size2).sum()))
    if len(A) <= LISTED:
        patterns = np.array(list(product((0.0, 1.0), repeat=len(A))))
        return float(np.linalg.norm(s + patterns @ (w[:, None] * A), axis=1).max())
    middle = s + w @ A / 2
    return float(np.linalg.norm(middle) + (np.abs(w) * np.sqrt(np.diag(gram))).sum() / 2)
