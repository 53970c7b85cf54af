"""Steps about numbers, and the composition of claims: each holds on numbers, and refuses what it should not."""

from dataclasses import replace
from random import Random

import pytest
import sympy as sp
from stated import a_claim

from rateproof.theory.assumptions import Convex, Returned
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.proof import (
    SCHEDULE,
    Proof,
    Refused,
    Setting,
    check,
    cite,
    exponential,
    have,
    induct,
    logarithm,
    qed,
    raised,
    rewritten,
    split,
    summed,
    supposed,
    total,
    unfold,
)
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.kernel import Kernel
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import declare

a, b, c, p, R, z = sp.symbols("a b c p R z", positive=True)
A, Z = (declare(f"{name}_pr", "a defined number", paper="test", positive=True, defined=True) for name in "AZ")
mu, sq_there, sq_here = sp.symbols("mu sq_there sq_here", nonnegative=True)
m, err, u = sp.symbols("m err u", real=True)
k = sp.Symbol("k", positive=True, integer=True)


def shows(claim, *steps, cited=None):
    return check(claim, Proof(*steps), (cited or {}).get)


def refused(claim, *steps, cited=None):
    with pytest.raises(Refused) as why:
        shows(claim, *steps, cited=cited)
    return str(why.value)


def shown(claim, *steps):
    """What the last of these steps shows."""
    kernel = Kernel(claim, {}.get)
    for step in steps:
        kernel.take(step)
    return kernel.shown[steps[-1].name].relation


@pytest.mark.parametrize("of", [z, 1 / z, z**p / sp.E, R ** (p / 2)])
@pytest.mark.parametrize("below", [False, True])
def test_tangents_of_the_logarithm_hold_on_numbers(of, below):
    relation = shown(a_claim(le(a, a)), logarithm("tangent", of, below=below))
    random = Random(1)
    for _ in range(200):
        at = {s: sp.Float(10 ** random.uniform(-1, 1)) for s in (z, p, R)}
        left, right = (float(side.subs(at)) for side in relation.args)
        assert left >= right - 1e-9 * abs(right) if below else left <= right + 1e-9 * abs(right)


def test_a_logarithm_is_of_what_is_positive():
    claim = a_claim(le(u, u), ge(u, 1))
    assert shown(claim, logarithm("tangent", u)) == le(sp.log(u), u - 1)
    assert "u > 0" in refused(a_claim(le(u, u), ge(u, 0)), logarithm("tangent", u))
    # a defined symbol has the sign of its definition, not of its declaration
    defined = a_claim(le(Z, Z), where={Z: 1 - a})
    assert "> 0" in refused(defined, logarithm("tangent", Z))
    shows(
        replace(defined, hypotheses=a_claim(le(a, a), le(2 * a, 1)).hypotheses),
        have("Z", ge(Z, sp.Rational(1, 2)), by=[unfold(Z)]),
        logarithm("tangent", Z, by=["Z"]),
        qed(),
    )


def test_decay_of_a_power():
    """``(1 - x)^{-k} >= exp(k x)``: the tangent at 1/(1-x), then exp of both sides."""
    claim = a_claim(le(R**p, c**k), ge(c, 1), ge(k * (1 - 1 / c), p * sp.log(R)))
    rate = have("rate", le(p * sp.log(R), k * sp.log(c)), by=["tangent"])
    tangent = logarithm("tangent", c, below=True)
    shows(claim, tangent, rate, exponential("power", "rate"), qed(by=["power"]))
    refused(
        replace(claim, statement=le(2 * R**p, c**k)), tangent, rate, exponential("power", "rate"), qed(by=["power"])
    )
    assert "rate" in refused(replace(claim, hypotheses=claim.hypotheses[:1]), tangent, rate)
    nothing = have("log", le(sp.log(u), sp.log(u)))
    assert "u > 0" in refused(a_claim(le(u, u)), nothing, exponential("power", "log"))


def test_equals_for_equals():
    claim = a_claim(le(m, 1 / R**2), le(m, a**2), eq(a, 1 / R), setting=Setting(measured=(m,)))
    steps = (have("a", eq(a, 1 / R)), have("in a", le(m, a**2)), rewritten("in R", "in a", by=["a"]))
    shows(claim, *steps, qed(by=["in R"]))
    refused(replace(claim, statement=le(m, 1 / R**3)), *steps, qed(by=["in R"]))
    assert "no equation" in refused(claim, have("a", le(a, 1 / R)), *steps[1:])
    sums = a_claim(le(m, m), le(m, sp.Sum(c**k, (k, 1, 3))), eq(c, a * k), setting=Setting(measured=(m,)))
    bound = (have("sum", le(m, sp.Sum(c**k, (k, 1, 3)))), have("c", eq(c, a * k)))
    assert "index of a sum" in refused(sums, *bound, rewritten("wrong", "sum", by=["c"]))


