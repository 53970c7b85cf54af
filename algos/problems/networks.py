"""Two-layer networks: the nonsmooth one through values, and a smooth one with gradients (fedrzo, Section 6.1).

The loss of client ``i`` is half the sum of squares ``(v_l - net(U_l))^2`` over its rows, plus
``(weight_decay/2) ||(Z, w)||^2``; models are those of :mod:`rateproof.algos.networks`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rateproof.algos.networks import NetworkData, check_batch, draw_rows, random_rows, relu
from rateproof.algos.noise import MiniBatch, Noise, NoNoise, Streams
from rateproof.algos.problems.base import Array, Fact, Metric, Problem, noise_facts
from rateproof.algos.problems.base import Constants as SmoothConstants
from rateproof.algos.problems.box import bounded, set_facts
from rateproof.algos.problems.federated import Constants, Federated


class ReluNetwork(Federated):
    """The network with ``act(t) = max(t, 0)``, through values.

    Args:
        U, v, hidden, weight_decay: see :class:`NetworkData`.
        bound: every ``X_i`` is the box ``[-bound, bound]^n``; inf: the whole space.
        batch: rows of a sample, uniform with replacement; None: a loss is not random.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Raises:
        ValueError: as :class:`NetworkData`, or ``bound`` or ``batch`` is out of range.
    """

    def __init__(
        self,
        U: Sequence[Array],
        v: Sequence[Array],
        *,
        hidden: int = 4,
        weight_decay: float = 0.01,
        bound: float = math.inf,
        batch: int | None = None,
        name: str = "relu_network",
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.data = NetworkData(U, v, hidden=hidden, weight_decay=weight_decay)
        self.n, self.m, self.bound, self.batch = self.data.n, self.data.m, float(bound), check_batch(batch)
        self.sets = bounded(bound, self.m, self.n)
        self.name, self.params = name, dict(params or {})

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Numbers of rows, ``(steps, runs, m, batch)``; None without batches."""
        return None if self.batch is None else draw_rows(rng, "xi", round, steps, self.batch, self.data.v)

    def values(self, x: Array, xi: Array | None) -> Array:
        """Losses, or their estimates from rows: ``(runs, m, n) -> (runs, m)``."""
        out = np.empty(x.shape[:2])
        for i in range(self.m):
            own = x[:, i]
            out[:, i] = (
                self.data.loss(i, own, relu)
                if xi is None
                else self.data.sampled_loss(i, own, relu, xi[:, i].astype(np.int64))
            )
        return out

    def f_i(self, i: int, x: Array) -> Array:
        """Loss of client ``i``: ``(runs, n) -> (runs,)``."""
        return self.data.loss(i, x, relu)

    @cached_property
    def constants(self) -> Constants:
        """``L0`` bounds the slopes on the box; there is no constant on the whole space."""
        nu = 0.0 if self.batch is None else math.inf
        return Constants(L0=self.data.modulus(self.bound), nu=nu, **set_facts(self.sets)[0])

    def facts(self) -> dict[str, Fact]:
        """Assumption 1, part by part."""
        L0 = self.constants.L0
        on_box = f"; on the box slopes are at most {L0:g}" if math.isfinite(L0) else ""
        random = self.batch is not None
        return {
            "lipschitz": Fact(False, f"losses grow like the fourth power of a model{on_box}"),
            "unbiased": Fact(True, "rows are drawn uniformly" if random else "losses are not random"),
            "variance_bounded": Fact(not random, "it grows with the model" if random else "losses are not random"),
            **set_facts(self.sets)[1],
        }


