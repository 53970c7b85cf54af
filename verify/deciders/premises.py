"""What a claim gives a proof: its hypotheses, their relations as they stand, and what follows from them.

A hypothesis without a relation is used by its key. One with a relation is used by what the relation says, so that a
proof does not go through for a copy of the claim in which the relation says something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Citation, Claim, Hypothesis, conjuncts
from rateproof.theory.gram.domain import Domain
from rateproof.theory.gram.forms import check_rational

INEQUALITIES = ("<=", "<", ">=", ">")


def missing(claim: Claim, keys: Iterable[str]) -> list[str]:
    """The keys that no hypothesis of the claim has, sorted."""
    return sorted(set(keys) - {h.key for h in claim.hypotheses})


def need(claim: Claim, *keys: str) -> None:
    """Refuse a claim without these hypotheses.

    Raises:
        ValueError: names those that are missing.
    """
    if lacking := missing(claim, keys):
        raise ValueError(f"the argument uses {', '.join(lacking)}, which is no hypothesis")


def need_as_is(claim: Claim, *hypotheses: Hypothesis) -> None:
    """Refuse a claim without these hypotheses, or in which one of them says something else.

    Raises:
        ValueError: names those that are missing, or the first one that differs.
    """
    need(claim, *(h.key for h in hypotheses))
    for h in hypotheses:
        if h not in claim.hypotheses:
            raise ValueError(f"the argument uses {h.key} as '{h.text}', which the claim has otherwise")


def relations(claim: Claim) -> tuple[sp.Rel, ...]:
    """The relations of all hypotheses."""
    return tuple(r for h in claim.hypotheses for r in conjuncts(h.relation))


def relation(claim: Claim, key: str) -> sp.Rel:
    """The relation of a hypothesis.

    Raises:
        ValueError: the claim has no such hypothesis, or it is not one relation.
    """
    need(claim, key)
    stated = [r for h in claim.hypotheses if h.key == key for r in conjuncts(h.relation)]
    if len(stated) != 1:
        raise ValueError(f"the argument uses {key} as one relation; it has {len(stated)}")
    return stated[0]


def slack(claim: Claim, key: str) -> sp.Expr:
    """Large side minus small side of the inequality that a hypothesis is; nonnegative where it holds.

    Raises:
        ValueError: the claim has no such hypothesis, or it is no inequality.
    """
    stated = relation(claim, key)
    if stated.rel_op not in INEQUALITIES:
        raise ValueError(f"the argument uses {key} as an inequality; it is {stated}")
    return gap(stated)


def gap(inequality: sp.Rel) -> sp.Expr:
    """Large side minus small side."""
    small, large = inequality.args if inequality.rel_op in ("<=", "<") else reversed(inequality.args)
    return large - small


def statement(claim: Claim, *ops: str) -> sp.Rel:
    """The one relation of a statement, whose sign is one of ``ops``.

    Raises:
        ValueError: the statement is of another form.
    """
    stated = conjuncts(claim.statement)
    if len(stated) != 1 or stated[0].rel_op not in ops:
        raise ValueError(f"the proof is for one relation with {' or '.join(ops)}, not for {claim.statement}")
    return stated[0]


def cited(
    claim_id: str,
    at: Mapping[sp.Symbol, sp.Expr] | None = None,
    *,
    part: sp.Expr | None = None,
    terms: sp.Expr = sp.S.One,
) -> tuple[sp.Rel, str]:
    """The one relation that another claim states, definitions put in, and how to refer to it.

    Args:
        claim_id: of the other claim.
        at: symbol of it -> what stands in its place.
        part: the left side of the one of its relations that is meant, where it has several.
        terms: over how many cases it is summed; ``at`` then has the sums of all that differs between them.

    Raises:
        ValueError: there is no such claim, or it does not state one such relation.
    """
    other = catalog.get(claim_id)
    placed = Citation(claim_id, tuple((at or {}).items()), part, terms=terms).read(
        replace(other, statement=None if other.statement is None else other.expand(other.statement))
    )
    if not isinstance(placed, sp.Rel):
        raise ValueError(f"{claim_id} states {len(conjuncts(placed))} relations, not one relation")
    renamed = f" for {', '.join(f'{new} as {old}' for old, new in at.items())}" if at else ""
    return placed, f"{claim_id.partition('.')[2]}{renamed}{'' if terms == 1 else f', summed over {terms} of them'}"


def implied(claim: Claim, *goals: sp.Rel) -> bool:
    """Whether relations between parameters follow from the hypotheses about them and the signs of the symbols.

    A goal follows when a hypothesis states it as it is, or else by real arithmetic from the hypotheses that are
    rational and speak of no other symbol than the goal does. From hypotheses that exclude each other nothing follows.
    """
    return all(follows(goal, relations(claim)) for goal in goals)


def follows(goal: sp.Rel, hypotheses: Iterable[sp.Rel]) -> bool:
    """Whether a relation between parameters follows from others, as :func:`implied` says."""
    hypotheses = tuple(hypotheses)
    return bool(goal == sp.true or goal in hypotheses or _arithmetic(goal, hypotheses))


def _arithmetic(goal: sp.Rel, hypotheses: Iterable[sp.Rel]) -> bool:
    if goal == sp.false:
        return False
    about = goal.free_symbols
    usable = [r for r in hypotheses if r.free_symbols <= about and _rational(r)]
    domain = Domain(tuple(sorted(about, key=str)), tuple(usable))
    if not _rational(goal) or domain.contradictory():
        return False
    gap = goal.args[0] - goal.args[1]
    match goal.rel_op:
        case ">":
            return domain.positive(gap) is not None
        case "<":
            return domain.positive(-gap) is not None
        case ">=":
            return domain.nonnegative(gap) is not None
        case "<=":
            return domain.nonnegative(-gap) is not None
        case "==":
            return domain.nonnegative(gap) is not None and domain.nonnegative(-gap) is not None
    return domain.nonzero(gap) is not None


def _rational(one: sp.Rel) -> bool:
    try:
        for side in one.args:
            check_rational(side, one.free_symbols)
    except ValueError:
        return False
    return True
