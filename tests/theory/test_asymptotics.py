"""Leading terms, exponents, inversion to complexities, and the comparison with printed complexities."""

from fractions import Fraction

import mpmath as mp
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rateproof.theory.asymptotics import (
    Monomial,
    compare,
    complexity,
    compose,
    entry,
    exponent,
    invert,
    monomials,
    regions,
    total,
    worst,
    worst_epsilon_exponent,
)
from rateproof.theory.symbols import N, R, S, T, a, alpha, b, epsilon, eta, gamma_g, grad_f_star, kappa, mu_f, p

W, Y, Q2, M = sp.symbols("W Y Q2 M", nonnegative=True)
ln = sp.log
HALF = sp.Rational(1, 2)

# Theorem 1 (strongly convex outer loss): the explicit bounds of its proof and the printed complexities
X1 = mu_f / 2 * Q2 / (R ** (p / 2) - 1) + (Y / S + W / ((mu_f * R) ** a * gamma_g**2)) / (
    p * ln(R) * (mu_f * R) ** (a - b)
)
O1 = (
    (mu_f * Q2 / epsilon) ** (2 / p)
    + (W / (p * mu_f ** (2 * a - b) * epsilon * gamma_g**2)) ** (1 / (2 * a - b))
    + (Y / (p * mu_f ** (a - b) * epsilon * S)) ** (1 / (a - b))
)
X2 = (
    p * ln(R) * mu_f ** (1 - b) * Q2 / (2 * R**b * (R ** (p / 2) - 1))
    + Y / (S * (mu_f * R) ** a)
    + W / ((mu_f * R) ** (2 * a) * gamma_g**2)
    + 2 * M * p * ln(R) / (mu_f * R) ** b
)


def bracket(target: sp.Expr) -> sp.Expr:
    """The four terms that the complexities i-2 and ii-1 of Theorem 1 share."""
    return (
        (p * mu_f ** (1 - b) * Q2 / target) ** (1 / (b + p / 2))
        + (W / (mu_f ** (2 * a) * target * gamma_g**2)) ** (1 / (2 * a))
        + (Y / (mu_f**a * target * S)) ** (1 / a)
        + (p * M / (mu_f**b * target)) ** (1 / b)
    )


# Theorem 2 (convex outer loss)
X_convex_f = 3 * Q2 * R ** (a + b - 1) + 3 * R ** (b - a) * Y / S + 3 * R ** (b - 2 * a) * W / gamma_g**2
X_convex_h = 3 * Q2 * R ** (a - 1) + 3 * R**-a * Y / S + 3 * R ** (-2 * a) * W / gamma_g**2 + 2 * M * R**-b


def lower(bound: sp.Expr) -> sp.Expr:
    return grad_f_star * (bound / alpha) ** (1 / kappa)


class TestMonomial:
    def test_equality_is_up_to_simplification(self):
        left = Monomial({R: (a**2 - b**2) / (a - b), mu_f: 0}, {R: 1 / (1 - a - b)})
        right = Monomial({R: a + b}, {R: -1 / (a + b - 1)})
        assert left == right and hash(left) == hash(right)
        assert left != Monomial({R: a + b}) and left != Monomial({R: a + 2 * b}, {R: 1 / (1 - a - b)})

    def test_product_and_power(self):
        m = Monomial({R: a}, {R: 1}) * Monomial({R: -a, mu_f: b}) ** (1 / b)
        assert m == Monomial({R: a - a / b, mu_f: 1}, {R: 1})
        assert m * m**-1 == Monomial()

    def test_print(self):
        assert str(Monomial({R: -b, mu_f: 1}, {R: 1})) == "R^(-b) mu_f |ln R|"
        assert str(Monomial()) == "1"


