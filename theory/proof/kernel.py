"""The kernel: whether the steps of a proof show the statement of its claim.

A step may use earlier steps, the relations of the claim's hypotheses, its definitions, rules applied to its typed
assumptions, and other claims that are proved. The last steps are compared with the statement itself. So a copy of a
claim with another constant, direction, definition or hypothesis is proved only where the steps show that copy.

What a step shows has a meaning wherever its conditions and the hypotheses hold: nothing divides by zero, and all roots
and logarithms are real numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, singledispatchmethod

import sympy as sp

from rateproof.theory import gram, sums, symbols
from rateproof.theory.algebra import each_side, in_factors, printed, private
from rateproof.theory.assumptions import EveryRound
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram.domain import BY_TERMS, Domain
from rateproof.theory.gram.facts import Given
from rateproof.theory.gram.forms import read
from rateproof.theory.gram.vectors import factors
from rateproof.theory.probability import Chance, Pr, beside, bounded, chance, with_bounded
from rateproof.theory.proof import hints as notes
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.by_cases import Case, is_hard, split
from rateproof.theory.proof.cites import Cited, need_texts, of_a_run
from rateproof.theory.proof.context import Context, arithmetic, is_rational, no_vectors, says_positive
from rateproof.theory.proof.exponents import exponents
from rateproof.theory.proof.hints import SECONDS, Hints
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.meaning import by_sign, meaning
from rateproof.theory.proof.replay import Replay
from rateproof.theory.proof.rules import Alike, Refused
from rateproof.theory.proof.setting import Setting
from rateproof.theory.proof.steps import (
    SCHEDULE,
    SEQUENCES,
    Cases,
    Cite,
    Exponential,
    Exponents,
    Ground,
    Have,
    Induct,
    InWords,
    Limit,
    Logarithm,
    Multipliers,
    Proof,
    Raised,
    Rewritten,
    Rule,
    Special,
    Split,
    Step,
    Summed,
    Supposed,
    Total,
)
from rateproof.theory.proof.telescope import sum_of
from rateproof.theory.shorthand import ge, gt, le


@dataclass(frozen=True)
class Shown:
    """A relation that holds for all values of its indices that satisfy ``when``."""

    relation: sp.Rel
    when: tuple[sp.Rel, ...] = ()


@dataclass(frozen=True)
class Certificate:
    """``large side - small side = sum of multiplier * premise + sum of pivot * ||vector||^2 + rest``, exactly.

    Attributes:
        uses: (multiplier, premise); a premise stands for its large minus its small side. An earlier step, a claim that
            is cited and a fact in words stand there by their names.
        squares: (pivot, vector), the pivots nonnegative.
        rest: what is left, nonnegative: a constant, and where the squares are not all, a form.
        signs: why multipliers and pivots are nonnegative, but for those that are by the signs of their terms.
    """

    uses: tuple[tuple[sp.Expr, str | sp.Rel], ...]
    squares: tuple[tuple[sp.Expr, gram.Vector], ...] = ()
    rest: str = ""
    signs: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: gram.Proved, names: Mapping[sp.Rel, str]) -> Certificate:
        """What an inequality was proved by; premises that have a name are called by it."""
        minors = f"a form with the principal minors {', '.join(map(str, found.minors))}" if found.minors else ""
        rest = " + ".join(filter(None, (minors, "" if found.constant == 0 else str(found.constant))))
        signs = tuple(s for s in found.signs if not s.endswith(BY_TERMS))
        return cls(tuple((m, names.get(r, r)) for r, m in found.multipliers), found.squares, rest, signs)


#: What shows a step: certificates, and in words what else was done.
How = tuple[Certificate | str, ...]


@dataclass(frozen=True)
class Line:
    """One step of a checked proof, for a reader; ``section`` where one begins with it."""

    name: str
    relation: sp.Rel
    by: tuple[str, ...]
    how: How
    section: str = ""


@dataclass(frozen=True)
class Checked:
    """A proof that went through.

    Attributes:
        lines: its steps in order, those of lemmas of its own before the steps that use them.
        words: the facts that stand in words.
        cites: the claims that it rests on.
        hints: the multipliers that were searched, or were kept of an earlier search.
    """

    lines: tuple[Line, ...]
    words: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    hints: Hints = field(default_factory=dict)


class Stopped(Refused):
    """A proof that does not go through.

    Attributes:
        step: where it stops; None where all steps are shown, but not the statement.
        why: what is missing.
        lines: the steps that were shown until then.
    """

    def __init__(self, step: Step | None, why: str, lines: Sequence[Line]) -> None:
        super().__init__(why if step is None else f"{step.name}: {why}")
        self.step, self.why, self.lines = step, why, tuple(lines)


def check(
    claim: Claim,
    proof: Proof,
    cited: Callable[[str], Claim | None],
    hints: Hints | None = None,
    seconds: float = SECONDS,
) -> Checked:
    """Check a proof.

    Args:
        claim: the claim; what the proof shows is its statement under its hypotheses and definitions.
        proof: the steps.
        cited: a claim that is proved, by id; None where it is not.
        hints: multipliers to try, each checked exactly, before any are searched.
        seconds: of processor time, for a step whose multipliers are searched; 0: they are not.

    Raises:
        Stopped: a step is not shown; the message names it.
    """
    kernel = Kernel(claim, cited, hints or {}, seconds)
    if not kernel.stated:
        raise Stopped(None, "the claim has no statement", ())
    try:
        for setting in kernel.context.setting.family:
            setting.need_parts()
    except ValueError as refusal:
        raise Stopped(None, str(refusal), ()) from refusal
    for step in proof.steps:
        try:
            kernel.take(step, proof.sections.get(step.name, ""))
        except ValueError as refusal:
            raise Stopped(step, str(refusal), kernel.lines) from refusal
    if open_ := [str(r) for r in kernel.stated if Shown(r) not in kernel.shown.values()]:
        raise Stopped(None, f"no step shows {'; '.join(open_)}", kernel.lines)
    return Checked(tuple(kernel.lines), tuple(kernel.words), tuple(dict.fromkeys(kernel.cites)), kernel.found)


#: Lemmas without an id in the catalog that were checked; each is kept, so that its identity stays its own.
_LEMMAS: dict[tuple[int, Callable[[str], Claim | None]], tuple[Claim, Checked]] = {}


def _lemma(claim: Claim, cited: Callable[[str], Claim | None], hints: Hints) -> Checked:
    """A lemma that stands beside a proof, checked once."""
    key = (id(claim), cited)
    if key not in _LEMMAS:
        if claim.proof is None:
            raise Refused(f"{claim.id} has no proof")
        _LEMMAS[key] = (claim, check(claim, claim.proof, cited, hints))
    return _LEMMAS[key][1]


#: What a step shows, and how.
Result = tuple[Shown, How | str]


@dataclass(frozen=True)
class Question:
    """What a step asks of :func:`rateproof.theory.gram.decide`, and how many seconds may be spent on it."""

    goal: sp.Rel
    given: tuple[sp.Rel, ...]
    assuming: tuple[sp.Rel, ...]
    values: tuple[sp.Symbol, ...]
    seconds: float = SECONDS

    def decide(self, multipliers: Sequence[sp.Expr] | None = None) -> gram.Proved | gram.Refuted | gram.Open:
        """What is true of it, with multipliers or by a search."""
        return gram.decide(
            self.goal,
            given=self.given,
            assuming=self.assuming,
            multipliers=multipliers,
            values=self.values,
            seconds=self.seconds,
        )


@dataclass(frozen=True)
class _Step:
    """One inequality to show.

    Attributes:
        goal: the inequality.
        premises: what it rests on, and what an induction assumes.
        names: what to call each premise.
        single: those of the names that say all that a reader has to know.
        when: the relations under which it is shown.
        rules: what rules it rests on.
        unfolded: the definitions to put in beside those that speak of metrics.
        linear: symbols that are taken as values, beside those that the setting says are measured.
    """

    goal: sp.Rel
    premises: tuple[sp.Rel, ...]
    names: tuple[str, ...]
    single: frozenset[str]
    when: tuple[sp.Rel, ...]
    rules: tuple[Rule, ...]
    unfolded: frozenset[sp.Symbol]
    linear: frozenset[sp.Symbol] = frozenset()


@dataclass(frozen=True)
class Decision:
    """How one inequality of a step was decided, as it was read there: what another checker needs to go over it again.

    Attributes:
        step: the inequality and what it rests on, as the proof says them.
        case: the case of minima and roots.
        target: the inequality as it is read: definitions put in, metrics as forms, other terms as symbols.
        given: the premises that speak of vectors and of what is measured, read so.
        assuming: the relations between parameters.
        said: relation as it is read -> as the proof or the claim says it.
        terms: the terms in whose place symbols stand.
        found: the identity; the multipliers of premises, where all that is left has the sign of its terms; or what kind
            of arithmetic shows it.
    """

    step: _Step
    case: Case
    target: sp.Rel
    given: tuple[sp.Rel, ...]
    assuming: tuple[sp.Rel, ...]
    said: Mapping[sp.Rel, sp.Rel]
    terms: Mapping[sp.Symbol, sp.Expr]
    found: gram.Proved | tuple[sp.Expr, ...] | str


@dataclass(frozen=True)
class Taken:
    """A step that was taken: what it shows, and the decisions on which it rests, in their order."""

    step: Step
    shown: Shown
    decisions: tuple[Decision, ...]


@dataclass
class Kernel:
    """The steps of a proof as far as they were taken."""

    claim: Claim
    cited: Callable[[str], Claim | None]
    hints: Hints = field(default_factory=dict)
    seconds: float = SECONDS
    shown: dict[str, Shown] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    cites: list[str] = field(default_factory=list)
    found: dict[str, Sequence[str]] = field(default_factory=dict)
    again: list[tuple[Cite, list[sp.Rel], Kernel]] = field(default_factory=list)
    decided: list[Decision] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)

    @cached_property
    def context(self) -> Context:
        """What the proof may take for granted."""
        return Context(self.claim, self.claim.setting or Setting())

    @cached_property
    def _of_chance(self) -> bool:
        """Whether the claim speaks of probabilities: of its metrics no setting says which are values."""
        return any(r.has(Pr) for r in self.claim.relations())

    @cached_property
    def stated(self) -> tuple[sp.Rel, ...]:
        """The relations of the statement."""
        return conjuncts(self.claim.statement)

    def take(self, step: Step, section: str = "") -> None:
        """Check one step and keep what it shows.

        Raises:
            Refused: it does not go through.
        """
        if step.name in self.shown:
            raise Refused("an earlier step has this name")
        self.decided.clear()
        shown, how = self._take(step)
        self.shown[step.name] = shown
        self.taken.append(Taken(step, shown, tuple(self.decided)))
        self.lines.append(
            Line(
                step.name,
                shown.relation,
                tuple(map(str, step.grounds)),
                (how,) if isinstance(how, str) else how,
                section,
            )
        )
        if not shown.when:
            self.context.sure.update(self.context.meaning(shown.relation, every_power=True))

    def take_again(self, step: Step) -> None:
        """Check a step of a lemma, with its multipliers or else by a search."""
        try:
            self.take(step)
        except ValueError:
            if not isinstance(step, (Have, Induct)) or step.multipliers is None:
                raise
            self.take(replace(step, multipliers=None))

    def _earlier(self, name: str) -> Shown:
        if name not in self.shown:
            raise Refused(f"no earlier step is named {name!r}")
        return self.shown[name]

    # --- steps

    @singledispatchmethod
    def _take(self, step: Step) -> Result:
        raise Refused(f"{type(step).__name__} is no step")

    @_take.register
    def _have(self, step: Have) -> Result:
        goal = step.goal
        if not isinstance(goal, sp.Rel):
            if goal >= len(self.stated):
                raise Refused(f"the statement has {len(self.stated)} relations")
            goal = self.stated[goal]
        return Shown(goal, tuple(step.when)), self._decide(goal, step.by, step.when, step.multipliers)

    @_take.register
    def _cases(self, step: Cases) -> Result:
        on = step.on
        self.context.need_meaning(on)  # where it has none, neither case is
        other = [on.negated]
        if on.rel_op in ("<=", ">=") and all(map(self.context.is_whole, on.args)):
            other.append(on.reversed.func(on.lhs, on.rhs + (1 if on.rel_op == "<=" else -1), evaluate=False))
        common: list[sp.Rel] = []
        for name, allowed in ((step.yes, [on]), (step.no, other)):
            case = self._earlier(name)
            if case.relation != step.goal:
                raise Refused(f"{name} shows another relation")
            common += [w for w in case.when if w not in allowed]
        return Shown(step.goal, tuple(dict.fromkeys(common))), f"cases {on} or not"

    @_take.register
    def _induct(self, step: Induct) -> Result:
        context, over, goal = self.context, step.over, step.goal
        context.not_own(over, "the index ")
        no_vectors(goal)
        context.need_ends(over, step.start, step.last)
        if goal.has(Pr):
            context.need_number(step.start)
        context.need_all_from(over, step.start)
        context.need_whole(over - step.start)
        context.need_constant(goal, over)
        when = [ge(over, step.start)]
        span, onwards = (
            (when, when) if step.last is None else ([*when, le(over, step.last)], [*when, le(over + 1, step.last)])
        )
        first, following = (
            goal.func(*self._replaced(goal.args, {over: at}), evaluate=False) for at in (step.start, over + 1)
        )
        begun = self._decide(first, step.base)
        then = self._decide(following, step.by, onwards, step.multipliers, [("the induction hypothesis", goal)])
        return Shown(goal, tuple(span)), ("start of the induction", *begun, "its step", *then)

    @_take.register
    def _summed(self, step: Summed) -> Result:
        found, context, over = self._earlier(step.of), self.context, step.over
        context.not_own(over, "the index ")
        context.need_ends(over, step.start, step.last)
        context.need_all_from(over, step.start)
        span, positive = (ge(over, step.start), le(over, step.last)), ge(step.weight, 0)
        for condition in found.when:
            context.need(condition, span)
        if step.weight != 1:
            self._decide(positive, step.by, span)
        context.need(ge(step.last, step.start - 1))
        context.need_whole(step.last - step.start)
        for relation in (found.relation, positive):
            no_vectors(relation)
            context.need_constant(relation, over)
        ends = over, step.start, step.last
        small, large = (context.made(sum_of, step.weight * side, *ends) for side in _sides(found.relation))
        context.need_meaning(le(small, large), (), self._always)
        return Shown(le(small, large)), f"summed over {over}"

    @_take.register
    def _raised(self, step: Raised) -> Result:
        found, context = self._earlier(step.of), self.context
        small, large = _sides(bounded(found.relation))
        self._decide(ge(small, 0), step.by, found.when)
        context.need_meaning(step.to, found.when)
        context.need(ge(step.to, 0), found.when)
        known = self._premises(step.by, found.when)
        raised = le(*(context.made(sp.Pow, side, step.to, known=known) for side in (small, large)))
        context.need_meaning(raised, (*found.when, *known), [ge(small, 0), ge(large, 0)])
        return Shown(with_bounded(found.relation, raised), found.when), f"to the power {step.to}"

    @_take.register
    def _split(self, step: Split) -> Result:
        for term in step.terms:
            self._decide(ge(term, 0), step.by)
        self.context.need(ge(step.to, 0))
        self.context.need(le(step.to, 1))
        if not step.terms:
            raise Refused("a sum of no terms has no power")
        known = self._premises(step.by)
        whole, *powers = (
            self.context.made(sp.Pow, base, step.to, known=known) for base in (sp.Add(*step.terms), *step.terms)
        )
        parts = le(whole, sp.Add(*powers))
        self.context.need_meaning(parts, known)
        return Shown(parts), f"the power {step.to} is subadditive"

    @_take.register
    def _limit(self, step: Limit) -> Result:
        found, context, over = self._earlier(step.of), self.context, step.over
        context.not_own(over)
        if not over.is_positive or over.is_integer is not None:
            raise Refused(f"{over} should stand for any positive number")
        no_vectors(found.relation)
        context.need_constant(found.relation, over)
        sides = _sides(found.relation)
        if any(w.has(over) for w in found.when) or not all(s.is_polynomial(over) for s in sides):
            raise Refused(f"{step.of} is no inequality between polynomials in {over} that holds for all of them")
        return Shown(le(*self._replaced(sides, {over: sp.S.Zero})), found.when), f"limit {over} -> 0"

    @_take.register
    def _special(self, step: Special) -> Result:
        found, context = self._earlier(step.of), self.context
        no_vectors(found.relation)
        relations = (found.relation, *found.when)
        for symbol, value in step.at.items():
            context.not_own(symbol)
            context.need_fit(symbol, value)
            if any(r.has(Pr) for r in relations):
                context.need_number(value)
            for relation in relations:
                context.need_constant(relation, symbol)
        new, *when = (r.func(*self._replaced(r.args, step.at), evaluate=False) for r in relations)
        left = tuple(w for w in when if not context.follows(w, ()))
        return Shown(new, left), f"at {', '.join(f'{k} = {v}' for k, v in step.at.items())}"

    def _replaced(self, sides: Iterable[sp.Expr], values: Mapping[sp.Symbol, sp.Expr]) -> list[sp.Expr]:
        new = {s for value in values.values() for s in value.free_symbols}
        apart = [with_own_indices(side) if new & _bound(side) else side for side in sides]
        return [self.context.made(lambda e, at: e.subs(at, simultaneous=True), side, values) for side in apart]

    @_take.register
    def _rewritten(self, step: Rewritten) -> Result:
        found = self._earlier(step.of)
        equal: dict[sp.Expr, sp.Expr] = {}
        for name in step.by:
            shown = self._earlier(name)
            if shown.relation.rel_op != "==" or shown.when:
                raise Refused(f"{name} is no equation")
            equal[shown.relation.lhs] = shown.relation.rhs
        if inside := _bound(found.relation) & {s for pair in equal.items() for side in pair for s in side.free_symbols}:
            raise Refused(f"{min(inside, key=str)} is the index of a sum")
        new = each_side(found.relation, lambda side: self.context.made(lambda e, at: e.xreplace(at), side, equal))
        return Shown(new, found.when), "equals for equals"

    @_take.register
    def _total(self, step: Total) -> Result:
        context, horizon, first = self.context, step.horizon, int(step.first)
        context.not_own(horizon, "the horizon ")
        no_vectors(step.goal)
        context.need_whole(horizon)
        for parameter, low in step.above.items():
            context.need(gt(parameter, low))
        for parameter, high in step.below.items():
            context.need(sp.Lt(parameter, high, evaluate=False))
        span = ge(horizon, first)
        context.need_meaning(step.goal, [span, gt(sp.log(horizon), 0)] if first > 1 else [span])
        bounded = step.above.keys() | step.below.keys()
        ends = {q: (step.above.get(q, -sp.oo), step.below.get(q, sp.oo)) for q in bounded}
        ranges = {context.bare(q): tuple(map(context.bare, pair)) for q, pair in ends.items()}
        found = sums.decide(each_side(step.goal, context.bare), horizon, first=first, parameters=ranges or None)
        if not isinstance(found, sums.Proved):
            raise Refused(str(getattr(found, "why", None) or getattr(found, "detail", found)))
        return Shown(step.goal, (span,)), f"sum bound: {found.method}"

    @_take.register
    def _exponential(self, step: Exponential) -> Result:
        found = self._earlier(step.of)
        for log in found.relation.atoms(sp.log):
            positive = gt(log.args[0], 0)
            self.context.need(positive, [r for r in self._always if r.free_symbols <= positive.free_symbols])
        return Shown(le(*(self.context.made(_exp, side) for side in _sides(found.relation))), found.when), "exp"

    @_take.register
    def _logarithm(self, step: Logarithm) -> Result:
        context, known = self.context, self._premises(step.by)
        context.need_meaning(step.z, known)
        context.need(gt(step.z, 0), known)
        signed = {unsigned: symbol for symbol, unsigned in context.unsigned.items()}
        log = sp.expand_log(sp.log(context.bare(step.z))).xreplace(signed)
        return Shown(ge(log, 1 - 1 / step.z) if step.below else le(log, step.z - 1)), "tangent of the logarithm"

    @_take.register
    def _exponents(self, step: Exponents) -> Result:
        found, context, setting = self._earlier(step.of), self.context, self.context.setting
        for condition in found.when:
            context.need(condition)
        metric, bound = _sides(found.relation)
        counting = {s for s, c in setting.rounds.items() if sp.expand(c.metric - metric) == 0}
        goal = next((r for r in self.stated if r.lhs in counting and r.rel_op == "<="), None)
        if goal is None:
            raise Refused(f"the statement bounds no number of rounds for {metric}")
        counted, terms = setting.rounds[goal.lhs], sp.expand_mul(goal.rhs / symbols.C_O)
        hidden = {goal.lhs, symbols.C_O}
        if hidden & terms.free_symbols or any(r.free_symbols & hidden for r in context.relations):
            raise Refused(f"{goal.lhs} and {symbols.C_O} should stand in the statement only, {symbols.C_O} as a factor")
        inside = {
            s: self.claim.expand(s).free_symbols for s in bound.free_symbols | terms.free_symbols | {*counted.held}
        }
        if odd := sorted(str(s) for s, within in inside.items() if within & context.schedule.keys()):
            raise Refused(f"{odd[0]} changes with {counted.over}: its rule should stand in its place")
        moving = {counted.over, counted.target, *hidden, *setting.scalars, *setting.metrics}
        moved = {s for s in counted.held if inside[s] & moving or setting.behind(inside[s]) & setting.indices}
        if odd := sorted(map(str, moved)):
            raise Refused(f"{odd[0]} is not held fixed")
        extra = self._premises(step.by)
        context.need_whole(counted.over)
        context.need(ge(counted.over, 1))
        context.need(gt(counted.target, 0))

        def known(relation: sp.Rel) -> bool:
            if relation == ge(counted.over, 2):  # a whole number above one
                relation = gt(sp.log(counted.over), 0)
            return context.holds(relation, extra)

        return Shown(goal), exponents(
            bound, terms, variable=counted.over, target=counted.target, held=frozenset(counted.held), known=known
        )

    @_take.register
    def _in_words(self, step: InWords) -> Result:
        self.context.need_meaning(step.goal)
        self.words.append(step.why)
        return Shown(step.goal), f"in words: {step.why}"

    # --- what a step rests on

    @property
    def _always(self) -> list[sp.Rel]:
        """What earlier steps show for all values of their indices."""
        return [s.relation for s in self.shown.values() if not s.when]

    def _premises(self, by: Sequence[Ground], when: Sequence[sp.Rel] = ()) -> list[sp.Rel]:
        return [r for ground in by for r in self._premise(ground, when)]

    def _premise(self, ground: Ground, when: Sequence[sp.Rel]) -> Sequence[sp.Rel]:
        if isinstance(ground, Cite):
            other = self._proved(ground.claim)
            if any(r.has(Pr) for r in other.relations()):
                if ground.placed:
                    raise Refused(f"{other.id} speaks of probabilities; cite it as it is stated")
                for value in ground.at.values():
                    self.context.need_number(value)
            if ground.placed and not of_a_run(other):
                return self._taken_again(other, ground)
            found = self.gives(Cited(other, ground, self.context), when)
            if other.proof is not None and not when:  # its steps show that it has a meaning where its hypotheses hold
                self.context.sure.update(c for r in found for c in self.context.meaning(r, every_power=True))
            return found
        if isinstance(ground, Supposed):
            return self._supposed(ground, when)
        if ground == SCHEDULE:
            return self.context.ruled
        if isinstance(ground, Rule):
            given = self.context.rules.facts(ground)
            relations, conditions = (given.relations, given.conditions) if isinstance(given, Given) else ((), ())
            if any(r.has(Pr) for r in relations):
                for value in ground.about:
                    if isinstance(value, sp.Expr):
                        self.context.need_number(value)
        else:
            shown = self._earlier(ground)
            relations, conditions = (shown.relation,), shown.when
        for condition in conditions:
            if not self.context.by_signs(condition):
                self.context.need(condition, when)
        return relations

    def gives(self, other: Cited, when: Sequence[sp.Rel]) -> list[sp.Rel]:
        """What a claim gives that is cited as it is stated: its relations, written for ours.

        Args:
            other: the claim, and where it is cited.
            when: conditions under which it is used.

        Raises:
            Refused: it is not of ours, or supposes what is neither supposed nor shown here.
        """
        known = [s.relation for s in self.shown.values() if {*s.when} <= {*when}]
        return other.relations([*known, *self._at_every_round(when)], self._shown_always)

    def _at_every_round(self, when: Sequence[sp.Rel]) -> list[sp.Rel]:
        """What the claim supposes at every round, at the round that is meant, where that is in the range."""
        found = []
        for every in (a for h in self.claim.hypotheses for a in h.says if isinstance(a, EveryRound)):
            with suppress(Refused):
                relation, within = self.context.at_round(every, every.over, when)
                for condition in within:
                    self.context.need(condition, when)
                found.append(relation)
        return found

    def _shown_always(self, every: EveryRound) -> bool:
        """Whether an earlier step shows at every round what a claim that is cited supposes there."""
        return any(s.relation == every.relation and self._holds_always(s, every) for s in self.shown.values())

    def _holds_always(self, found: Shown, every: EveryRound) -> bool:
        context, over = self.context, every.over
        span = [ge(over, every.first)] + ([] if every.last is None else [le(over, every.last)])
        try:
            context.not_own(over, "the index ")
            context.need_ends(over, every.first, every.last)
            context.need_all_from(over, every.first)
            for condition in found.when:
                context.need(condition, span)
            no_vectors(found.relation)
            context.need_constant(found.relation, over)
        except Refused:
            return False
        return True

    def _taken_again(self, lemma: Claim, ground: Cite) -> list[sp.Rel]:
        """The relations of a lemma, its proof gone through with our vectors, from our hypotheses."""
        if found := next((stated for other, stated, _ in self.again if other == ground), None):
            return found
        need_texts(lemma, self.claim)
        inner = Kernel(self.claim, self.cited, self.hints, self.seconds)
        inner.context = self.context  # a minimum of which the lemma alone speaks is not presumed
        replay = Replay(lemma, ground, self.context, self._proved)
        for name, relation in replay.supposed.items():
            self.context.need_alike(relation, self._always)
            if not self.context.is_supposed(relation):
                inner.shown[name] = Shown(relation)
        steps, stated, lost = replay.steps(inner.shown)
        for step in steps:
            try:
                inner.take_again(step)
            except ValueError as refusal:
                why = f"{lemma.id}, its proof taken again with our vectors, stops at {step.name}: {refusal}"
                raise Refused(why) from refusal
        open_ = [r for r in stated if Shown(r) not in inner.shown.values()]
        if open_ and not lost:
            raise Refused(f"{lemma.id}, its proof taken again with our vectors, does not show {open_[0]}")
        stated = [r for r in stated if r not in open_]
        if not stated:
            raise lost[0]
        self.words += [w for w in inner.words if w not in self.words]
        self.cites += inner.cites
        self.found |= inner.found
        self.again.append((ground, stated, inner))
        return stated

    def _supposed(self, ground: Supposed, when: Sequence[sp.Rel]) -> list[sp.Rel]:
        """What a hypothesis says of numbers, at the round at which it says it, or at any where it says it of all."""
        found = [h for h in self.claim.hypotheses if h.key == ground.key]
        if not found:
            keys = ", ".join(h.key for h in self.claim.hypotheses) or "none"
            raise Refused(f"the claim has no hypothesis {ground.key!r}; it has {keys}")
        relations = [r for h in found for r in conjuncts(h.relation)]
        rounds = [a for h in found for a in h.says if isinstance(a, EveryRound)]
        if odd := sorted(map(str, ground.at.keys() - {a.over for a in rounds})):
            raise Refused(f"{ground.key} does not suppose its relation for all {odd[0]}")
        if relations and ground.at:
            raise Refused(f"{ground.key} supposes {relations[0]} at one place only")
        if not relations and not rounds:
            raise Refused(f"{ground.key} is no relation; use a rule about what it says")
        for every in rounds:
            value = sp.sympify(ground.at.get(every.over, every.over))
            if every.relation.has(Pr):
                self.context.need_number(value)
            relation, within = self.context.at_round(every, value, when)
            for condition in within:
                self.context.need(condition, when)
            relations.append(relation)
        return relations

    def _proved(self, claim: str | Claim) -> Claim:
        """A claim that may be cited; what a lemma of our own rests on, our proof rests on."""
        if isinstance(claim, str):
            found = self.cited(claim)
            if found is None:
                raise Refused(f"{claim} is not proved")
            self.cites.append(claim)
            return found
        lemma = _lemma(claim, self.cited, self.hints)
        self.lines += [line for line in lemma.lines if line not in self.lines]
        self.words += lemma.words
        self.cites += lemma.cites
        self.found |= lemma.hints
        return claim

    # --- one decision

    def _decide(
        self,
        goal: sp.Rel,
        by: Sequence[Ground],
        when: Sequence[sp.Rel] = (),
        multipliers: Multipliers | None = None,
        assumed: Sequence[tuple[str, sp.Rel]] = (),
    ) -> How:
        """How a goal follows from grounds, and from what is assumed, by name.

        Raises:
            Refused: it does not.
        """
        if parts := _halves(goal):
            return tuple(how for part in parts for how in self._decide(part, by, when, None, assumed))
        if wanted := chance(goal):
            return self._by_chance(wanted, by, when, multipliers, assumed)
        context = self.context
        used = [(ground, self._premise(ground, when)) for ground in by]
        chosen = [r for _, relations in used for r in relations] + [r for _, r in assumed]
        # what it rests on has a meaning
        meant = [c for r in chosen for c in context.meaning(r, every_power=True)]
        rules = [g for g in by if isinstance(g, Rule) and g != SCHEDULE]
        unfolded = frozenset(symbol for rule in rules if rule.name == "unfold" for symbol in rule.about)
        told = [name for ground, relations in used for name in _names(ground, relations)]
        told += [name for name, _ in assumed]
        single = {str(ground) for ground, relations in used if len(relations) == 1 and not isinstance(ground, Rule)}
        single.update(name for name, _ in assumed)
        step = _Step(goal, tuple(chosen), tuple(told), frozenset(single), tuple(when), tuple(rules), unfolded)

        def need_meaning(full: sp.Rel) -> None:  # sums that are written otherwise may divide by more
            context.need_meaning(full, (*when, *chosen), (*self._always, *meant))

        need_meaning(goal)
        need_meaning(self._summed_up(step))
        if self._of_chance and (linear := _linear([goal, *chosen])):
            values = frozenset(context.folded.get(s, s) for s in linear)
            try:
                return self._in_cases(replace(step, linear=values), multipliers, need_meaning)
            except Refused as refusal:
                with suppress(Refused):
                    return self._in_cases(step, multipliers, need_meaning)
                raise refusal from None
        return self._in_cases(step, multipliers, need_meaning)

    def _in_cases(self, step: _Step, multipliers: Multipliers | None, need_meaning: Callable[[sp.Rel], None]) -> How:
        """How the goal of a step follows, of the cases of minima and roots where it does not otherwise."""
        try:
            if step.linear and any(r.has(sp.Max, sp.Min) for r in (step.goal, *step.premises)):
                raise Refused(f"{step.goal} has cases")  # by which it is linear
            return self._shown(step, Case(), multipliers)
        except Refused as refusal:
            if multipliers is not None or not (apart := self._cases_of(step)):
                raise
            step, cases = apart
            try:
                need_meaning(self._summed_up(step))
            except Refused:
                raise refusal from None
        how: list[Certificate | str] = []
        for case in cases:
            try:
                how += [*([f"where {case.says}"] if case.says else []), *self._shown(step, case)]
            except Refused as refusal:
                where = f"where {case.says}: " if case.says else ""
                raise Refused(f"{where}{refusal}") from refusal
        return tuple(how)

    def _by_chance(
        self,
        wanted: Chance,
        by: Sequence[Ground],
        when: Sequence[sp.Rel],
        multipliers: Multipliers | None,
        assumed: Sequence[tuple[str, sp.Rel]],
    ) -> How:
        """How a bound on a probability follows: what it rests on fails with probabilities that add up to no more.

        Where all of that holds, so does the event. What has no probability holds surely. A tail has at most the
        probability of one that follows from it.
        """
        told, rules = [*assumed], []
        for ground in by:
            relations = self._premise(ground, when)
            if isinstance(ground, Rule) and not any(map(chance, relations)):
                rules.append(ground)
            else:
                told += zip(_names(ground, relations), relations, strict=True)
        open_ = [(name, said) for name, r in told if (said := chance(r))]
        sure = [(name, r) for name, r in told if chance(r) is None]
        for condition in when:
            for side in condition.args:
                self.context.need_number(side)
        tails = [(name, said.tail) for name, said in open_ if said.tail is not None]
        if wanted.tail is not None and len(open_) == len(tails) == 1:
            goals, known = (tails[0][1],), [("the tail", wanted.tail)]
        elif wanted.tail is not None:
            goals, known = (wanted.tail.negated,), [(name, r) for name, said in open_ for r in said.event]
        else:
            goals, known = wanted.event, [(name, r) for name, said in open_ for r in said.event]
        for relation in (*goals, *(r for _, r in known)):
            no_vectors(relation)
            if formed := sorted(map(str, relation.free_symbols & self.context.setting.metrics.keys())):
                raise Refused(f"{formed[0]} has a form in vectors, which is an expectation: no event speaks of it")
        fails = sp.Add(*(said.fails for _, said in open_))
        self._decide(le(fails, wanted.fails), rules, when, None, sure)
        how = [f"what it rests on fails with probability at most {fails}"] if open_ else []
        found = (self._decide(goal, rules, when, multipliers, [*sure, *known]) for goal in goals)
        return (*how, *(part for parts in found for part in parts))

    def _summed_up(self, step: _Step) -> sp.Rel:
        """The goal of a step with its sums and definitions written out, in the symbols of the claim."""
        signed = {plain: symbol for symbol, plain in self.context.folded.items()}
        plain = self.context.plain(step.goal, SEQUENCES in step.rules, step.unfolded)
        return each_side(plain, lambda side: side.xreplace(signed))

    def _placed(self, step: _Step, relation: sp.Rel) -> sp.Rel:
        """A relation with definitions put in, metrics written as forms, and the values of the case put in."""
        case = {r.lhs: r.rhs for r in step.when if r.rel_op == "==" and r.lhs.is_Symbol and r.rhs.is_Rational}
        plain = self.context.plain(relation, SEQUENCES in step.rules, step.unfolded)
        placed = each_side(plain, lambda side: side.xreplace(case))
        if placed.has(sp.zoo, sp.nan):
            raise Refused(f"{relation} has no meaning at {', '.join(f'{s} = {v}' for s, v in case.items())}")
        return placed

    def _cases_of(self, step: _Step) -> tuple[_Step, list[Case]] | None:
        """The step with the definitions that have minima or roots put in, and its cases; None where there are none."""
        context, where = self.context, self.claim.where
        hard = {s for s, e in where.items() if is_hard(self.claim.expand(e))}
        unfolded = replace(step, unfolded=step.unfolded | hard)
        goal, *known = (self._placed(unfolded, r) for r in (step.goal, *step.premises, *step.when, *context.relations))
        measured = {context.unsigned.get(s, s) for s in context.setting.scalars} | step.linear
        fixed = {s for r in (goal, *known) for s in r.free_symbols if factors(s)} | measured
        about = [r for r in known[len(step.premises) :] if r.free_symbols & fixed]
        cases = split(known, (goal, *known[: len(step.premises)], *about), fixed)
        return (unfolded, cases) if cases else None

    def _shown(self, step: _Step, case: Case, multipliers: Multipliers | None = None) -> How:
        """How the goal of a step follows in one case.

        Raises:
            Refused: it does not.
        """
        context, setting, atoms = self.context, self.context.setting, Atoms()

        def read_(relation: sp.Rel) -> sp.Rel:
            return setting.apart(atoms.read(case.read(self._placed(step, relation))))

        def decided(found: gram.Proved | tuple[sp.Expr, ...] | str) -> None:
            told = {read_(r): r for r in (*context.relations, *step.when, *step.premises)}
            read = (target, tuple(given), tuple(assuming), told, atoms.terms())
            self.decided.append(Decision(step, case, *read, found))

        strict = step.goal.rel_op in (">", "<")
        target = read_(step.goal)
        known = [r for r in map(read_, (*step.when, *context.relations)) if r.free_symbols and r.lhs != r.rhs]
        own = [setting.apart(atoms.read(r)) for r in case.supposed]
        known += own
        supposed = atoms.conditions()
        premises = [read_(r) for r in step.premises]
        about = {s for r in (target, *premises) for s in r.free_symbols}
        inner = {s for s in about if factors(s)}
        values = (atoms.values() | {context.unsigned.get(s, s) for s in setting.scalars} | step.linear) & about
        # what speaks of vectors and of what is measured, and what of parameters alone
        named = [(r, name) for r, name in zip(premises, step.names, strict=True) if r.free_symbols & (values | inner)]
        given, names = [r for r, _ in named], [name for _, name in named]
        parameters = [*known, *atoms.conditions(), *(r for r in premises if r not in given)]
        assuming = [
            r for r in parameters if r.free_symbols <= about - values - inner and is_rational(r) and not by_sign(r)
        ]
        present = {n for s in inner for n in factors(s) or ()}
        given += [
            _CLOSED.get(type(r), r.func)(*r.args, evaluate=False)
            for r in known
            if any(factors(s) or s in values for s in r.free_symbols) and r.rel_op != "!="
            if all({*pair} <= present if (pair := factors(s)) else s in about for s in r.free_symbols)
        ]
        given += self._equations(step.rules, present)
        names += [printed(r) for r in given[len(names) :]]
        shown = (r for r in (*premises, *atoms.conditions()) if r in assuming and r not in supposed)
        _need_defined([*given, *shown], assuming)
        if own and _impossible(tuple(assuming)) and not _impossible(tuple(r for r in assuming if r not in own)):
            decided("impossible")
            return ("which is impossible",)
        if strict:
            signs = {r.lhs: private(r.lhs, r.lhs.name, positive=True) for r in assuming if says_positive(r)}
            measured = [r for r in (*premises, *known) if r.free_symbols & values and r.free_symbols <= about - inner]
            facts = (*assuming, *measured)
            if not (arithmetic(target, facts) or by_sign(each_side(target, lambda e: e.xreplace(signs)))):
                raise Refused(f"{step.goal} does not follow from what is known of its numbers")
            decided("numbers")
            return ("a strict inequality between numbers",)
        in_order = sorted(values, key=str)
        if multipliers is not None:
            names = [*names, *(p.why for p in read(target, given, assuming, in_order).premises[len(names) :])]
            chosen = _in_order(multipliers, names)
            multipliers = [read_(sp.Eq(m, 0, evaluate=False)).lhs for m in chosen]
        if not (target.free_symbols & (values | inner) or multipliers):
            why = _nonnegative(target, tuple(assuming))
            if why is not None:
                decided("parameters")
                return (why.rpartition(" 0 ")[2] or "the sides differ by a number",)
        # roots of parameters are told apart by their terms alone
        rooted = [r for r in premises if r not in given and not is_rational(r)]
        if (
            (step.linear or rooted)
            and multipliers is None
            and (terms := _by_terms(target, (*premises, *given[len(named) :])))
        ):
            names = [*step.names, *names[len(named) :]]
            uses = ((m, name) for m, name in zip(terms, names, strict=True) if m != 0)
            decided(tuple(terms))
            return (Certificate(tuple(uses), rest="terms that are nonnegative by their signs"),)
        question = Question(target, tuple(given), tuple(assuming), tuple(in_order), self.seconds)
        if multipliers is not None:
            found = _given(question, tuple(multipliers))
        else:
            kept = self.hints.get(digest := notes.digest(question))
            found, hint = _searched(question, None if kept is None else tuple(kept))
            if hint is not None:
                self.found[digest] = hint
        if isinstance(found, gram.Proved):
            # facts of rules, and of what gives several relations, stand for themselves
            single = {r: name for r, name in zip(premises, step.names, strict=True) if name in step.single}
            decided(found)
            return (Certificate.of(found, single),)
        why = _violation(found, case, atoms.unknowns()) if isinstance(found, gram.Refuted) else str(found)
        about -= inner | values
        if isinstance(found, gram.Refuted) and not any(r.free_symbols & about for r in given):
            why += _needed(target, found)
        raise Refused(why + self._hints(step, read_, about, found) + _listed(names))

    def _hints(
        self,
        step: _Step,
        read_: Callable[[sp.Rel], sp.Rel],
        about: set[sp.Symbol],
        found: gram.Refuted | gram.Open,
    ) -> str:
        """What a step is not told that is about its parameters: earlier steps, and hypotheses with further symbols."""
        left = [
            repr(name)
            for name, s in self.shown.items()
            if not s.when and name not in step.names and _helps(read_(s.relation), about, found)
        ]
        for h in self.claim.hypotheses:
            for r in map(read_, conjuncts(h.relation)):
                apart = r.free_symbols - about
                if apart and len(apart) < len(r.free_symbols) and not any(factors(s) for s in apart):
                    ground = str(Supposed(h.key))
                    left += [f"supposed({h.key!r}): {r}"] if ground not in step.names else []
        return f"; it is not told of {'; '.join(left)}" if left else ""

    def _equations(self, rules: Sequence[Rule], present: set[str]) -> list[sp.Rel]:
        """What rules say of the vectors of a step and of their own."""
        alike = [found for rule in rules if isinstance(found := self.context.rules.facts(rule), Alike)]
        present = present.union(*(equal.names for equal in alike))
        relations = (self.context.setting.apart(r) for equal in alike for r in equal.among(present))
        return [r for r in relations if r.free_symbols]


#: A strict relation, and the one that follows from it for what is measured.
_CLOSED = {sp.StrictLessThan: sp.LessThan, sp.StrictGreaterThan: sp.GreaterThan}


def _names(ground: Ground, relations: Sequence[sp.Rel]) -> list[str]:
    """What to call each relation that a ground gives."""
    return [str(ground)] if len(relations) == 1 else [f"{ground}[{i}]" for i, _ in enumerate(relations, 1)]


def _in_order(multipliers: Multipliers, names: Sequence[str]) -> list[sp.Expr | int]:
    """The multipliers of premises with these names, zero for those that have none.

    Raises:
        Refused: there are more than premises, or one has a name that is no premise's or that of several.
    """
    if not isinstance(multipliers, Mapping):
        if len(multipliers) > len(names):
            raise Refused(f"{len(multipliers)} multipliers for {len(names)} premises, in order: {'; '.join(names)}")
        return [*multipliers, *[sp.S.Zero] * (len(names) - len(multipliers))]
    named = {str(name): m for name, m in multipliers.items()}
    if odd := [name for name in named if names.count(name) != 1]:
        raise Refused(f"{odd[0]!r} is the name of {names.count(odd[0])} premises; they are: {'; '.join(names)}")
    return [named.get(name, sp.S.Zero) for name in names]


def _violation(found: gram.Refuted, case: Case, unknown: Mapping[sp.Symbol, sp.Expr]) -> str:
    """At which numbers all that a step rests on holds, and the step does not."""
    numbers = {**found.parameters, **found.values}
    made = {old: new for old, new in reversed(case.instead) if old.is_Symbol and new.free_symbols <= numbers.keys()}
    roots = {s for new in made.values() for s in new.free_symbols if str(s).endswith(")") and "^(1/" in str(s)}
    shown = {old: new.xreplace(numbers) for old, new in made.items()}
    shown |= {s: x for s, x in numbers.items() if s not in roots}
    said = [f"{unknown.get(s, s)} = {x}" for s, x in sorted(shown.items(), key=lambda pair: str(pair[0]))]
    said += [f"{name} = ({', '.join(map(str, v))})" for name, v in found.vectors.items()]
    at = f"violated by {found.excess} at {', '.join(said)}"
    if terms := sorted(str(unknown[s]) for s in numbers if s in unknown):
        how = "; a bound on a sum is a step total or summed" if any(t.has(sp.Sum) for t in unknown.values()) else ""
        return f"not shown with {', '.join(terms)} as unknown{'s' if terms[1:] else ''}: {at}{how}"
    return f"it does not follow from what it rests on: {at}"


def _needed(target: sp.Rel, found: gram.Refuted) -> str:
    """What the parameters would have to satisfy at the vectors and values at which a step is not shown."""
    small, large = _sides(target)
    apart = gram.Refuted(found.vectors, found.values, {}, found.excess)
    needed = in_factors(apart.evaluate(large - small))
    return f"; there it needs {needed} >= 0" if found.vectors and needed.free_symbols else ""


def _listed(names: Sequence[str]) -> str:
    return f"; its premises in order: {'; '.join(names)}" if names else ""


def _helps(relation: sp.Rel, about: set[sp.Symbol], found: gram.Refuted | gram.Open) -> bool:
    """Whether a relation is about parameters of a step that is not shown, and false where this one fails."""
    if not relation.free_symbols or not relation.free_symbols <= about or by_sign(relation):
        return False
    if isinstance(found, gram.Open):
        return True
    return relation.func(*(side.xreplace(dict(found.parameters)) for side in relation.args)) == sp.false


def _sides(relation: sp.Rel) -> tuple[sp.Expr, sp.Expr]:
    """Small and large side."""
    if relation.rel_op == "<=":
        return relation.args
    if relation.rel_op == ">=":
        return relation.args[::-1]
    raise Refused(f"{relation} is no inequality <= or >=")


def _bound(said: sp.Basic) -> set[sp.Symbol]:
    """The indices of the sums in an expression or a relation."""
    return {s for total in said.atoms(sp.Sum) for s in total.bound_symbols}


def _linear(relations: Sequence[sp.Rel]) -> list[sp.Symbol]:
    """Symbols that are terms of some side, and enter linearly everywhere and apart from each other."""

    def flat(side: sp.Expr) -> sp.Expr:  # a maximum is one of its arguments
        extremes = side.atoms(sp.Max, sp.Min)
        return side.xreplace({e: sp.Add(*(private(e, "of", positive=True) * arg for arg in e.args)) for e in extremes})

    written = [side for r in relations for side in beside(r).args]
    sides = [*map(flat, written)]
    terms = {term.as_coeff_Mul()[1] for side in written for term in sp.Add.make_args(side)}
    found: list[sp.Symbol] = []
    for symbol in sorted((t for t in terms if t.is_Symbol), key=str):
        if not any(sp.diff(side, symbol).free_symbols & {symbol, *found} for side in sides):
            found.append(symbol)
    return found


def _by_terms(goal: sp.Rel, premises: Sequence[sp.Rel]) -> list[sp.Expr] | None:
    """Rational multipliers with which a goal follows from premises, their terms taken as any numbers of their signs."""

    def named(side: sp.Expr) -> sp.Expr:
        parts = (term.as_coeff_Mul() for term in sp.Add.make_args(sp.expand(side)))
        return sp.Add(*(c if m == 1 else c * _as_value(m) for c, m in parts))

    relations = [each_side(r, named) for r in (goal, *premises)]
    used = [i for i, r in enumerate(relations) if r.rel_op in ("<=", ">=", "==") and r.lhs != r.rhs]
    if 0 not in used:
        return None
    values = sorted({s for i in used for s in relations[i].free_symbols}, key=str)
    given = [relations[i] for i in used[1:]]
    found = gram.decide(relations[0], given=given, assuming=(), values=values)
    if not isinstance(found, gram.Proved):
        return None
    multiplier = dict(found.multipliers)
    return [multiplier.pop(r, sp.S.Zero) if i in used else sp.S.Zero for i, r in enumerate(relations[1:], 1)]


def _as_value(term: sp.Expr) -> sp.Symbol:
    sign = {"nonnegative": True} if term.is_nonnegative else {}
    return private(term, f"[{term}]", real=True, **sign)


def _halves(goal: sp.Rel) -> tuple[sp.Rel, ...]:
    """An equation is two inequalities, and what is at least a maximum is at least each of its arguments."""
    if goal.rel_op == "==":
        return le(*goal.args), ge(*goal.args)
    strict = goal.rel_op in (">", "<")
    small, large = _sides(_CLOSED[type(goal)](*goal.args, evaluate=False) if strict else goal)
    less = sp.StrictLessThan if strict else sp.LessThan
    return tuple(less(arg, large, evaluate=False) for arg in small.args) if isinstance(small, sp.Max) else ()


def _exp(expr: sp.Expr) -> sp.Expr:
    """``exp(c log x + ...)``, written as ``x^c ...``."""
    out = sp.S.One
    for term in sp.Add.make_args(expr):
        log = next((f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)), None)
        out *= sp.exp(term) if log is None else log.args[0] ** (term / log)
    return out


def _need_defined(relations: Sequence[sp.Rel], assuming: Sequence[sp.Rel]) -> None:
    """Refuse premises that have no meaning for some parameters: the goal would be shown for the others only."""
    for needed in dict.fromkeys(c for r in relations for c in meaning(r)):
        known = [r for r in assuming if needed not in meaning(r)]
        base, root = needed.lhs, needed.rel_op == ">="
        domain = Domain(tuple(sorted({s for r in (*known, needed) for s in r.free_symbols}, key=str)), tuple(known))
        if (domain.nonnegative(base) if root else domain.nonzero(base)) is None:
            how = "takes the root of" if root else "divides by"
            raise Refused(f"a premise {how} {base}, which is not known to be {'>= 0' if root else 'nonzero'}")


@lru_cache(maxsize=1 << 12)
def _nonnegative(goal: sp.Rel, assuming: tuple[sp.Rel, ...]) -> str | None:
    """Why an inequality between parameters follows; None where that is not shown."""
    small, large = _sides(goal)
    if not is_rational(goal):
        return None
    gap = large - small
    about = {s for r in assuming for s in r.free_symbols} | gap.free_symbols
    domain = Domain(tuple(sorted(about, key=str)), assuming)
    bottom = sp.fraction(sp.together(gap))[1]
    return domain.nonnegative(gap) if domain.nonzero(bottom) is not None else None


@lru_cache(maxsize=1 << 12)
def _impossible(assuming: tuple[sp.Rel, ...]) -> bool:
    """Whether relations between parameters contradict each other."""
    return Domain(tuple(sorted({s for r in assuming for s in r.free_symbols}, key=str)), assuming).contradictory()


@lru_cache(maxsize=1 << 12)
def _given(question: Question, multipliers: tuple[sp.Expr, ...]) -> gram.Proved | gram.Refuted | gram.Open:
    """Whether an author's multipliers show a step; copies of a claim, and shared lemmas, take the same steps again."""
    return question.decide(multipliers)


@lru_cache(maxsize=1 << 12)
def _searched(
    question: Question, kept: tuple[str, ...] | None
) -> tuple[gram.Proved | gram.Refuted | gram.Open, tuple[str, ...] | None]:
    """What is decided of a step, by multipliers that were kept or else by a search, and what to keep of it."""
    if kept is not None and (multipliers := notes.multipliers(question, kept)) is not None:
        with suppress(ValueError, ArithmeticError, RecursionError, MemoryError):
            if isinstance(proof := question.decide(multipliers), gram.Proved):
                return proof, kept
    if question.seconds == 0:
        return gram.Open("no multipliers are kept that show it"), None
    found = question.decide()
    return found, notes.kept(question, found) if isinstance(found, gram.Proved) else None