def test_rules_of_the_schedule_are_equations():
    schedule = Schedule("S", "a rule", rules={a: 1 / R})
    claim = a_claim(le(a * R, 1), schedule=schedule)
    shows(claim, have("a", eq(a, 1 / R), by=[SCHEDULE]), qed(by=["a"]))
    refused(replace(claim, schedule=None), have("a", eq(a, 1 / R), by=[SCHEDULE]))
    refused(claim, have("a", eq(a, 2 / R), by=[SCHEDULE]))


def test_a_maximum_is_at_most_what_its_arguments_are():
    claim = a_claim(le(sp.Max(a, b), sp.Max(c, b)), le(a, c))
    step = have("a", le(a, c))
    shows(claim, step, qed(by=["a"]))
    refused(replace(claim, hypotheses=()), qed())
    refused(a_claim(le(sp.Max(c, b), sp.Max(a, b)), le(a, c)), step, qed(by=["a"]))


def test_powers_of_products_and_equal_bases_meet():
    shows(a_claim(le((z * R) ** p, z**p * R**p)), qed())
    shows(a_claim(le(((a + b) / c) ** p, (a / c + b / c) ** p)), qed())
    refused(a_claim(le(((a + b) / c) ** p, (a / c + 2 * b / c) ** p)), qed())
    shows(a_claim(le(R ** sp.Rational(-5, 12) * R ** sp.Rational(5, 12), 1)), qed())
    # a power of a product is split for factors that are not negative only
    s, t = sp.symbols("s t", real=True)
    refused(a_claim(le((s * t) ** p, s**p * t**p)), qed())


def test_a_hypothesis_gives_a_sign():
    claim = a_claim(le(1, 2 * mu**p / mu**p), sp.Gt(mu, 0, evaluate=False))
    shows(claim, have("power", ge(mu**p, mu**p)), qed())
    strict = a_claim(le(R**p * mu**-p * mu**p, R**p), sp.Gt(mu, 0, evaluate=False))
    shows(strict, qed())


f_x, f_y, g_x, g_y = sp.symbols("f_x f_y g_x g_y", real=True)
x, y, start = vectors("x y start")
#: A claim for every ``err`` that bounds the gap at what a run returns; that it is false is of no concern here.
THERE = a_claim(
    le(u, err / 2),
    Convex("f"),
    ge(err, u),
    ge(err, 0),
    setting=Setting(
        depends={"x": "", "y": "", "start": ""},
        functions={"f": {"x": (x, None, f_x), "y": (y, Vector(), f_y), "start": (start, None, None)}},
        metrics={u: f_x - f_y},
        squares={sq_there: start - y},
        assumes=(Returned("x", "f", "start"),),
        measured=(f_x, f_y),
        free=(err,),
    ),
)
CITED = {"test.there": replace(THERE, id="test.there")}
POINTS = {"f.x": "g.x", "f.y": "g.y", "f.start": "g.start"}


def _here(*hypotheses, statement=None, **rest):
    setting = Setting(
        depends={"x": "", "y": "", "start": ""},
        functions={"g": {"x": (x, None, g_x), "y": (y, Vector(), g_y), "start": (start, None, None)}},
        metrics={m: g_x - g_y},
        squares={sq_here: start - y},
        assumes=(Returned("x", "g", "start"),),
        measured=(g_x, g_y),
        **rest,
    )
    return a_claim(le(m, c / 2) if statement is None else statement, Convex("g"), *hypotheses, setting=setting)


def test_hypotheses_about_metrics_are_read_at_the_points_of_a_cite():
    used = cite("test.there", at={err: c}, points=POINTS)
    shows(_here(le(m, c)), qed(by=[used]), cited=CITED)
    shows(
        _here(le(m, a), le(2 * a, c)),
        have("a", le(2 * a, c)),
        have("m", le(m, c), by=["a"]),
        qed(by=[used]),
        cited=CITED,
    )
    assert "needs" in refused(_here(), qed(by=[used]), cited=CITED)
    assert "needs" in refused(_here(le(m, 2 * c)), qed(by=[used]), cited=CITED)


