"""Units of symbols and homogeneity of expressions.

A unit is a product of powers of a length (the unit of the variable x), of the outer loss f, of the inner loss h and of
the lower-level variable y.
A bound that adds unlike units cannot hold uniformly: rescaling a loss or the space
changes its terms by different factors.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.probability import Pr


@dataclass(frozen=True, slots=True)
class Unit:
    """A product ``length^x (unit of f)^f (unit of h)^h (length of y)^y``; powers are sympy expressions or numbers."""

    x: sp.Expr = sp.S.Zero
    f: sp.Expr = sp.S.Zero
    h: sp.Expr = sp.S.Zero
    y: sp.Expr = sp.S.Zero

    def __mul__(self, other: "Unit") -> "Unit":
        return Unit(*(m + o for m, o in zip(self.powers, other.powers, strict=True)))

    def __truediv__(self, other: "Unit") -> "Unit":
        return self * other**-1

    def __pow__(self, power: sp.Expr | int) -> "Unit":
        p = sp.sympify(power)
        return Unit(*(own * p for own in self.powers))

    def same_as(self, other: "Unit") -> bool:
        """Whether both units are equal for all values of symbolic powers."""
        differences = [m - o for m, o in zip(self.powers, other.powers, strict=True)]
        return all(normal(d) == 0 for d in differences)

    @property
    def powers(self) -> tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]:
        """The powers of (length, f, h, length of y)."""
        return sp.sympify(self.x), sp.sympify(self.f), sp.sympify(self.h), sp.sympify(self.y)

    def scale(self, s_x: float, s_f: float, s_h: float, s_y: float = 1) -> sp.Expr:
        """Factor by which a quantity of this unit changes under x -> s_x x, f -> s_f f, h -> s_h h, y -> s_y y."""
        factors = (s_x, s_f, s_h, s_y)
        return sp.Mul(*(sp.sympify(s) ** power for s, power in zip(factors, self.powers, strict=True)))

    def __str__(self) -> str:
        parts = [
            f"{n}^({p})" if p != 1 else n for n, p in zip(("x", "f", "h", "y"), self.powers, strict=True) if p != 0
        ]
        return " ".join(parts) or "1"


ONE = Unit()
LENGTH = Unit(x=sp.S.One)
OUTER = Unit(f=sp.S.One)
INNER = Unit(h=sp.S.One)
#: Unit of the lower-level variable of a bilevel or equilibrium-constrained problem.
LOWER = Unit(y=sp.S.One)


@dataclass(frozen=True, slots=True)
class Clash:
    """Two parts of one expression that are added, compared or exponentiated although their units differ."""

    left: sp.Basic
    left_unit: Unit
    right: sp.Basic
    right_unit: Unit

    def __str__(self) -> str:
        return f"{self.left} [{self.left_unit}] against {self.right} [{self.right_unit}]"


def unit_of(expr: sp.Basic, units: Mapping[sp.Symbol, Unit], clashes: list[Clash] | None = None) -> Unit:
    """Unit of an expression; every place where unlike units meet is appended to ``clashes``.

    Numbers are dimensionless, and a sum takes the unit of its first dimensional term.

    Raises:
        ValueError: a symbol without a unit, or a function that the calculus does not know (it is named).
    """
    found: list[Clash] = clashes if clashes is not None else []

    def meet(parts: list[sp.Basic]) -> Unit:
        pairs = [(p, visit(p)) for p in parts if p != 0]
        if not pairs:
            return ONE
        first, unit = next((pair for pair in pairs if not pair[1].same_as(ONE)), pairs[0])
        found.extend(Clash(first, unit, p, u) for p, u in pairs if not unit.same_as(u))
        return unit

    def balanced(terms: Iterable[sp.Basic]) -> set[sp.Basic]:
        """The logarithms among terms that together are that of a number, as in ``log L - log mu``."""
        logs = {term: term.as_coeff_Mul() for term in terms if isinstance(term.as_coeff_Mul()[1], sp.log)}
        unit, told = ONE, len(found)
        for times, log in logs.values():
            unit = unit * visit(log.args[0]) ** times
        if unit.same_as(ONE):
            return {*logs}
        del found[told:]  # each of them is found by itself
        return set()

    def visit(e: sp.Basic) -> Unit:
        if e.is_Symbol:
            try:
                return units[e]
            except KeyError:
                raise ValueError(
                    f"symbol {e} has no unit; declare it in rateproof.theory.symbols or the paper's vocabulary"
                ) from None
        if e.is_number or e in (sp.true, sp.false):
            return ONE
        if isinstance(e, sp.Mul):
            out = ONE
            for factor in e.args:
                out = out * visit(factor)
            return out
        if isinstance(e, sp.Pow):
            base, power = e.args
            p_unit = visit(power)
            if not p_unit.same_as(ONE):
                found.append(Clash(power, p_unit, sp.S.One, ONE))
            return visit(base) ** power
        if isinstance(e, sp.Add):
            numbers = balanced(e.args)
            return meet(sorted((term for term in e.args if term not in numbers), key=sp.default_sort_key))
        if isinstance(e, (sp.Max, sp.Min)):
            return meet(sorted(e.args, key=sp.default_sort_key))
        if isinstance(e, sp.Piecewise):
            return meet([value for value, _ in e.args])
        if isinstance(e, sp.Rel):
            return meet(list(e.args))
        if isinstance(e, (sp.And, sp.Or, Pr)):
            for part in e.args:
                visit(part)
            return ONE
        if isinstance(e, (sp.log, sp.exp)):
            inner = visit(e.args[0])
            if not inner.same_as(ONE):
                found.append(Clash(e.args[0], inner, sp.S.One, ONE))
            return ONE
        if isinstance(e, (sp.Abs, sp.ceiling)):
            return visit(e.args[0])
        if isinstance(e, sp.sign):
            visit(e.args[0])
            return ONE
        if isinstance(e, sp.Sum):
            return visit(e.function)
        raise ValueError(f"units of {type(e).__name__} are unknown: {e}")

    return visit(expr)


def clashes(expr: sp.Basic, units: Mapping[sp.Symbol, Unit]) -> tuple[Clash, ...]:
    """All places of ``expr`` where unlike units are added or compared; empty when it is homogeneous."""
    found: list[Clash] = []
    unit_of(expr, units, found)
    return tuple(found)
