"""The pytest plugin, in projects of its own: the error budget, snapshots, claims as tests, and the worked example."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Imported here so that they outlive the sessions that pytester runs inside this process.
from rateproof.verify.rates import snapshot

pytest_plugins = "pytester"

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "worked_example"

SAMPLES = """
import numpy as np
import pytest
from rateproof.verify.rates import assert_bound

@pytest.mark.parametrize("k", range(3))
def test_bound(k):
    assert_bound(np.full((60, 2), 0.5), 1.0, at=[1, 2], error_probability=1e-4)
    assert_bound([0.5], 1.0, at=[1])
"""

SNAPSHOTS = """
import os
import pytest

@pytest.mark.parametrize("k", range(6))
def test_queries(k, rate_snapshot):
    rate_snapshot(queries=k + float(os.environ["SHIFT"]))
"""


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    monkeypatch.setenv("SHIFT", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


@pytest.fixture
def kept(pytester) -> Path:
    """The file of the module ``test_it.py``."""
    return pytester.path / "__rates__" / "test_it.jsonl"


# Hypothesis takes a second to report nothing, in every session.
QUIET = ("-q", "-p", "no:hypothesispytest")

# --- the error budget


def test_error_probabilities_add_up_over_the_suite(pytester):
    pytester.makepyfile(test_it=SAMPLES)
    run = pytester.runpytest(*QUIET)
    run.assert_outcomes(passed=3)
    run.stdout.fnmatch_lines(["rates: 6 assertions, total error probability 0.0003"])
    assert run.ret == pytest.ExitCode.OK


def test_a_suite_over_its_budget_fails_and_says_why(pytester):
    pytester.makepyfile(test_it=SAMPLES)
    pytester.makeini("[pytest]\nrates_error_budget = 2e-4\n")
    run = pytester.runpytest(*QUIET, "-n", "2")
    run.assert_outcomes(passed=3)
    run.stdout.fnmatch_lines(["rates: total error probability 0.0003 exceeds rates_error_budget = 0.0002: lower *"])
    assert run.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("budget", ["much", "-1", "nan", "2"])
def test_an_odd_budget_is_refused(pytester, budget):
    pytester.makeini(f"[pytest]\nrates_error_budget = {budget}\n")
    run = pytester.runpytest()
    run.stderr.fnmatch_lines([f"ERROR: rates_error_budget is '{budget}'; it should be a probability, such as 1e-3"])
    assert run.ret == pytest.ExitCode.USAGE_ERROR


def test_what_fixtures_spend_counts(pytester):
    pytester.makepyfile(
        """
        import pytest
        from rateproof.verify.rates import assert_bound

        @pytest.fixture
        def checked():
            assert_bound([0.5], 1.0, at=[1])
            yield
            assert_bound([0.5], 1.0, at=[1])

        def test_body(checked):
            pass
        """
    )
    pytester.runpytest(*QUIET).stdout.fnmatch_lines(["rates: 2 assertions, total error probability 0"])


def test_other_suites_see_nothing_and_import_nothing(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_nothing():
            assert "rateproof.pytest_plugin" in sys.modules and "rateproof.verify" not in sys.modules
            assert not {"numpy", "sympy", "rateproof.verify.rates"} & set(sys.modules)
        """
    )
    run = pytester.runpytest_subprocess(*QUIET)
    run.assert_outcomes(passed=1)
    run.stdout.no_fnmatch_line("rates:*")


def test_a_failure_shows_the_table_and_no_code_of_the_plugin(pytester):
    pytester.makepyfile(
        """
        from rateproof.verify.rates import assert_bound

        def test_it():
            assert_bound([0.5, 2.0], 1.0, at=[10, 20])
        """
    )
    run = pytester.runpytest(*QUIET)
    run.stdout.fnmatch_lines(["E *metric exceeds its bound at 20: 2 > 1; ratio 2", "E *20 *2 *1 *2 *##|#* <- worst"])
    run.stdout.no_fnmatch_line("*raise RateError*")


# --- snapshots


def test_a_snapshot_is_written_on_request_only(pytester, kept):
    pytester.makepyfile(test_it=SNAPSHOTS)
    missing = pytester.runpytest(*QUIET)
    missing.assert_outcomes(failed=6)
    missing.stdout.fnmatch_lines(
        [
            "E *queries is not in __rates__/test_it.jsonl for test_queries[[]0]; measured 1",
            "E *accept with: pytest 'test_it.py::test_queries[[]0]' --rates-update",
        ]
    )
    assert not kept.exists()
    update = pytester.runpytest(*QUIET, "--rates-update")
    update.assert_outcomes(passed=6)
    update.stdout.fnmatch_lines([f"rates: 6 measured for {kept}"])
    assert [line.split('"')[3] for line in kept.read_text().splitlines()] == [f"test_queries[{k}]" for k in range(6)]
    pytester.runpytest(*QUIET).assert_outcomes(passed=6)


