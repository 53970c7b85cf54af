"""Step 11: bounds on the sums over inner calls, for every number of outer iterations T."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import sympy as sp

from rateproof.theory import sums
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.symbols import T, kappa
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, machine, premises
from rateproof.verify.deciders.certificates import guarded
from rateproof.verify.evidence import Evidence, Level, by_decider
from rateproof.verify.trial import Trial

#: Stands for the sum where a claim is evaluated at one T.
SUM = sp.Symbol("sum", real=True)


@guarded
def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Proved for all T (and all kappa of the hypotheses), or refuted at one of them."""
    relation = premises.statement(claim, "<=")
    decision = sums.decide(relation, T, first=_first(claim), parameters=_ranges(claim))
    said = (
        _refuted(claim, decision.at, decision.detail)
        if isinstance(decision, sums.Refuted)
        else machine.evidence(decision)
    )
    yield by_decider(said, claim)


def _first(claim: Claim) -> int:
    """Smallest T of the claim: 1, or what a hypothesis ``T >= n`` says."""
    assumed = premises.relations(claim)
    return max([1, *(int(r.rhs) for r in assumed if r.lhs == T and r.rel_op == ">=" and r.rhs.is_number)])


def _ranges(claim: Claim) -> dict[sp.Symbol, tuple[sp.Expr, sp.Expr]]:
    """The open range of kappa that the hypotheses give."""
    lower = [r.rhs for r in premises.relations(claim) if r.lhs == kappa and r.rel_op == ">"]
    return {kappa: (max(lower), sp.oo)} if lower else {}


def _refuted(claim: Claim, at: Mapping[sp.Symbol, sp.Rational], detail: str) -> Evidence:
    """Evidence of the violation at one T, every hypothesis evaluated there; the balls have certified both sides."""
    (relation,) = conjuncts(claim.statement)
    total, bound = (side.subs(dict(at)) for side in relation.args)
    factor, total = total.as_independent(sp.Sum)
    index, first, last = total.limits[0]
    term = sp.lambdify(index, total.function, "math")
    values = {str(s): float(v) for s, v in at.items()}
    values[SUM.name] = float(factor) * math.fsum(term(j) for j in range(int(first), int(last) + 1))
    label = ", ".join(f"{s} = {v}" for s, v in at.items())
    trial = Trial(label, values, {}, Level.CERTIFICATE, at={str(s): str(v) for s, v in at.items()})
    evidence = bounds.decide(replace(claim, statement=sp.Le(SUM, bound, evaluate=False)), [trial], method=machine.SUM)
    shown = evidence.violated and replace(evidence.violated, relation=str(relation))
    return replace(evidence, detail=detail, violated=shown)
