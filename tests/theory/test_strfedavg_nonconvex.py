"""The encoding of the two-loop method: hypotheses, and equality with hand-coded formulas of the print."""

import math

import pytest
import sympy as sp

from rateproof.theory.claim import Reading
from rateproof.theory.papers.strfedavg import CLAIMS
from rateproof.theory.papers.strfedavg import notation as nt
from rateproof.theory.symbols import T, kappa, t


def conjuncts(relation):
    return [r for part in relation.args for r in conjuncts(part)] if isinstance(relation, sp.And) else [relation]


BY_ID = {c.id.removeprefix("strfedavg."): c for c in CLAIMS}
BOUNDS = ("prop7.i", "prop7.ii", "thm3.i-1", "thm3.i-2", "thm3.ii-1", "thm3.ii-2")
MINE = [
    c for c in BY_ID if c.startswith(("lem3", "prop7", "thm3", "tab1.ip", *(f"step.{k}" for k in (10, 11, 12, 15))))
]

# Arbitrary constants, all different, so that a swapped symbol shows.
GIVEN = {
    "L_h": 2.0,
    "L_f": 1.5,
    "sigma_g2": 0.3,
    "sigma_h2": 0.7,
    "h_star": 0.6,
    "mean_inf_h": 0.2,
    "g_star": 0.9,
    "grad_f_proj": 1.1,
    "grad_g_star": 1.3,
    "alpha": 0.8,
    "kappa": 1.6,
    "M_g": 0.35,
    "D2_proj": 2.5,
    "F_gap0": 3.5,
    "K": 3,
    "S": 2,
    "N": 5,
    "R": 70,
    "t": 70,
    "T": 90,
    "gamma_g": 1.25,
    "gamma": 0.04,
    "lam": 0.45,
    "eta_g": 0.6,
    "a": 0.7,
    "b": 0.4,
    "p": 2.2,
    "f_star": 0.95,
    "inf_f": 0.4,
    "mean_inf_f": 0.15,
}


def number(expr):
    return float(sp.N(expr.subs({s: GIVEN[str(s)] for s in expr.free_symbols if str(s) in GIVEN})))


def bound(cid):
    (relation,) = conjuncts(BY_ID[cid].expand(BY_ID[cid].statement))
    return number(relation.rhs)


def error_constants(weight, curvature=None, offset=None):
    """A1 and A2 at a regularisation parameter."""
    v = GIVEN
    noise = 2 * weight**2 * v["sigma_g2"] + 2 * v["sigma_h2"]
    dissimilarity = 4 * v["g_star"] + 2 * (2 * v["L_h"] / 5) * 0.4 if offset is None else offset
    smooth = v["L_h"] + weight if curvature is None else curvature
    first = noise / 6 + (1 - 2 / 5) * 4 * dissimilarity / 2
    return first, (9 * smooth * noise / 3 + 18 * smooth * dissimilarity) / 1.25**2


@pytest.mark.parametrize("cid", BOUNDS)
def test_hypotheses_are_complete(cid):
    claim = BY_ID[cid]
    keys = {h.key for h in claim.hypotheses}
    common = {"h_convex", "h_smooth", "X_h_nonempty", "inner_attain_minimum", "weak_sharp"}
    assert common <= keys
    assert {"unbiased", "variance_bounded", "independent_noise", "S<=N", "K>=1", "gamma_g>=1"} <= keys
    assert ("kappa=1" if ".ii" in cid else "kappa>1") in keys
    used = set().union(*(r.free_symbols for r in conjuncts(claim.expand(claim.statement))))
    assert bool({"M_g", "M_g_n"} & keys) == (nt.M_g in used)
    if cid.startswith("thm3"):
        assert {"outer_smooth", "f_nonconvex", "F_bounded_below", "inner_calls"} <= keys
        assert not any("16 (L_h + eta" in key for key in keys)  # Theorem 3 prints no step condition
    else:
        assert {"projection", "p>=1", "R_t>1"} <= keys
        assert sum("16 (L_h + eta" in key for key in keys) == 2
    if used & {nt.E_dist, nt.E_err2}:
        assert "avg_normaliser" in {s.name for s in claim.switches}
    if cid.endswith(("i-1", "ii-1")):
        assert any(key.startswith("gamma<=3lam") for key in keys)


