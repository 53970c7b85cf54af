"""One result per claim: verdicts from checks, checks that fail, composites, broken proofs, and the way to JSON."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.verify.checks import FAILED, Budget, Result, blank, check_claim, finish, is_checked, judged, plain
from rateproof.verify.deciders import kernel
from rateproof.verify.evidence import Evidence, Finding, Level, Verdict, Violated, strengths
from rateproof.verify.spaces.tried import tried
from rateproof.verify.stored import baseline

QUICK = Budget()


def results(fake) -> dict[str, Result]:
    return {r.claim: r for r in finish(check_claim(c, QUICK) for c in catalog.claims("fake").values())}


def test_a_check_decides_and_its_evidence_is_kept(fake):
    good = check_claim(catalog.get("fake.good"), QUICK)
    assert (good.verdict, good.level, good.method, good.detail) == (Verdict.SUPPORTED, Level.EXACT, "fake", "seen good")
    assert (good.worst_ratio, good.instances, good.witness) == (0.5, 3, "x = 1")
    assert good.readings == {"norm=R": {"verdict": "supported", "worst_ratio": 0.25}}
    assert (good.paper, good.place, good.kind, good.reading) == ("fake", "Lemma good, eq. 7", "bound", "stated")
    bad = check_claim(catalog.get("fake.bad"), QUICK)
    assert bad.verdict is Verdict.REFUTED and bad.violated["lhs"] == 2.0 and bad.violated["hypotheses"]


def test_a_check_that_raises_leaves_the_claim_undecided_with_one_line(fake):
    found = check_claim(catalog.get("fake.raises"), QUICK)
    assert (found.verdict, found.method) == (Verdict.UNDECIDED, FAILED)
    assert found.detail == "the check failed: RuntimeError: no luck"


def test_contradictory_evidence_is_undecided_not_a_crash(fake, monkeypatch):
    proof = Evidence(Finding.PROOF, Level.CERTIFICATE, "a", "")
    shown = Violated("x", 2.0, 1.0, 2.0, "a <= b")
    violation = Evidence(Finding.VIOLATION, Level.EXACT, "b", "", violated=shown)
    monkeypatch.setattr("rateproof.verify.checks.evidence_on", lambda claim, budget: [proof, violation])
    found = check_claim(catalog.get("fake.good"), QUICK)
    assert found.verdict is Verdict.UNDECIDED and "proved and violated" in found.detail


def test_a_claim_without_check_is_unchecked_and_says_so(fake):
    assert not is_checked(catalog.get("fake.none")) and is_checked(catalog.get("fake.good"))
    found = check_claim(catalog.get("fake.none"), QUICK)
    assert found.verdict is Verdict.UNCHECKED and found.detail and found.level is None


def test_joint_verdict_is_the_weakest_of_the_parts_and_ignores_corrections(fake):
    assert results(fake)["fake.joint"].verdict is Verdict.SUPPORTED
    assert results(fake)["fake.joint.amended"].verdict is Verdict.REFUTED
    fake.set(**{"joint.b": "violation", "ratio": {"joint.b": 2}})
    joint = results(fake)["fake.joint"]
    assert joint.verdict is Verdict.REFUTED and joint.violated is not None
    assert (joint.worst_ratio, joint.instances) == (2.0, 6)
    assert joint.detail == "of 2 parts: 1 supported, 1 refuted; decided by fake.joint.b"


def test_a_refuted_lemma_breaks_every_proof_above_it_whatever_their_verdict(fake):
    found = results(fake)
    assert found["fake.middle"].verdict is Verdict.PROVED
    assert found["fake.middle"].proof_broken_by == found["fake.top"].proof_broken_by == ("fake.bad",)
    assert found["fake.good"].proof_broken_by == found["fake.bad"].proof_broken_by == ()
    fake.set(bad="contradiction")
    assert results(fake)["fake.top"].proof_broken_by == ("fake.bad",)
    fake.set(bad="holds")
    assert results(fake)["fake.top"].proof_broken_by == ()


def test_broken_proofs_and_joint_verdicts_use_known_results_of_claims_that_were_not_checked(fake):
    known = list(results(fake).values())
    top = check_claim(catalog.get("fake.top"), QUICK)
    assert finish([top])[0].proof_broken_by == ()
    assert finish([top], known)[0].proof_broken_by == ("fake.bad",)
    mended = replace(check_claim(catalog.get("fake.bad"), QUICK), verdict=Verdict.SUPPORTED)
    assert finish([top, mended], known)[0].proof_broken_by == ()
    assert finish([blank(catalog.get("fake.joint"))], known)[0].verdict is Verdict.SUPPORTED


def test_evidence_about_other_readings_does_not_decide(fake):
    base = blank(catalog.get("fake.good"))
    only_other = judged(base, [Evidence(Finding.HOLDS, Level.EXACT, "m", "", worst_ratio=0.1, reading="norm=R")])
    assert only_other.verdict is Verdict.UNCHECKED and only_other.worst_ratio is None
    assert only_other.readings["norm=R"]["verdict"] == "supported"


def test_no_check_evidence_gives_the_reason(fake):
    prose = judged(blank(catalog.get("fake.none")), [Evidence(Finding.NO_CHECK, Level.EXACT, "", "it asserts nothing")])
    assert (prose.verdict, prose.detail, prose.level) == (Verdict.UNCHECKED, "it asserts nothing", None)


def test_worst_ratio_is_over_all_pieces_that_have_one(fake):
    def ratio(*ratios: float | None) -> float | None:
        pieces = [Evidence(Finding.HOLDS, Level.EXACT, "m", "", worst_ratio=r) for r in ratios]
        return judged(blank(catalog.get("fake.good")), pieces).worst_ratio

    assert ratio(None, 0.25, 0.75, math.nan) == 0.75
    assert ratio(None) is None
    assert ratio(math.nan, None) is None


@pytest.mark.parametrize("ratio", [None, 0.5, 0.1 + 0.2, math.inf, math.nan])
def test_json_round_trip_through_strict_json(fake, ratio):
    bad = replace(check_claim(catalog.get("fake.bad"), QUICK), worst_ratio=ratio, proof_broken_by=("a", "b"))
    text = json.dumps(bad.to_json(), allow_nan=False)
    back = Result.from_json(json.loads(text))
    assert back == bad or (math.isnan(ratio) and replace(back, worst_ratio=None) == replace(bad, worst_ratio=None))


@pytest.mark.parametrize(
    "change", [{"verdict": "true"}, {"level": "sure"}, {"worst_ratio": "x"}, {"surplus": 1}, {"worst_ratio": [1]}]
)
def test_reading_a_wrong_result_names_what_is_wrong(fake, change):
    data = check_claim(catalog.get("fake.bad"), QUICK).to_json() | change
    with pytest.raises(ValueError, match=r"true|sure|x|surplus|fake.bad"):
        Result.from_json(data)
    with pytest.raises(ValueError, match="claim"):
        Result.from_json({k: v for k, v in data.items() if k != "claim"})


def test_plain_turns_library_values_into_json():
    value = {1: np.float64(0.1), "v": np.arange(2), "i": np.int64(3), "b": np.bool_(True), "s": sp.Rational(1, 3)}
    assert plain(value) == {"1": 0.1, "v": [0, 1], "i": 3, "b": True, "s": "1/3"}
    assert plain([math.inf, -math.inf, Level.EXACT, None, (1,)]) == ["inf", "-inf", "exact", None, [1]]
    assert plain(0.1 + 0.2, 12) == 0.3
    json.dumps(plain(value), allow_nan=False)


CIRCLE = """
from rateproof.theory.proof import Proof, cite, qed

