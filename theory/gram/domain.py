"""The parameters of an inequality: which values they may take, and the sign of an expression over all of them.

Signs come from sympy where it can see them, else from z3 (nonlinear real arithmetic, a decision procedure): that the
negation has no solution is a proof. Its limit counts steps, so that an answer does not depend on the machine; the
clock only ends the rare step that takes very long.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import inf, prod
from time import process_time
from typing import Any

import sympy as sp

from rateproof.theory.algebra import fits, in_factors, normal

Point = Mapping[sp.Symbol, sp.Rational]
Sample = Mapping[sp.Symbol, float]

Z3_STEPS = 4_000_000
Z3_MILLISECONDS = 60_000
#: Above this degree nothing is asked: neither limit of z3 ends what it does with powers such as ``x**10000``.
Z3_DEGREE = 100
_DENSE_LIMIT = 1000
_ROUND = tuple(sp.Rational(v) for v in ("1", "2", "1/2", "4", "1/10", "10", "1/4", "3", "100", "1/100", "0", "-1"))
_SHARES = tuple(sp.Rational(v) for v in ("1/2", "1", "1/10"))
_GENERIC = (2.0, 0.5, 3.0, 1 / 3, 1.5, 5.0, 0.2, 0.7)
_PARTS = (0.5, 0.9, 0.2, 0.7)
_CANDIDATES = 10_000
_BATCHES, _BATCH = 12, 30
_INSIDE = 1e-9
_MODEL_DENOMINATORS = (1, 2, 4, 10, 100, 10**4, 10**8)
#: How the reason of a sign that anybody sees ends.
BY_TERMS = "by the signs of its terms"


def factored(expr: sp.Expr) -> sp.Expr:
    """A rational function factored, or only in normal form where factoring might take minutes."""
    expr = normal(expr)
    for part in sp.fraction(expr):
        degrees = sp.Poly(part).degree_list() if part.free_symbols else ()
        if prod(degree + 1 for degree in degrees) > _DENSE_LIMIT:
            return expr
    return in_factors(expr)


@dataclass(frozen=True)
class Domain:
    """Real parameters under conditions.

    Attributes:
        parameters: the free symbols.
        conditions: relations between them, nonzero denominators included.
        roots: symbols that stand for square roots, and the expression under each root.
        until: the processor time from which on signs that z3 would have to find are unknown.
    """

    parameters: tuple[sp.Symbol, ...]
    conditions: tuple[sp.Rel, ...]
    roots: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    until: float = field(default=inf, compare=False)

    @property
    def spent(self) -> bool:
        """Whether the time has come; it is the processor's, which does not pass while other programs run."""
        return process_time() > self.until

    def positive(self, expr: sp.Expr) -> str | None:
        """Why an expression is positive for all admissible parameters, or None when that is not shown."""
        return self._holds(expr, ">", lambda e: e.is_positive)

    def nonnegative(self, expr: sp.Expr) -> str | None:
        """Why an expression is nonnegative for all admissible parameters, or None when that is not shown."""
        return self._holds(expr, ">=", lambda e: e.is_nonnegative)

    def nonzero(self, expr: sp.Expr) -> str | None:
        """Why an expression is nonzero for all admissible parameters, or None when that is not shown."""
        return self._holds(expr, "!=", lambda e: e.is_nonzero)

    def violation(self, expr: sp.Expr) -> Point | None:
        """Round admissible parameters at which an expression is negative, or None when none is found."""
        return self._pin([sp.StrictLessThan(expr, 0, evaluate=False)])

    def contradictory(self) -> bool:
        """Whether no parameters at all satisfy the conditions."""
        if self.roots or self.until < inf:
            return self._solve([]) == "unsat"
        return _contradictory(self.parameters, self.conditions)

    def samples(self, limit: int = 16) -> list[Point]:
        """Round admissible parameters, extreme ones among them; none only when z3 finds none either."""
        seen: set[tuple[sp.Rational, ...]] = set()
        found: list[Point] = []
        for count, point in enumerate(self._candidates()):
            key = tuple(point[p] for p in self.parameters)
            if key not in seen and self.admits(point):
                found.append(point)
            if len(found) == limit or (found and count > _CANDIDATES):
                break
            seen.add(key)
        if not found:
            pinned = self._pin([])
            return [pinned] if pinned is not None else []
        return found

    def interior(self, count: int) -> list[Sample]:
        """Parameters, with their roots, in the interior of the domain, none of them 1; by a fixed random stream.

        Fewer than ``count`` where the interior is hard to meet; equations hold that give one parameter by others.
        """
        rng = random.Random(0)
        gaps = [sp.Abs(g) if r.rel_op == "!=" else g for r in self.conditions for g in [_slack(r)]]
        found: list[Sample] = []
        for _ in range(_BATCHES):
            drawn = [s for _ in range(_BATCH) if (s := self._draw(rng)) is not None]
            if drawn:
                inside = (table_of(gaps, drawn) > _INSIDE).all(axis=1)
                found += [s for s, kept in zip(drawn, inside, strict=True) if kept]
            if len(found) >= count:
                break
        return found[:count]

    def _draw(self, rng: random.Random) -> Sample | None:
        """Parameters that fit their symbols and those bounds that are explicit; None where a root is not real."""
        point: dict[sp.Symbol, sp.Expr] = {}
        for p in self.parameters:
            value = sp.Float(rng.choice(_GENERIC) if not p.is_integer else rng.randint(2, 9))
            point[p] = value if p.is_nonnegative else -value if p.is_nonpositive else value * rng.choice((-1, 1))
        for p, limit, op in self._bounds:
            end = limit.xreplace(self.complete(point, exact=True))
            if not (end.is_real and end.is_finite):
                return None
            if op == "==":
                point[p] = end
            elif op == "<=" and end > 0:
                point[p] = min(point[p], end * rng.choice(_PARTS))
            elif op == ">=":
                point[p] = max(point[p], end + (abs(end) or 1) * rng.choice(_GENERIC))
        full = self.complete(point, exact=True)
        return {s: float(x) for s, x in full.items()} if all(x.is_real for x in full.values()) else None

    def admits(self, point: Point) -> bool:
        """Whether parameters satisfy every condition and every assumption of their symbols, exactly."""
        if not all(fits(symbol, value) for symbol, value in point.items()):
            return False
        exact = self.complete(point, exact=True)
        if not all(exact[s].is_nonnegative for s in self.roots):
            return False
        return all(_holds_at(c, symbols, tuple(exact[s] for s in symbols)) for c, symbols in self._about)

    @cached_property
    def _about(self) -> list[tuple[sp.Rel, tuple[sp.Symbol, ...]]]:
        """The conditions with their symbols."""
        known = (*self.parameters, *self.roots)
        return [(c, tuple(s for s in known if s in c.free_symbols)) for c in self.conditions]

    def complete(self, point: Point, *, exact: bool = False) -> dict[sp.Symbol, sp.Expr]:
        """The parameters with their square roots; irrational roots are rounded unless ``exact``."""
        full: dict[sp.Symbol, sp.Expr] = dict(point)
        for symbol, under in self.roots.items():
            full[symbol] = _root(_at(under, full), exact)
        return full

    def unrooted(self, expr: sp.Expr) -> sp.Expr:
        """The expression with its square roots written out."""
        for symbol, under in reversed(list(self.roots.items())):
            expr = expr.xreplace({symbol: sp.sqrt(under)})
        return expr

    # --- signs

    def _holds(self, expr: sp.Expr, op: str, known: Callable[[sp.Expr], bool | None]) -> str | None:
        expr = factored(expr)
        if expr.is_Rational:
            return "" if known(expr) else None
        if known(expr.xreplace(self._signed())):
            return f"{expr} {op} 0 {BY_TERMS}"
        negation = {">": sp.Le, ">=": sp.Lt, "!=": sp.Eq}[op](expr, 0, evaluate=False)
        if self._solve([negation]) == "unsat":
            return f"{expr} {op} 0 by real arithmetic (z3: the negation has no solution)"
        return None

    def _signed(self) -> dict[sp.Symbol, sp.Symbol]:
        """Symbols with the signs that conditions of the form ``symbol > 0`` give them."""
        out = {s: sp.Dummy(s.name, nonnegative=True) for s in self.roots}
        for relation in self.conditions:
            small, large = (relation.rhs, relation.lhs) if relation.rel_op in (">", ">=") else relation.args
            if relation.rel_op not in ("!=", "==") and large.is_Symbol and small.is_nonnegative:
                strict = relation.rel_op in ("<", ">") or small.is_positive
                if strict or large not in out:
                    out[large] = sp.Dummy(large.name, **{"positive" if strict else "nonnegative": True})
        return {s: d for s, d in out.items() if not s.is_positive}

    def _solve(self, extra: Iterable[sp.Rel]) -> str | dict[sp.Symbol, Any]:
        """``"unsat"``, ``"unknown"`` or a model (symbol to z3 number) of the conditions and ``extra``."""
        import z3

        extra = tuple(extra)
        if self.spent or max(map(_degree, (*self.conditions, *extra)), default=0) > Z3_DEGREE:
            return "unknown"
        names = {s: z3.Real(f"v{i}") for i, s in enumerate((*self.parameters, *self.roots))}
        solver = z3.SolverFor("QF_NRA")
        solver.set("rlimit", Z3_STEPS)
        solver.set("timeout", int(min(Z3_MILLISECONDS, max(1.0, 1000 * (self.until - process_time())))))
        solver.set("random_seed", 0)
        for relation in (*self.conditions, *extra):
            solver.add(*_translate(relation, names))
        for symbol, variable in names.items():
            solver.add(*_sign_of(symbol, variable))
        for symbol, under in self.roots.items():
            solver.add(names[symbol] >= 0)
            solver.add(*_translate(sp.Eq(symbol**2, under, evaluate=False), names))
        answer = solver.check()
        if answer == z3.sat:
            model = solver.model()
            return {p: model.eval(names[p], model_completion=True) for p in self.parameters}
        return "unsat" if answer == z3.unsat else "unknown"

    # --- parameter values

    def _pin(self, extra: Sequence[sp.Rel]) -> Point | None:
        """A rational model of the conditions and ``extra``, each parameter in turn set to the roundest value left."""
        model = self._solve(extra)
        pinned: dict[sp.Symbol, sp.Rational] = {}
        for parameter in self.parameters:
            if isinstance(model, str):
                return None
            for value in _round_values(parameter, model[parameter]):
                fixed = [sp.Eq(p, v, evaluate=False) for p, v in {**pinned, parameter: value}.items()]
                narrowed = self._solve([*extra, *fixed])
                if not isinstance(narrowed, str):
                    pinned[parameter], model = value, narrowed
                    break
            else:
                return None
        return None if isinstance(model, str) else pinned

    def _candidates(self) -> Iterator[dict[sp.Symbol, sp.Rational]]:
        """Round values: all one, then one or two of them changed; a parameter with a bound also at shares of it."""
        shared = [p for p, _, op in self._bounds if op != "=="]
        for changes in _changes(self.parameters):
            base = {p: changes.get(p, sp.S.One) for p in self.parameters}
            yield base
            everywhere = (
                product(_SHARES, repeat=min(len(shared), 2)) if not changes else zip(_SHARES, _SHARES, strict=True)
            )
            for shares in everywhere:
                point, left = dict(base), iter((*shares, *shares[-1:] * len(shared)))
                for parameter, limit, op in self._bounds:
                    known = point if limit.free_symbols.isdisjoint(self.roots) else self.complete(point)
                    value = _at(limit, known)
                    share = sp.S.One if op == "==" else next(left)
                    point[parameter] = value / share if op == ">=" else value * share
                if all(v.is_Rational for v in point.values()):
                    yield point

    @cached_property
    def _bounds(self) -> list[tuple[sp.Symbol, sp.Expr, str]]:
        """What conditions say about one parameter; equations first, for the limits of others, and last."""
        found = [bound for relation in self.conditions if (bound := _bound(relation, self.parameters))]
        equations, limits = ([b for b in found if (b[2] == "==") is equal] for equal in (True, False))
        return [*equations, *sorted(limits, key=lambda bound: len(bound[1].free_symbols)), *equations]


