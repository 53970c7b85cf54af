"""The form: exact numbers, parts that know their facts, families, records, and laws that see a wrong record."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
import sympy as sp
from numpy import zeros

from rateproof.algos.problems.base import Fact
from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.papers.textbook.young import YOUNG
from rateproof.theory.symbols import C_O, K, L_h, gamma_l
from rateproof.theory.symbols import R as ROUNDS
from rateproof.verify.checks import Budget
from rateproof.verify.counterexamples import replay
from rateproof.verify.counterexamples.replay import precisely
from rateproof.verify.deciders.certificates import proved
from rateproof.verify.evidence import Level, Verdict, verdict
from rateproof.verify.falsify import falsify
from rateproof.verify.form import at_bound, choice, climb, counts, example, family, growing, parts, reals, record
from rateproof.verify.form.arithmetic import Exact, around, geometric, largest, least, log, root, sqrt
from rateproof.verify.form.family import bound_on
from rateproof.verify.form.laws import LAWS
from rateproof.verify.form.program import program
from rateproof.verify.papers.textbook import RECORDS
from rateproof.verify.papers.textbook.young import two_vectors
from rateproof.verify.trial import Trial, evaluate


def le(left, right):
    return sp.Le(left, right, evaluate=False)


# --- numbers


@pytest.fixture
def bits():
    with precisely():
        yield


@pytest.mark.usefixtures("bits")
def test_rational_numbers_stay_rational_and_roots_become_balls():
    third = Exact(Fraction(1, 3))
    assert str((third + 1) * 3 / 2 - third**2) == "17/9" and float(sqrt(third * 12)) == 2.0
    assert float(sqrt(Exact(2))) == math.sqrt(2) and float(log(Exact(3))) == math.log(3)
    assert list(range(Exact(3))) == [0, 1, 2] and (Exact(7) // 2, 7 % Exact(4), str(2 ** Exact(3))) == (3, 3, "8")


@pytest.mark.usefixtures("bits")
def test_what_a_ball_cannot_decide_is_an_error_and_floats_are_refused():
    root = sqrt(Exact(2))
    with pytest.raises(ValueError, match="cannot be decided"):
        bool(root * root > 2)
    with pytest.raises(TypeError, match="carries rounding"):
        root * 0.1
    with pytest.raises(ZeroDivisionError):
        1 / (root * root - 2)
    with pytest.raises(TypeError, match="no integer"):
        range(Exact(Fraction(1, 2)))


@pytest.mark.usefixtures("bits")
def test_a_number_too_small_for_a_float_keeps_its_sign():
    tiny = Exact(Fraction(1, 2)) ** 5000
    assert float(tiny) == math.ulp(0) and float(-tiny) == -math.ulp(0) and float(tiny * 0) == 0


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize("number", [float, lambda x: Exact(Fraction(x))])
def test_functions_take_floats_and_exact_numbers(number):
    assert float(least(number(2), number(3))) == 2 and float(largest(number(2), number(3))) == 3
    assert float(geometric(number(3), 4)) == 40 and float(geometric(number(1), 4)) == 4


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize(("start", "where"), [(Fraction(1, 3), "4/15"), (7, "53/8"), (0, "0")])
def test_a_root_is_rational_where_the_function_is_affine(start, where):
    h, four = parts.rounded(Exact(1), Exact(1)), Exact(4)
    assert str(root(lambda x: h.slope(x) + four * (x - start), Exact(start), four)) == where


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize("h", [parts.rounded(1, 1), parts.wave(1), parts.hyperbola(1), parts.logistic(1)])
def test_a_root_elsewhere_lies_in_a_narrow_ball(h):
    def slope(x):
        return h.slope(x) + 4 * (x - Fraction(8, 5))

    found = root(slope, Exact(Fraction(8, 5)), Exact(3)).x
    width = Exact(Fraction(1, 10**100))
    low, high = Exact(found.mid().fmpq()) - width, Exact(found.mid().fmpq()) + width
    assert float(found.rad()) < 1e-200 and slope(low) < 0 < slope(high)
    assert root(lambda x: h.slope(x) + 4 * (x - 1.6), 1.6, 3.0) == pytest.approx(float(found.mid()), abs=1e-14)


@pytest.mark.usefixtures("bits")
def test_a_root_needs_a_positive_modulus():
    with pytest.raises(ValueError, match="modulus is 0"):
        root(lambda x: x, Exact(1), Exact(0))


@pytest.mark.usefixtures("bits")
def test_balls_around_zero_have_powers_and_roots():
    two = sqrt(Exact(2))
    nothing = two * two - 2
    assert abs((nothing**2).x) < 1e-200 and abs((nothing**3).x) < 1e-200 and abs(sqrt(nothing).x) < 1e-100


@pytest.mark.usefixtures("bits")
def test_a_ball_with_room_holds_what_an_equation_fixes():
    fixed = claim(le(K, 1), sp.Eq(gamma_l, sp.sqrt(2) + sp.sqrt(3), evaluate=False))
    roots = sqrt(Exact(2)) + sqrt(Exact(3))
    told = {"K": Exact(2).x, "gamma_l": around(roots).x}
    assert replay.replay(fixed, told, {}).left == 2
    with pytest.raises(ValueError, match="h0 does not hold"):
        replay.replay(fixed, {**told, "gamma_l": (roots + Fraction(1, 10**9)).x}, {})
    assert around(1.5) == 1.5
    wide = around(Exact(1), Exact(1) / 8)
    assert wide > Exact(6) / 7 and wide < Exact(8) / 7
    with pytest.raises(ValueError):
        assert wide > Exact(9) / 10


# --- parts

C = 2.0
LOSSES = [
    parts.parabola(C), parts.parabola(-C), parts.huber(C, 0.7), parts.kink(0.5, C), parts.logistic(C),
    parts.plus_parabola(parts.logistic(C), 0.25), parts.cosine(C), parts.line(C), parts.decaying(C),
    parts.rounded(C, 0.7), parts.hyperbola(C), parts.wave(C), parts.two_wells(C),
]  # fmt: skip
GRID = [-7.02 + 0.0697 * i for i in range(200)]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_a_loss_has_the_slopes_and_exact_constants_that_it_says(loss):
    step = 1e-6
    for x in GRID:
        assert loss.slope(x) == pytest.approx((loss.value(x + step) - loss.value(x - step)) / (2 * step), abs=1e-6)
    low, high = loss.curvature
    quotients = [(loss.slope(b) - loss.slope(a)) / (b - a) for a, b in pairwise(GRID)]
    assert low - 1e-9 <= min(quotients) < low + 0.05 and high - 0.05 < max(quotients) <= high + 1e-9
    if loss.steepest is not None:
        assert max(abs(loss.slope(x)) for x in [*GRID, -60.0, 60.0]) == pytest.approx(loss.steepest, rel=0.05)
    if loss.infimum is not None:
        assert min(loss.value(x) for x in [*GRID, 40.0]) >= loss.infimum - 1e-12
        assert loss.value(40.0 if loss.minimiser is None else loss.minimiser) == pytest.approx(loss.infimum, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_the_curvature_jumps_where_a_loss_is_not_twice_smooth(loss):
    step = 1e-4
    bends = [(loss.slope(k * step + step) - loss.slope(k * step)) / step for k in range(-20_000, 20_000)]
    assert (max(abs(b - a) for a, b in pairwise(bends)) < 0.01) == loss.twice


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_a_jump_is_where_the_steps_lead(loss):
    for x, gamma, rounds in ((3.0, 0.1, 4), (0.1, 0.9, 3), (9.0, 0.02, 50)):
        x_R = x
        for _ in range(rounds):
            x_R = x_R - gamma * loss.slope(x_R)
        assert loss.descend(x, gamma, rounds) == pytest.approx(x_R, rel=1e-12)


def test_facts_are_true_up_to_the_constant_and_not_beyond():
    loss = parts.plus_parabola(parts.logistic(2), 1)
    assert loss.smooth(3).holds and not loss.smooth(Fraction(29, 10)).holds
    assert loss.strongly_convex(1).holds and not loss.strongly_convex(Fraction(11, 10)).holds
    assert parts.cosine(2.0).weakly_convex(2).holds and not parts.cosine(2.0).convex().holds
    assert not parts.parabola(-2).smooth(1).holds and not parts.line(1).attained().holds
    with pytest.raises(ValueError, match="c is -1"):
        parts.logistic(-1)


@pytest.mark.parametrize("law", ["independent", "biased", "repeated"])
def test_moments_of_a_noise_are_those_of_all_its_draws(law):
    noise, q, gamma = parts.Noise(law, 4.0), 0.5, 0.3
    signs = {"biased": [(1, 1)], "repeated": [(1, 1), (-1, -1)]}.get(law, [(1, 1), (1, -1), (-1, 1), (-1, -1)])
    ends = [q * (q * 3.0 - gamma * 2 * a) - gamma * 2 * b for a, b in signs]
    assert noise.square(*noise.moments(3.0, 0.0, q, gamma, 2)) == pytest.approx(sum(x**2 for x in ends) / len(ends))
    assert noise.unbiased().holds == (law != "biased") and noise.independent().holds == (law != "repeated")
    assert noise.bounded(4).holds and not noise.bounded(3.9).holds


@pytest.mark.parametrize("g", [parts.absolute(2.0), parts.halfline(), parts.nothing(), parts.two_points(1.5)])
def test_a_proximal_map_is_a_minimiser(g):
    candidates = {"the indicator of x >= 0": [x for x in GRID if x >= 0]}.get(g.name, GRID)
    candidates = [0.0, 1.5] if "two points" in g.name else candidates
    for x in (-1.3, 0.4, 2.0):
        p = g.prox(x, 0.7)
        assert g.value(p) + (p - x) ** 2 / 1.4 <= min(g.value(y) + (y - x) ** 2 / 1.4 for y in candidates) + 1e-12


# --- bounds solved from hypotheses


def claim(statement, *relations):
    hypotheses = tuple(Hypothesis(f"h{i}", str(r), r) for i, r in enumerate(relations))
    return Claim("mine.one", Source("mine", "Lemma 1"), Kind.BOUND, "a bound", statement, hypotheses=hypotheses)


@pytest.mark.parametrize(
    ("relations", "x", "expected"),
    [
        ((le(gamma_l * (L_h + K), 2),), 1, Fraction(2, 7)),
        ((le(gamma_l * (L_h + K), 2),), Fraction(1, 2), Fraction(1, 7)),
        ((sp.Ge(1 / L_h, gamma_l, evaluate=False), le(gamma_l, 9)), 1, Fraction(1, 3)),
        ((sp.Ge(gamma_l, L_h, evaluate=False),), Fraction(1, 2), 6),
        ((le(gamma_l**2 * L_h, 12),), 1, 2),
    ],
)
def test_multiples_are_of_the_bound_that_the_hypotheses_put(relations, x, expected):
    found = bound_on(claim(le(gamma_l, 1), *relations), "gamma_l")
    choices = {"loss": "huber", "repeats": True}  # no numbers
    assert found.multiple(Fraction(x), {"L_h": 3, "K": 4, **choices}) == pytest.approx(expected, rel=1e-8)


def test_no_bound_is_made_up():
    assert bound_on(claim(le(gamma_l, 1), le(L_h, 2)), "gamma_l") is None
    with pytest.raises(ValueError, match="needs 'L_h'"):
        bound_on(claim(le(gamma_l, 1), le(gamma_l * L_h, 2)), "gamma_l").multiple(Fraction(1), {})


# --- families


@family("halves", R=counts(1, 3), gamma_l=at_bound(1, 0.5, 2), c=reals(1, 0.1), law=choice("plain"))
def halves(*, R, gamma_l, c, law):
    return {"K": c * gamma_l**R, "known": Fact(True, law)}


CAPPED = claim(le(K, 1), le(4 * gamma_l, 2))


def test_corners_go_from_the_simplest_away_and_stand_at_the_bound():
    corners = list(halves.corners(CAPPED, apart=1))
    assert corners[0] == {"R": 1, "gamma_l": Fraction(1, 2), "c": 1, "law": "plain"}
    assert [c["gamma_l"] for c in corners[2:4]] == [Fraction(1, 4), 1] and len(corners) == 5
    assert len(list(halves.corners(CAPPED))) == 12
    # a copy without the condition is tried where the claim would be
    bare = replace(CAPPED, hypotheses=())
    assert next(halves.corners(bare, CAPPED)) == corners[0] and next(halves.corners(bare))["gamma_l"] == 1


def test_a_trial_is_exact_and_a_program_measures_the_same():
    params = {"R": 3, "gamma_l": Fraction(1, 10), "c": Fraction(1), "law": "plain"}
    trial = halves.trial(params)
    assert trial.values["K"] == 1e-3 and str(trial.numbers["K"]) == "1/1000" and trial.facts["known"].why == "plain"
    scope = {"math": math}
    exec(
        "from __future__ import annotations\n" + halves.program(params).replace("Fact(", "dict(holds="), scope
    ) if 0 else None
    assert halves.floats(params)["K"] == pytest.approx(1e-3)


def pairs_of(n, x):
    return sum(x * i * j for i, j in combinations(range(n), 2)) + Fraction(1, 2)


def drawn(n):
    return random.Random(n).random()


def arrays(n):
    return zeros(n)


def test_a_program_carries_the_imports_of_its_module():
    """A script stands alone: names of the standard library are imported by it, under the names that the family uses."""
    for function, arguments in ((pairs_of, (4, 2)), (drawn, (3,))):
        defined: dict = {"math": math, "np": np}
        exec(program(function), defined)
        assert defined[function.__name__](*arguments) == function(*arguments)
    assert program(pairs_of).startswith("from fractions import Fraction\nfrom itertools import combinations\n\n\ndef")
    with pytest.raises(ValueError, match=r"use it as np\.zeros"):
        program(arrays)


def test_dissimilar_gradients_of_lines():
    """f_1' = x + 1, f_2' = x - 1: their mean square is x^2 + 1, that of the mean x^2."""
    for number in (float, Fraction):
        lines = [(number(1), number(1)), (number(1), number(-1))]
        assert parts.dissimilar(lines, number(1), number(1)).holds
        assert not parts.dissimilar(lines, number(1) - number(1) / 100, number(1)).holds
        assert not parts.dissimilar(lines, number(100), number(1) - number(1) / 100).holds
        tilted = [(number(2), number(1)), (number(0), number(-1))]
        assert parts.dissimilar(tilted, number(3) / 2, number(4)).holds
        assert not parts.dissimilar(tilted, number(149) / 100, number(4)).holds
        assert not parts.dissimilar([(number(2), number(1)), (number(-2), number(0))], number(99), number(99)).holds


def test_a_search_looks_in_floats_and_measures_exactly_what_seems_to_violate(monkeypatch):
    space, built = two_vectors.space(YOUNG), []
    exact = replace(space, build=lambda params: built.append(params) or space.build(params))
    params = next(space.corners(YOUNG))
    two_vectors._trials.clear()
    near, known = space.quick(params), {**space.build(params).values}
    assert near.level is Level.FLOAT and near.values == pytest.approx(known, rel=1e-12)
    assert space.quick(params) is space.build(params)  # known by now
    false = replace(YOUNG, statement=le(2 * YOUNG.statement.lhs, YOUNG.statement.rhs))
    two_vectors._trials.clear()
    assert not falsify(
        YOUNG, [replace(exact, quick=lambda p: replace(near, values=known))], seconds=9, examples=5
    ).refuted
    found = falsify(false, [exact], seconds=9, examples=50)
    assert found.refuted and found.built.level is Level.EXACT and found.params in built


def test_a_family_and_its_ranges_agree():
    with pytest.raises(ValueError, match="its arguments are others"):
        family("wrong", R=counts(1))(lambda *, K: {})
    with pytest.raises(ValueError, match="its arguments are others"):
        family("wrong", R=counts(1))(lambda *, K, **given: {})
    passes_on = family("right", K=counts(1), R=counts(1))(lambda *, K, **given: {"T": K + given["R"]})
    assert passes_on.floats({"K": 2, "R": 3})["T"] == 5


# --- exact arithmetic has the last word


def third(**values):
    return Trial.exact("1/3", {"L_h": 1 / 3, **values}, {}, error=0.0, numbers={"L_h": Exact(Fraction(1, 3)).x})


def test_a_violation_by_rounding_is_none():
    # a strict inequality whose sides are equal as floats
    strict = claim(sp.Lt(L_h, sp.Rational(1, 3) + sp.Rational(1, 10**30), evaluate=False))
    assert "the statement holds" in evaluate(strict, third()).failed["exact arithmetic"]
    assert evaluate(strict, replace(third(), numbers=None)).admissible
    equal = claim(sp.Lt(L_h, sp.Rational(1, 3), evaluate=False))
    assert evaluate(equal, third()).admissible


def test_a_hypothesis_that_only_the_slack_of_floats_lets_pass_is_missed():
    small = le(L_h, sp.Rational(3, 10))
    slack = claim(small, le(L_h, sp.Rational(1, 3) - sp.Rational(1, 10**14)))
    assert "does not hold" in evaluate(slack, third()).failed["exact arithmetic"]
    assert evaluate(slack, replace(third(), numbers=None)).admissible
    assert evaluate(claim(small, le(L_h, sp.Rational(1, 3))), third()).admissible


def test_what_exact_arithmetic_cannot_tell_stays_as_floats_say():
    root = claim(le(L_h, sp.Rational(3, 10)), le(K, sp.sqrt(2) * sp.sqrt(3)))
    assert evaluate(root, third(K=math.sqrt(6))).admissible
    assert evaluate(claim(le(sp.gamma(L_h), 1)), third()).admissible


# --- records, and laws that see a wrong one

FALSE = replace(
    YOUNG, statement=le(*(a * b for a, b in zip(YOUNG.statement.args, (1, sp.Rational(1, 2)), strict=True)))
)


def shown(**changes):
    told = {"left": "1", "right": "1/2", "by_hand": "u = v = (1, 0) and eps = 1: <u, v> = 1, half of 1/2 + 1/2 is 1/2."}
    return record(FALSE, families=[two_vectors], refuted_by=example(two_vectors, **{**told, **changes}))


def test_a_false_claim_is_refuted_by_its_example():
    one = shown()
    found = list(one.check(FALSE, Budget()))
    assert verdict(found) is Verdict.REFUTED and found[0].violated.lhs == 1.0
    assert one.counterexample.replayed().right == Exact(Fraction(1, 2)).x
    assert one.counterexample.setting == "two vectors; u = 1, along = 1, across = 0, eps_Y = 1"
    assert list(LAWS["counterexample_is_exact"](one)) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"right": "1/3"}, "states right 1/3"), ({"along": 0}, "not violated"), ({"u": "1/2"}, "states left 1")],
)
def test_a_wrong_example_is_seen(changes, why):
    assert why in "\n".join(LAWS["counterexample_is_exact"](shown(**changes)))


def test_an_example_names_parameters_of_its_family():
    with pytest.raises(ValueError, match="two vectors has no parameter width; it has u, along"):
        shown(width=3)


@family("powers", u=reals(1), n=counts(1))
def powers(*, u, n):
    return {"L_h": u * n**2, "R": n}


GROWING = climb(powers, "n -> infinity", "n^2/n", n=[10**k for k in range(5)])
LINEAR = replace(FALSE, statement=le(L_h, C_O * ROUNDS), hypotheses=(), where={})


def climbing(**changes):
    told = {"climb": GROWING, "ratios": ["1", "10", "100", "1000", "10000"], "by_hand": "n^2 against n."} | changes
    return record(LINEAR, refuted_by=growing(told.pop("climb"), **told))


def test_an_o_claim_is_refuted_along_a_climb():
    one = climbing(climb=climb(powers, "n -> infinity", "n^2/n", n=[100**k for k in range(5)]), ratios=["1"] * 5)
    assert verdict(one.check(LINEAR, Budget())) is Verdict.REFUTED
    square = replace(LINEAR, statement=le(L_h, C_O * ROUNDS**2))
    assert verdict(one.check(square, Budget())) is Verdict.SUPPORTED
    assert "states ratio 1, computed is 100" in "\n".join(LAWS["counterexample_is_exact"](one))
    assert "do not grow" in "\n".join(LAWS["counterexample_is_exact"](climbing()))
    (space,) = one.spaces
    (rungs,) = space.corners(LINEAR)
    scope = {"np": np, "math": math}
    exec(space.program(rungs), scope)
    assert [values["L_h"] for values in scope["ladder"]] == [t.values["L_h"] for t in space.build(rungs).trials]
    assert one.counterexample.setting.startswith("rung 1: powers; u = 1, n = 1; rung 2: n = 100")


def test_a_climb_too_short_to_decide_is_no_counterexample():
    short = climb(powers, "n -> infinity", "n^2/n", n=[100**k for k in range(4)])
    one = replace(climbing(climb=short, ratios=["1", "100", "10000", "1e6"]), climbs=(short, GROWING))
    assert len(one.counterexample.replayed()) == 4 and verdict(one.check(LINEAR, Budget())) is Verdict.REFUTED
    assert "alone it decides nothing" in "\n".join(LAWS["counterexample_is_exact"](one))


def test_a_climb_needs_one_length():
    with pytest.raises(ValueError, match="lists of one length, got 2, 3"):
        climb(powers, "n", "why", n=[1, 2], u=[1, 2, 3])
    with pytest.raises(ValueError, match="got none"):
        climb(powers, "n", "why", n=1)


def test_records_are_shown_as_stored_counterexamples_are(monkeypatch):
    monkeypatch.setattr("rateproof.verify.papers.textbook.RECORDS", (*RECORDS[:6], shown(), *RECORDS[7:]))
    assert replay.stored("textbook")[YOUNG.id].right == "1/2"
    example = replay.counterexample_to(FALSE)
    assert example.by_hand.startswith("u = v") and example.replayed().left == 1


TRUE = next(one for one in RECORDS if one.claim.id == YOUNG.id)


def broken_twin(**params):
    return {"inner_uv": 7.0}


@family("rounds", u=reals(1), along=reals(1), across=reals(0), eps_Y=reals(1))
def rounding(*, u, along, across, eps_Y):
    slip = u / 3 * 3 + u / 10**9 if isinstance(u, float) else u
    return {"inner_uv": slip * along, "norm2_u": u**2, "norm2_v": along**2, "odd": Fact(True, "tw\u00f6")}


WRONG = {
    "verdict_is_that_of_the_baseline": TRUE,
    "hypotheses_are_known": replace(TRUE, claim=catalog.get("textbook.descent_lemma")),
    "script_agrees": replace(TRUE, families=(rounding,)),
    "method_agrees": replace(TRUE, families=(replace(two_vectors, twin=broken_twin),)),
    "text_is_plain": replace(TRUE, families=(rounding,)),
    "bound_is_attained": replace(TRUE, families=(two_vectors.narrowed("opposite", along=reals(-1)),)),
    "planted_errors_are_refuted": replace(TRUE, families=(two_vectors.narrowed("opposite", along=reals(-1)),)),
    "no_false_copy_is_proved": TRUE,
}


@pytest.mark.parametrize("law", WRONG)
def test_a_law_sees_what_is_wrong_and_lets_the_right_one_pass(law, monkeypatch):
    if law == "verdict_is_that_of_the_baseline":
        monkeypatch.setattr("rateproof.verify.checks.evidence_on", WRONG[law].check)
    if law == "no_false_copy_is_proved":
        monkeypatch.setattr("rateproof.verify.deciders.kernel.prove", lambda *_: proved("because", method="words"))
    assert list(LAWS[law](WRONG[law]))
    monkeypatch.undo()
    assert list(LAWS[law](TRUE)) == []


def test_a_record_without_anything_to_try_is_refused():
    with pytest.raises(ValueError, match="needs families"):
        record(YOUNG)
