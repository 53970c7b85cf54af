"""Instances of the paper in two numbers x and y, and a round of MeFBO with all its outcomes, in any kind of number.

Levels are sums of profiles of linear forms, ``psi(a x + b y + c)``, which know their constants on the whole plane. A
stochastic gradient is the gradient of ``f_i + xi M_i`` or ``g_i + zeta N_i`` with such sums ``M_i``, ``N_i`` and signs
that are 1 or -1; one zeta serves all terms with ``g_i``, as in (9). An expectation is a mean over all subsets of
clients and all signs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form.arithmetic import Number, largest, least, root, sqrt
from rateproof.verify.form.parts import Loss, line, refuse

#: Outcomes of a round, and of the steps of a client, that are listed; points of a run.
MOST, POINTS = 300, 5000


#: Constants as the paper writes them.
_LETTERS = {"Lip_f": "L_f", "Lip_g": "L_g", "sig_f": "sigma_f", "sig_g": "sigma_g", "Het": "Delta"}


@dataclass(frozen=True)
class Term:
    """``psi(a x + b y + c)``."""

    psi: Loss
    a: Number
    b: Number
    c: Number = 0

    def slopes(self) -> tuple[Number, ...] | None:
        """The least and the largest slope of ``psi``; None where there is none."""
        steepest = self.psi.steepest
        if self.psi.curvature == (0, 0):
            return (self.psi.slope(0 * self.a),)
        return None if steepest is None else (-steepest, steepest)


@dataclass(frozen=True)
class Level:
    """A sum of terms; 0 without any."""

    terms: tuple[Term, ...] = ()

    def value(self, x: Number, y: Number) -> Number:
        """At a point."""
        return sum((t.psi.value(t.a * x + t.b * y + t.c) for t in self.terms), start=0 * x)

    def gradient(self, x: Number, y: Number) -> tuple[Number, Number]:
        """Its parts in x and y."""
        slopes = [t.psi.slope(t.a * x + t.b * y + t.c) for t in self.terms]
        in_x = sum((s * t.a for s, t in zip(slopes, self.terms, strict=True)), start=0 * x)
        return in_x, sum((s * t.b for s, t in zip(slopes, self.terms, strict=True)), start=0 * x)

    def corners(self, parts: str = "ab") -> list[tuple[Number, ...]] | None:
        """Gradients in x ("a") and y ("b") with every slope at one of its ends; None where one has no bound."""
        moving = [t for t in self.terms if any(getattr(t, part) != 0 for part in parts)]
        ends = [t.slopes() for t in moving]
        if None in ends:
            return None
        return [
            tuple(sum(s * getattr(t, part) for s, t in zip(slopes, moving, strict=True)) for part in parts)
            for slopes in itertools.product(*ends)  # type: ignore[arg-type]
        ]

    def steepest(self, parts: str = "ab") -> Number | None:
        """A Lipschitz constant in x ("a") and y ("b"); the least one where slopes do not depend on each other."""
        corners = self.corners(parts)
        square = corners and largest(*(sum(g**2 for g in gradient) for gradient in corners))
        return square and sqrt(square)

    def bend(self) -> Number | None:
        """A Lipschitz constant of the gradient; the least one where curvatures do not depend on each other."""
        ends = [t.psi.curvature for t in self.terms]
        if any(end is None for pair in ends for end in pair):
            return None
        distinct = [(low,) if low is high else (low, high) for low, high in ends]

        def size(bends: tuple[Number, ...]) -> Number:
            xx = sum(v * t.a**2 for v, t in zip(bends, self.terms, strict=True))
            xy = sum(v * t.a * t.b for v, t in zip(bends, self.terms, strict=True))
            yy = sum(v * t.b**2 for v, t in zip(bends, self.terms, strict=True))
            return (abs(xx + yy) + sqrt((xx - yy) ** 2 + 4 * xy**2)) / 2

        return largest(*map(size, itertools.product(*distinct))) if self.terms else 0

    def twice(self) -> bool:
        """It is twice continuously differentiable."""
        return all(t.psi.twice for t in self.terms)


def noise(u: Number, v: Number) -> Level:
    """The noise ``+-(u, v)`` of a gradient, wherever it is taken."""
    return Level((Term(line(1 + 0 * u), u, v),))


@dataclass(frozen=True)
class Client:
    """A client: its weight, its two levels, and the noises of their gradients."""

    weight: Number
    f: Level
    g: Level
    noise_f: Level = Level()
    noise_g: Level = Level()


@dataclass(frozen=True)
class Interval:
    """A closed interval; None for an end that it does not have."""

    low: Number | None = None
    high: Number | None = None

    @property
    def free(self) -> bool:
        """Whether it is the whole line."""
        return self.low is None and self.high is None

    def project(self, x: Number) -> Number:
        """The nearest point."""
        if self.low is not None and x < self.low:
            return self.low
        return self.high if self.high is not None and x > self.high else x

    def contains(self, x: Number) -> bool:
        """Whether a point is one of it."""
        return bool((self.low is None or x >= self.low) and (self.high is None or x <= self.high))

    def off(self, x: Number, d: Number) -> Number:
        """Distance of ``d`` from the normal cone at a point ``x`` of the interval."""
        at_low, at_high = self.low is not None and x <= self.low, self.high is not None and x >= self.high
        if at_low and at_high:
            return 0 * d
        return largest(d, 0 * d) if at_low else largest(-d, 0 * d) if at_high else abs(d)

    def outward(self, x: Number) -> int:
        """A direction of the normal cone at a point; 0 inside."""
        if self.high is not None and x == self.high:
            return 1
        return -1 if self.low is not None and x == self.low else 0

    def farthest(self, x: Number, d: Number) -> Number:
        """The largest ``d (v - x)`` among points v of the interval that are at most 1 away from a point of it."""
        return largest(*(d * (self.project(x + e) - x) for e in (-1, 1)))

    def name(self) -> str:
        """Its ends."""
        return f"from {'-inf' if self.low is None else self.low} to {'inf' if self.high is None else self.high}"


@dataclass(frozen=True)
class Problem:
    """A bilevel problem over clients.

    Attributes:
        clients: with weights of sum 1.
        gamma: proximal parameter of the Moreau envelope.
        best: a point of ``X x Y`` where ``F`` is least, which is checked; None where ``F`` has no minimum.
        X, Y: the constraints.
    """

    clients: tuple[Client, ...]
    gamma: Number
    best: tuple[Number, Number] | None
    X: Interval = Interval()
    Y: Interval = Interval()

    def total(self, of: Callable[[Client], Number]) -> Number:
        """The weighted sum over the clients."""
        return sum(c.weight * of(c) for c in self.clients)

    def gradient(self, level: str, x: Number, y: Number) -> tuple[Number, ...]:
        """That of the weighted sum of a level, "f" or "g"."""
        gradients = [(c.weight, getattr(c, level).gradient(x, y)) for c in self.clients]
        return tuple(sum(w * g[j] for w, g in gradients) for j in range(2))

    def F(self, x: Number, y: Number) -> Number:
        """The upper level."""
        return self.total(lambda c: c.f.value(x, y))

    def G(self, x: Number, y: Number) -> Number:
        """The lower level."""
        return self.total(lambda c: c.g.value(x, y))

    def F_gap(self, x: Number, y: Number) -> Number:
        """``F - inf F``, where there is a minimum, else ``F``."""
        return self.F(x, y) - self.infimum()

    def infimum(self) -> Number:
        """``inf F``, where there is a minimum, else 0."""
        return 0 if self.best is None else self.F(*self.best)

    def theta_star(self, x: Number, y: Number) -> Number:
        """The minimiser of ``G(x, theta) + (theta - y)^2/(2 gamma)`` over ``Y``; without constraints a root.

        Raises:
            ValueError: ``gamma`` is so large that there need not be one minimiser.
        """

        terms = [(c.weight * t.b, t.a * x + t.c, t) for c in self.clients for t in c.g.terms]

        def slope(theta: Number) -> Number:  # of what a root needs often, without the part in x
            of_G = sum(w * t.psi.slope(at + t.b * theta) for w, at, t in terms)
            return of_G + (theta - y) / self.gamma

        return self.Y.project(root(slope, y, 1 / self.gamma + self.least_bend()))

    def least_bend(self) -> Number:
        """A lower bound on the curvatures of ``G(x, .)``."""
        return self.total(lambda c: sum(t.psi.curvature[0] * t.b**2 for t in c.g.terms))

    def v(self, x: Number, y: Number, star: Number) -> Number:
        """The Moreau envelope, with ``theta*`` at the point."""
        return self.G(x, star) + (star - y) ** 2 / (2 * self.gamma)

    def Phi(self, x: Number, y: Number, c: Number, star: Number) -> Number:
        """``(F - F_inf)/c + G - v_gamma``."""
        return self.F_gap(x, y) / c + self.G(x, y) - self.v(x, y, star)

    def grad_Phi(self, x: Number, y: Number, c: Number, star: Number) -> tuple[Number, Number]:
        """Its gradient."""
        (fx, fy), (gx, gy) = self.gradient("f", x, y), self.gradient("g", x, y)
        sx, _ = self.gradient("g", x, star)
        return fx / c + gx - sx, fy / c + gy - (y - star) / self.gamma

    def value_gap(self, x: Number, y: Number, theta: Number, v: Number) -> Number:
        """What ``theta`` loses against ``theta*``: ``G(x, theta) + (theta - y)^2/(2 gamma) - v_gamma``."""
        return self.G(x, theta) + (theta - y) ** 2 / (2 * self.gamma) - v

    def R(self, x: Number, y: Number, c: Number, star: Number) -> Number:
        """The stationarity measure (13)."""
        gx, gy = self.grad_Phi(x, y, c, star)
        return self.X.off(x, -gx) ** 2 + self.Y.off(y, -gy) ** 2

    def least(self) -> dict[str, Number | None]:
        """The constants of the assumptions, by their symbols; None where there is none."""
        n, weights = len(self.clients), [c.weight for c in self.clients]
        return {
            "n_cl": n,
            "gamma": self.gamma,
            "Lip_f": most(c.f.steepest() for c in self.clients),
            "L_1": most(c.f.bend() for c in self.clients),
            "sig_f": most(c.noise_f.steepest() for c in self.clients),
            "Lip_g": most(c.g.steepest("a") for c in self.clients),
            "L_2": most(c.g.bend() for c in self.clients),
            "sig_g": most(c.noise_g.steepest() for c in self.clients),
            "Het": self.heterogeneity(),
            "beta_max": n * max(weights),
            "beta_min": n * min(weights),
        }

    def heterogeneity(self) -> Number | None:
        """A bound on the heterogeneity; the least one where slopes do not depend on each other."""
        shared = [t for t in self.clients[0].g.terms if all(any(t is s for s in c.g.terms) for c in self.clients)]
        levels = [Level(tuple(t for t in c.g.terms if all(t is not s for s in shared))) for c in self.clients]
        ends = [level.corners("b") for level in levels]

        def square(slopes: tuple[tuple[Number, ...], ...]) -> Number:
            mean = sum(c.weight * s for c, (s,) in zip(self.clients, slopes, strict=True))
            return sum(c.weight * (s - mean) ** 2 for c, (s,) in zip(self.clients, slopes, strict=True))

        return None if None in ends else sqrt(largest(*map(square, itertools.product(*ends))))  # type: ignore[arg-type]

    def answers(self, **constants: Any) -> dict[str, Any]:
        """Values of the constants, those given or else the least ones, and answers for the assumptions."""
        least = self.least()
        # where there is no constant the hypothesis fails, whatever is given
        values = {name: 1 + 0 * self.gamma if x is None else x for name, x in least.items()} | constants
        return {**values, **self.facts(least, values)}

    def facts(self, least: dict[str, Number | None], values: dict[str, Number]) -> dict[str, Fact]:
        """The assumptions with the constants given, which may be the least ones themselves."""
        f, g = [c.f for c in self.clients], [c.g for c in self.clients]

        def at_most(name: str, constant: Number | None, what: str) -> Fact:
            bound = "has no bound" if constant is None else f"at most {constant}"
            text = f"{what} {bound}; {_LETTERS.get(name, name)} = {values[name]}"
            return Fact(constant is not None and (values[name] is constant or constant <= values[name]), text)

        def bounded(name: str, what: str, also: bool = True) -> Fact:
            fact = at_most(name, least[name], what)
            return Fact(also and fact.holds, fact.why)

        smooth_f, smooth_g = (all(level.twice() for level in levels) for levels in (f, g))
        total, bend = self.total(lambda c: 1), self.least_bend()
        why = f"G(x, .) has curvatures of {bend} and more"
        return {
            "A1(i)": self.bounded_below(),
            "f_lipschitz": bounded("Lip_f", "slopes of f_i are", smooth_f),
            "f_smooth": bounded("L_1", "curvatures of f_i are"),
            "f_noise": bounded("sig_f", "the noise is + or - the same vector, of a size"),
            "g_lipschitz": bounded("Lip_g", "slopes of g_i in x are", smooth_g),
            "g_lipschitz_xy": at_most("Lip_g", most(c.g.steepest() for c in self.clients), "slopes of g_i are"),
            "g_smooth": bounded("L_2", "curvatures of g_i are"),
            "g_noise": bounded("sig_g", "the noise is + or - the same vector, of a size"),
            "g_dissimilar": bounded("Het", "slopes of g_i in y differ by"),
            "weights": Fact(
                total == 1 and values["beta_max"] >= least["beta_max"] and values["beta_min"] <= least["beta_min"],
                f"n times the weights is from {least['beta_min']} to {least['beta_max']}, their sum is {total}",
            ),
            "sets": Fact(True, f"X is {self.X.name()}, Y is {self.Y.name()}"),
            "sampled": Fact(True, "every subset is equally likely"),
            "fresh": Fact(True, "all signs are independent"),
            "Y_free": Fact(self.Y.free, f"Y is {self.Y.name()}"),
            "unconstrained": Fact(self.X.free and self.Y.free, f"X is {self.X.name()}, Y is {self.Y.name()}"),
            "prox_attained": Fact(1 / self.gamma > -bend, why),
            "lower_convex": Fact(bend >= 0, why),
            "weakly_convex": Fact("rho_wc" in values and bend >= -values["rho_wc"], why),
        }

    def bounded_below(self) -> Fact:
        """Whether ``F`` has a minimum on ``X x Y``: it is convex, and stationary at ``best``."""
        if self.best is None:
            return Fact(False, "F has no minimum")
        convex = all(
            t.psi.curvature[0] is not None and t.psi.curvature[0] >= 0 for c in self.clients for t in c.f.terms
        )
        x, y = self.best
        gx, gy = self.gradient("f", x, y)
        still = self.X.off(x, -gx) == 0 and self.Y.off(y, -gy) == 0 and self.contains(x, y)
        return Fact(convex and still, f"F is {'' if convex else 'not '}convex, with the slopes {gx}, {gy} at {x}, {y}")

    def contains(self, x: Number, y: Number) -> bool:
        """The point is one of ``X x Y``."""
        return self.X.contains(x) and self.Y.contains(y)


def most(constants: Iterable[Number | None]) -> Number | None:
    """The largest of the clients' constants; None where one has none."""
    names = list(constants)
    return None if any(x is None for x in names) else largest(*names)


