"""The problems and their maps: which maps have the gradient as their value where clients differ.

(1), (2), (3) and (8) are right. (10b) has the wrong sign and the cross derivative of one client at the v of (9), (10a)
has the gradient in x for that in w, and the mean of the products (11b) is not the product of the means.
"""

from dataclasses import dataclass, replace

import sympy as sp

from rateproof.theory.assumptions import (
    EveryRound,
    Lipschitz,
    Minimiser,
    Monotone,
    Smooth,
    StronglyConvex,
    Unbiased,
    WholeSpace,
)
from rateproof.theory.claim import Hypothesis, Kind, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    convex,
    fresh,
    have,
    induct,
    lipschitz,
    mean,
    monotone,
    qed,
    special,
    stationary,
    supposed,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, gt, le
from rateproof.theory.symbols import COUNT, NONNEG, POS
from rateproof.theory.units import INNER, LENGTH, OUTER

formula, declare = p.formula, p.declare

# --- bilevel: f and g are the means over the clients in (7), of one client in (BLO)


@dataclass(frozen=True)
class Sides:
    """The sides of the equations for one f and one v, in a direction u of x, in which w*(x) has the derivative d."""

    fx: sp.Symbol
    fw: sp.Symbol
    Hv: sp.Symbol
    vH: sp.Symbol
    Bv: sp.Symbol
    vB: sp.Symbol
    slope: sp.Symbol
    twice: Hypothesis
    solves: Hypothesis


def _sides(m: str) -> Sides:
    """The sides for f, or for the f^m of a client."""
    top = f"^{m}" if m else ""

    def side(name: str, meaning: str, latex: str) -> sp.Symbol:
        return declare(f"{name}{m}", meaning, OUTER, latex=rf"\langle {latex}\rangle")

    f, v, H, B = f"f{top}", f"v{top}", r"\nabla^2_{ww}g", r"\nabla^2_{xw}g"
    Hv, vH = side("Hv", f"<grad^2_ww g {v}, d>", rf"{H}\,{v},d"), side("vH", f"<{v}, grad^2_ww g d>", rf"{v},{H}\,d")
    Bv = side("Bv", f"<grad^2_xw g {v}, u>", rf"{B}\,{v},u")
    vB = side("vB", f"<{v}, grad^2_wx g u>", rf"{v},\nabla^2_{{wx}}g\,u")
    fw = side("fw", f"<grad_w {f}, d>", rf"\nabla_w {f},d")
    return Sides(
        fx=side("fx", f"<grad_x {f}, u>", rf"\nabla_x {f},u"),
        fw=fw,
        Hv=Hv,
        vH=vH,
        Bv=Bv,
        vB=vB,
        slope=side("slope", f"<grad {f}(x), u>, {f}(x) being {f}(x, w*(x))", rf"\nabla {f}(x),u"),
        twice=p.H_(
            f"twice{m}",
            f"{f} is differentiable and g twice continuously so: grad^2_ww g is symmetric, and grad^2_wx g the "
            "transpose of grad^2_xw g",
            every(eq(Hv, vH), eq(Bv, vB)),
        ),
        solves=p.H_(f"eq9{m}", f"grad^2_ww g {v} = -grad_w {f} at w*(x)", eq(Hv, -fw)),
    )


BOTH, OWN = _sides(""), _sides("m")
L_g = declare("L_g", "smoothness constant of g(x, .)", INNER / p.AREA, **POS)
mu = declare("mu_g", "modulus of strong convexity of g(x, .)", INNER / p.AREA, latex=r"\mu", **POS)
fx_d = declare("fx_d", "<grad_x f, d>, where x and w have one length", OUTER, latex=r"\langle\nabla_x f,d\rangle")
gw2 = formula("gw2", "||grad_w g(x, w)||^2", p.FORCE**2, **NONNEG)
gs2 = formula("gs2", "||grad_w g(x, w*)||^2", p.FORCE**2, **NONNEG)
off_w2 = formula("off_w2", "||w - w*(x)||^2", p.AREA, **NONNEG)
off_v2 = formula("off_v2", "||v' - v||^2", (OUTER * LENGTH / INNER) ** 2, **NONNEG)
resid2 = declare("resid2", "||grad^2_ww g (v' - v)||^2", p.SLOPE**2, latex=r"\|\nabla^2_{ww}g(v'-v)\|^2", **NONNEG)
P_mean = formula("P_mean", "<(1/M) sum_m P^m(x, w, v), u>", OUTER)
slope_all = formula("slope_all", "<(1/M) sum_m grad f^m(x), u>", OUTER)
Bv_own = declare("Bv_own", "<grad^2_xw g^m v^m, u>", OUTER, latex=r"\langle\nabla^2_{xw}g^m\,v^m,u\rangle")

