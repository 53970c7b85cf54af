"""Local-SVRG on two nodes: what the proofs sum over the iterations is one sequence."""

import itertools
from fractions import Fraction

import pytest

from rateproof.verify.papers.fedweight.proposition3 import two_nodes

ODD = {"q_in": "1/3", "w": "1/4", "c_2": "1/10", "s": "1/2", "apart": 1, "start": 2, "l_1": 2, "mu_l": "1/10"}
PARAMS = {name: r.corners[0] for name, r in two_nodes.ranges.items()} | two_nodes.read(ODD)


def measured(t: int, tau: int) -> dict[str, float]:
    return two_nodes.trial({**PARAMS, "gamma_in": Fraction(1, 20), "T_in": t, "tau_in": tau}).values


@pytest.mark.parametrize(("tau", "t"), [*itertools.product((1, 2, 3), range(5))])
def test_the_end_of_an_iteration_is_the_start_of_the_next(tau, t):
    now, later = measured(t, tau), measured(t + 1, tau)
    for of in ("dist", "ref", "pot"):
        assert float(now[f"{of}_next"]) == pytest.approx(float(later[f"{of}_t"]), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("tau", [1, 2, 3])
def test_the_first_iteration_is_at_the_start(tau):
    first = measured(0, tau)
    assert (first["dist_t"], first["ref_t"], first["pot_t"]) == (first["dist_0"], first["ref_0"], 0)
