"""The encoding of the paper: complete, closed, acyclic, and equal to hand-coded formulas of the print."""

import math
from functools import cache

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Kind, Reading
from rateproof.theory.papers.strfedavg import CLAIMS, SCHEDULES
from rateproof.theory.papers.strfedavg import notation as nt
from rateproof.theory.papers.strfedavg.schedules import (
    R_COND_C,
    R_COND_SC,
    S_C,
    S_C_1,
    S_C_II,
    S_EXP,
    S_IP,
    S_IP_1,
    S_SC,
    S_SC_1,
)
from rateproof.theory.symbols import L_f, L_h, eta, gamma_t, kappa, mu_f, units
from rateproof.theory.units import clashes, unit_of

CASES3 = [f"{case}-{k}" for case in ("i", "ii", "iii") for k in (1, 2, 3)]
CASES2 = [f"{case}-{k}" for case in ("i", "ii", "iii") for k in (1, 2)]
STEPS10 = ("update", "expansion", "theta", "condition", "descent", "summed", "average")
EXPECTED = [
    *(f"tab1.{row}" for row in ("sc.0", "sc.k", "sc.1", "c.0", "c.k", "c.1", "ip.k", "ip.1")),
    *(f"lem{k}" for k in (1, 2, 3, 4, 5, 6, 7)),
    *(f"thm1.{i}" for i in ("Rcond", "i-1", "i-1x", "i-2", "i-2x", "ii-1", "iii-1", "iii-2", "iii-3", "iii-4")),
    *(f"thm2.{i}" for i in ("Rcond", "i-1", "i-1x", "i-2", "i-2x", "ii", "iii-1", "iii-2", "iii-3")),
    *(f"thm3.{i}" for i in ("i-1", "i-2", "ii-1", "ii-2")),
    *(f"rem{k}" for k in (2, 3, 4, 5, 6)),
    "prop1",
    "prop4",
    *(f"prop{k}.{i}" for k in (2, 3) for i in CASES3),
    *(f"prop{k}.{i}" for k in (5, 6) for i in CASES2),
    "prop7.i",
    "prop7.ii",
    *(f"id.Flam{s}" for s in ("", ".envelope", ".gradient")),
    *(f"id.etahat{s}" for s in ("", ".formula", ".eleven", ".six_over_e")),
    "id.huber",
    "id.lsp",
    *(f"id.ws-dist{s}" for s in ("", ".jensen", ".eq13")),
    *(f"step.1{s}" for s in ("", ".sum", ".product", ".coefficient")),
    *(f"step.2{s}" for s in ("", ".equality", ".inequality")),
    "step.3",
    *(f"step.4{s}" for s in ("", ".weights", ".factor")),
    *(f"step.5{s}" for s in ("", ".telescoping", ".average")),
    "step.6",
    *(f"step.7{s}" for s in ("", ".variational", ".cauchy_schwarz", ".jensen")),
    *(f"step.8{s}" for s in ("", ".smoothness", ".average", ".constant")),
    *(f"step.9{s}" for s in ("", ".young", ".dissimilarity", ".curvature", ".optimum")),
    *(f"step.10{s}" for s in ("", *(f".{i}" for i in STEPS10))),
    *(f"step.11{s}" for s in ("", *(f".s{i}" for i in ("1", "1'", *range(2, 10))))),
    *(f"step.12{s}" for s in ("", ".subadditivity", ".factor")),
    *(f"step.13{s}" for s in ("", ".general", ".ip")),
    "step.14",
    *(
        f"step.15{s}"
        for s in ("", ".start", *(f".{case}-{i}" for case in ("i", "ii") for i in ("display", "schedule")))
    ),
]
REPAIRED = {
    "lem6",
    "prop7.i",
    "prop7.ii",
    "thm3.i-2",
    *(f"prop2.ii-{k}" for k in (2, 3)),
    "prop5.ii-2",
    *(f"thm1.{i}" for i in ("i-1", "i-2", "ii-1", "iii-1", "iii-2", "iii-3", "iii-4")),
    *(f"thm2.{i}" for i in ("i-1", "i-2", "ii", "iii-1", "iii-2", "iii-3")),
}
#: Their hypotheses are those of problems (2) and (4); see test_strfedavg_nonconvex.py.
TWO_LOOP = {
    "lem3",
    "prop7.i",
    "prop7.ii",
    *(f"thm3.{i}" for i in ("i-1", "i-2", "ii-1", "ii-2")),
    "tab1.ip.k",
    "tab1.ip.1",
}
BY_ID = {c.id.removeprefix("strfedavg."): c for c in CLAIMS}
ALL = pytest.mark.parametrize("cid", list(BY_ID))


