"""What the experiments show: Table 3 in its own numbers, and recorded runs on fewer images.

The runs are those of :mod:`rateproof.verify.papers.fedweight.experiments.learning`, whose command makes
``courses.jsonl``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from rateproof.algos.problems.base import Array, Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedweight import experiments as claims
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.deciders.certificates import lacking, when
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.experiments.intervals import LIKELY, decided, estimate, half_width
from rateproof.verify.form import Family, example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.fedweight.experiments.tables import DATA, GROUPS, METHODS, SETTINGS, TABLE3
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget
    from rateproof.verify.papers.fedweight.experiments.learning import Run

RIVALS, PERSONAL, FEDERATED = METHODS[1:], METHODS[3:], METHODS[2:]
SEEDS = 5
READ = Fact(True, "read off the table")
Place: TypeAlias = tuple[int, str, str]
"""A setting, a method and a group."""
MIN, MAJ = GROUPS
#: What a sentence compares: where it says that accuracy is larger, and where smaller.
COMPARED: dict[str, list[tuple[Place, Place]]] = {
    "exp.i": [((s, "Bi-level", MIN), (s, rival, MIN)) for s, rival in product(SETTINGS, RIVALS)],
    "exp.iv": [((1, name, MIN), (s, name, MIN)) for s, name in product(SETTINGS[1:], PERSONAL)],
    "exp.vi.a": [((s, name, MAJ), (s, name, MIN)) for s, name in product(SETTINGS, FEDERATED)],
}


# --- what Table 3 says

Case: TypeAlias = tuple[str, Mapping[str, Fraction | int]]
"""A case in words, and its numbers."""
EACH, TOGETHER = [(data,) for data in DATA], [DATA]


def accuracy(place: Place, data: Sequence[str]) -> Fraction:
    """The mean of entries of Table 3."""
    return sum((Fraction(TABLE3[*place, one].mean) for one in data), Fraction(0)) / len(data)


def compared(item: str, tables: Sequence[Sequence[str]]) -> Iterator[Case]:
    """What a sentence compares, on these data sets."""
    for (more, less), data in product(COMPARED[item], tables):
        numbers = {"ahead": accuracy(more, data), "behind": accuracy(less, data)}
        yield f"Setting {less[0]}, {less[1]}, {' and '.join(data)}", numbers


def changes() -> Iterator[Case]:
    """Changes of means from one group to the other, of a rival and of Bi-level."""
    for s, name in product(SETTINGS, FEDERATED):
        rival, ours = (accuracy((s, who, MAJ), DATA) - accuracy((s, who, MIN), DATA) for who in (name, "Bi-level"))
        yield f"Setting {s}, {name}", {"ahead": rival, "behind": abs(ours)}


def counted() -> Iterator[Case]:
    """Columns, counted."""

    def best(s: int, group: str, data: str) -> bool:
        ours, *others = (accuracy((s, name, group), [data]) for name in METHODS)
        return ours > max(others)

    def below(s: int) -> int:
        return sum(accuracy((s, "FedAvg", MIN), one) < accuracy((s, "Local-train", MIN), one) for one in EACH)

    won = sum(best(*column) for column in product(SETTINGS, GROUPS, DATA))
    yield "all columns", {"won": won, "worse_one": below(1), "worse_later": sum(map(below, SETTINGS[1:]))}


def all_cases(claim: Claim, key: str, cases: Callable[[], Iterator[Case]], reading: str = "") -> Iterator[Evidence]:
    """What the table says of a claim about its numbers, or of another reading, which has the hypothesis ``key``."""
    found = list(cases())
    trials = [
        Trial(label, {k: float(v) for k, v in numbers.items()}, {key: READ}, Level.CERTIFICATE, error=0.0, at=numbers)
        for label, numbers in found
    ]
    detail = "Table 3, all that the sentence speaks of"
    evidence = decide(claim, trials, method="all cases", detail=detail, reading=reading)
    yield evidence
    if evidence.finding is Finding.HOLDS:
        said = "1 case" if len(found) == 1 else f"all {len(found)} cases"
        shown = lacking(claim, key) or when({"all cases": evidence.instances == len(found)}, f"{said} of Table 3")
        yield replace(shown, reading=reading)


def by_table(key: str, cases: Callable[[], Iterator[Case]]) -> Callable[[Claim, Budget], Iterator[Evidence]]:
    """The check of a claim about numbers of the table, and of its readings."""

    def check(claim: Claim, budget: Budget) -> Iterator[Evidence]:
        yield from all_cases(claim, key, cases)
        yield from reread(claim)

    return check


def similar(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """Nothing is decided of a word without a number, but that it may compare with the rivals."""
    yield Evidence(Finding.INCONCLUSIVE, Level.EXACT, "all cases", "'similarly' names no number")
    for name, other in claim.readings():
        yield from all_cases(other, "means", changes, name)


# --- what five seeds say about the methods


def estimated(chance: float) -> Iterator[Trial]:
    """Leads on the minority group with Welch's intervals, which all together miss with this chance at most."""
    from scipy.special import stdtrit

    found = list(product(COMPARED["exp.i"], DATA))
    for (more, less), data in found:
        ours, other = (TABLE3[*place, data] for place in (more, less))
        squares = [float(one.deviation) ** 2 for one in (ours, other)]
        freedom = (SEEDS - 1) * sum(squares) ** 2 / sum(v**2 for v in squares)
        error = float(stdtrit(freedom, 1 - chance / len(found) / 2)) * math.sqrt(sum(squares) / SEEDS)
        lead = float(ours.mean) - float(other.mean)
        facts = {"seeds": Fact(True, "as the table reports them")}
        label = f"Setting {less[0]}, {less[1]}, {data}"
        yield estimate(label, {"lead": lead}, facts, error=error, chance=chance / len(found), at={"pair": label})


