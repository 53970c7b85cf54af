"""Rescaled copies of instances: a claim that adds unlike units is tried far from the scale it was written at."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from rateproof.theory.claim import Claim
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.probability import of_each
from rateproof.theory.symbols import units
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.trial import Trial, evaluate

#: Factors ``(s_h, s_f, s_x)`` of the inner loss, the outer loss and space.
Scale = tuple[float, float, float]
FACTORS = (1e-6, 1e-3, 1e3, 1e6)
_KINDS = ((1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
#: What balls and floats may lose of a ratio is less.
BEYOND = 1.01


def scales(claim: Claim) -> tuple[Scale, ...]:
    """Rescalings that the search for a counterexample tries; none when the claim is homogeneous.

    Both losses together, each loss alone, space alone: a homogeneous claim says the same about all of these copies,
    an inhomogeneous one does not.
    """
    return tuple((s**h, s**f, s**x) for s, (h, f, x) in product(FACTORS, _KINDS)) if inhomogeneities(claim) else ()


def suspected(claim: Claim, trials: Iterable[Trial]) -> Evidence | None:
    """What a claim that adds unlike units would say of rescaled copies of instances on which it holds.

    It is a suspicion and no violation: nothing was measured on the copies, whose numbers are those of the instances
    times the factors that the units of the symbols give. None where the claim is homogeneous, or holds there as well.
    """
    if not (scaled := scales(claim)):
        return None
    known = units(claim.paper)
    factors = [
        {str(symbol): float(known[symbol].scale(x, f, h)) for symbol in claim.symbols if symbol in known}
        for h, f, x in scaled
    ]
    for trial, (scale, factor) in product(trials, zip(scaled, factors, strict=True)):
        values = {name: of_each(factor.get(name, 1.0).__mul__, value) for name, value in trial.values.items()}
        outcome = evaluate(claim, replace(trial, values=values, numbers=None))
        if outcome.admissible and outcome.worst is not None and BEYOND < outcome.worst.ratio < math.inf:
            left, right = outcome.worst.printed
            place, clash = inhomogeneities(claim)[0]
            why = (
                f"it adds unlike units ({place}: {clash}). With the inner loss, the outer loss and space of "
                f"{trial.label} scaled by {', '.join(f'{s:g}' for s in scale)} the sides of {outcome.worst.relation} "
                f"would be {left:.3g} and {right:.3g}: try instances of such a size"
            )
            return Evidence(Finding.INCONCLUSIVE, Level.FLOAT, "units", why)
    return None
