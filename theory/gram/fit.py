"""Multipliers as functions of the parameters: what proves a problem at many points at once, in few simple terms.

The multipliers that are free are combinations of products of powers of what the units leave, and of the factors that
stand in the problem. That the remaining matrix is positive semidefinite at every sample is one semidefinite programme
for the coefficients; they are made few, then round. The result is a guess, which the caller checks exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import ceil, comb
from typing import Any

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.gram.conic import Affine, minimum
from rateproof.theory.gram.domain import table_of
from rateproof.theory.gram.forms import Form, Multipliers, Problem, remainder
from rateproof.theory.gram.multipliers import solve, value_equations
from rateproof.theory.gram.terms import atoms, entries, linear_in, monomials, payments, units

_CUTS = 3
# total degree, and whether factors may be divided by; None: what one premise alone takes up
_RICHER = ((0, False), (1, False), (None, False), (2, False), (1, True), (2, True), (3, False), (3, True))
_LARGEST = 160  # coefficients in one programme
_TIGHT = 1e-3
_SLACK = 3e-6
_HOPELESS = 1e-3
_STIFF = 1e4


class Fit:
    """The search for multipliers of one problem; :meth:`also` adds a sample at which a guess has failed."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.samples = problem.domain.interior(8 + 4 * len(problem.domain.parameters))
        self._nonzero: dict[sp.Expr, bool] = {}

    def also(self, point: Mapping[sp.Symbol, sp.Expr]) -> None:
        """One more sample, from exact parameters."""
        self.samples.append({s: float(x) for s, x in self.problem.domain.complete(point).items()})
        self._leave_out_poles()

    def guesses(self) -> Iterator[Multipliers]:
        """Multipliers in more and more terms; each is a guess for the caller to check."""
        if self._family is None or not self.samples:
            return
        start, directions = self._family
        if not directions:
            yield tuple(start)
            return
        self._leave_out_poles()
        if not self.samples or not self._possible():
            return
        seen: set[Multipliers] = set()
        for terms in self._dictionaries():
            for _ in range(_CUTS):
                count = len(self.samples)
                guess = self._guess(terms)
                if guess is not None and guess not in seen:
                    seen.add(guess)
                    yield guess
                if len(self.samples) == count:
                    break

    def _leave_out_poles(self) -> None:
        """Without samples at which a multiplier that the others determine is undefined."""
        import numpy as np

        base, slopes = self._rows
        finite = np.isfinite(base).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
        self.samples = [s for s, kept in zip(self.samples, finite, strict=True) if kept]

    def _possible(self) -> bool:
        """Whether there are multipliers at every sample, whatever function of the parameters they are."""
        import numpy as np

        for start, moved in zip(*self._rows, strict=True):
            excess = np.eye(len(moved) + 1)[-1]
            row, matrices = _nonnegative(np.vstack([start, moved]), len(self.problem.names))
            found = minimum(excess, signed=[(np.zeros(1), excess[None]), row], matrices=matrices)
            if found is None or found[-1] >= _HOPELESS:
                return False
        return True

    def _guess(self, terms: list[list[sp.Expr]]) -> Multipliers | None:
        coefficients = self._coefficients(terms)
        if coefficients is None:
            return None
        start, directions = self._family  # type: ignore[misc]
        free = [
            sp.Add(*(c * t for c, t in zip(row, functions, strict=True)))
            for row, functions in zip(coefficients, terms, strict=True)
        ]
        return tuple(
            normal(sp.Add(s, *(x * d[i] for x, d in zip(free, directions, strict=True)))) for i, s in enumerate(start)
        )

    @cached_property
    def _family(self) -> tuple[list[sp.Expr], list[list[sp.Expr]]] | None:
        """Multipliers that leave no value, and the directions in which they are free.

        The premises that come last, signs of values among them, take up what the others leave.
        """
        order = range(len(self.problem.premises) - 1, -1, -1)
        family = solve(value_equations(self.problem, list(order)), len(order))
        return None if family is None else (family[0][::-1], [d[::-1] for d in family[1]])

    @cached_property
    def _free(self) -> list[int]:
        """The premise whose multiplier each direction moves alone."""
        directions = self._family[1]  # type: ignore[index]
        return [
            next(k for k, x in enumerate(d) if x == 1 and all(e[k] == 0 for e in directions if e is not d))
            for d in directions
        ]

    def _dictionaries(self) -> Iterator[list[list[sp.Expr]]]:
        """For each free multiplier, the functions it may be a combination of; richer and richer."""
        problem, domain = self.problem, self.problem.domain
        scale = units(problem)
        determined = {p for under in domain.roots.values() if (p := linear_in(under)) is not None}
        symbols = [s for s in (*domain.roots, *domain.parameters) if s not in determined and s not in scale.weights]
        symbols = [s for s in symbols if any(x.has(s) for x in entries(problem))]
        ratios = [scale.invariant(s) for s in symbols]
        ratios = list(dict.fromkeys(r for r in ratios if not r.is_Rational))
        factors = [scale.invariant(a) for a in atoms(problem)]
        powers = [normal(scale.power(k)) for k in self._free]
        known = 0
        for degree, others in _RICHER:
            if degree is None:
                yield self._admitted([payments(problem, k) for k in self._free])
                continue
            few = comb(2 * len(ratios) + degree, degree) * len(powers) <= _LARGEST
            plain = monomials(ratios, degree) if few else []
            below = monomials(ratios, degree - 1) if few and others else []
            terms = list(dict.fromkeys([*plain, *(m / a for a in factors for m in below)]))
            if known < len(terms) and len(terms) * len(powers) <= _LARGEST:
                known = len(terms)
                yield self._admitted([[power * t for t in terms] for power in powers])

    def _admitted(self, functions: list[list[sp.Expr]]) -> list[list[sp.Expr]]:
        """The functions that are defined on the whole domain."""
        return [[f for f in fs if self._defined(sp.fraction(sp.together(f))[1])] for fs in functions]

    def _defined(self, bottom: sp.Expr) -> bool:
        if bottom not in self._nonzero:
            self._nonzero[bottom] = all(
                f.is_Number or self.problem.domain.nonzero(f) is not None for f in sp.Mul.make_args(bottom)
            )
        return self._nonzero[bottom]

    def _coefficients(self, terms: list[list[sp.Expr]]) -> list[list[sp.Rational]] | None:
        """Few round coefficients with which the problem is proved at every sample, up to rounding."""
        import numpy as np

        base, slopes = self._rows
        counts = [len(ts) for ts in terms]
        table = table_of([t for ts in terms for t in ts], self.samples)
        defined = np.isfinite(table).all(axis=0)
        table[:, ~defined] = 0.0
        spread = np.repeat(np.arange(len(counts)), counts)
        # the coefficients, the excess, and what the coefficients are in absolute value
        size, unit = len(spread), np.eye(2 * len(spread) + 1)
        c, excess, absolute = unit[:size], unit[size], unit[size + 1 :]
        blocks = [np.vstack([b, s[spread] * f[:, None]]) for b, s, f in zip(base, slopes, table, strict=True)]
        parts = [_nonnegative(block, len(self.problem.names)) for block in blocks]
        rows = [(np.zeros(2 * size), np.vstack([absolute - c, absolute + c]))]
        rows += [row for row, _ in parts]
        matrices = [matrix for _, of_block in parts for matrix in of_block]

        def optimum(direction: Any, cost: float, at_most: float) -> Any | None:
            ends = np.concatenate([-low, high, [0.0, at_most]]), np.vstack([c, -c, excess, -excess])
            costs = np.concatenate([direction, [_STIFF], np.full(size, cost)])
            found = minimum(costs, signed=[ends, *rows], matrices=matrices)
            return found[:size] if found is not None and found[size] < 5 * _SLACK else None

        low, high = np.where(defined, -1e3, 0.0), np.where(defined, 1e3, 0.0)
        nothing = np.zeros(len(spread))
        found = optimum(nothing, 1e-3, 1.0)
        if found is None:
            return None
        if (few := optimum(nothing, 1.0, 4 * _SLACK)) is not None:
            found = few
        used = np.abs(found) > _TIGHT
        low, high = np.where(used, -1e3, 0.0), np.where(used, 1e3, 0.0)
        out = [sp.S.Zero] * len(spread)
        for k in np.flatnonzero(used).tolist():
            if self.problem.domain.spent:
                return None
            here = np.arange(len(spread)) == k
            ends = [optimum(sign * here, 1e-6, 4 * _SLACK) for sign in (1.0, -1.0)]
            bounds = low, high
            for out[k] in _round(*(float((found if end is None else end)[k]) for end in ends)):
                low, high = (np.where(here, float(out[k]), bound) for bound in bounds)
                if (fixed := optimum(nothing, 1e-3, 1.0)) is not None:
                    found = fixed
                    break
            else:
                return None
        left = iter(out)
        return [[next(left) for _ in ts] for ts in terms]

    @property
    def _rows(self) -> tuple[Any, Any]:
        """At each sample constant, multipliers and matrix, which have to be nonnegative, and what directions add."""
        start, directions = self._family  # type: ignore[misc]
        signed = [i for i, p in enumerate(self.problem.premises) if not p.equal]
        none = [Form(sp.S.Zero, (), tuple((sp.S.Zero,) * len(row) for row in self.problem.goal.matrix))]
        lines = []
        for goal, multipliers in zip([self.problem.goal, *none * len(directions)], [start, *directions], strict=True):
            rest = remainder(replace(self.problem, goal=goal), multipliers)
            lines.append([rest.constant, *(multipliers[i] for i in signed), *(x for row in rest.matrix for x in row)])
        flat = table_of([x for line in lines for x in line], self.samples)
        numbers = flat.reshape(len(self.samples), len(lines), len(lines[0]))
        return numbers[:, 0], numbers[:, 1:]


