import json
import math

import pytest
import sympy as sp
from click import ClickException
from test_falsify import CLAIM, GD, interrupting, line

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.symbols import L_f, L_h
from rateproof.verify import registry
from rateproof.verify.commands.claims import show
from rateproof.verify.falsify import Ended, Need, audit, audited
from rateproof.verify.falsify.report import audit_to_json, describe_audit
from rateproof.verify.spaces.space import Space
from rateproof.verify.spaces.symbolic import symbolic_space
from rateproof.verify.trial import evaluate

SHARP = {one.claim.id: one.tight for one in registry.records("textbook") if one.tight}
SPACES = {one.claim.id: one.spaces for one in registry.records("textbook") if one.spaces}


@pytest.fixture(scope="module")
def descent():
    return answers(GD, SPACES[GD.id])


def answers(claim, spaces, examples=250):
    return {one.hypothesis.key: one for one in audit(claim, spaces, seconds=math.inf, examples=examples)}


@pytest.mark.parametrize("claim_id", ["textbook.gd_smooth", "textbook.moreau_smooth", "textbook.client_sampling"])
def test_what_the_theorem_needs_is_found_with_an_instance_that_misses_it_alone(claim_id, descent):
    claim = catalog.get(claim_id)
    found = descent if claim_id == GD.id else answers(claim, SPACES[claim_id])
    assert list(found) == [h.key for h in claim.hypotheses]
    needed = {key for key, one in found.items() if one.need is Need.NEEDED}
    assert needed == set(SHARP[claim_id].hypotheses)
    for key in needed:
        outcome = evaluate(claim, found[key].search.built)
        assert set(outcome.failed) == {key} and not outcome.open
        assert found[key].search.evidence.violated.ratio > 1


def test_a_metric_that_loses_its_meaning_is_no_need(descent):
    found = descent
    assert found["attained"].need is Need.UNDEFINED and found["attained"].undefined > 0
    assert found["attained"].instances == 0
    assert found["R>=1"].need is Need.NOT_SEEN and found["R>=1"].instances > 0


def test_a_hypothesis_that_others_imply_is_never_missed_alone():
    claim = catalog.get("textbook.gd_strongly_convex")
    assert answers(claim, SPACES[claim.id], examples=100)["mu_h<=L_h"].need is Need.UNTRIED


def test_a_claim_that_is_false_as_it_stands_needs_nothing_for_that():
    capped = Claim(
        "mine.false",
        Source("mine", "Theorem 4"),
        Kind.BOUND,
        "x <= 1",
        CLAIM.statement,
        hypotheses=(Hypothesis("x>=2", "x >= 2", sp.Ge(L_h, 2, evaluate=False)),),
    )
    one = answers(capped, [line(corners=(3.0, 0.5), numbers=False)], examples=20)["x>=2"]
    assert one.need is Need.NOT_SEEN and one.search.evidence.worst_ratio == 0.5


def test_claims_about_numbers_are_audited_too():
    claim = catalog.get("strfedavg.step.12.subadditivity")
    found = answers(claim, [symbolic_space(claim)], examples=100)
    assert found["kappa>=1"].need is Need.NEEDED
    cap = Claim(
        "mine.cap",
        Source("mine", "Theorem 5"),
        Kind.INEQUALITY,
        "1/x <= 1/y for 0 < y <= x",
        sp.Le(L_f / L_h, 1, evaluate=False),
        hypotheses=(
            Hypothesis("positive", "L_h > 0", sp.Gt(L_h, 0, evaluate=False)),
            Hypothesis("order", "L_f <= L_h", sp.Le(L_f, L_h, evaluate=False)),
        ),
    )
    found = answers(cap, [symbolic_space(cap)], examples=100)
    assert found["order"].need is Need.NEEDED
    assert found["positive"].need is Need.UNDEFINED


def test_an_interrupted_audit_says_how_far_it_came():
    two = Claim(
        "mine.two",
        Source("mine", "Theorem 6"),
        Kind.BOUND,
        "x <= 1",
        CLAIM.statement,
        hypotheses=tuple(Hypothesis(f"x>={k}", f"x >= {k}", sp.Ge(L_h, k, evaluate=False)) for k in (0.1, 0.2)),
    )
    space = line(corners=(0.5, 0.7))
    space = Space(**{**vars(space), "build": interrupting(0.7)})
    found = list(audited(two, [space], seconds=math.inf))
    assert len(found) == 1 and found[0].search.ended is Ended.INTERRUPTED
    assert "interrupted; 1 of 2 hypotheses" in "\n".join(describe_audit(two, found))


def test_the_audit_is_told_hypothesis_by_hypothesis(descent):
    text = "\n".join(describe_audit(GD, descent.values()))
    assert "- convex: needed: gradient descent: loss = cosine" in text
    assert "- attained: the statement is undefined or infinite on all" in text
    assert "- R>=1: no violation found on" in text
    assert "it has no hypothesis" in "\n".join(describe_audit(catalog.get("textbook.young"), []))


def test_an_audited_hypothesis_as_json_values_is_plain(descent):
    for one in descent.values():
        found = audit_to_json(one)
        assert json.loads(json.dumps(found)) == found


def test_show_prints_the_audit(capsys):
    show.main(["textbook.descent_lemma", "--audit", "--seconds", "0.5"], standalone_mode=False)
    out = capsys.readouterr().out
    assert out.index("how sure") < out.index("audit: is the claim false") < out.index("- smooth: needed")
    show.main(["textbook.descent_lemma", "--audit", "--seconds", "0.5", "--json"], standalone_mode=False)
    (one,) = json.loads(capsys.readouterr().out)["audit"]
    assert one["hypothesis"] == "smooth" and one["answer"] == "needed" and one["left"] > one["right"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["textbook", "--audit"], "about one claim"),
        (["textbook.young", "--audit", "--seconds", "0"], "positive"),
        (["strfedavg.rem2", "--audit"], "no space"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ClickException, match=message):
        show.main(arguments, standalone_mode=False)
