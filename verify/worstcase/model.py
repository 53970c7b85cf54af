"""A performance estimation problem as exact data: maximise the least metric over Gram matrices and function values.

The points ``p_0, ..., p_(n-1)`` (iterates, gradients) enter through their inner products, the values of the functions
``v_0, ..., v_(m-1)`` linearly. Every coefficient is a rational number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.util import find_spec
from math import lcm
from typing import Any

from rateproof.verify.worstcase.exact import Exact
from rateproof.verify.worstcase.sufficiency import necessary_only

START = "V(start) <= 1"
"""The name of the condition on the start, by which :class:`verify.worstcase.contraction.Contraction` knows it."""


@dataclass(frozen=True)
class Form:
    """``sum gram[i, j] <p_i, p_j> + sum values[k] v_k + constant``.

    ``gram`` has keys ``i <= j``; the coefficient of an off-diagonal product counts both orders. No zeros are stored.
    """

    gram: Mapping[tuple[int, int], Fraction] = field(default_factory=dict)
    values: Mapping[int, Fraction] = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    @classmethod
    def of(cls, gram: Mapping[tuple[int, int], Fraction], values: Mapping[int, Fraction], constant: Fraction) -> Form:
        """The form without the zeros among its coefficients."""
        return cls({k: c for k, c in gram.items() if c}, {k: c for k, c in values.items() if c}, constant)

    def __hash__(self) -> int:
        return hash((frozenset(self.gram.items()), frozenset(self.values.items()), self.constant))


@dataclass(frozen=True)
class Condition:
    """``form <= 0``, or ``form == 0`` where ``equality``; ``name`` says where it comes from.

    ``near`` is False for an interpolation condition between two evaluations of a function that are not consecutive
    and neither of which is at a stationary point: proofs rarely need these.
    """

    name: str
    form: Form
    equality: bool = False
    near: bool = True


@dataclass(frozen=True)
class Semidefinite:
    """A symmetric matrix of forms that is positive semidefinite; ``name`` says where it comes from."""

    name: str
    entries: tuple[tuple[Form, ...], ...]


@dataclass(frozen=True)
class Model:
    """The problem: maximise ``min(metrics)`` subject to the conditions and to a positive semidefinite Gram matrix.

    Attributes:
        points: names of the points, in the order of the Gram matrix.
        values: names of the function values.
        metrics: forms, of which the least is maximised.
        conditions: scalar conditions.
        semidefinite: matrix conditions.
        relaxed: the classes and steps whose conditions are necessary only, by name. Bounds on the metrics hold for
            them, but an instance of the model need not belong to them, and refutes nothing.
    """

    points: tuple[str, ...]
    values: tuple[str, ...]
    metrics: tuple[Form, ...]
    conditions: tuple[Condition, ...]
    semidefinite: tuple[Semidefinite, ...] = ()
    relaxed: tuple[str, ...] = ()

    @property
    def forms(self) -> list[Form]:
        """All of them: metrics, conditions, entries of matrices."""
        forms = [*self.metrics, *(c.form for c in self.conditions)]
        return forms + [form for matrix in self.semidefinite for row in matrix.entries for form in row]

    def mapped(self, change: Callable[[Form], Form], points: tuple[str, ...], values: tuple[str, ...]) -> Model:
        """The model with every form changed, in other points and values."""
        return Model(
            points,
            values,
            tuple(map(change, self.metrics)),
            tuple(replace(c, form=change(c.form)) for c in self.conditions),
            tuple(replace(s, entries=tuple(tuple(map(change, row)) for row in s.entries)) for s in self.semidefinite),
            self.relaxed,
        )


def same(one: Model, other: Model) -> bool:
    """Whether two models are equal but for names and for the order of conditions."""
    sizes = [(len(m.points), len(m.values)) for m in (one, other)]
    return sizes[0] == sizes[1] and parts(one) == parts(other)


def parts(model: Model) -> Mapping[str, set[Any]]:
    """Everything in a model but the names, in no order."""
    return {
        "metrics": set(model.metrics),
        "conditions": {(c.form, c.equality) for c in model.conditions},
        "matrix conditions": {s.entries for s in model.semidefinite},
    }


def malformed(model: Model) -> Iterator[str]:
    """Why a model says nothing, one line each: what a proof about data of unknown origin has to rule out first."""
    forms = model.forms
    points, values = range(len(model.points)), range(len(model.values))
    if not model.metrics:
        yield "the model has no metric"
    if not all(i in points and j in points and i <= j for form in forms for i, j in form.gram):
        yield "the model uses points that it does not have, or a product in the wrong order"
    if not all(k in values for form in forms for k in form.values):
        yield "the model uses values that it does not have"
    if not all(is_exact(c) for form in forms for c in coefficients(form)):
        yield "a coefficient of the model is not a fraction"
    if not all(isinstance(c.equality, bool) for c in model.conditions):
        yield "the model does not say which conditions are equalities"
    for matrix in model.semidefinite:
        if matrix.entries != tuple(zip(*matrix.entries, strict=False)):
            yield f"{matrix.name} is not a symmetric matrix"


def is_exact(number: object) -> bool:
    """Whether a number is a fraction or integer of Python's own, which neither rounds nor overflows."""
    return type(getattr(number, "numerator", None)) is int


