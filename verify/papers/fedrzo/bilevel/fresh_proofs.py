"""Proof of the corrected reading of Theorem 1 (i) for a direction a client and step: the printed one, mended."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, dot, norm2
from rateproof.theory.papers.fedrzo.bilevel.notation import ELL, MAX23, WHERE, E_y, Th1, Th2, Th3, Th4, Th5, mean_eps
from rateproof.theory.papers.fedrzo.bilevel.steps import F_next, F_now
from rateproof.theory.papers.fedrzo.notation import (
    B1,
    B2,
    D0,
    K_IS_T_R,
    T_R,
    H,
    L_imp,
    L_y,
    Lam,
    eta_s,
    gamma,
    grad_kstar,
    m,
)
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import n
from rateproof.verify.deciders.machine import Form, Proof, Step
from rateproof.verify.deciders.premises import need_as_is
from rateproof.verify.papers.fedrzo.bilevel.lemma_proofs import STEP, parts_of_a_step
from rateproof.verify.papers.fedrzo.bilevel.theorem_proofs import (
    COMMON,
    M_T,
    D,
    E,
    N,
    R,
    bounds_of,
    coefficients,
    facts_of,
    relations_of,
    require,
)
from rateproof.verify.papers.fedrzo.bilevel.unfold import parts


def fresh_steps(claim: Claim) -> Iterator[Step]:
    """A direction a client and step: the printed proof, with its constants mended."""
    require(claim, (*COMMON, STEP.drawn, STEP.samples, STEP.accurate, "S-bl.i"))
    need_as_is(claim, K_IS_T_R)
    (relation,) = bounds_of(claim)
    largest, x5, x4, third = sp.symbols("max Theta5 Theta4 third", nonnegative=True)
    put = {MAX23: largest, Th4: x4, Th5: x5}
    squared = H**2 * gamma**2 * largest
    sides = sp.expand(relation.rhs.xreplace(put))
    terms = {D: D0 / (gamma * T_R), N: gamma * Th1 / m, M_T: squared * x5, E: squared * x4 * mean_eps}
    bound = coefficients(sides, {**terms, third: E_y * mean_eps})
    if claim.where.get(Th3) is None or any(claim.where[s] != WHERE[s] for s in (Th1, Th2)):
        raise ValueError("the proof is for the printed Theta_1 and Theta_2")
    yield from _conditions(claim)
    yield from parts_of_a_step(STEP)
    yield from _fresh_constants(claim)
    c = sp.Symbol("c", nonnegative=True)  # 96 B_2^2 H^2 gamma^2 max{Theta_2, Theta_3}
    drift = sp.Symbol("max_drift", real=True)
    third_ = sp.Symbol(third.name, real=True)
    given = (
        le(grad_kstar / 4, D + N + drift + 20 * third_),
        le(drift, c * grad_kstar + M_T + E),
        *(le(0, v) for v in (D, N, M_T, E, third_, grad_kstar)),
    )
    goal = le(grad_kstar, bound.xreplace({third: third_}))
    yield Form("all steps together", goal, given, (le(c, R(1, 8)),), (grad_kstar, drift, D, N, M_T, E, third_))


def _conditions(claim: Claim) -> Iterator[Step]:
    """What S-bl.i gives: the step conditions of Lemma 11 as corrected, of the descent, and 1/8 for the drift."""
    bound = [r for whole in relations_of(claim, "S-bl.i") for rel in conjuncts(whole) for r in parts(rel)]
    caps = [claim.expand(r.rhs) for r in bound if r.lhs == gamma and r.rel_op == "<="]
    second, third = (claim.expand(theta) for theta in (Th2, Th3))
    for needed in (
        *(1 / (16 * H * B2 * sp.sqrt(3 * theta)) for theta in (second, third)),
        eta_s / (4 * sp.sqrt(2) * H * n * Lam * L_y),
        eta_s / (24 * (L_imp * n + 1)),
    ):
        if all(sp.simplify(cap / needed) != 1 for cap in caps):
            raise ValueError(f"the step condition should give gamma <= {needed}")
    x = sp.Symbol("x", nonnegative=True)  # B_2^2 H^2 gamma^2 Theta, for each of the two
    yield Form(
        "16 H B_2 gamma sqrt(3 Theta) <= 1, squared: 768x <= 1 gives 96x <= 1/8",
        le(96 * x, R(1, 8)),
        (),
        (le(768 * x, 1),),
    )
    yield Form("3 Theta_2 >= l^2", le(ELL**2, 3 * second))
    # some X_i is not the whole space: mean dist^2 is unbounded, so eq. (2) and Jensen's inequality give B_2 >= 1
    yield Form(
        "B_2 >= 1 unless every X_i is the whole space: 4 H gamma <= eta",
        le(4 * H * gamma, eta_s),
        (),
        (le(1, B2), le(16 * H * B2 * gamma * (L_imp * n + 1), eta_s)),
    )


def _fresh_constants(claim: Claim) -> Iterator[Step]:
    """Theta_3, Theta_4 and Theta_5 are at least what Lemmas 9 and 11, corrected, give."""
    needed = {
        Th3: 20 * E_y * Lam**2,
        Th4: 24 * 4 * E_y,
        Th5: 24 * (2 * B1**2 / eta_s**2 + (4 * B2**2 + 1) * L_imp**2 * n**2),
    }
    for symbol, least in needed.items():
        yield Form(f"{symbol} is large enough", le(least, claim.where[symbol]))
    g, d, o, w = gram.vectors("g d o w")
    ell = sp.Symbol("l", positive=True)
    eb, noise = sp.symbols("eb noise", real=True)
    step = -gamma * (d + o + w)
    lemma = Given("F_eta is l-smooth", (le(F_next, F_now + dot(g, step) + ell / 2 * norm2(step)),))
    moments = Given(
        "E g_{i,k} = grad f_{i,eta}(x_{i,k}) given the past, independent over the clients, E||g||^2 <= n^2 (L_0^imp)^2",
        (
            le(norm2(g) / 2 - ell**2 / 2 * eb, dot(g, d)),
            le(norm2(d), noise + 2 * norm2(g) + 2 * ell**2 * eb),
            le(0, eb),
        ),
    )
    after = F_now - gamma / 4 * norm2(g) + R(3, 2) * ell * gamma**2 * noise + gamma * R(5, 8) * ell**2 * eb
    goal = le(F_next, after + 5 * gamma * (norm2(o) + norm2(w)))
    weights = (sp.S.One, gamma, R(3, 2) * ell * gamma**2, gamma * ell**2 * (R(1, 8) - 3 * ell * gamma))
    facts = (facts_of(lemma), facts_of(moments))
    small = (le(24 * gamma * ell, 1),)
    yield Form("one step, (16) to (18)", goal, facts, small, (F_now, F_next, eb, noise), multipliers=weights)


FRESH = Proof(
    fresh_steps,
    "(16) to (18) hold for fresh directions, (19) and Lemma 11 as corrected; 96B_2^2 H gamma^2 max <= 1/(8H) (st.11), "
    "sum_k sum_t a_t <= H sum a_k (st.6)",
)
