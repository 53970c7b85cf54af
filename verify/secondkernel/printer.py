"""Expressions of a claim as real numbers of Rocq."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.gram.vectors import factors
from rateproof.theory.probability import Pr, event_of

#: Stands for what is drawn, in events and in what depends on it.
OUTCOME = sp.Symbol("outcome")


class NotExportedError(ValueError):
    """What has no counterpart in Rocq, and why."""


class LibraryFunction(sp.Function):
    """A function that our library defines, which is positive."""

    is_positive = True

    @classmethod
    def named(cls, name: str) -> type[LibraryFunction]:
        """The one of this name."""
        return type(name, (cls,), {})


#: Words that Rocq or our library use.
_TAKEN = frozenset(
    [
        "R",
        "S",
        "O",
        "E",
        "I",
        "N",
        "Z",
        "Q",
        "P",
        "C",
        "D",
        "PI",
        "INR",
        "IZR",
        "Rmax",
        "Rmin",
        "as",
        "at",
        "by",
        "do",
        "else",
        "end",
        "exists",
        "exists2",
        "fix",
        "for",
        "forall",
        "fun",
        "if",
        "in",
        "let",
        "match",
        "mod",
        "return",
        "then",
        "using",
        "where",
        "with",
        "Prop",
        "Set",
        "Type",
        "ips",
        "car",
        "dot",
        "vzero",
        "vadd",
        "vscal",
        "lc",
        "cross",
        "sq",
        "rsum",
        "nsum",
        "isnat",
        "induct",
        "pos",
        "nz",
        "nz1",
        "ident",
        "ln",
        "exp",
        "sqrt",
        "rpow",
        "pow",
        "pr",
        "side",
        "e",
        "up",
        "fst",
        "snd",
        "id",
    ]
)
_COMPARE = {
    "<=": ("<=", False),
    "<": ("<", False),
    ">=": ("<=", True),
    ">": ("<", True),
    "==": ("=", False),
    "!=": ("<>", False),
}


@dataclass
class Printer:
    """Names and expressions of one claim.

    Attributes:
        moving: symbol -> the indices of which it is a function.
        carried: the indices of which vectors are functions, but for those that are ``resting``.
        aliases: symbol of the kernel's own -> the symbol that it stands for.
        terms: symbol of the kernel's own -> the term that it stands for.
        names: what was named, by kind and name, in the order in which it occurred.
    """

    moving: Mapping[sp.Symbol, tuple[sp.Symbol, ...]] = field(default_factory=dict)
    carried: tuple[sp.Symbol, ...] = ()
    resting: frozenset[str] = frozenset()
    aliases: dict[sp.Symbol, sp.Symbol] = field(default_factory=dict)
    terms: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    names: dict[tuple[str, Any], str] = field(default_factory=dict)
    seen: dict[tuple[Any, ...], str] = field(default_factory=dict)
    sums: list[set[sp.Symbol]] = field(default_factory=list)
    _used: set[str] = field(default_factory=set)

    def name(self, kind: str, key: Any, wanted: str) -> str:
        """The name of a thing; one that nothing else has."""
        if (kind, key) not in self.names:
            base = re.sub(r"\W|[^\x00-\x7f]", "_", wanted) or "x"
            base = base if base[0].isalpha() else f"n{base}"
            base = base.rstrip("'")
            found, count = (f"{base}_" if base in _TAKEN else base), 0
            while found in self._used:
                count += 1
                found = f"{base}_{count}"
            self._used.add(found)
            self.names[kind, key] = found
        return self.names[kind, key]

    # --- expressions

    def symbol(self, symbol: sp.Symbol) -> sp.Symbol:
        """The claim's own symbol in whose place one stands."""
        while symbol in self.aliases:
            symbol = self.aliases[symbol]
        return symbol

    def vector(self, name: str) -> str:
        """A basic vector; a function of the indices where it changes with them."""
        text = self.name("vector", name, f"v_{name}")
        return self._applied(text, () if name in self.resting else self.carried)

    def _applied(self, text: str, to: tuple[sp.Symbol, ...]) -> str:
        return f"({text} {' '.join(map(self.text, to))})" if to else text

    def text(self, expr: sp.Expr) -> str:
        """An expression, in brackets where it is no word."""
        if expr.is_Symbol:
            return self._symbol(expr)
        if expr.is_Rational:
            return self._rational(expr)
        if expr.is_Add:
            return f"({' + '.join(map(self.text, expr.args))})"
        if expr.is_Mul:
            return f"({' * '.join(map(self.text, expr.args))})"
        if expr.is_Pow:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, sp.exp):
            return self._exponential(expr.args[0])
        if isinstance(expr, sp.log):
            return f"(ln {self.text(expr.args[0])})"
        if isinstance(expr, (sp.Max, sp.Min)):
            word = "Rmax" if isinstance(expr, sp.Max) else "Rmin"
            first, *others = sorted(map(self.text, expr.args))
            for other in others:
                first = f"({word} {first} {other})"
            return first
        if isinstance(expr, sp.Sum):
            return self._sum(expr)
        if isinstance(expr, Pr):
            return self._probability(expr)
        if isinstance(expr, LibraryFunction):
            return f"({type(expr).__name__} {' '.join(map(self.text, expr.args))})"
        if isinstance(expr, AppliedUndef):
            function = self.name("function", (expr.func, len(expr.args)), str(expr.func.__name__))
            text = f"({function} {' '.join(map(self.text, expr.args))})"
            self.seen["term", (expr.func, len(expr.args)), text] = text
            return text
        if expr is sp.E:
            return "(exp 1)"
        if expr is sp.pi:
            return "PI"
        raise NotExportedError(f"{type(expr).__name__} has no counterpart in Rocq")

    def relation(self, relation: sp.Rel) -> str:
        """A relation, the small side first."""
        sign, turned = _COMPARE[relation.rel_op]
        left, right = relation.args[::-1] if turned else relation.args
        return f"{self.text(left)} {sign} {self.text(right)}"

    def _symbol(self, symbol: sp.Symbol) -> str:
        if symbol == OUTCOME:
            return self.name("outcome", "", "o")
        symbol = self.symbol(symbol)
        if symbol in self.terms:
            return self.text(self.terms[symbol])
        if pair := factors(symbol):
            return f"(dot {self.vector(pair[0])} {self.vector(pair[1])})"
        text = self._applied(self.name("symbol", symbol, str(symbol.name)), self.moving.get(symbol, ()))
        self.seen["symbol", symbol, text] = text
        return text

    @property
    def drawing(self) -> str:
        """The name of the set of outcomes with its probabilities."""
        return self.name("drawing", "", "Omega")

    def _probability(self, chance: Pr) -> str:
        if any(r.has(AppliedUndef) for r in event_of(chance)):
            raise NotExportedError("an event about terms of a sequence has no counterpart in Rocq")
        return f"(pr {self.event(event_of(chance))})"

    def event(self, relations: Sequence[sp.Rel]) -> str:
        """The set of outcomes at which relations hold."""
        said = " /\\ ".join(map(self.relation, relations)) or "True"
        return f"(fun {self.text(OUTCOME)} : {self.drawing} => {said})"

    def _rational(self, number: sp.Rational) -> str:
        if number.q == 1:
            return str(number.p) if number.p >= 0 else f"(- {-number.p})"
        return f"({number.p} / {number.q})" if number.p >= 0 else f"(- {-number.p} / {number.q})"

    def _exponential(self, exponent: sp.Expr) -> str:
        if exponent.is_negative and exponent.is_Rational:
            return f"(/ {self._exponential(-exponent)})"
        return f"(exp {self.text(exponent)})"

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> str:
        if base is sp.E:
            return self._exponential(exponent)
        if exponent.is_Integer:
            inside = self.text(base) if abs(exponent) == 1 else f"({self.text(base)} ^ {abs(exponent)})"
            return inside if exponent > 0 else f"(/ {inside})"
        if exponent.is_Rational and exponent.q == 2:
            root = f"(sqrt {self.text(base)})"
            inside = root if abs(exponent.p) == 1 else f"({root} ^ {abs(exponent.p)})"
            return inside if exponent.p > 0 else f"(/ {inside})"
        return f"(rpow {self.text(base)} {self.text(exponent)})"

    def _sum(self, total: sp.Sum) -> str:
        text = None
        *inner, last = total.limits
        body = sp.Sum(total.function, *inner) if inner else total.function
        if len(last) != 3:
            raise NotExportedError("a sum without ends has no counterpart in Rocq")
        index, start, end = last
        ends = f"{self.text(start)} {self.text(end)}"
        name = self.name("symbol", self.symbol(index), str(index.name))
        self.sums.append({self.symbol(index)})
        text = f"(rsum (fun {name} : R => {self.text(body)}) {ends})"
        return text


def renamed(text: str, old: str, new: str) -> str:
    """A text with one word in place of another."""
    return re.sub(rf"(?<![\w']){re.escape(old)}(?![\w'])", new, text)