# --- the method


@dataclass(frozen=True)
class Steps:
    """Parameters of one round."""

    tau: int
    P: int
    c: Number
    lambda_theta: Number
    lambda_x: Number
    lambda_y: Number
    eta_theta: Number
    eta_x: Number
    eta_y: Number

    def by_symbol(self) -> dict[str, Number]:
        """By their symbols."""
        return {"c_t" if name == "c" else name: x for name, x in vars(self).items()}


@dataclass(frozen=True)
class Point:
    """A state of the method."""

    x: Number
    y: Number
    theta: Number


@dataclass(frozen=True)
class Path:
    """One of the equally likely ways of a client through its local steps.

    Attributes:
        at: the local iterate.
        h, m: means over the steps of its directions (x, y, theta), and of the same without noise.
        drift: means over the steps of the squared distances from the start.
        squares: means over the steps of the squared directions without noise.
        sum2, noise2, mean2, mean2_start: means over the steps of squared sums of what came before them: of directions,
            noises, directions without noise, and of means of directions given the start of the round.
    """

    at: Point
    h: tuple[Number, ...]
    m: tuple[Number, ...]
    drift: tuple[Number, ...]
    squares: tuple[Number, ...]
    sum2: tuple[Number, ...]
    noise2: tuple[Number, ...]
    mean2: tuple[Number, ...]
    mean2_start: tuple[Number, ...]


