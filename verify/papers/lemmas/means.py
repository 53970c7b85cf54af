"""Means over clients, over samples of them, and of the noises of a round, with all outcomes listed."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.verify.form import counts, family, reals, record
from rateproof.verify.form.arithmetic import Number


@family(
    "clients, one of which is apart",
    N=counts(3, 1, 2, 5, most=6, drawn=range(1, 7)),
    S=counts(1, 2, 5, most=6, drawn=range(1, 7)),
    one=reals(1, 0, -2, zero=True),
    others=reals(0, 1, zero=True),
)
def one_apart(*, N: Number, S: Number, one: Number, others: Number) -> dict[str, Any]:
    """``v_1 = one`` and ``v_i = others`` for the rest; the sample is each subset of S clients.

    Raises:
        ValueError: more clients are drawn than there are.
    """
    if S > N:
        raise ValueError(f"{S} of {N} clients cannot be drawn")
    v = [one, *(others for _ in range(N - 1))]
    mean = sum(v) / N
    samples = list(combinations(v, S))
    return {
        "mean_sq": sum(x**2 for x in v) / N,
        "sq_mean": mean**2,
        "spread": sum((x - mean) ** 2 for x in v) / N,
        "sampling": sum((sum(drawn) / S - mean) ** 2 for drawn in samples) / len(samples),
        "S clients are drawn without replacement": Fact(True, "each subset once"),
    }


@family(
    "noises +-sigma",
    N=counts(2, 1, 5, most=5),
    S=counts(1, 2, most=2),
    K=counts(1, 2, 3, most=2),
    sigma=reals(1, 0, 10, zero=True),
)
def two_signs(*, N: Number, S: Number, K: Number, sigma: Number) -> dict[str, Any]:
    """The noise of each client drawn and each of its K steps is ``+-sigma`` with a sign of its own.

    Raises:
        ValueError: more clients are drawn than there are.
    """
    if S > N:
        raise ValueError(f"{S} of {N} clients cannot be drawn")
    outcomes = list(product((-1, 1), repeat=S * K))
    return {
        "mean_noise": sum((sigma * sum(signs) / (S * K)) ** 2 for signs in outcomes) / len(outcomes),
        "sigma2": sigma**2,
        "the noise has mean zero given all that came before, and who was drawn": Fact(True, "both signs are alike"),
        "its variance is at most sigma^2": Fact(True, "its size is sigma"),
        "it is independent over clients": Fact(True, "each has signs of its own"),
        "S clients are drawn without replacement": Fact(True, "the noise of all is alike, whoever is drawn"),
    }


JENSEN = record(claims.JENSEN, families=[one_apart])
SPREAD = record(claims.SPREAD, families=[one_apart])
SAMPLING = record(claims.SAMPLING, families=[one_apart])
MEAN_NOISE = record(claims.MEAN_NOISE, families=[two_signs])
