"""Copies of a claim that say more, or assume less; where the claim is tight they are false, and its proof must fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Assumption, EveryPoint, EveryRound
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.probability import bounded, with_bounded
from rateproof.theory.symbols import C_O


def copies(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """Each hypothesis dropped, each constant of a typed one doubled, each term of a bound halved, each sign turned."""
    for i, h in enumerate(claim.hypotheses):
        others = (*claim.hypotheses[:i], *claim.hypotheses[i + 1 :])
        yield f"without {h.key}", replace(claim, hypotheses=others)
        for j, said in enumerate(h.says):
            if isinstance(said, (EveryPoint, EveryRound)) and said.relation.rel_op == "<=":
                small, large = said.relation.args
                weaker: Assumption = replace(said, relation=sp.Le(small, 2 * large, evaluate=False))
                worse = replace(h, says=(*h.says[:j], weaker, *h.says[j + 1 :]))
                hypotheses = (*claim.hypotheses[:i], worse, *claim.hypotheses[i + 1 :])
                yield f"{h.key} with another bound", replace(claim, hypotheses=hypotheses)
                continue
            for name, value in said.constants.items():
                if value == 0:
                    continue
                # less curvature, and fewer that are drawn, are weaker; a function that is bent down more is too
                halved = name in ("mu", "count") and not value.could_extract_minus_sign()
                weaker = replace(said, **{name: value / 2 if halved else 2 * value})
                worse = replace(h, says=(*h.says[:j], weaker, *h.says[j + 1 :]))
                hypotheses = (*claim.hypotheses[:i], worse, *claim.hypotheses[i + 1 :])
                yield f"{h.key} with another {name}", replace(claim, hypotheses=hypotheses)
    stated = conjuncts(claim.statement)
    for i, relation in enumerate(stated):
        inside = bounded(relation)
        within = ((name, with_bounded(relation, new)) for name, new in _stronger(inside) if inside is not relation)
        for name, changed in (*_stronger(relation), *within):
            parts = (*stated[:i], changed, *stated[i + 1 :])
            statement = parts[0] if len(parts) == 1 else sp.And(*parts, evaluate=False)
            yield name, replace(claim, statement=statement)


def _stronger(relation: sp.Rel) -> Iterator[tuple[str, sp.Rel]]:
    if relation.rel_op not in ("<=", ">="):
        return
    bound = 1 if relation.rel_op == "<=" else 0
    # a constant that is hidden may be larger for half of a term
    hidden = C_O in relation.free_symbols
    terms = sp.Add.make_args(sp.expand_mul(relation.args[bound]) if hidden else relation.args[bound])
    for term in terms:
        for factor, said in ((sp.S.Zero, "no"),) if hidden else ((sp.Rational(1, 2), "half of"), (sp.S.Zero, "no")):
            if term.could_extract_minus_sign():
                continue
            sides = list(relation.args)
            sides[bound] = sp.Add(*(factor * t if t is term else t for t in terms))
            yield f"{said} {term}", relation.func(*sides, evaluate=False)
    yield "the other direction", relation.reversed.func(*relation.args, evaluate=False)