def read(problem: Any) -> Model:
    """The model of a ``PEPit.PEP``, before or after it was solved; the PEP is left as it was.

    Coefficients are those that PEPit holds: fractions where all numbers of the problem are
    :class:`~rateproof.verify.worstcase.exact.Exact`, and otherwise the binary values of what PEPit has multiplied and
    rounded. Where rounding breaks an invariance (weights that no longer sum to one), the model's worst case is not the
    method's. The interpolation conditions are those that PEPit prepares for its own solve, or prepared where a newer
    PEP has been made since; one that was deactivated stays so. Where the entries ``(i, j)`` and ``(j, i)`` of a matrix
    condition differ, their equality is a condition, as it is in PEPit.

    Raises:
        ValueError: when the problem is no PEP, has no metric, was replaced by a newer PEP before it was solved (PEPit
            keeps functions and points globally) or changed since, was changed after a condition of a class was
            deactivated, uses points of two PEPs, has a coefficient that is not finite, or fails in PEPit.
    """
    require_pepit()
    from PEPit import PEP

    if not isinstance(problem, PEP):
        raise ValueError(f"problem is a {type(problem).__name__}: give a PEPit.PEP or a Model")
    if not problem.list_of_performance_metrics:
        raise ValueError("problem has no performance metric: call set_performance_metric first")
    with prepared(problem):
        return replace(_Reader(problem).read(), relaxed=necessary_only(problem))


def require_pepit() -> None:
    """See that PEPit is there.

    Raises:
        ValueError: it is not installed.
    """
    if find_spec("PEPit") is None:
        raise ValueError("PEPit is not installed: pip install 'rateproof[worstcase]'")


