"""Lemma 3: two groups of nodes, one data point that is replaced, covers just below the scale 0.707."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, prod
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import lemma3 as claims
from rateproof.verify.form import choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, exp, largest, least, log, pi, sqrt
from rateproof.verify.form.on_a_line import at_points
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed, coin, large_class, replaced, subsets, sure
from rateproof.verify.papers.fedweight.nodes import (
    COVERED,
    SAMPLES,
    Nodes,
    ends,
    expected,
    of_draws,
    over_all,
    universal,
)
from rateproof.verify.planted.mutate import Sharp

SIZES: dict[str, Any] = {
    "J": counts(1, 2, most=3),
    "others": counts(1, 2, most=3),
    "n_train": counts(1, 2, 10, most=10),
    "b_cap": reals(1, "1/2"),
    "radius_w": reals("1/2", 1, "1/100"),
}
SIZES_2: dict[str, Any] = {"J": counts(1, 2, most=2), "others": counts(1, 2, most=2)}
CHANCE = {"p0": reals("1/2", 0, 1, low=0.1, high=1, zero=True), "p1": reals(1, 0, "1/4", low=0.1, high=1, zero=True)}
#: A share of what is possible.
SHARE = reals(1, 0, "1/2", low=0.1, high=1, zero=True)


#: A cover of H, and by how much C_H is larger than it needs.
COUNTED = {"cover_H": reals(10, 1), "room": reals(1, 2, low=1, high=10), "nu_H": reals(1, 2)}
#: A point within two covers, in H and of weights.
WITHIN = {"share": SHARE, "share_w": SHARE, **COUNTED}


def sizes(J: int, others: int) -> dict[str, Number]:
    """The numbers of nodes."""
    return {"J_same": J, "K_nodes": J + others}


@family(
    "two groups of nodes",
    **SIZES,
    near=reals(0, "1/2", low=0.1, high=1, zero=True),
    **dict.fromkeys(("w", "w_other"), SHARE),
    **dict.fromkeys(("w1", "w1_other"), reals(0, 1, "1/2", low=0.1, high=1, zero=True)),
    **dict.fromkeys(("loss", "loss_other"), reals(1, 0, "1/2", low=0.1, high=1, zero=True)),
    **dict.fromkeys(("loss1", "loss1_other"), reals(1, 0, "1/2", low=0.1, high=1, zero=True)),
)
def groups(
    *, J: int, others: int, n_train: int, b_cap: Number, radius_w: Number, near: Number, **x: Number
) -> dict[str, Any]:
    """In J weights are shares of b, elsewhere of the radius; all data points of a group have one loss.

    The weights in J are ``near`` from those of the nearest point of W*.
    """
    n, m, one = n_train, others, b_cap / b_cap
    N = one * n / (b_cap**2 * J + radius_w**2 * m)
    w, w1 = (b_cap * x["w"], radius_w * x["w_other"]), (b_cap * x["w1"], radius_w * x["w1_other"])
    loss, loss1 = (x["loss"], x["loss_other"]), (x["loss1"], x["loss1_other"])
    size = (J * n, m * n)
    apart = [size[i] * (loss[i] - loss1[i]) ** 2 for i in range(2)]
    of_all = sum(size[i] * (w[i] * loss[i] - w1[i] * loss1[i]) ** 2 for i in range(2))
    return {
        **sizes(J, others),
        **{"apart_all": of_all, "d2_w": N / n**2 * of_all},
        **{"cap_w": b_cap, "w_k": w[0], "w_k1": w1[0], "l_k": loss[0], "l_k1": loss1[0], "w_in": w[0], "w_out": w[1]},
        **{"rest2": (m - 1) * w[1] ** 2, "out2": m * w[1] ** 2, "same2": J * near**2},
        "dist2_w": m * w[1] ** 2 + J * near**2,
        "apart_w": sum(w[i] ** 2 * apart[i] for i in range(2)),
        "apart_l": sum(size[i] * (w[i] - w1[i]) ** 2 * loss1[i] ** 2 for i in range(2)),
        **{"apart_in": apart[0], "apart_out": apart[1], "apart": sum(apart)},
        "move2_w": sum(size[i] * (w[i] - w1[i]) ** 2 for i in range(2)) / n,
        "rho2": N / n**2 * (b_cap**2 * apart[0] + radius_w**2 * apart[1]),
    }


# with the radius b the set of all weights has the metric of W*_eps, and N_eps is N_b
of_all = groups.narrowed("two groups of nodes, all weights", radius_w=reals(1), b_cap=reals(1))


@family(
    "a point of a cover",
    J=counts(1, 3, 2, most=3),
    others=counts(1, 2, most=3),
    n_train=counts(1, 4, 10, most=10),
    b_cap=reals(1, "1/2"),
    radius_w=reals("1/100", 1, "1/2"),
    scale=reals("1/2", 1, "7/10"),
    **WITHIN,
)
def covered(
    *, J: int, others: int, b_cap: Number, radius_w: Number, scale: Number, share: Number, share_w: Number, **x: Number
) -> dict[str, Any]:
    """Distances that are shares of the radii of two covers, as large as A4 and the ceilings let them be.

    ``J``: nodes that are like the target; ``others``: the other nodes; ``room``: by how much C_H is larger than it
    needs to be; ``share``, ``share_w``: squared distances over squared radii, in H and of weights.
    """
    sq = b_cap**2 * J + radius_w**2 * others  # n_train/N_eps
    rho2, move2 = share * (scale / 2) ** 2, share_w * sq * (scale / 2) ** 2
    m_in, m_out = ceiling((J + 1) * b_cap**2 / sq / scale**2), ceiling(others * (J + 1) * radius_w**2 / sq / scale**2)
    return {
        **sizes(J, others),
        **{"m_in": m_in, "m_out": m_out, "m_all": ceiling(others * (2 * radius_w / b_cap / scale) ** 2)},
        **{"rho2": rho2, "move2_w": move2, "d2_w": 2 * rho2 + 2 * move2 / sq},
        **{"apart_in": rho2 * x["n_train"] * sq / b_cap**2, "apart_out": 0 * rho2},
        **points(m_in**J * m_out**others, scale, **{name: x[name] for name in ("cover_H", "room", "nu_H")}),
    }


def points(of_weights: Number, scale: Number, cover_H: Number, room: Number, nu_H: Number) -> dict[str, Number]:
    """A cover of H as large as A4 lets it be for C_H, one of the weights, and their product."""
    C_H, cover_W = largest(room * scale / 2 * cover_H ** (1 / nu_H), scale / scale), of_weights * (scale / scale)
    both = {
        **dict.fromkeys(("cover_W", "points_b"), cover_W),
        **dict.fromkeys(("cover_all", "cover_b"), cover_H * cover_W),
    }
    return {"C_H": C_H, **both}


def ceiling(square: Number) -> int:
    """The ceiling of the root of a positive number."""
    m = 1
    while m * m < square:
        m += 1
    return m


def projected_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`projected`."""
    c, w = float(params["c"]), float(params["w"])
    return at_points({"c": -c, "Pc": 0.0, "w": w})


