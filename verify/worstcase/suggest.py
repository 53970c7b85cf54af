"""Nearly worst instances in floats: the semidefinite programme, few dimensions, and steps back to feasibility.

All of it is only a suggestion; :mod:`rateproof.verify.worstcase.repair` makes it exact.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rateproof.theory.gram.conic import is_panic
from rateproof.verify.worstcase.interrupts import interruptible
from rateproof.verify.worstcase.model import Form, Model, Semidefinite
from rateproof.verify.worstcase.program import geometric

Array = np.ndarray[Any, np.dtype[Any]]

#: Steps and gains of the linear programmes in scaled units, and how far a value may go in units of the step.
FIRST_STEP, LATER_STEP, LEAST_STEP, LEAST_GAIN, LARGEST_VALUE = 0.01, 1e-4, 1e-12, 1e-14, 1e4
LARGEST_PENALTY, ROUNDING = 1e6, 1e-13
STEPS = 40

#: What the metric may lose when the dimension is reduced; the steps win it back.
GIVEN_UP = 1e-7
#: Eigenvalues above this share of the largest count as dimensions.
EIGENVALUE = 1e-6


class UnsolvedError(Exception):
    """The solver gave no point; the message is a reason for a reader."""


@dataclass(frozen=True)
class Stack:
    """Forms as arrays: row ``row[e]`` has the term ``a[e] <p_i[e], p_j[e]>``, the values times ``B``, and ``c``."""

    row: Array
    i: Array
    j: Array
    a: Array
    B: Any
    c: Array

    def at(self, P: Array, v: Array) -> Array:
        """The forms at points (the columns of ``P``) and values."""
        inner = np.einsum("ke,ke->e", P[:, self.i], P[:, self.j])
        return np.bincount(self.row, self.a * inner, len(self.c)) + self.B @ v + self.c

    def slope(self, P: Array) -> Array:
        """The derivative with respect to ``P``, whose entries are taken row by row."""
        d, n = P.shape
        out = np.zeros((len(self.c), d, n))
        for axis in range(d):
            np.add.at(out[:, axis], (self.row, self.j), self.a * P[axis, self.i])
            np.add.at(out[:, axis], (self.row, self.i), self.a * P[axis, self.j])
        return out.reshape(len(self.c), d * n)

    def operator(self, n: int) -> Any:
        """The forms as a matrix on the entries of the Gram matrix."""
        from scipy import sparse

        data = np.concatenate([self.a, self.a]) / 2
        columns = np.concatenate([self.i * n + self.j, self.j * n + self.i])
        return sparse.csr_matrix((data, (np.tile(self.row, 2), columns)), (len(self.c), n * n))

    def scaled(self, point: Array, value: float, *, by: float | None = None) -> Stack:
        """The forms for points and values in other units, each divided by ``by`` or its largest coefficient."""
        from scipy import sparse

        a, B = self.a * point[self.i] * point[self.j], self.B * value
        if by is None:
            largest = np.maximum(np.abs(self.c), abs(B).max(axis=1).toarray().ravel())
            np.maximum.at(largest, self.row, np.abs(a))
            factor = 1 / np.where(largest > 0, largest, 1)
        else:
            factor = np.full(len(self.c), 1 / by)
        return replace(self, a=a * factor[self.row], B=sparse.diags(factor) @ B, c=self.c * factor)


def stack(forms: Sequence[Form], m: int) -> Stack:
    """Forms as arrays, with at least one (perhaps idle) value."""
    from scipy import sparse

    terms = [(r, i, j, float(c)) for r, form in enumerate(forms) for (i, j), c in form.gram.items()]
    row, i, j, a = zip(*terms, strict=True) if terms else ((), (), (), ())
    linear = [(r, k, float(c)) for r, form in enumerate(forms) for k, c in form.values.items()]
    r, k, b = zip(*linear, strict=True) if linear else ((), (), ())
    B = sparse.csr_matrix((np.array(b, float), (np.array(r, int), np.array(k, int))), (len(forms), max(m, 1)))
    constants = np.array([float(form.constant) for form in forms])
    return Stack(np.array(row, int), np.array(i, int), np.array(j, int), np.array(a, float), B, constants)


@dataclass(frozen=True)
class Numbers:
    """A problem in floats, in units of its own: ``point`` for each point, ``value``, ``metric``."""

    n: int
    metrics: Stack
    inequalities: Stack
    equalities: Stack
    matrices: tuple[tuple[int, Stack], ...]
    point: Array
    value: float = 1.0
    metric: float = 1.0

    @classmethod
    def of(cls, model: Model) -> Numbers:
        """A model in its own units, each condition divided by its largest coefficient."""
        n, m = len(model.points), len(model.values)
        # Conditions such as 0 <= 0, between two evaluations at one point, would leave no room for a margin.
        conditions = [c for c in model.conditions if c.form.gram or c.form.values]
        raw = cls(
            n,
            stack(model.metrics, m),
            stack([c.form for c in conditions if not c.equality], m),
            stack([c.form for c in conditions if c.equality], m),
            tuple(
                (len(rows), stack([f for row in rows for f in row], m)) for rows in map(_nonzero, model.semidefinite)
            ),
            np.ones(n),
        )
        return raw.scaled(np.ones(n), 1.0, 1.0)

    def scaled(self, point: Array, value: float, metric: float) -> Numbers:
        """The same problem in other units."""
        return Numbers(
            self.n,
            self.metrics.scaled(point, value, by=metric),
            self.inequalities.scaled(point, value),
            self.equalities.scaled(point, value),
            tuple((size, s.scaled(point, value, by=_size(s, point, value))) for size, s in self.matrices),
            self.point * point,
            self.value * value,
            self.metric * metric,
        )

    def shortfall(self, P: Array, v: Array, margin: float) -> float:
        """By how much the worst scalar condition fails, inequalities with a margin."""
        inside = self.inequalities.at(P, v).max(initial=-np.inf) + margin
        return float(max(0.0, inside, np.abs(self.equalities.at(P, v)).max(initial=0)))


def _nonzero(matrix: Semidefinite) -> list[list[Form]]:
    """A matrix condition without the rows and columns that are zero, which would leave no room for a margin."""
    kept = [i for i, row in enumerate(matrix.entries) if any(form != Form() for form in row)]
    return [[matrix.entries[i][j] for j in kept] for i in kept]


def _size(matrix: Stack, point: Array, value: float) -> float:
    a = matrix.a * point[matrix.i] * point[matrix.j]
    return max(np.abs(a).max(initial=0), np.abs(matrix.c).max(initial=0), abs(matrix.B * value).max()) or 1.0


@dataclass(frozen=True)
class Solved:
    """What the solver says: the metric, the Gram matrix, the values, and the sum of the multipliers."""

    metric: float
    gram: Array
    values: Array
    multipliers: float

    def factor(self, d: int | None = None) -> Array:
        """``P`` with the Gram matrix ``P^T P`` up to small eigenvalues, or with the ``d`` largest ones."""
        eigenvalues, vectors = np.linalg.eigh(self.gram)
        order = np.argsort(-eigenvalues)[: self.dimension if d is None else d]
        return np.sqrt(np.maximum(eigenvalues[order], 0))[:, None] * vectors[:, order].T

    @property
    def dimension(self) -> int:
        """The number of eigenvalues that are not small."""
        eigenvalues = np.linalg.eigvalsh(self.gram)
        return max(1, int(np.sum(eigenvalues > EIGENVALUE * max(eigenvalues[-1], 0))))


def solve(
    numbers: Numbers,
    solver: str,
    *,
    margin: float = 0.0,
    definite: float = 0.0,
    weight: Array | None = None,
    least: float | None = None,
) -> Solved:
    """The semidefinite programme: the largest metric, or the least ``<weight, G>`` with the metric at ``least``.

    Every inequality and matrix condition holds with a ``margin``, the Gram matrix with the margin ``definite``.

    Raises:
        UnsolvedError: with the solver's reason.
    """
    import cvxpy as cp

    n = numbers.n
    G = cp.Variable((n, n), PSD=True)
    v = cp.Variable(numbers.metrics.B.shape[1])
    t = cp.Variable()
    g = cp.vec(G, order="F")

    def expression(forms: Stack) -> Any:
        return forms.operator(n) @ g + forms.B @ v + forms.c

    conditions = [t <= expression(numbers.metrics)]
    conditions += [expression(numbers.inequalities) <= -margin] if len(numbers.inequalities.c) else []
    conditions += [expression(numbers.equalities) == 0] if len(numbers.equalities.c) else []
    scalar = conditions[1:]
    for size, forms in numbers.matrices:
        matrix = cp.reshape(expression(forms), (size, size), order="F")
        conditions.append((matrix + matrix.T) / 2 >> margin * np.eye(size))
    if definite:
        conditions.append(G >> definite * np.eye(n))
    if least is not None:
        conditions.append(t >= least)
    goal = cp.Maximize(t) if weight is None else cp.Minimize(cp.trace(weight @ G))
    problem = cp.Problem(goal, conditions)
    _run(problem, solver)
    status = str(problem.status)
    if status.startswith("infeasible"):
        raise UnsolvedError(f"no points satisfy all conditions, says {solver}")
    if status.startswith("unbounded"):
        raise UnsolvedError(f"the metric is unbounded, says {solver}")
    if G.value is None or v.value is None or t.value is None:
        raise UnsolvedError(f"{solver} gave no point (status {status})")
    gram = np.asarray((G.value + G.value.T) / 2)
    multipliers = sum(float(np.abs(condition.dual_value).sum()) for condition in scalar)
    return Solved(float(t.value), gram, np.asarray(v.value, float), multipliers)


def _run(problem: Any, solver: str) -> None:
    import cvxpy as cp

    accurate = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-11)
    for options in (accurate, {}) if solver == "CLARABEL" else ({},):
        try:
            with warnings.catch_warnings(), interruptible():
                warnings.simplefilter("ignore")  # an inaccurate point is as good a suggestion as any
                problem.solve(solver=solver, **options)
            return
        except BaseException as error:
            if not isinstance(error, cp.error.SolverError) and not is_panic(error):
                raise
    raise UnsolvedError(f"{solver} failed, it finds neither a point nor a reason why there is none")


def solve_in_good_units(model: Model, solver: str) -> tuple[Numbers, Solved]:
    """The worst case in units in which the first solution is about one, where these help the solver.

    Raises:
        UnsolvedError: with the solver's reason.
    """
    raw = balanced(Numbers.of(model))
    first = solve(raw, solver)
    numbers = in_good_units(raw, first)
    try:
        return numbers, solve(numbers, solver)
    except UnsolvedError:
        return raw, first


def balanced(numbers: Numbers) -> Numbers:
    """The problem in units in which its coefficients are about one, as the multipliers' are before their solve."""
    n = numbers.n
    value, metric, rows = n, n + 1, n + 2
    terms: list[tuple[Any, ...]] = []
    for forms in (numbers.metrics, numbers.inequalities, numbers.equalities, *(s for _, s in numbers.matrices)):
        places = np.full(len(forms.c), metric) if forms is numbers.metrics else rows + np.arange(len(forms.c))
        square = np.zeros((len(forms.c), n), bool)
        square[forms.row[forms.i == forms.j], forms.i[forms.i == forms.j]] = True
        telling = (forms.i == forms.j) | ~square[forms.row, forms.i] | ~square[forms.row, forms.j]
        row, i, j = forms.row[telling], forms.i[telling], forms.j[telling]
        terms.append((forms.a[telling], places[row], i, j))
        linear = forms.B.tocoo()
        terms.append((linear.data, places[linear.row], np.full(linear.nnz, value)))
        (r,) = np.nonzero(forms.c)
        terms.append((forms.c[r], places[r]))
        rows += 0 if forms is numbers.metrics else len(forms.c)
    factors = geometric(rows, terms, range(n))
    return numbers.scaled(factors[:n], float(factors[value]), float(1 / factors[metric]))


