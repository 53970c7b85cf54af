"""The encoding of the two-stage section: complete, and equal to hand-coded formulas of the print."""

import math

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Kind, Reading
from rateproof.theory.papers.fedrzo import notation as fz
from rateproof.theory.papers.fedrzo.twostage import CLAIMS, SCHEDULES
from rateproof.theory.papers.fedrzo.twostage import experiment as ex
from rateproof.theory.papers.fedrzo.twostage import notation as nt
from rateproof.theory.symbols import C_O, units
from rateproof.theory.units import unit_of

LISTED = [
    "rem5",
    "thm2.i",
    *(f"lem12.{i}" for i in ("i", "ii", "iii", "iv", "v", "vi")),
    "rem10",
    "lem13.i",
    "lem13.ii",
    *(f"thm2.{i}" for i in ("ii", "iii", "iii-a", "iii-b", "iv-a", "iv-b")),
    "rem6.i",
    "rem6.ii",
    *(f"tab3.{i}" for i in ("com", "rate", "proj")),
    *(f"st.{i}" for i in (13, 14, 15, 17)),
]
PARTS = [
    "rem5.dependence",
    "rem5.unsuitable",
    *(f"st.14.{i}" for i in ("step", "factor", "sums")),
    *(f"st.17.{i}" for i in ("contraction", "step")),
    "thm2.i-ii",
    "thm2.iii-x",
    "thm2.iii.exponent",
    *(f"rem6.i.{i}" for i in ("rate", "comparison", "small")),
    *(f"exp4{i}" for i in (".vi", ".vi.map", ".vi.equilibrium", ".kappa", ".tau", ".eta", ".tab4")),
    *(f"exp4.H{i}" for i in ("", ".printed", ".objective")),
]
CORRECTED = [
    "rem5.dependence",
    "thm2.i",
    "lem13.i",
    "lem13.ii",
    "thm2.i-ii",
    "thm2.iii-b",
    "thm2.iii-x",
    "thm2.iii",
    "thm2.iii.exponent",
    "rem6.i.rate",
    "rem6.i.small",
    "thm2.iv-b",
    "tab3.proj",
    "tab3.rate",
]
BY_ID = {c.id.removeprefix("fedrzo."): c for c in CLAIMS}

# Arbitrary constants, all different, so that a swapped symbol shows.
GIVEN = {
    "n": 3,
    "nt": 2,
    "m": 5,
    "eta_s": 0.7,
    "gamma": 0.01,
    "H": 4,
    "B1": 0.4,
    "B2": 1.3,
    "L_imp": 1.7,
    "L_y": 0.9,
    "mu_F": 0.6,
    "L_F": 1.1,
    "kappa_F": 1.1 / 0.6,
    "kappa_game": 1.1 / 0.6,
    "D0": 2.1,
    "K_it": 40,
    "K_eps": 40.0,
    "T_R": 41,
    "epsilon": 0.03,
    "alpha_2s": 0.5,
    "tau_2s": 3.5,
    "t_2s": 6,
    "k_it": 7,
    "B_2s": 0.8,
    "eps_2s": 0.2,
    "sum_eps_2s": 1.9,
    "grad2_2s": 0.35,
    "eb_2s": 0.15,
    "done_2s": 2,
    "sum_eb_2s": 0.25,
    "sum_grad_2s": 0.55,
    "sum_eps_round_2s": 0.45,
}


def number(expr):
    return float(sp.N(expr.subs({s: GIVEN[str(s)] for s in expr.free_symbols if str(s) in GIVEN})))


def conjuncts(relation):
    return [r for part in relation.args for r in conjuncts(part)] if isinstance(relation, sp.And) else [relation]


def side(cid, index=0):
    """The number of the right side of a conjunct, the hidden constant taken as 1."""
    claim = BY_ID[cid]
    keep = {s: e for s, e in claim.where.items() if str(s) not in GIVEN}
    expr = conjuncts(claim.statement)[index].args[1]
    for _ in range(3):
        expr = expr.xreplace(keep)
    return number(expr.subs(C_O, 1))


