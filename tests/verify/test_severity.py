"""The kind verdict and the severity: computed from which readings and corrections of a claim were found to hold."""

import itertools
from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Severity, Source, Switch
from rateproof.theory.papers.strfedavg.notation import G_SCALE
from rateproof.theory.proof import Proof, cite, qed
from rateproof.theory.shorthand import amended, le
from rateproof.theory.symbols import L_f, L_h, declare, eta
from rateproof.verify.checks import finish
from rateproof.verify.deciders import kernel
from rateproof.verify.deciders.kernel import proof_of_kind_reading
from rateproof.verify.evidence import Finding, Verdict
from rateproof.verify.severity import BREAKING, judge, kind_verdict, repair_of
from rateproof.verify.stored import baseline

CONVEX = Hypothesis("eta>0", "eta > 0", sp.Gt(eta, 0, evaluate=False))
WIDE = Hypothesis("L_h>=1", "L_h >= 1", sp.Ge(L_h, 1, evaluate=False))
CONSTANT = Switch("constant", "L_h", "2 L_h", "the proof has 2", {L_h: 2 * L_h}, origin="the proof")
SCALE = Switch("scale", "any L_h", "L_h >= 1", "1 is added to L_h", adding=(WIDE,), origin="1 + L_h in Lemma 1")
AMBIGUOUS = replace(SCALE, name="ambiguous", origin="")
CLAIM = Claim(
    "fake.lem",
    Source("fake", "Lemma"),
    Kind.BOUND,
    "eta <= L_h",
    le(eta, L_h),
    hypotheses=(CONVEX,),
    switches=(CONSTANT, SCALE, AMBIGUOUS),
)
BOTH = CLAIM.kind_reading


def found(name: str, verdict: Verdict, **more: float) -> dict[str, dict[str, object]]:
    return {name: {"verdict": str(verdict), "worst_ratio": None, **more}}


def severity(readings=None, *, violated=None, corrected=()) -> Severity:
    return judge(CLAIM, readings or {}, violated, corrected).severity


def test_the_kind_reading_combines_the_switches_that_the_paper_asks_for():
    assert BOTH == "constant=2 L_h and scale=L_h >= 1"
    kind = CLAIM.read_kindly()
    assert kind.statement == le(eta, 2 * L_h) and WIDE in kind.hypotheses and kind.switches == (AMBIGUOUS,)
    assert replace(CLAIM, switches=(AMBIGUOUS,)).kind_reading == ""


def test_the_kind_verdict_is_that_of_the_evidence_about_the_kind_reading():
    refuted = Verdict.REFUTED
    assert kind_verdict(CLAIM, refuted, found(BOTH, Verdict.SUPPORTED)) is Verdict.SUPPORTED
    assert kind_verdict(CLAIM, refuted, found(BOTH, Verdict.REFUTED)) is Verdict.REFUTED
    # one of its switches alone is not the kind reading, and without evidence nothing is known
    assert kind_verdict(CLAIM, refuted, found(SCALE.reading, Verdict.PROVED)) is Verdict.UNCHECKED
    assert kind_verdict(CLAIM, Verdict.PROVED, {}) is Verdict.PROVED
    assert kind_verdict(replace(CLAIM, switches=()), refuted, {}) is refuted


def test_the_severity_is_that_of_the_reading_under_which_the_claim_holds():
    assert severity() is Severity.SUBSTANCE
    assert severity(found(SCALE.reading, Verdict.SUPPORTED)) is Severity.CONDITION
    assert severity(found(SCALE.reading, Verdict.REFUTED)) is Severity.SUBSTANCE
    assert severity(found(AMBIGUOUS.reading, Verdict.PROVED)) is Severity.SUBSTANCE
    assert severity(found(CONSTANT.reading, Verdict.PROVED)) is Severity.MISPRINT
    # a combination is as grave as the gravest of its repairs, and the mildest of what saves the claim counts
    assert severity(found(BOTH, Verdict.SUPPORTED)) is Severity.CONDITION
    assert severity(found(BOTH, Verdict.SUPPORTED) | found(CONSTANT.reading, Verdict.SUPPORTED)) is Severity.MISPRINT


def test_a_condition_excludes_a_corner_only_when_all_that_needs_it_is_far_from_it():
    far, near = (found(BOTH, Verdict.SUPPORTED, extreme=x) for x in (30.0, 1.5))
    assert severity(far) is Severity.CORNER and severity(near) is Severity.CONDITION
    assert "factor of 30" in judge(CLAIM, far, None, ()).because


