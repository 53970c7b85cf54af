"""Stochastic gradient descent with the step ``1 / (mu (k + kappa))``, where ``kappa = L / mu``.

Theorem. Let f be mu-strongly convex and L-smooth with minimum at x*, and let the gradients be unbiased with variance at
most s^2. Then after R steps

    E ||x_R - x*||^2 <= ((kappa - 1)^2 ||x_0 - x*||^2 + R s^2 / mu^2) / (R + kappa - 1)^2.

Proof. A step of length g <= 1 / L contracts the squared distance by (1 - g mu)^2 on average and adds g^2 s^2. Here
1 - g mu = (k + kappa - 1) / (k + kappa), so (k + kappa)^2 E ||x_(k+1) - x*||^2 grows by at most s^2 / mu^2 per step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def step(k: int, mu: float, L: float) -> float:
    """The length of step ``k`` = 0, 1, ..."""
    return 1 / (mu * (k + L / mu))


def sgd(
    gradient: Callable[[np.ndarray], np.ndarray], x0: np.ndarray, mu: float, L: float, at: Sequence[int]
) -> np.ndarray:
    """Iterates after ``at`` steps, shape ``(len(at), *x0.shape)``; ``gradient`` is called once per step."""
    x, iterates = x0, []
    for k in range(max(at)):
        x = x - step(k, mu, L) * gradient(x)
        if k + 1 in at:
            iterates.append(x)
    return np.array(iterates)
