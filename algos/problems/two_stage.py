"""Two-stage problems whose second stage is an affine variational inequality over a box (fedrzo, Section 5).

``G(x, y, xi) = M y + N x - xi e`` on ``Y = [low, high]``, with ``M`` symmetric or not, and one of a few equally likely
numbers ``xi`` for each client. The upper losses are those of :class:`rateproof.algos.problems.upper.UpperLoss`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from rateproof.algos.arguments import check_counts, finite, nonnegative, numbers
from rateproof.algos.noise import Streams
from rateproof.algos.piecewise import Piecewise, absolute, affine, clip, total
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.bilevel import Matrices, Numbers
from rateproof.algos.problems.box import (
    as_array,
    box_solution,
    check_clients,
    check_shapes,
    client_boxes,
    intervals,
    matrix_of,
    monotonicity,
    rows_of,
    set_facts,
    slopes_of,
)
from rateproof.algos.problems.exactly_smoothed import ExactlySmoothed
from rateproof.algos.problems.federated import Constants, TwoStage
from rateproof.algos.problems.line import LineSmoothed
from rateproof.algos.problems.ridge_sums import Ridge, smoothed_ridges
from rateproof.algos.problems.upper import UpperLoss, response_modulus, root_mean
from rateproof.algos.sets import ClientSets


class AffineTwoStage(TwoStage):
    """``G(x, y, xi) = M y + N x - xi e`` over a compact box, for every client.

    Args:
        M: ``(nt, nt)``, strongly monotone: its symmetric part is positive definite.
        N: ``(nt, n)``.
        e: ``(nt,)``.
        levels: ``(m, S)``, the equally likely values of ``xi_i``.
        low, high: ``(nt,)``, finite.
        loss: upper losses, without a random part of their own.
        sets: of the clients.
        absolute: whether ``|x|``, taken by coordinates, stands for ``x`` in ``G``.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Raises:
        ValueError: ``G`` is not strongly monotone, the box is unbounded, or dimensions disagree.
    """

    def __init__(
        self,
        *,
        M: Array,
        N: Array,
        e: Array,
        levels: Array,
        low: Array,
        high: Array,
        loss: UpperLoss,
        sets: ClientSets,
        absolute: bool = False,
        name: str = "affine_two_stage",
        params: Mapping[str, object] | None = None,
    ) -> None:
        self.nt, self.n = N.shape
        self.m = len(levels)
        check_shapes(M=(M, (self.nt, self.nt)), e=(e, (self.nt,)), low=(low, (self.nt,)), high=(high, (self.nt,)))
        check_shapes(c=(loss.c, (self.m, self.n)), q=(loss.q, (self.m, self.nt)))
        check_clients(sets, self.m, self.n)
        self.mu_F, self.L_F = monotonicity(M)
        if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
            raise ValueError(f"Y runs from {low.tolist()} to {high.tolist()}; it should be a compact box")
        if loss.random:
            raise ValueError("loss has a random part r; xi reaches the losses of two stages through y alone")
        self.M, self.N, self.e, self.levels, self.low, self.high = M, N, e, levels, low, high
        self.loss, self.sets, self.absolute = loss, sets, absolute
        self.name, self.params = name, {} if params is None else params
        self._diagonal = not (M - np.diag(np.diag(M))).any()

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Values ``xi``, ``(steps, runs, m, 1)``; None when every client has the one value 0."""
        if not self.levels.any():
            return None
        rows, count = np.arange(rng.runs), self.levels.shape[1]
        picks = [rng.integers("xi", round, i, steps, 1, rows, count) for i in range(self.m)]
        return np.stack([self.levels[i][pick] for i, pick in enumerate(picks)], axis=2)

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Sampled losses at given lower-level points: ``(runs, m)``."""
        return self.loss.values(x, y, None)

    def f_i(self, i: int, x: Array) -> Array:
        """Expected implicit loss of client ``i``, over all its ``xi``: ``(runs,)``."""
        each = [self.loss.mean(i, x, self.lower_solution(x, np.full((len(x), 1), v))) for v in self.levels[i]]
        return np.asarray(sum(each) / len(each))

    def lower_map(self, x: Array, y: Array, xi: Array | None) -> Array:
        """``M y + N x - xi e``: ``(..., nt)``."""
        return y @ self.M.T + self.lower_offset(x, xi)

    def lower_offset(self, x: Array, xi: Array | None) -> Array:
        """``N x - xi e``, the part of the map that does not depend on ``y``: ``(..., nt)``."""
        offset = (np.abs(x) if self.absolute else x) @ self.N.T
        return np.asarray(offset if xi is None else offset - xi * self.e)

    def project_lower(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Projection on the box: ``(..., nt)``."""
        return np.minimum(np.maximum(y, self.low), self.high)

    def lower_solution(self, x: Array, xi: Array | None) -> Array:
        """``y(x, xi)``: ``(..., nt)``."""
        offset = self.lower_offset(x, xi)
        if self._diagonal:
            return np.clip(-offset / np.diag(self.M), self.low, self.high)
        return box_solution(self.M, offset, self.low, self.high)

    def smoothed(self, eta: float) -> LineSmoothed | ExactlySmoothed:
        """The smoothed problem, exactly, for a diagonal ``M``.

        Raises:
            ValueError: ``eta`` is not positive, or another map.
        """
        if not self._diagonal or (self.n > 1 and self.absolute):
            raise ValueError("no exact smoothing is known: M is not diagonal, or G depends on |x| and n > 1")
        if self.n > 1:
            l1 = self.loss.p, self.loss.c
            ridges = [self._ridges(i) for i in range(self.m)]
            return smoothed_ridges(eta, ridges, l1, self.sets, modulus=self.constants.L0, name=self.name)
        losses = [
            total([self.loss.on_the_line(i, self._response(float(v))) for v in row], divisor=len(row))
            for i, row in enumerate(self.levels)
        ]
        return LineSmoothed(eta, losses, intervals(self.sets))

    def _ridges(self, i: int) -> list[Ridge]:
        """What client ``i`` loses through ``y``, on average over its ``xi``."""
        weight, count = np.diag(self.M), self.levels.shape[1]
        found = []
        for level in self.levels[i]:
            shifts = (level * self.e / weight).tolist()
            ends = [clip(float(a), float(b)) for a, b in zip(self.low, self.high, strict=True)]
            forms = list(zip(-self.N / weight[:, None], shifts, ends, strict=True))
            found += [Ridge(r.a, r.d, (1 / count) * r.psi) for r in self.loss.ridges(i, forms)]
        return found

    def _response(self, xi: float) -> list[Piecewise]:
        """Coordinates of ``y(x, xi)`` for ``n = 1``."""
        out = []
        for k, weight in enumerate(np.diag(self.M)):
            slope, shift = float(-self.N[k, 0] / weight), float(xi * self.e[k] / weight)
            moving = absolute(slope=slope) if self.absolute else affine(slope=slope)
            out.append(clip(float(self.low[k]), float(self.high[k])).after(moving + affine(slope=0.0, intercept=shift)))
        return out

    @cached_property
    def slopes(self) -> Array:
        """Slopes in ``x`` (in ``|x|``) that ``y(., xi)`` can have on its pieces, ``(pieces, nt, n)``."""
        return slopes_of(self.M, -self.N, bounded=True)

    @cached_property
    def constants(self) -> Constants:
        """Constants; ``L0`` and ``Lam`` are exact for ``n = 1``, else the largest over all slopes a piece may have.

        ``nu`` is a bound, from the modulus of ``y(x, .)`` and the variance of ``xi``.
        """
        spread = float(self.levels.std(axis=1).max())
        if exact := self.n == 1 and self._diagonal and (self.nt == 1 or not self.loss.s.any()):
            y = [[self._response(float(v)) for v in row] for row in self.levels]
        numbers = Constants(
            L0=self._steepest_on_the_line(y) if exact else self.loss.L_imp(self.slopes),
            nu=self.loss.L_y * float(np.linalg.norm(self.e)) / self.mu_F * spread,
            L_y=self.loss.L_y,
            Lam=max(response_modulus(v) for row in y for v in row)
            if exact
            else float(np.linalg.norm(self.slopes, ord=2, axis=(1, 2)).max()),
            mu_F=self.mu_F,
            L_F=self.L_F,
        )
        known, _ = set_facts(self.sets)
        return replace(numbers, **known)

    def _steepest_on_the_line(self, y: list[list[list[Piecewise]]]) -> float:
        """``max_i sqrt(E L(xi_i)^2)`` for ``n = 1``, from ``y(., xi)`` for all values of ``xi_i``."""
        moduli = [[self.loss.on_the_line(i, v).lipschitz for v in row] for i, row in enumerate(y)]
        return max(root_mean(np.array(row)) for row in moduli)

    def facts(self) -> dict[str, Fact]:
        """Hypotheses of Assumptions 1 and 3; ``monotone_everywhere`` is A3.ii for all ``x`` in ``R^n``."""
        c = self.constants
        _, about_sets = set_facts(self.sets)
        monotone = Fact(True, f"G is affine in y: mu_F = {c.mu_F:g}, L_F = {c.L_F:g} for all x and xi")
        return {
            "lipschitz": Fact(True, f"p_i ||x - c_i||_1 + f(y(x, xi)), y piecewise affine in x: L0 = {c.L0:g}"),
            "unbiased": Fact(True, "f_i is the mean over the equally likely xi"),
            "variance_bounded": Fact(True, f"the loss is Lipschitz in xi: nu = {c.nu:g}"),
            **about_sets,
            "implicit_lipschitz_2s": Fact(True, f"L_imp = {c.L0:g}, L_y = {c.L_y:g}"),
            "monotone": monotone,
            "monotone_everywhere": monotone,
            "lower_sets_compact": Fact(True, "Y is one box with finite ends"),
        }


