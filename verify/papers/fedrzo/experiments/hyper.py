"""Section 6.2: FedRZO_bl chooses the regularisation of a logistic classifier.

Client ``i`` has test rows ``D_i`` and training rows ``D~_i``; its upper loss is the logistic loss on ``D_i`` at ``y``,
its lower loss ``h_i(x, y) = sum_{D~_i} log(1 + exp(-v u'y)) + x_i ||y||^2/2``. The formulas alone say two things:

- ``y(x)`` depends on ``x`` through its mean only: the lower level is one regularised problem with weight ``mean(x)``;
- ``f_i`` does not depend on ``x``, so the delayed estimate of Algorithm 2 is the same in all local steps of a round:
  while no penalty acts, ``H`` steps of size ``gamma`` are one step of size ``H gamma``, path by path.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from algos import engine
from algos.convex_sets import Box
from algos.data import Dealt, Images, deal, signs
from algos.methods.fedrzo_lower import FedRZO_bl
from algos.problems.base import Array, Fact
from algos.problems.box import set_facts
from algos.problems.federated import Bilevel, Constants
from algos.sets import ClientSets
from verify.papers.fedrzo.experiments.images import ODD
from verify.papers.fedrzo.experiments.logistic import Classifiers, grad_logistic, logistic


class Hyperparameters(Bilevel):
    """One regularisation weight per client, ``x`` in ``{x >= mu}``.

    Args:
        rows: of the clients: ``U`` and ``label`` train, ``U_test`` and ``label_test`` test.
        mu: least weight.
        positive: classes that count as ``v = 1``.

    Raises:
        ValueError: ``mu`` is not positive, or a client has no test row.
    """

    def __init__(self, rows: Dealt, *, mu: float, positive: tuple[int, ...] = ODD) -> None:
        if not 0 < mu < np.inf:
            raise ValueError(f"mu is {mu}; it should be a positive number")
        if empty := [i for i, label in enumerate(rows.label_test) if not len(label)]:
            raise ValueError(f"client {empty[0]} has no test row; deal with test > 0")
        self.m = self.n = len(rows.U)
        self.nt = rows.U[0].shape[1]
        self.mu, self.name = mu, "hyperparameters"
        self.params = {**rows.params, "mu": mu, "positive": list(positive)}
        self.sets = ClientSets.same(Box(np.full(self.n, mu), np.full(self.n, np.inf)), self.m)
        # Rows times their outcome: all that the losses use.
        self.train = tuple(signs(v, positive)[:, None] * U for U, v in zip(rows.U, rows.label, strict=True))
        self.test = tuple(signs(v, positive)[:, None] * U for U, v in zip(rows.U_test, rows.label_test, strict=True))
        self.classifiers = Classifiers(np.concatenate(self.train), 1 / self.m)

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Logistic losses on the test rows, which do not depend on ``x``: ``(runs, m)``."""
        return np.stack([logistic(self.test[i], y[:, i]) for i in range(self.m)], axis=1)

    def f_i(self, i: int, x: Array) -> Array:
        """Implicit loss of client ``i``: ``(runs,)``."""
        return logistic(self.test[i], self.lower_solution(x))

    def f(self, x: Array) -> Array:
        """Implicit loss: ``(runs,)``."""
        return self.loss_at(x.mean(axis=1))

    def loss_at(self, weight: Array) -> Array:
        """Implicit loss as a function of the mean weight, ``(points,) -> (points,)``."""
        y = self.classifiers.at(weight)
        return np.asarray(sum(logistic(rows, y) for rows in self.test) / self.m)

    def lower_solution(self, x: Array) -> Array:
        """The regularised classifier: ``(runs, nt)``."""
        return self.classifiers.at(x.mean(axis=1))

    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """Gradient of ``h_i`` in ``y``: ``(runs, nt)``."""
        return grad_logistic(self.train[i], y) + x[:, i : i + 1] * y

    @cached_property
    def constants(self) -> Constants:
        """``L_y`` exactly where all rows of a client can be wrong together; the lower level's on ``x >= mu`` only.

        ``L_1h`` is that of the logistic part, to which the weight adds. ``grad_y h_i(., y)`` is ``||y||``-Lipschitz,
        for which there is no bound over all ``y``.
        """
        slopes = [float(np.linalg.norm(rows, axis=1).sum()) for rows in self.test]
        curvature = max(float(np.linalg.norm(rows, ord=2) ** 2 / 4) for rows in self.train)
        known, _ = set_facts(self.sets)
        return Constants(L0=np.nan, L_y=max(slopes), L_1h=curvature, mu_h=self.mu, L_h_x=np.inf, **known)

    def facts(self) -> dict[str, Fact]:
        """Assumption 2, part by part."""
        _, about_sets = set_facts(self.sets)
        outside = "h_i(x, .) is mu-strongly convex for x >= mu; the method asks for y(x + v) outside of it too"
        return {
            "lipschitz": Fact(False, "no bound is known for x near 0, where y(x) moves fast"),
            "unbiased": Fact(True, "the losses are not random"),
            "variance_bounded": Fact(True, "the losses are not random"),
            **about_sets,
            "implicit_lipschitz": Fact(False, "no bound is known for x near 0, where y(x) moves fast"),
            "lower_level": Fact(False, f"grad_y h_i(., y) has the modulus ||y||, unbounded over y; {outside}"),
            "lower_sets": Fact(True, "Y(x) = R^nt"),
            "lower_free": Fact(True, "Y(x) = R^nt"),
            "lower_constant": Fact(True, "Y(x) = R^nt"),
        }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the experiment is run. The paper prints the problem and none of these numbers.

    Attributes:
        m: clients.
        test: share of a client's rows that the upper loss is measured on.
        concentration: of the classes over clients, see :func:`algos.data.deal`; ``inf``: the same shares.
        mu: least weight.
        x0: start, the same for all clients.
        gamma, eta: ``gamma <= eta`` keeps the penalty stable, and ``eta < mu`` every query where ``y`` exists.
        R: rounds.
        runs: replicates; their mean has a 95% interval.
        seed: of the division of the data and of all draws.
    """

    m: int = 5
    test: float = 0.2
    concentration: float = np.inf
    mu: float = 0.05
    x0: float = 5.0
    gamma: float = 0.03
    eta: float = 0.03
    local_steps: tuple[int, ...] = (1, 5, 10, 20)
    R: int = 200
    runs: int = 10
    seed: int = 0


def problem(plan: Plan, images: Images) -> Hyperparameters:
    """The instance of a plan."""
    rows = deal(images, m=plan.m, concentration=plan.concentration, test=plan.test, seed=plan.seed)
    return Hyperparameters(rows, mu=plan.mu)


def curves(plan: Plan, instance: Hyperparameters) -> dict[int, engine.Result]:
    """Test loss ``f`` and mean weight against rounds, by number of local steps; the lower level is solved exactly."""
    return {
        H: engine.run(
            FedRZO_bl(gamma=plan.gamma, eta=plan.eta, H=H),
            instance,
            np.full(instance.n, plan.x0),
            R=plan.R,
            runs=plan.runs,
            seed=plan.seed,
            record=range(0, plan.R + 1, max(1, plan.R // 20)),
            metrics={"f": lambda p, x: p.f(x), "weight": lambda p, x: x.mean(axis=1)},
        )
        for H in plan.local_steps
    }
