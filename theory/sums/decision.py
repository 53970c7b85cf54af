"""Decide a bound on a sum."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from rateproof.theory.sums.horizons import decide_every_horizon
from rateproof.theory.sums.parameters import decide_every_parameter
from rateproof.theory.sums.signs import Range
from rateproof.theory.sums.statement import read, read_ranges
from rateproof.theory.sums.verdicts import Decision, Open, Proved


def decide(
    relation: sp.Rel, horizon: sp.Symbol, *, first: int = 1, parameters: Mapping[sp.Symbol, Range] | None = None
) -> Decision:
    """Decide an inequality between sums and functions of a horizon for all integers ``horizon >= first``.

    Where the right side is undefined, it counts as ``+oo`` if it tends to ``+oo`` from the right (``1/ln(1)``); any
    other undefined side can be neither true nor false, so that the answer is at best :class:`Open`. A decimal number
    stands for the fraction that it prints.

    Args:
        relation: ``Le(Sum(g, (t, t0, horizon + m)), G, evaluate=False)``, with sums on any side. Their limits are
            integers ``>= 0``, or whole multiples of the horizon or of an outer index plus an integer. Sums without
            closed form stand in products with functions of the horizon only. An index is bound in its summand alone.
        horizon: the upper index that runs through the integers.
        first: the smallest horizon claimed.
        parameters: the range of every parameter, read as an open interval with a finite lower end; an end may be a
            rational function of the parameters before it, as in ``{L: (0, oo), eta: (0, 1/L)}``. An answer for all
            parameters says nothing about the ends.

    Raises:
        ValueError: a part outside this calculus, named; a bad ``first`` or range.
    """
    ranges = read_ranges(parameters or {})
    found = _decided(relation, horizon, first, ranges)
    if isinstance(found, Open) and _proved_in_order(relation, horizon, first, ranges):
        return Proved("cases", "two parameters of one range: the smaller one, the larger one, and both equal")
    return found


def _decided(relation: sp.Rel, horizon: sp.Symbol, first: int, ranges: Mapping[sp.Symbol, Range]) -> Decision:
    bound = read(relation, horizon, first, ranges)
    return decide_every_parameter(bound, ranges) if ranges else decide_every_horizon(bound)


def _proved_in_order(relation: sp.Rel, horizon: sp.Symbol, first: int, ranges: Mapping[sp.Symbol, Range]) -> bool:
    """Whether a claim about two parameters of one range is proved for ``a < b``, for ``b < a`` and for ``a = b``.

    A closed form such as that of ``sum a^t b^(T-t)`` is a fraction whose denominator is their difference.
    """
    if len(ranges) != 2:
        return False
    (a, ends), (b, others) = ranges.items()
    if ends != others or a.assumptions0 != b.assumptions0:
        return False
    equal = relation.func(*(side.subs(b, a) for side in relation.args), evaluate=False)
    if equal.has(sp.zoo, sp.nan):
        return False
    low, _ = ends
    cases = ((equal, {a: ends}), (relation, {b: ends, a: (low, b)}), (relation, {a: ends, b: (low, a)}))
    return all(isinstance(_decided(case, horizon, first, order), Proved) for case, order in cases)
