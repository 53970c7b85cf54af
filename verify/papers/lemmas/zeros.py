"""Steps towards the zero of a map, and targets that move: maps of the plane that turn what they push."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.verify.form import family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.planted.mutate import Sharp


def spiral_in_vectors(**params: Any) -> InOutcomes:
    """The step of :func:`spiral` in the vectors of the proof."""
    from rateproof.verify.papers.lemmas.vectors import of_maps

    of = in_floats(params)
    s, w, z, u = of["push"], of["turn"], of["z"], of["weight"] * of["wrong"] / of["gamma_1"]
    p, r = s * (z - of["centre"]), w * (z - of["centre"])
    q = [p - u * (z - of["gamma_1"] * p), r + u * of["gamma_1"] * r]
    return of_maps({"z": [z, 0.0], "z*": [0.0, 0.0], "q": q}, {"S": [[s, -w], [w, s], [of["centre"], 0.0]]})


@family(
    "a map that turns",
    None,
    spiral_in_vectors,
    z=reals(1, 0, 10, zero=True),
    push=reals(1, 2, "1/2", 0, zero=True),
    turn=reals("3/4", 0, 5, zero=True),
    L_1=reals("5/4", 5),
    gamma_1=reals("1/4", "1/100", 2),
    weight=reals(1, "1/100", 10),
    wrong=reals(1, 0, -1, zero=True),
    centre=reals(0, 2, zero=True),
)
def spiral(
    *,
    z: Number,
    push: Number,
    turn: Number,
    L_1: Number,
    gamma_1: Number,
    weight: Number,
    wrong: Number,
    centre: Number,
) -> dict[str, Any]:
    """``S(z) = (push + turn J) (z - centre)`` with a quarter turn J, at the point ``(z, 0)``, and ``z* = 0``.

    The direction is wrong by ``-wrong weight/gamma`` times where the step leads without an error.

    ``z``: the point; ``push``: the part of the map that pushes; ``turn``: the part of the map that turns; ``wrong``:
    the error of the direction, over the one that is worst; ``centre``: the zero of the map.
    """
    steep, p, r = push**2 + turn**2, push * (z - centre), turn * (z - centre)
    kept = (z - gamma_1 * p) ** 2 + (gamma_1 * r) ** 2
    return {
        **{"near": z**2, "pulled": z * p, "missed": (weight * wrong / gamma_1) ** 2 * kept},
        **{"stepped": (1 + weight * wrong) ** 2 * kept, "at_zero": steep * centre**2},
        "S is L-Lipschitz": Fact(steep <= L_1**2, "its slope is the root of push^2 + turn^2"),
    }


def target_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`moving_target` in the vectors of the proof."""
    from rateproof.verify.papers.lemmas.vectors import of_maps

    of = in_floats(params)
    w = of["along"] * of["y"] / of["weight"]
    return of_maps({"w": [w], "x": [0.0], "y": [of["y"]]}, {"z*": [[of["L_2"] * of["share"]], [0.0]]})


@family(
    "a target that moves",
    None,
    target_in_vectors,
    y=reals(1, 0, 10, zero=True),
    L_2=reals(1, 5, 0, zero=True),
    share=reals(1, 0, -1, 2, zero=True),
    along=reals(-1, 0, 1, zero=True),
    weight=reals(1, "1/100", 10),
)
def moving_target(*, y: Number, L_2: Number, share: Number, along: Number, weight: Number) -> dict[str, Any]:
    """``z*(x) = share L x`` at 0 and y, seen from ``along y/weight``.

    ``y``: the other point; ``share``: how steep the target is, over L; ``along``: where the iterate is, seen from the
    target.
    """
    w, end = along * y / weight, share * L_2 * y
    return {
        **{"target": w**2, "target_moved": (w - end) ** 2, "target_turned": -w * end, "apart": y**2},
        "z* is L-Lipschitz": Fact(-1 <= share <= 1, "its slope is share L"),
    }


# equality where the error points against what is left of z - z*, t times as long
ZERO_STEP = record(claims.ZERO_STEP, families=[spiral], tight=Sharp(hypotheses=("S(z*) = 0", "S is L-Lipschitz")))
MOVING_TARGET = record(
    claims.MOVING_TARGET, families=[moving_target], tight=Sharp(terms=True, hypotheses=("z* is L-Lipschitz",))
)