fxm, fwm, Bvm, fx, fw, Bv, u, d, v, vp, Hv, Hvp, Bu, w, ws, gw, gs = vectors(
    "fxm fwm Bvm fx fw Bv u d v v' Hv Hv' Bu w w* gw gs"
)
um, dm, vm, Hvm, Bum, Bgm, Bom = vectors("um dm vm Hvm Bum Bgm Bom")
g_w, g_s = sp.symbols("g_w g_s", real=True)
#: By the chain rule, and as grad_w g(x, w*(x)) = 0 for all x: grad^2_ww g d = -grad^2_wx g u.
BILEVEL = Setting(
    depends=dict.fromkeys(("fxm", "fwm", "Bvm", "um", "dm", "vm", "Hvm", "Bum", "Bgm", "Bom"), "client")
    | dict.fromkeys(("u", "d", "v", "v'", "Hv", "Hv'", "Bu", "w", "w*", "gw", "gs"), ""),
    means={"fx": Mean("fxm", "client"), "fw": Mean("fwm", "client"), "Bv": Mean("Bvm", "client")},
    sizes={"client": p.M},
    functions={
        "g": {"w": (w, gw, g_w), "w*": (ws, gs, g_s)},
        "H": {"v": (v, Hv, None), "v'": (vp, Hvp, None)},
    },
    metrics={
        BOTH.fx: dot(fx, u),
        BOTH.fw: dot(fw, d),
        BOTH.Hv: dot(Hv, d),
        BOTH.vH: -dot(v, Bu),
        BOTH.Bv: dot(Bv, u),
        BOTH.vB: dot(v, Bu),
        BOTH.slope: dot(fx, u) + dot(fw, d),
        OWN.fx: dot(fxm, um),
        OWN.fw: dot(fwm, dm),
        OWN.Hv: dot(Hvm, dm),
        OWN.vH: -dot(vm, Bum),
        OWN.Bv: dot(Bgm, um),
        OWN.vB: dot(vm, Bum),
        Bv_own: dot(Bom, um),
        OWN.slope: dot(fxm, um) + dot(fwm, dm),
        fx_d: dot(fx, d),
        gw2: norm2(gw),
        gs2: norm2(gs),
        off_w2: norm2(w - ws),
        off_v2: norm2(vp - v),
        resid2: norm2(Hvp - Hv),
        P_mean: dot(fxm - Bvm, u),
        slope_all: dot(fxm, u) + dot(fwm, d),
    },
    words={
        "u": "a direction of x",
        "d": "the derivative of w*(x) in the direction u",
        "um": "a direction of x for each client",
        "dm": "the derivative of w*(x) in the direction um",
        "fxm": "grad_x f^m(x, w*(x))",
        "fwm": "grad_w f^m(x, w*(x))",
        "Bvm": "grad^2_xw g^m(x, w*(x)) v",
        "Bgm": "grad^2_xw g(x, w*(x)) v^m",
        "Bom": "grad^2_xw g^m(x, w*(x)) v^m",
        "Hvm": "grad^2_ww g(x, w*(x)) v^m",
        "Bum": "grad^2_wx g(x, w*(x)) um",
        "Bu": "grad^2_wx g(x, w*(x)) u",
        "H": "the Hessian grad^2_ww g(x, w*(x))",
        "v": "the v of the claim",
        "v'": "any v' that solves the same system",
        "vm": "the v^m of a client",
        "g": "g(x, .)",
        "w": "the w of the claim",
        "w*": "w*(x)",
    },
)
STRONG = p.H_(
    "strong", "g(x, .) is mu-strongly convex, so that its Hessian is at least mu", None,
    StronglyConvex("g", mu), Monotone("H", mu),
)  # fmt: skip
SMOOTH = p.H_("smooth", "grad_w g(x, .) is Lipschitz", None, Smooth("g", L_g))
LOWER = p.H_(
    "lower", "w*(x) minimises g(x, .) over the whole space", None, Minimiser("g", "w*", "space"), WholeSpace("space")
)
ALSO = p.H_("also", "v' solves the system that v solves", eq(resid2, 0))

