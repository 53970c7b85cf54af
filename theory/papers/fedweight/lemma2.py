"""Lemma 2: how far the loss of the center is from its mean over the validation data, and each link of its proof.

A4 as printed holds for no class of losses, so that the lemma says nothing. With A4 for ``eps <= 1`` it is false for
classes of one function: ``nu_H -> 0`` and ``delta -> 1`` make the bound as small as one likes. The proof gives
``log(2/delta)``, and with the constants of Dudley's inequality the bound is explicit. ``l_max`` is the largest value of
a loss, which the paper has as 1.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import BoundedDifferences, Covered, ExponentialMoment, Symmetrised
from rateproof.theory.claim import Claim, Hypothesis, Switch
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.notation import C_0, C_H, A, delta, dev_0, nu
from rateproof.theory.papers.fedweight.notation import n_valid as n
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    Ground,
    Proof,
    Setting,
    Step,
    cite,
    dudley,
    have,
    hoeffding,
    logarithm,
    mcdiarmid,
    qed,
    raised,
    supposed,
    symmetrisation,
    unfold,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le, misprint, premise, restated
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import ONE

_PLACE = "proof of Lemma 2"
_log, _sqrt, _half = sp.log, sp.sqrt, sp.Rational(1, 2)
#: (6) for all eps > 0 holds for no class of losses; every reading of a claim with A4 that says something has this.
A4_SWITCH = Switch(
    "A4",
    "for all eps > 0",
    "for 0 < eps <= 1",
    "a covering number is at least 1, and the right side of (6) is below 1 for eps > C_H",
    without=(p.A4.key,),
    adding=(p.A4_SMALL,),
    origin="the integrals of covering numbers in the proofs of Lemmas 2 and 3, which run from 0 to 1",
)


def a4_switch(*used: Hypothesis) -> Switch:
    """That switch, with what the proofs use of A4 and of the draws."""
    return replace(A4_SWITCH, adding=(*A4_SWITCH.adding, *used))


# --- what is measured

l_max = p.declare("l_max", "largest value of a loss, 1 as printed", p.LOSS, latex=r"\ell_{\max}", **POS)
C_d = p.declare("C_d", "constant of Dudley's inequality", latex="C_d", **POS)
I_H = p.declare("I_H", "int_0^1 sqrt(log(C_H/e)) de", p.LOSS, latex=r"\int_0^1\sqrt{\log(C_{\mathcal H}/e)}\,de", **POS)
up, down = (
    p.formula(name, f"sup_theta [{of}]", p.LOSS) for name, of in (("G_up", "L_0 - L^_0"), ("G_down", "L^_0 - L_0"))
)
mean_up, mean_down = p.measured(p.LOSS, mean_up="E sup_theta [L_0 - L^_0]", mean_down="E sup_theta [L^_0 - L_0]")
rad, rad_D, entropy = p.measured(
    p.LOSS, rad_H="E R^_n(H)", rad_D="R^_n(H), given the data", entropy="int_0^1 sqrt(log N(H; d; e)) de"
)

# --- hypotheses

Suprema = tuple[Mapping[str, tuple[sp.Symbol, sp.Symbol]], sp.Symbol]
#: Both suprema with their means, by name, and the average with signs.
OF_LEMMA2: Suprema = ({"G": (up, mean_up), "G'": (down, mean_down)}, rad)


def samples(key: str, text: str, squares: sp.Expr, suprema: Suprema) -> Hypothesis:
    """That data points are independent, and what one of them does to both suprema; the squares of that add up."""
    both, average = suprema
    return p.H_(
        key,
        text,
        None,
        *(BoundedDifferences(name, value, mean, l_max**2 * squares) for name, (value, mean) in both.items()),
        *(Symmetrised(name, mean, average) for name, (_, mean) in both.items()),
    )


SUP = p.H_("sup|.|", "the largest |L_0 - L^_0| is the larger one of both suprema", le(dev_0, sp.Max(up, down)))
SAMPLE = samples(
    "sample",
    "the validation data are n independent draws; one of them alone changes each supremum by at most l_max/n (ps-01.b)",
    1 / n,
    OF_LEMMA2,
)
COVERED = p.H_(
    "A4 at the data",
    "for 0 < eps <= 1, (C_H/eps)^nu_H balls of radius eps cover the losses at the data, as A4 says for such eps",
    None,
    Covered("H", rad / l_max, n, C_H, nu),
)
#: What a claim says that cites the corrected lemma at another level.
FREE = Setting(free=(delta, n, C_0))
#: Logarithms of 1/delta and 2/delta are positive.
LOG = logarithm("log", 1 / delta, below=True)
ONE_OVER = have("log(1/delta)", ge(-_log(delta), 0), by=["log", supposed(p.DELTA.key)])
TWO_OVER = have("log(2/delta)", ge(_log(2 / delta), 0), by=["log", supposed(p.DELTA.key)])


_step = partial(p.step, _PLACE)

# --- ps-01: bounded differences

gap, gap_i, change, change_i, up_i = (
    p.formula(name, text, p.LOSS)
    for name, text in (
        ("gap", "sum_k w_k (L_k(t) - L^_k(t)), of node 0 alone for Lemma 2"),
        ("gap_i", "the same with z' for z"),
        ("change", "l(t; z') - l(t; z) at the first supremum"),
        ("change_i", "l(s; z) - l(s; z') at the second supremum"),
        ("G_up_i", "sup_theta [L_0 - L^_0] with z' for z"),
    )
)
L_pop = p.formula("L_pop", "sum_k w_k L_k(t) less w_k L^_k(t) of the other nodes", p.LOSS)
l_z, l_zi, rest = p.measured(
    p.LOSS,
    l_z="l(t; z)",
    l_zi="l(t; z')",
    rest_D="the sum of the other losses of the node at t",
)
u_dev = p.declare("u_dev", "deviation", p.LOSS, latex=r"\epsilon", **POS)


def one_replaced(
    cid: str,
    place: str,
    data: str,
    texts: tuple[str, str],
    n: sp.Expr,
    weights: tuple[sp.Expr, ...],
    suprema: tuple[sp.Expr, ...],
    **rest_of: Any,
) -> tuple[Claim, Claim]:
    """Parts a and b of a step: another draw of a node changes its losses, and a supremum.

    Args:
        cid, place, data, texts: the id of the step, and what both parts say where, of which data.
        n: how many draws the node has.
        weights: of the node: any, those at both suprema, and the largest one.
        suprema: with the draw, and with the other one in its place.
        rest_of: what else both claims have.
    """
    w, first, second, most = weights
    value, value_i = suprema
    there, here, span = (
        p.H_(f"there, {cid}", "G(D) is attained at t, and G(D_i) is at least what it is there",
             le(value - first * change / n, value_i)),
        p.H_(f"here, {cid}", "G(D_i) is attained at s, and G(D) is at least what it is there",
             le(value_i - second * change_i / n, value)),
        p.H_("range", "a loss is between 0 and l_max", every(le(change, l_max), le(change_i, l_max))),
    )  # fmt: skip
    largest = p.H_(f"largest, {cid}", "the largest weight of the node", every(le(first, most), le(second, most)))
    bounds = (span,) if most == 1 else (span, largest)
    by = [supposed(h.key) for h in bounds]
    return (
        p.step(
            place,
            f"{cid}.a",
            texts[0],
            eq(gap_i, gap + w / n * (l_z - l_zi)),
            p.H_(f"D of {cid}", "L^ is the mean over the data, z one of them", eq(gap, L_pop - w * (rest + l_z) / n)),
            p.H_(f"D_i of {cid}", "the other data have z' instead", eq(gap_i, L_pop - w * (rest + l_zi) / n)),
            title=f"One draw of the {data} data is replaced",
            **rest_of,
        ),
        p.step(
            place,
            f"{cid}.b",
            texts[1],
            every(le(value - value_i, most * l_max / n), le(value_i - value, most * l_max / n)),
            *(there, here, *bounds),
            title=f"Bounded differences of the {data} data",
            follows_from=(f"{cid}.a",),
            steps=[
                have("first", le(first * change, most * l_max), by=by),
                have("second", le(second * change_i, most * l_max), by=by),
            ],
            **rest_of,
        ),
    )


PS01 = p.composite("ps-01", _PLACE, "Bounded differences of the supremum", "the supremum concentrates by McDiarmid")
PS01_A, PS01_B = one_replaced(
    "ps-01",
    _PLACE,
    "validation",
    (
        "L_0 - L^_0 with z' in place of z is L_0 - L^_0 + (l(theta; z) - l(theta; z'))/n, at every theta",
        "|G(D) - G(D_i)| <= 1/n",
    ),
    n,
    (sp.S.One,) * 4,
    (up, up_i),
)
ONLY_RANGE = (p.RANGE, SAMPLE)
PS01_C = _step(
    "ps-01.c",
    "P(G >= E G + eps) <= exp(-2 eps^2 n) for any eps > 0",
    le(Pr(ge(up, mean_up + u_dev)), sp.exp(-2 * u_dev**2 * n / l_max**2)),
    *ONLY_RANGE,
    title="McDiarmid's inequality for the supremum",
    by=[mcdiarmid("G", u_dev)],
    follows_from=("ps-01.b",),
)
_one_sided = _sqrt(_log(1 / delta) / (2 * n)) * l_max
PS01_D = _step(
    "ps-01.d",
    "G <= E G + sqrt(log(1/delta)/(2n)) with probability at least 1 - delta",
    ge(Pr(le(up, mean_up + _one_sided)), 1 - delta),
    *(*ONLY_RANGE, p.DELTA),
    title="The supremum with high probability",
    setting=FREE,
    steps=[LOG],
    by=[mcdiarmid("G", _one_sided)],
    follows_from=("ps-01.b",),
)

# --- ps-02: symmetrisation

mean_gap, ghost, signed = p.measured(
    p.LOSS,
    mean_gap="E sup_theta [E L(theta; ghost) - L(theta; D)]",
    ghost="E sup_theta [L(theta; ghost) - L(theta; D)]",
    signed="E sup_theta (1/n) sum_i sigma_i (l(theta; z'_i) - l(theta; z_i))",
)
plus, minus, averaged = p.measured(
    p.LOSS,
    plus_H="E sup_theta (1/n) sum_i sigma_i l(theta; z'_i)",
    minus_H="E sup_theta (1/n) sum_i (-sigma_i) l(theta; z_i)",
    averaged="E sup_theta (1/n) sum_i sigma_i l(theta; z_i)",
)
PS02 = _step(
    "ps-02",
    "E G <= 2 E R^_n(H)",
    le(mean_up, 2 * rad),
    *ONLY_RANGE,
    title="Symmetrisation",
    by=[symmetrisation("G")],
    follows_from=("ps-02.a", "ps-02.b", "ps-02.c", "ps-02.d"),
)
PS02_A, PS02_B, PS02_C = (
    _step(f"ps-02.{key}", text, statement, *ONLY_RANGE, title=title, proof=None)
    for key, text, statement, title in (
        ("a", "L_0 is the mean of the loss over a ghost sample", eq(mean_up, mean_gap), "The ghost"),
        ("b", "sup E <= E sup over the ghost sample", le(mean_gap, ghost), "Jensen's inequality"),
        ("c", "signs change no difference in law", eq(ghost, signed), "Fair signs"),
    )
)
PS02_D = _step(
    "ps-02.d",
    "E sup (1/n) sum_i sigma_i (l(theta; z'_i) - l(theta; z_i)) <= 2 E sup (1/n) sum_i sigma_i l(theta; z_i) = "
    "2 E R^_n(H)",
    every(le(signed, 2 * averaged), eq(2 * averaged, 2 * rad)),
    *ONLY_RANGE,
    p.H_("sup of a sum", "the supremum of sums is at most both suprema together", le(signed, plus + minus)),
    p.H_("alike", "z' has the law of z, -sigma that of sigma", every(eq(plus, averaged), eq(minus, averaged))),
    p.H_("total expectation", "R^_n(H) is the expectation given the data", eq(averaged, rad)),
    title="Two samples are one twice",
)

# --- ps-03: the process is sub-Gaussian

moment, all_moments, moments, bounds = (
    p.declare(name, text, ONE, latex=latex, **POS)
    for name, text, latex in (
        ("mgf", "E exp(lambda sigma a)", r"\mathbb E e^{\lambda\sigma a}"),
        ("mgf_M", "E exp(lambda (M_theta - M_theta'))", r"\mathbb E e^{\lambda(M_\theta-M_{\theta'})}"),
        ("mgf_prod", "prod_i E exp(lambda sigma_i a_i)", r"\prod_i\mathbb E e^{\lambda\sigma_ia_i}"),
        ("exp_prod", "prod_i exp(lambda^2 a_i^2/2)", r"\prod_i e^{\lambda^2a_i^2/2}"),
    )
)
d2 = p.declare("d2_H", "d^2(theta, theta')", p.LOSS**2, latex="d^2", **NONNEG)
lam = p.declare("lam_H", "argument of the exponential moment", p.LOSS**-1, latex=r"\lambda", real=True)
a = p.declare("a_H", "(l(theta; z_i) - l(theta'; z_i))/sqrt(n)", p.LOSS, latex="a", real=True)
SIGN = p.H_("sign", "sigma is a fair sign", None, ExponentialMoment("sigma a", moment, lam, 2 * a))
PS03 = p.composite("ps-03", _PLACE, "The Rademacher process", "the process is sub-Gaussian for a metric of diameter 1")
PS03_A = _step(
    "ps-03.a",
    "E exp(lambda sigma a) <= exp(lambda^2 a^2/2), by Hoeffding's lemma",
    le(moment, sp.exp(lam**2 * a**2 / 2)),
    SIGN,
    title="Hoeffding's lemma for a sign",
    by=[hoeffding("sigma a")],
)
PS03_B, PS03_C, PS03_D = (
    _step(f"ps-03.{key}", text, statement, p.RANGE, SIGN, title=title, proof=None)
    for key, text, statement, title in (
        ("b", "the signs are independent", eq(all_moments, moments), "Independent signs"),
        ("c", "each factor is at most its bound", le(moments, bounds), "The factors"),
        ("d", "the bounds multiply", eq(bounds, sp.exp(lam**2 * d2 / 2)), "The metric"),
    )
)
PS03_E = _step(
    "ps-03.e",
    "d <= 1",
    le(d2, l_max**2),
    *(p.RANGE, SIGN, p.H_("squares", "none of the squares exceeds l_max^2", le(n * d2, n * l_max**2))),
    title="The diameter",
)

# --- the links to the lemma

LEMMA2_A = _step(
    "lem2.a",
    "R^_n(H) <= C_d n^(-1/2) int_0^1 sqrt(log N(H; d; e)) de, by Dudley's inequality",
    le(rad_D, C_d * entropy / _sqrt(n)),
    p.RANGE,
    p.H_("C_d", "C_d is at least 24, twice the constant for packing numbers", ge(C_d, 24)),
    title="Dudley's entropy integral",
    proof=None,
)
_integral = C_d * _sqrt(nu) * I_H / _sqrt(n)
LEMMA2_B = _step(
    "lem2.b",
    "E G <= 2 R^_n(H)",
    le(mean_up, 2 * rad_D),
    *ONLY_RANGE,
    title="The expectation of the supremum",
    note="Printed with E[G_train] for the E G of the validation data.",
    proof=None,
    switches=(
        misprint(
            "E R^_n(H)",
            "R^_n(H) depends on the data, and its expectation is meant",
            le(mean_up, 2 * rad),
            "the end of the symmetrisation, 2 E R^_n(H)",
        ),
    ),
)
LEMMA2_B_CORRECTED = restated(
    LEMMA2_B,
    why="R^_n(H) depends on the data: where these are all alike it may vanish",
    text="E G <= 2 E R^_n(H)",
    proof=Proof(qed(by=[cite(f"fedweight.{PS02.item}")])),
    follows_from=("ps-02",),
)
LEMMA2_B2 = _step(
    "lem2.b2",
    "2 R^_n(H) <= 2 C_d n^(-1/2) int_0^1 sqrt(nu_H log(C_H/e)) de",
    le(2 * rad_D, 2 * _integral),
    p.RANGE,
    premise(LEMMA2_A),
    p.H_(
        "A4 in the integral",
        "log N(H; d; e) <= nu_H log(C_H/e), as A4 says of the empirical distribution",
        le(entropy, _sqrt(nu) * I_H),
    ),
    title="The covering numbers in Dudley's integral",
    follows_from=("lem2.a",),
)
DUDLEY = p.H_("Dudley", "R^_n(H) is at most this for all data, by Dudley's inequality and A4", le(rad, _integral))
LEMMA2_C = _step(
    "lem2.c",
    "E G <= 2 C_d n^(-1/2) int_0^1 sqrt(nu_H log(C_H/e)) de",
    le(mean_up, 2 * _integral),
    *(*ONLY_RANGE, DUDLEY),
    title="The expectation by the covering numbers",
    by=[cite("fedweight.ps-02")],
    follows_from=("ps-02", "lem2.a", "lem2.b2"),
)
LEMMA2_D, LEMMA2_E = (
    _step(
        f"lem2.{key}",
        f"{name} <= 2 C_d n^(-1/2) int_0^1 sqrt(nu_H log(C_H/e)) de + sqrt(log(1/delta)/(2n)) with probability at "
        "least 1 - delta",
        ge(Pr(le(side, 2 * _integral + _one_sided)), 1 - delta),
        *(*ONLY_RANGE, DUDLEY, p.DELTA),
        title=f"The bound on {name}",
        setting=FREE,
        steps=[LOG, have("mean", le(mean, 2 * _integral), by=[symmetrisation(name), supposed("Dudley")])],
        by=[mcdiarmid(name, _one_sided)],
        follows_from=("lem2.c", "ps-01.d"),
    )
    for key, name, side, mean in (("d", "G", up, mean_up), ("e", "G'", down, mean_down))
)
_two_sided = _sqrt(_log(2 / delta) / (2 * n)) * l_max
LEMMA2_F = _step(
    "lem2.f",
    "sup |L_0 - L^_0| <= 2 C_d n^(-1/2) int_0^1 sqrt(nu_H log(C_H/e)) de + sqrt(log(2/delta)/(2n)) with probability at "
    "least 1 - delta, by a union bound",
    ge(Pr(le(dev_0, 2 * _integral + _two_sided)), 1 - delta),
    *(*ONLY_RANGE, DUDLEY, p.DELTA, SUP),
    title="The union bound",
    setting=FREE,
    steps=[logarithm("log", 2 / delta, below=True)],
    by=[cite(f"fedweight.lem2.{key}", at={delta: delta / 2}) for key in "de"],
    follows_from=("lem2.d", "lem2.e"),
)
LEMMA2_G = _step(
    "lem2.g",
    "2 C_d n^(-1/2) int_0^1 sqrt(nu_H log(C_H/e)) de + sqrt(log(2/delta)/(2n)) <= C_0 ((nu_H + log(1/delta))/n)^(1/2), "
    "C_0 a universal constant",
    le(2 * _integral + _two_sided, C_0 * _sqrt(A)),
    p.DELTA,
    p.H_("C_0", "C_0 is at least 2 C_d int_0^1 sqrt(log(C_H/e)) de + l_max", ge(C_0, 2 * C_d * I_H + l_max)),
    title="The universal constant",
    proof=None,
    switches=(
        misprint(
            "log(2/delta)",
            "log(1/delta) and nu_H may be as small as one likes, and log(2/delta) is above log 2",
            le(2 * _integral + _two_sided, C_0 * _sqrt((nu + _log(2 / delta)) / n)),
            "the last display of the proof",
        ),
    ),
    where={A: p.DEFINED[A]},
)
_both = nu + _log(2 / delta)


def roots_of_both(factor: sp.Expr, *by: Ground, odds: sp.Expr = 2 / delta, share: sp.Expr = _half) -> tuple[Step, ...]:
    """``factor nu^(1/2)`` and ``(share log odds)^(1/2)`` against ``(nu + log odds)^(1/2)``, each over n^(1/2)."""
    level, both = _log(odds), nu + _log(odds)
    squares = {
        "class": (factor**2 * nu, factor**2 * both),
        "level": (l_max**2 * share * level, l_max**2 * max(share, sp.S.One) * both),
    }
    return (
        logarithm("log", odds, below=True),
        *(have(f"{name}^2", le(small / n, large / n), by=["log", *by]) for name, (small, large) in squares.items()),
        *(raised(name, f"{name}^2", to=_half, by=["log", *by]) for name in squares),
    )


LEMMA2_G_CORRECTED = amended(
    LEMMA2_G,
    "log(1/delta) and nu_H may be as small as one likes, and log(2/delta) is above log 2",
    text="2 C_d n^(-1/2) int_0^1 sqrt(nu_H log(C_H/e)) de + sqrt(log(2/delta)/(2n)) <= C_0 ((nu_H + "
    "log(2/delta))/n)^(1/2)",
    statement=le(2 * _integral + _two_sided, C_0 * _sqrt(_both) / _sqrt(n)),
    where={},
    proof=Proof(
        *roots_of_both(2 * C_d * I_H),
        have("C_0^2", le((2 * C_d * I_H + l_max) ** 2 * _both / n, C_0**2 * _both / n), by=["log", supposed("C_0")]),
        raised("C_0", "C_0^2", to=_half, by=["log"]),
        qed(by=["log", "class", "level", "C_0"]),
    ),
)

# --- the lemma

_at = C_0 * _sqrt((nu + _log(2 / delta)) / n)
#: A constant that is large enough.
LARGE_0 = l_max * (12 * _sqrt(_log(4 * C_H) + 1) + 1)
LARGE = p.H_(
    "universal C_0",
    "C_0 is a universal constant that is large enough: at least 12 (log(4 C_H) + 1)^(1/2) + 1",
    ge(C_0, LARGE_0),
)
#: What the corrected lemma supposes; a claim that cites it has these among its own.
HYPOTHESES = (p.RANGE, COVERED, p.DELTA, SAMPLE, SUP)
LEMMA2 = p.stated(
    "Lemma 2",
    "lem2",
    "sup_theta |L_0 - L^_0| <= C_0 ((nu_H + log(1/delta))/n_valid)^(1/2) with probability at least 1 - delta, C_0 a "
    "universal constant",
    ge(Pr(le(dev_0, C_0 * _sqrt(A))), 1 - delta),
    title="Uniform deviation on the validation data",
    hypotheses=(*p.A1, p.A4, p.DELTA, LARGE),
    where={A: p.DEFINED[A]},
    setting=FREE,
    switches=(
        a4_switch(COVERED, SAMPLE, SUP),
        misprint(
            "log(2/delta)",
            "with one function in the class, nu_H -> 0 and delta -> 1 make the bound vanish",
            ge(Pr(le(dev_0, _at)), 1 - delta),
            "the last display of the proof",
        ),
    ),
    follows_from=("lem2.f", "lem2.g"),
    note="A universal constant depends on C_H alone. That of the proof is 24 times the integral of log(C_H/e)^(1/2) or "
    "more; the least that we can prove stands in the hypothesis.",
)
_WHY = (
    "A4 for all eps > 0 holds for no class of losses; it is used for eps <= 1",
    "the union bound costs log(2/delta), which log(1/delta) does not pay for where nu_H and log(1/delta) are small",
)


def concentrated(
    level: sp.Expr,
    mean: sp.Expr,
    C: sp.Expr,
    by: list[Ground],
    key: str,
    suprema: Suprema,
    margin: sp.Expr | None = None,
) -> Proof:
    """That a largest absolute value is within ``mean + level``.

    Args:
        level: the root of ``log(2/delta)/2`` and of the squares of what a data point changes.
        mean: a bound on the expectations of both suprema, which follows from ``by`` and symmetrisation.
        C: the constant of the covering numbers.
        by: what bounds the average with signs, the covering numbers first.
        key: of the hypothesis that the value is the larger one of both suprema.
        suprema: both of them.
        margin: the level again, where level and mean are defined symbols.
    """
    of_level, of_mean = ([unfold(symbol)] if margin else [] for symbol in (level, mean))
    near, means = [], []
    both, average = suprema
    for of, (value, expected) in both.items():
        bound, by_draws = ge(Pr(le(value, expected + level)), 1 - delta / 2), mcdiarmid(of, margin or level)
        near.append(have(f"{of} is near its mean", bound, by=["log(2/delta)", by_draws, *of_level]))
        means.append(have(f"mean of {of}", le(expected, mean), by=["entropy", "average", symmetrisation(of)]))
    return Proof(
        logarithm("log of C", 4 * C, below=True),
        have("entropy", ge(_log(4 * C) + 1, 0), by=["log of C", by[0]]),
        LOG,
        TWO_OVER,
        have("average", le(2 * average, mean), by=["entropy", *by, *of_mean]),
        *near,
        *means,
        qed(by=["entropy", "log(2/delta)", *(step.name for step in (*near, *means)), supposed(key)]),
    )


_explicit = l_max * 12 * _sqrt(nu * (_log(4 * C_H) + 1) / n)
_LOGS = ("log", "log C", dudley("H"))
LEMMA2_CORRECTED = amended(
    LEMMA2,
    (*_WHY, "the constants are those of Dudley's inequality for packing numbers, 12, and of McDiarmid's"),
    text="sup_theta |L_0 - L^_0| <= 12 (nu_H (log(4 C_H) + 1)/n_valid)^(1/2) + (log(2/delta)/(2 n_valid))^(1/2) with "
    "probability at least 1 - delta",
    statement=ge(Pr(le(dev_0, _explicit + _two_sided)), 1 - delta),
    hypotheses=HYPOTHESES,
    where={},
    note="",
    proof=concentrated(_two_sided, _explicit, C_H, [dudley("H")], SUP.key, OF_LEMMA2),
    follows_from=("ps-01.c", "ps-02"),
)

LEMMA2_UNIVERSAL = amended(
    LEMMA2,
    _WHY,
    part="universal",
    text="As printed, with log(2/delta) in the place of log(1/delta)",
    statement=ge(Pr(le(dev_0, _at)), 1 - delta),
    hypotheses=(*HYPOTHESES, LARGE),
    where={},
    proof=Proof(
        logarithm("log C", C_H, below=True),
        *roots_of_both(12 * l_max * _sqrt(_log(4 * C_H) + 1), "log C", dudley("H")),
        qed(by=[cite("fedweight.lem2.corrected"), "class", "level", supposed(LARGE.key), *_LOGS]),
    ),
    follows_from=("lem2.corrected",),
)

#: What the theorems need of Lemma 2 is the sum of both suprema, and each part of its bound against one root.
_of_class = (12 * l_max) ** 2 * (_log(4 * C_H) + 1)
_signs: list[Ground] = ["log", "log C", dudley("H")]
UNDER_A = (
    logarithm("log", 1 / delta, below=True),
    logarithm("log C", C_H, below=True),
    have("entropy", ge(_log(4 * C_H) + 1, 0), by=["log C", dudley("H")]),
    have("A", ge(A, 0), by=["log", supposed(p.DELTA.key), unfold(A)]),
    have("class^2", le(_of_class * nu / n, _of_class * A), by=[*_signs, unfold(A)]),
    have("level^2", le(l_max**2 * _log(1 / delta) / (2 * n), l_max**2 * A), by=[*_signs, unfold(A)]),
    *(raised(name, f"{name}^2", to=_half, by=_signs) for name in ("class", "level")),
)
MEANS = have(
    "means",
    le(mean_up + mean_down, 2 * _explicit),
    by=["entropy", dudley("H"), *map(symmetrisation, ("G", "G'"))],
)
LEMMA2_BOTH = p.stated(
    _PLACE,
    "lem2.both",
    "sup_theta [L_0 - L^_0] + sup_theta [L^_0 - L_0] <= 2 C_0 ((nu_H + log(1/delta))/n_valid)^(1/2) with probability "
    "at least 1 - delta, with A4 for eps <= 1",
    ge(Pr(le(up + down, 2 * C_0 * _sqrt(A))), 1 - delta),
    title="Both suprema at once",
    hypotheses=(*HYPOTHESES[:-1], LARGE),
    where={A: p.DEFINED[A]},
    note="Not in the paper. It is what the theorems use of Lemma 2, with log(1/delta) as printed: one tail, not two.",
    follows_from=("ps-02",),
    setting=FREE,
    proof=Proof(
        *UNDER_A,
        MEANS,
        have("sum", le(2 * _explicit + 2 * _one_sided, 2 * LARGE_0 * _sqrt(A)), by=["class", "level", *_signs]),
        have("constant", le(LARGE_0 * _sqrt(A), C_0 * _sqrt(A)), by=["A", "entropy", supposed(LARGE.key)]),
        qed(by=[mcdiarmid("G", 2 * _one_sided, "G'", 1), "means", "sum", "constant", "log", "entropy"]),
    ),
)

CLAIMS: tuple[Claim, ...] = claims_in(globals())
