"""The problems and the remarks on the assumptions, on Bernoulli means, parabolas and small linear regressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import formulation as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, least, sqrt
from rateproof.verify.form.outcomes import COORDINATE, Axis, InOutcomes, Outcomes
from rateproof.verify.papers.fedweight.bilevel import NODE, Bilevel, Node, at_nodes

SAMPLE: Axis = ("sample",)
XI: Axis = ("xi",)
ZETA: Axis = ("zeta",)


def system_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`systems`."""
    of = in_floats(params)
    H, g = of["a_1"] * of["p"] + of["a_2"] * (1 - of["p"]), of["g_0"]
    functions = {"H": lambda _, x: (H * x, None), "phi": lambda _, x: (H * x - g, H * x**2 / 2 - g * x)}
    return at_nodes([1.0], {"h*": g / H, "h'": g / H + of["off"], "g0": g}, {}, functions)


@family(
    "two curvatures",
    None,
    system_in_vectors,
    p=reals("1/2", 0, 1, low=0.1, high=1, zero=True),
    a_1=reals(1, 2),
    a_2=reals(1, 3),
    g_0=reals(1, 0, -2, zero=True),
    off=reals(0, 1, zero=True),
)
def systems(*, p: Number, a_1: Number, a_2: Number, g_0: Number, off: Number) -> dict[str, Any]:
    """(15) where the Hessians of two nodes are numbers; h' may miss the solution."""
    H = p * a_1 + (1 - p) * a_2
    return {
        "apart_h2": off**2,
        "off_inv2": (H * off) ** 2,
        **{"mu_l": least(a_1, a_2), "l_1": largest(a_1, a_2)},
        "Hess<=l_1": Fact(True, "l_1 is the larger curvature"),
        "Hess>=mu": Fact(True, "mu is the smaller curvature"),
        "(15)": Fact(True, "h* = g_0/H"),
    }


def sums_of(p: Number, n: int, a: Number, more: Number, x: Number) -> tuple[list[Number], list[list[Node]]]:
    """Two weights, and the losses of n samples of each node."""
    like = 0 * x
    return [p, 1 - p], [[Node(a + i * more + k + like, like, i - k * more) for i in range(n)] for k in range(2)]


def sums_in_vectors(*, n_train: Any, **params: Any) -> InOutcomes:
    """The vectors of :func:`sums`."""
    of, n = in_floats(params), n_train.__index__()
    w, nodes = sums_of(of["p"], n, of["a"], of["more"], of["x"])
    flat = Outcomes(
        {COORDINATE: [1.0], NODE: w, SAMPLE: [1 / n] * n}, {}, {}, lambda word, at: {NODE if word == "node" else SAMPLE}
    )
    made = {name: np.reshape(np.array(of[name] if name != "1" else 1.0), (1, 1, 1)) for name in ("x", "g0", "1")}
    made["Bki"] = np.array([[[node.a * of["x"] for node in row] for row in nodes]])
    made["l"] = np.array([[[node.value(of["x"]) for node in row] for row in nodes]])
    return lambda _: iter([Outcomes(flat.chances, made, {}, flat.knows)])


@family(
    "sums of parabolas",
    None,
    sums_in_vectors,
    n_train=counts(2, 1, 3, most=3),
    p=reals("1/3", 0, 1, low=0.1, high=1, zero=True),
    a=reals(1, 2),
    more=reals(1, 0, zero=True),
    x=reals(1, 0, -2, zero=True),
    g0=reals(1, 0, zero=True),
)
def sums(*, n_train: int, p: Number, a: Number, more: Number, x: Number, g0: Number) -> dict[str, Any]:
    """(16) as it is written, and (1), (15) with the empirical losses and Hessians of two nodes."""
    n = n_train.__index__()
    w, nodes = sums_of(p, n, a, more, x)
    terms = [node.a * x**2 / 2 - x * g0 for node in nodes[0]], [node.a * x**2 / 2 - x * g0 for node in nodes[1]]
    curvature = sum(y * sum(node.a for node in row) / n for y, row in zip(w, nodes, strict=True))
    return {
        "f16_t": sum(y * sum(node.value(x) for node in row) / n for y, row in zip(w, nodes, strict=True)),
        "f1_t": sum(y * node.value(x) / n for y, row in zip(w, nodes, strict=True) for node in row),
        "f16_h": sum(y * sum(of) / n for y, of in zip(w, terms, strict=True)),
        "f15_h": x * curvature * x / 2 - x * g0,
        **{"K_nodes": 2, "b_cap": 1 + 0 * x},
        "w in the capped simplex": Fact(True, "the weights are p and 1 - p"),
    }


