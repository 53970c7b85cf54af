"""Problems of several coupled sequences over clients (fedmsa, Section 2).

``P(x, z^1, ..., z^N) = 0`` and ``S^n(z^{n-1}, z^n) = 0`` for ``n = 1..N``, with ``z^0 = x``; client ``i`` has maps
``P^i`` and ``S^{i,n}``. A model is the row ``w = (x, z^1, ..., z^N)`` of ``n`` numbers, and the maps of a client
together are a row of as many, in the same order; points carry a leading axis of runs, ``(runs, n)``.

The paper writes ``P = sum_i P^i`` in its definitions and the mean in Algorithm 1: ``normalisation`` says which one is
measured. The zeros are the same.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rateproof.algos.arguments import check_counts, finite, nonnegative, shown
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array, Fact, Instance, Metric

Normalisation = Literal["mean", "sum"]
NORMALISATIONS: tuple[Normalisation, ...] = ("mean", "sum")
Law = Literal["two_point", "gaussian", "gain", "wave"]
LAWS: tuple[Law, ...] = ("two_point", "gaussian", "gain", "wave")


@dataclass(frozen=True)
class Constants:
    """Constants of an instance (fedmsa, Assumptions A to C); inf where there is none, NaN: unknown.

    A tuple has a number for each of the levels ``1..N``; a number of the same name without ``_each`` is the worst of
    them. Mean-Lipschitz constants are those of squares, ``E||p(w; xi) - p(w'; xi)||^2 <= Lb^2 ||w - w'||^2``.

    Attributes:
        lam_n, lam_each: ``<z - z*, S^{i,n}(u, z)> >= lam ||z - z*||^2`` for all clients, ``z* = z^{n,*}(u)`` the zero
            of the mean; -inf where no number will do.
        lam_mean_each: the same of the mean of the clients alone.
        L_s, L_s_each: every ``S^{i,n}(u, .)`` is ``L_s``-Lipschitz.
        L_u_each, L_joint_each: the same in ``u = z^{n-1}``, and in both arguments together.
        L_z1, L_zn, L_z_each: ``z^{n,*}`` is ``L_z``-Lipschitz.
        dL_z_each: its Jacobian is ``dL_z``-Lipschitz.
        L_p: every ``P^i(x, Z*(x))`` is ``L_p``-Lipschitz in ``x``.
        L_x, L_Z, L_P: every ``P^i`` is so in ``x``, in ``Z``, and in all.
        Lb_p, Lb_s, Lb_s_each: mean-Lipschitz constants that belong to ``L_p`` and to ``L_s``.
        sigma_0, sigma_n, sigma_each, sigma_max: bounds on the standard deviations of the oracles.
        tau_0, tau_n, tau_each, tau_het: heterogeneity of the Jacobians (Definition 2.2) from that of the mean.
        tau_0_sum, tau_sum_each: the same from that of the sum, as printed.
        L_hyp: Lipschitz constant of ``P(x) = P(x, Z*(x))``, in the normalisation of the instance.
        f_inf: infimum of ``f`` where ``P(x)`` is its gradient.
    """

    lam_n: float
    lam_each: tuple[float, ...]
    lam_mean_each: tuple[float, ...]
    L_s: float
    L_s_each: tuple[float, ...]
    L_u_each: tuple[float, ...]
    L_joint_each: tuple[float, ...]
    L_z1: float
    L_zn: float
    L_z_each: tuple[float, ...]
    dL_z_each: tuple[float, ...]
    L_p: float
    L_x: float
    L_Z: float
    L_P: float
    Lb_p: float
    Lb_s: float
    Lb_s_each: tuple[float, ...]
    sigma_0: float
    sigma_n: float
    sigma_each: tuple[float, ...]
    sigma_max: float
    tau_0: float
    tau_n: float
    tau_each: tuple[float, ...]
    tau_het: float
    tau_0_sum: float
    tau_sum_each: tuple[float, ...]
    L_hyp: float
    f_inf: float


def constants(**known: Any) -> Constants:
    """Constants from those of each level and of ``P``, with the worst of the levels filled in; the rest is NaN."""
    levels = len(known["lam_each"])
    each = {name: (math.nan,) * levels for name in Constants.__annotations__ if name.endswith("_each")}
    given = {**dict.fromkeys(Constants.__annotations__, math.nan), **each, **known}

    def worst(values: Sequence[float], of: Any = max) -> float:
        return math.nan if any(map(math.isnan, values)) else float(of(values, default=0.0))

    given["lam_n"] = worst(given["lam_each"], min)
    given["L_z1"] = given["L_z_each"][0] if levels else 0.0
    for name, short in (("L_s", "L_s"), ("L_z", "L_zn"), ("Lb_s", "Lb_s"), ("sigma", "sigma_n"), ("tau", "tau_n")):
        given[short] = worst(given[f"{name}_each"])
    given["sigma_max"], given["tau_het"] = (worst((given[f"{s}_0"], given[f"{s}_n"])) for s in ("sigma", "tau"))
    return Constants(**given)


@dataclass(frozen=True)
class LevelNoise:
    """Noise of the oracles, independent over clients, samples and the levels ``0..N``; a batch is averaged.

    With a fair sign ``xi`` a level, and ``1`` the vector of ones over the root of its length, laws are "two_point",
    ``S + sigma xi 1``; "gain", ``(1 + sigma xi) S``; and "wave", ``S + sigma xi sin(omega z)/sqrt(length)``, ``z`` the
    level's own variable. "gaussian" is additive, too, and isotropic.

    Args:
        sigma: size at the levels ``0..N``: the standard deviation of an additive law, the greatest that of a wave may
            be, and the relative one of a gain.
        law: see above.
        omega: frequency of a wave.

    Raises:
        ValueError: a size is negative, or another law.
    """

    sigma: tuple[float, ...]
    law: Law = "two_point"
    omega: float = 1.0

    def __post_init__(self) -> None:
        """Check the sizes."""
        for level, size in enumerate(self.sigma):
            nonnegative(**{f"sigma of level {level}": size})
        if self.law not in LAWS:
            raise ValueError(f"law is {shown(self.law)}; it should be one of {', '.join(LAWS)}")
        finite("omega", self.omega)

    @property
    def silent(self) -> bool:
        """Whether there is no noise at all."""
        return not any(self.sigma)

    @property
    def additive(self) -> bool:
        """Whether the noise does not depend on the point, so that it cancels in differences with one sample."""
        return self.silent or self.law in ("two_point", "gaussian")

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, dims: Sequence[int], batch: int) -> Array:
        """Signs, averaged over each batch, ``(steps, rows, N + 1)``; numbers ``(steps, rows, n)`` of a Gaussian law.

        A level without noise draws nothing, so that its signs are 1.
        """
        streams: tuple[tuple[Literal["xi", "zeta"], slice], ...] = (("xi", slice(1)), ("zeta", slice(1, None)))
        parts = []
        for stream, levels in streams:
            noisy, lengths = np.array(self.sigma[levels]) > 0, np.array(dims[levels], dtype=np.int64)
            if self.law == "gaussian":
                drawn = np.zeros((steps, len(rows), int(lengths.sum())))
                some = np.repeat(noisy, lengths)
                if some.any():
                    drawn[..., some] = rng.normals(stream, key, i, steps, int(some.sum()), rows) / math.sqrt(batch)
            else:
                drawn = np.ones((steps, len(rows), len(lengths)))
                if noisy.any():
                    signs = rng.signs(stream, key, i, steps, batch * int(noisy.sum()), rows)
                    drawn[..., noisy] = signs.reshape(steps, len(rows), batch, -1).mean(axis=2)
            parts.append(drawn)
        return np.concatenate(parts, axis=2)

    def added(self, values: Array, w: Array, sample: Array, dims: Sequence[int]) -> Array:
        """Values of the maps at ``w`` with the noise of a sample, all ``(rows, n)``."""
        size = np.repeat(self.sigma, dims)
        if self.law != "gaussian":
            sample = np.repeat(sample, dims, axis=-1)
        if self.law == "gain":
            return np.asarray(values * (1 + size * sample))
        size = size / np.sqrt(np.repeat(dims, dims))
        return np.asarray(values + size * sample * (np.sin(self.omega * w) if self.law == "wave" else 1.0))


class MultiSequence(Instance):
    """A problem of ``N`` coupled sequences over ``m`` clients.

    Args:
        m: clients.
        dims: ``(d_0, ..., d_N)``, the lengths of ``x, z^1, ..., z^N``.
        normalisation: whether ``P`` and ``S^n`` are the "mean" or the "sum" of the clients' maps.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Attributes:
        m, N: clients and sequences.
        blocks: where ``x, z^1, ..., z^N`` stand in a model.

    Raises:
        ValueError: a length or a number that is none.
    """

    m: int
    N: int

    def __init__(
        self,
        *,
        m: int,
        dims: Sequence[int],
        normalisation: Normalisation = "mean",
        name: str,
        params: Mapping[str, object] | None = None,
    ) -> None:
        check_counts(m=m, **{f"length d_{k}": d for k, d in enumerate(dims)})
        if normalisation not in NORMALISATIONS:
            raise ValueError(f"normalisation is {shown(normalisation)}; it should be 'mean' or 'sum'")
        self.m, self.N, self.dims, self.normalisation = m, len(dims) - 1, tuple(map(int, dims)), normalisation
        ends = np.cumsum((0, *self.dims)).tolist()
        self.blocks, self.n = tuple(slice(*ends) for ends in pairwise(ends)), int(ends[-1])
        self.name, self.params = name, {} if params is None else params

    @property
    def clients(self) -> int:
        """Number of clients, ``m``."""
        return self.m

    @property
    def additive(self) -> bool:
        """Whether the noise cancels in differences of an oracle's values with one sample."""
        return True

    @property
    def silent(self) -> bool:
        """Whether the oracles are exact, so that nothing is drawn."""
        return True

    @property
    def sample_size(self) -> int:
        """What one sample of a client counts."""
        return 1

    @property
    def calls(self) -> Mapping[str, int]:
        """What one evaluation of all maps of a client counts: one of ``p`` as grad_f, those of ``s^n`` as grad_h."""
        return {"grad_f": 1, "grad_h": self.N}

    def split(self, w: Array) -> tuple[Array, ...]:
        """``x, z^1, ..., z^N`` of models: ``(..., n) -> (..., d_0), ...``."""
        return tuple(w[..., block] for block in self.blocks)

    @abstractmethod
    def maps(self, i: int, w: Array) -> Array:
        """``P^i`` and ``S^{i,n}``, exactly: ``(rows, n)``."""

    def mean_maps(self, w: Array) -> Array:
        """Means of the clients' maps: ``(rows, n)``."""
        return np.asarray(sum(self.maps(i, w) for i in range(self.m)) / self.m)

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """Independent samples of client ``i`` for the runs ``rows``, one a step, each the mean of a batch."""
        return [None] * steps

    def sampled(self, i: int, w: Array, sample: Any) -> Array:
        """``p^i`` and ``s^{i,n}`` with one sample: ``(rows, n)``."""
        return self.maps(i, w)

    def noise_of(self, i: int, w: Array, sample: Any) -> Array:
        """What a sample adds to the maps: ``(rows, n)``."""
        return self.sampled(i, w, sample) - self.maps(i, w)

    @abstractmethod
    def fixed(self, n: int, u: Array) -> Array:
        """``z^{n,*}(u)``, the zero of ``S^n(u, .)``, for ``n = 1..N``: ``(rows, d_{n-1}) -> (rows, d_n)``."""

    def settled(self, x: Array) -> Array:
        """``(x, Z*(x))``, each ``z^n`` the zero for the one before: ``(rows, d_0) -> (rows, n)``."""
        parts = [x]
        for n in range(1, self.N + 1):
            parts.append(self.fixed(n, parts[-1]))
        return np.concatenate(parts, axis=1)

    def P(self, x: Array) -> Array:
        """``P(x) = P(x, Z*(x))``: ``(rows, d_0)``."""
        return self.scale * self.mean_maps(self.settled(x))[:, self.blocks[0]]

    @property
    def scale(self) -> int:
        """What the means are multiplied by: the number of clients where ``P`` is a sum."""
        return self.m if self.normalisation == "sum" else 1

    def gaps(self, w: Array) -> Array:
        """``||z^n - z^{n,*}(z^{n-1})||^2`` of each level: ``(rows, N)``."""
        parts, out = self.split(w), np.zeros((len(w), self.N))
        for n in range(1, self.N + 1):
            out[:, n - 1] = ((parts[n] - self.fixed(n, parts[n - 1])) ** 2).sum(axis=1)
        return out

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What Theorem 3.1 bounds, in its two parts; families add what else they know."""
        return {
            "|P(x)|^2": lambda problem, w: (problem.P(w[:, problem.blocks[0]]) ** 2).sum(axis=1),
            "|Z - Z*|^2": lambda problem, w: problem.gaps(w).sum(axis=1),
        }

    @property
    @abstractmethod
    def constants(self) -> Constants:
        """Constants of the instance (computed once)."""

    def facts(self) -> dict[str, Fact]:
        """Assumptions A to C, part by part; A5 with the sign that the proofs use."""
        c = self.constants

        def bounded(what: str, *numbers: float) -> Fact:
            known = all(map(math.isfinite, numbers))
            listed = ", ".join(f"{number:g}" for number in numbers)
            return Fact(known, f"{what}: {listed}" if known else f"not bounded, or not known: {what}")

        return {
            "unique_zeros": Fact(True, f"S^n(u, .) of the mean has one zero; lam_n = {_listed(c.lam_mean_each)}"),
            "zeros_lipschitz": bounded("slopes of z^{n,*} and of its Jacobian", *c.L_z_each, *c.dL_z_each),
            "maps_lipschitz": bounded("L_p, L_Z and L_{s,n}", c.L_p, c.L_Z, *c.L_s_each),
            "mean_lipschitz": bounded("mean-Lipschitz constants", c.Lb_p, *c.Lb_s_each),
            "one_point_monotone": Fact(
                c.lam_n > 0,
                f"lam_n = {_listed(c.lam_each)} over all clients, about the zero of the mean"
                + (": clients with other zeros" if c.lam_n == -math.inf else ""),
            ),
            "unbiased": Fact(True, "the mean of an oracle is its map"),
            "variance_bounded": bounded("standard deviations", c.sigma_0, *c.sigma_each),
            "heterogeneity_bounded": bounded("differences of Jacobians", c.tau_0, *c.tau_each),
        }


class Noisy(MultiSequence):
    """A problem whose oracles are its maps with :class:`LevelNoise`.

    Args:
        noise: of the levels ``0..N``.
        others: see :class:`MultiSequence`.

    Raises:
        ValueError: the noise has other levels.
    """

    def __init__(self, *, noise: LevelNoise | None = None, **others: Any) -> None:
        super().__init__(**others)
        self.noise = LevelNoise((0.0,) * (self.N + 1)) if noise is None else noise
        if len(self.noise.sigma) != self.N + 1:
            raise ValueError(
                f"noise has {len(self.noise.sigma)} sizes; it should have {self.N + 1}, one for x and each sequence"
            )

    @property
    def additive(self) -> bool:
        """Whether the noise cancels in differences of an oracle's values with one sample."""
        return self.noise.additive

    @property
    def silent(self) -> bool:
        """Whether the oracles are exact."""
        return self.noise.silent

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """As :meth:`LevelNoise.draw`, a step each."""
        return list(self.noise.draw(rng, key, i, steps, rows, self.dims, batch))

    def sampled(self, i: int, w: Array, sample: Any) -> Array:
        """The maps with the noise of the sample: ``(rows, n)``."""
        return self.noise.added(self.maps(i, w), w, sample, self.dims)

    def noise_of(self, i: int, w: Array, sample: Any) -> Array:
        """What a sample adds to the maps: ``(rows, n)``."""
        if not self.additive:
            return super().noise_of(i, w, sample)
        return self.noise.added(np.zeros_like(w), w, sample, self.dims)


def level_noise(N: int, sigma_p: float, sigma_s: Any, law: Law, omega: float = 1.0) -> LevelNoise:
    """Noise of size ``sigma_p`` in ``P`` and ``sigma_s``, one number or ``N``, in the others.

    Raises:
        ValueError: not so many numbers, or one that is negative.
    """
    nonnegative(sigma_p=sigma_p)
    sizes = finite("sigma_s", sigma_s)
    if sizes.shape not in ((), (N,)):
        raise ValueError(f"sigma_s has shape {sizes.shape}; it should be one number, or one for each of {N} sequences")
    return LevelNoise((float(sigma_p), *np.broadcast_to(sizes, (N,)).tolist()), law, omega)


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
