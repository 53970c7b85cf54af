"""Proof steps, thresholds, remarks and identities: symbolic checks, and explicit numbers where they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.strfedavg.notation import (
    B2,
    SC16,
    Theta_R,
    env_l1_y,
    env_lsp,
    eps_lsp,
    grad_env_l1_y,
    grad_env_lsp,
    mu_l1,
    mu_lsp,
    prox_lsp,
    theta,
    u,
)
from rateproof.theory.shorthand import eq
from rateproof.theory.symbols import (
    C_O,
    L_f,
    L_h,
    R,
    T,
    a,
    b,
    eta,
    mu_f,
    p,
    r,
    units,
)
from rateproof.theory.units import clashes
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, premises
from rateproof.verify.deciders.certificates import argue, certify, guarded, identity, when
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.papers.strfedavg import combinations
from rateproof.verify.papers.strfedavg.instances import TWO, Setting, build, constants, diagonal
from rateproof.verify.trial import Trial

VALUES = "explicit numbers"


def from_values(claim: Claim, values: Mapping[str, float], label: str, *, detail: str = "") -> Evidence:
    """Evaluate a claim at explicit numbers."""
    trial = Trial.exact(label=label, values=values, facts={}, at=dict(values))
    return bounds.decide(claim, [trial], method=VALUES, detail=detail)


def check_combination(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A claim with a proof by a nonnegative combination."""
    yield argue(claim, combinations.STEPS[claim.item])


# --- thresholds on R -------------------------------------------------------------------------------------------------

X, c = sp.symbols("X c", positive=True)  # (mu_f R)^a and 1 + B^2


