"""One record for a claim: on which families it is tried, and what refutes it. Everything else is derived from it.

A paper exports ``RECORDS``; :mod:`rateproof.verify.registry` takes checks, spaces and what is sharp from
there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.verify.counterexamples.replay import Counterexample, Replay, check_stated, replay
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.deciders.search import search
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.form.family import Family
from rateproof.verify.planted.mutate import Sharp
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget, Check

METHOD = "exact arithmetic"
#: Parameters that may leave their first corner value at once in a check, and draws of a full one.
APART = {"quick": 2, "full": 3}
DRAWS = 300


@dataclass(frozen=True)
class Example:
    """A counterexample in round numbers, which a reader can follow with a pencil.

    Attributes:
        family: that the instance is of.
        params: its parameters; those not given are at their first corner.
        left, right: both sides of the violated relation; a decimal number stands for all that round to it.
        by_hand: the arithmetic.
    """

    family: Family
    params: Mapping[str, Any]
    left: str
    right: str
    by_hand: str


def example(family: Family, *, left: str, right: str, by_hand: str, **params: Any) -> Example:
    """See :class:`Example`; a real parameter is a whole number or a text such as ``1/3``.

    Raises:
        ValueError: a parameter that the family does not have; it is named.
    """
    return Example(family, family.read(params), left, right, by_hand)


@dataclass(frozen=True)
class Record:
    """A claim with the families that it is tried on; see :func:`record`."""

    claim: Claim
    families: tuple[Family, ...]
    refuted_by: Example | None = None
    tight: Sharp | None = None
    own_check: Check | None = field(default=None, repr=False)
    own_spaces: tuple[Space[Any], ...] = field(default=(), repr=False)

    @cached_property
    def spaces(self) -> tuple[Space[Any], ...]:
        """The families as a search sees them, and what is searched besides."""
        return (*(family.space(self.claim) for family in self.families), *self.own_spaces)

    def check(self, claim: Claim, budget: Budget) -> Iterator[Evidence]:
        """Evidence on the claim, or on a copy of it: the counterexample, corners of all families, draws.

        The other readings of ambiguous places are decided on the same families.
        """
        if self.own_check is not None:
            yield from self.own_check(claim, budget)
        if self.families:
            tried = decide(
                claim,
                self.trials(claim, APART[budget.tier]),
                method=METHOD,
                detail="; ".join(family.name for family in self.families),
            )
            yield tried
            for name, other in claim.readings():
                trials = self.trials(other, APART[budget.tier])
                yield decide(other, trials, method=METHOD, detail=tried.detail, reading=name)
            if tried.finding is Finding.VIOLATION:
                return
            if budget.tier == "full":
                for family in self.families:
                    drawn = family.strategy(claim, self.claim)
                    yield search(claim, drawn, family.trial, examples=DRAWS, seed=budget.seed)

    def trials(self, claim: Claim, apart: int) -> Iterator[Trial]:
        """The counterexample, then the corners of all families for a copy of the claim."""
        if self.refuted_by is not None:
            yield self._example
        for family in self.families:
            for params in family.corners(claim, self.claim, apart=apart):
                try:
                    yield family.trial(params)
                except ValueError:
                    continue  # these parameters make no instance

    @cached_property
    def _example(self) -> Trial:
        shown = self.refuted_by
        assert shown is not None
        first = next(shown.family.corners(self.claim, apart=0))
        return shown.family.trial({**first, **shown.params})

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """The stored counterexample, as the commands show it."""
        shown = self.refuted_by
        if shown is None:
            return None
        told = {name: x for name, x in self._example.at.items() if name != "family"}
        kinds = {name: shown.family.ranges[name].kind for name in told}
        says = ", ".join([shown.family.name, *(f"{n} = {x}" for n, x in told.items() if kinds[n] == "choice")])
        data = {"instance": {"says": says}, "values": {n: x for n, x in told.items() if kinds[n] != "choice"}}
        return Counterexample(self.claim.id, " ".join(shown.by_hand.split()), shown.left, shown.right, data=data)

    def replayed(self, claim: Claim | None = None) -> Replay:
        """The counterexample evaluated again in exact arithmetic and compared with what it states.

        Raises:
            ValueError: there is none, it refutes nothing, or states other numbers.
        """
        if self.counterexample is None:
            raise ValueError(f"the record of {self.claim.id} has no counterexample")
        facts = {key: fact.why for key, fact in self._example.facts.items() if fact.holds}
        found = replay(claim or self.claim, self._example.numbers or {}, facts)
        check_stated(self.counterexample, found)
        return found

    def exported(self, name: str) -> Any:
        """What the registry knows by one of its names about this claim; None when the record says nothing."""
        match name:
            case "CHECKS":
                return self.check
            case "SPACES":
                return self.spaces or None
            case "SHARP":
                return self.tight
            case "RECORDS":
                return self
        return None


def record(
    claim: Claim,
    *,
    families: Iterable[Family] = (),
    refuted_by: Example | None = None,
    tight: Sharp | None = None,
    check: Check | None = None,
    spaces: Iterable[Space[Any]] = (),
) -> Record:
    """The record of one claim.

    Args:
        claim: as ``theory`` states it.
        families: on which it is tried, the simplest first.
        refuted_by: for a claim that is false.
        tight: where a family attains it, so that errors planted there are certain to be false.
        check, spaces: what no family says, such as an experiment or a table, comes before and besides the families.

    Raises:
        ValueError: nothing is tried.
    """
    if not (chosen := tuple(families)) and check is None:
        raise ValueError(f"the record of {claim.id} needs families, or a check of its own")
    return Record(claim, chosen, refuted_by, tight, check, tuple(spaces))


def collected(package: str) -> tuple[Record, ...]:
    """The records of all modules of a package, single ones and those in tuples, in the order of the paper.

    Args:
        package: its name.

    Raises:
        ValueError: two records of one claim, or one of a claim that its paper does not have.
    """
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{info.name}") for info in pkgutil.iter_modules(path)]
    known: dict[str, Record] = {}
    held = chain.from_iterable(vars(module).values() for module in modules)
    for one in chain.from_iterable(thing if isinstance(thing, tuple) else (thing,) for thing in held):
        if isinstance(one, Record):
            if known.get(one.claim.id, one) is not one:
                raise ValueError(f"there are two records of {one.claim.id}")
            known[one.claim.id] = one
    order = [
        claim for paper in dict.fromkeys(one.claim.paper for one in known.values()) for claim in catalog.claims(paper)
    ]
    if odd := known.keys() - set(order):
        raise ValueError(f"there is a record of {', '.join(sorted(odd))}, which its paper does not export")
    return tuple(known[i] for i in order if i in known)
