"""Stepsize and regularisation rules as symbolic objects: written once, printed, checked and evaluated from here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import sympy as sp

from rateproof.theory.symbols import R, info

#: Sides of a condition that differ by less are equal, and so are a number and the whole number next to it.
ROUNDING = 1e-12


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
class Runs:
    """What the symbols of a schedule are where a method runs on a problem; no claim depends on it.

    Attributes:
        constants: symbol -> name that problems have for this constant, where it is not the symbol's.
        parameters: symbol -> name that methods have for this parameter, where it is not the symbol's.
        aliases: symbol -> another name by which it may be given to a method that has no parameter of this name.
        local_steps: H, the local steps of a round, where a method takes several.
        rounds: the number of rounds, where it is not R.
        start: symbols that count in a run -> their first values, at which rules are taken; methods follow them from
            there by themselves.
        last: index of the last iterate, ``R H - 1`` after R rounds.
        counters: symbols that count in a run: methods follow the rules that use them by themselves.
        rules: what methods take besides the schedule, such as the weights of the average that its claims are about.
    """

    constants: Mapping[sp.Symbol, str] = field(default_factory=dict)
    parameters: Mapping[sp.Symbol, str] = field(default_factory=dict)
    aliases: Mapping[sp.Symbol, str] = field(default_factory=dict)
    local_steps: sp.Symbol | None = None
    rounds: sp.Symbol = R
    start: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    last: sp.Symbol | None = None
    counters: tuple[sp.Symbol, ...] = ()
    rules: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class Schedule:
    """A rule that fixes step sizes and regularisation from the horizon and the constants.

    Attributes:
        id: the catalog's id, ``S-sc``.
        title: for which setting.
        rules: symbol -> expression, e.g. ``gamma_t -> (mu_f R)^-a``.
        parameters: ranges of the parameters left to the reader, as relations (``0 < b``, ``b < a``, ``a <= 1``).
        conditions: admissibility conditions as stated, in terms of symbols and of the rules.
        where: definitions of derived symbols, in rules and in conditions; a number given for one takes precedence.
        defaults: parameter values the paper uses.
        runs: what its symbols are in a run.
    """

    id: str
    title: str
    rules: Mapping[sp.Symbol, sp.Expr]
    parameters: tuple[sp.Rel, ...] = ()
    conditions: tuple[Condition, ...] = ()
    where: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    defaults: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    runs: Runs = Runs()

    def __str__(self) -> str:
        return ", ".join(f"{s} = {sp.sstr(e)}" for s, e in self.rules.items())

    def latex(self, paper: str = "") -> str:
        """The rules as LaTeX; ``paper`` says whose own symbols may stand in them."""
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
            what = f"schedule {self.id}, {self._said[symbol]}"
            at = known | out
            out[str(symbol)] = self._number(rule, at, what)
            if not math.isfinite(out[str(symbol)]):
                used = {str(s): self._number(s, at, what) for s in sorted(rule.free_symbols, key=str)}
                zero = "".join(f" needs {s} > 0:" for s, v in used.items() if v == 0)
                raise ValueError(
                    f"schedule {self.id}{zero or ','} {symbol} = {rule} is not a finite number at "
                    f"{', '.join(f'{s} = {v:g}' for s, v in used.items())}"
                )
        return out

    @cached_property
    def _said(self) -> dict[sp.Symbol, str]:
        """The rules as text."""
        return {symbol: f"{symbol} = {rule}" for symbol, rule in self.rules.items()}

    @cached_property
    def _nonnegative(self) -> list[sp.Symbol]:
        """The symbols of rules, conditions and definitions that are declared so."""
        expressions = [*self.rules.values(), *(c.relation for c in self.conditions), *self.where.values()]
        symbols = {s for e in expressions for s in e.free_symbols}
        return sorted((s for s in symbols if s.is_nonnegative), key=str)

    def violations(self, values: Mapping[str, float]) -> tuple[Violation, ...]:
        """The stated conditions that fail at these constants (schedule-ruled symbols are filled in when missing).

        Raises:
            ValueError: as :meth:`evaluate`.
        """
        known = self._known(values)
        known = self.evaluate(known) | known
        failed = []
        for condition in self.conditions:
            what = f"condition {condition.name} of schedule {self.id}"
            lhs, rhs = (self._number(side, known, what) for side in condition.relation.args)
            if math.isnan(lhs) or math.isnan(rhs):
                raise ValueError(f"{what} has a side that is not a number here: {condition.relation}")
            holds = condition.relation.func(sp.Float(lhs), sp.Float(rhs))
            if not holds and not math.isclose(lhs, rhs, rel_tol=ROUNDING):  # a rule that takes its cap meets it
                failed.append(Violation(condition, lhs, rhs))
        return tuple(failed)

    def largest(self, name: str, values: Mapping[str, float]) -> float | None:
        """The largest value of a symbol that all conditions admit; None when none of them caps it.

        Only conditions that are affine in the symbol count.

        Raises:
            ValueError: as :meth:`evaluate`.
        """
        known = self._known(values)
        known = self.evaluate(known) | known
        caps = []
        for condition in self.conditions:
            relation, what = condition.relation, f"condition {condition.name} of schedule {self.id}"
            excess = relation.lhs - relation.rhs if relation.rel_op in ("<=", "<") else relation.rhs - relation.lhs
            for symbol in (s for s in excess.free_symbols if str(s) == name):
                slope = sp.diff(excess, symbol)
                if symbol not in slope.free_symbols and (rise := self._number(slope, known, what)) > 0:
                    caps.append(-self._number(excess.subs(symbol, 0), known, what) / rise)
        return min(caps, default=None)

    def needs(self) -> set[sp.Symbol]:
        """Symbols of the numbers that rules and conditions are made of, definitions resolved."""
        queue = {s for e in (*self.rules.values(), *(c.relation for c in self.conditions)) for s in e.free_symbols}
        found: set[sp.Symbol] = set()
        while queue:
            symbol = queue.pop()
            if symbol in self.where:
                queue |= self.where[symbol].free_symbols
            elif symbol not in self.rules:
                found.add(symbol)
        return found

    def _known(self, values: Mapping[str, float]) -> dict[str, float]:
        known = {str(s): float(v) for s, v in self.defaults.items()} | {k: float(v) for k, v in values.items()}
        for name, value in known.items():
            if not math.isfinite(value):
                raise ValueError(f"{name} is {value}; schedule {self.id} needs a finite number")
        for symbol in self._nonnegative:
            if known.get(symbol.name, 0) < 0:
                raise ValueError(
                    f"{symbol} = {known[symbol.name]:g} is negative; schedule {self.id} needs {symbol} >= 0"
                )
        self._check_parameters(known)
        return known

    def _check_parameters(self, known: Mapping[str, float]) -> None:
        for relation in self.parameters:
            needed = {str(s) for s in relation.free_symbols}
            at = {s: known[str(s)] for s in relation.free_symbols if str(s) in known}
            if needed <= known.keys() and not _holds(relation, tuple(at.items())):
                given = ", ".join(f"{s} = {known[s]:g}" for s in sorted(needed))
                limit = f" = {float(relation.rhs.subs(at)):g}" if relation.rhs.free_symbols - {relation.rhs} else ""
                raise ValueError(f"schedule {self.id} needs {relation}{limit}, got {given}")

    def _number(self, expr: sp.Basic, values: Mapping[str, float], what: str) -> float:
        """An expression as a number; definitions are used for symbols that no number is given for."""
        defined = {str(s): e for s, e in self.where.items()}
        known = dict(values)

        def resolve(names: set[str], open_: tuple[str, ...]) -> None:
            names = names - known.keys()
            if missing := sorted(n for n in names if n not in defined or n in open_):
                raise ValueError(f"{what} needs {', '.join(missing)}; give it as {missing[0]}=value")
            for name in sorted(names):
                resolve({str(s) for s in defined[name].free_symbols}, (*open_, name))
                known[name] = _evaluated(defined[name], known, f"{name} of {what}")

        resolve({str(s) for s in expr.free_symbols}, ())
        return _evaluated(expr, known, what)


@lru_cache(maxsize=1024)
def _holds(relation: sp.Rel, at: tuple[tuple[sp.Symbol, float], ...]) -> bool:
    """Whether a relation between parameters holds at numbers; a run asks this of the same ones at every horizon."""
    return bool(relation.subs(dict(at)))


def _evaluated(expr: sp.Basic, values: Mapping[str, float], what: str) -> float:
    """A real number or infinity: dividing by zero gives an infinite cap, with the sign of the paper's constants."""
    if expr.is_Symbol:
        return float(values[str(expr)])
    if not expr.free_symbols:
        return float(expr)
    args = [_evaluated(a, values, what) for a in expr.args]
    if isinstance(expr, sp.Pow) and args[0] == 0 and args[1] < 0:
        return math.inf
    if isinstance(expr, sp.log) and args[0] == 0:
        return -math.inf
    if (
        isinstance(expr, sp.ceiling)
        and math.isfinite(args[0])
        and math.isclose(args[0], round(args[0]), rel_tol=ROUNDING)
    ):
        return float(round(args[0]))  # a whole number missed by rounding is not one more
    value = expr.func(*map(sp.Float, args))
    if not value.is_extended_real and value is not sp.nan:
        given = ", ".join(f"{s} = {values[str(s)]:g}" for s in sorted(expr.free_symbols, key=str))
        raise ValueError(f"{what} is not a real number at {given}")
    return float(value)
