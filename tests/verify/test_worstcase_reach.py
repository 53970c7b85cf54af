"""Units, floats and faces: what used to cost a certificate or made it useless."""

import json
from dataclasses import replace
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from math import inf, sqrt
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("PEPit")

from PEPit import PEP, Point
from PEPit.functions import ConvexFunction, SmoothConvexFunction, SmoothStronglyConvexFunction

from rateproof.verify.commands.worstcase import worstcase
from rateproof.verify.worstcase import Certificate, Refusal, WorstFunction, certify, exact, simple_fractions
from rateproof.verify.worstcase.methods import METHODS
from rateproof.verify.worstcase.methods.study import study
from rateproof.verify.worstcase.primal import recession
from rateproof.verify.worstcase.simple import simple

_SPEC = spec_from_file_location("pepit_examples", Path(__file__).parents[2] / "benchmarks" / "pepit_examples.py")
pepit_examples = module_from_spec(_SPEC)  # benchmarks are not installed
_SPEC.loader.exec_module(pepit_examples)

HALPERN = """
from PEPit import PEP
from PEPit.operators import LipschitzOperator


def build():
    problem = PEP()
    A = problem.declare_function(LipschitzOperator, L=1.0)
    fixed, _, _ = A.fixed_point()
    start = x = problem.set_initial_point()
    problem.set_initial_condition((start - fixed) ** 2 <= 1)
    for i in range(6):
        x = 1 / (i + 2) * start + (1 - 1 / (i + 2)) * A.gradient(x)
    problem.set_performance_metric((x - A.gradient(x)) ** 2)
    return problem
"""
TIGHT = Fraction(4, 49)  # (2 / (n + 1))^2, Lieder 2021


def halpern():
    scope: dict = {}
    exec(HALPERN, scope)
    return scope["build"]()


@pytest.mark.parametrize("L", ["1e-30", "1e-8", "1e-6", "1e-3", "1e3", "1e6", "1e12"])
def test_units_do_not_matter(L):
    found = study(lambda: METHODS["gradient-descent"].smallest({"n": 3, "L": L}))
    known = Fraction(L) / 14
    assert known <= found.upper <= known * Fraction(1000001, 1000000)
    assert known * Fraction(999, 1000) <= found.lower <= known


def test_units_do_not_matter_without_a_known_value():
    for L in ("1e-8", "1e6"):
        case = METHODS["gradient-descent"].smallest({"n": 3, "L": L})
        found = certify(case.problem)
        assert Fraction(L) / 14 <= found.upper <= Fraction(L) / 14 * Fraction(100001, 100000)


def unconstrained(kind, condition, metric, **parameters):
    problem = PEP()
    f = problem.declare_function(kind, **parameters)
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    gap, distance = f(x) - f(minimiser), (x - minimiser) ** 2
    problem.set_initial_condition((gap if condition == "gap" else distance) <= 1)
    problem.set_performance_metric(gap if metric == "gap" else distance)
    return problem


def test_an_exact_direction_shows_what_is_unbounded():
    found = certify(unconstrained(SmoothConvexFunction, "gap", "distance", L=exact(1)))
    assert isinstance(found, Refusal) and found.reason.startswith("the worst case is unbounded: an exact direction")


def test_a_direction_of_conditions_that_are_necessary_only_shows_nothing():
    from rateproof.verify.worstcase import read

    model = read(unconstrained(SmoothConvexFunction, "gap", "distance", L=exact(1)))
    found = certify(replace(model, relaxed=("a line search",)))
    assert isinstance(found, Refusal) and "unbounded" not in found.reason
    assert found.reason.endswith("but those of a line search are necessary only")


def test_no_direction_no_claim():
    # f(x) - f* is unbounded here, but along no ray: with ||x|| <= 1 the gradient has to grow like the square.
    found = certify(unconstrained(ConvexFunction, "distance", "gap"))
    assert isinstance(found, Refusal) and "no instance shows it to be unbounded" in found.reason


def test_a_bounded_problem_has_no_recession():
    from rateproof.verify.worstcase import read

    assert recession(read(unconstrained(SmoothConvexFunction, "distance", "gap", L=exact(1)))) is None


def test_an_unbounded_problem_has_a_checked_recession():
    from rateproof.verify.worstcase import read

    found = recession(read(unconstrained(SmoothConvexFunction, "gap", "distance", L=exact(1))))
    assert isinstance(found, WorstFunction) and found.check() and found.lower > 0


