"""SARAH at one client, whose map is another one than the mean map: K steps of the same length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.on_a_line import PAST, STARTS, words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.planted.mutate import Sharp

SAMPLE: Axis = ("sample",)


def slope_in_vectors(**params: Any) -> InOutcomes:
    """The steps of :func:`slope` in the vectors of the proofs, one after the other; earlier noise is of two values."""
    of = in_floats(params)
    L, tau, step, samples = of["L_1"], of["tau_1"], of["step"], of["batch"]
    xi: list[Axis] = [("xi", i) for i in range(samples)]
    early: Axis = ("past", "noise")
    chances: dict[Axis, Sequence[float]] = {COORDINATE: [1.0], PAST: STARTS, SAMPLE: [1 / samples] * samples}
    chances |= dict.fromkeys((early, *xi), (0.5, 0.5))
    flat = Outcomes(chances, {}, {}, words(chances, "xi batch", "sample"))
    signs = flat.stacked(SAMPLE, [flat.along(axis, [L, -L]) for axis in xi])

    def linear(by: float | Grid) -> Callable[[Grid], tuple[Grid, None]]:
        return lambda points: (by * points, None)

    maps = {"p": linear(signs), "P_m": linear(0.0), "P": linear(-tau), "P_m - P": linear(tau)}

    def steps(setting: Setting) -> Iterator[Outcomes]:
        for k in range(1, 1 + (of["K"] if claims.error(claims.k) in setting.metrics else 1)):
            x = flat.along(PAST, [0.0, 1.0]) + (k - 1) * step
            drift = of["error"] + (k - 1) * tau * step
            noise = flat.along(early, [1.0, -1.0]) * L * abs(step) * sqrt((k - 1) / samples)
            made = {"h_m": drift - tau * x + noise, "x": x, "y": x + step, "e": signs * step}
            yield Outcomes(chances, made, maps, flat.knows, term={claims.k: k})

    return steps


@family(
    "a client whose map is 0",
    None,
    slope_in_vectors,
    error=reals(1, 0, 10, zero=True),
    step=reals(1, 0, 10, zero=True),
    L_1=reals(1, 100),
    tau_1=reals(1, 0, 10, zero=True),
    batch=counts(1, 2, 5, most=3),
    K=counts(1, 2, 5, 100, most=5),
    weight=reals(1, 0.01, 100),
)
def slope(
    *, error: Number, step: Number, L_1: Number, tau_1: Number, batch: int, K: int, weight: Number
) -> dict[str, Any]:
    """A sample is ``+-L x``, the mean map is ``-tau x``, and every step is the same, so that ``e_k`` drifts.

    ``error``: the first error of the estimator; ``step``: the length of every step.
    """
    errors = [(error + k * tau_1 * step) ** 2 + k * (L_1 * step) ** 2 / batch for k in range(K + 1)]
    return {
        **{"before": error**2, "moved": step**2, "drifted": (error + tau_1 * step) ** 2 + (L_1 * step) ** 2 / batch},
        **{"first": error**2, "moves": K * step**2, "mean_error": sum(errors[:K]) / K},
        "a sample of the client's map is L-Lipschitz in mean square": Fact(True, "its slope is +-L"),
        "the client's map less the mean map is tau-Lipschitz": Fact(True, "its slope is tau"),
        "a sample has mean P_m given the past": Fact(True, "both signs are equally likely"),
        "the samples of a batch are independent": Fact(True, "each has a sign of its own"),
    }


# equality where tau ||x+ - x|| = t ||e||
SARAH_DRIFT = record(claims.SARAH_DRIFT, families=[slope], tight=Sharp(terms=True))
SARAH_ROUND = record(claims.SARAH_ROUND, families=[slope])
