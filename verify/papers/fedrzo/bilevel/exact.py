"""Measures for the stored counterexamples of the bilevel section, in exact rationals, and in balls for long runs.

``family``: what the losses are; ``gamma``: stepsize of the upper level; ``eta``: smoothing parameter; ``m``: number of
clients; ``H``: local steps of a round; ``rounds``: rounds in all; ``rest``: steps of one more round; ``k``: the local
step that is looked at; ``x0``: where the run starts; ``e``: size of the errors of the lower level; ``p``: local steps
of a round from K iterations on; ``t``: the point that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.counterexamples.replay import Number, rational
from rateproof.verify.papers.fedrzo.bilevel import instances
from rateproof.verify.papers.fedrzo.bilevel.closed import Bowl, at_com, last_missed
from rateproof.verify.papers.fedrzo.bilevel.enumeration import Run
from rateproof.verify.papers.fedrzo.bilevel.line import Line
from rateproof.verify.papers.fedrzo.bilevel.measure import Numbers, as_fractions, at_step, whole_run
from rateproof.verify.papers.fedrzo.bilevel.trials import facts

Measured = tuple[dict[str, Number], dict[str, str]]
#: Instances that a record may name, with the parameters of their builders.
FAMILIES: Mapping[str, Callable[..., Line]] = {
    "absolute": instances.absolute,
    "tilted": instances.tilted,
    "pinned": instances.pinned,
    "cone": instances.cone,
    "inexact": instances.inexact,
    "hidden_cone": instances.hidden_cone,
}
_COUNTS = ("H", "rounds", "rest", "m", "k")
_RUN = tuple(f.name for f in fields(Run))


def _number(name: str, value: object) -> Any:
    if name in _COUNTS:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{name} is {value!r}; it should be a whole number")
        return value
    exact = rational(value)
    return Fraction(int(exact.p), int(exact.q))


def _built(at: Mapping[str, Any]) -> tuple[Line, Run, int]:
    """The instance, the run and the local step that a record names.

    Raises:
        ValueError: an unknown family, parameter or number; it is named.
    """
    family = FAMILIES.get(at.get("family", ""))
    if family is None:
        raise ValueError(f"the family is {at.get('family')!r}; it should be one of {', '.join(FAMILIES)}")
    params = {name: _number(name, x) for name, x in at.items() if name != "family"}
    k = params.pop("k", 0)
    run = Run(**{name: params.pop(name) for name in _RUN if name in params})
    try:
        return family(**params), run, k
    except TypeError as error:
        raise ValueError(f"family {at['family']}: {error}") from None


def _told(numbers: Numbers, facts: Mapping[str, Fact]) -> Measured:
    values = {name: rational(str(x)) for name, x in as_fractions(numbers).items()}
    return values, {key: fact.why for key, fact in facts.items() if fact.holds}


def step(at: Mapping[str, Any]) -> Measured:
    """Local step ``k`` of a run of Algorithm 2, over all of its courses."""
    line, run, k = _built(at)
    return _told(at_step(line, run, k), facts(line, run, round_=k // run.H))


def run(at: Mapping[str, Any]) -> Measured:
    """A run of Algorithm 2, over all of its courses."""
    line, whole, _ = _built(at)
    return _told(whole_run(line, whole), facts(line, whole))


def bowl(at: Mapping[str, Any]) -> Measured:
    """A long run on a Huber bowl, in balls."""
    from flint import arb, fmpq

    params = {name: _number(name, x) for name, x in at.items()}
    found = Bowl(**params)
    ball = arb(fmpq(found.gamma.numerator, found.gamma.denominator))
    numbers = found.numbers(ball)
    grad = numbers.pop("grad_kstar")
    values, said = _told(numbers, found.known())
    return values | {"grad_kstar": grad}, said


def bowl_missed(at: Mapping[str, Any]) -> Measured:
    """S-com at the last K that misses what K + 1 reaches, so that K_eps = K + 1 for this epsilon.

    Raises:
        ValueError: K does not miss it.
    """
    from flint import arb

    K = last_missed(at["p"])
    run = at_com(K)
    values, said = bowl({"gamma": str(run.gamma), "H": run.H, "m": run.m, "rounds": run.rounds, "rest": run.rest})
    epsilon = at_com(K + 1).variance(1 / arb(K + 1).sqrt())
    if not values["grad_kstar"] > epsilon:
        raise ValueError(f"K = {K} should miss what K + 1 reaches, {epsilon}; it reaches {values['grad_kstar']}")
    facts = {"lower_rate": "the lower level is exact, eps_r = 0"}
    facts["K_eps_all"] = (
        "K misses epsilon, K + 1 reaches it, and gamma H, with which the mean falls, is lower from there on"
    )
    return values | {"epsilon": epsilon, "K_eps": rational(K + 1)}, said | facts


def parabola(at: Mapping[str, Any]) -> Measured:
    """The implicit loss ``x^2`` at ``t`` and at 0."""
    t = rational(at["t"])
    return {"diff_f_bl": t * t, "dist_x_bl": t}, {"differentiable": "f = x^2"}


MEASURES: dict[str, Callable[[Mapping[str, Any]], Measured]] = {
    "bilevel_step": step,
    "bilevel_run": run,
    "bilevel_bowl": bowl,
    "bilevel_ladder": bowl_missed,
    "bilevel_parabola": parabola,
}
