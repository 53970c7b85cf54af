"""The proof sketch on one round: what no constant in the place of O(.) can mend, and what holds."""

from rateproof.theory.papers.mefbo import sketch as claims
from rateproof.verify.form import example, record
from rateproof.verify.papers.mefbo.families import admissible_round, drifting, one_round, uphill
from rateproof.verify.papers.mefbo.lemma_d7 import OFF_THETA, WHY_OFF
from rateproof.verify.papers.mefbo.lemma_d8 import NOISE_ALONE, halved
from rateproof.verify.papers.mefbo.sources import one_source, overshooting, with_ratios

#: f_1 = x and f_2 = -x + x^2/2 near 0: where the server stands still, the gradient of F is not zero.
STANDING_STILL = {"bent": "second", "f_x": 1, "apart": 1, "x_t": "-1/3999", "tau": 2, "eta_theta": "1/2000", "C_O": 1}
#: The arithmetic of that.
WHY_STILL = (
    "f_1 = x, f_2 = -x + x^2/2 near 0, tau = 2, eta = 1/2000, no noise, from x = -1/3999: the directions are 1 and "
    "-1 + x + eta/2 - x eta/2 = -1, so nothing moves, the gap is 0, and R = (x/2)^2 = 1/7998^2."
)
SK_30 = record(
    claims.SK_30,
    refuted_by=example(
        admissible_round,
        **STANDING_STILL,
        left="1.5633e-8",
        right="5e-9",
        by_hand=f"{WHY_STILL} On the right only 2 C_O lambda eta^2 is left, less for lambda < 1/(32 C_O), whatever C_O "
        "is; here C_O = 1 and lambda = 1/100.",
    ),
)
SK_31 = record(claims.SK_31, families=[one_round])
SK_33 = record(
    claims.SK_33,
    refuted_by=example(
        admissible_round,
        **NOISE_ALONE,
        eta_theta="1/200000",
        lambda_theta="1/50",
        C_O=1,
        left="3.8e-6",
        right="-1.659e-8",
        by_hand="The instance of Lemma D.8: S_p is positive as x moves, Psi grows from 0, and the errors are of the "
        "order eta^2, eta = 5 * 10^-6; lambda = 1/50. The right side is negative, whatever the constant.",
    ),
)
SK_A = record(
    claims.SK_A,
    refuted_by=example(
        admissible_round,
        **NOISE_ALONE,
        C_O=1,
        left="9.5e-9",
        right="-9.74e-5",
        by_hand="The instance of Lemma D.8: Phi grows from its minimum 0; gap and drifts are 0, so the right side is "
        "-E||x^{t+1} - x^t||^2/(C_O lambda_x), negative for every constant.",
    ),
)
SK_B = record(claims.SK_B, families=[one_round, drifting, one_source, overshooting])
SK_35 = record(
    claims.SK_35,
    refuted_by=example(
        one_round,
        y_t=0,
        theta_t=1,
        lambda_theta="1/1000",
        C_O=1,
        left="36",
        right="0",
        by_hand="g = y^2/2, f = 0, no noise, P = n = 2, tau = 1, gamma = 1/5, y = 0 and theta = 1: h_theta = 1 + 5 = "
        "6. All terms on the right have a factor sigma_g or n - P, whatever the constants.",
    ),
)
SK_D = record(
    claims.SK_D,
    families=[one_round, uphill],
    refuted_by=example(
        one_round,
        **OFF_THETA,
        left="1/20000",
        right="1/100000",
        by_hand=f"{WHY_OFF} The right side of the last bound is C_O eta^4, less for eta < 1/sqrt(2 C_O); here C_O = "
        "1000.",
    ),
)
SK_E = record(
    claims.SK_E,
    refuted_by=example(
        admissible_round,
        eta_theta="1/100",
        lambda_theta="1/250",
        left="0.02397",
        right="0",
        by_hand="The instance of (92) and (93) with eta = 1/100 and lambda = 1/250: to the coefficient of gap^2, which "
        "is -0.0164 otherwise, the drifts add 20 * 17 eta^2 and 48 * 17 eta^2 times coefficients of the order of "
        "lambda, 0.0113 and 0.0290.",
    ),
)
SK_E_CORRECTED = record(claims.SK_E_CORRECTED, families=[admissible_round])
SK_30_CORRECTED = record(claims.SK_30_CORRECTED, families=[one_round, drifting, one_source])
SK_33_CORRECTED = record(claims.SK_33_CORRECTED, families=[halved, with_ratios])
SK_A_CORRECTED = record(claims.SK_A_CORRECTED, families=[one_round, drifting, one_source])
SK_35_CORRECTED = record(claims.SK_35_CORRECTED, families=[one_round, drifting, one_source])
SK_D_CORRECTED = record(claims.SK_D_CORRECTED, families=[one_round, drifting, one_source])
