"""The sets of all clients of a problem, projected on together, and every kind of set by one name.

The constants ``B1`` and ``B2`` of the bounded set-dissimilarity (fedrzo, Assumption 1.iii, eq. 2),
``(1/m) sum_i dist^2(x, X_i) <= B1^2 + B2^2 ||x - (1/m) sum_i P_{X_i}(x)||^2`` for all ``x``, come from
:mod:`rateproof.algos.dissimilarity`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np

from rateproof.algos.common_point import CommonPoint, common_point
from rateproof.algos.convex_sets import Ball, Box, CappedSimplex, ConvexSet, HalfSpace, Simplex, WholeSpace, interval
from rateproof.algos.dissimilarity import Dissimilarity, constants
from rateproof.algos.given_projection import Projection
from rateproof.algos.noise import Array

__all__ = [
    "Ball",
    "Box",
    "CappedSimplex",
    "ClientSets",
    "ConvexSet",
    "HalfSpace",
    "Projection",
    "Simplex",
    "WholeSpace",
    "intersection",
    "interval",
]


def intersection(sets: Sequence[ConvexSet]) -> ConvexSet:
    """The intersection, where it can be projected on exactly: equal sets, boxes, and the whole space with any.

    Raises:
        ValueError: no exact projection on the intersection is known, or it is empty.
    """
    distinct = list({s.key(): s for s in sets if not s.whole}.values())
    if not distinct:
        return sets[0]
    if len(distinct) == 1:
        return distinct[0]
    boxes = [s for s in distinct if isinstance(s, Box)]
    if len(boxes) < len(distinct):
        kinds = ", ".join(sorted({type(s).__name__ for s in distinct}))
        raise ValueError(f"no exact projection is known on the intersection of sets of kind {kinds}; boxes have one")
    found = common_point(sets)
    if not found.known:
        raise ValueError(f"the intersection is empty: {found.why}")
    return Box(np.max([b.low for b in boxes], axis=0), np.min([b.high for b in boxes], axis=0))


class ClientSets:
    """The sets ``X_1 .. X_m`` of the clients, projected on together.

    Args:
        sets: of the clients.

    Raises:
        ValueError: there is none, or dimensions disagree.
    """

    def __init__(self, sets: Sequence[ConvexSet]) -> None:
        self.sets = tuple(sets)
        if not self.sets:
            raise ValueError("sets is empty; it should hold the set of every client")
        self.m, self.n = len(self.sets), self.sets[0].n
        if other := [i for i, s in enumerate(self.sets) if s.n != self.n]:
            raise ValueError(
                f"the set of client {other[0]} has dimension {self.sets[other[0]].n} and that of client 0 {self.n}; "
                "they should agree"
            )
        self.free = all(s.whole for s in self.sets)
        self.identical = self.free or len({s.key() for s in self.sets}) == 1

    @classmethod
    def same(cls, one: ConvexSet, m: int) -> ClientSets:
        """``m`` clients with one set."""
        return cls([one] * m)

    def project(self, x: Array) -> Array:
        """``P_{X_i}(x_i)`` for the models of all clients: ``(runs, m, n) -> (runs, m, n)``; ``x`` itself when free."""
        if self.free:
            return x
        if self.identical:
            return self.sets[0].project(x)
        kind, members, arrays = self._groups[0]
        if len(members) == self.m and arrays:
            return kind.onto(x, *arrays)
        out = x.copy()
        for kind, members, arrays in self._groups:
            out[:, members] = kind.onto(x[:, members], *arrays) if arrays else kind.project(x[:, members])
        return out

    def dist2(self, x: Array) -> Array:
        """``dist^2(x, X_i)`` of one point a run to every set: ``(runs, n) -> (runs, m)``."""
        points = np.repeat(np.asarray(x, dtype=np.float64)[:, None, :], self.m, axis=1)
        away = points - self.project(points)
        return np.asarray((away * away).sum(axis=-1))

    def contains(self, x: Array) -> Array:
        """Whether points lie in every set: ``(runs, n) -> (runs,)``."""
        return np.asarray(self.dist2(x).max(axis=1) == 0)

    def common(self) -> ConvexSet:
        """The feasible set ``X``, the intersection of all; see :func:`intersection`."""
        return intersection(self.sets)

    @cached_property
    def common_point(self) -> CommonPoint:
        """Whether ``X`` has a point."""
        return common_point(self.sets)

    @property
    def B1(self) -> float:
        """``B1`` of eq. (2): see :class:`rateproof.algos.dissimilarity.Dissimilarity`."""
        return self.dissimilarity.B1

    @property
    def B2(self) -> float:
        """``B2`` of eq. (2): the least possible."""
        return self.dissimilarity.B2

    @cached_property
    def dissimilarity(self) -> Dissimilarity:
        """Constants of eq. (2) and why they hold.

        Raises:
            ValueError: none are known for these sets.
        """
        return constants(self.sets)

    def to_params(self) -> list[dict[str, object]]:
        """Plain JSON values that describe the sets."""
        return [s.to_params() for s in self.sets]

    @cached_property
    def _groups(self) -> list[tuple[ConvexSet, list[int], tuple[Array, ...]]]:
        """Clients whose sets are projected on in one call: a representative, their numbers, and stacked arrays."""
        members: dict[Hashable, list[int]] = {}
        for i, one in enumerate(self.sets):
            if not one.whole:
                members.setdefault(one.key() if isinstance(one, Projection) else type(one), []).append(i)
        groups = []
        for numbers in members.values():
            some = [self.sets[i] for i in numbers]
            stacked = tuple(np.stack(parts) for parts in zip(*(s.arrays() for s in some), strict=True))
            groups.append((some[0], numbers, stacked))
        return groups
