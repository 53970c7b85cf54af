"""Totals over outer iterations, sums and minima inside bounds, and complexities put into one another."""

import mpmath as mp
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rateproof.theory.asymptotics import Monomial, complexity, compose, monomials, total, worst, worst_epsilon_exponent
from rateproof.theory.symbols import R, T, a, b, epsilon, kappa, p, t

W, Y = sp.symbols("W Y", positive=True)
ln = sp.log
HALF = sp.Rational(1, 2)


class TestTotal:
    @pytest.mark.parametrize(
        ("cost", "expected"),
        [
            (t, Monomial({T: 2})),
            (t + 2, Monomial({T: 2})),
            (Y * ln(t) / sp.sqrt(t), Monomial({Y: 1, T: HALF}, {T: 1})),
            (1 / (ln(t) * t ** sp.Rational(1, 6)), Monomial({T: sp.Rational(5, 6)}, {T: -1})),
            (1 / t, Monomial({}, {T: 1})),
            (ln(t) ** 2 / t, Monomial({}, {T: 3})),
            (1 / (t * ln(t) ** 2), Monomial()),
            (Y * ln(t) ** 2 / t**2, Monomial({Y: 1})),
            (t**a, Monomial({T: a + 1})),
            (W * ln(t) ** p / t, Monomial({W: 1}, {T: p + 1})),
        ],
    )
    def test_decided(self, cost, expected):
        (found,) = total(cost, t, T)
        assert found.terms == (expected,) and found.inequalities == ()

    def test_the_variable_is_known_by_equality(self):
        """sympy may hold two equal copies of a symbol, as its cache forgets."""
        twin = sp.Symbol.__xnew__(sp.Symbol, t.name, **t.assumptions0)
        assert twin == t and twin is not t
        (found,) = total(sp.sqrt(t), twin, T)
        assert found.terms == (Monomial({T: sp.Rational(3, 2)}),)

    def test_pieces_by_the_power(self):
        found = {piece.inequalities: piece.terms for piece in total(Y * ln(t) * t**-a, t, T)}
        assert found == {
            (a < 1,): (Monomial({Y: 1, T: 1 - a}, {T: 1}),),
            (sp.Eq(a, 1),): (Monomial({Y: 1}, {T: 2}),),
            (a > 1,): (Monomial({Y: 1}),),
        }

    def test_parameters_decide(self):
        (found,) = total(t ** (-1 / kappa), t, T, parameters=(kappa > 1,))
        assert found.terms == (Monomial({T: 1 - 1 / kappa}),)

    def test_several_terms_refine_each_other(self):
        """t^-a and t^-b with b < a: five of the nine combinations of signs occur."""
        found = total(Y * t**-a + W * t**-b, t, T, parameters=(b < a,))
        assert len(found) == 5
        assert all(len(piece.terms) == 2 for piece in found)

    def test_one_parameter_on_both_sides_of_the_threshold(self):
        """At a = 1 the sum of 1/t has a logarithm, between the powers of the two sides."""
        for value, expected in ((HALF, Monomial({T: HALF})), (1, Monomial({}, {T: 1})), (2, Monomial())):
            (piece,) = [q for q in total(t**-a, t, T) if all(r.subs(a, value) == sp.true for r in q.inequalities)]
            assert piece.terms[0].at({a: sp.sympify(value)}) == expected

    @pytest.mark.parametrize(
        ("cost", "named"),
        [
            (1 / (t * ln(t)), "iterated logarithm"),
            (t**-a / ln(t), "iterated logarithm"),
            (t ** (a * b - 2), "a*b - 1"),
            (sp.sin(t), "sin(t)"),
        ],
    )
    def test_refusal_names_the_part(self, cost, named):
        with pytest.raises(ValueError) as error:
            total(cost, t, T)
        assert named in str(error.value)


