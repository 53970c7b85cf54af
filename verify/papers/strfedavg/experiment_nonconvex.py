"""Experiment E2 of the paper (Section 5.2): the log-sum penalty over the regression of Section 5.1.

IPIR-FedAvg with its schedule S-ip on the data of :mod:`rateproof.verify.papers.strfedavg.experiment`. The paper gives
no parameter; what it leaves open is an argument of :class:`Plan` or :func:`problem`. The start is ``y^0 = 0``.

S-ip rules the effective stepsize ``gamma_l gamma_g K`` of a call, whatever ``K``: more local steps are then smaller
ones. Section 5.1 has a local stepsize that does not depend on ``K`` instead; :attr:`Plan.equal` chooses.

    python -m rateproof.verify.papers.strfedavg.experiment_nonconvex --out figure.png
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

import click
import numpy as np
from numpy.typing import NDArray

from rateproof.algos import engine
from rateproof.algos.data import Table, expanded_diabetes
from rateproof.algos.methods.ipirfedavg import IPIRFedAvg
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.nonconvex import NonconvexOuter, under_log_sum
from rateproof.verify.experiments.figures import png
from rateproof.verify.papers.strfedavg import experiment
from rateproof.verify.papers.strfedavg.experiment import LOCAL_STEPS, N
from rateproof.verify.papers.strfedavg.figure import Panel, draw


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How Algorithm 2 is run.

    Attributes:
        T: outer iterations; 30 take 495 rounds.
        lam: of the penalty, in squared units of ``x`` per unit of ``f``. Where the outer gradient is steepest
            (``1/epsilon``), ``F_lambda`` is stationary ``lam / (2 epsilon) = 0.01`` off the solutions of ``h``, a
            quarter of a typical entry.
        step: factor on the effective stepsize of S-ip, in multiples of ``1/L_h``, for the largest ``K``. Here
            ``L_h`` is about 700, and the stepsize as printed, without a factor, diverges.
        S: clients sampled per round; all of them by default.
        inner_start: as for the method. Between the first and the thirtieth call ``h`` falls by a third from one start
            for all calls, as the paper writes it, and to a twelfth from the previous result.
        equal: what all ``K`` have in common: the "effective" stepsize, as S-ip rules it, or the "local" one, which is
            proportional to ``1 / K`` of the largest ``K`` otherwise.
        runs: repetitions; one where nothing is random.
        seed: of all random numbers.
    """

    T: int = 30
    lam: float = 1e-3
    step: float = 1.4
    S: int = N
    inner_start: Literal["fixed", "y", "previous"] = "previous"
    equal: Literal["effective", "local"] = "effective"
    runs: int = 1
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Trace:
    """Metrics of one value of ``K`` after every outer iteration, ``(T, runs)``.

    Attributes:
        method: what ran.
        rounds: communication rounds until then, ``(T,)``.
        f, h, dist: at the result ``x`` of the call: both losses and the distance from ``X_h*``.
        h_y: at the outer iterate ``y^{t+1}``.
        grad2: ``||grad F_lambda(y^{t+1})||^2``.
        gradients: evaluations of a client's gradient of ``h_i`` per run.
    """

    method: IPIRFedAvg
    rounds: NDArray[np.int64]
    f: Array
    h: Array
    dist: Array
    h_y: Array
    grad2: Array
    gradients: int


def problem(
    table: Table,
    *,
    mu: float = 1.25e-3,
    epsilon: float = 0.05,
    batch_size: int | None = None,
    N: int = N,
    train: float = 0.5,
    seed: int = 0,
) -> NonconvexOuter:
    """Problem (16) on the training rows of a table.

    Args:
        table: features and outcomes.
        mu: of the envelope ``M_LSP^mu``; half of ``epsilon^2``, so that ``L_f = 1/mu`` bounds the curvature from below
            too.
        epsilon: of the log-sum penalty, the size of a typical entry of a solution.
        batch_size: data rows per local step; None takes all rows of the client.
        N: clients.
        train: share of the rows used for training.
        seed: of the split.

    Raises:
        ValueError: a parameter is out of range.
    """
    base = experiment.regression(table, N=N, batch_size=batch_size, train=train, seed=seed)
    return under_log_sum(base, mu=mu, epsilon=epsilon)


def method(plan: Plan, p: NonconvexOuter, K: int, *, most: int = max(LOCAL_STEPS)) -> IPIRFedAvg:
    """IPIR-FedAvg with ``K`` local steps; ``most`` is the ``K`` whose effective stepsize has the factor ``plan.step``.

    Raises:
        ValueError: a parameter of the plan is out of range.
    """
    return IPIRFedAvg(
        lam=plan.lam,
        K=K,
        S=plan.S,
        step=plan.step / p.constants.L_h * (1.0 if plan.equal == "effective" else K / most),
        inner_start=plan.inner_start,
        returns="projection",
    )


