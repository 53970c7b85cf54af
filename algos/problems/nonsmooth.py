"""Federated problems with nonsmooth losses in any dimension, exactly smoothed where it is known (fedrzo, Assumption 1).

Losses are max-affine functions, norms, distances, Huber functions and losses of a ReLU unit; sets are boxes, balls,
half-spaces, simplices or none. A sample adds a sign times a field, or picks one of the losses that a client averages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rateproof.algos.arguments import check_counts, check_size, finite, generator, nonnegative, numbers
from rateproof.algos.convex_sets import Ball, HalfSpace
from rateproof.algos.losses import Losses, MaxAffine, Norms, SetDistances
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.box import as_array, client_boxes, set_facts
from rateproof.algos.problems.exactly_smoothed import ExactlySmoothed
from rateproof.algos.problems.federated import Constants, Federated
from rateproof.algos.problems.line import Field, Level, Steps, client_signs
from rateproof.algos.ridges import Ridges, half_space_distances, huber_sums, l1_distances
from rateproof.algos.sets import ClientSets

Numbers: TypeAlias = float | Sequence[float] | Sequence[Sequence[float]]
"""One number, one a client, one a coordinate, or a row a client, as the family says."""
Rows: TypeAlias = Sequence[Sequence[float]]
"""A row of numbers for each client."""


class Nonsmooth(Federated):
    """``min (1/m) sum_i f_i`` over the intersection of the clients' sets.

    Args:
        losses: of the clients; with ``batch > 1``, as many a client, which averages them.
        sets: of the clients; the whole space when left out.
        nu: size of an additive noise ``nu xi s(x_1)`` with a fair sign ``xi``.
        noise: the field ``s`` with ``|s| <= 1``; :class:`Level` when left out.
        batch: losses of a client; a sample is one of them.
        name, params: see :class:`rateproof.algos.problems.base.Instance`.

    Raises:
        ValueError: counts or dimensions disagree, or a number is out of range.
    """

    def __init__(
        self,
        losses: Losses,
        sets: ClientSets | None = None,
        *,
        nu: float = 0.0,
        noise: Field | None = None,
        batch: int = 1,
        name: str = "nonsmooth",
        params: Mapping[str, object] | None = None,
    ) -> None:
        nonnegative(nu=nu)
        if batch < 1 or losses.m % batch:
            raise ValueError(f"batch is {batch}; it should divide the number of losses, {losses.m}")
        if nu and batch > 1:
            raise ValueError(f"nu is {nu:g} and batch is {batch}; a sample is a sign or one of the losses, not both")
        self.losses, self.batch, self.noise_field = losses, batch, noise or Level()
        self.n, self.m = losses.n, losses.m // batch
        self.sets = client_boxes(None, None, self.m, self.n) if sets is None else sets
        if (self.sets.m, self.sets.n) != (self.m, self.n):
            raise ValueError(
                f"sets are of {self.sets.m} clients in R^{self.sets.n}; they should be of {self.m} in R^{self.n}"
            )
        self.nu, self.name, self.params = float(nu), name, dict(params or {})
        self._smoothed: dict[float, ExactlySmoothed] = {}

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Signs, or numbers of losses, ``(steps, runs, m, 1)``; None when losses are not random."""
        if self.batch > 1:
            rows = np.arange(rng.runs)
            drawn = [rng.integers("xi", round, i, steps, 1, rows, self.batch) for i in range(self.m)]
            return np.stack(drawn, axis=2).astype(np.float64)
        return client_signs(rng, round, steps, self.m) if self.nu else None

    def values(self, x: Array, xi: Array | None) -> Array:
        """Sampled losses: ``(runs, m, n) -> (runs, m)``; the expected ones for no sample."""
        if self.batch > 1:
            each = self.losses(np.repeat(x, self.batch, axis=1)).reshape(len(x), self.m, self.batch)
            return each.mean(axis=2) if xi is None else np.take_along_axis(each, xi.astype(np.int64), axis=2)[..., 0]
        values = self.losses(x)
        return values if xi is None else values + self.nu * xi[..., 0] * self.noise_field(x[..., 0])

    def f_i(self, i: int, x: Array) -> Array:
        """``f_i``: ``(runs, n) -> (runs,)``."""
        return np.asarray(sum(self.losses.one(i * self.batch + j, x) for j in range(self.batch)) / self.batch)

    @cached_property
    def constants(self) -> Constants:
        """Constants of Assumption 1; ``L0`` is the least possible where ``facts`` says so."""
        L0 = float(self.losses.lipschitz.reshape(self.m, self.batch).mean(axis=1).max())
        nu = self.losses.spread(self.batch) if self.batch > 1 else self.nu
        return Constants(L0=L0, nu=nu, **set_facts(self.sets)[0])

    def facts(self) -> dict[str, Fact]:
        """Assumption 1, part by part."""
        c = self.constants
        how = "the least possible" if self.losses.least and self.batch == 1 else "an upper bound"
        lipschitz = f"L0 = {c.L0:g}, {how}" if math.isfinite(c.L0) else "a loss grows quadratically"
        if self.batch > 1:
            unbiased, bounded = f"a sample is one of {self.batch} losses, uniformly", "losses of a client differ by"
        else:
            unbiased, bounded = ("xi = +-1 with equal chance", "|nu s(x)| is") if self.nu else ("not random", "")
        variance = f"{bounded} at most nu = {c.nu:g} in the root mean square" if bounded else "losses are not random"
        return {
            "lipschitz": Fact(math.isfinite(c.L0), lipschitz),
            "unbiased": Fact(True, unbiased),
            "variance_bounded": Fact(
                math.isfinite(c.nu), variance if math.isfinite(c.nu) else "no bound is known for these losses"
            ),
            **set_facts(self.sets)[1],
        }

    def smoothed(self, eta: float) -> ExactlySmoothed:
        """The smoothed problem, exactly (kept for the radii asked for).

        Raises:
            ValueError: ``eta`` is not positive, or no closed form is known.
        """
        if eta not in self._smoothed:
            self._smoothed[eta] = ExactlySmoothed(eta, self.losses, self.sets, batch=self.batch, name=self.name)
        return self._smoothed[eta]