class _Reader:
    """Turns PEPit's expressions into forms; points and values are numbered in the order of their creation."""

    def __init__(self, problem: Any, *, deactivated: bool = False) -> None:
        # Points and expressions by PEPit's counters; those that no form uses do not enter the model.
        self.problem, self.deactivated = problem, deactivated
        self.points: dict[int, Any] = {}
        self.values: dict[int, Any] = {}
        self.fractions: dict[float, Fraction] = {}

    def read(self) -> Model:
        """The model of the conditions that are prepared: the active ones, or the deactivated ones with them."""
        stated = zip(self.problem.list_of_performance_metrics, self.problem._list_of_prepared_constraints, strict=False)
        metrics = [self.form(metric) for metric, c in stated if c.activated or self.deactivated]
        conditions = self.conditions()
        matrices, symmetries = self.matrices()
        return self.model(metrics, [*conditions, *symmetries], matrices)

    def form(self, expression: Any) -> Form:
        gram: dict[tuple[int, int], Fraction] = {}
        values: dict[int, Fraction] = {}
        constant = Fraction(0)
        for key, weight in expression.decomposition_dict.items():
            coefficient = self.fraction(weight)
            if isinstance(key, tuple):
                first, second = (self.known(self.points, point) for point in key)
                pair = (min(first.counter, second.counter), max(first.counter, second.counter))
                gram[pair] = gram.get(pair, Fraction(0)) + coefficient
            elif isinstance(key, int):
                constant += coefficient
            else:
                values[self.known(self.values, key).counter] = coefficient
        return Form.of(gram, values, constant)

    def known(self, leaves: dict[int, Any], leaf: Any) -> Any:
        if leaves.setdefault(leaf.counter, leaf) is not leaf:
            raise ValueError("problem uses points or values of two PEPs, which PEPit takes for one another")
        return leaf

    def fraction(self, weight: Any) -> Fraction:
        if isinstance(weight, Exact):
            return weight.fraction
        if weight not in self.fractions:
            try:
                self.fractions[weight] = Fraction(weight)
            except (ValueError, OverflowError):
                raise ValueError(f"problem has the coefficient {weight}: every coefficient must be finite") from None
        return self.fractions[weight]

    def conditions(self) -> list[Condition]:
        far = set(_far(self.problem))
        conditions = []
        equalities = set()
        for constraint in self.problem._list_of_prepared_constraints[len(self.problem.list_of_performance_metrics) :]:
            if not (constraint.activated or self.deactivated):
                continue
            form = self.form(constraint.expression)
            equality = constraint.equality_or_inequality == "equality"
            # PEPit writes some equalities several times, and some that say 0 == 0 or 0 <= 0.
            if form == Form() or (equality and form in equalities):
                continue
            if equality:
                equalities.add(form)
            conditions.append(Condition(str(constraint.get_name()), form, equality, near=id(constraint) not in far))
        return conditions

    def matrices(self) -> tuple[list[Semidefinite], list[Condition]]:
        matrices, symmetries = [], []
        for number, matrix in enumerate(self.problem._list_of_prepared_psd):
            if not (matrix.activated or self.deactivated):
                continue
            size = matrix.shape[0]
            name = str(matrix.get_name() or f"LMI {number}")
            forms = [[self.form(matrix[i, j]) for j in range(size)] for i in range(size)]
            for i in range(size):
                for j in range(i):
                    difference = combination([(Fraction(1), forms[i][j]), (Fraction(-1), forms[j][i])])
                    if difference != Form():
                        symmetries.append(Condition(f"{name} symmetric ({i}, {j})", difference, equality=True))
                    forms[i][j] = forms[j][i]
            matrices.append(Semidefinite(name, tuple(map(tuple, forms))))
        return matrices, symmetries

    def model(self, metrics: list[Form], conditions: list[Condition], matrices: list[Semidefinite]) -> Model:
        points, values = sorted(self.points), sorted(self.values)
        places = {counter: i for i, counter in enumerate(points)}, {counter: i for i, counter in enumerate(values)}

        def numbered(form: Form) -> Form:
            gram = {(places[0][i], places[0][j]): c for (i, j), c in form.gram.items()}
            return Form(gram, {places[1][k]: c for k, c in form.values.items()}, form.constant)

        return Model((), (), tuple(metrics), tuple(conditions), tuple(matrices)).mapped(
            numbered,
            tuple(self.points[k].get_name() or f"Point_{k}" for k in points),
            tuple(self.values[k].get_name() or f"Value_{k}" for k in values),
        )