def test_every_claim_that_falls_has_a_corrected_reading_beside_it():
    corrected = [c for c in MINE if BY_ID[c].reading is Reading.CORRECTED]
    positions = {c: i for i, c in enumerate(BY_ID)}
    for cid in corrected:
        printed = cid.removesuffix(".corrected")
        assert positions[cid] == positions[printed] + 1
        assert BY_ID[cid].amends == f"strfedavg.{printed}" and BY_ID[cid].why
        printed, claim = BY_ID[printed], BY_ID[cid]
        changed = [(c.statement, c.where, {h.key: h.relation for h in c.hypotheses}) for c in (printed, claim)]
        assert changed[0] != changed[1]
    assert len(corrected) == 23


def test_lemma_3_offset():
    assert number(BY_ID["lem3"].expand(nt.G_ncvx2)) == pytest.approx(4 * 0.9 + 2 * (2 * 2.0 / 5) * 0.4)
    assert number(BY_ID["lem3"].expand(nt.B_ncvx2)) == 8.0
    mended = number(BY_ID["lem3.corrected"].expand(nt.G_ncvx2))
    assert mended == pytest.approx(2 * (2 * 2.0) * 0.4 + 8.0 * 0.6 * 0.9)


def test_proposition_7_in_plain_arithmetic():
    first, drift = error_constants(0.6)
    R, p, a, b = 70, 2.2, 0.7, 0.4
    log, decay = p * math.log(R), R**1.1 - 1
    root = (log * 2.5 / (R**b * decay) + 2 / R**a * first + 2 / R ** (2 * a) * drift + 2 * log / R**b * 0.35) ** (
        1 / 1.6
    )
    expected = 2.5 / decay + 2 / (log * R ** (a - b)) * (first + drift / R**a) + 1.1 / 0.8 ** (1 / 1.6) * root
    assert bound("prop7.i") == pytest.approx(expected, rel=1e-12)
    expected = 2.5 / (0.6 * decay) + 2 * log / (0.6 * R) * (first + log / R * drift)
    assert bound("prop7.ii") == pytest.approx(expected, rel=1e-12)


def test_theorem_3_i_1_in_plain_arithmetic():
    first, drift = error_constants(11)
    lam, g, n, k = 0.45, 0.04, 90, 1.6
    c = 2 / lam**2 + 2 * g * (1.5 * lam + 2) / lam**3
    slope = 1.1 / 0.8 ** (1 / k)
    expected = (
        2 / g * 3.5 / n
        + c * 2.5 * (1 + math.log(n)) / n
        + c * first * 6 / (5 * n ** (1 / 6) * math.log(n))
        + c * drift * 3 / (2 * n**0.75 * math.log(n))
        + (4 * 0.35) ** (1 / k) * (24 * k - 5) / (12 * k - 5) * math.log(n) ** (1 / k) / n ** (5 / 12 / k)
        + c * slope * 2.5 ** (1 / k) * 2 * 4 ** (1 / k) * (math.log(n) + 1) ** (1 / k) / n ** (17 / 12 / k)
        + c * slope * (2 * first) ** (1 / k) * 2 ** (1 / k) / (1 - 7 / 12 / k) / n ** (7 / 12 / k)
        + c * slope * (2 * drift) ** (1 / k) / n ** (1 / k)
    )
    assert bound("thm3.i-1") == pytest.approx(expected, rel=1e-12)