# --- what the recorded runs say

Samples: TypeAlias = tuple[str, Array]
"""A difference in words, and its value in every repetition."""


@cache
def _recorded() -> dict[str, Run]:
    from rateproof.verify.papers.fedweight.experiments.learning import recorded

    return recorded()


def leads(item: str) -> Iterator[Samples]:
    """The differences that a sentence says are positive, in the recorded runs."""
    from rateproof.verify.papers.fedweight.experiments import learning

    def run(data: str, s: int, name: str, group: Any) -> Run:
        return _recorded()[learning.key(learning.Cell(data, s, group), name)]

    for data in learning.DATA:
        for s, group in product(SETTINGS, GROUPS) if item == "exp.v" else ():
            mass = run(data, s, "Bi-level", group).mass
            yield f"{data}, Setting {s}, {group}", mass[:, -1] - mass[:, 0]
        for more, less in COMPARED.get(item, ()):
            label, (one, two) = f"{data}, Setting {less[0]}, {less[1]}", (run(data, *place) for place in (more, less))
            yield label, one.reached - two.reached
            if item == "exp.i" and less[1] != "Local-train":  # Figure 8
                most = min(one.points[-1], two.points[-1])
                yield f"{label}, equal points", one.at_points(most) - two.at_points(most)


def trials(claim_id: str, chance: float) -> Iterator[Trial]:
    """The differences of a sentence, each with an interval that all together miss with this chance at most.

    Student's intervals: repetitions are independent, and a mean of their differences is taken for normal.
    """
    found = list(leads(claim_id.removeprefix("fedweight.").removesuffix(".corrected")))
    facts = {
        "images": Fact(False, "fewer images, and a linear model"),
        "fewer": Fact(True, "digits and mnist of the recorded runs"),
    }
    for label, samples in found:
        each = chance / len(found)
        at = {"difference": label, "repetitions": len(samples)}
        error = half_width(samples, each)
        yield estimate(label, {"lead": float(samples.mean())}, facts, error=error, chance=each, at=at)


def seen(claim_id: str) -> str:
    """In how many of its comparisons a sentence holds on fewer images."""
    found = [(t.values["lead"], 10 * (t.absolute_error or 0)) for t in trials(claim_id, LIKELY)]
    won, lost = (sum(sign * lead > error for lead, error in found) for sign in (1, -1))
    return f"seen on fewer images: {won} of {len(found)} differences significantly positive, {lost} negative"


