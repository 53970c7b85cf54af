"""What an author may write: assumptions, settings, proofs, families and records, each word with its arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from rateproof.theory import assumptions, shorthand, symbols
from rateproof.theory.claim import Hypothesis, Switch
from rateproof.theory.probability import Pr
from rateproof.theory.proof import setting, steps
from rateproof.theory.proof.rules import RULES
from rateproof.theory.proof.trusted import kinds, said
from rateproof.verify import form
from rateproof.verify.form import local_steps, on_a_line, parts

#: Steps that are functions, and what holds all steps.
_MORE_STEPS: dict[str, Callable[..., Any]] = {"qed": steps.qed, "Proof": steps.Proof}
#: Grounds that are written without arguments.
_BY_NAME = {
    "SEQUENCES": said(RULES["sequences"]),
    "SCHEDULE": "The rules of the claim's schedule, as equations.",
}


def vocabulary() -> dict[str, dict[str, str]]:
    """Each kind of word: how it is written -> what it says."""
    typed = [k for k in _own(assumptions) if isinstance(k, type) and issubclass(k, assumptions.Assumption)]
    made = (setting.Mean, setting.SampleMean, setting.Argmin, setting.NormalCone, setting.HalfSquare, setting.Rounds)
    claim = written("claims_of(paper)", shorthand.ClaimMaker.__call__, skip=1)
    return {
        "symbols": _listed([symbols.vocabulary, symbols.declare, symbols.formulas]),
        "claims": {
            claim: said(shorthand.ClaimMaker.__call__),
            "Pr(event)": said(Pr),
            **_listed([Hypothesis, Switch, *(f for f in _own(shorthand) if f is not shorthand.claims_of)]),
        },
        "assumptions, in says= of a hypothesis": _listed(typed[1:]),
        "fields of a Setting": attributes(setting.Setting),
        "what they are made of": _listed(made),
        "steps of a Proof": _named({**kinds()["steps"], **_MORE_STEPS}),
        "grounds, in by= of a step": {
            '"a step"': "An earlier step, by its name.",
            **_named(kinds()["grounds"]),
            **_BY_NAME,
        },
        "rules, which are grounds": {
            written(name, rule, skip=1): said(rule) for name, rule in RULES.items() if name != "sequences"
        },
        "ranges of a family": _listed([form.choice, form.counts, form.reals, form.hidden, form.at_bound]),
        "parts of a family": _listed(_own(parts)),
        "families and records": _listed(
            [form.family, form.climb, form.record, form.example, form.growing, form.collected]
        ),
        "runs in vectors, in floats": {
            **_listed([form.in_floats, on_a_line.at_points, on_a_line.of_loss, local_steps.LocalSteps]),
            **{
                written(f"LocalSteps.{name}", of, skip=1): said(of)
                for name, of in vars(local_steps.LocalSteps).items()
                if inspect.isfunction(of) and not name.startswith("_") and name != "knows"
            },
        },
    }


def _own(module: ModuleType) -> list[Any]:
    """The public functions and classes of a module, in its order, without protocols and errors."""
    named = (thing for name, thing in vars(module).items() if not name.startswith("_") and callable(thing))
    own = [thing for thing in named if getattr(thing, "__module__", "") == module.__name__]
    errors = [thing for thing in own if isinstance(thing, type) and issubclass(thing, Exception)]
    return [thing for thing in own if thing not in errors and not getattr(thing, "_is_protocol", False)]


def _listed(things: Iterable[Callable[..., Any]]) -> dict[str, str]:
    return _named({thing.__name__: thing for thing in things})


def _named(things: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    return {written(name, thing): said(thing) for name, thing in things.items()}


def written(name: str, thing: Callable[..., Any], *, skip: int = 0) -> str:
    """How something is called: those arguments with ``=`` by name, those in brackets by position, or left out.

    ``skip``: arguments at the front that an author does not give.
    """
    told = [*inspect.signature(thing).parameters.values()][skip:]
    return f"{name}({', '.join(map(_argument, told))})"


def _argument(of: inspect.Parameter) -> str:
    if of.kind in (of.VAR_POSITIONAL, of.VAR_KEYWORD):
        return f"{'*' if of.kind is of.VAR_POSITIONAL else '**'}{of.name}"
    if of.kind is of.POSITIONAL_ONLY and of.default is not of.empty:
        return f"[{of.name}]"
    return f"{of.name}=" if of.kind is of.KEYWORD_ONLY or of.default is not of.empty else of.name


def attributes(kind: type) -> dict[str, str]:
    """The attributes of a class, as its docstring says them, each in one line."""
    _, _, text = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", text, flags=re.MULTILINE)
    return {name: " ".join(what.split()) for name, what in found}
