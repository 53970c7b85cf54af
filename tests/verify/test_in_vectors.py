"""The law that a setting is that of a run: it sees every error that is planted in the vectors of methods and lemmas."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.theory.gram import vectors
from rateproof.theory.papers.mefbo.lemma_d7 import PATH_Y
from rateproof.theory.papers.mefbo.one_round_free import NONNEGATIVE
from rateproof.theory.papers.strfedavg.local_steps import MEAN_DRIFT
from rateproof.theory.papers.strfedavg.one_round import ONE_ROUND
from rateproof.theory.proof import Mean, SampleMean, Setting
from rateproof.verify.form import on_a_line
from rateproof.verify.form.laws import setting_is_that_of_the_run, unlike_the_run
from rateproof.verify.form.local_steps import LocalSteps
from rateproof.verify.form.outcomes import InOutcomes, views
from rateproof.verify.form.parts import rounded, wave
from rateproof.verify.papers import mefbo, textbook
from rateproof.verify.papers.lemmas.vectors import estimated
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Point, Problem, Steps, Term, measured
from rateproof.verify.papers.mefbo.vectors import outcomes
from rateproof.verify.papers.strfedavg import instances
from rateproof.verify.papers.strfedavg import vectors as strfedavg
from rateproof.verify.papers.strfedavg.points import at_point
from rateproof.verify.papers.strfedavg.spaces.at_points import Three, at_three

Run = tuple[InOutcomes, dict[str, float]]


@cache
def a_round() -> Run:
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
    problem = Problem(clients, 0.2, None, Interval(0.5, None), Interval(None, 0.0))
    steps, start = Steps(2, 1, 2.0, 0.1, 0.2, 0.05, 0.05, 0.1, 0.15), Point(0.5, -0.25, -0.75)
    found = measured(problem, steps, start, c_next=2.0, L_2=2.0)
    return outcomes(problem, steps, start), {k: float(x) for k, x in found.items() if not isinstance(x, Fact | str)}


@cache
def of_family(claim: str, family: str, **told: Any) -> Run:
    """An instance of a record's family."""
    records = {r.claim.id: r for r in textbook.RECORDS}
    made = next(f for f in records[claim].families if f.name == family)
    params = made.read({name: r.corners[0] for name, r in made.ranges.items()} | told)
    return made.outcomes(**params), made.trial(params).values


def noisy_sgd() -> Run:
    """Two steps with mini-batches of two."""
    told = {"R": 2, "batch": 2, "gamma_l": "1/4", "L_h": 3, "c": 2, "x0": "3/2"}
    return of_family("textbook.sgd_quadratic", "SGD", **told)


def noisy_fedavg() -> Run:
    """Two clients that take two local steps in each of two rounds."""
    told = {"R": 2, "K": 2, "N": 2, "gamma_l": "1/4", "L_h": 3, "c": 2, "x0": "3/2"}
    return of_family("textbook.fedavg_identical", "FedAvg", **told)


def a_noisy_step() -> Run:
    """A step of SGD on a loss whose curvature changes."""
    f, x, gamma, sigma = wave(2.0), 0.5, 0.3, 0.7
    after = [f.value(x - gamma * (f.slope(x) + e)) for e in (sigma, -sigma)]
    told = {"L_1": 2.0, "gamma_1": gamma, "sigma2": sigma**2, "norm2_g": f.slope(x) ** 2}
    run = on_a_line.at_points({"x": x}, {"f": f}, past=("x",), noises={"e": ("xi", sigma)})
    return run, {**told, "f_x": f.value(x), "f_y": sum(after) / 2}


def an_estimator() -> Run:
    """Two samples whose gradients have nothing in common."""
    samples, u, x, y, rho, sigma = (rounded(0.5, 2.0), wave(1.0)), 0.5, 0.75, -0.25, 0.25, 0.7
    one, other = (h.slope(y) - h.slope(x) for h in samples)
    off = (one - other) / 2
    told = {"L_1": 1.0, "rho": rho, "sigma2": sigma**2, "before": u**2, "moved": (x - y) ** 2}
    errors = {"sarah": u**2 + off**2, "storm": ((1 - rho) * u) ** 2 + (rho * sigma + (1 - rho) * off) ** 2}
    return estimated(samples, u, x, y, sigma), {**told, **errors}


