"""Proofs of steps 13 and 14 and of Theorem 2 (ii), which holds although its printed proof uses Lemma 13 (ii).

Two cases replace that lemma. If every ``X_i`` is the whole space there is no penalty, and the drift needs no step
condition. Otherwise a half-space contains some ``X_i``, the mean squared distance to the sets is unbounded, and eq. (2)
forces ``B_2 >= 1``: then the theorem's own stepsize is at most ``eta/(sqrt(6) H)``, and the corrected lemma applies.

The drift of wrong answers costs nothing: where ``gamma H (L n + 1)/eta <= 2/5``, what Theta_3 has to spare takes it,
and beyond there are no sets, and the drift of estimates alone is more than ``||grad F_eta||^2 <= n^2 L^2``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedrzo.notation import B2, D0, T_R, H, eta_s, gamma, grad_kstar, m
from rateproof.theory.papers.fedrzo.twostage.notation import (
    ELL,
    S_LEM13_ETA,
    WHERE,
    E_y,
    F_next,
    F_now,
    Th1,
    Th2,
    Th3,
    Th4,
    Th5,
    done,
    double_eps,
    eb,
    eps_k,
    grad2,
    ip_path,
    ip_w,
    path2,
    step2,
    sum_eps,
    sum_eps_r,
    sum_grad,
    wbar2,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import machine
from rateproof.verify.deciders.certificates import proved
from rateproof.verify.deciders.machine import Form, Proof, Step
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.twostage.common import missing
from rateproof.verify.papers.fedrzo.twostage.drift import S_g, S_w, moments, solved
from rateproof.verify.papers.fedrzo.twostage.proofs import NL2, bound_on, fact

a, b, c, u, v, z = vectors("a b c u v z")
_VALUES = (F_next, F_now, grad2, path2, ip_path, ip_w, step2, wbar2, eb, eps_k)


def _structural(claim: Claim, *keys: str) -> Claim:
    """The claim with hypotheses about metrics named only: they enter as facts, the others as assumptions.

    An assumption with roots is squared where both of its sides are nonnegative.
    """

    def changed(relation: sp.Basic | None, key: str) -> sp.Basic | None:
        if relation is None or key in keys:
            return None
        full = claim.expand(relation)
        if full.atoms(sp.Pow) and all(side.is_nonnegative for side in full.args) and isinstance(full, sp.LessThan):
            return le(*(sp.expand(side**2) for side in full.args))
        return full

    return replace(claim, hypotheses=tuple(replace(h, relation=changed(h.relation, h.key)) for h in claim.hypotheses))


#: Of smoothness, Lemma 12 (iv, v, vi), Young and ||x + y||^2, and what is left for the gradient, ebar_k and eps_k.
_MULTIPLIERS = (
    sp.S.One,
    gamma**2 * ELL,
    gamma,
    4 * gamma + gamma**2 * ELL,
    gamma,
    gamma**2 * ELL / 2,
    3 * gamma / 16 - 2 * gamma**2 * ELL,
    gamma * ELL**2 / 8 - 2 * gamma**2 * ELL**3,
)
#: What a step costs by an error of size 1 in the answers, divided by gamma: less than Theta_3 = 20 E_y.
_ERROR = sp.Rational(65, 4) * E_y


def _one_step(premises: tuple[machine.Fact | sp.Rel, ...], goal: sp.Expr, error: sp.Expr = _ERROR) -> Iterable[Step]:
    """Young's inequality and ||x + y||^2 <= 2||x||^2 + 2||y||^2, in expectation, and what is known of the step.

    ``error`` is the factor of gamma eps_k in the goal.
    """
    yield Form("Young", ge(dot(a, u), -norm2(a) / 16 - 4 * norm2(u)))
    yield Form("||x + y||^2", le(norm2(z + u), 2 * norm2(z) + 2 * norm2(u)))
    left = sp.expand(gamma * (error - 16 * E_y) - 4 * gamma**2 * ELL * E_y)
    split = (ge(ip_w, -grad2 / 16 - 4 * wbar2), le(step2, 2 * path2 + 2 * wbar2))
    yield Form("one step", le(F_next, goal), (*premises, *split), values=_VALUES, multipliers=(*_MULTIPLIERS, left))


_STEP_13 = ("smooth", "lem12.iv", "lem12.v", "lem12.vi")


def check_descent(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Step 13 from the inequalities that are its hypotheses."""
    hypotheses = {h.key: h for h in claim.hypotheses}
    premises = tuple(
        fact(hypotheses[key].text, *conjuncts(claim.expand(relation)), needs=(key,))
        for key in _STEP_13
        if key in hypotheses and (relation := hypotheses[key].relation) is not None
    )

    def steps(copy: Claim) -> Iterable[Step]:
        return _one_step(premises, bound_on(claim, F_next), claim.expand(Th3))

    yield machine.prove(_structural(claim, *_STEP_13), Proof(steps))


