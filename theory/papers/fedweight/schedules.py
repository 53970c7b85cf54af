"""Steps of Local-SVRG, iterations of each call and outer steps, as (17), (18), (51) and Theorems 3 and 4 print them.

In (17) the root covers ``5 e`` alone; over the whole product it would admit longer steps.
For ``tau = 1`` the second bound is no bound, so that the least of the three is written as one over the largest inverse.
"""

import sympy as sp

from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.schedule import Condition, Runs, Schedule
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import POS

A_1, A_2, A_3 = (
    p.declare(f"A_{k}", f"constant C_1 C_{k + 1} of Lemma 4", p.LOSS**2 / p.CURVATURE, latex=f"A_{k}", **POS)
    for k in (1, 2, 3)
)
M = p.declare("M_s", "M_s of (18) or (51), one over the step", p.CURVATURE, latex="M_s", **POS)
T_s = p.declare("T_s", "iterations of a call of Local-SVRG, before they are rounded up", latex="T_s", real=True)

_DRIFT = (p.tau - 1) * (6 * (p.tau - 1) + 8 + 16 / (1 - p.q))


def largest_step(drift: sp.Expr) -> sp.Expr:
    """(17), where ``l_1 drift`` is one over its second bound."""
    return 1 / sp.Max(80 * p.l1 / 3, p.l1 * drift, 4 * p.mu / p.q)


GAMMA_0 = {p.gamma_0: largest_step(sp.sqrt(5 * sp.E) * _DRIFT)}
#: The root of (17) over the whole product.
GAMMA_0_PRODUCT = {p.gamma_0: largest_step(sp.sqrt(5 * sp.E * _DRIFT))}
ONE_STEP = p.H_("tau=1", "tau = 1", eq(p.tau, 1))
MORE_STEPS = p.H_("tau>1", "tau > 1", ge(p.tau, 2))


def within(gamma: sp.Expr) -> sp.And:
    """That a step is at most ``gamma_0``, the root over the whole product: the bounds of (17) without divisors."""
    return every(le(80 * p.l1 * gamma, 3), le(5 * sp.E * _DRIFT * (p.l1 * gamma) ** 2, 1), le(4 * p.mu * gamma, p.q))


STEP = p.H_(
    "gamma<=gamma_0",
    "gamma <= gamma_0 of (17), whose second entry is infinite for tau = 1; its root is over the whole product",
    within(p.gamma),
)
CHANCE = p.H_("q<1", "q < 1, as 1 - q is a divisor in (17)", sp.Lt(p.q, 1, evaluate=False))
#: What a bound of the squared error by a power of ``1/(s + 1)`` asks of the constants: ``C_1 C_2``, and their sum.
ROOT = sp.sqrt(A_1 + A_2 * (p.tau - 1) + A_3 * (p.tau - 1) ** 2)


def calls(order: int, constant: sp.Expr = A_1) -> sp.Expr:
    """Iterations for ``tau = 1`` and the step ``gamma_0``, for an error of ``(s + 1)^-order`` in the mean square."""
    return sp.log(constant * (p.s + 1) ** order / p.gamma_0) / (p.gamma_0 * p.mu)


def inverse_step(order: int, root: sp.Expr = ROOT) -> sp.Expr:
    """(18) and (51), one over the step for ``tau > 1``, for such an error."""
    return sp.Max(1 / p.gamma_0, (p.s + 1) ** (order // 2) * root)


#: Iterations for ``tau > 1`` and the step ``1/M_s``.
LONG_CALLS = M * sp.log(M**3) / p.mu

_RUNS = Runs(
    constants={p.K: "m", p.l0: "l_0", p.l1: "l_1", p.l2: "l_2", p.mu: "mu", p.R: "R"},
    parameters={p.gamma: "gamma", p.tau: "tau", p.q: "q", p.eta: "eta", T_s: "T"},
    rounds=p.S,
    start={p.s: sp.S.Zero},
)
_ONE, _MORE = Condition("tau=1", ONE_STEP.relation), Condition("tau>1", MORE_STEPS.relation)
SC_GAMMA0 = Schedule("sc-gamma0", "the largest step (17), the root over 5 e alone", rules=GAMMA_0, runs=_RUNS)
SC_GAMMA0_PRODUCT = Schedule(
    "sc-gamma0-product", "the largest step (17), the root over the whole product", rules=GAMMA_0_PRODUCT, runs=_RUNS
)
SC_ETA = Schedule(
    "sc-eta",
    "step of the weights in Theorems 3 and 4",
    rules={p.eta: 1 / (3 * p.l_F)},
    where={p.l_F: p.DEFINED[p.l_F]},
    runs=_RUNS,
)


def _one_step(name: str, theorem: str, order: int) -> Schedule:
    return Schedule(
        f"sc-{name}-tau1",
        f"{theorem}, one local step between communications",
        rules={p.gamma: p.gamma_0, T_s: calls(order)},
        conditions=(_ONE,),
        where=GAMMA_0,
        runs=_RUNS,
    )


def _more_steps(name: str, theorem: str, order: int) -> Schedule:
    return Schedule(
        f"sc-{name}-tau",
        f"{theorem}, several local steps between communications",
        rules={p.gamma: 1 / M, T_s: LONG_CALLS},
        conditions=(_MORE,),
        where={**GAMMA_0, M: inverse_step(order)},
        runs=_RUNS,
    )


SC_THM3_TAU1, SC_THM3_TAU = _one_step("thm3", "Theorem 3", 4), _more_steps("thm3", "Theorem 3", 4)
SC_THM4_TAU1, SC_THM4_TAU = _one_step("thm4", "Theorem 4", 2), _more_steps("thm4", "Theorem 4", 2)
SCHEDULES: tuple[Schedule, ...] = (
    SC_GAMMA0,
    SC_GAMMA0_PRODUCT,
    SC_ETA,
    SC_THM3_TAU1,
    SC_THM3_TAU,
    SC_THM4_TAU1,
    SC_THM4_TAU,
)
