"""The rates where X and Y are whole spaces: nothing but the drift of local steps stays.

With ``D(z, theta) = G(x, theta) + ||theta - y||^2/(2 gamma) - v_gamma(z) >= 0`` in the place of ``K gap^2``, the
Lyapunov function ``Phi + D`` is smooth in all variables. Of a step that is not projected, noise and the drawing of
clients then enter with its square. For ``a = grad Phi``, ``b = grad_z D`` and ``d = grad_theta D`` the mean directions
are ``a - b`` and ``d``, and ``<a + b, a - b> = ||a||^2 - ||b||^2``, where ``||b||`` is at most a multiple of ``||d||``.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Attained
from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d7, lemma_d8
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import one_round as r
from rateproof.theory.papers.mefbo import theorem_d11 as d
from rateproof.theory.papers.mefbo.lemma_d6 import LOCAL_CHANGE
from rateproof.theory.papers.mefbo.lemma_g1 import FREE
from rateproof.theory.papers.mefbo.one_round import LOCAL, f_z, g_p, g_s, g_t, g_z, inside
from rateproof.theory.papers.mefbo.schedules import BY_KEY
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    NormalCone,
    Part,
    Proof,
    SampleMean,
    Setting,
    Step,
    bounded,
    cite,
    dissimilar,
    fresh,
    have,
    infimum,
    lipschitz,
    mean,
    projection,
    qed,
    rewritten,
    sampling,
    section,
    smooth,
    stationary,
    unfold,
    unprojected,
    variance,
    written_out,
)
from rateproof.theory.shorthand import eq, every, ge, gt, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER

_R = sp.Rational
_PLACE = ("proof of Theorem D.11", Kind.INEQUALITY)

# --- what is measured

Lam_t = p.declare("Lam_t", "E [Phi_{c_t} + D] at the start of a round", INNER, latex=r"\Lambda_t", **NONNEG)
Lam_end = p.formula("Lam_end", "E [Phi_{c_{t+1}} + D] at the end of a round", INNER)
slope2 = p.formula("slope2", "E ||grad Phi_{c_t}(z^t)||^2", p.FORCE2, **NONNEG)
pull2 = p.formula("pull2", "E ||grad_theta D(z^t, theta^t)||^2", p.FORCE2, **NONNEG)
step_theta = p.formula("step_theta", "E ||theta^{t+1} - theta^t||^2", p.AREA, **NONNEG)

_beta = p.beta_max / p.P
_all = 2 * slope2 + 2 * p.G2 * p.gap2
_spread = _beta * p.B_P
_drift = p.D_x + p.D_y + p.D_theta
CURVED = p.L_1 / p.c_t + p.L_2 + 4 / p.gamma
CURVED_THETA = p.L_2 + 2 / p.gamma
APART = 3 * p.L_f**2 / p.c_t**2 + 6 * p.L_g**2 + 2 * p.Het**2
NOISE = 3 * p.sig_f**2 / p.c_t**2 + 6 * p.sig_g**2
VARIED = _spread * APART + _beta / p.tau * NOISE
VARIED_THETA = _spread * p.Het**2 + _beta / p.tau * p.sig_g**2
#: Bounds on the mean square changes of a client's directions along its local steps.
CHANGED = 4 * (p.RATIO + 1 / p.gamma**2) * _drift
CHANGED_THETA = 3 * p.G2 * _drift

# --- one round in vectors

x, y, t, s, m, xp, yp, tp, sp_ = vectors("x y t s m xp yp tp sp")
fx, fy, gx, gy, hx, hy, sx, sy = vectors("fx fy gx gy hx hy sx sy")
fxi, fyi, gxi, gyi, hxi, hyi = vectors("fxi fyi gxi gyi hxi hyi")
fxk, fyk, gxk, gyk, hxk, hyk, yk, tk = vectors("fxk fyk gxk gyk hxk hyk yk tk")
fxp, fyp, gxp, gyp, pxp = vectors("fxp fyp gxp gyp pxp")
f_e, g_e, g_te, F_inf = sp.symbols("f_e g_e g_te F_inf", real=True)
_away = (t - y) / p.gamma
#: By variable: the direction of a client at the server's point, and what local steps change in it.
_OWN = {"x": fxi / p.c_t + gxi - hxi, "y": fyi / p.c_t + gyi + _away, "t": hyi + _away}
_CHANGE = {
    "x": (fxk - fxi) / p.c_t + (gxk - gxi) - (hxk - hxi),
    "y": (fyk - fyi) / p.c_t + (gyk - gyi) - (yk - y - (tk - t)) / p.gamma,
    "t": LOCAL_CHANGE,
}
#: The same in the mean over the clients, and the gradients a of Phi and of Phi + D.
_MEAN = {"x": fx / p.c_t + gx - hx, "y": fy / p.c_t + gy + _away, "t": hy + _away}
_SLOPE = {"x": fx / p.c_t + gx - sx, "y": fy / p.c_t + gy - (y - s) / p.gamma}
_UPHILL = {"x": _SLOPE["x"] + hx - sx, "y": _SLOPE["y"] + (s - t) / p.gamma, "t": _MEAN["t"]}
_NOISES = {
    "x": {"efx": 1 / p.c_t, "egx": sp.S.One, "etx": -sp.S.One},
    "y": {"efy": 1 / p.c_t, "egy": sp.S.One},
    "t": {"ety": sp.S.One},
}
_STEPS = {
    "x": (p.lambda_x, x, xp, ("X", "x+")),
    "y": (p.lambda_y, y, yp, ("Y", "y+")),
    "t": (p.lambda_theta, t, tp, ("Y", "theta+")),
}


def _v(name: str) -> Vector:
    """A basic vector by name."""
    return vectors(name)[0]


_each = {f"{e}_c": Mean(e, "step") for e in lemma_d7.NOISES}
_sampled = {f"{e}_s": SampleMean(f"{e}_c", "client", "sample") for e in lemma_d7.NOISES}
_grad_end = fxp / p.c_t + gxp - pxp + fyp / p.c_t + gyp - (yp - sp_) / p.gamma
_nearest = _v("nsx") + _v("nsy")
_value, _value_end = g_s + norm2(s - y) / (2 * p.gamma), g_p + norm2(sp_ - yp) / (2 * p.gamma)
_prox, _prox_end = g_t + norm2(t - y) / (2 * p.gamma), g_te + norm2(tp - yp) / (2 * p.gamma)
_reached = {k: start - size * _v(f"H{k.upper()}") for k, (size, start, *_) in _STEPS.items()}
_left = (_reached["x"] - xp) / p.lambda_x + (_reached["y"] - yp) / p.lambda_y
#: ``U`` and ``C`` are the means over the clients drawn of their directions at the server's point, and of what local
#: steps change in these; ``N`` is that of the noises, and ``H = U + C + N`` the direction of the server.
_of_clients = sp.Add(lemma_d7.dir2_x, lemma_d7.dir2_y, lemma_d7.dir2_theta, evaluate=False)
ROUND = r.wider(
    r.ended(replace(lemma_d7.DIRECTIONS, sequences={}, others=())),
    depends={e: f"{LOCAL} {sample}" for e, (sample, *_) in lemma_d7.NOISES.items()},
    means={
        **r.by_client("fxp", "fyp", "gxp", "gyp", "ux", "uy", "ut"),
        **r.averaged("dx", "dy", "dt"),
        **_each,
        **_sampled,
        **{f"U{k.upper()}": SampleMean(f"u{k}i", "client", "sample") for k in "xyt"},
        **{f"C{k.upper()}": SampleMean(f"d{k}_c", "client", "sample") for k in "xyt"},
    },
    sums={
        **{f"u{k}i": own for k, own in _OWN.items()},
        **{f"d{k}": change for k, change in _CHANGE.items()},
        **lemma_d7.WHOLE,
        **{
            f"N{k.upper()}": sum((c * _v(f"{e}_s") for e, c in noises.items()), start=0 * x)
            for k, noises in _NOISES.items()
        },
        **{f"H{k}": _v(f"U{k}") + _v(f"C{k}") + _v(f"N{k}") for k in "XYT"},
    },
    functions={
        "f_i": {"z+": (xp + yp, _v("fxpi") + _v("fypi"), f_e)},
        "F": {"z": (x + y, fx + fy, f_z), "z+": (xp + yp, fxp + fyp, f_e)},
        "g_i": {"z+": (xp + yp, _v("gxpi") + _v("gypi"), g_e), "theta+": (xp + tp, None, g_te)},
        "G": {"z+": (xp + yp, gxp + gyp, g_e), "theta+": (xp + tp, None, g_te)},
        "M": {"y": (y, None, g_z), "theta": (t, None, _prox)},
        "X": {"x+": (_reached["x"], xp, inside)},
        "Y": {"y+": (_reached["y"], yp, inside), "theta+": (_reached["t"], tp, inside)},
        # what is left of the steps of x and y is in the normal cone where they end
        "N": {"n*": (-1 * _grad_end, _nearest, inside), "n": (_left, _left, inside)},
    },
    made={"F": Mean("f_i", "client"), "N": NormalCone("X x Y")},
    words={**lemma_d7.NOISE_WORDS, "tp": "theta^{t+1}, where the round ends", "N": r.NORMAL_CONE},
    infima={"F": F_inf, "M": _value},
    assumes=(Attained("M"), Attained("M+")),
    metrics={
        Lam_t: (f_z - F_inf) / p.c_t + g_z - 2 * _value + _prox,
        Lam_end: (f_e - F_inf) / p.c_next + g_e - 2 * _value_end + _prox_end,
        slope2: norm2(_SLOPE["x"]) + norm2(_SLOPE["y"]),
        pull2: norm2(_MEAN["t"]),
        step_theta: norm2(tp - t),
        p.R_end: norm2(_grad_end + _nearest),
    },
    measured=(F_inf,),
)
_moved = p.step_x + p.step_y
HYPOTHESES = (*p.RUN, p.TWO_CLIENTS, p.RISING, FREE)
ONE_STEP = p.H_("lambda_y=lambda_x", "lambda_y = lambda_x", eq(p.lambda_y, p.lambda_x))


def _lemma(
    name: str, text: str, statement: sp.Basic, *steps: Part, hypotheses: tuple[Hypothesis, ...] = HYPOTHESES
) -> Claim:
    """A lemma about one round in vectors."""
    return p.claim(
        f"thmD.11.free.{name}",
        *_PLACE,
        text,
        statement,
        hypotheses=hypotheses,
        where={**p.LIP, p.B_P: p.SAMPLING[p.B_P]},
        setting=ROUND,
        proof=Proof(*steps),
    )


NONNEGATIVE = _lemma(
    "nonnegative",
    "Phi_{c_t} + D >= 0",
    ge(Lam_t, 0),
    have("F", ge(f_z, F_inf), by=[infimum("F", "z")]),
    have("theta = y", ge(g_z, _value), by=[infimum("M", "y")]),
    have("D", ge(_prox, _value), by=[infimum("M", "theta")]),
    qed(by=["F", "theta = y", "D"], multipliers=[1 / p.c_t, 1, 1]),
)
_SMOOTH: tuple[Part, ...] = (
    section("Smoothness of Phi and of D"),
    have("F", le(f_e - f_z - dot(fx + fy, xp + yp - x - y), p.L_1 / 2 * _moved), by=[smooth("F", "z+", "z")]),
    have("G", le(g_e - g_z - dot(gx + gy, xp + yp - x - y), p.L_2 / 2 * _moved), by=[smooth("G", "z+", "z")]),
    have(
        "G at theta",
        le(g_te - g_t - dot(hx + hy, xp + tp - x - t), p.L_2 / 2 * (p.step_x + step_theta)),
        by=[smooth("G", "theta+", "theta")],
    ),
    have(
        "the envelope",
        ge(
            _value_end - _value - dot(sx, xp - x) - dot(y - s, yp - y) / p.gamma,
            -(p.L_2 * p.step_x + p.step_y / p.gamma) / 2,
        ),
        by=[cite("mefbo.lemD.2-37", at={p.rv1: p.L_2, p.rv2: 1 / p.gamma}, **r.ENDS)],
    ),
    have("F >= F_inf", ge(f_e, F_inf), by=[infimum("F", "z+")]),
    have("the penalties", le((f_e - F_inf) / p.c_next, (f_e - F_inf) / p.c_t), by=["F >= F_inf"]),
    have("gamma L_2 <= 1/2", le(p.L_2, 1 / (2 * p.gamma))),
    have("curvature", le(p.L_2 * p.step_x, p.step_x / (2 * p.gamma)), by=["gamma L_2 <= 1/2"]),
    have(
        "smoothness",
        le(
            Lam_end,
            Lam_t
            + dot(_UPHILL["x"], xp - x)
            + dot(_UPHILL["y"], yp - y)
            + dot(_UPHILL["t"], tp - t)
            + CURVED / 2 * _moved
            + CURVED_THETA / 2 * step_theta,
        ),
        by=["the penalties", "F", "G", "G at theta", "the envelope", "curvature"],
        multipliers=[1, 1 / p.c_t, 1, 1, 2, _R(3, 2)],
    ),
)


_TITLES = {"x": "x", "y": "y", "t": "theta"}
#: The gradients of which the directions in x, y and theta are made.
_GRADIENTS_IN = {"x": ("fx", "gx", "hx"), "y": ("fy", "gy"), "t": ("hy",)}


def _on_average(k: str, along: Vector, name: str) -> tuple[Step, ...]:
    """What the clients' own directions are in the mean, along what is known before the round."""
    own = _v(f"u{k}i")
    return (
        have(f"{name}, of a client", eq(dot(along, own), dot(along, _OWN[k])), by=[written_out(f"u{k}i")]),
        have(f"{name}, in the mean", eq(dot(along, _OWN[k]), dot(along, _MEAN[k])), by=[*map(mean, _GRADIENTS_IN[k])]),
        have(
            name,
            eq(dot(along, own), dot(along, _MEAN[k])),
            by=[f"{name}, of a client", f"{name}, in the mean"],
        ),
    )


