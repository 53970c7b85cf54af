"""Corollary 3.5, which is Corollary D.12: samples and rounds that an accuracy needs."""

from rateproof.theory.papers.mefbo import corollary35 as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import DRIFT, SOME_CLIENTS

ALL = growing(
    DRIFT,
    ratios=["0.0191944", "0.418659", "85.6571", "42645.3", "2.14717e7"],
    by_hand="""f = 0, g_1 = -y/2, g_2 = y^2/2 for |y| <= 1, n = P = 2, gamma = 1/4, no noise, no constraints. As y =
    theta, client 2 is at (1 - eta)^k y. At y = tau eta/(2 (1 - (1 - eta)^tau)), about 1/2 + tau eta/4, the mean
    direction is 0 and nothing moves; R = ((y - 1/2) gamma/(2 (2 + gamma)))^2 = (y - 1/2)^2/324. For tau = T and c_eta =
    1 (tau eta)^2 = T^(-1/4)/2, so R is about T^(-1/4)/10368, and an accuracy eps needs T of the order eps^-4.""",
)
SOME = growing(
    SOME_CLIENTS,
    ratios=["2.00000", "128.000", "8192.00", "5.24288e5", "3.35544e7"],
    by_hand="""f_i(x; xi) = (1 + (257/256) xi) x, xi = -1 or 1, g = 0, X = [0, 1], n = 2, P = 1, tau = 1, from 0. With
    probability 1/2 the direction is -1/(256 c_t), so x^{t+1} > 0 and R_t = 1/c_t^2. So min E R_t >= T^(-2p)/2, c_0 = 1,
    and equal to it up to runs of more than 256 draws of -1. It is eps at T = (2 eps)^(-1/(2p)): eps^-8/256 for p =
    1/16. Claimed is eps^-2.""",
)
COR35_I = record(claims.COR35_I, refuted_by=ALL)
COR35_II = record(claims.COR35_II, refuted_by=SOME)
CORD12_I = record(claims.CORD12_I, refuted_by=ALL)
CORD12_II = record(claims.CORD12_II, refuted_by=SOME)