class TestMonomials:
    @pytest.mark.parametrize(
        ("expr", "expected"),
        [
            (3 * Q2 * (mu_f * R) ** (a - b), [Monomial({Q2: 1, R: a - b, mu_f: a - b})]),
            (1 / (R ** (p / 2) - 1), [Monomial({R: -p / 2})]),
            (1 / (1 - R**-a), [Monomial()]),
            ((R**a - 1) / (R**a + R ** (2 * a)), [Monomial({R: -a})]),
            (ln(mu_f * R), [Monomial({}, {R: 1})]),
            (ln(R**2 + 5) ** kappa, [Monomial({}, {R: kappa})]),
            (ln(R**p / Y), [Monomial({p: 1}, {R: 1})]),
            (sp.sqrt(ln(2 * R) ** 2), [Monomial({}, {R: 1})]),
            (-ln(mu_f / R), [Monomial({}, {R: 1})]),
            (ln(S), [Monomial({}, {S: 1})]),
            (ln(R) + 1, [Monomial({}, {R: 1})]),
            (R + ln(R) ** 9, [Monomial({R: 1})]),
            (R + Y, [Monomial({R: 1}), Monomial({Y: 1})]),
            (sp.Max(Y / R, R**-b, 0), [Monomial({Y: 1, R: -1}), Monomial({R: -b})]),
            ((Y / R + W / R**2) ** (1 / kappa), [Monomial({Y: 1 / kappa, R: -1 / kappa}),
                                                Monomial({W: 1 / kappa, R: -2 / kappa})]),
            (R**a + R**b, [Monomial({R: a}), Monomial({R: b})]),
            (R**a + R ** (a + b), [Monomial({R: a + b})]),
            ((24 * sp.sqrt(2)) ** kappa / sp.E * R, [Monomial({R: 1})]),
            (R**0.5, [Monomial({R: HALF})]),
            ((1 - R) ** 2, [Monomial({R: 2})]),
            (sp.S.Zero, []),
        ],
    )  # fmt: skip
    def test_expansion(self, expr, expected):
        assert set(monomials(expr, R)) == set(expected)

    def test_towards_zero(self):
        expr = ln(1 / epsilon) * (epsilon**-2 + epsilon)
        assert monomials(expr, epsilon, to_zero=True) == (Monomial({epsilon: -2}, {epsilon: 1}),)
        assert monomials(epsilon**2 / (epsilon + epsilon**2), epsilon, to_zero=True) == (Monomial({epsilon: 1}),)

    @pytest.mark.parametrize(
        ("expr", "named"),
        [
            (R + 1 / (R**a + R**b), "R**a + R**b"),
            (Y * (R**a - R**b), "R**a - R**b"),
            (1 / (Y + W), "1/(W + Y)"),
            ((R + Y) ** (a - b) / (Y + W), "1/(W + Y)"),
            ((Y + W) ** (a - b), "(W + Y)**(a - b)"),
            (R * sp.sin(R), "sin(R)"),
            (Y * R ** (1 / ln(R + 1)), "exponent should not contain R"),
            (ln(ln(R)), "log(log(R))"),
            (ln(R**a + R**b), "log(R**a + R**b)"),
            (ln(1 + 1 / R), "power of R"),
            (ln(R ** (a - b)), "a - b"),
            (sp.sqrt(1 - R), "sqrt(1 - R)"),
            (sp.Max(R - R**2, Y), "nonnegative"),
            (sp.I * R, "real"),
            (-grad_f_star * (Y / R) ** (1 / kappa), "magnitude"),
        ],
    )
    def test_refusal_names_the_part(self, expr, named):
        with pytest.raises(ValueError) as error:
            monomials(expr, R)
        assert named in str(error.value)


delta, C = sp.symbols("delta C", positive=True)


