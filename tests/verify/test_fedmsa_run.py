"""``rateproof run`` with FedMSA on problems of coupled sequences."""

import inspect
import json

import pytest
from click.testing import CliRunner

from rateproof.verify.cli import cli
from rateproof.verify.experiments import experiment

STEPS = "alpha=0.05 beta=0.1 rho=0.3 K=2"
SLOW = STEPS.replace("0.05", "0.0001")
AFFINE = [
    "linear_sequences",
    "rotation_sequences",
    "random_sequences",
    "wave_noise",
    "pure_noise",
    "bilevel_sequences",
    "random_bilevel_sequences",
    "scalar_tracking_sequences",
]
CHAINS = ["quadratic_chain", "smooth_chain", "risk_averse"]
BILEVEL = ["tracking_quadratic", "scalar_tracking", "random_bilevel_quadratic", "hyper_cleaning"]


def call(method, family, settings, *more):
    given = [word for setting in settings.split() for word in ("--set", setting)]
    result = CliRunner().invoke(cli, ["run", method, "--problem", family, *given, "--rounds", "4", *more])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


BASELINES = {
    "stsa": ("random_sequences", "alpha=0.05 beta=0.1"),
    "storm": ("heterogeneous_least_squares", "alpha=0.05 rho=0.3"),
    "sarah": ("heterogeneous_least_squares", "alpha=0.05 K=4"),
    "ce-lsgd": ("heterogeneous_least_squares", "alpha=0.05 rho=0.3 K=4"),
    "scgd": ("smooth_chain", "alpha=0.05 beta=0.5"),
    "asc-pg": ("quadratic_chain", "alpha=0.05 beta=0.5"),
    "comfedl": ("risk_averse", "alpha=0.0001 K=2"),
    "mfcgd": ("smooth_chain", "alpha=0.05 rho=0.5 K=2"),
    "ada-mfcgd": ("quadratic_chain", "alpha=0.05 rho=0.5 K=2"),
    "stocbio": ("random_bilevel_quadratic", "alpha=0.05 beta=0.1 P=3"),
    "local-bsgvrm": ("loss_tuning", "alpha=0.05 beta=0.1 ell=4 rho=0.5 tau=2"),
    "local-bsgm": ("hyper_cleaning", "alpha=0.05 beta=0.1 ell=4 rho=0.5 tau=2"),
    "adafbio": ("tracking_quadratic", "alpha=0.05 beta=0.1 rho=0.5 tau=2"),
}
OF_MAPS = ("|P(x)|^2", "|Z - Z*|^2", "|h - P|^2", "|q - S|^2")
SHOWN = [
    *(("fedmsa", family, SLOW if family == "risk_averse" else STEPS, OF_MAPS) for family in AFFINE + CHAINS),
    *(("fedmco", family, SLOW, ("f", "|grad f|^2", "|P(x)|^2")) for family in CHAINS),
    *(("fedblo", family, f"{STEPS} terms=2 ell=9", ("F", "G", "|h - P|^2")) for family in BILEVEL),
    *((method, *given, ()) for method, given in BASELINES.items()),
]


@pytest.mark.parametrize(("method", "family", "settings", "shown"), SHOWN)
def test_what_a_run_shows(method, family, settings, shown):
    if noisy := method == "fedblo" and family != "hyper_cleaning":
        settings += " sigma_f=0.1 noise=two_point"
    code, out = call(method, family, settings, "--json")
    report = json.loads(out)
    assert code == 0 and {*shown} <= set(report["last"]) and report["counts"]["rounds"] == 4
    assert not noisy or report["counts"]["samples"] > 0
    if method == "fedmsa":
        assert report["counts"]["lower_rounds"] == 4 and len(report["constants"]["tau_each"]) >= 1
        assert {"one_point_monotone", "heterogeneity_bounded"} <= set(report["facts"])
        code, out = call(method, family, settings, "--runs", "2")
        assert code == 0 and "random local iterate, mean over 2 runs" in out and "newest server model" in out
        assert all(name in out for name in OF_MAPS) and "diverged" not in out


def test_every_family_of_the_room_is_tried():
    modules = ("sequences", "compositional", "risk_averse", "bilevel_tracking")
    found = {n for n, f in experiment.families().items() if inspect.getmodule(f).__name__.endswith(modules)}
    assert found == {*AFFINE, *CHAINS, "scalar_tracking"}
    assert {"FedMSA", "FedBLO", "FedMCO"} <= set(experiment.methods())
    result = CliRunner().invoke(cli, ["run", "--list"])
    assert all(name in result.output for name in ("FedMSA", "FedBLO", "FedMCO", "linear_sequences"))
    described = CliRunner().invoke(cli, ["run", "fedmco", "--list"])
    assert "runs on problems of class Compositional: quadratic_chain, smooth_chain, risk_averse" in described.output


def test_a_lower_level_that_does_not_attract_is_noted():
    code, out = call("fedblo", "bilevel_quadratic", f"{STEPS} A=-2")
    assert code == 0 and "the least eigenvalue of the Hessian of the lower level in w is -2; it should be" in out
    code, out = call("fedblo", "cosine_tracking", STEPS)
    assert code == 0 and "note: the zero of S" not in out and "lower_strongly_convex" in out


def test_one_step_a_sequence():
    code, out = call("fedmsa", "random_sequences", "alpha=0.05 beta=[0.1,0.2] N=2 clients_selected=2")
    assert code == 0 and "beta = [0.1, 0.2]" in out


WRONG = {
    "sizes": ("fedmsa", "linear_sequences", "alpha=0.1 beta=[0.1,0.2]", "beta has 2 steps; it should be one number"),
    "no step": ("fedmsa", "linear_sequences", "alpha=0.1", "method fedmsa needs beta: --set beta=value"),
    "text": ("fedmsa", "linear_sequences", "alpha=0.1 beta=x", "beta is 'x'; it should be a number"),
    "no sequence": ("fedmsa", "linear_sequences", f"{STEPS} N=0", "N is 0; it should be a whole number, at least 1"),
    "momentum": ("fedmsa", "linear_sequences", f"{STEPS} rho=2".replace("rho=0.3 ", ""), "rho is 2.0; it should be in"),
    "not attracting": ("fedmsa", "linear_sequences", f"{STEPS} D=-1", "the least real part of an eigenvalue"),
    "not unique": ("fedmsa", "linear_sequences", f"{STEPS} D=0", "no unique zero in z^1: the least singular value"),
    "region": (
        "fedmsa",
        "linear_sequences",
        f"{STEPS} region=stated",
        "(Lemma B.4) fails: 2 e kappa_s1 step^2 = 0.5368",
    ),
    "class": ("fedmco", "linear_sequences", STEPS, "method fedmco runs on problems of class Compositional"),
    "class of fedmsa": ("fedmsa", "bilevel_quadratic", STEPS, "method fedmsa runs on problems of class MultiSequence"),
    "constraints": ("fedblo", "double_well", STEPS, "FedMSA does not project; X and Y should be whole spaces"),
    "clients": ("fedmsa", "linear_sequences", f"{STEPS} clients_selected=5", "it should be at most 2, the number of"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_line(name):
    method, family, settings, words = WRONG[name]
    code, out = call(method, family, settings)
    assert code == 2 and words in out and "Traceback" not in out and len(out.strip().splitlines()) == 1
