"""Gradient descent on losses of one variable."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rateproof.theory.papers.textbook import gradient_descent as claims
from rateproof.theory.symbols import R as ROUNDS
from rateproof.verify.form import at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Loss, Noise, cosine, decaying, huber, logistic, parabola, plus_parabola
from rateproof.verify.planted.mutate import Sharp


def descent_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`gradient_descent` in the vectors of the proofs."""
    from rateproof.verify.papers.textbook.vectors import descent

    numbers = in_floats(params)
    h = loss_of(**{name: numbers[name] for name in ("loss", "R", "gamma_l", "L_h", "steeper", "x0")})
    return descent(h, numbers["x0"], lambda r: numbers["gamma_l"], numbers["R"], Noise("independent", 0))


def contraction_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`contraction` in the vectors of the proofs."""
    from rateproof.verify.papers.textbook.vectors import descent

    numbers = in_floats(params)
    h = strongly_convex(numbers["loss"], numbers["L_h"], numbers["mu_h"], numbers["c"])
    return descent(h, numbers["x0"], lambda r: numbers["gamma_l"], numbers["R"], Noise("independent", 0))


def loss_of(loss: str, R: int, gamma_l: Number, L_h: Number, steeper: Number, x0: Number) -> Loss:
    """Curvature ``steeper L_h``; the Huber function has the threshold at which its last gap is largest."""
    c = steeper * L_h
    if loss == "huber":
        return huber(c, x0 / (2 * R * gamma_l * c + 1))
    if loss == "logistic":
        return logistic(c)
    if loss == "parabola":
        return parabola(c)
    return cosine(c) if loss == "cosine" else decaying(c)


def strongly_convex(loss: str, L_h: Number, mu_h: Number, c: Number) -> Loss:
    """``c/2 x^2``, or a logistic loss plus a parabola."""
    return parabola(c) if loss == "parabola" else plus_parabola(logistic(L_h - mu_h), mu_h)


@family(
    "gradient descent",
    None,
    descent_in_vectors,
    loss=choice("huber", "logistic", "parabola", "cosine", "decaying"),
    R=counts(1, 2, 10, 100, 10**9, drawn=(1, 2, 3, 5, 10, 30, 100, 1000, 0)),
    gamma_l=at_bound(1, 0.5, 0.01, 1.9),
    L_h=reals(1, 0.01, 100),
    steeper=reals(1, 2.5, 0.5, low=0.1, high=10),
    x0=reals(1, 20, 0, zero=True),
)
def gradient_descent(*, loss: str, R: int, gamma_l: Number, L_h: Number, steeper: Number, x0: Number) -> dict[str, Any]:
    """R steps from ``x0``.

    ``loss``: its shape; ``steeper``: its curvature, over L; ``x0``: the start.
    """
    h = loss_of(loss, R, gamma_l, L_h, steeper, x0)
    return {
        "start2": h.distance2(x0),
        "gap_end": h.gap(h.descend(x0, gamma_l, R)),
        "convex": h.convex(),
        "smooth": h.smooth(L_h),
        "attained": h.attained(),
        "degenerate": x0 == 0 and loss != "cosine",
    }


@family(
    "gradient descent on a strongly convex loss",
    None,
    contraction_in_vectors,
    loss=choice("parabola", "logistic"),
    R=counts(1, 2, 10, 100, 2**30, drawn=(1, 2, 3, 5, 10, 30, 100, 1000, 0)),
    gamma_l=at_bound(1, 0.5, 0.01, 1.25, Fraction(1, 2**30)),
    L_h=reals(3, 1, 30),
    mu_h=reals(1),
    c=reals(1, 3, 0.5, 5),
    x0=reals(1, low=0.1, high=10),
)
def contraction(
    *, loss: str, R: int, gamma_l: Number, L_h: Number, mu_h: Number, c: Number, x0: Number
) -> dict[str, Any]:
    """R steps from ``x0``.

    ``loss``: its shape; ``c``: its curvature; ``x0``: the start.
    """
    h = strongly_convex(loss, L_h, mu_h, c)
    return {
        "start2": h.distance2(x0),
        "end2": h.distance2(h.descend(x0, gamma_l, R)),
        "smooth": h.smooth(L_h),
        "strongly_convex": h.strongly_convex(mu_h),
        "degenerate": gamma_l * mu_h == 1,
    }


GD_SMOOTH = record(
    claims.GD_SMOOTH,
    families=[gradient_descent],
    tight=Sharp(exponents=(ROUNDS,), hypotheses=("gamma_l<=1/L_h", "convex", "smooth")),
)
GD_STRONGLY_CONVEX = record(
    claims.GD_STRONGLY_CONVEX,
    families=[contraction],
    tight=Sharp(exponents=(ROUNDS,), hypotheses=("gamma_l<=2/(L_h+mu_h)", "strongly_convex", "smooth")),
)