EQ1 = p.claim(
    "id.eq1",
    "Section 1",
    Kind.IDENTITY,
    "At a local minimum (x, w) of (BLO) there is a unique v with grad_x f + grad^2_xw g v = 0, grad^2_ww g v + "
    "grad_w f = 0 and grad_w g = 0: the v of the second equation satisfies the first one",
    every(eq(BOTH.fx + BOTH.Bv, 0), le(off_v2, 0), eq(gs2, 0)),
    equation="1",
    title="First-order conditions of the bilevel problem",
    hypotheses=(
        BOTH.twice,
        SMOOTH,
        STRONG,
        LOWER,
        p.H_("local_min", "x is a local minimum of f(x, w*(x)), where its slope is 0", eq(BOTH.slope, 0)),
        BOTH.solves,
        ALSO,
    ),
    note="This v is minus the v of (2), and both are right: (1) and (2) print the signs that go with theirs.",
    setting=BILEVEL,
    proof=Proof(
        qed(by=[stationary("g")]),
        qed(by=[monotone("H", "v", "v'"), supposed("also")], of=1),
        qed(by=[supposed("twice"), supposed("local_min"), supposed("eq9")], of=2),
    ),
)
ZERO_W = p.H_("zero_w", "the first block of S is zero: grad_w g(x, w) = 0", eq(gw2, 0))
ZERO_V = p.H_("zero_v", "the second block of S is zero: grad^2_ww g v = grad_w f", eq(BOTH.Hv, BOTH.fw))
EQ2 = p.claim(
    "id.eq2",
    "Section 1",
    Kind.IDENTITY,
    "Where S(x, z) = 0, w = w*(x), v = (grad^2_ww g)^(-1) grad_w f, and P(x, z) = grad_x f - grad^2_xw g v is the "
    "gradient of f(x, w*(x))",
    every(eq(BOTH.fx - BOTH.Bv, BOTH.slope), le(off_w2, 0), le(off_v2, 0)),
    equation="2",
    title="Maps of the bilevel problem",
    hypotheses=(BOTH.twice, SMOOTH, STRONG, LOWER, ZERO_W, ZERO_V, ALSO),
    setting=BILEVEL,
    proof=Proof(
        qed(by=[monotone("H", "v", "v'"), supposed("also")]),
        have(
            "strong monotonicity",
            le(mu * off_w2, dot(gw, w - ws)),
            by=[convex("g", "w", "w*"), stationary("g")],
        ),
        qed(by=["strong monotonicity", supposed("zero_w")], of=1),
        qed(by=[supposed("twice"), supposed("zero_v")], of=2),
    ),
)
EQ8 = p.claim(
    "id.eq8",
    "Section 2.2",
    Kind.IDENTITY,
    "grad f^m(x) = grad_x f^m + grad^2_xw g v^{m,*}, where grad^2_ww g v^{m,*} = -grad_w f^m; their mean is grad f(x)",
    every(eq(OWN.fx + OWN.Bv, OWN.slope), eq(slope_all, BOTH.slope)),
    equation="8",
    title="Local hypergradients",
    hypotheses=(OWN.twice, LOWER, OWN.solves),
    note="f of (7) has the factor 1/M. The sentence below (9) calls -grad^2_xw g v^{m,*} the indirect part of (8), "
    "which has a plus there.",
    setting=BILEVEL,
    proof=Proof(qed(by=[mean("fx"), mean("fw")]), qed(by=[supposed("twicem"), supposed("eq9m")], of=1)),
)
SEC22 = p.claim(
    "id.sec2.2",
    "Section 2.2",
    Kind.IDENTITY,
    "grad f^m(x) = P^m(x, w*(x), v^{m,*}(x)), with P^m = grad_x f^m - grad^2_xw g^m v of (10b) and v^{m,*} of (9)",
    eq(OWN.fx - Bv_own, OWN.slope),
    equation="10b",
    title="Local hypergradients as values of the maps",
    follows_from=("id.eq8",),
    hypotheses=(OWN.twice, LOWER, OWN.solves),
    switches=(
        Switch(
            "sign",
            "v^{m,*} of (9)",
            "v^{m,*} of the sign of (2)",
            "(9) has grad^2_ww g v = -grad_w f^m, and (10) takes v for the solution of grad^2_ww g v = grad_w f^m",
            substitute={Bv_own: -Bv_own},
            origin="eq. (2)",
        ),
    ),
    setting=BILEVEL,
)
_OPPOSITE = "(10b) subtracts what (8) adds: the v of (9) is minus the v of (2) and (10)"
_OF_ONE = "(10b) has the cross derivative of g^m where (8) has that of g, the mean over the clients"
SEC22_CORRECTED = amended(
    SEC22,
    (_OF_ONE, _OPPOSITE),
    text="At minus the v^{m,*} of (9), P^m of (10b) is grad f^m(x) where grad^2_xw g^m v^{m,*} is that of g",
    statement=eq(OWN.fx + Bv_own, OWN.slope),
    hypotheses=(
        *SEC22.hypotheses,
        p.H_("one_cross", "grad^2_xw g^m v^{m,*} = grad^2_xw g v^{m,*}, as for equal g^m", eq(Bv_own, OWN.Bv)),
    ),
    origin="eq. (2)",
    proof=Proof(qed(by=[supposed("twicem"), supposed("eq9m"), supposed("one_cross")])),
)
SEC22_DIFFERENCE = amended(
    SEC22,
    (_OF_ONE, _OPPOSITE),
    part="difference",
    text="At minus the v^{m,*} of (9), P^m of (10b) is grad f^m(x) plus (grad^2_xw g^m - grad^2_xw g) v^{m,*}",
    statement=eq(OWN.fx + Bv_own, OWN.slope + (Bv_own - OWN.Bv)),
    proof=Proof(qed(by=[supposed("twicem"), supposed("eq9m")])),
)
ZERO_10A = p.H_(
    "zero_10a", "the second block of the mean of (10a) is zero: grad^2_ww g v = grad_x f", eq(BOTH.Hv, fx_d)
)
SUMS = Switch(
    "normalisation",
    "means over the clients",
    "sums over the clients",
    "(Fed-MSA) has P = sum_m P^m, which is M times the mean: it vanishes at the same points, but is not grad f",
    substitute={P_mean: p.M * P_mean},
    without=("mean",),
    adding=(p.SUM,),
)
MEAN = p.claim(
    "id.mean",
    "Section 2.2",
    Kind.IDENTITY,
    "Fed-MSA with the maps (10), which is FedBLO: where the mean of the S^m is zero, the mean of the P^m is grad f(x)",
    eq(P_mean, BOTH.slope),
    equation="10",
    title="Mean maps of the federated bilevel problem",
    follows_from=("id.eq2",),
    hypotheses=(p.MEAN, BOTH.twice, LOWER, ZERO_10A),
    note="The paper does not display it: it is what makes (Fed-MSA) with (10) a way to solve (7), and the metric of "
    "Corollary C.1 that of Theorem 3.1. (10a) adds grad_x f^m to grad^2_ww g^m v, so that x and w have to have one "
    "length.",
    switches=(
        Switch(
            "(10a)",
            "grad_x f^m",
            "grad_w f^m",
            "the second block of (10a) has grad_x f^m, that of (2) has grad_w f",
            substitute={fx_d: BOTH.fw},
            origin="eq. (2)",
        ),
        SUMS,
    ),
    setting=BILEVEL,
)
MEAN_CORRECTED = amended(
    MEAN,
    "(10a) has grad_x f^m where (2) has grad_w f",
    text="As printed, with grad_w f^m in (10a) as in (2)",
    hypotheses=(p.MEAN, BOTH.twice, LOWER, ZERO_V),
    proof=Proof(qed(by=[supposed("twice"), supposed("zero_v"), mean("fx"), mean("Bv")])),
)

