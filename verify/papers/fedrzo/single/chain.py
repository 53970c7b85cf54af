"""Proposition 1 as it should be: its descent, both explicit bounds and the complexities, step by step.

``A`` is the mean over k of E||grad F_eta(xbar_k)||^2, ``E`` the mean of the consensus error. A summed descent bounds A
by E (Lemma 5), Lemma 8 bounds E by A, and the bound on the stepsize closes the circle. Condition (2) for all x needs
``B_2 >= 1`` unless all sets are the whole space: ``||x - mean P_i||^2 <= mean dist^2`` by Jensen, so that
``(1 - B_2^2) mean dist^2 <= B_1^2``, and the distance from a set other than the whole space is unbounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from rateproof.theory.claim import Claim, Kind, Source
from rateproof.theory.papers.fedrzo.notation import (
    B2,
    D0,
    L0,
    H,
    K_it,
    eta_s,
    gamma,
    grad_kstar,
    m,
    nu,
)
from rateproof.theory.papers.fedrzo.single.notation import (
    E_eb,
    E_F_next,
    E_F_now,
    E_sq_grad,
    M,
    cross_agg,
    eb,
    sq_agg,
    sq_dev,
    sq_grad,
    sum_all,
    sum_grad,
    sum_rounds,
)
from rateproof.theory.symbols import n
from rateproof.verify.deciders import premises
from rateproof.verify.deciders.certificates import Combination, Premise, cite, prove, unproved
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.fedrzo.single.arguments import (
    ONE,
    Terms,
    plainly_nonnegative,
    relation_of,
    step,
    together,
    with_rest,
)
from rateproof.verify.papers.fedrzo.single.proofs import DEVIATION, second_moment

RUN = ("lipschitz", "unbiased", "variance_bounded", "sets", "dissimilarity", "algorithm1", "fresh", "frequency", "k*")
A = grad_kstar
Parts = Callable[[Claim], list[tuple[str, Evidence]]]
E = sp.Symbol("mean_k_E_eb_k", real=True)
#: The mean over k of the gradients in the round so far.
SUMMED = sp.Symbol("mean_k_sum_grad_k", nonnegative=True)
#: Noise of one estimate, as in Lemma 4 (iii) and as in lem4.iii.sharp.corrected.
V = n**2 * (6 * nu**2 / eta_s**2 + 3 * L0**2)
V_SHARP = n**2 * (4 * nu**2 / eta_s**2 + L0**2)
#: Smoothness constant of F_eta without Moreau terms.
M_F = L0 * n / eta_s
_SUMMED = "summed over k, telescoped, divided by gamma (K + 1)/4; F_eta(xbar_{K+1}) >= inf F_eta"
NONNEGATIVE = Premise(A, "a mean of squares")
SETS = "B_2 >= 1, or X_i = R^n for all i (eq. (2) for all x, Jensen)"


#: Lemma 5 in expectation.
IN_MEAN = {sq_grad: E_sq_grad, eb: E_eb}


def summed_descent(modulus: sp.Expr, first: sp.Expr, noise: sp.Expr, why: str) -> Premise:
    """One step of the descent, summed over k: ``first`` stands for 4 D_0/(gamma (K + 1)), ``noise`` for gamma V/m."""
    return Premise(first + 2 * modulus * noise + 3 * M**2 * E - A, f"{why}, {_SUMMED}")


def _one_step(claim: Claim, modulus: sp.Expr) -> Evidence:
    """One step of the descent with a smoothness constant of F_eta, for gamma <= 1/(4 modulus), and Lemma 5 as it is."""
    cross, agg = sp.symbols("E_cross E_agg", real=True)
    small = Premise(1 - 4 * modulus * gamma, "gamma is at most 1/4 of the inverse smoothness constant")
    bound = small.expr * E_sq_grad, small.expr * E_eb
    slope, drift = (Premise(e, f"{small.why}, times a square") for e in bound)
    terms = [
        (
            ONE,
            Premise(
                E_F_now - gamma * cross + modulus * gamma**2 / 2 * agg - E_F_next,
                "descent lemma along the step of Lemma 3",
            ),
        ),
        (gamma, cite("fedrzo.lem5.ii", {cross_agg: cross, **IN_MEAN})),
        (modulus * gamma**2 / 2, cite("fedrzo.lem5.i", {sq_agg: agg, **IN_MEAN})),
        (gamma / 4, slope),
        (gamma * M**2 / 4, drift),
    ]
    return prove(claim, [Combination(terms)])


def one_step(claim: Claim) -> Evidence:
    """st.5.mean.corrected."""
    try:
        premises.need(claim, *(key for key in RUN[:7] if key != "dissimilarity"))
        cap = relation_of(claim, "gamma_smooth_mean")
    except ValueError as error:
        return unproved(str(error))
    if sp.simplify(cap.lhs / cap.rhs - 4 * M * gamma) != 0 or cap.rel_op != "<=":
        return unproved(f"the descent needs gamma <= eta/(4(L_0 n + 1)), the claim has {cap}")
    return _one_step(claim, M)


def one_step_with(modulus: sp.Expr) -> Evidence:
    """The displayed descent with any of the two constants."""
    goal = sp.Le(
        gamma / 4 * E_sq_grad,
        E_F_now - E_F_next + gamma**2 * modulus / (2 * m) * V + 3 * gamma * M**2 / 4 * E_eb,
        evaluate=False,
    )
    return _one_step(_blank(goal), modulus)


def _blank(statement: sp.Basic) -> Claim:
    return Claim("fedrzo.step", Source("fedrzo", "a step"), Kind.INEQUALITY, "", statement)


# --- Proposition 1 (i)


def squared_cap(claim: Claim) -> Premise:
    """``1 - (rhs/lhs of the third bound)^2 >= 0``."""
    cap = relation_of(claim, "gamma_sets")
    if cap.rel_op != "<=":
        raise ValueError(f"gamma_sets should bound gamma from above, got {cap}")
    return Premise(sp.expand((cap.rhs / eta_s) ** 2 - (cap.lhs / eta_s) ** 2), "the square of the third bound on gamma")


def follows_from_sets(claim: Claim, needed: sp.Expr) -> Evidence:
    """``needed <= eta`` from the third bound on gamma, as B_2 >= 1."""
    cap = relation_of(claim, "gamma_sets")
    more = sp.Symbol("b", nonnegative=True)
    rest = ((cap.lhs - needed) / cap.rhs).subs(B2, 1 + more)
    if cap.rhs != eta_s:
        raise ValueError(f"the third bound on gamma has the right side {cap.rhs}")
    steps_more = sp.Symbol("h", nonnegative=True)
    return step(plainly_nonnegative(rest.subs(H, 1 + steps_more)), f"{needed} is at most the third bound's left side")


def _drift(weight: sp.Expr) -> list[tuple[sp.Expr, Premise]]:
    """The drift in the mean over k, where each gradient counts for the rest of its round."""
    return [
        (weight, cite("fedrzo.lem8.b.corrected", {E_eb: E, sum_grad: SUMMED})),
        (weight * 24 * B2**2 * H * gamma**2, cite("fedrzo.st.6", {sum_rounds: SUMMED, sum_all: A})),
    ]


def _closing(claim: Claim) -> Premise:
    cap = squared_cap(claim)
    return Premise(cap.expr * A, f"{cap.why}, times A >= 0")


def _constrained(claim: Claim) -> list[tuple[str, Evidence]]:
    first = 4 * D0 / (gamma * (K_it + 1))
    descent = summed_descent(M, first, gamma * V / m, "st.5.mean.corrected")
    terms: Terms = [
        (sp.Integer(2), descent),
        *_drift(6 * M**2),
        (sp.Rational(1, 3) * ONE, _closing(claim)),
        (sp.Rational(2, 3) * ONE, NONNEGATIVE),
    ]
    return [
        ("gamma <= 1/(4M)", follows_from_sets(claim, 4 * (L0 * n + 1) * gamma)),
        ("gamma <= eta/(4H)", follows_from_sets(claim, 4 * H * gamma)),
        ("one step", one_step_with(M)),
        ("sets: the bound", prove(claim, [with_rest(claim, terms)])),
    ]


def unconstrained(claim: Claim, first: sp.Expr, noise: sp.Expr, steps: sp.Expr) -> list[tuple[str, Evidence]]:
    """Without Moreau terms the modulus is L_0 n/eta, and the drift is bounded by the estimates alone."""
    drift = Premise(
        steps * V - E, "Lemma 8's argument: E eb_k <= gamma^2 (k - T_r) sum_t mean E||g||^2, and eq. (8) without sets"
    )
    terms: Terms = [(ONE, summed_descent(M_F, first, noise, "the printed descent")), (3 * M**2, drift)]
    return [("no sets: one step", one_step_with(M_F)), ("no sets: the bound", prove(claim, [with_rest(claim, terms)]))]


def smooth_cap(claim: Claim) -> Evidence:
    """The first bound on gamma is 1/4 of the inverse smoothness constant without Moreau terms."""
    cap = relation_of(claim, "gamma_smooth")
    return step(
        sp.simplify(cap.lhs / cap.rhs - 4 * M_F * gamma) == 0 and cap.rel_op == "<=", "the first bound on gamma"
    )


def _free_case(claim: Claim) -> list[tuple[str, Evidence]]:
    first, noise = 4 * D0 / (gamma * (K_it + 1)), gamma * V / m
    return [
        ("gamma <= eta/(4 L_0 n)", smooth_cap(claim)),
        *unconstrained(claim, first, noise, H**2 * gamma**2),
    ]


def _large_case(claim: Claim) -> list[tuple[str, Evidence]]:
    """L_0 n >= 1/4 with sets: gamma M <= 1/20, and the noise is smaller than Lemma 4 says."""
    large = relation_of(claim, "L0n>=1/4")
    enough = large.rel_op == ">=" and sp.expand(large.lhs - 4 * L0 * n) == 0 and large.rhs == 1
    first = D0 / (gamma * (K_it + 1))
    descent = Premise(
        first + M * gamma * V_SHARP / (2 * m) + sp.Rational(11, 20) * M**2 * E - sp.Rational(9, 20) * A,
        f"the descent with gamma M <= 1/20 and the noise of lem4.iii.sharp.corrected, {_SUMMED}",
    )
    weight = sp.Rational(12, 5)
    close = weight * sp.Rational(11, 20) * 24 / 432
    terms: list[tuple[sp.Expr, Premise]] = [
        (weight, descent),
        *_drift(weight * sp.Rational(11, 20) * M**2),
        (close, _closing(claim)),
        (weight * sp.Rational(9, 20) - 1 - close, NONNEGATIVE),
    ]
    more = sp.Symbol("s", nonnegative=True)
    goal = claim.statement
    assert isinstance(goal, sp.Rel)
    rest = (goal.rhs - goal.lhs - sum(c * p.expr for c, p in terms)).subs(L0, (1 + more) / (4 * n))
    return [
        ("L_0 n >= 1/4", step(enough, "the hypothesis")),
        ("gamma M <= 1/20", follows_from_sets(claim, 20 * (L0 * n + 1) * gamma)),
        ("gamma <= eta/(4H)", follows_from_sets(claim, 4 * H * gamma)),
        ("one step", _large_step()),
        ("sets: the bound", step(plainly_nonnegative(rest), "what is left has nonnegative terms")),
    ]


def _sharper() -> list[tuple[sp.Expr, Premise]]:
    """Lemma 5 (i) with less noise."""
    return second_moment(cite("fedrzo.lem4.iii.sharp.corrected", {sq_dev: DEVIATION}))


def _large_step() -> Evidence:
    cross, agg = sp.symbols("E_cross E_agg", real=True)
    small = 1 - 20 * M * gamma
    goal = sp.Le(
        sp.Rational(9, 20) * gamma * E_sq_grad,
        E_F_now - E_F_next + gamma**2 * M / (2 * m) * V_SHARP + sp.Rational(11, 20) * gamma * M**2 * E_eb,
        evaluate=False,
    )
    terms = [
        (ONE, Premise(E_F_now - gamma * cross + M * gamma**2 / 2 * agg - E_F_next, "descent lemma")),
        (gamma, cite("fedrzo.lem5.ii", {cross_agg: cross, **IN_MEAN})),
        *((M * gamma**2 / 2 * c, Premise(p.expr.subs({sq_agg: agg, **IN_MEAN}), p.why)) for c, p in _sharper()),
        (gamma / 20, Premise(small * E_sq_grad, "gamma M <= 1/20")),
        (gamma * M**2 / 20, Premise(small * E_eb, "gamma M <= 1/20")),
    ]
    return prove(_blank(goal), [Combination(terms)])


def guarded(claim: Claim, needs: tuple[str, ...], parts: Parts, said: str) -> Evidence:
    """A joint proof of parts that rest on some hypotheses; inconclusive when the claim lacks one or differs."""
    try:
        premises.need(claim, *needs)
        return together(parts(claim), said)
    except ValueError as error:
        return unproved(str(error))


def bound(claim: Claim) -> Evidence:
    """prop1.i.corrected: two cases."""
    return guarded(claim, RUN, lambda c: [*_constrained(c), *_free_case(c)], f"cases: {SETS}")


def large_bound(claim: Claim) -> Evidence:
    """prop1.i.large.corrected."""
    return guarded(claim, RUN, lambda c: [*_large_case(c), *_free_case(c)], f"cases: {SETS}")


def free_bound(claim: Claim) -> Evidence:
    """prop1.i.free.corrected."""
    return guarded(claim, (*RUN, "free"), _free_case, "X_i = R^n: no Moreau terms")


CHAINS: Mapping[str, Callable[[Claim], Evidence]] = {
    "st.5.mean.corrected": one_step,
    "prop1.i.corrected": bound,
    "prop1.i.large.corrected": large_bound,
    "prop1.i.free.corrected": free_bound,
}
