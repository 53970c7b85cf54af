"""Problems that ask more: without premises that are not needed, without conditions. A proof of one is a proof.

What is found of a problem depends on samples of all its parameters and on a fit over all its premises, so that one more
of either may lead away from a proof. Where nothing was found, the search starts again with less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy as sp

from rateproof.theory.gram import sdp
from rateproof.theory.gram.domain import Point
from rateproof.theory.gram.forms import Form, Premise, Problem
from rateproof.theory.gram.reduction import reduced

_SAMPLES = 4
_SINGLE = 4  # conditions that are left out one at a time


def relaxations(problem: Problem, points: Sequence[Point]) -> Iterator[Problem]:
    """The problem with fewer premises and conditions; none twice, and never the problem itself."""
    seen = [_key(problem)]
    lean = _about(replace(problem, premises=_needed(problem, points)))
    bare = _without(lean, lean.domain.conditions)
    dropped = [r for r in lean.domain.conditions if r.rel_op != "!="]
    singly = [_without(lean, [r]) for r in dropped] if len(dropped) <= _SINGLE else []
    for fewer in (lean, bare, *singly):
        if _key(fewer) not in seen:
            seen.append(_key(fewer))
            yield fewer


def _key(problem: Problem) -> tuple[object, ...]:
    return problem.premises, problem.domain.conditions, problem.domain.parameters


def _without(problem: Problem, conditions: Sequence[sp.Rel]) -> Problem:
    """The problem without these conditions; denominators stay nonzero."""
    kept = tuple(r for r in problem.domain.conditions if r.rel_op == "!=" or r not in conditions)
    return _about(replace(problem, domain=replace(problem.domain, conditions=kept)))


def _about(problem: Problem) -> Problem:
    """The problem without vectors, values, parameters and conditions that have nothing to do with its forms."""
    problem, domain = _present(problem), problem.domain
    entries = [x for form in problem.forms for x in (form.constant, *form.linear, *(x for r in form.matrix for x in r))]
    about = {s for x in entries for s in x.free_symbols}
    while True:
        wider = about | {s for root, under in domain.roots.items() if root in about for s in under.free_symbols}
        wider |= {s for r in domain.conditions if r.free_symbols & about for s in r.free_symbols}
        if wider == about:
            break
        about = wider
    roots = {root: under for root, under in domain.roots.items() if root in about}
    conditions = tuple(r for r in domain.conditions if r.free_symbols & about)
    parameters = tuple(p for p in domain.parameters if p in about)
    return replace(problem, domain=replace(domain, parameters=parameters, conditions=conditions, roots=roots))


def _present(problem: Problem) -> Problem:
    """The problem without vectors and values that stand in no form."""
    rows = [i for i in range(len(problem.names)) if any(any(f.matrix[i]) for f in problem.forms)]
    columns = [k for k in range(len(problem.values)) if any(f.linear[k] for f in problem.forms)]

    def kept(form: Form) -> Form:
        matrix = tuple(tuple(form.matrix[i][j] for j in rows) for i in rows)
        return Form(form.constant, tuple(form.linear[k] for k in columns), matrix)

    return replace(
        problem,
        names=tuple(problem.names[i] for i in rows),
        values=tuple(problem.values[k] for k in columns),
        goal=kept(problem.goal),
        premises=tuple(replace(p, form=kept(p.form)) for p in problem.premises),
    )


def _needed(problem: Problem, points: Sequence[Point]) -> tuple[Premise, ...]:
    """Premises that suffice at samples, no inequality more than that; those that bring in other things go first."""
    domain = problem.domain
    inside = [{s: sp.Rational(str(x)) for s, x in sample.items()} for sample in domain.interior(_SAMPLES)]
    reduction = reduced(problem, domain.complete(points[0]), orthogonal=False)
    numbers = [reduction.problem.at(at) for at in inside or map(domain.complete, points[:_SAMPLES])]

    def suffice(chosen: Sequence[int]) -> bool:
        return all(sdp.float_multipliers(n, chosen) is not None for n in numbers)

    said = _said(problem.goal)
    foreign = [len(_said(problem.premises[k].form) - said) for k in reduction.kept]
    nested = ([k for k, count in enumerate(foreign) if count <= most] for most in sorted(set(foreign)))
    left = next(filter(suffice, nested), list(range(len(foreign))))
    for k in sorted(left, key=lambda k: (-foreign[k], -k)):
        if not problem.premises[reduction.kept[k]].equal and suffice(rest := [j for j in left if j != k]):
            left = rest
    chosen = {reduction.kept[k] for k in left}
    return tuple(p for k, p in enumerate(problem.premises) if k in chosen or k not in reduction.kept)


def _said(form: Form) -> set[object]:
    """The vectors, values and parameters that a form speaks of."""
    entries = [form.constant, *form.linear, *(x for row in form.matrix for x in row)]
    vectors = {i for i, row in enumerate(form.matrix) if any(row)}
    values = {("value", k) for k, x in enumerate(form.linear) if x != 0}
    return {*vectors, *values, *(s for x in entries for s in x.free_symbols)}