# --- several levels
d_n = declare("d_n", "dimension of z^n", latex="d_n", **COUNT)
d_b = declare("d_b", "dimension of z^{n-1}", latex="d_{n-1}", **COUNT)
d_S = declare("d_S", "dimension of the values of S^n", latex=r"\dim S^n", **COUNT)
MSA = p.claim(
    "id.msa",
    "Section 1",
    Kind.PROPERTY,
    "S^n maps to R^{d_{n-1}}, and Algorithm 1 subtracts beta_n q^n, an estimate of S^n, from z^n, which lies in "
    "R^{d_n}: both have one dimension",
    eq(d_S, d_n),
    equation="MSA",
    title="Where the maps have their values",
    hypotheses=(p.H_("signature", "S^n has its values in R^{d_{n-1}}", eq(d_S, d_b)),),
    switches=(
        Switch(
            "signature",
            "R^{d_{n-1}}",
            "R^{d_n}",
            "the values of S^n are subtracted from z^n, and S^n of (3) is z^n - f^{n-1}(z^{n-1})",
            substitute={d_b: d_n},
            origin="Algorithm 1, line 15",
        ),
    ),
)
MSA_CORRECTED = amended(
    MSA,
    "S^n is printed with values in R^{d_{n-1}}",
    text="As printed, with S^n that maps to R^{d_n}",
    hypotheses=(p.H_("values", "S^n has its values in R^{d_n}", eq(d_S, d_n)),),
    proof=Proof(qed()),
)

