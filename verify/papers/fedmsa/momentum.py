"""Rounds of FedMSA on linear maps with noise of two signs: exact moments, and the vectors of the proofs.

``x = (t, u, w)`` and ``P = (drift, slope u, in_Z (z - z^*))``, ``S = z - z^*``, with ``z^* = w`` or 0. The noise is a
sign times a bounded function of t, in the third part of p, or in s. So a round is linear in the ``z - z^*`` and the
error of the estimate with which it starts, and in the means of the signs that it draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb, prod
from typing import Any, TypeAlias

import numpy as np

from rateproof.theory.papers.lemmas import r
from rateproof.theory.proof import Setting
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.form.on_a_line import PAST
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse

#: Outcomes of a run in vectors, and those that are listed for means of norms.
MOST, LISTED = 1000, 200
T, U, W, Z = range(4)
IN_X, IN_Z = (T, U, W), (Z,)
#: A row for each coordinate, a column for each number in which a round is linear: 1, ``z - z^*`` and the error at its
#: start, the means of the signs of its local steps, and that of the momentum phase after it.
Vector: TypeAlias = np.ndarray


def signs(n: int) -> list[tuple[Number, Number]]:
    """The means of n signs, with their chances."""
    return [(n / n * comb(int(n), k) / 2 ** int(n), (n - 2 * k) / n) for k in range(int(n) + 1)]


def mean_product(u: Vector, v: Vector, gram: np.ndarray) -> Number:
    """Of two rows, by the mean products of their columns."""
    left, right = ([(i, x) for i, x in enumerate(row) if x != 0] for row in (u, v))
    return sum(x * y * gram[i, j] for i, x in left for j, y in right)


@dataclass(frozen=True)
class Round:
    """A round, and the momentum phase after it.

    Attributes:
        path: the points of its local steps, and where they end; w is counted from the start of the round.
        steps: what each of them moves.
        h, h_next: the estimates of P and S at its start and after it.
        known: chances and values of the first three columns; None where there are too many.
        gram: mean products of the columns.
    """

    path: list[Vector]
    steps: list[Vector]
    h: Vector
    h_next: Vector
    known: list[tuple[Number, Vector]] | None
    gram: np.ndarray

    def square(self, vector: Vector, rows: tuple[int, ...]) -> Number:
        """The mean square of some rows."""
        return sum(mean_product(vector[i], vector[i], self.gram) for i in rows)

    def length(self, vector: Vector, rows: tuple[int, ...]) -> Number | None:
        """The mean norm of some rows; None where not all values are listed."""
        if not np.any(vector[:, 1:] != 0):
            return sqrt(sum(vector[i, 0] ** 2 for i in rows))
        if self.known is None or np.any(vector[:, 3:] != 0):
            return None
        return sum(chance * sqrt(sum((vector[i, :3] @ at) ** 2 for i in rows)) for chance, at in self.known)


@dataclass(frozen=True)
class Run:
    """The maps of a client, and the method.

    Attributes:
        noisy: the row of P or S that has the noise.
        follows: 1 where ``z^*`` is w, else 0.
        gap: z at the start; w is 0 there, and u is 1.
        sizes: of the noise, by round.
        first, later, local: samples of the first estimate, of the others, and of a local step.
    """

    noisy: int
    drift: Number
    slope: Number
    in_Z: Number
    follows: int
    alpha: Number
    beta: Number
    rho: Number
    gap: Number
    K: int
    sizes: list[Number]
    first: int
    later: int
    local: int

    def off(self, at: Any) -> Any:
        """``z - z^*`` of a point."""
        return at[Z] - at[W] * self.follows

    def maps(self, at: Any) -> Any:
        """P and S, but for the drift."""
        return np.stack([at[T] * 0, at[U] * self.slope, self.off(at) * self.in_Z, self.off(at)])

    def mean(self, at: Vector) -> Vector:
        """P and S."""
        found: Vector = self.maps(at)
        found[T, 0] += self.drift
        return found

    def noise(self, at: Vector, size: Number) -> Vector:
        """That of the last column, at a point."""
        found = np.zeros(at.shape, object)
        found[self.noisy, -1] += size
        return found

    def at_star(self, at: Vector) -> Vector:
        """The point with ``Z^*`` for Z."""
        return np.array([*at[:Z], at[W] * self.follows], object)

    def rounds(self) -> Iterator[Round]:
        """All rounds but the last estimate; the first has one local step."""
        noise, scale = self.sizes[0], np.array([[self.alpha]] * 3 + [[self.beta]], object)
        start = np.array([1, self.gap, 0], object)
        gram = np.outer(start, start)
        gram[2, 2] = noise**2 / self.first
        known: list[tuple[Number, Vector]] | None = [
            (chance, np.array([1, self.gap, noise * sign], object)) for chance, sign in signs(self.first)
        ]
        u = 1
        for at, (size, after) in enumerate(pairwise(self.sizes)):
            count = self.K if at else 1
            change = (after - size) / count
            drawn = [*(self.local for _ in range(count - 1) if change != 0), self.later]
            one = np.eye(1, 3 + len(drawn), dtype=object)[0]
            whole = np.diag(np.array([*one[:3], *((noise * 0 + 1) / n for n in drawn)], object))
            whole[:3, :3] = gram
            point, error = np.zeros((2, 4, len(one)), object)
            point[U, 0], point[Z, 1], error[self.noisy, 2] = u, 1, 1
            path, steps, est = [point], [], self.mean(point) + error
            h = est
            for k in range(count):
                steps.append(est * scale)
                path.append(path[-1] - steps[-1])
                est = est + self.maps(path[-1] - path[-2])
                if k < len(drawn) - 1:
                    est[self.noisy, 3 + k] += change
            end = path[-1]
            error = error * (1 - self.rho) + self.noise(end, after - size * (1 - self.rho))
            yield Round(path, steps, h, self.mean(end) + error, known, whole)
            kept = np.array([one, self.off(end), error[self.noisy]], object)
            gram, u = np.array([[mean_product(v, w, whole) for w in kept] for v in kept], object), end[U, 0]
            draws = [signs(n) if np.any(kept[:, 3 + i] != 0) else [(1, 0)] for i, n in enumerate(drawn)]
            if known is not None and len(known) * prod(map(len, draws)) <= LISTED:
                known = [
                    (prod((c for c, _ in some), start=chance), kept @ np.array([*v, *(m for _, m in some)], object))
                    for (chance, v), *some in product(known, *draws)
                ]
            else:
                known = None


def in_vectors(run: Run) -> InOutcomes:
    """The rounds in the vectors of the proofs, one after the other.

    Raises:
        Unlisted: there are too many outcomes.
    """
    rounds = [*run.rounds()]
    for now in rounds:
        refuse(MOST + 1 if now.known is None else len(now.known) * 2 ** (run.first + run.later), MOST)

    def of(setting: Setting) -> Iterator[Outcomes]:
        index: Axis = ("client",) if "client" in setting.sizes else ("sample",)
        xi, zeta = ([(name, i) for i in range(n)] for name, n in (("xi", run.later), ("zeta", run.first)))
        axes = {index: run.later, ("first",): run.first, ("step",): run.K}

        def at_round(at: int, now: Round) -> Outcomes:
            known = now.known or []
            chances: dict[Axis, Any] = {COORDINATE: [1.0] * 4, PAST: [chance for chance, _ in known]}
            chances |= {axis: [1 / size] * size for axis, size in axes.items()}
            chances |= dict.fromkeys([*xi, *zeta], (0.5, 0.5))
            flat = Outcomes(chances, {}, {}, _knows(xi, zeta, index[0]))
            unit = [flat.along(COORDINATE, row) for row in np.eye(4)]
            mine = unit[Z] if run.noisy == Z else 1 - unit[Z]
            values = np.array([value for _, value in known], float).T
            size, after = run.sizes[at], run.sizes[at + 1]

            def grid(vector: Vector) -> Grid:
                """A vector that is known before the momentum phase."""
                parts = vector[:, :3].astype(float) @ values
                return np.asarray(sum(e * flat.along(PAST, part) for e, part in zip(unit, parts, strict=True)))

            def mean(points: Grid) -> Grid:
                """The map without noise."""
                wide = np.broadcast_to(points, (4, *points.shape[1:]))
                return np.asarray((run.drift * unit[T] + run.maps(wide)) * mine)

            def signed(axis: Axis, copies: list[Axis]) -> Grid:
                parts = [flat.along(copy, [1.0, -1.0]) for copy in copies]
                return np.asarray(unit[run.noisy] * flat.stacked(axis, parts))

            start, star, end, star_end = (
                grid(place(now.path[i])) for i in (0, -1) for place in (lambda v: v, run.at_star)
            )
            sign, moved = signed(index, xi), [grid(step) for step in now.steps]

            def sample(points: Grid) -> tuple[Grid, Grid]:
                passed = (points[[T]] - start[[T]]) / (end[[T]] - start[[T]]) if run.drift else 0 * points[[T]]
                return mean(points) + (size + passed * (after - size)) * sign, 0 * points

            made = {
                **{"last": grid(now.h) * mine, "P_x": mean(start), "P_y": mean(end)},
                **{"e": after * sign, "d": (after - size) * sign, "e0": run.sizes[0] * signed(("first",), zeta)},
                **{"x": start, "z": start * unit[Z], "z*": star * unit[Z]},
                "u": flat.stacked(("step",), [*moved, *(0 * start for _ in range(run.K - len(moved)))]),
                **{"Pi": mean(star_end), "Pi0": mean(star), "n1": after * sign, "n0": size * sign},
                **{"pz": mean(end) + after * sign, "pz0": mean(start) + size * sign},
            }
            maps = {"G": sample, "P": lambda points: (mean(start * (1 - unit[Z]) + points), 0 * points)}
            return Outcomes(chances, made, maps, flat.knows, term={r: at})

        return (at_round(at, now) for at, now in enumerate(rounds))

    return of


def _knows(xi: list[Axis], zeta: list[Axis], index: str) -> Callable[[str, Mapping[str, int]], set[Axis]]:
    whole = {"batch": {*xi}, "round": {*xi}, "start": {*zeta}, "past": {PAST}}
    one = {"xi": (index, xi), "zeta": ("first", zeta)}

    def knows(word: str, at: Mapping[str, int]) -> set[Axis]:
        if word in one and one[word][0] in at:
            return {one[word][1][at[one[word][0]]]}
        return whole.get(word, {(word,)})

    return knows
