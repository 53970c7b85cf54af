"""Section 6.1: FedRZO_nn on a ReLU network, beside first-order methods on the same network with softplus units.

All are measured in the loss of the ReLU network. Printed: the loss (a sum over rows, not a mean), five clients, four
neurons, ``gamma = 1e-5``, ``lam = 0.01``, the radii and the numbers of local steps; the figures have no numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rateproof.algos import engine
from rateproof.algos.data import Dealt, Images, deal, signs
from rateproof.algos.methods.control import Scaffnew
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.methods.proximal import FedMSPP, FedProx
from rateproof.algos.noise import MiniBatch
from rateproof.algos.problems.networks import ReluNetwork, SoftplusNetwork
from rateproof.verify.papers.fedrzo.experiments import replicates
from rateproof.verify.papers.fedrzo.experiments.images import ODD, random_model

#: Of Figure 2, besides FedRZO_nn.
METHODS = ("FedAvg", "FedProx", "FedMSPP", "Scaffnew")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the experiment is run. Printed: ``m``, ``neurons``, ``lam``, ``gamma``, the radii, ``local_steps``.

    Attributes:
        m: clients.
        neurons: of the layer.
        lam: of the regularisation.
        gamma: stepsize, of all methods.
        radii: of the ball, Figure 1.
        local_steps: of FedRZO_nn, Figure 1.
        radius: of the ball in the comparison, Figure 2.
        betas: sharpness of the softplus units; not printed.
        proximal: weight ``mu`` of FedProx, and ``1/eta`` of FedMSPP; not printed.
        batch: rows of a sample; not printed. A single row makes the method diverge on MNIST with the printed stepsize
            and twenty local steps.
        concentration: of the classes over clients, see :func:`rateproof.algos.data.deal`; not printed.
        scale: deviation of the entries of the start; not printed.
        R: rounds; the figures' axes are not printed.
        runs: replicates from one start; their mean has a 95% interval.
        seed: of the division of the data, the start and all draws.
    """

    m: int = 5
    neurons: int = 4
    lam: float = 0.01
    gamma: float = 1e-5
    radii: tuple[float, ...] = (0.1, 0.01, 0.001)
    local_steps: tuple[int, ...] = (1, 5, 10, 20)
    radius: float = 0.01
    betas: tuple[float, ...] = (1.0, 3.0, 10.0, 100.0)
    proximal: float = 10.0
    batch: int | None = 30
    concentration: float = np.inf
    scale: float = 0.1
    R: int = 200
    runs: int = 5
    seed: int = 0


def dealt(plan: Plan, images: Images) -> Dealt:
    """The rows of the clients."""
    return deal(images, m=plan.m, concentration=plan.concentration, seed=plan.seed)


def relu_network(plan: Plan, rows: Dealt) -> ReluNetwork:
    """The problem of FedRZO_nn; odd digits have the outcome 1."""
    v = [signs(label, ODD) for label in rows.label]
    return ReluNetwork(rows.U, v, hidden=plan.neurons, weight_decay=plan.lam, batch=plan.batch, params=rows.params)


def softplus_network(plan: Plan, rows: Dealt, beta: float) -> SoftplusNetwork:
    """The problem of the other methods."""
    v = [signs(label, ODD) for label in rows.label]
    noise = None if plan.batch is None else MiniBatch(plan.batch)
    return SoftplusNetwork(
        rows.U, v, hidden=plan.neurons, weight_decay=plan.lam, beta=beta, noise=noise, params=rows.params
    )


def by_local_steps(plan: Plan, problem: ReluNetwork) -> dict[tuple[float, int], engine.Result]:
    """Figure 1: the loss against rounds, by radius and number of local steps."""
    return {
        (eta, H): _run(plan, FedRZO(gamma=plan.gamma, eta=eta, H=H), problem, lambda p, x: p.f(x))
        for eta in plan.radii
        for H in plan.local_steps
    }


def others(plan: Plan, K: int) -> Mapping[str, Any]:
    """The methods of Figure 2 with the same stepsize and ``K`` local steps, on average for Scaffnew."""
    gamma, mu = plan.gamma, plan.proximal
    return {
        "FedAvg": FedAvg(gamma_l=gamma, K=K, S=plan.m),
        "FedProx": FedProx(mu_prox=mu, gamma_l=gamma, K=K, S=plan.m),
        "FedMSPP": FedMSPP(eta=1 / mu, gamma_l=gamma, K=K, S=plan.m),
        "Scaffnew": Scaffnew(gamma=plan.gamma, p=1 / K),
    }


def by_sharpness(
    plan: Plan, rows: Dealt, K: int, names: Collection[str] = METHODS
) -> dict[tuple[str, float], engine.Result]:
    """Figure 2: the ReLU loss against rounds, by method and sharpness; ``names`` are the methods that run."""
    return {
        (name, beta): _run(plan, method, softplus_network(plan, rows, beta), lambda p, x: p.relu_loss(x))
        for beta in plan.betas
        for name, method in others(plan, K).items()
        if name in names
    }


def last(results: Iterable[engine.Result]) -> list[float]:
    """Mean loss after the last round."""
    return [float(r.last["loss"][-1].mean()) for r in results]


def _run(plan: Plan, method: Any, problem: Any, loss: Any) -> engine.Result:
    return replicates.run(plan, method, problem, random_model(plan.seed, plan.scale, problem.n), {"loss": loss})


if __name__ == "__main__":
    replicates.no_command("network", __doc__)
