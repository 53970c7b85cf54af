"""The worst case of N clients through a model whose size does not depend on N.

A model of a federated method is unchanged when its clients are permuted. Averaging a feasible Gram matrix over the
permutations leaves the metric as it is and the matrix feasible, so that the worst case is attained where all clients
look alike: ``<g_ij, g_ik>`` is the same for every client ``i``, and ``<g_ij, g_lk>`` for every two clients. With the
mean over the clients, write ``g_ij = gbar_j + d_ij``. Then, exactly when all clients look alike,

    <d_ij, gbar_k> = <d_ij, shared point> = 0   and   <d_ij, d_lk> = -<d_ij, d_ik> / (N - 1)   for i != l,

and the Gram matrix of the N clients is positive semidefinite if and only if two smaller ones are: that of the shared
points and the means, and that of the differences of one client, ``C_jk = <d_ij, d_ik>``. (Its invariant blocks are the
former and ``N/(N-1)`` times the latter.) :func:`reduced` writes a model in these terms. By this proof its optimal value
is that of the model it is given, for any ``N``; that permutations leave the model unchanged is checked exactly.

Two clients carry the worst case of every ``N >= 2`` where each condition and each metric is a combination of products
in which every factor is a shared point, a mean over the clients, or a point of one and the same client, averaged over
the clients or not: with ``g_ij = gbar_j + d_ij`` such a product becomes one of ``gbar_j``, shared points and
``<d_ij, d_ik>``, whatever ``N``. FedAvg and its kin are like that, since clients meet in the server's averages alone;
the models of 2, 3, 4, ... clients then reduce to the same one, which :func:`same` confirms exactly for any given ``N``.
N enters a reduced model only where a condition multiplies points of different clients one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rateproof.verify.worstcase.model import Form, Model, parts


@dataclass(frozen=True)
class Layout:
    """Which points and values of a model belong to which client; the others are shared.

    Attributes:
        points: for every client the names of its points, in the same order for all. Where the points of all clients sum
            to zero, the last client has None for what is left.
        values: for every client the names of its function values.

    Raises:
        ValueError: clients of different sizes, or a None elsewhere than at the last client.
    """

    points: tuple[tuple[str | None, ...], ...]
    values: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Check that the clients have as much of everything."""
        if len({len(p) for p in self.points}) != 1 or len({len(v) for v in self.values}) != 1:
            raise ValueError("the clients of a layout should have equally many points, and equally many values")
        if len(self.points) != len(self.values):
            raise ValueError(f"the layout has points of {len(self.points)} clients, but values of {len(self.values)}")
        if any(p is None for client in self.points[:-1] for p in client):
            raise ValueError("only the last client of a layout may have None, for what makes the points sum to zero")

    @property
    def clients(self) -> int:
        """``N``."""
        return len(self.points)


@dataclass(frozen=True)
class _Places:
    """A layout by the indices of a model."""

    points: tuple[tuple[int | None, ...], ...]
    values: tuple[tuple[int, ...], ...]


def reduced(model: Model, layout: Layout) -> Model:
    """The model in shared points, means over the clients and differences from them, with the same optimal value.

    Products of a difference with a mean or a shared point do not occur in it.

    Raises:
        ValueError: permuting the clients changes the model, or the layout names what the model lacks.
    """
    N = layout.clients
    if N == 1:
        return model
    places = _places(model, layout)
    _check_invariant(model, places)
    zero_sum = [p is None for p in places.points[-1]]
    of_client = {p: (i, j) for i, points in enumerate(places.points) for j, p in enumerate(points) if p is not None}
    shared = [p for p in range(len(model.points)) if p not in of_client]
    means = [j for j, zero in enumerate(zero_sum) if not zero]
    mean_at = {j: len(shared) + k for k, j in enumerate(means)}
    difference_at = {j: len(shared) + len(means) + j for j in range(len(zero_sum))}
    value_of = {v: j for values in places.values for j, v in enumerate(values)}
    own = [v for v in range(len(model.values)) if v not in value_of]
    value_at = {v: k for k, v in enumerate(own)} | {v: len(own) + j for v, j in value_of.items()}

    def mean(p: int) -> int | None:
        return mean_at.get(of_client[p][1]) if p in of_client else shared.index(p)

    def image(form: Form) -> Form:
        gram: dict[tuple[int, int], Fraction] = {}
        for (p, q), c in form.gram.items():
            _add(gram, _pair(mean(p), mean(q)), c)
            if p in of_client and q in of_client:
                (i, j), (other, k) = of_client[p], of_client[q]
                _add(gram, _pair(difference_at[j], difference_at[k]), c if i == other else -c / (N - 1))
        values: dict[int, Fraction] = {}
        for v, c in form.values.items():
            _add(values, value_at[v], c)
        return Form.of(gram, values, form.constant)

    first, first_values = places.points[0], places.values[0]
    names = [model.points[p] for p in shared]
    names += [f"mean {_name(model.points, first[j])}" for j in means]
    names += [f"difference {_name(model.points, p)}" for p in first]
    return _mapped(
        image,
        model,
        points=tuple(names),
        values=tuple([model.values[v] for v in own] + [model.values[v] for v in first_values]),
    )


