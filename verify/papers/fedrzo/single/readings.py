"""Claims with an ambiguous place: Lemma 7's root and the rule for H in the proof of Proposition 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.notation import H, K_it, gamma, m
from rateproof.theory.papers.fedrzo.single.notation import a_k, beta, j_k, sum_theta, sum_theta_w
from rateproof.theory.proof.printed import written
from rateproof.theory.shorthand import ge, le
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, machine, premises
from rateproof.verify.deciders.certificates import Combination, Premise, cite, prove, unproved
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.single.arguments import ONE, parts_of, relation_of, step, together
from rateproof.verify.papers.fedrzo.single.points import number_trials, sequence_trials
from rateproof.verify.trial import Trial

DETAIL = "the recursion with equality"
_SHORTER = le(j_k, H)

_c = sp.Symbol("c", positive=True)  # H gamma^2
_U, _W, _a, _theta = sp.symbols("U W a_t theta_t", real=True)


def _lacking(claim: Claim) -> str:
    """What Lemma 7 rests on and the claim does not have; empty when it has all."""
    try:
        premises.need(claim, "recursion")
        lengths = parts_of(claim, "round_length")
    except ValueError as error:
        return str(error)
    return "" if _SHORTER in lengths else f"the argument uses {_SHORTER}, the claim has {lengths}"


def unrolled(claim: Claim) -> Evidence:
    """lem7.a: U_k = sum (beta a_t + theta_t) <= W_k = sum (1 + beta c)^(k-t-1) theta_t by induction, c = H gamma^2."""
    if lacking := _lacking(claim):
        return unproved(lacking)
    grows = machine.Form(
        "U_{k+1} <= W_{k+1}",
        le(_U + beta * _a + _theta, (1 + beta * _c) * _W + _theta),
        (le(_a, _c * _U), le(_U, _W)),
        values=(_U, _W, _a, _theta),
    )
    induction = machine.prove(claim, machine.Proof(lambda _: [grows]))
    last = [
        (ONE, Premise(j_k * gamma**2 * _U - a_k, "the recursion at k")),
        (gamma**2, Premise((H - j_k) * _U, "k - T_r <= H and U >= 0")),
        (H * gamma**2, Premise(sum_theta_w - _U, "the induction at k")),
    ]
    return together(
        (
            ("start: both are empty sums", step(True, "0 <= 0")),
            ("induction", induction),
            ("end", prove(claim, [Combination(last)])),
        ),
        "U_k <= W_k for all k, as a_k <= H gamma^2 U_k",
    )


def capped(claim: Claim) -> Evidence:
    """lem7.b: beta H gamma^2 <= 1/H, and (1 + 1/H)^(H-1) < 3."""
    if lacking := _lacking(claim):
        return unproved(lacking)
    try:
        cap = relation_of(claim, "gamma_7")
    except ValueError as error:
        return unproved(str(error))
    size = sp.simplify(beta * H * cap.rhs**2 * H)
    t = sp.Symbol("t", nonnegative=True)
    slope = sp.simplify(sp.diff(t - sp.log(1 + t), t) - t / (1 + t))
    last = [
        (ONE, cite("fedrzo.lem7.a")),
        (H * gamma**2, Premise(3 * sum_theta - sum_theta_w, "every weight is at most (1 + 1/H)^(H-1) < e < 3")),
    ]
    return together(
        (
            ("beta H gamma^2 <= 1/H", step(cap.lhs == gamma and cap.rel_op == "<=" and size == 1, "at the cap")),
            ("ln(1 + t) <= t", step(slope == 0, "both vanish at 0, and the difference has the slope t/(1 + t)")),
            ("end", prove(claim, [Combination(last)])),
        ),
        "(1 + 1/H)^(H-1) <= exp((H-1)/H) < e < 3",
    )


def _with_readings(claim: Claim, trials: Sequence[Trial], proof: Evidence | None, detail: str) -> Iterable[Evidence]:
    evidence = bounds.decide(claim, trials, method="exact sequences", detail=detail)
    yield evidence
    if evidence.finding is not Finding.VIOLATION and proof is not None:
        yield proof
    for switch in claim.switches:
        name = switch.reading
        yield bounds.decide(claim.read(switch), trials, method="exact sequences", detail=detail, reading=name)


def check_lemma7_a(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The first part."""
    yield from _with_readings(claim, sequence_trials(), unrolled(claim), DETAIL)


def check_lemma7_b(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The second part, under both extents of the root."""
    yield from _with_readings(claim, sequence_trials(), capped(claim), DETAIL)


def substituted(claim: Claim) -> Evidence:
    """st.8: every equation after gamma and H are put in, in powers of positive numbers."""
    try:
        rule, steps = relation_of(claim, "gamma_com"), relation_of(claim, "H_proof")
        some = relation_of(claim, "K>=1")
    except ValueError as error:
        return unproved(str(error))
    if rule.lhs != gamma or steps.lhs != H or not isinstance(rule, sp.Eq) or not isinstance(steps, sp.Eq):
        return unproved("gamma and H are not given by equations")
    if some != ge(K_it, 1):
        return unproved(f"K >= 1 is needed, the claim has {some}")
    count, clients = sp.symbols("K m", positive=True)

    def positive(expr: sp.Expr) -> sp.Expr:
        put_in = expr.subs({gamma: rule.rhs, H: steps.rhs})
        return sp.powsimp(sp.simplify(put_in.subs({K_it: count, m: clients})), force=True)

    return together(
        (
            (written(r), step(r.rel_op == "==" and sp.simplify(positive(r.lhs) / positive(r.rhs)) == 1, "powers"))
            for r in conjuncts(claim.statement)
        ),
        "K >= 1",
    )


def check_substitution(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The rule of the proof, without rounding H up."""
    detail = "K a fourth power times m^3, so that H is whole; rounded up, H^2 gamma^2 exceeds 1/sqrt(mK)"
    yield from _with_readings(claim, tuple(number_trials()), substituted(claim), detail)


CHECKS = {"lem7.a": check_lemma7_a, "lem7.b": check_lemma7_b, "st.8": check_substitution}