def test_worse_fails_and_better_is_said(pytester, kept, monkeypatch):
    pytester.makepyfile(test_it=SNAPSHOTS)
    pytester.runpytest(*QUIET, "--rates-update")
    before = kept.read_text()
    monkeypatch.setenv("SHIFT", "1.5")
    worse = pytester.runpytest(*QUIET, "-k", "2")
    worse.assert_outcomes(failed=1, deselected=5)
    worse.stdout.fnmatch_lines(["E *queries was 3, is 3.5: worse"])
    monkeypatch.setenv("SHIFT", "0.5")
    better = pytester.runpytest(*QUIET)
    better.assert_outcomes(passed=6)
    better.stdout.fnmatch_lines(["rates: better, accept with --rates-update: test_queries[[]2]: queries was 3, is 2.5"])
    assert kept.read_text() == before


def test_workers_write_one_file_together(pytester, kept, monkeypatch):
    pytester.makepyfile(test_it=SNAPSHOTS, test_other=SNAPSHOTS)
    pytester.runpytest(*QUIET, "-n", "2", "--rates-update").assert_outcomes(passed=12)
    together = kept.read_text()
    assert kept.with_name("test_other.jsonl").read_text() == together
    shutil.rmtree(kept.parent)
    pytester.runpytest(*QUIET, "--rates-update")
    assert kept.read_text() == together
    assert [p.name for p in sorted(kept.parent.iterdir())] == ["test_it.jsonl", "test_other.jsonl"]
    monkeypatch.setenv("SHIFT", "0.5")
    better = pytester.runpytest(*QUIET, "-n", "2", "test_it.py")
    better.assert_outcomes(passed=6)
    assert str(better.stdout).count("better, accept with") == 6


def test_some_tests_update_their_own_numbers_alone(pytester, kept, monkeypatch):
    pytester.makepyfile(test_it=SNAPSHOTS)
    pytester.runpytest(*QUIET, "--rates-update")
    before = kept.read_text().splitlines()
    monkeypatch.setenv("SHIFT", "11")
    pytester.runpytest(*QUIET, "--rates-update", "-k", "2")
    after = kept.read_text().splitlines()
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [2]


def test_a_failing_test_updates_nothing(pytester, kept):
    pytester.makepyfile(
        test_it="""
        def test_it(rate_snapshot):
            rate_snapshot(queries=1)
            raise RuntimeError
        """
    )
    pytester.runpytest(*QUIET, "--rates-update").assert_outcomes(failed=1)
    assert not kept.exists()


def test_a_test_with_a_failing_teardown_or_subtest_updates_nothing(pytester, kept):
    pytester.makepyfile(
        test_it="""
        import pytest

        @pytest.fixture
        def broken():
            yield
            raise RuntimeError

        def test_teardown(broken, rate_snapshot):
            rate_snapshot(queries=1)

        def test_subtest(request, rate_snapshot):
            subtests = request.getfixturevalue("subtests")
            with subtests.test():
                rate_snapshot(queries=1)
            raise RuntimeError
        """
    )
    pytester.runpytest(*QUIET, "--rates-update").assert_outcomes(passed=1, failed=1, errors=1)
    assert not kept.exists()


def test_workers_report_numbers_of_numpy(pytester, kept):
    pytester.makepyfile(
        test_it="""
        import numpy as np
        from rateproof.verify.rates import Estimate

        def test_it(rate_snapshot):
            rate_snapshot(queries=Estimate(*np.array([2.0, 1.0, 3.0, 1e-7])))
        """
    )
    pytester.runpytest(*QUIET, "-n", "1", "--rates-update").assert_outcomes(passed=1)
    assert kept.exists()
    run = pytester.runpytest(*QUIET, "-n", "1")
    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["rates: 1 assertion, total error probability 1e-07"])


