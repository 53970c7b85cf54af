"""Compositions of means over clients as coupled sequences (fedmsa, eqs. 3 and 11): ``z^n`` tracks ``f^{n-1}(z^{n-1})``.

``min f^N(... f^1(f^0(x)))`` with means ``f^n = (1/m) sum_i f^{i,n}``. Maps are ``S^{i,n} = z^n - f^{i,n-1}(z^{n-1})``,
and ``P^i`` the product of the transposed Jacobians of ``f^{i,n}`` at ``z^n``. The mean of products is the product of
means, and ``P(x)`` the gradient of the composition, where Jacobians differ between clients at one level at most.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import check_counts, finite
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array, Fact, Metric
from rateproof.algos.problems.box import as_array
from rateproof.algos.problems.profiles import PROFILES, Profile
from rateproof.algos.problems.sequences import Constants, MultiSequence, Normalisation, constants

Numbers: TypeAlias = float | Sequence[float]


class Compositional(MultiSequence):
    """A composition of ``N + 1`` functions ``f^n: R^{d_n} -> R^{d_{n+1}}``, the last one with numbers for values.

    Arguments as in :class:`rateproof.algos.problems.sequences.MultiSequence`.

    Attributes:
        start: where ``x`` starts unless said, one number or ``(d_0,)``; ``z^n`` starts at the values there.
    """

    start: float | Array = 0.0

    @abstractmethod
    def value(self, i: int, n: int, u: Array) -> Array:
        """``f^{i,n}(u)``: ``(rows, d_n) -> (rows, d_{n+1})``."""

    @abstractmethod
    def jacobian(self, i: int, n: int, u: Array) -> Array:
        """Transposed Jacobian of ``f^{i,n}``: ``(rows, d_n) -> (rows, d_n, d_{n+1})``."""

    def level(self, n: int, u: Array) -> Array:
        """``f^n(u)``, the mean over the clients: ``(rows, d_{n+1})``."""
        return np.asarray(sum(self.value(i, n, u) for i in range(self.m)) / self.m)

    def level_jacobian(self, n: int, u: Array) -> Array:
        """Its transposed Jacobian: ``(rows, d_n, d_{n+1})``."""
        return np.asarray(sum(self.jacobian(i, n, u) for i in range(self.m)) / self.m)

    def levels(self, i: int, w: Array, sample: Any = None) -> tuple[list[Array], list[Array]]:
        """Values of ``f^{i,0}, ..., f^{i,N-1}`` and Jacobians of ``f^{i,0}, ..., f^{i,N}`` at ``x, z^1, ..., z^N``.

        Args:
            i: client.
            w: models, ``(rows, n)``.
            sample: from :meth:`draw`; exact where there is none.
        """
        parts = self.split(w)
        values = [self.value(i, n, part) for n, part in enumerate(parts[:-1])]
        return values, [self.jacobian(i, n, part) for n, part in enumerate(parts)]

    def maps(self, i: int, w: Array) -> Array:
        """``P^i`` and ``S^{i,n}``: ``(rows, n)``."""
        return self.sampled(i, w, None)

    def sampled(self, i: int, w: Array, sample: Any) -> Array:
        """``p^i`` and ``s^{i,n}`` with one sample: ``(rows, n)``."""
        values, jacobians = self.levels(i, w, sample)
        tracked = [z - value for z, value in zip(self.split(w)[1:], values, strict=True)]
        return np.concatenate([product(jacobians), *tracked], axis=1)

    def fixed(self, n: int, u: Array) -> Array:
        """``f^{n-1}(u)``: ``(rows, d_n)``."""
        return self.level(n - 1, u)

    def f(self, x: Array) -> Array:
        """The composition: ``(rows, d_0) -> (rows,)``."""
        for n in range(self.N + 1):
            x = self.level(n, x)
        return x[:, 0]

    def grad_f(self, x: Array) -> Array:
        """Its gradient, the product of the means of Jacobians: ``(rows, d_0)``."""
        parts = self.split(self.settled(x))
        return product([self.level_jacobian(n, part) for n, part in enumerate(parts)])

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """With the composition and its gradient, in the mean normalisation whatever that of the maps."""
        return {
            "f": lambda problem, w: problem.f(w[:, problem.blocks[0]]),
            "|grad f|^2": lambda problem, w: (problem.grad_f(w[:, problem.blocks[0]]) ** 2).sum(axis=1),
            **super().metrics,
        }

    @property
    def x0(self) -> Array:
        """:attr:`start`, and the values of the functions there: ``(n,)``."""
        return np.asarray(self.settled(np.broadcast_to(self.start, (1, self.dims[0])))[0])


def product(jacobians: Sequence[Array]) -> Array:
    """The product of transposed Jacobians, of which the last has one column: ``(rows, d_0)``."""
    out = jacobians[-1]
    for jacobian in reversed(jacobians[:-1]):
        out = jacobian @ out
    return out[..., 0]


class ScalarChain(Compositional):
    """``f^{i,n}(u) = gain_{i,n} psi_n(u) + slope_{i,n} u + offset_{i,n}`` of numbers, with noise of their own levels.

    A sample of level ``n`` is a fair sign ``zeta^n``, which gives ``f^{i,n}(u) + sigma_v,n zeta^n`` and the slope
    ``f^{i,n}'(u) + sigma_J,n zeta^n``; the slope of level 0 has a sign of its own (Assumption I). Levels of a batch are
    averaged before they are multiplied.

    Args:
        profiles: ``psi_0, ..., psi_N``.
        gain, slope, offset: ``(m, N + 1)``.
        sigma_v: of the values, ``(N,)``, levels ``0..N-1``.
        sigma_J: of the slopes, ``(N + 1,)``.
        normalisation, name, params: see :class:`rateproof.algos.problems.sequences.MultiSequence`.
    """

    def __init__(
        self,
        profiles: Sequence[Profile],
        *,
        gain: Array,
        slope: Array,
        offset: Array,
        sigma_v: Array,
        sigma_J: Array,
        normalisation: Normalisation = "mean",
        name: str = "scalar_chain",
        params: Mapping[str, object] | None = None,
    ) -> None:
        dims = (1,) * len(profiles)
        super().__init__(m=len(gain), dims=dims, normalisation=normalisation, name=name, params=params)
        straight = np.array([psi is PROFILES["linear"] for psi in profiles])
        # A line is all slope, so that clients with equal functions have equal numbers.
        self.gain, self.slope = np.where(straight, 0.0, gain), np.where(straight, slope + gain, slope)
        self.profiles, self.offset, self.sigma_v, self.sigma_J = tuple(profiles), offset, sigma_v, sigma_J

    def value(self, i: int, n: int, u: Array) -> Array:
        """``f^{i,n}(u)``: ``(rows, 1)``."""
        return np.asarray(self.gain[i, n] * self.profiles[n].value(u) + self.slope[i, n] * u + self.offset[i, n])

    def jacobian(self, i: int, n: int, u: Array) -> Array:
        """Its slope: ``(rows, 1, 1)``."""
        return np.asarray(self.gain[i, n] * self.profiles[n].slope(u) + self.slope[i, n])[..., None]

    @property
    def additive(self) -> bool:
        """Whether no slope is noisy, so that noise cancels in differences."""
        return not self.sigma_J.any()

    @property
    def silent(self) -> bool:
        """Whether there is no noise at all."""
        return not (self.sigma_J.any() or self.sigma_v.any())

    def draw(self, rng: Streams, key: int, i: int, steps: int, rows: Ints, batch: int) -> list[Any]:
        """``zeta^0, ..., zeta^N`` and the sign of the slope of level 0, averaged over a batch: ``(rows, N + 2)``."""
        noisy = np.zeros(self.N + 1, dtype=bool)
        noisy[:-1] |= self.sigma_v > 0
        noisy[1:] |= self.sigma_J[1:] > 0
        drawn = np.ones((steps, len(rows), self.N + 2))
        if count := int(noisy.sum()):
            signs = rng.signs("zeta", key, i, steps, batch * count, rows)
            drawn[..., :-1][..., noisy] = signs.reshape(steps, len(rows), batch, count).mean(axis=2)
        if self.sigma_J[0]:
            drawn[..., -1] = rng.signs("xi", key, i, steps, batch, rows).mean(axis=2)
        return list(drawn)

    def levels(self, i: int, w: Array, sample: Any = None) -> tuple[list[Array], list[Array]]:
        """Values and slopes at ``x, z^1, ..., z^N`` with one sample."""
        if sample is None:
            return super().levels(i, w)
        parts, last = self.split(w), self.N + 1
        values = [self.value(i, n, parts[n]) + self.sigma_v[n] * sample[:, n, None] for n in range(self.N)]
        signs = [sample[:, last], *(sample[:, n] for n in range(1, last))]
        jacobians = [
            self.jacobian(i, n, part) + self.sigma_J[n] * sign[:, None, None]
            for n, (part, sign) in enumerate(zip(parts, signs, strict=True))
        ]
        return values, jacobians

    @cached_property
    def _quadratic(self) -> tuple[float, float, float, float] | None:
        """``y = a x + o`` under ``c y^2/2 + b y + ...`` of the means, as ``(a, o, c, b)``; None of other chains."""
        if self.profiles[-1] is not PROFILES["square"] or self.gain[:, :-1].any():
            return None
        slope, offset, a, o = self.slope.mean(axis=0), self.offset.mean(axis=0), 1.0, 0.0
        for n in range(self.N):
            a, o = slope[n] * a, slope[n] * o + offset[n]
        return float(a), float(o), float(self.gain[:, -1].mean()), float(slope[-1])

    @cached_property
    def solution(self) -> float:
        """The minimiser of straight levels under a parabola.

        Raises:
            ValueError: another chain, or it has no unique minimiser.
        """
        if self._quadratic is None:
            raise ValueError("the minimiser is known of straight levels under a parabola only")
        a, o, c, b = self._quadratic
        if not (a and c > 0):
            raise ValueError(f"there is no unique minimiser: the slope is {a:g} and the curvature {c:g}")
        return (-b / c - o) / a

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """With the distance of ``x`` to the minimiser, where it is known."""
        try:
            self.solution  # noqa: B018
        except ValueError:
            return super().metrics
        return {**super().metrics, "dist": lambda problem, w: np.abs(w[:, 0] - problem.solution)}

    @cached_property
    def constants(self) -> Constants:
        """Exact where one level at most is bent; else those of ``P`` are upper bounds, from the product rule."""
        gain, slope, N = self.gain, self.slope, self.N
        mean_gain, mean_slope = gain.mean(axis=0), slope.mean(axis=0)
        bends = np.array([max(map(abs, psi.bends)) for psi in self.profiles])
        steep, bent = self._steepest(gain, slope), np.abs(gain) * bends
        mean_steep = self._steepest(mean_gain, mean_slope)
        same = [not any(np.ptp(part[:, n]) for part in (gain, slope, self.offset)) for n in range(N)]
        noisy = np.hypot(steep, self.sigma_J)

        def partials(steep: Array) -> Array:
            """Bounds on the derivatives of ``P^i`` in ``z^0, ..., z^N``, ``(m, N + 1)``."""
            return np.stack(
                [_times(bent[:, n], *(steep[:, k] for k in range(N + 1) if k != n)) for n in range(N + 1)], axis=1
            )

        chain = np.array([_times(np.ones(1), *mean_steep[:n, None])[0] for n in range(N + 1)])
        each, along = partials(steep), _times(partials(steep), chain).sum(axis=1)
        one = np.flatnonzero(bent.any(axis=0))
        if len(one) > 1:
            tau_0 = float((np.linalg.norm(each, axis=1) + np.linalg.norm(each, axis=1).mean()).max())
            tau_0_sum, L_hyp = float(np.linalg.norm(each, axis=1).sum()), float(along.mean())
        else:
            n = int(one[0]) if len(one) else N
            others = np.prod(np.delete(slope, n, axis=1), axis=1) * gain[:, n] * bends[n]
            tau_0, tau_0_sum = (float(np.abs(others - k * others.mean()).max()) for k in (1, self.m))
            L_hyp = float(abs(others.mean()) * chain[n])
        tau, tau_sum = (
            self._steepest(gain - k * mean_gain, slope - k * mean_slope).max(axis=0)[:N] for k in (1, self.m)
        )
        with np.errstate(invalid="ignore"):
            squares = _times(*(noisy**2).T) - _times(*(steep**2).T) if self.sigma_J.any() else np.zeros(self.m)
        return constants(
            lam_each=tuple(1.0 if ok else -math.inf for ok in same),
            lam_mean_each=(1.0,) * N,
            L_s_each=(1.0,) * N,
            L_u_each=tuple(steep.max(axis=0)[:N].tolist()),
            L_joint_each=tuple(np.hypot(1, steep.max(axis=0)[:N]).tolist()),
            L_z_each=tuple(mean_steep[:N].tolist()),
            dL_z_each=tuple((np.abs(mean_gain) * bends)[:N].tolist()),
            L_p=float(along.max()),
            L_x=float(each[:, 0].max()),
            L_Z=float(np.linalg.norm(each[:, 1:], axis=1).max()),
            L_P=float(np.linalg.norm(each, axis=1).max()),
            Lb_p=float(_times(partials(noisy), chain).sum(axis=1).max()),
            Lb_s_each=(1.0,) * N,
            sigma_0=math.sqrt(float(np.nan_to_num(squares, nan=math.inf, posinf=math.inf).max())),
            sigma_each=tuple(self.sigma_v.tolist()),
            tau_0=tau_0,
            tau_each=tuple(tau.tolist()),
            tau_0_sum=tau_0_sum,
            tau_sum_each=tuple(np.hypot(tau_sum, self.m - 1).tolist()),
            L_hyp=self.scale * L_hyp,
            f_inf=self.scale * self._infimum(),
        )

    def _infimum(self) -> float:
        """The least value of a parabola under straight levels; NaN of other chains."""
        if self._quadratic is None:
            return math.nan
        a, _, c, b = self._quadratic
        if not a:
            return float(self.f(np.zeros((1, 1)))[0])
        bottom = float(self.offset[:, -1].mean())
        return bottom - b**2 / (2 * c) if c > 0 else bottom if c == b == 0 else -math.inf

    def _steepest(self, gain: Array, slope: Array) -> Array:
        """The largest ``|gain psi_n' + slope|`` of each level: ``(..., N + 1)``."""
        with np.errstate(invalid="ignore"):
            ends = [np.where(gain, gain * [psi.slopes[k] for psi in self.profiles], 0.0) + slope for k in (0, 1)]
        return np.asarray(np.maximum(*map(np.abs, ends)))

    def facts(self) -> dict[str, Fact]:
        """Assumptions A to C, and whether what is driven to zero is the gradient."""
        differing = [n for n in range(self.N + 1) if np.ptp(self.gain[:, n]) or np.ptp(self.slope[:, n])]
        levels = f"levels whose Jacobians differ between clients: {', '.join(map(str, differing)) or 'none'}"
        return {**super().facts(), "means_multiply": Fact(len(differing) <= 1, levels)}


