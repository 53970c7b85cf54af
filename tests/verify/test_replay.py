"""Stored counterexamples: each is replayed exactly, wrong ones are rejected, and the exact engine is checked."""

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest
import sympy as sp
from flint import arb, fmpq

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.papers.strfedavg.notation import G_SCALE
from rateproof.theory.symbols import C_O, K, L_f, L_h, R, declare, eta, p
from rateproof.verify import cli, registry
from rateproof.verify.checks import Result
from rateproof.verify.counterexamples import replay
from rateproof.verify.counterexamples.inside import _moving, inside, worst_first
from rateproof.verify.counterexamples.replay import (
    Counterexample,
    Values,
    agrees,
    compare,
    power,
    precisely,
    rational,
    root,
    show,
)
from rateproof.verify.evidence import Verdict
from rateproof.verify.papers.strfedavg import counterexamples as exact
from rateproof.verify.papers.strfedavg.instances import TWO, Setting, measure
from rateproof.verify.stored import baseline

STORED = replay.stored("strfedavg")
REASONS = replay.without("strfedavg")


def le(left, right):
    return sp.Le(left, right, evaluate=False)


def fraction(x) -> Fraction:
    return Fraction(int(x.p), int(x.q))


# --- the records


@pytest.mark.parametrize("claim_id", STORED)
def test_every_stored_counterexample_refutes_its_claim(claim_id):
    example = replay.counterexample_to(catalog.get(claim_id))
    assert example == STORED[claim_id]
    found = example.replayed()
    if not isinstance(found, tuple):
        assert set(found.hypotheses) == {h.key for h in catalog.get(claim_id).hypotheses}
        assert found.left > found.right or found.relation.rel_op in (">=", "==")
        if found.relation.rel_op == ">=":
            assert found.left < found.right


def refuted() -> list[Result]:
    return [e.result for e in baseline.read("strfedavg").values() if e.result.verdict is Verdict.REFUTED]


def test_every_refuted_claim_has_a_counterexample_or_a_reason_why_not():
    claims = catalog.claims("strfedavg")
    for result in refuted():
        parts = [i for i in claims if i.rpartition(".")[0] == result.claim]
        assert {result.claim, *parts} & (STORED.keys() | REASONS.keys()), result.claim
    assert not STORED.keys() & REASONS.keys()


def test_counterexamples_are_to_claims_that_the_checks_refute():
    for claim_id, entry in baseline.read("strfedavg").items():
        if claim_id in STORED.keys() | REASONS.keys():
            # what degenerate instances violate is vacuous where the hypotheses leave no others
            assert entry.result.verdict in (Verdict.REFUTED, Verdict.VACUOUS), claim_id
    assert STORED.keys() | REASONS.keys() <= catalog.claims("strfedavg").keys()


