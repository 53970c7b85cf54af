"""Section 6.3: FedRZO_bl on fair classification, a minimax problem over the losses of the classes.

The printed problem is ``min_x max_y (1/m) sum_i sum_c sum_{l in D_{i,c}} (v_l - net(U_l))^2 - (lambda/2) ||y||^2`` over
``y`` in ``R^C``. As it stands ``y`` does not touch the losses and the maximiser is 0: no minimax problem is left. In
the formulation that the paper cites, ``y_c`` weighs the loss of class ``c``; that is what is run here. ``Y`` is ``R^C``
as printed, ``y(x) = losses/lambda``, or the simplex, on which the weights sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from algos import engine
from algos.convex_sets import Simplex, WholeSpace
from algos.data import Dealt, Images, Ints, deal, signs
from algos.methods.fedrzo import FedRZO
from algos.methods.fedrzo_lower import FedRZO_bl
from algos.networks import NetworkData, relu
from algos.problems.base import Array, Fact
from algos.problems.box import set_facts
from algos.problems.federated import Bilevel, Constants
from algos.sets import ClientSets
from verify.papers.fedrzo.experiments.images import ODD, random_model

Weights = Literal["space", "simplex", "even"]
WEIGHTS: tuple[Weights, ...] = ("space", "simplex", "even")


class FairClassification(Bilevel):
    """``f_i(x, y) = sum_c y_c loss_{i,c}(x) - (lam/2) ||y||^2`` and ``h_i = -f_i``, for a ReLU network of one layer.

    ``loss_{i,c}`` is the sum of the squared errors on the rows of class ``c`` at client ``i``, times ``m`` over the
    number of rows of that class at all clients: the mean over clients is then the mean over the class. Models are those
    of :class:`algos.networks.NetworkData`.

    Args:
        rows: of the clients, some of them held back.
        neurons: of the layer.
        lam: of the concave term.
        weights: what ``Y`` is; "even" is no set: all weights are ``1/C``, the plain mean over the classes.
        positive: classes whose outcome is 1; that of the others is -1.

    Raises:
        ValueError: ``lam`` is not positive, ``weights`` is unknown, or a part of the data lacks a class.
    """

    def __init__(
        self,
        rows: Dealt,
        *,
        neurons: int = 4,
        lam: float = 0.1,
        weights: Weights = "simplex",
        positive: tuple[int, ...] = ODD,
    ) -> None:
        if not 0 < lam < np.inf:
            raise ValueError(f"lam is {lam}; it should be a positive number")
        if weights not in WEIGHTS:
            raise ValueError(f"weights is '{weights}'; it should be one of {', '.join(WEIGHTS)}")
        self.lam, self.weights = lam, weights
        self.classes = np.unique(np.concatenate(rows.label))
        self.train = _Part(rows.U, rows.label, self.classes, positive, neurons)
        self.test = _Part(rows.U_test, rows.label_test, self.classes, positive, neurons)
        self.n, self.m, self.nt = self.train.data.n, len(rows.U), len(self.classes)
        self.name, self.params = "fair", {**rows.params, "neurons": neurons, "lam": lam, "weights": weights}
        self.sets = ClientSets.same(WholeSpace(self.n), self.m)

    def losses(self, i: int, x: Array) -> Array:
        """``loss_{i,c}``: ``(runs, n) -> (runs, C)``."""
        return self.train.losses(i, x)

    def class_losses(self, x: Array) -> Array:
        """Mean squared error of every class: ``(runs, n) -> (runs, C)``."""
        return self.train.mean(x)

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """``f_i(x_i, y_i)``: ``(runs, m)``."""
        return np.stack([self._value(i, x[:, i], y[:, i]) for i in range(self.m)], axis=1)

    def f_i(self, i: int, x: Array) -> Array:
        """Implicit loss of client ``i``: ``(runs,)``."""
        return self._value(i, x, self.lower_solution(x))

    def f(self, x: Array) -> Array:
        """Implicit loss ``max_y``: ``(runs,)``."""
        losses = self.class_losses(x)
        y = self._best(losses)
        return np.asarray((y * losses).sum(axis=1) - self.lam / 2 * (y * y).sum(axis=1))

    def lower_solution(self, x: Array) -> Array:
        """The weights of the classes: ``(runs, C)``."""
        return self._best(self.class_losses(x))

    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """``lam y - loss_i``: ``(runs, C)``."""
        return self.lam * y - self.losses(i, x)

    def project_lower(self, x: Array, y: Array) -> Array:
        """On ``Y``: ``(runs, C)``."""
        return Simplex(self.nt).project(y) if self.weights == "simplex" else y

    @cached_property
    def constants(self) -> Constants:
        """The losses are quartic in the model: no Lipschitz constant. ``h_i`` is ``lam``-strongly convex and smooth."""
        known, _ = set_facts(self.sets)
        return Constants(L0=np.inf, L_y=np.inf, L_1h=self.lam, mu_h=self.lam, L_h_x=np.inf, **known)

    def facts(self) -> dict[str, Fact]:
        """Assumption 2, part by part."""
        _, about_sets = set_facts(self.sets)
        quartic = "squared errors of a product of weights: quartic in the model, Lipschitz on bounded sets only"
        shape = "R^C" if self.weights == "space" else "the simplex"
        return {
            "lipschitz": Fact(False, quartic),
            "unbiased": Fact(True, "the losses are not random"),
            "variance_bounded": Fact(True, "the losses are not random"),
            **about_sets,
            "implicit_lipschitz": Fact(False, quartic),
            "lower_level": Fact(False, f"grad_y h_i(., y) is minus the class losses, {quartic}"),
            "lower_sets": Fact(True, f"Y(x) is {shape}"),
            "lower_free": Fact(self.weights == "space", f"Y(x) is {shape}"),
            "lower_constant": Fact(True, f"Y(x) is {shape}"),
        }

    def _best(self, losses: Array) -> Array:
        if self.weights == "even":
            return np.full_like(losses, 1 / self.nt)
        return self.project_lower(losses, losses / self.lam)

    def _value(self, i: int, x: Array, y: Array) -> Array:
        return np.asarray((y * self.losses(i, x)).sum(axis=1) - self.lam / 2 * (y * y).sum(axis=1))


class _Part:
    """Rows of all clients as a network sees them, and ``m / (rows of the class)`` in the column of their class."""

    def __init__(
        self, U: tuple[Array, ...], label: tuple[Ints, ...], classes: Ints, positive: tuple[int, ...], neurons: int
    ) -> None:
        self.data = NetworkData(U, [signs(own, positive) for own in label], hidden=neurons, lam=0.0)
        member = [(own[:, None] == classes).astype(np.float64) for own in label]
        count = np.asarray(sum(own.sum(axis=0) for own in member))
        if not count.all():
            raise ValueError(f"class {classes[count == 0][0]} has no row in a part of the data; it should have one")
        self.share = tuple(len(U) * own / count for own in member)

    def losses(self, i: int, x: Array) -> Array:
        return np.asarray(self.data.residuals(i, x, relu) ** 2 @ self.share[i])

    def mean(self, x: Array) -> Array:
        return np.asarray(sum(self.losses(i, x) for i in range(self.data.m)) / self.data.m)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the experiment is run. The paper prints none of these numbers.

    Attributes:
        m: clients.
        classes: digits that take part; three, as in the formulation that the paper cites.
        test: share of a client's rows held back.
        concentration: of the classes over clients, see :func:`algos.data.deal`; 1: hardly two clients alike.
        neurons: of the layer, as in Section 6.1.
        lam: of the concave term.
        weights: what ``Y`` is.
        gamma, eta: stepsize and radius.
        scale: deviation of the entries of the start.
        R: rounds.
        runs: replicates, with one start; their mean has a 95% interval.
        seed: of the division of the data, the start and all draws.
    """

    m: int = 5
    classes: tuple[int, ...] = (3, 5, 8)
    test: float = 0.2
    concentration: float = 1.0
    neurons: int = 4
    lam: float = 0.1
    weights: Weights = "simplex"
    gamma: float = 2e-4
    eta: float = 0.01
    scale: float = 0.1
    local_steps: tuple[int, ...] = (1, 5, 10, 20)
    R: int = 200
    runs: int = 5
    seed: int = 0