def test_theorem_3_distances_and_case_ii_in_plain_arithmetic():
    first, drift = error_constants(11)
    log = math.log(70)
    inside = (
        log * 2.5 / (70 ** (5 / 12) * 69) + first / 70 ** (7 / 12) + drift / 70 ** (7 / 6) + log / 70 ** (5 / 12) * 1.4
    )
    assert bound("thm3.i-2") == pytest.approx(inside ** (1 / 1.6) / 0.8, rel=1e-12)
    lam, g, n = 0.45, 0.04, 90
    start = 2 / (0.6 * lam**2) + 2 * g * (1.5 * lam + 2) / (0.6 * lam**3)
    expected = 2 / g * 3.5 / n + start * 2.5 * 2 * math.log(n) / n + 4 * start * first * math.log(n + 2) ** 2 / n
    assert bound("thm3.ii-1") == pytest.approx(expected + 8 * start * drift * 2 / n, rel=1e-12)
    # (ii-2) prints the constants of problem (1)
    offset = 2 * (2 * 1.5 / 5) * 0.25 + 4 * 1.5 * 0.55 + 2 * (2 * 2.0 / 5) * 0.4
    first, drift = error_constants(11, curvature=2.0 + 11 * 1.5, offset=offset)
    expected = 0.6 / (0.8 * 70) * 2.5 + 4 * log / 70 * first + 8 * log**2 / 70**2 * drift
    assert bound("thm3.ii-2") == pytest.approx(expected, rel=1e-12)


SUMS = {
    "s1": (1.0, 1 + math.log(3)),
    "s1'": (1.0, 2 * math.log(3)),
    "s2": (1 / (math.log(2) * 2 ** (1 / 6)), 6 * 3 ** (5 / 6) / (5 * math.log(3))),
    "s3": (1 / (math.log(2) * 2**0.75), 3 * 3**0.25 / (2 * math.log(3))),
    "s4": ((2 * math.log(2) / 2 ** (5 / 12)) ** 0.5, 2 * 2 * (math.log(3) + 1) ** 0.5 * 3 ** (1 - 17 / 24)),
    "s5": (2**0.5, 2**0.5 * 2**0.5 / (1 - 7 / 24) * 3 ** (1 - 7 / 24)),
    "s6": (2**0.5, 2**0.5 * 3**0.5),
    "s7": (0.0, 2 * 43 / 19 * math.log(3) ** 0.5 * 3 ** (1 - 5 / 24)),
    "s8": (math.log(2) / 2, math.log(5) ** 2),
    "s9": (math.log(2) ** 2 / 4, 2.0),
}


@pytest.mark.parametrize("item", SUMS)
def test_sum_bounds_at_t_3_and_kappa_2(item):
    (relation,) = conjuncts(BY_ID[f"step.11.{item}"].statement)
    first_term, right = SUMS[item]
    index, start, stop = relation.lhs.limits[0]
    assert index == t and stop - T == start - 1 and start in (1, 2)
    at = {T: 3, kappa: 2}
    assert float(relation.lhs.function.subs({t: start, **at})) == pytest.approx(first_term)
    assert float(relation.rhs.subs(at)) == pytest.approx(right)


def test_step_10_coefficients_as_printed():
    at = {nt.lam: 2, nt.gamma: 1, nt.young: 2}

    def rest(item):
        return BY_ID[f"step.10.{item}"].statement.rhs.subs(at).subs(sp.Symbol("L_f", nonnegative=True), 3)

    # (L_f lam + 2)/lam = 4
    assert (
        sp.expand(
            rest("expansion")
            - (nt.F_prev + (-1 + sp.Rational(1, 4) + 4) * nt.sq_grad_F + (sp.Rational(1, 4) + 1) * nt.sq_err)
        )
        == 0
    )
    assert (
        sp.expand(
            rest("theta") - (nt.F_prev + (4 - sp.Rational(5, 4)) * nt.sq_grad_F + (sp.Rational(1, 4) + 1) * nt.sq_err)
        )
        == 0
    )
    assert sp.expand(rest("descent") - (nt.F_prev - nt.sq_grad_F / 2 + (sp.Rational(1, 2) + 1) * nt.sq_err)) == 0


def test_switches_read_the_other_constants():
    claim = BY_ID["thm3.ii-2"]
    (switch,) = (s for s in claim.switches if s.name == "constants_of_problem_4")
    (other,) = conjuncts(claim.read(switch).expand(claim.read(switch).statement))
    first, drift = error_constants(11)
    expected = 0.6 / (0.8 * 70) * 2.5 + 4 * math.log(70) / 70 * first + 8 * math.log(70) ** 2 / 70**2 * drift
    assert number(other.rhs) == pytest.approx(expected, rel=1e-12)
    claim = BY_ID["prop7.i"]
    (switch,) = (s for s in claim.switches if s.name == "outer_loss_of_problem_4")
    assert nt.grad_f_proj not in claim.read(switch).statement.free_symbols


