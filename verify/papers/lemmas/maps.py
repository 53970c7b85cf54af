"""Maps of the line that bring no two points apart: projections, proximal maps, gradient steps."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.verify.form import at_bound, family, reals, record
from rateproof.verify.form.arithmetic import Number, largest, least


def _apart(x: Number, y: Number, image_x: Number, image_y: Number) -> dict[str, Any]:
    return {"apart": (x - y) ** 2, "images_apart": (image_x - image_y) ** 2}


POINTS = {"x": reals(2, 0, 0.5, zero=True), "y": reals(-1, 0, 0.25, zero=True)}


@family("an interval", **POINTS, end=reals(1, 0, 10, zero=True))
def interval(*, x: Number, y: Number, end: Number) -> dict[str, Any]:
    """The projection on ``[-end, end]``."""
    images = (largest(least(point, end), -end) for point in (x, y))
    return {**_apart(x, y, *images), "X is closed, convex and not empty": Fact(True, "it is an interval with 0 in it")}


@family("an absolute value", **POINTS, w=reals(1, 0, 10, zero=True))
def absolute_value(*, x: Number, y: Number, w: Number) -> dict[str, Any]:
    """The proximal map of ``w |.|``, which moves a point towards 0 by at most w."""
    images = (largest(point - w, 0) + least(point + w, 0) for point in (x, y))
    return {**_apart(x, y, *images), "the subdifferential is monotone": Fact(True, "w |.| is convex")}


@family("a parabola", **POINTS, L_1=reals(1, 100), gamma_1=at_bound(1, 0.5, 0.01))
def parabola(*, x: Number, y: Number, L_1: Number, gamma_1: Number) -> dict[str, Any]:
    """A gradient step for ``f(x) = L x^2/2``."""
    images = (point - gamma_1 * L_1 * point for point in (x, y))
    return {
        **_apart(x, y, *images),
        "f is L-smooth": Fact(True, "f'' = L"),
        "f is convex": Fact(True, "f'' >= 0"),
    }


PROJECTION = record(claims.PROJECTION, families=[interval])
PROXIMAL = record(claims.PROXIMAL, families=[absolute_value])
GRADIENT_STEP = record(claims.GRADIENT_STEP, families=[parabola])
