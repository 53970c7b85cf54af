import json
import math
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from test_falsify import CLAIM, GD, ORDER, PLANTED, ladders, line, lowered, search

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.papers.textbook import CLAIMS
from rateproof.theory.symbols import L_f, L_h, N, declare
from rateproof.verify import registry
from rateproof.verify.counterexamples.script import code, identifier, script
from rateproof.verify.falsify import spaces_of
from rateproof.verify.spaces.symbolic import symbolic_space
from rateproof.verify.trial import Trial, evaluate

SPACES = {one.claim.id: one.spaces for one in registry.records("textbook") if one.spaces}
SIDES = re.compile(r"left (\S+), right (\S+), left - right")


def run(text, folder):
    path = folder / "again.py"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "-B", str(path)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """A violation of each theorem with a wrong constant: what was found, and what its script printed and returned.

    One isolated process runs all scripts, each as a program of its own.
    """
    folder = tmp_path_factory.mktemp("scripts")
    found = {claim.id: search(PLANTED[f"{claim.id} constant"], SPACES[claim.id]) for claim in CLAIMS}
    texts = {name: script(f.claim, f.built, f.space, f.params) for name, f in found.items()}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    many = f"""
import contextlib, io, json, pathlib, runpy
out = {{}}
for path in pathlib.Path({str(folder)!r}).glob("*.py"):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as end:
            out[path.stem] = [end.code, told.getvalue()]
print(json.dumps(out))
"""
    done = run(many, tmp_path_factory.mktemp("runner"))
    return {name: (found[name], texts[name], *printed) for name, printed in json.loads(done.stdout).items()}


def sides_of(output):
    return [float(side) for found in SIDES.findall(output) for side in found]


def engine(claim, trial):
    """Both sides of every relation by the engine, in the order that the script prints them."""
    seen = {side.relation: side.printed for side in reversed(evaluate(claim, trial).sides)}
    return [side for pair in reversed(seen.values()) for side in pair]


def only_numpy(text):
    return set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) <= {
        "__future__",
        "math",
        "sys",
        "dataclasses",
        "numpy",
    }


@pytest.mark.parametrize("claim_id", [c.id for c in CLAIMS])
def test_the_script_reproduces_a_violation(claim_id, reproduced):
    found, text, code_, printed = reproduced[claim_id]
    assert only_numpy(text) and "numbers: no program" not in text
    assert code_ == 1 and printed.endswith("violated\n")
    assert "FAILS" not in printed
    violated = found.evidence.violated
    assert sides_of(printed) == pytest.approx([violated.lhs, violated.rhs], rel=1e-9)


def test_the_script_of_a_worst_instance_says_that_it_holds(tmp_path):
    found = search(GD, SPACES[GD.id], examples=100)
    done = run(script(GD, found.built, found.space, found.params), tmp_path)
    assert done.returncode == 0 and done.stdout.endswith("holds\n")
    assert sides_of(done.stdout) == pytest.approx(engine(GD, found.built), rel=1e-9)


def test_an_instance_that_misses_a_hypothesis_shows_nothing(tmp_path):
    (space,) = SPACES[GD.id]
    params = next(space.corners(GD)) | {"loss": "cosine", "R": 10, "gamma_l": Fraction(3)}
    done = run(script(GD, space.build(params), space, params), tmp_path)
    assert done.returncode == 2 and done.stdout.endswith("not admissible: a hypothesis fails\n")
    assert "FAILS: h is convex: 1 (1 + cos x): its curvature is -1 and more" in done.stdout
    assert "FAILS: gamma_l <= 1/L_h: 3 <= 1" in done.stdout


def test_without_a_program_the_numbers_stand_in_the_script(tmp_path):
    found = search(CLAIM, [line(corners=(3.0,))])
    text = script(CLAIM, found.built, found.space, found.params)
    assert "numbers: no program is known" in text
    assert run(text, tmp_path).returncode == 1


def test_definitions_are_written_in_order_and_given_numbers_come_before_them(tmp_path):
    ugly = declare("script_test.lambda", "a symbol whose name Python does not take", defined=True, positive=True)
    twice, more = (declare(f"script_test_{name}", name, defined=True, positive=True) for name in ("twice", "more"))
    claim = Claim(
        "mine.defined",
        Source("mine", "Theorem 3"),
        Kind.BOUND,
        'a """quoted""" \\ text',
        sp.And(sp.Le(more, L_f, evaluate=False), sp.Eq(ugly, 2, evaluate=False), evaluate=False),
        hypotheses=(Hypothesis("cap", "twice <= 9", sp.Le(twice, 9, evaluate=False)),),
        where={more: twice + sp.Max(N, 2) ** sp.Rational(-1, 2), twice: 2 * L_h, ugly: L_h / L_f},
    )
    trial = Trial("an instance", {"L_h": 3.0, "L_f": 1.5, "N": 4, "script_test.lambda": 2.5}, {})
    done = run(script(claim, trial), tmp_path)
    assert done.returncode == 1
    assert sides_of(done.stdout) == engine(claim, trial)
    assert sorted(sides_of(done.stdout)) == [1.5, 2.0, 2.5, 6.5]


