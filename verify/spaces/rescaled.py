"""Rescaled copies of instances: a claim that adds unlike units is tried far from the scale it was written at."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from rateproof.theory.claim import Claim
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.symbols import units
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.trial import Trial, evaluate

#: Factors ``(s_h, s_f, s_x)`` of the inner loss, the outer loss and space.
Scale = tuple[float, float, float]
FACTORS = (1e-6, 1e-3, 1e3, 1e6)


def scales(claim: Claim) -> tuple[Scale, ...]:
    """Rescalings that the search for a counterexample tries; none when the claim is homogeneous.

    Both losses together, each loss alone, space alone: a homogeneous claim says the same about all of these copies,
    an inhomogeneous one does not.
    """
    return tuple((s**h, s**f, s**x) for s, (h, f, x) in product(FACTORS, _KINDS)) if inhomogeneities(claim) else ()


_KINDS = ((1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))


def suspected(claim: Claim, trials: Iterable[Trial]) -> Evidence | None:
    """What a claim that adds unlike units would say of rescaled copies of instances on which it holds.

    It is a suspicion and no violation: nothing was measured on the copies, whose numbers are those of the instances
    times the factors that the units of the symbols give. None where the claim is homogeneous, or holds there as well.
    """
    if not (unlike := inhomogeneities(claim)):
        return None
    known = units(claim.paper)
    of = {str(symbol): known[symbol] for symbol in claim.symbols if symbol in known}
    for trial, (h, f, x) in product(trials, scales(claim)):
        factors = {name: float(unit.scale(x, f, h)) for name, unit in of.items()}
        values = {name: value * factors.get(name, 1.0) for name, value in trial.values.items()}
        outcome = evaluate(claim, replace(trial, values=values, numbers=None))
        if outcome.admissible and outcome.worst is not None and math.isfinite(outcome.worst.ratio):
            left, right = outcome.worst.printed
            if outcome.worst.ratio > 1.01:
                why = (
                    f"it adds unlike units ({unlike[0][0]}: {unlike[0][1]}). With the inner loss, the outer loss and "
                    f"space of {trial.label} scaled by {h:g}, {f:g} and {x:g} the sides of {outcome.worst.relation} "
                    f"would be {left:.3g} and {right:.3g}: try instances of such a size"
                )
                return Evidence(Finding.INCONCLUSIVE, Level.FLOAT, "units", why)
    return None
