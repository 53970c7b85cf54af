"""Proposition 1: a model trained on the validation data alone, which the paper states without a proof.

With A4 for ``eps <= 1`` it is true, but not by Lemma 2, whose ``C_0`` there is not: the deviation of
``l(theta; z) - l(theta*; z)`` is bounded once, without a union bound, and the class is paid for once.
"""

from functools import partial

import sympy as sp

from rateproof.theory.assumptions import BoundedDifferences, Symmetrised
from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.papers.fedweight import lemma2
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.lemma2 import l_max, rad
from rateproof.theory.papers.fedweight.notation import C_0, C_H, A, delta, dev_0, excess_valid, nu
from rateproof.theory.papers.fedweight.notation import n_valid as n
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    Ground,
    Proof,
    Step,
    cite,
    dudley,
    have,
    logarithm,
    mcdiarmid,
    qed,
    raised,
    supposed,
    symmetrisation,
    unfold,
)
from rateproof.theory.shorthand import amended, claims_in, ge, le, premise

_PLACE = "Proposition 1"
_stated = partial(p.stated, _PLACE)
L_hat, L_star, Lhat_hat, Lhat_star = p.measured(
    p.LOSS, L0_hat="L_0(theta^_valid)", L0_star="L_0(theta*)", Lhat_hat="L^_0(theta^_valid)", Lhat_star="L^_0(theta*)"
)
best = p.formula("Z_best", "sup_theta [(L_0 - L^_0)(theta) - (L_0 - L^_0)(theta*)]", p.LOSS, nonnegative=True)
(mean_best,) = p.measured(p.LOSS, mean_best="E sup_theta [(L_0 - L^_0)(theta) - (L_0 - L^_0)(theta*)]")

TRAINED = p.H_("theta^_valid", "theta^_valid minimises L^_0 (41)", le(Lhat_hat, Lhat_star))
EXCESS = p.H_("excess of local", "what is bounded is L_0(theta^_valid) - L_0(theta*)", le(excess_valid, L_hat - L_star))
NEAR = (
    p.H_("deviation there", "L_0 - L^_0 at theta^_valid is at most its supremum", le(L_hat - Lhat_hat, dev_0)),
    p.H_("deviation at theta*", "L^_0 - L_0 at theta* is at most the supremum", le(Lhat_star - L_star, dev_0)),
)
PROP1_A = _stated(
    "prop1.a",
    "L_0(theta^_valid) - L_0(theta*) <= 2 sup_theta |L_0 - L^_0|",
    le(excess_valid, 2 * dev_0),
    title="Training on the validation data",
    hypotheses=(TRAINED, EXCESS, *NEAR),
    proof=Proof(qed(by=[supposed(h.key) for h in (TRAINED, EXCESS, *NEAR)])),
)
LARGEST = p.H_(
    "sup of differences",
    "theta^_valid minimises L^_0, so that its excess risk is at most the supremum",
    le(excess_valid, best),
)


def largest_difference(
    key: str, text: str, draws: sp.Expr, values: tuple[sp.Symbol, sp.Symbol], average: sp.Symbol
) -> tuple[Hypothesis, sp.Expr, tuple[Step, ...], list[Ground]]:
    """What the supremum of differences from theta* is at most with high probability, for so many draws.

    Returns:
        What is supposed of the draws, the bound, steps, and what it follows from.
    """
    value, mean = values
    of_class, level = 12 * l_max * sp.sqrt(nu * (sp.log(4 * C_H) + 1) / draws), l_max * sp.sqrt(2 * LOG / draws)
    said = BoundedDifferences("Z", value, mean, 4 * l_max**2 / draws), Symmetrised("Z", mean, average)
    steps = (*LOGS, have("mean", le(mean, of_class), by=[symmetrisation("Z"), dudley("H"), "log C"]))
    grounds: list[Ground] = [mcdiarmid("Z", level), "mean", "log", "log C", dudley("H")]
    return p.H_(key, text, None, *said), of_class + level, steps, grounds


