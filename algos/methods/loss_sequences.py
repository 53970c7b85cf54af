"""Plain problems as coupled sequences without an inner one, and all clients' maps on one machine.

With ``N = 0`` the map ``P^i`` is the gradient of a client's loss ``h_i``: what FedMSA does then is a method for plain
problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rateproof.algos.methods.first_order import Gradients, samples_of
from rateproof.algos.noise import Ints, NoNoise, Streams
from rateproof.algos.problems.base import Array, Problem
from rateproof.algos.problems.sequences import Constants, MultiSequence, constants


class LossSequences(MultiSequence):
    """``P^i = grad h_i``, with the noise of the problem; ``f`` is not asked for.

    Args:
        problem: whose inner level it is.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(m=problem.N, dims=(problem.n,), name=problem.name, params=problem.params)
        self.problem = problem

    @property
    def additive(self) -> bool:
        """Whether the noise is the same at all points."""
        return bool(self.problem.noise.additive)

    @property
    def silent(self) -> bool:
        """Whether gradients are exact."""
        return isinstance(self.problem.noise, NoNoise)

    @property
    def calls(self) -> Mapping[str, int]:
        """One gradient of ``h_i``."""
        return {"grad_h": 1}

    @property
    def sample_size(self) -> int:
        """Data rows of one stochastic gradient, or 1."""
        return samples_of(self.problem, 1)

    def maps(self, i: int, w: Array) -> Array:
        """``grad h_i``: ``(rows, n)``."""
        return self.problem.grad_h(i, w)

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """Stochastic gradients, and which of them belong to a step's batch."""
        drawn = Gradients(self.problem, rng, key, i, steps * batch, rows)
        return [(drawn, range(k * batch, (k + 1) * batch)) for k in range(steps)]

    def sampled(self, i: int, w: Array, sample: Any) -> Array:
        """Their mean at ``w``: ``(rows, n)``."""
        drawn, batch = sample
        return np.asarray(sum(drawn.at(w, k) for k in batch) / len(batch))

    def fixed(self, n: int, u: Array) -> Array:
        """No numbers, since there is no inner sequence: ``(rows, 0)``."""
        return u[:, :0]

    @property
    def constants(self) -> Constants:
        """The smoothness and the noise of ``h_i``."""
        c = self.problem.constants
        return constants(lam_each=(), L_z_each=(), L_p=c.L_h, L_x=c.L_h, L_P=c.L_h, sigma_0=c.sigma_h, L_hyp=c.L_h)


class Pooled(MultiSequence):
    """One machine that has the maps of all clients: a sample is one of each of them, and the mean is taken.

    Args:
        parts: the problem with clients.
    """

    def __init__(self, parts: MultiSequence) -> None:
        super().__init__(m=1, dims=parts.dims, name=parts.name, params=parts.params)
        self.parts = parts

    @property
    def additive(self) -> bool:
        """As for the clients."""
        return self.parts.additive

    @property
    def silent(self) -> bool:
        """As for the clients."""
        return self.parts.silent

    @property
    def sample_size(self) -> int:
        """Samples of all clients."""
        return self.parts.m * self.parts.sample_size

    @property
    def calls(self) -> Mapping[str, int]:
        """Those of all clients."""
        return {kind: count * self.parts.m for kind, count in self.parts.calls.items()}

    def maps(self, i: int, w: Array) -> Array:
        """Means of the clients' maps: ``(rows, n)``."""
        return self.parts.mean_maps(w)

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """A sample of each client, a step each."""
        drawn = (self.parts.draw(rng, key, part, steps, rows, batch) for part in range(self.parts.m))
        return list(zip(*drawn, strict=True))

    def sampled(self, i: int, w: Array, sample: Any) -> Array:
        """Means of the maps with their samples: ``(rows, n)``."""
        return np.asarray(sum(self.parts.sampled(part, w, own) for part, own in enumerate(sample)) / self.parts.m)

    def noise_of(self, i: int, w: Array, sample: Any) -> Array:
        """What samples add to the mean: ``(rows, n)``."""
        return np.asarray(sum(self.parts.noise_of(part, w, own) for part, own in enumerate(sample)) / self.parts.m)

    def fixed(self, n: int, u: Array) -> Array:
        """Zeros of the means."""
        return self.parts.fixed(n, u)

    @property
    def constants(self) -> Constants:
        """Those of the clients."""
        return self.parts.constants
