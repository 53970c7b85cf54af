"""Every rule of a proof says why it holds, and what it points to is shown in the library."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rateproof.theory.proof.rules import RULES
from rateproof.verify.secondkernel.reasons import LIBRARY, REASONS, theorems

FILES = (LIBRARY[0].with_name("RateProof.v"), *LIBRARY)
needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="needs coqc (Debian: apt-get install coq)")


def test_every_rule_has_a_reason():
    assert list(REASONS) == list(RULES)


def test_what_a_reason_points_to_is_shown():
    assert {name for reason in REASONS.values() for name in reason.theorems} <= theorems()


def test_nothing_is_admitted():
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert not [word for word in ("Admitted", "admit.", "Axiom", "Parameter ") if word in text], file.name


def accepted(folder: Path, upto: str, **changed: str) -> bool:
    """Whether coqc takes the library up to one of its files, with what is changed in it."""
    for file in FILES:
        text = changed.get(file.stem, file.read_text(encoding="utf-8"))
        (folder / file.name).write_text(text, encoding="utf-8")
        answer = subprocess.run(["coqc", "-Q", ".", "RateProof", file.name], cwd=folder, capture_output=True)
        if answer.returncode != 0 or file.stem == upto:
            return answer.returncode == 0
    raise AssertionError(upto)


@needs_coqc
def test_the_library_is_accepted_and_rests_on_the_real_numbers_alone(tmp_path: Path):
    assert accepted(tmp_path, FILES[-1].stem)
    shown = sorted({name for reason in REASONS.values() for name in reason.theorems})
    ask = "From RateProof Require Import Chances.\n" + "".join(f"Print Assumptions {name}.\n" for name in shown)
    (tmp_path / "Ask.v").write_text(ask, encoding="utf-8")
    said = subprocess.run(
        ["coqc", "-Q", ".", "RateProof", "Ask.v"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    axioms = {line.split(" :")[0] for line in said.splitlines() if line[:1].isalpha() and line != "Axioms:"}
    # what the standard library takes for its real numbers and their analysis
    assumed = {"ClassicalDedekindReals", "FunctionalExtensionality", "Classical_Prop"}
    assert {name.split(".")[0] for name in axioms} <= assumed, axioms


@needs_coqc
@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("Functions", "norm2 (vsub (g x) (g y)) <= 2 * L * (f x", "norm2 (vsub (g x) (g y)) <= L * (f x"),
        ("Functions", "Projection C P -> C p -> dot", "Projection C P -> dot"),
        ("Means", "(INR N - INR n) * (/ INR N * sum l", "(INR N - INR n - 1) * (/ INR N * sum l"),
        ("Chances", "exp (c * c * (w * w) / 8)", "exp (c * c * (w * w) / 9)"),
    ],
    ids=["a constant", "a dropped condition", "a count", "an exponent"],
)
def test_a_planted_error_is_refused(tmp_path: Path, file: str, right: str, wrong: str):
    text = next(f for f in FILES if f.stem == file).read_text(encoding="utf-8")
    assert right in text
    assert not accepted(tmp_path, file, **{file: text.replace(right, wrong, 1)})
