"""Closed forms of runs of MeFBO against the method of ``algos``, with all its outcomes."""

import pytest

from rateproof.theory import catalog
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.form import in_floats
from rateproof.verify.papers.mefbo import climbs, rates, runs

#: What is measured of each family; its longest runs are too long.
MEASURED = {
    runs.noise_at_an_end: ("R_best", "Psi_0", "sum_lR"),
    runs.identical_clients: ("R_best", "Psi_0", "sum_lR"),
    runs.clients_at_rest: ("R_best", "Psi_0"),
    runs.noise_alone: ("sum_moved", "Psi_0"),
    runs.pulled_by_the_upper_level: ("grad_F", "Psi_0"),
    rates.at_an_end: ("R_best", "Psi_0", "sum_lR"),
}


@pytest.mark.parametrize("family", MEASURED, ids=lambda family: family.name)
def test_a_closed_form_is_what_the_method_does(family):
    looked_at = 0
    for params in family.corners(catalog.get("mefbo.thm3.4"), apart=1):
        try:
            want = family.floats(params)
        except ValueError:
            continue
        if found := family.twin(**params):
            looked_at += 1
            for name in found.keys() & MEASURED[family] & want.keys():
                assert found[name] == pytest.approx(want[name], rel=1e-6, abs=1e-10), params
    assert looked_at > len(family.ranges) / 2


@pytest.mark.parametrize("ladder", [climbs.NOISE, climbs.ONE_CLIENT, climbs.DECREASING, climbs.SOME_CLIENTS])
def test_a_ladder_has_one_problem(ladder):
    problems = [ladder.family.run(**in_floats(rung)).run.problem for rung in ladder.rungs]
    first = problems[0]
    assert all((one.X, one.Y, one.least()) == (first.X, first.Y, first.least()) for one in problems)
    assert first.Y.high == 1 / 8 or first.X.high == 1


def test_the_readings_of_theorem_34_show_its_causes_one_by_one():
    found = check_claim(catalog.get("mefbo.thm3.4"), Budget())
    assert {name: told["verdict"] for name, told in found.readings.items()} == {
        "sets=whole spaces": "refuted",
        "sets and local steps=whole spaces, tau = 1": "refuted",
        "sets and clients=whole spaces, at most two clients": "refuted",
    }
