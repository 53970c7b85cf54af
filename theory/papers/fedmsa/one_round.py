"""One local step and one round of FedMSA in vectors, with one inner sequence.

A local step is that of the client that was drawn, which belongs to the past. The estimates of ``P`` and ``S`` and their
errors are taken together, with the weight ``omega`` for ``S``: ``||h - P||^2 + omega^2 ||q - S||^2``. Vectors of the
space of ``x`` have an x in their names, those of the space of ``z`` a z.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

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
from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import levels
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.lemmas import notation as common
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Part,
    Proof,
    Setting,
    Step,
    cite,
    everywhere,
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
from rateproof.theory.symbols import COUNT, NONNEG, POS, N
from rateproof.theory.units import INNER, OUTER

_R = sp.Rational
_PLACE = ("proof of Theorem 3.1", Kind.INEQUALITY)

# --- what is measured

k = p.declare("k_0", "index of a local step, from 0", latex="k", nonnegative=True, integer=True)
B = p.declare("B_all", "batch size of a client in the momentum phase", latex="B", **COUNT)
f_inf = p.declare("f_inf", "infimum of f", OUTER, latex=r"\inf f", real=True)
delta = p.declare("delta_f", "how far P(x, z^*(x)) is from grad f(x)", p.SLOPE, latex=r"\delta", **NONNEG)
omega = p.declare("omega_w", "weight of the error of q", OUTER / INNER, latex=r"\omega", **POS)
Lb = p.declare("Lb_w", "mean Lipschitz constant of (p, omega s)", OUTER / p.AREA, latex=r"\bar L", defined=True, **POS)
tau = p.declare("tau_w", "heterogeneity of (P, omega S)", OUTER / p.AREA, latex=r"\tau_w", defined=True, **NONNEG)
noise = p.declare("sigma_w", "noise level of (p, omega s)", p.SLOPE, latex=r"\sigma", defined=True, **NONNEG)
W = p.formula("W", "E [f(x) + c ||z - z^*(x)||^2]", OUTER)
W_next = p.formula("W_next", "E [f(x^+) + c ||z^+ - z^*(x^+)||^2]", OUTER)
W_0 = p.formula("W_0", "f(x_0) + c ||z_0 - z^*(x_0)||^2", OUTER)
f_0 = p.formula("f_0", "f(x_0)", OUTER)
grad2, err, err_next, err_start, err_end, err_0, P_off = p.measured(
    p.SLOPE**2,
    grad_f2="E ||grad f(x)||^2",
    err="E [||h - P||^2 + omega^2 ||q - S||^2]",
    err_next="E [||h^+ - P^+||^2 + omega^2 ||q^+ - S^+||^2]",
    err_start="E [||h_r - P||^2 + omega^2 ||q_r - S||^2]",
    err_end="E [||h_{r+1} - P||^2 + omega^2 ||q_{r+1} - S||^2]",
    err_0="E [||h_0 - P||^2 + omega^2 ||q_0 - S||^2]",
    P_off="||P(x, z) - grad f(x)||^2",
)
gap_0, moved, moves = p.measured(
    p.AREA,
    gap_0="||z_0 - z^*(x_0)||^2",
    moved="E [||x^+ - x||^2 + ||z^+ - z||^2]",
    all_moves="sum_k E [||x_{k+1} - x_k||^2 + ||z_{k+1} - z_k||^2]",
)
#: ``(P, omega S)``: what the paper states of P and of S.
PAIR = {
    Lb: sp.sqrt(p.Lb_p**2 + omega**2 * p.Lb_s**2),
    tau: sp.sqrt(p.tau_0**2 + omega**2 * p.tau_n**2),
    noise: sp.sqrt(p.sigma0**2 + omega**2 * p.sigma_n**2),
}
#: The weight of the distance in W.
c = 4 * p.alpha * p.L_Z**2 / (p.beta * p.lam)

# --- hypotheses

x, z, zs, zsn, hx, hz, gx, gxn, ox, px, sz = vectors("x z zs zsn hx hz gx gxn ox px sz")
Px, Pxn, Sz, Szn, Dx, Dxn, Dz, Dzn, cx, cz = vectors("Px Pxn Sz Szn Dx Dxn Dz Dzn cx cz")

ONE_LEVEL = p.H_("one level", "there is one inner sequence, N = 1, with z^*(x) the zero of S(x, .)")
PULL = p.H_(
    "A5/mean",
    "<z - z^*(x), S(x, z)> >= lambda_n ||z - z^*(x)||^2 for all x and z",
    None,
    EveryPoint("S(x, .)", "z", ge(dot(z - zs, Sz), p.lam * norm2(z - zs))),
)
FORCE = p.H_("A3/S", "S(x, .) is L_{s,n}-Lipschitz", None, Lipschitz("S(x, .)", p.L_s))
CURVED = p.H_("lam<=L_s", "lambda_n <= L_{s,n}, as follows where z is not z^*(x) somewhere", le(p.lam, p.L_s))
SOLUTION = p.H_("A2/one", "z^* is L_{z,n}-Lipschitz", None, Lipschitz("z*", p.L_z))
SMOOTH = p.H_("gradient", "f is L_h-smooth", None, Smooth("f", p.L_h))
#: With ``delta = 0`` where P(x, z^*(x)) is grad f(x) and P(x, .) is L_Z-Lipschitz.
NEAR_GRADIENT = p.H_(
    "A3/P",
    "||P(x, z) - grad f(x)||^2 <= L_z^2 ||z - z^*(x)||^2 + delta^2 for all x and z",
    None,
    EveryPoint("P(x, .) - grad f(x)", "z", le(norm2(ox), p.L_Z**2 * norm2(z - zs) + delta**2)),
)
SAMPLES = p.H_(
    "A4/mean square",
    "p^m(x, z; xi) and s^m(x, z; zeta) are Lb_p- and Lb_{s,n}-Lipschitz in (x, z), in mean square, for every client m",
    None,
    *(Lipschitz(of, L, random="xi", given="past") for of, L in (("p", p.Lb_p), ("s", p.Lb_s))),
    *(Lipschitz(of, L, random="zeta", given="past") for of, L in (("p_i", p.Lb_p), ("s_i", p.Lb_s))),
)
ALIKE = p.H_(
    "C/Lipschitz",
    "P^m - P and S^m - S are tau_0- and tau_n-Lipschitz in (x, z), for every client m",
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
    "E||p^m(x, z; xi) - P^m(x, z)||^2 <= sigma_0^2 and E||s^m(x, z; zeta) - S^m(x, z)||^2 <= sigma_n^2",
    None,
    *(BoundedVariance(of, p.sigma0**2) for of in ("ex", "e0x")),
    *(BoundedVariance(of, p.sigma_n**2) for of in ("ez", "e0z")),
)
ALL_SAMPLES = p.H_(
    "samples of all clients",
    "the samples of all clients are independent, and unbiased given the past",
    None,
    *(says for of in ("ex", "ez", "dx", "dz") for says in (Unbiased(of, "past draw"), Independent(of, "draw"))),
    *(says for of in ("e0x", "e0z") for says in (Unbiased(of, "draw_0"), Independent(of, "draw_0"))),
)
WEIGHT = p.H_("omega", "2 lambda_n omega >= 7 L_z", le(7 * p.L_Z, 2 * p.lam * omega))
STEP_Z = p.H_("beta", "4 L_{s,n}^2 beta_n <= lambda_n", le(4 * p.L_s**2 * p.beta, p.lam))
STEP_X = p.H_("alpha", "4 L_h alpha <= 1", le(4 * p.L_h * p.alpha, 1))
RATIO = p.H_("ratio", "9 L_z L_{z,n} alpha <= lambda_n beta_n", le(9 * p.L_Z * p.L_z * p.alpha, p.lam * p.beta))

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
_Cx, _Cz = vectors("Cx Cz")
STEP = by_space(
    Setting(
        depends={
            **dict.fromkeys(("x", "z", "hx", "hz"), "past"),
            **dict.fromkeys(("Px", "Pxn", "Dx", "Dxn", "Sz", "Szn", "Dz", "Dzn"), "past"),
            **dict.fromkeys(("cx", "cz"), "past sample xi"),
        },
        sizes={"sample": p.b},
        within={"xi": "sample"},
        together={"sample": "batch"},
        means={"Cx": Mean("cx", "sample"), "Cz": Mean("cz", "sample")},
        sums={"ox": Px - gx},
        each={"p": "sample xi", "s": "sample xi"},
        functions={
            "f": {"x": (x, gx, f_x), "x+": (xn, gxn, f_n)},
            "z*": {"x": (x, zs, None), "x+": (xn, zsn, None)},
            "P(x, .) - grad f(x)": {"z": (z, ox, None)},
            "S(x, .)": {"z": (z, Sz, None), "z*": (zs, Vector(), None)},
            "P": {"w": (_w, Px, None), "w+": (_wn, Pxn, None)},
            "S": {"w+": (_wn, Szn, None)},
            "P^m - P": {"w": (_w, Dx, None), "w+": (_wn, Dxn, None)},
            "S^m - S": {"w": (_w, Dz, None), "w+": (_wn, Dzn, None)},
            "p": {"w": (_w, px, None), "w+": (_wn, px + _jx + cx, None)},
            "s": {"w": (_w, sz, None), "w+": (_wn, sz + _jz + cz, None)},
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
            err: norm2(hx - Px + omega * (hz - Sz)),
            err_next: norm2(hx + _jx + _Cx - Pxn + omega * (hz + _jz + _Cz - Szn)),
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
#: By what the step of z adds to the distance for an error of q, and what W pays for that.
_grown, _paid_e = 2 * p.beta / p.lam + 2 * p.beta**2, _R(49, 4) * p.L_Z**2 / p.lam**2
_ez = hz - Sz
SARAH = _lemma(
    "sarah",
    "the weighted error after a local step of SARAH: E ||.||^2 <= (1 + 1/K) E ||.||^2 + ((1 + K) tau_w^2 + Lb^2/b) "
    "times the squared move",
    le(err_next, (1 + 1 / p.K) * err + ((1 + p.K) * tau**2 + Lb**2 / p.b) * moved),
    (SAMPLES, ALIKE, LOCAL_SAMPLES),
    STEP,
    *(
        have(
            f"error of {h}",
            le(norm2(h + j + C - Pn), (1 + 1 / p.K) * norm2(h - P) + ((1 + p.K) * tau_**2 + L**2 / p.b) * moved),
            by=[
                cite(
                    lemmas.SARAH_DRIFT,
                    at={common.t: 1 / p.K, common.L: L, common.tau: tau_, common.batch: p.b},
                    points={"p.x": f"{name}.w", "p.y": f"{name}.w+", "P_m - P.x": f"{D}.w", "P_m - P.y": f"{D}.w+"},
                    vectors={"h_m": h, "e": e, "m_x": P + D_, "m_y": Pn + Dn, "o_x": P, "o_y": Pn},
                )
            ],
        )
        for h, j, e, C, P, Pn, D_, Dn, name, D, L, tau_ in (
            (hx, _jx, cx, _Cx, Px, Pxn, Dx, Dxn, "p", "P^m - P", p.Lb_p, p.tau_0),
            (hz, _jz, cz, _Cz, Sz, Szn, Dz, Dzn, "s", "S^m - S", p.Lb_s, p.tau_n),
        )
    ),
    qed(by=["error of hx", "error of hz", unfold(Lb, tau)], multipliers=[1, omega**2]),
)

# --- the momentum phase

_keep, _chi = 1 - p.rho, p.M * B
xr, zr, mx_a, mz_a, exa, dxa, eza, dza = vectors("xr zr mx_a mz_a ex_a dx_a ez_a dz_a")
Pxi, Pxsi, Pzi, Pzsi, Pxa, Pxsa, Pza, Pzsa = vectors("Pxi Pxsi Pzi Pzsi Pxi_a Pxsi_a Pzi_a Pzsi_a")
ex, dx, ez, dz, mx, mz = vectors("ex dx ez dz mx mz")
_start, _end = xr + zr, xr + zr + p.K * (mx_a + mz_a)


def _estimate(last: Vector, before: Vector, now: Vector, e: Vector, d: Vector) -> Vector:
    """(5), with means over the samples of all clients."""
    found: Vector = now + e + _keep * (last - (before + e - d))
    return found


_hxn, _hzn = _estimate(hx, Pxa, Pxsa, exa, dxa), _estimate(hz, Pza, Pzsa, eza, dza)
#: ``P`` in the name of a vector is for both P and S, ``s`` for the end of the round, and ``a`` for a mean; ``e`` is the
#: noise of a sample at the end of the round, ``d`` that in the change of the sample, and ``m`` a local step.
MOMENTUM = by_space(
    Setting(
        depends={
            **dict.fromkeys(("xr", "zr", "hx", "hz"), "past"),
            **dict.fromkeys(("mx", "mz"), "past step"),
            **dict.fromkeys(("Pxi", "Pzi", "Pxsi", "Pzsi"), "past draw"),
            **dict.fromkeys(("ex", "ez", "dx", "dz"), "past draw zeta"),
        },
        sizes={"draw": _chi, "step": p.K},
        within={"zeta": "draw"},
        together={"draw": "draws"},
        each={"p_i": "draw zeta", "s_i": "draw zeta"},
        means={
            **{f"m{of}_a": Mean(f"m{of}", "step") for of in "xz"},
            **{f"{part}_a": Mean(part, "draw") for of in "xz" for part in (f"P{of}i", f"P{of}si", f"e{of}", f"d{of}")},
        },
        functions={
            "p_i": {"w": (_start, Pxi + ex - dx, None), "w+": (_end, Pxsi + ex, None)},
            "s_i": {"w": (_start, Pzi + ez - dz, None), "w+": (_end, Pzsi + ez, None)},
        },
        metrics={
            err_start: norm2(hx - Pxa + omega * (hz - Pza)),
            err_end: norm2(_hxn - Pxsa + omega * (_hzn - Pzsa)),
            moves: p.K * norm2(mx + mz),
        },
        words={
            "xr": "x_r",
            "zr": "z_r",
            "hx": "h_r",
            "hz": "q_r",
            "mx": "a local step of x",
            "mz": "a local step of z",
            "Pxi": "P^m(x_r, z_r) of the client of a sample",
            "Pzi": "S^m(x_r, z_r) of it",
            "Pxsi": "P^m(x_{r+1}, z_{r+1}) of it",
            "Pzsi": "S^m(x_{r+1}, z_{r+1}) of it",
            "ex": "the noise of a sample of p^m there",
            "ez": "that of a sample of s^m",
            "dx": "the noise ex less that at (x_r, z_r)",
            "dz": "the same of ez",
            "zeta": "a sample",
            "draw": "a sample of one of the clients",
            "past": "what is drawn before the momentum phase",
            "draws": "all samples of all clients",
        },
    )
)
MOMENTUM_STEP = _lemma(
    "momentum",
    "the weighted error after a round: E ||.||^2 <= (1 - rho)^2 E ||.||^2 + 2 rho^2 sigma_w^2/(M B) + 2 (1 - rho)^2 "
    "Lb^2/(M B) K times the sum of the squared moves of the round",
    le(
        err_end,
        _keep**2 * err_start + 2 * p.rho**2 * noise**2 / _chi + 2 * _keep**2 * Lb**2 / _chi * p.K * moves,
    ),
    (SAMPLES, VARIANCE, ALL_SAMPLES),
    MOMENTUM,
    have("the round", le(norm2(_end - _start), p.K * moves), by=[mean("mx_a"), mean("mz_a")]),
    *(
        have(
            f"error of {name}",
            le(
                norm2(new - end),
                _keep**2 * norm2(last - start)
                + 2 * p.rho**2 * sigma**2 / _chi
                + 2 * _keep**2 * L**2 / _chi * norm2(_end - _start),
            ),
            by=[
                cite(
                    lemmas.FEDERATED_STORM,
                    at={common.L: L, common.rho: p.rho, common.sigma2: sigma**2, N: p.M, common.batch: B},
                    points={"G.x": f"{name}.w", "G.y": f"{name}.w+"},
                    vectors={"last": last, "P_x": P, "P_y": Ps, "e": e, "d": d},
                )
            ],
        )
        for name, last, new, P, Ps, start, end, e, d, L, sigma in (
            ("p_i", hx, _hxn, Pxi, Pxsi, Pxa, Pxsa, ex, dx, p.Lb_p, p.sigma0),
            ("s_i", hz, _hzn, Pzi, Pzsi, Pza, Pzsa, ez, dz, p.Lb_s, p.sigma_n),
        )
    ),
    qed(
        by=["error of p_i", "error of s_i", "the round", unfold(Lb, noise)],
        multipliers=[1, omega**2, 2 * _keep**2 * Lb**2 / _chi],
    ),
)
#: The first estimate, with rho = 1.
x0, z0, zs0, e0xa, e0za = vectors("x0 z0 zs0 e0x_a e0z_a")
FIRST = by_space(
    Setting(
        depends={**dict.fromkeys(("x0", "z0"), ""), **dict.fromkeys(("e0x", "e0z"), "draw_0 zeta_0")},
        sizes={"draw_0": p.M * p.b0},
        within={"zeta_0": "draw_0"},
        together={"draw_0": "draws_0"},
        means={f"e0{of}_a": Mean(f"e0{of}", "draw_0") for of in "xz"},
        functions={"f": {"x_0": (x0, None, f_x0)}, "z*": {"x_0": (x0, zs0, None)}},
        metrics={
            err_0: norm2(e0xa + omega * e0za),
            gap_0: norm2(z0 - zs0),
            f_0: f_x0,
            W_0: f_x0 + c * norm2(z0 - zs0),
        },
        words={
            "x0": "x_0",
            "z0": "z_0",
            "draw_0": "a sample of one of the clients in the first round",
            "e0x": "the noise of a sample of p^m in the first round",
            "e0z": "that of a sample of s^m",
        },
    )
)
FIRST_ESTIMATE = _lemma(
    "first",
    "the weighted error of the first estimate is at most sigma_w^2/(M b_0)",
    le(err_0, noise**2 / (p.M * p.b0)),
    (VARIANCE, ALL_SAMPLES),
    FIRST,
    *(
        have(
            f"noise of {name}",
            le(p.M * p.b0 * norm2(e_a), sigma**2),
            by=[variance(str(e_a)), variance(str(e_a).removesuffix("_a"))],
        )
        for name, e_a, sigma in (("p_i", e0xa, p.sigma0), ("s_i", e0za, p.sigma_n))
    ),
    qed(by=["noise of p_i", "noise of s_i", unfold(noise)], multipliers=[1 / (p.M * p.b0), omega**2 / (p.M * p.b0)]),
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
SHORT_X = p.H_("alpha K", "32 K ((1 + K) tau_w^2 + Lb^2/b) alpha^2 <= 1", le(32 * p.K * GROWTH * p.alpha**2, 1))
SHORT_Z = p.H_(
    "beta K",
    "16 K ((1 + K) tau_w^2 + Lb^2/b) L_{s,n}^2 beta_n^2 <= L_z^2",
    le(16 * p.K * GROWTH * p.L_s**2 * p.beta**2, p.L_Z**2),
)
IN_RANGE = p.H_("k<K", "k <= K - 1", le(k, p.K - 1))
#: What is supposed beside the levels of the inner sequences.
LOCAL = (CURVED, SMOOTH, SAMPLES, ALIKE, LOCAL_SAMPLES, WEIGHT, STEP_Z, STEP_X, RATIO)


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
LONG_X = p.H_("alpha rho", "64 K^2 Lb^2 alpha^2 <= rho M B", le(64 * p.K**2 * Lb**2 * p.alpha**2, p.rho * _chi))
LONG_Z = p.H_(
    "beta rho",
    "64 K^2 Lb^2 L_{s,n}^2 beta_n^2 <= rho M B L_z^2",
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
        facts: steps that show "pull", "force" and "z* moves", of which :data:`SAYS` what they say.
        outer: steps that show "off z*", which :func:`off` says.
        bias: how far ``P(x, z^*(x))`` may be from grad f(x).
    """

    suffix: str
    out: sp.Symbol
    hypotheses: tuple[Hypothesis, ...]
    step: Setting
    facts: Mapping[str, tuple[Step, ...]]
    outer: tuple[Step, ...]
    bias: sp.Expr = delta


