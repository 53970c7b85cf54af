"""Lemma 1: gradient dissimilarity, tried on clients of the line that pull in opposite directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory import catalog
from rateproof.theory.papers.strfedavg.lemmas import LEM1
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Loss, huber, logistic, parabola
from rateproof.verify.planted.mutate import Sharp


def point_in_vectors(**params: Any) -> InOutcomes:
    """The clients of :func:`opposite_clients` in the vectors of the proof.

    Raises:
        ValueError: N is odd.
    """
    from rateproof.verify.form.on_a_line import of_loss
    from rateproof.verify.form.outcomes import COORDINATE, Grid, Outcomes

    p, eta = in_floats(params), 1.0
    N = p["N"]
    if N % 2:
        raise ValueError(f"N is {N}; half of the clients stand on either side")
    f, h = outer(p["loss"], p["steeper"] * p["L_f"]), parabola(p["L_h"])
    chances = {COORDINATE: [1.0], ("client",): [1 / N] * N}
    layout = Outcomes(chances, {}, {}, lambda word, _: {(word,)})
    signs = layout.along(("client",), [(-1.0) ** i for i in range(N)])
    away = {"f": p["d_f"] * signs, "h": p["d_h"] * signs}

    def around(level: Loss, d: Grid) -> Callable[[Grid], tuple[Grid, Grid]]:
        return lambda points: of_loss(level)(points - d)

    def regularised(points: Grid) -> tuple[Grid, Grid]:
        both = (at["h_i"](points), at["f_i"](points))
        return both[0][0] + eta * both[1][0], both[0][1] + eta * both[1][1]

    def mean_of(name: str) -> Callable[[Grid], tuple[Grid, Grid]]:
        return lambda points: tuple(layout.mean(g, ("client",)) for g in at[name](points))  # type: ignore[return-value]

    at = {"f_i": around(f, away["f"]), "h_i": around(h, away["h"]), "phi_i": regularised}
    at |= {name: mean_of(of) for name, of in (("f", "f_i"), ("h", "h_i"), ("F", "phi_i"))}
    points = {name: layout.along(COORDINATE, [x]) for name, x in (("x", p["x"]), ("sol", 0.0))}
    numbers = {"eta": eta, "phi_s": float(at["F"](points["sol"])[1].item())}
    made = {**points, "x_f*": away["f"], "x_h*": away["h"]}
    outcomes = replace(layout, made=made, at=at, numbers=numbers)
    return lambda _: iter([outcomes])


def outer(loss: str, c: Number) -> Loss:
    """An outer loss of curvature c."""
    return parabola(c) if loss == "parabola" else huber(c, 1) if loss == "Huber" else logistic(c)


@family(
    "clients at one point of the line",
    None,
    point_in_vectors,
    loss=choice("parabola", "Huber", "logistic"),
    N=counts(2, 20, 100, most=100, drawn=(2, 4, 6, 8, 10, 20, 100)),
    L_f=reals(1, 0.001, 1000),
    L_h=reals(1, 0.001, 1000),
    d_f=reals(1, 0, 10, zero=True),
    d_h=reals(0, 1, 10, zero=True),
    steeper=reals(1, 2, 0.5, low=0.1, high=10),
    x=reals(0, 1, 30, zero=True),
)
def opposite_clients(
    *,
    loss: str,
    N: Number,
    L_f: Number,
    L_h: Number,
    d_f: Number,
    d_h: Number,
    steeper: Number,
    x: Number,
) -> dict[str, Any]:
    """Half of the clients have their minimum at +d, half at -d; by symmetry the mean loss is least at 0.

    ``loss``: the shape of the outer losses; ``d_f``, ``d_h``: distance of the clients' minima from 0, of f_i and of
    h_i; ``steeper``: curvature of f_i as a multiple of L_f; ``x``: the point at which gradients are taken.

    Raises:
        ValueError: N is odd.
    """
    if N % 2:
        raise ValueError(f"N is {N}; half of the clients stand on either side")
    f, h = outer(loss, steeper * L_f), parabola(L_h)
    metrics: dict[str, Any] = {}
    for name, level, d in (("f", f, d_f), ("h", h, d_h)):
        here, lowest = (level.value(x - d) + level.value(x + d)) / 2, level.value(d)
        metrics[f"mean_sq_grad_{name}"] = (level.slope(x - d) ** 2 + level.slope(x + d) ** 2) / 2
        metrics[f"gap_inf_{name}"] = here - lowest
        metrics["inf_f" if name == "f" else "h_star"] = lowest
        metrics[f"mean_inf_{name}"] = level.infimum + 0 * x
    return metrics | {
        "f_convex": f.convex(),
        "f_smooth": f.smooth(L_f),
        "h_convex": h.convex(),
        "h_smooth": h.smooth(L_h),
        "X_h_nonempty": h.attained(),
        "f_bounded_below": Fact(f.infimum is not None, f"every f_i is at least {f.infimum}"),
        "clients_attain_minimum": Fact(True, f"f_i at {d_f} and -{d_f}, h_i at {d_h} and -{d_h}"),
    }


PRINTED = record(
    LEM1,
    refuted_by=example(
        opposite_clients,
        left="1",
        right="1/2",
        by_hand="""f_1, f_2 = (x -+ 1)^2/2 and h_i = x^2/2: both gradients of f_i at 0 have norm 1, so the left side is
        1. f(0) = inf f = 1/2 and both minima are 0: G_f^2 = (2/2)(1/2 - 0) = 1/2 and the last term is 0. Without the
        factor 1/N the right side is 1.""",
    ),
)
# quadratic clients attain the smoothness inequality everywhere; at a minimiser only G^2 is left, and with identical
# clients only the gap
CORRECTED = record(
    catalog.claims("strfedavg")["strfedavg.lem1.corrected"],
    families=[opposite_clients],
    tight=Sharp(terms=True),
)
