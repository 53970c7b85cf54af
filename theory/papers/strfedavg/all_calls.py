"""The rounds of one inner call and of all, and the proofs of the rows of Table 1 for inner calls.

``R_call`` counts the rounds of a call, ``R_all`` those of the calls ``0, ..., T - 1``.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.papers.strfedavg.calls import B2_HAT, constants
from rateproof.theory.papers.strfedavg.mended import delta_h
from rateproof.theory.papers.strfedavg.notation import (
    D2,
    A1n,
    A2n,
    B_ncvx2,
    E_dist_n,
    E_grad2_env,
    F_gap0_env,
    G_h2,
    G_ncvx2,
    M_g,
    R_dist_d,
    R_dist_n,
    R_first,
    R_stat_d,
    R_stat_env,
    c_e,
    call,
    eta_g,
    eta_g_hat,
    gamma,
    grad_g_star,
    inf_g,
    lam,
    s2,
)
from rateproof.theory.papers.strfedavg.outer_loop import (
    CALL_I,
    D_0,
    IN_RANGE,
    NONNEGATIVE,
    ONE_CALL_II,
    PLACES,
    TWO_LOOPS,
    TWO_LOOPS_II,
    g_s,
    replaced,
)
from rateproof.theory.proof import (
    SEQUENCES,
    Proof,
    Rounds,
    Step,
    cite,
    exponents,
    have,
    infimum,
    logarithm,
    raised,
    rewritten,
    section,
    special,
    unfold,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import K, L_f, L_h, N, R, S, T, alpha, epsilon, eta, gamma_g, kappa, p, t

R_call, R_all = sp.symbols("R_call R_all", integer=True, positive=True)
_slope, _away = E_grad2_env - c_e * delta_h / eta_g, E_dist_n - 2 * delta_h / alpha
#: What is fixed in the table; of what differs between the calls, the largest.
_HELD = (D2, F_gap0_env, A1n, A2n, R_first, c_e, delta_h, eta_g, p, alpha, gamma, lam, L_f)
_ALL = T * R_first + T * (T - 1) / 2
ROUNDS_II = replace(
    TWO_LOOPS_II,
    sequences={**TWO_LOOPS_II.sequences, R_all: _ALL, R_call: R_first + call},
    measured=tuple(s for s in TWO_LOOPS_II.measured if s != F_gap0_env),
    counts=(*TWO_LOOPS_II.counts, R_all),
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


def _rounds_of_all(first: str) -> tuple[Step, ...]:
    """What the rounds of all calls have to do with T, where ``R_first >= 3`` by a step."""
    return (
        have("rounds of all", le(R_all / R_first, T**2), by=[first, SEQUENCES]),
        have("3 T", ge(R_all, 3 * T), by=[first, SEQUENCES]),
        logarithm("from e T", R_all / (sp.E * T), below=True),
        have("1 + log T", ge(_log, 1 + sp.log(T)), by=["from e T", "3 T"]),
    )


_SIGNS = ("A_1 >= 0", "A_2 >= 0", "c >= 0", "F_gap0 >= 0")
#: The call is one of those that are made.
_OF_CALL = (
    special("largest g* >= 0", "largest at t", {}),
    have("F_gap0 >= 0", ge(F_gap0_env, 0), by=[infimum("F_lambda", "y_0"), SEQUENCES]),
)
ROW_1 = Proof(
    *ONE_CALL_II,
    section("Signs of the largest constants"),
    *_OF_CALL,
    *NONNEGATIVE,
    have("c >= 0", ge(c_e, 0), by=[unfold(c_e)]),
    section("The rounds of all calls"),
    have("R_first", ge(R_first, 3)),
    *_rounds_of_all("R_first"),
    have("T + 2", ge(R_all, T + 2), by=["R_first", SEQUENCES]),
    logarithm("from T + 2", R_all / (T + 2), below=True),
    have("log(T + 2)", ge(_log, sp.log(T + 2)), by=["from T + 2", "T + 2"]),
    logarithm("tangent of log(T + 2)", T + 2, below=True),
    have("log(T + 2) >= 0", ge(sp.log(T + 2), 0), by=["tangent of log(T + 2)"]),
    raised("squares", "log(T + 2)", to=2, by=["log(T + 2) >= 0"]),
    section("Rounds for stationarity"),
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
        by=["the theorem", "1 + log T", "squares", *_SIGNS],
        multipliers=[1],
    ),
    have(
        "by all rounds",
        le(_slope, sp.Add(*(x * R_first**_half / R_all**_half for x in _last))),
        by=["by the last", "rounds of all", *_SIGNS, "log(T + 2)", "log(T + 2) >= 0"],
        multipliers=[1],
    ),
    exponents("stationarity", "by all rounds", by=_SIGNS),
    section("Rounds for the distance"),
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

# --- weak sharpness of order above 1

#: ``12 kappa/(12 kappa - 17)``, which is fixed with kappa.
c_17 = sp.Symbol("c_17", positive=True)
_HELD_K = (D2, F_gap0_env, A1n, A2n, M_g, R_first, c_e, alpha, gamma, lam, L_f, grad_g_star, c_17)
ROUNDS = replace(
    TWO_LOOPS,
    sequences={**TWO_LOOPS.sequences, R_all: _ALL, R_call: R_first + call, c_17: 12 * kappa / (12 * kappa - 17)},
    measured=tuple(s for s in TWO_LOOPS.measured if s != F_gap0_env),
    counts=(*TWO_LOOPS.counts, R_all),
    rounds={
        R_stat_env: Rounds(E_grad2_env, R_all, epsilon, _HELD_K),
        R_dist_n: Rounds(E_dist_n, R_call, epsilon, _HELD_K),
    },
)


def _power(q: sp.Expr) -> sp.Expr:
    """What ``T^-q`` is at most."""
    return R_first ** (q / 2) * R_all ** (-q / 2)


_q = sp.Rational
_root = 1 / kappa
_slope_g = 2 * c_e * grad_g_star / alpha**_root
#: Terms of Theorem 3 (i-1): factor, what depends on T, what it is at most, and by which steps.
_TERMS: tuple[tuple[sp.Expr, sp.Expr, sp.Expr, tuple[str, ...]], ...] = (
    (2 / gamma * F_gap0_env, 1 / T, _power(sp.S.One), ("rounds of all",)),
    (c_e * D2, (1 + sp.log(T)) / T, _log * _power(sp.S.One), ("rounds of all", "1 + log T", "log T")),
    (2 * c_e * A1n, 1 / (T ** _q(1, 6) * sp.log(T)), 2 * _power(_q(1, 6)), ("T^1/6", "log T")),
    (8 * c_e * A2n, 1 / (T ** _q(3, 4) * sp.log(T)), 2 * _power(_q(3, 4)), ("T^3/4", "log T")),
    (
        _slope_g * D2**_root * 2 * 2**_root,
        (sp.log(T) + 1) ** _root * 12 * kappa / (12 * kappa - 17) / T ** (17 / (12 * kappa)),
        c_17 * _log**_root * _power(17 / (12 * kappa)),
        ("T^17/(12 kappa)", "root of 1 + log T", "c_17"),
    ),
    (
        _slope_g * A1n**_root,
        1 / (1 - 7 / (12 * kappa)) / T ** (7 / (12 * kappa)),
        2 * _power(7 / (12 * kappa)),
        ("T^7/(12 kappa)",),
    ),
    (_slope_g * A2n**_root, kappa / (kappa - 1) / T**_root, 4 * _power(_root), ("T^1/kappa",)),
    (
        _slope_g * (4 * M_g) ** _root,
        12 * kappa / (12 * kappa - 5) * sp.log(T + R_first) ** _root / T ** (5 / (12 * kappa)),
        2 * _log**_root * _power(5 / (12 * kappa)),
        ("T^5/(12 kappa)", "root of the last log"),
    ),
)
_POWERS = {
    "T^1/6": _q(1, 6),
    "T^3/4": _q(3, 4),
    "T^17/(12 kappa)": 17 / (12 * kappa),
    "T^7/(12 kappa)": 7 / (12 * kappa),
    "T^1/kappa": _root,
    "T^5/(12 kappa)": 5 / (12 * kappa),
}


def _inside(rounds: sp.Expr, start: sp.Expr, A1: sp.Expr, A2: sp.Expr) -> sp.Expr:
    """What stands under the root of Theorem 3 (i-2); ``start`` with what divides it."""
    log = sp.log(rounds) / rounds ** _q(5, 12)
    return (log * start + A1 / rounds ** _q(7, 12) + A2 / rounds ** _q(7, 6) + 4 * M_g * log) / alpha


#: The constants at eta_hat, with the optimal value of one call.
_G2 = 2 * G_h2 + B2_HAT * eta_g_hat * g_s
_A1 = s2 / (K * S) + (1 - S / N) * 4 * _G2 / S
_A2 = 9 * (L_h + eta_g_hat) * s2 / (K * gamma_g**2) + 18 * (L_h + eta_g_hat) * _G2 / gamma_g**2
_of_call, _of_all = _inside(R, D_0 / (R - 1), _A1, _A2), _inside(R, 2 * D2 / R, A1n, A2n)
ROW_K = Proof(
    *CALL_I,
    section("Signs of the largest constants"),
    *_OF_CALL,
    *NONNEGATIVE,
    have("s^2 >= 0", ge(s2, 0), by=[unfold(s2)]),
    have("eta_hat >= 0", ge(eta_g_hat, 0), by=[unfold(eta_g_hat)]),
    section("The constants of one call"),
    have("G^2 of the call >= 0", ge(_G2, 0), by=["G_h", "g* >= 0", "eta_hat >= 0"]),
    have("A_1 of the call >= 0", ge(_A1, 0), by=["G^2 of the call >= 0", "s^2 >= 0"]),
    have("A_2 of the call >= 0", ge(_A2, 0), by=["G^2 of the call >= 0", "s^2 >= 0", "eta_hat >= 0"]),
    have("G^2 of the call", le(_G2, G_ncvx2), by=["g*", "eta_hat >= 0", unfold(G_ncvx2)], when=IN_RANGE),
    have("A_1 of the call", le(_A1, A1n), by=["G^2 of the call", unfold(A1n)], when=IN_RANGE),
    have("A_2 of the call", le(_A2, A2n), by=["G^2 of the call", "eta_hat >= 0", unfold(A2n)], when=IN_RANGE),
    have("c >= 0", ge(c_e, 0), by=[unfold(c_e)]),
    section("The rounds of all calls"),
    *_rounds_of_all("R_first"),
    have("square", le(T**-2, R_first / R_all), by=["rounds of all"]),
    *(raised(name, "square", to=q / 2) for name, q in _POWERS.items()),
    section("Logarithms of T and of the last call"),
    logarithm("tangent of log T", T, below=True),
    have("log T", ge(sp.log(T), _half), by=["tangent of log T"]),
    have("all and the last", ge(R_all, T + R_first), by=["R_first", SEQUENCES]),
    logarithm("from the last", R_all / (T + R_first), below=True),
    have("last log", ge(_log, sp.log(T + R_first)), by=["from the last", "all and the last"]),
    logarithm("tangent of the last", T + R_first, below=True),
    have("last log >= 0", ge(sp.log(T + R_first), 0), by=["tangent of the last"]),
    raised("root of the last log", "last log", to=_root, by=["last log >= 0"]),
    raised("root of 1 + log T", "1 + log T", to=_root, by=["log T"]),
    have("c_17", eq(12 * kappa / (12 * kappa - 17), c_17), by=[SEQUENCES]),
    section("Each term by the rounds of all calls"),
    *(have(f"term {i}", le(old, new), by=by) for i, (_, old, new, by) in enumerate(_TERMS, start=1)),
    raised("root of A_1", "A_1 >= 0", to=_root),
    raised("root of A_2", "A_2 >= 0", to=_root),
    section("Rounds for stationarity"),
    have(
        "the theorem",
        le(E_grad2_env, sp.Add(*(c * old for c, old, *_ in _TERMS))),
        by=[cite("strfedavg.thm3.i-1.corrected"), SEQUENCES, "log T"],
        multipliers=[1],
    ),
    *replaced(
        "by all rounds",
        E_grad2_env,
        sp.S.Zero,
        "the theorem",
        [(c * old, c * new, by[0] if i < 2 else f"term {i + 1}") for i, (c, old, new, by) in enumerate(_TERMS)],
        ["1 + log T", "log T", *_SIGNS, "root of A_1", "root of A_2"],
    ),
    exponents("stationarity", "by all rounds", by=_SIGNS),
    section("Rounds for the distance"),
    have(
        "the distance",
        le(E_dist_n, _of_call**_root),
        by=[
            cite("strfedavg.thm3.i-2.corrected", at={t: R, eta: eta_g}, points=PLACES),
            unfold(B_ncvx2, inf_g),
            "rounds",
            "log R",
        ],
        when=IN_RANGE,
        multipliers=[1],
    ),
    have("start of the call", le(D_0 / (R - 1), 2 * D2 / R), by=["D^2", "rounds"], when=IN_RANGE),
    have(
        "inside",
        le(_of_call, _of_all),
        by=["start of the call", "A_1 of the call", "A_2 of the call", "log R", "rounds"],
        when=IN_RANGE,
        multipliers=[sp.log(R) / R ** _q(5, 12) / alpha, 1 / R ** _q(7, 12) / alpha, 1 / R ** _q(7, 6) / alpha],
    ),
    raised("root", "inside", to=_root, by=["A_1 of the call >= 0", "A_2 of the call >= 0", "log R", "rounds"]),
    have("with the largest", le(E_dist_n, _of_all**_root), by=["the distance", "root"], when=IN_RANGE, multipliers=[1]),
    have("rounds of the call", eq(R, R_call), by=["R", SEQUENCES]),
    rewritten("by rounds", "with the largest", by=["rounds of the call"]),
    exponents("distance", "by rounds", by=["A_1 >= 0", "A_2 >= 0"]),
)
