"""The exact engine of the bilevel section against the reference method, closed forms and numbers by hand."""

from fractions import Fraction as Q

import numpy as np
import pytest
import sympy as sp

from rateproof.theory.claim import conjuncts
from rateproof.theory.papers.fedrzo.bilevel.notation import CAP_BL, S_BL_I
from rateproof.theory.papers.fedrzo.bilevel.theorem import THM1_I
from rateproof.theory.shorthand import ge, le
from rateproof.verify.papers.fedrzo.bilevel import instances, reference
from rateproof.verify.papers.fedrzo.bilevel.closed import PUSHED, Bowl
from rateproof.verify.papers.fedrzo.bilevel.enumeration import ONE_SIDED, OPPOSED, Run, steps
from rateproof.verify.papers.fedrzo.bilevel.line import Client, Line, root
from rateproof.verify.papers.fedrzo.bilevel.measure import as_fractions, at_step, whole_run
from rateproof.verify.papers.fedrzo.bilevel.spaces import Params
from rateproof.verify.papers.fedrzo.bilevel.trials import facts, run_trial
from rateproof.verify.papers.fedrzo.bilevel.unfold import parts, unfolded
from rateproof.verify.papers.fedrzo.branches import trace

SHORT = [
    (instances.absolute(m=2), Run(Q(1, 20), Q(1), H=2, rounds=2, x0=Q(1, 2), directions="client")),
    (instances.mixed(), Run(Q(1, 100), Q(1, 2), H=2, rounds=2, x0=Q(1, 3), e=Q(1, 5), errors=OPPOSED)),
    (instances.sided(), Run(Q(1, 100), Q(1, 2), H=2, x0=Q(1, 3), e=Q(1, 5), errors=ONE_SIDED, directions="step")),
    (instances.noise(m=2), Run(Q(1, 10), Q(1), H=2, x0=Q(0))),
    (instances.huber(Q(3, 2)), Run(Q(1, 10), Q(1), H=2, rounds=3, x0=Q(0))),
    (instances.cone(), Run(Q(1, 10), Q(1), H=3, rounds=2, x0=Q(1, 4))),
    (instances.pinned(), Run(Q(1, 30), Q(1, 3), H=3, rounds=2, x0=Q(0))),
]


@pytest.mark.parametrize(("line", "run"), SHORT)
def test_the_two_engines_agree(line, run):
    exact, float_ = run_trial(line, run).values, reference.trial(line, run).values
    for name in ("grad_kstar", "D0"):
        assert float_[name] == pytest.approx(exact[name], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("line", "run"), SHORT)
def test_the_two_engines_have_the_same_errors_in_every_step(line, run):
    found = trace(reference.method(run), reference.problem(line), float(run.x0), rounds=run.rounds)
    eb, eh = found.mean(found.eb), found.mean(found.eh)
    for k in range(found.steps):
        numbers = at_step(line, run, k)
        assert float(numbers["eb_bl"]) == pytest.approx(eb[k], abs=1e-14)
        assert float(numbers["eh_bl"]) == pytest.approx(eh[k], abs=1e-14)


@pytest.mark.parametrize(("line", "run"), SHORT)
def test_the_constants_are_those_of_the_reference(line, run):
    known = reference.problem(line).constants
    numbers = run_trial(line, run).values
    assert (numbers["L_imp"], numbers["L_y"], numbers["Lam"]) == pytest.approx((known.L0, known.L_y, known.Lam))
    assert numbers["L_h_x"] == known.L_h_x
    # those of eq. (2) may be larger than the best ones
    assert numbers["B1"] + 1e-12 >= known.B1
    assert numbers["B2"] + 1e-12 >= known.B2


def test_a_huber_bowl_in_closed_form_is_the_enumerated_one():
    bowl = Bowl(Q(1, 50), 3, 1, 5)
    run = Run(Q(1, 50), Q(1), H=3, rounds=5, x0=Q(0))
    assert bowl.numbers()["grad_kstar"] == whole_run(bowl.line(), run)["grad_kstar"]


@pytest.mark.parametrize("rest", [1, 2])
def test_a_bowl_with_a_shorter_last_round_is_the_enumerated_one(rest):
    bowl = Bowl(Q(1, 50), 3, 1, 4, rest=rest)
    line, squares = bowl.line(), []
    for _, courses in steps(line, Run(Q(1, 50), Q(1), H=3, rounds=5, x0=Q(0))):
        squares.append(sum((line.grad_F(c.mean, Q(1)) ** 2 for c in courses), Q(0)) / len(courses))
    numbers = bowl.numbers()
    assert numbers["grad_kstar"] == sum(squares[: 12 + rest]) / (12 + rest)
    assert (numbers["T_R"], numbers["K_it"]) == (12 + rest, 11 + rest)
    assert bowl.known()["frequency"].why == f"rounds of 3 steps and one of {rest}"


def test_a_pushed_bowl_in_closed_form_is_the_enumerated_one():
    bowl = Bowl(Q(1, 20), 1, 1, 6, b=Q(5, 2), e=Q(1))
    run = Run(Q(1, 20), Q(1), rounds=6, x0=Q(-1), e=Q(1))
    line, squares = bowl.line(), []
    for _, courses in steps(line, run):
        squares.append(sum((line.grad_F(c.mean, Q(1)) ** 2 for c in courses), Q(0)) / len(courses))
    assert bowl.numbers()["grad_kstar"] == sum(squares) / len(squares)
    assert bowl.numbers()["D0"] == Q(1, 2)


