"""Lemma 4 on problems of one number and one or two nodes, in which Local-SVRG has a closed form.

A node has one sample, so that Local-SVRG makes gradient steps, and its loss is ``c/2 (theta - m)^2``. The center has
``-slope theta + bend/2 theta^2``. Constants that are added to losses bring them into [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import floor
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import lemma4 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, exp, geometric, largest, least, log, sqrt
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.papers.fedweight.bilevel import NODE, Bilevel, Node
from rateproof.verify.papers.fedweight.nodes import expected
from rateproof.verify.planted.mutate import Sharp


@dataclass(frozen=True)
class Problem:
    """A bilevel problem at given weights."""

    of: Bilevel
    w: tuple[Number, ...]

    @classmethod
    def made(
        cls,
        c: tuple[Number, ...],
        m: tuple[Number, ...],
        w: tuple[Number, ...],
        third: Number,
        given: dict[str, Any],
    ) -> Problem:
        """Nodes of the slopes ``c (theta - m) + third theta |theta|/2`` and the center, for ``|theta| <= reach``."""
        D = given["reach"]
        nodes = [Node(x, third, x * y, D) for x, y in zip(c, m, strict=True)]
        return cls(Bilevel(nodes, Node(given["bend"], 0 * D, given["slope"], D), D), w)

    def hessian(self, theta: Number) -> Number:
        """The mean of the second derivatives."""
        return self.of.mean(self.w, lambda node: node.bend(theta))

    def solution(self) -> Number:
        """``theta^(w)``, where the third derivative is 0 or the minimisers are opposite."""
        return self.of.solution(self.w)

    def answers(self) -> dict[str, Any]:
        """Constants, and facts about the losses."""
        return {
            **self.of.assumed(),
            "K_nodes": len(self.w),
            "R_theta": largest(*(abs(self.of.solution(w)) for w in (self.w, self.w[::-1]))),
            "A5 of f": Fact(True, "the second derivatives are known, and c is the least"),
            **dict.fromkeys(("x0=0", "outer step"), Fact(True, "both calls start at 0")),
            "R": Fact(True, "R is the larger |theta^(w)| at both ends of the weights"),
            "x* of f": Fact(True, "it is known"),
        }

    def gradients(self, theta: Number, h: Number) -> dict[str, Number]:
        """Squared slopes, and errors of the gradient of ``F^`` at a point with a solution of the linear system."""
        best, nodes = self.solution(), self.of.nodes
        g, H = self.of.center.slope(theta), self.hessian(theta)
        exact, solved = g / H, self.of.h(self.w, best)
        return {
            **{"th_far2": best**2, "h_far2": exact**2, "slope_02": g**2},
            "th_slope2": largest(*(node.slope(best) ** 2 for node in nodes)),
            "h_slope2": largest(*((node.bend(theta) * exact - g) ** 2 for node in nodes)),
            "th_err2": (theta - best) ** 2,
            "h_err2": (h - exact) ** 2,
            "right_err2": (g - H * solved) ** 2,
            "solve_err2": sum((node.slope(theta) * (h - exact)) ** 2 for node in nodes),
            "point_err2": sum((node.slope(theta) * exact - node.slope(best) * solved) ** 2 for node in nodes),
            "err2_s": sum((node.slope(theta) * h - node.slope(best) * solved) ** 2 for node in nodes),
        }


def in_vectors(p: Problem, theta: float, h: float, call: tuple[float, float]) -> InOutcomes:
    """Points, solutions of linear systems, and gradients; ``call`` is what a call returns, and what it should."""
    nodes, center = p.of.nodes, p.of.center
    axes = {COORDINATE: [1.0, 1.0], NODE: [1 / len(nodes)] * len(nodes)}
    flat = Outcomes(axes, {}, {}, words(axes, "xi"))
    best = p.solution()
    solved = p.of.h(p.w, best)
    # the node whose loss is the steepest at theta^(w), and the one of the steepest f_k of the linear system
    first = max(nodes, key=lambda node: abs(node.slope(best)))
    second = max(nodes, key=lambda node: abs(node.bend(theta) - p.hessian(theta)))
    vectors = {"t": (theta, 0), "t*": (best, 0), "h": (0, h), "h*": (0, center.slope(theta) / p.hessian(theta))}
    vectors |= {"h^": (0, solved), "x": (call[0], 0), "x*": (call[1], 0)}

    def image(of: Any) -> Any:
        def at(z: Grid) -> tuple[Grid, Grid]:
            z = z + flat.along(COORDINATE, [0.0, 0.0])
            value = of(z.take([0], 0), z.take([1], 0))
            return flat.stacked(COORDINATE, [0 * value, value]), 0 * value

        return at

    def each(of: Any) -> Any:
        return flat.by_value(NODE, [image(lambda t, u, node=node: of(node, t, u)) for node in nodes])

    bend = p.hessian(0.0)  # of both problems, where the third derivative is 0

    def slopes(z: Grid) -> tuple[Grid, Grid]:
        away = z.take([0], 0) - call[1]
        return flat.stacked(COORDINATE, [bend * away, 0 * away]), bend * away**2 / 2

    at = {
        "L_0": image(lambda t, _: center.slope(t)),
        "L_k": image(lambda t, _: first.slope(t)),
        "Hess": image(lambda _, u: p.hessian(theta) * u),
        "Hess_k": image(lambda _, u: second.bend(theta) * u),
        "Hess h^": image(lambda t, _: p.hessian(t) * solved),
        "grad_k": each(lambda node, _, u: node.slope(theta) * u),
        "grad_k h^": each(lambda node, t, _: node.slope(t) * solved),
        "f": slopes,
    }
    made = {name: flat.along(COORDINATE, x) for name, x in vectors.items()}

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        yield replace(flat, made=made, at=at)

    return outcomes


def returned(p: Problem, m: tuple[Number, ...], gamma: Number, tau: int, rounds: int) -> Number:
    """What Local-SVRG returns after ``tau rounds - 1`` iterations from 0, for the minimisers ``m`` of the nodes."""
    c = [node.a for node in p.of.nodes]
    keep, v = [1 - gamma * x for x in c], 1 / (1 - gamma * least(*c))
    factor = expected(p.w, [u**tau for u in keep])
    fixed = expected(p.w, [x * (1 - u**tau) for x, u in zip(m, keep, strict=True)]) / (1 - factor)
    all_, moved = geometric(v**tau, rounds), geometric(v**tau * factor, rounds)
    # the weighted mean of the iterates, over the rounds for each place in a round
    value = 0 * gamma
    for i in range(tau):
        pulled = expected(p.w, [u**i for u in keep]) * fixed * (all_ - moved)
        value += v**i * (pulled + expected(p.w, [x * (1 - u**i) for x, u in zip(m, keep, strict=True)]) * all_)
    return value / (geometric(v, tau) * all_)


def longest(p: dict[str, Any], tau: int, q: Number) -> Number:
    """``gamma_0`` of (17), or for ``tau > 1`` one over a whole number that is a little less."""
    first = largest(80 * p["l_1"] / 3, 4 * p["mu_l"] / q)
    if tau == 1:
        return 1 / first
    drift = p["l_1"] * (tau - 1) * (6 * (tau - 1) + 8 + 16 / (1 - q)) * sqrt(5 * exp(1 + 0 * q))
    return (1 + 0 * q) / (floor(float(largest(first, drift))) + 1)


def made(given: dict[str, Any]) -> tuple[Problem, Number, Number, tuple[Number, Number], dict[str, Any]]:
    """The problem of :func:`calls`, what both calls return, what the one does that is asked for, and the rest."""
    one = given["c"] / given["c"]
    w = (given["w"], 1 - given["w"]) if given["K_nodes"] == 2 else (one,)
    c, m = (given["c"], given["c2"])[: len(w)], (given["m"], given["m2"])[: len(w)]
    p = Problem.made(c, m, w, 0 * one, given)
    q, tau = given["q_in"], given["tau_in"]
    constants = p.answers()
    gamma = given["share"] * longest(constants, tau, q)
    theta = returned(p, m, gamma, tau, given["rounds"])
    targets = tuple(p.of.center.slope(theta) / x for x in c)
    h = returned(p, targets, gamma, tau, given["rounds"])
    of_theta = given["problem"] == "theta"
    aims = m if of_theta else targets
    best = expected(w, [x * y for x, y in zip(c, aims, strict=True)]) / p.hessian(0 * one)
    slopes = [abs(x * (best - aim)) for x, aim in zip(c, aims, strict=True)]
    call = (theta if of_theta else h, best)
    rest = {
        **constants,
        "gamma_in": gamma,
        "step_0": gamma / given["share"],
        "T_in": tau * given["rounds"] - 1,
        "dist_0": best**2,
        "dist_in2": (call[0] - best) ** 2,
        "gap_out": p.hessian(0 * one) * (call[0] - best) ** 2 / 2,
        "het": expected(w, [x**2 for x in slopes]),
    }
    return p, theta, h, call, rest


def calls_in_vectors(**params: Any) -> InOutcomes:
    """The calls of :func:`calls` in vectors."""
    p, theta, h, call, _ = made(in_floats(params))
    return in_vectors(p, theta, h, call)


@family(
    "calls of Local-SVRG",
    None,
    calls_in_vectors,
    problem=choice("h", "theta"),
    K_nodes=counts(1, 2, most=2),
    tau_in=counts(1, 2, 5, most=5),
    rounds=counts(1, 2, 100, most=100),
    share=reals(1, "1/2", low=0.1, high=1),
    q_in=reals("1/2", "1/10", low=0.1, high=0.9),
    c=reals("1/2", 1),
    c2=reals("1/4", "1/2"),
    m=reals("1/4", 0, zero=True),
    m2=reals("-1/4", "1/4", zero=True),
    w=reals("1/2", "1/3", low=0.1, high=0.9),
    slope=reals("1/8", 1, 0, zero=True),
    bend=reals(0, "1/8", zero=True),
    reach=reals("1/2", 1),
)
def calls(**given: Any) -> dict[str, Any]:
    """One outer step whose calls start at 0.

    ``problem``: that of the call, in theta or the linear system in h; ``rounds``: of the call, with a few steps each;
    ``share``: the step over the longest one that (17) admits; ``c``, ``c2``: the curvature of the loss of the first and
    of the second node; ``m``, ``m2``: where that loss is least; ``w``: the weight of the first node; ``slope``,
    ``bend``: how steep the loss of the center falls at 0, and its curvature; ``reach``: half the width of Theta.
    """
    p, theta, h, _, rest = made(given)
    return {**rest, **p.gradients(theta, h), "tau_in": given["tau_in"], "q_in": given["q_in"]}


def placed(given: dict[str, Any]) -> Problem:
    """Two nodes of opposite minimisers, with equal weights, so that ``theta^(w) = 0``."""
    one = given["c"] / given["c"]
    m = given["m"]
    return Problem.made((given["c"],) * 2, (m, -m), (one / 2,) * 2, given["third"], given)


def points_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`points` in vectors."""
    of = in_floats(params)
    return in_vectors(placed(of), of["theta"], of["h"], (0.0, 0.0))


