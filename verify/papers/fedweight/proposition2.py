"""Proposition 2 on Bernoulli nodes, with all samples that can be drawn."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.fedweight import proposition2 as claims
from rateproof.verify.form import counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, sqrt
from rateproof.verify.form.on_a_line import at_points
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed
from rateproof.verify.papers.fedweight.lemma3 import CHANCE, COINS, SIZES_2
from rateproof.verify.papers.fedweight.nodes import Nodes, universal
from rateproof.verify.papers.fedweight.proposition1 import coin, finite, sure


def of_44(nodes: Nodes, shares: list[Number]) -> dict[str, Number]:
    """What (44) is made of, for given shares of 1 in the samples."""
    K, p0 = nodes.K, nodes.p0

    def risk(theta: Number, chance: Number) -> Number:
        return ((theta - chance) ** 2 + chance * (1 - chance)) / 2

    def mean(theta: Number, chances: list[Number]) -> Number:
        return sum((risk(theta, chance) for chance in chances), 0 * p0) / K

    hat, equal = (sum(chances, 0 * p0) / K for chances in (shares, [*nodes.p]))
    out = {"L0_equal": risk(hat, p0), "mean_hat": mean(hat, [*nodes.p]), "data_hat": mean(hat, shares)}
    out |= {"data_equal": mean(equal, shares), "mean_equal": mean(equal, [*nodes.p])}
    out |= {"mean_star": mean(p0, [*nodes.p]), "L0_best": risk(p0, p0)}
    links = [*out.values()]
    return {
        **out,
        **{f"T_{i}e": links[i - 1] - links[i] for i in range(1, 7)},
        **{"data_star": mean(p0, shares), "Z_equal": largest((1 - p0) * (hat - equal), p0 * (equal - hat))},
        **{"excess_equal": out["L0_equal"] - out["L0_best"], "dev_equal": abs(hat - equal) / 2},
    }


def gap(nodes: Nodes, at: Number) -> Number:
    """``L_0 - L_k`` of a node outside J at a theta."""
    return (nodes.p0 - nodes.p[-1]) * (1 - 2 * at) / 2


def in_vectors(**params: Any) -> InOutcomes:
    """The gaps of :func:`one_draw` at ``theta``."""
    of = in_floats(params)
    nodes = Nodes.of(params["J"], params["others"], 1, 1.0, of["p0"], of["p1"])
    return at_points({"gaps": [gap(nodes, of["theta"])] * params["others"], "ones": [1.0] * params["others"]})


@family(
    "Bernoulli nodes at a theta",
    None,
    in_vectors,
    **SIZES_2,
    **CHANCE,
    theta=reals(0, 1, "1/4", low=0.1, high=1, zero=True),
)
def at_theta(*, J: int, others: int, p0: Number, p1: Number, theta: Number) -> dict[str, Any]:
    """``T_1`` and ``T_6`` with theta in the place of ``theta^_equal`` and of ``theta*``; G is attained at 0 and 1."""
    nodes = Nodes.of(J, others, 1, 1 + 0 * p0, p0, p1)
    K, far = nodes.K, others * gap(nodes, theta)
    root = sqrt(others + 0 * p0)
    return {
        **{"J_same": J, "K_nodes": K, "gap_same": 0 * p0, "gap_others": far, "norm_one": root},
        **{"T_1e": far / K, "T_6e": -far / K, "G_dist": abs(p0 - p1) / 2 * root},
    }


@family("Bernoulli nodes, one draw", **SIZES_2, **CHANCE, n_train=counts(1, 2, most=3), heads=counts(0, 1, 2, most=3))
def one_draw(*, J: int, others: int, n_train: int, heads: int, p0: Number, p1: Number) -> dict[str, Any]:
    """As many ones in the sample of each node.

    Raises:
        ValueError: there are fewer samples.
    """
    if heads > n_train:
        raise ValueError("there are fewer samples")
    nodes = Nodes.of(J, others, n_train, 1 + 0 * p0, p0, p1)
    return of_44(nodes, [heads / (n_train + 0 * p0) for _ in nodes.p])


@family("Bernoulli nodes, all samples", **SIZES_2, **COINS)
def all_draws(
    *, J: int, others: int, n_train: int, p0: Number, p1: Number, more: Number, **x: Number
) -> dict[str, Any]:
    """What (44) is made of for all samples; ``b = 1``."""
    nodes = Nodes.of(J, others, n_train, 1 + 0 * p0, p0, p1)
    likely, shares = zip(*nodes.samples(), strict=True)
    draws = [of_44(nodes, one) for one in shares]
    out = {name: tuple(draw[name] for draw in draws) for name in draws[0]}
    return {
        **nodes.facts(x["C_H"], x["nu_H"], 1 + 0 * p0),
        **universal(x["C_H"], more),
        **{**out, "Pr": likely},
        **{"J_same": J, "K_nodes": J + others, "G_dist": abs(p0 - p1) / 2 * sqrt(others + 0 * p0)},
    }


#: The means go with the samples, the same in all nodes; or only with the nodes; or a bound of (21) fails.
peers = all_draws.alone("Bernoulli nodes, all alike", p1="1/2")
failing = all_draws.alone("Bernoulli nodes, a sample that misses", p1="1/2", more="1/100")
others = finite.alone("another node", what="others", n_train=10**6)
#: So many draws that the bound as printed, too, leaves out ones alone.
longer = coin.alone("two models, and a coin that shows ones alone, many draws", n_train=1000, fine=1)
PS17_SUM, PS17_OPTIMAL = (record(claim, families=[one_draw]) for claim in (claims.PS17_SUM, claims.PS17_OPTIMAL))
PS17_FIRST, PS17_LAST = (record(claim, families=[at_theta]) for claim in (claims.PS17_FIRST, claims.PS17_LAST))
PS17_DATA = record(claims.PS17_DATA, families=[all_draws, failing])
PS17_ALL, PS17_AT_ONCE = (
    record(claim, families=[all_draws, peers]) for claim in (claims.PS17_ALL, claims.PS17_AT_ONCE)
)
PROP2_CORRECTED = record(claims.PROP2_CORRECTED, families=[peers, finite, others, coin, sure])
PROP2_UNIVERSAL = record(claims.PROP2_UNIVERSAL, families=[finite, others, longer])
PROP2 = record(claims.PROP2, families=[all_draws], check=a4_as_printed)
