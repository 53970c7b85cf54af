"""Bounded set-dissimilarity of the clients' sets (fedrzo, Assumption 1.iii, eq. 2).

``D(x) <= B1^2 + B2^2 M(x)^2`` for all ``x``, with ``D = (1/m) sum_i dist^2(x, X_i)`` and
``M = ||x - (1/m) sum_i P_{X_i}(x)||``. The identity ``D = M^2 + Var_i P_{X_i}(x)`` bounds ``B1`` for compact sets, with
``B2 = 1``, the least possible for sets that are not all the whole space. Not every choice of sets has constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from rateproof.algos.convex_sets import Ball, Box, ConvexSet, HalfSpace

Interval: TypeAlias = tuple[Fraction | None, Fraction | None]
"""Lower and upper bound; None where there is none."""


@dataclass(frozen=True)
class Dissimilarity:
    """Constants of eq. (2).

    Attributes:
        B1, B2: the constants; ``B2`` is the least possible.
        least: whether ``B1`` is the least possible with this ``B2``.
        why: one sentence.
    """

    B1: float
    B2: float
    least: bool
    why: str


def constants(sets: Sequence[ConvexSet]) -> Dissimilarity:
    """Constants of eq. (2) for the sets of ``m`` clients, and why they hold.

    Raises:
        ValueError: none are known for these sets.
    """
    m, bound = len(sets), [s for s in sets if not s.whole]
    if not bound:
        return Dissimilarity(0.0, 0.0, True, "every X_i is the whole space: both sides are 0")
    if len({s.key() for s in sets}) == 1:
        return Dissimilarity(0.0, 1.0, True, "the sets are identical: both sides are dist^2(x, X)")
    if all(isinstance(s, Box) for s in bound):
        return _of_intervals([_sides(sets, j) for j in range(sets[0].n)], "intervals, coordinate by coordinate")
    inner = _of_bound(bound)
    # Free clients add nothing to D and nothing to x - mean P: D = (k/m) D_bound and M = (k/m) M_bound.
    share = len(bound) / m
    free = "" if share == 1 else f"; {m - len(bound)} of {m} sets are the whole space"
    return Dissimilarity(math.sqrt(share) * inner.B1, inner.B2 / math.sqrt(share), inner.least, f"{inner.why}{free}")


def _of_bound(sets: Sequence[ConvexSet]) -> Dissimilarity:
    """Constants of sets of which none is the whole space."""
    if len({s.key() for s in sets}) == 1:
        return Dissimilarity(0.0, 1.0, True, "the sets are identical: both sides are dist^2(x, X)")
    if all(isinstance(s, Ball) for s in sets):
        return _of_balls([s for s in sets if isinstance(s, Ball)])
    if line := _along_one_normal(sets):
        return _of_intervals([line], "half-spaces along one normal")
    enclosing = [s.enclosing for s in sets]
    known = [e for e in enclosing if e is not None]
    if len(known) == len(sets):
        middle = np.mean([c for c, _ in known], axis=0)
        square = float(np.mean([(np.linalg.norm(c - middle) + r) ** 2 for c, r in known]))
        why = "compact sets: D = M^2 + Var_i P_i(x), at most the mean square distance of the sets from a point"
        return Dissimilarity(math.sqrt(square), 1.0, False, why)
    kinds = ", ".join(sorted({type(s).__name__ for s in sets}))
    raise ValueError(
        f"no constants of the set-dissimilarity are known for sets of kind {kinds}; some unbounded sets have none, "
        "and boxes, compact sets, identical sets and parallel half-spaces have them"
    )


def _of_balls(balls: Sequence[Ball]) -> Dissimilarity:
    """``B1^2 = sup_x Var_i P_i(x)``, which is at most the sum over pairs and is reached far away.

    ``I - P`` of a ball about 0 is nonexpansive, and so is the projection in its radius, hence
    ``||P_i(x) - P_j(x)|| <= ||c_i - c_j|| + |r_i - r_j|``. Along ``x = t e``, ``t -> inf``, ``P_i(x) -> c_i + r_i e``.
    """
    c, r = np.array([b.centre for b in balls]), np.array([b.radius for b in balls])
    apart = np.linalg.norm(c[:, None] - c[None, :], axis=2) + np.abs(r[:, None] - r[None, :])
    least = len(balls) == 2 or bool((r == r[0]).all())
    why = "balls: D = M^2 + Var_i P_i(x), and ||P_i - P_j|| is at most the distance of centres plus that of radii"
    return Dissimilarity(math.sqrt(float((apart * apart).mean()) / 2), 1.0, least, why)


def _of_intervals(coordinates: Sequence[Sequence[Interval]], what: str) -> Dissimilarity:
    """Least constants when ``D`` and ``M^2`` are sums over coordinates with an interval a client in each."""
    square = max(_least_square_B2(intervals) for intervals in coordinates)
    rest = sum((_least_square_B1(intervals, square) for intervals in coordinates), Fraction(0))
    why = f"{what}: D - B2^2 M^2 is piecewise quadratic, B2 settles it far away and B1 is its largest value"
    return Dissimilarity(math.sqrt(rest), math.sqrt(square), True, why)


def _least_square_B2(intervals: Sequence[Interval]) -> Fraction:
    """Far away on a side where ``k`` of ``m`` bounds are finite, ``D/M^2 -> m/k``."""
    m = len(intervals)
    finite = [sum(one[side] is not None for one in intervals) for side in (0, 1)]
    return max([Fraction(m, k) for k in finite if k] or [Fraction(1)])


def _least_square_B1(intervals: Sequence[Interval], square_B2: Fraction) -> Fraction:
    """Largest value of ``D - B2^2 M^2``, from its values at the bounds and at the vertices of its pieces."""
    m = len(intervals)
    lows = sorted(low for low, _ in intervals if low is not None)
    highs = sorted(high for _, high in intervals if high is not None)
    bounds = sorted({*lows, *highs})
    # Clients whose bound holds x: all lower bounds far to the left, all upper ones far to the right.
    count, first, second = len(lows), sum(lows, Fraction(0)), sum((b * b for b in lows), Fraction(0))
    best, i, j = Fraction(0), 0, 0
    for piece in range(len(bounds) + 1):
        left = bounds[piece - 1] if piece else None
        right = bounds[piece] if piece < len(bounds) else None
        while left is not None and i < len(lows) and lows[i] <= left:
            count, first, second = count - 1, first - lows[i], second - lows[i] ** 2
            i += 1
        while left is not None and j < len(highs) and highs[j] <= left:
            count, first, second = count + 1, first + highs[j], second + highs[j] ** 2
            j += 1
        # m D = count x^2 - 2 first x + second, m M = count x - first
        a = count - square_B2 * count * count / m
        b = first - square_B2 * count * first / m
        c = second - square_B2 * first * first / m
        points = [p for p in (left, right) if p is not None]
        if a < 0 and (left is None or b / a > left) and (right is None or b / a < right):
            points.append(b / a)
        elif a == 0 and not points:
            points.append(Fraction(0))
        best = max([best, *((a * p * p - 2 * b * p + c) / m for p in points)])
    return best


def _sides(sets: Sequence[ConvexSet], j: int) -> list[Interval]:
    """Interval of every client in coordinate ``j`` of boxes and whole spaces."""
    return [(_exact(s.low[j]), _exact(s.high[j])) if isinstance(s, Box) else (None, None) for s in sets]


def _along_one_normal(sets: Sequence[ConvexSet]) -> list[Interval]:
    """Half-spaces whose normals are multiples of one direction, as half-lines along it; empty for other sets."""
    halves = [s for s in sets if isinstance(s, HalfSpace)]
    if len(halves) < len(sets):
        return []
    along = halves[0].normal
    lines: list[Interval] = []
    for half in halves:
        if not np.array_equal(np.outer(half.normal, along), np.outer(along, half.normal)):
            return []
        end = Fraction(half.offset / float(np.linalg.norm(half.normal)))
        lines.append((None, end) if half.normal @ along > 0 else (-end, None))
    return lines


def _exact(bound: float) -> Fraction | None:
    return Fraction(float(bound)) if math.isfinite(bound) else None
