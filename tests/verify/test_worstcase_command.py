"""The command ``worstcase``."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from fractions import Fraction

import click
import pytest
from click.testing import CliRunner

from rateproof.verify.commands.worstcase import shortened, worstcase
from rateproof.verify.worstcase.methods import METHODS

OWN = """
from PEPit import PEP
from PEPit.functions import SmoothStronglyConvexFunction


def build(gamma=1.0):
    problem = PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, L=1.0, mu=0.0)
    solution = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - solution) ** 2 <= 1)
    x = x - gamma * f.gradient(x)
    problem.set_performance_metric(f(x) - f(solution))
    return problem


def text():
    return "no problem"


def fails():
    raise KeyError("nothing here")


def without_metric():
    return PEP()
"""


@pytest.fixture
def call():
    """Run the command: (exit code, stdout, stderr); a usage error is its message with code 2."""

    def run(*arguments):
        done = CliRunner().invoke(worstcase, list(map(str, arguments)), standalone_mode=False)
        if isinstance(done.exception, click.ClickException):
            return done.exception.exit_code, "", done.exception.format_message()
        assert done.exception is None, done.exception
        return done.return_value, done.stdout, done.stderr

    return run


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    return path


# --- end to end


def test_a_report_with_a_bound_a_certificate_and_a_script(call, tmp_path):
    stored, replay = tmp_path / "gd.json", tmp_path / "gd.py"
    arguments = ("gradient-descent", "--rounds", 2, "--bound", "0.1001", "--out", stored, "--script", replay)
    code, out, err = call(*arguments)
    assert (code, err) == (0, "")
    assert re.search(r"certified upper bound +0\.1", out) and re.search(
        r"attained lower bound +0\.1 = 1/10, dimension 1", out
    )
    assert "known tight value      0.1 = 1/10\n                         Drori and Teboulle 2014" in out
    assert "bound 0.1001 = 1001/10000: proved" in out
    assert re.search(r"seconds +model \d", out)

    code, out, _ = call("--check", stored)
    assert code == 0
    assert "no instance of gradient-descent (gap; n = 2, L = 1, mu = 0, gamma = 1) has a metric above 0.1" in out

    done = subprocess.run([sys.executable, "-I", replay], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "the metric is 1/10, about 0.1\n" in done.stdout


def test_a_bound_below_the_worst_case_is_refuted(call):
    code, out, _ = call("gradient-descent", "--rounds", 2, "--bound", "999/10000")
    assert code == 1
    assert "bound 0.0999 = 999/10000: refuted by the worst function, whose metric is larger" in out


def test_the_upper_bound_alone_proves(call):
    code, out, _ = call("gradient-descent", "--rounds", 2, "--upper", "--bound", "0.1001")
    assert code == 0 and "proved" in out and "attained lower bound" not in out


@pytest.mark.parametrize("digits", ["1_0", "٣"])
def test_a_file_is_written_in_ascii_digits(call, tmp_path, digits):
    stored = tmp_path / "proof.json"
    assert call("gradient-descent", "--rounds", 1, "--upper", "--out", stored)[0] == 0
    data = json.loads(stored.read_text())
    stored.write_text(json.dumps(data | {"certificate": data["certificate"] | {"upper": digits}}))
    code, _, err = call("--check", stored)
    assert code == 2 and "is no fraction" in err


def test_a_full_disk_names_the_file(call, tmp_path, monkeypatch):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    stored = tmp_path / "proof.json"
    code, _, err = call("gradient-descent", "--rounds", 1, "--upper", "--out", stored)
    assert code == 2 and err.count(str(stored)) == 1 and "No space left" in err
    assert not list(tmp_path.iterdir())


def test_a_bound_between_the_two_is_undecided(call):
    # the worst case itself: attained, and proved up to a slack only
    code, out, _ = call("gradient-descent", "--rounds", 2, "--bound", "1/10")
    assert code == 1
    assert "undecided, it lies between the two bounds" in out


@pytest.mark.parametrize(("rounds", "mu"), [(3, "0.999999"), (10, "0.9"), (10, "0.999999"), (20, "0.5")])
@pytest.mark.parametrize("metric", ["gap", "distance", "gradient"])
def test_iterates_that_shrink_fast_leave_the_bound_tight(call, rounds, mu, metric):
    """A strongly convex function is measured in units of its iterates, down to values of 1e-121."""
    code, out, _ = call(
        "gradient-descent", "--rounds", rounds, "--set", f"mu={mu}", "--metric", metric, "--upper", "--json"
    )
    found = json.loads(out)
    assert code == 0 and not found["loose"]
    assert Fraction(found["upper"]["exact"]) <= Fraction(found["known"]["exact"]) * (1 + Fraction(1, 10**6))


def test_a_bound_far_above_the_known_value_is_no_answer(call):
    """Proximal iterates that shrink by 1e-6 in a step leave the solver nothing to see: a useless bound."""
    far = ("proximal-gradient", "--rounds", 3, "--set", "mu=0.999999", "--metric", "distance", "--upper")
    code, out, _ = call(*far)
    assert code == 1 and "times that: true, and of no use" in out
    found = json.loads(call(*far, "--json")[1])
    assert found["loose"] and found["excess"] > 1e10
    code, out, _ = call("gradient-descent", "--rounds", 3, "--set", f"mu=0.{'9' * 61}", "--upper")
    assert code == 1 and "more than 1e308 times that: true, and of no use" in out
    code, out, _ = call("gradient-descent", "--rounds", 3, "--set", "mu=0.1", "--upper")
    assert code == 0 and "of no use" not in out


def test_conditions_that_are_necessary_only_refute_nothing(call):
    code, out, _ = call("projection", "--rounds", 1, "--bound", "1/2")
    assert code == 1
    assert "in the model; the conditions of LipschitzStronglyMonotoneOperatorCheap are necessary only" in out
    assert "undecided, the worst function of the model need not belong to the class" in out


def test_many_clients(call):
    arguments = ("fedavg", "--set", "N=4", "--set", "K=1", "--set", "mu=1/2", "--metric", "distance")
    code, out, _ = call(*arguments)
    assert code == 0 and "2 clients carry the worst case of 4 (proved)" in out
    report = json.loads(call(*arguments, "--json")[1])
    assert (report["parameters"]["N"], report["clients"]) == ("4", 2)
    lower, upper = (Fraction(report[side]["exact"]) for side in ("lower", "upper"))
    assert lower <= Fraction(1, 4) <= upper <= lower * (1 + Fraction(1, 10**5))
    assert set(report["seconds"]) == {"model", "solve", "check", "worst"}


def test_a_rate_for_every_number_of_steps(call):
    code, out, _ = call("gradient-descent", "--all-n", "--set", "mu=1/2", "--set", "gamma=4/3")
    assert code == 0
    assert re.search(r"for every n: \|\|x\^n - x\*\|\|\^2 <= q\^n, q = 0\.1111111", out)
    code, out, _ = call("gradient-descent", "--all-n", "--json")
    assert (code, json.loads(out)["contracts"]) == (1, False)
    code, out, _ = call("fedavg", "--all-n", "--set", "K=1", "--set", "mu=1/2")
    assert code == 1 and "no rate for every R: its proof needs more than the start, such as zeta" in out
    code, out, _ = call("fedavg", "--all-n", "--set", "zeta=0", "--set", "mu=1/2", "--set", "gamma_l=1")
    assert code == 0 and re.search(r"for every R: .* q = 0\.06250000", out)


def test_the_list_names_every_method(call):
    code, out, _ = call("--list")
    assert code == 0
    for name, method in METHODS.items():
        assert f"{name}: {method.title}" in out
    entries = json.loads(call("--list", "--json")[1])
    assert [e["method"] for e in entries] == list(METHODS)
    assert entries[0]["parameters"]["n"] == {"default": "5", "meaning": "steps"}


def test_a_model_of_ones_own(call, own, tmp_path):
    stored = tmp_path / "mine.json"
    code, out, _ = call("--model", f"{own}:build", "--set", "gamma=1/2", "--out", stored)
    assert code == 0
    assert re.search(r"attained lower bound +0\.25", out)  # 1/(4 n gamma + 2)
    code, out, _ = call("--check", stored, "--model", f"{own}:build")
    assert code == 0 and "mine.py:build (gamma = 1/2)" in out
    code, out, _ = call("--check", stored)
    assert code == 1 and f"but it was not compared with {own}:build: give --model" in out
    # the same certificate says nothing of another step
    data = json.loads(stored.read_text())
    stored.write_text(json.dumps(data | {"parameters": {"gamma": "1/3"}}))
    code, out, _ = call("--check", stored, "--model", f"{own}:build")
    assert code == 1 and "the certificate fails" in out


def test_a_certificate_with_a_smaller_bound_fails(call, tmp_path):
    stored = tmp_path / "gd.json"
    assert call("gradient-descent", "--rounds", 1, "--out", stored)[0] == 0
    data = json.loads(stored.read_text())
    data["certificate"]["upper"] = "1/7"
    stored.write_text(json.dumps(data))
    code, out, _ = call("--check", stored, "--json")
    report = json.loads(out)
    assert (code, report["valid"]) == (1, False)
    assert any("not the bound" in fault for fault in report["faults"])


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one of METHOD, --model, --check and --list"),
        (("fedavg", "--list"), "give one of METHOD"),
        (("gradientdescent",), "there is no method gradientdescent; did you mean gradient-descent"),
        (("fedavg", "--set", "Kk=2"), "fedavg has no parameter Kk; did you mean K?"),
        (("fedavg", "--set", "K"), "--set K should be name=value"),
        (("fedavg", "--set", "K=two"), "--set K is two; it should be a number"),
        (("fedavg", "--set", "K=0"), "K is 0; it should be an integer, at least 1"),
        (("fedavg", "--rounds", "1.5"), "R is 3/2; it should be an integer, at least 1"),
        (("fedavg", "--rounds", "2", "--set", "R=2"), "--rounds 2 and --set R say the same"),
        (("fedavg", "--metric", "gapp"), "fedavg has no metric gapp; did you mean gap?"),
        (("fedavg", "--bound", "1/0"), "--bound is 1/0; it should be a number"),
        (("fedavg", "--out", "x.txt"), "--out x.txt should end in .json"),
        (("fedavg", "--script", "nowhere/x.py"), "there is no folder nowhere"),
        (("fedavg", "--solver", "NOSUCH"), "NOSUCH"),
        (("--model", "x.py"), "--model x.py should be a file and a function in it"),
        (("--model", "missing.py:f"), "there is no file missing.py"),
        (("--check", "missing.json"), "missing.json"),
        (("fedavg", "--upper", "--script", "x.py"), "--script needs the worst function"),
        (("proximal-point", "--all-n", "--rounds", "3"), "--all-n is about one step and the metric distance"),
        (("ipir-outer", "--all-n"), "--all-n needs a METHOD with the metric distance: gradient-descent"),
    ],
)
def test_bad_input_is_one_line(call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert message in err and "\n" not in err


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("biuld", "has no function biuld; did you mean build?"),
        ("text", "the function returns a str; it should be a PEPit.PEP"),
        ("fails", ":fails, line 22: KeyError: 'nothing here'"),
        ("without_metric", "no performance metric"),
    ],
)
def test_a_bad_model_is_one_line(call, own, function, message):
    code, _, err = call("--model", f"{own}:{function}")
    assert code == 2
    assert message in err and "\n" not in err


def test_a_setting_that_the_model_does_not_take_names_those_that_it_does(call, own):
    code, _, err = call("--model", f"{own}:build", "--set", "L=2")
    assert code == 2 and "unexpected keyword argument 'L'; its parameters: gamma" in err


def test_a_file_that_does_not_run_is_one_line(call, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nothing_of_this_name\n")
    code, _, err = call("--model", f"{path}:build")
    assert code == 2 and "raises ModuleNotFoundError" in err


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"certificate": {"upper": 1}}'])
def test_a_file_that_is_no_certificate_is_one_line(call, tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    code, _, err = call("--check", path)
    assert code == 2 and str(path) in err and "\n" not in err


def test_without_pepit(call, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "rateproof.verify.worstcase.model.find_spec", lambda name: None if name == "PEPit" else found(name)
    )
    for arguments in (("gradient-descent",), ("--model", "x.py:build")):
        code, _, err = call(*arguments)
        assert code == 2 and err == "PEPit is not installed: pip install 'rateproof[worstcase]'"


# --- details


def test_long_fractions_are_shortened():
    assert shortened(Fraction(-1, 3)) == "-1/3"
    long = Fraction(10**30 + 1, 10**31)
    assert shortened(long) == "10000000.../10000000... (31 and 32 digits)"


def test_the_battery_skips_a_missing_solver_and_says_so(monkeypatch, capsys):
    from rateproof.verify import cli
    from rateproof.verify.worstcase import battery

    monkeypatch.setitem(sys.modules, "scs", None)
    tried = []
    monkeypatch.setattr(battery, "run", lambda step, *, solvers, witnesses: tried.extend(solvers) or ())
    assert cli.execute(["battery"]) == 0
    assert tried == ["CLARABEL"]
    assert "skipped: solver SCS is not installed: pip install scs" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "scs", None)
    assert cli.execute(["battery", "--solver", "SCS"]) == 2
    assert "solver SCS is not installed" in capsys.readouterr().err


def test_check_refuses_what_it_would_ignore(tmp_path, capsys):
    from rateproof.verify import cli

    for option in (["--out", "x.json"], ["--script", "x.py"], ["--upper"], ["--all-n"]):
        assert cli.execute(["worstcase", "--check", str(tmp_path / "x.json"), *option]) == 2
        assert "--check makes nothing" in capsys.readouterr().err


def test_an_interrupted_search_for_the_worst_function_keeps_the_bound(monkeypatch):
    from rateproof.verify.worstcase.methods import study

    def interrupted(problem, *, solver, functions):
        raise KeyboardInterrupt

    monkeypatch.setattr(study, "worst_function", interrupted)
    found = study.study(lambda: METHODS["gradient-descent"].case({"n": 2}))
    assert found.certificate is not None and found.worst is None
    assert found.refusals == ("no worst function: the search for it was interrupted",)


def test_a_stored_certificate_is_checked_without_pepit(call, tmp_path, monkeypatch):
    stored = tmp_path / "gd.json"
    assert call("gradient-descent", "--rounds", "2", "--upper", "--out", stored)[0] == 0
    true_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "PEPit" else true_spec(name))
    code, out, _ = call("--check", stored)
    assert code == 1 and "of the problem in the file" in out
    assert "but it was not compared with gradient-descent: PEPit is not installed" in out
    report = json.loads(call("--check", stored, "--json")[1])
    assert not report["valid"] and not report["compared"] and "not compared" in report["faults"][0]


# --- what a stored certificate is asked to prove


@pytest.fixture(scope="module")
def proof(tmp_path_factory):
    """The text of a certificate of two steps of gradient descent with metric gap, bound 0.1."""
    path = tmp_path_factory.mktemp("proof") / "gd.json"
    arguments = ["gradient-descent", "--rounds", "2", "--upper", "--out", str(path)]
    assert CliRunner().invoke(worstcase, arguments, standalone_mode=False).return_value == 0
    return path.read_text()


@pytest.fixture
def check(call, tmp_path, proof):
    """Run --check on a certificate in which some entries are replaced."""

    def run(*arguments, text=None, **changes):
        path = tmp_path / "asked.json"
        path.write_text(json.dumps(json.loads(proof) | changes) if text is None else text)
        return call("--check", path, *arguments)

    return run


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ((), None),
        (("gradient-descent", "--rounds", 2, "--set", "L=1", "--metric", "gap", "--bound", "0.1001"), None),
        (("fedavg",), "it is about gradient-descent, not about fedavg"),
        (("--rounds", 3), "its n is 2, not 3"),
        (("--set", "L=0.9"), "its L is 1, not 9/10"),
        (("--metric", "distance"), "its metric is gap, not distance"),
        (("--bound", "1/10"), "it proves 0.1"),
    ],
)
def test_a_certificate_proves_what_is_asked_for_or_fails(check, arguments, fault):
    code, out, err = check(*arguments)
    assert (code, err) == (0 if fault is None else 1, "")
    assert (fault or "no instance of gradient-descent (gap; n = 2, L = 1, mu = 0, gamma = 1)") in out
    report = json.loads(check(*arguments, "--json")[1])
    assert report["valid"] == report["compared"] == (fault is None)


def test_a_method_is_not_compared_with_a_model_that_is_not_asked_for(check, own):
    code, _, err = check("--model", "missing.py:f")
    assert code == 2 and "there is no file missing.py" in err
    code, out, _ = check("--model", f"{own}:build")
    assert code == 1 and "it is about the method gradient-descent, not about a model" in out


def test_parameters_that_the_file_leaves_out_are_told_and_compared(check):
    code, out, _ = check(parameters={"n": "2"})
    assert code == 0 and "(gap; n = 2, L = 1, mu = 0, gamma = 1)" in out
    assert check(parameters={})[0] == 1  # five steps
    assert check("--rounds", 2, parameters={})[0] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": {"gamma": 0.1}}, "0.1 is no fraction"),
        ({"parameters": {"n": "1000000"}}, "n is 1000000; it should be at most 1000"),
        ({"parameters": {"n": "1e999999999"}}, "is no fraction"),
        ({"parameters": []}, "its parameters are no object"),
        ({"metric": None}, "does not say which problem"),
        ({"method": None}, "does not say which problem"),
        ({"method": ["a"]}, "is no name"),
        ({"method": "a\x1b[31m"}, "there is no method"),
        ({"certificate": "text"}, "not an object"),
        ({"text": "[" * 100_000}, "nested too deeply"),
        ({"text": '{"method": "a", "x": 1e999999999}'}, "there is no 'model'"),
        ({"text": "[1]"}, "not an object"),
        ({"text": "\x00"}, "Expecting value"),
    ],
)
def test_an_odd_file_is_one_line(check, changes, message):
    code, out, err = check(**changes)
    assert (code, out) == (2, "") and message in err and "\n" not in err and len(err) < 500


@pytest.mark.parametrize(
    ("entry", "value"),
    [("points", "a" * 3000), ("points", ["a"] * 3000), ("upper", "1e999999999"), ("upper", 0.1), ("relaxed", 3)],
)
def test_an_odd_certificate_is_one_line(check, proof, entry, value):
    data = json.loads(proof)
    code, _, err = check(certificate=data["certificate"] | {entry: value})
    assert code == 2 and "text is not a certificate" in err and "\n" not in err and len(err) < 500


def test_a_bound_too_large_for_a_float_is_shown(check, proof):
    data = json.loads(proof)
    data["certificate"]["metrics"] = [[[], [], "1" + "0" * 400]]
    data["certificate"] |= {"conditions": [], "multipliers": [], "upper": "1" + "0" * 400}
    code, out, _ = check("--json", **data)
    assert code == 1 and json.loads(out)["upper"]["value"] is None


def test_a_terminal_is_not_commanded_by_a_file(tmp_path, proof, capsys):
    from rateproof.verify import cli

    data = json.loads(proof)
    data["certificate"]["conditions"][0][0] = "\x1b]0;name\x07"
    data["certificate"]["multipliers"][0] = "-1"
    for k, method in enumerate(("gradient-descent", "\x1b[31m")):
        path = tmp_path / f"{k}.json"
        path.write_text(json.dumps(data | {"method": method}))
        assert cli.execute(["worstcase", "--check", str(path)]) == 1 + k
        said = "".join(capsys.readouterr())
        assert "\\x1b" in said and "\x1b" not in said and "\x07" not in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rounds", "1e999999999"), "--rounds is 1e999999999; it should be a number"),
        (("--bound", "1e-999999999"), "it should be a number"),
        (("--bound", "9" * 5000), "--bound is 99999999...; it should be a number"),
        (("--rounds", "1000000"), "n is 1000000; it should be at most 1000"),
        (("--rounds", "400"), "out of reach"),
        (("--set", "gamma=1e200"), "too large for a float"),
        (("--set", "L=1", "--set", "L=2"), "--set L is given twice"),
    ],
)
def test_numbers_out_of_reach_are_one_line_at_once(call, arguments, message):
    code, _, err = call("gradient-descent", *arguments)
    assert code == 2 and message in err and "\n" not in err


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("print('noise'); return 3", "the function returns a int"),
        ("f = problem.declare_function(SmoothStronglyConvexFunction, mu=1, L=1)", "PEPit cannot write the conditions"),
        ("problem.set_initial_condition(x**2 <= float('nan'))", "every coefficient must be finite"),
    ],
)
def test_an_odd_model_is_one_line(call, tmp_path, body, message):
    path = tmp_path / "odd.py"
    lines = ["problem = PEP()", "x = problem.set_initial_point()", "problem.set_performance_metric(x**2)", body]
    if "declare_function" in body:
        lines += ["f.gradient(x)", "f.stationary_point()"]
    text = "".join(f"    {line}\n" for line in [*lines, "return problem"])
    path.write_text(f"from PEPit import PEP\nfrom PEPit.functions import *\n\n\ndef build():\n{text}")
    code, out, err = call("--model", f"{path}:build")
    assert (code, out) == (2, "") and message in err and "\n" not in err
