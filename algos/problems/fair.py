"""Fair classification: a network that is good on its worst classes, as a minimax problem (fedrzo, Section 6.3).

``min_x max_y (1/m) sum_i sum_c y_c l_ic(x) - (lam/2)||y||^2`` with ``l_ic`` the sum of squares ``(v_l - net(U_l))^2``
of a two-layer ReLU network over the rows of class ``c`` at client ``i``. The weights ``y_c`` of the classes are those
of the formulation that the paper cites; its own formula shows none, and then ``y(x) = 0``. The maximiser is the
projection of ``(1/m) sum_i l_i(x)/lam`` on the set ``Y`` of weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from rateproof.algos.arguments import check_counts
from rateproof.algos.convex_sets import Simplex
from rateproof.algos.networks import NetworkData, check_batch, draw_rows, random_rows, relu
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.box import bounded, set_facts
from rateproof.algos.problems.federated import Bilevel, Constants

Weights = Literal["simplex", "free", "even"]
WEIGHTS: tuple[Weights, ...] = ("simplex", "free", "even")
Reduction = Literal["sum", "mean"]


class FairClassification(Bilevel):
    """The problem as a bilevel one with ``h~_i = -f~_i``; ``nt`` is the number of classes.

    Args:
        U, v: rows of each client, ``(rows_i, N0)``, and their outcomes ``(rows_i,)``.
        label: classes of the rows, whole numbers from 0, ``(rows_i,)``.
        classes: their number; 1 more than the largest label when left out.
        hidden: units of the network.
        lam: of the concave term, positive.
        weights: ``Y`` is the whole space when "free", as printed, the "simplex", or the one point ``(1/C, ..., 1/C)``
            when "even": no minimax problem, but the plain mean over the classes beside it.
        reduction: "sum" is as printed; "mean" weighs a row by ``m`` over the number of rows of its class at all
            clients, so that the mean of ``l_i`` over clients is the mean over the rows of each class.
        bound: every ``X_i`` is the box ``[-bound, bound]^n``; inf: the whole space.
        batch: rows of a sample, uniform with replacement; None: nothing is random.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Raises:
        ValueError: shapes disagree, a class is not a whole number from 0, a number is out of range, or there is a class
            without a row, which has no mean.
    """

    def __init__(
        self,
        U: Sequence[Array],
        v: Sequence[Array],
        label: Sequence[Ints],
        *,
        classes: int | None = None,
        hidden: int = 4,
        lam: float = 0.01,
        weights: Weights = "free",
        reduction: Reduction = "sum",
        bound: float = math.inf,
        batch: int | None = None,
        name: str = "fair_classification",
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.data = NetworkData(U, v, hidden=hidden, weight_decay=0.0)
        if not 0 < lam < math.inf:
            raise ValueError(f"lam is {lam}; it should be a positive number, else y(x) is not unique")
        if weights not in WEIGHTS:
            raise ValueError(f"weights is '{weights}'; it should be one of {', '.join(WEIGHTS)}")
        if reduction not in ("sum", "mean"):
            raise ValueError(f"reduction is '{reduction}'; it should be 'sum' or 'mean'")
        self._shares = _shares(label, self.data.v, classes, reduction)
        self.nt = self._shares[0].shape[1]
        self.n, self.m, self.lam, self.weights = self.data.n, self.data.m, float(lam), weights
        self.batch, self.sets = check_batch(batch), bounded(bound, self.m, self.n)
        self.bound, self.name, self.params = float(bound), name, dict(params or {})

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Numbers of rows, ``(steps, runs, m, batch)``; None without batches."""
        return None if self.batch is None else draw_rows(rng, "xi", round, steps, self.batch, self.data.v)

    def draw_lower(self, rng: Streams, round: int, steps: int) -> Array | None:
        """As :meth:`draw`, of its own stream."""
        return None if self.batch is None else draw_rows(rng, "zeta", round, steps, self.batch, self.data.v)

    def class_losses(self, i: int, x: Array, rows: Ints | None = None) -> Array:
        """``l_i(x)``, or its estimate from rows ``(runs, q)``: ``(runs, n) -> (runs, nt)``."""
        if rows is not None:
            left = self.data.sampled_residuals(i, x, relu, rows)
            share = len(self.data.v[i]) / rows.shape[1]
            return np.asarray(share * np.einsum("rq,rqc->rc", left * left, self._shares[i][rows]))
        total = np.zeros((len(x), self.nt))
        for piece in self.data.pieces(i, len(x)):
            left = self.data.residuals(i, x, relu, piece)
            total += (left * left) @ self._shares[i][piece]
        return total

    def mean_losses(self, x: Array) -> Array:
        """``(1/m) sum_i l_i(x)``: ``(runs, n) -> (runs, nt)``."""
        return np.asarray(sum(self.class_losses(i, x) for i in range(self.m)) / self.m)

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """``y_i.l_i(x_i) - (lam/2)||y_i||^2``: ``(runs, m)``."""
        picked = [None if xi is None else xi[:, i].astype(np.int64) for i in range(self.m)]
        return np.stack([self._value(y[:, i], self.class_losses(i, x[:, i], picked[i])) for i in range(self.m)], axis=1)

    def f_i(self, i: int, x: Array) -> Array:
        """Loss of client ``i`` at the maximiser of the mean: ``(runs, n) -> (runs,)``."""
        return self._value(self.lower_solution(x), self.class_losses(i, x))

    def f(self, x: Array) -> Array:
        """See :meth:`Federated.f`; one maximiser serves all clients."""
        mean = self.mean_losses(x)
        return self._value(self.project_lower(x, mean / self.lam), mean)

    def lower_solution(self, x: Array) -> Array:
        """``y(x)``: ``(runs, n) -> (runs, nt)``."""
        if self.weights == "even":
            return self.project_lower(x, np.empty((len(x), self.nt)))
        return self.project_lower(x, self.mean_losses(x) / self.lam)

    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """``lam y - l_i(x)``, or its estimate from rows: ``(runs, nt)``."""
        return self.lam * y - self.class_losses(i, x, None if zeta is None else zeta.astype(np.int64))

    def project_lower(self, x: Array, y: Array) -> Array:
        """Projection on ``Y``: ``(runs, nt)``."""
        if self.weights == "even":
            return np.full_like(y, 1 / self.nt)
        return Simplex(self.nt).project(y) if self.weights == "simplex" else y

    @cached_property
    def constants(self) -> Constants:
        """Of ``y`` alone; losses of a network have no constants in ``x`` on the whole space."""
        inf = math.inf
        nu = 0.0 if self.batch is None else inf
        known = set_facts(self.sets)[0]
        return Constants(L0=inf, nu=nu, L_y=inf, L_1h=self.lam, mu_h=self.lam, L_h_x=inf, Lam=inf, **known)

    def facts(self) -> dict[str, Fact]:
        """Assumptions 1 and 2, part by part, with ``h_i = -f_i``."""
        random, free = self.batch is not None, self.weights == "free"
        y = {"free": "Y is the whole space", "simplex": "Y is the simplex", "even": "Y is one point"}[self.weights]
        grows = "losses of a network grow like the fourth power of a model"
        return {
            "lipschitz": Fact(False, grows),
            "unbiased": Fact(True, "rows are drawn uniformly" if random else "losses are not random"),
            "variance_bounded": Fact(not random, "it grows with the model" if random else "losses are not random"),
            **set_facts(self.sets)[1],
            "implicit_lipschitz": Fact(False, grows),
            "lower_level": Fact(False, f"-f_i has Hessian {self.lam:g} I in y; grad_y f_i(., y) is not Lipschitz"),
            "lower_sets": Fact(True, y),
            "lower_free": Fact(free, y),
            "lower_fixed": Fact(True, y),
        }

    def _value(self, y: Array, losses: Array) -> Array:
        """``y.l - (lam/2)||y||^2``: ``(runs,)``."""
        return np.asarray((y * (losses - self.lam / 2 * y)).sum(axis=-1))


