"""What the exact measures share: numbers from the parameters of an instance, and facts that most instances have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.verify.counterexamples.replay import Number, rational

#: Numbers by symbol name, and structural hypotheses that hold, with reasons.
Measured = tuple[dict[str, Number], dict[str, str]]

FRESH = "directions and signs are drawn anew in every step, by every client"
RUN = {
    "fresh": FRESH,
    "fresh_clients": FRESH,
    "frequency": "all rounds have H steps",
    "k*": "the mean over k = 0, ..., K is taken",
}
POINT = {
    "sets": "the point 0 is closed and convex",
    "dissimilarity": "identical sets: both sides of (2) agree with B_1 = 0 and B_2 = 1",
    "algorithm1": "the recursion of Algorithm 1 from x = 0, in X",
    "identical": "every X_i is {0}",
}
NO_SETS = {"sets": "the line", "dissimilarity": "no distance to it", "free": "no set", "identical": "one set"}
NO_NOISE = {"unbiased": "values are exact", "variance_bounded": "values are exact, whatever nu > 0 is"}


def numbers(at: Mapping[str, Any], *names: str) -> tuple[Number, ...]:
    """The exact numbers of an instance, in the order of the names.

    Raises:
        ValueError: one is missing, or there are others.
    """
    if missing := [name for name in names if name not in at]:
        raise ValueError(f"the instance needs {', '.join(missing)}")
    if odd := sorted(at.keys() - set(names)):
        raise ValueError(f"the instance has no parameter {', '.join(odd)}; it has {', '.join(names)}")
    return tuple(rational(at[name]) for name in names)


def long_horizon(m: Number) -> dict[str, Number]:
    """The rule gamma = sqrt(m/K) at a horizon K: what is a limit over K has it at all of them."""
    return {"gamma": rational("1e-6"), "K_it": m * rational("1e12")}


def whole(name: str, value: Number) -> int:
    """A number of steps.

    Raises:
        ValueError: it is not whole; it is named.
    """
    if value.q != 1 or value < 0:
        raise ValueError(f"{name} is {value}; it should be a whole number")
    return int(value.p)
