"""Random forms: semidefinite ones proved, indefinite ones refuted, and proofs hold at random vectors and functions."""

from fractions import Fraction

import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from test_gram import proved, refuted

from rateproof.theory.gram import Proved, Refuted, decide, dot, interpolation, norm2, vectors

exact = settings(derandomize=True, deadline=None, max_examples=25)
small = st.integers(-3, 3)
fractions = st.fractions(-3, 3, max_denominator=4)


def form(matrix):
    v = vectors(" ".join(f"v_{i}" for i in range(len(matrix))))
    return sum((m * dot(v[i], v[j]) for i, row in enumerate(matrix) for j, m in enumerate(row)), sp.S.Zero)


@st.composite
def semidefinite(draw):
    """``B^T B`` with any rank."""
    n, rank = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    B = sp.Matrix(rank, n, lambda i, j: sp.Rational(draw(fractions)))
    return B.T * B


@exact
@given(semidefinite())
def test_semidefinite_forms_are_proved(matrix):
    proved(sp.Ge(form(matrix.tolist()), 0, evaluate=False))


@exact
@given(semidefinite(), st.lists(small, min_size=4, max_size=4), st.fractions(Fraction(1, 1000), 1))
def test_indefinite_forms_are_refuted(matrix, direction, depth):
    """Taken below zero along one direction, by as little as 1/1000."""
    w = sp.Matrix(direction[: matrix.rows])
    if w.is_zero_matrix:
        w[0] = sp.S.One
    length = (w.T * w)[0]
    value = (w.T * matrix * w)[0]
    below = matrix - (value + sp.Rational(depth)) / length**2 * w * w.T
    refuted(sp.Ge(form(below.tolist()), 0, evaluate=False))


@exact
@given(st.lists(st.lists(small, min_size=3, max_size=3), min_size=3, max_size=3), st.lists(fractions, min_size=9))
def test_what_is_decided_is_right(rows, numbers):
    matrix = sp.Matrix(rows) + sp.Matrix(rows).T
    result = decide(sp.Ge(form(matrix.tolist()), 0, evaluate=False))
    vector = sp.Matrix(3, 3, [sp.Rational(x) for x in numbers[:9]])
    if isinstance(result, Proved):
        assert (vector.T * matrix * vector).trace() >= 0
    else:
        assert isinstance(result, Refuted) and result.excess > 0


@exact
@given(st.lists(fractions, min_size=6, max_size=6), st.lists(st.fractions(1, 4), min_size=2, max_size=2))
def test_premises_hold_for_functions_of_their_class(points, curvatures):
    """Every quadratic with curvatures between mu and L satisfies interpolation, and what was proved from it."""
    mu, L = sp.Integer(1), sp.Integer(4) + sp.Rational(1, 2)
    names = ("x", "y", "z")
    free = vectors("x y z gx gy gz")
    f = sp.symbols("f_x f_y f_z")
    premise = interpolation(mu, L, *zip(free[:3], free[3:], f, strict=True))
    x, y, z, gx, *_ = free
    lemma = dot(gx, z - y) >= f[2] - f[1] + mu / 4 * norm2(y - z) - L * norm2(z - x)
    at = {name: [sp.Rational(v) for v in points[2 * i : 2 * i + 2]] for i, name in enumerate(names)}
    h = [sp.Rational(c) for c in curvatures]
    at |= {f"g{name}": [c * v for c, v in zip(h, at[name], strict=True)] for name in names}
    numbers = {s: sum(c * v**2 for c, v in zip(h, at[n], strict=True)) / 2 for s, n in zip(f, names, strict=True)}
    for u, a in at.items():
        for v, b in at.items():
            numbers[sp.Symbol(f"<{u},{v}>", real=True)] = sum(i * j for i, j in zip(a, b, strict=True))
    for relation in (*premise.relations, lemma):
        assert relation.xreplace(numbers) == sp.true