def test_records_use_numbers_that_a_reader_can_copy():
    def numbers(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from () if key in ("says", "counts", "facts") else numbers(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from numbers(inner)
        else:
            yield value

    for example in STORED.values():
        assert len(example.by_hand) < 500 and example.by_hand.endswith("."), example.claim
        for number in numbers(example.data):
            assert len(str(number)) <= 12 and rational(number) is not None, (example.claim, number)


# --- planted errors


def changed(claim_id: str, **changes) -> Counterexample:
    """A record with some of its data changed; ``values`` are merged."""
    example = STORED[claim_id]
    data = copy.deepcopy(dict(example.data))
    data["values"] = {**data.get("values", {}), **changes.pop("values", {})}
    said = {k: changes.pop(k) for k in ("left", "right", "ratios") if k in changes}
    return replace(example, data={**data, **changes}, **said)


FLAT_F = {"says": "", "clients": [{"times": 2, "h": [[1, 1], [0, 0]], "f": [[2, 0], [2, 0]]}]}
OTHER = {"says": "", "clients": [{"times": 2, "h": [[1, 0], [0, 0]], "f": [[1, 0], [1, 0]]}]}


@pytest.mark.sweep(20)
@pytest.mark.parametrize(
    ("item", "changes", "why"),
    [
        ("lem2", {"values": {"eta": 1}}, "is not violated"),
        ("lem5", {"values": {"gamma_l": "1/320"}}, "is not violated"),
        ("lem5", {"values": {"gamma_l": "1/319"}}, "hypothesis SC16 does not hold: it says 1/319 <= 1/320"),
        ("lem5", {"values": {"S": 8}}, "is not violated"),
        ("lem5", {"values": {"S": 9}}, "hypothesis S<=N does not hold"),
        ("lem6", {"values": {"gamma_l": "1/215"}}, "hypothesis SC27 does not hold"),
        ("prop1", {"x0": [0, 0]}, "is not violated"),
        ("prop1", {"values": {"gamma_l": "1/215"}}, "hypothesis SC27 does not hold"),
        ("prop3.i-1", {"values": {"M": 1}}, "is not violated"),
        ("prop3.i-1", {"values": {"M": 0}}, "hypothesis M does not hold"),
        ("prop3.i-1", {"values": {"R": 1}}, r"hypothesis .* does not hold|needs"),
        ("prop3.i-3", {"values": {"gamma_g": "1/2"}}, "hypothesis gamma_g>=1 does not hold"),
        ("prop3.iii-1", {"instance": OTHER, "values": {"gamma_l": "1/1000", "R": 400}}, "hypothesis kappa=1"),
        ("prop4", {"x0": [0, 0]}, "is not violated"),
        ("thm1.i-1x", {"values": {"R": 300}}, "hypothesis R_threshold does not hold"),
        ("thm1.i-1x", {"values": {"b": 2}}, "hypothesis 0<b<1 does not hold"),
        ("thm2.i-2x", {"values": {"M": "1/1000"}}, "is not violated"),
        ("thm1.i-1", {"values": {"epsilon": "1/2"}}, "reach the accuracy"),
        ("thm1.iii-1", {"values": {"eta": 1}}, "reach the accuracy"),
        ("thm1.i-1", {"rungs": [{"values": {"R": "1e4"}}, {"values": {"R": 20000}}]}, "do not grow"),
        ("thm1.i-1", {"rungs": [{"values": {"R": 500}}, {"values": {"R": "1e6"}}]}, "R_threshold does not hold"),
        ("step.4.factor", {"values": {"gap_w": "3.0000001"}}, "hypothesis unrolled does not hold"),
        ("step.4.factor", {"values": {"gap_w": 1}}, "is not violated"),
        ("step.2.equality", {"values": {"b": "1/3", "a": "2/3"}}, "is not violated|cannot be decided"),
        ("step.2.inequality", {"values": {"p": 1}}, "is not violated"),
        ("id.huber", {"values": {"env_l1": "1/8", "grad_env_l1": "1/2"}}, "is not violated"),
        ("id.ws-dist.eq13", {"values": {"alpha": 8}}, "the instance or the schedule determines alpha"),
        ("id.ws-dist.eq13", {"x": [0, 0]}, "is not violated"),
        ("prop1", {"values": {"gap_eta": 9}}, "determines gap_eta"),
        ("prop1", {"values": {"K": "3/2"}}, "K is 3/2; it should be a whole number"),
        ("thm1.i-1x", {"values": {"eta": 1}}, "the instance or the schedule determines eta"),
        ("step.14", {"values": {"gamma_l": "1e-12"}}, "is not violated"),
        ("lem3", {"instance": OTHER}, "is not violated"),
        ("lem3", {"instance": FLAT_F}, "nothing says that hypothesis projection holds"),
        ("prop7.i", {"values": {"gamma_l": "1/100001"}}, r"hypothesis gamma_t=R_t\^-a does not hold"),
        ("prop7.i", {"values": {"R": 10000, "gamma_l": "1/10000"}}, "does not hold: it says 10000 >= 11520"),
        ("prop7.i", {"values": {"grad_f_proj": 10}}, "is not violated"),
        ("prop7.ii", {"values": {"eta_g": 1, "R": "1e5"}}, "hypothesis|not violated|states"),
        ("thm3.i-2", {"values": {"M_g": "1/100"}}, "hypothesis M_g_n does not hold"),
        ("thm3.i-2", {"facts": {}}, "nothing says that hypothesis outer_smooth holds"),
        ("thm3.i-2", {"facts": {"projection": "so it is"}}, "the instance or the schedule determines projection"),
        ("step.10.descent", {"values": {"gamma": "1/11"}}, "does not hold"),
        ("step.11.s2", {"values": {"T": 1}}, "is not violated"),
        ("step.11.s4", {"values": {"T": 94}}, "is not violated"),
        ("step.15.i-display", {"values": {"E_err2": 489}}, "hypothesis prop3.ii-3 does not hold: it says 489 <= 488"),
        ("step.15.i-schedule", {"values": {"E_err2": "1/2"}}, "is not violated"),
        ("step.15.ii-schedule", {"values": {"E_err2": 11}}, "hypothesis step.15.ii-display does not hold"),
        ("lem2", {"left": "2"}, "states left 2, computed is 100"),
        ("prop1", {"right": "1/4501"}, "states right 1/4501"),
        ("thm1.i-1x", {"left": "0.4562"}, "states left 0.4562, computed is 0.456103"),
        ("thm1.i-2", {"ratios": ("24.55", "2.4548e5")}, "states 2 ratios of 3"),
        ("thm1.i-2", {"ratios": ("24.56", "2.4548e5", "2.4548e9")}, "states ratio 24.56"),
    ],
)
def test_a_wrong_counterexample_is_rejected(item, changes, why):
    with pytest.raises(ValueError, match=why):
        changed(f"strfedavg.{item}", **changes).replayed()


def test_a_true_claim_is_not_refuted_by_the_record_of_a_false_one():
    lem1 = STORED["strfedavg.lem1"]
    with pytest.raises(ValueError, match=r"is not violated: .*1 <= 1"):  # attained, exactly
        lem1.replayed(lem1.claim.read(G_SCALE))
    for item in ("lem2", "step.8.constant", "id.ws-dist.eq13", "step.2.inequality", "step.9.curvature"):
        claim = catalog.claims("strfedavg").get(f"strfedavg.{item}.corrected")
        if claim is not None:
            with pytest.raises(ValueError, match=r"is not violated|does not hold|nothing says"):
                STORED[f"strfedavg.{item}"].replayed(claim)


def test_an_unknown_structural_hypothesis_is_not_taken_for_granted():
    claim = catalog.get("strfedavg.lem2")
    more = replace(claim, hypotheses=(*claim.hypotheses, Hypothesis("bounded", "the iterates are bounded")))
    with pytest.raises(ValueError, match="nothing says that hypothesis bounded holds"):
        STORED[claim.id].replayed(more)
    flat = {"says": "", "clients": [{"times": 2, "h": [[1, 0], [0, 0]], "f": [[0, 0], [1, 0]]}]}
    with pytest.raises(ValueError, match="f_strongly_convex"):
        changed("strfedavg.prop1", instance=flat, values={"gamma_l": "1/1000"}).replayed()


# --- the exact engine


CLIENTS = {
    "clients": [
        {"times": 1, "h": [[1, 1], [0, 0]], "f": [["1/2", 0], [1, 2]]},
        {"times": 2, "h": [["1/3", -1], [0, 0]], "f": [[1, 1], ["1/2", -1]]},
    ]
}
PROP1 = catalog.get("strfedavg.prop1")
METHOD = {"K": 2, "S": 2, "gamma_g": "3/2", "gamma_l": "1/10", "eta": "1/2"}


def brute_force(rounds: int) -> dict[str, Fraction]:
    """Expectations over all sequences of client subsets, by the loop of Algorithm 1 in fractions."""
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    one = ((Fraction(1), 1), (Fraction(0), 0)), ((half, 0), (Fraction(1), 2))
    two = ((Fraction(1, 3), -1), (Fraction(0), 0)), ((Fraction(1), 1), (half, -1))
    clients = [one, two, two]
    mu_f = half
    theta = 1 / (1 - half * mu_f * tenth * Fraction(3, 2) * 2 / 2)

    def slope(client, y):
        h, f = client
        return [p * (v - c) + half * q * (v - d) for v, (p, c), (q, d) in zip(y, h, f, strict=True)]

    def losses(level, x):
        return sum(p * (v - c) ** 2 / 2 for client in clients for v, (p, c) in zip(x, client[level], strict=True)) / 3

    subsets = list(combinations(range(3), 2))
    x_star = [Fraction(1, 5), half]
    means = dict.fromkeys(("gap_h", "gap_f", "gap_h_n", "E_sq", "last_1", "last_1^2"), Fraction(0))
    for path in product(subsets, repeat=rounds):
        x, weighted, total = [Fraction(2), Fraction(-3)], [Fraction(0)] * 2, Fraction(0)
        for r, subset in enumerate(path, start=1):
            weighted = [s + theta**r * v for s, v in zip(weighted, x, strict=True)]
            total += theta**r
            ends = []
            for i in subset:
                y = list(x)
                for _ in range(2):
                    y = [v - tenth * g for v, g in zip(y, slope(clients[i], y), strict=True)]
                ends.append(y)
            x = [v + Fraction(3, 2) * (sum(e[j] for e in ends) / 2 - v) for j, v in enumerate(x)]
        printed = [s / (total - theta**rounds) for s in weighted]
        normalised = [s / total for s in weighted]
        here = {
            "gap_h": losses(0, printed) - losses(0, x_star),
            "gap_f": losses(1, printed) - losses(1, x_star),
            "gap_h_n": losses(0, normalised) - losses(0, x_star),
            "E_sq": sum((v - s) ** 2 for v, s in zip(printed, x_star, strict=True)),
            "last_1": x[0],
            "last_1^2": x[0] ** 2,
        }
        means = {k: v + here[k] / len(subsets) ** rounds for k, v in means.items()}
    return means


# argmin of h is (1 - 2/3)/(1 + 2/3) = 1/5; f is centred at (2 - 1)/(1 + 1) = 1/2 in the second coordinate
def brute_problem() -> exact.Problem:
    return exact.Problem(exact.read(CLIENTS))


def method_values(problem: exact.Problem, **more) -> Values:
    given = {k: rational(v) for k, v in {**METHOD, **more}.items()}
    return Values(problem.constants() | given, PROP1.where)


def test_solutions_of_the_exact_problem():
    problem = brute_problem()
    assert problem.x_star == (fmpq(1, 5), fmpq(1, 2))
    assert problem.f.centre == (fmpq(4, 5), fmpq(1, 2))


@pytest.mark.parametrize("rounds", [2, 3])
def test_moments_are_those_of_all_client_subsets(rounds):
    problem = brute_problem()
    values = method_values(problem, R=rounds)
    start = (rational(2), rational(-3))
    with precisely():
        found = exact.run(problem, start, values)
        last = exact.along(problem, start, values, rounds)[0]
    expected = brute_force(rounds)
    assert fraction(last.x) == expected["last_1"] and fraction(last.xx) == expected["last_1^2"]
    for name in ("gap_h", "gap_f", "gap_h_n", "E_sq"):
        assert fraction(found[name]) == expected[name], name


def test_balls_contain_the_exact_moments(monkeypatch):
    problem, start = brute_problem(), (rational(2), rational(-3))
    with precisely():
        rational_numbers = exact.run(problem, start, method_values(problem, R=40))
        monkeypatch.setattr(exact, "EXACT_ROUNDS", 0)
        balls = exact.run(problem, start, method_values(problem, R=40))
        for name in ("gap_h", "gap_f", "E_sq", "Theta_R", "Dlast2"):
            assert isinstance(balls[name], arb) and isinstance(rational_numbers[name], fmpq)
            assert abs(balls[name] - rational_numbers[name]) < arb("1e-100"), name


@pytest.mark.parametrize(("S", "K"), [(2, 3), (1, 2)])
def test_exact_metrics_agree_with_the_float_engine(S, K):
    setting = Setting(params=TWO, start=(2.0, -3.0), R=40.0, K=K, S=S, eta=0.25, gamma_g=4.0)
    floats = measure(setting).values
    instance = {
        "clients": [
            {"times": 1, "h": [[1, -1], [0, 0]], "f": [[1, 1], [1, -1]]},
            {"times": 1, "h": [[1, 1], [0, 0]], "f": [[1, 1], [1, 1]]},
        ]
    }
    given = {"K": K, "S": S, "R": 40, "gamma_g": 4, "eta": "1/4", "gamma_l": str(Fraction(floats["gamma_l"]))}
    found, facts = exact.measured(PROP1, {"instance": instance, "x0": [2, -3], "values": given})
    names = found.keys() & floats.keys()
    assert {"gap_h", "gap_f", "gap_eta", "gap_eta_n", "E_sq", "Dlast2", "drift_sum", "drift_sum_prev"} <= names
    assert {"L_f", "L_h", "mu_f", "f_star", "h_star", "inf_f", "mean_inf_f", "alpha", "D_next2", "Theta_R"} <= names
    assert ("E_dist" in found) is (S == 2)
    for name in names - {"gamma_l"}:
        assert float(arb(found[name])) == pytest.approx(floats[name], rel=1e-9, abs=1e-11), name
    assert facts.keys() >= {"f_strongly_convex", "h_convex", "weak_sharp", "variance_bounded"}


def test_a_negative_or_missing_curvature_is_no_instance():
    flat = exact.Problem(exact.read({"clients": [{"times": 1, "h": [[0, 0]], "f": [[0, 0]]}]}))
    with pytest.raises(ValueError, match="no unique minimiser"):
        flat.x_eta(rational(1))
    with pytest.raises(ValueError, match="at least 0"):
        exact.read({"clients": [{"times": 1, "h": [[-1, 0]], "f": [[1, 0]]}]})


# --- numbers and expressions


def number(expr, **given):
    with precisely():
        return Values({k: rational(v) for k, v in given.items()}, {})(sp.sympify(expr))


def test_rational_numbers_are_read_from_integers_and_texts_only():
    assert [rational(t) for t in (3, "1/3", "0.25", "1e3")] == [fmpq(3), fmpq(1, 3), fmpq(1, 4), fmpq(1000)]
    for wrong in (0.1, True, None, "x"):
        with pytest.raises(ValueError, match=r"exact number|Invalid literal"):
            rational(wrong)


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        ("4/9", "1/2", fmpq(2, 3)),
        ("4/9", "-3/2", fmpq(27, 8)),
        (8, "2/3", fmpq(4)),
        (0, "1/2", fmpq(0)),
        (0, 0, fmpq(1)),
    ],
)
def test_powers_stay_rational_where_they_are(base, exponent, expected):
    found = power(rational(base), rational(exponent))
    assert isinstance(found, fmpq) and found == expected


