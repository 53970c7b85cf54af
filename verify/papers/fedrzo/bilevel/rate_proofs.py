"""Proofs of the corrected explicit bound of Theorem 1 (ii) and of the iteration complexity that it gives."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, dot, norm2
from rateproof.theory.papers.fedrzo.bilevel.corrected_rates import THM1_II_X
from rateproof.theory.papers.fedrzo.bilevel.corrected_theorem import THM1_I
from rateproof.theory.papers.fedrzo.bilevel.notation import DRIFT0, ELL, SPREAD, E_y, eps_c, mean_eps
from rateproof.theory.papers.fedrzo.bilevel.schedules import COM_K, K_LARGE_K
from rateproof.theory.papers.fedrzo.notation import D0, K_IS_T_R, T_R, H, K_eps, K_it, L_imp, gamma, grad_kstar, m
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import C_O, COUNT, epsilon, n
from rateproof.verify.deciders import machine
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, Total
from rateproof.verify.deciders.premises import need_as_is
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.fedrzo.bilevel.exponents import same
from rateproof.verify.papers.fedrzo.bilevel.theorem_proofs import (
    bounds_of,
    coefficients,
    require,
    step_conditions,
)
from rateproof.verify.papers.fedrzo.bilevel.unfold import bare

R = sp.Rational
NEEDED = (
    *("step", "S-com", "K>=m^3", "lower_rate_c", "K=T_R-1", "implicit_lipschitz", "sets", "dissimilarity"),
    *("y_lipschitz", "samples", "one_direction", "lower_accurate", "k*", "frequency"),
)
#: (K/m^3)^{1/4}, of which H is the ceiling.
_ROOT4 = (K_it / m**3) ** R(1, 4)
#: The terms of the bounds: gap, noise, drift and inexactness.
D, N, M_T, E = sp.symbols("D N M E", real=True)
TERMS = {
    D: D0 / sp.sqrt(m * K_it),
    N: ELL * n**2 * L_imp**2 * (m * K_it) ** R(-1, 4),
    M_T: SPREAD**2 * DRIFT0 / sp.sqrt(m * K_it),
    E: E_y * eps_c / sp.sqrt(m * K_it),
}


def explicit(claim: Claim) -> Evidence:
    """The corrected Theorem 1 (i) with S-com put in."""
    said = "the corrected Theorem 1 (i) with the noise H (L_0^imp)^2 and the printed gamma and H; H < (K/m^3)^{1/4} + 1"
    return machine.prove(bare(claim), Proof(lambda _: _substituted(claim), said))


def _same_conditions(claim: Claim) -> Iterator[Step]:
    """The conditions of the corrected Theorem 1 (i), S-com and K >= m^3."""
    require(claim, NEEDED)
    need_as_is(claim, COM_K, K_LARGE_K, K_IS_T_R)
    yield from step_conditions(claim)


def _substituted(claim: Claim) -> Iterator[Step]:
    yield from _same_conditions(claim)
    (relation,) = bounds_of(claim)
    bound = coefficients(relation.rhs, TERMS)
    # the bound of (i) whose noise is H L^2
    parts = {
        D: D0 / (gamma * T_R),
        N: gamma * ELL * n**2 * H * L_imp**2,
        M_T: SPREAD**2 * gamma**2 * H * (H - 1) * DRIFT0,
        E: E_y * mean_eps,
    }
    of_i = next(r for r in conjuncts(THM1_I.statement) if not r.free_symbols - _known(parts))
    yield from _powers()
    factors = {D: sp.S.One, N: sp.Integer(2), M_T: sp.Integer(2), E: 3 * R(8, 5)}
    largest = sp.Add(*(c * factors[name] * name for name, c in _each(coefficients(of_i.rhs, parts))))
    nonneg = tuple(le(0, v) for v in (D, N, M_T, E))
    given = (le(grad_kstar, largest), *nonneg)
    yield Form("the four terms", le(grad_kstar, bound), given, (), (grad_kstar, D, N, M_T, E))


def _known(parts: dict[sp.Symbol, sp.Expr]) -> set[sp.Symbol]:
    return {grad_kstar, *(s for part in parts.values() for s in part.free_symbols)}


def _each(combined: sp.Expr) -> list[tuple[sp.Symbol, sp.Expr]]:
    return [(name, combined.coeff(name)) for name in (D, N, M_T, E)]


def _powers() -> Iterator[Step]:
    """What S-com makes of 1/(gamma T_R), gamma H, gamma^2 H (H - 1) and the mean of eps_r, with w = (mK)^{-1/4}."""
    w = (m * K_it) ** R(-1, 4)
    step = sp.sqrt(m / K_it)
    for left, right in ((step * _ROOT4, w), (1 / (step * K_it), w**2), (_ROOT4 / K_it, w**3)):
        if not same(left, right):
            raise ValueError(f"{left} should be {right}")
    z, h, g, W = sp.symbols("z h g w", positive=True)
    ceiling = (le(h, z + 1), le(1, z))
    yield Form("H <= 2 (K/m^3)^{1/4} for K >= m^3", le(h, 2 * z), (), ceiling)
    yield Form("gamma H <= 2w", le(g * h, 2 * W), (), (le(h, 2 * z), le(g * z, W)))
    yield Form("gamma (H - 1) <= w", le(g * (h - 1), W), (), (le(h, z + 1), le(g * z, W)))
    both = (le(g * h, 2 * W), le(g * (h - 1), W))
    yield Form("gamma^2 H (H - 1) <= 2 w^2", le(g**2 * h * (h - 1), 2 * W**2), (), both)
    yield Form("T_R >= K", le(1 / (K_it + 1), 1 / K_it), (), (le(1, K_it),))
    # step k is in round r(k) with k + 1 <= (r(k) + 1) H, so eps_{r(k)} <= c (H/(k+1))^{2/3}
    j, T = sp.Symbol("j", **COUNT), sp.Symbol("T", **COUNT)
    yield Total(
        "the mean of eps_r is at most 3c (H/T_R)^{2/3}", le(sp.Sum(j ** R(-2, 3), (j, 1, T)), 3 * T ** R(1, 3)), T
    )
    # (H/T_R)^{2/3} <= (2 w^3)^{2/3} = 2^{2/3} w^2, and 2^(2/3) <= 8/5
    if not R(8, 5) ** 3 > 4:
        raise ValueError("2^(2/3) should be below 8/5")


# --- the iteration complexity

#: Hidden constant with which the complexity follows from the explicit bound.
HIDDEN = 8 * sp.Integer(270) ** 2


def complexity(claim: Claim) -> Evidence:
    """K_eps = 1, or K = K_eps - 1 meets the conditions and misses epsilon: epsilon < explicit bound at K."""
    said = (
        "K_eps = 1, or K = K_eps - 1 >= 1 meets the conditions and misses epsilon, so that epsilon u^2 < a + b u with "
        "u = (mK)^{1/4} and the explicit bound (a + b u)/u^2; hence mK = u^4 <= 8 a^2/epsilon^2 + 2 b^4/epsilon^4"
    )
    return machine.prove(bare(claim), Proof(lambda _: _inverted(claim), said))


def _inverted(claim: Claim) -> Iterator[Step]:
    yield from _same_conditions(claim)
    require(claim, ("K_eps_all",))
    (relation,) = conjuncts(claim.statement)
    if relation.lhs != K_eps or relation.rel_op != "<=":
        raise ValueError(f"the proof bounds {K_eps} from above, not {relation}")
    (bound,) = conjuncts(THM1_II_X.statement)
    factors = dict(_each(coefficients(bound.rhs, TERMS)))
    b = factors[N] * ELL * n**2 * L_imp**2
    a = factors[D] * D0 + factors[M_T] * SPREAD**2 * DRIFT0 + factors[E] * E_y * eps_c
    U, B, P, Q = gram.vectors("U B P Q")
    e, first = sp.symbols("epsilon a", positive=True)
    missed = Given("epsilon is missed: epsilon u^2 <= a + b u", (le(e * norm2(U), first + dot(B, U)),))
    yield Form(
        "Young: u^2 <= 2a/epsilon + b^2/epsilon^2",
        le(norm2(U), 2 * first / e + norm2(B) / e**2),
        (Fact(missed, ("K_eps_all",)),),
        multipliers=(2 / e,),
    )
    yield Form("(p + q)^2 <= 2 p^2 + 2 q^2", le(norm2(P + Q), 2 * norm2(P) + 2 * norm2(Q)))
    needed = 1 + 8 * a**2 / (m * epsilon**2) + 2 * b**4 / (m * epsilon**4)
    yield Form(f"hidden constant {HIDDEN}", le(needed, relation.rhs.subs(C_O, HIDDEN)))
