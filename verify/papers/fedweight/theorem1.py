"""Theorem 1: what its proof says of every draw of the data, with two nodes."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import theorem1 as claims
from rateproof.verify.form import counts, example, family, hidden, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, least
from rateproof.verify.form.on_a_line import at_points
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Loss


def mixed(w: Number, first: Number, second: Number) -> Number:
    """The mean of two numbers with the weights w and 1 - w."""
    return w * first + (1 - w) * second


def weight_for(goal: Number, first: Number, second: Number, b: Number) -> Number:
    """The w in [1 - b, b] for which the mean is nearest to a goal; b where all are alike."""
    return b if first == second else least(largest((goal - second) / (first - second), 1 - b), b)


def solutions(
    *, p0: Number, p1: Number, p2: Number, q0: Number, q1: Number, q2: Number, b_cap: Number, wide: Number
) -> dict[str, Number]:
    """theta and theta^ at w^ and w*, for losses 1/2 (theta - z)^2 with z = 0 or ``wide``."""
    w = weight_for(q0, q1, q2, b_cap)
    s = w if p1 == p2 else weight_for(p0, p1, p2, b_cap)
    at = {"hw": mixed(w, q1, q2), "tw": mixed(w, p1, p2), "hs": mixed(s, q1, q2), "ts": mixed(s, p1, p2)}
    return {name: wide * x for name, x in at.items()}


def sums_at(share: Number, p: Number, q: Number, wide: Number) -> tuple[Loss, Loss]:
    """The sums of L_k and of L^_k whose means are p and q."""

    def parabola(mean: Number) -> Loss:
        def value(x: Number) -> Number:
            return (x - wide * mean) ** 2 / 2 + wide**2 * mean * (1 - mean) / 2

        return Loss("a parabola", value, lambda x: x - wide * mean, (1, 1), wide * mean, None)

    return parabola(p), parabola(q)


def draw_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`two_nodes`."""
    of = in_floats(params)
    wide, w = of["wide"], of["w"]
    p, q = mixed(w, of["p1"], of["p2"]), mixed(w, of["q1"], of["q2"])
    at = solutions(**{name: of[name] for name in ("p0", "p1", "p2", "q0", "q1", "q2", "b_cap", "wide")})
    f, f_hat = sums_at(w, p, q, wide)
    points = {"t": wide * p, "h": wide * q, "a_w": at["hw"] - at["tw"], "a_s": at["hs"] - at["ts"]}
    return at_points(points, {"f": f, "f^": f_hat})


MEANS = {
    "p0": reals("1/2", "1/4"),
    "p1": reals("1/2", "1/4", "1/8"),
    "p2": reals("1/2", "3/4", "7/8"),
    "q0": reals("1/2", "3/4", 0, zero=True),
    "q1": reals("1/2", "1/4", 0, zero=True),
    "q2": reals("1/2", "3/4", 1),
}


@family(
    "two nodes with parabolas",
    None,
    draw_in_vectors,
    **MEANS,
    b_cap=reals(1, "1/2", "3/4"),
    w=reals("1/2", 1),
    wide=reals(1, "1/2"),
    steep=reals(1, "1/2", 2, 8),
    n_valid=counts(4),
    n_train=counts(4),
    nu_H=reals(1),
    delta=reals("1/2"),
    C_0=hidden(1, "1/10", answers=["C_0"], low=0.1, high=10),
    C_a=hidden(1, "1/10", answers=["C_a"], low=0.1, high=10),
)
def two_nodes(*, b_cap: Number, w: Number, wide: Number, steep: Number, **of: Any) -> dict[str, Any]:
    """Losses ``1/2 (theta - z)^2``, at node 0 ``steep`` times that, z = 0 or ``wide`` with the means p, drawn means q."""
    means = {name: of[name] for name in ("p0", "p1", "p2", "q0", "q1", "q2")}
    p0, p1, p2, q0, q1, q2 = means.values()
    at = solutions(**means, b_cap=b_cap, wide=wide)
    f, f_hat = sums_at(w, mixed(w, p1, p2), mixed(w, q1, q2), wide)
    t, h = f.minimiser, f_hat.minimiser

    def at_center(mean: Number, x: Number) -> Number:
        return steep * ((x - wide * mean) ** 2 + wide**2 * mean * (1 - mean)) / 2

    L = {name: at_center(p0, x) for name, x in at.items()}
    E = {name: at_center(q0, x) for name, x in at.items()}
    low, high = sorted((mixed(b_cap, p1, p2), mixed(1 - b_cap, p1, p2)))
    learned = Fact(low <= p0 <= high, f"the means of the nodes' z reach from {low} to {high}, that of node 0 is {p0}")
    parabola = "each loss is a parabola of curvature 1"
    inside = Fact(1 - b_cap <= w <= b_cap, f"w = {w}, b = {b_cap}")
    return {
        **{"sum_t": f.value(t), "sum_h": f.value(h), "emp_t": f_hat.value(t), "emp_h": f_hat.value(h)},
        "move2": (t - h) ** 2,
        **{f"L_{name}": x for name, x in L.items()},
        **{"E_hw": E["hw"], "E_hs": E["hs"], "F_w": L["tw"], "F_min": L["ts"], "L_star": at_center(p0, wide * p0)},
        **{"d_w": abs(at["hw"] - at["tw"]), "d_s": abs(at["hs"] - at["ts"])},
        "dev_0": steep * wide**2 * abs(p0 - q0) / 2,
        "dev_w": wide**2 * largest(*(abs(mixed(v, q1 - p1, q2 - p2)) for v in (b_cap, 1 - b_cap))) / 2,
        **{"K_nodes": 2 + 0 * w, "l_0": wide, "l_1": largest(1 + 0 * w, steep), "l_2": 0 * w, "mu_l": 1 + 0 * w},
        "A1.1 range": Fact(steep * wide**2 <= 2, f"losses are at most {steep * wide**2}/2"),
        "A1.1 smooth": Fact(True, "curvatures are 1, at node 0 steep"),
        "A1.2": Fact(True, "slopes theta - z of the nodes are at most the width of Theta"),
        "A1.3": Fact(True, parabola),
        "A2": learned,
        "Theta": Fact(True, "an interval"),
        **dict.fromkeys(("A1.1 of the sums", "A1.3 of the sums"), Fact(True, parabola)),
        "inner problems": Fact(bool(inside.holds), f"means in Theta; {inside.why}"),
    }


PS_12A = record(claims.EQ35, families=[two_nodes])
PS_12B = record(claims.EQ36, families=[two_nodes])
PS_12C = record(claims.EQ37_SUM, families=[two_nodes])
PS_12D = record(claims.EQ37_DEVIATION, families=[two_nodes])
PS_13A = record(claims.EQ38_A, families=[two_nodes])
PS_13B = record(claims.EQ38_B, families=[two_nodes])
PS_13B_CORRECTED = record(claims.EQ38_B_CORRECTED, families=[two_nodes])
PS_13C = record(claims.EQ38_C, families=[two_nodes])
PS_13D = record(claims.EQ38_D, families=[two_nodes])
PS_13E = record(claims.CHAIN_A, families=[two_nodes])
PS_13F = record(claims.CHAIN_B, families=[two_nodes])
PS_13F_CORRECTED = record(claims.CHAIN_B_CORRECTED, families=[two_nodes])
PS_13G = record(claims.CHAIN_C, families=[two_nodes])
