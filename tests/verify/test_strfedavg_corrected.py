"""The CORRECTED readings of StR-FedAvg: they exist where they should, they hold, and a step beyond them falls."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from rateproof.algos import engine
from rateproof.algos.methods.strfedavg import StRFedAvg
from rateproof.theory import catalog
from rateproof.theory.claim import Kind, Reading, conjuncts
from rateproof.theory.papers.strfedavg.corrected_rates import LOG
from rateproof.theory.papers.strfedavg.mended import delta_h
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.deciders import growth
from rateproof.verify.evidence import Finding, Verdict, verdict
from rateproof.verify.papers.strfedavg import corrected, sharp
from rateproof.verify.papers.strfedavg.instances import Setting, build, corners, diagonal, measure
from rateproof.verify.stored import baseline

CLAIMS = catalog.claims("strfedavg")
CORRECTED = {i: c for i, c in CLAIMS.items() if c.reading is Reading.CORRECTED}
TRUE = (Verdict.PROVED, Verdict.SUPPORTED)
QUICK = Budget()


def claim(item: str):
    return CLAIMS[f"strfedavg.{item}.corrected"]


def verdict_of(changed):
    return verdict(evidence_on(changed, QUICK))


# --- which exist -----------------------------------------------------------------------------------------------------


def amended(claim_id: str) -> bool:
    """Whether a claim that falls has a corrected reading, or is a composite whose falling parts all have one."""
    if any(c.amends == claim_id for c in CORRECTED.values()):
        return True
    known = baseline.read("strfedavg")
    parts = [i for i in CLAIMS if i.startswith(claim_id + ".") and i not in CORRECTED]
    fallen = [i for i in parts if known[i].result.verdict not in TRUE]
    return bool(parts) and all(map(amended, fallen))


def test_every_claim_that_falls_is_amended():
    known = baseline.read("strfedavg")
    fallen = [i for i in CLAIMS if i not in CORRECTED and known[i].result.verdict not in (*TRUE, Verdict.UNCHECKED)]
    assert len(fallen) > 50
    assert [i for i in fallen if not amended(i)] == []


def test_every_corrected_claim_holds():
    known = baseline.read("strfedavg")
    assert {i: known[i].result.verdict for i in CORRECTED if known[i].result.verdict not in TRUE} == {}


def test_no_corrected_claim_rests_on_a_fallen_one():
    known = baseline.read("strfedavg")
    broken = {i: known[i].result.proof_broken_by for i in CORRECTED if known[i].result.proof_broken_by}
    assert broken == {}


def test_a_corrected_claim_stands_behind_the_printed_one_and_says_why():
    order = list(CLAIMS)
    for claim_id, found in CORRECTED.items():
        others = [i for i in CORRECTED if CORRECTED[i].amends == found.amends]
        assert order.index(claim_id) == order.index(found.amends) + 1 + others.index(claim_id), claim_id
        assert found.why and found.text != CLAIMS[found.amends].text
        printed = CLAIMS[found.amends]
        assert (found.statement, found.hypotheses, found.where) != (
            printed.statement,
            printed.hypotheses,
            printed.where,
        )


# --- planted errors --------------------------------------------------------------------------------------------------


def scaled(item: str, factor):
    """A corrected claim with its upper bounds multiplied by a factor."""
    found = claim(item)
    relations = [r.func(r.lhs, factor * r.rhs, evaluate=False) for r in conjuncts(found.statement)]
    return replace(found, statement=relations[0] if len(relations) == 1 else sp.And(*relations, evaluate=False))


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("item", "factor"),
    [
        ("lem1", sp.Rational(99, 100)),
        ("lem2", sp.Rational(99, 100)),
        ("lem5", sp.Rational(9, 10)),
        ("lem7", sp.Rational(3, 4)),
        ("prop1", sp.Rational(1, 4)),
        ("prop3.i-2", sp.Rational(3, 4)),
        ("prop3.i-3", sp.Rational(1, 4)),
        ("prop3.ii-3", sp.Rational(1, 10)),
        ("prop6.i-1", sp.Rational(1, 10)),
        ("step.8.constant", sp.Rational(99, 100)),
        ("step.9.dissimilarity", sp.Rational(99, 100)),
        ("step.9.curvature", sp.Rational(99, 100)),
        ("id.Flam.envelope", sp.Rational(9, 10)),
        ("id.Flam.gradient", sp.Rational(9, 10)),
    ],
)
def test_a_smaller_constant_is_refuted(item, factor):
    assert verdict_of(claim(item)) in TRUE
    assert verdict_of(scaled(item, factor)) is Verdict.REFUTED


@pytest.mark.parametrize("item", ["prop2.iii-2", "prop2.iii-3", "prop5.iii-2"])
def test_without_the_offset_the_sharp_bounds_fall(item):
    found = claim(item)
    exact = replace(found, statement=found.statement.subs(delta_h, 0))
    assert verdict_of(found) is Verdict.PROVED
    assert verdict_of(exact) is Verdict.REFUTED


@pytest.mark.sweep(1)
@pytest.mark.parametrize("item", ["thm1.i-2", "thm1.iii-2", "tab1.sc.0"])
def test_a_complexity_without_its_logarithm_is_inconsistent(item):
    found = claim(item)
    bare = replace(found, statement=found.statement.replace(sp.log, lambda _: sp.S.One))
    assert verdict_of(bare) in (Verdict.INCONSISTENT, Verdict.REFUTED)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("item", ["thm1.i-2", "thm1.ii-1", "thm1.iii-1"])
def test_a_logarithm_of_the_accuracy_alone_is_refuted_by_rescaled_copies(item):
    found = claim(item)
    in_epsilon = replace(found, statement=found.statement.replace(sp.log, lambda _: LOG))
    assert verdict_of(in_epsilon) is Verdict.REFUTED


COMPLEXITIES = [i for i, c in CORRECTED.items() if c.kind is Kind.COMPLEXITY and ".ip." not in i]


@pytest.mark.parametrize("item", COMPLEXITIES)
@pytest.mark.sweep(12)
@pytest.mark.parametrize("power", [sp.S.Zero, sp.Rational(1, 10)])
def test_the_ladders_of_a_complexity_see_a_much_smaller_one(item, power):
    """A ladder that cannot fail is no evidence: it must be longer than the growth that it looks for."""
    true = CLAIMS[item]
    lowered = [le(r.lhs, C_O * (r.rhs / C_O) ** power) for r in conjuncts(true.statement)]
    copy = replace(true, statement=lowered[0] if len(lowered) == 1 else sp.And(*lowered, evaluate=False))
    assert growth.decide(true, corrected.ladders(true), method="growth").finding is Finding.HOLDS
    assert growth.decide(copy, corrected.ladders(true), method="growth").finding is Finding.VIOLATION


def test_the_homogeneous_step_condition_is_no_weaker_than_the_printed_one_at_large_curvature():
    for setting in corners():
        values = measure(setting).values
        L = values["L_h"] + values["eta"] * values["L_f"]
        B2 = max(4 * values["eta"] * values["L_f"], 4 * values["L_h"])
        if L >= 1 and setting.cap == "SC16":
            assert 16 * values["gamma_l"] * values["gamma_g"] * values["K"] * (L + B2) <= 1 + 1e-9


# --- the family that is sharp up to an offset ------------------------------------------------------------------------


def test_inside_the_quadratic_zone_the_runs_are_those_of_the_quadratic_family():
    d = ((1.0, -1.0), (1.0, 1.0))
    inner = sharp.Sharp(width=10.0, mu=0.1, d=d, start=(3.0, 2.0), R=50.0, K=3)
    setting = Setting(params=diagonal((0.0, 0.0), d, 1.0, 0.1), start=(3.0, 2.0), R=50.0, K=3, eta=0.2, cap="SC16h")
    found, expected = sharp.measure(inner).values, measure(setting).values
    for name in ("D2", "Dlast2", "Theta_R", "gap_h_n", "gap_f_n", "gap_eta_n", "E_dist_n", "E_sq_n", "f_star", "inf_f"):
        assert found[name] == pytest.approx(expected[name], rel=1e-10), name


@pytest.mark.parametrize("sharp_instance", [s for c in (False, True) for s in sharp.corners(convex=c) if s.K == 1])
def test_many_rounds_at_once_are_rounds_one_by_one(sharp_instance, monkeypatch):
    def one_by_one(instance, state, eta, gamma_t, u):
        for _ in range(int(instance.R)):
            x = sharp._round(instance, (state[0], state[1]), eta, gamma_t / instance.gamma_g)
            state = sharp._weighted(state, x, u)
        return state

    leaping = sharp.measure.__wrapped__(sharp_instance).values
    monkeypatch.setattr(sharp, "_leaps", one_by_one)
    walking = sharp.measure.__wrapped__(sharp_instance).values
    assert leaping == pytest.approx(walking, rel=1e-9, abs=1e-12)


def test_outside_the_zone_the_iterates_are_those_of_the_method():
    class Huber(type(build(Setting(params=diagonal((0.0,), ((0.0, 0.0),)))))):
        """The quadratic family with its inner gradient clipped."""

        def grad_h(self, i, y, out=None):
            grad = super().grad_h(i, y, out)
            np.clip(grad, -0.1, 0.1, out=grad)
            return grad

    instance = sharp.Sharp(R=40.0, K=2)
    values = sharp.measure(instance).values
    problem = build(Setting(params=diagonal((0.0, 0.0), instance.d, 1.0, 0.1)))
    problem.__class__ = Huber
    theta = 1 / (1 - values["eta"] * values["mu_f"] * values["gamma_l"] * 2 / 2)
    method = StRFedAvg(gamma_l=values["gamma_l"], gamma_g=1.0, eta=values["eta"], K=2, S=2, theta=theta)
    run = engine.run(method, problem, instance.start, R=40)
    assert abs(run.x_average[0, 0]) == pytest.approx(values["E_dist_n"], rel=1e-12)
    assert run.x_average[0, 0] ** 2 + run.x_average[0, 1] ** 2 == pytest.approx(values["E_sq_n"], rel=1e-12)


def test_the_loss_is_sharp_up_to_the_offset_and_smooth():
    instance = sharp.Sharp(width=0.5, L_h=3.0)
    values = sharp.measure(instance).values
    grid = np.linspace(-4, 4, 8001)
    h = np.array([instance.h(x) for x in grid])
    slack = h - (values["alpha"] * np.abs(grid) - values["delta_h"])
    assert slack.min() >= -1e-12 and slack.min() == pytest.approx(0, abs=1e-12)
    slopes = np.array([instance.slope(x) for x in grid])
    assert np.abs(np.diff(slopes) / np.diff(grid)).max() == pytest.approx(3.0, rel=1e-9)
    assert np.allclose(np.gradient(h, grid)[1:-1], slopes[1:-1], atol=2e-3)


def test_the_corners_satisfy_what_the_claims_suppose():
    from rateproof.verify.trial import evaluate

    for convex, item in ((False, "prop3.iii-1"), (True, "prop6.iii-1")):
        outcomes = [evaluate(claim(item), sharp.measure(s)) for s in sharp.corners(convex=convex)]
        assert sum(o.admissible for o in outcomes) >= 20


def test_what_is_corrected_is_said_in_sentences():
    """Of at most forty words; the condition on kappa stands in the first one, and among the reasons."""
    texts = {c.id: c.text for c in CLAIMS.values() if c.amends}
    assert [i for i, text in texts.items() if max(len(s.split()) for s in text.split(". With ")) > 40] == []
    for item in ("thm3.i-1", "tab1.ip.k"):
        claim = CLAIMS[f"strfedavg.{item}.corrected"]
        assert claim.text.startswith("As printed, with κ > 17/12. With ")
        assert any("κ <= 17/12" in r.text and r.origin == "strfedavg.step.11.s4" for r in claim.why)
