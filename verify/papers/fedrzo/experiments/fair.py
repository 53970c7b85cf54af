"""Section 6.3: FedRZO_bl on fair classification, a minimax problem over the losses of the classes.

The printed problem is ``min_x max_y (1/m) sum_i sum_c sum_{l in D_{i,c}} (v_l - net(U_l))^2 - (lambda/2) ||y||^2`` over
``y`` in ``R^C``. As it stands ``y`` does not touch the losses and the maximiser is 0: no minimax problem is left. In
the formulation that the paper cites, ``y_c`` weighs the loss of class ``c``; that is what is run here, with the mean
squared error of each class for its loss. ``Y`` is ``R^C`` as printed, ``y(x) = losses/lambda``, or the simplex, on
which the weights sum to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from rateproof.algos import engine
from rateproof.algos.data import Dealt, Images, Ints, deal, signs
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.methods.fedrzo_lower import FedRZO_bl
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.fair import FairClassification, Weights
from rateproof.verify.papers.fedrzo.experiments import replicates
from rateproof.verify.papers.fedrzo.experiments.images import ODD, random_model


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the experiment is run. The paper prints none of these numbers.

    Attributes:
        m: clients.
        classes: digits that take part; three, as in the formulation that the paper cites.
        test: share of a client's rows held back.
        concentration: of the classes over clients, see :func:`rateproof.algos.data.deal`; 1: hardly two clients alike.
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


def dealt(plan: Plan, images: Images) -> Dealt:
    """The rows of the clients, of the classes that take part."""
    chosen = np.isin(images.label, plan.classes)
    some = Images(images.name, images.U[chosen], images.label[chosen], {"classes": list(plan.classes)})
    return deal(some, m=plan.m, concentration=plan.concentration, test=plan.test, seed=plan.seed)


def problem(plan: Plan, rows: Dealt, *, weights: Weights | None = None) -> FairClassification:
    """The instance of a plan, on the rows for training; ``weights`` takes the place of the plan's."""
    return _on(plan, rows.U, rows.label, rows, weights or plan.weights)


def held_back(plan: Plan, rows: Dealt) -> FairClassification:
    """The same losses on the rows for the test."""
    return _on(plan, rows.U_test, rows.label_test, rows, plan.weights)


def curves(plan: Plan, images: Images) -> dict[str, engine.Result]:
    """Losses against rounds: FedRZO_bl by number of local steps, and FedRZO_nn on the plain mean over the classes."""
    rows, most = dealt(plan, images), plan.local_steps[-1]
    fair, even = problem(plan, rows), problem(plan, rows, weights="even")
    metrics, start = _metrics(held_back(plan, rows)), random_model(plan.seed, plan.scale, fair.n)
    methods: dict[str, tuple[FedRZO, FairClassification]] = {
        f"H = {H}": (FedRZO_bl(gamma=plan.gamma, eta=plan.eta, H=H), fair) for H in plan.local_steps
    }
    methods[f"even weights, H = {most}"] = FedRZO(gamma=plan.gamma, eta=plan.eta, H=most), even
    return {name: replicates.run(plan, method, on, start, metrics) for name, (method, on) in methods.items()}


def _on(plan: Plan, U: tuple[Array, ...], label: tuple[Ints, ...], rows: Dealt, weights: Weights) -> FairClassification:
    """Classes are numbered in increasing order, and the odd digits have the outcome 1."""
    classes = np.unique(np.concatenate(rows.label))
    return FairClassification(
        U,
        [signs(own, ODD) for own in label],
        [np.searchsorted(classes, own) for own in label],
        classes=len(classes),
        hidden=plan.neurons,
        lam=plan.lam,
        weights=weights,
        reduction="mean",
        params={**rows.params, "neurons": plan.neurons, "lam": plan.lam, "weights": weights},
    )


def _metrics(test: FairClassification) -> Mapping[str, Callable[[FairClassification, Array], Array]]:
    """The loss, and of the classes the worst and the mean, on the rows for training and for the test."""
    return {
        "f": lambda p, x: p.f(x),
        "worst": lambda p, x: p.mean_losses(x).max(axis=1),
        "mean": lambda p, x: p.mean_losses(x).mean(axis=1),
        "worst_test": lambda p, x: test.mean_losses(x).max(axis=1),
        "mean_test": lambda p, x: test.mean_losses(x).mean(axis=1),
    }


if __name__ == "__main__":
    replicates.no_command("fair", __doc__)
