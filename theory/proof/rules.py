"""Rules: what typed assumptions, means and noises give a proof. With the deciders they are all that it has to trust."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import combinations
from typing import Concatenate, ParamSpec, TypeVar

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.algebra import each_side
from rateproof.theory.assumptions import (
    Assumption,
    Attained,
    BoundedBelow,
    BoundedDifferences,
    BoundedDissimilarity,
    BoundedGradient,
    BoundedVariance,
    ClosedConvex,
    Convex,
    Covered,
    Dissimilar,
    EveryPoint,
    ExponentialMoment,
    Identical,
    Independent,
    IndependentOf,
    Lipschitz,
    Minimiser,
    Monotone,
    Quadratic,
    Sampled,
    Smooth,
    StronglyConvex,
    Symmetrised,
    Unbiased,
    WeaklySharp,
    Weighted,
    WholeSpace,
    maps,
)
from rateproof.theory.gram import Vector
from rateproof.theory.gram.facts import Given, Point, tangents
from rateproof.theory.gram.vectors import dot, factors, name_of, norm2, vectors
from rateproof.theory.probability import Pr
from rateproof.theory.proof.meaning import by_sign
from rateproof.theory.proof.setting import Argmin, HalfSquare, Mean, NormalCone, SampleMean, Setting
from rateproof.theory.proof.steps import Rule
from rateproof.theory.shorthand import eq, ge, gt, le

A = TypeVar("A", bound=Assumption)
K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")


class Refused(ValueError):  # noqa: N818 - it is an answer, not a fault
    """A step that does not go through, and why."""


@dataclass(frozen=True)
class Alike:
    """``<u, w> = <v, w>`` for every vector ``w`` whose name ``to`` admits."""

    u: Vector
    v: Vector
    to: Callable[[str], bool]

    @property
    def names(self) -> set[str]:
        """The basic vectors that it is about."""
        return {name for name, _ in (*self.u.terms, *self.v.terms)}

    def among(self, present: set[str]) -> Iterator[sp.Rel]:
        """What it says of these vectors."""
        for name in filter(self.to, sorted(present)):
            (w,) = vectors(name)
            yield eq(dot(self.u, w), dot(self.v, w))


@dataclass(frozen=True)
class Rules:
    """What a claim's typed assumptions give in its setting.

    Attributes:
        known: whether a relation between constants follows; by the signs of their symbols, where not given.
        inside: of what a symbol is made, by definitions and rules; itself among them.
    """

    setting: Setting
    assumed: tuple[Assumption, ...]
    known: Callable[[sp.Rel], bool] = by_sign
    inside: Callable[[sp.Symbol], set[sp.Symbol]] = lambda symbol: {symbol}

    def facts(self, rule: Rule) -> Given | Alike:
        """What a rule gives: relations, or equations with the vectors of a step.

        Raises:
            Refused: the claim does not assume what the rule needs.
        """
        return RULES[rule.name](self, *rule.about)

    # --- assumptions

    def one(self, kind: type[A], of: str) -> A | None:
        """What the claim assumes of a function, or what follows for one that is made of others."""
        if found := next((a for a in self.assumed if type(a) is kind and a.of == of), None):
            return found
        strong = self.one(StronglyConvex, of) if kind is Convex else None
        if strong is not None and self.known(ge(strong.mu, 0)):
            return Convex(of)  # type: ignore[return-value]
        how = self.setting.made.get(of)
        if how is None:
            return None
        if isinstance(how, HalfSquare):
            own: dict[type[Assumption], Assumption] = {
                Smooth: Smooth(of, sp.S.One),
                StronglyConvex: StronglyConvex(of, sp.S.One),
                Attained: Attained(of),
            }
            return own.get(kind)  # type: ignore[return-value]
        if isinstance(how, NormalCone):
            return ClosedConvex(of) if kind is ClosedConvex else None  # type: ignore[return-value]
        if isinstance(how, Argmin):
            # the minimisers of a convex function on the whole space: its lowest level set
            closed_convex = kind is ClosedConvex and self.is_convex(how.of) and self.one(Attained, how.of)
            return ClosedConvex(of) if closed_convex else None  # type: ignore[return-value]
        parts = {how.of: sp.S.One} if isinstance(how, Mean) else {n: sp.sympify(c) for n, c in how.items()}
        if not all(self.known(ge(c, 0)) for c in parts.values()):
            return None
        return _COMBINED[kind](self, of, parts) if kind in _COMBINED else None  # type: ignore[return-value]

    def must(self, kind: type[A], of: str) -> A:
        """What the claim assumes of a function.

        Raises:
            Refused: it does not.
        """
        found = self.one(kind, of)
        if found is None:
            raise Refused(f"the claim does not assume {kind.__name__} of {of}")
        return found

    def is_convex(self, of: str) -> bool:
        """Whether a function is convex, strongly or not."""
        return self.one(Convex, of) is not None

    def convex_smooth(self, of: str) -> Smooth:
        """The smoothness of a function that is convex.

        Raises:
            Refused: it is not known to be one of them.
        """
        if not self.is_convex(of):
            raise Refused(f"the claim does not assume Convex of {of}")
        return self.smooth_everywhere(of)

    def smooth_everywhere(self, of: str) -> Smooth:
        """The smoothness of a function on the whole space.

        Raises:
            Refused: it is not known to be smooth there.
        """
        found = self.must(Smooth, of)
        if found.on:
            raise Refused(f"{of} is smooth on {found.on} only, and this is true of functions smooth on the whole space")
        return found

    def smooth_at(self, of: str, names: tuple[str, ...]) -> tuple[Smooth, list[Point]]:
        """The smoothness of a function, and points where it is smooth.

        Raises:
            Refused: one of the points is not known to lie in the set.
        """
        found, points = self.must(Smooth, of), self.at(of, names)
        if found.on:
            self.must(ClosedConvex, found.on)
            inside = [p for _, p in maps(list(self.setting.functions.get(found.on, {}).values()))]
            if odd := [name for name, (x, *_) in zip(names, points, strict=True) if x not in inside]:
                raise Refused(
                    f"{of} is smooth on {found.on} only, and the point {odd[0]} is not known to lie there: "
                    f"name it among the points of {found.on}, as (x, x) or as a projection"
                )
        return found, points

    def is_bounded(self, of: str) -> bool:
        """Whether a function has an infimum, and the setting a name for it."""
        return bool(self.one(Attained, of) or self.one(BoundedBelow, of)) and of in self.setting.infima

    # --- points

    def at(self, of: str, names: tuple[str, ...]) -> list[Point]:
        """Points of a function, at which its gradient vanishes only where it attains its minimum.

        Raises:
            Refused: the claim does not say that it does.
        """
        points = self.setting.points(of, names)
        self._need_one_sample(of, points)
        least, made = self.setting.infima.get(of), self.setting.made.get(of)
        function = isinstance(made, (Mean, Mapping, HalfSquare)) or any(
            a.of == of and isinstance(a, _OF_FUNCTIONS) for a in self.assumed
        )
        if function:
            self._need_values(of)
        valued = [p for p in points if function or (len(p) > 2 and p[2] is not None)]
        minima = [p for p in valued if self.setting.vanishes(p[1]) or (least is not None and least in p[2:])]
        if minima and not self.one(Attained, of):
            raise Refused(f"the claim does not assume that {of} attains its minimum")
        for x, *_ in minima:
            self.need_own(of, x)
        return points

    def _need_one_sample(self, of: str, points: list[Point]) -> None:
        """Refuse a random function at points where it has different samples."""
        on = self.setting.all_on
        images = [(x, image) for x, image, *_ in points if image is not None and image.terms]
        own = frozenset().union(*(on(image) - on(x) for x, image in images))
        for x, image in images:
            if lost := sorted(own - on(image)):
                raise Refused(f"{of} depends on {lost[0]} at one point, and not at {x}")

    def _need_values(self, of: str) -> None:
        """Refuse a function of which the setting says that it has one value at two points, or another than its own."""
        setting, how = self.setting, self.setting.made.get(of)
        seen: dict[sp.Expr, Point] = {}
        for at in setting.functions.get(of, {}).values():
            value = at[2] if len(at) > 2 else None
            if value is None or value == setting.infima.get(of):
                continue
            if isinstance(how, Mean) and value == setting.infima.get(how.of):
                raise Refused(f"{value} is the infimum of {how.of}, and the value of {of} at {at[0]}")
            if not value.is_Symbol and of not in setting.made:
                raise Refused(f"the value of {of} at {at[0]} should be a symbol, not {value}")
            there = seen.setdefault(value, at)
            if there[0] != at[0] and not (setting.vanishes(there[1]) and setting.vanishes(at[1])):
                raise Refused(f"{value} is the value of {of} at {there[0]} and at {at[0]}")

    def need_own(self, of: str, x: Vector) -> None:
        """Refuse one minimum of several functions: each has its own."""
        if odd := self.setting.own(of) - self.setting.all_on(x):
            raise Refused(f"{of} has a minimum for each {min(odd)}, on which {x} does not depend")

    def need_map(self, of: str) -> None:
        """Refuse a function: of it, what is assumed of a map would be about its values, not about its gradients."""
        said = any(a.of == of and isinstance(a, _OF_FUNCTIONS) for a in self.assumed)
        valued = any(v is not None for _, _, *value in self.setting.functions.get(of, {}).values() for v in value)
        if said or valued or of in self.setting.infima or of in self.setting.made:
            raise Refused(f"{of} is a function and no map; say what its gradient is by Smooth or StronglyConvex")

    def exists(self, least: Attained | Minimiser) -> bool:
        """Whether a minimum exists: a strongly convex function has one on the whole space and on closed convex sets."""
        strong, smooth_ = self.one(StronglyConvex, least.of), self.one(Smooth, least.of)
        inside = not isinstance(least, Minimiser) or self.one(ClosedConvex, least.over) is not None
        if strong is None or smooth_ is None or smooth_.on or not inside:
            return False
        return self.known(gt(strong.mu, 0))

    def minimum(self, of: str) -> tuple[Vector, Vector]:
        """The point at which a smooth function is least over a set, and the gradient there.

        Raises:
            Refused: no such point is known.
        """
        least = self.must(Minimiser, of)
        point = least.point
        if (on := self.must(Smooth, of).on) and on != least.over:
            raise Refused(f"{of} is smooth on {on} only, and {point} is its minimum over {least.over}")
        ((x, g, _),) = self.setting.points(of, (point,))
        if g is None:
            raise Refused(f"{of} has no gradient at {point}")
        self.need_own(of, x)
        self.need_own(least.over, x)
        return x, g

    # --- randomness

    def noises(self) -> dict[str, frozenset[str]]:
        """Given what each noise has mean zero: also given other sources of which it is independent."""
        apart = [a for a in self.assumed if isinstance(a, IndependentOf)]
        return {
            a.of: frozenset(a.given.split()) | {i.source for i in apart if i.of == a.of}
            for a in self.assumed
            if isinstance(a, Unbiased)
        }

    def centred(self, of: str) -> frozenset[str]:
        """Given what a vector has mean zero.

        Raises:
            Refused: it is not known to have.
        """
        found = self.setting.centred(of, self.noises())
        if found is None:
            raise Refused(f"{of} is not known to have mean zero")
        return found

    def largest(self, mean: Mean | SampleMean) -> sp.Expr | None:
        """The number of the values of an index times their largest weight; None where all are equally likely."""
        return self.must(Weighted, mean.over).largest if mean.over in self.setting.weighted else None

    def count(self, mean: Mean | SampleMean) -> sp.Expr:
        """How many uncorrelated noises a mean is of.

        A noise that has mean zero given the index, all that belongs to earlier values of it (the noises of earlier
        local steps) and all else on which it depends, but for what belongs to the index, is uncorrelated with the
        earlier ones. Noises of several clients are so where they are independent; sums of noises, where besides of any
        two one has mean zero given all on which the other depends.
        """
        setting, within, centred = self.setting, self.setting.inside(mean.over), self.centred(mean.of)
        if alike := sorted(n for n in setting.parts(mean.of) if mean.over not in setting.on(n)):
            raise Refused(f"{alike[0]} is the same for all {mean.over}, and no noise of each of them")
        known = {mean.over, *(setting.on(mean.of) - within)}
        past = {s for s in setting.earlier if setting.within.get(s) == mean.over}
        ordered = known <= centred and past & centred and not setting.scattered(mean.of)
        if not (isinstance(mean, Mean) and ordered):
            sources, given = sorted(self._sources(mean.of)), self.noises()
            for source in sources:
                if not any(isinstance(a, Independent) and (a.of, a.over) == (source, mean.over) for a in self.assumed):
                    raise Refused(f"the claim does not assume that {source} is independent over {mean.over}")
                every = {mean.over, *(setting.on(source) & setting.index_words)}
                if lost := sorted(every - given.get(source, frozenset())):
                    raise Refused(f"{source} has mean zero over all {lost[0]} together, not for each of them")
            for a, b in combinations(sources, 2):
                if not (setting.on(a) <= given.get(b, set()) or setting.on(b) <= given.get(a, set())):
                    raise Refused(f"{a} and {b} of two values of {mean.over} may be correlated")
        if not isinstance(mean, Mean):
            return self.drawn(mean).count
        size = _among(setting.sizes, mean.over, "index with a size")
        self.need_whole(size)
        return size

    def need_whole(self, number: sp.Expr) -> None:
        """Refuse a count that need not be a whole number."""
        number = sp.sympify(number)
        if not (number.is_integer or number in self.setting.counts):
            raise Refused(f"{number} counts something and is not known to be a whole number")
        if not self.known(gt(number, 0)):
            raise Refused(f"{number} counts something and is not known to be positive")

    def _sources(self, name: str) -> set[str]:
        if name in self.setting.sums:
            return {s for part, _ in self.setting.sums[name].terms for s in self._sources(part)}
        return self._sources(self.setting.means[name].of) if name in self.setting.means else {name}

    def drawn(self, mean: SampleMean) -> Sampled:
        """How the sample of a mean is drawn.

        Raises:
            Refused: the claim does not say so, or says so of another number of values.
        """
        found = self.must(Sampled, mean.draw)
        self.need_whole(found.count)
        self.need_whole(found.size)
        if (size := self.setting.sizes.get(mean.over, found.size)) != found.size:
            raise Refused(f"{found} is drawn of {found.size} values, and {mean.over} has {size}")
        return found

    def mean_gradient(self, points: list[Point]) -> tuple[Vector, Vector, str]:
        """The gradient at a mean of points, the mean of the gradients there, and over which index.

        Raises:
            Refused: the setting names no such means.
        """
        (x, g, _), (y, b, _) = points
        means = {(m.of, m.over): name for name, m in self.setting.means.items() if isinstance(m, Mean)}
        own = self.setting.means.get(name_of(x))
        if not isinstance(own, Mean) or own.of != name_of(y) or g is None or (name_of(b), own.over) not in means:
            raise Refused("the first point should be the mean of the second, and the mean of its gradient be named")
        return g, vectors(means[name_of(b), own.over])[0], own.over


#: What is assumed of functions and not of maps.
_OF_FUNCTIONS = (
    Attained,
    BoundedBelow,
    BoundedGradient,
    Convex,
    Minimiser,
    Quadratic,
    Smooth,
    StronglyConvex,
    WeaklySharp,
)


def _given(*relations: sp.Rel, where: tuple[sp.Rel, ...] = ()) -> Given:
    return Given("", relations, where)


def _among(known: Mapping[K, V], of: K, what: str) -> V:
    """What is known by a name."""
    if of not in known:
        raise Refused(f"{of} is no {what}; there are {', '.join(map(str, known)) or 'none'}")
    return known[of]


# --- the rules, by the names that a proof uses: what a rule is called with is what it is about

#: What each rule gives.
RULES: dict[str, Callable[..., Given | Alike]] = {}


def rule(says: Callable[Concatenate[Rules, P], Given | Alike]) -> Callable[P, Rule]:
    """Enter a rule: a proof calls it by its name, without the claim's own assumptions."""

    @wraps(says)
    def named(*about: P.args, **_: P.kwargs) -> Rule:
        return Rule(says.__name__, about)

    RULES[says.__name__] = says
    return named


