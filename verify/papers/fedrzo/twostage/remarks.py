"""Remark 5: how the lower levels of the two problem classes depend on the sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rateproof.algos.piecewise import absolute, affine
from rateproof.algos.problems.line_lower import LineBilevel, LineTwoStage
from rateproof.theory.claim import Claim
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.papers.fedrzo.twostage.common import facts_of
from rateproof.verify.trial import Trial


def stage() -> LineTwoStage:
    """``f~ = |y|``, ``G = y - x - xi`` over [-10, 10] with xi = +-1: y(x, xi) = x + xi for |x| <= 9."""
    target = (affine(slope=1.0, intercept=1.0), affine(slope=1.0, intercept=-1.0))
    return LineTwoStage([affine(slope=0.0)], [absolute(slope=1.0)], target=target, low=-10.0, high=10.0)


def spreads() -> Iterator[Trial]:
    """How far lower-level solutions of one x lie apart over the samples, in both classes."""
    x = np.array([[0.0], [1.0], [-3.0]])
    two = stage()
    plus, minus = (two.lower_solution(x, np.full((3, 1), s)) for s in (1.0, -1.0))
    yield Trial.exact(
        label="f~ = |y|, G = y - x - xi, Y = [-10, 10], xi = +-1",
        values={"spread_2s": float(np.abs(plus - minus).max())},
        facts=facts_of({"two_stage": "G is strongly monotone with constant 1, Y compact, the loss 1-Lipschitz"}),
    )
    losses = [(affine(slope=1.0), affine(slope=-1.0))] * 2
    level = LineBilevel(losses, [absolute(slope=1.0)] * 2, A=1.0, b=(1.0, -1.0))
    once, again = level.lower_solution(x), level.lower_solution(x)
    yield Trial.exact(
        label="f~_i = xi x + |y|, h_i = (y - x -+ 1)^2/2, xi = +-1",
        values={"spread_bl_2s": float(np.abs(once - again).max())},
        facts=facts_of({"bilevel": "h_i is quadratic; y(x) = x minimises its expectation, in which no sample is left"}),
    )


def check_dependence(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Lower-level solutions of one x for two samples."""
    yield bounds.decide(
        claim, spreads(), method="instances", detail="y(0, +-1) = +-1 in two stages; y(0) = 0 in bilevel"
    )


def objectives() -> tuple[float, float]:
    """At x = 0: ``E f~(x, y(x, xi), xi)``, and the same with the one solution y = x for the mean of the samples."""
    two, x = stage(), np.zeros((1, 1, 1))
    losses = [two.values(x, np.full((1, 1, 1), s))[0, 0] for s in (1.0, -1.0)]
    one = [two.values_at(x, np.zeros((1, 1, 1)), np.full((1, 1, 1), s))[0, 0] for s in (1.0, -1.0)]
    return float(np.mean(losses)), float(np.mean(one))


def check_unsuitable(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An instance on which one lower-level solution for all samples gives another objective."""
    losses, one = objectives()
    detail = f"f~ = |y|, G = y - x - xi, xi = +-1, x = 0: f = {losses:g}, with one y(x) for all samples {one:g}"
    yield Evidence(
        Finding.HOLDS if losses != one else Finding.INCONCLUSIVE, Level.EXACT, "instances", detail, instances=1
    )


CHECKS: dict[str, Check] = {
    "rem5.dependence": check_dependence,
    "rem5.unsuitable": check_unsuitable,
}
