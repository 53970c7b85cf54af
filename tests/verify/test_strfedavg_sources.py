"""Instances of StR-FedAvg on which one source of error is at work, and what they see that equal Hessians hide."""

import math
from dataclasses import replace
from fractions import Fraction as Q
from math import isclose

import pytest

from rateproof.algos.problems import sources
from rateproof.theory import catalog
from rateproof.theory.papers.strfedavg.notation import A2, gap_eta_n
from rateproof.theory.symbols import gamma_t
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Finding
from rateproof.verify.papers.strfedavg import kinked, line_sources
from rateproof.verify.papers.strfedavg.instances import Setting, balanced, measure, of_sources, pure, up_to_offset
from rateproof.verify.papers.strfedavg.kinked import CROWD, Kinked
from rateproof.verify.papers.strfedavg.line_sources import Calls
from rateproof.verify.planted.mutate import terms
from rateproof.verify.trial import evaluate

PROP1 = catalog.get("strfedavg.prop1.corrected")


def without(claim, name):
    (term,) = (term for term in terms(claim) if term.name == name)
    return term.scaled(0)


def finding(claim, *trials):
    return bounds.decide(claim, trials, method="").finding


def test_without_its_drift_term_proposition_1_says_zero_and_the_gap_is_positive():
    # h_1 = (x - 1)^2/2, h_2 = (x + 1)^2/10, f = x^2/20, eta = 1/10, K = 2, from x_eta*, no noise, all clients
    params = (("curvatures", ((1.0,), (0.2,))), ("t", ((1.0,), (-1.0,))), ("F", ((0.1,),) * 2), ("d", ((0.0,),) * 2))
    setting = Setting("separable", params, start=None, eta=0.1, K=2, R=1e9, cap="SC16h")
    trial = measure(setting)
    cut = without(PROP1, "A2*gamma_t**2")
    (side,) = evaluate(cut, trial).sides
    assert side.rhs == 0 and side.lhs > 1e-7
    assert finding(cut, trial) is Finding.VIOLATION and finding(PROP1, trial) is Finding.HOLDS
    assert PROP1.statement.has(A2, gamma_t, gap_eta_n)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("prop1", "18*G2*L/gamma_g**2 of A2"),
        ("prop1", "G2*(4 - 4*S/N)/S of A1"),
        ("prop3.i-2", "A2*gamma_t**2/eta in gap_f_n <= ..."),
        ("prop4", "3*A2*gamma_t**2"),
    ],
)
def test_pure_sources_need_the_term_that_is_theirs_and_no_true_claim_falls(claim, source):
    of = catalog.get(f"strfedavg.{claim}.corrected")
    convex = claim == "prop4"
    trials = [measure(replace(setting, cap="SC16h", convex=convex)) for setting in pure()]
    assert finding(of, *trials) is Finding.HOLDS
    assert finding(without(of, source), *trials) is Finding.VIOLATION


# --- a kink


def test_what_noise_does_at_a_kink_by_hand():
    # h' = x below 0 and x/4 above, no outer loss to speak of: from 0 to -+g, then back by g and g/4 of that
    k = Kinked(noise=1.0, eta=1e-12, gamma_g=4.0, R=3.0)
    g = float(measure_gamma(k))
    trial = kinked.measure(k)
    # x_2 is +-g twice, pulled back by g^2 from -g and by g^2/4 from g: its mean is 3 g^2/8, and a third of it counts
    assert isclose(trial.values["gap_f_n"], 0.5 * second_moment(g), rel_tol=1e-6)


def measure_gamma(k):
    values = kinked.measure(k).values
    return Q(values["gamma_l"]) * Q(values["gamma_g"]) * k.K


def second_moment(g):
    """E ((x_1 + x_2)/3)^2 for x_1 = -+g and x_2 = x_1 - g (h'(x_1) +- 1)."""
    found = 0.0
    for first in (-1, 1):
        x_1 = -g * first
        for second in (-1, 1):
            x_2 = x_1 - g * ((x_1 if x_1 < 0 else x_1 / 4) + second)
            found += ((x_1 + x_2) / 3) ** 2 / 4
    return found


def test_noise_moves_the_mean_off_a_kink_and_the_lower_bound_needs_its_noise_term():
    of = catalog.get("strfedavg.prop3.ii-2.corrected")
    trials = [kinked.measure(each) for each in kinked.corners(convex=False)]
    assert finding(of, *trials) is Finding.HOLDS
    for name in ("s2/(K*S) of A1 in ... <= gap_f_n", "9*L*s2/(K*gamma_g**2) of A2 in ... <= gap_f_n"):
        assert finding(without(of, name), *trials) is Finding.VIOLATION


def test_the_root_needs_the_start_where_x_star_mirrors_the_average():
    of = catalog.get("strfedavg.prop3.ii-3.corrected")
    trial = kinked.measure(kinked.mirrored("SC16h"))
    assert 0 < trial.values["gap_f_n"] < 1e-3  # f is f* there, nearly
    assert finding(of, trial) is Finding.HOLDS
    assert finding(without(of, "T0/alpha"), trial) is Finding.VIOLATION
    assert finding(without(of, "A1*gamma_t/alpha"), trial) is Finding.HOLDS


