"""Checks of the three cases and of Table 2: orders of rounds, and Local SGD on quadratics in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.asymptotics import total
from rateproof.theory.asymptotics.monomial import Monomial
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.bilevel.cases import A_FULL, CALL_ROUNDS, LISTED, R_whole_low
from rateproof.theory.papers.fedrzo.bilevel.notation import H_low, T_low, a_low, r_up
from rateproof.theory.papers.fedrzo.notation import m, rounds
from rateproof.theory.shorthand import eq, every, le
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, certificates, growth, machine
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.machine import Form, Proof, Step
from rateproof.verify.deciders.premises import need_as_is
from rateproof.verify.deciders.readings import read_kindly
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.bilevel.exponents import same, unlike
from rateproof.verify.papers.fedrzo.bilevel.rounds import VALUES
from rateproof.verify.papers.fedrzo.bilevel.unfold import bare
from rateproof.verify.trial import Trial

_INDEX, _HORIZON = sp.Dummy("t", positive=True), sp.Dummy("N", positive=True)


#: What a proof does whose hypotheses give the orders of all factors.
CITED = "arithmetic of cited results"


def check_total(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The orders of rounds that the hypotheses fix, against the stated ones."""
    fixed = {r.lhs: r.rhs for h in claim.hypotheses for r in conjuncts(h.relation) if isinstance(r, sp.Eq)}
    said = []
    for relation in conjuncts(claim.statement):
        order = _order_of(relation.lhs, fixed)
        stated = relation.rhs / C_O
        if order is None or relation.rel_op != "<=" or not same(order, stated):
            yield unlike(f"{relation.lhs} is of order {order}, stated is {stated}")
            return
        said.append(f"{relation.lhs} is of order {order}")
    if said:
        yield certificates.proved("; ".join(said), method=CITED)


def _order_of(count: sp.Expr, fixed: dict[sp.Expr, sp.Expr]) -> sp.Expr | None:
    """The order of a count in m and K, without numbers; a sum over rounds by the power that its terms have."""
    if count not in fixed:
        return None
    value = fixed[count]
    if value.has(sp.Sum):
        (whole,) = value.atoms(sp.Sum)
        if not (value / whole).is_Rational:
            return None
        term = sp.powdenest(sp.expand_power_base(whole.function.subs(r_up, r_up - 1), force=True), force=True)
        (order,) = total(sp.powdenest(sp.simplify(term.subs(r_up, _INDEX)), force=True), _INDEX, _HORIZON)
        (summed,) = order.terms
        value = _monomial(summed).subs(_HORIZON, rounds)
    for _ in range(3):
        value = value.xreplace({k: v for k, v in fixed.items() if k != count})
    numbers = [f for f in sp.Mul.make_args(value) if not f.free_symbols]
    return value / sp.Mul(*numbers)


def _monomial(monomial: Monomial) -> sp.Expr:
    return sp.Mul(*(v**e for v, e in monomial.powers.items()))


