"""What the experiments show: Table 3 in its own numbers, and recorded runs on fewer images.

The runs are those of :mod:`rateproof.verify.papers.fedweight.experiments.learning`, whose command makes
``courses.jsonl``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from rateproof.verify.form import example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.fedweight.experiments.tables import DATA, GROUPS, METHODS, SETTINGS, TABLE3
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget
    from rateproof.verify.papers.fedweight.experiments.learning import Run

RIVALS, PERSONAL, FEDERATED = METHODS[1:], METHODS[3:], METHODS[2:]
SEEDS = 5
READ = Fact(True, "read off the table")


def entry(setting: int, method: str, group: str, data: str) -> Fraction:
    """A mean of Table 3."""
    return Fraction(TABLE3[setting, method, group, data].mean)


def mean(setting: int, method: str, group: str) -> Fraction:
    """The mean of four entries of Table 3."""
    return sum((entry(setting, method, group, data) for data in DATA), Fraction(0)) / len(DATA)


# --- what Table 3 says

Case: TypeAlias = tuple[str, Mapping[str, Fraction | int]]
"""A case in words, and its numbers."""


def cases_i() -> Iterator[Case]:
    """Bi-level beside each rival on the minority group."""
    for s, data, rival in product(SETTINGS, DATA, RIVALS):
        both = (entry(s, name, "minority", data) for name in ("Bi-level", rival))
        yield f"Setting {s}, {data}, {rival}", dict(zip(("acc_best", "acc_rival"), both, strict=True))


def cases_ii() -> Iterator[Case]:
    """The columns, counted."""
    cells = list(product(SETTINGS, GROUPS, DATA))
    won = sum(all(entry(s, "Bi-level", g, data) > entry(s, rival, g, data) for rival in RIVALS) for s, g, data in cells)
    yield "all columns", {"won": won, "columns": len(cells)}


def cases_iii() -> Iterator[Case]:
    """Columns of the minority group in which FedAvg is below Local-train, counted."""

    def below(s: int) -> int:
        return sum(entry(s, "FedAvg", "minority", data) < entry(s, "Local-train", "minority", data) for data in DATA)

    later = sum(map(below, SETTINGS[1:]))
    yield "minority group", {"worse_one": below(1), "worse_later": later, "columns": len(SETTINGS) * len(DATA)}


def cases_iv() -> Iterator[Case]:
    """Means over the data sets in Setting 1 and in a later one."""
    for s, name in product(SETTINGS[1:], PERSONAL):
        yield f"{name}, Setting {s}", {"acc_one": mean(1, name, "minority"), "acc_later": mean(s, name, "minority")}


def cases_vi() -> Iterator[Case]:
    """Means over the data sets on both groups, of a rival and of Bi-level."""
    for s, name in product(SETTINGS, FEDERATED):
        numbers = {
            f"{what}_{group[:3]}": mean(s, who, group)
            for (what, who), group in product((("acc", name), ("best", "Bi-level")), GROUPS)
        }
        yield f"{name}, Setting {s}", numbers


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


# --- what five seeds say about the methods


def estimated(chance: float) -> Iterator[Trial]:
    """Leads on the minority group with Welch's intervals, which all together miss with this chance at most."""
    from scipy.special import stdtrit

    found = list(product(SETTINGS, DATA, RIVALS))
    for s, data, rival in found:
        ours, other = (TABLE3[s, name, "minority", data] for name in ("Bi-level", rival))
        squares = [float(one.deviation) ** 2 for one in (ours, other)]
        freedom = (SEEDS - 1) * sum(squares) ** 2 / sum(v**2 for v in squares)
        error = float(stdtrit(freedom, 1 - chance / len(found) / 2)) * math.sqrt(sum(squares) / SEEDS)
        lead = float(ours.mean) - float(other.mean)
        facts = {"seeds": Fact(True, "as the table reports them")}
        label = f"Setting {s}, {data}, {rival}"
        yield estimate(label, {"lead": lead}, facts, error=error, chance=chance / len(found), at={"pair": label})


# --- what the recorded runs say

Samples: TypeAlias = tuple[str, Array]
"""A difference in words, and its value in every repetition."""


@cache
def _recorded() -> dict[str, Run]:
    from rateproof.verify.papers.fedweight.experiments.learning import recorded

    return recorded()