def thetas():
    v = GIVEN
    ell = v["L_imp"] * v["n"] + 1
    return (
        ell * v["n"] ** 2 * v["L_imp"] ** 2 / v["eta_s"],
        5 * ell**2 / (8 * v["eta_s"] ** 2),
        20 * v["n"] ** 2 * v["L_y"] ** 2 / v["eta_s"] ** 2,
        36 * v["n"] ** 2 * v["L_y"] ** 2 / v["eta_s"] ** 2,
        9 * (2 * v["B1"] ** 2 / v["eta_s"] ** 2 + (4 * v["B2"] ** 2 + 1) * v["L_imp"] ** 2 * v["n"] ** 2),
    )


def test_exactly_the_expected_claims_are_there():
    printed = [c for c in BY_ID if BY_ID[c].reading is not Reading.CORRECTED]
    assert sorted(printed) == sorted(LISTED + PARTS)
    assert sorted(c for c in BY_ID if c not in printed) == sorted(f"{c}.corrected" for c in CORRECTED)
    assert len(BY_ID) == len(CLAIMS)
    assert {s.id for s in SCHEDULES} == {"S-vi", "S-2s.ii", "S-2s.iii", "S-lem13"}


@pytest.mark.parametrize("cid", [f"{c}.corrected" for c in CORRECTED])
def test_corrected_claims_differ_from_the_printed_ones(cid):
    claim, printed = BY_ID[cid], BY_ID[cid.removesuffix(".corrected")]
    assert claim.amends == printed.id and claim.why
    assert claim.statement != printed.statement or claim.hypotheses != printed.hypotheses


@pytest.mark.parametrize("cid", list(BY_ID))
def test_references_symbols_and_texts(cid):
    claim = BY_ID[cid]
    known = catalog.claims("fedrzo")
    assert set(claim.follows_from) <= known.keys() - {claim.id}
    assert claim.explicit is None or known[claim.explicit].kind is Kind.BOUND
    assert "\n" not in claim.text and "{{" not in claim.text and "%s" not in claim.text
    vocabulary = units("fedrzo")
    relations = [r for r in (claim.statement, *(h.relation for h in claim.hypotheses)) if r is not None]
    for expr in (*relations, *map(claim.expand, relations), *claim.where, *claim.where.values()):
        unit_of(expr, vocabulary)
    assert len({h.key for h in claim.hypotheses}) == len(claim.hypotheses)


def test_constants_of_theorem_2():
    for symbol, value in zip((nt.Th1, nt.Th2, nt.Th3, nt.Th4, nt.Th5), thetas(), strict=True):
        assert number(nt.WHERE[symbol]) == pytest.approx(value, rel=1e-13)


def test_lemma_12_in_plain_arithmetic():
    v, ell = GIVEN, (1.7 * 3 + 1) / 0.7
    assert side("lem12.ii") == pytest.approx(9 * 1.7**2)
    assert side("lem12.iii") == side("lem12.vi") == pytest.approx(4 * 9 / 0.49 * 0.81 * 0.2)
    assert side("lem12.iv") == pytest.approx(9 * 1.7**2 / 5 + 2 * v["grad2_2s"] + 2 * ell**2 * v["eb_2s"])
    assert side("lem12.v") == pytest.approx(v["grad2_2s"] / 2 - ell**2 / 2 * v["eb_2s"])
    assert [conjuncts(BY_ID[c].statement)[0].rel_op for c in ("lem12.i", "lem12.iv", "lem12.v")] == ["==", "<=", ">="]


@pytest.mark.parametrize(("cid", "factor"), [("lem13.i", 8), ("lem13.i.corrected", 2 / 0.49)])
def test_lemma_13_i_in_plain_arithmetic(cid, factor):
    fixed = 2 * 0.16 / 0.49 + (4 * 1.69 + 1) * 1.7**2 * 9
    terms = factor * 0.25 + 4 * 1.69 * 0.55 + 2 * fixed + 4 * 9 / 0.49 * 0.81 * 0.45
    assert side(cid) == pytest.approx(3 * 1e-4 * 2 * terms, rel=1e-13)


