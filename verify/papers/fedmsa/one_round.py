"""Runs of FedMSA with one inner sequence in two numbers x and z, with all their outcomes, and in vectors.

``S(x, z) = lambda (z - s x)`` and ``P(x, z) = f'(x) + e (z - s x)``, so that ``z^*(x) = s x`` and ``P(x, z^*(x)) =
f'(x)``. Two clients have ``P +- tau_0 x`` and ``S +- tau_1 z``, and a sample adds ``+-sigma_0 u(x)`` and ``+-sigma_1
u(z)``, where ``u`` is 1 everywhere or ``min(max(x, -1), 1)``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

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
#: x and the coordinates of z.
Point = tuple[Number, ...]


@dataclass(frozen=True)
class Problem:
    """The maps of an instance, and its noises.

    Attributes:
        f: the function whose slope is ``P(x, z^*(x))``.
        s, e, lam: slope of ``z^*``, slope of ``P`` in z, and that of ``S``.
        apart: ``tau_0`` and ``tau_1``.
        sizes: those of the noises.
        clipped: whether the noise depends on where it is.
        M: number of clients, at most two.
    """

    f: Loss
    s: Number
    e: Number
    lam: Number
    apart: Point
    sizes: Point
    clipped: bool
    M: int

    def side(self, m: int) -> int:
        """The sign of a client's difference from the mean."""
        return 0 if self.M == 1 else 1 - 2 * m

    def mean(self, x: Number, z: Number) -> Point:
        """``P`` and ``S``."""
        off = z - self.s * x
        return self.f.slope(x) + self.e * off, self.lam * off

    def star(self, x: Number) -> Point:
        """``x`` and ``z^*(x)``."""
        return x, self.s * x

    def off2(self, x: Number, z: Number) -> Number:
        """The squared distance to ``z^*`` that is measured."""
        return (z - self.s * x) ** 2

    def noise(self, *at: Number) -> Point:
        """What a sample with the sign 1 adds."""
        scale = (largest(least(v, 1 + 0 * v), -1 + 0 * v) if self.clipped else 1 for v in at)
        return tuple(size * u for size, u in zip(self.sizes, scale, strict=True))

    def sample(self, m: int, sign: int, *at: Number) -> Point:
        """``p^m`` and ``s^m`` at a point, with a sample of one sign."""
        parts = zip(self.mean(*at), self.apart, at, self.noise(*at), strict=True)
        return tuple(v + self.side(m) * t * here + sign * e for v, t, here, e in parts)


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
        return (-self.alpha * est[0], *(-self.beta * e for e in est[1:]))


def add(*points: Point) -> Point:
    """The sum of points."""
    return tuple(map(sum, zip(*points, strict=True)))


def times(c: Number, point: Point) -> Point:
    """A multiple of a point."""
    return tuple(c * v for v in point)


def estimates(of: Problem, samples: int, at: Point, before: Point | None, last: Point, keep: Number) -> Iterator[Point]:
    """The estimates (5) of the momentum phase with all signs of all samples; without ``before`` those of rho = 1."""
    one, clients = 1 + 0 * keep, [m for m in range(of.M) for _ in range(samples)]
    for signs in itertools.product((1, -1), repeat=len(clients)):
        total = times(0 * one, at)
        for m, sign in zip(clients, signs, strict=True):
            new = of.sample(m, sign, *at)
            if before is not None:
                new = add(new, times(keep, add(last, times(-1, of.sample(m, sign, *before)))))
            total = add(total, new)
        yield times(one / len(clients), total)


def local(of: Problem, how: Method, m: int, at: Point, h: Point) -> Iterator[list[Point]]:
    """The points of the K local steps (6) of a client and where they end, with all signs of its samples."""
    one = 1 + 0 * how.alpha
    batch = [*itertools.product((1, -1), repeat=len(range(how.b)))]
    for batches in itertools.product(batch, repeat=len(range(1, how.K))):
        path, now, est = [at], at, h
        for k in range(how.K):
            if k > 0:
                for sign in batches[k - 1]:
                    change = add(of.sample(m, sign, *now), times(-1, of.sample(m, sign, *path[-2])))
                    est = add(est, times(one / how.b, change))
            now = add(now, how.step(est))
            path.append(now)
        yield path


def means(of: Problem, how: Method, start: Point) -> tuple[Number, Number]:
    """``E||P(xtilde)||^2`` and ``E||ztilde - z^*(xtilde)||^2``, in the mean over all outcomes."""
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

    play(0, 1 + zero, start, start, times(0, start))
    return totals[0] / (how.K * how.R), totals[1] / (how.K * how.R)


