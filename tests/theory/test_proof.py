"""The kernel proves what follows, and cannot be talked into what does not."""

from dataclasses import replace

import pytest
import sympy as sp
from stated import a_claim

from rateproof.theory.assumptions import (
    Attained,
    BoundedDissimilarity,
    BoundedVariance,
    ClosedConvex,
    Convex,
    EveryRound,
    Independent,
    Lipschitz,
    Sampled,
    Smooth,
    StronglyConvex,
    Unbiased,
)
from rateproof.theory.claim import Hypothesis
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.proof import (
    Mean,
    Proof,
    Refused,
    SampleMean,
    Setting,
    cases,
    check,
    cite,
    convex,
    curvature,
    dissimilar,
    fresh,
    have,
    in_words,
    induct,
    limit,
    lipschitz,
    mean,
    projection,
    qed,
    raised,
    sampling,
    smooth,
    smooth_convex,
    special,
    summed,
    supposed,
    total,
    unfold,
    variance,
)
from rateproof.theory.proof.copies import copies
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import declare

rho, L, mu, sigma, c, q = sp.symbols("rho L mu sigma c q", positive=True)
m, before, after, moved = sp.symbols("m before after moved", real=True)
N, S, K = sp.symbols("N S K", positive=True, integer=True)
k = sp.Symbol("k", nonnegative=True, integer=True)
a = sp.Function("a", nonnegative=True)


def shows(claim, *steps, cited=None):
    return check(claim, Proof(*steps), (cited or {}).get)


def refused(claim, *steps, cited=None):
    with pytest.raises(Refused) as why:
        shows(claim, *steps, cited=cited)
    return str(why.value)


# --- one step of STORM (Cutkosky and Orabona 2019, Momentum-Based Variance Reduction in Non-Convex SGD, Lemma 2)

e, s, n, change, expected = vectors("e s n change expected")
STORM = Setting(
    depends={"e": "past", "s": "past", "n": "past xi", "change": "past xi", "expected": "past"},
    means={"expected": Mean("change", "xi")},
    functions={"G": {"new": (s, change, None), "old": (Vector(), Vector(), None)}},
    metrics={
        before: norm2(e),
        after: norm2((1 - rho) * e + rho * n + (1 - rho) * (change - expected)),
        moved: norm2(s),
    },
)
ONE_STEP = a_claim(
    le(after, (1 - rho) ** 2 * before + 2 * rho**2 * sigma**2 + 2 * (1 - rho) ** 2 * L**2 * moved),
    Unbiased("n", "past"),
    BoundedVariance("n", sigma**2),
    Lipschitz("G", L, random="xi", given="past"),
    sp.Lt(rho, 1),
    setting=STORM,
)
STORM_STEPS = (
    have("rest", le(norm2(change - expected), L**2 * moved), by=[lipschitz("G", "new", "old"), mean("expected")]),
    have(
        "cross",
        eq(dot(e, rho * n + (1 - rho) * (change - expected)), 0),
        by=[fresh("n"), mean("expected")],
    ),
    have("noise", le(norm2(n), sigma**2), by=[variance("n")]),
    qed(by=["cross", "rest", "noise"], multipliers=[-2 * (1 - rho), 2 * (1 - rho) ** 2, 2 * rho**2]),
)


def test_one_step_of_storm():
    found = shows(ONE_STEP, *STORM_STEPS)
    assert not found.words and [line.name for line in found.lines] == ["rest", "cross", "noise", "the statement"]


# It holds for every rho, so that the copy without rho < 1 is no worse.
@pytest.mark.parametrize("copy", [pytest.param(x, id=name) for name, x in copies(ONE_STEP) if name != "without h3"])
def test_no_stronger_copy_of_it(copy):
    refused(copy, *STORM_STEPS)


# --- means and samples

v, w, average, drawn = vectors("v w average drawn")
CLIENTS = Setting(
    depends={"v": "client", "w": "", "average": "", "drawn": "sample"},
    means={"average": Mean("v", "client"), "drawn": SampleMean("v", "client", "sample")},
    sizes={"client": N},
)
SAMPLED = Sampled("sample", S, N)