class TestConstants:
    """Signs of what does not depend on the variable."""

    @pytest.mark.parametrize(
        ("expr", "parameters", "expected"),
        [
            (ln(1 / delta) / R, (delta < 1,), [Monomial({R: -1}, {delta: 1})]),
            (ln(2 / delta) / R, (delta < 1,), [Monomial({R: -1}, {delta: 1}), Monomial({R: -1})]),
            (ln(N * C**a / delta**2), (delta < HALF, C >= 2),
             [Monomial({}, {N: 1}), Monomial({a: 1}, {C: 1}), Monomial({}, {delta: 1})]),
            (R - ln(delta), (delta < 1,), [Monomial({R: 1}), Monomial({}, {delta: 1})]),
            (sp.sqrt(ln(1 / delta)), (sp.Le(delta, 1),), [Monomial({}, {delta: HALF})]),
        ],
    )  # fmt: skip
    def test_logarithms(self, expr, parameters, expected):
        """A confidence delta is declared small; a number of clients is known to be at least one."""
        assert set(monomials(expr, R, parameters=parameters)) == set(expected)

    @pytest.mark.parametrize(
        ("expr", "parameters", "named"),
        [
            (ln(1 / delta) / R, (), "delta < 1 or delta > 1"),
            (ln(delta) / R, (delta < 1,), "magnitude"),
            (ln(2 * delta) / R, (delta < 1,), "which sign leads"),
            (ln(1 / delta) / R, (delta > 1,), "magnitude"),
            (ln(Y / W), (), "to the parameters"),
            (ln(1 + Y), (), "product of powers"),
            (sp.Symbol("n", negative=True) * R, (), "counts as positive"),
            (sp.Symbol("i", imaginary=True) * R, (), "counts as positive"),
            (sp.Symbol("x", real=True) * R, (sp.Symbol("x", real=True) < 0,), "counts as positive"),
            (ln(R ** sp.Symbol("x", real=True)), (), "sign of x"),
        ],
    )
    def test_refusals(self, expr, parameters, named):
        with pytest.raises(ValueError) as error:
            monomials(expr, R, parameters=parameters)
        assert named in str(error.value)

    def test_the_accuracy_is_small(self):
        (found,) = complexity(Y * ln(1 / epsilon) / R, R)
        assert found.monomial == Monomial({Y: 1, epsilon: -1}, {epsilon: 1})
        assert compare(Y / epsilon * ln(1 / epsilon), Y * ln(1 / epsilon) / R, rounds=R).verdict == "agrees"

    def test_the_accuracy_as_a_factor_only(self):
        """1/(R + eps^-3) is below eps at R = 1 already, although R -> oo at a fixed eps gives 1/R."""
        with pytest.raises(ValueError, match="epsilon should be a factor"):
            complexity(1 / (R + epsilon**-3), R)


class TestNames:
    """Two symbols of one name are two symbols for sympy and one for a reader."""

    def test_two_symbols_of_one_name_are_refused(self):
        other = {v: sp.Symbol(v.name) for v in (R, a, epsilon, T)}
        inversions = complexity(Y * R**-a, R)
        for ask in (
            lambda: monomials(Y / other[R], R),
            lambda: complexity(Y / R, R, epsilon, parameters=(sp.Lt(other[epsilon], 1),)),
            lambda: compare(Y / other[epsilon], Y / R, rounds=R),
            lambda: regions(R**-a + 1 / R, R, where={other[a]: HALF}),
            lambda: worst(inversions, parameters=(other[a] < 1,)),
            lambda: worst(inversions, epsilon=other[epsilon]),
            lambda: entry(1 / epsilon, inversions, where={other[a]: HALF}),
            lambda: total(other[R], R, T),
            lambda: compose([Monomial({other[T]: 2})], complexity(Y / T, T), T),
        ):
            with pytest.raises(ValueError, match="two symbols are named"):
                ask()

    def test_a_dummy_may_have_any_name(self):
        dummy = sp.Dummy("R", positive=True)
        assert monomials(dummy / R, R) == (Monomial({dummy: 1, R: -1}),)


