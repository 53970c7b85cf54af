"""One local step and one round of FedMSA in vectors, with one inner sequence.

A local step is that of the client that was drawn, which belongs to the past. The estimates of ``P`` and ``S`` and their
errors are taken together, with the weight ``omega`` for ``S``: ``||h - P||^2 + omega^2 ||q - S||^2``. Vectors of the
space of ``x`` have an x in their names, those of the space of ``z`` a z.
"""

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedBelow,
    BoundedVariance,
    EveryPoint,
    Independent,
    Lipschitz,
    Smooth,
    Unbiased,
)
from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import levels
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Part,
    Proof,
    Setting,
    Step,
    cite,
    everywhere,
    fresh,
    have,
    infimum,
    lipschitz,
    mean,
    qed,
    section,
    smooth,
    supposed,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import COUNT, NONNEG, POS
from rateproof.theory.units import INNER, OUTER

_R = sp.Rational
_PLACE = ("proof of Theorem 3.1", Kind.INEQUALITY)

# --- what is measured

k = p.declare("k_0", "index of a local step, from 0", latex="k", nonnegative=True, integer=True)
B = p.declare("B_all", "batch size of a client in the momentum phase", latex="B", **COUNT)
f_inf = p.declare("f_inf", "infimum of f", OUTER, latex=r"\inf f", real=True)
omega = p.declare("omega_w", "weight of the error of q", OUTER / INNER, latex=r"\omega", **POS)
Lb = p.declare("Lb_w", "mean Lipschitz constant of (p, omega s)", OUTER / p.AREA, latex=r"\bar L", defined=True, **POS)
tau = p.declare("tau_w", "heterogeneity of (P, omega S)", OUTER / p.AREA, latex=r"\tau", defined=True, **NONNEG)
noise = p.declare("sigma_w", "noise level of (p, omega s)", p.SLOPE, latex=r"\sigma", defined=True, **NONNEG)
grad2 = p.formula("grad_f2", "E ||grad f(x)||^2", p.SLOPE**2, **NONNEG)
W = p.formula("W", "E [f(x) + c ||z - z^*(x)||^2]", OUTER)
W_next = p.formula("W_next", "E [f(x^+) + c ||z^+ - z^*(x^+)||^2]", OUTER)
err = p.formula("err", "E [||h - P||^2 + omega^2 ||q - S||^2]", p.SLOPE**2, **NONNEG)
err_next = p.formula("err_next", "E [||h^+ - P^+||^2 + omega^2 ||q^+ - S^+||^2]", p.SLOPE**2, **NONNEG)
moved = p.formula("moved", "E [||x^+ - x||^2 + ||z^+ - z||^2]", p.AREA, **NONNEG)
W_0 = p.formula("W_0", "f(x_0) + c ||z_0 - z^*(x_0)||^2", OUTER)
f_0 = p.formula("f_0", "f(x_0)", OUTER)
gap_0 = p.formula("gap_0", "||z_0 - z^*(x_0)||^2", p.AREA, **NONNEG)
err_start = p.formula("err_start", "E [||h_r - P||^2 + omega^2 ||q_r - S||^2]", p.SLOPE**2, **NONNEG)
err_end = p.formula("err_end", "E [||h_{r+1} - P||^2 + omega^2 ||q_{r+1} - S||^2]", p.SLOPE**2, **NONNEG)
err_0 = p.formula("err_0", "E [||h_0 - P||^2 + omega^2 ||q_0 - S||^2]", p.SLOPE**2, **NONNEG)
moves = p.formula("all_moves", "sum_k E [||x_{k+1} - x_k||^2 + ||z_{k+1} - z_k||^2]", p.AREA, **NONNEG)
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

x, z, zs, zsn, hx, hz, gx, gxn = vectors("x z zs zsn hx hz gx gxn")
Px, Pxs, Pxn, Sz, Szn, Dx, Dxn, Dz, Dzn = vectors("Px Pxs Pxn Sz Szn Dx Dxn Dz Dzn")
px, sz, cx, cz, jx, jz, Jx, Jz, Cx, Cz = vectors("px sz cx cz jx jz Jx Jz Cx Cz")

