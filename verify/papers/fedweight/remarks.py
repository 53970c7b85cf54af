"""Comparisons of the bounds on numbers, ties among them: ``b J = 1``, ``J = K - 1``, ``K = 2``, ``r = 1``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedweight import remarks as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, least, sqrt


def _quoted(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    said = "it is quoted from another paper, whose theorem and assumptions do not stand in this one"
    yield Evidence(Finding.NO_CHECK, Level.EXACT, "none", said)


EQ8 = record(claims.EQ8, check=_quoted)


@family(
    "numbers in the bounds",
    G_is=choice("as small as said", "given", "as large as needed"),
    K_nodes=counts(2, 3, 10, 1000, most=1000),
    J_same=counts(1, 2, most=2),
    n_valid=counts(100, 1, 10**4),
    n_train=counts(10**4, 100, 10**8, 10**12),
    r_eb=reals(2, 1, 4, low=1, high=10),
    b_cap=reals(1, "1/2", low=0.1, high=1),
    nu_H=reals(1, "1/100", 100, 10**4),
    log_1_delta=reals(1, "1/100", 100),
    G_dist=reals("1/10", 0, 1, zero=True),
    small_o=reals(1, "1/10", low=0.01, high=10),
    l_0=reals(1, "1/10"),
    C_w=reals(1),
    C_cor=reals(1, 10),
)
def numbers(*, G_is: str, K_nodes: int, J_same: int, n_valid: int, n_train: int, **of: Number) -> dict[str, Any]:
    """Sizes, and the numbers that the bounds have; G and C_w may be what the remarks and corrections suppose of them.

    ``G_is``: how G is chosen.

    Raises:
        ValueError: all nodes are alike.
    """
    if J_same >= K_nodes:
        raise ValueError(f"J = {J_same} should be below K = {K_nodes}")
    one, r, b, a = of["r_eb"] / of["r_eb"], of["r_eb"], of["b_cap"], of["small_o"]
    confidence, K = of["nu_H"] + of["log_1_delta"], K_nodes
    B = K * b**2 * (confidence + K) / n_train
    if G_is == "as small as said":
        v, t = one * n_valid, one * n_train
        # a little less than each of them, so that balls decide it
        limits = v ** (1 / (2 * r)) / sqrt(v), t ** (1 / (4 * r)) / sqrt(v), t ** (1 / (4 * r) - one / 4)
        of["G_dist"] = 99 * a * least(*limits) / 100
    root = (confidence / n_valid) ** (1 / (2 * r)) + of["l_0"] * B ** (1 / (4 * r))
    if G_is == "as large as needed":
        other = sqrt(one * (K - J_same)) / K
        of["G_dist"] = 101 * of["C_cor"] * sqrt(J_same * b**2 * (confidence + J_same) / n_train) / other / 100
        of["C_w"] = 99 * other / (200 * root)
    return {
        **of,
        **{"K_nodes": K, "J_same": J_same, "K_other": K - J_same, "n_valid": n_valid, "n_train": n_train},
        **{"mu_l": one, "C_0": of["C_cor"]},
        "eps_10": of["C_w"] * root,
        "(10)": Fact(True, "it is computed so"),
    }


@family(
    "numbers under the fourth root",
    K_nodes=counts(2, 1, 1000, most=1000),
    n_train=counts(10**4, 100),
    nu_H=reals(1, "1/100", 10**4),
    log_1_delta=reals(1, "1/100"),
)
def under_root(*, K_nodes: int, **of: Number) -> dict[str, Any]:
    """Sizes, with one node alone among them."""
    return {**of, "K_nodes": K_nodes, "degenerate": K_nodes == 1}


LOGK = record(
    claims.LOGK,
    families=[numbers, under_root],
    refuted_by=example(
        under_root,
        K_nodes=1,
        nu_H="1/100",
        log_1_delta="1/100",
        left="1.02e-4",
        right="4e-6",
        by_hand="K = 1, nu_H = log(1/delta) = 1/100, n_train = 10^4: nu_H + K + log(1/delta) = 1.02, and nu_H + K log "
        "K + log(1/delta) = 0.02, of which twice as much is on the right.",
    ),
)
LOGK_CORRECTED = record(claims.LOGK_CORRECTED, families=[numbers, under_root])
LOGK_FACTOR, LOGK_MOST, COR1_I, COR1_II, COR2_I, COR2_II, COR2_III = (
    record(claim, families=[numbers])
    for claim in (
        *(claims.LOGK_FACTOR, claims.LOGK_MOST, claims.COR1_I, claims.COR1_II),
        *(claims.COR2_I, claims.COR2_II, claims.COR2_III),
    )
)
#: So much data that epsilon is small.
many = numbers.narrowed(
    "numbers in the bounds, with much data",
    G_is=choice("as large as needed", "given"),
    n_valid=counts(10**6, 10**8),
    n_train=counts(10**12, 10**16),
    G_dist=reals(1, "1/100", 10),
)
PROP2 = record(
    claims.PROP2,
    families=[numbers, many],
    refuted_by=example(
        numbers,
        G_is="given",
        left="0.1141",
        right="0.1746",
        by_hand="J = b = C = C_w = l_0/mu^(1/2) = nu_H = log(1/delta) = 1, K = r = 2, n_valid = 100, n_train = 10^4, G "
        "= 1/10. Then epsilon = 0.3761 + 0.4101 = 0.786, which is at most 1. The bounds are 0.0141 + 0.1 and 0.0173 + "
        "0.1572, of which the terms with G decide, whatever C.",
    ),
)
PROP2_CORRECTED = record(claims.PROP2_CORRECTED, families=[many])
