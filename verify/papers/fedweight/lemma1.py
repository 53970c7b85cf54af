"""Lemma 1 on kinked losses and parabolas of one variable, inside Theta and at its boundary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import lemma1 as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.papers.fedweight.bilevel import NODE, Bilevel, Node, at_nodes


def kinked_nodes(
    *, K_nodes: int, t: Number, room: Number, reach: Number, mu_l: Number, l_2: Number, c: Number, c_0: Number
) -> tuple[Bilevel, list[Number], list[Number]]:
    """The problem, equal weights, and those at which theta^ is t.

    Raises:
        ValueError: no weights have the minimiser t.
    """
    K = K_nodes.__index__()
    if K % 2:
        raise ValueError("half of the nodes pull one way, half the other")
    one, flat = 1 + 0 * t, abs(t) * reach
    nodes = [Node(mu_l, l_2, c * (-1) ** k, flat) for k in range(K)]
    s = Node(mu_l, l_2, 0 * c, flat).slope(t) / c
    if abs(s) > 1:
        raise ValueError("weights would be negative")
    of = Bilevel(nodes, Node(mu_l, l_2, c_0, flat), abs(t) * room)
    return of, [one / K for _ in range(K)], [(one + s * (-1) ** k) / K for k in range(K)]


def two_weights(of: Bilevel, w: Sequence[Number], v: Sequence[Number], t: Number, tp: Number) -> dict[str, Any]:
    """What Lemma 1 says at two weights, where theta^ is t and t'."""
    pairs = zip(of.hypergradient(w, t), of.hypergradient(v, tp), strict=True)
    inside = abs(t) < of.D and abs(tp) < of.D
    return {
        **of.assumed(),
        "change2_F": sum((x - y) ** 2 for x, y in pairs),
        "apart2_ww": sum((x - y) ** 2 for x, y in zip(w, v, strict=True)),
        **{"size_h": abs(of.h(w, t)), "size_hp": abs(of.h(v, tp)), "off_hp2": 0 * t},
        "interior": Fact(inside, f"theta^ is {t} and {tp}, Theta is [-{of.D}, {of.D}]"),
    }


def in_vectors(of: Bilevel, w: Sequence[float], v: Sequence[float], t: float, tp: float) -> InOutcomes:
    """The vectors of :func:`two_weights`."""
    K, h, hp = len(w), of.h(w, t), of.h(v, tp)
    slopes, bends = [n.slope(tp) for n in of.nodes], [n.bend(tp) * hp for n in of.nodes]
    H, Hp = of.mean(w, lambda n: n.bend(t)), of.mean(v, lambda n: n.bend(tp))
    functions = {
        "f": lambda _, x: (of.mean(w, lambda n: n.slope(x)), of.mean(w, lambda n: n.value(x))),
        "f'": lambda _, x: (of.mean(v, lambda n: n.slope(x)), of.mean(v, lambda n: n.value(x))),
        "L0": lambda _, x: (of.center.slope(x), of.center.value(x)),
        "g'": lambda along, x: (x * along(slopes), None),
        "H": lambda _, x: (H * x, None),
        "H'": lambda _, x: (Hp * x, None),
        "dir h": lambda along, x: (along([n.slope(float(x.squeeze())) * h for n in of.nodes]), None),
        "dir'": lambda along, x: (along(slopes) * x, None),
        "A'h'": lambda along, x: (along(bends) * x, None),
        "N h'": lambda _, x: (of.mean(w, lambda n: n.bend(x)) * hp, None),
    }
    return at_nodes([1 / K] * K, {"th": t, "th'": tp, "h": h, "h'": hp}, {"w": w, "w'": v}, functions)


def kinked_in_vectors(*, capped: str, **params: Any) -> InOutcomes:
    """The vectors of :func:`kinked`."""
    of = in_floats(params)
    return in_vectors(*kinked_nodes(**of), 0.0, of["t"])


