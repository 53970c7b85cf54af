"""Points, gradients and values that attain a lower bound on a worst case, checked in exact arithmetic alone.

Nothing here knows how they were found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rateproof.verify.worstcase.exact import written
from rateproof.verify.worstcase.model import Form, Model, is_exact, malformed, read, same
from rateproof.verify.worstcase.semidefinite import semidefinite
from rateproof.verify.worstcase.stored import cause, name_of, packed, packed_form, parsed, unpacked, unpacked_form

#: A linear combination of points, by their index.
Combination = Mapping[int, Fraction]
Vector = tuple[Fraction, ...]
ZERO = Fraction(0)


@dataclass(frozen=True)
class Triplet:
    """Where a function is evaluated: the point and the (sub)gradient as combinations of points, the value as a form."""

    x: Combination
    g: Combination
    f: Form


@dataclass(frozen=True)
class Evaluations:
    """All evaluations of one function.

    Attributes:
        name: of the function.
        kind: the name of its class, as in PEPit.
        parameters: of the class (``mu``, ``L``, ``M``); None where infinite.
        triplets: its evaluations, in the order in which they were asked for.
    """

    name: str
    kind: str
    parameters: Mapping[str, Fraction | None]
    triplets: tuple[Triplet, ...]


@dataclass(frozen=True)
class Curvature:
    """Functions with curvature between ``mu`` and ``L`` (None: no upper limit) and gradients no longer than ``M``."""

    mu: Fraction
    L: Fraction | None
    M: Fraction | None = None


def curvature(function: Evaluations) -> Curvature | str:
    """The class of a function, if it is one of those with known interpolation formulas; else why not."""
    mu, L, M = (function.parameters.get(name) for name in ("mu", "L", "M"))
    match function.kind:
        case "SmoothStronglyConvexFunction" if mu is not None:
            of_class = Curvature(mu, L)
        case "SmoothConvexFunction":
            of_class = Curvature(ZERO, L)
        case "SmoothFunction" if L is not None:
            of_class = Curvature(-L, L)
        case "StronglyConvexFunction" if mu is not None:
            of_class = Curvature(mu, None)
        case "ConvexFunction":
            of_class = Curvature(ZERO, None)
        case "ConvexLipschitzFunction":
            of_class = Curvature(ZERO, None, M)
        case other:
            return f"no explicit interpolating function is known here for the class {other}"
    if of_class.L is not None and of_class.mu >= of_class.L:
        return f"the class of {function.name} has no room between mu = {of_class.mu} and L = {of_class.L}"
    return of_class


@dataclass(frozen=True)
class WorstFunction:
    """An instance of a performance estimation problem in rational numbers: a lower bound on its worst case.

    Attributes:
        model: the problem.
        coordinates: of every point of the model; the same number of axes for each.
        weights: of the axes, positive: ``<p, q> = sum_k weights[k] p[k] q[k]``. Where all are 1 the coordinates are
            Euclidean; otherwise the Euclidean ones are ``sqrt(weights[k]) p[k]``.
        values: the function values of the model.
        lower: the least metric of this instance.
        functions: the evaluations of each function, where the problem tells them.
    """

    model: Model
    coordinates: tuple[Vector, ...]
    weights: Vector
    values: Vector
    lower: Fraction
    functions: tuple[Evaluations, ...] = ()

    @classmethod
    def attaining(
        cls,
        model: Model,
        coordinates: tuple[Vector, ...],
        weights: Vector,
        values: Vector,
        functions: tuple[Evaluations, ...] = (),
    ) -> WorstFunction:
        """The instance with these points and values, with the metric that it attains; not yet checked."""
        found = cls(model, coordinates, weights, values, ZERO, functions)
        return replace(found, lower=min(map(found.value, model.metrics)))

    @property
    def dimension(self) -> int:
        """The number of axes."""
        return len(self.weights)

    def check(self, problem: Any = None) -> bool:
        """Whether every condition holds and ``lower`` is the least metric, in rational arithmetic.

        Args:
            problem: a model or PEPit problem; then also whether it is the one of this instance.
        """
        return next(self.problems(problem), None) is None

    def problems(self, problem: Any = None) -> Iterator[str]:
        """What is wrong, one line each; nothing for a valid instance. See :meth:`check`."""
        if problem is not None:
            yield from self._foreign(problem)
        model = self.model
        if (len(self.coordinates), len(self.values)) != (len(model.points), len(model.values)):
            yield "the numbers of points and values are not those of the model"
            return
        faults = list(malformed(model))
        if not all(map(is_exact, self._numbers())):
            faults.append("a number of the instance is not a fraction")
        if not self._evaluations_exist():
            faults.append("an evaluation uses points or values that the model does not have")
        if faults:
            yield from faults
            return
        if any(len(p) != self.dimension for p in self.coordinates) or not all(w > 0 for w in self.weights):
            yield "every point needs one coordinate per axis, every axis a positive weight"
            return
        gram = {}
        for i, p in enumerate(self.coordinates):
            weighted = [w * a for w, a in zip(self.weights, p, strict=True)]
            for j, q in enumerate(self.coordinates[i:], start=i):
                gram[i, j] = sum((a * b for a, b in zip(weighted, q, strict=True) if a and b), ZERO)
        for condition in model.conditions:
            value = evaluate(condition.form, gram, self.values)
            if value > 0 or (condition.equality and value):
                yield f"{condition.name} fails by {float(value):.3g}"
        for matrix in model.semidefinite:
            entries = [[evaluate(form, gram, self.values) for form in row] for row in matrix.entries]
            if not semidefinite(entries):
                yield f"{matrix.name} is not positive semidefinite"
        if self.lower != min(evaluate(metric, gram, self.values) for metric in model.metrics):
            yield "lower is not the least metric"
        for function in self.functions:
            yield from self._not_interpolable(function)

    def point(self, combination: Combination) -> Vector:
        """The coordinates of a linear combination of points."""
        terms = [(c, self.coordinates[i]) for i, c in combination.items()]
        return tuple(sum((c * p[k] for c, p in terms), ZERO) for k in range(self.dimension))

    def value(self, form: Form) -> Fraction:
        """A form at this instance."""
        gram = {(i, j): self._inner(self.coordinates[i], self.coordinates[j]) for i, j in form.gram}
        return evaluate(form, gram, self.values)

    def evaluations(self, function: Evaluations) -> list[tuple[Vector, Vector, Fraction]]:
        """Point, gradient and value of each evaluation."""
        return [(self.point(t.x), self.point(t.g), self.value(t.f)) for t in function.triplets]

    def to_json(self) -> str:
        """As JSON text; fractions are strings."""
        return json.dumps(
            {
                "model": packed(self.model),
                "coordinates": [list(map(str, p)) for p in self.coordinates],
                "weights": list(map(str, self.weights)),
                "values": list(map(str, self.values)),
                "lower": str(self.lower),
                "functions": list(map(_packed_evaluations, self.functions)),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> WorstFunction:
        """From :meth:`to_json`; nothing is checked but the shape, so call :meth:`check`.

        Raises:
            ValueError: the text is no worst function.
        """
        try:
            data = parsed(text)
            return cls(
                unpacked(data["model"]),
                tuple(map(_vector, data["coordinates"])),
                _vector(data["weights"]),
                _vector(data["values"]),
                written(data["lower"]),
                tuple(map(_evaluations, data["functions"])),
            )
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise ValueError(f"this is no worst function as written by to_json: {cause(error)}") from None

    def _foreign(self, problem: Any) -> Iterator[str]:
        """In what the instance is not one of a problem."""
        from rateproof.verify.worstcase.evaluations import evaluations

        model = problem if isinstance(problem, Model) else read(problem)
        if not same(self.model, model) or self.model.relaxed != model.relaxed:
            yield "the model is not that of the problem"
        elif not isinstance(problem, Model) and self.functions not in ((), evaluations(problem, self.model)):
            yield "the evaluations are not those of the problem"

    def _evaluations_exist(self) -> bool:
        triplets = [t for function in self.functions for t in function.triplets]
        valued = replace(self.model, metrics=(*self.model.metrics, *(t.f for t in triplets)))
        points = range(len(self.coordinates))
        return not any(malformed(valued)) and all(i in points for t in triplets for i in (*t.x, *t.g))

    def _numbers(self) -> Iterator[Fraction]:
        yield self.lower
        yield from self.weights
        yield from self.values
        yield from (a for p in self.coordinates for a in p)
        for function in self.functions:
            yield from (c for t in function.triplets for c in (*t.x.values(), *t.g.values()))
            yield from (limit for limit in function.parameters.values() if limit is not None)

    def _inner(self, p: Vector, q: Vector) -> Fraction:
        return sum((w * a * b for w, a, b in zip(self.weights, p, q, strict=True)), ZERO)

    def _not_interpolable(self, function: Evaluations) -> Iterator[str]:
        """Pairs of evaluations that no function of the class has, by the class's own parameters."""
        known = curvature(function)
        if isinstance(known, str):
            return
        found = self.evaluations(function)
        for i, (x, g, f) in enumerate(found):
            if known.M is not None and self._inner(g, g) > known.M**2:
                yield f"{function.name}: gradient {i} is longer than {known.M}"
            for j, (y, h, e) in enumerate(found):
                step = tuple(a - b for a, b in zip(x, y, strict=True))
                bend = tuple(a - b for a, b in zip(g, h, strict=True))
                gap = f - e - self._inner(h, step)
                if i != j and gap < _curved(
                    known, *(self._inner(p, q) for p, q in ((step, step), (step, bend), (bend, bend)))
                ):
                    yield f"{function.name}: no function of its class has the evaluations {i} and {j}"


