"""What a line of a baseline need not say: what the catalog has of its claim, and what is empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.theory.discovery import paper_of
from rateproof.verify.checks import Budget, Result, blank, plain
from rateproof.verify.evidence import Verdict, Violated

#: Between the text of a hypothesis and the numbers that it has on an instance.
_NUMBERS = ": "


def short(data: Mapping[str, Any], claim: Claim | None) -> dict[str, Any]:
    """A line without what follows from the rest of it and from its claim; what :func:`whole` is given.

    Args:
        data: all fields of the line, in plain JSON values.
        claim: as the catalog has it; None where it is gone.
    """
    out = dict(data)
    if violated := data["violated"]:
        texts = _texts(claim)
        reasons = {key: _without(why, texts.get(key, "")) for key, why in violated["hypotheses"].items()}
        out["violated"] = _but(violated | {"hypotheses": reasons}, _instance(data, claim))
    out["readings"] = {name: _but(reading, _READING) for name, reading in data["readings"].items()}
    return _but(out, _fields(out, claim))


def whole(line: Mapping[str, Any], claim: Claim | None) -> dict[str, Any]:
    """All fields of a line.

    Raises:
        KeyError, TypeError, ValueError: the line is not what :func:`short` makes.
    """
    out = _fields(line, claim) | dict(line)
    if violated := out["violated"]:
        texts, full = _texts(claim), _instance(out, claim) | violated
        reasons = {
            key: texts.get(key, "") + why if why.startswith(_NUMBERS) else why
            for key, why in full["hypotheses"].items()
        }
        full["hypotheses"] = reasons
        out["violated"] = {f.name: full[f.name] for f in fields(Violated)}
    out["readings"] = {
        name: {"verdict": reading["verdict"]} | _READING | reading for name, reading in out["readings"].items()
    }
    return out


_ALWAYS = ("claim", "verdict")
_READING = {"worst_ratio": None}


def _fields(line: Mapping[str, Any], claim: Claim | None) -> dict[str, Any]:
    """The fields of a line about a claim of which nothing was found, read kindly as printed."""
    claim_id, budget = str(line["claim"]), Budget()
    nothing = blank(claim) if claim else Result(claim_id, paper_of(claim_id), "", "", "", Verdict.UNCHECKED)
    family = (line.get("violated") or {}).get("at", {})
    named = ", ".join(f"{name} = {value}" for name, value in family.items() if name != "family")
    witness = f"{family['family']}: {named}" if "family" in family else ""
    defaults = {
        "kindly": line["verdict"],
        "witness": witness,
        "tier": budget.tier,
        "seed": budget.seed,
        "of": "",
        "steps": 0,
    }
    return {name: value for name, value in (nothing.to_json() | defaults).items() if name not in _ALWAYS}


def _instance(data: Mapping[str, Any], claim: Claim | None) -> dict[str, Any]:
    """The fields of a refuting instance that is the witness, and violates the statement by the worst ratio."""
    relation = "" if claim is None else str(claim.statement)
    return {"instance": data["witness"], "ratio": plain(data["worst_ratio"]), "relation": relation} | {
        "degenerate": False,
        "hypotheses": {},
        "at": {},
        "values": {},
    }


def _texts(claim: Claim | None) -> dict[str, str]:
    return {} if claim is None else {h.key: h.text for h in claim.hypotheses}


def _without(why: str, text: str) -> str:
    return why.removeprefix(text) if why.startswith(text + _NUMBERS) else why


def _but(data: Mapping[str, Any], implied: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in implied or value != implied[name]}
