"""How far inside a stored counterexample is: slack of its hypotheses, size of its constants, what moves on a ladder.

An author accepts an instance at sight where no constant is extreme, the steps keep the caps that the paper prints, and
along a ladder the set and the scale stay what they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Reading, conjuncts
from rateproof.theory.symbols import SymbolInfo, info
from rateproof.verify import registry
from rateproof.verify.counterexamples.replay import (
    Counterexample,
    Number,
    Replay,
    Values,
    compare,
    counterexample_to,
    precisely,
    show,
)
from rateproof.verify.evidence import ratio

_BOUNDS = ("<", "<=", ">", ">=")
#: Meanings of symbols for steps, for constants that O(.) hides, and for counts.
_STEP = re.compile(r"\bstepsize\b(?! exponent)|\b(server|client) step of\b")
_HIDDEN = re.compile("constant hidden by")
_COUNT = re.compile(r"\b(number of|rounds|iterations|steps)\b")
#: Whole numbers in the reason of a hypothesis, which may be counts.
_WHOLE = re.compile(r"(?<![./\w])\d+(?![./\w])")


@dataclass(frozen=True)
class Missed:
    """A condition that another claim prints and an instance misses: key, text, id of the claim, and both sides."""

    key: str
    text: str
    claim: str
    sides: str

    def __str__(self) -> str:
        return f"{self.key} of {self.claim.partition('.')[2]} ({self.sides})"


@dataclass(frozen=True)
class Inside:
    """Of the stored counterexample to a claim.

    Attributes:
        claim: its id.
        ratios: of the two sides of what is violated, above 1 where a bound fails; along a ladder one for each rung.
        used: share of each relation among the hypotheses, by key: at 1 the instance stands at its edge.
        beyond: conditions that the paper prints for other claims, of which the instance misses one.
        least, largest: sizes of its constants other than 0 and counts; None without any.
        count: the largest count; None without any.
        moving: constants and sets that change along a ladder.
    """

    claim: str
    ratios: tuple[float, ...]
    used: Mapping[str, float]
    beyond: tuple[Missed, ...]
    least: float | None
    largest: float | None
    count: int | None
    moving: tuple[str, ...]

    @property
    def decades(self) -> float:
        """Powers of ten between the least and the largest constant, 1 among them."""
        if self.least is None or self.largest is None:
            return 0.0
        return math.log10(max(self.largest, 1.0)) - math.log10(min(self.least, 1.0))

    @property
    def edges(self) -> tuple[str, ...]:
        """What a reader may object to, in words."""
        objections = [f"beyond {one}" for one in self.beyond]
        if self.moving:
            objections.append(f"{', '.join(self.moving)} move{'' if len(self.moving) > 1 else 's'} along the ladder")
        if len(self.ratios) > 1 and self.ratios[-1] <= 1:
            objections.append("the constant 1 is never exceeded")
        return tuple(objections)

    @property
    def nearest(self) -> str:
        """The hypothesis that is nearest to its edge; empty without relations."""
        return max(self.used, key=lambda key: self.used[key], default="")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values; a number that is not finite is a text."""
        from rateproof.verify.checks import plain

        told = {"beyond": list(map(str, self.beyond)), "nearest": self.nearest, "edges": list(self.edges)}
        return {**plain(asdict(self)), **told}

    def __str__(self) -> str:
        """In a line."""
        sides = ", ".join(f"{x:.4g}" for x in self.ratios)
        parts = [f"ratio of the sides {sides}" if len(self.ratios) == 1 else f"ratios along the ladder {sides}"]
        if self.used:
            parts.append(f"nearest edge {self.nearest} ({self.used[self.nearest]:.3g} of it used)")
        if self.least is not None:
            parts.append(f"constants from {self.least:.3g} to {self.largest:.3g}")
        if self.count is not None:
            parts.append(f"counts up to {self.count:.3g}")
        return "; ".join([*parts, *self.edges])

    def told(self, hypotheses: Mapping[str, str]) -> str:
        """In sentences, without the ratios, for a page that shows both sides; hypotheses are texts by their keys."""
        parts = []
        if self.used and (share := self.used[self.nearest]) > 0:
            text = hypotheses.get(self.nearest, self.nearest)
            at_edge = f"It stands at the edge of this hypothesis: {text}."
            parts.append(
                at_edge if share > 0.9995 else f"Nearest to its edge, at {share:.2g} of it, is this hypothesis: {text}."
            )
        if self.least is not None and self.largest is not None and self.least < self.largest:
            parts.append(f"Constants lie in [{self.least:.3g}, {self.largest:.3g}].")
        if self.count is not None and self.count > 1:
            parts.append(f"Counts are at most {self.count}.")
        parts += [f"It misses a condition of {one.claim}: {one.text} ({one.sides} is false)." for one in self.beyond]
        if self.moving:
            names = [hypotheses.get(one, one.replace("_", " ")) for one in self.moving]
            parts.append(f"Along the instances changes, beside counts: {'; '.join(names)}.")
        if len(self.ratios) > 1 and self.ratios[-1] <= 1:
            parts.append("The constant 1 is never exceeded.")
        return " ".join(parts)


