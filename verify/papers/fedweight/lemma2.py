"""Lemma 2 on samples of which all outcomes are listed: means of coins, blank draws, one function, and many points."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedweight import lemma2 as claims
from rateproof.theory.papers.fedweight import notation as p
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import choice, counts, example, family, hidden, reals, record
from rateproof.verify.form.arithmetic import Number, erfc, exp, largest, log, pi, sqrt
from rateproof.verify.planted.mutate import Sharp


def a4_as_printed(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """That A4 for all eps > 0 holds for no class; for the claims that suppose it."""
    if any(h.key == p.A4.key for h in claim.hypotheses):
        yield Evidence(
            Finding.VACUOUS,
            Level.CERTIFICATE,
            "words",
            "no class of losses satisfies A4: at eps = 2 C_H it asks for a covering number of at most 2^(-nu_H) < 1",
        )


# keys of hypotheses, as texts: the program of an instance carries them
RANGE, SMOOTH, LIPSCHITZ, CONVEX = (h.key for h in p.A1)
A4, A4_SMALL = p.A4.key, p.A4_SMALL.key


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
            value = a if losses == "blank" else largest(a, b)
            if losses == "blank":
                value = largest(a, 0 * one)
            elif value < 0:
                value = a * b / (a + b)
            total = total + value * comb(k, i) * comb(n - k, j)
    return 0 * one if losses == "one" else total / (2 * n * one * 2**n)


def covered(losses: str, m: int, nu: Number, C: Number) -> Fact:
    """Whether A4 holds for eps <= 1."""
    if losses == "one":
        return Fact(bool(C >= 1), "one ball covers one function")
    if losses == "points":
        return Fact(bool(nu >= 1 and C >= m), "there are m functions, and (C_H/eps)^nu_H >= m")
    return Fact(bool(nu >= 1 and C >= 1), "|l(t; z) - l(s; z)| <= |t - s|, so that 1/eps balls cover the losses")


@family(
    "a sample",
    losses=choice("segment", "blank", "one", "points"),
    n_valid=counts(1, 2, 4, most=5),
    p=reals("1/2", "1/10", low=0.1, high=1),
    delta=reals("1/2", "99/100", "1/20", low=0.01, high=0.99),
    nu_H=reals(1, "1/1000000", low=0.01, high=10),
    C_H=reals(1, 4, low=1, high=10),
    C_0=reals(1, 2, low=1, high=10),
    C_d=reals(24, 100, low=20, high=100),
    u_dev=reals("1/10", "1/2", low=0.1, high=1),
    lam_H=reals(1, -3, low=0.1, high=5),
)
def sample(
    *,
    losses: str,
    n_valid: int,
    p: Number,
    delta: Number,
    nu_H: Number,
    C_H: Number,
    C_0: Number,
    C_d: Number,
    u_dev: Number,
    lam_H: Number,
) -> dict[str, Any]:
    """All outcomes of n draws, which are 1 with chance p.

    The loss is (t - z)^2/2 on [0, 1]; the same for z = 1 and 1/2 for a blank draw; z itself for one function; or the
    draws are uniform on 4 points, and the loss of each point is 1 for all draws but itself.

    Raises:
        ValueError: the points are drawn once.
    """
    n, one = n_valid.__index__(), p / p
    if losses == "points":
        if n > 1:
            raise ValueError("of points there is one draw")
        drawn: dict[str, Any] = {"Pr": (one,), "G_up": (3 * one / 4,), "G_down": (one / 4,), "dev_0": (3 * one / 4,)}
        drawn |= dict.fromkeys(("mean_up", "mean_gap", "ghost", "signed"), 3 * one / 4)
        drawn |= {"mean_down": one / 4, "rad_D": (one / 2,), "rad_H": one / 2, "entropy": sqrt(log(2 * one)) / 2}
        differ = one
    else:
        chances = [comb(n, k) * p**k * (one - p) ** (n - k) for k in range(n + 1)]
        share = [k * one / n for k in range(n + 1)]
        up, down = ([supremum(losses, sign * (p - x)) for x in share] for sign in (1, -1))
        averages = [of_signs(losses, n, k, one) for k in range(n + 1)]
        center = sum(c * x for c, x in zip(chances, share, strict=True))
        pairs = [
            (c * d, x - y) for c, x in zip(chances, share, strict=True) for d, y in zip(chances, share, strict=True)
        ]
        flips = 2 * p * (1 - p)
        signs = [
            (comb(n, m) * flips**m * (one - flips) ** (n - m) * comb(m, j) / 2**m, (2 * j - m) * one / n)
            for m in range(n + 1)
            for j in range(m + 1)
        ]
        drawn = {
            "Pr": tuple(chances),
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
        **{"plus_H": drawn["rad_H"], "minus_H": drawn["rad_H"], "l_max": one},
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
        A4_SMALL: covered(losses, 4, nu_H, C_H),
        "sample": Fact(True, "the draws are independent"),
        "sign": Fact(True, "sigma is 1 or -1 with chance 1/2"),
    }


@family(
    "one draw is replaced",
    n_valid=counts(2, 1, 5, most=5),
    z=counts(1, 0, most=1),
    z_new=counts(0, 1, most=1),
    others=reals(1, 0, zero=True, high=1),
    p=reals("1/2", 1, high=1),
)
def replaced(*, n_valid: int, z: int, z_new: int, others: Number, p: Number) -> dict[str, Any]:
    """The losses (t - z)^2/2 on [0, 1] of n draws, of which one is replaced, and a share of the others is 1."""
    n = n_valid.__index__()
    ones = others * (n - 1)
    first, second = (ones + z) / n, (ones + z_new) / n
    # L_0 - L^_0 is (p - share)(1 - 2 t)/2, so that its supremum is at an end
    t, s = (0 * p + (share > p) for share in (first, second))
    return {
        "gap": (p - first) * (1 - 2 * t) / 2,
        "gap_i": (p - second) * (1 - 2 * t) / 2,
        "L_pop": (t**2 - 2 * p * t + p) / 2,
        "rest_D": ones * (t - 1) ** 2 / 2 + (n - 1 - ones) * t**2 / 2,
        **{"l_z": (t - z) ** 2 / 2, "l_zi": (t - z_new) ** 2 / 2, "l_max": 1 + 0 * p},
        **{"G_up": abs(p - first) / 2, "G_up_i": abs(p - second) / 2},
        "change": (t - z_new) ** 2 / 2 - (t - z) ** 2 / 2,
        "change_i": (s - z) ** 2 / 2 - (s - z_new) ** 2 / 2,
    }
