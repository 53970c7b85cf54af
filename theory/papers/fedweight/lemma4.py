"""Lemma 4: the error of the approximate gradient of F^, and with it (46) and (48)-(50)."""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedGradient,
    Lipschitz,
    Minimiser,
    Monotone,
    Smooth,
    StronglyConvex,
    WholeSpace,
)
from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import schedules as of
from rateproof.theory.proof import (
    Proof,
    Setting,
    Step,
    exponential,
    have,
    logarithm,
    qed,
    supposed,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, gt, le, misprint, premise
from rateproof.theory.symbols import NONNEG, POS

_PLACE = "Appendix F.2, proof of Lemma 4"
_e = sp.E
C_1 = p.declare("C_1", "constant of Lemma 4", p.LOSS**2 / p.CURVATURE, latex="C_1", **POS)
C_2 = p.declare("C_2", "constant of Lemma 4", latex="C_2", **POS)
C_3 = p.declare("C_3", "constant of Lemma 4", latex="C_3", **POS)
C_4 = p.declare("C_4", "constant of Lemma 4", (p.LOSS * p.CURVATURE) ** 2, latex="C_4", **POS)
_tau1 = p.tau - 1


def bound(C_1: sp.Expr, C_2: sp.Expr, C_3: sp.Expr, C_4: sp.Expr) -> sp.Expr:
    """The right side of (47)."""
    power = (1 - p.gamma * p.mu) ** (p.T + 1)
    return C_1 / p.gamma * power * (C_2 + C_3 * _tau1) + C_4 * p.gamma**2 * _tau1**2


OF_47 = p.H_(
    "(47)",
    "E||grad F^ - gradbar F^||^2 <= (C_1/gamma) (1 - gamma mu)^(T_s + 1) (C_2 + C_3 (tau - 1)) + C_4 gamma^2 (tau - 1)^2",
    le(p.err2, bound(C_1, C_2, C_3, C_4)),
)
#: For ``tau = 1``, where the second bound of (17) is none.
STEP_0 = p.H_(
    "gamma=gamma_0", "gamma = gamma_0 of (17), for tau = 1", eq(p.gamma, 1 / sp.Max(80 * p.l1 / 3, 4 * p.mu / p.q))
)
STEP_M = p.H_("gamma=1/M_s", "gamma = 1/M_s", eq(p.gamma * of.M, 1))
LONG = p.H_("T_s, tau>1", "T_s is (M_s/mu) ln(M_s^3), rounded up", ge(p.T, of.LONG_CALLS))
_INSIDE = C_1 * (C_2 + C_3 * _tau1) + C_4 * _tau1**2


def _largest(order: int) -> Hypothesis:
    power = "(s + 1)^2" if order == 4 else "(s + 1)"
    return p.H_(
        f"M_s, order {order}",
        f"M_s is at least 1/gamma_0 and {power} (C_1 (C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2)^(1/2)",
        every(*of.within(1 / of.M).args, le((p.s + 1) ** order * _INSIDE, of.M**2)),
    )


def _calls(order: int) -> Hypothesis:
    return p.H_(
        f"T_s, tau=1, order {order}",
        f"T_s is ln(C_1 C_2 (s + 1)^{order}/gamma_0)/(gamma_0 mu), rounded up",
        ge(p.T, of.calls(order, C_1 * C_2).xreplace({p.gamma_0: p.gamma})),
    )


def _consequence(part: str, order: int, said: str, hypotheses: tuple[Hypothesis, ...], *steps: Step) -> Claim:
    return p.claim(
        f"lem4.{part}",
        "Lemma 4",
        Kind.INEQUALITY,
        f"With {said}, E||grad F^ - gradbar F^||^2 <= (s + 1)^-{order}",
        le(p.err2, (p.s + 1) ** -order),
        title=f"Error of order {order}, {'one local step' if part in 'ac' else 'several local steps'}",
        hypotheses=(OF_47, of.CHANCE, *hypotheses),
        follows_from=("lem4",),
        setting=Setting(measured=(p.err2,)),
        proof=Proof(*steps),
    )


def _one_step(part: str, order: int) -> Claim:
    length, log = _calls(order), sp.log(1 - p.gamma * p.mu)
    return _consequence(
        part,
        order,
        f"tau = 1, gamma = gamma_0 and T_s = ln(C_1 C_2 (s + 1)^{order}/gamma_0)/(gamma_0 mu)",
        (of.ONE_STEP, STEP_0, length),
        have("short", le(4 * p.gamma * p.mu, p.q), by=[supposed(STEP_0.key)]),
        logarithm("log", 1 - p.gamma * p.mu, by=["short", supposed(of.CHANCE.key)]),
        have(
            "exponent",
            le((p.T + 1) * log, -sp.log(C_1 * C_2 * (p.s + 1) ** order / p.gamma)),
            by=["log", supposed(length.key)],
        ),
        exponential("power", "exponent"),
        qed(by=["power", supposed(OF_47.key), supposed(of.ONE_STEP.key)]),
    )


def _more_steps(part: str, order: int) -> Claim:
    largest, log = _largest(order), sp.log(1 - p.gamma * p.mu)
    return _consequence(
        part,
        order,
        f"tau > 1, gamma = 1/M_s and T_s = (M_s/mu) ln(M_s^3), M_s of {'(18)' if order == 4 else '(51)'},",
        (of.MORE_STEPS, STEP_M, largest, LONG),
        have("short", le(4 * p.gamma * p.mu, p.q), by=[supposed(STEP_M.key), supposed(largest.key)]),
        logarithm("log", 1 - p.gamma * p.mu, by=["short", supposed(of.CHANCE.key)]),
        have(
            "exponent",
            le((p.T + 1) * log, -sp.log(of.M**3)),
            by=["log", supposed(STEP_M.key), supposed(LONG.key)],
        ),
        exponential("power", "exponent"),
        have("root", le((p.s + 1) ** order * _INSIDE, of.M**2), by=[supposed(largest.key)]),
        have(
            "both",
            le(p.err2, _INSIDE / of.M**2),
            by=["power", supposed(OF_47.key), supposed(STEP_M.key)],
        ),
        qed(by=["both", "root"]),
    )


LEM4_A, LEM4_B, LEM4_C, LEM4_D = _one_step("a", 4), _more_steps("b", 4), _one_step("c", 2), _more_steps("d", 2)
CLAIMS = claims_in(globals())