def relations(claim):
    """Statement and relational hypotheses."""
    found = [h.relation for h in claim.hypotheses if h.relation is not None]
    return found if claim.statement is None else [claim.statement, *found]


def conjuncts(relation):
    return [r for part in relation.args for r in conjuncts(part)] if isinstance(relation, sp.And) else [relation]


@cache
def expanded(cid):
    return tuple(BY_ID[cid].expand(r) for r in relations(BY_ID[cid]))


def test_exactly_the_expected_claims_are_there():
    assert len(BY_ID) == len(CLAIMS)
    printed = [c for c in BY_ID if BY_ID[c].reading is not Reading.CORRECTED]
    assert sorted(printed) == sorted(EXPECTED)
    assert set(catalog.claims("strfedavg")) == {c.id for c in CLAIMS}


def test_readings():
    assert {c for c in BY_ID if BY_ID[c].reading is Reading.REPAIRED} == REPAIRED
    corrected = {c for c in BY_ID if BY_ID[c].reading is Reading.CORRECTED}
    assert {"id.huber.corrected", "step.2.inequality.corrected", "thm3.i-1.corrected"} <= corrected
    printed = {c: c.removesuffix(".corrected").removesuffix(".nonsmooth") for c in corrected}
    assert all(BY_ID[c].amends == f"strfedavg.{of}" and BY_ID[c].why for c, of in printed.items())


@ALL
def test_symbols_are_declared_and_have_units(cid):
    vocabulary = units("strfedavg")
    claim = BY_ID[cid]
    for expr in (*relations(claim), *claim.where, *claim.where.values(), *expanded(cid)):
        unit_of(expr, vocabulary)


@ALL
def test_expansion_ends_in_primitive_symbols_and_relations(cid):
    where = BY_ID[cid].where.keys()
    for relation in expanded(cid):
        assert not relation.free_symbols & where
        assert all(isinstance(r, sp.Rel) for r in conjuncts(relation))


@ALL
def test_every_reading_of_a_switch_is_well_formed(cid):
    claim = BY_ID[cid]
    for switch in claim.switches:
        other = claim.read(switch)
        assert switch not in other.switches
        for relation in relations(other):
            assert all(isinstance(r, sp.Rel) for r in conjuncts(other.expand(relation)))


@ALL
def test_references_exist(cid):
    claim = BY_ID[cid]
    known = catalog.claims("strfedavg")
    assert set(claim.follows_from) <= known.keys() - {claim.id}
    assert claim.explicit is None or known[claim.explicit].kind is Kind.BOUND
    assert claim.text and "\n" not in claim.text and "{{" not in claim.text
    assert len({h.key for h in claim.hypotheses}) == len(claim.hypotheses)


def test_proof_graph_has_no_cycle():
    known = catalog.claims("strfedavg")
    done, active = set(), set()

    def visit(cid):
        assert cid not in active, f"{cid} follows from itself"
        if cid not in done:
            active.add(cid)
            for parent in known[cid].follows_from:
                visit(parent)
            active.discard(cid)
            done.add(cid)

    for cid in known:
        visit(cid)


def test_err_propositions_do_not_depend_on_the_runs():
    for cid in BY_ID:
        if cid.startswith(("prop2.", "prop5.")):
            keys = {h.key for h in BY_ID[cid].hypotheses}
            assert not keys & {"SC16", "SC27", "unbiased"}
            assert not {"strfedavg.prop1", "strfedavg.prop4"} & set(catalog.ancestors(f"strfedavg.{cid}"))