def test_the_mean_over_a_sample():
    """Cochran 1977, Theorem 2.2."""
    spread = norm2(v - average)
    exact = a_claim(le(S * (N - 1) * norm2(drawn - average), (N - S) * spread), SAMPLED, le(S, N), setting=CLIENTS)
    shows(exact, qed(by=[sampling("drawn")], multipliers=[0, -1]))
    refused(
        replace(exact, statement=le(S * (N - 1) * norm2(drawn - average), (N - S) * spread / 2)),
        qed(by=[sampling("drawn")]),
    )
    assert "Sampled" in refused(replace(exact, hypotheses=exact.hypotheses[1:]), qed(by=[sampling("drawn")]))
    unbiased = a_claim(eq(dot(drawn, w), dot(average, w)), SAMPLED, setting=CLIENTS)
    shows(unbiased, qed(by=[mean("drawn"), mean("average")]))
    assert "Sampled" in refused(replace(unbiased, hypotheses=()), qed(by=[mean("drawn"), mean("average")]))


def test_a_mean_says_nothing_about_what_depends_on_the_index():
    refused(a_claim(eq(dot(v, v), dot(average, v)), setting=CLIENTS), qed(by=[mean("average")]))
    with pytest.raises(ValueError, match="should depend on"):
        Setting(depends={"v": "past client", "m": ""}, means={"m": Mean("v", "client")})


noise, steps_, both = vectors("noise steps both")
ROUND = Setting(
    depends={
        "noise": "past client step before xi",
        "steps": "past client round",
        "both": "past sample round",
        "w": "past",
    },
    means={"steps": Mean("noise", "step"), "both": SampleMean("steps", "client", "sample")},
    sizes={"client": N, "step": K},
    within={"before": "step", "xi": "step"},
    earlier=("before",),
    metrics={m: norm2(both)},
)
FRESH = Unbiased("noise", "past client sample step before")
NOISE = (FRESH, BoundedVariance("noise", sigma**2), Independent("noise", over="client"), SAMPLED)


def test_the_variance_of_a_mean_of_noises():
    claim = a_claim(le(m, sigma**2 / (S * K)), *NOISE, setting=ROUND)
    steps = [
        have("steps", le(norm2(steps_), sigma**2 / K), by=[variance("steps"), variance("noise")]),
        qed(by=["steps", variance("both")]),
    ]
    shows(claim, *steps)
    for i in range(len(NOISE)):
        others = (*claim.hypotheses[:i], *claim.hypotheses[i + 1 :])
        refused(replace(claim, hypotheses=others), *steps)
    biased = Unbiased("noise", "past client sample")  # noises of one client may be the same in all steps
    refused(a_claim(claim.statement, biased, *NOISE[1:], setting=ROUND), *steps)


def test_noise_is_orthogonal_to_what_is_known_before_it_only():
    known = a_claim(eq(dot(both, w), 0), *NOISE, setting=ROUND)
    shows(known, qed(by=[fresh("both")]))
    refused(a_claim(eq(dot(both, steps_), 0), *NOISE, setting=ROUND), qed(by=[fresh("both")]))
    refused(a_claim(eq(dot(noise, steps_), 0), *NOISE, setting=ROUND), qed(by=[fresh("noise")]))
    given_sample = Unbiased("noise", "past client step before")  # the sample may look at the noise
    refused(a_claim(eq(dot(both, w), 0), given_sample, *NOISE[1:], setting=ROUND), qed(by=[fresh("both")]))


def test_independence_over_clients_is_no_mean_zero_for_each_of_them():
    per_client = Setting(depends={"noise": "client xi", "w": "client"}, sizes={"client": N})
    claim = a_claim(
        eq(dot(noise, w), 0), Unbiased("noise", ""), Independent("noise", over="client"), setting=per_client
    )
    refused(claim, qed(by=[fresh("noise")]))


# --- functions

x, y, g, h = vectors("x y g h")
f_x, f_y = sp.symbols("f_x f_y", real=True)
p_x, p_y = vectors("p_x p_y")
POINTS = Setting(
    depends=dict.fromkeys(("x", "y", "g", "h", "p_x", "p_y"), ""),
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}, "X": {"x": (x, p_x, None), "y": (y, p_y, None)}},
    measured=(f_x, f_y),
)


