"""Clients with the values 0 and 1, of which some are sampled."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.textbook import client_sampling as claims
from rateproof.theory.symbols import S as SAMPLED
from rateproof.verify.form import choice, counts, family, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import refuse
from rateproof.verify.planted.mutate import Sharp


def sampled_in_vectors(**params: Any) -> InOutcomes:
    """The values of :func:`zeros_and_ones`, and all sets of clients that may be drawn.

    Raises:
        ValueError: nothing can be drawn, or too much.
    """
    from rateproof.verify.form.on_a_line import MOST, words
    from rateproof.verify.form.outcomes import COORDINATE, Outcomes

    N, S, ones = (params[name] for name in ("N", "S", "ones"))
    ways = N**S if params["repeats"] else math.comb(N, S)
    if not ways:
        raise ValueError(f"{S} of {N} clients cannot be drawn")
    refuse(ways, MOST)
    sets = [*(product(range(N), repeat=S) if params["repeats"] else combinations(range(N), S))]
    chances = {COORDINATE: [1.0], ("client",): [1 / N] * N, ("sample",): [1 / ways] * ways}
    v = np.reshape([1.0] * ones + [0.0] * (N - ones), [1, N, 1])
    outcomes = Outcomes(chances, {"v": v}, {}, words(chances, "xi"), drawn={"sample": sets})
    return lambda _: iter([outcomes])


@family(
    "clients with the values 0 and 1",
    None,
    sampled_in_vectors,
    N=counts(3, 2, 6, 100, most=100),
    S=counts(1, 2, 3, 10, most=30),
    ones=counts(1, 2, 3, 50, most=30),
    repeats=choice(False, True),
)
def zeros_and_ones(*, N: Number, S: Number, ones: Number, repeats: bool) -> dict[str, Any]:
    """The mean over S of N clients, of which some have the value 1; without repeats at most N can be drawn.

    ``ones``: clients with the value 1; ``repeats``: whether one may be drawn twice.

    Raises:
        ValueError: more clients have the value 1 than there are.
    """
    if ones > N:
        raise ValueError(f"{ones} clients of {N} cannot have the value 1")
    square = 0
    for k in range(S + 1):
        if repeats:
            ways = math.comb(S, k) * ones**k * (N - ones) ** (S - k)
        else:
            ways = math.comb(ones, k) * math.comb(N - ones, S - k)
        square = square + (k * N - S * ones) ** 2 * ways
    draws = N**S if repeats else math.comb(N, S)
    return {
        "zeta2": ones * (N - ones) / N**2,
        "sampling2": square / draws / (S * N) ** 2 if draws else None,
        "without_replacement": Fact(not repeats, "drawn with replacement" if repeats else "each subset once"),
        "degenerate": S == N or ones == N,
    }


CLIENT_SAMPLING = record(
    claims.CLIENT_SAMPLING,
    families=[zeros_and_ones],
    tight=Sharp(exponents=(SAMPLED,), hypotheses=("without_replacement",)),
)
