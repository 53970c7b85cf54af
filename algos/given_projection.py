"""A convex set that is given by its projection alone, refused when the map is no projection on a convex set."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import check_counts, shown
from rateproof.algos.convex_sets import ConvexSet
from rateproof.algos.noise import Array

_TRIED = 48
"""Points on which a map is tried."""
_SLACK = 1e-9
"""Relative rounding that a map may have."""


@dataclass(frozen=True, eq=False)
class Projection(ConvexSet):
    """A set given by its projection alone.

    A map is the projection on a closed convex set if and only if ``(x - P(x)) . (P(z) - P(x)) <= 0`` for all ``x`` and
    ``z`` (its range is then that set). This is tried on points of many sizes, with idempotence and nonexpansiveness.

    Args:
        n: dimension.
        function: ``(k, n) -> (k, n)``.
        points: further points to try, ``(k, n)``.
        label: name of the set.

    Raises:
        ValueError: the map is not a projection on a convex set; the message gives the points and the numbers.
    """

    n: int
    function: Callable[[Array], Array]
    points: Array | None = None
    label: str = "Projection"

    def __post_init__(self) -> None:
        check_counts(n=self.n)
        _check_projection(self)

    def arrays(self) -> tuple[Array, ...]:
        """None."""
        return ()

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """Not known without the function: use :meth:`project`."""
        raise NotImplementedError("a set given by a function projects by project()")

    def project(self, x: ArrayLike) -> Array:
        """The function, applied to all points: ``(..., n) -> (..., n)``.

        Raises:
            ValueError: points of another dimension, an exception in the function, or a value of another shape.
        """
        points = np.asarray(x, dtype=np.float64)
        if points.ndim == 0 or points.shape[-1] != self.n:
            raise ValueError(f"points have shape {points.shape}; their last axis should be n = {self.n}")
        return self._applied(points.reshape(-1, self.n)).reshape(points.shape)

    def _applied(self, points: Array) -> Array:
        """The function on ``(k, n)``, a copy: it may work in place."""
        want = f"the projection '{self.label}' should map (k, n) -> (k, n), here {points.shape}"
        try:
            value = self.function(points.copy())
        except Exception as error:
            said = " ".join(str(error).split())
            raise ValueError(f"{want}; it raised {type(error).__name__}{f': {said}' if said else ''}") from error
        try:
            nearest = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{want}; got {shown(value)}") from None
        if nearest.shape != points.shape:
            raise ValueError(f"{want}; got {shown(value) if nearest.ndim == 0 else nearest.shape}")
        return nearest

    def key(self) -> Hashable:
        """The function."""
        return (type(self).__name__, self.n, self.function)

    def to_params(self) -> dict[str, object]:
        """The label; the function is not a number."""
        return {"kind": self.label, "n": self.n}


def _check_projection(one: Projection) -> None:
    """Refuse a map that is not the projection on a convex set, by points that show it."""
    random = np.random.default_rng(0)
    x = random.normal(size=(_TRIED, one.n)) * 10.0 ** random.uniform(-2, 2, size=(_TRIED, 1))
    x = np.vstack([np.zeros((1, one.n)), x, *([] if one.points is None else [np.atleast_2d(one.points)])])
    nearest = one.project(x)
    if not np.isfinite(nearest).all():
        bad = x[~np.isfinite(nearest).all(axis=1)][0]
        raise ValueError(f"{one.label} of {bad.tolist()} is not finite; a projection is defined everywhere")
    size = 1 + np.abs(x).max(axis=1) + np.abs(nearest).max(axis=1)
    again = np.linalg.norm(one.project(nearest) - nearest, axis=1)
    if (again > _SLACK * size).any():
        j = int(np.argmax(again / size))
        raise ValueError(
            f"{one.label} moves its value {nearest[j].tolist()} by {again[j]:.3g}; a projection leaves its set alone"
        )
    wrong = np.einsum("jd,jkd->jk", x - nearest, nearest[None, :, :] - nearest[:, None, :])
    if (wrong > _SLACK * size[:, None] * np.maximum(size[:, None], size[None, :])).any():
        j, k = divmod(int(np.argmax(wrong)), len(x))
        raise ValueError(
            f"{one.label} is not the projection on a convex set: at x = {x[j].tolist()} and z = {x[k].tolist()}, "
            f"(x - P(x)) . (P(z) - P(x)) = {wrong[j, k]:.3g}; it should be at most 0"
        )
