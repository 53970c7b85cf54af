"""Powers, logarithms and sums that a decision reads in another form than they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from math import log
from typing import Any

import sympy as sp

from rateproof.theory.algebra import each_side, normal
from rateproof.theory.claim import expand_definitions
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.indices import from_zero, with_own_indices
from rateproof.theory.proof.telescope import sum_of, with_sums
from rateproof.verify.secondkernel import sums
from rateproof.verify.secondkernel.lemmas import powers
from rateproof.verify.secondkernel.printer import NotExportedError, renamed


def rewriting(
    theory: Any,
    script: Any,
    said: sp.Rel,
    written: Sequence[sp.Expr],
    kept: set[sp.Symbol],
    tied: Mapping[sp.Expr, sp.Expr],
) -> list[str]:
    """Equations, by their names in the lemma, that turn terms of a relation into those of its reading.

    Args:
        theory: the file.
        script: the lemma.
        said: the relation.
        written: its sides with definitions put in, and what these definitions say.
        kept: symbols that are not put in.
        tied: metrics and what they are as terms of sequences.
    """
    where = {s: e for s, e in theory.defined.items() if s not in set(map(theory.printer.symbol, kept))}
    _root_signs(theory, script, [*said.args, *written])
    return [*_sums(theory, script, said, {**where, **tied}), *_powers(theory, script, written)]


def _root_signs(theory: Any, script: Any, sides: Sequence[sp.Expr]) -> None:
    """Assert the signs of the factors of what stands under a root, by which that is a product of roots."""
    printer, atoms = theory.printer, Atoms()
    for side in sides:
        for node in sp.preorder_traversal(side):
            if not (isinstance(node, sp.Pow) and node.exp.is_Rational and node.exp.q == 2):
                continue
            base = theory.defined.get(printer.symbol(node.base), node.base) if node.base.is_Symbol else node.base
            sums = [f.as_base_exp()[0] for f in sp.Mul.make_args(base)]
            if base.is_Mul and any(f.is_Add for f in sums) and not base.has(sp.Sum) and not _under_sum(side, node):
                under = sp.Mul(*(atoms.expression(f) for f in sums if f.is_Add), evaluate=False)
                printer.terms.update(atoms.terms())
                may_vanish(script, under)


def _powers(theory: Any, script: Any, written: Sequence[sp.Expr]) -> list[str]:
    """Powers and logarithms in the terms that a decision knows, those that hold others first."""
    printer, atoms = theory.printer, Atoms()
    out: dict[str, int] = {}
    for side in written:
        atoms.expression(side)
    for side in written:
        for node in sp.preorder_traversal(side):
            power = (
                isinstance(node, sp.Pow) and not node.exp.is_Integer and not (node.exp.is_Rational and node.exp.q == 2)
            )
            if not (power or isinstance(node, sp.log)):
                continue
            if node.has(sp.Sum) or _under_sum(side, node):
                continue
            made = atoms.expression(node.func(*node.args))
            printer.terms.update(atoms.terms())
            new = printer.text(made)
            # factors stand in another order where their symbols are the kernel's own
            olds = dict.fromkeys(map(printer.text, (node, node.xreplace(printer.aliases))))
            before = ""
            for old in olds:
                if old == new:
                    continue
                script.nonzero([made])
                inside = (printer.terms[s] for s in sorted(made.free_symbols, key=str) if s in printer.terms)
                bases = dict.fromkeys([node.args[0], *(t.base for t in inside if t.is_Pow)])
                products = {base: _in_factors(script, atoms, base) for base in bases}
                first = ""
                for base, product in products.items():
                    if printer.text(product) != printer.text(base):
                        script.nonzero([base, product])
                        first += f"replace {printer.text(base)} with {printer.text(product)} by first [ident | logs]; "
                zero = first + may_vanish(script, products[node.args[0]])
                tactic = f"first [logs | {first}logs]" if isinstance(node, sp.log) else f"first [pwk | {zero}pw]"
                if before:
                    same = "field; nz" if powers([node.args[0]]) else "ring"
                    tactic = f"first [refine (eq_trans _ {before}); f_equal; {same} | {tactic}]"
                # of what has no sign that is found, it is needed only where Rocq finds one
                letter = "e" if _has_sign(script, products[node.args[0]]) else "r"
                before = script.known(f"{old} = {new}", tactic, letter)
                out[before] = sp.count_ops(node)
    return sorted(out, key=lambda name: -out[name])


def _in_factors(script: Any, atoms: Atoms, base: sp.Expr) -> sp.Expr:
    """A base as a product; where two of its factors are negative, of these with the other sign."""
    if base.is_Symbol or not base.free_symbols:
        return base
    over, under = sp.fraction(normal(atoms.expression(base)))
    number, factors = (sp.terms_gcd(over) / sp.terms_gcd(under)).as_coeff_mul()
    turned = []
    for factor in factors:
        inside, exponent = factor.as_base_exp()
        if inside.is_Add and exponent in (1, -1) and not _positive(script, inside) and _positive(script, -inside):
            number, factor = -number, sp.expand(-inside) ** exponent
        turned.append(factor)
    return sp.Mul(number, *turned, evaluate=False) if number != 1 else sp.Mul(*turned)


def _positive(script: Any, expr: sp.Expr) -> bool:
    with suppress(NotExportedError):
        script.sign(sp.expand(expr), ">")
        return True
    return False


def may_vanish(script: Any, inside: sp.Expr) -> str:
    """Assert the signs of the factors of a base; a tactic that tells apart whether those are zero that may be."""
    out = ""
    for factor in sp.Mul.make_args(inside):
        base = factor.as_base_exp()[0]
        if not base.free_symbols or (script._plainly(base, ">") and base.is_Symbol):
            continue
        text = script.text(base)
        try:
            script.known(f"0 < {text}", script.sign(base, ">"), "p")
        except NotExportedError:
            with suppress(NotExportedError):
                script.known(f"0 <= {text}", script.sign(base, ">="), "p")
                out += f"pwz {text}; "
    return out


def _has_sign(script: Any, inside: sp.Expr) -> bool:
    """Whether the sign of each factor of a base is known by now."""
    bases = (factor.as_base_exp()[0] for factor in sp.Mul.make_args(inside))
    return all(
        script._plainly(base, ">=") or any(script.name(f"0 {op} {script.text(base)}") for op in ("<", "<="))
        for base in bases
    )


def _under_sum(side: sp.Expr, node: sp.Expr) -> bool:
    bound = {s for total in side.atoms(sp.Sum) for s in total.bound_symbols}
    return bool(node.free_symbols & bound)


def _sums(theory: Any, script: Any, said: sp.Rel, where: Mapping[sp.Symbol, sp.Expr]) -> list[str]:
    context, printer, out = theory.context, theory.printer, []
    if not _has_sum(theory, said, where):
        return []
    where = {s: with_own_indices(e) for s, e in where.items()}
    full = each_side(expand_definitions(each_side(said, with_own_indices), where), with_own_indices)
    for side in full.args:
        for total in sorted(side.atoms(sp.Sum), key=lambda t: -sp.count_ops(t)):
            if len(total.limits) != 1:
                continue
            made = with_sums(total, context._spans)
            if made == total:
                continue
            ((over, start, last),) = total.limits
            index = from_zero(total)
            inside = with_sums(total.function, context._spans).subs(over, index + start)
            general = sum_of(inside, index, sp.S.Zero, sums.END - start)
            name = printer.text(over)
            raw = f"(fun {name} : R => {printer.text(total.function)})"
            printer.sums.append({over})
            script.known(f"isnat ({printer.text(last)} - {printer.text(start)} + 1)", "natcount", "c")
            out.append(sums.shown(theory, script, total, raw, made, general))
    return out


def over_own_indices(printer: Any, said: sp.Rel) -> Iterator[str]:
    """Tactics that put sums over the kernel's own indices in the place of those of a relation.

    Where the terms of a sum divide, and are written in another order there, no tactic of ours would know them again.
    """
    for total in sorted({t for side in said.args for t in side.atoms(sp.Sum)}, key=sp.count_ops):
        made, bases = with_own_indices(total), powers([total.function])
        (old, *_), (new, *_) = total.limits[0], made.limits[0]
        names = printer.text(old), printer.text(new)
        printer.sums.append({old, new})
        alike = renamed(printer.text(total.function), *names) == printer.text(made.function)
        if alike or not bases or len(total.limits) != 1:
            continue
        pairs = {renamed(printer.text(base), *names): printer.text(base.subs(old, new)) for base in bases}
        put = "".join(f"replace {a} with {b} by ring; " for a, b in pairs.items() if a != b)
        proof = f"apply rsum_ext; intro {names[1]}; {put}ring"
        yield f"try replace {printer.text(total)} with {printer.text(made)} by ({proof})"


def _has_sum(theory: Any, said: sp.Rel, where: Mapping[sp.Symbol, sp.Expr]) -> bool:
    left, seen = [*said.args], set()
    while left:
        e = left.pop()
        if e.has(sp.Sum):
            return True
        for s in map(theory.printer.symbol, e.free_symbols):
            if s in where and s not in seen:
                seen.add(s)
                left.append(where[s])
    return False


@cache
def log_between(number: int, relation: str) -> tuple[int, int]:
    """The nearest p/q, q <= 100, below (``>=``) or above a logarithm, as the bounds on e in the library show it."""
    e, below = Fraction(2718282 if relation == ">=" else 2718281, 10**6), relation == ">="
    found = []
    for q in range(1, 101):
        p = int(q * log(number)) + (not below)
        if e**p <= number**q if below else e**p >= number**q:
            found.append((p, q))
    return (max if below else min)(found, key=lambda pq: Fraction(*pq))


def atom_fact(printer: Any, script: Any, r: sp.Rel) -> None:
    """What is known of a maximum, a minimum or a number, which is between fractions for which that is shown."""
    number, tactic = printer.terms.get(r.lhs), "extreme_or_number"
    if number == sp.pi:
        r = r.func(r.lhs, 3 if r.rel_op == ">=" else 4, evaluate=False)
    elif isinstance(number, sp.log) and number.args[0].is_Integer:
        p, q = log_between(int(number.args[0]), r.rel_op)
        r = r.func(r.lhs, sp.Rational(p, q), evaluate=False)
        tactic = f"ln_number ln_{'from' if r.rel_op == '>=' else 'upto'} {p}%nat {q}%nat {number.args[0]}"
    elif isinstance(number, sp.Pow) and number.base.is_Rational and number.exp.is_Rational and number.exp.p == 1:
        q, bound, root = number.exp.q, printer.text(r.rhs), printer.text(number.exp)
        power = f"(rpow ({bound} ^ {q}) {root})"
        same = f"rewrite rpow_pow by lra; nums; replace ({q} * {root}) with 1 by field; rewrite rpow_one; lra"
        ends = [f"right; {same}", "apply rpow_le; lra"]
        first, second = ends if r.rel_op == ">=" else ends[::-1]
        tactic = f"apply (Rle_trans _ {power}); [{first} | {second}]"
    script.suppose(r, script.known(printer.relation(r), tactic, "m"))
