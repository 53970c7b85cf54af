"""Theorem 3.1, with its explicit forms (48) and (49).

The theorem is false as printed, for nine reasons, each of which a reading leaves alone: ``P`` as a sum, the direction
of A5, the argument of A3, fields ``P`` without potential or with one that is unbounded below, the one step of the first
round, single samples, momentum ``Theta(1/R)`` beside steps that do not fall, and steps that are too small. (48) rests
on step sizes that do not exist, and loses a factor 1/R on the way to (49), whose last line is right. What holds is in
``rates``.
"""

from collections.abc import Iterable
from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import BoundedBelow
from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.schedules import (
    ALPHA_THETA,
    AS_PRINTED,
    BATCHES,
    FOUR,
    ONE_SAMPLE,
    PROOF_STEPS,
    QUIET_STEPS,
    RHO_2,
    S_PROOF,
    S_THEOREM,
    rho_2,
)
from rateproof.theory.proof import Proof, cite, have, qed, raised, section, supposed, unfold
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, gt, le, misprint
from rateproof.theory.symbols import C_O, NONNEG, POS
from rateproof.theory.units import OUTER

_R = sp.Rational
SIGMA = p.H_("sigma", "sigma is the largest of sigma_1, ..., sigma_N, and bounds the noise of p^m (Assumption B)")
TAU = p.H_("tau", "tau is the largest of tau_0, ..., tau_N")
BELOW = p.H_("f_below", "f is bounded below", None, BoundedBelow("f"))
FIRST_ROUND = p.H_("K=1 at first", "the first round has one local step, as line 4 of Algorithm 1 says")
EXACT = p.H_("sigma=0", "sigma = 0: the maps are known exactly", eq(p.sigma, 0))
ASSUMED = (p.A1, p.A2, p.A3, p.A4, p.A5_PRINTED, p.B, p.C, SIGMA, TAU, p.SUM, p.METHOD, p.MOMENTUM)
PRINTED = (*ASSUMED, FIRST_ROUND, ONE_SAMPLE, *AS_PRINTED)

# --- readings

A5_TURNED = Switch(
    "A5",
    "<=",
    ">=",
    "an upper bound lets S^{m,n} push z^n away from its zero; strong monotonicity is a lower bound",
    without=("A5",),
    adding=(p.A5,),
    origin="(13) in the proof of Lemma B.1",
)
A3_ALL = Switch(
    "A3",
    "Lipschitz in the first argument, and in mean",
    "Lipschitz in every argument, and in mean square",
    "the proofs take the maps at two values of Z, and the samples' squares",
    adding=(p.A3_JOINT, p.A4_SQUARES),
    origin="(14) and (34a)",
)
MEAN = Switch(
    "P and S",
    "sums over the clients",
    "means",
    "Algorithm 1 follows means; beside a sum it is M times too slow",
    without=("sum",),
    adding=(p.MEAN,),
    origin="line 8 of Algorithm 1, and (7)",
)
GRADIENT = Switch(
    "P",
    "any map",
    "the gradient of a function that is bounded below",
    "without a potential a zero may repel all iterates; a slope without end has no zero",
    adding=(p.POTENTIAL, BELOW),
    origin="the first sentence of the proof of Theorem 3.1, and Delta_W, which (49) hides as a constant",
)
MANY_SAMPLES = Switch(
    "samples",
    "one",
    "b_0 = K R at first, then K b",
    "with rho = Theta(1/R) the noise of the first direction stays for all rounds",
    without=("samples",),
    adding=(BATCHES,),
    origin="b_0 = K R before (49), and sigma^2/(M K b) in the proof of Lemma B.5",
)
STEPS = Switch(
    "steps and momentum",
    "Theta(1/R) and O(1/(tau K))",
    "those of the proof",
    "steps that do not fall with rho carry errors that momentum 1/R keeps for all rounds, and too small ones get "
    "nowhere",
    without=tuple(h.key for h in AS_PRINTED),
    adding=(PROOF_STEPS,),
    origin="rho before (49), Lemma B.5, and the terms Delta_W/(K R alpha) of (49)",
)
ALL_ROUNDS = Switch(
    "the first round",
    "one local step",
    "K local steps, as the others",
    "a round with one step does not gain from K",
    without=(FIRST_ROUND.key,),
    adding=(p.H_("K at first", "the first round has K local steps, as the others"),),
    origin="the average of (46) over all rounds, before (48)",
)
KIND = (A5_TURNED, A3_ALL, MEAN, GRADIENT, ALL_ROUNDS, MANY_SAMPLES, STEPS)


