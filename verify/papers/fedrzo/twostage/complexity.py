"""Orders: Theorem 2 (iii), Remark 6 (i) and the rate of Table 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.notation import D0, K_eps, K_it, grad_kstar, m
from rateproof.theory.papers.fedrzo.twostage.complexity import EPSILON_0
from rateproof.theory.papers.fedrzo.twostage.notation import COM, COM_EPS, K_0, B_y, Th1, Th2, Th3, Th4, Th5
from rateproof.theory.symbols import C_O, epsilon
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import growth
from rateproof.verify.deciders.certificates import certify, identity, unproved, when
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.readings import read_kindly
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.twostage.common import missing, redefined, refuted
from rateproof.verify.papers.fedrzo.twostage.explicit import conditions, without_answers
from rateproof.verify.papers.fedrzo.twostage.families import (
    descent_needs,
    kink,
    kinked_needs,
    slide,
    slide_needs,
    slow_after,
    slow_needs,
)
from rateproof.verify.papers.fedrzo.twostage.solved_runs import first_call_trial
from rateproof.verify.trial import Trial

# --- ladders: what grows, while everything that the hidden constant may depend on stays


def clients(*, small: bool = False) -> Ladder:
    """More clients: gamma = sqrt(m/K) swings out below 4 m iterations."""
    why = "the step sqrt(m/K) swings out for K < m/(4 eta^2), whatever m, while the claimed number falls like 1/m"
    trials = [slide_needs(10.0**j, small=small) for j in range(1, 10)]
    return Ladder("the number of clients m", trials, why)


def distances() -> Ladder:
    """A start further away: K steps of gamma = 1/sqrt(K) move by sqrt(K)."""
    why = "K steps move the iterate by sqrt(K), so the start's distance, and D_0 with it, has to enter squared"
    return Ladder("the distance of the start", [descent_needs(10.0**j) for j in range(1, 8)], why)


def accuracies() -> Ladder:
    """A smaller epsilon on ``slow``; every constant of the claim is fixed."""
    why = (
        "the lower level contracts slowly at the queries outside X, so that the metric falls like K^-0.18 and K_eps "
        "grows like epsilon^-5.7"
    )
    return Ladder("1/epsilon", [slow_needs(j) for j in range(2, 40, 2)], why)


def loose_accuracies() -> Ladder:
    """The trivial one: an epsilon that every K >= 1 meets, and constants that fall to 0 with 1/eta."""
    why = "epsilon = 10 is met by every K, yet the schedule needs one iteration, while all claimed terms fall with eta"
    return Ladder("eta, trivially (epsilon is loose)", [kink(10.0**j) for j in range(1, 10)], why)


def few_iterations() -> Ladder:
    """K = m: every step overshoots by more."""
    why = "with K = m and eta = 1/4 the gradient after k steps is (-3)^k"
    return Ladder("m = K", [slide(2.0**j, 2.0**j) for j in range(1, 8)], why)


def enough_iterations() -> Ladder:
    """K = K_0 with growing m: the metric times sqrt(mK) stays bounded."""
    trials = [slide(10.0**j, 3e6 * 10.0**j, eta=10.0) for j in range(1, 10)]
    return Ladder("m, with K = 3e6 m", trials, "the rate is met from K_0 on")


def slow_iterations() -> Ladder:
    """A rate of K^-0.18 on ``slow``, for one client."""
    why = "the lower level contracts slowly at the queries outside X, so that the metric falls like K^-0.18"
    return Ladder("K", [slow_after(j) for j in range(2, 40, 2)], why)


def radii_with_errors() -> Ladder:
    """A larger eta, with an error in the first call of Algorithm 5."""
    why = "an error of the first call is left in the gradient for longer, the larger eta is; all but B Theta_3 falls"
    return Ladder("eta, answers with errors", [first_call_trial(10.0**j) for j in range(3, 13)], why)


def radii_with_noise() -> Ladder:
    """A larger eta, with noise in the estimates at the minimiser."""
    why = "the noise of estimates at the minimiser counts with Theta_1, while all else falls with eta"
    return Ladder("eta, at a minimiser", [kinked_needs(10.0**j, 100 * 10.0 ** (2 * j)) for j in range(1, 10)], why)


def accuracies_with_noise() -> Ladder:
    """A smaller epsilon, with noise in the estimates at the minimiser."""
    why = "the noise of estimates at the minimiser falls like 1/sqrt(K)"
    return Ladder("1/epsilon, at a minimiser", [kinked_needs(10.0, 10.0**j) for j in range(4, 14)], why)


def second_term_at(size: float) -> Trial:
    """``B Theta_2 Theta_4 = 1/size`` with m = 1 and ``epsilon = 1/size^2``: it falls to that at ``K = size^{2/3}``."""
    values = dict.fromkeys(("n", "m", "L_imp", "L_y", "eta_s"), 1.0)
    values |= {"B_2s": 1 / (90 * size), "epsilon": size**-2, "K_eps": round(size ** (2 / 3))}
    return Trial.exact(f"B = 1/(90 * {size:g}), epsilon = {size**-2:g}", values, {}, error=1e-12)


def small_errors() -> Ladder:
    """A smaller B, and a smaller epsilon."""
    why = "what the stated order has too much, (B Theta_2 Theta_4)^{2/3}, may be as small as one likes"
    return Ladder("1/B, epsilon like B^2", [second_term_at(10.0 ** (3 * k)) for k in range(1, 9)], why)


#: By claim id, without the paper's prefix; a corrected claim is tried along those of the printed one.
LADDERS: dict[str, tuple[Callable[[], Ladder], ...]] = {
    "thm2.iii": (clients, distances, accuracies, loose_accuracies, radii_with_errors, radii_with_noise),
    "rem6.i.rate": (clients, accuracies, accuracies_with_noise),
    "rem6.i.small": (lambda: clients(small=True), accuracies),
    "thm2.iii.exponent": (small_errors,),
    "tab3.rate": (few_iterations, enough_iterations, slow_iterations),
}


@lru_cache(maxsize=16)
def ladders_of(item: str) -> tuple[Ladder, ...]:
    """The ladders along which a claim, printed or corrected, is tried."""
    return tuple(ladder() for ladder in LADDERS[item])


_METHOD = "ladders in closed form"


def check_complexity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Along the ladders; what stays bounded there, from the explicit bound of the corrected proof."""
    evidence = growth.decide(claim, ladders_of(claim.printed_item), method=_METHOD)
    yield evidence
    if not refuted(evidence):
        yield from_bound(claim)
    for switch in claim.switches:
        yield growth.decide(claim.read(switch), ladders_of(claim.printed_item), method=_METHOD, reading=switch.reading)