def test_the_command_to_accept_is_quoted(pytester):
    pytester.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.parametrize("name", ["it's"])
        def test_it(name, rate_snapshot):
            rate_snapshot(queries=1)
        """
    )
    run = pytester.runpytest(*QUIET)
    lines = [line for line in run.outlines if "accept with: " in line]
    assert lines  # once in the failure; where CI is set, pytest repeats it whole in its summary
    for line in lines:
        command = shlex.split(line.partition("accept with: ")[2])
        assert command == ["pytest", "test_it.py::test_it[it's]", "--rates-update"]


@pytest.mark.parametrize("options", [(), ("--rates-update",)], ids=["compare", "update"])
def test_a_damaged_file_stays_as_it_is(pytester, kept, options):
    pytester.makepyfile(test_it=SNAPSHOTS)
    kept.parent.mkdir()
    kept.write_text("<<<<<<< HEAD\n")
    run = pytester.runpytest(*QUIET, *options)
    run.assert_outcomes(failed=6)
    run.stdout.fnmatch_lines([f"E *rates file {kept} is damaged in line 1 *move it away and run with --rates-update"])
    assert kept.read_text() == "<<<<<<< HEAD\n"


def test_a_file_that_cannot_be_written_fails_the_run(pytester, kept, monkeypatch):
    def full(path, data):
        raise OSError("no space left on device")

    pytester.makepyfile(test_it=SNAPSHOTS)
    monkeypatch.setattr(snapshot, "write_atomically", full)
    run = pytester.runpytest(*QUIET, "--rates-update")
    run.assert_outcomes(passed=6)
    run.stdout.fnmatch_lines([f"rates: {kept} is not updated: no space left on device"])
    assert run.ret == pytest.ExitCode.TESTS_FAILED


# --- claims


PAPER = """
import sympy as sp
from rateproof.theory.claim import Claim, Kind, Source
from rateproof.theory.symbols import declare

R = sp.Symbol("R", positive=True)
gap = declare("own_gap", "the gap after R rounds")


def claim(name, bound):
    statement = None if bound is None else sp.Le(gap, bound, evaluate=False)
    return Claim("own." + name, Source("own", "Theorem 1"), Kind.BOUND, f"the gap is at most {bound}", statement)


CLAIMS = (claim("good", 2 / R), claim("bad", 5 / R**2), claim("open", 1 / R), claim("none", None),
          claim("both", None), claim("both.good", 2 / R), claim("both.bad", 5 / R**2))
"""

CHECKS = """
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial


def build(R):
    return Trial(f"instance of horizon {R}", {"R": R, "own_gap": 1 / R}, facts={})


def check(claim, budget):
    horizons = () if claim.id == "own.open" else (1, 10, 100, 1000)
    yield decide(claim, map(build, horizons), method="closed form", detail="gradient descent")


