"""Randomised spherical smoothing in closed form, and the zeroth-order estimate of its gradient.

``h_eta(x) = E h(x + eta u)`` for ``u`` uniform in the unit ball of ``R^n``; its gradient is
``(n/eta) E h(x + v) v/|v|`` for ``v`` uniform on the sphere of radius ``eta`` (fedrzo, Lemma 1). Points are
``(..., n)``, values ``(...)``; ``eta`` has the unit of ``x``. Exact up to rounding in any dimension: affine functions
(unchanged), piecewise-linear functions of linear forms, the Euclidean norm; in dimension one and two also max-affine
functions (:mod:`rateproof.algos.max_affine`). For others :func:`quadrature` integrates in dimension one to three with
an error estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln, hyp2f1

from rateproof.algos.arguments import check_counts, generator
from rateproof.algos.convex_sets import ConvexSet
from rateproof.algos.noise import Array

#: Where a series takes over from scipy.
_LARGE = 10.0

Function: TypeAlias = Callable[[Array], Array]
"""A loss, ``(..., n) -> (...)``."""


def density(t: ArrayLike, n: int) -> Array:
    """Density of one coordinate of a uniform point of the unit ball: ``c_n (1 - t^2)^((n-1)/2)``; shape of ``t``.

    ``c_n = Gamma(n/2 + 1)/(sqrt(pi) Gamma((n+1)/2))``. One coordinate of the unit sphere of ``R^n`` has the law of
    ``n - 2`` here, in this and the next two functions: the arcsine law for ``n = 0`` and two signs for ``n = -1``.
    """
    t = np.asarray(t, dtype=np.float64)
    with np.errstate(divide="ignore"):
        inside = np.maximum(1 - t * t, 0.0) ** ((n - 1) / 2)
    return np.where(np.abs(t) <= 1, _peak(n) * inside, 0.0)


def below(t: ArrayLike, n: int) -> Array:
    """Chance that one coordinate of a uniform point of the unit ball is at most ``t``: shape of ``t``."""
    t = np.clip(np.asarray(t, dtype=np.float64), -1.0, 1.0)
    if n == -1:
        return np.asarray(np.where(t >= 1, 1.0, 0.5))  # t = -1 is the lower sign itself, or clipped: see ramp
    # The smaller tail is the one that an incomplete beta function gives without cancellation.
    tail = betainc((n + 1) / 2, 0.5, np.maximum((1 - t) * (1 + t), 0.0)) / 2
    return np.asarray(np.where(t <= 0, tail, 1 - tail))


def ramp(t: ArrayLike, n: int) -> Array:
    """``E max(t + u_1, 0)`` for one coordinate ``u_1`` of a uniform point of the unit ball: shape of ``t``."""
    t = np.asarray(t, dtype=np.float64)
    if n == -1:
        return np.asarray((np.maximum(t + 1, 0.0) + np.maximum(t - 1, 0.0)) / 2)
    near = np.clip(t, -1.0, 1.0)
    inner = near * below(near, n) + _peak(n) / (n + 1) * np.maximum((1 - near) * (1 + near), 0.0) ** ((n + 1) / 2)
    return np.asarray(np.where(np.abs(t) >= 1, np.maximum(t, 0.0), np.maximum(inner, 0.0)))


def largest_curvature(n: int, *, L0: float = 1.0, eta: float = 1.0) -> float:
    """Largest second derivative of the smoothed ``L0 |x_1|``, attained on ``x_1 = 0``: ``2 c_n L0/eta``.

    1, 4/pi and 3/2 times ``L0/eta`` for ``n`` = 1, 2, 3; about ``sqrt(2 n/pi)`` for large ``n``.
    """
    check_radius(eta)
    return 2 * _peak(n) * L0 / eta


def smooth_step(z: ArrayLike, *, radius: ArrayLike, n: int) -> Array:
    """Smoothed unit step of one linear form ``z = a.x + b``, ``P(z + radius u_1 >= 0)``: shape of ``z``.

    The derivative of :func:`smooth_ramp` in ``z``. Where the radius ``eta |a|`` is 0: the step itself, 1/2 at 0.
    """
    z, r = np.asarray(z, dtype=np.float64), np.asarray(radius, dtype=np.float64)
    return np.where(r > 0, below(z / np.where(r > 0, r, 1.0), n), (np.sign(z) + 1) / 2)


def smooth_ramp(z: ArrayLike, *, radius: ArrayLike, n: int) -> Array:
    """Smoothed ``max(z, 0)`` of one linear form: shape of ``z``; the derivative of :func:`smooth_square_ramp`.

    A continuous piecewise-linear function of ``z`` is an affine one and a sum of such terms at its breaks.
    """
    z, r = np.asarray(z, dtype=np.float64), np.asarray(radius, dtype=np.float64)
    return np.where(r > 0, r * ramp(z / np.where(r > 0, r, 1.0), n), np.maximum(z, 0.0))


def smooth_square_ramp(z: ArrayLike, *, radius: ArrayLike, n: int) -> Array:
    """Smoothed ``max(z, 0)^2/2`` of one linear form: shape of ``z``."""
    z, r = np.asarray(z, dtype=np.float64), np.asarray(radius, dtype=np.float64)
    t = z / np.where(r > 0, r, 1.0)
    # int (t - s)^2 over s < t: below(t, n + 2)/(n + 2) is the part of the second moment that has no boundary term.
    inner = t * ramp(t, n) + below(t, n + 2) / (n + 2)
    far = np.maximum(z, 0.0) ** 2 + np.where(z > 0, r * r / (n + 2), 0.0)
    return np.where((r > 0) & (np.abs(t) < 1), r * r * inner, far) / 2


def norm(x: ArrayLike, *, eta: float) -> Array:
    """Smoothed Euclidean norm: ``(..., n) -> (...)``; ``eta n/(n+1)`` at 0.

    With ``z`` the squared ratio of ``|x|`` and ``eta``, whichever way is at most 1, it is
    ``eta n/(n+1) F(-1/2, -(n+1)/2; n/2; z)`` for ``|x| <= eta`` and ``|x| F(-1/2, -(n-1)/2; n/2 + 1; z)`` beyond, with
    Gauss's hypergeometric function ``F``: potentials of the ball.
    """
    x, _ = check_points(x), check_radius(eta)
    n, size = x.shape[-1], np.linalg.norm(x, axis=-1)
    inner = n / (n + 1) * _gauss(-0.5, -(n + 1) / 2, n / 2, np.minimum(size / eta, 1.0) ** 2)
    outer = _gauss(-0.5, (1 - n) / 2, n / 2 + 1, _inverse(size, eta) ** 2)
    return np.asarray(np.where(size <= eta, eta * inner, size * outer))


def norm_gradient(x: ArrayLike, *, eta: float) -> Array:
    """Gradient of :func:`norm`: ``(..., n) -> (..., n)``.

    ``x/max(|x|, eta) F(1/2, (1-n)/2; n/2 + 1; z)`` on both sides.
    """
    x, _ = check_points(x), check_radius(eta)
    n, size = x.shape[-1], np.linalg.norm(x, axis=-1)
    ratio = np.where(size <= eta, np.minimum(size / eta, 1.0), _inverse(size, eta))
    factor = _gauss(0.5, (1 - n) / 2, n / 2 + 1, ratio**2) / np.maximum(size, eta)
    return np.asarray(factor[..., None] * x)


def estimate(h: Function, x: ArrayLike, v: ArrayLike) -> Array:
    """The estimate ``(n/|v|^2) (h(x + v) - h(x)) v`` of the gradient: ``(..., n) -> (..., n)``."""
    x, v = check_points(x), check_points(v)
    factor = x.shape[-1] * (h(x + v) - h(x)) / (v * v).sum(axis=-1)
    return np.asarray(factor[..., None] * v)


def affine_second_moment(a: ArrayLike) -> Array:
    """``E|g|^2 = n |a|^2`` of the estimate for ``h = a.x + b``, at any point and radius; its mean is ``a``."""
    a = check_points(a)
    return np.asarray(a.shape[-1] * (a * a).sum(axis=-1))


def ridge_second_moment(s: ArrayLike, size: float, *, eta: float, n: int) -> Array:
    """``E|g|^2`` of the estimate for ``h = |a.x + b|`` where ``s = a.x + b`` and ``size = |a|``: shape of ``s``."""
    s, r = np.abs(np.asarray(s, dtype=np.float64)), size * check_radius(eta)
    if r == 0:
        return np.zeros_like(s)
    moved = r * (2 * ramp(s / r, n - 2) - s / r)  # E|s + r t| for one coordinate t of the sphere
    return (n / eta) ** 2 * (2 * s * (s - moved) + r * r / n)


def norm_second_moment(x: ArrayLike, *, eta: float) -> Array:
    """``E|g|^2`` of the estimate for ``h = |x|``: ``(..., n) -> (...)``; ``n^2`` at 0, where ``|g| = n`` surely."""
    x, _ = check_points(x), check_radius(eta)
    n, size = x.shape[-1], np.linalg.norm(x, axis=-1)
    longer = np.maximum(size, eta)
    moved = longer * _gauss(-0.5, (1 - n) / 2, n / 2, (np.minimum(size, eta) / longer) ** 2)
    return np.asarray((n / eta) ** 2 * (2 * size * (size - moved) + eta * eta))


def moreau_indicator(X: ConvexSet, x: ArrayLike, *, eta: float) -> Array:
    """Moreau envelope of the indicator of ``X``, ``dist^2(x, X)/(2 eta)``: ``(..., n) -> (...)`` (fedrzo, eq. 3)."""
    return X.dist2(x) / (2 * check_radius(eta))


def grad_moreau_indicator(X: ConvexSet, x: ArrayLike, *, eta: float) -> Array:
    """Gradient ``(x - P_X(x))/eta`` of :func:`moreau_indicator`, ``1/eta``-Lipschitz: ``(..., n) -> (..., n)``."""
    return (check_points(x) - X.project(x)) / check_radius(eta)


def sample(n: int, count: int, *, seed: int) -> Array:
    """A fixed sample of uniform points of the unit ball, closed under ``u -> -u``: ``(count, n)``.

    The mean of ``h(x + eta u)`` over it is convex in ``x`` when ``h`` is, and unchanged for affine ``h``.

    Raises:
        ValueError: ``count`` is not even and positive, ``n`` no whole number from 1 or ``seed`` none from 0.
    """
    check_counts(n=n)
    if count < 2 or count % 2:
        raise ValueError(f"count is {count}; it should be an even number, at least 2")
    random = generator(seed)
    half = random.normal(size=(count // 2, n))
    half *= (random.uniform(size=(count // 2, 1)) ** (1 / n)) / np.linalg.norm(half, axis=1, keepdims=True)
    return np.concatenate([half, -half])


def sample_average(h: Function, x: ArrayLike, *, eta: float, u: Array) -> Array:
    """Mean of ``h(x + eta u)`` over points ``u`` of the ball, ``(count, n)``: ``(..., n) -> (...)``."""
    return np.asarray(h(check_points(x)[..., None, :] + check_radius(eta) * u).mean(axis=-1))


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value by quadrature.

    Attributes:
        value: of the finest rule.
        error: largest difference from the rule before it, which had half the nodes along each axis. It estimates the
            error of that coarser rule and is no bound.
        nodes: of the finest rule.
    """

    value: Array
    error: float
    nodes: int


