"""From a bound in rounds to the rounds that an accuracy needs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from rateproof.theory import symbols
from rateproof.theory.asymptotics.domain import Domain, Parameters, unambiguous
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

    ``C v^-q (ln v)^l = epsilon`` gives ``v ~ (C/epsilon)^(1/q) ln(1/epsilon)^(l/q)``. Where the symbols' own
    signs do not say ``q > 0``, ``requires`` does.

    Raises:
        ValueError: the monomial does not decay in ``variable``, or its own power of epsilon leaves ``ln v`` open.
    """
    q, domain = tidy(-monomial.power(variable)), Domain.of(parameters)
    sign = domain.sign(q)
    requires = sp.true if Domain().sign(q) == 1 else sp.Gt(q, 0)
    if sign in (0, -1) or requires == sp.false:
        raise ValueError(f"{monomial} does not decay as {variable} -> oo: its power {-q} should be negative")
    rest = monomial.without(variable) * Monomial({epsilon: sp.S.NegativeOne}, {epsilon: monomial.log_power(variable)})
    if monomial.log_power(variable) != 0 and domain.sign(rest.power(epsilon)) != -1:
        raise ValueError(f"{monomial} = {epsilon} should make {variable} grow like a power of 1/{epsilon}")
    return Inversion(rest ** (1 / q), requires)


def complexity(
    bound: sp.Expr, variable: sp.Symbol, epsilon: sp.Symbol = symbols.epsilon, *, parameters: Parameters = ()
) -> tuple[Inversion, ...]:
    """Invert every term of ``bound <= epsilon``; the complexity is their sum. A lower bound is given by its magnitude.

    Raises:
        ValueError: epsilon stands in the bound other than as a factor of a term; else see :func:`monomials` and
            :func:`invert`.
    """
    bound, parameters = sp.sympify(bound), tuple(parameters)
    unambiguous(bound, variable, epsilon, *parameters)
    for term in sp.Add.make_args(sp.expand_mul(bound)):
        # with epsilon under a root or a reciprocal, variable -> oo at a fixed epsilon says nothing of both together
        if epsilon in term.as_independent(variable, as_Add=False)[1].free_symbols:
            raise ValueError(f"{epsilon} should be a factor of {term}, or not occur in it")
    terms = monomials(bound, variable, parameters=(*parameters, sp.Lt(epsilon, 1)))
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
        if not number.is_real:
            raise ValueError(f"exponent {e} is {number} at {numbers}; it should be a real number")
        return number

    found = []
    for inv in inversions:
        sides = (side.xreplace(numbers) for r in inv.requires.atoms(sp.Rel) for side in r.args)
        if any(side.is_real is False for side in sides) or inv.requires.xreplace(numbers) == sp.false:
            raise ValueError(f"{inv.monomial} needs {inv.requires}, which fails at {numbers}")
        found.append((at(-inv.monomial.power(epsilon)), at(inv.monomial.log_power(epsilon))))
    if not found:
        raise ValueError("no terms: give at least one inversion")
    return max(found)
