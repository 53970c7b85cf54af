"""``rateproof run`` with federated bilevel methods."""

import json

import pytest
from click.testing import CliRunner

from rateproof.verify.cli import cli

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
    assert code == 0 and "newest server model, mean over 1 runs" in out and "diverged" not in out


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
