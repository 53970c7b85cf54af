"""The stored counterexamples to claims about FedRZO, measured exactly.

A record of ``counterexamples_<section>.toml`` gives

- ``values``: exact numbers by symbol name, and ``facts``: structural hypotheses that hold, with the reason;
- or ``measure``, the name of a family or a run in ``MEASURES`` of a section's module ``exact``, and its parameters
  ``at``: the measure computes the numbers and answers for the hypotheses. ``values`` and ``facts`` beside it add what
  the measure does not determine;
- for an O(.) claim ``rungs``, each of which gives what changes along the ladder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.theory.discovery import exists
from rateproof.verify.counterexamples.replay import Number, rational
from rateproof.verify.form.family import Family, explained

#: From the parameters of an instance (as the record gives them) to numbers by symbol name and to facts with reasons.
Measure = Callable[[Mapping[str, Any]], tuple[dict[str, Number], dict[str, str]]]
SECTIONS = ("single", "bilevel", "twostage")
_MERGED = ("at", "values", "facts")


@cache
def measures() -> Mapping[str, Measure]:
    """What the sections measure, by name.

    Raises:
        ValueError: two sections give one name.
    """
    together: dict[str, Measure] = {}
    for section in SECTIONS:
        module = f"rateproof.verify.papers.fedrzo.{section}.exact"
        of_section: dict[str, Measure] = getattr(import_module(module), "MEASURES", {}) if exists(module) else {}
        if twice := sorted(together.keys() & of_section.keys()):
            raise ValueError(f"section {section} has a measure {twice[0]!r}, which another section has, too")
        together |= of_section
    return together


def measured(claim: Claim, data: Mapping[str, Any]) -> tuple[dict[str, Number], dict[str, str]]:
    """Numbers and structural facts of one record.

    Raises:
        ValueError: an unknown measure, a number that is not exact, or something that the measure determines, too.
    """
    stated = {name: rational(text) for name, text in data.get("values", {}).items()}
    said = dict(data.get("facts", {}))
    if (name := data.get("measure")) is None:
        if "at" in data:
            raise ValueError(f"the counterexample to {claim.id} has parameters 'at', but names no measure for them")
        return stated, said
    if name not in measures():
        names = ", ".join(sorted(measures())) or "none"
        raise ValueError(f"the counterexample to {claim.id} names an unknown measure {name!r}; known are {names}")
    values, facts = measures()[name](data.get("at", {}))
    if twice := sorted((stated.keys() & values.keys()) | (said.keys() & facts.keys())):
        raise ValueError(f"{claim.id}: the measure {name} determines {', '.join(twice)}; leave it out of the record")
    return values | stated, facts | said


def meaning(data: Mapping[str, Any], name: str) -> str:
    """What a parameter of a record stands for, as the docstring of its measure says; empty where that does not."""
    measure = measures().get(data.get("measure", ""))
    if measure is None:
        return ""
    of = getattr(measure, "__self__", None)
    return of.meaning(name) if isinstance(of, Family) else explained(measure, name)


def rungs(claim: Claim, data: Mapping[str, Any]) -> Iterator[tuple[dict[str, Number], dict[str, str]]]:
    """The rungs of a ladder: what the record says, overridden by what each rung says.

    Raises:
        ValueError: as :func:`measured`.
    """
    base = {k: v for k, v in data.items() if k != "rungs"}
    for rung in data["rungs"]:
        yield measured(claim, {**base, **rung, **_merged(base, rung)})


def _merged(base: Mapping[str, Any], rung: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What both give, the rung's own first; what neither gives stays away."""
    return {k: {**base.get(k, {}), **rung.get(k, {})} for k in _MERGED if k in base or k in rung}
