"""Federated bilevel quadratics, free or on boxes, with everything in closed form.

Client ``i`` has ``f_i(z) = (1/2) z' P_i z - a_i' z`` and ``g_i(z) = (1/2) z' H_i z - b_i' z`` of ``z = (x, y)``.
With ``[C, A]`` the rows of ``sum_i w_i H_i`` that belong to ``y`` and ``b`` those of ``sum_i w_i b_i``, the lower level
is solved by ``y(x) = A^-1 (b - C x)`` and ``theta*_gamma(x, y) = (A + I/gamma)^-1 (y/gamma + b - C x)``, where ``Y`` is
the whole space.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import check_counts, check_size, finite, generator
from rateproof.algos.convex_sets import Box
from rateproof.algos.noise import Ints, MiniBatch, Noise
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.box import as_array, box_solution, check_shapes, client_matrices, matrix_of, rows_of
from rateproof.algos.problems.smooth_bilevel import Constants, SmoothBilevel

#: Eigenvalues below this share of the largest count as zero.
RANK = 1e-12
#: Boxes of at most this many coordinates have their corners listed.
LISTED = 12


class BilevelQuadratic(SmoothBilevel):
    """See the head of this module.

    Args:
        P, H: symmetric, ``(m, n, n)`` with ``n = dx + dy``.
        a, b: ``(m, n)``.
        X, Y: boxes, which may be the whole space.
        shift_f, shift_g: linear parts of the ``N`` rows of a client, ``(m, N, n)`` with mean zero over the rows: row
            ``j`` has the gradient ``grad f_i + shift_f[i, j]``. None: the losses are no finite sums.
        weights, noise, name, params: see :class:`SmoothBilevel`.

    Raises:
        ValueError: shapes disagree, a matrix is not symmetric, or the shifts of a client do not average to zero.
    """

    X: Box
    Y: Box

    def __init__(
        self,
        *,
        P: Array,
        a: Array,
        H: Array,
        b: Array,
        X: Box,
        Y: Box,
        shift_f: Array | None = None,
        shift_g: Array | None = None,
        weights: ArrayLike | None = None,
        noise: Noise | None = None,
        name: str = "bilevel_quadratic",
        params: Mapping[str, object] | None = None,
    ) -> None:
        m = len(P)
        super().__init__(m=m, X=X, Y=Y, weights=weights, noise=noise, name=name, params=params)
        check_shapes(P=(P, (m, self.n, self.n)), H=(H, (m, self.n, self.n)), a=(a, (m, self.n)), b=(b, (m, self.n)))
        for letter, matrices in (("P", P), ("H", H)):
            if (odd := np.abs(matrices - matrices.transpose(0, 2, 1)).max()) > RANK * np.abs(matrices).max():
                raise ValueError(f"a {letter}_i differs from its transpose by {odd:.3g}; it should be symmetric")
        if (shift_f is None) != (shift_g is None):
            raise ValueError("shift_f and shift_g should be given together, or neither")
        for letter, shift in (("shift_f", shift_f), ("shift_g", shift_g)):
            if shift is not None and np.abs(shift.mean(axis=1)).max() > RANK * (1 + np.abs(shift).max()):
                raise ValueError(f"{letter} has means other than zero; the rows of a client should average to zero")
        self.P, self.a, self.H, self.b, self.shift_f, self.shift_g = P, a, H, b, shift_f, shift_g
        self._P, self._a, self._H, self._b = (np.tensordot(self.weights, k, axes=1) for k in (P, a, H, b))
        self._C, self._A = self._H[self.dx :, : self.dx], self._H[self.dx :, self.dx :]

    def f_i(self, i: int, z: Array) -> Array:
        """``(1/2) z' P_i z - a_i' z``: ``(runs,)``."""
        return np.asarray((((z @ self.P[i]) / 2 - self.a[i]) * z).sum(axis=-1))

    def g_i(self, i: int, z: Array) -> Array:
        """``(1/2) z' H_i z - b_i' z``: ``(runs,)``."""
        return np.asarray((((z @ self.H[i]) / 2 - self.b[i]) * z).sum(axis=-1))

    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``P_i z - a_i``, and the mean shift of data rows: ``(runs, n)``."""
        return _affine(z, self.P[i], self.a[i], self.shift_f, i, rows)

    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``H_i z - b_i``, and the mean shift of data rows: ``(runs, n)``."""
        return _affine(z, self.H[i], self.b[i], self.shift_g, i, rows)

    def grad_F(self, z: Array) -> Array:
        """``grad F``: ``(runs, n)``."""
        return np.asarray(z @ self._P - self._a)

    def grad_G(self, z: Array) -> Array:
        """``grad G``: ``(runs, n)``."""
        return np.asarray(z @ self._H - self._b)

    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """``H_i (0, v)``: ``(runs, n)``."""
        return np.asarray(v @ self.H[i][self.dx :])

    def samples(self, i: int) -> tuple[int, int]:
        """Rows of client ``i`` in each level.

        Raises:
            ValueError: there are no shifts.
        """
        if self.shift_f is None or self.shift_g is None:
            return super().samples(i)
        return self.shift_f.shape[1], self.shift_g.shape[1]

    def lower_solution(self, x: Array) -> Array:
        """``y(x)``: ``(runs, dx) -> (runs, dy)``.

        Raises:
            ValueError: the lower level is not strongly convex.
        """
        self._check_strongly_convex()
        return self._lower(self._A, x @ self._C.T - self._b[self.dx :])

    def theta_star(self, z: Array, gamma: float) -> Array:
        """``theta*_gamma``, up to the rounding of one linear solve: ``(runs, dy)``.

        Raises:
            ValueError: ``gamma`` is out of range.
        """
        self.check_gamma(gamma)
        x, y = self.split(z)
        return self._lower(self._A + np.eye(self.dy) / gamma, x @ self._C.T - self._b[self.dx :] - y / gamma)

    def hypergradient(self, x: Array) -> Array:
        """Gradient of ``F(x, y(x))`` where no coordinate of ``y(x)`` just reaches its end: ``(runs, dx)``."""
        y = self.lower_solution(x)
        gx, gy = self.split(self.grad_F(self.join(x, y)))
        free = (self.Y.low < y) & (y < self.Y.high)
        out = gx.copy()
        for pattern in np.unique(free, axis=0):
            rows = (free == pattern).all(axis=1)
            multiplier = np.linalg.solve(self._A[np.ix_(pattern, pattern)], gy[np.ix_(rows, pattern)].T)
            out[rows] -= multiplier.T @ self._C[pattern]
        return out

    @cached_property
    def solution(self) -> tuple[Array, Array]:
        """The minimisers ``z0 + span(basis)`` of the bilevel problem without constraints: ``(n,)``, ``(k, n)``.

        Raises:
            ValueError: there are constraints, the lower level is not strongly convex, or there is no minimiser.
        """
        if not (self.X.whole and self.Y.whole):
            raise ValueError("the solution is known in closed form without constraints only")
        self._check_strongly_convex()
        K = np.vstack([np.eye(self.dx), -np.linalg.solve(self._A, self._C)])
        k = np.concatenate([np.zeros(self.dx), np.linalg.solve(self._A, self._b[self.dx :])])
        values, vectors = np.linalg.eigh(K.T @ self._P @ K)
        slope = vectors.T @ (K.T @ (self._P @ k - self._a))
        solid = values > RANK * np.abs(values).max(initial=1.0)
        if values.min() < -RANK * np.abs(values).max() or (np.abs(slope[~solid]) > 1e-10).any():
            raise ValueError("F(x, y(x)) has no minimiser; its Hessian should be positive definite")
        x = vectors[:, solid] @ (-slope[solid] / values[solid])
        return K @ x + k, np.linalg.qr(K @ vectors[:, ~solid])[0].T

    def distance(self, z: Array) -> Array:
        """Distance to the set of solutions: ``(runs,)``; see :attr:`solution`."""
        point, basis = self.solution
        away = z - point
        return np.asarray(np.linalg.norm(away - (away @ basis.T) @ basis, axis=-1))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Losses; the norm of the hypergradient at ``x`` and the distances to the solutions, where there are such."""
        known = dict(super().metrics)
        if self.constants.mu > 0:
            known["|grad Phi|"] = lambda problem, z: np.linalg.norm(problem.hypergradient(problem.split(z)[0]), axis=-1)
            known["|y - y(x)|"] = lambda problem, z: np.linalg.norm(
                problem.split(z)[1] - problem.lower_solution(problem.split(z)[0]), axis=-1
            )
        try:
            self.solution  # noqa: B018
        except ValueError:
            return known
        return known | {"dist": lambda problem, z: problem.distance(z)}

    @cached_property
    def constants(self) -> Constants:
        """Exact; on a box of more than 12 coordinates ``L_f``, ``L_g`` and ``Het`` are upper bounds."""
        low, high = np.concatenate([self.X.low, self.Y.low]), np.concatenate([self.X.high, self.Y.high])
        yy = np.linalg.eigvalsh(self.H[:, self.dx :, self.dx :])
        deviation = np.sqrt(self.weights)[:, None, None] * (self.H - self._H)[:, self.dx :]
        offset = np.sqrt(self.weights)[:, None] * (self.b - self._b)[:, self.dx :]
        steepest = max(_largest(self.P[i], self.a[i], low, high) for i in range(self.m))
        in_x = max(_largest(self.H[i, : self.dx], self.b[i, : self.dx], low, high) for i in range(self.m))
        if isinstance(self.noise, MiniBatch) and self.shift_f is not None and self.shift_g is not None:
            each = [(s**2).sum(axis=2).mean(axis=1).max() / self.noise.batch_size for s in (self.shift_f, self.shift_g)]
        else:
            each = [self.noise.sigma_f2, self.noise.sigma_h2]
        return Constants(
            L_f=steepest,
            L_1=float(np.linalg.norm(self.P, ord=2, axis=(1, 2)).max()),
            L_g=in_x,
            L_2=float(np.linalg.norm(self.H, ord=2, axis=(1, 2)).max()),
            rho_wc=max(0.0, -float(np.linalg.eigvalsh(self._A)[0])),
            mu=max(0.0, float(yy.min())),
            Het=_largest(deviation.reshape(-1, self.n), offset.ravel(), low, high),
            sigma_f=math.sqrt(each[0]),
            sigma_g=math.sqrt(each[1]),
            F_inf=self._infimum(low, high),
        )

    def _infimum(self, low: Array, high: Array) -> float:
        """Infimum of ``F``; NaN where it is not known."""
        values, vectors = np.linalg.eigh(self._P)
        size = np.abs(values).max()
        if values[0] > RANK * size:
            return float(self.F(box_solution(self._P, -self._a, low, high)[None])[0])
        if np.isinf(low).all() and np.isinf(high).all():
            slopes, solid = vectors.T @ self._a, values > RANK * size
            flat = values[0] >= -RANK * size and (np.abs(slopes[~solid]) <= RANK * (1 + np.abs(slopes).max())).all()
            return float(-(slopes[solid] ** 2 / values[solid]).sum() / 2) if flat else -math.inf
        if not self._P.any():
            ends = np.where(self._a > 0, high, low)
            return -math.fsum(s * e for s, e in zip(self._a, ends, strict=True) if s)
        return math.nan

    def _lower(self, M: Array, q: Array) -> Array:
        """``argmin over Y of (1/2) y' M y + q' y``: ``(runs, dy)``."""
        return np.asarray(-np.linalg.solve(M, q.T).T if self.Y.whole else box_solution(M, q, self.Y.low, self.Y.high))

    def _check_strongly_convex(self) -> None:
        if not (least := float(np.linalg.eigvalsh(self._A)[0])) > 0:
            raise ValueError(
                f"the lower level is not strongly convex: the least eigenvalue of its Hessian in y is {least:g}; "
                "it should be positive"
            )


