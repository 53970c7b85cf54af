"""The kernel: whether the steps of a proof show the statement of its claim.

A step may use earlier steps, the relations of the claim's hypotheses, its definitions, rules applied to its typed
assumptions, and other claims that are proved. The last steps are compared with the statement itself. So a copy of a
claim with another constant, direction, definition or hypothesis is proved only where the steps show that copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, product

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory import gram, sums, symbols
from rateproof.theory.algebra import normal, private
from rateproof.theory.assumptions import (
    Assumption,
    BoundedVariance,
    Independent,
    IndependentOf,
    Minimiser,
    Sampled,
    Unbiased,
)
from rateproof.theory.claim import Claim, conjuncts, expand_definitions
from rateproof.theory.gram.domain import BY_TERMS, Domain
from rateproof.theory.gram.forms import check_rational, read
from rateproof.theory.gram.vectors import factors, inner
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.exponents import exponents
from rateproof.theory.proof.rules import Refused, Rules, by_sign
from rateproof.theory.proof.setting import SIGNS, Mean, SampleMean, Setting
from rateproof.theory.proof.steps import (
    SCHEDULE,
    SEQUENCES,
    At,
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
    Proof,
    Raised,
    Rewritten,
    Rule,
    Split,
    Step,
    Summed,
    Total,
)
from rateproof.theory.proof.telescope import sum_of, with_own_indices, with_sums

#: What is declared of a symbol that counts in a decision.
DECLARED = (*SIGNS, "integer")
_SIGN_RELATIONS = dict(zip(SIGNS, (sp.Gt, sp.Lt, sp.Ge, sp.Le, sp.Ne), strict=True))
#: What no relation between numbers contains.
_NO_NUMBERS = (sp.I, sp.oo, -sp.oo, sp.zoo, sp.nan)
#: What else may be declared, which no step looks at.
_RARE = ("even", "odd", "prime", "composite", "noninteger", "irrational", "zero", "imaginary", "infinite")

#: The shared vocabulary: sizes, constants and schedules, no metric.
SHARED = {s for s in vars(symbols).values() if isinstance(s, sp.Symbol)}


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
    """One step of a checked proof, for a reader."""

    name: str
    relation: sp.Rel
    by: tuple[str, ...]
    how: How


@dataclass(frozen=True)
class Checked:
    """A proof that went through.

    Attributes:
        lines: its steps in order, those of lemmas of its own before the steps that use them.
        words: the facts that stand in words.
        cites: the claims that it rests on.
    """

    lines: tuple[Line, ...]
    words: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()


def check(claim: Claim, proof: Proof, cited: Callable[[str], Claim | None]) -> Checked:
    """Check a proof.

    Args:
        claim: the claim; what the proof shows is its statement under its hypotheses and definitions.
        proof: the steps.
        cited: a claim that is proved, by id; None where it is not.

    Raises:
        Refused: a step is not shown; the message names it.
    """
    kernel = _Kernel(claim, claim.setting or Setting(), cited)
    stated = conjuncts(claim.statement)
    if not stated:
        raise Refused("the claim has no statement")
    for step in proof.steps:
        try:
            kernel.take(step)
        except ValueError as refusal:
            raise Refused(f"{step.name}: {refusal}") from refusal
    if open_ := [str(r) for r in stated if Shown(r) not in kernel.shown.values()]:
        raise Refused(f"no step shows {'; '.join(open_)}")
    return Checked(tuple(kernel.lines), tuple(kernel.words), tuple(dict.fromkeys(kernel.cites)))


#: Lemmas without an id in the catalog that were checked; each is kept, so that its identity stays its own.
_LEMMAS: dict[tuple[int, Callable[[str], Claim | None]], tuple[Claim, Checked]] = {}


def _lemma(claim: Claim, cited: Callable[[str], Claim | None]) -> Checked:
    """A lemma that stands beside a proof, checked once."""
    key = (id(claim), cited)
    if key not in _LEMMAS:
        if claim.proof is None:
            raise Refused(f"{claim.id} has no proof")
        _LEMMAS[key] = (claim, check(claim, claim.proof, cited))
    return _LEMMAS[key][1]


@dataclass
class _Kernel:
    claim: Claim
    setting: Setting
    cited: Callable[[str], Claim | None]
    shown: dict[str, Shown] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    cites: list[str] = field(default_factory=list)
    plain: dict[tuple[sp.Rel, bool, frozenset[str] | None], sp.Rel] = field(default_factory=dict)
    #: Under which conditions earlier steps, shown without a condition, have a meaning; these hold.
    sure: set[sp.Rel] = field(default_factory=set)

    @cached_property
    def rules(self) -> Rules:
        """What the typed assumptions of the claim and of its method give."""
        said = (*self.setting.assumes, *(a for h in self.claim.hypotheses for a in h.says))
        return Rules(self.setting, said, self._holds)

    # --- steps

    def take(self, step: Step) -> None:
        """Check one step and keep what it shows."""
        if step.name in self.shown:
            raise Refused("an earlier step has this name")
        match step:
            case Have(goal=goal, by=by, when=when, multipliers=multipliers):
                goal = goal if goal is not None else self._stated(step.of)
                how = self._decide(goal, by, when, multipliers)
                self._keep(step.name, goal, by, how, when)
                if not when and goal not in conjuncts(self.claim.statement):
                    self.sure.update(_meaning(goal))
            case Cases():
                self._keep(step.name, step.goal, (step.yes, step.no), f"cases {step.on} or not", self._cases(step))
            case Induct():
                how = self._induct(step)
                span = (sp.Ge(step.over, step.start, evaluate=False),)
                end = () if step.last is None else (sp.Le(step.over, step.last, evaluate=False),)
                self._keep(step.name, step.goal, (*step.base, *step.by), how, (*span, *end))
            case Summed():
                self._keep(step.name, self._summed(step), (step.of,), f"summed over {step.over}")
            case Raised():
                relation, when = self._raised(step)
                self._keep(step.name, relation, (step.of, *step.by), f"to the power {step.to}", when)
            case Split(to=to):
                self._keep(step.name, self._split(step), step.by, f"the power {to} is subadditive")
            case Limit():
                relation, when = self._limit(step)
                self._keep(step.name, relation, (step.of,), f"limit {step.over} -> 0", when)
            case At():
                relation, when = self._at(step)
                self._keep(step.name, relation, (step.of,), f"at {', '.join(f'{k} = {v}' for k, v in step.at)}", when)
            case Total():
                self._keep(step.name, step.goal, (), self._total(step), (self._from(step),))
            case Exponential():
                found = self._earlier(step.of)
                for log in found.relation.atoms(sp.log):
                    positive = sp.Gt(log.args[0], 0, evaluate=False)
                    self._need(positive, self._shown_about(positive))
                sides = _sides(found.relation)
                small, large = map(_exp, sides)
                for side, power in zip(sides, (small, large), strict=True):
                    self._simplified(power, _exp(self._bare(side)))
                self._keep(step.name, sp.Le(small, large, evaluate=False), (step.of,), "exp", found.when)
            case Logarithm():
                self._keep(step.name, self._logarithm(step), step.by, "tangent of the logarithm")
            case Rewritten():
                relation, when = self._rewritten(step)
                self._keep(step.name, relation, (step.of, *step.by), "equals for equals", when)
            case Exponents():
                goal, said = self._exponents(step)
                self._keep(step.name, goal, (step.bound, *step.by), said)
            case InWords():
                self.words.append(step.why)
                self._keep(step.name, step.goal, (), f"in words: {step.why}")

    def _keep(
        self, name: str, relation: sp.Rel, by: Iterable[Ground], how: str | How, when: tuple[sp.Rel, ...] = ()
    ) -> None:
        if relation.has(*_NO_NUMBERS):
            raise Refused(f"{relation} is no relation between real numbers")
        self.shown[name] = Shown(relation, when)
        self.lines.append(Line(name, relation, tuple(map(str, by)), (how,) if isinstance(how, str) else how))

    def _stated(self, of: int) -> sp.Rel:
        stated = conjuncts(self.claim.statement)
        if of >= len(stated):
            raise Refused(f"the statement has {len(stated)} relations")
        return stated[of]

    def _earlier(self, name: str) -> Shown:
        if name not in self.shown:
            raise Refused(f"no earlier step is named {name!r}")
        return self.shown[name]

    def _cases(self, step: Cases) -> tuple[sp.Rel, ...]:
        """What the goal is shown under, when both cases are shown."""
        other = [step.on.negated]
        if step.on.lhs.is_integer and step.on.rhs.is_integer and step.on.rel_op in ("<=", ">="):
            shift = 1 if step.on.rel_op == "<=" else -1
            other.append(step.on.reversed.func(step.on.lhs, step.on.rhs + shift, evaluate=False))
        common: list[sp.Rel] = []
        for name, allowed in ((step.yes, [step.on]), (step.no, other)):
            case = self._earlier(name)
            if case.relation != step.goal:
                raise Refused(f"{name} shows another relation")
            common += [w for w in case.when if w not in allowed]
        return tuple(dict.fromkeys(common))

    def _induct(self, step: Induct) -> How:
        if step.over in self._own():
            raise Refused(f"the index {step.over} is a symbol of the claim")
        self._no_vectors(step.goal)
        self._counts(step.over, step.start)
        self._whole(step.over - step.start)
        self._constant(step.goal, step.over)
        next_ = step.goal.func(*(side.subs(step.over, step.over + 1) for side in step.goal.args), evaluate=False)
        first = step.goal.func(*(side.subs(step.over, step.start) for side in step.goal.args), evaluate=False)
        when = [sp.Ge(step.over, step.start, evaluate=False)]
        if step.last is not None:
            when.append(sp.Le(step.over + 1, step.last, evaluate=False))
        at_first = self._decide(first, step.base, (), None)
        onwards = self._decide(next_, step.by, tuple(when), step.multipliers, assumed=(step.goal,))
        return "start of the induction", *at_first, "its step", *onwards

    def _summed(self, step: Summed) -> sp.Rel:
        found = self._earlier(step.of)
        if step.over in self._own():
            raise Refused(f"the index {step.over} is a symbol of the claim")
        self._counts(step.over, step.start)
        span = (sp.Ge(step.over, step.start, evaluate=False), sp.Le(step.over, step.last, evaluate=False))
        for condition in found.when:
            self._need(condition, span)
        if step.weight != 1:
            self._decide(sp.Ge(step.weight, 0, evaluate=False), step.by, span, None)
        self._need(sp.Ge(step.last, step.start - 1, evaluate=False), ())
        self._whole(step.last - step.start)
        for relation in (found.relation, sp.Ge(step.weight, 0, evaluate=False)):
            self._no_vectors(relation)
            self._constant(relation, step.over)
        small, large = _sides(found.relation)
        total = (sum_of(step.weight * side, step.over, step.start, step.last) for side in (small, large))
        return sp.Le(*total, evaluate=False)

    def _raised(self, step: Raised) -> tuple[sp.Rel, tuple[sp.Rel, ...]]:
        found = self._earlier(step.of)
        small, large = _sides(found.relation)
        self._decide(sp.Ge(small, 0, evaluate=False), step.by, found.when, None)
        self._means_something(step.to, found.when)
        self._need(sp.Ge(step.to, 0, evaluate=False), found.when)
        sides = (small**step.to, large**step.to)
        known = [r for ground in step.by for r in self._premises(ground, found.when)]
        for side, raised in zip((small, large), sides, strict=True):
            self._simplified(raised, self._bare(side) ** self._bare(step.to), known)
        return sp.Le(*sides, evaluate=False), found.when

    def _split(self, step: Split) -> sp.Rel:
        for term in step.terms:
            self._decide(sp.Ge(term, 0, evaluate=False), step.by, (), None)
        self._need(sp.Ge(step.to, 0, evaluate=False), ())
        self._need(sp.Le(step.to, 1, evaluate=False), ())
        if not step.terms:
            raise Refused("a sum of no terms has no power")
        known = [r for ground in step.by for r in self._premises(ground, ())]
        for total in (*step.terms, sp.Add(*step.terms)):
            self._simplified(total**step.to, self._bare(total) ** self._bare(step.to), known)
        powers = (term**step.to for term in step.terms)
        return sp.Le(sp.Add(*step.terms) ** step.to, sp.Add(*powers), evaluate=False)

    def _bare(self, expr: sp.Expr) -> sp.Expr:
        """An expression without the declared signs of defined symbols that do not follow from their definitions."""
        return expr.xreplace(self._unsigned)

    def _simplified(self, made: sp.Expr, bare: sp.Expr, known: Sequence[sp.Rel] = ()) -> None:
        """Refuse what is simpler than without the declared signs of defined symbols, unless these signs follow."""
        if self._bare(made) == bare:
            return
        for symbol in sorted((s for s, b in self._unsigned.items() if b in bare.free_symbols), key=str):
            for trait, relation in _SIGN_RELATIONS.items():
                if symbol.assumptions0.get(trait):
                    self._need(relation(symbol, 0, evaluate=False), known)

    def _limit(self, step: Limit) -> tuple[sp.Rel, tuple[sp.Rel, ...]]:
        found = self._earlier(step.of)
        if step.over in self._own():
            raise Refused(f"{step.over} is a symbol of the claim")
        if not step.over.is_positive or step.over.is_integer is not None:
            raise Refused(f"{step.over} should stand for any positive number")
        self._no_vectors(found.relation)
        self._constant(found.relation, step.over)
        sides = _sides(found.relation)
        if any(w.has(step.over) for w in found.when) or not all(s.is_polynomial(step.over) for s in sides):
            raise Refused(f"{step.of} is no inequality between polynomials in {step.over} that holds for all of them")
        limit = sp.Le(*(s.subs(step.over, 0) for s in sides), evaluate=False)
        self._defined_at(found.relation, {step.over: sp.S.Zero}, limit, found.when)
        return limit, found.when

    def _defined_at(
        self, relation: sp.Rel, values: Mapping[sp.Expr, sp.Expr], new: sp.Rel, known: Sequence[sp.Rel]
    ) -> None:
        """Refuse values at which a part of a relation, gone from the new one, may have been no real number."""
        kept = _meaning(new, every_power=True)
        for needed in _meaning(relation, every_power=True):
            sides = (side.subs(values, simultaneous=True) for side in needed.args)
            placed = needed.func(*sides, evaluate=False)
            if placed not in kept and not by_sign(placed):
                self._need(placed, known)

    def _at(self, step: At) -> tuple[sp.Rel, tuple[sp.Rel, ...]]:
        found = self._earlier(step.of)
        self._no_vectors(found.relation)
        values = dict(step.at)
        for symbol, value in values.items():
            if symbol in self._own():
                raise Refused(f"{symbol} is a symbol of the claim, not an index")
            self._fits(symbol, value)
            for relation in (found.relation, *found.when):
                self._constant(relation, symbol)
        bare = {symbol: self._bare(value) for symbol, value in values.items()}
        placed = []
        for relation in (found.relation, *found.when):
            sides = [side.subs(values, simultaneous=True) for side in relation.args]
            for side, new in zip(relation.args, sides, strict=True):
                self._simplified(new, self._bare(side).subs(bare, simultaneous=True))
            placed.append(relation.func(*sides, evaluate=False))
        self._defined_at(found.relation, values, placed[0], placed[1:])
        return placed[0], tuple(w for w in placed[1:] if not self._follows(w, ()))

    def _total(self, step: Total) -> str:
        if step.horizon in self._own():
            raise Refused(f"the horizon {step.horizon} is a symbol of the claim")
        self._no_vectors(step.goal)
        above, below = dict(step.above), dict(step.below)
        for parameter, low in step.above:
            self._need(sp.Gt(parameter, low, evaluate=False), ())
        for parameter, high in step.below:
            self._need(sp.Lt(parameter, high, evaluate=False), ())
        known = [self._from(step)]
        if step.first > 1:
            known.append(sp.Gt(sp.log(step.horizon), 0, evaluate=False))
        self._means_something(step.goal, known)
        ranges = {q: (above.get(q, -sp.oo), below.get(q, sp.oo)) for q in (above | below)}
        found = sums.decide(step.goal, step.horizon, first=step.first, parameters=ranges or None)
        if not isinstance(found, sums.Proved):
            raise Refused(str(getattr(found, "why", None) or getattr(found, "detail", found)))
        return f"sum bound: {found.method}"

    def _logarithm(self, step: Logarithm) -> sp.Rel:
        known = [r for ground in step.by for r in self._premises(ground, ())]
        self._means_something(step.of, known)
        self._need(sp.Gt(step.of, 0, evaluate=False), known)
        signed = {unsigned: symbol for symbol, unsigned in self._unsigned.items()}
        log = sp.expand_log(sp.log(step.of.xreplace(self._unsigned))).xreplace(signed)
        if step.below:
            return sp.Ge(log, 1 - 1 / step.of, evaluate=False)
        return sp.Le(log, step.of - 1, evaluate=False)

    def _rewritten(self, step: Rewritten) -> tuple[sp.Rel, tuple[sp.Rel, ...]]:
        found = self._earlier(step.of)
        equal: dict[sp.Expr, sp.Expr] = {}
        for name in step.by:
            shown = self._earlier(name)
            if shown.relation.rel_op != "==" or shown.when:
                raise Refused(f"{name} is no equation")
            equal[shown.relation.lhs] = shown.relation.rhs
        bound = {s for total in found.relation.atoms(sp.Sum) for s in total.bound_symbols}
        if inside := bound & {s for pair in equal.items() for side in pair for s in side.free_symbols}:
            raise Refused(f"{min(inside, key=str)} is the index of a sum")
        sides = [side.xreplace(equal) for side in found.relation.args]
        bare = {self._bare(old): self._bare(new) for old, new in equal.items()}
        for side, rewritten in zip(found.relation.args, sides, strict=True):
            self._simplified(rewritten, self._bare(side).xreplace(bare))
        new = found.relation.func(*sides, evaluate=False)
        self._defined_at(found.relation, equal, new, found.when)
        return new, found.when

    def _exponents(self, step: Exponents) -> tuple[sp.Rel, str]:
        """The relation of the statement that follows, and how."""
        found = self._earlier(step.bound)
        for condition in found.when:
            self._need(condition, ())
        metric, bound = _sides(found.relation)
        counting = {s for s, c in self.setting.rounds.items() if sp.expand(c.metric - metric) == 0}
        goal = next((r for r in conjuncts(self.claim.statement) if r.lhs in counting and r.rel_op == "<="), None)
        if goal is None:
            raise Refused(f"the statement bounds no number of rounds for {metric}")
        counted, terms = self.setting.rounds[goal.lhs], sp.expand_mul(goal.rhs / symbols.C_O)
        hidden = {goal.lhs, symbols.C_O}
        if hidden & terms.free_symbols or any(r.free_symbols & hidden for r in self._relations()):
            raise Refused(f"{goal.lhs} and {symbols.C_O} should stand in the statement only, {symbols.C_O} as a factor")
        ruled = {*self.claim.schedule.rules} if self.claim.schedule else set()
        if odd := sorted(map(str, ruled & (bound.free_symbols | terms.free_symbols | {*counted.held}))):
            raise Refused(f"{odd[0]} changes with {counted.over}: its rule should stand in its place")
        moving = {counted.over, counted.target, *hidden, *self.setting.measured, *self.setting.metrics}
        if odd := sorted(str(s) for s in counted.held if self.claim.expand(s).free_symbols & moving):
            raise Refused(f"{odd[0]} is not held fixed")
        extra = [r for ground in step.by for r in self._premises(ground, ())]
        self._need(sp.Ge(counted.over, 1, evaluate=False), ())
        self._need(sp.Gt(counted.target, 0, evaluate=False), ())

        def known(relation: sp.Rel) -> bool:
            if relation == sp.Ge(counted.over, 2, evaluate=False):  # a whole number above one
                relation = sp.Gt(sp.log(counted.over), 0, evaluate=False)
            return self._holds(relation, extra)

        how = exponents(
            bound, terms, variable=counted.over, target=counted.target, held=frozenset(counted.held), known=known
        )
        return goal, how

    def _from(self, step: Total) -> sp.Rel:
        return sp.Ge(step.horizon, step.first, evaluate=False)

    def _own(self) -> set[sp.Symbol]:
        """The symbols of the claim itself and of its setting: no step may choose their values."""
        return self._named

    @cached_property
    def _named(self) -> set[sp.Symbol]:
        claim, setting = self.claim, self.setting
        rules = claim.schedule.rules if claim.schedule else {}
        made = [how.values() for how in setting.made.values() if isinstance(how, Mapping)]
        values = [p[2] for points in setting.functions.values() for p in points.values() if len(p) > 2]
        supposed = {s for r in self._relations() for s in claim.expand(r).free_symbols | r.free_symbols}
        said = [
            *conjuncts(claim.statement),
            *supposed,
            *(e for pair in claim.where.items() for e in pair),
            *rules,
            # a rule that speaks of the index of the sequences is one for each of its values
            *({s for e in rules.values() for s in e.free_symbols} - self._indices),
            # what is supposed of a symbol that a rule changes is supposed at no other value
            *(i for i in self._indices if self._ruled_by(i) & supposed),
            # what is supposed of a term of a sequence is supposed of no other
            *(term for metric, term in setting.sequences.items() if metric in supposed),
            *(e for a in self.rules.assumed for e in a.constants.values()),
            *(e for es in (*made, setting.infima.values(), setting.sizes.values(), values) for e in es),
            *(c for total in setting.sums.values() for _, c in total.terms),
            *self._metrics,
        ]
        return {s for e in said if e is not None for s in sp.sympify(e).free_symbols}

    @cached_property
    def _indices(self) -> set[sp.Symbol]:
        """The indices of the sequences."""
        terms = {f for term in self.setting.sequences.values() for f in sp.sympify(term).atoms(AppliedUndef)}
        return {s for f in terms for s in f.free_symbols}

    def _ruled_by(self, over: sp.Symbol) -> set[sp.Symbol]:
        """What the rules of the schedule change with an index."""
        rules, found = dict(self.claim.schedule.rules if self.claim.schedule else {}), {over}
        while more := {s for s, e in rules.items() if s not in found and self.claim.expand(e).free_symbols & found}:
            found |= more
        return found - {over}

    @cached_property
    def _metrics(self) -> set[sp.Expr]:
        """What is measured: the metrics of the claim that are symbols."""
        setting = self.setting
        found = (setting.measured, setting.metrics, setting.sequences, setting.lengths, setting.bounds, setting.squares)
        return {s for group in (*found, setting.minima, setting.maxima) for s in group if s.is_Symbol}

    def _fits(self, symbol: sp.Symbol, value: sp.Expr) -> None:
        """Refuse a value that may lack a property that a symbol is declared to have."""
        if odd := [t for t in _RARE if symbol.assumptions0.get(t)]:
            raise Refused(f"{symbol} is {odd[0]}; an index is a real number or an integer of a sign")
        self._means_something(value, (), every_power=True)
        for trait, relation in _SIGN_RELATIONS.items():
            if symbol.assumptions0.get(trait) and not value.xreplace(self._unsigned).assumptions0.get(trait):
                self._need(relation(value, 0, evaluate=False), ())
        if symbol.is_integer:
            self._whole(value)

    def _means_something(self, said: sp.Basic, known: Sequence[sp.Rel], *, every_power: bool = False) -> None:
        """Refuse what may be without meaning: divisors that are zero, roots of negative numbers, infinity."""
        if said.has(*_NO_NUMBERS):
            raise Refused(f"{said} is no real number")
        for needed in _meaning(said, every_power=every_power):
            if not self._follows(needed, known):
                raise Refused(f"{said} has a meaning only where {needed}, which does not follow")

    def _counts(self, index: sp.Symbol, start: sp.Expr) -> None:
        """Refuse an index that, by its declared sign, does not take all values from ``start`` on."""
        if index.is_nonpositive or (index.is_nonzero and not index.is_positive):
            raise Refused(f"{index} is declared {'nonzero' if index.is_nonzero else 'nonpositive'}")
        self._fits(index, start)

    def _whole(self, value: sp.Expr) -> None:
        """Refuse what is not known to be an integer."""
        counts = {s: sp.Dummy(s.name, integer=True) for s in self.setting.counts}
        if not value.xreplace(counts | self._unsigned).is_integer:
            raise Refused(f"{value} is not known to be an integer")

    def _no_vectors(self, relation: sp.Rel) -> None:
        """Inner products are those of one step, not of all."""
        if odd := [s for s in relation.free_symbols if factors(s)]:
            raise Refused(f"{odd[0]} belongs to one value of the index; name it as a metric")

    def _constant(self, relation: sp.Rel, over: sp.Symbol) -> None:
        """Refuse a symbol of the claim that may change with an index: metrics do, unless the setting says otherwise."""
        setting = self.setting
        for metric, form in setting.metrics.items():
            if over in sp.sympify(form).free_symbols - metric.free_symbols:
                raise Refused(f"what {metric} stands for depends on {over}")
        moving = self._metrics - {*setting.fixed} | self._ruled_by(over)
        constants = [*setting.infima.values(), *(e for a in self.rules.assumed for e in a.constants.values())]
        known = {*setting.fixed, *setting.free, *SHARED, *self.claim.where}
        known |= {s for e in constants for s in e.free_symbols}
        for symbol in relation.free_symbols - {over}:
            inside = self.claim.expand(symbol).free_symbols
            if inside & moving or (symbol in self._own() and not inside <= known):
                raise Refused(f"{symbol} may change with {over}; name it as a term of a sequence, or as fixed")

    # --- relations

    def _relations(self) -> list[sp.Rel]:
        """The hypotheses that are relations; one that bounds a maximum bounds each of its arguments."""
        stated = [r for h in self.claim.hypotheses if h.relation is not None for r in conjuncts(h.relation)]
        return [*stated, *(part for r in stated for part in _parts(r))]

    def _holds(self, relation: sp.Rel, extra: Sequence[sp.Rel] = ()) -> bool:
        """Whether a relation between parameters follows, where the signs of those that are not defined say it too."""
        if not relation.free_symbols & self.claim.where.keys() and by_sign(relation):
            return True
        return self._follows(relation, extra)

    def _follows(self, relation: sp.Rel, extra: Sequence[sp.Rel]) -> bool:
        """Whether a relation between parameters follows from the hypotheses and ``extra``."""
        if relation in self.sure or relation in extra or relation in self._relations():
            return True
        if isinstance(relation.lhs, sp.log) and relation.rhs == 0 and relation.rel_op in (">", ">=", "!="):
            above = sp.Gt(relation.lhs.args[0], 1, evaluate=False)
            if above == sp.true or self._follows(above, extra):
                return True
        if not all(self._follows(c, extra) for c in _meaning(relation)):
            return False
        certain = [r for r in extra if not _meaning(r)]
        extra = [r for r in extra if r in certain or all(self._follows(c, certain) for c in _meaning(r))]
        # what a step is told is often enough, and less to decide
        return bool(extra and self._decided(relation, extra)) or self._decided(relation, [*extra, *self._relations()])

    def _decided(self, relation: sp.Rel, assuming: Sequence[sp.Rel]) -> bool:
        """Whether a relation between parameters follows from others."""
        atoms = Atoms()
        goal, *known = (atoms.read(self._plain(r)) for r in (relation, *assuming))
        return _arithmetic(goal, (*known, *atoms.conditions()))

    def _need(self, relation: sp.Rel, extra: Sequence[sp.Rel]) -> None:
        if not self._follows(relation, extra):
            raise Refused(f"it needs {relation}, which does not follow from the hypotheses")

    @cached_property
    def _where(self) -> dict[sp.Symbol, sp.Expr]:
        """The definitions that speak of what is measured; the others may stay closed."""
        measured = {*self.setting.measured, *self.setting.metrics, *self.setting.sequences}
        where = self.claim.where
        return {s: e for s, e in where.items() if self.claim.expand(e).free_symbols & measured}

    @cached_property
    def _unsigned(self) -> dict[sp.Symbol, sp.Symbol]:
        """Defined symbols whose declared sign does not follow from their definition -> the same without a sign."""
        out = {}
        for symbol in self.claim.where.keys() - self._where.keys():
            value = self.claim.expand(symbol)
            if not all(getattr(value, f"is_{k}") == v for k, v in symbol.assumptions0.items() if k in DECLARED):
                out[symbol] = private(symbol, symbol.name, real=True)
        return out

    @cached_property
    def _positive(self) -> dict[sp.Symbol, sp.Symbol]:
        """Symbols that are positive by a hypothesis of the form ``x > 0`` -> the same with that sign."""
        found = {r.lhs for r in self._relations() if _says_positive(r)}
        return {s: private(s, s.name, positive=True) for s in found if not s.is_positive and not s.is_integer}

    def _plain(self, relation: sp.Rel, sequences: bool = False, unfolded: frozenset[str] | None = None) -> sp.Rel:
        """A relation with definitions put in and metrics written as forms.

        Args:
            relation: the relation.
            sequences: whether metrics that have no form are written as terms of their sequences.
            unfolded: the defined symbols to put in beside those that speak of metrics; all where not given. The others
                stand for any number of their sign.
        """
        key = relation, sequences, unfolded
        if key not in self.plain:
            self.plain[key] = self._written(*key)
        return self.plain[key]

    def _written(self, relation: sp.Rel, sequences: bool, unfolded: frozenset[str] | None) -> sp.Rel:
        where = {s: e for s, e in self.claim.where.items() if unfolded is None or s.name in unfolded} | self._where
        full = expand_definitions(relation, where)
        # the terms inside a sum belong to its own index: they are not those of the step, which have forms
        given = {**self.setting.metrics, **(self.setting.sequences if sequences else {})}
        forms = {metric: with_own_indices(sp.sympify(form)) for metric, form in given.items()}
        full = full.func(*map(with_own_indices, full.args), evaluate=False)
        folded = {s: d for s, d in (self._unsigned | self._positive).items() if s not in where}
        return full.func(
            *(with_sums(side.xreplace(forms)).xreplace(forms).xreplace(folded) for side in full.args), evaluate=False
        )

    # --- one decision

    def _decide(
        self,
        goal: sp.Rel,
        by: Sequence[Ground],
        when: Sequence[sp.Rel],
        multipliers: Sequence[sp.Expr] | None,
        assumed: Sequence[sp.Rel] = (),
    ) -> How:
        """How a goal follows.

        Raises:
            Refused: it does not.
        """
        strict = goal.rel_op in ("<", ">")
        if not strict and (parts := _halves(goal)):
            return tuple(how for part in parts for how in self._decide(part, by, when, None, assumed))
        used = [(ground, self._premises(ground, when)) for ground in by]
        chosen = [r for _, relations in used for r in relations]
        if goal not in conjuncts(self.claim.statement):
            self._means_something(goal, (*when, *chosen, *assumed))
        atoms = Atoms()
        rules = [g for g in by if isinstance(g, Rule)]
        unfolded = frozenset(name for rule in rules if rule.name == "unfold" for name in rule.points)

        case = {r.lhs: r.rhs for r in when if r.rel_op == "==" and r.lhs.is_Symbol and r.rhs.is_Rational}

        def read_(relation: sp.Rel) -> sp.Rel:
            plain = self._plain(relation, SEQUENCES in rules, unfolded)
            placed = plain.func(*(side.xreplace(case) for side in plain.args), evaluate=False)
            if placed.has(sp.zoo, sp.nan):
                raise Refused(f"{relation} has no meaning at {', '.join(f'{s} = {v}' for s, v in case.items())}")
            return self.setting.apart(atoms.read(placed))

        target = read_(goal)
        known = [r for r in map(read_, (*when, *self._relations())) if r.free_symbols]
        supposed = atoms.conditions()
        premises = [read_(r) for r in (*chosen, *assumed)]
        values = atoms.values() | set(self.setting.measured)
        inner = {s for r in (target, *premises) for s in r.free_symbols if factors(s)}
        given = [r for r in premises if r.free_symbols & (values | inner)]
        about = {s for r in (target, *premises) for s in r.free_symbols}
        values &= about
        parameters = [*known, *atoms.conditions(), *(r for r in premises if r not in given)]
        assuming = _about([r for r in parameters if not r.free_symbols & values], about)
        measured = [
            _CLOSED.get(type(r), r.func)(*r.args, evaluate=False)
            for r in known
            if r.free_symbols & values and r.free_symbols <= about and r.rel_op != "!="
        ]
        present = {n for s in inner for n in factors(s) or ()}
        present |= {n for g in rules for n in self.rules.speaks_of(g)}
        equations = [self.setting.apart(r) for rule in rules for r in self.rules.equations(rule, present)]
        equations = [r for r in equations if r.free_symbols]
        given = [*given, *measured, *equations]
        shown = (r for r in (*premises, *atoms.conditions()) if r in assuming and r not in supposed)
        self._defined([*given, *shown], assuming)
        if strict:
            signs = {r.lhs: private(r.lhs, r.lhs.name, positive=True) for r in assuming if _says_positive(r)}
            signed = target.func(*(side.xreplace(signs) for side in target.args), evaluate=False)
            decided = _arithmetic(target, tuple(assuming)) and _has_value(target, tuple(assuming))
            if not decided and not by_sign(signed):
                raise Refused(f"{goal} does not follow from what is known of its parameters")
            return ("a strict inequality between parameters",)
        in_order = sorted(values, key=str)
        if multipliers is not None:
            expanded = [read_(sp.Eq(m, 0, evaluate=False)).lhs for m in multipliers]
            count = len(read(target, given, assuming, in_order).premises)
            multipliers = [*expanded, *[sp.S.Zero] * (count - len(expanded))]
        if not (target.free_symbols & (values | inner) or multipliers):
            arithmetic = _nonnegative(target, tuple(assuming))
            if arithmetic is not None:
                return (arithmetic.rpartition(" 0 ")[2] or "the sides differ by a number",)
        fixed = None if multipliers is None else tuple(multipliers)
        found = _gram(target, tuple(given), tuple(assuming), fixed, tuple(in_order))
        if not isinstance(found, gram.Proved):
            raise Refused(str(found))
        told = [_name(ground, relations) for ground, relations in used for _ in relations]
        told += ["the induction hypothesis"] * len(assumed)
        return (Certificate.of(found, {r: name for r, name in zip(premises, told, strict=True) if name}),)

    def _defined(self, relations: Sequence[sp.Rel], assuming: Sequence[sp.Rel]) -> None:
        """Refuse premises that have no meaning for some parameters: the goal would be shown for the others only."""
        for needed in dict.fromkeys(c for r in relations for c in _meaning(r)):
            known = [r for r in assuming if needed not in _meaning(r)]
            base, root = needed.lhs, needed.rel_op == ">="
            domain = Domain(tuple(sorted({s for r in (*known, needed) for s in r.free_symbols}, key=str)), tuple(known))
            if (domain.nonnegative(base) if root else domain.nonzero(base)) is None:
                how = "takes the root of" if root else "divides by"
                raise Refused(f"a premise {how} {base}, which is not known to be {'>= 0' if root else 'nonzero'}")

    # --- what a step rests on

    def _premises(self, ground: Ground, when: Sequence[sp.Rel]) -> list[sp.Rel]:
        if isinstance(ground, str):
            shown = self._earlier(ground)
            for condition in shown.when:
                self._need(condition, when)
            return [shown.relation]
        if isinstance(ground, Cite):
            return self._cite(ground)
        if ground == SCHEDULE:
            return _ruled(self.claim)
        given = self.rules.facts(ground)
        for condition in given.conditions:
            self._need(condition, when)
        return list(given.relations)

    def _cite(self, ground: Cite) -> list[sp.Rel]:
        other = self._proved(ground.claim)
        if other.statement is not None and symbols.C_O in other.statement.free_symbols:
            raise Refused(f"{other.id} has a constant that is hidden")
        constants, there = dict(ground.at), other.setting or Setting()
        points = dict(ground.points)
        placed = bool(points or ground.vectors)
        if not (placed or isinstance(ground.claim, str) or self._speaks_alike(there)):
            raise Refused(
                f"{other.id} is stated in another setting; say at which points it is used, or name the setting"
            )
        if placed and (
            unlike := ({*there.weighted} ^ {*self.setting.weighted}) & {m.over for m in there.means.values()}
        ):
            raise Refused(f"the values of {min(unlike)} do not have weights in both {other.id} and the claim")
        self._may_replace(other, constants, points, placed)
        if other.paper != self.claim.paper and not placed:
            raise Refused(f"{other.id} is of another paper: say at which points it is used")

        metrics = dict(there.metrics if placed else there.sequences)
        vectors, moved = _placed(other, self.setting, points, dict(ground.vectors), constants) if placed else ({}, {})
        if placed:
            _same_structure(there, self.setting, vectors, constants)
        places = {**constants, **moved}
        known = (there.measured, there.lengths, there.bounds, there.squares, there.minima, there.maxima)
        measured = {s for group in (*known, there.sequences) for s in group} if placed else set()
        extremes = (term for term, _ in (*there.minima.values(), *there.maxima.values()))
        terms = {f.func for e in (*there.sequences.values(), *extremes) for f in sp.sympify(e).atoms(AppliedUndef)}
        moves = {*metrics, *measured} - places.keys()
        differ = {
            s: e
            for s, e in other.where.items()
            if other.expand(e).free_symbols & moves
            or self.claim.expand(other.expand(e).xreplace(places)) != self.claim.expand(s)
        }

        def here(relation: sp.Rel) -> sp.Rel:
            forms = [side.xreplace(metrics) for side in expand_definitions(relation, differ).args]
            values = {s for form in forms for s in form.free_symbols if factors(s) or s in measured}
            values |= {f for form in forms for f in form.atoms(AppliedUndef) if f.func in terms}
            if placed and (unplaced := sorted(str(s) for s in values - places.keys())):
                raise Refused(f"{other.id}: {unplaced[0]} is at no point that was named")
            return relation.func(*(form.xreplace(places) for form in forms), evaluate=False)

        texts = {(h.key, h.text) for h in self.claim.hypotheses}
        for h in other.hypotheses:
            if h.relation is None and not h.says and (h.key, h.text) not in texts:
                raise Refused(f"{other.id} assumes '{h.text}', which the claim does not")
        # what a method sees to, it sees to in all claims of its paper; in a minimum over a set two names change
        method = [a for a in there.assumes if not isinstance(a, Minimiser)] if placed else []
        for assumption in (*method, *(a for h in other.hypotheses for a in h.says)):
            said = replace(assumption.at(constants), of=_renamed(assumption.of, points, vectors))
            if said not in self.rules.assumed and said != self.rules.one(type(said), said.of):
                raise Refused(f"{other.id} assumes {said}, which the claim does not")
        supposed = [r for h in other.hypotheses for r in conjuncts(h.relation)]
        # a statement is proved where it has a meaning: its roots do not show that they are real
        meant = [c for r in conjuncts(other.statement) for c in _meaning(r, every_power=True) if c.rel_op != "!="]
        for r in (*supposed, *_ruled(other), *meant):
            if not self._known(needed := here(r)):
                self._need(needed, self._shown_about(needed))
        stated = [here(r) for r in conjuncts(other.statement)]
        # for it a symbol of ours has the sign that it is declared to have
        for symbol in {s for r in stated for s in r.free_symbols} & self._unsigned.keys() - other.where.keys():
            self._fits(symbol, symbol)
        return stated

    def _speaks_alike(self, there: Setting) -> bool:
        """Whether metrics mean in a setting what they mean in ours: it is ours, or a named one, or gives no meaning."""
        bare = replace(there, measured=(), free=()) == Setting()
        return bare or there in (self.setting, *self.setting.others)

    def _shown_about(self, relation: sp.Rel) -> list[sp.Rel]:
        """What earlier steps show of the symbols of a relation, for all values of their indices."""
        shown = (s.relation for s in self.shown.values() if not s.when)
        return [r for r in shown if r.free_symbols <= relation.free_symbols]

    def _known(self, relation: sp.Rel) -> bool:
        """Whether a relation is a hypothesis or an earlier step, as both read in forms."""

        def form(r: sp.Rel) -> tuple[str, sp.Expr]:
            left, right = self._plain(r).args
            return r.rel_op.replace("<", ">"), sp.expand(right - left if "<" in r.rel_op else left - right)

        wanted = form(relation)
        shown = (s.relation for s in self.shown.values() if not s.when)
        known = [*self._relations(), *_ruled(self.claim), *shown]
        return any(form(r) == wanted for r in known)

    def _proved(self, claim: str | Claim) -> Claim:
        """A claim that may be cited; what a lemma of our own rests on, our proof rests on."""
        if isinstance(claim, str):
            found = self.cited(claim)
            if found is None:
                raise Refused(f"{claim} is not proved")
            self.cites.append(claim)
            return found
        lemma = _lemma(claim, self.cited)
        self.lines += [line for line in lemma.lines if line not in self.lines]
        self.words += lemma.words
        self.cites += lemma.cites
        return claim

    def _may_replace(
        self, other: Claim, constants: dict[sp.Symbol, sp.Expr], points: dict[str, str], placed: bool
    ) -> None:
        """Refuse to choose what a cited claim measures, or what its metrics depend on."""
        there = other.setting or Setting()
        free = set(there.free)
        if placed:
            free |= {s for h in other.hypotheses for a in h.says for e in a.constants.values() for s in e.free_symbols}
            free |= SHARED
            free -= {s for e in (*there.infima.values(), *there.sizes.values()) for s in e.free_symbols}
            free -= {s for a in there.assumes for e in a.constants.values() for s in e.free_symbols}
            found = (there.lengths, there.bounds, there.squares, there.measured, there.minima, there.maxima)
            free -= {s for group in found for s in group} - {*there.free}
        for symbol, value in constants.items():
            if symbol not in free or symbol in other.where:
                raise Refused(f"{symbol} of {other.id} is not free to choose")
            self._fits(symbol, value)
        for place in points:
            name = place.partition(".")[0]
            how = there.made.get(name)
            if isinstance(how, Mapping):
                how = {_function(n, points): sp.sympify(c).subs(constants, simultaneous=True) for n, c in how.items()}
            elif how is not None:
                how = replace(how, of=_function(how.of, points))
            ours = self.setting.made.get(_function(name, points))
            if (dict(ours) if isinstance(ours, Mapping) else ours) != how:
                raise Refused(f"{name} is made of other functions in {other.id}")


#: A strict relation, and the one that follows from it for what is measured.
_CLOSED = {sp.StrictLessThan: sp.LessThan, sp.StrictGreaterThan: sp.GreaterThan}


def _ruled(claim: Claim) -> list[sp.Rel]:
    """The rules of a claim's schedule."""
    rules = claim.schedule.rules if claim.schedule else {}
    return [sp.Eq(symbol, rule, evaluate=False) for symbol, rule in rules.items()]


