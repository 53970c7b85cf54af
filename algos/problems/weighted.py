"""Training nodes weighed by their use for a validation set (fedweight, eqs. 1 to 3, 13, 15 and 16).

``min F^(w) = L_0(theta(w))`` over weights ``w`` in the capped simplex, with ``theta(w)`` the minimiser of
``sum_k w_k L_k``. Node 0 holds the validation data, the nodes 1 to ``K`` train. As a bilevel problem over ``K`` clients
it has ``f_i = L_0`` and ``g_i(w, theta) = K w_i L_i(theta)``: a model is the row ``z = (w, theta)``. So FedNest, FedBiO
and the other bilevel methods take it as it is; their clients are the training nodes, each with a copy of ``L_0``.

Oracles are asked at pairs of a run and a node, all in one call: an array of points has a row a pair.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import finite, shown
from rateproof.algos.convex_sets import CappedSimplex, WholeSpace, check_cap
from rateproof.algos.noise import Ints, Noise
from rateproof.algos.problems import smooth_bilevel
from rateproof.algos.problems.base import Array, Fact, Metric
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel

#: Steps of Newton's method, and the gradient, relative to the first, at which it ends.
STEPS, SMALL = 100, 1e-14


class Pairs(NamedTuple):
    """A run and a node for each row of an array of points: ``(pairs,)`` both."""

    run: Ints
    node: Ints


def all_pairs(runs: int, nodes: Sequence[int] | Ints) -> Pairs:
    """Every run with each of these nodes, run by run."""
    return Pairs(np.repeat(np.arange(runs), len(nodes)), np.tile(np.asarray(nodes, dtype=np.int64), runs))


class FiniteSums(Protocol):
    """``f_k``, the mean of ``f_{k,i}``, at nodes ``0 .. K - 1`` (16).

    Attributes:
        d: dimension.
        sizes: how many there are at each node, ``(K,)``.
    """

    @property
    def d(self) -> int:
        """Dimension."""

    @property
    def sizes(self) -> Ints:
        """Functions of each node."""

    def gradients(self, at: Pairs, x: Array) -> Array:
        """``grad f_k(x)``: ``(pairs, d)``."""

    def changes(self, at: Pairs, x: Array, y: Array, rows: Ints) -> Array:
        """The mean of ``grad f_{k,i}(x) - grad f_{k,i}(y)`` over ``rows``, ``(pairs, batch)``: ``(pairs, d)``."""


@dataclass(frozen=True)
class Constants(smooth_bilevel.Constants):
    """Constants of Assumption 1 over a ball or interval ``Theta``, beside those of a bilevel problem.

    Attributes:
        ell0: every ``L_k``, ``L_0`` too, is ``ell0``-Lipschitz.
        ell1: every ``grad l(.; z)`` is ``ell1``-Lipschitz.
        ell2: every Hessian of ``L_k`` is ``ell2``-Lipschitz.
        loss: the largest loss of a sample.
    """

    ell0: float
    ell1: float
    ell2: float
    loss: float

    def ell_F(self, K: int) -> float:
        """The smoothness constant of ``F^`` as the chain rule gives it; (12) has ``sqrt(K)`` for the first ``K``."""
        bend = 2 * self.ell0 * self.ell1 / self.mu + self.ell2 * self.ell0**2 / self.mu**2
        return bend * K * self.ell0 / self.mu + K * self.ell1 * self.ell0**2 / self.mu**2


class WeightedNodes(SmoothBilevel):
    """See the head of this module.

    Args:
        K, d: training nodes, and dimension of ``theta``.
        b: bound on the weights.
        samples_of: samples of the nodes ``0 .. K``.
        noise, name, params: see :class:`SmoothBilevel`.
        population: what is known of the law of the samples.

    Attributes:
        sizes: samples of the nodes ``0 .. K``, ``(K + 1,)``.

    Raises:
        ValueError: ``b`` is out of range, or a node is empty.
    """

    def __init__(
        self,
        *,
        K: int,
        d: int,
        b: float,
        samples_of: Sequence[int],
        noise: Noise | None = None,
        name: str,
        params: Mapping[str, object] | None = None,
        population: Quadratics | None = None,
    ) -> None:
        check_cap("b", b, K)
        if empty := [k for k, n in enumerate(samples_of) if n < 1]:
            raise ValueError(f"node {empty[0]} has no samples; every node should have at least 1")
        self.K, self.d, self.b = K, d, float(b)
        self.sizes = np.asarray(samples_of, dtype=np.int64)
        self.population = population
        super().__init__(m=K, X=CappedSimplex(K, b), Y=WholeSpace(d), noise=noise, name=name, params=params)

    # What a family has to know: losses and derivatives of the nodes 0 .. K.

    @abstractmethod
    def values(self, at: Pairs, theta: Array) -> Array:
        """``L_k(theta)``: ``(pairs,)``."""

    @abstractmethod
    def gradients(self, at: Pairs, theta: Array, rows: Ints | None = None) -> Array:
        """``grad L_k(theta)``, or its mean over samples ``(pairs, batch)``: ``(pairs, d)``."""

    @abstractmethod
    def products(self, at: Pairs, theta: Array, v: Array, rows: Ints | None = None) -> Array:
        """``hess L_k(theta) v``, or its mean over samples ``(pairs, batch)``: ``(pairs, d)``."""

    def changes(self, at: Pairs, x: Array, y: Array, rows: Ints) -> Array:
        """Gradients at ``x`` less those at ``y`` on the same samples: ``(pairs, d)``."""
        return self.gradients(at, x, rows) - self.gradients(at, y, rows)

    def on(self, at: Pairs, rows: Ints | None) -> Callable[[Array], Array]:
        """:meth:`gradients` on samples that stay the same."""
        return lambda theta: self.gradients(at, theta, rows)

    # The finite sums that Local-SVRG is called for.

    def inner(self) -> Inner:
        """Problem (1)."""
        return Inner(self, 1)

    def centre(self) -> Inner:
        """``min L_0``, of one node."""
        return Inner(self, 0)

    def system(self, theta: Array) -> System:
        """Problem (15) at ``theta``, ``(runs, d)``, whose minimiser is ``(sum_k w_k hess L_k)^-1 grad L_0``."""
        return System(self, theta, self.grad_valid(theta))

    def grad_valid(self, theta: Array) -> Array:
        """``grad L_0(theta)``: ``(runs, d)``."""
        return self.gradients(all_pairs(len(theta), [0]), theta)

    def node_gradients(self, theta: Array) -> Array:
        """``grad L_k(theta)`` of the training nodes: ``(runs, K, d)``."""
        at = all_pairs(len(theta), np.arange(1, self.K + 1))
        return self.gradients(at, np.repeat(theta, self.K, axis=0)).reshape(-1, self.K, self.d)

    # What is exact, up to rounding.

    def theta_hat(self, w: Array, start: Array | None = None) -> Array:
        """``theta(w)``, by Newton's method with halved steps: ``(runs, K) -> (runs, d)``.

        Raises:
            ValueError: the gradient stays large.
        """
        return np.stack([self._newton(np.r_[0.0, w[r]], r, None if start is None else start[r]) for r in range(len(w))])

    def theta_valid(self, run: int = 0) -> Array:
        """The minimiser of ``L_0``, ``(d,)``: what training on the validation set alone gives (41)."""
        return self._newton(np.r_[1.0, np.zeros(self.K)], run, None)

    def F_hat(self, w: Array) -> Array:
        """``F^(w)``: ``(runs, K) -> (runs,)``."""
        return self.values(all_pairs(len(w), [0]), self.theta_hat(w))

    def hypergradient(self, w: Array) -> Array:
        """``grad F^(w)`` by (13): ``(runs, K)``."""
        theta = self.theta_hat(w)
        g0, slopes = self.grad_valid(theta), self.node_gradients(theta)
        h = np.stack([np.linalg.solve(self.hessian(np.r_[0.0, w[r]], r, theta[r]), g0[r]) for r in range(len(w))])
        return np.asarray(-np.einsum("rkd,rd->rk", slopes, h))

    def stationarity(self, w: Array, eta: float) -> Array:
        """``||w - Proj(w - eta grad F^(w))|| / eta``: ``(runs,)``."""
        return np.asarray(np.linalg.norm(w - self.X.project(w - eta * self.hypergradient(w)), axis=1) / eta)

    def hessian(self, w: Array, run: int, theta: Array) -> Array:
        """``sum_k w_k hess L_k(theta)`` over all nodes with a weight, ``(d, d)``."""
        nodes = np.flatnonzero(w)
        at = Pairs(np.full(len(nodes) * self.d, run), np.repeat(nodes, self.d))
        units = np.tile(np.eye(self.d), (len(nodes), 1))
        products = self.products(at, np.broadcast_to(theta, units.shape), units)
        hessian = np.einsum("k,kij->ij", w[nodes], products.reshape(len(nodes), self.d, self.d))
        return np.asarray((hessian + hessian.T) / 2)

    def _newton(self, w: Array, run: int, start: Array | None) -> Array:
        nodes = np.flatnonzero(w)
        at = Pairs(np.full(len(nodes), run), nodes)
        theta = np.zeros(self.d) if start is None else start

        def both(theta: Array) -> tuple[float, Array]:
            points = np.broadcast_to(theta, (len(nodes), self.d))
            return float(w[nodes] @ self.values(at, points)), w[nodes] @ self.gradients(at, points)

        value, slope = both(theta)
        scale = max(1.0, float(np.linalg.norm(slope)))
        polished = 0
        for _ in range(STEPS):
            size = float(np.linalg.norm(slope))
            polished += size <= 1e-9 * scale
            if size <= SMALL * scale or polished > 2:
                return theta
            step, length = np.linalg.solve(self.hessian(w, run, theta), slope), 1.0
            while True:
                moved = theta - length * step
                lower, after = both(moved)
                if lower <= value - length / 4 * float(slope @ step) + 1e-14 * max(1.0, abs(value)) or length < 1e-9:
                    break
                length /= 2
            theta, value, slope = moved, lower, after
        raise ValueError(f"the minimiser of '{self.name}' is known to a gradient of {size:.3g} only")

    # As a bilevel problem.

    @property
    def x0(self) -> Array:
        """Equal weights and ``theta = 0``."""
        return np.concatenate([np.full(self.K, 1 / self.K), np.zeros(self.d)])

    def f_i(self, i: int, z: Array) -> Array:
        """``L_0(theta)``."""
        return self.values(all_pairs(len(z), [0]), self.split(z)[1])

    def g_i(self, i: int, z: Array) -> Array:
        """``K w_i L_i(theta)``."""
        w, theta = self.split(z)
        return np.asarray(self.K * w[:, i] * self.values(all_pairs(len(z), [i + 1]), theta))

    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``(0, grad L_0)``."""
        w, theta = self.split(z)
        return self.join(np.zeros_like(w), self.gradients(all_pairs(len(z), [0]), theta, rows))

    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``K (L_i e_i, w_i grad L_i)``; the loss itself is that of all samples."""
        (w, theta), at = self.split(z), all_pairs(len(z), [i + 1])
        out = np.zeros_like(z)
        out[:, i] = self.K * self.values(at, theta)
        out[:, self.K :] = self.K * w[:, i, None] * self.gradients(at, theta, rows)
        return out

    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """``K (<grad L_i, v> e_i, w_i hess L_i v)``."""
        (w, theta), at = self.split(z), all_pairs(len(z), [i + 1])
        out = np.zeros_like(z)
        out[:, i] = self.K * (self.gradients(at, theta, rows) * v).sum(axis=1)
        out[:, self.K :] = self.K * w[:, i, None] * self.products(at, theta, v, rows)
        return out

    def samples(self, i: int) -> tuple[int, int]:
        """Validation samples, and those of the node."""
        return int(self.sizes[0]), int(self.sizes[i + 1])

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The validation loss and the largest weight."""
        return {
            "L_0": lambda problem, z: problem.f_i(0, z),
            "largest": lambda problem, z: z[:, : problem.K].max(axis=1),
        }

    def bounds(
        self,
        *,
        ell0: float,
        ell1: float,
        ell2: float,
        mu: float,
        loss: float,
        least: float = 0.0,
        b: float | None = None,
    ) -> Constants:
        """Constants of the bilevel problem from those of Assumption 1.

        The second derivatives of ``K w_i L_i`` have blocks ``K grad L_i`` and ``K w_i hess L_i``, which bounds ``L_2``.
        """
        K, b = self.K, self.b if b is None else b
        return Constants(
            L_f=ell0,
            L_1=ell1,
            L_g=K * loss,
            L_2=K * (ell0 + b * ell1),
            rho_wc=K * ell0,
            mu=mu,
            Het=math.nan,
            sigma_f=math.sqrt(self.noise.sigma_f2) if self.noise.additive else math.nan,
            sigma_g=math.sqrt(self.noise.sigma_h2) if self.noise.additive else math.nan,
            F_inf=least,
            ell0=ell0,
            ell1=ell1,
            ell2=ell2,
            loss=loss,
        )

    def facts(self) -> dict[str, Fact]:
        """Assumption 1 part by part over ``Theta``, and what is known of the law of the samples."""
        c = self.constants
        assert isinstance(c, Constants)
        known = {
            "lipschitz": Fact(math.isfinite(c.ell0), f"slopes of L_0 .. L_K are at most ell0 = {c.ell0:g}"),
            "smooth": Fact(math.isfinite(c.ell1), f"second derivatives of a loss are at most ell1 = {c.ell1:g}"),
            "hessian_lipschitz": Fact(math.isfinite(c.ell2), f"third derivatives are at most ell2 = {c.ell2:g}"),
            "strongly_convex": Fact(c.mu > 0, f"second derivatives of L_1 .. L_K are at least mu = {c.mu:g}"),
            "loss_in_unit": Fact(c.loss <= 1, f"losses are in [0, {c.loss:g}]"),
        }
        return known if self.population is None else known | self.population.facts(self.b)


