"""Notation of the paper: sizes, constants, what its results measure, and the hypotheses as printed.

Losses have one unit, that of ``l``; weights have none. As ``l`` lies in ``[0, 1]``, constants of deviations
(``C_0``, ``C_a``, ...) have the unit of the loss. Letters that mean something else in the vocabulary of all papers
(``K``, ``S``, ``R``, ``b``, ``r``, ``eta``) have another name here and are printed as in the paper.
"""

from collections.abc import Iterable
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Assumption
from rateproof.theory.claim import Claim, Hypothesis, Kind, conjuncts
from rateproof.theory.probability import Pr
from rateproof.theory.proof import Ground, Proof, Step, qed, supposed, unfold
from rateproof.theory.shorthand import claims_of, ge, le
from rateproof.theory.symbols import COUNT, NONNEG, POS, formulas, tex, vocabulary
from rateproof.theory.units import INNER, LENGTH

declare, formula = vocabulary("fedweight"), formulas("fedweight")
claim = claims_of("fedweight")

AREA = LENGTH**2
LOSS = INNER
SLOPE = LOSS / LENGTH
CURVATURE = LOSS / AREA

# --- sizes
K = declare("K_nodes", "number of training nodes", latex="K", **COUNT)
J = declare("J_same", "number of nodes whose distribution is the target's", latex="J", **COUNT)
n_valid = declare("n_valid", "size of the validation set", latex=r"n_{\rm valid}", **COUNT)
n_train = declare("n_train", "size of the training set of each node", latex=r"n_{\rm train}", **COUNT)
b = declare("b_cap", "largest weight that a node may have", latex="b", **POS)
delta = declare("delta", "probability that a bound fails", latex=r"\delta", **POS)

# --- constants of the problem
l0 = declare("l_0", "Lipschitz constant of the losses of the nodes", SLOPE, latex=r"\ell_0", **POS)
l1 = declare("l_1", "Lipschitz constant of the gradients", CURVATURE, latex=r"\ell_1", **POS)
l2 = declare("l_2", "Lipschitz constant of the Hessians", LOSS / LENGTH**3, latex=r"\ell_2", **NONNEG)
mu = declare("mu_l", "strong convexity of the losses of the nodes", CURVATURE, latex=r"\mu", **POS)
nu = declare("nu_H", "exponent of the covering numbers of A4", latex=r"\nu_{\mathcal H}", **POS)
C_H = declare("C_H", "constant of the covering numbers of A4", latex=r"C_{\mathcal H}", **POS)
C_r = declare("C_r", "constant of the error bound A3", latex="C_r", **POS)
r = declare("r_eb", "exponent of the error bound A3, at least 1", latex="r", **POS)
G = declare("G_dist", "statistical distance (9) of the nodes to the target", LOSS, latex="G", **NONNEG)
R = declare("R_theta", "max_w ||theta^(w)||", LENGTH, latex="R", **NONNEG)

# --- constants of the bounds; "universal" ones depend on C_H and C_r alone
C_0 = declare("C_0", "constant of Lemma 2", LOSS, latex="C_0", **POS)
C_a = declare("C_a", "constant of (21)", LOSS, latex="C_a", **POS)
C_a2 = declare("C_a2", "constant of (22)", LOSS, latex="C_a'", **POS)
C_g = declare("C_g", "constant of Theorem 1", latex="C_g", **POS)
C_w = declare("C_w", "constant of (10)", latex="C_w", **POS)
C_e = declare("C_e", "constant of (11)", LOSS, latex="C_e", **POS)

