"""The law that a setting is that of a run: it sees every error that is planted in the vectors of a round of MeFBO."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.theory.gram import vectors
from rateproof.theory.papers.mefbo.lemma_d7 import PATH_Y
from rateproof.theory.papers.mefbo.one_round_free import NONNEGATIVE
from rateproof.theory.proof import Setting
from rateproof.verify.form.laws import setting_is_that_of_the_run
from rateproof.verify.form.outcomes import InOutcomes, views
from rateproof.verify.form.parts import rounded, wave
from rateproof.verify.papers import mefbo
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Point, Problem, Steps, Term, measured
from rateproof.verify.papers.mefbo.vectors import outcomes

CLAIMS = [*(catalog.get(f"mefbo.{name}") for name in ("lemD.5.corrected", "lemD.6.corrected")), PATH_Y, NONNEGATIVE]


@cache
def a_round() -> tuple[InOutcomes, dict[str, float]]:
    """Two clients that have nothing in common, and noises that depend on where they are."""
    clients = (
        Client(
            0.75,
            Level((Term(rounded(0.5, 2.0), 1.0, 0.5, 0.25), Term(wave(0.5), -0.5, 1.0, 1.0))),
            Level((Term(rounded(0.75, 1.0), -0.5, 1.0, 0.5),)),
            Level((Term(wave(0.5), 1.0, -0.5, 0.5),)),
            Level((Term(wave(0.25), 0.5, 1.0, 1.0),)),
        ),
        Client(
            0.25,
            Level((Term(rounded(1.0, 1.0), 0.25, -1.0, 1.0),)),
            Level((Term(wave(0.5), 1.0, 0.5, -0.25),)),
            Level((Term(wave(1.0), 0.5, 0.25, -0.5),)),
            Level((Term(wave(0.5), -1.0, 0.5, 0.25),)),
        ),
    )
    problem = Problem(clients, 0.2, None, Interval(0.4, None), Interval(None, 0.1))
    steps, start = Steps(2, 1, 2.0, 0.1, 0.2, 0.3, 0.05, 0.1, 0.15), Point(0.5, -0.25, -0.75)
    found = measured(problem, steps, start, c_next=2.0, L_2=2.0)
    return outcomes(problem, steps, start), {k: float(x) for k, x in found.items() if not isinstance(x, Fact | str)}


def is_found(claim: Claim, setting: Setting) -> bool:
    seen, faults = views(setting, *a_round())
    return bool(faults) or any(True for one in seen for _ in one.failing(claim))


def planted(setting: Setting) -> Iterator[tuple[str, dict[str, Any]]]:
    """Errors of every kind, at every place: what changes in the setting."""
    s = setting
    for metric, form in s.metrics.items():
        yield f"metric: {metric} times 4", {"metrics": {**s.metrics, metric: 4 * form}}
    for name, on in s.depends.items():
        for word in on.split():
            less = " ".join(w for w in on.split() if w != word)
            yield f"depends: {name} without {word}", {"depends": {**s.depends, name: less}}
    for name, block in s.blocks.items():
        yield f"block: {name}", {"blocks": {**s.blocks, name: next(b for b in s.blocks.values() if b != block)}}
    for name, how in s.means.items():
        other = next(n for n in (*s.depends, "") if n == "" or (n != how.of and s.on(n) == s.on(how.of)))
        if other:
            yield f"mean: {name} of {other}", {"means": {**s.means, name: replace(how, of=other)}}
    for name, total in s.sums.items():
        for n, c in total.terms:
            yield f"sum: {name} with -{n}", {"sums": {**s.sums, name: total - vectors(n)[0] * (2 * c)}}
    for of, known in s.functions.items():
        for point, (x, image, *value) in known.items():
            elsewhere = next((at[0] for at in known.values() if at[0] != x), None)
            changed = {} if elsewhere is None else {"another point": (elsewhere, image, *value)}
            if image is not None and image != x and image.terms:
                changed["half an image"] = (x, image * sp.Rational(1, 2), *value)
            for what, at in changed.items():
                yield f"{what}: {of}.{point}", {"functions": {**s.functions, of: {**known, point: at}}}


#: Of what nothing else in the setting is made, a gradient may be taken anywhere: it is the one there.
HARMLESS = {
    "mefbo.lemD.6.corrected": {"another point: f_i.local", "another point: g_i.local"},
    # a vector that is said to depend on more than it does costs no more than a proof
    "mefbo.lemD.7.y": {
        *("another point: g_i.local theta", "depends: nt without xi", "depends: e_f without zeta"),
        *("depends: e_g without xi", "depends: e_t without xi"),
    },
}


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.id for claim in CLAIMS])
def test_the_settings_are_those_of_the_run(claim):
    assert not is_found(claim, claim.setting)


PLANTED = [(claim, name, change) for claim in CLAIMS for name, change in planted(claim.setting)]


@pytest.mark.sweep(60)
@pytest.mark.parametrize(
    ("claim", "name", "change"), PLANTED, ids=[f"{claim.id}: {name}" for claim, name, _ in PLANTED]
)
def test_a_planted_error_is_found(claim, name, change):
    try:
        wrong = replace(claim.setting, **change)
    except ValueError:
        return  # it contradicts itself
    assert is_found(claim, wrong) is (name not in HARMLESS.get(claim.id, ()))


def test_the_law_sees_it_in_a_record():
    """The drift of theta, four times as large, in a setting that Lemma D.6 rests on."""
    record = next(r for r in mefbo.RECORDS if r.claim.id == "mefbo.lemD.6.corrected")
    setting, D_theta = record.claim.setting, next(m for m in record.claim.setting.metrics if str(m) == "D_theta")
    wrong = replace(setting, metrics={**setting.metrics, D_theta: 4 * setting.metrics[D_theta]})
    bad = replace(record, claim=replace(record.claim, setting=wrong))
    assert next(setting_is_that_of_the_run(bad)).partition(": mefbo.lemD.6.corrected: ")[2].startswith("D_theta is ")