def _places(model: Model, layout: Layout) -> _Places:
    def index(names: Sequence[str], name: str) -> int:
        if names.count(name) != 1:
            raise ValueError(f"the layout names {name}, which the model has {names.count(name)} times instead of once")
        return names.index(name)

    return _Places(
        tuple(tuple(None if p is None else index(model.points, p) for p in of) for of in layout.points),
        tuple(tuple(index(model.values, v) for v in of) for of in layout.values),
    )


def _check_invariant(model: Model, places: _Places) -> None:
    N = len(places.points)
    swap, cycle = [1, 0, *range(2, N)], [*range(1, N), 0]  # these generate all permutations
    unmoved = parts(model)
    for permutation in [swap] if N == 2 else [swap, cycle]:
        moved = parts(_mapped(_action(places, permutation), model, points=model.points, values=model.values))
        for what, forms in moved.items():
            if forms != unmoved[what]:
                raise ValueError(
                    f"permuting the clients changes the {what} of the model; the reduction needs them to be unchanged"
                )


def _action(places: _Places, permutation: Sequence[int]) -> Callable[[Form], Form]:
    """What a form becomes when client ``i`` takes the place of client ``permutation[i]``."""
    one = Fraction(1)
    points: dict[int, dict[int, Fraction]] = {}
    values: dict[int, int] = {}
    for i, to in enumerate(permutation):
        for j, p in enumerate(places.points[i]):
            target = places.points[to][j]
            if p is None:
                continue
            others = [client[j] for client in places.points[:-1]]
            points[p] = {target: one} if target is not None else {q: -one for q in others if q is not None}
        values |= dict(zip(places.values[i], places.values[to], strict=True))

    def moved(form: Form) -> Form:
        gram: dict[tuple[int, int], Fraction] = {}
        for (p, q), c in form.gram.items():
            for a, x in points.get(p, {p: one}).items():
                for b, y in points.get(q, {q: one}).items():
                    _add(gram, _pair(a, b), c * x * y)
        shifted: dict[int, Fraction] = {}
        for v, c in form.values.items():
            _add(shifted, values.get(v, v), c)
        return Form.of(gram, shifted, form.constant)

    return moved


def _mapped(change: Callable[[Form], Form], model: Model, *, points: tuple[str, ...], values: tuple[str, ...]) -> Model:
    """The model with every form changed, each condition once."""
    changed = model.mapped(change, points, values)
    return replace(
        changed,
        metrics=_once(changed.metrics, lambda form: form),
        conditions=_once(changed.conditions, lambda c: (c.form, c.equality)),
        semidefinite=_once(changed.semidefinite, lambda s: s.entries),
    )


def _once(items: Iterable[Any], key: Callable[[Any], Any]) -> tuple[Any, ...]:
    return tuple({key(item): item for item in reversed(list(items))}.values())[::-1]


def _add(terms: dict[Any, Fraction], at: Any, c: Fraction) -> None:
    if at is not None:
        terms[at] = terms.get(at, Fraction(0)) + c


def _pair(a: int | None, b: int | None) -> tuple[int, int] | None:
    return None if a is None or b is None else (min(a, b), max(a, b))


def _name(names: Sequence[str], p: int | None) -> str:
    return "?" if p is None else names[p]
