"""Planted errors: false copies of a true claim, drawn at random by operators that know no paper.

A true claim can be sharpened to a false one only where it is tight. Which places are tight is a mathematical fact about
the claim and cannot be read off its formula, so the claim's owner states it in a :class:`Sharp`: a direction is listed
only when a family of instances attains the bound along it (each family is derived on paper and its ratio tested), and a
hypothesis only when an instance that misses it alone breaks the statement. Errors are planted there and nowhere else;
so each mutant is false, and a check that lets it pass has missed something.

Nothing needs to be known about a claim to take the terms of its bound away one by one (:func:`terms`): a bound that is
as true without one of them should say so, and a check that does not see the difference never looked at it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from operator import methodcaller
from random import Random

import sympy as sp

from rateproof.theory.claim import Claim, Kind, conjuncts
from rateproof.theory.probability import bounded, with_bounded
from rateproof.theory.symbols import C_O

#: Range from which the relative cut of a constant is drawn (on a logarithmic scale), and the change of an exponent.
CUTS = (0.01, 0.5)
STEPS = (0.02, 0.5)
#: Digits to which what is drawn is rounded, so that it is an exact rational and its name reproduces it.
DIGITS = 3

Change = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True)
class Sharp:
    """Where a claim is tight.

    Attributes:
        constant: instances come arbitrarily close to equality, so no smaller constant will do.
        terms: where the bound is a sum, no term can be lowered alone (a negative one: no larger constant will do).
        exponents: variables in which the bound's order is exact: equality is approached, up to a constant, as the
            variable grows (where it stands in the exponent of a geometric factor: at some fixed value).
        logs: the logarithms of the bound are needed.
        hypotheses: keys of hypotheses without which the statement is false.
        metrics: left sides of the relations that all this is about; all relations of the statement when empty.
    """

    constant: bool = True
    terms: bool = False
    exponents: tuple[sp.Symbol, ...] = ()
    logs: bool = False
    hypotheses: tuple[str, ...] = ()
    metrics: tuple[sp.Expr, ...] = ()


@dataclass(frozen=True)
class Direction:
    """One way to make a claim false: ``make(amount)`` names the error and plants it.

    ``amounts`` is the range from which its size is drawn; None where it has no size.
    """

    amounts: tuple[float, float] | None
    make: Callable[[sp.Expr], tuple[str, Claim]]


def mutants(claim: Claim, sharp: Sharp, *, count: int, rng: Random) -> Iterator[tuple[str, Claim]]:
    """Up to ``count`` false copies of a claim, with a one-line name each; they keep its id, so its own check applies.

    The bound is the right side of ``metric <= bound``, which may be an event that has a probability at least. Every
    direction is taken once before one is taken again; one without a size is taken only once, so fewer copies come when
    no direction has one.

    Raises:
        ValueError: the claim is not of this form, or ``sharp`` names a variable, a logarithm, a hypothesis or a metric
            that the claim does not have.
    """
    left = directions(claim, sharp)
    seen: set[tuple[sp.Basic | None, int]] = set()
    made = 0
    while left and made < count:
        for direction in rng.sample(left, len(left)):
            name, copy = direction.make(_drawn(direction.amounts, rng))
            if direction.amounts is None:
                left.remove(direction)
            if made < count and (key := (copy.statement, len(copy.hypotheses))) not in seen:
                seen.add(key)
                made += 1
                yield name, copy


def _drawn(amounts: tuple[float, float] | None, rng: Random) -> sp.Expr:
    if amounts is None:
        return sp.S.One
    low, high = map(math.log, amounts)
    return sp.Rational(f"{math.exp(rng.uniform(low, high)):.{DIGITS}g}")


def directions(claim: Claim, sharp: Sharp) -> list[Direction]:
    """All ways to make a claim false that ``sharp`` lists; see :func:`mutants`."""
    relations = conjuncts(claim.statement)
    if sharp.metrics:
        for metric in sharp.metrics:
            if all(bounded(relation).args[0] != metric for relation in relations):
                raise ValueError(f"claim {claim.id!r} does not bound {metric}")
        relations = tuple(relation for relation in relations if bounded(relation).args[0] in sharp.metrics)
    if not relations or any(bounded(relation).rel_op != "<=" for relation in relations):
        raise ValueError(f"claim {claim.id!r} should state metric <= bound to be mutated, got {claim.statement}")
    bounds = [bounded(relation).args[1] for relation in relations]

    def planted(name: str, change: Change) -> tuple[str, Claim]:
        parts = {relation: _changed(relation, change) for relation in relations}
        if all(old == new for old, new in parts.items()):
            raise ValueError(f"mutation {name!r} does not change claim {claim.id!r}; remove it from what is sharp")
        return name, replace(claim, statement=_rebuilt(claim.statement, parts))

    def without(hypothesis_key: str, _: sp.Expr) -> tuple[str, Claim]:
        kept = tuple(h for h in claim.hypotheses if h.key != hypothesis_key)
        return f"without {hypothesis_key}", replace(claim, hypotheses=kept)

    def cut(amount: sp.Expr) -> tuple[str, Claim]:
        factor = 1 - amount
        return planted(f"constant x{float(factor):g}", lambda bound: factor * bound)

    def cut_term(term: sp.Expr, amount: sp.Expr) -> tuple[str, Claim]:
        factor = 1 / (1 - amount) if term.could_extract_minus_sign() else 1 - amount
        return planted(f"term {term} x{float(factor):.4g}", lambda bound: _scale_term(bound, term, factor))

    def faster(variable: sp.Symbol, amount: sp.Expr) -> tuple[str, Claim]:
        change = partial(improve_exponent, variable, amount)
        return planted(f"exponent of {variable} by {float(amount):g}", change)

    def without_log(log: sp.Expr, _: sp.Expr) -> tuple[str, Claim]:
        return planted(f"without {log}", methodcaller("xreplace", {log: sp.S.One}))

    out: list[Direction] = []
    if sharp.constant:
        out.append(Direction(CUTS, cut))
    if sharp.terms:
        terms = dict.fromkeys(term for bound in bounds for term in sp.Add.make_args(bound))
        out += [Direction(CUTS, partial(cut_term, term)) for term in terms]
    for variable in sharp.exponents:
        if all(variable not in bound.free_symbols for bound in bounds):
            raise ValueError(f"the bound of claim {claim.id!r} does not have {variable}; remove it from what is sharp")
        out.append(Direction(STEPS, partial(faster, variable)))
    if sharp.logs:
        logs = sorted({log for bound in bounds for log in bound.atoms(sp.log)}, key=str)
        if not logs:
            raise ValueError(f"the bound of claim {claim.id!r} has no logarithm; set logs=False")
        out += [Direction(None, partial(without_log, log)) for log in logs]
    keys = [h.key for h in claim.hypotheses]
    for key in sharp.hypotheses:
        if key not in keys:
            raise ValueError(f"claim {claim.id!r} has no hypothesis {key!r}; it has {', '.join(keys)}")
        out.append(Direction(None, partial(without, key)))
    return out


@dataclass(frozen=True)
class Term:
    """An additive term of a bound; ``scaled(c)`` is the claim with c times this term, and all else as it is.

    ``name`` is the term as it is written; "of A" says that it is a summand of A's definition, "in ..." which relation
    of several it belongs to.
    """

    name: str
    scaled: Callable[[sp.Expr], Claim]


def terms(claim: Claim) -> Iterator[Term]:
    """The terms that a statement adds up: what sharpens it when it is left out.

    Products are multiplied out, and sums under a root are sums of terms too (but for a number such as the 1 of
    1 + ln T). Where a symbol of one term of an explicit bound is itself defined as a sum its summands are terms, their
    own constants left whole; what an O(.) claim calls a constant stays one. What subtracts is no term, a difference
    such as 1 - S/N is left whole, and equations have no terms.
    """
    relations = conjuncts(claim.statement)
    where = {} if claim.kind is Kind.COMPLEXITY else claim.where
    seen: set[str] = set()
    for relation, part in ((r, part) for r in relations for part in dict.fromkeys((r, bounded(r)))):
        if part.rel_op not in ("<=", "<", ">=", ">"):
            continue
        small, large = (0, 1) if part.rel_op in ("<=", "<") else (1, 0)
        for side, sign in ((large, 1), (small, -1)):
            hidden = C_O if part.args[side].has(C_O) else sp.S.One
            for term, change in _summands(sign * part.args[side] / hidden, where):
                name = term if len(relations) == 1 else f"{term} in {_shown(part, side)}"
                # the same term may stand at several places
                name = next(n for k in count(1) if (n := name if k == 1 else f"{name} ({k})") not in seen)
                seen.add(name)
                yield Term(name, partial(_with_side, claim, relation, part, side, sign * hidden, change))


def _summands(
    expr: sp.Expr, where: Mapping[sp.Symbol, sp.Expr], *, numbers: bool = True
) -> Iterator[tuple[str, Change]]:
    """The terms inside of an expression: as written, and the expression as a function of a factor of the term."""
    flat = _multiplied_out(expr)
    parts = [part for part in sp.Add.make_args(flat) if not _subtracts(part)]
    factors = Counter(factor for part in parts for factor in sp.Mul.make_args(part))
    for part in parts:
        if flat.is_Add and (numbers or not part.is_number):
            yield str(part), partial(_scale_term, flat, part)
        for factor in sp.Mul.make_args(part):
            opened = where if factors[factor] == 1 else {}
            for term, change in _inside(factor, where, opened):
                yield term, partial(_with_factor, flat, part, factor, change)


def _inside(
    factor: sp.Expr, where: Mapping[sp.Symbol, sp.Expr], opened: Mapping[sp.Symbol, sp.Expr]
) -> Iterator[tuple[str, Change]]:
    """The terms inside of a factor: summands of a definition, and terms under a root."""
    if factor in opened and _adds(opened[factor]):
        for each in opened[factor].args:
            yield f"{each} of {factor}", partial(_scale_term, opened[factor], each)
    elif factor.is_Pow and not factor.exp.is_Integer and not _subtracts(factor.exp) and not _differs(factor.base):
        for term, change in _summands(factor.base, where, numbers=False):
            yield term, partial(_powered, change, factor.exp)


def _with_factor(flat: sp.Expr, part: sp.Expr, factor: sp.Expr, change: Change, c: sp.Expr) -> sp.Expr:
    return flat - part + part / factor * change(c)


def _powered(change: Change, exponent: sp.Expr, c: sp.Expr) -> sp.Expr:
    return change(c) ** exponent


def _multiplied_out(expr: sp.Expr) -> sp.Expr:
    """Products of sums as sums; powers of sums, and sums that subtract, are left whole."""
    whole = {each: sp.Dummy() for each in expr.atoms(sp.Add) if each != expr and not _adds(each)}
    keep = {"power_base": False, "power_exp": False, "log": False, "multinomial": False}
    return sp.expand(expr.xreplace(whole), **keep).xreplace({new: old for old, new in whole.items()})


def _differs(expr: sp.Expr) -> bool:
    """Whether an expression is a difference, of which no root may be left when a part is taken away."""
    return expr.is_Add and not _adds(expr)


def _adds(expr: sp.Expr) -> bool:
    """Whether an expression is a sum that does not subtract."""
    return expr.is_Add and not any(map(_subtracts, expr.args))


def _subtracts(term: sp.Expr) -> bool:
    return bool(term.could_extract_minus_sign())


def _with_side(
    claim: Claim, relation: sp.Rel, part: sp.Rel, side: int, scale: sp.Expr, change: Change, factor: sp.Expr
) -> Claim:
    sides = [scale * change(factor) if k == side else each for k, each in enumerate(part.args)]
    new = part.func(*sides, evaluate=False)
    changed = new if part is relation else with_bounded(relation, new)
    return replace(claim, statement=_rebuilt(claim.statement, {relation: changed}))


def _shown(relation: sp.Rel, side: int) -> str:
    """A relation, but for one side."""
    shown = ("..." if k == side else str(each) for k, each in enumerate(relation.args))
    return f" {relation.rel_op} ".join(shown)


def _scale_term(bound: sp.Expr, chosen: sp.Expr, c: sp.Expr) -> sp.Expr:
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


def _changed(relation: sp.Rel, change: Change) -> sp.Rel:
    left, right = bounded(relation).args
    return with_bounded(relation, bounded(relation).func(left, change(right), evaluate=False))


def _rebuilt(statement: sp.Basic, parts: dict[sp.Rel, sp.Rel]) -> sp.Basic:
    relations = [parts.get(relation, relation) for relation in conjuncts(statement)]
    return relations[0] if len(relations) == 1 else sp.And(*relations, evaluate=False)
