"""Every horizon up to a last one, decided in balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import sympy as sp

from rateproof.theory.sums.balls import Ball, compiled
from rateproof.theory.sums.statement import Bound

SCAN = 10_000
"""Every T up to this horizon is decided without an expansion."""
SCAN_BITS = 64
BLOCK = 256
"""Horizons that are tried at once."""
EXACT_TERMS = 200
"""Longest sum that is evaluated exactly where both sides look equal."""
TOUCHES = 20
"""Horizons at which equality is looked into."""


@dataclass(frozen=True)
class Scan:
    """What balls say of every T in ``first..last``.

    Attributes:
        fails: the first T at which the bound fails, with both sides.
        touches: the T at which the balls of both sides overlap.
        undefined: the T at which a side is undefined.
        total: the whole sum, up to ``last + shift``.
    """

    fails: tuple[int, Ball, Ball] | None
    touches: list[int]
    undefined: list[int]
    total: Ball


def scanned(bound: Bound, last: int, *, bits: int = SCAN_BITS) -> Scan:
    """Decide every ``T`` in ``first..last`` in one pass; a failure ends it, and so does a sum that is undefined."""
    from flint import arb, ctx

    with ctx.workprec(bits):
        g, G = compiled(bound.g, bound.t), compiled(bound.G, bound.T)
        total = arb(0)
        touches: list[int] = []
        undefined: list[int] = []
        for index in range(bound.start, bound.first + bound.shift):
            total += g(arb(index))
        for low in range(bound.first, last + 1, BLOCK):
            totals = []
            for index in range(low + bound.shift, min(low + BLOCK, last + 1) + bound.shift):
                if index >= bound.start:
                    total += g(arb(index))
                totals.append(total)
            for T, lhs, rhs in _unsettled(totals, low, G):
                if lhs > rhs:
                    return Scan((T, lhs, rhs), touches, undefined, lhs)
                if lhs.is_finite() and rhs.is_finite():
                    touches.append(T)
                elif len(undefined) > TOUCHES or not (lhs.is_finite() and _pole(bound, G, T)):
                    undefined.append(T)
                    if not lhs.is_finite():
                        return Scan(None, touches, undefined, lhs)  # and stays so
        return Scan(None, touches, undefined, total)


def _pole(bound: Bound, G: Callable[[Ball], Ball], T: int) -> bool:
    """Whether the right side tends to +oo from the right; through real numbers, as ``ln(ln(T))`` at 1 does not."""
    from flint import arb

    beside = G(arb(T) + arb(2) ** -30)
    return bool(beside.is_finite()) and sp.limit(bound.G, bound.T, T, "+") is sp.oo


def _unsettled(totals: Sequence[Ball], low: int, G: Callable[[Ball], Ball]) -> Iterator[tuple[int, Ball, Ball]]:
    """The horizons at which the sum is not known to be at most the bound, in order, with both sides.

    ``totals`` are the sums at ``low, low + 1, ...``. Where the largest is at most ``G`` on a ball around all of these
    horizons, they are settled together; else both halves are tried.
    """
    from flint import arb

    rhs = G(arb(low).union(arb(low + len(totals) - 1)))
    if reduce(arb.max, totals) <= rhs:
        return
    if len(totals) == 1:
        yield low, totals[0], rhs
        return
    half = len(totals) // 2
    yield from _unsettled(totals[:half], low, G)
    yield from _unsettled(totals[half:], low + half, G)


def sides(bound: Bound, T: int) -> tuple[Ball, Ball]:
    """Both sides at one horizon, to many digits."""
    from flint import arb, ctx

    scan = scanned(replace(bound, first=T), T, bits=16 * SCAN_BITS)
    with ctx.workprec(16 * SCAN_BITS):
        return scan.total, compiled(bound.G, bound.T)(arb(T))


def exact_gap(bound: Bound, T: int) -> int | None:
    """Sign of ``G(T) - sum`` by exact evaluation, or more digits; None when these do not tell."""
    for bits in (4 * SCAN_BITS, 16 * SCAN_BITS):
        again = scanned(replace(bound, first=T), T, bits=bits)
        if not again.touches:
            return -1 if again.fails else 1
    terms = range(bound.start, T + bound.shift + 1)
    if len(terms) > EXACT_TERMS:
        return None
    gap = bound.G.subs(bound.T, T) - sp.Add(*(bound.g.subs(bound.t, k) for k in terms))
    return 0 if sp.simplify(gap) == 0 else None