def in_good_units(numbers: Numbers, found: Solved) -> Numbers:
    """The problem in units, powers of two, in which a solution's points, values and metric are about one."""
    lengths = np.sqrt(np.maximum(np.diag(found.gram), 0))
    point = _power_of_two(np.maximum(lengths, 1e-4 * (lengths.max(initial=0) or 1)))
    value = float(_power_of_two(np.array(np.abs(found.values).max(initial=0) or 1.0)))
    return numbers.scaled(point, value, abs(found.metric) if abs(found.metric) > 1e-7 else 1.0)


def _power_of_two(x: Array) -> Array:
    return np.asarray(np.exp2(np.round(np.log2(x))))


def in_few_dimensions(numbers: Numbers, solver: str, found: Solved, rounds: int = 2) -> Solved:
    """A solution that is almost as good with a Gram matrix of low rank: least trace, then least log det."""
    least = found.metric - GIVEN_UP * max(1.0, abs(found.metric))
    weight = np.eye(numbers.n)
    best = found
    for _ in range(1 + rounds):
        if best.dimension == 1:
            break
        try:
            lower = solve(numbers, solver, weight=weight, least=least)
        except UnsolvedError:
            break
        best = replace(lower, multipliers=found.multipliers) if lower.dimension <= best.dimension else best
        weight = np.linalg.inv(lower.gram + 1e-4 * np.trace(lower.gram) / numbers.n * np.eye(numbers.n))
        weight /= np.abs(weight).max()
    return best