def direction(client: Client, at: Point, c: Number, gamma: Number) -> tuple[Number, ...]:
    """The mean of (9) at a point, in x, y and theta."""
    fx, fy = client.f.gradient(at.x, at.y)
    gx, gy = client.g.gradient(at.x, at.y)
    tx, ty = client.g.gradient(at.x, at.theta)
    apart = (at.theta - at.y) / gamma
    return fx / c + gx - tx, fy / c + gy + apart, ty + apart


def disturbances(client: Client, at: Point, c: Number) -> tuple[tuple[Number, ...], ...]:
    """What xi = 1, and zeta = 1, adds to (9) at a point; both terms with g have the same zeta."""
    fx, fy = client.noise_f.gradient(at.x, at.y)
    gx, gy = client.noise_g.gradient(at.x, at.y)
    tx, ty = client.noise_g.gradient(at.x, at.theta)
    return (fx / c, fy / c, 0 * fx), (gx - tx, gy, ty)


def local(client: Client, start: Point, steps: Steps, gamma: Number) -> list[Path]:
    """All ways of a client through its local steps."""
    zero = (0 * start.x,) * 3
    paths, part = [Path(start, *[zero] * 8)], 1 / (steps.tau + 0 * start.x)

    def added(mean: Iterable[Number], new: Iterable[Number]) -> tuple[Number, ...]:
        return tuple(a + part * b for a, b in zip(mean, new, strict=True))

    xis, zetas = ((1, -1) if level.terms else (0,) for level in (client.noise_f, client.noise_g))
    refuse((len(xis) * len(zetas)) ** steps.tau, MOST)
    for _ in range(steps.tau):
        further = []
        drifts = [steps.tau**2 * average([path.h[j] for path in paths]) ** 2 for j in range(3)]
        for path in paths:
            at = path.at
            pairs = list(zip(path.h, path.m, strict=True))
            sums = (
                added(path.sum2, [steps.tau**2 * h**2 for h, _ in pairs]),
                added(path.noise2, [steps.tau**2 * (h - m) ** 2 for h, m in pairs]),
                added(path.mean2, [steps.tau**2 * m**2 for _, m in pairs]),
                added(path.mean2_start, drifts),
            )
            mean, noises = direction(client, at, steps.c, gamma), disturbances(client, at, steps.c)
            off = ((at.x - start.x) ** 2, (at.y - start.y) ** 2, (at.theta - start.theta) ** 2)
            same = added(path.m, mean), added(path.drift, off), added(path.squares, [d**2 for d in mean]), *sums
            for xi, zeta in itertools.product(xis, zetas):
                h = tuple(a + xi * b + zeta * c for a, b, c in zip(mean, *noises, strict=True))
                to = Point(at.x - steps.eta_x * h[0], at.y - steps.eta_y * h[1], at.theta - steps.eta_theta * h[2])
                further.append(Path(to, added(path.h, h), *same))
        paths = further
    return paths


