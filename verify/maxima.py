"""Piecewise-linear functions and polyhedra as data, in any dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from rateproof.algos.arguments import finite
from rateproof.algos.convex_sets import Box, ConvexSet, HalfSpace
from rateproof.algos.losses import Losses, MaxAffine
from rateproof.algos.noise import Array
from rateproof.algos.ridges import Ridges


@dataclass(frozen=True, eq=False)
class Maximum:
    """``weight max_j (A_j.y + b_j)``: ``A`` is ``(p, n)``, ``b`` ``(p,)``; a negative weight makes it concave."""

    weight: float
    A: Array
    b: Array


@dataclass(frozen=True, eq=False)
class SumOfMaxima:
    """``f = sum_t weight_t max_j (A_tj.y + b_tj)``; with weights of any sign, every piecewise-linear function is one.

    Raises:
        ValueError: there is no term, shapes disagree, or a number is not finite.
    """

    terms: tuple[Maximum, ...]

    def __post_init__(self) -> None:
        if not self.terms:
            raise ValueError("terms is empty; it should hold at least one maximum")
        for t, term in enumerate(self.terms):
            if term.A.ndim != 2 or term.b.shape != term.A.shape[:1] or term.A.shape[1] != self.n or not term.A.size:
                raise ValueError(
                    f"term {t} has A of shape {term.A.shape} and b of shape {term.b.shape}; they should be "
                    f"(p, {self.n}) and (p,)"
                )
            for name, values in (("weight", term.weight), ("A", term.A), ("b", term.b)):
                finite(f"{name} of term {t}", values)

    @property
    def n(self) -> int:
        """Dimension."""
        return self.terms[0].A.shape[-1]

    def value(self, y: Array) -> float:
        """``f(y)`` for ``y`` of shape ``(n,)``."""
        return float(sum(term.weight * (term.A @ y + term.b).max() for term in self.terms))


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """``{y: C y <= d}``: ``(k, n)`` and ``(k,)``; no rows: the whole space.

    Raises:
        ValueError: a number is not finite.
    """

    C: Array
    d: Array

    def __post_init__(self) -> None:
        finite("C", self.C)
        finite("d", self.d)


def max_affine(A: Array, b: Array) -> SumOfMaxima:
    """``max_j (A_j.y + b_j)``: ``(p, n)`` and ``(p,)``."""
    return SumOfMaxima((Maximum(1.0, np.asarray(A, dtype=np.float64), np.asarray(b, dtype=np.float64)),))


def min_max(groups: Sequence[tuple[Array, Array]]) -> SumOfMaxima:
    """``min_g max_j (A_gj.y + b_gj)``: the sum of all maxima less the largest sum of all but one."""
    parts = [max_affine(A, b).terms[0] for A, b in groups]
    if len(parts) == 1:
        return SumOfMaxima(tuple(parts))
    slopes, offsets = [], []
    for left in range(len(parts)):
        others = [part for g, part in enumerate(parts) if g != left]
        for chosen in product(*(range(len(part.b)) for part in others)):
            slopes.append(sum(part.A[j] for part, j in zip(others, chosen, strict=True)))
            offsets.append(sum(part.b[j] for part, j in zip(others, chosen, strict=True)))
    return SumOfMaxima((*parts, Maximum(-1.0, np.array(slopes), np.array(offsets, dtype=np.float64))))


def of_losses(losses: Losses) -> SumOfMaxima:
    """The mean of piecewise-linear losses.

    Raises:
        ValueError: losses of another kind.
    """
    m = losses.m
    if isinstance(losses, MaxAffine):
        return SumOfMaxima(tuple(Maximum(1 / m, A, b) for A, b in zip(losses.A, losses.b, strict=True)))
    if isinstance(losses, Ridges) and not losses.q.any():
        terms = [Maximum(1.0, losses.s.mean(axis=0)[None], losses.c.mean()[None])]
        for i in range(m):
            for a, b, w in zip(losses.A[i], losses.b[i], losses.w[i], strict=True):
                terms.append(Maximum(float(w) / m, np.stack([a, 0 * a]), np.array([b, 0.0])))
        return SumOfMaxima(tuple(term for term in terms if term.weight))
    raise ValueError(f"losses are of kind {type(losses).__name__}; they should be piecewise linear")


def polyhedron(X: ConvexSet) -> Polyhedron:
    """A box, a half-space or the whole space by its inequalities.

    Raises:
        ValueError: another set.
    """
    if X.whole:
        return Polyhedron(np.zeros((0, X.n)), np.zeros(0))
    if isinstance(X, HalfSpace):
        return Polyhedron(X.normal[None], np.array([X.offset]))
    if isinstance(X, Box):
        C, d = np.concatenate([np.eye(X.n), -np.eye(X.n)]), np.concatenate([X.high, -X.low])
        return Polyhedron(C[np.isfinite(d)], d[np.isfinite(d)])
    raise ValueError(f"the set is of kind {type(X).__name__}; it should be a box, a half-space or the whole space")
