"""The methods of the paper from the command line: lower levels by name, schedules, problems of the wrong class."""

import json

import pytest
from click.testing import CliRunner

from verify.cli import cli


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
    assert code == 2 and "tau >= -1/ln(1 - 1/kappa_F^2) fails: tau_2s = 1 should be >= 86.6" in out
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
        ("fedrzo_bl", "huber_line", "no lower level"),
        ("fedrzo_2s", "huber_line", "two-stage problem"),
    ],
)
def test_problems_of_another_class_are_refused_in_one_line(method, family, why):
    code, out = call(method, "--problem", family, "--set", "gamma=0.01", "--set", "eta=0.1", "--rounds", "2")
    assert code == 2 and why in out and out.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("eta=0", "eta is 0.0; it should be a positive number"),
        ("eta=-1", "eta is -1.0; it should be a positive number"),
        ("H=0", "H is 0; it should be a whole number of local steps, at least 1"),
        ("directions=all", "directions"),
    ],
)
def test_bad_parameters_get_one_line(setting, why):
    given = {"gamma": "0.01", "eta": "0.1", **dict([setting.split("=")])}
    settings = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    code, out = call("fedrzo_nn", "--problem", "huber_line", *settings, "--rounds", "2")
    assert code == 2 and why in out and out.count("\n") == 1
