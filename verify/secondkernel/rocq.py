"""Run coqc on exported claims, and keep what it says of each text."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from rateproof.verify.stored.files import write_atomically
from rateproof.verify.stored.kept import folder

#: How to get it.
ABSENT = (
    "coqc, the compiler of Rocq (Coq), is not on PATH; on Debian: apt-get install coq, elsewhere: opam install coq. "
    "Nothing was checked by it"
)
#: Of one claim; the longest takes about four minutes on a core of its own.
SECONDS = 600.0
#: The library: what exported proofs use, why the rules hold that they take as hypotheses, and quadratic forms.
LIBRARIES = ("RateProof.v", "Exponents.v", "Functions.v", "Means.v", "Chances.v", "WorstCase.v")


@dataclass(frozen=True)
class Answer:
    """Whether coqc accepts a text, and if not, its first error."""

    accepted: bool
    why: str = ""


def library(name: str) -> str:
    """The text of a file of the library."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def write_library(where: Path) -> None:
    """Write the files of the library into a folder.

    Raises:
        OSError: they cannot be written.
    """
    where.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:
        (where / name).write_text(library(name), encoding="utf-8")


def file_name(name: str) -> str:
    """The name of the file of a claim or a method, without suffix: a word of Rocq."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


def found() -> str | None:
    """The path of coqc; None where there is none."""
    return shutil.which("coqc")


@cache
def version(coqc: str) -> str:
    """What coqc says of itself."""
    return subprocess.run([coqc, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout


@cache
def _library_digest(coqc: str) -> str:
    texts = (version(coqc), *map(library, LIBRARIES))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def digest(coqc: str, text: str) -> str:
    """Of a text, the library and the version of coqc."""
    return hashlib.sha256(f"{_library_digest(coqc)}\0{text}".encode()).hexdigest()[:32]


def compiled_library(coqc: str) -> Path:
    """The folder with the library, compiled once.

    Raises:
        RuntimeError: coqc refuses it.
    """
    place = folder() / "rocq" / f"library-{_library_digest(coqc)}"
    if not (place / "ready").exists():
        write_library(place)
        for name in LIBRARIES:
            done = _coqc(coqc, place, place / name, SECONDS)
            if not done.accepted:
                raise RuntimeError(f"coqc refuses {name}: {done.why}")
        (place / "ready").touch()
    return place


def checked(coqc: str, text: str, seconds: float = SECONDS) -> Answer:
    """What coqc says of a text; kept, so that the same text is compiled once."""
    place = folder() / "rocq" / digest(coqc, text)
    with suppress(OSError):
        said = place.read_text(encoding="utf-8")
        return Answer(said == "accepted", "" if said == "accepted" else said)
    lib = compiled_library(coqc)
    with tempfile.TemporaryDirectory() as where:
        file = Path(where) / "claim.v"
        file.write_text(text, encoding="utf-8")
        answer = _coqc(coqc, lib, file, seconds)
    if answer.accepted or "seconds" not in answer.why:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, "accepted" if answer.accepted else answer.why)
    return answer


def _coqc(coqc: str, lib: Path, file: Path, seconds: float) -> Answer:
    command = [coqc, "-q", "-w", "none", "-Q", str(lib), "RateProof", str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=file.parent, check=False)
    except subprocess.TimeoutExpired:
        return Answer(False, f"coqc was stopped after {seconds:g} seconds")
    if done.returncode == 0:
        axioms = _odd_axioms(done.stdout)
        return Answer(not axioms, f"it rests on {', '.join(axioms)}" if axioms else "")
    return Answer(False, " ".join(done.stderr.split())[-400:] or f"coqc ended with {done.returncode}")


#: The axioms of the real numbers of the standard library.
_USUAL = (
    *("ClassicalDedekindReals.", "FunctionalExtensionality.", "Classical_Prop.", "Raxioms.", "Eqdep."),
    "Rdefinitions.",
)


def _odd_axioms(said: str) -> list[str]:
    """Axioms, other than those of the real numbers, on which ``Print Assumptions`` says that a theorem rests."""
    names = [line.split(":")[0].strip() for line in said.splitlines() if line[:1].strip() and ":" in line]
    return [n for n in names if n not in ("Axioms", "Section Variables") and not n.startswith(_USUAL)]
