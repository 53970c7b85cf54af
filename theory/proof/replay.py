"""A lemma's proof, taken again with our vectors in the place of its own: every rule is asked of them in our setting.

Nothing is taken over from the lemma but the way: what comes out is proved of our vectors, from our hypotheses. So a
random vector in the place of a fixed one fails where the proof needs it to be fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import sympy as sp

from rateproof.theory.algebra import each_side
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Vector, dot
from rateproof.theory.gram.vectors import factors, name_of
from rateproof.theory.proof.rules import Refused
from rateproof.theory.proof.setting import Mean, SampleMean, Setting
from rateproof.theory.proof.steps import Cite, Ground, Have, Proof, Rule, Step


@dataclass(frozen=True)
class Replay:
    """A lemma, and what its constants, points and vectors are here.

    Attributes:
        lemma: a claim with a proof.
        how: constants that are chosen, and points and vectors of ours.
        here: our setting.
    """

    lemma: Claim
    how: Cite
    here: Setting

    def claim(self, ours: Claim) -> tuple[Claim, Proof, Proof]:
        """The lemma's statement of our vectors, under our hypotheses; its steps, with its multipliers and without.

        Raises:
            Refused: a vector is not named, or a step cannot be taken again.
        """
        lemma = self.lemma
        if lemma.proof is None or lemma.where or lemma.schedule or lemma.statement is None:
            raise Refused(f"{lemma.id} has no proof of vectors alone that could be taken again")
        stated = [self._relation(r) for r in conjuncts(lemma.statement)]
        whole = stated[0] if len(stated) == 1 else sp.And(*stated, evaluate=False)
        steps = [self._step(step) for step in lemma.proof.steps]
        found = [replace(step, multipliers=None) for step in steps]
        return replace(ours, statement=whole, proof=None), Proof(*steps), Proof(*found)

    @property
    def there(self) -> Setting:
        """The lemma's setting."""
        return self.lemma.setting or Setting()

    @cached_property
    def vector(self) -> dict[str, Vector]:
        """The lemma's vectors in terms of ours; means of them are ours where we have one."""
        there, here = self.there, self.here
        if odd := sorted(self.how.vectors.keys() - {*there.names}):
            raise Refused(f"{odd[0]} is no vector of {self.lemma.id}; it has {', '.join(there.names)}")
        found = dict(self.how.vectors)
        for old, new in self.how.points.items():
            for theirs, ours in zip(there.spot(old)[:2], here.spot(new)[:2], strict=True):
                if theirs is not None and ours is not None and (name := name_of(theirs)):
                    found.setdefault(name, ours)
        for _ in there.means:
            for name, how in there.means.items():
                if name not in found and how.of in found and (mean := _mean(here, found[how.of], how)):
                    found[name] = mean
        return found

    @cached_property
    def _values(self) -> dict[sp.Expr, sp.Expr]:
        """The values at points, and the constants that are chosen."""
        found: dict[sp.Expr, sp.Expr] = dict(self.how.at)
        for old, new in self.how.points.items():
            theirs, ours = self.there.spot(old)[2], self.here.spot(new)[2]
            if theirs is not None and ours is not None:
                found.setdefault(theirs, ours)
        return found

    def _expression(self, expr: sp.Expr) -> sp.Expr:
        form = sp.sympify(expr).xreplace(dict(self.there.metrics))
        inner = {s: pair for s in form.free_symbols if (pair := factors(s))}
        if lost := sorted({n for pair in inner.values() for n in pair} - self.vector.keys()):
            raise Refused(f"{self.lemma.id}: say in vectors which vector of ours is {lost[0]}")
        moved = {s: dot(*(self.vector[n] for n in pair)) for s, pair in inner.items()}
        if lost := sorted(map(str, form.free_symbols & (self.there.values | self.there.numbers) - self._values.keys())):
            raise Refused(f"{self.lemma.id}: say in points at which point of ours {lost[0]} is")
        return form.xreplace({**self._values, **moved})

    def _relation(self, relation: sp.Rel) -> sp.Rel:
        return each_side(relation, self._expression)

    def _step(self, step: Step) -> Have:
        if not isinstance(step, Have):
            raise Refused(f"{self.lemma.id}: {step.name} cannot be taken again at other vectors")
        goal = self._relation(step.goal) if isinstance(step.goal, sp.Rel) else step.goal
        when = tuple(map(self._relation, step.when))
        grounds = [self._grounds(ground) for ground in step.by]
        by = tuple(dict.fromkeys(ground for group in grounds for ground in group))
        names = {str(old): str(new[0]) for old, new in zip(step.by, grounds, strict=True) if len(new) == 1}
        return replace(step, goal=goal, when=when, by=by, multipliers=self._multipliers(step, names))

    def _multipliers(self, step: Have, names: Mapping[str, str]) -> Mapping[str, sp.Expr] | Sequence[sp.Expr] | None:
        if step.multipliers is None:
            return None
        if not isinstance(step.multipliers, Mapping):
            return [self._expression(m) for m in step.multipliers]
        told = ((name.partition("["), m) for name, m in step.multipliers.items())
        return {names.get(a, a) + mid + b: self._expression(m) for (a, mid, b), m in told}

    def _grounds(self, ground: Ground) -> list[Ground]:
        """What a ground of the lemma is here: a rule about a combination, one about each of its parts."""
        if isinstance(ground, str):
            return [ground]
        if not isinstance(ground, Rule) or not all(isinstance(a, str) for a in ground.about) or not ground.about:
            raise Refused(f"{self.lemma.id}: {ground} cannot be taken again at other vectors")
        of, *points = map(str, ground.about)
        if of in self.there.functions:
            places = [self.how.points.get(f"{of}.{point}", "") for point in points]
            if not all(places) or len({place.partition(".")[0] for place in places}) != 1:
                raise Refused(f"{self.lemma.id}: say in points which points of ours are {', '.join(points)} of {of}")
            return [Rule(ground.name, (places[0].partition(".")[0], *(p.partition(".")[2] for p in places)))]
        if points or of not in self.vector:
            raise Refused(f"{self.lemma.id}: say in vectors which vector of ours is {of}")
        if name := name_of(self.vector[of]):
            return [Rule(ground.name, (name,))]
        if ground.name != "mean":
            raise Refused(f"{self.lemma.id}: {of} is {self.vector[of]} here, and {ground.name} is about one vector")
        return [Rule(ground.name, (name,)) for name, _ in self.vector[of].terms if name in self.here.means]


def taken_again(replay: Replay, ours: Claim, check: Callable[[Claim, Proof], object]) -> list[sp.Rel]:
    """The relations of a lemma, proved of our vectors.

    Raises:
        Refused: its proof does not go through here.
    """
    claim, as_written, searched = replay.claim(ours)
    try:
        check(claim, as_written)
    except ValueError:
        if as_written.steps == searched.steps:
            raise
        check(claim, searched)
    return list(conjuncts(claim.statement))


def _mean(here: Setting, of: Vector, how: Mean | SampleMean) -> Vector | None:
    """The mean of a combination over one index, as our setting names it; None where it names none or several."""
    names = {name for name, _ in of.terms}
    kinds = {replace(m, of="") for m in here.means.values() if type(m) is type(how) and m.of in names}
    return here.mean_of(of, kinds.pop()) if len(kinds) == 1 else None