m_top = declare("m_top", "upper limit m of the innermost sum of (Fed-MCO)", latex="m", **COUNT)
inner = declare("n_inner", "clients of which (Fed-MCO) adds up f_i^0", latex=r"\#", **COUNT)
MCO_LIMIT = p.claim(
    "id.mco-limit",
    "Section 2.3",
    Kind.PROPERTY,
    "In (Fed-MCO) every level is the mean over all M clients, also the innermost one, (1/M) sum_{i=1}^m f_i^0(x)",
    eq(inner, p.M),
    equation="Fed-MCO",
    title="The innermost mean of (Fed-MCO)",
    hypotheses=(
        p.H_("limit", "the innermost sum goes from 1 to m, a client of [M]", every(eq(inner, m_top), le(m_top, p.M))),
    ),
    switches=(
        Switch(
            "limit",
            "m",
            "M",
            "the innermost sum is printed up to m, all others and those of Appendix D up to M",
            substitute={m_top: p.M},
            origin="the other sums of (Fed-MCO), and Appendix D",
        ),
    ),
)
MCO_LIMIT_CORRECTED = amended(
    MCO_LIMIT,
    "the innermost sum is printed up to m",
    text="As printed, with the innermost sum up to M",
    hypotheses=(p.H_("limit M", "the innermost sum goes from 1 to M", eq(inner, p.M)),),
    proof=Proof(qed()),
)
P_mco = formula("P_mco", "<(1/M) sum_m P^m(x, Z), u>", OUTER)
slope_mco = formula("slope_mco", "<grad f(x), u>, f that of (Fed-MCO)", OUTER)
slope_D = formula("slope_D", "<grad f(x), u>, f that of Appendix D", OUTER)
off_P2 = formula("off_P2", "||(1/M) sum_m P^m(x, Z) - grad f(x)||^2", p.SLOPE**2, **NONNEG)
spread_1 = declare(
    "spread_1",
    "(1/M) sum_m ||grad f^{m,1}(z^1) - mean||^2",
    p.SLOPE**2,
    latex=r"\frac1M\sum_m\|\nabla f^{m,1}(z^1)-\nabla f^1(z^1)\|^2",
    **NONNEG,
)
het_0 = declare("het_0", "heterogeneity tau_0 of {f^{m,0}}", latex=r"\tau_0", **NONNEG)
het_1 = declare("het_1", "heterogeneity tau_1 of {f^{m,1}}", p.SLOPE, latex=r"\tau_1", **NONNEG)
j = sp.Symbol("j", integer=True, nonnegative=True)
#: ``<grad f^j ... grad f^N, t_j>`` of the levels j, ..., N, t_j the derivative of z^j in the direction u of x.
pair = sp.Function("pair", real=True)
a, a_next, t, t_next = vectors("a a+ t t+")
LEVELS = Setting(
    depends=dict.fromkeys(("a", "a+", "t", "t+"), ""),
    metrics={pair(j): dot(a, t), pair(j + 1): dot(a_next, t_next), P_mco: pair(0), slope_mco: pair(p.N + 1)},
    counts=(p.N,),
    words={
        "a": "grad f^j(z^j) ... grad f^N(z^N)",
        "a+": "grad f^{j+1}(z^{j+1}) ... grad f^N(z^N), which is 1 for j = N",
        "t": "the derivative of z^j in the direction u of x, which is u for j = 0",
        "t+": "that of z^{j+1}: the derivative of f^j at z^j in the direction t",
    },
)