def test_rules_need_their_assumption():
    gap = f_y - f_x - dot(g, y - x)
    below = a_claim(ge(gap, 0), Convex("f"), setting=POINTS)
    shows(below, qed(by=[convex("f", "x", "y")]))
    assert "Convex of f" in refused(replace(below, hypotheses=()), qed(by=[convex("f", "x", "y")]))
    cocoercive = a_claim(ge(2 * L * gap, norm2(g - h)), Convex("f"), Smooth("f", L), setting=POINTS)
    shows(cocoercive, qed(by=[smooth_convex("f", "x", "y")]))
    for i in (0, 1):
        refused(
            replace(cocoercive, hypotheses=cocoercive.hypotheses[i : i + 1]), qed(by=[smooth_convex("f", "x", "y")])
        )
    refused(a_claim(ge(gap, 0), StronglyConvex("f", -L), setting=POINTS), qed(by=[convex("f", "x", "y")]))
    shows(a_claim(le(mu, L), Smooth("f", L), StronglyConvex("f", mu), setting=POINTS), qed(by=[curvature("f")]))
    nonexpansive = a_claim(le(norm2(p_x - p_y), norm2(x - y)), ClosedConvex("X"), setting=POINTS)
    shows(nonexpansive, qed(by=[projection("X", "x", "y")]))
    refused(
        replace(nonexpansive, statement=le(2 * norm2(p_x - p_y), norm2(x - y))), qed(by=[projection("X", "x", "y")])
    )
    assert "has the points" in refused(below, qed(by=[convex("f", "z")]))


def test_what_functions_are_made_of():
    made = replace(POINTS, made={"f": {"u": sp.S.One, "w": c}})
    upper = a_claim(
        le(f_y, f_x + dot(g, y - x) + (L + c * mu) / 2 * norm2(x - y)), Smooth("u", L), Smooth("w", mu), setting=made
    )
    shows(upper, qed(by=[smooth("f", "x", "y")]))
    refused(replace(upper, hypotheses=upper.hypotheses[1:]), qed(by=[smooth("f", "x", "y")]))
    negative = replace(upper, setting=replace(made, made={"f": {"u": sp.S.One, "w": -c}}))
    refused(negative, qed(by=[smooth("f", "x", "y")]))
    with pytest.raises(ValueError, match="should be the mean"):
        replace(CLIENTS, functions={"u": {"x": (w, v, f_x)}, "F": {"x": (w, w, f_x)}}, made={"F": Mean("u", "client")})


# --- definitions

D = declare("D_defined", "a defined number", paper="test", positive=True, defined=True)


def test_a_definition_counts_and_stays_closed_unless_asked_for():
    claim = a_claim(le(m, 2 * D), le(m, L), where={D: L / 2}, setting=Setting(measured=(m,)))
    shows(claim, qed(by=[unfold(D)]))
    refused(claim, qed())
    refused(replace(claim, where={D: L / 3}), qed(by=[unfold(D)]))
    wrong_sign = a_claim(ge(D, 0), where={D: L - mu})
    refused(wrong_sign, qed())


# --- indices

SEQUENCE = Setting(measured=(m,))
TRIVIAL = a_claim(le(m, 1), le(m, 1), setting=SEQUENCE)


def assumed(name, relation):
    return in_words(name, relation, "assumed")


GROWS = assumed("one step", le(a(k + 1), a(k) + c))
START = assumed("start", le(a(0), 0))


def by_induction(bound, **grounds):
    return induct("all", le(a(k), bound), over=k, **{"base": ["start"], "by": ["one step"], **grounds})


def test_induction():
    shows(TRIVIAL, GROWS, START, by_induction(c * k), special("at 5", "all", {k: sp.Integer(5)}), qed())
    refused(TRIVIAL, GROWS, START, by_induction(c * k / 2), qed())
    refused(TRIVIAL, GROWS, START, by_induction(c * k, base=[]), qed())
    refused(TRIVIAL, GROWS, START, by_induction(c * k, by=[]), qed())


