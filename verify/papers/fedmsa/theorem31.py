"""Theorem 3.1, with its explicit forms (48) and (49)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts, symbols_of
from rateproof.theory.gram.domain import Domain
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.papers.fedmsa import theorem31 as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import Climb, Family, climb, counts, example, growing, record
from rateproof.verify.papers.fedmsa.runs import linear, many_steps, noisy_parabola, schedule
from rateproof.verify.planted.mutate import Sharp

ROUNDS = [16 * 64**k for k in range(5)]
FEW = [16 * 4**k for k in range(5)]
#: Where every step is too long.
SHORT = [4 * 2**k for k in range(5)]
MANY = [10**k for k in (4, 8, 12, 16, 20)]
CLIENTS = [10**k for k in range(1, 6)]
STEPS = [16 * 256**k for k in range(5)]
#: ``P`` as the mean over two clients, with the same run as their sum.
MEANS = {"adds": "mean", "tau_het": "1/2", "alpha_tau": "1/4", "c_alpha": 4}


def begun(family: Family, name: str, **first: Any) -> Family:
    """A family with other first corner values, of which a climb takes all that do not grow."""
    return family.narrowed(
        name,
        **{
            key: replace(family.ranges[key], corners=[x, *family.ranges[key].corners])
            for key, x in family.read(first).items()
        },
    )


def both(name: str, why: str, sigma: str, **params: Any) -> tuple[Climb, Climb]:
    """Along the rounds: ``P`` as a sum, and as a mean, whose noise is twice as large."""
    return (
        climb(noisy_parabola, name, why, **params),
        climb(noisy_parabola, f"{name}, means", why, **params, **MEANS | {"sigma_max": sigma}),
    )


_STAYS = "the noise of the first samples stays, by momentum 1/R"
SAMPLE, SAMPLE_MEAN = both("R -> infinity, one sample", _STAYS, "1/2", R_rounds=ROUNDS)
LATE, LATE_MEAN = both(
    "R -> infinity, one sample, steps of the proof",
    "of the noise of the first direction the share 1/(rho R) stays",
    "1/2",
    R_rounds=MANY,
    steps_are="proof",
)
#: Noise that is there at the first point alone, and a first batch that does not have it.
EARLY, EARLY_MEAN = (
    climb(
        noisy_parabola,
        f"R -> infinity, first batch of KR{of}",
        "what the first step changed stays, by momentum 1/R",
        noise="near the start",
        first="KR",
        size="1/4",
        R_rounds=ROUNDS,
        **numbers,
    )
    for of, numbers in (("", {"sigma_max": "1/8"}), (", means", {"sigma_max": "1/4", **MEANS}))
)
CROWD = climb(
    begun(
        noisy_parabola,
        "a parabola with the steps of the proof",
        steps_are="proof",
        first="KR",
        size=0,
        sigma_max=1,
        M=10,
        tau_het=10,
        R_rounds=100,
    ),
    "M = tau -> infinity, R = M^2",
    "all steps together have the length 1",
    M=CLIENTS,
    tau_het=CLIENTS,
    R_rounds=[M**2 for M in CLIENTS],
)
SMALL = climb(
    linear, "R -> infinity, alpha = 1/R", "all steps together have the length 1", maps="P = x", R_rounds=ROUNDS
)
_AWAY = "every step leads away from 0"
TURNS = climb(linear, "R -> infinity, P = J x", _AWAY, maps="P = J x", R_rounds=FEW, c_alpha=4)
TWO_TURN = climb(linear, "R -> infinity, P = J x, sums", _AWAY, maps="P^1 = P^2 = J x/2", R_rounds=FEW)
SLOPE = climb(linear, "R -> infinity, P = 1", "P is 1 everywhere", maps="P = 1", R_rounds=ROUNDS)
OUTWARD = climb(linear, "R -> infinity, S = -z", _AWAY, maps="S = -z", R_rounds=FEW)
STEEP = climb(linear, "R -> infinity, S = 5 z", "every step is too long", maps="S = 5 z", R_rounds=SHORT)
_ONE_ROUND = {"first": "one step", "R_rounds": 1, "start": 1, "sigma_max": 1, "tau_het": 0}
NO_STEP, NO_STEP_KINDLY = (
    climb(begun(many_steps, name, batch=batch, **_ONE_ROUND), "K -> infinity", "the first round has one step", K=STEPS)
    for name, batch in (("a round alone", "one"), ("a round alone, with a batch of KR", "KR"))
)
ALL = (
    SAMPLE, SAMPLE_MEAN, EARLY, EARLY_MEAN, LATE, LATE_MEAN, SMALL, CROWD, TURNS, SLOPE, OUTWARD, STEEP,
)  # fmt: skip

#: What the proof takes in all: the rate holds there.
_ALL = {"R_rounds": MANY, "steps_are": "proof", "first": "KR", "sigma_max": "1/2", **MEANS}
QUIET, QUIET_ALONE, QUIET_ALIKE, SILENT = (
    climb(noisy_parabola, f"R -> infinity, all of the proof{of}", "nothing stays", **_ALL | numbers)
    for of, numbers in (
        ("", {}),
        (", M = 1", {"M": 1}),
        (", tau = 0", {"M": 1, "tau_het": 0}),
        (", no noise", {"size": 0, "sigma_max": 0, "R_rounds": ROUNDS}),
    )
)
LARGE = climb(
    begun(noisy_parabola, "a parabola of equal clients", M=1, alpha_tau=3, tau_het=0, size=0, sigma_max="1/2").narrowed(
        "a parabola of equal clients", R_rounds=counts(16, 1, 64)
    ),
    "R -> infinity, alpha = 3",
    "every step is too long",
    R_rounds=SHORT,
)
ALONE = climb(
    begun(noisy_parabola, "a parabola of one client", M=1, alpha_tau="1/2", sigma_max="1/2"),
    "R -> infinity, one client",
    _STAYS,
    R_rounds=ROUNDS,
)
LONG_ROUND = climb(
    many_steps,
    "K -> infinity, K steps in the one round",
    "tau decides",
    R_rounds=1,
    K=STEPS,
    sigma_max=[4 * 4**k for k in range(5)],
)
#: Steps and momentum along ``R``, all constants 1.
SCHEDULE = climb(
    schedule, "R -> infinity", "(48) has lost the factor 1/R", R_rounds=[k**3 for k in (1, 9, 92, 930, 9400)]
)

THEOREM31 = record(
    claims.THEOREM31,
    climbs=(*ALL, NO_STEP_KINDLY, QUIET),
    refuted_by=growing(
        SAMPLE,
        ratios=["0.803602", "12.4422", "292.549", "5352.42", "88833.8"],
        by_hand="""P^m = (1 +- 1/2) x/2 for two clients, so P = x; S^m = z and S = 2 z, z_0 = 0: A5 holds with equality,
        tau = 1. p^m has the noise +-1/4, K = 1, alpha = 1 = 1/(tau K), rho = 1/R, x_0 = 1. Then x_{r+1} = (x_r -
        n_r)/2, n_0 = e_0, n_r = (1 - rho) n_{r-1} + rho e_r; e_r is -1/2, 0 or 1/2, of variance 1/8. So x_r follows
        -n_r, in which e_0 has the weight (1 - 1/R)^r, at least 1/4: the mean of E x_r^2 tends to (1 - e^(-2))/16 =
        0.054. Claimed is R^(-2/3)/4 and terms in 1/R.""",
    ),
)
_EDGES = {claim.item.rpartition(".")[2]: claim for claim in claims.EDGES}
WITHOUT_NOISE = record(
    _EDGES["sigma"],
    climbs=[SILENT],
    refuted_by=growing(
        TWO_TURN,
        ratios=["13.1034", "379.384", "4.39844e7", "7.3101e27", "5.57729e108"],
        by_hand="""P^1 = P^2 = J x/2 in the plane, J a quarter turn, so P = J x; S^m = z and S = 2 z, z_0 = 0: tau = 1.
        No noise, K = 1, alpha = 1/2, of the order 1/(tau K), rho = 1/R, |x_0| = 1. Then x_{r+1} = x_r - J x_r/4, and
        |x_r|^2 = (17/16)^r, as J x is orthogonal to x: the mean is 16 ((17/16)^R - 1)/R. Claimed is 2/R. No step is
        small enough: A to C do not say that P is a gradient.""",
    ),
)
EQUAL_CLIENTS = record(
    _EDGES["tau"],
    climbs=[QUIET_ALIKE],
    refuted_by=growing(
        LARGE,
        ratios=["37.7778", "8703.46", "5.04566e8", "1.89197e18", "3.00881e37"],
        by_hand="""One client, P = x, S = z, z_0 = 0, no noise, K = 1: tau = 0, and alpha tau K = 0 for alpha = 3. Then
        x_{r+1} = -2 x_r from 1, and the mean of 4^r over R rounds is (4^R - 1)/(3 R). Claimed is 1/R and terms of the
        noise.""",
    ),
)
ONE_STEP = record(
    _EDGES["K"],
    climbs=[QUIET],
    refuted_by=growing(
        SAMPLE,
        ratios=["0.803602", "12.4422", "292.549", "5352.42", "88833.8"],
        by_hand="""The instance of Theorem 3.1 has K = 1: the mean of E x_r^2 tends to (1 - e^(-2))/16.""",
    ),
)
ONE_CLIENT = record(
    _EDGES["M"],
    climbs=[QUIET_ALONE],
    refuted_by=growing(
        ALONE,
        ratios=["0.767127", "13.0143", "256.238", "4365.55", "71002.4"],
        by_hand="""One client, P = x with noise +-1/2, S = z, z_0 = 0, K = 1, alpha = 1/2, rho = 1/R, x_0 = 1. As for
        Theorem 3.1, with a variance of 1/4: the mean of E x_r^2 tends to (1 - e^(-2))/8 = 0.108. Claimed is (2
        R)^(-2/3) and terms in 1/R.""",
    ),
)
ONE_ROUND = record(
    _EDGES["R"],
    climbs=[LONG_ROUND],
    refuted_by=growing(
        NO_STEP,
        ratios=["2.1277", "50.5679", "930.749", "15762.4", "2.58110e5"],
        by_hand="""One client, P = x, S = z, z_0 = 0, no noise, tau = 0, x_0 = 1. In the only round K is set to 1, so
        that x_0 is returned: the left side is 1 for every K. Claimed is K^(-1/2) + 1/K + K^(-2/3), with sigma = 1.""",
    ),
)


def no_step(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """That no step satisfies (47), by real arithmetic."""
    wanted = [claim.expand(r) for h in claim.hypotheses if h.key in ("(47a)", "(47c)") for r in conjuncts(h.relation)]
    about = sorted(symbols_of(*wanted), key=str)
    if Domain(tuple(about), tuple(wanted)).contradictory():
        yield Evidence(
            Finding.VACUOUS,
            Level.CERTIFICATE,
            "real arithmetic",
            "no alpha > 0 satisfies (47): B <= alpha says L_{z,1} = 0, and then -A + 3 B/2 is 2 alpha, not alpha/8",
        )


EXPLICIT_A = record(claims.EXPLICIT_A, check=no_step)
EQ48 = record(claims.EQ48, check=no_step)
EXPLICIT_B = record(
    claims.EXPLICIT_B,
    climbs=[QUIET],
    refuted_by=growing(
        CROWD,
        ratios=["6.7384", "95.5445", "995.375", "9995.36", "99995.4"],
        by_hand="""M clients, P^m = (1 +- 1/2) x/M, so P = x; S^m = z and S = M z, z_0 = 0, no noise, tau = M, R = M^2,
        K = 1, sigma = 1. The least of the four is 1/tau, alpha = 1/M. Then x_{r+1} = (1 - 1/R) x_r from 1, and x_r^2 is
        at least (1 - 1/R)^(2 R) >= 1/16 in every round. Claimed is a constant over M.""",
    ),
)
EQ49_A = record(
    claims.EQ49_A,
    refuted_by=growing(
        SCHEDULE,
        ratios=["28.5309", "293.727", "3002.77", "30338.0", "3.06624e5"],
        by_hand="""All constants are 1, M = K = b = 1, b_0 = R: rho = rho_2 = R^(-2/3), alpha = R^(-1/3). (48) has 24
        e/(rho b_0) = 24 e R^(-1/3); all six terms of (49) together are at most 7 R^(-2/3).""",
    ),
)
EQ49_A_CORRECTED = record(claims.EQ49_A_CORRECTED, families=[schedule])
EQ49_B = record(claims.EQ49_B, families=[schedule], tight=Sharp())
STEP_14 = record(claims.STEP_14, families=[schedule])
EQ49_RHO = record(
    claims.RHO_SMALL,
    refuted_by=example(
        schedule,
        left="4",
        right="1",
        by_hand="""M = K = b = R = 1, L_h = sigma = 1 and Delta_W = 8: rho_2 = 8^(2/3) = 4.""",
        Delta_W=8,
    ),
)
EQ49_RHO_CORRECTED = record(claims.RHO_SMALL_CORRECTED, families=[schedule])


def unlike_units(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """What the toolkit finds of units in the printed claims of the paper."""
    printed = [one for one in catalog.claims(claim.paper).values() if one.statement is not None and not one.amends]
    unlike = [one.item for one in printed if inhomogeneities(one)]
    said = f"of {len(printed)} printed claims {len(unlike)} add unlike units: {', '.join(unlike)}"
    yield Evidence(Finding.INCONCLUSIVE, Level.EXACT, "units", said)


STEP_16 = record(claims.STEP_16, check=unlike_units, families=[schedule])
