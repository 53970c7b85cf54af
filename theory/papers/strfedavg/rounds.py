"""What the numbers of rounds count, and the proofs of the O(.) claims of Theorems 1 and 2 (corrected)."""

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.strfedavg.explicit_bounds import (
    AT_MOST,
    DECAY,
    LARGEST,
    LARGEST_CONVEX,
    SIGNS,
    decay,
    growing,
)
from rateproof.theory.papers.strfedavg.levels import AT_AVERAGE
from rateproof.theory.papers.strfedavg.mended import R_f_lo_d, R_h_up_d, R_sq_up_d, delta_h
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A2,
    B2,
    D2,
    Q2,
    T0,
    Dlast2,
    E_sq_n,
    L,
    M,
    Qt2,
    R_f_lo_n,
    R_f_up_n,
    R_h_up_n,
    R_sq_up_n,
    W,
    Y,
    gap_f_n,
    gap_h_n,
)
from rateproof.theory.papers.strfedavg.schedules import S_C_1, S_C_II, S_SC, S_SC_1
from rateproof.theory.papers.strfedavg.theorems import THM1, THM2
from rateproof.theory.proof import (
    SCHEDULE,
    Part,
    Proof,
    Rounds,
    Setting,
    Step,
    cite,
    curvature,
    exponents,
    have,
    raised,
    rewritten,
    section,
    unfold,
)
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, ge, item_of, le
from rateproof.theory.symbols import (
    R,
    S,
    alpha,
    b,
    epsilon,
    eta,
    eta_hat,
    gamma_g,
    gamma_t,
    grad_f_star,
    kappa,
    mu_f,
    p,
)

#: Number of rounds at the normalised average -> what has to fall below the accuracy.
COUNTED = {
    R_f_up_n: gap_f_n,
    R_h_up_n: gap_h_n,
    R_f_lo_n: -gap_f_n,
    R_sq_up_n: E_sq_n,
    R_h_up_d: gap_h_n - delta_h,
    R_f_lo_d: -gap_f_n - 2 * grad_f_star * delta_h / alpha,
    R_sq_up_d: E_sq_n - delta_h / (eta * mu_f),
}


def counting(*rounds: sp.Symbol, held: Sequence[sp.Symbol] = (), at: Setting = AT_AVERAGE) -> Setting:
    """The setting of an O(.) claim about these numbers of rounds."""
    return replace(at, rounds={r: Rounds(COUNTED[r], R, epsilon, tuple(held)) for r in rounds})


_OF_Y_AND_W = (
    have("eta_hat >= 0", ge(eta_hat, 0), by=[unfold(eta_hat)]),
    have("Y >= 0", ge(Y, 0), by=["G_f", "G_h", "inf f", "eta_hat >= 0", unfold(Y)]),
    have("W >= 0", ge(W, 0), by=["G_f", "G_h", "inf f", "eta_hat >= 0", unfold(W)]),
)
_CONSTANTS = (*SIGNS, *_OF_Y_AND_W)
_START = (
    have("Qt2 >= 0", ge(Qt2, 0), by=[unfold(Qt2)]),
    have("Qt2", ge(Qt2, D2 - Dlast2), by=[unfold(Qt2)]),
)
_QT2 = tuple(step.name for step in _START)
_KNOWN = ("Y >= 0", "W >= 0")
_RULES = ("gamma_t", "eta")
_DEFINED = ("log R", "the power > 1")


def _rules(schedule: Schedule, *ruled: sp.Symbol) -> tuple[Step, ...]:
    return tuple(have(s.name, eq(s, schedule.rules[s]), by=[SCHEDULE]) for s in ruled)


# --- from the explicit bounds of the theorems


def _explicit(cited: str, printed: Claim, metric: sp.Symbol, start: Sequence[Step], by: Sequence[str]) -> Proof:
    bound = have("bound", le(metric, conjuncts(printed.statement)[0].rhs), by=[cite(cited), *by])
    return Proof(
        section("The start along the schedule"),
        *start,
        section("Signs of the constants"),
        *_CONSTANTS,
        section("The bound, and the rounds"),
        bound,
        exponents("the rounds", "bound", by=[*_KNOWN, *by]),
    )


def _theorem_1(item: str, metric: sp.Symbol) -> Proof:
    start = (
        *_rules(S_SC, eta),
        have("log R", ge(sp.log(R), eta * (mu_f * R) ** b / p), by=["eta"]),
        *growing(p / 2),
    )
    return _explicit(f"strfedavg.thm1.{item}.corrected", item_of(THM1, item), metric, start, _DEFINED)


def _theorem_2(item: str, metric: sp.Symbol) -> Proof:
    return _explicit(f"strfedavg.thm2.{item}.corrected", item_of(THM2, item), metric, _START, _QT2)


THEOREM1_I1 = _theorem_1("i-1x", gap_f_n)
THEOREM1_I2 = _theorem_1("i-2x", gap_h_n)
THEOREM2_I1 = _theorem_2("i-1x", gap_f_n)
THEOREM2_I2 = _theorem_2("i-2x", gap_h_n)

