"""The lemmas that CONTRIBUTING.md works through: the blocks run, the proofs are proofs, and false copies have none."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rateproof.theory.proof import Stopped, check
from rateproof.theory.shorthand import le
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Finding
from rateproof.verify.form.laws import setting_is_that_of_the_run, unlike_the_run
from rateproof.verify.form.local_steps import LocalSteps
from rateproof.verify.form.on_a_line import of_loss
from rateproof.verify.form.outcomes import COORDINATE
from rateproof.verify.form.parts import wave
from rateproof.verify.trial import Trial

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


def with_setting(claim, **changes):
    return replace(claim, setting=replace(claim.setting, **changes))


def test_its_model_is_that_of_the_run(lemma):
    assert list(setting_is_that_of_the_run(lemma["RECORD"])) == []


@pytest.mark.parametrize("metric", ["dist2", "next2"])
def test_a_metric_tripled_in_the_model_is_found(lemma, metric):
    claim, symbol = lemma["LEMMA1"], lemma[metric]
    metrics = claim.setting.metrics
    wrong = with_setting(claim, metrics={**metrics, symbol: 3 * metrics[symbol]})
    found = list(setting_is_that_of_the_run(replace(lemma["RECORD"], claim=wrong)))
    assert found and all(f"mypaper.lem1: {metric} is " in why for why in found[:1])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"metrics": lambda n: n["norm2"](n["x"] - n["gamma"] * n["g"] - n["xs"])}, "next2 is "),
        ({"depends": {"x": "", "x*": "", "e": "past xi"}}, "x depends on past"),
        ({"depends": {"x": "past", "x*": "", "e": "past"}}, "e depends on xi"),
    ],
    ids=["no noise in the step", "the start fixed", "the noise known"],
)
def test_another_error_in_the_model_is_found(lemma, changes, why):
    claim = lemma["LEMMA1"]
    if "metrics" in changes:
        changes = {"metrics": {**claim.setting.metrics, lemma["next2"]: changes["metrics"](lemma)}}
    wrong = with_setting(claim, **changes)
    assert any(why in found for found in setting_is_that_of_the_run(replace(lemma["RECORD"], claim=wrong)))


# --- K local steps, by induction


@pytest.fixture(scope="module")
def steps(lemma):
    """Three steps on a function whose curvature changes: the run in vectors, and what is measured in it."""
    f, gamma, sigma, count = wave(2.0), 0.3, 0.7, 3
    run, at = LocalSteps(1, count, {"xi": sigma}), of_loss(f)
    x, made, far = run.past(0.5), [], []
    for j in range(count + 1):
        far.append(run.mean(x**2, *[axis for axis in run.chances if axis != COORDINATE]).item())
        made.append({"x": x, "e": run.noise("xi", min(j, count - 1))})
        x = x - gamma * (at(x)[0] + made[-1]["e"])
    made[-1].pop("e")
    numbers = {"gamma": gamma, "L": 2.0, "sigma2": sigma**2, "K": count, "first2": far[0], "last2": far[-1]}
    zero = run.along(COORDINATE, [0.0])
    return run.outcomes({"f": at}, {"x*": zero}, made, lemma["k"]), Trial("three steps", numbers, {})


def test_steps_are_proved_by_induction(lemma):
    found = proved(lemma["LEMMA2"])
    assert [line.name for line in found.lines][-4:] == ["one step", "all steps", "the last step", "the statement"]
    assert not found.words


def test_false_copies_of_the_steps_have_no_proof(lemma):
    first2, last2, K, gamma, sigma2 = (lemma[name] for name in ("first2", "last2", "K", "gamma", "sigma2"))
    for right in (first2, first2 + (K - 1) * gamma**2 * sigma2, first2 + K * gamma**2 * sigma2 / 2):
        with pytest.raises(Stopped):
            proved(replace(lemma["LEMMA2"], statement=le(last2, right)))
    with pytest.raises(Stopped, match="gamma may change with k"):
        proved(with_setting(lemma["LEMMA2"], fixed=(first2,)))


def test_the_steps_are_those_of_a_run(lemma, steps):
    assert list(unlike_the_run(lemma["LEMMA2"], *steps)) == []


def test_errors_in_the_steps_are_found(lemma, steps):
    far, k, K, metrics = lemma["far"], lemma["k"], lemma["K"], lemma["LEMMA2"].setting.metrics
    for term in (far(k), far(k + 1), lemma["first2"], lemma["last2"]):
        wrong = with_setting(lemma["LEMMA2"], metrics={**metrics, term: 3 * metrics[term]})
        assert list(unlike_the_run(wrong, *steps)), term
    silent = lemma["norm2"](lemma["x"] - lemma["gamma"] * lemma["g"] - lemma["xs"])
    for changes in ({lemma["last2"]: far(K - 1)}, {far(k + 1): silent}):
        wrong = with_setting(lemma["LEMMA2"], metrics={**metrics, **changes})
        assert list(unlike_the_run(wrong, *steps)), changes


# --- citing it


def test_a_lemma_is_cited_at_other_points(lemma):
    assert not proved(lemma["LEMMA3"]).words


@pytest.mark.parametrize("key", ["convex", "variance", "step", "convex_h", "solution_h", "noise_h", "step_h"])
def test_each_hypothesis_of_the_citation_is_needed(lemma, key):
    claim = lemma["LEMMA3"]
    with pytest.raises(Stopped):
        proved(replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key)))


def test_less_noise_than_both_steps_have_is_not_proved(lemma):
    sides = lemma["LEMMA3"].statement.args
    with pytest.raises(Stopped):
        proved(replace(lemma["LEMMA3"], statement=le(sides[0], sides[1] - lemma["gamma"] ** 2 * lemma["sigma2"])))