def feasible_points(
    numbers: Numbers, P: Array, v: Array, margins: Sequence[float], multipliers: float
) -> Iterator[tuple[Array, Array]]:
    """For each margin, points near ``P`` and values where all conditions hold with it and the metric is large.

    Sequential linear programming on the exact penalty function ``metric - K violation``.
    """
    penalty, step = 10 * (multipliers + 1), FIRST_STEP
    for margin in margins:
        while True:
            P, v = _climbed(numbers, P, v, margin, penalty, step)
            if numbers.shortfall(P, v, margin) <= margin / 2 + ROUNDING or penalty > LARGEST_PENALTY:
                break
            penalty, step = 10 * penalty, LATER_STEP
        yield P, v
        step = LATER_STEP


def _climbed(numbers: Numbers, P: Array, v: Array, margin: float, penalty: float, step: float) -> tuple[Array, Array]:
    from scipy.optimize import linprog

    d, n = P.shape
    m = len(v)
    metrics, inequalities, equalities = numbers.metrics, numbers.inequalities, numbers.equalities

    def merit(P: Array, v: Array) -> float:
        return float(metrics.at(P, v).min()) - penalty * numbers.shortfall(P, v, margin)

    current = merit(P, v)
    for _ in range(STEPS):
        # Columns: the changes of the points, the values and the metric, and the violation, all in units of the step,
        # so that the tolerance of the linear programme shrinks with it.
        rows = [
            _joined(-metrics.slope(P), -metrics.B, 1, 0),
            _joined(inequalities.slope(P), inequalities.B, 0, -1),
            *(_joined(sign * equalities.slope(P), sign * equalities.B, 0, -1) for sign in (1, -1)),
        ]
        best, off = metrics.at(P, v).min(), equalities.at(P, v)
        limits = np.concatenate([metrics.at(P, v) - best, -inequalities.at(P, v) - margin, -off, off]) / step
        answer = linprog(
            np.concatenate([np.zeros(d * n + m), [-1, penalty]]),
            np.vstack(rows),
            limits,
            bounds=[(-1, 1)] * (d * n) + [(-LARGEST_VALUE, LARGEST_VALUE)] * m + [(None, None), (0, None)],
            method="highs",
        )
        if answer.x is None:
            break
        moved, values = P + step * answer.x[: d * n].reshape(d, n), v + step * answer.x[d * n : d * n + m]
        reached, promised = merit(moved, values) - current, best - step * answer.fun - current
        if reached > 0.1 * promised > 0:
            P, v, current = moved, values, current + reached
            step = min(2 * step, 1.0) if reached > 0.5 * promised else step
        else:
            step /= 4
        if step < LEAST_STEP or promised < LEAST_GAIN:
            break
    return P, v


def best_values(numbers: Numbers, P: Array) -> Array | None:
    """The values with which the least metric is largest at given points; None when the conditions cannot hold there."""
    from scipy.optimize import linprog

    metrics, inequalities, equalities = numbers.metrics, numbers.inequalities, numbers.equalities
    m = metrics.B.shape[1]
    zero = np.zeros(m)
    answer = linprog(
        np.append(zero, -1.0),
        np.block(
            [
                [-metrics.B.toarray(), np.ones((len(metrics.c), 1))],
                [inequalities.B.toarray(), np.zeros((len(inequalities.c), 1))],
            ]
        ),
        np.concatenate([metrics.at(P, zero), -inequalities.at(P, zero)]),
        np.hstack([equalities.B.toarray(), np.zeros((len(equalities.c), 1))]),
        -equalities.at(P, zero),
        bounds=(-LARGEST_VALUE, LARGEST_VALUE),
        method="highs",
    )
    return None if answer.x is None else np.asarray(answer.x[:m])


def _joined(slope: Array, B: Any, t: int, s: int) -> Array:
    ones = np.ones((len(slope), 1))
    return np.hstack([slope, B.toarray(), t * ones, s * ones])