@rule
def unfold(rules: Rules, *symbols: sp.Symbol) -> Given:
    """These defined symbols are what their definitions say; the others are used as numbers of their sign."""
    return _given()


@rule
def sequences(rules: Rules) -> Given:
    """Metrics that are terms of sequences, or sums of them, are written so, not as forms."""
    return _given()


@rule
def convex(rules: Rules, of: str, *points: str) -> Given:
    """The first-order inequality of a convex or strongly convex function between all pairs of points."""
    return (rules.one(StronglyConvex, of) or rules.must(Convex, of)).facts(*rules.at(of, points))


@rule
def smooth(rules: Rules, of: str, *points: str) -> Given:
    """The two quadratic bounds of a smooth function between all pairs of points, on its set where it has one."""
    smoothness, places = rules.smooth_at(of, points)
    return smoothness.facts(*places)


@rule
def smooth_convex(rules: Rules, of: str, *points: str) -> Given:
    """``2 L (f(x) - f(y) - <g_y, x - y>) >= ||g_x - g_y||^2`` of a smooth convex function, for all ``L >= 0``.

    Nesterov 2018, Lectures on Convex Optimization, Theorem 2.1.5.
    """
    return tangents(rules.convex_smooth(of).L, *rules.at(of, points))


@rule
def curvature(rules: Rules, of: str) -> Given:
    """``mu <= L`` of a function that is mu-strongly convex and L-smooth, on a space that is not a point."""
    return _given(le(rules.must(StronglyConvex, of).mu, rules.smooth_everywhere(of).L))


