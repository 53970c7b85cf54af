"""The experiments of fedrzo, Section 6: the market, Table 4 by two routes, the learning problems, settings by name."""

from __future__ import annotations

import csv
import inspect
import json
import math
from dataclasses import replace
from typing import get_type_hints

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.data import Images, deal
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.problems.cournot import Cournot, cournot, drawn_cournot
from rateproof.algos.problems.federated import Bilevel, TwoStage
from rateproof.verify.experiments import figures
from rateproof.verify.experiments.experiment import build, families, methods
from rateproof.verify.papers.fedrzo.experiments import fair, hyper, market_figures, network, table4
from rateproof.verify.papers.fedrzo.experiments.cells import Cell, findings
from rateproof.verify.papers.fedrzo.experiments.images import available, random_model
from rateproof.verify.papers.fedrzo.experiments.table4 import Plan
from rateproof.verify.papers.fedrzo.twostage.game import lower_bound
from rateproof.verify.papers.fedrzo.twostage.table4_printed import PRINTED


@pytest.mark.parametrize("b", [0.5, 1.0])
def test_no_market_gets_below_the_floor_and_the_floor_is_near(b: float) -> None:
    for followers in (1, 4, 10, 40):
        floor = float(lower_bound(followers, b))
        for seed in range(5):
            assert drawn_cournot(nt=followers, b=b, seed=seed).optimum[1] > floor
        corner = cournot(nt=followers, b=b, c0=0.09, c=0.11, cap=2.0)
        x = np.linspace(0, 12.5 / b, 20001)
        sold = corner.lower_solution(x[:, None], np.full((len(x), 1), 12.5)).sum(axis=1)
        at_most = 0.045 * x * x - x * (12.5 - b * (x + sold))
        assert at_most.min() == pytest.approx(floor, rel=1e-6)


def algorithm_5(market: Cournot, x: float, a: float, y0: float, alpha: float, steps: int) -> np.ndarray:
    """As printed, with the projection."""
    y = np.full(len(market.c), y0)
    for _ in range(steps):
        g = (market.c + market.b) * y - a + (x + y.sum()) * market.b
        y = np.clip(y - alpha * g, 0, market.cap)
    return y


@pytest.mark.parametrize("y0", [0.0, 0.3])
def test_closed_form_of_algorithm_5_is_the_projected_recursion_and_is_refused_where_it_is_not(y0: float) -> None:
    market = drawn_cournot(nt=10, b=0.5)
    lower = table4.sales_of(market, ProjectionMethod(1e-4, 20, y0), 2000)
    for x, a, k in ((0.0, 12.5, 2000), (9.0, 7.5, 57), (3.0, 9.0, 0)):
        t = lower.at(k)
        expected = algorithm_5(market, x, a, y0, 1e-4, t).sum()
        assert (a - 0.5 * x) * lower.moved[t] + lower.start[t] == pytest.approx(expected, abs=1e-12)
    lower.check(2.0, 13.0)
    with pytest.raises(ValueError, match="Algorithm 5 meets a bound"):
        lower.check(2.0, 1000.0)
    if y0 == 0:
        with pytest.raises(ValueError, match="Algorithm 5 meets a bound"):
            lower.check(-1.0, 13.0)


def by_loops(plan: Plan, market: Cournot, tau: float, alpha: float, H: int, eta: float) -> float:
    """The last server model by loops over clients, every equilibrium problem by the projected recursion."""
    a, sign = table4.draws(plan, H)
    x = [plan.x0] * plan.m
    for k in range(plan.R * H):
        steps = math.ceil(tau * math.log(k + 1))
        for i in range(plan.m):

            def loss(z: float, a: float = a[k, i], steps: int = steps) -> float:
                y = algorithm_5(market, z, a, plan.y0, alpha, steps)
                return market.c0 / 2 * z * z - z * (a - market.b * (z + y.sum()))

            v = eta * sign[k, i]
            g = (loss(x[i] + v) - loss(x[i])) * v / eta**2
            x[i] -= plan.gamma * (g + (x[i] - min(max(x[i], 0.0), 10.0)) / eta)
        if (k + 1) % H == 0:
            x = [float(np.mean(x))] * plan.m
    return x[0]


