"""Algorithms 2 and 3 where the center is steeper than the nodes: the weights jump, whoever makes the steps."""

import numpy as np
import pytest

from rateproof.algos.methods.fedweight import AcceleratedWeights, ProximalWeights
from rateproof.algos.methods.local_svrg import gamma0
from rateproof.algos.noise import Streams
from rateproof.algos.problems.weighted_families import QuadraticSamples
from rateproof.verify.papers.fedweight.theorem3 import alternating

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
