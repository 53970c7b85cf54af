"""Linear programmes over cones, handed to the solver as it takes them: to state one in cvxpy takes far longer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_TOLERANCES = ("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_infeas_abs", "tol_infeas_rel", "tol_ktratio")

#: Constants and slopes. Rows: shapes (k,) and (k, n) for the first n unknowns; a matrix: (s, s) and (n, s, s).
Affine = tuple[Any, Any]


def minimum(
    costs: Any,
    *,
    equal: Iterable[Affine] = (),
    signed: Iterable[Affine] = (),
    matrices: Iterable[Affine] = (),
    accuracy: float | None = None,
) -> Any | None:
    """Unknowns at which ``costs @ unknowns`` is least, of any accuracy; None where the solver finds none.

    Args:
        costs: of each unknown.
        equal: rows that are 0.
        signed: rows that are nonnegative.
        matrices: symmetric matrices that are positive semidefinite.
        accuracy: of the solver, if one is asked.
    """
    import clarabel
    import numpy as np
    from scipy import sparse

    rows, cones = [], []
    for cone, lines in (clarabel.ZeroConeT, [*equal]), (clarabel.NonnegativeConeT, [*signed]):
        if count := sum(len(constants) for constants, _ in lines):
            cones.append(cone(count))
            rows += lines
    for constant, slopes in matrices:
        columns, lower = np.tril_indices(len(constant))  # the upper triangle, column by column
        weights = np.where(columns == lower, 1.0, np.sqrt(2.0))
        rows.append((constant[lower, columns] * weights, (slopes[:, lower, columns] * weights).T))
        cones.append(clarabel.PSDTriangleConeT(len(constant)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for name in _TOLERANCES if accuracy is not None else ():
        setattr(settings, name, accuracy)
    nothing = sparse.csc_matrix((len(costs), len(costs)))
    padded = [np.pad(slopes, ((0, 0), (0, len(costs) - slopes.shape[1]))) for _, slopes in rows]
    programme = nothing, costs, sparse.csc_matrix(-np.concatenate(padded)), np.concatenate([c for c, _ in rows])
    try:
        solution = clarabel.DefaultSolver(*programme, cones, settings).solve()
    except BaseException as failure:
        if not is_panic(failure):
            raise
        return None
    return np.array(solution.x) if str(solution.status) in ("Solved", "AlmostSolved") else None


def is_panic(error: BaseException) -> bool:
    """Whether an exception is the end of a solver written in Rust, which derives from nothing but BaseException."""
    return type(error).__name__ == "PanicException"
