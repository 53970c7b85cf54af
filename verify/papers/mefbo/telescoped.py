"""Theorem 3.4 and the sums of its proof as they hold, on runs of a few rounds with all their outcomes."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.mefbo import telescoped as claims
from rateproof.verify.form import counts, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.mefbo.families import (
    CURVED,
    LEVELS,
    LINEAR,
    PENALTIES,
    START,
    built_for_d8,
    d8_by_the_method,
)
from rateproof.verify.papers.mefbo.rounds import measured_run
from rateproof.verify.papers.mefbo.sources import with_ratios


def by_the_method(*, T_rounds: int, **params: Any) -> dict[str, float]:
    """The same by ``algos``, for one round."""
    found = (
        d8_by_the_method(lambda_xy="half of it", bent="all", c_next=params["c_t"], **params) if T_rounds == 1 else {}
    )
    return {"R_best": found["R_end"]} if found else {}


@family(
    "rounds of MeFBO with half the steps of Lemma D.8",
    by_the_method,
    T_rounds=counts(1, 2, 3, most=3),
    **LEVELS,
    n_cl=counts(2, most=2),
    P=counts(2, 1, most=2),
    tau=counts(1, 2, most=2),
    f_x=reals(0, 1, low=0.1, high=1, zero=True),
    apart=reals(0, 1, low=0.1, high=10, zero=True),
    **LINEAR,
    **CURVED,
    c_t=PENALTIES["c_t"],
    lambda_theta=reals("1/100", "1/100000000", low=1e-4, high=0.01),
    eta_theta=reals("1/10000", "1/10", 100, low=1e-5, high=1),
    **START,
)
def few_rounds(
    *,
    T_rounds: int,
    lower: str,
    X: str,
    Y: str,
    n_cl: int,
    P: int,
    tau: int,
    f_x: Number,
    apart: Number,
    k: Number,
    tilt: Number,
    u: Number,
    v: Number,
    gamma: Number,
    L_2: Number,
    c_t: Number,
    lambda_theta: Number,
    eta_theta: Number,
    x_t: Number,
    y_t: Number,
    theta_t: Number,
) -> dict[str, Any]:
    """The steps and the penalty are the same in all rounds."""
    params = {**locals(), "lambda_xy": "half of it", "bent": "all"}
    return measured_run(*built_for_d8(params), T_rounds.__index__(), c_next=c_t, L_2=L_2)


D11_103_CORRECTED = record(claims.D11_103_CORRECTED, families=[few_rounds, with_ratios])
D11_110_CORRECTED = record(claims.D11_110_CORRECTED, families=[few_rounds, with_ratios])
SK_34_CORRECTED = record(claims.SK_34_CORRECTED, families=[few_rounds, with_ratios])
THEOREM34_CORRECTED = record(claims.THEOREM34_CORRECTED, families=[few_rounds, with_ratios])
D11_CORRECTED = record(claims.D11_CORRECTED, families=[few_rounds, with_ratios])
