"""Steps that adapt to each coordinate, for local methods with momentum."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from rateproof.algos.arguments import shown
from rateproof.algos.methods.first_order import check_positive
from rateproof.algos.problems.base import Array


@dataclass(frozen=True, kw_only=True)
class Adaptive:
    """Steps of coordinates divided by ``sqrt(a) + floor``, ``a`` the mean squares of the server's directions.

    Args:
        decay: of the mean squares, in ``[0, 1)``: ``a <- decay a + (1 - decay) h^2`` at each communication.
        floor: positive.
    """

    decay: float = 0.9
    floor: float = 0.1

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()  # type: ignore[misc]
        if not (isinstance(self.decay, Real) and 0 <= self.decay < 1):
            raise ValueError(f"decay is {shown(self.decay)}; it should be in [0, 1)")
        check_positive(floor=self.floor)

    def scaled(self, squares: Array, direction: Array) -> tuple[Array, Array]:
        """Mean squares for the round to come, and the factors of its steps."""
        squares = self.decay * squares + (1 - self.decay) * direction**2
        return squares, 1 / (np.sqrt(squares) + self.floor)
