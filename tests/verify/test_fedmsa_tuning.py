"""Loss tuning of fedmsa run again: derivatives, recorded runs, and what counts as reached."""

import numpy as np
import pytest

from rateproof.algos.noise import Streams
from rateproof.theory import catalog
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.experiments.courses import Course
from rateproof.verify.papers.fedmsa import experiments, tuning
from rateproof.verify.papers.fedmsa.tuning import CELLS, KEPT, MSA, NEST, Cell


def test_slopes_of_scaled_and_shifted_logits():
    problem = tuning.problem(0.3, 0)
    random = np.random.default_rng(0)
    z, along = problem.x0[None] + 0.3 * random.normal(size=(1, problem.n)), random.normal(size=(1, problem.n))
    v = along[:, problem.dx :]
    step = 1e-5
    slope = (problem.g_i(3, z + step * along) - problem.g_i(3, z - step * along)) / (2 * step)
    np.testing.assert_allclose((problem.gradient_g(3, z) * along).sum(axis=1), slope, rtol=1e-6)
    inner = problem.join(np.zeros((1, problem.dx)), v)
    bend = (problem.gradient_g(3, z + step * inner) - problem.gradient_g(3, z - step * inner)) / (2 * step)
    np.testing.assert_allclose(problem.product_g(3, z, v), bend, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", [MSA, NEST])
def test_recorded_runs_are_what_the_command_gives(name):
    """The first records of a run, run again."""
    cell = Cell(name, 4, 0.3)
    again, kept = tuning.run(cell, tuning.ROUNDS[name] // 25, 2), tuning.courses()[str(cell)]
    assert again.rounds.tolist() == kept.rounds[:3].tolist()
    np.testing.assert_allclose(again.accuracy, kept.accuracy[:, :3], atol=0.005)


def test_scales_are_kept_from_a_tenth():
    problem, method = tuning.problem(0.3, 0), tuning.method(Cell(KEPT, 1, 0.3))
    start = np.concatenate([[-1.0, 3.0], problem.x0[2:]])[None]
    rng = Streams(0, 0, 1)
    end = method.round(problem, method.init(problem, start, rng), rng).x[0]
    assert end[0] == 0.1 and end[1:].min() < 0.1 and abs(end[1] - 3.0) < 0.1


def test_rounds_are_counted_to_the_first_record_there():
    rounds, accuracy = np.array([0.0, 10, 20]), np.array([[0.1, 0.9, 0.7], [0.1, 0.2, 0.3]])
    found, complete = experiments.reached(Course(rounds, accuracy, accuracy, {}), 0.8)
    assert found.tolist() == [10, 20] and not complete


def test_a_figure_is_decided_by_what_was_recorded(monkeypatch):
    """FedNest twenty times as slow as FedMSA, then only twice."""
    claim = catalog.get("fedmsa.exp.fig1a")
    rounds = np.arange(0, 1001, 5.0)
    for factor, said in ((20, "supported"), (2, "refuted")):
        courses = {
            str(c): Course(rounds, np.tile(rounds >= at, (c.repetitions, 1)) * 1.0, np.ones((c.repetitions, 201)), {})
            for c in CELLS
            for at in [40 * (1 if c.name == MSA else factor)]
        }
        monkeypatch.setattr(experiments, "courses", lambda courses=courses: courses)
        found = check_claim(claim, Budget())
        assert found.verdict == "unchecked"
        assert {reading["verdict"] for reading in found.readings.values()} == {said}
