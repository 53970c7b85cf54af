"""Whether the sets of the clients have a common point: the feasible set ``X`` of fedrzo, eq. (1), is not empty.

Exact, up to rounding, for boxes and for two sets; otherwise the mean of the projections is repeated. Its steps either
reach a common point or prove that there is none (within ``FAR`` times the size of the sets): with ``v_i = x - P_i(x)``,
every common point ``z`` has ``v_i . (z - P_i(x)) <= 0``, whence ``|sum_i v_i| |z - x| >= sum_i |v_i|^2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.convex_sets import Ball, Box, ConvexSet, HalfSpace, Simplex
from rateproof.algos.noise import Array

#: Distances below this share of the numbers involved are rounding.
ROUNDING = 1e-9
#: A common point would be farther than so many times the numbers involved.
FAR = 1e6
#: Repetitions of the mean of the projections.
STEPS = 2000
#: Sets of which all pairs are looked at.
PAIRED = 40


@dataclass(frozen=True)
class CommonPoint:
    """Whether sets have a common point.

    Attributes:
        known: True, False, or None where it was not decided.
        why: one sentence; clients count from 0.
    """

    known: bool | None
    why: str


def common_point(sets: Sequence[ConvexSet]) -> CommonPoint:
    """Whether the sets of all clients have a common point."""
    bound = [(i, s) for i, s in enumerate(sets) if not s.whole]
    if not bound:
        return CommonPoint(True, "every X_i is R^n")
    first = {s.key(): (i, s) for i, s in reversed(bound)}
    distinct = sorted(first.values(), key=lambda pair: pair[0])
    if len(distinct) == 1:
        return CommonPoint(True, "there is one set, and it is not empty")
    if conflict := _of_boxes([(i, s) for i, s in distinct if isinstance(s, Box)]):
        return CommonPoint(False, conflict)
    if all(isinstance(s, Box) for _, s in distinct):
        return CommonPoint(True, "in every coordinate the largest lower end is at most the least upper end")
    undecided = False
    for (i, one), (j, other) in combinations(distinct, 2) if len(distinct) <= PAIRED else ():
        apart = _apart(one, other)
        undecided = undecided or apart is None
        if apart is not None and apart > 0:
            return CommonPoint(False, f"X_{i} and X_{j} have no common point: they are {apart:.3g} apart")
    if len(distinct) == 2 and not undecided:
        return CommonPoint(True, f"X_{distinct[0][0]} and X_{distinct[1][0]} have a common point")
    return _by_projections([s for _, s in distinct])


def _of_boxes(boxes: Sequence[tuple[int, Box]]) -> str:
    """Which two boxes have no common point, and where; empty for none."""
    if not boxes:
        return ""
    lows, highs = np.array([b.low for _, b in boxes]), np.array([b.high for _, b in boxes])
    below = lows.max(axis=0) > highs.min(axis=0)
    if not below.any():
        return ""
    j = int(np.argmax(below))
    up, down = int(lows[:, j].argmax()), int(highs[:, j].argmin())
    return (
        f"X_{boxes[up][0]} begins at {lows[up, j]:g} and X_{boxes[down][0]} ends at {highs[down, j]:g}"
        f"{f' in coordinate {j}' if lows.shape[1] > 1 else ''}: they have no common point"
    )


def _apart(one: ConvexSet, other: ConvexSet) -> float | None:
    """A positive number for two sets without a common point, 0 for two with one; None where no rule is known.

    Sets that miss each other by rounding touch.
    """
    for a, b in ((one, other), (other, one)):
        if isinstance(a, Ball) and isinstance(b, Ball | Box | HalfSpace | Simplex):
            away = float(np.sqrt(b.dist2(a.centre))) - a.radius
            return _beyond(away, float(np.abs(a.centre).max()) + a.radius)
        if isinstance(a, HalfSpace) and isinstance(b, Box):
            up = a.normal > 0
            least = float((a.normal * np.where(up, _held(b.low, up), _held(b.high, a.normal < 0))).sum())
            return _beyond((least - a.offset) / float(np.linalg.norm(a.normal)), abs(least) + abs(a.offset))
        if isinstance(a, HalfSpace) and isinstance(b, Simplex):
            least = b.total * float(a.normal.min())
            return _beyond((least - a.offset) / float(np.linalg.norm(a.normal)), abs(least) + abs(a.offset))
    if isinstance(one, HalfSpace) and isinstance(other, HalfSpace):
        sizes = [float(np.linalg.norm(s.normal)) for s in (one, other)]
        if np.linalg.norm(one.normal / sizes[0] + other.normal / sizes[1]) > 1e-14:
            return 0.0
        ends = [s.offset / size for s, size in zip((one, other), sizes, strict=True)]
        return _beyond(-sum(ends), abs(ends[0]) + abs(ends[1]))
    return None


def _held(ends: Array, some: NDArray[np.bool_]) -> Array:
    """The ends that count, 0 for the others: an infinite one times 0 is no number."""
    return np.where(some, ends, 0.0)


def _beyond(away: float, size: float) -> float:
    return away if away > ROUNDING * 1e-3 * (1.0 if size in (0.0, float("inf")) else size) else 0.0


def _by_projections(sets: Sequence[ConvexSet]) -> CommonPoint:
    """By repeated means of projections, from the mean of the projections of 0."""
    x = np.mean([s.project(np.zeros(s.n)) for s in sets], axis=0)
    for _ in range(STEPS):
        nearest = np.array([s.project(x) for s in sets])
        away = x - nearest
        most, size = float(np.linalg.norm(away, axis=1).max()), 1.0 + float(np.abs(nearest).max())
        if most <= ROUNDING * size:
            return CommonPoint(True, f"a point was found that is {most:.2g} from every set at most")
        total = float(np.linalg.norm(away.sum(axis=0)))
        if float((away * away).sum()) >= FAR * size * total:
            mean = float(np.sqrt((away * away).sum(axis=1).mean()))
            return CommonPoint(False, f"hyperplanes show it; the least root mean square distance to all is {mean:.3g}")
        x = nearest.mean(axis=0)
    return CommonPoint(None, f"not decided: after {STEPS} steps the sets are {most:.3g} apart")
