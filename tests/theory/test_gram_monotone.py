"""Adding a premise never loses a proof: true steps with premises and conditions that they do not need."""

import pytest
import sympy as sp
from test_gram import proved
from test_gram_steps import OPEN, STEPS

from rateproof.theory.gram import convex, dot, norm2, smooth, vectors
from rateproof.theory.gram.forms import gap, read

p, q, gp, gq = vectors("p_ q_ gp_ gq_")
fp, fq = sp.symbols("f_p_ f_q_", real=True)
S, T = sp.symbols("S_ T_", positive=True)


def irrelevant(problem):
    """Premises and conditions about other things, or that bound by them what the step speaks of."""
    u, v = about(problem)
    c = problem.domain.parameters[0] if problem.domain.parameters else T
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


def implied(problem, step):
    """Premises and conditions that squares, other premises and conditions give."""
    u, v = about(problem)
    first = next(iter(problem.premises), None)
    known = first.relation if first else sp.Ge(norm2(u), 0)
    last = problem.premises[-1].relation if first else sp.Ge(norm2(v), 0)
    parameters = problem.domain.parameters or (T,)
    c, d = parameters[0], parameters[-1]
    positive = sp.Ge(c**2 + d**2, 0, evaluate=False)
    return [
        ([sp.Ge(norm2(u), 0, evaluate=False)], []),
        ([sp.Ge(norm2(u - v), 0, evaluate=False), sp.Ge(norm2(u + 2 * v), 0, evaluate=False)], []),
        ([2 * dot(u, v) <= norm2(u) + norm2(v)], []),
        ([known], []),
        ([sp.Ge(2 * gap(known), 0, evaluate=False)], []),
        ([sp.Ge(gap(known) + norm2(u), 0, evaluate=False)], []),
        ([sp.Ge(gap(known) + gap(last), 0, evaluate=False)], []),
        ([sp.Ge(gap(last) + 1, 0, evaluate=False)], []),
        ([], [positive]),
        ([], [weaker(r) for r in step.when[:1]] or [positive]),
    ]


def about(problem):
    """Two vectors of the step."""
    return vectors(f"{problem.names[0]} {problem.names[-1]}") if len(problem.names) > 1 else (*vectors(problem.names[0]), p)


def weaker(relation):
    return relation.func(2 * relation.lhs, 2 * relation.rhs) if relation.rel_op in ("<", ">") else relation


def more(name):
    step = STEPS[name]
    problem = read(step.goal, step.given, step.when, None, signed=True)
    return [*irrelevant(problem), *implied(problem, step)]


TRUE = sorted(name for name, step in STEPS.items() if step.holds and name not in OPEN)


@pytest.mark.sweep(20)
@pytest.mark.parametrize("which", range(20))
@pytest.mark.parametrize("name", TRUE)
def test_adding_a_premise_never_loses_a_proof(name, which):
    step, (given, when) = STEPS[name], more(name)[which]
    proved(step.goal, given=[*step.given, *given], assuming=[*step.when, *when])
