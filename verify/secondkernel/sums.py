"""Sums over an index that are written otherwise: differences that telescope, polynomials, sums begun at zero."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sympy as sp

from rateproof.theory.proof.telescope import sum_of
from rateproof.verify.secondkernel.lemmas import powers
from rateproof.verify.secondkernel.printer import NotExportedError, renamed

#: Where a sum ends, in an equation that is shown for all ends by induction.
END = sp.Symbol("last_", integer=True, real=True)


def equation(
    theory: Any,
    script: Any,
    term: sp.Expr,
    over: sp.Symbol,
    start: sp.Expr,
    last: sp.Expr,
    made: sp.Expr,
    raw: str,
) -> str:
    """The name of ``rsum raw start last = made`` in a lemma, where ``made`` is what ``sum_of`` gives."""
    return shown(theory, script, sp.Sum(term, (over, start, last)), raw, made, sum_of(term, over, start, END))


def shown(theory: Any, script: Any, total: sp.Sum, raw: str, made: sp.Expr, general: sp.Expr) -> str:
    """The name of: the sum of ``raw`` is ``made``, where ``general`` is what it is for any end."""
    *_, (_, start, last) = total.limits  # of a sum of sums, the ends of the outer one
    printer = theory.printer
    first, ends, end = printer.text(start), printer.text(last), printer.text(END)
    text = printer.text(general)
    script.nonzero([made])
    _bases(script, total)
    _bases(script, general)
    whole = f"rsum {raw} {first} {ends}"
    nonnegative = "try (assert (Hz : 0 <= y) by side); try (assert (Hp : 0 < y) by lra)"
    start_ = "cbn beta; repeat rewrite rsum_to by ring; args; first [ident | exponents]"
    identity = "first [rewrite ?rpow_succ by side; ident | geometric y | exponents]"
    divisors = _divisors(script, total, general)
    onwards = f"intros y Hn Hy; {nonnegative}; {divisors}cbn beta; grow y; cbn beta; args; {identity}"
    by = f"apply (rsum_ind {raw} (fun {end} : R => {text}) {first}); [{start_} | {onwards} | exact_count]"
    shown_ = f"assert (G : {whole} = (fun {end} : R => {text}) {ends}) by ({by})"
    tactic = f"first [reflexivity | {shown_}; rewrite G; cbn beta; args; ident]"
    return script.known(f"{whole} = {printer.text(made)}", tactic, "e")


def _divisors(script: Any, total: sp.Sum, general: sp.Expr) -> str:
    """Assert of the next term that it does not divide by zero, where the factors of a divisor say so."""
    out: dict[str, None] = {}
    ends = [(total, END), *((t, t.limits[-1][2]) for t in sorted(general.atoms(sp.Sum), key=str))]
    for each, end in (pair for pair in ends if len(pair[0].limits) == 1):
        (over,) = each.bound_symbols
        following = renamed(script.text(end), script.text(END), "(y + 1)")
        for base in powers([each.function]):
            made = sp.factor(base)
            if over in base.free_symbols and (made.is_Mul or made.is_Pow):
                old, new = (renamed(script.text(e), script.text(over), following) for e in (base, made))
                out[f"try (assert ({old} <> 0) by (replace {old} with {new} by ring; nz)); "] = None
    return "".join(out)


def _bases(script: Any, expr: sp.Expr) -> None:
    """Assert that the bases of powers with the index in the exponent are positive, where that is found."""
    for total in sorted(expr.atoms(sp.Sum), key=str):
        bound = {*total.bound_symbols}
        for power in sorted(total.function.atoms(sp.Pow), key=str):
            if power.exp.free_symbols & bound and not power.base.is_Number and not power.base.free_symbols & bound:
                with suppress(NotExportedError):
                    script.known(f"0 < {script.text(power.base)}", script.sign(power.base, ">"), "g")
