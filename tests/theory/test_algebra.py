"""Normal forms are those of sympy, which takes longer."""

import random

import pytest
import sympy as sp

from rateproof.theory.algebra import in_factors, normal

X, Y = sp.symbols("x y", positive=True)
SYMBOLS = (X, Y, sp.Symbol("L", real=True), sp.Symbol("b"), sp.Symbol("B"))
NUMBERS = (-3, -1, 1, 2, 4, sp.Rational(1, 2), sp.Rational(-5, 3))


def _polynomial(rng: random.Random) -> sp.Expr:
    powers = ([s ** rng.randint(0, 2) for s in rng.sample(SYMBOLS, 2)] for _ in range(rng.randint(1, 3)))
    return sp.Add(*(rng.choice(NUMBERS) * sp.Mul(*factors) for factors in powers))


@pytest.mark.parametrize("seed", range(20))
def test_factors_are_those_of_sympy(seed):
    rng = random.Random(seed)
    for _ in range(5):
        over, under = (sp.Mul(*(_polynomial(rng) for _ in range(rng.randint(1, 3)))) for _ in range(2))
        quotient = normal(over / under if under != 0 else over)
        assert in_factors(quotient) == sp.factor(quotient)


@pytest.mark.parametrize(
    "expr",
    [sp.S.Zero, -X, -X - 1, 2 * X + 2, X / 2 + sp.S.Half, 1 / (-X - Y), sp.sqrt(X) + X * Y, 10**60 * X**2 - 1],
)
def test_small_ones_too(expr):
    assert in_factors(expr) == sp.factor(expr)