def _nonnegative(parts: Any, size: int) -> tuple[Affine, list[Affine]]:
    """That signs and matrix in the first row of parts plus unknowns times the others are nonnegative, up to an excess.

    The excess is the unknown that comes after these.
    """
    import numpy as np

    parts = parts / _sizes(parts, size)
    signed = parts.shape[1] - size * size
    row = parts[0, :signed], np.column_stack([parts[1:, :signed].T, np.ones(signed)])
    matrix, *moved = parts[:, signed:].reshape(len(parts), size, size)
    return row, [(matrix, np.array([*moved, np.eye(size)]))] if size else []


def _sizes(parts: Any, size: int) -> Any:
    """What to divide rows by, so that every sign and, by a congruence, every entry of the matrix is at most 1."""
    import numpy as np

    # what the goal has at an entry is its scale there; some functions of a dictionary are very large
    largest = np.where(parts[0] != 0, np.abs(parts[0]), np.abs(parts).max(axis=0))
    signs, matrix = largest[: len(largest) - size * size], largest[len(largest) - size * size :].reshape(size, size)
    scale = np.sqrt(np.maximum(matrix.diagonal(), matrix.max(axis=1, initial=0.0) * 1e-3))
    scale = np.where(scale > 0, scale, 1.0)
    return np.concatenate([np.where(signs > 0, signs, 1.0), np.outer(scale, scale).ravel()])


def _round(low: float, high: float) -> Iterator[sp.Rational]:
    """Numbers in an interval, round ones first: an end that is round, for it is one at every sample; the simplest."""
    for end in (high, low):
        near = sp.Rational(str(end)).limit_denominator(4)
        if near != 0 and abs(near - end) < _TIGHT * max(1, abs(end)):
            yield near
    if low <= 0 <= high:
        yield sp.S.Zero
    for q in range(1, 100):
        if (p := ceil(low * q)) <= high * q:
            yield sp.Rational(p, q)
            break
    yield sp.Rational(str(round((low + high) / 2, 6)))
