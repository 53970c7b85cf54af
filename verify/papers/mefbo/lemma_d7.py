"""Lemma D.7: drifts along a slope, along a constraint, and of clients with opposite slopes."""

from rateproof.theory.papers.mefbo import lemma_d7 as claims
from rateproof.verify.form import example, record
from rateproof.verify.papers.mefbo.families import drifting, one_round
from rateproof.verify.papers.mefbo.sources import one_source

#: f = x from 5 on, g = 0.
ALONG_A_SLOPE = {"lower": "slope", "g": 0, "f_x": "1/3", "x_t": 9}
AT_THE_WALL = {"lower": "slope", "Y": "half", "tau": 2}
LEMMA_D7 = record(
    claims.LEMMA_D7,
    families=[one_round],
    refuted_by=example(
        one_round,
        **ALONG_A_SLOPE,
        tau=20,
        eta_x="1/10",
        left="247/200",
        right="3/5",
        by_hand="f(x, y) = x where the steps lead, g = 0, c_t = 1 and no noise: x_k = x - k eta_x, so Delta_x = "
        "eta_x^2 (tau - 1)(2 tau - 1)/6, which is 123.5 eta_x^2 for tau = 20. The bound is 60 eta_x^2; eta_x = 1/10.",
    ),
)
DRIFT_X = record(claims.DRIFT_X, families=[one_round, drifting, one_source])
LEMMA_D7_SIMP = record(
    claims.LEMMA_D7_SIMP,
    families=[one_round],
    refuted_by=example(
        one_round,
        **AT_THE_WALL,
        left="1/20000",
        right="0",
        by_hand="g = -y on y <= 0, f = 0, x = y = theta = 0 and tau = 2: theta* = 0, so the gap is 0, and A = B = 0. "
        "Local steps are not projected: theta_1 = eta = 1/100, so Delta_theta = eta^2/2.",
    ),
)
LEMMA_D7_SIMP_CORRECTED = record(claims.LEMMA_D7_SIMP_CORRECTED, families=[one_round, one_source])
ST_66 = record(
    claims.ST_66,
    families=[one_round],
    refuted_by=example(
        one_round,
        **AT_THE_WALL,
        left="1/20000",
        right="81/25000000",
        by_hand="g = -y on y <= 0, f = 0, x = y = theta = 0, gamma = 1/5 and tau = 2: A = 0. Local steps are not "
        "projected: theta_1 = y_1 = eta = 1/100, so Delta_theta = Delta_y = eta^2/2, and the right side is (e + b) "
        "eta^2/2 with e = 12 eta^2 (4 + 25), b = 12 eta^2 25.",
    ),
)
ST_70 = record(claims.ST_70, families=[one_round, one_source])
ST_75A = record(claims.ST_75A, families=[one_round])
ST_76A = record(claims.ST_76A, families=[one_round])
ST_75B = record(
    claims.ST_75B,
    families=[one_round],
    refuted_by=example(
        one_round,
        lower="waves",
        k=1,
        O_x=0,
        left="1/500",
        right="1/5000",
        by_hand="g = 1 - cos(y - x), so L_g = 1, f = 0, no noise, from 0: gap, drifts and A are 0, and B = 10 tau "
        "eta_y^2 L_g^2 with tau = 1 and eta_y = 1/100. Twice B is 20 eta_y^2, and (76) has 2 eta_y^2.",
    ),
)
ST_75B_CORRECTED = record(claims.ST_75B_CORRECTED, families=[one_round, drifting, one_source])
ST_66_CORRECTED = record(claims.ST_66_CORRECTED, families=[one_round, drifting, one_source])
