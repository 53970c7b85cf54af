"""Proof of Lemma 13 as corrected: the drift of the local models over a round."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.fedrzo.notation import B1, B2, H, eta_s, gamma
from rateproof.theory.papers.fedrzo.single.notation import a_k, sum_theta
from rateproof.theory.papers.fedrzo.twostage.notation import (
    E_y,
    done,
    eb,
    eps_k,
    g2,
    sum_eb,
    sum_eps_r,
    sum_grad,
    w2,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.verify.checks import Check
from rateproof.verify.deciders import machine, premises
from rateproof.verify.deciders.machine import Form, Step
from rateproof.verify.papers.fedrzo.twostage.proofs import NL2, bound_on, by, fact

a, c, d, g, u, w, z = vectors("a c d g u w z")
#: sum_t (1/m) sum_i E||z_{i,t}||^2 over the round, of the whole direction and of its three parts.
S_z, S_g, S_w, S_d = S = sp.symbols("S_z S_g S_w S_d", nonnegative=True)
#: sum_t E||grad f_eta(xbar_t)||^2, and that of the client mean of grad d_i.
S_f, S_mean, S_own, S_shift = sp.symbols("S_f S_mean S_own S_shift", nonnegative=True)


def _drift_terms() -> Iterable[Step]:
    """The squares of the directions in a round, by Lemma 12 and Lemma 6 (with 2/eta^2)."""
    yield Form("three terms", le(norm2(g + w + d), 3 * norm2(g) + 3 * norm2(w) + 3 * norm2(d)))
    yield Form("two terms", le(norm2(d + c), 2 * norm2(d) + 2 * norm2(c)))


def moments(*needs: str) -> tuple[machine.Fact, machine.Fact]:
    """The squares of the estimates and of their errors over a round."""
    return (
        machine.cite("fedrzo.lem12.ii", {g2: S_g}, terms=done, needs=needs),
        machine.cite("fedrzo.lem12.iii", {w2: S_w, eps_k: sum_eps_r}, terms=done, needs=(*needs, "accuracy")),
    )


def _drift_premises() -> tuple[machine.Fact | sp.Rel, ...]:
    """What the sums of the squares over a round satisfy."""
    return (
        le(S_z, 3 * S_g + 3 * S_w + 3 * S_d),
        *moments("implicit_lipschitz_2s", "fresh"),
        # G_d(i) = grad d_i(xbar) + (G_d(i) - grad d_i(xbar))
        le(S_d, 2 * S_shift + 2 * S_own),
        fact("I - P is nonexpansive", le(S_shift, sum_eb / eta_s**2), needs=("sets",)),
        fact("eq. (2)", le(S_own, done * B1**2 / eta_s**2 + B2**2 * S_mean), needs=("dissimilarity",)),
        # the client mean of grad d_i is grad F_eta - grad f_eta
        le(S_mean, 2 * sum_grad + 2 * S_f),
        fact("|grad f_eta| <= L_0^imp <= n L_0^imp", le(S_f, done * NL2), needs=("implicit_lipschitz_2s",)),
    )


_VALUES = (eb, sum_eb, sum_grad, sum_eps_r, *S, S_f, S_mean, S_own, S_shift)


def _recursion(goal: sp.Expr) -> Iterable[Step]:
    """The drift is gamma times the deviations of a sum of k - T_r directions."""
    yield from _drift_terms()
    why = "Lemma 3, ||sum of j vectors||^2 <= j sum ||.||^2, and a variance is at most the second moment"
    yield Form(
        "the recursion",
        le(eb, goal),
        (fact(why, le(eb, gamma**2 * done * S_z), needs=("fresh",)), *_drift_premises()),
        values=_VALUES,
    )


def _recursive(claim: Claim) -> Iterable[Step]:
    premises.need(claim, "in_round_2s")
    yield from _recursion(bound_on(claim, eb))


# --- the recursion solved: a_k <= gamma^2 (k - T_r) sum_t (beta a_t + theta_t), beta = 6/eta^2

#: r = beta H gamma^2 <= 1/H and q = (1 + 1/H)^{j-1} >= 1, by numbers >= 0; b_j = H gamma^2 sum_{t<j} (beta a_t +
#: theta_t), which a_j is at most; Theta_j = H gamma^2 sum_{t<j} theta_t.
_slack, _excess = sp.symbols("slack excess", nonnegative=True)
r, q = 1 / (H * (1 + _slack)), 1 + _excess
b_now, b_next, a_now, Theta, theta = sp.symbols("b_now b_next a_now Theta theta", real=True)
_THETA = 3 * (4 * B2**2 * sum_grad + done * (2 * B1**2 / eta_s**2 + (4 * B2**2 + 1) * NL2) + 4 * E_y * sum_eps_r)


def lemma7() -> Iterable[Step]:
    """b_j <= q_j Theta_j, by induction over the steps of a round; q_1 = 1 and a_{T_r} = 0 begin it."""
    yield Form(
        "Lemma 7, from k to k+1",
        le(b_next, (1 + 1 / H) * q * (Theta + theta)),
        (eq(b_next, b_now + r * a_now + theta), le(a_now, b_now), le(b_now, q * Theta), ge(Theta, 0), ge(theta, 0)),
        values=(b_now, b_next, Theta, a_now, theta),
        multipliers=(sp.S.NegativeOne, r, 1 + r, (1 / H - r) * q, (1 + 1 / H) * q - 1),
    )


def solved(claim: Claim, goal: sp.Expr) -> Iterable[Step]:
    """``E ebar_k <= goal``: Lemma 7 with beta = 6/eta^2; (1 + 1/H)^{H-1} < e < 3."""
    yield from _recursion(gamma**2 * done * (6 / eta_s**2 * sum_eb + _THETA))
    yield Form("beta H^2 gamma^2 <= 1", le(6 * H**2 * gamma**2, eta_s**2), values=())
    yield from lemma7()
    yield Form(
        "the drift",
        le(eb, goal),
        (machine.cite("fedrzo.lem7.b", {a_k: eb, sum_theta: _THETA}, needs=("frequency",)),),
        assuming=(le(done + 1, H),),
        values=(eb, sum_grad, sum_eps_r),
    )


def _in_round(claim: Claim) -> Iterable[Step]:
    """Lemma 13 (ii) for a step of a round, in which k - T_r <= H - 1."""
    premises.need(claim, "in_round_2s")
    if not premises.implied(claim, le(done + 1, H)):
        raise ValueError("the proof needs k - T_r <= H - 1")
    yield from solved(claim, bound_on(claim, eb))


CHECKS: dict[str, Check] = {
    "lem13.i.corrected": by(_recursive),
    "lem13.ii.corrected": by(_in_round, "in a round k - T_r <= H - 1"),
}