def _parts(relation: sp.Rel) -> list[sp.Rel]:
    """What ``x > max(a, b)`` says of each argument, and ``x < min(a, b)``."""
    above = {sp.Max: (sp.StrictGreaterThan, sp.GreaterThan), sp.Min: (sp.StrictLessThan, sp.LessThan)}
    left, right = relation.args
    if isinstance(right, (sp.Max, sp.Min)) and isinstance(relation, above[type(right)]):
        return [relation.func(left, arg, evaluate=False) for arg in right.args]
    return []


def _name(ground: Ground, relations: Sequence[sp.Rel]) -> str:
    """What stands for the one relation that a step or a citation gives; the others stand for themselves."""
    return str(ground) if len(relations) == 1 and not isinstance(ground, Rule) else ""


def _sides(relation: sp.Rel) -> tuple[sp.Expr, sp.Expr]:
    """Small and large side."""
    if relation.rel_op == "<=":
        return relation.args
    if relation.rel_op == ">=":
        return relation.args[::-1]
    raise Refused(f"{relation} is no inequality <= or >=")


def _meaning(expr: sp.Basic, *, every_power: bool = False) -> list[sp.Rel]:
    """Under which conditions an expression has a meaning, but for those that the signs of its symbols give.

    Other powers than square roots, and logarithms, are numbers of which a decision knows nothing, unless they are asked
    for; the terms of a sum are decided where it is bounded.
    """
    if isinstance(expr, sp.Sum):
        return []
    needed = [c for arg in expr.args for c in _meaning(arg, every_power=every_power)]
    if isinstance(expr, sp.Pow):
        if not expr.exp.is_integer and (every_power or (expr.exp.is_Rational and expr.exp.q == 2)):
            needed.append(sp.Ge(expr.base, 0, evaluate=False))
        if expr.exp.is_negative or (every_power and not expr.exp.is_nonnegative):
            needed.append(sp.Ne(expr.base, 0, evaluate=False))
    elif isinstance(expr, sp.log) and every_power:
        needed.append(sp.Gt(expr.args[0], 0, evaluate=False))
    return [c for c in needed if not by_sign(c)]


