"""Checks of Lemma 10 and of the steps of the proof of Theorem 1 that are algebra: quadratic forms, sums, identities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction as Q
from itertools import product

import sympy as sp

from rateproof.algos.problems.base import Fact as Known
from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, dot, norm2
from rateproof.theory.papers.fedrzo.bilevel.lemmas import a_k, b_k, beta1, beta2, sum_theta
from rateproof.theory.papers.fedrzo.bilevel.notation import (
    ELL,
    R_whole,
    Th2,
    Th3,
    dir2,
    grad2,
    inner,
    ombar2,
    sum_eps,
    wbar2,
)
from rateproof.theory.papers.fedrzo.bilevel.steps import (
    F_next,
    F_now,
    N_sum,
    cross_om,
    cross_w,
    full2,
    shown_eps,
    step_eps,
    whole_eps,
)
from rateproof.theory.papers.fedrzo.notation import B2, H, gamma
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import COUNT
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, certificates, machine, premises
from rateproof.verify.deciders.certificates import Combination, Premise
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, Total
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.papers.fedrzo.bilevel.lemmas import corners
from rateproof.verify.papers.fedrzo.bilevel.unfold import proved_unfolded
from rateproof.verify.trial import Trial

VALUES = "explicit numbers"
ONE = sp.S.One


def _decided(
    claim: Claim, trials: Iterable[Trial], proof: Proof, detail: str, *, alone: bool = False
) -> Iterator[Evidence]:
    """Trials, then a proof; ``alone`` says that its steps name the conditions that they need."""
    tried = bounds.decide(claim, trials, method=VALUES, detail=detail)
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield proved_unfolded(claim, proof, alone=alone)


# --- Lemma 10


def recursion(H_: int, b1: Q, b2: Q, thetas: tuple[Q, ...], gamma_: Q, share: Q = Q(1)) -> Iterator[Trial]:
    """The recursion with equality for a_k, and for b_k times ``share``."""
    a, b = [Q(0)], [Q(0)]
    for k in range(1, H_ + 1):
        largest = k * gamma_**2 * sum(b1 * x + b2 * y + t for x, y, t in zip(a, b, thetas, strict=False))
        a.append(largest)
        b.append(share * largest)
        values = {"a_bl": a[k], "b_bl": b[k], "sum_theta_bl": sum(thetas[:k]), "beta1_bl": b1, "beta2_bl": b2}
        values |= {"H": Q(H_), "gamma": gamma_, "loc_bl": Q(k)}
        facts = {"recursion_two": Known(True, "computed with equality"), "frequency": Known(True, "k - T_r <= H")}
        label = (
            f"H = {H_}, beta = ({b1}, {b2}), gamma = {gamma_}, k - T_r = {k}, theta = {thetas[0]}, ..., {thetas[-1]}"
        )
        yield Trial.exact(label, {name: float(v) for name, v in values.items()}, facts)


def recursions() -> Iterator[Trial]:
    """Steps at their cap 1/H for 2 max{beta} = 1, and beyond it (which the condition refuses)."""
    for H_, share in product((1, 2, 3, 8, 30), (Q(1), Q(0))):
        early, flat = (Q(1), *(Q(0),) * (H_ - 1)), (Q(1),) * H_
        for thetas in (early, flat):
            for beta in ((Q(1, 2), Q(1, 2)), (Q(1, 2), Q(1, 100))):
                yield from recursion(H_, *beta, thetas, Q(1, H_), share)
        yield from recursion(H_, Q(1, 2), Q(1, 2), early, Q(3, H_), share)


def _unrolled(claim: Claim) -> Iterator[Step]:
    """``S_k = H gamma^2 sum_{t<k} (beta c_t + 2 theta_t) >= c_k = a_k + b_k`` grows by the factor 1 + 1/H at most."""
    c, S, P, theta = sp.symbols("c S P theta", real=True)
    w = sp.Symbol("w", positive=True)  # (1 + 1/H)^(k - T_r - 1)
    keys = {h.key: h for h in claim.hypotheses}
    if not {"recursion_two", "frequency"} <= keys.keys():
        raise ValueError("the proof needs the recursion and k - T_r <= H")
    caps = [r for r in conjuncts(keys["S-lem10"].relation) if r.rel_op == "<="] if "S-lem10" in keys else []
    beta = sp.Symbol("beta", positive=True)  # 2 max{beta_1, beta_2}
    for part in (beta1, beta2):
        ruled = [r for r in caps if r.lhs == gamma and sp.simplify(1 / r.rhs**2 - 2 * part * H**2) == 0]
        if not ruled:
            raise ValueError(f"the step condition should give 2 {part} gamma^2 H^2 <= 1")
    capped = le(beta * gamma**2 * H**2, 1)
    grown = S + H * gamma**2 * (beta * c + 2 * theta)
    bound = 2 * H * gamma**2
    nonneg = (le(0, c), le(0, theta), le(0, P))
    yield Form(
        "one more term",
        le(grown, (1 + 1 / H) * S + bound * theta),
        (le(c, S), *nonneg),
        (capped,),
        values=(c, S, theta),
    )
    yield Form(
        "the sums so far",
        le((1 + 1 / H) * S + bound * theta, bound * (1 + 1 / H) * w * (P + theta)),
        (le(S, bound * w * P), *nonneg),
        (le(1, w),),
        values=(S, P, theta, c),
    )
    limit = Given("(1 + 1/H)^(H - 1) <= e <= 3", (le(a_k + b_k, bound * 3 * sum_theta),))
    (goal,) = conjuncts(claim.statement)
    yield Form("at most H - 1 factors", goal, (Fact(limit, ("recursion_two", "frequency")),), values=(a_k, b_k))


# --- one step of descent

_g, _d, _o, _w = gram.vectors("g d o w")
_MEASURED = {
    grad2: norm2(_g),
    dir2: norm2(_d),
    ombar2: norm2(_o),
    wbar2: norm2(_w),
    inner: dot(_g, _d),
    cross_om: -gamma * dot(_g, _o),
    cross_w: -gamma * dot(_g, _w),
    full2: norm2(_d + _o + _w),
}


def _forms(claim: Claim) -> Iterator[Step]:
    """The statement for free vectors; the descent lemma where the claim has the smoothness."""
    step = -gamma * (_d + _o + _w)
    lemma = Given("F_eta is ((L_0^imp n + 1)/eta)-smooth", (le(F_next, F_now + dot(_g, step) + ELL / 2 * norm2(step)),))
    for relation in conjuncts(claim.statement):
        goal = relation.func(*(side.xreplace(_MEASURED) for side in relation.args), evaluate=False)
        facts = (Fact(lemma, ("smooth_F",)),) if F_next in goal.free_symbols else ()
        yield Form("one step", goal, facts, values=(F_now, F_next))


def descents() -> Iterator[Trial]:
    """F = x^2 with L = n = eta = 1, so that (L n + 1)/eta = 2 is its curvature; steps with errors of all signs."""
    for x, d_, o, w in product((1.0, -3.0), (1.0, 0.0, 6.0), (0.0, 1.0, -1.0), (0.0, 2.0, -2.0)):
        for step in (1 / 48, 1e-3):
            after = x - step * (d_ + o + w)
            values = {"F_now_bl": x * x, "F_next_bl": after * after, "grad2_bl": 4 * x * x, "inner_bl": 2 * x * d_}
            values |= {"dir2_bl": d_ * d_, "ombar2_bl": o * o, "wbar2_bl": w * w, "gamma": step, "L_imp": 1.0, "n": 1.0}
            values |= {"full2_bl": (d_ + o + w) ** 2, "cross_om_bl": -step * 2 * x * o, "cross_w_bl": -step * 2 * x * w}
            facts = {"smooth_F": Known(True, "F'' = 2 = (L_0^imp n + 1)/eta")}
            yield Trial.exact(
                f"F = x^2, x = {x:g}, parts {d_:g}, {o:g}, {w:g}, gamma = {step:g}", values | {"eta_s": 1.0}, facts
            )


def first_steps() -> Iterator[Trial]:
    """F = (L + 1) x^2/2 with n = eta = 1, as of L |x| and {0} about 0: an estimate of size L at 0, without errors."""
    none = dict.fromkeys(
        ("F_now_bl", "grad2_bl", "inner_bl", "ombar2_bl", "wbar2_bl", "cross_om_bl", "cross_w_bl"), 0.0
    )
    for L in (0.1, 10.0):
        step = 1 / (48 * (L + 1))
        values = none | {"F_next_bl": (L + 1) * (step * L) ** 2 / 2, "dir2_bl": L * L, "full2_bl": L * L}
        values |= {"gamma": step, "L_imp": L, "n": 1.0, "eta_s": 1.0}
        facts = {"smooth_F": Known(True, "F'' = L + 1")}
        yield Trial.exact(f"L = {L:g}, the first step from a kink", values, facts)


def check_descent(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An inequality for one step."""
    yield from _decided(
        claim, (*descents(), *first_steps(), *corners()), Proof(_forms), "one step on F = x^2 and along exact runs"
    )


