"""Random bounds on random sums of everything that the calculus accepts, against sums to 60 digits."""

import random

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx
from test_sums_proofs import number

from rateproof.theory.sums import Open, Proved, Refuted, decide
from rateproof.theory.sums.balls import compiled
from rateproof.theory.sums.scan import SCAN

t, T = sp.symbols("t T", positive=True, integer=True)
kappa = sp.Symbol("kappa", positive=True)
R, ln, sqrt = sp.Rational, sp.log, sp.sqrt
DIGITS = 60
HORIZONS = (1, 2, 3, 4, 5, 7, 10, 30, 100, 257, 1000, 3001, 10_000, 10_001, 20_000)
EXPONENTS = [R(x) for x in ("-3", "-2", "-3/2", "-1", "-1", "-3/4", "-1/2", "-1/3", "1/2", "1", "2")]


class Grammar:
    """Summands, right sides and factors from one random stream."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.start, self.shift = self.rng.choice([(1, 0), (1, 0), (1, 0), (2, 0), (2, 1), (0, -1), (3, 2), (1, -2)])
        self.parameters = {kappa: self.rng.choice([(1, sp.oo), (0, 1), (R(1, 2), 2)])} if self.chance(0.25) else {}

    def chance(self, share):
        return self.rng.random() < share

    def number(self):
        return self.rng.choice([R(x) for x in ("1", "2", "1/2", "3", "9/10", "-1", "1/7")] + [sp.pi, sqrt(2), ln(2)])

    def exponent(self):
        p = self.rng.choice(EXPONENTS)
        return p / kappa if self.parameters and self.chance(0.6) else p

    def base(self, x):
        shift = self.rng.choice([0, 0, 0, 1, -1, R(1, 2), 2])
        return self.rng.choice([x + shift, x + shift, x, ln(x + shift + 1), ln(x) + 1, x + sqrt(x), x**2 + shift])

    def term(self, x):
        factors = [self.base(x) ** self.exponent() for _ in range(self.rng.choice([1, 1, 2]))]
        return sp.Mul(self.rng.choice([1, 1, 1, self.number()]), *factors)

    def summand(self):
        return sp.Add(*(self.term(t) for _ in range(self.rng.choice([1, 1, 1, 2]))))

    def right(self, g):
        """What the sum may be near: an integral or a telescoping sum, moved a little; or any expression at all."""
        kind = self.rng.random()
        p = sp.degree(g, t) if g.is_polynomial(t) else None
        power = g.as_independent(t)[1].as_base_exp()
        if kind < 0.15 and p is not None:
            exact = sp.summation(g, (t, self.start, T + self.shift))
            return exact + self.rng.choice([0, 0, 1, -R(1, 10**6), 1 / T, -1 / T, 1 - T / 10**9])
        if kind < 0.75 and power[0] == t and not self.parameters:
            c, s = g.as_independent(t)[0], -power[1]
            integral = c * (ln(T) if s == 1 else T ** (1 - s) / (1 - s))
            constant = self.rng.choice([0, 1, sp.EulerGamma, R(3, 5), -1, R(1, 100), c, self.number()])
            ends = self.rng.choice([0, 1, R(1, 2), 2]) * g.subs(t, T)
            return self.rng.choice([1, 1, R(99, 100), R(101, 100)]) * integral + constant + ends
        return sp.Add(*(self.rng.choice([1, 2, 5, 20]) * self.term(T) for _ in range(self.rng.choice([1, 2, 2]))))

    def bound(self):
        g = self.summand()
        total = sp.Sum(g, (t, self.start, T + self.shift))
        factor = self.rng.choice([1, 1, 1, 1, 3, R(1, 2), -1, *self.parameters])
        return sp.Le(factor * total, self.right(g), evaluate=False), factor * g


def check(g, right, start, shift, horizons):
    """The horizons among these at which the bound holds and fails, beyond the error of 60 digits."""
    held, failed = [], []
    with ctx.workdps(DIGITS):
        term, G = compiled(g, t), compiled(right, T)
        total, index = arb(0), start
        for horizon in sorted(horizons):
            while index <= horizon + shift:
                total += term(arb(index))
                index += 1
            bound = G(arb(horizon))
            held += [horizon] if total <= bound else []
            failed += [horizon] if total > bound else []
    return held, failed


def run(seed):
    grammar = Grammar(seed)
    relation, g = grammar.bound()
    first = grammar.rng.choice([1, 1, 1, 2, 5])
    try:
        found = decide(relation, T, first=first, parameters=grammar.parameters)
    except ValueError as refusal:
        assert str(refusal)
        return f"refused: {refusal}"
    at = [{}]
    if grammar.parameters:
        (low, high) = grammar.parameters[kappa]
        ends = [R(1, 13), R(1, 2), R(12, 13)] if high < sp.oo else [R(1, 13), 1, 17]
        at = [{kappa: low + x * (high - low if high < sp.oo else 1)} for x in ends]
    horizons = [horizon for horizon in HORIZONS if horizon >= first]
    if isinstance(found, Proved):
        for values in at:
            _, failed = check(g.subs(values), relation.rhs.subs(values), grammar.start, grammar.shift, horizons)
            assert not failed, (values, failed)
    elif isinstance(found, Refuted):
        values = {s: x for s, x in found.at.items() if s != T}
        assert found.at[T] >= first and all(low < values[s] < high for s, (low, high) in grammar.parameters.items())
        with ctx.workdps(1000):
            assert arb(found.lhs) > arb(found.rhs)
        if found.at[T] <= 300_000:
            _, failed = check(
                g.subs(values), relation.rhs.subs(values), grammar.start, grammar.shift, [int(found.at[T])]
            )
            assert failed
    else:
        assert isinstance(found, Open) and found.why
        if at == [{}]:  # whatever fails up to the end of the scan is found
            near = [horizon for horizon in horizons if horizon <= SCAN]
            assert not check(g, relation.rhs, grammar.start, grammar.shift, near)[1]
    return type(found).__name__


@pytest.mark.sweep(10)
@pytest.mark.parametrize("seed", range(300))
def test_what_is_decided_holds_at_many_horizons(seed):
    run(seed)


# --- closed forms, nested sums, several sums, limits and summands with the horizon

u, v = sp.symbols("u v", nonnegative=True, integer=True)
q, eta = sp.symbols("q eta", positive=True)
CLOSED_RANGES = {q: (0, 1), eta: (0, sp.oo)}


class Closed:
    """Relations between sums of products of powers, polynomials and ``q^(a t + b)``, from one random stream."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.symbolic = self.rng.random() < 0.5
        self.first = self.rng.choice([1, 1, 1, 2, 5])

    def one(self, *of):
        return self.rng.choice(of)

    def base(self):
        return self.one(q, 1 - q, 1 + eta) if self.symbolic else self.one(R(1, 2), sp.S(2), R(9, 10), 1 + 1 / T)

    def factor(self, x, last):
        kind = self.rng.random()
        if kind < 0.35:
            return self.base() ** self.one(x, x, last - x, 2 * x + 1, x - 1, -x)
        if kind < 0.7:
            return self.one(x, x + 1, last - x, x**2, x * (last - x), last + 1 - x)
        return self.one(1 / (x + 1), 1 / ((x + 1) * (x + 2)), sqrt(x + 1), 1 / sqrt(T), 1 / (last + 1 - x), ln(x + 1))

    def limits(self, x, outer):
        if outer is T:
            low, high = self.one((0, T - 1), (1, T), (0, T), (1, 2 * T), (2, T + 1), (T, 2 * T), (3, T + 1), (1, T - 3))
        else:
            low, high = self.one((0, u - 1), (0, u), (1, u), (2, u), (u, T), (u + 1, T), (1, T), (0, 2), (0, 2 * u))
        return x, low, high

    def sum(self):
        limits = self.limits(u, T)
        g = sp.Mul(*(self.factor(u, limits[2]) for _ in range(self.one(1, 1, 2))))
        if self.rng.random() < 0.3:
            inside = self.limits(v, u)
            return sp.Sum(sp.Mul(g, self.factor(v, inside[2])), inside, limits)
        return sp.Sum(g, limits)

    def relation(self):
        left = self.one(1, 1, T, 1 / T, -1) * self.sum() + self.one(0, 0, 1, T)
        if self.rng.random() < 0.25:
            left += self.one(1, -1) * self.sum()
        scale = self.one(1, 2, R(9, 10), R(11, 10))
        right = self.one(
            T, T**2, T**2 / 2, T**3, T**4, 0, 1, 1 / (1 - q) if self.symbolic else 2, 1 + ln(T), 2 ** (T + 1)
        )
        if self.rng.random() < 0.4:  # near the truth, where it has a closed form
            value = left.subs(q, R(1, 3)).subs(eta, 1)
            at = [number(value, {T: mpmath.mpf(k)}) for k in (self.first, 8)]
            slope = sp.nsimplify((at[1] - at[0]) / (8 - self.first), rational=True, tolerance=0.01)
            right = slope * (T - self.first) + sp.nsimplify(at[0], rational=True, tolerance=0.01)
        return sp.Le(left, scale * right, evaluate=False)


