"""A claim is data: its source, hypotheses, statement, schedule and what it follows from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

import sympy as sp

from rateproof.theory.schedule import Schedule
from rateproof.theory.symbols import defined

if TYPE_CHECKING:
    from rateproof.theory.assumptions import Assumption
    from rateproof.theory.proof import Proof, Setting


class Kind(StrEnum):
    """What sort of statement a claim is."""

    INEQUALITY = "inequality"
    BOUND = "bound"
    COMPLEXITY = "complexity"
    IDENTITY = "identity"
    PROPERTY = "property"


class Reading(StrEnum):
    """How the statement relates to the print."""

    STATED = "stated"
    REPAIRED = "repaired"
    CORRECTED = "corrected"


class Severity(StrEnum):
    """How much is wrong with a claim that does not hold as printed, mildest first."""

    MISPRINT = "misprint"  # a constant, index or exponent; the paper's own argument gives the right one
    CORNER = "corner"  # only degenerate or extreme instances violate it
    CONDITION = "condition"  # true under a condition that is named
    SUBSTANCE = "substance"  # none of these saves it

    @property
    def rank(self) -> int:
        """0 for the mildest."""
        return list(Severity).index(self)


@dataclass(frozen=True)
class Paper:
    """The bibliographic data of a paper; of a collection of our own the title alone.

    Attributes:
        title: as printed.
        authors: their full names, in the order of the paper.
        year: of the version that is encoded; 0 where there is none.
        venue: journal, proceedings or preprint server, with its number ("arXiv:2309.13024").
        url: where to read it.
    """

    title: str
    authors: tuple[str, ...] = ()
    year: int = 0
    venue: str = ""
    url: str = ""

    def __str__(self) -> str:
        """The reference in one line."""
        rest = (", ".join(self.authors), str(self.year or ""), self.venue, self.url)
        return ". ".join(filter(None, (self.title, ", ".join(filter(None, rest)))))


@dataclass(frozen=True)
class Source:
    """Where a claim stands: paper id, place ("Proposition 1") and, where numbered, its equation."""

    paper: str
    place: str
    equation: str = ""


@dataclass(frozen=True)
class Citation:
    """What another claim states, in the symbols of the one that uses it.

    Attributes:
        claim: its id.
        at: symbol of it -> what stands in its place.
        part: the left side of the one of its relations that is meant; all of them when None.
        attained: whether it holds with equality.
        terms: over how many cases it is summed; ``at`` then has the sums of all that differs between them.
    """

    claim: str
    at: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    part: sp.Expr | None = None
    attained: bool = False
    terms: sp.Expr = sp.S.One

    def read(self, claim: Claim) -> sp.Basic:
        """The relation, for the claim that is cited.

        Raises:
            ValueError: it has no such relation, or one that cannot be summed so.
        """
        placed = [self._placed(r) for r in conjuncts(claim.statement) if self.part in (None, r.lhs)]
        if not placed:
            raise ValueError(f"{claim.id} states {'nothing' if self.part is None else f'nothing of {self.part}'}")
        return placed[0] if len(placed) == 1 else sp.And(*placed, evaluate=False)

    def _placed(self, relation: sp.Rel) -> sp.Rel:
        sides = relation.args
        if self.terms != 1:
            sides = tuple(map(self._summed, sides))
        func = sp.Eq if self.attained else relation.func
        return func(*(side.xreplace(dict(self.at)) for side in sides), evaluate=False)

    def _summed(self, side: sp.Expr) -> sp.Expr:
        """A side summed over cases: what is not in ``at`` is the same in all of them, and counted."""
        sums = {s for s, _ in self.at}
        slopes = {s: sp.diff(side, s) for s in sums}
        if any(slope.free_symbols & sums for slope in slopes.values()):
            raise ValueError(f"{side} of {self.claim} is not linear in {_named(sums)}")
        if odd := {s for s in side.free_symbols - sums if not (s.is_nonnegative or s.is_positive)}:
            raise ValueError(f"{_named(odd)} of {self.claim} may differ between the {self.terms} cases")
        return self.terms * side.xreplace(dict.fromkeys(sums, sp.S.Zero)) + sp.Add(*(c * s for s, c in slopes.items()))


@dataclass(frozen=True)
class Hypothesis:
    """One hypothesis: with a relation it is evaluated from numbers, else an instance answers for it by ``key``.

    ``says``: the same with a type, for proofs; without it a proof can only take it at its word. ``cites``: the claim
    whose statement it is.
    """

    key: str
    text: str
    relation: sp.Basic | None = None
    says: tuple[Assumption, ...] = ()
    cites: Citation | None = None


@dataclass(frozen=True)
class Switch:
    """A place where the print is ambiguous or at odds with its own analysis.

    The claim itself is encoded as printed; ``substitute``, ``without`` and ``adding`` turn it into the other reading.

    Attributes:
        name: ``avg_normaliser``.
        printed, other: the two readings in words, ``R-1`` and ``R``.
        why: why the other reading exists.
        substitute: symbol -> expression, applied to statement, hypotheses and definitions.
        statement: what the other reading states, where it is no exchange of symbols.
        without: keys of the hypotheses that the other reading does not have.
        adding: the hypotheses that it has besides.
        origin: where the paper itself prints the condition, makes the choice or argues for the other constant, or what
            its constants presuppose: a kind reader then takes the other reading. Empty where nothing in the paper asks
            for that.
    """

    name: str
    printed: str
    other: str
    why: str
    substitute: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    adding: tuple[Hypothesis, ...] = ()
    statement: sp.Basic | None = None
    origin: str = ""

    @property
    def reading(self) -> str:
        """The name of the other reading: ``avg_normaliser=R``."""
        return f"{self.name}={self.other}"

    @property
    def formal(self) -> bool:
        """Whether the other reading is one of symbols, statement or hypotheses, not of words alone."""
        return bool(self.substitute or self.without or self.adding or self.statement is not None)

    @property
    def repairs(self) -> Severity:
        """What a claim suffers from that holds in the other reading: one with the same hypotheses mends a misprint."""
        restated = (self.substitute or self.statement is not None) and not (self.without or self.adding)
        return Severity.MISPRINT if restated else Severity.CONDITION


@dataclass(frozen=True)
class Reason:
    """One reason why a corrected claim says something else than the print.

    Attributes:
        text: a clause.
        origin: what it is taken from, the id of another claim or a place of the paper; empty where it is the claim's
            own, by our reading.
    """

    text: str
    origin: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.origin})" if self.origin else self.text


@dataclass(frozen=True)
class Claim:
    """One statement of a paper.

    Attributes:
        id: ``<paper>.<claim id>``.
        source: where it stands.
        kind: inequality, bound, complexity, identity or property.
        text: the statement as printed, in one line of plain text.
        statement: sympy relation (or And of relations) between metrics and constants; None for prose.
        hypotheses: the paper's, complete.
        where: definitions of derived symbols used by statement and hypotheses; applied repeatedly until none is left.
            Of symbols declared with ``defined=True`` alone, and of each of these that the claim uses.
        schedule: the stepsize and regularisation rule the claim prescribes, if any.
        follows_from: ids of the claims its proof uses.
        explicit: id of the explicit bound that an O(.) claim abbreviates.
        reading: as printed, repaired after text conversion, or corrected by us.
        switches: ambiguous places, with the printed and the intended reading.
        amends, why: for CORRECTED readings, the claim amended and the reasons, its own first.
        origin: for CORRECTED readings, where the paper's own argument gives the statement as corrected, if it does.
        note: one sentence for the reader, such as the place of a repair.
        setting: the vectors that the metrics of the statement are made of.
        proof: why it is true, in steps that :mod:`rateproof.theory.proof` checks.
        title: what it is about, in at most eight words; a corrected reading has that of the claim amended.
    """

    id: str
    source: Source
    kind: Kind
    text: str
    statement: sp.Basic | None
    hypotheses: tuple[Hypothesis, ...] = ()
    where: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    schedule: Schedule | None = None
    follows_from: tuple[str, ...] = ()
    explicit: str | None = None
    reading: Reading = Reading.STATED
    switches: tuple[Switch, ...] = ()
    amends: str | None = None
    why: tuple[Reason, ...] = ()
    origin: str = ""
    note: str = ""
    setting: Setting | None = None
    proof: Proof | None = None
    title: str = ""

    def __post_init__(self) -> None:
        if not self.id.startswith(self.source.paper + "."):
            raise ValueError(f"claim id {self.id!r} should start with its paper's id, {self.source.paper + '.'!r}")
        if self.reading is Reading.CORRECTED and not (self.amends and self.why):
            raise ValueError(f"corrected claim {self.id!r} should name the claim it amends and why")
        if not all(isinstance(r, Reason) for r in self.why):
            raise ValueError(f"claim {self.id!r} gives {self.why!r} as reasons; give Reason(text) for each of them")
        if fixed := [s for s in self.where if not defined(s, self.paper)]:
            raise ValueError(
                f"claim {self.id!r} defines {_named(fixed)}, which is measured, a constant or supplied by an instance; "
                "declare with defined=True what claims define"
            )
        if open_ := [s for s in self.symbols - self.where.keys() if defined(s, self.paper)]:
            raise ValueError(f"claim {self.id!r} uses {_named(open_)} without its definition; give it in where")

    @property
    def paper(self) -> str:
        """Id of the paper."""
        return self.source.paper

    @property
    def item(self) -> str:
        """The id within its paper: ``lem5.corrected``."""
        return self.id.removeprefix(f"{self.paper}.")

    @property
    def printed_item(self) -> str:
        """The item of the claim as printed: ``lem5``, of what a corrected claim amends, or its own."""
        return (self.amends or self.id).removeprefix(f"{self.paper}.")

    def relations(self) -> tuple[sp.Basic, ...]:
        """Statement and hypotheses, those of them that are no prose."""
        return tuple(e for e in (self.statement, *(h.relation for h in self.hypotheses)) if e is not None)

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The symbols of statement and hypotheses, and of the definitions that these use."""
        said = self.relations()
        return symbols_of(*said, *reached(said, self.where).values())

    @property
    def kind_switches(self) -> tuple[Switch, ...]:
        """The switches that a kind reader sets to the other reading, all of them."""
        return tuple(s for s in self.switches if s.origin)

    @property
    def kind_reading(self) -> str:
        """The name of the kind reading, as evidence about it bears it; empty when there is none."""
        return " and ".join(s.reading for s in self.kind_switches)

    def read_kindly(self) -> Claim:
        """The same claim under its kind reading, in which the repairs of the kind switches are combined."""
        claim = self
        for switch in self.kind_switches:
            claim = claim.read(switch)
        return claim

    def readings(self) -> Iterator[tuple[str, Claim]]:
        """The claim under each other reading that is a formula, and under its kind reading, by their names."""
        for switch in self.switches:
            if switch.formal:
                yield switch.reading, self.read(switch)
        if len(self.kind_switches) > 1:
            yield self.kind_reading, self.read_kindly()

    def read(self, switch: Switch) -> Claim:
        """The same claim under the other reading of one switch."""

        def swap(expr: sp.Basic) -> sp.Basic:
            return replaced(expr, switch.substitute)

        statement = self.statement if switch.statement is None else switch.statement
        return replace(
            self,
            statement=None if statement is None else swap(statement),
            hypotheses=(
                *(
                    h if h.relation is None else replace(h, relation=swap(h.relation))
                    for h in self.hypotheses
                    if h.key not in switch.without
                ),
                *switch.adding,
            ),
            where={s: swap(e) for s, e in self.where.items()},
            switches=tuple(s for s in self.switches if s != switch),
        )

    def expand(self, expr: sp.Basic) -> sp.Basic:
        """Replace derived symbols by their definitions until only primitive ones are left."""
        return expand_definitions(expr, self.where)


