"""The example of the introduction, condition (2) as a weakening, Remark 1 beside [66], and what is of other papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.single.notation import far_0, mean_dist2, rho, sq_res
from rateproof.theory.papers.fedrzo.single.smoothing import AT_ITERATE, WHERE_DISSIMILAR
from rateproof.theory.proof.printed import written
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.deciders.certificates import Combination, Premise, cite, prove, proved, unproved
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.papers.fedrzo.single.arguments import ONE, step, together
from rateproof.verify.papers.fedrzo.single.families import measured
from rateproof.verify.papers.fedrzo.single.proofs import ARGUMENTS
from rateproof.verify.trial import Trial

_x, _y = sp.symbols("x y", real=True)


def _minmax() -> list[tuple[sp.Expr, sp.Expr]]:
    """min over x of max over y: the largest feasible y is -x, which lies in [-1, 1]; then x^2 - x is minimised."""
    value = _x**2 - _x
    critical = sp.solve(sp.diff(value, _x), _x)
    candidates = [c for c in (*critical, sp.Integer(-1), sp.Integer(1)) if -1 <= c <= 1]
    least = min(value.subs(_x, c) for c in candidates)
    return [(c, -c) for c in dict.fromkeys(candidates) if value.subs(_x, c) == least]


def _maxmin() -> list[tuple[sp.Expr, sp.Expr]]:
    """max over y of min over x: x = 0 where y <= 0 (value y), x = -y where y > 0 (value y^2 + y, increasing)."""
    candidates = [(sp.Integer(0), sp.Integer(0)), (sp.Integer(-1), sp.Integer(1))]
    values = [c[0] ** 2 + c[1] for c in candidates]
    increasing = sp.diff(_y**2 + _y, _y).subs(_y, sp.Symbol("t", nonnegative=True)).is_positive
    if not increasing:
        raise ValueError("y^2 + y should increase for y >= 0")
    return [c for c, v in zip(candidates, values, strict=True) if v == max(values)]


def check_example(solve: Callable[[], list[tuple[sp.Expr, sp.Expr]]], why: str) -> Callable[..., Iterable[Evidence]]:
    """A claim about the solutions of the example, from their exact list."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        found = solve()
        values = {"x_mm": float(found[0][0]), "y_mm": float(found[0][1]), "solutions": float(len(found))}
        tried = bounds.decide(claim, [Trial.exact(why, values, {}, at=values)], method="closed form", detail=why)
        yield tried
        if tried.finding is Finding.HOLDS:
            yield proved(f"{why}; the solutions are {found}", method="closed form")

    return check


def not_ours(why: str) -> Callable[..., Iterable[Evidence]]:
    """No check, and why."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        yield Evidence(Finding.NO_CHECK, Level.CERTIFICATE, "none", why)

    return check


#: A hidden constant of Remark 1's bounds.
HIDDEN = 3.0


def check_match(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The bounds of Remark 1 beside Table 1's entries for [66], solved for the number of iterations."""
    trials = []
    for clients, steps, size in ((1, 16, 1.0), (4, 10**4, 3.0), (50, 10**6, 0.1)):
        values = {
            "m": clients,
            "K_it": steps,
            "K_66": steps,
            "G_66": size,
            "epsilon": size**2 / (clients * steps) ** 0.5,
            "C_O": HIDDEN,
        }
        values["K_eps"] = HIDDEN / (clients * values["epsilon"] ** 2)
        values["rounds_66"] = clients**0.75 * steps**0.75
        values["rounds"] = HIDDEN * (clients * steps) ** 0.75
        trials.append(Trial.exact(f"m = {clients}, K = {steps}, G = {size:g}", values, {}, at=values))
    tried = bounds.decide(claim, trials, method="exponents", detail="the entries of Table 1 for [66]")
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield _matched(claim)