@pytest.mark.parametrize(("x0", "slopes"), [(0.0, (0.5, 1.0)), (10.5, (0.5,))])
def test_a_small_table_agrees_with_loops(x0: float, slopes: tuple[float, ...]) -> None:
    small = Plan(
        m=3, R=3, x0=x0, y0=0.05, gamma=0.05, seed=2,
        followers=((4, 20, 1e-3),), slopes=slopes, local_steps=(1, 4), radii=(1.0, 0.1),
    )  # fmt: skip
    found = table4.cells(small)
    assert len(found) == 4 * len(slopes)
    for c in found:
        market = drawn_cournot(nt=4, b=c.b, seed=2)
        x = by_loops(small, market, 20, 1e-3, c.H, c.eta)
        assert c.x == pytest.approx(x, abs=1e-9)
        t = math.ceil(20 * math.log(3 * c.H + 1))
        own = [
            market.c0 / 2 * x * x - x * (a - c.b * (x + algorithm_5(market, x, a, 0.05, 1e-3, t).sum()))
            for a in (7.5, 12.5)
        ]
        assert c.own == pytest.approx(np.mean(own), abs=1e-8)
        assert math.isnan(c.printed) and c.true == pytest.approx(float(market.f(np.array([[x]]))[0]), abs=1e-8)


@pytest.mark.parametrize("shortcut", [False, True])
@pytest.mark.parametrize(("followers", "tau", "alpha"), [(10, 20, 1e-4), (20, 35, 1e-6)])
def test_the_methods_of_algos_give_the_same_paths(followers: int, tau: float, alpha: float, shortcut: bool) -> None:
    few = Plan(m=4, R=5, seed=3, followers=((followers, tau, alpha),), local_steps=(1, 6))
    for course in table4.courses(few):
        c = course.cell
        method = FedRZO_2s(gamma=few.gamma, eta=c.eta, H=c.H, solver=ProjectionMethod(alpha, tau, shortcut=shortcut))
        ran = engine.run(
            method,
            table4.market_of(few, followers, c.b),
            [few.x0],
            R=few.R,
            seed=few.seed,
            record=range(few.R + 1),
            metrics={"x": lambda problem, x: x[:, 0], "f": lambda problem, x: problem.f(x)},
        )
        np.testing.assert_allclose(course.x, ran.last["x"][:, 0], rtol=0, atol=1e-13)
        np.testing.assert_allclose(course.true, ran.last["f"][:, 0], rtol=0, atol=1e-12)
        assert course.x[-1] > 1e-3


@pytest.fixture(scope="module")
def rerun() -> list[Cell]:
    return table4.cells(Plan())


def test_table_4_is_reproduced_at_the_followers_where_algorithm_5_leaves_them(rerun: list[Cell]) -> None:
    assert {(c.followers, c.b, c.H, c.eta): c.printed for c in rerun} == {k: float(v) for k, v in PRINTED.items()}
    for row, worst in findings(rerun).worst.items():
        assert worst < (0.08 if row[0] == 10 else 0.03), row
    assert max(c.sold for c in rerun) < 0.2


def test_no_printed_number_can_be_a_value_of_the_objective(rerun: list[Cell]) -> None:
    found = findings(rerun)
    assert (found.below, found.cells, found.rows) == (72, 72, 8)
    for c in rerun:
        assert c.printed < c.floor < c.best <= c.true
    # A planted cell that a market could give is not counted.
    assert findings([replace(rerun[0], printed=rerun[0].floor + 1e-9), *rerun[1:]]).below == 71


def test_more_local_steps_lower_the_printed_number_and_not_the_objective(rerun: list[Cell]) -> None:
    found = findings(rerun)
    assert found.larger_H_better == {"printed": 8, "own": 8, "true": 0}
    assert (found.larger_H_worse["printed"], found.larger_H_worse["own"]) == (0, 0)
    assert findings([c for c in rerun if c.followers >= 100]).larger_H_worse["true"] == 4
    for c in rerun:
        if c.H == 20:
            ten = next(d for d in rerun if (d.followers, d.b, d.H, d.eta) == (c.followers, c.b, 10, c.eta))
            assert c.true > ten.true + 0.1
    assert found.spread["printed"] < 0.002 and found.spread["own"] < 0.002


def test_start_and_seed_are_parameters_and_the_print_fits_zero_only() -> None:
    few = Plan(followers=((1000, 80, 1e-8),), slopes=(0.5,), local_steps=(1,), radii=(0.01,))
    off = {x0: abs(table4.cells(replace(few, x0=x0))[0].off) for x0 in (0.0, 0.1, 1.0)}
    assert off[0.0] < 0.01 < 0.05 < off[0.1] < off[1.0]
    assert table4.cells(replace(few, seed=1))[0] != table4.cells(few)[0] == table4.cells(few)[0]


