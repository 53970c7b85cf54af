"""Probabilities of events in claims: evaluated exactly on finite laws, and proved from what holds with probability."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, cosh, exp, fsum, prod

import pytest
import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.assumptions import BoundedDifferences, Covered, ExponentialMoment, Symmetrised
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.probability import Pr, chance
from rateproof.theory.proof import (
    Proof,
    Refused,
    Setting,
    Stopped,
    check,
    cite,
    dudley,
    have,
    hoeffding,
    in_words,
    mcdiarmid,
    qed,
    raised,
    special,
    supposed,
    symmetrisation,
)
from rateproof.theory.proof.copies import copies
from rateproof.theory.proof.rules import Rules
from rateproof.theory.shorthand import claims_of, every, ge, gt, le
from rateproof.theory.symbols import NONNEG, POS, vocabulary
from rateproof.theory.units import LENGTH, unit_of
from rateproof.verify.checks import Budget
from rateproof.verify.counterexamples import replay, script
from rateproof.verify.evidence import Finding
from rateproof.verify.form import choice, counts, family, reals, record
from rateproof.verify.form.arithmetic import sqrt
from rateproof.verify.form.laws import LAWS
from rateproof.verify.planted.mutate import Sharp
from rateproof.verify.trial import evaluate

BUDGET = Budget()
declare, claim = vocabulary("chances"), claims_of("chances")
far = declare("far_c", "|mean - p|", **NONNEG)
wide = declare("wide_c", "2 |mean - p|", **NONNEG)
other = declare("other_c", "another deviation", **NONNEG)
level = declare("level_c", "largest deviation that is allowed", **POS)
delta = declare("delta_c", "probability that it is more", **POS)
size = declare("size_c", "size of the sample", integer=True, positive=True)
CHEBYSHEV = claim(
    "mean",
    "Lemma 1",
    Kind.INEQUALITY,
    "a mean of n coins is within 1/(2 sqrt(n delta)) of p with probability at least 1 - delta",
    ge(Pr(le(far, 1 / (2 * sp.sqrt(size * delta)))), 1 - delta),
    title="The mean of coins",
    hypotheses=(Hypothesis("coins", "the coins are independent"), Hypothesis("twice", "", le(wide, 2 * far))),
)


@family("coins", size_c=counts(1, 4), delta_c=reals("99/100", "1/4"), p=reals("1/2", 0, 1), twice=choice("yes", "no"))
def coins(*, size_c, delta_c, p, twice):
    """Independent coins, by the number of heads."""
    heads = range(size_c + 1)
    far_c = tuple(abs(k / (size_c + 0 * p) - p) for k in heads)
    return {
        "Pr": tuple(comb(size_c, k) * p**k * (1 - p) ** (size_c - k) for k in heads),
        "far_c": far_c,
        "wide_c": tuple((2 if twice == "yes" else 3) * x for x in far_c),
        "level_c": 1 / (2 * sqrt(size_c * delta_c)),
        "coins": Fact(True, "they are drawn one by one"),
    }


def read(statement, *hypotheses, proof=None, **more):
    keys = [Hypothesis(f"h{i}", f"h{i}", relation) for i, relation in enumerate(hypotheses)]
    return claim("it", "Lemma", Kind.INEQUALITY, "it", statement, hypotheses=tuple(keys), proof=proof, **more)


def test_an_event_is_kept_as_it_is_written():
    stated = ge(Pr(every(le(0, far), le(far, level))), 1 - delta)
    assert str(stated) == "Pr(0 <= far_c and far_c <= level_c) >= 1 - delta_c"
    assert stated.lhs.xreplace({level: 2 * level}) == Pr(every(le(0, far), le(far, 2 * level)))
    assert stated.lhs.subs(far, wide) == Pr(every(le(0, wide), le(wide, level)))
    assert sp.latex(Pr(le(far, level))).startswith(r"\Pr\left[")
    assert str(unit_of(Pr(le(far, level)), {far: LENGTH, level: LENGTH})) == "1"
    assert chance(le(Pr(ge(far, level)), delta)).event == (le(far, level),)
    assert chance(ge(2 * Pr(le(far, level)), delta)) is None


def test_a_statement_is_evaluated_exactly():
    first = next(coins.corners(CHEBYSHEV))
    two = coins.trial({**first, "size_c": 4, "delta_c": Fraction(1, 4)})
    assert two.values["Pr"] == (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)
    (side,) = evaluate(CHEBYSHEV, two).sides
    assert side.printed == (1, 0.75)  # 1/(2 sqrt(4/4)) = 1/2: all outcomes
    close = replace(CHEBYSHEV, statement=ge(Pr(le(far, level / 2)), 1 - delta))
    assert evaluate(close, two).sides[0].printed == (0.875, 0.75)
    tail = replace(CHEBYSHEV, statement=le(Pr(ge(far, level)), delta))
    assert evaluate(tail, two).sides[0].printed == (0.125, 0.25)


@pytest.mark.parametrize(
    ("allowed", "least", "violated"),
    [
        (sp.Rational(4999, 10000), 1, True),
        (sp.Rational(1, 2), 1, False),
        # 1100 coins are all alike with a chance of e^-761.8
        (sp.Rational(4999, 10000), 1 - sp.exp(-770), True),
        (sp.Rational(4999, 10000), 1 - sp.exp(-750), False),
        (sp.Rational(4999, 10000), 1 - sp.Rational(1, 10**20), False),
        (sp.Rational(1, 10), 1 - sp.Rational(1, 10**20), True),
    ],
)
def test_a_chance_of_failing_counts_though_no_float_tells_the_level_from_one(allowed, least, violated):
    many = coins.trial({**next(coins.corners(CHEBYSHEV)), "size_c": 1100})
    stated = replace(CHEBYSHEV, statement=ge(Pr(le(far, allowed)), least))
    found = evaluate(stated, many)
    (side,) = found.sides
    assert (found.admissible and side.standing(many) == "violated") is violated
    assert side.printed == pytest.approx((1, 1))
    assert bool(replay.doubt(stated, many.numbers)) is not violated


def test_outcomes_without_probabilities_are_no_instance():
    first = next(coins.corners(CHEBYSHEV))
    for measured in (coins.trial, coins.quick):
        with pytest.raises(ValueError, match="not negative"):
            measured({**first, "p": Fraction(30)})


def test_what_has_no_probability_holds_surely():
    first = next(coins.corners(CHEBYSHEV))
    assert evaluate(CHEBYSHEV, coins.trial(first)).admissible
    assert "twice" in evaluate(CHEBYSHEV, coins.trial({**first, "twice": "no"})).failed
    sure = replace(CHEBYSHEV, statement=le(far, level / 2))
    assert evaluate(sure, coins.trial(first)).worst.printed == (0.5, coins.trial(first).values["level_c"] / 2)
    beside_it = replace(CHEBYSHEV, statement=ge(Pr(le(far, level)), 1 - far))
    assert evaluate(beside_it, coins.trial(first)).missing == {"far_c"}


def test_the_laws_hold_of_a_record():
    one = record(CHEBYSHEV, families=[coins], tight=Sharp())
    assert next(iter(one.check(CHEBYSHEV, BUDGET))).finding is Finding.HOLDS
    skipped = ("verdict_is_that_of_the_baseline", "bound_is_attained")
    for name, law in LAWS.items():
        assert name in skipped or list(law(one)) == []


def test_a_false_statement_is_refuted_in_exact_numbers_and_by_a_script():
    false = replace(CHEBYSHEV, statement=ge(Pr(le(far, sp.Rational(9, 10) / (2 * sp.sqrt(size * delta)))), 1 - delta))
    one = record(false, families=[coins])
    assert next(one.check(false, BUDGET)).finding is Finding.VIOLATION
    params = next(coins.corners(false))
    trial = coins.trial(params)
    found = replay.replay(false, trial.numbers, {"coins": "they are"})
    assert (replay.show(found.left), replay.show(found.right)) == ("0", "1/100")
    assert replay.doubt(CHEBYSHEV, trial.numbers).startswith("the statement holds")
    text = script.script(false, trial, coins.space(false), params)
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert run.returncode == 1, run.stdout + run.stderr


PROOF = Proof(qed(by=[supposed("h0"), supposed("h1"), supposed("h2")]))
KNOWN = (ge(Pr(le(far, level)), 1 - delta), ge(Pr(le(other, 2 * level)), 1 - delta), le(wide, far + other))


def shown(one):
    try:
        return check(one, one.proof, {}.get)
    except Stopped:
        return None


def test_a_union_bound():
    stated = read(ge(Pr(le(wide, 3 * level)), 1 - 2 * delta), *KNOWN, proof=PROOF)
    assert shown(stated).lines[0].how[0] == "what it rests on fails with probability at most 2*delta_c"
    assert [name for name, copy in copies(stated) if shown(copy)] == []
    both = every(le(wide, 3 * level), le(far, level))
    assert shown(replace(stated, statement=ge(Pr(both), 1 - 2 * delta)))


@pytest.mark.parametrize(
    ("statement", "known"),
    [
        (ge(Pr(le(wide, 3 * level)), 1 - delta), KNOWN),  # the level is too small
        (ge(Pr(le(wide, 2 * level)), 1 - 2 * delta), KNOWN),  # the event is stronger
        (ge(Pr(every(le(wide, 3 * level), le(far, level / 2))), 1 - 2 * delta), KNOWN),
        (ge(Pr(ge(wide, 3 * level)), 1 - 2 * delta), KNOWN),  # another direction
        (le(wide, 3 * level), KNOWN),  # what holds with a probability is not sure
        (ge(Pr(le(wide, 3 * level)), 1 - 2 * delta), (KNOWN[0], KNOWN[0], KNOWN[2])),  # a ground is missing
        (ge(Pr(le(wide, 3 * level)), 1 - 2 * delta), (*KNOWN[:2], ge(Pr(KNOWN[2]), 1 - delta))),
    ],
)
def test_what_does_not_follow(statement, known):
    assert shown(read(statement, *known, proof=PROOF)) is None


def test_roots_of_what_is_drawn():
    proof = Proof(
        have("squares", ge(Pr(le(far**2, level)), 1 - delta), by=[supposed("h0"), supposed("h1")]),
        raised("roots", "squares", to=sp.S.Half),
        qed(by=["roots"]),
    )
    known = (le(far**2, wide), ge(Pr(le(wide, level)), 1 - delta))
    assert shown(read(ge(Pr(le(far, sp.sqrt(level))), 1 - delta), *known, proof=proof))
    assert shown(read(ge(Pr(le(far, sp.sqrt(level) / 2)), 1 - delta), *known, proof=proof)) is None


def test_a_level_is_a_number_and_nothing_that_is_drawn():
    u = sp.Symbol("u", positive=True)
    every_u = in_words("tail", le(Pr(ge(far, u)), sp.exp(-u)), why="it is a law")
    stated = le(Pr(ge(far, size)), sp.exp(-size))
    setting = Setting(fixed=(far, other))
    proofs = [Proof(every_u, special("there", "tail", {u: v}), qed(by=["there"])) for v in (size, 1 + other)]
    assert shown(read(stated, proof=proofs[0], setting=setting))
    refused = read(stated, le(other, far), proof=proofs[1], setting=setting)
    with pytest.raises(Stopped, match="other_c may depend on what is drawn"):
        check(refused, refused.proof, {}.get)
    # nor is a case one of what is drawn: in each of two cases another half of the probability may be lost
    halves = Proof(have("half", ge(Pr(le(far, level)), 1 - delta), by=[supposed("h0")], when=[le(other, 1)]))
    with pytest.raises(Stopped, match="other_c may depend on what is drawn"):
        check(one := read(KNOWN[0], KNOWN[0], le(other, far), proof=halves), one.proof, {}.get)


def test_a_lemma_is_cited_at_another_level():
    lemma = read(KNOWN[0], le(delta, 1), setting=Setting(free=(delta,)))
    proof = Proof(qed(by=[cite("chances.it", at={delta: delta / 3}), supposed("h0")]))
    stated = read(ge(Pr(le(wide, 2 * level)), 1 - delta / 3), KNOWN[2], le(other, far), le(delta, 1), proof=proof)
    stated = replace(stated, id="chances.next", proof=Proof(qed(by=[*proof.steps[0].by, supposed("h1")])))
    assert check(stated, stated.proof, {"chances.it": lemma}.get).cites == ("chances.it",)
    less = replace(stated, statement=ge(Pr(le(wide, 2 * level)), 1 - delta / 4))
    with pytest.raises(Stopped):
        check(less, less.proof, {"chances.it": lemma}.get)
    drawn = replace(stated, proof=Proof(qed(by=[cite("chances.it", at={delta: far}), *stated.proof.steps[0].by[1:]])))
    with pytest.raises(Stopped, match="far_c may depend on what is drawn"):
        check(drawn, drawn.proof, {"chances.it": lemma}.get)


# --- rules about samples, on all outcomes of small ones


def of_draws(values, chances, n, function):
    """All outcomes of some independent draws: their probabilities, and what a function makes of them."""
    draws = list(product(range(len(values)), repeat=n))
    return [(prod(chances[i] for i in one), function([values[i] for i in one])) for one in draws]


CLASS = [lambda z, t=t: (t - z) ** 2 for t in (0, 0.3, 0.5, 0.8, 1)]


def largest_gap(values, chances):
    means = [fsum(p * f(z) for z, p in zip(values, chances, strict=True)) for f in CLASS]
    return lambda zs: max(m - fsum(map(f, zs)) / len(zs) for f, m in zip(CLASS, means, strict=True))


LAWS_OF_A_DRAW = [((0, 1), (0.5, 0.5)), ((0, 1), (0.1, 0.9)), ((0, 0.4, 1), (0.2, 0.3, 0.5))]


def given(assumption, rule, *about):
    return Rules(Setting(), (assumption,)).facts(rule("G", *about))


@pytest.mark.parametrize(("values", "chances"), LAWS_OF_A_DRAW)
def test_bounded_differences(values, chances):
    u = sp.Symbol("u", real=True)
    found = given(BoundedDifferences("G", far, level, 1 / size), mcdiarmid, u)
    assert found.conditions == (ge(u, 0), gt(1 / size, 0))
    (tail,) = found.relations
    for n in range(1, 6):
        drawn = of_draws(values, chances, n, largest_gap(values, chances))
        mean = fsum(p * x for p, x in drawn)
        for above in (0, 0.05, 0.1, 0.3, 0.5):
            likely = fsum(p for p, x in drawn if x >= mean + above)
            assert likely <= float(tail.rhs.subs({u: above, size: n})) + 1e-12
    # one sign alone: half of the exponent's 2 is not enough of a loss to hide 3 in its place
    coin = of_draws((0, 1), (0.5, 0.5), 9, lambda zs: sum(zs) / 9)
    assert fsum(p for p, x in coin if x >= 1) == 2**-9 > float(tail.rhs.subs({u: 0.5, size: 9}) ** 2)


@pytest.mark.parametrize(("values", "chances"), LAWS_OF_A_DRAW)
def test_bounded_differences_of_a_sum(values, chances):
    u = sp.Symbol("u", real=True)
    both = BoundedDifferences("G", far, level, 1 / size), BoundedDifferences("H", wide, other, 1 / size)
    found = Rules(Setting(), both).facts(mcdiarmid("G", u, "H", 2))
    assert found.conditions == (ge(u, 0), gt(1 / size, 0), gt(1 / size, 0), ge(2, 0))
    (tail,) = found.relations
    assert tail.lhs == Pr(ge(far + 2 * wide, level + 2 * other + u))
    for n in range(1, 5):
        gaps = largest_gap(values, chances), opposite_gap(values, chances)
        drawn = of_draws(values, chances, n, lambda zs, gaps=gaps: gaps[0](zs) + 2 * gaps[1](zs))
        mean = fsum(p * x for p, x in drawn)
        for above in (0, 0.1, 0.3, 0.9):
            likely = fsum(p for p, x in drawn if x >= mean + above)
            assert likely <= float(tail.rhs.subs({u: above, size: n})) + 1e-12
    # of one coin twice: squares that are added up, as those of what is independent, would not be enough
    coin = of_draws((0, 1), (0.5, 0.5), 9, lambda zs: 3 * sum(zs) / 9)
    likely = fsum(p for p, x in coin if x >= 3)
    assert float(tail.rhs.subs({u: 1.5, size: 9})) > likely > float(sp.exp(-2 * 1.5**2 / (5 / 9)))
    with pytest.raises(Refused, match="does not assume BoundedDifferences of I"):
        Rules(Setting(), both).facts(mcdiarmid("G", u, "I", 1))
    # nor is a factor one that may be negative
    assert ge(-1, 0) in Rules(Setting(), both).facts(mcdiarmid("G", u, "H", -1)).conditions


@pytest.mark.parametrize(("values", "chances"), LAWS_OF_A_DRAW)
def test_fair_signs(values, chances):
    (twice,) = given(Symmetrised("G", level, far), symmetrisation).relations
    (sum_,), (one,) = (given(Covered("G", far, size, level, wide), dudley).relations[i : i + 1] for i in (0, 1))
    assert one == ge(level, 1)
    for n in range(1, 4):
        for sign in (1, -1):
            gap = largest_gap(values, chances) if sign == 1 else opposite_gap(values, chances)
            mean = fsum(p * x for p, x in of_draws(values, chances, n, gap))
            average = fsum(p * x for p, x in of_draws(values, chances, n, of_signs))
            assert mean <= float(twice.rhs.subs(far, average)) + 1e-12
            # |f_s - f_t| <= 2 |s - t| <= 2: half of the class has diameter 1, and 1/e balls cover it
            assert average / 2 <= float(sum_.rhs.subs({level: 1, wide: 1, size: n}))


def opposite_gap(values, chances):
    means = [fsum(p * f(z) for z, p in zip(values, chances, strict=True)) for f in CLASS]
    return lambda zs: max(fsum(map(f, zs)) / len(zs) - m for f, m in zip(CLASS, means, strict=True))


def of_signs(zs):
    signs = product((-1, 1), repeat=len(zs))
    sums = [max(fsum(s * f(z) for s, z in zip(one, zs, strict=True)) for f in CLASS) / len(zs) for one in signs]
    return fsum(sums) / len(sums)


@pytest.mark.parametrize("p", [0.5, 0.1, 0.01, 1])
def test_exponential_moments(p):
    (bound,) = given(ExponentialMoment("G", far, level, wide), hoeffding).relations
    for at, width in product((-3, -1, -0.1, 0.5, 2), (0.1, 1, 4)):
        moment = p * exp(at * width * (1 - p)) + (1 - p) * exp(-at * width * p)
        assert moment <= float(bound.rhs.subs({level: at, wide: width})) * (1 + 1e-12)
    # with fair signs it is sharp as the width vanishes
    assert cosh(0.01) > float(bound.rhs.subs({level: 0.99, wide: 0.02}))