def leads(claim_id: str) -> Iterator[Samples]:
    """The differences that a sentence says are positive, in the recorded runs."""
    from rateproof.verify.papers.fedweight.experiments import learning

    def run(data: str, s: int, group: Any, name: str) -> Run | None:
        return _recorded().get(learning.key(learning.Cell(data, s, group), name))

    def beside(label: str, more: Run | None, less: Run | None) -> Iterator[Samples]:
        if more and less:
            yield label, more.reached - less.reached

    which = claim_id.removeprefix("fedweight.").removesuffix(".corrected")
    for data in learning.DATA:
        match which:
            case "exp.i":
                for s, rival in product(SETTINGS, RIVALS):
                    ours, other = (run(data, s, "minority", name) for name in ("Bi-level", rival))
                    yield from beside(f"{data}, Setting {s}, {rival}", ours, other)
                    if ours and other and rival != "Local-train":  # Figure 8
                        most = min(ours.points[-1], other.points[-1])
                        label = f"{data}, Setting {s}, {rival}, equal points"
                        yield label, ours.at_points(most) - other.at_points(most)
            case "exp.iv":
                for s, name in product(SETTINGS[1:], PERSONAL):
                    first, later = (run(data, t, "minority", name) for t in (1, s))
                    yield from beside(f"{data}, Setting {s}, {name}", first, later)
            case "exp.v":
                for s, group in product(SETTINGS, GROUPS):
                    if one := run(data, s, group, "Bi-level"):
                        yield f"{data}, Setting {s}, {group}", one.mass[:, -1] - one.mass[:, 0]
            case "exp.vi.a":
                for s, name in product(SETTINGS, FEDERATED):
                    small, large = (run(data, s, group, name) for group in GROUPS)
                    yield from beside(f"{data}, Setting {s}, {name}", large, small)


def trials(claim_id: str, chance: float) -> Iterator[Trial]:
    """The differences of a sentence, each with an interval that all together miss with this chance at most.

    Student's intervals: repetitions are independent, and a mean of their differences is taken for normal.
    """
    found = list(leads(claim_id))
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
            key, cases = ("means", cases_iv) if other.id.endswith("iv") else ("means groups", cases_vi)
            yield from all_cases(other, key, cases, switch.reading)
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


def _pairs(found: Iterable[tuple[Fraction, Fraction]]) -> Pairs:
    return tuple((int(10**4 * one), int(10**4 * two)) for one, two in found)


#: (Setting 1, a later one) and (minority, majority); the pairs that contradict come first.
DROPS = _pairs(
    sorted(
        (
            (entry(1, name, "minority", data), entry(s, name, "minority", data))
            for s, name, data in product(SETTINGS[1:], PERSONAL, DATA)
        ),
        key=lambda pair: pair[0] - pair[1],
    )
)
RISES = _pairs(
    sorted(
        (
            (entry(s, name, "minority", data), entry(s, name, "majority", data))
            for s, name, data in product(SETTINGS, FEDERATED, DATA)
        ),
        key=lambda pair: pair[1] - pair[0],
    )
)


def listed(one: Number, two: Number, found: Pairs) -> Fact:
    """Whether two numbers are a pair of entries."""
    known = any(abs(10**4 * one - a) < 1 and abs(10**4 * two - b) < 1 for a, b in found)
    return Fact(known, "two entries of the table" if known else "no two entries of one method and data set")


def _ranges(found: Pairs, few: int, *names: str) -> dict[str, Any]:
    """The numbers of the first pairs."""
    columns = (list(dict.fromkeys(f"{pair[j]}/10000" for pair in found[:few])) for j in (0, 1))
    return {name: reals(*column) for name, column in zip(names, columns, strict=True)}


@family("entries in two settings", **_ranges(DROPS, 6, "acc_one", "acc_later"))
def two_settings(*, acc_one: Number, acc_later: Number) -> dict[str, Any]:
    """An entry in Setting 1, and that of the same method and data set in a later one."""
    return {"settings": listed(acc_one, acc_later, DROPS)}


@family("entries in both groups", **_ranges(RISES, 6, "acc_min", "acc_maj"))
def both_groups(*, acc_min: Number, acc_maj: Number) -> dict[str, Any]:
    """An entry on the minority group, and that of the same method, setting and data set on the majority group."""
    return {"groups": listed(acc_min, acc_maj, RISES)}


RECORDS = (
    record(claims.EXP_I, check=by_table("entries", cases_i)),
    record(claims.EXP_II, check=by_table("counted", cases_ii)),
    record(claims.EXP_III, check=by_table("counted minority", cases_iii)),
    record(
        claims.EXP_IV,
        families=[two_settings],
        check=reread,
        refuted_by=example(
            two_settings,
            acc_one="0.1582",
            acc_later="0.1626",
            left="0.1626",
            right="0.1582",
            by_hand="Table 3, minority group, DS-ImageNet: Ditto has 0.1582 in Setting 1 and 0.1626 in Setting 3, "
            "which is no drop. The deviations over five seeds are 0.0037 and 0.0093.",
        ),
    ),
    record(claims.EXP_IV_CORRECTED, check=by_table("means", cases_iv)),
    record(claims.EXP_V, check=check_figures),
    record(
        claims.EXP_VI_A,
        families=[both_groups],
        check=reread,
        refuted_by=example(
            both_groups,
            acc_min="0.8358",
            acc_maj="0.8059",
            left="0.8059",
            right="0.8358",
            by_hand="Table 3, MNIST, Setting 1: Ditto has 0.8358 on the minority group and 0.8059 on the majority "
            "group, a loss of 0.0299. The deviations over five seeds are 0.0201 and 0.0053.",
        ),
    ),
    record(claims.EXP_VI_A_CORRECTED, check=by_table("means groups", cases_vi)),
    record(claims.EXP_VI_B, check=by_table("means groups", cases_vi)),
)