@family("losses of two samples", bend_1=reals(3, 1, low=0.1, high=4), bend_2=reals(1, -1, low=0.1, high=4))
def two_samples(*, bend_1: Number, bend_2: Number) -> dict[str, Any]:
    """A node with the losses ``1/2 + bend t^2/2`` for t in [-1/2, 1/2], and of (16) with the same."""
    most = largest(abs(bend_1), abs(bend_2))
    return {
        **{"l_1": most, "mu_l": (bend_1 + bend_2) / 2},
        "A1.1 range": Fact(most <= 4, f"losses lie in 1/2 +- {most / 8}"),
        "A1.2": Fact(True, "the loss of the node is a parabola, whose slope is at most mu/2"),
    }


@family("two means", mean_1_ex=reals(1, -2), w_1_ex=reals("1/2", "1/4", 1, high=1), b_cap=reals("1/2", 1))
def two_means(*, mean_1_ex: Number, w_1_ex: Number, b_cap: Number) -> dict[str, Any]:
    """N(a, 1) and N(-a, 1): theta(w) is the mean of a and -a with the weights."""
    w_2 = 1 - w_1_ex
    return {"w_2_ex": w_2, "theta_w_ex": w_1_ex * mean_1_ex - w_2 * mean_1_ex, "theta_s_ex": 0 * mean_1_ex}


def targets_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`neighbours`."""
    of = in_floats(params)
    th, p_0 = neighbour_solution(**of), of["p_0"]
    functions = {
        "L0": lambda _, x: ((x - p_0), (x - p_0) ** 2 / 2 + p_0 * (1 - p_0) / 2),
        "Theta": lambda _, x: (np.clip(x, 0, 1), 0 * x),
    }
    return at_nodes([1.0], {"th": th, "thu": p_0, "th*": p_0}, {}, functions)


def neighbour_solution(*, K_nodes: int, J_same: int, b_cap: Number, p_0: Number, apart: Number, w: str) -> Number:
    """theta(w): of weights as large as the cap allows on the J nodes, or of equal ones.

    Raises:
        ValueError: there are no such nodes, or no such weights.
    """
    K, J = K_nodes.__index__(), J_same.__index__()
    if J > K or b_cap * K < 1:
        raise ValueError("J nodes of K, and b of at least 1/K")
    rest = largest(1 - b_cap * J, 0 * b_cap) if w == "optimal" else (K - J + 0 * b_cap) / K
    return p_0 + (rest if K > J else 0) * apart


@family(
    "Bernoulli means",
    None,
    targets_in_vectors,
    K_nodes=counts(2, 3, drawn=(2, 3)),
    J_same=counts(1, 2, drawn=(1, 2)),
    b_cap=reals(1, "1/2", low=0.1, high=1),
    p_0=reals("1/4", "1/2", high=0.5),
    apart=reals("1/2", "1/4", 0, high=0.5, zero=True),
    w=choice("optimal", "equal"),
)
def neighbours(**given: Any) -> dict[str, Any]:
    """z is 1 with chance p_0 at J nodes, with chance p_0 + apart at all others; l = (theta - z)^2/2 on [0, 1].

    ``apart``: by how much that chance is larger at all other nodes; ``p_0``: the chance of z = 1 at the target and the
    nodes like it; ``w``: the weights: optimal ones, or all equal.
    """
    th, p_0, b, J, apart = neighbour_solution(**given), *(given[x] for x in ("p_0", "b_cap", "J_same", "apart"))
    one = 1 + 0 * p_0
    best = p_0 * (1 - p_0) / 2
    F_w = (th - p_0) ** 2 / 2 + best
    unique = apart != 0 and b * J >= 1
    return {
        "top_u": one / J,
        **{"F_at_w": F_w, "F_at_u": best, "F_best": best, "mix_w": F_w, "mix_u": best, "mix_star": best},
        **{"off_w2": (th - p_0) ** 2, "off_u2": 0 * p_0, "mu_l": one, "l_1": one},
        "A1.1 of L_0": Fact(True, "l'' = 1"),
        "A1.3 of L_0": Fact(True, "l'' = 1"),
        "(P)": Fact(True, "L_0 is least at p_0, Theta = [0, 1]"),
        "W*": Fact(given["w"] == "optimal" or F_w == best, "all others are on one side of p_0"),
        "A2'": Fact(unique, f"p_k - p_0 = {apart} elsewhere, b J = {b * J}"),
    }


def regression_of(
    *, p: Number, s_1: Number, s_2: Number, sigma: Number, t_0: Number, t_1: Number, t_2: Number, off: Number
) -> dict[str, Any]:
    """Features +- sqrt(2) s_j e_j, with equal chances; theta_k* of node 0 and of two nodes, and theta."""
    like = 0 * p
    stars = [[t_1 + like, 1 + like], [t_2 + like, -t_1 + like]]
    bar = [p * x + (1 - p) * y for x, y in zip(*stars, strict=True)]
    # the normal equations, in which each node has the same E[x x^T]
    right = [s**2 * m for s, m in zip((s_1, s_2), bar, strict=True)]
    theta = [x / s**2 + off for x, s in zip(right, (s_1, s_2), strict=True)]
    return {"w": [p, 1 - p], "stars": stars, "bar": bar, "theta": theta, "t0": [t_0 + like, like], "s": [s_1, s_2]}


def regression_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`regression`."""
    of = in_floats(params)
    at, sigma = regression_of(**of), of["sigma"]
    chances = {COORDINATE: [1.0, 1.0], NODE: at["w"], XI: [0.25] * 4, ZETA: [0.5, 0.5]}
    words = {"node": NODE, "xi": XI, "zeta": ZETA}
    flat = Outcomes(chances, {}, {}, lambda word, _: {words[word]})
    made = {name: flat.along(COORDINATE, x) for name, x in (("th", at["theta"]), ("t0", at["t0"]))}
    made["d"] = made["th"] - made["t0"]
    made["tk"] = np.array(at["stars"]).T[:, :, None, None]
    seen = [sign * np.sqrt(2) * s * x for s, x in zip(at["s"], made["d"].ravel(), strict=True) for sign in (1, -1)]
    first = flat.along(COORDINATE, [1.0, 0.0])
    made |= {
        "s": first * flat.along(XI, seen),
        "e": first * flat.along(ZETA, [sigma, -sigma]) + 0 * flat.along(XI, seen),
    }
    square, bar = flat.along(COORDINATE, [s**2 for s in at["s"]]), flat.along(COORDINATE, at["bar"])
    functions = {
        "Sigma": lambda x: (square * x, None),
        "q": lambda x: (square * x, (square * x * x).sum(0, keepdims=True) / 2),
        "f": lambda x: (square * (x - bar), (square * (x - bar) ** 2).sum(0, keepdims=True) / 2),
    }
    return lambda _: iter([Outcomes(chances, made, functions, flat.knows)])