def reread(claim: Claim, budget: Budget | None = None) -> Iterator[Evidence]:
    """The other readings of a sentence: means over the data sets, the methods behind the table, fewer images."""
    for switch in claim.switches:
        other = claim.read(switch)
        if switch.name == "means":
            yield from all_cases(other, "means", partial(compared, claim.item, TOGETHER), switch.reading)
        elif switch.name == "table":
            yield decided(other, estimated, detail="Welch's test of means, five seeds", reading=switch.reading)
        else:
            yield decided(other, partial(trials, claim.id), detail=seen(claim.id), reading=switch.reading)


def check_figures(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """Figures without numbers: what the recorded runs say."""
    yield decided(claim, partial(trials, claim.id), detail=seen(claim.id))
    yield from reread(claim)


# --- the two sentences that an entry contradicts

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Two entries, in ten-thousandths."""


def _pairs(item: str) -> Pairs:
    """What a sentence compares, what contradicts it first."""
    found = [tuple(int(10**4 * x) for x in numbers.values()) for _, numbers in compared(item, EACH)]
    return tuple(sorted(found, key=lambda pair: pair[0] - pair[1]))  # type: ignore[arg-type]


DROPS, RISES = _pairs("exp.iv"), _pairs("exp.vi.a")


def listed(one: Number, two: Number, found: Pairs) -> Fact:
    """Whether two numbers are a pair of entries."""
    known = any(abs(10**4 * one - a) < 1 and abs(10**4 * two - b) < 1 for a, b in found)
    return Fact(known, "two entries of the table" if known else "no two entries that the sentence compares")


def _few(found: Pairs) -> dict[str, Any]:
    columns = (list(dict.fromkeys(f"{pair[j]}/10000" for pair in found[:6])) for j in (0, 1))
    return {name: reals(*column) for name, column in zip(("ahead", "behind"), columns, strict=True)}


@family("entries in two settings", **_few(DROPS))
def two_settings(*, ahead: Number, behind: Number) -> dict[str, Any]:
    """An entry in Setting 1, and that of the same method and data set in a later one."""
    return {"entries": listed(ahead, behind, DROPS)}


@family("entries in both groups", **_few(RISES))
def both_groups(*, ahead: Number, behind: Number) -> dict[str, Any]:
    """An entry on the majority group, and that of the same method, setting and data set on the minority group."""
    return {"entries": listed(ahead, behind, RISES)}


def _missed(claim: Claim, of: Family, left: str, right: str, by_hand: str) -> Any:
    found = example(of, ahead=left, behind=right, left=left, right=right, by_hand=by_hand)
    return record(claim, families=[of], check=reread, refuted_by=found)


RECORDS = (
    record(claims.EXP_I, check=by_table("entries", partial(compared, "exp.i", EACH))),
    *(record(claim, check=by_table("counted", counted)) for claim in (claims.EXP_II, claims.EXP_III)),
    _missed(
        claims.EXP_IV,
        two_settings,
        "0.1582",
        "0.1626",
        "Table 3, minority group, DS-ImageNet: Ditto has 0.1582 in Setting 1 and 0.1626 in Setting 3, which is no "
        "drop. The deviations over five seeds are 0.0037 and 0.0093.",
    ),
    record(claims.EXP_IV_CORRECTED, check=by_table("means", partial(compared, "exp.iv", TOGETHER))),
    record(claims.EXP_V, check=check_figures),
    _missed(
        claims.EXP_VI_A,
        both_groups,
        "0.8059",
        "0.8358",
        "Table 3, MNIST, Setting 1: Ditto has 0.8358 on the minority group and 0.8059 on the majority group, a loss "
        "of 0.0299. The deviations over five seeds are 0.0201 and 0.0053.",
    ),
    record(claims.EXP_VI_A_CORRECTED, check=by_table("means", partial(compared, "exp.vi.a", TOGETHER))),
    record(claims.EXP_VI_B, check=similar),
)