def _curved(known: Curvature, step2: Fraction, product: Fraction, bend2: Fraction) -> Fraction:
    """What ``f_i`` exceeds ``f_j + <g_j, x_i - x_j>`` by, at least (Taylor, Hendrickx and Glineur 2017, Theorem 4)."""
    mu, L = known.mu, known.L
    if L is None:
        return mu * step2 / 2
    return (bend2 + mu * L * step2 - 2 * mu * product) / (2 * (L - mu))


def evaluate(form: Form, gram: Mapping[tuple[int, int], Fraction], values: Sequence[Fraction]) -> Fraction:
    """A form at inner products (keys ``i <= j``) and values."""
    total = form.constant
    for pair, c in form.gram.items():
        total += c * gram[pair]
    for k, c in form.values.items():
        total += c * values[k]
    return total


# --- JSON


def _packed_evaluations(function: Evaluations) -> dict[str, Any]:
    return {
        "name": function.name,
        "kind": function.kind,
        "parameters": [[name, None if x is None else str(x)] for name, x in function.parameters.items()],
        "triplets": [[_packed_terms(t.x), _packed_terms(t.g), packed_form(t.f)] for t in function.triplets],
    }


def _evaluations(data: Any) -> Evaluations:
    parameters = {name_of(name): None if x is None else written(x) for name, x in data["parameters"]}
    triplets = tuple(Triplet(_terms(x), _terms(g), unpacked_form(f)) for x, g, f in data["triplets"])
    return Evaluations(name_of(data["name"]), name_of(data["kind"]), parameters, triplets)


def _packed_terms(combination: Combination) -> list[Any]:
    return [[k, str(c)] for k, c in combination.items()]


def _terms(data: Any) -> Combination:
    return {k: written(c) for k, c in data}


def _vector(data: Any) -> Vector:
    return tuple(map(written, data))
