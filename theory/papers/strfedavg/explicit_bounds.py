"""Proofs of the explicit bounds of Theorems 1 and 2 (corrected): Propositions 3 and 6 along the schedules."""

from collections.abc import Sequence

import sympy as sp

from rateproof.theory import symbols
from rateproof.theory.papers.strfedavg.mended import B2_HAT, G2_HAT, L_HAT, S2_HAT, SC16_MENDED
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A2,
    B2,
    D2,
    G2,
    Q2,
    T0,
    G_f2,
    G_h2,
    L,
    M,
    Qt2,
    Theta_R,
    W,
    Y,
    gap_f_n,
    gap_h_n,
    s2,
    theta,
)
from rateproof.theory.papers.strfedavg.schedules import S_C, S_SC
from rateproof.theory.proof import (
    SCHEDULE,
    Ground,
    Part,
    Proof,
    Step,
    cite,
    curvature,
    exponential,
    have,
    infimum,
    logarithm,
    qed,
    raised,
    rewritten,
    section,
    summed,
    unfold,
)
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, ge, gt, le
from rateproof.theory.symbols import (
    L_f,
    L_h,
    R,
    S,
    a,
    b,
    eta,
    eta_hat,
    f_star,
    gamma_g,
    gamma_t,
    h_star,
    inf_f,
    mean_inf_f,
    mean_inf_h,
    mu_f,
    p,
    r,
)

_RULES = ("gamma_t", "eta")

#: What the constants are made of is nonnegative.
SIGNS = (
    have("inf f", ge(f_star, inf_f), by=[infimum("f", "x*")]),
    have("inf f_i", ge(inf_f, mean_inf_f), by=[infimum("f")]),
    have("inf h_i", ge(h_star, mean_inf_h), by=[infimum("h")]),
    have("G_f", ge(G_f2, 0), by=["inf f_i", unfold(G_f2)]),
    have("G_h", ge(G_h2, 0), by=["inf h_i", unfold(G_h2)]),
)
#: The constants at eta are at most those at eta_hat, and so is the step condition.
AT_MOST = (
    section("Signs of the constants"),
    *SIGNS,
    section("Constants and step condition at the largest eta"),
    have("L", le(L, L_HAT), by=["eta <= eta_hat", unfold(L)]),
    have("s^2", le(s2, S2_HAT), by=["eta <= eta_hat", unfold(s2)]),
    have("maximum", le(sp.Max(4 * eta * L_f, 4 * L_h), B2_HAT), by=["eta <= eta_hat"]),
    have("B^2", le(B2, B2_HAT), by=["maximum", unfold(B2)]),
    have("B^2 >= 0", ge(B2, 0), by=[unfold(B2)]),
    have("G^2 >= 0", ge(G2, 0), by=["G_f", "G_h", "inf f", "B^2 >= 0", unfold(G2)]),
    have("G^2", le(G2, G2_HAT), by=["G_f", "inf f", "eta <= eta_hat", "B^2", "B^2 >= 0", unfold(G2)]),
    have("A_1", le(A1, Y / S), by=["s^2", "G^2", unfold(A1, Y)]),
    have("A_2", le(A2, W / gamma_g**2), by=["s^2", "G^2", "G^2 >= 0", "L", unfold(A2, W)]),
    have("step condition", SC16_MENDED.relation, by=["L", "B^2"]),
)
#: ``eta`` is at most its largest value over all R >= 1.
LARGEST = (
    logarithm("log of R^b/e", R**b / sp.E),
    have("eta <= eta_hat", le(eta, eta_hat), by=["eta", "log of R^b/e", unfold(eta_hat)]),
)
_more = R ** (p / 2) - 1


def growing(power: sp.Expr) -> tuple[Step, ...]:
    """``R^power > 1``, after a step "log R" that says that ``log R`` is positive."""
    return (
        logarithm("log of the power", R**power),
        have("growth", ge(R**power - 1, power * sp.log(R)), by=["log of the power"]),
        have("the power > 1", gt(R**power, 1), by=["growth", "log R"]),
    )


