"""A checked proof as a theory of Rocq: variables, definitions, hypotheses, a lemma for each step, the statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from time import process_time

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory import gram
from rateproof.theory.algebra import Private, each_side, normal
from rateproof.theory.assumptions import EveryRound
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram.forms import Form, gap
from rateproof.theory.gram.reduction import factors_of
from rateproof.theory.gram.vectors import combination, factors, inner
from rateproof.theory.probability import Pr, beside
from rateproof.theory.proof import steps as st
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.by_cases import Case, is_hard
from rateproof.theory.proof.context import Context, is_rational
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.kernel import Decision, Kernel
from rateproof.theory.proof.meaning import by_sign
from rateproof.theory.proof.rules import Alike
from rateproof.theory.proof.setting import Setting
from rateproof.verify.secondkernel.exponents import Count
from rateproof.verify.secondkernel.lemmas import Script, powers
from rateproof.verify.secondkernel.printer import OUTCOME, NotExportedError, Printer, renamed
from rateproof.verify.secondkernel.sums import END
from rateproof.verify.secondkernel.terms import log_between, over_own_indices, rewriting

#: How a premise is proved where a lemma needs it: a tactic that closes the goal.
Provider = str

#: Roots of products as products of roots, and then those alike that stand in sums.
_APART = "spread; same_roots; first [ring | field; nz]"
#: Processor time in which the signs of one claim are found, or not.
SECONDS = 600.0


@dataclass
class Theory:
    """The parts of the file of one claim, in the order in which they stand there."""

    claim: Claim
    kernel: Kernel
    hypotheses: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    lemmas: list[str] = field(default_factory=list)
    signs: dict[str, str] = field(default_factory=dict)
    cites: dict[str, None] = field(default_factory=dict)
    #: Of a statement about a number of rounds, what is shown.
    counts: dict[sp.Rel, Count] = field(default_factory=dict)
    #: The hypothesis that all terms of a sequence are whole numbers, by the sequence and the number of its indices.
    whole: dict[object, str] = field(default_factory=dict)
    _hyp_names: dict[str, str] = field(default_factory=dict)
    _sign_state: dict[object, str | None] = field(default_factory=dict)
    _needs: dict[object, str | NotExportedError] = field(default_factory=dict)
    _busy: list[sp.Rel] = field(default_factory=list)
    _until: float = field(default_factory=lambda: process_time() + SECONDS)
    #: What steps have shown for all values of their indices.
    sure: dict[sp.Rel, Provider] = field(default_factory=dict)

    # --- what there is

    @property
    def context(self) -> Context:
        """What the proof takes for granted."""
        return self.kernel.context

    @property
    def setting(self) -> Setting:
        """What the claim speaks of."""
        return self.context.setting

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The kernel, and those of the proofs that were taken again."""
        found = [self.kernel]
        for k in found:
            found += [inner for *_, inner in k.again]
        return found

    @cached_property
    def generic(self) -> set[sp.Symbol]:
        """Symbols that stand for any value in the steps, each with its own for-all."""
        found: set[sp.Symbol] = set()
        for k in self.kernels:
            for t in k.taken:
                for name in ("over", "horizon"):
                    over = getattr(t.step, name, None)
                    if isinstance(over, sp.Symbol):
                        found.add(over)
                if isinstance(t.step, st.Special):
                    found |= set(t.step.at)
                found |= {s for w in t.shown.when for s in w.free_symbols}
        found |= self._sequence_indices
        for h in self.claim.hypotheses:
            for a in h.says:
                if isinstance(a, EveryRound):
                    found.add(a.over)
        return {s for s in found if s not in self.context._own}

    @cached_property
    def _sequence_indices(self) -> set[sp.Symbol]:
        found = {i for s in self.setting.family for i in s.indices}
        terms = (m for s in self.setting.family for m in s.metrics if isinstance(m, AppliedUndef))
        return found | {i for term in terms for i in term.free_symbols if i.is_integer}

    @cached_property
    def indices(self) -> tuple[sp.Symbol, ...]:
        """The indices with which vectors and metrics change."""
        found = self._sequence_indices & self.generic
        return tuple(sorted(found, key=str))

    @cached_property
    def defined(self) -> dict[sp.Symbol, sp.Expr]:
        """Symbols that are what a definition or a form says."""
        out: dict[sp.Symbol, sp.Expr] = {}
        for s in reversed(self.setting.family):
            for m, term in s.sequences.items():
                if m.is_Symbol and m not in s.metrics and term != m:
                    out[m] = sp.sympify(term)
        for m, form in self.setting.metrics.items():
            if m.is_Symbol:
                out[m] = sp.sympify(form)
        out.update(self.claim.where)
        return out

    @cached_property
    def resting(self) -> frozenset[str]:
        """The vectors of which metrics are made that are the same for all values of the indices."""
        return frozenset(n for n in self.setting.all_behind(self.setting.fixed) if isinstance(n, str))

    def carried(self, symbols: Iterable[sp.Symbol]) -> bool:
        """Whether there are vectors among symbols that change with the indices."""
        return any({*(factors(s) or ())} - self.resting for s in symbols)

    @cached_property
    def moving(self) -> set[sp.Symbol]:
        """The symbols that change with the indices."""
        if not self.indices:
            return set()
        setting = self.setting
        named = set().union(*(s.meanings for s in setting.family))
        found = {s for s in ({*setting.scalars, *named} - {*setting.fixed} - self.defined.keys()) if s.is_Symbol}
        for i in self.indices:
            found |= {s for s in self.context._ruled_by(i) if s.is_Symbol}
        changed = True
        while changed:
            changed = False
            for s, e in self.defined.items():
                inside = with_own_indices(e).free_symbols
                if s not in found and (inside & (found | set(self.indices)) or self.carried(inside)):
                    found.add(s)
                    changed = True
        return found

    @cached_property
    def drawn(self) -> set[sp.Symbol]:
        """The symbols that may depend on what is drawn: where there are chances, all not known to be numbers."""
        said = [r for k in self.kernels for t in k.taken for r in (t.shown.relation, *t.shown.when)]
        said += [r for k in self.kernels for t in k.taken for d in t.decisions for r in (d.step.goal, *d.step.premises)]
        said += [*self.context.relations, *self.kernel.stated]
        if not any(r.has(Pr) for r in said):
            return set()
        back = {private: s for s, private in (*self.context.unsigned.items(), *self.context.folded.items())}
        named = {back.get(s, s) for r in said for s in r.free_symbols}
        named |= {s for e in (*named, *self.context._own) for s in self.claim.expand(e).free_symbols}
        sure = self.context._numbers | self.generic | self.moving | self.defined.keys()
        found = {s for s in named - sure if not factors(s)}
        changed = True
        while changed:
            more = {s for s, e in self.defined.items() if s not in found and e.free_symbols & found}
            found, changed = found | more, bool(more)
        return found

    @cached_property
    def arguments(self) -> dict[sp.Symbol, tuple[sp.Symbol, ...]]:
        """Symbol -> of what it is a function."""
        out = dict.fromkeys(self.moving, self.indices)
        return out | {s: (*out.get(s, ()), OUTCOME) for s in self.drawn}

    @cached_property
    def printer(self) -> Printer:
        """Names and expressions."""
        printer = Printer(self.arguments, self.indices, self.resting)
        for known in (self.context.unsigned, self.context.folded):
            for s, private in known.items():
                if s.is_Symbol:
                    printer.aliases[private] = s
                else:
                    printer.terms[private] = s
        for k in self.kernels:
            for t in k.taken:
                for d in t.decisions:
                    printer.terms.update(d.terms)
        return printer

    # --- binders

    def free(self, *said: sp.Basic) -> list[sp.Symbol]:
        """The symbols of relations that stand for any value."""
        found: set[sp.Symbol] = set()
        for e in said:
            e = each_side(e, with_own_indices) if isinstance(e, sp.Rel) else with_own_indices(e)
            symbols = {self.printer.symbol(s) for s in self._symbols(e)}
            found |= symbols & self.generic
            if symbols & self.moving or self.carried(symbols):
                found |= set(self.indices)
            if self.drawn & {self.printer.symbol(s) for s in self._symbols(beside(e))}:
                found.add(OUTCOME)
        return sorted(found, key=str)

    def _symbols(self, e: sp.Basic) -> set[sp.Symbol]:
        out: set[sp.Symbol] = set()
        left = [e]
        while left:
            for s in left.pop().free_symbols:
                if s in self.printer.terms:
                    left.append(self.printer.terms[s])
                else:
                    out.add(s)
        return out

    def binder(self, symbols: Sequence[sp.Symbol]) -> tuple[str, list[str]]:
        """``forall k, isnat k -> ...``, and the names of what it supposes."""
        if not symbols:
            return "", []
        names = [self.printer.text(s) for s in symbols]
        typed = [
            f"({n} : {self.printer.drawing if s == OUTCOME else 'R'})" for s, n in zip(symbols, names, strict=True)
        ]
        bound = " ".join(typed) if OUTCOME in symbols else f"{' '.join(names)} : R"
        said, called = [], []
        for s, name in zip(symbols, names, strict=True):
            for i, text in enumerate(_assumed(s, name)):
                said.append(text)
                called.append(f"B{i}_{name}")
        return f"forall {bound}, {''.join(f'{t} -> ' for t in said)}", [*names, *called]

    # --- hypotheses

    def hypothesis(self, name: str, text: str) -> str:
        """The name of a hypothesis that says a text, entered once."""
        if text in self._hyp_names:
            return self._hyp_names[text]
        name = self.printer.name("hypothesis", text, name)
        self.hypotheses[name] = text
        self._hyp_names[text] = name
        return name

    def quantified(self, name: str, relation: sp.Rel, conditions: Sequence[sp.Rel] = ()) -> str:
        """The hypothesis that a relation holds for all values of its indices, under conditions."""
        free = [s for s in self.free(relation, *conditions) if s != OUTCOME or s in self.free(relation)]
        binder, _ = self.binder(free)
        said = "".join(f"{self.at_all(c, free)} -> " for c in conditions)
        return self.hypothesis(name, f"{binder}{said}{self.printer.relation(relation)}")

    def at_all(self, relation: sp.Rel, bound: Sequence[sp.Symbol]) -> str:
        """A relation that is supposed; surely, where what it says may be drawn and no outcome is named."""
        said = self.printer.relation(relation)
        if OUTCOME in bound or OUTCOME not in self.free(relation):
            return said
        return f"({self.binder([OUTCOME])[0]}{said})"

    def here(self, name: str, relation: sp.Rel) -> str:
        """What a hypothesis says at the indices of a lemma."""
        free = self.free(relation)
        args = "".join(f" {self.printer.text(s)}" for s in free)
        holes = " ltac:(side)" * sum(len(self.assumed(s)) for s in free)
        return f"({name}{args}{holes})" if free else name

    @cached_property
    def supposed(self) -> dict[sp.Rel, Provider]:
        """The relations of the claim's hypotheses."""
        out: dict[sp.Rel, Provider] = {}
        own = [(h.key, r) for h in self.claim.hypotheses for r in conjuncts(h.relation)]
        for key, r in own:
            try:
                out[r] = f"apply {self.quantified(f'hyp_{key}', r)}; side"
            except NotExportedError:
                continue
        for r in self.context.relations:
            if r not in out:
                whole = next((o for _, o in own if o.lhs == r.lhs and o.rel_op == r.rel_op and o in out), None)
                if whole is not None:
                    name = out[whole].split()[1].rstrip(";")
                    out[r] = f"pose proof {self.here(name, whole)} as W; extreme_part W"
        return out

    # --- signs of symbols

    def sign_of(self, key: object) -> str | None:
        """The hypothesis or lemma that says the sign of a symbol, or of the terms of a sequence."""
        if key in self.generic or key in self.bound():
            return None
        if key not in self._sign_state:
            self._sign_state[key] = None
            self._sign_state[key] = self._sign(key)
        return self._sign_state[key]

    def _sign(self, key: object) -> str | None:
        printer = self.printer
        if isinstance(key, tuple):  # a sequence, with the number of its indices
            func, count = key
            args = [f"x{i}" for i in range(count)]
            term, text = (
                func(*map(sp.Symbol, args)),
                f"({printer.name('function', key, func.__name__)} {' '.join(args)})",
            )
            every = f"forall {' '.join(args)} : R, "
            if term.is_integer and term.is_nonnegative:
                self.whole[key] = self.hypothesis(f"nat_{func.__name__}", f"{every}isnat {text}")
            said = sign_text(term, text)
            return self.hypothesis(f"sg_{func.__name__}", f"{every}{said}") if said else None
        assert isinstance(key, sp.Symbol)
        symbol = key
        bare = self.context.unsigned.get(symbol, symbol)
        text = printer.text(symbol)
        said = sign_text(bare, text)
        if not said:
            return None
        binder, names = self.binder(self.free(symbol))
        if symbol not in self.defined or isinstance(self.defined[symbol], AppliedUndef):
            name = self.hypothesis(f"sg_{symbol.name}", f"{binder}{said}")
            whole = bare.is_integer or symbol in self.context._counts
            if whole and bare.is_nonnegative:
                self.hypothesis(f"nat_{symbol.name}", f"{binder}isnat {text}")
            return name
        return self._sign_lemma(symbol, bare, text, said, binder, names)

    def _sign_lemma(
        self, symbol: sp.Symbol, bare: sp.Symbol, text: str, said: str, binder: str, names: list[str]
    ) -> str:
        """That what a definition says has the sign that is declared."""
        value = self.defined[symbol]
        name = self.printer.name("sign", symbol, f"sg_{symbol.name}")
        op = ">" if bare.is_positive else ">="
        if bare.is_negative or bare.is_nonpositive:
            raise NotExportedError(f"{symbol} is defined and not positive")
        script = self.script(self.free(symbol))
        full = self.context.plain(sp.Ge(value, 0, evaluate=False)).lhs
        if any(map(factors, full.free_symbols)):
            found = gram.decide(sp.Ge(full, 0, evaluate=False))
            if not isinstance(found, gram.Proved) or found.multipliers or found.minors:
                raise NotExportedError(f"the sign of {symbol} is not exported")
            names_ = " ".join(self.unfolding([sp.Ge(symbol, 0, evaluate=False)]))
            script.nonzero([full])
            script.lines.append(f"apply (conv_le 0 {self.printer.text(full)}); [| cbv beta delta [{names_}]; ident].")
            self._identity(script, sp.S.Zero, full, [], found.squares, found.constant)
        else:
            for r, provider in self.supposed.items():
                if not r.has(symbol) and r.free_symbols & value.free_symbols:
                    self.use(script, r, r, provider)
            script.lines.append(f"unfold {self.printer.names['symbol', symbol]}.")
            if op == ">" and bare.is_integer and value != 1:
                less = sp.expand(value - 1)
                sign = script.sign(less, ">=")
                script.lines.append(f"apply (conv_le 0 {self.printer.text(less)}); [{sign} | ident].")
            else:
                script.lines.append(f"{script.sign(value, op)}.")
        intros = f"intros {' '.join(names)}." if names else ""
        signs = self.sign_lines(script, {symbol})
        self.lemmas.append(
            f"Lemma {name} : {binder}{said}.\nProof.\n{intros}\n{signs}" + "\n".join(script.lines) + "\nQed.\n"
        )
        return name

    def sign_lines(self, script: Script, without: Iterable[object] = ()) -> str:
        """The signs of all that was printed in a lemma and is a function of indices or defined."""
        out = []
        for key, text in list(self.printer.seen.items()):
            kind, thing = key[0], key[1]
            if thing in without or kind == "bound":
                continue
            name = self.sign_of(thing)
            if name is None or not (kind == "term" or thing in self.defined or thing in self.arguments):
                continue
            assert isinstance(thing, (tuple, sp.Symbol))
            said = (
                sign_text(self.context.unsigned.get(thing, thing), text)
                if kind == "symbol"
                else sign_text(thing[0](*map(sp.Symbol, "abcde"[: thing[1]])), text)
            )
            out.append(f"try assert ({script.new('sg')} : {said}) by (apply {name}; side).")
        lines = [*script.head, *out]
        return "\n".join(lines) + ("\n" if lines else "")

    def bound(self) -> set[sp.Symbol]:
        """The indices of sums, but for those that are numbers of the claim beside them."""
        return set().union(*self.printer.sums, {END}) - self.context._own

    def assumed(self, symbol: sp.Symbol) -> list[str]:
        """What the for-all of a symbol supposes."""
        return _assumed(symbol, self.printer.text(symbol))

    def need(
        self,
        relation: sp.Rel,
        own: Mapping[sp.Rel, Provider],
        when: Sequence[sp.Rel] = (),
        *,
        closed: bool = False,
    ) -> str:
        """The lemma that a relation between parameters follows from others; ``closed``: as they are written."""
        key = (relation, tuple(when), len(own), closed)
        if key not in self._needs:
            try:
                self._needs[key] = self._need(relation, own, when, closed)
            except NotExportedError as refusal:
                self._needs[key] = refusal
        found = self._needs[key]
        if isinstance(found, NotExportedError):
            raise found
        return found

    def _need(self, relation: sp.Rel, own: Mapping[sp.Rel, Provider], when: Sequence[sp.Rel], closed: bool) -> str:
        printer, context = self.printer, self.context
        plain = context.bare if closed else context.plain
        printer.seen.clear()
        atoms = Atoms()
        script = self.script(self.free(relation, *when))
        told = {**own, **{w: f"exact W{i}" for i, w in enumerate(when)}}
        goal = atoms.read(plain(relation))
        plainly = ((r, plain(r), p) for r, p in told.items() if not r.has(Pr))
        known = [(r, atoms.read(said), p) for r, said, p in plainly if isinstance(said, sp.Rel)]  # no x <= x
        printer.terms.update(atoms.terms())
        alike = next((r for r in told if not r.has(Pr) and context._form(r) == context._form(relation)), None)
        if alike is not None:
            name = script.known(printer.relation(alike), told[alike], "p")
            names_ = self.unfolding([alike, relation])
            script.nonzero([*alike.args, *relation.args])
            unfold = f"cbv beta delta [{' '.join(names_)}]; " if names_ else ""
            script.lines.append(f"{self._conv(alike, relation, f'exact {name}', f'{unfold}ident')}.")
            return self.lemma("need", relation, when, script)
        about = set(goal.free_symbols)
        foreign = {s: term for s, term in atoms.terms().items() if s not in about}
        sums = {s for s, term in foreign.items() if term.has(sp.Sum)}
        rational = [k for k in known if is_rational(k[1]) and k[1].free_symbols and not k[1].free_symbols & sums]
        signs = [k for k in rational if k[1].free_symbols <= about and k[1].lhs.is_Symbol and k[1].rhs == 0]
        if script.seen_by_parts(goal, [r for _, r, _ in signs]):
            ways = [signs]
        else:  # first without powers and logarithms of which it does not speak
            few = [k for k in rational if not k[1].free_symbols & foreign.keys()]
            ways = [few, rational] if len(few) < len(rational) else [rational]
        for way in ways:
            script = self.script(self.free(relation, *when))
            printer.seen.clear()
            try:
                self._closed(script, relation, goal, way, atoms, plain)
            except NotExportedError:
                if way is ways[-1]:
                    raise
            else:
                break
        return self.lemma("need", relation, when, script)

    def _closed(
        self,
        script: Script,
        relation: sp.Rel,
        goal: sp.Rel,
        known: Sequence[tuple[sp.Rel, sp.Rel, Provider]],
        atoms: Atoms,
        plain: Callable[[sp.Rel], sp.Rel],
    ) -> None:
        """The tactics by which a relation, read as ``goal``, follows from what is known and about its symbols."""
        about = set(goal.free_symbols)
        while more := [r for _, r, _ in known if r.free_symbols & about and not r.free_symbols <= about]:
            about |= {s for r in more for s in r.free_symbols}
        # those that do not divide first: others need that divisors are not zero
        for said, read, provider in sorted(known, key=lambda k: (len(powers(plain(k[0]).args)), sp.count_ops(k[1]))):
            if read.free_symbols <= about and not by_sign(read):
                try:
                    script.suppose(read, self.use(script, said, read, provider))
                except NotExportedError:
                    continue
        for r in atoms.conditions():
            self._atom_fact(script, r)
        if self.printer.relation(goal) != self.printer.relation(relation):
            script.lines.append(
                self._conv(goal, relation, "", self.bridge(script, relation, goal, False)).replace("[ | ", "[| ") + "."
            )
        script.lines.append(self._closing(script, goal))

    def lemma(self, name: str, relation: sp.Rel, when: Sequence[sp.Rel], script: Script, said: str = "") -> str:
        """Enter a lemma: for all indices, under some relations, by the tactics of a script.

        It shows the relation, or what is ``said`` about what that is about.
        """
        printer = self.printer
        binder, names = self.binder(self.free(relation, *when))
        said = said or printer.relation(relation)
        supposed = "".join(f"{printer.relation(w)} -> " for w in when)
        called = [f"W{i}" for i, _ in enumerate(when)]
        intros = f"intros {' '.join((*names, *called))}.\n" if names or called else ""
        proof = f"{intros}{self.sign_lines(script)}" + "\n".join(script.lines)
        lemma = printer.name("lemma", (name, len(self.lemmas)), name)
        self.lemmas.append(f"Lemma {lemma} : {binder}{supposed}{said}.\nProof.\n{proof}\nQed.\n")
        return lemma

    def _closing(self, script: Script, goal: sp.Rel) -> str:
        """The tactic that closes a relation between parameters."""
        printer = self.printer
        difference = gap(goal)
        script.nonzero([difference, *goal.args])
        text = printer.text(difference)
        if goal.rel_op == "==":
            first = self._closing(script, sp.Le(*goal.args, evaluate=False))
            second = self._closing(script, sp.Ge(*goal.args, evaluate=False))
            return f"apply both; [{first.rstrip('.')} | {second.rstrip('.')}]."
        if goal.rel_op == "!=":
            difference = goal.lhs - goal.rhs
            name = script.known(f"{printer.text(difference)} <> 0", script.sign(difference, "!="), "s")
            return f"intro W; apply {name}; revert W; intro W; first [exact W | lra]."
        strict = goal.rel_op in ("<", ">")
        if difference.is_Rational:
            return "ident_lra."
        name = script.known(
            f"0 {'<' if strict else '<='} {text}", script.sign(difference, ">" if strict else ">="), "s"
        )
        return f"apply (conv_{'lt' if strict else 'le'} 0 {text}); [exact {name} | ident]."

    # --- definitions

    def unfolding(self, relations: Iterable[sp.Rel], keep: Iterable[sp.Symbol] = ()) -> list[str]:
        """The names of the definitions that relations use, but for those kept."""
        kept = {self.printer.symbol(s) for s in keep}
        found: dict[sp.Symbol, None] = {}
        left = [self.printer.symbol(s) for r in relations for s in self._symbols(r)]
        while left:
            s = left.pop()
            if s in self.defined and s not in found and s not in kept:
                found[s] = None
                left += [self.printer.symbol(x) for x in self._symbols(self.defined[s])]
        for s in found:
            self.printer.text(s)
        return [self.printer.names["symbol", s] for s in found]

    # --- one decision

    def script(self, scope: Iterable[sp.Symbol]) -> Script:
        """The tactics of a new lemma about these indices."""
        return Script(self.printer, scope={*scope}, outside=self._outside, unsigned=self.context.unsigned)

    @cached_property
    def _signed(self) -> dict[sp.Symbol, sp.Symbol]:
        return {bare: symbol for symbol, bare in self.context.unsigned.items()}

    def _outside(self, relation: sp.Rel) -> str:
        """A tactic for a relation between parameters that follows from the hypotheses of the claim.

        Raises:
            TimeoutError: signs that need signs took too long.
        """
        if process_time() > self._until:
            raise TimeoutError(f"its signs are not found in {SECONDS:g} seconds of processor time")
        bare, relation = relation, each_side(relation, lambda side: side.xreplace(self._signed))
        old, new = self.printer.text(bare.lhs), self.printer.text(relation.lhs)
        same = "first [ring | f_equal; ring]" if powers([bare.lhs]) else "ring"
        ordered = f"replace {old} with {new} by {same}; " if old != new else ""
        if relation in self._busy:
            raise NotExportedError(f"{relation} would need itself")
        self._busy.append(relation)
        seen = dict(self.printer.seen)
        try:
            own = {**self.supposed, **self.sure}
            if self.printer.symbol(relation.lhs) in self.defined:  # what was shown of it says most
                with suppress(NotExportedError):
                    return f"{ordered}apply {self.need(relation, own, closed=True)}; side"
            with suppress(NotExportedError):
                return f"{ordered}apply {self.need(relation, self.supposed)}; side"
            return f"{ordered}apply {self.need(relation, own, closed=True)}; side"
        finally:
            self._busy.remove(relation)
            self.printer.seen = seen

    def use(self, script: Script, said: sp.Rel, read: sp.Rel, provider: Provider, sequences: bool = False) -> str:
        """The name of a premise as it is read, in a lemma; entered among the facts where it is about parameters."""
        self.borrow(script, said)
        name = script.known(self.printer.relation(said), provider, "p")
        return self.convert(script, said, read, name, sequences)

    def borrow(self, script: Script, said: sp.Rel) -> None:
        """Take any value of an index that a premise has and the step has not."""
        for s in self.free(said):
            if s in script.scope:
                continue
            if s == OUTCOME:
                script.head.append(f"destruct (pr_outcome {self.printer.drawing}) as [{self.printer.text(s)} _].")
                script.scope.add(s)
                continue
            if not (s.is_integer and s.is_nonnegative):
                raise NotExportedError(f"{said} speaks of {s}, which the step does not have")
            name, first = self.printer.text(s), "1" if s.is_positive else "0"
            script.head.append(
                f"assert (exists {name} : R, isnat {name} /\\ {first} <= {name}) as [{name} [B0_{name} B1_{name}]] "
                f"by (exists {first}; split; [nat | lra])."
            )
            script.scope.add(s)

    def convert(self, script: Script, said: sp.Rel, read: sp.Rel, name: str, sequences: bool) -> str:
        """The name under which a relation is known as it is read."""
        told, wanted = self.printer.relation(said), self.printer.relation(read)
        if told == wanted:
            return name
        if known := script.name(wanted):
            return known
        bridge = self.bridge(script, said, read, sequences)
        return script.known(wanted, self._conv(said, read, f"exact {name}", bridge), "q")

    def _conv(self, said: sp.Rel, read: sp.Rel, first: str, bridge: str) -> str:
        lemma = {
            "<=": "conv_le",
            ">=": "conv_le",
            "<": "conv_lt",
            ">": "conv_lt",
            "==": "conv_eq",
            "!=": "conv_ne",
        }.get(said.rel_op)
        if lemma is None:
            raise NotExportedError(f"{said} is no inequality and no equation")
        ends = said.args[::-1] if ">" in said.rel_op else said.args
        return f"apply ({lemma} {' '.join(map(self.printer.text, ends))}); [{first} | {bridge}]"

    def bridge(self, script: Script, said: sp.Rel, read: sp.Rel, sequences: bool) -> str:
        """Why two readings of one relation are the same: definitions, forms and terms that are written otherwise."""
        kept = self._symbols(read)
        ties: list[str] = []
        tied: dict[sp.Symbol, sp.Expr] = {}

        def here(name: str, relation: sp.Rel) -> list[str]:
            """A hypothesis at the indices of this lemma."""
            try:
                self.borrow(script, relation)
            except NotExportedError:
                return []
            return [self.here(self.quantified(name, relation), relation)]

        if sequences:
            for s in self.setting.family:
                for m, term in s.ties.items():
                    if m.is_Symbol and m in self.setting.metrics:
                        ties += here(f"tie_{m.name}", sp.Eq(m, term, evaluate=False))
                        kept |= {m}
                        tied[m] = sp.sympify(term)
        names = self.unfolding([said], kept)
        closed = {self.printer.symbol(s) for s in kept}
        full = self.context.plain(said, sequences, frozenset(self.claim.where.keys() - closed))
        inside = {
            self.printer.names["symbol", s]: e for s, e in self.defined.items() if ("symbol", s) in self.printer.names
        }
        bases = {s: inside[n] for n in names for s in said.free_symbols if self.printer.names.get(("symbol", s)) == n}
        made = [sp.Pow(bases[p.base], p.exp, evaluate=False) for p in said.atoms(sp.Pow) if p.base in bases]
        written = [*full.args, *(inside[n] for n in names), *made, *script.written]
        script.nonzero([*written, *read.args, *said.args])
        equations = [*ties, *script.cases, *rewriting(self, script, said, written, kept, tied)]
        for number, form in self.setting.metrics.items():
            if not number.is_Symbol and full != said:
                equations += here("met", sp.Eq(number, form, evaluate=False))
        if sequences:  # where a sequence starts
            for m, term in self.setting.sequences.items():
                if isinstance(m, AppliedUndef) and ("function", (m.func, len(m.args))) in self.printer.names:
                    equations += here(f"tie_{m.func.__name__}", sp.Eq(m, term, evaluate=False))
        for s in full.free_symbols | said.free_symbols:
            pair = factors(s)
            if pair and len({self.setting.blocks.get(n) for n in pair} | {None}) == 3:
                equations += here(f"orth_{pair[0]}_{pair[1]}", sp.Eq(s, 0, evaluate=False))
        unfold = f"cbv beta delta [{' '.join(names)}]" if names else ""
        parts = [*self._alike_divisors(said, read, sequences, closed, unfold), *([unfold] if unfold else [])]
        parts += self._extremes([*said.args, *(inside[n] for n in names)], {n: inside[n] for n in names})
        parts += over_own_indices(self.printer, said)
        parts += [f"rewrite {', '.join(f'?{e}' for e in dict.fromkeys(equations))} by side"] if equations else []
        logs = any(p.base.has(sp.log) for e in (*written, *said.args) for p in e.atoms(sp.Pow) if not p.exp.is_Integer)
        end = f"first [ident | same_roots; first [ident | {_APART}]]" if logs and equations else "ident"
        return "; ".join([*parts, end])

    def _extremes(self, exprs: Sequence[sp.Expr], unfolded: Mapping[str, sp.Expr]) -> list[str]:
        """Write maxima and minima with the numbers that definitions put there as they are read."""
        text, out = self.printer.text, []
        numbers = {n: value for n, value in unfolded.items() if value.is_Rational}
        for extreme in sorted({e for side in exprs for e in side.atoms(sp.Max, sp.Min)}, key=str):
            put = {s: numbers[n] for s in extreme.free_symbols if (n := text(s)) in numbers}
            if put:
                old, new = text(extreme), text(extreme.xreplace(put))
                for symbol, value in put.items():
                    old = renamed(old, text(symbol), text(value))
                turned = "rewrite Rmax_comm" if isinstance(extreme, sp.Max) else "rewrite Rmin_comm"
                out.append(f"try replace {old} with {new} by (first [f_equal; ring | {turned}; f_equal; ring])")
        return out

    def _alike_divisors(
        self, said: sp.Rel, read: sp.Rel, sequences: bool, closed: set[sp.Symbol], unfold: str
    ) -> list[str]:
        """Put divisors as they are said in the place of those that are read, where they hold divisors of their own.

        The tactic ``field`` multiplies these out, so that it would not know that the whole is not zero.
        """
        text, out = self.printer.text, []
        for base in powers(read.args):
            if not (base.is_Add and powers([base])):
                continue
            for other in powers(said.args):
                if not other.is_Add or text(other) == text(base):
                    continue
                plain = self.context.plain(
                    sp.Ge(other, 0, evaluate=False), sequences, frozenset(self.claim.where.keys() - closed)
                )
                if plain.args[0] == base or normal(plain.args[0] - base) == 0:
                    proof = f"{unfold}; ring" if unfold else "ring"
                    out.append(f"try replace {text(base)} with {text(other)} by ({proof})")
                    break
        return out

    def _identity(
        self,
        script: Script,
        small: sp.Expr,
        large: sp.Expr,
        uses: Sequence[tuple[sp.Rel, sp.Expr, str]],
        squares: Sequence[tuple[sp.Expr, gram.Vector]],
        constant: sp.Expr,
    ) -> None:
        """The end of a lemma: large less small side is a sum of what is nonnegative."""
        text = self.printer.text
        script.nonzero([small, large, *(m for _, m, _ in uses), *(side for r, *_ in uses for side in r.args)])
        script.nonzero([e for p, v in squares for e in (p, *(c for _, c in v.terms))])
        parts: list[str] = []
        for r, m, name in uses:
            equal = r.rel_op == "=="
            s, t = (r.rhs, r.lhs) if equal else (r.args if r.rel_op in ("<=", "<") else r.args[::-1])
            part = f"{text(m)} * ({text(t)} - {text(s)})"
            if equal:
                script.known(f"0 <= {part}", f"apply mul_eq; symmetry; exact {name}", "h")
            else:
                script.known(f"0 <= {part}", f"apply mul_le; [{script.sign(m, '>=')} | exact {name}]", "h")
            parts.append(part)
        for pivot, vector in squares:
            inside = "; ".join(f"({text(c)}, {self.printer.vector(n)})" for n, c in vector.terms)
            part = f"{text(pivot)} * sq [{inside}]"
            script.known(f"0 <= {part}", f"apply mul_sq; {script.sign(pivot, '>=')}", "h")
            parts.append(part)
        if constant != 0:
            part = text(constant)
            script.known(f"0 <= {part}", script.sign(constant, ">="), "h")
            parts.append(part)
        total = " + ".join(parts) or "0"
        close = "repeat first [assumption | apply pls]" if parts else "lra"
        script.lines.append(f"apply (gap_le {text(small)} {text(large)} ({total})); [ident | {close}].")

    def decide(self, name: str, d: Decision, providers: Mapping[sp.Rel, Provider], extra: Sequence[sp.Rel] = ()) -> str:
        """The lemma of one decision; its name."""
        printer = self.printer
        printer.seen.clear()
        self._name_roots(d)
        sequences = st.SEQUENCES in d.step.rules
        goal, when = d.step.goal, (*d.step.when, *apart(d.case))
        script = self.script(self.free(goal, *when, *extra))
        told = dict(providers)
        told.update((w, f"exact W{i}") for i, w in enumerate((*when, *extra)))
        own = {**self.supposed, **told}
        if goal in own and d.found in ("parameters", "numbers"):  # it is supposed, so that no reason is searched
            self.borrow(script, goal)
            script.lines.append(f"{own[goal]}.")
            return self.lemma(name, goal, (*when, *extra), script)
        values = (w.rel_op == "==" and w.lhs.is_Symbol and w.rhs.is_Rational for w in d.step.when)
        script.cases += [f"W{i}" for i, fixed in enumerate(values) if fixed]
        for old, new in d.case.instead:
            if isinstance(old, (sp.Max, sp.Min)):
                equation = f"{printer.text(old)} = {printer.text(new)}"
                script.cases.append(script.known(equation, self._extreme(script, old, new, when), "e"))
            equal = [r for r in own if r.rel_op == "==" and r.lhs == old and is_hard(r.rhs)]
            script.cases += [script.known(printer.relation(r), own[r], "e") for r in equal]
            script.written += [r.rhs for r in equal]
        signs = {r: side for r in d.case.supposed if (side := _sign_of_root(d.case, r))}
        # relations between parameters, as facts
        for r in sorted(d.assuming, key=lambda r: (len(powers(r.args)), sp.count_ops(r))):
            said = d.said.get(r)
            try:
                if r in signs:
                    law = f"conv_{'lt' if r.rel_op == '>' else 'le'} 0 {printer.text(signs[r])}"
                    script.suppose(r, script.known(printer.relation(r), f"apply ({law}); [side | ident]", "p"))
                elif said is None:
                    self._atom_fact(script, r)
                elif said in own:
                    script.suppose(r, self.use(script, said, r, own[said], sequences))
            except NotExportedError:  # another one may be enough
                continue
        target = d.target
        small, large = target.args if target.rel_op in ("<=", "<") else target.args[::-1]
        strict = target.rel_op in ("<", ">")
        if printer.relation(target) != printer.relation(goal):
            bridge = self.bridge(script, goal, target, sequences)
            back = self._conv(target, goal, "", bridge.replace("ident", "ident")).replace("[ | ", "[| ")
            script.lines.append(f"{back}.")
        if d.found == "impossible":
            found = self._contradiction(script)
            script.lines.append(found)
        elif d.found in ("parameters", "numbers"):
            # z3, or the signs of terms
            script.nonzero([large - small, large, small])
            if d.found == "numbers":
                for r, said in d.said.items():
                    if (
                        r not in d.assuming
                        and r.rel_op != "!="
                        and r.free_symbols & target.free_symbols
                        and said in own
                    ):
                        script.suppose(r, self.use(script, said, r, own[said], sequences))
            difference = large - small
            said = f"0 {'<' if strict else '<='} {printer.text(difference)}"
            if difference.is_Rational:
                script.lines.append("ident_lra.")
            else:
                name_ = script.known(said, script.sign(difference, ">" if strict else ">="), "s")
                conv = "conv_lt" if strict else "conv_le"
                script.lines.append(f"apply ({conv} 0 {printer.text(difference)}); [exact {name_} | ident].")
        else:
            uses, squares, constant = self._uses(script, d, own, sequences)
            self._identity(script, small, large, uses, squares, constant)
        return self.lemma(name, goal, (*when, *extra), script)

    def _extreme(self, script: Script, extreme: sp.Expr, value: sp.Expr, when: Sequence[sp.Rel]) -> str:
        """A tactic that shows which argument a maximum or minimum is, under conditions that may write its arguments
        otherwise.
        """
        others = [a for a in extreme.args if a != value]
        if any({*w.args} == {*extreme.args} for w in when) or len(others) != 1 or len(extreme.args) != 2:
            return "extreme_case"
        for power in sorted(extreme.atoms(sp.Pow), key=str):
            if power.base.is_Symbol and not power.exp.is_Integer and not script._plainly(power.base, ">="):
                with suppress(NotExportedError):
                    script.known(f"0 <= {script.text(power.base)}", script.sign(power.base, ">="), "g")
        small, large = map(self.printer.text, (value, *others)[:: 1 if isinstance(extreme, sp.Min) else -1])
        ways = [
            f"solve [refine (conv_le _ _ _ _ W{i} _); ident]"
            if "=" in w.rel_op
            else f"solve [left; refine (conv_lt _ _ _ _ W{i} _); ident]"
            for i, w in enumerate(when)
        ]
        order = f"assert ({small} <= {large}) by (first [{' | '.join(ways)}])"
        return f"first [extreme_case | {order}; extreme_case]" if ways else "extreme_case"

    def _name_roots(self, d: Decision) -> None:
        """What stands for the root of a symbol or a sum in a case: a part of it was solved for a power of that."""
        named: dict[sp.Symbol, sp.Expr] = {}
        known = {*self.printer.aliases, *d.terms}
        for old, new in d.case.instead:
            for root in {s for s in new.free_symbols if isinstance(s, Private)} - known - named.keys():
                q = sp.degree(new, root)
                under = sp.expand((old - new.coeff(root, 0)) / new.coeff(root, q)).xreplace(named)
                named[root] = sp.Pow(under, sp.Rational(1, q))
        self.printer.terms.update(named)

    def _contradiction(self, script: Script) -> str:
        found = script.sign_false()
        return f"exfalso; {found}."

    def _atom_fact(self, script: Script, r: sp.Rel) -> None:
        """What is known of a maximum, a minimum or a number, which is between fractions for which that is shown."""
        number, tactic = self.printer.terms.get(r.lhs), "extreme_or_number"
        if number == sp.pi:
            r = r.func(r.lhs, 3 if r.rel_op == ">=" else 4, evaluate=False)
        elif isinstance(number, sp.log) and number.args[0].is_Integer:
            p, q = log_between(int(number.args[0]), r.rel_op)
            r = r.func(r.lhs, sp.Rational(p, q), evaluate=False)
            tactic = f"ln_number ln_{'from' if r.rel_op == '>=' else 'upto'} {p}%nat {q}%nat {number.args[0]}"
        elif isinstance(number, sp.Pow) and number.base.is_Rational and number.exp.is_Rational and number.exp.p == 1:
            q, bound, root = number.exp.q, self.printer.text(r.rhs), self.printer.text(number.exp)
            power = f"(rpow ({bound} ^ {q}) {root})"
            same = f"rewrite rpow_pow by lra; nums; replace ({q} * {root}) with 1 by field; rewrite rpow_one; lra"
            ways = f"right; {same}", "apply rpow_le; lra", f"right; {same}"
            first, second = ways[:2] if r.rel_op == ">=" else ways[1:]
            tactic = f"apply (Rle_trans _ {power}); [{first} | {second}]"
        script.suppose(r, script.known(self.printer.relation(r), tactic, "m"))

    def _uses(
        self, script: Script, d: Decision, own: Mapping[sp.Rel, Provider], sequences: bool
    ) -> tuple[list[tuple[sp.Rel, sp.Expr, str]], Sequence[tuple[sp.Expr, gram.Vector]], sp.Expr]:
        """Premises with multipliers and names, squares, and what is left."""
        if isinstance(d.found, tuple):
            premises = [*d.step.premises]
            pairs, reads = [], {said: r for r, said in d.said.items()}
            rest = gap(d.target)
            for said, m in zip(premises, d.found, strict=False):
                if m != 0:
                    r = reads[said]
                    pairs.append((r, m))
                    rest -= m * gap(r)
            extra = d.found[len(premises) :]
            if any(m != 0 for m in extra):
                raise NotExportedError("a multiplier of a known relation in a proof by terms")
            constant = sp.expand(rest)
            squares: Sequence[tuple[sp.Expr, gram.Vector]] = ()
        else:
            found = d.found
            assert isinstance(found, gram.Proved)
            if found.minors:
                raise NotExportedError("a form with principal minors")
            pairs, squares, constant = list(found.multipliers), found.squares, found.constant
        uses = []
        for r, m in pairs:
            uses.append((r, m, self._premise(script, r, d, own, sequences)))
        return uses, squares, constant

    def _vanishing(
        self, script: Script, r: sp.Rel, d: Decision, own: Mapping[sp.Rel, Provider], sequences: bool
    ) -> str | None:
        """The name of ``<u, w> = 0`` where one of the two vectors is shown to vanish."""
        text = self.printer.text
        for (u, w), g, side in product(_as_products(r.lhs), d.given, (1, -1)):
            below = sp.expand(-side * gap(g))  # at most zero
            (name_, c), *_ = u.terms
            size = normal(sp.diff(below, inner(name_, name_)) / c**2)
            if size == 0 or (side == -1 and g.rel_op != "=="):
                continue
            wanted = sp.Le(gram.norm2(u), 0, evaluate=False)
            with suppress(ValueError, NotExportedError):
                script.sign(size, ">")
                rest = sp.Ge(below, size * gram.norm2(u), evaluate=False)
                found = gram.decide(rest, assuming=list(d.assuming))
                if not isinstance(found, gram.Proved) or found.minors or found.multipliers:
                    continue
                squares = tuple((p / size, v) for p, v in found.squares)
                one, other = ("; ".join(f"({text(c)}, {self.printer.vector(n)})" for n, c in v.terms) for v in (u, w))
                uses = [(g, side / size, self._premise(script, g, d, own, sequences))]
                apart = script.copy()
                self._identity(apart, wanted.lhs, sp.S.Zero, uses, squares, sp.S.Zero)
                *script.lines, last = apart.lines
                script._known, script._waiting, script._count = apart._known, apart._waiting, apart._count
                name = script.known(f"{text(wanted.lhs)} <= 0", last.rstrip("."), "v")
                said = f"refine (conv_eq _ _ _ _ (vanish E [{one}] [{other}] _) _); "
                vector = self.printer.vector
                turned = [f"?(dot_sym E {vector(a)} {vector(b)})" for a, _ in u.terms for b, _ in w.terms if a > b]
                turn = f"cbn [pair row]; rewrite {', '.join(turned)}; ident" if turned else "ident"
                said += f"[apply (conv_le {text(wanted.lhs)} 0); [exact {name} | ident] | {turn}]"
                return script.known(self.printer.relation(r), said, "v")
        return None

    def _premise(self, script: Script, r: sp.Rel, d: Decision, own: Mapping[sp.Rel, Provider], sequences: bool) -> str:
        said = d.said.get(r)
        if said is None:
            for read, told in d.said.items():
                if read.args == r.args and read.rel_op in ("<", ">") and read.rel_op + "=" == r.rel_op:
                    name = self.use(script, told, read, own[told], sequences)
                    return script.known(self.printer.relation(r), f"left; exact {name}", "p")
            given = [(rule, self.context.rules.facts(rule)) for rule in d.step.rules]
            present = {n for g in (d.target, *d.given) for s in g.free_symbols for n in factors(s) or ()}
            present = present.union(*(found.names for _, found in given if isinstance(found, Alike)))
            for rule, found in given:
                if isinstance(found, Alike):
                    for raw in found.among(present):
                        if self.setting.apart(raw) == r:
                            about = "_".join(map(str, rule.about))
                            hyp = self.quantified(f"{rule.name}_{about}", raw)
                            return self.use(script, raw, r, f"apply {hyp}; side", sequences)
            if r.rel_op == "==" and (found_ := self._vanishing(script, r, d, own, sequences)):
                return found_
            if r.rhs == 0 and r.rel_op == ">=":
                return script.known(self.printer.relation(r), script.sign(r.lhs, ">="), "p")
            raise NotExportedError(f"{r} has no source")
        if said not in own:
            raise NotExportedError(f"{said} has no provider")
        return self.use(script, said, r, own[said], sequences)


