"""Proximal gradient on composite losses of one variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.papers.textbook import proximal_gradient as claims
from rateproof.theory.proof import Setting
from rateproof.theory.symbols import R as ROUNDS
from rateproof.verify.form import at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import (
    Loss,
    Regulariser,
    absolute,
    cosine,
    decaying,
    halfline,
    huber,
    line,
    nothing,
    parabola,
    refuse,
    steps,
    two_points,
)
from rateproof.verify.planted.mutate import Sharp


def method_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`proximal_gradient` in the vectors of the proof, one step after the other.

    Raises:
        ValueError: there are too many steps, or none.
    """
    from rateproof.verify.form.on_a_line import of_loss
    from rateproof.verify.form.outcomes import COORDINATE, Grid, Outcomes

    numbers = in_floats(params)
    R, gamma_l = numbers["R"], numbers["gamma_l"]
    refuse(R, 12)
    h, g = parts_of(**{name: numbers[name] for name in ("loss", "R", "gamma_l", "L_h", "steeper", "x0")})
    least = h.minimiser if numbers["loss"] in ALONE else 0.0

    def step(x: float) -> tuple[float, float]:
        """The next iterate and the subgradient of g there."""
        moved = x - gamma_l * h.slope(x)
        after = g.prox(moved, gamma_l)
        return after, (moved - after) / gamma_l

    def other(points: Grid) -> tuple[None, Grid]:
        return None, np.vectorize(g.value, otypes=[float])(points)

    def of(_: Setting) -> Iterator[Outcomes]:
        x, z = numbers["x0"], None
        for k in range(R + 1):
            after, z_after = step(x)
            at = {"x0": numbers["x0"], "z1": step(numbers["x0"])[1], "x": x, "z": z, "z+": z_after, "x*": least}
            made = {name: np.array([float(v)]) for name, v in at.items() if v is not None}
            functions, open_ = {"h": of_loss(h), "g": other}, frozenset(at.keys() - made.keys())
            yield Outcomes({COORDINATE: [1.0]}, made, functions, lambda *_: set(), open=open_, term={p.k: k})
            x, z = after, z_after

    return of


#: Losses that have nothing added to them.
ALONE = ("huber", "parabola", "cosine", "decaying")


def parts_of(loss: str, R: int, gamma_l: Number, L_h: Number, steeper: Number, x0: Number) -> tuple[Loss, Regulariser]:
    """The smooth part and the other one."""
    c = steeper * L_h
    if loss == "halfline":
        return line(x0 / (2 * gamma_l * R)), halfline()
    if loss == "huber":
        return huber(c, x0 / (2 * R * gamma_l * c + 1)), nothing()
    if loss == "cosine":
        return cosine(c), nothing()
    if loss == "decaying":
        return decaying(c), nothing()
    return parabola(c), absolute(c) if loss == "absolute" else two_points(x0) if loss == "two points" else nothing()


@family(
    "proximal gradient",
    None,
    method_in_vectors,
    loss=choice("halfline", "huber", "absolute", "parabola", "cosine", "two points", "decaying"),
    R=counts(10, 1, 2, 100, 1000, drawn=(1, 2, 3, 5, 10, 30, 100, 0)),
    gamma_l=at_bound(1, 0.5, 0.01, 1.9),
    L_h=reals(1, 0.01, 100),
    steeper=reals(1, 2.5, 0.5, low=0.1, high=10),
    x0=reals(1, 20, 0, zero=True),
)
def proximal_gradient(
    *, loss: str, R: int, gamma_l: Number, L_h: Number, steeper: Number, x0: Number
) -> dict[str, Any]:
    """A linear loss on x >= 0 that ends half-way, a parabola and ``|x|`` or two points, or a loss alone.

    ``loss``: which of these; ``steeper``: its curvature, over L; ``x0``: the start.
    """
    h, g = parts_of(loss, R, gamma_l, L_h, steeper, x0)
    x = x0
    for _ in steps(R):
        x = g.prox(x - gamma_l * h.slope(x), gamma_l)
    alone = loss in ALONE
    return {
        "start2": h.distance2(x0) if alone else x0**2,
        "gap_end": h.value(x) + g.value(x),
        "convex": h.convex(),
        "smooth": h.smooth(L_h),
        "g_convex": g.convex(),
        "attained": h.attained() if alone else Fact(True, f"{h.name} and {g.name}: at 0"),
        "degenerate": x0 == 0 and loss != "cosine",
    }


PROX_GRADIENT = record(
    claims.PROX_GRADIENT,
    families=[proximal_gradient],
    tight=Sharp(exponents=(ROUNDS,), hypotheses=("gamma_l<=1/L_h", "convex", "smooth")),
)
