"""Bounds on sums as convergence proofs state them: what is true is proved, what is false refuted, and none wrongly."""

import mpmath
import pytest
import sympy as sp

from rateproof.theory.sums import Open, Proved, Refuted, decide

T = sp.Symbol("T", positive=True, integer=True)
t, s = sp.symbols("t s", integer=True, nonnegative=True)
eta, rho, q, a, p, L, sigma = sp.symbols("eta rho q a p L sigma", positive=True)
R, ln, sqrt, pi, gamma, zeta = sp.Rational, sp.log, sp.sqrt, sp.pi, sp.EulerGamma, sp.zeta
UNIT, POSITIVE = (0, 1), (0, sp.oo)
kappa, b, c = sp.symbols("kappa b c", positive=True)
RATIOS = {b: UNIT, c: UNIT}
RANGES = {kappa: POSITIVE, eta: UNIT, rho: UNIT, q: UNIT, a: POSITIVE, p: POSITIVE, sigma: POSITIVE, L: POSITIVE}


def S(g, *limits):
    return sp.Sum(g, *limits)


def le(left, right):
    return sp.Le(left, right, evaluate=False)


to_T, below_T = (t, 1, T), (t, 0, T - 1)
ETA_L = {L: POSITIVE, eta: (0, 1 / L)}
#: relation, and ranges of parameters other than RANGES
TRUE = {
    # geometric sums
    "geometric": le(S((1 - eta) ** t, below_T), 1 / eta),
    "geometric, backwards": le(S((1 - eta) ** (T - 1 - t), below_T), 1 / eta),
    "geometric, number of terms": le(S((1 - eta) ** (T - 1 - t), below_T), T),
    "geometric, weights": le(S(eta * (1 - eta) ** (T - t), to_T), 1),
    "geometric, weights that add up to one": le(S(eta * (1 - eta) ** (T - t), to_T) + (1 - eta) ** T, 1),
    "geometric, noise": le(S((1 - eta) ** (T - t) * eta**2 * sigma**2, to_T), eta * sigma**2),
    "geometric from 1": le(S((1 - eta) ** t, to_T), 1 / eta - 1),
    "geometric, squared": le(S((1 - eta) ** (2 * t), below_T), 1 / eta),
    "geometric, squared, exact": le(S(eta**2 * (1 - eta) ** (2 * t), below_T), eta / (2 - eta)),
    "geometric, two sums": le(S((1 - eta) ** (2 * t), below_T), S((1 - eta) ** t, below_T)),
    "geometric, below": sp.Ge(S((1 - eta) ** t, below_T), T * (1 - eta) ** (T - 1), evaluate=False),
    "geometric, at least its first term": le(1, S((1 - eta) ** t, below_T)),
    "geometric, up to 2T": le(S((1 - eta) ** t, (t, 0, 2 * T)), 1 / eta),
    "geometric, last half": le(S(q**t, (t, T, 2 * T)), q**T / (1 - q)),
    "geometric, first moment": le(S(t * (1 - eta) ** (t - 1), to_T), 1 / eta**2),
    "geometric, second moment": le(S(t**2 * q**t, to_T), 2 / (1 - q) ** 3),
    "geometric, smooth": (le(S((1 - eta * L) ** t, below_T), 1 / (eta * L)), ETA_L),
    "geometric, and a noise floor": le(L * S((1 - eta) ** t, below_T) + T * sigma**2, L / eta + T * sigma**2),
    "geometric, growing": le(S((1 + a) ** t, below_T), T * (1 + a) ** T),
    "geometric, Bernoulli": le(T, S((1 + a) ** t, below_T)),
    "geometric, growing with the number of steps": le(S((1 + 1 / T) ** t, below_T), 2 * T),
    "geometric, decaying with the number of steps": le(S((1 - 1 / (T + 1)) ** t, below_T), T),
    "geometric, a half": le(S(t / 2**t, to_T), 2),
    "geometric, over t": le(S(1 / (2**t * t), to_T), R(7, 10)),
    "geometric, over t, any ratio": le(S(q**t / t, to_T), q / (1 - q)),
    "geometric, backwards over t": le(S((1 - eta) ** (T - t) / t, to_T), 1 + ln(T)),
    # double sums
    "double geometric": le(S(a * (1 - rho) ** (t - s), (s, 1, t), to_T), a * T / rho),
    "double geometric, nested": le(S(S(q ** (t - s), (s, 0, t - 1)), below_T), q * T / (1 - q)),
    "double geometric, number of terms": le(S((1 - rho) ** (t - s), (s, 0, t), below_T), T**2),
    "STORM's noise": le(S(rho**2 * sigma**2 * (1 - rho) ** (2 * (t - s)), (s, 0, t), below_T), rho * sigma**2 * T),
    "double count": le(S(S(1, (s, 0, t - 1)), below_T), T**2 / 2),
    "double count, exact": le(S(1, (s, 0, t - 1), below_T), T * (T - 1) / 2),
    "double count, above": le(S(1, (s, t + 1, T), to_T), T**2 / 2),
    "double, linear": le(S(s, (s, 0, t - 1), below_T), T**3 / 6),
    "double, harmonic": le(S(1 / s, (s, 1, t), to_T), (T + 1) * (1 + ln(T))),
    # local steps and weights
    "drift of local steps": le(S(t * (T - t), below_T), T**3 / 6),
    "drift of local steps, constants": le(S(eta**2 * L**2 * t * (T - 1 - t), below_T), eta**2 * L**2 * T**3 / 6),
    "squares": le(S(t**2, below_T), T**3 / 3),
    "products, equality": le(S(t * (t + 1), to_T), T * (T + 1) * (T + 2) / 3),
    "linear weights": le(S(2 * t / (T * (T + 1)), to_T), 1),
    "linear weights, average of 1/t": le(S(2 * t / (T * (T + 1)) / t, to_T), 2 / T),
    "weighted average": le(S((t + 1) / (t + 1), below_T) / S(t + 1, below_T), 2 / T),
    "weighted average of squares": le(S(t * t, to_T) / S(t, to_T), T),
    "weighted average, geometric": le(S(t / (1 - eta) ** t, below_T) / S((1 - eta) ** -t, below_T), T),
    "constant steps": le(S(1 / sqrt(T), below_T), sqrt(T)),
    "constant steps, squared": le(S(1 / T, below_T), 1),
    "steps of the horizon": le(S(1 / (t * sqrt(T)), to_T), (1 + ln(T)) / sqrt(T)),
    "STORM's steps": le(S((t + 1) ** R(-2, 3), to_T), 3 * T ** R(1, 3)),
    "convolution of harmonics": le(S(1 / (t * (T + 1 - t)), to_T), 2 * (1 + ln(T)) / (T + 1)),
    "backwards": le(S(1 / sqrt(T - t), below_T), 2 * sqrt(T)),
    # limits that are not T + m, and more than one sum
    "up to 2T": le(S(1 / sqrt(t), (t, 1, 2 * T)), 2 * sqrt(2 * T)),
    "last half": le(S(1 / t, (t, T + 1, 2 * T)), ln(2)),
    "last half, with its first": le(S(1 / t, (t, T, 2 * T - 1)), ln(2) + 1 / (2 * T)),
    "two sums": le(S(1 / t, to_T) + S(1 / t**2, to_T), 1 + ln(T) + pi**2 / 6),
    "two sums of unlike limits": le(S(1 / sqrt(t), to_T) - S(1 / sqrt(t), (t, 2, T + 1)), 1),
    "two sums of unlike factors": le(T * S(1 / t**2, to_T) - S(1 / t, to_T), 2 * T),
    # telescoping
    "telescoping": le(S(1 / (t * (t + 1)), to_T), 1),
    "telescoping, squares": le(S((2 * t + 1) / (t**2 * (t + 1) ** 2), to_T), 1),
    "telescoping, roots": le(S(1 / (sqrt(t) + sqrt(t + 1)), to_T), sqrt(T + 1) - 1),
    "telescoping, logarithms": le(S(ln((t + 1) / t), to_T), ln(T + 1)),
    "telescoping, logarithms of a product": le(S(ln((t + 1) ** 2 / (t * (t + 2))), to_T), ln(2)),
    "telescoping, logarithms, weaker": le(S(ln(1 + 1 / t), to_T), ln(2 * T + 1)),
    "telescoping, logarithms, a parameter": le(S(ln(1 + 1 / (t + kappa)), to_T), ln(1 + T / kappa)),
    "Basel by 2": le(S(1 / t**2, to_T), 2 - 1 / T),
    # tight constants
    "harmonic, Euler": le(S(1 / t, to_T), ln(T) + gamma + 1 / (2 * T)),
    "harmonic, four terms": le(S(1 / t, to_T), ln(T) + gamma + 1 / (2 * T) - 1 / (12 * T**2) + 1 / (120 * T**4)),
    "harmonic, below": le(ln(T) + gamma + 1 / (2 * T + 2), S(1 / t, to_T)),
    "Stirling": le(S(ln(t), to_T), T * ln(T) - T + ln(2 * pi * T) / 2 + 1 / (12 * T)),
    "Stirling, below": le(T * ln(T) - T + ln(2 * pi * T) / 2 + 1 / (12 * T + 1), S(ln(t), to_T)),
    "inverse roots": le(S(1 / sqrt(t), to_T), 2 * sqrt(T) + zeta(R(1, 2)) + 1 / (2 * sqrt(T))),
    "roots": le(S(sqrt(t), to_T), R(2, 3) * T ** R(3, 2) + sqrt(T) / 2 + zeta(-R(1, 2)) + 1 / (24 * sqrt(T))),
    # symbolic powers
    "powers": le(S(t**p, to_T), T ** (p + 1)),
    "powers, integral above": le(S(t**p, to_T), (T + 1) ** (p + 1) / (p + 1)),
    "powers, integral below": le(T ** (p + 1) / (p + 1), S(t**p, to_T)),
    "powers before the last": le(S(t**p, below_T), T ** (p + 1) / (p + 1)),
    "powers, decreasing": (le(S(t**-p, to_T), T ** (1 - p) / (1 - p)), {p: UNIT}),
    "shifted harmonic": le(S(1 / (t + a), to_T), ln(1 + T / a)),
    "shifted squares": le(S((kappa + t) ** -2, to_T), 1 / kappa),
    "shifted squares, midpoint": le(S((kappa + t) ** -2, to_T), 1 / (kappa + R(1, 2))),
    "shifted squares from 0": le(S((kappa + t) ** -2, below_T), 1 / kappa**2 + 1 / kappa),
    "shifted squares, below": le(1 / (kappa + 1) - 1 / (kappa + T + 1), S((kappa + t) ** -2, to_T)),
    "shifted, last half": le(S(1 / (kappa + t), (t, T + 1, 2 * T)), ln(2)),
    "shifted, last half, with its first": le(S(1 / (kappa + t), (t, T, 2 * T)), ln(2) + 1 / (kappa + T)),
    "last half of constant steps": le(S(kappa / t, (t, T, 2 * T)), kappa * (ln(2) + 1 / T)),
    "last half of constant steps, below": le(kappa * ln(2), S(kappa / t, (t, T, 2 * T))),
    # weighted averages of SGD with a symbolic parameter
    "average with weights t": le(2 / (T * (T + 1)) * S(t * L / (sigma * (t + kappa)), to_T), 2 * L / (sigma * (T + 1))),
    "average with weights t + kappa": le(S((t + kappa) / (t + kappa) ** 2, to_T) / S(t + kappa, to_T), 2 / T),
    "average of steps that rise": le(S(t / (kappa + t), to_T), T**2 / (kappa + T)),
    "average of steps over a root": le(S(eta**2 / t, to_T) / S(eta / sqrt(T), to_T), eta * (1 + ln(T)) / sqrt(T)),
    # two ratios, either of which may be the larger one
    "two ratios, convolved": (le(S(b**t * c ** (T - t), (t, 0, T)), 1 / (1 - b)), RATIOS),
    "two ratios, number of terms": (le(S(b**t * c ** (T - t), to_T), T), RATIOS),
    "two ratios, ordered": (le(S(b**t * c ** (T - t), to_T), b * c**T / (c - b)), {c: UNIT, b: (0, c)}),
    "two ratios, added": (le(S(b**t + c**t, to_T), b / (1 - b) + c / (1 - c)), RATIOS),
    "two ratios, steps": (le(S((1 - b) ** (T - t) * (1 - c) ** t, to_T), 1 / b), RATIOS),
}

