"""The condition number of the game of Section 6.4: it grows with the number of followers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.twostage import experiment as ex
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds
from rateproof.verify.deciders.certificates import when
from rateproof.verify.evidence import Evidence, Level
from rateproof.verify.papers.fedrzo.twostage.common import facts_of, missing, refuted
from rateproof.verify.papers.fedrzo.twostage.table4_printed import FOLLOWERS, SLOPES
from rateproof.verify.trial import Trial

_APART = "costs apart in the one, all high in the other"
_METHOD = "eigenvalues"
_DETAIL = "the Jacobian of G in y, diag(c + b) + b 1 1^T"
#: Range of the costs.
LOW, HIGH = Fraction(9, 100), Fraction(11, 100)

Costs = tuple[float, ...]


@lru_cache(maxsize=64)
def condition_number(costs: Costs, b: float) -> float:
    """``lambda_max/lambda_min`` of ``diag(c + b) + b 1 1^T``, which is L_F/mu_F."""
    eigenvalues = np.linalg.eigvalsh(np.diag(np.array(costs) + b) + b)
    return float(eigenvalues[-1] / eigenvalues[0])


def range_of(followers: int, b: Fraction) -> tuple[Fraction, Fraction]:
    """Numbers between which the condition number lies for all costs in [0.09, 0.11] and at least two followers.

    The quotient of 1 is at least ``LOW + b + nt b``, and no eigenvalue is larger than ``HIGH + b + nt b``; none is
    smaller than ``LOW + b``, and the quotient of ``e_1 - e_2`` is at most ``HIGH + b``.
    """
    return (LOW + b + followers * b) / (HIGH + b), (HIGH + b + followers * b) / (LOW + b)


def _trial(few: Costs, many: Costs, b: float, said: str, *keys: str) -> Trial:
    return Trial(
        label=f"b = {b:g}, {len(few)} and {len(many)} followers, {said}",
        values={"kappa_less_game": condition_number(few, b), "kappa_game": condition_number(many, b)},
        facts=facts_of({"game": "costs in [0.09, 0.11]", "kappa_of_game": _DETAIL} | dict.fromkeys(keys, said)),
        level=Level.FLOAT,
        at={"b": b, "few": len(few), "many": len(many), "costs": said},
    )


def _drawn(followers: int) -> Costs:
    return tuple(np.random.default_rng(followers).uniform(float(LOW), float(HIGH), followers))


@lru_cache(maxsize=1)
def trials() -> tuple[Trial, ...]:
    """The printed sizes: equal costs, costs drawn for each game, and the costs that bring two games closest."""
    return tuple(_printed_sizes())


def _printed_sizes() -> Iterator[Trial]:
    for b in SLOPES:
        for few, many in pairwise(FOLLOWERS):
            yield _trial((0.1,) * few, (0.1,) * many, b, "costs 1/10", "sizes", "nested")
            yield _trial(_drawn(few), _drawn(many), b, "costs drawn for each game", "sizes")
            yield _trial(_spread(few), (float(HIGH),) * many, b, _APART, "sizes")


def _spread(followers: int) -> Costs:
    """Two costs at the lower end, which make the smallest eigenvalue ``LOW + b``; the others at the upper end."""
    return (float(LOW),) * 2 + (float(HIGH),) * (followers - 2)


def other_sizes() -> Iterator[Trial]:
    """One follower more: with costs anew, and with the costs of those there are."""
    for b in SLOPES:
        for followers in (2, 10, 100):
            costs = _drawn(followers + 1)
            yield _trial(costs[:-1], costs, b, "one follower is added", "nested")
            yield _trial(_spread(followers), (*_spread(followers), float(HIGH)), b, "one follower is added", "nested")
            yield _trial(_spread(followers), (float(HIGH),) * (followers + 1), b, _APART)


def check_kappa(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """For the printed sizes and all costs; for other sizes with costs anew; with followers added."""
    evidence = bounds.decide(claim, trials(), method=_METHOD, detail=_DETAIL)
    yield evidence
    if not refuted(evidence):
        said = (
            "whatever the costs, kappa_F lies between (0.09 + b + nt b)/(0.11 + b) and (0.11 + b + nt b)/(0.09 + b), "
            "and these intervals of the printed nt do not meet"
        )
        yield missing(claim, "game", "kappa_of_game", "sizes") or when(_statement(claim) | _apart(), said)
    for switch in claim.switches:
        own, more = claim.read(switch), (*trials(), *other_sizes())
        tried = bounds.decide(own, more, method=_METHOD, detail=_DETAIL, reading=switch.reading)
        yield tried
        if not refuted(tried):
            yield replace(_added(own), reading=switch.reading)


def _statement(claim: Claim) -> dict[str, bool]:
    (relation,) = conjuncts(claim.statement)
    same = relation.rel_op in ("<", "<=") and relation.args == (ex.kappa_less, ex.kappa_game)
    return {"the statement is kappa_F of fewer < kappa_F of more": same}


def _apart() -> dict[str, bool]:
    """The ranges of the printed sizes do not meet, in fractions."""
    return {
        f"b = {b:g}: {few} and {many} followers": range_of(few, Fraction(b))[1] < range_of(many, Fraction(b))[0]
        for b in SLOPES
        for few, many in combinations(FOLLOWERS, 2)
    }


def _added(claim: Claim) -> Evidence:
    """The Jacobian with fewer followers is a principal submatrix, and all entries are positive."""
    L, mu, less = sp.symbols("L mu less", nonnegative=True)
    more = sp.Symbol("more", positive=True)
    # (L + more)/mu > L/(mu + less) with mu > 0 of the larger game
    numerator = sp.expand(((L + more) * (mu + less) - L * mu).subs(mu, 1 + mu))
    ok = _statement(claim) | {"L'/mu' > L/mu for L' = L + more, mu = mu' + less": bool(numerator.is_positive)}
    said = (
        "the Jacobian with fewer followers is a principal submatrix: its smallest eigenvalue is no smaller (Cauchy), "
        "and its largest is smaller, as all entries are positive (Perron)"
    )
    return missing(claim, "game", "kappa_of_game", "nested") or when(ok, said)
