"""The problems, and what the paper says of Assumptions 2, 2' and 3.

(15), (16), the mean of two normal distributions, both remarks on Assumption 2' and Appendix B are right. Assumption 1
does not give Assumption 5, as it says nothing of the convexity of single losses. Assumption 2 does not hold "obviously"
where a node has the target's distribution: with a cap b < 1 the weight of one node cannot be one, and the J nodes that
have it need b J >= 1.
"""

from dataclasses import replace
from functools import partial

import sympy as sp

from rateproof.theory.assumptions import (
    ClosedConvex,
    Identical,
    Lipschitz,
    Minimiser,
    Monotone,
    Quadratic,
    Smooth,
    StronglyConvex,
    Unbiased,
    Weighted,
    WholeSpace,
)
from rateproof.theory.claim import Kind, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    affine,
    cite,
    convex,
    fresh,
    have,
    lipschitz,
    mean,
    monotone,
    optimal,
    qed,
    stationary,
    supposed,
    written_out,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import LENGTH

declare, formula = p.declare, p.formula
_section3 = partial(p.stated, "Section 3", kind=Kind.PROPERTY)
_section4 = partial(p.stated, "Section 4", kind=Kind.IDENTITY)
_appendix = partial(p.stated, "Appendix B")
mu, l1, b, J, K = p.mu, p.l1, p.b, p.J, p.K

# --- (15) and (16)
(apart_h2,) = p.measured(p.AREA, apart_h2="||h* - H^(-1) grad L^_0||^2")
(off_inv2,) = p.measured(p.SLOPE**2, off_inv2="||H h' - grad L^_0||^2")
f16_t = formula("f16_t", "f(theta) of (16), f_{k,i} being l(theta; z_k^(i))", p.LOSS)
f1_t = formula("f1_t", "sum_k w_k L^_k(theta)", p.LOSS)
f16_h = formula("f16_h", "f(h) of (16), f_{k,i} being those of (15)", p.LOSS)
f15_h = formula("f15_h", "(1/2 h^T H h - h^T grad L^_0)", p.LOSS)
hs, hi, Hs, Hi, g0, x, Bki, B, one, lv, fv = vectors("h* h' Hh* Hh' g0 x Bki B 1 l f")
phi_s = sp.Symbol("phi_s", real=True)
SYSTEM = Setting(
    depends=dict.fromkeys(("h*", "h'", "g0"), ""),
    functions={"H": {"h*": (hs, Hs, None), "h'": (hi, Hi, None)}, "phi": {"h*": (hs, Hs - g0, phi_s)}},
    metrics={apart_h2: norm2(hs - hi), off_inv2: norm2(Hi - g0)},
    words={
        "h*": "the minimiser of (15)",
        "h'": "(sum_k w_k Hess L^_k)^(-1) grad L^_0",
        "g0": "grad L^_0(theta)",
        "H": "sum_k w_k Hess L^_k(theta)",
        "phi": "the function of (15)",
    },
)
EQ15 = _section4(
    "eq15",
    "The minimiser of 1/2 h^T H h - h^T grad L^_0, where H = sum_k w_k Hess L^_k, is H^(-1) grad L^_0",
    le(apart_h2, 0),
    equation="15",
    title="The linear system as a minimisation",
    hypotheses=(
        p.H_("Hess<=l_1", "grad l(.; z) is l_1-Lipschitz: Hessians are at most l_1", None, Smooth("phi", l1)),
        p.H_("Hess>=mu", "L^_k is mu-strongly convex: its Hessian is at least mu", None, Monotone("H", mu)),
        p.H_("(15)", "h* minimises (15) over R^d", None, Minimiser("phi", "h*", "space"), WholeSpace("space")),
        p.H_("inverse", "h' = H^(-1) grad L^_0", eq(off_inv2, 0)),
    ),
    setting=SYSTEM,
    proof=Proof(qed(by=[monotone("H", "h*", "h'"), stationary("phi"), supposed("inverse")])),
)
#: Losses are numbers, ``<v, 1>`` for a vector v of one coordinate.
FINITE_SUM = Setting(
    depends={**dict.fromkeys(("x", "g0", "1"), ""), "Bki": "node sample", "l": "node sample"},
    means={
        **{"Bk": Mean("Bki", "sample"), "B": Mean("Bk", "node")},
        **{"L": Mean("l", "sample"), "f": Mean("L", "node")},
    },
    weighted=("node",),
    sizes={"node": K, "sample": p.n_train},
    metrics={
        **{f16_t: dot(one, lv), f1_t: dot(one, fv)},
        **{f16_h: dot(x, Bki) / 2 - dot(x, g0), f15_h: dot(x, B) / 2 - dot(x, g0)},
    },
    words={
        "x": "the h of (15)",
        "g0": "grad L^_0(theta)",
        "1": "the number 1",
        "Bki": "Hess l(theta; z_k^(i)) h",
        "l": "l(theta; z_k^(i))",
    },
)
EQ16 = _section4(
    "eq16-map",
    "With f_{k,i}(theta) = l(theta; z_k^(i)), f of (16) is the objective of (1), and with f_{k,i}(h) = 1/2 h^T Hess "
    "l(theta; z_k^(i)) h - h^T grad L^_0 it is that of (15)",
    every(eq(f16_t, f1_t), eq(f16_h, f15_h)),
    equation="16",
    title="Distributed finite sums",
    hypotheses=(p.CAP, p.H_("w in the capped simplex", "w lies in the capped simplex", None, Weighted("node", K * b))),
    note="Objectives are compared. (16) minimises over R^d, and (1) over Theta, which A1 makes bounded: the minimisers "
    "are the same where that of (16) lies in Theta.",
    setting=FINITE_SUM,
    proof=Proof(qed(by=[mean("B"), mean("Bk")]), qed(by=[mean("f"), mean("L")], of=1)),
)

