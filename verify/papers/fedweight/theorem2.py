"""Theorem 2: one node that is like the target and one that is not, for every draw of the data, and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import theorem2 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, counts, example, family, hidden, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, least, log, sqrt
from rateproof.verify.form.on_a_line import at_points
from rateproof.verify.form.outcomes import InOutcomes, Outcomes
from rateproof.verify.form.parts import Loss
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed
from rateproof.verify.papers.fedweight.lemma3 import many_others
from rateproof.verify.papers.fedweight.nodes import COVERED, SAMPLES, Nodes, ends, expected, over_all, universal
from rateproof.verify.papers.fedweight.theorem1 import (
    all_draws,
    all_that_may_be_drawn,
    drawn,
    heads,
    mixed,
    solutions,
    sums_at,
    weight_for,
)


def weights_in_vectors(**params: Any) -> InOutcomes:
    """The points and the weights of :func:`neighbours`; of the weights, node 1 is that of J."""
    of = in_floats(params)
    wide, means = of["wide"], [of[name] for name in ("p0", "p0", "p2", "q0", "q1", "q2")]
    at, w = solutions(means, 1.0, wide), weight_for(of["q0"], of["q1"], of["q2"], 1.0)
    f, f_hat = sums_at(w, means, wide)

    def gap(x: float) -> float:
        return float(wide * (of["p0"] - of["p2"]) * (wide - 2 * x) / 2)

    def run(setting: Setting) -> Iterator[Outcomes]:
        points: dict[str, Any] = {"t": at["tw"], "h": at["hw"], "s": at["ts"]}
        if "w_in" in setting.names:
            points = {"w_in": [w, 0], "w_out": [0, 1 - w], "w_star": [1, 0]}
        elif "w_out" in setting.names:
            first = any(str(metric) == "out_h" for metric in setting.metrics)
            points = {"w_out": 1 - w, "gaps": gap(at["hw"]) if first else -gap(wide * of["p0"])}
        return at_points(points, {"f": f, "f^": f_hat})(setting)

    return run


@family(
    "a node like the target, and another",
    None,
    weights_in_vectors,
    p0=reals("1/2", "1/8"),
    p2=reals("3/4", "1/4", "7/8"),
    q0=reals("1/2", "3/4", 0, zero=True),
    q1=reals("1/2", "1/4", 0, zero=True),
    q2=reals("1/2", "3/4", 1),
    wide=reals(1, "1/2"),
    radius_w=reals(2, 1),
)
def neighbours(
    *, p0: Number, p2: Number, q0: Number, q1: Number, q2: Number, wide: Number, radius_w: Number
) -> dict[str, Any]:
    """Losses ``1/2 (theta - z)^2``, z = 0 or ``wide`` with the means p, drawn means q; node 1 has p_0, and b = 1."""
    one, means = wide / wide, (p0, p0, p2, q0, q1, q2)
    w = weight_for(q0, q1, q2, one)
    f, _ = sums_at(w, means, wide)
    seen = drawn(means, w, b=one, wide=wide, steep=one)
    theta_h, theta_s = wide * mixed(w, q1, q2), wide * p0
    slope, gap = wide * (p0 - p2) / 2, (1 - w) * (p0 - p2) * wide / 2
    parabola = Fact(True, "each loss is a parabola of curvature 1")
    return {
        **seen,
        **{"sum_s": f.value(theta_s), "sum_star": f.value(theta_s)},
        **dict.fromkeys(("gap_h", "out_h"), gap * (wide - 2 * theta_h)),
        **dict.fromkeys(("gap_s", "out_s"), -gap * (wide - 2 * theta_s)),
        **{"out_w": 1 - w, "dist_w": sqrt(2 * one) * (1 - w)},
        **dict.fromkeys(("G_out", "G_dist"), abs(slope) * wide),
        "same_gap2": 0 * one,
        "Theta": Fact(True, "an interval"),
        **dict.fromkeys(("A1.1 of the sums", "A1.3 of the sums"), parabola),
        "inner problems": Fact(True, "means of z lie in Theta"),
    }


@family(
    "two terms and their roots", s_term=reals(1, 10, "1/10"), t_term=reals(1, 10), r_eb=reals(1, 2, 3, "3/2", "1/2")
)
def two_terms(*, s_term: Number, t_term: Number, r_eb: Number) -> dict[str, Any]:
    """Any positive numbers."""
    return {}


@family(
    "an error bound that is attained",
    A_size=reals(1, "1/10000"),
    B_size=reals(1, "1/10000"),
    l_0=reals(1, "1/4", 4),
    mu_l=reals(1, 4),
    C_0=reals("1/2", 1),
    C_a=reals("1/8", 1),
    C_r=reals(1, 2),
    r_eb=reals(2, 1, 3),
    part=reals(1, "1/2"),
    near=reals(1, "9/10"),
)
def attained(
    *, A_size: Number, B_size: Number, l_0: Number, mu_l: Number, C_0: Number, C_a: Number, C_r: Number, r_eb: Number,
    part: Number, near: Number,
) -> dict[str, Any]:  # fmt: skip
    """A gap that is what (38) gives, or a part of it, and a distance that is what A3 gives, or a part of it.

    ``part``: the part of what (38) gives that the gap is; ``near``: the part of what A3 gives that the distance is.
    """
    gap = part * (2 * C_0 * sqrt(A_size) + 2 * l_0 * sqrt(2 * C_a / mu_l) * B_size ** (one := part / part / 4))
    factors = (C_r * (2 * C_0) ** (4 * one / r_eb), C_r * (2 * sqrt(2 * C_a)) ** (4 * one / r_eb))
    return {"excess_pop": gap, "dist_w": near * C_r * gap ** (4 * one / r_eb), "C_w": 11 * largest(*factors) / 10}


@family(
    "sizes of N_eps",
    n_train=counts(100, 10**6),
    K_nodes=counts(2, 5, 100),
    J_same=counts(1, 2, 4),
    b_cap=reals(1, "1/4"),
    radius_w=reals(1, "1/10", "1/100"),
    radius_1=reals(1, 2),
)
def sizes(
    *, n_train: int, K_nodes: int, J_same: int, b_cap: Number, radius_w: Number, radius_1: Number
) -> dict[str, Any]:
    """Any numbers."""
    return {"N_size": n_train / (b_cap**2 * J_same + radius_w**2 * (K_nodes - J_same))}


@family(
    "six terms at their bounds",
    radius_w=reals(1, "1/10"),
    G_dist=reals(1, "1/10"),
    C_a2=reals(1, "1/10"),
    A_J=reals(1, 10),
)
def at_bounds(*, radius_w: Number, G_dist: Number, C_a2: Number, A_J: Number) -> dict[str, Any]:
    """Losses with T_1 = T_6 = eps G, T_3 = T_5 = 0 and T_2 = T_4 at the bound of (22)."""
    one, far, dev = A_J / A_J, radius_w * G_dist, C_a2 * (sqrt(A_J) + radius_w)
    return {
        **dict.fromkeys(("J_same", "b_cap", "N_size", "L_star"), one),
        **{"K_nodes": 2 * one, "dev_eps": dev},
        **dict.fromkeys(("sum_star", "sum_s", "sum_t"), 1 + far),
        **dict.fromkeys(("emp_t", "emp_h"), 1 + far + dev),
        **{"sum_h": 1 + far + 2 * dev, "L_hw": 1 + 2 * far + 2 * dev},
    }


PS_14A = record(claims.POWER, families=[two_terms])
PS_14B = record(claims.DISPLAY, families=[attained])
PS_14C = record(
    claims.OF_10,
    refuted_by=example(
        attained,
        A_size="1/10000",
        l_0="1/4",
        part="9/10",
        near="9/10",
        left="0.44",
        right="0.385",
        by_hand="r = 2, mu = B = C_r = 1, A = 1/10000, l_0 = 1/4, C_0 = 1/2 and C_a = 1/8, so that C_w = 11/10 is "
        "more than enough. (38) admits a gap of 9/10 (1/100 + 1/4) = 0.234, and A3 a distance of 9/10 of its root "
        "0.48. The right side of (10) is (11/10) (1/10 + 1/4).",
    ),
)
PS_14C_CORRECTED = record(claims.OF_10_CORRECTED, families=[attained])
PS_15A = record(claims.EQ39, families=[neighbours])
PS_15B = record(claims.T3, families=[neighbours])
PS_15C = record(claims.T5, families=[neighbours])
PS_15D = record(claims.OUTSIDE, families=[neighbours])
PS_15E = record(claims.T1, families=[neighbours])
PS_15F = record(claims.T6, families=[neighbours])
PS_15G = record(claims.T2_T4, families=[at_bounds])
PS_15H = record(claims.G_OUT, families=[neighbours])
PS_15I = record(claims.SUM, families=[at_bounds])
REM_NEPS = record(claims.REM_NEPS, families=[sizes])


#: What is the same for all draws.
_SAME = ("K_nodes", "l_0", "l_1", "l_2", "mu_l", "L_star", "F_pop_min", "L_ts")


def with_radius(
    J: int, n_valid: int, n_train: int, nu: Number, delta: Number, wide: Number, C_r: Number, times: Number
) -> dict[str, Number]:
    """A multiple of the eps of (10) as corrected, and (22) there, for K = J + 1 and b = C_H = l_1 = mu = 1, r = 2."""
    one = times / times
    level, of_C = sqrt(log(2 / delta) / 2), sqrt(log(8 * one) + 1)
    u = (12 * sqrt(nu * (log(4 * one) + 1)) + level) / sqrt(n_valid * one)
    v = sqrt((J + 1) * one / n_train) * (12 * sqrt(nu + J + 1) * of_C + level)
    radius = times * C_r * (sqrt(2 * u) + sqrt(2 * wide * sqrt(2 * v)))
    return {
        **{"radius_w": radius, "K_nodes": (J + 1) * one, "J_same": J * one, "C_r": C_r, "r_eb": 2 * one},
        **dict.fromkeys(("b_cap", "C_H", "l_max", "l_1", "mu_l"), one),
        **{"l_0": wide, "l_2": 0 * one},
        "mean_22": 12
        * (of_C * sqrt(J * (nu + J)) + sqrt(log(20 * one) + 1) * radius * sqrt(nu + 1))
        / sqrt(n_train * one),
        "level_22": sqrt((J + radius**2) / n_train) * level,
    }


def of_10(of: dict[str, Number], n_valid: int, n_train: int, nu: Number, delta: Number, C_w: Number) -> Number:
    """The eps of (10) for r = 2, with the root of ``l_0/mu^(1/2)``; ``of`` has the sizes and constants."""
    level = nu + log(1 / delta)
    A, B = level / n_valid, of["K_nodes"] * of["b_cap"] ** 2 * (level + of["K_nodes"]) / n_train
    return C_w * (sqrt(sqrt(A)) + sqrt(of["l_0"] / sqrt(of["mu_l"])) * sqrt(sqrt(sqrt(B))))


@family(
    "a node like the target, and another, all draws",
    p0=reals("1/2", "1/8"),
    p2=reals("3/4", 1),
    wide=reals(1, "1/2"),
    n_valid=counts(2, 1, most=2),
    n_train=counts(1, 2, most=4),
    nu_H=reals(1, 2),
    delta=reals("1/8", "1/4"),
    times=reals(1, 2, "1/2"),
    eps=choice("as corrected", "of (10)"),
    C_w=hidden(700, answers=["C_w"], low=100, high=10000),
    C_e=hidden(100, answers=["C_e"], low=90, high=1000),
)
def all_neighbours(
    *, p0: Number, p2: Number, wide: Number, n_valid: int, n_train: int, nu_H: Number, delta: Number,
    times: Number, eps: str, **constants: Any,
) -> dict[str, Any]:  # fmt: skip
    """As :func:`neighbours`, with all that may be drawn.

    ``eps``: whether the radius is ``times`` that of (10) as corrected, or that of (10), with the root of order r.
    """
    one = wide / wide
    of = with_radius(1, n_valid, n_train, nu_H, delta, wide, 2 / (wide * abs(p0 - p2)), times)
    if eps == "of (10)":
        of["radius_w"] = of_10(of, n_valid, n_train, nu_H, delta, constants["C_w"])
    radius = of["radius_w"]
    outcomes = list(product(heads(n_valid, p0), heads(n_train, p0), heads(n_train, p2)))
    rows = []
    for (_, q0), (_, q1), (_, q2) in outcomes:
        means = (p0, p0, p2, q0, q1, q2)
        w = weight_for(q0, q1, q2, one)
        f, _ = sums_at(w, means, wide)
        seen = drawn(means, w, b=one, wide=wide, steep=one)
        far = least(radius / sqrt(2 * one), one)
        rows.append(
            {
                **{name: x for name, x in seen.items() if name not in _SAME},
                **dict.fromkeys(("sum_s", "sum_star"), f.value(wide * p0)),
                **dict.fromkeys(("gap_h", "out_h"), seen["L_hw"] - seen["sum_h"]),
                **dict.fromkeys(("gap_s", "out_s"), f.value(wide * p0) - seen["L_star"]),
                "move_w": wide * largest(abs(q1 - p0), abs(q2 - p2)),
                **{"excess": seen["L_hw"] - seen["L_star"], "out_w": 1 - w},
                **{"dist_w": sqrt(2 * one) * (1 - w), "off_w": largest(sqrt(2 * one) * (1 - w) - radius, 0 * one)},
                "dev_eps": wide**2 * largest(abs(q1 - p0), abs(mixed(1 - far, q1 - p0, q2 - p2))) / 2,
            }
        )
    likely = tuple(first * second * third for (first, _), (second, _), (third, _) in outcomes)
    seen = {name: tuple(row[name] for row in rows) for name in rows[0]}
    signs: dict[str, Number] = {}
    if n_train <= 2:  # then eps > 2^(1/2), and all weights are near W*; else there are too many signs
        nodes, none, scale = Nodes.of(1, 1, n_train, one, p0, p2), 0 * one, wide**2
        signs = {
            "R_D": scale * nodes.average(ends(one)),
            "R_in": scale * nodes.average([[none, none], [one, none]]),
            "R_out": scale * radius * nodes.average([[none, none], [none, one]]),
        }
    return {
        **{"Pr": likely, **of, **seen, **signs},
        **dict.fromkeys(("G_up", "G_down"), seen["dev_0"]),
        **over_all(likely, seen["dev_w"]),
        **dict.fromkeys(("G_D", "G_minus"), seen["dev_eps"]),
        **dict.fromkeys(("E_G", "E_minus"), expected(likely, seen["dev_eps"])),
        **{name: drawn((p0, p0, p2, p0, p0, p2), one, b=one, wide=wide, steep=one)[name] for name in _SAME},
        **dict.fromkeys(("G_dist", "G_out"), wide**2 * abs(p0 - p2) / 2),
        **(enough := universal(one, one)),
        "c_train": 2 * sqrt(2 * enough["C_a"]),
        "A2'": Fact(True, "node 1 has p_0, and any weight of node 2 moves theta(w) away from theta*"),
        "A3": Fact(True, "Dist = C_r (F - min F)^(1/2), as weights 1 - w of node 2 give 2^(1/2) (1 - w)"),
        **known(nu_H),
    }


def known(nu: Number) -> dict[str, Fact]:
    """What holds of parabolas on an interval of length 1 at most, whatever is drawn."""
    parabola = Fact(True, "each loss is a parabola of curvature 1")
    return {
        **dict.fromkeys(
            ("A1.1 range", "A1.1 smooth", "A1.2", "A1.3", "A1.1 of the sums", "A1.3 of the sums"), parabola
        ),
        "A4": Fact(False, "a cover has one ball at least, and (C_H/eps)^nu_H < 1 for eps > C_H"),
        **dict.fromkeys(("A4 at the data", *COVERED), Fact(nu >= 1, "losses are 1-Lipschitz on an interval")),
        **dict.fromkeys(("sample", *SAMPLES), Fact(True, "independent coins, with losses between 0 and 1")),
        **{"Theta": Fact(True, "an interval"), "inner problems": Fact(True, "means of z lie in Theta")},
    }


@family("a target between two nodes, all draws", **all_draws.ranges)
def between(**given: Any) -> dict[str, Any]:
    """As :func:`all_draws`; one weight alone gives the target, so that r = 2 and A3 is attained."""
    found, one = all_that_may_be_drawn(**given), given["wide"] / given["wide"]
    factor = 2 / (given["wide"] * abs(given["p1"] - given["p2"]) * sqrt(given["steep"]))
    enough = universal(found["C_H"], one)
    c = 2 * sqrt(2 * enough["C_a"])
    return {
        **{**found, "C_r": factor, "r_eb": 2 * one, "dist_w": tuple(factor * sqrt(x) for x in found["excess_pop"])},
        **{**enough, "c_train": c, "C_w": factor * largest(2 * enough["C_0"], c)},
    }


#: On one of them alone one of both samples is at work, and on the last one ones alone mislead node 0.
_VALID = {"p1": 0, "p2": 1, "n_train": 10**30}
ALONE = [
    between.alone("a target between two nodes, nodes without noise", n_valid=1, **_VALID),
    between.alone(
        "a target between two nodes, known for sure",
        **{"center": "fixed", "p1": "1/4", "p2": "3/4", "n_valid": 10**12, "delta": "1/10"},
    ),
    between.alone("a sample of node 0 that misleads", p0="1/128", steep=2, n_valid=2048, delta="49/100", **_VALID),
]
THM2_I = record(claims.THEOREM2_I, families=[all_neighbours], check=a4_as_printed)
THM2_I_UNIVERSAL = record(claims.THEOREM2_I_UNIVERSAL, families=[all_neighbours, *ALONE])
THM2_I_CORRECTED = record(claims.THEOREM2_I_CORRECTED, families=[all_neighbours, *ALONE])
meant = all_neighbours.narrowed("a node like the target, and another, with the radius of (10)", eps=choice("of (10)"))
THM2_II = record(claims.THEOREM2_II, families=[meant], check=a4_as_printed)
THM2_II_SIZES = record(claims.SIZES_11, families=[many_others])
THM2_II_FIRST = record(claims.THEOREM2_II_FIRST, families=[meant])
THM2_II_UNIVERSAL = record(claims.THEOREM2_II_UNIVERSAL, families=[meant])
THM2_II_CORRECTED = record(claims.THEOREM2_II_CORRECTED, families=[all_neighbours])


def share_in_vectors(*, s_share: Any, apart: Any, l_0: Any, r_eb: Any) -> InOutcomes:
    """The points of :func:`shares`."""
    of = in_floats({"s": s_share, "apart": apart})
    x = of["s"] * of["apart"]
    loss = Loss("a parabola", lambda x: x**2 / 2, lambda x: x, (1, 1), 0.0)
    return at_points({"x": x, "x*": 0.0, "h": x - of["apart"]}, {"L_0": loss})


@family(
    "a share of the weight outside J",
    None,
    share_in_vectors,
    s_share=reals("1/2", "1/10", "1/100", "99/100"),
    apart=reals(1, "1/2"),
    l_0=reals(1, 2),
    r_eb=reals(2, 3, 1),
)
def shares(*, s_share: Number, apart: Number, l_0: Number, r_eb: Number) -> dict[str, Any]:
    """L_0 = theta^2/2, and (theta - apart)^2/2 of the weight s; C_r is such that A3 is attained at this w."""
    gap = (s_share * apart) ** 2 / 2
    return {
        **{"mu_l": l_0 / l_0, "l_1": l_0 / l_0, "gap_share": gap, "push2": ((1 - s_share) * apart) ** 2},
        "C_r": s_share / gap ** (l_0 / l_0 / r_eb),
        "A1 of L_0": Fact(True, "a parabola of curvature 1"),
    }


THM2_TIE_A = record(claims.TIE_GAP, families=[shares])
THM2_TIE_B = record(claims.TIE, families=[shares])