def off(bias: sp.Expr) -> sp.Rel:
    """How far ``P`` is from grad f."""
    return le(P_off, p.L_Z**2 * p.gap2 + bias**2)


#: That ``S`` pulls towards ``z^*``, that it is short there, and how far ``z^*`` moves.
SAYS = {
    "pull": ge(p.pull, p.lam * p.gap2),
    "force": le(p.S2, p.L_s**2 * p.gap2),
    "z* moves": le(norm2(zsn - zs), p.L_z**2 * p.alpha**2 * p.h2),
}
_OUTER = (have("off z*", off(delta), by=[everywhere("P(x, .) - grad f(x)", "z"), written_out("ox")]),)
ONE = Levels(
    "",
    p.gap2_out,
    (ONE_LEVEL, PULL, FORCE, SOLUTION, NEAR_GRADIENT),
    STEP,
    {
        name: (have(name, SAYS[name], by=[why]),)
        for name, why in (
            ("pull", everywhere("S(x, .)", "z")),
            ("force", lipschitz("S(x, .)", "z", "z*")),
            ("z* moves", lipschitz("z*", "x", "x+")),
        )
    },
    _OUTER,
)

ALL_LEVELS = p.H_(
    "N levels", "z = (z^1, ..., z^N) and S = (S^1, ..., S^N), with Z^*(x) for z^*(x), in the norm sum_n w^-n ||.||^2"
)
TOGETHER = p.H_(
    "constants",
    "lambda_n = lambda_min/8, L_{s,n} = (8/5) L_{s,max} and L_{z,n} = 3/5 are those of all levels together",
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
ALL = Levels(
    ".levels",
    levels.far_out,
    (ALL_LEVELS, *levels.LEVELS.hypotheses, TOGETHER, NEAR_GRADIENT),
    STEP_OF_ALL,
    {
        name: (
            have(f"{name} of all levels", stated, by=[cite(levels.LEVELS), SEQUENCES]),
            have(name, SAYS[name], by=[f"{name} of all levels", supposed(TOGETHER.key)]),
        )
        for name, stated in zip(SAYS, levels.STATED[:3], strict=True)
    },
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


def _short(of: Levels, factor: sp.Expr, share: sp.Rational, of_x: Hypothesis, of_z: Hypothesis) -> tuple[Part, ...]:
    """The squared move of a local step, so many times, is short."""
    return (
        section("The size of S"),
        *of.facts["force"],
        section("What a move costs"),
        have(
            "move",
            le(
                omega**2 * moved,
                omega**2 * p.alpha**2 * p.h2 + 2 * omega**2 * p.beta**2 * p.L_s**2 * p.gap2 + 2 * p.beta**2 * err,
            ),
            by=["force"],
            multipliers=[2 * omega**2 * p.beta**2],
        ),
        have("factor", ge(factor, 0)),
        have("alpha", le(8 * factor * p.alpha**2, 1), by=[supposed(of_x.key)]),
        have("beta", le(2 * factor * p.L_s**2 * p.beta**2, share * p.L_Z**2), by=[supposed(of_z.key)]),
        have("lambda", le(2 * factor * p.lam**2 * p.beta**2, share * p.L_Z**2), by=["beta", "factor"]),
        have("omega squared", le(49 * p.L_Z**2, 4 * p.lam**2 * omega**2), by=[supposed("omega")]),
        have("beta by omega", le(8 * factor * p.beta**2, omega**2), by=["lambda", "omega squared"]),
        have(
            "short",
            le(factor * moved, p.h2 / 8 + share * p.L_Z**2 * p.gap2 + err / 4),
            by=["move", "alpha", "beta", "beta by omega", "factor"],
            multipliers=[factor / omega**2],
        ),
    )


def local_step(of: Levels) -> Claim:
    """A local step in numbers, with what its move costs in the next round."""
    biased = of.bias**2
    descent = _lemma(
        f"descent{of.suffix}",
        "W(x^+, z^+) - W(x, z) <= -(alpha/2) ||grad f||^2 - (alpha/4) ||h||^2 - alpha L_z^2 ||z - z^*||^2 + alpha "
        "(delta^2 + ||h - P||^2 + omega^2 ||q - S||^2) for a local step",
        le(W_next - W, p.alpha * (biased - grad2 / 2 - p.h2 / 4 - p.L_Z**2 * p.gap2 + err)),
        (*of.hypotheses, CURVED, SMOOTH, WEIGHT, STEP_Z, STEP_X, RATIO),
        of.step,
        section("The descent of f"),
        *of.outer,
        have(
            "of f",
            le(f_n - f_x, p.alpha * (biased - grad2 / 2 - _R(3, 8) * p.h2 + norm2(hx - Px) + p.L_Z**2 * p.gap2)),
            by=[smooth("f", "x", "x+"), "off z*", supposed("alpha")],
        ),
        section("The map S"),
        *(step for fact in ("pull", "force") for step in of.facts[fact]),
        section("The step of z"),
        *of.facts["z* moves"],
        have("small force", le(4 * p.beta**2 * p.S2, _t * p.gap2), by=["force", supposed("beta")]),
        have(
            "towards z*",
            le(norm2(zn - zs), (1 - _t) * p.gap2 + _grown * norm2(_ez)),
            by=["pull", "small force"],
            multipliers=[2 * p.beta, _R(1, 2)],
        ),
        have("of z", le(norm2(zn - zsn), (1 + _t / 2) * norm2(zn - zs) + (1 + 2 / _t) * norm2(zsn - zs))),
        section("The distance after the step, in W"),
        have("t", le(4 * _t, 1), by=[supposed("lam<=L_s"), supposed("beta")]),
        have("of h", le(c * (1 + 2 / _t) * p.L_z**2 * p.alpha**2, p.alpha / 8), by=[supposed("ratio"), "t"]),
        have("of e", le(c * (1 + _t / 2) * _grown, p.alpha * _paid_e), by=["t"]),
        have(
            "of the distance",
            le(
                c * norm2(zn - zsn),
                c * p.gap2 + p.alpha * (-2 * p.L_Z**2 * p.gap2 + p.h2 / 8 + _paid_e * norm2(_ez)),
            ),
            by=["of z", "z* moves", "towards z*", "of h", "of e"],
            multipliers=[c, c * (1 + 2 / _t), c * (1 + _t / 2)],
        ),
        section("The descent of W"),
        have("omega squared", le(_paid_e, omega**2), by=[supposed("omega")]),
        qed(by=["of f", "of the distance", "omega squared"], multipliers=[1, 1]),
    )
    local = _lemma(
        f"local{of.suffix}",
        "Psi^+ - Psi <= -(alpha/2) ||grad f||^2 - (alpha/8) ||h||^2 - (alpha/2) L_z^2 ||z - z^*||^2 - (3 alpha/4) "
        "times the weighted error + alpha delta^2, with Psi = W + alpha s_k times the weighted error, s_k = 2 (K - k) "
        "(2 - k/K)",
        le(Psi_next - Psi, p.alpha * (biased - grad2 / 2 - p.h2 / 8 - p.L_Z**2 * p.gap2 / 2 - _R(3, 4) * err)),
        (*of.hypotheses, *LOCAL, SHORT_X, SHORT_Z, IN_RANGE),
        in_numbers(of.step),
        *_short(of, 4 * p.K * GROWTH, _R(1, 2), SHORT_X, SHORT_Z),
        section("The step"),
        have("descent", descent.statement, by=[cite(descent)]),
        have("error", SARAH.statement, by=[cite(SARAH)]),
        have("s >= 0", ge(_s1, 0), by=[supposed("k<K")]),
        have("s <= 4 K", le(_s1, 4 * p.K), by=[supposed("k<K")]),
        have("falling", le(1 + (1 + 1 / p.K) * _s1 - _s, -1), by=[supposed("k<K")]),
        have("at most", le(_s1 * GROWTH * moved, 4 * p.K * GROWTH * moved), by=["s <= 4 K", "factor"]),
        qed(
            by=["descent", "error", "at most", "short", "falling", "s >= 0"],
            multipliers=[1, p.alpha * _s1, p.alpha, p.alpha],
        ),
    )
    return _lemma(
        f"paid{of.suffix}",
        "Psi^+ - Psi <= -(alpha/2) ||grad f||^2 - (alpha/4) L_z^2 ||z - z^*||^2 - alpha (8 K^2 Lb^2/(rho M B)) times "
        "the squared move + alpha delta^2",
        le(Psi_next - Psi, p.alpha * (biased - grad2 / 2 - p.L_Z**2 * p.gap2 / 4 - CARRIED * moved)),
        (*of.hypotheses, *LOCAL, SHORT_X, SHORT_Z, LONG_X, LONG_Z, IN_RANGE),
        in_numbers(of.step),
        *_short(of, CARRIED, _R(1, 4), LONG_X, LONG_Z),
        section("The step"),
        have("local step", local.statement, by=[cite(local)]),
        qed(by=["local step", "short"], multipliers=[1, p.alpha]),
    )


TO_END = p.H_("k<=K from 0", "k <= K", le(k, p.K))
BETWEEN = _lemma(
    "between",
    "W <= Psi <= W + 4 K alpha times the weighted error, for 0 <= k <= K",
    every(le(W, Psi), le(Psi, W + 4 * p.K * p.alpha * err)),
    (TO_END,),
    NUMBERS,
    have("s >= 0", ge(_s, 0), by=[supposed(TO_END.key)]),
    have("s <= 4 K", le(_s, 4 * p.K), by=[supposed(TO_END.key)]),
    qed(by=["s >= 0"], of=0),
    qed(by=["s <= 4 K"], of=1),
)
BOUNDED = p.H_("bounded below", "f is bounded from below", None, BoundedBelow("f"))
BELOW = _lemma(
    "below",
    "W >= inf f",
    ge(W, f_inf),
    (BOUNDED,),
    STEP,
    qed(by=[infimum("f", "x")]),
)
START = _lemma("start", "W_0 = f(x_0) + c ||z_0 - z^*(x_0)||^2", le(W_0, f_0 + c * gap_0), (), FIRST, qed())
