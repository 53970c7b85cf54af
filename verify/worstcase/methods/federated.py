"""StR-FedAvg, FedAvg and regularised gradient descent, without noise and with all clients in every round.

The round is that of strfedavg, Algorithm 1, with full participation: every client takes ``K`` local steps from the
server model ``x^{r-1}``, and the server moves from there by ``gamma_g`` times the average of the differences to ``x^r``
(line 14 prints ``x^r`` and ``x^{r+1}``, by which the first round would start from a model that does not exist).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rateproof.verify.worstcase.clients import Layout
from rateproof.verify.worstcase.exact import Exact, exact
from rateproof.verify.worstcase.methods import known
from rateproof.verify.worstcase.methods.base import (
    Case,
    Known,
    Method,
    Number,
    count,
    curvature,
    mean,
    new_problem,
    nonnegative,
    nothing,
    origin,
    positive,
    smooth,
    start_at_one,
)


def fedavg(
    *,
    N: Number = 2,
    K: Number = 2,
    R: Number = 1,
    L: Number = 1,
    mu: Number = 0,
    gamma_l: Number | None = None,
    gamma_g: Number = 1,
    zeta: Number = 1,
    metric: str = "gap",
) -> Case:
    """FedAvg (McMahan et al. 2017), that is Local SGD without noise, on ``f = (1/N) sum_i f_i``.

    Every ``f_i`` is ``mu``-strongly convex and ``L``-smooth, ``x*`` is a minimiser of ``f``, ``||x^0 - x*||^2 <= 1``,
    and the heterogeneity is bounded there: ``(1/N) sum_i ||grad f_i(x*)||^2 <= zeta^2``. Measured at the server model
    ``x^R`` after ``R`` rounds. The local step is ``1/(L K)`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    clients, local, rounds = count("N", N, most=None), count("K", K), count("R", R)
    smoothness = positive("L", L)
    convexity = curvature("mu", mu, "L", smoothness)
    server, bound = positive("gamma_g", gamma_g), nonnegative("zeta", zeta)
    step = 1 / (smoothness * local) if gamma_l is None else positive("gamma_l", gamma_l)
    alike = clients == 1 or bound == 0
    problem = new_problem()
    team = _Team(clients)
    losses = [smooth(problem, smoothness, convexity) for _ in range(clients)]
    at_solution = _zero_sum(team, clients, bound)
    for f_i, g_i in zip(losses, at_solution, strict=True):
        f_i.add_point((origin(), g_i, nothing()))
    _bound_heterogeneity(problem, at_solution, bound)
    x = problem.set_initial_point(name="x0")
    start = start_at_one(problem, x)
    if clients > 1:
        start += ", (1/N) sum ||grad f_i(x*)||^2 <= zeta^2"
    directions = [_gradient(team, i, f_i) for i, f_i in enumerate(losses)]
    x = _models(x, directions, K=local, R=rounds, gamma_l=step, gamma_g=server)[-1]
    tight: Known | None = None
    one = {"n": rounds, "L": smoothness, "mu": convexity, "gamma": step * server}
    if metric == "gap":
        problem.set_performance_metric(mean([_value(team, i, f_i, x) for i, f_i in enumerate(losses)]))
        tight = known.gradient_descent_gap(**one) if local == 1 else None
    elif metric == "distance":
        problem.set_performance_metric(x**2)
        if local == 1:
            tight = known.gradient_descent_distance(**one)
        elif alike and server == 1:
            tight = known.gradient_descent_distance(local * rounds, smoothness, convexity, step)
    else:
        problem.set_performance_metric(mean([direction(x) for direction in directions]) ** 2)
        tight = known.gradient_descent_gradient(**one) if local == 1 else None
    parameters = {"N": clients, "K": local, "R": rounds, "L": smoothness, "mu": convexity}
    parameters |= {"gamma_l": step, "gamma_g": server, "zeta": bound}
    return Case(problem, metric, FEDAVG.words(metric), start, parameters, tight, team.layout())


def strfedavg(
    *,
    N: Number = 2,
    K: Number = 2,
    R: Number = 1,
    L_h: Number = 1,
    L_f: Number = 1,
    mu_f: Number = 0,
    eta: Number = "1/2",
    gamma_l: Number | None = None,
    gamma_g: Number = 1,
    zeta: Number = 1,
    M: Number = 1,
    metric: str = "regularised",
) -> Case:
    """StR-FedAvg (strfedavg, Algorithm 1): FedAvg on ``f_eta = h + eta f``, a simple bilevel problem.

    ``h = (1/N) sum_i h_i`` is the inner level and ``f = (1/N) sum_i f_i`` the outer one; every ``h_i`` is convex and
    ``L_h``-smooth, every ``f_i`` ``mu_f``-strongly convex and ``L_f``-smooth. Two points serve as solutions:

    - ``x_eta*`` minimises ``f_eta``; the start is at distance at most 1 from it, as in Propositions 1 and 4, and the
      heterogeneity ``(1/N) sum_i ||grad h_i(x_eta*) + eta grad f_i(x_eta*)||^2 <= zeta^2`` is bounded there.
    - ``x*`` minimises ``h``. The metric ``outer``, ``f(x) - f(x*)``, is largest at the minimiser of ``h`` where ``f``
      is least, the bilevel solution, so that taking any of them loses nothing; likewise the hypothesis of the metric
      ``inner``, ``f(x*) - f(x) <= M`` (M of Proposition 2), is weakest there.

    Measured at the server model ``x^R``, or at ``xbar^R``, the average of ``x^0, ..., x^{R-1}`` with the weights
    ``theta^r`` of Proposition 1, ``theta = 1/(1 - eta mu_f gamma_l gamma_g K / 2)``, divided by their sum (printed: by
    that of all but the last, which makes no average). The local step is ``1/((L_h + eta L_f) K)`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    return _bilevel(STRFEDAVG, N, K, R, L_h, L_f, mu_f, eta, gamma_l, gamma_g, zeta, M, metric)