class TestOddExponents:
    """What is no rational function of real parameters is refused in one line, or decided; never a traceback."""

    x = sp.Symbol("x", real=True)

    def test_a_symbol_that_cancels(self):
        for one in (sp.Mul(self.x, 1 / self.x, evaluate=False), 1 + sp.Add(self.x, -self.x, evaluate=False)):
            assert monomials(R**-one + R ** (-2 * one), R) == (Monomial({R: -1}),)
            assert worst(complexity(R**-one * ln(R**one), R))[0].power == 1

    @pytest.mark.parametrize(
        "q",
        [sp.sqrt(-a), sp.I * a, sp.sqrt(1 - a), sp.zoo, sp.nan, sp.Symbol("i", imaginary=True),
         1 / sp.Add(a, -a, evaluate=False)],
    )  # fmt: skip
    def test_not_real(self, q):
        for ask in (monomials, complexity, regions):
            with pytest.raises(ValueError, match=r"real|finite"):
                ask(Y * R**-q + 1 / R, R)
        with pytest.raises(ValueError, match=r"real|finite"):
            Monomial({R: q})

    def test_irrational_coefficients(self):
        numbers = R ** -sp.sqrt(2) + R ** -sp.sqrt(3)
        assert [r.power for r in regions(numbers, R)] == [-sp.sqrt(2)]
        with pytest.raises(ValueError, match="rational coefficients"):
            regions(R ** (-sp.sqrt(2) * a) + R ** (-sp.sqrt(3) * b), R)
        with pytest.raises(ValueError, match="rational coefficients"):
            monomials(1 / R, R, parameters=(sp.sqrt(2) * a < sp.pi * b,))

    def test_signs_beyond_positive(self):
        """A positive integer is at least one, a negative number below zero: no region lies beyond."""
        n = sp.Symbol("n", negative=True)
        assert [r.power for r in regions(R**n + R, R)] == [1]
        assert [r.power for r in regions(Y * R**-N + W / R, R)] == [-1]

    def test_decay_at_values(self):
        """What the parameters promised is checked again at values."""
        inversions = complexity(Y * R ** (b - a), R, parameters=(b < a,))
        for at in ({a: HALF, b: HALF}, {a: HALF, b: 1}):
            with pytest.raises(ValueError, match="fails at"):
                worst_epsilon_exponent(inversions, at)
        assert [r.inequalities for r in worst(inversions)] == [(a > b,)]
        with pytest.raises(ValueError, match="fails at"):
            worst_epsilon_exponent(complexity(R ** (-1 / (a - b)), R), {a: 1, b: 1})
        with pytest.raises(ValueError, match="does not decay"):
            complexity(R ** (self.x**2), R)


class TestExponent:
    def test_single_leading_term(self):
        assert exponent(W / R**b + Y * ln(R) / R**b + M / R ** (a + b), R) == (-b, 1)

    def test_ties(self):
        assert exponent(W / R + Y / R, R) == (-1, 0)

    def test_undecided(self):
        with pytest.raises(ValueError, match="which term leads"):
            exponent(W * R**a + Y * R**b, R)


class TestInvert:
    def test_power_and_log(self):
        inversion = invert(Monomial({R: -b, mu_f: -b, M: 1, p: 1}, {R: 1}), R, epsilon)
        assert inversion.monomial == Monomial({p: 1 / b, M: 1 / b, mu_f: -1, epsilon: -1 / b}, {epsilon: 1 / b})
        assert inversion.requires == sp.true

    def test_undecided_sign_is_recorded(self):
        (inversion,) = complexity(3 * Q2 * R ** (a + b - 1), R)
        assert inversion.monomial == Monomial({Q2: 1 / (1 - a - b), epsilon: -1 / (1 - a - b)})
        assert inversion.requires.subs({a: HALF, b: sp.Rational(1, 4)}) == sp.true
        assert inversion.requires.subs({a: HALF, b: HALF}) == sp.false

    @pytest.mark.parametrize("monomial", [Monomial({R: a}), Monomial({Y: 1}), Monomial({}, {R: -1})])
    def test_no_decay(self, monomial):
        with pytest.raises(ValueError, match="does not decay"):
            invert(monomial, R, epsilon)

    def test_solves_the_equation_up_to_a_constant(self):
        """v = (C/eps)^(1/q) ln(1/eps)^(l/q) makes C v^-q (ln v)^l / eps tend to q^-l, the dropped numeric factor."""
        q, log_power = sp.Rational(3, 2), 2
        (inversion,) = complexity(Y * ln(R) ** log_power / R**q, R)
        with mp.workdps(30):
            eps, y = mp.mpf(10) ** -100_000, mp.mpf(7)
            v = value(inversion.monomial, {Y: y, epsilon: eps})
            assert abs(y * mp.log(v) ** log_power / v ** mp.mpf(1.5) / eps * mp.mpf(1.5) ** log_power - 1) < 1e-3


