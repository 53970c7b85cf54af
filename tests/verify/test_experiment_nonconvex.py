"""Experiment 5.2 on a small table, its command, and IPIR-FedAvg from the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from rateproof.algos.data import Table, expanded_diabetes
from rateproof.algos.problems.nonconvex import NonconvexOuter
from rateproof.verify.experiments.figures import png
from rateproof.verify.papers.strfedavg import experiment_nonconvex as experiment
from rateproof.verify.papers.strfedavg.experiment_nonconvex import Plan, Trace


@pytest.fixture(scope="module")
def table() -> Table:
    return expanded_diabetes(features=60, bandwidth=1.0)


@pytest.fixture(scope="module")
def small(table: Table) -> NonconvexOuter:
    """22 training rows, 60 features, clients of 5 or 6 rows."""
    return experiment.problem(table, N=4, train=0.05)


PLAN = Plan(T=12, S=4)


def last(group: dict[int, Trace], name: str) -> list[float]:
    return [float(getattr(trace, name)[-1, 0]) for trace in group.values()]


def test_more_local_steps_help_only_by_a_longer_effective_step(small: NonconvexOuter) -> None:
    effective = experiment.traces(PLAN, small, (1, 20))
    local = experiment.traces(replace(PLAN, equal="local"), small, (1, 20))
    # S-ip rules the effective stepsize whatever K: the end is nearly the same, and drift costs a little.
    one, twenty = last(effective, "h")
    assert one < twenty < 1.5 * one
    # With one local stepsize, K = 20 goes twenty times as far.
    one, twenty = last(local, "h")
    assert twenty < 0.5 * one
    np.testing.assert_array_equal(local[20].h, effective[20].h)
    gamma_l = [float(trace.method.call(9).gamma_l) for trace in local.values()]
    assert gamma_l[0] == pytest.approx(gamma_l[1], rel=1e-14)
    gamma_t = [trace.method.rule(9)[0] for trace in effective.values()]
    assert gamma_t[0] == gamma_t[1] == pytest.approx(1.4 / small.constants.L_h * 9 ** (-7 / 12))


def test_a_trace_has_every_outer_iteration(small: NonconvexOuter) -> None:
    trace = experiment.trace(PLAN, small, experiment.method(PLAN, small, 5))
    assert trace.rounds.tolist() == [trace.method.total_rounds(t) for t in range(1, 13)]
    assert trace.f.shape == trace.h_y.shape == trace.grad2.shape == (12, 1)
    assert trace.gradients == trace.rounds[-1] * 4 * 5
    assert (trace.dist > 0).all() and trace.h[-1] < trace.h[0]


def test_one_start_for_all_calls_is_slow(small: NonconvexOuter) -> None:
    plan = replace(PLAN, T=30)
    fixed, previous = (
        experiment.traces(replace(plan, inner_start=start), small, (1,))[1].h for start in ("fixed", "previous")
    )
    assert fixed[0] == previous[0] and fixed[-1] > 2 * previous[-1]


def test_exact_projections_are_feasible_and_descend(small: NonconvexOuter) -> None:
    trace = experiment.with_exact_projections(replace(PLAN, T=50), small)
    assert trace.rounds.tolist() == list(range(1, 51)) and trace.gradients == 0
    assert trace.h.max() < 1e-20 and trace.dist.max() < 1e-10
    # The first projection is that of the start itself, so the second iteration ends where the first did.
    f = trace.f[:, 0]
    assert f[1] == pytest.approx(f[0], rel=1e-14) and (np.diff(f[1:]) < 0).all()


def test_mini_batches_are_random_and_reproducible(table: Table) -> None:
    problem = experiment.problem(table, N=4, train=0.05, batch_size=2)
    plan = Plan(T=3, S=2, runs=3)
    first, again = (experiment.traces(plan, problem, (2,))[2].h for _ in range(2))
    assert np.array_equal(first, again) and len(set(first[-1])) == 3


def test_picture_keeps_what_rises(small: NonconvexOuter) -> None:
    pytest.importorskip("matplotlib")
    traces = experiment.traces(replace(PLAN, T=3), small, (1, 2))
    far = {1: replace(traces[1], f=np.array([[1.0], [50.0], [140.0]]))}
    whole, cut = (png(experiment.picture({"a": far}, f_exact=f_exact)) for f_exact in (150.0, 1.0))
    assert whole != cut


def test_command_prints_where_it_ends_and_draws(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "figure.png"
    done = CliRunner().invoke(experiment.main, ["--iterations", "1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert done.output.count("K = 20: rounds 2, f ") == 2 and "exact projections" in done.output
    assert out.read_bytes().startswith(b"\x89PNG")
    missing = CliRunner().invoke(experiment.main, ["--out", str(tmp_path / "none" / "a.png")])
    assert missing.exit_code == 2 and "No such file" in missing.output


# --- rateproof run

RUN = ("run", "ipirfedavg", "--problem", "nonconvex_diagonal", "--rounds", "20")


def test_run_prints_stationarity_and_what_the_output_is(real) -> None:
    noisy = ("--set", "lam=1", "--set", "outer=log-sum", "--set", "sigma_h=1", "--set", "x0=[3,2]", "--runs", "5")
    code, out, err = real(*RUN, *noisy)
    assert (code, err) == (0, "") and "random outer iterate, mean over 5 runs" in out and "|grad F|^2" in out
    assert "does not hold here:\n  f_convex (" in out
    report = json.loads(real(*RUN, *noisy, "--set", "returns=projection", "--json")[1])
    # 2 + 3 + 4 + 5 + 6 rounds are five outer iterations, and y^t went down five times to both clients
    assert report["counts"]["grad_f"] == 5 and report["counts"]["vectors_down"] == 20 * 2 + 5 * 2
    assert report["output"] == "newest projection"
    assert report["average"]["dist"]["mean"][-1] < report["average"]["dist"]["mean"][1]
    assert report["average"]["dist"]["mean"][0] is None  # no call is complete after one round


def test_run_on_data_under_the_log_sum_penalty(real) -> None:
    data = ("run", "ipirfedavg", "--problem", "diabetes", "--set", "features=240", "--rounds", "5")
    sparse = ("--set", "outer=log-sum", "--set", "mu=1e-3")
    code, out, _ = real(*data, *sparse, "--set", "lam=0.01", "--set", "inner=exact", "--json")
    assert code == 0
    report = json.loads(out)
    assert report["constants"]["L_f"] == pytest.approx(1000) and report["instance"]["epsilon"] == pytest.approx(
        0.0632456
    )
    assert report["counts"]["rounds"] == 0 and report["last"]["dist"]["mean"][-1] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (RUN, ["method ipirfedavg needs lam: --set lam=value"]),
        ((*RUN, "--set", "lam=1", "--schedule", "S-ip"), ["rules its stepsizes itself; leave schedule S-ip out"]),
        ((*RUN, "--set", "lam=-1"), ["lam is -1.0; it should be a positive number"]),
        ((*RUN, "--set", "lam=1", "--set", "inner_start=z"), ["unknown value of inner_start 'z'"]),
        ((*RUN, "--set", "lam=1", "--set", "gradient_factor=3"), ["unknown value of gradient_factor '3'"]),
        ((*RUN, "--set", "lam=1", "--set", "mu=1"), ["mu and epsilon mean nothing for outer = 'cosine'"]),
        (
            ("run", "fedavg", "--problem", "diabetes", "--set", "gamma_l=1", "--set", "epsilon=1", "--rounds", "2"),
            ["epsilon means nothing for outer = 'norm'"],
        ),
    ],
)
def test_bad_runs_get_one_line(real, arguments: tuple[str, ...], words: list[str]) -> None:
    code, out, err = real(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(word in err for word in words)