METRICS = {
    "f": lambda p, x: p.f(x),
    "worst": lambda p, x: p.train.mean(x).max(axis=1),
    "mean": lambda p, x: p.train.mean(x).mean(axis=1),
    "worst_test": lambda p, x: p.test.mean(x).max(axis=1),
    "mean_test": lambda p, x: p.test.mean(x).mean(axis=1),
}


def problem(plan: Plan, images: Images, *, weights: Weights | None = None) -> FairClassification:
    """The instance of a plan; ``weights`` takes the place of the plan's."""
    chosen = np.isin(images.label, plan.classes)
    some = Images(images.name, images.U[chosen], images.label[chosen], {"classes": list(plan.classes)})
    rows = deal(some, m=plan.m, concentration=plan.concentration, test=plan.test, seed=plan.seed)
    return FairClassification(rows, neurons=plan.neurons, lam=plan.lam, weights=weights or plan.weights)


def curves(plan: Plan, images: Images) -> dict[str, engine.Result]:
    """Losses against rounds: FedRZO_bl by number of local steps, and FedRZO_nn on the plain mean over the classes."""
    fair, most = problem(plan, images), plan.local_steps[-1]
    runs = {f"H = {H}": _run(plan, FedRZO_bl(gamma=plan.gamma, eta=plan.eta, H=H), fair) for H in plan.local_steps}
    even = FedRZO(gamma=plan.gamma, eta=plan.eta, H=most)
    return runs | {f"even weights, H = {most}": _run(plan, even, problem(plan, images, weights="even"))}


def _run(plan: Plan, method: FedRZO, on: FairClassification) -> engine.Result:
    return engine.run(
        method,
        on,
        random_model(plan.seed, plan.scale, on.n),
        R=plan.R,
        runs=plan.runs,
        seed=plan.seed,
        record=range(0, plan.R + 1, max(1, plan.R // 20)),
        metrics=METRICS,
    )