def check_call_rounds(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """ceil(T~/H~) <= m for H~ = ceil(T~/m), at many a_r, and in general as H~ >= T~/m."""
    trials = []
    for a in (2, 3, 5, 10, 101, 1000, 12345):
        for m_ in (1, 2, 4, 9, 100):
            if a < m_ + 1:
                continue
            T = 2 * a * math.log(a)
            steps = math.ceil(T / m_)
            values = {"a_low_bl": a, "m": m_, "T_low_bl": T, "H_low_bl": steps, "R_whole_low_bl": math.ceil(T / steps)}
            trials.append(Trial.exact(f"a = {a}, m = {m_}", {k: float(v) for k, v in values.items()}, {}))
    detail = "2 a ln a iterations in rounds of ceil(T~/m)"
    tried = bounds.decide(claim, trials, method=VALUES, detail=detail)
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield machine.prove(
            bare(claim), Proof(lambda _: _few_rounds(claim), "m is a whole number, so ceil(T~/H~) <= m")
        )
    for switch in claim.switches:
        exactly = every(*(eq(*r.args) for r in conjuncts(claim.statement)))
        read = replace(claim, statement=exactly)
        yield bounds.decide(read, trials, method=VALUES, detail=detail, reading=switch.reading)


def _few_rounds(claim: Claim) -> Iterator[Step]:
    ruled = [r for h in claim.hypotheses for r in conjuncts(h.relation)]
    if le(T_low / m, H_low) not in ruled:
        raise ValueError("the proof needs H~ >= T~/m")
    need_as_is(claim, CALL_ROUNDS)
    if conjuncts(claim.statement) != (le(R_whole_low, m),):
        raise ValueError(f"the proof is for R~ <= m, not for {claim.statement}")
    yield Form("T~/H~ <= m", le(T_low, m * H_low), (), (le(T_low / m, H_low),))


def listed_call(m_: int) -> Trial:
    """The first call of Algorithm 3 (r = 0) on a lower level with kappa_h = 1, for m >= 4 clients."""
    a = m_ + 1
    T = 2 * a * math.log(a)
    values = {"a_low_bl": a, "m": m_, "r_bl": 0, "T_low_bl": T, "H_low_bl": math.ceil(T / m_), "L_1h": 1, "mu_h": 1}
    return Trial.exact(f"m = {m_}, r = 0, kappa_h = 1", {k: float(v) for k, v in values.items()}, {})


def check_iterations(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Two schedules of one name: 2 a_r ln a_r against m^{-1}(r+1)^{2/3}, a limit from above, for all from below."""
    (relation,) = conjuncts(claim.statement)
    listed = 2 * a_low * sp.log(a_low)
    order = (r_up + 1) ** sp.Rational(2, 3) / m
    try:
        need_as_is(claim, LISTED, A_FULL)
    except ValueError as refusal:
        yield unlike(str(refusal))
        return
    if relation.lhs != T_low:
        yield unlike(f"{relation} is no bound on {T_low}")
    elif relation.rel_op == "<=":
        # r = 0 and m >= 4 kappa_h, so that a_r = m + 1
        ratio = (listed / relation.rhs.subs(C_O, 1)).subs(r_up, 0).subs(a_low, m + 1)
        if sp.limit(sp.simplify(ratio), m, sp.oo) == sp.oo:
            said = f"at r = 0 and m >= 4 kappa_h the listing makes {listed.subs(a_low, m + 1)} iterations"
            detail = f"{said}, {sp.simplify(ratio)} times the order of Theorem 1 (ii), which falls with m"
            yield growth.decide(claim, [Ladder("m", [listed_call(10**k) for k in range(1, 9)], detail)], method=VALUES)
    elif relation.rel_op == ">=":
        ok = {"the stated order": same(relation.rhs, order), "2 ln a >= 1 for a >= 2": bool(2 * sp.log(2) > 1)}
        yield certificates.when(ok, "a_r >= max{r + 1, 2} and m >= 1: 2 a_r ln a_r >= a_r >= (r+1)^{2/3}/m")


# --- Case 1: Local SGD on quadratics


def local_sgd(m_: int, r: int, *, sigma2: float = 1.0, start: float = 1.0, low: float | None = None) -> Trial:
    """``h~ = y^2/2 - zeta y`` with ``E zeta = 0``, ``E zeta^2 = sigma2``, from ``start``: E y^2 after T~ steps.

    Averaging rounds of a quadratic are one run of the mean with a noise of variance ``1/m``. With ``low`` the
    lower level is ``Y = [low, inf)``, which Algorithm 3 does not see.
    """
    kappa = 1.0
    a = max(m_, 4 * kappa, r) + 1
    T = 2 * a * math.log(a)
    steps = math.ceil(T)
    shrink = (1 - 1 / a) ** 2
    noise = sigma2 / (m_ * a * a) * (1 - shrink**steps) / (1 - shrink)
    square, mean = start**2 * shrink**steps + noise, start * (1 - 1 / a) ** steps
    error = square if low is None else square - 2 * low * mean + low**2
    values = {"eps_bl": error, "m": m_, "mu_h": 1.0, "a_low_bl": a, "T_low_bl": T, "r_bl": r, "L_1h": 1.0}
    values |= {"sigma2_low_bl": sigma2, "start2_low_bl": (start - (0.0 if low is None else max(low, 0.0))) ** 2}
    free = low is None
    facts = {
        "lower_level": Fact(True, "h = y^2/2, curvature 1"),
        "lower_sets": Fact(True, "Y = R" if free else f"Y = [{low:g}, inf)"),
        "lower_iid": Fact(True, "all clients have the same zeta"),
        "suitable": Fact(free, "y unconstrained, variance sigma^2" if free else "y is constrained"),
    }
    label = f"m = {m_}, r = {r}, sigma^2 = {sigma2:g}, y_0 = {start:g}" + ("" if free else f", Y = [{low:g}, inf)")
    return Trial.exact(label, {k: float(v) for k, v in values.items()}, facts, error=1e-9)


def check_accuracy(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The accuracy along r, m, the noise and the start; a constraint breaks it, or these two where not hidden."""
    by_r = Ladder("r", [local_sgd(2, 10**k) for k in range(8)], "T~ grows like r ln r")
    by_m = Ladder("m", [local_sgd(10**k, 1) for k in range(8)], "T~ grows like m ln m")
    walled = Ladder(
        "r",
        [local_sgd(2, 10**k, low=1.0) for k in range(8)],
        "h = y^2/2 on Y = [1, inf): Algorithm 3 does not project and tends to 0, while y(x) = 1",
    )
    by_noise = Ladder(
        "sigma^2",
        [local_sgd(10, 1000, sigma2=10.0**k) for k in range(8)],
        "a noise of variance sigma^2 leaves sigma^2/(2 a_r m) up to smaller terms",
    )
    by_start = Ladder("y_0", [local_sgd(10, 1, start=10.0**k) for k in range(8)], "what is left of y_0 is linear in it")
    ladders = [by_r, by_m, by_noise, by_start, walled]
    detail = "Local SGD on quadratics with common Hessians, where local steps and averages commute, in closed form"
    readings = {"": claim} | {s.reading: claim.read(s) for s in claim.switches}
    for reading, read in readings.items():
        yield growth.decide(read, ladders, method="closed form", detail=detail, reading=reading)


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.case1.accuracy": check_accuracy,
    "fedrzo.case1.iterations": read_kindly(check_iterations),
    "fedrzo.case1.iterations.corrected": check_iterations,
    "fedrzo.case1.rounds": check_call_rounds,
    "fedrzo.case1.total": check_total,
    "fedrzo.case2": check_total,
    "fedrzo.case3": check_total,
    "fedrzo.tab2.lsgd": check_total,
    "fedrzo.tab2.fedac": check_total,
    "fedrzo.tab2.lfd": check_total,
}