FALSE = {
    "geometric": le(S((1 - eta) ** t, below_T), 1 / eta - R(1, 2)),
    "geometric, squared": le(S((1 - eta) ** (2 * t), below_T), 1 / (2 * eta)),
    "geometric, backwards": le(S((1 - eta) ** (T - t), to_T), 1 / eta - 1),
    "geometric, number of terms": le(S((1 - eta) ** (T - t), (t, 0, T)), T),
    "geometric, two sums": le(S((1 - eta) ** t, below_T), S((1 - eta) ** (2 * t), below_T)),
    "geometric, first moment": le(S(t * (1 - eta) ** (t - 1), to_T), 1 / (2 * eta**2)),
    "geometric, second moment": le(S(t**2 * q**t, to_T), 1 / (1 - q) ** 3),
    "geometric, smooth": (le(S((1 - eta * L) ** t, below_T), 1 / eta), ETA_L),
    "geometric, growing": le(S((1 + a) ** t, below_T), T * (1 + a) ** (T - 2)),
    "geometric, with the number of steps": le(S((1 + 1 / T) ** t, below_T), R(17, 10) * T),
    "geometric, a half": le(S(t / 2**t, to_T), R(199, 100)),
    "geometric, over t": le(S(1 / (2**t * t), to_T), R(69, 100)),
    "double geometric": le(S((1 - rho) ** (t - s), (s, 1, t), to_T), T / rho - 1),
    "double geometric, one factor": le(S((1 - rho) ** (t - s), (s, 1, t), to_T), T),
    "STORM's noise": le(S(rho**2 * (1 - rho) ** (2 * (t - s)), (s, 0, t), below_T), rho * T / 2),
    "double count": le(S(1, (s, 0, t), below_T), T**2 / 2),
    "double, harmonic": le(S(1 / s, (s, 1, t), to_T), T * ln(T) + R(1, 2)),
    "drift of local steps": le(S(t * (T - t), below_T), T**3 / 7),
    "linear weights": le(S(2 * t / (T**2 + T + 1), to_T), R(99, 100)),
    "weighted average": le(S(t * t, to_T) / S(t, to_T), R(2, 3) * T),
    "steps of the horizon": le(S(1 / (t * sqrt(T)), to_T), (R(9, 10) + ln(T)) / sqrt(T)),
    "up to 2T": le(S(1 / sqrt(t), (t, 1, 2 * T)), 2 * sqrt(2 * T) - R(3, 2)),
    "last half": le(S(1 / t, (t, T + 1, 2 * T)), R(69, 100)),
    "two sums": le(S(1 / t, to_T) + S(1 / t**2, to_T), R(1, 2) + ln(T) + pi**2 / 6),
    "two sums of unlike factors": le(T * S(1 / t**2, to_T) - S(1 / t, to_T), R(3, 2) * T),
    "telescoping": le(S(1 / (t * (t + 1)), to_T), R(99, 100)),
    "telescoping, roots": le(S(1 / (sqrt(t) + sqrt(t + 1)), to_T), sqrt(T) - R(9, 10)),
    "harmonic, three terms": le(S(1 / t, to_T), ln(T) + gamma + 1 / (2 * T) - 1 / (12 * T**2)),
    "Stirling": le(S(ln(t), to_T), T * ln(T) - T + ln(2 * pi * T) / 2),
    "inverse roots": le(S(1 / sqrt(t), to_T), 2 * sqrt(T) + zeta(R(1, 2)) + R(49, 100) / sqrt(T)),
    "powers": le(S(t**p, to_T), T ** (p + 1) / (p + 1)),
    "powers, below": le((T + 1) ** (p + 1) / (p + 1), S(t**p, to_T)),
    "shifted harmonic": le(S(1 / (t + a), below_T), ln(1 + T / a)),
    "telescoping, logarithms of a product": le(S(ln((t + 1) ** 2 / (t * (t + 2))), to_T), ln(2) - R(1, 100)),
    "telescoping, logarithms": le(S(ln(1 + 1 / t), to_T), ln(T + R(1, 2))),
    "telescoping, logarithms, a parameter": le(S(ln(1 + 1 / (t + kappa)), to_T), ln(1 + T / (kappa + 2))),
    "shifted squares": le(S((kappa + t) ** -2, to_T), 1 / (kappa + R(2, 3))),
    "shifted squares from 0": le(S((kappa + t) ** -2, below_T), 1 / kappa),
    "shifted squares, an empty sum": le(  # at T = 1, where the first term is none of the sum's
        S((kappa + t) ** -2, (t, 1, T - 1)), (kappa + 1) ** -2 + 1 / (kappa + R(3, 2)) - 1 / (kappa + T - R(1, 2))
    ),
    "shifted, last half": le(S(1 / (kappa + t), (t, T + 1, 2 * T)), R(69, 100)),
    "shifted, last half, with its first": le(S(1 / (kappa + t), (t, T, 2 * T)), ln(2) + 1 / (2 * (kappa + T))),
    "last half of constant steps": le(S(kappa / t, (t, T, 2 * T)), kappa * (ln(2) + 1 / (2 * T))),
    "last half of constant steps, below": le(kappa * (ln(2) + 1 / T), S(kappa / t, (t, T, 2 * T))),
    "average with weights t": le(2 / (T * (T + 1)) * S(t * L / (sigma * (t + kappa)), to_T), L / (sigma * (T + 1))),
    "average of steps that rise": le(S(t / (kappa + t), to_T), T**2 / (kappa + T + R(1, 2))),
    "two ratios, convolved": (le(S(b**t * c ** (T - t), (t, 0, T)), b / (1 - b)), RATIOS),
    "two ratios, number of terms": (le(S(b**t * c ** (T - t), to_T), T * b**T), RATIOS),
    "two ratios, ordered": (le(S(b**t * c ** (T - t), to_T), R(9, 10) * b * c**T / (c - b)), {c: UNIT, b: (0, c)}),
    "two ratios, added": (le(S(b**t + c**t, to_T), (b + c) / (1 - b)), RATIOS),
    "two ratios, steps": (le(S((1 - b) ** (T - t) * (1 - c) ** t, to_T), 1 / b - 1), RATIOS),
}


