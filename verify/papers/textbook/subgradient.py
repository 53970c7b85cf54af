"""The subgradient method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.papers.textbook import subgradient as claims
from rateproof.theory.proof import Setting
from rateproof.theory.symbols import R as ROUNDS
from rateproof.verify.form import choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import refuse
from rateproof.verify.planted.mutate import Sharp


def method_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`subgradient_method` in the vectors of the proof, one step after the other.

    Raises:
        ValueError: there are too many steps.
    """
    from rateproof.verify.form.outcomes import COORDINATE, Grid, Outcomes

    numbers = in_floats(params)
    loss, R, slope, gamma_l = (numbers[name] for name in ("loss", "R", "slope", "gamma_l"))
    refuse(R, 12)
    start = at_start(loss, R, numbers["x0"])

    def at(point: Grid) -> tuple[Grid, Grid]:
        value, i, step = oracle(loss, slope, [float(x) for x in point])
        return np.array([step if j == i else 0.0 for j in range(len(start))]), np.array([value])

    def of(_: Setting) -> Iterator[Outcomes]:
        x = np.array(start)
        for k in range(R + 1):
            made = {"x": x} | ({} if loss == "decaying" else {"x*": 0 * x})
            open_ = frozenset({"x*"} - made.keys())
            yield Outcomes({COORDINATE: [1.0] * len(x)}, made, {"h": at}, lambda *_: set(), open=open_, term={p.k: k})
            x = x - gamma_l * at(x)[0]

    return of


def at_start(loss: str, R: int, x0: Number) -> list[Number]:
    """Equal coordinates, of length ``x0`` together."""
    n = R if loss == "largest coordinate" else 1
    return [x0 / sqrt(n + 0 * x0) for _ in range(n)]


def oracle(loss: str, slope: Number, x: list[Number]) -> tuple[Number, int, Number]:
    """The value at a point, and a subgradient: the coordinate that it has, and its size there."""
    sizes = [abs(y) for y in x]
    i = sizes.index(max(sizes))
    down = -slope if x[i] < 0 else slope
    if loss == "largest coordinate":
        return slope * sizes[i], i, down
    if loss == "plateau":
        return slope * min(sizes[i], 1), i, 0 * slope if sizes[i] >= 1 else down
    root = sqrt(1 + x[0] ** 2)
    return slope * (root - x[0]) / 2, i, slope * (x[0] / root - 1) / 2


@family(
    "subgradient method",
    None,
    method_in_vectors,
    loss=choice("largest coordinate", "plateau", "decaying"),
    R=counts(1, 4, 100, drawn=(1, 4, 9, 16, 25, 100, 0)),
    gamma_l=reals(1, 0.5, 0.1, 0.05, high=10),
    M_h=reals(1, low=0.1, high=10),
    slope=reals(1, 10, low=0.1, high=10),
    x0=reals(1, 2, 0, zero=True),
)
def subgradient_method(*, loss: str, R: int, gamma_l: Number, M_h: Number, slope: Number, x0: Number) -> dict[str, Any]:
    """``slope max |x_i|`` on R coordinates, from equal ones; ``slope min(|x|, 1)``; ``slope (sqrt(1 + x^2) - x) / 2``.

    The oracle of the first answers with a largest coordinate, so that R steps see R of them.

    ``loss``: its shape; ``slope``: of the loss; ``x0``: the start.
    """
    x = at_start(loss, R, x0)
    values = []
    for _ in range(R):
        value, i, step = oracle(loss, slope, x)
        values.append(value)
        x[i] = x[i] - gamma_l * step
    return {
        "start2": None if loss == "decaying" else x0**2,
        "gap_best": min(values) if values else None,
        "convex": Fact(loss != "plateau", "a largest value, or a root" if loss != "plateau" else "min(|x|, 1) is flat"),
        "subgradients_bounded": Fact(slope <= M_h, f"slopes are at most {slope}; M = {M_h}"),
        "attained": Fact(loss != "decaying", "at 0" if loss != "decaying" else "sqrt(1 + x^2) - x has no minimiser"),
        "degenerate": x0 == 0,
    }


# equality at gamma = D/(M sqrt(R)), where both terms are equal: lowering either breaks it
SUBGRADIENT = record(
    claims.SUBGRADIENT,
    families=[subgradient_method],
    tight=Sharp(terms=True, exponents=(ROUNDS,), hypotheses=("convex", "subgradients_bounded")),
)
