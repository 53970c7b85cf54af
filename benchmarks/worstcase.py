"""Certified worst cases: gradient descent and the plain solve, one step for every n, FedAvg through two clients."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from statistics import median
from typing import Any

from benchmarks.timing import one_thread, seconds, show
from rateproof.verify.worstcase import Certificate, Contraction, certify, contraction, exact, read
from rateproof.verify.worstcase.clients import reduced, same
from rateproof.verify.worstcase.methods import METHODS
from rateproof.verify.worstcase.methods.study import model_of

MU = Fraction(1, 10)  # with L = R = 1 and steps of length 1
STEPS = (10, 20, 30, 40)


def value(steps: int) -> Fraction:
    """The exact worst value of f(x_n) - f* (Taylor, Hendrickx, Glineur 2018)."""
    return MU / (MU - 1 + (1 - MU) ** (-2 * steps)) / 2


def descent(steps: int) -> tuple[Any, Any, Any, Any]:
    """The problem without metric and condition, the minimiser, the start and the end."""
    from PEPit import PEP
    from PEPit.functions import SmoothStronglyConvexFunction

    problem = PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=exact(MU), L=exact(1))
    minimiser = f.stationary_point()
    start = x = problem.set_initial_point()
    for _ in range(steps):
        x = x - f.gradient(x)
    return problem, lambda point: f(point) - f(minimiser), (start - minimiser) ** 2, (start, x)


def bounded(steps: int) -> Any:
    """The problem with its metric: f(x_n) - f* where ||x_0 - x*|| <= 1."""
    problem, gap, distance, (_, end) = descent(steps)
    problem.set_initial_condition(distance <= 1)
    problem.set_performance_metric(gap(end))
    return problem


def row(steps: int, *, repetitions: int) -> list[str]:
    """Reading, certificate and its slack, and the plain solve with its error."""
    problem, true = bounded(steps), value(steps)
    reading = seconds(lambda: read(problem))
    model = read(problem)
    results: list[Any] = []
    times = [seconds(lambda: results.append(certify(model, claimed=true))) for _ in range(repetitions)]
    found = results[-1]
    if not isinstance(found, Certificate):
        return [str(steps), f"{reading:.2f} s", f"{median(times):.2f} s", f"refused: {found.reason}", "", "", ""]
    checking = seconds(lambda: found.check(model))
    slack = f"{float(found.upper / true - 1):.1e}"
    solves: list[float] = []
    solving = seconds(lambda: solves.append(float(problem.solve(verbose=0))))
    error = f"{solves[0] / float(true) - 1:+.1e}"
    return [
        str(steps),
        f"{reading:.2f} s",
        f"{median(times):.2f} s",
        slack,
        f"{checking:.2f} s",
        f"{solving:.2f} s",
        error,
    ]


def every_n(*, repetitions: int) -> list[str]:
    """One certified step and the induction."""
    problem, gap, _, (start, end) = descent(1)
    work = partial(contraction, problem, gap, start, end, claimed=(1 - MU) ** 2)
    results: list[Any] = []
    times = [seconds(lambda: results.append(work())) for _ in range(repetitions)]
    found = results[-1]
    if not (isinstance(found, Contraction) and found.check()):
        raise AssertionError(f"one step contracts by {(1 - MU) ** 2} and was not proved: {found}")
    return [
        f"{float(found.factor):.8f}^n",
        f"{float(found.factor / (1 - MU) ** 2 - 1):.1e}",
        f"{1000 * median(times):.0f} ms",
    ]


def clients(N: int) -> list[str]:
    """FedAvg, two rounds of two local steps: all clients one by one, and through two; the two-client models agree."""
    settings = {"N": N, "K": 2, "R": 2, "mu": "1/10"}
    fedavg = METHODS["fedavg"]
    found: list[Any] = []

    def whole() -> None:
        found.append(certify(read(fedavg.case(settings).problem)))

    def through_two() -> None:
        found.append(certify(model_of(fedavg.smallest(settings))))

    full, short = seconds(whole), seconds(through_two)
    case = fedavg.case(settings)
    assert case.layout is not None
    alike = same(reduced(read(case.problem), case.layout), model_of(fedavg.smallest(settings)))
    upper, upper_two = (float(c.upper) for c in found)
    return [
        str(N),
        f"{upper:.9f}",
        f"{full:.2f} s",
        f"{upper_two:.9f}",
        f"{short:.2f} s",
        f"{full / short:.1f}",
        "yes" if alike else "no",
    ]


def main(repetitions: int = 3) -> None:
    """Measure and print."""
    with one_thread():
        certify(read(bounded(1)))  # imports
        rows = [row(steps, repetitions=repetitions) for steps in STEPS]
        columns = ["n", "model", "certified", "slack", "check", "uncertified", "its error"]
        show("f(x_n) - f* of gradient descent, L = 1, mu = 0.1: certified and plain", columns, rows)
        columns = ["f(x_n) - f* over f(x_0) - f*", "slack of the factor", "time"]
        show("The same for every n, from one step", columns, [every_n(repetitions=repetitions)])
        columns = ["N", "all clients", "time", "through two", "time", "ratio", "same reduced model"]
        show(
            "FedAvg, K = R = 2, certified f(x^R) - f*, model and certificate", columns, [clients(N) for N in (2, 3, 4)]
        )


if __name__ == "__main__":
    main()
