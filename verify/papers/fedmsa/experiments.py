"""The experiments of Section 4: the levels of the risk-averse problem, and what was rerun."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import experiments as claims
from rateproof.verify.form import choice, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt


@family(
    "two scenarios",
    U_high=reals(4, 1, 100),
    U_low=reals(0, 1, low=0.1, high=10, zero=True),
    weight_u=reals(1, "1/2", low=0.01, high=1),
    offset_u=reals(0, "1/10", low=0.01, high=1, zero=True),
    levels=choice("displayed", "squared"),
)
def two_scenarios(*, U_high: Number, U_low: Number, weight_u: Number, offset_u: Number, levels: str) -> dict[str, Any]:
    """``U`` is one of two numbers, each with probability 1/2."""
    if U_high < U_low:
        raise ValueError("U_high is at least U_low")
    mean, above = (U_high + U_low) / 2, (U_high - U_low) / 2
    deviation = above**2 / 2
    inner = above / 2 if levels == "displayed" else deviation
    return {
        "risk": mean + weight_u * sqrt(deviation),
        "composed": mean + weight_u * sqrt(inner + offset_u),
        "levels": Fact(levels == "displayed", f"f1 is the {levels} one"),
        "squared": Fact(levels == "squared", f"f1 is the {levels} one"),
    }


MCO = record(
    claims.MCO,
    families=[two_scenarios],
    refuted_by=example(
        two_scenarios,
        U_high=4,
        U_low=0,
        weight_u=1,
        offset_u=0,
        levels="displayed",
        left="3.41421",
        right="3",
        by_hand="U = 0 or 4, each with probability 1/2, lambda = 1, delta = 0: E U = 2 and max(0, U - 2) = 0 or 2. "
        "Its mean square is 2, so the objective is 2 + sqrt(2). Its mean is 1, so f2(f1(f0(x))) = 2 + 1.",
    ),
)