def combination(terms: Iterable[tuple[Fraction, Form]]) -> Form:
    """``sum weight * form``."""
    # Over common denominators, integers add several times faster than fractions.
    used = [(weight, form) for weight, form in terms if weight]
    scale = lcm(*(weight.denominator for weight, _ in used))
    grain = lcm(*{c.denominator for _, form in used for c in coefficients(form)})
    gram: defaultdict[tuple[int, int], int] = defaultdict(int)
    values: defaultdict[int, int] = defaultdict(int)
    constant = 0
    for weight, form in used:
        factor = weight.numerator * (scale // weight.denominator)
        for pair, c in form.gram.items():
            gram[pair] += factor * (c.numerator * (grain // c.denominator))
        for k, c in form.values.items():
            values[k] += factor * (c.numerator * (grain // c.denominator))
        constant += factor * (form.constant.numerator * (grain // form.constant.denominator))
    whole = scale * grain
    return Form(
        {k: Fraction(c, whole) for k, c in gram.items() if c},
        {k: Fraction(c, whole) for k, c in values.items() if c},
        Fraction(constant, whole),
    )


def coefficients(form: Form) -> Iterator[Fraction]:
    """All numbers of a form."""
    yield from form.gram.values()
    yield from form.values.values()
    yield form.constant


def _far(problem: Any) -> Iterator[int]:
    """The ids of the interpolation conditions between evaluations that are neither neighbours nor at a minimiser."""
    for function in problem.list_of_functions:
        stationary = {id(triplet) for triplet in function.list_of_stationary_points}
        order = [k for k, triplet in enumerate(function.list_of_points) if id(triplet) not in stationary]
        rank = {k: r for r, k in enumerate(order)}
        for table in function.tables_of_constraints.values():
            size = len(function.list_of_points)
            if getattr(table, "shape", None) != (size, size):
                continue
            for i, row in enumerate(table.to_numpy()):
                yield from (id(c) for j, c in enumerate(row) if i in rank and j in rank and abs(rank[i] - rank[j]) > 1)


@contextmanager
def prepared(problem: Any) -> Iterator[None]:
    """PEPit's own preparation of the conditions, undone afterwards; an older PEP is left as it was solved."""
    from PEPit import Constraint, Expression, Function, Point, PSDMatrix
    from PEPit.block_partition import BlockPartition

    if not _is_newest(problem):
        _require_as_solved(problem)
        yield
        return
    objective = problem.objective
    owners = [problem, *Function.list_of_functions, *BlockPartition.list_of_partitions]
    owners += [Constraint, Expression, Function, Point, PSDMatrix, BlockPartition]
    before = [{k: _copied(v) for k, v in vars(owner).items() if _is_state(k, v)} for owner in owners]
    deactivated = [c for c in _conditions_of(problem) if not c.activated]

    def undo() -> None:
        for owner, state in zip(owners, before, strict=True):
            for name, value in state.items():
                setattr(owner, name, _copied(value))
        problem.objective = objective

    try:
        for function in Function.list_of_functions:
            function.list_of_class_psd = []  # which PEPit would fill a second time after a solve
        try:
            problem._prepare_constraints(verbose=0)
        except Exception as error:
            raise ValueError(f"PEPit cannot write the conditions: {type(error).__name__}: {error}") from error
        again = [c for partition in BlockPartition.list_of_partitions for c in partition.list_of_constraints]
        kept = set(map(id, _conditions_of(problem))) - set(map(id, again))
        if not all(id(c) in kept for c in deactivated):
            # PEPit makes conditions of its own anew, and all of them active: the problem's are those from before.
            now = _Reader(problem, deactivated=True).read()
            undo()
            if not same(_Reader(problem, deactivated=True).read(), now):
                raise ValueError("problem was changed after a condition was deactivated: deactivate it last")
        yield
    finally:
        undo()


def _conditions_of(problem: Any) -> list[Any]:
    return [*problem._list_of_prepared_constraints, *problem._list_of_prepared_psd]


def _is_newest(problem: Any) -> bool:
    """Whether PEPit's global lists are those of a problem."""
    from PEPit import Expression, Function, Point

    lists = Function.list_of_functions, Point.list_of_leaf_points, Expression.list_of_leaf_expressions
    current = {id(x) for owned in lists for x in owned}
    keys = [key for metric in problem.list_of_performance_metrics for key in metric.decomposition_dict]
    leaves = [x for key in keys if not isinstance(key, int) for x in (key if isinstance(key, tuple) else (key,))]
    return current.issuperset(map(id, [*problem.list_of_functions, *leaves]))


def _require_as_solved(problem: Any) -> None:
    if problem.objective is None:
        raise ValueError("problem is older than another PEP, which took PEPit's global lists: read it before the next")
    first, own = len(problem.list_of_performance_metrics), problem.list_of_constraints
    solved = problem._list_of_prepared_constraints[first : first + len(own)]
    if list(map(id, solved)) != list(map(id, own)):
        raise ValueError(
            "problem was changed after it was solved, and is older than another PEP: read it before the next"
        )


def _is_state(name: str, value: object) -> bool:
    return not name.startswith("__") and (value is None or isinstance(value, list | dict | int))


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, list | dict) else value
