"""Shorthand with which the claims of a paper are written down; relations are kept as written."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Protocol

import sympy as sp

from rateproof.theory.claim import Citation, Claim, Hypothesis, Kind, Reading, Reason, Source, Switch
from rateproof.theory.symbols import C_O

#: Reasons as they are written down: a text is one of our own.
Why = str | Reason | Iterable[str | Reason]


class ClaimMaker(Protocol):
    """What :func:`claims_of` returns."""

    def __call__(
        self,
        cid: str,
        place: str,
        kind: Kind,
        text: str,
        statement: sp.Basic | None,
        *,
        equation: str = "",
        follows_from: tuple[str, ...] = (),
        explicit: str | None = None,
        amends: str | None = None,
        why: Why = (),
        **rest: Any,
    ) -> Claim:
        """A claim; ids are given without the paper's prefix."""


def claims_of(paper: str) -> ClaimMaker:
    """The shorthand for the claims of one paper."""

    def claim(
        cid: str,
        place: str,
        kind: Kind,
        text: str,
        statement: sp.Basic | None,
        *,
        equation: str = "",
        follows_from: tuple[str, ...] = (),
        explicit: str | None = None,
        amends: str | None = None,
        why: Why = (),
        **rest: Any,
    ) -> Claim:
        return Claim(
            id=f"{paper}.{cid}",
            source=Source(paper, place, equation),
            kind=kind,
            text=text,
            statement=statement,
            follows_from=tuple(f"{paper}.{c}" for c in follows_from),
            explicit=explicit and f"{paper}.{explicit}",
            amends=amends and f"{paper}.{amends}",
            why=reasons(why, f"{paper}.{amends}"),
            **rest,
        )

    return claim


def reasons(why: Why, amends: str = "") -> tuple[Reason, ...]:
    """The reasons for a correction, each once, those of the claim itself first.

    Args:
        why: one, or several.
        amends: id of the claim that is amended: what is taken from that is the claim's own.
    """
    given = [Reason(r) if isinstance(r, str) else r for r in ([why] if isinstance(why, str | Reason) else why)]
    own = [replace(r, origin="") if r.origin == amends else r for r in given if r.text]
    return tuple(dict.fromkeys(sorted(own, key=lambda r: bool(r.origin))))


def le(left: Any, right: Any) -> sp.Rel:
    """``left <= right``, kept as written."""
    return sp.Le(left, right, evaluate=False)


def ge(left: Any, right: Any) -> sp.Rel:
    """``left >= right``, kept as written."""
    return sp.Ge(left, right, evaluate=False)


def gt(left: Any, right: Any) -> sp.Rel:
    """``left > right``, kept as written."""
    return sp.Gt(left, right, evaluate=False)


def ne(left: Any, right: Any) -> sp.Rel:
    """``left != right``, kept as written."""
    return sp.Ne(left, right, evaluate=False)


def eq(left: Any, right: Any) -> sp.Rel:
    """``left = right``, kept as written."""
    return sp.Eq(left, right, evaluate=False)


def every(*parts: sp.Basic) -> sp.And:
    """All of the relations, kept as written."""
    return sp.And(*parts, evaluate=False)


def between(lower: Any, middle: Any, upper: Any) -> sp.And:
    """``lower <= middle <= upper``."""
    return every(le(lower, middle), le(middle, upper))


def amended(
    printed: Claim,
    why: Why,
    *,
    text: str,
    part: str = "",
    follows_from: tuple[str, ...] | None = None,
    explicit: str | None = None,
    **changes: Any,
) -> Claim:
    """The CORRECTED reading of a printed claim; what is not given is as printed.

    Args:
        printed: the claim amended.
        why: what is wrong with it, one reason or several.
        text: what is stated instead, in words of its own.
        part: put before ``corrected`` in the id where a claim has several corrected readings.
        follows_from, explicit: ids without the paper's prefix.
        changes: other fields of the claim, ``origin`` among them where the change is a misprint's.

    Raises:
        ValueError: the text is the printed one.
    """
    if text == printed.text:
        raise ValueError(f"the correction of {printed.id} has the printed text; give one that says what it states")
    prefix = f"{printed.paper}."
    return replace(
        printed,
        id=f"{printed.id}.{part}.corrected" if part else f"{printed.id}.corrected",
        text=text,
        reading=Reading.CORRECTED,
        switches=(),
        amends=printed.id,
        why=reasons(why, printed.id),
        follows_from=printed.follows_from if follows_from is None else tuple(prefix + c for c in follows_from),
        explicit=printed.explicit if explicit is None else prefix + explicit,
        **changes,
    )


def misprint(other: str, why: str, statement: sp.Basic, origin: str) -> Switch:
    """The reading of a claim with the statement that the paper's own argument gives.

    Args:
        other: what is stated otherwise, in words.
        why: what is wrong with the print.
        statement: the claim as the argument gives it.
        origin: the place of that argument.
    """
    return Switch("statement", printed="as printed", other=other, why=why, statement=statement, origin=origin)


def restated(printed: Claim, *, text: str, **changes: Any) -> Claim:
    """The CORRECTED reading of a claim that is the other one of its misprint: its reason, statement and origin.

    Args:
        printed: the claim amended.
        text: what is stated instead, in words of its own.
        changes: as in :func:`amended`, in the place of what the misprint says or besides.

    Raises:
        ValueError: it has no misprint, or several.
    """
    (slip,) = (switch for switch in printed.switches if switch.statement is not None)
    return amended(
        printed, text=text, **{"why": slip.why, "statement": slip.statement, "origin": slip.origin, **changes}
    )


def premise(
    stated: Claim,
    at: Mapping[sp.Symbol, sp.Expr] | None = None,
    *,
    part: sp.Expr | None = None,
    attained: bool = False,
    about: str = "",
) -> Hypothesis:
    """The hypothesis that another claim holds: its statement, under its id.

    Args:
        stated: the other claim.
        at: symbol of it -> what stands in its place here.
        part: the left side of the one of its relations that is meant; all of them when not given.
        attained: whether it is assumed with equality.
        about: what the symbols in ``at`` make of it, in words.

    Raises:
        ValueError: it states no such relation.
    """
    cited = Citation(stated.id, tuple((at or {}).items()), part, attained)
    source, cid = stated.source, stated.item
    place = ", ".join(filter(None, (source.place, source.equation and f"eq. {source.equation}")))
    text = f"what {cid} states ({place})"
    return Hypothesis(
        cid, f"{text}{', with equality' if attained else ''}{about and f', {about}'}", cited.read(stated), cites=cited
    )


def item_of(claims: Iterable[Claim], item: str) -> Claim:
    """The claim of a group whose id ends with ``.<item>``."""
    return next(c for c in claims if c.id.endswith(f".{item}"))


def claims_in(module: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of a module, single ones and those in tuples, in the order in which it makes them.

    Args:
        module: its ``globals()``; claims of other modules are not imported by name.

    Raises:
        ValueError: two claims have the same id, as a claim and a reading of it that a module names.
    """
    made = chain.from_iterable(thing if isinstance(thing, tuple) else (thing,) for thing in [*module.values()])
    found: dict[str, Claim] = {}
    for one in made:
        if isinstance(one, Claim) and found.setdefault(one.id, one) is not one:
            raise ValueError(f"two claims of {module['__name__']} are {one.id}; a reading of one needs no name here")
    return tuple(found.values())


def big_o(rounds: sp.Symbol, *terms: sp.Expr) -> sp.Rel:
    """``rounds = O(terms)``, with the hidden constant as a symbol."""
    return le(rounds, C_O * sp.Add(*terms))
