"""FedMSA (fedmsa, Algorithm 1), and its forms for bilevel and compositional problems.

Problem: ``P(x, z^1, ..., z^N) = 0`` with ``S^n(z^{n-1}, z^n) = 0`` for means over clients. All variables move at once,
along estimates that one sample at two points corrects: with momentum on all clients (5), then in local steps of the
selected ones (6).

Guarantee: Theorem 3.1 bounds ``E||P(x)||^2 + sum_n E||z^n - z^{n,*}(z^{n-1})||^2`` at a random local iterate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from rateproof.algos.arguments import finite, shown
from rateproof.algos.methods.base import Counts, Measure
from rateproof.algos.methods.bilevel_parts import NOTHING, neumann
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.bilevel_sequences import BilevelSequences, Maps
from rateproof.algos.problems.compositional import Compositional
from rateproof.algos.problems.sequences import Constants, MultiSequence
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel

#: Lower variables of at most this many numbers have their Hessian looked at before a run.
SMALL = 200


@dataclass(frozen=True, eq=False)
class State:
    """State after ``rounds`` rounds.

    Attributes:
        rounds: rounds done.
        w: models ``(x, z^1, ..., z^N)``, ``(runs, n)``.
        before: models of the round before, where ``direction`` belongs to.
        direction: ``(h_r, q_r^1, ..., q_r^N)`` of the newest round, ``(runs, n)``.
        picked: a local iterate of all so far, each with equal chance, ``(runs, n)``.
        iterates: local iterates so far.
        cost: of one run.
        shown: how many numbers of a model are the problem's own.
    """

    rounds: int
    w: Array
    before: Array
    direction: Array
    picked: Array
    iterates: int
    cost: Counts
    shown: int

    @property
    def x(self) -> Array:
        """Newest server model, ``(runs, shown)``."""
        return self.w[:, : self.shown]


@dataclass(frozen=True, kw_only=True)
class FedMSA:
    """FedMSA (fedmsa, Algorithm 1), which takes one local step and plain estimates in round 0.

    Args:
        alpha: step of ``x``.
        beta: steps of ``z^1, ..., z^N``, one number for all or ``N``.
        rho: momentum in ``[0, 1]``; 1 is plain.
        rho_power: momentum falls like ``rho r^-rho_power``, from round 1 on.
        K: local steps.
        minibatch, first_minibatch: batch of a sample, and that of round 0.
        clients_selected: clients that take local steps, whose models are averaged.
        alpha_decay, beta_decay: factors of the steps from round to round.
        output_rule: "random" returns a local iterate of all, each with equal chance, as printed; "last" the newest
            model.
        region: "any" positive steps, or "stated": those that Lemmas B.1 to B.5 admit; the constants of the problem say
            which.

    Raises:
        ValueError: a parameter is out of range.
    """

    alpha: float
    beta: float | tuple[float, ...]
    rho: float = 1.0
    rho_power: float = 0.0
    K: int = 1
    minibatch: int = 1
    first_minibatch: int = 1
    clients_selected: int = 1
    alpha_decay: float = 1.0
    beta_decay: float = 1.0
    output_rule: Literal["random", "last"] = "random"
    region: Literal["any", "stated"] = "any"

    output_name: ClassVar[str] = "random local iterate"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(alpha=self.alpha, alpha_decay=self.alpha_decay, beta_decay=self.beta_decay)
        for beta in np.atleast_1d(finite("beta", self.beta)):
            check_positive(beta=float(beta))
        if not (isinstance(self.rho, Real) and 0 <= self.rho <= 1):
            raise ValueError(f"rho is {shown(self.rho)}; it should be in [0, 1]")
        if not finite("rho_power", self.rho_power) >= 0:
            raise ValueError(f"rho_power is {self.rho_power:g}; it should be at least 0")
        check_whole(
            K=self.K,
            minibatch=self.minibatch,
            first_minibatch=self.first_minibatch,
            clients_selected=self.clients_selected,
        )
        for name, choices in (("output_rule", ("random", "last")), ("region", ("any", "stated"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {shown(getattr(self, name))}; it should be {' or '.join(choices)}")

    def momentum(self, r: int) -> float:
        """``rho`` of round ``r``, from 0."""
        return 1.0 if r == 0 else float(self.rho * r**-self.rho_power)

    def local_steps(self, r: int) -> int:
        """Local steps of round ``r``, from 0."""
        return 1 if r == 0 else self.K

    def batch(self, r: int) -> int:
        """Batch of the first phase of round ``r``, from 0."""
        return self.first_minibatch if r == 0 else self.minibatch

    def init(self, problem: MultiSequence, x0: Array, rng: Streams) -> State:
        """State before round 0, from models ``(x_0, Z_0)``, ``(runs, n)``.

        Raises:
            ValueError: other numbers of sequences or of clients than the problem has, or steps outside the stated
                region.
        """
        return self._started(problem, x0, problem.n)

    def round(self, problem: MultiSequence, state: State, rng: Streams) -> State:
        """State after one more iteration ``r``."""
        maps, r = self.maps(problem), state.rounds
        rho, K, batch = self.momentum(r), self.local_steps(r), self.batch(r)
        direction = self._momentum_phase(maps, state, rng, rho, batch)  # (5) and line 8
        steps = self._steps(maps, r)
        sampled = rng.sample_clients(2 * r + 2, maps.m, self.clients_selected)  # line 9
        seat, k = self._pick(rng, r, K, state.iterates)
        new, picked = np.zeros_like(state.w), state.picked.copy()
        for m in range(maps.m):
            rows = np.flatnonzero(sampled[:, m])
            if not len(rows):
                continue
            at = (
                k[rows] if self.clients_selected == 1 else np.where(seat[rows] == sampled[rows, :m].sum(1), k[rows], -1)
            )
            samples = self._draw(maps, rng, 2 * r + 2, m, K - 1, rows, self.minibatch)
            local = _local_steps(maps, m, state.w[rows], direction[rows], steps, samples)
            wanted = set(at.tolist())
            for step, w in enumerate(local):  # steps 1..K start there, and the last ends
                if step in wanted:
                    here = at == step
                    picked[rows[here]] = w[here]
            new[rows] += w
        cost = state.cost + self._cost(maps, K, batch, first=r == 0)
        return replace(
            state,
            rounds=r + 1,
            w=new / self.clients_selected,  # line 17
            before=state.w,
            direction=direction,
            picked=picked,
            iterates=state.iterates + K,
            cost=cost,
        )

    def output(self, state: State) -> Array:
        """What :attr:`output_rule` says, ``(runs, shown)``."""
        return state.x if self.output_rule == "last" else state.picked[:, : state.shown]

    def counts(self, problem: MultiSequence, state: State) -> Counts:
        """Cost of one run so far; the second communication of an iteration is a lower round.

        All clients send directions up, and get the mean, which the selected ones use at once and all in the next round.
        The selected ones send models up, and all get the mean. A message has ``N + 1`` vectors.
        """
        return state.cost

    def measures(self, problem: MultiSequence) -> dict[str, Measure]:
        """Squared errors of the newest directions of a round, as estimates of the mean maps where it began."""

        def error(state: State, inner: bool) -> Array:
            maps = self.maps(problem)
            away = (state.direction - maps.mean_maps(state.before)) ** 2
            parts = away[:, maps.dims[0] :] if inner else away[:, : maps.dims[0]]
            return parts.sum(axis=1) if state.rounds else np.full(len(away), np.nan)

        return {"|h - P|^2": lambda state: error(state, False), "|q - S|^2": lambda state: error(state, True)}

    def maps(self, problem: Any) -> MultiSequence:
        """The maps that are driven to zero."""
        return problem  # type: ignore[no-any-return]

    def _started(self, problem: Any, w: Array, shown: int) -> State:
        """State at ``w``, of which the problem's own models are the first ``shown`` numbers."""
        maps = self.maps(problem)
        steps = np.size(self.beta)
        if steps not in (1, maps.N) or (np.ndim(self.beta) and steps != maps.N):
            raise ValueError(
                f"beta has {steps} steps; it should be one number, or have one for each of {maps.N} sequences"
            )
        if self.clients_selected > maps.m:
            raise ValueError(
                f"clients_selected is {self.clients_selected}; it should be at most {maps.m}, the number of clients"
            )
        if self.region == "stated":
            for outside in self.outside(maps):
                raise ValueError(outside)
        return State(0, w, w, np.zeros_like(w), w, 0, NOTHING, shown)

    def outside(self, maps: MultiSequence) -> Iterator[str]:
        """What the constant steps miss of the regions that the paper's lemmas ask for, a sentence each."""
        c, alpha, beta = maps.constants, self.alpha, np.broadcast_to(self.beta, (maps.N,)).tolist()
        for name, left, right, low, high in _region(c, alpha, beta, self.rho, self.K, self.minibatch, maps.m):
            if not low <= high:  # also where a constant is not known
                yield f"{name} fails: {left} = {low:g} should be at most {right} = {high:g}"

    def _momentum_phase(self, maps: MultiSequence, state: State, rng: Streams, rho: float, batch: int) -> Array:
        """The mean of (5) over the clients, ``(runs, n)``; models of the round before do not matter where rho = 1."""
        runs = np.arange(len(state.w))
        kept = 1 - rho
        if maps.additive:
            total = maps.mean_maps(state.w)
            if kept:
                total = total + kept * (state.direction - maps.mean_maps(state.before))
            if maps.silent:
                return total
            # With the same sample at both points, noise that is added stays with the factor rho.
            noise = np.zeros_like(total)
            for m in range(maps.m):
                (sample,) = self._draw(maps, rng, 2 * state.rounds + 1, m, 1, runs, batch)
                noise += maps.noise_of(m, state.w, sample)
            return total + rho / maps.m * noise
        total = np.zeros_like(state.w)
        for m in range(maps.m):
            (sample,) = self._draw(maps, rng, 2 * state.rounds + 1, m, 1, runs, batch)
            total += maps.sampled(m, state.w, sample)
            if kept:
                total += kept * (state.direction - maps.sampled(m, state.before, sample))
        return total / maps.m

    def _draw(
        self, maps: MultiSequence, rng: Streams, key: int, m: int, steps: int, rows: Ints, batch: int
    ) -> list[Any]:
        """Samples of a client, a step each; None where they would not matter."""
        if maps.silent or (maps.additive and key % 2 == 0) or not steps:
            return [None] * steps
        return maps.draw(rng, key, m, steps, rows, batch)

    def _steps(self, maps: MultiSequence, r: int) -> Array:
        """Steps of all coordinates in round ``r``, ``(n,)``."""
        beta = np.broadcast_to(self.beta, (maps.N,)) * self.beta_decay**r
        return np.repeat([self.alpha * self.alpha_decay**r, *beta], maps.dims)

    def _pick(self, rng: Streams, r: int, K: int, iterates: int) -> tuple[Ints, Ints]:
        """The seat and the step, from 0, that are the output so far, ``(runs,)``; step -1 keeps what was picked."""
        runs = np.arange(rng.runs)
        if self.output_rule == "last":
            return np.zeros(rng.runs, dtype=np.int64), np.full(rng.runs, -1)
        drawn = rng.uniforms("output", 2 * r + 1, 0, 1, 1, runs)[0, :, 0] * (iterates + K)
        k = np.floor(drawn).astype(np.int64)
        seat = np.floor((drawn - k) * self.clients_selected).astype(np.int64)
        return seat, np.where(k < K, k, -1)

    def _cost(self, maps: MultiSequence, K: int, batch: int, *, first: bool) -> Counts:
        """Of one iteration: oracles as (5) and (6) print them, whatever cancels."""
        s, m = self.clients_selected, maps.m
        evaluations = m * (1 if first else 2) + s * 2 * K
        calls = {kind: count * evaluations for kind, count in maps.calls.items()}
        samples = 0 if maps.silent else maps.sample_size * (m * batch + s * K * self.minibatch)
        sizes = np.array([maps.N + 1, maps.n])
        down, up = (2 * m * sizes).tolist(), ((m + s) * sizes).tolist()
        return replace(Counts(1, down[0], up[0], down[1], up[1]), lower_rounds=1, samples=samples, **calls)