def _level_by_level(key: str) -> Proof:
    """The product is the same at all levels, where a hypothesis says so of two that follow each other."""
    return Proof(
        have("one level", eq(pair(j), pair(j + 1)), by=[supposed(key)]),
        induct("all levels", eq(pair(j), pair(0)), over=j, by=["one level"]),
        special("the last level", "all levels", {j: p.N + 1}),
        qed(by=["the last level"]),
    )


EQ3 = p.claim(
    "id.eq3",
    "Section 1",
    Kind.IDENTITY,
    "Where S^n = z^n - f^{n-1}(z^{n-1}) = 0 for all n, P = grad f^0(z^0) ... grad f^N(z^N) is the gradient of "
    "f^N o ... o f^0 at x = z^0",
    eq(P_mco, slope_mco),
    equation="3",
    title="Maps of the compositional problem",
    hypotheses=(
        p.H_("zeros", "S^n(z^{n-1}, z^n) = 0, so that z^n = f^{n-1}(z^{n-1}), for all n"),
        p.H_(
            "transposed",
            "grad f^n(z^n) is the transpose of the derivative of f^n at z^n, for all n",
            None,
            EveryRound("transposed", eq(pair(j), pair(j + 1)), over=j),
        ),
    ),
    setting=LEVELS,
    proof=_level_by_level("transposed"),
)
ZERO_MCO = p.H_("zeros_mean", "the mean of (11a) is zero: z^n = (1/M) sum_m f^{m,n-1}(z^{n-1}), for all n")
ONE_LEVEL = p.H_(
    "one_level",
    "at most one level has derivatives at z^n that differ between clients: at every level those of f^{m,n} are the "
    "same for all m, or the products of the later ones are",
    None,
    EveryRound("one_level", eq(pair(j), pair(j + 1)), over=j),
)
MCO_MEAN = p.claim(
    "id.mco-mean",
    "Section 2.3",
    Kind.IDENTITY,
    "Fed-MSA with the maps (11), which is FedMCO, solves (Fed-MCO): where the mean of the S^{m,n} is zero, the mean of "
    "P^m = grad f^{m,0}(x) grad f^{m,1}(z^1) ... grad f^{m,N}(z^N) is grad f(x)",
    eq(P_mco, slope_mco),
    equation="11b",
    title="Mean maps of the federated compositional problem",
    follows_from=("id.eq3",),
    hypotheses=(p.MEAN, ZERO_MCO),
    note="The paper does not display it: Corollary D.1 takes the metric of Theorem 3.1 for that of (Fed-MCO). The "
    "innermost sum of (Fed-MCO) is read up to M. FedMCO stops where the mean of the P^m is zero: at x = 1/8 "
    "on the instance of the counterexample, whose f is least at 1/4.",
    switches=(
        replace(SUMS, substitute={P_mco: p.M * P_mco}),
        Switch(
            "objective",
            "(Fed-MCO)",
            "Appendix D",
            "Appendix D has the factor 1/M at the outermost sum alone: then z^n = sum_m f^{m,n-1}(z^{n-1}), which "
            "is no zero of (11a)",
            substitute={slope_mco: slope_D},
        ),
        Switch(
            "clients",
            "any",
            "one level differs",
            "where at most one level has derivatives that differ between the clients, the mean of the products is the "
            "product of the means",
            adding=(ONE_LEVEL,),
        ),
    ),
)
err, image, off_P = vectors("err image off_P")
MCO_CORRECTED = amended(
    MCO_MEAN,
    "the mean of products is not the product of the means, where derivatives of two levels differ between clients",
    text="For N = 1, ||(1/M) sum_m P^m(x, Z) - grad f(x)|| <= tau_0 tau_1 where the mean of the S^{m,1} is zero",
    statement=le(off_P2, het_0**2 * het_1**2),
    note="",
    hypotheses=(
        p.MEAN,
        ZERO_MCO,
        p.H_("N=1", "N = 1", eq(p.N, 1)),
        p.H_(
            "tau_0",
            "||grad f^{m,0} - mean|| <= tau_0 for all m: {f^{m,0}} are tau_0-heterogeneous",
            None,
            Lipschitz("J", het_0),
        ),
        p.H_("tau_1", "{f^{m,1}} are tau_1-heterogeneous", le(spread_1, het_1**2)),
    ),
    # the mean of J_m c_m, less mean J times mean c, is that of (J_m - mean J) (c_m - mean c)
    setting=Setting(
        depends={"err": "client", "image": "client"},
        means={"off_P": Mean("image", "client")},
        sizes={"client": p.M},
        functions={"J": {"err": (err, image, None), "0": (Vector(), Vector(), None)}},
        metrics={off_P2: norm2(off_P), spread_1: norm2(err)},
        words={
            "err": "grad f^{m,1}(z^1) less its mean over the clients",
            "J": "grad f^{m,0}(x) less its mean over the clients, a linear map for each client",
        },
    ),
    proof=Proof(
        have("of each client", le(norm2(image), het_0**2 * spread_1), by=[lipschitz("J", "err", "0")]),
        have("mean", le(off_P2, norm2(image)), by=[mean("off_P")]),
        have("spread", le(het_0**2 * spread_1, het_0**2 * het_1**2), by=[supposed("tau_1")], multipliers=[het_0**2]),
        qed(by=["mean", "of each client", "spread"]),
    ),
)
MCO_ONE_LEVEL = amended(
    MCO_MEAN,
    MCO_CORRECTED.why,
    part="one_level",
    text="As printed, where at most one level has derivatives that differ between the clients",
    hypotheses=(p.MEAN, ZERO_MCO, ONE_LEVEL),
    note="",
    setting=replace(
        LEVELS,
        depends={**LEVELS.depends, "a": "client", "a+": "client"},
        sizes={"client": p.M},
        words={
            **LEVELS.words,
            "a": "grad f^{m,j}(z^j) ... grad f^{m,N}(z^N)",
            "a+": "grad f^{m,j+1}(z^{j+1}) ... grad f^{m,N}(z^N), which is 1 for j = N",
            "t+": "that of z^{j+1}: the mean of the derivatives of f^{m,j} at z^j in the direction t",
        },
    ),
    proof=_level_by_level("one_level"),
)

