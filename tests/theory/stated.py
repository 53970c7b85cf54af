"""A claim as tests of the kernel write it: a statement, and relations and types that it supposes."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Source


def a_claim(statement, *hypotheses, id="test.claim", where=None, **rest):
    """The claim; its hypotheses have the keys h0, h1, ... and the texts that they print."""
    named = tuple(
        Hypothesis(f"h{i}", str(h), *((h,) if isinstance(h, sp.Basic) else (None, (h,))))
        for i, h in enumerate(hypotheses)
    )
    return Claim(id, Source("test", "here"), Kind.INEQUALITY, "", statement, named, where or {}, **rest)
