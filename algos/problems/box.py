"""What the problems with a lower level share: affine variational inequalities over boxes, sets of clients, arguments.

``VI(Y, y -> M y + q)`` over a box ``Y`` has one solution when ``M`` is strongly monotone. On the pieces where the same
coordinates are at their ends it is affine in ``q``; which coordinates these are is found by principal pivoting.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rateproof.algos.arguments import check_counts, check_size, numbers
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.sets import Box, ClientSets, interval

#: Rounding of a residual, relative to the size of its terms.
ROUNDING = 1e-12
#: Block pivots in a row that may fail to lower the number of wrong coordinates, before single ones.
PATIENCE = 8
#: Largest dimension for which the pieces of a solution map over a box are listed.
LISTED = 10


@dataclass(frozen=True, eq=False)
class MovingFloor:
    """``Y(x) = {y >= t + W x + V |x|}``, with ``|x|`` taken by coordinates.

    Attributes:
        t: ``(nt,)``.
        W, V: ``(nt, n)``.
    """

    t: Array
    W: Array
    V: Array

    def __call__(self, x: Array) -> Array:
        """The lower ends: ``(runs, n) -> (runs, nt)``."""
        return np.asarray(self.t + x @ self.W.T + np.abs(x) @ self.V.T)


def monotonicity(M: Array, what: str = "G(x, ., xi)") -> tuple[float, float]:
    """``(mu, L)``: strong monotonicity and Lipschitz constants of ``y -> M y``.

    They are the smallest eigenvalue of the symmetric part and the spectral norm.

    Raises:
        ValueError: the map is not strongly monotone.
    """
    M = np.asarray(M, dtype=np.float64)
    diagonal = not (M - np.diag(np.diag(M))).any()
    values = np.sort(np.diag(M)) if diagonal else np.linalg.eigvalsh((M + M.T) / 2)
    mu = float(values[0])
    if not mu > ROUNDING * float(np.abs(M).max()):
        raise ValueError(
            f"{what} is not strongly monotone: the smallest eigenvalue of (M + M')/2 is {mu:.6g}; it should be positive"
        )
    return mu, float(values[-1]) if diagonal else float(np.linalg.norm(M, ord=2))


def curvatures(i: int, M: Array) -> Array:
    """Eigenvalues of the Hessian ``M_i`` of client ``i``, increasing.

    Raises:
        ValueError: it is not symmetric, or not positive definite.
    """
    if np.abs(M - M.T).max() > ROUNDING * np.abs(M).max():
        raise ValueError(f"M_{i} is not symmetric: it differs from its transpose by {np.abs(M - M.T).max():.3g}")
    diagonal = not (M - np.diag(np.diag(M))).any()
    values = np.sort(np.diag(M)) if diagonal else np.asarray(np.linalg.eigvalsh(M), dtype=np.float64)
    if not values[0] > 0:
        raise ValueError(
            f"h_{i} is not strongly convex in y: the smallest eigenvalue of M_{i} is {values[0]:.6g}; "
            "it should be positive"
        )
    return values


def box_solution(M: Array, q: Array, low: Array, high: Array) -> Array:
    """The solutions of ``VI([low, high], y -> M y + q)`` for many ``q`` at once: ``(..., nt) -> (..., nt)``.

    Block principal pivoting with single pivots where it stalls, which ends for every positive definite ``M``
    (Judice and Pires, 1994); exact up to the rounding of one linear solve.

    Args:
        M: ``(nt, nt)``, strongly monotone.
        q: ``(..., nt)``.
        low, high: ``(nt,)``, with ``low <= high``; may be infinite.

    Raises:
        ValueError: pivoting does not end, since ``M`` is not strongly monotone.
    """
    nt = len(M)
    wanted = q.reshape(-1, nt)
    out = np.empty_like(wanted)
    # -1: at the lower end, 0: between, 1: at the upper end. Start from the signs of a diagonal problem.
    guess = -wanted / np.diag(M)
    state = np.where(guess < low, -1, np.where(guess > high, 1, 0))
    best, lives = np.full(len(wanted), nt + 1), np.full(len(wanted), PATIENCE)
    left = np.arange(len(wanted))
    for _ in range(1000 * (nt + 1)):
        if not len(left):
            return out.reshape(q.shape)
        y = _between(M, wanted[left], low, high, state[left])
        force = y @ M.T + wanted[left]
        size = ROUNDING * (np.abs(y) @ np.abs(M).T + np.abs(wanted[left]))
        reach = ROUNDING * (1 + np.abs(y).max(axis=1, keepdims=True))
        now = state[left]
        wish = np.where(now == 0, np.where(y < low - reach, -1, np.where(y > high + reach, 1, 0)), now)
        wish = np.where((now == -1) & (force < -size) & (low < high), 0, wish)
        wish = np.where((now == 1) & (force > size) & (low < high), 0, wish)
        wrong = wish != now
        count = wrong.sum(axis=1)
        done = count == 0
        out[left[done]] = np.clip(y[done], low, high)
        better = count < best[left]
        best[left] = np.minimum(best[left], count)
        lives[left] = np.where(better, PATIENCE, lives[left] - 1)
        single = ~better & (lives[left] < 0)
        last = nt - 1 - np.argmax(wrong[:, ::-1], axis=1)
        only = np.zeros_like(wrong)
        only[np.arange(len(left)), last] = True
        state[left] = np.where(np.where(single[:, None], only, True), wish, now)
        left = left[~done]
    raise ValueError(f"pivoting did not end for {len(left)} of {len(wanted)} variational inequalities; is M positive?")


def slopes_of(M: Array, N: Array, *, bounded: bool) -> Array:
    """Slopes of the pieces of ``x -> y(x)``, the solution of ``VI(Y, y -> M y - N x - b)``: ``(pieces, nt, n)``.

    Every set of coordinates may be the one between the ends of a box; all are free without one.

    Raises:
        ValueError: a box of more than 10 dimensions, whose pieces are too many.
    """
    nt = len(M)
    if not bounded:
        return np.asarray(np.linalg.solve(M, N)[None], dtype=np.float64)
    if nt > LISTED:
        raise ValueError(f"nt is {nt}; the pieces of a solution in a box are listed for nt <= {LISTED} only")
    slopes = np.zeros((2**nt, *N.shape))
    for code in range(2**nt):
        free = [j for j in range(nt) if code >> j & 1]
        if free:
            slopes[code, free] = np.linalg.solve(M[np.ix_(free, free)], N[free])
    return slopes


def signs_of(k: int) -> Array:
    """All vectors of ``k`` signs, ``(2^k, k)``."""
    return np.array(np.meshgrid(*[[-1.0, 1.0]] * k, indexing="ij")).reshape(k, -1).T


def set_facts(sets: ClientSets) -> tuple[dict[str, float], dict[str, Fact]]:
    """``B1`` and ``B2`` of eq. (2), by name (inf when none are known), and the facts about the clients' sets."""
    try:
        known = {"B1": sets.B1, "B2": sets.B2}
        dissimilar = Fact(True, f"{sets.dissimilarity.why}: B1 = {sets.B1:g}, B2 = {sets.B2:g}")
    except ValueError as error:
        known, dissimilar = {"B1": math.inf, "B2": math.inf}, Fact(False, str(error))
    whole = "every X_i is R^n" if sets.free else "some X_i is not R^n"
    return known, {
        "sets": Fact(True, "boxes, balls and their like: nonempty, closed and convex"),
        "feasible": Fact(sets.common_point.known is True, _on_X(sets)),
        "dissimilarity": dissimilar,
        "free": Fact(sets.free, whole),
    }