# --- Assumption 5, of two samples of a node
bends = tuple(
    declare(f"bend_{i}", f"second derivative of f_{{k,{i}}}", p.CURVATURE, latex=f"f''_{{k,{i}}}", real=True)
    for i in (1, 2)
)
_LARGEST = every(*(le(bend, l1) for bend in bends))
CONVEX_Z = p.H_("l(.; z) convex", "l(.; z) is convex for every z", every(*(ge(bend, 0) for bend in bends)))
SMOOTH_BOTH = replace(
    p.SMOOTH, key="A1.1 of both samples", relation=every(*_LARGEST.args, *(ge(bend, -l1) for bend in bends))
)
CONVEX_BOTH = replace(p.CONVEX, key="A1.3 of both samples", relation=ge(sum(bends) / 2, mu))
A5_OF_A1 = p.claim(
    "rem-A5",
    "Appendix F.1, before Assumption 5",
    Kind.PROPERTY,
    "Because of A1, (16) satisfies A5 with the l_1 and mu of A1: f_{k,i} is convex, its gradient is l_1-Lipschitz, and "
    "f_k is mu-strongly convex. Here of a node with two samples whose losses have constant second derivatives",
    every(*(ge(bend, 0) for bend in bends), *_LARGEST.args, ge(sum(bends) / 2, mu)),
    title="Assumption 5 from Assumption 1",
    hypotheses=(p.RANGE, SMOOTH_BOTH, p.LIPSCHITZ, CONVEX_BOTH),
    switches=(
        Switch(
            "l(.; z)",
            "any for which L^_k is strongly convex",
            "convex for every z",
            "A1.3 speaks of the mean of the losses of a node, and A5 of each of them",
            adding=(CONVEX_Z,),
            origin="Assumption 5, 'f_{k,i}(x) is convex'",
        ),
    ),
)
A5_CORRECTED = amended(
    A5_OF_A1,
    "A1 says nothing of the convexity of single losses",
    text="A1 gives A5 where l(.; z) is convex for every z",
    hypotheses=(*A5_OF_A1.hypotheses, CONVEX_Z),
    proof=Proof(
        *(
            qed(by=[supposed(CONVEX_Z.key), supposed(SMOOTH_BOTH.key), supposed(CONVEX_BOTH.key)], of=i)
            for i in range(5)
        )
    ),
)

