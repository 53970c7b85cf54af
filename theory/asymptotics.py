"""Leading terms of bounds, exact exponents, and the inversion of a bound to a complexity.

Everything holds up to numeric factors, for a variable that tends to infinity (an accuracy ``epsilon`` to zero) while
all other symbols stay fixed. Every symbol counts as positive; exponents may be symbolic, and logarithms are kept apart
from powers. Which of two terms is larger is decided from the sign assumptions of the symbols in their exponents, never
from a limit; what these do not decide is kept, or refused by name.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, reduce
from itertools import product
from math import prod

import sympy as sp

from theory import symbols
from theory.claim import expand_definitions


@cache
def _tidy(exponent: sp.Expr) -> sp.Expr:
    """Canonical form, so that equal exponents compare equal."""
    if exponent.has(sp.Float):
        exponent = sp.nsimplify(exponent, rational=True)
    if not exponent.has(sp.Add):
        return exponent
    if not exponent.is_rational_function():
        return sp.simplify(exponent)
    numerator, denominator = exponent.as_numer_denom()
    if denominator.is_number:
        return sp.expand(exponent)
    factor, numerator, denominator = sp.cancel((numerator, denominator))
    return factor * numerator / denominator


def _sign(exponent: sp.Expr) -> int | None:
    """Sign of an exponent for all values that the assumptions admit; None when it depends on them."""
    e = _tidy(exponent)
    if e.is_zero:
        return 0
    return 1 if e.is_positive else -1 if e.is_negative else None


def _nonzero(exponents: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    tidy = {v: _tidy(sp.sympify(e)) for v, e in exponents.items()}
    return {v: tidy[v] for v in sorted(tidy, key=str) if tidy[v] != 0}


@dataclass(frozen=True)
class Monomial:
    """A product of powers and of powers of logarithms, without numeric factor: ``prod v^powers[v] |ln v|^logs[v]``.

    Monomials are equal when all their exponents are equal after simplification.

    Attributes:
        powers: symbol -> exponent; symbols with exponent 0 are left out.
        logs: symbol -> exponent of the modulus of its logarithm, likewise.
    """

    powers: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    logs: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "powers", _nonzero(self.powers))
        object.__setattr__(self, "logs", _nonzero(self.logs))

    def __hash__(self) -> int:
        return hash((frozenset(self.powers.items()), frozenset(self.logs.items())))

    def __mul__(self, other: "Monomial") -> "Monomial":
        def add(left: Mapping[sp.Symbol, sp.Expr], right: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
            return {v: left.get(v, 0) + right.get(v, 0) for v in left.keys() | right.keys()}

        return Monomial(add(self.powers, other.powers), add(self.logs, other.logs))

    def __pow__(self, exponent: sp.Expr | int) -> "Monomial":
        return Monomial(
            {v: e * exponent for v, e in self.powers.items()}, {v: e * exponent for v, e in self.logs.items()}
        )

    def __str__(self) -> str:
        named = [(str(v), e) for v, e in self.powers.items()] + [(f"|ln {v}|", e) for v, e in self.logs.items()]
        return " ".join(n if e == 1 else f"{n}^{e}" if e.is_Symbol else f"{n}^({e})" for n, e in named) or "1"

    def power(self, variable: sp.Symbol) -> sp.Expr:
        """Exponent of ``variable``."""
        return self.powers.get(variable, sp.S.Zero)

    def log_power(self, variable: sp.Symbol) -> sp.Expr:
        """Exponent of ``|ln variable|``."""
        return self.logs.get(variable, sp.S.Zero)

    def without(self, variable: sp.Symbol) -> "Monomial":
        """The factors that do not contain ``variable``."""
        return Monomial(*({v: e for v, e in part.items() if v != variable} for part in (self.powers, self.logs)))


@dataclass(frozen=True)
class _Limit:
    """``variable -> oo``, or ``variable -> 0`` with ``direction`` -1."""

    variable: sp.Symbol
    direction: int = 1

    def __str__(self) -> str:
        return f"{self.variable} -> {'oo' if self.direction == 1 else '0'}"

    def order(self, left: Monomial, right: Monomial) -> int | None:
        """1, 0, -1 as ``left`` grows faster than, like, or slower than ``right``; None when undecided."""
        v = self.variable
        by_power = _sign(self.direction * (left.power(v) - right.power(v)))
        return _sign(left.log_power(v) - right.log_power(v)) if by_power == 0 else by_power

    def dominated(self, m: Monomial, others: Iterable[Monomial]) -> bool:
        """Whether one of ``others`` grows faster than ``m``."""
        return any(self.order(m, other) == -1 for other in others)

    def refuse(self, expr: sp.Expr, why: str) -> ValueError:
        """The error that names the part without expansion."""
        return ValueError(f"cannot expand {expr} as {self}: {why}")


def monomials(expr: sp.Expr, variable: sp.Symbol, *, to_zero: bool = False) -> tuple[Monomial, ...]:
    """Expand a nonnegative bound into the sum of monomials that it equals up to numeric factors as ``variable -> oo``.

    Terms that differ in other symbols are all kept, also where one dominates in ``variable``, for the others may matter
    through their constants. A term is dropped when a like one (equal in all other symbols) dominates it, when it is
    subtracted from one that dominates it, or under a reciprocal of one that dominates it.
    Roots and maxima become sums: ``(X + Y)^q ~ X^q + Y^q`` for ``q > 0``; ``ln(C R^q) ~ q ln R``.

    Args:
        expr: the bound.
        variable: the symbol that tends to its limit.
        to_zero: expand as ``variable -> 0``.

    Raises:
        ValueError: a part that is no such sum or whose leading term the assumptions do not decide; it is named.
    """
    expr, limit = sp.sympify(expr), _Limit(variable, -1 if to_zero else 1)
    sign, terms = _expand(expr, limit)
    if sign < 0:
        raise limit.refuse(expr, "it is negative; a bound should be given by its magnitude")
    return terms


def exponent(expr: sp.Expr, variable: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """Power of ``variable`` and of its logarithm in the leading term of ``expr`` as ``variable -> oo``.

    Raises:
        ValueError: no term is known to lead, or the expression has no expansion (see :func:`monomials`).
    """
    terms, limit = monomials(expr, variable), _Limit(variable)
    for m in terms:
        if all(limit.order(m, other) in (0, 1) for other in terms):
            return m.power(variable), m.log_power(variable)
    raise limit.refuse(expr, "the assumptions do not decide which term leads")


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
    raise limit.refuse(expr, "only sums, products, powers, logarithms, maxima and moduli are known")


def _absorb(terms: Iterable[Monomial], limit: _Limit) -> tuple[Monomial, ...]:
    """Keep, of terms that are equal in all other symbols, those which none dominates."""
    like: dict[Monomial, list[Monomial]] = {}
    for m in dict.fromkeys(terms):
        like.setdefault(m.without(limit.variable), []).append(m)
    return tuple(m for group in like.values() for m in group if not limit.dominated(m, group))


def _symbol(expr: sp.Symbol, limit: _Limit) -> _Sum:
    return 1, (Monomial({expr: sp.S.One}),)


def _add(expr: sp.Add, limit: _Limit) -> _Sum:
    parts = [_expand(arg, limit) for arg in expr.args]
    for sign in (1, -1):
        kept = [m for s, terms in parts if s == sign for m in terms]
        if all(limit.dominated(m, kept) for s, terms in parts if s != sign for m in terms):
            return sign, tuple(kept)
    raise limit.refuse(expr, "the assumptions do not decide which sign leads")


def _max(expr: sp.Max, limit: _Limit) -> _Sum:
    parts = [_expand(arg, limit) for arg in expr.args]
    if any(sign < 0 for sign, _ in parts):
        raise limit.refuse(expr, "the arguments of a maximum should be nonnegative")
    return 1, tuple(m for _, terms in parts for m in terms)


def _abs(expr: sp.Abs, limit: _Limit) -> _Sum:
    return 1, _expand(expr.args[0], limit)[1]


def _mul(expr: sp.Mul, limit: _Limit) -> _Sum:
    signs, factors = zip(*(_expand(arg, limit) for arg in expr.args), strict=True)
    return prod(signs), tuple(reduce(Monomial.__mul__, choice) for choice in product(*factors))


def _pow(expr: sp.Pow, limit: _Limit) -> _Sum:
    base, q = expr.args
    if q.has(limit.variable):
        raise limit.refuse(expr, f"the exponent should not contain {limit.variable}")
    sign, terms = _expand(base, limit)
    if not terms or (sign < 0 and not q.is_Integer):
        raise limit.refuse(expr, "the base should be positive")
    if len(terms) > 1 and _sign(q) != 1:
        terms = tuple(m for m in terms if all(o is m or limit.order(m, o) == 1 for o in terms))
        if not terms:
            raise limit.refuse(expr, f"no term of {base} is known to dominate the others")
    return (-1 if sign < 0 and q.is_odd else 1), tuple(m**q for m in terms)


def _log(expr: sp.log, limit: _Limit) -> _Sum:
    v, arg = limit.variable, expr.args[0]
    sign, terms = _expand(arg, limit)
    powers = [limit.direction * m.power(v) for m in terms]
    rate = next((q for q in powers if all(_sign(q - other) in (0, 1) for other in powers)), None)
    if sign < 0 or rate is None:
        raise limit.refuse(expr, "the assumptions do not decide how fast its argument grows")
    if rate == 0 and len(terms) == 1 == len(terms[0].powers) and not terms[0].logs:
        ((v, rate),) = terms[0].powers.items()  # a constant: the logarithm of another symbol's power
    if rate == 0:
        raise limit.refuse(expr, f"its argument should grow or decay like a power of {v}")
    sign, factor = _expand(rate, limit)
    return sign, tuple(m * Monomial({}, {v: sp.S.One}) for m in factor)


_RULES: dict[type, Callable[[sp.Expr, _Limit], _Sum]] = {
    sp.Symbol: _symbol,
    sp.Add: _add,
    sp.Max: _max,
    sp.Abs: _abs,
    sp.Mul: _mul,
    sp.Pow: _pow,
    sp.log: _log,
}


@dataclass(frozen=True)
class Inversion:
    """A complexity: how large the variable must be for one term of a bound to reach epsilon.

    Attributes:
        monomial: the complexity; ``logs[epsilon]`` is the exponent of ``ln(1/epsilon)``.
        requires: the condition on symbolic exponents under which it holds (the term decays); ``true`` when always.
    """

    monomial: Monomial
    requires: sp.Basic = sp.true

    def __str__(self) -> str:
        return str(self.monomial) + ("" if self.requires == sp.true else f" if {self.requires}")


def invert(monomial: Monomial, variable: sp.Symbol, epsilon: sp.Symbol = symbols.epsilon) -> Inversion:
    """Solve ``monomial <= epsilon`` for ``variable``, up to numeric factors as ``epsilon -> 0``.

    ``C v^-q (ln v)^l = epsilon`` gives ``v ~ (C/epsilon)^(1/q) ln(1/epsilon)^(l/q)``. Where the sign of ``q`` depends
    on the parameters the inversion is formal, and ``requires`` says ``q > 0``.

    Raises:
        ValueError: the monomial does not decay in ``variable``.
    """
    q = _tidy(-monomial.power(variable))
    if _sign(q) in (0, -1):
        raise ValueError(f"{monomial} does not decay as {variable} -> oo: its power {-q} should be negative")
    rest = monomial.without(variable) * Monomial({epsilon: sp.S.NegativeOne}, {epsilon: monomial.log_power(variable)})
    return Inversion(rest ** (1 / q), sp.true if _sign(q) == 1 else sp.Gt(q, 0))


def complexity(bound: sp.Expr, variable: sp.Symbol, epsilon: sp.Symbol = symbols.epsilon) -> tuple[Inversion, ...]:
    """Invert every term of ``bound <= epsilon``; the complexity is their sum. A lower bound is given by its magnitude.

    Raises:
        ValueError: see :func:`monomials` and :func:`invert`.
    """
    return tuple(invert(m, variable, epsilon) for m in monomials(bound, variable))


def worst_epsilon_exponent(
    inversions: Iterable[Inversion], values: Mapping[sp.Symbol, object], *, epsilon: sp.Symbol = symbols.epsilon
) -> tuple[sp.Rational, sp.Rational]:
    """Exponent of ``1/epsilon``, and of its logarithm, of the dominating term at rational parameter values.

    Args:
        inversions: the terms of a complexity.
        values: parameter -> int, Fraction, string ("2/3") or sympy rational.
        epsilon: the accuracy.

    Returns:
        The largest exponent; of the terms that attain it, the largest log exponent.

    Raises:
        ValueError: a value is not rational, a parameter has no value, a term's condition fails at the values, or there
            is no term.
    """
    numbers = {v: sp.sympify(x) for v, x in values.items()}
    for v, x in numbers.items():
        if not x.is_Rational:
            raise ValueError(f"{v} = {x} is not exact; give an integer or a fraction such as '2/3'")

    def at(e: sp.Expr) -> sp.Rational:
        number = e.xreplace(numbers)
        if number.free_symbols:
            raise ValueError(f"exponent {e} needs values for {', '.join(sorted(map(str, number.free_symbols)))}")
        return number

    found = []
    for inv in inversions:
        if inv.requires.xreplace(numbers) == sp.false:
            raise ValueError(f"{inv.monomial} needs {inv.requires}, which fails at {numbers}")
        found.append((at(-inv.monomial.power(epsilon)), at(inv.monomial.log_power(epsilon))))
    if not found:
        raise ValueError("no terms: give at least one inversion")
    return max(found)


@dataclass(frozen=True)
class Pair:
    """A term that the explicit bound gives and the stated term with the same powers."""

    explicit: Inversion
    stated: Monomial

    def __str__(self) -> str:
        return f"{self.explicit} against stated {self.stated}"


@dataclass(frozen=True)
class Mismatch:
    """A term that the explicit bound gives, without partner among the stated ones.

    Attributes:
        explicit: the term.
        nearest: the stated term that differs in the fewest variables; None when nothing is stated.
        differing: symbol, or its log, -> (exponent of the explicit bound, stated exponent).
    """

    explicit: Inversion
    nearest: Monomial | None
    differing: Mapping[sp.Expr, tuple[sp.Expr, sp.Expr]]

    def __str__(self) -> str:
        parts = ", ".join(f"{v}: {e} (stated {s})" for v, (e, s) in self.differing.items())
        return f"{self.explicit} against nearest stated {self.nearest}; exponents of {parts}"


@dataclass(frozen=True)
class Comparison:
    """A printed O(.) complexity beside what the explicit bound gives, term by term.

    Attributes:
        agreeing: equal in all powers and logs.
        log_missing: equal in all powers, with a larger log power than stated.
        looser: equal in all powers, with a smaller log power than stated.
        mismatched: explicit terms that no stated term matches.
        unmatched_stated: stated terms that no explicit term matches. Alone they do not contradict the explicit bound.
    """

    agreeing: tuple[Pair, ...]
    log_missing: tuple[Pair, ...]
    looser: tuple[Pair, ...]
    mismatched: tuple[Mismatch, ...]
    unmatched_stated: tuple[Monomial, ...]

    @property
    def verdict_hint(self) -> str:
        """``agrees``, ``log missing`` or ``differs``: whether the explicit bound implies the stated complexity."""
        return "differs" if self.mismatched else "log missing" if self.log_missing else "agrees"


def compare(
    stated: sp.Expr,
    explicit: sp.Expr,
    *,
    rounds: sp.Symbol,
    epsilon: sp.Symbol = symbols.epsilon,
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Comparison:
    """Compare a printed complexity with the one that an explicit bound gives.

    Args:
        stated: the expression inside O(.), in epsilon and the constants.
        explicit: the bound as a function of ``rounds``; a lower bound by its magnitude.
        rounds: the variable that the complexity counts.
        epsilon: the accuracy.
        where: definitions and constraints (``{b: 1 - a}``) to substitute in both first.

    Raises:
        ValueError: an expression has no expansion, or a term of ``explicit`` does not decay.
    """
    stated, explicit = (expand_definitions(sp.sympify(e), where or {}) for e in (stated, explicit))
    printed = monomials(stated, epsilon, to_zero=True)
    paired: dict[int, list[Pair]] = {0: [], 1: [], -1: []}
    alone = []
    for source in monomials(explicit, rounds):
        term = invert(source, rounds, epsilon)
        partner = next((s for s in printed if _differing(term.monomial, s).keys() <= {sp.log(epsilon)}), None)
        excess = None
        if partner is not None:
            # Both log exponents carry the factor 1/q of the inversion, q > 0; without it the sign is decidable.
            surplus = term.monomial.log_power(epsilon) - partner.log_power(epsilon)
            excess = _sign(-source.power(rounds) * surplus)
        if partner is None or excess is None:
            alone.append(term)
        else:
            paired[excess].append(Pair(term, partner))
    partners = {pair.stated for pairs in paired.values() for pair in pairs}
    unmatched = tuple(s for s in printed if s not in partners)
    mismatched = []
    for term in alone:
        # A stated term that is already paired is the less likely counterpart.
        near = min(unmatched or printed, key=lambda s: len(_differing(term.monomial, s)), default=None)
        mismatched.append(Mismatch(term, near, {} if near is None else _differing(term.monomial, near)))
    return Comparison(tuple(paired[0]), tuple(paired[1]), tuple(paired[-1]), tuple(mismatched), unmatched)


def _differing(left: Monomial, right: Monomial) -> dict[sp.Expr, tuple[sp.Expr, sp.Expr]]:
    """Symbols and logs of symbols with unlike exponents, with both exponents."""
    keys = {v: (left.power(v), right.power(v)) for v in left.powers.keys() | right.powers.keys()}
    keys |= {sp.log(v): (left.log_power(v), right.log_power(v)) for v in left.logs.keys() | right.logs.keys()}
    return {v: keys[v] for v in sorted(keys, key=str) if keys[v][0] != keys[v][1]}
