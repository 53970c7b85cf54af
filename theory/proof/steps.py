"""What a proof is written with: its steps, and what they rest on.

Proof(
    section("Descent of one step"),
    have("split", le(mean_sq_G, 2 * split + 2 * d)),
    have("descent", le(F_next, F - ...), by=[smooth("f", "x", "x+"), fresh("e")]),
    have("drift", ..., by=[cite("lem11.i", at={k: T_r}), "split"]),
    induct("all steps", le(D(k), ...), over=k, by=["one step"]),
    qed(by=["descent", "drift"]),
)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from itertools import zip_longest
from typing import TYPE_CHECKING

import sympy as sp

from rateproof.theory.gram import Vector

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim


@dataclass(frozen=True)
class Rule:
    """What typed assumptions of the claim, or the means of its setting, give.

    Attributes:
        name: of the rule, a function of :mod:`theory.proof.rules`.
        about: the function, set, noise or mean that it is about, and the names of points.
    """

    name: str
    about: tuple[object, ...] = ()

    def __str__(self) -> str:
        about = ", ".join(map(str, self.about))
        return _IN_WORDS.get(self.name, f"{self.name}({{}})").format(about)


_IN_WORDS = {
    "unfold": "definition of {}",
    "sequences": "metrics as sums of sequences",
    "schedule": "the rules of the schedule",
}

#: Metrics that are terms of sequences, or sums of them, are written so, not as forms.
SEQUENCES = Rule("sequences")
#: The rules of the claim's schedule, as equations.
SCHEDULE = Rule("schedule")


@dataclass(frozen=True)
class Cite:
    """Another claim as it is stated. Its hypotheses have to be among ours, or follow from them.

    Where points or vectors are named, its proof is taken again with these, from our hypotheses; means of them are ours
    where the setting has just one, or named too. What a claim says of a run of a method is used at another run of it.

    Attributes:
        claim: its id; or a lemma of our own, a claim with a proof that need not be in the catalog.
        at: constant of it -> what it is here.
        points: point of a function of it, ``f_i.x`` -> the point of ours in its place.
        vectors: vector of it that belongs to no function, a noise for example -> what it is here. Without points and
            vectors its metrics are ours, or terms of sequences.
    """

    claim: str | Claim
    _: KW_ONLY
    at: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    points: Mapping[str, str] = field(default_factory=dict)
    vectors: Mapping[str, Vector] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id of the claim."""
        return self.claim if isinstance(self.claim, str) else self.claim.id

    @property
    def placed(self) -> bool:
        """Whether it is used at other points or vectors; else its metrics are ours, or terms of sequences."""
        return bool(self.points or self.vectors)

    def __str__(self) -> str:
        pairs = (pair for group in (self.at, self.points, self.vectors) for pair in group.items())
        where = ", ".join(f"{k} = {v}" for k, v in pairs if k != v)
        return f"{self.id}{f' at {where}' if where else ''}"


@dataclass(frozen=True)
class Supposed:
    """A hypothesis of the claim by its key: what it says of its numbers, where it supposes that.

    Attributes:
        key: of the hypothesis.
        at: index -> its value, for what the hypothesis supposes at every round.
    """

    key: str
    at: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)

    def __str__(self) -> str:
        where = ", ".join(f"{k} = {v}" for k, v in self.at.items())
        return f"hypothesis {self.key}{f' at {where}' if where else ''}"


#: What a step may rest on: an earlier step by its name, a rule, another claim, a hypothesis.
Ground = str | Rule | Cite | Supposed


#: Multipliers of premises: in their order, or by their names.
Multipliers = Sequence[sp.Expr | int] | Mapping[str, sp.Expr | int]


@dataclass(frozen=True)
class Step:
    """A step of a proof, by its name."""

    name: str

    def __post_init__(self) -> None:
        for f in fields(self):
            if type(value := getattr(self, f.name)) is int:
                object.__setattr__(self, f.name, sp.Integer(value))
            elif isinstance(value, Mapping):
                object.__setattr__(self, f.name, {symbol: sp.sympify(at) for symbol, at in value.items()})

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """What it rests on: earlier steps by name, rules and other claims."""
        names = (getattr(self, f, None) for f in ("of", "yes", "no"))
        return (*(n for n in names if n), *getattr(self, "base", ()), *getattr(self, "by", ()))


@dataclass(frozen=True)
class Have(Step):
    """A relation that follows from the hypotheses and from ``by``, by :func:`theory.gram.decide`.

    Attributes:
        goal: the relation; a number for the relation of the statement that has it.
        when: relations under which it is shown, beside the hypotheses: a case, or the range of an index.
        multipliers: where they are not to be searched, by the name of the premise: that of an earlier step, or a ground
            as a refusal writes it (``"smooth(f, x, y)[2]"``, of several relations of one ground). A sequence is in the
            order in which a refusal names the premises.
    """

    goal: sp.Rel | sp.Integer
    _: KW_ONLY
    by: Sequence[Ground] = ()
    when: Sequence[sp.Rel] = ()
    multipliers: Multipliers | None = None


@dataclass(frozen=True)
class Cases(Step):
    """A distinction of two cases: ``goal`` is shown by the step ``yes`` where ``on`` holds, else by ``no``.

    Of an integer, ``k > 1`` is the other case of ``k <= 1`` and says ``k >= 2``.
    """

    goal: sp.Rel
    _: KW_ONLY
    on: sp.Rel
    yes: str
    no: str