def _of_drawn(k: str) -> tuple[Part, ...]:
    """The direction of the server in x, y or theta along what is known before the round."""
    up, K = _UPHILL[k], k.upper()
    H, U, C, N = (_v(f"{part}{K}") for part in "HUCN")
    size, start, end, place = _STEPS[k]
    return (
        section(f"The expected step of {_TITLES[k]}"),
        have(f"noise of {k}", eq(dot(up, N), 0), by=[written_out(f"N{K}"), *(fresh(f"{e}_s") for e in _NOISES[k])]),
        have(f"directions of {k}", eq(dot(up, U), dot(up, _v(f"u{k}i"))), by=[mean(f"U{K}")]),
        *_on_average(k, up, f"own directions of {k}"),
        have(f"changes of {k}", eq(dot(up, C), dot(up, _v(f"d{k}_a"))), by=[mean(f"C{K}"), mean(f"d{k}_a")]),
        have(f"parts of {k}", eq(dot(up, H), dot(up, U) + dot(up, C) + dot(up, N)), by=[written_out(f"H{K}")]),
        have(f"move of {k}", eq(dot(up, end - start), -size * dot(up, H)), by=[unprojected(*place)]),
        have(
            f"direction of {k}",
            eq(dot(up, H), dot(up, _MEAN[k] + _v(f"d{k}_a"))),
            by=[
                *(f"parts of {k}", f"noise of {k}", f"directions of {k}", f"own directions of {k}", f"changes of {k}"),
            ],
        ),
        have(
            f"step of {k}",
            eq(dot(up, end - start), -size * dot(up, _MEAN[k] + _v(f"d{k}_a"))),
            by=[f"move of {k}", f"direction of {k}"],
        ),
    )


