"""A proof for a reader: numbered steps, each with its formula and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import cast

import sympy as sp

from rateproof.theory.algebra import each_side
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.probability import Pr, bounded
from rateproof.theory.proof.called import Called
from rateproof.theory.proof.folded import folded
from rateproof.theory.proof.steps import (
    Cases,
    Cite,
    Exponential,
    Exponents,
    Have,
    Induct,
    InWords,
    Limit,
    Logarithm,
    Proof,
    Raised,
    Rewritten,
    Rule,
    Special,
    Split,
    Step,
    Summed,
    Total,
)
from rateproof.theory.proof.telescope import sum_of


@dataclass(frozen=True)
class Numbered:
    """A step of a proof, or a heading.

    Attributes:
        number: ``(3)``, of a lemma beside the proof ``(A.3)``; empty for a heading.
        name: of the step, or the heading.
        goal: the relation that it shows; None where :func:`formula` says it in words.
        words: those words, or under what and for which indices the relation is shown.
        grounds: what it rests on.
        worded: it stands in words, which no rule gives.
        called: what the names of its claim are called.
    """

    number: str
    name: str
    goal: sp.Basic | None = None
    words: str = ""
    grounds: str = ""
    worded: bool = False
    called: Called | None = None


def numbered(claim: Claim, proof: Proof, *, coded: bool = True) -> Iterator[Numbered]:
    """The steps of a proof in its order, after those of the lemmas that stand beside it, with their headings.

    Args:
        claim: it.
        proof: its proof, or another one.
        coded: whether names and rules are those of the code, and what is made of an earlier step is said, not shown.
    """
    for letter, lemma in zip(ascii_uppercase, lemmas(proof), strict=False):
        yield Numbered("", f"{letter}. {lemma.id}: {lemma.text}")
        if lemma.proof is not None:
            yield from _numbered(lemma, lemma.proof, letter, coded)
    if lemmas(proof) and proof.steps[0].name not in proof.sections:
        yield Numbered("", "The proof")
    yield from _numbered(claim, proof, "", coded)


def _numbered(claim: Claim, proof: Proof, letter: str, coded: bool) -> Iterator[Numbered]:
    numbers: dict[str, str] = {}
    earlier: dict[str, Numbered] = {}
    called = Called(claim, coded)
    for i, step in enumerate(proof.steps, 1):
        # with a dot, since A1 may be a constant
        number = numbers[step.name] = f"({letter}.{i})" if letter else f"({i})"
        if step.name in proof.sections:
            yield Numbered("", proof.sections[step.name])
        goal, grounds = _goal(step, claim), _grounds(step, numbers, called)
        whole = formula(step, claim, numbers)
        words = called.letters(whole if goal is None else whole.removeprefix(written(goal)).strip())
        if goal is None and not coded and (made := _made(step, earlier)) is not None:
            of = earlier[getattr(step, "of", "")]
            goal, grounds = made, [words, *(one for one in grounds if one != of.number)]
            words = of.words if isinstance(step, Raised | Rewritten | Limit) else ""  # where it holds
        one = Numbered(number, step.name, goal, words, ", ".join(grounds), isinstance(step, InWords), called)
        earlier[step.name] = one
        yield one


def _made(step: Step, earlier: Mapping[str, Numbered]) -> sp.Rel | None:
    """The relation that a step makes of an earlier one, where a formula says it alone."""
    of = earlier.get(getattr(step, "of", ""))
    if of is None or not isinstance(of.goal, sp.Le | sp.Ge | sp.Eq):
        return None
    match step:
        case Raised(to=to) if bounded(of.goal) is of.goal:
            return each_side(of.goal, lambda side: side**to)
        case Special(at=at) if not of.goal.has(sp.Sum, Pr) and not of.words.startswith("where"):
            return each_side(of.goal, lambda side: side.subs(at, simultaneous=True))
        case Limit(over=over):
            return each_side(of.goal, lambda side: side.subs(over, 0))
        case Rewritten(by=by):
            equal = [earlier[name].goal for name in by if name in earlier]
            at = {one.lhs: one.rhs for one in equal if isinstance(one, sp.Eq)}
            return each_side(of.goal, lambda side: side.xreplace(at)) if len(at) == len(by) else None
        case Summed(over=over, start=start, last=last, weight=weight):
            return each_side(of.goal, lambda side: sum_of(weight * side, over, start, last))
    return None


def _goal(step: Step, claim: Claim) -> sp.Basic | None:
    match step:
        case Logarithm(z=z, below=below):
            return sp.Ge(sp.log(z), 1 - 1 / z, evaluate=False) if below else sp.Le(sp.log(z), z - 1, evaluate=False)
        case Split(terms=terms, to=to):
            return sp.Le(sp.Add(*terms) ** to, sp.Add(*(term**to for term in terms)), evaluate=False)
    goal = getattr(step, "goal", None)
    if isinstance(goal, sp.Integer):
        stated = conjuncts(claim.statement)
        return stated[int(goal)] if goal < len(stated) else None
    return goal if isinstance(goal, sp.Basic) else None


def lemmas(proof: Proof) -> list[Claim]:
    """The lemmas of our own on which a proof rests, each after those that it rests on itself."""
    found: list[Claim] = []
    for step in proof.steps:
        for ground in step.grounds:
            if isinstance(ground, Cite) and not isinstance(ground.claim, str):
                inner_ = lemmas(ground.claim.proof) if ground.claim.proof else []
                found += [c for c in (*inner_, ground.claim) if not any(c is known for known in found)]
    return found


def rules_used(proof: Proof) -> list[str]:
    """The rules on which a proof and the lemmas beside it rest, by name."""
    proofs = [*(lemma.proof for lemma in lemmas(proof) if lemma.proof), proof]
    grounds = (ground for one in proofs for step in one.steps for ground in step.grounds)
    return sorted({ground.name for ground in grounds if isinstance(ground, Rule)})


@lru_cache(maxsize=1024)  # a page, its legend and its numbers write the same steps
def written(relation: sp.Basic) -> str:
    """A relation with products of sums of vectors, ``<f, x - y>``, where that is shorter."""
    if not isinstance(relation, sp.Rel):
        return str(relation)
    left, right = map(folded, relation.args)
    return f"{left} {'=' if relation.rel_op == '==' else relation.rel_op} {right}"


def formula(step: Step, claim: Claim, numbers: Mapping[str, str]) -> str:
    """What a step is to show; earlier steps have the names in ``numbers``, else their own."""
    match step:
        case Have(goal=sp.Integer() as of):
            stated = conjuncts(claim.statement)
            return written(stated[of]) if of < len(stated) else "no such relation"
        case Have(goal=sp.Rel() as goal, when=when) if when:
            return f"{written(goal)} where {', '.join(map(written, when))}"
        case Induct(goal=goal, over=over, start=start, last=last):
            return f"{written(goal)} for {over} = {start}, ..., {'' if last is None else last}".rstrip(", ")
        case Summed(of=of, over=over, start=start, last=last, weight=weight):
            times = "" if weight == 1 else f" times {weight}"
            return f"the sum of {numbers.get(of, of)}{times} over {over} = {start}, ..., {last}"
        case Raised(of=of, to=to):
            return f"{numbers.get(of, of)} to the power {to}"
        case Exponents(of=of):
            return f"the rounds that each term of {numbers.get(of, of)} asks for, up to a number"
        case Rewritten(of=of):
            return f"{numbers.get(of, of)} with equals for equals"
        case Exponential(of=of):
            return f"the exponentials of the sides of {numbers.get(of, of)}"
        case Limit(of=of, over=over):
            return f"{numbers.get(of, of)} in the limit {over} -> 0"
        case Logarithm() | Split():
            return written(cast(sp.Basic, _goal(step, claim)))
        case Special(of=of, at=at):
            return f"{numbers.get(of, of)} at {', '.join(f'{k} = {v}' for k, v in at.items())}"
        case Have(goal=goal) | Cases(goal=goal) | Total(goal=goal) | InWords(goal=goal):
            return written(goal)
    return str(step)


def _grounds(step: Step, numbers: dict[str, str], called: Called) -> list[str]:
    match step:
        case Total():
            return ["a bound on a sum"]
        case InWords(why=why):
            return [f"in words: {why}"]
    return [*dict.fromkeys(numbers.get(g, g) if isinstance(g, str) else called.ground(g) for g in step.grounds)]
