"""The schedules of fedweight against the numbers that the paper's formulas give."""

import math

import pytest

from rateproof.theory.papers.fedweight.schedules import SCHEDULES

BY_ID = {s.id: s for s in SCHEDULES}
AT = {"K_nodes": 3, "l_0": 1, "l_1": 2, "l_2": 1, "mu_l": 1, "q_in": 0.5, "s_out": 2, "A_1": 3, "A_2": 1, "A_3": 2}


def gamma_0(tau: int, schedule: str = "sc-gamma0", **given: float) -> float:
    return BY_ID[schedule].evaluate(AT | {"tau_in": tau} | given)["gamma_0"]


def test_the_root_of_17_covers_five_e_or_the_whole_product():
    for schedule in ("sc-gamma0", "sc-gamma0-product"):  # for tau = 1 the second bound is none
        assert gamma_0(1, schedule) == pytest.approx(3 / 160)
        assert gamma_0(1, schedule, mu_l=10, l_1=0.1) == pytest.approx(0.5 / 40)
    drift = 3 * (18 + 8 + 32)
    assert gamma_0(4) == pytest.approx(1 / (2 * math.sqrt(5 * math.e) * drift))
    assert gamma_0(4, "sc-gamma0-product") == pytest.approx(min(3 / 160, 1 / (2 * math.sqrt(5 * math.e * drift))))


def test_the_step_of_the_weights():
    smooth = (2 * 2 + 1) * math.sqrt(3) + 3 * 2
    assert BY_ID["sc-eta"].evaluate(AT)["eta_w"] == pytest.approx(1 / (3 * smooth))


@pytest.mark.parametrize(("theorem", "order"), [("thm3", 4), ("thm4", 2)])
def test_calls_bring_the_error_of_lemma_4_down(theorem, order):
    one = BY_ID[f"sc-{theorem}-tau1"].evaluate(AT | {"tau_in": 1})
    gamma, T = one["gamma_in"], math.ceil(one["T_s"])
    assert 3 / gamma * (1 - gamma) ** (T + 1) <= 3**-order < 3 / gamma * (1 - gamma) ** (T / 2)
    more = BY_ID[f"sc-{theorem}-tau"].evaluate(AT | {"tau_in": 4})
    gamma, T = more["gamma_in"], math.ceil(more["T_s"])
    assert (3 + 3) / gamma * (1 - gamma) ** (T + 1) + 2 * (3 * gamma) ** 2 <= 3**-order
    assert BY_ID[f"sc-{theorem}-tau"].violations(AT | {"tau_in": 1})
