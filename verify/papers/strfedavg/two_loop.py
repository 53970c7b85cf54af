"""Exact numbers about IPIR-FedAvg (Algorithm 2), for Proposition 7 and Theorem 3.

A call of StR-FedAvg on problem (4) is an affine recursion where the inner level is quadratic, so the law of its result
is exact for a fixed ``y``, whatever the number of rounds. A full run is exact where nothing is random; where something
is, the next ``y`` depends on it through ``f``, and :func:`replicated` estimates over runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos import engine, exact
from rateproof.algos.exact import Law
from rateproof.algos.methods.ipirfedavg import IPIRFedAvg
from rateproof.algos.noise import AdditiveGaussian
from rateproof.algos.problems.base import Array, Problem
from rateproof.algos.problems.nonconvex import (
    F_lambda,
    NonconvexOuter,
    grad_F_lambda,
    penalised_gradient,
    projection_problem,
)
from rateproof.algos.problems.quadratic import QuadraticBilevel
from rateproof.verify.papers.strfedavg.instances import M_FLOOR, M_SLACK, constants, folded_normal_mean, weight_sums

#: The paper's bound on ``max_t 2 ln(t) / t^(5/12)``, at which Theorem 3 takes ``A1`` and ``A2``.
ETA_HAT = 11.0


@dataclass(frozen=True, eq=False)
class CallLaw:
    """Law of the result of one call.

    Attributes:
        problem: problem (4).
        law: of the result, about the projection of ``y``.
        x_eta: minimiser of ``h + eta_t g``, ``(n,)``.
        error: relative rounding error of the moments.
    """

    problem: QuadraticBilevel
    law: Law
    x_eta: Array
    error: float


def call_law(problem: Problem, method: IPIRFedAvg, *, y: ArrayLike, R: int, x0: ArrayLike | None = None) -> CallLaw:
    """The call that projects ``y`` in ``R`` rounds from ``x0`` (``y`` when left out).

    Raises:
        ValueError: the inner level is not quadratic, or an argument is out of range.
    """
    inner = projection_problem(problem, y)
    nearest = inner.bilevel_solution()
    start = np.asarray(y if x0 is None else x0, dtype=np.float64)
    gamma_t, eta_t = method.rule(R)
    x_eta = inner.regularised_solution(eta_t)
    if method.inner == "exact":
        return CallLaw(inner, Law(np.zeros(inner.n), np.zeros((inner.n, inner.n)), nearest), x_eta, 0.0)
    if R == 0:
        return CallLaw(inner, Law(start - nearest, np.zeros((inner.n, inner.n)), nearest), x_eta, 0.0)
    call = method.call(R)
    moments = exact.moments(
        inner,
        gamma_l=float(call.gamma_l),
        gamma_g=float(call.gamma_g),
        eta=eta_t,
        K=call.K,
        S=call.S,
        R=R,
        x0=start,
        decay=0.5 * eta_t * gamma_t,
        center=nearest,
    )
    return CallLaw(inner, moments.avg, x_eta, moments.error)


def inner_error(
    problem: Problem, method: IPIRFedAvg, *, y: ArrayLike, R: int, x0: ArrayLike | None = None
) -> dict[str, float]:
    """Every number that Proposition 7 speaks of, for the call that projects ``y`` in ``R`` rounds from ``x0``.

    Constants are those of problem (4), under the names of problem (1): its outer level is ``g``, so ``L_f`` and
    ``mu_f`` are 1, ``sigma_f2`` is 0, ``f_star`` is ``g*`` and ``grad_f_star`` is ``||grad g(x^{t*})||``. Besides:

    - schedule: ``R``, ``K``, ``S``, ``gamma_g``, ``gamma_l``, ``gamma_t``, ``eta``, ``Theta_R``, ``a``, ``b``, ``p``;
    - metrics at the normalised average ``xbar``: ``E_err2 = E||xbar - Pi y||^2``, ``E_dist2``, ``E_dist`` (where it has
      a closed form), ``E_dist_low <= E dist <= E_dist_high`` (Jensen), and the gaps ``gap_h``, ``gap_g`` and
      ``gap_eta`` of ``h``, ``g`` and ``h + eta g``;
    - ``D2 = ||x0 - Pi y||^2``, ``D2_eta = ||x0 - x_eta*||^2``, ``M`` (nearly the least admissible);
    - ``grad_F_star``, the norm of the gradient of ``F_lambda`` at ``Pi y``, which is that of ``f`` there;
    - ``G_ncvx2`` and ``B_ncvx2`` of Lemma 3, ``A1n`` and ``A2n`` at ``eta_t`` (with ``G_h^2 = 2 L_h (h* - mean inf)``,
      without the printed ``1/N``);
    - ``error``, the relative rounding error.

    Args:
        problem: whose ``h`` is quadratic.
        method: its calls.
        y: point to project, ``(n,)``.
        R: rounds.
        x0: start of the call, ``(n,)``; ``y`` when left out.

    Raises:
        ValueError: the inner level is not quadratic, or an argument is out of range.
    """
    found = call_law(problem, method, y=y, R=R, x0=x0)
    inner, law = found.problem, found.law
    start = np.asarray(y if x0 is None else x0, dtype=np.float64)
    gamma_t, eta = method.rule(R)
    values = constants(inner)
    values |= {
        "R": R,
        "K": method.K,
        "S": method.S,
        "gamma_g": method.gamma_g,
        "gamma_l": gamma_t / (method.gamma_g * method.K),
        "gamma_t": gamma_t,
        "eta": eta,
        "Theta_R": weight_sums(0.5 * eta * gamma_t, R)[0] if R else 0.0,
        "a": method.a,
        "b": method.b,
        "p": method.p,
        "D2": float(np.sum((start - law.center) ** 2)),
        "D2_eta": float(np.sum((start - found.x_eta) ** 2)),
        "grad_F_star": float(np.linalg.norm(grad_F_lambda(problem, law.center[None], lam=method.lam))),
        "error": found.error,
    }
    values |= _metrics(inner, law, found.x_eta, eta, everyone=method.S == inner.N)
    values["M"] = M_SLACK * max(0.0, -values["gap_g"]) + M_FLOOR
    return {
        k: float(v)
        for k, v in (values | dissimilarity(inner, eta, K=method.K, S=method.S, gamma_g=method.gamma_g)).items()
    }


def dissimilarity(inner: QuadraticBilevel, eta: float, *, K: int, S: int, gamma_g: float) -> dict[str, float]:
    """``G_ncvx2`` and ``B_ncvx2`` of Lemma 3 for problem (4), and ``A1n``, ``A2n`` built from them at ``eta``."""
    c = inner.constants
    G2 = 4 * (c.f_star - c.inf_f) + 2 * c.G_h2
    s2 = 2 * c.sigma_h**2
    return {
        "G_ncvx2": G2,
        "B_ncvx2": max(4 * eta, 4 * c.L_h),
        "A1n": s2 / (K * S) + (1 - S / inner.N) * 4 * G2 / S,
        "A2n": (9 * s2 / K + 18 * G2) * (c.L_h + eta) / gamma_g**2,
    }


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A full run on which nothing is random.

    Attributes:
        R: rounds of the calls, ``(T,)``.
        y: outer iterates, ``(T + 1, n)``.
        x: results of the calls, ``(T, n)``.
        nearest: the projections that they approximate, ``(T, n)``.
        start: what the calls start from, ``(T, n)``.
        F: ``F_lambda(y^t)``, ``(T + 1,)``.
        grad2, grad2_printed: ``||grad F_lambda(y^t)||^2``, and the same with the printed gradient, ``(T,)``.
        dist: distance of ``x`` from ``X_h*``, ``(T,)``.
    """

    R: Sequence[int]
    y: Array
    x: Array
    nearest: Array
    start: Array
    F: Array
    grad2: Array
    grad2_printed: Array
    dist: Array

    @property
    def err2(self) -> Array:
        """``||e_t||^2 = ||x - Pi y^t||^2``, ``(T,)``."""
        return np.asarray(np.sum((self.x - self.nearest) ** 2, axis=1))

    @property
    def D2(self) -> Array:
        """``||xbar^0 - x^{t*}||^2``, ``(T,)``."""
        return np.asarray(np.sum((self.start - self.nearest) ** 2, axis=1))