#: That local steps change the directions of a client by its drift.
_CHANGES: tuple[Part, ...] = (
    section("Change of the directions along local steps"),
    *lemma_d5.CHANGES,
    have(
        "change of grad g at theta",
        le(norm2(hxk - hxi + hyk - hyi), p.L_2**2 * (p.D_x + p.D_theta)),
        by=[lipschitz("g_i", "local theta", "theta")],
    ),
    have("weak curvature", le(p.L_2**2, 1 / (4 * p.gamma**2))),
    have("curvature of the drift", le(4 * p.L_2**2 * p.D_x, p.D_x / p.gamma**2), by=["weak curvature"]),
    have(
        "changes of z",
        le(norm2(_CHANGE["x"]) + norm2(_CHANGE["y"]), CHANGED),
        by=["change of grad f", "change of grad g", "change of grad g at theta", "curvature of the drift"],
        multipliers=[4 / p.c_t**2, 4, 3, _R(3, 4)],
    ),
    have(
        "of one step",
        le(norm2(_v("dx")) + norm2(_v("dy")), CHANGED),
        by=["changes of z", written_out("dx"), written_out("dy")],
    ),
    have(
        "of z",
        le(norm2(_v("dx_c")) + norm2(_v("dy_c")), CHANGED),
        by=["of one step", mean("dx_c"), mean("dy_c")],
    ),
    have(
        "changes of theta",
        le(norm2(_CHANGE["t"]), CHANGED_THETA),
        by=["change of grad g at theta"],
        multipliers=[3],
    ),
    have("of one step of theta", le(norm2(_v("dt")), CHANGED_THETA), by=["changes of theta", written_out("dt")]),
    have("of theta", le(norm2(_v("dt_c")), CHANGED_THETA), by=["of one step of theta", mean("dt_c")]),
)
_CHANGES_IN_MEAN = (
    have(
        "of z in the mean", le(norm2(_v("dx_a")) + norm2(_v("dy_a")), CHANGED), by=["of z", mean("dx_a"), mean("dy_a")]
    ),
    have("of theta in the mean", le(norm2(_v("dt_a")), CHANGED_THETA), by=["of theta", mean("dt_a")]),
)
_TRACKED = (
    have("m = 0", eq(norm2(m), 0), by=[stationary("M")]),
    have(
        "strong monotonicity",
        ge(dot(t - s, hy - sy + (t - s) / p.gamma), (1 / p.gamma - p.L_2) * p.gap2),
        by=[smooth("G", "theta", "theta*")],
    ),
    have("change of G", le(norm2(hx - sx + hy - sy), p.L_2**2 * p.gap2), by=[lipschitz("G", "theta", "theta*")]),
    have("off theta*", le(norm2(hx - sx) + norm2(s - t) / p.gamma**2, p.G2 * p.gap2), by=["change of G"]),
)
SLOPES = (
    le(
        dot(_UPHILL["x"], xp - x) + dot(_UPHILL["y"], yp - y),
        p.lambda_x * (-_R(15, 16) * slope2 + _R(17, 16) * p.G2 * p.gap2 + 8 * CHANGED),
    ),
    le(dot(_UPHILL["t"], tp - t), p.lambda_theta * (-_R(15, 16) * pull2 + 4 * CHANGED_THETA)),
)
DESCENT = _lemma(
    "descent",
    "in a round Phi + D falls by the squares of its gradient, but for drift and the squares of the moves",
    le(
        Lam_end,
        Lam_t + SLOPES[0].rhs + SLOPES[1].rhs + CURVED / 2 * _moved + CURVED_THETA / 2 * step_theta,
    ),
    *_SMOOTH,
    *(step for k in "xyt" for step in _of_drawn(k)),
    *_CHANGES,
    *_CHANGES_IN_MEAN,
    section("The descent along the gradients"),
    *_TRACKED[2:],
    have("one step", eq(p.lambda_y, p.lambda_x)),
    have(
        "z",
        le(
            -dot(_UPHILL["x"], _MEAN["x"] + _v("dx_a")) - dot(_UPHILL["y"], _MEAN["y"] + _v("dy_a")),
            -_R(15, 16) * slope2 + _R(17, 16) * p.G2 * p.gap2 + 8 * CHANGED,
        ),
        by=["off theta*", "of z in the mean"],
        multipliers=[_R(17, 16), 8],
    ),
    have(
        "theta",
        le(-dot(_UPHILL["t"], _MEAN["t"] + _v("dt_a")), -_R(15, 16) * pull2 + 4 * CHANGED_THETA),
        by=["of theta in the mean"],
        multipliers=[4],
    ),
    rewritten("step of y as of x", "step of y", by=["one step"]),
    have(
        "step of z",
        eq(
            dot(_UPHILL["x"], xp - x) + dot(_UPHILL["y"], yp - y),
            -p.lambda_x * (dot(_UPHILL["x"], _MEAN["x"] + _v("dx_a")) + dot(_UPHILL["y"], _MEAN["y"] + _v("dy_a"))),
        ),
        by=["step of x", "step of y as of x"],
    ),
    have("along z", SLOPES[0], by=["step of z", "z"], multipliers=[-1, p.lambda_x]),
    have("along theta", SLOPES[1], by=["step of t", "theta"], multipliers=[-1, p.lambda_theta]),
    qed(by=["smoothness", "along z", "along theta"], multipliers=[1, 1, 1]),
    hypotheses=(*HYPOTHESES, ONE_STEP),
)
TRACKING = _lemma(
    "tracking",
    "rho^2 gap^2 <= ||grad_theta D||^2",
    le(p.rho**2 * p.gap2, pull2),
    *_TRACKED[:2],
    have("rho", ge(p.rho * p.gamma, _R(1, 2)), by=[unfold(p.rho)]),
    have(
        "the gradient",
        ge(dot(t - s, _MEAN["t"]), p.rho * p.gap2),
        by=["strong monotonicity", stationary("M"), written_out("m"), unfold(p.rho)],
    ),
    qed(by=["the gradient", "rho"], multipliers=[2 * p.rho]),
)