def test_other_powers_are_balls_and_zero_has_no_inverse():
    with precisely():
        assert compare(root(rational(2), 2) ** 2, rational("1.9999999999999999999"), ">")
        assert isinstance(power(rational(3), rational("1e9")), arb)
        assert math.isnan(float(power(rational(-2), rational("1/2"))))
    with pytest.raises(ValueError, match="division by zero"):
        power(rational(0), rational(-1))


x, y = sp.symbols("x y", real=True)
EXPRESSIONS = [
    sp.exp(-x) + sp.log(x + 2),
    sp.E * x,
    sp.Max(x, y, 1, evaluate=False) - sp.Min(x, y, 1, evaluate=False),
    sp.Abs(x - 5) / (y + x**2),
    sp.Piecewise((x**2, sp.Abs(x) <= y), (x - y / 2, True)),
    sp.sqrt(x) * y ** sp.Rational(3, 7),
    sp.Sum(x ** sp.Symbol("k", integer=True), (sp.Symbol("k", integer=True), 1, 5)),
]


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=str)
@pytest.mark.parametrize(("at_x", "at_y"), [("3/4", 2), (7, "1/3")])
def test_expressions_agree_with_high_precision_evaluation(expr, at_x, at_y):
    found = number(expr, x=at_x, y=at_y)
    expected = sp.N(expr.doit().subs({x: sp.Rational(at_x), y: sp.Rational(at_y)}), 60)
    with precisely():
        assert abs(arb(found) - arb(str(expected))) < arb("1e-50") * (1 + abs(arb(str(expected))))