def _affine(z: Array, M: Array, q: Array, shift: Array | None, i: int, rows: Ints | None) -> Array:
    """``M z - q``, and the mean shift of data rows."""
    gradient = z @ M
    gradient -= q
    if shift is not None and rows is not None:
        gradient += shift[i][rows].mean(axis=1)
    return np.asarray(gradient)


def _largest(M: Array, q: Array, low: Array, high: Array) -> float:
    """The largest ``||M z - q||`` over a box: exact for a few coordinates that matter, else an upper bound."""
    size = np.abs(M).max(axis=0, initial=0.0)
    used = np.flatnonzero(size > RANK * size.max(initial=0.0))
    if not len(used):
        return float(np.linalg.norm(q))
    M, low, high = M[:, used], low[used], high[used]
    if np.isinf(low).any() or np.isinf(high).any():
        return math.inf
    if len(used) > LISTED:
        middle, half = (low + high) / 2, (high - low) / 2
        return float(np.linalg.norm(M @ middle - q) + np.linalg.norm(M * half, ord=2) * math.sqrt(len(used)))
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    return float(np.linalg.norm(corners @ M.T - q, axis=1).max())


def bilevel_quadratic(
    *,
    m: int = 2,
    dx: int = 1,
    dy: int = 1,
    Q: ArrayLike = 1.0,
    a: ArrayLike = 0.0,
    A: ArrayLike = 1.0,
    C: ArrayLike = -1.0,
    b: ArrayLike = 0.0,
    X_low: ArrayLike = -math.inf,
    X_high: ArrayLike = math.inf,
    Y_low: ArrayLike = -math.inf,
    Y_high: ArrayLike = math.inf,
    weights: tuple[float, ...] | None = None,
    noise: Noise | None = None,
) -> BilevelQuadratic:
    """Family F3: ``f_i = (1/2) z' Q_i z - a_i' z`` and ``g_i = (1/2) y' A_i y + y' (C_i x - b_i)``, free or on boxes.

    A number stands for that multiple of the identity (``Q``, ``A``), the matrix or the vector of equal entries; one
    matrix or vector is the same for all ``m`` clients.

    Args:
        m, dx, dy: clients, and dimensions of ``x`` and ``y``.
        Q: ``(n, n)`` or ``(m, n, n)`` with ``n = dx + dy``, symmetric.
        a: ``(n,)`` or ``(m, n)``.
        A: ``(dy, dy)`` or ``(m, dy, dy)``, symmetric; it need not be positive.
        C: ``(dy, dx)`` or ``(m, dy, dx)``.
        b: ``(dy,)`` or ``(m, dy)``.
        X_low, X_high, Y_low, Y_high: ends of the boxes ``X`` and ``Y``; infinite when left out.
        weights: of the clients; equal when left out.
        noise: of the gradients, in ``(x, y)``.

    Raises:
        ValueError: shapes disagree, a matrix is not symmetric, or a box is empty.
    """
    given = {k: v for k, v in locals().items() if k != "noise"}
    check_counts(m=m, dx=dx, dy=dy)
    check_size("Q", (m, dx + dy, dx + dy))
    H = np.zeros((m, dx + dy, dx + dy))
    H[:, dx:, dx:] = matrix_of("A", A, (m, dy, dy))
    H[:, dx:, :dx] = as_array("C", C, (m, dy, dx))
    H[:, :dx, dx:] = H[:, dx:, :dx].transpose(0, 2, 1)
    return BilevelQuadratic(
        P=matrix_of("Q", Q, (m, dx + dy, dx + dy)),
        a=rows_of("a", a, m, dx + dy),
        H=H,
        b=np.hstack([np.zeros((m, dx)), rows_of("b", b, m, dy)]),
        X=Box(as_array("X_low", X_low, (dx,)), as_array("X_high", X_high, (dx,))),
        Y=Box(as_array("Y_low", Y_low, (dy,)), as_array("Y_high", Y_high, (dy,))),
        weights=weights,
        noise=noise,
        name="bilevel_quadratic",
        params=given,
    )