def max_affine_losses(
    *,
    A: Sequence[Rows] = (((1.0, 0.0), (-0.5, 1.0), (0.0, -1.0)),),
    b: Rows | None = None,
    low: Numbers | None = None,
    high: Numbers | None = None,
    nu: float = 0.0,
    period: float | None = None,
) -> Nonsmooth:
    """``f_i(x) = max_j (A_ij.x + b_ij)`` over boxes: the slopes and offsets of each client's pieces.

    Args:
        A: for each client as many slopes, ``(m, pieces, n)``.
        b: offsets of the pieces, ``(m, pieces)``; 0 when left out.
        low, high: ends of the boxes ``X_i``: one number, ``(n,)``, or ``(m, n)``; no bound when left out.
        nu: size of the noise.
        period: of :class:`Steps` along the first coordinate; the noise cancels when left out.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    slopes = numbers("A", A)
    losses = MaxAffine(slopes, np.zeros(slopes.shape[:2]) if b is None else numbers("b", b))
    return _boxed("max_affine_losses", losses, given)


def random_max_affine(
    *,
    n: int = 2,
    m: int = 2,
    pieces: int = 4,
    L0: float = 1.0,
    spread: float = 1.0,
    seed: int = 0,
    low: Numbers | None = None,
    high: Numbers | None = None,
    nu: float = 0.0,
    period: float | None = None,
) -> Nonsmooth:
    """Max-affine losses with slopes of length ``L0`` in random directions and offsets in ``[-spread, 0]``.

    Args:
        n, m, pieces: dimension, clients, and pieces of each loss.
        L0: length of every slope.
        spread: of the offsets.
        seed: of the draw.
        low, high: ends of the boxes ``X_i``: one number, ``(n,)``, or ``(m, n)``; no bound when left out.
        nu: size of the noise.
        period: of :class:`rateproof.algos.problems.line.Steps` along the first coordinate; the noise cancels when left
            out.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    check_counts(n=n, m=m, pieces=pieces)
    check_size("the slopes", (m, pieces, n))
    finite("L0", L0)
    finite("spread", spread)
    random = generator(seed)
    slopes = random.normal(size=(m, pieces, n))
    slopes *= L0 / np.linalg.norm(slopes, axis=-1, keepdims=True)
    return _boxed("random_max_affine", MaxAffine(slopes, -spread * random.uniform(size=(m, pieces))), given)


