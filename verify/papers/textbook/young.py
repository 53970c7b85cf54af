"""Young's inequality: vectors of the plane, and pairs of numbers."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.papers.textbook import young as claims
from rateproof.verify.form import family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.planted.mutate import Sharp


def two_in_vectors(**params: Any) -> InOutcomes:
    """Those of :func:`two_vectors`."""
    from rateproof.verify.form.on_a_line import at_points

    numbers = in_floats(params)
    u, eps_Y = numbers["u"], numbers["eps_Y"]
    return at_points({"u": [u, 0.0], "v": [numbers["along"] * eps_Y * u, numbers["across"]]})


@family(
    "two vectors",
    None,
    two_in_vectors,
    u=reals(1, 100, zero=True),
    along=reals(1, 0, -1, zero=True),
    across=reals(0, 1, zero=True),
    eps_Y=reals(1, 0.01, 100),
)
def two_vectors(*, u: Number, along: Number, across: Number, eps_Y: Number) -> dict[str, Any]:
    """``u`` on the first axis of the plane, ``v = along * eps * u`` and ``across`` on the second axis.

    ``u``: the first vector; ``along``, ``across``: the second one, along it and across.
    """
    v = along * eps_Y * u
    return {"inner_uv": u * v, "norm2_u": u**2, "norm2_v": v**2 + across**2}


NUMBERS = {
    "side_a": reals(1, 2, 4, 100),
    "share": reals(1, 0.5, 2, low=0.1, high=10),
    "p_Y": reals(2, 3, 0.5, low=0.1, high=10),
}


@family("two numbers and conjugate exponents", **NUMBERS)
def conjugate_numbers(*, side_a: Number, share: Number, p_Y: Number) -> dict[str, Any]:
    """``b`` is a share of the number with ``a^p = b^q``, and ``q = p/(p - 1)``.

    ``share``: the second number, over the one at which both sides are equal.
    """
    return {"side_b": share * side_a ** (p_Y - 1), "q_Y": p_Y / (p_Y - 1)}


@family("two numbers and two exponents", **NUMBERS, q_Y=reals(2, 3, -1, low=0.1, high=10))
def two_numbers(*, side_a: Number, share: Number, p_Y: Number, q_Y: Number) -> dict[str, Any]:
    """``b`` is a share of the number with ``a^p = b^q``.

    ``share``: the second number, over the one at which both sides are equal.
    """
    return {"side_b": share * side_a ** (p_Y / q_Y)}


# equality at v = eps u, where both terms are equal
YOUNG = record(claims.YOUNG, families=[two_vectors], tight=Sharp(terms=True))
# equality at a^p = b^q of any size: each term is needed, and each side's power as it grows
YOUNG_POWERS = record(
    claims.YOUNG_POWERS,
    families=[conjugate_numbers, two_numbers],
    tight=Sharp(terms=True, exponents=(p.side_a, p.side_b), hypotheses=("p>1", "1/p+1/q=1")),
)
