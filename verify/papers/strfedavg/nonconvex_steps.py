"""Steps 10, 12 and 15: descent with inexact gradients, roots of sums, and Proposition 7 from Proposition 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory import gram
from rateproof.theory.claim import Claim, Reading
from rateproof.theory.papers.strfedavg.nonconvex import PENALTY
from rateproof.theory.papers.strfedavg.notation import (
    T0,
    D2_proj,
    E_err2,
    F_drop,
    F_gap0,
    F_next,
    F_prev,
    M_g,
    Theta_R,
    direction_gap,
    eta_g,
    gamma,
    lam,
    sq_err,
    sq_grad_F,
    sum_err2,
    sum_grad2,
    theta,
    w1,
    w2,
    w3,
    w4,
)
from rateproof.theory.papers.strfedavg.schedules import S_SC, S_SC_1
from rateproof.theory.symbols import L_f, R, T, a, b, gamma_t, kappa, p, r
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, machine, premises
from rateproof.verify.deciders.certificates import (
    Combination,
    Premise,
    certify,
    guarded,
    identity,
    prove,
    proved,
    unproved,
    when,
)
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.strfedavg import calls
from rateproof.verify.papers.strfedavg.combinations import ONE
from rateproof.verify.papers.strfedavg.instances import Setting
from rateproof.verify.trial import Trial, evaluate

VALUES = "explicit numbers"

# --- step 10 ---------------------------------------------------------------------------------------------------------

_g, _e = gram.vectors("g e")
_SMOOTHNESS = (L_f * lam + 2) / lam


def _descent_lemma() -> machine.Fact:
    """F(y+) <= F(y) + <g, y+ - y> + (L/2)||y+ - y||^2 along the step -gamma (g + e/lam)."""
    step = -gamma * (_g + _e / lam)
    bound = sp.Le(F_next, F_prev + gram.dot(_g, step) + _SMOOTHNESS / 2 * gram.norm2(step), evaluate=False)
    return machine.Fact(gram.Given("the descent lemma along the step", (bound,)), ("F_smooth", "update"))


_ONE_STEP = {sq_grad_F: gram.norm2(_g), sq_err: gram.norm2(_e)}
#: A sum over one step. What is linear in the sums holds for T steps when it holds for each.
_SUMMED = {sum_grad2: gram.norm2(_g), sum_err2: gram.norm2(_e), F_drop: F_prev - F_next}


@guarded
def check_descent(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An inequality for one outer step, or for the sum of T of them: on parabolas, and by quadratic forms."""
    detail = "F_lambda = (L/2) y^2 from f = (L_f/2) y^2 and h = x^2/2 on the line, L = L_f + 2/lambda"
    tried = bounds.decide(claim, parabolas(), method=VALUES, detail=detail)
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield _by_quadratic_form(claim)


def _by_quadratic_form(claim: Claim) -> Evidence:
    """A proof from the descent lemma, when there is one."""
    relation = premises.statement(claim, "<=")
    lhs, rhs = (claim.expand(side) for side in relation.args)
    relation = relation.func(lhs, rhs, evaluate=False)
    summed = bool(relation.free_symbols & {sum_grad2, sum_err2})
    goal = _per_step(relation) if summed else relation.xreplace(_ONE_STEP)
    if goal is None:
        return unproved("the inequality is not linear in the sums, so one step does not decide it")
    summing = "summed over t; F_lambda* <= F_lambda(y^T); each step: " if summed else ""
    step = machine.Form("the step", goal, given=(_descent_lemma(),), values=(F_prev, F_next))
    return machine.prove(claim, machine.Proof(lambda _: [step], f"{summing}descent lemma along the step"))


def _per_step(relation: sp.Rel) -> sp.Rel | None:
    """The inequality for one step whose sum over t, with F* <= F(y^T), is ``relation``; None when there is none."""
    lhs, rhs = (sp.expand(side * T if relation.has(T) else side) for side in relation.args)
    total = sp.expand(rhs - lhs).subs(F_gap0, F_drop)
    if not sp.diff(sp.expand(rhs - lhs), F_gap0).is_nonnegative:  # F* <= F(y^T) bounds F_drop from above
        return None
    parts = (sum_grad2, sum_err2, F_drop)
    linear = total.free_symbols.isdisjoint({T}) and all(sp.diff(total, x, y) == 0 for x in parts for y in parts)
    if not linear or total.subs(dict.fromkeys(parts, 0)) != 0:
        return None
    return sp.Ge(total.xreplace(_SUMMED), 0, evaluate=False)


