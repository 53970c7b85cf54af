"""Theorem D.11, the steps of its proof on one round, its weighted sums, and (34) of the sketch."""

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import sketch
from rateproof.theory.papers.mefbo import theorem_d11 as claims
from rateproof.verify.form import choice, counts, example, family, growing, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.papers.mefbo.climbs import AT_THE_SOLUTION, CROWD, DECREASING, NOISE, NOISE_ALONE
from rateproof.verify.papers.mefbo.families import admissible_round, drifting, one_round
from rateproof.verify.papers.mefbo.sketch import STANDING_STILL, WHY_STILL
from rateproof.verify.papers.mefbo.sources import one_source

THEOREM_D11 = record(
    claims.THEOREM_D11,
    climbs=[CROWD],
    refuted_by=growing(
        DECREASING,
        ratios=["1.46721", "24.2958", "331.667", "4466.45", "60096.5"],
        by_hand="""The instance of Theorem C.1, f_i(x; xi) = (1 + (257/256) xi) x on X = [0, 1] with xi = -1 or 1: with
        either steps x^{t+1} > 0 where both clients draw -1, so E R_t is at least T^(-2p)/4 in every round, c_0 = 1. The
        ratio is that of (ii), where (T^(-1/2) + T^-1)/2 is claimed; here p = 1/64.""",
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
        by lambda_y times the mean of two signs and more, so E||y^{t+1} - y^t||^2 >= lambda_y^2/2. With lambda_y =
        c_theta lambda the sum is at least (2 K L_theta^2/rho) c_theta^2 lambda T, of the order T^(1/2). The right side
        does not grow with T.""",
    ),
)
D11_E = record(
    claims.D11_E,
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
D11_106_H = record(
    claims.D11_106_H,
    refuted_by=example(
        admissible_round,
        f_x=1,
        u=1,
        left="1/2",
        right="1/100",
        by_hand="Two clients with f(x; xi) = x^2/2 + xi x near 0, xi = -1 or 1, g = y^2/2 and tau = 1, from the "
        "minimum 0: the gradient of Phi and the gap are 0, and h_x is the mean of two signs, of mean size 1/2. The "
        "right side is C_O eta lambda^(1/2); here C_O = 1000, eta = 10^-4 and lambda = 1/100.",
    ),
)


@family(
    "numbers that satisfy (104) to (108)",
    **{
        name: reals(0, 1, low=0.1, high=10, zero=True)
        for name in ("gap", "moved_z", "moved_x", "moved_y", "o_x", "o_y")
    },
    **{name: reals(1, 2, low=0.1, high=10) for name in ("L_2", "L_psi1", "L_psi2", "lambda_x", "lambda_y", "gamma")},
    c_t=reals("1/2", 1, 2, low=0.1, high=10),
    share=reals(1, "1/2", low=0.1, high=2),
)
def added(*, share: Number, **given: Number) -> dict[str, Any]:
    """All of them with equality for ``share = 1``; there is no method behind these numbers.

    ``share``: the part of the largest errors that is taken.
    """
    L_2, gap, moved_z = (given[name] for name in ("L_2", "gap", "moved_z"))
    changed, error = given["L_psi1"] * moved_z, L_2 * gap + given["o_x"]
    e_x = share * (changed + error + given["moved_x"] / given["lambda_x"])
    e_y = given["L_psi2"] * moved_z + given["moved_y"] / given["lambda_y"] + gap / given["gamma"] + given["o_y"]
    return {**given, "changed": changed, "err_sqrt_x": error, "e_x": e_x, "e_y": e_y, "D_t": share * (e_x + e_y)}


D11_107 = record(
    claims.D11_107,
    refuted_by=example(
        added,
        gap=1,
        L_2=2,
        left="2",
        right="1",
        by_hand="No moves and no last term, gap = 1 and L_2 = 2: (106) allows ||grad_x Phi - htilde_x|| = 2, so "
        "||e_x|| = 2. Printed is 1. A rescaling of g by 2 changes the two sides by different factors.",
    ),
)
D11_107_CORRECTED = record(claims.D11_107_CORRECTED, families=[added])
D11_DT = record(
    claims.D11_DT,
    refuted_by=example(
        added,
        gap=1,
        left="2",
        right="3/2",
        by_hand="No moves and no last terms, gap = L_2 = gamma = 1 and c_t = 1/2: (107) and (108) allow ||e_x|| = "
        "||e_y|| = 1, so D_t = 2 where the bound is reached. Printed is L_2 + c_t/gamma = 3/2.",
    ),
)
D11_DT_CORRECTED = record(claims.D11_DT_CORRECTED, families=[added])
D11_109 = record(
    claims.D11_109,
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
D11_106_H_CORRECTED = record(claims.D11_106_H_CORRECTED, families=[one_round, drifting, one_source])
D11_106_CORRECTED = record(claims.D11_106_CORRECTED, families=[one_round, drifting, one_source])
D11_109_CORRECTED = record(claims.D11_109_CORRECTED, families=[one_round, drifting, one_source])
_sums = """The instance of Theorem 3.4 on Y = [0, gamma/2], which starts with Psi = 0. As E R_t >= 1/16 in every round,
sum lambda E R_t >= T lambda/16 is of the order T^(1/2), while sum lambda^2 = c_lambda^2 for tau = 1, and sum lambda^2
eta^2 tends to 0."""
D11_110 = record(
    claims.D11_110,
    climbs=[CROWD],
    refuted_by=growing(NOISE, ratios=["0.0238845", "0.383170", "6.13173", "98.1086", "1569.74"], by_hand=_sums),
)
SK_34 = record(
    sketch.SK_34,
    refuted_by=growing(NOISE, ratios=["128.000", "2048.00", "32768.0", "5.24288e5", "8.38861e6"], by_hand=_sums),
)


@family(
    "steps of a few rounds",
    T_rounds=counts(1, 2, 10, most=30),
    tau=counts(1, 16, 3),
    P=counts(1, 3),
    c_lam=reals(1, 0.1, 10),
    c_eta=reals(1, 0.1, 10),
    q_s=reals("3/4", "11/20", "9/10", low=0.1, high=0.9),
    decreasing=choice(False, True),
)
def added_steps(
    *, T_rounds: Number, tau: Number, P: Number, c_lam: Number, c_eta: Number, q_s: Number, decreasing: bool
) -> dict[str, Any]:
    """Powers of the server's steps ``c_lambda tau^(1/4) a`` and the clients' ``c_eta tau^(-7/8) P^(-1/2) b``, added up.

    ``a`` and ``b^2`` are ``T^(-1/2)`` in every round, or ``(t + 1)^-q`` and ``(t + 1)^(-1/2)``.
    """
    fourth = sqrt(sqrt(tau))
    server, client2 = c_lam * fourth, c_eta**2 / (tau * fourth**3 * P)
    rounds = [t + 0 * q_s for t in range(1, T_rounds + 1)]
    fixed = 1 / sqrt(T_rounds)
    steps = [(t**-q_s, 1 / sqrt(t)) if decreasing else (fixed, fixed) for t in rounds]
    said = "they fall" if decreasing else "they are the same in all rounds"
    return {
        "sum_l": sum(server * a for a, _ in steps),
        "sum_l2": sum((server * a) ** 2 for a, _ in steps),
        "sum_e2l": sum(client2 * b2 * server * a for a, b2 in steps),
        "sum_l2e2": sum(client2 * b2 * (server * a) ** 2 for a, b2 in steps),
        "S-fixed": Fact(not decreasing, said),
        "S-dec": Fact(decreasing, said),
    }


SUM_FIXED = record(claims.SUM_FIXED, families=[added_steps])
SUM_DEC = record(claims.SUM_DEC, families=[added_steps])
