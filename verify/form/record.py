"""One record for a claim: on which families it is tried, and what refutes it. Everything else is derived from it.

A paper exports ``RECORDS``, and :func:`rateproof.verify.registry.record` gives that of a claim.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.verify.counterexamples.replay import Counterexample, Instance
from rateproof.verify.deciders import growth, kernel
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.deciders.search import search
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form.family import Climb, Family, Params
from rateproof.verify.form.outcomes import unlike_the_run
from rateproof.verify.planted.mutate import Sharp
from rateproof.verify.spaces.rescaled import suspected
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget, Check

METHOD = "exact arithmetic"
#: Parameters that may leave their first corner value at once in a check, one beside a certificate; draws of a full one.
APART = {"quick": 2, "full": 3}
DRAWS = 300
#: Instances of a claim that adds unlike units of which rescaled copies are looked at.
RESCALED = 12


@dataclass(frozen=True)
class Example:
    """A counterexample in round numbers, which a reader can follow with a pencil.

    Attributes:
        family: that the instance is of.
        params: its parameters; those not given are at their first corner.
        left, right: both sides of the violated relation; a decimal number stands for all that round to it.
        by_hand: the arithmetic.
        climb, ratios: for an O(.) claim, instances along which the ratio of both sides grows tenfold or more from each
            to the next, and these ratios with the hidden constant 1.
    """

    family: Family
    params: Mapping[str, Any]
    left: str
    right: str
    by_hand: str
    climb: Climb | None = None
    ratios: tuple[str, ...] = ()


def example(family: Family, *, left: str, right: str, by_hand: str, **params: Any) -> Example:
    """See :class:`Example`; a real parameter is a whole number or a text such as ``1/3``.

    Raises:
        ValueError: a parameter that the family does not have; it is named.
    """
    return Example(family, family.read(params), left, right, by_hand)


def growing(climb: Climb, *, ratios: Iterable[str], by_hand: str) -> Example:
    """A counterexample to an O(.) claim; see :class:`Example`."""
    return Example(climb.family, {}, "", "", by_hand, climb, tuple(ratios))


@dataclass(frozen=True)
class Record:
    """A claim with the families that it is tried on; see :func:`record`."""

    claim: Claim
    families: tuple[Family, ...]
    refuted_by: Example | None = None
    tight: Sharp | None = None
    own_check: Check | None = field(default=None, repr=False)
    own_spaces: tuple[Space[Any], ...] = field(default=(), repr=False)
    climbs: tuple[Climb, ...] = ()

    @cached_property
    def spaces(self) -> tuple[Space[Any], ...]:
        """The families as a search sees them, or the climbs of an O(.) claim, and what is searched besides.

        The counterexample is the first corner of its family.
        """
        tried_on = (one.space() for one in self.climbs) if self.climbs else map(self._space, self.families)
        return (*tried_on, *self.own_spaces)

    def _space(self, family: Family) -> Space[Params]:
        space, shown = family.space(self.claim), self.refuted_by
        if shown is None or shown.family is not family:
            return space
        return replace(space, corners=lambda copy: chain([self.shown], space.corners(copy)))

    def check(self, claim: Claim, budget: Budget) -> Iterator[Evidence]:
        """Evidence on the claim, or on a copy of it: the counterexample, corners of all families, draws.

        The other readings of ambiguous places are decided on the same families.
        """
        if self.own_check is not None:
            yield from self.own_check(claim, budget)
        if self.climbs:
            yield from self._climbed(claim)
        elif self.families:
            tried = self._tried(claim, 1 if self._certain(claim) and budget.tier == "quick" else APART[budget.tier])
            if tried.finding is Finding.INCONCLUSIVE:
                tried = self._tried(claim, APART[budget.tier])
            yield tried
            for name, other in claim.readings():
                trials = self.trials(other, APART[budget.tier])
                yield decide(other, trials, method=METHOD, detail=tried.detail, reading=name)
            if tried.finding is Finding.VIOLATION:
                return
            if suspicion := suspected(claim, islice(self.trials(claim, APART[budget.tier]), RESCALED)):
                yield suspicion
            if budget.tier == "full":
                for family in self.families:
                    drawn = family.strategy(claim, self.claim)
                    yield search(claim, drawn, family.trial, examples=DRAWS, seed=budget.seed)

    def _tried(self, claim: Claim, apart: int) -> Evidence:
        detail = "; ".join(family.name for family in self.families)
        return decide(claim, self.trials(claim, apart), method=METHOD, detail=detail)

    def _certain(self, claim: Claim) -> bool:
        """Whether a certificate decides the claim: instances then only show that it speaks of the method."""
        if claim is not self.claim or (proof := kernel.prove(claim)) is None:
            return False
        return proof.finding is Finding.PROOF and proof.level is Level.CERTIFICATE

    def _climbed(self, claim: Claim) -> Iterator[Evidence]:
        ladders = [one.ladder() for one in self.climbs]
        for name, copy in (("", claim), *claim.readings()):
            yield growth.decide(copy, ladders, method=METHOD, reading=name)

    def trials(self, claim: Claim, apart: int) -> Iterator[Trial]:
        """The counterexample, then the corners of all families for a copy of the claim."""
        if self.refuted_by is not None and self.refuted_by.climb is None:
            yield self._example
        for family in self.families:
            for params in family.corners(claim, self.claim, apart=apart):
                try:
                    yield family.trial(params)
                except ValueError:
                    continue  # these parameters make no instance

    def unlike_a_run(self) -> str | None:
        """Where the setting of the claim's proof is not that of a run; "" where it is, None where no family has one.

        Looked at is the simplest instance of each family; a law looks at more.
        """
        compared = False
        for family in self.families:
            params = next(family.corners(self.claim, apart=0), None)
            run = None if params is None else family.in_vectors(params)
            if params is not None and run is not None:
                compared, trial = True, family.trial(params)
                for fault in unlike_the_run(self.claim, run, trial):
                    return f"{fault} ({trial.label})"
        return "" if compared else None

    @cached_property
    def shown(self) -> Params:
        """All parameters of the counterexample."""
        assert self.refuted_by is not None
        return {**next(self.refuted_by.family.corners(self.claim, apart=0)), **self.refuted_by.params}

    @cached_property
    def _example(self) -> Trial:
        assert self.refuted_by is not None
        return self.refuted_by.family.trial(self.shown)

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """The stored counterexample, as the commands show it."""
        shown = self.refuted_by
        if shown is None:
            return None
        by_hand = " ".join(shown.by_hand.split())
        if shown.climb is not None:
            rungs = [self._as_data(shown.climb.family, rung) for rung in shown.climb.rungs]
            return Counterexample(self.claim, by_hand, self._measured, ratios=shown.ratios, data={"rungs": rungs})
        params = {name: x for name, x in self._example.at.items() if name != "family"}
        data = self._as_data(shown.family, params)
        return Counterexample(self.claim, by_hand, self._measured, shown.left, shown.right, data=data)

    @staticmethod
    def _as_data(family: Family, params: Params) -> dict[str, Any]:
        """Parameters as a stored counterexample has them: choices in words, and the others as numbers to copy."""
        kinds = {name: family.ranges[name].kind for name in params}
        words = ", ".join([family.name, *(f"{n} = {x}" for n, x in params.items() if kinds[n] == "choice")])
        values = {n: x if isinstance(x, int) else str(x) for n, x in params.items() if kinds[n] != "choice"}
        return {"instance": {"says": words}, "values": values}

    def _measured(self, claim: Claim, data: Mapping[str, Any]) -> Iterator[Instance]:
        """Exact numbers and reasons of hypotheses of the counterexample, of each rung where it is a climb."""
        assert self.refuted_by is not None
        climbing = self.refuted_by.climb
        for trial in climbing.ladder().trials if climbing else [self._example]:
            yield trial.numbers or {}, {key: fact.why for key, fact in trial.facts.items() if fact.holds}

    def refutation(self) -> Evidence | None:
        """What a check finds on the counterexample alone; None when there is none."""
        if self.refuted_by is None:
            return None
        if self.refuted_by.climb is not None:
            return growth.decide(self.claim, [self.refuted_by.climb.ladder()], method=METHOD)
        return decide(self.claim, [self._example], method=METHOD)


def record(
    claim: Claim,
    *,
    families: Iterable[Family] = (),
    climbs: Iterable[Climb] = (),
    refuted_by: Example | None = None,
    tight: Sharp | None = None,
    check: Check | None = None,
    spaces: Iterable[Space[Any]] = (),
) -> Record:
    """The record of one claim.

    Args:
        claim: as ``theory`` states it.
        families: on which it is tried, the simplest first; that of ``refuted_by`` if none are given.
        climbs: on which an O(.) claim is tried instead, those aimed at it first; that of ``refuted_by`` besides.
        refuted_by: for a claim that is false.
        tight: where a family attains it, so that errors planted there are certain to be false.
        check, spaces: what no family says, such as an experiment or a table, comes before and besides the families.

    Raises:
        ValueError: nothing is tried.
    """
    first = () if refuted_by is None or refuted_by.climb is None else (refuted_by.climb,)
    climbing = tuple(dict.fromkeys((*first, *climbs)))
    tried = tuple(families) or (() if refuted_by is None or climbing else (refuted_by.family,))
    if not (chosen := tuple(dict.fromkeys((*tried, *(c.family for c in climbing))))) and check is None:
        raise ValueError(f"the record of {claim.id} needs families, or a check of its own")
    return Record(claim, chosen, refuted_by, tight, check, tuple(spaces), climbing)


def collected(package: str) -> tuple[Record, ...]:
    """The records of all modules of a package, single ones and those in tuples, in the order of the paper.

    Args:
        package: its name.

    Raises:
        ValueError: two records of one claim, or one of a claim that its paper does not have.
    """
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{info.name}") for info in pkgutil.iter_modules(path)]
    records: dict[str, Record] = {}
    held = chain.from_iterable(vars(module).values() for module in modules)
    for one in chain.from_iterable(thing if isinstance(thing, tuple) else (thing,) for thing in held):
        if isinstance(one, Record):
            if records.get(one.claim.id, one) is not one:
                raise ValueError(f"there are two records of {one.claim.id}")
            records[one.claim.id] = one
    order = [
        claim for paper in dict.fromkeys(one.claim.paper for one in records.values()) for claim in catalog.claims(paper)
    ]
    if odd := records.keys() - set(order):
        raise ValueError(f"there is a record of {', '.join(sorted(odd))}, which its paper does not export")
    return tuple(records[i] for i in order if i in records)
