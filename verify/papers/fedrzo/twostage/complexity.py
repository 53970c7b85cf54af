"""Theorem 2 (iii), the bound of its proof, Remark 6 (i) and the rate of Table 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from theory.claim import Claim
from theory.papers.fedrzo.notation import B2, D0, K_eps, K_it, grad_kstar, m
from theory.papers.fedrzo.twostage.notation import ACCURATE, ELL, K_0, B_y, Th1, Th2, Th3, Th4, Th5
from theory.symbols import C_O, epsilon
from verify.checks import Budget, Check
from verify.deciders import bounds, growth
from verify.deciders.certificates import identity
from verify.deciders.growth import Ladder
from verify.evidence import Evidence, Finding, Level
from verify.papers.fedrzo.twostage import descent
from verify.papers.fedrzo.twostage.common import missing, refuted, unproved, when
from verify.papers.fedrzo.twostage.families import descent_needs, slide, slide_needs, slow, slow_needs
from verify.papers.fedrzo.twostage.solved_runs import solved_trials
from verify.trial import Trial, conjuncts

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


def few_iterations() -> Ladder:
    """K = m: every step overshoots by more."""
    why = "with K = m and eta = 1/4 the gradient after k steps is (-3)^k"
    return Ladder("m = K", [slide(2.0**j, 2.0**j) for j in range(1, 8)], why)


def enough_iterations() -> Ladder:
    """K = K_0 with growing m: the metric times sqrt(mK) stays bounded."""
    trials = [slide(10.0**j, 3e6 * 10.0**j, eta=10.0) for j in range(1, 10)]
    return Ladder("m, with K = 3e6 m", trials, "the rate is met from K_0 on")


#: By claim id, without the paper's prefix; a corrected claim is tried along those of the printed one.
LADDERS: dict[str, tuple[Callable[[], Ladder], ...]] = {
    "thm2.iii": (clients, distances, accuracies),
    "rem6.i.rate": (clients, accuracies),
    "rem6.i.small": (lambda: clients(small=True), accuracies),
    "tab3.rate": (few_iterations, enough_iterations),
}


@lru_cache(maxsize=16)
def ladders_of(item: str) -> tuple[Ladder, ...]:
    """The ladders along which a claim, printed or corrected, is tried."""
    return tuple(ladder() for ladder in LADDERS[item])


def _item(claim: Claim) -> str:
    return claim.id.removeprefix("fedrzo.").removesuffix(".corrected")


def check_complexity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Along the ladders; what stays bounded there, from the explicit bound of the corrected proof."""
    found = growth.decide(claim, ladders_of(_item(claim)), method="ladders in closed form")
    yield found
    if not refuted(found):
        yield missing(claim, "monotone_queried", "t_k_all", "tau", "gamma_com", "H_com") or _from_bound(claim)


# --- complexities from the corrected bound: each of its three terms at most epsilon/3


def _thresholds() -> dict[str, sp.Expr]:
    """The K from which on each term of the corrected bound, without its logarithm, is at most epsilon/3."""
    first, second, third = 8 * D0 + 8 * Th1 + 32 * Th2 * Th5, 32 * B_y * Th2 * Th4, 8 * B_y * Th3
    return {
        "first": 9 * first**2 / (m * epsilon**2),
        "second": (9 * second**2 / (m * epsilon**2)) ** sp.Rational(1, 3),
        "third": 3 * third / epsilon,
    }


def _from_bound(claim: Claim) -> Evidence:
    (relation,) = conjuncts(claim.statement)
    claimed = sp.Add.make_args(sp.expand(relation.args[1] / C_O))
    if relation.rel_op != "<=":
        return unproved(f"the proof is for an upper bound, not for {relation}")
    if relation.args[0] == grad_kstar:
        return _rate(claim, claimed)
    item = _item(claim)
    if item == "thm2.iii":
        needed = _full_terms()
    elif item == "rem6.i.rate":
        needed = [m, 1 / (m * epsilon**2), 1 / (m ** sp.Rational(1, 3) * epsilon ** sp.Rational(2, 3)), 1 / epsilon]
    else:
        lacking = missing(claim, "epsilon<=1/m")
        if lacking:
            return lacking
        needed = [1 / (m * epsilon**2)]  # m, and by rem6.i.comparison the others, are at most this
    ok = {f"the term {term}": any(_at_least(own, term) for own in claimed) for term in needed}
    said = (
        "K_0 and the K at which each of the three terms of the corrected bound is epsilon/3; O~ takes their logarithms"
    )
    return when(ok | _solved(), said)


