"""Closed forms of runs of MeFBO against the method of ``algos``, with all its outcomes."""

import pytest

from rateproof.theory import catalog
from rateproof.verify.form.parts import line
from rateproof.verify.papers.mefbo import rates, runs
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Point, Problem, Steps, Term, noise
from rateproof.verify.papers.mefbo.twin import a_run

#: What is measured of each family; its longest runs are too long.
MEASURED = {
    runs.noise_at_an_end: ("R_best", "Psi_0", "sum_lR"),
    runs.identical_clients: ("R_best", "Psi_0", "sum_lR"),
    runs.clients_at_rest: ("R_best", "Psi_0"),
    runs.noise_alone: ("sum_moved", "Psi_0"),
    runs.solution_at_an_end: ("R_best",),
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


def test_a_fixed_interval_does_not_help_either():
    client = Client(0.5, Level(), Level((Term(line(1.0), 0.0, 1.0),)), noise_g=noise(0.0, 2.0))
    problem = Problem((client,) * 2, 0.25, (0.0, 0.0), Y=Interval(0.0, 0.125))
    at = Steps(1, 2, 1.0, 0.02, 0.0004, 0.0004, 1e-4, 1e-4, 1e-4)
    assert a_run(problem, at, Point(0.0, 0.0, 0.0), 4, 1.0)["R_best"] > 1 / 16
