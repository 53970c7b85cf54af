"""Inequalities as quadratic forms: coefficients of inner products, of function values, and a constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from rateproof.theory.algebra import Private, normal, printed, slopes
from rateproof.theory.gram.domain import Domain
from rateproof.theory.gram.facts import Given
from rateproof.theory.gram.vectors import factors

#: One for each premise of a problem.
Multipliers = tuple[sp.Expr, ...]

Rows = list[list[sp.Expr]]


@dataclass(frozen=True)
class Form:
    """``constant + sum_k linear[k] value_k + sum_ij matrix[i][j] <u_i, u_j>``, with a symmetric matrix."""

    constant: sp.Expr
    linear: tuple[sp.Expr, ...]
    matrix: tuple[tuple[sp.Expr, ...], ...]

    @property
    def nothing(self) -> bool:
        """Whether the form is zero, whatever the vectors and values."""
        return not (self.constant or any(self.linear) or any(map(any, self.matrix)))

    def minus(self, terms: Sequence[tuple[sp.Expr, Form]]) -> Form:
        """This form less the sum of multiplier times form."""
        return Form(
            _less(self.constant, ((m, f.constant) for m, f in terms)),
            tuple(_less(x, ((m, f.linear[k]) for m, f in terms)) for k, x in enumerate(self.linear)),
            tuple(
                tuple(_less(x, ((m, f.matrix[i][j]) for m, f in terms)) for j, x in enumerate(row))
                for i, row in enumerate(self.matrix)
            ),
        )

    def at_gram(self, gram: Sequence[Sequence[sp.Expr]]) -> sp.Expr:
        """The form at inner products of the basic vectors, all values zero."""
        return self.constant + sum(
            x * y for row, products in zip(self.matrix, gram, strict=True) for x, y in zip(row, products, strict=True)
        )

    def at(self, point: Mapping[sp.Symbol, sp.Expr]) -> Form:
        """The form at parameter values."""
        return Form(
            self.constant.xreplace(dict(point)),
            tuple(x.xreplace(dict(point)) for x in self.linear),
            tuple(tuple(x.xreplace(dict(point)) for x in row) for row in self.matrix),
        )


def _less(x: sp.Expr, terms: Iterable[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """A number less the sum of products, most of which are zero."""
    return normal(x - sp.Add(*(m * y for m, y in terms if y != 0)))


@dataclass(frozen=True)
class Premise:
    """A form that is nonnegative, or zero where ``equal``; ``relation`` is how it was given, ``why`` from where.

    ``strict``: a value whose symbol says that it is not zero.
    """

    form: Form
    relation: sp.Rel
    why: str
    equal: bool
    strict: bool = False


@dataclass(frozen=True)
class Problem:
    """Is ``goal >= 0`` for all vectors, values and parameters that satisfy the premises and the domain?

    Attributes:
        relation: the statement as given.
        names: the basic vectors, in the order of the matrices.
        values: the scalars that enter linearly, in the order of ``Form.linear``.
    """

    relation: sp.Rel
    names: tuple[str, ...]
    values: tuple[sp.Symbol, ...]
    goal: Form
    premises: tuple[Premise, ...]
    domain: Domain

    @property
    def forms(self) -> list[Form]:
        """The goal, then the premises."""
        return [self.goal, *(p.form for p in self.premises)]

    def at(self, point: Mapping[sp.Symbol, sp.Expr]) -> Problem:
        """The problem at parameter values, square roots included."""
        premises = tuple(replace(p, form=p.form.at(point)) for p in self.premises)
        return replace(self, goal=self.goal.at(point), premises=premises, domain=Domain((), ()))


def remainder(problem: Problem, multipliers: Sequence[sp.Expr]) -> Form:
    """The goal less the sum of multiplier times premise."""
    return problem.goal.minus([(m, p.form) for m, p in zip(multipliers, problem.premises, strict=True) if m != 0])


def read(
    relation: sp.Rel,
    given: Sequence[sp.Rel | Given],
    assuming: Sequence[sp.Rel],
    values: Sequence[sp.Symbol] | None,
    *,
    signed: bool = False,
) -> Problem:
    """Forms of the statement and its premises, and the domain of the parameters.

    ``signed``: without ``values``, scalars with a sign may be values, too; their signs are then premises.

    Raises:
        ValueError: a relation is no inequality, not linear in inner products and values, or its coefficients are not
            rational functions of the parameters; an assumption speaks of vectors or values; two symbols have one name.
    """
    relation = _unevaluated(relation)
    if relation.rel_op not in ("<=", ">="):
        raise ValueError(f"the statement {relation} is no inequality; write it with <= or >=")
    sources = [(r, why, False) for r, why in _flatten(given)]
    assumed = [*_assumed(assuming), *(c for g in given if isinstance(g, Given) for c in _assumed(g.conditions))]
    exprs = [gap(relation), *(gap(r) for r, *_ in sources)]
    everywhere = [*exprs, *_sides(assumed)]
    symbols = _distinct({*(s for e in everywhere for s in e.free_symbols), *(values or ())})
    inner = {s: pair for s in symbols if (pair := factors(s))}
    if wrong := {s for s in values or () if s in inner}:
        raise ValueError(f"the value {min(map(str, wrong))} is an inner product; values are scalars")
    for condition in assumed:
        if wrong := condition.free_symbols & {*inner, *(values or ())}:
            raise ValueError(f"the assumption {condition} speaks of {min(map(str, wrong))}; put it in given=")
    roots: dict[sp.Symbol, sp.Expr] = {}
    for expr in [rooted(e, roots) for e in everywhere]:
        check_rational(expr, {*symbols, *roots})
    bound = {s for e in (*_sides(assumed), *(p.base for e in everywhere for p in _powers(e))) for s in e.free_symbols}
    scalars = [s for s in symbols if s not in inner]
    linear = tuple(_linear(exprs, inner, scalars, bound, signed) if values is None else dict.fromkeys(values))
    for expr in exprs:
        _check_powers(expr, {*inner, *linear})
    for value in linear:  # a sign is a premise
        for sided, sign in ((value.is_nonnegative, value), (value.is_nonpositive, -value)):
            if sided:
                sources.append((sp.Ge(sign, 0, evaluate=False), f"{sign} >= 0", bool(value.is_nonzero)))
                exprs.append(sign)
    names = tuple(sorted({name for pair in inner.values() for name in pair}))
    forms = [_form(rooted(e, roots), names, inner, linear) for e in exprs]
    conditions = [c.func(*(rooted(side, roots) for side in c.args), evaluate=False) for c in assumed]
    parameters = tuple(s for s in scalars if s not in linear)
    domain = Domain(parameters, (*conditions, *_denominators(everywhere, roots)), roots)
    premises = tuple(
        Premise(form, r, why, r.rel_op == "==", strict)
        for form, (r, why, strict) in zip(forms[1:], sources, strict=True)
    )
    return Problem(relation, names, linear, forms[0], premises, domain)


def gap(relation: sp.Rel) -> sp.Expr:
    """Large side minus small side; nonnegative (zero for an equation) where the relation holds."""
    lhs, rhs = relation.args
    return lhs - rhs if relation.rel_op in (">=", ">", "==") else rhs - lhs


def _unevaluated(relation: sp.Basic) -> sp.Rel:
    """A relation, also where sympy has seen already that it is true or false."""
    if relation is sp.true or relation is True:
        return sp.Ge(sp.S.Zero, sp.S.Zero, evaluate=False)
    if relation is sp.false or relation is False:
        return sp.Ge(sp.S.NegativeOne, sp.S.Zero, evaluate=False)
    if not isinstance(relation, sp.core.relational.Relational):
        raise ValueError(f"{relation} is no relation; write an inequality with <= or >=")
    return relation


def _flatten(given: Sequence[sp.Rel | Given]) -> Iterator[tuple[sp.Rel, str]]:
    for premise in given:
        relations = premise.relations if isinstance(premise, Given) else (premise,)
        for each in relations:
            relation = _unevaluated(each)
            if relation.rel_op not in ("<=", ">=", "=="):
                raise ValueError(f"the premise {relation} is neither an inequality <= or >= nor an equation")
            yield relation, premise.why if isinstance(premise, Given) else printed(relation)


def _assumed(conditions: Sequence[sp.Rel]) -> Iterator[sp.Rel]:
    for condition in map(sp.sympify, conditions):
        if condition is sp.true:
            continue
        if not isinstance(condition, sp.core.relational.Relational):
            raise ValueError(f"the assumption {condition} is no relation between parameters, or holds nowhere")
        yield condition


def _distinct(symbols: set[sp.Symbol]) -> list[sp.Symbol]:
    """Symbols in the order of their names, which have to tell them apart; each stands for a real number."""
    named: dict[str, sp.Symbol] = {}
    for symbol in symbols:
        if not symbol.is_Symbol or symbol.is_real is False or not symbol.is_commutative:
            raise ValueError(f"{symbol} is no symbol of a real number")
        if named.setdefault(str(symbol), symbol) != symbol:
            raise ValueError(f"two symbols with different assumptions are named {symbol}; rename one of them")
    return [named[name] for name in sorted(named)]


def _linear(
    gaps: Sequence[sp.Expr],
    inner: Mapping[sp.Symbol, tuple[str, str]],
    scalars: Sequence[sp.Symbol],
    bound: set[sp.Symbol],
    signed: bool,
) -> list[sp.Symbol]:
    """The scalars that enter every relation linearly and never multiply a vector; all others are parameters.

    Both readings of such a scalar say the same, for it ranges over all reals, or those of its sign; as a value it can
    be eliminated. Where one multiplies another, that which may be zero is the value.
    """
    out: list[sp.Symbol] = []
    steep = [slopes(g, scalars) for g in gaps]
    for s in sorted(scalars, key=lambda s: bool(s.is_nonzero)):
        sided = s.is_nonnegative or s.is_nonpositive or s.is_nonzero
        free = s not in bound and not s.is_integer and (signed or not sided)
        if free and all(by[s].free_symbols.isdisjoint((s, *inner, *out)) for by in steep):
            out.append(s)
    return out


def _form(
    expr: sp.Expr,
    names: Sequence[str],
    inner: Mapping[sp.Symbol, tuple[str, str]],
    values: Sequence[sp.Symbol],
) -> Form:
    """Coefficients of an expression that is linear in the inner products and the values."""
    steep = slopes(expr, (*inner, *values))
    for symbol, slope in steep.items():
        if not slope.free_symbols.isdisjoint(steep):
            raise ValueError(f"{expr} is not linear in {symbol}: its coefficient is {slope}")
    at = {name: i for i, name in enumerate(names)}
    rows: Rows = [[sp.S.Zero] * len(names) for _ in names]
    for symbol, (u, v) in inner.items():
        share = steep[symbol] if u == v else steep[symbol] / 2
        rows[at[u]][at[v]] = rows[at[v]][at[u]] = share
    constant = normal(expr.xreplace(dict.fromkeys(steep, sp.S.Zero)))
    return Form(constant, tuple(steep[v] for v in values), tuple(map(tuple, rows)))


def rooted(expr: sp.Expr, roots: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The expression with every square root replaced by a nonnegative symbol, which is entered in ``roots``."""

    def symbol(power: sp.Pow) -> sp.Expr:
        known = (root for root, under in roots.items() if under == power.base)
        root = next(known, None) or Private(f"sqrt({power.base})", nonnegative=True)
        roots[root] = power.base
        return root ** (2 * power.exp)

    return expr.replace(lambda e: e.is_Pow and e.exp.is_Rational and e.exp.q == 2, symbol)


