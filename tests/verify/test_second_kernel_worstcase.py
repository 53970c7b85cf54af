"""Worst-case certificates as theorems of Rocq: accepted, and refused where a number or a condition is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from rateproof.verify.secondkernel import rocq
from rateproof.verify.secondkernel.worstcase import theorem
from rateproof.verify.worstcase import Certificate, certify, exact

pep = pytest.importorskip("PEPit", reason="PEPit is an optional dependency")
from PEPit.functions import SmoothConvexFunction, SmoothStronglyConvexQuadraticFunction  # noqa: E402

COQC = rocq.found()
needs_coqc = pytest.mark.skipif(COQC is None, reason="needs coqc (Debian: apt-get install coq)")


def descent(function: type, **parameters: Fraction) -> Certificate:
    """Of two steps of gradient descent, which has several metrics."""
    problem = pep.PEP()
    f = problem.declare_function(function, L=exact(1), **parameters)
    least, x = f.stationary_point(), problem.set_initial_point()
    problem.set_initial_condition((x - least) ** 2 <= 1)
    for _ in range(2):
        x = x - exact(1) * f.gradient(x)
        problem.set_performance_metric(f(x) - f(least))
    found = certify(problem)
    assert isinstance(found, Certificate)
    return found


@pytest.fixture(scope="module")
def smooth() -> Certificate:
    return descent(SmoothConvexFunction)


@pytest.fixture(scope="module")
def quadratic() -> Certificate:
    found = descent(SmoothStronglyConvexQuadraticFunction, mu=exact("1/10"))
    assert found.matrices
    return found


def accepted(certificate: Certificate) -> bool:
    assert COQC is not None
    return rocq.checked(COQC, theorem(certificate)).accepted


def test_every_condition_is_a_hypothesis_with_its_name(smooth: Certificate) -> None:
    text = theorem(smooth, 'about "x" *) Axiom')
    assert text.count("Hypothesis c_") == len(smooth.model.conditions)
    assert all(c.name in text for c in smooth.model.conditions)
    assert text.startswith("(* about 'x' * ) Axiom *)\n")


@needs_coqc
@pytest.mark.parametrize("kind", ["smooth", "quadratic"])
def test_a_certificate_is_accepted(kind: str, request: pytest.FixtureRequest) -> None:
    assert accepted(request.getfixturevalue(kind))


def less(certificate: Certificate) -> Certificate:
    return replace(certificate, upper=certificate.upper - Fraction(1, 10**6))


def another_multiplier(certificate: Certificate) -> Certificate:
    first, *rest = certificate.multipliers
    return replace(certificate, multipliers=(first + Fraction(1, 1000), *rest))


def without_a_condition(certificate: Certificate) -> Certificate:
    model = replace(certificate.model, conditions=certificate.model.conditions[1:])
    return replace(certificate, model=model, multipliers=certificate.multipliers[1:])


def turned_round(certificate: Certificate) -> Certificate:
    """The same identity, of a condition that says the opposite, with a negative multiplier."""
    first, *rest = certificate.model.conditions
    form = replace(
        first.form,
        gram={k: -c for k, c in first.form.gram.items()},
        values={k: -c for k, c in first.form.values.items()},
        constant=-first.form.constant,
    )
    model = replace(certificate.model, conditions=(replace(first, form=form), *rest))
    return replace(certificate, model=model, multipliers=(-certificate.multipliers[0], *certificate.multipliers[1:]))


@needs_coqc
@pytest.mark.parametrize("spoil", [less, another_multiplier, without_a_condition, turned_round])
@pytest.mark.parametrize("kind", ["smooth", "quadratic"])
def test_a_planted_error_is_refused(
    kind: str, spoil: Callable[[Certificate], Certificate], request: pytest.FixtureRequest
) -> None:
    spoilt = spoil(request.getfixturevalue(kind))
    assert not spoilt.check()
    assert not accepted(spoilt)