def trajectory(problem: Problem, method: IPIRFedAvg, y0: ArrayLike, *, T: int) -> Trajectory:
    """``T`` outer iterations, each call in closed form.

    Raises:
        ValueError: something is random (noise on ``h``, or ``S < N``), or the inner level is not quadratic.
    """
    if problem.noise.sigma_h2 > 0 or (method.S < problem.N and method.inner == "federated"):
        raise ValueError(
            f"sigma_h^2 is {problem.noise.sigma_h2:g} and S is {method.S} of {problem.N}; "
            "they should be 0 and all clients: use replicated for a random run"
        )
    y = np.empty((T + 1, problem.n))
    x, nearest, start = np.empty((3, T, problem.n))
    y[0] = np.asarray(y0, dtype=np.float64)
    gamma = method.outer_step(problem)
    R = [method.inner_rounds(t) for t in range(T)]
    for t in range(T):
        start[t] = {"fixed": y[0], "y": y[t], "previous": x[t - 1] if t else y[0]}[method.inner_start]
        law = call_law(problem, method, y=y[t], R=R[t], x0=start[t]).law
        x[t], nearest[t] = law.mean, law.center
        step = penalised_gradient(problem, y[t : t + 1], x[t : t + 1], method.gradient_factor / method.lam)
        y[t + 1] = y[t] - gamma * step[0]
    lam = method.lam
    return Trajectory(
        R=R,
        y=y,
        x=x,
        nearest=nearest,
        start=start,
        F=F_lambda(problem, y, lam=lam),
        grad2=_squares(grad_F_lambda(problem, y[:T], lam=lam)),
        grad2_printed=_squares(grad_F_lambda(problem, y[:T], lam=lam, factor=1.0)),
        dist=np.sqrt(_squares(x - problem.project(x))),
    )


