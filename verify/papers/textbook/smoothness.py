"""Smooth losses at one point and at two."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.textbook import smoothness as claims
from rateproof.theory.symbols import L_h as SMOOTHNESS
from rateproof.verify.form import choice, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Loss, cosine, huber, line, logistic, parabola
from rateproof.verify.planted.mutate import Sharp


def at_two_points(**params: Any) -> InOutcomes:
    """The points of :func:`two_points` as vectors; the step after ``x`` has the length ``1/(L + 1)``."""
    from rateproof.verify.form.on_a_line import at_points

    p = in_floats(params)
    h = loss_of(p["loss"], p["steeper"] * p["L_h"])
    numbers = {"s": 1.0} | ({} if h.infimum is None else {"inf_h": float(h.infimum)})
    return at_points({name: p[name] for name in "xy"}, {"h": h}, numbers=numbers)


def loss_of(loss: str, c: Number) -> Loss:
    """A loss of curvature c."""
    return {"parabola": parabola, "cosine": cosine, "logistic": logistic, "line": line}.get(
        loss, lambda c: huber(c, 1)
    )(c)


@family(
    "a loss at two points",
    None,
    at_two_points,
    loss=choice("parabola", "cosine", "logistic", "huber", "line"),
    L_h=reals(1, 0.01, 100),
    steeper=reals(1, 2, 0.5, low=0.1, high=10),
    x=reals(1, 0, 0.3, -40, zero=True),
    y=reals(0, 3, -40, zero=True),
)
def two_points(*, loss: str, L_h: Number, steeper: Number, x: Number, y: Number) -> dict[str, Any]:
    """Gradient and gap at ``x``, and the error of the linear model at ``x`` in the point ``y``.

    ``loss``: its shape; ``steeper``: its curvature, over L; ``x``, ``y``: the two points.
    """
    h = loss_of(loss, steeper * L_h)
    return {
        "grad2_at": h.slope(x) ** 2,
        "gap_at": h.gap(x),
        "apart": abs(x - y),
        "remainder": h.value(y) - h.value(x) - h.slope(x) * (y - x),
        "smooth": h.smooth(L_h),
        "bounded_below": h.bounded_below(),
        "degenerate": x == y,
    }


GRADIENT_BOUND = record(
    claims.GRADIENT_BOUND,
    families=[two_points],
    tight=Sharp(exponents=(SMOOTHNESS,), hypotheses=("smooth",)),
)
DESCENT_LEMMA = record(
    claims.DESCENT_LEMMA,
    families=[two_points],
    tight=Sharp(exponents=(SMOOTHNESS,), hypotheses=("smooth",)),
)