@pytest.mark.parametrize("change", [{"m": 0}, {"R": 0}, {"gamma": 0.0}, {"gamma": math.inf}])
def test_bad_plans_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(change))} is .*should be"):
        Plan(**change)  # type: ignore[arg-type]


def test_the_command_prints_and_writes(tmp_path, capsys, monkeypatch, rerun) -> None:
    monkeypatch.setattr(table4, "cells", lambda plan: rerun)
    assert table4.main(["--json", str(tmp_path / "t.json"), "--csv", str(tmp_path / "t.csv")]) == 0
    shown = capsys.readouterr().out
    assert "-45.158" in shown and "72 of 72 printed numbers lie below" in shown
    written = json.loads((tmp_path / "t.json").read_text())
    assert written["plan"]["m"] == 100 and len(written["cells"]) == 72
    lines = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert [float(line["own"]) for line in lines] == [c.own for c in rerun]
    with pytest.raises(SystemExit) as caught:
        table4.main(["--json", str(tmp_path / "nowhere" / "t.json")])
    assert caught.value.code == 2
    assert "there is no folder" in capsys.readouterr().err


def tiny(rows: int = 60, features: int = 5, classes: int = 3, seed: int = 0) -> Images:
    """Noisy classes with features in [0, 1]."""
    random = np.random.default_rng(seed)
    label = np.arange(rows) % classes
    U = np.clip(random.random((rows, features)) / 2 + np.eye(classes, features)[label] / 2, 0, 1)
    return Images("tiny", U, label)


def test_each_client_tunes_on_its_own_rows_and_odd_digits_are_positive() -> None:
    plan, images = hyper.Plan(m=3, test=0.3), tiny()
    problem, rows = hyper.problem(plan, images), deal(images, m=3, test=0.3)
    assert (problem.low, problem.nt, problem.sets.sets[0].to_params()["low"]) == (plan.mu, 5, [plan.mu] * 3)
    for i in range(3):
        # Rows times their outcome: of the classes 0, 1 and 2 only 1 is odd.
        for U, label, own in ((rows.U, rows.label, problem.train), (rows.U_test, rows.label_test, problem.test)):
            np.testing.assert_array_equal(own[i], np.where(label[i] == 1, 1.0, -1.0)[:, None] * U[i])
    x = np.array([[0.2, 0.9, 0.4]])
    y = problem.lower_solution(x)[0]
    pulls = [sum(-u / (1 + np.exp(u @ y)) for u in rows) for rows in problem.train]
    np.testing.assert_allclose(sum(pulls) + 1.5 * y, 0, atol=1e-10)
    by_hand = np.mean([np.log1p(np.exp(-rows @ y)).sum() for rows in problem.test])
    assert problem.f(x)[0] == pytest.approx(by_hand, rel=1e-12) == problem.loss_at(np.array([0.5]))[0]


def test_local_steps_of_hyperparameter_learning_are_one_long_step() -> None:
    plan = hyper.Plan(m=3, test=0.3, R=6, runs=2, gamma=0.001, eta=0.02, x0=1.0)
    problem = hyper.problem(plan, tiny())
    many = hyper.curves(replace(plan, local_steps=(10,)), problem)[10].x_last
    one = hyper.curves(replace(plan, gamma=0.01, local_steps=(1,)), problem)[1].x_last
    assert np.abs(one - 1).max() > 1e-4
    np.testing.assert_allclose(many, one, rtol=0, atol=1e-10)
    # With the penalty at work (x below mu) it is no longer so.
    low = replace(plan, mu=1.1)
    many = hyper.curves(replace(low, local_steps=(10,)), hyper.problem(low, tiny()))[10].x_last
    one = hyper.curves(replace(low, gamma=0.01, local_steps=(1,)), hyper.problem(low, tiny()))[1].x_last
    assert np.abs(many - one).max() > 1e-4


