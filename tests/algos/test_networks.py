"""Networks over clients against plain loops, their gradients against differences, lower levels against certificates."""

import math

import numpy as np
import pytest

from rateproof.algos import networks
from rateproof.algos.convex_sets import Simplex
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.methods.fedrzo_lower import FedRZO_bl
from rateproof.algos.noise import Streams
from rateproof.algos.problems.fair import FairClassification, random_fair_classification
from rateproof.algos.problems.federated import FACTS
from rateproof.algos.problems.logistic import HyperparameterLearning, random_hyperparameter_learning
from rateproof.algos.problems.networks import (
    ReluNetwork,
    SoftplusNetwork,
    random_relu_network,
    random_softplus_network,
)

RELU = random_relu_network(m=2, rows=7, features=3, hidden=4)


def plain_loss(U, v, x, hidden, lam, act):
    """The printed formula, one row after the other."""
    Z, w = x[: hidden * U.shape[1]].reshape(hidden, -1), x[hidden * U.shape[1] :]
    total = 0.0
    for u, outcome in zip(U, v, strict=True):
        total += (outcome - sum(w[q] * act(Z[q] @ u) for q in range(hidden))) ** 2 / 2
    return total + lam / 2 * (np.sum(Z**2) + np.sum(w**2))


def differences(function, x, h=1e-6):
    """Central differences of ``(runs, n) -> (runs,)``."""
    return np.stack([(function(x + e) - function(x - e)) / (2 * h) for e in h * np.eye(x.shape[1])], axis=1)


def points(problem, runs=3, seed=0):
    return np.random.default_rng(seed).normal(size=(runs, problem.n))


def test_the_relu_loss_is_as_printed(monkeypatch):
    x = np.random.default_rng(0).normal(size=(3, 2, RELU.n))
    want = [
        [plain_loss(RELU.data.U[i], RELU.data.v[i], x[r, i], 4, 0.01, lambda t: max(t, 0)) for i in range(2)]
        for r in range(3)
    ]
    np.testing.assert_allclose(RELU.values(x, None), want, rtol=1e-13)
    monkeypatch.setattr(networks, "_PIECE", 1)
    big = random_relu_network(m=1, rows=50)
    assert len(list(big.data.pieces(0, 2))) == 4
    y = points(big, 2)
    np.testing.assert_allclose(
        big.f(y), [plain_loss(big.data.U[0], big.data.v[0], p, 4, 0.01, lambda t: max(t, 0)) for p in y], rtol=1e-13
    )


@pytest.mark.parametrize("make", [random_relu_network, random_softplus_network])
def test_samples_of_all_rows_average_to_the_loss(make):
    problem, data = make(m=2, rows=5, features=2, batch=1), None
    data, x = problem.data, points(problem)
    for i in range(2):
        act = networks.relu if isinstance(problem, ReluNetwork) else problem.softplus
        each = [data.sampled_loss(i, x, act, np.full((3, 1), row)) for row in range(5)]
        np.testing.assert_allclose(np.mean(each, axis=0), data.loss(i, x, act), rtol=1e-12)


def test_samples_are_rows_of_the_client():
    problem = random_relu_network(m=2, rows=5, batch=3)
    xi = problem.draw(Streams(0, 0, 4), 1, 6)
    assert xi.shape == (6, 4, 2, 3) and xi.min() >= 0 and xi.max() == 4
    values = problem.values(np.zeros((4, 2, problem.n)), xi[0])
    np.testing.assert_allclose(values, 2.5)  # residuals are signs at 0
    assert not problem.facts()["variance_bounded"].holds and RELU.facts()["variance_bounded"].holds


def test_the_modulus_holds_on_the_box():
    problem = random_relu_network(m=2, rows=7, features=3, hidden=2, bound=0.8)
    x = np.random.default_rng(1).uniform(-0.8, 0.8, size=(3000, problem.n))
    step = 1e-5 * np.sign(-x) * np.random.default_rng(2).uniform(size=x.shape)
    slopes = np.abs(problem.f_i(0, x + step) - problem.f_i(0, x)) / np.linalg.norm(step, axis=1)
    assert slopes.max() <= problem.constants.L0
    assert not problem.facts()["lipschitz"].holds
    assert set(problem.facts()) == set(FACTS)
    np.testing.assert_array_equal(problem.sets.project(np.full((1, 2, problem.n), 3.0)), 0.8)


