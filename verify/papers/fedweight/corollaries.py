"""Corollaries 1 and 2: their steps on any numbers."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.fedweight import corollaries as claims
from rateproof.verify.form import at_bound, counts, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed
from rateproof.verify.papers.fedweight.theorem2 import all_neighbours, far_radius


@family(
    "an epsilon at its bound",
    n_train=counts(100, 1, 10**6),
    K_nodes=counts(2, 3, 100),
    J_same=counts(1, 2, 50),
    b_cap=reals(1, "1/4"),
    radius_w=at_bound(1, 0.1, 2),
    rest=reals("1/100", 1, 10),
)
def small_radius(
    *, n_train: int, K_nodes: int, J_same: int, b_cap: Number, radius_w: Number, rest: Number
) -> dict[str, Any]:
    """Any numbers; ``rest`` is nu_H + log(1/delta)."""
    return {"A_J": J_same + rest, "N_size": n_train / (b_cap**2 * J_same + radius_w**2 * (K_nodes - J_same))}


PS_16A = record(claims.MERGED, families=[small_radius])
PS_16B = record(claims.SIZE, families=[small_radius])
PS_16C = record(claims.TOGETHER, families=[small_radius])
large = all_neighbours.narrowed(
    "a node like the target, and another, many validation data",
    wide=reals("1/4"),
    n_valid=counts(40, most=1),
    n_train=counts(1, most=1),
    delta=reals("1/4"),
)
#: eps <= b J^(1/2)/(K - J) = 1 asks for many data: here all data of a node are alike.
alike = far_radius.narrowed(
    "a node like the target, and another, without chance",
    p0=reals(1),
    p2=reals(0, "1/2", zero=True),
    wide=reals(1),
    n_valid=counts(10**12, 10**16),
    n_train=counts(10**12, 10**16),
    times=reals(1),
)
COR1 = record(claims.COROLLARY1, families=[large], check=a4_as_printed)
COR2 = record(claims.COROLLARY2, families=[large], check=a4_as_printed)
COR2_CORRECTED = record(claims.COROLLARY2_CORRECTED, families=[alike])
COR1_CORRECTED = record(claims.COROLLARY1_CORRECTED, families=[alike])