def test_complexities_name_their_explicit_bound_and_follow_from_it():
    explicit = {
        "thm1.i-1": "thm1.i-1x",
        "thm1.i-2": "thm1.i-2x",
        "thm1.ii-1": "prop3.ii-2",
        "thm1.iii-1": "prop3.iii-2",
        "thm1.iii-2": "prop3.iii-1",
        "thm1.iii-3": "prop3.iii-2",
        "thm1.iii-4": "prop3.iii-3",
        "thm2.i-1": "thm2.i-1x",
        "thm2.i-2": "thm2.i-2x",
        "thm2.ii": "prop6.ii-2",
        "thm2.iii-1": "prop6.iii-2",
        "thm2.iii-2": "prop6.iii-1",
        "thm2.iii-3": "prop6.iii-2",
    }
    complexities = {c: claim for c, claim in BY_ID.items() if c.startswith("thm") and claim.kind is Kind.COMPLEXITY}
    named = {c: claim.explicit.removeprefix("strfedavg.") for c, claim in complexities.items() if c in EXPECTED}
    assert named == explicit
    assert all(claim.explicit in claim.follows_from for claim in complexities.values())


@pytest.mark.parametrize(
    "cid", [c for c in EXPECTED if not c.startswith(("step.", "id.", "rem")) and c not in TWO_LOOP]
)
def test_hypotheses_are_complete(cid):
    claim = BY_ID[cid]
    keys = {h.key for h in claim.hypotheses}
    used = set().union(*(r.free_symbols for r in expanded(cid)))
    switches = {s.name for s in claim.switches}
    if not cid.endswith("Rcond"):
        assert {"f_convex", "f_smooth", "h_convex", "h_smooth", "X_h_nonempty", "f_bounded_below"} <= keys
    if {nt.mean_inf_f, nt.mean_inf_h} & used:
        assert "clients_attain_minimum" in keys
    if mu_f in used:
        assert {"f_strongly_convex", "mu_f>0"} <= keys
    if nt.M in used:
        assert "M" in keys
    if kappa in used and not cid.startswith("tab1"):
        assert "weak_sharp" in keys and ("kappa=1" if ".iii-" in cid else "kappa>1") in keys
    if nt.Dlast2 in used:
        assert "xbar_R_in_bound" in switches
    if used & {nt.gap_f, nt.gap_h, nt.gap_eta, nt.E_dist, nt.E_sq}:
        assert {"avg_normaliser", "index_convention"} <= switches
    if "clients_attain_minimum" in keys and cid not in ("lem1", "lem2"):
        assert {"unbiased", "variance_bounded", "independent_noise", "S<=N", "K>=1", "gamma_g>=1"} <= keys


def test_convex_claims_have_theta_one():
    for cid in ("lem7", "prop4", "prop5.i-1", "prop6.iii-2", "thm2.i-1x"):
        assert BY_ID[cid].expand(nt.theta) == 1
        assert mu_f not in set().union(*(r.free_symbols for r in expanded(cid)))


# ---------------------------------------------------------------- numbers

# Arbitrary constants, all different, so that a swapped symbol shows.
GIVEN = {
    "L_h": 2.0,
    "L_f": 1.5,
    "mu_f": 0.5,
    "sigma_f2": 0.3,
    "sigma_h2": 0.7,
    "inf_f": 0.4,
    "mean_inf_f": 0.1,
    "f_star": 0.9,
    "h_star": 0.6,
    "mean_inf_h": 0.2,
    "grad_f_star": 1.1,
    "alpha": 0.8,
    "kappa": 1.6,
    "M": 0.35,
    "D2": 2.5,
    "Dlast2": 0.75,
    "E_dist": 0.45,
    "E_sq": 1.2,
    "K": 3,
    "S": 2,
    "N": 5,
    "R": 7,
    "gamma_g": 1.25,
    "gamma_l": 0.02,
    "eta": 0.6,
    "a": 0.7,
    "b": 0.4,
    "p": 2.2,
}