@rule
def cocoercive(rules: Rules, of: str, *points: str) -> Given:
    """``L <g_x - g_y, x - y> >= ||g_x - g_y||^2`` of a smooth convex function, for all ``L >= 0``."""
    return gram.cocoercive(rules.convex_smooth(of).L, *maps(rules.at(of, points)))


@rule
def strongly_convex_smooth(rules: Rules, of: str, *points: str) -> Given:
    """``(mu + L) <g_x - g_y, x - y> >= mu L ||x - y||^2 + ||g_x - g_y||^2`` of a smooth strongly convex function.

    Nesterov 2018, Lectures on Convex Optimization, Theorem 2.1.12.
    """
    mu, L = rules.must(StronglyConvex, of).mu, rules.smooth_everywhere(of).L
    return gram.strongly_convex_smooth(mu, L, *maps(rules.at(of, points)))


@rule
def infimum(rules: Rules, of: str, *points: str) -> Given:
    """A function is at least its infimum; that of a mean is at least the mean of the infima."""
    if not rules.is_bounded(of):
        raise Refused(f"the claim does not assume BoundedBelow of {of}, or the setting names no infimum of it")
    least, how = rules.setting.infima[of], rules.setting.made.get(of)
    low = [rules.setting.infima[how.of]] if isinstance(how, Mean) and rules.is_bounded(how.of) else []
    return _given(*(ge(p[2], least) for p in rules.at(of, points)), *(ge(least, m) for m in low))