def _local_steps(
    maps: MultiSequence, m: int, w: Array, direction: Array, steps: Array, samples: list[Any]
) -> Iterator[Array]:
    """Models where client ``m`` takes its local steps along (6), and at last where they end: ``(rows, n)`` each.

    In the first step both points coincide, so that the direction stays.
    """
    # The value at the last point serves again where samples do not change differences.
    last = maps.maps(m, w) if maps.additive and samples else None
    yield w
    before, w = w, w - steps * direction
    for sample in samples:
        yield w
        if last is None:
            direction = direction + maps.sampled(m, w, sample) - maps.sampled(m, before, sample)
        else:
            direction, last = direction - last + (now := maps.maps(m, w)), now
        before, w = w, w - steps * direction
    yield w


def _region(
    c: Constants, alpha: float, beta: list[float], rho: float, K: int, b: int, m: int
) -> Iterator[tuple[str, str, str, float, float]]:
    """The conditions on steps of Lemmas B.1, B.2, B.4 and B.5: name, both sides in words, and in numbers."""
    e = float(np.e)
    for n, (step, lam, L_s) in enumerate(zip(beta, c.lam_each, c.L_s_each, strict=True), start=1):
        yield "(Lemma B.1)", f"beta_{n}", f"lambda_{n}/(2 L_s{n})", step, lam / (2 * L_s)
    if c.L_z1:
        yield "(Lemma B.2)", "alpha", "1/(2 L_z1^2)", alpha, 1 / (2 * c.L_z1**2)
    sizes = [("p", alpha, c.Lb_p, c.tau_0)]
    sizes += [(f"s{n}", *k) for n, k in enumerate(zip(beta, c.Lb_s_each, c.tau_each, strict=True), start=1)]
    for name, step, Lb, tau in sizes:
        kappa = K * (Lb**2 / b + tau**2 * (1 + K))
        yield "(Lemma B.4)", f"2 e kappa_{name} step^2", "1/2", 2 * e * kappa * step**2, 0.5
    for name, step, Lb, _ in sizes:
        left = 160 * Lb**2 * K**2 * step**2
        yield "(Lemma B.5)", f"160 Lb_{name}^2 K^2 step^2", "rho M K b/(24 e + 1)", left, rho * m * K * b / (24 * e + 1)


