"""Random inequalities of everything that the calculus accepts, against exact instances and sympy's own relations."""

import random

import pytest
import sympy as sp

from rateproof.theory.gram import (
    Open,
    Proved,
    Refuted,
    cocoercive,
    convex,
    decide,
    dot,
    interpolation,
    lipschitz,
    monotone,
    norm2,
    smooth,
    vectors,
)

q = sp.Rational
INSTANCES = 300
SIGNS = ({"positive": True}, {"nonnegative": True}, {"real": True}, {}, {"negative": True}, {"integer": True})
NUMBERS = [q(x) for x in ("0", "1", "-1", "2", "1/2", "-1/2", "3", "1/4", "4", "-3", "9/4", "10")]


class Grammar:
    """Vectors, parameters, values, and expressions of them, all from one random stream."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.vectors = vectors("x y z")[: self.rng.randint(1, 3)]
        self.parameters = [self.symbol(name) for name in ("a", "b")[: self.rng.randint(0, 2)]]
        self.values = [self.symbol(name) for name in ("f", "g")[: self.rng.randint(0, 2)]]

    def symbol(self, name):
        return sp.Symbol(name, **self.rng.choice(SIGNS))

    def number(self):
        return self.rng.choice(NUMBERS)

    def scalar(self, depth=1):
        """A coefficient: numbers, parameters, roots and their sums, products and quotients."""
        leaf = self.rng.choice([self.number(), *self.parameters])
        if depth == 0 or self.rng.random() < 0.4:
            return sp.sqrt(leaf) if self.rng.random() < (0.02 if leaf.is_negative else 0.2) else leaf
        one, other = self.scalar(depth - 1), self.scalar(depth - 1)
        kind = self.rng.choice("+-*/2")
        if kind == "/":
            return one / other if other != 0 else one
        return {"+": one + other, "-": one - other, "*": one * other, "2": one**2}[kind]

    def vector(self):
        return sum((self.scalar(1) * v for v in self.vectors), 0 * self.vectors[0])

    def form(self, terms=2):
        total = sp.S.Zero
        for _ in range(self.rng.randint(1, terms)):
            kind = self.rng.random()
            square = norm2(self.vector())
            total += self.scalar(1) * (square if kind < 0.6 else dot(self.vector(), self.vector()))
        for value in self.values:
            total += self.rng.choice([0, 0, 1, -1, self.number()]) * value
        return total + self.rng.choice([0, 0, 0, 1, -1])

    def goal(self, premises):
        """A sum of squares and of multiples of the premises, sometimes moved; or any form at all."""
        if self.rng.random() < 0.2:
            return sp.Ge(self.form(), self.form(1), evaluate=False)
        total = sum(
            (abs(self.number()) + abs(self.number()) * self.scalar(0) ** 2) * norm2(self.vector())
            for _ in range(self.rng.randint(1, 2))
        )
        for premise in premises:
            for r in getattr(premise, "relations", (premise,)):
                sides = r.args if r.rel_op != "<=" else r.args[::-1]
                total += abs(self.number()) * (sides[0] - sides[1])
        moved = self.rng.choice([0, 0, 0, q(1, 100), 1]) * norm2(self.rng.choice(self.vectors))
        return sp.Ge(total, moved, evaluate=False)

    def premises(self):
        out = []
        for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
            if len(self.vectors) > 1 and self.rng.random() < 0.4:
                out.append(self.fact())
            else:
                kind = self.rng.choice([sp.Ge, sp.Le, sp.Ge, sp.Eq])
                out.append(kind(self.form(1), self.form(1), evaluate=False))
        return out

    def fact(self):
        x, y, *_ = self.vectors
        gx, gy = (self.number() * x, self.number() * y) if self.rng.random() < 0.5 else vectors("u v")
        L, mu = self.scalar(0), self.scalar(0)
        fx, fy = (*self.values, sp.S.Zero, sp.S.Zero)[:2]
        points = (x, gx, fx), (y, gy, fy)
        maps = (x, gx), (y, gy)
        make = [
            lambda: interpolation(mu, L, *points),
            lambda: smooth(L, *points),
            lambda: convex(*points, mu=mu),
            lambda: lipschitz(L, *maps),
            lambda: cocoercive(L, *maps),
            lambda: monotone(mu, *maps),
        ]
        return self.rng.choice(make)()

    def assumptions(self):
        chosen = [self.scalar(0), self.scalar(1)]
        kind = self.rng.choice([sp.Ge, sp.Le, sp.Gt, sp.Ne])
        if not self.parameters or self.rng.random() < 0.5 or not sum(chosen).free_symbols:
            return []
        return [kind(*chosen, evaluate=False)]


def admits(symbol, value):
    return all(getattr(value, f"is_{key}") == truth for key, truth in symbol.assumptions0.items())


def holds(relation, numbers):
    """By exact numbers; None where a side is undefined or not real, a root or a divisor that cancels included."""
    for power in relation.atoms(sp.Pow):
        base = power.base.xreplace(numbers)
        if (base == 0 and power.exp.is_negative) or (base.is_nonnegative is not True and not power.exp.is_Integer):
            return None
    left, right = (sp.sympify(side).xreplace(numbers) for side in relation.args)
    gap = left - right
    if gap.has(sp.zoo, sp.nan, sp.oo, -sp.oo) or gap.is_real is not True:
        return None
    if not gap.is_Rational:
        gap = sp.sqrtdenest(sp.nsimplify(gap))
        near = sp.N(gap, 60)
        gap = sp.S.Zero if abs(near) < q(1, 10**40) else near
    return bool(relation.func(gap, 0))


def inner_products(at):
    return {
        sp.Symbol(f"<{u},{v}>", real=True): sum((i * j for i, j in zip(a, b, strict=True)), sp.S.Zero)
        for u, a in at.items()
        for v, b in at.items()
    }


def relations_of(premises):
    given = [r for p in premises for r in getattr(p, "relations", (p,))]
    return given, [c for p in premises for c in getattr(p, "conditions", ())]


def check_refuted(goal, premises, assuming, found):
    numbers = {**inner_products(found.vectors), **found.values, **found.parameters}
    for symbol, value in {**found.values, **found.parameters}.items():
        assert admits(symbol, value), (symbol, value)
    given, conditions = relations_of(premises)
    assert all(holds(r, numbers) for r in (*given, *conditions, *assuming))
    assert holds(goal, numbers) is False


def check_proved(goal, premises, assuming, instances):
    """At random exact instances that satisfy the premises; how many there were."""
    rng, met = random.Random(7), 0
    given, conditions = relations_of(premises)
    everywhere = {s for r in (goal, *given, *conditions, *assuming) for s in r.free_symbols}
    scalars = sorted((s for s in everywhere if "<" not in s.name), key=str)
    names = sorted({n for s in everywhere if "<" in s.name for n in s.name.strip("<>").split(",")})
    for _ in range(instances):
        numbers = {s: rng.choice(NUMBERS) / rng.choice([1, 1, 1, 3, 7]) for s in scalars}
        if not all(admits(s, x) for s, x in numbers.items()):
            continue
        size = rng.choice([1, 1, 2, 3])
        numbers |= inner_products({n: [q(rng.randint(-4, 4), rng.randint(1, 2)) for _ in range(size)] for n in names})
        for relation in given:  # an equation is solved for a scalar that enters it linearly
            for s in scalars:
                rest = (relation.lhs - relation.rhs).xreplace({k: v for k, v in numbers.items() if k != s})
                if relation.rel_op == "==" and rest.is_polynomial(s) and sp.degree(rest, s) == 1:
                    root = -rest.coeff(s, 0) / rest.coeff(s, 1) if rest.is_Add else sp.S.Zero
                    numbers[s] = root if root.is_Rational and admits(s, root) else numbers[s]
                    break
        if all(holds(r, numbers) for r in (*given, *conditions, *assuming)):
            met += 1
            assert holds(goal, numbers) is not False, numbers
    return met


def run(seed, instances=INSTANCES):
    grammar = Grammar(seed)
    try:
        premises = grammar.premises()
    except ValueError as refusal:
        return f"refused: {refusal}"
    goal, assuming = grammar.goal(premises), grammar.assumptions()
    values = grammar.values if grammar.rng.random() < 0.4 else None
    try:
        found = decide(goal, given=premises, assuming=assuming, values=values)
    except ValueError as refusal:
        assert str(refusal)
        return f"refused: {refusal}"
    if isinstance(found, Refuted):
        check_refuted(goal, premises, assuming, found)
    elif isinstance(found, Proved):
        check_proved(goal, premises, assuming, instances)
    else:
        assert isinstance(found, Open) and found.why
    return type(found).__name__


@pytest.mark.sweep(8)
@pytest.mark.parametrize("seed", range(300))
def test_what_is_decided_holds_at_exact_instances(seed):
    run(seed)