# --- complexities from the corrected bound, whose second term is not needed: each other term at most epsilon/2


def _thresholds() -> dict[str, sp.Expr]:
    """The K from which on each term of the corrected bound, without its logarithm, is at most epsilon/2."""
    first, third = 8 * D0 + 8 * Th1 + 32 * Th2 * Th5, 8 * B_y * Th3
    return {"first": 4 * first**2 / (m * epsilon**2), "third": 2 * third / epsilon}


#: The explicit bound as corrected, and its step conditions, which K >= K_0 gives.
_BOUND = "fedrzo.thm2.iii-x.corrected"
_STEP = {"gamma_smooth_2s", "gamma_sets_or_H=1"}


def from_bound(claim: Claim) -> Evidence:
    """A proof that the claim states every term that the corrected explicit bound asks for."""
    if (bound := without_answers()).finding is not Finding.PROOF:
        return bound
    (relation,) = conjuncts(claim.statement)
    at = {h.key: eps.key for h, eps in zip(COM, COM_EPS, strict=True)} if relation.args[0] == K_eps else {}
    keys = {at.get(h.key, h.key) for h in catalog.get(_BOUND).hypotheses} - _STEP
    if lacking := missing(claim, *keys) or redefined(claim):
        return lacking
    claimed = sp.Add.make_args(sp.expand(relation.args[1] / C_O))
    if relation.rel_op != "<=":
        return unproved(f"the proof is for an upper bound, not for {relation}")
    if relation.args[0] == grad_kstar:
        return _rate(claim, claimed)
    if relation.args[0] != K_eps or not all(summand.is_nonnegative for summand in claimed):
        return unproved(f"the proof is for a sum of nonnegative terms that bounds {K_eps}, not for {relation}")
    if lacking := missing(claim, "K_eps_missed"):
        return lacking
    item = claim.printed_item
    below = {h.key for h in claim.hypotheses}
    if item == "thm2.iii":
        # epsilon_0 makes 1 + K_0 no more than the first term
        needed = _full_terms()[1:] if EPSILON_0.adding[0] in claim.hypotheses else [sp.S.One, *_full_terms()]
    elif item == "rem6.i.rate" and "epsilon<=1/m" not in below:
        # m >= 1 takes 1 and the 1/m of K_0, and the two take 1/epsilon, their geometric mean
        needed = [m, 1 / (m * epsilon**2)]
    else:
        lacking = missing(claim, "epsilon<=1/m")
        if lacking:
            return lacking
        needed = [1 / (m * epsilon**2)]  # m >= 1, and by rem6.i.comparison 1/epsilon, are at most this
    ok = {f"the term {term}": any(_at_least(summand, term) for summand in claimed) for term in needed}
    said = (
        "the largest of 1, K_0, from which on the corrected bound holds, and the K at which its first and last terms "
        "are epsilon/2, rounded up; O~ takes their logarithms; the second term is not needed"
    )
    return when(ok | conditions(K_0) | _solved(), said)


def _full_terms() -> list[sp.Expr]:
    return [
        K_0,
        D0**2 / (m * epsilon**2),
        Th1**2 / (m * epsilon**2),
        Th2**2 * Th5**2 / (m * epsilon**2),
        B_y * Th3 / epsilon,
    ]


def _at_least(summand: sp.Expr, term: sp.Expr) -> bool:
    """Whether a claimed term is a number times the needed one."""
    ratio = sp.simplify(sp.powsimp(summand / term, force=True))
    return bool(ratio.is_number and ratio > 0)


