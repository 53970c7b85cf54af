"""Runs of FedMSA with one inner sequence in two numbers x and z, with all their outcomes, and in vectors.

``S(x, z) = lambda (z - s x)`` and ``P(x, z) = f'(x) + e (z - s x) + d``, so that ``z^*(x) = s x`` and ``P(x, z^*(x)) =
f'(x) + d``. Two clients have ``P +- tau_0 x`` and ``S +- tau_1 z``, and a sample adds ``+-sigma_0 u(x)`` and
``+-sigma_1 u(z)``, where ``u`` is 1 everywhere or ``min(max(x, -1), 1)``.
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
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import Loss, refuse

#: Outcomes of a run that are listed.
MOST = 300


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
    apart: tuple[Number, Number]
    sizes: tuple[Number, Number]
    clipped: bool
    M: int

    def side(self, m: int) -> int:
        """The sign of a client's difference from the mean."""
        return 0 if self.M == 1 else 1 - 2 * m

    def mean(self, x: Number, z: Number) -> tuple[Number, Number]:
        """``P`` and ``S``."""
        off = z - self.s * x
        return self.f.slope(x) + self.e * off + self.d, self.lam * off

    def noise(self, x: Number, z: Number) -> tuple[Number, Number]:
        """What a sample with the sign 1 adds."""
        scale = (largest(least(v, 1 + 0 * v), -1 + 0 * v) if self.clipped else 1 for v in (x, z))
        return tuple(size * u for size, u in zip(self.sizes, scale, strict=True))

    def sample(self, m: int, sign: int, x: Number, z: Number) -> tuple[Number, Number]:
        """``p^m`` and ``s^m`` at a point, with a sample of one sign."""
        both = zip(self.mean(x, z), self.apart, (x, z), self.noise(x, z), strict=True)
        return tuple(v + self.side(m) * t * at + sign * e for v, t, at, e in both)


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


Pair = tuple[Number, Number]


def add(*pairs: Pair) -> Pair:
    """The sum of pairs."""
    return tuple(map(sum, zip(*pairs, strict=True)))  # type: ignore[return-value]


def times(c: Number, pair: Pair) -> Pair:
    """A multiple of a pair."""
    return c * pair[0], c * pair[1]


def estimates(of: Problem, samples: int, at: Pair, before: Pair | None, last: Pair, keep: Number) -> Iterator[Pair]:
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


def local(of: Problem, how: Method, m: int, at: Pair, h: Pair) -> Iterator[list[Pair]]:
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
            now = add(now, (-how.alpha * est[0], -how.beta * est[1]))
            path.append(now)
        yield path


def means(of: Problem, how: Method, start: Pair) -> Pair:
    """``E||P(xtilde)||^2`` and ``E||ztilde - z^*(xtilde)||^2``, in the mean over all outcomes."""
    refuse(
        (2 ** (of.M * how.b0) * of.M * 2 ** (how.b * (how.K - 1)))
        * (2 ** (of.M * how.B + how.b * (how.K - 1)) * of.M) ** (how.R - 1),
        MOST,
    )
    zero = 0 * how.alpha
    totals = [zero, zero]

    def play(r: int, chance: Number, at: Pair, before: Pair, last: Pair) -> None:
        if r == how.R:
            return
        samples = how.b0 if r == 0 else how.B
        found = [*estimates(of, samples, at, None if r == 0 else before, last, 1 - how.rho)]
        for h in found:
            for m in range(of.M):
                paths = [*local(of, how, m, at, h)]
                share = chance / (len(found) * of.M * len(paths))
                for path in paths:
                    for x, z in path[:-1]:
                        totals[0] += share * of.f.slope(x) ** 2
                        totals[1] += share * (z - of.s * x) ** 2
                    play(r + 1, share, path[-1], at, h)

    play(0, 1 + zero, start, start, (zero, zero))
    return totals[0] / (how.K * how.R), totals[1] / (how.K * how.R)


