"""What holds of the rates, with the variances of the directions written out: what is divided by P, and what stays.

The server's steps may differ from round to round. Of a round stay the drifts of its clients and the variances of the
directions of x and y, which are divided by P: where a constraint is active, no server step makes them small.
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
from rateproof.theory.papers.mefbo.one_round import LOCAL, averaged
from rateproof.theory.papers.mefbo.sketch import SK_31
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
from rateproof.theory.shorthand import amended, eq, ge, le
from rateproof.theory.symbols import NONNEG

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
            p.sig_f, p.sig_g, p.c_lam, p.q, *(() if steps else (p.lambda_theta,)),
        ),
    )  # fmt: skip


_SIGNED = [step.name for step in tel.SIGNS]


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
        le(d.sum_lR, tel.C_M * (p.Psi_0 + E_1 * d.sum_l + E_2 * d.sum_l2) + E_R * d.sum_l),
        hypotheses=hypotheses,
        where=WHERE,
        setting=_rounds(server),
        proof=Proof(
            *tel.SIGNS,
            have("A_P", ge(p.A_P, 0), by=[unfold(p.A_P)]),
            have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
            *allowed,
            have("C_M", ge(tel.C_M, 0), by=[*_SIGNED, unfold(tel.C_M)]),
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
SERVER_0 = p.c_lam * p.tau ** _R(1, 4)
SERVER_DEC = SERVER_0 * (tel.t + 1) ** -p.q
_L_0 = p.L_1 / p.c_0 + p.L_2 + 1 / p.gamma
#: The conditions on the steps at round 0, where they are the strictest.
AT_ROUND_0 = tuple(
    replace(
        h,
        key=f"{h.key} at 0",
        text=f"{h.text}, at round 0",
        relation=h.relation.subs(p.lambda_theta, SERVER_0) if i else le(SERVER_0 * p.rho * _L_0, 8 * p.K * p.L_theta**2),
    )
    for i, h in enumerate(lemma_d8.CORRECTED_CONDITIONS)
    if p.lambda_x not in h.relation.free_symbols and p.lambda_y not in h.relation.free_symbols
)
_SMALLER = (
    have("after round 0", le(1, tel.t + 1)),
    raised("to the power q", "after round 0", to=p.q),
    have("smaller steps", le(p.lambda_theta, SERVER_0), by=["to the power q", SEQUENCES]),
    have("the penalty at 0", le(1 / p.c_t, 1 / p.c_0)),
    have("of v", le(sp.Max(p.L_2, 1 / p.gamma), 1 / p.gamma)),
    have("L_Phi", le(p.L_Phi, _L_0), by=["the penalty at 0", "of v", unfold(p.L_Phi)]),
    have("L_Phi > 0", sp.Gt(p.L_Phi, 0, evaluate=False), by=[unfold(p.L_Phi)]),
    have("times it", le(SERVER_0 * p.rho * p.L_Phi, 8 * p.K * p.L_theta**2), by=["L_Phi", "rho"]),
    have("a step times it", le(p.lambda_theta * p.rho * p.L_Phi, SERVER_0 * p.rho * p.L_Phi), by=["smaller steps", "rho", "L_Phi > 0"]),
    *(
        have(h.key, h.relation, by=["smaller steps", "times it", "a step times it", "L_Phi > 0", *_SIGNED, "A_P", "B_P", SEQUENCES][(0 if "lambda_" not in h.key else 3) :])
        for h in lemma_d8.CORRECTED_CONDITIONS
    ),
)
SUM_DEC = _sum("decreasing", SERVER_DEC, (*p.RUN, p.TWO_CLIENTS, p.RISING, tel.FROM_C_0, *AT_ROUND_0), *_SMALLER)
