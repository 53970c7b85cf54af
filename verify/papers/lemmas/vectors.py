"""An estimator at two points of the line, in the vectors of its proofs."""

from __future__ import annotations

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
