"""Lemma D.5: the penalty function grows from a noisy minimiser, while the printed bound says that it falls."""

from rateproof.theory.papers.mefbo import lemma_d5 as claims
from rateproof.verify.form import example, record
from rateproof.verify.papers.mefbo.families import drifting, one_round
from rateproof.verify.papers.mefbo.sources import one_source
from rateproof.verify.planted.mutate import Sharp

#: One client with f = x^2/2 near 0 and g = 0, which starts at the minimum.
NOISE_ALONE = {"lower": "slope", "g": 0, "n_cl": 1, "P": 1, "f_x": 1, "u": 1, "gamma": "1/4", "L_2": 1}
STEPS = {"lambda_x": "1/10", "lambda_theta": "1/500"}

LEMMA_D5 = record(
    claims.LEMMA_D5,
    refuted_by=example(
        one_round,
        **NOISE_ALONE,
        **STEPS,
        left="1/200",
        right="-1/50",
        by_hand="f(x; xi) = x^2/2 + xi x near 0 with xi = -1 or 1, g = 0, x^0 = 0 and lambda_x = 1/10: x^1 = 1/10 or "
        "-1/10, so Phi = x^2/2 grows from 0 to 1/200. With L_2 = 1 and gamma = 1/4 L_Phi = 1 + 1 + 4 = 6, so the right "
        "side is -(5 - 3)/100.",
    ),
)
LEMMA_D5_CORRECTED = record(claims.LEMMA_D5_CORRECTED, families=[one_round, drifting, one_source])
ST_42 = record(claims.ST_42, families=[one_round])
ST_45 = record(
    claims.ST_45,
    refuted_by=example(
        one_round,
        **NOISE_ALONE,
        **STEPS,
        left="1/10",
        right="0",
        by_hand="f(x; xi) = x^2/2 + xi x near 0 with xi = -1 or 1, x^0 = 0 and lambda_x = 1/10: h_x = xi and x^1 - x^0 "
        "= -xi/10, so -E h_x (x^1 - x^0) = 1/10. The mean of h_x is 0.",
    ),
)
ST_47 = record(claims.ST_47, families=[one_round], tight=Sharp(terms=True))
ST_50 = record(claims.ST_50, families=[one_round, drifting, one_source])
ST_51 = record(claims.ST_51, families=[one_round, drifting, one_source])
ST_52 = record(claims.ST_52, families=[one_round, drifting, one_source])
ST_52Y = record(claims.ST_52Y, families=[one_round, drifting, one_source])
ST_45_CORRECTED = record(claims.ST_45_CORRECTED, families=[one_round, drifting, one_source])