def constants(of: Problem, x: Number, z: Number, largest_: Mapping[str, Number]) -> dict[str, Any]:
    """The start, and answers for the hypotheses on the maps.

    Args:
        of: the maps.
        x, z: where they start.
        largest_: the constants by which they are bounded, by the symbols.
    """
    t0, t1 = of.apart if of.M > 1 else (0 * of.s, 0 * of.s)
    loud = of.sizes if of.clipped else (0 * of.s, 0 * of.s)
    _, curved = of.f.curvature
    of_p = (curved + abs(of.e * of.s) + t0) ** 2 + of.e**2 + loud[0] ** 2
    of_s = (of.lam + t1) ** 2 + (of.lam * of.s) ** 2 + loud[1] ** 2
    samples = bool(of_p <= largest_["Lb_p"] ** 2 and of_s <= largest_["Lb_s"] ** 2)
    linear = Fact(True, "S(x, z) = lambda (z - s x) and P(x, z) = f'(x) + e (z - s x) + d")
    run = Fact(True, "all outcomes of Algorithm 1 with K steps in every round")
    independent = Fact(True, "all signs of all samples are equally likely")
    return {
        "f_0": of.f.value(x),
        "f_inf": of.f.infimum,
        "gap_0": (z - of.s * x) ** 2,
        **{"one level": linear, "A2/one": linear, "A5/mean": linear},
        "A3/S": Fact(bool(of.lam <= largest_["L_s"]), "the slope of S in z is lambda"),
        "gradient": Fact(
            bool(curved <= largest_["L_hyp"]), "f'' is at most its curvature, e^2/L_Z^2 + d^2/delta^2 at most 1"
        ),
        "A4/mean square": Fact(samples, "slopes in x and in z"),
        "C/Lipschitz": Fact(
            bool(t0 <= largest_["tau_0"] and t1 <= largest_["tau_n"]), "the clients differ by multiples of x, z"
        ),
        "B/noise": Fact(True, "the noises have the sizes sigma_0 and sigma_1 at most"),
        **dict.fromkeys(("samples of local steps", "samples of all clients"), independent),
        **dict.fromkeys(("fedmsa", "K at r=0", "output"), run),
        "bounded below": Fact(True, "f has a minimum"),
        **dict.fromkeys(("N levels", "A5/levels", "A3/levels", "A2/levels"), linear),
    }


# --- the first round in vectors

CLIENT, STEP = ("client",), ("step",)
DRAWN: Axis = ("drawn",)


def in_vectors(of: Problem, how: Method, start: Pair) -> InOutcomes:
    """The first round, its local steps one after the other, and the momentum phase that follows."""
    refuse(of.M * (how.b0 + how.B) + how.K * how.b, 10)
    first = [("zeta_0", m, j) for m in range(of.M) for j in range(how.b0)]
    steps = [("xi", k, j) for k in range(1, how.K + 1) for j in range(how.b)]
    after = [("zeta", m, j) for m in range(of.M) for j in range(how.B)]
    chances: dict[Axis, Any] = {
        COORDINATE: [1.0, 1.0],
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

    in_x, in_z = flat.along(COORDINATE, [1.0, 0.0]), flat.along(COORDINATE, [0.0, 1.0])
    sides = [float(of.side(m)) for m in range(of.M)]
    apart: Grid = float(of.apart[0]) * in_x + float(of.apart[1]) * in_z
    sizes: Grid = float(of.sizes[0]) * in_x + float(of.sizes[1]) * in_z
    s, e, d, lam = (float(v) for v in (of.s, of.e, of.d, of.lam))

    def parts(point: Grid) -> tuple[Grid, Grid]:
        wide = np.broadcast_to(point, (2, *point.shape[1:]))
        return wide[:1], wide[1:]

    def slope(point: Grid) -> tuple[Grid, Grid]:
        gradient, value = of_loss(of.f)(parts(point)[0])
        return gradient * in_x, value

    def mean(point: Grid) -> Grid:
        x, z = parts(point)
        return np.asarray((of_loss(of.f)(x)[0] + e * (z - s * x) + d) * in_x + lam * (z - s * x) * in_z)

    def noise(point: Grid) -> Grid:
        return sizes * (np.clip(point, -1.0, 1.0) if of.clipped else 1.0)

    def only(part: Grid, function: Callable[[Grid], Grid]) -> Callable[[Grid], tuple[Grid, None]]:
        return lambda point: (function(point) * part, None)

    step_of = float(how.alpha) * in_x + float(how.beta) * in_z
    x0 = float(start[0]) * in_x + float(start[1]) * in_z

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
            "z*": lambda point: (s * parts(point)[0] * in_z, None),
            "P(x, .) - grad f(x)": only(in_x, lambda point: frozen(point) - slope(here)[0]),
            "S(x, .)": only(in_z, frozen),
            **{name: only(part, mean) for name, part in (("P", in_x), ("S", in_z))},
            **{name: only(part, hetero) for name, part in (("P^m - P", in_x), ("S^m - S", in_z))},
            **{name: only(part, sample) for name, part in (("p", in_x), ("s", in_z))},
            # of the one level that there is
            "S^n": only(in_z, frozen),
            "z^{n,*}": lambda point: (s * parts(point)[0] * in_z, None),
        }
        made |= {"u": made["z"], "ub": made["x"], "Tb": made["x"], "Tyb": (here - step_of * est) * in_x}
        return replace(
            flat, made=made, at=functions, knows=knows(k), term={one_round.k: k - 1, notation.r: 0, levels.n: 1}
        )

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
        functions = {"f": slope, "z*": lambda point: (s * parts(point)[0] * in_z, None)}
        return replace(flat, made=made, at=functions, knows=knows(0))

    def seen(setting: Setting) -> Iterator[Outcomes]:
        names = {*setting.names}
        blocks = {"x": [0], "z": [1]}
        if "e0x" in names:
            yield replace(start_of(), blocks=blocks)
        elif "mx" in names:
            yield replace(momentum(), blocks=blocks)
        else:
            yield from (replace(at_step(k), blocks=blocks) for k in range(1, how.K + 1))

    return seen
