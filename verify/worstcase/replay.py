"""A worst function as a Python script that proves, with the standard library alone, the bound that it refutes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from rateproof.verify.worstcase.model import Form
from rateproof.verify.worstcase.witness import Combination, Curvature, Evaluations, WorstFunction, curvature

HEAD = '''"""{title}

{about}
Points have coordinates with <p, q> = sum_k WEIGHTS[k] p[k] q[k]. All arithmetic is exact.
"""

from fractions import Fraction

BOUND = {bound}
WEIGHTS = {weights}
# The free points of the method: its start, a minimiser, gradients.
POINTS = {points}
# The free function values.
VALUES = {values}
# Name, class, curvature between mu and L (None: no limit), longest gradient M (None: no limit), and the evaluations:
# point and gradient as combinations of POINTS, value as products of POINTS, multiples of VALUES and a constant.
FUNCTIONS = {functions}
# Name, whether it is an equality (else the form is at most zero), form.
CONDITIONS = {conditions}
# Name and entries of matrices that are positive semidefinite.
MATRICES = {matrices}
METRICS = {metrics}
'''

BODY = '''

def fractions(texts):
    return [Fraction(text) for text in texts]


WEIGHTS, POINTS, VALUES = fractions(WEIGHTS), [fractions(p) for p in POINTS], fractions(VALUES)


def inner(p, q):
    return sum(w * a * b for w, a, b in zip(WEIGHTS, p, q))


def point(terms):
    return [sum(Fraction(c) * POINTS[i][k] for i, c in terms.items()) for k in range(len(WEIGHTS))]


def number(form):
    products, values, constant = form
    total = sum(Fraction(c) * inner(POINTS[i], POINTS[j]) for (i, j), c in products.items())
    return total + sum(Fraction(c) * VALUES[k] for k, c in values.items()) + Fraction(constant)


def minus(p, q):
    return [a - b for a, b in zip(p, q)]


def needed(mu, L, x, g, y, h):
    """How far f(x) is at least above f(y) + <h, x - y> for gradients g and h (Taylor, Hendrickx and Glineur 2017)."""
    step, bend = minus(x, y), minus(g, h)
    if L is None:
        return mu / 2 * inner(step, step)
    return (inner(bend, bend) + mu * L * inner(step, step) - 2 * mu * inner(bend, step)) / (2 * (L - mu))


def semidefinite(rows):
    """Whether a symmetric matrix is positive semidefinite, by elimination."""
    while rows:
        pivot = rows[0][0]
        if pivot < 0 or (pivot == 0 and any(rows[0])):
            return False
        rows = [[x - (row[0] * y / pivot if pivot else 0) for x, y in zip(row[1:], rows[0][1:])] for row in rows[1:]]
    return True


def require(true, what):
    if not true:
        raise SystemExit(f"not valid: {what}")


def show(p):
    return ", ".join(f"{float(a):.9g}" for a in p)


checked = 0
require(all(w > 0 for w in WEIGHTS), "a weight is not positive")
for name, kind, limits, triplets in FUNCTIONS:
    print(f"{name} ({kind}): point | gradient | value")
    data = [(point(x), point(g), number(f)) for x, g, f in triplets]
    for x, g, f in data:
        print(f"  {show(x)} | {show(g)} | {float(f):.9g}")
    if limits is None:
        continue
    mu, L, M = (None if limit is None else Fraction(limit) for limit in limits)
    for i, (x, g, f) in enumerate(data):
        require(M is None or inner(g, g) <= M * M, f"gradient {i} of {name} is too long")
        for j, (y, h, e) in enumerate(data):
            if i != j:
                require(f - e - inner(h, minus(x, y)) >= needed(mu, L, x, g, y, h), f"{name} at {i} and {j}")
                checked += 1
print(f"{checked} interpolation inequalities hold")
for name, equality, form in CONDITIONS:
    value = number(form)
    require(value == 0 if equality else value <= 0, f"{name} fails by {float(value)}")
for name, entries in MATRICES:
    require(semidefinite([[number(form) for form in row] for row in entries]), f"{name} is not semidefinite")
print(f"{len(CONDITIONS) + len(MATRICES)} conditions of the model hold")
metric = min(number(form) for form in METRICS)
print(f"the metric is {metric}, about {float(metric):.9g}")
if BOUND is not None:
    require(metric > Fraction(BOUND), f"the metric does not exceed {BOUND}")
    print(f"this refutes the bound {BOUND}, about {float(Fraction(BOUND)):.9g}")
'''


def script(
    found: WorstFunction, title: str = "A worst function of a method", *, bound: Fraction | int | None = None
) -> str:
    """The text of a Python script that needs the standard library alone.

    It computes the points at which each function is evaluated from the method's free points, checks all pairwise
    interpolation inequalities of the classes with known ones from their own formula, then every condition of the model,
    in exact fractions, and prints the metric. It fails unless all holds and, where a bound is given, the metric
    exceeds it.

    Args:
        found: the instance.
        title: the first line of the script's docstring.
        bound: a bound on the metric that the script is to refute.

    Raises:
        ValueError: the metric does not exceed the bound, or conditions of the model are necessary only.
    """
    if bound is not None and found.lower <= bound:
        raise ValueError(f"bound is {bound}: this instance attains {float(found.lower):.9g} and refutes only less")
    model = found.model
    relaxed = ", ".join(model.relaxed)
    if bound is not None and relaxed:
        raise ValueError(f"bound is {bound}: no instance refutes it, the conditions of {relaxed} are necessary only")
    about = f"An instance of {found.dimension} dimensions with metric {found.lower}, about {float(found.lower):.9g}."
    if relaxed:
        about += f"\nIt refutes nothing: the conditions of {relaxed} are necessary only."
    return (
        HEAD.format(
            title=_prose(title),
            about=_prose(about),
            bound=None if bound is None else repr(str(Fraction(bound))),
            weights=_row(found.weights),
            points=_lines(f"{_row(p)},  # {name!r}" for p, name in zip(found.coordinates, model.points, strict=True)),
            values=_lines(f"{str(v)!r},  # {name!r}" for v, name in zip(found.values, model.values, strict=True)),
            functions=_lines(_function(function) for function in found.functions),
            conditions=_lines(f"({c.name!r}, {c.equality}, {_form(c.form)})," for c in model.conditions),
            matrices=_lines(f"({m.name!r}, [{', '.join(map(_forms, m.entries))}])," for m in model.semidefinite),
            metrics=_lines(f"{_form(m)}," for m in model.metrics),
        )
        + BODY
    )


def _prose(text: str) -> str:
    """A text that cannot end the docstring that it stands in."""
    return text.replace("\\", "\\\\").replace('"', "'")


def _function(function: Evaluations) -> str:
    known = curvature(function)
    limits = None
    if isinstance(known, Curvature):
        limits = tuple(None if limit is None else str(limit) for limit in (known.mu, known.L, known.M))
    triplets = "".join(f"        ({_terms(t.x)}, {_terms(t.g)}, {_form(t.f)}),\n" for t in function.triplets)
    return f"({function.name!r}, {function.kind!r}, {limits}, [\n{triplets}    ]),"


def _row(numbers: Iterable[Fraction]) -> str:
    return f"[{', '.join(repr(str(x)) for x in numbers)}]"


def _lines(lines: Iterable[str]) -> str:
    return "[\n" + "".join(f"    {line}\n" for line in lines) + "]"


def _form(form: Form) -> str:
    return f"({_terms(form.gram)}, {_terms(form.values)}, {str(form.constant)!r})"


def _forms(row: Iterable[Form]) -> str:
    return f"[{', '.join(map(_form, row))}]"


def _terms(terms: Combination | Mapping[tuple[int, int], Fraction]) -> str:
    return "{" + ", ".join(f"{key}: {str(c)!r}" for key, c in terms.items()) + "}"
