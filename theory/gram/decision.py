"""Decide an inequality between inner products: proved, refuted by explicit vectors, or open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, takewhile
from time import process_time

import sympy as sp

from rateproof.theory.gram import counterexample, sdp
from rateproof.theory.gram.counterexample import Refuted
from rateproof.theory.gram.domain import Point, factored
from rateproof.theory.gram.face import monomial_multipliers, rational_multipliers
from rateproof.theory.gram.facts import Given
from rateproof.theory.gram.fit import Fit
from rateproof.theory.gram.forms import Multipliers, Problem, check_rational, gap, read, remainder, rooted
from rateproof.theory.gram.multipliers import basic, feasible, symbolic
from rateproof.theory.gram.reduction import Reduced, reduced
from rateproof.theory.gram.relaxed import relaxations
from rateproof.theory.gram.squares import Obstacle, semidefinite
from rateproof.theory.gram.vectors import Vector, combination

_SCREENING_SAMPLES = 6
_REFUTING_SAMPLES = 12
_REFUTING_FIRST = 4
_GUESSES = 12


@dataclass(frozen=True)
class Proved:
    """``large side - small side = sum of multiplier * premise + sum of pivot * ||vector||^2 + constant``, exactly.

    Attributes:
        multipliers: (premise, multiplier), the multipliers nonnegative (of any sign for an equation), none zero.
        squares: (pivot, vector), the pivots nonnegative.
        minors: principal minors of what the squares leave, all nonnegative; empty when the squares are all.
        constant: what is left without vectors and values, nonnegative.
        signs: what was shown about the parameters, and how.
        relation: the inequality.
    """

    multipliers: tuple[tuple[sp.Rel, sp.Expr], ...]
    squares: tuple[tuple[sp.Expr, Vector], ...]
    minors: tuple[sp.Expr, ...]
    constant: sp.Expr
    signs: tuple[str, ...]
    relation: sp.Rel

    @property
    def text(self) -> str:
        """The identity, written out."""
        return _text(self.relation, self.multipliers, self.squares, self.minors, self.constant)

    def __str__(self) -> str:
        return "; ".join((self.text, *self.signs))


@dataclass(frozen=True)
class Open:
    """Neither proved nor refuted, and why."""

    why: str

    def __str__(self) -> str:
        return self.why


def decide(
    relation: sp.Rel,
    *,
    given: Sequence[sp.Rel | Given] = (),
    assuming: Sequence[sp.Rel] = (),
    multipliers: Sequence[sp.Expr] | None = None,
    values: Sequence[sp.Symbol] | None = None,
    seconds: float | None = 60,
) -> Proved | Refuted | Open:
    """Decide ``lhs <= rhs`` for all vectors, values and parameters that satisfy the premises.

    In a space with at least as many dimensions as there are basic vectors, a quadratic form in them is nonnegative
    iff its matrix is positive semidefinite, and a premise can be used only with a nonnegative multiplier; a proof
    holds in every space. A refutation is of the step from these premises to this statement: its vectors and values
    belong to a function of the class only where the premises are interpolation conditions. Parameters and values are
    as their symbols say, real at least. Parameters also satisfy ``assuming`` and the conditions that a :class:`Given`
    brings along, and are such that no denominator is zero and every square root is real.

    Args:
        relation: ``<=`` or ``>=``, linear in inner products and values; coefficients rational functions (square roots
            included) of the parameters.
        given: what the vectors and values satisfy: inequalities, equations, or :class:`Given`.
        assuming: relations between the parameters.
        multipliers: one for each inequality of ``given`` in their order (then one for each value with a sign), to
            check instead of searching.
        values: the scalars that enter linearly; by default all without a sign that never multiply a vector.
        seconds: of processor time, after which the search tries nothing new, and as many again with fewer premises
            and conditions; None for no limit. The longest step of the papers takes a sixth of the default.

    Raises:
        ValueError: a relation is outside this calculus; the message names it.
    """
    for name, option in (("given", given), ("assuming", assuming), ("values", values), ("multipliers", multipliers)):
        if isinstance(option, (Given, sp.Basic, str)):
            raise ValueError(f"{name} should be a list; got {option} alone")
    problem = read(relation, given, assuming, values, signed=multipliers is None)
    if multipliers is not None and not problem.domain.contradictory():
        return _check(problem, multipliers)
    problem = replace(problem, premises=tuple(p for p in problem.premises if not p.form.nothing))
    points = problem.domain.samples()
    if not points:
        none = "no parameters satisfy the assumptions" if problem.domain.contradictory() else "no parameters found"
        return Open(f"{none}: {', '.join(map(str, problem.domain.conditions))}")
    found = _decide(_limited(problem, seconds), points)
    if isinstance(found, Open):
        for fewer in relaxations(_limited(problem, seconds), points):
            again = _decide(fewer, fewer.domain.samples() or points, refute=False)
            if isinstance(again, Proved):
                return again
    return found


def _limited(problem: Problem, seconds: float | None) -> Problem:
    """The problem with so many seconds left from now on."""
    if seconds is None:
        return problem
    return replace(problem, domain=replace(problem.domain, until=process_time() + seconds))


def _check(problem: Problem, multipliers: Sequence[sp.Expr]) -> Proved | Open:
    """Whether the caller's multipliers prove a problem; their square roots have to exist for all parameters."""
    if len(multipliers) != len(problem.premises):
        raise ValueError(f"{len(multipliers)} multipliers for {len(problem.premises)} inequalities in given")
    roots = dict(problem.domain.roots)
    rational = tuple(rooted(sp.sympify(m, rational=True), roots) for m in multipliers)
    for multiplier in rational:
        check_rational(multiplier, {*problem.domain.parameters, *roots})
    domain = problem.domain
    for root in (s for s in roots if s not in problem.domain.roots):
        under = roots[root]
        check_rational(under, {*domain.parameters, *roots})
        defined = domain.nonzero(sp.fraction(sp.together(under))[1]) is not None
        if not defined or domain.nonnegative(under) is None:
            return Open(f"the multipliers take the square root of {under}, which is not known to be nonnegative")
        domain = replace(domain, roots={**domain.roots, root: under})
    proof = prove(replace(problem, domain=domain), rational)
    return proof if isinstance(proof, Proved) else Open(f"the multipliers do not prove it: {proof.what}")


