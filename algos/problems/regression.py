"""Least squares from data rows, with a sparsity-inducing or a minimum-norm outer level (strfedavg, eq. 15).

Client ``i`` holds features ``A_i`` and outcomes ``v_i``; ``h_i(x) = ||A_i x - v_i||^2 / 2``. Every client has the same
outer loss. All products use the factors ``A_i``: the matrix ``A_i' A_i`` is larger when rows are few, and squares the
condition number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm

from rateproof.algos.data import Split
from rateproof.algos.noise import Noise, NoNoise
from rateproof.algos.problems.base import Array, Constants, Fact, Problem, noise_facts
from rateproof.algos.smoothing import grad_huber, huber

Outer = Literal["huber", "norm"]

# A residual below this share of the outcomes is rounding: the system is then consistent.
_ROUNDING = 1e-12


class _Factors(NamedTuple):
    """Thin singular value decomposition ``A = U diag(s) V'`` cut at the numerical rank, and ``U' v``."""

    s: Array
    V: Array
    Uv: Array
    residual2: float
    """Squared distance of ``v`` from the range of ``A``; 0 when it is rounding."""


@dataclass(frozen=True, eq=False)
class Regression(Problem):
    """``h_i(x) = ||A_i x - v_i||^2 / 2`` and one outer loss for all clients.

    Args:
        A: per client ``(m_i, n)``.
        v: per client ``(m_i,)``.
        outer: "huber" for ``f = M_l1^mu`` (convex, ``1/mu``-smooth) or "norm" for ``f = (mu/2) ||x||^2``.
        mu: parameter of the outer loss; length squared for "huber".
        noise: law of the gradient noise; ``MiniBatch`` draws data rows.
        solution: a bilevel solution ``(n,)`` found elsewhere, for outer losses without a closed form; None when not
            known, and then ``f_star`` and ``grad_f_star`` of the constants are NaN.
        name: of the family.
        params: what built the instance.

    Raises:
        ValueError: shapes disagree, a value is not finite, or a parameter is out of range.
    """

    A: Sequence[Array]
    v: Sequence[Array]
    outer: Outer = "huber"
    mu: float = 1.0
    noise: Noise = field(default_factory=NoNoise)
    solution: Array | None = None
    name: str = "regression"
    params: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check shapes and values."""
        if self.outer not in ("huber", "norm"):
            raise ValueError(f"outer is '{self.outer}'; it should be 'huber' or 'norm'")
        if not 0 < self.mu < np.inf:
            raise ValueError(f"mu is {self.mu}; it should be a positive number")
        if len(self.A) != len(self.v) or not len(self.A):
            raise ValueError(
                f"A has {len(self.A)} clients and v has {len(self.v)}; both should have as many, at least 1"
            )
        A = tuple(np.ascontiguousarray(rows, dtype=np.float64) for rows in self.A)
        v = tuple(np.ascontiguousarray(outcomes, dtype=np.float64) for outcomes in self.v)
        for i, (rows, outcomes) in enumerate(zip(A, v, strict=True)):
            if rows.ndim != 2 or rows.shape[1] != A[0].shape[-1] or outcomes.shape != rows.shape[:1] or not rows.size:
                raise ValueError(
                    f"client {i} has A of shape {rows.shape} and v of shape {outcomes.shape}; they should be (m, n) "
                    f"and (m,) with m >= 1 and one n for all clients"
                )
            if not (np.isfinite(rows).all() and np.isfinite(outcomes).all()):
                raise ValueError(f"client {i} has data that are not finite; every A and v should be finite")
        object.__setattr__(self, "A", A)
        object.__setattr__(self, "v", v)
        object.__setattr__(self, "n", A[0].shape[1])
        object.__setattr__(self, "N", len(A))

    def with_solution(self, x: Array) -> Regression:
        """The same problem that knows a bilevel solution ``x`` of shape ``(n,)``.

        Raises:
            ValueError: ``x`` has another shape or does not minimise the inner level.
        """
        x = np.array(x, dtype=np.float64)
        if x.shape != (self.n,):
            raise ValueError(f"solution has shape {x.shape}; it should be ({self.n},)")
        distance = float(np.linalg.norm(x - self.project(x[None])[0]))
        if not distance <= 1e-6 * (1 + np.linalg.norm(x)):
            raise ValueError(f"solution is {distance:g} away from the minimisers of h; it should be one of them")
        return replace(self, solution=x)

    def f_i(self, i: int, x: Array) -> Array:
        """The outer loss: ``(runs, n) -> (runs,)``."""
        if self.outer == "huber":
            return huber(x, mu=self.mu)
        return np.asarray(self.mu / 2 * np.einsum("...j,...j->...", x, x))

    def f(self, x: Array) -> Array:
        """The outer loss, which all clients share: ``(runs, n) -> (runs,)``."""
        return self.f_i(0, x)

    def h_i(self, i: int, x: Array) -> Array:
        """``||A_i x - v_i||^2 / 2``: ``(runs, n) -> (runs,)``."""
        residual = x @ self.A[i].T - self.v[i]
        return np.asarray(np.einsum("...j,...j->...", residual, residual) / 2)

    def grad_f(self, i: int, y: Array, out: Array | None = None) -> Array:
        """Gradient of the outer loss: ``(runs, n) -> (runs, n)``."""
        return grad_huber(y, mu=self.mu, out=out) if self.outer == "huber" else np.multiply(y, self.mu, out=out)

    def grad_h(self, i: int, y: Array, out: Array | None = None) -> Array:
        """``A_i' (A_i y - v_i)``: ``(runs, n) -> (runs, n)``."""
        A, At, v = self._views[i]
        # The method reaches BLAS with half the overhead of matmul, which counts for few runs; and A from the left is
        # faster than A' from the right when y lies in memory one coordinate after the other.
        residual = A.dot(y.T)
        residual -= v
        if out is not None and out.flags.f_contiguous:
            At.dot(residual, out.T)
            return out
        gradient: Array = At.dot(residual).T
        if out is None:
            return gradient
        out[...] = gradient
        return out

    def descend_h(self, i: int, y: Array, gamma: float, K: int) -> None:
        """``K`` times ``y -= gamma A_i' (A_i y - v_i)`` in place: ``y`` is ``(runs, n)``.

        The residual ``r = A_i y - v_i`` follows ``r -= gamma A_i A_i' r`` on its own, and ``y`` moves by
        ``-gamma A_i'`` times the sum of the residuals: with fewer rows than features only the first and the last
        product touch ``A_i``.
        """
        A, At, v = self._views[i]
        if K > 1 and len(A) < self.n:
            gram = self._grams[i]
            residual = A.dot(y.T)
            residual -= v
            total = residual.copy()
            for _ in range(K - 1):
                residual -= gamma * gram.dot(residual)
                total += residual
            self._move(y, gamma, total, At)
            return
        for _ in range(K):
            residual = A.dot(y.T)
            residual -= v
            self._move(y, gamma, residual, At)

    @staticmethod
    def _move(y: Array, gamma: float, residual: Array, At: Array) -> None:
        """``y -= gamma residual' A`` in one product."""
        moved = dgemm(-gamma, residual.T, At, trans_b=1, beta=1.0, c=y, overwrite_c=1)
        if moved is not y:  # y lies in memory the other way round, and a copy was moved
            y[...] = moved

    def samples(self, i: int) -> int:
        """Number of data rows of client ``i``."""
        return len(self.v[i])

    def sampled_grad_h(self, i: int, y: Array, rows: NDArray[np.int64], out: Array | None = None) -> Array:
        """``(m_i / batch_size) sum over the rows of a (a'y - v)``, unbiased for uniform rows: ``(runs, n)``."""
        A = self.A[i][rows]
        residual = np.matmul(A, y[:, :, None])[:, :, 0]
        residual -= self.v[i][rows]
        residual *= self.samples(i) / rows.shape[1]
        gradient: Array = np.matmul(residual[:, None, :], A)[:, 0, :]
        if out is None:
            return gradient
        out[...] = gradient
        return out

    @cached_property
    def _views(self) -> list[tuple[Array, Array, Array]]:
        """Per client ``A_i``, ``A_i'`` and ``v_i`` as a column: making a view costs as much as a short product."""
        return [(A, A.T, v[:, None]) for A, v in zip(self.A, self.v, strict=True)]

    @cached_property
    def _grams(self) -> list[Array]:
        """``A_i A_i'`` per client."""
        return [A.dot(A.T) for A in self.A]

    @cached_property
    def _factors(self) -> _Factors:
        return _factorise(np.concatenate(self.A), np.concatenate(self.v))

    @cached_property
    def _clients(self) -> list[_Factors]:
        return [_factorise(A, v) for A, v in zip(self.A, self.v, strict=True)]

    @cached_property
    def constants(self) -> Constants:
        """Exact constants; ``f_star`` and ``grad_f_star`` are NaN while no bilevel solution is known."""
        f_star = grad_f_star = float("nan")
        if self.outer == "norm" or self.solution is not None:
            x = self.bilevel_solution()[None]
            f_star, grad_f_star = float(self.f(x)[0]), float(np.linalg.norm(self.grad_f(0, x)))
        s = self._factors.s
        return Constants(
            L_f=1 / self.mu if self.outer == "huber" else self.mu,
            L_h=max((float(client.s[0]) ** 2 if len(client.s) else 0.0) for client in self._clients),
            mu_f=self.mu if self.outer == "norm" else 0.0,
            sigma_f=float(np.sqrt(self.noise.sigma_f2)),
            sigma_h=float(np.sqrt(self.noise.sigma_h2)),
            f_star=f_star,
            h_star=self._factors.residual2 / (2 * self.N),
            inf_f=0.0,
            mean_inf_f=0.0,
            mean_inf_h=sum(client.residual2 for client in self._clients) / (2 * self.N),
            alpha=float(s[-1]) ** 2 / (2 * self.N) if len(s) else float("inf"),
            kappa=2.0,
            grad_f_star=grad_f_star,
        )

    def facts(self) -> dict[str, Fact]:
        """Structural hypotheses with their reasons."""
        c, rank, rows = self.constants, len(self._factors.s), sum(map(len, self.v))
        huber_outer = self.outer == "huber"
        return {
            "f_convex": Fact(True, "an envelope of a norm" if huber_outer else f"{self.mu:g}/2 times a squared norm"),
            "f_strongly_convex": Fact(
                not huber_outer, f"affine in x_j beyond |x_j| > {self.mu:g}" if huber_outer else f"mu_f = {self.mu:g}"
            ),
            "f_smooth": Fact(True, f"L_f = {c.L_f:g}"),
            "h_convex": Fact(True, "least squares"),
            "h_smooth": Fact(True, f"largest squared singular value of a client's rows: L_h = {c.L_h:g}"),
            "X_h_nonempty": Fact(True, f"least squares attain their minimum; rank {rank} of {rows} rows, n = {self.n}"),
            "f_bounded_below": Fact(True, "f >= 0 = f(0)"),
            "clients_attain_minimum": Fact(True, "f_i at 0, h_i as least squares"),
            **noise_facts(self.noise),
            "weak_sharp": Fact(True, f"least positive singular value of all rows: alpha = {c.alpha:g}, kappa = 2"),
        }

    def project(self, x: Array) -> Array:
        """Projection on the least-squares solutions: ``(runs, n) -> (runs, n)``."""
        s, V, Uv, _ = self._factors
        return np.asarray(x - (x @ V - Uv / s) @ V.T)

    def bilevel_solution(self) -> Array:
        """``x*`` of shape ``(n,)``: the solution passed in, or the least-squares solution of minimum norm.

        Raises:
            ValueError: the outer loss has no closed-form solution and none was passed in.
        """
        if self.solution is not None:
            return self.solution
        if self.outer == "norm":
            least_norm: Array = self.project(np.zeros((1, self.n)))[0]
            return least_norm
        raise ValueError(
            "the bilevel solution under the Huber outer loss has no closed form; solve min f subject to "
            "project(x) = x with a convex solver and pass the result to with_solution"
        )

    def regularised_solution(self, eta: float) -> Array:
        """``x_eta*`` of shape ``(n,)`` for the outer loss "norm".

        Raises:
            ValueError: ``eta`` is not positive, or the outer loss has no closed-form solution.
        """
        if not 0 < eta < np.inf:
            raise ValueError(f"eta is {eta}; it should be a positive number")
        if self.outer == "norm":
            s, V, Uv, _ = self._factors
            return np.asarray(V @ (s * Uv / (s**2 + self.N * eta * self.mu)))
        raise ValueError(
            "the minimiser of h + eta f under the Huber outer loss has no closed form; compute it with a convex solver"
        )