@family("a half-line", None, projected_in_vectors, c=reals(1, 0, 2, zero=True), w=reals(0, 1, zero=True))
def projected(*, c: Number, w: Number) -> dict[str, Any]:
    """The set is ``x >= 0``, the points ``-c`` and ``w``."""
    return {"off2": (c + w) ** 2, "off2_P": w**2, "convex": Fact(True, "a half-line is closed and convex")}


@family(
    "integrals",
    **{"J": counts(1, 2, most=3), "others": counts(1, 2, most=3)},
    n_train=counts(1, 10, most=10),
    nu_H=reals(1, "1/10", 10),
    C_H=reals(1, 10),
    wide=reals(1, "1/100"),
    **dict.fromkeys(("more", "more_tail"), SHARE),
)
def integrals(
    *, J: int, others: int, nu_H: Number, C_H: Number, wide: Number, more: Number, more_tail: Number, **_: Any
) -> dict[str, Any]:
    """Integrals of roots of sums, between the larger term and the sum of the roots."""
    K, c, half_pi, of_C = J + others, series(wide / wide), sqrt(pi(wide)) / 2, sqrt(log(2 * C_H))
    tail = more_tail * c * wide
    plain = half_pi * sqrt(nu_H + J) + more * sqrt(others * wide / wide) * tail
    b_plain = half_pi * sqrt(nu_H) + more * c * sqrt(K * wide / wide)
    return {
        **sizes(J, others),
        **{"c_ceil": c, "I_tail": tail, "I_plain": plain, "I_b_plain": b_plain},
        "I_cover": plain + more * of_C * sqrt(nu_H + J) / 2,
        "I_b": b_plain + more * of_C * sqrt(nu_H) / 2,
    }


