"""Checks of Remarks 3 and 4 (ii), and of the equivalence of the minimax problem with a bilevel one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction as Q
from itertools import product

import sympy as sp

from rateproof.algos.problems.base import Array, Fact
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedrzo.bilevel.theorem import at_y, local_calls, lower_calls, max_value, min_at_y, min_max
from rateproof.theory.papers.fedrzo.notation import rounds
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, certificates
from rateproof.verify.deciders.certificates import Combination, Premise
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.papers.fedrzo.bilevel.line import Client, Line, Lower
from rateproof.verify.papers.fedrzo.bilevel.trials import facts
from rateproof.verify.trial import Trial

VALUES = "explicit numbers"
ONE = sp.S.One


# --- Remark 3


@dataclass(frozen=True)
class Line2:
    """A line of Algorithm 2: the loops that it stands in, and the calls of the lower-level method that it makes."""

    text: str
    loops: tuple[str, ...]
    calls: int = 0


LISTING = (
    Line2("input", ()),
    Line2("draw v_{T_r}", ("r",)),
    Line2("find y_eps(xhat_r + v_{T_r}) and y_eps(xhat_r)", ("r",), calls=2),
    Line2("broadcast", ("r",)),
    Line2("draw xi_{i,k}", ("r", "k", "i")),
    Line2("g_{i,k} from the two points of the round", ("r", "k", "i")),
    Line2("local update", ("r", "k", "i")),
    Line2("aggregate", ("r",)),
)


def check_calls(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Calls counted over the loops of the listing, and in runs of the reference method."""
    lengths = {"r": rounds, "k": sp.Symbol("H", positive=True), "i": sp.Symbol("m", positive=True)}
    counted = {
        lower_calls: sp.Add(*(line.calls * sp.Mul(*(lengths[loop] for loop in line.loops)) for line in LISTING)),
        local_calls: sp.Add(*(line.calls for line in LISTING if "k" in line.loops)),
    }
    tried = bounds.decide(
        claim, runs(), method="counts of runs", detail="the reference method with a solver that counts"
    )
    yield tried
    same = all(
        r.rel_op == "==" and sp.expand(sp.sympify(r.lhs - r.rhs).xreplace(counted)) == 0
        for r in conjuncts(claim.statement)
    )
    listed = any(h.key == "algorithm2_listing" for h in claim.hypotheses)
    if listed and tried.finding is Finding.HOLDS and same:
        yield certificates.proved(
            "the listing calls the lower level twice a round, in line 4, outside of the local steps"
        )


def runs() -> Iterator[Trial]:
    """Short runs of the reference method with several numbers of clients, local steps and rounds."""
    import numpy as np

    from rateproof.algos.methods.fedrzo import ExactOracle, LowerCost
    from rateproof.algos.methods.fedrzo_lower import FedRZO_bl
    from rateproof.algos.noise import Streams
    from rateproof.algos.problems.bilevel import affine_response
    from rateproof.algos.problems.federated import Bilevel

    @dataclass
    class Counting:
        """The exact solution, and how often it was asked for before and after the local steps began."""

        calls: int = 0

        def solve(self, problem: Bilevel, x: Array, r: int, call: int, rng: Streams) -> tuple[Array, LowerCost]:
            self.calls += 1
            return ExactOracle().solve(problem, x, r, call, rng)

    for m_, H_, R_ in product((1, 3), (1, 4), (1, 5)):
        problem = affine_response(m=m_)
        solver, inside = Counting(), Counting()
        method = FedRZO_bl(gamma=1e-3, eta=0.1, H=H_, solver=solver)
        looked_at = replace(method, solver=inside)
        rng = Streams(0, 0, 1)
        state = method.init(problem, np.zeros((1, problem.n)), rng)
        late = 0
        for _ in range(R_):
            steps = looked_at.local_steps(problem, state, rng)
            next(steps)
            first = inside.calls
            for _ in steps:
                pass
            late += inside.calls - first
            state = method.round(problem, state, rng)
        values = {"lower_calls_bl": float(solver.calls), "local_calls_bl": float(late), "rounds": float(R_)}
        facts = {"algorithm2_listing": Fact(True, "a run of the reference method")}
        yield Trial.exact(f"m = {m_}, H = {H_}, R = {R_}", values, facts)