def prove(problem: Problem, multipliers: Multipliers) -> Proved | Obstacle:
    """Check exactly, for all parameters, that multipliers prove a problem."""
    domain = problem.domain
    reasons: list[str | None] = []
    used = [(m, p) for m, p in zip(multipliers, problem.premises, strict=True) if m != 0]
    for multiplier, premise in used:
        bottom = sp.fraction(sp.together(multiplier))[1]
        reasons.append(domain.nonzero(bottom))
        if reasons[-1] is None:
            return Obstacle(-(bottom**2), f"the denominator {bottom} of a multiplier is not known to be nonzero")
        if not premise.equal:
            reasons.append(domain.nonnegative(multiplier))
            if reasons[-1] is None:
                return Obstacle(
                    multiplier, f"the multiplier {multiplier} of {premise.why} is not known to be nonnegative"
                )
    rest = remainder(problem, multipliers)
    for value, coefficient in zip(problem.values, rest.linear, strict=True):
        if coefficient != 0:
            return Obstacle(-(coefficient**2), f"{value} is left with the coefficient {coefficient}")
    reasons.append(domain.nonnegative(rest.constant))
    if reasons[-1] is None:
        return Obstacle(rest.constant, f"the constant {rest.constant} is not known to be nonnegative")
    form = semidefinite(rest.matrix, domain)
    if isinstance(form, Obstacle):
        return form
    back = domain.unrooted
    squares = tuple(
        (pivot, combination({name: factored(back(x)) for name, x in zip(problem.names, row, strict=True)}))
        for pivot, row in zip((factored(back(p)) for p in form.pivots), form.rows, strict=True)
        if pivot != 0
    )
    terms = tuple((p.relation, factored(back(m))) for m, p in used)
    signs = tuple(dict.fromkeys(r for r in (*reasons, *form.reasons) if r))
    minors, constant = tuple(map(back, form.minors)), back(rest.constant)
    return Proved(terms, squares, minors, constant, signs, problem.relation)


def _text(
    relation: sp.Rel,
    terms: Sequence[tuple[sp.Rel, sp.Expr]],
    squares: Sequence[tuple[sp.Expr, Vector]],
    minors: Sequence[sp.Expr],
    constant: sp.Expr,
) -> str:
    small, large = relation.args if relation.rel_op == "<=" else relation.args[::-1]
    parts = [f"{_factor(m)}({gap(r)})" for r, m in terms]
    parts += [f"{_factor(pivot)}||{vector}||^2" for pivot, vector in squares]
    if minors:
        parts.append(f"a form with the principal minors {', '.join(map(str, minors))}")
    if constant != 0 or not parts:
        parts.append(str(constant))
    return f"({large}) - ({small}) = {' + '.join(parts)}"