def series(one: Number) -> Number:
    """A number just above the sum of ``sqrt(log m)/(m (m - 1))``."""
    return one * 10736 / 10000


@family("parts of (0, 1]", wide=reals(1, "1/10", 2, "5/2"), M_cut=counts(2, 3, 10, most=20))
def parts(*, wide: Number, M_cut: int) -> dict[str, Any]:
    """The lengths of ``a/m <= e < a/(m - 1)`` in (0, 1]."""
    one, M = wide / wide, range(2, M_cut.__index__() + 1)
    ends = {m: least(one, wide / m) for m in (1, *M)}
    roots = {m: sqrt(log(m * one)) for m in M}
    return {
        "I_part": sum(roots[m] * (ends[m - 1] - ends[m]) for m in M),
        "c_part": sum(roots[m] / (m * (m - 1)) for m in M),
        "interval": Fact(True, "the interval has the length a/(m (m - 1)), of which (0, 1] has no more"),
    }


COINS: dict[str, Any] = {
    "n_train": counts(1, 2, most=3),
    **CHANCE,
    **{"delta": reals("1/2", "1/10", "99/100"), "C_H": reals(1, 2), "nu_H": reals(1, 2, "1/2")},
    "more": reals(1, 2),
}


@family("Bernoulli nodes, all weights", **SIZES_2, **COINS, b_cap=reals(1, "1/2"))
def coins(
    *, J: int, others: int, n_train: int, b_cap: Number, p0: Number, p1: Number, more: Number, **x: Number
) -> dict[str, Any]:
    """All samples; the largest deviation is at ``theta = 0`` or 1."""
    nodes = Nodes.of(J, others, n_train, b_cap, p0, p1)
    likely, shares = zip(*nodes.samples(), strict=True)
    dev = tuple(nodes.most(nodes.off(one)) / 2 for one in shares)
    return {
        **nodes.facts(x["C_H"], x["nu_H"], 1 + 0 * p0),
        **universal(x["C_H"], more),
        **{"Pr": likely, "dev_w": dev, **over_all(likely, dev)},
        **sizes(J, others),
    }


@family(
    "Bernoulli nodes near W*",
    **COINS,
    most=reals("1/2", 1, "1/100", low=0.01, high=1),
    C_r=reals(4, 2, 10),
    u_loss=reals("1/4", "1/10", 1),
)
def near_coins(*, n_train: int, most: Number, p0: Number, p1: Number, more: Number, **x: Number) -> dict[str, Any]:
    """Two nodes, one of which has the target's chance, and b = 1."""
    one, radius = most / most, most * sqrt(2 * most / most)
    nodes = Nodes.of(1, 1, n_train, one, p0, p1)
    likely, shares = zip(*nodes.samples(), strict=True)
    near = ends(most)
    dev = tuple(
        largest(*(abs(sum(a * b for a, b in zip(w, nodes.off(share), strict=True))) for w in near)) / 2
        for share in shares
    )
    mean = expected(likely, dev)
    return {
        **nodes.facts(x["C_H"], x["nu_H"], x["C_r"]),
        **universal(x["C_H"], more),
        **sizes(1, 1),
        **{"b_cap": one, "r_eb": 2 * one, "radius_w": radius},
        **{"Pr": likely, "dev_eps": dev, "G_D": dev, "G_minus": dev, "E_G": mean, "E_minus": mean},
        **{"R_D": nodes.average(near), "R_in": nodes.average([[0 * one, 0 * one], [one, 0 * one]])},
        "R_out": radius * nodes.average([[0 * one, 0 * one], [0 * one, one]]),
        "E_b": expected(likely, [nodes.most(nodes.off(share)) / 2 for share in shares]),
        "R_b": nodes.average(ends(one)),
    }


