"""Hypotheses with types: what a proof may use of each, and how it reads.

An assumption names what it is about (a function, a noise, a set) as the claim's :class:`theory.proof.Setting` names it,
and carries its constants as symbols. ``facts`` gives what holds at given points, as inequalities between inner
products; ``<u, v>`` stands for ``E <u, v>`` throughout. What cannot be said here stays a hypothesis in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.gram.facts import Given, Point


@dataclass(frozen=True)
class Assumption:
    """Something that a claim assumes of ``of``, the name of a function, noise or set."""

    of: str

    @property
    def constants(self) -> dict[str, sp.Expr]:
        """The constants, by field."""
        return {f.name: v for f in fields(self) if isinstance(v := getattr(self, f.name), sp.Expr)}

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The symbols of which it says something."""
        return {s for e in self.constants.values() for s in e.free_symbols}

    @property
    def numbers(self) -> dict[str, sp.Expr]:
        """Those of the constants that by their meaning do not depend on what is drawn."""
        return {}

    def at(self, constants: dict[sp.Symbol, sp.Expr]) -> Self:
        """The assumption with its symbols replaced."""
        return replace(self, **{k: v.subs(constants, simultaneous=True) for k, v in self.constants.items()})

    def __str__(self) -> str:
        values = ", ".join(str(getattr(self, f.name)) for f in fields(self))
        return f"{type(self).__name__}({values})"


# --- functions; a point is (x, gradient there, value there), and a set or map has points of two


@dataclass(frozen=True)
class Convex(Assumption):
    """``of`` is convex, a subgradient where it has no gradient."""

    def facts(self, *points: Point) -> Given:
        """The first-order inequality between all pairs of points."""
        return gram.convex(*points)


@dataclass(frozen=True)
class StronglyConvex(Assumption):
    """``of`` minus ``mu/2 ||x||^2`` is convex; a negative ``mu`` is weak convexity."""

    mu: sp.Expr

    def facts(self, *points: Point) -> Given:
        """The first-order inequality between all pairs of points."""
        return gram.convex(*points, mu=self.mu)


@dataclass(frozen=True)
class Smooth(Assumption):
    """The gradient of ``of`` is L-Lipschitz on the set ``on``, which is convex; where none is named, everywhere."""

    L: sp.Expr
    on: str = ""

    def facts(self, *points: Point) -> Given:
        """The two quadratic bounds between all pairs of points."""
        return gram.smooth(self.L, *points)


@dataclass(frozen=True)
class Quadratic(Assumption):
    """``of`` is a quadratic function: its gradient is an affine map."""


@dataclass(frozen=True)
class Identical(Assumption):
    """``of`` is the same function for all values of the index ``over``."""

    over: str


@dataclass(frozen=True)
class Lipschitz(Assumption):
    """The map ``of`` is L-Lipschitz; where it is random by the sources ``random``, in mean square over these.

    In mean square is given the sources ``given``: at points that depend on these alone.
    """

    L: sp.Expr
    random: str = ""
    given: str = ""

    def facts(self, *points: Point) -> Given:
        """``||g_x - g_y||^2 <= L^2 ||x - y||^2`` between all pairs of points."""
        return gram.lipschitz(self.L, *maps(points))


@dataclass(frozen=True)
class BoundedGradient(Assumption):
    """``||grad of|| <= bound`` everywhere: ``of`` is Lipschitz with this constant, or its part in ``block`` is so."""

    bound: sp.Expr
    block: str = ""


@dataclass(frozen=True)
class Dissimilar(Assumption):
    """The mean over ``over`` of ``||grad of - mean grad||^2`` is at most ``bound``, at every point.

    ``block`` says of which part of the gradients, "" of all; the mean gradient is over ``over`` too.
    """

    over: str
    block: str
    bound: sp.Expr


@dataclass(frozen=True)
class BoundedDissimilarity(Assumption):
    """The mean over ``over`` of ``||grad of||^2`` is at most ``bound + growth ||mean grad||^2``, at every point.

    (G, B)-bounded gradient dissimilarity is this with ``bound = G^2`` and ``growth = B^2``: Karimireddy et al. 2020,
    SCAFFOLD, (A1).
    """

    over: str
    bound: sp.Expr
    growth: sp.Expr


@dataclass(frozen=True)
class EveryPoint(Assumption):
    """``relation``, which is written at the point ``point`` of ``of``, is true at every point in its place.

    It is linear in inner products and values of functions at that point; what else it speaks of is the same at all.
    """

    point: str
    relation: sp.Rel

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The symbols of the relation."""
        return set(self.relation.free_symbols)


@dataclass(frozen=True)
class EveryRound(Assumption):
    """``relation``, in terms of sequences, is true for all integers ``first <= over``, ``over <= last`` if given.

    ``of`` is a name for it. Its other symbols are the same for all values of the index.
    """

    relation: sp.Rel
    over: sp.Symbol
    first: sp.Expr = sp.S.Zero
    last: sp.Expr | None = None

    @property
    def constants(self) -> dict[str, sp.Expr]:
        """None: what it says, it says in its relation."""
        return {}

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The symbols of the relation and of its range, without the index."""
        parts = (self.relation, self.first, *([] if self.last is None else [self.last]))
        return {s for part in parts for s in part.free_symbols} - {self.over}


