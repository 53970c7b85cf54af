"""The momentum phase of FedMSA on linear maps with noise of two signs, whose moments are exact.

``x = (t, u, w)`` and ``P = (drift, slope u, in_Z (z - z^*))``, ``S = z - z^*``, with ``z^* = w`` or 0. The noise is a
sign times a bounded function of t, in the third part of p, or in s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa.lemma_b5 import r
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, counts, reals
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.form.on_a_line import PAST
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse

#: Signs that are listed, for means of norms and for runs in vectors.
MOST = 10
T, U, W, Z = range(4)

#: What all runs have.
RUN = {
    "normalisation": choice("sum", "mean"),
    "samples": choice("b", "K b"),
    "M": counts(1, 2, 10, most=3),
    "K": counts(1, 4, most=10),
    "b_batch": counts(1, 10, most=2),
    "b_0": counts(1, 10, most=2),
    "C_h": reals(1, 103),
}


def means_of_signs(drawn: int) -> list[Number] | None:
    """All means of so many signs; None where there are too many."""
    return None if drawn > MOST else [sum(signs) / drawn for signs in product((-1, 1), repeat=int(drawn))]


def mean_norm(rest: Number, values: list[Number] | None) -> Number | None:
    """The mean of ``sqrt(rest + value^2)``; None where the values are not listed."""
    return None if values is None else sum(sqrt(rest + value**2) for value in values) / len(values)


def after_signs(
    values: list[Number] | None, signs: list[Number] | None, keep: Number, fresh: Number
) -> list[Number] | None:
    """All errors after another round; None where there are too many."""
    if values is None or signs is None or len(values) * len(signs) > 2**MOST:
        return None
    return [keep * v + fresh * s for v in values for s in signs]


def answers(normalisation: str, samples: str, M: int, K: int, joint: bool, **constants: Number) -> dict[str, Any]:
    """What every instance has: its constants, with those given, and the facts."""
    linear = Fact(True, "linear maps, and noise of two signs that is a bounded function of t")
    alike = f"all {M} clients have the same maps"
    known = (
        "A1",
        "A2",
        "A3",
        "A4",
        "A4 in squares",
        "B",
        "C",
        "fedmsa",
        "d_{-1}",
        "b samples of each",
        "B of p",
        "B of s",
    )
    return {
        **{"M": M, "K": K, "lam_n": 1, "pull": 1, "gap2": 1, "beta_n": 1, "Lb_s": 1, "D_s": 1, **constants},
        **dict.fromkeys((*known, "A3 of P in Z", "means of p"), linear),
        **dict.fromkeys(("A4 of p", "A4 of s"), Fact(joint, "the constant is that of p or s at all points")),
        "sum": Fact(normalisation == "sum" or M == 1, alike),
        "mean": Fact(normalisation == "mean" or M == 1, alike),
        "batch": Fact(samples == "b" or K == 1, f"{samples} samples of each client"),
        "batch K": Fact(samples == "K b" or K == 1, f"{samples} samples of each client"),
    }


def drawn_in(samples: str, M: int, K: int, b_batch: int, b_0: int) -> tuple[int, int]:
    """The samples of all clients in the first round, and in the others."""
    times = K if samples == "K b" else 1
    return M * b_0 * times, M * b_batch * times


@dataclass(frozen=True)
class Maps:
    """The maps of a client, and the steps.

    Attributes:
        follows: 1 where ``z^*`` is w, else 0.
        of: "p" or "s", of which the estimate is looked at; it has the noise.
        gap: z at the start; w is 0 there, and u is 1.
        sizes: of the noise, by round.
    """

    of: str
    drift: float
    slope: float
    in_Z: float
    follows: float
    alpha: float
    beta: float
    rho: float
    gap: float
    sizes: list[float]

    def mean(self, at: Mapping[int, Grid]) -> dict[int, Grid]:
        """The map without noise, by coordinate."""
        if self.of == "s":
            return {Z: at[Z] - self.follows * at[W]}
        return {T: self.drift + 0 * at[W], U: self.slope * at[U], W: self.in_Z * (at[Z] - self.follows * at[W])}


def in_vectors(maps: Maps, R: int, first: int, later: int) -> InOutcomes:
    """R rounds of one local step in the vectors of the proofs, one after the other.

    Raises:
        Unlisted: there are too many signs.
    """
    refuse(first + R * later, MOST)

    def of(setting: Setting) -> Iterator[Outcomes]:
        index: Axis = ("client",) if "client" in setting.sizes else ("sample",)
        xi, zeta = [("xi", i) for i in range(later)], [("zeta", i) for i in range(first)]
        noise_at = W if maps.of == "p" else Z
        eta = maps.sizes[0] * np.array(means_of_signs(first), float)
        now = {T: 0 * eta, U: 1 + 0 * eta, W: 0 * eta, Z: maps.gap + 0 * eta}
        for at in range(R):
            chances: dict[Axis, Any] = {COORDINATE: [1.0] * 4, PAST: [1 / len(eta)] * len(eta)}
            chances |= {index: [1 / later] * later, ("first",): [1 / first] * first, ("step",): [1.0]}
            chances |= {copy: [0.5, 0.5] for copy in (*xi, *zeta)}
            flat = Outcomes(chances, {}, {}, _knows(xi, zeta, index[0]))
            sign = flat.stacked(index, [flat.along(copy, [1.0, -1.0]) for copy in xi])
            start = flat.stacked(("first",), [flat.along(copy, [1.0, -1.0]) for copy in zeta])
            unit = np.eye(4)

            def grid(parts: Mapping[int, Any], flat: Outcomes = flat, unit: np.ndarray = unit) -> Grid:
                zero = flat.along(COORDINATE, [0.0] * 4)
                grids = {i: flat.along(PAST, v) if np.ndim(v) == 1 else v for i, v in parts.items()}
                return sum((flat.along(COORDINATE, unit[i]) * v for i, v in grids.items()), zero)

            size, next_size, here = maps.sizes[at], maps.sizes[at + 1], maps.mean(now)
            along = {**here, W: here[W] + eta} if maps.of == "p" else {T: maps.drift}
            moved = {i: maps.alpha * v for i, v in along.items()}
            pull = now[Z] - maps.follows * now[W] + (eta if maps.of == "s" else 0)
            after = {i: now[i] - moved.get(i, 0) for i in (T, U, W)} | {Z: now[Z] - maps.beta * pull}
            star, star_after = ({**v, Z: maps.follows * v[W]} for v in (now, after))

            def sample(
                points: Grid,
                now: Mapping[int, Any] = now,
                after: Mapping[int, Any] = after,
                sign: Grid = sign,
                sizes: tuple[float, float] = (size, next_size),
                grid: Callable[..., Grid] = grid,
            ) -> tuple[Grid, Grid]:
                part = {i: points[[i]] for i in range(4)}
                passed = (part[T] - now[T][0]) / (after[T][0] - now[T][0]) if maps.drift else 0 * part[T]
                noise = (sizes[0] + passed * (sizes[1] - sizes[0])) * sign
                return grid(maps.mean(part)) + grid({noise_at: noise}), 0 * points

            def in_Z(points: Grid, now: Mapping[int, Any] = now, grid: Callable[..., Grid] = grid) -> tuple[Grid, Grid]:
                x = grid({i: now[i] for i in (T, U, W)})
                return grid(maps.mean({i: (x + points)[[i]] for i in range(4)})), 0 * points

            noise, next_noise = (grid({noise_at: s * sign}) for s in (size, next_size))
            there, then, fixed, fixed_then = (grid(maps.mean(v)) for v in (now, after, star, star_after))
            made = {
                **{"last": there + grid({noise_at: eta}), "e": next_noise, "d": next_noise - noise},
                **{"x": grid(now), "z": grid({Z: now[Z]}), "z*": grid({Z: star[Z]}), "u": grid(now) - grid(after)},
                **{"P_x": there, "P_y": then, "e0": grid({noise_at: maps.sizes[0] * start})},
                **{"pz0": there + noise, "pz": then + next_noise, "n0": noise, "n1": next_noise},
                **{"Pi0": fixed, "Pi": fixed_then},
            }
            yield Outcomes(chances, made, {"G": sample, "P": in_Z}, flat.knows, term={r: at})
            keep = 1 - maps.rho
            fresh = (next_size - keep * size) * np.array(means_of_signs(later), float)
            eta, now = (
                (keep * eta[:, None] + fresh).reshape(-1),
                {i: np.repeat(v, len(fresh)) for i, v in after.items()},
            )

    return of


def _knows(xi: list[Axis], zeta: list[Axis], index: str) -> Callable[[str, Mapping[str, int]], set[Axis]]:
    def knows(word: str, at: Mapping[str, int]) -> set[Axis]:
        one = {"xi": (index, xi), "zeta": ("first", zeta)}
        if word in one and one[word][0] in at:
            return {one[word][1][at[one[word][0]]]}
        return {"batch": {*xi}, "round": {*xi}, "start": {*zeta}, "past": {PAST}}.get(word, {(word,)})

    return knows
