"""Expansion of a bound into the monomials that it equals up to numeric factors."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import product
from math import prod

import sympy as sp

from rateproof.theory.asymptotics.domain import Condition, Domain, Parameters, unambiguous
from rateproof.theory.asymptotics.monomial import Monomial, tidy


@dataclass(frozen=True)
class _Limit:
    """``variable -> oo``, or ``variable -> 0`` with ``direction`` -1, for all parameters in ``domain``.

    ``numeric`` are the symbols that stand in exponents: what is made of them alone counts as a numeric factor.
    """

    variable: sp.Symbol
    direction: int
    domain: Domain
    numeric: frozenset[sp.Symbol] = frozenset()

    def __str__(self) -> str:
        return f"{self.variable} -> {'oo' if self.direction == 1 else '0'}"

    def order(self, left: Monomial, right: Monomial) -> int | None:
        """1, 0, -1 as ``left`` grows faster than, like, or slower than ``right``; None when undecided."""
        v, sign = self.variable, self.domain.sign
        by_power = sign(self.direction * (left.power(v) - right.power(v)))
        return sign(left.log_power(v) - right.log_power(v)) if by_power == 0 else by_power

    def dominated(self, m: Monomial, others: Iterable[Monomial]) -> bool:
        """Whether one of ``others`` grows faster than ``m``."""
        return any(self.order(m, other) == -1 for other in others)

    def refuse(self, expr: sp.Expr, why: str) -> ValueError:
        """The error that names the part without expansion."""
        return ValueError(f"cannot expand {expr} as {self}: {why}")


def monomials(
    expr: sp.Expr, variable: sp.Symbol, *, to_zero: bool = False, parameters: Parameters = ()
) -> tuple[Monomial, ...]:
    """Expand a nonnegative bound into the sum of monomials that it equals up to numeric factors as ``variable -> oo``.

    Terms that differ in other symbols are all kept, also where one dominates in ``variable``, for the others may matter
    through their constants. A term is dropped when a like one (equal in all other symbols) dominates it, when it is
    subtracted from one that dominates it, or under a reciprocal of one that dominates it.
    Roots and maxima become sums: ``(X + Y)^q ~ X^q + Y^q`` for ``q > 0``; ``ln(C R^q) ~ q ln R``. A minimum is the
    argument that the others dominate; a finite ``Sum`` is its :func:`total`. A factor such as ``12 kappa - 5``,
    positive only by a relation between parameters, counts as numeric where its symbols stand in exponents of the bound,
    too. ``log(v)`` of another symbol is positive where ``v >= 1`` and negative where ``v <= 1``: its assumptions (a
    positive integer) or the parameters (``delta < 1``) should say which.

    Args:
        expr: the bound.
        variable: the symbol that tends to its limit.
        to_zero: expand as ``variable -> 0``.
        parameters: relations that the symbols in exponents satisfy, beyond their sign assumptions.

    Raises:
        ValueError: a part that is no such sum or whose leading term the assumptions do not decide; it is named.
    """
    expr, parameters = sp.sympify(expr), tuple(parameters)
    unambiguous(expr, variable, *parameters)
    if expr.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise ValueError(f"{expr} should be finite")
    numeric = frozenset().union(*(power.exp.free_symbols for power in expr.atoms(sp.Pow)))
    limit = _Limit(variable, -1 if to_zero else 1, Domain.of(parameters), numeric)
    sign, terms = _expand(expr, limit)
    if sign < 0:
        raise limit.refuse(expr, "it is negative; a bound should be given by its magnitude")
    return terms


def exponent(expr: sp.Expr, variable: sp.Symbol, *, parameters: Parameters = ()) -> tuple[sp.Expr, sp.Expr]:
    """Power of ``variable`` and of its logarithm in the leading term of ``expr`` as ``variable -> oo``.

    Raises:
        ValueError: no term is known to lead, or the expression has no expansion (see :func:`monomials`).
    """
    terms, limit = monomials(expr, variable, parameters=parameters), _Limit(variable, 1, Domain.of(parameters))
    for m in terms:
        if all(limit.order(m, other) in (0, 1) for other in terms):
            return m.power(variable), m.log_power(variable)
    raise limit.refuse(expr, "the assumptions do not decide which term leads")


def summed(term: Monomial, index: sp.Symbol, domain: Domain) -> tuple[tuple[tuple[Condition, ...], Monomial], ...]:
    """``sum_{t <= T} t^q (ln t)^l`` up to numeric factors, as a monomial whose ``t`` stands for ``T``.

    It is ``T^(q+1) (ln T)^l`` for ``q > -1``, ``(ln T)^(l+1)`` for ``q = -1`` and ``l > -1``, and constant otherwise.

    Returns:
        The cases that occur in the domain: conditions on its parameters, and the total under them.

    Raises:
        ValueError: the signs of q + 1 and l + 1 are not decidable, or ``ln ln T`` occurs; the term is named.
    """
    q, log_power, rest = term.power(index), term.log_power(index), term.without(index)
    cases = []
    for sign, when in domain.cases(q + 1):
        if sign > 0:
            cases.append((when, term * Monomial({index: sp.S.One})))
        elif sign < 0:
            cases.append((when, rest))
        else:
            for log_sign, also in domain.where(*when).cases(log_power + 1):
                if log_sign == 0:
                    raise ValueError(f"the sum of {term} over {index} grows like ln(ln {index}), an iterated logarithm")
                cases.append(((*when, *also), rest * Monomial({}, {index: log_power + 1}) if log_sign > 0 else rest))
    return tuple(cases)


# A sign and terms that all have it.
_Sum = tuple[int, tuple[Monomial, ...]]


def _expand(expr: sp.Expr, limit: _Limit) -> _Sum:
    if expr.is_number:
        if expr.is_zero:
            return 1, ()
        if expr.is_positive or expr.is_negative:
            return (1 if expr.is_positive else -1), (Monomial(),)
        raise limit.refuse(expr, "a number should be real and finite")
    for kind, rule in _RULES.items():
        if isinstance(expr, kind):
            sign, terms = rule(expr, limit)
            return sign, _absorb(terms, limit)
    known = "sums, finite totals, products, powers, logarithms, maxima, minima and moduli"
    raise limit.refuse(expr, f"only {known} are known")


def _absorb(terms: Iterable[Monomial], limit: _Limit) -> tuple[Monomial, ...]:
    """Keep, of terms that are equal in all other symbols, those which none dominates."""
    like: dict[Monomial, list[Monomial]] = {}
    for m in dict.fromkeys(terms):
        like.setdefault(m.without(limit.variable), []).append(m)
    return tuple(m for group in like.values() for m in group if not limit.dominated(m, group))


def _symbol(expr: sp.Symbol, limit: _Limit) -> _Sum:
    if expr.is_positive is False or limit.domain.holds(sp.Le(expr, 0)):
        raise limit.refuse(expr, "every symbol counts as positive, and this one is not; write it by its modulus")
    return 1, (Monomial({expr: sp.S.One}),)


def _add(expr: sp.Add, limit: _Limit) -> _Sum:
    return _added(expr, (_expand(arg, limit) for arg in expr.args), limit)


def _added(expr: sp.Expr, addends: Iterable[_Sum], limit: _Limit) -> _Sum:
    parts = list(addends)
    for sign in (1, -1):
        kept = [m for s, terms in parts if s == sign for m in terms]
        if all(limit.dominated(m, kept) for s, terms in parts if s != sign for m in terms):
            return sign, tuple(kept)
    known = limit.domain.sign(expr) if expr.free_symbols <= limit.numeric - {limit.variable} else None
    if known is not None:
        return known or 1, (Monomial(),) if known else ()
    raise limit.refuse(expr, "the assumptions do not decide which sign leads")


def _max(expr: sp.Max, limit: _Limit) -> _Sum:
    return 1, tuple(m for terms in _nonnegative_arguments(expr, limit) for m in terms)


def _min(expr: sp.Min, limit: _Limit) -> _Sum:
    parts = _nonnegative_arguments(expr, limit)
    for least in parts:
        if all(m in other or limit.dominated(m, other) for other in parts for m in least):
            return 1, least
    raise limit.refuse(expr, "the assumptions do not decide which argument is the smallest")


def _nonnegative_arguments(expr: sp.Expr, limit: _Limit) -> list[tuple[Monomial, ...]]:
    parts = [_expand(arg, limit) for arg in expr.args]
    if any(sign < 0 for sign, _ in parts):
        raise limit.refuse(expr, "the arguments of a maximum or minimum should be nonnegative")
    return [terms for _, terms in parts]


def _abs(expr: sp.Abs, limit: _Limit) -> _Sum:
    return 1, _expand(expr.args[0], limit)[1]


def _mul(expr: sp.Mul, limit: _Limit) -> _Sum:
    signs, factors = zip(*(_expand(arg, limit) for arg in expr.args), strict=True)
    return prod(signs), tuple(reduce(Monomial.__mul__, choice) for choice in product(*factors))


def _pow(expr: sp.Pow, limit: _Limit) -> _Sum:
    base, q = expr.base, tidy(expr.exp)
    if limit.variable in q.free_symbols:
        raise limit.refuse(expr, f"the exponent should not contain {limit.variable}")
    sign, terms = _expand(base, limit)
    if not terms or (sign < 0 and not q.is_Integer):
        raise limit.refuse(expr, "the base should be positive")
    if len(terms) > 1 and limit.domain.sign(q) != 1:
        terms = tuple(m for m in terms if all(o is m or limit.order(m, o) == 1 for o in terms))
        if not terms:
            raise limit.refuse(expr, f"no term of {base} is known to dominate the others")
    return (-1 if sign < 0 and q.is_odd else 1), tuple(m**q for m in terms)


def _log(expr: sp.log, limit: _Limit) -> _Sum:
    v, arg = limit.variable, expr.args[0]
    if v not in arg.free_symbols:
        powers = sp.expand_power_base(arg, force=True).as_powers_dict()
        return _added(expr, (_log_of_power(expr, base, q, limit) for base, q in powers.items()), limit)
    sign, terms = _expand(arg, limit)
    rates = [limit.direction * m.power(v) for m in terms]
    rate = next((q for q in rates if all(limit.domain.sign(q - other) in (0, 1) for other in rates)), None)
    if sign < 0 or rate is None:
        raise limit.refuse(expr, "the assumptions do not decide how fast its argument grows")
    if rate == 0:
        raise limit.refuse(expr, f"its argument should grow or decay like a power of {v}")
    return _times(rate, 1, Monomial({}, {v: sp.S.One}), expr, limit)


def _log_of_power(expr: sp.log, base: sp.Expr, q: sp.Expr, limit: _Limit) -> _Sum:
    """``ln(base^q)`` of a constant."""
    if base.is_number and base.is_positive:
        value = sp.log(base)
        return _times(q, 1 if value.is_positive else -1, Monomial(), expr, limit)
    if not base.is_Symbol:
        raise limit.refuse(expr, "the argument of a constant's logarithm should be a product of powers of symbols")
    _expand(base, limit)
    for sign, relation in ((1, sp.Ge(base, 1)), (-1, sp.Le(base, 1))):
        if limit.domain.holds(relation):
            return _times(q, sign, Monomial({}, {base: sp.S.One}), expr, limit)
    raise limit.refuse(expr, f"its sign is that of {base} - 1; add {base} < 1 or {base} > 1 to the parameters")


def _times(q: sp.Expr, sign: int, m: Monomial, expr: sp.log, limit: _Limit) -> _Sum:
    """``sign q m`` for an exponent ``q``, whose sign the parameters decide."""
    known = limit.domain.sign(q)
    if not known:
        raise limit.refuse(expr, f"the assumptions do not decide the sign of {q}")
    return sign * known, tuple(m * factor for factor in _expand(q, limit)[1])


def _total(expr: sp.Sum, limit: _Limit) -> _Sum:
    function, (index, first, last) = _outermost(expr)
    addends = sp.Add.make_args(sp.expand_mul(function))
    if len(addends) > 1:
        return _added(expr, (_expand(expr.func(addend, (index, first, last)), limit) for addend in addends), limit)
    constant, summand = addends[0].as_independent(index, as_Add=False)
    if limit.variable in summand.free_symbols:
        raise limit.refuse(expr, f"{limit.variable} should be a factor of the summand, or not occur in it")
    known = terms_from(first, index, summand) if first.is_Integer else sp.nan
    if not known.is_real:
        raise limit.refuse(expr, f"the summand should be finite and real from {index} = {first} on, an integer")
    sign, factors = _expand(constant, limit)
    sign_last, bound = _expand(last, limit)
    if sign_last < 0 or len(bound) != 1 or limit.domain.sign(limit.direction * bound[0].power(limit.variable)) != 1:
        raise limit.refuse(expr, f"{last} should grow like one power of {limit.variable}")
    sign_summand, terms = _expand(summand, replace(limit, variable=index, direction=1))
    totals = []
    for m in terms:
        cases = summed(m, index, limit.domain)
        if len(cases) > 1:
            raise limit.refuse(expr, f"the assumptions do not decide whether the sum of {m} converges")
        ((_, result),) = cases
        converges = index not in result.powers.keys() | result.logs.keys()
        if converges and not (known.is_nonnegative and separates(summand, index)):
            raise limit.refuse(
                expr, "a sum that converges should have nonnegative terms, and constants as factors only"
            )
        totals.append(result.substitute(index, bound[0], limit.variable))
    return sign * sign_summand, tuple(factor * m for factor in factors for m in totals)


def _outermost(expr: sp.Sum) -> tuple[sp.Expr, sp.Tuple]:
    """The summand and the bounds of the outer loop: sympy makes one sum of nested ones, with the inner bounds first."""
    *inner, bounds = expr.limits
    return (sp.Sum(expr.function, *inner) if inner else expr.function), bounds


def terms_from(first: sp.Integer, index: sp.Symbol, summand: sp.Expr) -> sp.Expr:
    """The summand at an integer that is at least ``first``, with the assumptions under which it is to be read."""

    def like(known: sp.Expr) -> sp.Expr:
        return sp.Dummy(nonnegative=True) if known.is_nonnegative else sp.Dummy(real=True) if known.is_real else sp.nan

    def total(*args: sp.Basic) -> sp.Expr:
        function, (running, start, _) = _outermost(sp.Sum(*args))
        return like(terms_from(start, running, function))

    def extreme(kind: type[sp.Expr], *args: sp.Expr) -> sp.Expr:
        # sympy takes a maximum with a positive number for finite whatever else stands in it
        return like(kind(*args)) if all(arg.is_real for arg in args) else sp.nan

    positive = {v: sp.Dummy(positive=True) for v in summand.free_symbols if v.is_real is None}
    at = summand.replace(sp.Sum, total)
    at = at.xreplace({**positive, index: first + sp.Dummy(integer=True, nonnegative=True)})
    return at.replace(sp.Max, partial(extreme, sp.Max)).replace(sp.Min, partial(extreme, sp.Min))


def separates(summand: sp.Expr, index: sp.Symbol) -> bool:
    """Whether all other symbols of a summand are factors of its terms, or stand in exponents."""

    def bases(e: sp.Expr) -> set[sp.Symbol]:
        if e.is_Pow:
            return bases(e.base)
        if isinstance(e, sp.Sum):
            return (bases(e.function) | set().union(*(bases(last) for _, _, last in e.limits))) & e.free_symbols
        return set().union(*map(bases, e.args)) if e.args else e.free_symbols

    parts = (part.as_independent(index, as_Add=False)[1] for part in sp.Add.make_args(sp.expand_mul(summand)))
    return all(bases(part) <= {index} for part in parts)


_RULES: dict[type, Callable[[sp.Expr, _Limit], _Sum]] = {
    sp.Symbol: _symbol,
    sp.Add: _add,
    sp.Max: _max,
    sp.Min: _min,
    sp.Abs: _abs,
    sp.Mul: _mul,
    sp.Pow: _pow,
    sp.log: _log,
    sp.Sum: _total,
}