def _solved() -> dict[str, bool]:
    """The thresholds solve their equations, and are numbers times the needed terms."""
    full = _full_terms()
    at = _thresholds()
    squares = sp.expand(
        3 * ((8 * D0) ** 2 + (8 * Th1) ** 2 + (32 * Th2 * Th5) ** 2) - (8 * D0 + 8 * Th1 + 32 * Th2 * Th5) ** 2
    )
    p, q, r = 8 * D0, 8 * Th1, 32 * Th2 * Th5
    return {
        "(a + b + c)^2 <= 3 (a^2 + b^2 + c^2)": identity(squares, (p - q) ** 2 + (q - r) ** 2 + (r - p) ** 2),
        "first term": identity((p + q + r) ** 2 / (m * at["first"]), (epsilon / 2) ** 2),
        "last term": identity(8 * B_y * Th3 / at["third"], epsilon / 2),
        "last threshold": _at_least(at["third"], full[-1]),
        "1/epsilon is a geometric mean": identity(m * (1 / (m * epsilon**2)), (1 / epsilon) ** 2),
    }


def _rate(claim: Claim, claimed: tuple[sp.Expr, ...]) -> Evidence:
    """1/K <= 1/sqrt(mK) for K >= m, and 1 <= ln(e (K+1))."""
    lacking = missing(claim, "K>=m", "K>=K_0")
    if lacking:
        return lacking
    (threshold,) = [r for h in claim.hypotheses if h.key == "K>=K_0" for r in conjuncts(h.relation)]
    log = sp.log(sp.E * (K_it + 1))
    order = sp.Add(*claimed)
    ok = {
        "the claimed order is ln(e (K+1))/sqrt(mK)": identity(
            sp.expand_log(order, force=True), sp.expand_log(log / sp.sqrt(m * K_it), force=True)
        ),
        "sqrt(mK)/sqrt(m K^3) <= 1": identity(sp.sqrt(m * K_it) / sp.sqrt(m * K_it**3), 1 / K_it),
        "sqrt(mK)/K <= 1 for K >= m": identity((sp.sqrt(m * K_it) / K_it) ** 2, m / K_it),
        "K is at least what is stated": threshold.rel_op == ">=" and threshold.args[0] == K_it,
    }
    return when(
        ok | conditions(threshold.args[1]),
        "each term of the corrected bound times sqrt(mK) is at most a constant times ln(e (K+1))",
    )


def check_exponent(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The solution of B Theta_2 Theta_4 = epsilon sqrt(m K^3), against the stated order."""
    (relation,) = conjuncts(claim.statement)
    solution = (B_y * Th2 * Th4) ** sp.Rational(2, 3) / (m ** sp.Rational(1, 3) * epsilon ** sp.Rational(2, 3))
    stated = [r for h in claim.hypotheses if h.key == "second_term" for r in conjuncts(h.relation)]
    solved = bool(stated) and all(
        r.rel_op == "==" and identity(r.args[0].subs(K_eps, solution), r.args[1]) for r in stated
    )
    if not solved or relation.args[0] != K_eps or relation.rel_op != "<=":
        yield unproved(f"K does not solve B Theta_2 Theta_4 = epsilon sqrt(m K^3), or {relation} is no bound on it")
        return
    ok = {
        "the stated order": _at_least(sp.expand_power_base(relation.args[1] / C_O, force=True), solution),
    }
    if all(ok.values()):
        yield certify(claim, ok, "K^{3/2} = B Theta_2 Theta_4/(sqrt(m) epsilon)")
        return
    ratio = sp.powsimp(sp.simplify(relation.args[1] / C_O / solution), force=True)
    said = (
        "the term of the proof's bound falls to epsilon at K = (B Theta_2 Theta_4)^{2/3}/(m^{1/3} epsilon^{2/3}); the "
        f"stated order is that times {ratio}"
    )
    yield growth.decide(claim, ladders_of("thm2.iii.exponent"), method="explicit numbers", detail=said)


def check_comparison(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """With w = m epsilon <= 1: the quotients are (w epsilon)^{2/3} and w, at most 1 as epsilon <= 1/m <= 1."""
    lacking = missing(claim, "epsilon<=1/m")
    ok = {}
    for relation in conjuncts(claim.statement):
        quotient = sp.simplify(relation.args[0] / relation.args[1])
        quotients = (m * epsilon, (m * epsilon**2) ** sp.Rational(2, 3))
        ok[str(relation)] = relation.rel_op == "<=" and any(identity(quotient, k) for k in quotients)
    yield lacking or when(
        ok, "the quotients are m epsilon <= 1 and (m epsilon^2)^{2/3} <= (m epsilon)^{2/3} <= 1, as m >= 1"
    )


CHECKS: dict[str, Check] = {
    **dict.fromkeys(("thm2.iii", "tab3.rate", "rem6.i.rate", "rem6.i.small"), read_kindly(check_complexity)),
    "rem6.i.comparison": check_comparison,
    "thm2.iii.exponent": check_exponent,
}
