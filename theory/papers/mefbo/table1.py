"""Table 1: what the compared methods need and have."""

from typing import Any

from rateproof.theory.claim import Claim, Kind
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.theorem34 import REMARK_1


def _row(
    number: int, method: str, convexity: str, order: str, free: bool, partial: bool, speedup: bool, **more: Any
) -> Claim:
    said = ("no", "yes")
    return p.claim(
        f"tab1-{number}",
        f"Table 1, row {number}",
        Kind.PROPERTY,
        f"{method}: lower level {convexity}, Lipschitz continuous to {order} order; free of Hessians and Jacobians: "
        f"{said[free]}; partial participation: {said[partial]}; linear speed-up: {said[speedup]}",
        more.pop("statement", None),
        title=f"What {method} needs and has",
        **more,
    )


MEFBO = _row(
    6,
    "MeFBO",
    "nonconvex",
    "first",
    True,
    True,
    True,
    statement=REMARK_1.statement,
    hypotheses=REMARK_1.hypotheses,
    where=REMARK_1.where,
    schedule=REMARK_1.schedule,
    follows_from=("rem3.4-1",),
    note="The relation is the linear speed-up.",
)
CLAIMS = (
    _row(1, "FedNest", "strongly convex", "second", False, False, False),
    _row(2, "FBO-AggITD", "strongly convex", "second", False, False, False),
    _row(3, "FedBiO", "strongly convex", "second", False, False, True),
    _row(4, "FedMBO", "strongly convex", "second", False, True, True),
    _row(5, "SimFBO", "strongly convex", "third", False, True, True),
    MEFBO,
)
