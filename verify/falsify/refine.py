"""Local search over the real parameters of an instance, from the worst instances that are known."""

from __future__ import annotations

import math
from typing import Any

from rateproof.verify.falsify.tally import Judged, Tally, score

PHASE = "refinement"
#: First step of the local search in logarithms, and how far it may go from where it began.
STEP, REACH = 0.2, 20.0
INADMISSIBLE = 1e3


class _SettledError(Exception):
    """Ends the local search."""


def refine(start: Judged, tally: Tally, *, evaluations: int) -> None:
    """Nelder and Mead's search in logarithms of the instance's numbers, from both sides of each; zeros stay zero.

    What is not admissible is penalised; ``evaluations`` bounds how many instances are built from either side.
    """
    from scipy.optimize import minimize

    space = start.space
    numbers = {name: x for name, x in space.numbers(start.params).items() if x and math.isfinite(x)}
    if not numbers:
        return

    def moved(shift: Any) -> Any:
        pairs = zip(numbers.items(), shift, strict=True)
        return space.at(start.params, {name: x * math.exp(min(max(s, -REACH), REACH)) for (name, x), s in pairs})

    def loss(shift: Any) -> float:
        try:
            params = moved(shift)
        except ValueError:
            return INADMISSIBLE
        judged = tally.judge(space, params, PHASE)
        if judged is not None and judged.settles:
            raise _SettledError
        value = score(judged)
        return INADMISSIBLE if value is None else -value

    size = len(numbers)
    try:
        for step in (STEP, -STEP):
            simplex = [[0.0] * size] + [[step * (i == j) for j in range(size)] for i in range(size)]
            limits = {"initial_simplex": simplex, "maxfev": evaluations, "xatol": 1e-6, "fatol": 1e-9}
            minimize(loss, [0.0] * size, method="Nelder-Mead", options=limits)
    except _SettledError:
        return