@lru_cache(maxsize=1 << 12)
def _arithmetic(goal: sp.Rel, known: tuple[sp.Rel, ...]) -> bool:
    """Whether a relation between parameters follows from others."""
    if not _is_rational(goal):
        return False
    about = set(goal.free_symbols)
    rational = [r for r in known if _is_rational(r)]
    while more := [r for r in rational if r.free_symbols & about and not r.free_symbols <= about]:
        about |= {s for r in more for s in r.free_symbols}
    domain = Domain(tuple(sorted(about, key=str)), tuple(r for r in rational if r.free_symbols <= about))
    if domain.contradictory():
        return False
    gap = goal.lhs - goal.rhs
    match goal.rel_op:
        case ">":
            return domain.positive(gap) is not None
        case "<":
            return domain.positive(-gap) is not None
        case ">=":
            return domain.nonnegative(gap) is not None
        case "<=":
            return domain.nonnegative(-gap) is not None
        case "!=":
            return domain.nonzero(gap) is not None
    return domain.nonnegative(gap) is not None and domain.nonnegative(-gap) is not None


@lru_cache(maxsize=1 << 12)
def _nonnegative(goal: sp.Rel, assuming: tuple[sp.Rel, ...]) -> str | None:
    """Why an inequality between parameters follows; None where that is not shown."""
    small, large = _sides(goal)
    gap = large - small
    if not _is_rational(goal):
        return None
    symbols_ = {s for r in assuming for s in r.free_symbols} | gap.free_symbols
    domain = Domain(tuple(sorted(symbols_, key=str)), assuming)
    return domain.nonnegative(gap) if _has_value(goal, assuming) else None