def test_definitions_are_used_unless_a_number_is_given():
    a, b = sp.symbols("a b", real=True)
    where = {a: b + 1, b: sp.Integer(2)}
    assert Values({}, where)(a * b) == 6
    assert Values({"a": rational(5)}, where)(a * b) == 10
    total = sp.Sum(a ** sp.Symbol("k"), (sp.Symbol("k"), 1, b))
    assert Values({}, where)(total) == 12


def test_geometric_sums_need_no_loop():
    k = sp.Symbol("k", integer=True)
    assert number(sp.Sum(x**k, (k, 1, y)), x="3/2", y=7) == sum(fmpq(3, 2) ** i for i in range(1, 8))
    assert number(sp.Sum(x**k, (k, 1, y)), x=1, y="1e30") == 10**30
    with precisely():
        far = number(sp.Sum(x**k, (k, 1, y)), x="999999/1000000", y="1e9")
        assert abs(far - 999999) < arb("1e-100")


def test_a_hypothesis_may_define_a_symbol_or_the_unknown_factor_of_a_product():
    z, u, v = sp.symbols("z u v", positive=True)
    product = declare("product", "u v", paper="t", defined=True)
    fixes = Hypothesis("fixes", "z = ln x", sp.Eq(z, sp.log(x), evaluate=False))
    rule = Hypothesis("rule", "u v = x", sp.Eq(product, x, evaluate=False))
    defined = claim(le(z, 0), fixes, rule, where={product: u * v})
    values = Values({"x": fmpq(2), "v": fmpq(4)}, defined.where)
    with precisely():
        assert values.define(defined) == {"fixes", "rule"}
        assert values(u) == fmpq(1, 2) and compare(values(z), fmpq(69, 100), ">")
        assert set(replay.replay(defined, {"x": fmpq(2), "v": fmpq(4)}, {}).hypotheses) == {"fixes", "rule"}
    # a symbol that has a number is compared, not defined
    with pytest.raises(ValueError, match="hypothesis rule does not hold: it says 8 == 2"):
        replay.replay(defined, {"x": fmpq(2), "v": fmpq(4), "u": fmpq(2)}, {})


