"""Steps and penalties of the paper, and the conditions (78)-(83) of Lemma D.8 under which they are admissible.

Every condition bounds a step from above by a positive number, so small steps are admissible (Remark D.9); how small is
solved here once: :func:`largest_steps`.
"""

from collections.abc import Mapping
from typing import Any

import sympy as sp

from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.schedule import Condition, Runs, Schedule
from rateproof.theory.shorthand import eq, le

_R = sp.Rational
#: ``rho/(32 K L_theta^2)``, as (81) and (82) write out the ratio of the server steps.
_ratio = p.rho / (32 * p.K * p.L_theta**2)
#: What (81) and (82) have on their right in common.
_share = p.G2_3 * p.rho / (128 * p.K * p.L_theta**2)
_pair = p.tau * p.eta_theta**2 * p.lambda_theta

ADMISSIBLE = (
    Condition("(78a)", le(p.lambda_theta, 8 * p.K * p.L_theta**2 / (p.rho * p.L_Phi))),
    Condition("(78b)", le(p.lambda_theta, 4 / (5 * p.rho))),
    Condition("(78c)", eq(p.lambda_x, p.c_theta * p.lambda_theta)),
    Condition("(78d)", eq(p.lambda_y, p.c_theta * p.lambda_theta)),
    Condition("(78e)", eq(p.eta_x, p.eta_theta)),
    Condition("(78f)", eq(p.eta_y, p.eta_theta)),
    Condition("(79)", le(p.lambda_theta, p.rho / 2 / (4 * p.G2 * p.A_P + 6 * p.G2 * p.n / p.P * p.B_P))),
    # the four bounds of (80), which prints a set without "min"
    Condition("(80a)", le(9 * p.L_2**2 * p.beta_max / p.P * p.B_P * p.lambda_theta, 6 / p.rho * p.L_2**2)),
    Condition("(80b)", le(9 / p.gamma**2 * p.beta_max / p.P * p.B_P * p.lambda_theta, 6 / p.rho * p.L_2**2)),
    Condition("(80c)", le(6 * p.L_2**2 * p.A_P * p.lambda_theta, 6 / p.rho * p.L_2**2)),
    Condition("(80d)", le(6 / p.gamma**2 * p.A_P * p.lambda_theta, 6 / p.rho * p.L_2**2)),
    Condition(
        "(81)",
        le(
            _pair,
            _share
            / (
                20
                * p.G2
                * (
                    3 * _ratio * p.RATIO
                    + _ratio / 2 * (6 * p.L_1**2 / p.c_t**2 + 6 * p.L_2**2 + 3 / p.gamma**2)
                    + 2 * p.K * 18 / p.rho / p.gamma**2
                )
            ),
        ),
    ),
    Condition("(82)", le(_pair, _share / (48 * p.G2 * (3 * _ratio * p.G2 + 2 * p.K * 18 / p.rho * p.G2)))),
    Condition("(83a)", le(_pair, p.gamma**2 / 36)),
    Condition("(83b)", le(p.tau * p.eta_theta * p.lambda_theta, 1 / (18 * p.G2))),
)
#: These as hypotheses.
CONDITIONS = tuple(p.H_(c.name, f"condition {c.name} of Lemma D.8", c.relation) for c in ADMISSIBLE)
BY_KEY = {h.key: h for h in CONDITIONS}
#: The same without the factor ``lambda_theta`` in (81)-(83): what the proofs of (75), (76), (92) and (93) use.
MENDED = tuple(
    Condition(c.name, le(c.relation.lhs / p.lambda_theta, c.relation.rhs))
    if c.name in ("(81)", "(82)", "(83a)")
    else Condition(c.name, le(6 * p.tau * p.eta_theta**2 * p.G2, _R(1, 3)))
    if c.name == "(83b)"
    else c
    for c in ADMISSIBLE
)
WHERE = p.LYAPUNOV | p.SMOOTHNESS | p.SAMPLING

_HIGH = sp.Lt(p.q, 1, evaluate=False)
PENALTY = {p.c_t: p.c_0 * (p.t + 1) ** p.p}