def regularised_descent(
    *,
    n: Number = 5,
    L_h: Number = 1,
    L_f: Number = 1,
    mu_f: Number = 0,
    eta: Number = "1/2",
    gamma: Number | None = None,
    M: Number = 1,
    metric: str = "regularised",
) -> Case:
    """``x^{k+1} = x^k - gamma (grad h(x^k) + eta grad f(x^k))``: one client and one local step of :func:`strfedavg`.

    ``x_eta*`` minimises ``h + eta f``, and the start is at distance at most 1 from it; ``x*`` minimises ``h``, and the
    gap of the outer level is to ``f(x*)``. The step is ``1/(L_h + eta L_f)`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    step = gamma if gamma is None else positive("gamma", gamma)
    return _bilevel(REGULARISED, 1, 1, count("n", n), L_h, L_f, mu_f, eta, step, 1, 0, M, metric)


def _bilevel(
    method: Method,
    N: Number,
    K: Number,
    R: Number,
    L_h: Number,
    L_f: Number,
    mu_f: Number,
    eta: Number,
    gamma_l: Number | None,
    gamma_g: Number,
    zeta: Number,
    M: Number,
    metric: str,
) -> Case:
    clients, local, rounds = count("N", N, most=None), count("K", K), count("R", R)
    inner, outer, weight = positive("L_h", L_h), positive("L_f", L_f), positive("eta", eta)
    convexity = curvature("mu_f", mu_f, "L_f", outer)
    server, bound, room = positive("gamma_g", gamma_g), nonnegative("zeta", zeta), nonnegative("M", M)
    total = inner + weight * outer
    step = 1 / (total * local) if gamma_l is None else positive("gamma_l", gamma_l)
    alike = clients == 1 or bound == 0
    problem = new_problem()
    from PEPit import Point

    team = _Team(clients)
    h = [smooth(problem, inner, exact(0)) for _ in range(clients)]
    f = [smooth(problem, outer, convexity) for _ in range(clients)]
    at_regularised = _zero_sum(team, clients, bound)
    for i, (h_i, f_i) in enumerate(zip(h, f, strict=True)):
        g_f = team.points(i, Point())[0]
        h_i.add_point((origin(), at_regularised[i] - weight * g_f, nothing()))
        f_i.add_point((origin(), g_f, nothing()))
    _bound_heterogeneity(problem, at_regularised, bound)
    x = problem.set_initial_point(name="x0")
    start = "||x^0 - x_eta*||^2 <= 1"
    start_at_one(problem, x)
    if clients > 1:
        start += ", (1/N) sum ||grad h_i + eta grad f_i||^2 <= zeta^2 at x_eta*"
    directions = [_regularised(team, i, h[i], f[i], weight) for i in range(clients)]
    models = _models(x, directions, K=local, R=rounds, gamma_l=step, gamma_g=server)
    what, _, where = metric.partition("-")
    decay = weight * convexity * step * server * local / 2
    if where and not decay < 1:
        raise ValueError(f"eta mu_f gamma_l gamma_g K / 2 is {decay.fraction}; it should be below 1 for the average")
    output = _average(models[:-1], 1 / (1 - decay)) if where else models[-1]
    tight: Known | None = None
    if what == "distance":
        problem.set_performance_metric(output**2)
        if local == 1 or (alike and server == 1):
            one_step = step * server if local == 1 else step
            tight = known.gradient_descent_distance(local * rounds, total, weight * convexity, one_step)
    else:
        value_h = mean([_value(team, i, h_i, output) for i, h_i in enumerate(h)])
        value_f = mean([_value(team, i, f_i, output) for i, f_i in enumerate(f)])
    if what == "regularised":
        problem.set_performance_metric(value_h + weight * value_f)
        if local == 1 and not where:
            # A smooth strongly convex function splits into a share for h and one for f: nothing more is known of f_eta.
            tight = known.gradient_descent_gap(rounds, total, weight * convexity, step * server)
    elif what in ("inner", "outer"):
        best_h, best_f = _minimiser_of_h(problem, team, h, f)
        if what == "inner":
            problem.set_performance_metric(value_h - best_h)
            problem.add_constraint(best_f - value_f <= room, name="f(x*) - f(x) <= M")
            start += ", f(x*) - f(x) <= M"
        else:
            problem.set_performance_metric(value_f - best_f)
    parameters = {"N": clients, "K": local, "R": rounds, "L_h": inner, "L_f": outer, "mu_f": convexity, "eta": weight}
    parameters |= {"gamma_l": step, "gamma_g": server, "zeta": bound, "M": room}
    if method is REGULARISED:
        parameters = {"n": rounds, "gamma": step} | {k: v for k, v in parameters.items() if k in method.meaning}
    return Case(problem, metric, method.words(metric), start, parameters, tight, team.layout())


class _Team:
    """The leaf points and values of every client, in the same order for each, as they come into being."""

    def __init__(self, clients: int) -> None:
        self._points: list[list[Any]] = [[] for _ in range(clients)]
        self._values: list[list[Any]] = [[] for _ in range(clients)]

    def points(self, client: int, *new: Any) -> tuple[Any, ...]:
        self._points[client] += new
        return new

    def values(self, client: int, *new: Any) -> None:
        self._values[client] += new

    def evaluated(self, client: int, function: Any, x: Any) -> tuple[Any, Any]:
        """Gradient and value at ``x``, entered when they are new."""
        gradient, value = function.oracle(x)
        if not any(gradient is g for g in self._points[client]):
            self._points[client].append(gradient)
            self._values[client].append(value)
        return gradient, value

    def layout(self) -> Layout:
        """The layout, for which points and values get a name."""

        def named(kind: str, rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
            names = [
                [f"{kind}{j}.{i}" if x.get_is_leaf() else None for j, x in enumerate(row)]
                for i, row in enumerate(rows, 1)
            ]
            for row, of in zip(rows, names, strict=True):
                for x, name in zip(row, of, strict=True):
                    if name is not None:
                        x.set_name(name)
            return tuple(map(tuple, names))

        return Layout(named("g", self._points), named("f", self._values))


def _zero_sum(team: _Team, clients: int, bound: Exact) -> list[Any]:
    """A gradient for every client that sum to zero: the last is what is left; zero when they are bounded by it."""
    from PEPit import Point

    if clients == 1 or bound == 0:
        return [origin() for _ in range(clients)]
    free = [Point() for _ in range(clients - 1)]
    last = origin()
    for g in free:
        last = last - g
    for i, g in enumerate([*free, last]):
        team.points(i, g)
    return [*free, last]


def _bound_heterogeneity(problem: Any, gradients: Sequence[Any], bound: Exact) -> None:
    if len(gradients) > 1 and bound > 0:
        problem.add_constraint(mean([g**2 for g in gradients]) <= bound**2, name="heterogeneity")


def _gradient(team: _Team, client: int, f_i: Any) -> Callable[[Any], Any]:
    return lambda x: team.evaluated(client, f_i, x)[0]


def _regularised(team: _Team, client: int, h_i: Any, f_i: Any, eta: Exact) -> Callable[[Any], Any]:
    return lambda x: team.evaluated(client, h_i, x)[0] + eta * team.evaluated(client, f_i, x)[0]


def _value(team: _Team, client: int, function: Any, x: Any) -> Any:
    return team.evaluated(client, function, x)[1]


def _minimiser_of_h(problem: Any, team: _Team, h: Sequence[Any], f: Sequence[Any]) -> tuple[Any, Any]:
    """Values of ``h`` and ``f`` at a new point where the gradients of the ``h_i`` sum to zero."""
    from PEPit import Expression

    clients = len(h)
    star = problem.set_initial_point(name="x*")
    gradients = _zero_sum(team, clients, exact(1))
    values = []
    for i, (h_i, g_i) in enumerate(zip(h, gradients, strict=True)):
        value = Expression()
        team.values(i, value)
        h_i.add_point((star, g_i, value))
        values.append(value)
    return mean(values), mean([_value(team, i, f_i, star) for i, f_i in enumerate(f)])


def _models(
    x: Any, directions: Sequence[Callable[[Any], Any]], *, K: int, R: int, gamma_l: Exact, gamma_g: Exact
) -> list[Any]:
    """Server models ``x^0, ..., x^R`` (strfedavg, Algorithm 1, lines 5 to 14)."""
    models = [x]
    for _ in range(R):
        differences = []
        for direction in directions:
            y = x
            for _ in range(K):
                y = y - gamma_l * direction(y)
            differences.append(y - x)
        x = x + gamma_g * mean(differences)
        models.append(x)
    return models


def _average(models: Sequence[Any], theta: Exact) -> Any:
    """Of ``x^0, x^1, ...`` with weights ``theta, theta^2, ...`` that are made to sum to 1."""
    weights = [theta ** (r + 1) for r in range(len(models))]
    total = sum(weights)
    first, *rest = (w / total * x for w, x in zip(weights, models, strict=True))
    return sum(rest, start=first)


_SHARED = {
    "N": "clients",
    "K": "local steps",
    "R": "communication rounds",
    "gamma_g": "global step",
    "zeta": "root of the bound on the mean square of the clients' gradients at the solution",
}

_LEVELS = {
    "L_h": "smoothness of the h_i",
    "L_f": "smoothness of the f_i",
    "mu_f": "strong convexity of the f_i, below L_f",
    "eta": "regularisation",
    "M": "bound on f(x*) - f(x), for the metric inner",
}

FEDAVG = Method(
    "fedavg",
    "FedAvg, that is Local SGD without noise, full participation",
    fedavg,
    _SHARED
    | {"L": "smoothness of the f_i", "mu": "strong convexity of the f_i, below L", "gamma_l": "local step; 1/(L K)"},
    {"gap": "f(x^R) - f*", "distance": "||x^R - x*||^2", "gradient": "||grad f(x^R)||^2"},
    "R",
    clients="N",
)

STRFEDAVG = Method(
    "strfedavg",
    "StR-FedAvg without noise, full participation",
    strfedavg,
    _SHARED | _LEVELS | {"gamma_l": "local step; 1/((L_h + eta L_f) K)"},
    {
        "regularised": "f_eta(x^R) - f_eta*",
        "inner": "h(x^R) - h*",
        "outer": "f(x^R) - f(x*)",
        "distance": "||x^R - x_eta*||^2",
        "regularised-average": "f_eta(xbar^R) - f_eta*",
        "inner-average": "h(xbar^R) - h*",
        "outer-average": "f(xbar^R) - f(x*)",
    },
    "R",
    clients="N",
)

REGULARISED = Method(
    "regularised-descent",
    "gradient descent on h + eta f, simple bilevel",
    regularised_descent,
    {"n": "steps"} | _LEVELS | {"gamma": "step; 1/(L_h + eta L_f)"},
    {
        "regularised": "f_eta(x^n) - f_eta*",
        "inner": "h(x^n) - h*",
        "outer": "f(x^n) - f(x*)",
        "distance": "||x^n - x_eta*||^2",
    },
    "n",
)

METHODS = (REGULARISED, FEDAVG, STRFEDAVG)
