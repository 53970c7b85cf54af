"""The engine: replicates in chunks, records, counts, bad input."""

import tracemalloc

import numpy as np
import pytest

from rateproof.algos.engine import default_chunk, log_rounds, run
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.methods.strfedavg import StRFedAvg
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, NoNoise
from rateproof.algos.problems.base import METRICS
from rateproof.algos.problems.quadratic import diagonal_selection
from rateproof.algos.problems.regression import Regression

METHOD = StRFedAvg(gamma_l=0.05, gamma_g=1.5, eta=0.3, K=3, S=2)


def regression(noise, *, N=4, n=6, rows=3):
    rng = np.random.default_rng(2)
    return Regression(
        list(rng.normal(size=(N, rows, n))), list(rng.normal(size=(N, rows))), outer="norm", mu=0.5, noise=noise
    )


@pytest.mark.parametrize(
    "noise",
    [NoNoise(), AdditiveGaussian.isotropic(6, sigma_f=1.0, sigma_h=0.5), MiniBatch(2)],
    ids=["none", "normal", "rows"],
)
def test_chunks_do_not_change_the_result(noise):
    problem = regression(noise)
    results = [run(METHOD, problem, np.ones(6), R=20, runs=7, seed=5, chunk=chunk) for chunk in (None, 1, 3, 7, 100)]
    whole = results[0]
    assert whole.chunk == 7 and results[1].chunk == 1
    assert len(np.unique(whole.x_last[:, 0])) == 7  # sampling alone tells the runs apart
    for other in results[1:]:
        np.testing.assert_allclose(other.x_last, whole.x_last, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(other.x_average, whole.x_average, rtol=1e-14, atol=1e-14)
        for name in METRICS:
            np.testing.assert_allclose(other.last[name], whole.last[name], rtol=1e-13, atol=1e-14)
            np.testing.assert_allclose(other.average[name], whole.average[name], rtol=1e-13, atol=1e-14)
        assert other.counts == whole.counts


def test_more_runs_leave_the_first_ones_alone():
    problem = regression(AdditiveGaussian.isotropic(6, sigma_f=1.0, sigma_h=0.5))
    few, many = (run(METHOD, problem, np.ones(6), R=5, runs=runs, seed=1) for runs in (3, 10))
    np.testing.assert_allclose(few.x_last, many.x_last[:3], rtol=1e-14, atol=1e-14)
    other_seed = run(METHOD, problem, np.ones(6), R=5, runs=3, seed=2)
    assert not np.allclose(few.x_last, other_seed.x_last)


def test_records_are_the_metrics_at_their_rounds():
    problem = regression(NoNoise())
    metrics = {"norm": lambda problem, x: np.linalg.norm(x, axis=1), **METRICS}
    done = run(METHOD, problem, np.ones(6), R=6, runs=3, record=[6, 0, 3], metrics=metrics)
    assert done.rounds.tolist() == [0, 3, 6]
    np.testing.assert_allclose(done.last["norm"][0], np.sqrt(6))
    assert np.isnan(done.average["norm"][0]).all()
    np.testing.assert_allclose(done.last["norm"][2], np.linalg.norm(done.x_last, axis=1))
    np.testing.assert_allclose(done.average["f"][2], problem.f(done.x_average))
    np.testing.assert_allclose(done.last["h"][2], problem.h(done.x_last))
    np.testing.assert_allclose(
        done.last["dist"][2], np.linalg.norm(done.x_last - problem.project(done.x_last), axis=1), rtol=1e-12
    )
    short = run(METHOD, problem, np.ones(6), R=3, runs=3, metrics=metrics)
    np.testing.assert_array_equal(done.last["h"][1], short.last["h"][-1])
    np.testing.assert_array_equal(done.average["h"][1], short.average["h"][-1])


@pytest.mark.parametrize("R", [1, 2, 9, 10, 1000, 123457])
def test_log_rounds_cover_every_decade(R):
    rounds = log_rounds(R)
    assert rounds[0] == 1 and rounds[-1] == R
    assert (np.diff(rounds) > 0).all()
    # Neighbours differ by one round or by a factor of at most 10^{1/10}, up to rounding.
    gaps = np.diff(rounds) <= np.maximum(1, 0.26 * rounds[:-1] + 1)
    assert gaps.all()
    assert len(rounds) <= 10 * np.log10(R) + 2


def test_each_run_may_start_elsewhere():
    problem = diagonal_selection()
    starts = np.array([[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0]])
    method = FedAvg(gamma_l=0.1, K=2, S=2)
    done = run(method, problem, starts, R=3, runs=3, chunk=2, metrics={})
    for j, start in enumerate(starts):
        alone = run(method, problem, start, R=3, metrics={})
        np.testing.assert_allclose(done.x_last[j], alone.x_last[0], rtol=1e-14)


def test_progress_counts_the_rounds_of_all_chunks():
    seen = []
    run(METHOD, diagonal_selection(), [0.0, 0.0], R=5, runs=3, chunk=2, progress=lambda *done: seen.append(done))
    assert seen == [(done, 10) for done in range(1, 11)]


def test_a_divergent_run_ends_without_warnings(recwarn):
    method = FedAvg(gamma_l=10.0, K=20, S=2)
    done = run(method, diagonal_selection(), [1.0, 1.0], R=40)
    assert not np.isfinite(done.x_last).all()
    assert not recwarn.list


def test_default_chunk_bounds_memory():
    noise = AdditiveGaussian.isotropic(6, sigma_f=1.0, sigma_h=1.0)
    quiet, noisy = regression(NoNoise()), regression(noise)
    long_visit = FedAvg(gamma_l=0.1, K=10**6, S=1)
    assert default_chunk(METHOD, quiet) == default_chunk(METHOD, noisy) >= 16
    assert default_chunk(long_visit, noisy) == 1
    assert default_chunk(long_visit, quiet) == default_chunk(METHOD, quiet)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"R": 0}, "R is 0; it should be a whole number, at least 1"),
        ({"runs": 0}, "runs is 0"),
        ({"chunk": 0}, "chunk is 0"),
        ({"x0": np.ones(3)}, r"x0 has shape \(3,\); it should be finite, of shape \(2,\) or \(runs, 2\)"),
        ({"R": 2.5}, "R is 2.5; it should be a whole number"),
        ({"R": 5.0}, "R is 5.0, a float; it should be a whole number, an int"),
        ({"R": True}, "R is True"),
        ({"x0": np.array([1.0, np.nan])}, r"x0 has a NaN at \[1\]"),
        ({"record": "linear"}, "record is 'linear'; it should be 'log' or round numbers"),
        ({"record": [1, 7]}, r"record has rounds \[1, 7\]; it should hold round numbers from 0 to 5"),
        ({"record": [-1]}, "record has rounds"),
        ({"record": []}, "record has rounds"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_input_is_named(change, words):
    arguments = {"x0": np.ones(2), "R": 5, "runs": 2} | change
    with pytest.raises(ValueError, match=words):
        run(METHOD, diagonal_selection(), **arguments)


def test_memory_is_that_of_one_chunk():
    problem = regression(AdditiveGaussian.isotropic(6, sigma_f=1.0, sigma_h=0.5))
    method = StRFedAvg(gamma_l=0.05, gamma_g=1.5, eta=0.3, K=100, S=4)

    def peak(runs, chunk):
        tracemalloc.start()
        run(method, problem, np.ones(6), R=1, runs=runs, chunk=chunk, metrics={})
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(8, 8)  # first-call caches
    results = 2 * 512 * 6 * 8
    assert peak(512, 8) < peak(8, 8) + 2 * results
    assert peak(512, 512) > 10 * peak(512, 8)
