"""Lemma D.6: noise of a local step moves the next one, and a constraint stops theta* where a gradient is not zero."""

import itertools
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import lemma_d6 as claims
from rateproof.theory.papers.mefbo import notation as p
from rateproof.verify.form import counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.mefbo.families import drifting, one_round
from rateproof.verify.papers.mefbo.sources import one_source
from rateproof.verify.planted.mutate import Sharp

#: Two clients with g = -y^2/2 and two local steps, from 0.
TWO_STEPS = {"lower": "hill", "tau": 2, "v": 1, "gamma": "1/4", "L_2": 1}
#: g = -y on y <= 0, from 0.
AT_THE_WALL = {"lower": "slope", "Y": "half", "lambda_theta": "1/500", "L_2": 1}
LEMMA_D6 = record(
    claims.LEMMA_D6,
    refuted_by=example(
        one_round,
        **{**TWO_STEPS, "gamma": "2/5"},
        eta_theta="1/10000",
        eta_y="1/10000",
        lambda_theta="1/40",
        lambda_y="1/10000000",
        delta="1/100000",
        left="1.562635e-4",
        right="1.562602e-4",
        by_hand="g(y; zeta) = -y^2/2 + zeta y with zeta = -1 or 1, gamma = 2/5, from 0: a client has the direction "
        "((1 + eta) zeta_0 + zeta_1)/2, two have its mean h, E h^2 = (2 + 2 eta + eta^2)/8. With lambda = 1/40 "
        "theta^1 = -lambda h has the mean square 1.562656e-4; theta* = 5 y/3 takes 2.1e-9 of it. On the right there "
        "is (1 + delta) lambda^2/4 = 1.562516e-4. Drifts of eta^2/2 add (6 lambda^2 + 6 lambda/rho) 13.5 eta^2/2 = "
        "7.0e-9, the step of y adds 2 L_theta^2 lambda_y^2/(4 delta) = 1.6e-9.",
    ),
)
LEMMA_D6_CORRECTED = record(claims.LEMMA_D6_CORRECTED, families=[one_round, drifting, one_source])
ST_54 = record(claims.ST_54, families=[one_round, drifting, one_source])
ST_55 = record(claims.ST_55, families=[one_round], tight=Sharp())
ST_57 = record(claims.ST_57, families=[one_round, drifting, one_source])
ST_58 = record(
    claims.ST_58,
    refuted_by=example(
        one_round,
        **TWO_STEPS,
        eta_theta="1/100",
        eta_y="1/100",
        lambda_theta="1/500",
        left="20201/80000",
        right="20001/80000",
        by_hand="g(y; zeta) = -y^2/2 + zeta y with zeta = -1 or 1 and gamma = 1/4, from 0, with eta = 1/100: theta_1 = "
        "y_1 = -eta zeta_0, so a client has the direction (zeta_0 + zeta_1 + eta zeta_0)/2, with the noise (zeta_0 + "
        "zeta_1)/2 and the rest eta zeta_0/2. The mean of two has (2 + 2 eta + eta^2)/8, of the noises 1/4, of the "
        "rests eta^2/8.",
    ),
)
ST_59 = record(claims.ST_59, families=[one_round], tight=Sharp(exponents=(p.tau, p.P)))


@family(
    "numbers of clients that are drawn",
    n_cl=counts(2, 3, 5, 1, most=6),
    P=counts(1, 2, 3, most=6),
    apart=reals(1, 0, -1, 3, low=0.1, high=10, zero=True),
    first=reals(1, 0, -1, low=0.1, high=10, zero=True),
    uneven=reals(0, "1/2", low=0.1, high=0.9, zero=True),
)
def drawn(*, n_cl: int, P: int, apart: Number, first: Number, uneven: Number) -> dict[str, Any]:
    """``a_i = first + i apart``; the first client has more weight than the others."""
    if n_cl < P:
        raise ValueError(f"{P} of {n_cl} clients are not drawn")
    a = [(1 + (uneven * (n_cl - 1) if i == 0 else -uneven)) / n_cl * (first + i * apart) for i in range(n_cl)]
    subsets = list(itertools.combinations(a, P))
    return {
        "drawn_sq": sum((sum(some) * n_cl / P) ** 2 for some in subsets) / len(subsets),
        "mean_sq": sum(a) ** 2,
        "sq_weights": sum(x**2 for x in a),
        "sampled": Fact(True, "every subset is equally likely"),
    }


ST_60 = record(claims.ST_60, families=[drawn])
ST_61 = record(
    claims.ST_61,
    refuted_by=example(
        one_round,
        **AT_THE_WALL,
        left="1",
        right="0",
        by_hand="g = -y on y <= 0, x = y = theta = 0 and tau = 1: theta* = 0, so gap and drifts are 0, and the "
        "direction of theta is -1.",
    ),
)
ST_61_CORRECTED = record(claims.ST_61_CORRECTED, families=[one_round, drifting, one_source])
ST_62 = record(
    claims.ST_62,
    refuted_by=example(
        one_round,
        **AT_THE_WALL,
        left="1/2",
        right="0",
        by_hand="g = -y on y <= 0, x = y = theta = 0 and tau = 1: theta* = 0, so gap, drifts and Delta are 0, and the "
        "direction of both clients is -1, with the squared weights 1/4.",
    ),
)
ST_63 = record(
    claims.ST_63,
    refuted_by=example(
        one_round,
        **TWO_STEPS,
        eta_theta="1/1000",
        eta_y="1/1000",
        lambda_theta="1/100",
        left="0.25025",
        right="0.2501",
        by_hand="The instance of Lemma D.6 with eta = 1/1000, gamma = 1/4: h_theta is the mean of two clients' ((1 + "
        "eta) zeta_0 + zeta_1)/2, so its mean square is (2 + 2 eta + eta^2)/8. On the right there is sigma_g^2/(P "
        "tau) = 1/4, and drifts of the order eta^2. At tau = 1 a constraint alone refutes it, as at (61).",
    ),
)
ST_58_CORRECTED = record(claims.ST_58_CORRECTED, families=[one_round, drifting, one_source])
ST_62_CORRECTED = record(claims.ST_62_CORRECTED, families=[one_round, drifting, one_source])
ST_63_CORRECTED = record(claims.ST_63_CORRECTED, families=[one_round, drifting, one_source])