def _says_positive(relation: sp.Rel) -> bool:
    return relation.rel_op == ">" and relation.rhs == 0 and relation.lhs.is_Symbol


def _has_value(goal: sp.Rel, assuming: tuple[sp.Rel, ...]) -> bool:
    """Whether the difference of the sides of a relation between parameters divides by nothing that may be zero."""
    gap = goal.lhs - goal.rhs
    symbols_ = {s for r in assuming for s in r.free_symbols} | gap.free_symbols
    domain = Domain(tuple(sorted(symbols_, key=str)), assuming)
    return domain.nonzero(sp.fraction(sp.together(gap))[1]) is not None


def _halves(goal: sp.Rel) -> tuple[sp.Rel, ...]:
    """An equation is two inequalities, and what is at least a maximum is at least each of its arguments."""
    if goal.rel_op == "==":
        return sp.Le(*goal.args, evaluate=False), sp.Ge(*goal.args, evaluate=False)
    small, large = _sides(goal)
    return tuple(sp.Le(arg, large, evaluate=False) for arg in small.args) if isinstance(small, sp.Max) else ()


def _exp(expr: sp.Expr) -> sp.Expr:
    """``exp(c log x + ...)``, written as ``x^c ...``."""
    out = sp.S.One
    for term in sp.Add.make_args(expr):
        log = next((f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)), None)
        out *= sp.exp(term) if log is None else log.args[0] ** (term / log)
    return out