#: Losses of a draw: ``theta^2`` of a one, ``(theta - 1)^2`` at the other node, and 0 of a blank. So ``theta(w)`` is 0
#: without the other node alone; ceil(1/eps) balls are enough, as losses are 2-Lipschitz.
BLANKS = ("A1.1 range", "A2'", "A4 for eps <= 1", *COVERED, *SAMPLES)


def of_blanks(
    C_H: Number, nu_H: Number, radius: Number, dev: dict[str, Any], likely: tuple[Number, ...]
) -> dict[str, Any]:
    """What both families with blank draws have: the constants, the suprema of each outcome, and facts."""
    known = Fact(C_H >= 2 and nu_H >= 1, "independent draws, losses in [0, 1] that are 2-Lipschitz on [0, 1]")
    means = {"E_G": expected(likely, dev["G_D"]), "E_minus": expected(likely, dev["G_minus"])}
    return {
        **{"Pr": likely, "dev_eps": tuple(map(largest, dev["G_D"], dev["G_minus"])), **dev, **means},
        **{"radius_w": radius, **universal(C_H, radius / radius), **dict.fromkeys(BLANKS, known)},
    }


@family(
    "ones that are drawn alone",
    draws=counts(1500),
    chance=reals("1/10"),
    most=reals("1/1000000", low=1e-9, high=1e-4),
    delta=reals("9999/10000", low=0.01, high=0.99),
    nu_H=reals(1, low=1, high=10),
    C_H=reals(2, low=2, high=10),
)
def ones_alone(*, draws: int, chance: Number, most: Number, nu_H: Number, C_H: Number, **_: Any) -> dict[str, Any]:
    """One node draws ones, with a given chance, and blanks, as the target; the other node may have little weight.

    ``most``: its largest weight near W*.

    Raises:
        ValueError: a sign outweighs a draw.
    """
    n, one = draws.__index__(), chance / chance
    if n * most > 1:
        raise ValueError("the other node has at most the weight of one draw")
    likely = of_draws(n, chance)
    above = [k * one / n - chance for k in range(n + 1)]
    # E |sum of m signs| grows by the chance that the sum is 0
    even = [one, 0 * one]
    for m in range(2, n + 1):
        even.append(even[m - 2] * (m - 1) / m)
    far = [0 * one]
    for chance_of_0 in even:
        far.append(far[-1] + chance_of_0)
    signed, signed_out, none = expected(likely, far[:-1]) / (2 * n), far[n] / (2 * n), expected(likely, even)
    dev = {
        "G_D": tuple(largest(-x, 0 * one) for x in above),
        "G_minus": tuple(largest(x, 0 * one) for x in above),
    }
    radius = most * sqrt(2 * one)
    return {
        **of_blanks(C_H, nu_H, radius, dev, likely),
        **{"J_same": 1, "K_nodes": 2, "b_cap": one, "n_train": n},
        **{"R_D": signed + (1 + none) / 2 * most * signed_out, "R_in": signed, "R_out": radius * signed_out},
    }


