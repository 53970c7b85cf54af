"""A lemma's proof, taken again with our vectors in the place of its own: every rule is asked of them in our setting.

Nothing is taken over from the lemma but the way: what comes out is proved of our vectors, from our hypotheses. So a
random vector in the place of a fixed one fails where the proof needs it to be fixed. What is written here need not be
trusted: the kernel checks these steps as it does those of an author.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import sympy as sp

from rateproof.theory.algebra import each_side
from rateproof.theory.claim import Claim, conjuncts, expand_definitions
from rateproof.theory.gram import Vector, dot, norm2
from rateproof.theory.gram.vectors import factors, name_of
from rateproof.theory.proof.cites import functions
from rateproof.theory.proof.context import Context
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.rules import Refused
from rateproof.theory.proof.setting import Mean, SampleMean, Setting
from rateproof.theory.proof.steps import Cite, Ground, Rule, Step, Supposed

#: The rules that are about a vector; all others are about a function and its points, or about symbols.
_OF_VECTORS = ("mean", "written_out", "fresh", "variance", "sampling")


@dataclass(frozen=True)
class Replay:
    """A lemma, and what its constants, points and vectors are here.

    Attributes:
        lemma: a claim with a proof.
        how: constants that are chosen, and points and vectors of ours.
        context: our claim.
        find: a claim that the lemma's proof cites.
    """

    lemma: Claim
    how: Cite
    context: Context
    find: Callable[[str | Claim], Claim]

    @property
    def there(self) -> Setting:
        """The lemma's setting."""
        return self.lemma.setting or Setting()

    @property
    def here(self) -> Setting:
        """Ours."""
        return self.context.setting

    @property
    def supposed(self) -> dict[str, sp.Rel]:
        """What the lemma supposes of numbers, with ours in their place, by the names that its steps use.

        Raises:
            Refused: it speaks of a vector that is not named.
        """
        rules = self.lemma.schedule.rules if self.lemma.schedule else {}
        said = [(f"hypothesis {h.key}", r) for h in self.lemma.hypotheses for r in conjuncts(h.relation)]
        said += [(f"rule {s}", sp.Eq(s, rule, evaluate=False)) for s, rule in rules.items()]
        found: dict[str, sp.Rel] = {}
        for key, relation in said:
            found[key if key not in found else f"{key}[{len(found)}]"] = self._relation(relation)
        return found

    def steps(self, supposed: Iterable[str]) -> tuple[list[Step], list[sp.Rel], list[Refused]]:
        """The lemma's steps and statement with our vectors, each step told of what the lemma supposes.

        What speaks of vectors that are not named is left out, with the steps that rest on it; the last are the reasons.

        Raises:
            Refused: the lemma has no proof.
        """
        if self.lemma.proof is None:
            raise Refused(f"{self.lemma.id} has no proof that could be taken again; cite it in its own setting")
        steps: list[Step] = []
        stated: list[sp.Rel] = []
        lost: dict[object, Refused] = {}
        for step in self.lemma.proof.steps:
            try:
                if odd := [ground for ground in step.grounds if isinstance(ground, str) and ground in lost]:
                    raise lost[odd[0]]
                steps.append(self._step(step, list(supposed)))
            except Refused as unplaced:
                lost[step.name] = unplaced
        for relation in conjuncts(self.lemma.statement):
            try:
                stated.append(self._relation(relation))
            except Refused as unplaced:
                lost[relation] = unplaced
        return steps, stated, list(lost.values())

    # --- what is what

    @cached_property
    def functions(self) -> dict[str, str]:
        """Function of the lemma -> the one of ours in its place."""
        return functions(self.how)

    @cached_property
    def vector(self) -> dict[str, Vector]:
        """The lemma's vectors in terms of ours; means of them are ours where we have one."""
        there, here = self.there, self.here
        if odd := sorted(self.how.vectors.keys() - {*there.names}):
            raise Refused(f"{odd[0]} is no vector of {self.lemma.id}; it has {', '.join(there.names)}")
        found = dict(self.how.vectors)
        for old, new in self.how.points.items():
            for theirs, ours in zip(there.spot(old)[:2], here.spot(new)[:2], strict=True):
                if theirs is None:
                    continue
                if ours is None or (ours.terms and not theirs.terms):
                    raise Refused(f"{old} is known to have {theirs or 'zero'}, here it has {ours}")
                for name, part in self._parts(theirs, ours):
                    if not here.same(found.setdefault(name, part), part):
                        raise Refused(f"{name} of {self.lemma.id} would be {found[name]} and {part}")
        for _ in (*there.means, *there.sums):
            for name, how in there.means.items():
                if name not in found and how.of in found and (mean := _mean(here, found[how.of], how)):
                    found[name] = mean
            for name, total in there.sums.items():
                if name not in found and (image := self._image(total, found)) is not None:
                    found[name] = image
        return found

    def _parts(self, theirs: Vector, ours: Vector) -> list[tuple[str, Vector]]:
        """What a basic vector is here; of a sum of vectors in different subspaces, each of them."""
        if name := name_of(theirs):
            return [(name, ours)]
        blocks = {block: name for name, c in theirs.terms if c == 1 and (block := self.there.blocks.get(name))}
        apart = len(blocks) == len(theirs.terms) and {self.here.blocks.get(n, "") for n, _ in ours.terms} <= {*blocks}
        return [(name, self.here.part(ours, block)) for block, name in blocks.items()] if apart else []

    def _image(self, total: Vector, places: Mapping[str, Vector]) -> Vector | None:
        """A combination in terms of ours; None where one of its vectors has no place."""
        if any(name not in places for name, _ in total.terms):
            return None
        return sum((places[name] * c.xreplace(dict(self.how.at)) for name, c in total.terms), Vector())

    @cached_property
    def _numbers(self) -> dict[sp.Expr, sp.Expr]:
        """The constants that are chosen, values at points, infima, and norms of vectors."""
        there, here = self.there, self.here
        if odd := sorted(map(str, self.how.at.keys() & {*there.named_values, *there.numbers, *there.meanings})):
            raise Refused(f"{odd[0]} of {self.lemma.id} is not free to choose")
        found: dict[sp.Expr, sp.Expr] = dict(self.how.at)
        for old, new in self.how.points.items():
            theirs, ours = ((*spot, None)[2] for spot in (there.spot(old), here.spot(new)))
            if isinstance(theirs, sp.Symbol) and ours is not None:
                found.setdefault(theirs, ours)
        for of, least in there.infima.items():
            if isinstance(least, sp.Symbol) and (ours := here.infima.get(self.functions.get(of, of))) is not None:
                found.setdefault(least, ours)
        for kind in ("lengths", "bounds", "squares"):
            for number, vector in getattr(there, kind).items():
                if (image := self._image(vector, self.vector)) is not None:
                    alike = [n for n, v in getattr(here, kind).items() if here.same(v, image)]
                    found.update({number: alike[0]} if alike else {number: norm2(image)} if kind == "squares" else {})
        return found

    @cached_property
    def _differ(self) -> dict[sp.Symbol, sp.Expr]:
        """Its definitions that are not ours."""
        ours = self.context.claim.expand

        def alike(symbol: sp.Symbol) -> bool:
            try:
                return bool(ours(self._placed(self.lemma.expand(symbol))) == ours(symbol))
            except Refused:  # it speaks of what has no place
                return False

        return {s: e for s, e in self.lemma.where.items() if not alike(s)}

    def _placed(self, form: sp.Expr) -> sp.Expr:
        """An expression without definitions of the lemma's own, with our vectors and numbers."""
        there = self.there
        for _ in range(2):  # a metric may be made of metrics
            form = form.xreplace(dict(there.metrics))
        inner = {s: pair for s in form.free_symbols if (pair := factors(s))}
        said = (there.named_values | there.numbers | there.meanings) - inner.keys()
        lost = {n for pair in inner.values() for n in pair} - self.vector.keys()
        if lost:
            which = "which vector of ours is" if len(lost) == 1 else "which vectors of ours are"
            raise Refused(f"{self.lemma.id}: say in vectors {which} {', '.join(sorted(lost))}")
        if unplaced := sorted(map(str, form.free_symbols & said - self._numbers.keys())):
            raise Refused(f"{self.lemma.id}: {unplaced[0]} is at no point that was named")
        moved = {s: dot(*(self.vector[n] for n in pair)) for s, pair in inner.items()}
        return form.xreplace({**self._numbers, **moved})

    def _expression(self, expr: sp.Expr) -> sp.Expr:
        return self._placed(expand_definitions(with_own_indices(sp.sympify(expr)), self._differ))

    def _relation(self, relation: sp.Rel) -> sp.Rel:
        return each_side(relation, self._expression)

    # --- steps

    def _step(self, step: Step, supposed: list[str]) -> Step:
        """A step with our vectors."""
        said: dict[str, Any] = {}
        for name in [f.name for f in fields(step) if f.name != "name"]:
            part = getattr(step, name)
            if name in ("by", "base"):
                grounds = [g for ground in part for g in self._grounds(ground, supposed)]
                said[name] = [*{str(g): g for g in (*grounds, *supposed)}.values()]
            elif name == "goal" and not isinstance(part, sp.Rel):
                said[name] = self._relation(conjuncts(self.lemma.statement)[int(part)])
            elif name == "multipliers":
                said[name] = None if part is None else self._multipliers(step, supposed)
            else:
                said[name] = self._said(part)
        return replace(step, **said)

    def _said(self, part: Any) -> Any:
        """What a step says of an expression, a relation or several."""
        if isinstance(part, sp.Rel):
            return self._relation(part)
        if isinstance(part, sp.Expr):
            return self._expression(part)
        if isinstance(part, Mapping):
            return {symbol: self._expression(value) for symbol, value in part.items()}
        return [*map(self._said, part)] if isinstance(part, (tuple, list)) else part

    def _multipliers(self, step: Any, supposed: list[str]) -> Any:
        """Those of the lemma, called as our grounds are; none where they speak of what has no place."""
        pairs = [(str(old), self._grounds(old, supposed)) for old in step.by]
        names = {old: str(new[0]) for old, new in pairs if len(new) == 1}
        try:
            if not isinstance(step.multipliers, Mapping):
                return [self._expression(m) for m in step.multipliers]
            told = ((name.partition("["), m) for name, m in step.multipliers.items())
            return {names.get(a, a) + mid + b: self._expression(m) for (a, mid, b), m in told}
        except Refused:
            return None

    def _grounds(self, ground: Ground, supposed: list[str]) -> list[Ground]:
        """What a ground of the lemma is here: a rule about a combination, one about each of its parts."""
        if isinstance(ground, Cite):
            return [self._cited(ground)]
        if isinstance(ground, Supposed):
            return [str(ground)] if str(ground) in supposed else [ground]
        if isinstance(ground, str) or not ground.about:
            return [ground]
        if ground.name == "unfold":
            left = tuple(s for s in ground.about if s not in self._differ)
            return [Rule(ground.name, left)] if left else []
        if not isinstance(ground.about[0], str):
            return [Rule(ground.name, tuple(self._expression(s) for s in ground.about))]
        of, *points = map(str, ground.about)
        if ground.name not in _OF_VECTORS:
            if lost := [point for point in points if f"{of}.{point}" not in self.how.points]:
                raise Refused(f"{self.lemma.id}: say which point of ours is {of}.{lost[0]}")
            places = [self.how.points[f"{of}.{point}"].partition(".")[2] for point in points]
            return [Rule(ground.name, (self.functions.get(of, of), *places))]
        if of not in self.vector:
            raise Refused(f"{self.lemma.id}: say in vectors which vector of ours is {of}")
        if name := name_of(self.vector[of]):
            return [Rule(ground.name, (name,))]
        known = {"mean": self.here.means, "written_out": self.here.sums}.get(ground.name)
        if known is None:
            raise Refused(f"{self.lemma.id}: {of} is {self.vector[of]} here, and {ground.name} is about one vector")
        return [Rule(ground.name, (name,)) for name, _ in self.vector[of].terms if name in known]

    def _cited(self, ground: Cite) -> Cite:
        """A claim that the lemma cites, at our vectors."""
        other = self.find(ground.claim)
        setting = other.setting or Setting()
        points, vectors = self.how.points, self.vector
        if ground.points or ground.vectors:
            points = {old: points[new] for old, new in ground.points.items() if new in points}
            vectors = {n: v for n, u in ground.vectors.items() if (v := self._image(u, vectors)) is not None}
        points = {
            p: q for p, q in points.items() if p.partition(".")[2] in setting.functions.get(p.partition(".")[0], {})
        }
        at = dict(self.how.at) | {s: self._expression(value) for s, value in ground.at.items()}
        return Cite(
            ground.claim, at=at, points=points, vectors={n: v for n, v in vectors.items() if n in setting.names}
        )


def _mean(here: Setting, of: Vector, how: Mean | SampleMean) -> Vector | None:
    """The mean of a combination over one index, as our setting names it; None where it names none or several."""
    names = {name for name, _ in of.terms}
    kinds = {replace(m, of="") for m in here.means.values() if type(m) is type(how) and m.of in names}
    return here.mean_of(of, kinds.pop()) if len(kinds) == 1 else None
