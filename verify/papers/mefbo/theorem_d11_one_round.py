"""Steps of the proof of Theorem D.11 that speak of one round."""

from rateproof.theory.papers.mefbo import theorem_d11 as claims
from rateproof.verify.form import example, record
from rateproof.verify.papers.mefbo.families import admissible_round, drifting, one_round
from rateproof.verify.papers.mefbo.sketch import STANDING_STILL, WHY_STILL
from rateproof.verify.papers.mefbo.sources import one_source

D11_E = record(
    claims.D11_E,
    families=[one_round],
    refuted_by=example(
        one_round,
        lower="slope",
        g=0,
        u=1,
        n_cl=1,
        P=1,
        left="1",
        right="0",
        by_hand="f(x; xi) = xi x with xi = -1 or 1, g = 0, X = Y = R: htilde_x = 0 and x^1 = x^0 - lambda_x xi, so "
        "e_x = xi, and the gradient of Upsilon is 0.",
    ),
)
D11_106 = record(
    claims.D11_106,
    families=[admissible_round],
    refuted_by=example(
        admissible_round,
        f_x=1,
        x_t=1,
        tau=2,
        lambda_theta="1/100000000",
        left="1/20000",
        right="1.41e-5",
        by_hand="f = x^2/2 near 0, g = y^2/2, tau = 2, eta = 10^-4, no noise, from x = 1: the gradients at the local "
        "points are 1 and 1 - eta, so the error is eta/2, and the gap is 0. The right side is C_O eta sqrt(2 lambda), "
        "less for lambda < 1/(8 C_O^2); here C_O = 1000 and lambda = 10^-8.",
    ),
)
D11_109 = record(
    claims.D11_109,
    families=[admissible_round],
    refuted_by=example(
        admissible_round,
        **STANDING_STILL,
        left="6.25e-18",
        right="2e-21",
        by_hand=f"{WHY_STILL} On the right 2 C_O lambda^2 eta^2 is left, less for lambda < 1/(33 C_O); here C_O = 1000 "
        "and lambda = 10^-8.",
    ),
)
D11_E_CORRECTED = record(claims.D11_E_CORRECTED, families=[one_round])
D11_106_CORRECTED = record(claims.D11_106_CORRECTED, families=[one_round, drifting, one_source])
D11_109_CORRECTED = record(claims.D11_109_CORRECTED, families=[one_round, drifting, one_source])