def test_what_cannot_be_evaluated_is_named():
    with pytest.raises(ValueError, match=r"sin cannot be evaluated exactly: sin\(x\)"):
        number(sp.sin(x), x=1)
    with pytest.raises(KeyError, match="y"):
        number(x + y, x=1)
    with pytest.raises(ValueError, match="not looped over"):
        number(sp.Sum(y, (y, 1, x)), x="1e9")


def test_comparisons_of_balls_are_certain_or_refused():
    two = root(rational(2), 2)
    assert compare(two, rational("1.41"), ">=") and not compare(two, rational("1.41"), "<")
    assert compare(rational("1/3"), rational("1/3"), "<=") and compare(rational(1), rational(2), "!=")
    with pytest.raises(ValueError, match="cannot be decided"):
        compare(two * two, rational(2), "<=")


@pytest.mark.parametrize(
    ("stated", "value", "same"),
    [
        ("1/3", "1/3", True),
        ("1/3", "0.3333", False),
        ("3", 3, True),
        ("0.333", "1/3", True),
        ("0.334", "1/3", False),
        ("2.45e5", 245478, True),
        ("2.45e5", 247000, False),
        ("-1.5", "-3/2", True),
    ],
)
def test_stated_numbers(stated, value, same):
    assert agrees(stated, rational(value)) is same
    with precisely():
        assert agrees(stated, arb(rational(value))) is same


