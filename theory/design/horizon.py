"""The best schedule at a finite horizon, by a geometric programme with a certificate.

With numbers for all constants a bound is a posynomial in the stepsize and the regularisation. A solver proposes a
point; weights of the arithmetic-geometric mean inequality, made to satisfy their equations exactly, prove how far it
can be from the best one (:func:`lower_bound`).
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul
from typing import Any

import sympy as sp

from rateproof.theory.linear import Vector, rational, solve


@dataclass(frozen=True)
class Term:
    """A monomial with a positive coefficient: ``coefficient prod v^powers[v]``; both are exact."""

    coefficient: Fraction
    powers: Mapping[sp.Symbol, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.coefficient <= 0:
            raise ValueError(f"a term of a posynomial should have a positive coefficient, got {self.coefficient}")

    def __mul__(self, other: "Term") -> "Term":
        powers = {
            v: self.powers.get(v, Fraction(0)) + other.powers.get(v, Fraction(0))
            for v in self.powers.keys() | other.powers.keys()
        }
        return Term(self.coefficient * other.coefficient, {v: q for v, q in powers.items() if q})

    def __pow__(self, q: Fraction) -> "Term":
        coefficient = self.coefficient**q if q.denominator == 1 else Fraction(float(self.coefficient) ** float(q))
        return Term(Fraction(coefficient), {v: p * q for v, p in self.powers.items()})


Posynomial = tuple[Term, ...]


@dataclass(frozen=True)
class Programme:
    """Minimise a posynomial under posynomials that should be at most one.

    Attributes:
        objective: its terms.
        constraints: the terms of each constraint.
        names: what each constraint stands for.
    """

    objective: Posynomial
    constraints: tuple[Posynomial, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        """All variables, those that stand for a maximum or a root included."""
        return tuple(
            sorted({v for posy in (self.objective, *self.constraints) for t in posy for v in t.powers}, key=str)
        )


@dataclass(frozen=True)
class BestPoint:
    """The best schedule at a finite horizon.

    Attributes:
        point: the variables.
        value: upper bound on the objective there.
        lower: what no admissible point falls below; :func:`lower_bound` of ``weights``.
        active: names of the given constraints that hold with equality, to 1e-4.
        programme, weights: the certificate.
    """

    point: Mapping[sp.Symbol, float]
    value: float
    lower: float
    active: tuple[str, ...]
    programme: Programme
    weights: tuple[tuple[Fraction, ...], ...]

    @property
    def gap(self) -> float:
        """Certified relative distance to the optimum."""
        return self.value / self.lower - 1


#: From a point to a monomial that is at most the symbol everywhere, and equal to it at the point.
Minorant = Callable[[Mapping[sp.Symbol, float]], Term]
ROUNDS, SETTLED = 40, 1e-4
#: The solver is asked for a point that is this much inside, so that the one it returns satisfies the constraints.
MARGINS = (1e-9, 1e-7, 1e-5)
#: A constraint this far from equality, or with a smaller multiplier, is taken for inactive.
LOOSE, NEGLIGIBLE = 1e-3, (1e-9, 1e-7, 1e-5)


def best_finite_horizon(
    bound: sp.Expr,
    variables: Sequence[sp.Symbol],
    *,
    values: Mapping[sp.Symbol, float] | None = None,
    constraints: Mapping[str, sp.Rel] | None = None,
    minorants: Mapping[sp.Symbol, Minorant] | None = None,
    start: Mapping[sp.Symbol, float] | None = None,
) -> BestPoint:
    """The stepsize, regularisation, ... that minimise an explicit bound, with a certificate of optimality.

    A symbol under a reciprocal that is no monomial of the variables (a sum of weights) is replaced by a monomial
    minorant, which makes the objective a posynomial upper bound of ``bound`` that is equal to it at the point of
    tangency. This is repeated from the point found until it settles: the certificate then is about that upper bound.

    Args:
        bound: sum of products of powers of the variables with nonnegative coefficients, maxima and positive roots.
        variables: what is chosen; positive.
        values: numbers for all other symbols.
        constraints: name -> relation ``<=`` or ``>=`` between such expressions.
        minorants: symbol -> its minorant; needs ``start``.
        start: where the minorants are first taken.

    Raises:
        ValueError: an expression is no posynomial (the part is named), no admissible point was found, or the bound
            has no minimum.
    """
    numbers = {v: sp.Float(x) for v, x in (values or {}).items()}
    limits = {name: _at_most_one(r, numbers) for name, r in (constraints or {}).items()}
    bound = sp.sympify(bound).xreplace(numbers)
    point = dict(start or {})
    if minorants and set(point) < set(variables):
        raise ValueError("minorants need a start: a number for every variable")
    best: BestPoint | None = None
    for _ in range(ROUNDS if minorants else 1):
        lower = {s: minorant(point) for s, minorant in (minorants or {}).items()}
        programme = programme_of(bound, limits, variables, lower)
        best = _solved(programme, variables, limits, point)
        moved = max((abs(math.log(best.point[v] / point[v])) for v in variables if v in point), default=0.0)
        point = dict(best.point)
        if moved < SETTLED:
            break
    assert best is not None
    return best


def programme_of(
    bound: sp.Expr,
    limits: Mapping[str, sp.Expr],
    variables: Sequence[sp.Symbol],
    minorants: Mapping[sp.Symbol, Term] | None = None,
) -> Programme:
    """The geometric programme of a bound and of expressions that should be at most one.

    A maximum, or a root of a sum, becomes a variable of its own that is at least as large.

    Raises:
        ValueError: an expression is no posynomial; the part is named.
    """
    reader = _Reader(variables, minorants or {})
    objective = reader.read(bound)
    if not objective:
        raise ValueError(f"the bound {bound} is zero: there is nothing to minimise")
    read = {name: reader.read(e) for name, e in limits.items()} | reader.extra
    return Programme(objective, tuple(p for p in read.values() if p), tuple(n for n, p in read.items() if p))


def lower_bound(programme: Programme, weights: Sequence[Sequence[Fraction]]) -> float:
    """What the objective is at least, at every admissible point, by weights of the arithmetic-geometric mean.

    With weights ``d >= 0``, summing to one over the objective's terms and orthogonal to the exponents of every
    variable, the objective is at least ``prod (c_k/d_k)^d_k prod l_i^l_i``, ``l_i`` the sum over constraint ``i``.
    The weights are checked exactly and the value is the lower end of a ball.

    Raises:
        ValueError: the weights break one of these conditions; it is named.
    """
    from flint import arb

    groups = (programme.objective, *programme.constraints)
    if [len(g) for g in groups] != [len(w) for w in weights]:
        raise ValueError("there should be one weight for every term")
    if any(d < 0 for w in weights for d in w):
        raise ValueError("a weight is negative")
    if sum(weights[0]) != 1:
        raise ValueError(f"the weights of the objective sum to {sum(weights[0])}, not to 1")
    for v in programme.variables:
        moment = sum(
            d * t.powers.get(v, 0) for g, w in zip(groups, weights, strict=True) for t, d in zip(g, w, strict=True)
        )
        if moment:
            raise ValueError(f"the weights are not orthogonal to the exponents of {v}: {float(moment):.3g}")

    total = arb(0)
    for group, chosen in zip(groups, weights, strict=True):
        for term, d in zip(group, chosen, strict=True):
            if d:
                total += _ball(d) * _ball(term.coefficient / d).log()
    for chosen in weights[1:]:
        if size := sum(chosen):
            total += _ball(size) * _ball(size).log()
    return math.nextafter(float(total.exp().lower()), -math.inf)


class _Reader:
    """Turns expressions into posynomials; ``extra`` collects the constraints of the variables that it introduces."""

    def __init__(self, variables: Sequence[sp.Symbol], minorants: Mapping[sp.Symbol, Term]) -> None:
        self.variables, self.minorants = variables, minorants
        self.extra: dict[str, Posynomial] = {}
        self.known: dict[sp.Expr, sp.Symbol] = {}

    def read(self, expr: sp.Expr) -> Posynomial:
        if expr.is_number:
            value = float(expr)
            if not 0 <= value < math.inf:
                raise ValueError(f"{expr} is no posynomial: a coefficient should be finite and not negative")
            return (Term(Fraction(value)),) if value else ()
        if expr in self.variables:
            return (Term(Fraction(1), {expr: Fraction(1)}),)
        if isinstance(expr, sp.Add):
            return tuple(t for part in expr.args for t in self.read(part))
        if isinstance(expr, sp.Mul):
            return self._product(self.read(part) for part in expr.args)
        if isinstance(expr, sp.Max):
            return self._above(expr, expr.args)
        if isinstance(expr, sp.Pow) and expr.exp.is_number:
            return self._power(expr, Fraction(float(expr.exp)) if not expr.exp.is_Rational else rational(expr.exp))
        free = [s for s in expr.free_symbols if s not in self.variables]
        hint = (
            f"give numbers for {', '.join(sorted(map(str, free)))}" if free else "only sums, products, powers, maxima"
        )
        raise ValueError(f"{expr} is no posynomial in {', '.join(map(str, self.variables))}: {hint}")

    def _power(self, expr: sp.Pow, q: Fraction) -> Posynomial:
        if expr.base in self.minorants:
            if q > 0:
                raise ValueError(f"{expr} is no posynomial: a minorant of {expr.base} bounds negative powers only")
            return (self.minorants[expr.base] ** q,)
        base = self.read(expr.base)
        if len(base) == 1:
            return (base[0] ** q,)
        if not base or q < 0:
            raise ValueError(f"{expr} is no posynomial: only a single term may stand under a negative power")
        if q.denominator == 1:
            return self._product([base] * int(q))
        return tuple(t**q for t in self._above(expr.base, (expr.base,)))

    def _product(self, factors: Iterable[Posynomial]) -> Posynomial:
        out: Posynomial = (Term(Fraction(1)),)
        for factor in factors:
            out = tuple(s * t for s in out for t in factor)
        return out

    def _above(self, expr: sp.Expr, parts: Iterable[sp.Expr]) -> Posynomial:
        """A variable that is at least each of the parts."""
        if expr not in self.known:
            upper = self.known[expr] = sp.Dummy(f"above_{len(self.known)}", positive=True)
            inverse = Term(Fraction(1), {upper: Fraction(-1)})
            for part in parts:
                self.extra[f"{upper} >= {part}"] = tuple(t * inverse for t in self.read(part))
        return (Term(Fraction(1), {self.known[expr]: Fraction(1)}),)


def _at_most_one(relation: sp.Rel, numbers: Mapping[sp.Symbol, sp.Float]) -> sp.Expr:
    """``small / large``, which the relation wants to be at most one."""
    if not isinstance(relation, sp.Rel) or relation.rel_op not in ("<=", ">="):
        raise ValueError(f"constraint {relation} should be an inequality <= or >=")
    small, large = relation.args if relation.rel_op == "<=" else reversed(relation.args)
    return small.xreplace(numbers) / large.xreplace(numbers)


def _solved(
    programme: Programme, variables: Sequence[sp.Symbol], given: Collection[str], near: Mapping[sp.Symbol, float]
) -> BestPoint:
    """Solve, repair and certify; a solver's status decides nothing."""
    for margin in MARGINS:
        point = _propose(programme, margin, near)
        if point is not None and all(_value(posy, point) <= 1 for posy in programme.constraints):
            break
    else:
        raise ValueError(f"no admissible minimum was found under {', '.join(given) or 'no constraints'}")
    weights = _weights(programme, point)
    sizes = [_value(posy, point) for posy in programme.constraints]
    return BestPoint(
        point={v: point[v] for v in variables if v in point},
        value=_value(programme.objective, point),
        lower=lower_bound(programme, weights),
        active=tuple(n for n, x in zip(programme.names, sizes, strict=True) if n in given and x > 1 - 1e-4),
        programme=programme,
        weights=weights,
    )


