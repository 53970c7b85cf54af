"""Evidence, verdicts, and the rules that turn the one into the other. Knows no paper and no algorithm.

A verdict is computed from evidence and never written by hand.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How strong a piece of evidence is, strongest first."""

    CERTIFICATE = "certificate"  # symbolic proof, rational or ball arithmetic
    EXACT = "exact"  # closed form or exact expectation in float64 with a stated error bound
    FLOAT = "float"  # float64 with a margin of at least 1e-6 of scale
    STATISTICAL = "statistical"  # with an error probability
    ARGUMENT = "argument"  # a proof of which a fact stands in words
    STANDARD_FACT = "standard fact"  # a proof whose one premise is the claim itself, a fact of the literature
    PREMISE = "premise"  # the same, where the paper itself supposes it


#: What a proof may be, strongest first.
PROOF_LEVELS = (Level.CERTIFICATE, Level.ARGUMENT, Level.STANDARD_FACT, Level.PREMISE)


class Finding(StrEnum):
    """What one piece of evidence found."""

    PROOF = "proof"  # the whole claim is proved
    VIOLATION = "violation"  # an admissible instance violates it
    CONTRADICTION = "contradiction"  # it contradicts the paper's own explicit bound
    VACUOUS = "vacuous"  # its hypotheses admit no nontrivial instance, or it asserts nothing
    HOLDS = "holds"  # no violation over admissible instances
    INCONCLUSIVE = "inconclusive"  # no admissible instance, or within the error
    NO_CHECK = "no check"  # no check exists; the detail says why


class Verdict(StrEnum):
    """What is true of a claim."""

    PROVED = "proved"
    SUPPORTED = "supported"
    REFUTED = "refuted"
    INCONSISTENT = "inconsistent"
    VACUOUS = "vacuous"
    UNDECIDED = "undecided"
    UNCHECKED = "unchecked"


MAX_REFUTATION_ERROR = 1e-6
#: What floats are taken to be wrong by, as a share of the numbers that they are sums and differences of (at least 1).
ROUNDING = 1e-12


@dataclass(frozen=True)
class Violated:
    """A refuting instance: its description, both sides, their ratio, and every hypothesis with its value.

    ``lhs`` and ``rhs`` are the left and the right side of the relation as it is stated; ``ratio`` is that of the side
    that should be smaller to the other one.

    ``at`` reproduces the instance (JSON-able); ``values`` has the numbers of all symbols of the claim there, also of
    derived ones; ``hypotheses`` maps each hypothesis to the reason why it holds.
    """

    instance: str
    lhs: float
    rhs: float
    ratio: float
    relation: str
    hypotheses: Mapping[str, str] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    degenerate: bool = False
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """One finding about one claim.

    Attributes:
        finding: what was found.
        level: how strong it is.
        method: the decider, in a word or two.
        detail: one or two sentences for a reader.
        worst_ratio: largest metric / bound seen on admissible instances (None when no ratio exists).
        instances: number of admissible instances evaluated.
        witness: description of an admissible instance (the worst one).
        violated: the refuting instance, when there is one.
        error_probability: for statistical evidence.
        reading: which reading of the claim it is about ("" = as printed; else "avg_normaliser=R").
        extreme: for a reading with further conditions, the least factor by which the instances that violate the claim
            without them miss them (None when that was not looked at).
        steps: of a proof, as :mod:`rateproof.verify.deciders.steps` writes them.
        hints: multipliers that the next check of the proof need not search.
        decided: the claim that a decider of this package checked this about, from end to end. Neither the constructor
            nor ``replace`` takes it: :func:`by_decider` sets it.
    """

    finding: Finding
    level: Level
    method: str
    detail: str
    worst_ratio: float | None = None
    instances: int = 0
    witness: str = ""
    violated: Violated | None = None
    error_probability: float = 0.0
    reading: str = ""
    extreme: float | None = None
    steps: tuple[Mapping[str, Any], ...] = ()
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False, compare=False)
    decided: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.finding is Finding.VIOLATION and self.violated is None:
            raise ValueError("evidence of a violation needs the violating instance")
        if self.finding is Finding.PROOF and self.level not in PROOF_LEVELS:
            raise ValueError(f"a proof is a {', '.join(PROOF_LEVELS)}, not level {self.level}")
        if not 0 <= self.error_probability <= 1:
            raise ValueError(f"error probability must be in [0, 1], got {self.error_probability}")


