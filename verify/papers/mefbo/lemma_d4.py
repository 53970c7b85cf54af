"""Lemma D.4: ``Phi`` at a point, at two points, and at the two ends of a round."""

from __future__ import annotations

from rateproof.theory.papers.mefbo import lemma_d4 as claims
from rateproof.verify.form import choice, counts, example, reals, record
from rateproof.verify.papers.mefbo.envelope import at_a_point, at_two_points
from rateproof.verify.papers.mefbo.families import one_round

#: ``f_i = f_y/2 y^2`` up to ``|y| = width``, of slopes up to ``3/2 f_y width``.
steep_round = one_round.narrowed(
    "a round on steep upper losses",
    lower=choice("slope", "waves", "hill"),
    weights=choice("equal"),
    X=choice("line"),
    n_cl=counts(1, 2, most=2),
    P=counts(1, 2, most=2),
    tau=counts(1, most=1),
    f_x=reals(0, low=1, high=1),
    f_y=reals(10, 100, 1),
    width=reals("1/10", "1/100", 2),
    apart=reals(0, low=1, high=1),
    tilt=reals(0, 1, low=1, high=1),
    g=reals(0, 1, "3/2"),
    gamma=reals("1/3", "1/20", "9/20"),
    c_next=reals(10, low=10, high=10),
    lambda_y=reals("1/3", "1/30"),
    x_t=reals(0, low=1, high=1),
    y_t=reals(0, "1/100"),
    theta_t=reals("-1/20", "-3/400", "1/100", -1),
    L_2=reals(1, 2),
)
PHI_POS = record(claims.PHI_POS, families=[at_a_point])
LEMMA_D4 = record(claims.LEMMA_D4, families=[at_two_points])
ST_40 = record(
    claims.ST_40,
    refuted_by=example(
        steep_round,
        left="1/80",
        right="9/1600",
        by_hand="f(y) = 5 y^2 up to |y| = 1/10 has slopes up to L_f = 3/2; g = 0, L_2 = 1, gamma = 1/3, c_t = 1. "
        "From y = 0, theta = -1/20 the step lambda_y = 1/3 of h_y = 3 theta leads to y = 1/20. There f is "
        "5 (1/20)^2 = 1/80, and v_gamma = 0. The right side is (3/2 + 0 + 3)/2 (1/20)^2 = 9/1600.",
    ),
)
ST_40_CORRECTED = record(claims.ST_40_CORRECTED, families=[steep_round])