def quadrature(
    h: Function, x: ArrayLike, *, eta: float, gradient: bool = False, tol: float = 1e-8, nodes: int = 200_000
) -> Estimate:
    """Smoothed ``h`` (or its gradient) at ``x`` by product rules on the ball (or sphere), ``n <= 3``.

    Orders double until two rules agree to ``tol`` or the next one would have more than ``nodes`` nodes; look at
    ``error``. Smooth functions converge fast; a kink leaves an error of the order of the squared distance of the nodes.

    Args:
        h: ``(..., n) -> (...)``.
        x: ``(..., n)``.
        eta: radius.
        gradient: ``(..., n)`` in place of the value ``(...)``.
        tol: absolute, in the unit of the result.
        nodes: most nodes of a rule.

    Raises:
        ValueError: ``n`` is above 3.
    """
    x, _ = check_points(x), check_radius(eta)
    n = x.shape[-1]
    if n > 3:
        raise ValueError(f"x has dimension {n}; product rules are for n <= 3")
    order, last, error = 16, None, math.inf
    while True:
        u, weights = _rule(n, order, gradient)
        value = h(x[..., None, :] + eta * u)
        found = np.einsum("...k,k,kd->...d", value, weights * n / eta, u) if gradient else np.asarray(value @ weights)
        if last is not None:
            error = float(np.abs(found - last).max())
        finer = len(weights) * 2 ** (n - (1 if gradient else 0))
        if error <= tol or finer > nodes or len(weights) == 2:
            return Estimate(found, 0.0 if len(weights) == 2 else error, len(weights))
        order, last = 2 * order, found


