"""Upper-level losses of bilevel and two-stage problems, with exact moduli (fedrzo, Assumptions 2.i and 3.i)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import check_counts
from rateproof.algos.piecewise import Piecewise, absolute, total
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.box import as_array, rows_of
from rateproof.algos.problems.ridge_sums import Ridge


@dataclass(frozen=True, eq=False)
class UpperLoss:
    """``f~_i(x, y, xi) = p_i ||x - c_i||_1 + (q_i + xi r_i)' y + s_i ||y - z_i||``, ``xi = -1, 1`` with equal chance.

    Attributes:
        p, s: ``(m,)``, of any sign.
        c: ``(m, n)``.
        q, r, z: ``(m, nt)``.
    """

    p: Array
    c: Array
    q: Array
    r: Array
    s: Array
    z: Array

    @classmethod
    def of(cls, m: int, n: int, nt: int, *, p: ArrayLike, c: ArrayLike, **y_part: ArrayLike) -> UpperLoss:
        """From numbers that are repeated where they are the same for all clients or coordinates.

        Raises:
            ValueError: a count is no whole number from 1, or a shape does not fit ``m``, ``n`` and ``nt``.
        """
        check_counts(m=m, n=n, nt=nt)
        vectors = {key: rows_of(key, y_part.get(key, 0.0), m, nt) for key in ("q", "r", "z")}
        numbers = {key: as_array(key, value, (m,)) for key, value in (("p", p), ("s", y_part.get("s", 0.0)))}
        return cls(c=rows_of("c", c, m, n), **vectors, **numbers)

    @property
    def random(self) -> bool:
        """Whether ``xi`` matters."""
        return bool(self.r.any())

    def values(self, x: Array, y: Array, xi: Array | None) -> Array:
        """``(runs, m, n), (runs, m, nt), (runs, m, 1) -> (runs, m)``."""
        slope = self.q if xi is None else self.q + xi * self.r
        away = np.linalg.norm(y - self.z, axis=-1) if self.s.any() else 0.0
        return np.asarray(self.p * np.abs(x - self.c).sum(axis=-1) + (slope * y).sum(axis=-1) + self.s * away)

    def mean(self, i: int, x: Array, y: Array) -> Array:
        """Expected loss of client ``i``: ``(runs, n), (runs, nt) -> (runs,)``."""
        near = self.p[i] * np.abs(x - self.c[i]).sum(axis=-1)
        return np.asarray(near + y @ self.q[i] + self.s[i] * np.linalg.norm(y - self.z[i], axis=-1))

    @property
    def L_y(self) -> float:
        """``max_i sqrt(E L(xi)^2)``, ``L(xi) = |q_i + xi r_i| + |s_i|`` the modulus in ``y``."""
        return max(root_mean(np.linalg.norm(w, axis=1) + abs(self.s[i])) for i, w in enumerate(self._slopes()))

    def L_imp(self, slopes: Array) -> float:
        """``max_i sqrt(E L(xi)^2)`` of the implicit losses when ``y(.)`` has the slopes ``(patterns, nt, n)``.

        On a piece with slope ``B`` the gradients are ``p s + B'(q + xi r) + s_i B' u`` with signs ``s`` and a unit
        vector ``u``. Exact when a client has one of its last two terms and meets all signs on the steepest piece.
        """
        steepest = np.linalg.norm(slopes, ord=2, axis=(1, 2))
        moduli = []
        for i, w in enumerate(self._slopes()):
            linear = np.abs(self.p[i]) + np.abs(np.einsum("pkj,ek->epj", slopes, w))
            moduli.append(root_mean((np.linalg.norm(linear, axis=-1) + abs(self.s[i]) * steepest).max(axis=1)))
        return max(moduli)

    def on_the_line(self, i: int, y: Sequence[Piecewise], xi: float = 0.0) -> Piecewise:
        """Implicit loss of client ``i`` for ``n = 1``, from the coordinates of ``y(x)``; expected at ``xi = 0``.

        Raises:
            ValueError: the loss has a norm of more than one coordinate, which is not piecewise polynomial.
        """
        if len(y) > 1 and self.s[i] != 0:
            raise ValueError(
                f"s is {self.s[i]:g} for client {i} and nt is {len(y)}; ||y - z|| is no piecewise polynomial"
            )
        parts = [absolute(slope=float(self.p[i]), centre=float(self.c[i, 0]))]
        parts += [float(weight) * part for weight, part in zip(self.q[i] + xi * self.r[i], y, strict=True)]
        if self.s[i] != 0:
            parts.append(absolute(slope=float(self.s[i]), centre=float(self.z[i, 0])).after(y[0]))
        return total(parts)

    def ridges(self, i: int, forms: Sequence[tuple[Array, float, Piecewise]]) -> list[Ridge]:
        """The part of the expected loss of client ``i`` that depends on ``y``, for ``y_k = response(a.x + d)``.

        Args:
            i: number of the client.
            forms: ``a``, ``(n,)``, ``d`` and the response for every coordinate of ``y``.

        Raises:
            ValueError: as :meth:`on_the_line`.
        """
        if self.s[i] != 0 and len(forms) > 1:
            raise ValueError(f"client {i} has s = {self.s[i]:g} and nt is {len(forms)}; ||y - z|| is no sum of ridges")
        found = []
        for k, (a, d, response) in enumerate(forms):
            psi = float(self.q[i, k]) * response
            if self.s[i] != 0:
                psi = psi + absolute(slope=float(self.s[i]), centre=float(self.z[i, k])).after(response)
            found.append(Ridge(a, d, psi))
        return found

    def L_line(self, y: Sequence[Piecewise]) -> float:
        """``L_imp = max_i sqrt(E L(xi)^2)`` exactly, for ``n = 1``, from the coordinates of ``y(x)``."""
        signs = (-1.0, 1.0) if self.random else (0.0,)
        moduli = [[self.on_the_line(i, y, xi).lipschitz for xi in signs] for i in range(len(self.p))]
        return max(root_mean(np.array(row)) for row in moduli)

    @property
    def L_x(self) -> float:
        """``max_i |p_i| sqrt(n)``: modulus of the losses in ``x`` (fedrzo, Lemma 2)."""
        return float(np.abs(self.p).max()) * math.sqrt(self.c.shape[1])

    def _slopes(self) -> Array:
        """``q_i + xi r_i`` for both ``xi``: ``(m, 2, nt)``."""
        return np.stack([self.q - self.r, self.q + self.r], axis=1)


def response_modulus(y: Sequence[Piecewise]) -> float:
    """Lipschitz constant of ``x -> y(x)`` for ``n = 1``, from its coordinates."""
    breaks = np.unique(np.concatenate([part.breaks for part in y]))
    slopes = [part.at(breaks).derivative.c[0] for part in y]
    return float(np.linalg.norm(slopes, axis=0).max())


def root_mean(values: Array) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))