def _function(name: str, points: dict[str, str]) -> str:
    """The name of a function of a cited claim among ours."""
    return next((there.partition(".")[0] for here, there in points.items() if here.partition(".")[0] == name), name)


def _placed(
    other: Claim,
    here: Setting,
    points: dict[str, str],
    free: dict[str, gram.Vector],
    constants: dict[sp.Symbol, sp.Expr],
) -> tuple[dict[str, gram.Vector], dict[sp.Expr, sp.Expr]]:
    """Vectors, and inner products, values and lengths of a cited claim in terms of ours, from what is named.

    What the claim says of fixed vectors holds in expectation for random ones, where it assumes nothing of randomness;
    what it says of a mean over an index needs vectors that depend on the index where its own do.

    Raises:
        Refused: a point does not exist, two of them put one vector in two places, or a vector depends on more, or
            is no minimum where theirs is one, or no such combination.
    """
    there = other.setting or Setting()
    composite: list[tuple[str, gram.Vector, gram.Vector]] = []
    vector: dict[str, gram.Vector] = {}
    moved: dict[sp.Expr, sp.Expr] = {}
    if odd := [n for n in free if n not in there.depends or n in (*there.means, *there.sums)]:
        raise Refused(f"{odd[0]} is no free vector of {other.id}")
    pairs: list[tuple[str, gram.Vector | None, gram.Vector | None]] = []
    for old, new in points.items():
        (theirs,), (ours,) = (s.points(*_named(p)) for s, p in ((there, old), (here, new)))
        pairs += [(old, theirs[0], ours[0]), (old, theirs[1], ours[1])]
        value = theirs[2] if len(theirs) > 2 else None
        if value is not None and not (value.is_Symbol and moved.setdefault(value, ours[2]) == ours[2]):
            raise Refused(f"{old} has the value {value}, {new} has {ours[2]}")
    pairs += [(n, v, free[n]) for n, v in there.vectors().items() if n in free]
    for old, part, place in pairs:
        if part is None:
            continue
        if place is None or (place.terms and not part.terms):
            raise Refused(f"{old} is known to have {part or 'zero'}, here it has {place}")
        pieces = _pieces(there, here, part, place)
        if not all(name for name, _ in pieces):
            composite.append((old, part, place))
            continue
        for name, ours_part in pieces:
            if vector.setdefault(name, ours_part) != ours_part:
                raise Refused(f"{name} of {other.id} would be {vector[name]} and {ours_part}")
            _no_more(name, other, frozenset().union(*(here.on(n) for n, _ in ours_part.terms)))
    for (a, u), (b, v) in combinations(vector.items(), 2):
        theirs_, ours_blocks = {there.blocks.get(a), there.blocks.get(b), None}, (_blocks(here, w) for w in (u, v))
        if len(theirs_) == 3 and not _disjoint(*ours_blocks):
            raise Refused(f"{a} and {b} of {other.id} are orthogonal, {u} and {v} need not be")
    # what an assumption says of a subspace by its name is true of that one
    assumed = (*there.assumes, *(a for h in other.hypotheses for a in h.says))
    said = {block for a in assumed if (block := getattr(a, "block", ""))}
    for name, place in vector.items():
        block = there.blocks.get(name)
        if block in said and not _blocks(here, place) <= {block}:
            raise Refused(f"{name} of {other.id} lies in the block {block}, {place} is not known to")
    for old, part, place in composite:
        if not _same(here, _image(part, vector, constants), place):
            raise Refused(f"{old} is {part} in {other.id}, and {place} is not known to be that at its place")
    _same_places(there, here, points, {*vector}, assumed)
    names = {(_named(old)[0], _named(new)[0]) for old, new in points.items()}
    for of, ours_ in sorted(names):
        least = here.infima.get(ours_)
        if of in there.infima and (least is None or moved.setdefault(there.infima[of], least) != least):
            raise Refused(f"{of} of {other.id} has the infimum {there.infima[of]}, {ours_} has {least or 'none'}")
    for square, v in there.squares.items():
        if all(name in vector for name, _ in v.terms):
            place = sum((vector[name] * c for name, c in v.terms), gram.Vector())
            moved.update((square, ours) for ours, w in here.squares.items() if w == place)
    named = [(*item, here.lengths) for item in there.lengths.items()]
    for length, v, known in [*named, *((*item, here.bounds) for item in there.bounds.items())]:
        if all(name in vector for name, _ in v.terms):
            place = sum((vector[name] * c for name, c in v.terms), gram.Vector())
            if same := [s for s, w in known.items() if w == place]:
                moved[length] = same[0]
    return vector, moved | {inner(a, b): gram.dot(u, v) for (a, u), (b, v) in product(vector.items(), repeat=2)}


