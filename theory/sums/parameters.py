"""A bound with parameters: one comparison for all of them, or round values at which it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import sympy as sp

from rateproof.theory.algebra import fits
from rateproof.theory.sums.horizons import CLOSED, decide_every_horizon, scan_end
from rateproof.theory.sums.majorant import by_integrals, by_mean_values, majorised, simpler
from rateproof.theory.sums.scan import scanned, violation
from rateproof.theory.sums.signs import Range, Signs, always_nonnegative
from rateproof.theory.sums.statement import Bound
from rateproof.theory.sums.verdicts import Decision, Open, Proved, Refuted, UndecidedError, where


def decide_every_parameter(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Decision:
    """A comparison for all parameters at once, or round values at which the bound fails."""
    try:
        return _proved(bound, ranges)
    except UndecidedError as error:
        why = error
    claims = [(values, bound.at(values)) for values in _round_values(ranges)]
    claims = [(values, claim) for values, claim in claims if not {sp.zoo, sp.nan} & claim.atoms()]
    best: Refuted | None = None  # the fewest digits, then the plainest parameters
    for values, claim in claims:
        fails = scanned(claim, int(best.at[bound.horizon]) if best else scan_end(claim)).fails
        if fails and (best is None or len(str(fails[0])) < len(str(best.at[bound.horizon]))):
            best = violation(claim, values, *fails)
    if best:
        return best
    held, unsettled = [], []
    for values, claim in claims:
        decision = decide_every_horizon(claim, values)
        if isinstance(decision, Refuted):
            return decision
        if isinstance(decision, Proved):
            held.append(where(values))
        else:
            unsettled.append(f"; open at {where(values)} ({decision.why})")
    at_values = f"it holds for every {bound.horizon} >= {bound.first} at {'; '.join(held) or 'no value tried'}"
    return Open(f"no proof for all parameters: {why}; {at_values}{''.join(unsettled)}")


def _proved(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    why = []
    with_sums = (_divided, majorised, by_mean_values, by_integrals, _simplified)
    for proof in with_sums if bound.parts else (_closed, by_mean_values):
        try:
            return proof(bound, ranges)
        except UndecidedError as error:
            why.append(str(error))
    raise UndecidedError("; ".join(why))


def _closed(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    if not always_nonnegative(bound.G, bound.T, bound.first, ranges):
        raise UndecidedError("the coefficients of the closed form have unlike signs")
    return Proved("closed form", CLOSED)


def _divided(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    """The bound divided by a positive factor that holds all of its parameters."""
    sides = (bound.G, *(part.factor * part.g for part in bound.parts))
    shared = {sp.factor(side).as_independent(*ranges, as_Add=False)[1] for side in sides if side != 0}
    factor = shared.pop()
    parts = tuple(replace(part, g=sp.factor(part.g / factor)) for part in bound.parts)
    other = replace(bound, parts=parts, G=sp.factor(bound.G / factor), moved=sp.S.Zero)
    constant = not shared and factor.free_symbols <= ranges.keys()
    if not constant or Signs(ranges).of(factor) != 1 or any(map(other.has, ranges)):
        raise UndecidedError("the parameters are no positive factor of both sides")
    found = decide_every_horizon(other)
    if not isinstance(found, Proved):
        raise UndecidedError(f"divided by {factor}: {found}")
    return Proved(found.method, f"divided by {factor}; {found.detail}")


def _simplified(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    why = "no factor can be replaced by its largest value"
    for other in simpler(bound, ranges):
        left = {v: ends for v, ends in ranges.items() if other.has(v)}
        try:
            found = _proved(other, left) if left else decide_every_horizon(other)
        except UndecidedError as error:
            found = Open(str(error))
        if isinstance(found, Proved):
            return Proved(found.method, f"some factors at their largest value; {found.detail}")
        why = "some factors at their largest value are too large"
    raise UndecidedError(why)


def _round_values(ranges: Mapping[sp.Symbol, Range]) -> list[dict[sp.Symbol, sp.Rational]]:
    """Round values inside every range that their symbols admit, the plainest first."""
    beyond = ["1", "1/2", "2", "3/2", "4", "9", "1/10", "99", "1/100"]
    inside = ["1/2", "1/4", "3/4", "1/10", "9/10", "1/100", "99/100"]
    shares = [beyond if high is sp.oo else inside for _, high in ranges.values()]
    shares = shares if len(shares) == 1 else [share[:3] for share in shares]
    points = [_at(ranges, list(map(sp.Rational, point))) for point in product(*shares)]
    return [point for point in points if all(fits(symbol, value) for symbol, value in point.items())]


def _at(ranges: Mapping[sp.Symbol, Range], shares: list[sp.Rational]) -> dict[sp.Symbol, sp.Rational]:
    values: dict[sp.Symbol, sp.Rational] = {}
    for (symbol, (low, high)), share in zip(ranges.items(), shares, strict=True):
        low, high = low.subs(values), high.subs(values)
        values[symbol] = low + share * (high - low if high < sp.oo else 1)
    return values
