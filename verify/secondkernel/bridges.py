"""Why two readings of one relation are the same: definitions, forms and terms that are written otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.algebra import normal
from rateproof.theory.gram.vectors import factors
from rateproof.verify.secondkernel.lemmas import Script, powers
from rateproof.verify.secondkernel.printer import NotExportedError, Printer, renamed
from rateproof.verify.secondkernel.terms import over_own_indices, rewriting

#: Roots of products as products of roots, and then those alike that stand in sums.
_APART = "spread; same_roots; first [ring | field; nz]"


def bridge(theory: Any, script: Script, said: sp.Rel, read: sp.Rel, sequences: bool) -> str:
    """Why two readings of one relation are the same: definitions, forms and terms that are written otherwise."""
    kept = theory._symbols(read)
    ties: list[str] = []
    tied: dict[sp.Symbol, sp.Expr] = {}

    def here(name: str, relation: sp.Rel) -> list[str]:
        """A hypothesis at the indices of this lemma."""
        try:
            theory.borrow(script, relation)
        except NotExportedError:
            return []
        return [theory.here(theory.quantified(name, relation), relation)]

    if sequences:
        for s in theory.setting.family:
            for m, term in s.ties.items():
                if m.is_Symbol and m in theory.setting.metrics:
                    ties += here(f"tie_{m.name}", sp.Eq(m, term, evaluate=False))
                    kept |= {m}
                    tied[m] = sp.sympify(term)
    names = theory.unfolding([said], kept)
    closed = {theory.printer.symbol(s) for s in kept}
    full = theory.context.plain(said, sequences, frozenset(theory.claim.where.keys() - closed))
    inside = {
        theory.printer.names["symbol", s]: e for s, e in theory.defined.items() if ("symbol", s) in theory.printer.names
    }
    unfolded = {n: inside[n] for n in names}
    bases = {s: unfolded[n] for s in said.free_symbols if (n := theory.printer.names.get(("symbol", s))) in unfolded}
    made = [sp.Pow(bases[p.base], p.exp, evaluate=False) for p in said.atoms(sp.Pow) if p.base in bases]
    written = [*full.args, *unfolded.values(), *made, *script.written]
    script.nonzero([*written, *read.args, *said.args])
    equations = [*ties, *script.cases, *rewriting(theory, script, said, written, kept, tied)]
    for number, form in theory.setting.metrics.items():
        if not number.is_Symbol and full != said:
            equations += here("met", sp.Eq(number, form, evaluate=False))
    if sequences:  # where a sequence starts
        for m, term in theory.setting.sequences.items():
            if isinstance(m, AppliedUndef) and ("function", (m.func, len(m.args))) in theory.printer.names:
                equations += here(f"tie_{m.func.__name__}", sp.Eq(m, term, evaluate=False))
    for s in full.free_symbols | said.free_symbols:
        pair = factors(s)
        if pair and len({theory.setting.blocks.get(n) for n in pair} | {None}) == 3:
            equations += here(f"orth_{pair[0]}_{pair[1]}", sp.Eq(s, 0, evaluate=False))
    unfold = f"cbv beta delta [{' '.join(names)}]" if names else ""
    parts = [*_alike_divisors(theory, said, read, sequences, closed, unfold), *([unfold] if unfold else [])]
    parts += _extremes(theory, said, unfolded)
    parts += over_own_indices(theory.printer, said)
    parts += [f"rewrite {', '.join(f'?{e}' for e in dict.fromkeys(equations))} by side"] if equations else []
    logs = any(p.base.has(sp.log) for e in (*written, *said.args) for p in e.atoms(sp.Pow) if not p.exp.is_Integer)
    end = f"first [ident | same_roots; first [ident | {_APART}]]" if logs and equations else "ident"
    return "; ".join([*parts, end])


def _extremes(theory: Any, said: sp.Rel, unfolded: Mapping[str, sp.Expr]) -> list[str]:
    """Write maxima and minima with the numbers that definitions put there as they are read."""
    text, out = theory.printer.text, []
    numbers = {n: value for n, value in unfolded.items() if value.is_Rational}
    sides = (*said.args, *unfolded.values())
    for extreme in sorted({e for side in sides for e in side.atoms(sp.Max, sp.Min)}, key=str):
        put = {s: numbers[n] for s in extreme.free_symbols if (n := text(s)) in numbers}
        if put:
            old, new = text(extreme), text(extreme.xreplace(put))
            for symbol, value in put.items():
                old = renamed(old, text(symbol), text(value))
            turned = "rewrite Rmax_comm" if isinstance(extreme, sp.Max) else "rewrite Rmin_comm"
            out.append(f"try replace {old} with {new} by (first [f_equal; ring | {turned}; f_equal; ring])")
    return out


def _alike_divisors(
    theory: Any, said: sp.Rel, read: sp.Rel, sequences: bool, closed: set[sp.Symbol], unfold: str
) -> list[str]:
    """Put divisors as they are said in the place of those that are read, where they hold divisors of their own.

    The tactic ``field`` multiplies these out, so that it would not know that the whole is not zero.
    """
    text, out = theory.printer.text, []
    for base in powers(read.args):
        if not (base.is_Add and powers([base])):
            continue
        for other in powers(said.args):
            if not other.is_Add or text(other) == text(base):
                continue
            plain = theory.context.plain(
                sp.Ge(other, 0, evaluate=False), sequences, frozenset(theory.claim.where.keys() - closed)
            )
            if plain.args[0] == base or normal(plain.args[0] - base) == 0:
                proof = f"{unfold}; ring" if unfold else "ring"
                out.append(f"try replace {text(base)} with {text(other)} by ({proof})")
                break
    return out


def converted(printer: Printer, said: sp.Rel, read: sp.Rel, first: str, same: str) -> str:
    """A tactic that proves a relation as it is ``read`` from what is ``said``, which ``first`` proves.

    Raises:
        NotExportedError: it is no inequality and no equation.
    """
    lemma = {"<=": "conv_le", ">=": "conv_le", "<": "conv_lt", ">": "conv_lt", "==": "conv_eq", "!=": "conv_ne"}
    if said.rel_op not in lemma:
        raise NotExportedError(f"{said} is no inequality and no equation")
    ends = said.args[::-1] if ">" in said.rel_op else said.args
    return f"apply ({lemma[said.rel_op]} {' '.join(map(printer.text, ends))}); [{first} | {same}]"