class Inner:
    """:class:`FiniteSums` of the losses of nodes: of all training nodes, or of node 0 alone."""

    def __init__(self, problem: WeightedNodes, first: int) -> None:
        self.problem, self.d, self._first = problem, problem.d, first
        self.sizes = problem.sizes[1:] if first else problem.sizes[:1]

    def _of(self, at: Pairs) -> Pairs:
        return Pairs(at.run, at.node + self._first)

    def gradients(self, at: Pairs, x: Array) -> Array:
        """``grad L_k``."""
        return self.problem.gradients(self._of(at), x)

    def changes(self, at: Pairs, x: Array, y: Array, rows: Ints) -> Array:
        """See :class:`FiniteSums`."""
        return self.problem.changes(self._of(at), x, y, rows)


class System:
    """:class:`FiniteSums` of the linear system (15): ``1/2 h' hess l(theta) h - h' g0``."""

    def __init__(self, problem: WeightedNodes, theta: Array, g0: Array) -> None:
        self.problem, self.d, self.sizes = problem, problem.d, problem.sizes[1:]
        self._theta, self.g0 = theta, g0

    def gradients(self, at: Pairs, x: Array) -> Array:
        """``hess L_k(theta) x - g0``."""
        return self.problem.products(Pairs(at.run, at.node + 1), self._theta[at.run], x) - self.g0[at.run]

    def changes(self, at: Pairs, x: Array, y: Array, rows: Ints) -> Array:
        """Products of sampled Hessians with ``x - y``."""
        return self.problem.products(Pairs(at.run, at.node + 1), self._theta[at.run], x - y, rows)