@pytest.mark.parametrize(("change", "said"), [({"mu": 0.0}, "mu is 0.0"), ({"test": 0.0}, "has no test row")])
def test_bad_hyperparameter_plans_are_refused(change: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        hyper.problem(replace(hyper.Plan(m=3), **change), tiny())


def test_classes_are_numbered_alike_on_both_sides_and_measured_by_means() -> None:
    plan = fair.Plan(m=2, classes=(1, 3, 8), test=0.3, concentration=math.inf)
    tripled = replace(tiny(), label=np.array([1, 3, 8])[tiny().label])
    rows = fair.dealt(plan, tripled)
    x = np.random.default_rng(3).normal(size=(1, 24))
    Z, w = x[0, :20].reshape(4, 5), x[0, 20:]
    sides = ((fair.problem(plan, rows), rows.U, rows.label), (fair.held_back(plan, rows), rows.U_test, rows.label_test))
    for problem, parts, labels in sides:
        assert (problem.nt, problem.weights, problem.lam) == (3, "simplex", plan.lam)
        U, label = np.concatenate(parts), np.concatenate(labels)
        squares = (np.where(label == 8, -1.0, 1.0) - np.maximum(U @ Z.T, 0) @ w) ** 2
        want = [squares[label == c].mean() for c in plan.classes]
        np.testing.assert_allclose(problem.mean_losses(x)[0], want, rtol=1e-12)


def test_metrics_tell_training_rows_from_rows_held_back() -> None:
    plan = fair.Plan(m=2, classes=(0, 1, 2), test=0.3, local_steps=(1,), R=1, runs=1)
    found, rows = fair.curves(plan, tiny()), fair.dealt(plan, tiny())
    x = random_model(plan.seed, plan.scale, fair.problem(plan, rows).n)[None]
    for name, problem in (("", fair.problem(plan, rows)), ("_test", fair.held_back(plan, rows))):
        losses = problem.mean_losses(x)[0]
        for run in found.values():
            assert run.last["worst" + name][0, 0] == pytest.approx(losses.max(), rel=1e-12)
            assert run.last["mean" + name][0, 0] == pytest.approx(losses.mean(), rel=1e-12)
    assert found["H = 1"].last["f"][0, 0] != found["even weights, H = 1"].last["f"][0, 0]


def test_fairness_lowers_the_worst_class_and_not_the_mean() -> None:
    plan = fair.Plan(m=2, classes=(0, 1, 2), test=0.3, gamma=5e-3, local_steps=(4,), R=150, runs=2, lam=0.01, scale=0.5)
    found = fair.curves(plan, tiny(rows=90))
    fairly, evenly = (found[name].last for name in ("H = 4", "even weights, H = 4"))
    assert fairly["worst"][-1].mean() < fairly["worst"][0].mean() - 0.1
    assert fairly["worst"][-1].mean() < evenly["worst"][-1].mean()
    assert evenly["mean"][-1].mean() < fairly["mean"][-1].mean()


def test_bad_fair_problems_are_refused() -> None:
    plan = fair.Plan(m=2, classes=(0, 1), test=0.3, concentration=math.inf)
    with pytest.raises(ValueError, match="lam is 0"):
        fair.problem(replace(plan, lam=0.0), fair.dealt(plan, tiny()))
    with pytest.raises(ValueError, match="class 0 has no row"):  # too few rows to hold one of each class back
        fair.held_back(plan, fair.dealt(replace(plan, test=0.05), tiny()))


def test_network_curves_fall_faster_with_more_local_steps_and_alike_for_all_radii() -> None:
    plan = network.Plan(m=2, gamma=1e-3, local_steps=(1, 10), radii=(0.01, 0.001), R=20, runs=3, batch=None)
    rows = network.dealt(plan, tiny(rows=120))
    found = network.by_local_steps(plan, network.relu_network(plan, rows))
    first, last = (found[0.01, H].last["loss"] for H in (1, 10))
    assert last[-1].mean() < first[-1].mean() < first[0].mean()
    for H in (1, 10):
        assert network.last([found[0.01, H]])[0] == pytest.approx(network.last([found[0.001, H]])[0], rel=0.02)


def test_other_methods_start_at_one_model_and_sharp_units_are_nearly_relu() -> None:
    plan = network.Plan(m=2, gamma=1e-3, betas=(1.0, 1e4), R=3, runs=2, batch=None)
    rows = network.dealt(plan, tiny(rows=120))
    found = network.by_sharpness(plan, rows, 5)
    assert {name for name, _ in found} == {"FedAvg", "FedProx", "FedMSPP", "Scaffnew"}
    starts = {float(ran.last["loss"][0, 0]) for ran in found.values()}
    assert len(starts) == 1
    x = random_model(0, 0.1, network.relu_network(plan, rows).n)[None]
    relu, soft = network.relu_network(plan, rows), network.softplus_network(plan, rows, 1e4)
    assert starts == {float(relu.f(x)[0])}
    assert soft.h(x)[0] == pytest.approx(relu.f(x)[0], rel=1e-3)


def test_images_come_from_the_named_folder_or_from_a_dependency(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("RATEPROOF_DATA", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert available().name == "digits"
    (tmp_path / "mnist_5k.csv.gz").write_bytes((",".join(["0"] * 784 + ["4"])).encode())
    assert available().label.tolist() == [4]
    with pytest.raises(ValueError, match="cannot read"):
        available(tmp_path / "nowhere.csv")


def test_intervals_are_students() -> None:
    mean, half = figures.interval(np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]]))
    np.testing.assert_allclose(mean, [2, 5])
    np.testing.assert_allclose(half, [4.302652729911275 / math.sqrt(3), 0], rtol=1e-9)
    assert figures.interval(np.ones((4, 1)))[1].tolist() == [0, 0, 0, 0]