def decay(eta: sp.Expr, mu: sp.Expr, power: sp.Expr, *, by: Sequence[Ground], rules: Sequence[str]) -> tuple[Part, ...]:
    """The start has the weight ``1/(gamma_t Theta_R)``, which is at most ``eta (mu/2)/(R^power - 1)``.

    Steps before say that ``16 gamma_t`` times something is at most 1, "effective step", that this is at least
    ``eta mu``, "mu <= L", and that ``log R`` is positive, "log R".

    Args:
        eta: the regularisation parameter.
        mu: the strong convexity of the outer loss.
        power: ``R eta mu gamma_t/2 >= power log R``, by the steps ``by`` and the equations ``rules``.
        by, rules: names of earlier steps.
    """
    u = eta * mu * gamma_t / 2
    return (
        section("The averaging weights and their sum"),
        have("contraction", le(u, sp.Rational(1, 32)), by=["effective step", "mu <= L"]),
        have("1/theta", eq(1 - 1 / theta, u), by=["contraction", unfold(theta)]),
        have("theta >= 1", ge(theta, 1), by=["contraction", unfold(theta)]),
        raised("weights", "theta >= 1", to=r),
        summed("sum of weights", "weights", over=r, start=1, last=R),
        have("Theta_R >= R", ge(Theta_R, R), by=["sum of weights", unfold(Theta_R)]),
        have("Theta_R > 0", sp.Gt(Theta_R, 0, evaluate=False), by=["Theta_R >= R"]),
        section("The start decays with the rounds"),
        *growing(power),
        logarithm("log theta", theta, below=True, by=["theta >= 1"]),
        have("R log theta", ge(R * sp.log(theta), R * u), by=["log theta", "1/theta", "theta >= 1"]),
        rewritten("R log theta by the rules", "R log theta", by=rules),
        have("decay", le(power * sp.log(R), R * sp.log(theta)), by=["R log theta by the rules", "log R", *by]),
        exponential("theta^R", "decay"),
        have("theta^R > 1", sp.Gt(theta**R, 1, evaluate=False), by=["theta^R", "the power > 1", "log R"]),
        have(
            "sum",
            eq(1 / (eta * gamma_t * Theta_R), mu / 2 / (theta**R - 1)),
            by=[
                cite("strfedavg.step.1.coefficient", at={symbols.eta: eta, mu_f: mu}),
                "theta^R",
                "the power > 1",
                "log R",
                "Theta_R >= R",
                *by,
            ],
        ),
        have(
            "start",
            le(D2 / (gamma_t * Theta_R), eta * mu / 2 * D2 / (R**power - 1)),
            by=["sum", "theta^R", "the power > 1", "log R", "Theta_R >= R", *by],
        ),
    )


DECAY = (
    section("The effective step and the rounds"),
    have("effective step", le(16 * gamma_t * (L + B2), 1), by=["step condition", unfold(gamma_t)]),
    have("mu <= L", le(eta * mu_f, L + B2), by=[curvature("f_i"), "B^2 >= 0", unfold(L)]),
    have("log R", ge(sp.log(R), eta * (mu_f * R) ** b / p), by=["eta"]),
    have("rounds", ge(mu_f * R, 1)),
    raised("power of rounds", "rounds", to=1 - a - b),
    *decay(eta, mu_f, p / 2, by=["power of rounds"], rules=_RULES),
    have(
        "T_0", le(T0, eta * mu_f / 2 * D2 / _more), by=["start", "log R", "the power > 1", "Theta_R >= R", unfold(T0)]
    ),
)
DEFINED = ("log R", "the power > 1")
#: With ``mu_f = 0`` and ``eta = R^{-b}``.
LARGEST_CONVEX = (
    have("rounds", ge(R, 1)),
    raised("power of rounds", "rounds", to=b),
    have("eta <= eta_hat", le(eta, eta_hat), by=["eta", "power of rounds", unfold(eta_hat)]),
)


def _along(schedule: Schedule, start: tuple[Part, ...], cited: str, bound: sp.Rel, *by: str) -> Proof:
    """The proof of a bound: what ``cited`` says, with constants at eta_hat, then with the rules put in."""
    return Proof(
        section("The schedule and the largest eta"),
        *(have(s.name, eq(s, schedule.rules[s]), by=[SCHEDULE]) for s in (gamma_t, eta)),
        *start,
        section("The bound along the schedule"),
        have("at eta_hat", bound, by=[cite(cited), "A_1", "A_2", *by]),
        rewritten("by R", "at eta_hat", by=_RULES),
        qed(by=["by R", *by, unfold(Q2)]),
    )


def _strongly_convex(cited: str, metric: sp.Symbol, scale: sp.Expr, rest: sp.Expr = sp.S.Zero) -> Proof:
    noise = gamma_t * Y / S + gamma_t**2 * W / gamma_g**2
    bound = le(metric, (eta * mu_f / 2 * D2 / _more + noise) / scale + rest)
    return _along(S_SC, (*LARGEST, *AT_MOST, *DECAY), cited, bound, "T_0", *DEFINED)


def _convex(cited: str, metric: sp.Symbol, scale: sp.Expr, rest: sp.Expr = sp.S.Zero) -> Proof:
    noise = 3 * gamma_t * Y / S + 3 * gamma_t**2 * W / gamma_g**2
    bound = le(metric, (3 * Qt2 / (gamma_t * R) + noise) / scale + rest)
    return _along(S_C, (*LARGEST_CONVEX, *AT_MOST), cited, bound)


THEOREM1_I1X = _strongly_convex("strfedavg.prop3.i-2.corrected", gap_f_n, eta)
THEOREM1_I2X = _strongly_convex("strfedavg.prop3.i-1.corrected", gap_h_n, sp.S.One, 2 * eta * M)
THEOREM2_I1X = _convex("strfedavg.prop6.i-2.corrected", gap_f_n, eta)
THEOREM2_I2X = _convex("strfedavg.prop6.i-1.corrected", gap_h_n, sp.S.One, 2 * eta * M)
