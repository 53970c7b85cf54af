"""A certified factor for one step, and by induction a rate for every number of steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rateproof.verify.worstcase.certificate import Certificate, Refusal
from rateproof.verify.worstcase.model import START, Model, read
from rateproof.verify.worstcase.search import certify


@dataclass(frozen=True)
class Contraction:
    """``V(x_(k+1)) <= factor V(x_k)`` for every state ``x_k``, hence ``V(x_n) <= factor^n V(x_0)`` for every ``n``.

    Attributes:
        factor: proved, not negative.
        certificate: that ``V(end) <= factor`` where ``V(start) <= 1``. No other form in it has a constant, so that its
            identity reads ``V(end) <= factor V(start)`` for a start of any size.
    """

    factor: Fraction
    certificate: Certificate

    def bound(self, steps: int) -> Fraction:
        """``factor^steps``: what ``V`` is multiplied by, at most, after so many steps."""
        if steps < 0:
            raise ValueError(f"steps is {steps}: give a number that is not negative")
        return self.factor**steps

    @property
    def statement(self) -> str:
        """What is proved, in one line."""
        return f"V(x_n) <= ({self.factor})^n V(x_0) for every n >= 0; the factor is about {float(self.factor):.6g}"

    def check(self) -> bool:
        """Whether the certificate holds and carries the induction.

        That its metric is ``V(end)``, for the ``V`` of the start and the state after the step, no check can see.
        """
        # A larger factor than the proved one would be false where V is negative.
        return _inductive(self.certificate.model) and self.certificate.upper == self.factor and self.certificate.check()


def contraction(
    problem: Any,
    functional: Callable[[Any], Any],
    start: Any,
    end: Any,
    *,
    solver: str = "CLARABEL",
    claimed: float | Fraction | None = None,
    slack: float = 1e-6,
) -> Contraction | Refusal:
    """The factor by which one step reduces a functional, for every member of the problem's classes.

    Args:
        problem: a ``PEPit.PEP`` with one step of the method, no metric and no initial condition: what it assumes has
            to hold at every step. It is left without metric and condition.
        functional: ``V`` as a function of the state that returns a PEPit expression without a constant, for example
            ``lambda x: (x - xs) ** 2`` or a Lyapunov function of several iterates.
        start, end: the state before and after the step, as the functional takes it.
        solver, claimed, slack: as for :func:`~rateproof.verify.worstcase.search.certify`; ``claimed`` is the factor
            hoped for.

    Raises:
        ValueError: when the problem has a metric, and what ``certify`` raises.
    """
    if problem.list_of_performance_metrics:
        raise ValueError("problem has a metric: give one step without metric; the functional is the metric")
    initial = functional(start) <= 1
    try:
        problem.add_constraint(initial, name=START)
        problem.set_performance_metric(functional(end))
        model = read(problem)
    finally:
        problem.list_of_performance_metrics.clear()
        problem.list_of_constraints[:] = [c for c in problem.list_of_constraints if c is not initial]
    if not _inductive(model):
        return Refusal(
            "a condition or the functional has a constant term, so that one step does not carry over to the next"
        )
    certificate = certify(model, solver=solver, claimed=claimed, slack=slack)
    return certificate if isinstance(certificate, Refusal) else Contraction(certificate.upper, certificate)


def _inductive(model: Model) -> bool:
    """Whether there is one metric, and no form with a constant but that of one start, ``V(start) - 1 <= 0``.

    The bound is then the multiplier of the start, and not negative.
    """
    starts = [c for c in model.conditions if c.name == START]
    forms = [*model.metrics, *(c.form for c in model.conditions if c.name != START)]
    forms += [form for matrix in model.semidefinite for row in matrix.entries for form in row]
    return (
        len(model.metrics) == 1
        and len(starts) <= 1
        and all(c.form.constant == -1 and not c.equality for c in starts)
        and all(form.constant == 0 for form in forms)
    )