@family(
    "linear regressions",
    None,
    regression_in_vectors,
    p=reals("1/2", 0, 1, low=0.1, high=1, zero=True),
    s_1=reals(1, 2),
    s_2=reals(1, "1/2"),
    sigma=reals(1, 0, 2, zero=True),
    t_0=reals(1, 0, zero=True),
    t_1=reals(1, -2, 0, zero=True),
    t_2=reals(2, 0, zero=True),
    off=reals(0, 1, zero=True),
)
def regression(**given: Any) -> dict[str, Any]:
    """L_0 at a theta, by the outcomes of x and of the noise; ``off`` is how far theta is from theta(w)."""
    at, sigma = regression_of(**given), given["sigma"]
    d = [x - y for x, y in zip(at["theta"], at["t0"], strict=True)]
    bar = [x - y for x, y in zip(at["bar"], at["t0"], strict=True)]
    squares = [2 * s**2 * x**2 for s, x in zip(at["s"], d, strict=True)]
    # half of the outcomes have each feature, with both signs of x and of the noise: the cross terms cancel
    losses = [square + sigma**2 for square in squares]
    most = largest(*(s**2 for s in at["s"]))
    return {
        **dict.fromkeys(("loss_k", "F_B"), sum(losses) / 4),
        "sq_k": sum(squares) / 2,
        "quad_k": sum(s**2 * x**2 for s, x in zip(at["s"], d, strict=True)),
        "quad_bar": sum(s**2 * x**2 for s, x in zip(at["s"], bar, strict=True)),
        **dict.fromkeys(("noise2_B", "noise2_0"), sigma**2),
        "off_bar2": sum((x - y) ** 2 for x, y in zip(at["theta"], at["bar"], strict=True)),
        **{"lam_min": least(*(s**2 for s in at["s"])), "l_1": most},
        "eps_k": Fact(True, "the noise is +-sigma, whatever x is"),
        "nonsingular": Fact(True, "E[x x^T] is diagonal"),
        "second moments": Fact(True, f"they are at most {most}"),
        "R^d": Fact(at["theta"] == at["bar"], f"theta - theta(w) has the entries {given['off']}"),
    }


