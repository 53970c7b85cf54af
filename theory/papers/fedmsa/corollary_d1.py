"""Lemma D.1 and Corollary D.1: federated multi-level compositional optimisation as an instance of Assumptions A to C.

Of what Lemma D.1 claims, ``z*`` and the maps are smooth. No client's map need be monotone, variances are bounded only
where the samples of different levels are independent, and ``P^m`` may differ by more than the layers do. The method
follows the mean of products of Jacobians, which is not the product of their means: it has the rate of Theorem 3.1 up to
a term of the order ``tau^4``, which never falls. Where the Jacobians of one level alone depend on the client, the two
are equal, and the rate is that of the theorem.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedGradient,
    BoundedVariance,
    Identical,
    Lipschitz,
    Quadratic,
    Smooth,
    Unbiased,
)
from rateproof.theory.claim import Claim, Kind, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import levels, one_round, rates
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.corollary_c1 import gap_z, pull_m
from rateproof.theory.papers.fedmsa.schedules import ALPHA_O, BETA_O, ONE_SAMPLE, S_THEOREM, c_rho
from rateproof.theory.papers.fedmsa.theorem31 import MANY_SAMPLES, STEPS
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    affine,
    bounded,
    cite,
    fresh,
    have,
    induct,
    limit,
    lipschitz,
    mean,
    qed,
    rewritten,
    section,
    special,
    supposed,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, gt, le, premise
from rateproof.theory.symbols import C_O, NONNEG, POS
from rateproof.theory.units import LENGTH, ONE, OUTER

declare, formula = p.declare, p.formula
#: Every layer but the last one maps lengths to lengths. ``n = 1`` where a claim speaks of two levels.
L_f = declare("L_layer", "Lipschitz constant of f^{m,n-1}", ONE, latex="L_{z,n-1}", **NONNEG)
Lp_f = declare("Lp_layer", "smoothness constant of f^{m,n-1}", LENGTH**-1, latex="L'_{z,n-1}", **NONNEG)
T = declare("T_tail", "bound L_{z,1} ... L_{z,N} of the factors behind the first", p.SLOPE, latex="T", **NONNEG)
l_T = declare("l_T", "Lipschitz constant of the factors behind the first; L'_{z,1} for N = 1", OUTER / p.AREA, **NONNEG)
sigma_f = declare("sigma_layer", "noise level of f^{m,n-1} and its derivative", LENGTH, latex=r"\sigma_{n-1}", **NONNEG)
sigma_T = declare("sigma_T", "noise level of the factors behind the first", p.SLOPE, latex=r"\sigma_t", **NONNEG)
L_all = declare("L_all", "the largest of L_{z,0}, ..., L_{z,N}", ONE, latex="L", **POS)
tau_all = declare("tau_all", "the largest of tau_0, ..., tau_N", ONE, latex=r"\tau_f", **NONNEG)
tau_f = declare("tau_layer", "heterogeneity of f^{m,n-1}", ONE, latex=r"\tau_{n-1}", **NONNEG)
tau_T = declare("tau_T", "heterogeneity of f^{m,1}", p.SLOPE, latex=r"\tau_1", **NONNEG)
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
slopes_last = formula("slopes_last", "||grad f^N(z^{N,*})||^2", ONE, **NONNEG)
off_last = formula("off_last", "||mean of grad f^{m,N}(z^{N,*}) - grad f^N(z^{N,*})||^2", ONE, **NONNEG)
spread_last = formula("spread_last", "the mean of ||grad f^{m,N}(z^{N,*}) - grad f^N(z^{N,*})||^2", ONE, **NONNEG)
bias2 = formula("bias2", "||P(x) - grad f(x)||^2 at any x, P(x) = P(x, Z^*(x))", p.SLOPE**2, **NONNEG)

# --- what is supposed; G is read for all levels, n = 0, ..., N
G = p.H_(
    "G",
    "for all m and n = 0, ..., N, f^{m,n} is L_{z,n}-Lipschitz and L'_{z,n}-smooth; its samples are so in the mean",
    None,
    *(Lipschitz(of, L_f) for of in ("f^{m,n-1}", "f^{n-1}", "grad f^{m,0} at z", "grad f^{m,0} at zb")),
    *(Lipschitz(of, Lp_f * T) for of in ("grad f^{m,0} t", "grad f^{m,0} t*", "grad_x P^m", "grad_x P")),
    *(Lipschitz(of, L_f * l_T) for of in ("grad_z P^m", "grad_z P")),
    Lipschitz("grad f^{n-1} u", Lp_f),
    Smooth("layers behind", l_T),
    BoundedGradient("layers behind", T),
)
H = p.H_(
    "H",
    "{f^{m,n}}_m is tau_n-heterogeneous for n = 0, ..., N: the derivatives of f^{m,n} and of f^n differ by at most "
    "tau_n",
    None,
    Lipschitz("grad f^{m,0} - grad f^0", tau_f),
)
I_F = p.H_(
    "I",
    "samples of f^{m,n} and grad f^{m,n} are unbiased, with variances of at most sigma_n^2; the sample of grad "
    "f^{m,0} in p^m is another one than that of f^{m,0} in s^{m,1}",
    None,
    *(Unbiased(of, "past") for of in ("e", "e1")),
    BoundedVariance("e", sigma_f**2),
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

# --- S^{m,n} and P^m: P^m = grad f^{m,0}(x) t, with the product t = grad f^{m,1} ... grad f^{m,N} of what is behind
z, zb, u, ub, fz, fb, fm, fmb, ju, jb = vectors("z zb u ub fz fb fm fmb ju jb")
t, tb, ts, tsb, at, abt, ats, abts = vectors("t tb ts tsb at abt ats abts")
zt, ztb, zbts, zbtsb = vectors("zt ztb zbts zbtsb")
e, e1, ae, nb, ss, ssb, ps, psb = vectors("e e1 ae nb ss ssb ps psb")
_AT_0 = {"0": (Vector(), Vector(), None)}


def _both(first: Vector, second: Vector) -> dict[str, tuple[Vector, Vector, None]]:
    """What a map makes of ``z`` and ``zb``."""
    return {"z": (z, first, None), "zb": (zb, second, None)}


MAPS = Setting(
    depends={**dict.fromkeys(("z", "zb", "u", "ub"), ""), "e": "past zeta", "e1": "past zeta1"},
    each={"noise of grad f^{m,0}": "zeta0", "sample of grad f^{m,0} t": "zeta0 zeta1", "sample of f^{m,n-1}": "zeta"},
    sums={"zbts": 1 * abts},
    functions={
        "f^{n-1}": _both(fz, fb),
        "f^{m,n-1}": _both(fm, fmb),
        "grad f^{n-1} u": _both(ju, jb),
        "layers behind": {"u": (u, t, None), "ub": (ub, tb, None), "z*": (fz, ts, None), "zb*": (fb, tsb, None)},
        "grad f^{m,0} t": _both(at, abt),
        "grad f^{m,0} t*": _both(ats, abts),
        "grad f^{m,0} at z": {"t": (t, zt, None), "tb": (tb, ztb, None), "noise of t": (e1, ae, None), **_AT_0},
        "grad f^{m,0} at zb": {"t*": (ts, zbts, None), "tb*": (tsb, zbtsb, None)},
        "noise of grad f^{m,0}": {"t": (t + e1, nb, None), **_AT_0},
        "sample of f^{m,n-1}": _both(ss, ssb),
        "sample of grad f^{m,0} t": _both(ps, psb),
    },
    metrics={
        dz2: norm2(z - zb),
        du2: norm2(u - ub),
        dSu2: norm2((u - fz) - (ub - fz)),
        dzs2: norm2(fz - fb),
        dJ2: norm2(ju - jb),
        dSm2: norm2((u - fm) - (u - fmb)),
        dPx2: norm2(at - abt),
        dPZ2: norm2(zt - ztb),
        dPc2: norm2(ats - zbtsb),
        dp_ms: norm2(ps - psb),
        ds_ms: norm2(ss - ssb),
        pull_S: dot(u - fz, u - fz),
        gap_z: norm2(u - fz),
        var_S: norm2(e),
        var_P: norm2(nb + ae),
    },
    words={
        "z": "any z^{n-1}; for n = 1 it is x",
        "zb": "any other",
        "u": "any z^n; for P^m it is Z",
        "ub": "any other",
        "fz": "f^{n-1}(z), which is z^{n,*}",
        "fb": "f^{n-1}(zb)",
        "t": "grad f^{m,1} ... grad f^{m,N} at u",
        "ts": "the same at z*",
        "e": "the noise of f^{m,n-1}(z)",
        "e1": "the noise of t",
    },
)


def part(cid: str, title: str, text: str, statement: sp.Basic, kind: Kind = Kind.INEQUALITY, **rest: Any) -> Claim:
    """One of the things that Lemma D.1 claims."""
    given = {"hypotheses": ASSUMED, "setting": MAPS if "proof" in rest else None, **rest}
    return p.claim(f"lemD.1.{cid}", "Lemma D.1", kind, text, statement, title=title, **given)


#: Constants of level 0 are printed as those of level n - 1.
_AT_X = "In the formula n = 1, and z^0 = x."
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
A1 = part(
    "A1",
    "The zero of a tracking map",
    "For every z^{n-1} there is a unique z^{n,*} with S^n(z^{n-1}, z^{n,*}) = 0, the mean of f^{m,n-1}(z^{n-1}): "
    "S^n(z^{n-1}, .) is z^n less that",
    eq(dSu2, du2),
    Kind.IDENTITY,
    proof=Proof(qed()),
)
A2 = part(
    "A2",
    "The zero of a tracking map is smooth",
    "z^{n,*} and its derivative are Lipschitz, with the constants L_{z,n-1} and L'_{z,n-1} of f^{m,n-1}",
    every(le(dzs2, L_f**2 * dz2), le(dJ2, Lp_f**2 * dz2)),
    proof=Proof(*(qed(by=[lipschitz(of, "z", "zb") for of in ("f^{n-1}", "grad f^{n-1} u")], of=i) for i in (0, 1))),
)
A3_S = part(
    "A3.S",
    "A client's tracking map",
    "S^{m,n}(., z^n) is L_{z,n-1}-Lipschitz",
    le(dSm2, L_f**2 * dz2),
    proof=Proof(qed(by=[lipschitz("f^{m,n-1}", "z", "zb")])),
)
A3_PX = part(
    "A3.PZ",
    "The outer compositional map in x",
    "P^m(., Z) is Lipschitz with the constant L'_{z,0} L_{z,1} ... L_{z,N}",
    le(dPx2, (Lp_f * T) ** 2 * dz2),
    note=_AT_X,
    proof=Proof(qed(by=[lipschitz("grad f^{m,0} t", "z", "zb")])),
)
A3_Z = part(
    "A3.Z",
    "The outer compositional map in Z",
    "P^m(x, .) is Lipschitz with the constant L_{z,0} l_T, where t = grad f^{m,1} ... grad f^{m,N} is l_T-Lipschitz "
    "in Z",
    le(dPZ2, (L_f * l_T) ** 2 * du2),
    note=f"A3 does not say it, and the proofs use it. {_AT_X}",
    proof=Proof(qed(by=[lipschitz("layers behind", "u", "ub"), lipschitz("grad f^{m,0} at z", "t", "tb")])),
)
A3_P = part(
    "A3.P",
    "The outer map along the tracked values",
    "P^m(x) = P^m(x, Z*(x)) is Lipschitz: where t = grad f^{m,1} ... grad f^{m,N} is at most T and l_T-Lipschitz "
    "along z* in z^1, ||P^m(x) - P^m(xb)||^2 <= 2 (L'_{z,0}^2 T^2 + L_{z,0}^4 l_T^2) ||x - xb||^2",
    le(dPc2, 2 * (Lp_f**2 * T**2 + L_f**4 * l_T**2) * dz2),
    note=f"{_AT_X} For N = 1 it is T = L_{{z,1}} and l_T = L'_{{z,1}}. For more levels t is a product of the same "
    "form, with one factor less, so that l_T follows in the same way.",
    proof=Proof(
        have(
            "the rest",
            le(norm2(zbts - zbtsb), L_f**4 * l_T**2 * dz2),
            by=[
                *(lipschitz("f^{n-1}", "z", "zb"), lipschitz("layers behind", "z*", "zb*")),
                lipschitz("grad f^{m,0} at zb", "t*", "tb*"),
            ],
        ),
        qed(by=["the rest", lipschitz("grad f^{m,0} t*", "z", "zb"), written_out("zbts")]),
    ),
)
_ALIKE = (
    "with one sample for all factors, p^m is a product of random numbers that depend on each other, and Assumption I "
    "bounds their second moments alone"
)
A4 = part(
    "A4",
    "The sampled compositional maps in the mean",
    "p^m(., Z; xi) and s^{m,n}(., z^n; zeta) are Lipschitz in the mean: E||p^m(x, Z; xi) - p^m(xb, Z; xi)|| and "
    "E||s^{m,n}(x, z^1; zeta) - s^{m,n}(xb, z^1; zeta)|| are O(||x - xb||)",
    every(le(dp, C_O * p.Lb_p * dz), le(ds, C_O * L_f * dz)),
    Kind.PROPERTY,
    switches=(WITH_INDEPENDENT,),
    note="O is for all problems with the same constants in Assumptions G, H and I. p^m(x; xi), at Z*(x), is left to "
    f"A3.P and A3.Z. {_AT_X}",
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
    setting=MAPS,
    proof=Proof(
        *(
            qed(by=[lipschitz(of, "z", "zb") for of in ("sample of grad f^{m,0} t", "sample of f^{m,n-1}")], of=i)
            for i in (0, 1)
        )
    ),
)
A5 = part(
    "A5",
    "One-point monotonicity of a tracking map",
    "S^{m,n} is one-point strongly monotone on z^{n,*}: <z^n - z^{n,*}, S^{m,n}(z^{n-1}, z^n)> <= lambda ||z^n - "
    "z^{n,*}||^2 for some lambda > 0",
    le(pull_m, C_O * p.lam * gap_z),
    Kind.PROPERTY,
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
    setting=MAPS,
    proof=Proof(qed()),
)
B_S = part(
    "B.S",
    "Variance of the tracking oracles",
    "The variance of s^{m,n} is at most sigma_{n-1}^2, that of f^{m,n-1}",
    le(var_S, sigma_f**2),
    proof=Proof(qed(by=[variance("e")])),
)
_VARIANCE = L_f**2 * sigma_T**2 + sigma_f**2 * (T**2 + sigma_T**2)
B_P = part(
    "B.P",
    "Variance of the outer oracle",
    "The variance of p^m is bounded: E||p^m(x, Z; xi) - P^m(x, Z)||^2 = O(sigma^2)",
    le(var_P, C_O * p.sigma**2),
    Kind.PROPERTY,
    switches=(replace(WITH_INDEPENDENT, statement=le(var_P, _VARIANCE)),),
    note="O is for all problems with the same constants in Assumptions G, H and I.",
)
B_P_CORRECTED = amended(
    B_P,
    _ALIKE,
    text="Where the samples of grad f^{m,0} and of the factors t behind it are independent, the latter of noise level "
    "sigma_t, E||p^m(x, Z; xi) - P^m(x, Z)||^2 <= L_{z,0}^2 sigma_t^2 + sigma_0^2 (T^2 + sigma_t^2)",
    statement=le(var_P, _VARIANCE),
    hypotheses=(*ASSUMED, INDEPENDENT),
    note=f"{_AT_X} For N = 1 it is T = L_{{z,1}} and sigma_t = sigma_1; for more levels the same bound is one "
    "for sigma_t.",
    setting=MAPS,
    proof=Proof(
        qed(
            by=[
                *(fresh("e1"), fresh("nb"), variance("e1"), bounded("layers behind", "u")),
                *(lipschitz("noise of grad f^{m,0}", "t", "0"), lipschitz("grad f^{m,0} at z", "noise of t", "0")),
            ]
        )
    ),
)

# --- derivatives in the directions a, of z^{n-1} or x, and b, of z^n; the part of S^{m,n} in b is I for all clients
a, b, turned, pa, qa, pb, qb = vectors("a b turned pa qa pb qb")
DIRECTIONS = Setting(
    depends={"a": "", "b": ""},
    functions={
        "grad f^{m,0} - grad f^0": {"a": (a, turned, None), **_AT_0},
        "grad_x P^m": {"a": (a, pa, None), **_AT_0},
        "grad_x P": {"a": (a, qa, None), **_AT_0},
        "grad_z P^m": {"b": (b, pb, None), **_AT_0},
        "grad_z P": {"b": (b, qb, None), **_AT_0},
    },
    metrics={
        **{het_S2: norm2(turned), het_P**2: norm2(pa - qa + pb - qb)},
        **{dir2: norm2(a) + norm2(b), da2: norm2(a), db2: norm2(b)},
    },
    words={"a": "any direction of z^{n-1}", "b": "any direction of z^n"},
)
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
    "Heterogeneity of the tracking maps",
    "{S^{m,n}}_m is tau_{n-1}-heterogeneous: grad S^{m,n} - grad S^n is at most as large as grad f^{m,n-1} - grad "
    "f^{n-1}",
    le(het_S2, tau_f**2 * dir2),
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
    setting=DIRECTIONS,
    proof=Proof(qed(by=[lipschitz("grad f^{m,0} - grad f^0", "a", "0")])),
)
C_P = part(
    "C.P",
    "Heterogeneity of the outer maps",
    "{P^m} is heterogeneous of the order of tau = max(tau_0, ..., tau_N): ||(grad P^m - grad P) (a, b)|| = O(tau) "
    "where ||a||^2 + ||b||^2 = 1",
    le(het_P**2, C_O * p.tau**2 * (da2 + db2)),
    Kind.PROPERTY,
    hypotheses=(*ASSUMED, SUMS),
    switches=(WITH_MEANS,),
    note="O is for all problems with the same constants in Assumption G, and any number of clients; the rate of "
    "Corollary D.1 is in the tau of Assumption H. With the sum it holds for any fixed number of clients, M > 1: all "
    "derivatives of f^{m,n} are of the order of tau then.",
)
C_P_CORRECTED = amended(
    C_P,
    (
        "grad P^m has second derivatives of f^{m,n}, of which Assumption H says nothing",
        "with the sum in Definition 2.2, the difference grows with the number of clients",
    ),
    text="For N = 1 and the mean in Definition 2.2, ||(grad P^m - grad P) (a, b)||^2 <= 8 (L'_{z,0} L_{z,1})^2 "
    "||a||^2 + 8 (L_{z,0} L'_{z,1})^2 ||b||^2",
    statement=le(het_P**2, 8 * (Lp_f * T) ** 2 * da2 + 8 * (L_f * l_T) ** 2 * db2),
    hypotheses=(*ASSUMED, MEANS, TWO_LEVELS),
    note=_AT_X,
    setting=DIRECTIONS,
    proof=Proof(
        qed(by=[lipschitz(f"grad_{of} {which}", at_, "0") for of, at_ in ("xa", "zb") for which in ("P^m", "P")])
    ),
)
#: The parts of (grad P^m - grad P) (a, b), N = 1: the direction, the bound, and the sign. The means of those with
#: grad f^{m,1} - grad f^1 and D grad f^{m,1} - D grad f^1 are 0.
PARTS = {
    "(D grad f^{m,0} - D grad f^0) grad f^{m,1}": ("a", taup_f * T, 1),
    "mean of (D grad f^{m,0} - D grad f^0) grad f^{m,1}": ("a", taup_f * T, -1),
    "D grad f^0 (grad f^{m,1} - grad f^1)": ("a", Lp_f * tau_T, 1),
    "(grad f^{m,0} - grad f^0) D grad f^{m,1}": ("b", tau_f * l_T, 1),
    "mean of (grad f^{m,0} - grad f^0) D grad f^{m,1}": ("b", tau_f * l_T, -1),
    "grad f^0 (D grad f^{m,1} - D grad f^1)": ("b", L_f * taup_T, 1),
}
_IMAGES = dict(zip(PARTS, vectors("am am_mean bm cm cm_mean dm"), strict=True))
H_SECOND = p.H_(
    "H second",
    "{grad f^{m,n}}_m is tau'_n-heterogeneous: the second derivatives of f^{m,n} and f^n differ by at most tau'_n",
    None,
    *(Lipschitz(of, most) for of, (_, most, _) in PARTS.items()),
)
C_P_SECOND = amended(
    C_P,
    "grad P^m has second derivatives of f^{m,n}, of which Assumption H says nothing",
    part="second",
    text="For N = 1, the mean in Definition 2.2 and {grad f^{m,n}}_m that are tau'_n-heterogeneous, ||(grad P^m - grad "
    "P) (a, b)||^2 <= 6 (2 tau'_0^2 L_{z,1}^2 + L'_{z,0}^2 tau_1^2) ||a||^2 + 6 (2 tau_0^2 L'_{z,1}^2 + L_{z,0}^2 "
    "tau'_1^2) ||b||^2",
    statement=le(
        het_P**2,
        6 * (2 * taup_f**2 * T**2 + Lp_f**2 * tau_T**2) * da2 + 6 * (2 * tau_f**2 * l_T**2 + L_f**2 * taup_T**2) * db2,
    ),
    hypotheses=(*ASSUMED, MEANS, TWO_LEVELS, H_SECOND),
    note=_AT_X,
    setting=replace(
        DIRECTIONS,
        functions={of: {at_: ({"a": a, "b": b}[at_], _IMAGES[of], None), **_AT_0} for of, (at_, _, _) in PARTS.items()},
        metrics={
            het_P**2: norm2(sum((sign * _IMAGES[of] for of, (_, _, sign) in PARTS.items()), Vector())),
            **{da2: norm2(a), db2: norm2(b)},
        },
    ),
    proof=Proof(qed(by=[lipschitz(of, at_, "0") for of, (at_, _, _) in PARTS.items()])),
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
    le(p.gf2_out + p.gap2_out, C_O * p.RATE),
    title="The rate of FedMCO",
    hypotheses=(*ASSUMED, SUM_INSIDE, LARGEST, p.METHOD, p.MOMENTUM, ONE_SAMPLE, RHO_O, ALPHA_O, BETA_O),
    schedule=S_THEOREM,
    switches=(MEANS_INSIDE, MANY_SAMPLES, replace(STEPS, without=(RHO_O.key, ALPHA_O.key, BETA_O.key))),
    follows_from=("thm3.1", "lemD.1", "id.mco-mean"),
    note="False in all of these readings, for exact oracles: the mean of products of Jacobians is not the product of "
    "their means, so that the zero of P is not stationary.",
)

# --- what the method goes to: P(x) is the mean of products of Jacobians, and grad f(x) the product of their means
_WHY = (
    "(11b) has the mean of products of Jacobians, and grad f the product of their means",
    "grad f for sums inside is another vector, also for equal clients",
)


def _corrected(part: str, text: str, statement: sp.Basic, **rest: Any) -> Claim:
    """What is true of FedMCO."""
    given = {"schedule": None, "follows_from": (), "note": "", **rest}
    return amended(CORD1, _WHY, part=part, text=text, statement=statement, **given)


behind, product, abar, grad, P_mean = vectors("behind product abar grad P")
CORD1_ONE = _corrected(
    "one",
    "For (Fed-MCO), where the derivatives of one of f^{m,0}, ..., f^{m,N} alone depend on the client, P(x) = grad f(x)",
    eq(bias2, 0),
    hypotheses=(*ASSUMED, MEAN_INSIDE, p.MEAN, ONE_DIFFERS),
    note="The factors before the one that differs are a linear map, the part of the gradient of (u, v) -> <u, B v> in "
    "u.",
    # behind is grad f^{m,n} times the factors behind it
    setting=Setting(
        depends={"behind": "client"},
        sizes={"client": p.M},
        means={"abar": Mean("behind", "client"), "P": Mean("product", "client")},
        functions={"the factors before": {"of a client": (behind, product, None), "of the mean": (abar, grad, None)}},
        metrics={bias2: norm2(P_mean - grad)},
        words={"behind": "grad f^{m,n}, of the level that differs, times the factors behind it"},
    ),
    proof=Proof(qed(by=[affine("the factors before", "of the mean", "of a client")])),
)

# --- any number of levels: tb is the product of the mean factors of the last k + 1, and dev what that of a client's
# factors differs from it by
#: Factors before the last one.
k = sp.Symbol("k", integer=True, nonnegative=True)
_s = sp.Symbol("s", positive=True)
slopes2, spread2, off2 = (sp.Function(name, nonnegative=True) for name in ("slopes2", "spread2", "off2"))
tbk, dev, ad, ed, ms, abk, raw = vectors("tb dev ad ed mdev abt raw")
rawbar, med, mad, after = vectors("rawbar med mad after")
LAST = p.H_(
    "last level",
    "at z^N, G and H give ||grad f^N|| <= L, and a mean square of grad f^{m,N} - grad f^N of at most tau_f^2; its mean "
    "is 0",
    every(le(slopes_last, L_all**2), le(spread_last, tau_all**2), eq(off_last, 0)),
)
OTHERS = p.H_(
    "other levels",
    "L is the largest of L_{z,0}, ..., L_{z,N} and tau_f the largest of tau_0, ..., tau_N",
    None,
    Lipschitz("A_m", L_all),
    Lipschitz("A", L_all),
    Lipschitz("A_m - A", tau_all),
    Lipschitz("A_m - A at tb", tau_all),
)
CORD1_LEVELS = _corrected(
    "levels",
    "For (Fed-MCO) and any N, ||P(x) - grad f(x)|| <= N (N + 1)/2 L^(N-1) tau_f^2, with the largest L of the "
    "L_{z,n} and the largest tau_f of the tau_n",
    le(bias2, (p.N * (p.N + 1) / 2 * L_all ** (p.N - 1) * tau_all**2) ** 2),
    hypotheses=(*ASSUMED, MEAN_INSIDE, p.MEAN, MEANS, LAST, OTHERS),
    note="The constant is polynomial in N but for L^(N-1).",
    setting=Setting(
        depends={"tb": "", "dev": "client", "raw": "client"},
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
            "A": {"of dev": (dev, ad, None), "of its mean": (ms, mad, None), "of tb": (tbk, abk, None), **_AT_0},
            "A_m - A": {"of dev": (dev, ed, None), **_AT_0},
            "A_m - A at tb": {"of tb": (tbk, raw - rawbar, None), **_AT_0},
            "A_m": {"of dev": (dev, ad + ed, None), **_AT_0},
        },
        metrics={
            slopes2(k): norm2(tbk),
            slopes2(k + 1): norm2(abk),
            spread2(k): norm2(dev),
            spread2(k + 1): norm2(vectors("next")[0]),
            off2(k): norm2(ms),
            off2(k + 1): norm2(after),
            slopes_last: slopes2(0),
            spread_last: spread2(0),
            off_last: off2(0),
            bias2: off2(p.N),
        },
        words={
            "tb": "the product of the mean grad f^{N-k}, ..., grad f^N",
            "dev": "the product of grad f^{m,N-k}, ..., grad f^{m,N}, less that",
            "raw": "grad f^{m,N-k-1} times tb",
            "A": "the mean grad f^{N-k-1}",
            "A_m": "grad f^{m,N-k-1}",
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
            "off",
            le(off2(k + 1), (1 + 1 / _s) * L_all**2 * off2(k) + (1 + _s) * tau_all**2 * spread2(k)),
            by=[
                *(mean(name) for name in ("after", "med", "mad", "rawbar")),
                written_out("next"),
                *(lipschitz("A_m - A", "of dev", "0"), lipschitz("A", "of its mean", "0")),
            ],
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
        qed(by=["all levels"]),
    ),
)

# --- the rate
_ELL = sp.Rational(1728, 25)
FEDMCO = p.H_("FedMCO", "S^n = z^n - f^{n-1}(z^{n-1}), so that lambda_min = L_{s,max} = 1", eq(levels.L_s, levels.lam))
THETA = p.H_("theta=", "5 theta lambda_n = 27 L_z", eq(5 * rates.theta * p.lam, 27 * p.L_Z))
BIAS = p.H_(
    "bias",
    "delta^2 <= 2 ||P(x) - grad f(x)||^2 for some x, as is enough where P(x, .) is (L_z/2^(1/2))-Lipschitz",
    le(one_round.delta**2, 2 * bias2),
)
_RATE = (
    8 * rates.Delta * (p.L_h + 885 * p.L_Z) / (p.K * p.R)
    + 1106 * one_round.tau * rates.Delta / p.R
    + 1936 * one_round.Lb * rates.Delta / (rates.root * p.R)
    + 32 * one_round.noise**2 / (p.M * p.K * p.b * p.R)
    + 32 * rates.q
)
_RATE_TEXT = (
    "E||grad f(xtilde)||^2 + (L_z^2/2) E||Ztilde - Z^*(xtilde)||^2 <= 8 Delta (L_h + 885 L_z)/(K R) + 1106 tau_w "
    "Delta/R + 1936 Lb Delta/((K b)^(1/2) R) + 32 sigma_w^2/(M K b R) + 32 (ell Lb Delta sigma_w/(M K b R))^(2/3)"
)
_CHOICE = (
    ", ell = 1728/25, with the norm, constants, batches, steps and momentum of thm3.1.corrected at lambda_min = "
    "L_{s,max} = 1 and theta = 216 L_z/5"
)


def _rate(part: str, bias: Claim, stays: sp.Expr, text: str, note: str = "") -> Claim:
    """The rate of the theorem, with what stays of the bias that another claim bounds."""
    runs = rates.sums(one_round.ALL)
    measured = p.gf2_out + p.L_Z**2 / 2 * levels.far_out
    return _corrected(
        part,
        text,
        every(le(measured, _RATE + stays), rates.NOW),
        hypotheses=(*rates.RATE_LEVELS.hypotheses, MEAN_INSIDE, FEDMCO, THETA, BIAS, premise(bias)),
        follows_from=("thm3.1.corrected", bias.item),
        note=note,
        where=rates.RATE_LEVELS.where,
        setting=replace(runs, measured=(*runs.measured, bias2)),
        proof=Proof(
            section("The theorem"),
            have(
                "the rate", le(measured, rates.BOUND + 2 * one_round.delta**2), by=[cite(rates.RATE_LEVELS), SEQUENCES]
            ),
            section("Its constants"),
            have("L_Z > 0", gt(p.L_Z, 0)),
            have(
                "L_s", eq(p.L_s, sp.Rational(64, 5) * p.lam), by=[supposed(one_round.TOGETHER.key), supposed("FedMCO")]
            ),
            have("theta", eq(rates.theta, sp.Rational(27, 5) * p.L_Z / p.lam), by=[supposed(THETA.key)]),
            have("ell", eq(rates.ell, _ELL), by=["L_Z > 0", "L_s", "theta", unfold(rates.ell)]),
            rewritten("in numbers", "the rate", by=["L_s", "theta", "ell"]),
            have("the bound", le(measured, _RATE + stays), by=["in numbers", supposed(BIAS.key), supposed(bias.item)]),
            have("distances", rates.NOW, by=[cite(rates.RATE_LEVELS), SEQUENCES]),
        ),
    )


CORD1_CORRECTED = _rate(
    "",
    CORD1_LEVELS,
    (p.N * (p.N + 1) * L_all ** (p.N - 1) * tau_all**2) ** 2,
    f"For (Fed-MCO), {_RATE_TEXT} + (N (N + 1) L^(N-1) tau_f^2)^2{_CHOICE}, the largest L of the L_{{z,n}} and the "
    "largest tau_f of the tau_n",
    "The last term stays: where P(xtilde) = 0, ||grad f||^2 may be a quarter of it.",
)
CORD1_RATE = _rate(
    "rate-one",
    CORD1_ONE,
    sp.S.Zero,
    "For (Fed-MCO), where the derivatives of one of f^{m,0}, ..., f^{m,N} alone depend on the client, "
    f"{_RATE_TEXT}{_CHOICE}",
)
CLAIMS: tuple[Claim, ...] = (
    *(LEMD1, A1, A2, A3_P, A3_PX, A3_Z, A3_S, A4, A4_CORRECTED, A5, A5_CORRECTED, B_P, B_P_CORRECTED, B_S),
    *(C_P, C_P_CORRECTED, C_P_SECOND, C_S, C_S_CORRECTED),
    *(CORD1, CORD1_ONE, CORD1_LEVELS, CORD1_CORRECTED, CORD1_RATE),
)