def norm_distances(
    *,
    centres: Rows = ((0.0, 0.0),),
    L0: Numbers = 1.0,
    low: Numbers | None = None,
    high: Numbers | None = None,
    nu: float = 0.0,
    period: float | None = None,
) -> Nonsmooth:
    """``f_i(x) = L0_i ||x - c_i||`` over boxes; concave kinks for negative ``L0_i``.

    Args:
        centres: ``c_i``, ``(m, n)``.
        L0: weights, one number or one for each client.
        low, high, nu, period: see :func:`max_affine_losses`.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    c = row_matrix("centres", centres)
    return _boxed("norm_distances", Norms(as_array("L0", L0, (len(c),)), c), given)


def sampled_distances(
    *,
    centres: Sequence[Rows] = (((-1.0, 0.0), (1.0, 0.0)),),
    L0: float = 1.0,
    low: Numbers | None = None,
    high: Numbers | None = None,
) -> Nonsmooth:
    """``f_i`` is the mean of ``L0 ||x - c||`` over the centres of client ``i``; a sample is one of them.

    Args:
        centres: for each client as many points, ``(m, batch, n)``.
        L0: weight of all distances.
        low, high: ends of the boxes ``X_i``: one number, ``(n,)``, or ``(m, n)``; no bound when left out.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    c = numbers("centres", centres)
    if c.ndim != 3 or not c.size:
        raise ValueError(f"centres have shape {c.shape}; they should be lists of points, one for each client")
    finite("L0", L0)
    losses = Norms(np.full(c.shape[0] * c.shape[1], float(L0)), c.reshape(-1, c.shape[2]))
    sets = client_boxes(low, high, c.shape[0], c.shape[2], name="")
    return Nonsmooth(losses, sets, batch=c.shape[1], name="sampled_distances", params=given)


def l1_losses(
    *,
    centres: Rows = ((0.0, 0.0),),
    weights: Numbers = 1.0,
    low: Numbers | None = None,
    high: Numbers | None = None,
    nu: float = 0.0,
    period: float | None = None,
) -> Nonsmooth:
    """``f_i(x) = w_i ||x - c_i||_1`` over boxes: ``L0 = max|w_i| sqrt(n)``.

    Args:
        centres: ``c_i``, ``(m, n)``.
        weights: ``w_i``, one number or one for each client.
        low, high, nu, period: see :func:`max_affine_losses`.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    c = row_matrix("centres", centres)
    return _boxed("l1_losses", l1_distances(as_array("weights", weights, (len(c),)), c), given)


def huber_losses(
    *,
    centres: Rows = ((0.0, 0.0),),
    weights: Numbers = 1.0,
    mu: float = 1.0,
    low: Numbers | None = None,
    high: Numbers | None = None,
    nu: float = 0.0,
    period: float | None = None,
) -> Nonsmooth:
    """``f_i(x) = w_i sum_j H_mu(x_j - c_ij)``: :func:`l1_losses` in the limit ``mu -> 0``, smooth and Lipschitz.

    Args:
        centres: ``c_i``, ``(m, n)``.
        weights: ``w_i``, one number or one for each client.
        mu: half the width of the quadratic part of ``H_mu``, positive.
        low, high, nu, period: see :func:`max_affine_losses`.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    c = row_matrix("centres", centres)
    if not 0 < mu < math.inf:
        raise ValueError(f"mu is {mu}; it should be a positive number")
    return _boxed("huber_losses", huber_sums(as_array("weights", weights, (len(c),)), c, mu), given)


def half_space_losses(
    *,
    normals: Rows = ((1.0, 0.0), (0.0, 1.0)),
    offsets: Numbers = 0.0,
    L0: Numbers = 1.0,
    low: Numbers | None = None,
    high: Numbers | None = None,
) -> Nonsmooth:
    """``f_i(x) = L0_i dist(x, {a_i.x <= b_i})`` over boxes.

    Args:
        normals: ``a_i``, ``(m, n)``, not zero.
        offsets: ``b_i``, one number or one for each client.
        L0: weights, one number or one for each client.
        low, high: ends of the boxes ``X_i``: one number, ``(n,)``, or ``(m, n)``; no bound when left out.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    a = row_matrix("normals", normals)
    halves = [HalfSpace(row, float(b)) for row, b in zip(a, as_array("offsets", offsets, (len(a),)), strict=True)]
    losses = half_space_distances(as_array("L0", L0, (len(a),)), halves)
    return _boxed("half_space_losses", losses, given)


def ball_losses(
    *,
    centres: Rows = ((0.0, 0.0),),
    radii: Numbers = 1.0,
    L0: Numbers = 1.0,
    low: Numbers | None = None,
    high: Numbers | None = None,
) -> Nonsmooth:
    """``f_i(x) = L0_i dist(x, ball of radius r_i around c_i)`` over boxes; without an exact smoothing.

    Args:
        centres: ``c_i``, ``(m, n)``.
        radii: ``r_i``, one number or one for each client.
        L0: weights, one number or one for each client.
        low, high: ends of the boxes ``X_i``: one number, ``(n,)``, or ``(m, n)``; no bound when left out.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    c = row_matrix("centres", centres)
    balls = ClientSets([Ball(row, float(r)) for row, r in zip(c, as_array("radii", radii, (len(c),)), strict=True)])
    return _boxed("ball_losses", SetDistances(as_array("L0", L0, (len(c),)), balls), given)