@family(
    "eight nodes, of which four agree",
    delta=reals("9999/10000", low=0.01, high=0.99),
    nu_H=reals(1, low=1, high=10),
    C_H=reals(2, low=2, high=10),
)
def eight(*, delta: Number, nu_H: Number, C_H: Number) -> dict[str, Any]:
    """One draw each, a one or a blank, and weights up to 1/4; the radius is so large that all weights are near W*."""
    one = delta / delta
    radius, half = sqrt(3 * one / 40), one / 2

    def filled(ones: int, between: int) -> Number:
        """The four largest of ones, of zeros and of minus ones, nine in all; not negative, as theta may be 0."""
        return largest(min(ones, 4) - largest(4 - ones - between, 0), 0) * one / 4

    up = tuple(filled(k, 1) / 2 for k in range(9))
    signs = [
        (comb(8, k) * comb(8 - k, m) * 2 ** (8 - k - m) * one / 4**8, filled(k, 9 - k - m))
        for k in range(9)
        for m in range(9 - k)
    ]  # so many signs of ones are 1, or -1; the others belong to blanks
    return {
        **of_blanks(
            C_H, nu_H, radius, {"G_D": up[::-1], "G_minus": up}, tuple(comb(8, k) * one / 2**8 for k in range(9))
        ),
        **{"J_same": 8, "K_nodes": 9, "b_cap": one / 4, "n_train": 1},
        "R_D": sum(chance * (x if x > 0 else one / 8) for chance, x in signs),
        **{"R_in": half, "R_out": radius / 2},
    }


@family("ghosts of Bernoulli nodes", **CHANCE, most=reals("1/2", 1, "1/100", low=0.01, high=1))
def ghosts(*, p0: Number, p1: Number, most: Number) -> dict[str, Any]:
    """One data point of each of two nodes, another one of each, and signs."""
    one, radius = most / most, most * sqrt(2 * most / most)
    nodes = Nodes.of(1, 1, 1, one, p0, p1)
    near = ends(most)

    def largest_of(x: Any) -> Number:
        return largest(*(abs(sum(w * y for w, y in zip(end, x, strict=True))) for end in near)) / 2

    draws = list(nodes.samples())
    signs = list(product((1, -1), repeat=2))
    pairs = [(p * q, [y - x for x, y in zip(a, b, strict=True)]) for p, a in draws for q, b in draws]
    means = [sum((q * b[k] for q, b in draws), 0 * one) for k in range(2)]
    signed = ((p / 4, [s * x for s, x in zip(sign, gap, strict=True)]) for p, gap in pairs for sign in signs)
    return {
        **nodes.facts(one, one, one),
        **{"b_cap": one, "radius_w": radius, "n_train": 1, **sizes(1, 1)},
        "E_G": sum(p * largest_of(nodes.off(a)) for p, a in draws),
        "E_means": sum(p * largest_of([m - x for m, x in zip(means, a, strict=True)]) for p, a in draws),
        "E_ghost": sum(p * largest_of(gap) for p, gap in pairs),
        "E_signs": sum(p * largest_of(gap) for p, gap in signed),
        "R_D": nodes.average(near),
    }


@family("signs", summands_w=counts(1, 2, most=5), part_1=reals(1, "1/2", 2, zero=True), lam_w=reals(1, "1/10", -2))
def signs(*, summands_w: int, part_1: Number, lam_w: Number) -> dict[str, Any]:
    """As many equal summands, each with a sign of its own.

    ``summands_w``: how many summands there are; ``part_1``: the size of each.
    """
    one = (exp(lam_w * part_1) + exp(-lam_w * part_1)) / 2
    m = summands_w.__index__()
    of_sums = sum(comb(m, j) * exp((2 * j - m) * lam_w * part_1) for j in range(m + 1)) / 2**m
    return {
        **{"moment_1": one, "moment_w": of_sums, "log_moment": m * log(one), "d2_w": m * part_1**2},
        **{"product_w": one**m, "product_bound": exp(lam_w**2 * part_1**2 / 2) ** m},
        "sign of a summand": Fact(True, "both signs are equally likely"),
        "each summand": Fact(True, "Hoeffding's lemma for one of them"),
        "fair signs": Fact(True, "both signs are equally likely, whatever the others are"),
    }