def _same_structure(
    there: Setting, here: Setting, vector: Mapping[str, gram.Vector], constants: dict[sp.Symbol, sp.Expr]
) -> None:
    """Refuse places that are not the means, combinations and parts of indices that they are in a cited claim."""
    for name, place in vector.items():
        mean, total = there.means.get(name), there.sums.get(name)
        if mean is not None and not (mean.of in vector and _same(here, _mean_of(here, vector[mean.of], mean), place)):
            raise Refused(f"{name} is a mean of {mean.of}, and {place} is not known to be that of its place")
        if total is None or _is_gradient_of_parts(there, name, total):
            continue
        if not _same(here, _image(total, vector, constants), place):
            raise Refused(f"{name} is {total}, and {place} is not known to be that at its place")
    words = frozenset().union(*(there.on(name) for name in vector))
    for word in sorted(words):
        size = there.sizes.get(word)
        if size is not None and here.sizes.get(word) != size.subs(constants, simultaneous=True):
            raise Refused(f"{word} has {size} values, here {here.sizes.get(word, 'an unknown number')}")
        if (there.within.get(word), word in there.earlier) != (here.within.get(word), word in here.earlier):
            raise Refused(f"{word} does not belong to the same index here")


def _image(
    total: gram.Vector, vector: Mapping[str, gram.Vector], constants: dict[sp.Symbol, sp.Expr]
) -> gram.Vector | None:
    """A combination in terms of ours; None where one of its vectors has no place."""
    if any(name not in vector for name, _ in total.terms):
        return None
    return sum((vector[name] * c.subs(constants, simultaneous=True) for name, c in total.terms), gram.Vector())


