"""From a guess inside the dual to a nearly optimal one: Newton's method along the central path of its barrier.

Every point on the way keeps a distance from the boundary, which is what rounding needs: at the end it is the accuracy
asked for divided by the size of the optimal Gram matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rateproof.verify.worstcase.program import Program

_NEWTON = 40
_STEPS = 60
_CENTRED = 0.25
_SLOW = 0.7
_BOUNDARY = 0.9  # the share of the way to the boundary that a step may go


@dataclass(frozen=True)
class Central:
    """A point near the central path.

    Attributes:
        multipliers: scaled, strictly inside.
        value: the bound that they give.
        error: at most this much above the optimal value, up to how well the point is centred.
    """

    multipliers: Any
    value: float
    error: float


def inside(program: Program, point: Any) -> bool:
    """Whether a point is finite and has positive signs and positive definite blocks."""
    import numpy as np

    finite = bool(np.isfinite(point).all())
    return finite and bool((point[program.signed] > 0).all()) and _factors(program, point) is not None


def follow(program: Program, start: Any, *, slack: float) -> Iterator[Central]:
    """Points along the central path from a point inside, until the relative error is ``slack`` or floats give out."""
    import numpy as np
    from scipy.linalg import null_space

    free = null_space(program.matrix)
    point = start - np.linalg.pinv(program.matrix) @ (program.matrix @ start - program.right)
    state = _State.at(program, free, point)
    weight = 0.0 if state is None else state.nearest_weight()
    for _ in range(_STEPS):
        state = None if state is None else _centred(state, weight)
        if state is None:
            return
        value = float(program.costs @ state.point)
        yield Central(state.point, value, program.degree / weight)
        if program.degree / weight <= slack * abs(value):
            return
        direction = weight * state.downhill()
        share = _BOUNDARY * min(1.0, state.room(direction))
        state = state.moved(share * direction)
        weight /= 1 - share


@dataclass(frozen=True)
class _State:
    """The barrier at a point inside.

    With ``F`` the Cholesky factors of the blocks, the barrier's Hessian is ``J^T J`` and its gradient ``-J^T e``, where
    the columns of ``J`` are the relative changes ``F^-1 block_v F^-T`` and ``1 / y_v``. Newton steps come from a QR
    decomposition of ``J``, because the Hessian itself squares a condition number that is already extreme.

    Attributes:
        free: an orthonormal basis of the directions along the equations.
        factors: of the blocks.
        shape: ``R`` of the decomposition of ``J free``.
        pull: ``Q^T e``.
    """

    program: Program
    free: Any
    point: Any
    factors: list[Any]
    shape: Any
    pull: Any

    @classmethod
    def at(cls, program: Program, free: Any, point: Any) -> _State | None:
        """None outside the interior."""
        import numpy as np
        from scipy.linalg import qr, solve_triangular

        factors = _factors(program, point)
        if factors is None or not (point[program.signed] > 0).all():
            return None
        rows = [free[program.signed] / point[program.signed][:, None]]
        ones = [np.ones(len(rows[0]))]
        for block, factor in zip(program.blocks, factors, strict=True):
            size, count = len(factor), free.shape[1]
            changes = np.tensordot(free, block, (0, 0)).transpose(1, 0, 2).reshape(size, -1)
            half = solve_triangular(factor, changes, lower=True, check_finite=False)
            half = half.reshape(size, count, size).transpose(2, 1, 0).reshape(size, -1)
            whole = solve_triangular(factor, half, lower=True, check_finite=False).reshape(size, count, size)
            first, second = np.tril_indices(size)
            weights = np.where(first == second, 1.0, np.sqrt(2.0))
            rows.append(whole[first, :, second] * weights[:, None])
            ones.append(np.where(first == second, 1.0, 0.0))
        stacked, target = np.concatenate(rows), np.concatenate(ones)
        # Householder reflections keep small rows only when the large ones come first.
        order = np.argsort(-np.abs(stacked).max(axis=1))
        basis, shape = qr(stacked[order], mode="economic", check_finite=False)
        return cls(program, free, point, factors, shape, basis.T @ target[order])

    def moved(self, direction: Any) -> _State | None:
        """The state after a step, or None outside the interior."""
        return _State.at(self.program, self.free, self.point + direction)

    def nearest_weight(self) -> float:
        """The weight of the costs for which the point is closest to the central path."""
        costs = self._pulled(self.program.costs)
        weight = float(costs @ self.pull / max(costs @ costs, 1e-300))
        return weight if weight > 0 else 1e-3

    def newton(self, weight: float) -> tuple[Any, float]:
        """The Newton step for a weight of the costs, and its length in the local norm."""
        import numpy as np

        step = self.pull - weight * self._pulled(self.program.costs)
        return self._lifted(step), float(np.linalg.norm(step))

    def downhill(self) -> Any:
        """The derivative of the central point by the weight."""
        return -self._lifted(self._pulled(self.program.costs))

    def rates(self, direction: Any) -> Any:
        """How fast signs and eigenvalues change along a direction, relative to what they are."""
        import numpy as np
        from scipy.linalg import solve_triangular

        rates = [direction[self.program.signed] / self.point[self.program.signed]]
        for block, factor in zip(self.program.blocks, self.factors, strict=True):
            half = solve_triangular(factor, np.tensordot(direction, block, 1), lower=True, check_finite=False)
            rates.append(np.linalg.eigvalsh(solve_triangular(factor, half.T, lower=True, check_finite=False)))
        return np.concatenate(rates)

    def room(self, direction: Any) -> float:
        """How many times a direction fits before the boundary."""
        lowest = float(self.rates(direction).min(initial=-1e-9))
        return 1 / -lowest

    def _pulled(self, costs: Any) -> Any:
        from scipy.linalg import solve_triangular

        return solve_triangular(self.shape, self.free.T @ costs, trans="T", check_finite=False)

    def _lifted(self, step: Any) -> Any:
        from scipy.linalg import solve_triangular

        return self.free @ solve_triangular(self.shape, step, check_finite=False)


def _centred(state: _State, weight: float) -> _State | None:
    """A point near the central path for a weight of the costs; None where floats do not reach one.

    Where multipliers can grow at no cost, as on two conditions that say an equation, there is no path: then a point is
    accepted once what still changes only grows.
    """
    before = float("inf")
    for _ in range(_NEWTON):
        direction, length = state.newton(weight)
        rates = state.rates(direction)
        if length < _CENTRED or (length > _SLOW * before and float(rates.min(initial=0.0)) > -_CENTRED):
            return state
        moved = state.moved(_longest(weight * float(state.program.costs @ direction), rates) * direction)
        if moved is None:
            return None
        state, before = moved, length
    return None


def _longest(slope: float, rates: Any) -> float:
    """The minimiser of ``slope a - sum_i log(1 + a rates[i])`` over ``0 <= a``, short of the boundary and of one."""
    import numpy as np

    bottom, top = 0.0, 1 / max(1.0, -1.01 * float(rates.min()))
    for _ in range(30):
        middle = (bottom + top) / 2
        if slope < float(np.sum(rates / (1 + middle * rates))):
            bottom = middle
        else:
            top = middle
    return bottom


def _factors(program: Program, point: Any) -> list[Any] | None:
    """Cholesky factors of the blocks, or None when one is not positive definite."""
    import numpy as np

    try:
        return [np.linalg.cholesky(np.tensordot(point, block, 1)) for block in program.blocks]
    except np.linalg.LinAlgError:
        return None
