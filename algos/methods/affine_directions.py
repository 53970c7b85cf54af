"""The directions of MeFBO on quadratics, for all clients at once.

But for noise a client's directions (mefbo, eq. 9) are affine in its model ``w = (theta, x, y)``, so all clients take a
local step in one batched product. Without noise the mean of the directions over ``tau`` local steps is affine in the
model that the server sent, too, and a polynomial of degree ``tau`` in ``1/c``, so that its values at ``tau + 1``
penalties give it for all. They cost as much as a number of rounds and are worth it in a long run only.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from rateproof.algos.problems.base import Array

#: Bytes of a matrix of which a cache holds those of several clients.
CACHED = 2**17


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
    """The directions of client ``i`` at ``w = (theta, x, y)`` are ``w (J_g + J_f/c) - (q_g + q_f/c)``.

    Attributes:
        J_g, J_f: ``(m, dy + n, dy + n)``.
        q_g, q_f: ``(m, 1, dy + n)``.
    """

    J_g: Array
    J_f: Array
    q_g: Array
    q_f: Array

    @classmethod
    def of(cls, problem: Quadratic, gamma: float) -> AffineDirections:
        """Those of all clients."""
        dx, H, b = problem.dx, problem.H, problem.b[:, None]
        m, n, _ = H.shape
        dy = n - dx
        theta, x, y = slice(0, dy), slice(dy, n), slice(n, n + dy)
        J_g, J_f = np.zeros((2, m, dy + n, dy + n))
        for own, sign in ((theta, 1), (y, -1)):
            J_g[:, own, own] = H[:, dx:, dx:] + sign * np.eye(dy) / gamma
            J_g[:, x, own] = H[:, :dx, dx:]
            J_g[:, own, x] = -sign * H[:, dx:, :dx]
        J_g[:, theta, y], J_g[:, y, theta] = np.eye(dy) / gamma, -np.eye(dy) / gamma
        J_f[:, dy:, dy:] = problem.P
        q_g = np.concatenate([b[..., dx:], np.zeros((m, 1, dx)), b[..., dx:]], axis=2)
        return cls(J_g, J_f, q_g, np.concatenate([np.zeros((m, 1, dy)), problem.a[:, None]], axis=2))

    def mean(self, w: Array, *, c: float, eta: Array, tau: int, noise: Array | None = None) -> Array:
        """The mean of each client's directions over ``tau`` local steps from ``w``: ``(rows, .) -> (m, rows, .)``.

        Args:
            w: ``(theta, x, y)``.
            c: penalty.
            eta: stepsizes of the coordinates.
            tau: local steps.
            noise: to add to the directions, ``(tau, m, rows, .)``.
        """
        if len(self.J_g) > 1 and self.J_g[0].nbytes > CACHED:  # one client after the other
            each = [AffineDirections(*(part[i : i + 1] for part in self)) for i in range(len(self.J_g))]
            noises = [None if noise is None else noise[:, i : i + 1] for i in range(len(each))]
            steps = [one.mean(w, c=c, eta=eta, tau=tau, noise=own) for one, own in zip(each, noises, strict=True)]
            return np.concatenate(steps)
        J, q = self.J_g + self.J_f / c, self.q_g + self.q_f / c
        w = np.repeat(w[None], len(J), axis=0)
        h = np.zeros_like(w)
        for k in range(tau):
            step = w @ J
            step -= q
            if noise is not None:
                step += noise[k]
            h += step
            step *= eta
            w -= step
        h /= tau
        return h

    def total(self, w: Array, shares: Array, noise: Array | None, *, c: float, eta: Array, tau: int) -> Array:
        """Mean directions of the clients times their shares, ``(runs, m)``, added up: ``(runs, .)``."""
        return np.asarray(np.einsum("ri,ird->rd", shares, self.mean(w, c=c, eta=eta, tau=tau, noise=noise)))

    def prepared(
        self, weights: Array, *, c: float, eta: Array, tau: int, spent: int
    ) -> AffineDirections | MeanDirections:
        """The mean of all clients, once as many rounds of a run are ``spent`` as it costs: at most twice the time."""
        worth = spent > (tau + 1) * self.J_g.shape[-1]
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
        N = each.J_g.shape[-1]
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