def test_lemma_13_ii_in_plain_arithmetic():
    fixed = 2 * 0.16 / 0.49 + (4 * 1.69 + 1) * 1.7**2 * 9
    expected = 36 * 4 * 1e-4 * (1.69 * 0.55 + 9 / 0.49 * 0.81 * 0.45) + 9 * 16 * 1e-4 * fixed
    assert side("lem13.ii") == side("lem13.ii.corrected") == pytest.approx(expected, rel=1e-13)
    cap = {h.key: h.relation for c in ("lem13.ii", "lem13.ii.corrected") for h in BY_ID[c].hypotheses}
    assert number(cap["S-lem13"].lhs) == pytest.approx(math.sqrt(24) * 4 * 0.01)
    assert number(cap["S-lem13_eta"].lhs / cap["S-lem13_eta"].rhs) == pytest.approx(math.sqrt(6) * 4 * 0.01 / 0.7)


def test_theorem_2_ii_in_plain_arithmetic():
    t1, t2, t3, t4, t5 = thetas()
    g, H, T, S = 0.01, 4, 41, 1.9
    bound = 8 * 2.1 / (g * T) + 8 * g * t1 / 5 + 8 * H**2 * g**2 * t2 * t5
    bound += (8 * H**2 * g**2 * t2 * t4 / T + 8 * t3 / T) * S
    assert side("thm2.ii") == side("thm2.i-ii") == pytest.approx(bound, rel=1e-13)
    caps = {h.key: h.relation for h in BY_ID["thm2.ii"].hypotheses if h.relation is not None}
    lhs = BY_ID["thm2.ii"].expand(caps["gamma_sets_2s"].lhs)
    assert number(lhs) == pytest.approx(12 * math.sqrt(6) * H * 1.3 * math.sqrt(t2) * g, rel=1e-13)
    assert number(caps["gamma_smooth_2s"].lhs) == pytest.approx(16 * (1.7 * 3 + 1) * g)


def test_theorem_2_iii_in_plain_arithmetic():
    t1, t2, t3, t4, t5 = thetas()
    m, K, B, e = 5, 40, 0.8, 0.03
    printed = (8 * 2.1 + 8 * t1 + 8 * t2 * t5) / math.sqrt(m * K)
    printed += 8 * B * t2 * t4 * math.log(K) / math.sqrt(m * K**3) + 8 * B * t3 * (math.log(K) + 1) / K
    assert side("thm2.iii-x") == pytest.approx(printed, rel=1e-12)
    orders = (t1**2 + t2**2 * t5**2) / (m * e**2), B * t3 / e
    second = (B * t2 * t4) ** (4 / 3) / (m ** (1 / 3) * e ** (2 / 3))
    assert side("thm2.iii") == pytest.approx(orders[0] + second + orders[1], rel=1e-12)
    assert side("thm2.iii-b") == pytest.approx(B * (1 + math.log(K)))
    assert side("thm2.iii-b.corrected") == pytest.approx(B * (1 + math.log(K + 1)))
    assert side("thm2.iii-a") == pytest.approx(B / 8)
    k_0 = max(256 * m * (6.1 / 0.7) ** 2, 16 * 864**2 * 1.3**4 * t2**2 / m)
    mended = k_0 + (2.1**2 + t1**2 + t2**2 * t5**2) / (m * e**2) + orders[1]
    mended += (B * t2 * t4) ** (2 / 3) / (m ** (1 / 3) * e ** (2 / 3))
    assert side("thm2.iii.corrected") == pytest.approx(1 + mended, rel=1e-12)
    assert "1" in {str(t) for t in sp.Add.make_args(BY_ID["thm2.iii.corrected"].statement.rhs / C_O)}
    assert side("rem6.i.rate") == pytest.approx(1 / (m * e**2) + 1 / (m ** (1 / 3) * e ** (2 / 3)) + 1 / e)


