"""Hyperparameter learning: every client tunes its own regularisation of one logistic model (fedrzo, Section 6.2).

Lower level: ``y(x) = argmin (1/m) sum_i ( sum_l ln(1 + exp(-v_l U_l.y)) + x_i ||y||^2/2 )`` on training rows. Upper
level: the logistic loss of ``y(x)`` on test rows, over ``X = {x >= low}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from scipy.special import expit

from algos.networks import check_rows, draw_rows, random_rows
from algos.noise import Ints, Streams
from algos.problems.base import Array, Fact
from algos.problems.box import client_boxes, set_facts
from algos.problems.federated import Bilevel, Constants

#: A lower-level point is a solution when its gradient is this small, relative to the lengths of all rows together.
TOLERANCE = 1e-13


class HyperparameterLearning(Bilevel):
    """Regularisation ``x`` of one number a client, so ``n = m``; the lower-level variable is the model ``y``.

    Args:
        U, v: training rows of each client, ``(rows_i, nt)``, and their signs ``(rows_i,)``.
        U_test, v_test: its test rows.
        low, high: ``X_i = [low, high]^m`` with ``0 < low``; ``high`` is inf in print, finite for lower-level solvers
            that take ``1/L_1h`` for a stepsize.
        floor: ``x_i`` counts as ``max(x_i, floor)``. 0 is as printed: the lower level is then strongly convex near
            ``X`` only, and has no solution where ``sum_i x_i <= 0``.
        batch: rows of a sample at either level, uniform with replacement; None: nothing is random.
        name, params: see :class:`algos.problems.base.Instance`.

    Raises:
        ValueError: shapes disagree, a sign is neither 1 nor -1, or a number is out of range.
    """

    def __init__(
        self,
        U: Sequence[Array],
        v: Sequence[Array],
        U_test: Sequence[Array],
        v_test: Sequence[Array],
        *,
        low: float = 0.1,
        high: float = math.inf,
        floor: float = 0.0,
        batch: int | None = None,
        name: str = "hyperparameter_learning",
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.train, self.test = check_rows(U, v), check_rows(U_test, v_test)
        self.m = self.n = len(self.train)
        self.nt = self.train[0][0].shape[1]
        if len(self.test) != self.m or self.test[0][0].shape[1] != self.nt:
            raise ValueError("training and test rows differ in clients or features; they should have the same")
        if any((np.abs(signs) != 1).any() for _, signs in (*self.train, *self.test)):
            raise ValueError("v holds other numbers than 1 and -1; it should hold signs")
        if not 0 < low <= high or not 0 <= floor <= low:
            raise ValueError(f"low is {low}, high {high}, floor {floor}; they should satisfy 0 <= floor <= low <= high")
        if batch is not None and batch < 1:
            raise ValueError(f"batch is {batch}; it should be at least 1")
        self.low, self.high, self.floor, self.batch = float(low), float(high), float(floor), batch
        self.sets = client_boxes(low, high, self.m, self.n)
        self.name, self.params = name, dict(params or {})

    def weights(self, x: Array) -> Array:
        """What counts as regularisation, ``max(x, floor)``; shape of ``x``."""
        return np.maximum(x, self.floor) if self.floor else x

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Numbers of test rows, ``(steps, runs, m, batch)``; None without batches."""
        return None if self.batch is None else draw_rows(rng, "xi", round, steps, self.batch, _signs(self.test))

    def draw_lower(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Numbers of training rows, ``(steps, runs, m, batch)``; None without batches."""
        return None if self.batch is None else draw_rows(rng, "zeta", round, steps, self.batch, _signs(self.train))

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Test losses of the models ``(runs, m, nt)``: ``(runs, m)``."""
        chosen = [None if xi is None else xi[:, i].astype(np.int64) for i in range(self.m)]
        return np.stack([_loss(self.test[i], y[:, i], chosen[i]) for i in range(self.m)], axis=1)

    def f_i(self, i: int, x: Array) -> Array:
        """Test loss of client ``i`` at ``y(x)``: ``(runs, n) -> (runs,)``."""
        return _loss(self.test[i], self.lower_solution(x), None)

    def h(self, x: Array, y: Array) -> Array:
        """Mean lower-level loss: ``(runs, n), (runs, nt) -> (runs,)``."""
        losses = sum(_loss(rows, y, None) for rows in self.train)
        return np.asarray((losses + self.weights(x).sum(axis=1) * (y * y).sum(axis=1) / 2) / self.m)

    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """Gradient in ``y`` of the lower-level loss of client ``i``, or its estimate: ``(runs, nt)``."""
        U, v = self.train[i]
        regular = self.weights(x)[:, i : i + 1] * y
        if zeta is None:
            return np.asarray(regular - (v * expit(-v * (y @ U.T))) @ U)
        rows = zeta.astype(np.int64)
        U, v = U[rows], v[rows]
        pull = v * expit(-v * np.matmul(U, y[:, :, None])[..., 0])
        share = len(self.train[i][1]) / rows.shape[1]
        return np.asarray(regular - share * np.matmul(pull[:, None, :], U)[:, 0])

    def lower_solution(self, x: Array) -> Array:
        """``y(x)`` by Newton's method, to a gradient of 1e-13 of the rows' lengths: ``(runs, n) -> (runs, nt)``.

        Raises:
            ValueError: regularisations sum to at most 0, or the tolerance is not reached.
        """
        # Only the sum matters. Every start is 0, so that y(x) does not depend on what else is asked for.
        totals, back = np.unique(self.weights(x).sum(axis=1), return_inverse=True)
        return np.stack([self._solve(float(total)) for total in totals])[back.reshape(-1)]

    def lower_error(self, x: Array, y: Array) -> Array:
        """Bound on ``||y - y(x)||``: the gradient over the modulus of strong convexity: ``(runs,)``."""
        gradient = sum(self.grad_h(i, x, y, None) for i in range(self.m)) / self.m
        return np.asarray(np.linalg.norm(gradient, axis=1) / self.weights(x).mean(axis=1))

    def _solve(self, total: float) -> Array:
        """Newton's method with halved steps, from 0."""
        if not total > 0:
            raise ValueError(f"regularisations sum to {total:g}; y(x) needs a positive sum")
        U, v = self._all_rows
        y, scale = np.zeros(self.nt), float(np.linalg.norm(U, axis=1).sum())
        value = self._total(y, total)
        for _ in range(200):
            off = expit(-v * (U @ y))
            gradient = total * y - (v * off) @ U
            size = float(np.linalg.norm(gradient))
            if size <= TOLERANCE * scale:
                return y
            hessian = (U.T * (off * (1 - off))) @ U
            hessian[np.diag_indices(self.nt)] += total
            step = np.linalg.solve(hessian, gradient)
            length = 1.0
            while length > 1e-8:
                moved = y - length * step
                lower = self._total(moved, total)
                # Where values agree to rounding the full step is the best that is left.
                if lower <= value - length * float(gradient @ step) / 4 + 1e-14 * abs(value):
                    break
                length /= 2
            y, value = moved, lower
        raise ValueError(
            f"y(x) for a sum of {total:g} is known to a gradient of {size:.3g} only; rows may be too large"
        )

    def _total(self, y: Array, total: float) -> float:
        U, v = self._all_rows
        return float(np.logaddexp(0, -v * (U @ y)).sum() + total * (y @ y) / 2)

    @cached_property
    def _all_rows(self) -> tuple[Array, Array]:
        return np.concatenate([U for U, _ in self.train]), np.concatenate([v for _, v in self.train])

    @cached_property
    def constants(self) -> Constants:
        """Upper bounds, for regularisations of at least ``max(floor, low)`` where the floor is 0.

        ``h(x, y(x)) <= h(x, 0)`` bounds ``||y(x)||`` by ``Y = sqrt(2 ln 2 rows/(m mu))``; then
        ``Lam = Y/(sqrt(m) mu)``, ``L_y`` is the largest sum of lengths of test rows, and ``L0 = L_y Lam``.
        """
        mu = self.floor or self.low
        reach = math.sqrt(2 * math.log(2) * len(self._all_rows[1]) / (self.m * mu))
        L_y = max(len(v) * math.sqrt(float((U * U).sum(axis=1).mean())) for U, v in self.test)
        sharpest = max(float(np.linalg.norm(U, 2)) ** 2 / 4 for U, _ in self.train)
        return Constants(
            L0=L_y * reach / (math.sqrt(self.m) * mu),
            nu=0.0 if self.batch is None else math.inf,
            L_y=L_y,
            L_1h=sharpest + self.high,
            mu_h=mu,
            L_h_x=math.inf,
            Lam=reach / (math.sqrt(self.m) * mu),
            **set_facts(self.sets)[0],
        )

    def facts(self) -> dict[str, Fact]:
        """Assumptions 1 and 2, part by part."""
        c, random, floor = self.constants, self.batch is not None, bool(self.floor)
        where = "everywhere" if floor else f"where every x_i >= {self.low:g}, not beyond"
        why = f"h_i(x, .) is {c.mu_h:g}-strongly convex {where}; grad_y h_i grows with x_i y, so L_h_x is inf"
        return {
            "lipschitz": Fact(floor, f"L0 = L_y Lam = {c.L0:g} {where}"),
            "unbiased": Fact(True, "test rows are drawn uniformly" if random else "losses are not random"),
            "variance_bounded": Fact(not random, "no bound is known" if random else "losses are not random"),
            **set_facts(self.sets)[1],
            "implicit_lipschitz": Fact(floor, f"L_imp = {c.L0:g} {where}, L_y = {c.L_y:g}"),
            "lower_level": Fact(False, why),
            "lower_sets": Fact(True, "Y(x) is the whole space"),
            "lower_free": Fact(True, "Y(x) is the whole space"),
            "lower_fixed": Fact(True, "Y(x) is the whole space"),
        }


def random_hyperparameter_learning(
    *,
    m: int = 3,
    rows: int = 20,
    features: int = 3,
    low: float = 0.1,
    high: float = math.inf,
    floor: float = 0.0,
    batch: int | None = None,
    seed: int = 0,
) -> HyperparameterLearning:
    """On :func:`algos.networks.random_rows`, as many for the test as for training."""
    given: dict[str, object] = {"m": m, "rows": rows, "features": features, "low": low, "floor": floor}
    given |= {"high": high if math.isfinite(high) else None, "batch": batch, "seed": seed}
    U, v = random_rows(m, 2 * rows, features, seed)
    halves = [[part[side] for part in data] for side in (slice(rows), slice(rows, None)) for data in (U, v)]
    return HyperparameterLearning(
        *halves, low=low, high=high, floor=floor, batch=batch, name="random_hyperparameter_learning", params=given
    )


def _signs(rows: Sequence[tuple[Array, Array]]) -> list[Array]:
    return [v for _, v in rows]


def _loss(data: tuple[Array, Array], y: Array, rows: Ints | None) -> Array:
    """Logistic loss summed over rows, or estimated from some: ``(runs, nt) -> (runs,)``."""
    U, v = data
    if rows is None:
        return np.asarray(np.logaddexp(0, -v * (y @ U.T)).sum(axis=1))
    margins = v[rows] * np.matmul(U[rows], y[:, :, None])[..., 0]
    return np.asarray(len(v) / rows.shape[1] * np.logaddexp(0, -margins).sum(axis=1))
