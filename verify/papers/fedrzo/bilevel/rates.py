"""Checks of Theorem 1 (ii), its explicit bound and Remark 4 (i): ladders of S-com in closed form, and proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim, Reading
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.bilevel import rate_proofs
from rateproof.verify.papers.fedrzo.bilevel.closed import last_missed, reached, steps_at
from rateproof.verify.papers.fedrzo.bilevel.single_runs import biased_trials, single_trials
from rateproof.verify.trial import Trial

METHOD = "closed form"
LEAST = "K_eps_all"
SHARED_LADDER = (
    "f~ = x^2/2 for |x| <= 3/2, then linear, m = 1, x_0 at the minimum, exact lower level: E||grad F_eta||^2 is about "
    "(mK)^{-1/4}/8, as all steps of a round push the same way, so K_eps grows like 1/(m eps^4)"
)
FAR_LADDER = (
    "f = |x| from x_0 = d + 1: the gradient is 1 while gamma k <= d, for all iterates if K <= d^2, and on average less "
    "than 1 - 1/(30 d^3) if K > d^2, so K_eps = d^2 + 1, while D_0 = d + 1/2"
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
    "frequency": "rounds of H steps, and a shorter one",
    "k*": "the mean over all iterates, in closed form or a constant",
}
_EXACT = ("lower_accurate", "lower_rate", "lower_rate_c")


def _rung(K: int, reached: float, label: str, **values: float) -> Trial:
    """What K iterations of one client reach with S-com, and an exact lower level."""
    facts = {key: Fact(True, why) for key, why in _KNOWN.items()}
    facts |= {key: Fact(True, "exact lower level, eps_r = 0") for key in _EXACT}
    base = {"m": 1.0, "n": 1.0, "nt": 1.0, "eta_s": 1.0, "mu_h": 1.0, "L_1h": 1.0, "L_h_x": 0.0, "L_y": 0.0, "Lam": 0.0}
    base |= {"B1": 0.0, "B2": 0.0, "eps_c_bl": 0.0, "sum_eps_bl": 0.0, "gamma": K**-0.5, "H": float(steps_at(K))}
    base |= {"K_it": float(K), "T_R": float(K + 1), "grad_kstar": reached}
    return Trial.exact(label, base | values, facts, error=1e-9)


def _needing(trial: Trial, K_eps: int, epsilon: float, why: str) -> Trial:
    """The rung with an accuracy and the iterations that it needs."""
    values = {**trial.values, "K_eps": float(K_eps), "epsilon": epsilon}
    return replace(trial, values=values, facts={**trial.facts, LEAST: Fact(True, why)})


def _bowl(K: int) -> Trial:
    """K iterations on the Huber bowl, from its minimum."""
    return _rung(
        K, float(reached(K)), f"f~ = x^2/2 for |x| <= 3/2, then linear, K = {K}, H = {steps_at(K)}", L_imp=1.5, D0=0.0
    )


def shared_ladder() -> Ladder:
    """Accuracies on the Huber bowl, from its minimum, that more and more iterations miss."""
    why = (
        "K_eps - 1 misses epsilon, which is what K_eps reaches; from there on gamma H, with which E||grad||^2 falls, "
        "stays below: it falls while H does not change, and behind each change of H it is lower than behind the last"
    )
    rungs = []
    for p in (16, 32, 64, 128, 256, 512, 1024, 2048, 8192):
        K = last_missed(p)
        rungs.append(_needing(_bowl(K), K + 1, float(reached(K + 1)), why))
    return Ladder("K", rungs, SHARED_LADDER)


def _slope(q: int) -> Trial:
    """``K = q^4`` steps down ``|x|`` from ``K^{1/2} + 1``: no iterate has left the slope."""
    return _rung(q**4, 1.0, f"|x|, x_0 = {q**2 + 1}, K = {q}^4", L_imp=1.0, D0=q**2 + 0.5)


def far_ladder() -> Ladder:
    """Starts on ``|x|`` further away, and accuracies just below the slope.

    With ``d = q^2`` and ``K > d^2`` some iterate is below 1. One that is at ``1 - gamma <= x < 1`` is followed by
    others in ``|x| <= 1 - gamma/2``, as the next step is at least ``gamma (2x - 1)``. For ``K = d^2 + 1`` it is the
    last one and at ``1 - (sqrt(K) - d)``; for ``K >= d^2 + 2`` at least ``(K - d^2)/3`` follow, and for ``K > 4 d^2``
    a quarter of all is in ``|x| <= 3/4``. In each case the mean of ``1 - grad^2`` is at least ``1/(30 d^3)``.
    """
    rungs = []
    for q in (8, 16, 32, 48, 64, 96, 128):
        d = q**2
        why = f"all iterates of K = {d}^2 stay on the slope; of more, the mean of 1 - grad^2 is at least 1/(30 d^3)"
        rungs.append(_needing(_slope(q), d**2 + 1, 1 - 1 / (30 * d**3), why))
    return Ladder("D", rungs, FAR_LADDER)


def loose_ladder() -> Ladder:
    """Accuracies that no K misses: K_eps is the least number that there is."""
    trials = []
    for decade in range(2, 9):
        epsilon = 10.0**decade
        rung = _rung(1, 1.0, f"|x| from 0, eta = 100, epsilon = {epsilon:g}", L_imp=1.0, D0=0.0, eta_s=100.0)
        trials.append(_needing(rung, 1, epsilon, "||grad F_eta|| <= n L = 1, so every K will do"))
    return Ladder("epsilon", trials, LOOSE_LADDER)


def check_iterations(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An iteration complexity of Algorithm 2 along three ladders, the last one for large epsilon."""
    ladders = [shared_ladder(), far_ladder(), loose_ladder()]
    tried = growth.decide(
        claim, ladders, method=METHOD, steady=growth.POWER, detail="the printed gamma and H, no lower-level error"
    )
    yield tried
    if tried.finding is not Finding.VIOLATION and claim.reading is Reading.CORRECTED:
        yield rate_proofs.complexity(claim)


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The bound with S-com put in, at K = p^4, and the corrected one by its four substitutions."""
    trials = [_bowl(p**4) for p in (8, 16, 32, 64, 128, 512, 2048, 8192)]
    trials += [_slope(q) for q in (8, 32, 64, 128, 256, 1024)]
    trials += [*single_trials(), *biased_trials()]
    tried = bounds.decide(claim, trials, method=METHOD, detail="runs with the printed gamma and H")
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
