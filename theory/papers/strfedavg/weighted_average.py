"""From one round to the weighted average of all, and the proofs of Propositions 1 and 4 (corrected).

The average is the mean of ``xbar^{r-1}`` at a round ``r`` that is drawn with the weights ``theta^r / Theta_R``:
``x`` is the mean of ``x_r`` over the index ``round``, and ``gap_w`` the mean of the gaps. With ``mu_f = 0`` all
weights are ``1 / R``. ``R`` counts rounds: it is an integer.

``NEAR`` bounds the gap and the distance from ``x_eta*`` together, with smaller constants than Proposition 1 has.
"""

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.local_steps import DRIFT, LOCAL, MEAN_DRIFT
from rateproof.theory.papers.strfedavg.mended import G_MENDED, SC16_MENDED, SC27_MENDED
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A1_COMMON,
    A2,
    A2_NOISE,
    ATTAINED,
    B2,
    D2,
    G2,
    SIZES,
    STRONGLY_CONVEX,
    T0,
    WHERE,
    Dlast2,
    L,
    Theta_R,
    drift_sum,
    f_eta_star,
    gap_eta_n,
    gap_w,
    theta,
)
from rateproof.theory.papers.strfedavg.one_round import ONE_ROUND, ONE_ROUND_CONVEX, ONE_ROUND_FINE, ROUND, D, gap
from rateproof.theory.papers.strfedavg.point import LOSS
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    cite,
    convex,
    curvature,
    have,
    mean,
    qed,
    raised,
    section,
    summed,
    unfold,
)
from rateproof.theory.shorthand import eq, every, ge, gt, le
from rateproof.theory.symbols import K, N, R, S, eta, gamma_g, gamma_l, gamma_t, mu_f, r

x, x_r, x_eta, g, d = vectors("x x_r x_eta* g d")
F_x, F_r = sp.symbols("F_x F_r", real=True)
#: ``E||x - x_eta*||^2``, and the mean of ``E||x_r - x_eta*||^2``.
E_near, near_w = sp.symbols("E_near near_w", nonnegative=True)


def average(weight: sp.Expr, total: sp.Expr) -> Setting:
    """The setting of an average over the rounds, with these weights and their sum."""
    return Setting(
        depends={"x_r": "run round", "x_eta*": ""},
        means={"x": Mean("x_r", "round")},
        sizes={"client": N},
        functions={
            "phi_i": {"x_r": (x_r, d, F_r), "x": (x, g, F_x), "minimum": (x_eta, None, f_eta_star)},
            "F": {"x": (x, None, F_x), "minimum": (x_eta, Vector(), f_eta_star)},
        },
        made={"phi_i": LOSS, "F": Mean("phi_i", "client")},
        metrics={
            gap_eta_n: F_x - f_eta_star,
            gap_w: F_r - f_eta_star,
            E_near: norm2(x - x_eta),
            near_w: norm2(x_r - x_eta),
        },
        sequences={
            gap_eta_n: gap_eta_n,
            E_near: E_near,
            gap_w: sp.Sum(weight * gap(r - 1), (r, 1, R)) / total,
            near_w: sp.Sum(weight * D(r - 1), (r, 1, R)) / total,
            D(0): D2,
            D(R): Dlast2,
        },
        others=(ROUND, LOCAL),
        words={"x_r": "xbar^{r-1}, where a round starts that is drawn by its weight"},
        measured=(D2, Dlast2, gap_eta_n, E_near, drift_sum),
        counts=(R,),
    )


_noise = gamma_t**2 * (A1 + gamma_t * A2)
_jensen = have("Jensen", le(gap_eta_n, gap_w), by=[convex("phi_i", "x", "x_r"), mean("x")])
_step = have("step condition", le(16 * gamma_t * (L + B2), 1), by=[unfold(gamma_t)])
_drift_step = (
    have("global step", SC16_MENDED.relation),
    have("local step", le(16 * K * gamma_l * (L + B2), 1), by=["global step"]),
    have("drift condition", SC27_MENDED.relation, by=["local step"]),
)


