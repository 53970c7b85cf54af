"""Planted errors: false copies of a true claim, made by operators that know no paper.

A true claim can be sharpened to a false one only where it is tight. Which places are tight is a mathematical fact about
the claim and cannot be read off its formula, so the claim's owner states it in a :class:`Sharp`: a direction is listed
only when a family of instances attains the bound along it (each family is derived on paper and its ratio tested), and a
hypothesis only when an instance that misses it alone breaks the statement. Everything listed is then mutated, nothing
else; so each mutant is false, and a check that lets it pass has missed something.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller

import sympy as sp

from theory.claim import Claim
from verify.trial import conjuncts

CONSTANTS = (sp.Rational(99, 100), sp.Rational(9, 10), sp.Rational(1, 2))
EXPONENTS = (sp.Rational(1, 20), sp.Rational(1, 4))

Change = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True)
class Sharp:
    """Where a claim is tight.

    Attributes:
        constant: instances come arbitrarily close to equality, so no smaller constant will do.
        terms: where the bound is a sum, no smaller constant will do in front of any single term.
        exponents: variables in which the bound's order is exact: equality is approached, up to a constant, as the
            variable grows (where it stands in the exponent of a geometric factor: at some fixed value).
        logs: the logarithms of the bound are needed.
        hypotheses: keys of hypotheses without which the statement is false.
    """

    constant: bool = True
    terms: bool = False
    exponents: tuple[sp.Symbol, ...] = ()
    logs: bool = False
    hypotheses: tuple[str, ...] = ()


def mutants(claim: Claim, sharp: Sharp) -> Iterator[tuple[str, Claim]]:
    """False copies of a claim with a one-line name each; they keep the claim's id, so its own check applies.

    The bound is the right side of every ``metric <= bound``. Two operators that make the same copy count once.

    Raises:
        ValueError: the claim is not of this form, or ``sharp`` names a variable, a logarithm or a hypothesis that
            the claim does not have.
    """
    if claim.statement is None or any(relation.rel_op != "<=" for relation in conjuncts(claim.statement)):
        raise ValueError(f"claim {claim.id!r} should state metric <= bound to be mutated, got {claim.statement}")
    seen = set()
    for name, change in _changes(claim, sharp):
        statement = _tighten(claim.statement, change)
        if statement == claim.statement:
            raise ValueError(f"mutation {name!r} does not change claim {claim.id!r}; remove it from what is sharp")
        if statement not in seen:
            seen.add(statement)
            yield name, replace(claim, statement=statement)
    keys = [h.key for h in claim.hypotheses]
    for key in sharp.hypotheses:
        if key not in keys:
            raise ValueError(f"claim {claim.id!r} has no hypothesis {key!r}; it has {', '.join(keys)}")
        yield f"without {key}", replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key))


def _changes(claim: Claim, sharp: Sharp) -> Iterator[tuple[str, Change]]:
    bounds = [relation.args[1] for relation in conjuncts(claim.statement)]
    if sharp.constant:
        for c in CONSTANTS:
            yield f"constant x{float(c):g}", partial(operator.mul, c)
    if sharp.terms:
        for term in dict.fromkeys(term for bound in bounds for term in sp.Add.make_args(bound)):
            for c in CONSTANTS:
                yield f"term {term} x{float(c):g}", partial(_scale_term, term, c)
    for variable in sharp.exponents:
        for step in EXPONENTS:
            yield f"exponent of {variable} by {float(step):g}", partial(improve_exponent, variable, step)
    if sharp.logs:
        logs = sorted({log for bound in bounds for log in bound.atoms(sp.log)}, key=str)
        if not logs:
            raise ValueError(f"the bound of claim {claim.id!r} has no logarithm; set logs=False")
        for log in logs:
            yield f"without {log}", methodcaller("xreplace", {log: sp.S.One})


def _scale_term(chosen: sp.Expr, c: sp.Expr, bound: sp.Expr) -> sp.Expr:
    return sp.Add(*(c * term if term == chosen else term for term in sp.Add.make_args(bound)))


def improve_exponent(variable: sp.Symbol, step: sp.Expr, bound: sp.Expr) -> sp.Expr:
    """The bound with a better order in one variable.

    A power with the variable in its exponent, ``q^(2R)``, becomes ``q^(2R(1 + step))``; otherwise every term
    that contains the variable is multiplied by ``variable^-step``.
    """

    def faster(term: sp.Expr) -> sp.Expr:
        if variable not in term.free_symbols:
            return term
        powers = [p for p in term.atoms(sp.Pow) if variable in p.exp.free_symbols - p.base.free_symbols]
        if powers and variable not in term.xreplace(dict.fromkeys(powers, sp.S.One)).free_symbols:
            return term.xreplace({p: p.base ** (p.exp * (1 + step)) for p in powers})
        return term * variable**-step

    return sp.Add(*(faster(term) for term in sp.Add.make_args(bound)))


def _tighten(statement: sp.Basic, change: Change) -> sp.Basic:
    """Apply ``change`` to the bound of every conjunct."""
    relations = [
        relation.func(relation.args[0], change(relation.args[1]), evaluate=False) for relation in conjuncts(statement)
    ]
    return relations[0] if len(relations) == 1 else sp.And(*relations, evaluate=False)
