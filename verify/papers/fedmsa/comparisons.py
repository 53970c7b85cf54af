"""Comparisons, Table 1, complexities, and what the paper quotes of others."""

from collections.abc import Iterable
from dataclasses import asdict

from rateproof.algos import engine
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedmsa import comparisons as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.experiments import experiment
from rateproof.verify.form import Record, climb, growing, record
from rateproof.verify.form.family import Climb
from rateproof.verify.papers.fedmsa.runs import MANY_STEPS, many_steps, noisy_parabola, rate
from rateproof.verify.papers.fedmsa.theorem31 import MANY, MEANS, QUIET, ROUNDS, SAMPLE, begun
from rateproof.verify.planted.mutate import Sharp

CROWD = climb(rate, "M -> infinity", "tau/R does not fall with M", M=[16**k for k in range(1, 6)], sigma_max=0)
FEWER = [f"1/{R**2}" for R in MANY]
ALONG = [
    climb(rate, "R -> infinity", "the terms of the noise are the largest", R_rounds=ROUNDS),
    climb(rate, "R -> infinity, no noise", "the first terms are the largest", R_rounds=ROUNDS, sigma_max=0),
    climb(rate, "K -> infinity", "heterogeneity has the largest term", K=ROUNDS),
    climb(rate, "R -> infinity, tau = sigma = 1/R^2", "few local steps", R_rounds=MANY, tau_het=FEWER, sigma_max=FEWER),
    climb(rate, "R -> infinity, sigma = 1", "the last term is the largest", R_rounds=MANY, tau_het=0, sigma_max=1),
    climb(rate, "R = sigma -> infinity", "the third term is the largest", R_rounds=MANY, tau_het=0, sigma_max=MANY),
]
NOISY = climb(rate, "R -> infinity, much noise", "the last term is the largest", R_rounds=ROUNDS, sigma_max=100)
#: As many local steps as heterogeneity and noise ask for.
STEPS = [4 * 8**k for k in range(5)]
ENOUGH, ENOUGH_OF_Z = (
    climb(
        many_steps,
        f"R = 4 K (K - 1) -> infinity, of {of}",
        "tau/R decides",
        of=of,
        R_rounds=[4 * K * (K - 1) for K in STEPS],
        K=STEPS,
    )
    for of in "xz"
)
#: The inner sequence of a composition that is constant, with all that the proof takes.
TRACKED = climb(
    noisy_parabola,
    "R -> infinity, all of the proof, noise of z",
    "with one local step the noise has the largest term",
    of="z",
    R_rounds=MANY,
    steps_are="proof",
    first="KR",
    sigma_max="1/2",
    **MEANS,
)
VALUES = climb(
    begun(noisy_parabola, "an inner sequence with noise", of="z", alpha_tau="1/2", sigma_max="1/2"),
    "R -> infinity, one sample, noise of z",
    "the noise of the first samples stays, by momentum 1/R",
    R_rounds=ROUNDS,
)


def _short_of(one: Climb, ratios: list[str], by_hand: str, claim: Claim) -> Record:
    """A complexity along which no accuracy is reached, and the same with the steps of the proof."""
    return record(
        claim, climbs=[QUIET, TRACKED, ENOUGH, ENOUGH_OF_Z], refuted_by=growing(one, ratios=ratios, by_hand=by_hand)
    )


_RATIOS = ["2.34553", "56.6255", "3542.95", "2.26668e5", "1.45067e7"]
_BY_HAND = """The instance of Theorem 3.1, which is bilevel for f^m = (1 +- 1/2) x^2/4 and g^m = w^2/2: the left side
tends to (1 - e^(-2))/16 = 0.054, and no accuracy below that is reached. With eps what R rounds reach, R eps/tau grows
like R. Read kindly eps is of the order R^(-2/3) for K = 1, and R eps/tau of the order R^(1/3): K has to grow."""
COMMUNICATION = _short_of(SAMPLE, _RATIOS, _BY_HAND, claims.COMMUNICATION)
CORRECTED = tuple(
    record(claim, families=MANY_STEPS) for claim in (claims.COMMUNICATION_CORRECTED, *claims.OURS_CORRECTED)
)
MSA, BLO = (_short_of(SAMPLE, _RATIOS, _BY_HAND, claims.ROWS[k]) for k in (1, 5))
MCO = _short_of(
    VALUES,
    _RATIOS,
    """f^{m,0} = 0 with samples +-1/2, f^{m,1} = z, two clients: P = 0, S^m = z with samples z +- 1/2, S = 2 z, tau = 1.
    K = 1, beta = 1/2, rho = 1/R, z_0 = 1. Then z_{r+1} = (z_r - n_r)/2 with the n_r of Theorem 3.1: the left side tends
    to (1 - e^(-2))/16 = 0.054, and no accuracy below that is reached. R eps/tau grows like R.""",
    claims.ROWS[9],
)
ROUNDS_NEEDED = record(claims.STEP_15_ROUNDS, climbs=ALONG)
LOCAL = record(claims.STEP_15_LOCAL, families=MANY_STEPS)
SAMPLES = record(claims.STEP_15_SAMPLES, families=MANY_STEPS)
SPEEDUP = record(
    claims.SPEEDUP,
    climbs=[NOISY],
    refuted_by=growing(
        CROWD,
        ratios=["16", "256", "4096", "65536", "1.04858e6"],
        by_hand="""R = K = 16, tau = 1/4, sigma = 0: the rate of M clients is (1/4 + 1/4)/16 for every M, that of one
        client after M R rounds is M times smaller.""",
    ),
)
SPEEDUP_CORRECTED = record(claims.SPEEDUP_CORRECTED, families=[rate])
HETEROGENEITY = record(claims.HETEROGENEITY, families=[rate], tight=Sharp())
STSA = record(claims.STSA, families=[rate], tight=Sharp())


def quoted(claim: Claim, method: str = "") -> Record:
    """What the paper says of others: no verdict, and what a round of the method counts here where there is one."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        counted = ""
        if method:
            built = experiment.build(
                method.lower(), "random_bilevel_quadratic", {"alpha": 0.1, "beta": 0.1, "m": 3}, R=1
            )
            counts = asdict(engine.run(built.method, built.problem, built.x0, R=1).counts)
            counted = f"; here a round of {method} has {counts['lower_rounds']} more rounds at the lower level"
        said = "it is said of other papers, whose assumptions do not stand in this one"
        yield Evidence(Finding.NO_CHECK, Level.EXACT, "none", f"{said}{counted}")

    return record(claim, check=check)


_HERE = {"tab1.3": "FedNest", "tab1.4": "FedMBO", "tab1.8": "FedNest"}
QUOTED = tuple(
    quoted(claim, _HERE.get(claim.item, ""))
    for claim in (*claims.ROWS, claims.FIRST, *claims.RELATED)
    if claim.statement is None
)
