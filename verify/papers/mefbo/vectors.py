"""A round of MeFBO in the vectors of its proofs: all clients, local steps, noises and draws together, in floats."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from rateproof.theory.papers.mefbo import lemma_d7
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.local_steps import CLIENT, STEP, LocalSteps
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axes, Axis, Function, Grid, InOutcomes, Outcomes, each
from rateproof.verify.papers.mefbo.rounds import Interval, Level, Point, Problem, Steps, direction

BLOCKS = {"x": [0], "y": [1]}
#: Directions of clients, each in its own part.
DIRECTIONS = ("mx", "my", "mt", "hx", "hy", "ht")
#: Any points, points of other claims, and products with second derivatives.
OPEN = frozenset({"vx", "vy", "xb", "yb", "gq", "ux_o", "hx_d", "hy_d"})


class Space(Axes):
    """The functions and sets of an instance at points of all outcomes: one of no chance, unless said otherwise."""

    def __init__(self, problem: Problem, chances: Mapping[Axis, Sequence[float]] | None = None) -> None:
        self.problem = problem
        self.weights = [float(c.weight) for c in problem.clients]
        self.chances: dict[Axis, Sequence[float]] = {COORDINATE: [1.0, 1.0], CLIENT: self.weights, **(chances or {})}

    def inside(self, grid: Grid, name: str) -> Grid:
        """A number of one of the two spaces as a vector of both."""
        return grid * self.along(COORDINATE, [1.0, 0.0] if "x" in name.lower() else [0.0, 1.0])

    def star(self, x: Grid, y: Grid) -> Grid:
        """``theta*`` at each point."""
        points, back = np.unique(np.stack([g.ravel() for g in np.broadcast_arrays(x, y)]), axis=1, return_inverse=True)
        minimisers = np.array([float(self.problem.theta_star(a, b)) for a, b in points.T])
        return minimisers[back.reshape(np.broadcast(x, y).shape)]

    def of_clients(self, level: str) -> Function:
        """The gradients and values of all clients' levels."""
        return self.by_value(CLIENT, [self.of(getattr(c, level)) for c in self.problem.clients])

    def of(self, level: Level) -> Function:
        """The gradient and value of a level."""

        def at(point: Grid) -> tuple[Grid, Grid]:
            x, y = self.split(point)
            return np.concatenate(each(level.gradient, 2, x, y), 0), each(level.value, 1, x, y)[0]

        return at

    def split(self, point: Grid) -> tuple[Grid, Grid]:
        """Its parts x and y."""
        wide = np.broadcast_to(point, (2, *point.shape[1:]))
        return wide[:1], wide[1:]

    def proximal(self, x: Grid, y: Grid) -> Function:
        """``theta -> G(x, theta) + (theta - y)^2/(2 gamma)``."""
        lower, gamma = self.lower(x), float(self.problem.gamma)

        def at(point: Grid) -> tuple[Grid, Grid]:
            gradient, value = lower(point)
            away = self.split(point)[1] - y
            return gradient + away / gamma * self.along(COORDINATE, [0.0, 1.0]), value + away**2 / (2 * gamma)

        return at

    def lower(self, x: Grid) -> Function:
        """``G(x, .)``."""
        G = self.mean_of(self.of_clients("g"), CLIENT)

        def at(point: Grid) -> tuple[Grid, Grid]:
            gradient, value = G(np.concatenate(np.broadcast_arrays(x, self.split(point)[1]), 0))
            return gradient * self.along(COORDINATE, [0.0, 1.0]), value

        return at

    def functions(self) -> dict[str, Callable[[Grid], tuple[Grid | None, Grid | None]]]:
        """The levels and the sets."""

        def on(interval: Interval, place: int) -> Callable[[Grid], tuple[Grid, None]]:
            def project(point: Grid) -> tuple[Grid, None]:
                nearest = [0 * part for part in self.split(point)]
                nearest[place] = projected(interval, self.split(point)[place])
                return np.concatenate(nearest, 0), None

            return project

        clients = {level: self.of_clients(level) for level in "fg"}
        return {
            **{f"{level}_i": of for level, of in clients.items()},
            **{level.upper(): self.mean_of(of, CLIENT) for level, of in clients.items()},
            **{"X": on(self.problem.X, 0), "Y": on(self.problem.Y, 1)},
        }

    def normal(self, *ends: Grid) -> Callable[[Grid], tuple[Grid, None]]:
        """The normal cone of ``X x Y`` at a point."""

        def nearest(point: Grid) -> tuple[Grid, None]:
            parts = zip(self.split(point), (self.problem.X, self.problem.Y), ends, strict=True)
            cones = [each(partial(outward, of), 1, at, d)[0] for d, of, at in parts]
            return np.concatenate(np.broadcast_arrays(*cones), 0), None

        return nearest