@lru_cache(maxsize=32)
def _rule(n: int, order: int, sphere: bool) -> tuple[Array, Array]:
    """Nodes and weights of a product rule for the mean over the unit ball, or over the unit sphere."""
    legendre, mass = _panels(order)
    if n == 1:
        return (np.array([[-1.0], [1.0]]), np.array([0.5, 0.5])) if sphere else (legendre[:, None], mass / 2)
    # Half a step off the axes, where kinks like to be.
    angle = 2 * math.pi * (np.arange(2 * order) + 0.5) / (2 * order)
    ring, even = np.stack([np.cos(angle), np.sin(angle)], axis=1), np.full(2 * order, 0.5 / order)
    if n == 3:
        flat = np.sqrt(1 - legendre**2)
        ring = np.concatenate(
            [flat[:, None, None] * ring, np.broadcast_to(legendre[:, None, None], (order, 2 * order, 1))], axis=2
        ).reshape(-1, 3)
        even = np.outer(mass / 2, even).reshape(-1)
    if sphere:
        return ring, even
    radius = (legendre + 1) / 2
    share = n * radius ** (n - 1) * mass / 2
    return (radius[:, None, None] * ring).reshape(-1, n), np.outer(share, even).reshape(-1)


def _panels(order: int) -> tuple[Array, Array]:
    """Gauss-Legendre rule, 8 nodes on each of ``order / 8`` panels of ``[-1, 1]``: a kink spoils its own panel only."""
    nodes, mass = np.polynomial.legendre.leggauss(8)
    count = order // 8
    starts = -1 + 2 * np.arange(count) / count
    return (starts[:, None] + (nodes + 1) / count).reshape(-1), np.tile(mass / count, count)


