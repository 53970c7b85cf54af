"""The methods of the paper from the command line: lower levels by name, schedules, problems of the wrong class."""

import json

import pytest
from click.testing import CliRunner

from rateproof.algos.problems.federated import Federated
from rateproof.verify.cli import cli


def call(*arguments):
    result = CliRunner().invoke(cli, ["run", *arguments])
    return result.exit_code, result.output


def report(*arguments):
    code, out = call(*arguments, "--json")
    assert code == 0, out
    return json.loads(out)


def test_single_level_counts_and_facts():
    found = report("fedrzo_nn", "--problem", "huber_line", "--set", "gamma=0.01", "--set", "eta=0.5", "--set", "H=5",
                   "--rounds", "20", "--runs", "3")  # fmt: skip
    assert found["counts"]["values_f"] == 2 * 20 * 5 and found["counts"]["projections"] == 20 * 5
    assert found["counts"]["floats_down"] == found["counts"]["floats_up"] == 20
    assert all(found["facts"][key]["holds"] for key in ("lipschitz", "unbiased", "variance_bounded", "dissimilarity"))
    assert set(found["average"]) == {"f", "dist", "|grad F|^2"}
    assert found["output"] == "uniformly drawn iterate"


@pytest.mark.parametrize("lower", ["exact", "local_sgd", "fedac", "lfd"])
def test_bilevel_with_each_lower_level(lower):
    found = report("fedrzo_bl", "--problem", "quadratic_lower", "--set", "gamma=0.001", "--set", "eta=0.1", "--set",
                   f"lower={lower}", "--rounds", "5", "--runs", "2")  # fmt: skip
    assert (found["counts"]["lower_rounds"] > 0) == (lower != "exact")


@pytest.mark.parametrize("method", ["fedrzo_2s", "zsol"])
def test_two_stages_solved_exactly_or_by_projections(method):
    settings = ["--problem", "cournot", "--set", "gamma=0.001", "--set", "eta=0.1", "--set", "m=3", "--rounds", "4"]
    exact = report(method, *settings)
    assert exact["counts"]["lower_calls"] == 0
    steps = report(method, *settings, "--set", "alpha=0.01", "--set", "tau=5")
    # ceil(5 ln(k + 1)) for k = 0..3, twice for each of 3 clients
    assert steps["counts"]["lower_calls"] == 2 * 3 * (0 + 4 + 6 + 7)
    code, out = call(method, *settings, "--set", "alpha=0.01")
    assert code == 2 and "the projection method needs alpha and tau; tau is missing" in out


def test_a_schedule_sets_stepsize_and_local_steps():
    arguments = ("--problem", "huber_line", "--set", "m=2", "--set", "eta=0.5", "--set", "K_it=1250", "--rounds", "5")
    found = report("fedrzo_nn", *arguments, "--schedule", "S-com")
    assert found["parameters"]["gamma"] == pytest.approx((2 / 1250) ** 0.5) and found["parameters"]["H"] == 4
    assert found["notes"] == ["K_it = 1250 as given, but the last iterate of 5 rounds of H = 4 local steps is 19"]


@pytest.mark.parametrize(("R", "m", "H"), [(100, 1, 5), (2, 1, 1), (100, 3, 2), (3000, 1, 15), (50, 4, 1)])
def test_a_horizon_that_is_not_given_is_that_of_the_run(R, m, H):
    found = report("fedrzo", "--problem", "huber_line", "--set", f"m={m}", "--set", "eta=0.5", "--rounds", str(R),
                   "--schedule", "S-com")  # fmt: skip
    K = R * H - 1
    assert found["parameters"]["H"] == H and (H - 1) ** 4 < K / m**3 <= H**4
    assert found["parameters"]["gamma"] == pytest.approx((m / K) ** 0.5)
    assert found["notes"] == [f"K_it = {K}, the last iterate of {R} rounds of H = {H} local steps"]


def test_the_horizon_has_the_papers_name_too_follows_given_times_and_needs_an_iterate():
    base = ("--problem", "huber_line", "--set", "eta=0.5", "--schedule", "S-com")
    assert report("fedrzo", *base, "--rounds", "5", "--set", "K=1250")["parameters"]["H"] == 6
    code, out = call("fedrzo", *base, "--rounds", "5", "--set", "K=1250", "--set", "K_it=3")
    assert code == 2 and "unknown parameter 'K'" in out
    timed = report("fedrzo", *base, "--rounds", "3", "--set", "T=[2,3,5]")
    assert timed["parameters"]["gamma"] == pytest.approx(0.5) and timed["parameters"]["H"] == 2  # K = 4
    code, out = call("fedrzo", *base, "--rounds", "1")
    assert code == 2 and "needs a last iterate K >= 1" in out