def number(expr):
    return float(sp.N(expr.subs({s: GIVEN[str(s)] for s in expr.free_symbols if str(s) in GIVEN}).doit()))


def side(cid, metric):
    """The number that bounds ``metric`` from above in the expanded statement, and the one from below (or None)."""
    upper = lower = None
    for relation in conjuncts(BY_ID[cid].expand(BY_ID[cid].statement)):
        if relation.lhs == metric:
            upper = number(relation.rhs)
        elif relation.rhs == metric:
            lower = number(relation.lhs)
    return upper, lower


def printed(eta_value=GIVEN["eta"]):
    """The printed building blocks in plain arithmetic: gamma_t, T0, A1, A2, G^2, s^2, L."""
    v = GIVEN
    gt = v["gamma_l"] * v["gamma_g"] * v["K"]
    base = 1 / (1 - 0.5 * v["eta"] * v["mu_f"] * gt)
    t0 = v["D2"] / (gt * sum(base**r for r in range(1, 8)))
    smooth = v["L_h"] + eta_value * v["L_f"]
    noise = 2 * eta_value**2 * v["sigma_f2"] + 2 * v["sigma_h2"]
    gf2 = (2 * v["L_f"] / v["N"]) * (v["inf_f"] - v["mean_inf_f"])
    gh2 = (2 * v["L_h"] / v["N"]) * (v["h_star"] - v["mean_inf_h"])
    g2 = 2 * gf2 + 4 * v["L_f"] * (v["f_star"] - v["inf_f"]) + 2 * gh2
    a1 = noise / (v["K"] * v["S"]) + 4 * g2 * (v["N"] - v["S"]) / (v["N"] * v["S"])
    a2 = 9 * smooth * noise / (v["K"] * v["gamma_g"] ** 2) + 18 * smooth * g2 / v["gamma_g"] ** 2
    return gt, t0, a1, a2, g2, noise, smooth


def test_proposition_1_in_plain_arithmetic():
    gt, t0, a1, a2, *_ = printed()
    assert side("prop1", nt.gap_eta)[0] == pytest.approx(t0 + gt * a1 + gt**2 * a2, rel=1e-12)


def test_proposition_3_iii_2_in_plain_arithmetic():
    gt, t0, a1, a2, *_ = printed()
    upper, lower = side("prop3.iii-2", nt.gap_f)
    assert upper == pytest.approx(t0 / 0.6 + gt / 0.6 * a1 + gt**2 / 0.6 * a2, rel=1e-12)
    assert lower == pytest.approx(-2 * 1.1 / 0.8 * (t0 + gt * a1 + gt**2 * a2), rel=1e-12)


def test_proposition_3_ii_3_in_plain_arithmetic_as_printed():
    gt, t0, a1, a2, g2, noise, smooth = printed()
    bracket = t0 + gt * a1 + gt**2 * ((9 * smooth * noise + 18 * 3 * smooth * g2) / (3 * 1.25**2) + 2 * 0.6 * 0.35)
    expected = 2 / (0.5 * 0.6) * (t0 + gt * a1 + gt**2 * a2) + 2 * 1.1 / 0.5 * bracket ** (1 / 1.6)
    assert side("prop3.ii-3", nt.E_sq)[0] == pytest.approx(expected, rel=1e-12)


def test_proposition_3_i_keeps_the_printed_coefficients():
    gt, t0, a1, a2, *_ = printed()
    assert side("prop3.i-2", nt.gap_f)[0] == pytest.approx(t0 / 0.6 + gt * a1 + gt**2 / 0.6 * a2, rel=1e-12)
    expected = 2 / 0.5 * (1.1 * 0.45 + t0 / 0.6) + gt / 0.6 * a1 + gt**2 / 0.6 * a2
    assert side("prop3.i-3", nt.E_sq)[0] == pytest.approx(expected, rel=1e-12)


