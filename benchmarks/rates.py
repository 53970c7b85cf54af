"""How often ``assert_rate(..., errors="normal")`` fails true rates, and how often it finds slower ones.

The values are squared errors of the mean of the first n noises of a run (averaged SGD on a quadratic), whose
expectation is 1/n exactly; those of slower rates are the same times a power of n, or log n. Noises are normal, as the
mode assumes, or others. Error probabilities of 0.1 and 0.01 can be measured; 1e-6 is the default.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import show
from rateproof.rates import RateError, UndecidedError, assert_rate
from rateproof.verify.rates.spending import collect

Array = NDArray[np.float64]
ONE_DECADE = np.array([100, 150, 220, 330, 470, 680, 1000])
TWO_DECADES = np.array([10, 20, 50, 100, 200, 500, 1000])
TOLERANCE = 0.3
#: Variance of a noise of Student's t with 3 degrees of freedom.
_STUDENT = 3.0


def _normal(rng: np.random.Generator, shape: tuple[int, int], count: Array) -> Array:
    return rng.standard_normal(shape) * np.sqrt(count)


def _coins(rng: np.random.Generator, shape: tuple[int, int], count: Array) -> Array:
    return 2.0 * rng.binomial(count.astype(int), 0.5, shape) - count


def _laplace(rng: np.random.Generator, shape: tuple[int, int], count: Array) -> Array:
    return (rng.gamma(count, size=shape) - rng.gamma(count, size=shape)) / np.sqrt(2)


def _student(rng: np.random.Generator, shape: tuple[int, int], count: Array) -> Array:
    ends = count.cumsum().astype(int)
    draws = rng.standard_t(_STUDENT, (shape[0], ends[-1])) / np.sqrt(_STUDENT)
    return np.add.reduceat(draws, np.r_[0, ends[:-1]], axis=1)


#: Sums of so many noises of variance 1 between one point and the next; Student's has no fourth moment.
NOISES: dict[str, Callable[[np.random.Generator, tuple[int, int], Array], Array]] = {
    "normal": _normal,
    "coin flips": _coins,
    "Laplace": _laplace,
    "Student, 3": _student,
}
RATES: dict[str, Callable[[Array], Array]] = {
    "true": np.ones_like,
    "0.3 off": lambda at: at**0.3,
    "0.5 off": lambda at: at**0.5,
    "no log": np.log,
}


def squared_errors(noise: str, at: Array, runs: int, rng: np.random.Generator) -> Array:
    """Squared errors of running means, shape ``(runs, points)``; their expectation is ``1/at``."""
    sums = NOISES[noise](rng, (runs, at.size), np.diff(at, prepend=0)).cumsum(axis=1)
    return (sums / at) ** 2


#: Error probabilities that are stated; None is the default one, without a word on the noise.
STATED: dict[str, dict[str, object]] = {
    "normal, 0.1": {"errors": "normal", "error_probability": 0.1},
    "normal, 0.01": {"errors": "normal", "error_probability": 0.01},
    "normal, 1e-06": {"errors": "normal"},
    "any, 1e-06": {},
}


def outcome(values: Array, at: Array, stated: dict[str, object]) -> type[RateError] | None:
    """How a test of the rate 1/n fails; None where it passes."""
    try:
        assert_rate(values, at=at, exponent=-1, tolerance=TOLERANCE, **stated)  # type: ignore[arg-type]
    except RateError as failure:
        return type(failure)
    finally:
        collect()
    return None


def failures(
    noise: str, at: Array, runs: int, repetitions: int, stated: dict[str, dict[str, object]] = STATED, *, seed: int = 0
) -> dict[tuple[str, str], tuple[float, float]]:
    """By what is stated and by rate: the shares of repetitions that fail because the rate is slower, and undecided."""
    rng = np.random.default_rng(seed)
    counts = {(name, rate): [0, 0] for name in stated for rate in RATES}
    for _ in range(repetitions):
        values = squared_errors(noise, at, runs, rng)
        for (name, rate), count in counts.items():
            failed = outcome(values * RATES[rate](at.astype(float)), at, stated[name])
            count[0] += failed is RateError
            count[1] += failed is UndecidedError
    return {key: (slower / repetitions, undecided / repetitions) for key, (slower, undecided) in counts.items()}


def main(repetitions: int = 200) -> None:
    """Measure and print."""
    rows = []
    for noise in NOISES:
        for at, runs in ((ONE_DECADE, 300), (ONE_DECADE, 400), (TWO_DECADES, 300)):
            found = failures(noise, at, runs, repetitions)
            for name in STATED:
                cells = (" + ".join(f"{100 * share:.3g}" for share in found[name, rate]) for rate in RATES)
                rows.append([noise, str(at[0]), str(runs), name, *cells])
    title = f"Failures in percent of {repetitions} repetitions, found slower + undecided; points up to 1000"
    show(title, ["noise", "from", "runs", "errors, p", *RATES], rows)


if __name__ == "__main__":
    main()
