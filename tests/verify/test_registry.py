"""Papers outside the repository: what is found, what is refused, and that a broken one breaks nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rateproof.theory import catalog, discovery
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.verify import registry
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.cli import execute
from rateproof.verify.evidence import Level, Verdict
from rateproof.verify.experiments import experiment, tune
from rateproof.verify.stored import baseline
from rateproof.verify.stored.sources import baseline_path, fingerprint, hashed

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
    assert registry.record(catalog.get("outside_b.one")).check is not None
    assert not any(one.tight for one in registry.records("outside_b"))


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


def test_broken_papers_break_no_other(tmp_path, call):
    names = [f"outside_f{k}" for k in range(len(BROKEN))]
    for name, claims in zip(names, BROKEN.values(), strict=True):
        discovery.add(write(tmp_path, name, claims=claims))
    code, out, err = call("list", "--kind", "identity")
    assert code == 0 and "strfedavg." in out
    assert err.count("\n") == len(names) and all(name in err for name in names)
    code, out, err = call("show", "strfedavg.lem1")
    assert (code, err) == (0, "") and out.startswith("strfedavg.lem1 ")  # nothing links them to it
    code, out, err = call("check", "strfedavg.rem5", "--json")
    assert code == 0 and "outside_f" not in err
    for name in names:
        for arguments in (("check", name), ("show", name), ("list", "--paper", name)):
            code, out, err = call(*arguments)
            assert (code, out, err.count("\n")) == (2, "", 1) and f"paper '{name}'" in err


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


def test_unknown_parts_are_refused():
    with pytest.raises(ValueError, match="a paper has the parts checks"):
        registry.part("textbook", "claims")
    assert registry.records("no_such_paper") == []


PROOFS = """
from dataclasses import replace

import sympy as sp

from rateproof.verify.deciders import machine
from rateproof.verify.deciders.certificates import Combination, Premise, proved, prove
from rateproof.verify.evidence import Evidence, Finding, Level

ONE = sp.Integer(1)


def true_proof(claim, said="M is nonnegative"):
    lhs, rhs = claim.statement.args
    return prove(claim, [Combination([(ONE, Premise(rhs - lhs, said))])])


def by_steps(claim, goal):
    return machine.prove(claim, machine.Proof(lambda claim: [machine.Form("a step", goal)], "the rest is clear"))


def trivial(claim):
    return replace(claim, statement=sp.Le(sp.S.Zero, sp.S.One, evaluate=False))


WAYS = {{
    "words": lambda claim: proved("trust me"),
    "by hand": lambda claim: Evidence(Finding.PROOF, Level.CERTIFICATE, "symbolic", "trust me"),
    "argument": lambda claim: Evidence(Finding.PROOF, Level.ARGUMENT, "words", "as the reader sees"),
    "other words": lambda claim: replace(true_proof(claim), detail="trust me"),
    "another claim": lambda claim: prove(trivial(claim), [Combination([(ONE, Premise(ONE, "1 > 0"))])]),
    "atoms": lambda claim: prove(claim, [Combination([(ONE, Premise(sp.Integer(0), "0 = 0"))], {{M: sp.S.Zero}})]),
    "another step": lambda claim: by_steps(claim, sp.Le(sp.S.Zero, M**2, evaluate=False)),
    "a step": lambda claim: by_steps(claim, claim.statement),
    "combination": true_proof,
}}


def check(claim, budget):
    yield WAYS["{way}"](claim)


CHECKS = {{"{paper}.one": check}}
"""


def outside_result(folder, checks: str, **words):
    """What the check of an outside paper finds."""
    paper = "outside_z"
    text = checks.format(paper=paper, **words).replace("{", "{{").replace("}", "}}")
    discovery.add(write(folder, paper, checks=f"from {paper} import M\n{text}"))
    return check_claim(catalog.get(f"{paper}.one"), Budget())


@pytest.mark.parametrize(
    ("way", "level"),
    [
        ("words", "argument"),
        ("by hand", "argument"),
        ("argument", "argument"),
        ("other words", "argument"),
        ("another claim", "argument"),
        ("atoms", "standard fact"),
        ("another step", "argument"),
        ("a step", "certificate"),
        ("combination", "certificate"),
    ],
)
def test_a_certificate_cannot_be_claimed_by_writing_it(tmp_path, way, level):
    found = outside_result(tmp_path, PROOFS, way=way)
    assert (found.verdict, found.level) == (Verdict.PROVED, level), found.detail


def test_a_level_that_was_stronger_in_the_baseline_is_a_change(tmp_path):
    found = outside_result(tmp_path, PROOFS, way="words")
    entry = baseline.fresh_entry(replace(found, level=Level.CERTIFICATE), Budget())
    (change,) = baseline.compare({found.claim: entry}, [found], Budget())
    assert change.worse and change.what == "level was certificate, is argument"


RAISING = """