@family(
    "kinked losses",
    None,
    kinked_in_vectors,
    K_nodes=counts(4, 2, 16, drawn=(2, 4)),
    t=reals("1/100", "1/20", "-1/20", low=0.001, high=0.1),
    room=reals("5/4", 1, low=1, high=10),
    reach=reals(10, 1, low=1, high=10),
    capped=choice("b as small as can be", "b = 1"),
    mu_l=reals(1, 2),
    l_2=reals(1, 0, 5, zero=True),
    c=reals(1, "1/2"),
    c_0=reals(1, -1, 0, 5, zero=True),
)
def kinked(*, t: Number, capped: str, **given: Any) -> dict[str, Any]:
    """``mu t^2/2 + l_2 |t|^3/6 -+ c t`` up to ``|t| = flat``, with equal weights and at weights where theta^ is t."""
    of, w, v = kinked_nodes(t=t, **given)
    b = largest(*v) if capped == "b as small as can be" else 1 + 0 * t
    # the largest pull of all weights: that of v, or of one node
    pull = of.mean(v, lambda node: node.c) if b < 1 else of.nodes[0].c
    inside = Node(of.center.a, of.center.m, 0 * t, of.center.flat).slope(of.D) > abs(pull)
    interior = Fact(inside, f"the weights pull by {abs(pull)} at most, Theta is [-{of.D}, {of.D}]")
    return {**two_weights(of, w, v, 0 * t, t), "b_cap": b, "interior": interior}


def parabolas_of(
    *, K_nodes: int, p: Number, mu_l: Number, more: Number, c: Number, a_0: Number, c_0: Number, D: Number
) -> tuple[Bilevel, list[Number]]:
    """Parabolas whose curvature grows from node to node, and weights of which the first node has p."""
    K = K_nodes.__index__()
    nodes = [Node(mu_l + k * more, 0 * p, c * (-1) ** k) for k in range(K)]
    return Bilevel(nodes, Node(a_0, 0 * p, c_0), D), [p, *((1 - p) / (K - 1) for _ in range(K - 1))]


def parabolas_in_vectors(*, q: Any, **params: Any) -> InOutcomes:
    """The vectors of :func:`parabolas`."""
    of = in_floats({**params, "q": q})
    q = of.pop("q")
    (problem, w), (_, v) = parabolas_of(**of), parabolas_of(**{**of, "p": q})
    return in_vectors(problem, w, v, problem.solution(w), problem.solution(v))


NODES = {
    "K_nodes": counts(2, 3, drawn=(2, 3)),
    "p": reals("1/2", "3/4", 1, low=0.1, high=1),
    "mu_l": reals(1, "1/2"),
    "more": reals(0, 1, zero=True),
    "c": reals("1/4", "1/8"),
    "a_0": reals(1, "1/4"),
    "c_0": reals("1/4", 0, "-1/4", zero=True),
    "D": reals("1/2", "1/8"),
}


@family("parabolas", None, parabolas_in_vectors, q=reals("1/4", 0, 1, low=0.1, high=1, zero=True), **NODES)
def parabolas(*, q: Number, **given: Any) -> dict[str, Any]:
    """Two weights of parabolas, inside Theta.

    Raises:
        ValueError: theta^ lies at the boundary, where F^ has other derivatives.
    """
    (of, w), (_, v) = parabolas_of(**given), parabolas_of(**{**given, "p": q})
    t, tp = of.solution(w), of.solution(v)
    if not (abs(t) < of.D and abs(tp) < of.D):
        raise ValueError("theta^ lies at the boundary")
    return {**two_weights(of, w, v, t, tp), "b_cap": largest(*w, *v)}


def at_w(of: Bilevel, w: Sequence[Number]) -> dict[str, Number]:
    """theta^(w), its derivative in the weight of the first node, and the vector of (13).

    Raises:
        ValueError: theta^ has no derivative.
    """
    first, S_a, S_c = of.nodes[0], of.mean(w, lambda n: n.a), of.mean(w, lambda n: n.c)
    t, free = of.solution(w), abs(S_c / S_a)
    if free == of.D:
        raise ValueError("theta^ just reaches the boundary")
    d = (first.c * S_a - S_c * first.a) / S_a**2 if free < of.D else 0 * t
    return {"th": t, "d": d, "h": of.h(w, t), "gk": first.slope(t), "H": S_a}


