"""Proofs by inequalities between vectors and by exact identities: proof steps, Moreau terms, Lemmas 1 (i), 3 and 4 (i).

A statement about means over the clients follows from the same statement for each client; a sum of vectors is its mean
and the deviations from it, which are orthogonal in the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.notation import L0, eta_s, gamma
from rateproof.theory.papers.fedrzo.single.notation import (
    F_next,
    F_now,
    Gbar_c,
    M,
    T_y,
    abs_ip,
    dist_X,
    dist_X_i,
    dist_xy,
    eb,
    env_I,
    error_c,
    est_c,
    est_inexact_c,
    gap_grad_I,
    gbar_c,
    grad_env_c,
    grad_F_i_c,
    grad_f_i_c,
    ip_path,
    kap,
    mean_dev,
    mean_dist2,
    mean_dist2_xb,
    mean_sq,
    mean_sq_d,
    mean_sq_G,
    mean_sq_grad_d,
    mean_sq_pp,
    norm_grad_F,
    res_c,
    split_d,
    sq_d_xb,
    sq_grad,
    sq_grad_d,
    sq_grad_f_xb,
    sq_mean,
    sq_path,
    sq_res,
    sq_sum,
    sq_u1,
    sq_u2,
    sum_sq,
    xb_c,
    xb_next_c,
    y1,
    y2,
    y3,
)
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import n
from rateproof.verify.deciders.certificates import Combination, Premise, lacking, prove, proved, unproved
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.fedrzo.single.arguments import form, step, together
from rateproof.verify.papers.fedrzo.single.proofs import DISSIMILAR, MOREAU_ATOMS

x, y, p, q, z, u = gram.vectors("x y P(x) P(y) z u")
a, b, c, d = gram.vectors("a b c d")
#: P(x) and P(y) are projections on a convex set that holds z.
PROJECTIONS = (le(gram.dot(x - p, q - p), 0), le(gram.dot(y - q, p - q), 0))
_SETS = ("sets",)


def _between(goal: sp.Rel, given: tuple[sp.Rel, ...]) -> Evidence:
    decision = gram.decide(goal, given=given)
    return proved(str(decision)) if isinstance(decision, gram.Proved) else unproved(str(decision))


# --- sets


def moreau_1(claim: Claim) -> Evidence:
    """The minimiser is the projection, and the distance squared has a quadratic bound on both sides."""
    near = x - p
    line = (gram.norm2(y - q) - gram.norm2(near)) / 2 - gram.dot(near, y - x)
    return together(
        (
            ("the nearest point", _between(le(gram.norm2(near), gram.norm2(x - z)), (le(gram.dot(near, z - p), 0),))),
            ("dist^2/2 above its tangent", _between(ge(line, 0), PROJECTIONS)),
            ("dist^2/2 below a parabola", _between(le(line, gram.norm2(y - x) / 2), PROJECTIONS)),
            (
                "the statement",
                form(
                    claim,
                    {
                        env_I: gram.norm2(near) / (2 * eta_s),
                        dist_X_i**2: gram.norm2(near),
                        grad_env_c: gram.dot(u, near) / eta_s,
                        res_c: gram.dot(u, near),
                    },
                    needs=_SETS,
                ),
            ),
        ),
        "P(x) is characterised by (x - P(x))^T (z - P(x)) <= 0 on the set",
    )


def moreau_2(claim: Claim) -> Evidence:
    """The square of the statement."""
    (relation,) = conjuncts(claim.statement)
    if relation.rel_op != "<=" or relation.lhs != gap_grad_I:
        return unproved(f"{relation} does not bound {gap_grad_I}")
    modulus = relation.rhs / dist_xy
    if dist_xy in modulus.free_symbols or not modulus.is_nonnegative:
        return unproved(f"{relation.rhs} is no nonnegative multiple of {dist_xy}")
    goal = le(gram.norm2((x - p) - (y - q)) / eta_s**2, modulus**2 * gram.norm2(x - y))
    if refusal := lacking(claim, *_SETS):
        return refusal
    square = ("the square of both sides", _between(goal, PROJECTIONS))
    return together((square,), "projections are characterised as in moreau-1")


def feasible(claim: Claim) -> Evidence:
    """The statement times the distance, from inequalities for each client."""
    (relation,) = conjuncts(claim.statement)
    if refusal := lacking(claim, "lipschitz", "sets", "regular"):
        return refusal
    if relation.lhs != dist_X or relation.rel_op != "<=":
        return unproved(f"{relation} is no upper bound on {dist_X}")
    mean, slope = sp.symbols("mean_dist^2 (grad_F-grad_f)^T(x-z)", real=True)
    times = dist_X * (relation.rhs - relation.lhs)
    combination = (
        kap**2 * mean
        - dist_X**2
        + kap**2 * (eta_s * slope - mean)
        + kap**2 * eta_s * ((norm_grad_F + L0) * dist_X - slope)
    )
    return together(
        (
            (
                "(x - P_i)^T (x - z) >= dist_i^2 for z in X_i",
                _between(ge(gram.dot(x - p, x - z), gram.norm2(x - p)), (le(gram.dot(x - p, z - p), 0),)),
            ),
            (
                "dist(x, X) times the statement",
                step(sp.expand(times - combination) == 0, "an exact identity"),
            ),
        ),
        "regularity; the mean of (x - P_i)/eta is grad F_eta - grad f_eta; Cauchy-Schwarz with ||grad f_eta|| <= L_0 "
        "(f_eta is L_0-Lipschitz, Lemma 1 (ii)); z = P_X(x)",
    )


# --- Lemmas 1 (i), 3 and 4 (i)


def sphere_and_ball(claim: Claim) -> Evidence:
    """Both sides agree for every monomial; polynomials are dense locally uniformly, and both sides are continuous.

    With E_S over the unit sphere and E_B over the ball, E_S prod s_i^{b_i} is a ratio of Gamma functions (zero when a
    power is odd) and E_B has the factor n/(n + degree) more. For a monomial u^b of degree D with the power a in the
    coordinate e, the sides are a E_B[u^(b-e)] = a n/(n + D - 1) E_S[s^(b-e)] and n E_S[s^(b+e)]; both are 0 for even a.
    """
    (relation,) = conjuncts(claim.statement)
    if {str(s) for s in relation.args} != {"grad_h_c", "sphere_h_c"} or relation.rel_op != "==":
        return unproved(f"{relation} is not the identity between both sides")
    if refusal := lacking(claim, "h_continuous"):
        return refusal
    half, dim, degree = sp.symbols("a n D", positive=True)

    def moment(power: sp.Expr, total: sp.Expr) -> sp.Expr:
        """The factors of E prod s_i^{b_i} that hold the coordinate in question and the degree."""
        return sp.gamma((power + 1) / 2) / sp.gamma((total + dim) / 2)

    derivative = half * dim / (dim + degree - 1) * moment(half - 1, degree - 1)
    sphere = dim * moment(half + 1, degree + 1)
    ratio = sp.gammasimp(derivative / sphere)
    return together(
        (("monomials of any degree in any dimension", step(sp.simplify(ratio - 1) == 0, "ratio of moments")),),
        "monomials span the polynomials, which are dense among continuous functions (Weierstrass); both sides and "
        "h_eta depend continuously on h, locally uniformly",
    )


def mean_step(claim: Claim) -> Evidence:
    """Linearity of the mean, for any number of clients, whether or not the server averages."""
    i, count = sp.symbols("i", integer=True), sp.Symbol("m", positive=True, integer=True)
    own, g, G = (sp.IndexedBase(name) for name in ("x", "g", "G"))

    def mean(expr: sp.Expr) -> sp.Expr:
        return sp.Sum(expr, (i, 1, count)).expand() / count

    moved = own[i] - gamma * (g[i] + G[i])
    metrics = {xb_next_c: mean(moved), xb_c: mean(own[i]), gbar_c: mean(g[i]), Gbar_c: mean(G[i])}
    return form(
        claim,
        metrics,
        said="the mean over the clients is linear, and averaging keeps it",
        needs=("algorithm1",),
    )


def unbiased(claim: Claim) -> Evidence:
    """E v = 0 takes the second value away; Lemma 1 (i) knows the first."""
    sphere, value, mean_v, own = sp.symbols("sphere f_i(x) E_v G", real=True)
    estimate = (sphere - n / eta_s**2 * value * mean_v).subs(mean_v, 0) + own
    return form(
        claim,
        {est_c: estimate, grad_F_i_c: sphere + own},
        said="given v the sample's mean is f_i (A1.ii), E v = 0, Lemma 1 (i), and G is the gradient of the Moreau term",
        needs=("lipschitz", "sets", "unbiased", "fresh", "algorithm1"),
    )


def inexact(claim: Claim) -> Evidence:
    """The estimate at the exact solution has the mean grad f_{i,eta}; the rest is the error."""
    exact, error = sp.symbols("E_g E_error", real=True)
    return form(
        claim,
        {est_inexact_c: exact + error, grad_f_i_c: exact, error_c: error},
        said="the estimate is linear in the losses, and Lemma 1 (i) gives the mean of its exact part",
        needs=("independent",),
    )


# --- proof steps


def young(claim: Claim) -> Evidence:
    """Both signs of the inner product."""
    u1, u2 = gram.vectors("u_1 u_2")
    squares = {sq_u1: gram.norm2(u1), sq_u2: gram.norm2(u2)}
    parts = [(f"{sign:+d} u_1^T u_2", form(claim, {abs_ip: sign * gram.dot(u1, u2), **squares})) for sign in (1, -1)]
    return together(parts, "for both signs")


def three(claim: Claim) -> Evidence:
    """Squares of differences."""
    squares = [(sp.S.One, Premise((s - t) ** 2, "a square")) for s, t in ((y1, y2), (y2, y3), (y3, y1))]
    return prove(claim, [Combination(squares)])


def sets_step(claim: Claim) -> Evidence:
    """Eq. (2) at the mean, and the definition of grad d_eta."""
    bound, equal = sorted(conjuncts(claim.statement), key=lambda r: r.rel_op)
    if refusal := lacking(claim, "dissimilarity", "sets"):
        return refusal
    if equal.rel_op != "==":
        return unproved(f"{equal} is no equation")
    atoms = {s: e for s, e in MOREAU_ATOMS.items() if s not in (split_d, mean_sq_d)}
    same = sp.expand((equal.lhs - equal.rhs).subs(atoms)) == 0
    return together(
        (
            ("eq. (2) at xbar_k", prove(replace(claim, statement=bound), [Combination([(2 / eta_s**2, DISSIMILAR)])])),
            ("grad d_eta = (x - mean P_i)/eta", step(same, "an identity")),
        ),
        "moreau-1",
    )


_MEAN_AND_REST = {
    sq_mean: gram.norm2(c),
    mean_sq: gram.norm2(c) + gram.norm2(d),
    mean_dev: gram.norm2(d),
    sq_sum: T_y**2 * gram.norm2(c),
    sum_sq: T_y * (gram.norm2(c) + gram.norm2(d)),
}
_PP = gram.norm2((x - y) - (p - q))
_AT_MEAN = {
    split_d: _PP / eta_s**2,
    mean_sq_pp: _PP,
    mean_sq_d: gram.norm2(y - q) / eta_s**2,
    mean_dist2_xb: gram.norm2(y - q),
}
FORMS: Mapping[str, Callable[[Claim], Evidence]] = {
    "moreau-1": moreau_1,
    "moreau-2": moreau_2,
    "sec2.feas.corrected": feasible,
    "lem1.i": sphere_and_ball,
    "lem3": mean_step,
    "lem4.i": unbiased,
    "intro.bias": inexact,
    "rem.dissim.gradients": lambda claim: form(
        claim,
        {mean_sq_grad_d: mean_dist2 / eta_s**2, sq_grad_d: sq_res / eta_s**2},
        said="the gradients of the Moreau terms are (x - P_i)/eta (moreau-1)",
        needs=_SETS,
    ),
    "st.1.jensen": lambda claim: form(claim, _MEAN_AND_REST, said="the deviations from the mean sum to zero"),
    "st.1.sum": lambda claim: form(claim, _MEAN_AND_REST, said="the deviations from the mean sum to zero"),
    "st.1.three": three,
    "st.1.young": young,
    "st.2": lambda claim: form(claim, _MEAN_AND_REST, said="the deviations from the mean sum to zero"),
    "st.3.split": lambda claim: form(
        claim, {mean_sq_G: gram.norm2(a), split_d: gram.norm2(a - b), mean_sq_d: gram.norm2(b)}
    ),
    "st.3.equality.corrected": lambda claim: form(claim, _AT_MEAN, said="moreau-1", needs=_SETS),
    "st.3.nonexpansive": lambda claim: form(
        claim, {mean_sq_pp: _PP, eb: gram.norm2(x - y)}, assuming=PROJECTIONS, said="for each client", needs=_SETS
    ),
    "st.3.sets": sets_step,
    "st.3.gradients": lambda claim: form(
        claim,
        {sq_d_xb: gram.norm2(a - b), sq_grad: gram.norm2(a), sq_grad_f_xb: gram.norm2(b)},
        said="grad d_eta = grad F_eta - grad f_eta",
    ),
    "st.5.descent.corrected": lambda claim: form(
        claim,
        {ip_path: gram.dot(a, d), sq_path: gram.norm2(d)},
        assuming=(le(F_next, F_now + gram.dot(a, -gamma * d) + M / 2 * gram.norm2(gamma * d)),),
        said="the descent lemma for F_eta, which is (L_0 n + 1)/eta-smooth (st.5.modulus), along the step of Lemma 3",
        needs=("lipschitz", "sets", "algorithm1"),
    ),
}