def affine_two_stage(
    *,
    M: Matrices = 1.0,
    skew: float = 0.0,
    N: Matrices = 1.0,
    e: Numbers = 1.0,
    levels: Numbers = 0.0,
    low: Numbers = 0.0,
    high: Numbers = 1.0,
    p: Numbers = 0.0,
    c: Numbers = 0.0,
    q: Numbers = 1.0,
    s: Numbers = 0.0,
    z: Numbers = 0.0,
    m: int = 1,
    n: int = 1,
    nt: int = 1,
    X_low: Numbers | None = None,
    X_high: Numbers | None = None,
) -> AffineTwoStage:
    """``G(x, y, xi) = M y + N x - xi e`` over ``[low, high]`` (I-2s-1).

    Upper losses are ``p_i ||x - c_i||_1 + q_i' y + s_i ||y - z_i||``. Numbers stand for arrays as in
    :func:`rateproof.algos.problems.bilevel.quadratic_lower`.

    Args:
        M: ``(nt, nt)``, or that multiple of the identity; its symmetric part is positive definite.
        skew: added to ``M`` above the diagonal and taken from it below: ``mu I`` plus a skew-symmetric matrix.
        N: how ``x`` moves the map, ``(nt, n)``.
        e: how ``xi`` moves it, ``(nt,)``.
        levels: the equally likely values of ``xi``, ``(S,)`` for every client or ``(m, S)``; not random when left out.
        low, high: ends of the box ``Y``, finite, ``(nt,)``.
        p: weight of ``||x - c_i||_1``, one number or one for each client.
        c: kink of that part, ``(n,)`` or ``(m, n)``.
        q: slope in ``y``, ``(nt,)`` or ``(m, nt)``.
        s: weight of ``||y - z_i||``, one number or one for each client.
        z: kink of that part, shaped like ``q``.
        m, n, nt: clients, and dimensions of ``x`` and ``y``.
        X_low, X_high: ends of the boxes ``X_i``, ``(n,)`` or ``(m, n)``; no bound when left out.

    Raises:
        ValueError: as :class:`AffineTwoStage`.
    """
    params = dict(locals())
    check_counts(m=m, n=n, nt=nt)
    matrix = matrix_of("M", M, (nt, nt))
    finite("skew", skew)
    upper = np.triu(np.ones((nt, nt)), 1)
    return AffineTwoStage(
        M=matrix + skew * (upper - upper.T),
        N=as_array("N", N, (nt, n)),
        e=as_array("e", e, (nt,)),
        levels=levels_of(levels, m),
        low=as_array("low", low, (nt,)),
        high=as_array("high", high, (nt,)),
        loss=UpperLoss.of(m, n, nt, p=p, c=c, q=q, s=s, z=z),
        sets=client_boxes(X_low, X_high, m, n),
        params=params,
    )