def combined(
    switches: Iterable[Switch], name: str, other: str, why: str, *more: Hypothesis, origin: str = ""
) -> Switch:
    """Several switches as one, with what is supposed besides."""
    taken = [*switches]
    return Switch(
        name,
        "as printed",
        other,
        why,
        without=tuple(key for switch in taken for key in switch.without),
        adding=(*(h for switch in taken for h in switch.adding), *more),
        origin=origin,
    )


def kindly(*switches: Switch) -> Switch:
    """One switch for all that the paper's own argument asks for."""
    why = "each of the readings of Theorem 3.1 is needed"
    return combined(switches, "everything", "as the proof has it", why, origin="as for Theorem 3.1")


def _all_but(name: str, left: list[Switch], why: str, *more: Hypothesis) -> Switch:
    """The reading in which one thing alone is as printed: all that the paper's own argument asks for, but ``left``."""
    return combined(
        [switch for switch in KIND if switch not in left], f"all but {name}", f"read kindly, but for {name}", why, *more
    )


ONE_REASON = (
    _all_but("P and S", [MEAN], "beside a sum the method is M times too slow"),
    _all_but("A5", [A5_TURNED], "A5 as printed admits S = -z"),
    _all_but("A3", [A3_ALL], "A3 as printed says nothing about how steep S is in z"),
    _all_but("the first round", [ALL_ROUNDS], "for R = 1 the output is x_0, whatever K is"),
    _all_but("samples", [MANY_SAMPLES], "the noise of one first sample lasts for 1/rho rounds"),
    _all_but(
        "steps", [STEPS], "with steps of the order 1/(tau K) and momentum Theta(1/R) early errors stay", ALPHA_THETA
    ),
    _all_but("small steps", [STEPS], "alpha is bounded from above alone, so that it may be as small as 1/R", EXACT),
    _all_but("the potential", [STEPS, GRADIENT], "a rotation has no potential, and leads away", ALPHA_THETA, EXACT),
    _all_but("a bound of f", [GRADIENT], "along a slope P never falls", p.POTENTIAL),
)


# --- the theorem

_LEFT = p.P2_out + p.gap2_out
THEOREM31 = p.claim(
    "thm3.1",
    "Theorem 3.1",
    Kind.BOUND,
    "E||P(xtilde)||^2 + sum_n E||ztilde^n - z^{n,*}(ztilde^{n-1})||^2 <= "
    "O(tau/R + 1/(K^(1/2) R) + sigma^2/(M K R) + (sigma/(M K R))^(2/3))",
    le(_LEFT, C_O * p.RATE),
    title="The rate of FedMSA",
    hypotheses=PRINTED,
    schedule=S_THEOREM,
    follows_from=("thm3.1.expl-b", "eq49.b"),
    explicit="thm3.1.expl-b",
    switches=(*KIND, *ONE_REASON),
    note="O hides constants of the problem, and those of Theta(1/R) and O(1/(tau K)). Each of the readings 'all but' "
    "has one reason of its own to fail.",
)


def _edge(symbol: sp.Symbol, at: int, given: Hypothesis, title: str, note: str = "", steps: Switch = STEPS) -> Claim:
    where = given.key.replace("=", " = ")
    return p.claim(
        f"thm3.1.edge.{where.split()[0]}",
        f"Theorem 3.1, for {where}",
        Kind.BOUND,
        f"For {where}, E||P(xtilde)||^2 + sum_n E||ztilde^n - z^(n,*)||^2 <= O of what is left of the four terms",
        le(_LEFT, C_O * p.RATE.subs(symbol, at)),
        title=title,
        hypotheses=(*PRINTED, given),
        schedule=S_THEOREM,
        follows_from=("thm3.1",),
        switches=(kindly(*KIND[:-1], steps),),
        note=note,
    )