OUTER = ("thm3.i-1", "thm3.ii-1", "tab1.ip.k", "tab1.ip.1")


def test_the_envelope_is_another_reading_and_the_corrected_one():
    claim = BY_ID["thm3.i-1"]
    (switch,) = (s for s in claim.switches if s.name == "penalty")
    other = claim.read(switch).statement
    assert {nt.E_grad2_env, nt.F_gap0_env} <= other.free_symbols and nt.E_grad2 not in other.free_symbols
    for cid in OUTER:
        assert not BY_ID[f"{cid}.corrected"].statement.has(nt.E_grad2, nt.F_gap0, nt.R_stat)
    # the printed constant c stands before what the errors contribute
    at = {"E_grad2_env": 0, "F_gap0_env": 0, "D2": 1, "M_g": 0, "alpha": 1, "grad_g_star": 0, "kappa": 2, "R_first": 9}
    rhs = BY_ID["thm3.i-1.corrected"].statement.rhs
    values = {"A1n": 0, "A2n": 0, "c_e": 1, "T": 100, "gamma": 1, **at}
    assert float(rhs.subs({s: values[str(s)] for s in rhs.free_symbols})) == pytest.approx((1 + math.log(100)) / 100)


@pytest.mark.parametrize("cid", OUTER)
def test_corrected_outer_claims_agree_with_themselves_about_the_calls(cid):
    claim, printed = BY_ID[f"{cid}.corrected"], BY_ID[cid]
    (calls,) = (h for h in claim.hypotheses if h.key.startswith("inner_calls_later"))
    assert "R_t = R_first + t rounds" in calls.text
    assert claim.schedule.rules[nt.R] == nt.R_first + nt.call
    rules = claim.schedule.rules.values()
    assert all(nt.call not in (rule - 0).subs(nt.R_first + nt.call, 7).free_symbols for rule in rules)
    # every hypothesis that the printed claim lacks is announced
    announced = {
        "T>=2": "T >= 2",
        "kappa>17/12": "κ > 17/12",
        "inner_calls_later": "R_t = R_first + t rounds",
        "inner_calls_later_ii": "R_t = R_first + t rounds",
        "SC16h_first": "R_first",
        "SC16h_first_ii": "R_first",
        "eta_t p>=2": "η p >= 2",
        "t<T": "for t = 0..T-1",
        "weak_sharp_up_to": "- δ_h in place",
        "eta<=alpha/(2||grad g(x^{t*})||)": "η <= α/(2 ||∇g(x^{t*})||)",
    }
    added = {h.key for h in claim.hypotheses} - {h.key for h in printed.hypotheses}
    assert added and all(announced[key] in claim.text for key in added)


def test_the_average_that_m_is_about_is_the_one_of_the_statement():
    for cid, key, gap in (
        ("thm3.i-1", "M_g_n", nt.gap_g_n),
        ("tab1.ip.k", "M_g_n", nt.gap_g_n),
        ("thm3.i-2", "M_g_n", nt.gap_g_n),
        ("prop7.i", "M_g", nt.gap_g),
    ):
        (valid,) = (h for h in BY_ID[cid].hypotheses if h.key == key)
        assert valid.relation.free_symbols == {nt.M_g, gap}
    assert nt.R_dist_n in BY_ID["tab1.ip.k.corrected"].statement.free_symbols


def test_a_step_does_not_follow_from_what_its_hypotheses_provide():
    steps = [c for cid, c in BY_ID.items() if cid.startswith(("step.15", "step.10"))]
    assert not any("prop3" in i or i.endswith("rem3") for c in steps for i in c.follows_from)
    assert "strfedavg.prop3.ii-3" in BY_ID["prop7.i"].follows_from
    assert "strfedavg.rem3" in BY_ID["thm3.i-1"].follows_from