def scalar_two_stage(
    *,
    mu: float = 1.0,
    levels: Numbers = 0.0,
    cap: float = 1.0,
    p: Numbers = 0.0,
    c: Numbers = 0.0,
    q: Numbers = 1.0,
    s: Numbers = 0.0,
    z: Numbers = 0.0,
    m: int = 1,
    X_low: Numbers | None = None,
    X_high: Numbers | None = None,
) -> AffineTwoStage:
    """``G(x, y, xi) = mu (y - |x| - xi)`` over ``[0, cap]``: ``y = |x| + xi``, clipped (I-2s-3).

    ``mu_F = L_F = mu``. Upper losses are ``p_i |x - c_i| + q_i y + s_i |y - z_i|``.

    Args:
        mu: positive.
        levels: the equally likely values of ``xi``, ``(S,)`` for every client or ``(m, S)``; not random when left out.
        cap: upper end of ``Y``, at least 0.
        p, q, s: weights in the upper losses, one number or one for each client.
        c, z: their kinks, one number or one for each client.
        m: number of clients.
        X_low, X_high: ends of the intervals ``X_i``, one number or one for each client; no bound when left out.

    Raises:
        ValueError: ``mu`` is not positive, or as :class:`AffineTwoStage`.
    """
    params = dict(locals())
    check_counts(m=m)
    if not 0 < mu < math.inf:
        raise ValueError(f"mu is {mu}; it should be a positive number")
    nonnegative(cap=cap)
    return AffineTwoStage(
        M=np.array([[mu]]),
        N=np.array([[-mu]]),
        e=np.array([mu]),
        levels=levels_of(levels, m),
        low=np.zeros(1),
        high=np.array([float(cap)]),
        loss=UpperLoss.of(m, 1, 1, p=p, c=c, q=q, s=s, z=z),
        sets=client_boxes(X_low, X_high, m, 1),
        absolute=True,
        name="scalar_two_stage",
        params=params,
    )


def levels_of(levels: Numbers, m: int) -> Array:
    """Equally likely values of ``xi``, ``(m, S)``, from one value, one row, or a row for each of ``m`` clients.

    Raises:
        ValueError: another shape.
    """
    array = np.atleast_1d(numbers("levels", levels))
    if not array.size:
        raise ValueError("levels is empty; it should hold at least one value of xi")
    return rows_of("levels", array, m, array.shape[-1])
