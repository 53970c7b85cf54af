"""The experiments of Section 4: the levels of the risk-averse problem, and what was rerun.

The runs are those of :mod:`rateproof.verify.papers.fedmsa.tuning`, whose command makes ``courses.jsonl``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from rateproof.algos.problems.base import Array, Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedmsa import experiments as claims
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.experiments.intervals import SURE, decided, estimate, half_width
from rateproof.verify.form import choice, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.papers.fedmsa import risk
from rateproof.verify.papers.fedmsa.tuning import (
    DATA,
    EQUAL,
    KEPT,
    LEVELS,
    LOCAL_STEPS,
    MSA,
    NEST,
    ROUNDS,
    Cell,
    Data,
    courses,
)
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget
    from rateproof.verify.experiments.courses import Course


@family(
    "two scenarios",
    U_high=reals(4, 1, 100),
    U_low=reals(0, 1, low=0.1, high=10, zero=True),
    weight_u=reals(1, "1/2", low=0.01, high=1),
    offset_u=reals(0, "1/10", low=0.01, high=1, zero=True),
    levels=choice("displayed", "squared"),
)
def two_scenarios(*, U_high: Number, U_low: Number, weight_u: Number, offset_u: Number, levels: str) -> dict[str, Any]:
    """``U`` is one of two numbers, each with probability 1/2.

    ``U_high``: the larger of the two numbers; ``U_low``: the smaller one; ``weight_u``: weight of the deviation;
    ``offset_u``: what is added under the root of f_2; ``levels``: whether f_1 is as displayed or squared.
    """
    if U_high < U_low:
        raise ValueError("U_high is at least U_low")
    mean, above = (U_high + U_low) / 2, (U_high - U_low) / 2
    deviation = sqrt(above**2 / 2)
    root = sqrt((above / 2 if levels == "displayed" else above**2 / 2) + offset_u)
    return {
        "mean_u": mean,
        "deviation": deviation,
        "root_u": root,
        "risk": mean + weight_u * deviation,
        "composed": mean + weight_u * root,
        "levels": Fact(levels == "displayed", f"f_1 is the {levels} one"),
        "squared": Fact(levels == "squared", f"f_1 is the {levels} one"),
    }


MCO = record(
    claims.MCO,
    refuted_by=example(
        two_scenarios,
        U_high=4,
        U_low=0,
        weight_u=1,
        offset_u=0,
        levels="displayed",
        left="3.41421",
        right="3",
        by_hand="U = 0 or 4, each with probability 1/2, lambda = 1, delta = 0: E U = 2 and max(0, U - 2) = 0 or 2. "
        "Its mean square is 2, so the objective is 2 + sqrt(2). Its mean is 1, so f_2(f_1(f_0(x))) = 2 + 1.",
    ),
)

MCO_CORRECTED = record(claims.MCO_CORRECTED, families=[two_scenarios])

#: Updates of centralised training with which FedMSA is compared after 1,000 of its own, and the symbol for each.
_AFTER = {"as many updates": ("left_one", risk.UPDATES), "as many communications": ("left_few", risk.UPDATES // 5)}
#: How far z moves along, ``1 - (1 - beta)^1000``, by the hypothesis of a reading.
_LAGS = {
    "code": "; all steps of z together take it 1.4 percent of its way, so that f_1 and f_2 keep the slopes of the "
    "start",
    "equal steps": "; 1,000 steps of 0.0001 take z a tenth of its way, of 0.0003 a quarter, so that f_1 and f_2 keep "
    "slopes from near the start",
}


def compared(courses: risk.Courses, which: str) -> Iterator[Trial]:
    """The recorded runs that a hypothesis asks for; the sides differ by the median of the differences over draws.

    The error reaches as far as the interval around it does towards zero.
    """
    if which == "equal steps":
        found = [risk.equal(step) for step in risk.EQUAL]
    else:
        found = [risk.best(courses) if which == "best steps" else risk.AUTHORS]
    chance = SURE / (len(found) * len(_AFTER))
    for ours, other in found:
        left = courses[str(ours)][:, -1]
        for said, (symbol, updates) in _AFTER.items():
            lead = courses[str(other)][:, updates * risk.RECORDS // risk.UPDATES] - left
            middle, (low, high) = float(np.median(lead)), risk.interval(lead, chance)
            steps = f"FedMSA with steps {ours.alpha:g} of x and {ours.beta:g} of z, the other with {other.alpha:g}"
            yield estimate(
                f"{steps}, after {said}: FedMSA is nearer in {np.sum(lead > 0)} of {len(lead)} draws",
                {"left_msa": float(np.median(left)), symbol: float(np.median(left)) + middle},
                {
                    "risk": Fact(True, "a matrix of N(0, 1) entries is no covariance, its absolute value is taken"),
                    "printed": Fact(False, "the paper does not say its steps"),
                    **{key: Fact(key == which, steps) for key in ("code", "equal steps", "best steps")},
                },
                error=middle - low if middle > 0 else high - middle,
                chance=chance,
                at={"ours": str(ours), "other": str(other), "after": said},
            )


def check_risk(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """What the steps decide that each reading takes; the printed ones are not said."""
    courses = risk.recorded()
    readings = {"": (claim, "code")} | {s.reading: (claim.read(s), s.adding[0].key) for s in claim.switches}
    for reading, (read, which) in readings.items():
        trials = list(compared(courses, which))
        detail = "; ".join(trial.label for trial in trials) + _LAGS.get(which, "")
        detail = detail if reading else f"the paper does not say its steps; with those of the authors' code, {detail}"
        yield decide(read, trials, method="recorded runs", detail=detail, reading=reading)


MCO_1 = record(claims.MCO_1, check=check_risk)


# --- loss tuning, from recorded runs


def reached(course: Course, accuracy: float) -> tuple[Array, bool]:
    """Rounds at the first record with the accuracy, by repetition; those of the run where there is none.

    The second says whether all repetitions have one.
    """
    there = course.accuracy >= accuracy
    first = np.where(there.any(axis=1), there.argmax(axis=1), len(course.rounds) - 1)
    return course.rounds[first], bool(there.any(axis=1).all())


def ended(cell: Cell, iterations: float) -> Array:
    """Accuracy of the model with the least validation loss of so many iterations, by repetition.

    FedMSA diverges later on in some repetitions; the authors stopped when the loss did not fall any more.
    """
    course = courses()[str(cell)]
    within = course.rounds <= min(iterations * (2 if cell.name == MSA else 8), ROUNDS[cell.name])
    at = course.loss[:, within].argmin(axis=1)
    return np.asarray(np.take_along_axis(course.accuracy, at[:, None], axis=1)[:, 0])


def diverging() -> str:
    """How FedMSA ends at K = 12, as it is and where no scale of the logits falls below 0.1."""
    said = []
    for name in (MSA, KEPT):
        loss = courses()[str(Cell(name, 12, 0.3))].loss
        many = f"{np.sum(loss[:, -1] > 2 * loss.min(axis=1))} of {len(loss)} repetitions"
        said.append(f"in {many} of {name} (at most {loss[:, -1].max():.3g})")
    why = "steps of x take a scale of the logits below 0, where the lower level bends down and v grows"
    return f"; on the digits with K = 12 the loss ends above twice its least one {' and '.join(said)}: {why}"


def gap(course: Course) -> float:
    """Rounds between records."""
    return float(np.diff(course.rounds).max())


def _trial(rival: str, said: str, values: dict[str, float], error: float, chance: float) -> Trial:
    facts = {
        "images": Fact(False, "fewer images"),
        "sizes": Fact(False, "50 clients"),
        "printed": Fact(rival == NEST, f"{rival} beside FedMSA"),
        "same steps": Fact(rival == EQUAL, f"{rival} beside FedMSA"),
        "fewer": Fact(True, "the digits of scikit-learn, or 5,000 images of MNIST"),
    }
    label = f"{said} ({rival} beside FedMSA)"
    return estimate(label, values, facts, error=error, chance=chance, at={"cell": said})


def run_of(*methods: tuple[str, int], data: Data = "digits") -> list[tuple[Cell, ...]]:
    """The cells of all these methods, each with its ``K``, for every ``q`` at which all of them were run."""
    found = [tuple(Cell(name, K, q, data) for name, K in methods) for q in LEVELS]
    return [cells for cells in found if all(str(cell) in courses() for cell in cells)]


def rounds_to(accuracy: float, factor: float, rival: str, chance: float) -> Iterator[Trial]:
    """Rounds to an accuracy at K = 12 for every q; the error is that of FedNest less ``factor`` times FedMSA.

    Rounds between two records are not seen, and where FedNest never has the accuracy a bound from below is known.
    """
    known = [cells for data in DATA for cells in run_of((MSA, 12), (rival, 12), data=data)]
    for cells in known:
        ours, other = (courses()[str(cell)] for cell in cells)
        (mine, all_mine), (theirs, all_theirs) = reached(ours, accuracy), reached(other, accuracy)
        mine = mine[: len(theirs)]  # the same repetitions
        lead = theirs - factor * mine
        each = chance / len(known)
        error = half_width(lead, each) + max(gap(other), factor * gap(ours))
        if not all_mine or (not all_theirs and lead.mean() < 0):
            error = math.inf
        values = {"rounds_msa": float(mine.mean()), "rounds_nest": float(theirs.mean())}
        yield _trial(rival, f"{cells[0].data}, {accuracy:.0%} at q = {cells[0].q:g}", values, error, each)


def ninety(rival: str, chance: float) -> Iterator[Trial]:
    """Rounds to 90 percent at K = 12 for every q, a method a trial: one that never gets there bounds no other."""
    known = run_of((MSA, 12), (rival, 12))
    for cell in chain(*known):
        course, each = courses()[str(cell)], chance / (2 * len(known))
        rounds, complete = reached(course, 0.9)
        symbol, most = ("rounds_msa", 250) if cell.name == MSA else ("rounds_nest", 2000)
        # what ended before its accuracy is a bound from below, which shows that there are more rounds, and no fewer
        error = half_width(rounds, each) + gap(course) if complete or rounds.mean() > most else math.inf
        yield _trial(rival, f"digits, 90% at q = {cell.q:g}", {symbol: float(rounds.mean())}, error, each)


def leads(iterations: float = math.inf) -> list[tuple[str, Array, Array]]:
    """By how much FedMSA is more accurate than FedNest with fewer and with more local steps, for every q."""
    out = []
    for few, many in combinations(LOCAL_STEPS, 2):
        for cells in run_of(*product((MSA, NEST), (few, many))):
            ours, ours_late, other, other_late = (ended(cell, iterations)[:10] for cell in cells)
            out.append((f"digits, q = {cells[0].q:g}, K = {few} and {many}", ours - other, ours_late - other_late))
    return out


def accuracies(chance: float) -> Iterator[Trial]:
    """How far FedMSA is ahead in the end."""
    known = leads()
    for said, few, many in known:
        each = chance / (2 * len(known))
        error = max(half_width(few, each), half_width(many - few, each))
        yield _trial(NEST, said, {"lead": float(few.mean()), "lead_late": float(many.mean())}, error, 2 * each)


def gains(chance: float) -> Iterator[Trial]:
    """What more local steps give after 100 iterations, of FedMSA less that of FedNest."""
    known = leads(100)
    for said, few, many in known:
        gain, each = many - few, chance / len(known)
        yield _trial(NEST, said, {"lead": float(gain.mean())}, half_width(gain, each), each)


Trials = Callable[[float], Iterator[Trial]]
#: Why the figures as printed have no verdict.
NOT_RUN = "Long-tailed MNIST, its network and 1,000 rounds on 100 clients were not run"


def rerun(also: Callable[[], str] = str, **readings: Trials) -> Callable[[Claim, Budget], Iterator[Evidence]]:
    """The check of a figure by the recorded runs, for its readings by their names."""

    def checked(claim: Claim, budget: Budget) -> Iterator[Evidence]:
        yield Evidence(Finding.NO_CHECK, Level.CERTIFICATE, "none", NOT_RUN + also())
        for switch in claim.switches:
            trials = readings[switch.name]
            seen = "; ".join(f"{t.label}: {_shown(t)}" for t in trials(SURE))
            yield decided(claim.read(switch), trials, detail=seen, reading=switch.reading)

    return checked


def _shown(trial: Trial) -> str:
    return ", ".join(f"{name} = {value:.4g}" for name, value in trial.values.items())


def check_setting(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """The description of an experiment."""
    said = "it says what was run, which cannot fail; dealing by q is tried in smaller experiments"
    yield Evidence(Finding.VACUOUS, Level.CERTIFICATE, "words", said)


FIGURES = (
    record(claims.BLO, check=check_setting),
    record(
        claims.FIG1A, check=rerun(images=partial(rounds_to, 0.8, 10, NEST), steps=partial(rounds_to, 0.8, 10, EQUAL))
    ),
    record(claims.FIG1B, check=rerun(diverging, images=accuracies)),
    record(claims.FIG3, check=rerun(images=gains)),
    record(claims.FIG4, check=rerun(images=partial(ninety, NEST), steps=partial(ninety, EQUAL))),
)
