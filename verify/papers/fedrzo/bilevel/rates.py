"""Checks of Theorem 1 (ii), its explicit bound and Remark 4 (i): ladders of S-com in closed form, and proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction as Q

from algos.problems.base import Fact
from theory.claim import Claim, Reading
from verify.checks import Budget
from verify.deciders import bounds, growth
from verify.deciders.growth import Ladder
from verify.evidence import Evidence, Finding
from verify.papers.fedrzo.bilevel import rate_proofs
from verify.papers.fedrzo.bilevel.closed import Bowl
from verify.trial import Trial

METHOD = "closed form"
JUST_BELOW = 0.9
LEAST = "K_eps"
SHARED_LADDER = (
    "f~ = hub_{3/2}(x), m = 1, x_0 at the minimum, exact lower level: E||grad||^2 is about (mK)^{-1/4}/8, as all "
    "steps of a round push the same way, so K_eps grows like 1/(m eps^4)"
)
FAR_LADDER = (
    "f = |x| from x_0 = D, D_0 about D: the gradient is 1 while gamma k <= sqrt(K) <= D - 2, so K_eps > (D - 2)^2"
)
LOOSE_LADDER = "f = |x|, eta = 100: E||grad||^2 <= 1 <= epsilon for every K, so K_eps = 1, while 1/epsilon falls"
#: Structural hypotheses of all ladders; the lower level is exact.
_KNOWN = {
    "implicit_lipschitz": "a Huber loss or |x|, L_imp is its steepest slope",
    "lower_level": "h = y^2/2, solved by y = 0 for every x",
    "sets": "X_i = R",
    "dissimilarity": "X_i = R, both sides are zero",
    "lower_sets": "Y = R for all x",
    "y_lipschitz": "y(x) = 0",
    "one_direction": "one direction a round; m = 1",
    "samples": "the loss is not random",
    "frequency": "rounds of H steps, and one of 1",
    "k*": "the mean over all iterates, in closed form or a constant",
}
_EXACT = ("lower_accurate", "lower_rate", "lower_rate_c")


def _rung(p: int, reached: float, label: str, **values: float) -> Trial:
    """A rung of S-com at K = p^4, m = 1: H = p, gamma = 1/p^2, p^3 rounds and a step; it misses its accuracy."""
    known = {key: Fact(True, why) for key, why in _KNOWN.items()}
    known |= {key: Fact(True, "exact lower level, eps_r = 0") for key in _EXACT}
    known[LEAST] = Fact(True, "K misses epsilon, so K_eps is at least K + 1, which stands for it")
    base = {"m": 1.0, "n": 1.0, "nt": 1.0, "eta_s": 1.0, "mu_h": 1.0, "L_1h": 1.0, "L_h_x": 0.0, "L_y": 0.0, "Lam": 0.0}
    base |= {"B1": 0.0, "B2": 0.0, "eps_c_bl": 0.0, "sum_eps_bl": 0.0, "gamma": float(p) ** -2, "H": float(p)}
    base |= {"K_it": float(p) ** 4, "K_eps": float(p) ** 4, "T_R": float(p) ** 4 + 1, "grad_kstar": reached}
    return Trial(label, base | {"epsilon": JUST_BELOW * reached} | values, known, error=1e-9)


def shared_ladder() -> Ladder:
    """K = p^4 on the Huber bowl, from its minimum."""
    trials = []
    for p in (8, 16, 32, 64, 128, 512, 2048, 8192):
        reached = float(at_com(p).many_digits()["grad_kstar"])
        trials.append(_rung(p, reached, f"hub_3/2, K = {p}^4, H = {p}, gamma = {p}^-2", L_imp=1.5, D0=0.0))
    return Ladder("K", trials, SHARED_LADDER)


def at_com(p: int) -> Bowl:
    """The run of T_R = K + 1 steps that S-com prescribes for K = p^4 and one client."""
    return Bowl(Q(1, p * p), p, 1, p**3, rest=1)


def far_ladder() -> Ladder:
    """f = |x| from D = sqrt(K) + 2: no iterate has left the slope."""
    trials = []
    for p in (32, 64, 128, 256, 1024, 4096):
        distance = float(p * p + 2)
        trials.append(_rung(p, 1.0, f"|x|, x_0 = {distance:g}, K = {p}^4", L_imp=1.0, D0=distance - 0.5))
    return Ladder("D", trials, FAR_LADDER)


def loose_ladder() -> Ladder:
    """Accuracies that no K misses: K_eps is the least number that there is."""
    trials = []
    for decade in range(2, 9):
        epsilon = 10.0**decade
        found = _rung(1, 1.0, f"|x| from 0, eta = 100, epsilon = {epsilon:g}", L_imp=1.0, D0=0.0, eta_s=100.0)
        fact = Fact(True, "||grad F_eta|| <= n L = 1, so every K will do")
        trials.append(replace(found, values={**found.values, "epsilon": epsilon}, facts={**found.facts, LEAST: fact}))
    return Ladder("epsilon", trials, LOOSE_LADDER)


def _with_least(ladder: Ladder) -> Ladder:
    """The ladder for K_eps as the least number that is not missed: K + 1."""
    trials = [replace(t, values={**t.values, "K_eps": t.values["K_it"] + 1}) for t in ladder.trials]
    return replace(ladder, trials=trials)


def check_iterations(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An iteration complexity of Algorithm 2 along two ladders; one that says what K_eps is also for large epsilon."""
    ladders = [shared_ladder(), far_ladder()]
    if any(h.key == LEAST for h in claim.hypotheses):
        ladders = [*map(_with_least, ladders), loose_ladder()]
    tried = growth.decide(claim, ladders, method=METHOD, steady=growth.POWER, detail="S-com, no lower-level error")
    yield tried
    if tried.finding is not Finding.VIOLATION and claim.reading is Reading.CORRECTED:
        yield rate_proofs.complexity(claim)


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The bound with S-com put in: on the ladders, and the corrected one by its four substitutions."""
    trials = [*shared_ladder().trials, *far_ladder().trials]
    tried = bounds.decide(claim, trials, method=METHOD, detail="the ladders of S-com")
    yield tried
    if tried.finding is not Finding.VIOLATION and claim.reading is Reading.CORRECTED:
        yield rate_proofs.explicit(claim)


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.thm1.ii": check_iterations,
    "fedrzo.thm1.ii.corrected": check_iterations,
    "fedrzo.thm1.ii-x": check_explicit,
    "fedrzo.thm1.ii-x.corrected": check_explicit,
    "fedrzo.rem4.i.iterations": check_iterations,
    "fedrzo.rem4.i.iterations.corrected": check_iterations,
}