def tracking_quadratic(
    *,
    m: int = 2,
    dx: int = 1,
    dy: int = 1,
    H: ArrayLike = (1.0, 2.0),
    B: ArrayLike = 1.0,
    shift: ArrayLike = (0.0, 1.0),
    Q: ArrayLike = 1.0,
    t: ArrayLike = (1.0, -1.0),
    mu: float = 0.1,
    noise: Noise | None = None,
) -> BilevelQuadratic:
    """``g_i = y'H_i y/2 - y'(B_i x + shift_i)`` under ``f_i = (y - t_i)'Q_i (y - t_i)/2 + mu ||x||^2/2`` (fedmsa, I2).

    A number, or one a client, stands for that multiple of the identity; one number for the vector of equal entries.

    Args:
        m, dx, dy: clients, and dimensions of ``x`` and ``y``.
        H, Q: ``(dy, dy)`` or ``(m, dy, dy)``, symmetric.
        B: ``(dy, dx)`` or ``(m, dy, dx)``.
        shift, t: ``(dy,)`` or ``(m, dy)``.
        mu: weight of ``||x||^2/2``.
        noise: of the gradients, in ``(x, y)``.

    Raises:
        ValueError: shapes disagree, or a matrix is not symmetric.
    """
    given = {k: v for k, v in locals().items() if k != "noise"}
    check_counts(m=m, dx=dx, dy=dy)
    check_size("H", (m, dx + dy, dx + dy))
    full, P = np.zeros((2, m, dx + dy, dx + dy))
    cross = client_matrices("B", B, m, dy, dx)
    full[:, dx:, dx:], full[:, dx:, :dx] = client_matrices("H", H, m, dy, dy), -cross
    full[:, :dx, dx:] = -cross.transpose(0, 2, 1)
    P[:, :dx, :dx], P[:, dx:, dx:] = float(finite("mu", mu)) * np.eye(dx), client_matrices("Q", Q, m, dy, dy)
    centre, zero = rows_of("t", t, m, dy), np.zeros((m, dx))
    return BilevelQuadratic(
        P=P,
        a=np.hstack([zero, np.einsum("mij,mj->mi", P[:, dx:, dx:], centre)]),
        H=full,
        b=np.hstack([zero, rows_of("shift", shift, m, dy)]),
        X=Box(np.full(dx, -math.inf), np.full(dx, math.inf)),
        Y=Box(np.full(dy, -math.inf), np.full(dy, math.inf)),
        noise=noise,
        name="tracking_quadratic",
        params=given,
    )


