"""Lemma 1 on kinked losses and parabolas of one variable, inside Theta and at its boundary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import lemma1 as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.papers.fedweight.bilevel import Bilevel, Node, at_nodes


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
    """``mu t^2/2 + l_2 |t|^3/6 -+ c t`` up to ``|t| = flat``, with equal weights and at weights where theta^ is t.

    ``room``: half the width of Theta over |t|; ``reach``: up to how many times |t| the losses are curved; ``capped``:
    the cap of the weights; ``c``: how steep the losses of the nodes are at 0; ``c_0``: how steep the loss of the center
    is at 0; ``t``: where the mean loss is least at the second weights.
    """
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
    """F^ in the weight of the first node; theta^ is what the parabolas have, but for the boundary of Theta.

    ``more``: by how much the curvature grows from node to node; ``c``: how steep the losses of the nodes are at 0;
    ``a_0``: the curvature of the center; ``c_0``: how steep the loss of the center is at 0; ``p``: the weight of the
    first node; ``D``: half the width of Theta.
    """
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
GRADIENT_CORRECTED = record(claims.GRADIENT_CORRECTED, families=[gradient])
EULER = record(claims.EULER, families=[gradient])
