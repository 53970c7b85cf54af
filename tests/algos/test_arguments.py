"""Wrong arguments of families are refused in one line that names them and says what would be right."""

import math

import numpy as np
import pytest

from rateproof.algos.arguments import MOST, check_counts, check_size, finite, generator, numbers, ordered
from rateproof.algos.piecewise import affine
from rateproof.algos.problems.bilevel import affine_response, moving_floor, quadratic_lower
from rateproof.algos.problems.cournot import cournot, drawn_cournot
from rateproof.algos.problems.fair import random_fair_classification
from rateproof.algos.problems.line import Steps, Trapezoid, absolute_line, huber_line, sloped_line
from rateproof.algos.problems.line_lower import LineBilevel
from rateproof.algos.problems.macmpec import bard1
from rateproof.algos.problems.minimax import bilinear_minimax, cut_minimax
from rateproof.algos.problems.nonsmooth import max_affine_losses, norm_distances, random_max_affine, sampled_distances
from rateproof.algos.problems.over_sets import linear_over
from rateproof.algos.problems.quadratic import overparameterised_least_squares
from rateproof.algos.problems.two_stage import affine_two_stage, scalar_two_stage

RAGGED = [[1.0, 2.0], [3.0]]
NOT_ROWS = r"is \[\[1.0, 2.0\], \[3.0\]\]; it should hold numbers, in rows of one length where it has rows"
ZERO = affine(slope=0.0)


def bilevel(**arguments):
    return LineBilevel([ZERO], [ZERO], **arguments)


COUNTED = {
    "m": (
        *(absolute_line, huber_line, affine_response, quadratic_lower, moving_floor, affine_two_stage, cournot),
        *(scalar_two_stage, drawn_cournot, bard1, bilinear_minimax, cut_minimax, random_max_affine),
        *(random_fair_classification, overparameterised_least_squares),
    ),
    "nt": (cournot, drawn_cournot, affine_two_stage, affine_response, quadratic_lower, moving_floor, cut_minimax),
    "n": (affine_response, quadratic_lower, affine_two_stage, bilinear_minimax, random_max_affine),
}


@pytest.mark.parametrize("count", [-2, 0, 1.5, math.nan])
@pytest.mark.parametrize(("name", "family"), [(name, f) for name, some in COUNTED.items() for f in some])
def test_counts_are_whole_numbers_from_1(name, family, count):
    with pytest.raises(ValueError, match=f"^{name} is {count}; it should be a whole number, at least 1$"):
        family(**{name: count})


@pytest.mark.parametrize(("name", "family"), [(name, f) for name, some in COUNTED.items() for f in some])
def test_counts_that_do_not_fit_in_memory_are_refused_before_it_is_asked_for(name, family):
    with pytest.raises(ValueError, match=f"^{name} is 100000000000; it should be at most {MOST}"):
        family(**{name: 10**11})


WRONG = {
    "seed": (lambda: drawn_cournot(seed=-1), "seed is -1; it should be a whole number, at least 0"),
    "seed of rows": (lambda: random_max_affine(seed=1.5), "seed is 1.5; it should be a whole number, at least 0"),
    "costs": (lambda: drawn_cournot(c_low=2.0, c_high=1.0), "c_low is 2 and c_high is 1; c_low should be at most"),
    "demand": (lambda: cournot(a_low=3.0, a_high=2.0), "a_low is 3 and a_high is 2; a_low should be at most a_high"),
    "many": (lambda: quadratic_lower(nt=10**6), "M would hold 1000000000000 numbers"),
    "ragged A": (lambda: affine_response(A=RAGGED), f"^A {NOT_ROWS}"),
    "ragged pieces": (lambda: max_affine_losses(A=RAGGED), f"^A {NOT_ROWS}"),
    "ragged centres": (lambda: norm_distances(centres=RAGGED), f"^centres {NOT_ROWS}"),
    "ragged batches": (lambda: sampled_distances(centres=RAGGED), f"^centres {NOT_ROWS}"),
    "ragged levels": (lambda: affine_two_stage(levels=RAGGED), f"^levels {NOT_ROWS}"),
    "ragged M": (lambda: affine_two_stage(M=RAGGED, nt=2), f"^M {NOT_ROWS}"),
    "ragged low": (lambda: absolute_line(low=RAGGED), f"^low {NOT_ROWS}"),
    "text": (lambda: absolute_line(slope="abc"), "slope is 'abc'; it should hold numbers"),
    "slopes": (
        lambda: sloped_line(breaks=[[0]], slopes=[[1, 2, 3]]),
        r"client 0 has breaks \[0\] and slopes \[1, 2, 3\]; they should be lists of p breaks and p \+ 1 slopes",
    ),
    "flat breaks": (lambda: sloped_line(breaks=[0.0], slopes=[[1, 2]]), "client 0 has breaks 0.0 and slopes"),
    "ragged slopes": (lambda: sloped_line(slopes=[RAGGED]), f"^slopes of client 0 {NOT_ROWS}"),
    "no list": (lambda: sloped_line(breaks=0.0), "breaks is 0.0; it should hold a list of numbers for each client"),
    "b": (lambda: bilevel(b=[1, 2]), r"b has shape \(2,\); it should be one number, or of shape \(1,\)"),
    "A": (lambda: bilevel(A=math.nan), "A has a NaN; it should hold numbers"),
    "end": (lambda: bilevel(low=math.nan), "low has a NaN; it should hold numbers"),
    "period": (lambda: absolute_line(nu=1.0, period=0.0), "period is 0.0; it should be a positive number"),
    "no noise": (lambda: absolute_line(period=-1.0), "period is -1.0; it should be a positive number"),
    "step": (lambda: Steps(math.nan), "period is nan; it should be a positive number"),
    "ramp": (lambda: Trapezoid(0.0), "period is 0.0; it should be a positive number"),
    "kind": (lambda: linear_over(kind="cone"), "kind is 'cone'; it should be one of ball, simplex, half-space, free"),
    "size": (lambda: linear_over(kind="simplex", size=0.0), "size is 0; it should be positive for a simplex"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_argument_is_named(name):
    make, words = WRONG[name]
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert "\n" not in str(error.value)


def test_what_is_right_is_let_through():
    check_counts(m=1, nt=np.int64(3), n=2.0)
    check_size("M", (10**4, 10**4))
    ordered(low=1.0, high=1.0)
    assert numbers("low", [-math.inf, 2]).tolist() == [-math.inf, 2.0]
    assert generator(3).integers(10**6) == np.random.default_rng(3).integers(10**6)
    given = np.zeros(2)
    finite("x", given)[0] = 1.0
    assert given[0] == 0.0
    for wrong in (True, "3", None, 0):
        with pytest.raises(ValueError, match="m is"):
            check_counts(m=wrong)
    with pytest.raises(ValueError, match=r"x has inf at \[0, 1\]; it should hold finite numbers"):
        finite("x", [[0.0, math.inf]])