@dataclass(frozen=True)
class Outcome:
    """One outcome of a round.

    Attributes:
        probability: of it.
        h: the server's direction (11), in x, y and theta.
        m: the weighted mean over all clients of the directions without noise, given what this outcome fixes.
        end: where the round ends.
    """

    probability: Number
    h: tuple[Number, ...]
    m: tuple[Number, ...]
    end: Point


@dataclass(frozen=True)
class Round:
    """A round from a point, with all its outcomes; ``paths`` are those of each client."""

    problem: Problem
    steps: Steps
    start: Point
    paths: tuple[list[Path], ...]
    outcomes: list[Outcome]

    def mean(self, of: Callable[[Outcome], Number]) -> Number:
        """The expectation of what an outcome gives."""
        return sum(o.probability * of(o) for o in self.outcomes)

    def drawn(self) -> list[tuple[int, ...]]:
        """The subsets of clients.

        Raises:
            ValueError: more clients are drawn than there are.
        """
        n, P = len(self.paths), self.steps.P.__index__()
        if n < P:
            raise ValueError(f"{P} of {n} clients are not drawn")
        return list(itertools.combinations(range(n), P))

    def scale(self) -> Number:
        """``n/P``, which multiplies the weight of a client that is drawn."""
        return len(self.paths) / (self.steps.P + 0 * self.start.x)

    def square(self, of: Callable[[Path], Number], without: Callable[[Path], Number] | None = None) -> Number:
        """``E ||sum_{i in C} (n w_i/P) of_i - sum_i w_i without_i||^2`` over all subsets and signs."""
        subsets, weights = self.drawn(), [c.weight for c in self.problem.clients]
        total = 0 * self.start.x
        for drawn in subsets:
            scales = [self.scale() if i in drawn else 0 for i in range(len(weights))]
            total += second(
                [
                    [w * (k * of(p) - (0 if without is None else without(p))) for p in paths]
                    for w, k, paths in zip(weights, scales, self.paths, strict=True)
                ]
            )
        return total / len(subsets)

    def all_square(self, of: Callable[[Path], Number], plus: Number = 0) -> Number:
        """``E ||plus + sum_i w_i of_i||^2`` over all signs."""
        each = [[c.weight * of(p) for p in paths] for c, paths in zip(self.problem.clients, self.paths, strict=True)]
        return second([[plus + 0 * self.start.x], *each])

    def over_clients(self, of: Callable[[Path], Number]) -> Number:
        """The weighted mean over all clients of what a path gives."""
        return sum(c.weight * average([of(p) for p in paths]) for c, paths in self.by_client())

    def by_client(self) -> list[tuple[Client, list[Path]]]:
        """The clients with their paths."""
        return list(zip(self.problem.clients, self.paths, strict=True))


