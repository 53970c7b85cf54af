"""The checks of StR-FedAvg: their machinery against independent computations, and planted errors in what is proved."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.problems import sources
from rateproof.theory import catalog
from rateproof.theory.papers.strfedavg.notation import ETA_SQUARED, G_SCALE, Err, gap_f, gap_h
from rateproof.theory.symbols import eta, mu_f
from rateproof.verify import registry
from rateproof.verify.checks import Budget, evidence_on, is_checked
from rateproof.verify.deciders import bounds, kernel
from rateproof.verify.deciders.growth import MIN_GROWTH, Ladder, decide, grows
from rateproof.verify.evidence import Evidence, Finding, Verdict, verdict
from rateproof.verify.papers.strfedavg import points, rates, steps
from rateproof.verify.papers.strfedavg.instances import (
    SMALL,
    TWO,
    Setting,
    build,
    corners,
    crowd,
    diagonal,
    folded_normal_mean,
    measure,
    near_one,
    of_sources,
    weight_sums,
)
from rateproof.verify.papers.strfedavg.sharpness import compatible
from rateproof.verify.trial import Trial, evaluate

CLAIMS = catalog.claims("strfedavg")

CHECKS = {one.claim.id: one.check for one in registry.records("strfedavg") if one.check}


def claim(item: str):
    return CLAIMS[f"strfedavg.{item}"]


def evidence(item: str) -> list[Evidence]:
    return list(evidence_on(claim(item), Budget()))


# --- every claim has a check -----------------------------------------------------------------------------------------


def test_every_claim_has_a_check_or_parts():
    for cid, claim in CLAIMS.items():
        parts = [other for other in CLAIMS if other.startswith(cid + ".")]
        assert is_checked(claim) or parts, cid


def test_composites_are_left_to_their_parts():
    for cid in ("step.1", "step.9", "id.etahat", "id.ws-dist", "id.Flam"):
        assert f"strfedavg.{cid}" not in CHECKS


# --- the measuring device against plain loops ------------------------------------------------------------------------


def loop(setting: Setting) -> dict[str, float]:
    """Metrics of a deterministic run by the loop of Algorithm 1, averaged with the printed and normalised weights."""
    trial = measure(setting)
    v = trial.values
    problem = build(setting)
    x = np.array(setting.start)
    theta = 1 / (1 - v["eta"] * v["mu_f"] * v["gamma_l"] * v["gamma_g"] * setting.K / 2)
    weighted, total, printed_total = np.zeros(2), 0.0, 0.0
    for r in range(1, int(setting.R) + 1):
        weighted += theta**r * x
        total += theta**r
        printed_total += theta**r if r < setting.R else 0.0
        ends = []
        for i in range(problem.N):
            y = x.copy()
            for _ in range(setting.K):
                y = y - v["gamma_l"] * (v["eta"] * problem.grad_f(i, y[None])[0] + problem.grad_h(i, y[None])[0])
            ends.append(y)
        x = x + v["gamma_g"] * (np.mean(ends, axis=0) - x)
    x_star, x_eta = problem.bilevel_solution(), problem.regularised_solution(v["eta"])
    out = {"Theta_R": total, "Dlast2": float(np.sum((x - x_eta) ** 2))}
    for suffix, point in (("_n", weighted / total), ("", weighted / printed_total)):
        f, h = (lambda z, g=g: float(g(z[None])[0]) for g in (problem.f, problem.h))
        out["gap_h" + suffix] = h(point) - problem.constants.h_star
        out["gap_f" + suffix] = f(point) - problem.constants.f_star
        out["gap_eta" + suffix] = h(point) + v["eta"] * f(point) - h(x_eta) - v["eta"] * f(x_eta)
        out["E_sq" + suffix] = float(np.sum((point - x_star) ** 2))
    return out


@pytest.mark.parametrize(
    "setting",
    [
        Setting(params=TWO, start=(2.0, -3.0), R=7.0, K=3),
        Setting(params=TWO, start=(2.0, -3.0), R=50.0, K=2, eta=0.3, gamma_g=4.0),
        Setting(params=SMALL, start=(1.0, 1.0), R=3.0),
        Setting(params=TWO, start=(2.0, -3.0), R=40.0, cap="S-sc", exponents=(("a", 1.0), ("b", 0.5), ("p", 2.0))),
    ],
    ids=str,
)
def test_measured_metrics_match_the_loop(setting):
    values = measure(setting).values
    for name, expected in loop(setting).items():
        assert values[name] == pytest.approx(expected, rel=1e-9, abs=1e-11), name


@pytest.mark.parametrize(("u", "R"), [(0.3, 2), (0.3, 9), (1e-3, 500), (0.0, 5)])
def test_weight_sums(u, R):
    theta = 1 / (1 - u)
    total, ratio = weight_sums(u, R)
    assert total == pytest.approx(sum(theta**r for r in range(1, R + 1)), rel=1e-12)
    assert ratio == pytest.approx(total / sum(theta**r for r in range(1, R)), rel=1e-12)


def test_weight_sums_at_the_ends():
    assert weight_sums(0.2, 1) == (pytest.approx(1.25), math.inf)  # the printed weights divide by an empty sum
    assert weight_sums(1e-12, 1e12)[0] == pytest.approx(math.expm1(1) * 1e12, rel=1e-9)
    assert weight_sums(0.5, 1e9)[1] == pytest.approx(2.0)


def test_folded_normal_mean_matches_quadrature():
    z = np.linspace(-12, 12, 400_001)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    for mean, deviation in ((0.0, 1.0), (0.7, 2.0), (-3.0, 0.5)):
        expected = float(np.sum(np.abs(mean + deviation * z) * density) * (z[1] - z[0]))
        assert folded_normal_mean(mean, deviation) == pytest.approx(expected, rel=1e-8)


def test_given_theta_sum_equals_its_definition():
    """A trial gives Theta_R so that large R is exact; it must be the number that the definition has."""
    setting = Setting(params=TWO, R=30.0)
    values = dict(measure(setting).values)
    given = values.pop("Theta_R")
    relation = sp.Le(sp.Symbol("Theta_R", positive=True), 1, evaluate=False)
    outcome = evaluate(replace(claim("prop1"), statement=relation, hypotheses=()), Trial("", values, {}))
    assert outcome.sides[0].lhs == pytest.approx(given, rel=1e-9)


# --- planted errors in what is proved --------------------------------------------------------------------------------


def test_points_refute_shrunk_constants():
    """Propositions 2 and 5 are attained: their right sides cannot be shrunk."""
    i1 = claim("prop2.i-2")
    shrunk = replace(i1, statement=sp.Le(gap_f, sp.Rational(9, 10) * Err / eta, evaluate=False))
    assert bounds.decide(shrunk, points.cloud_trials(), method="x").finding is Finding.VIOLATION
    lower = sp.Le(sp.Rational(3, 2) * mu_f / 2 * sp.Symbol("E_sq", real=True), gap_f, evaluate=False)
    assert bounds.decide(replace(i1, statement=lower), points.cloud_trials(), method="x").finding is Finding.VIOLATION
    half = replace(claim("prop5.i-1"), statement=sp.Le(gap_h, Err / 2, evaluate=False))
    assert bounds.decide(half, points.cloud_trials(), method="x").finding is Finding.VIOLATION


def changed_side(side):
    """Another expression, branch by branch where it is piecewise."""
    if isinstance(side, sp.Piecewise):
        return sp.Piecewise(*((changed_side(value), region) for value, region in side.args))
    return side * sp.Rational(9, 10) - sp.Rational(1, 7)


def mutants(item: str):
    """A proved statement with the right side of one relation changed, for each relation."""
    original = claim(item)
    relations = bounds.conjuncts(original.statement)
    for relation in relations:
        changed = relation.func(relation.lhs, changed_side(relation.rhs), evaluate=False)
        others = [r for r in relations if r is not relation]
        yield replace(original, statement=sp.And(changed, *others, evaluate=False) if others else changed)


SYMBOLIC = [
    cid.removeprefix("strfedavg.")
    for cid, check in CHECKS.items()
    if cid.removeprefix("strfedavg.") in steps.CHECKS and CLAIMS[cid].statement is not None and check is not None
]


@pytest.mark.sweep(20)
@pytest.mark.parametrize("item", SYMBOLIC)
def test_no_symbolic_check_proves_a_changed_statement(item):
    """A check that proves must read the whole statement: change any relation of it and the proof is gone."""
    check = steps.CHECKS[item]
    if not any(e.finding is Finding.PROOF for e in check(claim(item), Budget())):
        assert item in NOT_PROVED
        return
    for mutant in mutants(item):
        assert not any(e.finding is Finding.PROOF for e in check(mutant, Budget())), mutant.statement


NOT_PROVED = {
    "step.2.equality",
    "step.2.inequality",
    "step.4.weights",
    "step.4.factor",
    "step.14",
    "id.Flam.envelope",
    "id.Flam.gradient",
    "id.etahat.eleven",
    "id.etahat.six_over_e",
    "id.huber",
    "id.ws-dist.eq13",
}


@pytest.mark.parametrize(("order", "left"), [(1, False), (sp.Rational(3, 2), False), (2, True), (3, False)])
def test_only_order_two_is_compatible_with_smoothness(order, left):
    assert compatible(sp.sympify(order)) is left


def test_negative_weights_are_summed_as_printed():
    """u = 31: theta = -1/30; the printed Theta_3 is theta + theta^2 + theta^3 < 0, which makes a bound negative."""
    theta = 1 / (1 - 31.0)
    assert weight_sums(31.0, 3)[0] == pytest.approx(theta + theta**2 + theta**3)
    assert weight_sums(1.5, 2)[0] == pytest.approx(-2.0 + 4.0)


def test_an_equation_is_not_proved_by_one_inequality():
    equation = replace(claim("prop5.i-1"), statement=sp.Eq(gap_h, Err + eta * sp.Symbol("M", positive=True)))
    assert kernel.prove(equation).finding is Finding.INCONCLUSIVE


def test_dropped_hypothesis_breaks_the_proof():
    without = tuple(h for h in claim("prop2.i-1").hypotheses if h.key != "M")
    dropped = replace(claim("prop2.i-1"), hypotheses=without, statement=sp.Le(gap_h, Err, evaluate=False))
    assert kernel.prove(dropped).finding is Finding.INCONCLUSIVE
    assert bounds.decide(dropped, points.cloud_trials(), method="x").finding is Finding.VIOLATION


def test_threshold_proof_breaks_with_another_constant():
    original = claim("thm1.Rcond")
    weaker = []
    for h in original.hypotheses:
        if h.key == "R_threshold":
            h = replace(h, relation=h.relation.func(h.relation.lhs, h.relation.rhs / 2, evaluate=False))
        weaker.append(h)
    mutant = replace(original, hypotheses=tuple(weaker))
    (found,) = steps.check_threshold_sc(mutant, Budget())
    assert found.finding is Finding.INCONCLUSIVE


# --- true statements are not accused ---------------------------------------------------------------------------------

# With Lemma 1's constant mended, weights that sum to one and curvatures of at least one, where the step condition is
# the intended one; the misprinted items of Proposition 3 with the constants of the substitution besides.
SOUND = ("lem5", "lem6", "prop1", "prop3.i-1", "prop3.ii-1", "prop3.ii-2", "lem7", "prop4", "prop6.i-1", "prop6.ii-2")
MISPRINTED = ("prop3.i-2", "prop3.ii-3")


@pytest.mark.parametrize("item", [*SOUND, *MISPRINTED])
def test_the_kind_reading_holds_on_many_instances(item):
    convex = item in ("lem7", "prop4") or item.startswith("prop6")
    found = bounds.decide(claim(item).read_kindly(), [measure(s) for s in corners(convex=convex)], method="x")
    assert found.finding is Finding.HOLDS
    assert found.instances > 100


@pytest.mark.parametrize("item", ["lem6", "prop1", "prop4"])
def test_without_one_of_its_repairs_the_kind_reading_falls(item):
    trials = [measure(s) for s in corners(convex=item == "prop4")]
    for left_out in claim(item).kind_switches:
        kept = tuple(s for s in claim(item).kind_switches if s is not left_out)
        kind = replace(claim(item), switches=kept).read_kindly()
        assert bounds.decide(kind, trials, method="x").finding is Finding.VIOLATION, left_out.name


def test_how_far_from_one_curvatures_must_be_to_violate_a_bound():
    """A corner comes with a number: how small the largest curvature of a violating instance is."""
    near = [measure(s) for s in near_one()]
    factor = bounds.misses(claim("prop1"), near)
    assert 10 < factor < 100
    at_one = [t for t in near if t.values["L_h"] + t.values["eta"] * t.values["L_f"] > 1 / factor * 1.001]
    assert at_one and bounds.misses(claim("prop1"), at_one) is None
    assert bounds.misses(claim("lem1"), near) is None  # no condition in its kind reading


def test_lemma_2_loses_eta_squared_where_outer_losses_disagree():
    # h_i = x_1^2/2, f_i = (x_1^2 + (x_2 -+ 1)^2)/2, eta = 10, one client of two, one step from x_eta* = 0: the square
    # of the step is 10^2 gamma_t^2, and 4 (1 - S/N) G^2/S is 2 (2 G_f^2) = 4 with G_f^2 = 1; the drift adds little
    params = of_sources(outer=sources.pure("sampling"))
    trial = measure(Setting("separable", params, start=None, S=1, eta=10.0, cap="SC16"))
    printed = claim("lem5")
    others = replace(printed, switches=tuple(s for s in printed.switches if s is not ETA_SQUARED)).read_kindly()
    (side,) = evaluate(others, trial).sides
    assert 24 < side.ratio < 25
    assert bounds.decide(claim("lem5.corrected"), [trial], method="x").finding is Finding.HOLDS


@pytest.mark.parametrize("item", ["lem1", "step.8.constant"])
def test_lemma1_with_its_proof_s_constant_holds_and_is_attained(item):
    mended = claim(item).read(G_SCALE)
    found = bounds.decide(mended, points.point_trials(), method="x")
    assert found.finding is Finding.HOLDS
    assert found.worst_ratio == pytest.approx(1.0, abs=1e-9)


def test_rounding_is_not_a_violation():
    """At a minimiser that every client shares, gradients are zero but for rounding, and so is the bound."""
    label = "overparameterised least squares"
    (trial, *_) = [t for t in points.point_trials() if t.label.startswith(label) and t.label.endswith("at x*")]
    assert 0 < trial.values["mean_sq_grad_h"] < trial.absolute_error


def test_corners_that_miss_a_hypothesis_do_not_count():
    trials = [measure(replace(s, step=3.0)) for s in corners()[:20]]
    assert bounds.decide(claim("prop1"), trials, method="x").finding is Finding.INCONCLUSIVE


# --- counterexamples by hand -----------------------------------------------------------------------------------------


def test_lemma1_by_hand():
    """f_1, f_2 = (x -+ 1)^2/2: at 0 the mean squared gradient is 1; printed 2L/N (1/2 - 0) + 2L (1/2 - 1/2) = 1/2."""
    (printed, *_) = evidence("lem1")
    assert printed.finding is Finding.VIOLATION
    left, inf_f, mean_inf, N = 1.0, 0.5, 0.0, 2
    assert left == 2 * (inf_f - mean_inf)  # the constant that the proof gives is attained
    assert left > 2 / N * (inf_f - mean_inf)


def test_lemma2_by_hand():
    """Two clients with opposite gradients at x_eta* = (1/2, 0), where the gap is zero: delta^2/4 against 2 L_f^2."""
    L_f = 1e-4
    params = (("delta", math.sqrt(L_f)), ("L_f", L_f))
    setting = Setting(family="antisymmetric", params=params)
    x = build(setting).regularised_solution(1.0)
    assert x == pytest.approx([0.5, 0.0])
    (side,) = evaluate(claim("lem2"), points.at_point(setting, x, "x_eta*")).sides
    assert side.lhs == pytest.approx(L_f / 4)
    assert side.rhs == pytest.approx(2 * L_f**2)


def test_lemma5_sampling_by_hand():
    """From the solution, clients with gradients +-1: E||x^1||^2 = gamma_t^2; bound 8 (N-1)/N^2 gamma_t^2 + drift."""
    N = 8
    setting = Setting(params=crowd(N), S=1, start=(0.0, 0.0), R=2.0, step=0.1)
    (side,) = evaluate(claim("lem5"), measure(setting)).sides
    v = measure(setting).values
    gamma_t = v["gamma_l"] * v["gamma_g"]
    assert side.lhs == pytest.approx(gamma_t**2)
    drift = 3 * gamma_t * 2 * N * v["gamma_l"] ** 2  # 3 gamma_t L eps_r with eps_r = N gamma_l^2
    assert side.rhs == pytest.approx(8 * (N - 1) / N**2 * gamma_t**2 + drift)
    assert side.lhs > side.rhs


def test_step_condition_lets_unstable_steps_pass():
    """L_h = 1e-3: the printed condition allows gamma_t L_h of about 60, where plain gradient descent diverges."""
    v = measure(Setting(params=SMALL, R=3.0, cap="SC16")).values
    assert v["gamma_l"] * v["gamma_g"] * v["L_h"] > 50


def test_prop1_printed_weights_miss_the_solution():
    """Start at x_eta* without noise: the iterates stay there, but the printed average is not there."""
    setting = Setting(params=diagonal((0.0, 0.0), ((1.0, 0.0),) * 2), start=None, R=2.0)
    values = measure(setting).values
    assert values["D2"] == 0
    assert values["gap_eta_n"] == pytest.approx(0, abs=1e-20)
    # theta + theta^2 over theta is 1 + theta: more than twice x_eta*
    assert values["gap_eta"] > 0.25


# --- O(.) claims -----------------------------------------------------------------------------------------------------


def test_growth_needs_growth_that_does_not_level_off():
    assert grows([10.0**k for k in range(8)])
    assert not grows([1.0] * 8)
    assert not grows([1, 10, 100, 1000, 2000, 2100, 2110, 2111])
    assert not grows([10.0**k for k in range(4)])
    assert grows([1.0, 10.0, 100.0, 1e3, math.inf])
    assert MIN_GROWTH > 10


def test_inadmissible_rungs_do_not_count():
    setting = Setting(params=TWO, cap="S-sc", exponents=(("a", 1.0), ("b", 0.5), ("p", 2.0)), start=(5.0, 5.0))
    below = [measure(replace(setting, R=R)) for R in (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)]
    found = decide(claim("thm1.i-1"), [Ladder("R", below, "below the threshold")], method="x")
    assert found.finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize("item", ["tab1.c.0", "tab1.c.k"])
def test_convex_rows_are_supported(item):
    assert verdict(evidence(item)) is Verdict.SUPPORTED


@pytest.mark.parametrize("power", [sp.Rational(1, 4), sp.Rational(1, 20)])
def test_planted_exponent_in_a_supported_row_is_found(power):
    original = claim("tab1.c.0")
    relations = [
        r.func(r.lhs, r.rhs * sp.Symbol("epsilon", positive=True) ** power, evaluate=False)
        for r in bounds.conjuncts(original.statement)
    ]
    mutant = replace(original, statement=sp.And(*relations, evaluate=False))
    assert rates.row_exponents(mutant).finding is Finding.CONTRADICTION


def test_explicit_bound_of_theorem_1_is_the_substituted_proposition():
    """Proposition 3 (iii-2) along S-sc-1, at numbers, against the formula written out."""
    bound = rates.explicit_bound("strfedavg.prop3.iii-2", rates.R_f_up, "S-sc-1")
    at = {"Q2": 3, "W": 5, "Y": 7, "S": 2, "gamma_g": 4, "mu_f": 0.5, "eta": 0.1, "p": 2, "R": 100}
    step = 2 * math.log(100) / (0.5 * 100)
    start = 0.1 * 0.5 / 2 * 3 / (100 ** (0.1 * 2 / 2) - 1)
    expected = (start + step * 7 / 2 + step**2 * 5 / 16) / 0.1
    assert float(bound.subs({s: at[str(s)] for s in bound.free_symbols})) == pytest.approx(expected)


# --- verdicts that a reader would look up first ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("lem1", Verdict.REFUTED),
        ("lem4", Verdict.PROVED),
        ("prop2.iii-1", Verdict.VACUOUS),
        ("prop5.i-1", Verdict.PROVED),
        ("thm1.Rcond", Verdict.PROVED),
        ("thm1.iii-2", Verdict.VACUOUS),
        ("tab1.sc.0", Verdict.INCONSISTENT),
        ("id.lsp", Verdict.PROVED),
        ("id.huber", Verdict.REFUTED),
        ("id.huber.corrected", Verdict.PROVED),
        ("step.14", Verdict.REFUTED),
    ],
)
def test_verdicts_follow_from_evidence(item, expected):
    found = evidence(item)
    assert verdict(found) is expected
    if expected is Verdict.REFUTED:
        assert any(e.violated and e.violated.lhs > e.violated.rhs for e in found)


def test_a_trial_without_the_metric_is_not_blamed_on_a_hypothesis():
    setting = Setting(params=TWO, start=(2.0, 2.0))
    whole = measure(setting)
    partial = replace(whole, values={k: v for k, v in whole.values.items() if k != "gap_eta"})
    found = bounds.decide(claim("prop1"), [partial], method="x")
    assert found.finding is Finding.INCONCLUSIVE
    assert "for want of gap_eta (1 times)" in found.detail
    assert "hypotheses missed" not in found.detail