ONE_LEVEL = p.H_("one level", "there is one inner sequence, N = 1, with z^*(x) the zero of S(x, .)")
PULL = p.H_(
    "A5/mean",
    "<z - z^*(x), S(x, z)> >= lambda ||z - z^*(x)||^2 for all x and z",
    None,
    EveryPoint("S(x, .)", "z", ge(dot(z - zs, Sz), p.lam * norm2(z - zs))),
)
FORCE = p.H_("A3/S", "S(x, .) is L_s-Lipschitz", None, Lipschitz("S(x, .)", p.L_s))
IN_Z = p.H_("A3/P", "P(x, .) is L_Z-Lipschitz", None, Lipschitz("P(x, .)", p.L_Z))
CURVED = p.H_("lam<=L_s", "lambda <= L_s, as follows where z is not z^*(x) somewhere", le(p.lam, p.L_s))
SOLUTION = p.H_("A2/one", "z^* is L_z-Lipschitz", None, Lipschitz("z*", p.L_z))
GRADIENT = p.H_("gradient", "P(x, z^*(x)) is the gradient of f, which is L_h-smooth", None, Smooth("f", p.L_h))
SAMPLES = p.H_(
    "A4/mean square",
    "p^m(x, z; xi) and s^m(x, z; zeta) are Lb_p- and Lb_s-Lipschitz in (x, z), in mean square, for every client m",
    None,
    *(Lipschitz(of, L, random="xi", given="past") for of, L in (("p", p.Lb_p), ("s", p.Lb_s))),
    *(Lipschitz(of, L, random="zeta", given="past") for of, L in (("p_i", p.Lb_p), ("s_i", p.Lb_s))),
)
ALIKE = p.H_(
    "C/Lipschitz",
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
VARIANCE = p.H_(
    "B/noise",
    "E||p^m(x, z; xi) - P^m(x, z)||^2 <= sigma_0^2 and E||s^m(x, z; zeta) - S^m(x, z)||^2 <= sigma_1^2",
    None,
    *(BoundedVariance(of, p.sigma0**2) for of in ("ex", "e0x")),
    *(BoundedVariance(of, p.sigma_n**2) for of in ("ez", "e0z")),
)
ALL_SAMPLES = p.H_(
    "samples of all clients",
    "the samples of all clients are independent, and unbiased given the past",
    None,
    *(Unbiased(of, "past client draw") for of in ("ex", "ez", "dx", "dz")),
    *(Independent(of, over) for of in ("ex", "ez", "dx", "dz") for over in ("client", "draw")),
    *(Unbiased(of, "client draw_0") for of in ("e0x", "e0z")),
    *(Independent(of, over) for of in ("e0x", "e0z") for over in ("client", "draw_0")),
)
SMALLER = p.H_("rho<=1", "rho <= 1", le(p.rho, 1))
WEIGHT = p.H_("omega", "2 lambda omega >= 7 L_Z", le(7 * p.L_Z, 2 * p.lam * omega))
STEP_Z = p.H_("beta", "4 L_s^2 beta <= lambda", le(4 * p.L_s**2 * p.beta, p.lam))
STEP_X = p.H_("alpha", "4 L_h alpha <= 1", le(4 * p.L_h * p.alpha, 1))
RATIO = p.H_("ratio", "9 L_Z L_z alpha <= lambda beta", le(9 * p.L_Z * p.L_z * p.alpha, p.lam * p.beta))

# --- one local step

f_x, f_n, f_x0 = sp.symbols("f_x f_n f_x0", real=True)
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
        sums={"gx": 1 * Pxs, "jx": _jx + cx, "jz": _jz + cz, "Jx": _jx + Cx, "Jz": _jz + Cz},
        each={"p": "sample xi", "s": "sample xi"},
        functions={
            "f": {"x": (x, gx, f_x), "x+": (xn, gxn, f_n)},
            "z*": {"x": (x, zs, None), "x+": (xn, zsn, None)},
            "P(x, .)": {"z": (z, Px, None), "z*": (zs, Pxs, None)},
            "S(x, .)": {"z": (z, Sz, None), "z*": (zs, Vector(), None)},
            "P": {"w+": (_wn, Pxn, None)},
            "S": {"w+": (_wn, Szn, None)},
            "P^m - P": {"w": (_w, Dx, None), "w+": (_wn, Dxn, None)},
            "S^m - S": {"w": (_w, Dz, None), "w+": (_wn, Dzn, None)},
            "p": {"w": (_w, px, None), "w+": (_wn, px + jx, None)},
            "s": {"w": (_w, sz, None), "w+": (_wn, sz + jz, None)},
        },
        infima={"f": f_inf},
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
            **{"x": "x_{r+1,k+1}", "z": "z_{r+1,k+1}", "hx": "h_{r,k+1}", "hz": "q_{r,k+1}"},
            **{"xi": "the sample of a local step", "past": "what is drawn before the local step, the client too"},
            **{"p": "p^m of the client that was drawn", "s": "s^m of the client that was drawn"},
            "batch": "all samples of the local step",
        },
    )
)


def pairs_of(statement: sp.Basic, hypotheses: tuple[Hypothesis, ...]) -> dict[sp.Symbol, sp.Expr]:
    """The definitions that a claim needs."""
    said = (statement, *(h.relation for h in hypotheses if h.relation is not None))
    return {symbol: pair for symbol, pair in PAIR.items() if any(e.has(symbol) for e in said)}