def average(numbers: Sequence[Number]) -> Number:
    """The mean of equally likely numbers."""
    return sum(numbers) / len(numbers)


def second(summands: Sequence[Sequence[Number]]) -> Number:
    """The mean square of a sum of independent numbers, each given by its equally likely values."""
    means = [average(values) for values in summands]
    spread = sum(average([v**2 for v in values]) - m**2 for values, m in zip(summands, means, strict=True))
    return spread + sum(means) ** 2


def play(problem: Problem, steps: Steps, start: Point) -> Round:
    """One round of Algorithm 1 from a point."""
    paths = tuple(local(client, start, steps, problem.gamma) for client in problem.clients)
    weights = [c.weight for c in problem.clients]
    means = [
        tuple(w * average([p.m[j] for p in ways]) for j in range(3)) for w, ways in zip(weights, paths, strict=True)
    ]
    round_ = Round(problem, steps, start, paths, [])
    subsets, scale = round_.drawn(), round_.scale()
    for drawn in subsets:
        rest = [sum(means[i][j] for i in range(len(weights)) if i not in drawn) for j in range(3)]
        ways = list(itertools.product(*(paths[i] for i in drawn)))
        refuse(len(subsets) * len(ways), MOST)
        for chosen in ways:
            pairs = [(weights[i], path) for i, path in zip(drawn, chosen, strict=True)]
            h = tuple(sum(scale * w * path.h[j] for w, path in pairs) for j in range(3))
            m = tuple(rest[j] + sum(w * path.m[j] for w, path in pairs) for j in range(3))
            end = Point(
                problem.X.project(start.x - steps.lambda_x * h[0]),
                problem.Y.project(start.y - steps.lambda_y * h[1]),
                problem.Y.project(start.theta - steps.lambda_theta * h[2]),
            )
            round_.outcomes.append(Outcome(1 / (len(subsets) * len(ways) + 0 * start.x), h, m, end))
    return round_