def test_numbers_are_shown_short():
    assert [show(rational(v)) for v in ("1/3", "123456789/1234567891")] == ["1/3", "0.100000"]


# --- claims


def claim(statement, *hypotheses, where=None):
    return Claim("t.c", Source("t", "x"), Kind.BOUND, "t", statement, hypotheses=hypotheses, where=where or {})


AT = {"K": fmpq(2), "R": fmpq(3), "L_h": fmpq(1), "p": fmpq(2)}


def test_the_first_violated_conjunct_is_returned_and_undefined_ones_are_passed_over():
    both = sp.And(le(L_f, 0), le(K, R), le(K, L_h), evaluate=False)
    found = replay.replay(claim(both), AT, {})
    assert (found.relation, found.left, found.right) == (le(K, L_h), 2, 1)
    with pytest.raises(ValueError, match=r"t\.c is not violated: .*2 <= 3"):
        replay.replay(claim(le(K, R)), AT, {})


def test_a_hypothesis_at_equality_holds_and_one_beyond_it_does_not():
    equal = Hypothesis("h", "p <= K", le(p, K))
    assert replay.replay(claim(le(K, L_h), equal), AT, {}).hypotheses == {"h": "p <= K"}
    with pytest.raises(ValueError, match=r"hypothesis h does not hold: it says 2\.00000 <= 2"):
        replay.replay(claim(le(K, L_h), equal), {**AT, "p": fmpq(2) + fmpq(1, 10**30)}, {})
    with pytest.raises(ValueError, match="hypothesis h needs 'eta'"):
        replay.replay(claim(le(K, L_h), Hypothesis("h", "", le(eta, 1))), AT, {})


