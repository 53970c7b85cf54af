"""Why the rules hold that an exported claim takes as hypotheses: a theorem shown in Rocq, or what they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: What shows them, in the order in which one rests on another.
LIBRARY = tuple(Path(__file__).with_name(name) for name in ("Functions.v", "Means.v", "Chances.v"))


@dataclass(frozen=True)
class Reason:
    """Why a rule holds.

    Attributes:
        why: in a sentence.
        theorems: of ``LIBRARY`` that show it; none where the rule says what its assumption says.
        trusted: whether it is neither an assumption's own words nor shown there, but taken from its source.
    """

    why: str
    theorems: tuple[str, ...] = ()
    trusted: bool = False


def _shown(why: str, *theorems: str) -> Reason:
    return Reason(why, theorems)


def _said(why: str) -> Reason:
    return Reason(why)


def _from(source: str) -> Reason:
    return Reason(source, trusted=True)


#: Every rule of a proof, with why it holds.
REASONS = {
    "unfold": _said("a defined symbol is what its definition says"),
    "sequences": _said("a metric of sequences is what its definition says"),
    "convex": _shown("Jensen's inequality along a segment, and what a gradient is", "first_order", "convex_sum"),
    "smooth": _shown("the descent lemma: from a Lipschitz gradient, along a segment", "descent_lemma", "smooth_sum"),
    "smooth_convex": _shown("convexity and the quadratic upper bound", "smooth_convex"),
    "curvature": _shown("both quadratic bounds at two points that are not the same", "curvature"),
    "cocoercive": _shown("smooth_convex both ways", "cocoercive"),
    "strongly_convex_smooth": _shown("cocoercive, less a multiple of the square", "strongly_convex_smooth"),
    "infimum": _shown("a lower bound of each term is one of their mean", "mean_le"),
    "values": _said("a combination of functions is what it is made of"),
    "optimal": _shown("no way into a convex set goes down from a minimum over it", "optimal"),
    "stationary": _shown("no way at all goes down from a minimum over the whole space", "stationary"),
    "sharp": _shown("the assumption at every point, and Jensen's inequality for a power", "sharp"),
    "cauchy_schwarz": _shown("Cauchy-Schwarz at every outcome, in the mean", "cauchy_schwarz_mean"),
    "least": _said("a minimum is at most each term"),
    "largest": _said("a maximum is at least each term"),
    "affine": _shown("a linear map takes means to means", "affine"),
    "lipschitz": _shown("the assumption, or of a gradient: both quadratic bounds", "smooth_lipschitz"),
    "bounded": _said("the assumption at a point"),
    "dissimilar": _said("the assumption at a point"),
    "everywhere": _said("the assumption at a point, in the mean: it is linear"),
    "monotone": _said("the assumption at two points"),
    "projection": _shown("no point of a convex set is nearer than the nearest", "projection"),
    "unprojected": _said("a point of the set is nearest to itself"),
    "mean": _shown("the inner product of a mean is the mean of inner products", "mean_dot"),
    "written_out": _said("a vector is the combination that the setting says"),
    "fresh": _shown("mean zero given the rest, in the space of both", "fresh"),
    "variance": _shown("the square of a sum of orthogonal vectors", "variance", "weighted_variance"),
    "sampling": _shown(
        "how many samples have one given value, and two",
        "sampling",
        "sampling_bounds",
        "sampling_square",
        "weighted_sampling",
        "weighted_sampling_square",
    ),
    "mcdiarmid": _shown(
        "hoeffding for one draw after the other, and Markov's inequality; of sums, exp is convex",
        "mcdiarmid",
        "mcdiarmid_sum",
        "draws_concentrate",
    ),
    "symmetrisation": _shown("a second draw of each, and which of the two is which", "symmetrisation"),
    "hoeffding": _shown("a chord of the exponential, and a second derivative of at most 1/4", "hoeffding"),
    "dudley": _from("Boucheron, Lugosi and Massart 2013, Corollary 13.2"),
}


def theorems() -> set[str]:
    """The names of what ``LIBRARY`` shows."""
    shown = (re.findall(r"^Lemma (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE) for file in LIBRARY)
    return {name for names in shown for name in names}
