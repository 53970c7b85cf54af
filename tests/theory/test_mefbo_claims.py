"""MeFBO: instances by hand in the claims' own formulas, and the steps that Lemma D.8 admits."""

from itertools import product

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d6, lemma_d7, schedules
from rateproof.theory.papers.mefbo import notation as p

_R = sp.Rational
CONSTANTS = {p.L_1: 1, p.L_2: 2, p.gamma: 0.2, p.c_t: 2, p.n: 10, p.P: 5, p.beta_max: 1, p.tau: 5}


def sides(claim, at, of=None):
    """Both sides of a claim's statement at numbers; where there are none, a metric is zero."""
    relation = claim.expand(claim.statement if of is None else of)
    rest = dict.fromkeys(relation.free_symbols - at.keys(), sp.S.Zero)
    return [side.subs({**at, **rest}) for side in relation.args]


def test_descent_at_a_noisy_minimiser():
    """One step of 3/4 or -3/4 from the minimiser of sqrt(1 + x^2) - 1, with noise of variance 1."""
    step = _R(3, 4)
    at = {p.lambda_x: step, p.lambda_y: 1, p.L_1: 1, p.L_2: _R(1, 100), p.gamma: 10, p.c_t: 1}
    at |= {p.Phi_end: _R(1, 4), p.step_x: step**2, lemma_d5.var_x: 1}
    left, right = sides(lemma_d5.LEMMA_D5, at)
    assert left == _R(1, 4) and right == -_R(201, 3200)
    left, right = sides(lemma_d5.LEMMA_D5_CORRECTED, at)
    assert left <= right


def theta_after_a_round(eta, lambda_theta, lambda_y, gamma):
    """Exact means over two-point noise: gap, ||dy||^2 and drifts of two clients with g = -y^2/2, after two steps."""

    def client(signs):
        theta = y = h_theta = h_y = drift_theta = drift_y = sp.S.Zero
        for e in signs:
            drift_theta, drift_y = drift_theta + theta**2 / 2, drift_y + y**2 / 2
            one, two = -theta + e + (theta - y) / gamma, -y + e - (y - theta) / gamma
            h_theta, h_y = h_theta + one / 2, h_y + two / 2
            theta, y = theta - eta * one, y - eta * two
        return h_theta, h_y, drift_theta, drift_y

    found = [sp.S.Zero] * 4
    for signs in product((-1, 1), repeat=4):
        both = zip(client(signs[:2]), client(signs[2:]), strict=True)
        h_theta, h_y, drift_theta, drift_y = ((one + other) / 2 for one, other in both)
        gap = -lambda_theta * h_theta + lambda_y * h_y / (1 - gamma)
        for i, value in enumerate((gap**2, (lambda_y * h_y) ** 2, drift_theta, drift_y)):
            found[i] += value / 16
    return found


def test_the_gap_when_the_noise_of_a_step_moves_the_next():
    eta, lambda_theta, lambda_y, gamma = _R(1, 1000), sp.Integer(10), _R(1, 10**6), _R(1, 4)
    gap, moved, drift_theta, drift_y = theta_after_a_round(eta, lambda_theta, lambda_y, gamma)
    at = {p.L_2: 1, p.gamma: gamma, p.n: 2, p.P: 2, p.tau: 2, p.beta_max: 1, p.sig_g: 1, p.lambda_theta: lambda_theta}
    at |= {p.delta: _R(1, 10**4), p.gap2_end: gap, p.step_y: moved, p.D_theta: drift_theta, p.D_y: drift_y}
    left, right = sides(lemma_d6.LEMMA_D6, at)
    assert _R(2502, 100) < left and right < _R(2502, 100)
    left, right = sides(lemma_d6.LEMMA_D6_CORRECTED, at)
    assert left <= right


def test_drift_along_a_slope():
    """f(x) = x and twenty local steps: the drift is the mean of k^2."""
    at = {p.tau: 20, p.eta_x: 1, p.c_t: 1, p.L_f: 1, p.D_x: _R(247, 2)}
    printed = next(r for r in lemma_d7.LEMMA_D7.statement.args if r.lhs == p.D_x)
    assert sides(lemma_d7.LEMMA_D7, at, printed) == [_R(247, 2), 60]
    left, right = sides(lemma_d7.DRIFT_X, at)
    assert left <= right


def test_the_largest_admissible_steps():
    server, client = schedules.largest_steps(CONSTANTS)
    assert server > 0 and client > 0
    constants = {s: sp.Float(v) for s, v in CONSTANTS.items()}
    ratio = schedules.lyapunov(2, 0.2)["c_theta"]
    for share, admissible in ((0.999, True), (1.001, False)):
        steps = {p.lambda_theta: share * server, p.eta_theta: share * client}
        steps |= {p.lambda_x: ratio * share * server, p.lambda_y: ratio * share * server}
        steps |= {p.eta_x: share * client, p.eta_y: share * client}
        held = [
            bool(left <= right + 1e-9)
            for c in schedules.MENDED
            for left, right in [[schedules.expanded(side).subs({**constants, **steps}) for side in c.relation.args]]
            if c.relation.rel_op == "<="
        ]
        assert all(held) is admissible


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({p.gamma: 0.25}, r"gamma should be in \(0, 1/\(2 L_2\)\) = \(0, 0.25\)"),
        ({p.P: 11}, "P should be at most n = 10"),
    ],
)
def test_constants_out_of_range(changed, said):
    with pytest.raises(ValueError, match=said):
        schedules.largest_steps({**CONSTANTS, **changed})


def test_every_id_of_the_print_is_there():
    # 111 of the catalog, and the step sizes of the experiments
    assert len([c for c in catalog.claims("mefbo").values() if not c.amends]) == 112
