"""Papers outside the repository: what is found, what is refused, and that a broken one breaks nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rateproof.theory import catalog, discovery
from rateproof.theory.units import inhomogeneities
from rateproof.verify import experiment, registry, tune
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.cli import execute
from rateproof.verify.evidence import Verdict
from rateproof.verify.sources import baseline_path, fingerprint, hashed

CLAIMS = """
import sympy as sp
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.symbols import vocabulary
from rateproof.theory.units import LENGTH

M = vocabulary("{paper}")("M", "a length in this paper alone", LENGTH, positive=True)
CLAIMS = (
    Claim("{paper}.one", Source("{paper}", "Lemma 1"), Kind.BOUND, "M <= M", sp.Le(M, M, evaluate=False)),
)
"""
CHECKS = """
from rateproof.verify.evidence import Evidence, Finding, Level


def check(claim, budget):
    yield Evidence(Finding.HOLDS, Level.EXACT, "by hand", "seen", worst_ratio=0.5, instances=1, witness="M = 1")


CHECKS = {{"{paper}.one": check}}
FAMILIES = {{"{paper}_family": check}}
"""


def write(folder: Path, paper: str, *, claims: str = CLAIMS, checks: str = CHECKS, within: str = "checks.py") -> Path:
    """A paper's package in a folder."""
    package = folder / paper
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(claims.format(paper=paper))
    with (package / within).open("a") as stream:
        stream.write(checks.format(paper=paper))
    return package


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    """Each test starts without outside papers, and what it imports is forgotten."""
    monkeypatch.setenv(discovery.VARIABLE, "")
    monkeypatch.setenv("RATEPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    catalog.claims.cache_clear()
    yield
    for name in set(sys.modules) - before:
        if name.startswith("outside"):
            del sys.modules[name]
    catalog.claims.cache_clear()


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = execute([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("inside", [True, False])
def test_a_folder_may_be_the_package_or_hold_it(tmp_path, inside):
    package = write(tmp_path, "outside_a")
    discovery.add(package if inside else tmp_path)
    assert "outside_a" in catalog.papers() and catalog.get("outside_a.one").source.place == "Lemma 1"
    assert baseline_path("outside_a") == package / "baseline.jsonl"
    assert check_claim(catalog.get("outside_a.one"), Budget()).verdict is Verdict.SUPPORTED
    assert "outside_a_family" in experiment.families()
    assert tune.adapter("outside_a") is None


def test_checks_may_stand_in_the_package_itself(tmp_path):
    discovery.add(write(tmp_path, "outside_b", within="__init__.py"))
    assert registry.of("outside_b.one", "CHECKS") is not None
    assert registry.exported("outside_b", "SHARP") == {}


def test_two_papers_use_one_name_for_two_things(tmp_path):
    discovery.add(write(tmp_path, "outside_c"))
    catalog.claims("strfedavg")  # has another M
    assert inhomogeneities(catalog.get("outside_c.one")) == ()


def test_an_entry_point_names_a_package(tmp_path, monkeypatch):
    package = write(tmp_path, "outside_d")
    monkeypatch.syspath_prepend(tmp_path)
    points = [EntryPoint("outside_d", "outside_d", discovery.GROUP), EntryPoint("gone", "no_such.thing", "g")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == discovery.GROUP else [])
    discovery._installed.cache_clear()
    discovery._found.cache_clear()
    try:
        assert list(catalog.claims("outside_d")) == ["outside_d.one"]
        assert catalog.unreadable().keys() == {"gone"} and "no_such" in catalog.unreadable()["gone"]
        discovery.add(package)  # the same folder found in two ways is one paper
        assert list(catalog.claims("outside_d")) == ["outside_d.one"]
    finally:
        discovery._installed.cache_clear()
        discovery._found.cache_clear()


@pytest.mark.parametrize("name", ["textbook", "outside_e"])
def test_an_id_that_exists_twice_names_both_places(tmp_path, call, name):
    first = discovery.found().places["textbook"].folder if name == "textbook" else write(tmp_path / "one", name)
    second = write(tmp_path / "two", name)
    places = [second] if name == "textbook" else [first, second]
    arguments = [a for place in places for a in ("--papers", place)]
    code, out, err = call(*arguments, "check", name)
    assert code == 2 and err.count("\n") == 1 and "exists twice" in err and str(first) in err and str(second) in err
    code, out, err = call("list", "--kind", "identity")
    assert code == 0 and "strfedavg.id" in out and err.count("\n") == 1 and "exists twice" in err


BROKEN = {
    "syntax": "CLAIMS = (",
    "import": "import no_such_module\nCLAIMS = ()",
    "exit": "import sys\nsys.exit('CLAIMS')",
    "nothing": "# CLAIMS are still to come",
    "foreign": CLAIMS.replace('Claim("{paper}.one", Source("{paper}"', 'Claim("other.one", Source("other"'),
    "no claim": "CLAIMS = ('lemma',)",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_paper_breaks_no_other(tmp_path, call, fault):
    discovery.add(write(tmp_path, "outside_f", claims=BROKEN[fault]))
    for arguments in (("list", "--kind", "identity"), ("show", "strfedavg.lem1")):
        code, out, err = call(*arguments)
        assert code == 0 and "strfedavg." in out
        assert err.count("\n") == 1 and "outside_f" in err
    code, out, err = call("check", "strfedavg.rem5", "--json")
    assert code == 0 and "outside_f" not in err
    for arguments in (("check", "outside_f"), ("show", "outside_f"), ("list", "--paper", "outside_f")):
        code, out, err = call(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1) and "paper 'outside_f'" in err


def test_a_check_of_everything_with_a_broken_paper_is_not_good(tmp_path, call, monkeypatch):
    discovery.add(write(tmp_path, "outside_g", claims=BROKEN["import"]))
    good = catalog.get("strfedavg.rem5")
    monkeypatch.setattr("rateproof.theory.catalog.all_claims", lambda: {good.id: good})
    code, out, err = call("check", "--jobs", "1")
    assert code == 2 and "strfedavg.rem5" in out and "not checked: outside_g" in err


def test_broken_checks_cost_the_paper_its_verdict_and_others_nothing(tmp_path):
    discovery.add(write(tmp_path, "outside_h", checks="import no_such_module"))
    result = check_claim(catalog.get("outside_h.one"), Budget())
    assert result.verdict is Verdict.UNDECIDED and "no_such_module" in result.detail
    with pytest.warns(discovery.PaperWarning, match="checks of paper 'outside_h' cannot be read"):
        assert experiment.families()


def test_a_damaged_baseline_of_an_outside_paper(tmp_path, call):
    package = write(tmp_path, "outside_i")
    (package / "baseline.jsonl").write_text("{}\n")
    code, out, err = call("--papers", package, "list")
    assert code == 0 and "outside_i.one" in out and err.count("\n") == 1 and str(package) in err
    assert call("list", "--paper", "outside_i")[0] == 2


def test_folders_without_a_paper(tmp_path, call, monkeypatch):
    code, _, err = call("--papers", tmp_path, "list")
    assert code == 2 and err.count("\n") == 1 and "there is no paper in" in err and "CLAIMS" in err
    assert call("--papers", tmp_path / "none", "list")[0] == 2
    with pytest.raises(ValueError, match="separates folders"):
        discovery.add(tmp_path / f"a{os.pathsep}b")
    monkeypatch.setenv(discovery.VARIABLE, str(tmp_path / "none"))
    code, out, err = call("list", "--kind", "identity")
    assert code == 0 and out and err.count("\n") == 1 and str(tmp_path / "none") in err


@pytest.mark.parametrize("name", ["json", "out-side"])
def test_names_that_python_cannot_import_are_refused(tmp_path, name):
    discovery.add(write(tmp_path, name))
    with pytest.raises(ValueError, match=r"another 'json'|is no Python name"):
        catalog.claims(name)


def test_a_check_finds_the_paper_in_its_workers_and_updates_its_baseline(tmp_path):
    package = write(tmp_path, "outside_j")
    more = (package / "__init__.py").read_text() + (
        '\nfrom dataclasses import replace\nCLAIMS = (*CLAIMS, replace(CLAIMS[0], id="outside_j.two"))\n'
    )
    (package / "__init__.py").write_text(more)
    options = ["--papers", package, "check", "outside_j", "--jobs", "2", "--update"]
    done = subprocess.run(
        [sys.executable, "-m", "rateproof.verify.cli", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and "1 supported, 1 unchecked" in done.stdout
    assert len((package / "baseline.jsonl").read_text().splitlines()) == 2


def test_kept_results_follow_the_sources_of_outside_papers(tmp_path):
    without = fingerprint()
    package = write(tmp_path, "outside_k")
    discovery.add(package)
    with_it = fingerprint()
    (package / "more.py").write_text("x = 1\n")
    hashed.cache_clear()
    assert len({without, with_it, fingerprint()}) == 3


def test_unknown_parts_and_exports_are_refused():
    with pytest.raises(ValueError, match="a paper exports CHECKS"):
        registry.exported("textbook", "CHEKCS")
    with pytest.raises(ValueError, match="a paper has the parts checks"):
        registry.part("textbook", "claims")
    assert registry.exported("no_such_paper", "CHECKS") == {}