# --- the mean of two normal distributions
w_1, w_2 = (declare(f"w_{k}_ex", f"weight of node {k}", latex=f"w_{k}", **NONNEG) for k in (1, 2))
mean_1, th_w, th_s = (
    declare(name, text, LENGTH, latex=latex, real=True)
    for name, text, latex in (
        ("mean_1_ex", "mean of node 1, minus which is that of node 2", "a"),
        ("theta_w_ex", "theta(w*)", r"\theta(w^*)"),
        ("theta_s_ex", "theta*", r"\theta^*"),
    )
)
LEAST = p.H_(
    "two means",
    "theta(w*) minimises sum_k w_k E(theta - z_k)^2 over the line and theta* E(theta - z_0)^2: derivatives are 0 there",
    every(eq(2 * w_1 * (th_w - mean_1) + 2 * w_2 * (th_w + mean_1), 0), eq(2 * th_s, 0)),
)
HALVES = (
    p.H_("w_1+w_2=1", "w_1 + w_2 = 1", eq(w_1 + w_2, 1)),
    p.H_("w_1,w_2<=b", "w_1, w_2 <= b", every(le(w_1, b), le(w_2, b))),
    p.H_("b=1/2", "b = 1/2", eq(b, sp.S.Half)),
)
MEAN = _section3(
    "ex-mean",
    "Means of N(a, 1) and N(-a, 1), the target N(0, 1), squared loss and b = 1/2: the optimal weight is (1/2, 1/2), "
    "and theta(w*) = 0 = theta*",
    every(eq(w_1, sp.S.Half), eq(w_2, sp.S.Half), eq(th_w, 0), eq(th_s, 0)),
    title="A target that no node has",
    hypotheses=(*HALVES, LEAST),
    note="With b = 1/2 there is no other weight; with b = 1 it is the only optimal one, too.",
    proof=Proof(
        *(qed(by=[supposed(h.key) for h in HALVES], of=part) for part in (2, 3)),
        qed(by=["the statement, part 3", "the statement, part 4", supposed(LEAST.key)], of=1),
        qed(by=[supposed(LEAST.key)]),
    ),
)

