"""StR-FedAvg, self-tuned regularised FedAvg (strfedavg, Algorithm 1).

Problem: ``min f`` over the minimisers of ``h``, both sums over ``N`` clients. A round is FedAvg on ``h + eta f``.

Guarantee: Propositions 1 and 4 bound ``E f_eta(x) - f_eta*`` at the weighted average of the server models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from scipy.linalg.blas import daxpy

from rateproof.algos.methods.base import Counts, FastDescent
from rateproof.algos.noise import Ints, MiniBatch, NoNoise, Streams
from rateproof.algos.problems.base import Array, Problem

PerRun: TypeAlias = float | Array
"""One number for all runs, or one per run: an array of shape ``(runs,)``."""


@runtime_checkable
class DiffersByRun(Protocol):
    """A problem with data of each run: its oracles have to be told which runs their points belong to."""

    def of_runs(self, rows: Ints) -> Problem:
        """The problem of the runs ``rows`` of the batch, whose oracles take points of shape ``(len(rows), n)``."""


class Scratch(NamedTuple):
    """Buffers of a client visit: local models, gradient and outer gradient, ``(runs, n)``; the first two also flat.

    Models lie in memory one coordinate after the other: a client's data then multiply from the left, which BLAS does
    faster by half for few runs.
    """

    y: Array
    g: Array
    g_f: Array
    y_flat: Array
    g_flat: Array

    @classmethod
    def empty(cls, runs: int, n: int) -> Scratch:
        """Buffers for ``runs`` runs."""
        y, g, g_f = np.empty((3, n, runs))
        return cls(y.T, g.T, g_f.T, y.reshape(-1), g.reshape(-1))


@dataclass(frozen=True)
class Setup:
    """Fixed for all rounds: the parameters of this batch of runs, as numbers or columns ``(runs, 1)``, and scratch."""

    gamma_l: PerRun
    gamma_g: PerRun
    eta: PerRun
    log_theta: PerRun
    uses_f: bool
    descent: FastDescent | None
    by_run: DiffersByRun | None
    everyone: Ints
    scratch: Scratch


@dataclass(frozen=True)
class State:
    """State after ``rounds`` rounds; arrays have shape ``(runs, n)``.

    Attributes:
        setup: fixed for all rounds.
        rounds: rounds done.
        x: newest server model.
        start: server model that the next round starts from; ``x`` unless the indices are read as printed.
        average: weighted average of the models that the rounds so far started from.
    """

    setup: Setup
    rounds: int
    x: Array
    start: Array
    average: Array


@dataclass(frozen=True, kw_only=True)
class StRFedAvg:
    """StR-FedAvg (strfedavg, Algorithm 1).

    The runs solve one problem, unless it is :class:`DiffersByRun`.

    Args:
        gamma_l: local stepsize.
        gamma_g: global stepsize.
        eta: regularisation parameter; where it is 0 for all runs, gradients of ``f`` are not evaluated.
        K: local steps.
        S: clients sampled per round, uniformly without replacement.
        theta: weight of the average, ``theta^r`` on the model that round ``r`` starts from (Proposition 1; 1 in
            Proposition 4).
        index_convention: "analysis" is one round as the map from one server model to the next, as Lemmas 5 to 7 treat
            it. "printed" takes lines 5 to 14 at their word: round ``r`` starts from ``x^{r-1}`` and yields
            ``x^{r+1} = x^r + gamma_g dx^r``, a recursion with delay, in which ``x^1 := x^0`` (the box leaves it open).
        avg_normaliser: sum the weights to "R", so that they average, or to "R-1" as Proposition 1 prints it.

    ``gamma_l``, ``gamma_g``, ``eta`` and ``theta`` may be arrays with one number per run of the experiment.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma_l: PerRun
    gamma_g: PerRun
    eta: PerRun
    K: int
    S: int
    theta: PerRun = 1.0
    index_convention: Literal["analysis", "printed"] = "analysis"
    avg_normaliser: Literal["R", "R-1"] = "R"

    def __post_init__(self) -> None:
        """Check every parameter."""
        for name, least in (("gamma_l", None), ("gamma_g", None), ("eta", 0), ("theta", 1)):
            values = np.asarray(getattr(self, name), dtype=np.float64)
            in_range = np.isfinite(values) & (values > 0 if least is None else values >= least)
            if values.ndim > 1 or not in_range.all():
                want = "positive" if least is None else f"at least {least}"
                raise ValueError(f"{name} is {getattr(self, name)}; it should be {want}, one number or one per run")
        for name in ("K", "S"):
            if not (getattr(self, name) >= 1 and getattr(self, name) % 1 == 0):
                raise ValueError(f"{name} is {getattr(self, name)}; it should be an integer, at least 1")
        if self.index_convention not in ("analysis", "printed"):
            raise ValueError(f"index_convention is '{self.index_convention}'; it should be 'analysis' or 'printed'")
        if self.avg_normaliser not in ("R", "R-1"):
            raise ValueError(f"avg_normaliser is '{self.avg_normaliser}'; it should be 'R' or 'R-1'")

    def init(self, problem: Problem, x0: Array, rng: Streams) -> State:
        """State before the first round.

        Args:
            problem: what is solved.
            x0: initial server models, ``(runs, n)``.
            rng: random numbers of this batch of runs.

        Raises:
            ValueError: ``S > N``, or a parameter that is given per run has too few values.
        """
        if self.S > problem.N:
            raise ValueError(f"S is {self.S}; it should be at most the number of clients N = {problem.N}")
        by_run = problem if isinstance(problem, DiffersByRun) else None
        setup = Setup(
            _column("gamma_l", self.gamma_l, rng),
            _column("gamma_g", self.gamma_g, rng),
            _column("eta", self.eta, rng),
            np.log(_column("theta", self.theta, rng)),
            self._uses_f,
            problem if by_run is None and isinstance(problem, FastDescent) else None,
            by_run,
            np.arange(rng.runs),
            Scratch.empty(rng.runs, problem.n),
        )
        x0 = np.asfortranarray(x0)
        return State(setup, 0, x0, x0, np.zeros_like(x0))

    def round(self, problem: Problem, state: State, rng: Streams) -> State:
        """State after one more round; line numbers are those of Algorithm 1."""
        setup, r, start = state.setup, state.rounds + 1, state.start
        sampled = rng.sample_clients(r, problem.N, self.S)  # line 4
        delta = np.zeros_like(start)
        for i in range(problem.N):  # line 6
            if self.S == problem.N:
                delta += self._local_steps(problem, i, r, setup.everyone, start, setup, rng)  # lines 5 to 12
                continue
            rows = np.flatnonzero(sampled[:, i])
            if len(rows):
                delta[rows] += self._local_steps(problem, i, r, rows, start[rows], setup, rng)
        delta /= self.S  # line 14
        x = state.x + setup.gamma_g * delta
        average = state.average + _last_weight(setup.log_theta, r) * (start - state.average)
        return State(setup, r, x, x if self.index_convention == "analysis" else state.x, average)

    def output(self, state: State) -> Array:
        """Weighted average ``sum_{r=1}^R theta^r x^{r-1} / sum_{r=1}^{R or R-1} theta^r``, ``(runs, n)``.

        NaN where the normaliser is an empty sum: before round 1, and before round 2 when it runs to ``R-1``.
        """
        if state.rounds < (1 if self.avg_normaliser == "R" else 2):
            return np.full_like(state.average, np.nan)
        if self.avg_normaliser == "R":
            return state.average
        return state.average / (1 - _last_weight(state.setup.log_theta, state.rounds))

    def counts(self, problem: Problem, state: State) -> Counts:
        """Cost of one run so far: every sampled client gets one vector, sends one and takes ``K`` local steps."""
        visits = state.rounds * self.S
        steps = visits * self.K
        with_f = self._uses_f
        if isinstance(problem.noise, MiniBatch):
            samples = steps * problem.noise.batch_size
        else:
            samples = 0 if isinstance(problem.noise, NoNoise) else steps * (1 + with_f)
        floats = visits * problem.n
        return Counts(state.rounds, visits, visits, floats, floats, steps * with_f, steps, samples)

    @property
    def _uses_f(self) -> bool:
        return bool(np.any(np.asarray(self.eta) != 0))

    def _local_steps(self, problem: Problem, i: int, r: int, rows: Ints, x: Array, setup: Setup, rng: Streams) -> Array:
        """``dy_i^r = y_{i,K}^r - x`` of client ``i`` on the runs ``rows`` that sampled it, from ``x``, in scratch."""
        if setup.by_run is not None:
            problem = setup.by_run.of_runs(rows)
        full = len(rows) == rng.runs
        y, g, g_f, y_flat, g_flat = setup.scratch if full else Scratch.empty(len(rows), problem.n)
        gamma_l, eta = _of(setup.gamma_l, rows), _of(setup.eta, rows)
        law, with_f = problem.noise, setup.uses_f
        # Line 9, for all k at once.
        drawn = law.draw(rng, r, i, self.K, rows, problem.n)
        noise = None if drawn is None else eta * drawn[0] + drawn[1] if with_f else drawn[1]
        batch = law.draw_rows(rng, r, i, self.K, rows, problem.samples(i)) if isinstance(law, MiniBatch) else None
        step = gamma_l if isinstance(gamma_l, float) else None
        descent = setup.descent if noise is None and batch is None and not with_f else None
        y[...] = x  # line 7
        if descent is not None and step is not None:  # lines 8 to 11 at once
            descent.descend_h(i, y, step, self.K)
            y -= x
            return y
        for k in range(self.K):  # line 8
            if batch is None:
                problem.grad_h(i, y, g)
            else:
                problem.sampled_grad_h(i, y, batch[k], g)
            if with_f:
                problem.grad_f(i, y, g_f)
                g_f *= eta
                g += g_f
            if noise is not None:
                g += noise[k]
            if step is not None:  # line 10, in one pass over memory instead of two
                daxpy(g_flat, y_flat, a=-step)
            else:
                g *= gamma_l
                y -= g
        y -= x
        return y  # line 12


def _column(name: str, value: PerRun, rng: Streams) -> PerRun:
    """The values of a batch of runs: a number, or a column ``(runs, 1)``."""
    values = np.asarray(value, dtype=np.float64)
    if values.ndim == 0:
        return float(values)
    stop = rng.first_run + rng.runs
    if len(values) < stop:
        raise ValueError(f"{name} has {len(values)} values; it should have one per run, at least {stop}")
    return values[rng.first_run : stop, None]


def _of(value: PerRun, rows: Ints) -> PerRun:
    return value if isinstance(value, float) else value[rows]


def _last_weight(log_theta: PerRun, r: int) -> PerRun:
    """``theta^r / sum_{q=1}^r theta^q``, in a form that neither overflows nor cancels."""
    log_theta = np.asarray(log_theta)
    one = log_theta == 0
    safe = np.where(one, 1.0, log_theta)
    return np.where(one, 1 / r, np.expm1(-safe) / np.expm1(-r * safe))
