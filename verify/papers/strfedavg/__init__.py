"""How each claim about StR-FedAvg is checked."""

from rateproof.theory.claim import Claim
from rateproof.theory.papers.strfedavg import CLAIMS
from rateproof.verify.checks import Check
from rateproof.verify.papers.strfedavg import corrected, lemma1, method_bounds, nonconvex, points, rates, steps
from rateproof.verify.papers.strfedavg.spaces import SPACES as SPACES
from rateproof.verify.papers.strfedavg.tight import SHARP as SHARP


def _check_of(claim: Claim) -> Check | None:
    if claim.printed_item in nonconvex.CHECKS:
        return nonconvex.CHECKS[claim.printed_item]
    item = claim.item
    if claim.amends and item not in steps.CHECKS:
        return corrected.check_of(claim)
    group, _, part = item.partition(".")
    match group:
        case "prop2" | "prop5":
            return points.check_cloud
        case "lem5" | "lem6" | "prop1" | "prop3":
            return method_bounds.check_strongly_convex
        case "lem7" | "prop4" | "prop6":
            return method_bounds.check_convex
        case "thm1" | "thm2" if part != "Rcond":
            return rates.check_explicit if part.endswith("x") else corrected.check_printed_complexity
        case "tab1":
            return corrected.check_printed_complexity
    if item in ("lem2", "step.8.constant", "step.9.dissimilarity", "step.9.curvature"):
        return points.check_at_points
    return steps.CHECKS.get(item)


CHECKS: dict[str, Check] = {claim.id: check for claim in CLAIMS if (check := _check_of(claim)) is not None}

#: One record for each claim that is in that form; the others follow.
RECORDS = (lemma1.PRINTED, lemma1.CORRECTED)