def stated(entry):
    relation, special = entry if isinstance(entry, tuple) else (entry, {})
    relation = relation.reversed if isinstance(relation, sp.Ge) else relation
    symbols = relation.free_symbols - {T}
    return relation, {v: (RANGES | special)[v] for v in (*special, *sorted(symbols - set(special), key=str))}


def number(expr, values):
    """``expr`` by direct summation, without sympy's closed forms."""
    if isinstance(expr, sp.Sum):
        (index, low, high), *outer = reversed(expr.limits)
        inner = expr.func(expr.function, *reversed(outer)) if outer else expr.function
        low, high = (int(number(end, values)) for end in (low, high))
        return mpmath.fsum(number(inner, values | {index: mpmath.mpf(k)}) for k in range(low, high + 1))
    if expr in values:
        return values[expr]
    if isinstance(expr, sp.Add | sp.Mul):
        return (mpmath.fsum if expr.is_Add else mpmath.fprod)(number(e, values) for e in expr.args)
    if expr.is_Pow:
        return mpmath.power(number(expr.base, values), number(expr.exp, values))
    if isinstance(expr, sp.log):
        return mpmath.log(number(expr.args[0], values))
    return mpmath.mpf(expr.p) / expr.q if expr.is_Rational else mpmath.mpmathify(sp.N(expr, 60))