def _second_moment(k: str) -> tuple[Part, ...]:
    """The second moment of the server's direction in x, y or theta."""
    K, own, all_ = k.upper(), _v(f"u{k}i"), _v(f"u{k}")
    H, U, C, N = (_v(f"{part}{K}") for part in "HUCN")
    size, start, end, place = _STEPS[k]
    return (
        section(f"The step of {_TITLES[k]} in parts"),
        have(f"{k} moves", le(norm2(end - start), size**2 * norm2(H)), by=[unprojected(*place)]),
        have(f"noise of {k}", eq(dot(U, N), 0), by=[written_out(f"N{K}"), *(fresh(f"{e}_s") for e in _NOISES[k])]),
        have(
            f"three parts of {k}",
            le(norm2(H), _R(5, 4) * (norm2(U) + norm2(N)) + 9 * norm2(C)),
            by=[written_out(f"H{K}"), f"noise of {k}"],
        ),
        have(f"drawn {k}", le(norm2(U), norm2(all_) + _spread * norm2(own)), by=[sampling(f"U{K}"), unfold(p.B_P)]),
        have(
            f"drawn changes of {k}",
            le(norm2(C), norm2(_v(f"d{k}_a")) + _spread * norm2(_v(f"d{k}_c"))),
            by=[sampling(f"C{K}"), unfold(p.B_P)],
        ),
        have(f"mean changes of {k}", le(norm2(_v(f"d{k}_a")), norm2(_v(f"d{k}_c"))), by=[mean(f"d{k}_a")]),
        section(f"The mean direction of {_TITLES[k]}"),
        *(
            step
            for w, name in ((all_, f"along it in {k}"), (_MEAN[k], f"along its mean in {k}"))
            for step in (
                *_on_average(k, w, name),
                have(f"{name}, all", eq(dot(all_, w), dot(own, w)), by=[mean(f"u{k}")]),
            )
        ),
        have(
            f"mean direction of {k}",
            le(norm2(all_), norm2(_MEAN[k])),
            by=[f"{name} in {k}{of}" for name in ("along it", "along its mean") for of in ("", ", all")],
        ),
    )


