"""Exact expectations over a small tree: every client subset and every sign of two-point noise, in every round.

One round of StR-FedAvg has ``C(N, S) 4^(S K)`` equally likely outcomes under two-point noise at both levels, so ``R``
rounds have that number to the power ``R``. The problem enters through its gradients only and may be anything; for
quadratic problems the moment recursion is faster and reaches any ``R``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, product

import numpy as np

from rateproof.algos.noise import NoNoise, TwoPoint
from rateproof.algos.problems.base import Array, Problem

#: ``(points (m, n)) -> (probabilities (B,), next points (m, B, n))``: one round from each of ``m`` points.
Round = Callable[[Array], tuple[Array, Array]]
#: ``(paths (m, R + 1, n)) -> (m,)``: a quantity of a whole path of iterates.
Metric = Callable[[Array], Array]

#: Largest number of branches that is enumerated unless told otherwise.
LIMIT = 2**24
# Paths in memory at once.
_CHUNK = 2**16


def branches(problem: Problem, *, K: int, S: int) -> int:
    """Number of outcomes of one round.

    A level without noise has one outcome a step instead of two.

    Raises:
        ValueError: not ``1 <= S <= N``, ``K < 1``, or the noise is not finitely supported.
    """
    if K < 1:
        raise ValueError(f"K is {K}; it should be at least 1")
    if not 1 <= S <= problem.N:
        raise ValueError(f"S is {S}; it should satisfy 1 <= S <= N = {problem.N}")
    return math.comb(problem.N, S) * len(_signs(problem)) ** (S * K)


def client_outcomes(problem: Problem, i: int, x: Array, *, gamma_l: float, eta: float, K: int) -> Array:
    """All equally likely ``y_{i,K}`` after ``K`` local steps of client ``i`` from each point.

    Args:
        problem: with two-point noise or none.
        i: the client.
        x: starting points ``(m, n)``.
        gamma_l: local stepsize.
        eta: regularisation parameter.
        K: local steps; 0 gives the starting points.

    Returns:
        Shape ``(m, B, n)``.

    Raises:
        ValueError: the noise is not finitely supported.
    """
    xi, zeta = _noise(problem)
    signs = _signs(problem)
    jumps = gamma_l * (eta * np.outer(signs[:, 0], xi) + np.outer(signs[:, 1], zeta))
    m, n = x.shape
    y = np.array(x, dtype=np.float64)
    for _ in range(K):
        y = y - gamma_l * (eta * problem.grad_f(i, y) + problem.grad_h(i, y))
        y = (y[:, None, :] - jumps).reshape(-1, n)
    return y.reshape(m, -1, n)


def round_outcomes(
    problem: Problem, x: Array, *, gamma_l: float, gamma_g: float, eta: float, K: int, S: int
) -> tuple[Array, Array]:
    """All outcomes ``x + gamma_g (1/S) sum_{i in S_r} (y_{i,K} - x)`` of one round (strfedavg, Algorithm 1).

    Clients are drawn uniformly without replacement.

    Args:
        problem: with two-point noise or none.
        x: starting points ``(m, n)``, or one point ``(n,)``.
        gamma_l, gamma_g: local and global stepsize.
        eta: regularisation parameter.
        K, S: local steps, clients sampled.

    Returns:
        ``(probabilities (B,), points (m, B, n))``; points are ``(B, n)`` for one starting point.

    Raises:
        ValueError: as in :func:`branches`.
    """
    total = branches(problem, K=K, S=S)
    start = np.atleast_2d(np.asarray(x, dtype=np.float64))
    n = start.shape[1]
    moves = [
        client_outcomes(problem, i, start, gamma_l=gamma_l, eta=eta, K=K) - start[:, None, :] for i in range(problem.N)
    ]
    outcomes = []
    for subset in combinations(range(problem.N), S):
        move = np.zeros((len(start), 1, n))
        for i in subset:
            move = (move[:, :, None, :] + moves[i][:, None, :, :]).reshape(len(start), -1, n)
        outcomes.append(start[:, None, :] + (gamma_g / S) * move)
    points = np.concatenate(outcomes, axis=1)
    return np.full(total, 1 / total), points[0] if np.ndim(x) == 1 else points


def expectation(
    step: Round, x0: Array, metrics: Mapping[str, Metric], *, R: int, per_round: int, limit: int = LIMIT
) -> dict[str, float]:
    """Exact expectations of quantities of the path ``x^0, ..., x^R``.

    Args:
        step: one round.
        x0: starting point ``(n,)``.
        metrics: name -> quantity of a path.
        R: rounds.
        per_round: outcomes of one round, used to refuse trees that are too large before they are grown.
        limit: largest number of paths.

    Returns:
        Name -> expectation.

    Raises:
        ValueError: ``R < 1``, or more than ``limit`` paths.
    """
    if R < 1:
        raise ValueError(f"R is {R}; it should be at least 1")
    paths = per_round**R
    if paths > limit:
        raise ValueError(
            f"enumeration needs {paths:.6g} branches ({per_round} outcomes a round, R = {R}); the limit is {limit}: "
            "take fewer clients, local steps or rounds"
        )
    sums: dict[str, list[float]] = {name: [] for name in metrics}
    stack = [(np.ones(1), np.asarray(x0, dtype=np.float64)[None, None, :])]
    while stack:
        weight, path = stack.pop()
        if path.shape[1] == R + 1:
            for name, metric in metrics.items():
                sums[name].append(float(weight @ metric(path)))
            continue
        p, nxt = step(path[:, -1])
        grown = np.concatenate([np.repeat(path, len(p), axis=0), nxt.reshape(-1, 1, nxt.shape[-1])], axis=1)
        weights = np.outer(weight, p).ravel()
        # A piece that grows again is cut small enough beforehand: memory stays bounded.
        size = len(grown) if path.shape[1] == R else max(1, _CHUNK // per_round)
        stack.extend((weights[k : k + size], grown[k : k + size]) for k in range(0, len(grown), size))
    return {name: math.fsum(parts) for name, parts in sums.items()}


def expected(
    problem: Problem,
    x0: Array,
    metrics: Mapping[str, Metric],
    *,
    gamma_l: float,
    gamma_g: float,
    eta: float,
    K: int,
    S: int,
    R: int,
    limit: int = LIMIT,
) -> dict[str, float]:
    """Exact expectations of quantities of ``R`` rounds of StR-FedAvg; see :func:`expectation`.

    Raises:
        ValueError: as in :func:`branches` and :func:`expectation`.
    """
    step = partial(round_outcomes, problem, gamma_l=gamma_l, gamma_g=gamma_g, eta=eta, K=K, S=S)
    return expectation(step, x0, metrics, R=R, per_round=branches(problem, K=K, S=S), limit=limit)


def last(function: Callable[[Array], Array]) -> Metric:
    """The quantity ``function(x^R)``."""
    return lambda path: function(path[:, -1])


def averaged(function: Callable[[Array], Array], *, theta: float = 1.0, normaliser: str = "R") -> Metric:
    """The quantity ``function`` of the weighted average (strfedavg, Proposition 1).

    The average is ``sum_{r=1}^R theta^r x^{r-1} / sum_{r=1}^{normaliser} theta^r``.

    Args:
        function: ``(m, n) -> (m,)``.
        theta: weight.
        normaliser: "R", or "R-1" as printed.

    Raises:
        ValueError: another normaliser; with "R-1", when used on a single round, whose normaliser is an empty sum.
    """
    if normaliser not in ("R", "R-1"):
        raise ValueError(f"normaliser is {normaliser!r}; it should be 'R' or 'R-1'")

    def metric(path: Array) -> Array:
        R = path.shape[1] - 1
        weights = theta ** np.arange(1.0, R + 1)
        total = weights.sum() if normaliser == "R" else weights[:-1].sum()
        if R == 1 and normaliser == "R-1":
            raise ValueError("normaliser 'R-1' is an empty sum for R = 1; it needs R >= 2")
        return function(np.einsum("r,mrn->mn", weights / total, path[:, :-1]))

    return metric


def _noise(problem: Problem) -> tuple[Array, Array]:
    """The vectors of the two-point law; zero for no noise."""
    match problem.noise:
        case TwoPoint(u=u, v=v):
            return u, v
        case NoNoise():
            return np.zeros(problem.n), np.zeros(problem.n)
    raise ValueError(f"enumeration needs two-point noise or none, got {type(problem.noise).__name__}")


def _signs(problem: Problem) -> Array:
    """Equally likely signs of (xi, zeta) in one step, ``(outcomes, 2)``: a zero vector needs no sign."""
    signs = [(-1.0, 1.0) if vector.any() else (0.0,) for vector in _noise(problem)]
    return np.array(list(product(*signs)))
