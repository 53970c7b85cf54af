"""Means over clients, over samples of them, and of the noises of a round, with all outcomes listed."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.verify.form import choice, counts, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, InOutcomes, Outcomes
from rateproof.verify.form.parts import Unlisted, refuse


@family(
    "clients, one of which is apart",
    N=counts(3, 1, 2, 5, most=6, drawn=range(1, 7)),
    S=counts(1, 2, 5, most=6, drawn=range(1, 7)),
    one=reals(1, 0, -2, zero=True),
    others=reals(0, 1, zero=True),
)
def one_apart(*, N: Number, S: Number, one: Number, others: Number) -> dict[str, Any]:
    """``v_1 = one`` and ``v_i = others`` for the rest; the sample is each subset of S clients.

    ``one``: the value of the first client; ``others``: the value of all others.

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


def noises_in_vectors(*, law: str, N: int, sigma: Any, more: Any, index: str = "client") -> InOutcomes:
    """The noises of :func:`independent_noises`.

    Raises:
        Unlisted: one sign is that of all.
    """
    if law == "repeated" and N > 1:
        raise Unlisted("in the setting each client has a source of its own")
    copies: list[Axis] = [("xi", i) for i in range(N)]
    chances: dict[Axis, Any] = {COORDINATE: [1.0], (index,): [1 / N] * N, **dict.fromkeys(copies, (0.5, 0.5))}
    flat = Outcomes(chances, {}, {}, words(chances, "xi all", index))
    second = 1.0 if law == "biased" else -1.0
    sizes = [float(sigma) + i * float(more) for i in range(N)]
    e = flat.stacked(
        (index,), [flat.along(copy, [size, second * size]) for copy, size in zip(copies, sizes, strict=True)]
    )
    return lambda setting: iter([replace(flat, made={next(n for n in setting.depends if "xi" in setting.on(n)): e})])


def noises_of(law: str, N: int, sigma: Number, more: Number) -> tuple[Number, Number]:
    """``E||mean||^2`` and ``mean E||.||^2`` of ``+-(sigma + i more)``, with signs of their own, one for all, or +.

    Raises:
        ValueError: there are too many outcomes.
    """
    refuse(2**N, 64)
    alike = [tuple(s for _ in range(N)) for s in (1, -1)]
    ways: dict[str, list[tuple[int, ...]]] = {"repeated": alike, "biased": alike[:1]}
    outcomes = ways.get(law) or [*product((1, -1), repeat=N)]
    sizes = [sigma + i * more for i in range(N)]
    sums = [sum(s * size for s, size in zip(signs, sizes, strict=True)) for signs in outcomes]
    return sum(x**2 for x in sums) / len(sums) / N**2, sum(size**2 for size in sizes) / N


@family(
    "noises of clients",
    None,
    noises_in_vectors,
    law=choice("independent", "repeated", "biased"),
    N=counts(2, 1, 3, 5, most=5),
    sigma=reals(1, 0, 10, zero=True),
    more=reals(0, 1, zero=True),
)
def independent_noises(*, law: str, N: int, sigma: Number, more: Number) -> dict[str, Any]:
    """``e_i = +-(sigma + i more)``."""
    sq_mean, mean_sq = noises_of(law, N, sigma, more)
    return {
        "sq_mean_noise": sq_mean,
        "mean_sq_noise": mean_sq,
        "the e_i have mean zero": Fact(law != "biased", f"the signs are {law}"),
        "they are independent": Fact(law != "repeated" or N == 1, f"the signs are {law}"),
    }


JENSEN = record(claims.JENSEN, families=[one_apart])
SPREAD = record(claims.SPREAD, families=[one_apart])
SAMPLING = record(claims.SAMPLING, families=[one_apart])
MEAN_NOISE = record(claims.MEAN_NOISE, families=[two_signs])
INDEPENDENT = record(claims.INDEPENDENT, families=[independent_noises])