def _powers(expr: sp.Expr) -> list[sp.Pow]:
    """The powers that make an expression no polynomial: divisors and roots."""
    return sorted((p for p in expr.atoms(sp.Pow) if not (p.exp.is_Integer and p.exp > 0)), key=str)


def _check_powers(expr: sp.Expr, variables: set[sp.Symbol]) -> None:
    """Refuse an expression in which a variable, in which it has to be linear, stands in a divisor or under a root.

    Raises:
        ValueError: names the variable.
    """
    for power in _powers(expr):
        if wrong := power.free_symbols & variables:
            how = "divides by" if power.exp.is_Integer else "takes the square root of"
            raise ValueError(f"{expr} is not linear in {min(map(str, wrong))}: it {how} {power.base}")


def _sides(relations: Sequence[sp.Rel]) -> list[sp.Expr]:
    return [side for r in relations for side in r.args]


def _denominators(exprs: Sequence[sp.Expr], roots: dict[sp.Symbol, sp.Expr]) -> list[sp.Rel]:
    """That no denominator that stands in the expressions is zero, for the statement has no meaning there."""
    found = {
        rooted(power.base, roots)
        for expr in exprs
        for power in expr.atoms(sp.Pow)
        if power.exp.is_negative and not power.base.is_nonzero
    }
    return [sp.Ne(base, 0, evaluate=False) for base in sorted(found, key=str)]


def check_rational(expr: sp.Expr, symbols: set[sp.Symbol]) -> None:
    """Refuse an expression that is not a rational function of the symbols with rational coefficients.

    Raises:
        ValueError: names the expression.
    """
    if expr.has(sp.I):
        raise ValueError(f"{expr} is not real: it takes the square root of a negative number")
    if not all(a.is_Rational or a in symbols for a in expr.atoms()) or not expr.is_rational_function():
        raise ValueError(f"{expr} is not a rational function of the parameters with rational coefficients")
