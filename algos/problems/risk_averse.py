"""A risk-averse mean as a composition of three levels over clients (fedmsa, Section 4).

``min E U(x) + lam sqrt(delta + E max(0, U(x) - E U(x))^2)`` with ``U(x) = (v - g(a'x))^2`` of rows ``(a, v)`` of data:
``f^0(x) = (x, E U(x))``, ``f^1(x, y) = (y, E max(0, U(x) - y)^excess_power)`` and
``f^2(y, s) = y + lam sqrt(s + delta)``. The paper's ``f^1`` prints ``excess_power = 1``, its objective has 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np

from rateproof.algos.arguments import check_counts, check_size, finite, generator, nonnegative
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.compositional import Compositional
from rateproof.algos.problems.sequences import Constants, constants

Link = Literal["linear", "square"]


class RiskAverse(Compositional):
    """See the head of this module.

    Samples are rows of a client's data, drawn with replacement: some for values of ``f^0``, others for its Jacobian,
    and others for ``f^1``, whose value and Jacobian share theirs.

    Args:
        a, v: features ``(m, rows, d)`` and outcomes ``(m, rows)``.
        lam, delta: weight of the risk, and what is under the root besides.
        link: ``g(u) = u``, for which the problem is convex, or ``u^2``, the paper's.
        excess_power: see above.
        batch_size: rows of a sample of each kind; None: all of them, without chance.
        target: a point to which a metric gives the distance, ``(d,)``.
        name, params: see :class:`rateproof.algos.problems.sequences.MultiSequence`.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self,
        *,
        a: Array,
        v: Array,
        lam: float,
        delta: float,
        link: Link = "linear",
        excess_power: int = 2,
        batch_size: int | None = None,
        target: Array | None = None,
        name: str = "risk_averse",
        params: Mapping[str, object] | None = None,
    ) -> None:
        m, self.rows, d = a.shape
        super().__init__(m=m, dims=(d, d + 1, 2), name=name, params=params)
        nonnegative(lam=lam)
        if not finite("delta", delta) > 0:
            raise ValueError(f"delta is {delta:g}; it should be positive, or the root has no slope at 0")
        if excess_power not in (1, 2):
            raise ValueError(f"excess_power is {excess_power}; it should be 1 or 2")
        if link not in ("linear", "square"):
            raise ValueError(f"link is {link!r}; it should be 'linear' or 'square'")
        if batch_size is not None:
            check_counts(batch_size=batch_size)
        self.a, self.v, self.lam, self.delta = a, v, float(lam), float(delta)
        self.link, self.excess_power, self.batch_size, self.target = link, excess_power, batch_size, target

    def value(self, i: int, n: int, u: Array, rows: Ints | None = None) -> Array:
        """``f^{i,n}(u)``, on rows ``(runs, batch)`` or on all of them: ``(runs, d_{n+1})``."""
        d = self.dims[0]
        if n == 0:
            return np.concatenate([u, self._losses(i, u, rows)[0].mean(axis=1, keepdims=True)], axis=1)
        if n == 1:
            over = np.maximum(self._losses(i, u[:, :d], rows)[0] - u[:, d:], 0.0)
            return np.stack([u[:, d], (over**self.excess_power).mean(axis=1)], axis=1)
        return u[:, :1] + self.lam * np.sqrt(np.maximum(u[:, 1:], 0.0) + self.delta)

    def jacobian(self, i: int, n: int, u: Array, rows: Ints | None = None) -> Array:
        """Its transposed Jacobian: ``(runs, d_n, d_{n+1})``. The root is taken of ``max(s, 0) + delta``."""
        d, out = self.dims[0], np.zeros((len(u), self.dims[n], 1 if n == 2 else self.dims[n + 1]))
        if n == 0:
            out[:, :, :d] = np.eye(d)
            out[:, :, d] = self._losses(i, u, rows)[1].mean(axis=1)
        elif n == 1:
            losses, slopes = self._losses(i, u[:, :d], rows)
            over = losses - u[:, d:]
            slope = self.excess_power * np.maximum(over, 0.0) ** (self.excess_power - 1) * (over > 0)
            out[:, :d, 1] = (slope[..., None] * slopes).mean(axis=1)
            out[:, d, 0], out[:, d, 1] = 1.0, -slope.mean(axis=1)
        else:
            inside = u[:, 1]
            out[:, 0, 0] = 1.0
            out[:, 1, 0] = np.where(inside > 0, self.lam / (2 * np.sqrt(np.maximum(inside, 0.0) + self.delta)), 0.0)
        return out

    def _losses(self, i: int, x: Array, rows: Ints | None) -> tuple[Array, Array]:
        """``U`` of the rows, ``(runs, rows)``, and gradients, ``(runs, rows, d)``."""
        a, v = (self.a[i], self.v[i]) if rows is None else (self.a[i][rows], self.v[i][rows])
        inner = x @ a.T if rows is None else np.einsum("rkd,rd->rk", a, x)
        linked, slope = (inner, np.ones_like(inner)) if self.link == "linear" else (inner**2, 2 * inner)
        left = v - linked
        return left**2, (-2 * left * slope)[..., None] * a

    @property
    def additive(self) -> bool:
        """Whether no rows are drawn."""
        return self.silent

    @property
    def silent(self) -> bool:
        """Whether all rows are used."""
        return self.batch_size is None

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """Rows for values of ``f^0``, for its Jacobian, and for ``f^1``, ``(runs, batch)`` each, a step each."""
        if self.batch_size is None:
            return [None] * steps
        size = batch * self.batch_size
        values = rng.integers("zeta", key, i, steps, 2 * size, rows, self.rows)
        slopes = rng.integers("xi", key, i, steps, size, rows, self.rows)
        return list(zip(values[..., :size], slopes, values[..., size:], strict=True))

    def levels(self, i: int, w: Array, sample: Any = None) -> tuple[list[Array], list[Array]]:
        """Values and Jacobians at ``x, z^1, z^2`` on the rows of a sample."""
        if sample is None:
            return super().levels(i, w)
        first, slopes, second = sample
        x, z1, z2 = self.split(w)
        jacobians = [self.jacobian(i, 0, x, slopes), self.jacobian(i, 1, z1, second), self.jacobian(i, 2, z2)]
        return [self.value(i, 0, x, first), self.value(i, 1, z1, second)], jacobians

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """With the distance of ``x`` to the target, where there is one."""
        if self.target is None:
            return super().metrics
        d = self.dims[0]
        return {**super().metrics, "|x - x*|": lambda problem, w: np.linalg.norm(w[:, :d] - problem.target, axis=1)}

    @cached_property
    def constants(self) -> Constants:
        """Of the maps in ``z^n`` alone: losses grow like squares, so that other slopes have no bound."""
        same = not (np.ptp(self.a, axis=0).any() or np.ptp(self.v, axis=0).any())
        spread = 0.0 if self.silent else math.inf
        apart = (0.0, 0.0) if same else (math.inf, math.inf)
        return constants(
            lam_each=(1.0, 1.0) if same else (-math.inf, -math.inf),
            lam_mean_each=(1.0, 1.0),
            L_s_each=(1.0, 1.0),
            L_u_each=(math.inf, math.inf),
            L_joint_each=(math.inf, math.inf),
            L_z_each=(math.inf, math.inf),
            dL_z_each=(math.inf, math.inf),
            L_p=math.inf,
            L_x=math.inf,
            L_Z=math.inf,
            L_P=math.inf,
            Lb_p=math.inf,
            Lb_s_each=(1.0, 1.0),
            sigma_0=spread,
            sigma_each=(spread, spread),
            tau_0=0.0 if same else math.inf,
            tau_each=apart,
            L_hyp=math.inf,
        )