def from_split(
    data: Split, *, outer: Outer = "huber", mu: float = 1.0, L_h: float | None = None, noise: Noise | None = None
) -> Regression:
    """The regression of a split's training rows.

    Args:
        data: the rows of each client.
        outer: as in :class:`Regression`.
        mu: as in :class:`Regression`.
        L_h: when given, features and outcomes are multiplied by one factor so that the smoothness constant of the
            inner level is this number; the minimisers of ``h`` stay the same.
        noise: law of the gradient noise; none when left out.

    Raises:
        ValueError: a parameter is out of range.
    """
    factor = 1.0
    if L_h is not None:
        if not 0 < L_h < np.inf:
            raise ValueError(f"L_h is {L_h}; it should be a positive number")
        largest = max(float(np.linalg.norm(A, 2)) for A in data.A)
        if largest == 0:
            raise ValueError("L_h cannot be set: every feature of every client is zero")
        factor = float(np.sqrt(L_h)) / largest
    noise = NoNoise() if noise is None else noise
    return Regression(
        [A * factor for A in data.A],
        [v * factor for v in data.v],
        outer=outer,
        mu=mu,
        noise=noise,
        name=data.name,
        params={**data.params, "outer": outer, "mu": mu, "L_h": L_h, "noise": noise.to_params()},
    )


def _factorise(A: Array, v: Array) -> _Factors:
    """Thin decomposition of ``A`` at its numerical rank."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.sum(s > s[0] * max(A.shape) * np.finfo(np.float64).eps))
    U, s, V = U[:, :rank], s[:rank], np.ascontiguousarray(Vt[:rank].T)
    Uv = U.T @ v
    residual = v - U @ Uv
    residual2 = float(residual @ residual)
    return _Factors(s, V, Uv, residual2 if residual2 > _ROUNDING**2 * float(v @ v) else 0.0)
