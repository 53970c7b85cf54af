"""Every rule of a proof says why it holds, and what it points to is shown in the library."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rateproof.theory.proof.rules import RULES
from rateproof.verify.secondkernel.reasons import LIBRARY, REASONS, theorems


def test_every_rule_has_a_reason():
    assert list(REASONS) == list(RULES)


def test_what_a_reason_points_to_is_shown():
    assert {name for reason in REASONS.values() for name in reason.theorems} <= theorems()


def test_nothing_is_admitted():
    for file in LIBRARY.parent.glob("*.v"):
        text = file.read_text(encoding="utf-8")
        assert not [word for word in ("Admitted", "admit.", "Axiom", "Parameter ") if word in text], file.name


@pytest.mark.skipif(shutil.which("coqc") is None, reason="needs coqc (Debian: apt-get install coq)")
def test_the_library_is_accepted_and_rests_on_the_real_numbers_alone(tmp_path: Path):
    for name in ("RateProof.v", "Rules.v"):
        (tmp_path / name).write_text(LIBRARY.with_name(name).read_text(encoding="utf-8"), encoding="utf-8")
        subprocess.run(["coqc", "-Q", ".", "RateProof", name], cwd=tmp_path, check=True)
    shown = sorted({name for reason in REASONS.values() for name in reason.theorems})
    ask = "From RateProof Require Import Rules.\n" + "".join(f"Print Assumptions {name}.\n" for name in shown)
    (tmp_path / "Ask.v").write_text(ask, encoding="utf-8")
    said = subprocess.run(
        ["coqc", "-Q", ".", "RateProof", "Ask.v"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    axioms = {line.split(" :")[0] for line in said.splitlines() if line[:1].isalpha() and line != "Axioms:"}
    # what the standard library takes for its real numbers and their analysis
    assumed = {"ClassicalDedekindReals", "FunctionalExtensionality", "Classical_Prop"}
    assert {name.split(".")[0] for name in axioms} <= assumed, axioms


@pytest.mark.skipif(shutil.which("coqc") is None, reason="needs coqc (Debian: apt-get install coq)")
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("norm2 (vsub (g x) (g y)) <= 2 * L * (f x", "norm2 (vsub (g x) (g y)) <= L * (f x"),
        ("(INR N - INR n) * (/ INR N * sum l", "(INR N - INR n - 1) * (/ INR N * sum l"),
        ("Projection C P -> C p -> dot", "Projection C P -> dot"),
    ],
    ids=["a constant", "a sample", "a dropped condition"],
)
def test_a_planted_error_is_refused(tmp_path: Path, right: str, wrong: str):
    library, text = LIBRARY.with_name("RateProof.v"), LIBRARY.read_text(encoding="utf-8")
    assert right in text
    (tmp_path / "RateProof.v").write_text(library.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "Rules.v").write_text(text.replace(right, wrong, 1), encoding="utf-8")
    subprocess.run(["coqc", "-Q", ".", "RateProof", "RateProof.v"], cwd=tmp_path, check=True)
    refused = subprocess.run(["coqc", "-Q", ".", "RateProof", "Rules.v"], cwd=tmp_path, capture_output=True)
    assert refused.returncode != 0
