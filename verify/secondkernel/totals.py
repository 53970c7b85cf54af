"""Bounds on sums for all horizons by induction, which Rocq can follow: what is less, and grows by more than a term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from rateproof.theory.proof import steps as st
from rateproof.theory.proof.kernel import Kernel, Shown
from rateproof.theory.shorthand import ge, gt, le

#: Of processor time, for a step of an induction.
_SECONDS = 5.0


@dataclass(frozen=True)
class Induction:
    """A bound on a sum up to a horizon, by what is at least its first terms and grows by at least the next.

    Attributes:
        total: the sum.
        between: what lies between the sum and its bound, a function of the horizon.
        shows: that it does lie within the bound.
        steps: the last three say that it bounds the first sum, that it grows as the sum does or more, and that it is
            within the bound.
    """

    total: sp.Sum
    between: sp.Expr
    shows: sp.Rel
    steps: Sequence[st.Step]


def take(kernel: Kernel, step: st.Step) -> None:
    """Take a step; before a bound on a sum, the steps of an induction that shows it, where there is one.

    Raises:
        ValueError: the step is not shown.
    """
    if isinstance(step, st.Total):
        next((way for way in inductions(step, dict(kernel.shown)) if _taken(kernel, way.steps)), None)
    kernel.take(step)


def _taken(kernel: Kernel, steps: Sequence[st.Step]) -> bool:
    """Whether steps go through; if not, none of them is taken."""
    shown, taken, lines, seconds = dict(kernel.shown), len(kernel.taken), len(kernel.lines), kernel.seconds
    kernel.seconds = min(seconds, _SECONDS)
    try:
        for step in steps:
            kernel.take(step)
    except ValueError:
        kernel.shown = shown
        del kernel.taken[taken:], kernel.lines[lines:]
        return False
    finally:
        kernel.seconds = seconds
    return True


def parts(name: str) -> tuple[str, str, str]:
    """The names of the last three steps of an induction."""
    return f"{name}: the first", f"{name}: the next", f"{name}: enough"


def inductions(step: st.Total, shown: Mapping[str, Shown]) -> Iterator[Induction]:
    """Ways to show a bound on a sum, after what is ``shown``: with the bound itself, or less by what is to come."""
    goal, n, name = step.goal, step.horizon, step.name
    upper = isinstance(goal.lhs, sp.Sum) == (goal.rel_op == "<=")
    total, bound = goal.args if isinstance(goal.lhs, sp.Sum) else goal.args[::-1]
    if not isinstance(total, sp.Sum) or len(total.limits) != 1:
        return
    (over, start, last), term = total.limits[0], total.function
    count = last.subs(n, step.first) - start
    if not (sp.expand(last - n).is_Integer and count.is_Integer and 0 <= count <= 1):
        return
    begun = sp.Add(*(term.subs(over, start + i) for i in range(int(count) + 1)))
    coming = term.subs(over, last + 1)
    begins, follows, suffices = parts(name)
    onwards = [ge(n, step.first)]

    def order(small: sp.Expr, large: sp.Expr) -> sp.Rel:
        return le(small, large) if upper else le(large, small)

    def way(between: sp.Expr, *before: st.Step, by: Sequence[str] = ()) -> Induction:
        after = between.subs(n, n + 1)
        steps = (
            st.Have(begins, order(begun, between.subs(n, step.first))),
            st.Have(follows, order(coming, after - between), by=by, when=onwards),
            st.Have(suffices, within := order(between, bound), when=onwards),
        )
        return Induction(total, between, within, (*before, *steps))

    slow = st.Logarithm(f"{name}: the next logarithm", (n + 1) / n, below=True)
    yield way(bound, slow, by=[slow.name])
    if isinstance(term, sp.Pow) and step.above.get(term.base) == 1:
        told = [of for of, s in shown.items() if s.relation.free_symbols == {term.base}]
        large = st.Have(f"{name}: more than one", ge(term.base, 1), by=told)
        power = st.Raised(f"{name}: so is its power", large.name, to=term.exp.subs(over, last))
        yield way(bound, large, power, by=[power.name])
    if term.is_rational_function(over) and bound.is_Rational:
        # what is to come is about c/(n + b)
        c = sp.limit(n**2 * term.subs(over, last), n, sp.oo)
        if c.is_Rational and c > 0 and bound > begun:
            yield way(bound - c / (n + c / (bound - begun) - step.first))
    if isinstance(term, sp.Pow) and sp.expand(term.base - over) == 1 - start and last == n - 1 + start:
        # of k^-(p + 1), the sum from n + 1 on is below the integral from n on, n^-p / p
        p = sp.expand(-term.exp - 1)
        power = (n + 1) ** p * n ** (-p)
        positive = st.Have(f"{name}: the power is positive", gt(power, 0))
        growth = st.Logarithm(f"{name}: the next power", power, by=[positive.name])
        after = (n + 1) ** (-p)
        fall = st.Have(
            f"{name}: a term",
            le(p * after / (n + 1), n ** (-p) - after),
            by=[growth.name, slow.name],
            when=onwards,
        )
        yield way(bound - n ** (-p) / p, slow, positive, growth, fall, by=[fall.name])
