"""Hyperparameter learning: every client tunes its own regularisation of one logistic model (fedrzo, Section 6.2).

Lower level: ``y(x) = argmin (1/m) sum_i ( sum_l ln(1 + exp(-v_l U_l.y)) + x_i ||y||^2/2 )`` on training rows. Upper
level: the logistic loss of ``y(x)`` on test rows, over ``X = {x >= low}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from rateproof.algos.arguments import check_counts
from rateproof.algos.classifiers import Classifiers, grad_logistic, logistic
from rateproof.algos.networks import check_batch, check_rows, draw_rows, random_rows
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.box import client_boxes, set_facts
from rateproof.algos.problems.federated import Bilevel, Constants


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
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

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
        self.train, self.test = _signed(U, v), _signed(U_test, v_test)
        self.m = self.n = len(self.train)
        self.nt = self.train[0].shape[1]
        if len(self.test) != self.m or self.test[0].shape[1] != self.nt:
            raise ValueError("training and test rows differ in clients or features; they should have the same")
        if not 0 < low <= high or not 0 <= floor <= low:
            raise ValueError(
                f"low is {low}, high {high}, floor {floor}; they should satisfy 0 < low <= high and 0 <= floor <= low"
            )
        self.low, self.high, self.floor, self.batch = float(low), float(high), float(floor), check_batch(batch)
        self.sets = client_boxes(low, high, self.m, self.n)
        self.name, self.params = name, dict(params or {})

    def weights(self, x: Array) -> Array:
        """What counts as regularisation, ``max(x, floor)``; shape of ``x``."""
        return np.maximum(x, self.floor) if self.floor else x

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Numbers of test rows, ``(steps, runs, m, batch)``; None without batches."""
        return None if self.batch is None else draw_rows(rng, "xi", round, steps, self.batch, self.test)

    def draw_lower(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Numbers of training rows, ``(steps, runs, m, batch)``; None without batches."""
        return None if self.batch is None else draw_rows(rng, "zeta", round, steps, self.batch, self.train)

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Test losses of the models ``(runs, m, nt)``, which do not depend on ``x``: ``(runs, m)``."""
        if xi is None:
            return np.stack([logistic(rows, y[:, i]) for i, rows in enumerate(self.test)], axis=1)
        picked = xi.astype(np.int64)
        losses = [len(rows) * logistic(rows[picked[:, i]], y[:, i]) for i, rows in enumerate(self.test)]
        return np.asarray(np.stack(losses, axis=1) / picked.shape[-1])

    def f_i(self, i: int, x: Array) -> Array:
        """Test loss of client ``i`` at ``y(x)``: ``(runs, n) -> (runs,)``."""
        return logistic(self.test[i], self.lower_solution(x))

    def f(self, x: Array) -> Array:
        """See :meth:`Federated.f`; one solution serves all clients."""
        return self.loss_at(self.weights(x).mean(axis=1))

    def loss_at(self, mean_weight: Array) -> Array:
        """``f`` as a function of the mean regularisation, on which alone it depends: ``(points,) -> (points,)``."""
        y = self._solutions(self.m * mean_weight)
        return np.asarray(sum(logistic(rows, y) for rows in self.test) / self.m)

    def h(self, x: Array, y: Array) -> Array:
        """Mean lower-level loss: ``(runs, n), (runs, nt) -> (runs,)``."""
        losses = sum(logistic(rows, y) for rows in self.train)
        return np.asarray((losses + self.weights(x).sum(axis=1) * (y * y).sum(axis=1) / 2) / self.m)

    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """Gradient in ``y`` of the lower-level loss of client ``i``, or its estimate: ``(runs, nt)``."""
        rows, regular = self.train[i], self.weights(x)[:, i : i + 1] * y
        if zeta is None:
            return regular + grad_logistic(rows, y)
        return np.asarray(regular + len(rows) / zeta.shape[1] * grad_logistic(rows[zeta.astype(np.int64)], y))

    def lower_solution(self, x: Array) -> Array:
        """``y(x)``, see :class:`rateproof.algos.classifiers.Classifiers`: ``(runs, n) -> (runs, nt)``.

        Raises:
            ValueError: regularisations sum to at most 0, or the tolerance is not reached.
        """
        return self._solutions(self.weights(x).sum(axis=1))

    def lower_error(self, x: Array, y: Array) -> Array:
        """Bound on ``||y - y(x)||``: the gradient over the modulus of strong convexity: ``(runs,)``."""
        gradient = sum(self.grad_h(i, x, y, None) for i in range(self.m)) / self.m
        return np.asarray(np.linalg.norm(gradient, axis=1) / self.weights(x).mean(axis=1))

    def _solutions(self, total: Array) -> Array:
        """``y`` for sums of regularisations: ``(points,) -> (points, nt)``."""
        if not (total > 0).all():
            raise ValueError(
                f"regularisations sum to {total.min():g} at a query; y(x) needs a positive sum: take a smaller eta or "
                "gamma, a larger low, or a floor"
            )
        return self._classifiers.at(total)

    @cached_property
    def _classifiers(self) -> Classifiers:
        return Classifiers(np.concatenate(self.train))

    @cached_property
    def constants(self) -> Constants:
        """Upper bounds, for regularisations of at least ``max(floor, low)`` where the floor is 0.

        ``h(x, y(x)) <= h(x, 0)`` bounds ``||y(x)||`` by ``Y = sqrt(2 ln 2 rows/(m mu))``; then
        ``Lam = Y/(sqrt(m) mu)`` and ``L0 = L_y Lam``. ``L_y`` is the largest sum of lengths of the test rows of a
        client, exact where all can be wrong together; with batches the root mean square over single rows.
        """
        mu = self.floor or self.low
        reach = math.sqrt(2 * math.log(2) * sum(map(len, self.train)) / (self.m * mu))
        lengths = [np.linalg.norm(rows, axis=1) for rows in self.test]
        random = self.batch is not None
        L_y = max(float(len(a) * np.sqrt((a * a).mean()) if random else a.sum()) for a in lengths)
        sharpest = max(float(np.linalg.norm(rows, 2)) ** 2 / 4 for rows in self.train)
        return Constants(
            L0=L_y * reach / (math.sqrt(self.m) * mu),
            nu=math.inf if random else 0.0,
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
    """On :func:`rateproof.algos.networks.random_rows`, as many for the test as for training.

    Args:
        m, features, seed: of the rows.
        rows: of each client for training, and as many for the test.
        low, high, floor, batch: see :class:`HyperparameterLearning`.

    Raises:
        ValueError: as :class:`HyperparameterLearning`.
    """
    check_counts(m=m, rows=rows, features=features)
    given: dict[str, object] = {"m": m, "rows": rows, "features": features, "low": low, "floor": floor}
    given |= {"high": high if math.isfinite(high) else None, "batch": batch, "seed": seed}
    U, v = random_rows(m, 2 * rows, features, seed)
    halves = [[part[side] for part in data] for side in (slice(rows), slice(rows, None)) for data in (U, v)]
    return HyperparameterLearning(
        *halves, low=low, high=high, floor=floor, batch=batch, name="random_hyperparameter_learning", params=given
    )


def _signed(U: Sequence[Array], v: Sequence[Array]) -> tuple[Array, ...]:
    """Rows times their outcome, of each client.

    Raises:
        ValueError: shapes disagree, or an outcome is neither 1 nor -1.
    """
    data = check_rows(U, v)
    if any((np.abs(signs) != 1).any() for _, signs in data):
        raise ValueError("v holds other numbers than 1 and -1; it should hold signs")
    return tuple(signs[:, None] * rows for rows, signs in data)