TAU_0, K_1, M_1, R_1 = (
    p.H_(f"{name}={at}", f"{name} = {at}", eq(symbol, at))
    for name, symbol, at in (("tau", p.tau, 0), ("K", p.K, 1), ("M", p.M, 1), ("R", p.R, 1))
)
EDGES = (
    _edge(
        p.sigma,
        0,
        EXACT,
        "The rate without noise",
        "rho_2 is infinite then; any momentum from 0 to 1 does.",
        replace(STEPS, adding=(QUIET_STEPS,)),
    ),
    _edge(p.tau, 0, TAU_0, "The rate of equal clients", "O(1/(tau K)) is no condition then."),
    _edge(p.K, 1, K_1, "The rate with one local step"),
    _edge(p.M, 1, M_1, "The rate of one machine"),
    _edge(
        p.R,
        1,
        R_1,
        "The rate of one round",
        "In the first round Algorithm 1 sets K = 1, so that the output is x_0, and no term may fall with K.",
    ),
)
EDGE = p.claim(
    "thm3.1.edge",
    "Theorem 3.1",
    Kind.BOUND,
    "Theorem 3.1 for sigma = 0, tau = 0, K = 1, M = 1 and R = 1",
    None,
    title="Theorem 3.1 at the ends of its ranges",
    follows_from=("thm3.1",),
)

# --- (48)

A = p.declare("A_47", "coefficient A of (45)", p.AREA / OUTER, latex="A", defined=True, real=True)
B = p.declare("B_47", "coefficient B of (45)", p.AREA / OUTER, latex="B", defined=True, **NONNEG)
C = p.declare("C_47", "coefficient C of (45)", latex="C")
D = p.declare("D_47", "coefficient D of (45)", latex="D", **NONNEG)
lam = p.declare("lam_47", "lambda of (47), which is not defined", latex=r"\lambda", **POS)
COEFFICIENTS = {A: p.alpha * (-_R(1, 2) + 2 * p.L_z1**2 * p.alpha), B: p.alpha * (1 + p.L_z1**2 * p.alpha)}
STEPS_47 = (
    p.H_("(47a)", "-A(alpha) + 3/2 B(alpha) <= alpha/8", le(-A + _R(3, 2) * B, p.alpha / 8)),
    p.H_("(47b)", "C + B L_{h,z} K + D + D <= -lambda alpha", le(C + B * p.L_hz * p.K + D + D, -lam * p.alpha)),
    p.H_("(47c)", "max(B(alpha), D(alpha)) <= alpha", sp.And(le(B, p.alpha), le(D, p.alpha))),
)
#: What (40c) has in brackets instead of ``24 e/(rho M K b_0)``.
E_48, E_40 = (
    4 * p.Delta_W / (p.K * p.R * p.alpha)
    + (48 * sp.E * p.rho / (p.M * p.K * p.b) + 24 * sp.E / (p.rho * rounds * p.M * p.K * p.b0)) * p.sigma**2
    for rounds in (sp.S.One, p.R)
)


def _again(cid: str, place: str, title: str) -> Claim:
    return p.claim(
        cid,
        place,
        Kind.BOUND,
        "||P(xtilde)||^2 + lambda ||Ztilde - Ztilde^*||^2 <= O(4 (W_0 - W_R)/(K R alpha) + (48 e rho/(M K b) + "
        "24 e/(rho M K b_0)) sigma^2)",
        le(p.P2_out + lam * p.gap2_out, C_O * E_48),
        equation="48",
        title=title,
        hypotheses=(*ASSUMED, p.POTENTIAL, *STEPS_47),
        where=COEFFICIENTS,
        follows_from=("lemB2", "eq46", "eq47.a", "eq47.b", "eq47.c"),
        note="No step satisfies (47). Its first line needs L_{z,1}^2 alpha >= 15/4, its last one L_{z,1} = 0.",
    )


EXPLICIT_A = _again("thm3.1.expl-a", "proof of Theorem 3.1", "The bound before the steps are chosen")
EQ48 = _again("eq48", "Appendix B.2", "The bound before the steps are chosen, again")

# --- (49)