_of_noises = tuple(
    have(
        f"{e} of the server",
        le(norm2(_v(f"{e}_s")), _beta / p.tau * norm2(_v(e))),
        by=[variance(f"{e}_s"), variance(f"{e}_c")],
    )
    for e in lemma_d7.NOISES
)
_GRADIENTS = (("f_i", "z", fxi + fyi, p.L_f), ("g_i", "z", gxi, p.L_g), ("g_i", "theta", hxi, p.L_g))
#: What the clients have at the server's point.
_CLIENTS: tuple[Part, ...] = (
    section("The clients' directions at the server's point"),
    *(have(f"{f} {at}", le(norm2(gradient), L**2), by=[bounded(f, at)]) for f, at, gradient, L in _GRADIENTS),
    have("dissimilarity", le(norm2(gyi - gy), p.Het**2), by=[dissimilar("g_i", "z")]),
    have("dissimilarity at theta", le(norm2(hyi - hy), p.Het**2), by=[dissimilar("g_i", "theta")]),
    have("clients in x", le(norm2(_OWN["x"]), 3 * (norm2(fxi) / p.c_t**2 + norm2(gxi) + norm2(hxi)))),
    have(
        "about the mean",
        le(norm2(_OWN["y"]), norm2(_MEAN["y"]) + norm2(_OWN["y"] - _MEAN["y"])),
        by=[mean("fy"), mean("gy")],
    ),
    have("f about the mean", le(norm2(fyi - fy), norm2(fyi)), by=[mean("fy")]),
    have(
        "clients in y",
        le(norm2(_OWN["y"]), norm2(_MEAN["y"]) + 2 * norm2(fyi) / p.c_t**2 + 2 * p.Het**2),
        by=["about the mean", "f about the mean", "dissimilarity"],
        multipliers=[1, 2 / p.c_t**2, 2],
    ),
    have(
        "clients",
        le(norm2(_OWN["x"]) + norm2(_OWN["y"]), norm2(_MEAN["y"]) + APART),
        by=["clients in x", "clients in y", "f_i z", "g_i z", "g_i theta"],
        multipliers=[1, 1, 3 / p.c_t**2, 3, 3],
    ),
    *(have(f"own {k}", le(norm2(_v(f"u{k}i")), norm2(_OWN[k])), by=[written_out(f"u{k}i")]) for k in "xy"),
    have(
        "clients in theta",
        le(norm2(_v("uti")), norm2(_MEAN["t"]) + p.Het**2),
        by=[written_out("uti"), mean("hy"), "dissimilarity at theta"],
    ),
    have(
        "the mean direction",
        le(norm2(_MEAN["x"]) + norm2(_MEAN["y"]), 2 * slope2 + 2 * p.G2 * p.gap2),
        by=["off theta*"],
        multipliers=[2],
    ),
)
DRAWN = 1 + _spread
SQUARES = (
    _R(5, 4) * (2 * DRAWN * (slope2 + p.G2 * p.gap2) + VARIED) + 9 * DRAWN * CHANGED,
    _R(5, 4) * (DRAWN * pull2 + VARIED_THETA) + 9 * DRAWN * CHANGED_THETA,
)
MOVED_BY = le(_moved, p.lambda_x**2 * SQUARES[0]), le(step_theta, p.lambda_theta**2 * SQUARES[1])
MOVES = _lemma(
    "moves",
    "the mean squares of the steps of the server",
    every(*MOVED_BY),
    *(step for k in "xyt" for step in _second_moment(k)),
    section("Noises of clients and server"),
    *_of_noises,
    *(
        have(f"{of} in two parts", le(norm2(one) + norm2(other), most), by=[written_out(of), variance(of)])
        for of, one, other, most in (
            ("e_f", _v("efx"), _v("efy"), p.sig_f**2),
            ("e_g", _v("egx"), _v("egy"), p.sig_g**2),
            ("e_t", _v("etx"), _v("ety"), p.sig_g**2),
        )
    ),
    *_CHANGES,
    section("The gradient at theta and at theta*"),
    *_TRACKED[2:],
    have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
    *_CLIENTS,
    section("Noise of the server's direction"),
    *(
        have(
            f"noises in {K}",
            le(norm2(_v(f"N{K}")), of * sum(c**2 * norm2(_v(f"{e}_s")) for e, c in _NOISES[K.lower()].items())),
            by=[written_out(f"N{K}")],
        )
        for K, of in (("X", 3), ("Y", 2))
    ),
    have(
        "noises of clients",
        le(
            norm2(_v("NX")) + norm2(_v("NY")),
            3
            * _beta
            / p.tau
            * (
                (norm2(_v("efx")) + norm2(_v("efy"))) / p.c_t**2
                + norm2(_v("egx"))
                + norm2(_v("egy"))
                + norm2(_v("etx"))
            ),
        ),
        by=["noises in X", "noises in Y", *(f"{e} of the server" for e in ("efx", "efy", "egx", "egy", "etx"))],
        multipliers=[1, 1, 3 / p.c_t**2, 3 / p.c_t**2, 3, 3, 3],
    ),
    have(
        "noise in x and y",
        le(norm2(_v("NX")) + norm2(_v("NY")), _beta / p.tau * NOISE),
        by=["noises of clients", "e_f in two parts", "e_g in two parts", "e_t in two parts"],
        multipliers=[1, 3 * _beta / p.tau / p.c_t**2, 3 * _beta / p.tau, 3 * _beta / p.tau],
    ),
    have(
        "noise in theta",
        le(norm2(_v("NT")), _beta / p.tau * p.sig_g**2),
        by=[written_out("NT"), "ety of the server", "e_t in two parts"],
    ),
    section("The moves of the server"),
    have("one step", eq(p.lambda_y, p.lambda_x)),
    rewritten("y moves as x", "y moves", by=["one step"]),
    have(
        "drawn clients",
        le(norm2(_v("UX")) + norm2(_v("UY")), _all + _spread * (_all + APART)),
        by=[
            *("drawn x", "drawn y", "mean direction of x", "mean direction of y", "own x", "own y", "clients"),
            *("the mean direction", "B_P"),
        ],
        multipliers=[1, 1, 1, 1, _spread, _spread, _spread, 1 + _spread],
    ),
    have(
        "drawn changes",
        le(norm2(_v("CX")) + norm2(_v("CY")), DRAWN * CHANGED),
        by=[*(f"{what} of {k}" for what in ("drawn changes", "mean changes") for k in "xy"), "of z", "B_P"],
        multipliers=[1, 1, 1, 1, DRAWN],
    ),
    have(
        "drawn clients in theta",
        le(norm2(_v("UT")), DRAWN * pull2 + _spread * p.Het**2),
        by=["drawn t", "mean direction of t", "clients in theta", "B_P"],
        multipliers=[1, 1, _spread],
    ),
    have(
        "drawn changes in theta",
        le(norm2(_v("CT")), DRAWN * CHANGED_THETA),
        by=["drawn changes of t", "mean changes of t", "of theta", "B_P"],
        multipliers=[1, 1, DRAWN],
    ),
    have(
        "directions of the server in z",
        le(norm2(_v("HX")) + norm2(_v("HY")), SQUARES[0]),
        by=["three parts of x", "three parts of y", "drawn clients", "drawn changes", "noise in x and y"],
        multipliers=[1, 1, _R(5, 4), 9, _R(5, 4)],
    ),
    have(
        "the direction of the server in theta",
        le(norm2(_v("HT")), SQUARES[1]),
        by=["three parts of t", "drawn clients in theta", "drawn changes in theta", "noise in theta"],
        multipliers=[1, _R(5, 4), 9, _R(5, 4)],
    ),
    have(
        "moves of z",
        MOVED_BY[0],
        by=["x moves", "y moves as x", "directions of the server in z"],
        multipliers=[1, 1, p.lambda_x**2],
    ),
    have(
        "moves of theta",
        MOVED_BY[1],
        by=["t moves", "the direction of the server in theta"],
        multipliers=[1, p.lambda_theta**2],
    ),
    hypotheses=(*HYPOTHESES, ONE_STEP),
)
MEASURE = _lemma(
    "measure",
    "R_t(z^{t+1}) <= 2 ||grad Phi(z^t)||^2 + 2 L_R^2 ||z^{t+1} - z^t||^2",
    le(p.R_end, 2 * slope2 + 2 * d.CHANGE * _moved),
    have("the least element", le(p.R_end, norm2(_grad_end + _left)), by=[projection("N", "n", "n*")]),
    have("nothing is left", eq(norm2(_left), 0), by=[unprojected("X", "x+"), unprojected("Y", "y+")]),
    have("without constraints", le(p.R_end, norm2(_grad_end)), by=["the least element", "nothing is left"]),
    *d.GRADIENT_MOVES,
    have("two parts", le(norm2(_grad_end), 2 * slope2 + 2 * norm2(d.OF_PHI))),
    qed(by=["without constraints", "two parts", "change of the gradient"], multipliers=[1, 1, 2]),
)