def parabola(L_f_: float, lam_: float, s: float, errors: tuple[float, ...], young_: float = 2.0) -> Trial:
    """T steps from y = 1 on F = (L/2) y^2; s = gamma L, and e_t = errors[t] * lam * grad F(y^t)."""
    L = L_f_ + 2 / lam_
    gamma_ = s / L
    y = [1.0]
    e = []
    for share in errors:
        e.append(share * lam_ * L * y[-1])
        y.append(y[-1] - gamma_ * (L * y[-1] + e[-1] / lam_))
    values = {
        "L_f": L_f_,
        "lam": lam_,
        "gamma": gamma_,
        "young": young_,
        "T": len(errors),
        "F_prev": L / 2 * y[0] ** 2,
        "F_next": L / 2 * y[1] ** 2,
        "sq_grad_F": (L * y[0]) ** 2,
        "sq_err": e[0] ** 2,
        "sum_grad2": sum((L * v) ** 2 for v in y[:-1]),
        "sum_err2": sum(v**2 for v in e),
        "F_drop": L / 2 * (y[0] ** 2 - y[-1] ** 2),
        "F_gap0": L / 2 * y[0] ** 2,
    }
    facts = {
        "F_smooth": Fact(True, f"F_lambda'' = L_f + 2/lambda = {L:g}"),
        "update": Fact(True, "y^(t+1) is computed by it"),
    }
    shares = ", ".join(f"{x:g}" for x in errors)
    label = f"y = 1, L_f = {L_f_:g}, lambda = {lam_:g}, gamma L = {s:g}, e_t = ({shares}) lambda grad F"
    return Trial.exact(label, values, facts, at={"L_f": L_f_, "lam": lam_, "gamma": gamma_, "errors": list(errors)})


def parabolas() -> Iterator[Trial]:
    """Small and full steps without error, with errors that oppose or double the gradient, with little but error."""
    for L_f_, lam_ in ((2.0, 1.0), (8.0, 0.25), (0.0, 1.0), (1.0, 100.0), (0.0, 1e-2)):
        for s in (0.25, 0.125, 0.75, 0.5, 1e-3):
            for share in (0.0, -1.0, -0.5, 1.0, -(1 - s) / (1 + s)):
                for young_ in (2.0, 0.5, 1.0, 8.0):
                    yield parabola(L_f_, lam_, s, (share,), young_)
                yield parabola(L_f_, lam_, s, (share,) * 5)
        yield from (parabola(L_f_, lam_, s, (1e4,), 0.01) for s in (0.25, 10.0))
        yield parabola(L_f_, lam_, 0.125, (-1.0,) * 50)  # it stays where it is