@family(
    "a point and a solution that are given",
    None,
    points_in_vectors,
    c=reals("1/4", "1/100"),
    m=reals("1/2", 0, zero=True),
    third=reals(0, "1/4", 1, zero=True),
    slope=reals("1/8", 1, 0, "1/400", zero=True),
    bend=reals(0, "-1/8", zero=True),
    theta=reals("1/2", "1/100", 1, zero=True),
    h=reals(0, 1, -10, zero=True),
    reach=reals(1),
)
def points(**given: Any) -> dict[str, Any]:
    """The losses have a third derivative, on which the constant ``l_2`` depends."""
    p = placed(given)
    return {**p.answers(), **p.gradients(given["theta"], given["h"])}


@family(
    "numbers that attain (47)",
    order=choice("4", "2"),
    length=choice("lemma", "proof", "cube"),
    tau_in=counts(1, 2, 10, most=10),
    s_out=counts(0, 1, 100, most=100, drawn=range(100)),
    q_in=reals("1/2", "1/10", low=0.1, high=0.9),
    l_1=reals(1, 10, "1/100"),
    mu_l=reals(1, 2, "1/10", "1/100"),
    C_1=reals(1, "3/80", 100),
    C_2=reals(1),
    C_3=reals(1, "1/100", 100),
    C_4=reals(1, "1/100", 100),
)
def attained(*, order: str, length: str, tau_in: int, s_out: int, **of: Number) -> dict[str, Any]:
    """The error is the right side of (47), and T the least number of iterations that the schedules admit.

    ``order``: the power of s + 1 with which the error falls; ``length``: which schedule the number of iterations is of.
    """
    C_1, C_2, C_3, C_4 = (of[f"C_{k}"] for k in range(1, 5))
    power, drift, mu = s_out + 1, tau_in - 1, of["mu_l"]
    inside = C_1 * (C_2 + C_3 * drift) + C_4 * drift**2
    gamma = longest(of, tau_in, of["q_in"])
    if tau_in > 1:
        gamma = 1 / largest(1 / gamma, (1 + 0 * mu) * (floor(float(power ** (int(order) // 2) * sqrt(inside))) + 1))
        T = log(1 / gamma) ** 3 / (mu * gamma) if length == "cube" else 3 * log(1 / gamma) / (mu * gamma)
    else:
        T = log(C_1 * C_2 / (mu if length == "proof" else 1) * power ** int(order) / gamma) / (gamma * mu)
    T = floor(float(T)) + 1 if T > 0 else 0
    error = C_1 / gamma * (1 - gamma * mu) ** (T + 1) * (C_2 + C_3 * drift) + C_4 * (gamma * drift) ** 2
    return {**of, "tau_in": tau_in, "s_out": s_out, "gamma_in": gamma, "M_s": 1 / gamma, "T_in": T, "err2_s": error}


@family(
    "numbers that attain (45) and (46)",
    tau_in=counts(1, 2, 10, most=10),
    T_in=counts(0, 10, most=100),
    q_in=reals("1/2", "1/10", low=0.1, high=0.9),
    K_nodes=counts(1, 3, most=3),
    l_0=reals(1, 10),
    l_1=reals(1, 10),
    l_2=reals(0, 1, zero=True),
    mu_l=reals(1, "1/10"),
    R_theta=reals(2, 0, zero=True),
    share=reals(1, "1/2", low=0.1, high=1),
)
def attained_46(*, tau_in: int, T_in: int, share: Number, **of: Number) -> dict[str, Any]:
    """All that (46) follows from holds with equality, but for a little that lets balls decide it."""
    longer = longest(of, tau_in, of["q_in"])
    gamma, mu, q, drift = share * longer, of["mu_l"], of["q_in"], tau_in - 1
    e, x = exp(1 + 0 * q), gamma * of["l_1"]
    far, slopes = largest(of["R_theta"], of["l_0"] / mu) ** 2, (of["l_1"] / mu + 1) ** 2 * of["l_0"] ** 2
    bracket = 4 + 32 * x**2 / (3 * q) + 30 * e * x**3 * drift * (2 + q) / q
    gap = (1 - gamma * mu) ** (T_in + 1) / gamma * bracket * far + 45 * e * x * gamma * drift**2 * slopes / 2
    gap *= 1 - share / 10**9
    return {
        **of,
        **{"tau_in": tau_in, "T_in": T_in, "gamma_in": gamma, "step_0": gamma / share, "gap_out": gap},
        **{"dist_0": far * (1 - share / 10**12), "het": slopes},
        **dict.fromkeys(("dist_in2", "th_err2", "h_err2"), 2 * gap / mu),
    }


#: A center that is steeper than the nodes: its loss is ``1/2 - theta``.
STEEP = "L_0 = 1/2 - theta for |theta| <= 1/2"
PS18_A = record(claims.PS18_A, families=[calls])
PS18_B = record(
    claims.PS18_B,
    refuted_by=example(
        calls,
        slope=1,
        left="4",
        right="9/16",
        by_hand=f"One node with L_1 = (theta - 1/4)^2/4, so mu = 1/2 and l_0 = 3/8, and {STEEP}. The linear system is "
        "x/2 = -L_0' up to sign, |x^*| = 2, and l_0/mu = 3/4.",
    ),
)
PS18_B_CORRECTED = record(claims.PS18_B_CORRECTED, families=[calls])
PS18_C = record(
    claims.PS18_C,
    refuted_by=example(
        calls,
        **{"slope": 1, "K_nodes": 2, "c": "1/5", "c2": "1/10", "m": 0, "m2": 0},
        left="1/9",
        right="9/100",
        by_hand=f"L_1 = theta^2/10 and L_2 = theta^2/20 with weights 1/2, and {STEEP}: l_0 = 1/10, l_1/mu = 2, and "
        "|x^*| = 20/3. Then |grad f_1(x^*)| = |(1/5) (20/3) - 1| = 1/3, and l_1 l_0/mu + l_0 = 3/10.",
    ),
)
PS18_C_CORRECTED = record(claims.PS18_C_CORRECTED, families=[calls])
PS19_A = record(claims.PS19_A, families=[calls], tight=Sharp())
PS19_B = record(claims.PS19_B, families=[calls, attained_46])
EQ46 = record(
    claims.EQ46,
    refuted_by=example(
        calls,
        **{"slope": 1, "c": "1/10", "m": 0},
        left="100",
        right="51.7",
        by_hand=f"One node with L_1 = theta^2/20, l_1 = mu = 1/10, l_0 = 1/20, R = 0, and {STEEP}. x* is 10 up to "
        "sign. For tau = 1, q = 1/2 and T = 0 it returns x^(0) = 0. As gamma_0 mu = 3/80 the bound is (160/3) (77/80) "
        "4.03 (1/4).",
    ),
)
#: So many rounds that only the distance of the minimisers of the nodes is left.
drifted = calls.alone("many rounds of two local steps", K_nodes=2, tau_in=2, rounds=10000)
EQ46_HALF, EQ46_CORRECTED = (
    record(claim, families=[calls, drifted]) for claim in (claims.EQ46_HALF, claims.EQ46_CORRECTED)
)
PS20_A = record(claims.PS20_A, families=[calls, points], tight=Sharp())
PS20_B = record(claims.PS20_B, families=[calls, attained_46])
PS21_A = record(
    claims.PS21_A,
    families=[calls, points],
    refuted_by=example(
        calls,
        slope=1,
        left="1/16",
        right="9/256",
        by_hand=f"One node with L_1 = (theta - 1/4)^2/4, l_1 = mu = 1/2, l_0 = 3/8, and {STEEP}. At theta^s = 0, 1/4 "
        "from theta^, gradtilde is (1/8) 2 = 1/4 and grad F^ is 0; 2 l_0 l_1/mu = 3/4, and 3/4 times 1/4 is 3/16.",
    ),
)
PS21_A_CORRECTED = record(claims.PS21_A_CORRECTED, families=[calls, points])
PS21_B = record(claims.PS21_B, families=[calls, attained_46])
LEM4 = record(
    claims.LEM4,
    refuted_by=example(
        calls,
        **{"slope": 1, "K_nodes": 2, "c": "1/200", "c2": "1/200"},
        left="1/8",
        right="0.0327",
        by_hand=f"Nodes with (theta -+ 1/4)^2/400, weights 1/2, and {STEEP}: l_1 = mu = 1/200, l_0 = 3/800, R = 0, "
        "l_0/mu = 3/4. tau = 1, q = 1/2, T = 0: both calls return 0, while grad F^ = (1/4, -1/4) up to sign. The bound "
        "is 20 l_0^2 2 (9/16) (80/3) (77/80) 4.03.",
    ),
)
LEM4_CORRECTED = record(claims.LEM4_CORRECTED, families=[calls, drifted])
#: Several local steps, for which M_s is small.
several = attained.narrowed(
    "numbers that attain (47), several local steps",
    order=choice("2", "4"),
    length=choice("lemma", "cube"),
    tau_in=counts(2, 10, most=10),
    **dict.fromkeys(("l_1", "mu_l"), reals("1/100", "1/10")),
)
LEM4_A, LEM4_C = (record(claim, families=[attained]) for claim in (claims.LEM4_A, claims.LEM4_C))
LEM4_B, LEM4_D = (record(claim, families=[attained, several]) for claim in (claims.LEM4_B, claims.LEM4_D))
PS22_A, PS22_B, PS22_C, PS22_D = (
    record(claim, families=[attained]) for claim in (claims.PS22_A, claims.PS22_B, claims.PS22_C, claims.PS22_D)
)
PS22_E = record(
    claims.PS22_E,
    refuted_by=example(
        attained,
        **{"length": "proof", "l_1": 2, "mu_l": 2, "C_1": "3/80"},
        left="77/40",
        right="1",
        by_hand="l_1 = mu = 2, q = 1/2: gamma_0 = 3/160. With C_1 C_2 = 3/80 and s = 0 the logarithm is ln(1), so T = "
        "0, and (47) admits (3/80)/(3/160) (1 - 3/80) = 77/40.",
    ),
)
PS22_E_CORRECTED = record(claims.PS22_E_CORRECTED, families=[attained])
