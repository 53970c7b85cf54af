"""Shorthand with which the claims of this paper are written down."""

from collections.abc import Iterable
from typing import Any

import sympy as sp

from theory.claim import Claim, Kind, Source
from theory.symbols import C_O

PAPER = "strfedavg"


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
    **rest: Any,
) -> Claim:
    """A claim of this paper; ids are given without the paper's prefix."""
    return Claim(
        id=f"{PAPER}.{cid}",
        source=Source(PAPER, place, equation),
        kind=kind,
        text=text,
        statement=statement,
        follows_from=tuple(f"{PAPER}.{c}" for c in follows_from),
        explicit=explicit and f"{PAPER}.{explicit}",
        amends=amends and f"{PAPER}.{amends}",
        **rest,
    )


def le(left: Any, right: Any) -> sp.Rel:
    """``left <= right``, kept as written."""
    return sp.Le(left, right, evaluate=False)


def ge(left: Any, right: Any) -> sp.Rel:
    """``left >= right``, kept as written."""
    return sp.Ge(left, right, evaluate=False)


def eq(left: Any, right: Any) -> sp.Rel:
    """``left = right``, kept as written."""
    return sp.Eq(left, right, evaluate=False)


def every(*parts: sp.Basic) -> sp.And:
    """All of the relations, kept as written."""
    return sp.And(*parts, evaluate=False)


def between(lower: Any, middle: Any, upper: Any) -> sp.And:
    """``lower <= middle <= upper``."""
    return every(le(lower, middle), le(middle, upper))


def item_of(claims: Iterable[Claim], item: str) -> Claim:
    """The claim of a group whose id ends with ``.<item>``."""
    return next(c for c in claims if c.id.endswith(f".{item}"))


def big_o(rounds: sp.Symbol, *terms: sp.Expr) -> sp.Rel:
    """``rounds = O(terms)``, with the hidden constant as a symbol."""
    return le(rounds, C_O * sp.Add(*terms))
