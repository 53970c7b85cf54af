"""Bilevel problems with quadratic lower levels, whose solutions and constants are known exactly (fedrzo, Section 3).

Client ``i`` has ``h_i(x, y) = (1/2) y' M_i y - y' (N_i x + b_i)``; the lower level minimises the mean over the whole
space, over a box, or over a half-line whose end moves with ``x``. Upper losses are
``f~_i(x, y, xi) = p_i ||x - c_i||_1 + (q_i + xi r_i)' y + s_i ||y - z_i||`` with a fair sign ``xi``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rateproof.algos.arguments import check_counts, check_size, finite, nonnegative
from rateproof.algos.noise import Streams
from rateproof.algos.piecewise import Piecewise, absolute, affine, clip, total
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.box import (
    MovingFloor,
    as_array,
    box_solution,
    check_clients,
    check_shapes,
    client_boxes,
    curvatures,
    intervals,
    matrix_of,
    rows_of,
    set_facts,
    signs_of,
    slopes_of,
)
from rateproof.algos.problems.exactly_smoothed import ExactlySmoothed
from rateproof.algos.problems.federated import Bilevel, Constants
from rateproof.algos.problems.line import LineSmoothed, client_signs
from rateproof.algos.problems.ridge_sums import smoothed_ridges
from rateproof.algos.problems.upper import UpperLoss, response_modulus
from rateproof.algos.sets import ClientSets

Numbers: TypeAlias = float | Sequence[float] | Sequence[Sequence[float]]
Matrices: TypeAlias = float | Sequence[Sequence[float]] | Sequence[Sequence[Sequence[float]]]


class QuadraticLowerLevel(Bilevel):
    """Quadratic lower levels ``h_i(x, y) = (1/2) y' M_i y - y' (N_i x + b_i)``.

    A sampled gradient adds ``sigma_h / sqrt(nt)`` times an independent fair sign to each coordinate.

    Args:
        M: ``(m, nt, nt)``, symmetric and positive definite.
        N: ``(m, nt, n)``.
        b: ``(m, nt)``.
        loss: upper losses.
        sets: of the clients.
        low, high: ``(nt,)``, the box ``Y``; both infinite: the whole space.
        floor: a moving lower end in place of the box, for ``mean_i M_i`` diagonal.
        sigma_h: standard deviation of a sampled gradient.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Raises:
        ValueError: a lower level is not strongly convex, or dimensions disagree.
    """

    def __init__(
        self,
        *,
        M: Array,
        N: Array,
        b: Array,
        loss: UpperLoss,
        sets: ClientSets,
        low: Array,
        high: Array,
        floor: MovingFloor | None = None,
        sigma_h: float = 0.0,
        name: str = "quadratic_lower",
        params: Mapping[str, object] | None = None,
    ) -> None:
        m, nt, n = self.m, self.nt, self.n = N.shape
        nonnegative(sigma_h=sigma_h)
        check_shapes(M=(M, (m, nt, nt)), b=(b, (m, nt)), low=(low, (nt,)), high=(high, (nt,)))
        check_shapes(c=(loss.c, (m, n)), q=(loss.q, (m, nt)))
        check_clients(sets, m, n)
        if not (low <= high).all():
            raise ValueError(f"Y runs from {low.tolist()} to {high.tolist()}; low should be at most high")
        self.M, self.N, self.b, self.loss, self.sets = M, N, b, loss, sets
        self.low, self.high, self.floor, self.sigma_h = low, high, floor, float(sigma_h)
        self.name, self.params = name, {} if params is None else params
        self._mean_M, mean_N, mean_b = M.mean(axis=0), N.mean(axis=0), b.mean(axis=0)
        eigenvalues = [curvatures(i, M[i]) for i in range(self.m)]
        self.mu_h, self.L_1h = float(min(e[0] for e in eigenvalues)), float(max(e[-1] for e in eigenvalues))
        self._diagonal = not (self._mean_M - np.diag(np.diag(self._mean_M))).any()
        if floor is not None and not self._diagonal:
            raise ValueError("M is not diagonal on average; a moving floor needs a diagonal mean of the M_i")
        self._free = bool(np.isneginf(low).all() and np.isposinf(high).all()) and floor is None
        self._slope = np.linalg.solve(self._mean_M, mean_N)
        self._offset = np.linalg.solve(self._mean_M, mean_b)
        self._mean_N, self._mean_b = mean_N, mean_b

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Signs ``xi``, ``(steps, runs, m, 1)``; None when no loss depends on them."""
        return client_signs(rng, round, steps, self.m) if self.loss.random else None

    def draw_lower(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Signs ``zeta``, ``(steps, runs, m, nt)``; None when ``sigma_h = 0``."""
        return client_signs(rng, round, steps, self.m, stream="zeta", k=self.nt) if self.sigma_h else None

    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Sampled losses at given lower-level points: ``(runs, m)``."""
        return self.loss.values(x, y, xi)

    def f_i(self, i: int, x: Array) -> Array:
        """Expected implicit loss of client ``i``: ``(runs,)``."""
        return self.loss.mean(i, x, self.lower_solution(x))

    def lower_solution(self, x: Array) -> Array:
        """``y(x)``: ``(runs, nt)``."""
        if self._free or self._diagonal:
            return self.project_lower(x, x @ self._slope.T + self._offset)
        return box_solution(self._mean_M, -(x @ self._mean_N.T + self._mean_b), self.low, self.high)

    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """``M_i y - N_i x - b_i`` and its noise: ``(runs, nt)``."""
        exact = np.asarray(y @ self.M[i] - x @ self.N[i].T - self.b[i])
        return exact if zeta is None else exact + self.sigma_h / math.sqrt(self.nt) * zeta

    def project_lower(self, x: Array, y: Array) -> Array:
        """Projection on ``Y(x)``: ``(runs, nt)``."""
        if self._free:
            return y
        return np.minimum(np.maximum(y, self.low if self.floor is None else self.floor(x)), self.high)

    def smoothed(self, eta: float) -> LineSmoothed | ExactlySmoothed:
        """The smoothed problem, exactly; where ``Y`` has ends, the mean of the ``M_i`` must be diagonal.

        Raises:
            ValueError: ``eta`` is not positive, the ends of ``Y`` move and ``n > 1``, or another lower level.
        """
        if self._on_the_line:
            y = self._responses()
            return LineSmoothed(eta, [self.loss.on_the_line(i, y) for i in range(self.m)], intervals(self.sets))
        if self.floor is not None or not (self._free or self._diagonal):
            raise ValueError("no exact smoothing is known: Y moves and n > 1, or it has ends and the M_i are coupled")
        ends = [clip(float(a), float(b)) for a, b in zip(self.low, self.high, strict=True)]
        forms = list(zip(self._slope, self._offset.tolist(), ends, strict=True))
        ridges = [self.loss.ridges(i, forms) for i in range(self.m)]
        l1 = self.loss.p, self.loss.c
        return smoothed_ridges(eta, ridges, l1, self.sets, modulus=self.constants.L0, name=self.name)

    @property
    def _on_the_line(self) -> bool:
        """Whether ``y(.)`` is known as a function of one variable."""
        return self.n == 1 and (self._free or self._diagonal)

    def _responses(self) -> list[Piecewise]:
        """Coordinates of ``y(x)`` for ``n = 1``."""
        return [self._response(k) for k in range(self.nt)]

    def _response(self, k: int) -> Piecewise:
        target = affine(slope=float(self._slope[k, 0]), intercept=float(self._offset[k]))
        if self.floor is None:
            return clip(float(self.low[k]), float(self.high[k])).after(target)
        f = self.floor
        end = total([affine(slope=float(f.W[k, 0]), intercept=float(f.t[k])), absolute(slope=float(f.V[k, 0]))])
        return end + clip(0.0, math.inf).after(target - end)

    @cached_property
    def slopes(self) -> Array:
        """Slopes that ``y(.)`` can have on its pieces, ``(patterns, nt, n)``."""
        if self.floor is not None:
            signs = signs_of(self.n)
            ends = self.floor.W + self.floor.V * signs[:, None, :]
            choices = signs_of(self.nt)[:, None, :, None] > 0
            return np.where(choices, self._slope, ends[None]).reshape(-1, self.nt, self.n)
        return slopes_of(self._mean_M, self._mean_N, bounded=not self._free)

    @cached_property
    def constants(self) -> Constants:
        """Constants; ``L0`` and ``Lam`` are exact for ``n = 1``, else the largest over all slopes a piece may have."""
        reach = np.maximum(np.abs(self.low), np.abs(self.high)) if self.floor is None else np.full(self.nt, math.inf)
        used = self.loss.r != 0
        nu = float((np.abs(self.loss.r) * np.where(used, reach, 0.0)).sum(axis=1).max())
        if exact := self._on_the_line and (self.nt == 1 or not self.loss.s.any()):
            y = self._responses()
        numbers = Constants(
            L0=self.loss.L_line(y) if exact else self.loss.L_imp(self.slopes),
            nu=nu,
            L_y=self.loss.L_y,
            L_1h=self.L_1h,
            mu_h=self.mu_h,
            L_h_x=float(np.linalg.norm(self.N, ord=2, axis=(1, 2)).max()),
            Lam=response_modulus(y) if exact else float(np.linalg.norm(self.slopes, ord=2, axis=(1, 2)).max()),
        )
        known, _ = set_facts(self.sets)
        return replace(numbers, **known)

    def facts(self) -> dict[str, Fact]:
        """Hypotheses of Assumptions 1 and 2 and of Lemma 2; ``lower_free`` and ``lower_fixed`` say what ``Y(x)`` is."""
        c = self.constants
        bounded = math.isfinite(c.nu)
        _, about_sets = set_facts(self.sets)
        shape = "R^nt" if self._free else "a box" if self.floor is None else "y >= t + W x + V |x|"
        lipschitz = f"p_i ||x - c_i||_1 + f(y(x)) with y(.) piecewise affine of slope <= {c.Lam:g}: L0 = {c.L0:g}"
        return {
            "lipschitz": Fact(True, lipschitz),
            "unbiased": Fact(True, "E xi = 0 and f~_i is affine in xi"),
            "variance_bounded": Fact(
                bounded, f"|xi r_i' y| <= {c.nu:g}" if bounded else "the variance |r_i' y(x)|^2 grows with x"
            ),
            **about_sets,
            "implicit_lipschitz": Fact(True, f"L_imp = {c.L0:g}, L_y = {c.L_y:g}"),
            "lipschitz_xy": Fact(True, f"L_x = {self.loss.L_x:g}, L_y = {c.L_y:g}"),
            "y_lipschitz": Fact(True, f"y(.) is piecewise affine: Lam = {c.Lam:g}"),
            "lower_level": Fact(True, f"M_i have eigenvalues in [{c.mu_h:g}, {c.L_1h:g}], ||N_i|| <= {c.L_h_x:g}"),
            "lower_sets": Fact(True, f"Y(x) is {shape}"),
            "lower_free": Fact(self._free, f"Y(x) is {shape}"),
            "lower_fixed": Fact(self.floor is None, f"Y(x) is {shape}"),
        }


def quadratic_lower(
    *,
    M: Matrices = 1.0,
    N: Matrices = 1.0,
    b: Numbers = 0.0,
    p: Numbers = 0.0,
    c: Numbers = 0.0,
    q: Numbers = 1.0,
    r: Numbers = 0.0,
    s: Numbers = 0.0,
    z: Numbers = 0.0,
    low: Numbers = -math.inf,
    high: Numbers = math.inf,
    sigma_h: float = 0.0,
    m: int = 1,
    n: int = 1,
    nt: int = 1,
    X_low: Numbers | None = None,
    X_high: Numbers | None = None,
) -> QuadraticLowerLevel:
    """General quadratic lower levels ``h_i = (1/2) y' M_i y - y' (N_i x + b_i)`` over ``R^nt`` or a box.

    Upper losses are ``p_i ||x - c_i||_1 + (q_i + xi r_i)' y + s_i ||y - z_i||`` with a fair sign ``xi``.
    A number stands for that multiple of the identity (``M``), the matrix or the vector of equal entries; one matrix or
    vector is the same for all ``m`` clients.

    Args:
        M: Hessians of the lower level, symmetric and positive definite, ``(nt, nt)`` or ``(m, nt, nt)``.
        N: how ``x`` moves the lower level, ``(nt, n)`` or ``(m, nt, n)``.
        b: constant part, ``(nt,)`` or ``(m, nt)``.
        p: weight of ``||x - c_i||_1``, one number or one for each client.
        c: kink of that part, ``(n,)`` or ``(m, n)``.
        q: slope in ``y``, ``(nt,)`` or ``(m, nt)``.
        r: random part ``xi r_i`` of that slope, shaped like ``q``.
        s: weight of ``||y - z_i||``, one number or one for each client.
        z: kink of that part, shaped like ``q``.
        low, high: ends of the box ``Y``, ``(nt,)``; the whole space when left out.
        sigma_h: standard deviation of a sampled lower-level gradient.
        m, n, nt: clients, and dimensions of ``x`` and ``y``.
        X_low, X_high: ends of the boxes ``X_i``, ``(n,)`` or ``(m, n)``; no bound when left out.

    Raises:
        ValueError: a lower level is not strongly convex, or dimensions disagree.
    """
    given = dict(locals())
    check_counts(m=m, n=n, nt=nt)
    matrices = matrix_of("M", M, (m, nt, nt))
    return _built("quadratic_lower", given, matrices, as_array("N", N, (m, nt, n)), rows_of("b", b, m, nt))


def affine_response(
    *,
    A: Matrices = 1.0,
    b: Numbers = 0.0,
    mu: float = 1.0,
    p: Numbers = 0.0,
    c: Numbers = 0.0,
    q: Numbers = 1.0,
    r: Numbers = 0.0,
    s: Numbers = 0.0,
    z: Numbers = 0.0,
    low: Numbers = -math.inf,
    high: Numbers = math.inf,
    sigma_h: float = 0.0,
    m: int = 2,
    n: int = 1,
    nt: int = 1,
    X_low: Numbers | None = None,
    X_high: Numbers | None = None,
) -> QuadraticLowerLevel:
    """``h_i = (mu/2)||y - A x - b_i||^2``: ``y(x) = A x + mean b_i``, clipped to a box if given (I-bl-1, I-bl-2).

    ``mu_h = L_1h = mu``, ``L_h_x = mu ||A||``; without a box ``Lam = ||A||``. Upper losses are as in
    :func:`quadratic_lower`, and so are numbers that stand for arrays.

    Args:
        A: ``(nt, n)``, the same for all clients.
        b: ``(nt,)`` or ``(m, nt)``.
        mu: curvature of the lower level, positive.
        p, c, q, r, s, z, low, high, sigma_h, m, n, nt, X_low, X_high: see :func:`quadratic_lower`.

    Raises:
        ValueError: as :func:`quadratic_lower`.
    """
    return _built("affine_response", locals(), *_pulled(mu, A, b, m, n, nt))


def moving_floor(
    *,
    mu: float = 1.0,
    A: Matrices = 0.0,
    b: Numbers = 0.0,
    t: Numbers = 0.0,
    W: Matrices = 0.0,
    V: Matrices = 1.0,
    p: Numbers = 0.0,
    c: Numbers = 0.0,
    q: Numbers = 1.0,
    r: Numbers = 0.0,
    s: Numbers = 0.0,
    z: Numbers = 0.0,
    sigma_h: float = 0.0,
    m: int = 1,
    n: int = 1,
    nt: int = 1,
    X_low: Numbers | None = None,
    X_high: Numbers | None = None,
) -> QuadraticLowerLevel:
    """``h_i = (mu/2)||y - A x - b_i||^2`` over ``y >= t + W x + V |x|``: the larger of the two sides (I-bl-3).

    With ``A = 0`` and ``V = 1``, ``y(x) = |x|`` although ``L_h_x = 0``: ``Lam`` is no multiple of ``L_h_x / mu_h``.
    Upper losses are as in :func:`quadratic_lower`, and so are numbers that stand for arrays.

    Args:
        mu: curvature of the lower level, positive.
        A: ``(nt, n)``, the same for all clients.
        b: ``(nt,)`` or ``(m, nt)``.
        t: constant part of the lower end, ``(nt,)``.
        W, V: how ``x`` and ``|x|``, taken by coordinates, move it, ``(nt, n)``.
        p, c, q, r, s, z, sigma_h, m, n, nt, X_low, X_high: see :func:`quadratic_lower`.

    Raises:
        ValueError: as :func:`quadratic_lower`.
    """
    given = dict(locals())
    check_counts(m=m, n=n, nt=nt)
    floor = MovingFloor(as_array("t", t, (nt,)), as_array("W", W, (nt, n)), as_array("V", V, (nt, n)))
    return _built("moving_floor", given, *_pulled(mu, A, b, m, n, nt), floor)


def _pulled(mu: float, A: Matrices, b: Numbers, m: int, n: int, nt: int) -> tuple[Array, Array, Array]:
    """``M_i``, ``N_i`` and ``b_i`` of ``(mu/2)||y - A x - b_i||^2``."""
    check_counts(m=m, n=n, nt=nt)
    if not finite("mu", mu) > 0:
        raise ValueError(f"mu is {mu}; it should be a positive number")
    check_size("M", (m, nt, max(n, nt)))
    slope = np.broadcast_to(as_array("A", A, (nt, n)), (m, nt, n))
    return np.broadcast_to(mu * np.eye(nt), (m, nt, nt)), mu * slope, mu * rows_of("b", b, m, nt)


def _built(
    name: str, given: Mapping[str, Any], M: Array, N: Array, b: Array, floor: MovingFloor | None = None
) -> QuadraticLowerLevel:
    """What the families have in common: upper loss, sets, box and noise from the parameters that they were given."""
    m, n, nt = given["m"], given["n"], given["nt"]
    return QuadraticLowerLevel(
        M=M,
        N=N,
        b=b,
        loss=UpperLoss.of(m, n, nt, **{key: given[key] for key in ("p", "c", "q", "r", "s", "z")}),
        sets=client_boxes(given["X_low"], given["X_high"], m, n),
        low=as_array("low", given.get("low", -math.inf), (nt,)),
        high=as_array("high", given.get("high", math.inf), (nt,)),
        floor=floor,
        sigma_h=given["sigma_h"],
        name=name,
        params=dict(given),
    )