def gaps(relation, ranges):
    """Right side minus left side at many horizons and parameters."""
    double = any(len(sum_.limits) > 1 or sum_.function.has(sp.Sum) for sum_ in relation.atoms(sp.Sum))
    horizons = (1, 2, 3, 4, 5, 8, 13, 30) if double else (1, 2, 3, 4, 5, 8, 13, 30, 100, 300)
    with mpmath.workdps(50):
        for share in [(1, 2), (1, 20), (19, 20), (1, 1000)] if ranges else [(1, 2)]:
            values = {}
            for i, (v, (low, high)) in enumerate(ranges.items()):
                x = mpmath.mpf(share[0]) / share[1] if i != 1 else mpmath.mpf(1) / 3
                low, high = number(sp.sympify(low), values), sp.sympify(high)
                values[v] = low + (x / (1 - x) if high is sp.oo else x * (number(high, values) - low))
            for horizon in horizons:
                at = values | {T: mpmath.mpf(horizon)}
                yield number(relation.rhs, at) - number(relation.lhs, at)


@pytest.mark.sweep(10)
@pytest.mark.parametrize("name", TRUE)
def test_true_bounds_are_true(name):
    assert all(gap > -(mpmath.mpf(10) ** -40) for gap in gaps(*stated(TRUE[name])))


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", FALSE)
def test_false_bounds_are_false(name):
    assert any(gap < -(mpmath.mpf(10) ** -20) for gap in gaps(*stated(FALSE[name])))


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", TRUE)
def test_true_bounds_are_proved(name):
    relation, ranges = stated(TRUE[name])
    found = decide(relation, T, parameters=ranges)
    assert isinstance(found, Proved), found


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", FALSE)
def test_false_bounds_are_refuted(name):
    relation, ranges = stated(FALSE[name])
    found = decide(relation, T, parameters=ranges)
    assert isinstance(found, Refuted), found


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (le(S(1 / ((t - 5) * (t - 4)), (t, 0, T)), 5), Open),  # its closed form hides the poles
        (le(S(1 / ((t - 5) * (t - 4)), (t, 6, T + 5)), 1), Proved),
        (le(S(t, (t, 3, T - 2)), 0), Refuted),  # empty at first, which no closed form knows
        (le(S(t, (t, 7, T + 2)), T**2), Proved),
        (le(S(1 / (t + 1), (s, 0, t), below_T), T), Proved),  # equality, the inner sum first
        (le(S(1 / t, (t, s + 1, T), (s, 0, T - 1)), T), Proved),  # equality, the sums exchanged
        (le(S(1 / (t * 2 ** (T - t)), to_T), 3 / T), Open),
    ],
)
def test_poles_and_empty_sums(relation, expected):
    found = decide(relation, T)
    assert isinstance(found, expected), found
    assert not isinstance(found, Open) or found.why


@pytest.mark.parametrize(("high", "expected"), [(1, Proved), (2, Refuted)])
def test_what_holds_for_decaying_powers_only(high, expected):
    assert isinstance(decide(le(S(q**t, (t, 0, T)), T + 1), T, parameters={q: (0, high)}), expected)


def test_a_base_that_may_be_negative_is_refused():
    with pytest.raises(ValueError, match="1 - eta is not known to be positive"):
        decide(TRUE["geometric"], T, parameters={eta: (0, 2)})
    with pytest.raises(ValueError, match="parameters that stand before it"):
        decide(TRUE["geometric"], T, parameters={eta: (0, 1 / L), L: POSITIVE})


def test_both_sides_are_shown_as_they_were_written():
    found = decide(le(S(1, (s, 0, t), below_T), T**2 / 2), T)
    assert found.detail.startswith("at T = 1 the sum is 1.00000000000000 and the bound 0.5")