@pytest.mark.parametrize(
    ("relation", "value", "ends"), [(sp.Gt, 1.0, 1), (sp.Gt, 1.5, 0), (sp.Ge, 1.0, 0), (sp.Ge, 0.5, 1)]
)
def test_sides_are_printed_as_stated_and_strict_is_strict(relation, value, ends, tmp_path):
    claim = Claim("mine.least", Source("mine", "Theorem 4"), Kind.BOUND, "", relation(L_h, 1, evaluate=False))
    done = run(script(claim, Trial.exact("x", {"L_h": value}, {}, error=0.0)), tmp_path)
    assert (done.returncode, sides_of(done.stdout)) == (ends, [value, 1.0])


def test_a_ladder_is_judged_by_its_growth(tmp_path):
    for power, code_ in ((3.0, 1), (2.0, 0)):
        found = search(ORDER, [ladders(power)], examples=5)
        done = run(script(ORDER, found.built, found.space, found.params), tmp_path)
        assert done.returncode == code_
        assert "ratios where every hypothesis holds: " in done.stdout


def test_rungs_below_a_threshold_are_left_out_of_a_ladder(tmp_path):
    """As the engine does; a program measures all rungs, those below the threshold among them."""
    claim = catalog.get("strfedavg.thm2.i-1")
    found = search(claim, spaces_of(claim), examples=10)
    text = script(claim, found.built, found.space, found.params)
    done = run(text, tmp_path)
    assert found.refuted and "measured = ladder" in text
    assert "FAILS: R >= " in done.stdout and (done.returncode, done.stdout.splitlines()[-1]) == (1, "violated")


@pytest.mark.parametrize("claim_id", ["strfedavg.step.12", "strfedavg.step.4.weights"])
def test_claims_about_numbers(claim_id, tmp_path):
    claim = catalog.get(claim_id)
    found = search(claim, [symbolic_space(claim)])
    done = run(script(claim, found.built, found.space, found.params), tmp_path)
    assert done.returncode == 1
    assert sides_of(done.stdout) == pytest.approx(engine(claim, found.built), rel=1e-9)


x = sp.Symbol("x", positive=True)
t = sp.Symbol("t", integer=True)


@pytest.mark.parametrize(
    "expr",
    [
        sp.Max(x, 2) / sp.Min(x, 3),
        sp.Piecewise((x**2, x < 1), (sp.log(x), True)),
        sp.Sum(sp.log(t) / t**2, (t, 2, x)),
        sp.sqrt(x) * sp.exp(-x) + sp.E + sp.pi,
        sp.Rational(2, 3) * x ** sp.Rational(5, 12) / 2**x,
        sp.sign(x - 2) * sp.Abs(1 - x),
        10 ** sp.Integer(-3) * x,
    ],
    ids=str,
)
def test_expressions_mean_the_same_in_python(expr):
    for number in (0.5, 4.0, 7.0):
        if expr.has(sp.Sum) and number < 1:
            continue
        got = eval(code(expr), {"np": np, "math": math, "x": np.float64(number)})
        assert float(got) == pytest.approx(
            float(expr.subs(x, int(number) if number >= 1 else number).evalf()), rel=1e-12
        )


def test_what_cannot_be_written_is_refused():
    with pytest.raises(ValueError, match="plain Python"):
        code(sp.Function("mystery")(x))


@pytest.mark.parametrize(("name", "expected"), [("lambda", "lambda_"), ("L_h", "L_h"), ("a.b", "a_b"), ("np", "np_")])
def test_identifiers(name, expected):
    assert identifier(name) == expected


def test_the_margin_of_the_engine_is_kept(tmp_path):
    claim = lowered(catalog.get("textbook.young"), lambda bound: bound * (1 - sp.Rational(1, 10**10)))
    (space,) = SPACES["textbook.young"]
    params = next(iter(space.corners(claim)))
    assert run(script(claim, space.build(params), space, params), tmp_path).returncode == 0