def gap(relation, values):
    """Right minus left side, and whether that is beyond the error of 60 digits."""
    with mpmath.workdps(DIGITS):
        left, right = (
            number(side, {s: mpmath.mpf(x.p) / x.q for s, x in sp.Dict(values).items()}) for side in relation.args
        )
        real = not any(isinstance(side, mpmath.mpc) for side in (left, right))  # else a side is undefined
        far = abs(right - left) > mpmath.mpf(10) ** -40 * (1 + abs(left) + abs(right))
        return mpmath.re(right - left), real and far


def run_closed(seed):
    grammar = Closed(seed)
    relation = grammar.relation()
    ranges = {s: ends for s, ends in CLOSED_RANGES.items() if relation.has(s)}
    samples = [{q: R(1, 2), eta: 1}, {q: R(1, 20), eta: R(1, 9)}, {q: R(19, 20), eta: 3}]
    return judged(relation, grammar.first, ranges, samples)


def judged(relation, first, ranges, samples):
    """The name of the answer, held against sums at many horizons and values of the parameters."""
    try:
        found = decide(relation, T, first=first, parameters=ranges)
    except ValueError as refusal:
        assert str(refusal)
        return f"refused: {refusal}"
    if isinstance(found, Refuted):
        assert found.at[T] >= first
        with ctx.workdps(1000):
            assert arb(found.lhs) > arb(found.rhs)
        if found.at[T] <= 30:
            value, certain = gap(relation, found.at)
            assert value < 0 and certain
        return "Refuted"
    for sample in samples if ranges else [{}]:
        for horizon in (k for k in (1, 2, 3, 4, 5, 6, 7, 9, 14, 22) if k >= first):
            values = {T: sp.Integer(horizon), **{s: sp.sympify(x) for s, x in sample.items() if s in ranges}}
            value, certain = gap(relation, values)
            assert value >= 0 or not certain or (isinstance(found, Open) and ranges), (found, values)
    return type(found).__name__