def facts(of: Problem, start: Point, largest_: Mapping[str, Number], steep2: tuple[Number, Number]) -> dict[str, Any]:
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
        "gap_0": sum((a - b) ** 2 for a, b in zip(start[1:], of.star(start[0])[1:], strict=True)),
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
    linear = Fact(True, "S(x, z) = lambda (z - s x) and P(x, z) = f'(x) + e (z - s x)")
    return {
        **facts(of, (x, z), largest_, (of_p, of_s)),
        **{"one level": linear, "A2/one": linear, "A5/mean": linear, "A3/P": linear},
        "A3/S": Fact(bool(of.lam <= largest_["L_s"]), "the slope of S in z is lambda"),
        **dict.fromkeys(("N levels", "A5/levels", "A3/levels", "A2/levels"), linear),
    }


# --- the first round in vectors

#: Vectors, and maps at points, of a local step; the subspaces are those of their coordinates.
Parts = Callable[[Outcomes, Grid, Grid], Outcomes]
CLIENT, STEP = ("client",), ("step",)
DRAWN: Axis = ("drawn",)


def in_vectors(of: Problem, how: Method, start: Point, more: Parts | None = None) -> InOutcomes:
    """The first round, its local steps one after the other, and the momentum phase that follows.

    Args:
        of, how, start: the maps, the method and where it starts.
        more: what else there is at a local step, by the point there and where it leads.
    """
    refuse(of.M * (how.b0 + how.B) + how.K * how.b, 10)
    first = [("zeta_0", m, j) for m in range(of.M) for j in range(how.b0)]
    steps = [("xi", k, j) for k in range(1, how.K + 1) for j in range(how.b)]
    after = [("zeta", m, j) for m in range(of.M) for j in range(how.B)]
    chances: dict[Axis, Any] = {
        COORDINATE: [1.0] * len(start),
        CLIENT: [1 / of.M] * of.M,
        STEP: [1 / how.K] * how.K,
        ("sample",): [1 / how.b] * how.b,
        ("draw",): [1 / how.B] * how.B,
        ("draw_0",): [1 / how.b0] * how.b0,
        DRAWN: [1 / of.M] * of.M,
        **dict.fromkeys([*first, *steps, *after], (0.5, 0.5)),
        PAST: STARTS,
    }
    flat = Outcomes(chances, {}, {}, lambda word, at: set())

    def sign(axis: Axis) -> Grid:
        return flat.along(axis, [1.0, -1.0])

    def along(of_x: Number, of_z: Number) -> Grid:
        return flat.along(COORDINATE, [float(of_x)] + [float(of_z)] * (len(start) - 1))

    units = [flat.along(COORDINATE, [float(i == j) for j in range(len(start))]) for i in range(len(start))]
    in_x, in_z = along(1, 0), along(0, 1)
    sides = [float(of.side(m)) for m in range(of.M)]
    apart, sizes, x0 = (flat.along(COORDINATE, [float(v) for v in given]) for given in (of.apart, of.sizes, start))
    step_of = along(how.alpha, how.beta)

    def parts(point: Grid) -> list[Grid]:
        wide = np.broadcast_to(point, (len(start), *point.shape[1:]))
        return [wide[i : i + 1] for i in range(len(start))]

    def slope(point: Grid) -> tuple[Grid, Grid]:
        gradient, value = of_loss(of.f)(parts(point)[0])
        return gradient * in_x, value

    def mean(point: Grid) -> Grid:
        return np.asarray(sum(v * u for v, u in zip(each(of.mean, len(start), *parts(point)), units, strict=True)))

    def star(point: Grid) -> Grid:
        found = each(of.star, len(start), parts(point)[0])
        return np.asarray(sum(v * u for v, u in zip(found[1:], units[1:], strict=True)))

    def noise(point: Grid) -> Grid:
        return sizes * (np.clip(point, -1.0, 1.0) if of.clipped else 1.0)

    def only(part: Grid, function: Callable[[Grid], Grid]) -> Callable[[Grid], tuple[Grid, None]]:
        return lambda point: (function(point) * part, None)

    # the first estimate, then the local steps of the client that was drawn
    side = flat.along(DRAWN, sides)
    noise_0 = flat.stacked(
        CLIENT, [flat.stacked(("draw_0",), [sign(("zeta_0", m, j)) for j in range(how.b0)]) for m in range(of.M)]
    )
    at = x0 + flat.along(PAST, [0.0, 1.0]) * (in_x + in_z)
    h = mean(at) + noise(at) * flat.mean(noise_0, CLIENT, ("draw_0",))
    began, first_h = at, h
    locals_, moves = [], []
    for k in range(1, how.K + 1):
        after_it = at - step_of * h
        signs = flat.stacked(("sample",), [sign(("xi", k, j)) for j in range(how.b)])
        centred = (noise(after_it) - noise(at)) * signs
        locals_.append((at, h, centred, signs))
        moves.append(-step_of * h)
        hetero = side * apart * (after_it - at)
        h = h + mean(after_it) - mean(at) + hetero + flat.mean(centred, ("sample",))
        at = after_it

    def knows(k: int) -> Callable[[str, Mapping[str, int]], set[Axis]]:
        """What the words stand for at the k-th local step, K + 1 after all."""
        past = {PAST, DRAWN, *first, *(axis for axis in steps if axis[1] < k)}

        def of_word(word: str, here: Mapping[str, int]) -> set[Axis]:
            if word == "past":
                return past
            now = {
                **{"xi": [axis for axis in steps if axis[1] == k and here.get("sample") in (None, axis[2])]},
                "batch": [axis for axis in steps if axis[1] == k],
            }
            for source, index, every in (("zeta", "draw", "draws"), ("zeta_0", "draw_0", "draws_0")):
                copies = [axis for axis in (*first, *after) if axis[0] == source]
                mine = [axis for axis in copies if here.get("client") in (None, axis[1])]
                now |= {source: [axis for axis in mine if here.get(index) in (None, axis[2])], every: mine}
            return {*now.get(word, [(word,)])}

        return of_word

    def at_step(k: int) -> Outcomes:
        here, est, centred, signs = locals_[k - 1]
        x = parts(here)[0]
        made = {"x": here * in_x, "z": here * in_z, "hx": est * in_x, "hz": est * in_z}
        made |= {"cx": centred * in_x, "cz": centred * in_z}

        def frozen(point: Grid) -> Grid:
            return mean(x * in_x + point * in_z)

        def hetero(point: Grid) -> Grid:
            return np.asarray(side * apart * point)

        def sample(point: Grid) -> Grid:
            return np.asarray(mean(point) + hetero(point) + noise(point) * signs)

        functions = {
            "f": slope,
            "z*": lambda point: (star(point), None),
            "P(x, .)": only(in_x, frozen),
            "S(x, .)": only(in_z, frozen),
            **{name: only(part, mean) for name, part in (("P", in_x), ("S", in_z))},
            **{name: only(part, hetero) for name, part in (("P^m - P", in_x), ("S^m - S", in_z))},
            **{name: only(part, sample) for name, part in (("p", in_x), ("s", in_z))},
            # of the one level that there is
            "S^n": only(in_z, frozen),
            "z^{n,*}": lambda point: (star(point), None),
        }
        made |= {"u": made["z"], "ub": made["x"], "Tb": made["x"], "Tyb": (here - step_of * est) * in_x}
        local_ = replace(
            flat, made=made, at=functions, knows=knows(k), term={one_round.k: k - 1, notation.r: 0, levels.n: 1}
        )
        return more(local_, here, here - step_of * est) if more else local_

    def momentum() -> Outcomes:
        signs = flat.stacked(
            CLIENT, [flat.stacked(("draw",), [sign(("zeta", m, j)) for j in range(how.B)]) for m in range(of.M)]
        )
        sides_ = flat.along(CLIENT, sides)
        made = {"xr": began * in_x, "zr": began * in_z, "hx": first_h * in_x, "hz": first_h * in_z}
        path = flat.stacked(STEP, moves)
        made |= {"mx": path * in_x, "mz": path * in_z}
        e_, d_ = noise(at) * signs, (noise(at) - noise(began)) * signs
        made |= {"ex": e_ * in_x, "ez": e_ * in_z, "dx": d_ * in_x, "dz": d_ * in_z}

        def client(point: Grid) -> Grid:
            return np.asarray(mean(point) + sides_ * apart * point)

        def sample(point: Grid) -> Grid:
            return np.asarray(client(point) + noise(point) * signs)

        functions = {
            **{name: only(part, client) for name, part in (("P_i", in_x), ("S_i", in_z))},
            **{name: only(part, sample) for name, part in (("p_i", in_x), ("s_i", in_z))},
        }
        return replace(flat, made=made, at=functions, knows=knows(how.K + 1), term={notation.r: 0})

    def start_of() -> Outcomes:
        noises = noise(x0) * noise_0
        made = {"x0": x0 * in_x, "z0": x0 * in_z, "e0x": noises * in_x, "e0z": noises * in_z}
        functions = {"f": slope, "z*": lambda point: (star(point), None)}
        return replace(flat, made=made, at=functions, knows=knows(0))

    def seen(setting: Setting) -> Iterator[Outcomes]:
        names = {*setting.names}
        blocks = {"x": [0], "z": [*range(1, len(start))]}
        if "e0x" in names:
            yield replace(start_of(), blocks=blocks)
        elif "mx" in names:
            yield replace(momentum(), blocks=blocks)
        else:
            steps_ = map(at_step, range(1, how.K + 1))
            yield from (replace(one, blocks={**blocks, **one.blocks}) for one in steps_)

    return seen