@family("losses that are one", most=reals("1/2", 1, "1/100", low=0.01, high=1), C_d=reals(24, 100, low=20, high=100))
def ones(*, most: Number, **_: Any) -> dict[str, Any]:
    """Two nodes with one draw each, of which one is in J, and b = 1: weights are a segment, and so is the cover."""
    radius = most * sqrt(2 * most / most)
    # of a segment of length D it takes ceil(D/(2 e)) intervals; the sum in c is at least 1.0735
    half, c = sqrt(most**2 / (2 * (1 + radius**2))), 10735 * most / most / 10000
    return {
        **{"b_cap": most / most, "radius_w": radius, "n_train": 1, **sizes(1, 1)},
        **{"R_data": most / 2, "R_b_data": most / most / 2, "entropy_w": c * half, "entropy_b": c / 2},
    }


@family(
    "draws that may be blank",
    most=reals("1/100", "1/2", 1, low=0.01, high=1),
    weights=choice("free", "equal"),
    chance=reals("1/2", "1/10", low=0.1, high=1),
    data=choice("blank", "ones"),
)
def blanks(*, most: Number, weights: str, chance: Number, data: str) -> dict[str, Any]:
    """Two nodes with one draw each, which is 1 with a chance, with the loss (t - 1)^2/2 on [0, 1], or blank, with 1/2.

    ``weights``: free for b = 1, equal for b = 1/2; ``most``: of the node outside J near W*, for b = 1; ``chance``: that
    a draw is 1; ``data``: for which R^ is taken.
    """
    one = chance / chance
    outcomes, signs = list(product((1, 0), repeat=2)), list(product((1, -1), repeat=2))
    likely = [prod(chance if x else one - chance for x in z) for z in outcomes]

    def means(corners: Sequence[Sequence[Number]]) -> tuple[Number, Number, Number]:
        """Those of the supremum and of R^, and R^ for these data."""

        def most_of(values: Sequence[Number]) -> Number:
            return largest(*(sum(w * x for w, x in zip(of, values, strict=True)) for of in corners))

        def losses(z: Sequence[int], of_one: Number) -> list[Number]:
            return [of_one if x else one / 2 for x in z]

        up = [largest(0 * one, most_of([x - chance for x in z])) / 2 for z in outcomes]
        signed = [
            sum(
                largest(*(most_of([s * x for s, x in zip(sign, losses(z, end), strict=True)]) for end in (0, one / 2)))
                for sign in signs
            )
            / 4
            for z in outcomes
        ]
        return expected(likely, up), expected(likely, signed), signed[0 if data == "ones" else -1]

    free = weights == "free"
    near = means(ends(most)) if free else (None, None, None)  # for b = 1/2 W* is empty
    return {
        **{"b_cap": one if free else one / 2, "radius_w": most * sqrt(2 * one), "n_train": 1, **sizes(1, 1)},
        **dict(zip(("E_G", "R_D", "R_data"), near, strict=True)),
        **dict(zip(("E_b", "R_b", "R_b_data"), means(ends(one) if free else [[one / 2, one / 2]]), strict=True)),
        **dict.fromkeys(("samples ps-04.d", "samples ps-10.25"), Fact(True, "the draws are independent")),
    }


@family(
    "a cover of all weights", scale=reals("1/2", 1, "7/10", "3/2", 2, 10), K_nodes=counts(2, 1, 3, most=4), **COUNTED
)
def cover_of_all(*, scale: Number, K_nodes: int, **x: Number) -> dict[str, Any]:
    """As many points as A4 and intervals give, where C_H is at least 1; beyond the scale 1, too.

    ``room``: by how much C_H is larger than it needs to be.
    """
    m = ceiling(1 / scale**2)
    return {"m_one": m, **points(m**K_nodes, scale, **x)}


