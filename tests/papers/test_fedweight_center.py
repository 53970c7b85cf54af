"""Algorithms 2 and 3 where the center is steeper than the nodes, or these are many: the weights jump for ever."""

import numpy as np
import pytest

from rateproof.algos.methods.fedweight import AcceleratedWeights, ProximalWeights
from rateproof.algos.methods.local_svrg import gamma0
from rateproof.algos.noise import Streams
from rateproof.algos.problems.weighted_families import QuadraticSamples
from rateproof.algos.sets import CappedSimplex
from rateproof.theory import catalog
from rateproof.verify.papers.fedweight.theorem3 import alternating, turning

C, M = 1 / 1000, 3 / 8
SAID = alternating.trial({**{name: r.corners[0] for name, r in alternating.ranges.items()}, "S_out": 6}).values


def problem():
    """That of ``alternating``, whose linear center is a parabola of curvature 10^-9."""
    nodes, points = [np.diag([C, C / 2]), np.diag([C / 2, C])] * 2, [[M, -M], [-M, M]] * 2
    H, m = np.array([1e-9 * np.eye(2), *nodes]), np.array([[5e8, 5e8], *points])
    more = {"centre": np.zeros(2), "radius": 0.5**0.5, "b": 1.0, "noise": None, "name": "steep", "params": {}}
    return QuadraticSamples(points=m, H=H, sizes=[1] * 5, **more)


@pytest.mark.parametrize("start", ["warm", "zero"])
@pytest.mark.parametrize("kind", [AcceleratedWeights, ProximalWeights])
def test_the_weights_jump_from_group_to_group(kind, start):
    of, ends = problem(), np.array([[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]])
    eta, gamma = float(SAID["eta_w"]), gamma0(ell1=C, mu=C / 2, tau=1, q=0.5)
    method = kind(eta=eta, gamma=gamma, q=0.5, steps=500, start=start)
    rng = Streams(0, 0, 1)
    state = method.init(of, of.join(ends[:1], np.array([[M, -M]])), rng)
    for s in range(6):
        state = method.round(of, state, rng)
        np.testing.assert_array_equal(of.split(state.z)[0][0], ends[(s + 1) % 2])
        exact = of.X.project(state.w - eta * of.hypergradient(state.w))
        assert ((state.w - exact) ** 2).sum() == pytest.approx(float(SAID["station_out"]))
    assert (of.F_hat(ends) - of.F_hat(ends.mean(axis=0, keepdims=True))).tolist() == pytest.approx(
        [float(SAID["gap_ag"])] * 2, rel=1e-6
    )


@pytest.mark.parametrize(("root", "bend", "order"), [(12, 105, 2), (50, 210, 4)])
def test_the_weights_of_many_nodes_jump_with_exact_hypergradients(root, bend, order):
    at = {"S_out": 2, "tau_in": 1, "order": order, "root": root, "l_2": bend}
    said = {name: float(x) for name, x in turning.trial(turning.read(at)).values.items()}
    K, end, signs = root**2, root * said["station_out"] ** 0.5 / 2, np.array([1.0, -1.0] * (root**2 // 2))

    def slope(t):
        return np.array([t[0] + bend * t[0] * t[1], t[1] + bend * (t[0] ** 2 - t[1] ** 2) / 2])

    def hessian(t):
        return np.eye(2) + bend * np.array([[t[1], t[0]], [t[0], -t[1]]])

    def theta(w):
        t = np.zeros(2)
        for _ in range(30):
            t = t - np.linalg.solve(hessian(t), slope(t) - np.array([w @ signs, 0]))
        return t

    ends = [(1 + u * signs) / K for u in (end, -end)]
    simplex = CappedSimplex(K, (1 + end) / K)
    for w, other in (ends, ends[::-1]):
        t = theta(w)
        assert np.linalg.norm(t) < 1 / (10 * bend)
        assert said["mu_l"] <= min(np.linalg.eigvalsh(hessian(t))) < max(np.linalg.eigvalsh(hessian(t))) <= said["l_1"]
        h = np.linalg.solve(hessian(t), [0, -1])
        pull = -(slope(t)[0] - signs) * h[0] - slope(t)[1] * h[1]
        short = said["eta_w"] / (4 if order == 4 else 1)  # the first step of Algorithm 2
        np.testing.assert_allclose(simplex.project((w - short * pull)[None])[0], other, atol=1e-12 / K)
        assert theta(ends[0])[1] == pytest.approx(-said["gap_ag"])
    edge = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 7, 50)]) / (10 * bend)
    assert max(np.linalg.norm(slope(t) - np.array([sign, 0])) for t in edge for sign in (1, -1)) <= said["l_0"]


@pytest.mark.parametrize("item", ["thm3.i", "thm3.ii", "thm4.i", "thm4.ii"])
def test_a_correction_supposes_what_the_lemmas_suppose_whose_statements_it_takes(item):
    def short(h):
        return "A1.2 of node 0" if h.key.endswith(("of the center", "node 0")) else h.key.split()[0]

    claim = catalog.find(f"fedweight.{item}.corrected")
    cited = {"fedweight.lem1.i.corrected", "fedweight.lem4.corrected"}
    assert cited <= {*claim.follows_from}
    needed = {short(h) for i in cited for h in catalog.find(i).hypotheses if not h.cites}
    # what h' and b are, and the step of the theorem
    assert needed - {"h'", "1/K<=b<=1", "gamma<=gamma_0"} <= {short(h) for h in claim.hypotheses}
