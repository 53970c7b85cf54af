"""Copies of proved claims that need not be true: their proofs read the whole statement and what it rests on.

Instances are left out here, so that what is tested is the proof alone: it must not go through where it does not apply,
whether or not an instance would contradict it.
"""

from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.papers.fedrzo.notation import K_eps, m
from rateproof.theory.shorthand import le
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.evidence import Evidence, Finding, Level

pytestmark = pytest.mark.sweep(6)

OTHER = sp.Symbol("another_metric", real=True)


@pytest.fixture(autouse=True)
def _no_instances(monkeypatch):
    unseen = Evidence(Finding.INCONCLUSIVE, Level.FLOAT, "instances", "left out")
    monkeypatch.setattr(bounds, "decide", lambda *args, **options: unseen)
    monkeypatch.setattr(growth, "decide", lambda *args, **options: unseen)


def claim_of(item):
    return catalog.get(f"fedrzo.{item}")


def proves(claim):
    """Whether a check proves the claim; one that raises leaves it undecided."""
    try:
        found = list(evidence_on(claim, Budget()))
    except ValueError:
        return False
    return any(e.finding is Finding.PROOF and not e.reading for e in found)


def without(claim, key):
    kept = tuple(h for h in claim.hypotheses if h.key != key)
    assert len(kept) < len(claim.hypotheses)
    return replace(claim, hypotheses=kept)


def with_relation(item, change, which=0):
    """A copy in which ``change`` makes another relation of one of the statement."""
    claim = claim_of(item)
    found = list(conjuncts(claim.statement))
    found[which] = change(found[which])
    return replace(claim, statement=found[0] if len(found) == 1 else sp.And(*found, evaluate=False))


@pytest.mark.parametrize(
    "item",
    [
        *("intro.bias", "rem.dissim.gradients", "st.1.jensen", "st.3.split", "moreau-1"),
        *("rem1.match", "st.8", "case1.total", "case2", "tab2.lfd", "def7", "rem9", "st.12.power"),
        *("lem11.i.corrected", "lem11.i.fresh.corrected", "lem12.i", "thm2.iv-b.corrected"),
        "thm1.i.client.corrected",
    ],
)
def test_without_a_statement_nothing_is_proved(item):
    claim = claim_of(item)
    assert proves(claim)
    assert not proves(replace(claim, statement=None))


@pytest.mark.parametrize(
    "item",
    [
        *("lem12.i", "lem12.ii", "lem12.iii", "lem12.iv", "lem12.v", "lem12.vi", "rem10", "lem13.i.corrected"),
        *("thm2.i.corrected", "st.13", "exp4.vi.map", "st.14.sums", "st.17.contraction", "rem4.ii", "st.12.power"),
    ],
)
def test_a_proof_of_a_part_is_none_of_the_whole(item):
    claim = claim_of(item)
    assert proves(claim)
    more = (*conjuncts(claim.statement), le(OTHER, 0))
    assert not proves(replace(claim, statement=sp.And(*more, evaluate=False) if len(more) > 1 else more[0]))


@pytest.mark.parametrize("item", ["lem9.i.corrected", "lem9.v.corrected", "lem9.vi.corrected", "st.10.17.corrected"])
def test_means_over_a_direction_need_to_know_how_it_is_drawn(item):
    claim = claim_of(item)
    assert proves(claim)
    assert not proves(without(claim, "one_direction"))


@pytest.mark.parametrize(
    ("item", "key"),
    [
        *((f"lem11.{item}.corrected", "later_round") for item in ("i", "ii", "iii")),
        *((f"lem11.{item}.fresh.corrected", "any_round") for item in ("i", "iii")),
        *((f"lem13.{item}.corrected", "in_round_2s") for item in ("i", "ii")),
        ("st.3.sets", "sets"),
        ("prop2.ii-a", "sets"),
    ],
)
def test_a_proof_needs_what_its_terms_are_about(item, key):
    claim = claim_of(item)
    assert proves(claim)
    assert not proves(without(claim, key))


def saying(item, key, change):
    """A copy in which ``change`` makes another relation of each relation of a hypothesis."""
    claim = claim_of(item)
    (old,) = (h for h in claim.hypotheses if h.key == key)
    parts = [change(r) for r in conjuncts(old.relation)]
    new = replace(old, relation=parts[0] if len(parts) == 1 else sp.And(*parts, evaluate=False))
    return replace(claim, hypotheses=tuple(new if h is old else h for h in claim.hypotheses))


def negated(relation):
    return relation.func(relation.lhs, -relation.rhs, evaluate=False)


def of_another(relation):
    return relation.func(OTHER, relation.rhs, evaluate=False)


def turned(relation):
    return {"<=": sp.Ge, ">=": sp.Le, "==": sp.Lt}[relation.rel_op](*relation.args, evaluate=False)


def one_more(relation):
    return relation.func(relation.lhs, relation.rhs + 1, evaluate=False)


@pytest.mark.parametrize(
    ("item", "change"),
    [
        ("moreau-2", negated),
        ("lem12.i", one_more),
        ("st.11.cap", turned),
        ("st.11.cap", lambda r: sp.Lt(*r.args, evaluate=False)),
        ("st.12.power", turned),
        ("def7", turned),
        ("thm2.iv-a", of_another),
        ("tab3.com", of_another),
        ("thm2.iv-b.corrected", of_another),
        ("tab3.proj.corrected", of_another),
        ("thm2.iii.corrected", of_another),
        ("thm2.iii.corrected", lambda r: sp.Le(r.lhs, r.rhs - K_eps, evaluate=False)),
        ("rem6.i.small.corrected", of_another),
        ("thm2.iii.exponent.corrected", of_another),
        ("thm2.iii.exponent.corrected", turned),
    ],
)
def test_another_statement_is_not_proved(item, change):
    assert proves(claim_of(item))
    assert not proves(with_relation(item, change))


@pytest.mark.parametrize("item", ["thm2.iii.corrected", "thm2.iii-x.corrected"])
def test_a_constant_without_its_definition_is_refused(item):
    claim = claim_of(item)
    assert proves(claim)
    for gone in claim.where:
        with pytest.raises(ValueError, match=f"uses {gone} without its definition"):
            replace(claim, where={s: e for s, e in claim.where.items() if s != gone})


@pytest.mark.parametrize(
    ("item", "key", "change"),
    [
        ("lem13.ii.corrected", "in_round_2s", turned),
        # errors of -1 and more
        ("st.10.implies", "errors>=0", one_more),
        # a total of m calls a round
        ("case3", "total_sum", lambda r: sp.Eq(r.lhs, m * r.rhs, evaluate=False)),
    ],
)
def test_another_hypothesis_is_not_enough(item, key, change):
    assert proves(claim_of(item))
    assert not proves(saying(item, key, change))


def test_equal_counts_are_not_less(monkeypatch):
    seen = Evidence(Finding.HOLDS, Level.EXACT, "instances", "some")
    monkeypatch.setattr(bounds, "decide", lambda *args, **options: seen)
    assert proves(claim_of("rem3"))
    for which in (0, 1):
        assert not proves(with_relation("rem3", lambda r: sp.Lt(*r.args, evaluate=False), which))
