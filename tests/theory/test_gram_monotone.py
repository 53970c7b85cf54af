"""Adding a premise never loses a proof: true steps with premises and conditions that they do not need."""

from itertools import product

import pytest
import sympy as sp
from test_gram import proved
from test_gram_steps import OPEN, STEPS

from rateproof.theory.gram import convex, dot, norm2, smooth, vectors
from rateproof.theory.gram.forms import gap, read

p, q, gp, gq = vectors("p_ q_ gp_ gq_")
fp, fq = sp.symbols("f_p_ f_q_", real=True)
S, T, rho = sp.symbols("S_ T_ rho", positive=True)
TRUE = sorted(name for name, step in STEPS.items() if step.holds and name not in OPEN)


def about(problem):
    """Two vectors of a step, two relations that it supposes or that are true, and two parameters."""
    u, v = vectors(f"{problem.names[0]} {problem.names[-1]}") if len(problem.names) > 1 else (*vectors("x"), p)
    known = [premise.relation for premise in problem.premises] or [true(norm2(u)), true(norm2(v))]
    parameters = problem.domain.parameters or (T,)
    return u, v, known[0], known[-1], parameters[0], parameters[-1]


def true(form):
    return sp.Ge(form, 0, evaluate=False)


def irrelevant(name):
    """Ten times premises and conditions about other things, or that bound what the step speaks of by them."""
    step = STEPS[name]
    u, v, *_, c, _ = about(read(step.goal, step.given, step.when, None, signed=True))
    return [
        ([norm2(p) <= 1], []),
        ([norm2(p) <= S**2, norm2(q) <= T * norm2(p)], [T < 1]),
        ([sp.Eq(dot(p, q), 0)], []),
        ([sp.Eq(dot(p, u), 0), sp.Eq(dot(p, v), 0)], []),
        ([norm2(u - p) <= S**2], []),
        ([norm2(u) <= S**2], []),
        ([norm2(u - v) <= T * norm2(p) + S**2], []),
        ([smooth(T, (p, gp, fp), (q, gq, fq)), convex((p, gp, fp), (q, gq, fq))], []),
        ([norm2(p) <= c * S], []),
        ([], [c <= S]),
    ]


def implied(name):
    """Ten times premises and conditions that squares, other premises and conditions give."""
    step = STEPS[name]
    u, v, first, last, c, d = about(read(step.goal, step.given, step.when, None, signed=True))
    return [
        ([true(norm2(u))], []),
        ([true(norm2(u - v)), true(norm2(u + 2 * v))], []),
        ([2 * dot(u, v) <= norm2(u) + norm2(v)], []),
        ([first], []),
        ([true(2 * gap(first))], []),
        ([true(gap(first) + norm2(u))], []),
        ([true(gap(first) + gap(last))], []),
        ([true(gap(last) + 1)], []),
        ([], [true(c**2 + d**2)]),
        ([], [r.func(2 * r.lhs, 2 * r.rhs, evaluate=False) for r in step.when[:1]]),
    ]


def proved_with(name, more):
    step = STEPS[name]
    given, when = ([r for part in parts for r in part] for parts in zip(*more, strict=True))
    proved(step.goal, given=[*step.given, *given], assuming=[*step.when, *when])


@pytest.mark.sweep(10)
@pytest.mark.parametrize(("name", "kind", "which"), [*product(TRUE, (irrelevant, implied), range(10))])
def test_one_more_premise_never_loses_a_proof(name, kind, which):
    proved_with(name, [kind(name)[which]])


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "kind"), [*product(TRUE, (irrelevant, implied))])
def test_ten_more_premises_never_lose_a_proof(name, kind):
    proved_with(name, kind(name))


def test_samples_at_which_a_multiplier_is_undefined_are_left_out():
    proved_with("sgd.perturbed_iterate", [implied("sgd.perturbed_iterate")[6]])


@pytest.mark.parametrize("when", [[], [rho <= 1], [rho < 1], [rho <= 1, rho < 1]])
@pytest.mark.parametrize("name", ["storm.error", "storm.two_samples"])
def test_a_condition_that_is_not_needed_loses_nothing(name, when):
    proved(STEPS[name].goal, given=STEPS[name].given, assuming=when)
