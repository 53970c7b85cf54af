"""Losses of one variable with minimum 0 at 0, random quadratics, and loops over steps."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Map: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True)
class Loss:
    """A loss on the real line, minimal value 0 at 0, with its smoothness and strong convexity constants."""

    name: str
    value: Map
    gradient: Map
    L: float
    mu: float = 0.0

    def plus_quadratic(self, mu: float) -> "Loss":
        """The loss plus ``mu/2 x^2``."""
        return Loss(
            f"{self.name} + {mu / 2:g} x^2",
            lambda x: self.value(x) + mu / 2 * x**2,
            lambda x: self.gradient(x) + mu * x,
            self.L + mu,
            self.mu + mu,
        )


def parabola(c: float) -> Loss:
    """``c/2 x^2``."""
    return Loss(f"{c / 2:g} x^2", lambda x: c / 2 * x**2, lambda x: c * x, c, c)


def huber(threshold: float | Array) -> Loss:
    """``x^2/2`` up to the threshold, linear beyond it; the threshold may differ from row to row."""

    def value(x: Array) -> Array:
        inside = np.minimum(np.abs(x), threshold)
        return inside * (np.abs(x) - inside / 2)

    name = f"Huber, threshold {threshold:g}" if np.ndim(threshold) == 0 else "Huber"
    return Loss(name, value, lambda x: np.clip(x, -threshold, threshold), 1.0)


def logistic() -> Loss:
    """``ln(1 + e^x) + ln(1 + e^-x) - 2 ln 2 = 2 ln cosh(x/2)``, without cancellation near 0."""

    def value(x: Array) -> Array:
        z = np.abs(x) / 2
        near = 2 * np.log1p(2 * np.sinh(np.minimum(z, 1.0) / 2) ** 2)
        return np.where(z < 1, near, 2 * (z + np.log1p(np.exp(-2 * z)) - np.log(2.0)))

    return Loss("logistic", value, lambda x: np.tanh(x / 2), 0.5)


def after(step: Map, x0: Array, rounds: Array) -> Array:
    """Row ``b`` of the result is row ``b`` of ``x0`` after ``rounds[b]`` steps; shape (rows,) or (rows, n)."""
    x, out = x0.copy(), x0.copy()
    for k in range(1, int(np.max(rounds)) + 1):
        x = step(x)
        out[rounds == k] = x[rounds == k]
    return out


def descend(loss: Loss, gamma: Array, x0: Array, rounds: Array) -> Array:
    """Gradient descent, row by row: see :func:`after`."""
    return after(lambda x: x - gamma * loss.gradient(x), x0, rounds)


def norm2(x: Array) -> float:
    """``||x||^2``."""
    return float(x @ x)


@dataclass(frozen=True)
class Run:
    """One run of gradient descent: what was run, and where it ended. The minimum is 0 at 0."""

    label: str
    R: int
    gamma: float
    L: float
    mu: float
    start2: float
    end2: float
    gap: float


def scalar_runs(losses: Sequence[Loss], step_of: Callable[[Loss], float], rounds: Sequence[int]) -> Iterator[Run]:
    """Gradient descent on losses of one variable from 0.5 with the stepsize ``step_of``, from 20 with 0.3 of it."""
    rows = [(R, x0, part) for x0, part in ((0.5, 1.0), (20.0, 0.3)) for R in rounds]
    R, x0, part = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    for loss in losses:
        gamma = part * step_of(loss)
        x = descend(loss, gamma, x0, R)
        for i, gap in enumerate(loss.value(x)):
            label = f"{loss.name} from {x0[i]:g}, gamma = {gamma[i]:.4g}, R = {R[i]:g}"
            yield Run(label, int(R[i]), gamma[i], loss.L, loss.mu, x0[i] ** 2, x[i] ** 2, gap)


def quadratic_runs(rng: np.random.Generator, rows: int, step_of: Callable[[float, float], float]) -> Iterator[Run]:
    """Gradient descent on random diagonal quadratics in five variables, condition number 2 to 1000."""
    for i in range(rows):
        R, mu, L = int(rng.choice([1, 3, 30, 300])), 1.0, float(rng.uniform(2, 1000))
        spectrum = np.array([mu, *np.exp(rng.uniform(0, np.log(L), 3)), L])
        gamma = step_of(L, mu)
        start = rng.standard_normal(5)
        end = start * (1 - gamma * spectrum) ** R
        label = f"random quadratic {i}, L/mu = {L:.4g}, gamma = {gamma:.4g}, R = {R}"
        yield Run(label, R, gamma, L, mu, norm2(start), norm2(end), norm2(np.sqrt(spectrum) * end) / 2)