@family(
    "a point of a cover of a ball",
    scale=reals("1/2", 1, "7/10", "3/2"),
    J=counts(1, 2, most=3),
    others=counts(1, 2, most=3),
    n_train=counts(1, 2, most=10),
    radius_w=reals("1/100", 1, "1/2"),
    **WITHIN,
)
def cover_of_ball(
    *, scale: Number, J: int, others: int, n_train: int, radius_w: Number, share: Number, share_w: Number, **x: Number
) -> dict[str, Any]:
    """Distances that are shares of the radii of two covers, of as many points as A4 and volumes give.

    ``J``: nodes that are like the target; ``others``: the other nodes; ``room``: by how much C_H is larger than it
    needs to be; ``share``, ``share_w``: squared distances over squared radii, in H and of weights.
    """
    size, quarter = radius_w**2 * n_train, scale**2 / 4
    return {
        **sizes(J, others),
        **{"apart_w": share * size * quarter, "apart_l": share_w * size * quarter},
        **{"move2_w": share_w * radius_w**2 * quarter, "apart_all": 2 * (share + share_w) * size * quarter},
        "d2_w": 2 * (share + share_w) * quarter,
        **points((1 + 4 / scale) ** others, scale, **x),
    }


@family(
    "six nodes, one function",
    **{"nu_H": reals("1/10000000", 1), "C_H": reals(1, 2), "delta": reals("9999/10000", "1/2")},
)
def six(*, nu_H: Number, C_H: Number, **_: Any) -> dict[str, Any]:
    """One draw of a fair coin each, and weights up to 1/3: three nodes agree, so that the deviation is 1/2."""
    one = nu_H / nu_H
    known = Fact(True, "one ball covers one function, and the draws are independent")
    return {
        **{"Pr": (one,), **dict.fromkeys(("dev_w", "G_b"), (one / 2,)), "G_b_minus": (one / 2,)},
        **{"K_nodes": 6, "b_cap": one / 3, "n_train": 1, **universal(C_H, one)},
        **dict.fromkeys(("A1.1 range", "A4 for eps <= 1", "covered H x Delta", "samples ps-10.25"), known),
    }


#: On each of them one part of (21) alone is at work: the class, its constant, and, for six nodes, their number.
large_constant = subsets.alone("a large constant", n_valid=10000, nu_H=42)
#: On one of them alone a term of (26) is at work: the expectation, and the level.


@family(
    "numbers of nodes",
    J_same=counts(1),
    others=counts(1, 100, most=1000),
    radius_w=reals(1, "1/2", low=0.01, high=2),
    nu_H=reals(1, 2),
    delta=reals("1/2", "1/10", low=0.01, high=0.99),
)
def many_others(*, J_same: int, others: int, radius_w: Number, nu_H: Number, delta: Number) -> dict[str, Any]:
    """Any numbers, with one sample a node, b = 1 and the least constants."""
    one = delta / delta
    given = {"J_same": J_same, "K_nodes": J_same + others, "n_train": 1, "b_cap": one, "C_H": one}
    constants = universal(one, one)
    return {**given, "radius_w": radius_w, "nu_H": nu_H, "delta": delta, **constants, "C_e": 2 * constants["C_a2"]}


