"""Minority and majority of nodes: what the settings do to the rows, repetitions side by side, and what is refused."""

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.data import Images
from rateproof.algos.methods.fedweight import ProximalWeights
from rateproof.algos.methods.local_svrg import LocalSVRG
from rateproof.algos.problems.bilevel_learning import mixture
from rateproof.algos.problems.node_groups import CHANCES, EXCHANGED, SUPER, Sizes, grouped, halved, node_groups

IMAGES = mixture(rows=600, features=16, classes=10, seed=0)
SIZES = Sizes(minority=2, majority=3, train=400, valid=300, test=300)


def rows_of(problem, node, repetition=0):
    begin = problem.begin[repetition, node]
    part = slice(begin, begin + problem.sizes[node])
    return problem.D[part], problem.label[part]


def test_classes_have_the_chances_of_the_group():
    problem = grouped(IMAGES, sizes=SIZES, target="majority")
    for node, group in enumerate(["majority", "minority", "minority", "majority", "majority", "majority"]):
        label = rows_of(problem, node)[1]
        n = len(label)
        for classes, chance in zip(SUPER, CHANCES[group], strict=True):
            assert abs(np.isin(label, classes).mean() - chance) < 5.5 * np.sqrt(chance * (1 - chance) / n)
    np.testing.assert_array_equal(problem.similar, [0, 0, 1, 1, 1])


@pytest.mark.parametrize("setting", [1, 2, 3, 4])
@pytest.mark.parametrize("target", ["minority", "majority"])
def test_settings_change_the_majority_alone(setting, target):
    problem = grouped(IMAGES, sizes=SIZES, setting=setting, target=target, seeds=[3])
    known = {row.tobytes(): label for row, label in zip(IMAGES.U, IMAGES.label, strict=True)}
    turns = [{np.rot90(row.reshape(4, 4), k).ravel().tobytes(): j for j, row in enumerate(IMAGES.U)} for k in (1, 3)]
    groups = [target, "minority", "minority", "majority", "majority", "majority", target]
    used = []
    for node, group in enumerate(groups):
        D, label = (problem.test[0].D, problem.test[0].label) if node == 6 else rows_of(problem, node)
        pixels = [row[:-1].tobytes() for row in D]
        if group == "majority" and setting in (3, 4):
            turn = [t for t in turns if all(p in t for p in pixels)]
            assert len(turn) == 1  # one direction for all
            used.append(turn[0] is turns[0])
            truth = IMAGES.label[[turn[0][p] for p in pixels]]
        else:
            truth = np.array([known[p] for p in pixels])
        if group == "majority" and setting in (2, 4):
            truth = np.array([EXCHANGED.get(c, c) for c in truth])
        np.testing.assert_array_equal(label, truth)
        assert (D[:, -1] == 1).all()
    assert len(set(used)) <= 1


def test_rows_of_the_test_are_apart():
    problem = grouped(IMAGES, sizes=SIZES)
    trained = {row.tobytes() for row in problem.D}
    assert not trained & {row.tobytes() for row in problem.test[0].D}


def test_both_directions_occur():
    first = {grouped(IMAGES, sizes=SIZES, setting=3, seeds=[s]).D[-1, 0] for s in range(6)}
    assert len(first) > 1


def test_repetitions_side_by_side_are_those_one_by_one():
    sizes = Sizes(minority=1, majority=2, train=30, valid=20, test=50)
    both = grouped(IMAGES, sizes=sizes, seeds=[4, 5], b=0.5)
    method = ProximalWeights(eta=0.1, gamma=0.1, tau=2, q=0.5, steps=5, last=True)
    got = engine.run(method, both, both.x0, R=2, runs=2, chunk=2)
    first = grouped(IMAGES, sizes=sizes, seeds=[4], b=0.5)
    alone = engine.run(method, first, first.x0, R=2, runs=1)
    np.testing.assert_allclose(got.x_last[0], alone.x_last[0], atol=1e-12)
    np.testing.assert_allclose(got.last["accuracy"][:, 0], alone.last["accuracy"][:, 0])
    assert not np.allclose(got.x_last[1], got.x_last[0])
    w = np.full((2, 3), 1 / 3)
    np.testing.assert_allclose(both.hypergradient(w)[:1], first.hypergradient(w[:1]), atol=1e-10)


def test_weights_go_to_the_similar_nodes():
    problem = node_groups(setting=2, seed=1)
    bilevel = engine.run(
        ProximalWeights(eta=0.1, gamma=0.1, tau=10, q=0.02, steps=20, batch=10, last=True), problem, problem.x0, R=10
    )
    equal = engine.run(LocalSVRG(gamma=0.1, tau=10, q=0.02, batch=10, of="equal"), problem, problem.x0, R=60)
    assert bilevel.last["mass"][-1, 0] > 0.6
    assert equal.last["mass"][-1, 0] == pytest.approx(1 / 3)
    assert bilevel.last["accuracy"][-1, 0] > equal.last["accuracy"][-1, 0] + 0.05


def test_constants_of_a_softmax():
    problem = node_groups(minority=1, majority=1, n_train=10, n_valid=5, b=1.0)
    c, rng = problem.constants, np.random.default_rng(0)
    theta = rng.normal(size=(3, problem.d)) * 3
    for k in range(3):
        hessians = [problem.hessian(np.eye(3)[k], 0, one) for one in theta]
        assert all(c.mu * (1 - 1e-9) <= e for e in np.linalg.eigvalsh(hessians)[:, 0])
        assert np.linalg.eigvalsh(hessians)[:, -1].max() <= c.ell1
        change = np.linalg.norm(hessians[1] - hessians[0], ord=2)
        assert change <= c.ell2 * np.linalg.norm(theta[1] - theta[0])


def test_halved_images_keep_their_mean():
    images = Images("given", np.arange(32.0).reshape(2, 16), np.array([0, 1]))
    small = halved(images)
    np.testing.assert_allclose(small.U[0], [2.5, 4.5, 10.5, 12.5])


ODD = Images("odd", np.ones((10, 6)), np.arange(10))
FEW = Images("few", np.ones((40, 4)), np.full(40, 2))
WRONG = Images("wrong", np.ones((12, 4)), np.arange(12))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: node_groups(setting=5), "setting is 5; it should be one of"),
        (lambda: node_groups(target="none"), "target is 'none'; it should be"),
        (lambda: node_groups(source="cifar"), "source is 'cifar'; it should be"),
        (lambda: node_groups(b=0.05), r"b is 0.05; it should be in \[1/15, 1\]"),
        (lambda: node_groups(b=1.01), r"b is 1.01; it should be in \[1/15, 1\]"),
        (lambda: node_groups(n_train=0), "train is 0; it should be a whole number, at least 1"),
        (lambda: node_groups(n_valid=0), "valid is 0; it should be a whole number, at least 1"),
        (lambda: node_groups(ridge=0.0), "not strongly convex, mu = 0; lam should be positive"),
        (lambda: grouped(IMAGES, held=1.0), "held is 1.0; it should be a share"),
        (lambda: grouped(ODD), "images have 6 pixels; they should be square"),
        (lambda: grouped(FEW), "the images have none of the classes"),
        (lambda: grouped(WRONG), "labels are from 0 to 11; they should be from 0 to 9"),
        (
            lambda: halved(Images("odd", np.ones((1, 9)), np.zeros(1, int))),
            "images have a side of 3; it should be even",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(wrong, says):
    with pytest.raises(ValueError, match=says) as info:
        wrong()
    assert "\n" not in str(info.value)
