"""The risk-averse experiment of fedmsa: recorded runs, intervals of medians, and one client without noise."""

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedMCO
from rateproof.algos.problems.compositional import product
from rateproof.algos.problems.risk_averse import risk_averse
from rateproof.theory import catalog
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Finding
from rateproof.verify.papers.fedmsa import risk
from rateproof.verify.papers.fedmsa.experiments import check_risk


@pytest.mark.parametrize("run", [*risk.AUTHORS, risk.sweep(risk.recorded())[2]], ids=str)
def test_a_draw_is_as_recorded(run):
    np.testing.assert_allclose(run.distances(3), risk.recorded()[str(run)][3], rtol=1e-3, atol=1e-6)


def test_what_is_found_at_which_steps():
    found = {one.reading: one for one in check_risk(catalog.get("fedmsa.exp.mco-1"), Budget())}
    refuted = found.pop("steps=one step size for both methods")
    assert refuted.finding is Finding.VIOLATION and refuted.error_probability < 1e-6 and "in 0 of 50" in refuted.detail
    assert {one.finding for one in found.values()} == {Finding.INCONCLUSIVE} and len(found) == 3


def test_intervals_of_medians():
    ordered = np.arange(50.0)
    # 2 P(Bin(50, 1/2) <= 17) = 0.0328, and 0.0649 up to 18
    assert risk.interval(ordered[::-1], 0.05) == (17, 32)
    assert risk.interval(ordered[:20], 1e-7) == (-np.inf, np.inf)


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"run": "centralised, alpha = 0.1", "distances": [[1]]}\n')
    with pytest.raises(ValueError, match="line 1 is no course"):
        risk.recorded(path)


def test_one_client_without_noise_takes_delayed_gradients():
    """Local steps and momentum do not matter, and f1 and f2 have the slopes of one and of two steps before."""
    problem, alpha = risk_averse(m=1), 0.001
    for K, R, rho in ((1, 5, 1.0), (4, 2, 0.3)):
        method = FedMCO(alpha=alpha, beta=1.0, rho=rho, K=K, output_rule="last")
        end = engine.run(method, problem, problem.x0, R=R, record=[R], metrics={}).x_last[0]
        x = [np.full((1, 4), 0.1)] * 3
        for _ in range(5):
            first, second = problem.level(0, x[-2]), problem.level(1, problem.level(0, x[-3]))
            slopes = [problem.level_jacobian(n, at) for n, at in enumerate((x[-1], first, second))]
            x.append(x[-1] - alpha * product(slopes))
        np.testing.assert_allclose(end[:4], x[-1][0], rtol=1e-12)
        assert abs(x[-1] - x[0]).max() > 1e-3
