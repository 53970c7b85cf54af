"""Proposition 1 on the samples of Lemma 2, and finite classes on which each part of its bound is at work alone."""

from __future__ import annotations

from math import comb
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import proposition1 as claims
from rateproof.verify.form import choice, counts, family, reals, record
from rateproof.verify.form.arithmetic import Number, largest, log, sqrt
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed, points, sample, single


@family(
    "finite classes",
    what=choice("coins", "points", "others"),
    n_train=counts(55, 1, most=60),
    fine=counts(600, 1, most=600),
    chance=reals("99/100", "3/4", low=0.5, high=1),
    delta=reals("1/2", "1/10"),
)
def finite(*, what: str, n_train: int, fine: int, chance: Number, delta: Number) -> dict[str, Any]:
    """Two nodes, the first of the target's distribution, and as many validation data as both have; ``theta^`` is the
    worst minimiser, ``nu_H = 1/fine``, and ``C_H`` as small as can be.

    Draws are 1 with a given chance, and the losses are 1 - z and z. Or they are of 10 points, one loss is 0, and the
    others are 0 on as many points as there are draws. Or the other node alone has z = 0, and no draw is by chance.
    """
    one, draws, m = chance / chance, 2 * n_train.__index__(), 10
    size, far = 2, 0 * one
    if what == "coins":
        heads = range(draws + 1)
        likely = tuple(comb(draws, k) * chance**k * (1 - chance) ** (draws - k) for k in heads)
        equal = excess = tuple(2 * chance - 1 if 2 * k <= draws else 0 * one for k in heads)
        Z = tuple(largest(2 * chance - 2 * k * one / draws, 0 * one) for k in heads)
    elif what == "points":
        if draws >= m:
            raise ValueError(f"there are {m} points")
        size, likely, equal = 1 + comb(m, draws), (one,), (1 - draws * one / m,)
        excess = Z = equal
    else:
        # each of both models is wrong at one node
        likely, equal, excess, Z, far = (one,), (one,), (0 * one,), (0 * one,), one
    C_H = size**fine * one
    constant = 12 * sqrt(log(4 * C_H) + 1) + sqrt(2 * one)
    true = Fact(True, "the losses are such")
    return {
        **{"Pr": likely, "excess_valid": excess, "excess_equal": equal, "Z_best": Z, "Z_equal": Z},
        **{"n_valid": draws, "K_nodes": 2, "J_same": 1, "G_dist": far, "l_max": one},
        **{"nu_H": one / fine, "C_H": C_H, "C_0": constant / 2, "C_a": constant / 2},
        **dict.fromkeys(("A1.1 range", "sample of differences", "samples (42)"), true),
        **dict.fromkeys(("A4 at the data", "covered H"), Fact(True, "C_H^nu_H is the number of losses")),
    }


#: A level that next to nothing is allowed to miss, and one that nearly all is.
SURE, LIKELY = f"1/{10**90}", f"{10**9 - 1}/{10**9}"
#: The level alone, the class alone, and the classes of few losses with a bound that nearly always fails.
SOURCES = [
    finite.alone("two losses, to be sure", delta=SURE),
    finite.alone("two losses", delta=LIKELY),
    finite.alone("ten points", what="points", n_train=1, fine=150, delta=LIKELY),
]
failing = sample.alone("a draw that misses", chance="1/10", C_0="1/10")
PROP1_A = record(claims.PROP1_A, families=[sample])
PROP1_B = record(claims.PROP1_B, families=[sample, failing])
PROP1 = record(claims.PROP1, families=[sample, single], check=a4_as_printed)
PROP1_CORRECTED = record(claims.PROP1_CORRECTED, families=[sample, points, *SOURCES])
PROP1_UNIVERSAL = record(claims.PROP1_UNIVERSAL, families=SOURCES)
