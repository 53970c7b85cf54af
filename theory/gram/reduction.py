"""Equations first: vectors that vanish, and pairs that are orthogonal, leave the search for multipliers.

An equation ``<u, w> = 0`` may be used with any multiplier, so that, in a basis that holds ``u`` and ``w``, the entry of
the remaining matrix at them is free: it is taken to be zero. A vector that vanishes (``||u||^2 <= 0``, a premise
without a Slater point, for which no finite multiplier need exist) leaves a whole row free. What is found of the smaller
problem says, by :meth:`Reduced.lift`, which multipliers the equations have in the whole one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from rateproof.theory.algebra import normal
from rateproof.theory.gram.domain import Domain
from rateproof.theory.gram.forms import Form, Multipliers, Premise, Problem, remainder
from rateproof.theory.gram.squares import negative_direction, semidefinite
from rateproof.theory.gram.vectors import combination, dot

Row = tuple[sp.Expr, ...]
Entry = tuple[int, int]


@dataclass(frozen=True)
class Reduced:
    """A problem without the equations that a basis of vectors makes free entries.

    Attributes:
        whole: the problem that is reduced.
        problem: what is left, in the new basis; vectors that vanish are not in it.
        kept: the premises of ``whole`` that are left, in order.
        spent: the other premises, each with the entry that it makes free.
        change: the old basic vectors in the new ones.
    """

    whole: Problem
    problem: Problem
    kept: tuple[int, ...]
    spent: Mapping[int, Entry]
    change: tuple[Row, ...]

    def lift(self, multipliers: Sequence[sp.Expr]) -> Multipliers:
        """Multipliers of the whole problem, such that the free entries of its remaining matrix vanish."""
        out = [sp.S.Zero] * len(self.whole.premises)
        for i, multiplier in zip(self.kept, multipliers, strict=True):
            out[i] = multiplier
        rest = remainder(self.whole, out)
        for k, (i, j) in self.spent.items():
            out[k] = normal(_entry(rest, self.change, i, j) / _entry(self.whole.premises[k].form, self.change, i, j))
        return tuple(out)


def reduced(problem: Problem, point: Mapping[sp.Symbol, sp.Expr], *, orthogonal: bool = True) -> Reduced:
    """The problem without vectors that vanish, and in a basis in which equations ``<u, w> = 0`` are free entries.

    Args:
        point: some admissible parameters with their roots, at which a form has to have the right sign first.
        orthogonal: whether equations between vectors that do not vanish are free entries, too.
    """
    size = len(problem.names)
    basis = _Basis(size)
    for premise in problem.premises:
        for row in _vanishing(premise, problem.domain, point):
            basis.add(row)
    vanished = len(basis.rows)
    pairs: dict[int, tuple[Row, Row]] = {}
    for k, premise in enumerate(problem.premises):
        pair = factors_of(premise.form) if orthogonal and premise.equal else None
        if pair and all(basis.add(row) for row in pair):
            pairs[k] = pair
    rows = basis.complete()
    change = _inverse(rows)
    implied = [(i, j) for i in range(vanished) for j in range(i, size)]
    whole = replace(
        problem, premises=(*problem.premises, *(_orthogonal(problem, rows[i], rows[j]) for i, j in implied))
    )
    spent = {len(problem.premises) + n: entry for n, entry in enumerate(implied)}
    for k, (u, w) in pairs.items():
        i, j = sorted((basis.place(u), basis.place(w)))
        if (i, j) not in spent.values():
            spent[k] = (i, j)
    free = set(spent.values())
    alive = range(vanished, size)

    def moved(form: Form) -> Form:
        return replace(form, matrix=tuple(tuple(entry(form, min(i, j), max(i, j)) for j in alive) for i in alive))

    def entry(form: Form, i: int, j: int) -> sp.Expr:
        return sp.S.Zero if (i, j) in free else _entry(form, change, i, j)

    forms = {k: moved(p.form) for k, p in enumerate(problem.premises) if k not in spent}
    kept = tuple(k for k, form in forms.items() if not form.nothing)
    smaller = replace(
        problem,
        names=tuple(map(str, alive)),
        goal=moved(problem.goal),
        premises=tuple(replace(problem.premises[k], form=forms[k]) for k in kept),
    )
    return Reduced(whole, smaller, kept, spent, change)


def _orthogonal(problem: Problem, one: Row, other: Row) -> Premise:
    """That a vector that vanishes is orthogonal to another one."""
    u, v = (combination(dict(zip(problem.names, row, strict=True))) for row in (one, other))
    matrix = tuple(
        tuple(normal((a * d + b * c) / 2) for c, d in zip(one, other, strict=True))
        for a, b in zip(one, other, strict=True)
    )
    form = Form(sp.S.Zero, (sp.S.Zero,) * len(problem.values), matrix)
    return Premise(form, sp.Eq(dot(u, v), 0, evaluate=False), f"{u} vanishes", True)


class _Basis:
    """Independent vectors, one after the other; each takes the place of a basic vector that it contains."""

    def __init__(self, size: int):
        self.size = size
        self.rows: list[Row] = []
        self._echelon: list[tuple[int, list[sp.Expr]]] = []

    def place(self, row: Row) -> int:
        """The index of a vector that :meth:`add` has taken in, up to a factor."""
        return next(i for i, known in enumerate(self.rows) if _parallel(row, known))

    def add(self, row: Row) -> bool:
        """Whether a vector is one of these up to a factor; it is taken in if it is independent of them."""
        if any(_parallel(row, known) for known in self.rows):
            return True
        rest = list(row)
        for pivot, other in self._echelon:
            if rest[pivot] != 0:
                factor = rest[pivot] / other[pivot]
                rest = [normal(a - factor * b) for a, b in zip(rest, other, strict=True)]
        support = [k for k, x in enumerate(rest) if x != 0]
        if not support:
            return False
        # a number as pivot keeps parameters out of the denominators of the inverse
        self._echelon.append((next((k for k in support if rest[k].is_Rational), support[0]), rest))
        self.rows.append(row)
        return True

    def complete(self) -> list[Row]:
        """All vectors, with basic ones for what is missing."""
        taken = {pivot for pivot, _ in self._echelon}
        return [*self.rows, *(_unit(self.size, k) for k in range(self.size) if k not in taken)]


def factors_of(form: Form) -> tuple[Row, Row] | None:
    """``u`` and ``w`` with form = ``<u, w>``; None where that is not its shape or is not seen.

    It is seen where some basic vector is in one of the two only.
    """
    matrix, size = form.matrix, len(form.matrix)
    if form.constant != 0 or any(form.linear):
        return None
    start = next((i for i in range(size) if matrix[i][i] == 0 and any(matrix[i])), None)
    if start is None:
        return None
    w = tuple(2 * x for x in matrix[start])
    j = next(j for j in range(size) if w[j] != 0)
    u_j = normal(matrix[j][j] / w[j])
    u = tuple(normal((2 * matrix[k][j] - w[k] * u_j) / w[j]) for k in range(size))
    same = all(normal(u[i] * w[k] + u[k] * w[i] - 2 * matrix[i][k]) == 0 for i in range(size) for k in range(i, size))
    return (u, w) if same else None


def _vanishing(premise: Premise, domain: Domain, point: Mapping[sp.Symbol, sp.Expr]) -> Iterator[Row]:
    """The vectors ``u`` of a premise that says ``-||u||^2 - ... >= 0``."""
    form = premise.form
    if form.constant != 0 or any(form.linear):
        return
    for sign in (-1, 1) if premise.equal else (-1,):
        matrix = tuple(tuple(sign * x for x in row) for row in form.matrix)
        at_point = [[x.xreplace(dict(point)) for x in row] for row in matrix]
        if all(x.is_Rational for row in at_point for x in row) and negative_direction(at_point) is None:
            squares = semidefinite(matrix, domain)
            for pivot, row in zip(getattr(squares, "pivots", ()), getattr(squares, "rows", ()), strict=True):
                if domain.positive(pivot) is not None:
                    yield row


def _entry(form: Form, change: Sequence[Row], i: int, j: int) -> sp.Expr:
    """An entry of the matrix of a form in the new basis."""
    return normal(
        sum(
            (
                row[i] * x * other[j]
                for row, entries in zip(change, form.matrix, strict=True)
                if row[i] != 0
                for x, other in zip(entries, change, strict=True)
                if x != 0 and other[j] != 0
            ),
            sp.S.Zero,
        )
    )


def _inverse(rows: Sequence[Row]) -> tuple[Row, ...]:
    if not rows:
        return ()
    matrix = DomainMatrix.from_list_sympy(len(rows), len(rows), [list(r) for r in rows], field=True).to_field()
    return tuple(map(tuple, matrix.inv().to_Matrix().tolist()))


def _parallel(row: Row, other: Row) -> bool:
    k = next(k for k, x in enumerate(other) if x != 0)
    return row[k] != 0 and all(normal(a * other[k] - b * row[k]) == 0 for a, b in zip(row, other, strict=True))


def _unit(size: int, k: int) -> Row:
    return tuple(sp.Integer(i == k) for i in range(size))