class TestCompare:
    def test_i1_is_looser_by_a_log(self):
        result = compare(O1, X1, rounds=R, epsilon=epsilon)
        assert result.verdict_hint == "agrees"
        assert [pair.stated.power(Q2) for pair in result.agreeing] == [2 / p]
        assert {sym for pair in result.looser for sym in pair.stated.powers if sym in (W, Y)} == {W, Y}
        noise = next(pair for pair in result.looser if Y in pair.stated.powers)
        assert noise.explicit.monomial.log_power(epsilon) == Monomial({}, {epsilon: -1 / (a - b)}).log_power(epsilon)
        assert noise.explicit.requires == (a - b > 0)
        assert not (result.log_missing or result.mismatched or result.unmatched_stated)

    def test_i2_lacks_logs(self):
        result = compare(bracket(epsilon), X2, rounds=R, epsilon=epsilon)
        assert result.verdict_hint == "log missing"
        logs = {
            next(v for v in (M, Q2) if v in pair.stated.powers): pair.explicit.monomial.log_power(epsilon)
            for pair in result.log_missing
        }
        assert logs == {M: 1 / b, Q2: 2 / (2 * b + p)}
        assert len(result.agreeing) == 2 and not (result.looser or result.mismatched or result.unmatched_stated)

    def test_ii1_gradient_outside_the_roots(self):
        result = compare(grad_f_star**kappa * bracket(alpha * epsilon**kappa), lower(X2), rounds=R, epsilon=epsilon)
        assert result.verdict_hint == "differs"
        found = {next(v for v in (Y, W, M, Q2) if v in m.nearest.powers): m.differing for m in result.mismatched}
        assert found[Y] == {grad_f_star: (kappa / a, kappa)}
        assert found[W] == {grad_f_star: (kappa / (2 * a), kappa)}
        assert found[M] == {grad_f_star: (kappa / b, kappa), ln(epsilon): (1 / b, 0)}
        assert len(result.unmatched_stated) == 4
        assert "grad_f_star: kappa/a (stated kappa)" in " ".join(map(str, result.mismatched))

    def test_ii1_repaired_lacks_logs_only(self):
        target = alpha * (epsilon / grad_f_star) ** kappa
        assert compare(bracket(target), lower(X2), rounds=R).verdict_hint == "log missing"
        with_logs = bracket(target).subs(M, M * ln(1 / epsilon)).subs(Q2, Q2 * ln(1 / epsilon))
        assert compare(with_logs, lower(X2), rounds=R).verdict_hint == "agrees"

    def test_iii1_power_of_p(self):
        """With gamma_t = p ln(R)/(mu_f R) the drift term is quadratic in p, and both noise terms gain logs."""
        step = p * ln(R) / (mu_f * R)
        explicit = mu_f / 2 * Q2 / (R ** (p / 2) - 1) + (step * Y / S + step**2 * W / gamma_g**2) / eta
        stated = (
            (mu_f * Q2 / epsilon) ** (2 / p)
            + sp.sqrt(p * W / (eta * mu_f**2 * epsilon * gamma_g**2))
            + p * Y / (eta * mu_f * epsilon * S)
        )
        result = compare(stated, explicit, rounds=R)
        (drift,) = result.mismatched
        assert drift.differing == {p: (1, HALF), ln(epsilon): (1, 0)}
        assert [pair.explicit.monomial.log_power(epsilon) for pair in result.log_missing] == [1]

    def test_theorem_2_agrees(self):
        stated = (
            (Q2 / epsilon) ** (1 / (1 - (a + b)))
            + (W / (epsilon * gamma_g**2)) ** (1 / (2 * a - b))
            + (Y / (epsilon * S)) ** (1 / (a - b))
        )
        result = compare(stated, X_convex_f, rounds=R)
        assert result.verdict_hint == "agrees" and len(result.agreeing) == 3

    def test_definitions_and_constraints(self):
        D2 = sp.Symbol("D2", nonnegative=True)
        stated = (D2 / epsilon) ** (1 / (1 - a)) + (M / epsilon) ** (1 / (1 - a))
        explicit = Q2 / R**b + M * R ** (a - 1)
        assert compare(stated, explicit, rounds=R).verdict_hint == "differs"
        assert compare(stated, explicit, rounds=R, where={Q2: D2, b: 1 - a}).verdict_hint == "agrees"

    def test_stated_term_too_many(self):
        result = compare(Y / epsilon + W / epsilon, Y / R, rounds=R)
        assert result.verdict_hint == "agrees"
        assert result.unmatched_stated == (Monomial({W: 1, epsilon: -1}),)

    def test_term_that_does_not_decay(self):
        with pytest.raises(ValueError, match="does not decay"):
            compare(Y / epsilon, Y * R ** (a + b - 1), rounds=R, where={b: 1 - a})

    def test_nothing_stated(self):
        (lone,) = compare(sp.S.Zero, Y / R, rounds=R).mismatched
        assert lone.nearest is None


