"""The experiments of Section 4: the levels of the risk-averse problem, and what was rerun."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedmsa import experiments as claims
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.evidence import Evidence, Level
from rateproof.verify.form import choice, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.papers.fedmsa import risk
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget

#: Chance of an error in a whole reading.
SURE = 9e-7


@family(
    "two scenarios",
    U_high=reals(4, 1, 100),
    U_low=reals(0, 1, low=0.1, high=10, zero=True),
    weight_u=reals(1, "1/2", low=0.01, high=1),
    offset_u=reals(0, "1/10", low=0.01, high=1, zero=True),
    levels=choice("displayed", "squared"),
)
def two_scenarios(*, U_high: Number, U_low: Number, weight_u: Number, offset_u: Number, levels: str) -> dict[str, Any]:
    """``U`` is one of two numbers, each with probability 1/2."""
    if U_high < U_low:
        raise ValueError("U_high is at least U_low")
    mean, above = (U_high + U_low) / 2, (U_high - U_low) / 2
    deviation = above**2 / 2
    inner = above / 2 if levels == "displayed" else deviation
    return {
        "risk": mean + weight_u * sqrt(deviation),
        "composed": mean + weight_u * sqrt(inner + offset_u),
        "levels": Fact(levels == "displayed", f"f1 is the {levels} one"),
        "squared": Fact(levels == "squared", f"f1 is the {levels} one"),
    }


MCO = record(
    claims.MCO,
    families=[two_scenarios],
    refuted_by=example(
        two_scenarios,
        U_high=4,
        U_low=0,
        weight_u=1,
        offset_u=0,
        levels="displayed",
        left="3.41421",
        right="3",
        by_hand="U = 0 or 4, each with probability 1/2, lambda = 1, delta = 0: E U = 2 and max(0, U - 2) = 0 or 2. "
        "Its mean square is 2, so the objective is 2 + sqrt(2). Its mean is 1, so f2(f1(f0(x))) = 2 + 1.",
    ),
)

#: Updates of centralised training with which FedMSA is compared after 1,000 of its own, and the symbol for each.
_AFTER = {"as many updates": ("left_one", risk.UPDATES), "as many communications": ("left_few", risk.UPDATES // 5)}
#: How far z moves along, ``1 - (1 - beta)^1000``, by the hypothesis of a reading.
_LAGS = {
    "code": "; all steps of z together take it 1.4 percent of its way, so that f1 and f2 keep the slopes of the start",
    "equal steps": "; 1,000 steps of 0.0001 take z a tenth of its way, of 0.0003 a quarter, so that f1 and f2 keep "
    "slopes from near the start",
}


def compared(courses: risk.Courses, which: str) -> Iterator[Trial]:
    """The recorded runs that a hypothesis asks for; the sides differ by the median of the differences over draws.

    The error reaches as far as the interval around it does towards zero.
    """
    if which == "equal steps":
        found = [risk.equal(step) for step in risk.EQUAL]
    else:
        found = [risk.best(courses) if which == "best steps" else risk.AUTHORS]
    chance = SURE / (len(found) * len(_AFTER))
    for ours, other in found:
        left = courses[str(ours)][:, -1]
        for said, (symbol, updates) in _AFTER.items():
            lead = courses[str(other)][:, updates * risk.RECORDS // risk.UPDATES] - left
            middle, (low, high) = float(np.median(lead)), risk.interval(lead, chance)
            steps = f"steps {ours.alpha:g} of x, {ours.beta:g} of z, and {other.alpha:g}"
            yield Trial(
                f"{steps}, after {said}: FedMSA is nearer in {np.sum(lead > 0)} of {len(lead)} draws",
                {"left_msa": float(np.median(left)), symbol: float(np.median(left)) + middle},
                {
                    "risk": Fact(True, "a matrix of N(0, 1) entries is no covariance, its absolute value is taken"),
                    "printed": Fact(False, "the paper does not say its steps"),
                    **{key: Fact(key == which, steps) for key in ("code", "equal steps", "best steps")},
                },
                level=Level.STATISTICAL,
                # a tenth: the decider takes ten times what is stated
                absolute_error=(middle - low if middle > 0 else high - middle) / 10,
                error_probability=chance,
                at={"ours": str(ours), "other": str(other), "after": said},
            )


def check_risk(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """What the steps decide that each reading takes; the printed ones are not said."""
    courses = risk.recorded()
    readings = {"": (claim, "code")} | {s.reading: (claim.read(s), s.adding[0].key) for s in claim.switches}
    for reading, (read, which) in readings.items():
        trials = list(compared(courses, which))
        detail = "; ".join(trial.label for trial in trials) + _LAGS.get(which, "")
        detail = detail if reading else f"the paper does not say its steps; with those of the authors' code, {detail}"
        yield decide(read, trials, method="recorded runs", detail=detail, reading=reading)


MCO_1 = record(claims.MCO_1, check=check_risk)