@dataclass(frozen=True)
class Induct(Step):
    """A relation for all integers ``over >= start`` (``<= last``, where there is one), by induction.

    ``multipliers``: of the premises of the step from one to the next, the hypothesis of the induction last.
    """

    goal: sp.Rel
    _: KW_ONLY
    over: sp.Symbol
    start: sp.Expr = sp.S.Zero
    last: sp.Expr | None = None
    base: Sequence[Ground] = ()
    by: Sequence[Ground] = ()
    multipliers: Multipliers | None = None


@dataclass(frozen=True)
class Summed(Step):
    """The sum of the step ``of`` over an index, times a weight that is nonnegative by ``by``; differences telescope."""

    of: str
    _: KW_ONLY
    over: sp.Symbol
    start: sp.Expr
    last: sp.Expr
    weight: sp.Expr = sp.S.One
    by: Sequence[Ground] = ()


@dataclass(frozen=True)
class Raised(Step):
    """``x^p <= y^p`` from a step ``x <= y``, for ``p >= 0``, where ``x >= 0`` follows from ``by``; also in an event."""

    of: str
    _: KW_ONLY
    to: sp.Expr
    by: Sequence[Ground] = ()


@dataclass(frozen=True)
class Split(Step):
    """``(x + y)^p <= x^p + y^p`` for ``0 <= p <= 1`` and terms that are nonnegative by ``by``.

    Hardy, Littlewood and Polya 1934, Inequalities, Theorem 19 (with ``r = p`` and ``s = 1``).
    """

    terms: Sequence[sp.Expr]
    _: KW_ONLY
    to: sp.Expr
    by: Sequence[Ground] = ()


@dataclass(frozen=True)
class Limit(Step):
    """A step that holds for all positive values of a symbol, at 0: in the limit, as its sides are polynomials."""

    of: str
    _: KW_ONLY
    over: sp.Symbol


@dataclass(frozen=True)
class Exponential(Step):
    """``exp(x) <= exp(y)`` from ``x <= y``; of a logarithm, ``exp(c log x)`` is ``x^c``."""

    of: str


@dataclass(frozen=True)
class Logarithm(Step):
    """``log z <= z - 1``, or the bound from below ``log z >= 1 - 1/z``, for ``z > 0``, which follows from ``by``."""

    z: sp.Expr
    _: KW_ONLY
    below: bool = False
    by: Sequence[Ground] = ()


@dataclass(frozen=True)
class Rewritten(Step):
    """An earlier step with equals in the place of equals; ``by`` names equations, whose left sides are replaced."""

    of: str
    _: KW_ONLY
    by: Sequence[str]


@dataclass(frozen=True)
class Special(Step):
    """An earlier step at values of its indices, or of free parameters of its own."""

    of: str
    at: Mapping[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Total(Step):
    """A bound on a sum for all horizons from ``first`` on, by :func:`theory.sums.decide`.

    ``above`` and ``below`` say for its parameters which numbers they are known to be beyond.
    """

    goal: sp.Rel
    horizon: sp.Symbol
    _: KW_ONLY
    first: sp.Integer = sp.S.One
    above: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    below: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class Exponents(Step):
    """Rounds that an accuracy needs, from the explicit bound ``of``, term by term; see :mod:`theory.proof.exponents`.

    ``by``: why the symbols of its terms are nonnegative, and ``log R > 0``.
    """

    of: str
    _: KW_ONLY
    by: Sequence[Ground] = ()


@dataclass(frozen=True)
class InWords(Step):
    """A fact that no rule gives, with the reason in words; a proof that has one is an argument, not a certificate."""

    goal: sp.Rel
    why: str


@dataclass(frozen=True)
class Section:
    """What the steps that follow are about, for a reader."""

    title: str


#: What a proof is put together from.
Part = Step | Section


@dataclass(frozen=True, init=False)
class Proof:
    """Steps, the last of which is the statement.

    Attributes:
        steps: in their order.
        sections: name of the first step of a section -> its title. Nothing rests on them.

    Raises:
        ValueError: no step follows a section, or something is no step.
    """

    steps: tuple[Step, ...]
    sections: Mapping[str, str] = field(compare=False)

    def __init__(self, *parts: Part) -> None:
        if odd := next((part for part in parts if not isinstance(part, Step | Section)), None):
            raise ValueError(f"{odd} is no step; what a step rests on stands in its by=[...]")
        object.__setattr__(self, "steps", tuple(part for part in parts if isinstance(part, Step)))
        sections: dict[str, str] = {}
        for part, following in zip_longest(parts, parts[1:]):
            if isinstance(part, Section):
                if not isinstance(following, Step):
                    raise ValueError(f"no step follows the section {part.title!r}")
                sections[following.name] = part.title
        object.__setattr__(self, "sections", sections)


def qed(*, by: Sequence[Ground] = (), of: int = 0, multipliers: Multipliers | None = None, name: str = "") -> Have:
    """The statement itself; ``of`` says which of its relations, where it has several."""
    title = name or ("the statement" if of == 0 else f"the statement, part {of + 1}")
    return Have(title, sp.Integer(of), by=by, multipliers=multipliers)


#: The steps and grounds as a proof calls them.
have, cases, induct, summed, raised, split, limit = Have, Cases, Induct, Summed, Raised, Split, Limit
exponential, logarithm, rewritten, special, total = Exponential, Logarithm, Rewritten, Special, Total
exponents, in_words, cite, supposed, section = Exponents, InWords, Cite, Supposed, Section
