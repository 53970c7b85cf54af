"""The Moreau envelope at two points of the line."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.textbook import moreau as claims
from rateproof.theory.papers.textbook import notation as p
from rateproof.verify.form import at_bound, choice, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import absolute, parabola, point
from rateproof.verify.planted.mutate import Sharp


def envelope_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`moreau_envelope` as vectors.

    Raises:
        ValueError: a point has no proximal point.
    """
    from rateproof.verify.form.on_a_line import at_points

    numbers = in_floats(params)
    ends = proximal(
        **{name: numbers[name] for name in ("loss", "lam_h", "x", "y")}, c=numbers["steeper"] * numbers["rho_h"]
    )
    if not ends:
        raise ValueError(f"no proximal point with lambda = {numbers['lam_h']}")
    vectors = {"x": numbers["x"], "y": numbers["y"], "prox_x": ends[0], "prox_y": ends[1]}
    # elsewhere there are many subgradients at a point
    return at_points(
        vectors, {"h": parabola(-numbers["steeper"] * numbers["rho_h"])} if numbers["loss"] == "parabola" else {}
    )


def proximal(loss: str, lam_h: Number, x: Number, y: Number, c: Number) -> list[Number]:
    """The proximal points of x and y; none where there is no minimum."""
    if loss == "parabola":
        return [z / (1 - lam_h * c) for z in (x, y)] if lam_h * c < 1 else []
    g = point() if loss == "point" else absolute(1 / lam_h)
    return [g.prox(z, lam_h) for z in (x, y)]


@family(
    "Moreau envelope",
    None,
    envelope_in_vectors,
    loss=choice("parabola", "point", "absolute"),
    lam_h=reals(1, 0.01, 100),
    rho_h=at_bound(1, 0.5, 1.5),
    steeper=reals(1, 1.5, 0.5, low=0.1, high=10),
    x=reals(1, low=0.1, high=10),
    y=reals(-2, 0, low=0.1, high=10, zero=True),
)
def moreau_envelope(
    *, loss: str, lam_h: Number, rho_h: Number, steeper: Number, x: Number, y: Number
) -> dict[str, Any]:
    """Two gradients ``(x - prox(x)) / lambda`` of the envelope of ``-c/2 x^2`` with ``c = steeper rho``, and others.

    ``loss``: its shape; ``x``, ``y``: the two points; ``steeper``: the curvature, over rho.
    """
    c = steeper * rho_h
    concave, g = parabola(-c), point() if loss == "point" else absolute(1 / lam_h)
    ends = proximal(loss, lam_h, x, y, c)
    return {
        "apart": abs(x - y),
        "grads_apart": abs((x - ends[0]) - (y - ends[1])) / lam_h if ends else None,
        "weakly_convex": concave.weakly_convex(rho_h) if loss == "parabola" else g.convex(),
    }


MOREAU_SMOOTH = record(
    claims.MOREAU_SMOOTH,
    families=[moreau_envelope],
    tight=Sharp(exponents=(p.lam_h,), hypotheses=("lam_h<=1/(2*rho_h)", "weakly_convex")),
)