def by_decider(evidence: Evidence, claim: Any) -> Evidence:
    """Evidence that a decider of this package gives about a claim, no fact of which stands in words."""
    object.__setattr__(evidence, "decided", claim)
    return evidence


def earned(evidence: Evidence, claim: Any) -> Evidence:
    """Evidence at the level that it earns: a certificate, or a violation of any strength, only from a decider.

    What a check writes by hand is an argument. Other levels say how the numbers of instances were computed, which is
    the word of who computes them in any case.
    """
    strong = evidence.level is Level.CERTIFICATE or evidence.finding is Finding.VIOLATION
    return replace(evidence, level=Level.ARGUMENT) if strong and evidence.decided != claim else evidence


def strengths(proved: Iterable[tuple[str | None, bool]]) -> str:
    """How many proofs are certificates, how many have a fact in words, and how many cite or suppose what they prove.

    Args:
        proved: of each claim that is proved, the level, and whether no instance met it or what its proof cites.
    """
    proofs = list(proved)
    words = ("by certificate", "with words", "standard facts", "premises of the paper")

    def counted(level: Level) -> str:
        untried = proofs.count((level, True))
        return f"{proofs.count((level, False)) + untried} {{}}" + (f" ({untried} not tried)" if untried else "")

    return f"proved: {', '.join(counted(level).format(said) for level, said in zip(PROOF_LEVELS, words, strict=True))}"


def verdict(evidence: Iterable[Evidence]) -> Verdict:
    """The verdict on a claim as printed, from all its evidence.

    Order: refuted, vacuous, inconsistent, proved, supported, undecided, unchecked. Evidence about other readings
    (``reading != ""``) is reported beside the claim and does not count here. A statistical violation counts
    only up to an error probability of 1e-6; above that it refutes nothing, but it keeps the claim from being
    `supported`. What degenerate instances do does not count where the hypotheses leave no others: then the claim is
    vacuous like all that are stated under these hypotheses, also where an exponent contradicts the paper's own bound,
    which holds under no other hypotheses. A proof never coexists with a violation that counts.

    Raises:
        ValueError: a proof and a violation of one claim: a checker is wrong, and no verdict is better than a false one.
    """
    printed = _counted(evidence)
    findings = {e.finding for e in printed if not _suspicion(e)}
    if any(map(_suspicion, printed)):
        findings.discard(Finding.HOLDS)
    if {Finding.PROOF, Finding.VIOLATION} <= findings:
        odd = next(e.violated for e in printed if e.violated and not _suspicion(e))
        raise ValueError(
            f"it is both proved and violated: {odd.relation} has the sides {odd.lhs:g} and {odd.rhs:g} on "
            f"{odd.instance}. The setting of its proof, what the family measures or a fact that it states is wrong"
        )
    for finding, result in _ORDER:
        if finding in findings:
            return result
    return Verdict.UNDECIDED if printed else Verdict.UNCHECKED