def risk_averse(
    *,
    m: int = 2,
    rows: int = 50,
    d: int = 4,
    lam: float = 0.1,
    delta: float = 0.1,
    link: Link = "square",
    excess_power: int = 2,
    noise_level: float = 0.001,
    start: float = 0.1,
    heterogeneity: float = 1.0,
    batch_size: int | None = None,
    seed: int = 0,
) -> RiskAverse:
    """Drawn rows ``v = g(a'x*) + noise`` with ``a`` normal of a drawn covariance, dealt out to clients (I7).

    The authors' code has 1000 rows for two clients, ``d = 10``, samples of 100 rows and a start at 0.1.

    Args:
        m, rows, d: clients, rows of each, and length of ``x``.
        lam, delta, link, excess_power: see :class:`RiskAverse`.
        noise_level: standard deviation of the noise.
        start: each coordinate of ``x_0``; ``z^n`` starts at the values of the functions there.
        heterogeneity: 0 gives all clients the same rows, 1 others.
        batch_size: rows of a sample of each kind; all of them, without chance, when left out.
        seed: of the draw.

    Raises:
        ValueError: an argument is out of range.
    """
    given = dict(locals())
    check_counts(m=m, rows=rows, d=d)
    check_size("a", (m, rows, max(d, 1)))
    nonnegative(noise_level=noise_level)
    if not 0 <= finite("heterogeneity", heterogeneity) <= 1:
        raise ValueError(f"heterogeneity is {heterogeneity:g}; it should be from 0 to 1")
    random = generator(seed)
    target, root = random.normal(size=d), random.normal(size=(d, d)) / math.sqrt(d)
    a, noise = random.normal(size=(m, rows, d)) @ root.T, noise_level * random.normal(size=(m, rows))
    a, noise = ((1 - heterogeneity) * part[:1] + heterogeneity * part for part in (a, noise))
    inner = a @ target
    problem = RiskAverse(
        a=a,
        v=(inner if link == "linear" else inner**2) + noise,
        lam=lam,
        delta=delta,
        link=link,
        excess_power=excess_power,
        batch_size=batch_size,
        target=target,
        params=given,
    )
    problem.start = float(finite("start", start))
    return problem