def random_fair_classification(
    *,
    m: int = 3,
    rows: int = 20,
    features: int = 4,
    classes: int = 3,
    hidden: int = 2,
    lam: float = 1.0,
    weights: Weights = "free",
    reduction: Reduction = "sum",
    bound: float = math.inf,
    batch: int | None = None,
    seed: int = 0,
) -> FairClassification:
    """On :func:`rateproof.algos.networks.random_rows`, with classes dealt in turn.

    Args:
        m, rows, features, seed: of the rows.
        classes: number of classes.
        hidden, lam, weights, reduction, bound, batch: see :class:`FairClassification`.

    Raises:
        ValueError: as :class:`FairClassification`.
    """
    check_counts(classes=classes)
    given: dict[str, object] = {"m": m, "rows": rows, "features": features, "classes": classes, "hidden": hidden}
    given |= {"lam": lam, "weights": weights, "reduction": reduction}
    given |= {"bound": bound if math.isfinite(bound) else None, "batch": batch, "seed": seed}
    U, v = random_rows(m, rows, features, seed)
    label = [np.arange(rows) % classes for _ in range(m)]
    return FairClassification(
        U,
        v,
        label,
        classes=classes,
        hidden=hidden,
        lam=lam,
        weights=weights,
        reduction=reduction,
        bound=bound,
        batch=batch,
        name="random_fair_classification",
        params=given,
    )


def _shares(label: Sequence[Ints], v: Sequence[Array], classes: int | None, reduction: Reduction) -> tuple[Array, ...]:
    """What a row counts for in each class: 0 in all but its own, ``(rows_i, classes)``.

    Raises:
        ValueError: as :class:`FairClassification`.
    """
    own = [np.asarray(part) for part in label]
    if len(own) != len(v):
        raise ValueError(f"label has {len(own)} clients; it should have {len(v)}")
    for i, part in enumerate(own):
        if part.shape != v[i].shape or (part < 0).any() or (part % 1).any():
            raise ValueError(f"label of client {i} should hold a class, a whole number from 0, for each of its rows")
    most = 1 + max(int(part.max()) for part in own)
    if classes is not None and classes < most:
        raise ValueError(f"classes is {classes}; it should be at least {most}, 1 more than the largest label")
    member = [np.eye(classes or most)[part.astype(np.int64)] for part in own]
    if reduction == "sum":
        return tuple(member)
    count = np.asarray(sum(part.sum(axis=0) for part in member))
    if not count.all():
        raise ValueError(f"class {count.argmin()} has no row; with reduction = 'mean' each class should have one")
    return tuple(len(v) * part / count for part in member)
