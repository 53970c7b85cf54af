"""The experiments of mefbo: printed tables, seats, recorded runs, and what may be said from repetitions."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.noise import Streams
from rateproof.algos.problems.repetitions import Seated
from rateproof.theory import catalog
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.evidence import verdict
from rateproof.verify.papers.mefbo import experiments
from rateproof.verify.papers.mefbo.experiments import learning, tables
from rateproof.verify.papers.mefbo.experiments.learning import SCALES, WEIGHTED, Cell, Course

SMALL = replace(SCALES["digits"], m=10, P=3, hidden=4, rounds=20, repetitions=2)
REPRESENTATION = Cell(task="representation")


def test_tables_as_printed():
    assert tables.TABLE2["FedNest", "iid", 600] == ("88.53", "0.26")
    assert tables.TABLE2["MeFBO", "skewed", 1500] == ("97.09", "0.06")
    assert len(tables.TABLE2) == 24 and len(tables.STEPS) == 84
    assert tables.STEPS["loss", "0.07", "SimFBO"] == ("0.27", "0.15", "0.05")
    assert tables.steps("cleaning", "MeFBO") == ("0.1", "0.05", "0.03")
    # Table 5 and the words of Appendix B.3 differ at rc = 0
    assert tables.steps("cleaning", "MeFBO", rc="0") == ("0.12", "0.07", "0.03")


def test_theta_leaves_y_by_the_growth_of_every_listed_setting():
    """One round of the method itself, from a theta so far from y that gradients do not count."""
    problem = learning.problem(Cell(task="representation", rc="0"), SMALL, 0)
    for _, (x, y, theta), penalty in tables.listed():
        steps = {"lambda_x": float(x), "lambda_y": float(y), "lambda_theta": float(theta)}
        method = learning.MeFBO(gamma=float(penalty.gamma), c0=float(penalty.c0), p=float(penalty.p), P=3, **steps)
        rng = Streams(0, 0, 1)
        state = method.init(problem, problem.x0[None], rng)
        apart = 1e9 * np.ones_like(state.theta)
        after = method.round(problem, replace(state, theta=state.theta + apart), rng)
        growth = 1 + (float(y) - float(theta)) / float(penalty.gamma)
        np.testing.assert_allclose((after.theta - problem.split(after.z)[1]) / apart, growth, rtol=1e-6)


@pytest.mark.parametrize("task", ["representation", "loss", "cleaning"])
def test_a_seat_draws_rows_of_one_client_of_its_own_repetition(task):
    scale = replace(SMALL, imbalance=3.0)
    repetitions = [learning.problem(Cell(task=task, split="skewed"), scale, seed) for seed in range(3)]
    seats = Seated(repetitions, P=3)
    rng, rows = Streams(0, 0, 3), np.arange(3)
    taken = []
    for seat in range(3):
        (sample,) = seats.draw(rng, 7, seat, 1, rows)
        who = []
        for run, one in enumerate(repetitions):
            for drawn, level, pool in (
                (sample.xi, one.upper, seats.pool.upper),
                (sample.zeta, one.lower, seats.pool.lower),
            ):
                D = pool[0].D[drawn[run]]
                owners = [i for i, own in enumerate(level) if all((row == own.D).all(axis=1).any() for row in D)]
                assert len(owners) == 1
                who += owners
        assert who[::2] == who[1::2]  # one client for both levels
        taken.append(who[::2])
    assert all(len(set(column)) == 3 for column in zip(*taken, strict=True))  # nobody sits twice


def test_seats_give_the_means_of_a_run_by_run_loop():
    """One client with all rows and huge batches: the round of every repetition is nearly that with exact gradients."""
    scale = replace(SMALL, m=1, P=1)
    cell = Cell(task="loss")
    repetitions = [learning.problem(cell, scale, seed) for seed in range(2)]
    seats = Seated(repetitions, P=1)
    method = learning.method(WEIGHTED, cell, scale)
    seats.noise = replace(seats.noise, batch_size=5_000)
    found = engine.run(method, seats, seats.start(), R=1, runs=2, chunk=2, metrics={}).x_last
    for seed, one in enumerate(repetitions):
        one.noise = learning.MiniBatch(5_000)
        want = engine.run(method, one, one.start(seed), R=1, metrics={}).x_last[0]
        start = one.start(seed)
        np.testing.assert_allclose(found[seed] - start, want - start, atol=0.2 * abs(want - start).max())


@pytest.mark.parametrize("name", ["MeFBO", WEIGHTED, "FedNest"])
def test_recorded_runs_are_what_the_command_gives(name):
    """The first tenth of a recorded run, run again."""
    scale = replace(SCALES["digits"], rounds=SCALES["digits"].rounds // learning.RECORDS)
    with np.errstate(over="ignore", invalid="ignore"):
        again = learning.run(name, REPRESENTATION, scale)
    kept = learning.recorded()[learning.key("digits", REPRESENTATION, name)]
    assert again.rounds[-1] == kept.rounds[1]
    np.testing.assert_allclose(again.accuracy[:, -1], kept.accuracy[:, 1], atol=0.005)


def synthetic(monkeypatch, leads):
    """Recorded runs in which MeFBO is ahead of every rival by some numbers, one a repetition."""

    def course(accuracy):
        flat = np.repeat(np.asarray(accuracy)[:, None], 11, axis=1)
        return Course(np.linspace(0, 300, 11), flat, 1 - flat, dict.fromkeys(CALLS, 300))

    base = 0.7 + 0.01 * np.arange(len(leads))
    courses = {
        learning.key("digits", cell, name): course(base + (leads if name in ("MeFBO", WEIGHTED) else 0))
        for cell in (*learning.MAIN, *learning.SWEEPS)
        for name in learning.PRINTED
    }
    monkeypatch.setattr(experiments, "_recorded", lambda: courses)


CALLS = ("floats_down", "floats_up", "vectors_down", "vectors_up", "grad_f", "grad_h", "products")
AHEAD = 0.1 + 0.001 * np.arange(10)
NOISE = np.array([0.1, -0.1] * 5)


@pytest.mark.parametrize(("leads", "said"), [(AHEAD, "supported"), (-AHEAD, "refuted"), (NOISE, "undecided")])
@pytest.mark.parametrize("number", [11, 14])
def test_a_sentence_is_decided_by_its_differences(monkeypatch, number, leads, said):
    synthetic(monkeypatch, leads)
    found = check_claim(catalog.get(f"mefbo.exp-{number}"), Budget())
    assert found.verdict == "undecided" and "images" in found.detail
    assert {reading["verdict"] for reading in found.readings.values()} == {said}


def test_what_says_may_asserts_nothing(monkeypatch):
    synthetic(monkeypatch, -AHEAD)
    found = check_claim(catalog.get("mefbo.exp-10"), Budget())
    assert found.verdict == "vacuous" and "differences significantly positive" in found.detail
    assert {reading["verdict"] for reading in found.readings.values()} == {"undecided"}


def test_a_slight_lead_refutes_and_confirms_nothing_at_once(monkeypatch):
    """Behind by five standard errors: enough to doubt a sentence, not to refute it."""
    samples = -0.01 + 0.00632 * NOISE / 0.1
    synthetic(monkeypatch, samples)
    claim = catalog.get("mefbo.exp-14")
    (other,) = {verdict(list(experiments.FIGURES[13].check(claim.read(s), Budget()))) for s in claim.switches}
    assert other == "undecided"


def test_steadiness_of_methods_that_guess_says_nothing(monkeypatch):
    synthetic(monkeypatch, np.full(10, -0.7))
    found = check_claim(catalog.get("mefbo.exp-2"), Budget())
    assert "learns" in found.detail and {r["verdict"] for r in found.readings.values()} == {"undecided"}


def test_an_interrupted_command_keeps_what_it_has(monkeypatch, tmp_path, capsys):
    out = tmp_path / "runs.jsonl"
    small = replace(SMALL, repetitions=2, rounds=10)
    monkeypatch.setitem(learning.SCALES, "digits", small)
    real, asked = learning.run, []

    def run(name, *rest):
        asked.append(name)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(name, *rest)

    monkeypatch.setattr(learning, "run", run)
    arguments = ["--only", "representation, iid, rc = 0.05; ", "--part", "main", "--out", str(out)]
    assert learning.main(arguments) == 130
    first = out.read_text(encoding="utf-8")
    assert len(first.splitlines()) == 1 and "interrupted" in capsys.readouterr().err
    assert learning.main(arguments) == 0
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] + "\n" == first and len(lines) == len(learning.PRINTED) == len(asked) - 1
    assert [json.loads(line)["key"].rpartition("; ")[2] for line in lines] == list(learning.PRINTED)
    assert f"1/{len(lines) - 1} digits; representation" in (said := capsys.readouterr().out) and "accuracy 0." in said
    assert learning.main(arguments) == 0 and "nothing to run" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        learning.main([*arguments, "--repetitions", "3"])
    assert "with 2 repetitions, not 3; name another file" in capsys.readouterr().err
    for damage in (b"{", b"\xff", json.dumps({**json.loads(first), "rounds": [0]}).encode()):
        out.write_bytes(first.encode() + damage)
        with pytest.raises(ValueError, match="line 2 is no course; delete it"):
            learning.recorded(out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "nothing like it"], "nothing has 'nothing like it' in its name; --list shows the names"),
        (["--repetitions", "0"], "--repetitions is 0; it should be at least 1"),
        (["--out", "nowhere/runs.jsonl"], "there is no folder nowhere; create it first"),
    ],
)
def test_bad_input_gets_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit):
        learning.main(arguments)
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_unknown_methods_and_too_many_seats_are_refused():
    with pytest.raises(ValueError, match="there is no method 'SGD'; there are MeFBO"):
        learning.method("SGD", REPRESENTATION, SMALL)
    with pytest.raises(ValueError, match="P is 11; it should be at most 10"):
        Seated([learning.problem(REPRESENTATION, SMALL, 0)], P=11)
