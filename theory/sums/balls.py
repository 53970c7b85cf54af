"""Constants and functions in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import sympy as sp

Ball = Any  # flint.arb, imported lazily


def compiled(expr: sp.Expr, variable: sp.Symbol) -> Callable[[Ball], Ball]:
    """``expr`` as a function between balls, at the working precision of this moment.

    One lambda from source text, for a tree of closures takes twice the time; its names are balls of our own.
    """
    constants: dict[str, Ball] = {}

    def source(e: sp.Expr) -> str:
        if e == variable:
            return "x"
        if not e.has(variable):
            name = f"c{len(constants)}"
            constants[name] = ball(e)
            return name
        numerator, denominator = sp.fraction(e)
        if denominator != 1:
            return f"({source(numerator)} / {source(denominator)})"
        if isinstance(e, sp.log | sp.exp):
            return f"({source(e.args[0])}).{e.func.__name__}()"
        if isinstance(e, sp.Pow):
            base = f"({source(e.base)})"
            return f"{base}.sqrt()" if e.exp == sp.Rational(1, 2) else f"({base}**{source(e.exp)})"
        return "(" + (" + " if isinstance(e, sp.Add) else " * ").join(map(source, e.args)) + ")"

    text = source(expr)
    return eval(f"lambda x: {text}", constants)


def ball(number: sp.Expr) -> Ball:
    """A ball around a constant expression."""
    from flint import arb, fmpq

    if number.is_Rational:
        return arb(fmpq(int(number.p), int(number.q)))
    if isinstance(number, sp.NumberSymbol):
        return {sp.pi: arb.pi, sp.E: arb.const_e, sp.EulerGamma: arb.const_euler}[number]()
    if number is sp.I:  # the root of a negative number
        return arb("nan")
    parts = [ball(part) for part in number.args]
    if isinstance(number, sp.log):
        return parts[0].log()
    if isinstance(number, sp.exp):
        return parts[0].exp()
    if isinstance(number, sp.zeta):
        return parts[0].zeta()
    if isinstance(number, sp.Pow):
        return parts[0] ** parts[1]
    return sum(parts[1:], parts[0]) if isinstance(number, sp.Add) else prod(parts[1:], start=parts[0])