class Played(Space):
    """One round of Algorithm 1 from a point; see :func:`outcomes`."""

    def __init__(self, problem: Problem, steps: Steps, start: Point) -> None:
        self.steps, self.start = steps, start
        n, weights = len(problem.clients), [float(c.weight) for c in problem.clients]
        loud = {
            "xi": float(any(c.noise_f.terms for c in problem.clients)),
            "zeta": float(any(c.noise_g.terms for c in problem.clients)),
        }
        draws = {"sample": itertools.combinations(range(n), steps.P), "one": [(i,) for i in range(n)]}
        self.run = LocalSteps(weights, steps.tau, loud, draws, coordinates=2)
        super().__init__(problem, self.run.chances)

    def starts(self) -> list[Grid]:
        """Where the round starts: x, y and theta."""
        return [self.run.past(float(x)) for x in (self.start.x, self.start.y, self.start.theta)]

    def local(self, i: int) -> Iterator[dict[str, Grid]]:
        """A client's local steps: where they start, what noise adds to each gradient, and the directions."""
        client, c, gamma = self.problem.clients[i], float(self.steps.c), float(self.problem.gamma)
        at = self.starts()
        sizes = (self.steps.eta_x, self.steps.eta_y, self.steps.eta_theta)

        def drifts(x: float, y: float, theta: float) -> tuple[float, ...]:
            return direction(client, Point(x, y, theta), c, gamma)

        def noisy(x: float, y: float, theta: float) -> tuple[float, ...]:
            f, g, t = client.noise_f.gradient(x, y), client.noise_g.gradient(x, y), client.noise_g.gradient(x, theta)
            return (*f, *g, *t)

        sums = [0 * x for x in (*at, *at)]
        for k in range(self.steps.tau):
            mean, noise = each(drifts, 3, *at), each(noisy, 6, *at)
            xi, zeta = self.run.noise("xi", k, i), self.run.noise("zeta", k, i)
            fx, fy, gx, gy, tx, ty = (s * e for s, e in zip((xi, xi, zeta, zeta, zeta, zeta), noise, strict=True))
            vectors = dict(zip(("efx", "efy", "egx", "egy", "etx", "ety"), (fx, fy, gx, gy, tx, ty), strict=True))
            vectors |= dict(zip(("xk", "yk", "tk"), at, strict=True)) | dict(zip(("mx", "my", "mt"), mean, strict=True))
            h = [mean[0] + fx / c + gx - tx, mean[1] + fy / c + gy, mean[2] + ty]
            vectors |= dict(zip((f"{part}sum_{v}" for part in "nm" for v in ("x", "y", "theta")), sums, strict=True))
            sums = [s + d for s, d in zip(sums, (*(a - b for a, b in zip(h, mean, strict=True)), *mean), strict=True)]
            at = [x - float(size) * d for x, size, d in zip(at, sizes, h, strict=True)]
            vectors |= {f"n{v}": a - b for v, a, b in zip("xyt", h, mean, strict=True)}
            yield vectors | dict(zip(("hx", "hy", "ht"), h, strict=True))
        yield dict(zip(("xk", "yk", "tk"), at, strict=True))

    def local_steps(self) -> list[dict[str, Grid]]:
        """The vectors of the local steps of all clients, the last time where they end."""
        return self.run.of_all([self.local(i) for i in range(len(self.weights))])

    def given(self, steps: Sequence[Mapping[str, Grid]]) -> dict[str, Grid]:
        """The other vectors that Algorithm 1 makes."""
        x, y, theta = self.starts()
        numbers = {"x": x, "y": y, "t": theta, "s": self.star(x, y)}
        sizes = {"x": self.steps.lambda_x, "y": self.steps.lambda_y, "t": self.steps.lambda_theta}
        for k, start in (("x", x), ("y", y), ("t", theta)):
            own, mean = (self.mean(self.stacked(STEP, [at[f"{v}{k}"] for at in steps[:-1]]), STEP) for v in "hm")
            h = self.over_drawn(own, CLIENT, ("sample",), self.run.draws["sample"], weighted=True)
            mean = self.mean(mean, CLIENT)
            reached = start - float(sizes[k]) * h
            interval = self.problem.X if k == "x" else self.problem.Y
            numbers |= {f"{k}p": projected(interval, reached), f"e{k}": h - mean, f"H{k.upper()}": h, f"m{k}": mean}
        numbers["sp"] = self.star(numbers["xp"], numbers["yp"])
        c = float(self.steps.c)
        slope = each(lambda *at: self.problem.grad_Phi(at[0], at[1], c, at[2]), 2, x, y, numbers["s"])
        numbers |= {"off_x": slope[0] - numbers.pop("mx"), "off_y": slope[1] - numbers.pop("my")}
        numbers |= {"move_x": numbers["xp"] - x, "move_y": numbers["yp"] - y}
        del numbers["mt"]
        return {name: self.inside(g, name) for name, g in numbers.items()}

    def inside_of(self, now: Mapping[str, Grid]) -> dict[str, Grid]:
        """The vectors of a local step, in both spaces."""
        named = {name: self.inside(g, name) for name, g in now.items() if name not in DIRECTIONS}
        wholes = {f"e_{of}": named[f"e{of}x"] + named[f"e{of}y"] for of in "fgt" if f"e{of}x" in named}
        return named | wholes

    def functions_in(self, made: Mapping[str, Grid]) -> dict[str, Callable[[Grid], tuple[Grid | None, Grid | None]]]:
        """The functions and sets of the proofs, at points."""
        (x, _), (_, y), (xp, _), (_, yp) = (self.split(made[v]) for v in ("x", "y", "xp", "yp"))
        ends = {"M": self.proximal(x, y), "M+": self.proximal(xp, yp), "N": self.normal(xp, yp)}
        return {**self.functions(), **ends}