def _mean_of(here: Setting, vector: gram.Vector, mean: Mean | SampleMean) -> gram.Vector | None:
    """The mean of a vector, term by term, among the vectors of a setting; None where it has no name."""
    named = {how: name for name, how in here.means.items()}
    total = gram.Vector()
    for name, c in vector.terms:
        # a weighted mean over a sample of a fixed vector is that vector times the weights of the sample
        weights = isinstance(mean, SampleMean) and mean.over in here.weighted
        if weights or here.on(name) & here.inside(mean.over):
            found = named.get(replace(mean, of=name))
            if found is None:
                return None
            name = found
        total += gram.vectors(name)[0] * c
    return total


def _same(here: Setting, u: gram.Vector | None, v: gram.Vector) -> bool:
    """Whether two combinations are equal, with those that have a name written out."""
    if u is None:
        return False
    apart = u - v
    while named := [(name, c) for name, c in apart.terms if name in here.sums]:
        apart += sum((here.sums[name] * c - gram.vectors(name)[0] * c for name, c in named), gram.Vector())
    return all(normal(c) == 0 for _, c in apart.terms)


def _is_gradient_of_parts(setting: Setting, name: str, total: gram.Vector) -> bool:
    """Whether a combination is the gradient of a function that is made of others, of their gradients there."""
    for of, how in setting.made.items():
        for point, (x, g, *_) in setting.functions.get(of, {}).items():
            if isinstance(how, Mapping) and g == gram.vectors(name)[0]:
                parts = [(c, setting.functions.get(part, {}).get(point)) for part, c in how.items()]
                if all(p is not None and p[0] == x and p[1] is not None for _, p in parts):
                    return _same(Setting(), sum((p[1] * c for c, p in parts if p), gram.Vector()), total)
    return False