def _gauss(a: float, b: float, c: float, z: Array) -> Array:
    """Gauss's hypergeometric function for ``0 <= z <= 1``, ``|a| = 1/2`` and the ``b``, ``c`` of this module.

    scipy's overflows for large ``c``; there the terms alternate and fall like ``exp(-k^2/c)``.
    """
    if c < _LARGE:
        return np.asarray(hyp2f1(a, b, c, z))
    total, term, k = np.ones_like(z), np.ones_like(z), 0
    while np.abs(term).max(initial=0.0) > 1e-18:
        term = term * ((a + k) * (b + k) / ((c + k) * (k + 1))) * z
        total = total + term
        k += 1
    return np.asarray(total)


def _peak(n: int) -> float:
    """``Gamma(n/2 + 1)/(sqrt(pi) Gamma((n+1)/2))``."""
    return math.exp(float(gammaln(n / 2 + 1) - gammaln((n + 1) / 2))) / math.sqrt(math.pi)


def _inverse(size: Array, eta: float) -> Array:
    """``eta/|x|`` beyond the radius, else 1."""
    return eta / np.maximum(size, eta)


def check_points(x: ArrayLike) -> Array:
    """Points ``(..., n)`` as an array.

    Raises:
        ValueError: they have no last axis.
    """
    points = np.asarray(x, dtype=np.float64)
    if points.ndim == 0 or points.shape[-1] < 1:
        raise ValueError(f"points have shape {points.shape}; they should be (..., n)")
    return points


def check_radius(eta: float) -> float:
    """The radius, when it is a positive number.

    Raises:
        ValueError: it is not.
    """
    if not 0 < eta < math.inf:
        raise ValueError(f"eta is {eta}; it should be a positive number")
    return eta
