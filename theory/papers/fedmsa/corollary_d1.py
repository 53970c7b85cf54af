"""Lemma D.1 and Corollary D.1: federated multi-level compositional optimisation as an instance of Assumptions A to C.

Of what Lemma D.1 claims, ``z*`` and the maps are smooth. No client's map need be monotone, variances are bounded only
where the samples of different levels are independent, and ``P^m`` may differ by more than the layers do. The method
follows the mean of products of Jacobians, which is not the product of their means: for two levels it stops where
``grad f`` is up to ``tau_0 tau_1``, and for any number where it is of the order ``tau^2``. Where the Jacobians of one
level alone depend on the client, the two are equal.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedGradient,
    BoundedVariance,
    Dissimilar,
    Identical,
    Lipschitz,
    Quadratic,
    Unbiased,
)
from rateproof.theory.claim import Claim, Kind, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.corollary_c1 import gap_z, maps_at, pull_m
from rateproof.theory.papers.fedmsa.schedules import ALPHA_O, BETA_O, ONE_SAMPLE, S_THEOREM, c_rho
from rateproof.theory.papers.fedmsa.theorem31 import MANY_SAMPLES, STEPS
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    affine,
    bounded,
    dissimilar,
    fresh,
    have,
    induct,
    limit,
    lipschitz,
    mean,
    qed,
    section,
    special,
    supposed,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, le
from rateproof.theory.symbols import C_O, NONNEG, POS
from rateproof.theory.units import LENGTH, ONE, OUTER

declare, formula = p.declare, p.formula
#: Every layer but the last one maps lengths to lengths. ``n = 1`` where a claim speaks of two levels.
L_f = declare("L_layer", "Lipschitz constant of f^{m,n-1}", ONE, latex="L_{z,n-1}", **NONNEG)
Lp_f = declare("Lp_layer", "smoothness constant of f^{m,n-1}", LENGTH**-1, latex="L'_{z,n-1}", **NONNEG)
T = declare(
    "T_tail",
    "the product of L_{z,1}, ..., L_{z,N}, which bounds grad f^{m,1} ... grad f^{m,N}",
    OUTER / LENGTH,
    latex="T",
    **NONNEG,
)
l_T = declare(
    "l_T",
    "Lipschitz constant of grad f^{m,1} ... grad f^{m,N} along z*; for N = 1 it is L'_{z,1}",
    OUTER / p.AREA,
    **NONNEG,
)
sigma_f = declare("sigma_layer", "noise level of f^{m,n-1} and its derivative", LENGTH, latex=r"\sigma_{n-1}", **NONNEG)
sigma_T = declare(
    "sigma_T",
    "noise level of the samples of grad f^{m,1} ... grad f^{m,N}",
    OUTER / LENGTH,
    latex=r"\sigma_t",
    **NONNEG,
)
L_all = declare("L_all", "the largest of L_{z,0}, ..., L_{z,N}", ONE, latex=r"L_z", **POS)
tau_all = declare("tau_all", "the largest of tau_0, ..., tau_N", ONE, latex=r"\tau", **NONNEG)
tau_f = declare("tau_layer", "heterogeneity of f^{m,n-1}", ONE, latex=r"\tau_{n-1}", **NONNEG)
tau_T = declare("tau_T", "heterogeneity of f^{m,1}", OUTER / LENGTH, latex=r"\tau_1", **NONNEG)
taup_f = declare("taup_layer", "heterogeneity of grad f^{m,0}", LENGTH**-1, latex=r"\tau'_0", **NONNEG)
taup_T = declare("taup_T", "heterogeneity of grad f^{m,1}", OUTER / p.AREA, latex=r"\tau'_1", **NONNEG)

dz2 = formula("dz2", "||z^{n-1} - zb^{n-1}||^2", p.AREA, **NONNEG)
du2 = formula("du2", "||z^n - zb^n||^2", p.AREA, **NONNEG)
dSu2 = formula("dSu2", "||S^n(z^{n-1}, z^n) - S^n(z^{n-1}, zb^n)||^2", p.AREA, **NONNEG)
dzs2 = formula("dzs2", "||z^{n,*}(z^{n-1}) - z^{n,*}(zb^{n-1})||^2", p.AREA, **NONNEG)
dJ2 = formula("dJ2", "||(grad z^{n,*}(z^{n-1}) - grad z^{n,*}(zb^{n-1})) u||^2, ||u|| = 1", ONE, **NONNEG)
dSm2 = formula("dSm2", "||S^{m,n}(z^{n-1}, z^n) - S^{m,n}(zb^{n-1}, z^n)||^2", p.AREA, **NONNEG)
dPx2 = formula("dPx2", "||P^m(x, Z) - P^m(xb, Z)||^2", p.SLOPE**2, **NONNEG)
dPZ2 = formula("dPZ2", "||P^m(x, Z) - P^m(x, Zb)||^2", p.SLOPE**2, **NONNEG)
dPc2 = formula("dPc2", "||P^m(x) - P^m(xb)||^2, P^m(x) = P^m(x, Z*(x))", p.SLOPE**2, **NONNEG)
dp = formula("dp_mean", "E||p^m(x, Z; xi) - p^m(xb, Z; xi)||", p.SLOPE, **NONNEG)
ds = formula("ds_mean", "E||s^{m,n}(z^{n-1}, z^n; zeta) - s^{m,n}(zb^{n-1}, z^n; zeta)||", LENGTH, **NONNEG)
dp_ms = formula("dp_ms", "E||p^m(x, Z; xi) - p^m(xb, Z; xi)||^2", p.SLOPE**2, **NONNEG)
ds_ms = formula("ds_ms", "E||s^{m,n}(z^{n-1}, z^n; zeta) - s^{m,n}(zb^{n-1}, z^n; zeta)||^2", p.AREA, **NONNEG)
dz = formula("dz_len", "||z^{n-1} - zb^{n-1}||", LENGTH, **NONNEG)
var_P = formula("var_P", "E||p^m(x, Z; xi) - P^m(x, Z)||^2", p.SLOPE**2, **NONNEG)
var_S = formula("var_S", "E||s^{m,n}(z^{n-1}, z^n; zeta) - S^{m,n}(z^{n-1}, z^n)||^2", p.AREA, **NONNEG)
het_S2 = formula("het_S2", "||(grad S^{m,n} - grad S^n) (a, b)||^2", p.AREA, **NONNEG)
dir2 = formula("dir2", "||a||^2 + ||b||^2", p.AREA, **NONNEG)
het_P = formula("het_P", "||(grad P^m - grad P) (a, b)||", p.SLOPE, **NONNEG)
da2 = formula("da2", "||a||^2", p.AREA, **NONNEG)
db2 = formula("db2", "||b||^2", p.AREA, **NONNEG)
pull_S = formula("pull_S", "<z^n - z^{n,*}, S^n(z^{n-1}, z^n)>, S^n the mean map", p.AREA)
slopes_last = formula("slopes_last", "E||grad f^N(z^{N,*})||^2", ONE, **NONNEG)
off_last = formula("off_last", "||mean of grad f^{m,N}(z^{N,*}) - grad f^N(z^{N,*})||^2", ONE, **NONNEG)
spread_last = formula("spread_last", "the mean of E||grad f^{m,N}(z^{N,*}) - grad f^N(z^{N,*})||^2", ONE, **NONNEG)
bias2 = formula("bias2", "E ||P(xtilde) - grad f(xtilde)||^2", p.SLOPE**2, **NONNEG)
gf2_out = formula("gf2_mco", "E ||grad f(xtilde)||^2, f compositional", p.SLOPE**2, **NONNEG)

# --- what is supposed; G is read for all levels, n = 0, ..., N
G = p.H_(
    "G",
    "for all m and n = 0, ..., N, f^{m,n} is L_{z,n}-Lipschitz and L'_{z,n}-smooth; its samples are so in the mean",
    None,
    Lipschitz("f^{m,n-1}", L_f),
    Lipschitz("f^{n-1}", L_f),
    Lipschitz("grad f^{n-1} u", Lp_f),
    Lipschitz("grad f^{m,0} t", Lp_f * T),
    Lipschitz("grad f^{m,0}", L_f),
    Lipschitz("t along z*", l_T),
    Lipschitz("t in Z", l_T),
    BoundedGradient("t", T),
    Lipschitz("grad_x P^m", Lp_f * T),
    Lipschitz("grad_x P", Lp_f * T),
    Lipschitz("grad_z P^m", L_f * l_T),
    Lipschitz("grad_z P", L_f * l_T),
    Lipschitz("mean grad f^{m,0}", L_f),
)
H = p.H_(
    "H",
    "{f^{m,n}}_m is tau_n-heterogeneous for n = 0, ..., N: the derivatives of f^{m,n} and of f^n differ by at most "
    "tau_n",
    None,
    Lipschitz("grad f^{m,0} - grad f^0", tau_f),
    Dissimilar("f^{m,1}", "client", "", tau_T**2),
)
I_F = p.H_(
    "I",
    "samples of f^{m,n} and grad f^{m,n} are unbiased, with variances of at most sigma_n^2; the sample of grad "
    "f^{m,0} in p^m is another one than that of f^{m,0} in s^{m,1}",
    None,
    Unbiased("e", "past"),
    BoundedVariance("e", sigma_f**2),
    Unbiased("e1", "past"),
    BoundedVariance("e1", sigma_T**2),
)
INDEPENDENT = p.H_(
    "independent",
    "the samples of grad f^{m,0} and of the factors behind it are independent, so that in mean square the noise of the "
    "one times a sample of the other is at most sigma_0 times that",
    None,
    Lipschitz("noise of grad f^{m,0}", sigma_f, "zeta0", "past zeta1"),
    Unbiased("nb", "past zeta1"),
)
SQUARES = p.H_(
    "squares",
    "samples of grad f^{m,0} and f^{m,n-1} are Lipschitz in mean square with the constants of G, the one also times an "
    "independent sample of the factors behind it, whose mean square is at most T^2 + sigma_t^2",
    None,
    Lipschitz("sample of grad f^{m,0} t", Lp_f * sp.sqrt(T**2 + sigma_T**2), "zeta0 zeta1"),
    Lipschitz("sample of f^{m,n-1}", L_f, "zeta"),
)
WITH_INDEPENDENT = Switch(
    "samples",
    "any",
    "independent between the levels",
    "the sample of grad f^{m,0} is said to be another one than that of f^{m,0}, so that p^m is unbiased",
    adding=(INDEPENDENT,),
    origin="Assumption I",
)
#: With ``p = (1/M) sum_m p^m`` in Definition 2.2.
MEANS = p.H_("het mean", "maps p^m are compared with their mean, p = (1/M) sum_m p^m")
SUMS = p.H_("het sum", "maps p^m are compared with their sum, p = sum_m p^m, as the definition prints it")
ONE_CLIENT = p.H_("M=1", "M = 1", eq(p.M, 1))
TWO_LEVELS = p.H_("N=1", "N = 1", eq(p.N, 1))
ASSUMED = (G, H, I_F)


def part(cid: str, kind: Kind, text: str, statement: sp.Basic, title: str, **rest: Any) -> Claim:
    """One of the things that Lemma D.1 claims."""
    return p.claim(f"lemD.1.{cid}", "Lemma D.1", kind, text, statement, title=title, **{"hypotheses": ASSUMED, **rest})


LEMD1 = p.claim(
    "lemD.1",
    "Lemma D.1",
    Kind.PROPERTY,
    "Assumptions G, H and I imply Assumptions A to C",
    None,
    title="Compositional maps satisfy the assumptions",
    hypotheses=ASSUMED,
    note="Each part of A, B and C is a claim of its own. As z^{n,*} = f^{n-1}, the constants of level n there are "
    "those of level n - 1 in G, H and I.",
)
z, zb, u, ub, fz, fb, ju, jb = vectors("z zb u ub fz fb ju jb")
_POINTS = {"z": "any z^{n-1}", "zb": "any other", "u": "any z^n", "ub": "any other"}
A1 = part(
    "A1",
    Kind.IDENTITY,
    "For every z^{n-1} there is a unique z^{n,*} with S^n(z^{n-1}, z^{n,*}) = 0, the mean of f^{m,n-1}(z^{n-1}): "
    "S^n(z^{n-1}, .) is z^n less that",
    eq(dSu2, du2),
    "The zero of a tracking map",
    setting=Setting(
        depends={"z": "", "u": "", "ub": "", "fz": ""},
        sums={"s": u - fz, "sb": ub - fz},
        metrics={du2: norm2(u - ub), dSu2: norm2(vectors("s")[0] - vectors("sb")[0])},
        words={**{n: _POINTS[n] for n in ("z", "u", "ub")}, "fz": "f^{n-1}(z^{n-1})"},
    ),
    proof=Proof(qed(by=[written_out("s"), written_out("sb")])),
)
LAYER = Setting(
    depends={"z": "", "zb": "", "u": ""},
    sums={"s": u - fz, "sb": u - fb},
    functions=maps_at({"f^{n-1}": {"z": (z, fz), "zb": (zb, fb)}, "grad f^{n-1} u": {"z": (z, ju), "zb": (zb, jb)}}),
    metrics={dz2: norm2(z - zb), dzs2: norm2(fz - fb), dJ2: norm2(ju - jb)},
    words={n: _POINTS[n] for n in ("z", "zb", "u")},
)
A2 = part(
    "A2",
    Kind.INEQUALITY,
    "z^{n,*} and its derivative are Lipschitz, with the constants L_{z,n-1} and L'_{z,n-1} of f^{m,n-1}",
    every(le(dzs2, L_f**2 * dz2), le(dJ2, Lp_f**2 * dz2)),
    "The zero of a tracking map is smooth",
    setting=LAYER,
    proof=Proof(
        have("values", le(dzs2, L_f**2 * dz2), by=[lipschitz("f^{n-1}", "z", "zb")]),
        have("derivatives", le(dJ2, Lp_f**2 * dz2), by=[lipschitz("grad f^{n-1} u", "z", "zb")]),
        *(qed(by=["values", "derivatives"], of=i) for i in (0, 1)),
    ),
)
A3_S = part(
    "A3.S",
    Kind.INEQUALITY,
    "S^{m,n}(., z^n) is L_{z,n-1}-Lipschitz",
    le(dSm2, L_f**2 * dz2),
    "A client's tracking map",
    setting=replace(
        LAYER,
        functions=maps_at({"f^{m,n-1}": {"z": (z, fz), "zb": (zb, fb)}}),
        metrics={dz2: norm2(z - zb), dSm2: norm2(vectors("s")[0] - vectors("sb")[0])},
    ),
    proof=Proof(qed(by=[lipschitz("f^{m,n-1}", "z", "zb"), written_out("s"), written_out("sb")])),
)
# --- P^m = grad f^{m,0}(x) t, with the product t = grad f^{m,1} ... grad f^{m,N} of the factors behind the first one
x, xb, t, tb, at, abt, atb, abtb = vectors("x xb t tb at abt atb abtb")
A3_PX = part(
    "A3.PZ",
    Kind.INEQUALITY,
    "P^m(., Z) is Lipschitz with the constant L'_{z,0} L_{z,1} ... L_{z,N}",
    le(dPx2, (Lp_f * T) ** 2 * dz2),
    "The outer compositional map in x",
    note="z^0 = x, and n = 1.",
    setting=Setting(
        depends={"x": "", "xb": "", "t": ""},
        functions=maps_at({"grad f^{m,0} t": {"x": (x + t, at), "xb": (xb + t, abt)}}),
        metrics={dz2: norm2(x - xb), dPx2: norm2(at - abt)},
        words={"x": "any x", "xb": "any other", "t": "grad f^{m,1} ... grad f^{m,N}"},
    ),
    proof=Proof(qed(by=[lipschitz("grad f^{m,0} t", "x", "xb")])),
)
A3_Z = part(
    "A3.Z",
    Kind.INEQUALITY,
    "P^m(x, .) is Lipschitz with the constant L_{z,0} l_T, where t = grad f^{m,1} ... grad f^{m,N} is l_T-Lipschitz "
    "in Z",
    le(dPZ2, (L_f * l_T) ** 2 * du2),
    "The outer compositional map in Z",
    note="A3 does not say it, and the proofs use it.",
    setting=Setting(
        depends={"x": "", "u": "", "ub": ""},
        functions=maps_at(
            {"t in Z": {"u": (u, t), "ub": (ub, tb)}, "grad f^{m,0}": {"t": (x + t, at), "tb": (x + tb, abt)}}
        ),
        metrics={du2: norm2(u - ub), dPZ2: norm2(at - abt)},
        words={"x": "any x", "u": "any Z", "ub": "any other"},
    ),
    proof=Proof(qed(by=[lipschitz("t in Z", "u", "ub"), lipschitz("grad f^{m,0}", "t", "tb")])),
)
A3_P = part(
    "A3.P",
    Kind.INEQUALITY,
    "P^m(x) = P^m(x, Z*(x)) is Lipschitz: where t = grad f^{m,1} ... grad f^{m,N} is at most T and l_T-Lipschitz "
    "along z* in z^1, ||P^m(x) - P^m(xb)||^2 <= 2 (L'_{z,0}^2 T^2 + L_{z,0}^4 l_T^2) ||x - xb||^2",
    le(dPc2, 2 * (Lp_f**2 * T**2 + L_f**4 * l_T**2) * dz2),
    "The outer map along the tracked values",
    note="For N = 1 it is T = L_{z,1} and l_T = L'_{z,1}. For more levels t is a product of the same form, with one "
    "factor less, so that l_T follows in the same way.",
    setting=Setting(
        depends={"x": "", "xb": ""},
        functions=maps_at(
            {
                "f^{n-1}": {"x": (x, fz), "xb": (xb, fb)},
                "t along z*": {"x": (fz, t), "xb": (fb, tb)},
                "grad f^{m,0} t": {"x": (x + t, at), "xb": (xb + t, abt)},
                "grad f^{m,0}": {"t": (xb + t, abt), "tb": (xb + tb, abtb)},
            }
        ),
        metrics={dz2: norm2(x - xb), dPc2: norm2(at - abtb)},
        words={"x": "any x", "xb": "any other", "fz": "z^{1,*}(x)", "fb": "z^{1,*}(xb)"},
    ),
    proof=Proof(
        have("z* moves", le(norm2(fz - fb), L_f**2 * dz2), by=[lipschitz("f^{n-1}", "x", "xb")]),
        have("the factors behind", le(norm2(t - tb), l_T**2 * norm2(fz - fb)), by=[lipschitz("t along z*", "x", "xb")]),
        have(
            "the first factor", le(norm2(at - abt), (Lp_f * T) ** 2 * dz2), by=[lipschitz("grad f^{m,0} t", "x", "xb")]
        ),
        have("the rest", le(norm2(abt - abtb), L_f**2 * norm2(t - tb)), by=[lipschitz("grad f^{m,0}", "t", "tb")]),
        have(
            "all of the rest",
            le(norm2(abt - abtb), L_f**4 * l_T**2 * dz2),
            by=["z* moves", "the factors behind", "the rest"],
        ),
        qed(by=["the first factor", "all of the rest"]),
    ),
)
_ALIKE = (
    "with one sample for all factors, p^m is a product of random numbers that depend on each other, and I bounds their "
)
_ALIKE += "second moments alone"
A4 = part(
    "A4",
    Kind.PROPERTY,
    "p^m(., Z; xi) and s^{m,n}(., z^n; zeta) are Lipschitz in the mean: E||p^m(x, Z; xi) - p^m(xb, Z; xi)|| and "
    "E||s^{m,n}(x, z^1; zeta) - s^{m,n}(xb, z^1; zeta)|| are O(||x - xb||)",
    every(le(dp, C_O * p.Lb_p * dz), le(ds, C_O * L_f * dz)),
    "The sampled compositional maps in the mean",
    switches=(WITH_INDEPENDENT,),
    note="O is for all problems with the same constants in G, H and I. p^m(x; xi), at Z*(x), is left to A3.P and A3.Z.",
)
A4_CORRECTED = amended(
    A4,
    _ALIKE,
    text="Where the samples of grad f^{m,0} and of the factors t behind it are independent, the latter of noise level "
    "sigma_t, and the mean constants are those of mean squares, the samples are Lipschitz. "
    "E||p^m(x, Z; xi) - p^m(xb, Z; xi)||^2 <= L'_{z,0}^2 (T^2 + sigma_t^2) ||x - xb||^2 and E||s^{m,n}(z, z^n; zeta) "
    "- s^{m,n}(zb, z^n; zeta)||^2 <= L_{z,n-1}^2 ||z - zb||^2",
    statement=every(le(dp_ms, Lp_f**2 * (T**2 + sigma_T**2) * dz2), le(ds_ms, L_f**2 * dz2)),
    hypotheses=(*ASSUMED, INDEPENDENT, SQUARES),
    setting=Setting(
        depends={"x": "", "xb": ""},
        each={"sample of grad f^{m,0} t": "zeta0 zeta1", "sample of f^{m,n-1}": "zeta"},
        functions=maps_at(
            {
                "sample of grad f^{m,0} t": {"x": (x, at), "xb": (xb, abt)},
                "sample of f^{m,n-1}": {"x": (x, fz), "xb": (xb, fb)},
            }
        ),
        metrics={dz2: norm2(x - xb), dp_ms: norm2(at - abt), ds_ms: norm2(fz - fb)},
        words={"x": "any x", "xb": "any other"},
    ),
    proof=Proof(
        *(
            qed(by=[lipschitz(of, "x", "xb") for of in ("sample of grad f^{m,0} t", "sample of f^{m,n-1}")], of=i)
            for i in (0, 1)
        )
    ),
)
A5 = part(
    "A5",
    Kind.PROPERTY,
    "S^{m,n} is one-point strongly monotone on z^{n,*}: <z^n - z^{n,*}, S^{m,n}(z^{n-1}, z^n)> <= lambda ||z^n - "
    "z^{n,*}||^2 for some lambda > 0",
    le(pull_m, C_O * p.lam * gap_z),
    "One-point monotonicity of a tracking map",
    switches=(
        Switch(
            "A5",
            "<=",
            ">=",
            "every proof uses the other inequality",
            statement=le(p.lam * gap_z, C_O * pull_m),
            origin="Lemma B.1, (13)",
        ),
        Switch(
            "clients", "any number", "one", "for one client both sides are equal, with lambda = 1", adding=(ONE_CLIENT,)
        ),
    ),
    note="lambda is C_O lambda_n. Both need f^{m,n-1}(z) to be the same for all clients.",
)
A5_CORRECTED = amended(
    A5,
    "S^{m,n}(z^{n-1}, z^{n,*}) is what f^{n-1} and f^{m,n-1} differ by",
    text="The mean map S^n is one-point strongly monotone with lambda = 1: <z^n - z^{n,*}, S^n(z^{n-1}, z^n)> = "
    "||z^n - z^{n,*}||^2",
    statement=eq(pull_S, gap_z),
    hypotheses=(*ASSUMED, p.MEAN),
    setting=Setting(
        depends={"u": "", "fz": ""},
        sums={"s": u - fz},
        metrics={pull_S: dot(u - fz, vectors("s")[0]), gap_z: norm2(u - fz)},
        words={"u": "any z^n", "fz": "z^{n,*}, the mean of f^{m,n-1}(z^{n-1})"},
    ),
    proof=Proof(qed(by=[written_out("s")])),
)
e, e1, nb, ae, tbar = vectors("e e1 nb ae tbar")
B_S = part(
    "B.S",
    Kind.INEQUALITY,
    "The variance of s^{m,n} is at most sigma_{n-1}^2, that of f^{m,n-1}",
    le(var_S, sigma_f**2),
    "Variance of the tracking oracles",
    setting=Setting(
        depends={"e": "past zeta"}, metrics={var_S: norm2(e)}, words={"e": "the noise of f^{m,n-1}(z^{n-1})"}
    ),
    proof=Proof(qed(by=[variance("e")])),
)
_VARIANCE = L_f**2 * sigma_T**2 + sigma_f**2 * (T**2 + sigma_T**2)
B_P = part(
    "B.P",
    Kind.PROPERTY,
    "The variance of p^m is bounded: E||p^m(x, Z; xi) - P^m(x, Z)||^2 = O(sigma^2)",
    le(var_P, C_O * p.sigma**2),
    "Variance of the outer oracle",
    switches=(replace(WITH_INDEPENDENT, statement=le(var_P, _VARIANCE)),),
    note="O is for all problems with the same constants in G, H and I.",
)
B_P_CORRECTED = amended(
    B_P,
    _ALIKE,
    text="Where the samples of grad f^{m,0} and of the factors t behind it are independent, the latter of noise level "
    "sigma_t, E||p^m(x, Z; xi) - P^m(x, Z)||^2 <= L_{z,0}^2 sigma_t^2 + sigma_0^2 (T^2 + sigma_t^2)",
    statement=le(var_P, _VARIANCE),
    hypotheses=(*ASSUMED, INDEPENDENT),
    note="For N = 1 it is T = L_{z,1} and sigma_t = sigma_1; for more levels the same bound is one for sigma_t.",
    setting=Setting(
        depends={"z": "past", "e1": "past zeta1"},
        each={"noise of grad f^{m,0}": "zeta0"},
        functions=maps_at(
            {
                "t": {"z": (z, tbar)},
                "noise of grad f^{m,0}": {"t": (tbar + e1, nb), "0": (Vector(), Vector())},
                "mean grad f^{m,0}": {"noise of t": (e1, ae), "0": (Vector(), Vector())},
            }
        ),
        metrics={var_P: norm2(nb + ae)},
        words={
            "z": "z^1, ..., z^N",
            "tbar": "the product t of the mean factors behind the first",
            "e1": "the noise of t",
        },
    ),
    proof=Proof(
        have(
            "the noise of t",
            le(norm2(ae), L_f**2 * sigma_T**2),
            by=[lipschitz("mean grad f^{m,0}", "noise of t", "0"), variance("e1")],
        ),
        have(
            "the sample of t",
            le(norm2(tbar + e1), T**2 + sigma_T**2),
            by=[bounded("t", "z"), fresh("e1"), variance("e1")],
        ),
        have(
            "the noise of the first factor",
            le(norm2(nb), sigma_f**2 * (T**2 + sigma_T**2)),
            by=["the sample of t", lipschitz("noise of grad f^{m,0}", "t", "0")],
        ),
        qed(by=["the noise of t", "the noise of the first factor", fresh("nb")]),
    ),
)
a, b, turned = vectors("a b turned")
WITH_MEANS = Switch(
    "Definition 2.2",
    "sum",
    "mean",
    "a client and the sum over M clients differ even where all clients are equal",
    without=(SUMS.key,),
    adding=(MEANS,),
    origin="line 8 of Algorithm 1, (7) and (Fed-MCO)",
)
C_S = part(
    "C.S",
    Kind.INEQUALITY,
    "{S^{m,n}}_m is tau_{n-1}-heterogeneous: grad S^{m,n} - grad S^n is at most as large as grad f^{m,n-1} - grad "
    "f^{n-1}",
    le(het_S2, tau_f**2 * dir2),
    "Heterogeneity of the tracking maps",
    hypotheses=(*ASSUMED, SUMS),
    switches=(WITH_MEANS,),
    note="S^{m,n} has the derivative I in z^n, and the sum M I.",
)
C_S_CORRECTED = amended(
    C_S,
    "with the sum in Definition 2.2, grad S^{m,n} - grad S^n has the part (1 - M) I",
    text="With the mean in Definition 2.2, {S^{m,n}}_m is tau_{n-1}-heterogeneous",
    hypotheses=(*ASSUMED, MEANS),
    origin="line 8 of Algorithm 1, (7) and (Fed-MCO)",
    setting=Setting(
        depends={"a": "", "b": ""},
        functions=maps_at({"grad f^{m,0} - grad f^0": {"a": (a, turned), "0": (Vector(), Vector())}}),
        # the part in b is I, for a client and for the mean
        metrics={het_S2: norm2(turned), dir2: norm2(a) + norm2(b)},
        words={"a": "any direction of z^{n-1}", "b": "any direction of z^n"},
    ),
    proof=Proof(qed(by=[lipschitz("grad f^{m,0} - grad f^0", "a", "0")])),
)
pa, qa, pb, qb = vectors("pa qa pb qb")
C_P = part(
    "C.P",
    Kind.PROPERTY,
    "{P^m} is heterogeneous of the order of tau = max(tau_0, ..., tau_N): ||(grad P^m - grad P) (a, b)|| = O(tau) "
    "where ||a||^2 + ||b||^2 = 1",
    le(het_P**2, C_O * p.tau**2 * (da2 + db2)),
    "Heterogeneity of the outer maps",
    hypotheses=(*ASSUMED, SUMS),
    switches=(WITH_MEANS,),
    note="O is for all problems with the same constants in G, and any number of clients; the rate of Corollary D.1 is "
    "in the tau of Assumption H. With the sum it holds for any fixed number of clients, M > 1: all derivatives of "
    "f^{m,n} are of the order of tau then.",
)
C_P_CORRECTED = amended(
    C_P,
    (
        "grad P^m has second derivatives of f^{m,n}, of which H says nothing",
        "with the sum in Definition 2.2, the difference grows with the number of clients",
    ),
    text="For N = 1 and the mean in Definition 2.2, ||(grad P^m - grad P) (a, b)||^2 <= 8 (L'_{z,0} L_{z,1})^2 "
    "||a||^2 + 8 (L_{z,0} L'_{z,1})^2 ||b||^2",
    statement=le(het_P**2, 8 * (Lp_f * T) ** 2 * da2 + 8 * (L_f * l_T) ** 2 * db2),
    hypotheses=(*ASSUMED, MEANS, TWO_LEVELS),
    setting=Setting(
        depends={"a": "", "b": ""},
        functions=maps_at(
            {
                of: {at_: (at_vector, image), "0": (Vector(), Vector())}
                for of, at_, at_vector, image in (
                    ("grad_x P^m", "a", a, pa),
                    ("grad_x P", "a", a, qa),
                    ("grad_z P^m", "b", b, pb),
                    ("grad_z P", "b", b, qb),
                )
            }
        ),
        metrics={het_P**2: norm2(pa - qa + pb - qb), da2: norm2(a), db2: norm2(b)},
        words={"a": "any direction of x", "b": "any direction of z^1"},
    ),
    proof=Proof(
        qed(
            by=[
                lipschitz(f"grad_{of} {which}", at_, "0")
                for of, at_ in (("x", "a"), ("z", "b"))
                for which in ("P^m", "P")
            ]
        )
    ),
)
am, am_mean, bm_, zm, zm_mean, vm_ = vectors("am mean(am) bm zm mean(zm) vm")
H_SECOND = p.H_(
    "H second",
    "{grad f^{m,n}}_m is tau'_n-heterogeneous: the second derivatives of f^{m,n} and f^n differ by at most tau'_n",
    None,
    Lipschitz("(D grad f^{m,0} - D grad f^0) grad f^{m,1}", taup_f * T),
    Lipschitz("mean of (D grad f^{m,0} - D grad f^0) grad f^{m,1}", taup_f * T),
    Lipschitz("D grad f^0 (grad f^{m,1} - grad f^1)", Lp_f * tau_T),
    Lipschitz("(grad f^{m,0} - grad f^0) D grad f^{m,1}", tau_f * l_T),
    Lipschitz("mean of (grad f^{m,0} - grad f^0) D grad f^{m,1}", tau_f * l_T),
    Lipschitz("grad f^0 (D grad f^{m,1} - D grad f^1)", L_f * taup_T),
)
# grad P^m (a, b) is grad f^0 and grad f^1 with their derivatives, the same for all clients, and what follows; the means
# of the parts with grad f^{m,1} - grad f^1 and D grad f^{m,1} - D grad f^1 are 0
C_P_SECOND = amended(
    C_P,
    "grad P^m has second derivatives of f^{m,n}, of which H says nothing",
    part="second",
    text="For N = 1, the mean in Definition 2.2 and {grad f^{m,n}}_m that are tau'_n-heterogeneous, ||(grad P^m - grad "
    "P) (a, b)||^2 <= 6 (2 tau'_0^2 L_{z,1}^2 + L'_{z,0}^2 tau_1^2) ||a||^2 + 6 (2 tau_0^2 L'_{z,1}^2 + L_{z,0}^2 "
    "tau'_1^2) ||b||^2",
    statement=le(
        het_P**2,
        6 * (2 * taup_f**2 * T**2 + Lp_f**2 * tau_T**2) * da2 + 6 * (2 * tau_f**2 * l_T**2 + L_f**2 * taup_T**2) * db2,
    ),
    hypotheses=(*ASSUMED, MEANS, TWO_LEVELS, H_SECOND),
    setting=Setting(
        depends={"a": "", "b": ""},
        functions=maps_at(
            {
                says.of: {at_: (at_vector, image), "0": (Vector(), Vector())}
                for says, (at_, at_vector, image) in zip(
                    H_SECOND.says,
                    [("a", a, am), ("a", a, am_mean), ("a", a, bm_), ("b", b, zm), ("b", b, zm_mean), ("b", b, vm_)],
                    strict=True,
                )
            }
        ),
        metrics={het_P**2: norm2(am - am_mean + bm_ + zm - zm_mean + vm_), da2: norm2(a), db2: norm2(b)},
        words={"a": "any direction of x", "b": "any direction of z^1"},
    ),
    proof=Proof(qed(by=[lipschitz(says.of, "a" if i < 3 else "b", "0") for i, says in enumerate(H_SECOND.says)])),
)

# --- the corollary
RHO_O = p.H_("rho=O(1/R)", "rho = O(1/R): rho R <= c_rho", le(p.rho * p.R, c_rho))
LARGEST = p.H_("largest of all", "sigma and tau are the largest of sigma_0, ..., sigma_N and of tau_0, ..., tau_N")
SUM_INSIDE = p.H_("f (App. D)", "f is the objective of Appendix D, with sums over the clients inside f^{m,n}, n >= 1")
MEAN_INSIDE = p.H_("f (Fed-MCO)", "f is the objective (Fed-MCO), with means over the clients inside f^{m,n}, n >= 1")
ONE_DIFFERS = p.H_(
    "one differs",
    "the derivatives of one of f^{m,0}, ..., f^{m,N} alone depend on the client m",
    None,
    Quadratic("the factors before"),
    Identical("the factors before", "client"),
)
MEANS_INSIDE = Switch(
    "objective",
    "sums inside",
    "means inside",
    "z^{n,*} is the mean of f^{m,n-1}, with which grad f for sums inside has nothing to do, also for equal clients",
    without=(SUM_INSIDE.key,),
    adding=(MEAN_INSIDE,),
    origin="(Fed-MCO)",
)
CORD1 = p.claim(
    "corD.1",
    "Corollary D.1",
    Kind.BOUND,
    "E||grad f(xtilde)||^2 + sum_n E||ztilde^n - z^{n,*}(ztilde^{n-1})||^2 <= O(tau/R + 1/(K^(1/2) R) + sigma^2/(M K "
    "R) + (sigma/(M K R))^(2/3)) for FedMCO",
    le(gf2_out + p.gap2_out, C_O * p.RATE),
    title="The rate of FedMCO",
    hypotheses=(*ASSUMED, SUM_INSIDE, LARGEST, p.METHOD, p.MOMENTUM, ONE_SAMPLE, RHO_O, ALPHA_O, BETA_O),
    schedule=S_THEOREM,
    switches=(MEANS_INSIDE, MANY_SAMPLES, replace(STEPS, without=(RHO_O.key, ALPHA_O.key, BETA_O.key))),
    follows_from=("thm3.1", "lemD.1", "id.mco-mean"),
    note="False in all of these readings, for exact oracles: the mean of products of Jacobians is not the product of "
    "their means, so that the zero of P is not stationary.",
)
_WHY_MEAN = "(11b) has the mean of products of Jacobians, and grad f the product of their means"
Ab, bm, cm, bbar, cbar = vectors("Ab bm cm bbar cbar")
behind, product, abar, grad = vectors("behind product abar grad")
at_star, first, second, fbar, sbar, P_mean, ev = vectors("zs first second fbar sbar P ev")
value = sp.Symbol("f1_z", real=True)
CORD1_CORRECTED = amended(
    CORD1,
    (
        _WHY_MEAN,
        "grad f for sums inside is another vector, also for equal clients",
    ),
    text="For N = 1 and (Fed-MCO), E||P(xtilde) - grad f(xtilde)||^2 <= tau_0^2 tau_1^2, so that E||grad "
    "f(xtilde)||^2 + E||ztilde - z*||^2 <= 2 E||P(xtilde)||^2 + E||ztilde - z*||^2 + 2 tau_0^2 tau_1^2: the metric of "
    "Theorem 3.1, and a term that never falls",
    statement=every(
        le(bias2, tau_f**2 * tau_T**2),
        le(gf2_out + p.gap2_out, 2 * p.P2_out + p.gap2_out + 2 * tau_f**2 * tau_T**2),
    ),
    hypotheses=(*ASSUMED, TWO_LEVELS, MEAN_INSIDE, p.MEAN, MEANS),
    schedule=None,
    follows_from=(),
    note="The first bound is attained where P(xtilde) = 0, so that a term tau_0^2 tau_1^2 has to stay.",
    # A_m is grad f^{m,0}(xtilde), b_m is grad f^{m,1}(z*): A_m b_m = Abar bbar + (A_m - Abar) bbar + Abar (b_m - bbar)
    # + (A_m - Abar) (b_m - bbar), where the means of the second and third part are 0
    setting=Setting(
        depends={"zs": "run", "first": "client run", "second": "client run", "Ab": "run", "ev": "run"},
        sizes={"client": p.M},
        means={
            "bbar": Mean("bm", "client"),
            "fbar": Mean("first", "client"),
            "sbar": Mean("second", "client"),
            "cbar": Mean("cm", "client"),
            "P": Mean("product", "client"),
        },
        sums={"product": Ab + first - fbar + second - sbar + cm},
        functions={
            "f^{m,1}": {"z*": (at_star, bm, value)},
            "f^1": {"z*": (at_star, bbar, value)},
            "grad f^{m,0} - grad f^0": {
                "b_m - bbar": (bm - bbar, cm, None),
                "0": (Vector(), Vector(), None),
            },
        },
        made={"f^1": Mean("f^{m,1}", "client")},
        metrics={
            gf2_out: norm2(Ab),
            p.P2_out: norm2(P_mean),
            p.gap2_out: norm2(ev),
            bias2: norm2(P_mean - Ab),
        },
        words={
            "zs": "z*(xtilde)",
            "Ab": "grad f(xtilde), the product of the mean grad f^{m,0}(xtilde) and the mean grad f^{m,1}(z*)",
            "first": "grad f^{m,0}(xtilde) times the mean of grad f^{m,1}(z*)",
            "second": "the mean of grad f^{m,0}(xtilde) times grad f^{m,1}(z*)",
            "ev": "ztilde - z*",
            "run": "the run and what is returned",
        },
    ),
    proof=Proof(
        have(
            "the products",
            le(norm2(cm), tau_f**2 * norm2(bm - bbar)),
            by=[lipschitz("grad f^{m,0} - grad f^0", "b_m - bbar", "0")],
        ),
        have("the factors", le(norm2(bm - bbar), tau_T**2), by=[dissimilar("f^{m,1}", "z*"), mean("bbar")]),
        have("their mean", le(norm2(cbar), norm2(cm)), by=[mean("cbar")]),
        have(
            "the bias",
            le(norm2(P_mean - Ab), norm2(cbar)),
            by=[mean("P"), written_out("product"), mean("fbar"), mean("sbar"), mean("cbar")],
        ),
        have("all of it", le(bias2, tau_f**2 * tau_T**2), by=["the products", "the factors", "their mean", "the bias"]),
        qed(by=["all of it"]),
        qed(by=["all of it"], of=1),
    ),
)
CORD1_ONE = amended(
    CORD1,
    (_WHY_MEAN, "grad f for sums inside is another vector, also for equal clients"),
    part="one",
    text="For (Fed-MCO), where the derivatives of one of f^{m,0}, ..., f^{m,N} alone depend on the client, P(x) = "
    "grad f(x): E||grad f(xtilde)||^2 = E||P(xtilde)||^2",
    statement=eq(gf2_out, p.P2_out),
    hypotheses=(*ASSUMED, MEAN_INSIDE, p.MEAN, ONE_DIFFERS),
    schedule=None,
    follows_from=(),
    note="So every rate of Theorem 3.1 is one of FedMCO there. The factors before the one that differs are a linear "
    "map, the part of the gradient of (u, v) -> <u, B v> in u.",
    # behind is grad f^{m,n} times the factors behind it
    setting=Setting(
        depends={"behind": "client run"},
        sizes={"client": p.M},
        means={"abar": Mean("behind", "client"), "P": Mean("product", "client")},
        functions={"the factors before": {"of a client": (behind, product, None), "of the mean": (abar, grad, None)}},
        metrics={gf2_out: norm2(grad), p.P2_out: norm2(P_mean)},
        words={
            "behind": "grad f^{m,n}, of the level that differs, times the factors behind it",
            "run": "the run and what is returned",
        },
    ),
    proof=Proof(qed(by=[affine("the factors before", "of the mean", "of a client")])),
)

# --- any number of levels: tb is the product of the mean factors of the last k + 1, and dev what that of a client's
# factors differs from it by
#: Factors before the last one.
k = sp.Symbol("k", integer=True, nonnegative=True)
_s = sp.Symbol("s", positive=True)
slopes2, outer2, spread2, off2 = (
    sp.Function(name, nonnegative=True) for name in ("slopes2", "outer2", "spread2", "off2")
)
tbk, dev, ad, ed, ms, abk, raw = vectors("tb dev ad ed mdev abt raw")
rawbar, med, mad, after = vectors("rawbar med mad after")
_ZERO = {"0": (Vector(), Vector(), None)}
LAST = p.H_(
    "last level",
    "at z^N, G and H give ||grad f^N|| <= L, and a mean square of grad f^{m,N} - grad f^N of at most tau^2; its mean "
    "is 0",
    every(le(slopes_last, L_all**2), le(spread_last, tau_all**2), eq(off_last, 0)),
)
OTHERS = p.H_(
    "other levels",
    "L is the largest of L_{z,0}, ..., L_{z,N} and tau the largest of tau_0, ..., tau_N",
    None,
    Lipschitz("A_m", L_all),
    Lipschitz("A", L_all),
    Lipschitz("A_m - A", tau_all),
    Lipschitz("A_m - A at tb", tau_all),
)
CORD1_LEVELS = amended(
    CORD1,
    (_WHY_MEAN, "grad f for sums inside is another vector, also for equal clients"),
    part="levels",
    text="For (Fed-MCO) and any N, ||P(x) - grad f(x)|| <= N (N + 1)/2 L^(N-1) tau^2, with the largest L of the "
    "L_{z,n} and the largest tau of the tau_n, so that E||grad f(xtilde)||^2 <= 2 E||P(xtilde)||^2 + (N (N + 1) "
    "L^(N-1) tau^2)^2/2",
    statement=every(
        le(bias2, (p.N * (p.N + 1) / 2 * L_all ** (p.N - 1) * tau_all**2) ** 2),
        le(gf2_out, 2 * p.P2_out + (p.N * (p.N + 1) * L_all ** (p.N - 1) * tau_all**2) ** 2 / 2),
    ),
    hypotheses=(*ASSUMED, MEAN_INSIDE, p.MEAN, MEANS, LAST, OTHERS),
    schedule=None,
    follows_from=(),
    note="The constant is polynomial in N but for L^(N-1). For N = 1 the first bound is that of corD.1.corrected.",
    setting=Setting(
        depends={"tb": "run", "dev": "client run", "raw": "client run"},
        sizes={"client": p.M},
        means={
            "mdev": Mean("dev", "client"),
            "rawbar": Mean("raw", "client"),
            "med": Mean("ed", "client"),
            "mad": Mean("ad", "client"),
            "after": Mean("next", "client"),
        },
        sums={"next": ad + ed + raw - rawbar},
        functions={
            "A": {"of dev": (dev, ad, None), "of its mean": (ms, mad, None), "of tb": (tbk, abk, None), **_ZERO},
            "A_m - A": {"of dev": (dev, ed, None), **_ZERO},
            "A_m - A at tb": {"of tb": (tbk, raw - rawbar, None), **_ZERO},
            "A_m": {"of dev": (dev, ad + ed, None), **_ZERO},
        },
        metrics={
            slopes2(k): norm2(tbk),
            slopes2(k + 1): norm2(abk),
            outer2(k): norm2(tbk + ms),
            spread2(k): norm2(dev),
            spread2(k + 1): norm2(vectors("next")[0]),
            off2(k): norm2(ms),
            off2(k + 1): norm2(after),
            slopes_last: slopes2(0),
            spread_last: spread2(0),
            off_last: off2(0),
            gf2_out: slopes2(p.N),
            p.P2_out: outer2(p.N),
            bias2: off2(p.N),
        },
        words={
            "tb": "the product of the mean grad f^{N-k}, ..., grad f^N",
            "dev": "the product of grad f^{m,N-k}, ..., grad f^{m,N}, less that",
            "raw": "grad f^{m,N-k-1} times tb",
            "A": "the mean grad f^{N-k-1}",
            "A_m": "grad f^{m,N-k-1}",
            "run": "the run and what is returned",
        },
    ),
    proof=Proof(
        section("One factor more"),
        have("slopes", le(slopes2(k + 1), L_all**2 * slopes2(k)), by=[lipschitz("A", "of tb", "0")]),
        have(
            "spread",
            le(spread2(k + 1), (1 + 1 / _s) * L_all**2 * spread2(k) + (1 + _s) * tau_all**2 * slopes2(k)),
            by=[lipschitz("A_m", "of dev", "0"), lipschitz("A_m - A at tb", "of tb", "0"), written_out("next")],
        ),
        have(
            "the mean of what is next",
            le(norm2(after - mad - med), 0),
            by=[mean("after"), written_out("next"), mean("med"), mean("mad"), mean("rawbar")],
        ),
        have(
            "of the product",
            le(norm2(med), tau_all**2 * spread2(k)),
            by=[mean("med"), lipschitz("A_m - A", "of dev", "0")],
        ),
        have(
            "off",
            le(off2(k + 1), (1 + 1 / _s) * L_all**2 * off2(k) + (1 + _s) * tau_all**2 * spread2(k)),
            by=["the mean of what is next", "of the product", lipschitz("A", "of its mean", "0")],
        ),
        section("All factors"),
        induct(
            "all slopes", le(slopes2(k), L_all ** (2 * k + 2)), over=k, base=[supposed("last level")], by=["slopes"]
        ),
        special("spread at s", "spread", {_s: k + 1}),
        induct(
            "all spreads",
            le(spread2(k), (k + 1) ** 2 * tau_all**2 * L_all ** (2 * k)),
            over=k,
            base=[supposed("last level")],
            by=["spread at s", "all slopes"],
        ),
        special("the first factor", "off", {k: 0}),
        have(
            "but the last",
            le(off2(1), (1 + _s) * tau_all**4),
            by=["the first factor", supposed("last level")],
        ),
        limit("one factor", "but the last", over=_s),
        special("off at s", "off", {k: k + 1, _s: (k + 1) / 2}),
        special("next spreads", "all spreads", {k: k + 1}),
        induct(
            "all off",
            le(off2(k + 1), ((k + 1) * (k + 2) / 2) ** 2 * tau_all**4 * L_all ** (2 * k)),
            over=k,
            base=["one factor"],
            by=["off at s", "next spreads"],
        ),
        special("all levels", "all off", {k: p.N - 1}),
        have("metric", le(slopes2(k), 2 * outer2(k) + 2 * off2(k))),
        special("the metric", "metric", {k: p.N}),
        qed(by=["all levels"]),
        qed(by=["all levels", "the metric"], of=1),
    ),
)
CLAIMS: tuple[Claim, ...] = (
    LEMD1,
    A1,
    A2,
    A3_P,
    A3_PX,
    A3_Z,
    A3_S,
    A4,
    A4_CORRECTED,
    A5,
    A5_CORRECTED,
    B_P,
    B_P_CORRECTED,
    B_S,
    C_P,
    C_P_CORRECTED,
    C_P_SECOND,
    C_S,
    C_S_CORRECTED,
    CORD1,
    CORD1_CORRECTED,
    CORD1_ONE,
    CORD1_LEVELS,
)