MOMENTUM_MAX = p.H_(
    "rho=max",
    "rho = max(rho_1, rho_2): at least each of them, and at most their sum",
    every(ge(p.rho, 1 / p.R), ge(p.rho, rho_2), le(p.rho, 1 / p.R + rho_2)),
)
#: The least of four numbers is at least the inverse of the sum of their inverses, and at most each of them.
STEP_MIN = p.H_(
    "alpha=min",
    "alpha is the least of the four bounds: 1/alpha is at most their inverses added up",
    le(1 / p.alpha, sp.Add(*(1 / bound for bound in FOUR))),
)
NOISE = p.H_("sigma>0", "sigma > 0", gt(p.sigma, 0))
RISE = p.H_("Delta_W>0", "Delta_W > 0 and L_h > 0", every(gt(p.Delta_W, 0), gt(p.L_h, 0)))
SCHEDULED = (NOISE, RISE, BATCHES, MOMENTUM_MAX)
_share = p.Delta_W / p.R
E_49 = (
    p.tau * _share
    + _share / p.K
    + _share / sp.sqrt(p.K * p.b)
    + _share / sp.sqrt(rho_2 * p.M * p.K * p.b)
    + (1 / p.R + rho_2) * p.sigma**2 / (p.M * p.K * p.b)
    + p.sigma**2 / (p.rho * p.R * p.M * p.K * p.b0)
)
EXPLICIT_B = p.claim(
    "thm3.1.expl-b",
    "proof of Theorem 3.1",
    Kind.BOUND,
    "With b_0 = K R and rho = max(rho_1, rho_2), ||P(xtilde)||^2 + lambda ||Ztilde - Ztilde^*||^2 <= O(tau Delta_W/R + "
    "Delta_W/(K R) + Delta_W/(R (K b)^(1/2)) + Delta_W/(R (rho_2 M K b)^(1/2)) + (rho_1 + rho_2) sigma^2/(M K b) + "
    "sigma^2/(rho R M K b_0))",
    le(p.P2_out + lam * p.gap2_out, C_O * E_49),
    equation="49",
    title="The bound with the steps of the proof",
    hypotheses=(*ASSUMED, p.POTENTIAL, BATCHES, PROOF_STEPS),
    where=RHO_2,
    schedule=S_PROOF,
    follows_from=("thm3.1.expl-a", "eq49.a"),
    switches=(kindly(A5_TURNED, A3_ALL, MEAN, replace(GRADIENT, adding=(BELOW,))),),
    note="Delta_W = W_0 - W_R depends on the run, and rho on it. For sigma = 0, and wherever sigma^4 R^2 is less than "
    "(Delta_W L_h)^2 M K b, rho_2 is larger than 1, which Algorithm 1 does not admit (eq49.rho).",
)
EQ49_A = p.claim(
    "eq49.a",
    "Appendix B.2, the first inequality",
    Kind.BOUND,
    "With b_0 = K R, rho = max(rho_1, rho_2) and alpha the least of four the right side of (48) is O(tau Delta_W/R + "
    "Delta_W/(K R) + Delta_W/(R (K b)^(1/2)) + Delta_W/(R (rho_2 M K b)^(1/2)) + (rho_1 + rho_2) sigma^2/(M K b) + "
    "sigma^2/(rho R M K b_0))",
    le(E_48, C_O * E_49),
    equation="49",
    title="Steps and momentum put into (48)",
    hypotheses=(*SCHEDULED, STEP_MIN),
    where=RHO_2,
    follows_from=("eq48",),
    switches=(
        misprint(
            "24 e/(rho R M K b_0) in (48)",
            "(48) has lost the factor 1/R of E_1(rho) in (40c)",
            le(E_40, C_O * E_49),
            "(40c)",
        ),
    ),
    note="Where Lb_p and L_h are hidden, they are constants.",
)
_late = 48 * sp.E * p.sigma**2 / (p.M * p.K * p.b)


def _steps(momentum: sp.Expr) -> sp.Expr:
    """``1/(K alpha)`` with the sum of the four inverses."""
    return p.tau + p.L_h / p.K + p.Lb_p / sp.sqrt(p.K * p.b) + p.Lb_p / sp.sqrt(momentum * p.M * p.K * p.b)


