"""Rounds that an accuracy needs: a lemma for each term of a bound, and what O(.) hides as a number by its definition.

The statement ``rounds <= C_O G`` says that the rounds ``R`` at which a metric is above the accuracy are at most
``C_O G``; ``C_O`` is a function of the exponents of ``R`` and of what is held, defined before anything else is named.
How a term is inverted and compared is :mod:`rateproof.theory.proof.exponents`; the laws are in ``Exponents.v``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import TYPE_CHECKING

import sympy as sp

from rateproof.theory.asymptotics.monomial import tidy
from rateproof.theory.proof import steps as st
from rateproof.theory.proof.kernel import Taken
from rateproof.theory.proof.setting import Rounds
from rateproof.theory.symbols import C_O
from rateproof.verify.secondkernel.lemmas import Script
from rateproof.verify.secondkernel.printer import LibraryFunction, NotExportedError, Printer

if TYPE_CHECKING:
    from rateproof.verify.secondkernel.claims import Theory
    from rateproof.verify.secondkernel.steps import Steps

#: A product of powers: its bases, with their exponents.
Powers = dict[sp.Expr, sp.Expr]
LESS_ONE, LEAST_LOG, BY_LOG, BY_POWER = map(LibraryFunction.named, ("less_one", "least_log", "by_log", "by_power"))


@dataclass(frozen=True)
class Count:
    """What is shown of one number of rounds.

    Attributes:
        relation: the statement, with the rounds that are counted in the place of their number.
        exceeded: that the metric is above the accuracy.
        terms: those of the bound on the rounds.
        constants: one for each term of the bound on the metric.
        about: of what the lemma speaks.
        lemma: where ``exceeded``, the rounds are at most one more than all constants times all terms.
        signs: the lemma, at its indices, that no constant is negative.
    """

    relation: sp.Rel
    exceeded: sp.Rel
    terms: str
    constants: tuple[sp.Expr, ...]
    about: sp.Rel
    lemma: str
    signs: str

    def whole(self, printer: Printer) -> str:
        """The constants, added up."""
        return f"added [{'; '.join(map(printer.text, self.constants))}]"

    @property
    def symbols(self) -> set[sp.Symbol]:
        """Of what the constants are made."""
        return {s for c in self.constants for s in c.free_symbols}


def count(steps: Steps, step: st.Exponents, taken: Taken, providers: Mapping[sp.Rel, str]) -> Count:
    """The lemmas of a step.

    Raises:
        NotExportedError: a term has a form that is not exported.
    """
    return _Step(steps, step, taken, providers).all()


# --- products of powers


def powers(expr: sp.Expr) -> Powers:
    """A product of powers by its bases: symbols, primes, and what is neither a product nor a power."""
    if expr.is_Rational and expr > 0:
        return {sp.Integer(b): sp.Integer(e) for b, e in sp.factorrat(expr).items() if b != 1}
    if expr.is_Mul:
        return times(*map(powers, expr.args))
    if expr.is_Pow:
        return raised(powers(expr.base), expr.exp)
    return {expr: sp.S.One}


def times(*factors: Powers) -> Powers:
    """The product."""
    bases = dict.fromkeys(chain(*factors))
    found = {b: tidy(sp.Add(*(f.get(b, sp.S.Zero) for f in factors))) for b in bases}
    return {b: e for b, e in found.items() if e != 0}


def raised(factors: Powers, exponent: sp.Expr) -> Powers:
    """The power."""
    return {b: tidy(e * exponent) for b, e in factors.items()}


def made(factors: Powers) -> sp.Expr:
    """The expression."""
    return sp.Mul(*(b**e for b, e in factors.items()))


def distributed(expr: sp.Expr) -> list[tuple[sp.Expr, ...]]:
    """The terms of an expression, each by its factors."""
    if expr.is_Add:
        return [term for part in expr.args for term in distributed(part)]
    if expr.is_Mul:
        return [tuple(chain(*parts)) for parts in product(*map(distributed, expr.args))]
    return [(expr,)]


@dataclass(frozen=True)
class _Goal:
    """A term of the goal: a monomial times ``(1 + A)^e`` times ``ln(1 + A)^e``, where they occur."""

    factors: tuple[sp.Expr, ...]
    monomial: Powers
    above: tuple[sp.Expr, sp.Expr] | None
    log: tuple[sp.Expr, sp.Expr] | None


def _goal(factors: tuple[sp.Expr, ...]) -> _Goal:
    whole = times(*map(powers, factors))
    sums = [(b, e) for b, e in whole.items() if b.is_Add]
    logs = [(b.args[0], e) for b, e in whole.items() if isinstance(b, sp.log) and b.free_symbols]
    if len(sums) > 1 or len(logs) > 1:
        raise NotExportedError("a term of the goal with several logarithms or sums")
    odd = {b for b, _ in sums} | {sp.log(a) for a, _ in logs}
    rest = {b: e for b, e in whole.items() if b not in odd}
    return _Goal(factors, rest, *(found[0] if found else None for found in (sums, logs)))


@dataclass(frozen=True)
class _Cover:
    """How a term of the goal is as large as ``w``: ``w^power = factor monomial``, ``A = share w^root``."""

    goal: _Goal
    power: sp.Expr
    factor: sp.Expr
    share: sp.Expr
    root: sp.Expr


@dataclass(frozen=True)
class _Term:
    """A term of the bound.

    Attributes:
        factors: those of the form ``1/(R^c - 1)`` last.
        less_one: their exponents ``c``.
        w: what the rounds are at most, or at most ``2 w ln w`` to the power ``most``.
        q: the exponent of ``1/R``.
        log: that of ``ln R``.
        whole: with what is at least ``1/(R^c - 1)`` in its place.
        log_is_positive: whether ``ln R`` makes the term larger.
    """

    factors: tuple[sp.Expr, ...]
    less_one: tuple[sp.Expr, ...]
    w: Powers
    q: sp.Expr
    log: sp.Expr
    whole: Powers
    log_is_positive: bool

    @property
    def most(self) -> sp.Expr:
        """The exponent of ``w``, or of ``w ln w``, in what is at least the rounds."""
        return tidy(self.log / self.q) if self.log_is_positive else sp.S.One


class _Step:
    def __init__(self, steps: Steps, step: st.Exponents, taken: Taken, providers: Mapping[sp.Rel, str]) -> None:
        self.steps, self.theory, self.kernel, self.printer = steps, steps.theory, steps.kernel, steps.theory.printer
        self.text = self.printer.text
        self.providers, self.own = providers, steps.own(providers)
        self.statement = taken.shown.relation
        self.counted: Rounds = self.theory.setting.rounds[self.statement.lhs]
        self.over, self.target = self.counted.over, self.counted.target
        self.held = frozenset(self.counted.held)
        self.lemma, self.found = steps.shown[step.of]
        self.metric, self.bound = self.found.relation.args[:: 1 if self.found.relation.rel_op == "<=" else -1]
        self.extra = self.kernel._premises(step.by)
        self._known: dict[sp.Rel, bool] = {}

    # --- what is known

    def known(self, relation: sp.Rel) -> bool:
        """Whether a relation between parameters is known."""
        if relation not in self._known:
            self._known[relation] = self.theory.context.holds(relation, self.extra)
        return self._known[relation]

    def positive(self, expr: sp.Expr) -> bool:
        return self.known(sp.Gt(expr, 0, evaluate=False))

    def nonnegative(self, expr: sp.Expr) -> bool:
        return expr == 0 or self.known(sp.Ge(expr, 0, evaluate=False))

    def free(self, factors: Powers) -> Powers:
        """The factors of which the constants may not be made."""
        return {b: e for b, e in factors.items() if b.free_symbols - self.fixed}

    @cached_property
    def exponents(self) -> frozenset[sp.Symbol]:
        """The symbols in exponents of the rounds."""
        inside = {p.exp for p in self.bound.atoms(sp.Pow) if p.base.has(self.over)}
        return frozenset().union(*(e.free_symbols for e in inside))

    @cached_property
    def fixed(self) -> frozenset[sp.Symbol]:
        """Of what the constants may be made."""
        return self.held | self.exponents

    # --- the parts

    @cached_property
    def goals(self) -> list[_Goal]:
        without = sp.Mul(*(f for f in sp.Mul.make_args(self.statement.rhs) if f != C_O))
        return [_goal(term) for term in distributed(without)]

    @cached_property
    def root(self) -> tuple[sp.Expr, sp.Expr, sp.Expr] | None:
        """``c, S, e`` where the bound is ``c S^e`` with a sum ``S``."""
        for factor in sp.Mul.make_args(self.bound):
            base, exponent = factor.as_base_exp()
            if sp.expand_mul(base).is_Add and exponent != 1 and base.has(self.over) and self.positive(exponent):
                return self.bound / factor, base, exponent
        return None

    @cached_property
    def above(self) -> sp.Expr:
        """What the sum is above, where the metric is above the accuracy."""
        if self.root is None:
            return self.target
        factor, _, exponent = self.root
        return made(raised(times({self.target: sp.S.One}, raised(powers(factor), sp.S.NegativeOne)), 1 / exponent))

    @cached_property
    def terms(self) -> list[_Term]:
        inside = self.root[1] if self.root else self.bound
        found = distributed(inside)
        return [self._term(factors, len(found)) for factors in found]

    def _less_one(self, factor: sp.Expr) -> sp.Expr | None:
        """``c`` of ``1/(R^c - 1)``."""
        base, exponent = factor.as_base_exp()
        power = base + 1
        return power.exp if exponent == -1 and power.is_Pow and power.base == self.over else None

    def _term(self, factors: tuple[sp.Expr, ...], count: int) -> _Term:
        special = [f for f in factors if self._less_one(f) is not None]
        rest = tuple(f for f in factors if f not in special)
        less = tuple(c for f in special if (c := self._less_one(f)) is not None)
        bounds = ({LESS_ONE(c): sp.S.NegativeOne, self.over: -c} for c in less)
        whole = times(*map(powers, rest), *bounds)
        log_r = sp.log(self.over)
        q, log = tidy(-whole.get(self.over, sp.S.Zero)), whole.get(log_r, sp.S.Zero)
        if not self.positive(q):
            raise NotExportedError(f"{sp.Mul(*factors)} is not known to decay")
        with_log = log != 0 and self.positive(log)
        inverse = raised(powers(self.above), sp.S.NegativeOne)
        y = times(whole, {self.over: q, log_r: -log}, powers(sp.Integer(count)), inverse)
        two = times(y, {sp.log(2): log})
        w = times(raised(y, 1 / log), powers(tidy(log / q))) if with_log else raised(two, 1 / q)
        return _Term((*rest, *special), less, w, q, log, whole, with_log)

    def cover(self, term: _Term) -> _Cover:
        """The term of the goal that is as large."""
        w = self.free(term.w)
        for goal in self.goals:
            monomial = goal.monomial
            if goal.above:
                monomial = times(monomial, raised(powers(goal.above[0] - 1), goal.above[1]))
            power = self._exponent(monomial, w)
            if power is None:
                continue
            factor = made(times(raised(term.w, power), raised(monomial, sp.S.NegativeOne)))
            share, root, logs = sp.S.One, sp.S.Zero, sp.S.Zero
            if goal.log:
                inside = powers(goal.log[0] - 1)
                found, logs = self._exponent(inside, w), goal.log[1]
                if found is None or not self.positive(found) or not self.positive(logs):
                    continue
                root, share = found, made(times(inside, raised(term.w, -found)))
            spare = tidy(power - term.most)
            enough = self.nonnegative(spare) and (not term.log_is_positive or self.nonnegative(tidy(logs - term.most)))
            if enough or self.positive(spare):
                cover = _Cover(goal, power, factor, share, root)
                if self.constant(term, cover).free_symbols <= self.fixed:
                    return cover
        raise NotExportedError(f"no term of the goal is as large as {sp.Mul(*term.factors)}")

    def _exponent(self, factors: Powers, base: Powers) -> sp.Expr | None:
        """``r`` of ``base^r``, up to what is held."""
        found = self.free(factors)
        if found.keys() != base.keys():
            return None
        exponent = tidy(found[self.target] / base[self.target])
        return exponent if all(tidy(e - exponent * base[b]) == 0 for b, e in found.items()) else None

    def by_log(self, term: _Term, cover: _Cover) -> bool:
        """Whether the logarithm of the goal is needed."""
        return bool(
            term.log_is_positive
            and cover.goal.log
            and self.nonnegative(tidy(cover.goal.log[1] - term.most))
            and not self.positive(tidy(cover.power - term.most))
        )

    def constant(self, term: _Term, cover: _Cover) -> sp.Expr:
        """What the term of the goal is multiplied by."""
        out = cover.factor
        if self.by_log(term, cover):
            assert cover.goal.log
            return out * BY_LOG(term.most, cover.share, cover.root, cover.goal.log[1])
        if term.log_is_positive:
            out *= BY_POWER(term.most, cover.power)
        return out * LEAST_LOG(cover.share, cover.goal.log[1]) if cover.goal.log else out

    # --- the lemmas

    def all(self) -> Count:
        """The lemmas of all terms, and what they say together."""
        text, steps = self.text, self.steps
        covers = [self.cover(term) for term in self.terms]
        constants = [self.constant(t, c) for t, c in zip(self.terms, covers, strict=True)]
        lemmas = [self.term(t, c, k) for t, c, k in zip(self.terms, covers, constants, strict=True)]
        listed = f"[{'; '.join(map(text, constants))}]"
        goals = f"[{'; '.join(self.product(g.factors) for g in self.goals)}]"
        terms = f"[{'; '.join(self.product(t.factors) for t in self.terms)}]"
        about = sp.Ge(sp.Add(*constants), 0, evaluate=False)
        every = f"Forall (Rle 0) {listed}"
        signs = self._applied(steps.law(about, (), lambda s: self._signs(s, constants), every), about)
        exceeded = sp.Lt(self.target, self.metric, evaluate=False)
        said = f"0 <= added {goals} /\\ {text(self.over)} <= (1 + added {listed}) * added {goals}"

        def tactic(script: Script) -> str:
            bound = script.known(self.printer.relation(self.found.relation), f"apply {self.lemma}; side", "p")
            script.lines.append(f"assert (N' := {signs}).")
            script.known(f"0 < {text(self.target)}", script.sign(self.target, ">"))
            self._nonnegative(script, (s for g in self.goals for s in sp.Mul(*g.factors).free_symbols))
            script.known(f"Forall (Rle 0) {goals}", "all_nn", "G")
            above = f"{text(self.target)} < {text(self.bound)}"
            last = script.known(above, f"apply Rlt_le_trans with (2 := {bound}); assumption", "K")
            inside = self.bound
            if self.root is not None:
                last, inside = self._rooted(script, last), self.root[1]
            script.nonzero([inside])
            equal = script.known(f"{text(inside)} = added {terms}", "cbn [added]; ident", "E")
            number = len(self.terms)
            script.lines.append(f"rewrite {equal} in {last}.")
            script.lines.append(f"apply (one_above {number}) in {last}; [| lra | simpl; lra].")
            script.lines.append(f"destruct {last} as [x' [I' K']].")
            script.lines.append("split; [apply added_nn; assumption|].")
            case = "destruct I' as [<- | I']; [| "
            script.lines.append(f"cbn [In] in I'; {case * number}destruct I'{']' * number}.")
            at = "".join(f" {text(s)}" for s in self.theory.free(self._about))
            each = []
            for constant, cover, lemma in zip(constants, covers, lemmas, strict=True):
                goal = self.product(cover.goal.factors)
                small = "apply part_most; [exact N' | listed]"
                last_ = f"apply ({lemma}{at}); first [exact K' | side]"
                each.append(f"- apply (by_all _ {text(constant)} {goal}); [{small} | assumption | listed | {last_}].")
            return "\n".join(each)

        lemma = steps.law(self._about, (exceeded,), tactic, said=said)
        relation = self.statement.func(self.over, self.statement.rhs, evaluate=False)
        return Count(relation, exceeded, f"added {goals}", tuple(constants), self._about, lemma, signs)

    @property
    def _about(self) -> sp.Rel:
        """Of what lemmas speak."""
        return sp.Le(self.over, sp.Mul(self.bound, self.statement.rhs / C_O, evaluate=False), evaluate=False)

    def _applied(self, lemma: str, about: sp.Rel) -> str:
        free = self.theory.free(about)
        sides = " ltac:(side)" * sum(len(self.theory.assumed(s)) for s in free)
        return f"({lemma}{''.join(f' {self.text(s)}' for s in free)}{sides})"

    def product(self, factors: Sequence[sp.Expr]) -> str:
        """Factors in their order."""
        return f"({' * '.join(map(self.text, factors))})" if len(factors) > 1 else self.text(factors[0])

    def _signs(self, script: Script, constants: Sequence[sp.Expr]) -> str:
        self._nonnegative(script, (s for c in constants for s in c.free_symbols))
        for less in sorted({less for c in constants for less in c.atoms(LESS_ONE)}, key=str):
            self._less_one_positive(script, less.args[0])
        return "all_nn."

    def _less_one_positive(self, script: Script, c: sp.Expr) -> None:
        self._positive(script, c, None)
        script.known(f"0 < {self.text(LESS_ONE(c))}", "apply less_one_p; side")

    def _nonnegative(self, script: Script, symbols: Iterable[sp.Symbol]) -> None:
        for s in sorted({*symbols}, key=str):
            self._positive(script, s, None) or script.known(f"0 <= {self.text(s)}", self._sign(script, s, ">="))

    def _sign(self, script: Script, expr: sp.Expr, op: str) -> str:
        """A tactic for a sign: as a step or hypothesis has it, or by a search."""
        relation = {">": sp.Gt, ">=": sp.Ge}[op](expr, 0, evaluate=False)
        if relation in self.own:
            return self.own[relation]
        try:
            return script.sign(expr, op)
        except NotExportedError:
            return self.steps.needed(relation, self.providers)

    def _positive(self, script: Script, expr: sp.Expr, vanishing: str | None) -> bool:
        """Assert that something is positive; where only its product ``vanishing`` says so, by that."""
        text = self.text(expr)
        if script._plainly(expr, ">") or self.positive(expr):
            script.known(f"0 < {text}", self._sign(script, expr, ">"))
            return True
        if vanishing is None:
            return False
        nonnegative = script.known(f"0 <= {text}", self._sign(script, expr, ">="))
        zero = f"replace {vanishing} with 0 in K' by (rewrite <- P'; symmetry; zero0); lra"
        split = f"destruct (Rle_lt_or_eq_dec 0 {text} {nonnegative}) as [P'|P']; [exact P' | exfalso; {zero}]"
        script.known(f"0 < {text}", split)
        return True

    def _log_tactic(self) -> str:
        """A tactic for ``ln R > 0``."""
        log = sp.log(self.over)
        wanted = sp.Gt(log, 0, evaluate=False)
        signs = {r: p for r, p in self.theory.supposed.items() if len(r.free_symbols) == 1}
        told = {r: p for r, p in self.providers.items() if r.has(log) and r != self.found.relation}
        try:
            return f"apply {self.theory.need(wanted, {**signs, **told})}; side"
        except NotExportedError:
            return self.steps.needed(wanted, self.providers)

    def _rooted(self, script: Script, above: str) -> str:
        """That the sum is above the root of the accuracy."""
        assert self.root is not None
        text = self.text
        factor, inside, exponent = self.root
        power = f"(rpow {text(inside)} {text(exponent)})"
        for base in powers(factor):
            self._positive(script, base, None)
        self._positive(script, exponent, None)
        equal = script.known(
            f"{text(self.bound)} = {text(factor)} * {power}", "first [ring | rewrite ?sqrt_any; ring]", "E"
        )
        script.lines.append(f"rewrite {equal} in {above}.")
        root = f"(rpow ({text(self.target)} * / {text(factor)}) (/ {text(exponent)}))"
        said = script.known(
            f"{root} < {text(inside)}", f"apply root_above; [pos | pos | assumption | exact {above}]", "K"
        )
        script.nonzero([self.above])
        self._same(script, root, text(self.above), said)
        return said

    def _same(self, script: Script, old: str, new: str, within: str = "") -> None:
        """Put a product of powers in the place of one that is equal: in the goal, or in what has a name."""
        if old != new:
            name = script.known(f"{old} = {new}", "apply ln_eq; [pos | pos | logs]", "E")
            script.lines.append(f"rewrite {name}{f' in {within}' if within else ''}.")

    def term(self, term: _Term, cover: _Cover, constant: sp.Expr) -> str:
        """The lemma of one term: where it is above its share, the rounds are at most a constant times the goal's."""
        text = self.text
        share, r = text(self.above), text(self.over)
        number = len(self.terms)
        whole = self.product(term.factors)
        goal = self.product(cover.goal.factors)
        said = f"{share} < {number} * {whole} -> {r} <= {text(constant)} * {goal}"
        return self.steps.law(self._about, (), lambda s: self._term_tactic(s, term, cover, constant), said=said)

    def _term_tactic(self, script: Script, term: _Term, cover: _Cover, constant: sp.Expr) -> str:
        text, known = self.text, script.known
        r, above, number = text(self.over), self.above, len(self.terms)
        whole, goal = self.product(term.factors), cover.goal
        script.lines.append("intro K'.")
        for base in powers(above):
            self._positive(script, base, None)
        known(f"0 < {text(above)}", "pos")
        known(f"1 <= {r}", self.steps.needed(sp.Ge(self.over, 1, evaluate=False), self.providers))
        known(f"0 < {r}", "lra")
        if term.less_one or (term.log != 0 and not term.log_is_positive):
            known(f"0 < (ln {r})", self._log_tactic())
            known(f"2 <= {r}", "apply from_two; [nat | assumption | assumption]")
        elif term.log != 0:
            known(f"0 <= (ln {r})", "apply ln_nn; assumption")
            log_r = sp.log(self.over)
            self._positive(script, log_r, whole)
            known(f"1 < {r}", "apply ln_back; assumption")
        symbols = {s for b in (*term.whole, *goal.monomial) for s in b.free_symbols}
        symbols |= {s for p in (goal.above, goal.log) if p for s in p[0].free_symbols}
        for s in sorted(symbols - {self.over}, key=str):
            self._positive(script, s, whole)
        for base in sorted({b for b in (*term.w, *powers(cover.factor), *powers(cover.share)) if b.is_Add}, key=str):
            self._positive(script, base, None)
        last = self._less_ones(script, term)
        w, q = made(term.w), term.q
        script.nonzero([w, q, term.log, term.most, cover.power, cover.factor, cover.share, cover.root])
        self._positive(script, q, None)
        known(f"0 < {text(w)}", "pos", "a")
        tail, law, first = "", "inverted", ""
        if term.log_is_positive:
            self._positive(script, term.log, None)
            # not as sympy has it, which multiplies a number out
            inverse = [text(b**e) for b, e in raised(powers(term.most), sp.S.NegativeOne).items()]
            first = f"replace ({text(q)} / {text(term.log)}) with ({' * '.join(inverse) or '1'}) by (field; nz); "
            inside = f"(rpow ({text(w)} * ({text(q)} / {text(term.log)})) {text(term.log)})"
            tail, law = f" * (rpow (ln {r}) {text(term.log)})", "inverted_log"
        else:
            inside = f"(rpow {text(w)} {text(q)})"
            if term.log != 0:
                known(f"{text(term.log)} <= 0", self._below(script, term.log, sp.S.Zero))
                law = "inverted_less"
                tail = f" * ((rpow (ln {r}) {text(term.log)}) * / (rpow (ln 2) {text(term.log)}))"
        equal = known(
            f"{number} * {last} = {text(above)} * ({inside} * / (rpow {r} {text(q)}){tail})",
            f"{first}apply ln_eq; [pos | pos | logs]",
            "E",
        )
        log = f" {text(term.log)}" if term.log != 0 else ""
        args = f"{r} {text(q)}{log} {text(w)} {text(above)} ({number} * {last})"
        close = f"first [exact {equal} | exact K' | side]"
        if term.log_is_positive:
            script.lines.append(f"destruct ({law} {args}) as [L' H']; [{' | '.join([close] * 7)} |].")
            f = text(term.most)
            if (quotient := f"({text(term.log)} / {text(q)})") != f:
                same = known(f"{quotient} = {f}", "field; nz", "E")
                script.lines.append(f"rewrite {same} in H'.")
            known(f"1 <= {text(w)}", "apply log_one; assumption")
        else:
            script.lines.append(f"assert (H' := {law} {args} {' '.join([f'ltac:({close})'] * (6 + (term.log != 0)))}).")
            known(f"1 <= {text(w)}", f"apply (Rle_trans _ {r}); assumption")
        return self._covered(script, term, cover, constant)

    def _less_ones(self, script: Script, term: _Term) -> str:
        """Put what is at least ``1/(R^c - 1)`` in its place; what is above its share then."""
        text, r = self.text, self.text(self.over)
        if not term.less_one:
            return self.product(term.factors)
        if len(term.less_one) > 1:
            raise NotExportedError("two factors 1/(R^c - 1)")
        (c,) = term.less_one
        rest, special = self.product(term.factors[:-1]), text(term.factors[-1])
        self._less_one_positive(script, c)
        most = f"(/ ({text(LESS_ONE(c))} * (rpow {r} {text(c)})))"
        base = text(1 / term.factors[-1])
        script.known(
            f"{special} <= {most}",
            f"replace {base} with (rpow {r} {text(c)} - 1) by ident; apply above_one; side",
            "L",
        )
        script.known(f"0 <= {rest}", "pos")
        last = f"({rest} * {most})"
        script.lines.append(
            f"assert (M' : {text(self.above)} < {len(self.terms)} * {last}) by (apply (Rlt_le_trans _ _ _ K'); "
            f"apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_l; assumption); clear K'; rename M' into K'."
        )
        return last

    def _below(self, script: Script, small: sp.Expr, large: sp.Expr, op: str = "<=") -> str:
        """A tactic for a relation between exponents."""
        text, gap = self.text, tidy(large - small)
        if gap == 0:
            return "right; first [ring | field; nz]"
        if gap.is_Rational:
            return "lra"
        script.nonzero([gap, small, large])
        sign = self._sign(script, gap, ">" if op == "<" else ">=")
        return f"apply (conv_{'lt' if op == '<' else 'le'} 0 {text(gap)}); [{sign} | ident]"

    def _covered(self, script: Script, term: _Term, cover: _Cover, constant: sp.Expr) -> str:
        text, known, goal = self.text, script.known, cover.goal
        w, p, c = made(term.w), cover.power, cover.factor
        tw, tp, tc, f = text(w), text(p), text(c), text(term.most)
        monomial = goal.monomial
        if goal.above:
            monomial = times(monomial, raised(powers(goal.above[0] - 1), goal.above[1]))
        g = text(made(monomial))
        script.nonzero([c, made(monomial)])
        known(f"0 < {tc}", "pos")
        known(f"0 < {g}", "pos")
        whole = self.product(goal.factors)
        known(f"(rpow {tw} {tp}) = {tc} * {g}", "apply ln_eq; [pos | pos | logs]", "E")
        if goal.log:
            argument, e = goal.log
            inside = argument - 1
            d, s = text(cover.share), text(cover.root)
            known(f"0 < {d}", "pos")
            self._positive(script, cover.root, None)
            self._positive(script, e, None)
            a = known(f"{text(inside)} = {d} * (rpow {tw} {s})", "apply ln_eq; [pos | pos | logs]", "E")
            b = known(f"{text(argument)} = 1 + {d} * (rpow {tw} {s})", f"rewrite <- {a}; ring", "E")
            known(f"0 < (ln {text(argument)})", f"rewrite {b}; pos")
            self._same(script, whole, f"{g} * (rpow (ln {text(argument)}) {text(e)})")
            script.lines.append(f"rewrite {b}.")
            log = f"(rpow (ln (1 + {d} * (rpow {tw} {s}))) {text(e)})"
        if self.by_log(term, cover):
            assert goal.log
            known(f"0 < {f}", self._sign(script, term.most, ">"))
            known(f"{f} <= {tp}", self._below(script, term.most, p))
            known(f"{f} <= {text(goal.log[1])}", self._below(script, term.most, goal.log[1]))
            last = f"{tc} * by_log {f} {d} {s} {text(goal.log[1])} * ({g} * {log})"
            return f"apply (Rle_trans _ ({last})); [apply (covered_log _ _ _ {tp}); assumption | right; ring]."
        factor = tc
        if term.log_is_positive:
            known(f"0 < {f}", self._sign(script, term.most, ">"))
            known(f"{f} < {tp}", self._below(script, term.most, p, "<"))
            factor = f"({tc} * by_power {f} {tp})"
            law = f"apply (covered_power _ {tw}); assumption"
        else:
            known(f"1 <= {tp}", self._below(script, sp.S.One, p))
            law = f"apply (covered _ {tw} {tp}); assumption"
        last = known(f"{text(self.over)} <= {factor} * {g}", law, "H")
        if goal.log:
            known(f"0 <= {factor} * {g}", "constant_nn")
            more = f"{factor} * least_log {d} {text(goal.log[1])} * ({g} * {log})"
            known(f"0 <= {text(goal.log[1])}", "side")
            return f"apply (Rle_trans _ ({more})); [apply covered_more; assumption | right; ring]."
        if goal.above:
            base, e = goal.above
            a, b = text(base - 1), text(base)
            rest = text(made(goal.monomial))
            known(f"0 <= {rest}", "pos")
            self._same(script, whole, f"{rest} * (rpow {b} {text(e)})")
            other = known(f"{g} = {rest} * (rpow {a} {text(e)})", "apply ln_eq; [pos | pos | logs]", "E")
            known(f"0 <= {text(e)}", self._sign(script, e, ">="))
            step = f"apply Rle_trans with (1 := {last}); rewrite {other}; "
            step += f"replace {text(constant)} with {factor} by ring; apply Rmult_le_compat_l; [constant_nn|]; "
            return step + "apply Rmult_le_compat_l; [assumption|]; apply rpow_le; [pos | lra | assumption]."
        self._same(script, whole, g)
        return f"apply Rle_trans with (1 := {last}); right; ring."