def test_proposition_6_iii_2_in_plain_arithmetic():
    gt, _, a1, a2, *_ = printed()
    start = (2.5 - 0.75) / (gt * 7)
    upper, lower = side("prop6.iii-2", nt.gap_f)
    assert upper == pytest.approx((3 * start + 3 * gt * a1 + 3 * gt**2 * a2) / 0.6, rel=1e-12)
    assert lower == pytest.approx(-6 * 1.1 / 0.8 * (start + gt * (a1 + gt * a2)), rel=1e-12)


def test_theorem_1_explicit_bounds_in_plain_arithmetic():
    hat = 2.2 / (math.e * 0.4 * 0.5**0.4)
    _, _, a1, a2, *_ = printed(hat)
    start = 2.5 / (7 ** (2.2 / 2) - 1)
    long = 0.5 * 7
    f_bound = 0.25 * start + (a1 + a2 / long**0.7) / (2.2 * math.log(7) * long**0.3)
    assert side("thm1.i-1x", nt.gap_f)[0] == pytest.approx(f_bound, rel=1e-12)
    h_bound = (
        2.2 * math.log(7) * 0.5**0.6 / (2 * 7**0.4) * start
        + a1 / long**0.7
        + a2 / long**1.4
        + 2 * 0.35 * 2.2 * math.log(7) / long**0.4
    )
    assert side("thm1.i-2x", nt.gap_h)[0] == pytest.approx(h_bound, rel=1e-12)


def test_theorem_2_explicit_bounds_in_plain_arithmetic():
    _, _, a1, a2, *_ = printed(1.0)
    f_bound = 3 * 1.75 * 7**0.1 + 3 * 7**-0.3 * a1 + 3 * 7**-1.0 * a2
    assert side("thm2.i-1x", nt.gap_f)[0] == pytest.approx(f_bound, rel=1e-12)
    h_bound = 3 * 1.75 * 7**-0.3 + 3 * 7**-0.7 * a1 + 3 * 7**-1.4 * a2 + 2 * 0.35 * 7**-0.4
    assert side("thm2.i-2x", nt.gap_h)[0] == pytest.approx(h_bound, rel=1e-12)


def test_proposition_3_is_proposition_2_with_proposition_1_up_to_what_is_printed_differently():
    bound = BY_ID["prop1"].statement.rhs

    def defect(item, metric):
        """What Proposition 3 prints minus what the substitution gives."""
        upper = {}
        for cid in (f"prop2.{item}", f"prop3.{item}"):
            (upper[cid],) = (r.rhs for r in conjuncts(BY_ID[cid].statement) if r.lhs == metric)
        return sp.simplify(upper[f"prop3.{item}"] - upper[f"prop2.{item}"].subs(nt.Err, bound))

    assert defect("iii-3", nt.E_sq) == 0
    assert defect("iii-1", nt.gap_h) == 0
    assert defect("ii-2", nt.gap_f) == 0
    assert defect("i-1", nt.gap_h) == eta * nt.M
    assert sp.simplify(defect("i-2", nt.gap_f) - (gamma_t - gamma_t / eta) * nt.A1) == 0
    assert sp.simplify(defect("i-3", nt.E_sq) - (1 - 2 / mu_f) * (gamma_t * nt.A1 + gamma_t**2 * nt.A2) / eta) == 0


def test_lemma_1_has_the_printed_factor_one_over_n_and_a_switch_for_the_other():
    lem1 = BY_ID["lem1"]
    assert lem1.expand(nt.G_f2) == 2 * L_f / nt.N * (nt.inf_f - nt.mean_inf_f)
    other = lem1.read(nt.G_SCALE)
    (f_part,) = (r for r in conjuncts(other.expand(other.statement)) if r.lhs == nt.mean_sq_grad_f)
    expected = 2 * L_f * (nt.inf_f - nt.mean_inf_f) + 2 * L_f * nt.gap_inf_f
    assert sp.expand(f_part.rhs - expected) == 0


