"""Theorem D.11, the weighted sums of its proof, and (34) of the sketch."""

from rateproof.theory.papers.mefbo import sketch
from rateproof.theory.papers.mefbo import theorem_d11 as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import AT_AN_END, CROWD, DECREASING, NOISE, NOISE_ALONE

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
        AT_AN_END,
        ratios=["5.10911", "64.1169", "663.334", "6769.87", "69032.8"],
        by_hand="""X = [0, inf), f = x, g = 0, no noise, x^0 = 0: all iterates stay at 0, the solution, and grad F
        = 1. For q = 11/20 and p = 1/64 claimed is (T^(-67/160) + T^(-147/160))/2. Without constraints: f = sqrt(1
        + (y - 1)^2) and g = log cosh y have the solution y = 0, where F' = -1/sqrt(2), and for large c_0 all y^t
        stay near it.""",
    ),
)
D11_103 = record(
    claims.D11_103,
    refuted_by=growing(
        NOISE_ALONE,
        ratios=["2.88647e-8", "4.60372e-7", "7.35219e-6", "0.000117619", "0.00188189"],
        by_hand="""f = 0, g_i(y; zeta) = zeta y, zeta = -1 or 1, n = P = 2, tau = 1, no constraints: y moves by
        lambda_y times the mean of two signs and more, so E||dy||^2 >= lambda_y^2/2. With lambda_y = c_theta
        lambda the sum is at least (2 K L_theta^2/rho) c_theta^2 lambda T, of the order T^(1/2). The right side
        does not grow with T.""",
    ),
)
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
