"""The lemma that CONTRIBUTING.md works through: its blocks run, its proof is one, and false copies of it have none."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rateproof.theory.proof import Stopped, check
from rateproof.theory.shorthand import le
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Finding

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def lemma():
    section = TEXT.split("## One lemma, worked through")[1].split("\n## ")[0]
    names = {}
    for block in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    return names


def proved(claim):
    return check(claim, claim.proof, lambda _: None)


def test_it_is_proved_and_attained(lemma):
    found = proved(lemma["LEMMA1"])
    assert [line.name for line in found.lines] == ["downhill", "the statement"] and not found.words
    (evidence,) = lemma["RECORD"].check(lemma["LEMMA1"], Budget())
    assert evidence.finding is Finding.HOLDS and evidence.worst_ratio == 1


def test_what_it_says_of_a_false_print(lemma):
    claim, gamma = lemma["LEMMA1"], lemma["gamma"]
    false = replace(claim, statement=le(lemma["next2"], lemma["dist2"] + gamma**2 * lemma["sigma2"] / 2))
    with pytest.raises(Stopped):
        proved(false)
    from rateproof.verify.form import example, record

    shown = example(lemma["parabolas"], left="1", right="1/2", by_hand="as it says", gamma=1, start=0)
    replayed = record(false, families=[lemma["parabolas"]], refuted_by=shown).counterexample.replayed()
    assert (float(replayed.left), float(replayed.right)) == (1, 0.5)


def test_unlike_units_raise_a_suspicion(lemma):
    claim, gamma = lemma["LEMMA1"], lemma["gamma"]
    unlike = replace(claim, statement=le(lemma["next2"], lemma["dist2"] + 2 * gamma * lemma["sigma2"]))
    holds, suspicion = lemma["RECORD"].check(unlike, Budget())
    assert holds.finding is Finding.HOLDS and suspicion.finding is Finding.INCONCLUSIVE
    assert "it adds unlike units (statement: dist2" in suspicion.detail and "would be" in suspicion.detail


@pytest.mark.parametrize("key", ["convex", "smooth", "solution", "unbiased", "variance", "step"])
def test_each_hypothesis_is_needed(lemma, key):
    claim = lemma["LEMMA1"]
    with pytest.raises(Stopped):
        proved(replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key)))