@dataclass(frozen=True, eq=False)
class Quadratics:
    """``L_k(theta) = 1/2 (theta - m_k)' A_k (theta - m_k) + e_k`` for the nodes ``0 .. K``.

    Attributes:
        A, m, e: ``(K + 1, d, d)``, ``(K + 1, d)``, ``(K + 1,)``.
        low, high: ends of the box ``Theta``, ``(d,)``; ``G`` is taken there.
        same: the training nodes with the law of node 0, numbered from 1.
    """

    A: Array
    m: Array
    e: Array
    low: Array
    high: Array
    same: tuple[int, ...] = ()

    @property
    def shared(self) -> bool:
        """Whether all nodes have one Hessian, as in Appendix B: then ``F`` is convex and quadratic."""
        return bool((self.A[0] == self.A).all())

    def L(self, k: int, theta: Array) -> Array:
        """``L_k``: ``(..., d) -> (...)``."""
        off = theta - self.m[k]
        return np.asarray(0.5 * np.einsum("...i,ij,...j->...", off, self.A[k], off) + self.e[k])

    def theta(self, w: Array) -> Array:
        """``theta(w)``: ``(runs, K) -> (runs, d)``."""
        if self.shared:
            return np.asarray(w @ self.m[1:])
        H = np.einsum("rk,kij->rij", w, self.A[1:])
        return np.linalg.solve(H, np.einsum("rk,kij,kj->ri", w, self.A[1:], self.m[1:])[..., None])[..., 0]

    def F(self, w: Array) -> Array:
        """``L_0(theta(w))``: ``(runs,)``."""
        return self.L(0, self.theta(w))

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``: ``(runs, K)``."""
        theta = self.theta(w)
        H = np.einsum("rk,kij->rij", w, self.A[1:])
        h = np.linalg.solve(H, ((theta - self.m[0]) @ self.A[0])[..., None])[..., 0]
        slopes = np.einsum("kij,rkj->rki", self.A[1:], theta[:, None] - self.m[1:])
        return np.asarray(-np.einsum("rki,ri->rk", slopes, h))

    @cached_property
    def J(self) -> int:
        """Nodes with the law of node 0."""
        return len(self.same)

    @cached_property
    def G(self) -> float:
        """(9): the largest distance of the losses, at a corner of the box where Hessians agree; NaN where unknown."""
        d = len(self.low)
        if not self.shared or d > 16:
            return math.nan
        corners = np.array(np.meshgrid(*zip(self.low, self.high, strict=True), indexing="ij")).reshape(d, -1).T
        gaps = np.stack([self.L(0, corners) - self.L(k, corners) for k in range(1, len(self.m))])
        return float(np.sqrt((gaps**2).sum(axis=0).max()))

    @cached_property
    def C_r(self) -> float:
        """The least constant of (5) for ``r = 2`` and ``b = 1``, or a bound on it; NaN where none is known.

        With a shared Hessian ``F - min F = v'Mv/2`` in the weights ``v`` of the other nodes, and the nearest optimal
        weights spread their sum evenly: ``Dist^2 = ||v||^2 + (sum v)^2/J``. A largest eigenvector without signs is
        attained by weights.
        """
        other = [k for k in range(1, len(self.m)) if k not in self.same]
        if not (self.shared and self.same and other):
            return math.nan
        off = self.m[other] - self.m[0]
        if len(self.low) == 1:
            if not ((off > 0).all() or (off < 0).all()):
                return math.nan
            # On the line (sum v |off|)^2 is least, beside the distance, at one node.
            return float(np.sqrt(2 * (1 + 1 / self.J) / self.A[0, 0, 0]) / np.abs(off).min())
        M, N = off @ self.A[0] @ off.T, np.eye(len(other)) + 1 / self.J
        values = np.linalg.eigvalsh(M)
        if values[0] <= 1e-12 * values[-1]:
            return math.nan
        root = np.linalg.cholesky(M)
        inner = np.linalg.solve(root, np.linalg.solve(root, N).T)
        return float(np.sqrt(2 * np.linalg.eigvalsh((inner + inner.T) / 2)[-1]))

    def facts(self, b: float) -> dict[str, Fact]:
        """What the assumptions say of the law of the samples."""
        room = b * self.J >= 1
        C_r, every = self.C_r, "all" if self.shared else "not all"
        return {
            "F_convex": Fact(self.shared, f"{every} nodes have one Hessian"),
            "identical_neighbours": Fact(self.J > 0, f"{self.J} nodes have the law of node 0"),
            "learnable": Fact(room, f"b J = {b * self.J:g}: weights on identical neighbours alone need b J >= 1"),
            "error_bound": Fact(math.isfinite(C_r), f"r = 2 and C_r <= {C_r:g} where b = 1"),
        }


def on_one_line(values: ArrayLike, name: str, b: float) -> tuple[Array, int]:
    """Numbers of the nodes ``0 .. K`` and ``K``.

    Raises:
        ValueError: there are fewer than two.
    """
    p = finite(name, values)
    if p.ndim != 1 or len(p) < 2:
        raise ValueError(f"{name} is {shown(values)}; it should hold a number of node 0 and one of each training node")
    check_cap("b", b, len(p) - 1)
    return p, len(p) - 1
