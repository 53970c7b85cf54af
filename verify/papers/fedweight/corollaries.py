"""Corollaries 1 and 2: their steps on any numbers."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import corollaries as claims
from rateproof.verify.form import at_bound, counts, family, hidden, reals, record
from rateproof.verify.form.arithmetic import Number, log, sqrt
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed
from rateproof.verify.papers.fedweight.nodes import universal
from rateproof.verify.papers.fedweight.theorem2 import known, of_10, with_radius


@family(
    "an epsilon at its bound",
    n_train=counts(100, 1, 10**6),
    K_nodes=counts(2, 3, 100),
    J_same=counts(1, 2, 50),
    b_cap=reals(1, "1/4"),
    radius_w=at_bound(1, 0.1, 2),
    nu_H=reals("1/100", 1, 10),
    delta=reals("99/100", "1/10"),
    C_e=hidden(1, answers=["C_e"], low=1, high=10),
)
def small_radius(
    *, n_train: int, K_nodes: int, J_same: int, b_cap: Number, radius_w: Number, nu_H: Number, delta: Number,
    **_: Number,
) -> dict[str, Any]:  # fmt: skip
    """Any numbers."""
    size = b_cap**2 * J_same + radius_w**2 * (K_nodes - J_same)
    return {"A_J": J_same + nu_H - log(delta), "N_size": n_train / size}


#: What vanishes where all data of a node are alike.
ZERO = (
    *("dist_w", "excess_pop", "excess", "dev_0", "G_up", "G_down", "dev_w", "G_b", "G_b_minus", "move_w", "d_w", "d_s"),
    *("L_hw", "L_tw", "L_hs", "E_hw", "E_hs", "dev_eps", "G_D", "G_minus", "off_w", "out_w", "out_h", "out_s"),
    *("sum_s", "sum_star", "sum_h", "sum_t", "emp_h", "emp_t", "gap_h", "gap_s"),
)

PS_16A = record(claims.MERGED, families=[small_radius])
PS_16B = record(claims.SIZE, families=[small_radius])
PS_16C = record(claims.TOGETHER, families=[small_radius])


@family(
    "nodes like the target, one sample each",
    J_same=counts(10**8, 10**9, 1),
    nu_H=reals(1, 2),
    delta=reals("1/8", "1/4"),
    more=reals(1, 2, "1/2"),
)
def one_each(*, J_same: int, nu_H: Number, delta: Number, more: Number) -> dict[str, Any]:
    """``1/2 (theta - z)^2`` with z = 1 at node 0 and in J, and z = 0 at one more node.

    It takes this many nodes for the radius of (10) to be small beside J^(1/2).
    """
    one = delta / delta
    error = sqrt(2 * (1 + one / J_same))
    of = with_radius(J_same, 1, 1, nu_H, delta, one, error, one) | universal(one, one)
    C_w = more * 2 * error * of["C_0"]
    radius = of_10(of, 1, 1, nu_H, delta, C_w)
    return {
        **{"Pr": (one,), **of, "radius_w": radius, "n_valid": 1, "n_train": 1, "l_0": one},
        **dict.fromkeys(ZERO, (0 * one,)),
        **dict.fromkeys(("L_star", "L_ts", "E_b", "E_b_minus"), 0 * one),
        **dict.fromkeys(("G_dist", "G_out"), one / 2),
        # a + sign lets a node outweigh all others
        **{"R_D": (1 - (one / 2) ** (J_same + 1)) / 2, "R_in": one * J_same / 4, "R_out": radius / 4},
        **{"C_w": C_w, "C_e": more * 2 * of["C_a2"], "c_train": 2 * sqrt(2 * of["C_a"])},
        "C_cor1": more**2 * 12 * of["C_a"] * sqrt(J_same * (nu_H + J_same - log(delta))),
        "A2'": Fact(True, "any weight of the last node moves theta(w) away from theta*"),
        **known(nu_H),
    }


COR1 = record(claims.COROLLARY1, families=[one_each], check=a4_as_printed)
COR2 = record(claims.COROLLARY2, families=[one_each], check=a4_as_printed)
COR2_ORDER = record(claims.ORDER, families=[small_radius])
COR2_CORRECTED = record(claims.COROLLARY2_CORRECTED, families=[one_each])
COR1_CORRECTED = record(claims.COROLLARY1_CORRECTED, families=[one_each])
