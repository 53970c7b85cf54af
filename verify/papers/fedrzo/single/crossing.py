"""Clients whose sets differ: lines that cross, where their pulls almost cancel, and half-lines, between which is noise.

What is told of ``grad_kstar`` is a lower bound: E||grad F_eta||^2 is at least the square of the mean gradient.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.verify.counterexamples.replay import Number, rational, root
from rateproof.verify.papers.fedrzo.single.parameters import NO_NOISE, NO_SETS, RUN, Measured, numbers, whole

#: The clients start where their sets meet.
_FROM_0 = "the recursion of Algorithm 1 from 0, the one point of X"


def crossing_lines(at: Mapping[str, Any]) -> Measured:
    """Half of m clients for each of two lines in space, ``x_2 = +-x_1 tan(theta)`` with ``x_3 = 0``; rounds of 2 steps.

    The losses are ``a (-x_1 + phi(u^T x))``, ``u = (0, 1, +-1)/sqrt 2``, with the Huber function ``phi`` that is
    ``z^2/(2 width)`` for ``|z| <= width``, and ``a = L0/2``. ``told = B1`` cuts the lines where no client comes. In
    the direction of -x_1, in which sets pull together, a pull of ``a`` takes each as far as ``a/sin(theta)`` from
    balance across it; local steps across turn losses in the direction of x_3, where the mean of a round then rests
    although grad F_eta does not vanish.

    Courses stay where all gradients are affine, as estimates are at most ``3 L0`` long, so that means follow an affine
    recursion. By symmetry the server's has ``x_2 = 0``, and clients have ``+-y``. With ``held = 1`` a client keeps its
    direction for both steps. ``half`` is tan(theta/2).
    """
    L0, half, eta, gamma, m, K_, held, nu = numbers(
        {k: v for k, v in at.items() if k != "told"}, "L0", "half", "eta", "gamma", "m", "K", "held", "nu"
    )
    sin, cos = 2 * half / (1 + half**2), (1 - half**2) / (1 + half**2)
    q, rounds = gamma / eta, rational((whole("K", K_) + 1) // 2)
    # a round contracts by (1 - q)^2 across the lines and along x_3, and estimates move it by 6 gamma L0 at most
    far = 6 * L0 * eta / ((2 - q) * sin**2)
    near = 6 * L0 * eta / ((2 - q) * cos**2)
    stray = 2 * gamma * (3 * L0 + (sin * far + 2 * near + 3 * gamma * L0) / eta)
    width = eta + 2 * near + 2 * stray
    a = L0 / 2
    c = a / width
    if not (0 < half < 1 and 0 < q < 1 and held in (0, 1) and m.p % 2 == 0 and at["told"] in ("B1", "B2")):
        raise ValueError("half, gamma/eta and held lie between 0 and 1, m is even, and B1 or B2 is told")

    def moved(x: Number, z: Number, push: Number) -> tuple[Number, Number]:
        """The means of x_1 and x_3 after a round from (x, 0, z); ``push`` is a, or 0 for the linear part."""

        def pull(x: Number, y: Number, z: Number) -> tuple[Number, Number, Number]:
            across = (sin * x - cos * y) / eta
            return sin * across, -cos * across, z / eta

        def slope(y: Number, z: Number) -> Number:
            return c * (y + z) / 2

        first, bend = pull(x, 0 * x, z), slope(0 * x, z)
        once = x - gamma * (first[0] - push), -gamma * (first[1] + bend), z - gamma * (first[2] + bend)
        second = pull(*once)
        if held == 1:
            # E (v'Qv)(p'v) v = (tr(Q) p + 2 Q p) eta^4/15 in three dimensions, with p = (-push, bend, bend)
            turned = 3 * c * gamma / 5
            towards = slope(-gamma * first[1], z - gamma * first[2]) - turned * 3 * bend
            along = -push + turned * push
        else:
            towards, along = slope(once[1], once[2]), -push
        return once[0] - gamma * (second[0] + along), once[2] - gamma * (second[2] + towards)

    zero, one = 0 * eta, 0 * eta + 1
    (xx, xz), (zx, zz), (dx, dz) = moved(one, zero, zero), moved(zero, one, zero), moved(zero, zero, a)
    # fixed point and (I - M)^{-1}
    det = (1 - xx) * (1 - zz) - zx * xz
    rest = ((1 - xx) * dz + xz * dx) / det
    # the mean over the rounds of x_3 is off by (I - M)^{-1} (start - end)/rounds
    off = (abs((1 - xx) / det) * near + abs(xz / det) * far) / rounds
    resting = (1 / eta + c / 2) * max(abs(rest) - off, zero)
    values = {
        **{"n": rational(3), "m": m, "L0": L0, "nu": nu, "eta_s": eta, "gamma": gamma, "H": rational(2), "K_it": K_},
        **({"B1": far + near + stray, "B2": one} if at["told"] == "B1" else {"B1": zero, "B2": 1 / sin}),
        # F_eta is -a x_1 + sin^2 x_1^2/(2 eta) along x_1
        "D0": a**2 * eta / (2 * sin**2),
        "grad_kstar": resting**2 * rounds / (K_ + 1),
    }
    # mean dist^2 exceeds ||x - mean P_i||^2 by the variance of the P_i
    cut = "B_2 = 1, and B_1 is half the length of the segments, which bounds the variance of the P_i"
    lines = "mean dist^2 = sin^2 x_1^2 + cos^2 x_2^2 + x_3^2, ||x - mean P_i||^2 = sin^4 x_1^2 + cos^4 x_2^2 + x_3^2"
    facts = {
        "lipschitz": f"the slopes are {a} along x_1 and at most {a} across it",
        **{**NO_NOISE, **RUN},
        "sets": "lines, or segments",
        "dissimilarity": cut if at["told"] == "B1" else lines,
        "algorithm1": _FROM_0,
    }
    return values, _unless_held(facts, held)


def _unless_held(facts: dict[str, str], held: Number) -> dict[str, str]:
    return {key: why for key, why in facts.items() if held == 0 or not key.startswith("fresh")}


def overshot_pair(at: Mapping[str, Any]) -> Measured:
    """Two clients with the loss ``-L0 x``, the sets {0} and R, from 0, in the second step of their second round of two.

    Long steps overshoot the set, so that the gradient of F_eta at the server is as large as one likes.
    """
    L0, eta, gamma, nu = numbers(at, "L0", "eta", "gamma", "nu")
    server = 2 * gamma * L0 - gamma**2 * L0 / (2 * eta)
    apart = (gamma * server / (2 * eta)) ** 2
    values = {
        **{"n": rational(1), "m": rational(2), "L0": L0, "nu": nu, "B1": rational(0), "B2": rational("3/2")},
        **{"eta_s": eta, "gamma": gamma, "H": rational(2), "k_it": rational(3), "j_k": rational(1)},
        **{"E_eb": apart, "eb": apart, "sum_eb": rational(0), "sum_grad": (server / (2 * eta) - L0) ** 2},
    }
    facts = {
        "lipschitz": f"the losses -{L0} x",
        **{**NO_NOISE, **RUN},
        "sets": "the point 0, and the line",
        "dissimilarity": "mean dist^2 = x^2/2 = 2 |x - mean P_i|^2",
        "algorithm1": "the recursion of Algorithm 1 from 0, in X",
        "r>0": "the second round",
    }
    return values, facts


def noisy_half_lines(at: Mapping[str, Any]) -> Measured:
    """Half of m clients have the set x <= 0 and noise ``nu xi s(x)``, the others x >= 0 and none; all losses are 0.

    As for noisy clients every estimate of the first half is +-2 nu/eta, a step of Delta = 2 gamma nu/eta. In rounds of
    two steps the set of a client that noise has moved pulls it back where it is outside, so that the mean round rests
    at ``-Delta/(5 - 2 gamma/eta)``, and not at 0, where F_eta = x^2/(4 eta) is least. The mean round contracts by
    ``rho``, and the variance of a round is at most Delta^2/m: in mean square the server is Delta^2/m/(1 - rho^2) from
    the point of rest, but for its start in 0.
    """
    L0, nu, eta, gamma, m, K_ = numbers(at, "L0", "nu", "eta", "gamma", "m", "K")
    q, step, rounds = gamma / eta, 2 * gamma * nu / eta, rational((whole("K", K_) + 1) // 2)
    if not 0 < q < 1 or m.p % 2:
        raise ValueError("gamma/eta should lie between 0 and 1, and the clients be even in number")
    rest, rho = step / (5 - 2 * q), (1 + (1 - q) * (1 - q / 2)) / 2
    off = root((step**2 / m + rest**2 / rounds) / (1 - rho**2), 2)
    values = {
        **{"n": rational(1), "m": m, "L0": L0, "nu": nu, "B1": rational(0), "B2": rational("3/2"), "eta_s": eta},
        **{"gamma": gamma, "H": rational(2), "K_it": K_, "D0": rational(0)},
        "grad_kstar": (max(rest - off, 0 * rest) / (2 * eta)) ** 2 * rounds / (K_ + 1),
    }
    facts = {
        **RUN,
        "lipschitz": "all losses are 0",
        "unbiased": "xi has mean 0",
        "variance_bounded": "|xi s(x)| = 1",
        "sets": "half-lines",
        "dissimilarity": "mean dist^2 = x^2/2 and ||x - mean P_i||^2 = x^2/4",
        "algorithm1": _FROM_0,
    }
    return values, facts


def noisy_bend(at: Mapping[str, Any]) -> Measured:
    """Half of m clients have the loss ``L0 |x| + nu xi s(x)``, the others ``-slope x``; no sets, rounds of two steps.

    The gradient of the first half is affine up to eta and constant beyond, where noise takes a client from the start
    ``eta - Delta/2``, Delta = 2 gamma nu/eta, with its first step. The slope is the one at which the mean round rests
    there. Steps are nonexpansive whatever is drawn, so the server is R variances of a round from there in mean square
    after R rounds, and grad F_eta is L0/(2 eta)-Lipschitz.
    """
    L0, nu, eta, gamma, m, K_ = numbers(at, "L0", "nu", "eta", "gamma", "m", "K")
    q, step, rounds = gamma * L0 / eta, 2 * gamma * nu / eta, rational((whole("K", K_) + 1) // 2)
    start = eta - step / 2
    if not (0 < q < 1 and 4 * gamma * L0 < step < eta / 4) or m.p % 2:
        raise ValueError("gamma L0/eta should lie between 0 and 1, 2 nu/eta exceed 4 L0, and m be even")
    # after the first step one half of the noisy clients is beyond eta, the mean of the other is (1 - q) x - Delta
    slope = L0 * (start / eta + ((1 - q) * start - step) / (2 * eta) + rational("1/2")) / 2
    G = (L0 * start / eta - slope) / 2
    off = gamma * (L0 + 2 * nu / eta) * root(rounds / m, 2) * L0 / (2 * eta)
    values = {
        **{"n": rational(1), "m": m, "L0": L0, "nu": nu, "B1": rational(0), "B2": rational(0), "eta_s": eta},
        **{"gamma": gamma, "H": rational(2), "K_it": K_},
        # the curvature of F_eta is L0/(2 eta) between the start and its minimiser slope eta/L0
        "D0": G**2 * eta / L0,
        "grad_kstar": max(G - off, 0 * G) ** 2 * rounds / (K_ + 1),
    }
    facts = {
        **{**RUN, **NO_SETS},
        "lipschitz": f"{L0} |x|, and a smaller slope",
        "unbiased": "xi has mean 0",
        "variance_bounded": "|xi s(x)| = 1",
        "algorithm1": "the recursion of Algorithm 1 from the point of rest",
    }
    return values, facts