@given(st.integers(-12, 8).map(lambda k: sp.Rational(k, 4)), st.integers(20, 30))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_power_sums_exactly(q, digits):
    """The Euler-Maclaurin expansion, whose error is below T^(q-3), and the harmonic number, at T up to 1e30."""
    (found,) = total(t**q, t, T)
    (m,) = found.terms
    with mp.workdps(50):
        last = mp.mpf(10) ** digits
        r = mp.mpf(int(q.p)) / int(q.q)
        tail = mp.log(last) if r == -1 else last ** (r + 1) / (r + 1)
        start = mp.euler if r == -1 else mp.zeta(-r)
        exact = start + tail + last**r / 2 + r * last ** (r - 1) / 12
        claimed = last ** (mp.mpf(int(m.power(T).p)) / int(m.power(T).q)) * mp.log(last) ** int(m.log_power(T))
        assert mp.mpf("0.1") < exact / claimed < mp.mpf("10")


@given(st.integers(-8, 8).map(lambda k: sp.Rational(k, 4)), st.integers(-3, 3), st.sampled_from([30, 3000, 10**5]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_sums_with_logarithms(q, log_power, digits):
    """The sum against its integral, which differs by at most a constant factor, at T up to 10^(10^5).

    With u = ln t the integrand is u^l e^((q+1) u). Below u = 1 and above, the integral is bounded by quadrature.
    """
    if (q, log_power) == (-1, -1):
        return
    (found,) = total(t**q * ln(t) ** log_power, t, T)
    (m,) = found.terms
    with mp.workdps(30):
        end, rate = digits * mp.log(10), mp.mpf(int(q.p)) / int(q.q) + 1
        # relative to e^(rate * end) where it grows, so that nothing overflows
        top = max(rate, 0) * end

        def integrand(u):
            return u**log_power * mp.exp(rate * u - top)

        cuts = sorted({mp.mpf(1), *(min(mp.mpf(10) ** k, end) for k in range(1, 6)), *(
            max(end - mp.mpf(10) ** k, mp.mpf(1)) for k in range(0, 6)), end})  # fmt: skip
        exact = mp.quad(integrand, cuts)
        claimed = mp.exp(mp.mpf(int(m.power(T).p)) / int(m.power(T).q) * end - top) * end ** int(m.log_power(T))
        assert mp.mpf("1e-2") < exact / claimed < mp.mpf("1e3")


def test_direct_sums():
    """The ratio of the sum to the total settles, here between T = 2^14 and 2^17."""
    for cost in (t, ln(t) / t, ln(t) ** 2 / t**2, ln(t) / sp.sqrt(t)):
        (found,) = total(cost, t, T)
        (m,) = found.terms
        f = sp.lambdify(t, cost, "math")
        sums, running = {}, 0.0
        for k in range(1, 2**17 + 1):
            running += f(k)
            sums[k] = running
        ratios = [sums[k] / (k ** float(m.power(T)) * float(mp.log(k)) ** int(m.log_power(T))) for k in (2**14, 2**17)]
        assert 0.9 < ratios[0] / ratios[1] < 1.1


class TestSumsInBounds:
    def test_remark_4(self):
        assert monomials(sp.Sum(t, (t, 0, T - 1)), T) == (Monomial({T: 2}),)

    def test_averages(self):
        average = sp.Sum(Y * ln(t) / t ** sp.Rational(7, 12), (t, 1, T)) / T
        assert monomials(average, T) == (Monomial({Y: 1, T: -sp.Rational(7, 12)}, {T: 1}),)

    def test_limit_of_another_variable(self):
        """sqrt(R) terms of 1/sqrt(t): R^(1/4)."""
        (m,) = monomials(R**a * sp.Sum(1 / sp.sqrt(t), (t, 1, sp.sqrt(R))), R)
        assert m == Monomial({R: a + sp.Rational(1, 4)})

    @pytest.mark.parametrize(
        ("expr", "named"),
        [
            (sp.Sum(1 / (t + T), (t, 1, T)), "Sum(1/(T + t)"),
            (sp.Sum(1 / t, (t, 0, T)), "t = 0"),
            (sp.Sum(1 / (t * ln(t)), (t, 2, T)), "iterated logarithm"),
            (sp.Sum(t**-a, (t, 1, T)), "converges"),
            (sp.Sum(t, (t, 1, ln(T))), "log(T)"),
            (sp.Sum(t, (t, 1, p)), "p should grow"),
            (sp.Sum(t * b, (t, 1, T), (b, 1, T)), "T should be a factor"),
        ],
    )
    def test_refusal_names_the_part(self, expr, named):
        with pytest.raises(ValueError) as error:
            monomials(expr, T)
        assert named in str(error.value)


class TestSummands:
    """A sum is linear, and its terms may hold anything; what it cannot decide it refuses."""

    @pytest.mark.parametrize(
        ("expr", "expected"),
        [
            (sp.Sum(1 / t + 3, (t, 1, T)) / T, [Monomial()]),
            (sp.Sum(t**2 + t, (t, 1, T)), [Monomial({T: 3})]),
            (sp.Sum(t**2 - t, (t, 1, T)), [Monomial({T: 3})]),
            (sp.Sum(Y + W * t, (t, 1, T)), [Monomial({Y: 1, T: 1}), Monomial({W: 1, T: 2})]),
            (sp.Sum(t + T, (t, 1, T)), [Monomial({T: 2})]),
            (sp.Sum(sp.sqrt(t + Y), (t, 1, T)), [Monomial({T: sp.Rational(3, 2)}), Monomial({T: 1, Y: HALF})]),
            (sp.Sum(1 / (t + Y), (t, 1, T)), [Monomial({}, {T: 1})]),
            (sp.Sum(1 / t**2 + 1 / t**3, (t, 1, T)), [Monomial()]),
            (sp.Sum(Y / t**2 + W / t**3, (t, 1, T)), [Monomial({Y: 1}), Monomial({W: 1})]),
            (sp.Sum(t * sp.Sum(1 / p**2, (p, 1, T)), (t, 1, T)), [Monomial({T: 2})]),
        ],
    )
    def test_expansion(self, expr, expected):
        assert set(monomials(expr, T)) == set(expected)

    def test_a_loop_in_a_loop(self):
        inner = sp.Symbol("s", positive=True, integer=True)
        (m,) = monomials(sp.Sum(sp.Sum(1 / inner, (inner, 1, t)) + t, (t, 1, T)) / T, T)
        assert m == Monomial({T: 1})
        (m,) = monomials(sp.Sum(sp.Sum(1 / inner, (inner, 1, t)), (t, 1, T)), T)
        assert m == Monomial({T: 1}, {T: 1})

    @pytest.mark.parametrize(
        ("expr", "named"),
        [
            # 1/t^2 - 2/t^3 sums to zeta(2) - 2 zeta(3), which is negative
            (sp.Sum(1 / t**2 - 2 / t**3, (t, 1, T)), "which sign leads"),
            (sp.Sum((1 / t - 2 / t**2) ** 3, (t, 1, T)), "nonnegative terms"),
            # pi/2 sqrt(Y) for large Y
            (sp.Sum(Y / (t**2 + Y), (t, 1, T)), "constants as factors"),
            (sp.Sum(1 / (t - 3) ** 2, (t, 1, T)), "finite and real"),
            (sp.Sum(sp.Max(1, 1 / (t - 3) ** 2), (t, 1, T)), "finite and real"),
            (sp.Sum(t + ln(t - 3), (t, 1, T)), "finite and real"),
            (sp.Sum((-1) ** t, (t, 1, T)), "exponent"),
        ],
    )
    def test_refusal_names_the_part(self, expr, named):
        with pytest.raises(ValueError) as error:
            monomials(expr, T)
        assert named in str(error.value)

    def test_the_horizon_in_the_cost(self):
        (found,) = total((t + Y) * T * ln(T), t, T)
        assert set(found.terms) == {Monomial({T: 3}, {T: 1}), Monomial({Y: 1, T: 2}, {T: 1})}
        for cost in (1 / (t + T), sp.Min(t, T)):
            with pytest.raises(ValueError, match="T should be a factor"):
                total(cost, t, T)
        with pytest.raises(ValueError, match="constants should be factors"):
            total(Y / (t**2 + Y), t, T)

    @pytest.mark.parametrize("c", [sp.Symbol("c"), sp.Symbol("c", real=True)])
    def test_an_unknown_sign_is_answered_as_in_a_sum(self, c):
        """A total that converges may be zero or negative where its terms may."""
        for cost in (t**-2 - c / t**3, (t - c) / t**3, t**-2 - 2 / t**3, (t - 10) / t**3):
            with pytest.raises(ValueError, match="sign leads"):
                monomials(sp.Sum(cost, (t, 1, T)), T)
            with pytest.raises(ValueError, match="should be nonnegative at every t"):
                total(cost, t, T)
        for infinite in (1 / (t - c), 1 / (t - 3)):
            with pytest.raises(ValueError, match="finite and real"):
                monomials(sp.Sum(infinite, (t, 1, T)), T)
            with pytest.raises(ValueError, match="finite and real"):
                total(infinite, t, T)
        for cost in (c / t**2, c / t**2 + t**-3, t - c, c * t - t**2 + t**3, (t - 1) * t):
            (found,) = total(cost, t, T)
            assert set(found.terms) == set(monomials(sp.Sum(cost, (t, 1, T)), T))


class TestMinima:
    def test_dominated_argument(self):
        assert monomials(sp.Min(Y / R, W / R**2), R) == (Monomial({W: 1, R: -2}),)
        assert monomials(sp.Min(R**-b, R**-a), R, parameters=(b < a,)) == (Monomial({R: -a}),)
        assert monomials(sp.Min(R, R * ln(R) + 1), R) == (Monomial({R: 1}),)
        assert monomials(sp.Min(3 * R, 2 * R + 1, evaluate=False), R) == (Monomial({R: 1}),)

    @pytest.mark.parametrize("expr", [sp.Min(R**-a, R**-b), sp.Min(Y / R, W / R)])
    def test_undecided_is_refused_by_name(self, expr):
        with pytest.raises(ValueError) as error:
            monomials(1 + expr, R)
        assert str(expr) in str(error.value)

    def test_signs(self):
        with pytest.raises(ValueError, match="nonnegative"):
            monomials(sp.Min(R, 1 - R**2), R)


class TestParameters:
    def test_relations_decide_what_signs_do_not(self):
        bound = 1 / (R**a - R**b)
        with pytest.raises(ValueError, match="which sign leads"):
            monomials(bound, R)
        assert monomials(bound, R, parameters=(b < a,)) == (Monomial({R: -a}),)

    def test_constants_that_only_relations_make_positive_are_numeric(self):
        bound = (24 * kappa - 5) / (12 * kappa - 5) * Y * R ** (-1 / kappa)
        with pytest.raises(ValueError, match=r"12\*kappa - 5"):
            monomials(bound, R)
        assert monomials(bound, R, parameters=(kappa > 1,)) == (Monomial({Y: 1, R: -1 / kappa}),)
        # a symbol that stands in no exponent is no number: W - Y may be as small as it likes beside W
        with pytest.raises(ValueError, match="which sign leads"):
            monomials((W - Y) / R, R, parameters=(Y < W,))

    def test_growing_term(self):
        with pytest.raises(ValueError, match="does not decay"):
            complexity(Y * R ** (b - a), R, parameters=(a < b,))
        (inversion,) = complexity(Y * R ** (b - a), R, parameters=(b < a,))
        assert inversion.requires == (a - b > 0)  # kept for readers who are given no parameters
        assert worst([inversion], parameters=(b < a,))[0].inequalities == ()


class TestCompose:
    def test_linear_calls(self):
        """T_eps outer iterations of t rounds each: T_eps^2 rounds, logarithms included."""
        (rounds,) = total(t, t, T)
        outer = complexity(Y * ln(T) / T + W / T**2, T)
        found = {inv.monomial for inv in compose(rounds.terms, outer, T)}
        assert found == {Monomial({Y: 2, epsilon: -2}, {epsilon: 2}), Monomial({W: 1, epsilon: -1})}

    def test_logarithms_of_the_inner_cost(self):
        (rounds,) = total(t * ln(t), t, T)
        (found,) = compose(rounds.terms, complexity(Y * T ** (-1 / kappa), T), T)
        assert found.monomial == Monomial({Y: 2 * kappa, epsilon: -2 * kappa}, {epsilon: 1})

    def test_cost_that_depends_on_the_accuracy(self):
        (found,) = compose([Monomial({T: 1, epsilon: -1})], complexity(Y / sp.sqrt(T), T), T)
        assert found.monomial == Monomial({Y: 2, epsilon: -3})

    def test_conditions_are_kept(self):
        (found,) = compose([Monomial({T: 2})], complexity(Y * T ** (b - a), T), T)
        assert found.requires == (a - b > 0)

    @pytest.mark.parametrize("cost", [Monomial({T: -1}), Monomial({T: a - b})])
    def test_cost_that_does_not_grow(self, cost):
        with pytest.raises(ValueError, match="should grow with T"):
            compose([cost], complexity(Y / T, T), T)

    def test_iterated_logarithm(self):
        with pytest.raises(ValueError, match="iterated logarithm"):
            Monomial({T: 1}, {T: 1}).substitute(T, Monomial({Y: 1}), epsilon)

    @given(
        st.lists(st.tuples(st.integers(1, 6), st.integers(-1, 2)), min_size=1, max_size=3, unique_by=lambda x: x[0]),
        st.integers(0, 3),
        st.integers(0, 1),
    )
    @settings(max_examples=25, deadline=None, derandomize=True)
    def test_total_rounds_against_high_precision(self, terms, growth, logs):
        """Solve the outer bound for T by bisection and sum the integral of the cost of its calls.

        At two accuracies, so small that the leading term decides, the ratio to the composed exponents is the same.
        """
        outer = sum(ln(T) ** k / T ** sp.Rational(q, 3) for q, k in terms)
        (rounds,) = total(t**growth * ln(t) ** logs, t, T)
        power, log_power = worst_epsilon_exponent(compose(rounds.terms, complexity(outer, T), T), {})
        f = sp.lambdify(T, outer, "mpmath")
        needed = []
        with mp.workdps(30):
            for digits in (10_000, 1_000_000):
                low, high = mp.mpf(10), mp.mpf(4 * digits)  # log10 of T
                for _ in range(90):
                    middle = (low + high) / 2
                    low, high = (middle, high) if f(mp.mpf(10) ** middle) > mp.mpf(10) ** -digits else (low, middle)
                spent = (growth + 1) * high + logs * mp.log10(high * mp.log(10))  # T^(growth+1) (ln T)^logs
                needed.append(spent - power * digits - log_power * mp.log10(digits * mp.log(10)))
            assert abs(needed[1] - needed[0]) < 0.02


def test_two_loops_by_region():
    """Outer bound T^(-1/6)/ln T + (ln T)^(1/kappa) T^(-5/(12 kappa)), t rounds in call t: Theorem 3 (i-1) in short."""
    outer = Y / (T ** sp.Rational(1, 6) * ln(T)) + (W * ln(T) / T ** sp.Rational(5, 12)) ** (1 / kappa)
    (rounds,) = total(t, t, T)
    found = worst(compose(rounds.terms, complexity(outer, T), T), parameters=(kappa > 1,))
    assert {(r.power, r.log_power): r.inequalities for r in found} == {
        (12, -12): (kappa <= sp.Rational(5, 2),),
        (24 * kappa / 5, sp.Rational(24, 5)): (kappa >= sp.Rational(5, 2),),
    }
