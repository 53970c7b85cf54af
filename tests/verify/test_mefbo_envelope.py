"""MeFBO: a lower level whose coupling fades has the derivatives that a counterexample to Lemma G.1 rests on."""

from itertools import product

import pytest

from rateproof.verify.papers.mefbo.lemma_g1 import Fading

G = Fading(m=0.0, A=1.0, N=24.0)
STEP = 1e-3
POINTS = list(product([0.0, 0.3, -1.0, 2.5, -7.0, 300.0], repeat=2))


def rate(of, x, y, in_x):
    """A difference quotient of two numbers in x or y."""
    dx, dy = (STEP, 0.0) if in_x else (0.0, STEP)
    return [(b - a) / (2 * STEP) for a, b in zip(of(x - dx, y - dy), of(x + dx, y + dy), strict=True)]


def second(x, y):
    """The second derivatives in (x, x), (x, y) and (y, y)."""
    return *rate(G.gradient, x, y, True), rate(G.gradient, x, y, False)[1]


@pytest.mark.parametrize(("x", "y"), POINTS)
def test_a_fading_coupling_differs_little_from_one_that_does_not(x, y):
    slopes = [rate(lambda *z: [G.value(*z)], x, y, in_x)[0] for in_x in (True, False)]
    assert G.gradient(x, y) == pytest.approx(slopes, abs=1e-5)
    xx, xy, yy = second(x, y)
    assert max(abs(xx), abs(xy - G._fading(x, y)[0]), abs(yy)) <= 22 / G.N
    assert max(abs(t) for in_x in (True, False) for t in rate(second, x, y, in_x)) <= 120 / G.N
    assert Fading(m=2.0, A=1.0, N=24.0).gradient(x, y)[1] == pytest.approx(G.gradient(x, y)[1] + 2 * y)