def test_printed_normaliser_of_the_drift_and_its_switches():
    lem5 = BY_ID["lem5"]
    assert lem5.expand(nt.eps_r) == nt.drift_sum / (nt.K * nt.S)
    by_n = lem5.read(nt.DRIFT_N)
    assert by_n.statement.rhs.coeff(nt.eps_r) == 3 * gamma_t * nt.L * nt.S / nt.N
    assert lem5.read(nt.DRIFT_K).expand(nt.eps_r) == nt.drift_sum_prev / (nt.K * nt.S)


def test_thresholds_are_stated_in_primitive_symbols():
    for cid, schedule in (("thm1.Rcond", S_SC), ("thm2.Rcond", S_C)):
        statement = BY_ID[cid].statement
        assert not statement.free_symbols & {eta, gamma_t, nt.B2, nt.L, nt.gamma_l}
        values = {"R": 50, "mu_f": 0.5, "L_h": 2, "L_f": 1, "K": 3, "gamma_g": 2, "p": 2, "a": 0.6, "b": 0.3}
        out = schedule.evaluate(values)
        slope = max(4 * out["eta"], 8)
        cap = 1 / (16 * 3 * 2 * (2 + out["eta"]) ** 2 * (1 + slope))
        lhs, rhs = (float(s.subs({x: values[str(x)] for x in s.free_symbols})) for s in statement.args)
        assert (lhs, rhs) == (pytest.approx(out["gamma_l"]), pytest.approx(cap))


def test_step_14_is_the_step_condition_and_mixes_units():
    step = BY_ID["step.14"]
    assert step.statement.subs(nt.rescale, 1) == nt.SC16.relation
    assert clashes(step.statement, units("strfedavg"))


# ---------------------------------------------------------------- schedules


def test_schedule_ids():
    assert {s.id for s in SCHEDULES} == {"S-c", "S-sc", "S-sc-1", "S-c-1", "S-c-ii", "S-ip", "S-ip-1", "S-exp"}


@pytest.mark.parametrize(
    ("schedule", "values", "expected"),
    [
        (
            S_SC,
            {"R": 2000, "mu_f": 0.5, "p": 2, "K": 5, "gamma_g": 2},
            {"gamma_t": 0.01, "gamma_l": 0.001, "eta": 0.2 * math.log(2000)},
        ),
        (S_C, {"R": 16, "K": 2, "gamma_g": 1}, {"gamma_t": 0.25, "gamma_l": 0.125, "eta": 0.5}),
        (S_C, {"R": 16, "K": 2, "gamma_g": 1, "a": 1, "b": 0.5}, {"gamma_t": 1 / 16, "gamma_l": 1 / 32, "eta": 0.25}),
        (S_SC_1, {"R": 100, "mu_f": 0.5, "p": 2, "K": 4, "gamma_g": 1}, {"gamma_t": 0.04 * math.log(100)}),
        (S_C_1, {"R": 25, "K": 1, "gamma_g": 2}, {"gamma_t": 0.2, "gamma_l": 0.1}),
        (S_C_II, {"R": 16, "K": 1, "gamma_g": 1, "a": 0, "b": 1}, {"gamma_t": 1, "gamma_l": 1, "eta": 1 / 16}),
        (S_IP, {"t": 4096, "K": 2, "gamma_g": 1}, {"R": 4096, "gamma_t": 1 / 128, "eta": 2 * math.log(4096) / 32}),
        (S_IP_1, {"t": 10, "K": 1, "gamma_g": 1}, {"gamma_t": 0.2 * math.log(10), "gamma_l": 0.2 * math.log(10)}),
        (
            S_EXP,
            {"R": 615, "Gamma": 10, "N": 4, "K": 5},
            {"gamma_g": 2, "gamma_l": 0.04, "gamma_t": 0.4, "eta": 0.2},
        ),
    ],
    ids=lambda v: getattr(v, "id", None),
)
def test_schedules_evaluate_to_hand_computed_numbers(schedule, values, expected):
    out = schedule.evaluate(values)
    assert {name: out[name] for name in expected} == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("schedule", "values", "message"),
    [
        (S_SC, {"a": 0.3, "b": 0.3}, "b < a"),
        (S_SC, {"p": 0.5}, "p >= 1"),
        (S_C, {"a": 1.2}, "a <= 1"),
        (S_C, {"b": 0}, "b > 0"),
        (S_C_II, {"b": 1.5}, "b <= 1"),
        (S_EXP, {"Gamma": 0}, "Gamma > 0"),
        (S_IP, {"t": 0}, "not a finite number at t = 0"),
    ],
)
def test_schedules_refuse_what_the_paper_excludes(schedule, values, message):
    good = {"R": 100, "mu_f": 1, "p": 2, "K": 1, "gamma_g": 1, "t": 9, "Gamma": 1, "N": 4}
    with pytest.raises(ValueError, match=message):
        schedule.evaluate(good | values)