@rule
def values(rules: Rules, of: str, *points: str) -> Given:
    """The value of a function made of others, where these have values too."""
    setting, parts = rules.setting, rules.setting.made.get(of)
    if not isinstance(parts, Mapping):
        raise Refused(f"{of} is no combination of functions")
    relations = []
    for point, name in zip(setting.points(of, points), points, strict=True):
        there = {part: setting.points(part, (name,))[0] for part in parts}
        if any(p[0] != point[0] for p in there.values()):
            raise Refused(f"{name} is another vector for a part of {of}")
        relations.append(eq(point[2], sp.Add(*(c * there[part][2] for part, c in parts.items()))))
    return _given(*relations)


@rule
def optimal(rules: Rules, of: str) -> Given:
    """``<grad f(x*), p - x*> >= 0`` where ``x*`` minimises ``f`` over a closed convex set, at all named p of it.

    Also for ``grad f(x*)`` times the weights of those that were drawn, its mean over a sample.
    """
    over = rules.must(Minimiser, of).over
    rules.must(ClosedConvex, over)
    x, g = rules.minimum(of)
    inside = [p for _, p in maps(list(rules.setting.functions[over].values()))]
    return _given(*(ge(dot(v, p - x), 0) for v in (g, *_multiples(rules, name_of(g))) for p in inside if p != x))


def _multiples(rules: Rules, of: str) -> list[Vector]:
    """Means of a vector over an index on which it does not depend: sums of weights, which are nonnegative, times it."""
    found: list[Vector] = []
    for name, how in rules.setting.means.items():
        known = not isinstance(how, SampleMean) or rules.one(Sampled, how.draw)
        if known and how.of == of and not rules.setting.on(of) & rules.setting.inside(how.over):
            RULES["mean"](rules, name)
            rules.largest(how)
            found += vectors(name)
    return found


