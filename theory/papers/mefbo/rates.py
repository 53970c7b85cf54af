"""What holds of the rates, with the variances of the directions written out: what is divided by P, and what stays.

The server's steps may differ from round to round. Of a round stay the drifts of its clients and the variances of the
directions of x and y, which are divided by P: where a constraint is active, no server step makes them small. The
instances by hand of Theorem 3.4 refute the rate without the variances (noise at the end of an interval), without the
drifts (clients at rest) and with the initial value over P (identical clients).
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reason
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d7, lemma_d8
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import telescoped as tel
from rateproof.theory.papers.mefbo import theorem_d11 as d
from rateproof.theory.papers.mefbo.corollary35 import COR35_I, COR35_II, CORD12_I, CORD12_II, FULL, PARTIAL, eps
from rateproof.theory.papers.mefbo.one_round import LOCAL, averaged
from rateproof.theory.papers.mefbo.remarks import REMARK_D1
from rateproof.theory.papers.mefbo.sketch import SK_31
from rateproof.theory.papers.mefbo.table1 import MEFBO
from rateproof.theory.papers.mefbo.theorem34 import REMARK_1, REMARK_2, TAU_ONE
from rateproof.theory.papers.mefbo.theorem_c1 import EXPONENTS, THEOREM_C1
from rateproof.theory.proof import (
    SEQUENCES,
    Ground,
    Mean,
    Proof,
    SampleMean,
    Setting,
    Step,
    cases,
    cite,
    have,
    largest,
    least,
    mean,
    qed,
    raised,
    rewritten,
    sampling,
    special,
    summed,
    total,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import Why, amended, eq, ge, gt, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import LENGTH, OUTER

_R = sp.Rational
# --- the variances of the directions

_NOISES = {"efx": "xi", "efy": "xi", "egx": "zeta", "egy": "zeta", "etx": "zeta"}
_AT_STEP = {e: f"{LOCAL} {source}" for e, source in {**_NOISES, "ety": "zeta"}.items()}
_directions = lemma_d7.DIRECTIONS
efx, efy, egx, egy, etx, ety = vectors(" ".join(_AT_STEP))
efx_s, efy_s, egx_s, egy_s, etx_s = vectors(" ".join(f"{e}_s" for e in _NOISES))
bx, by, bx_c, by_c, bx_a, by_a, BX, BY = vectors("bx by bx_c by_c bx_a by_a BX BY")
_depends, _means = averaged("bx", "by")
_each = {f"{e}_c": Mean(e, "step") for e in _NOISES}
_drawn = {f"{e}_s": SampleMean(f"{e}_c", "client", "sample") for e in _NOISES}
_drawn |= {"BX": SampleMean("bx_c", "client", "sample"), "BY": SampleMean("by_c", "client", "sample")}
_names = ("bx", "by", *_depends, *_AT_STEP, *_each, *_drawn)
#: The directions of x and y of a client and their noises, their means over its steps (``_c``) and over all clients
#: (``_a``), and over the clients drawn: of the directions ``BX`` and ``BY``, of the noises ``_s``.
SERVER_XY = replace(
    _directions,
    sequences={},
    others=(),
    depends={
        **_directions.depends,
        **dict.fromkeys(("bx", "by"), LOCAL),
        **_depends,
        **_AT_STEP,
        **{"e_f": f"{LOCAL} xi", "e_g": f"{LOCAL} zeta", "e_t": f"{LOCAL} zeta"},
        **dict.fromkeys(_each, "past client round"),
        **dict.fromkeys(_drawn, "past sample round"),
    },
    means={**_directions.means, **_means, **_each, **_drawn},
    sums={
        **_directions.sums,
        "bx": lemma_d7.DIRECTION["x"],
        "by": lemma_d7.DIRECTION["y"],
        "e_f": efx + efy,
        "e_g": egx + egy,
        "e_t": etx + ety,
    },
    blocks={**_directions.blocks, **{name: "x" if "x" in name.lower() else "y" for name in _names}},
    metrics={
        **_directions.metrics,
        lemma_d5.var_x: norm2(BX - bx_a + efx_s / p.c_t + egx_s - etx_s),
        lemma_d5.var_y: norm2(BY - by_a + efy_s / p.c_t + egy_s),
    },
)
_beta = p.beta_max / p.P
#: Each noise: that of a whole gradient that it is a part of, and the bound on its variance.
_OF = {
    "efx": ("e_f", p.sig_f**2),
    "efy": ("e_f", p.sig_f**2),
    "egx": ("e_g", p.sig_g**2),
    "egy": ("e_g", p.sig_g**2),
    "etx": ("e_t", p.sig_g**2),
}


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
    of_noises = len(squares) * sp.Add(*(c * _OF[e][1] for e, c in squares.items()))
    return p.claim(
        f"lemD.5.var_{of}",
        "Lemma D.5",
        Kind.INEQUALITY,
        f"E||h_{of} - htilde_{of}||^2 <= 2 (beta_max/P) (B times the mean square of the directions + noise/tau)",
        le({"x": lemma_d5.var_x, "y": lemma_d5.var_y}[of], 2 * _beta * (p.B_P * spread + of_noises / p.tau)),
        hypotheses=(
            p.F_LIPSCHITZ,
            p.G_LIPSCHITZ,
            p.F_NOISE,
            p.G_NOISE,
            p.WEIGHTS,
            p.SAMPLED,
            p.P_N,
            p.TWO_CLIENTS,
            p.FRESH,
        ),
        where={p.B_P: p.SAMPLING[p.B_P]},
        setting=SERVER_XY,
        proof=Proof(
            *(
                have(f"one {e}", le(norm2(vectors(e)[0]), bound), by=[written_out(whole), variance(whole)])
                for e in squares
                for whole, bound in [_OF[e]]
            ),
            *(
                have(
                    f"{e} of the server",
                    le(norm2(vectors(f"{e}_s")[0]), _beta / p.tau * _OF[e][1]),
                    by=[variance(f"{e}_s"), variance(f"{e}_c"), f"one {e}"],
                )
                for e in squares
            ),
            have(
                "the noise",
                le(norm2(noise), _beta / p.tau * of_noises),
                by=[f"{e} of the server" for e in squares],
                multipliers=[len(squares) * c for c in squares.values()],
            ),
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
            qed(by=["the spread", "the noise"], multipliers=[2, 2]),
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

# --- the measure of a round

_STEPS = dict.fromkeys((p.lambda_x, p.lambda_y), lemma_d8.HALF_RATIO * p.lambda_theta)
_VAR = {v.statement.lhs: v.statement.rhs.subs(p.c_t, p.c_0) for v in (VAR_X, VAR_Y)}  # type: ignore[union-attr]
_added = tel.added.xreplace(_STEPS)
_of_theta = sp.diff(_added, p.delta_t)
_MOST = _added.xreplace({p.c_t: p.c_0, p.delta_t: _R(1, 3)}).xreplace(_VAR)
_SEEN = tel.seen.xreplace({p.c_t: p.c_0}).xreplace(_VAR)


def _falls(expr: sp.Expr) -> list[sp.Expr]:
    """What the terms of the drifts are over ``c_t^2``, and then the coefficients of the variances."""
    slopes = [sp.diff(expr, m) for m in (p.D_x, p.D_y)]
    return [*(s.subs(p.c_t, 1) - s.subs(p.c_t**-2, 0) for s in slopes), *(sp.diff(expr, m) for m in _VAR)]


_AT_C_0 = ("D_x at c_0", "D_y at c_0", "variance in x", "variance in y")
A_ROUND = p.claim(
    "thmD.11-109.round",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "lambda R_t(z^{t+1}) <= C_M (Psi_{c_t} - Psi_{c_{t+1}} + E_1 lambda + E_2 lambda^2) + E_R lambda, of one round",
    le(p.lambda_theta * p.R_end, tel.C_M * (p.Psi_t - p.Psi_end + _MOST) + p.lambda_theta * _SEEN),
    hypotheses=(*lemma_d8.LEMMA_D8_CORRECTED.hypotheses, tel.FROM_C_0),
    where={**lemma_d8.LEMMA_D8_CORRECTED.where, tel.C_M: tel.C_M_VALUE},
    setting=replace(
        tel.ROUNDS,
        maxima={},
        minima={},
        sequences={},
        others=(*tel.ROUNDS.others, SERVER_XY),
        measured=(*(m for m in tel.ROUNDS.measured if m not in (d.sum_moved, d.sum_lR, p.Psi_0)), lemma_d7.dir2_y),
        fixed=(),
    ),
    proof=Proof(
        *tel.START,
        have("a third", le(p.delta_t, _R(1, 3)), by=["the step", "rho", unfold(p.delta_t)]),
        *(have(f"{step}, of theta's", eq(step, value), by=tel.KNOWN) for step, value in _STEPS.items()),
        rewritten("a round, by theta's step", "a round", by=[f"{step}, of theta's" for step in _STEPS]),
        have("of theta", ge(_of_theta, 0), by=["A_P", "B_P", *tel.KNOWN]),
        *(have(f"{m} at c_0", le(m / p.c_t**2, m / p.c_0**2), by=["the penalty"]) for m in (p.D_x, p.D_y)),
        *(
            have(name, le(metric, _VAR[metric]), by=[cite(lemma), "the penalty", "B_P"])
            for name, metric, lemma in zip(_AT_C_0[2:], _VAR, (VAR_X, VAR_Y), strict=True)
        ),
        have(
            "added at most",
            le(_added, _MOST),
            by=[*_AT_C_0, "of theta", "a third", *tel.KNOWN],
            multipliers=[*_falls(_added), _R(1, 3) - p.delta_t],
        ),
        have("seen at most", le(tel.seen, _SEEN), by=[*_AT_C_0, *tel.KNOWN], multipliers=_falls(tel.seen)),
        *tel.ROUND_BOUND,
        qed(
            by=["R of a round", "a round, by theta's step", "added at most", "seen at most", *tel.KNOWN, "C_M"],
            multipliers=[1, tel.C_M, tel.C_M, p.lambda_theta],
        ),
    ),
)

# --- the sum over the rounds, with steps of the server that may change

_dir_max = tel.worst(lemma_d7.dir2_y, "mean square of the directions of y", p.FORCE2)
_terms = {**tel.TERMS, lemma_d7.dir2_y: sp.Function("dir2_y_", nonnegative=True)(tel.t)}
LARGEST = {**{m: tel.LARGEST[m] for m in (p.D_x, p.D_y, p.D_theta)}, lemma_d7.dir2_y: _dir_max}
SERVER_0 = p.declare("lambda_0", "first server step of theta", p.STEP, latex=r"\lambda_0", **POS)
E_1 = p.declare("E_1", "what the worst round adds, over lambda_theta", p.FORCE2, latex="E_1", defined=True, **NONNEG)
E_2 = p.declare("E_2", "what it adds over lambda_theta^2", p.FORCE2 / p.STEP, latex="E_2", defined=True, **NONNEG)
E_R = p.declare("E_R", "errors that the worst round has in the measure", p.FORCE2, latex="E_R", defined=True, **NONNEG)
_worst = _MOST.xreplace(LARGEST)
STAYS = {
    E_1: sp.diff(_worst, p.lambda_theta).subs(p.lambda_theta, 0),
    E_2: sp.diff(_worst, p.lambda_theta, 2) / 2,
    E_R: _SEEN.xreplace(LARGEST),
}
WHERE = {**A_ROUND.where, **STAYS}
_adds = E_1 * p.lambda_theta + E_2 * p.lambda_theta**2


def _server_steps(server: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
    return {p.lambda_theta: server, **{step: value.subs(p.lambda_theta, server) for step, value in _STEPS.items()}}


def _rounds(server: sp.Expr) -> Setting:
    """The rounds, with the steps of theta on the server as a function of the index of the round."""
    steps = {} if server == p.lambda_theta else _server_steps(server)
    return Setting(
        maxima={worst: (_terms[m], tel.OVER) for m, worst in LARGEST.items()},
        minima=tel.ROUNDS.minima,
        metrics=tel.ROUNDS.metrics,
        sequences={
            **{m: term for m, term in tel.ROUNDS.sequences.items() if m not in (d.sum_moved, d.sum_lR)},
            **_terms,
            **steps,
            d.sum_l: sp.Sum(server, tel.OVER),
            d.sum_l2: sp.Sum(server**2, tel.OVER),
            d.sum_lR: sp.Sum(server * _terms[p.R_end], tel.OVER),
        },
        others=(A_ROUND.setting, SK_31.setting),  # type: ignore[arg-type]
        measured=(*LARGEST, p.R_end, p.Phi_t, p.gap2, p.Psi_end, p.Psi_0, d.sum_lR, d.sum_l, d.sum_l2),
        fixed=(
            *LARGEST.values(), p.R_best, p.c_0, p.gamma, p.n, p.P, p.tau, p.beta_max, p.L_1, p.L_2, p.L_f, p.L_g, p.Het,
            p.sig_f, p.sig_g, SERVER_0, p.q, p.p, *(() if steps else (p.lambda_theta,)),
        ),
    )  # fmt: skip


_SIGNED = [step.name for step in tel.SIGNS]


_SUMMED = le(d.sum_lR, tel.C_M * (p.Psi_0 + E_1 * d.sum_l + E_2 * d.sum_l2) + E_R * d.sum_l)


def _sum(cid: str, server: sp.Expr, hypotheses: tuple[Hypothesis, ...], *allowed: Step) -> Claim:
    """The sum of the measures over the rounds, weighed with the server's steps, which ``allowed`` shows to be so."""
    in_all = le(
        server * _terms[p.R_end],
        (tel.C_M * (tel.Psi(tel.t) - tel.Psi(tel.t + 1) + _adds) + p.lambda_theta * E_R).subs(p.lambda_theta, server),
    )
    whole = tel.C_M * _MOST + p.lambda_theta * _SEEN
    slopes = {m: sp.diff(whole, m) for m in LARGEST}
    return p.claim(
        f"thmD.11-110.{cid}",
        "proof of Theorem D.11",
        Kind.BOUND,
        "sum lambda R_t <= C_M (Psi_{c_0} + E_1 sum lambda + E_2 sum lambda^2) + E_R sum lambda",
        _SUMMED,
        hypotheses=hypotheses,
        where=WHERE,
        setting=_rounds(server),
        proof=Proof(
            *tel.SIGNS,
            have("A_P", ge(p.A_P, 0), by=[unfold(p.A_P)]),
            have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
            *allowed,
            have("C_M", ge(tel.C_M, 0), by=[*_SIGNED, unfold(tel.C_M)]),
            *(have(f"{step} > 0", gt(step, 0), by=[*_SIGNED, SEQUENCES]) for step in _STEPS),
            have("a round", A_ROUND.statement, by=[cite(A_ROUND), *_SIGNED], multipliers=[1]),
            *(
                have(f"largest {m}", le(m, worst), by=[largest(worst), SEQUENCES], when=tel.IN_RANGE)
                for m, worst in LARGEST.items()
            ),
            *(have(f"weight of {m}", ge(slope, 0), by=["A_P", "B_P", "C_M", *_SIGNED]) for m, slope in slopes.items()),
            have(
                "at most",
                le(whole, whole.xreplace(LARGEST)),
                by=[*(f"largest {m}" for m in LARGEST), *(f"weight of {m}" for m in LARGEST), *_SIGNED],
                multipliers=[*slopes.values()],
                when=tel.IN_RANGE,
            ),
            have(
                "R at most",
                le(p.lambda_theta * p.R_end, tel.C_M * (p.Psi_t - p.Psi_end + _adds) + p.lambda_theta * E_R),
                by=["a round", "at most", *_SIGNED, unfold(E_1, E_2, E_R)],
                multipliers=[1, 1],
                when=tel.IN_RANGE,
            ),
            have("round t", in_all, by=["R at most", *_SIGNED, "C_M", SEQUENCES], multipliers=[1], when=tel.IN_RANGE),
            summed("all rounds", "round t", over=tel.t, start=0, last=p.T - 1),
            *tel.END,
            qed(by=["all rounds", "Psi at T", *_SIGNED, "C_M", SEQUENCES], multipliers=[1, tel.C_M]),
        ),
    )