@pytest.mark.parametrize("beta", [0.5, 10.0])
def test_softplus_gradients(beta):
    problem = random_softplus_network(m=2, rows=6, features=3, hidden=2, beta=beta)
    x = points(problem)
    for i in range(2):
        np.testing.assert_allclose(problem.grad_h(i, x), differences(lambda y, i=i: problem.h_i(i, y), x), atol=1e-6)
        out = np.empty_like(x, order="F")
        assert problem.grad_h(i, x, out) is out
        np.testing.assert_allclose(out, problem.grad_h(i, x), rtol=1e-12)
        each = [problem.sampled_grad_h(i, x, np.full((3, 1), row)) for row in range(6)]
        np.testing.assert_allclose(np.mean(each, axis=0), problem.grad_h(i, x), rtol=1e-10, atol=1e-12)


def test_softplus_tends_to_relu():
    x = points(RELU)
    for beta in (1e2, 1e4):
        smooth = SoftplusNetwork(RELU.data.U, RELU.data.v, beta=beta)
        np.testing.assert_allclose(smooth.relu_loss(x), RELU.f(x), rtol=1e-13)
        assert np.abs(smooth.h(x) / RELU.f(x) - 1).max() < 30 / beta


@pytest.mark.parametrize("batch", [None, 2])
def test_fedavg_descends_on_the_softplus_network(batch):
    problem = random_softplus_network(m=3, batch=batch)
    rng, x0 = Streams(0, 0, 2), 0.3 * points(problem, 2)
    method = FedAvg(gamma_l=1e-3, K=3, S=3)
    state = method.init(problem, x0, rng)
    for _ in range(40):
        state = method.round(problem, state, rng)
    assert (problem.h(state.x) < problem.h(x0)).all()
    assert set(problem.metrics) == {"h", "relu"}
    with pytest.raises(ValueError, match="not known"):
        problem.project(x0)


def test_fedrzo_descends_on_the_relu_network():
    problem = random_relu_network(m=3)
    rng, x0 = Streams(0, 0, 4), 0.3 * points(problem, 4)
    method = FedRZO(gamma=1e-4, eta=0.01, H=5)
    state = method.init(problem, x0, rng)
    for _ in range(60):
        state = method.round(problem, state, rng)
    assert problem.f(state.x).mean() < problem.f(x0).mean()


def test_lower_solutions_carry_their_certificate():
    problem = random_hyperparameter_learning(m=3, rows=15, features=4)
    x = np.random.default_rng(3).uniform(0.1, 20, size=(6, 3))
    y = problem.lower_solution(x)
    assert problem.lower_error(x, y).max() <= 1e-11
    slope = differences(lambda p: problem.h(x, p), y)
    assert np.abs(slope).max() < 1e-7
    np.testing.assert_allclose(
        sum(problem.grad_h(i, x, y + 0.1, None) for i in range(3)) / 3,
        differences(lambda p: problem.h(x, p), y + 0.1),
        atol=1e-7,
    )
    # Only the sum of the regularisations matters to y.
    np.testing.assert_allclose(problem.lower_solution(x[:, ::-1]), y, atol=1e-11)


def test_one_solution_serves_all_clients_and_only_the_mean_weight_matters():
    problem = random_hyperparameter_learning(m=3, low=0.5, floor=0.4)
    x = np.array([[0.2, 1.5, 0.7], [-3.0, 5.0, 0.1]])
    np.testing.assert_allclose(problem.f(x), np.mean([problem.f_i(i, x) for i in range(3)], axis=0), rtol=1e-12)
    np.testing.assert_allclose(problem.f(x), problem.loss_at(np.array([(0.4 + 1.5 + 0.7) / 3, 5.8 / 3])), rtol=1e-12)


def test_the_error_bound_of_the_lower_level_is_a_bound():
    problem = random_hyperparameter_learning(m=2, rows=10, features=3)
    x = np.random.default_rng(4).uniform(0.1, 2, size=(20, 2))
    y = problem.lower_solution(x)
    off = y + np.random.default_rng(5).normal(size=y.shape)
    assert (np.linalg.norm(off - y, axis=1) <= problem.lower_error(x, off)).all()