def _counted(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence about a claim as printed that its verdict counts."""
    printed = [e for e in evidence if not e.reading]
    if not any(e.finding is Finding.VACUOUS for e in printed):
        return printed
    return [e for e in printed if not (e.violated and e.violated.degenerate)]


def _suspicion(evidence: Evidence) -> bool:
    """A violation that may be chance."""
    return evidence.finding is Finding.VIOLATION and evidence.error_probability > MAX_REFUTATION_ERROR


_ORDER = (
    (Finding.VIOLATION, Verdict.REFUTED),
    (Finding.VACUOUS, Verdict.VACUOUS),
    (Finding.CONTRADICTION, Verdict.INCONSISTENT),
    (Finding.PROOF, Verdict.PROVED),
    (Finding.HOLDS, Verdict.SUPPORTED),
    (Finding.INCONCLUSIVE, Verdict.UNDECIDED),
    (Finding.NO_CHECK, Verdict.UNCHECKED),
)


def joint(parts: Iterable[Verdict]) -> Verdict:
    """Verdict of a composite claim: a conjunction is refuted when a part is, and proved only when all parts are."""
    verdicts = list(parts)
    weakest = (
        Verdict.REFUTED,
        Verdict.INCONSISTENT,
        Verdict.UNDECIDED,
        Verdict.UNCHECKED,
        Verdict.SUPPORTED,
        Verdict.PROVED,
        Verdict.VACUOUS,
    )
    return next((v for v in weakest if v in verdicts), Verdict.UNCHECKED)


def ratio(lhs: float, rhs: float) -> float:
    """How much of ``lhs <= rhs`` is used: at most 1 when it holds, above 1 when it is violated.

    For 0 < rhs this is lhs/rhs. When both are negative (a lower bound -B <= -m) it is rhs/lhs.
    A nonnegative left side against a smaller right side that is not positive gives inf, two zeros give 1,
    and two equal infinities or a NaN give NaN: they say nothing.
    """
    if math.isnan(lhs) or math.isnan(rhs) or (math.isinf(lhs) and lhs == rhs):
        return math.nan
    if rhs > 0:
        return lhs / rhs if lhs > 0 else 0.0
    if lhs < 0:
        return rhs / lhs if rhs < 0 else 0.0
    return 1.0 if lhs == rhs else math.inf


def underflows(lhs: float, rhs: float) -> bool:
    """Whether ``rhs`` is too small for a float, and ``lhs`` so small that it may be so as well: no ratio is known."""
    return abs(rhs) < 2.3e-308 and abs(lhs) < 1e-200


def standing(
    lhs: float, rhs: float, strict: bool, *, error: float, absolute: float, margin: float, rounding: float
) -> str:
    """Whether ``lhs <= rhs`` (``lhs < rhs`` when strict) ``holds``, is ``violated`` beyond all error, or is ``open``.

    Args:
        lhs, rhs: the sides.
        strict: equal sides violate it.
        error: relative to the larger side: sides that differ by less are equal.
        absolute: as a number: sides that differ by less are equal.
        margin: relative to the larger side: a violation must be larger.
        rounding: as a number: a violation must be larger.
    """
    if math.isinf(lhs) or math.isinf(rhs):
        return "violated" if lhs > rhs else "holds"
    scale, excess = max(abs(lhs), abs(rhs)), lhs - rhs
    # a number that underflows has no digits left
    equal = max(scale if scale < 1e-307 else error * scale, absolute)
    if excess > max(equal, margin * scale, rounding) or (strict and excess == equal == rounding == 0):
        return "violated"
    return "open" if excess > equal or (strict and excess >= -equal) else "holds"


def summary(evidence: Iterable[Evidence]) -> Evidence | None:
    """The piece of evidence that decides the verdict: the first one of the deciding finding, strongest level first.

    A violation that may be chance decides nothing; it stands before evidence that the claim holds, which it keeps
    from deciding (see :func:`verdict`).
    """
    printed = _counted(evidence)
    rank = {finding: float(i) for i, (finding, _) in enumerate(_ORDER)}
    levels = list(Level)

    def place(e: Evidence) -> tuple[float, int]:
        return rank[Finding.HOLDS] - 0.5 if _suspicion(e) else rank[e.finding], levels.index(e.level)

    return min(printed, key=place, default=None)
