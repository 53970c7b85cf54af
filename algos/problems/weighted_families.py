"""Weighted nodes whose losses are quadratic or those of linear models (fedweight, Appendix B and Section 5).

Samples of all nodes stand one below the other, node 0 first. Several repetitions stand side by side, one a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logsumexp

from rateproof.algos.arguments import check_counts, generator, nonnegative
from rateproof.algos.methods.first_order import check_positive
from rateproof.algos.noise import Ints, Noise
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.weighted import Constants, Pairs, Quadratics, WeightedNodes, on_one_line

Link: TypeAlias = Literal["squared", "logistic", "softmax"]
#: Largest second and third derivatives of a loss in its scores, for a change of length one.
BENDS: Mapping[str, tuple[float, float]] = {
    "squared": (1.0, 0.0),
    "logistic": (1 / 4, 1 / (6 * math.sqrt(3))),
    "softmax": (1 / 2, math.sqrt(8) / (6 * math.sqrt(3))),
}


class Sampled(WeightedNodes):
    """Nodes with samples in common arrays.

    Args:
        sizes: samples of the nodes ``0 .. K``, the same in every repetition.
        repetitions: how many stand below each other; run ``r`` has repetition ``r``, and all have the only one.
        centre, radius: of the ball ``Theta`` in which constants are taken.
        more: see :class:`WeightedNodes`.
    """

    def __init__(
        self, *, sizes: Sequence[int], repetitions: int = 1, centre: Array, radius: float, **more: object
    ) -> None:
        super().__init__(K=len(sizes) - 1, d=len(centre), samples_of=sizes, **more)  # type: ignore[arg-type]
        check_positive(radius=radius)
        self.centre_of_Theta, self.radius, self.repetitions = centre, float(radius), repetitions
        every = np.tile(self.sizes, (repetitions, 1))
        #: Where the samples of a node begin, ``(repetitions, K + 1)``.
        self.begin = (np.cumsum(every) - every.ravel()).reshape(every.shape)

    def repetition(self, at: Pairs) -> Ints:
        """Numbers of repetitions: ``(pairs,)``."""
        return at.run if self.repetitions > 1 else np.zeros_like(at.run)

    def rows(self, at: Pairs, rows: Ints) -> Ints:
        """Samples, numbered within nodes, among all: ``(pairs, batch)``."""
        return self.begin[self.repetition(at), at.node][:, None] + rows

    def blocks(self, at: Pairs) -> Iterator[tuple[Ints, slice]]:
        """Pairs with the same node and repetition, and the samples of these."""
        code = self.repetition(at) * (self.K + 1) + at.node
        order = code.argsort(kind="stable")
        found = code[order]
        ends = [0, *(np.flatnonzero(found[1:] != found[:-1]) + 1).tolist(), len(code)]
        for first, last in pairwise(ends):
            one = int(found[first])
            begin = int(self.begin.flat[one])
            yield order[first:last], slice(begin, begin + int(self.sizes[one % (self.K + 1)]))


class LinearModels(Sampled):
    """Losses of a linear model with ``lam/2 ||theta||^2``: a score ``D theta`` a class, or a single one.

    Args:
        D: features of all samples, ``(samples, features)``.
        label: outcomes; signs for "logistic", classes ``0 .. classes - 1`` for "softmax".
        link: the loss.
        classes: scores of a sample.
        lam: weight of the ridge.
        more: see :class:`Sampled`.

    Raises:
        ValueError: a label or another argument is out of range, or losses are not strongly convex.
    """

    def __init__(
        self, *, D: Array, label: Array | Ints, link: Link, lam: float, classes: int = 1, radius: float, **more: object
    ) -> None:
        nonnegative(lam=lam)
        self.D, self.label, self.link, self.classes, self.lam = D, label, link, classes, float(lam)
        self.features = D.shape[1]
        right = {"squared": True, "logistic": bool(np.isin(label, (-1, 1)).all())}
        if not right.get(link, link == "softmax" and bool(np.isin(label, range(classes)).all())):
            wanted = "-1 or 1" if link == "logistic" else f"from 0 to {classes - 1}"
            raise ValueError(f"labels are from {label.min():g} to {label.max():g}; each should be {wanted}")
        super().__init__(centre=np.zeros(self.features * classes), radius=radius, **more)  # type: ignore[arg-type]
        if not self.constants.mu > 0:
            raise ValueError(
                "losses are not strongly convex, mu = 0; lam should be positive, or samples span the space"
            )

    def values(self, at: Pairs, theta: Array) -> Array:
        """``L_k``."""
        out = self.lam / 2 * (theta**2).sum(axis=1)
        for own, block in self.blocks(at):
            out[own] += self._loss(self._scores(self.D[block], theta[own]), self.label[block]).mean(axis=-1)
        return np.asarray(out)

    def gradients(self, at: Pairs, theta: Array, rows: Ints | None = None) -> Array:
        """``grad L_k``."""
        out = self.lam * theta
        if rows is not None:
            of = self.rows(at, rows)
            D = self.D.take(of, axis=0)
            return out + self._back(D, self._slope(self._scores(D, theta), self.label[of]))
        for own, block in self.blocks(at):
            D = self.D[block]
            out[own] += self._back(D, self._slope(self._scores(D, theta[own]), self.label[block]))
        return out

    def products(self, at: Pairs, theta: Array, v: Array, rows: Ints | None = None) -> Array:
        """``hess L_k v``."""
        out = self.lam * v
        if rows is not None:
            D = self.D.take(self.rows(at, rows), axis=0)
            return out + self._back(D, self._bend(self._scores(D, theta), self._scores(D, v)))
        for own, block in self.blocks(at):
            D = self.D[block]
            out[own] += self._back(D, self._bend(self._scores(D, theta[own]), self._scores(D, v[own])))
        return out

    def changes(self, at: Pairs, x: Array, y: Array, rows: Ints) -> Array:
        """Samples are looked up once."""
        of, off = self.rows(at, rows), x - y
        if self.link == "squared" and rows.shape[1] == 1:  # as below, in place
            single = self.D.take(of[:, 0], axis=0)
            single *= np.einsum("pf,pf->p", single, off)[:, None]
            off *= self.lam
            single += off
            return single
        D = self.D.take(of, axis=0)
        if self.link == "squared":
            moved = self._scores(D, off)
        else:
            label = self.label[of]
            moved = self._slope(self._scores(D, x), label) - self._slope(self._scores(D, y), label)
        out = self._back(D, moved)
        off *= self.lam
        out += off
        return out

    def on(self, at: Pairs, rows: Ints | None) -> Callable[[Array], Array]:
        """Samples are looked up once."""
        if rows is None:
            return super().on(at, rows)
        of = self.rows(at, rows)
        D, label = self.D.take(of, axis=0), self.label[of]
        return lambda theta: self.lam * theta + self._back(D, self._slope(self._scores(D, theta), label))

    def accuracy(self, theta: Array, D: Array, label: Ints) -> Array:
        """Share of rows ``(rows, features)`` that models ``(runs, d)`` classify right: ``(runs,)``."""
        s = self._scores(D, theta)
        found = s.argmax(axis=-1) if self.link == "softmax" else np.where(s[..., 0] > 0, 1, -1)
        return np.asarray((found == label).mean(axis=-1))

    @cached_property
    def constants(self) -> Constants:
        """Exact where the loss is quadratic, but for ``ell0``, a bound; else bounds that hold for every ``theta``."""
        second, third = BENDS[self.link]
        long = np.linalg.norm(self.D, axis=1)
        if self.link == "squared":
            nodes = [(self.D[b], self.label[b]) for b in self._all_blocks()]
            ends = [np.linalg.eigvalsh(D.T @ D / len(D))[[0, -1]] + self.lam for D, _ in nodes]
            ell0 = max(
                float(np.linalg.norm(D.T @ y / len(D)) + high * self.radius)
                for (D, y), (_, high) in zip(nodes, ends, strict=True)
            )
            mu = min(low for k, (low, _) in enumerate(ends) if k % (self.K + 1))
            mu = float(mu) if mu > 1e-12 * max(high for _, high in ends) else 0.0
            loss = float(((np.abs(self.label) + long * self.radius) ** 2).max()) / 2
        else:
            slope = math.sqrt(2) if self.link == "softmax" else 1.0
            means = [float(long[b].mean()) for b in self._all_blocks()]
            ell0, mu = slope * max(means) + self.lam * self.radius, self.lam
            loss = math.log(max(self.classes, 2)) + slope * float(long.max()) * self.radius
        return self.bounds(
            ell0=ell0,
            ell1=second * float((long**2).max()) + self.lam,
            ell2=third * float((long**3).max()),
            mu=mu,
            loss=loss + self.lam / 2 * self.radius**2,
        )

    def _all_blocks(self) -> list[slice]:
        nodes = [
            self.blocks(Pairs(np.full(1, r), np.full(1, k))) for r in range(self.repetitions) for k in range(self.K + 1)
        ]
        return [next(one)[1] for one in nodes]

    def _scores(self, D: Array, theta: Array) -> Array:
        return np.asarray(np.matmul(D, theta.reshape(len(theta), self.features, self.classes)))

    def _back(self, D: Array, slope: Array) -> Array:
        """Means over samples of features times slopes: ``(pairs, d)``."""
        if D.shape[-2] == 1:  # one sample a pair: an outer product, which takes matmul longer
            return np.asarray((D[:, 0, :, None] * slope).reshape(len(slope), -1))
        mean = np.matmul(D.swapaxes(-1, -2), slope / D.shape[-2])
        return np.asarray(mean.reshape(len(slope), -1))

    def _loss(self, s: Array, label: Array | Ints) -> Array:
        if self.link == "softmax":
            own = np.broadcast_to(label, s.shape[:-1])[..., None].astype(np.int64)
            return np.asarray(logsumexp(s, axis=-1) - np.take_along_axis(s, own, axis=-1)[..., 0])
        off = s[..., 0] - label
        return np.asarray(off**2 / 2 if self.link == "squared" else np.logaddexp(0, -label * s[..., 0]))

    def _slope(self, s: Array, label: Array | Ints) -> Array:
        """Of the loss in the scores: ``(pairs, samples, classes)``."""
        if self.link == "squared":
            return s - label[..., None]
        if self.link == "logistic":
            return np.asarray(-label[..., None] * expit(-label[..., None] * s))
        return np.asarray(_softmax(s) - (label[..., None] == np.arange(self.classes)))

    def _bend(self, s: Array, t: Array) -> Array:
        """How slopes change along scores ``t``."""
        if self.link == "squared":
            return t
        if self.link == "logistic":
            return np.asarray(expit(s) * expit(-s) * t)
        p = _softmax(s)
        return np.asarray(p * (t - (p * t).sum(axis=-1, keepdims=True)))


def _softmax(s: Array) -> Array:
    """By hand: the one of scipy takes much longer on small arrays."""
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return np.asarray(p)


class QuadraticSamples(Sampled):
    """Losses ``1/2 (theta - m)' H (theta - m)`` of samples ``m``, with an ``H`` of their own or the identity.

    Args:
        points: ``m`` of all samples, ``(samples, d)``.
        H: ``(samples, d, d)``; None for the identity.
        more: see :class:`Sampled`.
    """

    def __init__(self, *, points: Array, H: Array | None = None, **more: object) -> None:
        self.points, self.H = points, H
        super().__init__(**more)  # type: ignore[arg-type]
        d, blocks = self.d, [slice(b, b + n) for b, n in zip(self.begin[0], self.sizes, strict=True)]
        Hm = points if H is None else np.einsum("nij,nj->ni", H, points)
        #: ``L_k = theta' A_k theta / 2 - c_k' theta + e_k``.
        self.A = np.stack([np.eye(d) if H is None else H[b].mean(axis=0) for b in blocks])
        self.c = np.stack([Hm[b].mean(axis=0) for b in blocks])
        self.e = np.array([(Hm[b] * points[b]).sum(axis=1).mean() / 2 for b in blocks])
        if not self.constants.mu > 0:
            raise ValueError(
                f"losses are not strongly convex, mu = {self.constants.mu:g}; H should be positive definite"
            )

    def values(self, at: Pairs, theta: Array) -> Array:
        """``L_k``."""
        k = at.node
        bent = np.einsum("pi,pij,pj->p", theta, self.A[k], theta)
        return np.asarray(bent / 2 - (self.c[k] * theta).sum(axis=1) + self.e[k])

    def gradients(self, at: Pairs, theta: Array, rows: Ints | None = None) -> Array:
        """``grad L_k``."""
        if rows is None:
            return np.asarray(np.einsum("pij,pj->pi", self.A[at.node], theta) - self.c[at.node])
        of = self.rows(at, rows)
        off = theta[:, None] - self.points[of]
        return np.asarray((off if self.H is None else np.einsum("pbij,pbj->pbi", self.H[of], off)).mean(axis=1))

    def products(self, at: Pairs, theta: Array, v: Array, rows: Ints | None = None) -> Array:
        """``hess L_k v``."""
        if self.H is None:
            return v
        if rows is None:
            return np.asarray(np.einsum("pij,pj->pi", self.A[at.node], v))
        return np.asarray(np.einsum("pbij,pj->pi", self.H[self.rows(at, rows)], v) / rows.shape[1])

    def changes(self, at: Pairs, x: Array, y: Array, rows: Ints) -> Array:
        """A product with ``x - y``."""
        return self.products(at, x, x - y, rows)

    @cached_property
    def exact(self) -> Quadratics:
        """The empirical losses, in the form of those of a population."""
        m = np.linalg.solve(self.A, self.c[..., None])[..., 0]
        e = self.e - np.einsum("ki,kij,kj->k", m, self.A, m) / 2
        low, high = self.centre_of_Theta - self.radius, self.centre_of_Theta + self.radius
        return Quadratics(self.A, m, e, low, high)

    @cached_property
    def constants(self) -> Constants:
        """Exact on the line and where Hessians are multiples of the identity; elsewhere ``ell0`` is a bound."""
        ends = np.linalg.eigvalsh(self.A)[:, [0, -1]]
        tops = np.ones(len(self.points)) if self.H is None else np.linalg.eigvalsh(self.H)[:, -1]
        mu = float(ends[1:, 0].min())
        mu = mu if mu > 1e-12 * ends.max() else 0.0
        least = np.stack([np.linalg.lstsq(A, c, rcond=None)[0] for A, c in zip(self.A, self.c, strict=True)])
        offs = np.linalg.norm(least - self.centre_of_Theta, axis=1)
        far = np.linalg.norm(self.points - self.centre_of_Theta, axis=1) + self.radius
        return self.bounds(
            ell0=float((ends[:, 1] * (offs + self.radius)).max()),
            ell1=float(tops.max()),
            ell2=0.0,
            mu=mu,
            loss=float((tops * far**2).max()) / 2,
        )


def bernoulli_nodes(
    *,
    chances: ArrayLike = (0.5, 0.5, 0.8),
    n_train: int = 50,
    n_valid: int = 10,
    b: float = 1.0,
    seed: int = 0,
    noise: Noise | None = None,
) -> QuadraticSamples:
    """Means of coins: ``l = (theta - z)^2/2`` with ``z`` 0 or 1 on ``Theta = [0, 1]``.

    Args:
        chances: of a 1 at the nodes ``0 .. K``.
        n_train, n_valid: samples of a training node, and of node 0.
        b: bound on the weights.
        seed: of the samples.
        noise: of gradients, where the problem is taken as a bilevel one.

    Raises:
        ValueError: an argument is out of range.
    """
    check_counts(n_train=n_train, n_valid=n_valid)
    p, K = on_one_line(chances, "chances", b)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"chances has {p[(p < 0) | (p > 1)][0]:g}; it should hold numbers from 0 to 1")
    random, sizes = generator(seed), [n_valid] + [n_train] * K
    z = np.concatenate([random.uniform(size=n) < q for q, n in zip(p, sizes, strict=True)]).astype(np.float64)
    same = tuple(int(k) for k in range(1, K + 1) if p[k] == p[0])
    spread = p * (1 - p) / 2
    law = Quadratics(np.ones((K + 1, 1, 1)), p[:, None], spread, np.zeros(1), np.ones(1), same)
    params = {"chances": p.tolist(), "n_train": n_train, "n_valid": n_valid, "b": b, "seed": seed}
    return QuadraticSamples(
        points=z[:, None],
        sizes=sizes,
        centre=np.full(1, 0.5),
        radius=0.5,
        b=b,
        noise=noise,
        name="bernoulli_nodes",
        params=params,
        population=law,
    )


def gaussian_nodes(
    *,
    nodes: int = 5,
    J: int = 2,
    d: int = 6,
    shift: float = 1.0,
    sigma: float = 1.0,
    n_train: int = 50,
    n_valid: int = 10,
    b: float = 1.0,
    reach: float = 3.0,
    seed: int = 0,
    noise: Noise | None = None,
) -> QuadraticSamples:
    """Means of normal vectors: ``l = ||theta - z||^2/2``; node ``k`` beyond the first ``J`` has mean ``shift e_k``.

    Losses are not bounded, which Assumption 1 asks for.

    Args:
        nodes, J: training nodes, and how many of them have the law of node 0, whose mean is 0.
        d: dimension; the means of other nodes differ in direction where it is at least ``K - J``.
        shift: length of their means.
        sigma: standard deviation of a coordinate.
        n_train, n_valid, b, seed, noise: see :func:`bernoulli_nodes`.
        reach: radius of the ball in which constants are taken.

    Raises:
        ValueError: an argument is out of range.
    """
    K = nodes
    check_counts(nodes=nodes, d=d, n_train=n_train, n_valid=n_valid)
    nonnegative(shift=shift, sigma=sigma)
    check_neighbours(J, K)
    means = np.zeros((K + 1, d))
    for k in range(J + 1, K + 1):
        means[k, (k - J - 1) % d] = shift
    random, sizes = generator(seed), [n_valid] + [n_train] * K
    z = np.concatenate([mean + sigma * random.normal(size=(n, d)) for mean, n in zip(means, sizes, strict=True)])
    law = Quadratics(
        np.tile(np.eye(d), (K + 1, 1, 1)),
        means,
        np.full(K + 1, d * sigma**2 / 2),
        np.full(d, -reach),
        np.full(d, reach),
        tuple(range(1, J + 1)),
    )
    params = {"nodes": nodes, "J": J, "d": d, "shift": shift, "sigma": sigma, "n_train": n_train, "n_valid": n_valid}
    return QuadraticSamples(
        points=z,
        sizes=sizes,
        centre=np.zeros(d),
        radius=reach,
        b=b,
        noise=noise,
        name="gaussian_nodes",
        params=params | {"b": b, "reach": reach, "seed": seed},
        population=law,
    )


def curved_nodes(
    *,
    nodes: int = 3,
    d: int = 2,
    condition: float = 4.0,
    shift: float = 1.0,
    n_train: int = 1,
    b: float = 1.0,
    reach: float = 2.0,
    seed: int = 0,
    noise: Noise | None = None,
) -> QuadraticSamples:
    """Quadratics ``1/2 (theta - m_k)' A_k (theta - m_k)`` with different curvature: ``F^`` need not be convex.

    Args:
        nodes, d: training nodes, and dimension.
        condition: the largest eigenvalue of ``A_k``; the least is 1.
        shift: size of the minimisers ``m_k``.
        n_train: samples of a training node; they have the Hessian of their node and scatter around its minimiser.
        b, seed, noise: see :func:`bernoulli_nodes`.
        reach: radius of the ball in which constants are taken.

    Raises:
        ValueError: an argument is out of range.
    """
    K = nodes
    check_counts(nodes=nodes, d=d, n_train=n_train)
    nonnegative(shift=shift)
    if not 1 <= condition < math.inf:
        raise ValueError(f"condition is {condition}; it should be a number from 1")
    random, sizes = generator(seed), [1] + [n_train] * K
    H, m = [], []
    for n in sizes:
        Q = np.linalg.qr(random.normal(size=(d, d)))[0]
        # on the line the eigenvalue itself is drawn
        values = condition ** (random.uniform(size=1) if d == 1 else np.linspace(0, 1, d))
        A = (Q * values) @ Q.T
        around = random.normal(size=(n, d)) * (n > 1) * shift / 2
        H.append(np.tile((A + A.T) / 2, (n, 1, 1)))
        m.append(shift * random.normal(size=d) + around - around.mean(axis=0))
    params = {"nodes": nodes, "d": d, "condition": condition, "shift": shift, "n_train": n_train, "b": b, "seed": seed}
    return QuadraticSamples(
        points=np.concatenate(m),
        H=np.concatenate(H),
        sizes=sizes,
        centre=np.zeros(d),
        radius=reach,
        b=b,
        noise=noise,
        name="curved_nodes",
        params=params | {"reach": reach},
    )


def ridge_nodes(
    *,
    nodes: int = 5,
    J: int = 2,
    d: int = 4,
    shift: float = 1.0,
    condition: float = 4.0,
    sigma: float = 0.5,
    ridge: float = 0.0,
    n_train: int = 16,
    n_valid: int = 8,
    b: float = 1.0,
    reach: float = 2.0,
    drawn: bool = False,
    seed: int = 0,
    noise: Noise | None = None,
) -> LinearModels:
    """Regression in which nodes share the law of their features (Appendix B), so that ``F`` is convex and quadratic.

    Features are ``+-sqrt(d) s_j e_j`` with ``E xx' = diag(s_j^2)``, outcomes ``x'theta_k* +- sigma``.

    Args:
        nodes, J, d: training nodes, how many have the law of node 0, and dimension.
        shift: distance of the other nodes' ``theta_k*`` to that of node 0, in a direction of their own up to ``d``.
        condition: ``s_j^2`` runs from 1 to it.
        sigma: size of the noise of outcomes.
        ridge: its weight, as ``ridge/2 ||theta||^2``.
        n_train, n_valid: samples; multiples of ``2d`` unless ``drawn``, so that all nodes have each feature as often.
        drawn: features are drawn, and nodes' empirical Hessians differ.
        b, seed, noise: see :func:`bernoulli_nodes`.
        reach: radius of the ball in which constants are taken.

    Raises:
        ValueError: an argument is out of range.
    """
    K = nodes
    check_counts(nodes=nodes, d=d, n_train=n_train, n_valid=n_valid)
    nonnegative(shift=shift, sigma=sigma, ridge=ridge)
    check_neighbours(J, K)
    if not 1 <= condition < math.inf:
        raise ValueError(f"condition is {condition}; it should be a number from 1")
    if not drawn and (n_train % (2 * d) or n_valid % (2 * d)):
        raise ValueError(f"n_train is {n_train} and n_valid {n_valid}; they should be multiples of 2 d = {2 * d}")
    random, sizes = generator(seed), [n_valid] + [n_train] * K
    scale = np.sqrt(condition ** (np.arange(d) / max(d - 1, 1)))
    of_node = np.tile(np.full(d, 0.5), (K + 1, 1))
    for k in range(J + 1, K + 1):
        of_node[k, (k - J - 1) % d] += shift
    D, y = [], []
    for theta, n in zip(of_node, sizes, strict=True):
        at, sign = np.arange(n) % d, 1.0 - 2.0 * ((np.arange(n) // d) % 2)
        if drawn:
            at, sign = random.integers(d, size=n), random.choice([-1.0, 1.0], size=n)
        x = np.zeros((n, d))
        x[np.arange(n), at] = sign * math.sqrt(d) * scale[at]
        D.append(x)
        y.append(x @ theta + sigma * random.choice([-1.0, 1.0], size=n))
    A = np.diag(scale**2 + ridge)
    m = of_node * scale**2 / (scale**2 + ridge)
    # what the ridge adds at the minimiser
    left = (ridge * scale**2 / (scale**2 + ridge) * of_node**2).sum(axis=1) / 2
    ends = np.full(d, reach)
    law = Quadratics(np.tile(A, (K + 1, 1, 1)), m, sigma**2 / 2 + left, -ends, ends, tuple(range(1, J + 1)))
    params = {"nodes": nodes, "J": J, "d": d, "shift": shift, "condition": condition, "sigma": sigma, "ridge": ridge}
    return LinearModels(
        D=np.concatenate(D),
        label=np.concatenate(y),
        link="squared",
        lam=ridge,
        sizes=sizes,
        radius=reach,
        b=b,
        noise=noise,
        name="ridge_nodes",
        params=params | {"n_train": n_train, "n_valid": n_valid, "b": b, "reach": reach, "drawn": drawn, "seed": seed},
        population=law,
    )


def logistic_nodes(
    *,
    nodes: int = 4,
    J: int = 2,
    d: int = 3,
    shift: float = 1.0,
    ridge: float = 0.1,
    n_train: int = 40,
    n_valid: int = 20,
    b: float = 1.0,
    seed: int = 0,
    noise: Noise | None = None,
) -> LinearModels:
    """Ridge logistic regression: features on the unit sphere, outcomes more likely of the sign of ``x'theta_k*``.

    ``Theta`` is the ball ``||theta||^2 <= 2 log(2)/ridge``, in which every minimiser lies.

    Args:
        nodes, J, d: training nodes, how many have the law of node 0, and dimension.
        shift: how far the direction of the other nodes is turned, from 0 to 2: the opposite one.
        ridge: its weight, as ``ridge/2 ||theta||^2``.
        n_train, n_valid, b, seed, noise: see :func:`bernoulli_nodes`.

    Raises:
        ValueError: an argument is out of range.
    """
    K = nodes
    check_counts(nodes=nodes, d=d, n_train=n_train, n_valid=n_valid)
    check_neighbours(J, K)
    check_positive(ridge=ridge)
    if not 0 <= shift <= 2:
        raise ValueError(f"shift is {shift}; it should be from 0 to 2")
    random, sizes = generator(seed), [n_valid] + [n_train] * K
    truth = np.zeros(d)
    truth[0] = 4.0
    other = truth.copy()
    other[0] *= 1 - shift
    other[-1] += 4.0 * math.sqrt(max(0.0, 1 - (1 - shift) ** 2)) if d > 1 else 0.0
    D, y = [], []
    for k, n in enumerate(sizes):
        x = random.normal(size=(n, d))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        D.append(x)
        y.append(np.where(random.uniform(size=n) < expit(x @ (truth if k <= J else other)), 1.0, -1.0))
    params = {"nodes": nodes, "J": J, "d": d, "shift": shift, "ridge": ridge, "n_train": n_train, "n_valid": n_valid}
    return LinearModels(
        D=np.concatenate(D),
        label=np.concatenate(y),
        link="logistic",
        lam=ridge,
        sizes=sizes,
        radius=math.sqrt(2 * math.log(2) / ridge),
        b=b,
        noise=noise,
        name="logistic_nodes",
        params=params | {"b": b, "seed": seed},
    )


def check_neighbours(J: int, K: int) -> None:
    """Refuse more identical neighbours than there are nodes.

    Raises:
        ValueError: says the range.
    """
    if not 0 <= J <= K or J % 1:
        raise ValueError(f"J is {J}; it should be a whole number from 0 to K = {K}")