ORDERS = [1, Fraction(3, 2), 2, Fraction(5, 2), 3, 5]


STRONGLY_CONVEX = {a: "2/3", b: "1/3", p: 2}
CONVEX = {a: "1/2", b: "1/4"}


class TestTable1:
    """Rows of Table 1 at the paper's parameters for strongly convex and for convex outer losses."""

    def test_upper(self):
        assert worst_epsilon_exponent(complexity(X1, R), STRONGLY_CONVEX) == (3, -3)
        assert worst_epsilon_exponent(complexity(X2, R), STRONGLY_CONVEX) == (3, 3)
        assert worst_epsilon_exponent(complexity(X_convex_f, R), CONVEX) == (4, 0)
        assert worst_epsilon_exponent(complexity(X_convex_h, R), CONVEX) == (4, 0)

    @pytest.mark.parametrize("order", ORDERS)
    def test_lower(self, order):
        found = worst_epsilon_exponent(complexity(lower(X2), R), STRONGLY_CONVEX | {kappa: order})
        assert found == (3 * sp.Rational(order), 3)
        found = worst_epsilon_exponent(complexity(lower(X_convex_h), R), CONVEX | {kappa: order})
        assert found == (4 * sp.Rational(order), 0)
        assert all(x.is_Rational for x in found)

    def test_small_p_slows_the_initial_term(self):
        """At p = 1/2 the initial term needs epsilon^-4 rounds, more than the table's -3."""
        assert worst_epsilon_exponent(complexity(X1, R), STRONGLY_CONVEX | {p: HALF})[0] == 4

    def test_ties_take_the_largest_log(self):
        assert worst_epsilon_exponent(complexity(Y / R + W * ln(R) / R + M / (R * ln(R)), R), {}) == (1, 1)

    @pytest.mark.parametrize(
        ("values", "named"),
        [
            ({a: 0.5, b: "1/4"}, "not exact"),
            ({a: "1/2"}, "needs values for b"),
            ({a: "1/2", b: "1/2"}, "fails at"),
        ],
    )
    def test_bad_values(self, values, named):
        with pytest.raises(ValueError, match=named):
            worst_epsilon_exponent(complexity(X_convex_f, R), values)

    def test_no_terms(self):
        with pytest.raises(ValueError, match="no terms"):
            worst_epsilon_exponent([], {})


def value(m: Monomial, numbers: dict[sp.Symbol, mp.mpf]) -> mp.mpf:
    """A monomial at numbers whose exponents are rational."""

    def mpf(e: sp.Expr) -> mp.mpf:
        return mp.mpf(e.p) / e.q

    out = mp.mpf(1)
    for v, e in m.powers.items():
        out *= numbers[v] ** mpf(e)
    for v, e in m.logs.items():
        out *= abs(mp.log(numbers[v])) ** mpf(e)
    return out


def fractions(low: int, high: int) -> st.SearchStrategy[sp.Rational]:
    """Multiples of 1/4."""
    return st.integers(4 * low, 4 * high).map(lambda k: sp.Rational(k, 4))


coefficients = st.sampled_from([HALF, sp.Integer(1), sp.Integer(2)])
products = st.builds(lambda c, e, k: c * R**e * ln(2 * R) ** k, coefficients, fractions(-2, 2), st.integers(-2, 2))
sums = st.lists(products, min_size=1, max_size=3).map(lambda terms: sp.Add(*terms))
powers = st.builds(lambda base, q: base**q, sums, fractions(-2, 2))
differences = st.builds(lambda e, q: (R**e - 1) ** q, fractions(1, 3), st.sampled_from([-1, HALF, 2]))
maxima = st.lists(powers, min_size=1, max_size=2).map(lambda terms: sp.Max(*terms, evaluate=False))
bounds = st.lists(st.builds(lambda *f: sp.Mul(*f), powers, st.one_of(powers, differences, maxima)),
                  min_size=1, max_size=3).map(lambda terms: sp.Add(*terms))  # fmt: skip