def _on_X(sets: ClientSets) -> str:
    """Whether the intersection ``X`` has a point, as a reason."""
    found = sets.common_point
    start = {True: "X is not empty", False: "X is empty", None: "X may be empty"}[found.known]
    return f"{start}: {found.why}"


def client_boxes(low: ArrayLike | None, high: ArrayLike | None, m: int, n: int, *, name: str = "X_") -> ClientSets:
    """Boxes of the clients, unbounded where no bound is given. One bound may stand for all, as in :func:`rows_of`.

    Args:
        low, high: bounds.
        m, n: number of clients, and dimension.
        name: what the bounds are called in messages, before "low" and "high".

    Raises:
        ValueError: a count is no whole number from 1, a shape does not fit, or a box is empty.
    """
    check_counts(m=m, n=n)
    lows = rows_of(f"{name}low", -math.inf if low is None else low, m, n)
    highs = rows_of(f"{name}high", math.inf if high is None else high, m, n)
    return ClientSets([Box(a, b) for a, b in zip(lows, highs, strict=True)])


def bounded(bound: float, m: int, n: int) -> ClientSets:
    """The box ``[-bound, bound]^n`` for each client; the whole space for inf.

    Raises:
        ValueError: ``bound`` is not positive.
    """
    if not bound > 0:
        raise ValueError(f"bound is {bound}; it should be positive, or inf")
    return client_boxes(-bound, bound, m, n)


