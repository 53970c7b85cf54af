"""From a bound in rounds to the rounds that an accuracy needs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from rateproof.theory import symbols
from rateproof.theory.asymptotics.domain import Domain, Parameters
from rateproof.theory.asymptotics.expand import monomials
from rateproof.theory.asymptotics.monomial import Monomial, tidy


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


def invert(
    monomial: Monomial, variable: sp.Symbol, epsilon: sp.Symbol = symbols.epsilon, *, parameters: Parameters = ()
) -> Inversion:
    """Solve ``monomial <= epsilon`` for ``variable``, up to numeric factors as ``epsilon -> 0``.

    ``C v^-q (ln v)^l = epsilon`` gives ``v ~ (C/epsilon)^(1/q) ln(1/epsilon)^(l/q)``. Where the sign of ``q`` depends
    on the parameters the inversion is formal, and ``requires`` says ``q > 0``.

    Raises:
        ValueError: the monomial does not decay in ``variable``.
    """
    q = tidy(-monomial.power(variable))
    sign = Domain.of(parameters).sign(q)
    if sign in (0, -1):
        raise ValueError(f"{monomial} does not decay as {variable} -> oo: its power {-q} should be negative")
    rest = monomial.without(variable) * Monomial({epsilon: sp.S.NegativeOne}, {epsilon: monomial.log_power(variable)})
    return Inversion(rest ** (1 / q), sp.true if sign == 1 else sp.Gt(q, 0))


def complexity(
    bound: sp.Expr, variable: sp.Symbol, epsilon: sp.Symbol = symbols.epsilon, *, parameters: Parameters = ()
) -> tuple[Inversion, ...]:
    """Invert every term of ``bound <= epsilon``; the complexity is their sum. A lower bound is given by its magnitude.

    Raises:
        ValueError: see :func:`monomials` and :func:`invert`.
    """
    parameters = tuple(parameters)
    terms = monomials(bound, variable, parameters=parameters)
    return tuple(invert(m, variable, epsilon, parameters=parameters) for m in terms)


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