def random_bilevel_quadratic(
    *,
    m: int = 5,
    dx: int = 3,
    dy: int = 4,
    rows: int = 1,
    heterogeneity: float = 1.0,
    mu: float = 1.0,
    L: float = 4.0,
    box: float = math.inf,
    weights: tuple[float, ...] | None = None,
    seed: int = 0,
    noise: Noise | None = None,
) -> BilevelQuadratic:
    """Drawn clients: Hessians of the lower levels in ``y`` with eigenvalues in ``[mu, L]``, upper ones in ``[0, 1]``.

    Args:
        m, dx, dy: clients, and dimensions of ``x`` and ``y``.
        rows: data rows of a client in each level, which differ in their linear parts; 1 is no finite sum to speak of.
        heterogeneity: 0 makes all clients alike, 1 draws them independently.
        mu, L: range of the eigenvalues; a negative ``mu`` gives lower levels that are not convex.
        box: ``X`` and ``Y`` are ``[-box, box]`` in each coordinate.
        weights: of the clients; equal when left out.
        seed: of the draw.
        noise: of the gradients, in ``(x, y)``.

    Raises:
        ValueError: an argument is out of range.
    """
    given = {k: v for k, v in locals().items() if k != "noise"}
    check_counts(m=m, dx=dx, dy=dy, rows=rows)
    n = dx + dy
    check_size("H", (m, n, max(n, rows)))
    for name, value in (("heterogeneity", heterogeneity), ("mu", mu), ("L", L)):
        finite(name, value)
    if not 0 <= heterogeneity <= 1:
        raise ValueError(f"heterogeneity is {heterogeneity:g}; it should be from 0 to 1")
    if not mu <= L:
        raise ValueError(f"mu is {mu:g} and L is {L:g}; mu should be at most L")
    if not box >= 0:
        raise ValueError(f"box is {box:g}; it should be a number, at least 0, or inf")
    random = generator(seed)

    def mixed(draw: Array) -> Array:
        """Clients between the first of the draws, 0, and their own, 1."""
        return np.asarray((1 - heterogeneity) * draw[:1] + heterogeneity * draw)

    def spectral(d: int, least: float, most: float) -> Array:
        basis = np.linalg.qr(random.normal(size=(m, d, d)))[0]
        full = (basis * random.uniform(least, most, size=(m, 1, d))) @ basis.transpose(0, 2, 1)
        return np.asarray((full + full.transpose(0, 2, 1)) / 2)

    H = np.zeros((m, n, n))
    H[:, dx:, dx:] = mixed(spectral(dy, mu, L))
    H[:, dx:, :dx] = mixed(random.normal(size=(m, dy, dx)) / math.sqrt(n))
    H[:, :dx, dx:] = H[:, dx:, :dx].transpose(0, 2, 1)
    shifts = random.normal(size=(2, m, rows, n))
    shifts -= shifts.mean(axis=2, keepdims=True)
    return BilevelQuadratic(
        P=mixed(spectral(n, 0.0, 1.0)),
        a=mixed(random.normal(size=(m, n))),
        H=H,
        b=np.hstack([np.zeros((m, dx)), mixed(random.normal(size=(m, dy)))]),
        X=Box(np.full(dx, -box), np.full(dx, box)),
        Y=Box(np.full(dy, -box), np.full(dy, box)),
        shift_f=None if rows == 1 else shifts[0],
        shift_g=None if rows == 1 else shifts[1],
        weights=weights,
        noise=noise,
        name="random_bilevel_quadratic",
        params=given,
    )