@rule
def stationary(rules: Rules, of: str) -> Alike:
    """``grad f(x*) = 0`` where ``x*`` minimises ``f`` over a set that is the whole space."""
    rules.must(WholeSpace, rules.must(Minimiser, of).over)
    return Alike(rules.minimum(of)[1], Vector(), rules.setting.names.__contains__)


@rule
def sharp(rules: Rules, of: str, *points: str) -> Given:
    """``E dist <= ((E h - h* + offset)/alpha)^(1/kappa)`` of a weakly sharp function, for ``kappa >= 1``."""
    setting, says = rules.setting, rules.must(WeaklySharp, of)
    order = sp.S.One if rules.known(eq(says.kappa, 1)) else says.kappa
    rules.must(Attained, of)
    sets = [name for name, how in setting.made.items() if how == Argmin(of)]
    nearest = [maps([p])[0] for name in sets for p in setting.functions.get(name, {}).values()]
    relations = [
        le(length, ((value - setting.infima[of] + says.offset) / says.alpha) ** (1 / order))
        for x, _, value in rules.at(of, points)
        for y, p in nearest
        for length, apart in setting.lengths.items()
        if x == y and apart == x - p
    ]
    return _given(*relations, where=(ge(order, 1), gt(says.alpha, 0)))


@rule
def cauchy_schwarz(rules: Rules, bound: sp.Symbol, length: sp.Symbol) -> Given:
    """``|E<u, v>| <= c E||v||`` for a vector whose norm is at most ``c``, with the names that the setting has."""
    u = _among(rules.setting.bounds, bound, "bound on the norm of a vector")
    v = _among(rules.setting.lengths, length, "length")
    return _given(le(dot(u, v), bound * length), ge(dot(u, v), -bound * length), ge(length, 0))


@rule
def least(rules: Rules, of: sp.Symbol) -> Given:
    """A minimum over an index is at most each term; for values of the index that are in its range."""
    term, (index, first, last) = _among(rules.setting.minima, of, "minimum over an index")
    return _given(le(of, term), where=(ge(index, first), le(index, last)))


@rule
def largest(rules: Rules, of: sp.Symbol) -> Given:
    """A maximum over an index is at least each term; for values of the index that are in its range."""
    term, (index, first, last) = _among(rules.setting.maxima, of, "maximum over an index")
    return _given(ge(of, term), where=(ge(index, first), le(index, last)))


@rule
def affine(rules: Rules, of: str, mean: str, each: str) -> Alike:
    """The gradient of a quadratic function at the mean of points is the mean of its gradients there."""
    rules.must(Quadratic, of)
    g, average, over = rules.mean_gradient(rules.at(of, (mean, each)))
    if not any(isinstance(a, Identical) and (a.of, a.over) == (of, over) for a in rules.assumed):
        raise Refused(f"the claim does not assume that {of} is the same for all values of {over}")
    if odd := sorted(rules.setting.own(of) & rules.setting.inside(over) - {over}):
        raise Refused(f"{of} depends on {odd[0]}, and is not the same for all values of {over}")
    return Alike(g, average, rules.setting.names.__contains__)


@rule
def lipschitz(rules: Rules, of: str, *points: str) -> Given:
    """``||g_x - g_y||^2 <= L^2 ||x - y||^2``, of a Lipschitz map or the gradient of a smooth function.

    Of a random map in mean square, at points that depend on nothing but what that is given.
    """
    setting, places = rules.setting, rules.at(of, points)
    if rules.one(Smooth, of):
        return Lipschitz(of, rules.smooth_at(of, points)[0].L).facts(*places)
    says = rules.must(Lipschitz, of)
    rules.need_map(of)
    random, given = frozenset(says.random.split()), frozenset(says.given.split())
    own = rules.setting.own(of)
    if odd := own - random - setting.index_words:
        raise Refused(f"{of} is random by {min(odd)}: Lipschitz(..., random={min(odd)!r}) is in mean square over that")
    on = frozenset().union(*(setting.all_on(p[0]) for p in places))
    if odd := (own | random) & setting.knows(on):
        raise Refused(f"{of} is random by {min(odd)}, on which a point depends")
    if random and (odd := on - given - setting.index_words):
        raise Refused(f"a point depends on {min(odd)}: Lipschitz(..., given={min(odd)!r}) is in mean square given that")
    return says.facts(*places)


@rule
def bounded(rules: Rules, of: str, *points: str) -> Given:
    """``||g_x||^2 <= bound^2`` of a function whose gradients are bounded."""
    says = rules.must(BoundedGradient, of)
    gradients = [g for _, g in maps(rules.at(of, points))]
    parts = [rules.setting.part(g, says.block) if says.block else g for g in gradients]
    return _given(*(le(norm2(g), says.bound**2) for g in parts))


@rule
def dissimilar(rules: Rules, of: str, *points: str) -> Given:
    """How far gradients are from their mean, at any points that do not depend on the index.

    ``||g_x - mean g_x||^2 <= bound``, in one block of the space or in all of it; or, of bounded dissimilarity,
    ``||g_x||^2 <= bound + growth ||mean g_x||^2``. Norms are means over the index.
    """
    setting = rules.setting
    spread, growing = rules.one(Dissimilar, of), rules.one(BoundedDissimilarity, of)
    says = spread or growing
    if says is None:
        raise Refused(f"the claim does not assume Dissimilar or BoundedDissimilarity of {of}")
    average = next((name for name, how in setting.made.items() if how == Mean(of, says.over)), None)
    if average is None:
        raise Refused(f"the setting names no mean of {of} over {says.over}")
    relations = []
    for (x, g, _), (y, m, _) in zip(setting.points(of, points), rules.at(average, points), strict=True):
        if x != y or g is None or m is None or not (m.terms or growing):
            raise Refused(f"{of} and {average} should have gradients at the same points")
        if spread:
            apart = setting.part(g - m, spread.block) if spread.block else g - m
            relations.append(le(norm2(apart), spread.bound))
        if growing:
            relations.append(le(norm2(g), growing.bound + growing.growth * norm2(m)))
    return _given(*relations)


