"""Theorem 2 (i) and the accuracies of Algorithm 5: steps 15 and 17, Theorem 2 (iii-a) and (iii-b)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedrzo.notation import L_F, T_R, k_it, mu_F
from rateproof.theory.papers.fedrzo.twostage.notation import B_y, alpha_y, d_next2, d_now2, err_y, sum_eps, t_k, tau
from rateproof.theory.shorthand import ge, le
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import bounds, machine
from rateproof.verify.deciders.certificates import certify, identity, unproved, when
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, Total
from rateproof.verify.deciders.readings import read_kindly
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.fedrzo.twostage.common import STILL, facts_of, missing, redefined, refuted, steps_of
from rateproof.verify.papers.fedrzo.twostage.proofs import bound_on, fact
from rateproof.verify.trial import Trial

d, dG, after = vectors("d dG after")

# --- one step of Algorithm 5


def _contracts(factor: sp.Expr, keys: tuple[str, ...]) -> Form:
    """``||y_{t+1} - y*||^2 <= factor ||y_t - y*||^2``, with d = y_t - y* and dG = G(y_t) - G(y*)."""
    monotone: Fact = fact(
        "G is mu_F-strongly monotone and L_F-Lipschitz at the query",
        ge(dot(d, dG), mu_F * norm2(d)),
        le(norm2(dG), L_F**2 * norm2(d)),
        needs=keys,
    )
    nonexpansive = fact(
        "y* = P(y* - alpha G(y*)), and the projection on a convex set is nonexpansive",
        le(norm2(after), norm2(d - alpha_y * dG)),
        needs=("lower_sets_compact",),
    )
    return Form("contraction", le(norm2(after), factor * norm2(d)), (monotone, nonexpansive))


def check_contraction(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Step 17 at a query where Assumption 3.ii speaks."""

    def steps(copy: Claim) -> Iterable[Step]:
        yield _contracts(bound_on(copy, d_next2) / d_now2, ("monotone", "query_in_X"))

    yield machine.prove(claim, Proof(steps))