cand = formula("cand", "E grad f^1(f^0(x; zeta))", p.AREA)
truth = formula("truth", "grad f^1(E f^0(x; zeta))", p.AREA)
var_0 = formula("var_0", "E ||f^0(x; zeta) - f^0(x)||^2", p.AREA, **NONNEG)
y, e = vectors("y e")
BIAS = p.claim(
    "prop.bias",
    "Section 2.3",
    Kind.PROPERTY,
    "grad f^1(f^0(x; zeta)) is in general no unbiased estimate of grad f^1(E f^0(x; zeta)): for f^1(z) = z^3/3 its "
    "mean is too large by the variance of f^0(x; zeta)",
    eq(cand, truth + var_0),
    title="The plug-in estimate is biased",
    hypotheses=(
        p.H_("cubic", "f^1(z) = z^3/3"),
        p.H_("unbiased_0", "f^0(x; zeta) has the mean f^0(x)", None, Unbiased("e", "")),
        p.H_("noisy", "f^0(x; zeta) is not constant", gt(var_0, 0)),
    ),
    note="Where grad f^1 is affine the estimate has no bias.",
    setting=Setting(
        depends={"y": "", "e": "zeta"},
        metrics={cand: norm2(y + e), truth: norm2(y), var_0: norm2(e)},
        words={"y": "f^0(x)", "e": "f^0(x; zeta) - f^0(x)"},
    ),
    proof=Proof(qed(by=[fresh("e")])),
)
CLAIMS = claims_in(globals())