def under_one_root(draws: sp.Expr, both: sp.Expr, constant: Hypothesis, *by: Ground) -> tuple[Step, ...]:
    """Both terms of such a bound against the root of ``both``, which is ``(nu_H + log(1/delta))/draws``."""
    signs: list[Ground] = ["log", "log C", dudley("H")]
    squares = {"class": 144 * l_max**2 * (sp.log(4 * C_H) + 1) * nu, "level": 2 * l_max**2 * LOG}
    bounds = {"class": 144 * l_max**2 * (sp.log(4 * C_H) + 1) * both, "level": 2 * l_max**2 * both}
    assert constant.relation is not None
    large, least = constant.relation.args
    return (
        *LOGS,
        have("both", ge(both, 0), by=["log", *by]),
        *(have(f"{name}^2", le(squares[name] / draws, bounds[name]), by=[*signs, *by]) for name in squares),
        *(raised(name, f"{name}^2", to=sp.S.Half, by=signs) for name in squares),
        have("constant", ge(large * sp.sqrt(both), least * sp.sqrt(both)), by=["both", *signs, supposed(constant.key)]),
        have(
            "one root",
            le(sum(sp.sqrt(square / draws) for square in squares.values()), large * sp.sqrt(both)),
            by=["class", "level", "constant", "both", *signs],
        ),
    )


LOG = sp.log(1 / delta)
LOGS = (logarithm("log", 1 / delta, below=True), logarithm("log C", C_H, below=True))
#: What twice a universal constant is at least.
UNIVERSAL = l_max * (12 * sp.sqrt(sp.log(4 * C_H) + 1) + sp.sqrt(2))
SAMPLE, _bound, _steps, _grounds = largest_difference(
    "sample of differences",
    "the validation data are n independent draws; one of them alone changes sup_theta [(L_0 - L^_0)(theta) - (L_0 - "
    "L^_0)(theta*)] by at most 2 l_max/n",
    n,
    (best, mean_best),
    rad,
)
LARGE = p.H_(
    "universal 2 C_0",
    "C_0 is a universal constant that is large enough: 2 C_0 is at least 12 (log(4 C_H) + 1)^(1/2) + 2^(1/2)",
    ge(2 * C_0, UNIVERSAL),
)
PROP1 = _stated(
    "prop1",
    "L_0(theta^_valid) - L_0(theta*) <= 2 C_0 ((nu_H + log(1/delta))/n_valid)^(1/2) with probability at least 1 - "
    "delta, C_0 a universal constant",
    ge(Pr(le(excess_valid, 2 * C_0 * sp.sqrt(A))), 1 - delta),
    title="Local training",
    hypotheses=(*p.A1, p.A4, p.DELTA, LARGE),
    where={A: p.DEFINED[A]},
    setting=lemma2.FREE,
    switches=(lemma2.a4_switch(lemma2.COVERED, SAMPLE, LARGEST),),
    follows_from=("lem2", "prop1.a"),
)
PROP1_B = _stated(
    "prop1.b",
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
)
_A4 = "A4 for all eps > 0 holds for no class of losses; it is used for eps <= 1"
PROP1_CORRECTED = amended(
    PROP1,
    (
        _A4,
        "the supremum of (L_0 - L^_0)(theta) - (L_0 - L^_0)(theta*) needs no union bound, and no factor 2 of the class",
    ),
    text="L_0(theta^_valid) - L_0(theta*) <= 12 (nu_H (log(4 C_H) + 1)/n_valid)^(1/2) + (2 log(1/delta)/n_valid)^(1/2) "
    "with probability at least 1 - delta",
    statement=ge(Pr(le(excess_valid, _bound)), 1 - delta),
    hypotheses=(p.RANGE, lemma2.COVERED, p.DELTA, SAMPLE, LARGEST),
    where={},
    proof=Proof(*_steps, qed(by=[*_grounds, supposed(LARGEST.key)])),
    follows_from=(),
)
PROP1_UNIVERSAL = amended(
    PROP1,
    _A4,
    part="universal",
    text="As printed, for A4 with eps <= 1; the constant need not be that of Lemma 2",
    hypotheses=(*PROP1_CORRECTED.hypotheses, LARGE),
    proof=Proof(
        *under_one_root(n, A, LARGE, unfold(A)),
        qed(by=[cite("fedweight.prop1.corrected"), "one root", "both", "log", "log C", dudley("H")]),
    ),
    follows_from=("prop1.corrected",),
)

CLAIMS: tuple[Claim, ...] = claims_in(globals())