def _lemma(
    name: str, text: str, statement: sp.Basic, hypotheses: tuple[Hypothesis, ...], setting: Setting, *steps: Part
) -> Claim:
    """A part of the proof of the theorem that is amended."""
    return p.claim(
        f"thm3.1.{name}",
        *_PLACE,
        text,
        statement,
        hypotheses=(p.METHOD, *hypotheses),
        where=pairs_of(statement, hypotheses),
        setting=setting,
        proof=Proof(*steps),
    )


_t = p.beta * p.lam
_ez = hz - Sz
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
            have(
                f"change of {of}",
                le(norm2(change + one), L**2 * moved),
                by=[lipschitz(of, "w", "w+"), written_out(str(j))],
            ),
            have(f"no bias of {of}", eq(dot(one, change), 0), by=[fresh(str(one))]),
            have(f"one sample of {of}", le(norm2(one), L**2 * moved), by=[f"change of {of}", f"no bias of {of}"]),
            have(
                f"the batch of {of}",
                le(norm2(noises), L**2 / p.b * moved),
                by=[variance(str(noises)), f"one sample of {of}"],
            ),
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
    have(
        "the batch",
        le(norm2(_noise), Lb**2 / p.b * moved),
        by=["the batch of p", "the batch of s", "Lb"],
        multipliers=[1, omega**2],
    ),
    have("the clients", le(norm2(_hetero), tau**2 * moved), by=["of both", "tau"], multipliers=[1]),
    qed(by=["in two parts", "Young", "the clients", "the batch"], multipliers=[1, 1, 1 + p.K, 1]),
)

# --- the momentum phase


def _v(name: str) -> Vector:
    """A basic vector by name."""
    return vectors(name)[0]


_keep = 1 - p.rho
_start, _end = _v("xr") + _v("zr"), _v("xr") + _v("zr") + p.K * (_v("mx_a") + _v("mz_a"))


_last = _v("hx") - _v("Px") + omega * (_v("hz") - _v("Pz"))


def _in_space(of: str) -> dict[str, dict[str, Any]]:
    """What there is of one space: ``i`` is of a client, ``s`` of the end of the round, ``_b`` a mean over samples."""
    at, at_end = _v(f"P{of}i"), _v(f"P{of}si")
    e, d, e_b, d_b, e_a, d_a = (_v(f"{n}{of}{over}") for over in ("", "_b", "_a") for n in "ed")
    mean_at, mean_end, last = _v(f"P{of}"), _v(f"P{of}s"), _v(f"h{of}")
    means = {
        f"m{of}_a": Mean(f"m{of}", "step"),
        f"P{of}": Mean(f"P{of}i", "client"),
        f"P{of}s": Mean(f"P{of}si", "client"),
        **{f"{n}{of}_b": Mean(f"{n}{of}", "draw") for n in "edt"},
        **{f"{n}{of}_a": Mean(f"{n}{of}_b", "client") for n in "edt"},
    }
    sums = {
        f"g{of}": at + e - d,
        f"g{of}s": at_end + e,
        f"t{of}": at_end + e + _keep * (last - at - e + d),
        f"t{of}_b": at_end + e_b + _keep * (last - at - e_b + d_b),
        f"t{of}_a": mean_end + e_a + _keep * (last - mean_at - e_a + d_a),
    }
    return {"means": means, "sums": sums}


