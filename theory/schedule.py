"""Stepsize and regularisation rules as symbolic objects: written once, printed, checked and evaluated from here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp


@dataclass(frozen=True)
class Condition:
    """A condition under which a schedule is admissible: a sympy inequality ``lhs <= rhs`` or ``lhs >= rhs``."""

    name: str
    relation: sp.Rel


@dataclass(frozen=True)
class Violation:
    """A condition that fails at given constants: both sides and by which factor."""

    condition: Condition
    lhs: float
    rhs: float

    @property
    def factor(self) -> float:
        """How far off: the ratio of the larger to the smaller side."""
        small, large = sorted((abs(self.lhs), abs(self.rhs)))
        return math.inf if small == 0 else large / small

    def __str__(self) -> str:
        rel = self.condition.relation
        return (
            f"{self.condition.name} fails: {rel.lhs} = {self.lhs:.6g} should be {rel.rel_op} {self.rhs:.6g}, "
            f"off by a factor {self.factor:.3g}"
        )


@dataclass(frozen=True)
class Schedule:
    """A rule that fixes step sizes and regularisation from the horizon and the constants.

    Attributes:
        id: the catalog's id, ``S-sc``.
        title: for which setting.
        rules: symbol -> expression, e.g. ``gamma_t -> (mu_f R)^-a``.
        parameters: ranges of the parameters left to the reader, as relations (``0 < b``, ``b < a``, ``a <= 1``).
        conditions: admissibility conditions as stated, in terms of symbols and of the rules.
        where: definitions of derived symbols in the conditions.
        defaults: parameter values the paper uses.
    """

    id: str
    title: str
    rules: Mapping[sp.Symbol, sp.Expr]
    parameters: tuple[sp.Rel, ...] = ()
    conditions: tuple[Condition, ...] = ()
    where: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    defaults: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{s} = {sp.sstr(e)}" for s, e in self.rules.items())

    def latex(self, paper: str = "") -> str:
        """The rules as LaTeX; ``paper`` says whose own symbols may stand in them."""
        from theory.symbols import info

        symbols = {s for rule in self.rules.items() for e in rule for s in e.free_symbols}
        names = {s: info(s, paper).latex for s in symbols}
        return r",\quad ".join(f"{names[s]} = {sp.latex(e, symbol_names=names)}" for s, e in self.rules.items())

    def evaluate(self, values: Mapping[str, float]) -> dict[str, float]:
        """Numbers for the symbols that the schedule rules, given numbers for the others (by name).

        Parameters that are not given take the paper's defaults.

        Raises:
            ValueError: a needed value is missing, not finite, or outside a parameter's printed range.
        """
        known = self._known(values)
        out: dict[str, float] = {}
        for symbol, rule in self.rules.items():
            what = f"schedule {self.id}, {symbol} = {rule}"
            out[str(symbol)] = _number(rule, known | out, what)
            if not math.isfinite(out[str(symbol)]):
                at = ", ".join(f"{s} = {(known | out)[str(s)]:g}" for s in sorted(rule.free_symbols, key=str))
                raise ValueError(f"{what} is not a finite number at {at}")
        return out

    def violations(self, values: Mapping[str, float]) -> tuple[Violation, ...]:
        """The stated conditions that fail at these constants (schedule-ruled symbols are filled in when missing).

        Raises:
            ValueError: as :meth:`evaluate`.
        """
        known = self._known(values)
        known = self.evaluate(known) | known
        for symbol, definition in self.where.items():
            if str(symbol) not in known:
                known[str(symbol)] = _number(definition, known, f"definition of {symbol}")
        failed = []
        for condition in self.conditions:
            where = f"condition {condition.name} of schedule {self.id}"
            lhs, rhs = (_number(side, known, where) for side in condition.relation.args)
            if not bool(condition.relation.func(sp.Float(lhs), sp.Float(rhs))):
                failed.append(Violation(condition, lhs, rhs))
        return tuple(failed)

    def _known(self, values: Mapping[str, float]) -> dict[str, float]:
        known = {str(s): float(v) for s, v in self.defaults.items()} | {k: float(v) for k, v in values.items()}
        for name, value in known.items():
            if not math.isfinite(value):
                raise ValueError(f"{name} is {value}; schedule {self.id} needs a finite number")
        expressions = [*self.rules.values(), *(c.relation for c in self.conditions), *self.where.values()]
        for symbol in sorted({s for e in expressions for s in e.free_symbols}, key=str):
            if symbol.is_nonnegative and known.get(str(symbol), 0) < 0:
                raise ValueError(
                    f"{symbol} = {known[str(symbol)]:g} is negative; schedule {self.id} needs {symbol} >= 0"
                )
        self._check_parameters(known)
        return known

    def _check_parameters(self, known: Mapping[str, float]) -> None:
        for relation in self.parameters:
            needed = {str(s) for s in relation.free_symbols}
            if needed <= known.keys() and not relation.subs({s: known[str(s)] for s in relation.free_symbols}):
                given = ", ".join(f"{s} = {known[s]:g}" for s in sorted(needed))
                raise ValueError(f"schedule {self.id} needs {relation}, got {given}")


def _number(expr: sp.Basic, values: Mapping[str, float], what: str) -> float:
    missing = sorted(str(s) for s in expr.free_symbols if str(s) not in values)
    if missing:
        raise ValueError(f"{what} needs {', '.join(missing)}; give it as {missing[0]}=value")
    value = expr.subs({s: values[str(s)] for s in expr.free_symbols})
    # A division by zero: an infinite cap or threshold, whose sign is that of the paper's positive constants.
    return math.inf if value.has(sp.zoo) else float(value)
