"""Table 1: exponents of the target accuracy (and kappa) only."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.nonconvex import (
    CASE_I,
    CASE_II,
    GRADIENT_FACTOR,
    M_VALID_G_N,
    OUTER_STEP,
    PENALTY,
    ROUND_OFFSET,
    WHERE_3,
)
from rateproof.theory.papers.strfedavg.notation import (
    ABOUT_AVERAGE,
    INDEX,
    M_VALID,
    WHERE_C,
    R_dist_n,
    R_f_lo,
    R_f_up,
    R_h_up,
    R_stat,
)
from rateproof.theory.papers.strfedavg.schedules import S_C, S_C_1, S_IP, S_IP_1, S_SC, S_SC_1, TABLE_C, TABLE_SC
from rateproof.theory.papers.strfedavg.theorems import HYPOTHESES, LOGS_WHY, WHERE_1
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, every, le, misprint
from rateproof.theory.symbols import C_O, a, b, epsilon, kappa

#: Titles of the claims that share a maker, by id.
TITLES = {
    "tab1.sc.0": "Rounds, strongly convex, without weak sharpness",
    "tab1.sc.k": "Rounds, strongly convex, weak sharpness above 1",
    "tab1.sc.1": "Rounds, strongly convex, weak sharpness 1",
    "tab1.c.0": "Rounds, convex, without weak sharpness",
    "tab1.c.k": "Rounds, convex, weak sharpness above 1",
    "tab1.c.1": "Rounds, convex, weak sharpness 1",
    "tab1.ip.k": "Rounds of IPIR-FedAvg, weak sharpness above 1",
    "tab1.ip.1": "Rounds of IPIR-FedAvg, weak sharpness 1",
}

_AT_SC = Hypothesis("a=2/3,b=1/3", "a = 2/3 and b = 1/3 (Remark 2)", every(*(eq(s, v) for s, v in TABLE_SC.items())))
_AT_C = Hypothesis("a=1/2,b=1/4", "a = 1/2 and b = 1/4 (Remark 2)", every(*(eq(s, v) for s, v in TABLE_C.items())))
_AT_C_1 = Hypothesis("a=1/2", "a = 1/2 (Remark 2)", eq(a, TABLE_C[a]))
_AT_SC_1 = Hypothesis("b=1/3", "b = 1/3 (Remark 2)", eq(b, TABLE_SC[b]))


def _row(
    item: str,
    setting: str,
    entries: dict[sp.Symbol, sp.Expr],
    lower: str,
    upper: str,
    hypotheses: tuple[Hypothesis, ...],
    schedule: Schedule,
    follows_from: tuple[str, ...],
    switches: tuple[Switch, ...] = (),
) -> Claim:
    return claim(
        f"tab1.{item}",
        "Table 1",
        Kind.COMPLEXITY,
        f"StR-FedAvg, {setting}: E[f] - f* lower bound {lower}, upper bound {upper}; "
        f"E[h] - h* lower bound 0, upper bound {upper}",
        every(*(le(rounds, C_O * epsilon**-power) for rounds, power in entries.items())),
        title=TITLES[f"tab1.{item}"],
        hypotheses=hypotheses,
        where=WHERE_1 if schedule in (S_SC, S_SC_1) else WHERE_C | dict(schedule.where),
        schedule=schedule,
        follows_from=(*follows_from, "rem2"),
        switches=(*switches, *ABOUT_AVERAGE),
        note="The lower bounds 0 and 'asymptotic' are not part of the statement."
        + ("" if schedule in (S_SC, S_SC_1) else " η̂ is read as in Theorem 2."),
    )


#: For the table, where all constants are fixed: ln(1/epsilon) in the limit, and positive everywhere.
LOG = sp.log(1 + 1 / epsilon)


def _logs(entries: dict[sp.Symbol, sp.Expr]) -> Switch:
    """The logarithms of the bound on h, which the lower bound on f inherits."""
    return misprint(
        "ln³(1/ε) beside ε^-3 for h (and beside ε^{-3κ})",
        LOGS_WHY,
        every(*(le(rounds, C_O * entry) for rounds, entry in entries.items())),
        "the last display of the proof of Theorem 1 (i-2), and the rows of IPIR-FedAvg, where hidden logarithms make "
        "it Õ(.)",
    )


def _both(power: int) -> dict[sp.Symbol, sp.Expr]:
    return {R_f_up: sp.Integer(power), R_h_up: sp.Integer(power)}


TAB1 = (
    _row(
        "sc.0",
        "f strongly convex, h convex, weak sharpness not required",
        _both(3),
        "asymptotic",
        "O(ε^-3)",
        (*HYPOTHESES["sc.i"], M_VALID, _AT_SC),
        S_SC,
        ("thm1.i-1", "thm1.i-2"),
        (_logs({R_f_up: epsilon**-3, R_h_up: epsilon**-3 * LOG**3}),),
    ),
    _row(
        "sc.k",
        "f strongly convex, h convex, X_h* weak sharp with κ > 1",
        {R_f_lo: 3 * kappa, **_both(3)},
        "O(ε^{-3κ})",
        "O(ε^-3)",
        (*HYPOTHESES["sc.ii"], M_VALID, _AT_SC),
        S_SC,
        ("thm1.i-1", "thm1.i-2", "thm1.ii-1"),
        (
            _logs(
                {
                    R_f_lo: epsilon ** (-3 * kappa) * LOG**3,
                    R_f_up: epsilon**-3,
                    R_h_up: epsilon**-3 * LOG**3,
                }
            ),
        ),
    ),
    _row(
        "sc.1",
        "f strongly convex, h convex, X_h* weak sharp with κ = 1",
        {R_f_lo: sp.S.One, **_both(1)},
        "O(ε^-1)",
        "O(ε^-1)",
        (*HYPOTHESES["sc.iii"], _AT_SC_1),
        S_SC_1,
        ("thm1.iii-1", "thm1.iii-2", "thm1.iii-3"),
    ),
    _row(
        "c.0",
        "f convex, h convex, weak sharpness not required",
        _both(4),
        "asymptotic",
        "O(ε^-4)",
        (*HYPOTHESES["c.i"], M_VALID, _AT_C),
        S_C,
        ("thm2.i-1", "thm2.i-2"),
    ),
    _row(
        "c.k",
        "f convex, h convex, X_h* weak sharp with κ > 1",
        {R_f_lo: 4 * kappa, **_both(4)},
        "O(ε^{-4κ})",
        "O(ε^-4)",
        (*HYPOTHESES["c.ii"], M_VALID, _AT_C),
        S_C,
        ("thm2.i-1", "thm2.i-2", "thm2.ii"),
    ),
    _row(
        "c.1",
        "f convex, h convex, X_h* weak sharp with κ = 1",
        {R_f_lo: sp.Integer(2), **_both(2)},
        "O(ε^-2)",
        "O(ε^-2)",
        (*HYPOTHESES["c.iii"], _AT_C_1),
        S_C_1,
        ("thm2.iii-1", "thm2.iii-2", "thm2.iii-3"),
    ),
)


def _row_ip(
    item: str,
    order: str,
    stationarity: tuple[str, sp.Expr],
    distance: tuple[str, sp.Expr],
    hypotheses: tuple[Hypothesis, ...],
    schedule: Schedule,
    follows_from: tuple[str, ...],
) -> Claim:
    return claim(
        f"tab1.ip.{item}",
        "Table 1",
        Kind.COMPLEXITY,
        f"IPIR-FedAvg, f nonconvex, globally known, h convex, X_h* weak sharp with {order}: stationarity "
        f"Õ({stationarity[0]}), E[dist(., X_h*)] Õ({distance[0]})",
        every(
            le(R_stat, C_O * epsilon ** -stationarity[1]),
            le(R_dist_n, C_O * epsilon ** -distance[1]),
        ),
        title=TITLES[f"tab1.ip.{item}"],
        hypotheses=hypotheses,
        where=WHERE_3,
        schedule=schedule,
        follows_from=(*follows_from, "rem4"),
        switches=(INDEX, GRADIENT_FACTOR, PENALTY, ROUND_OFFSET),
        note="Õ(.) suppresses logarithms. Remark 4 counts the rounds of all inner calls for stationarity; the distance "
        "after call t is counted by the rounds of that call alone. Calls return normalised averages, f is known in "
        "every instance, and Assumption 2 is not named.",
    )


TAB1_IP = (
    _row_ip(
        "k",
        "κ > 1",
        ("ε^{-24κ/5}", 24 * kappa / 5),
        ("ε^{-12κ/5}", 12 * kappa / 5),
        (*CASE_I, OUTER_STEP, M_VALID_G_N),
        S_IP,
        ("thm3.i-1", "thm3.i-2"),
    ),
    _row_ip(
        "1", "κ = 1", ("ε^-1", sp.S.One), ("ε^-1", sp.S.One), (*CASE_II, OUTER_STEP), S_IP_1, ("thm3.ii-1", "thm3.ii-2")
    ),
)
