"""The rounds of one inner call and of all, and the proof of the row of Table 1 for weak sharpness of order 1.

``R_call`` counts the rounds of a call, ``R_all`` those of the calls ``0, ..., T - 1``.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.papers.strfedavg.calls import constants
from rateproof.theory.papers.strfedavg.mended import delta_h
from rateproof.theory.papers.strfedavg.notation import (
    D2,
    A1n,
    A2n,
    B_ncvx2,
    E_dist_n,
    E_grad2_env,
    F_gap0_env,
    R_dist_d,
    R_first,
    R_stat_d,
    c_e,
    call,
    eta_g,
    eta_g_hat,
    gamma,
    inf_g,
    lam,
    s2,
)
from rateproof.theory.papers.strfedavg.outer_loop import D_0, IN_RANGE, ONE_CALL_II, PLACES, TWO_LOOPS_II, g_s
from rateproof.theory.proof import (
    SEQUENCES,
    Proof,
    Rounds,
    cite,
    exponents,
    have,
    logarithm,
    raised,
    rewritten,
    unfold,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import L_f, R, T, alpha, epsilon, p, t

R_call, R_all = sp.symbols("R_call R_all", integer=True, positive=True)
_slope, _away = E_grad2_env - c_e * delta_h / eta_g, E_dist_n - 2 * delta_h / alpha
#: What is fixed in the table; of what differs between the calls, the largest.
_HELD = (D2, F_gap0_env, A1n, A2n, R_first, c_e, delta_h, eta_g, p, alpha, gamma, lam, L_f)
ROUNDS_II = replace(
    TWO_LOOPS_II,
    sequences={**TWO_LOOPS_II.sequences, R_all: T * R_first + T * (T - 1) / 2, R_call: R_first + call},
    measured=tuple(s for s in TWO_LOOPS_II.measured if s != F_gap0_env),
    rounds={
        R_stat_d: Rounds(_slope, R_all, epsilon, _HELD),
        R_dist_d: Rounds(_away, R_call, epsilon, _HELD),
    },
)
_half = sp.Rational(1, 2)
_log = sp.log(R_all)


def _bound(start: sp.Expr, noise: sp.Expr) -> tuple[sp.Expr, ...]:
    """The terms of Theorem 3 (ii-1), but for that of sharpness, times T, with these logarithms."""
    return (
        2 / gamma * F_gap0_env,
        c_e * D2 * start,
        c_e * 2 * p / eta_g * A1n * noise,
        c_e * 4 * p**2 / eta_g * A2n,
    )


_last = _bound(_log, _log**2)


def _distance(rounds: sp.Expr, start: sp.Expr, A1: sp.Expr, A2: sp.Expr) -> sp.Expr:
    """The terms of Theorem 3 (ii-2)."""
    log = sp.log(rounds) / rounds
    return eta_g * start / (alpha * (rounds - 1)) + 2 * p * log * A1 / alpha + 2 * p**2 * log**2 * A2 / alpha


ROW_1 = Proof(
    *ONE_CALL_II,
    have("c >= 0", ge(c_e, 0), by=[unfold(c_e)]),
    have("R_first", ge(R_first, 3)),
    have("rounds of all", le(R_all / R_first, T**2), by=["R_first", SEQUENCES]),
    have("T + 2", ge(R_all, T + 2), by=["R_first", SEQUENCES]),
    have("3 T", ge(R_all, 3 * T), by=["R_first", SEQUENCES]),
    logarithm("from T + 2", R_all / (T + 2), below=True),
    have("log(T + 2)", ge(_log, sp.log(T + 2)), by=["from T + 2", "T + 2"]),
    logarithm("tangent of log(T + 2)", T + 2, below=True),
    have("log(T + 2) >= 0", ge(sp.log(T + 2), 0), by=["tangent of log(T + 2)"]),
    raised("squares", "log(T + 2)", to=2, by=["log(T + 2) >= 0"]),
    logarithm("from e T", R_all / (sp.E * T), below=True),
    have("1 + log T", ge(_log, 1 + sp.log(T)), by=["from e T", "3 T"]),
    have(
        "the theorem",
        le(
            _slope,
            sp.Add(*_bound(1 + sp.log(T), sp.log(T + 2) ** 2)) / T,
        ),
        by=[cite("strfedavg.thm3.ii-1.corrected"), SEQUENCES],
    ),
    have(
        "by the last",
        le(_slope, sp.Add(*_last) / T),
        by=["the theorem", "1 + log T", "squares", "A_1 >= 0", "A_2 >= 0", "c >= 0"],
        multipliers=[1],
    ),
    have(
        "by all rounds",
        le(_slope, sp.Add(*(x * R_first**_half / R_all**_half for x in _last))),
        by=["by the last", "rounds of all", "A_1 >= 0", "A_2 >= 0", "c >= 0", "log(T + 2)", "log(T + 2) >= 0"],
        multipliers=[1],
    ),
    exponents("stationarity", "by all rounds", by=["A_1 >= 0", "A_2 >= 0", "c >= 0"]),
    have(
        "the distance",
        le(_away, _distance(R, D_0, *constants(g_s)[1:])),
        by=[
            cite("strfedavg.thm3.ii-2.corrected", at={t: R}, points=PLACES),
            unfold(B_ncvx2, inf_g, s2, eta_g_hat),
            "rounds",
        ],
        multipliers=[1],
    ),
    have(
        "with the largest",
        le(_away, _distance(R, D2, A1n, A2n)),
        by=["the distance", "D^2", "A_1", "A_2", "log R", "rounds"],
        when=IN_RANGE,
    ),
    have("rounds of the call", eq(R, R_call), by=["R", SEQUENCES]),
    rewritten("by rounds", "with the largest", by=["rounds of the call"]),
    have("R_call >= 3", ge(R_call, 3), by=["R_first", SEQUENCES]),
    have("beyond the first", le(1 / (R_call - 1), 2 / R_call), by=["R_call >= 3"]),
    have(
        "by the rounds of the call",
        le(
            _away,
            _distance(R_call, 0, A1n, A2n) + eta_g * D2 * 2 / (alpha * R_call),
        ),
        by=["by rounds", "beyond the first", "R_call >= 3"],
        when=IN_RANGE,
        multipliers=[1],
    ),
    exponents("distance", "by the rounds of the call", by=["A_1 >= 0", "A_2 >= 0"]),
)