def test_constants_of_hyperparameter_learning():
    problem = random_hyperparameter_learning(m=3, rows=12, features=3, low=0.5, high=4.0, floor=0.5)
    c, random = problem.constants, np.random.default_rng(6)
    x = random.uniform(-1, 4, size=(400, 3))
    step = 1e-4 * random.normal(size=x.shape)
    size = np.linalg.norm(step, axis=1)
    y, moved = problem.lower_solution(x), problem.lower_solution(x + step)
    assert (np.linalg.norm(moved - y, axis=1) <= c.Lam * size).all()
    rise = np.abs(
        problem.values(np.repeat((x + step)[:, None], 3, 1), None) - problem.values(np.repeat(x[:, None], 3, 1), None)
    )
    assert (rise.max(axis=1) <= c.L0 * size).all()
    big = 30 * random.normal(size=(400, 3, 3))
    slopes = np.abs(problem.values_at(x, big + 1e-4, None) - problem.values_at(x, big, None)) / (1e-4 * math.sqrt(3))
    assert slopes.max() <= c.L_y
    # Exact: the model along which all rows of a client are wrong is as steep as their lengths together.
    wrong = HyperparameterLearning(U1, V1, [np.array([[3.0, 0, 4], [0.6, 0, 0.8]])], [np.ones(2)])
    far, one = -100 * np.array([[[0.6, 0, 0.8]]]), np.ones((1, 1, 1))
    rise = wrong.values_at(one, far * 1.01, None) - wrong.values_at(one, far, None)
    assert rise[0, 0] == pytest.approx(6.0) and wrong.constants.L_y == pytest.approx(6.0)
    assert problem.facts()["implicit_lipschitz"].holds
    printed = random_hyperparameter_learning()
    assert not printed.facts()["implicit_lipschitz"].holds
    with pytest.raises(ValueError, match="positive sum"):
        printed.lower_solution(-np.ones((1, 3)))


def test_sampled_logistic_gradients_average():
    problem = random_hyperparameter_learning(m=2, rows=6, features=3, batch=1)
    x, y = np.ones((2, 2)), np.random.default_rng(7).normal(size=(2, 3))
    for i in range(2):
        each = [problem.grad_h(i, x, y, np.full((2, 1), float(row))) for row in range(6)]
        np.testing.assert_allclose(np.mean(each, axis=0), problem.grad_h(i, x, y, None), rtol=1e-12)
    assert problem.draw_lower(Streams(0, 0, 2), 1, 3).shape == (3, 2, 2, 1)
    both = np.repeat(y[:, None], 2, axis=1)
    each = [problem.values_at(np.ones((2, 2, 2)), both, np.full((2, 2, 1), float(row))) for row in range(6)]
    np.testing.assert_allclose(np.mean(each, axis=0), problem.values_at(np.ones((2, 2, 2)), both, None), rtol=1e-12)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("weights", ["simplex", "free"])
def test_the_maximiser_of_fair_classification(weights, reduction):
    problem = random_fair_classification(weights=weights, lam=5.0 if reduction == "sum" else 0.3, reduction=reduction)
    x = 0.5 * points(problem, 4)
    y = problem.lower_solution(x)
    many = np.repeat(x[:, None], problem.m, axis=1)

    def mean_value(at):
        return problem.values_at(many, np.repeat(at[:, None], problem.m, axis=1), None).mean(axis=1)

    np.testing.assert_allclose(problem.f(x), mean_value(y), rtol=1e-12)
    np.testing.assert_allclose(problem.values(many, None).mean(axis=1), mean_value(y), rtol=1e-12)
    random = np.random.default_rng(8)
    for _ in range(200):
        other = problem.project_lower(x, y + 10.0 ** random.uniform(-3, 1) * random.normal(size=y.shape))
        assert (mean_value(other) <= mean_value(y) + 1e-9).all()
    if weights == "simplex":
        np.testing.assert_allclose(Simplex(3).project(y), y, atol=1e-15)
    gradient = sum(problem.grad_h(i, x, y, None) for i in range(problem.m)) / problem.m
    np.testing.assert_allclose(gradient, -differences(mean_value, y), atol=1e-5)


def test_class_losses_add_up_to_the_loss_of_the_network():
    problem = random_fair_classification(m=2, classes=4)
    x = points(problem)
    for i in range(2):
        np.testing.assert_allclose(
            problem.class_losses(i, x).sum(axis=1), 2 * problem.data.loss(i, x, networks.relu), rtol=1e-12
        )
        each = [problem.class_losses(i, x, np.full((3, 1), row)) for row in range(20)]
        np.testing.assert_allclose(np.mean(each, axis=0), problem.class_losses(i, x), rtol=1e-12)


def test_losses_of_means_are_means_over_the_rows_of_a_class():
    random = np.random.default_rng(2)
    sizes, label = (5, 9), [np.array([0, 0, 2, 1, 2]), np.array([2, 1, 1, 2, 0, 1, 2, 2, 1])]
    U, v = [random.normal(size=(k, 3)) for k in sizes], [random.normal(size=k) for k in sizes]
    problem = FairClassification(U, v, label, hidden=2, reduction="mean")
    x = points(problem)
    own = [problem.data.residuals(i, x, networks.relu) ** 2 for i in range(2)]
    together, classes = np.concatenate(own, axis=1), np.concatenate(label)
    want = np.stack([together[:, classes == c].mean(axis=1) for c in range(3)], axis=1)
    np.testing.assert_allclose(problem.mean_losses(x), want, rtol=1e-12)
    # Two clients, 3, 5 and 6 rows of the classes.
    np.testing.assert_allclose(problem.class_losses(0, x)[:, 0], 2 / 3 * own[0][:, :2].sum(axis=1), rtol=1e-12)
    each = [problem.class_losses(1, x, np.full((3, 1), row)) for row in range(9)]
    np.testing.assert_allclose(np.mean(each, axis=0), problem.class_losses(1, x), rtol=1e-12)


