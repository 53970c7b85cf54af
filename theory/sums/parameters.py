"""A bound with parameters: one comparison for all of them, or round values at which it fails."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import sympy as sp

from rateproof.theory.algebra import fits
from rateproof.theory.sums.horizons import decide_every_horizon, scan_end
from rateproof.theory.sums.majorant import majorised
from rateproof.theory.sums.scan import scanned
from rateproof.theory.sums.statement import Bound, Range
from rateproof.theory.sums.verdicts import Decision, Open, Proved, Refuted, UndecidedError, refuted, where


def decide_every_parameter(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Decision:
    """A comparison for all parameters at once, or round values at which the bound fails."""
    try:
        return majorised(bound, ranges)
    except UndecidedError as error:
        why = str(error)
    claims = [(values, bound.at(values)) for values in _round_values(ranges)]
    claims = [(values, claim) for values, claim in claims if not {sp.zoo, sp.nan} & (claim.g.atoms() | claim.G.atoms())]
    best: Refuted | None = None  # the fewest digits, then the plainest parameters
    for values, claim in claims:
        fails = scanned(claim, int(best.at[bound.horizon]) if best else scan_end(claim)).fails
        if fails and (best is None or len(str(fails[0])) < len(str(best.at[bound.horizon]))):
            best = refuted(claim, values, *fails)
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


def _round_values(ranges: Mapping[sp.Symbol, Range]) -> list[dict[sp.Symbol, sp.Rational]]:
    """Round values inside every range that their symbols admit, the plainest first."""
    beyond = ["1", "1/2", "2", "3/2", "4", "9", "1/10", "99", "1/100"]
    inside = ["1/2", "1/4", "3/4", "1/10", "9/10", "1/100", "99/100"]
    axes = [
        [low + (high - low if high < sp.oo else 1) * sp.Rational(x) for x in (inside if high < sp.oo else beyond)]
        for low, high in ranges.values()
    ]
    axes = axes if len(axes) == 1 else [axis[:3] for axis in axes]
    points = [dict(zip(ranges, values, strict=True)) for values in product(*axes)]
    return [point for point in points if all(fits(symbol, value) for symbol, value in point.items())]