# --- Theorem 2 (ii)

_ALL = ("implicit_lipschitz_2s", "fresh", "sets")
_LEMMAS = (
    fact(
        "F_eta is (L_0^imp n + 1)/eta-smooth",
        le(F_next, F_now - gamma * (ip_path + ip_w) + ELL / 2 * gamma**2 * step2),
        needs=("implicit_lipschitz_2s", "sets"),
    ),
    machine.cite("fedrzo.lem12.iv", needs=_ALL),
    machine.cite("fedrzo.lem12.v", needs=_ALL),
    machine.cite("fedrzo.lem12.vi", needs=("implicit_lipschitz_2s", "accuracy", "fresh")),
)
_T = {s: WHERE[s] for s in WHERE}
_STEP = F_now - gamma / 4 * grad2 + gamma**2 * _T[Th1] / m + gamma * _T[Th2] * eb + gamma * _ERROR * eps_k
_DRIFT = 36 * B2**2 * H * gamma**2 * sum_grad + H * gamma**2 * _T[Th4] * sum_eps_r + H**2 * gamma**2 * _T[Th5]
#: Sums over the whole run of E||grad||^2 and of the drift, and E F_eta at its ends.
G_all, eb_all, F_first, F_last, S_z = sp.symbols("G_all eb_all F_first F_last S_z", nonnegative=True)
#: Whether the rounds are short, or long: (H gamma (L n + 1)/eta)^2 is at most 4/25, or at least.
_SHORT, _LONG = le(25 * H**2 * gamma**2 * ELL**2, 4), ge(25 * H**2 * gamma**2 * ELL**2, 4)


def _penalised(claim: Claim) -> Iterable[Step]:
    """Some X_i is not the whole space: B_2 >= 1, and the printed stepsize is one of the corrected Lemma 13."""
    some = {"assuming": (ge(B2, 1),), "values": ()}
    yield Form("B_2 >= 1: gamma <= eta/(sqrt(6) H)", le(6 * H**2 * gamma**2, eta_s**2), **some)
    yield Form("B_2 >= 1: short rounds", _SHORT, **some)


def _free(claim: Claim) -> Iterable[Step]:
    """Every X_i is the whole space: no penalty, and no step condition."""
    yield Form("two terms", le(norm2(u + v), 2 * norm2(u) + 2 * norm2(v)))
    yield Form(
        "no penalty",
        le(eb, _DRIFT),
        (le(eb, gamma**2 * done * S_z), le(S_z, 2 * S_g + 2 * S_w), *moments(*_ALL)),
        assuming=(le(done + 1, H),),
        values=(eb, S_z, S_g, S_w, sum_eps_r, sum_grad),
    )


def _long(claim: Claim) -> Iterable[Step]:
    """Long rounds without sets: F_eta = f_eta, which is Lipschitz."""
    yield Form(
        "long rounds",
        le(grad_kstar, bound_on(claim, grad_kstar)),
        (
            fact("|grad f_eta| <= L_0^imp <= n L_0^imp", le(grad_kstar, NL2), needs=("implicit_lipschitz_2s", "k*")),
            fact("D_0 = E F_eta(x_0) - inf F_eta", ge(D0, 0), needs=()),
            fact("eps_k >= 0", ge(sum_eps, 0), needs=()),
        ),
        assuming=(_LONG,),
        values=(grad_kstar, D0, sum_eps),
    )


def _over_run(goal: sp.Expr, drift: machine.Fact, *assuming: sp.Rel) -> Iterable[Step]:
    """``E||grad F_eta(xbar_{k*})||^2 <= goal`` from the steps summed over the run, and what bounds the drift."""
    descent = -gamma / 4 * G_all + T_R * gamma**2 * _T[Th1] / m + gamma * _T[Th2] * eb_all + gamma * _ERROR * sum_eps
    yield Form(
        "the sum over the run",
        le(grad_kstar, goal),
        (
            le(F_last, F_first + descent),
            drift,
            le(F_first - F_last, D0),
            fact("k* is uniform on 0, ..., T_R - 1", eq(G_all, T_R * grad_kstar), needs=("k*", "K=T_R-1")),
        ),
        assuming=assuming,
        values=(grad_kstar, G_all, eb_all, F_first, F_last, D0, sum_eps),
    )


def _summed(claim: Claim) -> Iterable[Step]:
    """36 B_2^2 H^2 gamma^2 Theta_2 <= 1/24 takes the gradients of the drift."""
    drift = 36 * B2**2 * H**2 * gamma**2 * G_all + H**2 * gamma**2 * _T[Th4] * sum_eps + T_R * H**2 * gamma**2 * _T[Th5]
    why = "each iterate precedes at most H - 1 others of its round"
    return _over_run(bound_on(claim, grad_kstar), fact(why, le(eb_all, drift), needs=("frequency",)), _SHORT)


