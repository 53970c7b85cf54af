"""The steps of a checked proof as lemmas, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod

import sympy as sp

from rateproof.theory.gram.facts import Given
from rateproof.theory.proof import steps as st
from rateproof.theory.proof.cites import Cited, of_a_run
from rateproof.theory.proof.kernel import Decision, Kernel, Shown, Taken, _halves
from rateproof.verify.secondkernel.claims import Provider, Theory
from rateproof.verify.secondkernel.printer import NotExportedError
from rateproof.theory.claim import conjuncts
from dataclasses import replace


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
            name = f"st_{len(self.theory.printer.names)}"
            try:
                lemma = self.step(taken.step, taken, providers)
            except NotExportedError as refusal:
                raise NotExportedError(f"{type(taken.step).__name__.lower()} {taken.step.name}: {refusal}") from refusal
            self.shown[taken.step.name] = lemma, taken.shown

    # --- what a step rests on

    def grounds(self, taken: Taken) -> dict[sp.Rel, Provider]:
        out: dict[sp.Rel, Provider] = {}
        step = taken.step
        for ground in step.grounds:
            out.update(self.ground(ground, getattr(step, "when", ()) if isinstance(step, st.Have) else taken.shown.when))
        return out

    def ground(self, ground: st.Ground, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        theory, context = self.theory, self.theory.context
        if isinstance(ground, st.Cite):
            return self.cite(ground, when)
        if isinstance(ground, st.Supposed):
            return self.suppose(ground, when)
        if ground == st.SCHEDULE:
            return {r: f"apply {theory.quantified('schedule', r)}; side" for r in context.ruled}
        if isinstance(ground, st.Rule):
            found = context.rules.facts(ground)
            if not isinstance(found, Given):
                return {}
            about = "_".join(map(str, ground.about))
            return {
                r: f"apply {theory.quantified(f'{ground.name}_{about}', r, found.conditions)}; side"
                for r in found.relations
            }
        lemma, shown = self.shown[ground] if ground in self.shown else self._given(ground)
        return {shown.relation: f"apply {lemma}; side"}

    def _given(self, name: str) -> tuple[str, Shown]:
        """What a lemma taken again supposes of our numbers."""
        shown = self.kernel.shown[name]
        r = shown.relation
        if r in self.theory.supposed:
            raise NotExportedError("a supposed relation under a name")
        found = self.theory.need(r, {**self._sure(), **self.theory.supposed})
        self.shown[name] = found, shown
        return found, shown

    def _sure(self) -> dict[sp.Rel, Provider]:
        return {s.relation: f"apply {lemma}; side" for lemma, s in self.shown.values() if not s.when}

    def suppose(self, ground: st.Supposed, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        theory = self.theory
        out: dict[sp.Rel, Provider] = {}
        found = [h for h in theory.claim.hypotheses if h.key == ground.key]
        for h in found:
            for r in conjuncts(h.relation):
                if r in theory.supposed:
                    out[r] = theory.supposed[r]
            for every in (a for a in h.says if type(a).__name__ == "EveryRound"):
                general, within = theory.context.at_round(every, every.over, when)
                value = sp.sympify(ground.at.get(every.over, every.over))
                here, _ = theory.context.at_round(every, value, when)
                name = theory.quantified(f"every_{ground.key}", general, within)
                out[here] = f"apply ({name}{self._at(general, within, {every.over: value})}); side"
        return out

    def _at(self, relation: sp.Rel, within: Sequence[sp.Rel], at: Mapping[sp.Symbol, sp.Expr]) -> str:
        free = self.theory.free(relation, *within)
        return "".join(f" {self.theory.printer.text(at.get(s, s))}" for s in free)

    def cite(self, ground: st.Cite, when: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        theory, context = self.theory, self.theory.context
        other = self.kernel._proved(ground.claim)
        theory.cites[other.id] = None
        if ground.placed and not of_a_run(other):
            for asked, stated, inner in self.kernel.again:
                if asked == ground:
                    return self.again(inner, stated)
            raise NotExportedError(f"{other.id} was not taken again")
        known = [s.relation for s in self.kernel.shown.values() if {*s.when} <= {*when}]
        here = Cited(other, ground, context)
        found = here.relations(known)
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
            out[r] = self.cited(other.id, g, needs, r, wants, at)
        return out

    def cited(self, cid, general, needs, found, wants, at) -> Provider:
        """A cited claim, for all values of what may be chosen, and what proves it at ours."""
        theory, printer = self.theory, self.theory.printer
        kept = [(n, w) for n, w in zip(needs, wants, strict=True) if n.free_symbols]
        chosen = [s for s in sorted(at, key=str)]
        free = [s for s in theory.free(general, *(n for n, _ in kept)) if s not in chosen]
        generic = theory.generic
        binder, _ = theory.binder([*chosen, *free])
        said = "".join(f"{printer.relation(n)} -> " for n, _ in kept)
        short = cid.replace(".", "_")
        name = theory.hypothesis(f"cited_{short}", f"{binder}{said}{printer.relation(general)}")
        args = "".join(f" {printer.text(at.get(s, s))}" for s in (*chosen, *free))
        own = {**self._sure(), **theory.supposed}
        proofs = []
        for n, w in kept:
            if w in theory.supposed:
                proofs.append(theory.supposed[w].replace("; side", ""))
                continue
            proofs.append(f"apply {theory.need(w, own)}; side")
        tactics = " | ".join([*(["side"] * sum(len(theory.assumed(s)) for s in (*chosen, *free))), *proofs])
        general_at = [printer.text(side) for side in general.args]
        return f"refine (cite_{'eq' if found.rel_op == '==' else 'lt' if found.rel_op in ('<', '>') else 'le'} _ _ _ _ ({name}{args} {'_ ' * (tactics.count('|') + 1 if tactics else 0)}) _); [{tactics + ' | ' if tactics else ''}ident]"

    def again(self, inner: Kernel, stated: Sequence[sp.Rel]) -> dict[sp.Rel, Provider]:
        key = id(inner)
        if key not in self._again:
            steps = Steps(self.theory, inner)
            steps.shown.update({})
            steps.outer = self
            self._again[key] = steps
            steps.all()
        lemmas = {s.relation: lemma for lemma, s in self._again[key].shown.values() if not s.when}
        return {r: f"apply {lemmas[r]}; side" for r in stated}

    # --- steps

    @singledispatchmethod
    def step(self, step: st.Step, taken: Taken, providers: Mapping[sp.Rel, Provider]) -> str:
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
        self, goal: sp.Rel, when: Sequence[sp.Rel], left: list[Decision], providers: Mapping[sp.Rel, Provider]
    ) -> str:
        theory = self.theory
        parts = _halves(goal)
        if not parts:
            if not left or left[0].step.goal != goal:
                raise NotExportedError("a step about probabilities")
            first = left.pop(0)
            if left and left[0].step.goal == goal and left[0].case != first.case:
                raise NotExportedError("cases of minima, maxima or roots")
            return theory.decide("st", first, providers)
        lemmas = [self._parts(part, when, left, providers) for part in parts]
        binder, names = theory.binder(theory.free(goal, *when))
        called = [f"W{i}" for i, _ in enumerate(when)]
        supposed = "".join(f"{theory.printer.relation(w)} -> " for w in when)
        name = theory.printer.name("lemma", ("both", len(theory.lemmas)), "st")
        if goal.rel_op == "==":
            tactic = f"apply both; [apply {lemmas[0]}; side | apply {lemmas[1]}; side]."
        else:
            tactic = f"repeat apply rmax_{'lt' if goal.rel_op in ('<', '>') else 'le'}; first [{' | '.join(f'solve [apply {x}; side]' for x in lemmas)}]."
        intros = f"intros {' '.join((*names, *called))}.\n" if names or called else ""
        theory.lemmas.append(
            f"Lemma {name} : {binder}{supposed}{theory.printer.relation(goal)}.\nProof.\n{intros}{tactic}\nQed.\n"
        )
        return name
