"""What evidence counts for: levels are earned, and words are those that a proof was written for."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source, conjuncts
from rateproof.theory.papers.fedrzo.notation import m
from rateproof.theory.papers.fedrzo.single.notation import cross_agg, eb, sq_est, sq_G
from rateproof.theory.symbols import n
from rateproof.verify import registry
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.deciders.certificates import Combination, Premise, certify, cite, prove, proved
from rateproof.verify.evidence import Evidence, Finding, Level, Verdict, Violated, by_decider, earned
from rateproof.verify.stored import baseline

M, c = sp.symbols("M c", nonnegative=True)


def copies(claim):
    """Copies with a hypothesis in words reworded, put into words, or added."""
    for i, h in enumerate(claim.hypotheses):
        words = replace(h, text=f"{h.text}, or nearly so", relation=None)
        others = (words,) if h.relation is not None else (words, replace(h, relation=sp.Ge(M, 0, evaluate=False)))
        for other in others:
            yield replace(claim, hypotheses=(*claim.hypotheses[:i], other, *claim.hypotheses[i + 1 :]))


def proofs(claim):
    return [e for e in evidence_on(claim, Budget()) if e.finding is Finding.PROOF and not e.reading]


@pytest.mark.parametrize("paper", catalog.papers())
def test_a_proof_with_words_speaks_of_no_other_words(paper, monkeypatch):
    by_hand = partial(registry.InTables, check=lambda claim, budget: [proved("by hand")])
    monkeypatch.setattr(registry, "record", by_hand)
    monkeypatch.setattr("rateproof.verify.checks.tried", lambda claim: None)
    for claim in (replace(c, proof=None) for c in catalog.claims(paper).values()):
        assert proofs(claim) and proofs(replace(claim, hypotheses=claim.hypotheses[1:]))
        for copy in copies(claim):
            (found,) = evidence_on(copy, Budget())
            assert found.finding is Finding.INCONCLUSIVE and "does not speak of the hypothesis" in found.detail


@pytest.mark.parametrize(
    ("item", "key", "said", "other"),
    [
        ("st.3.sets", "dissimilarity", "B_2^2 ||", "4 B_2^2 ||"),
        ("lem8.b.corrected", "dissimilarity", "B_2^2 ||", "4 B_2^2 ||"),
        ("lem1.iii", "h_lipschitz", "L_0-Lipschitz", "10 L_0-Lipschitz"),
        ("thm2.i.corrected", "alg5", "t_k steps", "t_k/2 steps"),
    ],
)
def test_words_that_say_less_prove_nothing(item, key, said, other):
    claim = catalog.get(f"fedrzo.{item}")
    (old,) = (h for h in claim.hypotheses if h.key == key)
    new = replace(old, text=old.text.replace(said, other))
    assert new != old and proofs(claim)
    assert not proofs(replace(claim, hypotheses=tuple(new if h is old else h for h in claim.hypotheses)))


CLAIM = Claim("trust.one", Source("trust", "Lemma 1"), Kind.BOUND, "M >= 0", sp.Le(0, M + c, evaluate=False))


def test_a_violation_that_no_decider_found_is_an_argument():
    shown = Violated("an instance", 2.0, 1.0, 2.0, "M <= 1")
    by_hand = Evidence(Finding.VIOLATION, Level.EXACT, "by hand", "trust me", violated=shown)
    assert earned(by_hand, CLAIM).level is Level.ARGUMENT
    assert earned(by_decider(by_hand, CLAIM), CLAIM).level is Level.EXACT
    assert earned(by_decider(by_hand, replace(CLAIM, note="another")), CLAIM).level is Level.ARGUMENT


@pytest.mark.parametrize(
    ("terms", "level"),
    [
        ([(1, Premise(M, "a sign")), (1, Premise(c, "a sign"))], Level.CERTIFICATE),
        ([(1, Premise(M - 1, "a word")), (1, Premise(c + 1, "a sign"))], Level.ARGUMENT),
        ([(1, Premise(M + c - 0 * M, "a sign"))], Level.CERTIFICATE),
    ],
)
def test_a_proof_by_combination_is_as_strong_as_its_premises(terms, level):
    assert earned(prove(CLAIM, [Combination(terms)]), CLAIM).level is level


FACT, SUPPOSED = (Level.STANDARD_FACT, "standard fact"), (Level.PREMISE, "premise of the paper")


@pytest.mark.parametrize(("stated", "supposed", "level"), [(0, 0, FACT), (1, 0, SUPPOSED), (0, 1, SUPPOSED)])
def test_a_premise_that_is_the_claim_is_a_standard_fact_or_supposed(stated, supposed, level):
    x = sp.Symbol("x", real=True)
    relation = sp.Le(0, x, evaluate=False)
    hypotheses = (Hypothesis("known", "x is nonnegative", relation if stated else None),)
    claim = replace(CLAIM, statement=relation, hypotheses=hypotheses)
    premise = Premise(x, "as everybody knows", supposed=bool(supposed))
    found = earned(prove(claim, [Combination([(1, premise)])]), claim)
    assert (found.level, found.detail) == (level[0], f"the claim is a {level[1]}: as everybody knows")
    halves = [(1, Premise(x - 1, "as everybody knows")), (1, Premise(sp.Integer(1), "1 > 0"))]
    assert earned(prove(claim, [Combination(halves)]), claim).level is Level.ARGUMENT


def test_checks_that_read_the_claim_are_a_certificate_when_they_hold():
    assert earned(certify(CLAIM, {"it holds": True}, "read"), CLAIM).level is Level.CERTIFICATE
    assert certify(CLAIM, {"it holds": False}, "read").finding is Finding.INCONCLUSIVE


def test_a_citation_is_what_the_claim_states():
    cited = cite("fedrzo.lem5.ii", {cross_agg: M, eb: c})
    relation = catalog.get("fedrzo.lem5.ii").statement
    assert sp.expand(cited.expr - (relation.lhs - relation.rhs).subs({cross_agg: M, eb: c})) == 0
    assert cited.why == "lem5.ii for M as cross_agg, c as eb"
    for bad, said in (("fedrzo.lem4.ii", "2 relations"), ("fedrzo.unheard", "unknown claim")):
        with pytest.raises(ValueError, match=said):
            cite(bad)


def test_a_citation_is_summed_where_it_is_linear():
    sums = {sq_est: M, sq_G: c}
    relation = next(r for r in conjuncts(catalog.get("fedrzo.lem4.ii").statement) if r.lhs == sq_est)
    rest = relation.rhs.subs(sq_G, 0)
    assert sp.expand(cite("fedrzo.lem4.ii", sums, part=sq_est, terms=m).expr - (m * rest + 2 * c - M)) == 0
    for bad in ({sq_est: M}, {sq_est: M, sq_G: c, n: M}):
        with pytest.raises(ValueError, match=r"may differ between|is not linear in"):
            cite("fedrzo.lem4.ii", bad, part=sq_est, terms=m)


CODE = tuple(path.read_text("utf-8") for path in (Path(registry.__file__).parent / "papers").rglob("*.py"))
#: The name or id of a result.
NAME = re.compile(
    r"\b(?:lemmas?|propositions?|theorems?|corollary|remarks?) \d+"
    r"|\b(?:lem|prop|thm|rem|cor|step|st)\.?\d[\w.-]*|moreau-\d",
    re.IGNORECASE,
)
#: Words that say which part of a claim is meant, and at what it is used.
ABOUT = re.compile(
    r"[ivx]+|[ab]|and|the|at|of|in|to|for|with|as|by|is|from|over|corrected|printed|sharp|first|second|part|every|each"
    r"|all|clients?|mean|sum|summed|round|run|steps|expectation|recursion",
    re.IGNORECASE,
)


def reasons(code: str) -> Iterator[str]:
    """Why each premise and each fact of some code holds, as far as that stands there as a text."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("Premise", "Given", "fact"):
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def is_a_name(reason: str) -> bool:
    """Whether a text gives another claim as the reason, and nothing else."""
    rest, named = NAME.subn(" ", reason)
    return named > 0 and all(map(ABOUT.fullmatch, re.findall(r"\w+", rest)))


def test_a_premise_that_names_a_claim_is_cited():
    told = [reason for code in CODE for reason in reasons(code)]
    assert len(told) > 100 and [reason for reason in told if is_a_name(reason)] == []
    assert is_a_name("Lemma 4 (ii) in the mean over the clients, summed over the round") and is_a_name("lem6.grad")
    assert not is_a_name("given F_k the clients are independent, Lemma 4 (i)")


def test_only_what_is_proved_is_cited():
    cited = {i for code in CODE for i in re.findall(r'cite\(\s*"([^"]+)"', code)}
    known = {c: e for paper in catalog.papers() for c, e in baseline.read(paper).items()}
    assert len(cited) >= 25 and {known[c].result.verdict for c in cited} == {Verdict.PROVED}
