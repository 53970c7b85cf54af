"""A small invented paper: its claims, its checks and a command line that knows it alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from rateproof.verify.checks import Result
from rateproof.verify.stored import baseline

CLAIMS = """
import sympy as sp
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Reason, Source, Switch
from rateproof.theory.symbols import K, eta, eta_hat

EQUAL = sp.Le(eta, 1, evaluate=False)


def claim(name, *, follows_from=(), **more):
    return Claim("fake." + name, Source("fake", "Lemma " + name, "7"), Kind.BOUND, "eta <= 1 as printed", EQUAL,
                 follows_from=follows_from, **more)


CLAIMS = (
    claim("good", hypotheses=(Hypothesis("K>=1", "K >= 1", sp.Ge(K, 1, evaluate=False)),), where={eta_hat: 2 * eta},
          switches=(Switch("norm", "R-1", "R", "the weights do not sum to one", {}, ("K>=1",),
                           (Hypothesis("closed", "X is closed"),)),)),
    claim("bad", note="damaged in print"),
    claim("top", follows_from=("fake.middle",)),
    claim("middle", follows_from=("fake.bad", "fake.good")),
    claim("raises"),
    claim("none"),
    claim("joint"),
    claim("joint.a"),
    claim("joint.b"),
    claim("joint.amended", reading=Reading.CORRECTED, amends="fake.joint", why=(Reason("it is wrong"),)),
)
"""

CHECKS = """
import json, os, time
from pathlib import Path
from rateproof.verify.evidence import Evidence, Finding, Level, Violated


def state():
    return json.loads(Path(os.environ["FAKE_STATE"]).read_text())


def evidence(name):
    now = state()
    time.sleep(now.get("sleep", {}).get(name, 0))
    if name in now.get("die", ()):
        os._exit(9)
    if name in now.get("fail", ()):
        raise RuntimeError("no\\nluck")
    finding = Finding(now.get(name, "holds"))
    ratio = float(now.get("ratio", {}).get(name, 0.5))
    level = Level.CERTIFICATE if finding is Finding.PROOF else Level(now.get("level", "exact"))
    shown = Violated("x = 1", 2.0, 1.0, 2.0, "eta <= 1", {"K>=1": "1 >= 1"}) if finding is Finding.VIOLATION else None
    hints = {name: [str(now.get("hint", 1))]} if finding is Finding.PROOF else {}
    yield Evidence(finding, level, "fake", f"seen {name}", worst_ratio=ratio, instances=3, witness="x = 1",
                   violated=shown, hints=hints)
    yield Evidence(Finding(now.get("other", "holds")), Level.EXACT, "fake", "", worst_ratio=0.25, reading="norm=R")


def check_for(name):
    return lambda claim, budget: evidence(name)


NAMES = ("good", "bad", "top", "middle", "raises", "joint.a", "joint.b", "joint.amended")
CHECKS = {"fake." + name: check_for(name) for name in NAMES}
"""

DRIVER = """
import sys
from pathlib import Path
import rateproof.theory.papers, rateproof.verify.papers

here = Path(__file__).parent
rateproof.theory.papers.__path__[:] = [str(here / "claims")]
rateproof.verify.papers.__path__[:] = [str(here / "checks")]

if __name__ == "__main__":
    from rateproof.verify.cli import main

    main()
"""


@dataclass
class FakePaper:
    """The folders of the invented paper; ``set`` says what its checks find."""

    root: Path

    @property
    def baseline(self) -> Path:
        return self.root / "checks" / "fake" / "baseline.jsonl"

    @property
    def proofs(self) -> Path:
        return self.root / "checks" / "fake" / "proofs.jsonl"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def ledger(self) -> Path:
        return self.home / "runs.sqlite"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "FAKE_STATE": str(self.root / "state.json"), "RATEPROOF_HOME": str(self.home)}

    def set(self, **state: object) -> None:
        default = {"bad": "violation", "middle": "proof", "fail": ["raises"], "joint.amended": "violation"}
        (self.root / "state.json").write_text(json.dumps({**default, **state}))

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, str(self.root / "driver.py"), *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The command line in a process of its own."""
        return subprocess.run(
            self.command(*arguments), env=self.environment, cwd=self.root, capture_output=True, text=True, timeout=60
        )


@pytest.fixture
def paper_files(tmp_path: Path) -> FakePaper:
    """The invented paper on disk, for subprocesses."""
    for room, text in (("claims", CLAIMS), ("checks", CHECKS)):
        folder = tmp_path / room / "fake"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
    (tmp_path / "driver.py").write_text(DRIVER)
    fake = FakePaper(tmp_path)
    fake.set()
    return fake


@pytest.fixture(scope="session")
def committed() -> Callable[[str, Collection[str]], dict[str, Result]]:
    """What the baseline of a paper has of some claims, without the paper in their ids; checks are compared with it."""

    def read(paper: str, items: Collection[str]) -> dict[str, Result]:
        found = {i.removeprefix(f"{paper}."): entry.result for i, entry in baseline.read(paper).items()}
        return {i: found[i] for i in items}

    return read


@pytest.fixture
def fake(paper_files: FakePaper, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePaper]:
    """The invented paper as the only one of this process; the current directory is its folder."""
    import rateproof.theory.papers
    import rateproof.verify.papers
    from rateproof.theory import catalog
    from rateproof.verify.stored import sources

    def forget() -> None:
        for name in ("rateproof.theory.papers.fake", "rateproof.verify.papers.fake"):
            sys.modules.pop(name, None)
        catalog.claims.cache_clear()
        sources.hashed.cache_clear()

    monkeypatch.setattr(rateproof.theory.papers, "__path__", [str(paper_files.root / "claims")])
    monkeypatch.setattr(rateproof.verify.papers, "__path__", [str(paper_files.root / "checks")])
    monkeypatch.setenv("FAKE_STATE", paper_files.environment["FAKE_STATE"])
    monkeypatch.setenv("RATEPROOF_HOME", str(paper_files.home))
    monkeypatch.chdir(paper_files.root)
    forget()
    yield paper_files
    forget()


@pytest.fixture
def real(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process, with the papers that there are: (exit code, stdout, stderr)."""

    from rateproof.verify import cli

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.execute(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def tuned(real: Callable[..., tuple[int, str, str]]) -> Callable[..., tuple[int, str, str]]:
    """Run ``rateproof tune`` in this process: (exit code, stdout, stderr)."""
    return partial(real, "tune")


@pytest.fixture
def refused(real: Callable[..., tuple[int, str, str]]) -> Callable[..., None]:
    """Run the command line in this process on bad input: one line says what would be right, in some words."""

    def run(*arguments: str, words: Iterable[str]) -> None:
        code, out, err = real(*arguments)
        assert (code, out) == (2, ""), err
        assert err.startswith("rateproof: ") and err.count("\n") == 1
        assert all(word in err for word in words), err

    return run


@pytest.fixture
def call(fake: FakePaper, real: Callable[..., tuple[int, str, str]]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process, where the fake paper is the only one."""
    return real