CITES = {"egg": "hen", "hen": "nest", "nest": "egg", "self": "self", "on": "hen"}
CLAIMS += tuple(claim(one, proof=Proof(qed(by=[cite("fake." + other)]))) for one, other in CITES.items())
"""


def test_a_circle_of_citations_is_refused_by_name(fake, monkeypatch):
    monkeypatch.setattr(kernel, "LEVELS", {})
    claims = fake.root / "claims" / "fake" / "__init__.py"
    claims.write_text(claims.read_text() + CIRCLE)
    said = {item: check_claim(catalog.get(f"fake.{item}"), QUICK) for item in ("egg", "hen", "self", "on")}
    assert {r.verdict for r in said.values()} == {Verdict.UNDECIDED}
    ring = "a circle of citations: fake.egg cites fake.hen cites fake.nest cites fake.egg"
    assert said["egg"].detail == f"the proof does not check: {ring}"
    assert "fake.hen cites fake.nest cites fake.egg cites fake.hen" in said["hen"].detail
    assert "fake.self cites fake.self" in said["self"].detail
    # what rests on a circle is no part of it
    assert said["on"].detail == "the proof does not check: the statement: fake.hen is not proved"


def test_a_proved_claim_says_what_no_instance_has_met_of_it_and_of_what_it_cites():
    """Lemma D.2, eq. 37, cites what Lemma D.2 says of the gradient."""
    known = {i: e.result for i, e in baseline.read("mefbo").items()}
    citing, cited = "mefbo.lemD.2-37", "mefbo.lemD.2-grad"
    assert cited in kernel.cited(catalog.get(citing)) and known[citing].instances and known[cited].instances

    def untried(**instances):
        names = ((citing, "citing"), (cited, "cited"))
        seen = [replace(known[i], instances=instances.get(n, known[i].instances)) for i, n in names]
        return [r.untried for r in finish(seen)]

    assert untried() == [(), ()]
    assert untried(cited=0) == [(cited,), (cited,)]
    assert untried(citing=0) == [(citing,), ()]
    refuted = finish([replace(known[citing], verdict=Verdict.REFUTED, instances=0)])
    assert refuted[0].untried == ()
    levels = [(Level.CERTIFICATE, False), (Level.CERTIFICATE, True), (Level.ARGUMENT, False)]
    assert strengths(levels).startswith("proved: 2 by certificate (1 not tried), 1 with words, 0 standard facts")


def test_a_claim_about_numbers_alone_is_tried_at_their_corners():
    claim = catalog.get("mefbo.st-113")
    found = tried(claim)
    assert found.finding is Finding.HOLDS and found.instances and found.decided == claim
    less, more = claim.statement.args
    false = replace(claim, statement=sp.And(sp.Lt(less.lhs, 0, evaluate=False), more, evaluate=False))
    assert tried(false).finding is Finding.VIOLATION
    assert tried(catalog.get("fedrzo.rem4.ii")) is None  # in words
    assert check_claim(claim, QUICK).instances == found.instances