def _times(*factors: Array) -> Array:
    """A product in which 0 wins over inf."""
    with np.errstate(invalid="ignore"):
        out = factors[0]
        for factor in factors[1:]:
            out = np.where((out == 0) | (factor == 0), 0.0, out * factor)
    return np.asarray(out)


def quadratic_chain(
    *,
    m: int = 2,
    N: int = 1,
    a: ArrayLike = (1.0, 3.0),
    b: ArrayLike = (1.0, 0.0),
    c: ArrayLike = 1.0,
    normalisation: Normalisation = "mean",
    sigma_v: Numbers = 0.0,
    sigma_J: Numbers = 0.0,
) -> ScalarChain:
    """``f^{i,n}(u) = a_{i,n} u`` for ``n < N`` and ``f^{i,N}(u) = c_i u^2/2 - b_i u`` of numbers (I5).

    The minimiser is ``b/(c a)``, ``a`` the product of the means. With ``a=2`` clients have equal Jacobians below the
    last level, and FedMCO ends there.

    Args:
        m, N: clients, and sequences.
        a: one number, one a client, or ``(m, N)``.
        b, c: one number, or one a client.
        normalisation: whether ``P`` is the "mean" or the "sum" of the clients' maps.
        sigma_v, sigma_J: noise of values and of slopes, one number, or one for each of the ``N`` levels that are
            tracked, and for each of all.

    Raises:
        ValueError: a shape, or ``N < 1``.
    """
    given = dict(locals())
    check_counts(m=m, N=N)
    gain, slope = np.zeros((2, m, N + 1))
    slope[:, :N] = _of_clients("a", a, m, N)
    gain[:, N], slope[:, N] = as_array("c", c, (m,)), -as_array("b", b, (m,))
    profiles = [PROFILES["linear"]] * N + [PROFILES["square"]]
    return _chain("quadratic_chain", profiles, gain, slope, np.zeros((m, N + 1)), given)