def played(problem: Problem, rounds: Iterable[Steps], start: Point) -> list[list[tuple[Number, Point]]]:
    """A run: before and after every round all points with their probabilities; equal ones are one."""
    run = [[(1 + 0 * start.x, start)]]
    for steps in rounds:
        run.append(after((probability, play(problem, steps, point)) for probability, point in run[-1]))
    return run


def after(rounds: Iterable[tuple[Number, Round]]) -> list[tuple[Number, Point]]:
    """The points at which rounds end, with their probabilities; equal ones are one."""
    found: dict[str, tuple[Number, Point]] = {}
    for probability, played_round in rounds:
        for o in played_round.outcomes:
            key = f"{o.end.x} {o.end.y} {o.end.theta}"
            before = found[key][0] if key in found else 0
            found[key] = (before + probability * o.probability, o.end)
    refuse(len(found), POINTS)
    return list(found.values())


# --- what the lemmas on one round measure


def lyapunov_weight(L_2: Number, gamma: Number) -> Number:
    """``K`` of Lemma D.8."""
    return sqrt(L_2**2 + 3 / gamma**2) * (1 / gamma - L_2) / (2 * sqrt(L_2**2 + 1 / gamma**2))


def mean_directions(paths: list[Path]) -> list[Path]:
    """The paths of a client with the mean of its direction given the start of the round in the place of ``m``."""
    m = tuple(average([p.h[j] for p in paths]) for j in range(3))
    return [Path(p.at, p.h, m, p.drift, p.squares, p.sum2, p.noise2, p.mean2, p.mean2_start) for p in paths]


