"""Minimax problems over clients whose saddle points have closed forms.

``coupled_line`` and :class:`QuadraticSaddle`: ``min_x max_y`` of a mean of quadratics. ``agnostic_pair``: the best
model for the worst mixture of clients, ``min_x max_w sum_i w_i h_i(x)``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import finite, shown
from rateproof.algos.noise import Noise, NoNoise
from rateproof.algos.problems.base import Array, Fact, Instance, Metric
from rateproof.algos.problems.quadratic import QuadraticBilevel


@dataclass(frozen=True)
class Constants:
    """Constants of a quadratic saddle problem.

    Attributes:
        L: the joint gradient of every ``f_i`` is ``L``-Lipschitz.
        mu_x, mu_y: every ``f_i`` is ``mu_x``-strongly convex in ``x`` (0: convex only) and ``mu_y``-strongly concave in
            ``y``.
        sigma: square root of the variance of one stochastic joint gradient.
        value: of the saddle point.
    """

    L: float
    mu_x: float
    mu_y: float
    sigma: float
    value: float


class Saddle(Instance):
    """A minimax problem ``min_x max_y (1/N) sum_i f_i(x, y)`` over clients, through gradients.

    Attributes:
        N: number of clients.
        nt: dimension of ``y``.
        noise: an additive law of dimension ``n + nt``; its ``zeta`` disturbs the gradient in ``x`` and ``y`` together.
    """

    N: int
    nt: int
    noise: Noise

    @property
    def clients(self) -> int:
        """Number of clients, ``N``."""
        return self.N

    @abstractmethod
    def grad_x(self, i: int, x: Array, y: Array) -> Array:
        """Gradient of ``f_i`` in ``x``: ``(runs, n), (runs, nt) -> (runs, n)``."""

    @abstractmethod
    def grad_y(self, i: int, x: Array, y: Array) -> Array:
        """Gradient of ``f_i`` in ``y``: ``(runs, n), (runs, nt) -> (runs, nt)``."""


class QuadraticSaddle(Saddle):
    """``f_i(x, y) = 1/2 x'A_i x + x'B_i y - 1/2 y'C_i y + a_i'x + c_i'y``.

    Args:
        A: ``(N, n, n)``, symmetric and positive semidefinite.
        B: ``(N, n, nt)``.
        C: ``(N, nt, nt)``, symmetric and positive definite, so that there is one best ``y`` for each ``x``.
        a: ``(N, n)``.
        c: ``(N, nt)``.
        noise: an additive law of dimension ``n + nt``; its ``zeta`` disturbs the joint gradient.
        name, params: of the family that built the instance.

    Raises:
        ValueError: shapes disagree, a matrix is not as said, or there is no single saddle point.
    """

    def __init__(
        self,
        *,
        A: ArrayLike,
        B: ArrayLike,
        C: ArrayLike,
        a: ArrayLike,
        c: ArrayLike,
        noise: Noise | None = None,
        name: str = "quadratic_saddle",
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.A, self.B, self.C, self.a, self.c = (_frozen(v) for v in (A, B, C, a, c))
        if self.B.ndim != 3:
            raise ValueError(f"B has shape {self.B.shape}; it should be (N, n, nt)")
        N, n, nt = (int(size) for size in self.B.shape)
        self.N, self.n, self.nt = N, n, nt
        for key, shape in (("A", (N, n, n)), ("C", (N, nt, nt)), ("a", (N, n)), ("c", (N, nt))):
            if getattr(self, key).shape != shape:
                raise ValueError(f"{key} has shape {getattr(self, key).shape}; B asks for {shape}")
        for key in ("A", "C"):
            matrices = getattr(self, key)
            if not np.array_equal(matrices, matrices.transpose(0, 2, 1)):
                raise ValueError(f"{key} is not symmetric for every client")
        self._mu_x, self._mu_y = (float(np.linalg.eigvalsh(m).min()) for m in (self.A, self.C))
        if self._mu_x < 0 or not self._mu_y > 0:
            raise ValueError(
                f"A has least eigenvalue {self._mu_x:g} and C {self._mu_y:g}; they should be at least 0 and positive"
            )
        self.noise = NoNoise() if noise is None else noise
        if not self.noise.additive:
            raise ValueError("noise samples data rows; a QuadraticSaddle needs an additive law of dimension n + nt")
        self.noise.covariances(n + nt)
        self.name = name
        arrays = {k: getattr(self, k).tolist() for k in ("A", "B", "C", "a", "c")}
        self.params = {**arrays, "noise": self.noise.to_params()} if params is None else params

    def f_i(self, i: int, x: Array, y: Array) -> Array:
        """Loss of client ``i``: ``(runs, n), (runs, nt) -> (runs,)``."""
        return np.asarray(
            0.5 * np.einsum("ri,ij,rj->r", x, self.A[i], x)
            + np.einsum("ri,ij,rj->r", x, self.B[i], y)
            - 0.5 * np.einsum("ri,ij,rj->r", y, self.C[i], y)
            + x @ self.a[i]
            + y @ self.c[i]
        )

    def f(self, x: Array, y: Array) -> Array:
        """Mean of the losses: ``(runs, n), (runs, nt) -> (runs,)``."""
        return np.asarray(sum(self.f_i(i, x, y) for i in range(self.N)) / self.N)

    def grad_x(self, i: int, x: Array, y: Array) -> Array:
        """``A_i x + B_i y + a_i``: ``(runs, n)``."""
        return np.asarray(x @ self.A[i] + y @ self.B[i].T + self.a[i])

    def grad_y(self, i: int, x: Array, y: Array) -> Array:
        """``B_i'x - C_i y + c_i``: ``(runs, nt)``."""
        return np.asarray(x @ self.B[i] - y @ self.C[i] + self.c[i])

    def best_y(self, x: Array) -> Array:
        """The maximiser of the mean loss in ``y``: ``(runs, n) -> (runs, nt)``."""
        up = x @ self.B.mean(axis=0) + self.c.mean(axis=0)
        return np.asarray(np.linalg.solve(self.C.mean(axis=0), up.T).T)

    def saddle_point(self) -> tuple[Array, Array]:
        """``(x*, y*)``, of shapes ``(n,)`` and ``(nt,)``."""
        return self._saddle_point

    @cached_property
    def _saddle_point(self) -> tuple[Array, Array]:
        A, B, C, a, c = (v.mean(axis=0) for v in (self.A, self.B, self.C, self.a, self.c))
        primal = A + B @ np.linalg.solve(C, B.T)
        try:
            x = -np.linalg.solve(primal, a + B @ np.linalg.solve(C, c))
        except np.linalg.LinAlgError:
            raise ValueError(f"problem '{self.name}' has no single saddle point: max_y f does not fix x") from None
        return x, np.linalg.solve(C, B.T @ x + c)

    @cached_property
    def constants(self) -> Constants:
        """Exact constants."""
        joint = np.concatenate(
            [np.concatenate([self.A, self.B], axis=2), np.concatenate([self.B.transpose(0, 2, 1), -self.C], axis=2)],
            axis=1,
        )
        x, y = self._saddle_point
        return Constants(
            L=float(np.linalg.norm(joint, ord=2, axis=(1, 2)).max()),
            mu_x=self._mu_x,
            mu_y=self._mu_y,
            sigma=float(np.sqrt(self.noise.sigma_h2)),
            value=float(self.f(x[None], y[None])[0]),
        )

    def facts(self) -> dict[str, Fact]:
        """Structural hypotheses, evaluated from the data."""
        return {
            "convex_concave": Fact(True, f"least eigenvalues of A_i and C_i are {self._mu_x:g} and {self._mu_y:g}"),
            "strongly_convex": Fact(self._mu_x > 0, f"mu_x = {self._mu_x:g}"),
            "strongly_concave": Fact(self._mu_y > 0, f"mu_y = {self._mu_y:g}"),
            "smooth": Fact(True, f"L = {self.constants.L:g}, the largest norm of a client's joint Hessian"),
            "unbiased": Fact(True, self.noise.why_unbiased),
        }

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Excess of ``max_y f(x, .)`` over the value of the saddle point, and distance of ``x`` to it."""
        return METRICS


METRICS: Mapping[str, Metric] = {
    "max_y f - f*": lambda problem, x: problem.f(x, problem.best_y(x)) - problem.constants.value,
    "dist": lambda problem, x: np.asarray(np.linalg.norm(x - problem.saddle_point()[0], axis=-1)),
}


def coupled_line(
    *,
    mu: float = 1.0,
    b: Sequence[float] = (1.0, 3.0),
    a: Sequence[float] = (-1.0, 3.0),
    c: Sequence[float] = (2.0, -4.0),
    noise: Noise | None = None,
) -> QuadraticSaddle:
    """Clients ``f_i(x, y) = mu x^2/2 + b_i x y - mu y^2/2 + a_i x + c_i y`` on the plane.

    With the means ``a``, ``b``, ``c`` the saddle point is ``x* = -(mu a + b c)/(mu^2 + b^2)``,
    ``y* = (mu c - b a)/(mu^2 + b^2)``.

    Args:
        mu: curvature of both players.
        b, a, c: one number per client.
        noise: an additive law of dimension 2.

    Raises:
        ValueError: ``mu`` is not positive, or the clients are not as many everywhere.
    """
    if not 0 < mu < np.inf:
        raise ValueError(f"mu is {mu}; it should be a positive number")
    linear_x, B, linear_y = finite("a", a), finite("b", b), finite("c", c)
    if linear_x.ndim != 1 or not linear_x.shape == B.shape == linear_y.shape or not len(B):
        counts = f"{linear_x.size}, {B.size} and {linear_y.size}"
        raise ValueError(f"a, b and c have {counts} numbers; each should have one per client")
    N = len(B)
    own = np.full((N, 1, 1), mu)
    params = {
        "mu": mu,
        "b": B.tolist(),
        "a": linear_x.tolist(),
        "c": linear_y.tolist(),
        "noise": (noise or NoNoise()).to_params(),
    }
    return QuadraticSaddle(
        A=own,
        B=B[:, None, None],
        C=own,
        a=linear_x[:, None],
        c=linear_y[:, None],
        noise=noise,
        name="coupled_line",
        params=params,
    )


class AgnosticPair(QuadraticBilevel):
    """Quadratic clients of which two oppose each other: the inner losses ``h_i`` of :func:`agnostic_pair`.

    Attributes:
        x_star, w_star: saddle point of ``min_x max_w sum_i w_i h_i(x)``, model ``(n,)`` and weights ``(N,)``.
    """

    x_star: Array
    w_star: Array

    def worst(self, x: Array) -> Array:
        """``max_i h_i(x)``: ``(runs, n) -> (runs,)``."""
        return np.asarray(np.max([self.h_i(i, x) for i in range(self.N)], axis=0))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Largest and mean loss of the clients, and distance to the model of the saddle point."""
        return AGNOSTIC_METRICS