def test_an_index_is_an_integer_and_metrics_may_change_with_it():
    grows = assumed("one step", le(a(k + 1), a(k) + m))
    assert "may change with k" in refused(TRIVIAL, grows, START, by_induction(m * k), qed())
    fixed = replace(TRIVIAL, setting=replace(SEQUENCE, fixed=(m,)))
    start = assumed("start", le(a(0), 0))
    assert "may change" not in refused(fixed, grows, start, by_induction(m * k / 2), qed())
    real = sp.Symbol("x", positive=True)
    assert "integer" in refused(TRIVIAL, induct("all", le(a(real), c), over=real, start=1), qed())


def test_sums_telescope():
    R = sp.Symbol("R", positive=True, integer=True)
    step = assumed("step", le(a(k + 1), a(k) - c + q))
    total_ = summed("sum", "step", over=k, start=0, last=R - 1)
    out = shows(TRIVIAL, step, total_, have("written", le(a(R) + c * R, a(0) + q * R), by=["sum"]), qed())
    assert out.words == ("assumed",)
    refused(TRIVIAL, step, total_, have("written", le(a(R) + 2 * c * R, a(0) + q * R), by=["sum"]), qed())
    real = sp.Symbol("T", positive=True)
    assert "integer" in refused(TRIVIAL, step, summed("sum", "step", over=k, start=0, last=real), qed())
    moving = assumed("step", le(a(k + 1), a(k) - m))
    assert "may change" in refused(TRIVIAL, moving, total_, qed())
    weighted = summed("sum", "step", over=k, start=0, last=R - 1, weight=c - q)
    assert "violated" in refused(TRIVIAL, step, weighted, qed())


def test_steps_of_one_index_value_are_not_for_all():
    inner = assumed("step", le(a(k), norm2(x)))
    assert "name it as a metric" in refused(TRIVIAL, inner, special("at 1", "step", {k: sp.S.One}), qed())


def test_cases_cover_everything():
    goal = le(sp.S.One, K)
    one, more, three = (have(f"case {i}", goal, when=[on]) for i, on in enumerate((le(K, 1), ge(K, 2), ge(K, 3))))
    used = have("used", le(m, K), by=["all"])
    shows(TRIVIAL, one, more, cases("all", goal, on=le(K, 1), yes="case 0", no="case 1"), used, qed())
    holed = cases("all", goal, on=le(K, 1), yes="case 0", no="case 2")
    assert "K >= 3" in refused(TRIVIAL, one, three, holed, used, qed())


def test_bounds_on_sums():
    t, T = sp.symbols("t T", positive=True, integer=True)
    shows(TRIVIAL, total("sum", le(sp.Sum(1 / t, (t, 1, T)), 1 + sp.log(T)), T), qed())
    refused(TRIVIAL, total("sum", le(sp.Sum(1 / t, (t, 1, T)), sp.log(T)), T), qed())


def test_bounds_on_sums_hold_in_the_range_of_a_parameter():
    t, T = sp.symbols("t T", positive=True, integer=True)
    integral = ge(sp.Sum(t**-q, (t, 1, T)), ((T + 1) ** (1 - q) - 1) / (1 - q))
    between = a_claim(le(q, 1), sp.Gt(q, sp.Rational(1, 2)), sp.Lt(q, 1))
    one, half = {q: sp.S.One}, {q: sp.Rational(1, 2)}
    shows(between, total("integral", integral, T, above=half, below=one), qed())
    assert "q < 1" in refused(
        a_claim(le(q, q), sp.Gt(q, half[q])), total("integral", integral, T, above=half, below=one)
    )
    refused(between, total("sum", replace_side(integral, 2), T, above=half, below=one))
    # without a least value of q there is no sign at the corner where it would be
    assert "no proof for all parameters" in refused(
        a_claim(le(q, 1), sp.Lt(q, 1)), total("open", integral, T, below=one)
    )


def replace_side(relation, factor):
    return relation.func(relation.lhs, factor * relation.rhs, evaluate=False)