def helper(claim):
    return claim.statement / 0


def check(claim, budget):
    yield helper(claim)


CHECKS = {{"{paper}.one": check}}
"""


def test_a_check_that_raises_says_where(tmp_path, call, monkeypatch, capsys):
    found = outside_result(tmp_path, RAISING)
    paper = found.paper
    assert found.verdict is Verdict.UNDECIDED
    assert found.detail.startswith("the check failed: TypeError: unsupported operand")
    assert found.detail.endswith(f"({paper}/checks.py, line 5, in helper)")
    code, out, err = call("check", paper)
    assert code == 1 and "line 5, in helper" in out and "RATEPROOF_DEBUG=1" in out and "Traceback" not in err
    monkeypatch.setenv("RATEPROOF_DEBUG", "1")
    assert check_claim(catalog.get(found.claim), Budget()) and "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("broken", "said"),
    [("x = 1\ny = undefined\n", "NameError: name 'undefined' is not defined"), ("x = (\n", "SyntaxError: ")],
)
def test_checks_that_cannot_be_read_say_where(tmp_path, broken, said):
    found = outside_result(tmp_path, broken)
    assert said in found.detail and f"({found.paper}/checks.py, line {broken.count(chr(10)) + 1})" in found.detail


REFUSED = """
import sympy as sp

from rateproof.verify.deciders import machine
from rateproof.verify.evidence import Evidence, Finding, Level

STEPS = [machine.Form(name, sp.Le(low, M**2, evaluate=False)) for name, low in (("good", 0), ("bad", 1))]


def check(claim, budget):
    yield machine.prove(claim, machine.Proof(lambda claim: STEPS))
    yield Evidence(Finding.HOLDS, Level.EXACT, "by hand", "seen", worst_ratio=0.5, instances=1, witness="M = 1")


CHECKS = {{"{paper}.one": check}}
"""


def test_a_proof_that_is_refused_beside_instances_is_shown(tmp_path, call):
    found = outside_result(tmp_path, REFUSED)
    assert found.verdict is Verdict.SUPPORTED and len(found.inconclusive) == 1
    assert "the proof does not check: bad: " in found.inconclusive[0]
    for arguments in (("check", found.paper, "--update"), ("show", found.claim, "--full")):
        code, out, _ = call(*arguments)
        assert code == 0 and "does not check: bad:" in " ".join(out.split())
    assert baseline.read(found.paper)[found.claim].result.inconclusive == found.inconclusive


@pytest.mark.parametrize("before", [True, False])
def test_the_option_papers_stands_before_or_behind_the_command(tmp_path, call, before):
    write(tmp_path, "outside_f")
    option = ("--papers", tmp_path)
    command = (*option, "check", "outside_f") if before else ("check", "outside_f", *option)
    code, out, err = call(*command)
    assert (code, err) == (1, "") and "1 supported" in out


def test_an_unknown_paper_is_named_and_so_is_the_option_that_makes_it_known(tmp_path, call, monkeypatch):
    write(tmp_path, "plhb")
    for arguments in (
        ("check", "plhb"),
        ("show", "plhb.one"),
        ("tune", "plhb.one", "--rounds", "9"),
        ("list", "--paper", "plhb"),
    ):
        code, out, err = call(*arguments)
        assert (code, out) == (2, "") and "unknown paper 'plhb'" in err and "--papers FOLDER" in err
    monkeypatch.chdir(tmp_path)
    assert "--papers plhb makes" in call("check", "plhb")[2]
    assert "did you mean textbook.young" in call("show", "textbok.young")[2]


def test_no_option_that_overwrites_is_suggested_for_another(call):
    assert "--papers" in call("check", "--paper", "plhb")[2]
    for mistyped in ("--paths", "--up", "--papers-date"):
        assert "--update" not in call("check", mistyped)[2]
    assert "--update" in call("check", "--updat")[2]
