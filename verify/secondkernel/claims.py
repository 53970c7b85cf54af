"""A checked proof as a theory of Rocq: variables, definitions, hypotheses, a lemma for each step, the statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from time import process_time

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory import gram
from rateproof.theory.algebra import each_side
from rateproof.theory.assumptions import EveryRound
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram.forms import gap
from rateproof.theory.gram.vectors import factors
from rateproof.theory.probability import Pr, beside
from rateproof.theory.proof import steps as st
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.context import Context, is_rational
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.kernel import Kernel
from rateproof.theory.proof.meaning import by_sign
from rateproof.theory.proof.setting import Setting
from rateproof.verify.secondkernel.bridges import bridge, converted
from rateproof.verify.secondkernel.exponents import Count
from rateproof.verify.secondkernel.lemmas import Script, powers
from rateproof.verify.secondkernel.printer import OUTCOME, NotExportedError, Printer
from rateproof.verify.secondkernel.sums import END
from rateproof.verify.secondkernel.terms import atom_fact

#: How a premise is proved where a lemma needs it: a tactic that closes the goal.
Provider = str

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
            script.lines.append(f"{converted(self.printer, alike, relation, f'exact {name}', f'{unfold}ident')}.")
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
            atom_fact(self.printer, script, r)
        if self.printer.relation(goal) != self.printer.relation(relation):
            same = bridge(self, script, relation, goal, False)
            script.lines.append(f"{converted(self.printer, goal, relation, '', same)}.".replace("[ | ", "[| "))
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

    # --- scripts, and premises in them

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
        same = bridge(self, script, said, read, sequences)
        return script.known(wanted, converted(self.printer, said, read, f"exact {name}", same), "q")

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
