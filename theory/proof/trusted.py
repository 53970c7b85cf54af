"""What a proof rests on: rules and steps, the modules that check them, and the libraries that these call."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

from rateproof.theory import gram, sums
from rateproof.theory.proof import steps
from rateproof.theory.proof.rules import RULES

#: What is trusted, and the modules of ``theory`` that do it. A search for multipliers is not, nor multipliers that are
#: kept, nor a lemma's proof as it is written for other vectors: what they find is checked.
PARTS = {
    "hypotheses with types, claims and definitions": ("assumptions", "claim", "probability", "schedule", "symbols"),
    "settings: what vectors and numbers are": ("proof.setting",),
    "rules": ("proof.rules", "gram.facts", "gram.vectors"),
    "steps, and what they may take for granted": (
        *("proof.kernel", "proof.steps", "proof.context", "proof.meaning", "proof.atoms", "proof.by_cases"),
        *("proof.indices", "proof.telescope", "algebra"),
    ),
    "citations": ("proof.cites",),
    "rounds that an accuracy needs": ("proof.exponents", "asymptotics.monomial"),
    "inequalities between vectors": (
        *("gram.decision", "gram.forms", "gram.squares", "gram.domain", "gram.reduction"),
    ),
    "bounds on sums": ("sums",),
}
LIBRARIES = {
    "sympy": "algebra, and the signs that symbols are declared to have",
    "python-flint": "exact polynomials and fractions (FLINT), and balls (Arb)",
    "z3": "signs of polynomials that the signs of their terms do not show",
}


def kinds() -> dict[str, dict[str, type]]:
    """What a proof is written with, beside rules: its steps, and what they may rest on."""
    named: dict[str, type] = {
        name: kind
        for name, kind in vars(steps).items()
        if isinstance(kind, type) and kind.__module__ == steps.__name__ and name.islower()
    }
    grounds: dict[str, type] = {name: kind for name, kind in named.items() if kind in (steps.Cite, steps.Supposed)}
    return {"steps": {name: kind for name, kind in named.items() if name not in grounds}, "grounds": grounds}


def trusted() -> dict[str, dict[str, str]]:
    """The trusted base, each part with what it says."""
    return {
        "rules": {name: said(rule) for name, rule in RULES.items()},
        **{part: {name: said(kind) for name, kind in of.items()} for part, of in kinds().items()},
        "deciders": {f"theory.{e.__name__.rpartition('.')[2]}": said(e) for e in (gram, sums)},
        "lines of code": {part: str(count) for part, count in lines().items()},
        "libraries": dict(LIBRARIES),
    }


def lines() -> dict[str, int]:
    """Lines of code of each part and of all, without blank ones and comments; docstrings count, as they say what is."""
    found = {part: sum(map(_lines, modules)) for part, modules in PARTS.items()}
    return {**found, "in all": sum(found.values())}


def _lines(name: str) -> int:
    module = importlib.import_module(f"rateproof.theory.{name}")
    source = Path(inspect.getfile(module))
    files = sorted(source.parent.glob("*.py")) if source.name == "__init__.py" else [source]
    said = (line.strip() for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return sum(bool(line) and not line.startswith("#") for line in said)


def said(thing: object) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((thing.__doc__ or "").split("\n\n")[0].split())
