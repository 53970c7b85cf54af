"""The steps of a checked proof as plain JSON values, so that a reader can check each of them by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from rateproof.theory.proof import Certificate
from rateproof.theory.proof.folded import said
from rateproof.theory.proof.printed import written

#: ``section`` where one begins, ``name``, ``formula``, ``by`` (what it rests on) and ``shown``: remarks, and for each
#: inequality that was decided ``uses`` (multiplier, premise), ``squares`` (multiplier, vector) and ``rest``, which
#: together are its large side less its small side, and ``signs``, why factors are nonnegative that are not so term by
#: term. What is empty is left out.
Step = dict[str, Any]


def step(
    name: str, formula: sp.Basic, by: Iterable[str], shown: Iterable[Certificate | str], section: str = ""
) -> Step:
    """One step of a proof."""
    parts = [part if isinstance(part, str) else _certificate(part) for part in shown]
    return _filled(section=section, name=name, formula=written(formula), by=list(dict.fromkeys(by)), shown=parts)


def lines(one: Mapping[str, Any]) -> tuple[str, ...]:
    """What shows a step, one line for each remark and each inequality that was decided."""
    return tuple(part if isinstance(part, str) else _sum(part) for part in one.get("shown", ()))


def _certificate(certificate: Certificate) -> dict[str, Any]:
    uses = [[str(m), premise if isinstance(premise, str) else written(premise)] for m, premise in certificate.uses]
    return _filled(
        uses=uses,
        squares=[[str(c), said(v)] for c, v in certificate.squares],
        rest=certificate.rest,
        signs=list(certificate.signs),
    )


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _sum(certificate: Mapping[str, Any]) -> str:
    terms = [f"({factor}) [{premise}]" for factor, premise in certificate.get("uses", ())]
    terms += [f"({factor}) ||{vector}||^2" for factor, vector in certificate.get("squares", ())]
    total = " + ".join(filter(None, [*terms, certificate.get("rest")])) or "0"
    return "; ".join((f"= {total}", *certificate.get("signs", ())))