def test_a_crowd_rests_where_it_is_balanced():
    many = Kinked(noise=1.0, d=1.0, eta=1e-9, N=CROWD, S=CROWD, K=2, R=2.0, convex=True)
    trial = kinked.measure(kinked.balanced(many))
    assert 0 < trial.values["D2"] - trial.values["Dlast2"] < 1e-5 * trial.values["D2"]


def test_a_setting_is_balanced_just_beyond_what_it_ends_at():
    base = Setting("separable", of_sources(), eta=1e-3, R=2.0, noise_h=(1.0, 0.0), cap="SC16h")
    values = measure(balanced(base)).values
    assert 0 < values["D2"] - values["Dlast2"] < 1e-5 * values["D2"]


# --- weakly sharp up to an offset


@pytest.mark.parametrize("tangent", [0.0, 0.5])
def test_a_parabola_lies_above_its_tangent(tangent):
    trial = measure(Setting("separable", of_sources(), start=(3.0, 1.0), R=10.0, cap="SC16h"))
    v = up_to_offset(trial, tangent=tangent).values
    a = trial.values["alpha"]
    assert v["kappa"] == 1 and all(a * d * d >= v["alpha"] * d - v["delta_h"] for d in (0.0, 0.1, 1.0, 3.0, 10.0))
    touching = v["alpha"] / (2 * a)
    assert isclose(a * touching**2, v["alpha"] * touching - v["delta_h"], abs_tol=1e-12)
    assert v["alpha"] >= 2 * v["eta"] * v["grad_f_star"]


# --- two loops: the calls of Algorithm 2


@pytest.mark.parametrize("name", ["noise", "sampling", "drift"])
@pytest.mark.parametrize("eta", [0.2, None])
def test_moments_of_a_call_are_those_of_all_its_courses(name, eta):
    y, R = 0.3, 3
    calls = Calls(sources.pure(name), w=1.0, eta=eta, gamma_g=1.5)
    inner = calls.inner
    L = [float(c) for c in inner.curvature]
    d = [float(c) for c in inner.minimiser]
    shift = sum(a * b for a, b in zip(L, d, strict=True)) / sum(L)
    log = 2 * math.log(R)
    gamma_t, pull = (log / R, eta) if eta else (R ** (-7 / 12), log / R ** (5 / 12))
    slopes = tuple((lambda x, a=a, b=b: a * (x - b + shift) + pull * (x - y)) for a, b in zip(L, d, strict=True))
    how = {"K": inner.K, "S": inner.S, "gamma_l": gamma_t / 1.5 / inner.K, "gamma_g": 1.5, "noise": float(inner.noise)}
    theta = [(1 - pull * gamma_t / 2) ** -r for r in range(1, R + 1)]
    courses = [
        (float(path.probability), sum(t * x for t, x in zip(theta, path.points, strict=True)) / sum(theta))
        for path in sources.paths(slopes, start=0.0, R=R - 1, **how)
    ]
    mean = sum(p * x for p, x in courses)
    found = line_sources.result(calls, R)
    assert found.pull * y + found.bias == pytest.approx(mean, rel=1e-12)
    assert found.variance == pytest.approx(sum(p * (x - mean) ** 2 for p, x in courses), rel=1e-12, abs=1e-15)
    assert max(abs(x - mean) for _, x in courses) <= found.largest * (1 + 1e-12) + 1e-15


def test_sampled_clients_of_other_curvatures_are_refused():
    with pytest.raises(ValueError, match="sampled clients need equal curvatures"):
        line_sources.result(Calls(replace(sources.pure("drift"), S=1), w=1.0), 3)


NEEDED = {
    "thm3.ii-1": {"c_e*delta_h/eta_g", "s2/(K*S) of A1n", "G_ncvx2*(4 - 4*S/N)/S of A1n"}
    | {"G_ncvx2*(18*L_h + 18*eta_g_hat)/gamma_g**2 of A2n"},
    "thm3.i-1": {"s2/(K*S) of A1n", "G_ncvx2*(4 - 4*S/N)/S of A1n"}
    | {"G_ncvx2*(18*L_h + 18*eta_g_hat)/gamma_g**2 of A2n"},
}


@pytest.mark.parametrize("item", NEEDED)
def test_theorem_3_needs_a_term_for_each_source_of_error_in_its_calls(item):
    claim = catalog.get(f"strfedavg.{item}.corrected")
    trials = [line_sources.trial(calls) for calls in line_sources.corners(constant=item == "thm3.ii-1")]
    assert all(evaluate(claim, trial).admissible for trial in trials)
    assert finding(claim, *trials) is Finding.HOLDS
    for name in NEEDED[item]:
        assert finding(without(claim, name), *trials) is Finding.VIOLATION, name