def apart(case: Case) -> list[sp.Rel]:
    """What tells a case from others: all that it supposes, but the signs of what was solved for a power of a root."""
    return [r for r in case.supposed if _sign_of_root(case, r) is None]


def _sign_of_root(case: Case, relation: sp.Rel) -> sp.Expr | None:
    """The symbol, or its negative, of which a case says that it has the sign that is declared."""
    solved = (side for old, new in case.instead if old.is_Symbol and new.is_Add for side in (old, -old))
    found = (e for e in solved if relation.rhs == 0 and sp.expand(case.expression(e) - relation.lhs) == 0)
    return next(found, None)


def _as_products(form: sp.Expr) -> Iterator[tuple[gram.Vector, gram.Vector]]:
    """The two vectors of which a form is the inner product, in either order."""
    pairs = {s: pair for s in form.free_symbols if (pair := factors(s))}
    names = sorted({n for pair in pairs.values() for n in pair})
    at = {n: i for i, n in enumerate(names)}
    rows = [[sp.S.Zero] * len(names) for _ in names]
    for s, (u, v) in pairs.items():
        c = normal(sp.diff(form, s))
        if u == v:
            rows[at[u]][at[u]] = c
        else:
            rows[at[u]][at[v]] = rows[at[v]][at[u]] = c / 2
    found = factors_of(Form(sp.S.Zero, (), tuple(map(tuple, rows))))
    if found is None:
        i = next((i for i, row in enumerate(rows) if row[i] != 0), None)
        if i is None:
            return
        one = tuple(normal(x / rows[i][i]) for x in rows[i])
        found = one, tuple(normal(rows[i][i] * x) for x in one)
    one_, other = (combination(dict(zip(names, row, strict=True))) for row in found)
    yield one_, other
    yield other, one_


def _assumed(symbol: sp.Symbol, name: str) -> list[str]:
    """What the declaration of a symbol says."""
    out = []
    if symbol.is_integer:
        if symbol.is_positive:
            out += [f"isnat {name}", f"1 <= {name}"]
        elif symbol.is_nonnegative:
            out += [f"isnat {name}", f"0 <= {name}"]
        else:
            out += [f"isint {name}"]
    elif text := sign_text(symbol, name):
        out.append(text)
    return out


def sign_text(symbol: sp.Expr, text: str) -> str:
    """What the declaration of a symbol or a sequence says of its sign, by its text; nothing where it has none."""
    if symbol.is_positive:
        return f"1 <= {text}" if symbol.is_integer else f"0 < {text}"
    if symbol.is_nonnegative:
        return f"0 <= {text}"
    if symbol.is_negative:
        return f"{text} < 0"
    if symbol.is_nonpositive:
        return f"{text} <= 0"
    if symbol.is_nonzero and symbol.is_real and not symbol.is_number:
        return f"{text} <> 0"
    return ""
