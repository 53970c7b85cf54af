"""Lemma D.7: drifts along a slope, along a constraint, and of clients with opposite slopes."""

from typing import Any

from rateproof.theory.papers.mefbo import lemma_d7 as claims
from rateproof.verify.form import choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.mefbo.families import drifting, one_round, uphill
from rateproof.verify.papers.mefbo.sources import one_source
from rateproof.verify.planted.mutate import Sharp

#: f = x + const. from 4 on, g = 0.
ALONG_A_SLOPE = {"lower": "slope", "g": 0, "f_x": "1/3", "x_t": 6, "lambda_theta": "1/1000"}
#: What the right sides of (67) and (69) are made of.
SOURCES = ("sig_g", "Het", "gap2", "D_x", "Lip_g", "Lip_f", "sig_f")
#: g = y^2/2, where y is not theta* = theta.
OFF_THETA = {"lower": "bowl", "y_t": 6, "theta_t": 5, "tau": 2, "lambda_theta": "1/1250"}
WHY_OFF = (
    "g = y^2/2, f = 0, X = Y = R, gamma = 1/5, tau = 2, y = 6 and theta = 5, which is theta*. So the gap is 0, and as "
    "g does not depend on x, L_g = 0. The direction of y is 6 - 5 = 1, that of theta 0: Delta_y = eta^2/2 with eta = "
    "1/100, and Delta_theta = 0."
)
LEMMA_D7 = record(
    claims.LEMMA_D7,
    families=[one_round, uphill],
    refuted_by=example(
        one_round,
        **ALONG_A_SLOPE,
        tau=20,
        eta_x="1/100",
        eta_y="1/1000",
        eta_theta="1/1000",
        left="247/20000",
        right="3/500",
        by_hand="f(x, y) = x where the steps lead, g = 0, c_t = 1 and no noise: x_k = x - k eta_x, so Delta_x = "
        "eta_x^2 (tau - 1)(2 tau - 1)/6, which is 123.5 eta_x^2 for tau = 20. The bound is 60 eta_x^2; eta_x = 1/100.",
    ),
)
DRIFT_X = record(claims.DRIFT_X, families=[one_round, drifting, one_source])
LEMMA_D7_SIMP = record(
    claims.LEMMA_D7_SIMP,
    families=[one_round, uphill],
    refuted_by=example(
        one_round,
        **OFF_THETA,
        left="1/20000",
        right="0",
        by_hand=f"{WHY_OFF} A = B = 0, so 2 {{A + B}} = 0. A constraint refutes it as well: on y <= 0 with g = -y, "
        "from 0, theta is carried out of Y.",
    ),
)
LEMMA_D7_SIMP_CORRECTED = record(claims.LEMMA_D7_SIMP_CORRECTED, families=[one_round, one_source])
ST_66 = record(
    claims.ST_66,
    families=[one_round, uphill],
    refuted_by=example(
        one_round,
        **OFF_THETA,
        left="1/20000",
        right="3/1000000",
        by_hand=f"{WHY_OFF} A = B = 0, so the right side of (69) is a Delta_y with a = 600 eta^2. A constraint refutes "
        "(67) as well: on y <= 0 with g = -y, from 0, theta is carried out of Y.",
    ),
)


@family(
    "drifts of theta and y that solve both equations",
    tau=counts(2, 1, 10, most=10),
    gamma=reals(1, 10, "1/10", low=0.1, high=10),
    eta_y=reals("1/100", "1/10000", low=0.0001, high=0.01),
    eta_theta=reals("1/100", "1/10000", low=0.0001, high=0.01),
    share_s=reals(1, "1/2", low=0.1, high=2),
    source=choice("none", *SOURCES),
)
def solved(
    *, tau: int, gamma: Number, eta_y: Number, eta_theta: Number, share_s: Number, source: str
) -> dict[str, Any]:
    """The right sides for one source alone, of size 1; (67) and (69) are numbers, and there is no method."""
    one = gamma / gamma
    sizes = {name: one if name == source else 0 * one for name in SOURCES}
    numbers = {"L_2": one / 10, "c_t": one, **sizes}
    L_2, D_x, gap2, Het = numbers["L_2"], sizes["D_x"], sizes["gap2"], sizes["Het"]
    G2 = L_2**2 + 1 / gamma**2
    a, b, e = 12 * eta_y**2 * tau / gamma**2, 6 * eta_theta**2 * tau / gamma**2, 6 * eta_theta**2 * tau * G2
    A = eta_theta**2 * tau * (sizes["sig_g"] ** 2 + 4 * Het**2 + 4 * G2 * gap2 + 6 * L_2**2 * D_x)
    f = 2 * sizes["sig_f"] ** 2 + 4 * sizes["Lip_f"] ** 2
    B = eta_y**2 * tau * (2 * sizes["sig_g"] ** 2 + 10 * sizes["Lip_g"] ** 2 + 12 * G2 * gap2 + f)
    D_y = share_s * (B + a * A / (1 - e)) / (1 - a - a * b / (1 - e))
    return {**numbers, "D_y": D_y, "D_theta": (A + b * D_y) / (1 - e)}