def test_a_square_is_that_of_the_vector_that_takes_the_place():
    scaled = replace(CITED["test.there"], statement=le(u, err / 2 + sq_there))
    here = _here(le(m, c), statement=le(m, c / 2 + sq_here))
    shows(here, qed(by=[cite("test.there", at={err: c}, points=POINTS)]), cited={"test.there": scaled})
    without = cite("test.there", at={err: c}, points={p: POINTS[p] for p in ("f.x", "f.y")})
    assert "say which point of ours is f.start" in refused(here, qed(by=[without]), cited={"test.there": scaled})
    wrong = _here(le(m, c), statement=le(m, c / 2 + norm2(start - x)))
    refused(wrong, qed(by=[cite("test.there", at={err: c}, points=POINTS)]), cited={"test.there": scaled})
    chosen = cite("test.there", at={err: c, sq_there: sq_here}, points=POINTS)
    assert "free to choose" in refused(here, qed(by=[chosen]), cited={"test.there": scaled})


def test_what_a_cited_claim_needs_may_be_shown_before():
    lemma = replace(a_claim(le(m, 1), sp.Lt(a, 1, evaluate=False)), id="test.lemma")
    claim = a_claim(le(m, 1), le(4 * a, 1), setting=Setting(measured=(m,)))
    shows(claim, qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})
    defined = a_claim(le(m, 1), le(4 * b, 1), eq(a, b), setting=Setting(measured=(m,)))
    steps = (have("b", le(4 * b, 1)), have("equal", eq(a, b)), have("a", le(4 * a, 1), by=["b", "equal"]))
    shows(defined, *steps, qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})
    above = a_claim(le(m, 1), le(a, 1), setting=Setting(measured=(m,)))
    assert "needs" in refused(above, have("a", le(a, 1)), qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})


def test_definitions_that_mean_the_same_stay_closed():
    """``Z = 1 + b c`` there and here, where it is written in two ways."""
    lemma = replace(a_claim(le(m, Z), where={Z: 1 + b * c}), id="test.lemma")
    claim = a_claim(le(m, Z), where={Z: 1 + A, A: b * c}, setting=Setting(measured=(m,)))
    shows(claim, qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})
    other = replace(claim, where={Z: 1 + A / 2, A: b * c})
    refused(other, qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})


def test_a_root_of_a_bound():
    """From ``m <= a`` to ``err <= (m/b)^{1/p} <= (a/b)^{1/p}``."""
    setting = Setting(measured=(m, err))
    claim = a_claim(le(err, (a / b) ** (1 / p)), ge(m, 0), le(m, a), le(err, (m / b) ** (1 / p)), setting=setting)
    steps = (have("bound", le(m / b, a / b)), have("m", ge(m, 0)), raised("root", "bound", to=1 / p, by=["m"]))
    first = have("first", le(err, (m / b) ** (1 / p)))
    shows(claim, *steps, first, qed(by=["first", "root"]))
    half = replace(claim, statement=le(err, (a / b / 2) ** (1 / p)))
    refused(half, *steps, first, qed(by=["first", "root"]))
    signed = replace(claim, hypotheses=claim.hypotheses[1:])
    refused(signed, have("bound", le(m / b, a / b)), raised("root", "bound", to=1 / p))


def test_a_power_of_a_sum_is_at_most_the_sum_of_the_powers():
    q = sp.Symbol("q", nonnegative=True)
    terms = (a, mu * b, c / R)
    relation = shown(a_claim(le(a, a), le(q, 1)), split("powers", terms, to=q))
    random = Random(5)
    for _ in range(300):
        at = {s: sp.Float(10 ** random.uniform(-3, 3)) for s in (a, b, c, R)}
        at |= {mu: sp.Float(random.choice((0, random.random()))), q: sp.Float(random.random())}
        left, right = (float(side.subs(at)) for side in relation.args)
        assert left <= right * (1 + 1e-9)
    assert "q <= 1" in refused(a_claim(le(a, a)), split("powers", terms, to=q))
    assert "u >= 0" in refused(a_claim(le(a, a), le(u, 1)), split("powers", terms, to=u))
    # (9 - 5)^(1/2) is above 9^(1/2) - 5^(1/2), and no power of a negative term is meant
    refused(a_claim(le(u, u), le(u, 0)), split("powers", (a, u), to=sp.Rational(1, 2)))


def test_numbers_are_compared_in_balls():
    claim = a_claim(le(a, a))
    shows_ = (ge(sp.log(3), 1), le(sp.E, sp.Rational(272, 100)), ge(sp.Integer(880) ** sp.Rational(12, 7), 3))
    for relation in shows_:
        assert shown(claim, have("number", relation)) == relation
    for false in (ge(sp.log(3), sp.Rational(11, 10)), le(sp.E, sp.Rational(271, 100)), ge(sp.log(2), 1)):
        refused(claim, have("number", false))
    random = Random(6)
    for _ in range(100):
        number = sp.log(random.randint(2, 10**6)) * random.choice((1, sp.E)) - random.randint(0, 3)
        number = random.choice((sp.log(abs(number) + 1), sp.exp(number), sp.Integer(7) ** (abs(number) + 1)))
        atoms = Atoms()
        atoms.expression(number)
        for r in atoms.conditions():
            (term,) = (t for t, s in atoms._symbols.items() if r.lhs == s)
            assert bool(r.func(term, r.rhs))


