"""Checks of Theorem 1 (iii) and of the rest of Remark 4 (i): rounds, and the sum of the lower-level accuracies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim, Hypothesis, conjuncts
from rateproof.theory.papers.fedrzo.bilevel.cases import upper
from rateproof.theory.papers.fedrzo.bilevel.notation import eps_c, sum_eps
from rateproof.theory.papers.fedrzo.bilevel.schedules import COM, K_LARGE
from rateproof.theory.papers.fedrzo.bilevel.theorem import CALL_STEPS, ROUNDS_AT_MOST_H, ROUNDS_OF, SUM_RATE
from rateproof.theory.papers.fedrzo.notation import H, K_eps, m, rounds
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, certificates, growth
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.premises import need_as_is
from rateproof.verify.deciders.readings import read_kindly
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.bilevel.exponents import same, unlike
from rateproof.verify.papers.fedrzo.bilevel.theorem_proofs import require
from rateproof.verify.trial import Trial

VALUES = "explicit numbers"
#: What R <= 2 (mK)^{3/4} rests on.
_LENGTHS = (COM, ROUNDS_OF, K_LARGE)
SHORT = "H = K^{1/4} as prescribed, m = 1, but all rounds have one step, so that R = K"
FEW = (
    "K = m^{3/2}, so that gamma = m^{-1/4}, H = 1 and R = K; a call makes T~_r = ceil(m^{-1} (r+1)^{2/3}) = 1 "
    "iteration, and eps_r = c/m adds up to c m^{1/2}: c/m is m^{1/4} times c (mK)^{-1/2} = c m^{-5/4}"
)


def check_rounds(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """R = ceil(K/H) <= 2 (mK)^{3/4}: at numbers, and with H >= (K/m^3)^{1/4}."""
    trials = [_rounds(m_, K) for m_ in (1, 2, 10, 100) for K in (m_**3, 2 * m_**3 + 1, 1000 * m_**3, 10**20 * m_**3)]
    fixed = replace(claim, statement=_with_constant(claim, 2))
    tried = bounds.decide(fixed, trials, method=VALUES, detail="explicitly R <= 2 (m K)^{3/4}")
    yield tried
    if tried.finding is Finding.HOLDS:
        order = K_eps / (K_eps / m**3) ** sp.Rational(1, 4)
        said = "R <= K/H + 1 and H >= (K/m^3)^{1/4}, so R <= (mK)^{3/4} + 1 <= 2 (mK)^{3/4} as mK >= 1"
        yield _by_exponents(claim, rounds, order, said, _LENGTHS)
    yield from _shorter_rounds(claim)


def _with_constant(claim: Claim, constant: int) -> sp.Rel:
    (relation,) = conjuncts(claim.statement)
    return relation.func(relation.lhs, relation.rhs.subs(C_O, constant), evaluate=False)


def _rounds(m_: int, K: int) -> Trial:
    H_ = _ceiling_root(K, m_**3)
    values = {"m": m_, "K_eps": K, "H": H_, "gamma": math.sqrt(m_ / K), "rounds": -(-K // H_)}
    facts = {key: Fact(True, "rounds of H steps, the last one shorter") for key in ("equal_rounds", "frequency")}
    return Trial.exact(f"m = {m_}, K = {K}, H = {H_}", {k: float(v) for k, v in values.items()}, facts)


def _ceiling_root(K: int, cube: int) -> int:
    """``ceil((K/cube)^(1/4))``."""
    H_ = max(1, round((K / cube) ** 0.25) - 2)
    while H_**4 * cube < K:
        H_ += 1
    return H_


def _by_exponents(claim: Claim, count: sp.Expr, order: sp.Expr, said: str, needs: tuple[Hypothesis, ...]) -> Evidence:
    """A proof of ``count <= O(order)`` for rounds of equal length and hypotheses that say what it uses."""
    (relation,) = conjuncts(claim.statement)
    try:
        require(claim, ("equal_rounds",))
        need_as_is(claim, *needs)
    except ValueError as refusal:
        return unlike(str(refusal))
    if relation.lhs != count or relation.rel_op != "<=" or not same(relation.rhs / C_O, order):
        return unlike(f"{count} is at most of order {order}, stated is {relation}")
    return certificates.proved(said, method="exponents")


def check_inexact(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """H sum eps_r/K where K is small against m^3, and with sum eps_r <= 3c R^{1/3}, R <= 2 (mK)^{3/4} and
    H <= 2 (K/m^3)^{1/4} where it is not."""
    ladder = growth.decide(claim, [few_ladder(), many_ladder()], method=VALUES, steady=growth.POWER)
    yield ladder
    trials = [_inexact(m_, K) for m_, K in ((1, 16), (2, 8 * 10**4), (10, 10**9))]
    fixed = replace(claim, statement=_with_constant(claim, 12))
    tried = bounds.decide(fixed, trials, method=VALUES, detail="explicitly at most 12c (m K)^{-1/2}")
    if ladder.finding is not Finding.VIOLATION:
        yield tried
    if ladder.finding is not Finding.VIOLATION and tried.finding is Finding.HOLDS:
        # H is (K/m^3)^{1/4} up to a factor 2
        (relation,) = conjuncts(claim.statement)
        leveled = replace(claim, statement=relation.subs(H, (K_eps / m**3) ** sp.Rational(1, 4)))
        said = "sum eps_r = O(c (mK)^{1/4}), and (K/m^3)^{1/4} (mK)^{1/4}/K = (mK)^{-1/2}"
        yield _by_exponents(leveled, sum_eps, eps_c * upper ** sp.Rational(1, 3), said, (*_LENGTHS, SUM_RATE))
    yield from _shorter_rounds(claim)
    if CALL_STEPS in claim.switches:
        strict, ladders = claim.read(CALL_STEPS), [few_ladder(), many_ladder(), four_ladder()]
        yield growth.decide(strict, ladders, method=VALUES, steady=growth.POWER, reading=CALL_STEPS.reading)


def _inexact(m_: int, K: int) -> Trial:
    base = _rounds(m_, K)
    bound = 3 * base.values["rounds"] ** (1 / 3)
    facts = {**base.facts, "lower_rate": Fact(True, "eps_r = 1/(m T~_r), T~_r = ceil((r+1)^(2/3)/m)")}
    return replace(base, values={**base.values, "eps_c_bl": 1.0, "sum_eps_bl": bound}, facts=facts)


def few_ladder() -> Ladder:
    """K = m^{3/2} rounds of one iteration, each with calls of one iteration."""
    return Ladder("m, K = m^(3/2)", [_telescoped(16**j, 64**j) for j in range(9)], FEW)


def many_ladder() -> Ladder:
    """K = 16 m^3 iterations in rounds of two."""
    why = "K = 16 m^3 and H = 2, with the same errors"
    return Ladder("m, K = 16 m^3", [_telescoped(m_, 16 * m_**3) for m_ in (4**j for j in range(9))], why)


def four_ladder() -> Ladder:
    """Four clients, with the same errors."""
    return Ladder("K, m = 4", [_telescoped(4, 8**j) for j in range(1, 14)], "four clients, with the same errors")


def _telescoped(m_: int, K: int) -> Trial:
    """Errors that add up to R^{1/3}, for m a square and R >= m^{3/2}: the first m^{3/2} of them to m^{1/2}.

    From then on ceil(x) <= 2x for x = (r+1)^{2/3}/m >= 1, so that 1/(m ceil(x)) >= (r+1)^{-2/3}/2, and
    (r+1)^{1/3} - r^{1/3} <= r^{-2/3}/3 is less.
    """
    base = _rounds(m_, K)
    said = (
        "T~_r = ceil((r+1)^(2/3)/m), which is 1 for r + 1 <= m^(3/2): eps_r = 1/m for these r, then "
        "(r+1)^(1/3) - r^(1/3), at most 1/(m T~_r) and at most (r+1)^(-2/3)"
    )
    known = {**base.facts, "lower_rate": Fact(True, said)}
    values = {**base.values, "eps_c_bl": 1.0, "sum_eps_bl": base.values["rounds"] ** (1 / 3)}
    return replace(base, values=values, facts=known)


# --- the other reading: rounds of at most H steps


def _shorter_rounds(claim: Claim) -> Iterator[Evidence]:
    if ROUNDS_AT_MOST_H in claim.switches:
        loose = claim.read(ROUNDS_AT_MOST_H)
        yield growth.decide(loose, [short_ladder()], method=VALUES, reading=ROUNDS_AT_MOST_H.reading)


def short_ladder() -> Ladder:
    """K = p^4 rounds of one step each; the sum over them of (r+1)^{-2/3} is at least 3 (R^{1/3} - 1)."""
    trials = []
    for p in (10.0**k for k in range(1, 10)):
        values = {"m": 1.0, "K_eps": p**4, "H": p, "gamma": p**-2, "rounds": p**4, "eps_c_bl": 1.0}
        values["sum_eps_bl"] = 3 * (values["rounds"] ** (1 / 3) - 1)
        rate = "eps_r = (r+1)^(-2/3) <= 2/T~_r, T~_r = ceil((r+1)^(2/3))"
        facts = {"frequency": Fact(True, "1 <= H"), "lower_rate": Fact(True, rate)}
        trials.append(Trial.exact(f"K = {p:g}^4 rounds of one step, H = {p:g}", values, facts, error=1e-9))
    return Ladder("K", trials, SHORT)


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.thm1.iii": check_rounds,
    "fedrzo.rem4.i.rounds": check_rounds,
    "fedrzo.rem4.i.inexact": read_kindly(check_inexact),
    "fedrzo.rem4.i.inexact.corrected": check_inexact,
}
