"""What FedMSA is made of, by itself: its ancestors on one machine, and its form for plain federated problems.

Momentum on all clients is STORM, local steps are SARAH; without both it is STSA, and without inner sequences CE-LSGD.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from rateproof.algos.arguments import finite, shown
from rateproof.algos.methods.base import Counts, Measure
from rateproof.algos.methods.fedmsa import FedMSA, State
from rateproof.algos.methods.loss_sequences import LossSequences, Pooled
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Problem
from rateproof.algos.problems.sequences import MultiSequence


class _OfLosses:
    """What FedMSA does otherwise for ``min h``: there is no inner sequence."""

    def init(self, problem: Problem, x0: Array, rng: Streams) -> State:
        """State before round 0, from models ``(runs, n)``; raises as :class:`FedMSA` does."""
        return self._started(problem, x0, problem.n)  # type: ignore[attr-defined, no-any-return]

    def measures(self, problem: Problem) -> dict[str, Measure]:
        """Squared error of the newest direction, as an estimate of ``grad h`` where the round began."""
        return {"|h - P|^2": super().measures(problem)["|h - P|^2"]}  # type: ignore[misc]


@dataclass(frozen=True, kw_only=True)
class CELSGD(_OfLosses, FedMSA):  # type: ignore[misc]
    """CE-LSGD (Patel et al., NeurIPS 2022) for ``min h``: FedMSA without inner sequences.

    Momentum on all clients, then local steps of one of them. Not compared with the paper's listing, which we could not
    get: that round 0 takes one step along plain estimates is fedmsa's.

    Args:
        alpha: step.
        others: as in :class:`FedMSA`.

    Raises:
        ValueError: a parameter is out of range.
    """

    beta: float | tuple[float, ...] = field(default=1.0, init=False)
    beta_decay: float = field(default=1.0, init=False)
    region: Literal["any", "stated"] = field(default="any", init=False)

    def maps(self, problem: Problem) -> LossSequences:
        """``grad h_i`` of the clients."""
        return LossSequences(problem)


@dataclass(frozen=True, kw_only=True)
class _OneMachine(FedMSA):
    """What the methods for one machine share; a round is an iteration, in which nothing is communicated.

    Args:
        power: steps fall like ``alpha (k + 1)^-power``, from ``k = 0``.
    """

    power: float = 0.0
    clients_selected: int = field(default=1, init=False)
    alpha_decay: float = field(default=1.0, init=False)
    beta_decay: float = field(default=1.0, init=False)
    region: Literal["any", "stated"] = field(default="any", init=False)

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if not finite("power", self.power) >= 0:
            raise ValueError(f"power is {self.power:g}; it should be at least 0")

    def _steps(self, maps: MultiSequence, r: int) -> Array:
        return super()._steps(maps, r) * float((r + 1) ** -self.power)

    def _cost(self, maps: MultiSequence, K: int, batch: int, *, first: bool) -> Counts:
        """Of one iteration: the first of the local steps needs no estimates of its own."""
        evaluations = (1 if first or (self.rho == 1 and not self.rho_power) else 2) + 2 * (K - 1)
        samples = 0 if maps.silent else maps.sample_size * (batch + (K - 1) * self.minibatch)
        return replace(Counts(1, 0, 0, 0, 0), samples=samples, **{k: n * evaluations for k, n in maps.calls.items()})


@dataclass(frozen=True, kw_only=True)
class STSA(_OneMachine):
    """STSA (Shen and Chen, NeurIPS 2022): all sequences at once along plain samples, one timescale.

    FedMSA with one local step and ``rho = 1``, on one machine that has a sample of every client's maps. From the
    general description: the paper's listing we could not get.

    Args:
        alpha, beta: steps of ``x``, and of ``z^1, ..., z^N``, one number for all or ``N``.
        power: both fall like ``(k + 1)^-power``; 1/2 is usual.
        minibatch: batch.
        output_rule: as in :class:`FedMSA`.

    Raises:
        ValueError: a parameter is out of range.
    """

    rho: float = field(default=1.0, init=False)
    rho_power: float = field(default=0.0, init=False)
    K: int = field(default=1, init=False)
    first_minibatch: int = field(default=1, init=False)

    def batch(self, r: int) -> int:
        """The same in every iteration."""
        return self.minibatch

    def maps(self, problem: MultiSequence) -> Pooled:
        """Means of the clients' maps."""
        return Pooled(problem)


@dataclass(frozen=True, kw_only=True)
class STORM(_OfLosses, _OneMachine):  # type: ignore[misc]
    """STORM (Cutkosky and Orabona, NeurIPS 2019, Algorithm 1) for ``min h``, with steps that are given.

    ``d_k = g(x_k; xi_k) + (1 - rho)(d_{k-1} - g(x_{k-1}; xi_k))`` and ``x_{k+1} = x_k - alpha d_k``, from ``d_0 =
    g(x_0; xi_0)``. The paper sets ``alpha = k/(w + sum ||g||^2)^(1/3)`` by the gradients so far and ``rho = c
    alpha^2``; here both are given, and fall with the number of the iteration.

    Args:
        alpha: step.
        rho: momentum in ``[0, 1]``, ``a`` in the paper.
        power, rho_power: they fall like ``(k + 1)^-power`` and ``k^-rho_power``; 1/3 and 2/3 have the paper's order.
        minibatch, first_minibatch: batch, and that of the first iteration.
        output_rule: as in :class:`FedMSA`.

    Raises:
        ValueError: a parameter is out of range.
    """

    beta: float | tuple[float, ...] = field(default=1.0, init=False)
    K: int = field(default=1, init=False)

    def maps(self, problem: Problem) -> Pooled:
        """``grad h``, from a sample of every client."""
        return Pooled(LossSequences(problem))


@dataclass(frozen=True, kw_only=True)
class SARAH(STORM):
    """SARAH (Nguyen et al., ICML 2017) and SPIDER (Fang et al., NeurIPS 2018) for ``min h``.

    A round starts from a new gradient ``v_1`` and takes ``K`` steps along ``v_k = v_{k-1} + g(x_k; xi_k) - g(x_{k-1};
    xi_k)``. The next one starts where it ended, as in SPIDER, whose steps are divided by ``||v_k||``, which is not done
    here; SARAH's Algorithm 1 starts at one of the iterates at random.

    Args:
        alpha: step.
        K: steps of a round.
        anchor: "full" takes the exact gradient for ``v_1``, "batch" the mean of ``first_minibatch`` samples, as SPIDER
            does.
        power: steps fall like ``(r + 1)^-power`` from round to round.
        minibatch, first_minibatch: batch of a step, and of a start.
        output_rule: as in :class:`FedMSA`.

    Raises:
        ValueError: a parameter is out of range.
    """

    K: int = 1
    anchor: Literal["full", "batch"] = "full"
    rho: float = field(default=1.0, init=False)
    rho_power: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if self.anchor not in ("full", "batch"):
            raise ValueError(f"anchor is {shown(self.anchor)}; it should be full or batch")

    def local_steps(self, r: int) -> int:
        """The same in every round."""
        return self.K

    def batch(self, r: int) -> int:
        """That of a start; 0 where it is exact."""
        return self.first_minibatch if self.anchor == "batch" else 0

    def _momentum_phase(self, maps: MultiSequence, state: State, rng: Streams, rho: float, batch: int) -> Array:
        return super()._momentum_phase(maps, state, rng, rho, batch) if batch else maps.mean_maps(state.w)