_SPACES = {of: _in_space(of) for of in "xz"}
_MAPS = {"P_i": ("Pxi", "Pxsi"), "S_i": ("Pzi", "Pzsi"), "p_i": ("gx", "gxs"), "s_i": ("gz", "gzs")}
#: ``P`` in the name of a vector is for both P and S; ``e`` is the noise of a sample at the end of the round, and ``d``
#: that in the change of the sample; ``t_a`` is the estimate, and ``m`` a local step.
MOMENTUM = by_space(
    Setting(
        depends={
            **dict.fromkeys(("xr", "zr", "hx", "hz"), "past"),
            **dict.fromkeys(("mx", "mz"), "past step"),
            **dict.fromkeys(("ex", "ez", "dx", "dz"), "past client draw zeta"),
        },
        sizes={"draw": B, "client": p.M, "step": p.K},
        within={"zeta": "draw"},
        together={"draw": "draws"},
        each={"P_i": "client", "S_i": "client", "p_i": "client draw zeta", "s_i": "client draw zeta"},
        means={name: how for space in _SPACES.values() for name, how in space["means"].items()},
        sums={name: how for space in _SPACES.values() for name, how in space["sums"].items()},
        functions={of: {"w": (_start, _v(at), None), "w+": (_end, _v(end), None)} for of, (at, end) in _MAPS.items()},
        metrics={
            err_start: norm2(_last),
            err_end: norm2(_v("tx_a") - _v("Pxs") + omega * (_v("tz_a") - _v("Pzs"))),
            moves: p.K * norm2(_v("mx") + _v("mz")),
        },
        words={
            **{
                "xr": "x_r",
                "zr": "z_r",
                "hx": "h_r",
                "hz": "q_r",
                "mx": "a local step of x",
                "mz": "a local step of z",
            },
            **{
                "zeta": "a sample",
                "past": "what is drawn before the momentum phase",
                "draws": "all samples of a client",
            },
        },
    )
)
_chi = p.M * B
_noises, _changes = (_v(f"{n}x_a") + omega * _v(f"{n}z_a") for n in "ed")
MOMENTUM_STEP = _lemma(
    "momentum",
    "the weighted error after a round: E ||.||^2 <= (1 - rho)^2 E ||.||^2 + 2 rho^2 sigma^2/(M B) + 2 (1 - rho)^2 "
    "Lb^2/(M B) K times the sum of the squared moves of the round",
    le(
        err_end,
        _keep**2 * err_start + 2 * p.rho**2 * noise**2 / _chi + 2 * _keep**2 * Lb**2 / _chi * p.K * moves,
    ),
    (SAMPLES, VARIANCE, ALL_SAMPLES),
    MOMENTUM,
    section("The noise of the samples"),
    have("the round", le(norm2(_end - _start), p.K * moves), by=[mean("mx_a"), mean("mz_a")]),
    *(
        step
        for of, name, L, sigma in (("x", "p_i", p.Lb_p, p.sigma0), ("z", "s_i", p.Lb_s, p.sigma_n))
        for step in (
            have(
                f"change of {name}",
                le(norm2(_v(f"g{of}s") - _v(f"g{of}")), L**2 * norm2(_end - _start)),
                by=[lipschitz(name, "w", "w+")],
            ),
            have(
                f"no bias of {name}",
                eq(dot(_v(f"d{of}"), _v(f"P{of}si") - _v(f"P{of}i")), 0),
                by=[fresh(f"d{of}")],
            ),
            have(
                f"one sample of {name}",
                le(norm2(_v(f"d{of}")), L**2 * norm2(_end - _start)),
                by=[f"change of {name}", f"no bias of {name}", written_out(f"g{of}"), written_out(f"g{of}s")],
            ),
            have(
                f"changes of {name}",
                le(_chi * norm2(_v(f"d{of}_a")), norm2(_v(f"d{of}"))),
                by=[variance(f"d{of}_a"), variance(f"d{of}_b")],
            ),
            have(
                f"noise of {name}",
                le(_chi * norm2(_v(f"e{of}_a")), sigma**2),
                by=[variance(f"e{of}_a"), variance(f"e{of}_b"), variance(f"e{of}")],
            ),
        )
    ),
    section("The error of the estimate"),
    have("Lb", eq(Lb**2, p.Lb_p**2 + omega**2 * p.Lb_s**2), by=[unfold(Lb)]),
    have("sigma", eq(noise**2, p.sigma0**2 + omega**2 * p.sigma_n**2), by=[unfold(noise)]),
    have(
        "the changes",
        le(_chi * norm2(_changes), Lb**2 * p.K * moves),
        by=[*(f"{what} of {name}" for name in ("p_i", "s_i") for what in ("changes", "one sample")), "the round", "Lb"],
        multipliers=[1, 1, omega**2, omega**2, Lb**2],
    ),
    have(
        "the noises",
        le(_chi * norm2(_noises), noise**2),
        by=["noise of p_i", "noise of s_i", "sigma"],
        multipliers=[1, omega**2],
    ),
    have(
        "fresh",
        eq(dot(p.rho * _noises + _keep * _changes, _last), 0),
        by=[fresh(f"{n}{of}_a") for of in "xz" for n in "ed"],
    ),
    have(
        "the estimate",
        le(err_end, norm2(_keep * _last + p.rho * _noises + _keep * _changes)),
        by=[written_out("tx_a"), written_out("tz_a")],
    ),
    have(
        "in two parts",
        le(err_end, _keep**2 * err_start + norm2(p.rho * _noises + _keep * _changes)),
        by=["the estimate", "fresh"],
        multipliers=[1, -2 * _keep],
    ),
    qed(
        by=["in two parts", "the changes", "the noises"],
        multipliers=[1, 2 * _keep**2 / _chi, 2 * p.rho**2 / _chi],
    ),
)
#: The first estimate, with rho = 1: ``t0`` is a sample of a client, at ``x_0`` and ``z_0``.
FIRST = by_space(
    Setting(
        depends={**dict.fromkeys(("x0", "z0"), ""), **dict.fromkeys(("e0x", "e0z"), "client draw_0 zeta_0")},
        sizes={"draw_0": p.b0, "client": p.M},
        within={"zeta_0": "draw_0"},
        together={"draw_0": "draws_0"},
        means={
            name: how
            for of in "xz"
            for name, how in {
                f"e0{of}_b": Mean(f"e0{of}", "draw_0"),
                f"e0{of}_a": Mean(f"e0{of}_b", "client"),
            }.items()
        },
        functions={"f": {"x_0": (_v("x0"), None, f_x0)}, "z*": {"x_0": (_v("x0"), _v("zs0"), None)}},
        metrics={
            err_0: norm2(_v("e0x_a") + omega * _v("e0z_a")),
            gap_0: norm2(_v("z0") - _v("zs0")),
            f_0: f_x0,
            W_0: f_x0 + c * norm2(_v("z0") - _v("zs0")),
        },
        words={
            "x0": "x_0",
            "z0": "z_0",
            "e0x": "the noise of a sample of p^m in the first round",
            "e0z": "that of a sample of s^m",
        },
    )
)
FIRST_ESTIMATE = _lemma(
    "first",
    "the weighted error of the first estimate is at most sigma^2/(M b_0)",
    le(err_0, noise**2 / (p.M * p.b0)),
    (VARIANCE, ALL_SAMPLES),
    FIRST,
    *(
        have(
            f"noise of {name}",
            le(p.M * p.b0 * norm2(_v(f"e0{of}_a")), sigma**2),
            by=[variance(f"e0{of}_a"), variance(f"e0{of}_b"), variance(f"e0{of}")],
        )
        for of, name, sigma in (("x", "p_i", p.sigma0), ("z", "s_i", p.sigma_n))
    ),
    have("sigma", eq(noise**2, p.sigma0**2 + omega**2 * p.sigma_n**2), by=[unfold(noise)]),
    qed(by=["noise of p_i", "noise of s_i", "sigma"], multipliers=[1 / (p.M * p.b0), omega**2 / (p.M * p.b0)]),
)