def test_degenerate_violations_are_a_corner():
    shown = {"degenerate": True, "instance": "N = 1"}
    assert severity(violated=shown) is Severity.CORNER
    assert severity(violated=shown | {"degenerate": False}) is Severity.SUBSTANCE


SAME = amended(CLAIM, "it needs L_h >= 1", text="for L_h >= 1", hypotheses=(CONVEX, WIDE))
OTHER = amended(CLAIM, "the constant is wrong", text="with 3 L_h", statement=le(eta, 3 * L_h))
GIVEN = replace(OTHER, origin="averaging, as the proof does, gives 3")
LARGEST = declare("largest_sv", "a defined number", paper="fake", positive=True, defined=True)
DEFINED = replace(CLAIM, statement=le(eta, LARGEST), where={LARGEST: L_h})
MOVED = amended(DEFINED, "the definition is wrong", text="with 2 L_f", where={LARGEST: 2 * L_f})
UNUSED = amended(CLAIM, "nothing is wrong", text="with 2 L_f for nothing", where={LARGEST: 2 * L_f})


def test_a_correction_is_judged_by_what_it_changes():
    assert repair_of(CLAIM, SAME).severity is Severity.CONDITION
    assert repair_of(CLAIM, OTHER).severity is repair_of(DEFINED, MOVED).severity is Severity.SUBSTANCE
    assert repair_of(CLAIM, GIVEN).severity is Severity.MISPRINT
    assert repair_of(CLAIM, UNUSED).severity is Severity.SUBSTANCE
    # a misprint that needs a condition besides is no mere misprint
    assert repair_of(CLAIM, replace(GIVEN, hypotheses=(CONVEX, WIDE))).severity is Severity.CONDITION


def test_a_correction_saves_a_claim_only_when_it_holds():
    for verdict, saved in itertools.product((Verdict.PROVED, Verdict.SUPPORTED), (SAME, GIVEN)):
        assert severity(corrected=[(saved, verdict)]) is repair_of(CLAIM, saved).severity
    for verdict in set(Verdict) - {Verdict.PROVED, Verdict.SUPPORTED}:
        assert severity(corrected=[(GIVEN, verdict)]) is Severity.SUBSTANCE


def test_a_correction_of_a_misprint_is_a_kind_reading_and_others_are_not():
    plain = replace(CLAIM, switches=())
    for verdict in (Verdict.PROVED, Verdict.SUPPORTED, Verdict.UNDECIDED):
        assert kind_verdict(plain, Verdict.REFUTED, {}, [(GIVEN, verdict)]) is verdict
        for other in (SAME, OTHER):
            assert kind_verdict(plain, Verdict.REFUTED, {}, [(other, verdict)]) is Verdict.REFUTED
    # the best of several counts, and what holds as printed is not read again
    readings = found(BOTH, Verdict.SUPPORTED)
    assert kind_verdict(CLAIM, Verdict.REFUTED, readings, [(GIVEN, Verdict.PROVED)]) is Verdict.PROVED
    assert kind_verdict(CLAIM, Verdict.REFUTED, readings, [(GIVEN, Verdict.UNDECIDED)]) is Verdict.SUPPORTED
    assert kind_verdict(CLAIM, Verdict.SUPPORTED, {}, [(GIVEN, Verdict.PROVED)]) is Verdict.SUPPORTED


def strfedavg(item: str) -> Claim:
    return catalog.get(f"strfedavg.{item}")


def test_a_kind_reading_is_proved_where_a_corrected_claim_says_as_much():
    follows = proof_of_kind_reading(strfedavg("lem1"))
    assert follows.finding is Finding.PROOF and follows.reading == strfedavg("lem1").kind_reading
    assert "with strfedavg.lem1.corrected" in follows.detail
    # or where its steps show the kind reading, with the multipliers that are given or with others
    for item in ("step.9.curvature", "lem2"):
        assert proof_of_kind_reading(strfedavg(item)).finding is Finding.PROOF


def test_a_property_that_a_check_decides_is_not_cited():
    """What the check of a property shows need not be its statement."""
    remark = strfedavg("rem2")
    assert remark.kind is Kind.PROPERTY and remark.proof is None
    taken = replace(remark, proof=Proof(qed(by=[cite(remark.id)])))
    assert "is a property that a check decides" in kernel.prove(replace(taken, id="strfedavg.taken")).detail


def test_a_kind_reading_may_follow_from_its_own_hypotheses():
    """At L >= 1 the printed step condition implies one that keeps its form."""
    assert proof_of_kind_reading(strfedavg("step.14")).finding is Finding.PROOF


