"""How each claim about smoothing and the single level is checked."""

from collections.abc import Callable, Sequence

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.single import CLAIMS
from rateproof.verify.checks import Check
from rateproof.verify.papers.fedrzo.single import (
    feasibility,
    introduction,
    points,
    rates,
    readings,
    remarks,
    runs,
    stationary,
)
from rateproof.verify.papers.fedrzo.single.spaces import SPACES as SPACES
from rateproof.verify.papers.fedrzo.single.tight import SHARP as SHARP
from rateproof.verify.trial import Trial

_EXACT = "exact instances"
_BY_POINTS: dict[tuple[str, ...], tuple[Callable[[], Sequence[Trial]], str]] = {
    ("lem1.i", "lem1.ii", "lem1.iii", "lem1.iv"): (points.smoothing_trials, "kinks in one coordinate of R^1 and R^3"),
    ("moreau-1", "moreau-2", "st.16"): (points.set_trials, "points and intervals of the line"),
    ("st.1.jensen", "st.1.sum", "st.1.three", "st.1.young", "st.2"): (points.vector_trials, "vectors of the plane"),
    ("st.6",): (points.round_trials, "all unit sequences over rounds of 1 to 4 steps"),
    ("intro.bias",): (lambda: tuple(introduction.bias_trials()), "errors of nonzero mean on the line"),
    ("intro.implicit",): (lambda: tuple(introduction.implicit_trials()), "small problems solved both ways"),
    ("st.7",): (lambda: tuple(points.number_trials()), "stepsizes at their caps, and along S-com"),
}
_RUNS = (
    "lem3",
    "lem4.i",
    "lem4.ii",
    "lem4.iii",
    "lem5.i",
    "lem5.ii",
    "lem6.grad",
    "lem8.a",
    "lem8.b",
    "prop1.i",
    "prop1.ii-x",
    "rem.dissim.gradients",
    "rem.dissim.bounded",
    "st.3.split",
    "st.3.equality",
    "st.3.nonexpansive",
    "st.3.sets",
    "st.3.gradients",
    "st.4",
    "st.5.modulus",
    "st.5.descent",
    "st.5.mean",
)


def _check_of(claim: Claim) -> Check | None:
    item = claim.item
    for checks in (rates.CHECKS, feasibility.CHECKS, stationary.CHECKS, remarks.CHECKS, readings.CHECKS):
        if item in checks:
            return checks[item]
    for items, (trials, detail) in _BY_POINTS.items():
        if item in items:
            return runs.tried_and_proved(trials, method=_EXACT, detail=detail)
    if claim.printed_item in _RUNS or item in ("sec2.feas.corrected", "sec2.feas.output.corrected"):
        return runs.check_run
    return None


CHECKS: dict[str, Check] = {claim.id: check for claim in CLAIMS if (check := _check_of(claim)) is not None}