@given(bounds)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_bounds_against_high_precision(bound):
    """The bound over its expansion, and over its leading term, tends to a constant.

    R is far beyond any practical one, so that R^(1/16) exceeds every power of ln(R) that occurs.
    """
    power, log_power = exponent(bound, R)
    lead, terms = Monomial({R: power}, {R: log_power}), monomials(bound, R)
    f = sp.lambdify(R, bound, "mpmath")
    with mp.workdps(40):
        places = [{R: mp.mpf(10) ** digits} for digits in (1000, 100_000)]
        totals = [f(at[R]) / sum(value(m, at) for m in terms) for at in places]
        near, far = (f(at[R]) / value(lead, at) for at in places)
    assert all(mp.mpf("1e-4") < x < mp.mpf("1e4") for x in totals)
    # A power off by 1/16 would change the ratio by 10^6187, a log power off by 1/4 by 100^(1/4).
    assert abs(mp.log(far / near)) < mp.log(100) / 8


exponents = st.sampled_from([a, b, p / 2, 1 / kappa, a + b, a - b, 2 * a - b, 1 - a])
symbolic_terms = st.builds(lambda c, e, k: c * R**e * ln(R) ** k, st.sampled_from([Y, W, Y / W]), exponents,
                           st.integers(-1, 1))  # fmt: skip
symbolic_bounds = st.builds(
    lambda terms, q, e: sp.Add(*terms) ** q / (R**e - 1),
    st.lists(symbolic_terms, min_size=1, max_size=3),
    st.sampled_from([1, 1 / kappa, sp.Integer(2)]),
    st.sampled_from([a, p / 2, a + b]),
)


@given(symbolic_bounds, st.tuples(*[st.integers(1, 12).map(lambda k: sp.Rational(k, 4))] * 4))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_symbolic_exponents_against_high_precision(bound, numbers):
    """The symbolic expansion, at any values of its parameters, equals the bound up to constants."""
    at = dict(zip((a, b, p, kappa), numbers, strict=True))
    f = sp.lambdify((R, Y, W), bound.subs(at), "mpmath")
    with mp.workdps(40):
        for digits in (10**5, 10**6):
            constants = {R: mp.mpf(10) ** digits, Y: mp.mpf(3), W: mp.mpf(5)}
            total = sum(
                value(
                    Monomial({v: e.subs(at) for v, e in m.powers.items()}, {v: e.subs(at) for v, e in m.logs.items()}),
                    constants,
                )
                for m in monomials(bound, R)
            )
            assert mp.mpf("1e-3") < f(constants[R], constants[Y], constants[W]) / total < mp.mpf("1e3")


@given(
    st.lists(st.tuples(fractions(1, 3), st.integers(-2, 2)), min_size=1, max_size=4, unique_by=lambda t: t[0]),
)
@settings(max_examples=30, deadline=None, derandomize=True)
def test_worst_exponent_is_the_true_complexity(terms):
    """Bisect bound(R) = epsilon and compare with the exponent, at epsilon so small that the leading term decides."""
    bound = sum(ln(R) ** k / R**q for q, k in terms)
    power, log_power = worst_epsilon_exponent(complexity(bound, R), {})
    f = sp.lambdify(R, bound, "mpmath")
    needed = []
    with mp.workdps(30):
        for digits in (10_000, 1_000_000):
            low, high = mp.mpf(10), mp.mpf(2 * digits)  # log10 of R
            for _ in range(90):
                middle = (low + high) / 2
                low, high = (middle, high) if f(mp.mpf(10) ** middle) > mp.mpf(10) ** -digits else (low, middle)
            predicted = power * digits + log_power * mp.log10(digits * mp.log(10))
            needed.append(high - predicted)
        assert abs(needed[1] - needed[0]) < 0.01