# --- one local step in numbers

Psi = p.formula("Psi", "W + alpha s_k E [||h - P||^2 + omega^2 ||q - S||^2]", OUTER)
Psi_next = p.formula("Psi_next", "the same after the step, with s_{k+1}", OUTER)


def left(k: sp.Expr) -> sp.Expr:
    """The factor of the error after k local steps: ``s_k = 2 n (1 + n/K)`` for the n steps that are left."""
    n = p.K - k
    return 2 * n * (1 + n / p.K)


#: By what the squared move of a step adds to the error.
GROWTH = (1 + p.K) * tau**2 + Lb**2 / p.b
SHORT_X = p.H_("alpha K", "32 K ((1 + K) tau^2 + Lb^2/b) alpha^2 <= 1", le(32 * p.K * GROWTH * p.alpha**2, 1))
SHORT_Z = p.H_(
    "beta K",
    "16 K ((1 + K) tau^2 + Lb^2/b) L_s^2 beta^2 <= L_Z^2",
    le(16 * p.K * GROWTH * p.L_s**2 * p.beta**2, p.L_Z**2),
)
IN_RANGE = p.H_("k<K", "k <= K - 1", le(k, p.K - 1))
#: What is supposed beside the levels of the inner sequences.
LOCAL = (CURVED, GRADIENT, SAMPLES, ALIKE, LOCAL_SAMPLES, WEIGHT, STEP_Z, STEP_X, RATIO)


def in_numbers(step: Setting) -> Setting:
    """The setting of a local step with its Lyapunov function."""
    now, after = (step.metrics[metric] for metric in (W, W_next))
    more = {
        Psi: now + p.alpha * left(k) * step.metrics[err],
        Psi_next: after + p.alpha * left(k + 1) * step.metrics[err_next],
    }
    return replace(step, metrics={**step.metrics, **more})


NUMBERS = in_numbers(STEP)
_s, _s1 = left(k), left(k + 1)
_paid = p.alpha * (-grad2 / 2 - p.h2 / 8 - p.L_Z**2 * p.gap2 / 2 - _R(3, 4) * err)
LONG_X = p.H_("alpha rho", "64 K^2 Lb^2 alpha^2 <= rho M B", le(64 * p.K**2 * Lb**2 * p.alpha**2, p.rho * _chi))
LONG_Z = p.H_(
    "beta rho",
    "64 K^2 Lb^2 L_s^2 beta^2 <= rho M B L_Z^2",
    le(64 * p.K**2 * Lb**2 * p.L_s**2 * p.beta**2, p.rho * _chi * p.L_Z**2),
)
#: By what the squared moves of a round add to the error of the next one, over 2/rho.
CARRIED = 8 * p.K**2 * Lb**2 / (p.rho * _chi)