def test_pictures_are_the_same_for_the_same_numbers(rerun: list[Cell]) -> None:
    pytest.importorskip("matplotlib")
    rounds, values = np.arange(4), np.array([[3.0, 3.1], [2.0, 2.2], [np.nan, 9e200], [np.nan, np.nan]])
    few = Plan(followers=((10, 20, 1e-4),), slopes=(0.5,), local_steps=(1, 10), radii=(0.1,), R=3, m=2)
    drawn = [figures.losses({"one": {"H = 1": (rounds, values)}}, ylabel="loss") for _ in range(2)]
    for of in (figures.png, figures.svg):
        assert of(drawn[0]) == of(drawn[1])
    drawn.append(market_figures.comparison(rerun))
    drawn.append(market_figures.landscape(table4.market_of(few, 10, 0.5), table4.courses(few)))
    assert all(figures.png(picture).startswith(b"\x89PNG") for picture in drawn)
    assert all(b"<svg" in figures.svg(picture) for picture in drawn)
    with pytest.raises(ValueError, match="panels has 0 entries"):
        figures.losses({}, ylabel="loss")


#: Parameters that a family and a method that runs on it both have: each means the same in both, and both get the value.
SHARED = {
    ("sigma_only_line", "eta"),
    ("affine_two_stage", "X_low"),
    ("affine_two_stage", "X_high"),
    ("scalar_two_stage", "X_low"),
    ("scalar_two_stage", "X_high"),
}


def test_settings_of_a_family_and_a_method_clash_where_they_mean_the_same_only() -> None:
    asked = {"FedRZO_bl": Bilevel, "FedRZO_2s": TwoStage, "ZSOL": TwoStage}
    clashes = set()
    for name, make in methods().items():
        kind = make if inspect.isclass(make) else get_type_hints(make)["return"]
        wanted = asked.get(name, get_type_hints(kind.init).get("problem"))
        for family, build_problem in families().items():
            if issubclass(get_type_hints(build_problem)["return"], wanted):
                both = inspect.signature(make).parameters.keys() & inspect.signature(build_problem).parameters.keys()
                clashes |= {(family, parameter) for parameter in both}
    assert clashes == SHARED


def test_shared_settings_reach_the_family_and_the_method() -> None:
    steps = build("fedrzo_nn", "sigma_only_line", {"gamma": 0.1, "eta": 0.3}, R=1)
    assert steps.method.eta == 0.3 and steps.problem.params["eta"] == 0.3
    settings = {"gamma": 0.1, "eta": 0.3, "X_low": -0.5, "X_high": 2.0, "low": 0.25}
    stages = build("zsol", "affine_two_stage", settings, R=1)
    assert (stages.method.X.low.tolist(), stages.method.X.high.tolist()) == ([-0.5], [2.0])
    assert stages.problem.sets.sets[0].key() == stages.method.X.key()
    assert stages.problem.low.tolist() == [0.25]  # of the second stage, not of X
    network_run = build("IPIRFedAvg", "random_softplus_network", {"lam": 0.1, "weight_decay": 0.02}, R=1)
    assert (network_run.method.lam, network_run.problem.data.weight_decay) == (0.1, 0.02)