SUM_FIXED = _sum("fixed", p.lambda_theta, A_ROUND.hypotheses)
SERVER_DEC = SERVER_0 * (tel.t + 1) ** -p.q
_L_0 = p.L_1 / p.c_0 + p.L_2 + 1 / p.gamma
_79 = 4 * p.G2 * (2 * p.A_P + 3 * p.beta_max / p.P * p.B_P)
#: The conditions on the steps at round 0, where they are the strictest.
AT_ROUND_0 = (
    p.H_(
        "(78a) at 0",
        "lambda_0 rho (L_1/c_0 + L_2 + 1/gamma) <= 8 K L_theta^2",
        le(SERVER_0 * p.rho * _L_0, 8 * p.K * p.L_theta**2),
    ),
    p.H_("(78b) at 0", "lambda_0 <= 4/(5 rho)", le(SERVER_0, 4 / (5 * p.rho))),
    p.H_("(79)/2 at 0", "4 G_2 (2 A + 3 (beta_max/P) B) lambda_0 <= rho/2", le(_79 * SERVER_0, p.rho / 2)),
)
_WHY_ALLOWED: dict[bool, list[Ground]] = {
    False: ["smaller steps", "times it", "a step times it", "L_Phi > 0", *_SIGNED, "A_P", "B_P", SEQUENCES],
    True: [*_SIGNED, SEQUENCES],
}
_SMALLER = (
    have("after round 0", le(1, tel.t + 1)),
    raised("to the power q", "after round 0", to=p.q),
    have("smaller steps", le(p.lambda_theta, SERVER_0), by=["to the power q", SEQUENCES]),
    have("the penalty at 0", le(1 / p.c_t, 1 / p.c_0)),
    have("of v", le(sp.Max(p.L_2, 1 / p.gamma), 1 / p.gamma)),
    have("L_Phi", le(p.L_Phi, _L_0), by=["the penalty at 0", "of v", unfold(p.L_Phi)]),
    have("L_Phi > 0", sp.Gt(p.L_Phi, 0, evaluate=False), by=[unfold(p.L_Phi)]),
    have("times it", le(SERVER_0 * p.rho * p.L_Phi, 8 * p.K * p.L_theta**2), by=["L_Phi", "rho"]),
    have(
        "a step times it",
        le(p.lambda_theta * p.rho * p.L_Phi, SERVER_0 * p.rho * p.L_Phi),
        by=["smaller steps", "rho", "L_Phi > 0"],
    ),
    *(have(h.key, h.relation, by=_WHY_ALLOWED[isinstance(h.relation, sp.Eq)]) for h in lemma_d8.CORRECTED_CONDITIONS),
)
SUM_DEC = _sum("decreasing", SERVER_DEC, (*p.RUN, p.TWO_CLIENTS, p.RISING, tel.FROM_C_0, *AT_ROUND_0), *_SMALLER)