@dataclass(frozen=True)
class Levels:
    """How many inner sequences there are, and what that gives of all of them together.

    Attributes:
        suffix: of the claims.
        out: how far ``ztilde`` is from ``z^*(xtilde)``.
        hypotheses: what is supposed of ``S`` and ``z^*``, and of ``P`` in z.
        step: the setting of a local step.
        pull, force, solution, outer: steps that show "pull", "force", "z* moves" and "off z*".
    """

    suffix: str
    out: sp.Symbol
    hypotheses: tuple[Hypothesis, ...]
    step: Setting
    pull: tuple[Step, ...]
    force: tuple[Step, ...]
    solution: tuple[Step, ...]
    outer: tuple[Step, ...]


#: That ``S`` pulls towards ``z^*``, that it is short there, how far ``z^*`` moves, and how far ``P`` is off there.
SAYS = {
    "pull": ge(p.pull, p.lam * p.gap2),
    "force": le(p.S2, p.L_s**2 * p.gap2),
    "z* moves": le(norm2(zsn - zs), p.L_z**2 * p.alpha**2 * p.h2),
    "off z*": le(P_off, p.L_Z**2 * p.gap2),
}
_OUTER = (have("off z*", SAYS["off z*"], by=[lipschitz("P(x, .)", "z", "z*"), written_out("gx")]),)
ONE = Levels(
    "",
    p.gap2_out,
    (ONE_LEVEL, PULL, FORCE, SOLUTION, IN_Z),
    STEP,
    (have("pull", SAYS["pull"], by=[everywhere("S(x, .)", "z")]),),
    (have("force", SAYS["force"], by=[lipschitz("S(x, .)", "z", "z*")]),),
    (have("z* moves", SAYS["z* moves"], by=[lipschitz("z*", "x", "x+")]),),
    _OUTER,
)

ALL_LEVELS = p.H_(
    "N levels", "z = (z^1, ..., z^N) and S = (S^1, ..., S^N), with Z^*(x) for z^*(x), in the norm sum_n w^-n ||.||^2"
)
TOGETHER = p.H_(
    "constants",
    "lambda = lambda_min/8, L_s = (8/5) L_{s,max} and L_z = 3/5 are those of all levels together",
    every(eq(8 * p.lam, levels.lam), eq(5 * p.L_s, 8 * levels.L_s), eq(5 * p.L_z, 3)),
)
_LEVELS = levels.SETTING
#: ``Tyb`` of the levels is where ``x^+`` leads.
STEP_OF_ALL = replace(
    STEP,
    depends={**STEP.depends, **_LEVELS.depends},
    functions={**STEP.functions, **_LEVELS.functions},
    metrics={
        **STEP.metrics,
        **_LEVELS.metrics,
        levels.sum_dist: p.gap2,  # the same, as a sum over the levels
        levels.sum_pull: dot(z - zs, Sz),
        levels.sum_size: norm2(Sz),
        levels.sum_moved: norm2(zsn - zs),
        levels.moved_x: norm2(xn - x),
        levels.now_all: levels.sum_gap,
    },
    sequences=_LEVELS.sequences,
    fixed=_LEVELS.fixed,
    words={**STEP.words, **_LEVELS.words},
)


def _of_all(name: str, stated: sp.Rel, constant: sp.Rel) -> tuple[Step, ...]:
    """A fact of all levels, with the constant that they have together."""
    return (
        have(f"{name} of all levels", stated, by=[cite(levels.LEVELS), SEQUENCES]),
        have(f"constant of {name}", constant),
        have(name, SAYS[name], by=[f"{name} of all levels", f"constant of {name}"]),
    )


_PULL, _FORCE, _SOLUTION, _ = levels.STATED
ALL = Levels(
    ".levels",
    levels.far_out,
    (ALL_LEVELS, *levels.LEVELS.hypotheses, TOGETHER, IN_Z),
    STEP_OF_ALL,
    _of_all("pull", _PULL, eq(8 * p.lam, levels.lam)),
    _of_all("force", _FORCE, eq(5 * p.L_s, 8 * levels.L_s)),
    _of_all("z* moves", _SOLUTION, eq(5 * p.L_z, 3)),
    _OUTER,
)

#: Off what the levels track now, and off what they track in the end.
NOW = _lemma(
    "now",
    "sum_n w^-n ||z^n - z^{n,*}(z^{n-1})||^2 <= (5/2) ||Z - Z^*(x)||^2",
    le(levels.now_all, _R(5, 2) * p.gap2),
    ALL.hypotheses,
    STEP_OF_ALL,
    have("of all levels", levels.STATED[3], by=[cite(levels.LEVELS), SEQUENCES]),
    qed(by=["of all levels"]),
)


