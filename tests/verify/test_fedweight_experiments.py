"""Experiments of fedweight: the table as printed, and runs on fewer images."""

from fractions import Fraction

import numpy as np
import pytest

from rateproof.verify.papers.fedweight import experiments
from rateproof.verify.papers.fedweight.experiments import learning
from rateproof.verify.papers.fedweight.experiments.tables import DATA, GROUPS, METHODS, SETTINGS, TABLE3

CELL = learning.Cell("digits", 2, "minority")


def test_the_table_is_whole_and_its_best_entries_are_the_printed_ones():
    assert len(TABLE3) == len(SETTINGS) * len(METHODS) * len(GROUPS) * len(DATA) == 160
    best = {}
    for (s, method, group, data), entry in TABLE3.items():
        best.setdefault((s, group, data), []).append((Fraction(entry.mean), method))
    others = {cell: max(entries)[1] for cell, entries in best.items() if max(entries)[1] != "Bi-level"}
    assert others == {(1, "majority", "MNIST"): "FedAvg"}  # all else is printed in bold for Bi-level
    # sums of rows as read off the print once more
    sums = {name: sum(Fraction(e.mean) for key, e in TABLE3.items() if key[1] == name) for name in METHODS}
    assert {name: float(s) for name, s in sums.items()} == {
        "Bi-level": 19.8341,
        "Local-train": 15.4195,
        "FedAvg": 16.6016,
        "Ditto": 17.1478,
        "pFedMe": 17.9951,
    }


def test_recorded_runs_have_what_is_wanted():
    found = learning.recorded()
    wanted = {learning.key(*one) for one in learning.wanted()}
    assert found.keys() == wanted
    for run in found.values():
        assert run.accuracy.shape == run.valid.shape == run.mass.shape == (learning.REPETITIONS, len(run.rounds))
        assert (run.accuracy >= 0).all() and (run.accuracy <= 1).all()
        assert (np.diff(run.rounds) > 0).all() and (np.diff(run.points) > 0).all()


def test_a_run_is_kept_and_read_again():
    short = learning.followed("Bi-level", CELL, {"gamma": 0.1, "gamma_h": 0.1, "eta": 0.1}, 2, 2, repetitions=2)
    again = learning.Run.from_json(short.to_json())
    np.testing.assert_allclose(again.accuracy, short.accuracy, atol=1e-4)
    np.testing.assert_allclose(again.mass[:, 0], 1 / 3, atol=1e-4)
    assert short.rounds.tolist() == [0, CELL.rounds, 2 * CELL.rounds]
    with pytest.raises(ValueError, match="records are missing"):
        learning.Run.from_json({**short.to_json(), "points": [1.0]})


def test_the_record_with_the_best_validation_accuracy_counts():
    accuracy, valid = np.array([[0.1, 0.5, 0.9], [0.1, 0.6, 0.2]]), np.array([[0.2, 0.4, 0.4], [0.2, 0.9, 0.4]])
    run = learning.Run(np.arange(3.0), 10 * np.arange(3.0), accuracy, valid, accuracy, {})
    assert run.reached.tolist() == [0.9, 0.6]
    assert run.at_points(15).tolist() == pytest.approx([0.7, 0.4])


@pytest.mark.parametrize("name", learning.METHODS)
def test_every_method_learns(name):
    chosen = {"gamma": 0.1, "gamma_h": 0.1, "eta": 0.1, "lambda": 5.0 if name == "pFedMe" else 0.1}
    run = learning.followed(name, CELL, chosen, 2, 1, repetitions=2)
    assert run.accuracy[:, -1].mean() > 0.25
    assert run.points[-1] > 0
    with pytest.raises(ValueError, match="there is no method 'SGD'"):
        learning.method("SGD", CELL, chosen)


def test_listed_pairs_are_those_of_the_table():
    assert len(experiments.DROPS) == 24
    assert len(experiments.RISES) == 48
    assert sum(one <= two for one, two in experiments.DROPS) == 1
    assert sum(one <= two for one, two in experiments.RISES) == 3