def worst_first(claims: Iterable[Claim]) -> list[Inside]:
    """How far inside the stored counterexamples to some claims are, those first to which most can be objected."""
    measured = (inside(claim) for claim in claims)
    return sorted((one for one in measured if one), key=lambda one: (-len(one.edges), -one.decades, one.claim))


def inside(claim: Claim) -> Inside | None:
    """How far inside the stored counterexample to a claim is; None when there is none.

    Raises:
        ValueError: a file is damaged, or the counterexample does not refute the claim as it is now.
    """
    if (example := counterexample_to(claim)) is None:
        return None
    replayed, rungs = example.replayed(), example.instances()
    with precisely():
        ratios = (_of_sides(replayed),) if isinstance(replayed, Replay) else tuple(map(_float, replayed))
        used: dict[str, float] = {}
        for numbers, _ in rungs:
            for key, share in _shares(claim, numbers):
                used[key] = max(share, used.get(key, -math.inf))
        beyond = tuple(_missed(claim, rungs[-1][0]))
    constants = [_constants(claim, rung) for rung in (example.data, *_rungs(example))]
    reals = [abs(x) for one in constants for name, x in one.items() if x and not _is_count(claim, name, x)]
    counts = [int(x) for one in constants for name, x in one.items() if _is_count(claim, name, x)]
    return Inside(
        claim.id,
        ratios,
        used,
        beyond,
        float(min(reals)) if reals else None,
        float(max(reals)) if reals else None,
        max(counts, default=None),
        tuple(_moving(claim, constants[1:], [facts for _, facts in rungs])),
    )


def _rungs(example: Counterexample) -> Sequence[Mapping[str, Any]]:
    return list(example.data.get("rungs", ()))


def _of_sides(replayed: Replay) -> float:
    sides = _float(replayed.left), _float(replayed.right)
    return ratio(*(reversed(sides) if replayed.relation.rel_op in (">", ">=") else sides))


def _float(x: Number) -> float:
    from rateproof.verify.form.arithmetic import Exact

    try:
        return float(Exact(x))
    except OverflowError:
        return math.copysign(math.inf, 1 if x > 0 else -1)


def _shares(claim: Claim, numbers: Mapping[str, Number]) -> Iterator[tuple[str, float]]:
    """Of each inequality among the hypotheses how much of it is used; ranges of counts and of one symbol aside."""
    values = Values(numbers, claim.where)
    values.define(claim)
    for h in claim.hypotheses:
        for relation in conjuncts(h.relation):
            symbols = relation.free_symbols
            if relation.rel_op in _BOUNDS and len(symbols) > 1 and not all(_means(s, claim, _COUNT) for s in symbols):
                with suppress(KeyError, ValueError):
                    left, right = (_float(values(side)) for side in relation.args)
                    yield h.key, ratio(left, right) if relation.rel_op in ("<", "<=") else ratio(right, left)


def _caps(claim: Claim) -> Iterator[tuple[Hypothesis, sp.Rel]]:
    """The conditions of a claim that put a bound on a step, and their relations; what another claim says is none."""
    for h in claim.hypotheses:
        for relation in conjuncts(h.relation) if h.cites is None else ():
            if relation.rel_op in _BOUNDS and any(_means(s, claim, _STEP) for s in relation.free_symbols):
                yield h, claim.expand(relation)


