"""The dual in floats, scaled so that points, conditions and values have coefficients near one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rateproof.verify.worstcase.dual import Dual

_SWEEPS = 6


@dataclass(frozen=True)
class Program:
    """Minimise ``costs @ y`` over ``matrix @ y = right``, ``y[signed] >= 0`` and every block positive semidefinite.

    Attributes:
        costs, signed: float and bool arrays, one entry for each live variable of the dual.
        matrix, right: the equations.
        blocks: float arrays (variables, size, size); the first is the gap where it is not empty.
        scales: a multiplier of the dual is ``scales * y``.
    """

    costs: Any
    signed: Any
    matrix: Any
    right: Any
    blocks: tuple[Any, ...]
    scales: Any

    @property
    def degree(self) -> int:
        """The number of inequalities and rows of blocks, which is what the barrier counts."""
        return int(self.signed.sum()) + sum(block.shape[1] for block in self.blocks)


def program(dual: Dual, *, unit: float = 1.0) -> Program:
    """The scaled floats of a dual; ``costs`` are in multiples of ``unit``."""
    import numpy as np

    matrix, right = dual.linear
    right = right / unit
    blocks = [block.copy() for block in dual.blocks]
    scales = np.ones(len(dual.alive))
    for _ in range(_SWEEPS):
        tops = [np.abs(block).max(axis=(1, 2)) for block in blocks] + [np.abs(matrix).max(axis=0, initial=0)]
        columns = _balancing(np.max(tops, axis=0))
        scales, matrix = scales * columns, matrix * columns
        for b, block in enumerate(blocks):
            block = block * columns[:, None, None]
            rows = _balancing(np.sqrt(np.abs(block).max(axis=(0, 2))))
            blocks[b] = block * rows[:, None] * rows
        rows = _balancing(np.abs(matrix).max(axis=1, initial=0))
        matrix, right = matrix * rows[:, None], right * rows
    signed = np.array([dual.signed[v] for v in dual.alive])
    return Program(dual.costs * scales, signed, matrix, right, tuple(blocks), scales * unit)


def _balancing(sizes: Any) -> Any:
    """The factors that bring positive sizes near one, as powers of two, which round nothing; one for a size of zero."""
    import numpy as np

    return 2.0 ** -np.round(np.log2(np.where(sizes > 0, sizes, 1)))
