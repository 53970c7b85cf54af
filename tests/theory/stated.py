"""A claim as tests of the kernel write it: a statement, and what it supposes; and a proof as lines."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.proof.printed import numbered, written


def a_claim(statement, *hypotheses, id="test.claim", where=None, **rest):
    """The claim; its hypotheses have the keys h0, h1, ... and the texts that they print."""
    named = tuple(
        Hypothesis(f"h{i}", str(h), *((h,) if isinstance(h, sp.Basic) else (None, (h,))))
        for i, h in enumerate(hypotheses)
    )
    return Claim(id, Source("test", "here"), Kind.INEQUALITY, "", statement, named, where or {}, **rest)


def steps_of(claim, proof):
    """Each step of a proof as a line and what it rests on; headings rest on nothing."""
    for one in numbered(claim, proof):
        goal = "" if one.goal is None else written(one.goal)
        yield (
            f"{one.number} {one.name}: {' '.join(filter(None, (goal, one.words)))}" if one.number else one.name,
            one.grounds,
        )
