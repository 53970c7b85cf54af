"""``rateproof run`` with federated bilevel methods."""

import inspect
import json

import numpy as np
import pytest
from click.testing import CliRunner

from rateproof.theory.papers.mefbo.schedules import lyapunov
from rateproof.verify.cli import cli
from rateproof.verify.experiments import experiment, listing
from rateproof.verify.experiments.settings import checked, parameters, parse

NEST = "alpha=0.1 beta=0.1 tau=2 inner=2"
METHODS = {
    "mefbo": "gamma=0.2 lambda_theta=0.1 lambda_x=0.1 lambda_y=0.1 tau=2 c0=2 p=0.1 P=2",
    "meha": "gamma=0.2 eta=0.1 alpha=0.1 beta=0.1",
    "fednest": NEST,
    "lfednest": NEST,
    "fedmbo": NEST,
    "fbo-aggitd": NEST,
    "simfbo": "eta_y=0.1 eta_v=0.1 eta_x=0.1 P=2",
    "shrofbo": "eta_y=0.1 eta_v=0.1 eta_x=0.1 taus=[1,2,3]",
    "fedbio": "gamma=0.1 rho=0.1 eta=0.1 tau=2",
    "fedbioacc": "gamma=0.1 rho=0.1 eta=0.1 tau=2",
    "soba": "gamma=0.1 rho=0.1 P=1",
    "saba": "gamma=0.1 rho=0.1 P=1",
    "f2sa": "alpha=0.05 gamma=0.1 delta=0.1",
}


def call(method, settings, *more):
    given = [word for setting in settings.split() for word in ("--set", setting)]
    result = CliRunner().invoke(cli, ["run", method, *given, *more])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("method", METHODS)
def test_methods_run_with_noise(method):
    problem = ("--problem", "random_bilevel_quadratic", "--set", "m=3", "--set", "sigma_f=0.1", "--set", "sigma_h=0.1")
    code, out = call(method, METHODS[method], *problem, "--rounds", "5", "--runs", "2", "--json")
    report = json.loads(out)
    assert code == 0 and report["counts"]["rounds"] == 5
    measured = set(report["last"])
    assert {"F", "G", "|grad Phi|", "dist"} <= measured
    assert ({"R", "c^2 R", "G - v", "|theta - theta*|"} <= measured) == (method in ("mefbo", "meha"))


@pytest.mark.parametrize("family", ["cosine_tracking", "double_well", "log_cosh_tracking", "hyper_cleaning"])
def test_families_run(family):
    code, out = call("mefbo", METHODS["mefbo"].replace("0.2", "0.05"), "--problem", family, "--rounds", "3")
    assert code == 0 and "newest server model\n" in out and "s.e." not in out and "diverged" not in out