AVERAGE_THETA = average(theta**r, Theta_R)
#: From ``theta >= 1``.
POWERS = (
    raised("weights", "theta >= 1", to=r),
    summed("sum of weights", "weights", over=r, start=1, last=R),
    have("Theta_R >= R", ge(Theta_R, R), by=["sum of weights", unfold(Theta_R)]),
    have("Theta_R > 0", gt(Theta_R, 0), by=["Theta_R >= R"]),
    raised("last weight", "theta >= 1", to=R),
)
_WEIGHTS = (
    section("The averaging weights and their sum"),
    have("mu <= L", le(eta * mu_f, L), by=[curvature("phi_i"), unfold(L)]),
    have("theta >= 1", ge(theta, 1), by=["mu <= L", "step condition", unfold(theta)]),
    *POWERS,
    have("Theta_R", eq(Theta_R, sp.Sum(theta**r, (r, 1, R))), by=[unfold(Theta_R)]),
)
_all_rounds = summed("all rounds", "recursion", over=r, start=1, last=R, weight=theta**r, by=["weights"])
_weighted = ("all rounds", "Theta_R", "Theta_R > 0", "last weight", "Jensen")
PROPOSITION1 = Proof(
    section("The conditions on the steps"),
    _step,
    *_drift_step,
    *_WEIGHTS,
    section("From one round to all rounds"),
    have(
        "recursion",
        le(D(r), D(r - 1) / theta - gamma_t * gap(r - 1) + _noise),
        by=[cite(ONE_ROUND), cite("strfedavg.lem6.corrected"), "step condition", unfold(theta, A1, A2)],
    ),
    _all_rounds,
    _jensen,
    qed(by=[*_weighted, SEQUENCES]),
)

_q = sp.Rational
_closer = D(r - 1) / theta - eta * mu_f * gamma_t / 4 * D(r - 1)
#: What the constants of ``G^2`` grow by from one round to the recursion.
_spare = gamma_t**2 * (1 - S / N) / (12 * S) + gamma_t**3 * L / (2 * gamma_g**2)
_conditions = ("step condition", "coefficient of the gap", "share of the drift")
_near = le(2 * gap_eta_n + eta * mu_f * E_near, 3 * T0 + gamma_t * A1 + gamma_t**2 * A2)
NEAR = claim(
    "near",
    "our own, beside Proposition 1",
    Kind.INEQUALITY,
    "Twice the gap at the weighted average, and twice the part of it that strong convexity gives",
    every(_near, ge(T0, 0)),
    hypotheses=(*A1_COMMON, *STRONGLY_CONVEX, *A2_NOISE, *ATTAINED, *SIZES, SC16_MENDED),
    where=WHERE | G_MENDED,
    setting=AVERAGE_THETA,
    proof=Proof(
        section("The conditions on the steps"),
        _step,
        *_drift_step,
        *_WEIGHTS,
        section("One round, with sharper constants"),
        have(
            "coefficient of the gap",
            le(_q(9, 4) * gamma_t * (L + (1 - S / N) * B2 / S), _q(9, 64)),
            by=["step condition"],
        ),
        have("share of the drift", le(K**2 * gamma_l**2 * B2 * L, _q(1, 1024)), by=["local step"]),
        have(
            "one round",
            le(
                D(r),
                _closer
                - (_q(11, 6) + _q(1, 100)) * gamma_t * gap(r - 1)
                + _q(9, 16) * gamma_t**2 * A1
                + _q(5, 9) * gamma_t**3 * A2,
            ),
            by=[cite(ONE_ROUND_FINE), cite(MEAN_DRIFT), *_conditions, unfold(theta, A1, A2, gamma_t)],
        ),
        have("slope >= 0", ge(G2 + B2 * gap(r - 1), 0), by=[cite(MEAN_DRIFT)]),
        have("gap >= 0", ge(gap(r - 1), 0), by=[cite(MEAN_DRIFT)]),
        have(
            "recursion",
            le(D(r), _closer - _q(11, 6) * gamma_t * gap(r - 1) + _q(7, 12) * _noise),
            by=["one round", "slope >= 0", "gap >= 0", *_conditions, unfold(theta, A1, A2, gamma_t)],
            multipliers=[1, _spare, gamma_t / 100 - B2 * _spare],
        ),
        section("From one round to all rounds"),
        _all_rounds,
        _jensen,
        have("Jensen for the distance", le(E_near, near_w), by=[mean("x")]),
        have("growth", le(eta * mu_f / 2 * E_near, gap_eta_n), by=[convex("F", "x", "minimum")]),
        have("the bound", _near, by=[*_weighted, "Jensen for the distance", "growth", SEQUENCES, unfold(T0)]),
        have("T_0 >= 0", ge(T0, 0), by=["Theta_R > 0", unfold(T0)]),
    ),
)

AVERAGE_CONVEX = average(sp.S.One, R)
PROPOSITION4 = Proof(
    _step,
    *_drift_step,
    have(
        "recursion",
        le(D(r), D(r - 1) - gamma_t / 3 * gap(r - 1) + _noise),
        by=[cite(ONE_ROUND_CONVEX), cite(DRIFT), "step condition", unfold(A1, A2)],
    ),
    summed("all rounds", "recursion", over=r, start=1, last=R),
    _jensen,
    qed(by=["all rounds", "Jensen", SEQUENCES]),
)