# --- decreasing steps

cR_best = p.declare(
    "cR_best",
    "min over t < T of E [dist(0, grad F + c_t (grad G - grad v_gamma) + N)]^2 at z^{t+1}",
    (OUTER / LENGTH) ** 2,
    latex=r"\min_{t<T}\mathbb E[c_t^2R_t(z^{t+1})]",
    **NONNEG,
)
_n = sp.Symbol("n", integer=True, positive=True)
_WHY_STAYS = Reason(
    "what the drifts and the variances of a round add has the first power of the steps, and stays", "mefbo.thmD.11-110"
)
_WHY_P = Reason("neither the initial value nor the drifts are divided by P", "mefbo.thm3.4")
_WHY_GRAD = (
    "at a solution grad F is balanced by c_t (grad G - grad v_gamma) and the constraints; c_t^2 R_t is the squared "
    "residual of that balance"
)
_DEC_TEXT = (
    "For n >= 2, any client steps, lambda_theta = lambda_0 (t + 1)^(-q), lambda_0 = c_lambda tau^(1/4), lambda_x = "
    "lambda_y = rho/(64 K L_theta^2) lambda_theta, c_t >= c_0 and the conditions of the corrected Lemma D.8 at t = 0: "
)
_E_TEXT = (
    ". E_1 lambda + E_2 lambda^2 is what the worst round adds to the descent, and E_R what it has in the measure: its "
    "drifts, and, times beta_max/P, the variances and Delta^2, as in mefbo.rem3.4-1.corrected"
)
_DEC_RATE = (3 - p.q) / (SERVER_0 * (p.T + 1) ** (1 - p.q)) * tel.C_M * (
    p.Psi_0 + E_2 * SERVER_0**2 * 2 * p.q / (2 * p.q - 1)
) + (tel.C_M * E_1 + E_R)
_DECREASING = p.H_(
    "S-dec/2",
    "lambda_theta = lambda_0 (t + 1)^(-q), lambda_x = lambda_y = rho/(64 K L_theta^2) lambda_theta",
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
    rounds = _rounds(SERVER_DEC)
    end = metric / grown
    stays = tel.C_M * E_1 + E_R
    goal = le(metric, grown * _DEC_RATE)
    share = grown * (3 - p.q) / (SERVER_0 * (p.T + 1) ** (1 - p.q))
    per_round = _terms[p.R_end]
    return amended(
        printed,
        why,
        text=text,
        statement=goal,
        schedule=None,
        hypotheses=(*SUM_DEC.hypotheses, *EXPONENTS[:2], _DECREASING, *more),
        where=WHERE,
        follows_from=("thmD.11-110.corrected", "thmD.11-111", "st-sum-dec"),
        note="",
        setting=replace(
            rounds,
            minima={metric: (times * per_round, tel.OVER)},
            others=(SUM_DEC.setting, SK_31.setting),  # type: ignore[arg-type]
            fixed=(*rounds.fixed, metric, p.p, p.T),
        ),
        proof=Proof(
            *tel.SIGNS,
            have("C_M", ge(tel.C_M, 0), by=[*_SIGNED, unfold(tel.C_M)]),
            have("A_P", ge(p.A_P, 0), by=[unfold(p.A_P)]),
            have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
            have("E_2", ge(E_2, 0), by=["A_P", "B_P", *_SIGNED, unfold(E_2)]),
            have("the sum", _SUMMED, by=[cite(SUM_DEC), *_SIGNED, SEQUENCES]),
            *steps,
            have("the best round", le(metric, times * per_round), by=[least(metric), SEQUENCES], when=tel.IN_RANGE),
            have(
                "a round",
                le(end, per_round),
                by=["the best round", *(s.name for s in steps[-1:]), SEQUENCES],
                when=tel.IN_RANGE,
            ),
            summed("all rounds", "a round", over=tel.t, start=0, last=p.T - 1, weight=SERVER_DEC),
            total(
                "squares",
                le(sp.Sum((tel.t + 1) ** (-2 * p.q), (tel.t, 0, _n - 1)), 2 * p.q / (2 * p.q - 1)),
                _n,
                above={p.q: _R(1, 2)},
            ),
            special("squares to T", "squares", {_n: p.T}),
            have(
                "growth",
                ge((3 - p.q) * sp.Sum((tel.t + 1) ** -p.q, tel.OVER), (p.T + 1) ** (1 - p.q)),
                by=[cite("mefbo.thmD.11-111")],
            ),
            *tel.END[:2],
            special("Psi at 0", "Psi at t", {tel.t: sp.S.Zero}),
            have("below", goal, by=["C_M", "E_2", "Psi at 0", SEQUENCES], when=[le(end, stays)]),
            have(
                "above",
                goal,
                by=["the sum", "all rounds", "squares to T", "growth", "C_M", "E_2", SEQUENCES],
                when=[sp.Gt(end, stays, evaluate=False)],
                multipliers=[
                    share,
                    share,
                    share * tel.C_M * E_2 * SERVER_0**2,
                    grown * (end - stays) / (p.T + 1) ** (1 - p.q),
                ],
            ),
            cases("the statement", goal, on=le(end, stays), yes="below", no="above"),
        ),
    )


C1_CORRECTED = _decreasing(
    THEOREM_C1,
    (_WHY_STAYS, _WHY_P),
    f"{_DEC_TEXT}min E R_t <= (3 - q)/(lambda_0 (T + 1)^(1-q)) C_M (Psi_{{c_0}} + E_2 lambda_0^2 2 q/(2 q - 1)) + "
    f"C_M E_1 + E_R{_E_TEXT}",
    p.R_best,
    sp.S.One,
    sp.S.One,
)
GRAD_F_CORRECTED = _decreasing(
    d.GRAD_F,
    (_WHY_GRAD, _WHY_STAYS, _WHY_P),
    f"{_DEC_TEXT}min E [dist(0, grad F + c_t (grad G - grad v_gamma) + N)]^2 at z^{{t+1}} is at most c_0^2 T^(2p) "
    "times the right side of mefbo.thmC.1.corrected",
    cR_best,
    p.c_0**2 * (tel.t + 1) ** (2 * p.p),
    p.c_0**2 * p.T ** (2 * p.p),
    have("rounds", le(tel.t + 1, p.T), when=tel.IN_RANGE),
    raised("penalties", "rounds", to=2 * p.p),
    more=(p.ONE_PENALTY,),
)

# --- steps that are the same in all rounds

_rest = (tel.C_M * (E_1 + E_2 * p.lambda_theta) + E_R).xreplace(STAYS)
E_D = p.declare("E_D", "what the drifts of the worst round add", p.FORCE2, latex=r"E_\Delta", defined=True)
E_P = p.declare(
    "E_P", "P/beta_max times what noise and the drawing of clients add", p.FORCE2, latex="E_P", defined=True
)
_noise = 5 * p.sig_f**2 / p.c_0**2 + 8 * p.sig_g**2
_spread = 3 * p.L_f**2 / p.c_0**2 + 6 * p.L_g**2 + _dir_max
_factor = tel.C_M * p.rho / (32 * p.K * p.L_theta**2) + 8
_of_gap = _R(8, 3) * tel.C_M * p.K * p.lambda_theta
_SPLIT = {
    E_D: sp.Add(*(sp.diff(_rest, tel.LARGEST[m]) * tel.LARGEST[m] for m in (p.D_x, p.D_y, p.D_theta))),
    E_P: _factor * (_noise / p.tau + p.B_P * _spread) + _of_gap * (p.sig_g**2 / p.tau + 3 * p.B_P * p.Het**2),
}
_FIXED_TEXT = (
    "For n >= 2, any client steps, lambda_x = lambda_y = rho/(64 K L_theta^2) lambda, server steps that are the same "
    "in all rounds and meet the conditions of the corrected Lemma D.8, and c_t >= c_0: "
)
_D_TEXT = (
    ". E_D is what the drifts of the worst round add, 0 for tau = 1, and E_P = (C_M rho/(32 K L_theta^2) + 8) ((5 "
    "sigma_f^2/c_0^2 + 8 sigma_g^2)/tau + B (3 L_f^2/c_0^2 + 6 L_g^2 + D)) + (8/3) C_M K lambda (sigma_g^2/tau + 3 B "
    "Delta^2), with D the mean square of the clients' directions of y in the worst round"
)
_best = le(p.R_best, tel.C_M * p.Psi_0 / (p.T * p.lambda_theta) + E_D + _beta * E_P)
_FIXED_HYPOTHESES = (*A_ROUND.hypotheses, tel.SAME)
_of_rounds = _rounds(p.lambda_theta)
_NUMBERS = replace(_of_rounds, others=(SUM_FIXED.setting,))  # type: ignore[arg-type]
REM34_1_CORRECTED = amended(
    REMARK_1,
    (_WHY_P, _WHY_STAYS),
    text=f"{_FIXED_TEXT}min E R_t <= C_M Psi_{{c_0}}/(lambda T) + E_D + (beta_max/P) E_P{_D_TEXT}",
    statement=_best,
    schedule=None,
    hypotheses=_FIXED_HYPOTHESES,
    where={**A_ROUND.where, **_SPLIT},
    follows_from=("thmD.11-110.corrected",),
    note="",
    setting=_NUMBERS,
    proof=Proof(
        *tel.SIGNS,
        have("C_M", ge(tel.C_M, 0), by=[*_SIGNED, unfold(tel.C_M)]),
        have("the sum", _SUMMED.xreplace(STAYS), by=[cite(SUM_FIXED), *_SIGNED, SEQUENCES], multipliers=[1]),
        have("the best round", le(p.R_best, p.R_end), by=[least(p.R_best), SEQUENCES], when=tel.IN_RANGE),
        have("round t", le(p.R_best, _terms[p.R_end]), by=["the best round", SEQUENCES], when=tel.IN_RANGE),
        summed("all rounds", "round t", over=tel.t, start=0, last=p.T - 1),
        qed(
            by=["the sum", "all rounds", *_SIGNED, "C_M", unfold(E_D, E_P), SEQUENCES],
            multipliers=[1 / (p.T * p.lambda_theta), 1 / p.T],
        ),
    ),
)


def _from_it(
    printed: Claim,
    text: str,
    statement: sp.Rel | None = None,
    more: tuple[Hypothesis, ...] = (),
    *last: Step,
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
    step: sp.Expr | None = None,
    note: str = "",
) -> Claim:
    """A claim about steps that are the same in all rounds, corrected: what follows from the rate."""
    end = last or (qed(by=["the rate"], multipliers=[1]),)
    # where a symbol means something else here
    rate = _best.xreplace({s: _SPLIT[s] for s in where or {} if s in _SPLIT})
    return amended(
        printed,
        (_WHY_STAYS, _WHY_P),
        text=f"{_FIXED_TEXT}{text}{_D_TEXT}",
        statement=_best if statement is None else statement,
        schedule=None,
        hypotheses=(*_FIXED_HYPOTHESES, *more),
        where={**REM34_1_CORRECTED.where, **(where or {})},
        follows_from=("rem3.4-1.corrected",),
        note=note,
        setting=_NUMBERS if step is None else replace(_NUMBERS, sequences={**_NUMBERS.sequences, p.lambda_theta: step}),
        proof=Proof(
            *tel.SIGNS,
            have("C_M", ge(tel.C_M, 0), by=[*_SIGNED, unfold(tel.C_M)]),
            have("the rate", rate, by=[cite(REM34_1_CORRECTED.id), *_SIGNED, SEQUENCES], multipliers=[1]),
            *end,
        ),
    )


_root = sp.sqrt(p.T)
_quarter = p.tau ** _R(1, 4)


def _as_fixed(key: str, server: sp.Expr, text: str) -> Hypothesis:
    says = f"lambda_theta = {text}, lambda_x = lambda_y = rho/(64 K L_theta^2) lambda_theta"
    return p.H_(key, says, eq(p.lambda_theta, server))


TAB1_6_CORRECTED = _from_it(MEFBO, "min E R_t <= C_M Psi_{c_0}/(lambda T) + E_D + (beta_max/P) E_P")
_step_2 = p.c_lam / _root
REM34_2_CORRECTED = _from_it(
    REMARK_2,
    "for P = n, tau = 1 and lambda = c_lambda T^(-1/2), min E R_t <= C_M Psi_{c_0}/(c_lambda T^(1/2)) + E_D + "
    "(beta_max/n) E_P",
    le(p.R_best, tel.C_M * p.Psi_0 / (p.c_lam * _root) + E_D + p.beta_max / p.n * E_P),
    (FULL, TAU_ONE, _as_fixed("S-fixed/2 at tau=1", _step_2, "c_lambda T^(-1/2)")),
    qed(by=["the rate", *_SIGNED, SEQUENCES], multipliers=[1]),
    step=_step_2,
    note="One client is one of two with the weights 1 and 0 who both take part.",
)
_step = p.c_lam * _quarter / _root
_per_Het = 8 * tel.C_M * p.K * p.c_lam * _quarter / _root * p.B_P
REMD1_CORRECTED = _from_it(
    REMARK_D1,
    "for lambda = c_lambda tau^(1/4) T^(-1/2), min E R_t <= C_M Psi_{c_0}/(c_lambda tau^(1/4) T^(1/2)) + E_D + "
    "(beta_max/P) (E_P + 8 C_M K c_lambda tau^(1/4) T^(-1/2) B Delta^2), E_P for Delta = 0",
    le(
        p.R_best,
        tel.C_M * p.Psi_0 / (p.c_lam * _quarter * _root) + E_D + _beta * (E_P + _per_Het * p.Het**2),
    ),
    (_as_fixed("S-fixed/2", _step, "c_lambda tau^(1/4) T^(-1/2)"),),
    qed(by=["the rate", *_SIGNED, unfold(E_P), SEQUENCES], multipliers=[1]),
    step=_step,
    where={E_P: _SPLIT[E_P].subs(p.Het, 0)},
)
E_N = p.declare("E_N", "tau E_P for P = n", p.FORCE2, latex="E_N", defined=True)
_E_N = {E_N: _factor * _noise + _of_gap * p.sig_g**2}
_ROUNDS = p.H_("rounds", "T >= C_M Psi_{c_0}/(lambda eps)", ge(p.T * p.lambda_theta * eps, tel.C_M * p.Psi_0))
_STEPS_N = p.H_("steps", "tau >= beta_max E_N/(n eps)", ge(p.n * p.tau * eps, p.beta_max * E_N))
_CLIENTS = p.H_("clients", "P >= beta_max E_P/eps", ge(p.P * eps, p.beta_max * E_P))
_WITHIN = le(p.R_best, 2 * eps + E_D)
_few = have("few rounds", le(tel.C_M * p.Psi_0 / (p.T * p.lambda_theta), eps), multipliers=[1 / (p.T * p.lambda_theta)])


def _all_clients(printed: Claim) -> Claim:
    return _from_it(
        printed,
        "all clients, T >= C_M Psi_{c_0}/(lambda eps) and tau >= beta_max tau E_P/(n eps), so T = O(eps^-1) and tau T "
        "= O(eps^-2/n), give min E R_t <= 2 eps + E_D",
        _WITHIN,
        (FULL, _ROUNDS, _STEPS_N),
        have("B", eq(p.B_P, 0), by=[unfold(p.B_P)]),
        have("E_P", eq(E_P, _SPLIT[E_P]), by=[unfold(E_P), *_SIGNED]),
        rewritten("E_P for P = n", "E_P", by=["B"]),
        have("noise", le(p.tau * E_P, E_N), by=["E_P for P = n", unfold(E_N), *_SIGNED]),
        have("little noise", le(p.beta_max * E_P / p.n, eps), by=["noise"]),
        _few,
        qed(by=["the rate", "few rounds", "little noise"], multipliers=[1, 1]),
        where=_E_N,
    )


def _some_clients(printed: Claim) -> Claim:
    return _from_it(
        printed,
        "some clients, T >= C_M Psi_{c_0}/(lambda eps), so T = O(eps^-1), and P >= beta_max E_P/eps give min E R_t <= "
        "2 eps + E_D",
        _WITHIN,
        (PARTIAL, _ROUNDS, _CLIENTS),
        have("little noise", le(p.beta_max * E_P / p.P, eps)),
        _few,
        qed(by=["the rate", "few rounds", "little noise"], multipliers=[1, 1]),
    )


_ALL = tuple(map(_all_clients, (COR35_I, CORD12_I)))
_SOME = tuple(map(_some_clients, (COR35_II, CORD12_II)))
CLAIMS = (
    C1_CORRECTED, GRAD_F_CORRECTED, REM34_1_CORRECTED, REM34_2_CORRECTED, TAB1_6_CORRECTED, REMD1_CORRECTED, *_ALL,
    *_SOME,
)  # fmt: skip
