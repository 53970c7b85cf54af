"""Theorem 3.4 and (103) with all constants, as they can be proved: the corrected Lemma D.8, summed over the rounds.

The steps are the same in all rounds. What the noise and the drifts of a round add stays: at the end of an interval the
variance of the directions keeps the measure away from 0 (Theorem 3.4), and local steps do (Corollary 3.5).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from rateproof.theory.claim import Reason
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d8, sketch
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import theorem_d11 as d
from rateproof.theory.papers.mefbo.theorem34 import THEOREM34
from rateproof.theory.proof import (
    SEQUENCES,
    Ground,
    Proof,
    Setting,
    Step,
    cite,
    have,
    largest,
    least,
    qed,
    rewritten,
    special,
    summed,
    unfold,
)
from rateproof.theory.shorthand import amended, eq, ge, le
from rateproof.theory.symbols import NONNEG, info

_R = sp.Rational
t = sp.Symbol("t", integer=True, nonnegative=True)
OVER = (t, sp.S.Zero, p.T - 1)
Psi = sp.Function("Psi", real=True)


def worst(of: sp.Symbol, what: str, unit: sp.Expr) -> sp.Symbol:
    """The largest value of a metric over the rounds."""
    latex = rf"\max_t{info(of, 'mefbo').latex}"
    return p.declare(f"{of}_max", f"{what} in the round where it is largest", unit, latex=latex, **NONNEG)


LARGEST = {
    p.D_x: worst(p.D_x, "client drift of x", p.AREA),
    p.D_y: worst(p.D_y, "client drift of y", p.AREA),
    p.D_theta: worst(p.D_theta, "client drift of theta", p.AREA),
    lemma_d5.var_x: worst(lemma_d5.var_x, "variance of the direction of x", p.FORCE2),
    lemma_d5.var_y: worst(lemma_d5.var_y, "variance of the direction of y", p.FORCE2),
}
DESCENT = lemma_d8.LEMMA_D8_CORRECTED
_MEASURES = (*LARGEST, p.step_x, p.step_y, p.gap2, p.R_end)
TERMS = {m: sp.Function(f"{m}_", nonnegative=True)(t) for m in _MEASURES}
no_moves = dict.fromkeys((p.step_x, p.step_y, p.gap2), sp.S.Zero)
#: What a round adds to the descent of the Lyapunov function, at the smallest penalty and in the worst round.
added = DESCENT.statement.rhs.xreplace(no_moves)  # type: ignore[union-attr]
ADDED = added.xreplace({**LARGEST, p.c_t: p.c_0})
FROM_C_0 = p.H_("c_0<=c_t", "c_0 is the smallest penalty", le(p.c_0, p.c_t))
SAME = p.H_("fixed", "the steps of the server are the same in all rounds")
HYPOTHESES = (*DESCENT.hypotheses, FROM_C_0, SAME)
ROUNDS = Setting(
    maxima={worst: (TERMS[m], OVER) for m, worst in LARGEST.items()},
    minima={p.R_best: (TERMS[p.R_end], OVER)},
    metrics={p.Psi_t: p.Phi_t + p.K * p.gap2},
    sequences={
        **TERMS,
        p.Psi_t: Psi(t),
        p.Psi_end: Psi(t + 1),
        p.Psi_0: Psi(0),
        d.sum_moved: sp.Sum((d.MOVES + d.TRACKS).xreplace(TERMS), OVER),
        d.sum_lR: sp.Sum(p.lambda_theta * TERMS[p.R_end], OVER),
    },
    others=(lemma_d8.CHAIN, sketch.SK_31.setting, sketch.SK_30_CORRECTED.setting, lemma_d5.ERRORS),  # type: ignore[arg-type]
    measured=(*_MEASURES, p.Phi_t, p.Psi_end, p.Psi_0, d.sum_moved, d.sum_lR, p.err_x, p.err_y),
    fixed=(
        *LARGEST.values(), p.R_best, p.lambda_theta, p.lambda_x, p.lambda_y, p.c_0, p.gamma, p.n, p.P, p.tau,
        p.beta_max, p.L_1, p.L_2, p.Het, p.sig_g,
    ),
)  # fmt: skip
KNOWN = ["rho", "L_theta", "K", "delta"]
IN_RANGE = (le(t, p.T - 1),)
_AT_START = {p.c_t: p.c_0}


def weighed(
    expr: sp.Expr,
    what: str,
    bounds: Mapping[sp.Symbol, sp.Expr] = LARGEST,
    *,
    at: Mapping[sp.Symbol, sp.Expr] = _AT_START,
    why: Mapping[sp.Symbol, Sequence[Ground]] | None = None,
    by: Sequence[Ground] = (),
) -> tuple[tuple[Step, ...], list[Ground]]:
    """That what is linear in metrics is at most that in the worst round, metric by metric.

    Args:
        expr: what is linear.
        what: names the steps.
        bounds: metric -> its bound, the largest value over the rounds where ``why`` does not have it.
        at: what stands for parameters in the worst round.
        why: metric -> why its bound is one.
        by: why ``at`` is the worst, beside the penalty.
    """
    out: list[Step] = []
    names: list[Ground] = []
    for metric, bound in bounds.items():
        slope = sp.diff(expr, metric)
        first = slope.xreplace(at)
        name = f"{what}, {metric}"
        because = (why or {}).get(metric) or [largest(bound), SEQUENCES]
        out += [
            have(f"{name}: its sign", ge(first, 0), by=[*KNOWN, "A_P", "B_P"]),
            have(f"{name}: largest", le(metric, bound), by=because, when=IN_RANGE),
            have(f"{name}: penalty", le(metric / p.c_t**2, metric / p.c_0**2), by=["the penalty"]),
            have(
                f"{name}: at c_0",
                le(slope * metric, first * metric),
                by=[f"{name}: penalty", *KNOWN, *by],
                multipliers=[slope.subs(p.c_t, 1) - slope.subs(p.c_t**-2, 0)],
            ),
            have(
                name,
                le(slope * metric, first * bound),
                by=[f"{name}: at c_0", f"{name}: largest", f"{name}: its sign", "rho"],
                multipliers=[1, first],
                when=IN_RANGE,
            ),
        ]  # fmt: skip
        names.append(name)
    return tuple(out), names


_steps, _names = weighed(added, "added")
SIGNS = (
    have("rho", sp.Gt(p.rho, 0, evaluate=False), by=[unfold(p.rho)]),
    have("L_theta", sp.Gt(p.L_theta, 0, evaluate=False), by=["rho", unfold(p.L_theta)]),
    have("K", sp.Gt(p.K, 0, evaluate=False), by=["L_theta", unfold(p.K)]),
)
START = (
    *SIGNS,
    have("K squared", eq(4 * p.K**2 * p.L_theta**2, p.G2_3), by=[unfold(p.K)]),
    have("the step", le(p.lambda_theta * p.rho, _R(4, 5)), by=["rho"]),
    have("delta", sp.Gt(p.delta_t, 0, evaluate=False), by=["rho", "the step", unfold(p.delta_t)]),
    have("A_P", ge(p.A_P, 0), by=[unfold(p.A_P)]),
    have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
    have("the penalty", le(1 / p.c_t**2, 1 / p.c_0**2)),
    have("a round", DESCENT.statement, by=[cite(DESCENT.id)], multipliers=[1]),
)
END = (
    have("Psi", ge(p.Psi_t, 0), by=[cite("mefbo.sk-31")]),
    have("Psi at t", ge(Psi(t), 0), by=["Psi", SEQUENCES]),
    special("Psi at T", "Psi at t", {t: p.T}),
)
D11_103_CORRECTED = amended(
    d.D11_103,
    "Lemma D.8 holds with the drifts and with the variances of the directions to the first power of the steps",
    text="For n >= 2, steps that are the same in all rounds and meet the conditions of the corrected Lemma D.8, and "
    "c_t >= c_0: the sum is at most Psi_{c_0} + T times what (84), corrected, adds in the worst round with c_0 "
    "for c_t, which is the drift terms, the variances of h_x and h_y times lambda_x and lambda_y, and (8/3) K "
    "lambda^2 (beta_max/P) (3 B Delta^2 + sigma_g^2/tau)",
    statement=le(d.sum_moved, p.Psi_0 + p.T * ADDED),
    schedule=None,
    hypotheses=HYPOTHESES,
    where=DESCENT.where,
    follows_from=("lemD.8.corrected", "sk-31"),
    note="",
    setting=ROUNDS,
    proof=Proof(
        *START,
        *_steps,
        have("a share", le(p.G2, p.K / 16 * (64 * p.K * p.L_theta**2)), by=["K squared"]),
        have("the share", le(p.G2 / (64 * p.K * p.L_theta**2), p.K / 16), by=["a share", "K", "L_theta"]),
        have(
            "the gap", le(d.TRACKS, p.K / 16 * p.rho * p.lambda_theta * p.gap2), by=["the share", "K", "L_theta", "rho"]
        ),
        have(
            "a round in the worst case",
            le(d.MOVES + d.TRACKS, p.Psi_t - p.Psi_end + ADDED),
            by=["a round", "the gap", *_names, *KNOWN],
            multipliers=[1, 1, 1, 1, 1, 1, 1],
            when=IN_RANGE,
        ),
        have(
            "round t",
            le((d.MOVES + d.TRACKS).xreplace(TERMS), Psi(t) - Psi(t + 1) + ADDED),
            by=["a round in the worst case", *KNOWN, SEQUENCES],
            when=IN_RANGE,
            multipliers=[1],
        ),
        summed("all rounds", "round t", over=t, start=0, last=p.T - 1),
        *END,
        qed(by=["all rounds", "Psi at T", *KNOWN, SEQUENCES], multipliers=[1, 1]),
    ),
)

# --- the rate

_ERR_X, _ERR_Y = (step.statement.rhs for step in (lemma_d5.ST_52, lemma_d5.ST_52Y))  # type: ignore[union-attr]
_at_round = d.MEASURE_BOUND.xreplace({p.err_x: _ERR_X, p.err_y: _ERR_Y})
seen = sp.expand_mul(_at_round).xreplace(no_moves)
#: What of the errors of the directions stays in the measure, in the worst round.
SEEN = _at_round.xreplace(no_moves).xreplace({**LARGEST, p.c_t: p.c_0})
C_M = p.declare(
    "C_M", "what the measure is at most, in terms of moves and gap", latex="C_M", defined=True, positive=True
)
_change = 3 * (p.L_1**2 / p.c_0**2 + 4 * p.L_theta**2 / p.gamma**2)
C_M_VALUE = (
    16 * _change / (25 * p.rho * p.K * p.L_theta**2) + 4096 * p.K * p.L_theta**2 / p.rho + 128 * p.G2_3 / (p.K * p.rho)
)
_follows, _kept = weighed(seen, "seen")
gap_paid = p.K / 16 * p.rho * p.lambda_theta * p.gap2
_SERVERS = (p.lambda_x, p.lambda_y)
_move = 4 * p.K * p.L_theta**2 / p.rho
_inverse = 64 * p.K * p.L_theta**2 / p.rho
_SQUARES = dict.fromkeys(_SERVERS, _inverse**2 / p.lambda_theta**2)
_measured = _at_round.xreplace({step**-2: value for step, value in _SQUARES.items()})


def _paid(moved: sp.Symbol) -> tuple[Step, ...]:
    """That the descent pays for what moves of x or of y add to the measure."""
    slope = sp.diff(_measured, moved)
    return (
        have(f"{moved}: penalty", le(moved / p.c_t**2, moved / p.c_0**2), by=["the penalty"]),
        have(
            f"{moved} pays",
            le(
                4 * (p.lambda_theta * _change + _inverse**2 / p.lambda_theta) * moved,
                C_M * _move / p.lambda_theta * moved,
            ),
            by=[*KNOWN, "the step", unfold(C_M)],
        ),
        have(
            f"{moved}",
            le(p.lambda_theta * slope * moved, C_M * _move / p.lambda_theta * moved),
            by=[f"{moved}: penalty", f"{moved} pays", *KNOWN],
            multipliers=[12 * p.lambda_theta * p.L_1**2, 1],
        ),
    )


#: That the measure of a round is at most ``C_M`` times the descent, and what stays.
ROUND_BOUND: tuple[Step, ...] = (
    have("C_M", sp.Gt(C_M, 0, evaluate=False), by=[*KNOWN, unfold(C_M)]),
    have("measure", sketch.SK_30_CORRECTED.statement, by=[cite("mefbo.sk-30.corrected")], multipliers=[1]),
    have("error in x", lemma_d5.ST_52.statement, by=[cite("mefbo.st-52")], multipliers=[1]),
    have("error in y", lemma_d5.ST_52Y.statement, by=[cite("mefbo.st-52y")], multipliers=[1]),
    have(
        "with the errors",
        le(p.R_end, _at_round),
        by=["measure", "error in x", "error in y", *KNOWN],
        multipliers=[1, 4, 4],
    ),
    *(have(f"{step}", eq(p.lambda_theta / step, _inverse), by=KNOWN) for step in _SERVERS),
    *(have(f"{step} squared", eq(step**-2, value), by=[f"{step}", *KNOWN]) for step, value in _SQUARES.items()),
    rewritten("the measure", "with the errors", by=[f"{step} squared" for step in _SERVERS]),
    *_paid(p.step_x),
    *_paid(p.step_y),
    have(
        "gap",
        le(p.lambda_theta * sp.diff(_at_round, p.gap2) * p.gap2, C_M * gap_paid),
        by=[*KNOWN, unfold(C_M)],
    ),
    have(
        "R of a round",
        le(p.lambda_theta * p.R_end, C_M * (d.MOVES + gap_paid) + p.lambda_theta * seen),
        by=["the measure", f"{p.step_x}", f"{p.step_y}", "gap", *KNOWN],
        multipliers=[p.lambda_theta, 1, 1, 1],
    ),
)
WHY = (
    "Lemma D.8 holds with the drifts and with the variances of the directions to the first power of the steps, and "
    "neither they nor the initial value are divided by P"
)
_UNDER = (
    "For n >= 2, lambda_x = lambda_y = rho/(64 K L_theta^2) lambda, lambda <= 8 K L_theta^2/(rho L_Phi), lambda <= "
    "4/(5 rho) and 4 G_2 (2 A + 3 (beta_max/P) B) lambda <= rho/2, which are the same in all rounds, any client steps "
    "and c_t >= c_0: "
)
_WHERE = (
    ", where E is what the corrected (103) adds in the worst round, E_R = 4 (E||h - htilde||^2 + the drift terms of "
    "(52) in x and y) in the worst round, and C_M = (16/25) L_R^2/(rho K L_theta^2) + 4096 K L_theta^2/rho + 128 "
    "(L_2^2 + 3/gamma^2)/(K rho) with L_R^2 of the corrected (109)"
)
_PARTS: dict[str, Any] = {
    "schedule": None,
    "hypotheses": HYPOTHESES,
    "where": {**DESCENT.where, C_M: C_M_VALUE},
    "note": "",
    "setting": ROUNDS,
}
D11_110_CORRECTED = amended(
    d.D11_110,
    WHY,
    text=f"{_UNDER}sum_t lambda_theta R_t <= C_M (Psi_{{c_0}} + T E) + T lambda E_R{_WHERE}",
    statement=le(d.sum_lR, C_M * (p.Psi_0 + p.T * ADDED) + p.T * p.lambda_theta * SEEN),
    follows_from=("lemD.8.corrected", "sk-30.corrected", "st-52", "st-52y", "sk-31"),
    proof=Proof(
        *START,
        *_steps,
        *_follows,
        *ROUND_BOUND,
        have(
            "R in the worst case",
            le(p.lambda_theta * p.R_end, C_M * (p.Psi_t - p.Psi_end + ADDED) + p.lambda_theta * SEEN),
            by=["R of a round", "a round", *_names, *_kept, *KNOWN, "C_M"],
            multipliers=[1, C_M, *[C_M] * len(LARGEST), *[p.lambda_theta] * len(LARGEST)],
            when=IN_RANGE,
        ),
        have(
            "round t",
            le(p.lambda_theta * TERMS[p.R_end], C_M * (Psi(t) - Psi(t + 1) + ADDED) + p.lambda_theta * SEEN),
            by=["R in the worst case", *KNOWN, "C_M", SEQUENCES],
            multipliers=[1],
            when=IN_RANGE,
        ),
        summed("all rounds", "round t", over=t, start=0, last=p.T - 1),
        *END,
        qed(by=["all rounds", "Psi at T", *KNOWN, "C_M", SEQUENCES], multipliers=[1, C_M]),
    ),
    **_PARTS,
)
_SIGNED = [step.name for step in SIGNS]
_BEST = Proof(
    *SIGNS,
    have("the sum", D11_110_CORRECTED.statement, by=[cite(D11_110_CORRECTED.id), *_SIGNED, SEQUENCES], multipliers=[1]),
    have("the best round", le(p.R_best, p.R_end), by=[least(p.R_best), SEQUENCES], when=IN_RANGE),
    have("round t", le(p.R_best, TERMS[p.R_end]), by=["the best round", SEQUENCES], when=IN_RANGE),
    summed("all rounds", "round t", over=t, start=0, last=p.T - 1),
    qed(
        by=["the sum", "all rounds", *_SIGNED, SEQUENCES],
        multipliers=[1 / (p.T * p.lambda_theta), 1 / p.T],
    ),
)
SK_34_CORRECTED = amended(
    sketch.SK_34,
    Reason(WHY, "mefbo.thmD.11-110"),
    text=D11_110_CORRECTED.text,
    statement=D11_110_CORRECTED.statement,
    follows_from=("thmD.11-110.corrected",),
    proof=Proof(*SIGNS, qed(by=[cite(D11_110_CORRECTED.id), *_SIGNED, SEQUENCES], multipliers=[1])),
    **_PARTS,
)
THEOREM34_CORRECTED = amended(
    THEOREM34,
    Reason(WHY, "mefbo.thmD.11-110"),
    text=f"{_UNDER}min E R_t <= C_M (Psi_{{c_0}}/(lambda T) + E/lambda) + E_R{_WHERE}",
    statement=le(p.R_best, C_M * (p.Psi_0 / (p.T * p.lambda_theta) + ADDED / p.lambda_theta) + SEEN),
    follows_from=("thmD.11-110.corrected",),
    proof=_BEST,
    **_PARTS,
)
D11_CORRECTED = amended(
    d.THEOREM_D11,
    Reason(WHY, "mefbo.thmD.11-110"),
    text=f"(ii) {THEOREM34_CORRECTED.text}",
    statement=THEOREM34_CORRECTED.statement,
    follows_from=("thmD.11-110.corrected",),
    proof=_BEST,
    **_PARTS,
)
CLAIMS = (D11_103_CORRECTED, D11_110_CORRECTED, SK_34_CORRECTED, THEOREM34_CORRECTED, D11_CORRECTED)