@guarded
def check_condition(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A condition on gamma (L_f lambda + 2)/lambda."""
    relation = premises.statement(claim, "<=", ">=")
    yield machine.prove(claim, machine.Proof(lambda _: [machine.Form("the condition", relation, values=())]))
    trials = [
        Trial.exact(f"L_f = 0, lambda = 1, gamma = {g:g}", {"L_f": 0.0, "lam": 1.0, "gamma": g}, {}, at={"gamma": g})
        for g in (0.125, 0.375, 0.01)
    ]
    detail = "gamma (L_f lambda + 2)/lambda <= 3/4 makes the left side at least 1/2, not at most"
    yield bounds.decide(claim, trials, method=VALUES, detail=detail)


@guarded
def check_rewriting(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The step of Algorithm 2 against its rewriting: both are linear in grad f(y), y, Pi[y] and x."""
    mended = claim.reading is Reading.CORRECTED
    # the gradient of the printed dist^2/lambda is 2 (y - Pi[y])/lambda, whatever is printed
    gap = _rewritten_gap(pull=1, sign=-1) if mended else _rewritten_gap(pull=2, sign=1)
    relation = premises.statement(claim, "<=")
    lacking = premises.missing(claim, ("printed step", "envelope", "F_smooth"))
    if not gap.terms and not lacking and relation.args == (direction_gap, 0):
        yield proved("both steps have the same coefficients of grad f(y), y, Pi[y] and x", method=machine.FORM)
    yield _at_one(claim, gap)
    if PENALTY in claim.switches:
        yield replace(_at_one(claim, _rewritten_gap(pull=1, sign=1)), reading=PENALTY.reading)


def _rewritten_gap(*, pull: int, sign: int) -> gram.Vector:
    """The step's direction minus ``grad F + sign e/lambda``, where ``grad F = grad f + (pull/lambda)(y - Pi[y])``."""
    f, y, near, x = gram.vectors("f y P x")
    return f + (y - x) / lam - (f + pull * (y - near) / lam + sign * (x - near) / lam)


def _at_one(claim: Claim, gap: gram.Vector) -> Evidence:
    """The norm of the gap at f = 0, y = x = 1, Pi[y] = 0, lambda = 1."""
    at = {"y": 1, "x": 1}
    values = {"direction_gap": abs(float(sum(c.subs(lam, 1) * at.get(name, 0) for name, c in gap.terms)))}
    facts = {
        "printed step": Fact(True, "the step is computed by it"),
        "F_smooth": Fact(True, "F_lambda'' is at most L_f + 2"),
        "envelope": Fact(True, "F_lambda is taken so"),
    }
    trial = Trial.exact("f = 0, X_h* = {0}, lambda = 1, y = x = 1", values, facts, at={"y": 1, "x": 1, "lambda": 1})
    detail = f"the steps differ by {gap}" if gap.terms else ""
    return bounds.decide(claim, [trial], method=VALUES, detail=detail)


# --- step 12 ---------------------------------------------------------------------------------------------------------


@guarded
def check_subadditivity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """(sum w_i)^q <= sum w_i^q for q = 1/kappa <= 1."""
    relation = premises.statement(claim, "<=")
    q, terms = 1 / kappa, (w1, w2, w3, w4)
    yield when(
        {
            "left side is the root of the sum": relation.lhs == sp.Add(*terms) ** q,
            "right side is the sum of the roots": relation.rhs == sp.Add(*(w**q for w in terms)),
            "kappa >= 1": premises.implied(claim, sp.Ge(kappa, 1, evaluate=False)),
        },
        "with W the sum, w_i/W <= (w_i/W)^(1/kappa) as w_i/W is in [0, 1] and 1/kappa <= 1; the left sides add up to 1",
    )
    yield bounds.decide(claim, _weights(), method=VALUES)


def _weights() -> Iterator[Trial]:
    for order in (1.0, 2.0, 5.0):
        for sizes in ((1.0, 1.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0), (1e-9, 1.0, 1e9, 0.0)):
            values = {"kappa": order, **{f"w{i}": w for i, w in enumerate(sizes, 1)}}
            yield Trial.exact(f"kappa = {order:g}, w = {sizes}", values, {}, at=values)


@guarded
def check_factor(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """2 w^(1/kappa) against a root."""
    relation = premises.statement(claim, "<=")
    if sp.simplify(sp.powsimp(sp.expand_power_base(relation.lhs - relation.rhs, force=True), force=True)) == 0:
        yield certify(claim, {"both sides are equal": True}, "both sides are equal")
    trials = [t for t in _weights() if t.values["kappa"] > 1]
    yield bounds.decide(claim, trials, method=VALUES, detail="(2 w)^(1/kappa) = 2^(1/kappa) w^(1/kappa)")


# --- step 15 ---------------------------------------------------------------------------------------------------------


@guarded
def check_start(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Distances of the start from x_eta* and from x^{t*}, at the corners of the inner calls."""
    relation = premises.statement(claim, "<=")
    x, near, reg = gram.vectors("x P r")
    measured = {
        "D2": gram.norm2(x - reg),
        "D2_proj": gram.norm2(x - near),
        "shift2": gram.norm2(reg - near),
    }
    if other := sorted({str(s) for s in relation.free_symbols} - measured.keys()):
        raise ValueError(f"the proof is about distances between three points, not about {', '.join(other)}")
    goal = relation.xreplace({s: measured[str(s)] for s in relation.free_symbols})
    yield machine.prove(claim, machine.Proof(lambda _: [machine.Form("the distances", goal)], "in expectation"))
    trials = [*calls.corner_trials(), calls.opposite()]
    yield bounds.decide(claim, trials, method=calls.METHOD, detail="starts at x^{t*}, opposite to x_eta* and elsewhere")
    for name, reading in claim.readings():
        yield bounds.decide(reading, trials, method=calls.METHOD, reading=name)


def _premise(claim: Claim) -> sp.Rel:
    """The inequality for E_err2 among the hypotheses: what the proof starts from."""
    bounds_on = [r for r in premises.relations(claim) if r.lhs == E_err2 and r.rel_op == "<="]
    if len(bounds_on) != 1:
        raise ValueError("the argument starts from one upper bound on E_err2 among the hypotheses")
    return bounds_on[0]


@guarded
def check_display(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A display that repeats an inequality for the same quantity."""
    premises.statement(claim, "<=")
    premise = _premise(claim)
    detail = "with E||xbar - x^{t*}||^2 at the bound that is invoked"
    tried = bounds.decide(claim, _at_premise(claim, premise), method=VALUES, detail=detail)
    yield tried
    if tried.finding is not Finding.VIOLATION:
        invoked = Premise(premise.rhs - premise.lhs, "the proposition that is invoked")
        yield prove(claim, [Combination([(ONE, invoked)])])
    if claim.kind_reading:
        trials = [*calls.corner_trials(), calls.opposite()]
        yield bounds.decide(claim.read_kindly(), trials, method=calls.METHOD, reading=claim.kind_reading)


def _at_premise(claim: Claim, premise: sp.Rel) -> Iterator[Trial]:
    """Numbers of inner calls with the quantity on the left at its bound."""
    invoked = replace(claim, statement=premise, hypotheses=())
    for setting, slope in _settings():
        base = calls.trial(setting, slope)
        (side,) = evaluate(invoked, replace(base, values={**base.values, "E_err2": 0.0})).sides
        label = f"{base.label}, ||grad f(x^t*)|| = {slope:g}"
        # the inference is about numbers, whatever instance they are taken from
        yield replace(base, label=label, values={**base.values, "E_err2": side.rhs}, degenerate=False)


def _settings() -> Iterator[tuple[Setting, float]]:
    """Calls and ||grad f(x^{t*})||, which a constant regularisation is held against."""
    for L_h in (8.0, 0.1):
        beside = calls.projection(calls.BESIDE, L_h=L_h)
        for a_, b_, p_ in ((7 / 12, 5 / 12, 2.0), (1.0, 0.5, 2.0), (0.6, 0.4, 1.0), (0.5, 0.25, 2.0)):
            exponents = (("a", a_), ("b", b_), ("p", p_))
            here = Setting(params=beside, cap=S_SC.id, exponents=exponents, start=(1.0, 1.0), R=1e8)
            yield here, 100.0
        # from the solution, where only noise is left, under the root and beside it
        for slope in (100.0, 0.0):
            yield replace(here, noise_h=(1.0, 0.0), start=calls.ORIGIN), slope
    for eta_ in (0.01, 1.0):
        flat = calls.constant(calls.ORIGIN)
        by: dict[str, Any] = {"cap": S_SC_1.id, "eta": eta_, "exponents": (("p", 2.0),)}
        yield Setting(family="degenerate", params=flat, start=(1.0, 1.0), R=1e6, **by), 0.0


@guarded
def check_schedule(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The schedule put into a display: term by term, with 1/(eta gamma_t Theta) = (1/2)/(theta^R - 1)."""
    premise = _premise(claim)
    detail = "with E||xbar - x^{t*}||^2 at the display's bound"
    tried = bounds.decide(claim, _at_premise(claim, premise), method=VALUES, detail=detail)
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield _substituted(claim, premise)


def _substituted(claim: Claim, premise: sp.Rel) -> Evidence:
    """A proof when the display, at theta^R replaced by its lower bound, is the statement."""
    constant = premises.implied(claim, sp.Eq(gamma_t, p * sp.log(R) / R, evaluate=False))
    rules = {gamma_t: p * sp.log(R) / R} if constant else {gamma_t: R**-a, eta_g: p * sp.log(R) / R**b}
    facts = [sp.Eq(symbol, rule, evaluate=False) for symbol, rule in rules.items()]
    # theta > 1, ln R > 0, and R^{1-a-b} >= 1
    u = eta_g * gamma_t / 2
    facts += [sp.Gt(u, 0, evaluate=False), sp.Lt(u, 1, evaluate=False), sp.Gt(R, 1, evaluate=False)]
    facts += [] if constant else [sp.Le(a + b, 1, evaluate=False)]
    if unknown := [str(fact) for fact in facts if not premises.implied(claim, fact)]:
        return unproved(f"the argument uses {', '.join(unknown)}, which does not follow from the hypotheses")
    if claim.where.get(T0) != D2_proj / (Theta_R * gamma_t) or not _sums_to(claim, u):
        return unproved("the argument is for other definitions of T0, Theta_R or theta")
    # step 1 gives T0 = eta D^2/(2 (theta^R - 1)); -ln(1-u) >= u gives theta^R >= e^{uR}, u = eta gamma_t / 2
    exponent = eta_g * p / 2 if constant else p / 2
    power = R**exponent
    # u R over the logarithm of the power: 1, or R^{1-a-b}, which is at least 1 for a + b <= 1
    rate = sp.powsimp((u * R).subs(rules) / (exponent * sp.log(R)))
    display = premise.rhs.subs(T0, eta_g * D2_proj / (2 * (power - 1))).subs(rules)
    relation = premises.statement(claim, "<=")
    slope = sp.diff(premise.rhs, T0)
    slope = slope.subs({symbol: sp.Dummy(positive=True) for symbol in slope.free_symbols})
    return when(
        {
            "u R is at least the logarithm of the power": identity(rate, 1 if constant else R ** (1 - a - b)),
            "the display grows with T0": bool(slope.is_positive),
            "a bound on the same quantity": relation.lhs == premise.lhs,
            "term by term": _equal(display, relation.rhs),
        },
        "T0 = eta D^2/(2(theta^R - 1)) by step 1, and theta^R = (1-u)^{-R} >= e^{uR} with u = eta gamma_t/2; the rest "
        "is the schedule put in",
    )


def _sums_to(claim: Claim, u: sp.Expr) -> bool:
    """Whether the claim defines theta as 1/(1 - u) and Theta_R as the sum of its powers."""
    powers = sp.Sum(theta**r, (r, 1, R))
    return claim.where.get(Theta_R) == powers and identity(claim.where.get(theta, sp.S.One), 1 / (1 - u))


def _equal(left: sp.Expr, right: sp.Expr) -> bool:
    """Equal up to rules for powers of positive numbers; roots are compared by their radicands."""
    roots = [
        {part for part in side.atoms(sp.Pow) if part.exp == 1 / kappa and part.base.has(M_g)} for side in (left, right)
    ]
    if all(len(found) == 1 for found in roots):
        (mine,), (theirs,) = roots
        mark = sp.Dummy("root", positive=True)
        return _same(mine.base, theirs.base) and _same(left.xreplace({mine: mark}), right.xreplace({theirs: mark}))
    return _same(left, right)


def _same(left: sp.Expr, right: sp.Expr) -> bool:
    return bool(sp.simplify(sp.expand(sp.powsimp(sp.expand(left - right), force=True))) == 0)


Checks = Mapping[str, Callable[[Claim, Budget], Iterable[Evidence]]]
#: By printed items; a corrected claim has the check of what it amends.
CHECKS: Checks = {
    **{f"step.10.{item}": check_descent for item in ("expansion", "theta", "descent", "summed", "average")},
    "step.10.condition": check_condition,
    "step.10.update": check_rewriting,
    "step.12.subadditivity": check_subadditivity,
    "step.12.factor": check_factor,
    "step.15.start": check_start,
    **dict.fromkeys(("step.15.i-display", "step.15.ii-display"), check_display),
    **dict.fromkeys(("step.15.i-schedule", "step.15.ii-schedule"), check_schedule),
}
