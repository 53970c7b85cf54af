"""Losses of one variable in the vectors of a setting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rateproof.verify.form.outcomes import COORDINATE, Axis, Function, InOutcomes, Outcomes, each
from rateproof.verify.form.parts import Loss

#: Outcomes that are looked at together.
MOST = 5000
PAST: Axis = ("past",)
#: What knows the past is another vector at another start, which has no chance.
STARTS = (1.0, 0.0)


def of_loss(h: Loss) -> Function:
    """The gradient and the value of a loss at points."""

    def slope(x: float) -> float:
        return 0.0 if x == h.minimiser else h.slope(x)

    return lambda points: (each(slope, 1, points)[0], each(h.value, 1, points)[0])


def words(axes: Collection[Axis], copies: str, index: str = "") -> Callable[[str, Mapping[str, int]], set[Axis]]:
    """What words stand for: an axis, the copies of a source that belong to an index, or with other words all of them.

    Args:
        axes: all of them.
        copies: the source, and words for all its copies.
        index: to whose values the copies belong.
    """
    source, *everything = copies.split()

    def knows(word: str, at: Mapping[str, int]) -> set[Axis]:
        if word == source and index in at:
            return {(source, at[index])}
        return {axis for axis in axes if axis[0] == (source if word in everything else word)}

    return knows


def at_points(
    vectors: Mapping[str, float | Sequence[float]],
    losses: Mapping[str, Loss] | None = None,
    *,
    past: Collection[str] = (),
    noises: Mapping[str, tuple[str, float]] | None = None,
    numbers: Mapping[str, float] | None = None,
) -> InOutcomes:
    """An instance at points that are given, on the line or in a space.

    Args:
        vectors: numbers, or coordinates, by the names of the vectors.
        losses: those of one variable.
        past: the vectors that the past decides.
        noises: vector -> its source, and its size; both signs are equally likely.
        numbers: what is known besides.
    """
    given = {name: np.array(x, float).reshape(-1) for name, x in vectors.items()}
    at = {name: of_loss(h) for name, h in (losses or {}).items()}
    chances: dict[Axis, Sequence[float]] = {COORDINATE: [1.0] * max(map(len, given.values()))}
    chances |= ({PAST: STARTS} if past else {}) | {(source,): (0.5, 0.5) for source, _ in (noises or {}).values()}
    flat = Outcomes(chances, {}, at, words(chances, "xi"), numbers=numbers or {})
    made = {name: flat.along(COORDINATE, x) for name, x in given.items()}
    made |= {name: made[name] + flat.along(PAST, [0.0, 1.0]) for name in past}
    made |= {name: flat.along((source,), [size, -size]) for name, (source, size) in (noises or {}).items()}
    return lambda _: iter([replace(flat, made=made)])
