"""Bilevel problems as two coupled sequences (fedmsa, eqs. 2 and 10): ``z = (w, v)`` with ``v`` for the linear system.

``P^i = grad_x f_i - grad^2_xw g_i v`` and ``S^i = (grad_w g_i, grad^2_ww g_i v - grad_w f_i)``, from the oracles of any
bilevel problem over clients; (10a) prints ``grad_x f_i`` in the second part of ``S^i``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from rateproof.algos.noise import Ints, MiniBatch, NoNoise, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.sequences import Constants, MultiSequence, constants
from rateproof.algos.problems.smooth_bilevel import EXACT, Sample, SmoothBilevel, data_rows, noisy

Maps = Literal["eq2", "eq10"]


class BilevelSequences(MultiSequence):
    """See the head of this module.

    Args:
        problem: without constraints; a client with weight ``w_i`` counts ``m w_i`` times.
        system: which equation the second part of ``S`` is from.

    Raises:
        ValueError: there are constraints, or "eq10" where ``x`` and ``w`` have other lengths.
    """

    def __init__(self, problem: SmoothBilevel, system: Maps) -> None:
        if not (problem.X.whole and problem.Y.whole):
            raise ValueError("FedMSA does not project; X and Y should be whole spaces")
        if system == "eq10" and problem.dx != problem.dy:
            raise ValueError(
                f"(10a) puts grad_x f, of length {problem.dx}, where length {problem.dy} is asked for; dx should be dy"
            )
        super().__init__(m=problem.m, dims=(problem.dx, 2 * problem.dy), name=problem.name, params=dict(problem.params))
        self.problem, self.system, self._share = problem, system, problem.m * problem.weights

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
        """A gradient of each level and a product with second derivatives."""
        return {"grad_f": 1, "grad_h": 1, "products": 1}

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """Samples of both levels, a step each: more rows, or the mean of the noises of a batch."""
        drawn = self.problem.draw(rng, key, i, steps * batch, rows)
        if batch == 1 or drawn[0].xi is None:
            return drawn[:steps]

        def together(parts: list[Any]) -> Any:
            return (
                np.concatenate(parts, axis=1) if isinstance(self.problem.noise, MiniBatch) else np.mean(parts, axis=0)
            )

        steps_of = [drawn[k * batch : (k + 1) * batch] for k in range(steps)]
        return [Sample(*(together(list(level)) for level in zip(*some, strict=True))) for some in steps_of]

    def maps(self, i: int, w: Array) -> Array:
        """``P^i`` and ``S^i``: ``(rows, n)``."""
        return self.sampled(i, w, EXACT)

    def sampled(self, i: int, w: Array, sample: Any) -> Array:
        """The same with one sample: ``(rows, n)``."""
        problem = self.problem
        z, v = w[:, : problem.n], w[:, problem.n :]
        f, g = noisy(problem.gradient_f, i, z, sample.xi), noisy(problem.gradient_g, i, z, sample.zeta)
        return np.asarray(self._share[i] * self._put_together(f, g, problem.product_g(i, z, v, data_rows(sample.zeta))))

    def mean_maps(self, w: Array) -> Array:
        """Means of the clients' maps: ``(rows, n)``."""
        problem = self.problem
        z, v = w[:, : problem.n], w[:, problem.n :]
        return self._put_together(problem.grad_F(z), problem.grad_G(z), problem.product_G(z, v))

    def fixed(self, n: int, u: Array) -> Array:
        """``w*(x)`` and ``v*(x)``, by one linear solve: ``(rows, 2 dy)``."""
        problem = self.problem
        y = problem.lower_solution(u)
        z = problem.join(u, y)
        f_x, f_y = problem.split(problem.grad_F(z))
        v = np.linalg.solve(self.hessian(z), (f_y if self.system == "eq2" else f_x)[..., None])[..., 0]
        return np.concatenate([y, v], axis=1)

    def hessian(self, z: Array) -> Array:
        """``grad^2_ww g`` of the mean at ``(x, w)``, a product a column: ``(rows, dy, dy)``."""
        units = np.broadcast_to(np.eye(self.problem.dy)[:, None], (self.problem.dy, len(z), self.problem.dy))
        return np.stack([self.problem.split(self.problem.product_G(z, unit))[1] for unit in units], axis=2)

    @property
    def constants(self) -> Constants:
        """The noise alone is known here; of quadratic clients all is, as matrices."""
        return constants(lam_each=(math.nan,), L_z_each=(math.nan,), **self.sigmas())

    def sigmas(self) -> dict[str, Any]:
        """Standard deviations of the oracles; inf where the law gives no bound."""
        law, dx, n = self.problem.noise, self.problem.dx, self.problem.n
        if not law.additive:
            return {"sigma_0": math.inf, "sigma_each": (math.inf,)}
        most = float(self._share.max())
        cov_f, cov_h = law.covariances(n)
        upper = cov_f[dx:, dx:] if self.system == "eq2" else cov_f[:dx, :dx]
        inner = math.sqrt(float(np.trace(cov_h[dx:, dx:]) + np.trace(upper)))
        return {"sigma_0": most * math.sqrt(float(np.trace(cov_f[:dx, :dx]))), "sigma_each": (most * inner,)}

    def _put_together(self, f: Array, g: Array, bent: Array) -> Array:
        (f_x, f_w), (cross, Hv), split = self.problem.split(f), self.problem.split(bent), self.problem.split
        return np.concatenate([f_x - cross, split(g)[1], Hv - (f_w if self.system == "eq2" else f_x)], axis=1)


def blo_maps_eq2(problem: SmoothBilevel) -> BilevelSequences:
    """The maps of (2), whose zeros are the stationary points of ``F(x, w*(x))``."""
    return BilevelSequences(problem, "eq2")


def blo_maps_eq10(problem: SmoothBilevel) -> BilevelSequences:
    """The maps of (10) as printed."""
    return BilevelSequences(problem, "eq10")