@dataclass(frozen=True, kw_only=True)
class FedBLO(FedMSA):
    """FedMSA on a bilevel problem, ``z = (w, v)`` (fedmsa, Section 2.2 and Appendix C).

    ``w`` is the lower variable and ``v`` solves a linear system with its Hessian, through products alone.

    Args:
        system: "eq2", or "eq10" with the upper gradient in ``x`` where (2) has that in ``w``, as printed.
        terms: of the Neumann series with which ``v`` starts; 0 starts at 0. The authors' code has 5.
        ell: smoothness constant of the lower level for that series; that of the problem when left out.
        others: as in :class:`FedMSA`; ``beta`` is the step of ``w`` and ``v``.

    Raises:
        ValueError: a parameter is out of range.
    """

    system: Maps = "eq2"
    terms: int = 0
    ell: float | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if self.system not in ("eq2", "eq10"):
            raise ValueError(f"system is {shown(self.system)}; it should be eq2 or eq10")
        check_whole(terms=self.terms + 1)
        if self.ell is not None:
            check_positive(ell=self.ell)

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:  # type: ignore[override]
        """State before round 0, from models ``(x_0, w_0)``, ``(runs, dx + dy)``.

        Raises:
            ValueError: there are constraints, as in :class:`FedMSA`, or no smoothness constant is known for the series.
        """
        v = np.zeros((len(x0), problem.dy))
        if self.terms:
            ell = self.ell or problem.constants.L_2
            if not np.isfinite(ell):
                raise ValueError("no smoothness constant of the lower level is known; ell should be given")
            right = problem.split(problem.grad_F(x0))[1]
            v = neumann(right, lambda p: problem.split(problem.product_G(x0, p))[1], self.terms, float(ell))
        return self._started(problem, np.concatenate([x0, v], axis=1), problem.n)

    def misses(self, problem: SmoothBilevel, x0: Array) -> Iterator[str]:
        """What the start ``x0``, ``(n,)``, misses of Assumption D1, where its Hessian is small enough to look at."""
        if problem.dy > SMALL or not (problem.X.whole and problem.Y.whole):
            return
        least = float(np.linalg.eigvalsh(self.maps(problem).hessian(x0[None])[0])[0])
        if least <= 0:
            yield (
                "the zero of S is not attracting, or not unique, at the start: the least eigenvalue of the Hessian of "
                f"the lower level in w is {least:g}; it should be positive"
            )

    def maps(self, problem: SmoothBilevel) -> BilevelSequences:
        """Those of (2) or (10)."""
        return BilevelSequences(problem, self.system)


@dataclass(frozen=True, kw_only=True)
class FedMCO(FedMSA):
    """FedMSA on a composition of means over clients, with the maps of (11) (fedmsa, Section 2.3 and Appendix D).

    Arguments as in :class:`FedMSA`. The mean of the clients' products of Jacobians is driven to zero, which is the
    gradient of the composition only where at most one level has Jacobians that differ between clients.
    """

    def init(self, problem: Compositional, x0: Array, rng: Streams) -> State:  # type: ignore[override]
        """State before round 0, from models ``(x_0, Z_0)``, ``(runs, n)``; raises as :class:`FedMSA` does."""
        return super().init(problem, x0, rng)
