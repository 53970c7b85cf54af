"""The directions of MeFBO on quadratics, for all clients at once.

But for noise a client's directions (mefbo, eq. 9) are affine in its model ``w = (theta, x, y)``, so all runs take a
local step in three matrix products. Without noise the mean of the directions over ``tau`` local steps is affine in the
model that the server sent, too, and a polynomial of degree ``tau`` in ``1/c``, so that its values at ``tau + 1``
penalties give it for all. They cost as much as a number of rounds and are worth it in a long run only.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from rateproof.algos.problems.base import Array

#: Bytes of the models of all clients up to which they take their steps together, not one after the other: new arrays
#: cost little up to there.
TOGETHER = 2**18


@runtime_checkable
class Quadratic(Protocol):
    """A problem with the gradients ``P_i z - a_i`` of ``f_i`` and ``H_i z - b_i`` of ``g_i``."""

    P: Array
    a: Array
    H: Array
    b: Array
    weights: Array
    dx: int


class AffineDirections(NamedTuple):
    """The directions of client ``i`` at ``w = (theta, x, y)``, with ``pull = (theta - y)/gamma`` and ``z = (x, y)``.

    They are ``(theta, x) T + pull``, ``w (X_g + X_f/c)`` and ``z (Y_g + Y_f/c) + pull``, minus ``q_g + q_f/c``.

    Attributes:
        T: ``(m, n, dy)``.
        X_g, X_f: ``(m, dy + n, dx)``.
        Y_g, Y_f: ``(m, n, dy)``.
        q_g, q_f: ``(m, 1, dy + n)``.
        gamma: parameter of the Moreau envelope.
    """

    T: Array
    X_g: Array
    X_f: Array
    Y_g: Array
    Y_f: Array
    q_g: Array
    q_f: Array
    gamma: float

    @classmethod
    def of(cls, problem: Quadratic, gamma: float) -> AffineDirections:
        """Those of all clients."""
        dx, P, H, b_y = problem.dx, problem.P, problem.H, problem.b[:, None, problem.dx :]
        H_xy, H_yx, H_yy = H[:, :dx, dx:], H[:, dx:, :dx], H[:, dx:, dx:]
        no_theta, no_x = np.zeros_like(H_yx), np.zeros_like(H[:, :dx, :dx])
        return cls(
            T=np.concatenate([H_yy, H_xy], axis=1),
            X_g=np.concatenate([-H_yx, no_x, H_yx], axis=1),
            X_f=np.concatenate([no_theta, P[:, :, :dx]], axis=1),
            Y_g=H[:, :, dx:].copy(),
            Y_f=P[:, :, dx:].copy(),
            q_g=np.concatenate([b_y, no_x[:, :1], b_y], axis=2),
            q_f=np.concatenate([np.zeros_like(b_y), problem.a[:, None]], axis=2),
            gamma=gamma,
        )

    def mean(self, w: Array, *, c: float, eta: Array, tau: int, noise: Array | None = None) -> Array:
        """The mean of each client's directions over ``tau`` local steps from ``w``: ``(rows, .) -> (m, rows, .)``.

        Args:
            w: ``(theta, x, y)``.
            c: penalty.
            eta: stepsizes of the coordinates.
            tau: local steps.
            noise: to add to the directions, ``(tau, m, rows, .)``.
        """
        m, n, dy = self.T.shape
        means = np.zeros((m, len(w), dy + n))
        some = m if means.nbytes <= TOGETHER else 1
        X, Y = np.empty_like(self.X_g[:some]), np.empty_like(self.Y_g[:some])
        for i in range(0, m, some):
            own, w_i = slice(i, i + some), w
            for J, of_g, of_f in ((X, self.X_g, self.X_f), (Y, self.Y_g, self.Y_f)):
                np.multiply(of_f[own], 1 / c, out=J)
                J += of_g[own]
            T, q, h = self.T[own], self.q_g[own] + self.q_f[own] / c, means[own]
            for k in range(tau):
                pull = (w_i[..., :dy] - w_i[..., n:]) / self.gamma
                step = np.concatenate([w_i[..., :n] @ T + pull, w_i @ X, w_i[..., dy:] @ Y + pull], axis=-1)
                step -= q
                if noise is not None:
                    step += noise[k, own]
                h += step
                w_i = w_i - eta * step
        means /= tau
        return means

    def total(self, w: Array, shares: Array, noise: Array | None, *, c: float, eta: Array, tau: int) -> Array:
        """Mean directions of the clients times their shares, ``(runs, m)``, added up: ``(runs, .)``."""
        return np.asarray(np.einsum("ri,ird->rd", shares, self.mean(w, c=c, eta=eta, tau=tau, noise=noise)))

    def prepared(
        self, weights: Array, *, c: float, eta: Array, tau: int, spent: int
    ) -> AffineDirections | MeanDirections:
        """The mean of all clients, once as many rounds of a run are ``spent`` as it costs: at most twice the time."""
        worth = spent > (tau + 1) * self.q_g.shape[-1]
        return MeanDirections.of(self, weights, c=c, eta=eta, tau=tau) if worth else self


class MeanDirections(NamedTuple):
    """The mean over clients and ``tau`` local steps is ``(w, 1) M(1/c)``, with a polynomial ``M`` of degree ``tau``.

    Attributes:
        at: ``tau + 1`` Chebyshev points of ``[0, 1/c]`` with the least penalty ``c`` to come.
        maps: the values of ``M`` there, ``(tau + 1, dy + n + 1, dy + n)``.
    """

    at: Array
    maps: Array

    @classmethod
    def of(cls, each: AffineDirections, weights: Array, *, c: float, eta: Array, tau: int) -> MeanDirections:
        """For penalties from ``c`` on."""
        N = each.q_g.shape[-1]
        at = (1 + np.cos(np.pi * (2 * np.arange(tau + 1) + 1) / (2 * tau + 2))) / (2 * c)
        basis, maps = np.eye(N + 1, N), np.empty((tau + 1, N + 1, N))
        for M, s in zip(maps, at, strict=True):
            M[:] = np.tensordot(weights, each.mean(basis, c=1 / s, eta=eta, tau=tau), axes=1)
            M[:N] -= M[N]
        return cls(at, maps)

    def total(self, w: Array, shares: Array, noise: Array | None, *, c: float, eta: Array, tau: int) -> Array:
        """Mean directions from ``w``, ``(runs, .)``, for the shares and steps that it was made for, without noise."""
        same = np.eye(len(self.at))
        lagrange = np.where(same, 1.0, (1 / c - self.at) / (self.at[:, None] - self.at + same)).prod(axis=1)
        M = np.tensordot(lagrange, self.maps, axes=1)
        return np.asarray(w @ M[:-1] + M[-1])