def _full_terms() -> list[sp.Expr]:
    thirds = m ** sp.Rational(1, 3) * epsilon ** sp.Rational(2, 3)
    return [
        K_0.xreplace({K_it: K_eps}),
        D0**2 / (m * epsilon**2),
        Th1**2 / (m * epsilon**2),
        Th2**2 * Th5**2 / (m * epsilon**2),
        (B_y * Th2 * Th4) ** sp.Rational(2, 3) / thirds,
        B_y * Th3 / epsilon,
    ]


def _at_least(own: sp.Expr, term: sp.Expr) -> bool:
    """Whether a claimed term is a number times the needed one."""
    ratio = sp.simplify(sp.powsimp(own / term, force=True))
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
        "first term": identity((p + q + r) ** 2 / (m * at["first"]), (epsilon / 3) ** 2),
        "second term": identity((32 * B_y * Th2 * Th4) ** 2 / (m * at["second"] ** 3), (epsilon / 3) ** 2),
        "second threshold": _at_least(at["second"], full[4]),
        "third term": identity(8 * B_y * Th3 / at["third"], epsilon / 3),
        "third threshold": _at_least(at["third"], full[5]),
    }


def _rate(claim: Claim, claimed: tuple[sp.Expr, ...]) -> Evidence:
    """1/K <= 1/sqrt(mK) for K >= m, and 1 <= ln(e (K+1))."""
    lacking = missing(claim, "K>=m", "K>=K_0")
    if lacking:
        return lacking
    log = sp.log(sp.E * (K_it + 1))
    order = sp.Add(*claimed)
    ok = {
        "the claimed order is ln(e (K+1))/sqrt(mK)": identity(
            sp.expand_log(order, force=True), sp.expand_log(log / sp.sqrt(m * K_it), force=True)
        ),
        "sqrt(mK)/sqrt(m K^3) <= 1": identity(sp.sqrt(m * K_it) / sp.sqrt(m * K_it**3), 1 / K_it),
        "sqrt(mK)/K <= 1 for K >= m": identity((sp.sqrt(m * K_it) / K_it) ** 2, m / K_it),
    }
    return when(ok, "each term of the corrected bound times sqrt(mK) is at most a constant times ln(e (K+1))")


# --- explicit bounds

#: What part (i) as corrected needs.
_PART_I = ("monotone_queried", "alg5", "alpha", "B", "t_k_all")


def explicit_trials() -> Iterator[Trial]:
    """Runs with the stepsizes of S-com, below and from K_0 on, and with those of part (ii) on ``slow``."""
    yield from (slide(m_, m_) for m_ in (10.0, 100.0, 2.0))
    yield from (slide(m_, 3e6 * m_, eta=eta) for m_ in (1.0, 10.0, 1e4) for eta in (2.0, 10.0, 1e3))
    yield from (slow(2000, 0.06, 1e-3), slow(10**4, 0.02, 1e-3))


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The bound of the proof of (iii) on runs with S-com, and, as corrected, from the bound of (ii)."""
    found = bounds.decide(
        claim, explicit_trials(), method="closed forms", detail="equal clients with loss x and X_i = {0}"
    )
    yield found
    if not refuted(found):
        keys = (
            "monotone_queried",
            "alg5",
            "alpha",
            "B",
            "t_k_all",
            "tau",
            "gamma_com",
            "H_com",
            "K>=K_0",
            "equal_rounds",
        )
        yield missing(claim, *keys, "K=T_R-1", "k*") or _substituted(claim)


def _substituted(claim: Claim) -> Evidence:
    """Part (ii) with gamma = sqrt(m/K), H gamma <= 2 (mK)^{-1/4}, T_R = K + 1 and sum eps_k <= B ln(e T_R)."""
    (relation,) = conjuncts(claim.statement)
    limit = relation.args[1]
    root, log = sp.sqrt(m * K_it), sp.log(sp.E * (K_it + 1))
    h2 = 4 / root  # bounds H^2 gamma^2 for K >= m^3; with H = 1 there is no drift and no such term
    terms = {
        "8 D_0/(gamma T_R) <= 8 D_0/sqrt(mK)": (8 * D0 / (sp.sqrt(m / K_it) * K_it), 8 * D0 / root),
        "8 gamma Theta_1/m": (8 * sp.sqrt(m / K_it) * Th1 / m, 8 * Th1 / root),
        "8 H^2 gamma^2 Theta_2 Theta_5": (8 * h2 * Th2 * Th5, 32 * Th2 * Th5 / root),
        "8 H^2 gamma^2 Theta_2 Theta_4 sum/T_R": (
            8 * h2 * Th2 * Th4 * B_y * log / K_it,
            32 * B_y * Th2 * Th4 * log / sp.sqrt(m * K_it**3),
        ),
        "8 Theta_3 sum/T_R": (8 * Th3 * B_y * log / K_it, 8 * B_y * Th3 * log / K_it),
    }
    ok = {name: identity(*pair) for name, pair in terms.items()}
    ok["they sum to the bound"] = relation.rel_op == "<=" and identity(
        sp.expand_log(limit, force=True), sp.expand_log(sum(b for _, b in terms.values()), force=True)
    )
    ok |= _conditions(claim)
    return when(
        ok,
        "for K >= m^3, H <= 2 (K/m^3)^{1/4}; for K < m^3, H = 1, and the terms of the drift are absent; K_0 gives both "
        "conditions of part (ii), and its sum of accuracies is at most B ln(e (K+1)) by thm2.iii-b.corrected",
    )


def _conditions(claim: Claim) -> dict[str, bool]:
    """K >= K_0 gives the step conditions of part (ii); both squared, with H gamma <= 2 (mK)^{-1/4}."""
    (relation,) = [r for h in claim.hypotheses if h.key == "K>=K_0" for r in conjuncts(h.relation)]
    members = relation.args[1].args if isinstance(relation.args[1], sp.Max) else (relation.args[1],)
    smooth = [k for k in members if identity(m / k, 1 / (16 * ELL) ** 2)]
    sets = [k for k in members if identity((864 * B2**2 * Th2 * 4) ** 2, m * k)]
    return {
        "gamma <= eta/(16 (L n + 1)) from K_0 on": relation.rel_op == ">=" and bool(smooth),
        "864 B_2^2 Theta_2 H^2 gamma^2 <= 1 from K_0 on": relation.rel_op == ">=" and bool(sets),
    }


def check_composed(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Parts (i) and (ii) together: a lower level that is slow outside X; as corrected, proved from both parts."""
    found = bounds.decide(
        claim,
        [*explicit_trials(), *solved_trials()],
        method="exact moments",
        detail="second moments by their exact recursion, and runs on all branches",
    )
    yield found
    if refuted(found):
        return
    if lacking := missing(claim, *_PART_I):
        yield lacking
        return
    # part (i) as corrected gives the accuracies of line 5 of Algorithm 4
    accurate = replace(claim, hypotheses=(*claim.hypotheses, ACCURATE))
    for proof in descent.check_theorem(accurate, budget):
        yield replace(proof, detail=f"eps_k bounds the errors by thm2.i.corrected; then as thm2.ii: {proof.detail}")