class SoftplusNetwork(Problem):
    """The network with ``act(t) = (1/beta) ln(1 + exp(beta t))`` as the inner level ``h``, for first-order methods.

    The outer level is 0, so that methods for ``min h`` run as they are; its minimisers are not known.

    Args:
        U, v, hidden, weight_decay: see :class:`NetworkData`.
        beta: sharpness; the losses tend to those of :class:`ReluNetwork` as it grows.
        noise: none, an additive law, or :class:`rateproof.algos.noise.MiniBatch` for rows.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Raises:
        ValueError: as :class:`NetworkData`, or ``beta`` is not positive.
    """

    def __init__(
        self,
        U: Sequence[Array],
        v: Sequence[Array],
        *,
        hidden: int = 4,
        weight_decay: float = 0.01,
        beta: float = 10.0,
        noise: Noise | None = None,
        name: str = "softplus_network",
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.data = NetworkData(U, v, hidden=hidden, weight_decay=weight_decay)
        if not 0 < beta < math.inf:
            raise ValueError(f"beta is {beta}; it should be a positive number")
        self.n, self.N, self.beta = self.data.n, self.data.m, float(beta)
        self.noise: Noise = NoNoise() if noise is None else noise
        self.name, self.params = name, dict(params or {})

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Own loss, and the loss of the ReLU network with the same weights (fedrzo, Fig. 2)."""
        return {"h": lambda problem, x: problem.h(x), "relu": lambda problem, x: problem.relu_loss(x)}

    def softplus(self, t: Array) -> Array:
        """``(1/beta) ln(1 + exp(beta t))``: shape of ``t``."""
        return np.asarray(np.logaddexp(0, self.beta * t) / self.beta)

    def relu_loss(self, x: Array) -> Array:
        """Mean over clients of the loss of the ReLU network: ``(runs, n) -> (runs,)``."""
        return np.asarray(sum(self.data.loss(i, x, relu) for i in range(self.N)) / self.N)

    def f_i(self, i: int, x: Array) -> Array:
        """0: ``(runs,)``."""
        return np.zeros(len(x))

    def h_i(self, i: int, x: Array) -> Array:
        """Loss of client ``i``: ``(runs, n) -> (runs,)``."""
        return self.data.loss(i, x, self.softplus)

    def grad_f(self, i: int, y: Array, out: Array | None = None) -> Array:
        """0: ``(runs, n)``."""
        gradient = np.zeros(y.shape) if out is None else out
        gradient[...] = 0.0
        return gradient

    def grad_h(self, i: int, y: Array, out: Array | None = None) -> Array:
        """Gradient of the loss of client ``i``: ``(runs, n) -> (runs, n)``."""
        gradient = self._regular(y, out)
        for rows in self.data.pieces(i, len(y)):
            U = self.data.U[i][rows]
            Z, w = self.data.parts(y)
            inner = (Z.reshape(-1, self.data.N0) @ U.T).reshape(*w.shape, -1)
            self._add(gradient, w, inner, U, self.data.v[i][rows], 1.0)
        return gradient

    def samples(self, i: int) -> int:
        """Number of rows of client ``i``."""
        return len(self.data.v[i])

    def sampled_grad_h(self, i: int, y: Array, rows: NDArray[np.int64], out: Array | None = None) -> Array:
        """Gradient on rows ``(runs, batch_size)``, unbiased for uniform rows: ``(runs, n)``."""
        U, (Z, w) = self.data.U[i][rows], self.data.parts(y)
        gradient = self._regular(y, out)
        inner = np.matmul(Z, U.transpose(0, 2, 1))
        self._add(gradient, w, inner, U, self.data.v[i][rows], self.samples(i) / rows.shape[1])
        return gradient

    def _regular(self, y: Array, out: Array | None) -> Array:
        gradient: Array = np.multiply(y, self.data.weight_decay, out=out)
        return gradient

    def _add(self, gradient: Array, w: Array, inner: Array, U: Array, v: Array, share: float) -> None:
        """Add ``share`` times the gradient of the squares: ``inner`` ``(runs, N1, rows)``, ``U`` ``(.., rows, N0)``."""
        units = self.softplus(inner)
        pull = share * (np.matmul(w[:, None, :], units) - v.reshape(-1, 1, v.shape[-1]))  # (runs, 1, rows)
        cut = self.data.hidden * self.data.N0
        gradient[:, cut:] += np.matmul(units, pull.transpose(0, 2, 1))[..., 0]
        back = w[:, :, None] * expit(self.beta * inner) * pull
        onto = back.reshape(-1, back.shape[-1]) @ U if U.ndim == 2 else np.matmul(back, U)
        gradient[:, :cut] += onto.reshape(len(gradient), cut)

    @cached_property
    def constants(self) -> SmoothConstants:
        """The outer level is 0; of the inner one nothing is known: inf or NaN."""
        nan, inf = math.nan, math.inf
        known = {"L_f": 0.0, "mu_f": 0.0, "f_star": 0.0, "inf_f": 0.0, "mean_inf_f": 0.0, "grad_f_star": 0.0}
        sigma = math.sqrt(self.noise.sigma_h2)
        unknown = {"h_star": nan, "mean_inf_h": nan, "alpha": nan, "kappa": nan}
        return SmoothConstants(L_h=inf, sigma_f=0.0, sigma_h=sigma, **known, **unknown)

    def facts(self) -> dict[str, Fact]:
        """Structural hypotheses with their reasons."""
        unknown = Fact(False, "not known for a network")
        decays = self.data.weight_decay > 0
        why = "weight_decay > 0" if decays else "weight_decay = 0"
        return {
            "f_convex": Fact(True, "f = 0"),
            "f_strongly_convex": Fact(False, "f = 0"),
            "f_smooth": Fact(True, "f = 0"),
            "h_convex": Fact(False, "losses of a network are not convex"),
            "h_smooth": Fact(False, "gradients grow like the third power of a model"),
            "X_h_nonempty": Fact(decays, f"{why}: h grows far away" if decays else why),
            "f_bounded_below": Fact(True, "f = 0"),
            "clients_attain_minimum": Fact(decays, "as for h" if decays else why),
            **noise_facts(self.noise),
            "weak_sharp": unknown,
        }

    def project(self, x: Array) -> Array:
        """Not known.

        Raises:
            ValueError: always.
        """
        raise ValueError("the minimisers of a network's loss are not known; ask for the metrics h and relu")

    def bilevel_solution(self) -> Array:
        """Not known; see :meth:`project`."""
        return np.asarray(self.project(np.zeros((1, self.n)))[0])

    def regularised_solution(self, eta: float) -> Array:
        """Not known; see :meth:`project`."""
        return self.bilevel_solution()


def random_relu_network(
    *,
    m: int = 5,
    rows: int = 20,
    features: int = 4,
    hidden: int = 4,
    weight_decay: float = 0.01,
    bound: float = math.inf,
    batch: int | None = None,
    seed: int = 0,
) -> ReluNetwork:
    """The ReLU network on :func:`rateproof.algos.networks.random_rows`.

    Args:
        m, rows, features, seed: of the rows.
        hidden, weight_decay, bound, batch: see :class:`ReluNetwork`.

    Raises:
        ValueError: as :class:`ReluNetwork`.
    """
    given: dict[str, object] = {"m": m, "rows": rows, "features": features, "hidden": hidden}
    given |= {
        "weight_decay": weight_decay,
        "bound": bound if math.isfinite(bound) else None,
        "batch": batch,
        "seed": seed,
    }
    U, v = random_rows(m, rows, features, seed)
    return ReluNetwork(
        U,
        v,
        hidden=hidden,
        weight_decay=weight_decay,
        bound=bound,
        batch=batch,
        name="random_relu_network",
        params=given,
    )


def random_softplus_network(
    *,
    m: int = 5,
    rows: int = 20,
    features: int = 4,
    hidden: int = 4,
    weight_decay: float = 0.01,
    beta: float = 10.0,
    batch: int | None = None,
    seed: int = 0,
) -> SoftplusNetwork:
    """The softplus network on :func:`rateproof.algos.networks.random_rows`.

    Args:
        m, rows, features, seed: of the rows.
        hidden, weight_decay, beta: see :class:`SoftplusNetwork`.
        batch: rows of a sampled inner gradient; None: gradients are exact.

    Raises:
        ValueError: as :class:`SoftplusNetwork`.
    """
    given = dict(locals())
    U, v = random_rows(m, rows, features, seed)
    rows_drawn = check_batch(batch)
    noise = None if rows_drawn is None else MiniBatch(rows_drawn)
    return SoftplusNetwork(
        U,
        v,
        hidden=hidden,
        weight_decay=weight_decay,
        beta=beta,
        noise=noise,
        name="random_softplus_network",
        params=given,
    )
