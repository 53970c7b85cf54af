"""Runs of FedMSA with one inner sequence in two numbers x and z, with all their outcomes, and in vectors.

``S(x, z) = lambda (z - s x)`` and ``P(x, z) = f'(x) + e (z - s x) + d``, so that ``z^*(x) = s x`` and ``P(x, z^*(x)) =
f'(x) + d``. Two clients have ``P +- tau_0 x`` and ``S +- tau_1 z``, and a sample adds ``+-sigma_0 u(x)`` and
``+-sigma_1 u(z)``, where ``u`` is 1 everywhere or ``min(max(x, -1), 1)``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import levels, notation, one_round
from rateproof.theory.proof import Setting
from rateproof.verify.form.arithmetic import Number, largest, least
from rateproof.verify.form.on_a_line import PAST, STARTS, of_loss
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes, each
from rateproof.verify.form.parts import Loss, refuse

#: Outcomes of a run that are listed.
MOST = 300
#: x and the coordinates of z, as an array of numbers.
Point: TypeAlias = np.ndarray


def point(*numbers: Number) -> Point:
    """Numbers of any kind."""
    return np.array(numbers, object)


@dataclass(frozen=True)
class Problem:
    """The maps of an instance, and its noises.

    Attributes:
        f: the function whose slope is ``P(x, z^*(x)) - d``.
        s, e, d, lam: slope of ``z^*``, slope of ``P`` in z and what it has beside, and slope of ``S``.
        apart: ``tau_0`` and ``tau_1``.
        sizes: those of the noises.
        clipped: whether the noise depends on where it is.
        M: number of clients, at most two.
    """

    f: Loss
    s: Number
    e: Number
    d: Number
    lam: Number
    apart: tuple[Number, ...]
    sizes: tuple[Number, ...]
    clipped: bool
    M: int

    def side(self, m: int) -> int:
        """The sign of a client's difference from the mean."""
        return 0 if self.M == 1 else 1 - 2 * m

    def mean(self, x: Number, *z: Number) -> tuple[Number, ...]:
        """``P`` and ``S``."""
        off = z[0] - self.s * x
        return self.f.slope(x) + self.e * off + self.d, self.lam * off

    def star(self, x: Number) -> tuple[Number, ...]:
        """``x`` and ``z^*(x)``."""
        return x, self.s * x

    def off2(self, x: Number, *z: Number) -> Number:
        """The squared distance to ``z^*(x)`` that is measured."""
        return (z[0] - self.s * x) ** 2

    def sample(self, m: int, sign: int, at: Point) -> Point:
        """``p^m`` and ``s^m`` at a point, with a sample of one sign."""
        scale = [largest(least(v, 1 + 0 * v), -1 + 0 * v) if self.clipped else 1 for v in at]
        noise = point(*self.sizes) * point(*scale) * sign
        found: Point = point(*self.mean(*at)) + at * self.side(m) * point(*self.apart) + noise
        return found


@dataclass(frozen=True)
class Method:
    """The sizes of Algorithm 1."""

    K: int
    R: int
    b: int
    B: int
    b0: int
    alpha: Number
    beta: Number
    rho: Number

    def step(self, est: Point) -> Point:
        """The local step (6) along estimates of ``P`` and ``S``."""
        found: Point = -point(self.alpha, *[self.beta] * (len(est) - 1)) * est
        return found


def estimates(of: Problem, samples: int, at: Point, before: Point | None, last: Point, keep: Number) -> Iterator[Point]:
    """The estimates (5) of the momentum phase with all signs of all samples; without ``before`` those of rho = 1."""
    clients = [m for m in range(of.M) for _ in range(samples)]
    for signs in itertools.product((1, -1), repeat=len(clients)):
        drawn = [*zip(clients, signs, strict=True)]
        total: Any = sum(of.sample(m, sign, at) for m, sign in drawn)
        if before is not None:
            total = total + sum(last - of.sample(m, sign, before) for m, sign in drawn) * keep
        yield total / len(clients)