def _steps(server: sp.Expr, client: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
    return {
        p.lambda_theta: server,
        p.lambda_x: p.c_theta * p.lambda_theta,
        p.lambda_y: p.c_theta * p.lambda_theta,
        p.eta_theta: client,
        p.eta_x: client,
        p.eta_y: client,
        **PENALTY,
    }


#: The same for n >= 2; one client takes part in every round, where (n - P)/(n - 1) and (P - 1)/(n - 1) are 0/0.
_WHERE = {**WHERE, p.A_P: p.n / p.P * (1 - p.B_P), p.B_P: (p.n - p.P) / sp.Max(1, p.n - 1)}
_RANGE = (sp.Gt(p.p, 0, evaluate=False), sp.Lt(p.gamma, 1 / (2 * p.L_2), evaluate=False))


def _runs(**more: Any) -> Runs:
    """A run starts with round 0, where the conditions are the strictest; the method follows the penalty."""
    return Runs(
        constants={p.n: "m"},
        parameters={p.P: "P", p.tau: "tau", p.gamma: "gamma", p.c_0: "c0", p.p: "p", p.q: "q"},
        rounds=p.T,
        start={p.t: sp.S.Zero},
        **more,
    )


_client = p.c_eta * p.tau ** _R(-7, 8) / sp.sqrt(p.P)
S_FIXED = Schedule(
    "S-fixed",
    "fixed steps (Theorem 3.4, Theorem D.11 (ii))",
    rules=_steps(p.c_lam * p.tau ** _R(1, 4) / sp.sqrt(p.T), _client * p.T ** _R(-1, 4)),
    parameters=(*_RANGE, sp.Lt(p.p, _R(1, 4), evaluate=False)),
    conditions=ADMISSIBLE,
    where=_WHERE,
    runs=_runs(),
)
S_DEC = Schedule(
    "S-dec",
    "decreasing steps (Theorem C.1, Theorem D.11 (i))",
    rules=_steps(p.c_lam * p.tau ** _R(1, 4) * (p.t + 1) ** -p.q, _client * (p.t + 1) ** _R(-1, 4)),
    parameters=(*_RANGE, sp.Gt(p.q, _R(1, 2), evaluate=False), _HIGH, sp.Lt(p.p, (1 - p.q) / 2, evaluate=False)),
    conditions=ADMISSIBLE,
    where=_WHERE,
    runs=_runs(rules={p.q_e: _R(1, 4)}),
)
SCHEDULES: tuple[Schedule, ...] = (S_FIXED, S_DEC)


def lyapunov(L_2: float, gamma: float) -> dict[str, float]:
    """``rho``, ``L_theta``, ``K`` and ``c_theta`` of Lemma D.8 at given constants.

    Raises:
        ValueError: ``gamma`` is not in ``(0, 1/(2 L_2))``.
    """
    if not 0 < gamma * L_2 < 0.5:
        raise ValueError(f"gamma should be in (0, 1/(2 L_2)) = (0, {1 / (2 * L_2):g}), got {gamma:g}")
    at = {p.L_2: sp.Float(L_2), p.gamma: sp.Float(gamma)}
    return {str(s): float(expanded(s).subs(at)) for s in (p.rho, p.L_theta, p.K, p.c_theta)}


def expanded(expr: sp.Expr) -> sp.Expr:
    """An expression with the constants of Lemma D.8 written out."""
    for _ in range(len(WHERE)):
        expr = expr.xreplace(dict(WHERE))
    return expr


def largest_steps(values: Mapping[sp.Symbol, float]) -> tuple[float, float]:
    """The largest server step ``lambda_theta`` and client step ``eta_theta`` under the mended conditions of Lemma D.8.

    Both are positive for all constants with ``gamma < 1/(2 L_2)``, so the conditions can be met.

    Args:
        values: numbers for ``L_1``, ``L_2``, ``gamma``, ``c_t``, ``n``, ``P``, ``beta_max`` and ``tau``.

    Raises:
        ValueError: ``gamma`` is out of its range, or ``P > n``.
    """
    lyapunov(values[p.L_2], values[p.gamma])
    if values[p.P] > values[p.n]:
        raise ValueError(f"P should be at most n = {values[p.n]:g}, got P = {values[p.P]:g}")
    at = {s: sp.Float(v) for s, v in values.items()}
    caps: dict[sp.Symbol, list[float]] = {p.lambda_theta: [], p.eta_theta: []}
    for condition in MENDED:
        if isinstance(condition.relation, sp.Eq):
            continue
        left, right = (expanded(side).subs(at) for side in condition.relation.args)
        for step, power in ((p.lambda_theta, 1), (p.eta_theta, 2)):
            if step in left.free_symbols and (slope := left.coeff(step, power)) > 0:
                caps[step].append(float((right / slope) ** _R(1, power)))
    return min(caps[p.lambda_theta]), min(caps[p.eta_theta])