# --- Assumptions 2 and 2'
top = declare("top_u", "largest entry of u", latex=r"\max_ku_k", **POS)
F_w, F_u, F_s = p.measured(p.LOSS, F_at_w="F(w)", F_at_u="F(u)", F_best="L_0(theta*)")
S_w, S_u, S_s = p.measured(
    p.LOSS, mix_w="sum_k u_k L_k(theta(w))", mix_u="sum_k u_k L_k(theta(u))", mix_star="sum_k u_k L_k(theta*)"
)
off_w2, off_u2 = p.measured(p.AREA, off_w2="||theta(w) - theta*||^2", off_u2="||theta(u) - theta*||^2")
th, tu, ts, gw, gu, gs = vectors("th thu th* gw gu gs")
L_w, L_u, L_s, inside = sp.symbols("L_w L_u L_s inside", real=True)
TARGET = Setting(
    depends=dict.fromkeys(("th", "thu", "th*"), ""),
    functions={
        "L0": {"th": (th, gw, L_w), "thu": (tu, gu, L_u), "th*": (ts, gs, L_s)},
        "Theta": {"th": (th, th, inside), "thu": (tu, tu, inside), "th*": (ts, ts, inside)},
    },
    metrics={F_w: L_w, F_u: L_u, F_s: L_s, off_w2: norm2(th - ts), off_u2: norm2(tu - ts)},
    measured=(S_w, S_u, S_s),
    words={"th": "theta(w)", "thu": "theta(u)", "th*": "theta*", "L0": "L_0"},
)
SMOOTH = p.H_("A1.1 of L_0", "grad l(.; z) is l_1-Lipschitz for every z, and so is grad L_0", None, Smooth("L0", l1))
CONVEX = p.H_(
    "A1.3 of L_0",
    "the losses of the nodes are mu-strongly convex, and so is L_0, which is one of the L_k",
    None,
    StronglyConvex("L0", mu),
)
SOLUTION = p.H_(
    "(P)",
    "theta* minimises L_0 over Theta, which is closed and convex, as convexity on it presupposes",
    None,
    Minimiser("L0", "th*", "Theta"),
    ClosedConvex("Theta"),
)
SAME = p.H_(
    "same",
    "p_k = p_0 for all k with u_k > 0, so that sum_k u_k L_k = L_0",
    every(eq(S_w, F_w), eq(S_u, F_u), eq(S_s, F_s)),
)
ARGMIN = p.H_("theta(u)", "theta(u) minimises sum_k u_k L_k over Theta", every(le(S_u, S_w), le(S_u, S_s)))
SPREAD = p.H_("J nodes", "u is 1/J at J nodes with p_k = p_0, and zero at all others", eq(top, 1 / J))
UNIT = p.H_("one node", "J = 1: u is one at one node", eq(J, 1))
ENOUGH = p.H_("J>=1/b", "b J >= 1", ge(b * J, 1))
OPTIMAL = p.H_("W*", "w minimises F over the capped simplex")
#: What that says where u is in the capped simplex.
BEST = p.H_("F(w)<=F(u)", "u is in the capped simplex, over which w minimises F", le(F_w, F_u))
_at_best = have("F(u) is least", le(F_u, F_s), by=[supposed("same"), supposed("theta(u)")])
REMARK_A2 = _section3(
    "rem-A2.i",
    "Assumption 2 holds where p_k = p_0 for at least one k in K: w equal to one on that node and zero on others is "
    "optimal, and theta(w) = theta* for all optimal w",
    every(le(top, b), le(F_u, F_w), le(off_w2, 0)),
    title="Assumption 2 with identical neighbours",
    hypotheses=(SMOOTH, CONVEX, p.CAP, SOLUTION, SAME, ARGMIN, SPREAD, UNIT, OPTIMAL),
    switches=(
        Switch(
            "b",
            "1/K <= b <= 1",
            "b = 1",
            "a w that is equal to one on a node lies in the capped simplex for b = 1 alone",
            adding=(ENOUGH, BEST),
            origin="Section 3, the sentence itself",
        ),
    ),
    setting=TARGET,
)
_proof = (
    _at_best,
    have(
        "theta(w) is least",
        le(off_w2, 0),
        by=["F(u) is least", supposed("F(w)<=F(u)"), convex("L0", "th", "th*"), optimal("L0")],
    ),
)
REMARK_A2_CORRECTED = amended(
    REMARK_A2,
    "no weight is larger than the cap b",
    text="Assumption 2 holds where p_k = p_0 for J >= 1/b nodes: w equal to 1/J on these and zero on others is optimal",
    hypotheses=(*(SMOOTH, CONVEX, p.CAP, SOLUTION, SAME, ARGMIN, OPTIMAL), *(SPREAD, ENOUGH, BEST)),
    proof=Proof(
        *_proof,
        qed(by=[supposed("same"), supposed("theta(u)")]),
        qed(by=["theta(w) is least"], of=1),
        qed(by=[supposed("J nodes"), supposed("J>=1/b")], of=2),
    ),
)
ZERO = p.H_("u", "u is in the capped simplex, and u_k = 0 for all k that are not in J", le(top, b))
REMARK_A2J = _section3(
    "rem-A2'.i",
    "The first statement of Assumption 2' implies that the right side of (4) is a part of W*: all w in the capped "
    "simplex with w_k = 0 outside of J minimise F",
    le(F_u, F_w),
    equation="4",
    title="Weights of identical neighbours are optimal",
    hypotheses=(p.CAP, ZERO, SAME, ARGMIN),
    note="The right side of (4) is empty where b J < 1, and W* never is: Assumption 2' supposes b J >= 1.",
    setting=TARGET,
    proof=Proof(qed(by=[supposed("same"), supposed("theta(u)")])),
)
REMARK_A2J_A2 = _section3(
    "rem-A2'.ii",
    "Assumption 2' implies Assumption 2: theta(w) = theta* for every w in W*, where sum_k w_k L_k = L_0",
    le(off_u2, 0),
    title="Assumption 2' implies Assumption 2",
    hypotheses=(SMOOTH, CONVEX, p.CAP, SOLUTION, p.A2J, ZERO, SAME, ARGMIN),
    setting=TARGET,
    proof=Proof(_at_best, qed(by=["F(u) is least", convex("L0", "thu", "th*"), optimal("L0")])),
)

