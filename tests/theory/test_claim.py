from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Source, Switch, expand_definitions
from rateproof.theory.shorthand import amended, misprint, reasons, restated
from rateproof.theory.symbols import declare

x, z, w = sp.symbols("x z w", real=True)
y, defined_too = (declare(name, "a definition", paper="paper", defined=True) for name in ("y", "defined_too"))
PRINTED = Switch("scale", printed="x", other="2 x", why="a test", substitute={x: 2 * x})


def make(**changes):
    given = {
        "id": "paper.lem1",
        "source": Source("paper", "Lemma 1"),
        "kind": Kind.BOUND,
        "text": "x <= y",
        "statement": sp.Le(x, y, evaluate=False),
        "hypotheses": (Hypothesis("x>=0", "x >= 0", sp.Ge(x, 0, evaluate=False)), Hypothesis("convex", "convex")),
        "where": {y: x + z},
        "switches": (PRINTED,),
    }
    return Claim(**(given | changes))


def test_id_carries_the_paper():
    assert make().paper == "paper"
    with pytest.raises(ValueError, match=r"should start with its paper's id, 'paper\.'"):
        make(id="lem1")


@pytest.mark.parametrize("given", [{}, {"amends": "paper.lem0"}, {"why": "a reason"}])
def test_corrected_claim_says_what_it_amends_and_why(given):
    with pytest.raises(ValueError, match="should name the claim it amends and why"):
        make(reading=Reading.CORRECTED, **given)


def test_other_reading_touches_statement_hypotheses_and_definitions():
    claim = make()
    other = claim.read(PRINTED)
    assert other.statement == sp.Le(2 * x, y)
    assert other.hypotheses[0].relation == sp.Ge(2 * x, 0)
    assert other.hypotheses[1] == claim.hypotheses[1]
    assert other.where == {y: 2 * x + z}
    assert other.switches == ()
    assert claim.statement == sp.Le(x, y)


def test_other_reading_may_have_other_hypotheses():
    claim = make()
    kept, lost = claim.hypotheses
    new = Hypothesis("new", "z >= 0", sp.Ge(z, 0))
    other = claim.read(replace(PRINTED, without=(lost.key,), adding=(new,)))
    assert [h.key for h in other.hypotheses] == [kept.key, "new"]
    assert other.hypotheses[0].relation == sp.Ge(2 * x, 0)
    assert other.hypotheses[1] == new


def test_prose_claim_has_other_reading_too():
    assert make(statement=None).read(PRINTED).statement is None


def test_expansion_goes_on_until_only_primitive_symbols_are_left():
    where = {y: x + defined_too, defined_too: w**2}
    assert expand_definitions(sp.Le(y, defined_too), where) == sp.Le(x + w**2, w**2)
    assert make(where=where).expand(y) == x + w**2


def test_expansion_keeps_a_relation_that_becomes_decidable():
    decided = expand_definitions(sp.And(sp.Le(x, y), sp.Eq(y, 1), evaluate=False), {y: sp.Integer(2), x: sp.S.One})
    assert set(decided.args) == {sp.Le(1, 2, evaluate=False), sp.Eq(2, 1, evaluate=False)}


def test_expansion_reaches_into_sums_but_not_their_index():
    r = sp.Symbol("r", integer=True)
    assert expand_definitions(sp.Sum(y**r, (r, 1, 2)), {y: x + z}).doit() == (x + z) + (x + z) ** 2


def test_circular_definitions_are_refused():
    with pytest.raises(ValueError, match=r"circular definitions among \['x', 'y'\]"):
        expand_definitions(x, {x: y, y: x + 1})


def test_a_correction_has_a_text_of_its_own():
    printed = make()
    with pytest.raises(ValueError, match="has the printed text; give one that says what it states"):
        amended(printed, "it is wrong", text=printed.text)
    assert amended(printed, "it is wrong", text="something else").text == "something else"


def test_the_correction_of_a_misprint_says_what_its_other_reading_does():
    slip = misprint("2 x", "a factor is lost", sp.Le(2 * x, y, evaluate=False), "the line before")
    mended = restated(make(switches=(PRINTED, slip)), text="2 x <= y")
    assert (mended.statement, mended.origin, mended.why) == (slip.statement, slip.origin, reasons(slip.why))
    assert restated(make(switches=(slip,)), text="2 x <= y", origin="").origin == ""
    with pytest.raises(ValueError):
        restated(make(), text="2 x <= y")
