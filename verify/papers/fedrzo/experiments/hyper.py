"""Section 6.2: FedRZO_bl chooses the regularisation of a logistic classifier.

Client ``i`` has test rows ``D_i`` and training rows ``D~_i``; its upper loss is the logistic loss on ``D_i`` at ``y``,
its lower loss ``h_i(x, y) = sum_{D~_i} log(1 + exp(-v u'y)) + x_i ||y||^2/2``. The formulas alone say two things:

- ``y(x)`` depends on ``x`` through its mean only: the lower level is one regularised problem with weight ``mean(x)``;
- ``f_i`` does not depend on ``x``, so the delayed estimate of Algorithm 2 is the same in all local steps of a round:
  while no penalty acts, ``H`` steps of size ``gamma`` are one step of size ``H gamma``, path by path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rateproof.algos import engine
from rateproof.algos.data import Images, deal, signs
from rateproof.algos.methods.fedrzo_lower import FedRZO_bl
from rateproof.algos.problems.logistic import HyperparameterLearning
from rateproof.verify.papers.fedrzo.experiments import replicates
from rateproof.verify.papers.fedrzo.experiments.images import ODD


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the experiment is run. The paper prints the problem and none of these numbers.

    Attributes:
        m: clients.
        test: share of a client's rows that the upper loss is measured on.
        concentration: of the classes over clients, see :func:`rateproof.algos.data.deal`; ``inf``: the same shares.
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


METRICS = {"f": lambda p, x: p.f(x), "weight": lambda p, x: x.mean(axis=1)}


def problem(plan: Plan, images: Images) -> HyperparameterLearning:
    """The instance of a plan; odd digits have the outcome 1.

    Raises:
        ValueError: ``mu`` is not positive, or a client has no test row.
    """
    if not 0 < plan.mu < np.inf:
        raise ValueError(f"mu is {plan.mu}; it should be a positive number")
    rows = deal(images, m=plan.m, concentration=plan.concentration, test=plan.test, seed=plan.seed)
    if empty := [i for i, label in enumerate(rows.label_test) if not len(label)]:
        raise ValueError(f"client {empty[0]} has no test row; it should have one: deal with test > 0")
    v, v_test = ([signs(own, ODD) for own in label] for label in (rows.label, rows.label_test))
    params = {**rows.params, "mu": plan.mu, "positive": list(ODD)}
    return HyperparameterLearning(rows.U, v, rows.U_test, v_test, low=plan.mu, params=params)


def curves(plan: Plan, instance: HyperparameterLearning) -> dict[int, engine.Result]:
    """Test loss ``f`` and mean weight against rounds, by number of local steps; the lower level is solved exactly."""
    start = np.full(instance.n, plan.x0)
    return {
        H: replicates.run(plan, FedRZO_bl(gamma=plan.gamma, eta=plan.eta, H=H), instance, start, METRICS)
        for H in plan.local_steps
    }


if __name__ == "__main__":
    replicates.no_command("hyper", __doc__)