@dataclass(frozen=True)
class Monotone(Assumption):
    """The map ``of`` is mu-strongly monotone (``mu = 0``: monotone)."""

    mu: sp.Expr

    def facts(self, *points: Point) -> Given:
        """``<g_x - g_y, x - y> >= mu ||x - y||^2`` between all pairs of points."""
        return gram.monotone(self.mu, *maps(points))


@dataclass(frozen=True)
class ClosedConvex(Assumption):
    """The set ``of`` is closed, convex and not empty; its points are ``(x, projection of x)``, or (x, x) inside it."""

    def facts(self, *points: Point) -> Given:
        """``<x - Px, Py - Px> <= 0`` for all ordered pairs of points."""
        pairs = [(x - p, q - p) for x, p in maps(points) for _, q in maps(points)]
        relations = tuple(sp.Le(gram.dot(u, v), 0, evaluate=False) for u, v in pairs if u.terms and v.terms)
        return Given("projection on a closed convex set", relations)


@dataclass(frozen=True)
class WholeSpace(Assumption):
    """The set ``of`` is the whole space."""


@dataclass(frozen=True)
class Attained(Assumption):
    """``of`` attains its infimum."""


@dataclass(frozen=True)
class BoundedBelow(Assumption):
    """``of`` is bounded from below."""


@dataclass(frozen=True)
class Minimiser(Assumption):
    """The point ``point`` minimises ``of`` over the set ``over``."""

    point: str
    over: str


@dataclass(frozen=True)
class WeaklySharp(Assumption):
    """``of - min of >= alpha dist(., argmin of)^kappa - offset``, ``kappa >= 1``.

    Burke and Ferris, Weak sharp minima in mathematical programming, SIAM J. Control Optim. 31 (1993), for
    ``kappa = 1`` and ``offset = 0``.
    """

    alpha: sp.Expr
    kappa: sp.Expr
    offset: sp.Expr = sp.S.Zero


# --- randomness


@dataclass(frozen=True)
class Unbiased(Assumption):
    """The noise ``of`` has mean zero given ``given``, names of sources of randomness."""

    given: str


@dataclass(frozen=True)
class BoundedVariance(Assumption):
    """``E||of||^2 <= bound``."""

    bound: sp.Expr


@dataclass(frozen=True)
class Independent(Assumption):
    """What the noise ``of`` is at one value of the index ``over`` (a client, a sample of a batch) is independent of all
    noises at the other values, given what it has mean zero given.
    """

    over: str


@dataclass(frozen=True)
class IndependentOf(Assumption):
    """The noise ``of`` is independent of the source of randomness ``source``, given the rest."""

    source: str


@dataclass(frozen=True)
class Sampled(Assumption):
    """``count`` of the ``size`` values of the index ``of`` are drawn uniformly without replacement, apart from all
    other randomness.
    """

    count: sp.Expr
    size: sp.Expr


@dataclass(frozen=True)
class Weighted(Assumption):
    """The values of the index ``of`` have weights ``w_i >= 0`` of sum one, ``w_i <= largest / their number``."""

    largest: sp.Expr


# --- samples


@dataclass(frozen=True)
class BoundedDifferences(Assumption):
    """``value`` is a function of independent draws, and ``mean`` its expectation.

    Another value of the i-th draw alone changes it by at most ``c_i``, and the sum of ``c_i^2`` is at most ``squares``.
    """

    value: sp.Expr
    mean: sp.Expr
    squares: sp.Expr

    @property
    def numbers(self) -> dict[str, sp.Expr]:
        """All but the value."""
        return {"mean": self.mean, "squares": self.squares}


@dataclass(frozen=True)
class Symmetrised(Assumption):
    """Of a class of functions and independent draws, with coefficients ``a_i >= 0`` that may belong to the function.

    ``mean`` is the expectation of the largest ``sum_i a_i (E f(z_i) - f(z_i))``, or of the largest opposite sum, and
    ``average`` that of the largest ``sum_i s_i a_i f(z_i)`` with independent fair signs ``s_i``.
    """

    mean: sp.Expr
    average: sp.Expr


@dataclass(frozen=True)
class Covered(Assumption):
    """``average`` is the expectation of the largest ``sum_i s_i x_i`` over a class of vectors, ``s_i`` fair signs.

    With the distance ``(count sum_i (x_i - y_i)^2)^(1/2)``, which is at most 1 in the class, ``(C/e)^exponent`` balls
    of radius e cover it, for ``0 < e <= 1``. Where the class depends on draws, for all that can be drawn.
    """

    average: sp.Expr
    count: sp.Expr
    C: sp.Expr
    exponent: sp.Expr


@dataclass(frozen=True)
class ExponentialMoment(Assumption):
    """``moment`` is ``E exp(factor (X - E X))`` for a number X that stays in an interval of length ``width``."""

    moment: sp.Expr
    factor: sp.Expr
    width: sp.Expr


# --- methods


@dataclass(frozen=True)
class Returned(Assumption):
    """The vector ``of`` is what the method of the claim returns, run on the function ``loss`` from ``start``.

    It gives a proof nothing; but what other settings say of the vector is true only where it is so.
    """

    loss: str
    start: str


def maps(points: Sequence[Point]) -> list[tuple[gram.Vector, gram.Vector]]:
    """Points without their values.

    Raises:
        ValueError: a point has no gradient or image.
    """
    if any(p[1] is None for p in points):
        raise ValueError("a point has no gradient")
    return [(p[0], p[1]) for p in points if p[1] is not None]