# --- one round in numbers

L_z = p.declare("L_z", "curvature of Phi + D in z from above", p.CURVATURE, latex="L_z", defined=True, **POS)
L_tt = p.declare(
    "L_tt", "curvature of Phi + D in theta from above", p.CURVATURE, latex=r"L_{\mathrm{th}}", defined=True, **POS
)
V_z = p.declare("V_z", "bound on the variance of h_x and h_y", p.FORCE2, latex="V_z", defined=True, **NONNEG)
V_tt = p.declare("V_tt", "bound on the variance of h_theta", p.FORCE2, latex=r"V_{\mathrm{th}}", defined=True, **NONNEG)
AT_0 = {p.c_t: p.c_0}
WHERE = {
    **p.LIP,
    p.B_P: p.SAMPLING[p.B_P],
    L_z: CURVED.xreplace(AT_0),
    L_tt: CURVED_THETA,
    V_z: VARIED.xreplace(AT_0),
    V_tt: VARIED_THETA,
}
CHANGED_0 = CHANGED.xreplace(AT_0)
CONDITIONS = (
    ONE_STEP,
    p.H_(
        "ratio",
        "4 (L_2^2 + 1/gamma^2) lambda_x <= rho^2 lambda_theta",
        le(4 * p.G2 * p.lambda_x, p.rho**2 * p.lambda_theta),
    ),
    p.H_(
        "step_z", "8 (1 + (beta_max/P) B) (L_1/c_0 + L_2 + 4/gamma) lambda_x <= 1", le(8 * DRAWN * L_z * p.lambda_x, 1)
    ),
    p.H_(
        "step_theta",
        "2 (1 + (beta_max/P) B) (L_2 + 2/gamma) lambda_theta <= 1",
        le(2 * DRAWN * L_tt * p.lambda_theta, 1),
    ),
)
FIXED_STEPS = p.H_("fixed", "the steps of the server are the same in all rounds")
RATIO, STEP_Z, STEP_T = (h.relation for h in CONDITIONS[1:])
_l, _lt = p.lambda_x, p.lambda_theta
_S = slope2 + p.G2 * p.gap2
_paid = (
    _R(137, 16) * _l * CHANGED_0
    + _R(5, 8) * (L_z * _l**2 * V_z + L_tt * _lt**2 * V_tt)
    + _R(25, 4) * _lt * CHANGED_THETA
)
_lost = 3 * L_z * _l**2 * V_z + 2 * L_tt * _lt**2 * V_tt + 27 * _l * CHANGED_0 + 19 * _lt * CHANGED_THETA
_squares_z = _R(5, 4) * (2 * DRAWN * _S + V_z) + 9 * DRAWN * CHANGED_0
_squares_t = _R(5, 4) * (DRAWN * pull2 + V_tt) + 9 * DRAWN * CHANGED_THETA
_TIMES = (
    ("z", 8 * DRAWN * L_z * _l, _S, "the slope"),
    ("z", 8 * DRAWN * L_z * _l, CHANGED_0, "the change"),
    ("theta", 2 * DRAWN * L_tt * _lt, pull2, "the slope"),
    ("theta", 2 * DRAWN * L_tt * _lt, CHANGED_THETA, "the change"),
)
_OF_STEPS = [f"step of {k} times {name}" for k, _, _, name in _TIMES]
_SIGNS = ("a square of z", "a square of theta", "drift of z", "drift of theta")
WITH_DRIFTS_SAYS = le(_l * p.R_end + _R(7, 64) * _l * _S + _R(7, 8) * _lt * pull2, 3 * (Lam_t - Lam_end) + _lost)
WITH_DRIFTS = p.claim(
    "thmD.11.free.round",
    *_PLACE,
    "lambda_x R_t(z^{t+1}) <= 3 (Lam_t - Lambda_{t+1}) and what noise, drawn clients and drift add",
    WITH_DRIFTS_SAYS,
    hypotheses=(*HYPOTHESES, p.SMALLEST, *CONDITIONS),
    where=WHERE,
    setting=Setting(
        others=(ROUND,),
        measured=(
            Lam_t,
            Lam_end,
            slope2,
            pull2,
            p.gap2,
            p.step_x,
            p.step_y,
            step_theta,
            p.R_end,
            p.D_x,
            p.D_y,
            p.D_theta,
        ),
    ),
    proof=Proof(
        section("Signs, and the smallest penalty"),
        lemma_d8.POSITIVE[0],
        have("L_theta > 0", gt(p.L_theta, 0), by=["rho", unfold(p.L_theta)]),
        lemma_d8.L_THETA_SQUARED,
        have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
        have("penalty", le(1 / p.c_t, 1 / p.c_0)),
        have("penalty squared", le(1 / p.c_t**2, 1 / p.c_0**2)),
        section("Bounds on curvatures and variances"),
        have("curved", le(CURVED, L_z), by=["penalty", unfold(L_z)]),
        have("curved in theta", le(CURVED_THETA, L_tt), by=[unfold(L_tt)]),
        have("curved moves", le(CURVED / 2 * _moved, L_z / 2 * _moved), by=["curved"]),
        have("curved moves of theta", le(CURVED_THETA / 2 * step_theta, L_tt / 2 * step_theta), by=["curved in theta"]),
        have("varied", le(VARIED, V_z), by=["penalty squared", "B_P", unfold(V_z)]),
        have("V_z >= 0", ge(V_z, 0), by=["B_P", unfold(V_z)]),
        have("V_theta >= 0", ge(V_tt, 0), by=["B_P", unfold(V_tt)]),
        have("varied theta", le(VARIED_THETA, V_tt), by=[unfold(V_tt)]),
        have("changed", le(CHANGED, CHANGED_0), by=["penalty squared"]),
        have("L_z >= 4/gamma", ge(L_z, p.L_1 / p.c_0 + 4 / p.gamma), by=[unfold(L_z)]),
        have("L_z > 0", gt(L_z, 0), by=[unfold(L_z)]),
        have("L_theta >= 2/gamma", ge(L_tt, 2 / p.gamma), by=[unfold(L_tt)]),
        have("L_theta > 0 in theta", gt(L_tt, 0), by=[unfold(L_tt)]),
        section("Descent and moves of the round"),
        have("a round", DESCENT.statement, by=[cite(DESCENT)]),
        have(
            "the descent",
            le(
                Lam_end,
                Lam_t
                + _l * (-_R(15, 16) * slope2 + _R(17, 16) * p.G2 * p.gap2 + 8 * CHANGED_0)
                + _lt * (-_R(15, 16) * pull2 + 4 * CHANGED_THETA)
                + L_z / 2 * _moved
                + L_tt / 2 * step_theta,
            ),
            by=["a round", "changed", "curved moves", "curved moves of theta"],
            multipliers=[1, 8 * _l, 1, 1],
        ),
        have("the moves", MOVED_BY[0], by=[cite(MOVES)]),
        have("the moves of theta", MOVED_BY[1], by=[cite(MOVES)]),
        have(
            "moves of z",
            le(_moved, _l**2 * _squares_z),
            by=["the moves", "changed", "varied", "B_P"],
            multipliers=[1, 9 * DRAWN * _l**2],
        ),
        have(
            "moves of theta",
            le(step_theta, _lt**2 * _squares_t),
            by=["the moves of theta", "varied theta"],
            multipliers=[1],
        ),
        section("The squared gradient of Phi"),
        have("tracking", TRACKING.statement, by=[cite(TRACKING)]),
        have("ratio", RATIO, by=["rho"]),
        have("step of z", STEP_Z, by=["B_P", "L_z > 0"]),
        have("step of theta", STEP_T, by=["B_P", "L_theta > 0 in theta"]),
        *(
            have(f"step of {k} times {name}", le(small * metric, metric), by=[f"step of {k}"])
            for k, small, metric, name in _TIMES
        ),
        have("ratio times gap", le(4 * p.G2 * _l * p.gap2, p.rho**2 * _lt * p.gap2), by=["ratio"]),
        have(
            "of the gap",
            le(_l * p.G2 * p.gap2, _lt * pull2 / 4),
            by=["ratio times gap", "tracking"],
            multipliers=[_R(1, 4), _lt / 4],
        ),
        have(
            "the slope",
            le(
                _R(25, 32) * _l * slope2,
                Lam_t - Lam_end + _R(39, 32) * _l * p.G2 * p.gap2 - _R(5, 8) * _lt * pull2 + _paid,
            ),
            by=["the descent", "moves of z", "moves of theta", *_OF_STEPS],
            multipliers=[
                *(1, L_z / 2, L_tt / 2, _R(5, 32) * _l, _R(9, 16) * _l, _R(5, 16) * _lt, _R(9, 4) * _lt),
            ],
        ),
        section("Signs of squares and drifts"),
        *(
            have(name, ge(metric, 0))
            for name, metric in zip(_SIGNS, (slope2, pull2, CHANGED_0, CHANGED_THETA), strict=True)
        ),
        section("The change of the gradient in the round"),
        have("change of f", le(DRAWN * _l * p.L_1 / p.c_0, _R(1, 8)), by=["step of z", "L_z >= 4/gamma", "B_P"]),
        have("step by gamma", le(DRAWN * _lt / p.gamma, _R(1, 4)), by=["step of theta", "L_theta >= 2/gamma", "B_P"]),
        have(
            "change of f squared",
            le(DRAWN * _l * p.L_1**2 / p.c_0**2, p.L_1 / (8 * p.c_0)),
            by=["change of f"],
        ),
        have("penalized", le(p.L_1**2 / p.c_t**2, p.L_1**2 / p.c_0**2), by=["penalty squared"]),
        have(
            "change of f at c_t",
            le(DRAWN * _l * p.L_1**2 / p.c_t**2, p.L_1 / (8 * p.c_0)),
            by=["change of f squared", "penalized", "B_P"],
        ),
        have("of theta*", le(4 * _l * p.L_theta**2, _lt), by=["ratio", "L_theta squared", "rho"]),
        have(
            "change of theta*",
            le(4 * DRAWN * _l * p.L_theta**2 / p.gamma**2, 1 / (4 * p.gamma)),
            by=["of theta*", "step by gamma", "B_P"],
        ),
        have(
            "change",
            le(DRAWN * _l * d.CHANGE, _R(3, 8) * L_z),
            by=["change of f at c_t", "change of theta*", "L_z >= 4/gamma"],
        ),
        have("one of it", le(_l * d.CHANGE, _R(3, 8) * L_z), by=["change", "B_P"]),
        have(
            "change times the variance",
            le(_R(5, 2) * _l**3 * d.CHANGE * V_z, _R(15, 16) * _l**2 * L_z * V_z),
            by=["one of it", "V_z >= 0"],
        ),
        section("The measure of the round"),
        have("small", le(8 * L_z * _l, 1), by=["step of z", "B_P", "L_z > 0"]),
        *(
            have(f"{name} times {of}", le(left * metric, right * metric), by=[name, "L_z > 0"])
            for name, left, right in (("change", DRAWN * _l * d.CHANGE, _R(3, 8) * L_z), ("small", 8 * L_z * _l, 1))
            for metric, of in ((_S, "the slope"), (CHANGED_0, "the change"))
        ),
        have("the measure", MEASURE.statement, by=[cite(MEASURE)]),
        have(
            "of the moves",
            le(
                2 * _l * d.CHANGE * _moved,
                _R(15, 64) * _l * _S + _R(15, 16) * L_z * _l**2 * V_z + _R(27, 32) * _l * CHANGED_0,
            ),
            by=[
                *("moves of z", "change times the slope", "change times the change", "change times the variance"),
                *("small times the slope", "small times the change"),
            ],
            multipliers=[
                *(2 * _l * d.CHANGE, 5 * _l**2, 18 * _l**2, _R(15, 64) * _l, _R(27, 32) * _l),
            ],
        ),
        qed(
            by=[
                *("the measure", "of the moves", "the slope", "of the gap", *_SIGNS),
                *("V_z >= 0", "V_theta >= 0", "L_z > 0", "L_theta > 0 in theta"),
            ],
            multipliers=[
                *(_l, 1, 3, 4, 0, 0, _R(15, 32) * _l, _lt / 4),
            ],
        ),
    ),
)

