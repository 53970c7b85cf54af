"""The lower level of Section 6.2 as a function of one number: logistic classifiers for all regularisation weights."""

from __future__ import annotations

import math

import numpy as np

from algos.problems.base import Array

# The gradient of a solution is at most this beside the number of rows.
_STATIONARY = 1e-10
_STEPS = 100
# Solutions are kept at weights that differ by this factor.
_FACTOR = 1.25


class Classifiers:
    """Minimisers of ``scale sum_l log(1 + exp(-rows_l'y)) + (weight/2) ||y||^2`` for any positive weights.

    Newton's method finds the solution at the nearest of a geometric grid of weights, which is kept with its inverse
    Hessian; a few cheap steps with that Hessian lead from there to the solution of each query.

    Args:
        rows: features times outcome, ``(l, nt)``.
        scale: of the losses.
    """

    def __init__(self, rows: Array, scale: float) -> None:
        self.rows, self.scale, self.nt = rows, scale, rows.shape[1]
        self._kept: dict[int, tuple[Array, Array]] = {}

    def at(self, weights: Array) -> Array:
        """Solutions, ``(points,) -> (points, nt)``.

        Raises:
            ValueError: a weight is not positive.
        """
        if not (weights > 0).all():
            raise ValueError(
                f"the regularisation weight is {weights.min():.3g} at a query; it should be positive for the lower "
                "level to have a solution: take a smaller eta or gamma, or a larger mu"
            )
        near = np.rint(np.log(weights) / math.log(_FACTOR)).astype(np.int64)
        out = np.empty((len(weights), self.nt))
        for k in np.unique(near):
            out[near == k] = self._from(int(k), weights[near == k])
        return out

    def gradient(self, weights: Array, y: Array) -> Array:
        """Gradients, ``(points,), (points, nt) -> (points, nt)``."""
        return weights[:, None] * y + self.scale * grad_logistic(self.rows, y)

    def _from(self, k: int, weights: Array) -> Array:
        y, inverse = self._node(k)
        # First order in the logarithm of the weight, then steps with the Hessian of the node.
        found = y - np.log(weights / _FACTOR**k)[:, None] * (_FACTOR**k * (inverse @ y))
        for _ in range(_STEPS):
            gradient = self.gradient(weights, found)
            if np.abs(gradient).max() <= _STATIONARY * len(self.rows):
                return np.asarray(found)
            found = found - gradient @ inverse
        raise ValueError(f"a lower level with weight near {weights[0]:g} is not solved by {_STEPS} steps")

    def _node(self, k: int) -> tuple[Array, Array]:
        if k not in self._kept:
            start = np.zeros(self.nt)
            if self._kept:
                start = self._kept[min(self._kept, key=lambda other: abs(other - k))][0]
            self._kept[k] = self._newton(_FACTOR**k, start)
        return self._kept[k]

    def _newton(self, weight: float, y: Array) -> tuple[Array, Array]:
        """The solution for one weight and the inverse of its Hessian, by damped steps."""
        at, value = np.array([weight]), self._value(weight, y)
        for _ in range(_STEPS):
            gradient = self.gradient(at, y[None])[0]
            right = _sigmoid(self.rows @ y)
            hessian = self.scale * (self.rows * (right * (1 - right))[:, None]).T @ self.rows
            hessian[range(self.nt), range(self.nt)] += weight
            if np.abs(gradient).max() <= _STATIONARY * len(self.rows):
                return y, np.asarray(np.linalg.inv(hessian), dtype=np.float64)
            step = np.linalg.solve(hessian, gradient)
            while self._value(weight, y - step) > value and np.abs(step).max() > 1e-14 * (1 + np.abs(y).max()):
                step = step / 2
            y = y - step
            value = self._value(weight, y)
        raise ValueError(f"the lower level with weight {weight:g} is not solved by {_STEPS} steps of Newton")

    def _value(self, weight: float, y: Array) -> float:
        return float(self.scale * logistic(self.rows, y[None])[0] + weight / 2 * (y @ y))


def logistic(rows: Array, y: Array) -> Array:
    """``sum_l log(1 + exp(-rows_l'y))``: ``(points, nt) -> (points,)``."""
    return np.asarray(np.logaddexp(0, -y @ rows.T).sum(axis=-1))


def grad_logistic(rows: Array, y: Array) -> Array:
    """The gradient of :func:`logistic`: ``(points, nt)``."""
    return np.asarray(-_sigmoid(-y @ rows.T) @ rows)


def _sigmoid(t: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(t / 2)))
