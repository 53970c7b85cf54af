"""Arguments for lemmas that hold: premises are hypotheses and named inequalities, the algebra is checked exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.notation import B1, B2, L0, H, eta_s, gamma, grad_kstar, m, nu
from rateproof.theory.papers.fedrzo.single.lemmas import Q_8
from rateproof.theory.papers.fedrzo.single.notation import (
    E_eb,
    M,
    a_k,
    bias_h,
    cross_agg,
    dist_kstar,
    dist_X,
    dist_xy,
    eb,
    far_0,
    gap_grad_h,
    gap_grad_I,
    gap_h_eta,
    j_k,
    kap,
    mean_dist2,
    mean_dist2_xb,
    mean_sq_d,
    mean_sq_G,
    mean_sq_pp,
    modulus_F,
    norm_grad_F,
    norm_grad_f,
    norm_res,
    norm_x,
    normal_ip,
    rho,
    split_d,
    sq_agg,
    sq_d_xb,
    sq_dev,
    sq_est,
    sq_G,
    sq_g,
    sq_grad,
    sq_grad_f_xb,
    sq_res_xb,
    sum_all,
    sum_eb,
    sum_grad,
    sum_rounds,
    sum_theta,
)
from rateproof.theory.symbols import n
from rateproof.verify.deciders.certificates import Combination, Premise, cite
from rateproof.verify.papers.fedrzo.single.arguments import ONE, Argument, fixed, relation_of

RUN = ("lipschitz", "unbiased", "variance_bounded", "sets", "algorithm1", "fresh")

# --- smoothing (Lemma 1)
_moved = sp.Symbol("E|h(x + v) - h(y + v)|", real=True)
_noise = sp.Symbol("E||u||", real=True)
LEMMA1: Mapping[str, Argument] = {
    "lem1.ii": fixed(
        ("h_lipschitz",),
        Combination(
            [
                (
                    ONE,
                    Premise(_moved - gap_h_eta, "Jensen: |E h(x + eta u) - E h(y + eta u)| <= E|...|"),
                ),
                (ONE, Premise(L0 * dist_xy - _moved, "h is L_0-Lipschitz at x + eta u and y + eta u")),
            ]
        ),
    ),
    "lem1.iii": fixed(
        ("h_lipschitz",),
        Combination(
            [
                (ONE, Premise(L0 * eta_s * _noise - bias_h, "Jensen, and h is L_0-Lipschitz at x + eta u and x")),
                (L0 * eta_s, Premise(1 - _noise, "u lies in the unit ball")),
            ]
        ),
    ),
    "lem1.iv": fixed(
        ("h_continuous", "h_lipschitz"),
        Combination(
            [
                (ONE, Premise(n / eta_s * _moved - gap_grad_h, "Lemma 1 (i) and Jensen; v/||v|| is a unit vector")),
                (n / eta_s, Premise(L0 * dist_xy - _moved, "h is L_0-Lipschitz at x + v and y + v")),
            ]
        ),
    ),
    "lem6.grad": fixed(
        ("lipschitz",),
        Combination(
            [
                (
                    ONE,
                    Premise(n / eta_s * _moved - norm_grad_f, "Lemma 1 (i), E v = 0 and Jensen for f"),
                ),
                (n / eta_s, Premise(L0 * eta_s - _moved, "f is L_0-Lipschitz at x + v and x, ||v|| = eta")),
            ]
        ),
    ),
}

# --- Lemma 4: the two errors of values and the rise of f_i between them
_e1, _e2, _rise, _own = sp.symbols("E_e1^2 E_e2^2 E_rise^2 ||grad_f_i||^2", real=True)
_SPLIT = Premise(
    3 * n**2 / eta_s**2 * (_e1 + _rise + _e2) - sq_g,
    "||v|| = eta and (a + b + c)^2 <= 3 (a^2 + b^2 + c^2) for the errors of both values and f_i(x + v) - f_i(x)",
)
_ERROR_1 = Premise(nu**2 - _e1, "A1.ii at x + v, given v")
_ERROR_2 = Premise(nu**2 - _e2, "A1.ii at x")
_RISE = Premise(L0**2 * eta_s**2 - _rise, "f_i is L_0-Lipschitz and ||v|| = eta")


def _eq8(times: sp.Expr) -> list[tuple[sp.Expr, Premise]]:
    c = 3 * n**2 / eta_s**2 * times
    return [(times, _SPLIT), (c, _ERROR_1), (c, _ERROR_2), (c, _RISE)]


_APART = Premise(
    n**2 / eta_s**2 * (2 * _e1 + 2 * _e2 + _rise) - sq_g,
    "||v|| = eta; given v both errors have mean zero (A1.ii) and f_i(x + v) - f_i(x) is a number, so that mixed terms "
    "vanish but that of the errors, for which (a - b)^2 <= 2 a^2 + 2 b^2",
)
_TWICE = Premise(2 * sq_g + 2 * sq_G - sq_est, "||a + b||^2 <= 2||a||^2 + 2||b||^2 in expectation")
_VARIANCE = Premise(sq_g - sq_dev, "E||g - E g||^2 = E||g||^2 - ||E g||^2, and E g = grad f_{i,eta} by Lemma 4 (i)")

# --- Lemma 5


def second_moment(noise: Premise) -> list[tuple[sp.Expr, Premise]]:
    """The averaged direction by the noise of one client's, its mean and what the clients' points change of that."""
    return [
        (ONE, Premise(DEVIATION / m + _slopes - sq_agg, "given F_k the clients are independent, Lemma 4 (i)")),
        (1 / m, noise),
        (ONE, Premise(2 * sq_grad + 2 * _bent - _slopes, "||a + b||^2 <= 2||a||^2 + 2||b||^2 and Jensen")),
        (2 * ONE, _BENT),
    ]


DEVIATION, _slopes, _bent, _cross = sp.symbols("mean_dev ||mean_grad||^2 mean_bent^2 cross", real=True)
_BENT = Premise(M**2 * eb - _bent, "F_{i,eta} is (L_0 n + 1)/eta-smooth: Lemma 1 (iv) and the 1/eta-smooth Moreau term")

# --- Lemma 6
_SPLIT_D = cite("fedrzo.st.3.split")
_NONEXPANSIVE = cite("fedrzo.st.3.nonexpansive")
DISSIMILAR = Premise(B1**2 + B2**2 * sq_res_xb - mean_dist2_xb, "eq. (2) at xbar_k")
_GRADIENTS = cite("fedrzo.st.3.gradients")
_norm = sp.Symbol("||grad f_eta(xbar)||", nonnegative=True)
_SLOPE = cite("fedrzo.lem6.grad", {norm_grad_f: _norm})
MOREAU_ATOMS = {
    split_d: mean_sq_pp / eta_s**2,
    mean_sq_d: mean_dist2_xb / eta_s**2,
    sq_res_xb: eta_s**2 * sq_d_xb,
}

# --- Lemma 8
_sum_est, _sum_G = sp.symbols("sum_mean_E||g+G||^2 sum_mean_||G||^2", real=True)


def _lemma8(claim: Claim) -> Sequence[Combination]:
    deviation = Premise(
        gamma**2 * j_k * _sum_est - E_eb,
        "x_{i,k} - xbar_k is gamma times a sum over the round (Lemma 3), st.1.sum, st.2 in expectation",
    )
    lemma4 = cite("fedrzo.lem4.ii", {sq_est: _sum_est, sq_G: _sum_G}, part=sq_est, terms=j_k)
    lemma6 = cite("fedrzo.lem6.corrected", {mean_sq_G: _sum_G, eb: sum_eb, sq_grad: sum_grad}, terms=j_k)
    c = gamma**2 * j_k
    return [Combination([(ONE, deviation), (c, lemma4), (2 * c, lemma6)])]


def _lemma8_cap(claim: Claim) -> Sequence[Combination]:
    """Lemma 7 for the recursion of the corrected Lemma 8 (a): beta = 16/eta^2, theta = Q + 8 B_2^2 E||grad F||^2."""
    root = 4 / eta_s
    cap = relation_of(claim, "gamma_H_eta")
    if cap.rel_op != "<=" or sp.simplify(cap.lhs / cap.rhs - root * H * gamma) != 0:
        raise ValueError(f"Lemma 7 needs gamma <= eta/(4H), the claim has {cap}")
    inside = relation_of(claim, "in_round")
    if inside != sp.Le(j_k, H - 1, evaluate=False):
        raise ValueError("k - T_r <= H - 1 is needed")
    lemma7 = cite("fedrzo.lem7.b", {a_k: E_eb, sum_theta: j_k * Q_8 + 8 * B2**2 * sum_grad})
    shorter = Premise((H - j_k) * Q_8, "k - T_r <= H and the constant is nonnegative")
    return [Combination([(ONE, lemma7), (3 * H * gamma**2, shorter)])]


# --- sets, feasibility, Proposition 1
_over = sp.Symbol("E||grad F_eta(xbar_k*)||", real=True)
_moduli_f, _moduli_d = sp.symbols("modulus_f modulus_d", real=True)


def _st7(claim: Claim) -> Sequence[Combination]:
    cap = relation_of(claim, "gamma_sets")
    if cap.rel_op != "<=":
        raise ValueError(f"gamma_sets should bound gamma from above, got {cap}")
    left, right = (cap.lhs / eta_s) ** 2, (cap.rhs / eta_s) ** 2
    square = Premise(sp.expand(right - left), "the square of the third bound on gamma, both sides nonnegative")
    return [Combination([(sp.Rational(1, 6), square), (sp.Rational(1, 3), Premise(ONE, "1 >= 0"))])]


def _bounded(claim: Claim) -> Sequence[Combination]:
    """A distance is at most ||x|| + dist(0, X_i): the projection of 0 is a point of the set."""
    slack = _slack(claim, "bounded")
    largest = Premise((norm_x + far_0) ** 2 - mean_dist2, "dist(x, X_i) <= ||x - P_i(0)|| <= ||x|| + dist(0, X_i)")
    within = Premise(slack * (rho + norm_x + 2 * far_0), "the bound on ||x||, times a nonnegative number")
    return [Combination([(ONE, largest), (ONE, within)])]


ARGUMENTS: Mapping[str, Argument] = {
    **LEMMA1,
    "lem4.ii": fixed(RUN, Combination([(ONE, _TWICE), *_eq8(sp.Integer(2))]), Combination(_eq8(ONE))),
    "lem4.iii": fixed(RUN, Combination([(ONE, _VARIANCE), *_eq8(ONE)])),
    "lem4.iii.sharp.corrected": fixed(
        RUN,
        Combination(
            [
                (ONE, _VARIANCE),
                (ONE, _APART),
                (2 * n**2 / eta_s**2, _ERROR_1),
                (2 * n**2 / eta_s**2, _ERROR_2),
                (n**2 / eta_s**2, _RISE),
            ]
        ),
    ),
    "lem5.i": fixed(
        RUN,
        Combination(second_moment(cite("fedrzo.lem4.iii", {sq_dev: DEVIATION}))),
    ),
    "lem5.ii": fixed(
        RUN,
        Combination(
            [
                (ONE, Premise(cross_agg - sq_grad - _cross, "Lemma 4 (i): E gbar + Gbar = mean grad F_{i,eta}(x_i)")),
                (ONE, Premise(_cross + sq_grad / 2 + _bent / 2, "a^T b >= -||a||^2/2 - ||b||^2/2 and Jensen")),
                (sp.Rational(1, 2), _BENT),
            ]
        ),
    ),
    "lem6.corrected": fixed(
        ("lipschitz", "sets", "dissimilarity"),
        Combination(
            [
                (ONE, _SPLIT_D),
                (1 / eta_s**2, _NONEXPANSIVE),
                (2 / eta_s**2, DISSIMILAR),
                (ONE, _GRADIENTS),
                (4 * B2**2 * (n * L0 + _norm), _SLOPE),
            ],
            MOREAU_ATOMS | {sq_grad_f_xb: _norm**2},
        ),
    ),
    "lem8.a.corrected": Argument((*RUN, "dissimilarity", "in_round"), _lemma8),
    "lem8.b.corrected": Argument((*RUN, "dissimilarity", "in_round", "gamma_H_eta"), _lemma8_cap),
    "rem.dissim.bounded": Argument(("sets", "bounded"), _bounded),
    "sec2.feas.output.corrected": fixed(
        ("lipschitz", "sets", "regular", "k*"),
        Combination(
            [
                (ONE, cite("fedrzo.sec2.feas.corrected", {dist_X: dist_kstar, norm_grad_F: _over})),
                (kap**2 * eta_s, Premise(sp.sqrt(grad_kstar) - _over, "Jensen: E||.|| <= sqrt(E||.||^2)")),
            ]
        ),
    ),
    "prop2.ii-a": fixed(
        ("lipschitz", "sets", "identical", "stationary"),
        Combination(
            [
                (ONE, Premise(eta_s * norm_grad_f - norm_res, "grad F_eta(x) = 0: x - P_X(x) = -eta grad f_eta(x)")),
                (eta_s, cite("fedrzo.lem6.grad")),
            ]
        ),
    ),
    "st.4": Argument(
        (),
        lambda claim: [
            Combination(
                [
                    (ONE, _premise(claim, "lem4.ii")),
                    (2 * ONE, _premise(claim, "lem6")),
                ]
            )
        ],
    ),
    "st.5.modulus": fixed(
        ("lipschitz", "sets"),
        Combination(
            [
                (ONE, Premise(_moduli_f + _moduli_d - modulus_F, "a sum of Lipschitz maps, and their mean")),
                (ONE, cite("fedrzo.lem1.iv", {gap_grad_h: _moduli_f, dist_xy: ONE})),
                (ONE, cite("fedrzo.moreau-2", {gap_grad_I: _moduli_d, dist_xy: ONE})),
            ]
        ),
    ),
    "st.6": fixed(
        ("frequency", "nonnegative"),
        Combination(
            [
                (
                    ONE,
                    Premise(
                        (H - 1) * sum_all - sum_rounds,
                        "a_t >= 0 is counted for k = t + 1, ..., T_{r+1} - 1, at most H - 1 times",
                    ),
                ),
                (ONE, Premise(sum_all, "a_k >= 0")),
            ]
        ),
    ),
    "st.7": Argument(("gamma_sets",), _st7),
    "st.16": fixed(
        ("sets",),
        Combination([(1 / eta_s, Premise(-eta_s * normal_ip, "the projection theorem: (x - P(x))^T (P(x) - z) >= 0"))]),
    ),
}


def _slack(claim: Claim, key: str) -> sp.Expr:
    """What a hypothesis ``lhs <= rhs`` makes nonnegative."""
    relation = relation_of(claim, key)
    if relation.rel_op != "<=":
        raise ValueError(f"{key} should be an upper bound, got {relation}")
    return relation.rhs - relation.lhs


def _premise(claim: Claim, key: str) -> Premise:
    return Premise(_slack(claim, key), key)