# --- Remark 4 (ii)


def witness() -> Line:
    """Two clients, ``f_1 = |x|`` and ``f_2 = 0``: neither is the mean."""
    return Line((Client(p=Q(1)), Client()), Lower(), says="m = 2, f~_1 = |x|, f~_2 = 0, h = y^2/2, X = R")


def check_not_imposed(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Assumption 2 as encoded has no such condition, and an instance satisfies it without."""
    from rateproof.verify.papers.fedrzo.bilevel.enumeration import Run

    line = witness()
    known_facts = facts(line, Run(gamma=Q(1), eta=Q(1)))
    holds = all(h.key in known_facts and known_facts[h.key].holds for h in claim.hypotheses)
    apart = line.implicit(0, Q(1)) - sum(line.implicit(i, Q(1)) for i in range(line.m)) / line.m
    imposed = any("unbiased" in h.key for h in claim.hypotheses)
    if claim.statement is None and holds and apart != 0 and claim.hypotheses and not imposed:
        yield certificates.proved(
            f"{line.says} satisfies every part of Assumption 2, and f_1(1) - f(1) = {apart}", method="a witness"
        )
    else:
        why = "there is a statement, the witness misses a hypothesis, or its clients agree"
        yield Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, "a witness", why)


# --- the minimax problem


def saddles() -> Iterator[Trial]:
    """``f_i = y (a_i x - b_i) - y^2/2`` on an interval Y: y(x) is the clipped mean of ``a_i x - b_i``; x on a grid.

    The maximum over y is taken over all candidates: the two ends and the point where the slope is zero.
    """
    ends = ((Q(-1), Q(1)), (Q(0), Q(5)))
    for slopes, shifts, (low, high) in product(((Q(1), Q(2)), (Q(-1), Q(1))), ((Q(0), Q(1)), (Q(3), Q(-1))), ends):
        a, b = (slopes[0] + slopes[1]) / 2, (shifts[0] + shifts[1]) / 2
        values = [_saddle(a, b, low, high, Q(k, 4)) for k in range(-8, 9)]
        for k, (largest, there) in zip(range(-8, 9), values, strict=True):
            numbers = {
                "max_value_bl": largest,
                "at_y_bl": there,
                "min_max_bl": min(v for v, _ in values),
                "min_at_y_bl": min(v for _, v in values),
            }
            facts = {"maximiser": Fact(True, "the clipped zero of a slope that falls in y")}
            label = f"mean slope {a}, shift {b}, Y = [{low}, {high}], x = {Q(k, 4)}"
            yield Trial.exact(label, {name: float(v) for name, v in numbers.items()}, facts)


def _saddle(a: Q, b: Q, low: Q, high: Q, x: Q) -> tuple[Q, Q]:
    """The maximum over y, by its candidates, and the value at y(x)."""

    def value(y: Q) -> Q:
        return y * (a * x - b) - y * y / 2

    free = a * x - b
    candidates = [low, high, *([free] if low <= free <= high else [])]
    return max(map(value, candidates)), value(min(max(free, low), high))


def check_equivalence(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Both inequalities by the definition of y(x), and saddle problems in closed form."""
    tried = bounds.decide(claim, saddles(), method=VALUES, detail="saddle problems on intervals")
    yield tried
    if tried.finding is Finding.VIOLATION or not any(h.key == "maximiser" for h in claim.hypotheses):
        return
    best = Premise(at_y - max_value, "y(x) maximises over Y(x)", supposed=True)
    member = Premise(max_value - at_y, "y(x) is in Y(x)", supposed=True)
    below = Premise(min_at_y - min_max, "the two functions of x are equal, so are their minima")
    above = Premise(min_max - min_at_y, "the two functions of x are equal, so are their minima")
    yield certificates.prove(claim, [Combination([(ONE, p)]) for p in (best, member, below, above)])


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.rem3": check_calls,
    "fedrzo.rem4.ii": check_not_imposed,
    "fedrzo.mm.equiv": check_equivalence,
}