def test_a_ladder_has_to_grow():
    big_o = claim(le(R, C_O * K))
    rungs = [({"R": fmpq(10**k), "K": fmpq(2)}, {}) for k in (2, 4, 6)]
    assert replay.climb(big_o, rungs) == (50, 5000, 500000)
    with pytest.raises(ValueError, match="do not grow"):
        replay.climb(big_o, [({**given, "K": given["R"]}, {}) for given, _ in rungs])
    with pytest.raises(ValueError, match="nothing says that hypothesis convex holds"):
        replay.climb(replace(big_o, hypotheses=(Hypothesis("convex", "f is convex"),)), rungs)


# --- the file


RECORD = '[[counterexample]]\nclaim = "good"\nby_hand = "1 > 0"\nleft = "1"\nright = "0"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[counterexample]\n", "damaged"),
        ('[[counterexample]]\nclaim = "good"\n', "lacks by_hand"),
        (RECORD.replace('right = "0"\n', ""), "needs left and right"),
        (RECORD + 'instance = "nowhere"\n', "unknown instance 'nowhere'"),
        (RECORD + RECORD, "two counterexamples"),
        (RECORD.replace('"1 > 0"', "1"), "good: by_hand should be a text, got 1"),
        (RECORD.replace('left = "1"', "left = 1"), "left should be a text"),
        (RECORD.replace("[[counterexample]]", "[counterexample]"), "counterexample should be an array"),
        (RECORD.replace("[[counterexample]]", "[[counterexamples]]"), "'counterexamples' is not known"),
        (RECORD.replace('"good"', '"god"'), "fake.god, which is no claim"),
        (RECORD + "values = 3\n", "values should be a table"),
        ("counterexample = [3]\n", "a counterexample should be a table"),
        (RECORD.replace('left = "1"\nright = "0"', "ratios = [1]"), "0 should be a text"),
        (RECORD + "rungs = [1]\n", "rung 1 should be a table"),
        (RECORD + "[without]\nbad = 1\n", "without: bad should be a text"),
        (RECORD + "[instance.one]\nclients = []\n", "instance 'one' lacks says"),
    ],
)
def test_a_damaged_file_names_what_is_wrong(fake, text, why, capsys):
    fake.baseline.with_name("counterexamples.toml").write_text(text)
    with pytest.raises(ValueError, match=why):
        replay.stored("fake")
    assert cli.execute(["show", "fake.good"]) == 2  # said first, in one line, and nothing else
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1


def test_a_file_that_is_no_text_is_named(fake):
    path = fake.baseline.with_name("counterexamples.toml")
    path.write_bytes(RECORD.encode() + b"\xff")
    with pytest.raises(ValueError, match=r"counterexamples\.toml is damaged"):
        replay.stored("fake")


def test_show_has_what_the_check_found_where_a_refuted_claim_has_no_record(fake, capsys):
    assert cli.execute(["check", "--jobs", "1", "--update"]) in (0, 1)
    capsys.readouterr()
    assert cli.execute(["show", "fake.bad"]) == 0
    assert "\nexample    left 2.0, right 1.0" in capsys.readouterr().out
    assert cli.execute(["show", "fake.bad", "--full"]) == 0
    assert "no counterexample in round numbers is stored\n" in capsys.readouterr().out