@rule
def everywhere(rules: Rules, of: str, *points: str) -> Given:
    """What the claim assumes at every point of a function, at these; in the mean where they are random.

    A point may not depend on what the relation takes a mean over: it is assumed of points that are given before.
    """
    found = [a for a in rules.assumed if isinstance(a, EveryPoint) and a.of == of]
    if not found:
        raise Refused(f"the claim assumes nothing of {of} at every point")
    return _given(*(_placed(rules, says, point) for says in found for point in points))


def _placed(rules: Rules, says: EveryPoint, point: str) -> sp.Rel:
    """The relation with another point in the place of the one at which it is written.

    Raises:
        Refused: it is no relation of that kind, or the point knows more than any fixed point does.
    """
    setting, known = rules.setting, rules.setting.functions
    relation = each_side(says.relation, lambda side: side.xreplace(dict(setting.metrics)))
    said = relation.free_symbols
    named = {n for s in said for n in factors(s) or ()}
    inner_, values = {s for s in said if factors(s)}, said & setting.values - {*setting.infima.values()}
    sides = [sp.expand(side) for side in relation.args]
    if any(sp.diff(side, s).free_symbols & (inner_ | values) for side in sides for s in inner_ | values):
        raise Refused(f"{relation} is not linear in inner products and values, so that it need not hold in the mean")
    measured = setting.meanings | setting.numbers | setting.values - {*setting.infima.values()}
    others = said - inner_ - values
    if odd := sorted(str(s) for s in others if any(part in measured or factors(part) for part in rules.inside(s))):
        raise Refused(f"{odd[0]} is measured, and need not be the same at another point")
    vector: dict[str, Vector] = {}
    value: dict[sp.Expr, sp.Expr] = {}
    about = set()
    generic, there = (rules.setting.points(says.of, (name,))[0][0] for name in (says.point, point))
    for name, at in known.items():
        if says.point not in at or at[says.point][0] != generic:
            continue
        own = at[says.point]
        if own[1] is not None and not own[1].terms:
            raise Refused(f"{says.point} is a point where the gradient of {name} vanishes, not any point")
        if point not in at or at[point][0] != there:
            continue
        (place,) = rules.at(name, (point,))
        about.add(name)
        for part, ours in zip(own[:2], place[:2], strict=True):
            if part is not None and ours is not None and (n := name_of(part)) and vector.setdefault(n, ours) != ours:
                raise Refused(f"{n} would be {vector[n]} and {ours}")
        if own[2] is not None and place[2] is not None:
            value.setdefault(own[2], place[2])
    # what belongs to a minimum is the same wherever the point is
    spots = [p for at in known.values() for p in at.values()]
    minima = {name_of(x) for x, g, *_ in spots if g is not None and not g.terms} - {""}
    resting = {name for x, g, *_ in spots if name_of(x) in minima for name in (name_of(x), name_of(g))}
    if odd := sorted(named - vector.keys() - resting) or sorted(map(str, values - value.keys())):
        raise Refused(f"{odd[0]} has no counterpart at {point}")
    before, now = setting.all_on(generic), setting.all_on(there)
    indices = {w for n in named for w in setting.on(n)} - before
    indices = indices.union(*map(setting.own, about))
    hidden = indices.union(*(setting.inside(word) for word in indices))
    if more := sorted(now & hidden | setting.knows(now) & indices):
        raise Refused(f"it is assumed of points that do not depend on {more[0]}, as {point} does")
    if indices - setting.index_words and (more := sorted(now - before - setting.index_words)):
        raise Refused(f"{point} depends on {more[0]}, and {says.point}, at which it is written, does not")
    for n in sorted(named & vector.keys()):
        if setting.all_on(vector[n]) - now != setting.on(n) - before:
            raise Refused(f"{vector[n]} should depend on what {n} does beside the point")
    moved = {s: dot(*(vector.get(n, vectors(n)[0]) for n in factors(s) or ())) for s in inner_}
    return each_side(relation, lambda side: side.xreplace({**moved, **value}))


@rule
def monotone(rules: Rules, of: str, *points: str) -> Given:
    """``<g_x - g_y, x - y> >= mu ||x - y||^2``."""
    rules.need_map(of)
    return rules.must(Monotone, of).facts(*rules.at(of, points))


@rule
def projection(rules: Rules, of: str, *points: str) -> Given:
    """``<x - Px, Py - Px> <= 0`` on a closed convex set."""
    return rules.must(ClosedConvex, of).facts(*rules.at(of, points))


@rule
def unprojected(rules: Rules, of: str, point: str) -> Alike:
    """A point is its own projection on a set that is the whole space."""
    rules.must(WholeSpace, of)
    rules.must(ClosedConvex, of)
    ((u, image),) = maps(rules.setting.points(of, (point,)))
    return Alike(image, u, rules.setting.names.__contains__)