def intervals(sets: ClientSets) -> ClientSets:
    """The same sets of the line, all as boxes.

    Raises:
        ValueError: a set that is neither a box nor the whole line.
    """
    for one in sets.sets:
        if not (isinstance(one, Box) or one.whole):
            raise ValueError(f"a client's set is of kind {type(one).__name__}; smoothing is exact for intervals")
    return ClientSets([one if isinstance(one, Box) else interval() for one in sets.sets])


def rows_of(name: str, values: ArrayLike, m: int, k: int) -> Array:
    """A row of ``k`` numbers for each of ``m`` clients, from one number, one row, a number a client, or all.

    Raises:
        ValueError: another shape.
    """
    array = numbers(name, values)
    if k == 1 and array.shape == (m,):
        array = array[:, None]
    return as_array(name, array, (m, k))


def check_shapes(**arrays: tuple[Array, tuple[int, ...]]) -> None:
    """Refuse arrays, given with the shapes they should have, that have another one.

    Raises:
        ValueError: names the first.
    """
    for name, (array, shape) in arrays.items():
        if np.shape(array) != shape:
            raise ValueError(f"{name} has shape {np.shape(array)}; it should be {shape}")


def check_clients(sets: ClientSets, m: int, n: int) -> None:
    """Refuse sets of another number of clients or dimension.

    Raises:
        ValueError: says both.
    """
    if sets.m != m or sets.n != n:
        raise ValueError(f"sets are of {sets.m} clients in R^{sets.n}; they should be of {m} in R^{n}")


def as_array(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """An array of this shape from numbers that leave out leading axes, or all.

    Raises:
        ValueError: the numbers do not fit, one is NaN, or there would be too many.
    """
    check_size(name, shape)
    array = numbers(name, values)
    if array.ndim and array.shape != shape[len(shape) - array.ndim :]:
        fitting = " or ".join(str(shape[i:]) for i in range(len(shape)))
        raise ValueError(f"{name} has shape {array.shape}; it should be one number, or of shape {fitting}")
    return np.array(np.broadcast_to(array, shape))


def matrix_of(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Square matrices, ``(..., k, k)``, of which one number stands for that multiple of the identity.

    Raises:
        ValueError: as :func:`as_array`.
    """
    check_size(name, shape)
    array = numbers(name, values)
    return as_array(name, array if array.ndim else array * np.eye(shape[-1]), shape)


def client_matrices(name: str, values: ArrayLike, m: int, rows: int, columns: int) -> Array:
    """A matrix for each of ``m`` clients, ``(m, rows, columns)``; numbers stand for multiples of the identity.

    Raises:
        ValueError: as :func:`as_array`.
    """
    check_size(name, (m, rows, columns))
    array = numbers(name, values)
    if array.shape in ((), (m,)):
        array = array[..., None, None] * np.eye(rows, columns)
    return as_array(name, array, (m, rows, columns))


def _between(M: Array, q: Array, low: Array, high: Array, state: NDArray[np.int64]) -> Array:
    """``y`` with the given coordinates at their ends and no force on the others: ``(k, nt)``."""
    free = state == 0
    ends = np.where(state < 0, low, high)
    held = np.where(free, 0.0, ends)
    eye = np.eye(len(M))
    system = np.where(free[:, :, None] & free[:, None, :], M, eye)
    sides = np.where(free, -q - held @ M.T, held)
    return np.asarray(np.linalg.solve(system, sides[..., None])[..., 0])