def test_strict_inequalities_between_parameters():
    gap = declare("gap_of_L", "L - mu", paper="test", positive=True, defined=True)
    strict = a_claim(sp.Gt(L - mu, 0, evaluate=False), sp.Gt(L, 2 * mu))
    shows(strict, qed())
    assert "does not follow" in refused(a_claim(sp.Gt(L - mu, 0, evaluate=False), ge(L, mu)), qed())
    assert "does not follow" in refused(replace(strict, statement=sp.Lt(L - mu, 0, evaluate=False)), qed())
    # the declared sign of what is defined says nothing
    root = a_claim(sp.Gt(sp.sqrt(L) / gap, 0, evaluate=False), where={gap: L - mu})
    assert "does not follow" in refused(root, qed())
    positive = have("gap", sp.Gt(gap, 0, evaluate=False), by=[unfold(gap)])
    assert "does not follow" in refused(root, positive, qed(by=["gap"]))
    shows(replace(root, hypotheses=strict.hypotheses), positive, qed(by=["gap"]))
    assert "does not follow" in refused(a_claim(sp.Gt(1 / (L - mu) ** 2, 0, evaluate=False)), qed())
    measured = a_claim(sp.Gt(m, 0, evaluate=False), ge(m, 0), setting=Setting(measured=(m,)))
    assert "does not follow" in refused(measured, qed())


# --- other claims

YOUNG_SETTING = Setting(
    depends={"x": "", "y": "", "g": "", "h": ""},
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}},
    measured=(f_x, f_y),
)
LEMMA = replace(
    a_claim(ge(f_y - f_x, dot(g, y - x) + mu / 2 * norm2(x - y)), StronglyConvex("f", mu), setting=YOUNG_SETTING),
    id="test.lemma",
    proof=Proof(qed(by=[convex("f", "x", "y")])),
)
THERE = {"test.lemma": LEMMA}


def test_a_claim_is_cited_at_points_with_its_hypotheses():
    p, r, gp, gr = vectors("p r gp gr")
    v_p, v_r = sp.symbols("v_p v_r", real=True)
    here = Setting(
        depends={"p": "past", "r": "", "gp": "past", "gr": ""},
        functions={"phi": {"p": (p, gp, v_p), "r": (r, gr, v_r)}},
        measured=(v_p, v_r),
    )
    used = cite("test.lemma", at={mu: c}, points={"f.x": "phi.p", "f.y": "phi.r"})
    claim = a_claim(ge(v_r - v_p, dot(gp, r - p) + c / 2 * norm2(p - r)), StronglyConvex("phi", c), setting=here)
    found = shows(claim, qed(by=[used]), cited=THERE)
    assert found.cites == ("test.lemma",)
    assert "not proved" in refused(claim, qed(by=[used]))
    assert "does not assume Convex" in refused(replace(claim, hypotheses=()), qed(by=[used]), cited=THERE)
    assert "violated" in refused(
        a_claim(claim.statement, StronglyConvex("phi", c / 2), setting=here), qed(by=[used]), cited=THERE
    )
    one_point = cite("test.lemma", at={mu: c}, points={"f.x": "phi.p"})
    assert "f_y is at no point" in refused(claim, qed(by=[one_point]), cited=THERE)
    assert "free to choose" in refused(
        claim, qed(by=[cite("test.lemma", at={f_x: sp.S.Zero}, points=dict(used.points))]), cited=THERE
    )


def test_constants_of_a_claim_about_the_same_metrics_are_not_free():
    lemma = replace(a_claim(le(m, L), Smooth("f", L)), id="test.lemma")
    claim = a_claim(le(m, L / 2), Smooth("f", L))
    assert "free to choose" in refused(claim, qed(by=[cite("test.lemma", at={L: L / 2})]), cited={"test.lemma": lemma})


def test_hypotheses_in_words_are_taken_literally():
    worded = Hypothesis("close", "the losses are close")
    lemma = replace(a_claim(le(m, L)), id="test.lemma", hypotheses=(worded,))
    ours = replace(a_claim(le(m, L)), hypotheses=(worded,))
    shows(ours, qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})
    other = replace(ours, hypotheses=(Hypothesis("close", "the losses are not far"),))
    assert "close" in refused(other, qed(by=[cite("test.lemma")]), cited={"test.lemma": lemma})


# --- the statement


def test_the_statement_is_compared_not_read():
    claim = a_claim(sp.And(le(m, 2), ge(m, -1), evaluate=False), le(m, 1), ge(m, 0), setting=Setting(measured=(m,)))
    shows(claim, qed(), qed(of=1))
    assert "no step shows" in refused(claim, qed())
    assert "no step shows" in refused(a_claim(le(m, 1), le(m, 1)), have("another", le(m, 2)))
    under = have("under a case", le(m, 1), when=[le(L, 1)])
    assert "no step shows" in refused(a_claim(le(m, 1), le(m, 1), setting=Setting(measured=(m,))), under)