NOT_CONVEX = "or the problem of theta is not strongly convex"
WRONG = {
    "gamma": ("mefbo", "cosine_tracking", "gamma=9", "gamma is 9; it should be in (0, 1/rho_wc) = (0, 1.13949)"),
    "gamma of meha": ("meha", "cosine_tracking", "gamma=9", NOT_CONVEX),
    "negative gamma": ("mefbo", "cosine_tracking", "gamma=-1", "gamma is -1.0; it should be a positive number"),
    "concave": ("mefbo", "bilevel_quadratic", "A=-9", "gamma is 0.2; it should be in (0, 1/rho_wc) = (0, 0.111111)"),
    "participants": ("mefbo", "cosine_tracking", "P=7", "P is 7; it should be at most 2, the number of clients"),
    "participants of saba": ("saba", "cosine_tracking", "P=7", "P is 7; it should be at most 2, the number of clients"),
    "participants of fedbioacc": ("fedbioacc", "cosine_tracking", "P=1", "P is 1; it should be 2, all clients"),
    "a part of a client": ("fednest", "cosine_tracking", "P=1.5", "P is 1.5; it should be a whole number"),
    "no clients": ("simfbo", "cosine_tracking", "m=0", "m is 0; it should be a whole number, at least 1"),
    "steps of clients": ("shrofbo", "cosine_tracking", "taus=[1]", "it should hold a number for each of 2 clients"),
    "weights": ("mefbo", "cosine_tracking", "weights=[0.5,0.6]", "should be 2 positive numbers with sum 1"),
    "negative weights": ("soba", "bilevel_quadratic", "weights=[1.5,-0.5]", "should be 2 positive numbers with sum 1"),
    "empty set": ("mefbo", "cosine_tracking", "Y_low=1 Y_high=0", "from 1 to 0; it should hold a point"),
    "empty set of a quadratic": ("fedbio", "bilevel_quadratic", "X_low=1 X_high=0", "it should hold a point"),
    "few rows": ("mefbo", "hyper_cleaning", "rows=2 P=1", "m is 4; it should be at least 1 and at most the number of"),
    "no constant": ("fednest", "loss_tuning", "hidden=2", "no smoothness constant of the lower level is known; ell"),
    "saga": ("mefbo", "cosine_tracking", "estimator=saga", "it needs noise=minibatch with batch_size=1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_line(name):
    method, family, changed, words = WRONG[name]
    settings = dict(s.split("=") for s in (*METHODS[method].split(), *changed.split()))
    given = " ".join(f"{key}={value}" for key, value in settings.items())
    code, out = call(method, given, "--problem", family, "--rounds", "3")
    assert code == 2 and words in out and "Traceback" not in out and len(out.strip().splitlines()) == 1


def test_what_is_not_known_is_not_measured():
    network = ("--problem", "loss_tuning", "--set", "hidden=3", "--set", "batch_size=8", "--rounds", "2", "--json")
    code, out = call("mefbo", METHODS["mefbo"], *network)
    assert code == 0 and set(json.loads(out)["last"]) == {"F", "G", "accuracy"}


def test_a_problem_of_another_class_is_refused():
    code, out = call("mefbo", METHODS["mefbo"], "--problem", "cournot", "--rounds", "3")
    assert code == 2 and "method mefbo runs on problems of class SmoothBilevel" in out


CONSTANTS = "gamma=0.125 p=0.1 c_lam=0.01 c_eta=0.001"
ON = ("--problem", "cosine_tracking", "--rounds", "16", "--schedule")
REFUSED = {
    "gamma": ("S-fixed", "gamma=0.3", "needs gamma < 1/(2*L_2) = 0.25, got L_2 = 2, gamma = 0.3"),
    "participants": ("S-fixed", "P=7", "P is 7; it should be at most 2, the number of clients"),
    "weights": ("S-fixed", "weights=[0.5,0.6]", "should be 2 positive numbers with sum 1"),
    "constants": ("S-fixed", "c_lam=1", "(79) fails: lambda_theta = 0.25 should be <= 0.0110294"),
    "p": ("S-fixed", "p=0.3", "needs p < 1/4, got p = 0.3"),
    "q": ("S-dec", "q=0.4", "needs q > 1/2, got q = 0.4"),
    "p and q": ("S-dec", "q=0.9", "needs p < 1/2 - q/2 = 0.05, got p = 0.1, q = 0.9"),
    "both": ("S-fixed", "lambda_theta=1", "lambda_theta is set by schedule S-fixed"),
}


def settings_with(setting):
    name = setting.split("=")[0]
    return " ".join([*(s for s in CONSTANTS.split() if s.split("=")[0] != name), setting])


@pytest.mark.parametrize("name", REFUSED)
def test_a_schedule_says_in_one_line_what_would_be_right(name):
    schedule, setting, words = REFUSED[name]
    code, out = call("mefbo", settings_with(setting), *ON, schedule)
    assert code == 2 and words in out and "Traceback" not in out and len(out.strip().splitlines()) == 1


def test_the_constants_of_a_schedule_are_asked_for():
    code, out = call("mefbo", "gamma=0.125 p=0.1", *ON, "S-fixed")
    assert code == 2 and "needs c_eta, c_lam; give it as c_eta=value" in out


def test_schedules_set_the_steps_of_the_first_round():
    fixed = experiment.build("mefbo", "cosine_tracking", parse(CONSTANTS.split()), R=16, schedule="S-fixed").method
    known = lyapunov(2.0, 0.125)
    assert (fixed.lambda_theta, fixed.P) == (0.01 / 4, 2)
    assert fixed.lambda_x == fixed.lambda_y == pytest.approx(known["c_theta"] * fixed.lambda_theta, rel=1e-12)
    assert fixed.eta_x == fixed.eta_theta == pytest.approx(0.001 / (2 * 2**0.5), rel=1e-12)
    assert (fixed.q, fixed.q_eta, fixed.c(0), fixed.c(15)) == (0, 0, 1, 16**0.1)
    settings = parse(f"{CONSTANTS} q=0.6".split())
    falling = experiment.build("mefbo", "cosine_tracking", settings, R=16, schedule="S-dec").method
    assert (falling.lambda_theta, falling.q, falling.q_eta) == (0.01, 0.6, 0.25)
    assert falling.eta_y == pytest.approx(0.001 / 2**0.5, rel=1e-12)


def test_one_client_has_a_schedule():
    settings = "gamma=0.05 p=0.1 c_lam=0.001 c_eta=0.00001 m=1"
    code, out = call("mefbo", settings, "--problem", "random_bilevel_quadratic", *ON[2:], "S-fixed")
    assert code == 0 and "lambda_theta = 0.00025" in out


@pytest.mark.parametrize("kind", ["methods", "families"])
def test_defaults_can_be_set_as_they_are_listed(kind):
    count = 0
    for name, make in getattr(experiment, kind)().items():
        kinds, signature = parameters(make), inspect.signature(make).parameters
        for listed in next(listing.described(name)).partition(": ")[2].split(", "):
            one, _, value = listed.partition("=")
            if value not in ("", "...", "None", "inf", "-inf"):  # these are what is so when nothing is said
                given = checked(one, parse([listed])[one], kinds[one])
                if isinstance(default := signature[one].default, str):
                    assert given == default
                else:
                    np.testing.assert_allclose(given, default, rtol=1e-5)
                count += 1
    assert count > 50