def test_accuracy_counts_and_tables_in_plain_arithmetic():
    claim = BY_ID["thm2.i"]
    assert number(claim.expand(claim.statement.rhs)) == pytest.approx(0.8 * (1 - 0.36 / 1.21) ** 6, rel=1e-13)
    log = math.log(1 / (1 - 0.36 / 1.21))
    assert side("thm2.iv-b") == side("tab3.proj") == pytest.approx(5 * 40 * math.log(40) / log, rel=1e-12)
    assert side("thm2.iv-b.corrected") == pytest.approx(2 * 5 * (3.5 * 41 * math.log(41) + 40))
    assert side("thm2.iv-a") == pytest.approx(200**0.75) == pytest.approx(side("tab3.com"))
    assert side("tab3.rate") == pytest.approx(200**-0.5)
    assert side("exp4.tau") == pytest.approx(-1 / math.log(1 - 0.36 / 1.21))


def test_the_printed_assumption_speaks_of_x_in_the_feasible_set():
    for cid in ("thm2.i", "thm2.ii", "thm2.i-ii", "thm2.iii", "thm2.iii-x", "rem6.i.small", "tab3.rate"):
        keys = {h.key for h in BY_ID[cid].hypotheses}
        assert {h.key for h in fz.A3} <= keys and "monotone_queried" not in keys
    for cid in ("thm2.i", "thm2.i-ii", "thm2.iii", "thm2.iii-x", "rem6.i.small", "tab3.rate"):
        assert "monotone_queried" in {h.key for h in BY_ID[f"{cid}.corrected"].hypotheses}


def test_the_explicit_bound_stands_under_the_step_condition_of_part_ii():
    keys = {cid: {h.key for h in BY_ID[cid].hypotheses} for cid in BY_ID}
    assert {"gamma_sets_2s", "gamma_smooth_2s"} <= keys["thm2.iii-x"]
    assert {"gamma_sets_or_H=1", "gamma_smooth_2s"} <= keys["thm2.iii-x.corrected"]
    # part (iii) itself, Remark 6 and Table 3 print none
    for cid in ("thm2.iii", "rem6.i.rate", "rem6.i.small", "tab3.rate"):
        assert not {"gamma_sets_2s", "gamma_smooth_2s"} & keys[cid]


@pytest.mark.parametrize(("H", "gamma", "holds"), [(1, 1e3, True), (2, 1e3, False), (2, 1e-4, True)])
def test_the_condition_of_the_sets_is_waived_for_one_step_a_round(H, gamma, holds):
    relation = nt.CAP_SETS_OR_ONE.relation.subs({fz.H: H, fz.gamma: gamma, fz.B2: 1, nt.Th2: 4})
    assert bool(relation) is holds


def test_what_eps_k_is_and_what_is_not_printed():
    for cid in ("thm2.i-ii", "thm2.iii-b"):
        assert nt.EPS_ALL in BY_ID[cid].hypotheses and nt.EPS_ALL in BY_ID[f"{cid}.corrected"].hypotheses
    equal = {cid for cid in BY_ID if fz.EQUAL_ROUNDS in BY_ID[cid].hypotheses}
    assert equal == {"thm2.iv-a", "tab3.com"}
    assert all("equal length" in BY_ID[cid].note for cid in equal)
    assert "logarithm" in BY_ID["thm2.iii"].note and "logarithm" in BY_ID["thm2.iii.corrected"].note


SWITCHES = {
    **dict.fromkeys(("thm2.iv-a", "tab3.com"), ("round_lengths",)),
    **dict.fromkeys(("thm2.iv-b", "tab3.proj"), ("tau", "condition_number")),
    **dict.fromkeys(("thm2.i", "thm2.i-ii"), ("queries",)),
    "thm2.iii-x": ("statement", "queries"),
    "thm2.iii": ("stepsize_bound", "statement", "queries", "accuracies"),
    "rem6.i.rate": ("stepsize_bound", "queries", "accuracies"),
    "rem6.i.small": ("stepsize_bound", "queries"),
    "tab3.rate": ("stepsize_bound", "statement", "queries", "iterations"),
    **dict.fromkeys(("lem12.i", "lem12.iv", "lem12.v", "thm2.ii"), ("samples",)),
    "exp4.kappa": ("sizes", "nested"),
    "exp4.H.objective": ("start", "objective"),
    "exp4.tau": ("in_view_of",),
}


