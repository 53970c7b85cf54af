"""Theorem D.11, the steps of its proof on one round, its weighted sums, and (34) of the sketch."""

from rateproof.theory.papers.mefbo import sketch
from rateproof.theory.papers.mefbo import theorem_d11 as claims
from rateproof.verify.form import example, growing, record
from rateproof.verify.papers.mefbo.climbs import AT_THE_SOLUTION, CROWD, DECREASING, NOISE, NOISE_ALONE
from rateproof.verify.papers.mefbo.families import admissible_round, drifting, one_round
from rateproof.verify.papers.mefbo.sketch import STANDING_STILL, WHY_STILL
from rateproof.verify.papers.mefbo.sources import one_source

THEOREM_D11 = record(
    claims.THEOREM_D11,
    refuted_by=growing(
        DECREASING,
        ratios=["1.59958", "31.5073", "511.500", "8191.50", "1.31071e5"],
        by_hand="""As for Theorems 3.4 and C.1, on one Y = [0, b] with b half of the last decreasing lambda_y, which
        is below the fixed one: with either steps E R_t = (1 - b/gamma)^2/4 in every round. The ratio is that of (ii),
        where (T^(-1/2) + T^-1)/2 is claimed.""",
    ),
)
GRAD_F = record(
    claims.GRAD_F,
    refuted_by=growing(
        AT_THE_SOLUTION,
        ratios=["5.10911", "64.1169", "663.334", "6769.87", "69032.8"],
        by_hand="""g = y^2/2 and f of slope 1 for y >= -6, no constraints, no noise, tau = 1, gamma = 1/4, c_0 = 1, from
        y = theta = 0, the solution. With e = theta - 4y/5, y moves by -lambda_y (1/c_t + y/5 + 4e) and e decays by
        the factor 1 - 5 lambda_theta, so -6 <= y <= 1 and |e| <= 1/20 for ever, and grad F = 1. For q = 11/20 and p =
        1/64 claimed is (T^(-67/160) + T^(-147/160))/2.""",
    ),
)
D11_103 = record(
    claims.D11_103,
    refuted_by=growing(
        NOISE_ALONE,
        ratios=["0.00122725", "0.0127166", "0.138577", "1.51731", "16.6206"],
        by_hand="""f = 0, g_i(y; zeta) = zeta y, zeta = -1 or 1, n = P = 2, tau = 1, L_2 = 1/4, no constraints: y moves
        by lambda_y times the mean of two signs and more, so E||dy||^2 >= lambda_y^2/2. With lambda_y = c_theta
        lambda the sum is at least (2 K L_theta^2/rho) c_theta^2 lambda T, of the order T^(1/2). The right side
        does not grow with T.""",
    ),
)
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
        lambda_theta="1/500",
        L_2=1,
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
        eta_theta="1/2000",
        C_O=1,
        left="1/4000",
        right="7.07e-5",
        by_hand="f = x^2/2 near 0, g = y^2/2, tau = 2, eta = 1/2000, no noise, from x = 1: the gradients at the local "
        "points are 1 and 1 - eta, so the error is eta/2, and the gap is 0. The right side is C_O eta sqrt(2 lambda), "
        "less for lambda < 1/(8 C_O^2), whatever C_O is; here C_O = 1 and lambda = 1/100.",
    ),
)
D11_109 = record(
    claims.D11_109,
    families=[admissible_round],
    refuted_by=example(
        admissible_round,
        **STANDING_STILL,
        left="1.5633e-10",
        right="5e-11",
        by_hand=f"{WHY_STILL} On the right 2 C_O lambda^2 eta^2 is left, less for lambda < 1/(32 C_O), whatever C_O "
        "is; here C_O = 1 and lambda = 1/100.",
    ),
)
D11_E_CORRECTED = record(claims.D11_E_CORRECTED, families=[one_round])
D11_106_CORRECTED = record(claims.D11_106_CORRECTED, families=[one_round, drifting, one_source])
D11_109_CORRECTED = record(claims.D11_109_CORRECTED, families=[one_round, drifting, one_source])
_sums = """The instance of Theorem 3.4, which starts with Psi = 0: sum lambda E R_t = T lambda (1 - b/gamma)^2/4
is of the order T^(1/2), while sum lambda^2 = c_lambda^2 for tau = 1, and sum lambda^2 eta^2 tends to 0."""
D11_110 = record(
    claims.D11_110,
    climbs=[CROWD],
    refuted_by=growing(NOISE, ratios=["0.00601605", "0.0965404", "1.54493", "24.7192", "395.507"], by_hand=_sums),
)
SK_34 = record(
    sketch.SK_34,
    refuted_by=growing(NOISE, ratios=["127.961", "2047.96", "32768.0", "5.24288e5", "8.38861e6"], by_hand=_sums),
)
