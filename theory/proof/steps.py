"""The steps of a proof, as its author writes them.

Proof(
    have("split", le(mean_sq_G, 2 * split + 2 * d)),
    have("descent", le(F_next, F - ...), by=[smooth("f", "x", "x+"), fresh("e")]),
    have("drift", ..., by=[cite("lem11.i", at={k: T_r}), "split"]),
    induct("all steps", le(D(k), ...), over=k, by=["one step"]),
    qed(by=["descent", "drift"]),
)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from rateproof.theory.gram import Vector

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim


@dataclass(frozen=True)
class Rule:
    """What typed assumptions of the claim, or the means of its setting, give.

    Attributes:
        name: of the rule.
        of: the function, set, noise or mean that it is about.
        points: names of points.
    """

    name: str
    of: str
    points: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.name == "unfold":
            return f"definition of {', '.join(self.points)}"
        if self.name == "sequences":
            return "metrics as sums of sequences"
        return f"{self.name}({', '.join((self.of, *self.points))})"


def convex(of: str, *points: str) -> Rule:
    """The first-order inequality of a convex or strongly convex function between all pairs of points."""
    return Rule("convex", of, points)


def smooth(of: str, *points: str) -> Rule:
    """The two quadratic bounds of a smooth function between all pairs of points."""
    return Rule("smooth", of, points)


def smooth_convex(of: str, *points: str) -> Rule:
    """``2 L (f(x) - f(y) - <g_y, x - y>) >= ||g_x - g_y||^2`` of a smooth convex function, for all ``L >= 0``.

    Nesterov 2018, Lectures on Convex Optimization, Theorem 2.1.5.
    """
    return Rule("smooth_convex", of, points)


def curvature(of: str) -> Rule:
    """``mu <= L`` of a function that is mu-strongly convex and L-smooth, on a space that is not a point."""
    return Rule("curvature", of)


def cocoercive(of: str, *points: str) -> Rule:
    """``L <g_x - g_y, x - y> >= ||g_x - g_y||^2`` of a smooth convex function, for all ``L >= 0``."""
    return Rule("cocoercive", of, points)


def strongly_convex_smooth(of: str, *points: str) -> Rule:
    """``(mu + L) <g_x - g_y, x - y> >= mu L ||x - y||^2 + ||g_x - g_y||^2`` of a smooth strongly convex function.

    Nesterov 2018, Lectures on Convex Optimization, Theorem 2.1.12.
    """
    return Rule("strongly_convex_smooth", of, points)


def infimum(of: str, *points: str) -> Rule:
    """A function is at least its infimum; that of a mean is at least the mean of the infima."""
    return Rule("infimum", of, points)


def values(of: str, *points: str) -> Rule:
    """The value of a function made of others, where these have values too."""
    return Rule("values", of, points)


def optimal(of: str) -> Rule:
    """``<grad f(x*), p - x*> >= 0`` where ``x*`` minimises ``f`` over a closed convex set, at all named p of it.

    Also for ``grad f(x*)`` times the weights of those that were drawn, its mean over a sample.
    """
    return Rule("optimal", of)


def stationary(of: str) -> Rule:
    """``grad f(x*) = 0`` where ``x*`` minimises ``f`` over a set that is the whole space."""
    return Rule("stationary", of)


def sharp(of: str, *points: str) -> Rule:
    """``E dist <= ((E h - h* + offset)/alpha)^(1/kappa)`` of a weakly sharp function, for ``kappa >= 1``."""
    return Rule("sharp", of, points)


def cauchy_schwarz(bound: sp.Symbol, length: sp.Symbol) -> Rule:
    """``|E<u, v>| <= c E||v||`` for a vector whose norm is at most ``c``, with the names that the setting has."""
    return Rule("cauchy_schwarz", bound.name, (length.name,))


def least(of: sp.Symbol) -> Rule:
    """A minimum over an index is at most each term; for values of the index that are in its range."""
    return Rule("least", of.name)


def largest(of: sp.Symbol) -> Rule:
    """A maximum over an index is at least each term; for values of the index that are in its range."""
    return Rule("largest", of.name)


def affine(of: str, mean: str, each: str) -> Rule:
    """The gradient of a quadratic function at the mean of points is the mean of its gradients there."""
    return Rule("affine", of, (mean, each))


def lipschitz(of: str, *points: str) -> Rule:
    """``||g_x - g_y||^2 <= L^2 ||x - y||^2``, of a Lipschitz map or the gradient of a smooth function."""
    return Rule("lipschitz", of, points)


def bounded(of: str, *points: str) -> Rule:
    """``||g_x||^2 <= bound^2`` of a function whose gradients are bounded."""
    return Rule("bounded", of, points)


def dissimilar(of: str, *points: str) -> Rule:
    """``||g_x - mean g_x||^2 <= bound`` on the mean over an index, in one block of the space."""
    return Rule("dissimilar", of, points)


def monotone(of: str, *points: str) -> Rule:
    """``<g_x - g_y, x - y> >= mu ||x - y||^2``."""
    return Rule("monotone", of, points)


def projection(of: str, *points: str) -> Rule:
    """``<x - Px, Py - Px> <= 0`` on a closed convex set."""
    return Rule("projection", of, points)


def mean(of: str) -> Rule:
    """A mean has the same inner product as what it is the mean of with every vector that does not have the index."""
    return Rule("mean", of)


def written_out(of: str) -> Rule:
    """A vector is the combination of others that the setting says."""
    return Rule("written_out", of)


def unfold(*symbols: sp.Symbol) -> Rule:
    """These defined symbols are what their definitions say; the others are used as numbers of their sign."""
    return Rule("unfold", "definitions", tuple(s.name for s in symbols))


#: Metrics that are terms of sequences, or sums of them, are written so, not as forms.
SEQUENCES = Rule("sequences", "metrics")


#: The rules of the claim's schedule, as equations.
SCHEDULE = Rule("schedule", "rules")


def fresh(of: str) -> Rule:
    """A noise, or a mean of noises, is orthogonal to every vector that is known before it."""
    return Rule("fresh", of)


def variance(of: str) -> Rule:
    """The second moment of a noise; of a mean of noises that are uncorrelated, in terms of that of one noise."""
    return Rule("variance", of)


def sampling(of: str) -> Rule:
    """The second moment of a mean over a sample drawn without replacement."""
    return Rule("sampling", of)


@dataclass(frozen=True)
class Cite:
    """Another claim as it is stated. Its hypotheses have to be among ours, or follow from them.

    Attributes:
        claim: its id; or a lemma of our own, a claim with a proof that need not be in the catalog.
        at: constant of it -> what it is here.
        points: point of a function of it, ``f_i.x`` -> the point of ours, at which the claim is used: in expectation,
            where ours is random.
        vectors: vector of it that belongs to no function -> what it is here. Without points and vectors its metrics
            are ours, or terms of sequences.
    """

    claim: str | Claim
    at: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    vectors: tuple[tuple[str, Vector], ...] = ()

    @property
    def id(self) -> str:
        """The id of the claim."""
        return self.claim if isinstance(self.claim, str) else self.claim.id

    def __str__(self) -> str:
        where = ", ".join(f"{k} = {v}" for k, v in (*self.at, *self.points, *self.vectors) if k != v)
        return f"{self.id}{f' at {where}' if where else ''}"


def cite(
    claim: str | Claim,
    *,
    at: Mapping[sp.Symbol, sp.Expr] | None = None,
    points: Mapping[str, str] | None = None,
    vectors: Mapping[str, Vector] | None = None,
) -> Cite:
    """Another claim of the catalog, or a lemma of our own, as it is stated; noises and other vectors by their names."""
    return Cite(claim, *(tuple((given or {}).items()) for given in (at, points, vectors)))


#: What a step may rest on: an earlier step by its name, a rule, another claim.
Ground = str | Rule | Cite


@dataclass(frozen=True)
class Have:
    """``goal`` (None: relation ``of`` of the statement) follows, by :func:`theory.gram.decide`.

    Attributes:
        when: relations under which it is shown, beside the hypotheses: a case, or the range of an index.
        multipliers: of the premises in their order, where they are not to be searched.
    """

    name: str
    goal: sp.Rel | None
    by: tuple[Ground, ...] = ()
    of: int = 0
    when: tuple[sp.Rel, ...] = ()
    multipliers: tuple[sp.Expr, ...] | None = None


@dataclass(frozen=True)
class Cases:
    """``goal`` follows where ``on`` holds from one step, and where it does not from another, each shown ``when`` so."""

    name: str
    goal: sp.Rel
    on: sp.Rel
    yes: str
    no: str


@dataclass(frozen=True)
class Induct:
    """``goal`` holds for all integers ``over >= start`` (``<= last``, where there is one).

    ``multipliers``: of the premises of the step from one to the next, the hypothesis of the induction last.
    """

    name: str
    goal: sp.Rel
    over: sp.Symbol
    start: sp.Expr
    last: sp.Expr | None
    base: tuple[Ground, ...]
    by: tuple[Ground, ...]
    multipliers: tuple[sp.Expr, ...] | None = None


@dataclass(frozen=True)
class Summed:
    """The step ``of``, times ``weight``, summed over an index from ``start`` to ``last``; ``by``: why it is >= 0."""

    name: str
    of: str
    over: sp.Symbol
    start: sp.Expr
    last: sp.Expr
    weight: sp.Expr = sp.S.One
    by: tuple[Ground, ...] = ()


@dataclass(frozen=True)
class Raised:
    """Both sides of the step ``of`` to a power that is nonnegative; ``by``: why its small side is nonnegative."""

    name: str
    of: str
    to: sp.Expr
    by: tuple[Ground, ...] = ()


@dataclass(frozen=True)
class Split:
    """A power of a sum of ``terms`` with an exponent from 0 to 1; ``by``: why the terms are nonnegative."""

    name: str
    terms: tuple[sp.Expr, ...]
    to: sp.Expr
    by: tuple[Ground, ...] = ()


@dataclass(frozen=True)
class Limit:
    """The step ``of``, which holds for all ``over > 0`` and whose sides are polynomials in it, at ``over = 0``."""

    name: str
    of: str
    over: sp.Symbol


@dataclass(frozen=True)
class At:
    """The step ``of`` with indices or free parameters of its own replaced."""

    name: str
    of: str
    at: tuple[tuple[sp.Symbol, sp.Expr], ...]


@dataclass(frozen=True)
class Total:
    """A bound on a sum for all horizons from ``first`` on, by :func:`theory.sums.decide`.

    ``above``, ``below``: for parameters, the numbers that they are above and below.
    """

    name: str
    goal: sp.Rel
    horizon: sp.Symbol
    first: int = 1
    above: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    below: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()


@dataclass(frozen=True)
class Exponential:
    """``exp`` of both sides of the step ``of``."""

    name: str
    of: str


@dataclass(frozen=True)
class Logarithm:
    """A tangent of the logarithm: ``log z <= z - 1``, or ``log z >= 1 - 1/z``; ``by``: why ``z > 0``."""

    name: str
    of: sp.Expr
    below: bool
    by: tuple[Ground, ...]


@dataclass(frozen=True)
class Rewritten:
    """The step ``of`` with the left sides of shown equations replaced by the right ones."""

    name: str
    of: str
    by: tuple[str, ...]


@dataclass(frozen=True)
class Exponents:
    """The O(.) claim of the statement about what the step ``bound`` bounds follows from it, term by term.

    ``by``: why the symbols of its terms are nonnegative, and ``log R > 0``.
    """

    name: str
    bound: str
    by: tuple[Ground, ...] = ()


@dataclass(frozen=True)
class InWords:
    """A fact that no rule gives, with the reason in words; a proof that has one is an argument, not a certificate."""

    name: str
    goal: sp.Rel
    why: str


Step = (
    Have
    | Cases
    | Induct
    | Summed
    | Raised
    | Split
    | Limit
    | Exponential
    | Logarithm
    | Rewritten
    | At
    | Total
    | Exponents
    | InWords
)


@dataclass(frozen=True, init=False)
class Proof:
    """Steps, the last of which is the statement."""

    steps: tuple[Step, ...]

    def __init__(self, *steps: Step) -> None:
        object.__setattr__(self, "steps", steps)


def have(
    name: str,
    goal: sp.Rel,
    *,
    by: Sequence[Ground] = (),
    when: Sequence[sp.Rel] = (),
    multipliers: Sequence[sp.Expr] | None = None,
) -> Have:
    """A relation that follows from the hypotheses and from ``by``."""
    return Have(name, goal, tuple(by), 0, tuple(when), None if multipliers is None else tuple(multipliers))


def qed(
    *, by: Sequence[Ground] = (), of: int = 0, multipliers: Sequence[sp.Expr] | None = None, name: str = ""
) -> Have:
    """The statement itself; ``of`` says which of its relations, where it has several."""
    title = name or ("the statement" if of == 0 else f"the statement, part {of + 1}")
    return Have(title, None, tuple(by), of, (), None if multipliers is None else tuple(multipliers))


def cases(name: str, goal: sp.Rel, *, on: sp.Rel, yes: str, no: str) -> Cases:
    """A distinction of two cases; of an integer, ``k > 1`` is the other case of ``k <= 1`` and says ``k >= 2``."""
    return Cases(name, goal, on, yes, no)


def induct(
    name: str,
    goal: sp.Rel,
    *,
    over: sp.Symbol,
    start: sp.Expr | int = 0,
    last: sp.Expr | None = None,
    base: Sequence[Ground] = (),
    by: Sequence[Ground] = (),
    multipliers: Sequence[sp.Expr | int] | None = None,
) -> Induct:
    """A relation for all values of an index, by induction."""
    found = None if multipliers is None else tuple(map(sp.sympify, multipliers))
    return Induct(name, goal, over, sp.sympify(start), last, tuple(base), tuple(by), found)


def summed(
    name: str,
    of: str,
    *,
    over: sp.Symbol,
    start: sp.Expr | int,
    last: sp.Expr,
    weight: sp.Expr | int = 1,
    by: Sequence[Ground] = (),
) -> Summed:
    """The sum of a step over an index, times a weight that is nonnegative by ``by``; differences telescope."""
    return Summed(name, of, over, sp.sympify(start), last, sp.sympify(weight), tuple(by))


def raised(name: str, of: str, *, to: sp.Expr, by: Sequence[Ground] = ()) -> Raised:
    """``x^p <= y^p`` from a step ``x <= y``, for ``p >= 0``, where ``x >= 0`` follows from ``by``."""
    return Raised(name, of, sp.sympify(to), tuple(by))


def split(name: str, terms: Sequence[sp.Expr], *, to: sp.Expr, by: Sequence[Ground] = ()) -> Split:
    """``(x + y)^p <= x^p + y^p`` for ``0 <= p <= 1`` and terms that are nonnegative by ``by``.

    Hardy, Littlewood and Polya 1934, Inequalities, Theorem 19 (with ``r = p`` and ``s = 1``).
    """
    return Split(name, tuple(terms), sp.sympify(to), tuple(by))


def limit(name: str, of: str, *, over: sp.Symbol) -> Limit:
    """A step that holds for all positive values of a symbol, at 0: in the limit, as its sides are polynomials."""
    return Limit(name, of, over)


def special(name: str, of: str, at: Mapping[sp.Symbol, sp.Expr]) -> At:
    """An earlier step at values of its indices."""
    return At(name, of, tuple(at.items()))


def total(
    name: str,
    goal: sp.Rel,
    horizon: sp.Symbol,
    *,
    first: int = 1,
    above: Mapping[sp.Symbol, sp.Expr] | None = None,
    below: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Total:
    """A bound on a sum; ``above`` and ``below`` say for its parameters which numbers they are known to be beyond."""
    return Total(name, goal, horizon, first, tuple((above or {}).items()), tuple((below or {}).items()))


def exponential(name: str, of: str) -> Exponential:
    """``exp(x) <= exp(y)`` from ``x <= y``; of a logarithm, ``exp(c log x)`` is ``x^c``."""
    return Exponential(name, of)


def logarithm(name: str, of: sp.Expr, *, below: bool = False, by: Sequence[Ground] = ()) -> Logarithm:
    """``log z <= z - 1``, or the bound from below ``log z >= 1 - 1/z``, for ``z > 0``, which follows from ``by``."""
    return Logarithm(name, of, below, tuple(by))


def rewritten(name: str, of: str, *, by: Sequence[str]) -> Rewritten:
    """An earlier step with equals in the place of equals; ``by`` names equations, whose left sides are replaced."""
    return Rewritten(name, of, tuple(by))


def exponents(name: str, bound: str, *, by: Sequence[Ground] = ()) -> Exponents:
    """Rounds that an accuracy needs, from an explicit bound; see :mod:`theory.proof.exponents`."""
    return Exponents(name, bound, tuple(by))


def in_words(name: str, goal: sp.Rel, why: str) -> InWords:
    """A fact that no rule gives."""
    return InWords(name, goal, why)