@cache
def a_round_of_strfedavg() -> Run:
    """Two clients that differ in both levels, with noise in both, of which one is drawn."""
    noises = {"noise_f": (0.0, 1.0), "noise_h": (0.5, 0.0)}
    instance = instances.Setting(
        params=instances.TWO, K=2, S=1, gamma_g=1.5, eta=0.7, start=(1.0, 2.0), cap="SC16h", **noises
    )
    return strfedavg.one_round(instance), instances.measure(instance).values


#: Claims, and runs that their settings should be those of.
RUNS: list[tuple[Claim, Callable[[], Run]]] = [
    *((catalog.get(f"mefbo.{name}"), a_round) for name in ("lemD.5.corrected", "lemD.6.corrected")),
    *((claim, a_round) for claim in (PATH_Y, NONNEGATIVE)),
    (catalog.get("textbook.sgd_quadratic"), noisy_sgd),
    (catalog.get("textbook.fedavg_identical"), noisy_fedavg),
    (catalog.get("lemmas.descent"), a_noisy_step),
    (catalog.get("lemmas.storm"), an_estimator),
    *((claim, a_round_of_strfedavg) for claim in (MEAN_DRIFT, ONE_ROUND)),
]


def is_found(claim: Claim, setting: Setting, run: Run) -> bool:
    seen, faults = views(setting, *run)
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


#: In this run noises do not know what was before, and solutions and minima are always the same.
FIXED = {
    *(f"depends: {name} without past" for name in ("x*", "sol", "x_f*", "x_h*", "n_f", "n_h")),
    *(f"depends: {name} without before" for name in ("n_f", "n_h")),
}
#: Of what nothing else in the setting is made, a gradient may be taken anywhere: it is the one there.
HARMLESS = {
    "mefbo.lemD.6.corrected": {f"another point: {at}" for at in ("f_i.z", "f_i.local", "g_i.local")},
    # nothing else is said of this mean: another one bears its name
    "mefbo.thmD.11.free.nonnegative": {"mean: ux of fxi"},
    # a vector that is said to depend on more than it does costs no more than a proof
    "mefbo.lemD.7.y": {
        *(
            "another point: f_i.z",
            "another point: g_i.local theta",
            "depends: nt without xi",
            "depends: e_f without zeta",
        ),
        *("depends: e_g without xi", "depends: e_t without xi"),
    },
    # these noises do not know the past, though the setting lets them
    "textbook.sgd_quadratic": {"depends: noise without past"},
    "lemmas.descent": {"depends: e without past"},
    "lemmas.storm": {"depends: e without past"},
    # nothing is made of the gradient at x; of a quadratic the mean of gradients is the gradient at the mean; what a
    # client has last is known at the end of a round, where it is the local iterate
    "textbook.fedavg_identical": {
        "depends: noise without past",
        "another point: h.x",
        "another point: h.y",
        "mean: x of last",
    },
    # the drift is the same where a noise has the other sign; what noise and gradients change together is not
    MEAN_DRIFT.id: {*FIXED, "sum: n with -n_f", "sum: n with -n_h"},
    ONE_ROUND.id: FIXED,
}


@pytest.mark.parametrize(("claim", "run"), RUNS, ids=[claim.id for claim, _ in RUNS])
def test_the_settings_are_those_of_the_run(claim, run):
    assert not is_found(claim, claim.setting, run())


PLANTED = [(claim, run, name, change) for claim, run in RUNS for name, change in planted(claim.setting)]


@pytest.mark.sweep(60)
@pytest.mark.parametrize(
    ("claim", "run", "name", "change"), PLANTED, ids=[f"{claim.id}: {name}" for claim, _, name, _ in PLANTED]
)
def test_a_planted_error_is_found(claim, run, name, change):
    try:
        wrong = replace(claim.setting, **change)
    except ValueError:
        return  # it contradicts itself
    assert is_found(claim, wrong, run()) is (name not in HARMLESS.get(claim.id, ()))