_LARGER = (
    4 * _share * _steps(rho_2) + _late * (1 / p.R + rho_2) + 24 * sp.E * p.sigma**2 / (p.rho * p.R * p.M * p.K * p.b0)
)
EQ49 = p.claim(
    "eq49",
    "Appendix B.2",
    Kind.BOUND,
    "(48) is O(tau Delta_W/R + Delta_W/(K R) + Delta_W/(R (K b)^(1/2)) + Delta_W/(R (rho_2 M K b)^(1/2)) + "
    "(rho_1 + rho_2) sigma^2/(M K b) + sigma^2/(rho R M K b_0)), and that is O(tau/R + 1/(K^(1/2) R) + "
    "sigma^2/(M K R) + (sigma/(M K R))^(2/3))",
    None,
    equation="49",
    title="From the explicit bound to the rate",
    follows_from=("eq48",),
)
EQ49_A_CORRECTED = amended(
    EQ49_A,
    "(48) has lost the factor 1/R of E_1(rho) in (40c), without which the last term does not fall fast enough",
    text="The right side of (48) with 24 e/(rho R M K b_0) is at most 4 Delta_W/R (tau + L_h/K + Lb_p/(K b)^(1/2) + "
    "Lb_p/(rho_2 M K b)^(1/2)) + 48 e (rho_1 + rho_2) sigma^2/(M K b) + 24 e sigma^2/(rho R M K b_0)",
    statement=le(E_40, _LARGER),
    origin="(40c)",
    proof=Proof(
        have("steps", le(1 / p.alpha, sp.Add(*(1 / bound for bound in FOUR))), by=[supposed("alpha=min")]),
        have("root", ge(p.rho, rho_2), by=[supposed("rho=max")]),
        raised("momentum", "root", to=_R(1, 2)),
        have("inverse", le(1 / sp.sqrt(p.rho), 1 / sp.sqrt(rho_2)), by=["momentum"]),
        have("start", le(4 * _share / (p.K * p.alpha), 4 * _share * _steps(p.rho)), by=["steps"]),
        have("start with rho_2", le(4 * _share * _steps(p.rho), 4 * _share * _steps(rho_2)), by=["inverse"]),
        have("noise", le(_late * p.rho, _late * (1 / p.R + rho_2)), by=[supposed("rho=max")]),
        qed(by=["start", "start with rho_2", "noise"]),
    ),
)
_first, _third = p.Delta_W / (sp.sqrt(p.K) * p.R), (p.sigma / (p.M * p.K * p.R)) ** _R(2, 3)
_second = p.sigma**2 / (p.M * p.K * p.R)
_last = p.sigma**2 / (p.R * p.M * p.K * p.b) + p.sigma**2 / (p.rho * p.R * p.M * p.K * p.b0)
_with_rho_2 = _share / sp.sqrt(rho_2 * p.M * p.K * p.b) + rho_2 * p.sigma**2 / (p.M * p.K * p.b)
_share_3 = (p.Delta_W * p.L_h * p.sigma / (p.M * p.K * p.b * p.R)) ** _R(2, 3)
STEP_14 = p.claim(
    "step.14",
    "Appendix B.2, (49)",
    Kind.IDENTITY,
    "rho_2 sigma^2/(M K b) = (Delta_W L_h sigma/(M K b R))^(2/3), Delta_W/(R (rho_2 M K b)^(1/2)) = the same over L_h, "
    "and sigma^2/(rho R M K b_0) <= sigma^2/(M K^2 R) for rho >= 1/R and b_0 = K R",
    every(
        eq(rho_2 * p.sigma**2 / (p.M * p.K * p.b), _share_3),
        eq(_share / sp.sqrt(rho_2 * p.M * p.K * p.b), _share_3 / p.L_h),
        le(p.sigma**2 / (p.rho * p.R * p.M * p.K * p.b0), p.sigma**2 / (p.M * p.K**2 * p.R)),
    ),
    title="The terms of (49) in the rounds",
    hypotheses=SCHEDULED,
    where=RHO_2,
    proof=Proof(
        qed(by=[unfold(rho_2)]),
        qed(by=[unfold(rho_2)], of=1),
        have("rounds", ge(p.rho * p.R, 1), by=[supposed("rho=max")]),
        qed(by=["rounds", supposed("b0=KR")], of=2),
    ),
)
EQ49_B = p.claim(
    "eq49.b",
    "Appendix B.2, the second inequality",
    Kind.BOUND,
    "With b_0 = K R and rho = max(rho_1, rho_2), tau Delta_W/R + Delta_W/(K R) + Delta_W/(R (K b)^(1/2)) + "
    "Delta_W/(R (rho_2 M K b)^(1/2)) + (rho_1 + rho_2) sigma^2/(M K b) + sigma^2/(rho R M K b_0) is O(tau/R + "
    "1/(K^(1/2) R) + sigma^2/(M K R) + (sigma/(M K R))^(2/3))",
    every(
        le(_share / p.K + _share / sp.sqrt(p.K * p.b), 2 * _first),
        le(_last, 2 * _second),
        le(_with_rho_2, (p.Delta_W * p.L_h) ** _R(2, 3) * (1 + 1 / p.L_h) * _third),
    ),
    equation="49",
    title="The rate from its explicit form",
    hypotheses=SCHEDULED,
    where=RHO_2,
    note="Term by term; the hidden constants are Delta_W, 2 Delta_W, 2 and (Delta_W L_h)^(2/3) (1 + 1/L_h).",
    proof=Proof(
        section("Local steps and samples"),
        have("local steps", ge(p.K, 1)),
        raised("root of K", "local steps", to=_R(1, 2)),
        have("samples", ge(p.b, 1)),
        raised("root of b", "samples", to=_R(1, 2)),
        raised("power of b", "samples", to=_R(2, 3)),
        have("smooth", le(_share / p.K, _first), by=["root of K"]),
        have("samples of steps", le(_share / sp.sqrt(p.K * p.b), _first), by=["root of b"]),
        have("rho_1", le(p.sigma**2 / (p.R * p.M * p.K * p.b), _second), by=["samples"]),
        have("first sample", le(p.sigma**2 / (p.M * p.K**2 * p.R), _second), by=["local steps"]),
        have("of order 2/3", le(_share_3, (p.Delta_W * p.L_h) ** _R(2, 3) * _third), by=["power of b"]),
        section("The three bounds"),
        qed(by=["smooth", "samples of steps"]),
        qed(by=["rho_1", cite(STEP_14), "first sample"], of=1),
        qed(by=[cite(STEP_14), "of order 2/3"], of=2),
    ),
)
factor = p.declare("factor", "factor by which P is rescaled", latex="c", **POS)


