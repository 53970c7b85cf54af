"""What holds of Theorem 3.1 and (49), with what the proof needs and constants; the printed form, and the ends."""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.papers.fedmsa import levels, theorem31
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa import one_round as one
from rateproof.theory.proof import (
    SEQUENCES,
    Part,
    Proof,
    Setting,
    Step,
    cite,
    have,
    qed,
    raised,
    rewritten,
    section,
    special,
    summed,
    supposed,
    unfold,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, gt, item_of, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER, ONE, OUTER

LEVELS = levels.LEVELS

# --- the sum over the local steps and rounds

FIRST_TOO = p.H_("K at r=0", "there are K local steps in every round, in the first one too, which has rho = 1")
OUTPUT = p.H_("output", "(xtilde, ztilde) is drawn uniformly from x_{r+1,k}, z_{r+1,k} for r < R and 1 <= k <= K")
SMALLER = p.H_("rho<=1", "rho <= 1", le(p.rho, 1))
#: Time is counted in rounds: after k local steps of round r it is ``r + k/K``.
W_at = sp.Function("W_at", real=True)
Psi_at, grad_at, gap_at, move_at, err_at = (
    sp.Function(f"{name}_at", real=name == "Psi" or None, nonnegative=None if name == "Psi" else True)
    for name in ("Psi", "grad2", "gap2", "moved", "err")
)
now_at = sp.Function("now_at", nonnegative=True)
r, k, K = p.r, one.k, p.K
_time = r + k / K
_STEPS, _ROUNDS = (k, 0, K - 1), (r, 0, p.R - 1)


def in_mean(term: sp.Expr) -> sp.Expr:
    """The mean over all local steps of all rounds."""
    return sp.Sum(sp.Sum(term, _STEPS) / K, _ROUNDS) / p.R


FIXED = (
    *(p.M, p.K, p.R, p.b, p.b0, one.B, p.alpha, p.beta, p.rho, p.lam, p.L_s, p.L_z, p.L_Z, p.L_h),
    *(p.Lb_p, p.Lb_s, p.tau_0, p.tau_n, p.sigma0, p.sigma_n, one.omega),
    *(one.W_0, one.f_0, one.gap_0, one.err_0, one.delta, p.gf2_out),
)
SEQUENCES_OF = {
    one.W: W_at(_time),
    one.W_next: W_at(_time + 1 / K),
    one.Psi: Psi_at(r, k),
    one.Psi_next: Psi_at(r, k + 1),
    one.err: err_at(r, k),
    one.err_next: err_at(r, k + 1),
    one.err_start: err_at(r, 0),
    one.err_end: err_at(r + 1, 0),
    one.grad2: grad_at(r, k),
    p.gap2: gap_at(r, k),
    one.moved: move_at(r, k),
    one.moves: sp.Sum(move_at(r, k), _STEPS),
    one.W_0: W_at(0),
    one.err_0: err_at(0, 0),
    p.gf2_out: in_mean(grad_at(r, k)),
}
#: Off what the levels track now, which the paper measures.
NOW_AT = {levels.now_all: now_at(r, k), levels.now_out: in_mean(now_at(r, k))}
NOW = le(levels.now_out, sp.Rational(5, 2) * levels.far_out)


def left(of: one.Levels) -> sp.Expr:
    """What is bounded."""
    return p.gf2_out + p.L_Z**2 / 2 * of.out


def within(of: one.Levels, bound: sp.Expr) -> sp.Rel:
    """The bound, with what stays where P is not the gradient of f."""
    return le(left(of), bound + 2 * of.bias**2)


def stated(of: one.Levels, bound: sp.Expr) -> sp.Basic:
    """The bound, and of several levels what it says of the distances that the paper measures."""
    measured = within(of, bound)
    return every(measured, NOW) if of is one.ALL else measured


def sums(of: one.Levels) -> Setting:
    """All rounds, with their metrics as terms of sequences."""
    return replace(
        one.in_numbers(of.step),
        sequences={
            **of.step.sequences,
            **SEQUENCES_OF,
            of.out: in_mean(gap_at(r, k)),
            **(NOW_AT if of is one.ALL else {}),
        },
        others=(one.MOMENTUM, one.FIRST),
        measured=(
            one.err_start,
            one.err_end,
            one.moves,
            one.W_0,
            one.f_0,
            one.gap_0,
            one.err_0,
            p.gf2_out,
            of.out,
            *(levels.now_out,) * (of is one.ALL),
        ),
        fixed=(*of.step.fixed, *FIXED, of.out, levels.now_out),
    )


_chi = p.M * one.B
_weight = 4 * K * p.alpha / p.rho
_carried = sp.Sum(move_at(r, k), _STEPS)
_gr, _gap = sp.Sum(grad_at(r, k), _STEPS), sp.Sum(gap_at(r, k), _STEPS)
_left = p.alpha * (-_gr / 2 - p.L_Z**2 * _gap / 4)
_noise = 8 * K * p.alpha * p.rho * one.noise**2 / _chi


def _at(relation: sp.Basic) -> sp.Rel:
    """A relation with the terms of the sequences."""
    return relation.xreplace(SEQUENCES_OF)


IN_RANGE, TO_END = (le(k, K - 1),), (le(k, K),)
_keep = 1 - p.rho


def hypotheses(of: one.Levels) -> tuple[Hypothesis, ...]:
    """What the theorem supposes."""
    return (
        *(p.METHOD, FIRST_TOO, OUTPUT, *of.hypotheses, *one.LOCAL, one.VARIANCE, one.ALL_SAMPLES, one.BOUNDED),
        *(SMALLER, one.SHORT_X, one.SHORT_Z, one.LONG_X, one.LONG_Z),
    )


_bound = (
    2 * (one.f_0 - one.f_inf + one.c * one.gap_0) / (K * p.R * p.alpha)
    + 16 * p.rho * one.noise**2 / _chi
    + 8 * one.noise**2 / (p.rho * p.R * p.M * p.b0)
)
_EXPLICIT_TEXT = (
    "2 (f(x_0) - inf f + c ||z_0 - z^*(x_0)||^2)/(K R alpha) + 16 rho sigma_w^2/(M B) + 8 sigma_w^2/(rho R M b_0), c = "
    "4 alpha L_z^2/(beta_n lambda_n), for steps and momentum that are small enough"
)
NAMES = (
    "Here sigma_w^2 = sigma_0^2 + omega^2 sigma_n^2, Lb^2 = Lb_p^2 + omega^2 Lb_{s,n}^2, tau_w^2 = tau_0^2 + omega^2 "
    "tau_n^2 and omega >= 7 L_z/(2 lambda_n); B, b and b_0 are the batches of a client in the momentum phase, in a "
    "local step and in the first round"
)
_STEPS_TEXT = (
    "The steps: 4 L_h alpha <= 1, 4 L_{s,n}^2 beta_n <= lambda_n, 9 L_z L_{z,n} alpha <= lambda_n beta_n, and with G = "
    "(1 + K) tau_w^2 + Lb^2/b: 32 K G alpha^2 <= 1, 16 K G L_{s,n}^2 beta_n^2 <= L_z^2, 64 K^2 Lb^2 alpha^2 <= rho M "
    "B, 64 K^2 Lb^2 L_{s,n}^2 beta_n^2 <= rho M B L_z^2"
)
_OF_LEVELS = (
    "N inner sequences, z = (z^1, ..., z^N) in the norm sum_n w^-n ||.||^2 with w >= 4 L_{z,max}^2 (1 + L_{s,max}^2/"
    "lambda_min^2), and the constants with n are those of all levels together: lambda_n = lambda_min/8, L_{s,n} = "
    "(8/5) L_{s,max}, L_{z,n} = 3/5"
)
_NOW_TEXT = (
    ", and sum_n w^-n E||ztilde^n - z^{n,*}(ztilde^{n-1})||^2, which the paper measures without weights, is at most "
    "5/2 times the second mean"
)
_SUPPOSED = (
    "||P(x, z) - grad f(x)||^2 <= L_z^2 ||z - z^*(x)||^2 + delta^2, where delta = 0 if P(x, z^*(x)) = grad f(x) and "
    "P(x, .) is L_z-Lipschitz, f is bounded from below, A5 and A3 are supposed of the mean maps alone, and there are K "
    "local steps in every round"
)


def _of_levels_now(of: one.Levels) -> tuple[Part, ...]:
    """The distances that the paper measures, of several levels."""
    if of is not one.ALL:
        return ()
    now = le(now_at(r, k), sp.Rational(5, 2) * gap_at(r, k))
    return (
        section("The distances that are measured"),
        have("now", now, by=[cite(one.NOW), SEQUENCES]),
        summed("now in a round", "now", over=k, start=0, last=K - 1),
        summed("now in all rounds", "now in a round", over=r, start=0, last=p.R - 1),
        have("distances", NOW, by=["now in all rounds", SEQUENCES], multipliers=[1 / (K * p.R)]),
        section("The bound"),
    )


#: What the printed bounds lack, each alone.
_POTENTIAL = "P has to be the gradient of a function that is bounded below: a rotation leads away"
_OF_MEANS = "P and S are means, A5 bounds the pull from below, and A3 speaks of the second argument, too"
_CHOICES = "the batches, the steps and the momentum are those that the proof chooses"


_LEFT_TEXT = "E||grad f(xtilde)||^2 + (L_z^2/2) E||ztilde - z^*(xtilde)||^2"


def _stays(bias: sp.Expr) -> str:
    """What of the bound stays, in words."""
    return "2 delta^2 + " if bias else ""


def _holds(printed: Claim, part: str, of: one.Levels, why: tuple[str, ...], text: str, **said: Any) -> Claim:
    """What is true of a printed bound, with constants, for so many inner sequences."""
    found = amended(
        printed, why, part=part, text=f"{text}. {_SUPPOSED}. {said.pop('then')}", note="", setting=sums(of), **said
    )
    return replace(found, schedule=None, explicit=None)


def explicit_of(part: str, of: one.Levels, text: str) -> Claim:
    """The bound in terms of the steps, the momentum and the batches."""
    paid, supposed_ = one.local_step(of), hypotheses(of)
    left_ = _left + p.alpha * K * of.bias**2
    return _holds(
        theorem31.EXPLICIT_A,
        part,
        of,
        (_POTENTIAL, _OF_MEANS, "no step satisfies (47), and (48) has lost a factor 1/R"),
        text,
        then=f"Then {_LEFT_TEXT} <= {_stays(of.bias)}{_EXPLICIT_TEXT}"
        f"{_NOW_TEXT if of is one.ALL else ''}. "
        f"{NAMES}. {_STEPS_TEXT}.",
        statement=stated(of, _bound),
        follows_from=("thm3.1.levels",) if of is one.ALL else (),
        hypotheses=supposed_,
        where=one.pairs_of(_bound, supposed_),
        proof=Proof(
            section("One local step"),
            have("in range", le(k, K - 1), when=IN_RANGE),
            have("a step", paid.statement, by=[cite(paid)], when=IN_RANGE, multipliers=[1]),
            have("step k", _at(paid.statement), by=["a step", SEQUENCES], when=IN_RANGE, multipliers=[1]),
            summed("the round", "step k", over=k, start=0, last=K - 1),
            section("From local steps to rounds"),
            have("to the end", le(k, K), when=TO_END),
            *(
                have(
                    name,
                    _at(relation),
                    by=[cite(one.BETWEEN), "to the end", SEQUENCES],
                    when=TO_END,
                )
                for name, relation in (
                    ("W", le(one.W, one.Psi)),
                    ("Psi", le(one.Psi, one.W + 4 * K * p.alpha * one.err)),
                )
            ),
            special("W after the round", "W", {k: K}),
            special("Psi before the round", "Psi", {k: sp.S.Zero}),
            have(
                "local steps",
                le(W_at(r + 1) - W_at(r), 4 * K * p.alpha * err_at(r, 0) + left_ - p.alpha * one.CARRIED * _carried),
                by=["the round", "W after the round", "Psi before the round", SEQUENCES],
            ),
            section("The momentum phase"),
            have(
                "momentum", _at(one.MOMENTUM_STEP.statement), by=[cite(one.MOMENTUM_STEP), SEQUENCES], multipliers=[1]
            ),
            have("keep", le(_keep**2, _keep), by=[]),
            have("all of it", le(_keep**2, 1), by=[]),
            have("errors", ge(err_at(r, 0), 0)),
            have("a move", ge(move_at(r, k), 0)),
            summed("moves", "a move", over=k, start=0, last=K - 1),
            have("kept", le(_keep**2 * err_at(r, 0), _keep * err_at(r, 0)), by=["keep", "errors"]),
            have("carried", le(_keep**2 * one.Lb**2 * _carried, one.Lb**2 * _carried), by=["all of it", "moves"]),
            have(
                "a round",
                le(
                    W_at(r + 1) + _weight * err_at(r + 1, 0) - W_at(r) - _weight * err_at(r, 0),
                    left_ + _noise,
                ),
                by=["local steps", "momentum", "kept", "carried"],
                multipliers=[1, _weight, _weight, _weight * 2 * K / _chi],
            ),
            section("All rounds"),
            summed("all rounds", "a round", over=r, start=0, last=p.R - 1),
            have("W >= inf f", _at(one.BELOW.statement), by=[cite(one.BELOW), SEQUENCES]),
            special("W of a round", "W >= inf f", {k: sp.S.Zero}),
            special("W at the end", "W of a round", {r: p.R}),
            special("the last error", "errors", {r: p.R}),
            have("the start", one.START.statement, by=[cite(one.START)], multipliers=[1]),
            have("the first error", one.FIRST_ESTIMATE.statement, by=[cite(one.FIRST_ESTIMATE)]),
            *_of_levels_now(of),
            have(
                "the bound",
                within(of, _bound),
                by=["all rounds", "W at the end", "the last error", "the first error", "the start", SEQUENCES],
                multipliers=[
                    2 / (K * p.R * p.alpha),
                    2 / (K * p.R * p.alpha),
                    2 / (K * p.R * p.alpha) * _weight,
                    8 / (p.rho * p.R),
                    2 / (K * p.R * p.alpha),
                ],
            ),
        ),
    )


EXPLICIT = explicit_of("one_level", one.ONE, "One inner sequence, N = 1")
EXPLICIT_LEVELS = explicit_of("", one.ALL, _OF_LEVELS)

# --- the printed rate

Delta = p.declare("Delta", "bound on W_0 - inf f", OUTER, latex=r"\Delta", **POS)
theta = p.declare("theta_b", "ratio of the steps, beta_n = theta alpha", OUTER / INNER, latex=r"\theta", **POS)
ell = p.declare("ell", "theta L_{s,n}/L_z", latex=r"\ell", defined=True, **POS)
q = p.declare("q_rate", "(ell Lb Delta sigma_w/(M K b R))^(2/3)", p.SLOPE**2, latex="q", defined=True, **NONNEG)
u = p.declare("u_rate", "1/rho_2, with rho_2 of the proof", latex=r"\rho_2^{-1}", defined=True, **NONNEG)
root = p.declare("root_Kb", "(K b)^(1/2)", latex=r"\sqrt{Kb}", defined=True, **POS)
_all = p.M * K * p.b
_work = ell * one.Lb * Delta * one.noise / (_all * p.R)
RATE_WHERE = {
    root: sp.sqrt(K * p.b),
    ell: theta * p.L_s / p.L_Z,
    q: _work ** sp.Rational(2, 3),
    u: q**2 * p.R**2 * _all / (ell * one.Lb * Delta) ** 2,
}
_SLOW = 4 * p.L_h + 4 * p.L_s**2 * theta / p.lam
_inverse = _SLOW + 8 * ell * K * one.tau + 14 * ell * one.Lb * root / p.b + 8 * K * p.R * q / Delta
BATCH = p.H_("B=Kb", "every client has K b samples in the momentum phase", eq(one.B, K * p.b))
BATCH_0 = p.H_("b_0", "every client has K b R samples in the first round", eq(p.b0, K * p.b * p.R))
STEP_Z = p.H_("beta=theta alpha", "beta_n = theta alpha", eq(p.beta, theta * p.alpha))
RATIO = p.H_(
    "theta",
    "theta lambda_n >= 9 L_z L_{z,n} and theta L_{s,n} >= L_z > 0",
    every(ge(theta * p.lam, 9 * p.L_Z * p.L_z), ge(theta * p.L_s, p.L_Z), gt(p.L_Z, 0)),
)
STEP_X = p.H_(
    "alpha=",
    "1/alpha = 4 L_h + 4 L_{s,n}^2 theta/lambda_n + 8 ell K tau_w + 14 ell Lb (K/b)^(1/2) + 8 K R q/Delta",
    eq(1 / p.alpha, _inverse),
)
MOMENTUM = p.H_(
    "rho=",
    "1/rho = 1 + R/(1 + R rho_2), which for rho_1 = 1/R is 1 + 1/(rho_1 + rho_2)",
    eq(1 / p.rho, 1 + p.R * u / (p.R + u)),
)
SMALL_START = p.H_(
    "Delta",
    "f(x_0) - inf f + (4 L_z^2/(theta lambda_n)) ||z_0 - z^*(x_0)||^2 <= Delta",
    le(one.f_0 - one.f_inf + 4 * p.L_Z**2 / (theta * p.lam) * one.gap_0, Delta),
)
_first_terms = (
    8 * Delta * (p.L_h + p.L_s**2 * theta / p.lam) / (K * p.R)
    + 16 * ell * one.tau * Delta / p.R
    + 28 * ell * one.Lb * Delta / (root * p.R)
)
_late = 16 * p.rho * one.noise**2 / _all + 8 * one.noise**2 / (p.rho * p.R * p.M * p.b0)
_chosen = _first_terms + 16 * q + _late
BOUND = _first_terms + 32 * one.noise**2 / (_all * p.R) + 32 * q
_first, _second = 8 * ell * K * one.tau * p.alpha, 6 * ell * one.Lb * root / p.b * p.alpha
_third, _fourth = 8 * ell * one.Lb * root / p.b * p.alpha, 8 * K * p.R * q / Delta * p.alpha
_POS = ("ell > 0", "Lb > 0")
_FIRST_TEXT = "8 Delta (L_h + L_{s,n}^2 theta/lambda_n)/(K R) + 16 ell tau_w Delta/R + 28 ell Lb Delta/((K b)^(1/2) R)"
_CHOSEN_TEXT = (
    f"{_FIRST_TEXT} + 16 q + 16 rho sigma_w^2/(M K b) + 8 sigma_w^2/(rho R M b_0), q = ell Lb Delta/(R (rho_2 M K "
    "b)^(1/2)) = (ell Lb Delta sigma_w/(M K b R))^(2/3), ell = theta L_{s,n}/L_z, for all R, K, M, b and b_0"
)
_TERMS_TEXT = f"{_FIRST_TEXT} + 32 sigma_w^2/(M K b R) + 32 q"
RATE_TEXT = (
    f"{_TERMS_TEXT}, q = (ell Lb Delta sigma_w/(M K b R))^(2/3), ell = theta L_{{s,n}}/L_z, for all R, K, M and b"
)
CHOICE = (
    "The choice: B = K b, beta_n = theta alpha with theta lambda_n >= 9 L_z L_{z,n} and theta L_{s,n} >= L_z; 1/alpha "
    "= 4 L_h + 4 L_{s,n}^2 theta/lambda_n + 8 ell K tau_w + 14 ell Lb (K/b)^(1/2) + 8 K R q/Delta; 1/rho = 1 + "
    "1/(rho_1 + rho_2), rho_1 = 1/R and rho_2 = (ell Lb Delta)^(2/3) (M K b)^(1/3)/(R sigma_w^2)^(2/3) as in the "
    "proof; Delta >= f(x_0) - inf f + (4 L_z^2/(theta lambda_n)) ||z_0 - z^*(x_0)||^2"
)


#: Facts on the constants and on the momentum parameter.
_CONSTANTS: tuple[Part, ...] = (
    section("Signs of the constants"),
    have("L_Z > 0", gt(p.L_Z, 0)),
    have("ell", eq(ell * p.L_Z, theta * p.L_s), by=["L_Z > 0", unfold(ell)]),
    have("ell >= 1", ge(ell, 1), by=["L_Z > 0", "ell"]),
    have("ell > 0", gt(ell, 0), by=["ell >= 1"]),
    have("Lb > 0", gt(one.Lb, 0), by=[unfold(one.Lb)]),
    have("tau", ge(one.tau, 0), by=[unfold(one.tau)]),
    have("noise", ge(one.noise, 0), by=[unfold(one.noise)]),
    have("work", ge(_work, 0), by=[*_POS, "noise"]),
    raised("to the power 2/3", "work", to=sp.Rational(2, 3)),
    have("q", ge(q, 0), by=["to the power 2/3", unfold(q)]),
    have(
        "cube",
        eq(q**3 * (_all * p.R) ** 2, (ell * one.Lb * Delta * one.noise) ** 2),
        by=[*_POS, "noise", unfold(q)],
    ),
    have("u", eq(u * (ell * one.Lb * Delta) ** 2, q**2 * p.R**2 * _all), by=[*_POS, unfold(u)]),
    have("u >= 0", ge(u, 0), by=[*_POS, "u"]),
    have("variance", eq(one.noise**2, u * q * _all), by=[*_POS, "cube", "u"]),
    section("The momentum parameter"),
    have("momentum", MOMENTUM.relation, by=["u >= 0"]),
    have("rho<=1", le(p.rho, 1), by=["momentum", "u >= 0"]),
    have("rho u", le(p.rho * u * p.R, p.R + u), by=["momentum", "u >= 0"]),
    have("1/rho by R", le(1 / p.rho, 1 + p.R), by=["momentum", "u >= 0"]),
    have("1/rho by u", ge(p.rho * (1 + u), 1), by=["momentum", "u >= 0"]),
)


def rate_of(part: str, of: one.Levels, explicit: Claim, text: str) -> tuple[Claim, Claim]:
    """(49): the bound with the steps and the momentum of the rate for any first batch, and the printed rate."""
    given = tuple(h for h in explicit.hypotheses if h.relation is None or h in (one.CURVED, one.WEIGHT, *of.hypotheses))
    supposed_ = (*given, BATCH, STEP_Z, RATIO, STEP_X, MOMENTUM, SMALL_START)
    now = _NOW_TEXT if of is one.ALL else ""

    def distances(cited: Claim) -> tuple[Part, ...]:
        return (have("distances", NOW, by=[cite(cited), SEQUENCES]),) if of is one.ALL else ()

    chosen = _holds(
        theorem31.EXPLICIT_B,
        part,
        of,
        (_POTENTIAL, _OF_MEANS, _CHOICES),
        text,
        then=f"Then {_LEFT_TEXT} <= {_stays(of.bias)}{_CHOSEN_TEXT}{now}. {CHOICE}. {NAMES}.",
        statement=stated(of, _chosen),
        follows_from=(explicit.item,),
        hypotheses=supposed_,
        where={**one.pairs_of(_chosen, supposed_), **RATE_WHERE},
        proof=Proof(
            *_CONSTANTS,
            section("The step of x"),
            have("root", eq(root**2, K * p.b), by=[unfold(root)]),
            have("root > 0", gt(root, 0), by=[unfold(root)]),
            have("step", eq(p.alpha * _inverse, 1), by=[*_POS, "q", "tau"]),
            *(
                have(name, le(p.alpha * term, 1), by=["step", *_POS, "q", "tau", "root > 0"])
                for name, term in (
                    ("by L_h", 4 * p.L_h),
                    ("by L_s", 4 * p.L_s**2 * theta / p.lam),
                    ("by tau", 8 * ell * K * one.tau + 6 * ell * one.Lb * root / p.b),
                    ("by rho", 8 * ell * one.Lb * root / p.b + 8 * K * p.R * q / Delta),
                )
            ),
            section("The conditions on the steps"),
            have("beta", STEP_Z.relation),
            have("theta", ge(theta * p.lam, 9 * p.L_Z * p.L_z)),
            have("alpha", one.STEP_X.relation, by=["by L_h"]),
            have("beta by L_s", one.STEP_Z.relation, by=["by L_s", "beta"]),
            have("ratio", one.RATIO.relation, by=["beta", "theta"]),
            have("squares by tau", le(_first**2 + _second**2, 1), by=["by tau", "tau", "root > 0", *_POS]),
            have("b", le(32 * K * one.Lb**2 / p.b * ell**2 * p.alpha**2, _second**2), by=["root", "root > 0", *_POS]),
            have("K", le(32 * K * (1 + K) * one.tau**2 * ell**2 * p.alpha**2, _first**2), by=["tau", *_POS]),
            have("growth", le(32 * K * one.GROWTH * ell**2 * p.alpha**2, 1), by=["squares by tau", "b", "K"]),
            have("grows", ge(one.GROWTH, 0)),
            have("alpha K", one.SHORT_X.relation, by=["growth", "ell >= 1", "grows"]),
            have("beta K", one.SHORT_Z.relation, by=["growth", "ell", "beta", "grows", "L_Z > 0"]),
            section("The conditions with the momentum parameter"),
            have("squares by rho", le(_third**2 + _fourth**2, 1), by=["by rho", "q", "root > 0", *_POS]),
            have(
                "with u",
                le(64 * K**2 * one.Lb**2 * ell**2 * p.alpha**2 * (1 + u), _all),
                by=["squares by rho", "root", "u", "root > 0", *_POS],
            ),
            have(
                "with rho",
                le(64 * K**2 * one.Lb**2 * ell**2 * p.alpha**2, p.rho * _all),
                by=["with u", "1/rho by u"],
            ),
            have("B", BATCH.relation),
            have("alpha rho", one.LONG_X.relation, by=["with rho", "ell >= 1", "B"]),
            have("beta rho", one.LONG_Z.relation, by=["with rho", "ell", "beta", "B", "L_Z > 0"]),
            section("The bound term by term"),
            have(
                "explicit",
                within(of, _bound),
                by=[cite(explicit), SEQUENCES],
                multipliers=[0, 1] if of is one.ALL else [1],
            ),
            have("start", SMALL_START.relation),
            have(
                "by the steps",
                le(2 * Delta / (K * p.R * p.alpha), 2 * Delta / (K * p.R) * _inverse),
                by=["step", *_POS, "q", "tau", "root > 0"],
            ),
            rewritten("with batches", "explicit", by=["B", "beta"]),
            have(
                "at most",
                within(of, 2 * Delta / (K * p.R * p.alpha) + _late),
                by=["with batches", "start"],
                multipliers=[1, 2 / (K * p.R * p.alpha)],
            ),
            have("root inverse", eq(root / (K * p.b), 1 / root), by=["root", "root > 0"]),
            have(
                "written",
                le(2 * Delta / (K * p.R) * _inverse + _late, _chosen),
                by=["root inverse", *_POS, "root", "root > 0"],
            ),
            have("the bound", within(of, _chosen), by=["at most", "by the steps", "written"]),
            *distances(explicit),
        ),
    )
    rate = _holds(
        theorem31.THEOREM31,
        part,
        of,
        (_POTENTIAL, _OF_MEANS, _CHOICES),
        text,
        then=f"Then {_LEFT_TEXT} <= {_stays(of.bias)}{RATE_TEXT}{now}. {CHOICE}; b_0 = K b R. {NAMES}.",
        statement=stated(of, BOUND),
        follows_from=(chosen.item,),
        hypotheses=(*supposed_, BATCH_0),
        where=chosen.where,
        proof=Proof(
            *_CONSTANTS,
            section("The terms of the noise"),
            have("b_0", BATCH_0.relation),
            have("chosen", within(of, _chosen), by=[cite(chosen), SEQUENCES]),
            have(
                "by momentum",
                le(16 * p.rho * one.noise**2 / _all, 16 * q + 16 * one.noise**2 / (_all * p.R)),
                by=["variance", "rho u", "q"],
            ),
            have(
                "by the first estimate",
                le(8 * one.noise**2 / (p.rho * p.R * p.M * p.b0), 16 * one.noise**2 / (_all * p.R)),
                by=["1/rho by R", "b_0"],
            ),
            have("the rate", within(of, BOUND), by=["chosen", "by momentum", "by the first estimate"]),
            *distances(chosen),
        ),
    )
    return chosen, rate


CHOSEN, RATE = rate_of("one_level", one.ONE, EXPLICIT, "One inner sequence, N = 1")
CHOSEN_LEVELS, RATE_LEVELS = rate_of("", one.ALL, EXPLICIT_LEVELS, _OF_LEVELS)

# --- the printed form of the rate, and its ends

C_1 = p.declare("C_1", "constant hidden by the O of Theorem 3.1", ONE, **POS)
_power = sp.Rational(2, 3)
_by_K = 8 * Delta * (p.L_h + p.L_s**2 * theta / p.lam) + 28 * ell * one.Lb * Delta
CONSTANT = p.H_(
    "hidden constant",
    "C is at least 16 ell Delta, 8 Delta (L_h + L_{s,n}^2 theta/lambda_n) + 28 ell Lb Delta, 32 and 32 (ell Lb "
    "Delta)^(2/3)",
    every(*(ge(C_1, least) for least in (16 * ell * Delta, _by_K, 32, 32 * (ell * one.Lb * Delta) ** _power))),
)
#: The printed terms, with tau and sigma of ``(P, omega S)``.
_TERMS = p.RATE.xreplace({p.tau: one.tau, p.sigma: one.noise})


def _follows(
    printed: Claim,
    part: str,
    of: Claim,
    given: Hypothesis,
    text: str,
    statement: sp.Basic,
    *steps: Part,
) -> Claim:
    """What a corrected claim gives beside a printed one, with one hypothesis more."""
    return amended(
        printed,
        of.why,
        part=part,
        text=text,
        statement=statement,
        hypotheses=(*of.hypotheses, given),
        where=of.where,
        setting=of.setting,
        schedule=None,
        follows_from=(of.item,),
        note="",
        proof=Proof(*steps),
    )


def form_of(printed: Claim, part: str, rate: Claim, left_: sp.Expr, text: str, stays: sp.Expr) -> Claim:
    """The rate with one constant and the terms of the paper, and what of it stays."""
    samples, of_noise = p.M * K * p.R, 32 * one.noise**2 / (_all * p.R) + 32 * q
    return _follows(
        printed,
        part,
        rate,
        CONSTANT,
        f"With all that {rate.item} supposes, {text} <= {_stays(stays)}C (tau_w/R + 1/(K^(1/2) R) + sigma_w^2/(M K R) "
        f"+ (sigma_w/(M K R))^(2/3)) where {CONSTANT.text}, which depends on the problem and on theta alone",
        le(left_, C_1 * _TERMS + stays),
        *_CONSTANTS,
        section("Term by term"),
        have("rate", le(left_, BOUND + stays), by=[cite(rate), SEQUENCES]),
        have("local steps", ge(K, 1)),
        raised("root of K", "local steps", to=sp.Rational(1, 2)),
        have("samples", ge(p.b, 1)),
        raised("root of b", "samples", to=sp.Rational(1, 2)),
        have(
            "in tau",
            le(left_, stays + BOUND - 16 * ell * one.tau * Delta / p.R + C_1 * one.tau / p.R),
            by=["rate", supposed(CONSTANT.key)],
        ),
        have(
            "in the root of K",
            le(left_, stays + _by_K / (sp.sqrt(K) * p.R) + C_1 * one.tau / p.R + of_noise),
            by=["in tau", "root of K", "root of b", unfold(root), *_POS],
        ),
        have(
            "in K",
            le(left_, stays + C_1 * (one.tau / p.R + 1 / (sp.sqrt(K) * p.R)) + of_noise),
            by=["in the root of K", supposed(CONSTANT.key)],
        ),
        have(
            "in sigma^2",
            le(left_, stays + C_1 * (_TERMS - (one.noise / samples) ** _power) + 32 * q),
            by=["in K", "samples", supposed(CONSTANT.key)],
        ),
        have(
            "the last term",
            le(32 * q, C_1 * (one.noise / samples) ** _power),
            by=["samples", supposed(CONSTANT.key), unfold(q)],
        ),
        qed(by=["in sigma^2", "the last term"]),
    )


FORM, FORM_LEVELS = (
    form_of(theorem31.THEOREM31, part, rate, left(of), _LEFT_TEXT, 2 * of.bias**2)
    for part, of, rate in (("form.one_level", one.ONE, RATE), ("form", one.ALL, RATE_LEVELS))
)


def _at_end(
    item: str,
    text: str,
    given: Hypothesis,
    at: dict[sp.Symbol, sp.Expr],
    *steps: Step,
    of: Claim = RATE_LEVELS,
    bound: sp.Expr = BOUND,
    part: str = "",
) -> Claim:
    """What a corrected bound says at an end of a range; ``steps`` show what symbols are there."""
    return _follows(
        item_of(theorem31.EDGES, item),
        part,
        of,
        given,
        f"With all that {of.item} supposes and {given.text}, {_LEFT_TEXT} <= 2 delta^2 + {text}",
        stated(one.ALL, bound.xreplace(at)),
        *steps,
        have("bound", within(one.ALL, bound), by=[cite(of), SEQUENCES]),
        qed(by=["bound", supposed(given.key), *(s.name for s in steps)], of=1),
        qed(by=[cite(of), SEQUENCES]),
    )


_SILENT = have("sigma", eq(one.noise, 0), by=[supposed("no noise"), unfold(one.noise)])
NO_NOISE = p.H_("no noise", "sigma_0 = sigma_n = 0", every(eq(p.sigma0, 0), eq(p.sigma_n, 0)))
ALIKE = p.H_("equal clients", "tau_0 = tau_n = 0", every(eq(p.tau_0, 0), eq(p.tau_n, 0)))
EDGES = (
    _at_end(
        "sigma",
        f"{_FIRST_TEXT}, with momentum 1; ell is as there",
        NO_NOISE,
        {one.noise: sp.S.Zero, q: sp.S.Zero},
        _SILENT,
        have("work", le(_work, 0), by=["sigma"]),
        raised("its power", "work", to=_power, by=["sigma"]),
        have("q", le(q, 0), by=["its power", unfold(q)]),
    ),
    _at_end(
        "sigma",
        "2 (f(x_0) - inf f + c ||z_0 - z^*(x_0)||^2)/(K R alpha), for any momentum and first batch",
        NO_NOISE,
        {one.noise: sp.S.Zero},
        _SILENT,
        of=EXPLICIT_LEVELS,
        bound=_bound,
        part="momentum",
    ),
    _at_end(
        "tau",
        f"{_TERMS_TEXT}, where tau_w = 0; q and ell are as there",
        ALIKE,
        {one.tau: sp.S.Zero},
        have("tau", eq(one.tau, 0), by=[supposed("equal clients"), unfold(one.tau)]),
    ),
    *(
        _at_end(name, f"{_TERMS_TEXT}; q and ell are as there", given, {size: sp.S.One})
        for name, given, size in (("K", theorem31.K_1, K), ("M", theorem31.M_1, p.M), ("R", theorem31.R_1, p.R))
    ),
)
CLAIMS = claims_in(globals())