def gradient_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`gradient`."""
    of, w = parabolas_of(**in_floats(params))
    at = at_w(of, w)
    H = at.pop("H")

    def node(along: Any, x: Any) -> Any:
        t = float(x.squeeze())
        return along([n.slope(t) for n in of.nodes]), along([n.value(t) for n in of.nodes])

    functions = {
        "L0": lambda _, x: (of.center.slope(x), of.center.value(x)),
        "L": node,
        "f": lambda _, x: (of.mean(w, lambda n: n.slope(x)), of.mean(w, lambda n: n.value(x))),
        "H": lambda _, x: (H * x, None),
    }
    return at_nodes(w, at, {}, functions)


@family("parabolas at one weight", None, gradient_in_vectors, **NODES)
def gradient(**given: Any) -> dict[str, Any]:
    """F^ in the weight of the first node; theta^ is what the parabolas have, but for the boundary of Theta."""
    of, w = parabolas_of(**given)
    at = at_w(of, w)
    t, d, h, H = at["th"], at["d"], at["h"], at["H"]
    inside = abs(t) < of.D
    return {
        **of.assumed(),
        "partial_k": of.center.slope(t) * d,
        "gk_h": at["gk"] * h,
        **{"Hh_d": H * h * d, "h_Hd": h * H * d, "off_1h2": (H * h - of.center.slope(t)) ** 2},
        "off_d2": (H * d + at["gk"]) ** 2,
        "euler": sum(x * y for x, y in zip(w, of.hypergradient(w, t), strict=True)),
        "interior": Fact(inside, f"theta^ is {t}, Theta is [-{of.D}, {of.D}]"),
    }


Pair: TypeAlias = Sequence[Number]


def dot(x: Pair, y: Pair) -> Number:
    """The inner product."""
    return x[0] * y[0] + x[1] * y[1]


def times(matrix: Sequence[Pair], x: Pair) -> list[Number]:
    """A matrix times a vector."""
    return [dot(row, x) for row in matrix]


def adjugate(matrix: Sequence[Pair]) -> tuple[list[list[Number]], Number]:
    """The inverse times the determinant, and that."""
    (a, b), (c, d) = matrix
    return [[d, -b], [-c, a]], a * d - b * c


def plane_of(*, p: Number, turn: Number, bend: Number, c_0: Number) -> dict[str, Any]:
    """Quadratics ``(theta - m)^T A (theta - m)/100`` whose A do not commute; theta^(w) by Cramer's rule."""
    o = 0 * p
    A = [[[1 + bend, o], [o, 1 + o]], [[1 + o, turn], [turn, 1 + bend]]]
    A = [[[x / 50 for x in row] for row in matrix] for matrix in A]
    m, w = [[1 + o, o], [o, 1 + o]], [p, 1 - p]
    pulls = [times(*of) for of in zip(A, m, strict=True)]
    H = [[sum(x * a[i][j] for x, a in zip(w, A, strict=True)) for j in (0, 1)] for i in (0, 1)]
    pull = [sum(x * of[i] for x, of in zip(w, pulls, strict=True)) for i in (0, 1)]
    adj, det = adjugate(H)
    theta = [x / det for x in times(adj, pull)]
    # the quotient rule for adj(H) pull / det(H), in the weight of the first node
    change = [x + y for x, y in zip(times(adjugate(A[0])[0], pull), times(adj, pulls[0]), strict=True)]
    det_change = sum(dot(row, column) for row, column in zip(adj, A[0], strict=True))
    slopes = [times(a, [t - x for t, x in zip(theta, at, strict=True)]) for a, at in zip(A, m, strict=True)]
    g0 = [(theta[0] - c_0) / 50, (theta[1] - c_0) / 25]
    return {
        **{"A": A, "m": m, "w": w, "H": H, "th": theta, "g0": g0, "slopes": slopes, "gk": slopes[0]},
        "d": [(x - det_change * t) / det for x, t in zip(change, theta, strict=True)],
        "h": [x / det for x in times(adj, g0)],
    }