def test_powers_of_one_base_meet_in_products():
    claim = a_claim(le(a, a))
    root = sp.Rational(1, 6)
    shown(claim, have("powers", le(R ** (5 * root) / R, R**-root)))
    shown(
        claim,
        have("product", le((a + b / R ** sp.Rational(7, 12)) / R**root, a / R**root + b / R ** sp.Rational(3, 4))),
    )
    refused(claim, have("other", le(R ** (4 * root) / R, R**-root)))


QUARTER = sp.Rational(1, 4)
#: Of a defined number no declared sign counts; here it is not negative, as h0 says.
DEFINED = {A: m - u}


def test_a_root_among_factors_has_its_power():
    goal = le((a * A**QUARTER) ** (1 / R), a ** (1 / R) * A ** (1 / (4 * R)))
    known = have("A", ge(A, 0), by=[supposed("h0"), unfold(A)])
    sign = have("sign", ge(a * A**QUARTER, 0), by=["A"])
    claim = a_claim(goal, ge(m, u), where=DEFINED)
    shows(claim, known, sign, qed(by=["A", "sign"]))
    wrong = replace(claim, statement=le(goal.lhs, a ** (1 / R) * A ** (1 / (3 * R))))
    assert "not shown" in refused(wrong, known, sign, qed(by=["A", "sign"]))
    assert "has a meaning only where" in refused(a_claim(goal, where=DEFINED), qed())


def test_the_root_of_a_number_that_is_known_not_to_be_negative():
    small = sp.Min(4 * sp.sqrt(A), b)
    known = have("A", ge(A, 0), by=[supposed("h0"), unfold(A)])
    claim = a_claim(le(small, 2 * sp.sqrt(b) * A**QUARTER), ge(m, u), where=DEFINED)
    shows(claim, known, qed(by=["A"]))
    assert "A_pr**(1/4) as unknown" in refused(claim, known, qed())
    less = replace(claim, statement=le(small, sp.sqrt(b) * A**QUARTER))
    assert "violated" in refused(less, known, qed(by=["A"]))


def test_a_root_of_a_root_has_a_meaning_where_the_inner_one_has():
    def nested(inner, *more):
        measured = Setting(measured=(u,))
        return a_claim(le(b * sp.sqrt(inner), b * u), le(sp.sqrt(inner), u), *more, setting=measured)

    by = [supposed("h0")]
    shows(nested(12 * sp.sqrt(m) + 1, ge(m, 0)), qed(by=by))
    assert "takes the root of m" in refused(nested(12 * sp.sqrt(m) + 1), qed(by=by))
    assert "takes the root of" in refused(nested(12 * sp.sqrt(m) - 1, ge(m, 0)), qed(by=by))


def test_an_index_takes_the_values_that_it_is_declared_to_take():
    """``1 <= k`` is true of a positive k; summed from 0 to 1 it would say ``2 <= 1``."""
    n = sp.Symbol("n", integer=True, positive=True)
    one = have("one", ge(k, 1))
    assert shown(a_claim(le(u, u)), one, summed("sum", "one", over=k, start=1, last=n)) == le(n, n**2 / 2 + n / 2)
    assert "0 > 0" in refused(a_claim(le(u, u)), one, summed("sum", "one", over=k, start=0, last=n))
    D = sp.Function("D", real=True)
    goal = ge(D(k), 0)
    assert "0 > 0" in refused(a_claim(le(u, u)), induct("all", goal, over=k, start=0))
    below = sp.Symbol("j", integer=True, negative=True)
    sums_to = summed("sum", "one", over=below, start=-3, last=n)
    assert "declared nonzero" in refused(a_claim(le(u, u)), have("one", le(below, -1)), sums_to)


def test_a_sum_with_a_parameter_needs_its_range():
    n, j = sp.Symbol("n", integer=True, positive=True), sp.Symbol("j", integer=True, nonnegative=True)
    goal = le(sp.Sum((j + 1) ** (-1 / p), (j, 0, n - 1)), n ** (1 - 1 / p) / (1 - 1 / p))
    bound = total("sum", goal, n, above={p: sp.S.One})
    assert shown(a_claim(le(a, a), sp.Gt(p, 1, evaluate=False)), bound) == goal
    assert "p > 1" in refused(a_claim(le(a, a), ge(p, 1)), bound)