def smooth_chain(
    *,
    m: int = 2,
    levels: str = "sin,tanh,log_cosh",
    gain: ArrayLike = 1.0,
    slope: ArrayLike = 0.0,
    offset: ArrayLike = (0.5, -0.5),
    normalisation: Normalisation = "mean",
    sigma_v: Numbers = 0.0,
    sigma_J: Numbers = 0.0,
) -> ScalarChain:
    """``f^{i,n}(u) = gain_{i,n} psi_n(u) + slope_{i,n} u + offset_{i,n}`` with functions ``psi_n`` by name (I6).

    Args:
        m: clients.
        levels: names, innermost first, of linear, square, sin, tanh, log_cosh, root and cosine, which is ``1 - cos``.
        gain, slope, offset: one number, one a client, or ``(m, N + 1)``.
        normalisation, sigma_v, sigma_J: as in :func:`quadratic_chain`.

    Raises:
        ValueError: a shape, another name, or ``N < 1``.
    """
    given = dict(locals())
    check_counts(m=m)
    names = [name.strip() for name in levels.split(",")]
    if unknown := [name for name in names if name not in PROFILES]:
        raise ValueError(f"levels has {unknown[0]!r}; it should have names of {', '.join(PROFILES)}")
    if len(names) < 2:
        raise ValueError(f"levels has {len(names)} name, N = 0; it should have at least 2, so that N >= 1")
    gains, slopes, offsets = (_of_clients(key, given[key], m, len(names)) for key in ("gain", "slope", "offset"))
    return _chain("smooth_chain", [PROFILES[name] for name in names], gains, slopes, offsets, given)


def _chain(
    name: str, profiles: list[Profile], gain: Array, slope: Array, offset: Array, given: Mapping[str, Any]
) -> ScalarChain:
    N = len(profiles) - 1
    sizes = {
        "sigma_v": as_array("sigma_v", given["sigma_v"], (N,)),
        "sigma_J": as_array("sigma_J", given["sigma_J"], (N + 1,)),
    }
    for key, size in sizes.items():
        if (size < 0).any():
            raise ValueError(f"{key} is {size.min():g}; it should be at least 0")
    return ScalarChain(
        profiles,
        gain=gain,
        slope=slope,
        offset=offset,
        **sizes,
        normalisation=given["normalisation"],
        name=name,
        params=dict(given),
    )


def _of_clients(name: str, values: ArrayLike, m: int, levels: int) -> Array:
    """``(m, levels)`` numbers, from one, one a client, or all.

    Raises:
        ValueError: another shape.
    """
    array = finite(name, values)
    if array.shape not in ((), (m,), (m, levels)):
        raise ValueError(
            f"{name} has shape {array.shape}; it should be one number, or of shape ({m},) or ({m}, {levels})"
        )
    return np.array(np.broadcast_to(array if array.ndim != 1 else array[:, None], (m, levels)))