def local_step(of: Levels) -> Claim:
    """A local step in numbers, with what its move costs in the next round."""
    descent = _lemma(
        f"descent{of.suffix}",
        "W(x^+, z^+) - W(x, z) <= -(alpha/2) ||grad f||^2 - (alpha/4) ||h||^2 - alpha L_Z^2 ||z - z^*||^2 + alpha "
        "(||h - P||^2 + omega^2 ||q - S||^2) for a local step",
        le(
            W_next - W,
            p.alpha * (-grad2 / 2 - p.h2 / 4 - p.L_Z**2 * p.gap2 + err),
        ),
        (*of.hypotheses, CURVED, GRADIENT, WEIGHT, STEP_Z, STEP_X, RATIO),
        of.step,
        section("The descent of f"),
        have(
            "smooth", le(f_n - f_x + p.alpha * dot(gx, hx), p.L_h / 2 * p.alpha**2 * p.h2), by=[smooth("f", "x", "x+")]
        ),
        have("alpha", STEP_X.relation),
        have("curvature", le(p.L_h * p.alpha**2 * p.h2, p.alpha / 4 * p.h2), by=["alpha"]),
        *of.outer,
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
        *of.pull,
        *of.force,
        have("beta", STEP_Z.relation),
        have("small force", le(4 * p.beta**2 * p.S2, _t * p.gap2), by=["force", "beta"]),
        have(
            "towards z*",
            le(norm2(zn - zs), (1 - _t) * p.gap2 + (2 * p.beta / p.lam + 2 * p.beta**2) * norm2(_ez)),
            by=["pull", "small force"],
            multipliers=[2 * p.beta, _R(1, 2)],
        ),
        *of.solution,
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
        have(
            "the error", le(_R(49, 4) * p.L_Z**2 / p.lam**2 * norm2(_ez), omega**2 * norm2(_ez)), by=["omega squared"]
        ),
        qed(by=["of f", "of the distance", "the error"], multipliers=[1, 1, p.alpha]),
    )
    move = _lemma(
        f"move{of.suffix}",
        "the squared move of a local step: omega^2 ||.||^2 <= omega^2 alpha^2 ||h||^2 + 2 omega^2 beta^2 L_s^2 ||z - "
        "z^*||^2 + 2 beta^2 times the weighted error",
        le(
            omega**2 * moved,
            omega**2 * p.alpha**2 * p.h2 + 2 * omega**2 * p.beta**2 * p.L_s**2 * p.gap2 + 2 * p.beta**2 * err,
        ),
        of.hypotheses,
        of.step,
        *of.force,
        have("two parts", le(norm2(hz), 2 * p.S2 + 2 * norm2(_ez))),
        qed(by=["force", "two parts"], multipliers=[2 * omega**2 * p.beta**2, omega**2 * p.beta**2]),
    )
    local = _lemma(
        f"local{of.suffix}",
        "Psi^+ - Psi <= -(alpha/2) ||grad f||^2 - (alpha/8) ||h||^2 - (alpha/2) L_Z^2 ||z - z^*||^2 - (3 alpha/4) "
        "times the weighted error, with Psi = W + alpha s_k times the weighted error, s_k = 2 (K - k) (2 - k/K)",
        le(Psi_next - Psi, _paid),
        (*of.hypotheses, *LOCAL, SHORT_X, SHORT_Z, IN_RANGE),
        in_numbers(of.step),
        section("Signs and factors"),
        have("growth", ge(GROWTH, 0)),
        have("in range", IN_RANGE.relation),
        have("k", ge(k, 0)),
        have("s >= 0", ge(_s1, 0), by=["in range", "k"]),
        have("s <= 4 K", le(_s1, 4 * p.K), by=["in range", "k"]),
        have("falling", le(1 + (1 + 1 / p.K) * _s1 - _s, -1), by=["in range", "k"]),
        have("falling times the error", le((1 + (1 + 1 / p.K) * _s1 - _s) * err, -err), by=["falling"]),
        section("The move is short"),
        have("move", move.statement, by=[cite(move)]),
        have("alpha", SHORT_X.relation),
        have("beta", SHORT_Z.relation),
        have("lambda", le(16 * p.K * GROWTH * p.lam**2 * p.beta**2, p.L_Z**2), by=["beta", "growth"]),
        have("omega", WEIGHT.relation),
        have("omega squared", le(49 * p.L_Z**2, 4 * p.lam**2 * omega**2), by=["omega"]),
        have("beta by omega", le(32 * p.K * GROWTH * p.beta**2, omega**2), by=["lambda", "omega squared"]),
        *(
            have(name, le(left_ * metric, right_ * metric), by=[of])
            for name, of, left_, right_, metric in (
                ("of h", "alpha", 32 * p.K * GROWTH * p.alpha**2, 1, p.h2),
                ("of the distance", "beta", 16 * p.K * GROWTH * p.L_s**2 * p.beta**2, p.L_Z**2, p.gap2),
                ("of the error", "beta by omega", 32 * p.K * GROWTH * p.beta**2, omega**2, err),
            )
        ),
        have(
            "short",
            le(4 * p.K * GROWTH * moved, p.h2 / 8 + p.L_Z**2 * p.gap2 / 2 + err / 4),
            by=["move", "of h", "of the distance", "of the error", "growth"],
            multipliers=[4 * p.K * GROWTH / omega**2, _R(1, 8), _R(1, 2), 1 / (4 * omega**2)],
        ),
        section("The step"),
        have("a move", ge(moved, 0)),
        have("at most", le(_s1 * GROWTH * moved, 4 * p.K * GROWTH * moved), by=["s <= 4 K", "growth"]),
        have("descent", descent.statement, by=[cite(descent)]),
        have("error", SARAH.statement, by=[cite(SARAH)]),
        qed(
            by=["descent", "error", "at most", "short", "falling times the error", "s >= 0"],
            multipliers=[1, p.alpha * _s1, p.alpha, p.alpha, p.alpha],
        ),
    )
    paid = _lemma(
        f"paid{of.suffix}",
        "Psi^+ - Psi <= -(alpha/2) ||grad f||^2 - (alpha/4) L_Z^2 ||z - z^*||^2 - alpha (8 K^2 Lb^2/(rho M B)) times "
        "the squared move",
        le(Psi_next - Psi, p.alpha * (-grad2 / 2 - p.L_Z**2 * p.gap2 / 4 - CARRIED * moved)),
        (*of.hypotheses, *LOCAL, SHORT_X, SHORT_Z, LONG_X, LONG_Z, IN_RANGE),
        in_numbers(of.step),
        section("Conditions on the steps"),
        have("move", move.statement, by=[cite(move)]),
        have("alpha", le(8 * CARRIED * p.alpha**2, 1), by=[supposed(LONG_X.key)]),
        have("beta", le(8 * CARRIED * p.L_s**2 * p.beta**2, p.L_Z**2), by=[supposed(LONG_Z.key)]),
        have("carried", ge(CARRIED, 0)),
        have("lambda", le(8 * CARRIED * p.lam**2 * p.beta**2, p.L_Z**2), by=["beta", "carried"]),
        have("omega", WEIGHT.relation),
        have("omega squared", le(49 * p.L_Z**2, 4 * p.lam**2 * omega**2), by=["omega"]),
        have("beta by omega", le(4 * CARRIED * p.beta**2, omega**2), by=["lambda", "omega squared"]),
        section("What a move costs"),
        *(
            have(name, le(left_ * metric, right_ * metric), by=[of])
            for name, of, left_, right_, metric in (
                ("of h", "alpha", 8 * CARRIED * p.alpha**2, 1, p.h2),
                ("of the distance", "beta", 8 * CARRIED * p.L_s**2 * p.beta**2, p.L_Z**2, p.gap2),
                ("of the error", "beta by omega", 4 * CARRIED * p.beta**2, omega**2, err),
            )
        ),
        have(
            "carried move",
            le(CARRIED * moved, p.h2 / 8 + p.L_Z**2 * p.gap2 / 4 + err / 2),
            by=["move", "of h", "of the distance", "of the error", "carried"],
            multipliers=[CARRIED / omega**2, _R(1, 8), _R(1, 4), 1 / (2 * omega**2)],
        ),
        have("local step", local.statement, by=[cite(local)]),
        have("an error", ge(err, 0)),
        qed(by=["local step", "carried move", "an error"], multipliers=[1, p.alpha, p.alpha / 4]),
    )
    return paid