def trace(plan: Plan, p: NonconvexOuter, m: IPIRFedAvg) -> Trace:
    """Run a method from ``y^0 = 0`` and record every outer iteration.

    Raises:
        ValueError: a parameter is out of range.
    """
    rounds = np.array([t if m.inner == "exact" else m.total_rounds(t) for t in range(1, plan.T + 1)])
    result = engine.run(
        m,
        p,
        np.zeros(p.n),
        R=int(rounds[-1]),
        runs=plan.runs,
        seed=plan.seed,
        record=rounds.tolist(),
        metrics={**p.metrics, "grad2": m.stationarity},
    )
    at_x, at_y = result.average, result.last
    return Trace(m, rounds, at_x["f"], at_x["h"], at_x["dist"], at_y["h"], at_y["grad2"], result.counts.grad_h)


def traces(plan: Plan, p: NonconvexOuter, local_steps: tuple[int, ...] = LOCAL_STEPS) -> dict[int, Trace]:
    """:func:`trace` for several ``K``: the same start, seed and number of rounds."""
    return {K: trace(plan, p, method(plan, p, K, most=max(local_steps))) for K in local_steps}


def with_exact_projections(plan: Plan, p: NonconvexOuter) -> Trace:
    """The same outer iterations with an oracle that projects: what the calls approximate."""
    m = IPIRFedAvg(lam=plan.lam, K=1, S=plan.S, inner="exact", returns="projection")
    return trace(plan, p, m)


def picture(rows: Mapping[str, Mapping[int, Trace]], *, f_exact: float, h_star: float = 0.0) -> Any:
    """The figure: ``f`` and ``h`` at the results of the calls, and stationarity at the outer iterates.

    Args:
        rows: title of the row -> number of local steps -> trace; up to four traces a row.
        f_exact: level to mark in the panel of ``f``.
        h_star: subtracted from ``h``.

    Returns:
        The figure.

    Raises:
        ValueError: a row has more than four traces, or there is no row.
    """
    panels = (
        Panel(r"$\mathrm{E}\,f(\bar x^t)$", lambda trace: trace.f, "linear", level=(f_exact, "exact"), size=f_exact),
        Panel(r"$\mathrm{E}\,h(\bar x^t)-h^*$", lambda trace: trace.h - h_star, "log"),
        Panel(r"$\mathrm{E}\,\|\nabla F_\lambda(y^{t+1})\|^2$", lambda trace: trace.grad2, "log"),
    )
    return draw(rows, panels)


@click.command()
@click.option("--out", type=click.File("wb", lazy=False), help="PNG to write.")
@click.option("--iterations", type=click.IntRange(min=1), default=Plan.T, show_default=True, help="Outer iterations.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Rows per local step; all rows when left out.")
@click.option("--runs", type=click.IntRange(min=1), default=Plan.runs, show_default=True, help="Repetitions.")
def main(out: BinaryIO | None, iterations: int, batch_size: int | None, runs: int) -> None:
    """Run the experiment of Section 5.2, print where it ends, and draw the figure."""
    from rateproof.verify.runner import one_blas_thread

    one_blas_thread()
    table = expanded_diabetes(features=400, bandwidth=1.0)
    p = problem(table, batch_size=batch_size)
    exact = with_exact_projections(Plan(T=iterations), p)
    f_exact = float(exact.f[-1].mean())
    plans = {
        "effective stepsize of S-ip for every K": Plan(T=iterations, runs=runs),
        "local stepsize the same for every K": Plan(T=iterations, runs=runs, equal="local"),
    }
    rows = {title: traces(plan, p) for title, plan in plans.items()}
    print(f"{table.name}: n = {p.n}, N = {p.N}, L_h = {p.constants.L_h:.1f}, L_f = {p.constants.L_f:g}")
    print(f"f after {iterations} iterations with exact projections: {f_exact:.2f}")
    for title, group in rows.items():
        print(title)
        for K, each in group.items():
            last = (float(v[-1].mean()) for v in (each.f, each.h, each.dist, each.grad2))
            f, h, dist, grad2 = last
            print(
                f"  K = {K:2}: rounds {each.rounds[-1]}, f {f:8.3f}, h {h:.4f}, dist {dist:.4f}, |grad F|^2 {grad2:.4g}"
            )
    if out is not None:
        out.write(png(picture(rows, f_exact=f_exact, h_star=p.constants.h_star)))


if __name__ == "__main__":
    main()
