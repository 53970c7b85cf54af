"""An estimator at two points of the line, and maps of a space, in the vectors of the proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rateproof.verify.form.on_a_line import PAST, STARTS, of_loss, words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import Loss

XI: Axis = ("xi",)
#: A sample has one of two signs.
CHANCES = {COORDINATE: [1.0], PAST: STARTS, XI: [0.5, 0.5]}
KNOWS = words(CHANCES, "xi")
FLAT = Outcomes(CHANCES, {}, {}, KNOWS)
SIGN = FLAT.along(XI, [1.0, -1.0])


def of_past(x: float) -> Grid:
    """A number that knows the past."""
    return FLAT.along(PAST, [x, x + 1])


def estimated(samples: tuple[Loss, Loss], error: float, x: float, y: float, sigma: float) -> InOutcomes:
    """A gradient that is that of one of two losses, at two points, with a noise ``+-sigma`` of the same sign."""
    made = {"u": of_past(error), "x": of_past(x), "y": of_past(y), "e": sigma * SIGN}
    outcomes = Outcomes(CHANCES, made, {"G": FLAT.by_value(XI, [of_loss(h) for h in samples])}, KNOWS)
    return lambda _: iter([outcomes])


def of_maps(vectors: Mapping[str, Sequence[float]], maps: Mapping[str, Sequence[Sequence[float]]]) -> InOutcomes:
    """Vectors that are given, and maps ``z -> A (z - c)`` of their space.

    Args:
        vectors: coordinates, by the names of the vectors.
        maps: name -> the rows of ``A``, and ``c``.
    """

    def of(name: str) -> Callable[[Grid], tuple[Grid, None]]:
        *rows, centre = maps[name]
        return lambda z: (np.tensordot(np.array(rows), z - flat.along(COORDINATE, centre), 1), None)

    chances = {COORDINATE: [1.0] * max(map(len, vectors.values()))}
    flat = Outcomes(chances, {}, {}, words(chances, "xi"))
    made = {name: flat.along(COORDINATE, x) for name, x in vectors.items()}
    return lambda _: iter([replace(flat, made=made, at={name: of(name) for name in maps})])
