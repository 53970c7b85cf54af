"""Theorem 3.1, with its explicit forms (48) and (49)."""

from rateproof.theory.papers.fedmsa import theorem31 as claims
from rateproof.verify.form import climb, growing, record
from rateproof.verify.papers.fedmsa.runs import (
    inner_sequence,
    noisy_parabola,
    one_round,
    rotation,
    schedule,
    slope,
)

ROUNDS = [16 * 64**k for k in range(5)]
FEW = [16 * 4**k for k in range(5)]
MANY = [10**k for k in (4, 8, 12, 16, 20)]
#: ``P`` as the mean over two clients, with the same run as their sum.
MEANS = {"adds": "mean", "tau_het": "1/2", "alpha_tau": "1/4", "c_alpha": 4}
#: Noise that is there at the first point alone, and a first batch that does not have it.
START = {"noise": "near the start", "first": "KR", "size": "1/4", "R_rounds": ROUNDS}

_STAYS = "the noise of the first samples stays, by momentum 1/R"
_SHARE = "of the noise of the first direction the share 1/(rho R) stays"
_MOVED = "what the first step changed stays, by momentum 1/R"
SAMPLE = climb(noisy_parabola, "R -> infinity, one sample", _STAYS, R_rounds=ROUNDS)
SAMPLE_MEAN = climb(
    noisy_parabola, "R -> infinity, one sample, means", _STAYS, R_rounds=ROUNDS, sigma_max="1/2", **MEANS
)
LATE = climb(
    noisy_parabola, "R -> infinity, one sample, steps of the proof", _SHARE, R_rounds=MANY, steps_are="proof", tau_het=1
)
LATE_MEAN = climb(
    noisy_parabola,
    "R -> infinity, one sample, steps of the proof, means",
    _SHARE,
    R_rounds=MANY,
    steps_are="proof",
    sigma_max="1/2",
    **MEANS,
)
EARLY = climb(noisy_parabola, "R -> infinity, first batch of KR", _MOVED, sigma_max="1/8", **START)
EARLY_MEAN = climb(noisy_parabola, "R -> infinity, first batch of KR, means", _MOVED, sigma_max="1/4", **START, **MEANS)
SMALL = climb(
    noisy_parabola,
    "R -> infinity, alpha = 1/(tau R)",
    "all steps together have the length 1",
    R_rounds=ROUNDS,
    steps_are="small",
    first="KR",
    size=0,
    sigma_max=0,
    **MEANS,
)
CROWD = climb(
    noisy_parabola,
    "M = R -> infinity",
    "all steps together have the length 1",
    R_rounds=ROUNDS,
    M=ROUNDS,
    steps_are="proof",
    first="KR",
    size=0,
    sigma_max=1,
)
TURNS = climb(rotation, "R -> infinity", "every step leads away from 0", R_rounds=FEW, adds="mean", c_alpha=4)
SLOPE = climb(slope, "R -> infinity", "P is 1 everywhere", R_rounds=ROUNDS)
OUTWARD = climb(inner_sequence, "R -> infinity, S = -z", "every step leads away from 0", R_rounds=FEW)
STEEP = climb(
    inner_sequence, "R -> infinity, S = 5 z", "every step is too long", R_rounds=[4 * 2**k for k in range(5)], mu=5
)
ALL = (
    SAMPLE, SAMPLE_MEAN, EARLY, EARLY_MEAN, LATE, LATE_MEAN, SMALL, CROWD, TURNS, SLOPE, OUTWARD, STEEP,
)  # fmt: skip

#: What the proof takes in all: the rate holds there.
QUIET = climb(
    noisy_parabola,
    "R -> infinity, steps and samples of the proof, means",
    "nothing stays",
    R_rounds=MANY,
    steps_are="proof",
    first="KR",
    sigma_max="1/2",
    **MEANS,
)
SMALL_SUM = climb(
    noisy_parabola,
    "R -> infinity, alpha = 1/(tau R), sums",
    "all steps together have the length 1/2",
    R_rounds=ROUNDS,
    steps_are="small",
    size=0,
    sigma_max=0,
)
LARGE = climb(
    noisy_parabola,
    "R -> infinity, alpha = 3",
    "every step is too long",
    R_rounds=[4 * 2**k for k in range(5)],
    M=1,
    tau_het=0,
    alpha_tau=3,
    size=0,
)
ALONE = climb(
    noisy_parabola, "R -> infinity, one client", _STAYS, R_rounds=ROUNDS, M=1, alpha_tau="1/2", sigma_max="1/2"
)
ROUND = "the first round has one step"
NO_STEP = climb(one_round, "K -> infinity", ROUND, K=ROUNDS)
NO_STEP_KINDLY = climb(one_round, "K -> infinity, first batch of KR", ROUND, K=ROUNDS, first="KR")
#: Steps and momentum along ``R``, all constants 1.
SCHEDULE = climb(
    schedule, "R -> infinity", "(48) has lost the factor 1/R", R_rounds=[64 ** (2 * k) for k in range(1, 6)]
)

THEOREM31 = record(
    claims.THEOREM31,
    climbs=(*ALL, QUIET),
    refuted_by=growing(
        SAMPLE,
        ratios=["0.803814", "12.4"],
        by_hand="""later""",
    ),
)