# --- abbreviations: a claim that uses one defines it with ``where=``, for which DEFINED has the formula
A = declare("A_valid", "(nu_H + log(1/delta))/n_valid", latex="A", defined=True, **POS)
B = declare("B_train", "K b^2 (nu_H + K + log(1/delta))/n_train", latex="B", defined=True, **POS)
eps = declare("eps_w", "epsilon(n_valid, n_train) of (10)", latex=r"\varepsilon", defined=True, **POS)
N_eps = declare("N_eps", "n_train/(b^2 J + eps^2 (K - J)), (20)", latex=r"N_\varepsilon", defined=True, **POS)
l_F = declare("l_F", "Lipschitz constant (12) of the hypergradient", LOSS, latex=r"\ell_F", defined=True, **POS)
gamma_0 = declare("gamma_0", "largest step (17)", CURVATURE**-1, latex=r"\gamma_0", defined=True, **POS)
DEFINED = {
    A: (nu + sp.log(1 / delta)) / n_valid,
    B: K * b**2 * (nu + K + sp.log(1 / delta)) / n_train,
    N_eps: n_train / (b**2 * J + eps**2 * (K - J)),
    eps: C_w * A ** (1 / (2 * r)) + C_w * l0 / sp.sqrt(mu) * B ** (1 / (4 * r)),
    l_F: (2 * l0 * l1 / mu + l2 * l0**2 / mu**2) * sp.sqrt(K) * l0 / mu + K * l1 * l0**2 / mu**2,
}

# --- the methods
gamma = declare("gamma_in", "step of Local-SVRG", CURVATURE**-1, latex=r"\gamma", **POS)
tau = declare("tau_in", "communication period", latex=r"\tau", **COUNT)
q = declare("q_in", "probability that a node refreshes its reference point", latex="q", **POS)
T = declare("T_in", "iterations of Local-SVRG", latex="T", nonnegative=True, integer=True)
s = declare("s_out", "index of an outer iteration, from 0", latex="s", nonnegative=True, integer=True)
S = declare("S_out", "number of outer iterations", latex="S", **COUNT)
eta = declare("eta_w", "step of the weights", LOSS**-1, latex=r"\eta", **POS)
eps_opt = declare("eps_opt", "target accuracy", LOSS, latex=r"\epsilon", **POS)
err2 = formula("err2_s", "E ||grad F^(w^s) - gradbar F^(w^s)||^2", LOSS**2, **NONNEG)

# --- what the results of Section 3 measure; all of them depend on the data that were drawn, and none of the losses
# exceeds 1, as l lies in [0, 1]
dev_0, dev_w, dev_eps, excess, excess_pop, excess_valid, excess_equal = (
    declare(name, text, LOSS, latex=latex, most=1, **NONNEG)
    for name, text, latex in (
        ("dev_0", "sup_theta |L_0 - L^_0|", r"\sup_\theta|L_0(\theta)-\widehat L_0(\theta)|"),
        (
            "dev_w",
            "sup over theta and all weights of |sum_k w_k (L^_k - L_k)|",
            r"\sup_{\theta,\,w\in\Delta_K^b}\left|\sum_k w_k(\widehat L_k-L_k)(\theta)\right|",
        ),
        (
            "dev_eps",
            "the same over weights within eps of W*",
            r"\sup_{\theta,\,w\in\mathcal W^*_\varepsilon}\left|\sum_k w_k(\widehat L_k-L_k)(\theta)\right|",
        ),
        ("excess", "L_0(theta^(w^)) - L_0(theta*)", r"(L_0(\hat\theta(\hat w))-L_0(\theta^*))"),
        ("excess_pop", "F(w^) - min F", r"(F(\hat w)-\min F)"),
        ("excess_valid", "L_0(theta^_valid) - L_0(theta*)", r"(L_0(\hat\theta_{\rm valid})-L_0(\theta^*))"),
        ("excess_equal", "L_0(theta^_equal) - L_0(theta*)", r"(L_0(\hat\theta_{\rm equal})-L_0(\theta^*))"),
    )
)
_DIST = r"\mathrm{Dist}(\hat w,\mathcal W^*)"
dist_w = declare("dist_w", "Dist(w^, W*)", latex=_DIST, most=2**0.5, **NONNEG)


def H_(key: str, text: str, relation: sp.Basic | None = None, *says: Assumption) -> Hypothesis:
    """A hypothesis, with its type where it has one."""
    return Hypothesis(key, text, relation, says)


