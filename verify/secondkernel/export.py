"""A claim as a file of Rocq."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.proof.hints import SECONDS, Hints
from rateproof.theory.proof.kernel import Kernel
from rateproof.theory.symbols import C_O
from rateproof.verify.secondkernel import exponents
from rateproof.verify.secondkernel.claims import Theory
from rateproof.verify.secondkernel.printer import OUTCOME
from rateproof.verify.secondkernel.steps import Steps
from rateproof.verify.secondkernel.totals import take


@dataclass(frozen=True)
class Exported:
    """The file of a claim; or why there is none."""

    claim: str
    text: str = ""
    why: str = ""
    cites: tuple[str, ...] = ()


def exported(claim: Claim, cited: Callable[[str], Claim | None], hints: Hints, seconds: float = SECONDS) -> Exported:
    """A claim as a theory, from its proof as the kernel takes it.

    Args:
        claim: with a proof in steps.
        cited: a claim that is proved, by id.
        hints: multipliers that are kept.
        seconds: of processor time, for a step whose multipliers are searched.

    Raises:
        ValueError: the claim has no proof.
    """
    if claim.proof is None:
        raise ValueError(f"{claim.id} has no proof in steps, so that there is nothing to export")
    kernel = Kernel(claim, cited, hints, seconds)
    try:
        for step in claim.proof.steps:
            take(kernel, step)
    except ValueError as refusal:
        return Exported(claim.id, why=f"its proof does not go through: {refusal}")
    theory = Theory(claim, kernel)
    try:
        steps = Steps(theory, kernel)
        steps.all()
        text = assembled(theory, steps)
    except (ValueError, TimeoutError) as refusal:
        return Exported(claim.id, why=str(refusal))
    return Exported(claim.id, text, cites=tuple(theory.cites))


def assembled(theory: Theory, steps: Steps) -> str:
    """The parts of a theory in their order."""
    printer, claim = theory.printer, theory.claim
    hidden = []
    if theory.counts:
        definition, statement = exponents.statement(theory, steps.kernel.stated, theory.counts)
        hidden = [definition]
    else:
        statement = _statement(theory, steps)
    definitions = _definitions(theory)
    # signs of everything named
    while True:
        before = len(printer.names)
        for kind, key in list(printer.names):
            if kind == "symbol" and key not in theory.generic and key not in theory.bound() | {C_O}:
                theory.sign_of(key)
            if kind == "function":
                theory.sign_of(key)
        definitions = _definitions(theory)
        if len(printer.names) == before:
            break
    scalars, movers, functions, vectors = [], {}, {}, []
    bound = theory.bound()
    for (kind, key), name in printer.names.items():
        if kind == "symbol" and key not in theory.defined and key not in theory.generic and key not in bound | {C_O}:
            if key in theory.arguments:
                movers[name] = "".join(f"{_kind_of(theory, i)} -> " for i in theory.arguments[key])
            else:
                scalars.append(name)
        elif kind == "function":
            functions[name] = "R -> " * key[1]
        elif kind == "vector":
            vectors.append(name)
    lines = [
        f"From RateProof Require Import {'Exponents' if hidden else 'RateProof'}.",
        f"(* {claim.id}: {claim.source.place} *)",
        *hidden,
        "Section Claim.",
        "Variable E : ips.",
        *([f"Variable {printer.drawing} : drawing."] if theory.drawn else []),
    ]
    arrows = "R -> " * len(theory.indices)
    resting = [name for (kind, key), name in printer.names.items() if kind == "vector" and key in theory.resting]
    for named, kind in ((resting, "E"), ([v for v in vectors if v not in resting], f"{arrows}E")):
        if named:
            lines.append(f"Variables {' '.join(named)} : {kind}.")
    if scalars:
        lines.append(f"Variables {' '.join(scalars)} : R.")
    for name, kinds in {**movers, **functions}.items():
        lines.append(f"Variable {name} : {kinds}R.")
    lines += definitions
    lines += [f"Hypothesis {name} : {text}." for name, text in theory.hypotheses.items()]
    lines += ["", *theory.lemmas, statement, "End Claim.", "Print Assumptions statement.", ""]
    return "\n".join(lines)


def _statement(theory: Theory, steps: Steps) -> str:
    printer, stated = theory.printer, []
    for r in steps.kernel.stated:
        stated.append(next(lemma for lemma, shown in steps.shown.values() if shown.relation == r and not shown.when))
    binder, names = theory.binder(theory.free(*steps.kernel.stated))
    said = " /\\ ".join(map(printer.relation, steps.kernel.stated))
    intros = f"intros {' '.join(names)}.\n" if names else ""
    proof = f"{intros}repeat split; first [{' | '.join(f'solve [apply {x}; side]' for x in stated)}]."
    return f"Theorem statement : {binder}{said}.\nProof.\n{proof}\nQed.\n"


def _kind_of(theory: Theory, index: sp.Symbol) -> str:
    return theory.printer.drawing if index == OUTCOME else "R"


def _definitions(theory: Theory) -> list[str]:
    """The definitions of all defined symbols that are named, each after those that it uses."""
    printer, out, done = theory.printer, [], set()

    def visit(symbol: sp.Symbol) -> None:
        if symbol in done:
            return
        done.add(symbol)
        value = theory.defined[symbol]
        for s in theory._symbols(value):
            s = printer.symbol(s)
            if s in theory.defined:
                visit(s)
        arguments = theory.arguments.get(symbol, ())
        params = "".join(f" ({printer.text(i)} : {_kind_of(theory, i)})" for i in arguments)
        printer.text(symbol)
        out.append(f"Definition {printer.names['symbol', symbol]}{params} : R := {printer.text(value)}.")

    for kind, key in list(printer.names):
        if kind == "symbol" and key in theory.defined:
            visit(key)
    return out