def test_a_kind_reading_that_says_more_than_the_corrected_claim_is_not_proved_by_it():
    lemma1, lemma2 = strfedavg("lem1"), strfedavg("lem2")
    half = replace(G_SCALE, substitute={s: 2 * e / 3 for s, e in G_SCALE.substitute.items()})
    assert proof_of_kind_reading(replace(lemma1, switches=(half,))) is None
    assert proof_of_kind_reading(replace(lemma1, switches=())) is None
    # without f(x) >= f* the constant of the kind reading is too small; here the claim assumes less than the correction
    for left_out in ("points", "eta_squared"):
        less = tuple(s for s in lemma2.switches if s.name != left_out)
        assert proof_of_kind_reading(replace(lemma2, switches=less)) is None
    rough = tuple(h for h in lemma1.hypotheses if h.key != "f_smooth")
    assert len(rough) < len(lemma1.hypotheses) and proof_of_kind_reading(replace(lemma1, hypotheses=rough)) is None


@pytest.mark.parametrize("paper", ["textbook", "strfedavg", "fedrzo"])
def test_every_claim_of_a_paper_is_judged(paper):
    claims, entries = catalog.claims(paper), baseline.read(paper)
    for claim_id, entry in entries.items():
        found, claim = entry.result, claims[claim_id]
        broken = found.verdict in BREAKING and claim.reading is not Reading.CORRECTED
        assert (found.severity is not None) is bool(found.because) is broken, claim_id
        # a kind reading of what falls as printed has evidence of its own
        assert found.kindly is not None and (found.kindly is not Verdict.UNCHECKED or found.verdict is found.kindly)
        if found.severity is Severity.CORNER:
            assert "factor of" in found.because or "degenerate" in found.because, claim_id
    assert [e for e in finish(e.result for e in entries.values()) if e != entries[e.claim].result] == []


KIND = """
CLAIMS = (*CLAIMS, claim("kind", switches=(
    Switch("norm", "R-1", "R", "two conventions", {}, (), (Hypothesis("closed", "X is closed"),), origin="Lemma 1"),)))
"""


@pytest.fixture
def kind(fake):
    """The invented paper with a claim that is refuted as printed and holds where X is closed."""
    claims = fake.root / "claims" / "fake" / "__init__.py"
    claims.write_text(claims.read_text() + KIND)
    checks = fake.root / "checks" / "fake" / "__init__.py"
    checks.write_text(checks.read_text() + '\nCHECKS["fake.kind"] = check_for("kind")\n')
    fake.set(kind="violation")
    return fake


def test_check_fails_when_a_kind_verdict_gets_worse(kind, call):
    assert call("check", "--jobs", "1", "--update")[0] == 0
    code, out, _ = call("check", "fake.kind", "--jobs", "1")
    assert code == 0 and "read kindly: 1 supported" in out and "severity of the broken: 1 condition" in out
    kind.set(kind="violation", other="contradiction")
    code, out, _ = call("check", "fake.kind", "--jobs", "1")
    assert code == 1 and "verdict read kindly was supported, is inconsistent" in out
    assert "severity was condition, is substance" in out


def test_a_baseline_without_kind_verdicts_still_reads(kind, call):
    import json

    call("check", "--jobs", "1", "--update")
    old = [json.loads(line) for line in kind.baseline.read_text().splitlines()]
    for line in old:
        line["kindly"] = None
        for name in ("severity", "because"):
            line.pop(name, None)
    kind.baseline.write_text("".join(json.dumps(line) + "\n" for line in old))
    assert call("check", "--jobs", "1")[:1] == (0,)
    assert "fake.kind" in call("list")[1] and "refuted" in call("show", "fake.kind")[1]


def test_list_and_show_tell_both_verdicts_and_the_severity(kind, call):
    import json

    call("check", "--jobs", "1", "--update")
    (row,) = [line for line in call("list")[1].splitlines() if line.startswith("fake.kind")]
    assert row.split()[6:9] == ["refuted", "supported", "condition"]
    assert [c["claim"] for c in json.loads(call("list", "--severity", "condition", "--json")[1])] == ["fake.kind"]
    assert "printed refuted, read kindly supported, severity condition" in call("show", "fake.kind")[1]
    assert "severity condition: it holds when read as norm: R (Lemma 1)" in call("show", "fake.kind", "--full")[1]
    (found,) = json.loads(call("check", "fake.kind", "--json", "--jobs", "1")[1])
    assert (found["verdict"], found["kindly"], found["severity"]) == ("refuted", "supported", "condition")