def measured(unit: sp.Expr, **prints: str) -> tuple[sp.Symbol, ...]:
    """Metrics of one unit that are never negative, by their names."""
    return tuple(formula(name, text, unit, **NONNEG) for name, text in prints.items())


def worded(unit: sp.Expr, **prints: tuple[str, str]) -> tuple[sp.Symbol, ...]:
    """The same, of which each has words and is printed otherwise."""
    return tuple(declare(name, text, unit, latex=tex(latex), **NONNEG) for name, (text, latex) in prints.items())


def stated(
    place: str, cid: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, kind: Kind | None = None, **rest: Any
) -> Claim:
    """A claim whose kind, if none is given, is seen: a bound says how likely it is, an identity is an equation."""
    likely = Kind.BOUND if statement.has(Pr) else Kind.INEQUALITY
    seen = kind or (Kind.IDENTITY if isinstance(statement, sp.Eq) else likely)
    return claim(cid, place, seen, text, statement, **{"hypotheses": hypotheses, **rest})


def step(
    place: str,
    cid: str,
    text: str,
    statement: sp.Basic,
    *hypotheses: Hypothesis,
    steps: Iterable[Step] = (),
    by: Iterable[Ground] = (),
    **rest: Any,
) -> Claim:
    """A step of a proof; it follows from its hypotheses, definitions, ``steps`` and ``by``.

    Where a proof is given, that is all of it, or None for a step that has none.
    """
    known = (supposed(h.key) for h in hypotheses if h.relation is not None)
    of_all = [*by, *known, *map(unfold, rest.get("where", ()))]
    steps = tuple(steps)
    last = (qed(by=[*(one.name for one in steps), *of_all], of=part) for part in range(len(conjuncts(statement))))
    return stated(place, cid, text, statement, *hypotheses, **{"proof": Proof(*steps, *last), **rest})


def composite(cid: str, place: str, title: str, text: str) -> Claim:
    """A listed result that its parts decide, whose ids begin with its own."""
    return claim(cid, place, Kind.INEQUALITY, text, None, title=title)


# --- hypotheses; each as printed
RANGE = H_("A1.1 range", "l(theta; z) lies in [0, 1]")
SMOOTH = H_("A1.1 smooth", "grad l(.; z) is l_1-Lipschitz for every z")
LIPSCHITZ = H_("A1.2", "L^_k and its Hessian are l_0- and l_2-Lipschitz, for the nodes k = 1, ..., K")
CONVEX = H_("A1.3", "L^_k is mu-strongly convex for the nodes k = 1, ..., K")
A1 = (RANGE, SMOOTH, LIPSCHITZ, CONVEX)
#: The proofs use it of the center, node 0, as well.
LIPSCHITZ_0 = H_("A1.2 of node 0", "L_0 and L^_0 are l_0-Lipschitz, too")
A2 = H_("A2", "theta(w) = theta* for every w that minimises F")
A2J = H_(
    "A2'",
    "there are J < K nodes with p_k = p_0, and w minimises F if and only if w_k = 0 for all other nodes",
    le(J, K - 1),
)
A3 = H_("A3", "Dist(w, W*) <= C_r (F(w) - min F)^(1/r) for every w in the capped simplex, with r >= 1", ge(r, 1))
A4 = H_("A4", "for every Q the covering numbers satisfy N(H; rho_Q, eps) <= (C_H/eps)^nu_H for all eps > 0")
#: (6) cannot hold for eps > C_H, where its right side is below 1; the proofs use it for eps <= 1.
A4_SMALL = H_("A4 for eps <= 1", "for every Q, N(H; rho_Q, eps) <= (C_H/eps)^nu_H for 0 < eps <= 1")
A5 = H_("A5", "f_{k,i} is convex, grad f_{k,i} is l_1-Lipschitz and f_k is mu-strongly convex, for all k and i")
CAP = H_("1/K<=b<=1", "1/K <= b <= 1", sp.And(le(1 / K, b), le(b, 1), evaluate=False))
DELTA = H_("delta<1", "0 < delta < 1", sp.Lt(delta, 1, evaluate=False))
