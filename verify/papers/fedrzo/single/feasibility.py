"""How far from X the solutions of the smoothed problem and the output of (Meta-ZO) may be (Sections 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, conjuncts
from rateproof.theory.papers.fedrzo.notation import (
    A1_I,
    A1_II_A,
    A1_II_B,
    FRESH,
    KSTAR,
    L0,
    SETS,
    K_it,
    eta_s,
    gamma,
    m,
)
from rateproof.theory.papers.fedrzo.single.notation import (
    GAMMA_COM,
    IDENTICAL,
    META,
    START_INSIDE,
    dist_first,
    dist_kstar,
    dist_limit,
    dist_X,
    kap,
    norm_grad_F,
)
from rateproof.theory.papers.fedrzo.single.smoothing import SOLUTION
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import growth, premises
from rateproof.verify.deciders.certificates import Combination, Premise, prove, unproved
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.single.arguments import ONE, plainly_nonnegative, relation_of, step, together
from rateproof.verify.papers.fedrzo.single.chain import V
from rateproof.verify.papers.fedrzo.single.families import measured
from rateproof.verify.papers.fedrzo.single.grids import tied_signs
from rateproof.verify.papers.fedrzo.single.vector_proofs import FORMS

METHOD = "exact minimisers and iterates"

# --- ladders towards eta = 0


@lru_cache(maxsize=1)
def discs() -> Ladder:
    """Sets that touch: what is far from their intersection may be near to each of them."""
    return Ladder(
        "eta -> 0 with f = x_2 and two unit discs",
        [measured("two discs", L0=1, s=f"1/{2**k}") for k in range(1, 10)],
        "the discs touch in 0 without crossing: a point at distance t is only t^2/2 away from them",
    )


@lru_cache(maxsize=1)
def pulled() -> Ladder:
    """One set: the minimiser, and the output in the limit."""
    rungs = [measured("pulled iterates", L0=1, nu=1, eta=f"1/{10**k}") for k in range(6)]
    return Ladder("eta -> 0 with f = x and X = {0}", rungs, "the minimiser of F_eta is -eta")


@lru_cache(maxsize=2)
def jumping(x0: int) -> Ladder:
    """Iterates that jump over the set for ever."""
    return Ladder(
        f"eta -> 0 with f = x, X = {{0}}, gamma = 2 eta and x_0 = {x0}",
        [measured("jumping iterates", L0=1, nu=1, eta=f"1/{10**k}", x0=x0) for k in range(6)],
        f"the iterates jump between {x0} and {-x0} - 2 eta",
    )


@lru_cache(maxsize=1)
def tied() -> Ladder:
    """Samples that depend on the directions drive the iterates to a point whose distance does not shrink with eta."""
    rungs = [tied_signs(eta=f"1/{3**k}") for k in range(9)]
    return Ladder("eta -> 0 with f = x, X = {0} and xi the sign of v", rungs, "the output tends to -eta - 2")


# --- the output


def _lacking(claim: Claim, needed: Iterable[Hypothesis], metric: sp.Symbol) -> str:
    """Why an argument for ``metric <= ...`` that rests on some hypotheses does not apply; empty when it does."""
    try:
        premises.need_as_is(claim, *needed)
    except ValueError as refusal:
        return str(refusal)
    relation = claim.statement
    if not isinstance(relation, sp.Rel) or relation.rel_op != "<=" or relation.lhs != metric:
        return f"{relation} is no bound on {metric}"
    return ""


_OUTPUT = (A1_I, A1_II_A, A1_II_B, SETS, IDENTICAL, META, FRESH, KSTAR)
#: E d_k^2, E d_{k+1}^2, E d_k and E dist^2(z_k, X) for d_k = dist(x_k, X) and z_k = E[x_{k+1} | F_k].
_now, _next, _mean, _aimed = sp.symbols("E_d_k^2 E_d_{k+1}^2 E_d_k E_dist^2(z_k)", real=True)
_first, _last, _average = sp.symbols("d_0^2 E_d_{K+1}^2 mean_E_d_k^2", nonnegative=True)
#: Fixed point of the recursion for E d_k^2.
LEVEL = (eta_s * L0) ** 2 + gamma * eta_s * V / m


def _one_step() -> tuple[sp.Rel, Combination]:
    q = gamma / eta_s
    distance = eta_s * L0
    step_to_mean = (1 - q) ** 2 * _now + 2 * q * (1 - q) * distance * _mean + q**2 * distance**2
    terms = [
        (
            ONE,
            Premise(
                _aimed + gamma**2 * V / m - _next,
                "d_{k+1} <= ||x_{k+1} - P(z_k)||, where x_{k+1} - z_k has mean zero given F_k (Lemma 4 (i)) and the "
                "second moment at most gamma^2 n^2 (6 nu^2/eta^2 + 3 L_0^2)/m (Lemma 4 (iii), independent clients)",
            ),
        ),
        (
            ONE,
            Premise(
                step_to_mean - _aimed,
                "dist(z_k, X) <= ||z_k - P(x_k)|| = ||(1 - q)(x_k - P(x_k)) - gamma grad f_eta(x_k)|| <= (1 - q) d_k + "
                "q eta L_0 for q = gamma/eta <= 1, as ||grad f_eta|| <= L_0 (Lemma 1 (ii))",
            ),
        ),
        (
            ONE,
            Premise(
                q * (1 - q) * (_now - 2 * distance * _mean + distance**2),
                "the mean of (d_k - eta L_0)^2, times q (1 - q) >= 0",
            ),
        ),
    ]
    return le(_next, _now - q * (_now - LEVEL)), Combination(terms)


def _over_run() -> tuple[sp.Rel, Combination]:
    share = eta_s / (gamma * (K_it + 1))
    terms = [
        (ONE, Premise(_average - dist_kstar**2, "k* is uniform on {0, ..., K}; Jensen")),
        (share, Premise(_first - _last - (_average - LEVEL) / share, "one step, summed over k = 0, ..., K")),
        (share, Premise(_last, "a square")),
    ]
    return le(dist_kstar**2, LEVEL + share * _first), Combination(terms)


def output(claim: Claim) -> Evidence:
    """intro.feas: a step contracts the distance from X towards eta L_0, whatever F_eta is; no gradient need vanish."""
    if lacking := _lacking(claim, _OUTPUT, dist_limit):
        return unproved(lacking)
    try:
        rule = relation_of(claim, GAMMA_COM.key)
    except ValueError as error:
        return unproved(str(error))
    if not isinstance(rule, sp.Eq) or rule.lhs != gamma:
        return unproved(f"{rule} does not give gamma")
    (one, step_terms), (over_run, run_terms) = _one_step(), _over_run()
    vanishing = sp.limit(rule.rhs, K_it, sp.oo) == 0
    limit = sp.sqrt(sp.limit(over_run.rhs.subs(gamma, rule.rhs), K_it, sp.oo))
    assert isinstance(claim.statement, sp.Rel)
    rest = (claim.statement.rhs - limit).subs(C_O, L0)
    return together(
        (
            ("one step, for gamma <= eta", prove(replace(claim, statement=one), [step_terms])),
            ("the mean over the run", prove(replace(claim, statement=over_run), [run_terms])),
            ("gamma -> 0, so gamma <= eta from some K on", step(vanishing, "the limit of the rule")),
            (f"limit {limit}", step(plainly_nonnegative(rest), "right side minus limit")),
        ),
        "E d_k^2 contracts by 1 - gamma/eta a step towards (eta L_0)^2 + gamma eta V/m; hidden constant L_0",
    )


def _at_start(claim: Claim) -> Evidence:
    """The nearest iterate is not farther than x_0."""
    if lacking := _lacking(claim, (META, START_INSIDE), dist_first):
        return unproved(lacking)
    assert isinstance(claim.statement, sp.Rel)
    enough = plainly_nonnegative(claim.statement.rhs.subs(C_O, L0))
    return together((("0 is within the bound", step(enough, "its sign")),), "x_0 is an iterate, and it lies in X")


# --- solutions


def solution(claim: Claim) -> Evidence:
    """sec2.feas for identical sets: sec2.feas.corrected with kap = 1, where the gradient vanishes."""
    if lacking := _lacking(claim, (A1_I, SETS, IDENTICAL, SOLUTION), dist_X):
        return unproved(lacking)
    regular = catalog.get("fedrzo.sec2.feas.corrected")
    (bound,) = conjuncts(regular.statement)
    assert isinstance(claim.statement, sp.Rel)
    rest = (claim.statement.rhs - bound.rhs.subs({kap: 1, norm_grad_F: 0})).subs(C_O, L0)
    return together(
        (
            ("any point", FORMS["sec2.feas.corrected"](regular)),
            ("kap = 1, gradient 0", step(plainly_nonnegative(rest), "right side minus distance")),
        ),
        "F_eta is differentiable, so its gradient vanishes at a minimiser; one set is regular with kap = 1; hidden "
        "constant L_0",
    )


# --- checks


@dataclass(frozen=True)
class Other:
    """How the other reading of a switch is decided: instances to try, and a proof where there is one."""

    ladder: Callable[[], Ladder]
    proof: Callable[[Claim], Evidence] | None = None


OTHERS: Mapping[str, Mapping[str, Other]] = {
    "fedrzo.intro.feas": {
        "sets": Other(discs),
        "stepsize": Other(lambda: jumping(1)),
        "nearest_outside": Other(lambda: jumping(1)),
        "nearest_inside": Other(lambda: jumping(0), _at_start),
        "samples": Other(tied),
    },
    "fedrzo.sec2.feas": {"sets": Other(pulled, solution)},
}


def _decided(claim: Claim, ladder: Ladder, proof: Callable[[Claim], Evidence] | None) -> Iterator[Evidence]:
    evidence = growth.decide(claim, [ladder], method=METHOD)
    yield evidence
    if proof is not None and evidence.finding is not Finding.VIOLATION:
        yield proof(claim)


def _check(
    ladder: Callable[[], Ladder], proof: Callable[[Claim], Evidence] | None
) -> Callable[[Claim, Budget], Iterable[Evidence]]:
    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        yield from _decided(claim, ladder(), proof)
        for switch in claim.switches:
            other = OTHERS[claim.id][switch.name]
            for evidence in _decided(claim.read(switch), other.ladder(), other.proof):
                yield replace(evidence, reading=switch.reading)

    return check


CHECKS = {"intro.feas": _check(pulled, output), "sec2.feas": _check(discs, None)}
