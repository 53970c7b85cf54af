"""Local-SVRG on weighted nodes (fedweight, Algorithm 1; Gorbunov, Hanzely and Richtarik, 2021), and baselines.

Problem: ``min sum_k w_k f_k(x)`` with ``f_k`` the mean of ``f_{k,i}`` (16). Guarantee: (45), with ``gamma <= gamma0``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.bilevel_parts import NOTHING
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.first_order import check_positive, check_share, check_whole
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.weighted import FiniteSums, Pairs, WeightedNodes, all_pairs

#: Steps whose random numbers are drawn together.
BLOCK = 256
#: Numbers in an array that stays in the cache of a processor while nodes take a step.
NEAR = 2**15


def gamma0(*, ell1: float, mu: float, tau: int, q: float, reading: Literal["product", "literal"] = "product") -> float:
    """The largest step of (17).

    Args:
        ell1, mu: smoothness and strong convexity.
        tau: communication period; the middle entry is infinite for 1.
        q: chance of a refresh; the middle entry is 0 for 1.
        reading: "product" has the root over ``5e (tau - 1) [...]``, as the cited analysis; "literal", as printed, over
            ``5e`` alone, which is smaller.

    Raises:
        ValueError: an argument is out of range.
    """
    check_positive(ell1=ell1, mu=mu)
    check_whole(tau=tau)
    check_share(q=q)
    if reading not in ("product", "literal"):
        raise ValueError(f"reading is {reading!r}; it should be 'product' or 'literal'")
    ends = [3 / (80 * ell1), q / (4 * mu)]
    if tau > 1:
        rest = (tau - 1) * (6 * (tau - 1) + 8 + (16 / (1 - q) if q < 1 else math.inf))
        under = math.sqrt(5 * math.e * rest) if reading == "product" else math.sqrt(5 * math.e) * rest
        ends.append(1 / (ell1 * under))
    return min(ends)


@dataclass(frozen=True)
class Work:
    """What a call has cost in one run.

    Attributes:
        rounds: communications.
        up, down: vectors that all nodes sent and got.
        calls: gradients, or products, of single samples or batches of them and of all samples.
        points: samples that were looked up; a step looks at its batch once, though at two points.
    """

    rounds: int = 0
    up: int = 0
    down: int = 0
    calls: int = 0
    points: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def counts(self, d: int, kind: Literal["lower_calls", "products", "grad_f"], *, nested: bool = False) -> Counts:
        """As counts of a run whose vectors have ``d`` numbers."""
        calls = {kind: self.calls}
        base = Counts(0, self.down, self.up, self.down * d, self.up * d, samples=self.points)
        return replace(base, **calls, **{"lower_rounds" if nested else "rounds": self.rounds})


@dataclass(frozen=True, eq=False)
class Course:
    """Where Local-SVRG stands after ``t`` steps.

    Attributes:
        x, y, c: models, reference points and full gradients there, a row a pair of run and node.
        total, mass: sums of virtual averages with weights ``(1 - m)^(t - k)``, ``(runs, d)``, and of these weights.
        refreshes: full gradients at the nodes, summed over runs and weighed by samples in ``points``.
    """

    t: int
    x: Array
    y: Array
    c: Array
    total: Array
    mass: float
    refreshes: int
    points: int


@dataclass(frozen=True, kw_only=True)
class Svrg:
    """Parameters of Local-SVRG.

    Args:
        gamma: step.
        tau: communication period.
        q: chance that a node renews its reference point in a step.
        batch: samples of a step.
        shifted: S-Local-SVRG: nodes share a reference point, which is renewed where they meet, with the chance that one
            of ``tau`` steps renews it, and use the weighted mean of all gradients there instead of their own. So their
            drift no longer has the differences between them; a renewal sends a vector each way.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    tau: int = 1
    q: float = 0.02
    batch: int = 1
    shifted: bool = False

    def __post_init__(self) -> None:
        check_positive(gamma=self.gamma)
        check_whole("a whole number of steps", tau=self.tau)
        check_share(q=self.q)
        check_whole("a whole number of samples", batch=self.batch)

    def start(self, parts: FiniteSums, w: Array, x0: Array) -> Course:
        """Line 2, from ``x0`` of shape ``(runs, d)`` and weights ``(runs, K)``."""
        runs, K = w.shape
        x = np.repeat(x0, K, axis=0)
        c = parts.gradients(all_pairs(runs, np.arange(K)), x)
        c = np.repeat(_mean(w, c), K, axis=0) if self.shifted else c
        return Course(0, x, x, c, x0, 1.0, runs * K, runs * int(parts.sizes.sum()))

    def steps(
        self, parts: FiniteSums, w: Array, course: Course, number: int, mu: float, rng: Streams, key: int
    ) -> Course:
        """``number`` more steps, with random numbers of their own for each key."""
        runs, K = w.shape
        at, every = all_pairs(runs, np.arange(K)), np.arange(runs)
        size = max(NEAR // parts.d, 1)
        pieces = [slice(first, first + size) for first in range(0, runs * K, size)]
        own = [Pairs(at.run[piece], at.node[piece]) for piece in pieces]
        drawn = [rng.integers("zeta", key, k, number, self.batch, every, int(parts.sizes[k])) for k in range(K)]
        rows = np.stack(drawn, axis=2).reshape(number, runs * K, self.batch)
        coins = np.stack([rng.uniforms("sampling", key, k, number, 1, every) for k in range(K)], axis=2)
        coins = coins.reshape(number, runs * K)
        x, y, c, total, mass = course.x.copy(), course.y.copy(), course.c.copy(), course.total.copy(), course.mass
        refreshes, points = course.refreshes, course.points + number * self.batch * runs * K
        shrink = 1 - min(self.gamma * mu, self.q / 4)
        for step in range(number):  # line 3
            meet = (course.t + step + 1) % self.tau == 0
            fresh = self._fresh(coins[step], runs, K, meet)  # line 7
            old = x[fresh]
            for piece, these in zip(pieces, own, strict=True):
                g = parts.changes(these, x[piece], y[piece], rows[step, piece])  # lines 5 and 6
                g += c[piece]
                g *= self.gamma
                x[piece] -= g  # line 11
            virtual = _mean(w, x)
            if meet:  # line 9
                x = np.repeat(virtual, K, axis=0)
            if len(fresh):
                there = Pairs(at.run[fresh], at.node[fresh])
                y[fresh] = x[fresh] if self.shifted else old
                c[fresh] = parts.gradients(there, y[fresh])
                if self.shifted:
                    c[fresh] = np.repeat(_mean(w[there.run[::K]], c[fresh]), K, axis=0)
                refreshes += len(fresh)
                points += int(parts.sizes[there.node].sum())
            total, mass = shrink * total + virtual, shrink * mass + 1
        return Course(course.t + number, x, y, c, total, mass, refreshes, points)

    def _fresh(self, coins: Array, runs: int, K: int, meet: bool) -> Ints:
        """Which pairs renew their reference points."""
        if not self.shifted:
            return np.flatnonzero(coins < self.q).astype(np.int64, copy=False)
        common = np.repeat(coins.reshape(runs, K)[:, 0], K)
        chance = 1 - (1 - self.q) ** self.tau if meet else 0.0
        return np.flatnonzero(common < chance).astype(np.int64, copy=False)

    def average(self, course: Course) -> Array:
        """Line 15, the mean of the virtual averages: ``(runs, d)``."""
        return np.asarray(course.total / course.mass)

    def work(self, w: Array, course: Course) -> Work:
        """Cost so far; one node has nothing to communicate. Refreshes are those of a mean run."""
        runs, K = w.shape
        meetings = course.t // self.tau if K > 1 else 0
        extra = 0
        if self.shifted and K > 1:
            extra = round(course.refreshes / (runs * K))
        sent = K * (meetings + extra)
        calls = 2 * course.t * K + round(course.refreshes / runs)
        return Work(meetings + extra, sent, sent, calls, round(course.points / runs))


def _mean(w: Array, x: Array) -> Array:
    """Weighted means over the nodes: rows of pairs to rows of runs."""
    runs, K = w.shape
    return np.asarray(np.matmul(w[:, None], x.reshape(runs, K, -1))[:, 0])


def local_svrg(
    parts: FiniteSums, w: Array, x0: Array, how: Svrg, *, T: int, mu: float, rng: Streams
) -> tuple[Array, Work]:
    """Algorithm 1: the averaged model after ``T`` steps, ``(runs, d)``, and what it took.

    The averages of the nodes are sent once, at the end.

    Args:
        parts: the functions.
        w: weights, ``(runs, K)``.
        x0: where all nodes start, ``(runs, d)``.
        how: parameters.
        T: steps; those after the last multiple of ``tau`` are not followed by a meeting.
        mu: strong convexity, for the weights of the average.
        rng: random numbers of this call alone.
    """
    course = how.start(parts, w, x0)
    while course.t < T:
        course = how.steps(parts, w, course, min(BLOCK, T - course.t), mu, rng, course.t // BLOCK + 1)
    K = w.shape[1]
    end = Work(1, K, 0) if K > 1 else Work()
    return how.average(course), how.work(w, course) + end


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` rounds.

    Attributes:
        course: of the steps.
        average: the averaged model, with the weights, ``(runs, n)``.
    """

    course: Course
    average: Array


@dataclass(frozen=True, kw_only=True)
class LocalSVRG(Svrg):
    """Algorithm 1 on (1); a round is ``tau`` steps.

    Args:
        of: "given" takes the weights of the start; "equal" is the FedAvg of the paper (42); "centre" trains on the
            validation set alone, without communication: the Local-train of the paper (41).
        gamma, tau, q, batch, shifted: see :class:`Svrg`.
    """

    of: Literal["given", "equal", "centre"] = "given"

    output_name = "weighted average of the models"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of not in ("given", "equal", "centre"):
            raise ValueError(f"of is {self.of!r}; it should be 'given', 'equal' or 'centre'")

    def init(self, problem: WeightedNodes, x0: Array, rng: Streams) -> State:
        """State before the first round."""
        if self.of == "equal":
            x0 = problem.join(np.full((len(x0), problem.K), 1 / problem.K), problem.split(x0)[1])
        parts, w = self._parts(problem, x0)
        course = self.start(parts, w, problem.split(x0)[1])
        return State(0, x0, self.work(w, course).counts(problem.d, self._kind), course, x0)

    def round(self, problem: WeightedNodes, state: State, rng: Streams) -> State:
        """State after ``tau`` more steps."""
        parts, w = self._parts(problem, state.z)
        mu = problem.constants.mu
        course = self.steps(parts, w, state.course, self.tau, mu, rng, state.rounds + 1)
        weights = problem.split(state.z)[0]
        newest, average = (problem.join(weights, x) for x in (_mean(w, course.x), self.average(course)))
        cost = replace(self.work(w, course).counts(problem.d, self._kind), rounds=state.rounds + 1)
        return State(state.rounds + 1, newest, cost, course, average)

    @property
    def _kind(self) -> Literal["lower_calls", "grad_f"]:
        return "grad_f" if self.of == "centre" else "lower_calls"

    def _parts(self, problem: WeightedNodes, z: Array) -> tuple[FiniteSums, Array]:
        if self.of == "centre":
            return problem.centre(), np.ones((len(z), 1))
        return problem.inner(), problem.split(z)[0]

    def output(self, state: State) -> Array:
        """The averaged model."""
        return state.average

    def counts(self, problem: WeightedNodes, state: State) -> Counts:
        """Cost of one run so far."""
        return NOTHING + state.cost