def directions(r: Round) -> dict[str, Number]:
    """What is measured of the directions of a round: drifts, errors, second moments."""
    problem, start, c = r.problem, r.start, r.steps.c
    star = problem.theta_star(start.x, start.y)
    gx, gy = problem.grad_Phi(start.x, start.y, c, star)
    F_gap, G, v = problem.F_gap(start.x, start.y), problem.G(start.x, start.y), problem.v(start.x, start.y, star)
    at_start = problem.total(lambda client: direction(client, start, c, problem.gamma)[0])
    gap = start.theta - star
    given_start = Round(problem, r.steps, start, tuple(mean_directions(paths) for paths in r.paths), [])
    return {
        "D_x": r.over_clients(lambda p: p.drift[0]),
        "D_y": r.over_clients(lambda p: p.drift[1]),
        "D_theta": r.over_clients(lambda p: p.drift[2]),
        **split(r),
        "dir2_x": r.over_clients(lambda p: p.squares[0]),
        "dir2_y": r.over_clients(lambda p: p.squares[1]),
        "dir2_theta": r.over_clients(lambda p: p.squares[2]),
        "err_x": r.all_square(lambda p: -p.m[0], gx),
        "err_y": r.all_square(lambda p: -p.m[1], gy),
        "jensen_x": r.all_square(lambda p: -p.m[0], at_start),
        "var_x": r.square(lambda p: p.h[0], lambda p: p.m[0]),
        "var_y": r.square(lambda p: p.h[1], lambda p: p.m[1]),
        "h_theta2": r.square(lambda p: p.h[2]),
        "noise2": r.square(lambda p: p.h[2] - p.m[2]),
        "mean2": r.square(lambda p: p.m[2]),
        "noise2_start": given_start.square(lambda p: p.h[2] - p.m[2]),
        "mean2_start": given_start.square(lambda p: p.m[2]),
        "all2": r.all_square(lambda p: p.m[2]),
        "weights2": sum(k.weight**2 * average([p.m[2] ** 2 for p in paths]) for k, paths in r.by_client()),
        "gap2": gap**2,
        "gap": abs(gap),
        "prox2": (start.y - star) ** 2,
        "cross_theta": -gap * r.mean(lambda o: o.h[2]),
        "gap2_moved": r.mean(lambda o: (o.end.theta - star) ** 2),
        "step_x": r.mean(lambda o: (o.end.x - start.x) ** 2),
        "step_y": r.mean(lambda o: (o.end.y - start.y) ** 2),
        "step_theta": r.mean(lambda o: (o.end.theta - start.theta) ** 2),
        "slope2": gx**2 + gy**2,
        "pull2": (problem.gradient("g", start.x, start.theta)[1] + (start.theta - start.y) / problem.gamma) ** 2,
        "push": r.mean(lambda o: o.h[0] * (o.end.x - start.x)),
        "cross_h": r.mean(lambda o: (gx - o.h[0]) * (o.end.x - start.x)),
        "err_h_x": r.mean(lambda o: abs(gx - o.h[0])),
        "cross_m": r.mean(lambda o: (gx - o.m[0]) * (o.end.x - start.x)),
        "Phi_t": F_gap / c + G - v,
        "Lam_t": F_gap / c + G - v + problem.value_gap(start.x, start.y, start.theta, v),
        "along": r.mean(lambda o: gx * (o.end.x - start.x) + gy * (o.end.y - start.y)),
        "F_gap": F_gap,
        "G_gap": G - v,
    }


def split(r: Round) -> dict[str, Number]:
    """Mean squared sums of the directions of a client, in two parts, with either mean."""
    parts: dict[str, Number] = {}
    for j, of in enumerate(("x", "y", "theta")):
        sum2, noise2, mean2, start2 = (
            r.over_clients(lambda p, name=name, j=j: getattr(p, name)[j])  # type: ignore[misc]
            for name in ("sum2", "noise2", "mean2", "mean2_start")
        )
        parts |= {f"run_noise2_{of}": noise2, f"run_mean2_{of}": mean2}
        parts |= {f"run_noise2_start_{of}": sum2 - start2, f"run_mean2_start_{of}": start2}
    return parts


def ends(r: Round, c_next: Number, K: Number) -> dict[str, Number]:
    """What is measured where a round ends."""
    problem, c = r.problem, r.steps.c
    names = ("gap2_end", "Phi_end", "Phi_later", "Lam_end", "R_end", "dist_e", "cone_x", "cone_y")
    metrics, infimum = dict.fromkeys(names, 0 * c), problem.infimum()
    for o in r.outcomes:
        x, y = o.end.x, o.end.y
        star = problem.theta_star(x, y)
        F_gap, v = problem.F(x, y) - infimum, problem.v(x, y, star)
        G_gap = problem.G(x, y) - v
        e_x = -o.m[0] - (x - r.start.x) / r.steps.lambda_x
        e_y = -o.m[1] - (y - r.start.y) / r.steps.lambda_y
        n_x, n_y = (r.start.x - x) / r.steps.lambda_x - o.h[0], (r.start.y - y) / r.steps.lambda_y - o.h[1]
        each = {
            "cone_x": problem.X.farthest(x, n_x),
            "cone_y": problem.Y.farthest(y, n_y),
            "gap2_end": (o.end.theta - star) ** 2,
            "Phi_end": F_gap / c + G_gap,
            "Phi_later": F_gap / c_next + G_gap,
            "Lam_end": F_gap / c_next + G_gap + problem.value_gap(x, y, o.end.theta, v),
            "R_end": problem.R(x, y, c, star),
            "dist_e": sqrt(problem.X.off(x, e_x) ** 2 + problem.Y.off(y, e_y) ** 2),
        }
        metrics = {name: value + o.probability * each[name] for name, value in metrics.items()}
    return {**metrics, "Psi_end": metrics["Phi_later"] + K * metrics["gap2_end"]}