def local(of: Problem, how: Method, m: int, at: Point, h: Point) -> Iterator[list[Point]]:
    """The points of the K local steps (6) of a client and where they end, with all signs of its samples."""
    batch = [*itertools.product((1, -1), repeat=len(range(how.b)))]
    for batches in itertools.product(batch, repeat=len(range(1, how.K))):
        path, est = [at, at + how.step(h)], h
        for signs in batches:
            est = est + sum(of.sample(m, sign, path[-1]) - of.sample(m, sign, path[-2]) for sign in signs) / len(signs)
            path.append(path[-1] + how.step(est))
        yield path


def means(of: Problem, how: Method, start: tuple[Number, ...]) -> tuple[Number, Number]:
    """``E||grad f(xtilde)||^2`` and ``E||ztilde - z^*(xtilde)||^2``, in the mean over all outcomes."""
    refuse(
        (2 ** (of.M * how.b0) * of.M * 2 ** (how.b * (how.K - 1)))
        * (2 ** (of.M * how.B + how.b * (how.K - 1)) * of.M) ** (how.R - 1),
        MOST,
    )
    zero = 0 * how.alpha
    totals = [zero, zero]

    def play(r: int, chance: Number, at: Point, before: Point, last: Point) -> None:
        if r == how.R:
            return
        samples = how.b0 if r == 0 else how.B
        found = [*estimates(of, samples, at, None if r == 0 else before, last, 1 - how.rho)]
        for h in found:
            for m in range(of.M):
                paths = [*local(of, how, m, at, h)]
                share = chance / (len(found) * of.M * len(paths))
                for path in paths:
                    for x, *z in path[:-1]:
                        totals[0] += share * of.f.slope(x) ** 2
                        totals[1] += share * of.off2(x, *z)
                    play(r + 1, share, path[-1], at, h)

    play(0, 1 + zero, point(*start), point(*start), 0 * point(*start))
    return totals[0] / (how.K * how.R), totals[1] / (how.K * how.R)


def facts(
    of: Problem, start: tuple[Number, ...], largest_: Mapping[str, Number], steep2: tuple[Number, Number]
) -> dict[str, Any]:
    """What instances answer for f and for the hypotheses on clients, samples and the run.

    Args:
        of: the maps.
        start: where they start.
        largest_: the constants by which they are bounded, by the symbols.
        steep2: squares of the Lipschitz constants in mean square of the samples.
    """
    t0, t1 = of.apart[:2] if of.M > 1 else (0, 0)
    _, curved = of.f.curvature
    samples = bool(steep2[0] <= largest_["Lb_p"] ** 2 and steep2[1] <= largest_["Lb_s"] ** 2)
    run = Fact(True, "all outcomes of Algorithm 1 with K steps in every round")
    independent = Fact(True, "all signs of all samples are equally likely")
    return {
        "f_0": of.f.value(start[0]),
        "f_inf": of.f.infimum,
        "gap_0": sum((a - b) ** 2 for a, b in zip(start, of.star(start[0]), strict=True)),
        "gradient": Fact(bool(curved <= largest_["L_hyp"]), "f'' is at most its curvature"),
        "A4/mean square": Fact(samples, "slopes in x and in z"),
        "C/Lipschitz": Fact(
            bool(t0 <= largest_["tau_0"] and t1 <= largest_["tau_n"]), "the clients differ by multiples of x, z"
        ),
        "B/noise": Fact(True, "the noises have the sizes sigma_0 and sigma_1 at most"),
        **dict.fromkeys(("samples of local steps", "samples of all clients"), independent),
        **dict.fromkeys(("fedmsa", "K at r=0", "output"), run),
        "bounded below": Fact(True, "f has a minimum"),
    }


def constants(of: Problem, x: Number, z: Number, largest_: Mapping[str, Number]) -> dict[str, Any]:
    """:func:`facts` of linear maps, and what they answer for the hypotheses on S, z^* and P."""
    t0, t1 = of.apart if of.M > 1 else (0 * of.s, 0 * of.s)
    loud = of.sizes if of.clipped else (0 * of.s, 0 * of.s)
    of_p = (of.f.curvature[1] + abs(of.e * of.s) + t0) ** 2 + of.e**2 + loud[0] ** 2
    of_s = (of.lam + t1) ** 2 + (of.lam * of.s) ** 2 + loud[1] ** 2
    linear = Fact(True, "S(x, z) = lambda (z - s x) and P(x, z) = f'(x) + e (z - s x) + d")
    levels_ = ("N levels", "A5/levels", "A3/levels", "A2/levels")
    return {
        **facts(of, (x, z), largest_, (of_p, of_s)),
        **dict.fromkeys(("one level", "A2/one", "A5/mean", *levels_), linear),
        "A3/S": Fact(bool(of.lam <= largest_["L_s"]), "the slope of S in z is lambda"),
        "A3/P": Fact(True, "e^2/L_Z^2 + d^2/delta^2 is at most 1"),
    }