def check_exponent(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The solution of B Theta_2 Theta_4 = epsilon sqrt(m K^3), against the stated order."""
    (relation,) = conjuncts(claim.statement)
    solution = (B_y * Th2 * Th4) ** sp.Rational(2, 3) / (m ** sp.Rational(1, 3) * epsilon ** sp.Rational(2, 3))
    ok = {
        "it solves the equation": identity(solution**3 * m * epsilon**2, (B_y * Th2 * Th4) ** 2),
        "the stated order": _at_least(sp.expand_power_base(relation.args[1] / C_O, force=True), solution),
    }
    if all(ok.values()):
        yield when(ok, "K^{3/2} = B Theta_2 Theta_4/(sqrt(m) epsilon)")
        return
    ratio = sp.powsimp(sp.simplify(relation.args[1] / C_O / solution), force=True)
    yield Evidence(
        Finding.CONTRADICTION,
        Level.CERTIFICATE,
        "exponents",
        "the term of the proof's bound falls to epsilon at K = (B Theta_2 Theta_4)^{2/3}/(m^{1/3} epsilon^{2/3}); the "
        f"stated order is that times {ratio}, which may be as small as one likes",
    )


def check_comparison(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """With w = m epsilon <= 1: the quotients are (w epsilon)^{2/3} and w, at most 1 as epsilon <= 1/m <= 1."""
    lacking = missing(claim, "epsilon<=1/m")
    ok = {}
    for relation in conjuncts(claim.statement):
        quotient = sp.simplify(relation.args[0] / relation.args[1])
        known = (m * epsilon, (m * epsilon**2) ** sp.Rational(2, 3))
        ok[str(relation)] = relation.rel_op == "<=" and any(identity(quotient, k) for k in known)
    yield lacking or when(
        ok, "the quotients are m epsilon <= 1 and (m epsilon^2)^{2/3} <= (m epsilon)^{2/3} <= 1, as m >= 1"
    )


CHECKS: dict[str, Check] = {
    **dict.fromkeys(
        ("thm2.iii", "thm2.iii.corrected", "tab3.rate", "tab3.rate.corrected"),
        check_complexity,
    ),
    **{f"rem6.i.{part}{end}": check_complexity for part in ("rate", "small") for end in ("", ".corrected")},
    "rem6.i.comparison": check_comparison,
    "thm2.iii.exponent": check_exponent,
    "thm2.iii.exponent.corrected": check_exponent,
    "thm2.iii-x": check_explicit,
    "thm2.iii-x.corrected": check_explicit,
    "thm2.i-ii": check_composed,
    "thm2.i-ii.corrected": check_composed,
}
