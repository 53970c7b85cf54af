"""First guesses from a conic solver: multipliers inside the dual, or the face of the cone that the dual is stuck to.

Nothing here is trusted. A guess is improved by :mod:`rateproof.verify.worstcase.barrier` and proved after rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from rateproof.theory.gram.conic import is_panic
from rateproof.verify.worstcase.interrupts import interruptible
from rateproof.verify.worstcase.program import Program

_MODULES = {"CLARABEL": "clarabel", "SCS": "scs"}
ACCURACY = {"CLARABEL": 1e-9, "SCS": 1e-5}  # how far a point that the solver returns may be from its constraints
TOLERANCE = 1e-8  # asked of CLARABEL, whose own default another version may change; what certify accepts rests on it
SOLVED = ("Solved", "AlmostSolved", "solved", "solved (inaccurate - reached max_iters)")
_BURDEN = 1e-6  # the price of large multipliers against one unit of margin; it keeps a guess bounded


@dataclass(frozen=True)
class Guess:
    """What a solver found.

    Attributes:
        multipliers: scaled.
        margin: how far inside they are meant to be.
        excess: how much their value exceeds the optimum because of the margin, by the solver's dual solution.
        status: the solver's own word for how it ended.
    """

    multipliers: Any
    margin: float
    excess: float
    status: str


def require(solver: str) -> None:
    """Raise a ValueError unless the solver is known and installed."""
    if why := missing(solver):
        raise ValueError(why)


def missing(solver: str) -> str | None:
    """Why a solver cannot be used, in a line; None when it can."""
    if solver not in _MODULES:
        return f"solver {solver!r} is not known: choose one of {', '.join(_MODULES)}"
    try:
        spec = find_spec(_MODULES[solver])
    except ValueError:  # a module without a spec, or None in its place
        spec = None
    return None if spec else f"solver {solver} is not installed: pip install {_MODULES[solver]}"


def cheapest(program: Program, solver: str, *, margin: float) -> Guess:
    """The multipliers of least value whose signs and matrices keep a margin from the boundary."""
    import numpy as np

    count, signs = len(program.costs), int(program.signed.sum())
    cones = _Cones(count, lower=solver == "SCS")
    cones.equal(program.matrix, program.right)
    cones.nonnegative(np.eye(count)[program.signed], -margin * np.ones(signs))
    for block in program.blocks:
        cones.semidefinite(block, -margin * np.eye(block.shape[1]))
    solution = cones.minimise(program.costs, solver)
    return Guess(solution.point, margin, -float(solution.prices @ cones.constant), solution.status)


def interior(program: Program, solver: str) -> Guess:
    """Multipliers whose signs and matrices keep the largest common margin, at most one, from the boundary."""
    import numpy as np

    count = len(program.costs)
    cones = _Cones(count + 1, lower=solver == "SCS")
    cones.equal(_beside(program.matrix, 0), program.right)
    cones.nonnegative(_beside(np.zeros((1, count)), -1), np.ones(1))
    cones.nonnegative(_beside(np.eye(count)[program.signed], -1), np.zeros(int(program.signed.sum())))
    for block in program.blocks:
        cones.semidefinite(np.concatenate([block, -np.eye(block.shape[1])[None]]), 0 * block[0])
    solution = cones.minimise(np.append(_BURDEN * _burden(program), -1.0), solver)
    return Guess(solution.point[:count], float(solution.point[count]), np.inf, solution.status)


def widest(program: Program, solver: str) -> Guess:
    """Multipliers of the largest possible support and ranks, where a margin is impossible; the margin is zero.

    Each sign and each matrix dominates a part of its own, capped at one, and the sum of the parts is largest.
    """
    import numpy as np

    count, signs = len(program.costs), int(program.signed.sum())
    shapes = [_packing(block.shape[1], lower=False)[:2] for block in program.blocks]
    starts = np.cumsum([count + signs, *(len(first) for first, _ in shapes)])
    width = int(starts[-1])
    cones = _Cones(width, lower=solver == "SCS")
    costs = np.zeros(width)
    costs[:count], costs[count : count + signs] = _BURDEN * _burden(program), -1.0
    cones.equal(np.pad(program.matrix, ((0, 0), (0, width - count))), program.right)
    part = np.eye(width)[count : count + signs]
    cones.nonnegative(np.eye(width)[:count][program.signed] - part, np.zeros(signs))
    cones.nonnegative(part, np.zeros(signs))
    cones.nonnegative(-part, np.ones(signs))
    for block, (first, second), start in zip(program.blocks, shapes, starts, strict=False):
        size = block.shape[1]
        share = np.zeros((width, size, size))
        places = range(start, start + len(first))
        share[places, first, second] = share[places, second, first] = 1.0
        costs[start : start + len(first)] = np.where(first == second, -1.0, 0.0)
        whole = np.zeros((width, size, size))
        whole[:count] = block
        cones.semidefinite(whole - share, np.zeros((size, size)))
        cones.semidefinite(share, np.zeros((size, size)))
        cones.semidefinite(-share, np.eye(size))
    solution = cones.minimise(costs, solver)
    return Guess(solution.point[:count], 0.0, np.inf, solution.status)


def _beside(matrix: Any, last: float) -> Any:
    """The matrix with one more column, of the value ``last``."""
    import numpy as np

    return np.hstack([matrix, np.full((len(matrix), 1), float(last))])


def _burden(program: Program) -> Any:
    import numpy as np

    return program.signed + sum(
        (np.trace(block, axis1=1, axis2=2) for block in program.blocks), np.zeros(len(program.costs))
    )


@dataclass
class _Cones:
    """Rows of ``matrix @ x + constant`` in the zero, the nonnegative and semidefinite cones, in this order."""

    width: int
    lower: bool
    parts: dict[str, list[tuple[Any, Any]]] = field(default_factory=lambda: {"equal": [], "nonnegative": [], "psd": []})
    sizes: list[int] = field(default_factory=list)

    def equal(self, matrix: Any, right: Any) -> None:
        self.parts["equal"].append((matrix, -right))

    def nonnegative(self, matrix: Any, constant: Any) -> None:
        self.parts["nonnegative"].append((matrix, constant))

    def semidefinite(self, matrices: Any, constant: Any) -> None:
        """``sum_v x_v matrices[v] + constant``, packed as the solver wants it."""
        import numpy as np

        size = matrices.shape[1]
        first, second, weights = _packing(size, lower=self.lower)
        self.parts["psd"].append(
            (np.ascontiguousarray((matrices[:, first, second] * weights).T), constant[first, second] * weights)
        )
        self.sizes.append(size)

    @property
    def constant(self) -> Any:
        """The constants of the inequalities, with zeros for the equations."""
        import numpy as np

        rows = [0 * c for _, c in self.parts["equal"]] + [
            c for kind in ("nonnegative", "psd") for _, c in self.parts[kind]
        ]
        return np.concatenate(rows)

    def minimise(self, costs: Any, solver: str) -> _Solution:
        """What the solver returns; NaN throughout where it is not finite, which is no point at all."""
        import numpy as np
        from scipy import sparse

        rows = [part for kind in ("equal", "nonnegative", "psd") for part in self.parts[kind]]
        matrix = sparse.vstack([sparse.csc_matrix(m) for m, _ in rows], format="csc")
        constant = np.concatenate([c for _, c in rows])
        counts = [sum(len(c) for _, c in self.parts[kind]) for kind in ("equal", "nonnegative")]
        backend = _clarabel if solver == "CLARABEL" else _scs
        solution = backend(costs, -matrix, constant, counts, self.sizes)
        if np.isfinite(solution.point).all() and np.isfinite(solution.prices).all():
            return solution
        return _Solution(np.full(len(costs), np.nan), np.full(len(constant), np.nan), solution.status)


@dataclass(frozen=True)
class _Solution:
    """A point, the prices of the rows, and the status."""

    point: Any
    prices: Any
    status: str


def _packing(size: int, *, lower: bool) -> tuple[Any, Any, Any]:
    """Rows, columns and weights of a packed symmetric matrix, column by column of one of the triangles."""
    import numpy as np

    pairs = [(i, j) for j in range(size) for i in (range(j, size) if lower else range(j + 1))]
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    return first, second, np.where(first == second, 1.0, np.sqrt(2.0))


def _clarabel(costs: Any, matrix: Any, right: Any, counts: list[int], sizes: list[int]) -> _Solution:
    import clarabel
    import numpy as np
    from scipy import sparse

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.max_iter = 80
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    settings.direct_solve_method = "faer"
    settings.static_regularization_constant = 1e-10  # the default of 1e-8 stalls where multipliers differ a millionfold
    cones = [clarabel.ZeroConeT(counts[0]), clarabel.NonnegativeConeT(counts[1])]
    cones += [clarabel.PSDTriangleConeT(size) for size in sizes]
    try:
        solution = clarabel.DefaultSolver(
            sparse.csc_matrix((len(costs),) * 2), costs, matrix, right, cones, settings
        ).solve()
    except BaseException as error:
        if not is_panic(error):
            raise
        return _Solution(np.full(len(costs), np.nan), np.full(len(right), np.nan), "failed")
    return _Solution(np.array(solution.x), np.array(solution.z), str(solution.status))


def _scs(costs: Any, matrix: Any, right: Any, counts: list[int], sizes: list[int]) -> _Solution:
    import scs

    data = {"A": matrix, "b": right, "c": costs}
    cone = {"z": counts[0], "l": counts[1], "s": sizes}
    accuracy = {"eps_abs": ACCURACY["SCS"], "eps_rel": ACCURACY["SCS"]}
    with interruptible():
        # Over-relaxed beyond the default of 1.5, from which a dual without interior is left too far from its face.
        solution = scs.SCS(data, cone, verbose=False, max_iters=5000, alpha=1.8, **accuracy).solve()
    return _Solution(solution["x"], solution["y"], str(solution["info"]["status"]))
