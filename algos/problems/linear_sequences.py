"""Coupled sequences with affine maps, everything in closed form (fedmsa).

``P^i = A_i x + sum_n B_{i,n} z^n + a_i`` and ``S^{i,n} = D_{i,n} z^n - E_{i,n} z^{n-1} - e_{i,n}``; the means have
``z^{n,*}(u) = D_n^-1 (E_n u + e_n)`` and ``P(x) = G x + g`` with ``G = A + sum_n B_n D_n^-1 E_n ... D_1^-1 E_1``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import check_counts, check_size, finite, generator, nonnegative, numbers
from rateproof.algos.problems.base import Array, Fact, Metric
from rateproof.algos.problems.bilevel_quadratic import random_bilevel_quadratic, tracking_quadratic
from rateproof.algos.problems.bilevel_sequences import BilevelSequences, blo_maps_eq2, blo_maps_eq10
from rateproof.algos.problems.box import as_array, check_shapes
from rateproof.algos.problems.sequences import (
    Constants,
    Law,
    LevelNoise,
    Noisy,
    Normalisation,
    constants,
    level_noise,
)

#: Numbers below this share of the largest count as zero.
ROUNDING = 1e-12
Numbers = float | Sequence[float]


class LinearSequences(Noisy):
    """See the head of this module.

    Args:
        J: all maps of a client as one matrix, ``(m, n, n)``; what it has beside ``A``, ``B``, ``D`` and ``-E`` is zero.
        j: their constant parts, ``(m, n)``.
        dims, normalisation, noise, name, params: see :class:`rateproof.algos.problems.sequences.Noisy`.

    Raises:
        ValueError: shapes disagree, ``S^n`` depends on other variables, or its zero is not unique or not attracting.
    """

    def __init__(
        self,
        *,
        J: Array,
        j: Array,
        dims: Sequence[int],
        normalisation: Normalisation = "mean",
        noise: LevelNoise | None = None,
        name: str = "linear_sequences",
        params: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(m=len(J), dims=dims, normalisation=normalisation, noise=noise, name=name, params=params)
        check_shapes(J=(J, (self.m, self.n, self.n)), j=(j, (self.m, self.n)))
        self.J, self.j, self._J, self._j = J, j, J.mean(axis=0), j.mean(axis=0)
        self.T: list[Array] = []
        self.t: list[Array] = []
        for n, block in enumerate(self.blocks[1:], start=1):
            before = self.blocks[n - 1]
            others = np.delete(J[:, block], np.r_[before, block], axis=2)
            if others.any():
                raise ValueError(f"S^{n} depends on more than z^{n - 1} and z^{n}; it should have zeros elsewhere")
            D = self._J[block, block]
            _check_attracting(n, D)
            self.T.append(-np.linalg.solve(D, self._J[block, before]))
            self.t.append(-np.linalg.solve(D, self._j[block]))

    def maps(self, i: int, w: Array) -> Array:
        """``J_i w + j_i``: ``(rows, n)``."""
        return np.asarray(w @ self.J[i].T + self.j[i])

    def mean_maps(self, w: Array) -> Array:
        """The same of the means: ``(rows, n)``."""
        return np.asarray(w @ self._J.T + self._j)

    def fixed(self, n: int, u: Array) -> Array:
        """``D_n^-1 (E_n u + e_n)``: ``(rows, d_n)``."""
        return np.asarray(u @ self.T[n - 1].T + self.t[n - 1])

    @cached_property
    def _along(self) -> Array:
        """The Jacobian of ``x -> (x, Z*(x))``, ``(n, d_0)``."""
        parts = [np.eye(self.dims[0])]
        for T in self.T:
            parts.append(T @ parts[-1])
        return np.vstack(parts)

    @property
    def G(self) -> Array:
        """The matrix of ``P(x)``, in the normalisation of the instance: ``(d_0, d_0)``."""
        return np.asarray(self.scale * self._J[self.blocks[0]] @ self._along)

    @property
    def potential(self) -> bool:
        """Whether ``P(x)`` is the gradient of a function: whether ``G`` is symmetric."""
        return bool(np.abs(self.G - self.G.T).max() <= ROUNDING * max(np.abs(self._J).max(), 1e-300))

    @cached_property
    def solution(self) -> Array:
        """The one ``w`` where all maps of the mean are zero: ``(n,)``.

        Raises:
            ValueError: there are none or many.
        """
        G = self.G
        if np.linalg.svd(G, compute_uv=False)[-1] <= ROUNDING * np.abs(self._J).max():
            raise ValueError("P(x) has no unique zero; its matrix G is singular")
        x = -np.linalg.solve(G, self.P(np.zeros((1, self.dims[0])))[0])
        return np.asarray(self.settled(x[None])[0])

    def f(self, x: Array) -> Array:
        """``x'Gx/2 + g'x``, whose gradient ``P(x)`` is: ``(rows,)``.

        Raises:
            ValueError: ``G`` is not symmetric.
        """
        if not self.potential:
            raise ValueError("P(x) is no gradient; its matrix G is not symmetric")
        g = self.P(np.zeros((1, self.dims[0])))
        return np.asarray(((x @ self.G / 2 + g) * x).sum(axis=1))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """With the distance to the zero of all maps, where there is one."""
        try:
            self.solution  # noqa: B018
        except ValueError:
            return super().metrics
        return {**super().metrics, "dist": lambda problem, w: np.linalg.norm(w - problem.solution, axis=1)}

    @cached_property
    def common_zeros(self) -> tuple[bool, ...]:
        """Of each level, whether ``S^{i,n}(u, z^{n,*}(u)) = 0`` for all clients."""
        out = []
        for n, block in enumerate(self.blocks[1:], start=1):
            at = [self.J[:, block, self.blocks[n - 1]] + self.J[:, block, block] @ self.T[n - 1]]
            at.append(self.j[:, block] + self.J[:, block, block] @ self.t[n - 1])
            out.append(max(float(np.abs(a).max()) for a in at) <= ROUNDING * _size(self.J[:, block], self.j[:, block]))
        return tuple(out)

    @cached_property
    def constants(self) -> Constants:
        """Exact; of a wave, the variance is the bound that it attains in one dimension."""
        J, mean, first = self.J, self._J, self.blocks[0]
        law, sigma, dims = self.noise.law, self.noise.sigma, self.dims
        pairs = [(b, self.blocks[k], slice(self.blocks[k].start, b.stop)) for k, b in enumerate(self.blocks[1:])]
        L_s = [_norm(J[:, b, b]) for b, _, _ in pairs]
        L_p = _norm(J[:, first] @ self._along)

        def mean_lipschitz(L: float, n: int) -> float:
            if law == "gain":
                return L * math.hypot(1, sigma[n])
            if law == "wave" and sigma[n]:
                bend = abs(self.noise.omega) * sigma[n] / math.sqrt(dims[n])
                return math.hypot(L, bend) if dims[n] == 1 else math.nan
            return L

        unbounded = law == "gain" and not self.noise.silent
        spread = tuple(
            math.inf if unbounded and s and J[:, b].any() else 0.0 if unbounded else s
            for s, b in zip(sigma, self.blocks, strict=True)
        )
        away, from_sum = J - mean, J - self.m * mean
        lam = [
            _monotone(J[:, b, b]) if ok else -math.inf for (b, _, _), ok in zip(pairs, self.common_zeros, strict=True)
        ]
        return constants(
            lam_each=tuple(lam),
            lam_mean_each=tuple(_monotone(mean[None, b, b]) for b, _, _ in pairs),
            L_s_each=tuple(L_s),
            L_u_each=tuple(_norm(J[:, b, u]) for b, u, _ in pairs),
            L_joint_each=tuple(_norm(J[:, b, both]) for b, _, both in pairs),
            L_z_each=tuple(_norm(T[None]) for T in self.T),
            dL_z_each=(0.0,) * self.N,
            L_p=L_p,
            L_x=_norm(J[:, first, first]),
            L_Z=_norm(J[:, first, first.stop :]),
            L_P=_norm(J[:, first]),
            Lb_p=mean_lipschitz(L_p, 0),
            Lb_s_each=tuple(mean_lipschitz(L, n) for n, L in enumerate(L_s, start=1)),
            sigma_0=spread[0],
            sigma_each=spread[1:],
            tau_0=_norm(away[:, first]),
            tau_each=tuple(_norm(away[:, b]) for b, _, _ in pairs),
            tau_0_sum=_norm(from_sum[:, first]),
            tau_sum_each=tuple(_norm(from_sum[:, b]) for b, _, _ in pairs),
            L_hyp=_norm(self.G[None]),
            f_inf=self._infimum(),
        )

    def _infimum(self) -> float:
        """Of ``f``; NaN where ``P(x)`` is no gradient."""
        if not self.potential:
            return math.nan
        g = self.P(np.zeros((1, self.dims[0])))[0]
        values, vectors = np.linalg.eigh((self.G + self.G.T) / 2)
        size = _size(self.G, g)
        slopes, solid = vectors.T @ g, np.abs(values) > ROUNDING * size
        if (values[solid] < 0).any() or (np.abs(slopes[~solid]) > ROUNDING * size).any():
            return -math.inf
        return float(-(slopes[solid] ** 2 / values[solid]).sum() / 2)

    def facts(self) -> dict[str, Fact]:
        """Assumptions A to C, and what else the proofs use of ``P``."""
        c, common = self.constants, all(self.common_zeros)
        odd = float(np.abs(self.G - self.G.T).max())
        return {
            **super().facts(),
            "common_zeros": Fact(common, f"S^(i,n)(u, z*(u)) {'is' if common else 'is not'} 0 for every client"),
            "potential": Fact(self.potential, f"P(x) = G x + g, and G differs from its transpose by {odd:g}"),
            "bounded_below": Fact(math.isfinite(c.f_inf), f"the infimum of f is {c.f_inf:g}"),
        }


def _check_attracting(n: int, D: Array) -> None:
    """Refuse a mean map of which the zero is not unique, or not attracting for small steps.

    Raises:
        ValueError: says the modulus.
    """
    least = float(np.linalg.svd(D, compute_uv=False)[-1])
    if least <= ROUNDING * np.abs(D).max():
        raise ValueError(
            f"S^{n} has no unique zero in z^{n}: the least singular value of its mean D is {least:g}; "
            "it should be positive"
        )
    modulus = float(np.linalg.eigvals(D).real.min())
    if modulus <= ROUNDING * np.abs(D).max():
        raise ValueError(
            f"the zero of S^{n} is not attracting in z^{n}: the least real part of an eigenvalue of its mean D is "
            f"{modulus:g}; it should be positive"
        )


def _norm(matrices: Array) -> float:
    """The largest spectral norm of a stack; 0 of empty ones."""
    return float(np.linalg.norm(matrices, ord=2, axis=(1, 2)).max()) if matrices.size else 0.0


def _monotone(matrices: Array) -> float:
    """The least eigenvalue of all symmetric parts."""
    return float(np.linalg.eigvalsh((matrices + matrices.transpose(0, 2, 1)) / 2).min())


def _size(*arrays: Array) -> float:
    """The largest number, at least the smallest positive one that matters."""
    return max(1e-300, *(float(np.abs(a).max(initial=0.0)) for a in arrays))


def _matrices(name: str, values: ArrayLike, m: int, N: int, d: int) -> Array:
    """``(m, N, d, d)`` from multiples of the identity, one number, ``m`` or ``(m, N)``, or from all matrices."""
    array = numbers(name, values)
    if array.ndim <= 2:
        array = _levels(name, array, m, N)[..., None, None] * np.eye(d)
    return as_array(name, array, (m, N, d, d))


def _vectors(name: str, values: ArrayLike, m: int, N: int, d: int) -> Array:
    """``(m, N, d)`` from vectors of equal entries, one number, ``m`` or ``(m, N)``, or from all vectors."""
    array = numbers(name, values)
    return as_array(name, array if array.ndim > 2 else _levels(name, array, m, N)[..., None] * np.ones(d), (m, N, d))


def _levels(name: str, array: Array, m: int, N: int) -> Array:
    """A number for each client and level, ``(m, N)``.

    Raises:
        ValueError: not so many numbers.
    """
    if array.shape not in ((), (m,), (m, N)):
        raise ValueError(
            f"{name} has shape {array.shape}; it should be one number, one for each of {m} clients, ({m},), or one for "
            f"each of their {N} levels, ({m}, {N})"
        )
    return np.broadcast_to(array if array.ndim != 1 else array[:, None], (m, N))


def _assembled(A: Array, B: Array, a: Array, D: Array, E: Array, e: Array) -> tuple[Array, Array, tuple[int, ...]]:
    """``J``, ``j`` and the lengths, from ``A (m, d, d)``, ``B, D, E (m, N, d, d)``, ``a (m, d)``, ``e (m, N, d)``."""
    m, N, d = e.shape
    check_size("J", (m, (N + 1) * d, (N + 1) * d))
    J = np.zeros((m, N + 1, d, N + 1, d))
    J[:, 0, :, 0] = A
    for n in range(N):
        J[:, 0, :, n + 1] = B[:, n]
        J[:, n + 1, :, n + 1], J[:, n + 1, :, n] = D[:, n], -E[:, n]
    j = np.concatenate([a[:, None], -e], axis=1)
    size = (N + 1) * d
    return J.reshape(m, size, size), j.reshape(m, size), (d,) * (N + 1)


def _check_levels(N: int) -> None:
    """Refuse a problem without an inner sequence.

    Raises:
        ValueError: ``N < 1``.
    """
    check_counts(N=N)


def linear_sequences(
    *,
    m: int = 2,
    N: int = 1,
    d: int = 1,
    A: ArrayLike = (2.0, 1.0),
    B: ArrayLike = (0.2, 0.6),
    a: ArrayLike = 0.0,
    D: ArrayLike = (1.0, 2.0),
    E: ArrayLike = (0.5, 1.0),
    e: ArrayLike = (1.0, 2.0),
    normalisation: Normalisation = "mean",
    sigma_p: float = 0.0,
    sigma_s: Numbers = 0.0,
    law: Law = "two_point",
) -> LinearSequences:
    """Affine maps, all variables of length ``d`` (I1); unless told otherwise clients have common inner zeros (I1a).

    A number stands for that multiple of the identity, or the vector of equal entries; a list has one for each client.
    ``D=[1,2] E=[1,3] e=[0,1]`` are clients with other inner zeros (I1b).

    Args:
        m, N, d: clients, sequences, and length of each variable.
        A: ``(m,)`` or ``(m, 1, d, d)``, how ``P^i`` depends on ``x``.
        B: ``(m,)``, ``(m, N)`` or ``(m, N, d, d)``, and on ``z^n``.
        a: constant part, ``(m,)`` or ``(m, 1, d)``.
        D, E: how ``S^{i,n}`` depends on ``z^n`` and ``z^{n-1}``, shaped like ``B``.
        e: constant part, ``(m,)``, ``(m, N)`` or ``(m, N, d)``.
        normalisation: whether ``P`` is the "mean" or the "sum" of the clients' maps.
        sigma_p, sigma_s: size of the noise of ``P`` and of ``S^n``, one number or ``N``.
        law: of the noise, see :class:`rateproof.algos.problems.sequences.LevelNoise`.

    Raises:
        ValueError: a shape, ``N < 1``, or an inner zero that is not unique or not attracting.
    """
    given = dict(locals())
    check_counts(m=m, d=d)
    _check_levels(N)
    parts = (
        _matrices("A", A, m, 1, d)[:, 0],
        _matrices("B", B, m, N, d),
        _vectors("a", a, m, 1, d)[:, 0],
        _matrices("D", D, m, N, d),
        _matrices("E", E, m, N, d),
        _vectors("e", e, m, N, d),
    )
    J, j, dims = _assembled(*parts)
    noise = level_noise(N, sigma_p, sigma_s, law)
    return LinearSequences(
        J=J, j=j, dims=dims, normalisation=normalisation, noise=noise, name="linear_sequences", params=given
    )


def rotation_sequences(
    *, m: int = 2, speed: float = 1.0, normalisation: Normalisation = "mean", sigma_p: float = 0.0, sigma_s: float = 0.0
) -> LinearSequences:
    """``P(x) = speed J x`` with a quarter turn ``J``, and ``S = z - x``: Assumptions A to C hold, no gradient (I1c).

    Args:
        m: clients, all alike.
        speed: slope of ``P``.
        normalisation, sigma_p, sigma_s: as in :func:`linear_sequences`.

    Raises:
        ValueError: an argument is out of range.
    """
    given = dict(locals())
    check_counts(m=m)
    turn = float(finite("speed", speed)) * np.array([[0.0, 1.0], [-1.0, 0.0]])
    one = np.broadcast_to(np.eye(2), (m, 1, 2, 2))
    A, zero = np.broadcast_to(turn, (m, 2, 2)), np.zeros((m, 1, 2))
    J, j, dims = _assembled(A, 0 * one, zero[:, 0], one, one, zero)
    noise = level_noise(1, sigma_p, sigma_s, "two_point")
    return LinearSequences(
        J=J, j=j, dims=dims, normalisation=normalisation, noise=noise, name="rotation_sequences", params=given
    )


def random_sequences(
    *,
    m: int = 4,
    N: int = 1,
    d: int = 3,
    tau_0: float = 0.5,
    tau_s: float = 0.5,
    lam: float = 1.0,
    L: float = 3.0,
    common: bool = True,
    normalisation: Normalisation = "mean",
    sigma_p: float = 0.0,
    sigma_s: Numbers = 0.0,
    law: Law = "two_point",
    seed: int = 0,
) -> LinearSequences:
    """Drawn affine maps whose clients differ as much as is said; the Hessian of ``f`` has eigenvalues in ``[1, 2]``.

    Args:
        m, N, d: clients, sequences, and length of each variable.
        tau_0, tau_s: heterogeneity of the Jacobians of ``P`` and of every ``S^n``, from the mean; 0 for one client.
        lam, L: the mean of each ``D`` has its eigenvalues there.
        common: whether clients have common inner zeros.
        normalisation, sigma_p, sigma_s, law: as in :func:`linear_sequences`.
        seed: of the draw.

    Raises:
        ValueError: an argument is out of range.
    """
    given = dict(locals())
    check_counts(m=m, d=d)
    _check_levels(N)
    nonnegative(tau_0=tau_0, tau_s=tau_s)
    if not 0 < finite("lam", lam) <= finite("L", L):
        raise ValueError(f"lam is {lam:g} and L is {L:g}; they should satisfy 0 < lam <= L")
    random = generator(seed)

    def spectral(least: float, most: float) -> Array:
        basis = np.linalg.qr(random.normal(size=(d, d)))[0]
        full = (basis * random.uniform(least, most, size=d)) @ basis.T
        return np.asarray((full + full.T) / 2)

    def apart(size: float, columns: int = 1, by: ArrayLike | None = None) -> Array:
        """Matrices ``(m, d, d columns)`` of mean zero with largest norm ``size``, that of the products with ``by``."""
        drawn = random.normal(size=(m, d, d * columns))
        if columns == 1:
            drawn = drawn + drawn.transpose(0, 2, 1)
        drawn = drawn - drawn.mean(axis=0)
        measured = _norm(drawn if by is None else drawn @ np.asarray(by))
        return np.asarray(drawn * (size / measured if measured > ROUNDING else 0.0))

    B, A, along = random.normal(size=(N, d, d)) / math.sqrt(d), spectral(1.0, 2.0), np.eye(d)
    D, E, e = np.empty((m, N, d, d)), np.empty((m, N, d, d)), np.empty((m, N, d))
    for n in range(N):
        T, t, mean = random.normal(size=(d, d)) / math.sqrt(d), random.normal(size=d), spectral(lam, L)
        if common:
            D[:, n] = mean + apart(tau_s, by=np.hstack([-T, np.eye(d)]))
            E[:, n], e[:, n] = D[:, n] @ T, D[:, n] @ t
        else:
            both = apart(tau_s, 2)
            D[:, n], E[:, n] = mean + both[..., :d], mean @ T - both[..., d:]
            e[:, n] = mean @ t + random.normal(size=(m, d))
        along = T @ along
        A = A - B[n] @ along  # so that G is what A was
    both, a = apart(tau_0, N + 1), random.normal(size=(m, d))
    in_z = both[..., d:].reshape(m, d, N, d).transpose(0, 2, 1, 3)
    J, j, dims = _assembled(A + both[..., :d], B + in_z, a, D, E, e)
    noise = level_noise(N, sigma_p, sigma_s, law)
    return LinearSequences(
        J=J, j=j, dims=dims, normalisation=normalisation, noise=noise, name="random_sequences", params=given
    )


def wave_noise(*, m: int = 2, t: float = 0.5, c: float = 1.0, omega: float = 1.0) -> LinearSequences:
    """``P^i = (1 +- t) x`` and ``S = z`` with ``p = P^i + c xi sin(omega x)``, a fair sign ``xi`` (I8).

    The first half of the clients has the plus. ``f = x^2/2`` has its least value at 0, where there is no noise, and
    noise does not cancel in differences.

    Args:
        m: clients, an even number of them unless ``t = 0``.
        t: how far they are apart.
        c, omega: size and frequency of the noise.

    Raises:
        ValueError: an argument is out of range.
    """
    given = dict(locals())
    check_counts(m=m)
    nonnegative(c=c)
    if m % 2 and finite("t", t):
        raise ValueError(f"m is {m}; it should be even, or t should be 0")
    A = 1 + float(t) * np.where(np.arange(m) < m // 2, 1.0, -1.0)
    J, j, dims = _assembled(A[:, None, None], np.zeros((m, 1, 1, 1)), np.zeros((m, 1)), *_unlinked(m, 1))
    return LinearSequences(
        J=J, j=j, dims=dims, noise=LevelNoise((c, 0.0), "wave", omega), name="wave_noise", params=given
    )


def pure_noise(
    *, m: int = 2, d: int = 1, s: float = 1.0, law: Literal["two_point", "gaussian"] = "two_point"
) -> LinearSequences:
    """``P = 0``, ``p = xi`` with ``E||xi||^2 = s^2``, and ``S = z`` (I9): what momentum does to noise, and that alone.

    Args:
        m, d: clients, and length of ``x`` and ``z``.
        s: standard deviation of the noise.
        law: of the noise.

    Raises:
        ValueError: an argument is out of range.
    """
    given = dict(locals())
    check_counts(m=m, d=d)
    nonnegative(s=s)
    J, j, dims = _assembled(np.zeros((m, d, d)), np.zeros((m, 1, d, d)), np.zeros((m, d)), *_unlinked(m, d))
    return LinearSequences(J=J, j=j, dims=dims, noise=LevelNoise((s, 0.0), law), name="pure_noise", params=given)


def _unlinked(m: int, d: int) -> tuple[Array, Array, Array]:
    """``D``, ``E`` and ``e`` of ``S = z``."""
    one = np.broadcast_to(np.eye(d), (m, 1, d, d))
    return one, 0 * one, np.zeros((m, 1, d))


def bilevel_sequences(
    *,
    m: int = 2,
    dx: int = 1,
    dy: int = 1,
    H: ArrayLike = (1.0, 2.0),
    B: ArrayLike = 1.0,
    c: ArrayLike = (0.0, 1.0),
    Q: ArrayLike = 1.0,
    t: ArrayLike = (1.0, -1.0),
    mu: float = 0.1,
    maps: Literal["eq2", "eq10"] = "eq2",
    normalisation: Normalisation = "mean",
    sigma_p: float = 0.0,
    sigma_s: float = 0.0,
    law: Law = "two_point",
) -> LinearSequences:
    """Quadratic bilevel optimisation as two sequences, ``z = (w, v)`` (I2).

    Args:
        m, dx, dy, H, B, c, Q, t, mu: see :func:`rateproof.algos.problems.bilevel_quadratic.tracking_quadratic`.
        maps: "eq2", or "eq10" with the upper gradient in ``x`` where (2) has that in ``w``, as printed.
        normalisation, sigma_p, sigma_s, law: as in :func:`linear_sequences`.

    Raises:
        ValueError: an argument is out of range, or an inner zero is not unique or not attracting.
    """
    given = dict(locals())
    problem = tracking_quadratic(m=m, dx=dx, dy=dy, H=H, B=B, shift=c, Q=Q, t=t, mu=mu)
    build = {"eq2": blo_maps_eq2, "eq10": blo_maps_eq10}[maps]
    noise = level_noise(1, sigma_p, sigma_s, law)
    return linear(build(problem), normalisation=normalisation, noise=noise, name="bilevel_sequences", params=given)


def random_bilevel_sequences(
    *,
    m: int = 10,
    dx: int = 3,
    dy: int = 3,
    heterogeneity: float = 0.5,
    mu: float = 1.0,
    L: float = 4.0,
    normalisation: Normalisation = "mean",
    sigma_p: float = 0.0,
    sigma_s: float = 0.0,
    law: Law = "two_point",
    seed: int = 0,
) -> LinearSequences:
    """Drawn quadratic clients of a bilevel problem as two sequences, with the maps of (2).

    Args:
        m, dx, dy, heterogeneity, mu, L, seed: as in
            :func:`rateproof.algos.problems.bilevel_quadratic.random_bilevel_quadratic`.
        normalisation, sigma_p, sigma_s, law: as in :func:`linear_sequences`.

    Raises:
        ValueError: an argument is out of range, or an inner zero is not unique or not attracting.
    """
    given = dict(locals())
    problem = random_bilevel_quadratic(m=m, dx=dx, dy=dy, heterogeneity=heterogeneity, mu=mu, L=L, seed=seed)
    noise, name = level_noise(1, sigma_p, sigma_s, law), "random_bilevel_sequences"
    return linear(blo_maps_eq2(problem), normalisation=normalisation, noise=noise, name=name, params=given)


def linear(maps: BilevelSequences, **others: Any) -> LinearSequences:
    """The maps of quadratic clients as matrices, from their values at the origin and at unit vectors."""
    points = np.vstack([np.zeros(maps.n), np.eye(maps.n)])
    values = np.stack([maps.maps(i, points) for i in range(maps.m)])
    j = values[:, 0]
    return LinearSequences(J=(values[:, 1:] - j[:, None]).transpose(0, 2, 1), j=j, dims=maps.dims, **others)