# --- the statement


def statement(theory: Theory, relations: Sequence[sp.Rel], counts: Mapping[sp.Rel, Count]) -> tuple[str, str]:
    """What ``C_O`` is, and the theorem."""
    printer = theory.printer
    found = [counts[r] for r in relations]
    args = sorted({s for c in found for s in c.symbols}, key=str)
    if any(s in theory.generic for s in args):
        raise NotExportedError("what O(.) hides would not be held fixed")
    name = printer.name("symbol", C_O, str(C_O))
    texts = [printer.text(s) for s in args]
    names = [printer.names["symbol", printer.symbol(s)] for s in args]
    binder = f" ({' '.join(names)} : R)" if names else ""
    wholes = [c.whole(printer) for c in found]
    definition = f"Definition {name}{binder} : R := 1 + {' + '.join(wholes)}."
    for text, plain in zip(texts, names, strict=True):
        definition = definition.replace(text, plain)
    applied = f"({name} {' '.join(texts)})" if texts else name
    theory.arguments[C_O] = tuple(args)
    free = theory.free(*(r for c in found for r in (c.relation, c.exceeded)), *args)
    bound, called = theory.binder(free)
    said = [f"({printer.relation(c.exceeded)} -> {printer.relation(c.relation)})" for c in found]
    signs = [f"assert (N{i}' := added_nn _ {c.signs}).\n" for i, c in enumerate(found)]
    each = []
    for w, c in zip(wholes, found, strict=True):
        scope = theory.free(c.about, c.exceeded)
        at = "".join(f" {printer.text(s)}" for s in scope)
        sides = " ltac:(side)" * (1 + sum(len(theory.assumed(s)) for s in scope))
        each.append(
            f"- intro H'. destruct ({c.lemma}{at}{sides}) as [P' Q']. "
            f"apply (by_more _ (1 + {w}) {applied} ({c.terms})); "
            f"[exact P' | unfold {name}; lra | exact Q' | cbn [added]; ring]."
        )
    intros = f"intros {' '.join(called)}.\n" if called else ""
    apart = f"split; [unfold {name}; lra|].\nrepeat match goal with |- _ /\\ _ => split end.\n"
    proof = f"{intros}{''.join(signs)}{apart}" + "\n".join(each)
    whole = " /\\ ".join([f"0 < {applied}", *said])
    theorem = f"Theorem statement : {bound}{whole}.\nProof.\n{proof}\nQed.\n"
    return definition, theorem
