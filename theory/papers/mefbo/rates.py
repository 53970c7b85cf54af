"""The rates as they hold: what is divided by P, and what stays.

The corrected Lemma D.8 is summed over the rounds. Of a round stay the drifts of its clients and the variances of the
directions of x and y, which are divided by P: where a constraint is active, no server step makes them small. The
instances by hand of Theorem 3.4 refute the rate without the variances (noise at the end of an interval), without the
drifts (clients at rest) and with the initial value over P (identical clients).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reason
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d7, lemma_d8, sketch
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import theorem_d11 as d
from rateproof.theory.papers.mefbo.corollary35 import COR35_I, COR35_II, CORD12_I, CORD12_II, FULL, PARTIAL, eps
from rateproof.theory.papers.mefbo.one_round import LOCAL, averaged, wider
from rateproof.theory.papers.mefbo.remarks import REMARK_D1
from rateproof.theory.papers.mefbo.table1 import MEFBO
from rateproof.theory.papers.mefbo.theorem34 import REMARK_1, REMARK_2, TAU_ONE, THEOREM34
from rateproof.theory.papers.mefbo.theorem_c1 import EXPONENTS, THEOREM_C1
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Part,
    Proof,
    SampleMean,
    Setting,
    Step,
    cite,
    have,
    least,
    mean,
    qed,
    raised,
    rewritten,
    sampling,
    section,
    special,
    summed,
    total,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import Why, amended, eq, every, ge, gt, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import LENGTH, OUTER

_R = sp.Rational

# --- the variances of the directions

#: The noises of the directions of x and y.
_PARTS = ("efx", "efy", "egx", "egy", "etx")
efx_s, efy_s, egx_s, egy_s, etx_s = vectors(" ".join(f"{e}_s" for e in _PARTS))
bx_a, by_a, BX, BY, ex, ey = vectors("bx_a by_a BX BY ex ey")
_each = {f"{e}_c": Mean(e, "step") for e in _PARTS}
_drawn = {f"{e}_s": SampleMean(f"{e}_c", "client", "sample") for e in _PARTS}
_drawn |= {"BX": SampleMean("bx_c", "client", "sample"), "BY": SampleMean("by_c", "client", "sample")}
#: The directions of x and y of a client and their noises, their means over its steps (``_c``) and over all clients
#: (``_a``), and over the clients drawn: of the directions ``BX`` and ``BY``, of the noises ``_s``.
SERVER_XY = wider(
    replace(lemma_d7.DIRECTIONS, sequences={}, others=()),
    depends={e: f"{LOCAL} {sample}" for e, (sample, *_) in lemma_d7.NOISES.items()},
    means={**averaged("bx", "by"), **_each, **_drawn},
    sums={
        "bx": lemma_d7.DIRECTION["x"],
        "by": lemma_d7.DIRECTION["y"],
        **lemma_d7.WHOLE,
        "ex": BX - bx_a + efx_s / p.c_t + egx_s - etx_s,
        "ey": BY - by_a + efy_s / p.c_t + egy_s,
    },
    metrics={lemma_d5.var_x: norm2(ex), lemma_d5.var_y: norm2(ey)},
    words=lemma_d7.NOISE_WORDS,
)
_beta = p.beta_max / p.P


def _variance(of: str, spread: sp.Expr, noise: Vector, squares: Mapping[str, sp.Expr], *shown: Step) -> Claim:
    """The variance of the server's direction of x or y: what drawing clients adds, and noise.

    Args:
        of: x or y.
        spread: the mean square of a client's direction, or a bound on it.
        noise: of the direction, of the clients drawn.
        squares: the noises that it is made of -> the squares of their factors.
        shown: why ``spread`` is a bound.
    """
    every_, one, all_, drawn = vectors(f"b{of} b{of}_c b{of}_a B{of.upper()}")
    bounds = {e: lemma_d7.NOISES[e][2] for e in squares}
    of_noises = len(squares) * sp.Add(*(c * bounds[e] for e, c in squares.items()))
    whole = 2 * _beta * (p.B_P * spread + of_noises / p.tau)
    return p.claim(
        f"lemD.5.var_{of}",
        "Lemma D.5",
        Kind.INEQUALITY,
        f"E||h_{of} - htilde_{of}||^2 <= 2 (beta_max/P) (B times the mean square of the directions + noise/tau)",
        le({"x": lemma_d5.var_x, "y": lemma_d5.var_y}[of], whole),
        hypotheses=(*p.RUN, p.TWO_CLIENTS),
        where={p.B_P: p.SAMPLING[p.B_P]},
        setting=SERVER_XY,
        proof=Proof(
            section("Noise of the server's direction"),
            *lemma_d7.each_noise(squares),
            *(
                have(
                    f"{e} of the server",
                    le(norm2(vectors(f"{e}_s")[0]), _beta / p.tau * bound),
                    by=[variance(f"{e}_s"), variance(f"{e}_c"), e],
                )
                for e, bound in bounds.items()
            ),
            have(
                "the noise",
                le(norm2(noise), _beta / p.tau * of_noises),
                by=[f"{e} of the server" for e in squares],
                multipliers=[len(squares) * c for c in squares.values()],
            ),
            section("Spread of the directions of drawn clients"),
            have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
            have("drawn", ge(dot(drawn, all_), norm2(all_)), by=[mean(f"B{of.upper()}"), mean(f"b{of}_a")]),
            have(
                "drawn clients",
                le(norm2(drawn), norm2(all_) + _beta * p.B_P * norm2(one)),
                by=[sampling(f"B{of.upper()}"), unfold(p.B_P)],
            ),
            have("their steps", le(norm2(one), norm2(every_)), by=[mean(f"b{of}_c")]),
            *shown,
            have("a direction", le(norm2(every_), spread), by=[written_out(f"b{of}"), *(s.name for s in shown[-1:])]),
            have(
                "the spread",
                le(norm2(drawn - all_), _beta * p.B_P * spread),
                by=["drawn", "drawn clients", "their steps", "a direction", "B_P"],
                multipliers=[2, 1, _beta * p.B_P, _beta * p.B_P],
            ),
            section("Spread and noise together"),
            have("both", le(norm2(drawn - all_ + noise), whole), by=["the spread", "the noise"], multipliers=[2, 2]),
            qed(by=["both", written_out(f"e{of}")]),
        ),
    )


VAR_X = _variance(
    "x",
    3 * (p.L_f**2 / p.c_t**2 + 2 * p.L_g**2),
    efx_s / p.c_t + egx_s - etx_s,
    {"efx": 1 / p.c_t**2, "egx": sp.S.One, "etx": sp.S.One},
    *lemma_d7.SQUARE_X,
)
VAR_Y = _variance("y", lemma_d7.dir2_y, efy_s / p.c_t + egy_s, {"efy": 1 / p.c_t**2, "egy": sp.S.One})

# --- a round

DESCENT = lemma_d8.LEMMA_D8_CORRECTED
#: The signs of what is defined, on which most steps rest.
SIGNS = (
    *lemma_d8.POSITIVE,
    have("c_theta", gt(p.c_theta, 0), by=["rho", "K", "L_theta", unfold(p.c_theta)]),
    have("A_P", ge(p.A_P, 0), by=[unfold(p.A_P)]),
    have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
)
SIGNED = [step.name for step in SIGNS]
#: The steps of theta and of x on the server; ``L_theta^2``.
_l, _s, _L = p.lambda_theta, p.lambda_x, p.L_theta**2
_of_f = 6 * p.L_1**2 / p.c_0**2 * (p.D_x + p.D_y)
_through_g = p.L_2**2 * p.D_x + p.D_y / p.gamma**2 + p.rho**2 * _L * p.D_theta
_of_g = _L * _through_g
_drifts = _of_f + 576 * _of_g
_theta = 128 * _L * p.rho * (p.sig_g**2 / p.tau + 3 * p.B_P * p.Het**2)
_var = lemma_d5.var_x + lemma_d5.var_y
_added = _var + _drifts + _beta * _theta * _l
OF_A_ROUND = (
    le(d.MOVES + d.TRACKS, p.Psi_t - p.Psi_end + p.c_theta / 2 * _l * _added),
    le(_l * p.R_end, 136 / p.c_theta * (p.Psi_t - p.Psi_end) + 76 * _l * _added),
)
_errors = sp.expand_mul(lemma_d5.ST_52.statement.rhs + lemma_d5.ST_52Y.statement.rhs)  # type: ignore[union-attr]
_errors = _errors.xreplace({p.gap2: sp.S.Zero})
_change = 3 * (p.L_1**2 / p.c_t**2 + 4 * _L / p.gamma**2)
_moves = p.step_x + p.step_y
_paid = _moves / (16 * _s) + p.G2_3 * _s * p.gap2
#: The drifts in the descent.
_on_theta = 10 * p.L_2**2 * p.D_x + 10 / p.gamma**2 * p.D_y + 12 / p.gamma**2 * p.D_theta
_of_descent = p.K * _l / p.rho * _on_theta + 6 * _s * p.L_1**2 / p.c_t**2 * (p.D_x + p.D_y)
_78a, _, _, _LAMBDA_Y, _ = (h.relation for h in lemma_d8.CORRECTED_CONDITIONS)
A_ROUND = p.claim(
    "thmD.11-109.round",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "Of one round: the moves and the gap of (102) are at most Psi_{c_t} - Psi_{c_{t+1}} + (c_theta/2) lambda E, and "
    "lambda R_t(z^{t+1}) <= (136/c_theta) (Psi_{c_t} - Psi_{c_{t+1}}) + 76 lambda E",
    every(*OF_A_ROUND),
    hypotheses=(*DESCENT.hypotheses, p.SMALLEST),
    where=DESCENT.where,
    setting=Setting(
        metrics={p.Psi_t: p.Phi_t + p.K * p.gap2},
        others=(lemma_d8.CHAIN, sketch.SK_30_CORRECTED.setting, lemma_d5.ERRORS),  # type: ignore[arg-type]
        measured=(*lemma_d8.CHAIN.measured, p.Psi_end, p.R_end, p.err_x, p.err_y),
    ),
    proof=Proof(
        section("Signs and sizes of the constants"),
        *SIGNS,
        lemma_d8.L_THETA_SQUARED,
        have("L_theta >= 1", ge(_L, 1), by=["rho", unfold(p.rho, p.L_theta)]),
        lemma_d8.K_SQUARED,
        section("The steps of the server"),
        have("of theta", eq(_l * p.rho, 64 * p.K * _L * _s), by=SIGNED),
        have("of x", eq(_s, p.c_theta * _l / 2), by=["of theta", *SIGNED, unfold(p.c_theta)]),
        have("of y", _LAMBDA_Y),
        have("one step", eq(p.lambda_y, _s), by=["of y", "of theta", *SIGNED]),
        lemma_d8.LAMBDA_RHO,
        have("weight", eq(p.K * p.rho * _l, 16 * p.G2_3 * _s), by=["of theta", "K squared", *SIGNED]),
        have("weights", le(p.K * _l, 48 * p.rho * _L * _s), by=["weight", "L_theta squared", "rho"]),
        have("moves", eq(d.MOVES, _moves / (16 * _s)), by=["of theta", *SIGNED]),
        have("gap", eq(p.K * p.rho * _l * p.gap2, 16 * p.G2_3 * _s * p.gap2), by=["weight"]),
        section("The drifts of the clients"),
        have("penalty", le(1 / p.c_t**2, 1 / p.c_0**2)),
        have("at c_0", le((p.D_x + p.D_y) / p.c_t**2, (p.D_x + p.D_y) / p.c_0**2), by=["penalty"]),
        have("curvature", le(4 * p.L_2**2 * p.D_y, p.D_y / p.gamma**2)),
        have("G_2", le(p.G2, p.rho**2 * _L), by=["L_theta squared"]),
        have("of g", le(p.G2 * p.D_theta, p.rho**2 * _L * p.D_theta), by=["G_2"]),
        have("1/gamma^2", le(p.gamma**-2, p.rho**2 * _L), by=["L_theta squared"]),
        have("of gamma", le(p.D_theta / p.gamma**2, p.rho**2 * _L * p.D_theta), by=["1/gamma^2"]),
        have("errors", le(_errors, 2 * _of_f + 18 * _of_g), by=["at c_0", "curvature", "of g", "L_theta >= 1"]),
        have("on theta", le(p.K * _l / p.rho * _on_theta, 48 * _L * _s * _on_theta), by=["weights", "rho"]),
        have("at most", le(_on_theta, 12 * _through_g), by=["of gamma"]),
        have(
            "drifts",
            le(_of_descent, _s * _drifts),
            by=["on theta", "at most", "at c_0", *SIGNED],
            multipliers=[1, 48 * _L * _s, 6 * _s * p.L_1**2],
        ),
        have("noise on theta", le(_R(8, 3) * p.K * _l, 128 * _L * p.rho * _s), by=["weights", *SIGNED]),
        section("The descent of Psi"),
        have("(84)", DESCENT.statement, by=[cite(DESCENT.id)], multipliers=[1]),
        rewritten("descent", "(84)", by=["one step"]),
        have(
            "paid",
            le(_paid, p.Psi_t - p.Psi_end + _s * _added),
            by=["descent", "drifts", "moves", "gap", "noise on theta", *SIGNED],
            multipliers=[1, 1, 1, _R(1, 16)],
        ),
        have("tracks", le(d.TRACKS, p.G2_3 * _s * p.gap2), by=["of theta", *SIGNED]),
        have(
            "descent of x",
            le(d.MOVES + d.TRACKS, p.Psi_t - p.Psi_end + _s * _added),
            by=["paid", "tracks", "moves", *SIGNED],
            multipliers=[1, 1, -1],
        ),
        rewritten("the descent", "descent of x", by=["of x"]),
        section("The measure (30) and its errors"),
        have("(30)", sketch.SK_30_CORRECTED.statement, by=[cite("mefbo.sk-30.corrected")], multipliers=[1]),
        rewritten("measure", "(30)", by=["one step"]),
        have("error in x", lemma_d5.ST_52.statement, by=[cite("mefbo.st-52")], multipliers=[1]),
        have("error in y", lemma_d5.ST_52Y.statement, by=[cite("mefbo.st-52y")], multipliers=[1]),
        section("Small steps move the gradient little"),
        have("(78a)", _78a, by=["rho"]),
        have("smooth", le(p.L_Phi * _s, _R(1, 8)), by=["(78a)", "of theta", *SIGNED]),
        have("L_Phi", le(p.L_1 / p.c_t, p.L_Phi), by=[unfold(p.L_Phi)]),
        have("change of f", le(p.L_1**2 / p.c_t**2 * _s**2, _R(1, 64)), by=["smooth", "L_Phi"]),
        have("small", le(80 * p.K * _L * _s, 1), by=["of theta", "lambda rho"]),
        have("small squares", le(1600 * p.G2_3 * _L * _s**2, 1), by=["small", "K squared", *SIGNED]),
        have("change", le(16 * _change * _s**2, 1), by=["change of f", "small squares", "L_theta >= 1"]),
        have("moves of x and y", le(4 * _s * (_change + _s**-2) * _moves, 17 * _moves / (4 * _s)), by=["change"]),
        section("From the descent to the measure"),
        have(
            "R of a round",
            le(_s * p.R_end, 68 * _paid + 4 * _s * (_errors + _var)),
            by=["measure", "error in x", "error in y", "moves of x and y", *SIGNED],
        ),
        have(
            "R at most",
            le(_s * p.R_end, 68 * _paid + 4 * _s * (2 * _of_f + 18 * _of_g + _var)),
            by=["R of a round", "errors", *SIGNED],
            multipliers=[1, 4 * _s],
        ),
        have("R", le(_s * p.R_end, 68 * (p.Psi_t - p.Psi_end) + 76 * _s * _added), by=["R at most", "paid", *SIGNED]),
        rewritten("R by theta's step", "R", by=["of x"]),
        have("the measure", OF_A_ROUND[1], by=["R by theta's step", *SIGNED], multipliers=[2 / p.c_theta]),
    ),
)

# --- the sum over the rounds, with steps of the server that may change

t = sp.Symbol("t", integer=True, nonnegative=True)
OVER = (t, sp.S.Zero, p.T - 1)
IN_RANGE = (le(t, p.T - 1),)
Psi = sp.Function("Psi", real=True)


def _mean(name: str, latex: str, what: str, unit: sp.Expr) -> sp.Symbol:
    """The mean of a metric over the rounds."""
    return p.declare(
        f"{name}_mean", f"{what}, mean over the rounds, weighed with the steps", unit, latex=latex, **NONNEG
    )


MEANS = {
    _mean("D_x", r"\bar\Delta_x", "client drift of x", p.AREA): p.D_x,
    _mean("D_y", r"\bar\Delta_y", "client drift of y", p.AREA): p.D_y,
    _mean("D_theta", r"\bar\Delta_\theta", "client drift of theta", p.AREA): p.D_theta,
    _mean("var", r"\bar V", "variance of the directions of x and y", p.FORCE2): _var,
    _mean("dir2_y", r"\bar D", "mean square of the clients' directions of y", p.FORCE2): lemma_d7.dir2_y,
}
_D_x, _D_y, _D_theta, V, D = MEANS
_METRICS = (*sorted(sp.Tuple(*MEANS.values()).free_symbols, key=str), p.step_x, p.step_y, p.gap2, p.R_end)
TERMS = {m: sp.Function(f"{m}_", nonnegative=True)(t) for m in _METRICS}
E_D = p.declare("E_D", "what the drifts of the clients add", p.FORCE2, latex=r"E_\Delta", defined=True, **NONNEG)
E_V = p.declare(
    "E_V", "P/beta_max times a bound on the variance of the directions", p.FORCE2, latex="E_V", defined=True, **NONNEG
)
E_THETA = p.declare(
    "E_theta",
    "what noise and the drawing of clients do to theta, over lambda_theta",
    p.FORCE2 / p.STEP,
    latex=r"E_\theta",
    defined=True,
    **NONNEG,
)
WHERE = {
    **DESCENT.where,
    E_D: _drifts.xreplace({p.D_x: _D_x, p.D_y: _D_y, p.D_theta: _D_theta}),
    E_V: 2
    * ((5 * p.sig_f**2 / p.c_0**2 + 8 * p.sig_g**2) / p.tau + p.B_P * (3 * p.L_f**2 / p.c_0**2 + 6 * p.L_g**2 + D)),
    E_THETA: _theta,
}
SERVER_0 = p.declare("lambda_0", "first server step of theta", p.STEP, latex=r"\lambda_0", **POS)
SERVER_DEC = SERVER_0 * (t + 1) ** -p.q


def _steps(server: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
    """The steps of the server as functions of the index of the round; none where they are the same in all."""
    of_xy = dict.fromkeys((p.lambda_x, p.lambda_y), lemma_d8.HALF_RATIO * server)
    return {} if server == p.lambda_theta else {p.lambda_theta: server, **of_xy}


def _rounds(server: sp.Expr) -> Setting:
    """The rounds, with the steps of theta on the server as a function of the index of the round."""
    steps = _steps(server)
    return Setting(
        minima={p.R_best: (TERMS[p.R_end], OVER)},
        metrics={p.Psi_t: p.Phi_t + p.K * p.gap2},
        sequences={
            **TERMS,
            **{mean: sp.Sum(server * of.xreplace(TERMS), OVER) / sp.Sum(server, OVER) for mean, of in MEANS.items()},
            **steps,
            p.Psi_t: Psi(t),
            p.Psi_end: Psi(t + 1),
            p.Psi_0: Psi(0),
            d.sum_l: sp.Sum(server, OVER),
            d.sum_l2: sp.Sum(server**2, OVER),
            d.sum_moved: sp.Sum((d.MOVES + d.TRACKS).xreplace(TERMS).subs(p.lambda_theta, server), OVER),
            d.sum_lR: sp.Sum(server * TERMS[p.R_end], OVER),
        },
        others=(A_ROUND.setting, sketch.SK_31.setting, SERVER_XY),  # type: ignore[arg-type]
        measured=(*_METRICS, *MEANS, p.Phi_t, p.Psi_end, p.Psi_0, d.sum_moved, d.sum_lR),
        fixed=(
            *MEANS, p.R_best, p.c_0, p.gamma, p.n, p.P, p.tau, p.beta_max, p.L_1, p.L_2, p.L_f, p.L_g, p.Het, p.sig_f,
            p.sig_g, SERVER_0, p.q, p.p, *(() if steps else (p.lambda_theta, p.lambda_x, p.lambda_y)),
        ),
    )  # fmt: skip


END = (
    have("Psi", ge(p.Psi_t, 0), by=[cite("mefbo.sk-31")]),
    have("Psi at t", ge(Psi(t), 0), by=["Psi", SEQUENCES]),
    special("Psi at T", "Psi at t", {t: p.T}),
)


def _of_all_rounds(part: int, server: sp.Expr) -> tuple[Step, ...]:
    """The sum over the rounds of a part of the round: of its moves and gap, or of the measure."""
    at_t = {p.Psi_t: Psi(t), p.Psi_end: Psi(t + 1), **TERMS}
    return (
        have("a round", OF_A_ROUND[part], by=[cite(A_ROUND), *SIGNED], multipliers=[part, 1 - part]),
        have(
            "round t",
            OF_A_ROUND[part].xreplace(at_t).xreplace(_steps(server)),
            by=["a round", *SIGNED, SEQUENCES],
            multipliers=[1],
            when=IN_RANGE,
        ),
        summed("all rounds", "round t", over=t, start=0, last=p.T - 1),
        *END,
    )


def _variance_over(server: sp.Expr) -> tuple[Step, ...]:
    """That the mean variance is at most ``E_V`` times ``beta_max/P``."""
    bound = sp.Add(*(v.statement.rhs for v in (VAR_X, VAR_Y))).subs(p.c_t, p.c_0)  # type: ignore[union-attr]
    return (
        have("1/c_0", le(1 / p.c_t**2, 1 / p.c_0**2)),
        have("variances", le(_var, bound), by=[cite(VAR_X), cite(VAR_Y), "1/c_0", "B_P"]),
        have(
            "variances of round t",
            le(_var, bound).xreplace(TERMS),
            by=["variances", "B_P", SEQUENCES],
            multipliers=[1],
            when=IN_RANGE,
        ),
        summed("all variances", "variances of round t", over=t, start=0, last=p.T - 1, weight=server),
        have(
            "sums of variances",
            le(V * d.sum_l, sp.expand(_beta * WHERE[E_V] * d.sum_l)),
            by=["all variances", "B_P", SEQUENCES],
        ),
        have("variance", le(V, _beta * E_V), by=["sums of variances", "B_P", unfold(E_V)], multipliers=[1 / d.sum_l]),
    )


# --- steps that are the same in all rounds

_STAYS = "what the drifts and the variances of a round add has the first power of the steps, and stays"
#: Shown by noise at the end of an interval, an instance of the corrected claims.
_FLOOR = (
    "Where a constraint is active, a term stays that does not fall with T, as noise at the end of an interval keeps "
    "R_t away from 0; without constraints none stays (mefbo.thm3.4.free.corrected). "
)
NOT_BY_P = "neither the initial value nor the drifts are divided by P"
_E_D_TEXT = (
    ", where E_Delta = 6 (L_1^2/c_0^2) (Delta_x + Delta_y) + 576 L_theta^2 (L_2^2 Delta_x + Delta_y/gamma^2 + rho^2 "
    "L_theta^2 Delta_theta) with the mean drifts over the rounds, 0 for tau = 1, E_theta = 128 L_theta^2 rho "
    "(sigma_g^2/tau + 3 B Delta^2), B = (n-P)/(n-1)"
)
_V_TEXT = f"{_E_D_TEXT}, and V is the mean variance of h_x and h_y"
_E_V_TEXT = (
    f"{_E_D_TEXT}, and E_V = 2 ((5 sigma_f^2/c_0^2 + 8 sigma_g^2)/tau + B (3 L_f^2/c_0^2 + 6 L_g^2 + D)), with D the "
    "mean square of the clients' directions of y"
)
_FIXED = _rounds(p.lambda_theta)
_E = V + E_D + _beta * E_THETA * p.lambda_theta
_E_P = E_D + _beta * (E_V + E_THETA * p.lambda_theta)


def _fixed(
    printed: Claim,
    why: Why,
    text: str,
    statement: sp.Rel,
    *steps: Part,
    follows_from: tuple[str, ...] = ("thmD.11-110.corrected",),
    more: tuple[Hypothesis, ...] = (),
    server: Mapping[sp.Symbol, sp.Expr] | None = None,
    note: str = "",
) -> Claim:
    """A claim about steps that are the same in all rounds, corrected; ``server`` says what the step of theta is."""
    return amended(
        printed,
        why,
        text=f"{_FLOOR}For n >= 2, any client steps, lambda_x = lambda_y = (c_theta/2) lambda, server steps that are "
        f"the same in all rounds and meet the conditions of the corrected Lemma D.8, and c_t >= c_0: {text}",
        statement=statement,
        schedule=None,
        hypotheses=(*A_ROUND.hypotheses, p.H_("fixed", "the steps of the server are the same in all rounds"), *more),
        where=WHERE,
        follows_from=follows_from,
        note=note,
        setting=replace(_FIXED, sequences={**_FIXED.sequences, **(server or {})}),
        proof=Proof(section("Signs of the constants"), *SIGNS, *steps),
    )


def _sum(printed: Claim, part: int, text: str, statement: sp.Rel, times: sp.Expr, *more: str) -> Claim:
    """The sum over the rounds of the moves and the gap, or of the measure."""
    end = qed(by=["all rounds", "Psi at T", *SIGNED, unfold(E_D, E_THETA), SEQUENCES], multipliers=[1, times])
    steps: tuple[Part, ...] = (section("From one round to all rounds"), *_of_all_rounds(part, p.lambda_theta), end)
    return _fixed(printed, _STAYS, text + _V_TEXT, statement, *steps, follows_from=("lemD.8.corrected", "sk-31", *more))


D11_103_CORRECTED = _sum(
    d.D11_103,
    0,
    "the sum is at most Psi_{c_0} + (c_theta/2) T lambda (V + E_Delta + (beta_max/P) lambda E_theta)",
    le(d.sum_moved, p.Psi_0 + p.c_theta / 2 * p.T * p.lambda_theta * _E),
    sp.S.One,
)
_110 = "sum_t lambda R_t <= (136/c_theta) Psi_{c_0} + 76 T lambda (V + E_Delta + (beta_max/P) lambda E_theta)"
D11_110_CORRECTED = _sum(
    d.D11_110,
    1,
    _110,
    le(d.sum_lR, 136 / p.c_theta * p.Psi_0 + 76 * p.T * p.lambda_theta * _E),
    136 / p.c_theta,
    *("sk-30.corrected", "st-52", "st-52y"),
)


def _from(claim: Claim, name: str = "the statement") -> Step:
    """A claim that is cited."""
    return have(name, claim.statement, by=[cite(claim.id), *SIGNED, SEQUENCES], multipliers=[1])


BY_SUM, BY_RATE = section("The sum over the rounds"), section("The rate of Theorem 3.4")
_OF_SUM = Reason(_STAYS, "mefbo.thmD.11-110")
SK_34_CORRECTED = _fixed(
    sketch.SK_34, _OF_SUM, _110 + _V_TEXT, D11_110_CORRECTED.statement, BY_SUM, _from(D11_110_CORRECTED)
)
_RATE = "min E R_t <= 136 Psi_{c_0}/(c_theta lambda T) + 76 "
_START = 136 * p.Psi_0 / (p.c_theta * p.lambda_theta * p.T)
_BY_V = f"{_RATE}(V + E_Delta + (beta_max/P) lambda E_theta){_V_TEXT}"
THEOREM34_CORRECTED = _fixed(
    THEOREM34,
    (_OF_SUM, NOT_BY_P),
    _BY_V,
    le(p.R_best, _START + 76 * _E),
    section("From the sum to the best round"),
    _from(D11_110_CORRECTED, "the sum"),
    have("the best round", le(p.R_best, p.R_end), by=[least(p.R_best), SEQUENCES], when=IN_RANGE),
    have("round t", le(p.R_best, TERMS[p.R_end]), by=["the best round", SEQUENCES], when=IN_RANGE),
    summed("all rounds", "round t", over=t, start=0, last=p.T - 1),
    qed(by=["the sum", "all rounds", *SIGNED, SEQUENCES], multipliers=[1 / (p.T * p.lambda_theta), 1 / p.T]),
)
_WHY = (_OF_SUM, Reason(NOT_BY_P, THEOREM34.id))
D11_CORRECTED = _fixed(
    d.THEOREM_D11,
    _WHY,
    f"(ii) {_BY_V}",
    THEOREM34_CORRECTED.statement,
    BY_RATE,
    _from(THEOREM34_CORRECTED),
    follows_from=("thm3.4.corrected",),
)
_BY_P = f"{_RATE}(E_Delta + (beta_max/P) (E_V + lambda E_theta))"
REM34_1_CORRECTED = _fixed(
    REMARK_1,
    _WHY,
    _BY_P + _E_V_TEXT,
    le(p.R_best, _START + 76 * _E_P),
    section("The rate, with the variance over P"),
    _from(THEOREM34_CORRECTED, "the rate"),
    *_variance_over(p.lambda_theta),
    qed(by=["the rate", "variance", *SIGNED], multipliers=[1, 76]),
    follows_from=("thm3.4.corrected",),
)


def _from_it(printed: Claim, text: str, statement: sp.Rel, *steps: Step, **changes: Any) -> Claim:
    """What follows from the rate with P."""
    rate = _from(REM34_1_CORRECTED, "the rate") if steps else _from(REM34_1_CORRECTED)
    title = section("From the rate over P to the statement")
    return _fixed(printed, _WHY, text, statement, title, rate, *steps, follows_from=("rem3.4-1.corrected",), **changes)


TAB1_6_CORRECTED = _from_it(MEFBO, _BY_P + _E_V_TEXT, REM34_1_CORRECTED.statement)
_root = sp.sqrt(p.T)
_quarter = p.tau ** _R(1, 4)


def _as_fixed(key: str, server: sp.Expr, text: str) -> Hypothesis:
    says = f"lambda_theta = {text}, lambda_x = lambda_y = rho/(64 K L_theta^2) lambda_theta"
    return p.H_(key, says, eq(p.lambda_theta, server))


def _at(server: sp.Expr, clients: sp.Expr, of_theta: sp.Expr) -> sp.Rel:
    """The rate with P at a step."""
    most = 136 * p.Psi_0 / (p.c_theta * server * p.T) + 76 * (E_D + p.beta_max / clients * (E_V + server * of_theta))
    return le(p.R_best, most)


_step, _step_2 = p.c_lam * _quarter / _root, p.c_lam / _root
REM34_2_CORRECTED = _from_it(
    REMARK_2,
    "for P = n, tau = 1 and lambda = c_lambda T^(-1/2), min E R_t <= 136 Psi_{c_0}/(c_theta c_lambda T^(1/2)) + 76 "
    f"(E_Delta + (beta_max/n) (E_V + c_lambda T^(-1/2) E_theta)){_E_V_TEXT}",
    _at(_step_2, p.n, E_THETA),
    have("P", FULL.relation),
    rewritten("for all", "the rate", by=["P"]),
    qed(by=["for all", *SIGNED, SEQUENCES], multipliers=[1]),
    more=(FULL, TAU_ONE, _as_fixed("S-fixed/2 at tau=1", _step_2, "c_lambda T^(-1/2)")),
    server={p.lambda_theta: _step_2},
    note="One client is one of two with the weights 1 and 0 who both take part.",
)
REMD1_CORRECTED = _from_it(
    REMARK_D1,
    "for lambda = c_lambda tau^(1/4) T^(-1/2), min E R_t <= 136 Psi_{c_0}/(c_theta c_lambda tau^(1/4) T^(1/2)) + 76 "
    f"(E_Delta + (beta_max/P) (E_V + c_lambda tau^(1/4) T^(-1/2) E_theta)){_E_V_TEXT}",
    _at(_step, p.P, _theta),
    qed(by=["the rate", *SIGNED, unfold(E_THETA), SEQUENCES], multipliers=[1]),
    more=(_as_fixed("S-fixed/2", _step, "c_lambda tau^(1/4) T^(-1/2)"),),
    server={p.lambda_theta: _step},
)
_noise = E_V + E_THETA * p.lambda_theta
_of_all = 2 * (5 * p.sig_f**2 / p.c_0**2 + 8 * p.sig_g**2) + 128 * p.L_theta**2 * p.rho * p.lambda_theta * p.sig_g**2
_ROUNDS = p.H_(
    "rounds", "T >= 136 Psi_{c_0}/(c_theta lambda eps)", ge(p.T * p.c_theta * p.lambda_theta * eps, 136 * p.Psi_0)
)
_STEPS = p.H_(
    "steps",
    "tau >= 76 (beta_max/(n eps)) (2 (5 sigma_f^2/c_0^2 + 8 sigma_g^2) + 128 L_theta^2 rho lambda sigma_g^2)",
    ge(p.n * p.tau * eps, 76 * p.beta_max * _of_all),
)
_CLIENTS = p.H_("clients", "P >= 76 (beta_max/eps) (E_V + lambda E_theta)", ge(p.P * eps, 76 * p.beta_max * _noise))


def _within(printed: Claim, text: str, more: tuple[Hypothesis, ...], *steps: Step) -> Claim:
    """That the measure is at most ``2 eps`` and what the drifts add."""
    return _from_it(
        printed,
        f"for T >= 136 Psi_{{c_0}}/(c_theta lambda eps), so T = O(eps^-1), {text} give min E R_t <= 2 eps + 76 E_Delta"
        f"{_E_V_TEXT}",
        le(p.R_best, 2 * eps + 76 * E_D),
        *steps,
        have("little noise", le(76 * _beta * _noise, eps), by=[step.name for step in steps]),
        have("few rounds", le(_START, eps), by=SIGNED),
        qed(by=["the rate", "few rounds", "little noise", *SIGNED]),
        more=(*more, _ROUNDS),
    )


_ALL = tuple(
    _within(
        printed,
        "all clients and tau >= 76 (beta_max/(n eps)) [tau (E_V + lambda E_theta)], where the bracket is free of tau, "
        "so tau T = O(eps^-2/n),",
        (FULL, _STEPS),
        have("P", FULL.relation),
        have("B", eq(p.B_P, 0), by=[unfold(p.B_P)]),
        have("written out", eq(_noise, _noise.xreplace(WHERE)), by=[unfold(E_V, E_THETA), *SIGNED]),
        rewritten("of all", "written out", by=["B"]),
        have("noise", eq(p.tau * _noise, _of_all), by=["of all", *SIGNED]),
    )
    for printed in (COR35_I, CORD12_I)
)
_SOME = tuple(
    _within(printed, "some clients and P >= 76 (beta_max/eps) (E_V + lambda E_theta)", (PARTIAL, _CLIENTS))
    for printed in (COR35_II, CORD12_II)
)

# --- decreasing steps

_L_0 = p.L_1 / p.c_0 + p.L_2 + 1 / p.gamma
_of_79 = 4 * p.G2 * (2 * p.A_P + 3 * _beta * p.B_P)
#: The conditions on the steps at round 0, where they are the strictest.
AT_ROUND_0 = (
    p.H_(
        "(78a) at 0",
        "lambda_0 rho (L_1/c_0 + L_2 + 1/gamma) <= 8 K L_theta^2",
        le(SERVER_0 * p.rho * _L_0, 8 * p.K * p.L_theta**2),
    ),
    p.H_("(78b) at 0", "lambda_0 <= 4/(5 rho)", le(SERVER_0, 4 / (5 * p.rho))),
    p.H_(
        "(79)/2 at 0",
        "4 (L_2^2 + 1/gamma^2) (2 A_P + 3 (beta_max/P) B_P) lambda_0 <= rho/2",
        le(_of_79 * SERVER_0, p.rho / 2),
    ),
)
_SMALLER: tuple[Part, ...] = (
    section("The steps are largest at round 0"),
    have("after round 0", le(1, t + 1)),
    raised("to the power q", "after round 0", to=p.q),
    have("smaller steps", le(p.lambda_theta, SERVER_0), by=["to the power q", SEQUENCES]),
    have("the penalty at 0", le(1 / p.c_t, 1 / p.c_0)),
    have("of v", le(sp.Max(p.L_2, 1 / p.gamma), 1 / p.gamma)),
    have("L_Phi", le(p.L_Phi, _L_0), by=["the penalty at 0", "of v", unfold(p.L_Phi)]),
    have("L_Phi > 0", gt(p.L_Phi, 0), by=[unfold(p.L_Phi)]),
    have("times it", le(SERVER_0 * p.rho * p.L_Phi, 8 * p.K * p.L_theta**2), by=["L_Phi", "rho"]),
    have(
        "a step times it",
        le(p.lambda_theta * p.rho * p.L_Phi, SERVER_0 * p.rho * p.L_Phi),
        by=["smaller steps", "rho", "L_Phi > 0"],
    ),
    section("The conditions of Lemma D.8 hold"),
    *(
        have(h.key, h.relation, by=["smaller steps", "times it", "a step times it", "L_Phi > 0", *SIGNED, SEQUENCES])
        for h in lemma_d8.CORRECTED_CONDITIONS
        if not isinstance(h.relation, sp.Eq)
    ),
    *(have(h.key, h.relation, by=[*SIGNED, SEQUENCES]) for h in lemma_d8.CORRECTED_CONDITIONS[2:4]),
    *(have(f"{step} > 0", gt(step, 0), by=[*SIGNED, SEQUENCES]) for step in (p.lambda_x, p.lambda_y)),
)
_DECREASING = p.H_(
    "S-dec/2", "lambda_theta = lambda_0 (t + 1)^(-q), lambda_x = lambda_y = rho/(64 K L_theta^2) lambda_theta"
)
_n = sp.Symbol("n", integer=True, positive=True)
cR_best = p.declare(
    "cR_best",
    "min over t < T of E [dist(0, grad F + c_t (grad G - grad v_gamma) + N)]^2 at z^{t+1}",
    (OUTER / LENGTH) ** 2,
    latex=r"\min_{t<T}\mathbb E[c_t^2R_t(z^{t+1})]",
    **NONNEG,
)
_OF_A_RUN = (*p.RUN, p.TWO_CLIENTS, p.RISING, A_ROUND.hypotheses[-1])
_SQUARES = SERVER_0**2 * 2 * p.q / (2 * p.q - 1)
#: What the steps of the server add up to at least, and why.
GROWTH = SERVER_0 * (p.T + 1) ** (1 - p.q) / (3 - p.q)
GROWTH_OF_SUMS = have(
    "growth of sums",
    ge((3 - p.q) * sp.Sum((t + 1) ** -p.q, OVER), (p.T + 1) ** (1 - p.q)),
    by=[cite("mefbo.thmD.11-111")],
)


def best_of(metric: sp.Symbol, times: sp.Expr, grown: sp.Expr, steps: Sequence[Step]) -> tuple[Step, ...]:
    """``metric``, the least ``times`` the measure, over ``grown`` against all rounds, with the steps of the server."""
    of_round = TERMS[p.R_end]
    shown = [step.name for step in steps[-1:]]
    return (
        have("the best round", le(metric, times * of_round), by=[least(metric), SEQUENCES], when=IN_RANGE),
        have("best", le(metric / grown, of_round), by=["the best round", *shown, SEQUENCES], when=IN_RANGE),
        summed("best of all rounds", "best", over=t, start=0, last=p.T - 1, weight=SERVER_DEC),
    )


def powers_in_all(all_of_them: str, to_T: str, power: sp.Expr, most: sp.Expr) -> tuple[Step, ...]:
    """That ``sum_t (t + 1)^-power <= most``, for every number of terms and for those of the run."""
    return (
        total(all_of_them, le(sp.Sum((t + 1) ** -power, (t, 0, _n - 1)), most), _n, above={p.q: _R(1, 2)}),
        special(to_T, all_of_them, {_n: p.T}),
    )


def _decreasing(
    printed: Claim,
    why: Why,
    text: str,
    metric: sp.Symbol,
    times: sp.Expr,
    grown: sp.Expr,
    *steps: Step,
    more: tuple[Hypothesis, ...] = (),
) -> Claim:
    """A rate with decreasing steps, of the least ``times`` the measure; ``steps`` show that ``times <= grown``."""
    rounds, per_round = _rounds(SERVER_DEC), TERMS[p.R_end]
    squares, growth = _SQUARES, GROWTH
    most = 136 / p.c_theta * p.Psi_0, 76 * _beta * E_THETA
    whole = le(
        sp.expand(d.sum_l * metric / grown), most[0] + sp.expand(76 * (V + WHERE[E_D]) * d.sum_l) + most[1] * d.sum_l2
    )
    goal = le(metric, grown * (most[0] / growth + most[1] * squares / growth + 76 * (E_D + _beta * E_V)))
    return amended(
        printed,
        why,
        text=text,
        statement=goal,
        schedule=None,
        hypotheses=(*_OF_A_RUN, *AT_ROUND_0, *EXPONENTS[:2], _DECREASING, *more),
        where=WHERE,
        follows_from=("thmD.11-110.corrected", "thmD.11-111", "st-sum-dec"),
        note="",
        setting=replace(rounds, minima={metric: (times * per_round, OVER)}, fixed=(*rounds.fixed, metric, p.T)),
        proof=Proof(
            section("Growth of the sum of the steps"),
            GROWTH_OF_SUMS,
            have("no empty sum", gt(sp.Sum((t + 1) ** -p.q, OVER), 0), by=["growth of sums"]),
            section("Signs of the constants"),
            *SIGNS,
            *_SMALLER,
            section("From one round to all rounds"),
            *_of_all_rounds(1, SERVER_DEC),
            section("The variance of the directions"),
            *_variance_over(SERVER_DEC),
            section("The best round against all"),
            *steps,
            *best_of(metric, times, grown, steps),
            have(
                "in sum",
                whole,
                by=["all rounds", "Psi at T", "best of all rounds", *SIGNED, unfold(E_THETA), SEQUENCES],
                multipliers=[1, 136 / p.c_theta, 1],
            ),
            section("Sums of powers of the steps"),
            *powers_in_all("sum of squares", "squares to T", 2 * p.q, 2 * p.q / (2 * p.q - 1)),
            have("squares", le(d.sum_l2, squares), by=["squares to T", SEQUENCES]),
            have("growth", ge(d.sum_l, growth), by=["growth of sums", SEQUENCES]),
            section("The rate of the best round"),
            special("Psi at 0", "Psi at t", {t: sp.S.Zero}),
            have("start", ge(p.Psi_0, 0), by=["Psi at 0", SEQUENCES]),
            have("E_theta", ge(E_THETA, 0), by=[*SIGNED, unfold(E_THETA)]),
            have(
                "per step",
                le(metric / grown, most[0] / d.sum_l + 76 * (V + E_D) + most[1] * d.sum_l2 / d.sum_l),
                by=["in sum", unfold(E_D), *SIGNED],
                multipliers=[1 / d.sum_l],
            ),
            have("the start", le(p.Psi_0 / d.sum_l, p.Psi_0 / growth), by=["growth", "start"]),
            have(
                "of theta",
                le(most[1] * d.sum_l2 / d.sum_l, most[1] * squares / growth),
                by=["growth", "squares", "E_theta"],
            ),
            qed(
                by=["per step", "the start", "variance", "of theta", *SIGNED],
                multipliers=[grown, grown * 136 / p.c_theta, 76 * grown],
            ),
        ),
    )


WHY_GRAD = (
    "at a solution grad F is balanced by c_t (grad G - grad v_gamma) and the constraints; c_t^2 R_t is the squared "
    "residual of that balance"
)
_DEC_TEXT = (
    f"{_FLOOR}For n >= 2, any client steps, lambda_theta = lambda_0 (t + 1)^(-q), lambda_0 = c_lambda tau^(1/4), "
    "lambda_x = lambda_y = (c_theta/2) lambda_theta, c_t >= c_0 and the conditions of the corrected Lemma D.8 at t = "
    "0: "
)
C1_CORRECTED = _decreasing(
    THEOREM_C1,
    _WHY,
    f"{_DEC_TEXT}min E R_t <= (3 - q)/(lambda_0 (T + 1)^(1-q)) ((136/c_theta) Psi_{{c_0}} + 76 (beta_max/P) E_theta "
    f"lambda_0^2 2 q/(2 q - 1)) + 76 (E_Delta + (beta_max/P) E_V){_E_V_TEXT}; the means are weighed with the steps",
    p.R_best,
    sp.S.One,
    sp.S.One,
)
GRAD_F_CORRECTED = _decreasing(
    d.GRAD_F,
    (WHY_GRAD, *_WHY),
    f"{_DEC_TEXT}min E [dist(0, grad F + c_t (grad G - grad v_gamma) + N)]^2 at z^{{t+1}} is at most c_0^2 T^(2p) "
    "times the right side of mefbo.thmC.1.corrected",
    cR_best,
    p.c_0**2 * (t + 1) ** (2 * p.p),
    p.c_0**2 * p.T ** (2 * p.p),
    have("rounds", le(t + 1, p.T), when=IN_RANGE),
    raised("penalties", "rounds", to=2 * p.p),
    more=(p.ONE_PENALTY,),
)
CLAIMS = (
    D11_103_CORRECTED, D11_110_CORRECTED, SK_34_CORRECTED, THEOREM34_CORRECTED, D11_CORRECTED, REM34_1_CORRECTED,
    TAB1_6_CORRECTED, C1_CORRECTED, GRAD_F_CORRECTED, REM34_2_CORRECTED, REMD1_CORRECTED, *_ALL, *_SOME,
)  # fmt: skip