def moved(at: Steps, gamma: Number, L_2: Number, moves: Number, gaps: Number) -> Number:
    """``4 K L_theta^2/(rho lambda)`` times squared moves of x and y, and the share of squared gaps of theta."""
    rho, G2 = 1 / gamma - L_2, L_2**2 + 1 / gamma**2
    weight = lyapunov_weight(L_2, gamma) * G2 / rho**2
    return 4 * weight / (rho * at.lambda_theta) * moves + G2 * at.lambda_theta * rho / (64 * weight) * gaps


def measured_run(problem: Problem, every: Sequence[Steps], start: Point, L_2: Number) -> dict[str, Any]:
    """What the rates speak of after a round with each of the steps, and answers for their hypotheses."""
    K, later = lyapunov_weight(L_2, problem.gamma), [at.c for at in (*every[1:], every[-1])]
    means: list[dict[str, Number]] = []
    rounds: list[tuple[Number, Round]] = []
    for at, c_next in zip(every, later, strict=True):
        states = after(rounds) if rounds else [(1 + 0 * start.x, start)]
        rounds = [(chance, play(problem, at, point)) for chance, point in states]
        seen = [(chance, {**directions(r), **ends(r, c_next, K)}) for chance, r in rounds]
        means.append({name: sum(chance * metrics[name] for chance, metrics in seen) for name in seen[0][1]})
    sizes, pairs = [at.lambda_theta for at in every], list(zip(every, means, strict=True))

    def summed(*names: str) -> Number:
        return sum(at.lambda_theta * sum(metrics[name] for name in names) for at, metrics in pairs)

    of = {"D_x": ["D_x"], "D_y": ["D_y"], "D_theta": ["D_theta"], "dir2_y": ["dir2_y"], "var": ["var_x", "var_y"]}
    values = problem.answers(**{**every[0].by_symbol(), "c_next": later[0], "L_2": L_2})
    metrics = completed(problem, start, values, means[0])
    return {
        # what is 0 but for rounding is left out
        **{name: x for name, x in metrics.items() if name not in ("cone_x", "cone_y", "dist_e")},
        **{f"{name}_mean": summed(*parts) / sum(sizes) for name, parts in of.items()},
        "T_rounds": len(every),
        "c_0": every[0].c,
        "lambda_0": every[0].lambda_theta,
        "Psi_0": metrics["Psi_t"],
        "Lam_0": metrics["Lam_t"],
        "R_best": least(*(metrics["R_end"] for _, metrics in pairs)),
        "cR_best": least(*(at.c**2 * metrics["R_end"] for at, metrics in pairs)),
        "sum_lR": summed("R_end"),
        "sum_moved": sum(
            moved(at, problem.gamma, L_2, metrics["step_x"] + metrics["step_y"], metrics["gap2"])
            for at, metrics in pairs
        ),
        "fixed": Fact(all(size == sizes[0] for size in sizes), "the steps of all rounds"),
    }


def measured(problem: Problem, steps: Steps, start: Point, **constants: Number) -> dict[str, Any]:
    """All that the lemmas on one round speak of, and answers for their hypotheses.

    Constants are the least ones, where none is given.
    """
    values = problem.answers(**{**steps.by_symbol(), "c_next": steps.c, **constants})
    r, K = play(problem, steps, start), lyapunov_weight(values["L_2"], problem.gamma)
    return completed(problem, start, values, {**directions(r), **ends(r, values["c_next"], K)})


def completed(problem: Problem, start: Point, values: dict[str, Any], metrics: dict[str, Number]) -> dict[str, Any]:
    """What was measured of a round, with the constants and what follows from both."""
    inside = problem.contains(start.x, start.y) and problem.Y.contains(start.theta)
    K = lyapunov_weight(values["L_2"], problem.gamma)
    return {
        **values,
        **metrics,
        "Phi_rest": metrics["Phi_end"] - metrics["Phi_t"] - metrics["along"],
        "dx2_at": metrics["step_x"],
        "dy2_at": metrics["step_y"],
        "err_sqrt_x": sqrt(metrics["err_x"]),
        "err_sqrt_y": sqrt(metrics["err_y"]),
        "Psi_t": metrics["Phi_t"] + K * metrics["gap2"],
        "mefbo": Fact(inside, f"it starts at ({start.x}, {start.y}), theta = {start.theta}"),
    }
