"""What the proofs of this section share: premises that need hypotheses, inequalities between vectors, joint proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.verify.deciders import machine, premises
from rateproof.verify.deciders.certificates import Combination, Premise, argue, lacking, proved, residual, unproved
from rateproof.verify.evidence import Evidence, Finding

ONE = sp.S.One
Terms = Sequence[tuple[sp.Expr, Premise]]


@dataclass(frozen=True)
class Argument:
    """A claim as a nonnegative combination of premises.

    Attributes:
        needs: keys of the hypotheses that the premises rest on.
        combinations: one for each conjunct; a ValueError says that the claim is not of the form that they prove.
    """

    needs: tuple[str, ...]
    combinations: Callable[[Claim], Sequence[Combination]]

    def evidence(self, claim: Claim) -> Evidence:
        """A PROOF, or which hypothesis or step is missing."""
        return lacking(claim, *self.needs) or argue(claim, self.combinations)


def fixed(needs: tuple[str, ...], *combinations: Combination) -> Argument:
    """An argument whose premises do not depend on the claim."""
    return Argument(needs, lambda claim: combinations)


def relation_of(claim: Claim, key: str) -> sp.Rel:
    """The relation of a hypothesis, definitions put in.

    Raises:
        ValueError: the claim has no such hypothesis, or it is not one relation.
    """
    relation = premises.relation(claim, key)
    return relation.func(*map(claim.expand, relation.args), evaluate=False)


def parts_of(claim: Claim, key: str) -> tuple[sp.Rel, ...]:
    """The relations of a hypothesis that has several.

    Raises:
        ValueError: the claim has no such hypothesis, or it has no relation.
    """
    premises.need(claim, key)
    if not (relations := tuple(r for h in claim.hypotheses if h.key == key for r in conjuncts(h.relation))):
        raise ValueError(f"the argument uses the relation of {key}, which has none")
    return relations


def with_rest(claim: Claim, terms: Terms, atoms: Mapping[sp.Expr, sp.Expr] | None = None) -> Combination:
    """The terms, and what they leave of a statement ``lhs <= rhs`` when that is a sum of nonnegative monomials.

    Raises:
        ValueError: something is left whose sign is not plain.
    """
    (relation,) = conjuncts(claim.statement)
    rest = sp.expand(residual(claim, relation, Combination(list(terms), atoms or {})))
    if not plainly_nonnegative(rest):
        raise ValueError(f"right minus left side leaves {rest}, which is not plainly nonnegative")
    return Combination([*terms, (ONE, Premise(rest, "what is left has nonnegative terms"))], atoms or {})


def plainly_nonnegative(expr: sp.Expr) -> bool:
    """Whether an expression is a sum of nonnegative monomials over a positive denominator."""
    top, bottom = sp.fraction(sp.together(sp.expand(expr)))
    if not sp.expand(bottom).is_positive:
        return False
    if not top.free_symbols:
        return bool(top.is_nonnegative)
    try:
        polynomial = sp.Poly(top, *sorted(top.free_symbols, key=str))
    except sp.PolynomialError:  # a root of a sum
        return False
    return all(
        coefficient.is_nonnegative
        and sp.Mul(*(s**e for s, e in zip(polynomial.gens, powers, strict=True))).is_nonnegative
        for powers, coefficient in polynomial.terms()
    )


def form(
    claim: Claim,
    metrics: Mapping[sp.Symbol, sp.Expr],
    *,
    assuming: Sequence[sp.Rel] = (),
    said: str = "",
    needs: tuple[str, ...] = (),
) -> Evidence:
    """A claim as an inequality between vectors: its metrics are replaced by inner products of them.

    Equations are checked as identities, inequalities by :func:`rateproof.theory.gram.decide`.
    """
    if refusal := lacking(claim, *needs):
        return refusal
    relations = [
        r.func(*(claim.expand(side).xreplace(dict(metrics)) for side in r.args), evaluate=False)
        for r in conjuncts(claim.statement)
    ]
    if not relations:
        return unproved("there is no statement")
    for r in relations:
        if isinstance(r, sp.Eq) and sp.simplify(sp.expand(r.lhs - r.rhs)) != 0:
            return unproved(f"{r.lhs} and {r.rhs} differ")
    goals = [r for r in relations if not isinstance(r, sp.Eq)]
    steps = [machine.Form(str(k), goal, tuple(assuming)) for k, goal in enumerate(goals, start=1)]
    if not steps:
        return proved(said or "an identity between inner products")
    return machine.prove(claim, machine.Proof(lambda _: steps, said))


def together(parts: Iterable[tuple[str, Evidence]], said: str) -> Evidence:
    """A PROOF when all parts are proved; else which one is not."""
    names = []
    for name, evidence in parts:
        if evidence.finding is not Finding.PROOF:
            return unproved(f"{name}: {evidence.detail}")
        names.append(name)
    if not names:
        return unproved("there is no statement")
    return proved(f"{said}; checked: {'; '.join(names)}", method="chain of proofs")


def step(holds: bool, said: str) -> Evidence:
    """One exact computation of a chain."""
    return proved(said) if holds else unproved(said)