def theorem3(problem: NonconvexOuter, method: IPIRFedAvg, y0: ArrayLike, *, T: int) -> dict[str, float]:
    """Every number that Theorem 3 speaks of, for a run on which nothing is random.

    - constants of problem (2): ``L_f``, ``L_h``, ``alpha``, ``kappa``, ``N``, ``sigma_f2 = 0``, ``sigma_h2``;
    - method: ``T``, ``lam``, ``gamma``, ``K``, ``S``, ``gamma_g``, ``a``, ``b``, ``p``, and ``eta`` where it is
      constant;
    - ``E_grad2`` and ``E_grad2_printed``, the means over ``t < T`` of ``||grad F_lambda(y^t)||^2`` under both
      gradients;
    - ``F_gap`` and ``F_gap_low``: ``F_lambda(y^0) - F_lambda*`` with the lower and the upper bound on ``F_lambda*``
      (they agree up to rounding where that is known); ``F_gap_half`` for half the penalty, whose gradient is the
      printed one;
    - ``E_err2``, the mean of ``||e_t||^2``; ``E_dist``, the distance of the result of call ``T - 1`` from ``X_h*``;
    - over the calls, the largest ``D2 = ||xbar^0 - x^{t*}||^2``, ``grad_F_star``, ``M`` and ``G_ncvx2``, and
      ``A1n``, ``A2n`` with that ``G_ncvx2`` at ``eta_hat = 11``.

    Raises:
        ValueError: as :func:`trajectory`.
    """
    run = trajectory(problem, method, y0, T=T)
    lam = method.lam
    inner = [projection_problem(problem, y) for y in run.y[:T]]
    farthest = max(inner, key=lambda each: each.constants.f_star)
    g = 0.5 * np.array([_squares(run.x - run.y[:T]), _squares(run.nearest - run.y[:T])])
    low, high = problem.F_star(lam)
    half_low, _ = problem.F_star(2 * lam)
    half = float(F_lambda(problem, run.y[:1], lam=2 * lam)[0])
    values = {
        **{k: v for k, v in constants(problem).items() if not math.isnan(v)},
        "T": T,
        "lam": lam,
        "gamma": method.outer_step(problem),
        "K": method.K,
        "S": method.S,
        "gamma_g": method.gamma_g,
        "a": method.a,
        "b": method.b,
        "p": method.p,
        "E_grad2": run.grad2.mean(),
        "E_grad2_printed": run.grad2_printed.mean(),
        "F_gap": run.F[0] - low,
        "F_gap_low": run.F[0] - high,
        "F_gap_half": half - half_low,
        "E_err2": run.err2.mean(),
        "E_dist": run.dist[-1],
        "D2": run.D2.max(),
        "grad_F_star": np.sqrt(_squares(grad_F_lambda(problem, run.nearest, lam=lam)).max()),
        "M": M_SLACK * max(0.0, float((g[1] - g[0]).max())) + M_FLOOR,
        **({} if method.eta is None else {"eta": method.eta}),
        **dissimilarity(farthest, ETA_HAT, K=method.K, S=method.S, gamma_g=method.gamma_g),
    }
    return {k: float(v) for k, v in values.items()}