@rule
def mean(rules: Rules, of: str) -> Alike:
    """A mean has the same inner product as what it is the mean of with every vector that does not have the index.

    A mean over a source of randomness is a mean given the rest of that vector, and no other source need be apart.
    """
    setting, how = rules.setting, _among(rules.setting.means, of, "mean")
    if isinstance(how, SampleMean):
        rules.drawn(how)
    elif how.over in setting.weighted:
        rules.must(Weighted, how.over)
    hidden = setting.inside(how.over)
    if isinstance(how, SampleMean):
        draws = {m.draw for m in setting.means.values() if isinstance(m, SampleMean)}
        hidden |= {draw for draw in draws if draw == how.draw or not rules.one(Sampled, draw)}
    u, v = vectors(f"{of} {how.of}")
    apart = how.over in setting.index_words or isinstance(how, SampleMean)
    every = frozenset().union(*map(setting.on, setting.names))
    known = every if apart else setting.on(how.of) | setting.index_words
    # a source or a draw, and not an index, may also be known by a word for all that belongs to an index
    secret = hidden - setting.inside(how.over) if apart else hidden
    return Alike(
        u,
        v,
        lambda n: n in setting.names and setting.on(n) <= known - hidden and not setting.knows(setting.on(n)) & secret,
    )


@rule
def written_out(rules: Rules, of: str) -> Alike:
    """A vector is the combination of others that the setting says."""
    (u,) = vectors(of)
    return Alike(u, _among(rules.setting.sums, of, "combination"), lambda n: True)


@rule
def fresh(rules: Rules, of: str) -> Alike:
    """A noise, or a mean of noises, is orthogonal to every vector that is known before it."""
    setting, given = rules.setting, rules.centred(of)
    # what is made of a noise is not known before it, and all copies of a source together are not what one of them is
    secret = setting.on(of) - given
    known = (
        n
        for n in setting.names
        if setting.on(n) <= given and of not in setting.parts(n) and not setting.scattered(n)
        if not setting.knows(setting.on(n)) & secret
    )
    (u,) = vectors(of)
    return Alike(u, Vector(), {*known}.__contains__)


@rule
def variance(rules: Rules, of: str) -> Given:
    """The second moment of a noise; of a mean of noises that are uncorrelated, in terms of that of one noise.

    ``count E||mean||^2 = E||noise||^2``; for weights of at most ``largest`` over their number it is
    ``<= largest E||noise||^2``.
    """
    if bound := rules.one(BoundedVariance, of):
        return _given(*(le(norm2(v), bound.bound) for v in vectors(of)))
    if of not in rules.setting.means:
        raise Refused(f"the claim does not assume BoundedVariance of {of}")
    how = rules.setting.means[of]
    count, most = rules.count(how), rules.largest(how)
    u, v = map(norm2, vectors(f"{of} {how.of}"))
    return _given(eq(count * u, v) if most is None else le(count * u, most * v))


@rule
def sampling(rules: Rules, of: str) -> Given:
    """The second moment of a mean over a sample drawn without replacement.

    With ``v`` the vector, ``s`` its mean over ``count`` of ``size`` values and, where the setting names it, ``m`` that
    over all values, ``count (size - 1) E||s - m||^2 = (size - count) E||v - m||^2`` (Cochran 1977, Sampling Techniques,
    Theorem 2.2); of this, for ``size >= 1``, ``count E||s - m||^2 <= E||v - m||^2`` and
    ``count size E||s - m||^2 <= 2 (size - count) E||v - m||^2``. In any case ``E||s||^2 <= E||v||^2``.

    Where the values have weights ``w_i <= largest / size``, all this is true of ``size w_i v_i`` and its plain mean; as
    ``size sum_i w_i^2 ||v_i||^2 <= largest sum_i w_i ||v_i||^2``,
    ``count (size - 1) E||s||^2 <= size (count - 1) ||m||^2 + (size - count) largest E||v||^2`` for ``count <= size``.
    """
    how = rules.setting.means.get(of)
    if not isinstance(how, SampleMean):
        raise Refused(f"{of} is no mean over a sample")
    drawn, most = rules.drawn(how), rules.largest(how)
    count, size = drawn.count, drawn.size
    s, v = vectors(f"{of} {how.of}")
    named = [vectors(n)[0] for n, m in rules.setting.means.items() if m == Mean(how.of, how.over)][:1]
    relations = [le(norm2(s), norm2(v) if most is None else most * norm2(v))]
    for m in named:
        if most is None:
            apart, spread = norm2(s - m), norm2(v - m)
            relations += [
                eq(count * (size - 1) * apart, (size - count) * spread),
                le(count * apart, spread),
                le(count * size * apart, 2 * (size - count) * spread),
            ]
        else:
            bound = size * (count - 1) * norm2(m) + (size - count) * most * norm2(v)
            relations.append(le(count * (size - 1) * norm2(s), bound))
    return _given(*relations, where=() if most is None else (le(count, size),))


# --- samples