def test_words_are_counted():
    claim = a_claim(le(m, 1), setting=Setting(measured=(m,)))
    assert shows(claim, in_words("fact", le(m, 1), "everybody knows"), qed(by=["fact"])).words == ("everybody knows",)


def test_a_premise_that_divides_by_zero_proves_nothing():
    zero = in_words("fact", le(m, 1 / (L - mu)), "where mu < L")
    claim = a_claim(le((L - mu) ** 2 * m, L - mu), setting=Setting(measured=(m,)))
    assert "only where Ne(L - mu, 0)" in refused(claim, zero, qed(by=["fact"]))


# --- powers, lemmas and places that are special

t = sp.Symbol("t", real=True)


def test_powers_of_both_sides():
    below = a_claim(le(q**L, c**L), le(q, c))
    shows(below, have("base", le(q, c)), raised("power", "base", to=L), qed(by=["power"]))
    refused(replace(below, statement=le(c**L, q**L)), have("base", le(q, c)), raised("power", "base", to=L), qed())
    assert "-L" in refused(below, have("base", le(q, c)), raised("power", "base", to=-L), qed())
    signed = a_claim(le(t**L, c**L), le(t, c))
    assert "power" in refused(signed, have("base", le(t, c)), raised("power", "base", to=L), qed(by=["power"]))


def test_a_maximum_in_a_hypothesis_bounds_each_argument():
    setting = Setting(measured=(m, before))
    above = a_claim(ge(c, m), sp.Gt(c, sp.Max(m, before, evaluate=False), evaluate=False), setting=setting)
    shows(above, qed())
    shows(replace(above, statement=ge(c, before)), qed())
    refused(replace(above, statement=ge(c, 2 * m)), qed())


def test_lemmas_of_our_own():
    gap = f_y - f_x - dot(g, y - x)
    lemma = a_claim(ge(gap, 0), Convex("f"), setting=POINTS, proof=Proof(qed(by=[convex("f", "x", "y")])))
    here = {p: p for p in ("f.x", "f.y")}
    twice = a_claim(ge(2 * gap, 0), Convex("f"), setting=POINTS)
    shows(twice, qed(by=[cite(lemma, points=here)]))
    assert "Convex" in refused(replace(twice, hypotheses=()), qed(by=[cite(lemma, points=here)]))
    wrong = replace(lemma, statement=ge(gap, 1))
    refused(twice, qed(by=[cite(wrong, points=here)]))
    assert "has no proof" in refused(twice, qed(by=[cite(replace(lemma, proof=None), points=here)]))
    worded = replace(lemma, proof=Proof(in_words("known", ge(gap, 0), "known"), qed(by=["known"])))
    assert shows(twice, qed(by=[cite(worded, points=here)])).words == ("known",)


def test_a_minimum_is_a_minimum_where_a_claim_is_cited():
    """``||grad f(x)||^2 <= 2 L (f(x) - f(x*))`` is about a minimum; it says nothing of two points."""
    minimum = Setting(
        depends={"x": "", "y": "", "g": ""},
        functions={"f": {"x": (x, g, f_x), "y": (y, Vector(), f_y)}},
        measured=(f_x, f_y),
    )
    about = (Convex("f"), Smooth("f", L), Attained("f"))
    by_rule = Proof(qed(by=[smooth_convex("f", "x", "y")]))
    bound = replace(a_claim(le(norm2(g), 2 * L * (f_x - f_y)), *about, setting=minimum), id="test.bound", proof=by_rule)
    shows(bound, *by_rule.steps)
    anywhere = a_claim(le(norm2(g), 2 * L * (f_x - f_y)), *about, setting=POINTS)
    both = cite(bound.id, points={"f.x": "f.x", "f.y": "f.y"})
    assert "known to have 0" in refused(anywhere, qed(by=[both]), cited={bound.id: bound})
    shows(replace(anywhere, setting=minimum), qed(by=[both]), cited={bound.id: bound})
    assert "does not assume that f attains its minimum" in refused(
        replace(anywhere, setting=minimum, hypotheses=anywhere.hypotheses[:2]), qed(by=[both]), cited={bound.id: bound}
    )


