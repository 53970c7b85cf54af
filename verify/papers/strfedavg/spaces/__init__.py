"""Spaces of instances for the claims about StR-FedAvg, by claim id.

A claim whose symbols are plain numbers needs none here: any numbers are its instances.
"""

from __future__ import annotations

from typing import Any

from rateproof.theory.claim import Claim, Kind, Reading
from rateproof.theory.papers.strfedavg import CLAIMS
from rateproof.theory.papers.strfedavg.mended import SHARP_UP_TO
from rateproof.theory.papers.strfedavg.schedules import S_SC, S_SC_1
from rateproof.verify.papers.strfedavg.instances import PRINTED_CAPS
from rateproof.verify.papers.strfedavg.spaces import at_points, ladders, two_loops
from rateproof.verify.papers.strfedavg.spaces.method import method_space, schedule_space
from rateproof.verify.spaces.space import Space
from rateproof.verify.spaces.symbolic import symbolic_space

Spaces = tuple[Space[Any], ...]


def _spaces(claim: Claim) -> Spaces:
    item = claim.printed_item
    mended = claim.reading is Reading.CORRECTED
    keys = {h.key for h in claim.hypotheses}
    group, _, part = item.partition(".")
    convex = not any(key in keys for key in ("f_strongly_convex", "mu_f>0"))
    if claim.kind is Kind.COMPLEXITY:
        if group == "rem4":
            return (ladders.REMARK_4,)
        return (ladders.outer_space(claim),) if item.startswith("tab1.ip") else (ladders.rise_space(claim),)
    match group:
        case "lem5" | "lem6" | "lem7" | "prop1" | "prop3" | "prop4" | "prop6":
            if SHARP_UP_TO.key in keys:
                return (at_points.sharp_space(convex=convex),)
            caps = PRINTED_CAPS if not mended else ("SC27h",) if "SC27h" in keys else ("SC16h",)
            return (method_space(convex=convex, caps=caps),)
        case "thm1" | "thm2":
            return (schedule_space(claim.schedule.id if claim.schedule else S_SC.id),)
        case "prop2" | "prop5":
            if SHARP_UP_TO.key in keys:
                return (at_points.ended_space(convex=convex),)
            return (at_points.CLOUD,)
        case "lem2":
            return (at_points.POINT,)
        case "lem3":
            return (at_points.PROJECTION_POINT,)
        case "lem4":
            return (at_points.THREE,)
        case "prop7":
            schedule = S_SC_1.id if part == "ii" else S_SC.id
            return (two_loops.call_space(schedule, up_to=SHARP_UP_TO.key in keys),)
        case "thm3":
            constant = part.startswith("ii")
            if part.endswith("-1"):
                return (two_loops.line_space(mended=mended, constant=constant),)
            schedule = S_SC_1.id if constant else S_SC.id
            return (two_loops.call_space(schedule, up_to=SHARP_UP_TO.key in keys),)
        case "rem3":
            return (two_loops.MODULI,)
        case "id":
            kind = part.partition(".")[0]
            return {"Flam": (two_loops.INDICATOR,), "huber": (two_loops.ENVELOPES,), "lsp": (two_loops.ENVELOPES,)}.get(
                kind, (at_points.CLOUD,) if kind == "ws-dist" else ()
            )
        case "step":
            return _step(claim, part, mended)
    return ()


def _step(claim: Claim, part: str, mended: bool) -> Spaces:
    number, _, detail = part.partition(".")
    match number:
        case "3":
            return (method_space(convex=False, caps=("both",)),)
        case "4":
            return (two_loops.RECURSION, *_implied(claim, "step.4.factor"))
        case "5":
            return (two_loops.TELESCOPED, *_implied(claim, "step.5", "step.5.average"))
        case "6" | "7":
            return (at_points.CLOUD,)
        case "8" | "9":
            return (at_points.POINT,)
        case "10":
            if detail in ("", "condition"):
                return ()
            if detail == "update":
                return (two_loops.rewriting_space(mended=mended),)
            return (two_loops.DESCENT,)
        case "11":
            return (two_loops.SUMS,)
        case "14":
            return (two_loops.UNITS[Reading.CORRECTED if mended else Reading.STATED],)
        case "15":
            if detail == "start":
                return (two_loops.call_space(S_SC.id),)
            numbers = _implied(claim, "step.15.i-display", "step.15.ii-display", "step.15.ii-schedule")
            return (two_loops.premise_space(claim), *numbers) if detail else ()
    return ()


def _implied(claim: Claim, *items: str) -> Spaces:
    """Numbers, where the claim is one of these inferences from displayed relations."""
    mine = claim.printed_item in items
    return (symbolic_space(claim, metrics=True),) if mine else ()


SPACES: dict[str, Spaces] = {claim.id: spaces for claim in CLAIMS if (spaces := _spaces(claim))}
