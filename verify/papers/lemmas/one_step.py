"""Young's inequality, one step of SGD, and estimators: instances on which each term alone is at work."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.verify.form import family, in_floats, parts, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.planted.mutate import Sharp


def two_in_vectors(**params: Any) -> InOutcomes:
    """Those of :func:`two_vectors`."""
    from rateproof.verify.form.on_a_line import at_points

    numbers = in_floats(params)
    return at_points({"u": numbers["u"], "v": numbers["along"] * numbers["weight"] * numbers["u"]})


def parabola_in_vectors(**params: Any) -> InOutcomes:
    """The step of :func:`parabola` in the vectors of the proof."""
    from rateproof.verify.form.on_a_line import at_points

    numbers = in_floats(params)
    f, noises = parts.parabola(numbers["L_1"]), {"e": ("xi", numbers["sigma"])}
    return at_points({"x": numbers["x"]}, {"f": f}, past=("x",), noises=noises)


def opposite_in_vectors(**params: Any) -> InOutcomes:
    """The points and samples of :func:`opposite_gradients` in the vectors of the proofs."""
    from rateproof.verify.papers.lemmas.vectors import estimated

    numbers = in_floats(params)
    slopes = parts.parabola(numbers["L_1"]), parts.parabola(-numbers["L_1"])
    return estimated(slopes, numbers["error"], 0.0, numbers["step"], numbers["sigma"])


@family(
    "two vectors",
    None,
    two_in_vectors,
    u=reals(1, 100, zero=True),
    along=reals(1, 0, -1, zero=True),
    weight=reals(1, 0.01, 100),
)
def two_vectors(*, u: Number, along: Number, weight: Number) -> dict[str, Any]:
    """``v = along * weight * u`` on a line.

    ``u``: the first vector; ``along``: the second one, over weight times the first.
    """
    v = along * weight * u
    return {"inner_uv": u * v, "norm2_u": u**2, "norm2_v": v**2}


@family(
    "a parabola",
    None,
    parabola_in_vectors,
    x=reals(1, 0, 10, zero=True),
    L_1=reals(1, 100),
    gamma_1=reals(1, 0.1, 3),
    sigma=reals(0, 1, 10),
)
def parabola(*, x: Number, L_1: Number, gamma_1: Number, sigma: Number) -> dict[str, Any]:
    """``f(x) = L x^2/2``, and gradients that are wrong by ``+-sigma``.

    ``x``: the point; ``sigma``: the error of a gradient.
    """
    return {
        **{"f_x": L_1 * x**2 / 2, "norm2_g": (L_1 * x) ** 2, "sigma2": sigma**2},
        "f_y": L_1 * ((x - gamma_1 * L_1 * x) ** 2 + (gamma_1 * sigma) ** 2) / 2,
        "f is L-smooth": Fact(True, "f'' = L"),
        "the noise has mean zero given the past": Fact(True, "both signs are equally likely"),
        "its variance is at most sigma^2": Fact(True, "its size is sigma"),
    }


@family(
    "gradients +-L x",
    None,
    opposite_in_vectors,
    error=reals(1, 0, 10, zero=True),
    step=reals(1, 0, 10, zero=True),
    sigma=reals(1, 0, 10, zero=True),
    L_1=reals(1, 100),
    rho=reals(0.5, 0.1, 0.99, 2),
)
def opposite_gradients(*, error: Number, step: Number, sigma: Number, L_1: Number, rho: Number) -> dict[str, Any]:
    """The gradient of a sample is ``+-L x``, and the noise ``+-sigma`` with the same sign; the mean gradient is 0.

    ``error``: the error of the estimator before the step; ``step``: the length of the step; ``sigma``: the noise of a
    sample.
    """
    turned = (1 - rho) * L_1 * step
    return {
        **{"before": error**2, "moved": step**2, "sigma2": sigma**2},
        "sarah": error**2 + (L_1 * step) ** 2,
        "storm": ((1 - rho) * error) ** 2 + (rho * sigma + turned) ** 2,
        "the stochastic gradient is L-Lipschitz in mean square": Fact(True, "its slope is +-L"),
        "the noise has mean zero given the past": Fact(True, "both signs are equally likely"),
        "its variance is at most sigma^2": Fact(True, "its size is sigma"),
    }


# equality at v = t u, where both terms are equal
YOUNG = record(claims.YOUNG, families=[two_vectors], tight=Sharp(terms=True))
SPLIT = record(claims.SPLIT, families=[two_vectors], tight=Sharp(terms=True))
DESCENT = record(claims.SGD_DESCENT, families=[parabola], tight=Sharp(terms=True))
SARAH = record(claims.SARAH, families=[opposite_gradients], tight=Sharp(terms=True))
# equality where rho sigma = (1 - rho) L ||x+ - x||
STORM = record(claims.STORM, families=[opposite_gradients], tight=Sharp(terms=True))