def line_of(
    *, K_nodes: int, J_same: int, v: Number, near: Number, more: Number, x: Number, side: Number
) -> tuple[Bilevel, list[Number], Number]:
    """J nodes at 0, others at near, near + more, ...; a weight x on the others, of which the nearest has half.

    Raises:
        ValueError: there are no other nodes.
    """
    K, J = K_nodes.__index__(), J_same.__index__()
    if J >= K:
        raise ValueError("some node has another distribution")
    like, far = 0 * x, K - J
    others = [x] if far == 1 else [x / 2, *(x / 2 / (far - 1) for _ in range(far - 1))]
    places = [like for _ in range(J)] + [near + i * more for i in range(far)]
    nodes = [Node(v, like, v * place) for place in places]
    return Bilevel(nodes, Node(v, like, -v * side), near + K * more), [(1 - x) / J + like] * J + others, like


def bound_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`error_bound`."""
    of = in_floats(params)
    problem, w, best = line_of(**of)
    functions = {
        "L0": lambda _, t: (problem.center.slope(t), problem.center.value(t)),
        "P": lambda _, t: (np.clip(t, 0, problem.D), 0 * t),
    }
    return at_nodes([1.0], {"th": problem.solution(w), "to": best, "t0": -of["side"]}, {}, functions)


@family(
    "regressions on a line",
    None,
    bound_in_vectors,
    K_nodes=counts(2, 3, 4, drawn=(2, 4)),
    J_same=counts(1, 2, drawn=(1, 2)),
    v=reals(1, 2),
    near=reals(1, "1/2"),
    more=reals(0, 1, zero=True),
    x=reals("1/2", 0, 1, low=0.01, high=1, zero=True),
    side=reals(0, 1, zero=True),
)
def error_bound(*, K_nodes: int, J_same: int, near: Number, v: Number, x: Number, side: Number, **given: Any) -> Any:
    """F where all nodes lie on one side of the target, so that W* is the face of the J nearest."""
    problem, w, best = line_of(K_nodes=K_nodes, J_same=J_same, near=near, v=v, x=x, side=side, **given)
    t, J = problem.solution(w), J_same.__index__()
    others = w[J:]
    gap = v * (t + side) ** 2 / 2 - v * (best + side) ** 2 / 2
    return {
        "b_cap": 1 + 0 * x,
        "l_1": v,
        # the nearest weights of the face have what the others lose in equal parts
        "dist2_F": sum(y**2 for y in others) + sum(others) ** 2 / J,
        "C_hof": sqrt((1 + (1 + 0 * x) / J) / v) / near,
        **{"gap_F_B": gap, "turned2": v * (t - best) ** 2},
        **{"turn_w": v * (t + side) * (best + side), "turn_s": v * (best + side) * (t + side)},
        "second moments": Fact(True, f"E x^2 = {v}"),
        "optimal w*": Fact(True, "the target is not right of the J nodes, all others are"),
    }


EQ15 = record(claims.EQ15, families=[systems])
EQ16 = record(claims.EQ16, families=[sums])
A5_OF_A1 = record(
    claims.A5_OF_A1,
    refuted_by=example(
        two_samples,
        bend_2=-1,
        left="-1",
        right="0",
        by_hand="Theta = [-1/2, 1/2], one node with the samples 1/2 + 3 t^2/2 and 1/2 - t^2/2, which lie in [0, 1]. "
        "L^_k = 1/2 + t^2/2 is 1/2-Lipschitz, its Hessian is constant, l_1 = 3 and mu = 1. The second sample is "
        "concave.",
    ),
)
A5_CORRECTED = record(claims.A5_CORRECTED, families=[two_samples])
MEAN = record(claims.MEAN, families=[two_means])
REMARK_A2 = record(
    claims.REMARK_A2,
    refuted_by=example(
        neighbours,
        b_cap="1/2",
        left="1/16",
        right="0",
        by_hand="Two nodes, b = 1/2, l = (theta - z)^2/2 on [0, 1], z = 1 with chance 1/4 at the target and at node 1, "
        "with chance 3/4 at node 2. The capped simplex is the point (1/2, 1/2), so that (1, 0) is not in it, and W* is "
        "this point, with theta(w) = 1/2 and theta* = 1/4.",
    ),
)
REMARK_A2_CORRECTED = record(claims.REMARK_A2_CORRECTED, families=[neighbours])
REMARK_A2J = record(claims.REMARK_A2J, families=[neighbours])
REMARK_A2J_A2 = record(claims.REMARK_A2J_A2, families=[neighbours])
APPB_LOSS = record(claims.APPB_LOSS, families=[regression])
APPB_SOLUTION = record(claims.APPB_SOLUTION, families=[regression])
APPB_OUTER = record(claims.APPB_OUTER, families=[regression])
APPB_BOUND = record(claims.APPB_BOUND, families=[error_bound])