@lru_cache(maxsize=1 << 12)
def _contradictory(parameters: tuple[sp.Symbol, ...], conditions: tuple[sp.Rel, ...]) -> bool:
    """Whether no parameters satisfy conditions without roots; the steps of a proof ask it of the same ones."""
    return Domain(parameters, conditions)._solve([]) == "unsat"


def _at(expr: sp.Expr, numbers: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """An expression at numbers, some of which it has."""
    symbols = tuple(s for s in _symbols(expr) if s in numbers)
    return _value(expr, symbols, tuple(numbers[s] for s in symbols))


@lru_cache(maxsize=1 << 12)
def _symbols(expr: sp.Expr) -> tuple[sp.Symbol, ...]:
    """The symbols of an expression."""
    return tuple(expr.free_symbols)


@lru_cache(maxsize=1 << 14)
def _value(expr: sp.Expr, symbols: tuple[sp.Symbol, ...], numbers: tuple[sp.Expr, ...]) -> sp.Expr:
    """An expression at numbers; candidates differ in one or two parameters, so most expressions see the same again."""
    return expr.xreplace(dict(zip(symbols, numbers, strict=True)))


@lru_cache(maxsize=1 << 14)
def _root(under: sp.Expr, exact: bool) -> sp.Expr:
    """A square root, rounded where it is irrational unless ``exact``."""
    root = sp.sqrt(under)
    return root if exact or root.is_Rational or not root.is_real else sp.Rational(str(sp.N(root, 20)))


@lru_cache(maxsize=1 << 14)
def _holds_at(relation: sp.Rel, symbols: tuple[sp.Symbol, ...], values: tuple[sp.Expr, ...]) -> bool:
    """Whether a relation holds; candidates differ in one or two parameters, so most conditions see the same again."""
    return holds(relation, dict(zip(symbols, values, strict=True)))


def holds(relation: sp.Rel, point: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a relation holds at numbers, decided exactly; false where a side is undefined, or that is not known."""
    gap = (relation.lhs - relation.rhs).xreplace(dict(point))
    if not (gap.is_comparable and gap.is_finite):
        return False
    sign = sp.sign(gap if gap.is_Rational else sp.simplify(gap))
    return sign.is_Integer and bool(
        {"<=": sign <= 0, "<": sign < 0, ">=": sign >= 0, ">": sign > 0, "==": sign == 0, "!=": sign != 0}[
            relation.rel_op
        ]
    )


def table_of(exprs: Sequence[sp.Expr], samples: Sequence[Sample]) -> Any:
    """The expressions at the samples, one row a sample; infinite or not a number where they are undefined."""
    import numpy as np

    symbols = sorted(samples[0], key=str)
    evaluate = sp.lambdify(symbols, list(exprs), modules="numpy", cse=True)
    with np.errstate(all="ignore"):
        rows = [evaluate(*(np.float64(sample[s]) for s in symbols)) for sample in samples]
        return np.array(rows, dtype=float).reshape(len(samples), len(exprs))


def _slack(relation: sp.Rel) -> sp.Expr:
    """Positive where an inequality holds and is not tight, or an equation holds up to rounding."""
    gap = relation.lhs - relation.rhs
    return 2 * _INSIDE - sp.Abs(gap) if relation.rel_op == "==" else -gap if relation.rel_op in ("<=", "<") else gap


def _bound(relation: sp.Rel, parameters: Sequence[sp.Symbol]) -> tuple[sp.Symbol, sp.Expr, str] | None:
    """``(p, limit, op)`` for ``p <= limit``, ``p >= limit`` or ``p == limit`` with a limit other than 0 without p."""
    if relation.rel_op == "!=":
        return None
    small, large = relation.args[::-1] if relation.rel_op in (">=", ">") else relation.args
    ops = ("==", "==") if relation.rel_op == "==" else ("<=", ">=")
    for side, limit, op in zip((small, large), (large, small), ops, strict=True):
        if side in parameters and not limit.has(side) and limit != 0:
            return side, limit, op
    return None


def _changes(parameters: Sequence[sp.Symbol]) -> Iterator[dict[sp.Symbol, sp.Rational]]:
    """No change from one, then one parameter changed, then two."""
    yield {}
    for count in (1, 2):
        for values in product(_ROUND, repeat=count):
            for chosen in combinations(parameters, count):
                yield dict(zip(chosen, values, strict=True))


def _round_values(parameter: sp.Symbol, near: Any) -> Iterator[sp.Rational]:
    """Values to try for a parameter: small round ones, then a z3 number to more and more places."""
    import z3

    yield from (v for v in _ROUND if fits(parameter, v))
    fraction = (near.approx(20) if isinstance(near, z3.AlgebraicNumRef) else near).as_fraction()
    rounded = (sp.Rational(fraction.limit_denominator(q)) for q in _MODEL_DENOMINATORS)
    yield from (v for v in (*rounded, sp.Rational(fraction)) if fits(parameter, v))


def _degree(expr: sp.Basic) -> float:
    """A bound on the degree of the polynomials of which an expression is made."""
    if expr.is_Symbol:
        return 1
    degrees = [_degree(part) for part in expr.args]
    if isinstance(expr, sp.Pow):
        return abs(float(expr.exp)) * degrees[0] if expr.exp.is_number else sum(degrees)
    return sum(degrees) if isinstance(expr, sp.Mul) else max(degrees, default=0)


def _translate(relation: sp.Rel, names: Mapping[sp.Symbol, Any]) -> list[Any]:
    """z3 constraints that say that both sides are defined and the relation holds."""
    top, bottom = sp.fraction(normal(relation.lhs - relation.rhs))
    above, below = in_z3(top, names), in_z3(bottom, names)
    signed = above * below  # has the sign of the quotient
    constraint = {
        "<=": signed <= 0,
        "<": signed < 0,
        ">=": signed >= 0,
        ">": signed > 0,
        "==": above == 0,
        "!=": above != 0,
    }[relation.rel_op]
    return [constraint] if bottom.is_Rational else [constraint, below != 0]


def in_z3(expr: sp.Expr, names: Mapping[sp.Symbol, Any]) -> Any:
    """A sympy polynomial with rational coefficients as a z3 term."""
    import z3

    if expr.is_Rational:
        return z3.RealVal(f"{expr.p}/{expr.q}")
    if expr.is_Symbol:
        return names[expr]
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return in_z3(expr.base, names) ** int(expr.exp)
    if expr.is_Add or expr.is_Mul:
        terms = [in_z3(part, names) for part in expr.args]
        return z3.Sum(terms) if expr.is_Add else z3.Product(terms)
    raise ValueError(f"{expr} is not a rational function of {', '.join(map(str, names))}")


def _sign_of(symbol: sp.Symbol, variable: Any) -> list[Any]:
    """What the assumptions of a symbol say, as z3 constraints."""
    if symbol.is_positive:
        return [variable >= 1 if symbol.is_integer else variable > 0]
    if symbol.is_negative:
        return [variable <= -1 if symbol.is_integer else variable < 0]
    signs = {
        symbol.is_nonnegative: variable >= 0,
        symbol.is_nonpositive: variable <= 0,
        symbol.is_nonzero: variable != 0,
    }
    return [signs[True]] if True in signs else []
