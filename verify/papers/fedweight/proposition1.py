"""Proposition 1 on the samples of Lemma 2, and where models that learn a sample by heart are all that is at work."""

from __future__ import annotations

from math import comb
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import proposition1 as claims
from rateproof.verify.form import choice, counts, family, reals, record
from rateproof.verify.form.arithmetic import Number, largest, log, sqrt
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed, points, sample, single
from rateproof.verify.papers.fedweight.nodes import of_draws


@family(
    "two nodes without chance",
    what=choice("points", "others"),
    n_train=counts(1, most=1),
    fine=counts(150, 1, most=150),
    delta=reals(f"{10**9 - 1}/{10**9}", "1/2", low=0.1, high=1),
)
def finite(*, what: str, n_train: int, fine: int, delta: Number) -> dict[str, Any]:
    """Finite classes, ``nu_H = 1/fine`` and ``C_H`` as small as can be; the first node is as the target, which has as
    many data as both nodes. ``theta^`` is the worst minimiser.

    Draws are of 10 points: one loss is 0, and the others are 0 on as many points as there are draws. Or no draw is by
    chance, and of two models each is wrong at one node.

    Raises:
        ValueError: there are more draws than points.
    """
    one, draws, m = delta / delta, 2 * n_train.__index__(), 10
    if what == "points" and draws >= m:
        raise ValueError(f"there are {m} points")
    learned = 1 - draws * one / m
    excess, equal, far, losses = {"points": (learned, learned, 0 * one, 1 + comb(m, draws))}.get(
        what, (0 * one, one, one, 2)
    )
    return {
        **{"Pr": (one,), "excess_valid": excess, "excess_equal": equal, "Z_best": excess, "Z_equal": excess},
        **of_class(losses, draws, fine, one),
        "G_dist": far,
    }


def of_class(losses: int, draws: int, fine: int, one: Number) -> dict[str, Any]:
    """What is the same for all classes of so many losses, with ``nu_H = 1/fine`` and the least ``C_H``."""
    C_H = losses**fine * one
    constant = (12 * sqrt(log(4 * C_H) + 1) + sqrt(2 * one)) / 2
    true = Fact(True, "the losses are such")
    return {
        **{"n_valid": draws, "K_nodes": 2, "J_same": 1, "l_max": one},
        **{"nu_H": one / fine, "C_H": C_H, "C_0": constant, "C_a": constant},
        **dict.fromkeys(("A1.1 range", "sample of differences", "samples (42)"), true),
        **dict.fromkeys(("A4 at the data", "covered H"), Fact(True, "C_H^nu_H is the number of losses")),
    }


@family(
    "two models, and a coin that shows ones alone",
    n_train=counts(80),
    fine=counts(150),
    chance=reals("1/10", low=0.1, high=1),
    delta=reals("9999/10000", low=0.1, high=1),
)
def coin(*, n_train: int, fine: int, chance: Number, **_: Any) -> dict[str, Any]:
    """A draw is 1 with a given chance. The first model has the loss 1 there, else 0, the second one always 1.

    The nodes are alike and have as many draws as the target, which only ones alone make take the second model.
    """
    one, draws = chance / chance, 2 * n_train.__index__()
    share = [k * one / draws for k in range(draws + 1)]
    excess = tuple(1 - chance if x == 1 else 0 * one for x in share)
    best = tuple(largest(x - chance, 0 * one) for x in share)
    return {
        "Pr": of_draws(draws, chance),
        **dict.fromkeys(("excess_valid", "excess_equal"), excess),
        **dict.fromkeys(("Z_best", "Z_equal"), best),
        **of_class(2, draws, fine, one),
        "G_dist": 0 * one,
    }


#: At this level nothing but ones alone is beyond what the class pays for.
sure = coin.alone("two models, and a coin that shows ones alone, at a level near 1", delta="1e-2000")
failing = sample.alone("a draw that misses", chance="1/10", C_0="1/10")
PROP1_A = record(claims.PROP1_A, families=[sample])
PROP1_B = record(claims.PROP1_B, families=[sample, failing])
PROP1 = record(claims.PROP1, families=[sample, single], check=a4_as_printed)
PROP1_CORRECTED = record(claims.PROP1_CORRECTED, families=[failing, points, finite, coin, sure])
PROP1_UNIVERSAL = record(claims.PROP1_UNIVERSAL, families=[finite, coin])