def check_best_step(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """1 - 2 alpha mu + alpha^2 L^2 minus its value at mu/L^2 is (alpha L - mu/L)^2."""
    ok = {}
    for relation in conjuncts(claim.statement):
        left, right = (claim.expand(side) for side in relation.args)
        gap = (alpha_y * L_F - mu_F / L_F) ** 2 if relation.rel_op == "<=" else sp.S.Zero
        ok[str(relation)] = relation.rel_op in ("<=", "==") and identity(right - left, gap)
    yield certify(claim, ok, "the difference is the square (alpha L_F - mu_F/L_F)^2")


# --- Theorem 2 (i)


def queries(count: int = 4) -> Iterator[Trial]:
    """Calls of Algorithm 5 at the query x + v = -1 outside X = [0, 1], where G = 8 y; G = y inside.

    With alpha = 1/4 a step is ``y <- y - 2 y``: the error does not shrink.
    """
    for t in range(1, count + 1):
        y = Fraction(1, 2)
        for _ in range(t):
            y = max(Fraction(-1), min(Fraction(1), y - Fraction(8, 4) * y))
        values = {"mu_F": 1.0, "L_F": 2.0, "alpha_2s": 0.25, "B_2s": 0.25, "t_2s": t, "err_2s": float(y * y)}
        said = STILL | {
            "monotone": "for x in X = [0, 1], G(x, y) = y",
            "B_call": "y(x) = 0 for every x, so |y(x) - y_0|^2 = 1/4",
            "implicit_lipschitz_2s": "the loss is 0, for which every L > 0 will do",
        }
        del said["monotone_queried"]
        yield Trial.exact(
            label=f"n = nt = m = 1, X = [0, 1], G = (1 + 7 dist(x, X)) y, Y = [-1, 1], y_0 = 1/2, query -1, t_k = {t}",
            values=values,
            facts=facts_of(said, monotone_queried="at the query -1, G = 8 y has L_F = 8"),
            at={"t": t, "query": -1},
        )


def rotations(steps: tuple[int, ...] = (0, 1, 2, 5, 20)) -> Iterator[Trial]:
    """G(y) = A y with A = [[mu, -s], [s, mu]] over a ball that holds the path: the bound is attained."""
    for mu, s in ((3, 4), (1, 0), (5, 12), (1, 3)):
        L2 = mu * mu + s * s
        for t in steps:
            x, y = Fraction(1), Fraction(0)
            for _ in range(t):
                x, y = x - Fraction(mu, L2) * (mu * x - s * y), y - Fraction(mu, L2) * (s * x + mu * y)
            yield Trial.exact(
                label=f"G(y) = A y, A = [[{mu}, -{s}], [{s}, {mu}]], Y the unit disc, y_0 = (1, 0), t_k = {t}",
                values={
                    "mu_F": mu,
                    "L_F": math.sqrt(L2),
                    "alpha_2s": mu / L2,
                    "B_2s": 1.0,
                    "t_2s": t,
                    "err_2s": float(x * x + y * y),
                },
                facts=facts_of(
                    STILL
                    | {
                        "monotone": "A is a rotation times L_F, with mu_F on its diagonal",
                        "monotone_queried": "A is a rotation times L_F, with mu_F on its diagonal",
                        "lower_sets_compact": "the unit disc",
                        "B_call": "y(x) = 0 and |y_0| = 1",
                    }
                ),
                at={"mu": mu, "s": s, "t": t},
            )


def check_accuracy(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Theorem 2 (i): queries outside X, the family that attains the bound, and induction over the steps."""
    evidence = bounds.decide(
        claim,
        [*queries(), *rotations()],
        method="exact iteration",
        detail="Algorithm 5 in rationals at queries inside and outside X",
    )
    yield evidence
    if not refuted(evidence):
        proof = Proof(_induction, "induction over the steps: both sides are B at t = 0")
        yield missing(claim, "alpha", "B_call", "alg5") or machine.prove(claim, proof)


def _induction(claim: Claim) -> Iterable[Step]:
    limit = bound_on(claim, err_y)
    factor = sp.simplify(limit.subs(t_k, t_k + 1) / limit)
    if t_k in factor.free_symbols or not identity(limit.subs(t_k, 0), B_y):
        raise ValueError(f"the proof is for B times a factor to the power t_k, not for {limit}")
    form = _contracts(factor, ("monotone_queried",))
    yield Form(form.name, form.goal.subs(alpha_y, mu_F / L_F**2), tuple(_at_best(g) for g in form.given))


def _at_best(given: Fact | sp.Rel) -> Fact | sp.Rel:
    assert isinstance(given, Fact)
    relations = tuple(r.subs(alpha_y, mu_F / L_F**2) for r in given.given.relations)
    return fact(given.given.why, *relations, needs=given.needs)


# --- the accuracies with t_k = ceil(tau ln(k+1))


def check_power(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Step 15 in logarithms: ln(k+1) (1 + tau ln q) <= 0, with q = 1 - 1/kappa_F^2 between 0 and 1."""
    q, k = sp.symbols("q k", positive=True)
    kappa2 = 1 / (1 - q)
    ok = {}
    for relation in conjuncts(claim.statement):
        sides = [claim.expand(s).subs(L_F, mu_F * sp.sqrt(kappa2)).subs(k_it, k - 1) for s in relation.args]
        logs = [sp.expand_log(sp.log(sp.simplify(s)), force=True).expand() for s in sides]
        goal = sp.expand(sp.log(k) * (1 + tau * sp.log(q)))
        match relation.rel_op:
            case "==":
                ok[str(relation)] = identity(logs[0], goal) and identity(logs[1], goal)
            case "<=":
                ok[str(relation)] = identity(logs[0], goal) and logs[1] == 0
            case _:
                ok[str(relation)] = False
    lacking = missing(claim, "kappa_F>=1", "tau")
    yield lacking or when(
        ok, "the logarithm is ln(k+1) (1 + tau ln q), not positive as tau >= -1/ln q; 0^0 = 1 for q = 0"
    )


@dataclass(frozen=True)
class Law:
    """Accuracies ``B (1 - 1/kappa^2)^{t_k}``, ``t_k = ceil(tau ln(k+1))`` for k = 0, ..., K."""

    K: int
    kappa: float = 2.0
    tau: float = 3.5
    B: float = 1.0


def law_trial(law: Law) -> Trial:
    """What step 15 and Theorem 2 (iii-a), (iii-b) speak of.

    Raises:
        ValueError: kappa is below 1, or K negative.
    """
    if law.K < 0 or not law.kappa >= 1:
        raise ValueError(f"K is at least 0 and kappa at least 1, got {law}")
    q = 1 - 1 / law.kappa**2
    steps = [steps_of(k, law.tau) for k in range(law.K + 1)]
    values = {"mu_F": 1.0, "L_F": law.kappa, "B_2s": law.B, "tau_2s": law.tau, "K_it": law.K, "T_R": law.K + 1}
    values |= {"sum_eps_2s": law.B * math.fsum(q**t for t in steps), "k_it": law.K, "t_2s": steps[-1]}
    return Trial.exact(
        label=f"kappa_F = {law.kappa:g}, tau = {law.tau:g}, B = {law.B:g}, K = {law.K}",
        values=values,
        facts=facts_of({"t_k_all": "t_k is computed so", "eps_all": "eps_k is computed so"}),
        at=asdict(law),
        error=1e-14 * (law.K + 10),
    )


def laws() -> Iterator[Law]:
    """kappa_F = 2 and the threshold 3.476 on tau, over growing horizons."""
    return (Law(K) for K in (1, 2, 0, 3, 4, 7, 20, 100, 1000))


def law_trials() -> Iterator[Trial]:
    """The trials of :func:`laws`."""
    return map(law_trial, laws())


def check_decay(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """eps_k <= B/(k+1): t_k ln q <= tau ln(k+1) ln q <= -ln(k+1)."""
    evidence = bounds.decide(claim, law_trials(), method="numbers", detail="kappa_F = 2, tau near its threshold")
    yield evidence
    if refuted(evidence):
        return
    (relation,) = conjuncts(claim.statement)
    left, right = (claim.expand(s) for s in relation.args)
    q = 1 - mu_F**2 / L_F**2
    u, rate, more, extra = sp.symbols("u rate more extra", nonnegative=True)
    # t = tau u + more, tau = (1 + extra)/rate, u = ln(k+1), rate = -ln q
    steps = (1 + extra) / rate * u + more
    ok = {
        "the left side is B q^t": relation.rel_op == "<=" and identity(left, B_y * q**t_k),
        "the right side is B/(k+1)": identity(right, B_y / (k_it + 1)),
        "t (-ln q) >= ln(k+1)": bool(sp.expand(steps * rate - u).is_nonnegative),
    }
    yield missing(claim, "kappa_F>=1", "tau", "t_k") or when(
        ok, "t_k (-ln q) >= tau ln(k+1) (-ln q) >= ln(k+1); 0^0 = 1 for q = 0"
    )


def check_total(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """sum eps_k <= B sum 1/(k+1), and the harmonic sum for every horizon."""
    evidence = bounds.decide(
        claim,
        law_trials(),
        method="exact sums",
        detail="K = T_R - 1: the harmonic sum over T_R terms is at most 1 + ln(T_R), not 1 + ln(T_R - 1)",
    )
    yield evidence
    if refuted(evidence):
        return
    lacking = missing(claim, "kappa_F>=1", "tau", "t_k_all", "eps_all", "K=T_R-1") or redefined(claim)
    yield lacking or _harmonic(claim)


def _harmonic(claim: Claim) -> Evidence:
    limit: sp.Expr | None = None
    for relation in conjuncts(claim.statement):
        left, right = (claim.expand(s) for s in relation.args)
        if relation.rel_op == "==":
            if not identity(sp.expand_log(left, force=True), sp.expand_log(right, force=True)):
                return unproved(f"{relation} is no identity")
        elif relation.rel_op == "<=" and left == sum_eps:
            if limit is not None:
                return unproved("the proof is for one bound")
            limit = sp.expand(right / B_y)
        else:
            return unproved(f"{relation} is not of the form that the proof is for")
    if limit is None or limit.free_symbols - {T_R}:
        return unproved(f"the bound over B should be a function of T_R, got {limit}")
    j = sp.Symbol("j", integer=True, positive=True)
    total = Total("harmonic sum", sp.Le(sp.Sum(1 / j, (j, 1, T_R)), limit, evaluate=False), T_R)
    return machine.prove(claim, Proof(lambda _: [total], "eps_k <= B/(k+1) by step 15"))


CHECKS: dict[str, Check] = {
    "thm2.i": read_kindly(check_accuracy),
    "thm2.i.corrected": check_accuracy,
    "st.15": check_power,
    "st.17.contraction": check_contraction,
    "st.17.step": check_best_step,
    "thm2.iii-a": check_decay,
    "thm2.iii-b": check_total,
}
