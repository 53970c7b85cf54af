"""One local step and one round of FedMSA in vectors, with one inner sequence.

A local step is that of the client that was drawn, which belongs to the past. The estimates of ``P`` and ``S`` and their
errors are taken together, with the weight ``omega`` for ``S``: ``||h - P||^2 + omega^2 ||q - S||^2``. Vectors of the
space of ``x`` have an x in their names, those of the space of ``z`` a z.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import BoundedVariance, Independent, Lipschitz, Smooth, Unbiased
from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
    Mean,
    Part,
    Proof,
    Setting,
    fresh,
    have,
    lipschitz,
    mean,
    qed,
    section,
    smooth,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import COUNT, NONNEG, POS
from rateproof.theory.units import INNER, OUTER

_R = sp.Rational
_PLACE = ("proof of Theorem 3.1", Kind.INEQUALITY)

# --- what is measured

B = p.declare("B_all", "batch size of a client in the momentum phase", latex="B", **COUNT)
f_inf = p.declare("f_inf", "infimum of f", OUTER, latex=r"\inf f", real=True)
omega = p.declare("omega_w", "weight of the error of q", OUTER / INNER, latex=r"\omega", **POS)
Lb = p.declare("Lb_w", "mean Lipschitz constant of (p, omega s)", OUTER / p.AREA, latex=r"\bar L", defined=True, **POS)
tau = p.declare("tau_w", "heterogeneity of (P, omega S)", OUTER / p.AREA, latex=r"\tau", defined=True, **NONNEG)
noise = p.declare("sigma_w", "noise level of (p, omega s)", p.SLOPE, latex=r"\sigma", defined=True, **NONNEG)
grad2 = p.formula("grad2", "E ||grad f(x)||^2", p.SLOPE**2, **NONNEG)
W = p.formula("W", "E [f(x) + c ||z - z^*(x)||^2]", OUTER)
W_next = p.formula("W_next", "E [f(x^+) + c ||z^+ - z^*(x^+)||^2]", OUTER)
err = p.formula("err", "E [||h - P||^2 + omega^2 ||q - S||^2]", p.SLOPE**2, **NONNEG)
err_next = p.formula("err_next", "E [||h^+ - P^+||^2 + omega^2 ||q^+ - S^+||^2]", p.SLOPE**2, **NONNEG)
moved = p.formula("moved", "E [||x^+ - x||^2 + ||z^+ - z||^2]", p.AREA, **NONNEG)
P_off = p.formula("P_off", "||P(x, z) - P(x, z^*(x))||^2", p.SLOPE**2, **NONNEG)
#: ``(P, omega S)``: what the paper states of P and of S.
PAIR = {
    Lb: sp.sqrt(p.Lb_p**2 + omega**2 * p.Lb_s**2),
    tau: sp.sqrt(p.tau_0**2 + omega**2 * p.tau_n**2),
    noise: sp.sqrt(p.sigma0**2 + omega**2 * p.sigma_n**2),
}
#: The weight of the distance in W.
c = 4 * p.alpha * p.L_Z**2 / (p.beta * p.lam)

# --- hypotheses

ONE_LEVEL = p.H_("N=1", "there is one inner sequence, N = 1, with z^*(x) the zero of S(x, .)")
PULL = p.H_("A5/mean", "<z - z^*(x), S(x, z)> >= lambda ||z - z^*(x)||^2", ge(p.pull, p.lam * p.gap2))
FORCE = p.H_("A3/S", "||S(x, z)|| <= L_s ||z - z^*(x)||", le(p.S2, p.L_s**2 * p.gap2))
IN_Z = p.H_("A3/P", "||P(x, z) - P(x, z^*(x))|| <= L_Z ||z - z^*(x)||", le(P_off, p.L_Z**2 * p.gap2))
CURVED = p.H_("lam<=L_s", "lambda <= L_s, as follows where z is not z^*(x) somewhere", le(p.lam, p.L_s))
SOLUTION = p.H_("A2", "z^* is L_z-Lipschitz", None, Lipschitz("z*", p.L_z))
GRADIENT = p.H_("gradient", "P(x, z^*(x)) is the gradient of f, which is L_h-smooth", None, Smooth("f", p.L_h))
SAMPLES = p.H_(
    "A4",
    "p^m(x, z; xi) and s^m(x, z; zeta) are Lb_p- and Lb_s-Lipschitz in (x, z), in mean square, for every client m",
    None,
    *(Lipschitz(of, L, random="xi", given="past") for of, L in (("p", p.Lb_p), ("p_i", p.Lb_p))),
    *(Lipschitz(of, L, random="xi", given="past") for of, L in (("s", p.Lb_s), ("s_i", p.Lb_s))),
)
ALIKE = p.H_(
    "C",
    "P^m - P and S^m - S are tau_0- and tau_1-Lipschitz in (x, z), for every client m",
    None,
    Lipschitz("P^m - P", p.tau_0),
    Lipschitz("S^m - S", p.tau_n),
)
LOCAL_SAMPLES = p.H_(
    "samples of local steps",
    "the b samples of a local step are independent, and unbiased given the past",
    None,
    *(Unbiased(of, "past sample") for of in ("cx", "cz")),
    *(Independent(of, "sample") for of in ("cx", "cz")),
)
WEIGHT = p.H_("omega", "2 lambda omega >= 7 L_Z", le(7 * p.L_Z, 2 * p.lam * omega))
STEP_Z = p.H_("beta", "4 L_s^2 beta <= lambda", le(4 * p.L_s**2 * p.beta, p.lam))
STEP_X = p.H_("alpha", "4 L_h alpha <= 1", le(4 * p.L_h * p.alpha, 1))
RATIO = p.H_("ratio", "9 L_Z L_z alpha <= lambda beta", le(9 * p.L_Z * p.L_z * p.alpha, p.lam * p.beta))

# --- one local step

x, z, zs, zsn, hx, hz, gx, gxn = vectors("x z zs zsn hx hz gx gxn")
Px, Pxn, Sz, Szn, Dx, Dxn, Dz, Dzn = vectors("Px Pxn Sz Szn Dx Dxn Dz Dzn")
px, sz, cx, cz, jx, jz, Jx, Jz, Cx, Cz = vectors("px sz cx cz jx jz Jx Jz Cx Cz")
f_x, f_n = sp.symbols("f_x f_n", real=True)
xn, zn = x - p.alpha * hx, z - p.beta * hz


def by_space(setting: Setting) -> Setting:
    """A setting in which a vector lies in the space that its name says; noises of both parts lie in none."""
    blocks = {name: space for name in setting.names for space in "xz" if space in name}
    return replace(setting, blocks=blocks)


_w, _wn = x + z, xn + zn
#: What the expected changes of the samples are, for the client that was drawn; ``cx`` and ``cz`` are their noises.
_jx, _jz = Pxn + Dxn - Px - Dx, Szn + Dzn - Sz - Dz
_hetero = Dxn - Dx + omega * (Dzn - Dz)
_error = hx - Px + omega * (hz - Sz)
STEP = by_space(
    Setting(
        depends={**dict.fromkeys(("x", "z", "hx", "hz"), "past"), **dict.fromkeys(("cx", "cz"), "past sample xi")},
        sizes={"sample": p.b},
        within={"xi": "sample"},
        together={"sample": "batch"},
        means={f"{J}{of}": Mean(f"{j}{of}", "sample") for J, j in ("Jj", "Cc") for of in "xz"},
        sums={"jx": _jx + cx, "jz": _jz + cz, "Jx": _jx + Cx, "Jz": _jz + Cz},
        each={"p": "sample xi", "s": "sample xi"},
        functions={
            "f": {"x": (x, gx, f_x), "x+": (xn, gxn, f_n)},
            "z*": {"x": (x, zs, None), "x+": (xn, zsn, None)},
            "P": {"w": (_w, Px, None), "w+": (_wn, Pxn, None)},
            "S": {"w": (_w, Sz, None), "w+": (_wn, Szn, None)},
            "P^m - P": {"w": (_w, Dx, None), "w+": (_wn, Dxn, None)},
            "S^m - S": {"w": (_w, Dz, None), "w+": (_wn, Dzn, None)},
            "p": {"w": (_w, px, None), "w+": (_wn, px + jx, None)},
            "s": {"w": (_w, sz, None), "w+": (_wn, sz + jz, None)},
        },
        metrics={
            grad2: norm2(gx),
            p.h2: norm2(hx),
            p.gap2: norm2(z - zs),
            p.pull: dot(z - zs, Sz),
            p.S2: norm2(Sz),
            P_off: norm2(Px - gx),
            W: f_x + c * norm2(z - zs),
            W_next: f_n + c * norm2(zn - zsn),
            err: norm2(_error),
            err_next: norm2(hx + Jx - Pxn + omega * (hz + Jz - Szn)),
            moved: norm2(_wn - _w),
        },
        words={
            **{"x": "x_{r+1,k}", "z": "z_{r+1,k}", "hx": "h_{r,k}", "hz": "q_{r,k}"},
            **{"xi": "the sample of a local step", "past": "what is drawn before the local step, the client too"},
            **{"p": "p^m of the client that was drawn", "s": "s^m of the client that was drawn"},
            "batch": "all samples of the local step",
        },
    )
)


def _lemma(
    name: str, text: str, statement: sp.Basic, hypotheses: tuple[Hypothesis, ...], setting: Setting, *steps: Part
) -> Claim:
    """A part of the proof of the theorem that is amended."""
    return p.claim(
        f"thm3.1.{name}",
        *_PLACE,
        text,
        statement,
        hypotheses=(ONE_LEVEL, p.METHOD, *hypotheses),
        where={symbol: pair for symbol, pair in PAIR.items() if statement.has(symbol)},
        setting=setting,
        proof=Proof(*steps),
    )


_t = p.beta * p.lam
_ez = hz - Sz
DESCENT = _lemma(
    "descent",
    "W(x^+, z^+) - W(x, z) <= -(alpha/2) ||grad f||^2 - (alpha/4) ||h||^2 - alpha L_Z^2 ||z - z^*||^2 + alpha (||h - "
    "P||^2 + omega^2 ||q - S||^2) for a local step",
    le(
        W_next - W,
        p.alpha * (-grad2 / 2 - p.h2 / 4 - p.L_Z**2 * p.gap2 + err),
    ),
    (PULL, FORCE, IN_Z, CURVED, SOLUTION, GRADIENT, WEIGHT, STEP_Z, STEP_X, RATIO),
    STEP,
    section("The descent of f"),
    have("smooth", le(f_n - f_x + p.alpha * dot(gx, hx), p.L_h / 2 * p.alpha**2 * p.h2), by=[smooth("f", "x", "x+")]),
    have("alpha", STEP_X.relation),
    have("curvature", le(p.L_h * p.alpha**2 * p.h2, p.alpha / 4 * p.h2), by=["alpha"]),
    have("off z*", IN_Z.relation),
    have(
        "of f",
        le(
            f_n - f_x,
            p.alpha * (-grad2 / 2 - _R(3, 8) * p.h2 + norm2(hx - Px) + p.L_Z**2 * p.gap2),
        ),
        by=["smooth", "curvature", "off z*"],
        multipliers=[1, _R(1, 2), p.alpha],
    ),
    section("The step of z"),
    have("pull", PULL.relation),
    have("force", FORCE.relation),
    have("beta", STEP_Z.relation),
    have("small force", le(4 * p.beta**2 * p.S2, _t * p.gap2), by=["force", "beta"]),
    have(
        "towards z*",
        le(norm2(zn - zs), (1 - _t) * p.gap2 + (2 * p.beta / p.lam + 2 * p.beta**2) * norm2(_ez)),
        by=["pull", "small force"],
        multipliers=[2 * p.beta, _R(1, 2)],
    ),
    have("z* moves", le(norm2(zsn - zs), p.L_z**2 * p.alpha**2 * p.h2), by=[lipschitz("z*", "x", "x+")]),
    have(
        "of z",
        le(
            norm2(zn - zsn),
            (1 + _t / 2) * norm2(zn - zs) + (1 + 2 / _t) * norm2(zsn - zs),
        ),
    ),
    section("The distance after the step, in W"),
    have("lambda", le(p.lam, p.L_s)),
    have("4 lambda^2 beta", le(4 * p.lam**2 * p.beta, p.lam), by=["lambda", "beta"]),
    have("t", le(4 * _t, 1), by=["4 lambda^2 beta"]),
    have(
        "after the step",
        le(
            norm2(zn - zsn),
            (1 - _t / 2) * p.gap2
            + (1 + _t / 2) * (2 * p.beta / p.lam + 2 * p.beta**2) * norm2(_ez)
            + (1 + 2 / _t) * p.L_z**2 * p.alpha**2 * p.h2,
        ),
        by=["of z", "z* moves", "towards z*"],
        multipliers=[1, 1 + 2 / _t, 1 + _t / 2],
    ),
    have("ratio", RATIO.relation),
    have("ratio squared", le(81 * p.L_Z**2 * p.L_z**2 * p.alpha**2, _t**2), by=["ratio"]),
    have("of h", le(c * (1 + 2 / _t) * p.L_z**2 * p.alpha**2, p.alpha / 8), by=["ratio squared", "t"]),
    have(
        "of e",
        le(c * (1 + _t / 2) * (2 * p.beta / p.lam + 2 * p.beta**2), p.alpha * _R(49, 4) * p.L_Z**2 / p.lam**2),
        by=["t"],
    ),
    have("of h, in all", le(c * (1 + 2 / _t) * p.L_z**2 * p.alpha**2 * p.h2, p.alpha / 8 * p.h2), by=["of h"]),
    have(
        "of e, in all",
        le(
            c * (1 + _t / 2) * (2 * p.beta / p.lam + 2 * p.beta**2) * norm2(_ez),
            p.alpha * _R(49, 4) * p.L_Z**2 / p.lam**2 * norm2(_ez),
        ),
        by=["of e"],
    ),
    have(
        "of the distance",
        le(
            c * norm2(zn - zsn),
            c * p.gap2
            + p.alpha * (-2 * p.L_Z**2 * p.gap2 + p.h2 / 8 + _R(49, 4) * p.L_Z**2 / p.lam**2 * norm2(_ez)),
        ),
        by=["after the step", "of h, in all", "of e, in all"],
        multipliers=[c, 1, 1],
    ),
    section("The descent of W"),
    have("omega", WEIGHT.relation),
    have("omega squared", le(_R(49, 4) * p.L_Z**2 / p.lam**2, omega**2), by=["omega"]),
    have("the error", le(_R(49, 4) * p.L_Z**2 / p.lam**2 * norm2(_ez), omega**2 * norm2(_ez)), by=["omega squared"]),
    qed(by=["of f", "of the distance", "the error"], multipliers=[1, 1, p.alpha]),
)
_noise = Cx + omega * Cz
SARAH = _lemma(
    "sarah",
    "the weighted error after a local step of SARAH: E ||.||^2 <= (1 + 1/K) E ||.||^2 + ((1 + K) tau^2 + Lb^2/b) times "
    "the squared move",
    le(err_next, (1 + 1 / p.K) * err + ((1 + p.K) * tau**2 + Lb**2 / p.b) * moved),
    (SAMPLES, ALIKE, LOCAL_SAMPLES),
    STEP,
    section("The samples of a local step"),
    *(
        step
        for of, j, change, one, noises, L in (("p", jx, _jx, cx, Cx, p.Lb_p), ("s", jz, _jz, cz, Cz, p.Lb_s))
        for step in (
            have(f"change of {of}", le(norm2(change + one), L**2 * moved), by=[lipschitz(of, "w", "w+"), written_out(str(j))]),
            have(f"no bias of {of}", eq(dot(one, change), 0), by=[fresh(str(one))]),
            have(f"one sample of {of}", le(norm2(one), L**2 * moved), by=[f"change of {of}", f"no bias of {of}"]),
            have(f"the batch of {of}", le(norm2(noises), L**2 / p.b * moved), by=[variance(str(noises)), f"one sample of {of}"]),
        )
    ),
    section("The clients are alike"),
    have("of P", le(norm2(Dxn - Dx), p.tau_0**2 * moved), by=[lipschitz("P^m - P", "w", "w+")]),
    have("of S", le(norm2(Dzn - Dz), p.tau_n**2 * moved), by=[lipschitz("S^m - S", "w", "w+")]),
    have("of both", le(norm2(_hetero), (p.tau_0**2 + omega**2 * p.tau_n**2) * moved), by=["of P", "of S"]),
    section("The error"),
    have("fresh", eq(dot(_noise, _error + _hetero), 0), by=[fresh("Cx"), fresh("Cz")]),
    have(
        "in two parts",
        le(err_next, norm2(_error + _hetero) + norm2(_noise)),
        by=["fresh", written_out("Jx"), written_out("Jz")],
    ),
    have("Young", le(norm2(_error + _hetero), (1 + 1 / p.K) * err + (1 + p.K) * norm2(_hetero))),
    have("Lb", eq(Lb**2, p.Lb_p**2 + omega**2 * p.Lb_s**2), by=[unfold(Lb)]),
    have("tau", eq(tau**2, p.tau_0**2 + omega**2 * p.tau_n**2), by=[unfold(tau)]),
    have("the batch", le(norm2(_noise), Lb**2 / p.b * moved), by=["the batch of p", "the batch of s", "Lb"], multipliers=[1, omega**2]),
    have("the clients", le(norm2(_hetero), tau**2 * moved), by=["of both", "tau"], multipliers=[1]),
    qed(by=["in two parts", "Young", "the clients", "the batch"], multipliers=[1, 1, 1 + p.K, 1]),
)
CLAIMS = (DESCENT, SARAH)
