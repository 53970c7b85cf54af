"""The steps of a checked proof as lemmas, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.assumptions import EveryRound
from rateproof.theory.claim import conjuncts
from rateproof.theory.gram.facts import Given
from rateproof.theory.probability import Chance, Pr, bounded, chance
from rateproof.theory.proof import steps as st
from rateproof.theory.proof.cites import Cited, of_a_run
from rateproof.theory.proof.kernel import Decision, Kernel, Shown, Taken, _halves
from rateproof.verify.secondkernel import exponents, sums, terms, totals
from rateproof.verify.secondkernel.claims import Provider, Theory, sign_text
from rateproof.verify.secondkernel.decisions import apart, decide
from rateproof.verify.secondkernel.lemmas import Script, powers
from rateproof.verify.secondkernel.printer import OUTCOME, NotExportedError, renamed


@dataclass
class Steps:
    """The lemmas of one kernel: of the claim, or of a lemma's proof taken again.

    Attributes:
        theory: the file.
        kernel: what it took.
        shown: name of a step -> its lemma, and what it shows.
    """

    theory: Theory
    kernel: Kernel
    shown: dict[str, tuple[str, Shown]] = field(default_factory=dict)
    _again: dict[int, Steps] = field(default_factory=dict)

    def all(self) -> None:
        """Write the lemmas of all steps."""
        for taken in self.kernel.taken:
            providers = self.grounds(taken)
            try:
                lemma = self.step(taken.step, taken, providers)
            except NotExportedError as refusal:
                raise NotExportedError(f"{type(taken.step).__name__.lower()} {taken.step.name}: {refusal}") from refusal
            self.shown[taken.step.name] = lemma, taken.shown
            if not taken.shown.when:
                self.theory.sure[taken.shown.relation] = f"apply {lemma}; side"

    # --- what a step rests on

    def grounds(self, taken: Taken) -> dict[sp.Rel, Provider]:
        """What each premise of a step is proved by."""
        out: dict[sp.Rel, Provider] = {}
        step = taken.step
        for ground in step.grounds:
            out.update(
                self.ground(ground, getattr(step, "when", ()) if isinstance(step, st.Have) else taken.shown.when)
            )
        return out

    def ground(self, ground: st.Ground, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        """What each relation that a ground gives is proved by."""
        theory, context = self.theory, self.theory.context
        if isinstance(ground, st.Cite):
            return self.cite(ground, when)
        if isinstance(ground, st.Supposed):
            return self.suppose(ground, when)
        if ground == st.SCHEDULE:
            return self._schedule()
        if isinstance(ground, st.Rule):
            found = context.rules.facts(ground)
            if not isinstance(found, Given):
                return {}
            about = "_".join(map(str, ground.about))
            asked = [c for c in found.conditions if c not in when and (theory.free(c) or not context.by_signs(c))]
            ways = "".join(f" | solve [{self._condition(c, when)}]" for c in asked)
            close = f"first [side{ways}]" if asked else "side"
            return {
                r: f"apply {theory.quantified(f'{ground.name}_{about}', r, found.conditions)}; {close}"
                for r in found.relations
            }
        lemma, shown = self.shown[ground] if ground in self.shown else self._given(ground)
        said, every = (theory.free(*r) for r in ((shown.relation,), (shown.relation, *shown.when)))
        whole = f"({lemma}{''.join(f' {theory.printer.text(s)}' for s in every)})" if said != every else lemma
        return {shown.relation: f"apply {whole}; side"}

    def _given(self, name: str) -> tuple[str, Shown]:
        """What a lemma taken again supposes of our numbers."""
        shown = self.kernel.shown[name]
        r = shown.relation
        if r in self.theory.supposed:
            raise NotExportedError("a supposed relation under a name")
        found = self.theory.need(r, {**self.theory.sure, **self.theory.supposed})
        self.shown[name] = found, shown
        self.theory.sure[r] = f"apply {found}; side"
        return found, shown

    def suppose(self, ground: st.Supposed, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        """What a hypothesis of the claim gives."""
        theory = self.theory
        out: dict[sp.Rel, Provider] = {}
        found = [h for h in theory.claim.hypotheses if h.key == ground.key]
        for h in found:
            for r in conjuncts(h.relation):
                if r in theory.supposed:
                    out[r] = theory.supposed[r]
            for every in (a for a in h.says if isinstance(a, EveryRound)):
                general, within = theory.context.at_round(every, every.over, when)
                value = sp.sympify(ground.at.get(every.over, every.over))
                here, _ = theory.context.at_round(every, value, when)
                name = theory.quantified(f"every_{ground.key}", general, within)
                tied = {m: sp.Eq(m, t, evaluate=False) for s in theory.setting.family for m, t in s.ties.items()}
                ties, back = (
                    [theory.quantified(f"tie_{m.name}", tied[m]) for m in tied if m in among]
                    for among in (here.free_symbols - general.free_symbols, general.free_symbols)
                )
                as_terms = f"rewrite {', '.join(f'?{tie}' for tie in ties)} by side; " if ties else ""
                applied = f"apply ({name}{self._at(general, within, {every.over: value})}); side"
                if back:  # the same terms, by the names that the hypothesis has for them
                    as_named = f"rewrite {', '.join(f'<- ?{tie}' for tie in back)} by side"
                    applied = f"first [{applied} | {as_named}; {applied}]"
                out[here] = as_terms + applied
        return out

    def _at(self, relation: sp.Rel, within: Sequence[sp.Rel], at: Mapping[sp.Symbol, sp.Expr]) -> str:
        free = self.theory.free(relation, *within)
        return "".join(f" {self.theory.printer.text(at.get(s, s))}" for s in free)

    def cite(self, ground: st.Cite, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        """What another claim gives."""
        context = self.theory.context
        other = self.kernel._proved(ground.claim)
        if ground.placed and not of_a_run(other):
            for asked, stated, inner in self.kernel.again:
                if asked == ground:
                    return self.again(inner, stated)
            raise NotExportedError(f"{other.id} was not taken again")
        here = Cited(other, ground, context)
        found = self.kernel.gives(here, when)
        supposed = [r for h in other.hypotheses for r in conjuncts(h.relation)]
        wants = [here.written(r) for r in (*supposed, *here.theirs.ruled)]
        if ground.placed:
            general, needs, at = found, wants, {}
        else:
            there = Cited(other, replace(ground, at={}), context)
            general = [there.written(r) for r in conjuncts(other.statement)]
            needs = [there.written(r) for r in (*supposed, *there.theirs.ruled)]
            at = dict(ground.at)
        out: dict[sp.Rel, Provider] = {}
        for g, r in zip(general, found, strict=True):
            out[r] = self.cited(other.id, g, needs, r, wants, at, tuple(when))
        return out

    def cited(
        self,
        cid: str,
        general: sp.Rel,
        needs: Sequence[sp.Rel],
        found: sp.Rel,
        wants: Sequence[sp.Rel],
        at: Mapping[sp.Symbol, sp.Expr],
        when: Sequence[sp.Rel] = (),
    ) -> Provider:
        """A cited claim, for all values of what may be chosen, and what proves it at ours.

        Args:
            cid: its id.
            general: what it states, of its own constants.
            needs: the relations that it supposes of these.
            found: what it states of ours.
            wants: what it supposes of ours.
            at: constant -> what it is here.
            when: the conditions of the step, under which ours may hold alone.
        """
        theory, printer = self.theory, self.theory.printer
        theory.cites[cid] = None
        kept = [(n, w) for n, w in zip(needs, wants, strict=True) if n.free_symbols]
        chosen = sorted(at, key=str)
        free = [s for s in theory.free(general, *(n for n, _ in kept)) if s != OUTCOME or s in theory.free(general)]
        symbols = [*chosen, *(s for s in free if s not in chosen)]
        binder, _ = theory.binder(symbols)
        said = "".join(f"{theory.at_all(n, symbols)} -> " for n, _ in kept)
        hypothesis = f"{binder}{said}{printer.relation(general)}"
        name = theory.hypothesis(f"cited_{cid.replace('.', '_')}", hypothesis)
        args = "".join(f" {printer.text(at.get(s, s))}" for s in symbols)
        proofs = [proof for s in symbols for proof in self._ranges(s, at.get(s, s), when)]
        put = {printer.text(s): printer.text(at[s]) for s in chosen}
        for n, w in kept:
            proof, there, here = self._here_or_under(w, when), printer.relation(n), printer.relation(w)
            for old, new in put.items():
                there = renamed(there, old, new)
            if there != here:  # with the values put in, it is written otherwise
                sums = any(p.base.is_Add and not p.exp.is_Integer for p in w.atoms(sp.Pow))
                same = "first [ident | alike; ident]" if sums else "ident"
                proof = f"first [{proof} | refine (conv_{_kind(w)} _ _ _ _ (_ : {here}) _); [{proof} | {same}]]"
            proofs.append(f"intros; {proof}")
        applied = f"({name}{args}{' _' * len(proofs)})"
        signs = "".join(map(self._sign_at, sorted({*at.values()}, key=str)))
        if (bound := chance(found)) and bound.tail is None:
            ends = [*proofs, "alike; ident", "same_event"]
            return f"{signs}refine (pr_moved _ _ _ _ _ {applied} _ _); [{' | '.join(ends)}]"
        law = f"conv_{_kind(found)} _ _ _ _ {applied} _"
        return f"{signs}refine ({law}); [{' | '.join([*proofs, 'ident'])}]"

    def _sign_at(self, value: sp.Expr) -> str:
        """A tactic that asserts the sign of a term of a sequence, where it has one."""
        if not isinstance(value, AppliedUndef):
            return ""
        name = self.theory.sign_of((value.func, len(value.args)))
        said = sign_text(value, self.theory.printer.text(value))
        return f"try assert ({said}) by (apply {name}; side); " if name else ""

    def _ranges(self, symbol: sp.Symbol, value: sp.Expr, when: Sequence[sp.Rel]) -> list[str]:
        """Tactics that prove of a value what is declared of a symbol."""
        key = (value.func, len(value.args))
        if isinstance(value, AppliedUndef):
            self.theory.sign_of(key)
        one = f"first [range | apply {self.theory.whole[key]}]" if key in self.theory.whole else "range"
        proofs = [one for _ in self.theory.assumed(symbol)]
        least = sp.Ge(value, 1 if symbol.is_integer and symbol.is_positive else 0, evaluate=False)
        sign = sp.Gt(value, 0, evaluate=False) if symbol.is_positive and not symbol.is_integer else least
        if proofs and symbol.is_nonnegative and value.free_symbols & self.theory.defined.keys():
            proofs[-1] = f"first [range | {self._condition(sign, when)}]"
        return proofs

    def _here_or_under(self, relation: sp.Rel, when: Sequence[sp.Rel]) -> str:
        """A tactic that proves a relation between parameters, by conditions only where it needs them."""
        known = self.theory.sure
        with suppress(NotExportedError):
            return self.needed(relation, known)
        known = {**self._schedule(), **known}
        if not when:
            return self.needed(relation, known)
        with suppress(NotExportedError):
            return self.needed(relation, known)
        return self.needed(relation, {**known, **self._under(when)}, when)

    def _schedule(self) -> dict[sp.Rel, Provider]:
        """What the rules of a schedule say."""
        ruled = self.theory.context.ruled
        return {r: f"apply {self.theory.quantified('schedule', r)}; side" for r in ruled}

    def _under(self, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        """What is shown under conditions, and what the claim supposes at every round."""
        out = {s.relation: f"apply {lemma}; side" for lemma, s in self.shown.values() if {*s.when} <= {*when}}
        for h in self.theory.claim.hypotheses:
            if any(isinstance(a, EveryRound) for a in h.says):
                with suppress(ValueError):
                    out.update(self.suppose(st.Supposed(h.key), when))
        return out

    def again(self, inner: Kernel, stated: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        """What a lemma gives whose proof is taken again."""
        key = id(inner)
        if key not in self._again:
            steps = Steps(self.theory, inner)
            self._again[key] = steps
            steps.all()
        lemmas = {s.relation: lemma for lemma, s in self._again[key].shown.values() if not s.when}
        return {r: f"apply {lemmas[r]}; side" for r in stated}

    # --- steps

    @singledispatchmethod
    def step(self, step: st.Step, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        """The lemma of a step."""
        raise NotExportedError(f"a step {type(step).__name__} is not exported")

    @step.register
    def _have(self, step: st.Have, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        return self.decided(taken.shown, taken.decisions, providers)

    def decided(self, shown: Shown, decisions: Sequence[Decision], providers: Mapping[sp.Rel, Provider]) -> str:
        """The lemma of a relation that follows by some decisions."""
        goal = shown.relation
        left = [*decisions]
        lemma = self._parts(goal, shown.when, left, providers)
        return lemma

    def _parts(
        self,
        goal: sp.Rel,
        when: Sequence[sp.Rel],
        left: list[Decision],
        providers: Mapping[sp.Rel, Provider],
        assumed: Sequence[sp.Rel] = (),
    ) -> str:
        theory = self.theory
        if wanted := chance(goal):
            return self._by_chance(goal, wanted, when, left, providers, assumed)
        parts = _halves(goal)
        if not parts:
            if not left or left[0].step.goal != goal:
                raise NotExportedError("a step about probabilities")
            cases = [left.pop(0)]
            while left and left[0].step.goal == goal and left[0].case != cases[0].case:
                cases.append(left.pop(0))
            lemmas = [decide(theory, "st", case, providers, assumed) for case in cases]
            if len(lemmas) == 1 and not apart(cases[0].case):
                return lemmas[0]
            return self._in_cases(goal, (*when, *assumed), cases, lemmas)
        lemmas = [self._parts(part, when, left, providers, assumed) for part in parts]
        if goal.rel_op == "==":
            tactic = f"apply both; [apply {lemmas[0]}; side | apply {lemmas[1]}; side]."
        else:
            each = " | ".join(f"solve [apply {x}; side]" for x in lemmas)
            tactic = f"repeat apply rmax_{_kind(goal)}; first [{each}]."
        return self.law(goal, (*when, *assumed), lambda script: tactic)

    def _by_chance(
        self,
        goal: sp.Rel,
        wanted: Chance,
        when: Sequence[sp.Rel],
        left: list[Decision],
        providers: Mapping[sp.Rel, Provider],
        assumed: Sequence[sp.Rel],
    ) -> str:
        """A bound on a probability: where all holds that it rests on, so does the event."""
        printer = self.theory.printer
        told = {r: said for r in providers if (said := chance(r))}
        sure = {r: p for r, p in providers.items() if r not in told}
        tails = [said for said in told.values() if said.tail is not None]
        smaller = wanted.tail is not None and len(told) == len(tails) == 1
        if smaller:
            goals, known = (tails[0].tail,), [wanted.tail]
        else:
            goals = wanted.event if wanted.tail is None else (wanted.tail.negated,)
            known = [r for said in told.values() for r in said.event]
        fails = sp.Add(*(said.fails for said in told.values()))
        enough = self._parts(sp.Le(fails, wanted.fails, evaluate=False), when, left, sure, assumed)
        lemmas = [self._parts(g, when, left, sure, (*assumed, *known)) for g in goals]
        each = " | ".join(f"solve [apply {x}; side]" for x in lemmas)
        every = f"intros {printer.text(OUTCOME)} H; cbv beta in *; apart; repeat split; first [{each}]"

        def tactic(script: Script) -> str:
            script.known(f"{printer.text(fails)} <= {printer.text(wanted.fails)}", f"apply {enough}; side", "f")
            if smaller:
                ((r, said),) = told.items()
                name = script.known(printer.relation(r), providers[r], "p")
                return f"apply (pr_smaller _ _ _ _ _ {name}); [{every} | lra]."
            whole = "pr_any _"
            for i, (r, said) in enumerate(told.items()):
                name, text = script.known(printer.relation(r), providers[r], "p"), printer.text(said.fails)
                how = f"apply (pr_opposite _ _ _ _ {name}); opposite" if said.tail is not None else "lra"
                one = script.known(f"1 - {text} <= pr {printer.event(said.event)}", how, "o")
                whole = one if i == 0 else f"(pr_and _ _ _ _ _ {whole} {one})"
            if wanted.tail is None:
                return f"apply (pr_implies _ _ _ _ _ {whole}); [{every} | lra]."
            return f"apply (pr_tail _ _ _ _ _ {whole}); [{every.replace('repeat split', _NOT)} | lra]."

        return self.law(goal, (*when, *assumed), tactic)

    def _in_cases(self, goal: sp.Rel, when: Sequence[sp.Rel], cases: Sequence[Decision], lemmas: Sequence[str]) -> str:
        """A relation that is shown in each case of minima and maxima."""
        printer = self.theory.printer
        orders = dict.fromkeys(r for case in cases for r in apart(case.case))
        split = "".join(f"destruct (Rle_or_lt {printer.text(r.lhs)} {printer.text(r.rhs)}); " for r in orders)

        def tactic(script: Script) -> str:
            for r in orders:
                self.theory.borrow(script, r)
            each = []
            for case, lemma in zip(cases, lemmas, strict=True):
                at = "".join(f" {printer.text(s)}" for s in self.theory.free(goal, *when, *apart(case.case)))
                each.append(f"solve [apply ({lemma}{at}); side]")
            return f"{split}first [{' | '.join(each)}]."

        return self.law(goal, when, tactic)

    # --- steps that are one law each

    def law(self, relation: sp.Rel, when: Sequence[sp.Rel], tactic: Callable[[Script], str], said: str = "") -> str:
        """A lemma that a law of the library gives; ``said``: what it shows, about what the relation is about."""
        theory = self.theory
        theory.printer.seen.clear()
        script = theory.script(theory.free(relation, *when))
        last = tactic(script)
        script.lines.append(last)
        return theory.lemma("st", relation, when, script, said)

    def own(self, providers: Mapping[sp.Rel, Provider]) -> dict[sp.Rel, Provider]:
        """What is known of numbers: hypotheses, earlier steps, and what a step rests on."""
        return {**self.theory.sure, **self.theory.supposed, **providers}

    def needed(self, relation: sp.Rel, providers: Mapping[sp.Rel, Provider], when: Sequence[sp.Rel] = ()) -> str:
        """A tactic that proves a relation between parameters under conditions that are known in the lemma."""
        if relation in self.theory.supposed:
            return self.theory.supposed[relation]
        if relation in when:
            return "side"
        try:
            lemma = self.theory.need(relation, {**self.theory.supposed, **providers}, tuple(when))
        except NotExportedError:
            lemma = self.theory.need(relation, self.own(providers), tuple(when))
        return f"apply {lemma}; side"

    @step.register
    def _special(self, step: st.Special, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        theory, printer = self.theory, self.theory.printer
        lemma, found = self.shown[step.of]
        new, left = taken.shown.relation, taken.shown.when
        free = theory.free(found.relation, *found.when)
        args = "".join(f" {printer.text(step.at.get(s, s))}" for s in free)
        conditions = [c for s in free for c in theory.assumed(s)]
        whens = [
            w.func(*(side.subs(step.at, simultaneous=True) for side in w.args), evaluate=False) for w in found.when
        ]
        proofs = ["range"] * len(conditions)
        proofs += ["side" if w in left else f"first [side | {self._condition(w, left)}]" for w in whens]
        kind = _kind(new)

        def tactic(script: Script) -> str:
            script.nonzero(new.args)
            holes = " _" * len(proofs)
            inner = "".join(f"{p} | " for p in proofs)
            divided = any(powers(t.args) for side in found.relation.args for t in side.atoms(AppliedUndef))
            same = f"first [args; ident | {_ALIKE_TERMS}; args; ident]" if divided else "args; ident"
            return f"refine (conv_{kind} _ _ _ _ ({lemma}{args}{holes}) _); [{inner}{same}]."

        return self.law(new, left, tactic)

    def _condition(self, relation: sp.Rel, when: Sequence[sp.Rel]) -> str:
        try:
            return self.needed(relation, {}, when)
        except NotExportedError:
            return "fail"

    @step.register
    def _logarithm(self, step: st.Logarithm, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        relation, z = taken.shown.relation, step.z
        positive = sp.Gt(z, 0, evaluate=False)

        def tactic(script: Script) -> str:
            text = printer.text(z)
            name = script.known(f"0 < {text}", self._positive(script, positive, providers), "p")
            self._logarithms(script, relation)
            law = f"ln_above {text}" if step.below else f"ln_below {text}"
            return f"refine (conv_le _ _ _ _ ({law} {name}) _); logs."

        return self.law(relation, (), tactic)

    def _positive(self, script: Script, relation: sp.Rel, providers: Mapping[sp.Rel, Provider]) -> str:
        try:
            return script.sign(relation.lhs, ">")
        except NotExportedError:
            return self.needed(relation, providers)

    def _logarithms(self, script: Script, relation: sp.Rel) -> None:
        """Assert that what a relation takes logarithms of is positive."""
        for log in sorted(relation.atoms(sp.log), key=str):
            positive = sp.Gt(log.args[0], 0, evaluate=False)
            script.known(f"0 < {script.text(log.args[0])}", self._positive(script, positive, {}), "p")

    @step.register
    def _exponential(self, step: st.Exponential, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        lemma, found = self.shown[step.of]
        small, large = found.relation.args if found.relation.rel_op == "<=" else found.relation.args[::-1]
        new = taken.shown.relation

        def tactic(script: Script) -> str:
            self._logarithms(script, found.relation)
            equations = []
            for old, made in ((small, new.lhs), (large, new.rhs)):
                a, b = f"(exp {printer.text(old)})", printer.text(made)
                equations.append("eq_refl" if a == b else script.known(f"{b} = {a}", "pw", "e"))
            return f"refine (equal_le _ _ _ _ {' '.join(equations)} _); apply exp_le; apply {lemma}; side."

        return self.law(new, taken.shown.when, tactic)

    @step.register
    def _rewritten(self, step: st.Rewritten, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        lemma, found = self.shown[step.of]
        new = taken.shown.relation

        def tactic(script: Script) -> str:
            names = [
                script.known(printer.relation(self.shown[n][1].relation), f"apply {self.shown[n][0]}; side", "e")
                for n in step.by
            ]
            for n, name in zip(step.by, names, strict=True):
                self._factors(script, self.shown[n][1].relation, name)
            script.nonzero([*new.args, *found.relation.args])
            turned = new.rel_op in (">=", ">")
            ends = map(printer.text, found.relation.args[::-1] if turned else found.relation.args)
            equal = {self.shown[n][1].relation.lhs: self.shown[n][1].relation.rhs for n in step.by}
            first = []
            for power in sorted(found.relation.atoms(sp.Pow), key=str):  # an exponent that has a value
                made = power.xreplace(equal)
                if power.exp.free_symbols & equal.keys() and power.base == made.base:
                    old, value = printer.text(power), printer.text(made)
                    first.append(script.known(f"{old} = {value}", f"{_rewrite(names)}; pw", "e"))
            rewrite = f"{_rewrite([*first, *names])}; "
            every = [*new.args, *(side for n in step.by for side in self.shown[n][1].relation.args)]
            written = sorted({p for side in every for p in side.atoms(sp.Pow) if p.base.is_Symbol}, key=str)
            as_terms = terms.rewriting(self.theory, script, new, written, set(), {})
            more = f"{rewrite}{_rewrite(as_terms)} by side; " if as_terms else rewrite
            same = f"first [{rewrite}ident | {more}ident | {more}alike; ident]"
            return f"apply (conv_{_kind(new)} {' '.join(ends)}); [apply {lemma}; side | {same}]."

        return self.law(new, taken.shown.when, tactic)

    def _factors(self, script: Script, equation: sp.Rel, name: str) -> None:
        """Assert that no factor of what something else than zero is equal to is zero."""
        text = script.text
        with suppress(NotExportedError):
            whole = script.known(f"{text(equation.lhs)} <> 0", script.sign(equation.lhs, "!="), "n")
            for factor in sp.Mul.make_args(equation.rhs):
                base = factor.as_base_exp()[0]
                if base.free_symbols:
                    script.known(f"{text(base)} <> 0", f"intro Z; apply {whole}; rewrite {name}, Z; ring", "n")

    @step.register
    def _limit(self, step: st.Limit, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        lemma, found = self.shown[step.of]
        new = taken.shown.relation
        small, large = found.relation.args if found.relation.rel_op == "<=" else found.relation.args[::-1]
        x = printer.text(step.over)

        def tactic(script: Script) -> str:
            script.nonzero(new.args)
            f, g = (f"(fun {x} : R => {printer.text(sp.expand(side))})" for side in (small, large))
            everywhere = (
                f"intros {x} P; cbn beta; refine (conv_le _ _ _ _ ({self._applied(lemma, found, {})}) _); ident"
            )
            first = f"apply (limit_le {f} {g}); [reg | reg | {everywhere}]"
            return f"assert (L : {f} 0 <= {g} 0); [{first} | cbn beta in L; refine (conv_le _ _ _ _ L _); ident]."

        return self.law(new, taken.shown.when, tactic)

    def _applied(self, lemma: str, found: Shown, at: Mapping[sp.Symbol, sp.Expr]) -> str:
        """A lemma at values, all that it asks for found at once."""
        theory = self.theory
        free = theory.free(found.relation, *found.when)
        args = "".join(f" {theory.printer.text(at.get(s, s))}" for s in free)
        sides = sum(len(theory.assumed(s)) for s in free) + len(found.when)
        return f"{lemma}{args}{' ltac:(side)' * sides}"

    @step.register
    def _raised(self, step: st.Raised, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        lemma, found = self.shown[step.of]
        below, new, when = bounded(found.relation), bounded(taken.shown.relation), taken.shown.when
        in_event = below != found.relation
        small, large = below.args if below.rel_op == "<=" else below.args[::-1]
        positive = self._parts(sp.Ge(small, 0, evaluate=False), when, [*taken.decisions], providers)

        def tactic(script: Script) -> str:
            s, t, p = map(printer.text, (small, large, step.to))
            first = script.known(f"0 <= {s}", f"apply {positive}; side", "p")
            between = script.known(f"{s} <= {t}", "side" if in_event else f"apply {lemma}; side", "p")
            last = script.known(f"0 <= {t}", f"apply (Rle_trans _ _ _ {first} {between})", "p")
            for side, name in ((small, first), (large, last)):
                self._factor(script, side, name)
            script.nonzero([small, large])
            power = script.known(f"0 <= {p}", self._nonneg(script, step.to, providers), "p")
            equations = []
            for old, made in ((s, new.lhs), (t, new.rhs)):
                raw, text = f"(rpow {old} {p})", printer.text(made)
                if raw != text:
                    zero = terms.may_vanish(script, small if old == s else large)
                    equations.append(script.known(f"{text} = {raw}", f"{zero}powers", "e"))
                else:
                    equations.append("eq_refl")
            law = f"rpow_le {s} {t} {p} {first} {between} {power}"
            return f"exact (equal_le _ _ _ _ {' '.join(equations)} ({law}))."

        if not in_event:
            return self.law(new, when, tactic)
        inner = self.law(new, (*when, below), tactic)
        each = f"intros {printer.text(OUTCOME)} H; cbv beta in *; apply {inner}; side"
        last = f"eapply Rle_trans; [apply {lemma}; side | apply pr_more; {each}]."
        return self.law(taken.shown.relation, when, lambda script: last)

    def _factor(self, script: Script, product: sp.Expr, name: str) -> None:
        """Assert that the one factor of a nonnegative product that has no sign of its own is nonnegative."""
        text, factors = script.text, sp.Mul.make_args(product)
        others = [f for f in factors if not script._plainly(f, ">")]
        if len(others) == 1 < len(factors):
            rest = text(sp.Mul(*(f for f in factors if f not in others)))
            said = f"replace ({rest} * {text(others[0])}) with {text(product)} by ring; exact {name}"
            script.known(f"0 <= {text(others[0])}", f"apply (by_factor_nn {rest}); [pos | {said}]", "g")

    def _nonneg(self, script: Script, expr: sp.Expr, providers: Mapping[sp.Rel, Provider]) -> str:
        try:
            return script.sign(expr, ">=")
        except NotExportedError:
            return self.needed(sp.Ge(expr, 0, evaluate=False), providers)

    @step.register
    def _split(self, step: st.Split, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        new, left, p = taken.shown.relation, [*taken.decisions], step.to
        positive = [self._parts(sp.Ge(t, 0, evaluate=False), (), left, providers) for t in step.terms]
        ends = [self.needed(r, providers) for r in (sp.Ge(p, 0, evaluate=False), sp.Le(p, 1, evaluate=False))]

        def tactic(script: Script) -> str:
            first, *others = texts = [printer.text(t) for t in step.terms]
            for text, lemma in zip(texts, positive, strict=True):
                script.known(f"0 <= {text}", f"apply {lemma}; side", "p")
            script.known(f"0 <= {printer.text(p)} <= 1", f"split; [{ends[0]} | {ends[1]}]", "p")
            law = f"split_total {printer.text(p)} ltac:(assumption) [{'; '.join(others)}] {first} ltac:(each_in)"
            script.lines.append(f"destruct ({law}) as [N L]; cbn [total map] in N, L.")
            script.nonzero([*step.terms, *new.args])
            whole = f"({' + ('.join(texts)}{')' * len(texts)}"
            for base, raw in ((sp.Add(*step.terms), whole), *zip(step.terms, texts, strict=True)):
                old, made = f"(rpow {raw} {printer.text(p)})", printer.text(sp.Pow(base, p))
                if old != made:
                    zero = terms.may_vanish(script, base)
                    script.known(f"{made} = {old}", f"{zero}powers", "e")
            return "lra."

        return self.law(new, (), tactic)

    @step.register
    def _cases(self, step: st.Cases, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        on = step.on
        (yes, _), (no, other) = self.shown[step.yes], self.shown[step.no]

        def tactic(script: Script) -> str:
            op = on.rel_op
            small, large = on.args if op in ("<=", "<") else on.args[::-1]
            s, t = printer.text(small), printer.text(large)
            if op in ("<=", ">="):
                whole = any(w not in (on.negated,) and w not in taken.shown.when for w in other.when)
                first = f"destruct (Rle_or_lt {s} {t}) as [C|C]"
                second = "apply nat_lt in C; [|nat|nat]; " if whole else ""
                return f"{first}; [apply {yes}; side | {second}apply {no}; side]."
            if op in ("<", ">"):
                return f"destruct (Rlt_or_le {s} {t}) as [C|C]; [apply {yes}; side | apply {no}; side]."
            if op == "==":
                return f"destruct (Req_dec {s} {t}) as [C|C]; [apply {yes}; side | apply {no}; side]."
            return f"destruct (Req_dec {s} {t}) as [C|C]; [apply {no}; side | apply {yes}; side]."

        return self.law(taken.shown.relation, taken.shown.when, tactic)

    @step.register
    def _induct(self, step: st.Induct, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        over, goal = step.over, step.goal
        if goal.has(Pr):
            raise NotExportedError("a step about probabilities")
        replaced = self.kernel._replaced
        first, following = (
            goal.func(*replaced(goal.args, {over: at}), evaluate=False) for at in (step.start, over + 1)
        )
        left = [*taken.decisions]
        when = [sp.Ge(over, step.start, evaluate=False)]
        onwards = when if step.last is None else [*when, sp.Le(over + 1, step.last, evaluate=False)]
        base = self._parts(first, (), left, providers)
        then = self._parts(following, onwards, left, providers, (goal,))
        kind = _kind(goal)
        return self._induction(step, taken, (first, base), (following, then), kind)

    def _induction(
        self, step: st.Induct, taken: Taken, base: tuple[sp.Rel, str], then: tuple[sp.Rel, str], kind: str
    ) -> str:
        theory, printer = self.theory, self.theory.printer
        over, goal, when = step.over, step.goal, taken.shown.when
        binder, names = theory.binder(theory.free(goal, *when))
        x, start = printer.text(over), printer.text(step.start)
        last = "" if step.last is None else f"{x} <= {printer.text(step.last)} -> "
        said = printer.relation(goal)
        called = [f"W{i}" for i, _ in enumerate(when)]
        supposed = "".join(f"{printer.relation(w)} -> " for w in when)
        more = "intros Z; " if step.last is not None else ""
        earlier = f"IH{' Z' if step.last is not None else ''}"
        at = f"assert (B : {printer.relation(base[0])}) by (apply {base[1]}; side)"
        onwards = f"assert (B : {renamed(printer.relation(then[0]), x, 'y')})"
        script = theory.script(theory.free(goal, *when))
        script.nonzero([*goal.args, *base[0].args, *then[0].args])
        proof = [
            f"intros {' '.join((*names, *called))}.",
            *script.lines,
            f"assert (Sn : isnat ({x} - {start})) by natfrom.",
            *(["revert W1."] if step.last is not None else []),
            f"revert Sn; apply (induct (fun {x} : R => {last}{said}) {start}).",
            f"- {more}{at}; refine (conv_{kind} _ _ _ _ B _); args; ident.",
            f"- intros y Hk Hy {earlier}; assert (B0 : isnat y) by natfrom; "
            f"{onwards} by (apply {then[1]}; first [side | natfrom | apply IH; lra]); "
            f"refine (conv_{kind} _ _ _ _ B _); args; ident.",
        ]
        name = printer.name("lemma", ("induct", len(theory.lemmas)), "st")
        theory.lemmas.append(f"Lemma {name} : {binder}{supposed}{said}.\nProof.\n" + "\n".join(proof) + "\nQed.\n")
        return name

    @step.register
    def _summed(self, step: st.Summed, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        theory, printer = self.theory, self.theory.printer
        lemma, found = self.shown[step.of]
        over, relation = step.over, taken.shown.relation
        small, large = found.relation.args if found.relation.rel_op == "<=" else found.relation.args[::-1]
        span = (sp.Ge(over, step.start, evaluate=False), sp.Le(over, step.last, evaluate=False))
        weight = None
        if step.weight != 1:
            weight = self._parts(sp.Ge(step.weight, 0, evaluate=False), span, [*taken.decisions], providers)
        whens = [f"first [side | {self._condition(w, span)}]" for w in found.when if w not in span]

        def tactic(script: Script) -> str:
            x, start, last = printer.text(over), printer.text(step.start), printer.text(step.last)
            f, g = (f"(fun {x} : R => {printer.text(step.weight)} * {printer.text(side)})" for side in (small, large))
            enough = sp.Ge(step.last, step.start - 1, evaluate=False)
            if enough.lhs != enough.rhs:
                script.known(printer.relation(enough), self.needed(enough, {}), "c")
            count = script.known(f"isnat ({last} - {start} + 1)", "natcount", "c")
            ends = [
                sums.equation(theory, script, step.weight * side, over, step.start, step.last, made, raw)
                for side, made, raw in ((small, relation.lhs, f), (large, relation.rhs, g))
            ]
            every = theory.free(sp.Ge(step.weight, 0, evaluate=False), *span)
            w = f"apply ({weight}{''.join(f' {printer.text(s)}' for s in every)}); side" if weight else "lra"
            other = "".join(f" | {t}" for t in whens)
            inner = (
                f"intros {x} Hn Hs; destruct Hs as [H0 H1]; assert (Hi : isnat {x}) by natfrom; cbn beta; "
                f"apply Rmult_le_compat_l; [{w} | apply {lemma}; first [side | natfrom{other}]]"
            )
            script.lines.append(
                f"assert (T : rsum {f} {start} {last} <= rsum {g} {start} {last}) "
                f"by (apply rsum_le; [exact {count} | {inner}])."
            )
            return f"exact (equal_le _ _ _ _ (eq_sym {ends[0]}) (eq_sym {ends[1]}) T)."

        return self.law(relation, (), tactic)

    @step.register
    def _total(self, step: st.Total, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        printer = self.theory.printer
        names = totals.parts(step.name)
        if any(name not in self.shown for name in names):
            raise NotExportedError("a bound on a sum for all horizons that is shown by no induction")
        (begins, _), (follows, next_), (suffices, enough) = (self.shown[name] for name in names)
        way = next(w for w in totals.inductions(step, self.kernel.shown) if w.shows == enough.relation)
        goal, n, when, first = step.goal, step.horizon, taken.shown.when, printer.text(step.first)
        ((_, start, last),) = way.total.limits
        x, term = printer.text(n), printer.text(way.total)
        ends = (term, printer.text(way.between))
        upper = goal.lhs == way.total if goal.rel_op == "<=" else goal.rhs == way.total
        said = " <= ".join(ends if upper else ends[::-1])
        count = "rsum_one" if last.subs(n, step.first) == start else "rsum_two"

        def tactic(script: Script) -> str:
            relation = renamed(printer.relation(next_.relation), x, "y")
            nonzero = "".join(
                f"try assert ({renamed(printer.text(base), x, 'y')} <> 0) by (apply Rgt_not_eq; red; pos); "
                for base in powers([*next_.relation.args, way.between])
            )
            script.known(f"isnat ({x} - {first})", "natfrom", "c")
            script.lines += [
                f"assert (K : forall y, isnat (y - {first}) -> (fun {x} : R => {said}) y).",
                f"{{ apply (induct (fun {x} : R => {said}) {first}).",
                f"- rewrite {count} by ring. refine (conv_le _ _ _ _ {begins} _); alike; args; ident.",
                "- intros y Hn Hy IH. assert (B0 : isnat y) by natfrom. assert (1 <= y) by lra. cbv beta in *.",
                f"{nonzero}assert (N : {relation}) by (apply {follows}; side).",
                "grow y. refine (conv_le _ _ _ _ (Rplus_le_compat _ _ _ _ IH N) _); alike; args; ident. }",
            ]
            last_ = script.known(printer.relation(enough.relation), f"apply {suffices}; side", "p")
            every = script.known(said, "apply K; assumption", "p")
            return f"exact (Rle_trans _ _ _ {every} {last_})." if upper else f"exact (Rle_trans _ _ _ {last_} {every})."

        return self.law(goal, when, tactic)

    @step.register
    def _exponents(self, step: st.Exponents, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
        found = self.theory.counts[taken.shown.relation] = exponents.count(self, step, taken, providers)
        return found.lemma


#: Terms of a sequence whose places are equal as fractions.
_ALIKE_TERMS = (
    "repeat match goal with |- context [?f ?x] => is_var f; match type of f with R -> R => idtac end; "
    "match goal with |- context [f ?y] => lazymatch x with y => fail | _ => replace y with x by (field; nz) end end end"
)
#: Why an event does not happen.
_NOT = "first [apply Rlt_not_le | apply Rle_not_lt]"


def _rewrite(names: Sequence[str]) -> str:
    """The tactic that puts in what equations say, where they occur."""
    return f"rewrite {', '.join(f'?{n}' for n in names)}"


def _kind(relation: sp.Rel) -> str:
    """The ending of the laws of the library about relations of this kind."""
    return {"==": "eq", "<": "lt", ">": "lt"}.get(relation.rel_op, "le")
