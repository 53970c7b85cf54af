"""The proof of one inequality as tactics of Rocq: its identity, and the signs of what stands in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import sympy as sp

from rateproof.theory.algebra import in_factors, normal
from rateproof.theory.gram.domain import factored
from rateproof.theory.gram.forms import gap, rooted
from rateproof.theory.proof.indices import with_own_indices
from rateproof.verify.secondkernel.printer import NotExportedError, Printer
from rateproof.verify.secondkernel.refutations import refutation
from rateproof.verify.secondkernel.signs import Fact, Product, combination, combination_times, multiples

_IDENTITY = "ident"
#: How often what is left of a fact is divided again.
_ROUNDS = 3
#: What is longer is not multiplied by something positive to find its sign.
_LONG = 40
_ORDERS = ("<=", "<", ">=", ">")
#: Of a polynomial with more terms, no square is completed; a sum of as many is first tried term by term.
_SHORT = 6


def powers(exprs: Iterable[sp.Expr]) -> list[sp.Expr]:
    """The bases by which expressions divide."""
    found: set[sp.Expr] = set()
    left = [*exprs]
    while left:
        e = left.pop()
        if isinstance(e, sp.Pow) and e.exp.is_negative:
            found.add(e.base)
        left += [end for limits in e.limits for end in limits[1:]] if isinstance(e, sp.Sum) else e.args
    return sorted((b for b in found if not b.is_Number), key=lambda b: (sp.count_ops(b), str(b)))


@dataclass
class Script:
    """Tactics of one lemma, in their order, and what is known there by name.

    Attributes:
        printer: of the claim.
        lines: the tactics.
        facts: polynomials with a sign, and the names under which that is known.
        cases: equations that say which argument a maximum or minimum is, or what a symbol is.
        written: what these put into a relation.
        unsigned: symbols whose declared sign does not follow from their definition -> the same without it.
    """

    printer: Printer
    scope: set[sp.Symbol] = field(default_factory=set)
    outside: Callable[[sp.Rel], str] | None = None
    head: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    written: list[sp.Expr] = field(default_factory=list)
    unsigned: Mapping[sp.Symbol, sp.Symbol] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)
    _waiting: dict[str, Callable[[], str]] = field(default_factory=dict)
    _roots: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    _shown: dict[sp.Expr, str] = field(default_factory=dict)
    _told: list[tuple[sp.Rel, str]] = field(default_factory=list)
    _ordering: bool = False
    _divided: int = 0
    _count: int = 0

    def copy(self) -> Script:
        """The same tactics, to go on apart."""
        return replace(self, lines=[*self.lines], _known={**self._known}, _waiting={**self._waiting})

    def text(self, expr: sp.Expr) -> str:
        """An expression in Rocq."""
        return self.printer.text(expr)

    def new(self, letter: str) -> str:
        """A name that is not used in this lemma."""
        self._count += 1
        return f"{letter}_{self._count}"

    def known(self, said: str, tactic: str, letter: str = "a") -> str:
        """The name of what is asserted, once."""
        self._waiting.pop(said, None)
        if said not in self._known:
            name = self.new(letter)
            # a fact, a nonzero divisor, a bound, a premise in another form or a term of it may not be needed
            attempt = "try " if letter in "gnmqr" else ""
            self.lines.append(f"{attempt}assert ({name} : {said}) by ({tactic}).")
            self._known[said] = name
        return self._known[said]

    def name(self, said: str) -> str | None:
        """The name under which something is known here, asserted now where it waited for that."""
        if tactic := self._waiting.get(said):
            self.known(said, tactic(), "g")
        return self._known.get(said)

    def told(self, said: str, name: str) -> None:
        """Something that is known already."""
        self._known.setdefault(said, name)

    # --- facts

    def suppose(self, relation: sp.Rel, name: str) -> None:
        """Use a relation between parameters, known by a name, in signs."""
        op = relation.rel_op
        if op == "!=":
            self.told(f"{self.text(relation.lhs)} <> {self.text(relation.rhs)}", name)
            gap = relation.lhs - relation.rhs
            said = f"{self.text(gap)} <> 0"
            if said not in self._known and relation.rhs != 0:
                self.known(said, f"intro; apply {name}; lra")
            return
        small, large = relation.args if op in ("<=", "<") else relation.args[::-1]
        strict, equal = op in ("<", ">"), op == "=="
        gap = large - small
        if not gap.free_symbols:
            return
        self._told.append((relation, name))
        top, bottom = sp.fraction(sp.together(self._rooted(gap)))
        if bottom.free_symbols:
            bottom_sign = self._by_terms(bottom, ">")
            factor = bottom if bottom_sign else bottom**2
            top = top if bottom_sign else top * bottom
        else:
            factor = sp.S.One
            top = sp.expand(top / bottom)
        top = sp.expand(top)
        shown = self._unrooted(top)
        wanted = f"{self.text(shown)} = 0" if equal else f"0 {'<' if strict else '<='} {self.text(shown)}"
        difference = f"({self.text(large)} - {self.text(small)})"
        if wanted not in self._known:
            self.nonzero([gap])
            if equal:
                times = f"({difference} * {self.text(self._unrooted(factor))})"
                tactic = f"replace {self.text(shown)} with {times} by {self._identity(gap)}; rewrite {name}; ring"
            elif factor == 1:
                tactic = (
                    f"apply (conv_{'lt' if strict else 'le'} {self.text(small)} {self.text(large)}); "
                    f"[exact {name} | {_IDENTITY}]"
                )
            else:
                one = f"Rmult_{'lt_0_compat' if strict else 'le_pos'}"
                times = f"({difference} * {self.text(self._unrooted(factor))})"
                tactic = (
                    f"replace {self.text(shown)} with {times} by {self._identity(gap)}; "
                    f"apply {one}; [apply sub_{'p' if strict else 'nn'}; exact {name} | pos]"
                )
            if top.is_Add:  # long, and most of them are not needed
                self._waiting[wanted] = lambda: tactic
            else:
                self.known(wanted, tactic, "g")
        self.facts.append(Fact(top, strict, equal))

    def _rooted(self, expr: sp.Expr) -> sp.Expr:
        return rooted(expr, self._roots)

    def _unrooted(self, expr: sp.Expr) -> sp.Expr:
        for symbol, under in reversed(list(self._roots.items())):
            expr = expr.xreplace({symbol: sp.sqrt(under)})
        return expr

    # --- signs

    def _by_terms(self, expr: sp.Expr, op: str) -> bool:
        signed = with_own_indices(expr.xreplace(self.unsigned)).xreplace(self._signed())
        sums = {t: sp.Dummy(nonnegative=True) for t in signed.atoms(sp.Sum) if t.function.is_nonnegative}
        signed = signed.xreplace(sums)
        return bool({">": signed.is_positive, ">=": signed.is_nonnegative, "!=": signed.is_nonzero}[op])

    def _signed(self) -> dict[sp.Symbol, sp.Symbol]:
        """Symbols with the sign that facts give them."""
        out: dict[sp.Symbol, sp.Symbol] = {}
        for f in self.facts:
            if f.expr.is_Symbol and not (f.equal or f.expr.is_positive) and (f.strict or f.expr not in out):
                out[f.expr] = sp.Dummy(f.expr.name, **{"positive" if f.strict else "nonnegative": True})
        return out

    def nonzero(self, exprs: Iterable[sp.Expr]) -> None:
        """Assert that nothing by which expressions divide is zero, where terms do not say that."""
        for base in powers(exprs):
            said = f"{self.text(base)} <> 0"
            if said not in self._known and not self._plainly(base, ">"):
                with suppress(NotExportedError):  # it may cancel
                    self.known(said, self.sign(base, "!="), "n")

    def _plainly(self, expr: sp.Expr, op: str) -> bool:
        """Whether the tactic ``pos`` sees it."""
        return self._by_terms(expr, op)

    def seen_by_parts(self, relation: sp.Rel, signs: Sequence[sp.Rel]) -> bool:
        """Whether a relation is seen from the signs of its symbols, some of which are said apart."""
        if relation.rel_op not in _ORDERS:
            return False
        facts = [Fact(gap(r), ">" in r.rel_op and "=" not in r.rel_op) for r in signs if r.rel_op in (">", ">=")]
        difference = gap(relation)
        return not _has_minus(difference) and replace(self, facts=facts)._by_terms(
            difference, ">=" if "=" in relation.rel_op else ">"
        )

    def sign(self, expr: sp.Expr, op: str) -> str:
        """A tactic that closes ``0 < e``, ``0 <= e`` or ``e <> 0``.

        Raises:
            NotExportedError: no reason is found.
        """
        expr = expr.xreplace(self.unsigned)
        try:
            return self._inside(expr, op)
        except NotExportedError:
            if self.outside is None:
                raise
            relation = {">": sp.Gt, ">=": sp.Ge, "!=": sp.Ne}[op](expr, 0, evaluate=False)
            with suppress(NotExportedError):
                return self.outside(relation)
            raise

    def _inside(self, expr: sp.Expr, op: str) -> str:
        text = self.text(expr)
        said = {">": f"0 < {text}", ">=": f"0 <= {text}", "!=": f"{text} <> 0"}[op]
        if name := self.name(said):
            return f"exact {name}"
        if expr.is_Rational:
            return "lra"
        if op != "!=" and self._by_terms(expr, op) and not _has_minus(expr):
            return "pos"
        if op != "!=" and (expr.is_Mul or expr.is_Pow or expr.is_Add) and self._by_parts(expr, op):
            self.nonzero([expr])
            return "pos"
        if op == ">=" and expr.is_Add and len(expr.args) >= _SHORT and any(b.is_Add for b in powers([expr])):
            with suppress(NotExportedError):
                return self._multiples(expr)
        e = _in_factors(self._rooted(expr)) if not expr.is_Symbol else expr
        top, bottom = sp.fraction(e)
        self.nonzero([expr, self._unrooted(e)])
        if op == "!=":
            return self._nonzero(expr, e, top * bottom)
        parts, others, negative = [], [], sp.S.One
        for factor in (*sp.Mul.make_args(top), *(1 / f for f in sp.Mul.make_args(bottom))):
            base, exponent = factor.as_base_exp()
            if base.is_Rational:
                negative *= sp.sign(base)
                parts.append(abs(factor))
                continue
            if exponent.is_Integer and exponent % 2 == 0:
                if op == ">" and not self._by_terms(base, "!="):
                    self._assert(base, "!=")
                parts.append(factor)
                continue
            others.append((base, exponent))
        try:
            for base, exponent in others:
                sign, shown = self._signed_factor(base, op if exponent.is_positive else ">")
                negative *= sign
                parts.append(shown**exponent)
            if negative == 1:
                return self._replaced(expr, sp.Mul(*parts, evaluate=False) if len(parts) > 1 else sp.Mul(*parts), op)
        except NotExportedError:
            pass
        return self._whole(expr, top, bottom, op)

    def _by_parts(self, expr: sp.Expr, op: str) -> bool:
        """Whether a product or sum has a sign by those of its parts, of which what is needed is asserted."""
        if (self._by_terms(expr, op) and not _has_minus(expr)) or expr.is_Rational:
            return bool(not expr.is_Rational or expr > 0 or (op == ">=" and expr == 0))
        said = f"0 {'<' if op == '>' else '<='} {self.text(expr)}"
        if self.name(said):
            return True
        if expr.is_Mul:
            return all(self._by_parts(f, op) for f in expr.args)
        if expr.is_Pow and expr.exp.is_Integer:
            if expr.exp > 0 and expr.exp % 2 == 0 and op == ">=":
                return True
            return self._by_parts(expr.base, op if expr.exp > 0 else ">")
        if not expr.is_Add:
            return False
        whole = sp.expand(self._rooted(expr))
        short = sp.count_ops(whole) < _LONG and not any(p.exp.is_negative for p in whole.atoms(sp.Pow))
        if short and self.text(self._unrooted(whole)) == self.text(expr) and self._try(whole, op):
            return True
        if op == ">":
            return any(self._by_parts(t, ">") for t in expr.args) and all(self._by_parts(t, ">=") for t in expr.args)
        return all(self._by_parts(t, ">=") for t in expr.args)

    def sign_false(self) -> str:
        """A tactic that proves False from the facts."""
        for value, op in ((sp.Integer(-1), ">="), (sp.S.Zero, ">")):
            found = combination(value, self._all_facts(sp.S.Zero), strict=op == ">")
            if found is not None:
                said = f"0 {'<' if op == '>' else '<='} {self.text(value)}"
                return f"revert {self.known(said, self._combined(value, found, op), 's')}; lra"
        raise NotExportedError("no reason is found why the case is impossible")

    def _signed_factor(self, base: sp.Expr, op: str, *, scaled: bool = True) -> tuple[int, sp.Expr]:
        """The sign of a factor, and the factor or its negative, of which that is asserted."""
        for sign, shown in ((1, base), (-1, sp.expand(-base))):
            if self._by_terms(shown, op) and not _has_minus(shown):
                return sign, shown
        for sign, shown in ((1, base), (-1, sp.expand(-base))):
            if self._try(shown, op, scaled=scaled):
                return sign, shown
        if base in self._roots:
            with suppress(NotExportedError):
                self._assert(self._roots[base], op)
                return 1, base
        known = "; ".join(f"{f.expr} {'==' if f.equal else '>' if f.strict else '>='} 0" for f in self.facts)
        raise NotExportedError(f"no reason is found why {base} has a sign, from {known or 'nothing'}")

    def _try(self, shown: sp.Expr, op: str, *, scaled: bool = True) -> bool:
        """Whether a sign is found, and asserted: from the facts, or from what is left of them in factors."""
        return self._tried(shown, op, scaled) or (
            scaled and (self._divide() or self._complete(shown)) and self._tried(shown, op, scaled)
        )

    def _divide(self) -> bool:
        """Divide facts by factors that are positive; whether there were some."""
        new, changed = range(self._divided, len(self.facts)), False
        for _ in range(_ROUNDS):
            divided = [k for k in new if self._divide_at(k)]
            if not divided:
                break
            changed = True
        self._divided = len(self.facts)
        return changed

    def _divide_at(self, k: int) -> bool:
        """Put what is left of a fact in its place; whether it is another one."""
        f = self.facts[k]
        whole = self.text(self._unrooted(f.expr))
        said = _signed(whole, f)
        factors = sp.Mul.make_args(in_factors(f.expr)) if len(sp.Add.make_args(f.expr)) in range(2, _LONG) else ()
        if len(factors) < 2 or not (said in self._known or said in self._waiting):
            return False
        sure, rest = [], sp.S.One
        for factor in factors:
            base, exponent = factor.as_base_exp()
            if self._by_terms(factor, ">") and not _has_minus(factor):
                sure.append(factor)
                continue
            try:
                sign, shown = self._signed_factor(base, ">", scaled=False)
            except NotExportedError:
                rest *= factor
            else:
                sure.append(shown**exponent)
                rest *= sign**exponent
        left = sp.expand(rest)
        by, text = self.text(self._unrooted(sp.Mul(*sure, evaluate=False))), self.text(self._unrooted(left))
        if not sure or not left.is_Add or text == whole:
            return False
        law = "eq" if f.equal else "p" if f.strict else "nn"
        tactic = f"apply (by_factor_{law} {by}); [pos | replace ({by} * {text}) with {whole} by ident; exact "
        if (divided := _signed(text, f)) not in self._known:
            self._waiting[divided] = partial(self._from, tactic, said)
        self.facts[k] = replace(f, expr=left)
        return True

    def _from(self, tactic: str, said: str) -> str:
        return f"{tactic}{self.name(said)}]"

    def _tried(self, shown: sp.Expr, op: str, scaled: bool) -> bool:
        said = f"0 {'<' if op == '>' else '<='} {self.text(self._unrooted(shown))}"
        if self.name(said):
            return True
        facts = self._all_facts(shown)
        target = sp.expand(shown)
        found = combination(target, facts, strict=op == ">")
        if found is not None:
            self.known(said, self._combined(shown, found, op), "s")
            return True
        if not scaled:
            return False
        if self._try_apart(shown, target, op):
            return True
        return self._try_times(shown, target, facts, op) or self._try_refuted(shown, target, facts, op)

    def _try_apart(self, shown: sp.Expr, target: sp.Expr, op: str) -> bool:
        """The sign of an expression by that of what is left without its positive factors."""
        if len(sp.Add.make_args(target)) > _LONG:
            return False
        factors = sp.Mul.make_args(in_factors(target))
        sure = [f for f in factors if f.free_symbols and self._by_terms(f, ">") and not _has_minus(f)]
        rest = sp.expand(sp.Mul(*(f for f in factors if f not in sure)))
        if not sure or not rest.free_symbols or not self._try(rest, op):
            return False
        text, whole = self.text(self._unrooted(shown)), self.text(self._unrooted(sp.Mul(*sure, rest, evaluate=False)))
        said = f"0 {'<' if op == '>' else '<='} {text}"
        self.known(said, "pos" if text == whole else f"replace {text} with {whole} by {_IDENTITY}; pos", "s")
        return True

    def _try_times(self, shown: sp.Expr, target: sp.Expr, facts: Sequence[Fact], op: str) -> bool:
        """The sign of an expression by that of its product with something positive."""
        if sp.count_ops(shown) > _LONG:
            return False
        said = f"0 {'<' if op == '>' else '<='} {self.text(self._unrooted(shown))}"
        near = [
            s
            for s in {*self._near(target), *target.free_symbols}
            if self._by_terms(s, ">") or self._try(s, ">", scaled=False)
        ]
        parts = [t.as_coeff_Mul() for t in sp.Add.make_args(target)]
        sum_ = sp.Add(*(abs(c) * m for c, m in parts))
        conjugate = sum_ if len(parts) == 2 and self._by_terms(sum_, ">") else None
        by = combination_times(target, facts, sorted(near, key=str), conjugate, strict=op == ">")
        if by is not None:
            factor, products = by
            more = sp.expand(factor * target)
            text, times = self.text(self._unrooted(shown)), self.text(self._unrooted(factor))
            whole = self.text(self._unrooted(more))
            name = self.known(f"0 {'<' if op == '>' else '<='} {whole}", self._combined(more, products, op), "s")
            law = f"by_factor_{'p' if op == '>' else 'nn'} {times}"
            why = "pos" if self._by_terms(factor, ">") else self.sign(self._unrooted(factor), ">")
            self.known(
                said, f"apply ({law}); [{why} | replace ({times} * {text}) with {whole} by ident; exact {name}]", "s"
            )
            return True
        return False

    def _try_refuted(self, shown: sp.Expr, target: sp.Expr, facts: Sequence[Fact], op: str) -> bool:
        """The sign of an expression because the contrary contradicts the facts."""
        found = refutation(target, facts, strict=op == ">")
        if found is None:
            return False
        contrary = Fact(sp.expand(-target), strict=op == ">=")
        terms, equations = self._parts(found, [*facts, contrary], contrary)
        total = f"({' + '.join(t for t, _ in terms)})"
        text, negative = self.text(self._unrooted(shown)), self.text(self._unrooted(contrary.expr))
        zero = "ident"
        if equations:
            over = " + ".join(f"{m} * {n}" for m, n, _ in equations)
            rewrite = ", ".join(dict.fromkeys(name for *_, name in equations))
            zero = f"transitivity (- ({over})); [ident | rewrite {rewrite}; ring]"
        law = f"refute_{'p' if op == '>' else 'nn'} {text} {negative} {total}"
        said = f"0 {'<' if op == '>' else '<='} {text}"
        positive = "; ".join(["intro", *self._positive(terms)])
        self.known(said, f"apply ({law}); [ident | {positive} | {zero}]", "s")
        return True

    def _near(self, target: sp.Expr) -> list[sp.Symbol]:
        """Symbols of facts that are about those of a target."""
        about = target.free_symbols
        found = {s for f in self.facts if f.expr.is_Add and f.expr.free_symbols & about for s in f.expr.free_symbols}
        return sorted(found, key=str)[:8]

    def _assert(self, base: sp.Expr, op: str) -> None:
        text = self.text(self._unrooted(base))
        said = {">": f"0 < {text}", ">=": f"0 <= {text}", "!=": f"{text} <> 0"}[op]
        if said not in self._known:
            self.known(said, self.sign(self._unrooted(base), op), "s")

    def _nonzero(self, expr: sp.Expr, e: sp.Expr, top: sp.Expr) -> str:
        """That a product is not zero: none of its factors is."""
        factors = [f.as_base_exp()[0] for f in sp.Mul.make_args(top) if not f.is_Rational]
        for base in factors:
            if base in self._roots and not self._plainly(self._roots[base], ">"):
                self._assert(self._roots[base], ">")
            if self._by_terms(base, ">") and not _has_minus(base):
                continue
            said = f"{self.text(self._unrooted(base))} <> 0"
            if self.name(said):
                continue
            sign, shown = self._signed_factor(base, ">", scaled=base.is_Symbol)
            text = self.text(self._unrooted(shown))
            if sign == 1:
                self.known(said, f"apply Rgt_not_eq; red; {self._plain_or_known(text)}", "n")
            else:
                self.known(
                    said,
                    f"apply neg_nz; replace (- {self.text(self._unrooted(base))}) with {text} by ident; "
                    f"{self._plain_or_known(text)}",
                    "n",
                )
        if len(factors) == 1 and self.text(self._unrooted(factors[0])) == self.text(expr):
            return "nz1"
        shown = self.text(self._unrooted(e))
        return f"replace {self.text(expr)} with {shown} by {_IDENTITY}; nz1"

    def _plain_or_known(self, text: str) -> str:
        name = self.name(f"0 < {text}")
        return f"exact {name}" if name else "pos"

    def _replaced(self, expr: sp.Expr, product: sp.Expr, op: str) -> str:
        text, shown = self.text(expr), self.text(self._unrooted(product))
        return "pos" if text == shown else f"replace {text} with {shown} by {self._identity(expr)}; pos"

    def _identity(self, expr: sp.Expr) -> str:
        """A tactic for an identity; divisors that hold divisors of their own are first written as products."""
        whole = ((base, in_factors(base)) for base in powers([expr]) if base.is_Add and powers([base]))
        put = [f"replace {self.text(b)} with {self.text(f)} by {_IDENTITY}" for b, f in whole if f.is_Mul]
        return f"first [{_IDENTITY} | {'; '.join([*put, _IDENTITY])}]" if put else _IDENTITY

    def _whole(self, expr: sp.Expr, top: sp.Expr, bottom: sp.Expr, op: str) -> str:
        """The sign of a numerator that is no product of factors with signs, or of its product with the denominator."""
        below = self._by_terms(bottom, ">")
        shown = sp.expand(top if below else top * bottom)
        if op == ">=" and not expr.has(sp.Sum) and (square := self._as_square(top)) is not None:
            return self._replaced(expr, sp.Mul(square, 1 / bottom, evaluate=False) if bottom != 1 else square, op)
        self._squares(expr)
        if not self._try(shown, op):
            known = "; ".join(f"{f.expr} {'==' if f.equal else '>' if f.strict else '>='} 0" for f in self.facts)
            raise NotExportedError(f"no reason is found why {expr} {op} 0, from {known or 'nothing'}")
        divided = sp.Mul(shown, 1 / (bottom if below else bottom**2), evaluate=False) if bottom != 1 else shown
        if not below and op == ">":
            self._assert(bottom, "!=")
        return self._replaced(expr, divided, op)

    def _multiples(self, expr: sp.Expr) -> str:
        """That a sum is nonnegative, of multiples of what is supposed, term by term; divisors stay as they are.

        Raises:
            NotExportedError: it is no such sum.
        """
        given = [(gap(r), r.rel_op == "==") for r, _ in self._told]
        found = multiples(expr, given, lambda e: self._plainly(e, ">=") and not _has_minus(e))
        if found is None:
            raise NotExportedError(f"{expr} is no sum of multiples of what is supposed")
        parts = []
        for times, place in found:
            if place is None:
                parts.append(self.text(times))
                self.known(f"0 <= {parts[-1]}", "pos", "h")
                continue
            r, name = self._told[place]
            small, large = r.args if r.rel_op in ("<=", "<") else r.args[::-1]
            parts.append(f"{self.text(times)} * ({self.text(large)} - {self.text(small)})")
            how = f"apply mul_eq; symmetry; exact {name}" if r.rel_op == "==" else f"apply mul_le; [pos | exact {name}]"
            self.known(f"0 <= {parts[-1]}", how, "h")
        close = "repeat first [assumption | apply pls]"
        return f"replace {self.text(expr)} with ({' + '.join(parts)}) by {self._identity(expr)}; {close}"

    def _as_square(self, top: sp.Expr) -> sp.Expr | None:
        """What is a square, times what is plainly nonnegative, once numbers are the squares of their roots."""
        found = in_factors(top.xreplace({under: r**2 for r, under in self._roots.items() if under.is_Symbol}))
        for factor in sp.Mul.make_args(found):
            _, exponent = factor.as_base_exp()
            square = exponent.is_Integer and exponent % 2 == 0
            if not square and (_has_minus(factor) or not self._by_terms(factor, ">=")):
                return None
        return found

    def _squares(self, expr: sp.Expr) -> None:
        """Enter the squares of sums that stand in an expression among the facts."""
        for power in sorted(self._rooted(expr).atoms(sp.Pow), key=str):
            if power.base.is_Add and power.exp.is_Integer and power.exp > 0 and power.exp % 2 == 0:
                self._square(power)

    def _complete(self, shown: sp.Expr) -> bool:
        """Enter the squares that complete what stands in a short polynomial; whether there are new ones."""
        before = len(self.facts)
        if len(sp.Add.make_args(shown)) <= _SHORT and shown.is_polynomial():
            for x in sorted(shown.free_symbols, key=str):
                two, one, *_ = [*sp.Poly(shown, x).all_coeffs(), 0] if sp.degree(shown, x) == 2 else (sp.S.Zero,) * 2
                if two.is_positive and two.is_Rational:
                    for middle in {one, one.as_coeff_Add()[0]} - {0}:
                        self._square((x + middle / (2 * two)) ** 2)
        return len(self.facts) > before

    def _square(self, power: sp.Expr) -> None:
        fact = Fact(sp.expand(power))
        if fact not in self.facts and not any(p.exp.is_negative for p in fact.expr.atoms(sp.Pow)):
            text, whole = self.text(self._unrooted(fact.expr)), self.text(self._unrooted(power))
            self._waiting[f"0 <= {text}"] = partial(str, f"replace {text} with {whole} by {_IDENTITY}; pos")
            self.facts.append(fact)

    def _all_facts(self, expr: sp.Expr) -> list[Fact]:
        """The facts, with the signs of symbols, and of roots."""
        symbols = {s for f in self.facts for s in f.expr.free_symbols} | expr.free_symbols
        out = list(self.facts)
        said = {f.expr for f in out if not f.equal}
        for s in sorted(symbols, key=str):
            if s.is_integer and s.is_positive:
                out.append(Fact(s - 1))
            if s.is_positive:
                out.append(Fact(s, True))
            elif s.is_nonnegative:
                out.append(Fact(s))
            elif s.is_nonpositive:
                out.append(Fact(-s, bool(s.is_negative)))
            elif s not in said:
                out.append(Fact(s**2))
            if s in self._roots:
                under = self._roots[s]
                if self._by_terms(under, ">"):
                    out.append(Fact(s, strict=True))
                out.append(Fact(sp.expand(sp.fraction(sp.together(s**2 - under))[0]), equal=True))
                if under.is_integer and under.is_positive:
                    out.append(Fact(s - 1))
        return [*out, *self._root_facts(symbols)]

    def _root_facts(self, symbols: set[sp.Symbol]) -> list[Fact]:
        """Which roots are larger than others or than 1, by what stands under them; those of numbers by fractions."""
        if self._ordering:  # of what stands under a root, no more is asked
            return []
        self._ordering = True
        roots = sorted((r for r in symbols if r in self._roots), key=lambda r: str(self._roots[r]))
        out = []
        for r in roots:
            under = self._roots[r]
            text = self.text(sp.sqrt(under))
            if under.is_Rational:
                near = sp.Rational(sp.floor(16 * sp.sqrt(under)), 16)
                number = self.text(under)
                square = (
                    f"pose proof (sqrt_pos {number}); assert ({text} * {text} = {number}) by (apply sqrt_sqrt; lra)"
                )
                for e in (r - near, near + sp.Rational(1, 16) - r):
                    self._shown[e] = f"{square}; nra"
                    out.append(Fact(e))
                continue
            for other in (None, *roots):
                least = sp.S.One if other is None else self._roots[other]
                gap = sp.expand(under - least)
                if gap == 0 or (least.is_Rational and other is not None) or not self._sure(gap):
                    continue
                small = self.text(sp.sqrt(least))
                fact = r - (1 if other is None else other)
                larger = f"apply (conv_le 0 {self.text(self._unrooted(gap))}); [side | ring]"
                order = f"apply sqrt_le_1_alt; {larger}"
                if other is None:  # sqrt_1 from right to left would take each 1 under the root, too
                    order = f"apply (Rle_trans _ (sqrt 1)); [rewrite sqrt_1; apply Rle_refl | {order}]"
                self._shown[fact] = f"apply (conv_le {small} {text}); [{order} | ring]"
                out.append(Fact(fact))
        self._ordering = False
        return out

    def _sure(self, gap: sp.Expr) -> bool:
        """Whether what stands under a root is known to be larger, and by a short reason."""
        gap = self._rooted(gap)
        return (self._plainly(gap, ">=") and not _has_minus(gap)) or self._try(gap, ">=", scaled=False)

    def _combined(self, shown: sp.Expr, found: Sequence[Product], op: str) -> str:
        """A tactic that proves a sign by a sum of products."""
        plain = self._unrooted(shown)
        if plain.is_Rational and (plain > 0 or (plain == 0 and op == ">=")):  # its roots cancel
            return "lra"
        terms, equations = self._parts(found, self._all_facts(shown))
        total = " + ".join(t for t, _ in terms)
        if len(terms) > 1:
            total = f"({total})"
        outer = total
        for m, n, _ in equations:
            outer = f"({outer} + {m} * {n})"
        text = self.text(plain)
        steps = [f"replace {text} with {outer} by ident"]
        steps += [f"apply eq_{'p' if op == '>' else 'nn'}; [exact {name}|]" for _, _, name in reversed(equations)]
        if op == ">":
            steps += self._positive(terms)
        else:
            steps.append("pos" if terms != [("0", False)] else "lra")
        return "; ".join(steps)

    def _parts(
        self, found: Sequence[Product], facts: Sequence[Fact], contrary: Fact | None = None
    ) -> tuple[list[tuple[str, bool]], list[tuple[str, str, str]]]:
        """Products as terms, and whether they are positive, such ones last; equations with factors and names."""
        terms, equations = [], []
        for p in found:
            chosen = [facts[i] for i in p.facts]
            if chosen and chosen[0].equal:
                under = self._unrooted(chosen[0].expr)
                if under == 0:  # of a root, which the identity knows where there is one
                    for root in sorted(chosen[0].expr.free_symbols & self._roots.keys(), key=str):
                        inside = self._unrooted(self._roots[root])
                        if not self._plainly(inside, ">="):
                            self.known(f"0 <= {self.text(inside)}", self.sign(inside, ">="), "p")
                    continue
                zero = f"{self.text(under)} = 0"
                name = self.name(zero) or self.known(zero, self._root_equation(chosen[0]), "z")
                equations.append((self.text(self._unrooted(p.number * p.beside)), self.text(under), name))
                continue
            factors = [self.text(p.number)] if p.number != 1 or not chosen else []
            for f in chosen:
                factors.append(self.text(self._unrooted(f.expr)))
                if f.expr.is_Add and f is not contrary:
                    self._fact_known(f)
            terms.append((f"({' * '.join(factors)})", all(f.strict for f in chosen)))
        terms.sort(key=lambda t: t[1])
        return terms or [("0", False)], equations

    @staticmethod
    def _positive(terms: Sequence[tuple[str, bool]]) -> list[str]:
        """Tactics that prove that a sum of terms is positive, of which some are."""
        steps = []
        first = next(i for i, t in enumerate(terms) if t[1])
        for i in range(len(terms) - 1, 0, -1):
            if i > first:
                steps.append("apply Rplus_lt_0_compat; [|solve [pos]]")
            else:
                steps.append("apply Rplus_le_lt_0_compat; [solve [pos]|]")
                break
        return [*steps, "pos"]

    def _fact_known(self, fact: Fact) -> None:
        """The sign of ``n - 1`` for a whole number is used as one of a sum."""
        text = self.text(self._unrooted(fact.expr))
        said = f"0 {'<' if fact.strict else '<='} {text}"
        if not self.name(said):
            if fact.expr in self._shown:
                self.known(said, self._shown[fact.expr], "g")
                return
            self.known(said, "first [lra | apply sub_nn; apply sqrt_ge1; side | apply root_ge1; side]", "g")

    def _root_equation(self, fact: Fact) -> str:
        return "root_eq"


def _signed(text: str, fact: Fact) -> str:
    """That an expression has the sign of a fact."""
    return f"{text} = 0" if fact.equal else f"0 {'<' if fact.strict else '<='} {text}"


def _in_factors(expr: sp.Expr) -> sp.Expr:
    """A rational function in factors; where it is long, only if factoring it cannot take minutes."""
    expr = normal(expr)
    return factored(expr) if any(len(sp.Add.make_args(e)) > _LONG for e in sp.fraction(expr)) else in_factors(expr)


def _has_minus(expr: sp.Expr) -> bool:
    """Whether the sign of an expression is not seen from those of its parts."""
    expr = expr.replace(lambda e: isinstance(e, sp.Sum), lambda e: e.function)
    return any(n.is_Rational and n < 0 and not _exponent(expr, n) for n in expr.atoms(sp.Number)) or any(
        s.is_nonpositive for s in expr.free_symbols
    )


def _exponent(expr: sp.Expr, number: sp.Expr) -> bool:
    return all(
        number not in part.args or (isinstance(part, sp.Pow) and part.exp == number and part.base != number)
        for part in sp.preorder_traversal(expr)
        if part.args
    )