def plane_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`plane`."""
    p = in_floats(params)
    of = plane_of(**p)
    chances = {COORDINATE: [1.0, 1.0], NODE: of["w"]}
    flat = Outcomes(chances, {}, {}, lambda word, at: {NODE} if word == "node" else set())
    made = {name: flat.along(COORDINATE, of[name]) for name in ("th", "h", "d", "gk")}
    center = np.array([[1 / 50], [1 / 25]])

    def quadratic(A: Sequence[Pair], m: Pair, x: Grid) -> tuple[Grid, Grid]:
        off = x - np.reshape(m, (2, 1))
        return np.array(A) @ off, (off * (np.array(A) @ off)).sum(0, keepdims=True) / 2

    nodes = flat.by_value(NODE, [partial(quadratic, A, m) for A, m in zip(of["A"], of["m"], strict=True)])
    functions = {
        "L0": lambda x: (center * (x - p["c_0"]), (center * (x - p["c_0"]) ** 2).sum(0, keepdims=True) / 2),
        "L": nodes,
        "f": flat.mean_of(nodes, NODE),
        "H": lambda x: (np.array(of["H"]) @ x, None),
    }
    return lambda _: iter([Outcomes(chances, made, functions, flat.knows)])


@family(
    "quadratics of the plane",
    None,
    plane_in_vectors,
    p=reals("1/2", "1/4", 1, high=1),
    turn=reals("1/2", 0, "-1/2", low=0.1, high=0.5, zero=True),
    bend=reals(1, 0, high=1, zero=True),
    c_0=reals(1, -2, high=2),
)
def plane(**given: Any) -> dict[str, Any]:
    """(13) for two quadratics and a center on the disc of radius 2, where they are at most 1."""
    of = plane_of(**given)
    h, d, Hh, Hd = of["h"], of["d"], times(of["H"], of["h"]), times(of["H"], of["d"])
    keys = ("A1.1 range", "A1.1 smooth", "A1.2", "A1.3")
    return {
        "partial_k": dot(of["g0"], d),
        "gk_h": dot(of["gk"], h),
        **{"Hh_d": dot(Hh, d), "h_Hd": dot(h, Hd)},
        "off_1h2": 0 * h[0],
        "off_d2": sum((x + y) ** 2 for x, y in zip(Hd, of["gk"], strict=True)),
        **dict.fromkeys(keys, Fact(True, "quadratics with curvatures between 1/100 and 1/20 on a disc of radius 2")),
    }


SIZE = record(claims.SIZE, families=[kinked])
UNCAPPED = kinked.alone(
    "kinked losses without a cap",
    K_nodes=256,
    t="1/1000",
    room=250,
    reach=1,
    capped="b = 1",
    l_2=40,
    c="1/4",
    c_0="1/4",
)
LIPSCHITZ_GRADIENT = record(
    claims.LIPSCHITZ_GRADIENT,
    families=[kinked, UNCAPPED],
    refuted_by=example(
        kinked,
        K_nodes=16,
        l_2=1,
        room=2,
        left="0.0078578",
        right="0.0055782",
        by_hand="16 nodes, half with 1/2 + t^2/2 + |t|^3/6 - t, half with + t, Theta = [-1/50, 1/50], the center as "
        "the first: mu = l_2 = 1, l_0 = 1.0202, l_1 = 1.02, l_F = 29.7. Equal weights: theta^ = 0, entries -1 and 1. "
        "Weights (1 +- 0.01005)/16: theta^ = 0.01, entries -(1 - 0.01005)^2/1.01 = -0.9703 and "
        "(1 - 0.01005^2)/1.01 = 0.9900. They change by sqrt(8) ||(0.0297, 0.0100)|| = 0.0886 in norm, the weights by "
        "0.01005/4: ratio 35.3.",
    ),
)
LIPSCHITZ_CORRECTED = record(claims.LIPSCHITZ_CORRECTED, families=[kinked, parabolas])
GRADIENT = record(
    claims.GRADIENT,
    refuted_by=example(
        gradient,
        **{"c": "1/4", "D": "1/8", "p": "7/8", "c_0": "-1/4"},
        left="0",
        right="3/64",
        by_hand="Two nodes with 1/2 + t^2/2 -+ t/4 on Theta = [-1/8, 1/8], weights 7/8 and 1/8, the center as the "
        "second. The weighted loss is least on R at 3/16, so theta^ = 1/8, also at all weights near by, and F^ is "
        "constant there. Slopes are -1/8 and 3/8, the Hessian is 1: (13) is (1/8)(3/8) = 3/64 for the first node.",
    ),
)
GRADIENT_CORRECTED = record(claims.GRADIENT_CORRECTED, families=[gradient, plane])
EULER = record(claims.EULER, families=[gradient])
