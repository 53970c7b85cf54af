"""What the README shows must run and be true."""

import re
from collections import Counter
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def example(uses: str) -> str:
    """The one Python example that imports from a module."""
    (code,) = (
        c for c in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL) if uses in c
    )
    return code


def test_the_proof_example_prints_what_it_says(capsys):
    exec(compile(example("rateproof.theory.gram"), str(README), "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["5/4 Refuted", "3/4 Proved"]


def test_the_worst_case_example_prints_what_it_says(capsys):
    exec(compile(example("rateproof.verify.worstcase"), str(README), "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["True 0.050933"]


def test_python_example_prints_what_it_says(capsys):
    exec(compile(example("rateproof.verify.trial"), str(README), "exec"), {})
    finding, ratio, instances = capsys.readouterr().out.split()
    assert finding == "holds"
    assert float(ratio) == pytest.approx(0.999999)
    assert instances == "16"


def test_counts_match_the_baseline():
    from rateproof.theory import catalog
    from rateproof.verify.evidence import strengths
    from rateproof.verify.stored import baseline

    entries = [e for paper in catalog.papers() for e in baseline.read(paper).values()]
    verdicts = [str(e.result.verdict) for e in entries]
    (line,) = re.findall(r"^ +(\d+ claims: .*)$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    shown = {name: int(count) for count, name in re.findall(r"(\d+) ([a-z]+)[,;]", line)}
    assert int(line.split()[0]) == len(entries)
    for name in ("proved", "supported", "refuted", "inconsistent", "vacuous", "undecided", "unchecked"):
        assert shown[name] == verdicts.count(name), name
    broken = sum(bool(e.result.proof_broken_by) for e in entries)
    assert f"{broken} with a broken proof" in line
    text = README.read_text("utf-8")
    proved = [e.result for e in entries if str(e.result.verdict) == "proved"]
    assert strengths((r.level, bool(r.untried)) for r in proved) in text
    for title, among in (
        ("read kindly", [e.result.kindly for e in entries]),
        ("severity of the broken", grave(entries)),
    ):
        (line,) = re.findall(rf"^ +{title}: (.*)$", text, flags=re.MULTILINE)
        assert {name: int(count) for count, name in re.findall(r"(\d+) ([a-z]+)", line)} == Counter(map(str, among)), (
            title
        )


def grave(entries):
    return [e.result.severity for e in entries if e.result.severity]
