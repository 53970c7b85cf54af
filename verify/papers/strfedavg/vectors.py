"""Quadratic clients in the vectors of the proofs: at points, and in one round of Algorithm 1."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rateproof.algos.problems.base import Array
from rateproof.algos.problems.quadratic import QuadraticBilevel
from rateproof.theory.papers.strfedavg.one_round import k
from rateproof.theory.symbols import r
from rateproof.verify.form.local_steps import CLIENT, LocalSteps
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axes, Axis, Function, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import Unlisted
from rateproof.verify.papers.strfedavg import instances


class Clients(Axes):
    """The losses of all clients at points of all outcomes: one of no chance, unless said otherwise."""

    def __init__(
        self, problem: QuadraticBilevel, eta: float, chances: Mapping[Axis, Sequence[float]] | None = None
    ) -> None:
        self.problem, self.eta = problem, eta
        self.chances = {COORDINATE: [1.0] * problem.n, CLIENT: [1 / problem.N] * problem.N, **(chances or {})}

    def point(self, x: Array) -> Grid:
        """The same point in all outcomes."""
        return self.along(COORDINATE, x)

    def of_client(self, i: int, points: Grid, outer: float, inner: float) -> tuple[Grid, Grid]:
        """The gradient and the value of ``outer f_i + inner h_i``."""
        weighted = ((outer, self.problem.outer), (inner, self.problem.inner))
        flat = np.broadcast_to(points, (self.problem.n, *points.shape[1:])).reshape(self.problem.n, -1)
        slopes = sum(w * of.gradient(i, flat.T).T for w, of in weighted)
        values = sum(w * of.value(i, flat.T) for w, of in weighted)
        return np.reshape(slopes, (-1, *points.shape[1:])), np.reshape(values, (1, *points.shape[1:]))

    def minima(self) -> dict[str, Grid]:
        """The minimisers of the clients' losses."""
        levels = {"x_f*": self.problem.outer, "x_h*": self.problem.inner}
        return {name: self.stacked(CLIENT, [*map(self.point, of.minima[0])]) for name, of in levels.items()}

    def functions(self) -> dict[str, Function]:
        """The losses of the clients, and their means."""
        of_clients = {}
        for name, weights in {"f": (1, 0), "h": (0, 1), "F": (self.eta, 1)}.items():
            each_one = [partial(self.of_client, i, outer=weights[0], inner=weights[1]) for i in range(self.problem.N)]
            of_clients[name] = self.by_value(CLIENT, each_one)
        means = {name: self.mean_of(of, CLIENT) for name, of in of_clients.items()}
        return {"f_i": of_clients["f"], "h_i": of_clients["h"], "phi_i": of_clients["F"], **means}


def at_points(problem: QuadraticBilevel, eta: float, **points: Sequence[float]) -> InOutcomes:
    """Points of a problem, the solution among them, and the minimisers of the clients' losses."""
    clients = Clients(problem, eta)
    made = {name: clients.point(np.array(x)) for name, x in points.items()}
    made["sol"] = clients.point(problem.bilevel_solution())
    made |= clients.minima()
    lowest = clients.functions()["F"](clients.point(problem.regularised_solution(eta)))[1]
    numbers, knows = {"phi_s": float(lowest.item())}, words(clients.chances, "xi")
    outcomes = Outcomes(clients.chances, made, clients.functions(), knows, numbers=numbers)
    return lambda _: iter([outcomes])


def one_round(instance: instances.Setting) -> InOutcomes:
    """The first round of an instance, with noises of two values that have the variances of its own.

    Raises:
        Unlisted: a noise has more than one direction, or there are too many outcomes.
    """
    problem = instances.build(instance)
    values = instances.method_values(instance, instances.constants(problem))
    eta, gamma_l, K, S, N = values["eta"], values["gamma_l"], instance.K, int(values["S"]), problem.N
    covariances = zip(("xi", "zeta"), problem.noise.covariances(problem.n), strict=True)
    sizes = {source: np.sqrt(np.diag(c)) for source, c in covariances}
    if any(np.count_nonzero(size) > 1 for size in sizes.values()):
        raise Unlisted("noises of several directions are not listed")
    run = LocalSteps(N, K, sizes, {"sample": itertools.combinations(range(N), S)}, problem.n)
    clients = Clients(problem, eta, run.chances)
    best = problem.regularised_solution(eta)
    x = y = run.past(clients.point(best if instance.start is None else np.array(instance.start)))
    steps, slope = list[dict[str, Grid]](), clients.functions()["phi_i"]
    for j in range(K):
        n_f, n_h = (run.noise(source, j) for source in sizes)
        steps.append({"y": y, "n_f": n_f, "n_h": n_h})
        y = y - gamma_l * (slope(y)[0] + eta * n_f + n_h)
    return run.outcomes(
        clients.functions(),
        {"x": x, "x*": clients.point(best), "sol": clients.point(problem.bilevel_solution()), **clients.minima()},
        [*steps, {"y": y}],
        k,
        numbers={"gamma_t": gamma_l * values["gamma_g"] * K},
        term={r: 1},
    )