def _rescaled(bound: sp.Expr) -> sp.Expr:
    """A bound for ``factor`` times P: its constants grow by that factor, and steps fall by it."""
    grown = (p.tau, p.sigma, p.Delta_W, p.L_h, p.Lb_p)
    return bound.xreplace({symbol: factor * symbol for symbol in grown})


STEP_16 = p.claim(
    "step.16",
    "Appendix B.2",
    Kind.IDENTITY,
    "For c P instead of P the right side of (48) becomes c^2 times as large, as E||P||^2 does, and so does that of "
    "(49) with the constants L_h and Lb_p that its O hides",
    every(
        eq(_rescaled(E_48).xreplace({p.alpha: p.alpha / factor}), factor**2 * E_48),
        eq(_rescaled(_LARGER).xreplace(RHO_2), factor**2 * _LARGER.xreplace(RHO_2)),
    ),
    title="The bounds and a rescaled problem",
    hypotheses=(NOISE, RISE),
    note="Without hidden constants the rate of Theorem 3.1 does not scale so: for M = K = R = tau = sigma = 1 and c = "
    "2 it is 7 + 2^(2/3), not 16. It adds ||P||^2 and ||z - z^*||^2, and takes the largest of numbers of unlike units.",
    proof=Proof(qed(), qed(of=1)),
)
RHO_SMALL = p.claim(
    "eq49.rho",
    "Appendix B.2, before (49), and line 1 of Algorithm 1",
    Kind.PROPERTY,
    "rho := max(rho_1, rho_2) is a momentum parameter of Algorithm 1, which has 1 >= rho >= 0 in line 1",
    every(le(1 / p.R, 1), le(rho_2, 1)),
    title="The momentum of the proof is admissible",
    hypotheses=(NOISE, RISE),
    where=RHO_2,
)
MANY_ROUNDS = p.H_(
    "many rounds",
    "sigma^2 R >= Delta_W L_h (M K b)^(1/2)",
    ge(p.sigma**2 * p.R, p.Delta_W * p.L_h * sp.sqrt(p.M * p.K * p.b)),
)
RHO_SMALL_CORRECTED = amended(
    RHO_SMALL,
    "rho_2 is above 1 for little noise, and for many local steps",
    note="Where it is larger, less of it is enough: thm3.1.expl-b.corrected has 1/rho = 1 + 1/(rho_1 + rho_2), which "
    "is above 1 for all constants, and the same rate.",
    text="For sigma^2 R >= Delta_W L_h (M K b)^(1/2), rho = max(rho_1, rho_2) is at most 1",
    hypotheses=(NOISE, RISE, MANY_ROUNDS),
    proof=Proof(
        have(
            "product", ge(p.sigma**2 * p.R, p.Delta_W * p.L_h * sp.sqrt(p.M * p.K * p.b)), by=[supposed("many rounds")]
        ),
        raised("power", "product", to=_R(2, 3)),
        qed(by=["power", unfold(rho_2)]),
        have("rounds", ge(p.R, 1)),
        qed(by=["rounds"], of=1),
    ),
)
CLAIMS = claims_in(globals())
