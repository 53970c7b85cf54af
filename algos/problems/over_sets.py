"""Linear losses over balls, simplices, half-spaces and pairs of discs: what smoothing leaves alone (fedrzo, Section 2).

``grad f_eta = grad f`` exactly, so what these families measure is the penalty of the sets.
"""

from __future__ import annotations

import math

import numpy as np

from rateproof.algos.arguments import finite, shown
from rateproof.algos.convex_sets import Ball, ConvexSet, HalfSpace, Simplex
from rateproof.algos.losses import MaxAffine
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.box import rows_of
from rateproof.algos.problems.nonsmooth import Nonsmooth, Rows, row_matrix
from rateproof.algos.sets import ClientSets
from rateproof.algos.sphere import check_radius

#: Kinds of sets of :func:`linear_over`.
KINDS = ("ball", "simplex", "half-space", "free")


def linear_over(
    *, slopes: Rows = ((1.0, 0.0),), kind: str = "ball", size: float = 1.0, centres: Rows | None = None
) -> Nonsmooth:
    """Linear losses ``f_i(x) = q_i.x`` over balls, simplices, half-spaces or the whole space.

    Args:
        slopes: ``q_i`` of each client.
        kind: "ball" of radius ``size`` around the centre, "simplex" with coordinates that sum to ``size``,
            "half-space" ``c_i.x <= size``, or "free".
        size: of the sets.
        centres: ``c_i`` of each client; 0 when left out, ``q_i`` for half-spaces.

    Raises:
        ValueError: shapes disagree, or an argument is out of range.
    """
    given = dict(locals())
    q = row_matrix("slopes", slopes)
    m, n = q.shape
    c = rows_of("centres", np.zeros(n) if centres is None else centres, m, n)
    if kind not in KINDS:
        raise ValueError(f"kind is {shown(kind)}; it should be one of {', '.join(KINDS)}")
    finite("size", size)
    if (kind == "ball" and size < 0) or (kind == "simplex" and size <= 0):
        raise ValueError(f"size is {size:g}; it should be positive for a {kind}")
    made: list[ConvexSet]
    if kind == "ball":
        made = [Ball(row, size) for row in c]
    elif kind == "half-space":
        made = [HalfSpace(row, size) for row in (q if centres is None else c)]
    elif kind == "simplex":
        made = [Simplex(n, size)] * m
    else:
        return Nonsmooth(MaxAffine(q[:, None, :], np.zeros((m, 1))), name="linear_over", params=given)
    return Nonsmooth(MaxAffine(q[:, None, :], np.zeros((m, 1))), ClientSets(made), name="linear_over", params=given)


def two_discs(*, gap: float = 1.0, radius: float = 1.0, L0: float = 1.0) -> Nonsmooth:
    """``f_i(x) = L0 x_2`` over discs around ``(gap, 0)`` and ``(-gap, 0)``: they touch in 0 for ``gap = radius``.

    Args:
        gap: half the distance of the centres; above ``radius`` the discs have no common point.
        radius: of both discs.
        L0: slope of both losses.

    Raises:
        ValueError: a number is not finite, or the radius is negative.
    """
    given = dict(locals())
    for name, value in (("gap", gap), ("radius", radius), ("L0", L0)):
        finite(name, value)
    q = np.array([[0.0, L0], [0.0, L0]])
    discs = ClientSets([Ball(np.array([side * gap, 0.0]), radius) for side in (1.0, -1.0)])
    return Nonsmooth(MaxAffine(q[:, None, :], np.zeros((2, 1))), discs, name="two_discs", params=given)


def two_discs_point(*, gap: float, radius: float, L0: float, eta: float) -> Array:
    """The minimiser ``(0, -t)`` of the smoothed penalised problem of :func:`two_discs`: ``(2,)``.

    ``t (1 - radius/sqrt(t^2 + gap^2)) = eta L0``, the only stationary condition, by bisection; ``gap >= radius``.

    Raises:
        ValueError: the discs overlap, or a number is out of range.
    """
    check_radius(eta)
    if not gap >= radius > 0 or not L0 > 0:
        raise ValueError(f"gap is {gap}, radius {radius} and L0 {L0}; they should satisfy gap >= radius > 0 and L0 > 0")
    low, high = 0.0, eta * L0 + radius
    while True:
        t = (low + high) / 2
        if t in (low, high):
            return np.array([0.0, -t])
        distance = math.hypot(t, gap)
        # distance - radius, where both may agree in all digits
        beyond = (t * t + (gap - radius) * (gap + radius)) / (distance + radius)
        low, high = (t, high) if t * beyond < eta * L0 * distance else (low, t)