def test_printed_stepsizes_of_both_theorems_come_from_the_constants_of_the_problem():
    common = ("--set", "eta=0.1", "--set", "H=3", "--rounds", "2")
    bilevel = report("fedrzo_bl", "--problem", "affine_response", *common, "--schedule", "S-bl.i")
    c = bilevel["constants"]
    theta_2 = 5 * (c["L0"] + 1) ** 2 / (8 * 0.1**2)
    theta_3 = (c["L_h_x"] / c["mu_h"]) ** 2 * 20 / 0.1**2 * c["L_y"] ** 2
    largest = max(2, (0.1 * theta_3) ** 0.5, 4 * c["B2"] * (3 * theta_2) ** 0.5, 4 * c["B2"] * (3 * theta_3) ** 0.5)
    assert theta_3 > 40
    assert bilevel["parameters"]["gamma"] == pytest.approx(min(1 / (12 * largest), 0.1 / (24 * (c["L0"] + 1))))
    sets = ("--set", "X_low=[[0],[1]]", "--set", "X_high=[[3],[4]]", "--set", "m=2")
    stages = report("fedrzo_2s", "--problem", "scalar_two_stage", *sets, *common, "--schedule", "S-2s.ii")
    c = stages["constants"]
    theta_2 = 5 * (c["L0"] + 1) ** 2 / (8 * 0.1**2)
    assert c["B2"] > 0
    assert stages["parameters"]["gamma"] == pytest.approx(
        min(1 / (12 * 6**0.5 * 3 * c["B2"] * theta_2**0.5), 0.1 / (16 * (c["L0"] + 1)))
    )
    code, out = call("fedrzo_2s", "--problem", "cournot", *common, "--schedule", "S-2s.ii")
    assert code == 2 and "S-2s.ii needs a finite L0; problem 'cournot' has none" in out
    code, out = call("fedrzo_nn", "--problem", "huber_line", *common, "--schedule", "S-bl.i")
    assert code == 2 and "needs L_h_x, L_y, mu_h, which problem 'huber_line' does not have" in out


@pytest.mark.parametrize(("schedule", "cap"), [("S-nn.i", 0.025), ("S-lem8", 0.08333)])
def test_a_schedule_of_conditions_names_the_largest_stepsize_and_admits_it(schedule, cap):
    arguments = ("--problem", "absolute_line", "--set", "eta=0.1", "--set", "H=3", "--rounds", "2", "--schedule",
                 schedule)  # fmt: skip
    code, out = call("fedrzo", *arguments)
    assert code == 2 and f"gamma is missing; at most {cap:g} is admissible by {schedule}" in out
    assert call("fedrzo", *arguments, "--set", f"gamma={cap}")[0] == 0
    assert call("fedrzo", *arguments, "--set", f"gamma={1.001 * cap}")[0] == 2


def test_methods_are_compared_at_the_same_iterate_in_the_same_columns():
    base = ("--problem", "absolute_line", "--set", "gamma=0.01", "--set", "eta=0.1", "--set", "x0=1", "--rounds", "20")
    tables = [call(method, *base)[1].split("newest server model")[1].split("per run")[0]
              for method in ("fedrzo", "fedzo")]  # fmt: skip
    assert "|grad F|^2" in tables[0] and tables[0] == tables[1]  # without sets, one step is the same


def test_the_least_loss_and_the_reasons_are_printed():
    code, out = call("fedrzo_2s", "--problem", "cournot", "--set", "gamma=0.001", "--set", "eta=0.1", "--rounds", "2")
    assert code == 0 and "f* = -" in out and ", at x = " in out
    assert "  no client has a set (some X_i is not R^n)" in out and "  free" not in out
    assert "  variance_bounded (the loss is -x times the random price)" in out


def test_a_schedule_of_conditions_alone_refuses_what_it_does_not_admit():
    arguments = ("--problem", "huber_line", "--set", "eta=0.5", "--schedule", "S-nn.i", "--rounds", "5")
    code, out = call("fedrzo_nn", *arguments, "--set", "gamma=1")
    assert code == 2 and "gamma <= eta/(4 L_0 n) fails" in out
    assert call("fedrzo_nn", *arguments, "--set", "gamma=1", "--force")[0] == 0
    assert call("fedrzo_nn", *arguments, "--set", "gamma=0.01")[0] == 0


def test_a_schedule_sets_the_stepsize_of_the_lower_level_and_checks_its_length():
    arguments = ("--problem", "cournot", "--set", "m=3", "--set", "gamma=0.001", "--set", "eta=0.1", "--rounds", "2",
                 "--schedule", "S-vi")  # fmt: skip
    code, out = call("fedrzo_2s", *arguments, "--set", "tau=1")
    assert code == 2 and "tau >= -1/ln(1 - 1/kappa_F^2) fails: tau = 1 should be >= 86.6" in out
    found = report("fedrzo_2s", *arguments, "--set", "tau=87")
    # ceil(87 ln(k + 1)) for k = 0, 1, twice for each of 3 clients
    assert found["counts"]["lower_calls"] == 2 * 3 * (0 + 61)
    code, out = call("fedrzo_2s", *arguments, "--set", "tau=87", "--set", "alpha=1")
    assert code == 2 and "alpha is set by schedule S-vi" in out