@rule
def mcdiarmid(rules: Rules, of: str, u: sp.Expr, *more: str | sp.Expr) -> Given:
    """``Pr(X >= E X + u) <= exp(-2 u^2 / squares)`` of a function of independent draws, for ``u >= 0``.

    McDiarmid 1989, On the method of bounded differences, Lemma 1.2; Boucheron, Lugosi and Massart 2013, Concentration
    Inequalities, Theorem 6.2. To the function ``more`` may add others, each with a factor ``c >= 0`` after it, of the
    same draws or of any others: as ``exp`` is convex, the root of ``squares`` of a sum is the sum of all roots.
    """
    factors = [sp.S.One, *map(sp.sympify, more[1::2])]
    parts = [rules.must(BoundedDifferences, str(name)) for name in (of, *more[::2])]
    pairs = [*zip(factors, parts, strict=True)]
    value, mean = sp.Add(*(c * p.value for c, p in pairs)), sp.Add(*(c * p.mean for c, p in pairs))
    squares = sp.Add(*(c * sp.sqrt(p.squares) for c, p in pairs)) ** 2
    u = sp.sympify(u)
    roots = [f for f in sp.Mul.make_args(u) if f.is_Pow and f.exp == sp.S.Half]
    known = (
        *(ge(u / sp.Mul(*roots), 0), *(ge(root.base, 0) for root in roots)),
        *(*(gt(p.squares, 0) for p in parts), *(ge(c, 0) for c in factors[1:])),
    )
    return _given(le(Pr(ge(value, mean + u)), sp.exp(-2 * u**2 / squares)), where=known)


@rule
def symmetrisation(rules: Rules, of: str) -> Given:
    """``E sup_f sum_i a_i (E f(z_i) - f(z_i)) <= 2 E sup_f sum_i s_i a_i f(z_i)``, with fair signs ``s_i``.

    Boucheron, Lugosi and Massart 2013, Concentration Inequalities, Lemma 11.4.
    """
    says = rules.must(Symmetrised, of)
    return _given(le(says.mean, 2 * says.average))


@rule
def hoeffding(rules: Rules, of: str) -> Given:
    """``E exp(c (X - E X)) <= exp(c^2 width^2 / 8)`` of a number in an interval of length ``width``.

    Hoeffding 1963, Probability inequalities for sums of bounded random variables, (4.16).
    """
    says = rules.must(ExponentialMoment, of)
    return _given(le(says.moment, sp.exp(says.factor**2 * says.width**2 / 8)))


@rule
def dudley(rules: Rules, of: str) -> Given:
    """``average <= 6 sqrt(exponent (log(4 C) + 1)/count)``, and ``C >= 1``, of signs over a class that is covered.

    Boucheron, Lugosi and Massart 2013, Concentration Inequalities, Corollary 13.2: ``sqrt(count) average`` is at most
    ``12 int_0^(1/2) sqrt(log D(e)) de`` with the packing numbers D(e). These are at most the covering numbers at e/2,
    so that it is at most ``24 sqrt(exponent) int_0^(1/4) sqrt(log(C/e)) de``; then by Jensen's inequality.
    """
    says = rules.must(Covered, of)
    bound = 6 * sp.sqrt(says.exponent * (sp.log(4 * says.C) + 1) / says.count)
    # with the exponent 0 one ball is enough for any C
    return _given(
        le(says.average, bound), ge(says.C, 1), where=tuple(gt(x, 0) for x in (says.C, says.count, says.exponent))
    )


# --- what a combination of functions with nonnegative factors, or their mean, has of what they have


def _strongly_convex(rules: Rules, of: str, parts: dict[str, sp.Expr]) -> StronglyConvex | None:
    strong = {n: rules.one(StronglyConvex, n) for n in parts}
    if not any(strong.values()) or not all(a or rules.is_convex(n) for n, a in strong.items()):
        return None
    return StronglyConvex(of, sp.Add(*(c * a.mu for n, c in parts.items() if (a := strong[n]))))


def _convex(rules: Rules, of: str, parts: dict[str, sp.Expr]) -> Convex | None:
    return Convex(of) if all(map(rules.is_convex, parts)) else None


def _attained(rules: Rules, of: str, parts: dict[str, sp.Expr]) -> Attained | None:
    return Attained(of) if rules.exists(Attained(of)) else None


def _bounded_below(rules: Rules, of: str, parts: dict[str, sp.Expr]) -> BoundedBelow | None:
    low = all(rules.one(BoundedBelow, n) or rules.one(Attained, n) for n in parts)
    return BoundedBelow(of) if low else None


def _smooth(rules: Rules, of: str, parts: dict[str, sp.Expr]) -> Smooth | None:
    found = [(c, rules.one(Smooth, n)) for n, c in parts.items()]
    sets = {a.on for _, a in found if a} - {""}
    known = all(a for _, a in found) and len(sets) <= 1
    return Smooth(of, sp.Add(*(c * a.L for c, a in found if a)), *sets) if known else None


def _bounded_gradient(rules: Rules, of: str, parts: dict[str, sp.Expr]) -> BoundedGradient | None:
    found = [(c, rules.one(BoundedGradient, n)) for n, c in parts.items()]
    blocks = {a.block for _, a in found if a}
    known = all(a for _, a in found) and len(blocks) == 1
    return BoundedGradient(of, sp.Add(*(c * a.bound for c, a in found if a)), *blocks) if known else None


_COMBINED: dict[type[Assumption], Callable[[Rules, str, dict[str, sp.Expr]], Assumption | None]] = {
    StronglyConvex: _strongly_convex,
    Convex: _convex,
    Smooth: _smooth,
    BoundedGradient: _bounded_gradient,
    BoundedBelow: _bounded_below,
    Attained: _attained,
}
