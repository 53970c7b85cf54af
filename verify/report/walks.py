"""A stored counterexample with its numbers moved one at a time, and the rungs of one to an O(.) claim.

The paper, or the record, measures the instance again at each value, in the exact numbers of the replay; hypotheses and
both sides are then evaluated as the replay does. Nothing is moved where an instance is not measured but given, or has
reasons in words, which speak of it alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.symbols import C_O, info
from rateproof.verify.counterexamples.replay import (
    Counterexample,
    Instance,
    Values,
    compare,
    counterexample_to,
    precisely,
    rational,
    standing,
)
from rateproof.verify.form.family import Range, counts, reals
from rateproof.verify.pages import typeset
from rateproof.verify.pages.facts import meaning
from rateproof.verify.report.sliders import At, Moved, Tried, called, chosen, number, printed, twin_of, values_around

#: Parts of a counterexample whose numbers may be moved: by name, and the coordinates of a point.
_NAMED, _POINTS = ("values", "at"), ("x", "x0")
_OF_POINTS = {"x": "a coordinate of the point", "x0": "a coordinate of the start"}
#: What a paper says to numbers that make no instance.
_NO_INSTANCE = (ValueError, ArithmeticError, KeyError, TypeError, IndexError)


def walked(claim: Claim, corrected: Claim | None) -> Tried | None:
    """The stored counterexample to a claim, walked; None where it has none that can be."""
    example = counterexample_to(claim)
    if example is None or claim.statement is None:
        return None
    return _rungs(claim, corrected, example) if "rungs" in example.data else _moved(claim, corrected, example)


# --- one number at a time


@dataclass(frozen=True)
class _Number:
    """A number of a counterexample: the part in which it stands, its key there, and its name."""

    part: str
    key: Any
    name: str

    def of(self, data: Mapping[str, Any]) -> Any:
        return data[self.part][self.key]

    def put(self, data: Mapping[str, Any], x: Any) -> dict[str, Any]:
        held = data[self.part]
        changed = [*held] if isinstance(held, Sequence) else {**held}
        changed[self.key] = x
        return {**data, self.part: changed}


def _numbers(data: Mapping[str, Any]) -> Iterator[_Number]:
    for part in _NAMED:
        yield from (_Number(part, key, key) for key in data.get(part, {}))
    for part in _POINTS:
        letter = part.replace("0", "⁰")
        yield from (_Number(part, i, f"{letter}{'₁₂₃₄₅₆₇₈₉'[i]}") for i in range(len(data.get(part, ()))))


def _moved(claim: Claim, corrected: Claim | None, example: Counterexample) -> Tried | None:
    data = example.data
    if "facts" in data or not (data.keys() & {"instance", "measure"} or _is_free(claim, data)):
        return None
    found = _found(claim, example, data)
    shown = None if found is None else _violated(claim, found)
    if shown is None:
        return None
    moved, fixed = [], []
    for one in _numbers(data):
        stated = one.of(data)
        try:
            start = Fraction(str(stated))
        except ValueError:
            fixed.append((one.name, str(stated)))  # the name of a choice
            continue
        range_ = _range(one, claim, start, stated)
        values = values_around(range_, int(start) if range_.kind == "count" else start)
        table = []
        for x in values:
            measured = _found(claim, example, one.put(data, x if isinstance(x, int) else str(x)))
            table.append(None if measured is None else _at(claim, corrected, shown, measured))
        if len(set(table)) > 1:
            at = values.index(start)
            told, numbers = tuple(map(printed, values)), tuple(map(float, values))
            words = _OF_POINTS.get(one.part) or meaning(one.name, claim)
            moved.append(Moved(one.name, told, numbers, at, tuple(table), words))
        else:
            fixed.append((one.name, str(stated)))
    if not moved:
        return None
    of_most = chosen(moved)
    fixed += [(one.name, one.values[one.start]) for one in moved if one not in of_most]
    return Tried(_named(data), "", conjuncts(claim.statement).index(shown), shown.rel_op, tuple(of_most), tuple(fixed))


def _named(data: Mapping[str, Any]) -> str:
    return str(data["instance"]["says"] if "instance" in data else data.get("measure", "").replace("_", " "))


def _is_free(claim: Claim, data: Mapping[str, Any]) -> bool:
    """Whether a claim is about some constants, any of them: a metric is one of an instance, and has no sign."""
    try:
        return bool(data) and all(info(name, claim.paper).symbol.is_nonnegative for name in data.get("values", {}))
    except KeyError:
        return False


def _range(one: _Number, claim: Claim, start: Fraction, stated: Any) -> Range:
    if one.part in _POINTS:
        return reals(start, -1)
    try:
        is_count = bool(info(one.name, claim.paper).symbol.is_integer)
    except KeyError:
        is_count = isinstance(stated, int)
    return counts(int(start), most=2 * int(start)) if is_count else reals(start)


def _found(claim: Claim, example: Counterexample, data: Mapping[str, Any]) -> Instance | None:
    with precisely(), suppress(*_NO_INSTANCE):
        return next(iter(example.measured(claim, data)))
    return None


def _violated(claim: Claim, found: Instance) -> sp.Rel | None:
    """The relation that an instance violates."""
    for relation in conjuncts(claim.statement):
        at = _at(claim, None, relation, found)
        if at.violated:
            return relation
    return None


def _at(claim: Claim, corrected: Claim | None, shown: sp.Rel, found: Instance) -> At:
    """What the replay finds on an instance."""
    numbers, facts = found
    with precisely():
        failed, sides = standing(claim, {str(C_O): rational(1), **numbers}, facts)
        numbered = tuple(i for i, h in enumerate(claim.hypotheses) if h.key in failed)
        if (pair := sides.get(shown)) is None:
            return At(failed=numbered)
        mended = None
        if (twin := twin_of(shown, corrected)) is not None and corrected is not None:
            other = Values({str(C_O): rational(1), **numbers}, corrected.where)
            other.define(corrected)
            with suppress(KeyError, ValueError):
                mended = number(float(other(twin.rhs)))
            missed, own = standing(corrected, {str(C_O): rational(1), **numbers}, facts)
            with suppress(ValueError):
                if missed and twin in own and not compare(*own[twin], twin.rel_op):
                    mended = None  # a hypothesis of the correction misses there, and its bound says nothing
        violated = False
        with suppress(ValueError):  # balls overlap where both sides are equal
            violated = not compare(*pair, shown.rel_op)
        left, right = (number(float(x)) for x in pair)
    return At(left, right, mended, violated, numbered)


# --- rungs


def _rungs(claim: Claim, corrected: Claim | None, example: Counterexample) -> Tried | None:
    """The rungs of a counterexample to an O(.) claim: the ratio of the sides grows, and no rung violates it alone."""
    rungs = [{**rung.get("values", {}), **rung.get("at", {})} for rung in example.data["rungs"]]
    growing = [name for name in rungs[0] if len({str(rung.get(name)) for rung in rungs}) > 1]
    lines = {name: [Fraction(str(rung[name])) for rung in rungs] for name in growing if _all_numbers(rungs, name)}
    name = next((name for name, x in lines.items() if sorted(set(x)) in (x, x[::-1])), None)
    if name is None:
        return None
    found = example.instances()
    tables = {shown: [_at(claim, corrected, shown, one) for one in found] for shown in conjuncts(claim.statement)}
    known = {shown: table for shown, table in tables.items() if all(at.left and at.right for at in table)}
    if not known:
        return None
    shown, table = max(known.items(), key=lambda one: _last_ratio(*one))
    others = [
        [f"{_letter(other, claim.paper)} = {rung[other]}" for other in growing if other != name and other in rung]
        for rung in rungs
    ]
    told = tuple(", ".join([str(rung[name]), *more]) for rung, more in zip(rungs, others, strict=True))
    found_at = tuple(replace(at, violated=False) for at in table)
    words = "" if any(others) else meaning(name, claim)  # of several that change none has its words behind all
    along = Moved(name, told, tuple(map(float, lines[name])), 0, found_at, words)
    fixed = tuple((key, str(x)) for key, x in rungs[0].items() if key not in growing)
    relation = conjuncts(claim.statement).index(shown)
    return Tried("", "", relation, shown.rel_op, (along,), fixed, climbs=True)


def _letter(name: str, paper: str) -> str:
    """A symbol as the paper prints it, else its name in words."""
    with suppress(KeyError, typeset.TypesettingError):
        return typeset.text(info(name, paper).latex)
    return called(name)


def _last_ratio(shown: sp.Rel, table: Sequence[At]) -> float:
    left, right = table[-1].left or 0.0, table[-1].right or 0.0
    return left / right if shown.rel_op in ("<=", "<") else right / left


def _all_numbers(rungs: Sequence[Mapping[str, Any]], name: str) -> bool:
    try:
        return all(math.isfinite(Fraction(str(rung.get(name)))) for rung in rungs)
    except ValueError:
        return False