@pytest.mark.parametrize("schedule", ["S-lsgd", "S-fedac", "S-lfd", "S-bl.eps"])
def test_a_schedule_that_a_lower_level_follows_by_itself_is_refused(schedule):
    code, out = call("fedrzo_bl", "--problem", "affine_response", "--set", "gamma=0.001", "--set", "eta=0.1",
                     "--rounds", "2", "--schedule", schedule)  # fmt: skip
    assert code == 2 and "sets nothing that method fedrzo_bl is given" in out


def test_noise_of_a_family_that_draws_its_own_reaches_the_family():
    settings = ("--problem", "affine_response", "--set", "gamma=0.001", "--set", "eta=0.1", "--rounds", "2")
    assert call("fedrzo_bl", *settings, "--set", "sigma_h=1")[0] == 0


@pytest.mark.parametrize(
    ("method", "family", "why"),
    [
        ("fedrzo_nn", "diagonal_selection", "runs on problems of class Federated, family diagonal_selection is of"),
        ("fedrzo_bl", "huber_line", "runs on problems of class Bilevel, family huber_line is of class LineProblem"),
        ("fedrzo_2s", "affine_response", "runs on problems of class TwoStage"),
        ("zsol", "huber_line", "method zsol runs on problems of class TwoStage"),
        ("strfedavg", "huber_line", "runs on problems of class Problem"),
    ],
)
def test_problems_of_another_class_are_refused_in_one_line_before_anything_else(method, family, why):
    code, out = call(method, "--problem", family, "--rounds", "2", "--schedule", "S-nowhere", "--set", "nothing=1")
    assert code == 2 and why in out and out.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("eta=0", "eta is 0.0; it should be a positive number"),
        ("eta=-1", "eta is -1.0; it should be a positive number"),
        ("H=0", "H is 0; it should be a whole number of local steps, at least 1"),
        ("directions=all", "directions"),
        ("eta=1e-320", "eta is 1e-320; it should be from 1e-150"),
        ("eta=1e200", "eta is 1e+200; it should be from 1e-150 to 1e+150"),
        ("eta=true", "eta is true; it should be a number"),
        ("H=1e30", "H is 1e+30; it should be at most 1e+09"),
        ("H=900000000", "draw 900000000 numbers a round"),
        ("T=3", "T is 3; it should be a list of whole numbers"),
        ("T=abc", "T is abc; it should be a list"),
        ("T=[1,2.5]", "T is [1, 2.5]; it should be a list of whole numbers"),
        ("T=[true,2]", "it should be a list of whole numbers"),
        ("T=[1]", "T gives 1 rounds; it should hold a time for each of 2 rounds"),
        ("m=1e12", "m is 1e+12; it should be at most"),
        ("slope=yes", "slope is 'yes'; it should be a number"),
        ("slope=false", "slope is false; it should be a number"),
    ],
)
def test_bad_parameters_get_one_line(setting, why):
    given = {"gamma": "0.01", "eta": "0.1", **dict([setting.split("=")])}
    settings = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    code, out = call("fedrzo_nn", "--problem", "huber_line", *settings, "--rounds", "2")
    assert code == 2 and why in out and out.count("\n") == 1


def test_a_lower_level_without_end_is_refused():
    arguments = ("--problem", "cournot", "--set", "gamma=0.001", "--set", "eta=0.1", "--rounds", "2")
    code, out = call("fedrzo_2s", *arguments, "--set", "alpha=0.1", "--set", "tau=1e300")
    assert code == 2 and "tau is 1e+300; it should be at most 1000000000" in out
    bilevel = ("--problem", "quadratic_lower", "--set", "M=[[1,0],[0,1e10]]", "--set", "nt=2", "--set", "n=2")
    code, out = call("fedrzo_bl", *bilevel, *arguments[2:], "--set", "lower=local_sgd")
    assert code == 2 and "a lower-level call takes" in out and "at most 1000000000" in out
    code, out = call("fedrzo_bl", *bilevel, *arguments[2:], "--set", "projected=1")
    assert code == 2 and "projected is 1; it should be true or false" in out


def test_what_a_family_itself_cannot_take_names_the_settings(monkeypatch):
    monkeypatch.setattr("rateproof.verify.experiments.experiment.families", lambda: {"odd": odd})
    for wrong in ("1", "2"):
        code, out = call("fedrzo", "--problem", "odd", "--rounds", "2", "--set", f"size={wrong}")
        assert code == 2 and f"family odd with size = {wrong} is no instance: " in out
    code, out = call("fedrzo", "--problem", "odd", "--rounds", "2", "--set", "size=3")
    assert code == 2 and "does not fit in memory" in out


def odd(*, size: int) -> Federated:
    """A family with no good instance."""
    raise {1: ValueError("negative dimensions"), 2: ZeroDivisionError("division by zero"), 3: MemoryError()}[size]


@pytest.mark.parametrize(("x0", "said"), [("55", True), ("0.5", False)])
def test_a_start_outside_of_the_sets_is_noted(x0, said):
    code, out = call("fedrzo_nn", "--problem", "absolute_line", "--set", "gamma=0.01", "--set", "eta=0.1", "--set",
                     "low=0", "--set", "high=1", "--set", f"x0={x0}", "--rounds", "3")  # fmt: skip
    assert code == 0 and ("x0 is not in X, it is 54 away from the set of a client" in out) == said
