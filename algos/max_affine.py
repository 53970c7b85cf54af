"""Max-affine functions: their smoothing in closed form in dimension one and two, and which pieces they need.

``h(x) = max_j (a_j.x + b_j)``, and ``h_eta(x) = E h(x + eta u)`` for ``u`` uniform in the unit ball (fedrzo, Lemma 1).
Points are ``(..., n)``, values ``(...)``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.noise import Array, Ints
from rateproof.algos.sphere import check_points, check_radius

#: Differences of pieces below this share of their size are rounding.
TIE = 1e-13


def max_affine(x: ArrayLike, A: ArrayLike, b: ArrayLike, *, eta: float) -> tuple[Array, Array]:
    """Smoothed ``max_j (a_j.x + b_j)`` in dimension one or two, and its gradient: ``(...), (..., n)``.

    No piece should occur twice: see :func:`essential`. Two pieces are a ramp of one linear form in any dimension: see
    :func:`rateproof.algos.sphere.smooth_ramp`.

    Args:
        x: ``(..., n)``.
        A, b: ``(p, n)`` and ``(p,)``.
        eta: radius.

    Raises:
        ValueError: ``n`` is above 2, or shapes disagree.
    """
    x, _ = check_points(x), check_radius(eta)
    A, b = np.asarray(A, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if A.ndim != 2 or A.shape != (len(b), x.shape[-1]):
        raise ValueError(f"A has shape {A.shape} and b {b.shape}; they should be (p, {x.shape[-1]}) and (p,)")
    flat = x.reshape(-1, x.shape[-1])
    if A.shape[1] == 1:
        value, gradient = _on_segment(flat, A, b, eta)
    elif A.shape[1] == 2:
        value, gradient = _on_disc(flat, A, b, eta)
    else:
        raise ValueError(f"no closed form is known for max-affine functions in dimension {A.shape[1]}; n <= 2 has one")
    return value.reshape(x.shape[:-1]), gradient.reshape(x.shape)


def essential(A: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """The pieces of ``max_j (a_j.x + b_j)`` that are somewhere above all others: ``(q, n)`` and ``(q,)``.

    Piece ``j`` is not when a mean of others has its slope and is at least ``b_j`` at 0.
    """
    from scipy.optimize import linprog  # here, because it takes long to load

    A, b = np.asarray(A, dtype=np.float64), np.asarray(b, dtype=np.float64)
    size = 1 + float(np.abs(A).max()) + float(np.abs(b).max())
    keep = list(range(len(b)))
    for j in range(len(b)):
        rest = [k for k in keep if k != j]
        if not rest:
            continue
        rows = np.vstack([A[rest].T, np.ones(len(rest))])
        best = linprog(-b[rest], A_eq=rows, b_eq=[*A[j], 1.0])
        if best.x is not None and -best.fun >= b[j] - 1e-12 * size:
            keep = rest
    return A[keep], b[keep]


def _on_segment(x: Array, A: Array, b: Array, eta: float) -> tuple[Array, Array]:
    """Max-affine functions in dimension one: trapezia between the points where two pieces meet are exact."""
    steeper = np.subtract.outer(A[:, 0], A[:, 0])
    j, k = np.nonzero(np.triu(steeper != 0, 1))
    meet = (b[k] - b[j]) / steeper[j, k]
    low, high = x - eta, x + eta
    grid = np.sort(np.concatenate([low, np.clip(meet[None, :], low, high), high], axis=1), axis=1)
    at = (grid[..., None] * A[:, 0] + b).max(axis=-1)
    area = ((at[:, 1:] + at[:, :-1]) / 2 * np.diff(grid, axis=1)).sum(axis=1)
    return area / (2 * eta), (at[:, -1:] - at[:, :1]) / (2 * eta)


def _on_disc(x: Array, A: Array, b: Array, eta: float) -> tuple[Array, Array]:
    """Max-affine functions on discs around ``x``, ``(k, 2)``, by the divergence theorem.

    On the cell of piece ``j`` the function is ``g = l_j + a_j.y`` with ``y`` from the centre, and
    ``div(y g) = 3 g - l_j``: the integral of ``g`` is a third of the flux through the circle and of
    ``sum_j l_j area_j``. The areas follow from ``div y = 2``: arcs of the circle, and chords between two cells, which
    all other pieces clip.
    """
    level = x @ A.T + b  # l_j, (k, p)
    start, turn, piece = _arcs(level, A, eta)
    end = start + turn
    here, slope = np.take_along_axis(level, piece, axis=1), A[piece]
    sines, cosines = np.sin(end) - np.sin(start), np.cos(start) - np.cos(end)
    around = (here * turn + eta * (slope[..., 0] * sines + slope[..., 1] * cosines)).sum(axis=1)
    double = (np.sin(2 * end) - np.sin(2 * start)) / 4
    mixed = (np.cos(2 * start) - np.cos(2 * end)) / 4
    pulled = np.stack(
        [
            here * sines + eta * (slope[..., 0] * (turn / 2 + double) + slope[..., 1] * mixed),
            here * cosines + eta * (slope[..., 0] * mixed + slope[..., 1] * (turn / 2 - double)),
        ],
        axis=-1,
    ).sum(axis=1)
    areas = (eta**2 * (here * turn).sum(axis=1) + _chords(level, A, eta)) / 2
    return (eta**2 * around + areas) / (3 * math.pi * eta**2), pulled / (math.pi * eta)


def _arcs(level: Array, A: Array, eta: float) -> tuple[Array, Array, Ints]:
    """Arcs of the circle on which one piece is largest: first angle, length, and piece, each ``(k, arcs)``."""
    j, k = np.triu_indices(len(A), 1)
    apart = A[j] - A[k]
    size = eta * np.linalg.norm(apart, axis=1)
    ratio = (level[:, k] - level[:, j]) / np.where(size > 0, size, 1.0)
    middle, half = np.arctan2(apart[:, 1], apart[:, 0]), np.arccos(np.clip(ratio, -1.0, 1.0))
    cuts = np.concatenate([middle - half, middle + half], axis=1) % (2 * math.pi)
    zero = np.zeros((len(level), 1))
    cuts = np.sort(np.concatenate([zero, cuts, zero + 2 * math.pi], axis=1), axis=1)
    turn = np.diff(cuts, axis=1)
    centre = cuts[:, :-1] + turn / 2
    at = np.stack([np.cos(centre), np.sin(centre)], axis=-1) @ A.T * eta + level[:, None, :]
    return cuts[:, :-1], turn, at.argmax(axis=-1)


def _chords(level: Array, A: Array, eta: float) -> Array:
    """Sum of ``(l_j - l_k)^2/|a_j - a_k|`` times the length of the border of cells ``j`` and ``k`` in the disc."""
    total = np.zeros(len(level))
    rounding = TIE * (np.abs(level).max(axis=1) + eta * float(np.abs(A).max()))
    for j in range(len(A)):
        for k in range(j + 1, len(A)):
            apart = A[j] - A[k]
            size = float(np.linalg.norm(apart))
            if size == 0:
                continue
            across = apart / size
            along = np.array([-across[1], across[0]])
            off = (level[:, k] - level[:, j]) / size
            half = np.sqrt(np.maximum(eta**2 - off**2, 0.0))
            low, high = -half, half
            for i in range(len(A)):
                if i in (j, k):
                    continue
                rise, further = float((A[i] - A[j]) @ along), float((A[i] - A[j]) @ across)
                base = level[:, i] - level[:, j] + off * further  # l_i - l_j on the border, where the chord is nearest
                # Where three pieces agree along the border it belongs to the two that differ most.
                agrees = (np.abs(base) <= rounding) & (abs(rise) * eta <= rounding)
                hidden = np.where(agrees, further > 0 or further < -size, (base > 0) & (rise == 0))
                if rise > 0:
                    high = np.where(agrees, high, np.minimum(high, -base / rise))
                elif rise < 0:
                    low = np.where(agrees, low, np.maximum(low, -base / rise))
                high = np.where(hidden, low, high)
            total += (level[:, j] - level[:, k]) ** 2 / size * np.maximum(high - low, 0.0)
    return total
