"""Logistic losses of signed rows, and their regularised minimisers for all weights (fedrzo, Section 6.2).

A signed row is ``v U``, features times the outcome 1 or -1: all that a logistic loss knows of a row.
"""

from __future__ import annotations

import math

import numpy as np

from rateproof.algos.noise import Array

#: A minimiser has a gradient this small beside the lengths of all rows together.
TOLERANCE = 1e-13
# Solutions are kept at weights that differ by this factor.
_FACTOR = 1.1
# Steps from a kept solution before a query gets a run of Newton's method of its own.
_CHEAP = 40
_STEPS = 200


class Classifiers:
    """Minimisers of ``sum_l ln(1 + exp(-rows_l.y)) + (weight/2) ||y||^2`` for any positive weights.

    Newton's method finds the solution at the nearest of a geometric grid of weights, which is kept with its inverse
    Hessian; a few cheap steps with that Hessian lead from there to the solution of each query. A solution depends on
    what was asked for before within the tolerance only.

    Args:
        rows: signed, ``(l, nt)``.
    """

    def __init__(self, rows: Array) -> None:
        self.rows, self.nt = rows, rows.shape[1]
        self._tolerance = TOLERANCE * float(np.linalg.norm(rows, axis=1).sum())
        self._kept: dict[int, tuple[Array, Array]] = {}

    def at(self, weights: Array) -> Array:
        """Minimisers, to a gradient of 1e-13 of the rows' lengths: ``(points,) -> (points, nt)``.

        Raises:
            ValueError: a weight is not a positive number, or the tolerance is not reached.
        """
        if (bad := weights[~((weights > 0) & (weights < math.inf))]).size:
            raise ValueError(f"a regularisation weight is {bad[0]:g}; it should be a positive number")
        near = np.rint(np.log(weights) / math.log(_FACTOR)).astype(np.int64)
        groups = {int(k): near == k for k in np.unique(near)}
        found = np.empty((len(weights), self.nt))
        for k, own in groups.items():
            y, inverse = self._node(k)
            # First order in the logarithm of the weight, then steps with the Hessian of the node.
            found[own] = y - np.log(weights[own] / _FACTOR**k)[:, None] * (_FACTOR**k * (inverse @ y))
        left = np.ones(len(weights), dtype=bool)
        for _ in range(_CHEAP):
            gradient = np.zeros_like(found)
            gradient[left] = self.gradient(weights[left], found[left])
            left &= np.linalg.norm(gradient, axis=1) > self._tolerance
            if not left.any():
                return found
            for k, own in groups.items():
                found[own & left] -= gradient[own & left] @ self._node(k)[1]
        for j in np.flatnonzero(left):
            found[j] = self._newton(float(weights[j]), self._node(int(near[j]))[0])
        return found

    def gradient(self, weights: Array, y: Array) -> Array:
        """Gradients, ``(points,), (points, nt) -> (points, nt)``."""
        return weights[:, None] * y + grad_logistic(self.rows, y)

    def _node(self, k: int) -> tuple[Array, Array]:
        """The solution for the weight ``_FACTOR^k`` and the inverse of its Hessian."""
        if k not in self._kept:
            start = np.zeros(self.nt)
            if self._kept:
                start = self._kept[min(self._kept, key=lambda other: abs(other - k))][0]
            y = self._newton(_FACTOR**k, start)
            hessian = self._hessian(_FACTOR**k, _wrong(self.rows @ y))
            self._kept[k] = y, np.asarray(np.linalg.inv(hessian), dtype=np.float64)
        return self._kept[k]

    def _newton(self, weight: float, y: Array) -> Array:
        """Newton's method with halved steps."""
        value = self._value(weight, y)
        for _ in range(_STEPS):
            off = _wrong(self.rows @ y)
            gradient = weight * y - off @ self.rows
            size = float(np.linalg.norm(gradient))
            if size <= self._tolerance:
                return y
            step = np.linalg.solve(self._hessian(weight, off), gradient)
            length = 1.0
            while length > 1e-8:
                moved = y - length * step
                lower = self._value(weight, moved)
                # Where values agree to rounding the full step is the best that is left.
                if lower <= value - length * float(gradient @ step) / 4 + 1e-14 * abs(value):
                    break
                length /= 2
            y, value = moved, lower
        raise ValueError(
            f"the minimiser for the weight {weight:g} is known to a gradient of {size:.3g} only; rows may be too large"
        )

    def _value(self, weight: float, y: Array) -> float:
        return float(logistic(self.rows, y[None])[0] + weight / 2 * (y @ y))

    def _hessian(self, weight: float, off: Array) -> Array:
        """Of the loss where row ``l`` is wrong with chance ``off_l``."""
        hessian = (self.rows.T * (off * (1 - off))) @ self.rows
        hessian[np.diag_indices(self.nt)] += weight
        return np.asarray(hessian)


def logistic(rows: Array, y: Array) -> Array:
    """``sum_l ln(1 + exp(-rows_l.y))`` of signed rows, ``(l, nt)`` or own ones ``(runs, l, nt)``: ``(runs,)``."""
    return np.asarray(np.logaddexp(0, -_margins(rows, y)).sum(axis=-1))


def grad_logistic(rows: Array, y: Array) -> Array:
    """The gradient of :func:`logistic`: ``(runs, nt)``."""
    off = _wrong(_margins(rows, y))
    return np.asarray(-(off @ rows if rows.ndim == 2 else np.matmul(off[:, None, :], rows)[:, 0]))


def _margins(rows: Array, y: Array) -> Array:
    """``rows_l.y``: ``(runs, l)``."""
    return np.asarray(y @ rows.T if rows.ndim == 2 else np.matmul(rows, y[:, :, None])[..., 0])


def _wrong(margins: Array) -> Array:
    """``1/(1 + exp(margin))``, the chance of the other outcome."""
    return np.asarray(0.5 * (1 - np.tanh(margins / 2)))
