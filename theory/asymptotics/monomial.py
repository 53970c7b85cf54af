"""Monomials with symbolic exponents, logarithms kept apart from powers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter

import sympy as sp


@cache
def tidy(exponent: sp.Expr) -> sp.Expr:
    """Canonical form, so that equal exponents compare equal.

    Raises:
        ValueError: the exponent is not finite and real, its symbols being real.
    """
    # what sympy was told to leave unevaluated, such as x / x
    evaluated = exponent.replace(lambda e: e.is_Add or e.is_Mul, lambda e: e.func(*e.args))
    if not _real(evaluated):
        raise ValueError(f"exponent {exponent} should be a real number")
    return _canonical(evaluated)


def _real(exponent: sp.Expr) -> bool:
    symbols = exponent.free_symbols
    if exponent.has(sp.I, sp.zoo, sp.oo, -sp.oo, sp.nan) or any(v.is_real is False for v in symbols):
        return False
    if exponent.is_rational_function():
        return True
    return bool(exponent.xreplace({v: sp.Dummy(real=True) for v in symbols if v.is_real is None}).is_real)


def _canonical(exponent: sp.Expr) -> sp.Expr:
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


def _nonzero(exponents: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    tidied = {v: tidy(sp.sympify(e)) for v, e in exponents.items()}
    return {v: tidied[v] for v in sorted(tidied, key=attrgetter("name")) if tidied[v] != 0}


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
        named = [(v.name, e) for v, e in self.powers.items()] + [(f"|ln {v.name}|", e) for v, e in self.logs.items()]
        return " ".join(n if e == 1 else f"{n}^{e}" if e.is_Symbol else f"{n}^({e})" for n, e in named) or "1"

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        """Its variables, and the symbols in its exponents."""
        exponents = (e.free_symbols for e in (*self.powers.values(), *self.logs.values()))
        return set(self.powers) | set(self.logs) | set().union(*exponents)

    def power(self, variable: sp.Symbol) -> sp.Expr:
        """Exponent of ``variable``."""
        return self.powers.get(variable, sp.S.Zero)

    def log_power(self, variable: sp.Symbol) -> sp.Expr:
        """Exponent of ``|ln variable|``."""
        return self.logs.get(variable, sp.S.Zero)

    def without(self, variable: sp.Symbol) -> "Monomial":
        """The factors that do not contain ``variable``."""
        return Monomial(*({v: e for v, e in part.items() if v != variable} for part in (self.powers, self.logs)))

    def at(self, values: Mapping[sp.Symbol, sp.Expr]) -> "Monomial":
        """The monomial with ``values`` in its exponents."""
        return Monomial(*({v: e.xreplace(values) for v, e in part.items()} for part in (self.powers, self.logs)))

    def substitute(self, variable: sp.Symbol, value: "Monomial", small_or_large: sp.Symbol) -> "Monomial":
        """Replace ``variable`` by a monomial, up to numeric factors as ``small_or_large`` tends to 0 or to infinity.

        Raises:
            ValueError: the logarithm of a monomial without a power of ``small_or_large`` is needed.
        """
        log_power = self.log_power(variable)
        if log_power != 0 and value.power(small_or_large) == 0:
            raise ValueError(
                f"{self} at {variable} = {value} has an iterated logarithm; "
                f"{value} should be a power of {small_or_large}"
            )
        logs = Monomial({}, {small_or_large: log_power})
        return self.without(variable) * value ** self.power(variable) * logs
