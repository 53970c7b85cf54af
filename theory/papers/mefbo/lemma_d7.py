"""Lemma D.7: client drifts, and what the paper makes of it for small client steps.

The squared norm of a sum of ``k`` vectors is at most ``k`` times the sum of their squares: the terms without noise need
``tau^2`` where the paper has ``tau``. ``L_g`` bounds the gradient in ``x`` alone, and not what is used in ``y``.
"""

from collections.abc import Iterable
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, Kind, Reason, Switch, conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import one_round as r
from rateproof.theory.papers.mefbo.lemma_d6 import (
    DRIFTS,
    FREE_Y,
    GRADIENT,
    LOCAL_CHANGE,
    NO_CONSTRAINT,
    SERVER_CHANGE,
)
from rateproof.theory.proof import (
    SEQUENCES,
    Proof,
    Setting,
    Step,
    bounded,
    cite,
    dissimilar,
    fresh,
    have,
    induct,
    lipschitz,
    mean,
    qed,
    section,
    stationary,
    summed,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint, restated
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import ONE

_third = sp.Rational(1, 3)
declare = p.declare
_STEP_OF = ("after Lemma D.7", Kind.INEQUALITY)
a = declare("a_d", "12 tau eta_y^2/gamma^2", ONE, latex="a", defined=True, **NONNEG)
b = declare("b_d", "6 tau eta_theta^2/gamma^2", ONE, latex="b", defined=True, **NONNEG)
e = declare("e_d", "6 tau eta_theta^2 (L_2^2 + 1/gamma^2)", ONE, latex="e", defined=True, **NONNEG)
A_d = declare("A_d", "right side of (67) without the drifts of y and theta", p.AREA, latex="A", defined=True, **NONNEG)
B_d = declare("B_d", "right side of (69) without the drifts of y and theta", p.AREA, latex="B", defined=True, **NONNEG)

prox2 = p.formula("prox2", "E ||y^t - theta*_gamma(z^t)||^2", p.AREA, **NONNEG)

_te, _ty, _tx = (p.tau * eta**2 for eta in (p.eta_theta, p.eta_y, p.eta_x))
_noise_f = p.sig_f**2 / p.c_t**2 + p.sig_g**2
_rest_y = 4 * _ty * p.L_f**2 / p.c_t**2 + 10 * _ty * p.L_g**2 + 12 * p.G2 * _ty * p.gap2
FACTORS = {a: 12 * _ty / p.gamma**2, b: 6 * _te / p.gamma**2, e: 6 * _te * p.G2}
FROM_67 = _te * p.sig_g**2 + 6 * _te * p.L_2**2 * p.D_x + 4 * _te * p.Het**2 + 4 * _te * p.G2 * p.gap2
#: As (65) prints it, and as (69) has it.
FROM_65 = 2 * _ty * (p.sig_f**2 + p.sig_g**2) + _rest_y
FROM_69 = 2 * _ty * _noise_f + _rest_y
DRIFT_WHERE = {**FACTORS, A_d: FROM_67, B_d: FROM_69}

_noise_x = 3 * _tx * (p.sig_f**2 / p.c_t**2 + 2 * p.sig_g**2)
_slope_x = 3 * _tx * (p.L_f**2 / p.c_t**2 + 2 * p.L_g**2)
_THETA = le(p.D_theta, ((1 - a) / b * A_d + B_d) / ((1 - a) * (1 - e) / b - a))
_Y = le(p.D_y, (a / (1 - e) * A_d + B_d) / (1 - a - a * b / (1 - e)))
SMALL_Y = p.H_("a<=1/3", "12 tau eta_y^2/gamma^2 <= 1/3", le(FACTORS[a], _third))
SMALL_THETA = p.H_("e<=1/3", "6 tau eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3", le(FACTORS[e], _third))
SMALL = (SMALL_Y, SMALL_THETA)
SMALL_STEPS = Switch(
    "client_steps",
    "any",
    "small",
    "for larger steps the denominators are negative or zero",
    adding=SMALL,
    origin="after Lemma D.7, where proper steps are chosen",
)
LIPSCHITZ = Switch(
    "L_g",
    "bounds slopes in x",
    "bounds slopes in (x, y)",
    "the proof bounds gradients of g_i in y by L_g, too, and Assumption 3.2 (i) says it for each y",
    adding=(p.G_LIPSCHITZ_XY,),
)
LEMMA_D7 = p.claim(
    "lemD.7",
    "Lemma D.7",
    Kind.INEQUALITY,
    "Delta_x <= 3 eta_x^2 tau (sigma_f^2/c^2 + 2 sigma_g^2) + 3 eta_x^2 tau (L_f^2/c^2 + 2 L_g^2); Delta_theta <= "
    "[((1-a)/b) A + B]/[(1-a)(1-e)/b - a]; Delta_y <= [(a/(1-e)) A + B]/[(1-a) - a b/(1-e)], with a = 12 tau "
    "eta_y^2/gamma^2, b = 6 tau eta_theta^2/gamma^2, e = 6 tau eta_theta^2 (L_2^2 + 1/gamma^2), A = eta_theta^2 tau "
    "sigma_g^2 + 6 tau eta_theta^2 L_2^2 Delta_x + 4 eta_theta^2 tau Delta^2 + 4 tau eta_theta^2 (1/gamma^2 + L_2^2) "
    "gap^2, B = 2 eta_y^2 tau (sigma_f^2 + sigma_g^2) + 4 tau eta_y^2 L_f^2/c^2 + 10 tau eta_y^2 L_g^2 + 12 "
    "(1/gamma^2 + L_2^2) eta_y^2 tau gap^2",
    every(le(p.D_x, _noise_x + _slope_x), _THETA, _Y),
    equation="65",
    title="Client drifts in one round",
    hypotheses=p.RUN,
    where={**FACTORS, A_d: FROM_67, B_d: FROM_65},
    follows_from=("st-66..69", "st-70..74"),
    switches=(SMALL_STEPS, LIPSCHITZ),
    note="False for three reasons: the square of a sum of k directions is k times a sum of squares, and k^2 without "
    "noise; where a constraint is active at theta*, local steps, which are not projected, leave it; and L_g does not "
    "bound gradients in y.",
)

# --- a local path: its mean square distance from the start, by the directions along it


def _squares(of: str, what: str) -> sp.Symbol:
    """The mean square of a direction without noise."""
    latex = rf"\overline{{\|\tilde h_{{{what},i,k}}\|^2}}"
    says = f"mean over clients and local steps of E ||direction of {of} without noise||^2"
    return declare(f"dir2_{of}", says, p.FORCE2, latex=latex, **NONNEG)


x, y, t, s, xk, yk, tk, gy, gyi, hy, hyi, sy = vectors("x y t s xk yk tk gy gyi hy hyi sy")
fxk, fyk, gxk, gyk, hxk, hyk = vectors("fxk fyk gxk gyk hxk hyk")
efx, efy, egx, egy, etx, ety = vectors("efx efy egx egy etx ety")
k = sp.Symbol("k", integer=True, nonnegative=True)
#: Each noise: its sample, the noise of a whole gradient that it is a part of, and the bound on the variance of that.
NOISES = {
    **dict.fromkeys(("efx", "efy"), ("xi", "e_f", p.sig_f**2)),
    **dict.fromkeys(("egx", "egy"), ("zeta", "e_g", p.sig_g**2)),
    **dict.fromkeys(("etx", "ety"), ("zeta", "e_t", p.sig_g**2)),
}
NOISE_WORDS = {
    f"e{of}{k}": f"the noise of grad_{k} {at}"
    for of, at in {
        "f": "f_i at the local (x, y)",
        "g": "g_i at the local (x, y)",
        "t": "g_i at the local (x, theta)",
    }.items()
    for k in "xy"
}
WHOLE = {"e_f": efx + efy, "e_g": egx + egy, "e_t": etx + ety}
NOISE = {"x": efx / p.c_t + egx - etx, "y": efy / p.c_t + egy, "theta": ety}
DIRECTION = {
    "x": fxk / p.c_t + gxk - hxk,
    "y": fyk / p.c_t + gyk + (tk - yk) / p.gamma,
    "theta": hyk + (tk - yk) / p.gamma,
}
#: The change of a local iterate, its step, its drift, and the mean square of its directions.
_MOVES = {
    "x": (xk - x, p.eta_x, p.D_x, dir2_x := _squares("x", "x")),
    "y": (yk - y, p.eta_y, p.D_y, dir2_y := _squares("y", "y")),
    "theta": (tk - t, p.eta_theta, p.D_theta, dir2_theta := _squares("theta", r"\theta")),
}
#: The local step at which ``k`` steps are done, for a client drawn with its weight. ``drift(k)`` is the mean square
#: distance from the start, ``length(k)`` the sum of the squared directions before; ``nx, ny, nt`` are the noises.
LOCAL_STEP = r.wider(
    replace(
        r.ROUND,
        depends={name: on.replace(" step", "") for name, on in r.ROUND.depends.items()},
        sizes={"client": p.n},
        within={},
    ),
    depends={name: f"past client before {sample}" for name, (sample, *_) in NOISES.items()},
    sums={"nx": NOISE["x"], "ny": NOISE["y"], "nt": NOISE["theta"], **WHOLE},
    words={**{f"{k}k": f"the local iterate of {of} after k steps" for k, of in r.NAMES.items()}, **NOISE_WORDS},
)
_weight = 1 / (2 * k + 1)


def each_noise(names: Iterable[str]) -> tuple[Step, ...]:
    """The bounds on the variances of noises in x or y, those of whole gradients."""
    told = [(name, *NOISES[name]) for name in names]
    return tuple(
        have(name, le(norm2(vectors(name)[0]), most), by=[written_out(whole), variance(whole)])
        for name, _, whole, most in told
    )


def _path(of: str) -> Claim:
    """That the drift is at most ``(tau - 1) eta^2`` times ``tau`` times the mean square of the direction, and noise."""
    away, step, drifts, squares = _MOVES[of]
    drift, length = (sp.Function(f"{name}_{of}", nonnegative=True) for name in ("drift", "length"))
    squares_of = {e: c**2 for e, c in NOISE[of].terms}
    spread = len(squares_of) * sp.Add(*(c * NOISES[e][2] for e, c in squares_of.items()))
    (noise,) = vectors(f"n{of[0]}")
    along = norm2(away - step * DIRECTION[of])
    return p.claim(
        f"lemD.7.{of}",
        "Lemma D.7",
        Kind.INEQUALITY,
        f"Delta_{of} <= (tau - 1) eta_{of}^2 (tau times the mean square of the directions + the variance of one)",
        le(drifts, (p.tau - 1) * step**2 * (p.tau * squares + spread)),
        hypotheses=(p.F_NOISE, p.G_NOISE, p.WEIGHTS, p.METHOD),
        setting=replace(
            LOCAL_STEP,
            metrics={
                drift(k): norm2(away),
                drift(k + 1): norm2(away - step * (DIRECTION[of] + noise)),
                length(k + 1): length(k) + norm2(DIRECTION[of]),
            },
            sequences={
                drifts: sp.Sum(drift(k), (k, 0, p.tau - 1)) / p.tau,
                squares: length(p.tau) / p.tau,
                drift(0): sp.S.Zero,
                length(0): sp.S.Zero,
                **{f(i): f(i) for f in (drift, length) for i in (k, k + 1)},
            },
            measured=(drifts, squares),
            fixed=(step, p.c_t, p.tau),
        ),
        proof=Proof(
            *each_noise(squares_of),
            have(
                "the noises",
                le(norm2(NOISE[of]), spread),
                by=[*squares_of],
                multipliers=[len(squares_of) * c for c in squares_of.values()],
            ),
            have("the noise", le(norm2(noise), spread), by=["the noises", written_out(f"n{of[0]}")]),
            have("it is orthogonal", le(drift(k + 1), along + step**2 * norm2(noise)), by=[fresh(f"n{of[0]}")]),
            have(
                "one local step",
                le(
                    drift(k + 1),
                    (1 + _weight) * drift(k) + step**2 * (2 * (k + 1) * (length(k + 1) - length(k)) + spread),
                ),
                by=["it is orthogonal", "the noise"],  # and by Young's inequality
                multipliers=[1, step**2],
            ),
            have("longer", le(length(k), length(k + 1))),
            induct(
                "all local steps",
                le(drift(k), step**2 * 2 * k * (length(k) + spread)),
                over=k,
                base=[SEQUENCES],
                by=["one local step", "longer", SEQUENCES],
            ),
            have(
                "at one step",
                le(drift(k), step**2 * (k * (k + 1) * length(k + 1) - k * (k - 1) * length(k) + 2 * k * spread)),
                by=["all local steps", "longer", SEQUENCES],
                when=[ge(k, 0)],
                multipliers=[1, k * (k + 1) * step**2],
            ),
            summed("the round", "at one step", over=k, start=0, last=p.tau - 1),
            qed(by=["the round", SEQUENCES], multipliers=[1 / p.tau]),
        ),
    )


PATH_X, PATH_Y, PATH_THETA = map(_path, _MOVES)
_PATHS = tuple(path.setting for path in (PATH_X, PATH_Y, PATH_THETA) if path.setting)
#: The mean squares of the directions.
DIRECTIONS = r.wider(
    r.ROUND,
    metrics={**{squares: norm2(DIRECTION[of]) for of, (*_, squares) in _MOVES.items()}, prox2: norm2(y - s)},
    sequences={metric: term for path in _PATHS for metric, term in path.sequences.items() if metric.is_Symbol},
    others=_PATHS,
)
_square_x = 3 * (p.L_f**2 / p.c_t**2 + 2 * p.L_g**2)
#: The metrics of these claims as numbers, for proofs that only cite them.
AS_NUMBERS = Setting(
    sequences=DIRECTIONS.sequences, measured=(p.D_x, p.D_y, p.D_theta, p.gap2, prox2), others=(DIRECTIONS,)
)
_GRADIENTS = (("f_i", "local", fxk, p.L_f), ("g_i", "local", gxk, p.L_g), ("g_i", "local theta", hxk, p.L_g))
SQUARE_X = (
    *(have(f"{f} {at}", le(norm2(gradient), L**2), by=[bounded(f, at)]) for f, at, gradient, L in _GRADIENTS),
    have(
        "the direction of x",
        le(dir2_x, _square_x),
        by=[f"{f} {at}" for f, at, *_ in _GRADIENTS],
        multipliers=[3 / p.c_t**2, 3, 3],
    ),
)
DRIFT_X = amended(
    LEMMA_D7,
    "the square of a sum of k directions is at most k times the sum of their squares, so tau^2 for tau in the terms "
    "without noise; shown of Delta_x",
    text="Delta_x <= 3 eta_x^2 tau (sigma_f^2/c^2 + 2 sigma_g^2) + 3 eta_x^2 tau^2 (L_f^2/c^2 + 2 L_g^2)",
    statement=le(p.D_x, _noise_x + p.tau * _slope_x),
    hypotheses=(p.F_LIPSCHITZ, p.F_NOISE, p.G_LIPSCHITZ, p.G_NOISE, p.WEIGHTS, p.METHOD),
    where={},
    follows_from=(),
    note="For Delta_theta and Delta_y see mefbo.st-66..69.corrected, and for small steps mefbo.lemD.7-simp.corrected.",
    setting=DIRECTIONS,
    proof=Proof(
        *SQUARE_X,
        qed(by=[cite(PATH_X), SEQUENCES, "the direction of x"], multipliers=[1, p.tau * (p.tau - 1) * p.eta_x**2]),
    ),
)

# --- the steps of the proof, and the simplified bounds (75), (76)

ST_66_RELATIONS = (le(p.D_theta, A_d + e * p.D_theta + b * p.D_y), le(p.D_y, B_d + a * p.D_theta + a * p.D_y))
#: (75) and (76) hide the drift of x, of order tau eta_x^2, in a constant.
X_DRIFT = p.H_("x_drift", "36 L_2^2 Delta_x <= tau eta_x^2 O(1)", le(36 * p.L_2**2 * p.D_x, _tx * p.O_x))
ST_66 = p.claim(
    "st-66..69",
    "proof of Lemma D.7",
    Kind.INEQUALITY,
    "Delta_theta <= A + e Delta_theta + b Delta_y (67) and Delta_y <= B + a Delta_theta + a Delta_y (69)",
    every(*ST_66_RELATIONS),
    equation="67",
    title="The coupled drifts of y and theta",
    hypotheses=p.RUN,
    where=DRIFT_WHERE,
    switches=(NO_CONSTRAINT, LIPSCHITZ),
    note="For the three reasons of Lemma D.7.",
)
_te2, _ty2 = p.tau * _te, p.tau * _ty
_in_theta = LOCAL_CHANGE + (hyi - hy) + SERVER_CHANGE
_in_y = fyk / p.c_t + (gyk - gyi) + (gyi - gy) + (gy - sy) + (tk - t - (yk - y)) / p.gamma + (t - s) / p.gamma
_three = 2 * (3 * DRIFTS + p.Het**2 + 2 * p.G2 * p.gap2)
_six = 6 * (
    p.L_f**2 / p.c_t**2
    + p.L_2**2 * (p.D_x + p.D_y)
    + p.Het**2
    + p.L_2**2 * prox2
    + 2 / p.gamma**2 * (p.D_theta + p.D_y)
    + p.gap2 / p.gamma**2
)
ST_66_CORRECTED = amended(
    ST_66,
    "the square of a sum of k directions is at most k times the sum of their squares, so tau^2 for tau in the terms "
    "without noise; the gradient at theta* is zero only where no constraint is active; L_g does not bound gradients "
    "in y, which the distance of y from theta* and the heterogeneity do",
    text="For Y the whole space: Delta_theta <= tau eta_theta^2 sigma_g^2 + tau^2 eta_theta^2 (6 L_2^2 Delta_x + 6 "
    "(L_2^2 + 1/gamma^2) Delta_theta + (6/gamma^2) Delta_y + 2 Delta^2 + 4 (L_2^2 + 1/gamma^2) gap^2) and Delta_y <= 2 "
    "tau eta_y^2 (sigma_f^2/c^2 + sigma_g^2) + 6 tau^2 eta_y^2 (L_f^2/c^2 + L_2^2 (Delta_x + Delta_y) + Delta^2 + "
    "L_2^2 ||y - theta*||^2 + (2/gamma^2) (Delta_theta + Delta_y) + gap^2/gamma^2)",
    statement=every(le(p.D_theta, _te * p.sig_g**2 + _te2 * _three), le(p.D_y, 2 * _ty * _noise_f + _ty2 * _six)),
    hypotheses=(*p.RUN, FREE_Y),
    where={},
    note="The direction of theta is one change of three terms, one of the client from the mean, which is orthogonal to "
    "the rest in the mean over the clients, and the one of the gap; that of y is a sum of six.",
    setting=DIRECTIONS,
    proof=Proof(
        section("The directions of theta"),
        *GRADIENT,
        have("dissimilarity", le(norm2(hyi - hy), p.Het**2), by=[dissimilar("g_i", "theta")]),
        have("no heterogeneity", eq(dot(hyi - hy, SERVER_CHANGE), 0), by=[mean("hy")]),
        have(
            "three parts",
            le(norm2(_in_theta), _three),
            by=["a local step", "dissimilarity", "at the server's point", "no heterogeneity"],
            multipliers=[2, 2, 2, -4],
        ),
        section("The drift of theta"),
        have("from theta*", le(dir2_theta, norm2(_in_theta)), by=[stationary("M"), written_out("m")]),
        have("the path of theta", PATH_THETA.statement, by=[cite(PATH_THETA), SEQUENCES]),
        qed(
            by=["the path of theta", "from theta*", "three parts"],
            multipliers=[1, *[p.tau * (p.tau - 1) * p.eta_theta**2] * 2],
        ),
        section("The directions of y"),
        have("gradients of f", le(norm2(fyk), p.L_f**2), by=[bounded("f_i", "local")]),
        have("change of grad g", le(norm2(gyk - gyi), p.L_2**2 * (p.D_x + p.D_y)), by=[lipschitz("g_i", "local", "z")]),
        have("dissimilarity at y", le(norm2(gyi - gy), p.Het**2), by=[dissimilar("g_i", "z")]),
        have("from y to theta*", le(norm2(gy - sy), p.L_2**2 * prox2), by=[lipschitz("G", "z", "theta*")]),
        have(
            "six parts",
            le(norm2(_in_y), _six),
            by=["gradients of f", "change of grad g", "dissimilarity at y", "from y to theta*"],
            multipliers=[6 / p.c_t**2, 6, 6, 6],
        ),
        section("The drift of y"),
        have("from theta* to y", le(dir2_y, norm2(_in_y)), by=[stationary("M"), written_out("m")]),
        have("the path of y", PATH_Y.statement, by=[cite(PATH_Y), SEQUENCES]),
        qed(
            by=["the path of y", "from theta* to y", "six parts"],
            of=1,
            multipliers=[1, *[p.tau * (p.tau - 1) * p.eta_y**2] * 2],
        ),
    ),
)


def _sums(of: str, latex: str) -> tuple[sp.Symbol, ...]:
    """Mean squared sums of noises and of directions without, given the local iterate, and given the start."""
    told = {
        "noise2": (f"sum_{{j<k}} (h_{of} - htilde_{of})", rf"h_{{{latex},i}}-\tilde h_{{{latex},i}}"),
        "mean2": (f"sum_{{j<k}} htilde_{of}", rf"\tilde h_{{{latex},i}}"),
    }
    return tuple(
        declare(
            f"run_{name}{start}_{of}",
            f"sum_i w_i (1/tau) sum_k E||{says}||^2{', htilde = E[h]' if start else ''}",
            p.FORCE2,
            latex=rf"\overline{{\|\textstyle\sum_{{j<k}}{shown}\|^2}}{'^{,0}' if start else ''}",
            **NONNEG,
        )
        for start in ("", "_start")
        for name, (says, shown) in told.items()
    )


_DROPPED = (
    "the noise of a local step moves the mean of the next one, so their product need not vanish in sums of two steps"
)


def _split(
    cid: str, place: str, equation: str, of: str, latex: str, *, without_mean: bool = False
) -> tuple[Claim, Claim]:
    """The equality that splits a drift into noises and means, printed with 1/tau or without, and what holds of it."""
    drift, step = {"x": (p.D_x, p.eta_x), "y": (p.D_y, p.eta_y), "theta": (p.D_theta, p.eta_theta)}[of]
    noise, means, noise_start, means_start = _sums(of, latex)
    with_mean = eq(drift, step**2 * (noise + means))
    slip = misprint("1/tau", "the next line has 1/tau again", with_mean, "the line after it")
    printed = p.claim(
        cid,
        "proof of Lemma D.7",
        Kind.IDENTITY,
        f"Delta_{of} = eta_{of}^2 sum_i w_i {'' if without_mean else '(1/tau) '}sum_k (E||sum_{{j<k}} (htilde_{of} - "
        f"h_{of})||^2 + E||sum_{{j<k}} htilde_{of}||^2), {place}",
        eq(drift, p.tau * step**2 * (noise + means)) if without_mean else with_mean,
        equation=equation,
        title=f"Noise and mean in the drift of {of}",
        hypotheses=p.RUN,
        switches=(
            *((slip,) if without_mean else ()),
            Switch(
                "htilde",
                "the mean of h given the local iterate",
                "its mean given the start of the round",
                "what follows writes htilde as the gradient at the local iterate",
                substitute={noise: noise_start, means: means_start},
                origin="(28), where htilde = E[h]",
            ),
        ),
        note="As at (58), false from two summands on. With the mean given the start of the round it is true, and the "
        "first term is no longer bounded by the variances.",
    )
    N, M = vectors(f"nsum_{of} msum_{of}")
    return printed, amended(
        printed,
        (_DROPPED, slip.why) if without_mean else _DROPPED,
        text=f"Delta_{of} is at most twice the right side{', with 1/tau' if without_mean else ''}",
        statement=le(drift, 2 * step**2 * (noise + means)),
        hypotheses=(p.METHOD,),
        note="",
        setting=Setting(
            depends={f"nsum_{of}": r.LOCAL, f"msum_{of}": r.LOCAL},
            metrics={drift: step**2 * norm2(N + M), noise: norm2(N), means: norm2(M)},
            words={
                f"nsum_{of}": f"the sum of h_{of} - htilde_{of} over the local steps before",
                f"msum_{of}": f"the sum of htilde_{of} over them",
            },
        ),
        proof=Proof(
            have("twice", le(norm2(N + M), 2 * norm2(N) + 2 * norm2(M))), qed(by=["twice"], multipliers=[step**2])
        ),
    )


SPLIT_X, SPLIT_X_CORRECTED = _split("lemD.7.split", "at the start of the proof", "", "x", "x", without_mean=True)
SPLIT_THETA, SPLIT_THETA_CORRECTED = _split("st-66..69.66", "in (66)", "66", "theta", r"\theta")
SPLIT_Y, SPLIT_Y_CORRECTED = _split("st-66..69.68", "in (68)", "68", "y", "y")
_POSITIVE = p.H_("determinant", "(1 - a)(1 - e) > a b", sp.Gt((1 - a) * (1 - e) - a * b, 0, evaluate=False))
_BELOW = (p.H_("a<1", "a < 1", sp.Lt(a, 1, evaluate=False)), p.H_("e<1", "e < 1", sp.Lt(e, 1, evaluate=False)))
_COUPLED = (
    p.H_("(67)", "Delta_theta <= A + e Delta_theta + b Delta_y", ST_66_RELATIONS[0]),
    p.H_("(69)", "Delta_y <= B + a Delta_theta + a Delta_y", ST_66_RELATIONS[1]),
)
ST_70 = p.claim(
    "st-70..74",
    "proof of Lemma D.7",
    Kind.INEQUALITY,
    "(67) and (69) give Delta_theta <= [((1-a)/b) A + B]/[(1-a)(1-e)/b - a] and Delta_y <= [(a/(1-e)) A + B]/[(1-a) - "
    "a b/(1-e)]",
    every(_THETA, _Y),
    equation="73",
    title="The coupled drifts solved",
    hypotheses=(*_COUPLED, *_BELOW, _POSITIVE),
    where=DRIFT_WHERE,
    follows_from=("st-66..69",),
    note="For a, e < 1 and (1 - a)(1 - e) > a b, which the paper has from small steps.",
    setting=Setting(measured=(p.D_y, p.D_theta)),
    proof=Proof(
        *(have(h.key, h.relation) for h in _COUPLED),
        have(
            "theta, without fractions",
            le(((1 - a) * (1 - e) - a * b) * p.D_theta, (1 - a) * A_d + b * B_d),
            by=["(67)", "(69)"],
            multipliers=[1 - a, b],
        ),
        have(
            "y, without fractions",
            le(((1 - a) * (1 - e) - a * b) * p.D_y, a * A_d + (1 - e) * B_d),
            by=["(67)", "(69)"],
            multipliers=[a, 1 - e],
        ),
        have("b", ge(b * p.gamma**2, 6 * _te), by=[unfold(b)]),
        qed(by=["y, without fractions"], multipliers=[1 / ((1 - a) * (1 - e) - a * b)]),
        qed(by=["theta, without fractions", "b"], of=1, multipliers=[1 / ((1 - a) * (1 - e) - a * b)]),
    ),
)
_FRACTION_75, _FRACTION_76 = 1 / ((1 - a) * (1 - e) / b - a), 1 / (1 - a - a * b / (1 - e))
_SMALL_AE = (
    have("a", le(a, _third), by=[unfold(a)]),
    have("e", le(e, _third), by=[unfold(e)]),
    have("b and e", le(b, e), by=[unfold(b, e)]),
)
ST_75A = p.claim(
    "st-75a",
    *_STEP_OF,
    "1/[(1-a)(1-e)/b - a] <= 2, and <= 3 after multiplication by (1-a)/b, for a, e <= 1/3",
    every(le(_FRACTION_75, 2), le(_FRACTION_75 * (1 - a) / b, 3)),
    equation="75",
    title="The first coefficient for small steps",
    hypotheses=SMALL,
    where=FACTORS,
    proof=Proof(
        *_SMALL_AE,
        have("the determinant", ge((1 - a) * (1 - e) - a * b, b), by=["a", "e", "b and e"]),
        *(qed(by=["a", "e", "b and e", "the determinant"], of=part) for part in (0, 1)),
    ),
)
ST_76A = p.claim(
    "st-76a",
    *_STEP_OF,
    "1/[(1-a) - a b/(1-e)] <= 1 + 2 a/(1-e) <= 2 for a, e <= 1/3",
    every(le(_FRACTION_76, 1 + 2 * a / (1 - e)), le(1 + 2 * a / (1 - e), 2)),
    equation="76",
    title="The second coefficient for small steps",
    hypotheses=SMALL,
    where=FACTORS,
    proof=Proof(*_SMALL_AE, *(qed(by=["a", "e", "b and e"], of=part) for part in (0, 1))),
)
_f = p.L_f**2 / p.c_t**2
_left = _te * _tx * p.O_x
_gap_75 = 24 * p.G2 * (_te + _ty) * p.gap2
_gap_76 = p.G2 * (8 * _te + 12 * _ty) * p.gap2
BOUND_75 = _gap_75 + _te * (6 * p.sig_g**2 + 24 * p.Het**2) + _ty * (8 * _noise_f + 8 * _f + 20 * p.L_g**2) + _left
BOUND_76 = _gap_76 + _te * (2 * p.sig_g**2 + 8 * p.Het**2) + _ty * (4 * _noise_f + 8 * _f + 2 * p.L_g**2) + _left
#: With the coefficients that twice ``A + B`` gives.
MENDED_76 = BOUND_76 + 12 * p.G2 * _ty * p.gap2 + 18 * _ty * p.L_g**2
LEMMA_D7_SIMP = p.claim(
    "lemD.7-simp",
    *_STEP_OF,
    "For a, e <= 1/3: Delta_theta <= 2 {3 A + B} <= 24 (1/gamma^2 + L_2^2) tau (eta_y^2 + eta_theta^2) gap^2 + tau "
    "eta_theta^2 (6 sigma_g^2 + 24 Delta^2) + tau eta_y^2 (8 (sigma_f^2/c^2 + sigma_g^2) + 8 L_f^2/c^2 + 20 L_g^2) + "
    "tau eta_theta^2 tau eta_x^2 O(1); Delta_y <= 2 {A + B} <= (1/gamma^2 + L_2^2) tau (8 eta_theta^2 + 12 eta_y^2) "
    "gap^2 + tau eta_theta^2 (2 sigma_g^2 + 8 Delta^2) + tau eta_y^2 (4 (sigma_f^2/c^2 + sigma_g^2) + 8 L_f^2/c^2 + 2 "
    "L_g^2) + tau eta_theta^2 tau eta_x^2 O(1)",
    every(le(p.D_theta, 2 * (3 * A_d + B_d)), le(p.D_theta, BOUND_75), le(p.D_y, 2 * (A_d + B_d)), le(p.D_y, BOUND_76)),
    equation="75",
    title="Drifts for small client steps",
    hypotheses=(*p.RUN, *SMALL, X_DRIFT),
    where=DRIFT_WHERE,
    follows_from=("lemD.7", "st-75a", "st-76a", "st-75b/76b"),
    switches=(NO_CONSTRAINT, LIPSCHITZ),
    note="For the three reasons of Lemma D.7. The symbol O(1) is one number here in both bounds.",
)
SMALL_SQUARES = (
    p.H_("e tau<=1/3", "6 tau^2 eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3", le(6 * _te2 * p.G2, _third)),
    p.H_("a tau<=1/3", "12 tau^2 eta_y^2 (L_2^2 + 1/gamma^2) <= 1/3", le(12 * _ty2 * p.G2, _third)),
)
_no_drift = {p.D_theta: sp.S.Zero, p.D_y: sp.S.Zero}
_A, _B = (bound.rhs.subs(_no_drift) for bound in conjuncts(ST_66_CORRECTED.statement))
LEMMA_D7_SIMP_CORRECTED = amended(
    LEMMA_D7_SIMP,
    Reason(ST_66_CORRECTED.why[0].text, "mefbo.st-66..69"),
    text="For Y the whole space, 6 tau^2 eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3 and 12 tau^2 eta_y^2 (L_2^2 + "
    "1/gamma^2) <= 1/3: Delta_theta <= 2 A + B and Delta_y <= A + 2 B, where A and B are the right sides of the "
    "corrected (67) and (69) without the drifts of theta and y",
    statement=every(le(p.D_theta, 2 * _A + _B), le(p.D_y, _A + 2 * _B)),
    hypotheses=(*ST_66_CORRECTED.hypotheses, *SMALL_SQUARES),
    where={},
    follows_from=("st-66..69.corrected",),
    note="The corrected (67) and (69) give (2/3) Delta_theta <= A + Delta_y/3 and (2/3) Delta_y <= B + Delta_theta/3.",
    setting=AS_NUMBERS,
    proof=Proof(
        *(
            have(h.key, bound, by=[cite(ST_66_CORRECTED.id), SEQUENCES])
            for h, bound in zip(_COUPLED, conjuncts(ST_66_CORRECTED.statement), strict=True)
        ),
        have("theta", le(2 * p.D_theta, 3 * _A + p.D_y), by=["(67)"]),
        have("y", le(2 * p.D_y, 3 * _B + p.D_theta), by=["(69)"]),
        *(qed(by=["theta", "y"], of=part) for part in (0, 1)),
    ),
)
_DOUBLED = "twice 12 and twice 10 are 24 and 20 in (76)"
_AS_DOUBLED = "24 eta_y^2 for 12 eta_y^2 and 20 L_g^2 for 2 L_g^2 in (76)"
_FIRST_LINE = "(76), whose second line is the expansion of its first"
_MENDED_75 = every(le(2 * (3 * A_d + B_d), BOUND_75), le(2 * (A_d + B_d), MENDED_76))
ST_75B = p.claim(
    "st-75b/76b",
    *_STEP_OF,
    "2 {3 A + B} and 2 {A + B} are at most the last lines of (75) and (76)",
    every(le(2 * (3 * A_d + B_d), BOUND_75), le(2 * (A_d + B_d), BOUND_76)),
    title="Expansion of the simplified drifts",
    hypotheses=(X_DRIFT,),
    where=DRIFT_WHERE,
    switches=(misprint(_AS_DOUBLED, _DOUBLED, _MENDED_75, _FIRST_LINE),),
    note="2 B has 24 (1/gamma^2 + L_2^2) eta_y^2 tau gap^2 and 20 tau eta_y^2 L_g^2, where (76) has 12 and 2.",
)
ST_75B_CORRECTED = restated(
    ST_75B,
    text=f"As printed with {_AS_DOUBLED}",
    note="",
    setting=Setting(measured=(p.D_x, p.gap2)),
    proof=Proof(
        have("the drift of x", X_DRIFT.relation),
        *(qed(by=["the drift of x", unfold(A_d, B_d)], of=part) for part in (0, 1)),
    ),
)
CLAIMS = (
    LEMMA_D7, DRIFT_X, SPLIT_X, SPLIT_X_CORRECTED, LEMMA_D7_SIMP, LEMMA_D7_SIMP_CORRECTED, ST_66, ST_66_CORRECTED,
    SPLIT_THETA, SPLIT_THETA_CORRECTED, SPLIT_Y, SPLIT_Y_CORRECTED, ST_70, ST_75A, ST_76A, ST_75B, ST_75B_CORRECTED,
)  # fmt: skip