@pytest.mark.parametrize("cid", list(BY_ID))
def test_places_where_a_verdict_turns_on_a_reading(cid):
    assert tuple(s.name for s in BY_ID[cid].switches) == SWITCHES.get(cid, ())
    assert BY_ID[cid].note or not BY_ID[cid].switches


def test_what_is_not_printed_is_said():
    objective = BY_ID["exp4.H.objective"]
    assert not any("x_0" in h.text or "y_0" in h.text for h in objective.hypotheses)
    assert "not printed" in objective.note and "y_0 = 1/100" in objective.note
    assert all(f"exp4.H.{part}" in BY_ID["exp4.H"].note for part in ("printed", "objective"))
    assert "Encoded is the half about (FL_bl)" in BY_ID["rem5.dependence.corrected"].note
    for cid in ("lem12.i", "lem12.iv", "lem12.v", "thm2.ii"):
        assert fz.FRESH in BY_ID[cid].hypotheses and "iid over k only" in BY_ID[cid].note
    assert all("appears to be improving" in BY_ID[f"exp4.H{part}"].text for part in ("", ".printed", ".objective"))
    for cid in ("thm2.iii", "rem6.i.rate", "rem6.i.small"):
        for end in ("", ".corrected"):
            assert nt.MISSED in BY_ID[cid + end].hypotheses and "least number" in BY_ID[cid + end].note
    assert nt.K_FROM_M3 in BY_ID["tab3.com"].hypotheses and "caption" in BY_ID["tab3.com"].note
    assert all("kappa_F falls to 1" in BY_ID[cid].note for cid in ("thm2.iv-b", "tab3.proj"))


def test_condition_numbers_increase_strictly_and_no_follower_is_kept():
    claim = BY_ID["exp4.kappa"]
    assert claim.statement.rel_op == "<" and "nested" not in {h.key for h in claim.hypotheses}
    assert claim.statement.args == (ex.kappa_less, ex.kappa_game)


@pytest.mark.parametrize(("k", "steps"), [(0, 0), (1, 3), (2, 4), (9, 9)])
def test_the_number_of_steps_is_the_ceiling(k, steps):
    relation = nt.T_K.relation

    def holds(t):
        at = {nt.t_k: t, nt.tau: sp.Rational(7, 2), fz.k_it: k}
        return all(bool(r.subs(at)) for r in conjuncts(relation))

    assert holds(steps) and not holds(steps + 1)
    assert steps == 0 or not holds(steps - 1)


def test_marginal_profit_is_the_derivative_of_the_profit():
    profit = ex.own * (ex.price - ex.slope * (ex.leader + ex.own + ex.others)) - ex.cost * ex.own**2 / 2
    assert sp.expand(sp.diff(profit, ex.own) - ex.MARGINAL) == 0


def test_schedules_give_the_printed_numbers():
    by_id = {s.id: s for s in SCHEDULES}
    known = {k: v for k, v in GIVEN.items() if k not in ("gamma", "H", "alpha_2s", "t_2s")}
    lower = by_id["S-vi"].evaluate(known)
    assert lower["alpha_2s"] == pytest.approx(0.6 / 1.21) and lower["t_2s"] == math.ceil(3.5 * math.log(8))
    assert not by_id["S-vi"].violations(known)
    assert by_id["S-vi"].violations(known | {"tau_2s": 2.0})
    com = by_id["S-2s.iii"].evaluate(known)
    assert com["gamma"] == pytest.approx((5 / 40) ** 0.5) and com["H"] == 1
    assert by_id["S-2s.iii"].evaluate(known | {"K_it": 125 * 16})["H"] == 2
    cap = by_id["S-2s.ii"].evaluate(known | {"H": 4, "Theta2_2s": thetas()[1]})["gamma"]
    assert cap == pytest.approx(min(1 / (12 * math.sqrt(6 * thetas()[1]) * 4 * 1.3), 0.7 / (16 * 6.1)))
    assert by_id["S-lem13"].evaluate({"H": 4})["gamma"] == pytest.approx(1 / (4 * math.sqrt(24)))
