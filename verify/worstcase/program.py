"""The dual in floats, scaled so that points, conditions and values have coefficients near one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rateproof.verify.worstcase.dual import Dual

_SWEEPS = 6
_ALIKE = 8  # points whose units differ by a smaller power of two keep their own
_SMALLEST = 3e-5  # unit, where the largest cost is one: below, solvers stall on multipliers that differ too much


@dataclass(frozen=True)
class Program:
    """Minimise ``costs @ y`` over ``matrix @ y = right``, ``y[signed] >= 0`` and every block positive semidefinite.

    Attributes:
        costs, signed: float and bool arrays, one entry for each live variable of the dual.
        matrix, right: the equations.
        blocks: float arrays (variables, size, size); the first is the gap where it is not empty.
        scales: a multiplier of the dual is ``scales * y``.
        unit: a bound is ``unit * costs @ y``.
    """

    costs: Any
    signed: Any
    matrix: Any
    right: Any
    blocks: tuple[Any, ...]
    scales: Any
    unit: float

    @property
    def degree(self) -> int:
        """The number of inequalities and rows of blocks, which is what the barrier counts."""
        return int(self.signed.sum()) + sum(block.shape[1] for block in self.blocks)


def program(dual: Dual, *, unit: float | None = None, measured: bool = False) -> Program:
    """The scaled floats of a dual, for a bound of about ``unit``; by default that is its largest cost.

    Where the points are ``measured`` in units of their own sizes already, these are kept, however far apart the
    multipliers then are.
    """
    import numpy as np

    matrix, right = dual.linear
    columns, sides = _by_blocks(dual) if measured else _geometric(dual)
    scales, matrix, right = columns, *_level(matrix * columns, right)
    blocks = [b * columns[:, None, None] * side[:, None] * side for b, side in zip(dual.blocks, sides, strict=True)]
    for _ in range(_SWEEPS):
        tops = [np.abs(block).max(axis=(1, 2)) for block in blocks] + [np.abs(matrix).max(axis=0, initial=0)]
        columns = _balancing(np.max(tops, axis=0))
        scales, matrix = scales * columns, matrix * columns
        for b, block in enumerate(blocks):
            block = block * columns[:, None, None]
            rows = _balancing(np.sqrt(np.abs(block).max(axis=(0, 2))))
            blocks[b] = block * rows[:, None] * rows
        matrix, right = _level(matrix, right)
    signed = np.array([dual.signed[v] for v in dual.alive])
    costs = dual.costs * scales
    price = float(np.abs(costs).max(initial=0) or 1.0)
    size = 1.0 if unit is None else max(unit / price, 0 if measured else _SMALLEST)
    return Program(costs / price, signed, matrix, right / size, tuple(blocks), scales * size, size * price)


def _level(matrix: Any, right: Any) -> tuple[Any, Any]:
    """Equations whose largest coefficients are near one."""
    import numpy as np

    rows = _balancing(np.abs(matrix).max(axis=1, initial=0))
    return matrix * rows[:, None], right * rows


def _by_blocks(dual: Dual) -> tuple[Any, list[Any]]:
    """Powers of two for the variables, with which their blocks have largest entries near one; one for the rows."""
    import numpy as np

    tops = np.max([np.abs(block).max(axis=(1, 2)) for block in dual.blocks], axis=0, initial=0)
    return _balancing(tops), [np.ones(block.shape[1]) for block in dual.blocks]


def _balancing(sizes: Any) -> Any:
    """The factors that bring positive sizes near one, as powers of two, which round nothing; one for a size of zero."""
    import numpy as np

    return 2.0 ** -np.round(np.log2(np.where(sizes > 0, sizes, 1)))


def _geometric(dual: Dual) -> tuple[Any, list[Any]]:
    """Powers of two for the variables and for the rows of the blocks, with which coefficients are nearest to one.

    The logarithms of the coefficients have the least sum of squares; without those beside a diagonal, which it bounds.
    """
    import numpy as np

    matrix, _ = dual.linear
    starts = np.cumsum([len(dual.costs), len(matrix), *(block.shape[1] for block in dual.blocks)])
    unit = int(starts[-1])
    terms: list[tuple[Any, ...]] = []
    e, v = np.nonzero(matrix)
    terms.append((matrix[e, v], v, len(dual.costs) + e))
    for block, start in zip(dual.blocks, starts[1:], strict=False):
        v, i, j = np.nonzero(np.triu(block))
        telling = (i == j) | (block[v, i, i] == 0) | (block[v, j, j] == 0)
        v, i, j = v[telling], i[telling], j[telling]
        terms.append((block[v, i, j], v, start + i, start + j))
    (v,) = np.nonzero(dual.costs)
    terms.append((dual.costs[v], v, np.full(len(v), unit)))
    factors = geometric(unit + 1, terms, range(starts[1], unit))
    return factors[: starts[0]], [factors[a:b] for a, b in pairwise(starts[1:])]


def geometric(count: int, terms: Sequence[tuple[Any, ...]], points: Sequence[int]) -> Any:
    """Powers of two that bring coefficients near one: the logarithms have the least sum of squares.

    All are one where those of the ``points`` are much alike.

    Args:
        count: of the powers.
        terms: arrays of coefficients, each with the arrays of the places of the powers that it is multiplied with.
    """
    import numpy as np

    normal, image = np.zeros((count, count)), np.zeros(count)
    for sizes, *places in terms:
        logarithms = -np.log2(np.abs(sizes))
        for i in places:
            np.add.at(image, i, logarithms)
            for j in places:
                np.add.at(normal, (i, j), 1.0)
    powers = np.round(np.linalg.lstsq(normal, image, rcond=1e-9)[0])
    among = powers[points]
    return 2.0 ** (powers if len(among) and np.ptp(among) > _ALIKE else 0 * powers)