ST_70 = record(claims.ST_70, families=[solved, one_round], tight=Sharp())
#: Noise that moves the next direction: g = -y^2/2 + zeta y, or f = x^2/2 + xi x near 0, from 0, with steps of 1/2.
THREE_STEPS = {"tau": 3, "eta_x": "1/2", "eta_y": "1/2", "eta_theta": "1/2"}
WHY_THREE = (
    "g(y; zeta) = -y^2/2 + zeta y with zeta = -1 or 1, y = theta = 0, eta = 1/2 and tau = 3: {0}_1 = -zeta_0/2, so the "
    "direction after it is zeta_1 + zeta_0/2. The sums of two have the mean squares 13/4, of the noises 2, of the "
    "rests 1/4. So the drift is eta^2 (1 + 13/4)/3, and the right side eta^2 (1 + 2 + 1/4)/3."
)
SPLIT_X = record(
    claims.SPLIT_X,
    refuted_by=example(
        one_round,
        f_x=1,
        u=1,
        **THREE_STEPS,
        left="3/16",
        right="13/16",
        by_hand="f(x; xi) = x^2/2 + xi x near 0 with xi = -1 or 1, from 0, eta = 1/2 and tau = 3: x_1 = -xi_0/2, so "
        "the direction after it is xi_1 - xi_0/2. The sums of two have the mean squares 5/4, of the noises 2, of the "
        "rests 1/4. So the drift is eta^2 (1 + 5/4)/3, and the right side eta^2 (1 + 2 + 1/4), with 1/tau 13/48. Only "
        "the equality falls here.",
    ),
)
SPLIT_THETA, SPLIT_Y = (
    record(
        claim,
        refuted_by=example(
            one_round,
            lower="hill",
            v=1,
            **THREE_STEPS,
            left="17/48",
            right="13/48",
            by_hand=WHY_THREE.format(name),
        ),
    )
    for claim, name in ((claims.SPLIT_THETA, "theta"), (claims.SPLIT_Y, "y"))
)
SPLIT_X_CORRECTED, SPLIT_THETA_CORRECTED, SPLIT_Y_CORRECTED = (
    record(claim, families=[one_round, drifting, one_source])
    for claim in (claims.SPLIT_X_CORRECTED, claims.SPLIT_THETA_CORRECTED, claims.SPLIT_Y_CORRECTED)
)
ST_75A = record(claims.ST_75A, families=[one_round])
ST_76A = record(claims.ST_76A, families=[one_round])
ST_75B = record(
    claims.ST_75B,
    refuted_by=example(
        one_round,
        lower="waves",
        k=1,
        O_x=0,
        lambda_theta="1/1000",
        left="1/500",
        right="1/5000",
        by_hand="g = 1 - cos(y - x), so L_g = 1, f = 0, no noise, from 0: gap, drifts and A are 0, and B = 10 tau "
        "eta_y^2 L_g^2 with tau = 1 and eta_y = 1/100. Twice B is 20 eta_y^2, and (76) has 2 eta_y^2.",
    ),
)
ST_75B_CORRECTED = record(claims.ST_75B_CORRECTED, families=[one_round, drifting, one_source])
ST_66_CORRECTED = record(claims.ST_66_CORRECTED, families=[one_round, drifting, one_source])