TO_END = p.H_("k<=K from 0", "k <= K", le(k, p.K))
BETWEEN = _lemma(
    "between",
    "W <= Psi <= W + 4 K alpha times the weighted error, for 0 <= k <= K",
    every(le(W, Psi), le(Psi, W + 4 * p.K * p.alpha * err)),
    (TO_END,),
    NUMBERS,
    have("an error", ge(err, 0)),
    have("in range", TO_END.relation),
    have("k", ge(k, 0)),
    have("s >= 0", ge(_s, 0), by=["in range", "k"]),
    have("s <= 4 K", le(_s, 4 * p.K), by=["in range", "k"]),
    qed(by=["an error", "s >= 0"], of=0),
    qed(by=["an error", "s <= 4 K"], of=1),
)
BOUNDED = p.H_("bounded below", "f is bounded from below", None, BoundedBelow("f"))
BELOW = _lemma(
    "below",
    "W >= inf f",
    ge(W, f_inf),
    (BOUNDED,),
    STEP,
    have("f", ge(f_x, f_inf), by=[infimum("f", "x")]),
    qed(by=["f"]),
)
START = _lemma("start", "W_0 = f(x_0) + c ||z_0 - z^*(x_0)||^2", le(W_0, f_0 + c * gap_0), (), FIRST, qed())
