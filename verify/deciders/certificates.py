"""Proofs as data: a claim is a nonnegative combination of premises, and the algebra is checked exactly.

A premise is an expression that is nonnegative by a named fact (a hypothesis of the claim or a standard inequality).
A proof lists, for each conjunct of the printed statement, multipliers that are nonnegative by their signs; sympy then
verifies that the combination equals right side minus left side identically. A changed constant or a dropped
term in the statement makes the identity fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.proof import Certificate
from rateproof.verify.deciders import premises, steps
from rateproof.verify.evidence import Evidence, Finding, Level, by_decider

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget, Check


@dataclass(frozen=True)
class Premise:
    """An expression that is nonnegative, and why.

    Attributes:
        expr: the expression.
        why: why it is nonnegative.
        needs: keys of the hypotheses that give it.
        supposed: whether the paper supposes it; else it is a fact of the literature, or a hypothesis says it.
    """

    expr: sp.Expr
    why: str
    needs: tuple[str, ...] = ()
    supposed: bool = False


@dataclass(frozen=True)
class Combination:
    """``rhs - lhs`` of one conjunct as a sum of nonnegative multipliers times premises.

    Attributes:
        terms: pairs (multiplier, premise).
        atoms: equalities that express metrics of the statement through quantities the premises speak of.
    """

    terms: Sequence[tuple[sp.Expr, Premise]]
    atoms: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)


def prove(claim: Claim, proof: Sequence[Combination], *, method: str = "nonnegative combination") -> Evidence:
    """Check a proof against the statement of a claim; one combination per conjunct, in any order.

    Returns a PROOF, or INCONCLUSIVE evidence that says which step does not check. No fact of the proof stands in words
    when there are no atoms and each premise is the relation of a hypothesis or nonnegative by the signs of its symbols;
    where each relation is one premise, or what the atoms say, the proof is a standard fact, or a premise of the paper.
    """
    relations = conjuncts(claim.statement)
    if not relations:
        return unproved("there is no statement", method=method)
    if len(relations) != len(proof):
        return unproved(f"the statement has {len(relations)} relations, the proof {len(proof)}", method=method)
    for premise in (p for combination in proof for _, p in combination.terms):
        if absent := premises.missing(claim, premise.needs):
            return unproved(f"'{premise.why}' uses {', '.join(absent)}, which is no hypothesis", method=method)
    used: list[str] = []
    kept: list[steps.Step] = []
    complete, single = True, True
    signs = {s: sp.Dummy(s.name, positive=True) for s in _positive(claim)}
    left = list(proof)
    for relation in relations:
        if relation.rel_op not in ("<=", ">="):
            return unproved(f"{relation} is not an inequality <= or >=", method=method)
        rests = [residual(claim, relation, combination) for combination in left]
        if 0 not in rests:
            nearest = min(rests, key=sp.count_ops)
            return unproved(
                f"{relation}: no combination gives right minus left side; the nearest misses {nearest}", method=method
            )
        chosen = left.pop(rests.index(0))
        complete = complete and not chosen.atoms and all(_follows(claim, p, signs) for _, p in chosen.terms)
        single = single and _restates(chosen, signs)
        for multiplier, premise in chosen.terms:
            if not sp.sympify(multiplier).subs(signs).is_nonnegative:
                return unproved(
                    f"the sign of the multiplier {multiplier} of '{premise.why}' is not known", method=method
                )
            used.append(premise.why)
        kept.append(_kept(relation, chosen))
    facts = "; ".join(dict.fromkeys(used))
    if single:
        supposed = any(p.supposed or _stated(claim, p) for combination in proof for _, p in combination.terms)
        return restated(facts or "the metrics are these numbers", method=method, supposed=supposed)
    evidence = replace(
        proved(f"exact identity with nonnegative multipliers from: {facts}", method=method), steps=tuple(kept)
    )
    return by_decider(evidence, claim) if complete else evidence


def _kept(relation: sp.Rel, combination: Combination) -> steps.Step:
    """A relation as the sum that shows it, and what its metrics stand for."""
    terms = [(sp.sympify(m), p) for m, p in combination.terms]
    meant = [f"with {old} = {new}" for old, new in combination.atoms.items()]
    certificate = Certificate(tuple((m, f"{p.expr} >= 0") for m, p in terms))
    return steps.step("the statement", relation, (p.why for _, p in terms), [*meant, certificate])


def _signed(premise: Premise, signs: Mapping[sp.Symbol, sp.Dummy]) -> bool:
    """Whether a premise is nonnegative by the signs of its symbols."""
    return sp.sympify(premise.expr).subs(signs).is_nonnegative is True


def _restates(combination: Combination, signs: Mapping[sp.Symbol, sp.Dummy]) -> bool:
    """Whether a relation is what one premise says, or what the atoms say."""
    terms = [(sp.sympify(multiplier), premise) for multiplier, premise in combination.terms if premise.expr != 0]
    if not terms:
        return bool(combination.atoms)
    multiplier, premise = terms[0]
    return len(terms) == 1 and bool(multiplier.is_number) and not _signed(premise, signs)


def _follows(claim: Claim, premise: Premise, signs: Mapping[sp.Symbol, sp.Dummy]) -> bool:
    """Whether a premise follows from the claim as it stands, without the words that say why."""
    return _signed(premise, signs) or _stated(claim, premise)


def _stated(claim: Claim, premise: Premise) -> bool:
    """Whether a premise is the relation of a hypothesis."""
    slacks = (premises.gap(r) for r in premises.relations(claim) if r.rel_op in premises.INEQUALITIES)
    return any(sp.expand(premise.expr - slack) == 0 for slack in slacks)


def argue(claim: Claim, argument: Callable[[Claim], Sequence[Combination]]) -> Evidence:
    """Check the proof that an argument makes for a claim; a ValueError says that it makes none."""
    try:
        return prove(claim, argument(claim))
    except ValueError as refusal:
        return unproved(str(refusal), method="nonnegative combination")


def residual(claim: Claim, relation: sp.Rel, combination: Combination) -> sp.Expr:
    """Right minus left side of a relation minus the combination; zero when the proof checks."""
    lhs, rhs = relation.args
    if relation.rel_op == ">=":
        lhs, rhs = rhs, lhs
    goal = claim.expand(rhs - lhs)
    total = sum((m * p.expr for m, p in combination.terms), sp.S.Zero)
    difference = (goal - claim.expand(total)).subs(dict(combination.atoms), simultaneous=True)
    return sp.simplify(sp.expand(difference))


def identity(lhs: sp.Expr, rhs: sp.Expr) -> bool:
    """Whether two expressions are identically equal, by exact simplification of their difference."""
    return bool(sp.simplify(sp.expand(lhs - rhs)) == 0)


def proved(detail: str, *, method: str = "symbolic") -> Evidence:
    """Evidence of a proof whose steps the caller has checked; of a caller outside this package it is an argument."""
    return Evidence(Finding.PROOF, Level.CERTIFICATE, method, detail)


def restated(facts: str, *, method: str = "symbolic", supposed: bool = False) -> Evidence:
    """Evidence of a proof whose premise is the claim itself, which the literature has or the paper supposes."""
    level, kind = (Level.PREMISE, "premise of the paper") if supposed else (Level.STANDARD_FACT, "standard fact")
    return Evidence(Finding.PROOF, level, method, f"the claim is a {kind}: {facts}")


#: How the detail of a proof that does not go through begins.
UNPROVED = "the proof does not check: "


def unproved(why: str, *, method: str = "symbolic") -> Evidence:
    """Evidence of a proof that did not go through; it says nothing against the claim."""
    return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, method, UNPROVED + why)


def lacking(claim: Claim, *keys: str) -> Evidence | None:
    """Why an argument from these hypotheses does not speak of the claim; None when it has them all."""
    try:
        premises.need(claim, *keys)
    except ValueError as refusal:
        return unproved(str(refusal))
    return None


def when(checks: Mapping[str, bool], detail: str) -> Evidence:
    """A proof when every named symbolic check holds, and there is one; else which ones do not."""
    if not checks:
        return unproved("nothing was checked")
    failed = [name for name, ok in checks.items() if not ok]
    return unproved(", ".join(failed)) if failed else proved(detail)


def cite(
    claim_id: str,
    at: Mapping[sp.Symbol, sp.Expr] | None = None,
    *,
    part: sp.Expr | None = None,
    terms: sp.Expr = sp.S.One,
) -> Premise:
    """The one inequality that another claim states, with the arguments of :func:`premises.cited`.

    Raises:
        ValueError: there is no such claim, or it does not state one inequality.
    """
    relation, why = premises.cited(claim_id, at, part=part, terms=terms)
    if relation.rel_op not in premises.INEQUALITIES:
        raise ValueError(f"{claim_id} states the equation {relation}, no inequality")
    return Premise(premises.gap(relation), why)


def certify(claim: Claim, checks: Mapping[str, bool], detail: str) -> Evidence:
    """:func:`when` for checks that read all of the statement, from relations of the claim alone: a certificate."""
    evidence = when(checks, detail)
    return by_decider(evidence, claim) if evidence.finding is Finding.PROOF else evidence


def guarded(check: Check) -> Check:
    """A check that finds nothing proved where the claim is of another form than the check reads, a ValueError."""

    @wraps(check)
    def answer(claim: Claim, budget: Budget) -> Iterator[Evidence]:
        try:
            yield from check(claim, budget)
        except ValueError as refusal:
            yield unproved(str(refusal))

    return answer


def _positive(claim: Claim) -> set[sp.Symbol]:
    """Symbols that a hypothesis of the form ``symbol > 0`` makes positive."""
    relations = [h.relation for h in claim.hypotheses if isinstance(h.relation, sp.StrictGreaterThan)]
    return {r.lhs for r in relations if r.lhs.is_Symbol and r.rhs == 0}
