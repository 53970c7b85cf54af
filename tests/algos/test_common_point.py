"""Whether the clients' sets have a common point, against cases worked by hand."""

import math

import numpy as np
import pytest

from rateproof.algos.common_point import common_point
from rateproof.algos.problems.line import absolute_line
from rateproof.algos.problems.over_sets import two_discs
from rateproof.algos.sets import Ball, Box, HalfSpace, Projection, Simplex, WholeSpace, interval

E, F, ZERO = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.zeros(2)

COMMON = {
    "free": [WholeSpace(2), WholeSpace(2)],
    "one": [WholeSpace(2), Ball(E, 1.0)],
    "a point": [interval(0.0, 1.0), interval(1.0, 2.0), interval(high=1.0)],
    "discs that touch": [Ball(E, 1.0), Ball(-E, 1.0)],
    "a strip": [HalfSpace(E, -1.0), HalfSpace(-2 * E, 2.0)],
    "a corner": [HalfSpace(E, 0.0), Box([0.0, 0.0], [math.inf, 1.0])],
    "unbounded": [HalfSpace(E, -1.0), Box([-math.inf, 0.0], [math.inf, 1.0])],
    "simplex and ball": [Simplex(2), Ball(ZERO, 0.71)],
    "simplex and box": [Simplex(2), Box(ZERO, ZERO + 0.6)],
    "three discs": [Ball(ZERO, 1.0), Ball(1.2 * E, 1.0), Ball(0.6 * E + F, 1.0)],
    "a wedge": [HalfSpace(E, 0.0), HalfSpace(F, 0.0), HalfSpace(-E - F, 0.0)],
}
NONE = {
    "intervals": ([interval(0.0, 1.0), WholeSpace(1), interval(3.0, 4.0)], "X_2 begins at 3 and X_0 ends at 1"),
    "boxes": ([Box(ZERO, ZERO + 1), Box([0.5, 2.0], [3.0, 3.0])], "begins at 2 and X_0 ends at 1 in coordinate 1"),
    "discs": ([Ball(1.5 * E, 1.0), Ball(-E, 1.0)], "X_0 and X_1 have no common point: they are 0.5 apart"),
    "half-spaces": ([HalfSpace(E, -1.0), HalfSpace(-2 * E, -2.0)], "2 apart"),
    "half-space and box": ([HalfSpace(E, -1.0), Box([0.0, 0.0], [math.inf, 1.0])], "1 apart"),
    "simplex and ball": ([Simplex(2), Ball(ZERO, 0.5)], "0.207 apart"),
    "simplex and half-space": ([Simplex(2), HalfSpace(E + F, 0.9)], "0.0707 apart"),
    "simplex and box": ([Simplex(2), Box(ZERO, ZERO + 0.4)], "hyperplanes show it"),
    # Any two of them meet.
    "three discs": ([Ball(ZERO, 1.0), Ball(1.9 * E, 1.0), Ball(0.95 * E + 1.7 * F, 1.0)], "hyperplanes show it"),
    "three half-spaces": ([HalfSpace(E, 0.0), HalfSpace(F, 0.0), HalfSpace(-E - F, -1.0)], "distance to all is 0.289"),
    "given": ([Projection(2, Ball(3 * E, 1.0).project), Ball(ZERO, 1.0)], "distance to all is 0.5"),
}


@pytest.mark.parametrize("name", COMMON)
def test_a_common_point_is_found(name):
    assert common_point(COMMON[name]).known is True


@pytest.mark.parametrize("name", NONE)
def test_a_missing_one_is_proved_with_the_sets_that_conflict(name):
    sets, words = NONE[name]
    found = common_point(sets)
    assert found.known is False and words in found.why


def test_problems_say_whether_their_feasible_set_has_a_point():
    assert absolute_line(low=[0.0, 1.0], high=[1.0, 4.0]).facts()["feasible"].holds
    empty = absolute_line(low=[0.0, 3.0], high=[1.0, 4.0]).facts()
    assert not empty["feasible"].holds and empty["feasible"].why.startswith("X is empty: X_1 begins at 3")
    assert empty["sets"].holds  # every X_i is nonempty, which is all that Assumption 1 asks for
    assert two_discs().facts()["feasible"].holds
    assert not two_discs(gap=1.01).facts()["feasible"].holds


def test_sets_that_touch_are_not_said_to_miss_each_other():
    # Tangent, so that the mean of the projections comes near slowly; the third set keeps the rule for pairs away.
    slow = [Ball(E, 1.0), HalfSpace(E, 0.0), Projection(2, Box([-9.0, -9.0], [9.0, -0.0]).project)]
    assert common_point(slow).known is not False
