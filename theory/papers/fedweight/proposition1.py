"""Proposition 1: a model trained on the validation data alone, which the paper states without a proof.

With A4 for ``eps <= 1`` it is true, but not by Lemma 2, whose ``C_0`` there is not: the deviation of
``l(theta; z) - l(theta*; z)`` is bounded once, without a union bound, and the class is paid for once.
"""

import sympy as sp

from rateproof.theory.assumptions import BoundedDifferences, Symmetrised
from rateproof.theory.claim import Claim, Kind
from rateproof.theory.papers.fedweight import lemma2
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.lemma2 import l_max, rad
from rateproof.theory.papers.fedweight.notation import C_0, C_H, A, delta, dev_0, excess_valid, nu
from rateproof.theory.papers.fedweight.notation import n_valid as n
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    Proof,
    cite,
    dudley,
    have,
    logarithm,
    mcdiarmid,
    qed,
    supposed,
    symmetrisation,
    unfold,
)
from rateproof.theory.shorthand import amended, claims_in, ge, le, premise

_PLACE = "Proposition 1"
L_hat, L_star, Lhat_hat, Lhat_star = p.measured(
    p.LOSS,
    L0_hat="L_0(theta^_valid)",
    L0_star="L_0(theta*)",
    Lhat_hat="L^_0(theta^_valid)",
    Lhat_star="L^_0(theta*)",
)
best = p.formula("Z_best", "sup_theta [(L_0 - L^_0)(theta) - (L_0 - L^_0)(theta*)]", p.LOSS, nonnegative=True)
(mean_best,) = p.measured(p.LOSS, mean_best="E sup_theta [(L_0 - L^_0)(theta) - (L_0 - L^_0)(theta*)]")

TRAINED = p.H_("theta^_valid", "theta^_valid minimises L^_0 (41)", le(Lhat_hat, Lhat_star))
EXCESS = p.H_("excess of local", "what is bounded is L_0(theta^_valid) - L_0(theta*)", le(excess_valid, L_hat - L_star))
NEAR = (
    p.H_("deviation there", "L_0 - L^_0 at theta^_valid is at most its supremum", le(L_hat - Lhat_hat, dev_0)),
    p.H_("deviation at theta*", "L^_0 - L_0 at theta* is at most the supremum", le(Lhat_star - L_star, dev_0)),
)
PROP1_A = p.claim(
    "prop1.a",
    _PLACE,
    Kind.INEQUALITY,
    "L_0(theta^_valid) - L_0(theta*) <= 2 sup_theta |L_0 - L^_0|",
    le(excess_valid, 2 * dev_0),
    title="Training on the validation data",
    hypotheses=(TRAINED, EXCESS, *NEAR),
    proof=Proof(qed(by=[supposed(h.key) for h in (TRAINED, EXCESS, *NEAR)])),
)
PROP1 = p.claim(
    "prop1",
    _PLACE,
    Kind.BOUND,
    "L_0(theta^_valid) - L_0(theta*) <= 2 C_0 ((nu_H + log(1/delta))/n_valid)^(1/2) with probability at least 1 - "
    "delta, C_0 a universal constant",
    ge(Pr(le(excess_valid, 2 * C_0 * sp.sqrt(A))), 1 - delta),
    title="Local training",
    hypotheses=(*p.A1, p.A4, p.DELTA),
    where={A: p.DEFINED[A]},
    setting=lemma2.FREE,
    switches=(lemma2.A4_SWITCH,),
    follows_from=("lem2", "prop1.a"),
)
PROP1_B = p.claim(
    "prop1.b",
    _PLACE,
    Kind.BOUND,
    "Proposition 1 follows from Lemma 2, with its C_0",
    PROP1.statement,
    title="Local training by Lemma 2",
    hypotheses=(p.DELTA, premise(lemma2.LEMMA2), premise(PROP1_A)),
    where={A: p.DEFINED[A]},
    setting=lemma2.FREE,
    proof=Proof(
        logarithm("log", 1 / delta, below=True),
        have("A", ge(A, 0), by=["log", unfold(A)]),
        qed(by=["A", supposed("lem2"), supposed("prop1.a")]),
    ),
    follows_from=("lem2", "prop1.a"),
)
SAMPLE = p.H_(
    "sample of differences",
    "the validation data are n independent draws; one of them alone changes sup_theta [(L_0 - L^_0)(theta) - (L_0 - "
    "L^_0)(theta*)] by at most 2 l_max/n",
    None,
    BoundedDifferences("Z", best, mean_best, 4 * l_max**2 / n),
    Symmetrised("Z", mean_best, rad),
)
LARGEST = p.H_(
    "sup of differences",
    "theta^_valid minimises L^_0, so that its excess risk is at most the supremum",
    le(excess_valid, best),
)
_class = 12 * l_max * sp.sqrt(nu * (sp.log(4 * C_H) + 1) / n)
_level = l_max * sp.sqrt(2 * sp.log(1 / delta) / n)
PROP1_CORRECTED = amended(
    PROP1,
    (
        "A4 for all eps > 0 holds for no class of losses; it is used for eps <= 1",
        "the supremum of (L_0 - L^_0)(theta) - (L_0 - L^_0)(theta*) needs no union bound, and no factor 2 of the class",
    ),
    text="L_0(theta^_valid) - L_0(theta*) <= 12 (nu_H (log(4 C_H) + 1)/n_valid)^(1/2) + (2 log(1/delta)/n_valid)^(1/2) "
    "with probability at least 1 - delta",
    statement=ge(Pr(le(excess_valid, _class + _level)), 1 - delta),
    hypotheses=(p.RANGE, lemma2.COVERED, p.DELTA, SAMPLE, LARGEST),
    where={},
    proof=Proof(
        logarithm("log", 1 / delta, below=True),
        logarithm("log C", C_H, below=True),
        have("mean", le(mean_best, _class), by=[symmetrisation("Z"), dudley("H"), "log C"]),
        qed(by=[mcdiarmid("Z", _level), "mean", "log", "log C", dudley("H"), supposed("sup of differences")]),
    ),
    follows_from=(),
)

_both = nu + sp.log(1 / delta)
_printed = (12 * sp.sqrt((sp.log(4 * C_H) + 1) * _both) + sp.sqrt(2) * sp.sqrt(_both)) / sp.sqrt(n)
PROP1_UNIVERSAL = amended(
    PROP1,
    "A4 for all eps > 0 holds for no class of losses; it is used for eps <= 1",
    part="universal",
    text="as printed for 2 C_0 = 12 (log(4 C_H) + 1)^(1/2) + 2^(1/2), which is not the C_0 of Lemma 2",
    statement=ge(Pr(le(excess_valid, l_max * _printed)), 1 - delta),
    hypotheses=PROP1_CORRECTED.hypotheses,
    where={},
    proof=Proof(
        logarithm("log C", C_H, below=True),
        *lemma2.roots_of_both(
            12 * l_max * sp.sqrt(sp.log(4 * C_H) + 1), "log C", dudley("H"), odds=1 / delta, share=sp.Integer(2)
        ),
        qed(by=[cite("fedweight.prop1.corrected"), "class", "level", "log", "log C", dudley("H")]),
    ),
    follows_from=("prop1.corrected",),
)

CLAIMS: tuple[Claim, ...] = claims_in(globals())