def _matched(claim: Claim) -> Evidence:
    """Both equations after the table's entries are put in, in powers of positive numbers."""
    given = {h.relation.lhs: h.relation.rhs for h in claim.hypotheses if isinstance(h.relation, sp.Eq)}
    signs = {s: sp.Symbol(s.name, positive=True) for r in conjuncts(claim.statement) for s in r.free_symbols}
    signs |= {s: sp.Symbol(s.name, positive=True) for e in given.values() for s in e.free_symbols}

    def same(relation: sp.Rel) -> bool:
        # epsilon stands in what K_eps is, too
        left, right = (side.xreplace(given).xreplace(given).xreplace(signs) for side in relation.args)
        return isinstance(relation, sp.Eq) and bool(sp.simplify(sp.powsimp(left / right, force=True)) == 1)

    parts = [(written(r), step(same(r), "powers")) for r in conjuncts(claim.statement)]
    return together(parts, "with the bounds of Remark 1 and the entries of Table 1 for [66] put in")


# --- the condition on the sets as a weakening


def far_points() -> Ladder:
    """Points without end whose residuals nearly cancel, around a run that stays where it starts."""
    rungs = [measured("cone and half-space", u=f"1/{10**k}", w=10**k, rho=1) for k in range(6)]
    return Ladder("u -> 0, w = 1/u", rungs, "mean dist^2 is 2/u^2 and ||mean residual||^2 less than 1")


def far_iterates() -> Ladder:
    """Iterates farther and farther from the only point of X, and their bound."""
    rungs = [measured("stray step", L0=1, nu=1, eta=1, gamma=10**k, c=1) for k in range(6)]
    return Ladder("gamma -> infinity", rungs, "the iterate is far from X, and its bound as large")


def near_iterates() -> Ladder:
    """Iterates nearer and nearer to where two discs touch."""
    rungs = [measured("touching discs", s=f"1/{10**k}") for k in range(1, 7)]
    return Ladder("gamma -> 0", rungs, "the residuals are of the order t^2 and their mean of t^3")


def weaker(claim: Claim) -> Evidence:
    """rem.dissim.bounded, and the residual's square on the right side for nothing."""
    if AT_ITERATE not in claim.hypotheses:
        return unproved(f"the argument uses {AT_ITERATE.text}, which is no hypothesis")
    bound = le(mean_dist2, (rho + far_0) ** 2)
    assert isinstance(claim.statement, sp.Rel)
    with_one = claim.statement.func(*(side.subs(C_O, 1) for side in claim.statement.args), evaluate=False)
    square = sp.expand(with_one.args[1]).coeff(sq_res)
    terms = [(ONE, cite("fedrzo.rem.dissim.bounded")), *([(square, Premise(sq_res, "a square"))] if square else [])]
    return together(
        (
            ("at the iterate", ARGUMENTS["rem.dissim.bounded"].evidence(replace(claim, statement=bound))),
            ("with B_2 = 1, too", prove(replace(claim, statement=with_one), [Combination(terms)])),
        ),
        "hidden constant 1",
    )


def check_weaker(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """At the iterates, and at all points."""
    ladders, method = (far_iterates(), near_iterates(), far_points()), "exact points"
    evidence = growth.decide(claim, ladders, method=method)
    yield evidence
    if evidence.finding is not Finding.VIOLATION:
        yield weaker(claim)
    if WHERE_DISSIMILAR in claim.switches:
        other = claim.read(WHERE_DISSIMILAR)
        yield growth.decide(other, ladders, method=method, reading=WHERE_DISSIMILAR.reading)


_OTHER = "the row quotes another paper, and nothing in this paper says under which constants and parameters it holds; "
CHECKS = {
    "intro.mm-1": check_example(_minmax, "the inner maximiser is -x, and x^2 - x is least at 1/2"),
    "intro.mm-2": check_example(_maxmin, "the inner value is y for y <= 0 and y^2 + y for y > 0, largest at y = 1"),
    "tab1.66": not_ours(
        _OTHER + "its entries agree with one another: rounds of K^{1/4}/m^{3/4} steps give the rate 1/sqrt(mK) and "
        "K/(K^{1/4}/m^{3/4}) = (mK)^{3/4} rounds"
    ),
    "tab1.61": not_ours(
        _OTHER + "m^{3/2} K^{1/2} rounds mean rounds of K^{1/2}/m^{3/2} steps, which is known for clients with equal "
        "data; the table does not say so"
    ),
    "tab1.21": not_ours(_OTHER + "(mK)^{1/3} rounds mean rounds of K^{2/3}/m^{1/3} steps"),
    "rem1.match": check_match,
    "rem.dissim.weaker": check_weaker,
}