# --- limits, roots, a case that sets a symbol, and indices of sums

s = sp.Symbol("s", positive=True)
(u,) = vectors("u")
ONE = Setting(depends={"u": ""}, metrics={before: norm2(u)}, fixed=(before, after), measured=(after,))


def test_a_limit_of_an_inequality_that_holds_for_all_positive_numbers():
    claim = a_claim(le(before, after), le(before, after), setting=ONE)
    start = have("with s", le(before, after * (1 + s) - s * before))
    assert shows(claim, start, limit("at 0", "with s", over=s), qed(by=["at 0"]))
    with pytest.raises(Refused, match="polynomials"):
        shows(claim, have("s", le(s / (1 + s), 1)), limit("at 0", "s", over=s))
    with pytest.raises(Refused, match="polynomials"):
        shows(claim, have("s", le(1 - s, 0), when=[ge(s, 1)]), limit("at 0", "s", over=s))
    with pytest.raises(Refused, match="symbol of the claim"):
        shows(a_claim(le(rho, 1), le(rho, 1)), have("r", le(rho, 1)), limit("at 0", "r", over=rho))
    with pytest.raises(Refused, match="any positive number"):
        shows(claim, have("k", ge(k, 0)), limit("at 0", "k", over=k))


def test_what_a_metric_stands_for_keeps_a_symbol_from_being_chosen():
    claim = a_claim(le(before, 0), setting=replace(ONE, metrics={before: norm2(s * u)}))
    with pytest.raises(Refused, match="may change with s"):
        shows(claim, have("s", le(before, before + s)), limit("at 0", "s", over=s))


def test_a_root_needs_a_small_side_that_is_nonnegative():
    x, y = sp.symbols("x y", nonnegative=True)
    assert shows(
        a_claim(le(x, y), le(x**2, y**2)),
        have("squares", le(x**2, y**2)),
        raised("x", "squares", to=sp.S.Half),
        qed(by=["x"]),
    )
    with pytest.raises(Refused):
        shows(a_claim(le(mu - 2, 1), le(mu - 2, 1)), have("n", le(mu - 2, 1)), raised("square", "n", to=2))


def test_a_case_in_which_a_symbol_is_zero():
    p = sp.Symbol("p", nonnegative=True)
    claim = a_claim(le(p * before, p * after), le(before, after))
    flat, curved = eq(p, 0), sp.Ne(p, 0, evaluate=False)
    goal = le(p * before, p * after)
    halves = have("zero", goal, when=[flat]), have("positive", goal, when=[curved], by=["given"])
    given = have("given", le(before, after))
    assert shows(claim, given, *halves, cases("both", goal, on=flat, yes="zero", no="positive"), qed(by=["both"]))
    with pytest.raises(Refused, match="has a meaning only where"):
        shows(claim, have("zero", le(before / p, after / p), when=[eq(p, 0)]))


def test_the_terms_of_a_sum_are_not_those_of_the_step():
    """From ``sum_k a(k) <= K c`` it does not follow that each ``a(k) <= c``, though ``a(k)`` has a form."""
    setting = Setting(metrics={a(k): moved, before: a(0)}, measured=(moved,))
    given = in_words("sum", le(sp.Sum(a(k), (k, 0, K - 1)), K * c), "given")
    each = have("each", le(a(k), c), by=["sum"])
    with pytest.raises(Refused):
        shows(
            a_claim(le(before, c), setting=setting),
            given,
            each,
            special("first", "each", {k: sp.S.Zero}),
            qed(by=["first"]),
        )