def _renamed(of: str, points: dict[str, str], vector: Mapping[str, gram.Vector]) -> str:
    """What an assumption of a cited claim is about, among ours: a function, or a noise in the place of a noise."""
    if of not in vector:
        return _function(of, points)
    place = vector[of]
    if len(place.terms) != 1 or place.terms[0][1] != 1:
        raise Refused(f"{of} is a noise, and {place} is none")
    return place.terms[0][0]


def _pieces(there: Setting, here: Setting, theirs: gram.Vector, ours: gram.Vector) -> list[tuple[str, gram.Vector]]:
    """What a basic vector of a cited claim is here; of a sum, each part, where all lie in different subspaces.

    No name stands for a vector that is neither.
    """
    names = [name for name, factor in theirs.terms if factor == 1]
    blocks = [there.blocks.get(name) for name in names]
    if len(names) < len(theirs.terms) or (len(names) > 1 and (None in blocks or len({*blocks}) < len(blocks))):
        return [("", ours)]
    if len(names) == 1:
        return [(names[0], ours)]
    if not _blocks(here, ours) <= {*blocks}:
        return [("", ours)]
    return [(name, here.part(ours, block)) for name, block in zip(names, blocks, strict=True) if block]


def _blocks(setting: Setting, vector: gram.Vector) -> set[str | None]:
    """The subspaces in which a vector has parts; None for one that is not known."""
    return {setting.blocks.get(name) for name, _ in vector.terms}


def _disjoint(some: set[str | None], others: set[str | None]) -> bool:
    return not some & others and (None not in some | others or not (some and others))


def _same_places(
    there: Setting, here: Setting, points: dict[str, str], vectors: set[str], assumed: Sequence[Assumption]
) -> None:
    """Refuse places that are no gradients or minima, or have no named value, where those of a cited claim do."""
    about = {a.of for a in assumed} | there.made.keys()
    for of, known in there.functions.items():
        for point, (x, g, *value) in known.items():
            special = (g is not None and not g.terms) or (bool(value) and value[0] not in (None, *there.measured))
            image = g.terms if g and of in about else ()
            speaks = {name for name, _ in (*(x.terms if special else ()), *image)}
            if f"{of}.{point}" not in points and speaks & vectors:
                raise Refused(f"say which point of ours is {of}.{point}, where more is known of {of}")
    for says in there.assumes:
        if isinstance(says, Minimiser) and (place := points.get(f"{says.of}.{says.point}")):
            of, (point,) = _named(place)
            if Minimiser(of, point, over=_function(says.over, points)) not in here.assumes:
                raise Refused(f"{place} is not known to minimise {of} over {says.over}")


def _no_more(name: str, other: Claim, on: frozenset[str]) -> None:
    """Refuse a vector that depends on more than the one of a cited claim whose place it takes."""
    there = other.setting or Setting()
    random = (Unbiased, BoundedVariance, Independent, IndependentOf, Sampled)
    assumed = (*there.assumes, *(a for h in other.hypotheses for a in h.says))
    words = frozenset().union(*map(there.on, there.depends))
    more = on - there.on(name) if any(isinstance(a, random) for a in assumed) else on & words - there.on(name)
    if more:
        raise Refused(f"{name} of {other.id} does not depend on {', '.join(sorted(more))}")


def _named(point: str) -> tuple[str, tuple[str, ...]]:
    of, _, name = point.partition(".")
    return of, (name,)


def _is_rational(relation: sp.Rel) -> bool:
    try:
        check_rational(relation.lhs - relation.rhs, relation.free_symbols)
    except ValueError:
        return False
    return True


def _about(relations: Sequence[sp.Rel], symbols: set[sp.Symbol]) -> list[sp.Rel]:
    """The rational relations about these symbols only, but for those that the signs of the symbols give."""
    return [r for r in relations if _is_rational(r) and r.free_symbols <= symbols and not by_sign(r)]


@lru_cache(maxsize=1 << 12)
def _gram(
    goal: sp.Rel,
    given: tuple[sp.Rel, ...],
    assuming: tuple[sp.Rel, ...],
    multipliers: tuple[sp.Expr, ...] | None,
    values: tuple[sp.Symbol, ...],
) -> gram.Proved | gram.Refuted | gram.Open:
    """What is decided of one step; copies of a claim, and claims that share lemmas, take the same steps again."""
    return gram.decide(goal, given=given, assuming=assuming, multipliers=multipliers, values=values)
