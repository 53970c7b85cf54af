"""The proofs of strfedavg: certificates of the claims as they stand, and of no copy that says more or assumes less."""

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.proof import Refused, check
from rateproof.theory.proof.copies import copies
from rateproof.verify.deciders.kernel import _hints, _proved, prove
from rateproof.verify.evidence import Finding, Level
from rateproof.verify.planted.mutate import terms

PROVED = {i: c for i, c in catalog.claims("strfedavg").items() if c.proof is not None}


# ``rateproof check`` goes through all of them
@pytest.mark.sweep(2)
@pytest.mark.parametrize("claim_id", PROVED)
def test_a_certificate(claim_id):
    found = prove(PROVED[claim_id])
    assert (found.finding, found.level) == (Finding.PROOF, Level.CERTIFICATE), found.detail


# Of curvature the lower level needs only that f is differentiable; the bracket of M and Err needs neither that nor
# sharpness. Strong convexity contains convexity, K is a count, order 1 is said by sharpness up to an offset too, the
# infimum of h is a minimum where those of the clients are, and no gap at all is as true as half of one.
_EMPTY = {"without X_h_nonempty", "without f_bounded_below"}
_STRONG = {"without mu_f>0", "without f_strongly_convex", "f_strongly_convex with another mu"}
_CURVATURE = {"f_smooth with another L", "without h_smooth", "h_smooth with another L"}
_ITEM = {"without f_convex", "without mu_f>0", *_CURVATURE}
#: What divides by mu_f needs its sign.
_DIVIDED = _ITEM - {"without mu_f>0"}
_BELOW = {"without f_bounded_below"}
_NO_GAP = {"half of gap_h", "no gap_h"}
_LEVELS = {*_ITEM, *_NO_GAP, *_STRONG, "without f_smooth", "without h_convex"}
_SHARP = {"without kappa>1", "without weak_sharp", "weak_sharp with another alpha", "weak_sharp with another kappa"}
# The bound has twice the term in M that Propositions 2 and 5 give; the ranges of p and b are those of the printed
# schedules, and none but b > 0 and a + b <= 1 is used; calls do not depend on the loss of the outer loop.
# That f is bounded below is what its clients say, who attain their minima.
_COUNT = {"without K>=1", "without f_bounded_below"}
_INNER = {*_COUNT, "half of gap_h_n", "no gap_h_n"}
_BRACKET = {*_INNER, "half of 2*M*eta"}
_RANGES = {*_COUNT, "without 0<b<1", "without 0<b<a", "without p>=1"}
_OUTER = {"without outer_smooth", "outer_smooth with another L"}
_OUTER_LOOP = {*_COUNT, *_OUTER, "without f_nonconvex", "without F_bounded_below"}
COMPOSED = {
    **{f"prop3.{item}": _COUNT for item in ("i-2", "i-3", "ii-2", "ii-3", "iii-2", "iii-3")},
    **{f"prop6.{item}": _COUNT for item in ("i-2", "ii-2", "iii-2")},
    **{f"prop{n}.{item}": _BRACKET for n in (3, 6) for item in ("i-1", "ii-1")},
    **{f"prop{n}.iii-1": _INNER for n in (3, 6)},
    **{f"thm1.{item}": _RANGES for item in ("i-1x", "i-2x")},
    # powers of R are positive
    **{f"thm2.{item}": {*_COUNT, "without 0<b<a<=1", "without eta,gamma_l>0"} for item in ("i-1x", "i-2x")},
    "prop7.i": {*_COUNT, "without 0<b<a", "without p>=1", "weak_sharp with another offset"},
    "prop7.ii": {*_COUNT, "without p>=1"},
    "thm3.i-2": {*_OUTER_LOOP, "weak_sharp with another offset"},
    "thm3.ii-2": _OUTER_LOOP,
}
# Of the steps: what is algebra, and what is true of any vectors, does without most of the losses.
_H_SMOOTH = {"without h_smooth", "h_smooth with another L"}
_LOSSES = {*_H_SMOOTH, "without f_convex", "without f_smooth", "f_smooth with another L", "without h_convex"}
_ANY = {*_LOSSES, *_EMPTY, "without clients_attain_minimum"}
_F_ALONE = {*_H_SMOOTH, *_EMPTY, "without h_convex"}
STEPS = {
    "step.3": set(),
    "step.4.factor.corrected": set(),
    "step.5.average": set(),
    "step.6": {*_LOSSES, "without f_eta=h+eta f"},
    "step.7.variational": {
        *(*_H_SMOOTH, *_BELOW, "without f_convex", "f_smooth with another L", "half of vi_inner", "no vi_inner")
    },
    "step.7.cauchy_schwarz": {*_LOSSES, *_EMPTY, "half of cs_inner", "no cs_inner"},
    "step.8.smoothness": _F_ALONE,
    "step.8.average": _F_ALONE,
    "step.8.constant.corrected": {*_ANY, "the other direction"},
    "step.9.young": _ANY,
    "step.9.optimum": _ANY,
    "step.9.dissimilarity.corrected": _ANY,
    "step.9.curvature.corrected": {*_ANY, "without h>=h*"},
}
TRUE_COPIES = {
    **STEPS,
    **{f"{item}.corrected": true for item, true in COMPOSED.items()},
    "lem1.corrected": _EMPTY,
    "lem2.corrected": _EMPTY,
    "lem3.corrected": {"projection with another mu"},
    "lem4": {*_EMPTY, "without f_convex", "without mu_f>0"},
    "lem5.corrected": _COUNT,
    "lem6.corrected": _STRONG | _COUNT,
    "lem7.corrected": _COUNT,
    "prop1.corrected": {"without K>=1"},
    "prop4.corrected": {"without K>=1"},
    "prop2.i-1": _LEVELS | _BELOW,
    "prop2.i-2": _ITEM | _BELOW,
    "prop2.i-3": _DIVIDED | _BELOW,
    "prop2.ii-1": _LEVELS | _SHARP | _BELOW,
    "prop2.ii-2": _ITEM | _BELOW,
    "prop2.ii-3": _DIVIDED | _BELOW,
    "prop2.iii-1.corrected": {*_ITEM, *_BELOW, *_NO_GAP, "without kappa=1"},
    "prop2.iii-2.corrected": {*_ITEM, *_BELOW, "without kappa=1"},
    "prop2.iii-3.corrected": {*_DIVIDED, *_BELOW, "without kappa=1"},
    "prop2.iii-1.nonsmooth.corrected": {*_ITEM, *_BELOW, *_NO_GAP},
    "prop2.iii-2.nonsmooth.corrected": {*_ITEM, *_BELOW},
    "prop2.iii-3.nonsmooth.corrected": _DIVIDED | _BELOW,
    "prop5.i-1": _LEVELS - _STRONG,
    "prop5.i-2": _CURVATURE,
    "prop5.ii-1": (_LEVELS | _SHARP) - _STRONG,
    "prop5.ii-2": _CURVATURE,
    "prop5.iii-1.corrected": {*_CURVATURE, *_NO_GAP, "without kappa=1"},
    "prop5.iii-2.corrected": {*_CURVATURE, "without kappa=1"},
    "prop5.iii-1.nonsmooth.corrected": {*_CURVATURE, *_NO_GAP},
    # its lower bound is at most 0 and at most gap_f, so at most half of it
    "prop5.iii-2.nonsmooth.corrected": {*_CURVATURE, "half of gap_f", "no gap_f"},
}
CASES = [
    pytest.param(name in true, copy, id=f"{item}: {name}")
    for item, true in TRUE_COPIES.items()
    for name, copy in copies(PROVED[f"strfedavg.{item}"])
]