def test_multipliers_by_the_name_of_the_premise():
    """By a wrong name they are refused, with the names that there are, in order."""
    c, d = sp.symbols("c d", positive=True)
    claim = a_claim(le(dot(u, v), c + d), setting=Setting(depends={"u": "", "v": ""}))
    steps = [in_words("one", le(norm2(u), 2 * c), "w"), in_words("two", le(norm2(v), 2 * d), "w")]
    half = sp.Rational(1, 2)
    shows(claim, *steps, qed(by=["two", "one"], multipliers={"one": half, "two": half}))
    shows(claim, *steps, qed(by=["two", "one"], multipliers=[half, half]))
    shows(claim, *steps, qed(by=["two", "one"]))
    assert "its premises in order: two; one" in refused(
        claim, *steps, qed(by=["two", "one"], multipliers={"one": half})
    )
    named = refused(claim, *steps, qed(by=["two", "one"], multipliers={"three": half}))
    assert "'three' is the name of 0 premises; they are: two; one" in named
    assert "3 multipliers for 2 premises" in refused(
        claim, *steps, qed(by=["two", "one"], multipliers=[half, half, half])
    )


def test_a_refusal_says_what_is_missing():
    """What an earlier step or a hypothesis would give; roots, minima and sums that were taken as unknowns."""
    K_, eta, c = sp.symbols("K_ eta c", positive=True)
    vectors_ = Setting(depends={"u": ""})
    long = a_claim(le(norm2(u), K_ * eta * norm2(u)), le(1 / c, eta), le(c, K_), setting=vectors_)
    steps = have("large", le(1, K_ * eta), by=[supposed("h0"), supposed("h1")])
    shows(long, steps, qed(by=["large"]))
    why = refused(long, steps, qed())
    assert "there it needs K_*eta - 1 >= 0" in why and "it is not told of 'large'; supposed('h0'): 1/c <= eta" in why
    n, i = sp.symbols("n i", positive=True, integer=True)
    harmonic = sp.Sum(1 / i, (i, 1, n))
    unknown = refused(a_claim(le(harmonic, 1 + sp.log(n))), qed())
    assert "as unknowns: violated by" in unknown and "total or summed" in unknown and "log(n)" in unknown
    assert "as unknown" not in refused(a_claim(le(sp.sqrt(c) * 3, c + 1)), qed())  # nothing is left to guess


def test_a_setting_says_what_is_wrong_with_a_mean_and_between_which_settings():
    depends = {"g": "past client", "avg": "past client"}
    with pytest.raises(ValueError, match="avg, a mean over client, should not depend on client"):
        Setting(depends=depends, means={"avg": Mean("g", "client")})
    with pytest.raises(ValueError, match="avg, a mean of g over client, should depend on past too"):
        Setting(depends={**depends, "avg": ""}, means={"avg": Mean("g", "client")})
    N = sp.Symbol("N", positive=True, integer=True)
    with pytest.raises(ValueError, match="client is N in one setting and 2 in another"):
        Setting(sizes={"client": N}, others=(Setting(sizes={"client": sp.Integer(2)}),))
    f_x, (w,) = sp.Symbol("f_x", real=True), vectors("w")
    points = {"f": {"x": (x, w, f_x)}, "F": {"x": (x, w, f_x), "y": (w, w, f_x)}}
    with pytest.raises(ValueError, match=r"F is a mean of f: at y it has w .* it has no such point"):
        Setting(
            depends={"x": "", "w": ""},
            functions={"F": {"y": points["F"]["y"]}, "f": {}},
            made={"F": Mean("f", "client")},
        )


def test_copies_of_a_claim_with_relations_everywhere_are_refused():
    """Half a bound, or twice the constant of a hypothesis: the bound of the first round plus that of any point."""
    f_x, (g_, m_) = sp.Symbol("f_x", real=True), vectors("g_ m_")
    setting = Setting(
        depends={"x": "past", "g_": "past client", "m_": "past"},
        means={"m_": Mean("g_", "client")},
        functions={"f": {"x": (x, g_, f_x)}, "F": {"x": (x, m_, f_x)}},
        made={"F": Mean("f", "client")},
        fixed=(c,),
    )
    told = BoundedDissimilarity("f", "client", c, q), EveryRound("first", le(a(k), L), k)
    claim = a_claim(le(norm2(g_) + a(1), c + q * norm2(m_) + L), *told, setting=setting)
    proof = Proof(qed(by=[dissimilar("f", "x"), supposed("h1", {k: sp.S.One})]))
    check(claim, proof, {}.get)
    made = list(copies(claim))
    assert {name for name, _ in made} >= {"h0 with another growth", "h0 with another bound", "h1 with another bound"}
    for _, copy in made:
        with pytest.raises(Refused):
            check(copy, proof, {}.get)