def relu_losses(
    *,
    A: Rows = ((1.0, 1.0),),
    v: Numbers = 1.0,
    b: Numbers = 0.0,
    power: int = 1,
    low: Numbers | None = None,
    high: Numbers | None = None,
) -> Nonsmooth:
    """``f_i(x) = |v_i - relu(a_i.x + b_i)|``, or half its square for ``power`` 2, over boxes.

    The square is Lipschitz on bounded sets only: see :func:`relu_modulus`; its ``L0`` is inf.

    Args:
        A: weights ``a_i`` of the unit, ``(m, n)``.
        v: outcomes ``v_i``, one number or one for each client.
        b: offsets ``b_i``, one number or one for each client.
        power: 1 or 2.
        low, high: ends of the boxes ``X_i``: one number, ``(n,)``, or ``(m, n)``; no bound when left out.

    Raises:
        ValueError: shapes disagree, or a number is out of range.
    """
    given = dict(locals())
    if power not in (1, 2):
        raise ValueError(f"power is {power}; it should be 1 or 2")
    a = row_matrix("A", A)
    m, n = a.shape
    targets, shifts = as_array("v", v, (m,)), as_array("b", b, (m,))
    zero = np.zeros((m, n))
    if power == 2:  # v^2/2 - v relu(z) + relu(z)^2/2
        forms, ends, weights, squares = a[:, None, :], shifts[:, None], -targets[:, None], np.ones((m, 1))
        size = np.where(a.any(axis=1), math.inf, 0.0)
        losses = Ridges(forms, ends, weights, squares, zero, targets**2 / 2, modulus=size)
        return _boxed("relu_losses", losses, given)
    # |v - relu(z)| = |v| - relu(z) + 2 relu(z - v) for v > 0, and |v| + relu(z) otherwise
    up = targets > 0
    forms, ends = np.stack([a, a], axis=1), np.stack([shifts, shifts - np.maximum(targets, 0.0)], axis=1)
    weights = np.stack([np.where(up, -1.0, 1.0), np.where(up, 2.0, 0.0)], axis=1)
    size = np.linalg.norm(a, axis=1)
    losses = Ridges(forms, ends, weights, np.zeros((m, 2)), zero, np.abs(targets), modulus=size)
    return _boxed("relu_losses", losses, given)


def relu_modulus(*, a: Sequence[float], v: float, b: float, low: float, high: float) -> float:
    """Least Lipschitz constant of ``(v - relu(a.x + b))^2/2`` on the box ``[low, high]^n``.

    ``|a| max|v - z|`` over ``z = a.x + b > 0`` in the box; 0 where the unit is off on the whole box.
    """
    slope = np.asarray(a, dtype=np.float64)
    reach = np.stack([slope * low, slope * high])
    least, most = float(reach.min(axis=0).sum()) + b, float(reach.max(axis=0).sum()) + b
    if most <= 0:
        return 0.0
    return float(np.linalg.norm(slope)) * max(abs(v - max(least, 0.0)), abs(v - most))


def _boxed(name: str, losses: Losses, given: Mapping[str, Any]) -> Nonsmooth:
    """A problem over boxes, from the arguments of a family."""
    sets = client_boxes(given["low"], given["high"], losses.m, losses.n, name="")
    period = given.get("period")
    noise = None if period is None else Steps(float(period))
    return Nonsmooth(losses, sets, nu=given.get("nu", 0.0), noise=noise, name=name, params=given)


def row_matrix(name: str, rows: Rows) -> Array:
    """A row of ``n`` numbers for each client, ``(m, n)``.

    Raises:
        ValueError: another shape.
    """
    array = numbers(name, rows)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; it should hold a row of n numbers for each client")
    return array