def _premises(claim: Claim, keys: Iterable[str]) -> list[Premise]:
    by_key = {h.key: h for h in claim.hypotheses}
    if missing := [key for key in keys if key not in by_key]:
        raise ValueError(f"the proof needs {', '.join(missing)}")
    stated = [(by_key[key].text, r) for key in keys for r in conjuncts(by_key[key].relation)]
    if turned := [text for text, r in stated if r.rel_op != "<="]:
        raise ValueError(f"the proof needs lhs <= rhs for {', '.join(turned)}")
    return [Premise(r.rhs - r.lhs, text) for text, r in stated]


def _sum(claim: Claim) -> list[Combination]:
    return [
        Combination([(ONE, premise) for premise in _premises(claim, tuple(f"st.10.{k}" for k in (16, 17, 18, 19)))])
    ]


def _implies(claim: Claim) -> list[Combination]:
    (combined, eb_, eh_) = _premises(claim, ("st.10.sum", "errors>=0"))
    largest = sp.Max(Th2, Th3, evaluate=False)
    over = [
        Premise((largest - theta) * errors.expr, f"{theta} <= max, times {errors.why}")
        for theta, errors in ((Th2, eb_), (Th3, eh_))
    ]
    combination = Combination([(ONE, combined), (gamma, over[0]), (gamma, over[1])])
    where = {s: claim.where[s] for s in claim.where}
    return [Combination([(m_, Premise(_kept(p.expr, where, largest), p.why)) for m_, p in combination.terms])]