CHECKS = {"own." + name: check for name in ("good", "bad", "open", "both.good", "both.bad")}
SPACES = {"own.bad": (Space("horizons", lambda claim: (1, 10, 100, 1000), lambda claim: None, build),)}
"""


@pytest.fixture
def own_paper(pytester, monkeypatch) -> None:
    folder = pytester.mkdir("papers") / "own"
    folder.mkdir()
    (folder / "__init__.py").write_text(PAPER)
    (folder / "checks.py").write_text(CHECKS)
    monkeypatch.setenv("RATEPROOF_PAPERS", str(folder.parent))


def claim_tests(pytester, *marks: str) -> pytest.RunResult:
    """Run a bare test for each mark."""
    tests = [f"@pytest.mark.rateproof_claim({mark})\ndef test_{k}():\n    pass\n" for k, mark in enumerate(marks)]
    pytester.makepyfile("import pytest\n\n" + "\n".join(tests))
    return pytester.runpytest_subprocess(*QUIET)


@pytest.mark.usefixtures("own_paper")
def test_claims_pass_as_expected(pytester):
    run = claim_tests(
        pytester,
        '"own.good"',
        '"own.bad", expect="refuted"',
        '"own.open", allow=("undecided",)',
        '"own.none", expect="unchecked"',
        '"own.both", expect="refuted"',
        '"own.good", allow=("refuted",), tier="full", seed=3',
    )
    run.assert_outcomes(passed=6)
    run.stdout.fnmatch_lines(["rates: 6 assertions, total error probability 0"])


@pytest.mark.usefixtures("own_paper")
def test_claims_fail_readably(pytester):
    run = claim_tests(pytester, '"own.bad"', '"own.open"', '"own.none"', '"own.good", expect="refuted"', '"own.both"')
    run.assert_outcomes(failed=5)
    run.stdout.fnmatch_lines(
        [
            "own.bad is refuted, not proved or supported",
            "  Theorem 1: the gap is at most 5/R*",
            "  closed form: gradient descent",
            "  own_gap <= 5/R*: left 0.1, right 0.05, ratio 2.0",
            "  instance: instance of horizon 10",
            "  worst instance found at each horizon R:",
            "*100 *0.01 *0.0005 *20 *",
            "*1000 *0.001 *5e-06 *200 *##* <- worst",
            "  rateproof --papers */own show own.bad tells more",
            "own.open is undecided, not proved or supported",
            "own.none is unchecked, not proved or supported",
            "own.good is supported, not refuted",
            "own.both is refuted, not proved or supported",
        ]
    )
    run.stdout.no_fnmatch_line("*Traceback*")
    run.stdout.no_fnmatch_line("*During handling*")


@pytest.mark.usefixtures("own_paper")
def test_the_body_runs_after_the_claim_and_may_use_what_was_found(pytester):
    pytester.makepyfile(
        """
        import pytest
        from rateproof.verify.rates import RateError, assert_claim

        @pytest.mark.rateproof_claim("own.good")
        def test_ratio(rateproof_claim):
            assert rateproof_claim.worst_ratio == 0.5 and rateproof_claim.instances == 4

        @pytest.mark.rateproof_claim("own.good")
        def test_own_words():
            raise RuntimeError("the body ran")

        @pytest.mark.rateproof_claim("own.good")
        class TestAll:
            def test_method(self, rateproof_claim):
                assert rateproof_claim.claim == "own.good"

        def test_function():
            assert assert_claim("own.good").verdict == "supported"
            with pytest.raises(RateError, match="own.bad is refuted"):
                assert_claim("own.bad")
            with pytest.raises(ValueError, match="unknown claim 'own.god'; did you mean own.good"):
                assert_claim("own.god")
        """
    )
    run = pytester.runpytest_subprocess(*QUIET)
    run.assert_outcomes(passed=3, failed=1)
    run.stdout.fnmatch_lines(["E *RuntimeError: the body ran"])


WRONG_MARKS = {
    '"own.god"': "unknown claim 'own.god'; did you mean own.good*",
    '"own.good", expect="refutd"': "unknown verdict 'refutd'; did you mean refuted*",
    '"own.good", allow="refuted"': "allow should be a tuple of verdicts, such as ('refuted',)",
    '"own.good", allow=("proved",), expect="proved"': "expect names the only verdict that passes*",
    '"own.good", tier="slow"': "tier should be quick or full, not 'slow'",
    '"own.good", seed=-1': "seed should be an integer >= 0, not -1",
    '"own.good", expected="proved"': "*unexpected keyword argument 'expected'",
    "": "*missing 1 required positional argument: 'claim_id'",
}


@pytest.mark.usefixtures("own_paper")
def test_a_wrong_mark_is_an_error_of_its_module(pytester):
    for k, mark in enumerate(WRONG_MARKS):
        pytester.path.joinpath(f"test_{k}.py").write_text(
            f"import pytest\n\nclass TestIt:\n    @pytest.mark.rateproof_claim({mark})\n"
            "    def test_it(self):\n        pass\n"
        )
    run = pytester.runpytest_subprocess(*QUIET, "-n", "2")
    run.assert_outcomes(errors=len(WRONG_MARKS))
    for k, said in enumerate(WRONG_MARKS.values()):
        run.stdout.fnmatch_lines([f"test_{k}.py::TestIt::test_it: {said}"])
    assert run.ret != pytest.ExitCode.OK


@pytest.mark.usefixtures("own_paper")
def test_a_mark_that_collection_does_not_see_is_judged_readably(pytester):
    pytester.makepyfile(
        """
        import unittest
        import pytest

        class TestIt(unittest.TestCase):
            @pytest.mark.rateproof_claim("own.god")
            def test_wrong(self):
                pass

            @pytest.mark.rateproof_claim("own.bad")
            def test_bad(self):
                pass

            @pytest.mark.rateproof_claim("own.good")
            def test_good(self):
                pass
        """
    )
    run = pytester.runpytest_subprocess(*QUIET)
    run.assert_outcomes(passed=1, failed=2)
    run.stdout.fnmatch_lines(["own.bad is refuted*", "unknown claim 'own.god'; did you mean own.good*"])
    run.stdout.no_fnmatch_line("*rateproof.pytest_plugin.py*")


def test_the_fixture_needs_its_mark(pytester):
    pytester.makepyfile("def test_it(rateproof_claim):\n    pass\n")
    run = pytester.runpytest(*QUIET)
    run.stdout.fnmatch_lines(
        ["*the fixture rateproof_claim needs a mark, such as @pytest.mark.rateproof_claim('mypaper.thm1')"]
    )
    run.assert_outcomes(errors=1)


# --- the worked example, and what the documentation tells an outside project to do


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Pytest as a user of an outside project runs it: nothing of this checkout is on the path but what is installed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTEST_PLUGINS")}
    command = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def example(tmp_path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "example", ignore=shutil.ignore_patterns("__pycache__", ".*")))


def regress(example: Path) -> None:
    """Apply ``regression.patch``, which replaces one line."""
    patch = (example / "regression.patch").read_text()
    (old,), (new,) = (re.findall(rf"^\{sign}( .*)$", patch, flags=re.MULTILINE) for sign in "-+")
    source = example / "plainsgd" / "sgd.py"
    assert source.read_text().count(old) == 1
    source.write_text(source.read_text().replace(old, new))


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_worked_example_passes_as_it_stands(example, workers):
    run = run_pytest(example, *workers)
    assert run.returncode == 0, run.stdout
    assert "3 passed" in run.stdout
    assert "rates: 6 assertions, total error probability 3e-06" in run.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_worked_example_catches_its_regression(example, workers):
    regress(example)
    run = run_pytest(example, *workers)
    assert run.returncode == 1
    assert "3 failed" in run.stdout
    for said in (
        r"metric exceeds its bound at 10000: 0\.0025\d* > 0\.00010012; ratio 25",
        r"metric exceeds its bound at 2000: mean of 5000 runs .* expectation at least .* > 0\.00050299",
        r"values: exponent -0\.4\S* in .* at\^-1.*; they fall ever more slowly: a noise floor",
    ):
        assert re.search(said, run.stdout), said


def test_the_worked_example_keeps_a_worse_constant_out(example):
    """Still within the theorem's rate, but slower than what was accepted: only the snapshot sees it."""
    source = example / "plainsgd" / "sgd.py"
    source.write_text(source.read_text().replace("(k + L / mu))", "(k + L / mu) * 1.001)"))
    run = run_pytest(example, "-k", "exact")
    assert run.returncode == 1
    assert re.search(r"error: constant of at\^-1 was 1\.00128561, is 1\.00\d*: worse", run.stdout)
    update = run_pytest(example, "-k", "exact", "--rates-update")
    assert update.returncode == 0, update.stdout