@pytest.mark.sweep(12)
@pytest.mark.parametrize(("true", "copy"), CASES)
def test_copies_that_say_more_or_assume_less(true, copy):
    try:
        check(copy, copy.proof, _proved, _hints("strfedavg"))  # what is as in the claim needs no search
    except Refused as refusal:
        assert not true, refusal
    else:
        assert true


#: Terms under a root that only the start and M are needed for, beside one whose copy no proof may show.
UNNEEDED = {
    "prop3.ii-3.corrected": ("A1*gamma_t/alpha", "A2*gamma_t**2/alpha", "18*G2*L/gamma_g**2 of A2"),
    "prop7.i.corrected": ("A1n/(R**a*alpha)", "A2n/(R**(2*a)*alpha)", "G_ncvx2*(4 - 4*S/N)/S of A1n"),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("item", "term"),
    [
        pytest.param(item, term, id=f"{item}: {term.name}")
        for item in UNNEEDED
        for term in terms(PROVED[f"strfedavg.{item}"])
    ],
)
def test_the_error_constants_are_not_needed_under_the_root(item, term):
    found = prove(term.scaled(sp.S.Zero)).finding
    assert (found is Finding.PROOF) == (term.name in UNNEEDED[item] or ("of A" in term.name and "(2)" not in term.name))