def _kept(expr: sp.Expr, where: dict[sp.Symbol, sp.Expr], largest: sp.Expr) -> sp.Expr:
    """Definitions put in everywhere, in the maximum too, as the statement's are."""
    return expr.xreplace({largest: sp.Max(where[Th2], where[Th3], evaluate=False)}).xreplace(where)


def check_combination(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A step that adds up its hypotheses."""
    proof = {"st.10.sum": _sum, "st.10.implies": _implies}[claim.item]
    yield _combined(claim, proof)


def _combined(claim: Claim, proof: Callable[[Claim], list[Combination]]) -> Evidence:
    """The proof, or which hypothesis it lacks."""
    try:
        return certificates.prove(claim, proof(claim))
    except ValueError as refusal:
        return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, "nonnegative combination", str(refusal))


# --- the sum over a run


def _cap(claim: Claim) -> Iterator[Step]:
    """For the larger of Theta_2 and Theta_3: the square of gamma <= 1/(16 H B_2 sqrt(3 Theta))."""
    relation = premises.statement(claim, "<=")
    (largest,) = relation.atoms(sp.Max)
    ruled = [r for h in claim.hypotheses for r in conjuncts(h.relation) if r.lhs == gamma and r.rel_op == "<="]
    u = sp.Symbol("u", nonnegative=True)
    for part in largest.args:
        one = claim.expand(part)
        side = (relation.lhs / relation.rhs).xreplace({largest: one})
        if not any(sp.simplify(sp.expand(side - (gamma / r.rhs) ** 2)) == 0 for r in ruled if r.rhs.has(B2)):
            raise ValueError(f"the step condition is no root of {relation} for {part}")
        yield Form(f"u = gamma/cap <= 1 gives u^2 <= 1 ({part})", le(u**2, 1), (), (le(u, 1),))


def caps() -> Iterator[Trial]:
    """gamma at the cap of S-bl.i for large and small Theta_3."""
    for L, B, ratio, Ly, eta, H_ in product((1.0, 0.1), (1.0, 3.0), (0.0, 1.0, 10.0), (1.0,), (1.0, 0.01), (1.0, 5.0)):
        t2, t3 = 5 * (L + 1) ** 2 / (8 * eta**2), ratio**2 * 20 * Ly**2 / eta**2
        cap = min(1 / (4 * H_ * max(2, (t3 / 10) ** 0.5, 4 * B * (3 * max(t2, t3)) ** 0.5)), eta / (24 * (L + 1)))
        values = {"L_imp": L, "B2": B, "L_h_x": ratio, "mu_h": 1.0, "L_y": Ly, "eta_s": eta, "n": 1.0}
        values |= {"H": H_, "gamma": cap}
        yield Trial.exact(
            f"L = {L:g}, B_2 = {B:g}, Lh/mu = {ratio:g}, eta = {eta:g}, H = {H_:g}", values, {}, error=1e-12
        )


def check_double(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """What is left of the sum of squared gradients."""
    tried = bounds.decide(claim, gradients(), method=VALUES, detail="sums of squared gradients")
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield _combined(claim, lambda c: [Combination([(gamma / (8 * H), p) for p in _premises(c, ("st.6",))])])


def gradients() -> Iterator[Trial]:
    """Sums over rounds of H equal steps: the double sum is (H - 1)/2 times the sum, at most H times."""
    for H_, share in product((1.0, 2.0, 10.0), (0.0, 0.5, 1.0)):
        values = {"H": H_, "gamma": 0.1, "all_grad2_bl": 1.0, "double_sum_bl": share * H_}
        yield Trial.exact(f"H = {H_:g}, double sum {share:g} H", values, {})


def accuracies() -> Iterator[Trial]:
    """Rounds of H, and of fewer steps, with accuracies of two sizes."""
    facts = {"frequency": Known(True, "H is the longest round"), "lower_accurate": Known(True, "eps_r as given")}
    for lengths, eps in (((1,), (1.0,)), ((3, 3), (1.0, 0.5)), ((2, 5), (1.0, 0.0)), ((5, 1), (0.0, 4.0))):
        whole = sum(k * e for k, e in zip(lengths, eps, strict=True))
        values = {
            **{"H": float(max(lengths)), "step_eps_bl": whole, "whole_eps_bl": whole},
            "shown_eps_bl": sum((k - 1) * e for k, e in zip(lengths, eps, strict=True)),
            "sum_eps_bl": sum(eps),
        }
        yield Trial.exact(f"rounds of {lengths} steps, eps_r = {eps}", values, facts)


def _within(claim: Claim) -> Iterator[Step]:
    """Round by round; e stands for eps_r and k for its number of steps."""
    k = sp.Symbol("k", **COUNT)
    e = sp.Symbol("e", nonnegative=True)
    put = {step_eps: k * e, whole_eps: k * e, shown_eps: (k - 1) * e, sum_eps: e}
    if not any(h.key == "frequency" for h in claim.hypotheses):
        raise ValueError("the proof needs rounds of at most H steps")
    for relation in conjuncts(claim.statement):
        left, right = (side.xreplace(put) for side in relation.args)
        both = isinstance(relation, sp.Eq)
        for goal in (le(left, right), le(right, left)) if both else (relation.func(left, right, evaluate=False),):
            yield Form("one round", goal, (), (le(k, H),), values=())


def check_with(
    trials: Callable[[], Iterable[Trial]], steps: Callable[[Claim], Iterable[Step]], detail: str
) -> Callable[[Claim, Budget], Iterable[Evidence]]:
    """A check by trials and, where they hold, by steps."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        yield from _decided(claim, trials(), Proof(steps), detail, alone=True)

    return check


# --- sums of powers and identities


def check_sum(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound on a sum of powers, for every number of terms."""
    (relation,) = conjuncts(claim.statement)
    horizon = N_sum if N_sum in relation.free_symbols else R_whole
    whole = sp.Symbol(str(horizon), positive=True, integer=True)
    goal = relation.func(*(side.xreplace({horizon: whole}) for side in relation.args), evaluate=False)
    yield machine.prove(claim, Proof(lambda _: [Total("the sum", goal, whole)]))


def check_identity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An identity between powers of positive numbers."""
    same = {}
    for relation in conjuncts(claim.statement):
        symbols = {s: sp.Symbol(s.name, positive=True) for s in relation.free_symbols}
        left, right = (
            sp.powdenest(sp.expand_power_base(side.xreplace(symbols), force=True), force=True) for side in relation.args
        )
        ratio = sp.simplify(sp.powsimp(sp.expand_power_base(left / right, force=True), force=True))
        same[str(relation)] = relation.rel_op == "==" and ratio == 1
        trials = [
            Trial.exact(f"{v:g}", {str(s): v + i for i, s in enumerate(sorted(symbols, key=str))}, {})
            for v in (1.0, 2.0, 7.0, 100.0)
        ]
        yield bounds.decide(claim, trials, method=VALUES)
    said = "both sides are the same power"
    signed = all(s.is_positive for relation in conjuncts(claim.statement) for s in relation.free_symbols)
    yield certificates.certify(claim, same, said) if signed else certificates.when(same, said)


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.lem10": check_with(recursions, _unrolled, "recursions that hold with equality, gamma at its cap"),
    "fedrzo.st.10.young": check_descent,
    "fedrzo.st.10.three": check_descent,
    "fedrzo.st.10.16": check_descent,
    "fedrzo.st.10.sum": check_combination,
    "fedrzo.st.10.implies": check_combination,
    "fedrzo.st.11.cap": check_with(caps, _cap, "gamma at the cap"),
    "fedrzo.st.11.double": check_double,
    "fedrzo.st.11.display": check_with(accuracies, _within, "rounds of one and of several steps"),
    "fedrzo.st.11.display.corrected": check_with(accuracies, _within, "rounds of one and of several steps"),
    "fedrzo.st.11.bound": check_with(accuracies, _within, "rounds of one and of several steps"),
    "fedrzo.st.12.sum": check_sum,
    "fedrzo.st.12.power": check_identity,
    "fedrzo.st.18.term": check_identity,
    "fedrzo.st.18.sum": check_sum,
    "fedrzo.st.18.power": check_identity,
}
