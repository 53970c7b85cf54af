"""Families for inequalities at one or two points."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from rateproof.verify.papers.textbook.descent import LOSSES, soft
from rateproof.verify.papers.textbook.family import Family, trial
from rateproof.verify.papers.textbook.losses import Array, Loss, norm2, parabola
from rateproof.verify.trial import Trial

METHOD = "closed form"
COSINE = Loss("1 + cos x", lambda x: 1 + np.cos(x), lambda x: -np.sin(x), 1.0)
POINTS = (0.3, 3.0, -40.0)


# --- Moreau envelope


def moreau_trial(
    label: str, lam: float, rho: float, x: Array, y: Array, prox: Callable[[Array], Array], **extra: Any
) -> Trial:
    """Two points, and the gradients ``(x - prox(x))/lambda`` of the envelope there."""
    change = float(np.linalg.norm((x - prox(x)) - (y - prox(y)))) / lam
    values = {"lam_h": lam, "rho_h": rho, "apart": float(np.linalg.norm(x - y)), "grads_apart": change}
    return trial(f"{label}, lambda = {lam:g}", values, ("weakly_convex",), **extra)


def moreau_tight(full: bool) -> Iterator[Trial]:
    """The indicator of a point; the concave parabola at the cap."""
    x, y = np.array([1.0]), np.array([-2.0])
    for lam in (1.0, 0.01, 100.0):
        yield moreau_trial("indicator of {0}", lam, 0, x, y, np.zeros_like)
        yield moreau_trial("-x^2/(4 lambda)", lam, 1 / (2 * lam), x, y, lambda z: 2 * z)


def moreau_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Norms, boxes, parabolas, and a weakly convex penalty, at random points in five variables."""
    rng = np.random.default_rng(seed)
    for _ in range(10 if full else 2):
        x, y = rng.standard_normal((2, 5)) * 3
        for lam in (0.1, 1.0, 5.0):
            rho = 1 / (4 * lam)
            yield moreau_trial("||x||_1", lam, 0, x, y, partial(soft, threshold=lam))
            yield moreau_trial("indicator of the box [-1, 1]^n", lam, 0, x, y, partial(np.clip, a_min=-1, a_max=1))
            yield moreau_trial("||x||^2/2", lam, 0, x, y, partial(np.multiply, 1 / (1 + lam)))
            yield moreau_trial("||x||_1 - rho/2 ||x||^2", lam, rho, x, y, partial(soft_over, 0.75, lam))


def soft_over(divisor: float, threshold: float, x: Array) -> Array:
    """Proximal map of ``||x||_1 - rho/2 ||x||^2``: ``divisor`` is ``1 - rho lambda``."""
    return soft(x, threshold) / divisor


def moreau_broken() -> Iterator[Trial]:
    """A larger lambda than 1/(2 rho), and a loss less convex than said."""
    x, y = np.array([1.0]), np.array([0.0])
    yield moreau_trial("-3/8 x^2", 1, 0.75, x, y, lambda z: 4 * z)
    missing = {"weakly_convex": "the second derivative is -3/4 < -rho = -1/4"}
    yield moreau_trial("-3/8 x^2 with rho = 1/4", 1, 0.25, x, y, lambda z: 4 * z, missing=missing)


# --- Young's inequality


def young_trial(label: str, u: Array, v: Array, eps: float) -> Trial:
    """Two vectors and the weight."""
    return trial(label, {"inner_uv": float(u @ v), "norm2_u": norm2(u), "norm2_v": norm2(v), "eps_Y": eps}, ())


def young_tight(full: bool) -> Iterator[Trial]:
    """``v = eps u``."""
    u = np.array([1.0, -2.0, 0.5])
    for eps in (1.0, 0.01, 100.0):
        yield young_trial(f"v = {eps:g} u", u, eps * u, eps)


def young_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Random vectors, opposite ones, zero."""
    rng = np.random.default_rng(seed)
    for i in range(20 if full else 5):
        u, v = rng.standard_normal((2, 4))
        yield young_trial(f"random vectors {i}", u, v, float(10 ** rng.uniform(-1, 1)))
        yield young_trial(f"opposite vectors {i}", u, -u, 1)


# --- Young's inequality for powers, Jensen's inequality for powers


def powers_trial(label: str, a: float, b: float, p: float, q: float) -> Trial:
    """Two numbers and two exponents."""
    return trial(label, {"side_a": a, "side_b": b, "p_Y": p, "q_Y": q}, ())


def powers_tight(full: bool) -> Iterator[Trial]:
    """``a^p = b^q``."""
    for p in (2.0, 1.25, 5.0, 100.0):
        q = p / (p - 1)
        for c in (1.0, 1e-6, 1e6):
            yield powers_trial(f"a^p = b^q = {c:g}, p = {p:g}", c ** (1 / p), c ** (1 / q), p, q)


def powers_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Random numbers, and zero."""
    rng = np.random.default_rng(seed)
    for i in range(40 if full else 10):
        p = 1 + float(10 ** rng.uniform(-1, 1))
        a, b = rng.exponential(size=2)
        yield powers_trial(f"random numbers {i}, p = {p:.4g}", a, b, p, p / (p - 1))
    yield powers_trial("b = 0", 1, 0, 2, 2)