def misses(schedule, condition, **values):
    return any(v.condition == condition for v in schedule.violations(values))


@pytest.mark.parametrize(
    ("L", "mu", "too_short", "long_enough"),
    [((1, 1), 1, 6.1e4, 6.2e4), ((10, 1), 0.1, 1.34e9, 1.35e9)],
)
def test_smallest_admissible_horizon_of_the_strongly_convex_schedule(L, mu, too_short, long_enough):
    given = {"L_h": L[0], "L_f": L[1], "mu_f": mu, "p": 2, "K": 1, "gamma_g": 1}
    assert misses(S_SC, R_COND_SC, R=too_short, **given)
    assert S_SC.violations({"R": long_enough, **given}) == ()


def test_violations_say_by_how_much():
    given = {"L_h": 1, "L_f": 1, "K": 2, "gamma_g": 1, "R": 100}
    threshold, step = S_C.violations(given)
    # B^2 = 4: the threshold is max(320^2, 320^1) = 102400, and gamma_l = 1/20 against 1/(16 * 4 * 5 * 2) = 1/640
    assert threshold.condition == R_COND_C and threshold.rhs == pytest.approx(102400)
    assert threshold.factor == pytest.approx(1024)
    assert (step.lhs, step.rhs, step.factor) == pytest.approx((0.05, 1 / 640, 32))


def test_constant_eta_is_held_against_sharpness():
    given = {"R": 1e8, "mu_f": 1, "p": 2, "K": 1, "gamma_g": 1, "L_h": 1, "L_f": 1, "alpha": 1, "grad_f_star": 5}
    for schedule in (S_SC_1, S_C_1):
        assert "eta" not in schedule.evaluate(given)
        assert schedule.violations(given | {"eta": 0.1}) == ()
        (sharp,) = schedule.violations(given | {"eta": 0.2})
        assert sharp.condition.name == "eta<=alpha/(2||grad f(x*)||)" and sharp.factor == pytest.approx(2)
        with pytest.raises(ValueError, match="needs eta"):
            schedule.violations(given)


def test_inner_calls_of_the_two_loop_method_are_far_from_admissible_at_first():
    found = S_IP.violations({"t": 100, "K": 1, "gamma_g": 1, "L_h": 1})
    # 16 (1 + 11)^2 (1 + 4 max(eta, 1)) with eta = 2 ln(100)/100^(5/12)
    slope = 1 + 4 * 2 * math.log(100) / 100 ** (5 / 12)
    assert found[0].rhs == pytest.approx(16 * 144 * slope)
    assert len(found) == 2


def test_remark_6_no_rule_of_the_two_loop_schedule_knows_kappa():
    assert all(kappa not in rule.free_symbols for rule in BY_ID["rem6"].schedule.rules.values())


def test_schedules_print_as_in_the_paper():
    assert str(S_C).startswith("gamma_t = R**(-a), gamma_l = gamma_t/(K*gamma_g), eta = R**(-b)")
    assert (
        S_C.latex()
        == r"\tilde\gamma = R^{- a},\quad \gamma_\ell = \frac{\tilde\gamma}{K \gamma_g},\quad \eta = R^{- b}"
    )
    assert L_h in {s for c in S_SC.conditions for s in c.relation.free_symbols}
