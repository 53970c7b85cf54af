"""Conditions with a maximum or a minimum as the relations that they stand for, which the exact provers can read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, conjuncts
from rateproof.theory.shorthand import every
from rateproof.verify.deciders import machine
from rateproof.verify.deciders.machine import Proof
from rateproof.verify.evidence import Evidence, Finding, Level


def parts(relation: sp.Rel) -> Iterator[sp.Rel]:
    """``gamma <= min{1/max(a, b), c}`` as ``gamma <= 1/a``, ``gamma <= 1/b`` and ``gamma <= c``; others as they are.

    Each part is implied when a maximum stands where a larger value makes the condition harder to meet, and a minimum
    where a smaller one does.

    Raises:
        ValueError: a maximum or minimum stands elsewhere.
    """
    extremes = sorted(relation.atoms(sp.Max, sp.Min), key=sp.default_sort_key)
    if not extremes:
        yield relation
        return
    if relation.rel_op not in ("<=", "<"):
        raise ValueError(f"a maximum or minimum is looked for in conditions lhs <= rhs, not in {relation}")
    for extreme in extremes:
        _check(relation, extreme)
    for chosen in product(*(e.args for e in extremes)):
        yield relation.func(
            *(_put(side, dict(zip(extremes, chosen, strict=True))) for side in relation.args), evaluate=False
        )


def _put(side: sp.Expr, chosen: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    """Replace extremes, outer ones first, until none is left."""
    while side.atoms(sp.Max, sp.Min) & chosen.keys():
        side = side.xreplace(chosen)
    return side


def _check(relation: sp.Rel, extreme: sp.Expr) -> None:
    """Whether the gap ``rhs - lhs`` falls in a maximum and rises in a minimum, all symbols being nonnegative."""
    slot = sp.Symbol("slot", positive=True)
    lhs, rhs = (side.xreplace({extreme: slot}) for side in relation.args)
    rhs = rhs.args[_with(rhs.args, slot)] if isinstance(rhs, sp.Min) and slot in rhs.free_symbols else rhs
    slope = sp.simplify(sp.diff(rhs - lhs, slot))
    slope = slope.subs({s: sp.Symbol(s.name, positive=True) for s in slope.free_symbols})
    good = slope.is_nonpositive if isinstance(extreme, sp.Max) else slope.is_nonnegative
    if not good:
        raise ValueError(f"{extreme} stands where its parts are not implied in {relation}")


def _with(args: tuple[sp.Expr, ...], slot: sp.Symbol) -> int:
    return next(i for i, a in enumerate(args) if slot in a.free_symbols)


def unfolded(claim: Claim) -> Claim:
    """The claim with all conditions unfolded and definitions put in."""

    def plain(h: Hypothesis) -> Hypothesis:
        if h.relation is None:
            return h
        relations = [r for whole in conjuncts(h.relation) for r in parts(_expanded(claim, whole))]
        return replace(h, relation=every(*relations) if len(relations) > 1 else relations[0])

    return replace(claim, hypotheses=tuple(map(plain, claim.hypotheses)))


def _expanded(claim: Claim, relation: sp.Rel) -> sp.Rel:
    return relation.func(*(claim.expand(side) for side in relation.args), evaluate=False)


def proved_unfolded(claim: Claim, proof: Proof, *, alone: bool) -> Evidence:
    """A proof from the unfolded claim; ``alone`` says that its steps name the conditions that they need."""
    try:
        plain = unfolded(claim)
    except ValueError as refusal:
        why = f"the proof does not check: {refusal}"
        return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, machine.FORM, why)
    return machine.prove(bare(plain) if alone else plain, Proof(lambda _: proof.steps(plain), proof.said))


def bare(claim: Claim) -> Claim:
    """The claim without the relations of its hypotheses, which the steps take over themselves."""
    return replace(claim, hypotheses=tuple(replace(h, relation=None) for h in claim.hypotheses))
