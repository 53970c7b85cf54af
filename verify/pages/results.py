"""The printed results of a paper: which one a place belongs to, and which are what the paper claims."""

from __future__ import annotations

import re

#: What a paper claims, rather than a step, remark or passage on the way to it.
_MAIN = "Theorem|Lemma|Proposition|Corollary|Table"
_NUMBER = r" [A-Z]?\.?\d*(?:\.\d+)*"
#: Results that have a number: what stands before it is left, what follows is a part of it.
_NUMBERED = re.compile(
    rf"(?:proof of )?(?:{_MAIN}|Figure|Remark|Algorithm|Section|Appendix|Assumption|Definition|Case)"
    rf"{_NUMBER}(?=$|,| \(| and proof)"
)


def result_of(place: str) -> str:
    """The printed result in which a claim stands: ``Theorem 3`` of ``Theorem 3 (i-1)``."""
    found = _NUMBERED.match(place)
    return found[0] if found else place.partition(" (")[0]


def kind_of(result: str) -> str:
    """``Theorem``, ``Lemma``, ``Proposition``, ``Corollary`` or ``Table``; empty for a step, remark or passage."""
    found = re.fullmatch(rf"({_MAIN}){_NUMBER}", result)
    return found[1] if found else ""
