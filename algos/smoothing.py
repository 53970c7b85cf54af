"""Proximal maps, Moreau envelopes and their gradients for the penalties of the experiments.

The envelope of ``g`` with parameter ``mu > 0`` is ``M_g^mu(x) = min_y g(y) + ||x - y||^2 / (2 mu)``; its gradient is
``(x - prox(x)) / mu`` with ``prox(x)`` the minimiser (strfedavg, Sections 5.1 and 5.2; the paper prints ``g(x)`` for
``g(y)`` in the definition). Points have shape ``(..., n)``, values ``(...)``. ``mu`` has the unit of length squared per
unit of ``g``.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]


def prox_l1(x: ArrayLike, *, mu: float) -> Array:
    """Soft threshold ``sign(x) max(0, |x| - mu)``, the proximal map of ``mu ||.||_1``: shape of ``x``.

    Raises:
        ValueError: ``mu`` is not a positive number.
    """
    x = np.asarray(x, dtype=np.float64)
    _check_positive(mu=mu)
    inside: Array = np.clip(x, -mu, mu)
    return x - inside


def huber(x: ArrayLike, *, mu: float) -> Array:
    """Envelope of the l1 norm, ``sum_j H_mu(x_j)``: ``(..., n) -> (...)``.

    ``H_mu(u) = u^2 / (2 mu)`` for ``|u| <= mu`` and ``|u| - mu / 2`` otherwise: between ``||x||_1 - n mu / 2``
    and ``||x||_1``.

    Raises:
        ValueError: ``mu`` is not a positive number.
    """
    _check_positive(mu=mu)
    size = np.abs(np.asarray(x, dtype=np.float64))
    near = np.minimum(size, mu)
    return np.asarray(np.sum(near * near / (2 * mu) + (size - near), axis=-1))


def grad_huber(x: ArrayLike, *, mu: float, out: Array | None = None) -> Array:
    """Gradient of :func:`huber`, ``clip(x, -mu, mu) / mu``; Lipschitz with constant ``1 / mu``: shape of ``x``.

    Raises:
        ValueError: ``mu`` is not a positive number.
    """
    _check_positive(mu=mu)
    out = np.clip(np.asarray(x, dtype=np.float64), -mu, mu, out=out)
    return np.divide(out, mu, out=out)


def log_sum_penalty(x: ArrayLike, *, epsilon: float) -> Array:
    """``LSP(x) = sum_j log(1 + |x_j| / epsilon)``: ``(..., n) -> (...)`` (strfedavg, Section 5.2).

    Raises:
        ValueError: ``epsilon`` is not a positive number.
    """
    _check_positive(epsilon=epsilon)
    return np.asarray(np.sum(np.log1p(np.abs(np.asarray(x, dtype=np.float64)) / epsilon), axis=-1))


def prox_lsp(x: ArrayLike, *, mu: float, epsilon: float) -> Array:
    """Proximal map of ``mu LSP``: shape of ``x`` (strfedavg, Section 5.2).

    Zero for ``|u| <= mu / epsilon``, else ``sign(u) (|u| - epsilon + sqrt((|u| + epsilon)^2 - 4 mu)) / 2``.

    Raises:
        ValueError: a parameter is not positive, or ``sqrt(mu) > epsilon`` (the map is then set-valued).
    """
    _check_lsp(mu, epsilon)
    x = np.asarray(x, dtype=np.float64)
    size = np.abs(x)
    # The root is real wherever it is used: |u| > mu/epsilon gives |u| + epsilon > 2 sqrt(mu).
    root = np.sqrt(np.maximum((size + epsilon) ** 2 - 4 * mu, 0))
    moved = np.maximum((size - epsilon + root) / 2, 0)
    return np.where(size <= mu / epsilon, 0.0, np.copysign(moved, x))


def lsp_envelope(x: ArrayLike, *, mu: float, epsilon: float) -> Array:
    """Envelope of the log-sum penalty, ``M_LSP^mu(x)``: ``(..., n) -> (...)``.

    Raises:
        ValueError: as :func:`prox_lsp`.
    """
    x = np.asarray(x, dtype=np.float64)
    nearest = prox_lsp(x, mu=mu, epsilon=epsilon)
    return np.asarray(log_sum_penalty(nearest, epsilon=epsilon) + np.sum((x - nearest) ** 2, axis=-1) / (2 * mu))


def grad_lsp_envelope(x: ArrayLike, *, mu: float, epsilon: float) -> Array:
    """Gradient of :func:`lsp_envelope`, ``(x - prox_lsp(x)) / mu``: shape of ``x``.

    Lipschitz with constant ``max(1 / mu, 1 / (epsilon^2 - mu))`` for ``mu < epsilon^2``.

    Raises:
        ValueError: as :func:`prox_lsp`.
    """
    x = np.asarray(x, dtype=np.float64)
    return (x - prox_lsp(x, mu=mu, epsilon=epsilon)) / mu


def lsp_curvature(*, mu: float, epsilon: float) -> tuple[float, float]:
    """Least and largest second derivative of :func:`lsp_envelope` along a coordinate, ``mu < epsilon^2``.

    ``1 / mu`` for ``|u| < mu / epsilon``; beyond, ``-1 / (epsilon^2 - mu)`` at first and then rising to 0.

    Raises:
        ValueError: a parameter is not positive, or not ``mu < epsilon^2`` (the gradient then jumps).
    """
    _check_positive(mu=mu, epsilon=epsilon)
    if not mu < epsilon**2:
        raise ValueError(f"mu is {mu:g}; it should be less than epsilon^2 = {epsilon**2:g}")
    return -1 / (epsilon**2 - mu), 1 / mu


def _check_lsp(mu: float, epsilon: float) -> None:
    _check_positive(mu=mu, epsilon=epsilon)
    if math.sqrt(mu) > epsilon:
        raise ValueError(f"sqrt(mu) is {math.sqrt(mu):g}; it should be at most epsilon = {epsilon:g}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} is {value}; it should be a positive number")