def replicated(
    problem: Problem, method: IPIRFedAvg, y0: ArrayLike, *, T: int, runs: int, seed: int = 0
) -> dict[str, Array]:
    """Independent runs of a random instance: their means over ``t < T``, each ``(runs,)``.

    The mean over ``t`` is the expectation over ``T*`` given the run, so only the run's own randomness is left.

    Returns:
        ``grad2`` and ``grad2_printed`` at ``y^t``, and ``dist``, the distance of ``y^t`` from ``X_h*``.

    Raises:
        ValueError: ``round_offset`` is 0 (the engine shows no state between the two first iterations), or an argument
            is out of range.
    """
    if method.inner == "federated" and method.round_offset < 1:
        raise ValueError("round_offset is 0; it should be at least 1, for outer iterates to be seen one by one")
    rounds = [t if method.inner == "exact" else method.total_rounds(t) for t in range(T)]
    done = engine.run(
        method,
        problem,
        y0,
        R=max(rounds[-1], 1),
        runs=runs,
        seed=seed,
        record=rounds,
        metrics={
            "grad2": lambda problem, y: _squares(grad_F_lambda(problem, y, lam=method.lam)),
            "grad2_printed": lambda problem, y: _squares(grad_F_lambda(problem, y, lam=method.lam, factor=1.0)),
            "dist": problem.metrics["dist"],
        },
    )
    return {name: values.mean(axis=0) for name, values in done.last.items()}


def _metrics(inner: QuadraticBilevel, law: Law, x_eta: Array, eta: float, *, everyone: bool) -> dict[str, float]:
    """Errors of the result of a call, from its moments about the two solutions: no two values are subtracted."""
    F, H = inner.outer.mean_matrix, inner.inner.mean_matrix
    away = np.eye(inner.n) - (inner.project(np.eye(inner.n)) - inner.project(np.zeros((1, inner.n))))
    mean_distance = float(np.linalg.norm(away @ law.shift))
    square = law.quadratic_mean(away)
    out = {
        "E_err2": law.quadratic_mean(np.eye(inner.n)),
        "E_dist2": square,
        "E_dist_low": mean_distance,
        "E_dist_high": math.sqrt(square),
        "gap_h": 0.5 * law.quadratic_mean(H),
        "gap_g": law.expected_increase(inner.outer),
        "gap_eta": 0.5 * law.about(x_eta).quadratic_mean(H + eta * F),
    }
    fixed = inner.inner.mean_diagonal
    if not law.cov.any():
        out["E_dist"] = mean_distance
    elif everyone and isinstance(inner.noise, AdditiveGaussian) and fixed is not None and np.count_nonzero(fixed) == 1:
        # affine in Gaussian noise
        j = int(np.flatnonzero(fixed)[0])
        out["E_dist"] = folded_normal_mean(float(law.shift[j]), math.sqrt(float(law.cov[j, j])))
    return out


def _squares(vectors: Array) -> Array:
    return np.asarray(np.sum(vectors**2, axis=-1))