# --- from Propositions 3 and 6 along the schedules

_SAME = have("eta <= eta_hat", le(eta, eta_hat), by=[unfold(eta_hat)])
_NOISE = gamma_t * Y / S + gamma_t**2 * W / gamma_g**2
_ERR = T0 + gamma_t * A1 + gamma_t**2 * A2
_ERR_C = 3 * ((D2 - Dlast2) / (gamma_t * R) + gamma_t * A1 + gamma_t**2 * A2)
#: What bounds the second in Theorem 2.
_HAT_C = 3 * (Qt2 / (gamma_t * R) + _NOISE)
_ERRORS = ("A_1", "A_2", *_QT2)
_DECAYS = ("error", "T_0 along the schedule", *_DEFINED)


def _hat(power: sp.Expr) -> sp.Expr:
    """What bounds the error of Theorem 1 where ``theta^R >= R^power``."""
    return eta * mu_f / 2 * Q2 / (R**power - 1) + _NOISE


def _start(power: sp.Expr) -> tuple[Step, ...]:
    by = ("start", "log R", "the power > 1", "Theta_R >= R")
    return (
        have("T_0 along the schedule", le(T0, _hat(power) - _NOISE), by=[*by, unfold(T0, Q2)]),
        have("first error", le(gamma_t * A1, gamma_t * Y / S), by=["A_1"]),
        have("second error", le(gamma_t**2 * A2, gamma_t**2 * W / gamma_g**2), by=["A_2"]),
        have("error", le(_ERR, _hat(power)), by=["T_0 along the schedule", "first error", "second error", *_DEFINED]),
    )


_EFFECTIVE = (
    have("effective step", le(16 * gamma_t * (L + B2), 1), by=["step condition", unfold(gamma_t)]),
    have("mu <= L", le(eta * mu_f, L + B2), by=[curvature("f_i"), "B^2 >= 0", unfold(L)]),
)
_SCHEDULE = section("The schedule and the largest eta")
_ROUNDS = section("The effective step and the rounds")
_SC: tuple[Part, ...] = (_SCHEDULE, *_rules(S_SC, gamma_t, eta), *LARGEST, *AT_MOST, *DECAY)
_SC_1: tuple[Part, ...] = (
    _SCHEDULE,
    *_rules(S_SC_1, gamma_t),
    _SAME,
    *AT_MOST,
    _ROUNDS,
    *_EFFECTIVE,
    have("log R", ge(sp.log(R), gamma_t * mu_f * R / p), by=["gamma_t"]),
    *decay(eta, mu_f, eta * p / 2, by=[], rules=["gamma_t"]),
)
_C_1: tuple[Part, ...] = (_SCHEDULE, *_rules(S_C_1, gamma_t), _SAME, *AT_MOST)
_C_II: tuple[Part, ...] = (_SCHEDULE, *_rules(S_C_II, gamma_t, eta), *LARGEST_CONVEX, *AT_MOST)


def _along(steps: Sequence[Part], start: Sequence[Step], *parts: Sequence[Part]) -> Proof:
    """A proof from shared steps, what is known of the start, and the parts for each number of rounds."""
    of_start: tuple[Part, ...] = (section("The start, and signs of Y and W"), *start, *_OF_Y_AND_W)
    return Proof(*steps, *of_start, *(step for part in parts for step in part))


_TITLES = {
    R_f_up_n: "Rounds for the upper bound on f",
    R_f_lo_n: "Rounds for the lower bound on f",
    R_f_lo_d: "Rounds for the lower bound on f",
    R_h_up_n: "Rounds for the upper bound on h",
    R_h_up_d: "Rounds for the upper bound on h",
    R_sq_up_d: "Rounds for the squared distance",
}


def _part(
    rounds: sp.Symbol, bound: sp.Expr, cited: str, *by: str, rules: Sequence[str] = ("gamma_t",)
) -> tuple[Part, ...]:
    """A bound on what ``rounds`` counts, from a proposition; with the rules of the schedule; and the rounds."""
    at_hat, at_r = f"{rounds}: at eta_hat", f"{rounds}: by R"
    return (
        section(_TITLES[rounds]),
        have(at_hat, le(COUNTED[rounds], bound), by=[cite(f"strfedavg.{cited}.corrected"), *by]),
        rewritten(at_r, at_hat, by=rules),
        exponents(f"{rounds}", at_r, by=[*_KNOWN, *by]),
    )


