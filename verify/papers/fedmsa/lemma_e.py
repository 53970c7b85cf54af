"""Lemmas E.1 to E.3 on vectors of a line."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lemma_e as claims
from rateproof.verify.form import choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.on_a_line import at_points
from rateproof.verify.form.outcomes import COORDINATE, Axis, InOutcomes, Outcomes
from rateproof.verify.papers.lemmas.means import noises_in_vectors, noises_of
from rateproof.verify.planted.mutate import Sharp


def several_in_vectors(*, m_vec: int, **params: Any) -> InOutcomes:
    """The vectors of :func:`several`."""
    p, index = in_floats(params), ("i",)
    chances: dict[Axis, Any] = {COORDINATE: [1.0], index: [1 / m_vec] * m_vec}
    flat = Outcomes(chances, {}, {}, lambda word, at: {index} if word == "i" else set())
    made = {"x_i": flat.along(index, [p["first"], *[p["others"]] * (m_vec - 1)])}
    return lambda _: iter([Outcomes(chances, made, {}, flat.knows)])


@family(
    "one number and others",
    None,
    several_in_vectors,
    m_vec=counts(2, 1, 3, 10, most=10),
    first=reals(1, 0, -2, zero=True),
    others=reals(1, 0, zero=True),
)
def several(*, m_vec: int, first: Number, others: Number) -> dict[str, Any]:
    """``x_1 = first``, and all other ``x_i = others``.

    ``first``: the first number; ``others``: all other numbers.
    """
    x = [first, *(others for _ in range(m_vec - 1))]
    return {"sum2": sum(x) ** 2, "squares": sum(a**2 for a in x)}


def two_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`two`."""
    p = in_floats(params)
    return at_points({"x": p["x"], "y": p["along"] * p["c_split"] * p["x"]})


@family(
    "two numbers",
    None,
    two_in_vectors,
    x=reals(1, 0, 10, zero=True),
    along=reals(1, 0, -1, zero=True),
    c_split=reals(1, 0.1, 10),
)
def two(*, x: Number, along: Number, c_split: Number) -> dict[str, Any]:
    """``y = along c x``.

    ``x``: the first number; ``along``: the second one, over c times the first.
    """
    y = along * c_split * x
    return {"both2": (x + y) ** 2, "x2": x**2, "y2": y**2}


def noises_of_m(*, m_vec: int, **params: Any) -> InOutcomes:
    """The vectors of :func:`signs`."""
    return noises_in_vectors(N=m_vec, index="i", **params)


@family(
    "numbers with signs",
    None,
    noises_of_m,
    law=choice("independent", "repeated", "biased"),
    m_vec=counts(2, 1, 3, 5, most=5),
    sigma=reals(1, 0, 10, zero=True),
    more=reals(0, 1, zero=True),
)
def signs(*, law: str, m_vec: int, sigma: Number, more: Number) -> dict[str, Any]:
    """``x_i = +-(sigma + i more)``, with signs of their own, with one sign for all, or always +."""
    sq_mean, mean_sq = noises_of(law, m_vec, sigma, more)
    return {
        "E_sum2": m_vec**2 * sq_mean,
        "E_squares": m_vec * mean_sq,
        "mean zero": Fact(law != "biased", f"the signs are {law}"),
        "independent x_i": Fact(law != "repeated" or m_vec == 1, f"the signs are {law}"),
    }


# equal where all x_i are, and where y = c x
E1 = record(claims.E1, families=[several], tight=Sharp(terms=True))
E2 = record(claims.E2, families=[two], tight=Sharp(terms=True))
E3 = record(claims.E3, families=[signs])
