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
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.printing.str import StrPrinter

from rateproof.theory import gram
from rateproof.theory.algebra import printed
from rateproof.theory.gram.forms import read

if TYPE_CHECKING:
    from rateproof.theory.proof.kernel import Question

#: Of processor time, for a step whose multipliers are searched.
SECONDS = 60.0
#: What multipliers prove a question, by its digest: one of each premise, in order.
Hints = Mapping[str, Sequence[str]]


def digest(question: Question) -> str:
    """Sixteen hex digits of the text of a question, the same in every process."""
    groups = ((question.goal,), question.given, question.assuming, question.values)
    parts = [[printed(said) for said in group] for group in groups]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def multipliers(question: Question, hint: Sequence[str]) -> tuple[sp.Expr, ...] | None:
    """Those that are kept as text; None where they are no multipliers."""
    said = (question.goal, *question.given, *question.assuming, *question.values)
    names = {s.name: s for expr in said for s in expr.free_symbols}  # gram refuses two of one name
    with suppress(ValueError, ArithmeticError, RecursionError, MemoryError):
        return tuple(parsed(text, names) for text in hint)
    return None


def kept(question: Question, found: gram.Proved) -> tuple[str, ...] | None:
    """What to keep of a proof; None where it uses more than the premises, such as that vectors vanish."""
    premises = read(question.goal, question.given, question.assuming, question.values).premises
    places = {premise.relation: i for i, premise in reversed(list(enumerate(premises)))}
    if any(relation not in places for relation, _ in found.multipliers):
        return None
    of_each = [sp.S.Zero] * len(premises)
    for relation, multiplier in found.multipliers:
        of_each[places[relation]] += multiplier
    return texts(of_each)


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