most_likely = near_coins.alone("Bernoulli nodes, at a level that most samples reach", p0="1/4", delta="99/100")
#: On each of them one part of (22) is at work: its constant, and the level.
longer = ones_alone.alone("ones that are drawn alone, many draws", draws=6000)
never = ones_alone.alone("ones that are drawn alone, at a level near 1", delta="1e-2000")
FOUND_ON = (
    ((replaced,), "PS04_A"),
    ((groups,), "PS04_C PS04_D PS05 PS06_SUMMAND PS06_DIAMETER PS06_29A PS06_29B PS06_29 PS06_30 PS08_SIZE"),
    ((of_all,), "PS10_DIAMETER PS10_29"),
    ((covered,), "PS07_PRODUCT PS07_RADII PS07_COUNT PS08_CORRECTED PS08_SEVERAL PS09_COVER PS09_COVER_CORRECTED "
                 "PS09_LAST PS10_COVER"),
    ((integrals,), "PS09_FIRST PS09_SECOND PS10_34A PS10_34B"),
    ((cover_of_all,), "PS09_BEYOND_CORRECTED PS10_ALL"),
    ((cover_of_ball,), "PS07_BALL PS07_NEAR"),
    ((coins,), "PS11"),
    ((coins, large_class, large_constant, six, coin, sure), "LEM3_I_CORRECTED LEM3_I_UNIVERSAL"),
    ((near_coins,), "PS04_E PS06_27 PS10_27"),
    ((near_coins, ones_alone, longer, never, eight), "LEM3_II_CORRECTED"),
    ((near_coins, ones_alone, longer, never), "LEM3_II_UNIVERSAL"),
    ((near_coins, many_others), "LEM3_II_SIZES"),
    ((near_coins, most_likely), "PS04_F"),
    ((ghosts,), "PS06_27_LINKS"),
    ((signs,), "PS06_28B PS06_28 PS06_28_LINKS PS10_28_CORRECTED"),
    ((ones,), "PS06_DUDLEY PS10_DUDLEY"),
    ((blanks,), "PS09_FIRST_LINK_CORRECTED PS10_FIRST_LINK_CORRECTED"),
)  # fmt: skip
HOLD = tuple(record(getattr(claims, name), families=on) for on, names in FOUND_ON for name in names.split())
REPLACED = tuple(record(claim, families=[replaced], tight=Sharp()) for claim in (claims.PS04_B, claims.PS10_25))
PS07_PROJECTED = record(claims.PS07_PROJECTED, families=[projected], tight=Sharp())
PS09_INTEGRAL = record(claims.PS09_INTEGRAL, families=[parts], tight=Sharp())
LEM3_I = record(claims.LEM3_I, families=[coins], check=a4_as_printed)
LEM3_II = record(claims.LEM3_II, families=[near_coins], check=a4_as_printed)
PS08 = record(
    claims.PS08,
    refuted_by=example(
        covered,
        **{"J": 1, "others": 1, "n_train": 1, "b_cap": 1, "radius_w": "1/100", "scale": "7/10"},
        left="3",
        right="20/7",
        by_hand="J = 1 of K = 2 nodes, b = 1, radius 1/100: N_eps/n_train = 1/1.0001. The first ceiling is that of "
        "(2/1.0001)^(1/2)/0.7 = 2.02, the others are those of 0.0202 and 0.0286. So 3 on the left, and 2/0.7 on the "
        "right.",
    ),
)
PS09_BEYOND = record(
    claims.PS09_BEYOND,
    refuted_by=example(cover_of_all, scale=2, left="1", right="0", by_hand="e = 2: the ceiling of 1/2 is 1."),
)
PS10_28 = record(
    claims.PS10_28,
    refuted_by=example(
        signs,
        left="1.543",
        right="1.649",
        by_hand="K = n_train = b = 1, w = w' = 1, l = 1 and l' = 0: N_b = 1, d = 1 and M - M' = sigma. At lambda = 1 "
        "the mean of e and 1/e is 1.543, and e^(1/2) is 1.649.",
    ),
)
PS09_FIRST_LINK = record(
    claims.PS09_FIRST_LINK,
    refuted_by=example(
        blanks,
        left="1/8",
        right="1/200",
        by_hand="""n_train = 1, K = 2, J = 1, b = 1 and the radius 2^(1/2)/100: weights from (1, 0) to (0.99, 0.01). A
        draw is 1 with chance 1/2, with the loss (t - 1)^2/2 on [0, 1], or else blank, with the loss 1/2. The supremum
        is 1/4 where the draw of the node in J is 1, and else 0, so that E G = 1/8. For two blank draws R^ is the mean
        of (sigma_1 + max{0, sigma_2 - sigma_1}/100)/2, which is 1/400.""",
    ),
)
PS10_FIRST_LINK = record(
    claims.PS10_FIRST_LINK,
    refuted_by=example(
        blanks,
        weights="equal",
        left="1/16",
        right="0",
        by_hand="""n_train = 1, K = 2 and b = 1/2, so that both weights are 1/2. A draw is 1 with chance 1/2, with the
        loss (t - 1)^2/2 on [0, 1], or else blank, with the loss 1/2. The supremum is 1/4 for two ones, and else 0, so
        that E G = 1/16. For two blank draws R^ is the mean of (sigma_1 + sigma_2)/4, which is 0.""",
    ),
)