def symbols_of(*expressions: sp.Basic) -> set[sp.Symbol]:
    """The free symbols of expressions."""
    return set[sp.Symbol]().union(*map(_symbols, expressions))


@cache
def _symbols(expression: sp.Basic) -> frozenset[sp.Symbol]:
    return frozenset(expression.free_symbols)


def reached(expressions: Iterable[sp.Basic], where: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    """The definitions that expressions use, directly or through other definitions."""
    used: set[sp.Symbol] = set()
    new = symbols_of(*expressions) & where.keys()
    while new:
        used |= new
        new = (symbols_of(*(where[s] for s in new)) & where.keys()) - used
    return {s: e for s, e in where.items() if s in used}


def expand_definitions(expr: sp.Basic, where: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """Substitute definitions repeatedly; relations are kept, also those that become decidable.

    Raises:
        ValueError: the definitions are circular.
    """
    for _ in range(len(where) + 1):
        if not (expr.free_symbols & where.keys()):
            return expr
        expr = replaced(expr, where)
    raise ValueError(f"circular definitions among {sorted(map(str, where))}")


def _named(symbols: Iterable[sp.Symbol]) -> str:
    return ", ".join(sorted(map(str, symbols)))


def replaced(expr: sp.Basic, substitute: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """Substitute once. A relation keeps its two sides, where sympy might turn it into True or False."""
    if not (expr.free_symbols & substitute.keys()):
        return expr
    if isinstance(expr, (sp.And, sp.Rel)):
        return expr.func(*(replaced(part, substitute) for part in expr.args), evaluate=False)
    return expr.xreplace(dict(substitute))


def conjuncts(statement: sp.Basic | None) -> tuple[sp.Rel, ...]:
    """The relations of a statement; nested And is flattened, and prose (None) has none."""
    if statement is None:
        return ()
    if isinstance(statement, sp.And):
        return tuple(r for part in statement.args for r in conjuncts(part))
    if isinstance(statement, sp.Rel):
        return (statement,)
    raise ValueError(f"a statement is a relation or an And of them, got {type(statement).__name__}: {statement}")