def test_even_weights_leave_the_plain_mean_over_the_classes():
    problem = random_fair_classification(weights="even", reduction="mean", lam=0.3)
    x = points(problem)
    np.testing.assert_array_equal(problem.lower_solution(x), np.full((3, 3), 1 / 3))
    np.testing.assert_allclose(problem.f(x), problem.mean_losses(x).mean(axis=1) - 0.15 / 3, rtol=1e-12)
    facts = problem.facts()
    assert facts["lower_fixed"].holds and not facts["lower_free"].holds


@pytest.mark.parametrize("weights", ["simplex", "free", "even"])
def test_the_loss_of_all_is_the_mean_over_the_clients(weights):
    problem = random_fair_classification(weights=weights, reduction="mean")
    x = points(problem)
    np.testing.assert_allclose(problem.f(x), np.mean([problem.f_i(i, x) for i in range(3)], axis=0), rtol=1e-12)


@pytest.mark.parametrize("make", [random_hyperparameter_learning, random_fair_classification])
@pytest.mark.parametrize("batch", [None, 2])
def test_the_bilevel_method_runs(make, batch):
    problem = make(batch=batch)
    method, rng = FedRZO_bl(gamma=1e-4, eta=0.05, H=2), Streams(0, 0, 2)
    state = method.init(problem, np.ones((2, problem.n)), rng)
    for _ in range(2):
        state = method.round(problem, state, rng)
    assert np.isfinite(state.x).all()
    assert set(FACTS) <= set(problem.facts())
    assert problem.values(np.ones((2, problem.m, problem.n)), None).shape == (2, problem.m)


U1, V1 = [np.ones((2, 3))], [np.ones(2)]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ReluNetwork(U1, [np.ones(3)]), "client 0 has U of shape"),
        (lambda: ReluNetwork(U1, []), "U has 1 clients"),
        (lambda: ReluNetwork([np.full((2, 3), np.nan)], V1), "not finite"),
        (lambda: ReluNetwork(U1, V1, hidden=0), "hidden is 0"),
        (lambda: ReluNetwork(U1, V1, weight_decay=-1.0), "weight_decay is -1.0"),
        (lambda: ReluNetwork(U1, V1, bound=0.0), "bound is 0.0"),
        (lambda: ReluNetwork(U1, V1, batch=0), "batch is 0"),
        (lambda: SoftplusNetwork(U1, V1, beta=0.0), "beta is 0.0"),
        (lambda: HyperparameterLearning(U1, V1, U1, V1, low=0.0), "low is 0.0"),
        (lambda: HyperparameterLearning(U1, [np.zeros(2)], U1, V1), "other numbers than 1 and -1"),
        (lambda: FairClassification(U1, V1, [np.array([0, 1])], lam=0.0), "lam is 0.0"),
        (lambda: FairClassification(U1, V1, [np.array([0, -1])]), "label of client 0"),
        (lambda: FairClassification(U1, V1, [np.array([0, 1]), np.array([0])]), "label has 2 clients"),
        (
            lambda: FairClassification(U1, V1, [np.array([0, 1])], weights="ball"),
            "weights is 'ball'; it should be one of simplex, free, even",
        ),
        (lambda: FairClassification(U1, V1, [np.array([0, 1])], reduction="max"), "reduction is 'max'"),
        (lambda: FairClassification(U1, V1, [np.array([0, 1])], classes=1), "classes is 1; it should be at least 2"),
        (lambda: FairClassification(U1, V1, [np.array([0, 2])], reduction="mean"), "class 1 has no row"),
        (lambda: FairClassification(U1, V1, [np.array([0, 1])], classes=3, reduction="mean"), "class 2 has no row"),
        (lambda: FairClassification(U1, V1, [np.array([0, 1])], bound=0.0), "bound is 0.0"),
        (lambda: FairClassification(U1, V1, [np.array([0, 1])], batch=0), "batch is 0"),
    ],
)
def test_bad_input_is_one_line(call, says):
    with pytest.raises(ValueError, match=says) as error:
        call()
    assert "\n" not in str(error.value)