def projected(interval: Interval, x: Grid) -> Grid:
    """The nearest points of an interval."""
    return each(interval.project, 1, x)[0]


def outward(interval: Interval, x: float, d: float) -> float:
    """The nearest point of the normal cone of an interval."""
    at = interval.outward(x)
    return max(d, 0.0) if at > 0 else min(d, 0.0) if at < 0 else 0.0


def outcomes(problem: Problem, steps: Steps, start: Point) -> InOutcomes:
    """A round, for the settings of one; for those of one local step, each of these."""
    played = Played(problem, steps, start)
    local = played.local_steps()
    given = played.given(local)
    return played.run.outcomes(
        played.functions_in(given),
        given,
        [played.inside_of(now) for now in local],
        lemma_d7.k,
        blocks=BLOCKS,
        open=OPEN,
        numbers=_infimum(problem),
    )


def at_points(
    problem: Problem,
    above: Mapping[str, Number],
    below: Mapping[str, Number],
    functions: Mapping[str, str],
    both: Mapping[str, Sequence[Number]] | None = None,
    values: Mapping[str, Number] | None = None,
) -> InOutcomes:
    """An instance at points that are given.

    Args:
        problem: the instance.
        above: points of the upper variable, by the names of the vectors.
        below: those of the lower one.
        functions: function of theta -> the names of x and y of which it is ``G(x, .)``, or with y ``M``; ``N`` -> the
            point of which it is the normal cone.
        both: vectors with a part in each space.
        values: more numbers.
    """
    space = Space(problem)
    numbers = {name: space.along(COORDINATE, [float(x), 0.0]) for name, x in above.items()}
    numbers |= {name: space.along(COORDINATE, [0.0, float(x)]) for name, x in below.items()}
    numbers |= {name: space.along(COORDINATE, [*map(float, parts)]) for name, parts in (both or {}).items()}
    at = space.functions()
    for name, (x, *y) in ((name, where.split()) for name, where in functions.items()):
        upper, lower = numbers[x][:1], [numbers[v][1:] for v in y]
        cone = space.normal if name == "N" else space.proximal
        at[name] = cone(upper, *lower) if lower else space.lower(upper)
    values_there = {**_infimum(problem), **{name: float(x) for name, x in (values or {}).items()}}
    outcomes = Outcomes(
        space.chances, numbers, at, words(space.chances, "xi"), blocks=BLOCKS, numbers=values_there, open=OPEN
    )
    return lambda _: iter([outcomes])


def _infimum(problem: Problem) -> dict[str, float]:
    """That of F; 0 where F has no minimum, as in :meth:`Problem.F_gap`."""
    return {"F_inf": 0.0 if problem.best is None else float(problem.F(*problem.best))}
