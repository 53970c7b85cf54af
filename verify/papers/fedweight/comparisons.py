"""Comparisons of complexities: Remark 1 with Table 2, Section 4, and what the bounds do when units change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedweight import comparisons as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import Record, counts, family, reals, record
from rateproof.verify.form.arithmetic import Number


def quoted(claim: Claim) -> Record:
    """What the paper says of others, or of a reason."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        said = "it speaks of results of other papers, whose assumptions do not stand in this one"
        yield Evidence(Finding.NO_CHECK, Level.EXACT, "none", said)

    return record(claim, check=check)


QUOTED = tuple(map(quoted, (claims.LOWEST, *claims.OTHERS, claims.REASON)))


@family("an accuracy", eps_opt=reals(1, "1/10", "1/1000", 2, low=0.001, high=2))
def accuracy(*, eps_opt: Number) -> dict[str, Any]:
    """It is all that the remark is about."""
    return {}


BETTER = record(claims.BETTER, families=[accuracy])


@family(
    "a call",
    s_out=counts(0, 1, 30, most=100),
    tau_in=counts(2, 3, 20, 1, most=100),
    q_in=reals("1/2", "1/10", "9/10", low=0.01, high=0.9),
    l_1=reals(1, "1/2", 10),
    mu_l=reals(1, "1/10"),
    A_1=reals(1, "1/100", 100),
    slower=reals(1, 2, "1/2", low=0.5, high=10),
    digits=reals(1, 0, 10, zero=True),
)
def one_call(
    *, s_out: int, tau_in: int, q_in: Number, l_1: Number, mu_l: Number, A_1: Number, slower: Number, digits: Number
) -> dict[str, Any]:
    """A call with ``M_s`` a multiple of what (18) says at least, ``1 + A_1`` taken for the root of ``A_1``."""
    inverse = max(80 * l_1 / 3, 3 * l_1 * (tau_in - 1) * (6 * (tau_in - 1) + 8 + 16 / (1 - q_in)))
    return {"M_s": slower * max(inverse, (s_out + 1) ** 2 * (1 + A_1)), "gamma_in": slower * 3 / (80 * l_1)}


GRADIENT = record(claims.GRADIENT, families=[one_call])
MORE_STEPS = record(claims.MORE_STEPS, families=[one_call])


@family(
    "constants in two units",
    K_nodes=counts(4, 1, 9, most=100),
    **{name: reals(1, "1/3", 5) for name in ("l_0", "l_1", "mu_l", "gamma_in", "eta_w", "R_theta")},
    l_2=reals(1, 0, 7, zero=True),
    S_out=counts(3),
    tau_in=counts(1, 4),
    q_in=reals("1/2"),
    by_theta=reals(2, "1/10", 10),
    by_loss=reals(3, "1/10", 10),
    error=reals(1, 0, 2, zero=True),
)
def in_two_units(*, error: Number, **given: Any) -> dict[str, Any]:
    """Any constants, and sums of errors."""
    return {
        **dict.fromkeys(("sum_E", "total_E", "gap_start"), error),
        **dict.fromkeys(("sum_E2", "total_E2"), error**2),
    }


UNITS = tuple(record(claim, families=[in_two_units]) for claim in (claims.PS32_THETA, claims.PS32_LOSS))
