"""Gradient noise of both levels, and the counter-based random numbers behind it.

``xi`` disturbs the gradient of ``f_i`` and ``zeta`` that of ``h_i``. Every client has the same law; draws are
independent over clients, steps, rounds and runs, and ``xi`` is independent of ``zeta`` (strfedavg, Assumption 2).
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Stream: TypeAlias = Literal["xi", "zeta", "sampling", "direction", "output"]

_STREAM_KEYS = {"xi": 1, "zeta": 2, "sampling": 3, "direction": 4, "output": 5}
# Jumping over unused words costs about as much as drawing this many of them.
_JUMP_WORDS = 1024
# Words in flight: their temporaries stay in cache.
_PIECE_WORDS = 16384


class Streams:
    """Random numbers of the runs ``first_run .. first_run + runs - 1`` of an experiment.

    A draw is a function of (seed, absolute run number, round, client, step, stream) only, whatever the batch of
    runs it is asked in: each run owns a fixed stretch of the Philox counter of its (stream, round, client), so the
    draws of many runs come from one pass.

    Args:
        seed: of the experiment, ``0 <= seed < 2^64``.
        first_run: absolute number of the first run of this batch.
        runs: size of this batch.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, seed: int, first_run: int, runs: int) -> None:
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed is {seed}; it should be an integer with 0 <= seed < 2^64")
        if first_run < 0 or runs < 1:
            raise ValueError(f"first_run is {first_run} and runs is {runs}; they should be >= 0 and >= 1")
        self.seed, self.first_run, self.runs = seed, first_run, runs
        self._rounds_before = 0
        self._bits = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))
        self._state = self._bits.state

    def after(self, rounds: int) -> Streams:
        """The same streams with the rounds counted anew after ``rounds`` of them.

        Its round ``r`` draws what round ``rounds + r`` draws here. A method that calls another one for some rounds
        hands it such streams, so that no two calls share a draw.

        Raises:
            ValueError: ``rounds < 0``.
        """
        if rounds < 0:
            raise ValueError(f"rounds is {rounds}; it should be at least 0")
        later = copy.copy(self)  # the generator may be shared: every draw sets its whole state
        later._rounds_before += rounds
        return later

    def sample_clients(self, round: int, N: int, S: int) -> NDArray[np.bool_]:
        """One uniform subset of ``S`` of the ``N`` clients per run, without replacement: mask ``(runs, N)``.

        Raises:
            ValueError: not ``1 <= S <= N``.
        """
        if not 1 <= S <= N:
            raise ValueError(f"S is {S}; it should satisfy 1 <= S <= N = {N}")
        if S == N:
            return np.ones((self.runs, N), dtype=bool)
        blocks = -(-N // 4)
        words = self._words("sampling", round, 0, self.first_run * blocks, (self.runs, 4 * blocks))[:, :N]
        mask = np.zeros((self.runs, N), dtype=bool)
        np.put_along_axis(mask, np.argpartition(words, S - 1, axis=1)[:, :S], True, axis=1)
        return mask

    def uniforms(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """Uniform numbers in ``[0, 1)``, shape ``(K, len(rows), n)``; arguments as in :meth:`normals`."""
        return self._draw(_unit, stream, round, client, K, n, rows)

    def normals(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """Standard normal numbers, shape ``(K, len(rows), n)`` (Box and Muller: a fixed count of words a run).

        Args:
            stream: which of the streams.
            round: number of the round.
            client: number of the client.
            K: local steps.
            n: numbers per step.
            rows: increasing indices ``< runs`` of the runs that need the draw.
        """
        return self._draw(_normal, stream, round, client, K, n, rows)

    def signs(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """Independent signs ``-1.0`` or ``1.0`` with equal probability, shape ``(K, len(rows), n)``."""
        return self._draw(_sign, stream, round, client, K, n, rows)

    def directions(self, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """Unit vectors, uniform on the sphere, shape ``(K, len(rows), n)``; signs in dimension one."""
        if n == 1:
            return self.signs("direction", round, client, K, 1, rows)
        drawn = self.normals("direction", round, client, K, n, rows)
        by_run = drawn.transpose(1, 0, 2)  # as it lies in memory
        by_run /= np.sqrt(np.einsum("rkn,rkn->rk", by_run, by_run))[..., None]
        return drawn

    def integers(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints, high: int) -> Ints:
        """Uniform integers in ``0 .. high - 1``, shape ``(K, len(rows), n)`` (bias below ``high / 2^53``)."""
        if high < 1:
            raise ValueError(f"high is {high}; it should be at least 1")
        drawn = (self.uniforms(stream, round, client, K, n, rows) * high).astype(np.int64)
        return np.minimum(drawn, high - 1)

    def _draw(
        self, law: Callable[[Words], Array], stream: Stream, round: int, client: int, K: int, n: int, rows: Ints
    ) -> Array:
        """Numbers of a law, ``(K, len(rows), n)``; ``law`` maps words ``(m, width)`` to numbers of the same shape.

        ``width`` is ``K n`` rounded up to whole Philox blocks of four words.
        """
        blocks = -(-K * n // 4)
        width = 4 * blocks
        flat = np.empty((len(rows), K * n))
        for start, stop in _pieces(rows, width):
            first, last = int(rows[start]), int(rows[stop - 1])
            words = self._words(stream, round, client, (self.first_run + first) * blocks, (last - first + 1, width))
            if len(words) > stop - start:
                words = words[rows[start:stop] - first]
            flat[start:stop] = law(words)[:, : K * n]
        return flat.reshape(len(rows), K, n).transpose(1, 0, 2)

    def _words(self, stream: Stream, round: int, client: int, block: int, shape: tuple[int, int]) -> Words:
        """Raw words from a block of the counter of (stream, round, client) on."""
        self._state["state"]["key"][1] = _STREAM_KEYS[stream]
        self._state["state"]["counter"][:] = (block, self._rounds_before + round, client, 0)
        self._bits.state = self._state
        return self._bits.random_raw(shape[0] * shape[1]).reshape(shape)


def _pieces(rows: Ints, width: int) -> list[tuple[int, int]]:
    """Split ``rows`` where a gap is long, and so that a piece of ``width`` words a run stays in cache."""
    if len(rows) == 0 or width == 0:
        return []
    if (int(rows[-1]) - int(rows[0])) * width <= _JUMP_WORDS:
        return [(0, len(rows))]
    block = rows // max(1, _PIECE_WORDS // width)
    cuts = np.flatnonzero((np.diff(block) > 0) | (np.diff(rows) * width > _JUMP_WORDS)) + 1
    return list(pairwise([0, *cuts.tolist(), len(rows)]))


def _unit(words: Words) -> Array:
    """Uniform numbers in ``[0, 1)`` with 53 bits."""
    return np.asarray((words >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


def _normal(words: Words) -> Array:
    """Standard normal numbers, from the two halves of each row.

    Cosine and sine of an angle come from the tangent of its half, which numpy has in vector instructions.
    """
    half = words.shape[1] // 2
    radius = _unit(np.ascontiguousarray(words[:, :half]))
    np.log(np.subtract(1, radius, out=radius), out=radius)
    np.sqrt(np.multiply(radius, -2, out=radius), out=radius)
    tangent = _unit(np.ascontiguousarray(words[:, half:]))
    np.tan(np.multiply(tangent, math.pi, out=tangent), out=tangent)
    square = tangent * tangent
    radius /= 1 + square
    out = np.empty(words.shape)
    np.multiply(radius, np.subtract(1, square, out=square), out=out[:, :half])
    np.multiply(radius, np.multiply(tangent, 2, out=tangent), out=out[:, half:])
    return out


def _sign(words: Words) -> Array:
    """Signs, from the top bit."""
    return np.asarray(1.0 - 2.0 * (words >> np.uint64(63)), dtype=np.float64)


class Noise(ABC):
    """Law of the gradient noise of both levels.

    Attributes:
        additive: the noise is added to the exact gradient and its law does not depend on the point; then
            :meth:`draw` gives it. Otherwise the problem evaluates gradients on sampled data rows.
        sigma_f2, sigma_h2: exact variance ``E||xi||^2`` and ``E||zeta||^2``; inf where the law alone gives no bound.
        why_unbiased: one sentence.
    """

    additive: bool = True
    why_unbiased: str = "the noise has mean zero"

    @property
    @abstractmethod
    def sigma_f2(self) -> float:
        """Variance of one stochastic gradient of ``f_i``."""

    @property
    @abstractmethod
    def sigma_h2(self) -> float:
        """Variance of one stochastic gradient of ``h_i``."""

    @abstractmethod
    def covariances(self, n: int) -> tuple[Array, Array]:
        """``(cov_f, cov_h)``, each ``(n, n)``.

        Raises:
            ValueError: the law has another dimension, or is not additive.
        """

    @abstractmethod
    def draw(self, streams: Streams, round: int, client: int, K: int, rows: Ints, n: int) -> tuple[Array, Array] | None:
        """``(xi, zeta)``, each ``(K, len(rows), n)``, or None when there is nothing to add."""

    @abstractmethod
    def scaled(self, *, f: float, h: float) -> Noise:
        """The law of ``(f xi, h zeta)``."""

    @abstractmethod
    def to_params(self) -> dict[str, object]:
        """Plain JSON values that describe the law."""


@dataclass(frozen=True)
class NoNoise(Noise):
    """Exact gradients."""

    why_unbiased = "gradients are exact"

    @property
    def sigma_f2(self) -> float:
        """0."""
        return 0.0

    @property
    def sigma_h2(self) -> float:
        """0."""
        return 0.0

    def covariances(self, n: int) -> tuple[Array, Array]:
        """Two zero matrices."""
        return np.zeros((n, n)), np.zeros((n, n))

    def draw(self, streams: Streams, round: int, client: int, K: int, rows: Ints, n: int) -> tuple[Array, Array] | None:
        """None."""
        return None

    def scaled(self, *, f: float, h: float) -> NoNoise:
        """The same law."""
        return self

    def to_params(self) -> dict[str, object]:
        """The kind."""
        return {"kind": "none"}


@dataclass(frozen=True, eq=False)
class AdditiveGaussian(Noise):
    """``xi ~ N(0, cov_f)`` and ``zeta ~ N(0, cov_h)``.

    Args:
        cov_f: ``(n, n)``, symmetric and positive semidefinite.
        cov_h: ``(n, n)``, symmetric and positive semidefinite.

    Raises:
        ValueError: a matrix is not a covariance, or the two have different shapes.
    """

    cov_f: Array
    cov_h: Array

    def __post_init__(self) -> None:
        """Check both matrices and keep their square roots."""
        for name in ("cov_f", "cov_h"):
            cov = _frozen(getattr(self, name))
            object.__setattr__(self, name, cov)
            object.__setattr__(self, f"_root_{name[-1]}", _root(cov, name))
        if self.cov_f.shape != self.cov_h.shape:
            raise ValueError(f"cov_f has shape {self.cov_f.shape} and cov_h {self.cov_h.shape}; they should agree")

    @classmethod
    def isotropic(cls, n: int, *, sigma_f: float, sigma_h: float) -> AdditiveGaussian:
        """Isotropic laws with total variance ``sigma_f^2`` and ``sigma_h^2``."""
        return cls(np.eye(n) * (sigma_f**2 / n), np.eye(n) * (sigma_h**2 / n))

    @property
    def sigma_f2(self) -> float:
        """Trace of ``cov_f``."""
        return math.fsum(np.diag(self.cov_f))

    @property
    def sigma_h2(self) -> float:
        """Trace of ``cov_h``."""
        return math.fsum(np.diag(self.cov_h))

    def covariances(self, n: int) -> tuple[Array, Array]:
        """``(cov_f, cov_h)``."""
        _check_dimension(len(self.cov_f), n)
        return self.cov_f, self.cov_h

    def draw(self, streams: Streams, round: int, client: int, K: int, rows: Ints, n: int) -> tuple[Array, Array] | None:
        """``(xi, zeta)``."""
        _check_dimension(len(self.cov_f), n)
        xi = streams.normals("xi", round, client, K, n, rows)
        zeta = streams.normals("zeta", round, client, K, n, rows)
        return _spread(xi, self._root_f), _spread(zeta, self._root_h)  # type: ignore[attr-defined]

    def scaled(self, *, f: float, h: float) -> AdditiveGaussian:
        """Covariances times ``f^2`` and ``h^2``."""
        return AdditiveGaussian(self.cov_f * f**2, self.cov_h * h**2)

    def to_params(self) -> dict[str, object]:
        """The kind and both matrices."""
        return {"kind": "gaussian", "cov_f": self.cov_f.tolist(), "cov_h": self.cov_h.tolist()}


@dataclass(frozen=True, eq=False)
class TwoPoint(Noise):
    """``xi`` uniform on ``{u, -u}`` and ``zeta`` uniform on ``{v, -v}``, so ``sigma_f = ||u||``, ``sigma_h = ||v||``.

    Args:
        u: ``(n,)``.
        v: ``(n,)``.

    Raises:
        ValueError: the vectors have different shapes or are not finite.
    """

    u: Array
    v: Array

    def __post_init__(self) -> None:
        """Check both vectors."""
        for name in ("u", "v"):
            vector = _frozen(getattr(self, name))
            object.__setattr__(self, name, vector)
            if vector.ndim != 1 or not np.isfinite(vector).all():
                raise ValueError(f"{name} has shape {vector.shape}; it should be a finite vector of shape (n,)")
        if self.u.shape != self.v.shape:
            raise ValueError(f"u has shape {self.u.shape} and v {self.v.shape}; they should agree")

    @property
    def sigma_f2(self) -> float:
        """``||u||^2``."""
        return math.fsum(self.u**2)

    @property
    def sigma_h2(self) -> float:
        """``||v||^2``."""
        return math.fsum(self.v**2)

    @property
    def cov_f(self) -> Array:
        """``u u'``."""
        return np.outer(self.u, self.u)

    @property
    def cov_h(self) -> Array:
        """``v v'``."""
        return np.outer(self.v, self.v)

    def covariances(self, n: int) -> tuple[Array, Array]:
        """``(u u', v v')``."""
        _check_dimension(len(self.u), n)
        return self.cov_f, self.cov_h

    def draw(self, streams: Streams, round: int, client: int, K: int, rows: Ints, n: int) -> tuple[Array, Array] | None:
        """``(xi, zeta)``."""
        _check_dimension(len(self.u), n)
        xi = streams.signs("xi", round, client, K, 1, rows)
        zeta = streams.signs("zeta", round, client, K, 1, rows)
        return xi * self.u, zeta * self.v

    def scaled(self, *, f: float, h: float) -> TwoPoint:
        """``f u`` and ``h v``."""
        return TwoPoint(self.u * f, self.v * h)

    def to_params(self) -> dict[str, object]:
        """The kind and both vectors."""
        return {"kind": "two-point", "u": self.u.tolist(), "v": self.v.tolist()}


@dataclass(frozen=True)
class MiniBatch(Noise):
    """``batch_size`` data rows a step, uniform with replacement; the outer level is exact.

    The variance depends on the point, so the law alone gives no bound.

    Args:
        batch_size: rows a step, at least 1.

    Raises:
        ValueError: ``batch_size < 1``.
    """

    batch_size: int = 1
    additive = False
    why_unbiased = "data rows are drawn uniformly"

    def __post_init__(self) -> None:
        """Check the size."""
        if self.batch_size < 1:
            raise ValueError(f"batch_size is {self.batch_size}; it should be at least 1")

    @property
    def sigma_f2(self) -> float:
        """0: the outer gradient is exact."""
        return 0.0

    @property
    def sigma_h2(self) -> float:
        """Inf: no bound that holds at every point."""
        return math.inf

    def covariances(self, n: int) -> tuple[Array, Array]:
        """Not defined.

        Raises:
            ValueError: always.
        """
        raise ValueError("mini-batch noise has no covariance that holds at every point: use an additive law")

    def draw(self, streams: Streams, round: int, client: int, K: int, rows: Ints, n: int) -> tuple[Array, Array] | None:
        """None: nothing is added; see :meth:`draw_rows`."""
        return None

    def draw_rows(self, streams: Streams, round: int, client: int, K: int, rows: Ints, samples: int) -> Ints:
        """Indices ``< samples`` of the data rows of each step, shape ``(K, len(rows), batch_size)``."""
        return streams.integers("zeta", round, client, K, self.batch_size, rows, samples)

    def scaled(self, *, f: float, h: float) -> MiniBatch:
        """The same law: the losses carry the scale."""
        return self

    def to_params(self) -> dict[str, object]:
        """The kind and the size."""
        return {"kind": "mini-batch", "batch_size": self.batch_size}


def _frozen(values: ArrayLike) -> Array:
    """A float64 copy that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _check_dimension(have: int, want: int) -> None:
    if have != want:
        raise ValueError(f"noise has dimension {have}; the problem has dimension {want}")


def _root(cov: Array, name: str) -> Array:
    """A root ``B`` with ``B B' = cov``: ``(n,)`` when ``cov`` is diagonal, ``(n, n)`` otherwise."""
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1] or not np.isfinite(cov).all():
        raise ValueError(f"{name} has shape {cov.shape}; it should be a finite matrix of shape (n, n)")
    diagonal = np.diag(cov)
    if np.count_nonzero(cov) == np.count_nonzero(diagonal):
        values, root = diagonal, np.sqrt(np.maximum(diagonal, 0))
        floor = 0.0
    else:
        values, vectors = np.linalg.eigh(cov)
        root = vectors * np.sqrt(np.maximum(values, 0))
        floor = -1e-12 * float(np.abs(values).max())
    if not np.allclose(cov, cov.T, rtol=1e-12, atol=0) or (len(values) and values.min() < floor):
        raise ValueError(f"{name} is not symmetric positive semidefinite: its least eigenvalue is {values.min():g}")
    return root


def _spread(white: Array, root: Array) -> Array:
    """``B w`` for every standard normal vector ``w`` of shape ``(K, runs, n)``."""
    return white * root if root.ndim == 1 else white @ root.T