def test_difference_of_convex_functions_is_tight():
    """The gap annihilates a sum of nine gradients; a face guessed from floats gave a bound ten times too large."""
    from PEPit.examples.nonconvex_optimization import difference_of_convex_algorithm as example

    proofs = []

    def instead(problem, **_):
        proofs.append(certify(problem))
        return float("nan")

    with pytest.MonkeyPatch.context() as patch, simple_fractions():
        patch.setattr(PEP, "solve", instead)
        _, known = example.wc_difference_of_convex_algorithm(mu1=0.2, mu2=0.1, L1=2.0, L2=3.2, n=6, alpha=0, verbose=0)
    assert isinstance(proofs[0], Certificate) and proofs[0].check()
    assert known <= proofs[0].upper <= known * 1.00001


def test_simple_fractions():
    assert simple(1 / 3) == Fraction(1, 3) and simple(1 - 1 / 3) == Fraction(2, 3)
    assert simple(0.1) == Fraction(1, 10) and simple(1e-8) == Fraction(1, 10**8) and simple(3) == 3
    assert simple(0.1 + 0.2 - 0.3) == 0 and simple(0.0) == 0
    assert simple(-1 / 7) == Fraction(-1, 7) and simple(2 / 1.1) == Fraction(20, 11)
    assert simple(inf) == inf
    kept = exact("123456789/1000000007")
    assert simple(kept) is kept


@pytest.mark.parametrize("x", [sqrt(2) / 2, sqrt(3) - 1, 1 / sqrt(7), sqrt(0.475)])
def test_roots_stay_and_add_up(x):
    assert abs(simple(x) - x) < 1e-13
    assert simple(x).fraction + simple(1 - x).fraction == 1


def test_a_model_in_floats_is_read_as_fractions():
    assert not certify(halpern())
    before = Point.__rmul__
    with simple_fractions():
        problem = halpern()
        found = certify(problem)
        assert found.check(problem)
    assert Point.__rmul__ is before
    assert TIGHT <= found.upper <= TIGHT * Fraction(10001, 10000)
    assert not found.check(halpern())  # in floats it is another model


def test_a_panic_of_the_solver_is_a_refusal(monkeypatch):
    import clarabel

    class PanicException(BaseException):
        pass

    class Panics:
        def __init__(self, *_):
            pass

        def solve(self):
            raise PanicException("Eigval error")

    monkeypatch.setattr(clarabel, "DefaultSolver", Panics)
    assert not certify(unconstrained(SmoothStronglyConvexFunction, "distance", "gap", L=exact(1), mu=exact(1, 10)))


def test_the_command_reads_floats_on_request(tmp_path):
    model, proof = tmp_path / "mine.py", tmp_path / "proof.json"
    model.write_text(HALPERN)
    run = CliRunner().invoke
    given = ["--model", f"{model}:build", "--upper", "--rationalise", "--out", str(proof)]
    answer = run(worstcase, given, standalone_mode=False)
    assert answer.return_value == 0 and "read as the simple fractions" in answer.output
    checked = run(worstcase, ["--check", str(proof), "--model", f"{model}:build"], standalone_mode=False)
    assert checked.return_value == 0
    data = json.loads(proof.read_text())
    assert data["rationalised"] is True
    proof.write_text(json.dumps(data | {"rationalised": False}))
    checked = run(worstcase, ["--check", str(proof), "--model", f"{model}:build"], standalone_mode=False)
    assert checked.return_value == 1


def test_the_command_calls_a_loose_bound_loose():
    answer = CliRunner().invoke(worstcase, ["gradient-descent", "--rounds", "1", "--set", "mu=0.999999"])
    assert "loose" in answer.output
    answer = CliRunner().invoke(worstcase, ["gradient-descent", "--rounds", "1"])
    assert "loose" not in answer.output


def test_the_benchmark_counts():
    rows = [
        {
            "call": "a",
            "upper": 1.001,
            "lower": 1.0,
            "pepit": 0.9,
            "checked": True,
            "seconds": 1.0,
            "pepit_seconds": 2.0,
        },
        {"call": "b", "upper": 2.0, "lower": 1.0, "pepit": 1.0, "checked": True},
        {"call": "c", "refused": "no room (margin 1)", "pepit": 1.0},
        {"call": "d", "upper": 0.5, "lower": 1.0, "pepit": 1.0, "checked": True, "false": True},
    ]
    text = "\n".join(pepit_examples.report(rows))
    assert "4 calls, 3 certified, 1 useful" in text and "false certificates: 1" in text
    assert "refused 1: no room" in text and "in 1 of 3" in text
    assert len(pepit_examples.CALLS) == len(set(pepit_examples.CALLS)) == 127


def test_the_arguments_of_the_benchmark():
    call = "some.module L=3 gamma=1/3 mu=0.1 beta=1/sqrt(4) R=inf psd=False gammas=[1,2]"
    floats = pepit_examples.arguments(call, exactly=False)
    assert floats == {"L": 3, "gamma": 1 / 3, "mu": 0.1, "beta": 0.5, "R": inf, "psd": False, "gammas": [1, 2]}
    assert pepit_examples.arguments(call, exactly=True)["gamma"] == Fraction(1, 3)
