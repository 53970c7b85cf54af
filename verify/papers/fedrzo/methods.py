"""The paper's methods from names and numbers, for the command line; their lower levels are chosen by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from rateproof.algos.methods.fedrzo import Directions, ExactOracle, FedRZO, LowerSolver
from rateproof.algos.methods.fedrzo_lower import ExactStage, FedRZO_2s, FedRZO_bl, Prescribed, StageSolver
from rateproof.algos.methods.lower import LFD, FedAC, LocalSGD
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.methods.zsol import ZSOL
from rateproof.algos.sets import interval

LowerName = Literal["exact", "local_sgd", "fedac", "lfd"]


def fedrzo_bl(
    *,
    gamma: float,
    eta: float,
    H: int = 1,
    directions: Directions = "round",
    lower: LowerName = "exact",
    projected: bool = False,
    error: float = 0.0,
    power: float = 0.0,
) -> FedRZO_bl:
    """Algorithm 2 for bilevel and minimax problems.

    Args:
        gamma, eta, H, directions: as in the method.
        lower: the lower-level method (Cases 1 to 3); "exact" is the solution itself.
        projected: whether the lower-level method projects on ``Y(x)``; not so as printed.
        error, power: an error along the direction of the round is added to the solution at ``xhat_r + v``; its square
            in round ``r`` is ``error^2 (r + 1)^-power``.
    """
    solvers: Mapping[str, Callable[[], LowerSolver]] = {
        "exact": ExactOracle,
        "local_sgd": lambda: LocalSGD(projected=projected),
        "fedac": lambda: FedAC(projected=projected),
        "lfd": lambda: LFD(projected=projected),
    }
    errors = Prescribed(at_v_along=error, power=power) if error else None
    return FedRZO_bl(gamma=gamma, eta=eta, H=H, directions=directions, solver=solvers[lower](), errors=errors)


def fedrzo_2s(
    *, gamma: float, eta: float, H: int = 1, alpha: float | None = None, tau: float | None = None, y0: float = 0.0
) -> FedRZO_2s:
    """Algorithm 4 for two-stage problems.

    Args:
        gamma, eta, H: as in the method.
        alpha, tau, y0: of the projection method (Algorithm 5); without ``alpha`` and ``tau`` stages are solved exactly.

    Raises:
        ValueError: one of ``alpha`` and ``tau`` is missing.
    """
    return FedRZO_2s(gamma=gamma, eta=eta, H=H, solver=_stage(alpha, tau, y0))


def zsol(
    *,
    gamma: float,
    eta: float,
    X_low: float = -math.inf,
    X_high: float = math.inf,
    power: float = 0.0,
    alpha: float | None = None,
    tau: float | None = None,
    y0: float = 0.0,
) -> ZSOL:
    """ZSOL on the line, projected on the interval from ``X_low`` to ``X_high``; the others as in :func:`fedrzo_2s`."""
    return ZSOL(gamma=gamma, eta=eta, X=interval(X_low, X_high), power=power, solver=_stage(alpha, tau, y0))


def _stage(alpha: float | None, tau: float | None, y0: float) -> StageSolver:
    if alpha is None and tau is None:
        return ExactStage()
    if alpha is None or tau is None:
        missing = "alpha" if alpha is None else "tau"
        raise ValueError(f"the projection method needs alpha and tau; {missing} is missing")
    return ProjectionMethod(alpha=alpha, tau=tau, y0=y0)


METHODS: dict[str, Callable[..., Any]] = {
    "FedRZO_nn": FedRZO,
    "FedRZO_bl": fedrzo_bl,
    "FedRZO_2s": fedrzo_2s,
    "ZSOL": zsol,
}