@pytest.mark.parametrize("lemma", [5, 6, 7])
def test_the_lemmas_of_strfedavg_speak_of_a_round_of_it(lemma):
    claim, cap = catalog.get(f"strfedavg.lem{lemma}.corrected"), "SC27h" if lemma == 6 else "SC16h"
    for instance in instances.corners(convex=lemma == 7, caps=(cap,))[::40]:
        with suppress(ValueError):  # more noises or clients than can be listed
            run, trial = strfedavg.one_round(instance), instances.measure(instance)
            assert list(unlike_the_run(claim, run, trial)) == []


def test_the_lemmas_of_strfedavg_speak_of_its_points():
    setting = instances.Setting(params=instances.TWO, eta=0.5)
    problem, spots = instances.build(setting), {"x": (1.0, -2.0), "y": (0.5, 3.0), "z": (-1.0, 0.25)}
    run = strfedavg.at_points(problem, setting.eta, **spots)
    assert list(unlike_the_run(catalog.get("strfedavg.lem4"), run, at_three(Three(setting, **spots)))) == []
    trial = at_point(setting, np.array(spots["x"]), "x")
    for name in ("lem1.corrected", "lem2.corrected"):
        assert list(unlike_the_run(catalog.get(f"strfedavg.{name}"), run, trial)) == []


def test_one_client_of_strfedavg_at_a_point():
    setting = instances.Setting(params=instances.ONE)
    run = strfedavg.at_points(instances.build(setting), setting.eta, x=(3.0, -2.0))
    trial = at_point(setting, np.array((3.0, -2.0)), "x")
    assert list(unlike_the_run(catalog.get("strfedavg.step.8.smoothness"), run, trial)) == []


def test_words_of_local_steps_are_those_of_the_setting():
    """Whatever it calls its noises, what came before a step, and all that belongs to the steps."""
    run = LocalSteps(2, 2, {"noise": 1.0}, {"drawn": [(0,), (1,)]})
    copies = {("noise", i, j) for i in range(2) for j in range(2)}
    depends = {"y": "start client step earlier", "e": "start client step noise"}
    whole = Setting(
        depends=depends,
        means={"e_mean": Mean("e", "step"), "M": SampleMean("e_mean", "client", "drawn")},
        sizes={"client": sp.Integer(2), "step": sp.Integer(2)},
        within={"earlier": "step", "noise": "step"},
        together={"step": "everything"},
        earlier=("earlier",),
    )
    knows = run.knows(whole)
    assert knows("noise", {"client": 1, "step": 0}) == {("noise", 1, 0)} and knows("drawn", {}) == {("drawn",)}
    assert knows("earlier", {"client": 1, "step": 1}) == {("noise", 1, 0)} and not knows("earlier", {"step": 0})
    assert knows("everything", {"client": 1}) == copies and knows("client", {"client": 0}) == {("client",)}
    one_step = run.knows(Setting(depends={"x": "past", "e": "past noise"}), 1)
    assert one_step("noise", {}) == {("noise", i, 1) for i in range(2)}
    assert one_step("past", {}) == {("past",), ("noise", 0, 0), ("noise", 1, 0)}


def test_too_many_or_no_outcomes_of_a_round_are_refused():
    with pytest.raises(ValueError, match="outcomes are not listed"):
        LocalSteps(10, 10, {"xi": 1.0})
    with pytest.raises(ValueError, match="too few clients"):
        LocalSteps(2, 1, {}, {"sample": []})
    assert LocalSteps(10, 10, {"xi": 0.0}).noise("xi", 3).any() == np.False_


def test_the_law_sees_it_in_a_record():
    """The drift of theta, four times as large, in a setting that Lemma D.6 rests on."""
    record = next(r for r in mefbo.RECORDS if r.claim.id == "mefbo.lemD.6.corrected")
    setting, D_theta = record.claim.setting, next(m for m in record.claim.setting.metrics if str(m) == "D_theta")
    wrong = replace(setting, metrics={**setting.metrics, D_theta: 4 * setting.metrics[D_theta]})
    bad = replace(record, claim=replace(record.claim, setting=wrong))
    assert next(setting_is_that_of_the_run(bad)).partition(": mefbo.lemD.6.corrected: ")[2].startswith("D_theta is ")
