"""Lemma D.8: the Lyapunov function grows from a noisy minimiser; conditions and constants of its proof."""

from rateproof.theory.papers.mefbo import lemma_d8 as claims
from rateproof.verify.form import choice, example, reals, record
from rateproof.verify.papers.mefbo.families import admissible_round
from rateproof.verify.papers.mefbo.sources import with_ratios
from rateproof.verify.planted.mutate import Sharp

NOISE_ALONE = {"f_x": 1, "u": 1}
halved = admissible_round.narrowed("a round with half the steps of Lemma D.8", lambda_xy=choice("half of it"))

LEMMA_D8 = record(
    claims.LEMMA_D8,
    refuted_by=example(
        admissible_round,
        **NOISE_ALONE,
        left="9.5e-9",
        right="-7.93e-6",
        by_hand="Two clients with f(x; xi) = x^2/2 + xi x near 0, xi = -1 or 1, g = y^2/2 and one local step, from the "
        "minimum 0: x moves by lambda_x or not at all, so Psi grows from 0, and y and theta stay. On the right there "
        "is -(4 K L_theta^2/(rho lambda)) E||x^{t+1} - x^t||^2, and an error of the order eta^2, eta = 10^-4.",
    ),
)
LEMMA_D8_CORRECTED = record(claims.LEMMA_D8_CORRECTED, families=[halved, with_ratios])
ST_89 = record(claims.ST_89, families=[admissible_round])
ST_89_LINKS = record(
    claims.ST_89_LINKS,
    refuted_by=example(
        admissible_round,
        left="397/3",
        right="394/3",
        by_hand="L_2 = 1 and gamma = 1/4, so rho = 3, and lambda = 1/100: delta = 0.0075/0.985 = 3/394, so 1 + 1/delta "
        "= 397/3. Printed is 4/0.03 - 2 = 394/3.",
    ),
)
ST_89_LINKS_CORRECTED = record(claims.ST_89_LINKS_CORRECTED, families=[admissible_round])
ST_91 = record(claims.ST_91, families=[admissible_round])
ST_91_SIGN = record(
    claims.ST_91_SIGN,
    refuted_by=example(
        admissible_round,
        left="0.0497",
        right="-0.00955",
        by_hand="L_2 = 1, gamma = 1/4 and n = P = 2, so rho = 3, A = 1, B = 0 and K = 2.547. For lambda = 1/100 delta "
        "is 3/394, and K times the bracket is 2.547 (1.00761 * 0.9768 - 1) = -0.0401. As lambda_x 49 = 0.00955, on the "
        "left there is 0.00955 + 0.0401, on the right 0.00955 - 0.0191.",
    ),
)
ST_91_SIGN_CORRECTED = record(claims.ST_91_SIGN_CORRECTED, families=[admissible_round])
#: At gamma = 2/5 and lambda = 1/10 (80) holds and (79) does not: 6 lambda/gamma^2 = 3.75 <= 6/rho = 4.
beyond_79 = admissible_round.narrowed("a round beyond (79)", gamma=reals("2/5"), lambda_theta=reals("1/10"))
ST_91_A = record(claims.ST_91_A, families=[admissible_round, beyond_79])
ST_92 = record(
    claims.ST_92,
    refuted_by=example(
        admissible_round,
        eta_theta="1/200",
        left="0.01853",
        right="0.002387",
        by_hand="L_2 = 1, gamma = 1/4, lambda = 1/100. Both sides are of the order of lambda but for the factor tau "
        "eta^2 on the left, eta = 1/200, which (81) and (82) bound only after it is multiplied with lambda: in (93) "
        "48 * 17/200^2 times a coefficient of Delta_theta of 91 lambda, against 0.24 lambda.",
    ),
)
ST_96 = record(
    claims.ST_96,
    refuted_by=example(
        admissible_round,
        f_x=1,
        left="3.67e-6",
        right="3.92e-6",
        by_hand="In M_3' the second bracket has 3 (L_1^2/c^2 + L_2^2) + (6 L_1^2/c^2 + 6 L_2^2 + 3/gamma^2)/2 as it "
        "is; on the left it comes with lambda_x = lambda_y = c_theta lambda. Here L_f = 3, L_1 = L_2 = c = 1 and "
        "gamma = 1/4, so c_theta is 0.0195, and the bracket has 36 for 0.7.",
    ),
)
ST_C = record(claims.ST_C, families=[admissible_round], tight=Sharp())
ST_92_CORRECTED = record(claims.ST_92_CORRECTED, families=[admissible_round])
ST_96_CORRECTED = record(claims.ST_96_CORRECTED, families=[admissible_round])
