"""What the experiments show: Table 2 in its own numbers, the listed steps, and recorded runs on fewer images.

The runs are those of :mod:`rateproof.verify.papers.mefbo.experiments.learning`, whose command makes ``courses.jsonl``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rateproof.algos.problems.base import Array, Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.mefbo import experiments as claims
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.deciders.certificates import lacking, when
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.experiments.intervals import LIKELY, decided, estimate, half_width
from rateproof.verify.form import example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.mefbo.experiments import tables
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget
    from rateproof.verify.experiments.courses import Course
    from rateproof.verify.papers.mefbo.experiments.learning import Cell

RIVALS = ("SimFBO", "FedNest", "LFedNest")
#: What one of ten classes guesses, and a margin.
GUESSING = 0.2


# --- the listed steps

_ROWS = sorted({(p.gamma, steps[1], steps[2]) for _, steps, p in tables.listed()})
#: ``gamma``, ``lambda_y`` and ``lambda_theta`` of all experiments, in thousandths.
THOUSANDTHS = tuple(tuple(int(1000 * Fraction(x)) for x in row) for row in _ROWS)


def _values(column: int, first: str) -> list[str]:
    return [first, *sorted({row[column] for row in _ROWS} - {first})]


@family(
    "listed steps",
    gamma=reals(*_values(0, "0.015")),
    lambda_y=reals(*_values(1, "0.1")),
    lambda_theta=reals(*_values(2, "0.07")),
)
def listed_steps(*, gamma: Number, lambda_y: Number, lambda_theta: Number) -> dict[str, Any]:
    """Steps of ``y`` and ``theta`` and the proximal parameter; only some triples are listed."""
    known = [row for row in THOUSANDTHS if row == (1000 * gamma, 1000 * lambda_y, 1000 * lambda_theta)]
    return {"listed": Fact(bool(known), "one row of the list" if known else "no row of the list")}


STEPS = record(
    claims.STEPS,
    families=[listed_steps],
    refuted_by=example(
        listed_steps,
        gamma="0.015",
        lambda_y="0.1",
        lambda_theta="0.07",
        left="3",
        right="1",
        by_hand="Hyper-representation with rc = 0.05: gamma = 0.015, steps 0.1 of x and y and 0.07 of theta, of "
        "clients and server. 1 + (0.1 - 0.07)/0.015 = 1 + 2 = 3: a round multiplies theta - y by 3, but for gradients. "
        "All other rows have lambda_y > lambda_theta, too.",
    ),
)
STEPS_CORRECTED = record(claims.STEPS_CORRECTED, families=[listed_steps])


# --- what is compared

Samples: TypeAlias = tuple[str, Array, bool]
"""A difference in words, its value in every repetition, and whether it is none of how steady methods are that guess."""


@dataclass(frozen=True)
class Runs:
    """Recorded runs, with one of the two versions of MeFBO."""

    best: str

    def course(self, scale: str, cell: Cell, name: str) -> Course | None:
        """What a method did in a cell; None where that was not run."""
        from rateproof.verify.papers.mefbo.experiments.learning import key

        return _recorded().get(key(scale, cell, name))

    def beside(
        self, measure: Callable[[Course, Course], Array], cells: Iterable[Cell], rivals: Sequence[str] = RIVALS
    ) -> Iterator[Samples]:
        """A measure of MeFBO and a rival, at every scale, in every cell and for every rival that was run."""
        for scale, cell, rival in product(("digits", "mnist"), cells, rivals):
            ours, other = self.course(scale, cell, self.best), self.course(scale, cell, rival)
            if ours and other:
                steady = measure is not steadier or (learns(ours) and learns(other))
                yield f"{scale}; {cell}; {rival}", measure(ours, other), steady


@cache
def _recorded() -> dict[str, Course]:
    from rateproof.verify.papers.mefbo.experiments.learning import recorded

    return recorded()


def learns(course: Course) -> bool:
    """Whether the mean accuracy ends well above that of guessing."""
    return bool(last(course).mean() > GUESSING)


def last(course: Course) -> Array:
    """Accuracy after the last round, by repetition."""
    return course.accuracy[:, -1]


def falls(course: Course) -> Array:
    """How much accuracy is lost again in the second half of the run, all falls between records added up."""
    half = course.accuracy[:, course.accuracy.shape[1] // 2 :]
    return np.maximum(-np.diff(half, axis=1), 0).sum(axis=1)


def higher(ours: Course, other: Course) -> Array:
    """By how much the accuracy is higher in the end."""
    return last(ours) - last(other)


def faster(ours: Course, other: Course) -> Array:
    """By how much it is higher on average over the run."""
    return (ours.accuracy - other.accuracy).mean(axis=1)


def lower_loss(ours: Course, other: Course) -> Array:
    """By how much the loss is lower in the end; losses count up to 100."""
    return np.minimum(other.loss[:, -1], 100) - np.minimum(ours.loss[:, -1], 100)


def steadier(ours: Course, other: Course) -> Array:
    """By how much less accuracy is lost again."""
    return falls(other) - falls(ours)


def closer(ours: Course, other: Course) -> Array:
    """By how much repetitions end nearer to their mean."""
    return abs(last(other) - last(other).mean()) - abs(last(ours) - last(ours).mean())


def higher_at(cost: Callable[[Course], Array]) -> Callable[[Course, Course], Array]:
    """By how much the accuracy is higher at equal cost, the largest that both reach."""

    def measure(ours: Course, other: Course) -> Array:
        most = min(cost(ours)[-1], cost(other)[-1])
        reached = [np.array([np.interp(most, cost(c), row) for row in c.accuracy]) for c in (ours, other)]
        return reached[0] - reached[1]

    return measure


def _range(runs: Runs, cells: Sequence[Cell], of: Callable[[Array], Array]) -> Iterator[Samples]:
    """By how much less a number taken over the cells of a table varies for MeFBO than for its rivals."""
    for rival in RIVALS:
        ours, other = ([runs.course("digits", cell, name) for cell in cells] for name in (runs.best, rival))
        if all(ours) and all(other):
            both = [of(np.stack([last(c) for c in some if c])) for some in (other, ours)]
            yield f"digits; {rival}", both[0] - both[1], all(learns(c) for c in (*ours, *other) if c)


def _sentence(number: int, runs: Runs) -> Iterator[Samples]:
    """The differences that a sentence says are positive."""
    from rateproof.verify.papers.mefbo.experiments import learning

    def main(task: str, *settings: tuple[str, int, float]) -> list[Cell]:
        found = [c for c in learning.MAIN if c.task == task]
        return [c for c in found if not settings or (c.split, c.tau, c.corruption) in settings]

    def table(task: str) -> list[Cell]:
        return [c for c in learning.SWEEPS if c.task == task]

    def beside(cells: Iterable[Cell], *measures: Callable[[Course, Course], Array]) -> Iterator[Samples]:
        for measure in measures:
            said = (measure.__doc__ or "higher at equal cost").split(".")[0].split(" the ")[-1]
            yield from ((f"{label} ({said})", lead, learnt) for label, lead, learnt in runs.beside(measure, cells))

    match number:
        case 1:
            yield from beside(main("representation"), higher, closer)
        case 2:
            yield from _range(runs, table("representation"), lambda a: np.ptp(a, axis=0))
        case 3:
            for rival in RIVALS:
                found = [runs.course("digits", cell, rival) for cell in table("representation")]
                if all(found):
                    none, *others = (last(c) for c in found if c)
                    yield f"digits; {rival}, rc = 0 and 0.05", none - others[tables.RC.index("0.05") - 1], True
                    yield f"digits; {rival}, rc = 0 and the others", none - np.mean(others, axis=0), True
        case 4 | 5:
            few = [c for c in table("representation") if c.regularisation < (0.07 if number == 4 else 0.02)]
            first = Runs("SimFBO")
            yield from first.beside(higher, few, (runs.best, "FedNest", "LFedNest"))
            if number == 5:
                many = [c for c in table("representation") if c.regularisation > 0.05]
                yield from runs.beside(steadier, many, ("SimFBO",))
        case 6:
            yield from beside(main("loss", ("iid", 3, 0.0), ("skewed", 1, 0.0)), higher, faster)
        case 7:
            yield from beside(main("loss", ("skewed", 1, 0.0)), steadier)
        case 8:
            yield from beside(main("loss"), higher, steadier, higher_at(lambda c: c.floats))
        case 9 | 13:
            cells = table("loss" if number == 9 else "cleaning")
            yield from beside(cells, higher, lower_loss)
            yield from _range(runs, cells, lambda a: a[0] - a[-1])
        case 10:
            for scale, tau, rival in product(("digits", "mnist"), (1, 3), RIVALS):
                cells = main("loss", ("iid", tau, 0.0), ("skewed", tau, 0.0))
                four = [runs.course(scale, cell, name) for name in (rival, runs.best) for cell in cells]
                if all(four):
                    alike, apart, our_alike, our_apart = (last(c) for c in four if c)
                    lead = (alike - apart) - (our_alike - our_apart)
                    yield f"{scale}; {rival}, tau = {tau}", lead, all(learns(c) for c in four if c)
        case 11:
            yield from beside(main("cleaning", ("iid", 1, 0.7), ("skewed", 1, 0.9)), higher)
        case 12:
            yield from beside(main("cleaning"), higher, higher_at(lambda c: c.calls))
        case 14:
            yield from beside(main("appendix F"), higher)


def trials(number: int, best: str, chance: float) -> Iterator[Trial]:
    """The differences of a sentence, each with an interval that all together miss with this chance at most.

    Student's intervals: repetitions are independent, and a mean of their differences is taken for normal.
    """
    from rateproof.verify.papers.mefbo.experiments import learning

    found = list(_sentence(number, Runs(best)))
    facts = {
        "images": Fact(False, "fewer images"),
        "sizes": Fact(False, "a smaller network, fewer clients and rounds"),
        "printed": Fact(best == "MeFBO", "the listed parameters in the printed method" if best == "MeFBO" else "gamma"),
        "weight": Fact(best == learning.WEIGHTED, "gamma (theta - y)" if best == learning.WEIGHTED else "as printed"),
        "fewer": Fact(True, "scales digits and mnist of the recorded runs"),
    }
    for label, samples, learnt in found:
        each = chance / len(found)
        yield estimate(
            label,
            {"lead": float(samples.mean())},
            {**facts, "learns": Fact(learnt, f"mean accuracies above {GUESSING}" if learnt else "one of them guesses")},
            error=half_width(samples, each),
            chance=each,
            at={"difference": label, "repetitions": len(samples)},
        )


def compared(claim: Claim, number: int, best: str, reading: str = "", detail: str = "") -> Evidence:
    """Refuted where a difference is negative beyond all doubt, confirmed where all are significantly positive.

    Nothing is confirmed of which a part could not be tried because a method only guesses.
    """
    tried = partial(trials, number, best)
    evidence = decided(claim, tried, detail=detail, reading=reading)
    if evidence.finding is Finding.HOLDS and not all(trial.facts["learns"].holds for trial in tried(LIKELY)):
        return replace(evidence, finding=Finding.INCONCLUSIVE, detail=f"{detail}; of some differences a method guesses")
    return evidence


def seen(number: int) -> str:
    """In how many of its comparisons a sentence holds on fewer images, printed and with the other weight."""
    from rateproof.verify.papers.mefbo.experiments import learning

    def counted(best: str) -> str:
        leads = [(t.values["lead"], 10 * (t.absolute_error or 0)) for t in trials(number, best, LIKELY)]
        if not leads:
            return "nothing is recorded"
        won, lost = (sum(sign * lead > error for lead, error in leads) for sign in (1, -1))
        return f"{won} of {len(leads)} differences significantly positive, {lost} negative"

    known = [("as printed", "MeFBO")]
    if number != 3:
        known.append(("with gamma (theta - y)", learning.WEIGHTED))
    return "seen on fewer images: " + "; ".join(f"{said}, {counted(best)}" for said, best in known)


def check(number: int) -> Callable[[Claim, Budget], Iterator[Evidence]]:
    """The check of a sentence about methods."""

    def checked(claim: Claim, budget: Budget) -> Iterator[Evidence]:
        from rateproof.verify.papers.mefbo.experiments import learning

        if claim.statement is None:
            said = f"a smaller impact that methods 'may' have is no statement that could fail; {seen(number)}"
            yield Evidence(Finding.VACUOUS, Level.CERTIFICATE, "words", said)
        elif number > 1:
            yield compared(claim, number, "MeFBO", detail=seen(number))
        for switch in claim.switches:
            best = learning.WEIGHTED if switch.name == "weight" else "MeFBO"
            if switch.name == "table":
                detail = "Welch's test of means and the F test of deviations, ten repetitions each"
                other = claim.read(switch)
                yield decide(other, estimated(), method="tests", detail=detail, reading=switch.reading)
            else:
                yield compared(claim.read(switch), number, best, switch.reading)

    return checked


# --- Table 2


def columns() -> Iterator[Trial]:
    """MeFBO beside each rival in each column."""
    for split, rounds, rival in product(tables.SPLITS, tables.ROUNDS, RIVALS):
        ours, other = (tables.TABLE2[name, split, rounds] for name in ("MeFBO", rival))
        values = {
            "mean_best": float(ours.mean),
            "dev_best": float(ours.deviation),
            "mean_rival": float(other.mean),
            "dev_rival": float(other.deviation),
        }
        facts = {"entries": Fact(True, "read off the table")}
        yield Trial(f"{split}, {rounds} rounds, {rival}", values, facts, Level.CERTIFICATE, error=0.0, at=values)


def estimated(repetitions: int = 10) -> Iterator[Trial]:
    """What the printed means and deviations say about the methods, with intervals that all hold at once at 95%."""
    from scipy.special import fdtri, stdtrit

    found = list(columns())
    each = LIKELY / (2 * len(found))
    for trial in found:
        v = trial.values
        ours, other = v["dev_best"] ** 2, v["dev_rival"] ** 2
        freedom = (repetitions - 1) * (ours + other) ** 2 / (ours**2 + other**2)
        error = float(stdtrit(freedom, 1 - each / 2)) * math.sqrt((ours + other) / repetitions)
        ratio = math.log(float(fdtri(repetitions - 1, repetitions - 1, 1 - each / 2)))
        facts = {
            "estimates": Fact(True, "as the table reports them"),
            **{key: Fact(False, "the table is the paper's own") for key in ("images", "sizes", "printed", "fewer")},
        }
        for said, lead, width in (
            ("means", v["mean_rival"] * -1 + v["mean_best"], error),
            ("deviations", math.log(other / ours), ratio),
        ):
            yield estimate(f"{trial.label}, {said}", {"lead": lead}, facts, error=width, chance=each)


def check_table(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """All 18 pairs of Table 2, and what they say about the methods."""
    evidence = decide(claim, columns(), method="all cases", detail="every column of Table 2 and every rival")
    yield evidence
    if evidence.finding is Finding.HOLDS:
        yield lacking(claim, "entries") or when(
            {"18 pairs": evidence.instances == 18}, "all 18 pairs, decimals compared"
        )
    yield from check(1)(claim, budget)


# --- what is not run

_WHY = {
    15: "there is no CIFAR-10 and no convolutional network here, and what memory the authors' SimFBO took cannot be "
    "seen; a product with second derivatives needs the memory of a few gradients. Seen instead: the listed steps "
    "multiply theta - y by 17.7 in a round",
    16: "there is no CIFAR-10 and no convolutional network here; the 2-layer network on fewer images is in the record "
    "of Figure 14 (a)",
}


def check_not_run(number: int) -> Callable[[Claim, Budget], Iterator[Evidence]]:
    """Why there is no check."""
    return lambda claim, budget: iter([Evidence(Finding.NO_CHECK, Level.CERTIFICATE, "none", _WHY[number])])


def _check_of(number: int) -> Callable[[Claim, Budget], Iterator[Evidence]]:
    if number == 1:
        return check_table
    return check_not_run(number) if number in claims.NOT_RUN else check(number)


_REPORTED = {int(c.id.rpartition("-")[2]): c for c in claims.CLAIMS if c.id.rpartition("-")[2].isdigit()}
FIGURES = tuple(record(claim, check=_check_of(number)) for number, claim in _REPORTED.items())
