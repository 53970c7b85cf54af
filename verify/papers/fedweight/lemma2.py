"""Lemma 2 on samples of which all outcomes are listed: means of coins, blank draws, one function, and many points."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedweight import lemma2 as claims
from rateproof.theory.papers.fedweight import notation
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, erfc, exp, largest, log, pi, sqrt
from rateproof.verify.papers.fedweight.nodes import of_draws, universal
from rateproof.verify.planted.mutate import Sharp


def a4_as_printed(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """That A4 for all eps > 0 holds for no class; for the claims that suppose it."""
    if any(h.key == notation.A4.key for h in claim.hypotheses):
        yield Evidence(
            Finding.VACUOUS,
            Level.CERTIFICATE,
            "words",
            "no class of losses satisfies A4: at eps = 2 C_H it asks for a covering number of at most 2^(-nu_H) < 1",
        )


# keys of hypotheses, as texts: the program of an instance carries them
RANGE, SMOOTH, LIPSCHITZ, CONVEX = (h.key for h in notation.A1)
A4, A4_SMALL, AT_DATA = notation.A4.key, notation.A4_SMALL.key, claims.COVERED.key


def supremum(losses: str, s: Number) -> Number:
    """The largest difference of the mean losses of two samples whose shares of ones differ by s."""
    if losses == "segment":
        return abs(s) / 2
    return largest(-s / 2, 0 * s) if losses == "blank" else s


def of_signs(losses: str, n: int, k: int, one: Number) -> Number:
    """The Rademacher average, given k ones among n draws."""
    total = 0 * one
    for i in range(k + 1):
        for j in range(n - k + 1):
            a, b = one * (2 * i - k), one * (2 * j - (n - k))
            value = largest(a, 0 * one if losses == "blank" else b)
            if losses != "blank" and value < 0:
                value = a * b / (a + b)
            total = total + value * comb(k, i) * comb(n - k, j)
    return 0 * one if losses == "one" else total / (2 * n * one * 2**n)


def trained(losses: str, p: Number, x: Number) -> dict[str, Number]:
    """What training on a sample with a share x of ones gives, the worst minimiser where there are several."""
    if losses == "one":
        return {"L0_hat": p, "L0_star": p, "Lhat_hat": x, "Lhat_star": x, "Z_best": 0 * p}
    if losses == "segment":  # theta^ = x, theta* = p
        theirs = {"L0_hat": (x**2 - 2 * p * x + p) / 2, "L0_star": (p - p**2) / 2, "Lhat_hat": (x - x**2) / 2}
        return {**theirs, "Lhat_star": (p**2 - 2 * p * x + x) / 2, "Z_best": largest((p - x) * p, (x - p) * (1 - p))}
    lost = p / 2 if x == 0 else 0 * p  # blank draws alone are as good for theta = 0 as for theta* = 1
    return {
        **{"L0_hat": (1 - p) / 2 + lost, "L0_star": (1 - p) / 2, "Lhat_hat": (1 - x) / 2, "Lhat_star": (1 - x) / 2},
        "Z_best": largest((p - x) / 2, 0 * p),
    }


def covered(losses: str, m: int, nu: Number, C: Number) -> Fact:
    """Whether A4 holds for eps <= 1."""
    if losses == "one":
        return Fact(bool(C >= 1), "one ball covers one function")
    if losses == "points":
        return Fact(bool(nu >= 1 and m <= C), "there are m functions, and (C_H/eps)^nu_H >= m")
    return Fact(bool(nu >= 1 and C >= 1), "|l(t; z) - l(s; z)| <= |t - s|, so that 1/eps balls cover the losses")


@family(
    "a sample",
    losses=choice("segment", "blank", "one", "points"),
    n_valid=counts(1, 2, 4, most=5),
    chance=reals("1/2", "1/10", low=0.1, high=1),
    delta=reals("1/2", "99/100", "1/20", low=0.01, high=0.99),
    nu_H=reals(1, "1/1000000", low=0.01, high=10),
    C_H=reals(1, 4, low=1, high=10),
    C_0=reals(25, 44, 100, low=20, high=100),
    C_d=reals(24, 100, low=20, high=100),
    u_dev=reals("1/10", "1/2", low=0.1, high=1),
    lam_H=reals(1, -3, low=0.1, high=5),
)
def sample(
    *, losses: str, n_valid: int, chance: Number, nu_H: Number, C_H: Number, lam_H: Number, **_: Any
) -> dict[str, Any]:
    """All outcomes of n draws, which are 1 with a given chance.

    The loss is (t - z)^2/2 on [0, 1]; the same for z = 1 and 1/2 for a blank draw; z itself for one function; or the
    draws are uniform on 4 points, and the loss of each point is 1 for all draws but itself.

    ``losses``: of which kind they are; ``chance``: that a draw is 1.

    Raises:
        ValueError: the points are drawn once.
    """
    n, one = n_valid.__index__(), chance / chance
    if losses == "points":
        if n > 1:
            raise ValueError("of points there is one draw")
        # the draw is theta* = 1, or another point
        drawn: dict[str, Any] = {"Pr": (one / 4, 3 * one / 4), "Z_best": (0 * one, one), "mean_best": 3 * one / 4}
        drawn |= {"Lhat_hat": 0 * one, "Lhat_star": (0 * one, one), "excess_valid": 0 * one}
        drawn |= {"G_up": 3 * one / 4, "G_down": one / 4, "dev_0": 3 * one / 4}
        drawn |= dict.fromkeys(("mean_up", "mean_gap", "ghost", "signed", "L0_hat", "L0_star"), 3 * one / 4)
        drawn |= {"mean_down": one / 4, "rad_D": one / 2, "rad_H": one / 2, "entropy": sqrt(log(2 * one)) / 2}
        differ = one
    else:
        chances = of_draws(n, chance)
        share = [k * one / n for k in range(n + 1)]
        up, down = ([supremum(losses, sign * (chance - x)) for x in share] for sign in (1, -1))
        averages = [of_signs(losses, n, k, one) for k in range(n + 1)]
        center = sum(c * x for c, x in zip(chances, share, strict=True))
        pairs = [
            (c * d, x - y) for c, x in zip(chances, share, strict=True) for d, y in zip(chances, share, strict=True)
        ]
        flips = 2 * chance * (1 - chance)
        signs = [
            (comb(n, m) * flips**m * (one - flips) ** (n - m) * comb(m, j) / 2**m, (2 * j - m) * one / n)
            for m in range(n + 1)
            for j in range(m + 1)
        ]
        models = [trained(losses, chance, x) for x in share]
        drawn = {
            "Pr": tuple(chances),
            **{name: tuple(model[name] for model in models) for name in models[0]},
            "excess_valid": tuple(model["L0_hat"] - model["L0_star"] for model in models),
            "mean_best": sum(c * model["Z_best"] for c, model in zip(chances, models, strict=True)),
            "G_up": tuple(up),
            "G_down": tuple(down),
            "dev_0": tuple(largest(x, y) for x, y in zip(up, down, strict=True)),
            "rad_D": tuple(averages),
            **{"rad_H": sum(c * x for c, x in zip(chances, averages, strict=True))},
            **{"mean_up": sum(c * x for c, x in zip(chances, up, strict=True))},
            **{"mean_down": sum(c * x for c, x in zip(chances, down, strict=True))},
            "mean_gap": sum(c * supremum(losses, center - x) for c, x in zip(chances, share, strict=True)),
            "ghost": sum(c * supremum(losses, s) for c, s in pairs),
            "signed": sum(c * supremum(losses, s) for c, s in signs),
            "entropy": 0 * one if losses == "one" else None,
        }
        differ = 0 * one if losses == "one" else one / 2
    flat, true = losses in ("one", "points"), Fact(True, "the losses are such")
    root, width = sqrt(n * one), lam_H * differ / sqrt(n * one)
    return {
        **drawn,
        **dict.fromkeys(("plus_H", "minus_H", "averaged"), drawn["rad_H"]),
        "l_max": one,
        "I_H": sqrt(log(C_H)) + sqrt(pi(one)) / 2 * C_H * erfc(sqrt(log(C_H))),
        # the process at the ends of the segment, where all differences of losses are +-1/2
        **{"a_H": differ / root, "mgf": (exp(width) + exp(-width)) / 2, "d2_H": differ**2},
        "mgf_M": sum(comb(n, j) * exp((2 * j - n) * width) for j in range(n + 1)) / (2**n * one),
        "mgf_prod": ((exp(width) + exp(-width)) / 2) ** n,
        "exp_prod": exp(width**2 / 2) ** n,
        RANGE: Fact(True, "0 <= l <= 1"),
        SMOOTH: true if losses != "points" else Fact(False, "the points are apart"),
        LIPSCHITZ: true,
        CONVEX: Fact(True, "Theta is one point" if flat else "the training data are ones, and (t - 1)^2/2 is convex"),
        A4: Fact(False, "for eps > C_H the right side is below 1"),
        **dict.fromkeys((A4_SMALL, AT_DATA), covered(losses, 4, nu_H, C_H)),
        **dict.fromkeys(("sample", "sample of differences"), Fact(True, "the draws are independent")),
        "sign": Fact(True, "sigma is 1 or -1 with chance 1/2"),
    }


@family(
    "one draw is replaced",
    n_valid=counts(2, 1, 5, most=5),
    z=counts(1, 0, most=1),
    z_new=counts(0, 1, most=1),
    others=reals(1, 0, zero=True, high=1),
    chance=reals("1/2", 1, high=1),
    weight=reals(1, "1/2", low=0.1, high=1),
    more=reals(0, "-1/2", "1/4", high=1, zero=True),
)
def replaced(
    *, n_valid: int, z: int, z_new: int, others: Number, chance: Number, weight: Number, more: Number
) -> dict[str, Any]:
    """The losses (t - z)^2 on [0, 1] of n draws, of which one is replaced, and a share of the others is 1.

    They are those of a node, whose weight is 1 for Lemma 2; ``more`` is what the other nodes of Lemma 3 add at every t.

    ``z``: the draw that is replaced; ``z_new``: what it is replaced by; ``others``: the share of the other draws that
    are 1; ``chance``: that a draw is 1; ``weight``: of the node.
    """
    n = n_valid.__index__()
    ones = others * (n - 1)
    first, second = (ones + z) / n, (ones + z_new) / n
    # L - L^ is (chance - share)(1 - 2 t), so that its supremum is at an end
    t, s = (0 * chance + (share > chance) for share in (first, second))
    return {
        "gap": weight * (chance - first) * (1 - 2 * t) + more,
        "gap_i": weight * (chance - second) * (1 - 2 * t) + more,
        "L_pop": weight * (t**2 - 2 * chance * t + chance) + more,
        "rest_D": ones * (t - 1) ** 2 + (n - 1 - ones) * t**2,
        **{"l_z": (t - z) ** 2, "l_zi": (t - z_new) ** 2, "l_max": 1 + 0 * chance, "n_train": n},
        **dict.fromkeys(("G_up", "G_D"), weight * abs(chance - first) + more),
        **dict.fromkeys(("G_up_i", "G_D1"), weight * abs(chance - second) + more),
        **dict.fromkeys(("w_j", "w_best", "w_best1", "w_most", "b_cap"), weight),
        "change": (t - z_new) ** 2 - (t - z) ** 2,
        "change_i": (s - z) ** 2 - (s - z_new) ** 2,
    }


@family(
    "subsets of many points",
    n_valid=counts(100, 10000),
    many=counts(7, 8),
    nu_H=reals("42/100", 42, 10000),
    C_H=reals(10**300, 18),
    delta=reals("9999/10000", "1/2"),
)
def subsets(*, n_valid: int, many: int, nu_H: Number, C_H: Number, **_: Any) -> dict[str, Any]:
    """The data are uniform on ``many`` n points; each n of these have a function, 0 there and 1 elsewhere.

    Whatever is drawn, a function is 0 at all data, and one is 1: deviations are the same for every sample. They are
    those of one node with the weight 1, too.
    """
    n, m, one = n_valid.__index__(), many.__index__(), nu_H / nu_H
    # n of m n points are at most (m^m/(m - 1)^(m - 1))^n sets
    few = nu_H * log(C_H) >= n * (m * log(m * one) - (m - 1) * log((m - 1) * one))
    covered_ = Fact(bool(few), "there are no more functions than C_H^nu_H")
    return {
        **{"Pr": (one,), **dict.fromkeys(("dev_0", "G_up", "dev_w", "G_b"), (1 - one / m,))},
        **dict.fromkeys(("G_down", "G_b_minus"), (one / m,)),
        **{"K_nodes": 1, "b_cap": one, "n_train": n_valid, **universal(C_H, one)},
        RANGE: Fact(True, "0 <= l <= 1"),
        **dict.fromkeys((A4_SMALL, AT_DATA, "covered H x Delta"), covered_),
        **dict.fromkeys(("sample", "samples ps-10.25"), Fact(True, "the draws are independent")),
    }


@family(
    "one function, and a coin that shows ones alone",
    draws=counts(700),
    chance=reals("1/10", low=0.1, high=1),
    delta=reals("9999/10000", low=0.01, high=0.99),
    nu_H=reals("1/1000000", low=0.01, high=10),
    C_H=reals(1, low=1, high=10),
    functions=counts(1, most=2),
)
def coin(*, draws: int, chance: Number, nu_H: Number, C_H: Number, functions: int, **_: Any) -> dict[str, Any]:
    """All outcomes of so many draws, of which each has the loss 1 with a given chance, else 0.

    ``functions``: of the class, a second one is 0.

    They are those of one node with the weight 1, too. No probability is too small to be one: that all draws are ones is
    what the bounds leave out.
    """
    n, one = draws.__index__(), chance / chance
    up = tuple(chance - k * one / n for k in range(n + 1))
    few = functions == 1 or (nu_H >= 1 and C_H >= 2)
    true = Fact(bool(few), "C_H^nu_H balls are enough, one for each function, and the draws are independent")
    zero = [0 * one for _ in range(1, functions)]
    return {
        "Pr": of_draws(n, chance),
        **dict.fromkeys(("dev_0", "dev_w"), tuple(map(abs, up))),
        **dict.fromkeys(("G_up", "G_b"), tuple(largest(x, *zero) for x in up)),
        **dict.fromkeys(("G_down", "G_b_minus"), tuple(largest(-x, *zero) for x in up)),
        **universal(C_H, one),
        **{"n_valid": n, "n_train": n, "K_nodes": 1, "b_cap": one},
        **dict.fromkeys((RANGE, A4_SMALL, AT_DATA, "sample", "samples ps-10.25", "covered H x Delta"), true),
    }


#: On one of them alone each part of a bound is at work: the class, or the level.
points = sample.alone("one draw of four points", losses="points", C_H=4, delta="99/100")
single = sample.alone("one function", losses="one", nu_H="1/1000000", delta="9999/10000")
FAMILIES = [sample, points, single]
constant = subsets.alone("subsets, and a large constant", n_valid=100, nu_H="42/100")
PS01_A = record(claims.PS01_A, families=[replaced])
PS01_B = record(claims.PS01_B, families=[replaced], tight=Sharp())
PARTS = tuple(
    record(claim, families=[sample])
    for claim in claims.CLAIMS
    if claim.statement is not None and claim.item.startswith(("ps-01.c", "ps-01.d", "ps-02", "ps-03"))
)
LINKS = tuple(record(getattr(claims, f"LEMMA2_{key}"), families=FAMILIES) for key in ("A", "C", "D", "E", "F"))
#: With other losses the entropy is not known.
one_loss = sample.narrowed("a sample of one loss", losses=choice("one"))
LEMMA2_B2 = record(claims.LEMMA2_B2, families=[one_loss, points, single])
LEMMA2_B = record(
    claims.LEMMA2_B,
    refuted_by=example(
        sample,
        losses="blank",
        left="1/8",
        right="0",
        by_hand="""n = 1. A draw is 1 with chance 1/2, with the loss (t - 1)^2/2 on [0, 1], or else blank, with the loss
        1/2. For a blank draw the supremum is 0, for a 1 it is 1/4, so that E G = 1/8. For a blank draw R^_n(H) is the
        mean of sigma/2, which is 0.""",
    ),
)
LEMMA2_B_CORRECTED = record(claims.LEMMA2_B_CORRECTED, families=[sample])
constants = sample.narrowed("a constant that is large enough", C_0=reals(44, 100))
LEMMA2_G = record(
    claims.LEMMA2_G,
    refuted_by=example(
        constants,
        nu_H="1/1000000",
        delta="9999/10000",
        left="0.63",
        right="0.44",
        by_hand="""l_max = C_H = n = 1, C_d = 24: the integral is sqrt(pi)/2 = 0.886, and C_0 = 44 is above 43.6. With
        nu_H = 10^-6 and delta = 0.9999 the left side is 0.0425 + (log(2.0002)/2)^(1/2), the right side is 44 times
        0.01005. For a larger C_0 take nu_H and 1 - delta smaller.""",
    ),
)
LEMMA2_G_CORRECTED = record(claims.LEMMA2_G_CORRECTED, families=[constants])
#: At this level nothing but ones alone is beyond what the class pays for.
sure = coin.alone("one function, and a coin that shows ones alone, at a level near 1", delta="1e-2000")
#: On one of them alone part of the bound with one root is at work: the class, or the level.
large_class = subsets.alone("a class of subsets", n_valid=10000, nu_H=10000, C_H=18)
_CONSTANT = [*(one.narrowed(f"{one.name}, and a constant", C_0=reals(25, 20)) for one in FAMILIES), large_class, coin]
two_functions = coin.alone("a coin that shows ones alone, and no loss", draws=2500, functions=2, nu_H=1, C_H=2)
LEMMA2_UNIVERSAL = record(claims.LEMMA2_UNIVERSAL, families=_CONSTANT)
LEMMA2_BOTH = record(claims.LEMMA2_BOTH, families=[*_CONSTANT, two_functions])
LEMMA2 = record(claims.LEMMA2, families=[single, sample], check=a4_as_printed)
LEMMA2_CORRECTED = record(claims.LEMMA2_CORRECTED, families=[*FAMILIES, constant])
