"""Noise laws and counter-based streams."""

import math

import numpy as np
import pytest

from rateproof.algos.noise import AdditiveGaussian, MiniBatch, NoNoise, Streams, TwoPoint

SHAPES = [(1, 1), (2, 3), (5, 7), (20, 50)]


@pytest.mark.parametrize("kind", ["normals", "signs", "uniforms"])
@pytest.mark.parametrize(("K", "n"), SHAPES)
def test_a_draw_depends_on_the_absolute_run_only(kind, K, n):
    whole = getattr(Streams(7, 0, 400), kind)("xi", 5, 2, K, n, np.arange(400))
    part = Streams(7, 150, 200)
    rows = np.array([0, 1, 3, 40, 199])
    assert np.array_equal(getattr(part, kind)("xi", 5, 2, K, n, rows), whole[:, 150 + rows])
    assert np.array_equal(getattr(part, kind)("xi", 5, 2, K, n, rows[2:3]), whole[:, 153:154])


def test_draws_differ_between_keys():
    rows = np.arange(3)
    keys = [("xi", 1, 0), ("zeta", 1, 0), ("xi", 2, 0), ("xi", 1, 1)]
    draws = [Streams(0, 0, 3).normals(stream, r, i, 2, 2, rows) for stream, r, i in keys]
    draws.append(Streams(1, 0, 3).normals("xi", 1, 0, 2, 2, rows))
    values = np.concatenate([draw.ravel() for draw in draws])
    assert len(np.unique(values)) == len(values) == 5 * 12


def test_the_order_of_questions_does_not_matter():
    rows, one, two = np.arange(5), Streams(3, 0, 5), Streams(3, 0, 5)
    first = one.normals("xi", 1, 0, 3, 2, rows)
    one.sample_clients(1, 4, 2)
    two.signs("zeta", 9, 1, 2, 2, rows)
    assert np.array_equal(two.normals("xi", 1, 0, 3, 2, rows), first)


def test_draws_stay_what_they_are():
    # Recorded results depend on these numbers: an experiment is named by its seed.
    streams, one = Streams(7, 3, 4), np.array([1])
    np.testing.assert_allclose(
        streams.normals("xi", 5, 2, 1, 2, one)[0, 0], [0.17900810799517566, -0.6857537477153707], rtol=1e-12
    )
    assert streams.uniforms("zeta", 5, 2, 1, 2, one).tolist() == [[[0.06669362350746977, 0.6824394760776686]]]
    assert [np.flatnonzero(row).tolist() for row in streams.sample_clients(4, 5, 2)] == [[0, 1], [0, 2], [0, 2], [0, 2]]


@pytest.mark.parametrize("steps", [(0,), (6,), (2, 4), (5, 0, 1)])
def test_streams_after_some_rounds_go_on_from_there(steps):
    whole, rows = Streams(7, 3, 4), np.array([0, 2, 3])
    later = whole
    for rounds in steps:
        later = later.after(rounds)
    r = 1 + sum(steps)
    for kind in ("normals", "signs", "uniforms"):
        got, want = (getattr(s, kind)("xi", q, 2, 3, 2, rows) for s, q in ((later, 1), (whole, r)))
        assert np.array_equal(got, want)
    assert np.array_equal(later.sample_clients(1, 6, 2), whole.sample_clients(r, 6, 2))
    fresh = Streams(7, 3, 4).uniforms("xi", 1, 2, 3, 2, rows)
    assert np.array_equal(whole.uniforms("xi", 1, 2, 3, 2, rows), fresh)  # the first streams did not move


def test_no_rows_no_draws():
    assert Streams(0, 0, 3).normals("xi", 1, 0, 4, 2, np.arange(0)).shape == (4, 0, 2)


def test_normals_have_the_law_they_should():
    draws = Streams(11, 0, 50_000).normals("xi", 1, 0, 2, 2, np.arange(50_000)).transpose(1, 0, 2).reshape(50_000, 4)
    assert np.abs(draws.mean(axis=0)).max() < 6 / math.sqrt(50_000)
    assert np.abs(np.cov(draws.T) - np.eye(4)).max() < 6 * math.sqrt(2 / 50_000)
    assert abs(np.mean(draws**4) - 3) < 6 * math.sqrt(96 / draws.size)
    assert abs(np.mean(np.abs(draws) > 1.959964) - 0.05) < 6 * math.sqrt(0.05 / draws.size)