def test_show_prints_the_arithmetic(fake, capsys):
    fake.baseline.with_name("counterexamples.toml").write_text(
        '[instance.one]\nsays = "one client"\n[without]\nbad = "too large"\n'
        + RECORD.replace("good", "joint.b")
        + 'instance = "one"\nx0 = [1, "1/2"]\nvalues = { K = 2 }\n'
        + RECORD.replace("good", "top").replace('left = "1"\nright = "0"', 'ratios = ["1", "20"]')
        + "rungs = [{ values = { R = 10 } }, { values = { R = 20 } }]\n"
    )
    shown = {}
    for name in ("joint.b", "joint", "top", "bad", "good"):
        assert cli.execute(["show", f"fake.{name}"]) == 0
        shown[name] = capsys.readouterr().out
    lead = " " * 11
    words = f"{lead}K: local steps per communication round\n"
    lines = f"\n{lead}one client; x⁰ = (1, 1/2); K = 2\n{lead}1 > 0\n{words}\n"
    assert f"\nexample    left 1, right 0{lines}" in shown["joint.b"]
    assert f"\nexample    left 1, right 0 (to fake.joint.b){lines}" in shown["joint"]
    assert "rung 1: R = 10; rung 2: R = 20\n" in shown["top"] and "with the hidden constant 1: 1, 20" in shown["top"]
    assert "example" not in shown["good"] + shown["bad"]
    assert cli.execute(["show", "fake.bad", "--full"]) == 0
    assert "no counterexample in round numbers: too large\n" in capsys.readouterr().out


# --- how far inside


def test_how_far_inside_is_measured():
    found = inside(catalog.get("strfedavg.prop6.i-1"))
    assert found.ratios == (2.5,) and found.used == pytest.approx({"SC16": 0.8, "M": 0.0}) and found.nearest == "SC16"
    assert (found.least, found.largest, found.count) == (0.0025, 1.0, 2)
    assert found.edges == () and found.decades == pytest.approx(math.log10(400))
    assert "nearest edge SC16 (0.8 of it used)" in str(found)
    assert inside(catalog.get("strfedavg.prop6.i-1.corrected")) is None


def test_a_step_beyond_a_condition_of_what_rests_on_the_claim_is_named(monkeypatch):
    claim = catalog.get("mefbo.lemD.6")
    own = registry.record(claim)
    assert inside(claim).edges == ()
    steps = {"gamma": "1/4", "lambda_theta": 10, "lambda_y": "1/1000000", "delta": "1/10000"}
    params = {**own.refuted_by.params, "eta_theta": Fraction(1, 1000), "eta_y": Fraction(1, 1000)}
    far = replace(own.refuted_by, params={**params, **own.refuted_by.family.read(steps)}, left="25.025", right="25.013")
    monkeypatch.setattr(registry, "record", lambda claim: replace(own, refuted_by=far))
    found = inside(claim)
    assert "beyond (79) of lemD.8 (10 <= 3/136)" in found.edges and found.largest == 10
    assert "It misses a condition of mefbo.lemD.8: " in found.told({}) and "(10 <= 3/136 is false)." in found.told({})
    assert worst_first([claim]) == [found]


def test_what_moves_along_a_ladder_is_named():
    found = inside(catalog.get("strfedavg.thm2.ii"))
    assert found.moving == ("x0[0]", "instance clients[0] f[0][1]")
    assert found.edges == ("x0[0], instance clients[0] f[0][1] move along the ladder",)
    claim = catalog.get("strfedavg.thm1.i-1")
    assert inside(claim).edges == ()
    sets = [{"sets": f"Y is from 0 to 1/{16**k}", "rounds": f"{16**k} rounds"} for k in range(3)]
    assert list(_moving(claim, [{}, {}, {}], sets)) == ["sets"]


def test_a_ladder_that_never_exceeds_the_constant_one_is_told():
    found = inside(catalog.get("strfedavg.thm1.i-1"))
    assert replace(found, ratios=(1e-8, 1e-6, 1e-4)).edges == ("the constant 1 is never exceeded",)


def test_list_tells_how_far_inside(capsys):
    assert cli.execute(["list", "strfedavg.prop6.i-1", "strfedavg.thm2.ii", "--inside", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["claim"] for one in found] == ["strfedavg.thm2.ii", "strfedavg.prop6.i-1"]
    assert found[1]["used"]["SC16"] == pytest.approx(0.8) and found[1]["edges"] == []
    assert cli.execute(["list", "strfedavg.prop6.i-1", "strfedavg.thm2.ii", "--inside"]) == 0
    assert "x0[0]" in (told := capsys.readouterr().out) and "2 stored counterexamples" in told