AGNOSTIC_METRICS: Mapping[str, Metric] = {
    "max_i h_i": lambda problem, x: problem.worst(x),
    "h": lambda problem, x: problem.h(x),
    "dist": lambda problem, x: np.asarray(np.linalg.norm(x - problem.x_star, axis=-1)),
}


def agnostic_pair(
    *,
    t: ArrayLike = ((-1.0,), (2.0,)),
    L: Sequence[float] = (4.0, 1.0),
    bystanders: int = 1,
    noise: Noise | None = None,
) -> AgnosticPair:
    """Two clients ``h_i(x) = (L_i/2) ||x - t_i||^2``, and bystanders that are content where the two tie.

    The losses of the two are equal, and their gradients opposite for the weights, at
    ``x* = (sqrt(L_1) t_1 + sqrt(L_2) t_2)/(sqrt(L_1) + sqrt(L_2))`` with weights
    ``(sqrt(L_2), sqrt(L_1))/(sqrt(L_1) + sqrt(L_2))``. A bystander has minimum 0 at ``x*`` and curvature ``L_1``, so
    that its weight is 0. The outer losses, ``||x||^2/2``, play no part.

    Args:
        t: minimisers of the two, ``(2, n)``, different.
        L: curvatures of the two, positive.
        bystanders: number of further clients.
        noise: an additive law of dimension ``n``.

    Raises:
        ValueError: an argument is out of range.
    """
    targets, curvatures = finite("t", t), finite("L", L)
    if targets.ndim != 2 or len(targets) != 2 or (targets[0] == targets[1]).all():
        raise ValueError(f"t has shape {targets.shape}; it should hold two different points, (2, n)")
    if curvatures.shape != (2,) or not (curvatures > 0).all():
        raise ValueError(f"L is {shown(L)}; it should be two positive numbers")
    if not (bystanders >= 0 and bystanders % 1 == 0):
        raise ValueError(f"bystanders is {bystanders}; it should be a whole number, at least 0")
    n, N, extra = targets.shape[1], 2 + int(bystanders), int(bystanders)
    roots = np.sqrt(np.array(L, dtype=np.float64))
    x_star = roots @ targets / roots.sum()
    params = {"t": targets.tolist(), "L": list(L), "bystanders": extra, "noise": (noise or NoNoise()).to_params()}
    pair = AgnosticPair.from_minimisers(
        F=np.broadcast_to(np.eye(n), (N, n, n)),
        d=np.zeros((N, n)),
        H=np.array([*L, *[L[0]] * extra])[:, None, None] * np.eye(n),
        t=np.concatenate([targets, np.repeat(x_star[None], extra, axis=0)]),
        noise=noise,
        name="agnostic_pair",
        params=params,
    )
    assert isinstance(pair, AgnosticPair)
    pair.x_star = x_star
    pair.w_star = np.concatenate([roots[::-1] / roots.sum(), np.zeros(extra)])
    return pair


def _frozen(values: ArrayLike) -> Array:
    """A finite float64 copy that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("a coefficient is not finite; A, B, C, a and c should hold finite numbers")
    array.setflags(write=False)
    return array