def test_client_subsets_are_uniform():
    mask = Streams(5, 0, 60_000).sample_clients(3, 4, 2)
    assert (mask.sum(axis=1) == 2).all()
    _, counts = np.unique(mask @ [1, 2, 4, 8], return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 6 * math.sqrt(60_000 / 6)
    assert np.array_equal(Streams(5, 100, 50).sample_clients(3, 4, 2), mask[100:150])
    assert Streams(5, 0, 3).sample_clients(1, 3, 3).all()


def test_integers_cover_their_range_evenly():
    drawn = Streams(2, 0, 6000).integers("zeta", 1, 0, 2, 5, np.arange(6000), 3)
    assert drawn.shape == (2, 6000, 5)
    assert np.abs(np.bincount(drawn.ravel()) - 20_000).max() < 6 * math.sqrt(20_000)


def test_two_point_law():
    noise = TwoPoint([3.0, 4.0], [0.0, 2.0])
    assert (noise.sigma_f2, noise.sigma_h2) == (25.0, 4.0)
    assert np.array_equal(noise.cov_f, [[9, 12], [12, 16]])
    xi, zeta = noise.draw(Streams(0, 0, 2000), 1, 0, 2, np.arange(2000), 2)
    assert {tuple(point) for point in xi.reshape(-1, 2)} == {(3.0, 4.0), (-3.0, -4.0)}
    assert abs(np.mean(xi[..., 0] * zeta[..., 1])) < 6 * 6 / math.sqrt(4000)


def test_gaussian_law_has_its_covariance():
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    noise = AdditiveGaussian(cov, np.diag([0.0, 4.0]))
    assert (noise.sigma_f2, noise.sigma_h2) == (5.0, 4.0)
    xi, zeta = noise.draw(Streams(1, 0, 40_000), 1, 0, 1, np.arange(40_000), 2)
    assert np.abs(np.cov(xi[0].T) - cov).max() < 0.15
    assert not zeta[..., 0].any()
    assert abs(zeta[..., 1].var() - 4) < 0.2
    assert AdditiveGaussian.isotropic(4, sigma_f=2.0, sigma_h=0.0).sigma_f2 == 4.0


def test_scaling_scales_both_levels():
    assert TwoPoint([1.0], [2.0]).scaled(f=3, h=5).sigma_h2 == 100
    assert AdditiveGaussian([[1.0]], [[2.0]]).scaled(f=3, h=5).sigma_f2 == 9
    assert NoNoise().scaled(f=3, h=5).sigma_f2 == 0


def test_mini_batch_draws_rows_and_bounds_nothing():
    noise = MiniBatch(4)
    assert not noise.additive
    assert noise.sigma_h2 == math.inf
    assert noise.draw_rows(Streams(0, 0, 3), 1, 0, 5, np.arange(3), 10).shape == (5, 3, 4)
    with pytest.raises(ValueError, match="additive"):
        noise.covariances(2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Streams(-1, 0, 1), "seed is -1"),
        (lambda: Streams(0, 0, 0), "runs is 0"),
        (lambda: Streams(0, 0, 1).after(-1), "rounds is -1; it should be at least 0"),
        (lambda: Streams(0, 0, 1).sample_clients(1, 3, 4), "S is 4"),
        (lambda: Streams(0, 0, 1).integers("xi", 1, 0, 1, 1, np.arange(1), 0), "high is 0"),
        (lambda: AdditiveGaussian([[1.0, 2.0], [2.0, 1.0]], np.eye(2)), "semidefinite"),
        (lambda: AdditiveGaussian([[1.0, 2.0], [0.0, 5.0]], np.eye(2)), "symmetric"),
        (lambda: AdditiveGaussian(np.eye(2), np.eye(3)), "agree"),
        (lambda: TwoPoint([1.0, math.nan], [0.0, 0.0]), "finite"),
        (lambda: TwoPoint([1.0], [1.0]).covariances(2), "dimension 1"),
        (lambda: MiniBatch(0), "batch_size is 0"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