def _root(err: sp.Expr, hat: sp.Expr, prop: str, *by: str, rules: Sequence[str] = _RULES) -> tuple[Part, ...]:
    """Weak sharpness of order above one, item ii-2: ``-||grad f*|| (err/alpha)^{1/kappa}`` is a lower bound."""
    err, hat = err + 2 * eta * M, hat + 2 * eta * M
    bound = grad_f_star * (hat / alpha) ** (1 / kappa)
    return (
        section("What stands under the root"),
        have("inside", le(err / alpha, hat / alpha), by=by),
        have("inside >= 0", ge(err, 0), by=[cite(f"strfedavg.{prop}.ii-1.corrected")], multipliers=[1, 1]),
        raised("the root", "inside", to=1 / kappa, by=["inside >= 0"]),
        *_part(R_f_lo_n, bound, f"{prop}.ii-2", "the root", *by, rules=rules),
    )


THEOREM1_II1 = _along(_SC, _start(p / 2), _root(_ERR, _hat(p / 2), "prop3", *_DECAYS))
_hat_1 = _hat(eta * p / 2)
_PARTS_SC = {
    "iii-1": _part(R_f_up_n, _hat_1 / eta, "prop3.i-2", *_DECAYS),
    "iii-2": _part(R_h_up_d, 2 * _hat_1, "prop3.iii-1", *_DECAYS),
    "iii-3": _part(R_f_lo_d, 2 * grad_f_star / alpha * _hat_1, "prop3.iii-2", *_DECAYS),
    "iii-4": _part(R_sq_up_d, 2 / (eta * mu_f) * _hat_1, "prop3.iii-3", *_DECAYS),
}
THEOREM1_III = {item: _along(_SC_1, _start(eta * p / 2), part) for item, part in _PARTS_SC.items()}
THEOREM2_II = _along(_C_II, _START, _root(_ERR_C, _HAT_C, "prop6", *_ERRORS))
_PARTS_C = {
    "iii-1": _part(R_f_up_n, _HAT_C / eta, "prop6.i-2", *_ERRORS),
    "iii-2": _part(R_h_up_d, 2 * _HAT_C, "prop6.iii-1", *_ERRORS),
    "iii-3": _part(R_f_lo_d, 2 * grad_f_star / alpha * _HAT_C, "prop6.iii-2", *_ERRORS),
}
THEOREM2_III = {item: _along(_C_1, _START, part) for item, part in _PARTS_C.items()}

# --- Table 1: exponents of the accuracy, everything else is held fixed

HELD = (Q2, D2, W, Y, M, S, p, mu_f, gamma_g, alpha, grad_f_star)


def _at(schedule: Schedule, *ruled: sp.Symbol) -> tuple[Step, ...]:
    """The rules of a schedule at the exponents of Remark 2."""
    values = schedule.defaults
    return (
        *_rules(schedule, *ruled),
        *(have(e.name, eq(e, value)) for e, value in values.items()),
        *(rewritten(f"{s} at the exponents", s.name, by=[e.name for e in values]) for s in ruled),
    )


_RULES_AT = tuple(f"{s} at the exponents" for s in (gamma_t, eta))
_ROW_SC_STEPS: tuple[Part, ...] = (
    _SCHEDULE,
    *_at(S_SC, gamma_t, eta),
    *LARGEST,
    *AT_MOST,
    _ROUNDS,
    *_EFFECTIVE,
    have("log R", ge(sp.log(R), eta * (mu_f * R) ** b / p), by=["eta"]),
    *decay(eta, mu_f, p / 2, by=[], rules=_RULES_AT),
)
_ROW_SC = (
    _part(R_f_up_n, _hat(p / 2) / eta, "prop3.i-2", *_DECAYS, rules=_RULES_AT),
    _part(R_h_up_n, _hat(p / 2) + 2 * eta * M, "prop3.i-1", *_DECAYS, rules=_RULES_AT),
)
_FROM_START = have("Qt2 <= D2", le(Qt2, D2), by=[unfold(Qt2)])
_noise_1 = 3 * (D2 / (gamma_t * R) + _NOISE)
_OF_C_1 = ("A_1", "A_2", "Qt2 <= D2")
_ROW_C_1 = (
    _part(R_f_up_n, _noise_1 / eta, "prop6.i-2", *_OF_C_1, rules=_RULES_AT[:1]),
    _part(R_h_up_d, 2 * _noise_1, "prop6.iii-1", *_OF_C_1, rules=_RULES_AT[:1]),
    _part(R_f_lo_d, 2 * grad_f_star / alpha * _noise_1, "prop6.iii-2", *_OF_C_1, rules=_RULES_AT[:1]),
)
TABLE1 = {
    "sc.0": _along(_ROW_SC_STEPS, _start(p / 2), *_ROW_SC),
    "sc.k": _along(
        _ROW_SC_STEPS,
        _start(p / 2),
        *_ROW_SC,
        _root(_ERR, _hat(p / 2), "prop3", *_DECAYS, rules=_RULES_AT),
    ),
    "sc.1": _along(_SC_1, _start(eta * p / 2), *(_PARTS_SC[item] for item in ("iii-1", "iii-2", "iii-3"))),
    "c.1": _along((_SCHEDULE, *_at(S_C_1, gamma_t), _SAME, *AT_MOST), (_FROM_START,), *_ROW_C_1),
}