# --- the first round in vectors

#: Vectors, and maps at points, of a local step; the subspaces are those of their coordinates.
Parts: TypeAlias = Callable[[Outcomes, Grid, Grid], Outcomes]
STEP, SAMPLE, DRAW, DRAW_0, DRAWN = (("step",), ("sample",), ("draw",), ("draw_0",), ("drawn",))


def in_vectors(of: Problem, how: Method, start: tuple[Number, ...], more: Parts | None = None) -> InOutcomes:
    """The first round, its local steps one after the other, and the momentum phase that follows.

    Args:
        of, how, start: the maps, the method and where it starts.
        more: what else there is at a local step, by the point there and where it leads.
    """
    refuse(of.M * (how.b0 + how.B) + how.K * how.b, 10)
    first = [("zeta_0", i) for i in range(of.M * how.b0)]
    steps = [("xi", k, j) for k in range(1, how.K + 1) for j in range(how.b)]
    after = [("zeta", i) for i in range(of.M * how.B)]
    sizes = {STEP: how.K, SAMPLE: how.b, DRAW: len(after), DRAW_0: len(first), DRAWN: of.M}
    chances: dict[Axis, Any] = {
        COORDINATE: [1.0] * len(start),
        PAST: STARTS,
        **{axis: [1 / size] * size for axis, size in sizes.items()},
        **dict.fromkeys([*first, *steps, *after], (0.5, 0.5)),
    }
    flat = Outcomes(chances, {}, {}, lambda word, at: set(), blocks={"x": [0], "z": [*range(1, len(start))]})
    units = [flat.along(COORDINATE, [float(i == j) for j in range(len(start))]) for i in range(len(start))]
    in_x, in_z = units[0], sum(units[1:], 0 * units[0])
    apart, loud, x0 = (flat.along(COORDINATE, [*map(float, of_each)]) for of_each in (of.apart, of.sizes, start))

    def signs(index: Axis, copies: list[Axis]) -> Grid:
        return flat.stacked(index, [flat.along(axis, [1.0, -1.0]) for axis in copies])

    def parts(point: Grid) -> list[Grid]:
        wide = np.broadcast_to(point, (len(start), *point.shape[1:]))
        return [wide[i : i + 1] for i in range(len(start))]

    def whole(numbers: Iterable[Grid]) -> Grid:
        return np.asarray(sum(v * unit for v, unit in zip(numbers, units, strict=True)))

    def slope(point: Grid) -> tuple[Grid, Grid]:
        gradient, value = of_loss(of.f)(parts(point)[0])
        return gradient * in_x, value

    def mean(point: Grid) -> Grid:
        return whole(each(of.mean, len(start), *parts(point)))

    def noise(point: Grid) -> Grid:
        return loud * (np.clip(point, -1.0, 1.0) if of.clipped else 1.0)

    def solution(point: Grid) -> tuple[Grid, None]:
        return whole(each(of.star, len(start), parts(point)[0])) - point * in_x, None

    def both(names: str, grid: Grid) -> dict[str, Grid]:
        """The parts of a vector, named with an x and with a z."""
        return {names.format("x"): grid * in_x, names.format("z"): grid * in_z}

    def maps(of_x: str, of_z: str, function: Callable[[Grid], Grid]) -> dict[str, Callable[[Grid], tuple[Grid, None]]]:
        """Both parts of a map, by their names."""
        return {
            of_x: lambda point: (function(point) * in_x, None),
            of_z: lambda point: (function(point) * in_z, None),
        }

    # the first estimate, then the local steps of the client that was drawn
    signs_0 = signs(DRAW_0, first)
    step_of, side = float(how.alpha) * in_x + float(how.beta) * in_z, flat.along(DRAWN, [*map(of.side, range(of.M))])
    at = began = x0 + flat.along(PAST, [0.0, 1.0]) * (in_x + in_z)
    h = first_h = mean(at) + noise(at) * flat.mean(signs_0, DRAW_0)
    locals_ = []
    for k in range(1, how.K + 1):
        to = at - step_of * h
        sample = signs(SAMPLE, [axis for axis in steps if axis[1] == k])
        centred = (noise(to) - noise(at)) * sample
        locals_.append((at, h, centred, sample))
        h = h + mean(to) - mean(at) + side * apart * (to - at) + flat.mean(centred, SAMPLE)
        at = to

    def knows(k: int) -> Callable[[str, Mapping[str, int]], set[Axis]]:
        """What the words stand for at the k-th local step, K + 1 after all."""

        past, batch = [axis for axis in steps if axis[1] < k], [axis for axis in steps if axis[1] == k]
        said = {"past": [PAST, DRAWN, *first, *past], "batch": batch, "draws": after, "draws_0": first}
        copies: dict[str, tuple[Axis, list[Axis]]]
        copies = {"xi": (SAMPLE, batch), "zeta": (DRAW, after), "zeta_0": (DRAW_0, first)}

        def of_word(word: str, here: Mapping[str, int]) -> set[Axis]:
            if word in copies:
                (index,), axes = copies[word]
                return {axis for axis in axes if here.get(index) in (None, axis[-1])}
            return {*said.get(word, [(word,)])}

        return of_word

    def at_step(k: int) -> Outcomes:
        here, est, centred, sign = locals_[k - 1]
        x = parts(here)[0]
        made = {"x": here * in_x, "z": here * in_z, **both("h{}", est), **both("c{}", centred)}
        # of the one level that there is
        made |= {"u": made["z"], "ub": made["x"], "Tb": made["x"], "Tyb": (here - step_of * est) * in_x}

        def frozen(point: Grid) -> Grid:
            return mean(x * in_x + point * in_z)

        def hetero(point: Grid) -> Grid:
            return np.asarray(side * apart * point)

        functions = {
            **{"f": slope, "z*": solution, "z^{n,*}": solution},
            "P(x, .) - grad f(x)": lambda point: ((frozen(point) - slope(here)[0]) * in_x, None),
            "S(x, .)": lambda point: (frozen(point) * in_z, None),
            **maps("P", "S", mean),
            **maps("P^m - P", "S^m - S", hetero),
            **maps("p", "s", lambda point: mean(point) + hetero(point) + noise(point) * sign),
        }
        functions["S^n"] = functions["S(x, .)"]
        step = replace(
            flat, made=made, at=functions, knows=knows(k), term={one_round.k: k - 1, notation.r: 0, levels.n: 1}
        )
        return more(step, here, here - step_of * est) if more else step

    def momentum() -> Outcomes:
        sign, sides = signs(DRAW, after), flat.along(DRAW, [of.side(i // how.B) for i in range(len(after))])

        def client(point: Grid) -> Grid:
            return np.asarray(mean(point) + sides * apart * point)

        made = {
            **{"xr": began * in_x, "zr": began * in_z, **both("h{}", first_h)},
            **both("m{}", flat.stacked(STEP, [-step_of * est for _, est, *_ in locals_])),
            **{**both("P{}i", client(began)), **both("P{}si", client(at))},
            **{**both("e{}", noise(at) * sign), **both("d{}", (noise(at) - noise(began)) * sign)},
        }
        functions = maps("p_i", "s_i", lambda point: client(point) + noise(point) * sign)
        return replace(flat, made=made, at=functions, knows=knows(how.K + 1), term={notation.r: 0})

    def seen(setting: Setting) -> Iterator[Outcomes]:
        names = {*setting.names}
        if "e0x" in names:
            made = {"x0": x0 * in_x, "z0": x0 * in_z, **both("e0{}", noise(x0) * signs_0)}
            yield replace(flat, made=made, at={"f": slope, "z*": solution}, knows=knows(0))
        elif "mx" in names:
            yield momentum()
        else:
            yield from map(at_step, range(1, how.K + 1))

    return seen
