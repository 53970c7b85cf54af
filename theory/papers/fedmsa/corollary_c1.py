"""Lemma C.1 and Corollary C.1: federated bilevel optimisation as an instance of Assumptions A and B.

Of what Lemma C.1 claims, ``z*`` exists, ``w*`` is smooth and the variances are bounded. ``v*`` need not be
differentiable, the maps are Lipschitz only where ``v`` is bounded, and no client's map need be monotone: the mean map
is, in a norm that weights ``v``. With ``grad_x f^m`` in (10a), as printed, the method stops at points that are not
stationary; with ``grad_w f^m`` of (2) it has the rate of Theorem 3.1.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import BoundedGradient, Lipschitz, Monotone
from rateproof.theory.claim import Claim, Kind, Reason, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa import one_round as one
from rateproof.theory.papers.fedmsa import rates
from rateproof.theory.papers.fedmsa.schedules import AS_PRINTED, ONE_SAMPLE, S_THEOREM
from rateproof.theory.papers.fedmsa.theorem31 import ALL_ROUNDS, BELOW, FIRST_ROUND, MANY_SAMPLES, STEPS, combined
from rateproof.theory.proof import (
    SEQUENCES,
    Proof,
    Setting,
    Step,
    cite,
    have,
    lipschitz,
    monotone,
    qed,
    section,
    summed,
    supposed,
    unfold,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le
from rateproof.theory.symbols import C_O, NONNEG, POS
from rateproof.theory.units import INNER, LENGTH, ONE, OUTER

declare, formula = p.declare, p.formula
#: The unit of ``v``, a solution of ``grad_ww g v = grad_w f``.
DUAL = OUTER * LENGTH / INNER
L_xw = declare("L_xw", "Lipschitz constant of grad_w g^m in x", INNER / p.AREA, latex="L_{xw}", **NONNEG)
L_g = declare("L_gw", "Lipschitz constant of grad_w g^m in w", INNER / p.AREA, latex="L_g", **POS)
l_xw = declare("l_xw", "Lipschitz constant of grad_xw g^m", INNER / LENGTH**3, latex="l_{xw}", **NONNEG)
l_ww = declare("l_ww", "Lipschitz constant of grad_ww g^m", INNER / LENGTH**3, latex="l_{ww}", **NONNEG)
l_fx = declare("l_fx", "Lipschitz constant of grad_x f^m in w", OUTER / p.AREA, latex="l_{fx}", **NONNEG)
l_fw = declare("l_fw", "Lipschitz constant of grad_w f^m in w", OUTER / p.AREA, latex="l_{fw}", **NONNEG)
lp_fw = declare("lp_fw", "Lipschitz constant of grad_w f^m in x", OUTER / p.AREA, latex="l'_{fw}", **NONNEG)
l_w = declare("l_w", "Lipschitz constant of f^m in w", p.SLOPE, **NONNEG)
l_xx = declare(
    "l_xx", "Lipschitz constant of grad_x f^m in x, of which D3 says nothing", OUTER / p.AREA, latex="l_{xx}", **NONNEG
)
m_f = declare("m_f", "Lipschitz constant of the derivative of grad_w f^m", OUTER / LENGTH**3, **NONNEG)
m_g = declare("m_g", "Lipschitz constant of the derivative of grad_ww g^m", INNER / LENGTH**4, **NONNEG)
sigma_p = declare(
    "sigma_p", "noise level of p^m, sigma in E and sigma_0 in the corollary", p.SLOPE, latex=r"\sigma_0", **NONNEG
)
V = declare("V_v", "a bound on ||v||", DUAL, latex="V", **NONNEG)
c = declare("c_v", "weight of v in the norm of z", (LENGTH / DUAL) ** 2, latex="c", **POS)
lam = p.lam_1
#: Lipschitz constant of ``w*``, and the bound on ``v*`` that D1 and D3 give.
kappa, v_most = L_xw / lam, l_w / lam

# --- at two points z = (w, v) and zb of the lower level, and x and xb of the upper one
dx2 = formula("dx2", "||x - xb||^2", p.AREA, **NONNEG)
dx = formula("dx", "||x - xb||", LENGTH, **NONNEG)
dw2 = formula("dw2", "||w - wb||^2", p.AREA, **NONNEG)
dv2 = formula("dv2", "||v - vb||^2", DUAL**2, **NONNEG)
dws2 = formula("dws2", "||w*(x) - w*(xb)||^2", p.AREA, **NONNEG)
dvs2 = formula("dvs2", "||v*(x) - v*(xb)||^2", DUAL**2, **NONNEG)
near_w = formula("near_w", "||w - w*(x)||^2", p.AREA, **NONNEG)
near_v = formula("near_v", "||v - v*(x)||^2", DUAL**2, **NONNEG)
pull_w = formula("pull_w", "<w - w*(x), S_w>", INNER)
pull_v = formula("pull_v", "<v - v*(x), S_v>", p.SLOPE * DUAL)
size_w = formula("size_w", "||S_w||^2", p.FORCE**2, **NONNEG)
size_v = formula("size_v", "||S_v||^2", p.SLOPE**2, **NONNEG)
dWu2 = formula("dWu2", "||(grad w*(x) - grad w*(xb)) u||^2, ||u|| = 1", ONE, **NONNEG)
dvd = formula("dvd", "||grad v*(x) - grad v*(xb)||", DUAL / LENGTH, **NONNEG)
dSw2 = formula("dSw2", "||S_w(x, w) - S_w(x, wb)||^2", p.FORCE**2, **NONNEG)
dSv2 = formula("dSv2", "||S_v(x, w, v) - S_v(x, w, vb)||^2", p.SLOPE**2, **NONNEG)
dPs2 = formula("dPs2", "||P^m(x) - P^m(xb)||^2", p.SLOPE**2, **NONNEG)
dP2 = formula("dP2", "||P^m(x, z) - P^m(xb, zb)||^2", p.SLOPE**2, **NONNEG)
dS2 = formula("dS2", "||S^m(x, z) - S^m(xb, zb)||^2", p.FORCE**2, **NONNEG)
dSmw2 = formula("dSmw2", "||S^m_w(x, z) - S^m_w(xb, zb)||^2", p.FORCE**2, **NONNEG)
dSmv2 = formula("dSmv2", "||S^m_v(x, z) - S^m_v(xb, zb)||^2", p.SLOPE**2, **NONNEG)
dP = formula("dP_mean", "E||p^m(x, z; xi) - p^m(xb, z; xi)||", p.SLOPE, **NONNEG)
dS = formula("dS_mean", "E||s^m(x, z; zeta) - s^m(xb, z; zeta)||", p.FORCE, **NONNEG)
dP_ms = formula("dP_ms", "E||p^m(x, z; xi) - p^m(xb, z; xi)||^2", p.SLOPE**2, **NONNEG)
dS_ms = formula("dS_ms", "E||s^m(x, z; zeta) - s^m(xb, z; zeta)||^2", p.FORCE**2, **NONNEG)
var_p = formula("var_p", "E||p^m(x, z; xi) - P^m(x, z)||^2", p.SLOPE**2, **NONNEG)
var_s = formula("var_s", "E||s^m(x, z; zeta) - S^m(x, z)||^2", p.FORCE**2, **NONNEG)
pull_m = formula("pull_m", "<z - z*, S^m(z^{n-1}, z)>", INNER)
gap_z = formula("gap_z", "||z - z*||^2", p.AREA, **NONNEG)
L_dz = declare("L_dz1", "Lipschitz constant of grad z^{1,*}", p.AREA**-1 * LENGTH, latex="L'_{z,1}", **POS)

x, xb, w, wb, ws, wsb, v, vb, vs, vsb = vectors("x xb w wb ws wsb v vb vs vsb")
ZERO = Vector()
#: ``(x, w)`` and ``(xb, wb)``, and the same with ``w*``; between them, with one of both exchanged.
HERE, CROSS, THERE = x + w, xb + w, xb + wb
STAR, TURNED, STAR_B = x + ws, xb + ws, xb + wsb
#: ``||(u, grad w* u)||^2`` is at most that.
_both = 1 + kappa**2


def _moved(right: sp.Expr, most2: sp.Expr) -> sp.Expr:
    """``lambda_1^2`` times how far the solution of a linear system moves, squared.

    ``right`` is how far the right side moves, and ``most2`` the largest square of a solution.
    """
    return 2 * right + 2 * l_ww**2 * most2 * (dx2 + dws2)


_BY_X = {dx2: sp.S.One, dws2: kappa**2}
#: How far the right sides of the systems of v* and of grad w* u move; squares of the Lipschitz constants of both.
_RIGHT_V, _RIGHT_W = 2 * lp_fw**2 * dx2 + 2 * l_fw**2 * dws2, l_xw**2 * (dx2 + dws2)
_OF_V, _OF_W = _moved(_RIGHT_V, v_most**2).xreplace(_BY_X), _moved(_RIGHT_W, kappa**2).xreplace(_BY_X)
_V2, _W2 = _OF_V / lam**2, _OF_W / lam**2
L_v2 = declare(
    "L_v2", "square of the Lipschitz constant of v*", (DUAL / LENGTH) ** 2, latex="L_v^2", defined=True, **NONNEG
)
L_dw2 = declare(
    "L_dw2", "square of the Lipschitz constant of grad w*", p.AREA**-1, latex="L_{dw}^2", defined=True, **NONNEG
)
#: That of the system of grad v* u.
_RIGHT_DV = 5 * (
    _both * (m_f**2 + m_g**2 * v_most**2) * (dx2 + dws2)
    + (l_fw**2 + l_ww**2 * v_most**2) * dWu2
    + l_ww**2 * _both * dvs2
)

# --- what is supposed; the constants are those of every client, and so of the means over the clients
D1 = p.H_(
    "D1",
    "for every m and x, g^m(x, .) is strongly convex with modulus lambda_1 > 0",
    None,
    *(Monotone(of, lam) for of in ("grad_w g(x, .)", "Hess g(x, w)", "Hess g(x, w*)")),
)


def _lipschitz(constants: Mapping[str, sp.Expr]) -> tuple[Lipschitz, ...]:
    """The Lipschitz constants of maps; those of one constant stand together."""
    return tuple(Lipschitz(of, L) for names, L in constants.items() for of in names.split("; "))


D2 = p.H_(
    "D2",
    "for every m, grad_w g^m is L_xw-Lipschitz in x and L_g-Lipschitz in w; grad_xw g^m and grad_ww g^m are l_xw- and "
    "l_ww-Lipschitz in (x, w); their samples are so in the mean",
    None,
    *_lipschitz(
        {
            "grad_w g(x, .); Hess g(x, w)": L_g,
            "grad_w g(., wb); grad_w g(., w*b); grad_xw g(x, w); grad_xw g(x, w*)": L_xw,
            "Hess g v*; Hess g v*b": l_ww * v_most,
            "grad_xw g v*; grad_xw g v*b": l_xw * v_most,
            "Hess g vb": l_ww * V,
            "grad_xw g vb": l_xw * V,
            # along a direction u of length 1
            "grad_xw g u": l_xw,
            "Hess g grad w*b u": l_ww * kappa,
            "Hess g grad v*b u": l_ww * sp.sqrt(_V2),
        }
    ),
)
D3 = p.H_(
    "D3",
    "for every m, grad_x f^m and grad_w f^m are l_fx- and l_fw-Lipschitz in w; grad_w f^m is l'_fw-Lipschitz in x; f^m "
    "is l_w-Lipschitz in w; their samples are so in the mean",
    None,
    *_lipschitz(
        {
            "grad_x f(x, .); grad_x f(xb, .)": l_fx,
            "grad_w f(x, .); grad_w f(xb, .)": l_fw,
            "grad_w f(., w); grad_w f(., w*)": lp_fw,
        }
    ),
    BoundedGradient("f(xb, .)", l_w),
)
#: The derivatives along ``(u, grad w* u)``, times v* where they are those of grad_ww g.
_THIRD = {
    "D grad_w f(x, w*)": l_fw,
    "D grad_w f (u, grad w*b u)": m_f * sp.sqrt(_both),
    "D Hess g(x, w*) . v*": l_ww * v_most,
    "D Hess g (u, grad w*b u) .": l_ww * sp.sqrt(_both),
    "D Hess g (u, grad w*b u) v*b": m_g * sp.sqrt(_both) * v_most,
}
THIRD = p.H_(
    "third",
    "grad_w f^m and grad_ww g^m have derivatives that are m_f- and m_g-Lipschitz in (x, w)",
    None,
    *_lipschitz(_THIRD),
)
E_P = p.H_("E.p", "E||p^m(x, z; xi) - P^m(x, z)||^2 <= sigma^2 for every m", le(var_p, sigma_p**2))
E_S = p.H_("E.s", "E||s^m(x, z; zeta) - S^m(x, z)||^2 <= sigma_1^2 for every m", le(var_s, p.sigma_n**2))
F = p.H_("F", "{P^m} and {S^m} are tau_0- and tau_1-heterogeneous")
MAP_10 = p.H_("map (10)", "S^m and P^m are (10), with grad_x f^m in the second block of S^m")
MAP_2 = p.H_("map (2)", "S^m and P^m are those of (2) for f^m and g^m, with grad_w f^m in the second block of S^m")
SMOOTH_X = p.H_(
    "smooth_x",
    "grad_x f^m is l_xx-Lipschitz in x",
    None,
    *_lipschitz({"grad_x f(., w); grad_x f(., w*)": l_xx}),
)
#: The maps of A4 with their samples, at one z.
_SAMPLED = {
    "grad_x f": (l_xx, vectors("ax ab")),
    "grad_xw g v": (l_xw * V, vectors("gv gvb")),
    "grad_w g": (L_xw, vectors("gw gwb")),
    "Hess g v": (l_ww * V, vectors("hv hvb")),
    "grad_w f": (lp_fw, vectors("fw fwb")),
}
MEAN_SQUARE = p.H_(
    "D-mean",
    "the samples of grad_x f^m, grad_xw g^m, grad_w g^m, grad_ww g^m and grad_w f^m are Lipschitz in x in mean square "
    "with the constants l_xx, l_xw, L_xw, l_ww and l'_fw",
    None,
    *(Lipschitz(of, L, "xi") for of, (L, _) in _SAMPLED.items()),
)
ONE_CLIENT = p.H_("M=1", "M = 1", eq(p.M, 1))
WEIGHT = p.H_(
    "c<=", "2 c (l_fw^2 + (l_ww l_w/lambda_1)^2) <= lambda_1^2", le(2 * c * (l_fw**2 + (l_ww * v_most) ** 2), lam**2)
)
BOUNDED_V = p.H_("v<=V", "||v|| <= V at both points")
ASSUMED = (D1, D2, D3, E_P, E_S)
PRINTED = (*ASSUMED, MAP_10)
WITH_MAP_2 = (D1, D2, D3, MAP_2)
WITH_2 = Switch(
    "map",
    "(10a)",
    "(2)",
    "where grad_x f^m has the length of w, (10a) means another v*; (2), of which (10) is the federated form, and (9) "
    "have grad_w f^m",
    without=("map (10)",),
    adding=(MAP_2,),
    origin="eq. (2)",
)
WITH_SMOOTH = Switch(
    "D3",
    "in the inner variable",
    "and grad_x f^m in x",
    "f need not be smooth where grad_x f^m is not Lipschitz in x",
    adding=(SMOOTH_X,),
    origin="(43), where f is smooth",
)


def maps_at(images: Mapping[str, Mapping[str, tuple[Vector, Vector]]]) -> dict[str, dict[str, Any]]:
    """Maps with their images at some points."""
    return {of: {name: (at, image, None) for name, (at, image) in known.items()} for of, known in images.items()}


ax, axs, axc, axb, gv, gvh, gvs, gvc, gvb = vectors("ax axs axc axb gv gvh gvs gvc gvb")
gw, gwc, gwb, gc, hv, hvh, hvc, hvb = vectors("gw gwc gwb gc hv hvh hvc hvb")
hs, hc, hsb, fw, fs, fc, fsb, axm, fwc, fwb, axt, gvm, gvt = vectors("hs hc hsb fw fs fc fsb axm fwc fwb axt gvm gvt")
#: A point z, and z* at x and xb: ``hs = grad_ww g v* = grad_w f``.
NEAR = Setting(
    depends=dict.fromkeys(("x", "xb", "w", "ws", "wsb", "v", "vs", "vsb"), "past"),
    blocks={"x": "x", "xb": "x", **dict.fromkeys(("w", "ws", "wsb"), "w"), **dict.fromkeys(("v", "vs", "vsb"), "v")},
    sums={"hs": fs, "hsb": fsb},
    functions=maps_at(
        {
            "grad_w g(x, .)": {"w": (HERE, gw), "w*": (STAR, ZERO), "w*b": (x + wsb, gc)},
            "grad_w g(., w*b)": {"x": (x + wsb, gc), "xb": (STAR_B, ZERO)},
            "Hess g(x, w)": {"v": (HERE + v, hv), "v*": (HERE + vs, hvh)},
            "Hess g v*": {"w": (HERE + vs, hvh), "w*": (STAR + vs, hs)},
            "Hess g(x, w*)": {"v*": (STAR + vs, hs), "v*b": (STAR + vsb, hc)},
            "Hess g v*b": {"x": (STAR + vsb, hc), "xb": (STAR_B + vsb, hsb)},
            "grad_w f(x, .)": {"w": (HERE, fw), "w*": (STAR, fs)},
            "grad_w f(., w*)": {"x": (STAR, fs), "xb": (TURNED, fc)},
            "grad_w f(xb, .)": {"w*": (TURNED, fc), "w*b": (STAR_B, fsb)},
            "grad_x f(x, .)": {"w": (HERE, ax), "w*": (STAR, axs)},
            "grad_x f(., w*)": {"x": (STAR, axs), "xb": (TURNED, axc)},
            "grad_x f(xb, .)": {"w*": (TURNED, axc), "w*b": (STAR_B, axb)},
            "grad_xw g(x, w)": {"v": (HERE + v, gv), "v*": (HERE + vs, gvh)},
            "grad_xw g v*": {"w": (HERE + vs, gvh), "w*": (STAR + vs, gvs)},
            "grad_xw g(x, w*)": {"v*": (STAR + vs, gvs), "v*b": (STAR + vsb, gvc)},
            "grad_xw g v*b": {"x": (STAR + vsb, gvc), "xb": (STAR_B + vsb, gvb)},
        }
    ),
    metrics={
        dx2: norm2(x - xb),
        dws2: norm2(ws - wsb),
        dvs2: norm2(vs - vsb),
        near_w: norm2(w - ws),
        near_v: norm2(v - vs),
        pull_w: dot(w - ws, gw),
        pull_v: dot(v - vs, hv - fw),
        size_w: norm2(gw),
        size_v: norm2(hv - fw),
        dPs2: norm2(axs - gvs - axb + gvb),
    },
    words={"ws": "w*(x)", "wsb": "w*(xb)", "vs": "v*(x)", "vsb": "v*(xb)"}
    | {name: f"any {name}" for name in ("x", "xb", "w", "v")},
)
#: Two points (x, w, v) and (xb, wb, vb).
PAIRS = Setting(
    depends=dict.fromkeys(("x", "xb", "w", "wb", "v", "vb"), "past"),
    blocks={n: n[0] for n in ("x", "xb", "w", "wb", "v", "vb")},
    functions=maps_at(
        {
            "grad_w g(x, .)": {"w": (HERE, gw), "wb": (x + wb, gwc)},
            "grad_w g(., wb)": {"x": (x + wb, gwc), "xb": (THERE, gwb)},
            "Hess g(x, w)": {"v": (HERE + v, hv), "vb": (HERE + vb, hvc)},
            "Hess g vb": {"w": (HERE + vb, hvc), "wb": (THERE + vb, hvb)},
            "grad_w f(., w)": {"x": (HERE, fw), "xb": (CROSS, fwc)},
            "grad_w f(xb, .)": {"w": (CROSS, fwc), "wb": (THERE, fwb)},
            "grad_x f(., w)": {"x": (HERE, ax), "xb": (CROSS, axm)},
            "grad_x f(xb, .)": {"w": (CROSS, axm), "wb": (THERE, axt)},
            "grad_xw g(x, w)": {"v": (HERE + v, gv), "vb": (HERE + vb, gvm)},
            "grad_xw g vb": {"w": (HERE + vb, gvm), "wb": (THERE + vb, gvt)},
        }
    ),
    metrics={
        dx2: norm2(x - xb),
        dw2: norm2(w - wb),
        dv2: norm2(v - vb),
        dSw2: norm2(gw - gwc),
        dSv2: norm2(hv - hvc),
        dP2: norm2(ax - gv - axt + gvt),
        dSmw2: norm2(gw - gwb),
        dSmv2: norm2(hv - fw - hvb + fwb),
    },
    words={n: f"any {n}" if len(n) == 1 else f"any other {n[0]}" for n in ("x", "xb", "w", "wb", "v", "vb")},
)


def between(setting: Setting, *maps: str) -> list[Any]:
    """That maps are Lipschitz between the two points at which they are named."""
    return [lipschitz(of, *setting.functions[of]) for of in maps]


# --- Lemma C.1


def part(cid: str, kind: Kind, text: str, statement: sp.Basic, title: str, **rest: Any) -> Claim:
    """One of the things that Lemma C.1 claims."""
    given: dict[str, Any] = {"hypotheses": PRINTED, "switches": (WITH_2,), **rest}
    return p.claim(f"lemC.1.{cid}", "Lemma C.1", kind, text, statement, title=title, **given)


#: What is the same for both maps.
EITHER: dict[str, Any] = {"hypotheses": ASSUMED, "switches": ()}
LEMC1 = p.claim(
    "lemC.1",
    "Lemma C.1",
    Kind.PROPERTY,
    "Assumptions D1 to D3 and E imply Assumptions A and B",
    None,
    title="Bilevel maps satisfy the assumptions",
    hypotheses=PRINTED,
    note="Each part of A and B is a claim of its own, with the constant that D1 to D3 give where there is one.",
)
A1 = part(
    "A1",
    Kind.PROPERTY,
    "For every x there is a unique z*(x) = (w*, v*) with S(x, z*) = 0: lambda_1 ||w - wb|| <= ||S_w(x, w) - S_w(x, "
    "wb)|| and lambda_1 ||v - vb|| <= ||S_v(x, w, v) - S_v(x, w, vb)||",
    every(le(lam**2 * dw2, dSw2), le(lam**2 * dv2, dSv2)),
    "The zero of the lower map",
    **EITHER,
    note="So there is at most one; w* exists as the minimiser of a strongly convex function, and v* as the matrix of "
    "the linear system is positive definite. grad_x f^m and grad_w f^m are the same at both v.",
    setting=PAIRS,
    proof=Proof(
        *(qed(by=[monotone("grad_w g(x, .)", "w", "wb"), monotone("Hess g(x, w)", "v", "vb")], of=i) for i in (0, 1))
    ),
)
_MOVES = have(
    "w* moves",
    le(lam**2 * dws2, L_xw**2 * dx2),
    by=[monotone("grad_w g(x, .)", "w*", "w*b"), lipschitz("grad_w g(., w*b)", "x", "xb")],
)
A2_W = part(
    "A2.w",
    Kind.INEQUALITY,
    "w* is Lipschitz: ||w*(x) - w*(xb)|| <= (L_xw/lambda_1) ||x - xb||",
    _MOVES.goal,
    "The lower solution is Lipschitz",
    **EITHER,
    setting=NEAR,
    proof=Proof(_MOVES, qed(by=["w* moves"])),
)


def _solved(
    points: str, images: str, turned: str, most2: sp.Expr, change: sp.Expr, by: list[Any], *more: Claim
) -> Proof:
    """How far the solution of a linear system moves.

    Args:
        points: the two solutions, as points of ``Hess g(x, w*)``.
        images: grad_ww g times the first one, times the second one, and at xb times the second one.
        turned: the map that takes (x, w) to grad_ww g(x, w) times the second one.
        most2: the largest square of a solution.
        change: how far the right side moves, which ``by`` shows.
        more: claims that say how far parts move, beside ``w*``.
    """
    own, mixed, other = images.split()
    right, right_b, (turned_b,) = NEAR_SYSTEMS.sums[own], NEAR_SYSTEMS.sums[other], vectors(mixed)
    first, second = (NEAR_SYSTEMS.spot(f"Hess g(x, w*).{name}")[0] for name in points.split())
    both = _moved(change, most2)
    moves = [_MOVES, *(have(of.item, of.statement, by=[cite(of)]) for of in more)]
    return Proof(
        *moves,
        have("the right sides", le(norm2(right - right_b), change), by=by),
        have(
            "the Hessians",
            le(norm2(turned_b - right_b), l_ww**2 * most2 * (dx2 + dws2)),
            by=[lipschitz(turned, "x", "xb"), written_out(other)],
        ),
        have(
            "the solutions",
            le(lam**2 * norm2(first - second), norm2(right - turned_b)),
            by=[monotone("Hess g(x, w*)", *points.split()), written_out(own)],
        ),
        have(
            "both changes",
            le(lam**2 * norm2(first - second), both),
            by=["the right sides", "the Hessians", "the solutions"],
        ),
        qed(
            by=["both changes", *(step.name for step in moves), unfold(L_v2, L_dw2)],
            multipliers=[1, *(both.expand().coeff(step.goal.lhs / lam**2) / lam**2 for step in moves)],
        ),
    )


d, db, e, eb, hd, hdc, hdb, r, rb = vectors("d db e eb hd hdc hdb r rb")
he, hec, heb, kd, kdc, kdb, td, tdv, tdc, tdb = vectors("he hec heb kd kdc kdb td tdv tdc tdb")
_systems = maps_at(
    {
        "grad_xw g u": {"x": (STAR, r), "xb": (STAR_B, rb)},
        "Hess g(x, w*)": {
            **{"dw*": (STAR + d, hd), "dw*b": (STAR + db, hdc)},
            **{"dv*": (STAR + e, he), "dv*b": (STAR + eb, hec)},
        },
        "Hess g grad w*b u": {"x": (STAR + db, hdc), "xb": (STAR_B + db, hdb)},
        "Hess g grad v*b u": {"x": (STAR + eb, hec), "xb": (STAR_B + eb, heb)},
        "D grad_w f(x, w*)": {"dw*": (STAR + d, kd), "dw*b": (STAR + db, kdc)},
        "D grad_w f (u, grad w*b u)": {"x": (STAR + db, kdc), "xb": (STAR_B + db, kdb)},
        "D Hess g(x, w*) . v*": {"dw*": (STAR + d + vs, td), "dw*b": (STAR + db + vs, tdv)},
        "D Hess g (u, grad w*b u) .": {"v*": (STAR + db + vs, tdv), "v*b": (STAR + db + vsb, tdc)},
        "D Hess g (u, grad w*b u) v*b": {"x": (STAR + db + vsb, tdc), "xb": (STAR_B + db + vsb, tdb)},
    }
)
#: The derivatives of w* and v* along u, too: both solve a linear system, as v* does.
NEAR_SYSTEMS = replace(
    NEAR,
    depends={**NEAR.depends, **dict.fromkeys(("d", "db", "e", "eb"), "past")},
    sums={**NEAR.sums, "hd": 1 * r, "hdb": 1 * rb, "he": kd - td, "heb": kdb - tdb},
    functions={of: {**NEAR.functions.get(of, {}), **_systems.get(of, {})} for of in {**NEAR.functions, **_systems}},
    metrics={**NEAR.metrics, dWu2: norm2(d - db), dvd**2: norm2(e - eb)},
    words={**NEAR.words, "d": "grad w*(x) u", "db": "grad w*(xb) u", "e": "grad v*(x) u", "eb": "grad v*(xb) u"},
)
A2_DW = part(
    "A2.dw",
    Kind.INEQUALITY,
    "grad w* is Lipschitz: lambda_1^2 ||grad w*(x) - grad w*(xb)||^2 <= 2 (l_xw^2 + l_ww^2 (L_xw/lambda_1)^2) "
    "(1 + (L_xw/lambda_1)^2) ||x - xb||^2",
    le(lam**2 * dWu2, _OF_W * dx2),
    "The derivative of the lower solution",
    **EITHER,
    note="grad_ww g grad w* u = -grad_wx g u, so that ||grad w*|| <= L_xw/lambda_1.",
    setting=NEAR_SYSTEMS,
    proof=_solved(
        "dw* dw*b",
        "hd hdc hdb",
        "Hess g grad w*b u",
        kappa**2,
        _RIGHT_W,
        [lipschitz("grad_xw g u", "x", "xb")],
    ),
)
A2_V = part(
    "A2.v",
    Kind.PROPERTY,
    "v* is Lipschitz: ||v*(x) - v*(xb)|| = O(||x - xb||)",
    le(dvs2, C_O * p.L_z1**2 * dx2),
    "The solution of the linear system",
    switches=(replace(WITH_2, statement=le(lam**2 * dvs2, _OF_V * dx2)),),
    note="With (10a) v* solves grad_ww g v = grad_x f^m, which D3 does not bound, and does not suppose to be Lipschitz "
    "in x.",
)
A2_V_CORRECTED = amended(
    A2_V,
    "with grad_x f in (10a) v* need not be Lipschitz: D3 says nothing of grad_x f in x",
    text="With the maps (2), lambda_1^2 ||v*(x) - v*(xb)||^2 <= (4 l'_fw^2 + 4 l_fw^2 (L_xw/lambda_1)^2 + "
    "2 (l_ww l_w/lambda_1)^2 (1 + (L_xw/lambda_1)^2)) ||x - xb||^2",
    statement=le(lam**2 * dvs2, _OF_V * dx2),
    hypotheses=WITH_MAP_2,
    note="grad_ww g v* = grad_w f, so that ||v*|| <= l_w/lambda_1.",
    setting=NEAR,
    proof=_solved(
        "v* v*b",
        "hs hc hsb",
        "Hess g v*b",
        v_most**2,
        _RIGHT_V,
        between(NEAR, "grad_w f(., w*)", "grad_w f(xb, .)"),
    ),
)
A2_DV = part(
    "A2.dv",
    Kind.PROPERTY,
    "grad v* is Lipschitz: ||grad v*(x) - grad v*(xb)|| = O(||x - xb||)",
    le(dvd, C_O * L_dz * dx),
    "The derivative of the solution of the system",
    note="D2 and D3 suppose neither third derivatives of g^m nor second derivatives of f^m.",
)
A2_DV_CORRECTED = amended(
    A2_DV,
    "v* need not have a derivative: that takes third derivatives of g^m and second derivatives of f^m",
    text="Where grad_w f^m and grad_ww g^m have derivatives that are m_f- and m_g-Lipschitz in (x, w), v* with the "
    "maps (2) has a Lipschitz derivative. lambda_1^2 ||grad v*(x) - grad v*(xb)||^2 <= (2 r + 2 l_ww^2 L_v^2 k) ||x - "
    "xb||^2, k = 1 + (L_xw/lambda_1)^2, with the Lipschitz constants L_v and L_dw of v* and grad w*, and r = 5 (k^2 "
    "(m_f^2 + (m_g l_w/lambda_1)^2) + (l_fw^2 + (l_ww l_w/lambda_1)^2) L_dw^2 + l_ww^2 k L_v^2)",
    statement=le(lam**2 * dvd**2, _moved(_RIGHT_DV, L_v2).xreplace({**_BY_X, dWu2: L_dw2, dvs2: L_v2}) * dx2),
    hypotheses=(*ASSUMED, MAP_2, THIRD),
    where={L_v2: _V2, L_dw2: _W2},
    note="grad_ww g grad v* u is the derivative of grad_w f along (u, grad w* u), less that of grad_ww g times v*.",
    setting=NEAR_SYSTEMS,
    proof=_solved(
        "dv* dv*b",
        "he hec heb",
        "Hess g grad v*b u",
        _V2,
        _RIGHT_DV,
        between(NEAR_SYSTEMS, *_THIRD),
        A2_DW,
        A2_V_CORRECTED,
    ),
)
_NOT_IN_X = "D3 says nothing of grad_x f^m in x"
_NOT_IN_V = "products of v with second derivatives that are not constant are Lipschitz only where v is bounded"
_ALONG_Z = 4 * (l_xx**2 + l_fx**2 * kappa**2 + l_xw**2 * v_most**2 * _both + kappa**2 * _OF_V)
A3_P = part(
    "A3.P",
    Kind.PROPERTY,
    "P^m(x) = P^m(x, z*(x)) is Lipschitz: ||P^m(x) - P^m(xb)|| = O(||x - xb||)",
    le(dPs2, C_O * p.L_p**2 * dx2),
    "The outer map along the lower solution",
    switches=(WITH_2, replace(WITH_SMOOTH, statement=le(dPs2, _ALONG_Z * dx2))),
)
A3_P_CORRECTED = amended(
    A3_P,
    _NOT_IN_X,
    text="Where grad_x f^m is l_xx-Lipschitz in x, P^m(x) with the maps (2) is Lipschitz. The square of its constant "
    "is 4 (l_xx^2 + l_xw^2 V^2) + 4 (l_fx^2 + l_xw^2 V^2) (L_xw/lambda_1)^2 + 4 L_xw^2 L_v^2, V = l_w/lambda_1 and "
    "L_v the Lipschitz constant of v*",
    statement=le(dPs2, _ALONG_Z * dx2),
    hypotheses=(*WITH_MAP_2, SMOOTH_X),
    setting=NEAR,
    proof=Proof(
        _MOVES,
        have("v* moves", le(L_xw**2 * dvs2, kappa**2 * _OF_V * dx2), by=[cite(A2_V_CORRECTED)]),
        have(
            "the outer map",
            le(
                dPs2,
                4 * l_xx**2 * dx2 + 4 * l_fx**2 * dws2 + 4 * l_xw**2 * v_most**2 * (dx2 + dws2) + 4 * L_xw**2 * dvs2,
            ),
            by=between(NEAR, "grad_x f(., w*)", "grad_x f(xb, .)", "grad_xw g(x, w*)", "grad_xw g v*b"),
        ),
        qed(
            by=["w* moves", "v* moves", "the outer map"],
            multipliers=[4 * (l_fx**2 + (l_xw * v_most) ** 2) / lam**2, 4, 1],
        ),
    ),
)
A3_PZ = part(
    "A3.PZ",
    Kind.PROPERTY,
    "P^m(., z) is Lipschitz: ||P^m(x, z) - P^m(xb, z)|| = O(||x - xb||)",
    le(dP2, C_O * p.L_Z**2 * dx2),
    "The outer map in x",
    note="In the formula zb = z.",
)
A3_PZ_CORRECTED = amended(
    A3_PZ,
    (_NOT_IN_X, _NOT_IN_V),
    text="Where grad_x f^m is l_xx-Lipschitz in x and ||v|| <= V at both points, P^m is Lipschitz in x and z = (w, v). "
    "||P^m(x, z) - P^m(xb, zb)||^2 <= 4 (l_xx^2 + l_xw^2 V^2) ||x - xb||^2 + 4 (l_fx^2 + l_xw^2 V^2) ||w - wb||^2 + "
    "4 L_xw^2 ||v - vb||^2",
    statement=le(
        dP2,
        4 * ((l_xx**2 + l_xw**2 * V**2) * dx2 + (l_fx**2 + l_xw**2 * V**2) * dw2 + L_xw**2 * dv2),
    ),
    hypotheses=(*WITH_MAP_2, SMOOTH_X, BOUNDED_V),
    setting=PAIRS,
    proof=Proof(qed(by=between(PAIRS, "grad_x f(., w)", "grad_x f(xb, .)", "grad_xw g(x, w)", "grad_xw g vb"))),
    note="For second derivatives of g^m that are constant, as for quadratic g^m, V does not matter.",
)
A3_S = part(
    "A3.S",
    Kind.PROPERTY,
    "S^m(., z) is Lipschitz: ||S^m(x, z) - S^m(xb, z)|| = O(||x - xb||)",
    le(dS2, C_O * p.L_s1**2 * dx2),
    "The lower map in x",
    note="In the formula zb = z.",
)
_S_w = 2 * L_xw**2 * dx2 + 2 * L_g**2 * dw2
_S_v = 4 * (lp_fw**2 + l_ww**2 * V**2) * dx2 + 4 * (l_fw**2 + l_ww**2 * V**2) * dw2 + 4 * L_g**2 * dv2
A3_S_CORRECTED = amended(
    A3_S,
    _NOT_IN_V,
    text="Where ||v|| <= V at both points, each block of S^m with the maps (2) is Lipschitz in x and z = (w, v). "
    "||S^m_w(x, z) - S^m_w(xb, zb)||^2 <= 2 L_xw^2 ||x - xb||^2 + 2 L_g^2 ||w - wb||^2 and ||S^m_v(x, z) - "
    "S^m_v(xb, zb)||^2 <= 4 (l'_fw^2 + l_ww^2 V^2) ||x - xb||^2 + 4 (l_fw^2 + l_ww^2 V^2) ||w - wb||^2 + 4 L_g^2 "
    "||v - vb||^2",
    statement=every(le(dSmw2, _S_w), le(dSmv2, _S_v)),
    hypotheses=(*WITH_MAP_2, BOUNDED_V),
    setting=PAIRS,
    proof=Proof(
        qed(by=between(PAIRS, "grad_w g(x, .)", "grad_w g(., wb)")),
        qed(by=between(PAIRS, "Hess g(x, w)", "Hess g vb", "grad_w f(., w)", "grad_w f(xb, .)"), of=1),
    ),
    note="So S^m is Lipschitz in every norm ||w||^2 + c ||v||^2. For grad_ww g^m constant, as for quadratic g^m, V "
    "does not matter.",
)
A4 = part(
    "A4",
    Kind.PROPERTY,
    "p^m(., z; xi) and s^m(., z; zeta) are Lipschitz in the mean: E||p^m(x, z; xi) - p^m(xb, z; xi)|| and "
    "E||s^m(x, z; zeta) - s^m(xb, z; zeta)|| are O(||x - xb||)",
    every(le(dP, C_O * p.Lb_p * dx), le(dS, C_O * p.Lb_s * dx)),
    "The sampled maps in the mean",
    note="p^m(x; xi) = p^m(x, z*(x); xi) fails as P^m(x) does in fedmsa.lemC.1.A3.P, for samples that are exact.",
)
_change = {of: here - there for of, (_, (here, there)) in _SAMPLED.items()}
A4_CORRECTED = amended(
    A4,
    (_NOT_IN_X, _NOT_IN_V),
    text="Where D2 and D3 hold in mean square, with l_xx for grad_x f^m in x too, and ||v|| <= V, the samples are "
    "Lipschitz in x. E||p^m(x, z; xi) - p^m(xb, z; xi)||^2 <= 2 (l_xx^2 + l_xw^2 V^2) ||x - xb||^2 and E||s^m(x, z; "
    "zeta) - s^m(xb, z; zeta)||^2 <= (L_xw^2 + 2 l_ww^2 V^2 + 2 l'_fw^2) ||x - xb||^2, with the mean constants",
    statement=every(
        le(dP_ms, 2 * (l_xx**2 + l_xw**2 * V**2) * dx2), le(dS_ms, (L_xw**2 + 2 * l_ww**2 * V**2 + 2 * lp_fw**2) * dx2)
    ),
    hypotheses=(*WITH_MAP_2, BOUNDED_V, MEAN_SQUARE),
    note="By Jensen's inequality the same bounds hold for the means of Definition 2.1.",
    setting=Setting(
        depends={"x": "", "xb": ""},
        each=dict.fromkeys(_SAMPLED, "xi"),
        functions=maps_at({of: {"x": (x, here), "xb": (xb, there)} for of, (_, (here, there)) in _SAMPLED.items()}),
        metrics={
            dx2: norm2(x - xb),
            dP_ms: norm2(_change["grad_x f"] - _change["grad_xw g v"]),
            dS_ms: norm2(_change["grad_w g"]) + norm2(_change["Hess g v"] - _change["grad_w f"]),
        },
        words={"x": "any x", "xb": "any other x"},
    ),
    proof=Proof(*(qed(by=[lipschitz(of, "x", "xb") for of in _SAMPLED], of=i) for i in (0, 1))),
)
A5 = part(
    "A5",
    Kind.PROPERTY,
    "S^m is one-point strongly monotone on z*: <z - z*, S^m(x, z)> <= lambda ||z - z*||^2 for some lambda > 0",
    le(pull_m, C_O * lam * gap_z),
    "One-point monotonicity of a client's map",
    switches=(
        WITH_2,
        Switch(
            "A5",
            "<=",
            ">=",
            "every proof uses the other inequality, and none is monotonicity as printed",
            statement=le(lam * gap_z, C_O * pull_m),
            origin="Lemma B.1, (13)",
        ),
        Switch(
            "A5 and clients",
            "<=, any number",
            ">=, one",
            "one client's map is one-point strongly monotone where l_fw + l_ww l_w/lambda_1 < 2 lambda_1, and in the "
            "Euclidean norm need not be where it is more",
            statement=le(lam * gap_z, C_O * pull_m),
            adding=(ONE_CLIENT,),
        ),
        Switch(
            "clients", "any number", "one", "S^m vanishes at z* where there is no other client", adding=(ONE_CLIENT,)
        ),
    ),
    note="lambda is C_O lambda_1. Clients whose g^m have other minimisers than g have S^m(x, z*) != 0: the left side "
    "is of the order of ||z - z*||, with either sign.",
)
_PULL, _GAP = pull_w + c * pull_v, near_w + c * near_v
_TURN = (
    have(
        "what turns v",
        le(norm2(hvh - fw), 2 * (l_fw**2 + (l_ww * v_most) ** 2) * near_w),
        by=[*between(NEAR, "Hess g v*", "grad_w f(x, .)"), written_out("hs")],
    ),
    have("the weight", le(c * norm2(hvh - fw), lam**2 * near_w), by=["what turns v"]),
)
A5_CORRECTED = amended(
    A5,
    (
        "S^m(x, z*) != 0 where clients' solutions differ; that of the mean map is 0",
        "every proof uses >=",
        "in the Euclidean norm grad_w f pulls v more than z is pulled to z*, where l_fw is large",
    ),
    text="The mean map S = (S_w, S_v) of (2) is one-point strongly monotone with the constant lambda_1/2 in the norm "
    "||w||^2 + c ||v||^2. <w - w*, S_w> + c <v - v*, S_v> >= (lambda_1/2) (||w - w*||^2 + c ||v - v*||^2) for all c "
    "with 2 c (l_fw^2 + (l_ww l_w/lambda_1)^2) <= lambda_1^2",
    statement=ge(_PULL, lam / 2 * _GAP),
    hypotheses=(*WITH_MAP_2, WEIGHT),
    setting=NEAR,
    proof=Proof(
        have("w", ge(pull_w, lam * near_w), by=[monotone("grad_w g(x, .)", "w", "w*")]),
        *_TURN,
        have(
            "v",
            ge(2 * lam * pull_v, lam**2 * near_v - norm2(hvh - fw)),
            by=[monotone("Hess g(x, w)", "v", "v*")],
        ),
        qed(by=["w", "v", "the weight"]),
    ),
)
B = part(
    "B",
    Kind.INEQUALITY,
    "The variances of p^m and s^m are at most sigma^2 and sigma_1^2 for every m",
    every(le(var_p, sigma_p**2), le(var_s, p.sigma_n**2)),
    "Variances of the bilevel oracles",
    **EITHER,
    note="Assumption E is Assumption B for these maps, with sigma_1 for sigma_n.",
    setting=Setting(measured=(var_p, var_s)),
    proof=Proof(*(qed(by=[supposed("E.p"), supposed("E.s")], of=i) for i in (0, 1))),
)

# --- the corollary

gapw2_out = formula("gapw2_out", "E ||wtilde - w*(xtilde)||^2", p.AREA, **NONNEG)
LARGEST = p.H_("largest", "sigma and tau are the largest of sigma_0, sigma_1 and of tau_0, tau_1")
IN_SQUARES = Switch(
    "D2 and D3",
    "samples are Lipschitz in the mean",
    "in mean square",
    "the proofs take the second moments of differences of samples",
    adding=(MEAN_SQUARE,),
    origin="(34a)",
)
BOUNDED = Switch(
    "f",
    "any",
    "bounded below",
    "along a slope without end grad f never falls",
    adding=(BELOW,),
    origin="(7), which minimises f",
)
KIND = (WITH_2, WITH_SMOOTH, IN_SQUARES, BOUNDED, ALL_ROUNDS, MANY_SAMPLES, STEPS)


def _all_but(name: str, left: list[Switch], why: str) -> Switch:
    """The reading in which that alone is as printed."""
    taken = [switch for switch in KIND if switch not in left]
    return combined(taken, f"all but {name}", f"read kindly but for {name}", why)


CORC1 = p.claim(
    "corC.1",
    "Corollary C.1",
    Kind.BOUND,
    "E||grad f(xtilde)||^2 + E||wtilde - w*(xtilde)||^2 <= O(tau/R + 1/(K^(1/2) R) + sigma^2/(M K R) + "
    "(sigma/(M K R))^(2/3)) for FedBLO with the maps (10)",
    le(p.gf2_out + gapw2_out, C_O * p.RATE),
    title="The rate of FedBLO",
    hypotheses=(*PRINTED, F, LARGEST, p.METHOD, p.MOMENTUM, FIRST_ROUND, ONE_SAMPLE, *AS_PRINTED),
    schedule=S_THEOREM,
    switches=(
        *KIND,
        _all_but("the map", [WITH_2], "with grad_x f^m in (10a) P is not grad f"),
        _all_but("samples and steps", [MANY_SAMPLES, STEPS], "the noise of the first sample stays"),
        _all_but("steps", [STEPS], "alpha may be as small as 1/R"),
        _all_but("a bound of f", [BOUNDED], "along f = x the gradient is 1 for ever"),
        _all_but("the first round", [ALL_ROUNDS], "for R = 1 the output is x_0, whatever K is"),
    ),
    follows_from=("thm3.1", "lemC.1", "id.mean"),
    note="With (10a), where f^m depends on x through w* alone, as in the paper's own experiment on long-tailed data, "
    "v goes to 0 and x stays. Read kindly in all of this it holds on runs. That all v of a run are bounded stands "
    "nowhere; fedmsa.corC.1.corrected, which is proved, supposes it.",
)

# --- what holds: in the norm ||w||^2 + c ||v||^2, z = (w, v) is one inner sequence of Theorem 3.1

near_c = formula("near_c", "||w - w*(x)||^2 + c ||v - v*(x)||^2", p.AREA, **NONNEG)
pull_c = formula("pull_c", "<w - w*(x), S_w> + c <v - v*(x), S_v>", INNER)
size_c = formula("size_c", "||S_w||^2 + c ||S_v||^2", p.FORCE**2, **NONNEG)
move_c = formula("move_c", "||w*(x^+) - w*(x)||^2 + c ||v*(x^+) - v*(x)||^2", p.AREA, **NONNEG)
#: What both blocks have together: of z, of w and of v.
_TOGETHER = {
    near_c: (p.gap2, near_w, near_v),
    pull_c: (p.pull, pull_w, pull_v),
    size_c: (p.S2, size_w, size_v),
    move_c: (norm2(one.zsn - one.zs), dws2, dvs2),
}
_AT = {
    metric: sp.Function(f"{metric}_at", real=True, nonnegative=metric.is_nonnegative)(p.r, one.k)
    for _, *parts in _TOGETHER.values()
    for metric in parts
}
_SUM = {both: _AT[of_w] + c * _AT[of_v] for both, (_, of_w, of_v) in _TOGETHER.items()}
(turn,) = vectors("turn")
#: The gradient of f is that of the chain rule.
STEP = replace(
    one.STEP,
    depends={**one.STEP.depends, **NEAR.depends},
    blocks={**one.STEP.blocks, **NEAR.blocks, **dict.fromkeys(("ax", "axs", "gv", "gvs", "turn"), "x")},
    sums={
        **{**one.STEP.sums, **NEAR.sums},
        **{"xb": one.xn, "Px": ax - gv, "gx": axs + turn, "turn": -1 * gvs},
    },
    functions={**one.STEP.functions, **NEAR.functions},
    metrics={
        **{**one.STEP.metrics, **NEAR.metrics},
        **{both: of_z for both, (of_z, *_) in _TOGETHER.items()},
        **{term: NEAR.metrics[metric] for metric, term in _AT.items() if metric in NEAR.metrics},
    },
    sequences={**_AT, **_SUM},
    fixed=(lam, L_xw, L_g, l_xw, l_ww, l_fx, l_fw, lp_fw, l_w, c),
    words={
        **{**NEAR.words, **one.STEP.words, "xb": "x_{r+1,k+2}", "w": "the part of z", "v": "the part of z"},
        "turn": "the derivative of w*, transposed, times grad_w f, which is grad_ww g v*; it is -grad_xw g v*, as "
        "grad_xw g + (grad w*)^T grad_ww g = 0",
        "gx": "grad f(x), by the chain rule",
    },
)
NORM = p.H_(
    "z=(w,v)",
    "z = (w, v), in the norm ||w||^2 + c ||v||^2, S is the mean of the S^m, and ||v|| <= V wherever the run comes: "
    "points (x, z) are those",
)
CONSTANTS = p.H_(
    "of f and g",
    "lambda_n = lambda_1/2, L_{s,n}^2 >= 3 L_g^2, L_{z,n}^2 >= (L_xw/lambda_1)^2 + c L_v^2 with the constant L_v of "
    "v*, L_z^2 >= 4 l_fx^2 + 4 (l_xw l_w/lambda_1)^2 and c L_z^2 >= 2 L_xw^2",
    every(
        eq(2 * p.lam, lam),
        ge(p.L_s**2, 3 * L_g**2),
        ge(p.L_z**2, kappa**2 + c * _V2),
        ge(p.L_Z**2, 4 * l_fx**2 + 4 * (l_xw * v_most) ** 2),
        ge(c * p.L_Z**2, 2 * L_xw**2),
    ),
)


def _sum(both: sp.Symbol, name: str) -> Step:
    """What z has of something is what w and v have of it together."""
    _, of_w, of_v = _TOGETHER[both]
    return have(name, eq(both, of_w + c * of_v), by=[SEQUENCES])


FEDBLO = one.Levels(
    ".bilevel",
    p.gap2_out,
    (D1, D2, D3, MAP_2, NORM, WEIGHT, CONSTANTS),
    STEP,
    {
        "pull": (
            _sum(near_c, "distance of z"),
            _sum(pull_c, "pull of z"),
            have("both pulls", A5_CORRECTED.statement, by=[cite(A5_CORRECTED)]),
            have("lambda_1/2", eq(2 * p.lam, lam)),
            have("pull", one.SAYS["pull"], by=["both pulls", "lambda_1/2", "distance of z", "pull of z"]),
        ),
        "force": (
            _sum(near_c, "square of z"),
            _sum(size_c, "square of S"),
            have("size of S_w", le(size_w, L_g**2 * near_w), by=[lipschitz("grad_w g(x, .)", "w", "w*")]),
            have("at least", le(lam**2 * near_w, size_w), by=[monotone("grad_w g(x, .)", "w", "w*")]),
            *_TURN,
            have(
                "size of S_v",
                le(size_v, 2 * L_g**2 * near_v + 2 * norm2(hvh - fw)),
                by=[lipschitz("Hess g(x, w)", "v", "v*")],
            ),
            have(
                "both sizes",
                le(size_w + c * size_v, 3 * L_g**2 * _GAP),
                by=["size of S_w", "at least", "the weight", "size of S_v"],
            ),
            have("L_s times the square", le(3 * L_g**2 * _GAP, p.L_s**2 * _GAP)),
            have("force", one.SAYS["force"], by=["both sizes", "L_s times the square", "square of z", "square of S"]),
        ),
        "z* moves": (
            _sum(move_c, "move of z*"),
            _MOVES,
            have("v* moves", A2_V_CORRECTED.statement, by=[cite(A2_V_CORRECTED)]),
            have("x moves", eq(dx2, p.alpha**2 * p.h2), by=[written_out("xb")]),
            have("L_z times the step", le((kappa**2 + c * _V2) * dx2, p.L_z**2 * dx2)),
            have(
                "z* moves",
                one.SAYS["z* moves"],
                by=["w* moves", "v* moves", "L_z times the step", "x moves", "move of z*"],
                multipliers=[1 / lam**2, c / lam**2, 1, -(p.L_z**2), -1],
            ),
        ),
    },
    (
        have(
            "parts of P",
            le(norm2(ax - gv - axs + gvs), 4 * (l_fx**2 + (l_xw * v_most) ** 2) * near_w + 2 * L_xw**2 * near_v),
            by=between(NEAR, "grad_x f(x, .)", "grad_xw g v*", "grad_xw g(x, w)"),
        ),
        have(
            "all of P",
            le(one.P_off, norm2(ax - gv - axs + gvs)),
            by=[written_out(name) for name in ("Px", "gx", "turn")],
        ),
        have("w in P", le(4 * (l_fx**2 + (l_xw * v_most) ** 2) * near_w, p.L_Z**2 * near_w)),
        have("v in P", le(2 * L_xw**2 * near_v, c * p.L_Z**2 * near_v)),
        _sum(near_c, "off"),
        have(
            "off z*",
            one.off(sp.S.Zero),
            by=["parts of P", "all of P", "w in P", "v in P", "off"],
            multipliers=[1, 1, 1, 1, p.L_Z**2],
        ),
    ),
    bias=sp.S.Zero,
)
_, RATE = rates.rate_of("bilevel", FEDBLO, rates.explicit_of("bilevel", FEDBLO, "FedBLO"), "FedBLO")
_RUN = rates.sums(FEDBLO)


_OUT = {gapw2_out: rates.in_mean(_AT[near_w])}
CORC1_CORRECTED = amended(
    CORC1,
    (
        "with grad_x f in (10a) the method stops where grad_x f + grad_xw g (grad_ww g)^-1 grad_x f = 0, which is not "
        "grad f",
        Reason(_NOT_IN_X, A3_P.id),
        Reason(_NOT_IN_V, A4.id),
        *(replace(reason, origin=f"{CORC1.paper}.thm3.1") for reason in RATE.why),
    ),
    text="With the maps (2) and their means, FedBLO has the rate of Theorem 3.1 where ||v|| <= V along the run and f "
    "is L_h-smooth and bounded from below. E||grad f(xtilde)||^2 + (L_z^2/2) E||wtilde - w^*(xtilde)||^2 <= "
    f"{rates.RATE_TEXT}. All constants of z = (w, v) are those in the norm ||w||^2 + c ||v||^2 with 2 c (l_fw^2 + "
    "(l_ww l_w/lambda_1)^2) <= lambda_1^2: lambda_n = lambda_1/2, L_{s,n} = 3^(1/2) L_g, L_{z,n}^2 = (L_xw/lambda_1)^2 "
    "+ c L_v^2, L_z^2 = 4 l_fx^2 + 4 (l_xw l_w/lambda_1)^2 + 2 L_xw^2/c, or more, L_v that of v^*. There are K local "
    f"steps in every round. {rates.CHOICE}. {rates.NAMES}.",
    statement=le(p.gf2_out + p.L_Z**2 / 2 * gapw2_out, rates.BOUND),
    hypotheses=RATE.hypotheses,
    where=RATE.where,
    schedule=None,
    follows_from=("thm3.1.one_level.corrected", "lemC.1.A2.v.corrected", "lemC.1.A5.corrected"),
    note="fedmsa.lemC.1.A3.P.corrected bounds L_h; Lb_p and Lb_s follow from V as in fedmsa.lemC.1.A3.PZ.corrected and "
    "fedmsa.lemC.1.A3.S.corrected, for samples that are Lipschitz in mean square. Without V there need be none, as "
    "fedmsa.lemC.1.A4 shows; where grad_ww g^m and grad_xw g^m are constant, V does not matter.",
    setting=replace(
        _RUN,
        sequences={**_RUN.sequences, **_OUT},
        measured=(*_RUN.measured, *_OUT),
        fixed=(*_RUN.fixed, *_OUT),
    ),
    proof=Proof(
        section("The distance of w"),
        _sum(near_c, "distance of z"),
        have("of w", le(near_w, p.gap2), by=["distance of z"]),
        have("at step k", le(_AT[near_w], _RUN.sequences[p.gap2]), by=["of w", SEQUENCES]),
        summed("in a round", "at step k", over=one.k, start=0, last=p.K - 1),
        summed("in all rounds", "in a round", over=p.r, start=0, last=p.R - 1),
        have(
            "of the output", le(gapw2_out, p.gap2_out), by=["in all rounds", SEQUENCES], multipliers=[1 / (p.K * p.R)]
        ),
        section("The rate"),
        have("rate of z", RATE.statement, by=[cite(RATE), SEQUENCES]),
        qed(by=["of the output", "rate of z"], multipliers=[p.L_Z**2 / 2, 1]),
    ),
)
FORM = rates.form_of(
    CORC1,
    "form",
    CORC1_CORRECTED,
    p.gf2_out + p.L_Z**2 / 2 * gapw2_out,
    "E||grad f(xtilde)||^2 + (L_z^2/2) E||wtilde - w^*(xtilde)||^2",
    sp.S.Zero,
)
CLAIMS: tuple[Claim, ...] = (
    LEMC1,
    A1,
    A2_W,
    A2_DW,
    A2_V,
    A2_V_CORRECTED,
    A2_DV,
    A2_DV_CORRECTED,
    A3_P,
    A3_P_CORRECTED,
    A3_PZ,
    A3_PZ_CORRECTED,
    A3_S,
    A3_S_CORRECTED,
    A4,
    A4_CORRECTED,
    A5,
    A5_CORRECTED,
    B,
    CORC1,
    CORC1_CORRECTED,
    FORM,
)