def _propose(programme: Programme, margin: float, near: Mapping[sp.Symbol, float]) -> dict[sp.Symbol, float] | None:
    """What the solver returns, if it is a point.

    Variables are scaled by a point nearby, so that the solver meets no huge coefficients.
    """
    import warnings

    import cvxpy as cp

    scale = {v: near.get(v, 1.0) for v in programme.variables}
    unknown = {v: cp.Variable(pos=True) for v in programme.variables}

    def posynomial(terms: Posynomial, inflated: float = 1.0) -> Any:
        monomial = [
            math.prod((unknown[v] ** float(q) for v, q in t.powers.items()), start=float(size) * inflated)
            for t, size in zip(terms, _balls(terms, scale), strict=True)
        ]
        return cp.sum(cp.hstack(monomial)) if len(monomial) > 1 else monomial[0]

    problem = cp.Problem(
        cp.Minimize(posynomial(programme.objective)),
        [posynomial(posy, 1 + margin) <= 1 for posy in programme.constraints],
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the certificate says how accurate the point is
            problem.solve(gp=True, solver=cp.CLARABEL)
    except cp.SolverError:
        return None
    found = {v: x.value for v, x in unknown.items()}
    if any(x is None or not math.isfinite(x) or x <= 0 for x in found.values()):
        return None
    return {v: float(x) * scale[v] for v, x in found.items()}


def _value(terms: Posynomial, point: Mapping[sp.Symbol, float]) -> float:
    """Upper end of the ball around a posynomial's value."""
    return math.nextafter(float(sum(_balls(terms, point)).upper()), math.inf)


def _balls(terms: Posynomial, point: Mapping[sp.Symbol, float]) -> list[Any]:
    from flint import arb

    def power(v: sp.Symbol, q: Fraction) -> Any:
        return arb(point[v]) ** _ball(q)

    return [math.prod((power(v, q) for v, q in t.powers.items()), start=_ball(t.coefficient)) for t in terms]


def _ball(q: Fraction) -> Any:
    from flint import arb, fmpq

    return arb(fmpq(q.numerator, q.denominator))


def _weights(programme: Programme, point: Mapping[sp.Symbol, float]) -> tuple[tuple[Fraction, ...], ...]:
    """Weights from the shares of the terms at a point, made to satisfy their equations exactly.

    Raises:
        ValueError: the point is too far from optimal for nonnegative weights to result.
    """
    import numpy as np
    from scipy.optimize import nnls

    groups = (programme.objective, *programme.constraints)
    sizes = [np.array([float(x) for x in _balls(g, point)]) for g in groups]
    shares = [x / x.sum() for x in sizes]
    powers = [np.array([[float(t.powers.get(v, 0)) for t in g] for v in programme.variables]) for g in groups]
    moments = [p @ s for p, s in zip(powers, shares, strict=True)]
    active = [i for i, x in enumerate(sizes[1:]) if x.sum() > 1 - LOOSE]
    factors = np.zeros(len(sizes) - 1)
    if active:
        factors[active] = nnls(np.column_stack([moments[1 + i] for i in active]), -moments[0])[0]
    for negligible in NEGLIGIBLE:
        totals = [1.0, *np.where(factors < negligible, 0.0, factors)]
        exact = _completed(programme, [d for s, x in zip(shares, totals, strict=True) for d in s * x])
        if exact is not None:
            parts = iter(exact)
            return tuple(tuple(next(parts) for _ in g) for g in groups)
    raise ValueError("no nonnegative weights prove the point found to be a minimum; the bound may have none")


def _completed(programme: Programme, rough: Iterable[float]) -> Vector | None:
    """The weights nearest to rough ones relative to their size that satisfy the equations; None if one is negative."""
    terms = [t for g in (programme.objective, *programme.constraints) for t in g]
    rows = [[Fraction(int(i < len(programme.objective))) for i in range(len(terms))]]
    rows += [[t.powers.get(v, Fraction(0)) for t in terms] for v in programme.variables]
    flat = [_short(d) for d in rough]
    # d + D A' y with (A D A') y = what is missing
    missing = [Fraction(int(i == 0)) - sum(map(mul, row, flat)) for i, row in enumerate(rows)]
    scaled = [list(map(mul, row, flat)) for row in rows]
    y = solve([[sum(map(mul, r, s), Fraction(0)) for s in scaled] for r in rows], missing)
    if y is None:
        return None
    exact = [d * (1 + sum(row[i] * z for row, z in zip(rows, y, strict=True))) for i, d in enumerate(flat)]
    return exact if min(exact) >= 0 else None


def _short(x: float) -> Fraction:
    """A nearby number with a small denominator, so that exact arithmetic stays fast."""
    return Fraction(round(x * 2**48), 2**48)