def _only(claim: Claim, *keys: str) -> Claim:
    """The claim with the relations of these hypotheses alone; the others are named only."""
    structure = _structural(claim)
    return replace(
        structure, hypotheses=tuple(h if h.key in keys else replace(h, relation=None) for h in structure.hypotheses)
    )


def check_theorem(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The proof of Theorem 2 (ii)."""
    yield proof_of(claim)


def proof_of(claim: Claim) -> Evidence:
    """Theorem 2 (ii): one step, the drift in both cases, and the sum over the run."""
    if lacking := missing(claim, "k*", "K=T_R-1"):
        return lacking
    named = _only(claim)
    smaller = replace(S_LEM13_ETA, relation=le(sp.sqrt(6) * H * gamma, eta_s))
    stepped = replace(named, hypotheses=(*named.hypotheses, smaller))
    return together(
        (_only(claim, "gamma_smooth_2s"), Proof(lambda _: _one_step(_LEMMAS, _STEP))),
        (_only(claim, "gamma_sets_2s"), Proof(_penalised)),
        (stepped, Proof(lambda copy: solved(copy, _DRIFT))),
        (named, Proof(_free)),
        (_only(claim, "gamma_sets_2s"), Proof(_summed)),
        (named, Proof(lambda _: _long(claim))),
        said="if some X_i is not the whole space, B_2 >= 1, as eq. (2) cannot hold far outside a half-space otherwise; "
        "without sets F_eta = f_eta",
    )


#: What is left of the bound of Theorem 2 (ii) when every round is one step.
NO_DRIFT = 8 * D0 / (gamma * T_R) + 8 * gamma * Th1 / m + 8 * Th3 / T_R * sum_eps
#: What is enough for rounds of any length: the bound without the drift of wrong answers.
ENOUGH = NO_DRIFT + 8 * H**2 * gamma**2 * Th2 * Th5


def without_drift(claim: Claim) -> Evidence:
    """``NO_DRIFT`` bounds the metric for H = 1, from gamma <= eta/(16 (L n + 1)) alone."""
    why = "with H = 1 every iteration begins a round, where the clients' models are equal"
    none = fact(why, eq(eb_all, 0), needs=("frequency",))
    goal = sp.sympify(NO_DRIFT.xreplace(_T))
    return together(
        (_only(claim, "gamma_smooth_2s"), Proof(lambda _: _one_step(_LEMMAS, _STEP))),
        (_only(claim), Proof(lambda _: _over_run(goal, none))),
        said="H = 1",
    )


def together(*parts: tuple[Claim, Proof], said: str) -> Evidence:
    """A proof in several parts, each from its own hypotheses; the first part that is not proved otherwise."""
    proofs = []
    for claim, proof in parts:
        proofs.append(machine.prove(claim, proof))
        if proofs[-1].finding is not Finding.PROOF:
            return proofs[-1]
    detail = "; ".join((said, *(e.detail for e in proofs)))
    return replace(proved(detail, method=machine.FORM), steps=tuple(step for e in proofs for step in e.steps))


# --- step 14


def _counted(claim: Claim) -> Iterable[Step]:
    """In a round of l steps, sum_k sum_{t<k} eps_t <= (l - 1) sum_t eps_t, by induction on l from 0 <= 0 at l = 1."""
    length = sp.Symbol("length", positive=True)
    inner, own, new = sp.symbols("inner own new", real=True)
    known = (le(inner, (length - 1) * own), ge(own, 0), ge(new, 0))
    yield Form("from l to l+1 steps", le(inner + own, length * (own + new)), known, values=(inner, own, new))
    rounds = fact("summed over the rounds, l <= H", le(double_eps, (H - 1) * sum_eps), needs=("frequency",))
    goal = le(double_eps, bound_on(claim, double_eps))
    yield Form("the bound", goal, (rounds,), values=(double_eps, sum_eps))


def check_sums(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The accuracies of earlier steps of a round, summed over the run."""
    yield machine.prove(claim, Proof(_counted))


def check_numbers(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An inequality between the parameters, from the hypotheses."""
    copy = _structural(claim)
    steps = [Form(str(r), claim.expand(r), values=()) for r in conjuncts(claim.statement)]
    yield machine.prove(copy, Proof(lambda _: steps))


CHECKS: dict[str, Check] = {
    "st.13": check_descent,
    "st.14.step": check_numbers,
    "st.14.factor": check_numbers,
    "st.14.sums": check_sums,
    "thm2.ii": check_theorem,
}
