"""Multipliers that an earlier check found, as text: the next one need not search them again.

A hint is no evidence. It is checked as the multipliers of an author are, exactly and against the step as it stands now,
and where it is missing, damaged or wrong the step is searched as if there were none.
"""

from __future__ import annotations

import ast
import hashlib
import operator
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from keyword import iskeyword
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from rateproof.theory import gram
from rateproof.theory.gram.forms import read

#: Of processor time, for a step whose multipliers are searched.
SECONDS = 60.0
#: What multipliers prove a question, by its digest: one of each premise, in order.
Hints = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Question:
    """What a step asks of :func:`rateproof.theory.gram.decide`, and how many seconds may be spent on it."""

    goal: sp.Rel
    given: tuple[sp.Rel, ...]
    assuming: tuple[sp.Rel, ...]
    values: tuple[sp.Symbol, ...]
    seconds: float = SECONDS

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits of its text, the same in every process."""
        parts = [[str(said) for said in group] for group in ((self.goal,), self.given, self.assuming, self.values)]
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def decide(self, multipliers: Sequence[sp.Expr] | None = None) -> gram.Proved | gram.Refuted | gram.Open:
        """What is true of it, with multipliers or by a search."""
        return gram.decide(
            self.goal,
            given=self.given,
            assuming=self.assuming,
            multipliers=multipliers,
            values=self.values,
            seconds=self.seconds,
        )

    def by_hint(self, hint: Sequence[str]) -> gram.Proved | None:
        """The proof by multipliers that are kept as text; None where they are no multipliers or prove nothing."""
        with suppress(ValueError, ArithmeticError, RecursionError, MemoryError):
            found = self.decide([parsed(text, self.symbols) for text in hint])
            if isinstance(found, gram.Proved):
                return found
        return None

    def hint(self, found: gram.Proved) -> tuple[str, ...] | None:
        """What to keep of a proof; None where it uses more than the premises, such as that vectors vanish."""
        premises = read(self.goal, self.given, self.assuming, self.values).premises
        places = {premise.relation: i for i, premise in reversed(list(enumerate(premises)))}
        if any(relation not in places for relation, _ in found.multipliers):
            return None
        multipliers = [sp.S.Zero] * len(premises)
        for relation, multiplier in found.multipliers:
            multipliers[places[relation]] += multiplier
        return texts(multipliers)

    @property
    def symbols(self) -> dict[str, sp.Symbol]:
        """Its symbols by name; gram refuses two of one name."""
        said = (self.goal, *self.given, *self.assuming, *self.values)
        return {s.name: s for expr in said for s in expr.free_symbols}


class _Printer(StrPrinter):
    """Names that are no plain words, such as that of a maximum, stand in quotes."""

    printmethod = "_hint"  # the engines' own symbols print their bare names otherwise

    def _print_Symbol(self, symbol: sp.Symbol) -> str:
        name = symbol.name
        return name if name.isascii() and name.isidentifier() and not iskeyword(name) else repr(name)

    _print_Dummy = _print_Symbol


_PRINTER = _Printer()


def texts(multipliers: Iterable[sp.Expr]) -> tuple[str, ...]:
    """Expressions as text, which :func:`parsed` reads."""
    return tuple(map(_PRINTER.doprint, multipliers))


_OPERATIONS: Mapping[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
#: Powers that no multiplier has would take for ever.
_HIGHEST = 64


def parsed(text: str, symbols: Mapping[str, sp.Symbol]) -> sp.Expr:
    """An expression in these symbols, whole numbers, ``+ - * / **`` and ``sqrt``. Nothing is evaluated as a program.

    Raises:
        ValueError: it is something else.
    """
    try:
        return _value(ast.parse(text, mode="eval").body, symbols)
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no expression") from error


def _value(node: ast.expr, symbols: Mapping[str, sp.Symbol]) -> sp.Expr:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return sp.Integer(number)
        case ast.Name(id=name) | ast.Constant(value=str(name)) if name in symbols:
            return symbols[name]
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part, symbols)
        case ast.Call(func=ast.Name(id="sqrt"), args=[part], keywords=[]):
            return sp.sqrt(_value(part, symbols))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            one, other = _value(left, symbols), _value(right, symbols)
            if isinstance(op, ast.Pow) and not (other.is_Rational and abs(other) <= _HIGHEST and one.free_symbols):
                raise ValueError(f"{ast.unparse(node)} is no power of a multiplier")
            return _OPERATIONS[type(op)](one, other)
        case _:
            raise ValueError(f"{ast.unparse(node)} is no part of a multiplier")