def test_many_digits_and_fractions_agree():
    exact = PUSHED.numbers()["grad_kstar"]
    assert float(PUSHED.many_digits()["grad_kstar"]) == pytest.approx(float(exact), rel=1e-14)
    with pytest.raises(ValueError, match="b = 3/2 should be at least"):
        Bowl(Q(1, 20), 1, 1, 6, e=Q(1)).numbers()


def test_first_steps_by_hand():
    found = at_step(instances.absolute(), Run(Q(1, 48), Q(1), H=2, x0=Q(1, 4)), 1)
    assert found["bias_bl"] == Q(25, 96) - Q(47, 192)
    found = at_step(instances.absolute(), Run(Q(1, 48), Q(1), H=2, x0=Q(0)), 1)
    assert found["inner_bl"] == Q(-23, 1152)
    assert found["grad2_bl"] == Q(1, 48**2)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_radial_first_rounds_in_n_dimensions(n):
    run = Run(Q(1, 100), Q(2), x0=Q(0), e=Q(1, 2), errors=OPPOSED, dim=n)
    found = at_step(instances.inexact(Q(3)), run, 0)
    assert found["w2_bl"] == 4 * n**2 * 9 * Q(1, 4) / 4
    assert ("grad2_bl" in found) == (n == 1)


def test_gap_of_a_kink_and_of_a_slope():
    one = instances.absolute()
    assert one.gap(Q(3), Q(1)) == 3 - Q(1, 2)
    assert instances.tilted().gap(Q(3), Q(1)) == 0
    assert Line((Client(p=Q(1), shape="linear"),)).gap(Q(0), Q(1)) == float("inf")
    # x + x^2/(2 eta) on X = {0}: least at -eta, where it is -eta/2
    held = Line((Client(p=Q(1), shape="linear", low=Q(0), high=Q(0)),), B2=Q(1))
    assert held.gap(Q(0), Q(1, 4)) == Q(1, 8)
    with pytest.raises(ValueError, match="at its own minimum only"):
        instances.huber(Q(3, 2)).gap(Q(1), Q(1))


def test_dissimilarity_constants_hold_on_a_grid():
    for line in (instances.mixed(), instances.sided(), instances.pinned(), Params(m=3, kind="half").line()):
        for x in np.linspace(-20, 20, 4001):
            near = [float(c.project(x)) for c in line.clients]
            left = np.mean([(x - p) ** 2 for p in near])
            assert left <= float(line.B1) ** 2 + float(line.B2) ** 2 * (x - np.mean(near)) ** 2 + 1e-9


def test_who_draws_directions():
    def holds(m, H, way):
        known = facts(instances.absolute(m=m), Run(Q(1), Q(1), H=H, directions=way))
        return {key for key in ("one_direction", "fresh_client", "fresh_step") if known[key].holds}

    assert holds(2, 2, "round") == {"one_direction"}
    assert holds(2, 2, "step") == {"fresh_step"}
    assert holds(1, 2, "round") == {"one_direction", "fresh_client"}
    assert holds(2, 1, "client") == {"fresh_client", "fresh_step"}
    assert holds(1, 1, "step") == {"one_direction", "fresh_client", "fresh_step"}


def test_a_declared_constant_that_is_too_small_is_a_missed_hypothesis():
    assert not facts(instances.inexact(A=Q(1), declared=Q(1, 2)), Run(Q(1), Q(1)))["lower_level"].holds
    assert facts(instances.cone(declared=Q(0)), Run(Q(1), Q(1)))["lower_level"].holds
    assert not facts(instances.cone(), Run(Q(1), Q(1)))["lower_free"].holds


def test_too_many_courses_and_rounded_numbers_are_refused():
    with pytest.raises(ValueError, match="2\\^20 courses are too many"):
        list(steps(instances.absolute(), Run(Q(1), Q(1), rounds=20)))
    with pytest.raises(ValueError, match="x is not rational"):
        as_fractions({"x": 0.5})
    assert root(Q(9, 4)) == Q(3, 2)
    assert root(Q(2)) == pytest.approx(2**0.5)


def test_conditions_unfold_to_their_parts():
    a, b, c, g = sp.symbols("a b c g", positive=True)
    found = list(parts(le(g, sp.Min(1 / sp.Max(a, b, evaluate=False), c, evaluate=False))))
    assert {le(g, 1 / a), le(g, 1 / b), le(g, c)} == set(found)
    with pytest.raises(ValueError, match="not implied"):
        list(parts(le(g, sp.Max(a, b, evaluate=False))))
    with pytest.raises(ValueError, match="lhs <= rhs"):
        list(parts(ge(sp.Max(a, b, evaluate=False), g)))


def test_the_unfolded_step_condition_is_the_printed_one():
    plain = next(h for h in unfolded(THM1_I).hypotheses if h.key == S_BL_I.key)
    at = {"H": 3, "B2": 2, "L_imp": 1.5, "n": 2, "eta_s": 0.7, "L_h_x": 0.3, "mu_h": 0.9, "L_y": 4.0}

    def number(expr):
        full = THM1_I.expand(expr)
        return float(full.subs({s: at[str(s)] for s in full.free_symbols}))

    assert min(number(r.rhs) for r in conjuncts(plain.relation)) == pytest.approx(number(CAP_BL))