@pytest.mark.sweep(15)
@pytest.mark.parametrize("seed", range(300))
def test_what_is_decided_of_closed_and_nested_sums_holds(seed):
    run_closed(seed)


# --- shifted powers with a parameter, products of logarithms, two ratios: right sides near the truth

a, b = sp.symbols("a b", positive=True)
SHIFTS = [{kappa: x} for x in (R(1, 1000), R(1, 7), R(3, 5), R(1), R(5, 2), R(40), R(10**4))]
RATIOS = [
    {a: x, b: y} for x, y in ((R(1, 2), R(1, 2)), (R(1, 30), R(9, 10)), (R(29, 30), R(1, 5)), (R(9, 10), R(8, 9)))
]


class Near:
    """Bounds as proofs by integrals, by telescoping logarithms and by geometric series end with, right or wrong."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.first = self.one(1, 1, 1, 2, 5)

    def one(self, *of):
        return self.rng.choice(of)

    def limits(self):
        return self.one(
            (1, T), (1, T), (0, T), (0, T - 1), (1, T - 1), (2, T), (3, T), (T, 2 * T), (T + 1, 2 * T), (T, 3 * T)
        )

    def integral(self, x, p, low, high):
        return ln(high + x) - ln(low + x) if p == 1 else ((low + x) ** (1 - p) - (high + x) ** (1 - p)) / (p - 1)

    def stretch(self):
        """A sum of ``(t + x)^-p``, and what an integral, or one of its terms, says of it."""
        p, x = (
            self.one(1, 1, 2, 2, 3, R(3, 2), R(1, 2)),
            self.one(kappa, kappa, kappa + R(1, 2), kappa - R(1, 2), 2 * kappa, kappa / 3),
        )
        low, high = self.limits()
        below, above = self.one((0, 1), (R(1, 2), R(1, 2)), (1, 0), (R(3, 4), R(1, 4)), (R(1, 2), 1), (0, 0))
        head = (low + x) ** -p
        said = self.one(
            self.integral(x, p, low - below, high + above),
            (low - below + x) ** (1 - p) / (p - 1) if p > 1 else high + above,
            head + self.integral(x, p, low + 1 - below, high + above),
            head * (high - low + self.one(0, 1)),
            (high + x) ** -p * (high - low + self.one(0, 1, 2)),
        )
        return sp.Sum((t + x) ** -p, (t, low, high)), said

    def shifted(self):
        total, said = self.stretch()
        c = self.one(1, 1, 2, -1, kappa, 1 / T)
        left, right = c * total, c * said
        if self.rng.random() < 0.2:
            other, also = self.stretch()
            k = self.one(1, -1)
            left, right = left + k * other, right + k * also
        right = right * self.one(1, 1, 1, R(99, 100), R(101, 100)) + self.one(0, 0, 0, 1 / (T + 2), -1 / (T + 2), kappa)
        low = self.one(0, 0, 1)
        return sp.Le(left, right, evaluate=False), {kappa: (low, sp.oo)}, [s for s in SHIFTS if s[kappa] > low]

    def logarithms(self):
        x = self.one(0, 0, 1, R(1, 2), kappa)
        ratio = self.one(
            1 + 1 / (t + x), (t + x + 1) ** 2 / ((t + x) * (t + x + 2)), (t + x) / (t + x + 2), 1 - 1 / (t + x + 1) ** 2
        )
        ratio *= self.one(1, 1, 2, R(1, 2))
        low, high = self.one((1, T), (1, T), (2, T), (2, T + 1), (1, T - 1))
        total = sp.Sum(self.one(1, 1, -1, R(1, 2)) * ln(ratio), (t, low, high))
        scale = self.one(1, 2, R(1, 2))
        right = self.one(
            ln(2 * T + 1), ln(T + 1), ln(T), ln(2), 0, ln((T + x + 1) / (x + 1)), T * ln(2), -ln(T + 2), 1 - ln(T + 1)
        )
        right = scale * right + self.one(0, 0, 0, 1 / (T + 2), ln(1 + 1 / T), -R(1, 1000))
        relation = sp.Le(total, right, evaluate=False)
        return relation, {kappa: (0, sp.oo)} if relation.has(kappa) else {}, SHIFTS

    def ratios(self):
        g = self.one(
            a**t * b ** (T - t),
            a**t + b**t,
            a**t * b**t,
            a**t - b**t,
            (1 - a) ** (T - t) * b**t,
            t * a**t * b ** (T - t),
        )
        right = self.one(
            1 / (1 - a),
            a / (1 - a),
            a / (1 - a) + b / (1 - b),
            T,
            T * a**T,
            T * b ** (T - 1),
            a * b**T / (b - a),
            1 / a,
            1,
            a * b / (1 - a * b),
        )
        relation = sp.Le(
            sp.Sum(g, (t, *self.one((0, T), (1, T), (0, T - 1), (1, T - 1)))),
            self.one(1, 1, 2, R(9, 10)) * right,
            evaluate=False,
        )
        order = self.one({a: (0, 1), b: (0, 1)}, {a: (0, 1), b: (0, 1)}, {b: (0, 1), a: (0, b)})
        return relation, order, [s for s in RATIOS if order[a][1] == 1 or s[a] < s[b]]


@pytest.mark.sweep(10)
@pytest.mark.parametrize("kind", ["shifted", "logarithms", "ratios"])
@pytest.mark.parametrize("seed", range(150))
def test_what_is_decided_near_the_truth_holds(seed, kind):
    grammar = Near(seed)
    relation, ranges, samples = getattr(grammar, kind)()
    judged(relation, grammar.first, ranges, samples)
