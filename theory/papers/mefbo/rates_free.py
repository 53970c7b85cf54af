"""The rates where X and Y are whole spaces: they vanish, and with P for long steps of the server.

The round of ``one_round_free`` is summed. Where a constraint is active the rates of ``rates`` hold, with a term that
stays.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.papers.mefbo import lemma_d8, rates, sketch
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import one_round_free as one
from rateproof.theory.papers.mefbo import theorem_d11 as d
from rateproof.theory.papers.mefbo.corollary35 import COR35_I, COR35_II, CORD12_I, CORD12_II, FULL, PARTIAL, eps
from rateproof.theory.papers.mefbo.remarks import REMARK_D1
from rateproof.theory.papers.mefbo.schedules import BY_KEY, S_FIXED
from rateproof.theory.papers.mefbo.table1 import MEFBO
from rateproof.theory.papers.mefbo.theorem34 import REMARK_1, REMARK_2, TAU_ONE, THEOREM34
from rateproof.theory.papers.mefbo.theorem_c1 import EXPONENTS, THEOREM_C1
from rateproof.theory.proof import (
    SEQUENCES,
    Part,
    Proof,
    Setting,
    Step,
    cite,
    have,
    least,
    qed,
    raised,
    rewritten,
    section,
    special,
    summed,
    unfold,
)
from rateproof.theory.shorthand import Why, amended, eq, ge, gt, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER

_R = sp.Rational
_l, _lt, _beta = p.lambda_x, p.lambda_theta, p.beta_max / p.P
# --- the sum over the rounds, with steps that are the same in all

Lam_0 = p.declare("Lam_0", "E [Phi_{c_0} + D] at the start", INNER, latex=r"\Lambda_0", **NONNEG)
Lam = sp.Function("Lam", real=True)
TERMS = {p.R_end: rates.TERMS[p.R_end]}
ROUNDS = Setting(
    minima={p.R_best: (TERMS[p.R_end], rates.OVER)},
    sequences={
        **TERMS,
        one.Lam_t: Lam(rates.t),
        one.Lam_end: Lam(rates.t + 1),
        Lam_0: Lam(0),
        d.sum_lR: p.lambda_theta * sp.Sum(TERMS[p.R_end], rates.OVER),
    },
    others=(one.NUMBERS,),
    measured=(*TERMS, one.Lam_t, one.Lam_end, Lam_0, d.sum_lR),
    fixed=(
        p.R_best, p.c_0, p.gamma, p.n, p.P, p.tau, p.beta_max, p.L_1, p.L_2, p.L_f, p.L_g, p.Het,
        p.sig_f, p.sig_g, p.lambda_theta, p.lambda_x, p.lambda_y, p.eta_theta, p.eta_x, p.eta_y,
    ),
)  # fmt: skip
_BASE = (
    *rates.SIGNS[:4],
    have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
    have("L_z > 0", gt(one.L_z, 0), by=[unfold(one.L_z)]),
    have("L_theta > 0", gt(one.L_tt, 0), by=[unfold(one.L_tt)]),
    have("V_z", ge(one.V_z, 0), by=["B_P", unfold(one.V_z)]),
    have("V_theta", ge(one.V_tt, 0), by=["B_P", unfold(one.V_tt)]),
)
_BASED = [step.name for step in _BASE]
FREE_WHERE = {**p.LYAPUNOV, **one.WHERE_FREE}
_WHY = (
    "constraints turn noise into a bias of the first order, which stays; on whole spaces a bound with other terms of "
    "noise, of drawn clients and of the initial value holds, and vanishes"
)
_SETTING_TEXT = (
    "For X and Y the whole spaces, n >= 2, any P and tau, c_t >= c_0, lambda_x = lambda_y, equal client steps eta and "
    "small steps"
)
_SMALL = (
    " (4 G_2 lambda_x <= rho^2 lambda_theta, which the printed ratio c_theta meets, 8 s L_z lambda_x <= 1, 2 s L_th "
    "lambda_theta <= 1 and, for tau >= 2, 80 (tau - 1) tau eta^2 kappa <= 1)"
)
_NAMES = (
    ". Here Lambda_0 = Phi_{c_0}(z^0) + D with D = G(x^0, theta^0) + ||theta^0 - y^0||^2/(2 gamma) - v_gamma(z^0), G_2 "
    "= L_2^2 + 1/gamma^2, s = 1 + (beta_max/P) B, L_z = L_1/c_0 + L_2 + 4/gamma, L_th = L_2 + 2/gamma, V_z = "
    "(beta_max/P) (B S + N/tau), V_th = (beta_max/P) (B Delta^2 + sigma_g^2/tau), S = 3 L_f^2/c_0^2 + 6 L_g^2 + 2 "
    "Delta^2, N = 3 sigma_f^2/c_0^2 + 6 sigma_g^2, kappa = 108 (L_1^2/c_0^2 + G_2) + 57 G_2 lambda_theta/lambda_x, "
    "B = (n-P)/(n-1)"
)
_E_TEXT = ", and E_eta = 2 (tau - 1) eta^2 kappa (2 tau (S + Delta^2) + 5 sigma_f^2/c_0^2 + 9 sigma_g^2), 0 for tau = 1"
_of_t = one.OF_A_ROUND.xreplace({one.Lam_t: Lam(rates.t), one.Lam_end: Lam(rates.t + 1), **TERMS})
_START = 3 * Lam_0 / (_l * p.T)
_STAYS = 3 * one.L_z * _l * one.V_z + 2 * one.L_tt * _lt**2 / _l * one.V_tt + one.E_free


def _free(
    printed: Claim,
    text: str,
    statement: sp.Rel,
    *steps: Part,
    follows_from: tuple[str, ...] = ("thm3.4.free.corrected",),
    more: tuple[Hypothesis, ...] = (),
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
    known: Mapping[sp.Symbol, sp.Expr] | None = None,
    note: str = "",
    without: tuple[Hypothesis, ...] = (),
    why: Why = _WHY,
) -> Claim:
    """A claim about steps of the server that are the same in all rounds; ``known`` says what the steps are."""
    return amended(
        printed,
        why,
        part="free",
        text=text,
        statement=statement,
        schedule=None,
        hypotheses=(*(h for h in one.A_ROUND.hypotheses if h not in without), one.FIXED_STEPS, *more),
        where={**FREE_WHERE, **(where or {})},
        follows_from=follows_from,
        note=note,
        setting=replace(ROUNDS, sequences={**ROUNDS.sequences, **(known or {})}),
        proof=Proof(section("Signs of the constants"), *_BASE, *steps),
    )


def _from(claim: Claim, name: str = "the statement") -> Step:
    """A claim that is cited."""
    return have(name, claim.statement, by=[cite(claim.id), *_BASED, SEQUENCES], multipliers=[1])


_110 = "(lambda_x/lambda_theta) sum_t lambda_theta R_t <= 3 Lambda_0 + T lambda_x (3 L_z lambda_x V_z + 2 L_th "
_110 += "(lambda_theta^2/lambda_x) V_th + E_eta)"
_SUM = le(_l / _lt * d.sum_lR, 3 * Lam_0 + sp.expand(p.T * _l * _STAYS))
D11_110_FREE = _free(
    d.D11_110,
    f"{_SETTING_TEXT}{_SMALL}: {_110}{_NAMES}{_E_TEXT}",
    _SUM,
    section("From one round to all rounds"),
    have("a round", one.OF_A_ROUND, by=[cite(one.A_ROUND), *_BASED], multipliers=[1]),
    have("round t", _of_t, by=["a round", *_BASED, SEQUENCES], multipliers=[1], when=rates.IN_RANGE),
    summed("all rounds", "round t", over=rates.t, start=0, last=p.T - 1),
    have("Lambda", one.NONNEGATIVE.statement, by=[cite(one.NONNEGATIVE)]),
    have("Lambda at t", ge(Lam(rates.t), 0), by=["Lambda", SEQUENCES]),
    special("Lambda at T", "Lambda at t", {rates.t: p.T}),
    qed(by=["all rounds", "Lambda at T", *_BASED, SEQUENCES], multipliers=[1, 3]),
    follows_from=("lemD.2-37", "lemD.3"),
)
SK_34_FREE = _free(
    sketch.SK_34,
    D11_110_FREE.text,
    D11_110_FREE.statement,
    rates.BY_SUM,
    _from(D11_110_FREE),
    follows_from=("thmD.11-110.free.corrected",),
)
_RATE_TEXT = (
    f"{_SETTING_TEXT}{_SMALL} that are the same in all rounds: min E R_t <= 3 Lambda_0/(lambda_x T) + 3 L_z lambda_x "
    f"V_z + 2 L_th (lambda_theta^2/lambda_x) V_th + E_eta{_NAMES}{_E_TEXT}"
)
THEOREM34_FREE = _free(
    THEOREM34,
    _RATE_TEXT,
    le(p.R_best, _START + _STAYS),
    section("From the sum to the best round"),
    _from(D11_110_FREE, "the sum"),
    have("the best round", le(p.R_best, p.R_end), by=[least(p.R_best), SEQUENCES], when=rates.IN_RANGE),
    have("the best of all", le(p.R_best, TERMS[p.R_end]), by=["the best round", SEQUENCES], when=rates.IN_RANGE),
    summed("best of all rounds", "the best of all", over=rates.t, start=0, last=p.T - 1),
    qed(by=["the sum", "best of all rounds", *_BASED, SEQUENCES], multipliers=[1 / (p.T * _l), 1 / p.T]),
    follows_from=("thmD.11-110.free.corrected",),
)
D11_FREE = _free(d.THEOREM_D11, f"(ii) {_RATE_TEXT}", THEOREM34_FREE.statement, rates.BY_RATE, _from(THEOREM34_FREE))

# --- with steps in the number of rounds, and the printed ratio

RATIO_PRINTED = (BY_KEY["(78c)"], BY_KEY["(78d)"])
_kappa = 108 * one.FLAT + 57 * p.G2 / p.c_theta
_noise_0, _local = one.NOISE.xreplace(one.AT_0), 2 * p.tau * (one.APART_0 + p.Het**2) + one.LOCAL_NOISE


def _in_theta(drift: sp.Expr) -> sp.Rel:
    """The theorem with the printed ratio of steps."""
    noise = _lt * (3 * one.L_z * p.c_theta * one.V_z + 2 * one.L_tt / p.c_theta * one.V_tt)
    return le(p.R_best, 3 * Lam_0 / (p.c_theta * _lt * p.T) + noise + drift)


#: That the printed ratio is small enough.
_RATIO_MET: tuple[Part, ...] = (
    section("The printed ratio of steps is small enough"),
    lemma_d8.L_THETA_SQUARED,
    lemma_d8.K_SQUARED,
    have("K at least", le(p.rho**2, 4 * p.K**2), by=["L_theta squared", "K squared", *_BASED]),
    raised("roots", "K at least", to=_R(1, 2), by=_BASED),
    have("rho at most", le(p.rho, 8 * p.K), by=["roots", *_BASED]),
    have(
        "printed ratio",
        le(4 * p.G2 * p.c_theta, p.rho**2),
        by=["rho at most", "L_theta squared", *_BASED, unfold(p.c_theta)],
    ),
)
_BY_THETA: tuple[Part, ...] = (
    *_RATIO_MET,
    section("The rate at the printed ratio"),
    have("ratio of steps", eq(p.lambda_x, p.c_theta * _lt)),
    have("step of y", eq(p.lambda_y, p.c_theta * _lt)),
    have("one step", one.ONE_STEP.relation, by=["ratio of steps", "step of y"]),
    have("the ratio", one.RATIO, by=["printed ratio", "ratio of steps"]),
    have(
        "the rate",
        THEOREM34_FREE.statement,
        by=[cite(THEOREM34_FREE.id), *_BASED, "one step", "the ratio", SEQUENCES],
        multipliers=[1],
    ),
    have(
        "with the drift",
        le(p.R_best, _START + _STAYS - one.E_free + one.WHERE_FREE[one.E_free]),
        by=["the rate", *_BASED, unfold(one.E_free)],
        multipliers=[1],
    ),
    rewritten("by the ratio", "with the drift", by=["ratio of steps"]),
    have(
        "in theta",
        _in_theta(2 * (p.tau - 1) * p.eta_theta**2 * _kappa * _local),
        by=["by the ratio", *_BASED],
        multipliers=[1],
    ),
)


def _rate_at(server: sp.Expr, client: sp.Expr) -> sp.Rel:
    """The bound of the theorem at steps of theta on the server, with the printed ratio, and of the clients."""
    drift = 2 * (p.tau - 1) * client**2 * _kappa * _local
    return _in_theta(drift).xreplace({_lt: server}).xreplace({V: one.WHERE[V] for V in (one.V_z, one.V_tt)})


def _in_rounds(
    printed: Claim,
    text: str,
    server: sp.Expr,
    client: sp.Expr,
    more: tuple[Hypothesis, ...],
    statement: sp.Rel,
    *steps: Part,
    **changes: Any,
) -> Claim:
    """A rate with given steps."""
    return _free(
        printed,
        text,
        statement,
        *_BY_THETA,
        *steps,
        more=(*RATIO_PRINTED, *more),
        without=one.CONDITIONS[:2],
        known={_lt: server, p.eta_theta: client},
        **changes,
    )


_work = sp.sqrt(p.P * p.tau * p.T)
_SERVER, _CLIENT = p.c_lam * sp.sqrt(p.P * p.tau / p.T), p.c_eta / p.tau / (p.P * p.tau * p.T) ** _R(1, 4)
C_free = p.declare(
    "C_free", "constant of the rate without constraints", p.FORCE2, latex=r"C_{\rm free}", defined=True, **NONNEG
)
_of_z = 3 * one.L_z * p.c_theta * (p.tau * p.B_P * one.APART_0 + _noise_0)
_of_theta = 2 * one.L_tt / p.c_theta * (p.tau * p.B_P * p.Het**2 + p.sig_g**2)
_C_FREE = {
    C_free: 3 * Lam_0 / (p.c_theta * p.c_lam)
    + p.c_lam * p.beta_max * (_of_z + _of_theta)
    + 2 * p.c_eta**2 * _kappa * (p.tau - 1) / p.tau**2 * _local
}
_SPEED_STEPS = (
    p.H_("S-speed", "lambda_theta = c_lambda (P tau/T)^(1/2)", eq(_lt, _SERVER)),
    p.H_("C-speed", "eta = c_eta tau^(-1) (P tau T)^(-1/4)", eq(p.eta_theta, _CLIENT)),
)
_C_TEXT = (
    ", C = 3 Lambda_0/(c_theta c_lambda) + c_lambda beta_max (3 L_z c_theta (tau B S + N) + (2 L_th/c_theta) (tau B "
    "Delta^2 + sigma_g^2)) + 2 c_eta^2 kappa ((tau-1)/tau^2) (2 tau (S + Delta^2) + 5 sigma_f^2/c_0^2 + 9 sigma_g^2), "
    "which for tau = 1 or P = n does not grow with tau, P or T"
)
_PRINTED_RATIO = f"{_SETTING_TEXT}{_SMALL} with lambda_x = lambda_y = c_theta lambda as printed,"
_SPEED_TEXT = f"{_PRINTED_RATIO} lambda = c_lambda (P tau/T)^(1/2) and eta = c_eta tau^(-1) (P tau T)^(-1/4): "


def _sped_up(printed: Claim, text: str, statement: sp.Rel, *steps: Part, **changes: Any) -> Claim:
    """A rate with steps that grow with the clients and the local steps."""
    more = (*_SPEED_STEPS, *changes.pop("more", ()))
    written = have(
        "of C", _in_rate, by=["in theta", *_BASED, unfold(one.V_z, one.V_tt, C_free), SEQUENCES], multipliers=[1]
    )
    text = f"{_SPEED_TEXT}{text}{_NAMES}{_C_TEXT}"
    return _in_rounds(printed, text, _SERVER, _CLIENT, more, statement, written, *steps, where=_C_FREE, **changes)


_in_rate = le(p.R_best, C_free / _work)
SPEED_UP_FREE, TAB1_6_FREE = (
    _sped_up(printed, "min E R_t <= C/(P tau T)^(1/2)", _in_rate, why=(rates.NOT_BY_P, _WHY))
    for printed in (REMARK_1, MEFBO)
)
_root = sp.sqrt(p.T)
_ONE_STEP_SERVER = p.c_lam / _root
REMARK_2_FREE = _free(
    REMARK_2,
    f"{_PRINTED_RATIO} P = n, tau = 1 and lambda = c_lambda T^(-1/2): min E R_t <= T^(-1/2) (3 Lambda_0/(c_theta "
    f"c_lambda) + c_lambda (beta_max/n) (3 L_z c_theta N + (2 L_th/c_theta) sigma_g^2)){_NAMES}",
    le(
        p.R_best,
        (
            3 * Lam_0 / (p.c_theta * p.c_lam)
            + p.c_lam * p.beta_max / p.n * (3 * one.L_z * p.c_theta * _noise_0 + 2 * one.L_tt / p.c_theta * p.sig_g**2)
        )
        / _root,
    ),
    *_BY_THETA,
    section("All clients and one local step"),
    have("all clients", FULL.relation),
    have("one local step", TAU_ONE.relation),
    have("B", eq(p.B_P, 0), by=[unfold(p.B_P)]),
    have("V_z alone", eq(one.V_z, p.beta_max / p.n * _noise_0), by=["B", unfold(one.V_z)]),
    have("V_theta alone", eq(one.V_tt, p.beta_max / p.n * p.sig_g**2), by=["B", unfold(one.V_tt)]),
    rewritten("without heterogeneity", "in theta", by=["V_z alone", "V_theta alone"]),
    rewritten("with one local step", "without heterogeneity", by=["one local step"]),
    qed(by=["with one local step", *_BASED, SEQUENCES], multipliers=[1]),
    more=(
        *RATIO_PRINTED,
        FULL,
        TAU_ONE,
        p.H_("S-fixed at tau=1", "lambda_theta = c_lambda T^(-1/2)", eq(_lt, _ONE_STEP_SERVER)),
    ),
    without=one.CONDITIONS[:2],
    known={_lt: _ONE_STEP_SERVER},
    note="One client is one of two with the weights 1 and 0 who both take part.",
)
_fixed_server, _fixed_client = S_FIXED.rules[_lt], S_FIXED.rules[p.eta_theta]
REMARK_D1_FREE = _in_rounds(
    REMARK_D1,
    f"{_PRINTED_RATIO} and lambda and eta as printed, c_lambda tau^(1/4) T^(-1/2) and c_eta tau^(-7/8) T^(-1/4) "
    "P^(-1/2): min E R_t <= 3 Lambda_0/(c_theta c_lambda tau^(1/4) T^(1/2)) + (c_lambda tau^(1/4) T^(-1/2) beta_max/P) "
    "(3 L_z c_theta (B S + N/tau) + (2 L_th/c_theta) (B Delta^2 + sigma_g^2/tau)) + (2 c_eta^2 kappa (tau-1) "
    f"tau^(-7/4) T^(-1/2)/P) (2 tau (S + Delta^2) + 5 sigma_f^2/c_0^2 + 9 sigma_g^2){_NAMES}",
    _fixed_server,
    _fixed_client,
    (
        p.H_("S-fixed/free", "lambda_theta = c_lambda tau^(1/4) T^(-1/2)", eq(_lt, _fixed_server)),
        p.H_("C-fixed/free", "eta = c_eta tau^(-7/8) T^(-1/4) P^(-1/2)", eq(p.eta_theta, _fixed_client)),
    ),
    _rate_at(_fixed_server, _fixed_client),
    qed(by=["in theta", *_BASED, unfold(one.V_z, one.V_tt), SEQUENCES], multipliers=[1]),
)
_DRIFTS = "for tau = T clients that differ drift apart, and the drift falls more slowly than the claimed rate"
_ENOUGH = p.H_("enough rounds", "P tau T >= (C/eps)^2", le(C_free, eps * _work))


def _within(printed: Claim, text: str, more: Hypothesis, why: Why = _WHY) -> Claim:
    """That the measure is at most ``eps``."""
    return _sped_up(
        printed,
        text,
        le(p.R_best, eps),
        section("Enough rounds for the accuracy"),
        have("enough rounds", _ENOUGH.relation, by=["c_theta"]),
        qed(by=["of C", "enough rounds", "c_theta", SEQUENCES], multipliers=[1, 1 / _work]),
        more=(more, _ENOUGH),
        why=why,
    )


_ALL = tuple(
    _within(
        printed,
        "all clients and n tau T >= (C/eps)^2, so tau T = O(eps^-2/n), give min E R_t <= eps; for tau of the order "
        "T/n, which the conditions on the steps allow, T = O(eps^-1)",
        FULL,
        (_DRIFTS, _WHY),
    )
    for printed in (COR35_I, CORD12_I)
)
_SOME = tuple(
    _within(
        printed,
        "some clients, tau = O(1) and P tau T >= (C/eps)^2, so T = O(P^-1 eps^-2), give min E R_t <= eps",
        PARTIAL,
    )
    for printed in (COR35_II, CORD12_II)
)

# --- decreasing steps, with the printed ratio

ETA_0 = p.declare("eta_0", "first client step", p.STEP, latex=r"\eta_0", **POS)
_server, _client = rates.SERVER_DEC, ETA_0 * (rates.t + 1) ** -_R(1, 4)
_DEC = {
    **{_lt: _server, p.lambda_x: p.c_theta * _server, p.lambda_y: p.c_theta * _server},
    **dict.fromkeys((p.eta_theta, p.eta_x, p.eta_y), _client),
}
_at_start = {_lt: rates.SERVER_0, _l: p.c_theta * rates.SERVER_0, p.eta_theta: ETA_0}
AT_ROUND_0 = tuple(
    p.H_(f"{h.key} at 0", f"{h.text}, for the steps of round 0", h.relation.xreplace(_at_start))  # type: ignore[union-attr]
    for h in (*one.CONDITIONS[2:], one.STEP_CLIENTS)
)
_DECREASING = p.H_(
    "S-dec/free",
    "lambda_theta = lambda_0 (t + 1)^(-q), lambda_x = lambda_y = c_theta lambda_theta, eta = eta_0 (t + 1)^(-1/4)",
)
_SMALLER: tuple[Part, ...] = (
    section("The steps are largest at round 0"),
    have("after round 0", le(1, rates.t + 1)),
    raised("to the power q", "after round 0", to=p.q),
    raised("to the power 1/2", "after round 0", to=_R(1, 2)),
    have("smaller steps", le(_lt, rates.SERVER_0), by=["to the power q", SEQUENCES]),
    have("shorter steps", le(p.eta_theta**2, ETA_0**2), by=["to the power 1/2", SEQUENCES]),
    section("The ratios of the steps"),
    have("ratio of steps", eq(_l, p.c_theta * _lt), by=[SEQUENCES]),
    have("step of y", eq(p.lambda_y, p.c_theta * _lt), by=[SEQUENCES]),
    *(have(f"{step} > 0", gt(step, 0), by=[*_BASED, SEQUENCES]) for step in (p.lambda_x, p.lambda_y)),
    have("lambda_y=lambda_x", one.ONE_STEP.relation, by=["ratio of steps", "step of y"]),
    have("ratio", one.RATIO, by=["printed ratio", "ratio of steps"]),
    have("as x", one.ETA_X.relation, by=[SEQUENCES]),
    have("as y", one.ETA_Y.relation, by=[SEQUENCES]),
    section("The conditions on the steps hold"),
    *(have(h.key, h.relation, by=_BASED) for h in AT_ROUND_0),
    have("step_z", one.STEP_Z, by=["step_z at 0", "smaller steps", "ratio of steps", *_BASED]),
    have("step_theta", one.STEP_T, by=["step_theta at 0", "smaller steps", *_BASED]),
    have("more steps", ge(p.tau - 1, 0)),
    have("E_free >= 0", ge(one.E_free, 0), by=["more steps", "lambda_x > 0", unfold(one.E_free)]),
    have(
        "shorter",
        le(80 * p.tau * one.MORE * one.WEIGHT, 80 * p.tau * (p.tau - 1) * ETA_0**2 * one.WEIGHT),
        by=["shorter steps", "more steps", "lambda_x > 0"],
    ),
    have(
        "the clients",
        le(80 * p.tau * (p.tau - 1) * ETA_0**2 * one.WEIGHT, _l),
        by=["step_clients at 0", "ratio of steps", *_BASED],
    ),
    have("step_clients", one.STEP_CLIENTS.relation, by=["shorter", "the clients"]),
)
#: A round with the terms of the sequences.
_of_x = p.c_theta * _server
_added = 3 * one.L_z * p.c_theta**2 * one.V_z + 2 * one.L_tt * one.V_tt
_e_0 = 2 * p.c_theta * (p.tau - 1) * _kappa * _local
_round_dec = le(
    _of_x * TERMS[p.R_end],
    3 * (Lam(rates.t) - Lam(rates.t + 1)) + _added * _server**2 + _e_0 * _client**2 * _server,
)
_SUMS = {
    d.sum_l: sp.Sum(_server, rates.OVER),
    d.sum_l2: sp.Sum(_server**2, rates.OVER),
    d.sum_e2l: sp.Sum(_client**2 * _server, rates.OVER),
}
_FALLING = replace(
    ROUNDS,
    sequences={**ROUNDS.sequences, **_DEC, **_SUMS},
    fixed=(*(f for f in ROUNDS.fixed if f not in _DEC), rates.SERVER_0, p.q, p.p, ETA_0, p.T),
)
_squared, _of_both = 2 * p.q / (2 * p.q - 1), (2 * p.q + 1) / (2 * p.q - 1)
_squares, _mixed = rates.SERVER_0**2 * _squared, rates.SERVER_0 * ETA_0**2 * _of_both
_growth = rates.GROWTH


def _decreasing(
    printed: Claim,
    why: Why,
    text: str,
    metric: sp.Symbol,
    times: sp.Expr,
    grown: sp.Expr,
    *steps: Step,
    more: tuple[Hypothesis, ...] = (),
) -> Claim:
    """A rate with decreasing steps, of the least ``times`` the measure; ``steps`` show that ``times <= grown``."""
    rest = _added * _squares + _e_0 * _mixed
    bound = (3 * Lam_0 + rest) / (p.c_theta * _growth)
    return amended(
        printed,
        why,
        part="free",
        text=text,
        statement=le(metric, grown * bound),
        schedule=None,
        hypotheses=(*one.HYPOTHESES, p.SMALLEST, *AT_ROUND_0, *EXPONENTS[:2], _DECREASING, *more),
        where=FREE_WHERE,
        follows_from=("lemD.2-37", "lemD.3", "thmD.11-111", "st-sum-dec"),
        note="",
        setting=replace(
            _FALLING,
            minima={metric: (times * TERMS[p.R_end], rates.OVER)},
            fixed=(*_FALLING.fixed, metric),
        ),
        proof=Proof(
            section("Signs of the constants"),
            *_BASE,
            *_RATIO_MET,
            *_SMALLER,
            section("From one round to all rounds"),
            rates.GROWTH_OF_SUMS,
            have(
                "a round",
                one.OF_A_ROUND,
                by=[cite(one.A_ROUND), *_BASED, *(s.name for s in _SMALLER if isinstance(s, Step))],
                multipliers=[1],
            ),
            have(
                "with the drift",
                one.OF_A_ROUND.xreplace({one.E_free: one.WHERE_FREE[one.E_free]}),
                by=["a round", *_BASED, "lambda_x > 0", unfold(one.E_free)],
                multipliers=[1],
            ),
            have(
                "round t",
                _round_dec,
                by=["with the drift", *_BASED, SEQUENCES],
                multipliers=[1],
                when=rates.IN_RANGE,
            ),
            summed("all rounds", "round t", over=rates.t, start=0, last=p.T - 1),
            have("Lambda", one.NONNEGATIVE.statement, by=[cite(one.NONNEGATIVE)]),
            have("Lambda at t", ge(Lam(rates.t), 0), by=["Lambda", SEQUENCES]),
            special("Lambda at T", "Lambda at t", {rates.t: p.T}),
            special("Lambda at 0", "Lambda at t", {rates.t: sp.S.Zero}),
            have("start", ge(Lam_0, 0), by=["Lambda at 0", SEQUENCES]),
            section("The best round against all"),
            *steps,
            *rates.best_of(metric, times, grown, steps),
            have(
                "in sum",
                le(
                    sp.expand(p.c_theta * d.sum_l * metric / grown),
                    3 * Lam_0 + _added * d.sum_l2 + _e_0 * d.sum_e2l,
                ),
                by=["all rounds", "best of all rounds", "Lambda at T", *_BASED, SEQUENCES],
                multipliers=[1, p.c_theta, 3],
            ),
            section("Sums of powers of the steps"),
            *rates.powers_in_all("squares in all", "squares to T", 2 * p.q, _squared),
            *rates.powers_in_all("mixed in all", "mixed to T", p.q + _R(1, 2), _of_both),
            have("squares", le(d.sum_l2, _squares), by=["squares to T", SEQUENCES]),
            have("mixed", le(d.sum_e2l, _mixed), by=["mixed to T", SEQUENCES]),
            have("growth", ge(d.sum_l, _growth), by=["growth of sums", SEQUENCES]),
            have("no empty sum", gt(d.sum_l, 0), by=["growth"]),
            section("The rate of the best round"),
            have(
                "whole",
                le(p.c_theta * d.sum_l * metric / grown, 3 * Lam_0 + rest),
                by=["in sum", "squares", "mixed", *_BASED],
                multipliers=[1],
            ),
            have(
                "per step",
                le(metric / grown, (3 * Lam_0 + rest) / (p.c_theta * d.sum_l)),
                by=["whole", "no empty sum", *_BASED],
                multipliers=[1 / (p.c_theta * d.sum_l)],
            ),
            have("the start", le(Lam_0 / d.sum_l, Lam_0 / _growth), by=["growth", "start"]),
            have("what is added", ge(rest, 0), by=_BASED),
            have("the rest", le(rest / d.sum_l, rest / _growth), by=["growth", "what is added", *_BASED]),
            qed(
                by=["per step", "the start", "the rest", *_BASED],
                multipliers=[grown, 3 * grown / p.c_theta],
            ),
        ),
    )


_DEC_TEXT = (
    "For X and Y the whole spaces, n >= 2, any P and tau, c_t >= c_0, lambda_theta = lambda_0 (t + 1)^(-q), lambda_x = "
    "lambda_y = c_theta lambda_theta, equal client steps eta_0 (t + 1)^(-1/4) and small steps at t = 0 (8 s L_z "
    "c_theta lambda_0 <= 1, 2 s L_th lambda_0 <= 1 and, for tau >= 2, 80 (tau - 1) tau eta_0^2 kappa <= 1): "
)
C1_FREE = _decreasing(
    THEOREM_C1,
    _WHY,
    f"{_DEC_TEXT}min E R_t <= ((3 - q)/(c_theta lambda_0 (T + 1)^(1-q))) (3 Lambda_0 + (3 L_z c_theta^2 V_z + 2 L_th "
    "V_th) lambda_0^2 2 q/(2 q - 1) + c_theta lambda_0 E_eta (2 q + 1)/(2 q - 1))"
    f"{_NAMES}{_E_TEXT}, here with eta = eta_0",
    p.R_best,
    sp.S.One,
    sp.S.One,
)
GRAD_F_FREE = _decreasing(
    d.GRAD_F,
    (rates.WHY_GRAD, _WHY),
    f"{_DEC_TEXT}min E [dist(0, grad F + c_t (grad G - grad v_gamma) + N)]^2 at z^{{t+1}} is at most c_0^2 T^(2p) "
    "times the right side of mefbo.thmC.1.free.corrected, so it vanishes for 2 p < 1 - q",
    rates.cR_best,
    p.c_0**2 * (rates.t + 1) ** (2 * p.p),
    p.c_0**2 * p.T ** (2 * p.p),
    have("rounds", le(rates.t + 1, p.T), when=rates.IN_RANGE),
    raised("penalties", "rounds", to=2 * p.p),
    more=(p.ONE_PENALTY,),
)
CLAIMS = (
    D11_110_FREE, SK_34_FREE, THEOREM34_FREE, D11_FREE, SPEED_UP_FREE, TAB1_6_FREE, REMARK_2_FREE, REMARK_D1_FREE,
    *_ALL, *_SOME, C1_FREE, GRAD_F_FREE,
)  # fmt: skip
