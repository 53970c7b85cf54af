"""The explicit bounds behind Theorem 2 (iii): parts (i) and (ii) together, and with the stepsizes of S-com."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.notation import B2, T_R, H, K_it, gamma, grad_kstar, m
from rateproof.theory.papers.fedrzo.twostage.notation import ACCURATE, ELL, B_y, Th2, Th4, sum_eps
from rateproof.theory.shorthand import le
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import bounds
from rateproof.verify.deciders.certificates import identity, when
from rateproof.verify.deciders.readings import read_kindly
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.twostage import descent
from rateproof.verify.papers.fedrzo.twostage.common import missing, redefined, refuted
from rateproof.verify.papers.fedrzo.twostage.families import slide, slow, slow_by_rule
from rateproof.verify.papers.fedrzo.twostage.solved_runs import (
    first_call_trial,
    one_step_trial,
    single_trials,
    solved_trials,
)
from rateproof.verify.trial import Trial

#: Parts (i) and (ii) as corrected, for Algorithm 4 with Algorithm 5.
_COMPOSED = "fedrzo.thm2.i-ii.corrected"


def explicit_trials() -> Iterator[Trial]:
    """Runs with the stepsizes of S-com, below and from K_0 on, and with those of part (ii) on ``slow``."""
    yield from (slow_by_rule(K, 1e-3) for K in (15**4, 2 * 10**5))
    yield from (slide(m_, m_) for m_ in (10.0, 100.0, 2.0))
    yield from (slide(m_, 3e6 * m_, eta=eta) for m_ in (1.0, 10.0, 1e4) for eta in (2.0, 10.0, 1e3))
    yield slow(2000, 0.06, 1e-3)
    yield from single_trials()
    yield one_step_trial()
    yield first_call_trial(1e6)


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The bound of the proof of (iii) on runs with S-com, and, as corrected, from step 13 and the bound of (ii)."""
    evidence = bounds.decide(
        claim,
        explicit_trials(),
        method="closed forms",
        detail="a lower level that is slow outside X; equal clients with loss x and X_i = {0}",
    )
    yield evidence
    if not refuted(evidence):
        yield substituted(claim)


def substituted(claim: Claim) -> Evidence:
    """Two cases, H = 1 and H >= 2, both with gamma = sqrt(m/K), T_R = K + 1 >= K and sum eps_k <= B ln(e T_R)."""
    composed = catalog.get(_COMPOSED)
    # with eps_k as in part (i); the condition that the sets ask for stands in another hypothesis
    keys = {h.key for h in composed.hypotheses} - {"gamma_sets_2s", "eps_all"}
    if lacking := missing(claim, *keys, "tau", "gamma_com", "H_com", _condition(claim)) or redefined(claim):
        return lacking
    alone = descent.without_drift(replace(claim, hypotheses=(*claim.hypotheses, ACCURATE)))
    enough = replace(composed, statement=le(grad_kstar, descent.ENOUGH), hypotheses=(*composed.hypotheses, ACCURATE))
    drifting = descent.proof_of(enough)
    for evidence in (alone, drifting):
        if evidence.finding is not Finding.PROOF:
            return evidence
    (relation,) = conjuncts(claim.statement)
    K, log = sp.symbols("K log", positive=True)
    rule = {gamma: sp.sqrt(m / K), T_R: K, sum_eps: B_y * log}
    sum_of_logs = {old: log for old in relation.args[1].atoms(sp.log) if identity(old.args[0], sp.E * (K_it + 1))}
    limit = relation.args[1].xreplace(sum_of_logs).subs(K_it, K)
    more = sp.Symbol("more", positive=True)
    ok = {
        # z = (K/m^3)^{1/4} = 1 + more, as 2 <= H < z + 1
        "H <= 2 (K/m^3)^{1/4}": bool(sp.expand(2 * (1 + more) - (1 + more + 1)).is_nonnegative),
        "H >= 2: part (ii)": _covers(limit, descent.ENOUGH.subs(H, 2 * (K / m**3) ** sp.Rational(1, 4)).subs(rule)),
        "H = 1: no drift": _covers(limit, descent.NO_DRIFT.subs(rule)),
        "an upper bound on the metric": relation.rel_op == "<=" and relation.args[0] == grad_kstar,
    } | _either(claim)
    evidence = when(
        ok,
        f"{alone.detail}; H >= 2: thm2.i-ii.corrected without the drift of wrong answers, H <= 2 (K/m^3)^{{1/4}}: "
        f"{drifting.detail}; the sum of accuracies is at most B ln(e (K+1)) by thm2.iii-b.corrected",
    )
    return replace(evidence, steps=(*alone.steps, *drifting.steps)) if evidence.finding is Finding.PROOF else evidence