@guarded
def check_threshold_sc(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Theorem 1's threshold: (mu_f R)^a >= 16 L^2 (1+B^2), from its two parts and ln R <= R^q/(e q)."""
    q = (a + 2 * b) / 4
    base = 32 * sp.sqrt(c) * p * L_f / (sp.E * (a + 2 * b) * mu_f ** ((a + 2 * b) / 2))
    # the second part says R^((a+2b)/2) >= base^2; with ln R <= R^q/(e q) this bounds 64 c eta^2 L_f^2 by X
    bounded = 64 * c * p**2 * L_f**2 * (R**q / (sp.E * q)) ** 2 * (mu_f * R) ** (-2 * b)
    needed = (mu_f * R) ** a * base**2 / R ** ((a + 2 * b) / 2)
    yield when(
        {
            **_threshold_parts(
                claim, "R_threshold", {(64 * c * L_h**2) ** (1 / a) / mu_f, base ** (4 / (a + 2 * b))}, (mu_f * R) ** a
            ),
            "mu_f > 0 and R >= 1, so that ln R >= 0": premises.implied(claim, sp.Gt(mu_f, 0), sp.Ge(R, 1)),
            "ln R <= R^q/(e q)": log_below_power(),
            "second part bounds 64 (1+B^2) eta^2 L_f^2": _same(bounded, needed),
        },
        "X = (mu_f R)^a; part one gives X >= 64 (1+B^2) L_h^2; part two with ln R <= R^q/(e q), q = (a+2b)/4, gives "
        "X >= 64 (1+B^2) eta^2 L_f^2; and 16 (L_h + eta L_f)^2 <= 32 L_h^2 + 32 eta^2 L_f^2",
    )


@guarded
def check_threshold_c(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Theorem 2's threshold: R^a >= 16 L^2 (1+B^2), from its two parts."""
    parts = {(64 * c * L_h**2) ** (1 / a), (64 * c * L_f**2) ** (1 / (a + 2 * b))}
    yield when(
        _threshold_parts(claim, "R_threshold_c", parts, R**a),
        "part one gives R^a >= 64 (1+B^2) L_h^2, part two R^a >= 64 (1+B^2) L_f^2 R^(-2b) = 64 (1+B^2) eta^2 L_f^2, "
        "and 16 (L_h + eta L_f)^2 <= 32 L_h^2 + 32 eta^2 L_f^2",
    )


def _threshold_parts(claim: Claim, key: str, parts: set[sp.Expr], rate: sp.Expr) -> dict[str, bool]:
    """The threshold is the maximum of ``parts``, and the statement says rate >= 16 (L_h + eta L_f)^2 (1 + B^2)."""
    threshold = premises.relation(claim, key)
    printed = [sp.simplify(part.subs(B2, c - 1)) for part in threshold.rhs.args]
    rule = claim.schedule.rules.get(eta, eta) if claim.schedule else eta
    needed = 16 * (L_h + rule * L_f) ** 2 * (1 + claim.expand(B2))
    relation = premises.statement(claim, "<=")
    return {
        "R is at least the threshold": threshold.rel_op == ">=" and threshold.lhs == R and threshold.rhs.func is sp.Max,
        "the threshold is the printed one": all(any(_same(x, y) for y in printed) for x in parts) and len(printed) == 2,
        "the statement is the step condition": _same(relation.rhs / relation.lhs, rate / needed),
        "(x + y)^2 = 2x^2 + 2y^2 - (x - y)^2": _halves(),
    }


def _same(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two positive expressions are equal, up to rules for powers of positive numbers."""
    return right != 0 and bool(sp.simplify(sp.powsimp(sp.expand_power_base(left / right, force=True), force=True)) == 1)


def _halves() -> bool:
    """X - 16 c (L_h + eta L_f)^2 is half of each part plus a square."""
    part_h, part_f = X - 64 * c * L_h**2, X - 64 * c * eta**2 * L_f**2
    return identity(X - 16 * c * (L_h + eta * L_f) ** 2, part_h / 2 + part_f / 2 + 16 * c * (L_h - eta * L_f) ** 2)


def log_below_power() -> bool:
    """e^w >= e w for all w (w = q ln R): value and slope of e^w - e w vanish at 1, and it is convex."""
    w = sp.Symbol("w", real=True)
    gap = sp.exp(w) - sp.E * w
    return gap.subs(w, 1) == 0 and sp.diff(gap, w).subs(w, 1) == 0 and bool(sp.diff(gap, w, 2).is_positive)


# --- geometric sums and the schedule's substitution ------------------------------------------------------------------


CLOSED_SUM = (theta ** (R + 1) - theta) / (theta - 1)


@guarded
def check_geometric_sum(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """sum theta^r = (theta^{R+1} - theta)/(theta - 1), by induction on R."""
    relation = premises.statement(claim, "==")
    yield certify(
        claim,
        {
            "theta > 1": theta_above_1(claim),
            "the left side is the sum of theta^r, r = 1..R": _sums_powers(claim, relation.lhs),
            "the right side is the closed form": identity(relation.rhs, CLOSED_SUM),
            "R = 1": identity(CLOSED_SUM.subs(R, 1), theta),
            "R -> R + 1": identity(CLOSED_SUM.subs(R, R + 1) - CLOSED_SUM, theta ** (R + 1)),
        },
        "induction on R: the closed form is theta at R = 1 and grows by theta^(R+1)",
    )


def _sums_powers(claim: Claim, side: sp.Expr) -> bool:
    return claim.where.get(side) == sp.Sum(theta**r, (r, 1, R))


def theta_above_1(claim: Claim) -> bool:
    """Whether theta, as the claim defines it, is above 1: the hypotheses put 1/theta between 0 and 1."""
    if theta not in claim.where:
        return False
    inverse = sp.simplify(1 / claim.where[theta])
    return premises.implied(claim, sp.Gt(inverse, 0, evaluate=False), sp.Lt(inverse, 1, evaluate=False))


@guarded
def check_theta_identity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An identity between theta, eta gamma_t and the sum of the weights, theta as the claim defines it."""
    relation = premises.statement(claim, "==")
    ok = {"theta > 1": theta_above_1(claim)}
    ok |= {"Theta_R is the sum of theta^r": Theta_R not in relation.free_symbols or _sums_powers(claim, Theta_R)}
    defined = claim.where.get(theta, theta)
    left, right = (side.subs(Theta_R, CLOSED_SUM).subs(theta, defined) for side in relation.args)
    ok[str(relation)] = bool(sp.simplify(left - right) == 0) or _same(left, right)
    yield certify(claim, ok, "with the closed sum of step 1 and the definition of theta")


@guarded
def check_identity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Equalities that hold after inserting definitions."""
    ok = {}
    for relation in conjuncts(claim.statement):
        sides = [claim.expand(side) for side in relation.args]
        ok[str(relation)] = relation.rel_op == "==" and _same(*sides)
        signs = {s for side in sides for s in side.free_symbols if not s.is_positive}
        ok |= {f"{s} > 0": premises.implied(claim, sp.Gt(s, 0, evaluate=False)) for s in signs}
        if any(side.has(sp.Sum) for side in relation.args):
            ok["theta > 1, so that the sum is positive"] = theta_above_1(claim)
    yield certify(
        claim,
        ok,
        "both sides are identical after inserting the definitions",
    )


def check_theta_schedule(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """1/theta = 1 - p ln R/(2R) needs a + b = 1; elsewhere in the printed range it is another number."""
    for a_, b_ in ((1.0, 0.5), (0.5, 0.25), (2 / 3, 1 / 3)):
        values = {"a": a_, "b": b_, "p": 1.0, "mu_f": 1.0, "R": 100.0}
        detail = "holds exactly when (mu_f R)^(1-a-b) = 1, that is for a + b = 1 (or mu_f R = 1)"
        evidence = from_values(claim, values, f"a = {a_:g}, b = {b_:g}, p = 1, mu_f = 1, R = 100", detail=detail)
        yield evidence
        if evidence.finding is Finding.VIOLATION:
            break
    for name, reading in claim.readings():
        where = {symbol: rule.subs(b, 1 - a) for symbol, rule in reading.where.items()}
        sides = (side.subs(b, 1 - a) for side in premises.statement(reading, "==").args)
        for evidence in check_identity(replace(reading, statement=eq(*sides), where=where), budget):
            yield replace(evidence, reading=name)


@guarded
def check_power_bound(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """(1-w)^{-R} >= R^{p/2} with w = p ln R/(2R): -ln(1-w) >= w where 0 < w < 1."""
    share = p * sp.log(R) / (2 * R)
    if not premises.implied(claim, sp.Gt(share, 0, evaluate=False), sp.Lt(share, 1, evaluate=False)):
        detail = "p ln(R)/(2R) = 1.83 > 1 makes the base negative; Theorem 1 admits it when the curvatures are small"
        yield from_values(claim, {"p": 10.0, "R": 3.0}, "p = 10, R = 3", detail=detail)
        for name, reading in claim.readings():
            yield from (replace(evidence, reading=name) for evidence in check_power_bound(reading, budget))
        return
    w = sp.Symbol("w", positive=True)
    gap = -sp.log(1 - w) - w
    relation = premises.statement(claim, ">=")
    base, power = relation.lhs.as_base_exp()
    yield when(
        {
            "the statement is (1-w)^(-R) >= R^(p/2)": identity(base, 1 - share) and power == -R,
            "R w = (p/2) ln R": identity(R * share, sp.log(R ** (p / 2)).expand(force=True)),
            "-ln(1-w) >= w": gap.subs(w, 0) == 0 and identity(sp.diff(gap, w), w / (1 - w)),
            "right side": identity(relation.rhs, R ** (p / 2)),
        },
        "-ln(1-w) - w vanishes at 0 and has slope w/(1-w) > 0 on (0, 1); R w = (p/2) ln R",
    )


def check_weights(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The printed weights sum to Theta_R / Theta_{R-1} > 1."""
    values = {"theta": 2.0, "R": 3, "Theta_R": 14.0, "eta": 1.0, "mu_f": 1.0, "gamma_t": 1.0}
    detail = "theta = 2 and R = 3: (2 + 4 + 8)/(2 + 4) = 7/3; the sum is 1 with sum_{1}^{R} below"
    yield from_values(claim, values, "eta mu_f gamma_t = 1, so theta = 2; R = 3", detail=detail)


def check_factor(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The unrolled recursion allows three times the printed bound."""
    values = {"theta": 2.0, "R": 3, "Theta_R": 14.0, "eta": 1.0, "mu_f": 1.0, "gamma_t": 1.0, "A1": 0.0, "A2": 0.0}
    values |= {"D2": 14.0, "Dlast2": 0.0, "gap_w": 3.0}
    detail = (
        "the recursion has gap coefficient gamma_t/3, so its unrolling allows gap = 3 D^2/(gamma_t Theta_R); printed: 1"
    )
    yield from_values(claim, values, "theta = 2, R = 3, no noise, D^2 = 14, last distance 0", detail=detail)


# --- remarks ---------------------------------------------------------------------------------------------------------


@guarded
def check_remark2(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Largest exponents at the exponents of Remark 2."""
    ok = {str(r): r.rel_op == "==" and identity(r.lhs.doit(), r.rhs) for r in conjuncts(claim.statement)}
    yield certify(claim, ok, "largest exponents of 1/epsilon at (2/3, 1/3) and (1/2, 1/4), in rationals")


@guarded
def check_remark4(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """sum_{t<T} t = T(T-1)/2."""
    relation = premises.statement(claim, "<=")
    total = relation.lhs.doit()
    ok = {
        "sum": identity(total, T * (T - 1) / 2),
        "T^2/2 - sum = T/2 > 0": identity(T**2 / 2 - total, T / 2),
        "stated": identity(relation.rhs / C_O, T**2),
    }
    yield certify(claim, ok, "the sum is T(T-1)/2 <= T^2/2")


def check_remark5(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Prose."""
    yield Evidence(
        Finding.NO_CHECK,
        Level.CERTIFICATE,
        "none",
        "prose about how eta was chosen; its content is in the schedules and in Theorems 1 and 2",
    )


def check_remark6(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """kappa occurs in no rule of the schedule that the claim is about; there is no formula besides."""
    rules = claim.schedule.rules if claim.schedule and claim.statement is None else {}
    free = {str(s): sorted(map(str, e.free_symbols)) for s, e in rules.items()}
    ok = {f"{s} does not use kappa": "kappa" not in names for s, names in free.items()}
    used = sorted({n for names in free.values() for n in names})
    yield when(ok, f"no symbols stand in the rules of Algorithm 2 but {', '.join(used)}")


# --- identities ------------------------------------------------------------------------------------------------------


def _distance_trial(lam: float) -> Trial:
    """The smoothed indicator of X_h* at a point at distance one, by minimisation and differences."""
    from scipy.optimize import minimize_scalar

    problem = build(Setting(params=diagonal((0.0,), ((0.0, 0.0),))))
    y = np.array([1.0, 2.0])

    def distance(z: np.ndarray) -> float:
        return float(np.linalg.norm(z - problem.project(z[None])[0]))

    envelope = minimize_scalar(lambda s: ((y[0]) ** 2 + (y[1] - s) ** 2) / (2 * lam)).fun
    step = 1e-5 * np.array([1.0, 0.0])
    slope = (distance(y + step) ** 2 - distance(y - step) ** 2) / (2e-5 * lam)
    values = {"lam": lam, "dist_y": distance(y), "ind_env": float(envelope), "grad_penalty": slope}
    return Trial(
        label=f"h = x_1^2/2, y = (1, 2), lambda = {lam:g}",
        values=values,
        facts=problem.facts(),
        level=Level.FLOAT,
        at={"y": y.tolist(), "lambda": lam},
    )


def check_smoothed_indicator(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Both halves of id.Flam on an instance."""
    detail = (
        "the envelope is dist^2/(2 lambda) with gradient (y - Π[y])/lambda; "
        "dist^2/lambda has gradient 2 (y - Π[y])/lambda"
    )
    yield bounds.decide(claim, [_distance_trial(1.0), _distance_trial(0.1)], method="numbers", detail=detail)


@guarded
def check_eta_hat(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """max over R of p ln R/(mu_f R)^b: value at R = e^{1/b}, and ln R <= R^b/(e b) everywhere."""
    rate = p * sp.log(R) / (mu_f * R) ** b
    equality, upper = _value_and_bound(claim)
    ratio = sp.simplify(upper.lhs / upper.rhs) if upper.rhs != 0 else sp.oo
    yield when(
        {
            "mu_f > 0": premises.implied(claim, sp.Gt(mu_f, 0)),
            "value at e^(1/b)": _same(equality.rhs, rate.subs(R, sp.exp(1 / b)))
            and identity(claim.expand(equality.lhs), equality.rhs),
            "the rate is at most the value": _same(upper.lhs, rate) and identity(upper.rhs, equality.rhs),
            "ratio is e b ln(R)/R^b": identity(ratio, sp.E * b * sp.log(R) / R**b),
            "ln R <= R^b/(e b)": log_below_power(),
        },
        "attained at R = e^(1/b); e w <= e^w with w = b ln R gives the bound for every R",
    )


def _value_and_bound(claim: Claim) -> tuple[sp.Rel, sp.Rel]:
    """The equation of a statement and its upper bound; a ValueError when it has another form."""
    relations = sorted(conjuncts(claim.statement), key=lambda r: str(r.rel_op), reverse=True)
    if [r.rel_op for r in relations] != ["==", "<="]:
        raise ValueError(f"the proof is for a value and an upper bound, not for {claim.statement}")
    return relations[0], relations[1]


def check_number(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A claim that is an equation between two numbers."""
    shown = ", ".join(f"{claim.expand(r.lhs)} = {float(claim.expand(r.lhs)):.6g}" for r in conjuncts(claim.statement))
    yield from_values(claim, {}, "no free parameter", detail=f"{shown}, against {_numbers(claim)}")


def _numbers(claim: Claim) -> str:
    return ", ".join(f"{float(claim.expand(r.rhs)):.6g}" for r in conjuncts(claim.statement))


def check_printed_huber(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """min over y of |u| + (u-y)^2/(2 mu) is |u|, at y = u."""
    values = {"u": 0.5, "mu_l1": 1.0, "env_l1": 0.5, "grad_env_l1": 1.0}
    detail = (
        "the printed minimand does not depend on y but through (u - y)^2, so its minimum is |u|; Huber is u^2/2 = 1/8"
    )
    yield from_values(claim, values, "u = 1/2, mu = 1", detail=detail)


@guarded
def check_huber(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The Moreau envelope of |.| is Huber's function: optimality of the prox in both regions (|.| is even)."""
    stated = _equations(claim, env_l1_y, grad_env_l1_y)
    slope, value_everywhere = stated[grad_env_l1_y], stated[env_l1_y]
    (near, edge), (far, _) = branches(value_everywhere)
    s = sp.Symbol("s", positive=True)
    ok = {
        "regions meet at |u| = mu": (edge.lts, edge.gts) == (sp.Abs(u), mu_l1),
        "the value is even, the slope odd": all(identity(part.subs(u, -u), part) for part in (near, far))
        and identity(slope.subs(u, -u), -slope),
    }
    for name, value, point, prox in (("|u| <= mu", near, mu_l1 * s / (1 + s), 0), ("u > mu", far, mu_l1 + s, s)):
        force = sp.simplify((point - prox) / mu_l1)
        # 0 is optimal when |u|/mu <= 1; a positive prox when the force equals the slope 1 of |.|
        ok[f"prox for {name}"] = force == 1 if prox else bool(sp.simplify(1 - force).is_positive)
        ok[f"value for {name}"] = identity(value.subs(u, point), prox + (point - prox) ** 2 / (2 * mu_l1))
        ok[f"slope for {name}"] = identity(slope.subs(u, point).replace(sp.Max, _larger), force)
    yield when(ok, "the prox satisfies the optimality condition in both regions, and value and slope agree (even in u)")


def _equations(claim: Claim, *symbols: sp.Symbol) -> dict[sp.Expr, sp.Expr]:
    """The right sides of a statement that is one equation for each symbol; a ValueError when it has another form."""
    equations = conjuncts(claim.statement)
    stated = {r.lhs: r.rhs for r in equations if r.rel_op == "=="}
    if len(equations) != len(symbols) or stated.keys() != set(symbols):
        raise ValueError(f"the proof is for equations for {', '.join(map(str, symbols))}, not for {claim.statement}")
    return stated


def branches(expr: sp.Expr) -> tuple[tuple[sp.Expr, sp.Rel], tuple[sp.Expr, sp.Basic]]:
    """The two branches of an expression, the first with its condition; a ValueError when it has no two."""
    if not isinstance(expr, sp.Piecewise) or len(expr.args) != 2 or not isinstance(expr.args[0][1], sp.Rel):
        raise ValueError(f"the proof is for two branches, not for {expr}")
    return tuple(expr.args[0]), tuple(expr.args[1])


def _larger(first: sp.Expr, second: sp.Expr) -> sp.Expr:
    return second if sp.simplify(second - first).is_positive else first


@guarded
def check_log_sum(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The prox of the log-sum penalty for sqrt(mu) <= epsilon, by its optimality condition on y >= 0 (even in u)."""
    y, point = sp.symbols("y u", positive=True)
    cost = sp.log(1 + y / eps_lsp) + (point - y) ** 2 / (2 * mu_lsp)
    slope, bend = sp.diff(cost, y), sp.diff(cost, y, 2)
    root = (point - eps_lsp + sp.sqrt((point + eps_lsp) ** 2 - 4 * mu_lsp)) / 2
    stated = _equations(claim, prox_lsp, env_lsp, grad_env_lsp)
    (near, edge), (far, _) = branches(stated[prox_lsp])
    rise = sp.Symbol("r", nonnegative=True)  # mu = eps^2/(1 + r) covers sqrt(mu) <= eps
    scaled_bend = bend.subs(mu_lsp, eps_lsp**2 / (1 + rise)) * eps_lsp**2 * (y + eps_lsp) ** 2
    at_prox = {u: point, prox_lsp: y}
    mirrored = {u: -u, prox_lsp: -prox_lsp}
    yield when(
        {
            "sqrt(mu) <= epsilon": premises.implied(claim, sp.Le(sp.sqrt(mu_lsp), eps_lsp, evaluate=False)),
            "the envelope is even, prox and gradient odd": identity(far.subs(u, -u), -far)
            and identity(stated[env_lsp].subs(mirrored, simultaneous=True), stated[env_lsp])
            and identity(stated[grad_env_lsp].subs(mirrored, simultaneous=True), -stated[grad_env_lsp]),
            "printed prox": near == 0 and identity(far.subs(u, point), root),
            "printed threshold": (edge.lts, edge.gts) == (sp.Abs(u), mu_lsp / eps_lsp),
            "slope vanishes at the prox": identity(sp.simplify(slope.subs(y, root)), sp.S.Zero),
            "slope at 0 is 1/eps - u/mu": identity(slope.subs(y, 0), 1 / eps_lsp - point / mu_lsp),
            "convex for y >= 0": bool(sp.expand(sp.simplify(scaled_bend)).is_nonnegative),
            "printed envelope": identity(stated[env_lsp].subs(at_prox), cost),
            "printed gradient": identity(stated[grad_env_lsp].subs(at_prox), sp.diff(cost, point)),
        },
        "for mu <= eps^2 the cost is convex on y >= 0 with slope 1/eps - u/mu at 0, and its slope vanishes at the "
        "printed prox when u > mu/eps; the envelope theorem gives the gradient",
    )


def check_eq13(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Weak sharpness with alpha outside the root: h = 4 x_1^2 at distance 1."""
    problem = build(Setting(params=diagonal((0.0,), ((0.0, 0.0),), L_h=8.0)))
    values = constants(problem) | {"gap_h": 4.0, "E_dist": 1.0}
    trial = Trial.exact(
        "h = 4 x_1^2 (alpha = 4, kappa = 2) at x = (1, 0)", values, problem.facts(), at={"x": [1.0, 0.0]}
    )
    yield bounds.decide(
        claim, [trial], method="numbers", detail="1/alpha should stand inside the root; true for alpha <= 1"
    )


def check_homogeneous(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The step condition in other units: a step at its cap breaks it once both losses are measured in other units."""
    (relation,) = conjuncts(claim.statement)
    unlike = clashes(claim.expand(relation), units(claim.paper))
    problem = build(Setting(params=TWO))
    k = constants(problem) | {"eta": 1.0, "K": 1.0, "gamma_g": 1.0}
    (condition,) = conjuncts(SC16.relation)
    level = claim.expand(condition.rhs)
    cap = float(level.subs({s: k[str(s)] for s in level.free_symbols}))
    trials = []
    for s in (1.0, 1e3):
        values = k | {"gamma_l": cap, "rescale": s}
        trials.append(
            Trial.exact(f"two clients, both losses times {s:g}, stepsize divided by it", values, {}, at=values)
        )
    said = f"; terms of unlike units are added or compared in {len(unlike)} places" if unlike else ""
    yield bounds.decide(claim, trials, method="units", detail=f"the same run in other units{said}")
    if claim.kind_reading:
        yield bounds.decide(claim.read_kindly(), trials, method="units", reading=claim.kind_reading)


Checks = Mapping[str, Callable[[Claim, Budget], Iterable[Evidence]]]
CHECKS: Checks = {
    **dict.fromkeys(combinations.STEPS, check_combination),
    "thm1.Rcond": check_threshold_sc,
    "thm2.Rcond": check_threshold_c,
    "step.1.sum": check_geometric_sum,
    "step.1.product": check_theta_identity,
    "step.1.coefficient": check_theta_identity,
    "step.2.equality": check_theta_schedule,
    "step.2.inequality": check_power_bound,
    "step.2.inequality.corrected": check_power_bound,
    "step.4.weights": check_weights,
    "step.4.factor": check_factor,
    "step.13.general": check_theta_schedule,
    "step.13.general.corrected": check_identity,
    "step.13.ip": check_identity,
    "step.14": check_homogeneous,
    "rem2": check_remark2,
    "rem4": check_remark4,
    "rem5": check_remark5,
    "rem6": check_remark6,
    "id.Flam.envelope": check_smoothed_indicator,
    "id.Flam.gradient": check_smoothed_indicator,
    "id.etahat.formula": check_eta_hat,
    "id.etahat.eleven": check_number,
    "id.etahat.six_over_e": check_number,
    "id.huber": check_printed_huber,
    "id.huber.corrected": check_huber,
    "id.lsp": check_log_sum,
    "id.ws-dist.eq13": check_eq13,
}