def _above(claim: Claim) -> Iterator[Claim]:
    """The printed claims that rest on a claim, the nearest first."""
    left = [c for c in catalog.claims(claim.paper).values() if c.reading is not Reading.CORRECTED and c.id != claim.id]
    last = {claim.id}
    while last:
        nearest = [c for c in left if not last.isdisjoint(c.follows_from)]
        last = {c.id for c in nearest}
        left = [c for c in left if c.id not in last]
        yield from sorted(nearest, key=lambda c: c.id)


def _missed(claim: Claim, numbers: Mapping[str, Number]) -> Iterator[Missed]:
    """The conditions on steps, printed for claims that rest on this one, that an instance misses."""
    seen = {relation for _, relation in _caps(claim)}
    for other in _above(claim):
        for h, relation in _caps(other):
            if relation not in seen:
                seen.add(relation)
                with suppress(KeyError, ValueError):
                    left, right = map(Values(numbers, {}), relation.args)
                    if not compare(left, right, relation.rel_op):
                        yield Missed(h.key, h.text, other.id, f"{show(left)} {relation.rel_op} {show(right)}")


def _constants(claim: Claim, data: Mapping[str, Any]) -> dict[str, Fraction]:
    """The numbers that a record or a rung gives, by name; not those for symbols that the claim lacks."""
    stated = {**data.get("values", {}), **data.get("at", {})}
    stated |= {key: data[key] for key in ("x", "x0", "instance") if key in data}
    shown = registry.record(claim).refuted_by
    spoken = {str(s) for relation in claim.relations() for s in claim.expand(relation).free_symbols}
    idle = {n for n, r in shown.family.ranges.items() if r.answers and spoken.isdisjoint(r.answers)} if shown else set()
    return {name: x for name, x in _flat("", stated) if name not in idle and not _means(name, claim, _HIDDEN)}


def _means(name: object, claim: Claim, pattern: re.Pattern[str]) -> bool:
    """Whether a symbol of the claim's paper has a meaning of some kind."""
    declared = _symbol(name, claim)
    if declared is None:
        return False
    return bool(pattern.search(declared.meaning) or (pattern is _COUNT and declared.symbol.is_integer))


def _symbol(name: object, claim: Claim) -> SymbolInfo | None:
    """What a name means in the claim's paper; None for a parameter of the instance alone."""
    try:
        return info(str(name), claim.paper)
    except KeyError:
        return None


def _flat(name: str, value: Any) -> Iterator[tuple[str, Fraction]]:
    if isinstance(value, Mapping):
        for key, x in value.items():
            if key not in ("says", "times"):
                yield from _flat(f"{name} {key}".strip(), x)
    elif isinstance(value, list):
        for i, x in enumerate(value):
            yield from _flat(f"{name}[{i}]", x)
    elif not isinstance(value, bool):
        with suppress(ValueError):
            yield name, Fraction(value)


def _is_count(claim: Claim, name: str, x: Fraction) -> bool:
    if (shown := registry.record(claim).refuted_by) is not None:
        return shown.family.ranges[name].kind == "count"
    if _symbol(name, claim) is None:  # a parameter of the instance
        return x.denominator == 1 and name.isidentifier()
    return _means(name, claim, _COUNT)


def _moving(claim: Claim, rungs: Sequence[Mapping[str, Fraction]], facts: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """What differs between rungs and is neither a count nor a variable of the statement: constants, and facts."""
    assert claim.statement is not None
    spoken = {str(s) for s in claim.expand(claim.statement).free_symbols}
    named = {*map(str, claim.symbols)}
    for name in dict.fromkeys(name for rung in rungs for name in rung):
        values = [rung.get(name, Fraction(0)) for rung in rungs]
        # a whole number that the claim does not speak of counts something
        index = name.isidentifier() and name not in named and all(x.denominator == 1 for x in values)
        if len({*values}) > 1 and name not in spoken and not index and not _is_count(claim, name, values[-1]):
            yield name
    for key in facts[0] if facts else ():
        if len({_WHOLE.sub("", one.get(key, "")) for one in facts}) > 1:
            yield key