def test_an_outside_project_can_follow_the_documentation(tmp_path):
    page = (ROOT / "notebooks" / "docs" / "howto" / "rates.md").read_text(encoding="utf-8")
    (code,) = (c for c in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL) if "rateproof.rates" in c)
    (tmp_path / "test_mine.py").write_text(code)
    # the other test, which checks a claim and takes seconds, has no number to accept
    assert run_pytest(tmp_path, "--rates-update", "-k", "share_of_heads").returncode == 0
    last = run_pytest(tmp_path)
    assert last.returncode == 0, last.stdout
    (line,) = re.findall(r"`(rates: .*?)`", page)
    assert line in last.stdout


def test_a_project_with_names_like_ours_keeps_its_own(pytester):
    """Its own mark and fixture ``claim``, and its own packages ``verify``, ``theory`` and ``algos``."""
    pytester.makeini(
        "[pytest]\npythonpath = .\naddopts = --strict-markers\nmarkers =\n    claim(number): an insurance claim"
    )
    for package in ("verify", "theory", "algos"):
        (pytester.mkpydir(package) / "own.py").write_text(f"NAME = {package!r}\n")
    pytester.makepyfile(
        """
        import pytest

        from algos.own import NAME as a
        from rateproof.rates import assert_bound
        from theory.own import NAME as t
        from verify.own import NAME as v

        @pytest.fixture
        def claim(request):
            return request.node.get_closest_marker("claim").args[0]

        @pytest.mark.claim(17)
        def test_insurance(claim):
            assert claim == 17

        @pytest.mark.claim(id="textbook.yung", paid=True)
        def test_an_id_that_is_not_ours():
            assert (a, t, v) == ("algos", "theory", "verify")

        @pytest.mark.rateproof_claim("textbook.young")
        def test_both(rate_snapshot, rateproof_claim):
            assert_bound([0.5], 1.0, at=[1])
            assert rateproof_claim.verdict == "proved"
        """
    )
    # The names mean other packages inside than in this process.
    run = pytester.runpytest_subprocess(*QUIET)
    run.assert_outcomes(passed=3)


def test_the_fixture_claim_is_nobodys(pytester):
    pytester.makepyfile("def test_it(claim):\n    pass\n")
    pytester.runpytest_inprocess(*QUIET).stdout.fnmatch_lines(["*fixture 'claim' not found*"])