# --- Appendix B
loss_k, quad_k, sq_k, noise2, F_w, noise2_0 = p.measured(
    p.LOSS,
    loss_k="L_k(theta)",
    quad_k="(theta - theta_k*)^T E[x x^T] (theta - theta_k*)",
    sq_k="E (x^T (theta - theta_k*))^2",
    noise2_B="E eps_k^2",
    F_B="F(w)",
    noise2_0="E eps_0^2",
)
(off_bar2,) = p.measured(p.AREA, off_bar2="||theta(w) - sum_k w_k theta_k*||^2")
s_, e, d, Sd = vectors("s e d Sd")
REGRESSION = Setting(
    depends={"s": "xi", "e": "xi zeta", "d": ""},
    functions={"Sigma": {"d": (d, Sd, None)}},
    metrics={loss_k: norm2(s_ - e) / 2, sq_k: norm2(s_), quad_k: dot(d, Sd), noise2: norm2(e)},
    words={
        "s": "x^T (theta - theta_k*)",
        "e": "the noise eps_k = y - x^T theta_k*",
        "d": "theta - theta_k*",
        "Sigma": "E[x x^T]",
        "xi": "x",
        "zeta": "what else the noise is drawn of",
    },
)
MOMENTS = p.H_("E[xx^T]", "E[x x^T] is the matrix of the second moments of x, the same in all nodes", eq(sq_k, quad_k))
NOISE = p.H_("eps_k", "eps_k has mean zero and is independent of x", None, Unbiased("e", "xi"))
APPB_LOSS = _appendix(
    "appB.i",
    "y = x^T theta_k* + eps_k: L_k(theta) = 1/2 E(x^T theta - y)^2 = 1/2 (theta - theta_k*)^T E[x x^T] (theta - "
    "theta_k*) + 1/2 E eps_k^2",
    eq(loss_k, quad_k / 2 + noise2 / 2),
    title="Loss of a linear regression",
    hypotheses=(MOMENTS, NOISE),
    setting=REGRESSION,
    proof=Proof(qed(by=[fresh("e"), supposed("E[xx^T]")])),
)
lam = declare("lam_min", "smallest eigenvalue of E[x x^T]", p.CURVATURE, latex=r"\lambda_{\min}", **POS)
tk, tb, St, Sk, Sb, Sm = vectors("tk tb St Sk Sb Sm")
q_t, q_k, q_b, f_t = sp.symbols("q_t q_k q_b f_t", real=True)
SOLUTIONS = Setting(
    depends={"th": "", "tk": "node"},
    means={"tb": Mean("tk", "node"), "Sm": Mean("Sk", "node")},
    weighted=("node",),
    functions={"q": {"th": (th, St, q_t), "tk": (tk, Sk, q_k), "tb": (tb, Sb, q_b)}, "f": {"th": (th, St - Sm, f_t)}},
    metrics={off_bar2: norm2(th - tb)},
    words={
        "th": "theta(w)",
        "tk": "theta_k*",
        "q": "theta^T E[x x^T] theta/2",
        "f": "sum_k w_k L_k, the gradient of which is that of q minus the mean of those at the theta_k*",
    },
)
REGULAR = p.H_(
    "nonsingular",
    "E[x x^T] is nonsingular, the same in all nodes",
    None,
    Quadratic("q"),
    Identical("q", "node"),
    StronglyConvex("q", lam),
)
LINE = p.H_("R^d", "theta ranges over R^d", None, Minimiser("f", "th", "space"), WholeSpace("space"))
FINITE = p.H_(
    "second moments",
    "the second moments of x are finite",
    None,
    *(Smooth(of, l1) for of in ("f", "q", "L0")),
    Lipschitz("Sigma", l1),
)
APPB_SOLUTION = _appendix(
    "appB.ii",
    "theta(w) = sum_k w_k theta_k*",
    eq(off_bar2, 0),
    title="Inner solution of a linear regression",
    follows_from=("appB.i",),
    hypotheses=(REGULAR, FINITE, LINE),
    note="Over a set Theta it holds where sum_k w_k theta_k* lies in Theta; the parameters of the regression are any "
    "vectors of R^d.",
    setting=SOLUTIONS,
    proof=Proof(qed(by=[convex("q", "th", "tb"), stationary("f"), affine("q", "tb", "tk")])),
)
(quad_bar,) = p.measured(p.LOSS, quad_bar="(sum_k w_k theta_k* - theta_0*)^T E[x x^T] (sum_k w_k theta_k* - theta_0*)")
t0, Sbar = vectors("t0 Sbar")
OUTER = replace(
    SOLUTIONS,
    depends={**SOLUTIONS.depends, **{k: v for k, v in REGRESSION.depends.items() if k != "d"}, "t0": ""},
    sums={"d": th - t0},
    functions={**SOLUTIONS.functions, "Sigma": {"d": (d, Sd, None), "bar": (tb - t0, Sbar, None)}},
    # appB.i at theta(w), for the node 0: its loss there is F(w)
    metrics={
        **SOLUTIONS.metrics,
        **REGRESSION.metrics,
        F_w: REGRESSION.metrics[loss_k],
        noise2_0: REGRESSION.metrics[noise2],
        quad_bar: dot(tb - t0, Sbar),
    },
    words={**SOLUTIONS.words, **REGRESSION.words, "t0": "theta_0*", "d": "theta(w) - theta_0*"},
)
APPB_OUTER = _appendix(
    "appB.iii",
    "F(w) = L_0(theta(w)) = 1/2 (sum_k w_k theta_k* - theta_0*)^T E[x x^T] (sum_k w_k theta_k* - theta_0*) + "
    "1/2 E eps_0^2",
    eq(F_w, quad_bar / 2 + noise2_0 / 2),
    title="Outer objective of a linear regression",
    follows_from=("appB.i", "appB.ii"),
    hypotheses=(MOMENTS, NOISE, REGULAR, FINITE, LINE),
    setting=OUTER,
    proof=Proof(
        have("theta(w)", eq(off_bar2, 0), by=[cite(APPB_SOLUTION)]),
        have("its image", le(norm2(Sd - Sbar), 0), by=[lipschitz("Sigma", "d", "bar"), written_out("d"), "theta(w)"]),
        qed(by=[cite(APPB_LOSS), "theta(w)", "its image", written_out("d")]),
    ),
)
gap_F, moved2 = p.measured(
    p.LOSS, gap_F_B="(F(w) - min F)", turned2="(theta(w) - theta(w*))^T E[x x^T] (theta(w) - theta(w*))"
)
dist2_F = formula("dist2_F", "Dist(w, W*)^2", **NONNEG)
turn_w = formula("turn_w", "(theta(w) - theta_0*)^T E[x x^T] (theta(w*) - theta_0*)", p.LOSS)
turn_s = formula("turn_s", "(theta(w*) - theta_0*)^T E[x x^T] (theta(w) - theta_0*)", p.LOSS)
C_hof = declare("C_hof", "Hoffman's constant of W*", p.LOSS ** sp.Rational(-1, 2), latex="C", **POS)
to, go = vectors("to go")
BOUND = Setting(
    depends=dict.fromkeys(("th", "to", "t0"), ""),
    functions={
        "L0": {"th": (th, gw, L_w), "best": (to, go, L_u)},
        "P": {"th": (th, th, inside), "best": (to, to, inside)},
    },
    metrics={
        gap_F: dot(gw, th - t0) / 2 - dot(go, to - t0) / 2,
        moved2: dot(gw - go, th - to),
        turn_w: dot(gw, to - t0),
        turn_s: dot(go, th - t0),
    },
    measured=(dist2_F,),
    words={
        "th": "theta(w)",
        "to": "theta(w*) at an optimal w*",
        "t0": "theta_0*",
        "L0": "L_0, whose gradient is E[x x^T] (theta - theta_0*)",
        "P": "the polytope of all theta(w), w in the capped simplex",
    },
)
APPB_BOUND = _appendix(
    "appB.iv",
    "F is a quadratic function of w over a polyhedron, and satisfies A3 with r = 2: Dist(w, W*)^2 <= C_r^2 (F(w) - "
    "min F) with C_r = sqrt(2) C, where C is Hoffman's constant of W*",
    le(dist2_F, 2 * C_hof**2 * gap_F),
    kind=Kind.PROPERTY,
    title="Error bound of a linear regression",
    follows_from=("appB.iii",),
    hypotheses=(
        p.CAP,
        FINITE,
        p.H_("symmetric", "E[x x^T] is symmetric", eq(turn_w, turn_s)),
        p.H_(
            "optimal w*",
            "w* minimises F over the capped simplex: theta(w*) minimises L_0 over the polytope of all theta(w)",
            None,
            Minimiser("L0", "best", "P"),
            ClosedConvex("P"),
        ),
        p.H_(
            "Hoffman",
            "W* is the polyhedron of all w in the capped simplex with theta(w) = theta(w*): Hoffman's bound, with a C "
            "that depends on E[x x^T], the theta_k* and b alone",
            le(dist2_F, C_hof**2 * moved2),
        ),
    ),
    note="Lemma 1 of Gong and Ye 2014 gives it from Hoffman's bound (1952), as here.",
    setting=BOUND,
    proof=Proof(
        have("growth", le(moved2, 2 * gap_F), by=[optimal("L0"), supposed("symmetric")]),
        qed(by=["growth", supposed("Hoffman")]),
    ),
)
CLAIMS = claims_in(globals())
