"""Proofs that a machine checks: a claim follows from steps, and an exact prover decides each of them.

A proof is a function of the claim, so that its steps speak of the statement and the hypotheses as they stand: a fact is
used only when the claim has the hypotheses that give it, and the relations between parameters are the claim's own. A
changed constant or a dropped hypothesis makes a step fail. An induction is two steps, its start and its passage from
``k`` to ``k + 1``; a distinction of cases is one step for each case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import sympy as sp

from rateproof.theory import gram, sums
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.proof import Certificate
from rateproof.verify.deciders import steps
from rateproof.verify.deciders.certificates import proved, restated, unproved
from rateproof.verify.deciders.premises import INEQUALITIES, cited, follows, gap, relations
from rateproof.verify.evidence import Evidence, Finding, Level, by_decider

FORM = "quadratic form"
SUM = "sum bound"

Found = gram.Proved | gram.Refuted | gram.Open | sums.Decision


@dataclass(frozen=True)
class Fact:
    """What vectors and values satisfy by hypotheses of the claim; ``needs`` are their keys."""

    given: gram.Given
    needs: tuple[str, ...]


def cite(
    claim_id: str,
    at: Mapping[sp.Symbol, sp.Expr] | None = None,
    *,
    needs: tuple[str, ...],
    part: sp.Expr | None = None,
    terms: sp.Expr = sp.S.One,
) -> Fact:
    """The one relation that another claim states, with the arguments of :func:`premises.cited`.

    Raises:
        ValueError: there is no such claim, or it does not state one relation.
    """
    relation, why = cited(claim_id, at, part=part, terms=terms)
    return Fact(gram.Given(why, (relation,)), needs)


@dataclass(frozen=True)
class Form:
    """An inequality between inner products and values that follows from others, by :func:`theory.gram.decide`.

    Attributes:
        name: the step in a few words.
        goal: the inequality.
        given: facts, and relations that hold by definition, by an earlier step or as induction hypothesis.
        assuming: relations between the parameters, beside those of the claim's hypotheses: the case in question.
        values: the scalars that enter linearly, as in :func:`rateproof.theory.gram.decide`.
        multipliers: one for each relation of ``given``, to check instead of searching.
    """

    name: str
    goal: sp.Rel
    given: tuple[Fact | sp.Rel, ...] = ()
    assuming: tuple[sp.Rel, ...] = ()
    values: tuple[sp.Symbol, ...] | None = None
    multipliers: tuple[sp.Expr, ...] | None = None


@dataclass(frozen=True)
class Total:
    """A bound on a sum for every horizon ``>= first``, by :func:`rateproof.theory.sums.decide`."""

    name: str
    goal: sp.Rel
    horizon: sp.Symbol
    first: int = 1


Step = Form | Total


@dataclass(frozen=True)
class Proof:
    """How a claim is proved.

    Attributes:
        steps: from the claim to the steps; a ValueError says that the statement is not of the form that they prove.
        said: how the claim follows from the steps, with the facts that no step checks.
    """

    steps: Callable[[Claim], Iterable[Step]]
    said: str = ""


def prove(claim: Claim, proof: Proof) -> Evidence:
    """A PROOF when every step is proved; else INCONCLUSIVE evidence that names the first step that is not.

    No fact of the proof stands in words when each relation of the statement is itself a step, from relations of the
    hypotheses alone.
    """
    methods: list[str] = []
    alone: list[sp.Rel] = []
    single = True
    names: list[str] = []
    facts: list[str] = []
    kept: list[steps.Step] = []
    try:
        for step in proof.steps(claim):
            decision = _decided(step, claim)
            if not isinstance(decision, gram.Proved | sums.Proved):
                return unproved(f"{step.name}: {_text(decision)}", method=FORM)
            methods.append(SUM if isinstance(step, Total) else FORM)
            names.append(step.name)
            if _stands_alone(step, claim):
                alone.append(step.goal)
            facts_used = [g.given for g in _available(step, claim) if isinstance(g, Fact)]
            single = single and any(_same(step.goal, fact) for g in facts_used for fact in g.relations)
            facts += [g.why for g in facts_used]
            kept.append(_kept(step, facts_used, decision))
    except ValueError as refusal:
        return unproved(str(refusal), method=FORM)
    if not names:
        return unproved("it has no steps", method=FORM)
    if len(names) == 1:
        shown_by = (
            decision.detail if isinstance(decision, sums.Proved) else f"1 step, with an exact certificate: {names[0]}"
        )
    else:
        shown_by = f"{len(names)} steps, each with an exact certificate: {'; '.join(names)}"
    used = f"from {', '.join(dict.fromkeys(facts))}" if facts else ""
    detail = "; ".join(part for part in (proof.said, used, shown_by) if part)
    if single:
        return restated(detail, method=FORM)
    found_proof = replace(proved(detail, method=", ".join(dict.fromkeys(methods))), steps=tuple(kept))
    stated = conjuncts(claim.statement)
    shown = all(r in alone or claim.expand(r) in alone for r in stated)
    return by_decider(found_proof, claim) if stated and shown else found_proof


def _kept(step: Step, facts: Iterable[gram.Given], decision: gram.Proved | sums.Proved) -> steps.Step:
    if isinstance(decision, sums.Proved):
        return steps.step(step.name, step.goal, (), (f"{SUM}: {decision.method}",))
    facts = list(facts)
    names = {r: f.why for f in facts for r in f.relations if len(f.relations) == 1}
    return steps.step(step.name, step.goal, (f.why for f in facts), (Certificate.of(decision, names),))


def _stands_alone(step: Step, claim: Claim) -> bool:
    """Whether a step speaks of the claim as it stands: no fact in words, no case, and every horizon of the claim."""
    if isinstance(step, Total):
        return step.horizon.is_integer is True and follows(step.horizon >= step.first, relations(claim))
    assumed = relations(claim)
    return not step.assuming and set(step.given) <= {*assumed, *map(claim.expand, assumed)}


def _same(goal: sp.Rel, fact: sp.Rel) -> bool:
    """Whether a fact is the goal itself, up to a rearrangement."""
    comparable = goal.rel_op in INEQUALITIES and fact.rel_op in INEQUALITIES
    return goal == fact or (comparable and sp.expand(gap(goal) - gap(fact)) == 0)


def evidence(decision: Found) -> Evidence:
    """What an exact prover found: a PROOF, else INCONCLUSIVE, as vectors that break one step refute no claim."""
    method = FORM if isinstance(decision, gram.Proved | gram.Refuted | gram.Open) else SUM
    if isinstance(decision, sums.Proved):
        method = f"{SUM}: {decision.method}"
    if isinstance(decision, gram.Proved | sums.Proved):
        return proved(_text(decision), method=method)
    return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, method, _text(decision))


def _text(decision: Found) -> str:
    match decision:
        case sums.Proved(detail=detail) | sums.Refuted(detail=detail):
            return detail
        case sums.Open(why=why):
            return why
    return str(decision)


def _decided(step: Step, claim: Claim) -> Found:
    if isinstance(step, Total):
        return _total(step)
    available = _available(step, claim)
    if step.multipliers is not None and len(available) < len(step.given):
        return gram.Open("a hypothesis that it uses is missing")
    given = tuple(g.given if isinstance(g, Fact) else g for g in available)
    assumed = (*relations(claim), *step.assuming)
    for condition in (c for g in given if isinstance(g, gram.Given) for c in g.conditions):
        if not follows(condition, assumed):
            return gram.Open(f"it uses a fact for {condition}, which does not follow from the hypotheses")
    return _form(step, given, assumed)


def _available(step: Step, claim: Claim) -> list[Fact | sp.Rel]:
    """What a step is given, but for facts whose hypotheses the claim does not have."""
    keys = {h.key for h in claim.hypotheses}
    given = step.given if isinstance(step, Form) else ()
    return [g for g in given if not isinstance(g, Fact) or keys.issuperset(g.needs)]


# A step that does not speak of the statement is the same for every copy of a claim.
@lru_cache(maxsize=1024)
def _form(
    step: Form, given: tuple[sp.Rel | gram.Given, ...], assuming: tuple[sp.Rel, ...]
) -> gram.Proved | gram.Refuted | gram.Open:
    return gram.decide(step.goal, given=given, assuming=assuming, multipliers=step.multipliers, values=step.values)


@lru_cache(maxsize=256)
def _total(step: Total) -> sums.Decision:
    return sums.decide(step.goal, step.horizon, first=step.first)