def _factor(scalar: sp.Expr) -> str:
    if scalar == 1:
        return ""
    return f"({scalar})*" if scalar.is_Add or scalar.is_negative else f"{scalar}*"


def _decide(problem: Problem, points: Sequence[Point], *, refute: bool = True) -> Proved | Refuted | Open:
    """Exact candidates, then counterexamples unless only a proof is asked, then multipliers that are fitted."""
    domain = problem.domain
    at = domain.complete(_generic(points))
    tried: list[Obstacle] = []
    in_time = partial(takewhile, lambda _: not domain.spent)

    def attempt(reduction: Reduced, candidate: Multipliers) -> Proved | None:
        found = prove(reduction.whole, reduction.lift(candidate))
        if isinstance(found, Proved):
            return found
        tried.append(found)
        return None

    reduction = reduced(problem, at)
    for candidate in in_time(_determined(reduction.problem, points, solve=False)):
        if proof := attempt(reduction, candidate):
            return proof
    if not domain.parameters and at == domain.complete(points[0], exact=True):
        found = rational_multipliers(reduction.problem.at(at))
        if found is not None and (proof := attempt(reduction, found)):
            return proof
    unproved = (p for p in points if next(basic(problem.at(domain.complete(p))), None) is None)
    trials = islice(unproved, _REFUTING_SAMPLES if refute else 0)
    violating = (p for obstacle in list(tried) if refute and (p := domain.violation(obstacle.expr)) is not None)
    for point in in_time(chain(islice(trials, _REFUTING_FIRST), violating)):
        if refuted := counterexample.search(problem, point):
            return refuted
    for candidate in in_time(_determined(reduction.problem, points, solve=True)):
        if proof := attempt(reduction, candidate):
            return proof
    for space in (reduction, *([reduced(problem, at, orthogonal=False)] if reduction.spent else [])):
        fit = Fit(space.problem)
        for candidate in in_time(islice(fit.guesses(), _GUESSES)):
            if proof := attempt(space, candidate):
                return proof
            if (failing := domain.violation(tried[-1].expr)) is not None:
                if refute and (refuted := counterexample.search(problem, failing)):
                    return refuted
                fit.also(failing)
    if domain.parameters and not domain.spent:
        found = monomial_multipliers(reduction.problem, points[0])
        if found is not None and (proof := attempt(reduction, found)):
            return proof
    for point in in_time(trials):
        if refuted := counterexample.search(problem, point):
            return refuted
    if domain.spent:
        return Open(
            "the search was ended before it had tried everything; give multipliers=, split the step or its "
            "assumptions, or allow more seconds="
        )
    of_one = f" (of one candidate, {tried[0].what})" if tried else ""
    return Open(
        f"no multipliers were found that prove it{of_one}, and no vectors at round parameters that violate it; "
        "give multipliers= or split the assumptions"
    )


def _generic(points: Sequence[Point]) -> Point:
    """A sample where not all parameters are 1, a value at which much that is positive elsewhere vanishes."""
    return next((p for p in points if any(x != 1 for x in p.values())), points[0])


def _determined(problem: Problem, points: Sequence[Point], *, solve: bool) -> Iterator[Multipliers]:
    """Multipliers that the linear conditions determine and that prove the problem at samples with exact numbers.

    ``solve``: on premises that suffice at one sample by a semidefinite programme, instead of few premises and all.
    """
    if not problem.premises:
        if not solve:
            yield ()
        return
    domain = problem.domain
    exact = [p for p in points if domain.complete(p) == domain.complete(p, exact=True)]
    samples = [(at, problem.at(at)) for at in map(domain.complete, exact[:_SCREENING_SAMPLES])]
    numbers = problem.at(domain.complete(_generic(exact or points)))
    every = tuple(range(len(problem.premises)))
    supports = filter(None, [sdp.minimal_support(numbers)]) if solve else chain(basic(numbers), [every])
    seen: set[Multipliers] = set()
    for support in supports:
        for candidate in symbolic(problem, support):
            if candidate not in seen and all(feasible(n, [m.xreplace(at) for m in candidate]) for at, n in samples):
                yield candidate
            seen.add(candidate)