def powers_broken() -> Iterator[Trial]:
    """Exponents that are not conjugate, and conjugate ones of opposite sign."""
    yield powers_trial("a = b = 1, p = q = 3", 1, 1, 3, 3)
    yield powers_trial("a = 4, b = 1, p = 1/2, q = -1", 4, 1, 0.5, -1)


def jensen_trial(label: str, x: Array, p: float) -> Trial:
    """N vectors, the rows of ``x``."""
    norms = np.linalg.norm(x, axis=1)
    values = {
        "N": len(x),
        "p_J": p,
        "power_of_sum": np.linalg.norm(x.sum(axis=0)) ** p,
        "sum_of_powers": (norms**p).sum(),
    }
    return trial(f"{label}, N = {len(x)}, p = {p:g}", values, ())


def jensen_tight(full: bool) -> Iterator[Trial]:
    """Equal vectors; for p = 1 any vectors of one direction."""
    for p in (2.0, 1.0, 1.5, 4.0):
        for N in (2, 10, 1000):
            yield jensen_trial("equal vectors", np.tile([0.6, 0.8], (N, 1)), p)
    yield jensen_trial("vectors of one direction", np.outer([1.0, 2.0, 3.0], [1.0, -1.0]), 1.0)


def jensen_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Random vectors, and vectors that cancel."""
    rng = np.random.default_rng(seed)
    for i in range(20 if full else 6):
        yield jensen_trial(
            f"random vectors {i}", rng.standard_normal((int(rng.choice([2, 5, 50])), 3)), 1 + rng.exponential()
        )
    yield jensen_trial("vectors that cancel", np.array([[1.0], [-1.0]]), 2.0)


def jensen_broken() -> Iterator[Trial]:
    """An exponent below 1: one vector and zero."""
    yield jensen_trial("1 and 0", np.array([[1.0], [0.0]]), 0.5)


# --- smooth functions at one or two points


def gradient_trial(label: str, loss: Loss, x: float, **extra: Any) -> Trial:
    """Gradient and gap at one point."""
    at = np.array([x])
    values = {"L_h": loss.L, "grad2_at": loss.gradient(at)[0] ** 2, "gap_at": loss.value(at)[0]}
    return trial(label, values, ("smooth", "bounded_below"), **extra)


def remainder_trial(label: str, loss: Loss, x: float, y: float, **extra: Any) -> Trial:
    """Error of the linear model at ``x`` in the point ``y``."""
    start, end = np.array([x]), np.array([y])
    rest = (loss.value(end) - loss.value(start) - loss.gradient(start) * (end - start))[0]
    return trial(label, {"L_h": loss.L, "apart": abs(x - y), "remainder": rest}, ("smooth",), **extra)


def gradient_tight(full: bool) -> Iterator[Trial]:
    """Parabolas."""
    for L in (1.0, 0.01, 100.0):
        for x in POINTS:
            yield gradient_trial(f"{L / 2:g} x^2 at {x:g}", parabola(L), x)


def gradient_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Huber, logistic, cosine."""
    for loss in (*LOSSES, COSINE):
        for x in (*POINTS, *np.random.default_rng(seed).standard_normal(20 if full else 3)):
            yield gradient_trial(f"{loss.name} at {x:.4g}", loss, x)


STEEP = Loss("x^2 with L = 1", lambda x: x**2, lambda x: 2 * x, 1.0)
TOO_STEEP = {"smooth": "its curvature is 2 > L = 1"}


def gradient_broken() -> Iterator[Trial]:
    """A loss steeper than said."""
    yield gradient_trial("x^2 at 1", STEEP, 1, missing=TOO_STEEP)


def remainder_tight(full: bool) -> Iterator[Trial]:
    """Parabolas."""
    for L in (1.0, 0.01, 100.0):
        for y in POINTS:
            yield remainder_trial(f"{L / 2:g} x^2 at 1 and {y:g}", parabola(L), 1, y)


def remainder_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Huber, logistic, cosine."""
    for loss in (*LOSSES, COSINE):
        for x, y in (
            (0.0, 0.5),
            (0.0, 20.0),
            (-3.0, 3.0),
            *np.random.default_rng(seed).standard_normal((20 if full else 3, 2)),
        ):
            yield remainder_trial(f"{loss.name} at {x:.4g} and {y:.4g}", loss, x, y)


def remainder_broken() -> Iterator[Trial]:
    """A loss steeper than said."""
    yield remainder_trial("x^2 at 0 and 1", STEEP, 0, 1, missing=TOO_STEEP)


MOREAU = Family(moreau_tight, moreau_ordinary, moreau_broken, METHOD)
YOUNG = Family(young_tight, young_ordinary, lambda: (), METHOD)
POWERS = Family(powers_tight, powers_ordinary, powers_broken, METHOD)
JENSEN = Family(jensen_tight, jensen_ordinary, jensen_broken, METHOD)
GRADIENT = Family(gradient_tight, gradient_ordinary, gradient_broken, METHOD)
REMAINDER = Family(remainder_tight, remainder_ordinary, remainder_broken, METHOD)