# --- the drifts

DIRECTIONS = _lemma(
    "directions",
    "the mean squares of the directions of the clients",
    le(
        _of_clients,
        2 * (_all + pull2 + APART + p.Het**2) + 2 * (CHANGED + CHANGED_THETA),
    ),
    *_CHANGES,
    section("The gradient at theta and at theta*"),
    *_TRACKED[2:],
    *_CLIENTS,
    section("The clients' directions along local steps"),
    *(
        have(
            f"direction of {k}",
            le(square, 2 * norm2(_v(f"u{k}i")) + 2 * norm2(_v(f"d{k}"))),
            by=[written_out(f"u{k}i"), written_out(f"d{k}")],
        )
        for k, square in zip("xyt", _of_clients.args, strict=True)
    ),
    qed(
        by=[
            *(f"direction of {k}" for k in "xyt"),
            *("own x", "own y", "clients", "clients in theta", "the mean direction"),
            *("of one step", "of one step of theta"),
        ],
        multipliers=[1, 1, 1, 2, 2, 2, 2, 2, 2, 2],
    ),
)
MORE = (p.tau - 1) * p.eta_theta**2
FLAT = p.L_1**2 / p.c_0**2 + p.G2
APART_0, LOCAL_NOISE = APART.xreplace(AT_0), 5 * p.sig_f**2 / p.c_0**2 + 9 * p.sig_g**2
WEIGHT = 108 * FLAT * _l + 57 * p.G2 * _lt
E_free = p.declare(
    "E_free",
    "what the drifts of the clients add without constraints",
    p.FORCE2,
    latex=r"E_\eta",
    defined=True,
    **NONNEG,
)
WHERE_FREE = {
    **WHERE,
    E_free: 2 * MORE * (108 * FLAT + 57 * p.G2 * _lt / _l) * (2 * p.tau * (APART_0 + p.Het**2) + LOCAL_NOISE),
}
STEP_CLIENTS = p.H_(
    "step_clients",
    "80 (tau - 1) tau eta^2 (108 (L_1^2/c_0^2 + L_2^2 + 1/gamma^2) lambda_x + 57 (L_2^2 + 1/gamma^2) lambda_theta) <= "
    "lambda_x",
    le(80 * p.tau * MORE * WEIGHT, _l),
)
ETA_X, ETA_Y = BY_KEY["(78e)"], BY_KEY["(78f)"]
ALL_CONDITIONS = (*CONDITIONS, ETA_X, ETA_Y, STEP_CLIENTS)
_slopes = 2 * _S + pull2
_LEFT = ("a square of z", "a square of theta")
OF_A_ROUND = le(_l * p.R_end, 3 * (Lam_t - Lam_end) + 3 * L_z * _l**2 * V_z + 2 * L_tt * _lt**2 * V_tt + _l * E_free)
NUMBERS = Setting(
    sequences=lemma_d7.DIRECTIONS.sequences,
    others=(ROUND, lemma_d7.DIRECTIONS),
    measured=(
        *(Lam_t, Lam_end, slope2, pull2, p.gap2, p.R_end, p.D_x, p.D_y, p.D_theta),
        *(lemma_d7.dir2_x, lemma_d7.dir2_y, lemma_d7.dir2_theta),
    ),
)
_paths = lemma_d7.PATH_X, lemma_d7.PATH_Y, lemma_d7.PATH_THETA
A_ROUND = p.claim(
    "thmD.11.free.all",
    *_PLACE,
    "lambda_x R_t(z^{t+1}) <= 3 (Lam_t - Lambda_{t+1}) and what noise, drawn clients and local steps add",
    OF_A_ROUND,
    hypotheses=(*HYPOTHESES, p.SMALLEST, *ALL_CONDITIONS),
    where=WHERE_FREE,
    setting=NUMBERS,
    proof=Proof(
        section("Signs, and the smallest penalty"),
        lemma_d8.POSITIVE[0],
        have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
        have("penalty squared", le(1 / p.c_t**2, 1 / p.c_0**2)),
        have("L_z > 0", gt(L_z, 0), by=[unfold(L_z)]),
        have("L_theta > 0 in theta", gt(L_tt, 0), by=[unfold(L_tt)]),
        have("more steps", ge(p.tau - 1, 0)),
        section("The paths of the local steps"),
        *(have(f"path {k}", path.statement, by=[cite(path), SEQUENCES]) for k, path in enumerate(_paths)),
        have("as x", eq(p.eta_x, p.eta_theta)),
        have("as y", eq(p.eta_y, p.eta_theta)),
        rewritten("path of x", "path 0", by=["as x"]),
        rewritten("path of y", "path 1", by=["as y"]),
        have(
            "paths",
            le(_drift, MORE * (p.tau * _of_clients + LOCAL_NOISE)),
            by=["path of x", "path of y", "path 2", "penalty squared", "more steps"],
            multipliers=[1, 1, 1],
        ),
        section("The drift of short local steps"),
        have("directions", DIRECTIONS.statement, by=[cite(DIRECTIONS)]),
        have("drift >= 0", ge(_drift, 0)),
        have("changes", le(CHANGED + CHANGED_THETA, 7 * FLAT * _drift), by=["penalty squared"]),
        have(
            "directions at c_0",
            le(_of_clients, 2 * (_slopes + APART_0 + p.Het**2) + 14 * FLAT * _drift),
            by=["directions", "changes", "penalty squared"],
            multipliers=[1, 2],
        ),
        have("clients' steps", STEP_CLIENTS.relation, by=["rho"]),
        have("short", le(28 * p.tau * MORE * FLAT, 1), by=["clients' steps", "more steps"]),
        have("short drifts", le(28 * p.tau * MORE * FLAT * _drift, _drift), by=["short"]),
        have(
            "drift",
            le(_drift, 2 * MORE * (2 * p.tau * (_slopes + APART_0 + p.Het**2) + LOCAL_NOISE)),
            by=["paths", "directions at c_0", "short drifts", "more steps"],
            multipliers=[2, 2 * MORE * p.tau, 1],
        ),
        section("One round, with its drift bounded"),
        have("a round", WITH_DRIFTS_SAYS, by=[cite(WITH_DRIFTS), "B_P", "L_z > 0", "L_theta > 0 in theta", "rho"]),
        have("of the drift", le(80 * p.tau * MORE * WEIGHT * _slopes, _l * _slopes), by=["clients' steps"]),
        have("ratio", RATIO, by=["rho"]),
        have("rho at most", le(p.rho**2, p.G2), by=["rho", unfold(p.rho)]),
        have("lambda_x is small", le(4 * _l, _lt), by=["ratio", "rho at most"]),
        have("of theta", le(_l * pull2, _lt * pull2), by=["lambda_x is small"]),
        *(have(name, ge(metric, 0)) for name, metric in zip(_LEFT, (_S, pull2), strict=True)),
        qed(
            by=["a round", "drift", "of the drift", "of theta", *_LEFT, "more steps", unfold(E_free)],
            multipliers=[1, WEIGHT, _R(1, 20), _R(1, 20), _R(3, 320) * _l, _R(33, 40) * _lt],
        ),
    ),
)