@lru_cache(maxsize=1)
def without_answers() -> Evidence:
    """The corrected bound of (iii) without its second term, the drift of wrong answers, which is not needed."""
    claim = catalog.get("fedrzo.thm2.iii-x.corrected")
    (relation,) = conjuncts(claim.statement)
    terms = [term for term in relation.args[1].args if not {B_y, Th4} <= term.free_symbols]
    return substituted(replace(claim, statement=le(relation.args[0], sp.Add(*terms))))


def _covers(limit: sp.Expr, bound: sp.Expr) -> bool:
    """Whether what is left of the bound is a sum of nonnegative terms."""
    return bool(sp.powsimp(sp.expand(sp.powsimp(limit - bound)), force=True).is_nonnegative)


def _condition(claim: Claim) -> str:
    """The key of the condition that the sets ask for: that of part (ii) where the claim has it, else the weaker one."""
    return next((h.key for h in claim.hypotheses if h.key == "gamma_sets_2s"), "gamma_sets_or_H=1")


def _either(claim: Claim) -> dict[str, bool]:
    """The condition that the sets ask for is that of part (ii), or (H - 1) (its left - right side) <= 0."""
    (cap,), (own,) = (
        conjuncts(h.relation)
        for stated, key in ((catalog.get(_COMPOSED), "gamma_sets_2s"), (claim, _condition(claim)))
        for h in stated.hypotheses
        if h.key == key
    )
    product = (H - 1) * (cap.args[0] - cap.args[1])
    weaker = own.rel_op == cap.rel_op == "<=" and identity(own.args[0] - own.args[1], product)
    return {"the condition of part (ii) for H >= 2": own == cap or weaker}


def conditions(threshold: sp.Expr) -> dict[str, bool]:
    """K >= threshold gives the step conditions of thm2.iii-x.corrected, squared: H gamma <= 2 (mK)^{-1/4} if H >= 2."""
    members = threshold.args if isinstance(threshold, sp.Max) else (threshold,)
    return {
        "gamma <= eta/(16 (L n + 1)) from K_0 on": any(identity(m / k, 1 / (16 * ELL) ** 2) for k in members),
        "864 B_2^2 Theta_2 H^2 gamma^2 <= 1 from K_0 on": any(
            identity((864 * B2**2 * Th2 * 4) ** 2, m * k) for k in members
        ),
    }


def check_composed(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Parts (i) and (ii) together: a lower level that is slow outside X; as corrected, proved from both parts."""
    evidence = bounds.decide(
        claim,
        [slow(10**4, 0.02, 1e-3), *explicit_trials(), *solved_trials()],
        method="exact moments",
        detail="second moments by their exact recursion, and runs on all branches",
    )
    yield evidence
    if refuted(evidence):
        return
    of_part_i = ("monotone_queried", "lower_sets_compact", "alg5", "alpha", "B")
    if lacking := missing(claim, *of_part_i, "t_k_all", "eps_all") or redefined(claim):
        yield lacking
        return
    # part (i) as corrected gives the accuracies of line 5 of Algorithm 4
    accurate = replace(claim, hypotheses=(*claim.hypotheses, ACCURATE))
    proof = descent.proof_of(accurate)
    yield replace(proof, detail=f"eps_k bounds the errors by thm2.i.corrected; then as thm2.ii: {proof.detail}")


CHECKS: dict[str, Check] = {
    "thm2.iii-x": read_kindly(check_explicit),
    "thm2.iii-x.corrected": check_explicit,
    "thm2.i-ii": read_kindly(check_composed),
    "thm2.i-ii.corrected": check_composed,
}
