"""A function through given points, gradients and values that can be evaluated anywhere.

In floats and Euclidean coordinates: axis ``k`` of a worst function is scaled by the root of its weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rateproof.verify.worstcase.certificate import Refusal
from rateproof.verify.worstcase.witness import Evaluations, Vector, WorstFunction, curvature

Array = np.ndarray[Any, np.dtype[Any]]

#: Two points closer than this, relative to the spread of the data, are one.
SAME = 1e-9
#: What a condition of optimality may fail by, relative to the data.
OPTIMAL = 1e-13


@dataclass(frozen=True)
class Interpolant:
    """A function of curvature between ``mu`` and ``L`` through data: row ``i`` of ``x`` and ``g``, and ``f[i]``.

    With a finite ``L`` it is the largest such function, whose gradient is unique: with ``h = f - mu/2 ||.||^2`` and
    ``l = L - mu``, the convex hull of the parabolas ``h_i + <s_i, . - x_i> + l/2 ||. - x_i||^2``, which is

        ``h(y) = min { sum_i w_i (h_i - ||s_i||^2 / (2 l)) + l/2 ||y - sum_i w_i (x_i - s_i / l)||^2 }``

    over weights ``w >= 0`` of sum 1. It takes the data iff the interpolation conditions hold (Taylor, Hendrickx and
    Glineur 2017, "Smooth strongly convex interpolation and exact worst-case performance of first-order methods",
    Theorem 4). With an infinite ``L`` it is the smallest one, the maximum of the planes ``h_i + <s_i, . - x_i>``; at a
    point of the data its subgradient is that of the data.
    """

    x: Array
    g: Array
    f: Array
    mu: float
    L: float

    def __call__(self, y: Array) -> tuple[float, Array]:
        """The value and a (sub)gradient at a point."""
        y = np.asarray(y, float)
        slopes = self.g - self.mu * self.x
        heights = self.f - self.mu / 2 * (self.x**2).sum(axis=1)
        if np.isinf(self.L):
            planes = heights + ((y - self.x) * slopes).sum(axis=1)
            h, s = float(planes.max()), slopes[self._at(y, planes)]
        else:
            stiffness = self.L - self.mu
            costs = heights - (slopes**2).sum(axis=1) / (2 * stiffness)
            targets = self.x - slopes / stiffness
            w = _projected(costs, targets, y, stiffness)
            s = stiffness * (y - w @ targets)
            h = float(w @ costs) + float(s @ s) / (2 * stiffness)
        return h + self.mu / 2 * float(y @ y), s + self.mu * y

    def _at(self, y: Array, planes: Array) -> int:
        """The plane of a point of the data that this is, else the highest one."""
        distances = np.linalg.norm(self.x - y, axis=1)
        nearest = int(distances.argmin())
        spread = float(np.abs(self.x).max()) or 1.0
        return nearest if distances[nearest] <= SAME * spread else int(planes.argmax())


def interpolant(worst: WorstFunction, function: int = 0) -> Interpolant | Refusal:
    """A function of the class of the problem's function through all its evaluations, on :func:`euclidean` coordinates.

    Args:
        found: the instance.
        function: the index of the function in ``found.functions``.

    Raises:
        ValueError: there is no such function.
    """
    if not 0 <= function < len(worst.functions):
        raise ValueError(f"function is {function}: the worst function tells of {len(worst.functions)} functions")
    data: Evaluations = worst.functions[function]
    known = curvature(data)
    if isinstance(known, str):
        return Refusal(known)
    if not data.triplets:
        return Refusal(f"{data.name} is never evaluated")
    points, gradients, values = zip(*worst.evaluations(data), strict=True)
    return Interpolant(
        np.array([euclidean(worst, p) for p in points]),
        np.array([euclidean(worst, p) for p in gradients]),
        np.array([float(value) for value in values]),
        float(known.mu),
        np.inf if known.L is None else float(known.L),
    )


def euclidean(worst: WorstFunction, point: Vector) -> Array:
    """A point of a worst function in coordinates with the usual inner product."""
    return np.sqrt([float(w) for w in worst.weights]) * np.array([float(a) for a in point])


def _projected(costs: Array, targets: Array, y: Array, stiffness: float) -> Array:
    """Weights ``w >= 0`` of sum 1 with the least ``costs w + l/2 ||y - targets^T w||^2``, by an active set."""
    size = len(costs)
    single = costs + stiffness / 2 * ((y - targets) ** 2).sum(axis=1)
    small = OPTIMAL * max(1.0, float(np.abs(costs).max()), float(np.abs(single).max()))
    active = [int(single.argmin())]
    w = np.zeros(size)
    w[active] = 1.0
    for _ in range(100 * size):
        slopes = costs - stiffness * targets @ (y - w @ targets)
        change, full = _change(slopes[active], targets[active], stiffness, small)
        blocking = [(w[i] / -c, i) for i, c in zip(active, change, strict=True) if c < 0]
        length, at = min(blocking, default=(np.inf, -1))
        w[active] += min(length, full) * change
        if length < full:
            w[at] = 0.0
            active.remove(at)
            continue
        slopes = costs - stiffness * targets @ (y - w @ targets)
        gain = float(w @ slopes) - slopes
        entering = int(gain.argmax())
        if gain[entering] <= small or entering in active:
            break
        active.append(entering)
    return w / w.sum()


def _change(slopes: Array, targets: Array, stiffness: float, small: float) -> tuple[Array, float]:
    """How the weights of a support should change, and how often: once to its optimum, or without limit."""
    edges, rises = targets[1:] - targets[0], slopes[1:] - slopes[0]
    if not len(edges):
        return np.zeros(1), 1.0
    left, lengths, _ = np.linalg.svd(edges, full_matrices=False)
    usable = lengths > 1e-10 * lengths[0] if lengths[0] > 0 else np.zeros(len(lengths), bool)
    left, lengths = left[:, usable], lengths[usable]
    # Where the targets depend on one another some weights change the costs alone.
    free = rises - left @ (left.T @ rises)
    if np.abs(free).max() > small:
        return np.concatenate([[free.sum()], -free]), np.inf
    others = -left @ (left.T @ rises / (stiffness * lengths**2))
    return np.concatenate([[-others.sum()], others]), 1.0
