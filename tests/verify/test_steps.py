"""The steps that evidence keeps: each adds up to what it shows, and is told with what it rests on."""

from dataclasses import replace
from functools import cache

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, expand_definitions
from rateproof.theory.gram import norm2
from rateproof.theory.gram.forms import gap
from rateproof.theory.proof import Certificate, Checked, check
from rateproof.verify.checks import Budget, Result, check_claim, evidence_on
from rateproof.verify.deciders import kernel
from rateproof.verify.deciders.steps import lines
from rateproof.verify.evidence import Finding
from rateproof.verify.pages.listed import details, keep_proofs, shown
from rateproof.verify.pages.page import laid_out
from rateproof.verify.stored import baseline

PROOFS = [
    *("textbook.descent_lemma", "textbook.gd_strongly_convex", "textbook.gradient_bound", "textbook.moreau_smooth"),
    *("lemmas.young", "lemmas.spread", "lemmas.mean_noise", "lemmas.gradient_step", "lemmas.sarah", "lemmas.storm"),
]


@cache
def checked(claim_id: str) -> tuple[Claim, Checked]:
    claim = catalog.get(claim_id)
    assert claim.proof is not None
    return claim, check(claim, claim.proof, catalog.get)


def certificates(claim_id: str) -> list[tuple[sp.Rel, Certificate]]:
    """Each inequality that was decided, with its certificate: of an equation there are two."""
    found = []
    for line in checked(claim_id)[1].lines:
        sides = line.relation.args
        both = [sp.Le(*sides, evaluate=False), sp.Ge(*sides, evaluate=False)]
        goals = both if isinstance(line.relation, sp.Eq) else [line.relation]
        shown = [part for part in line.how if isinstance(part, Certificate)]
        found += list(zip(goals, shown, strict=True)) if len(shown) == len(goals) else []
    return found


def left_over(claim_id: str, goal: sp.Rel, certificate: Certificate) -> sp.Expr:
    """What the multipliers and squares leave of an inequality; a premise with a name is the step of that name."""
    claim, proof = checked(claim_id)
    earlier = {line.name: line.relation for line in proof.lines}

    def form(relation: sp.Rel) -> sp.Expr:
        metrics = claim.setting.metrics if claim.setting else {}
        return gap(expand_definitions(relation, claim.where)).xreplace({m: sp.sympify(f) for m, f in metrics.items()})

    used = [(m, earlier[p] if isinstance(p, str) else p) for m, p in certificate.uses]
    total = sum((m * form(p) for m, p in used), sp.S.Zero) + sum(
        (c * norm2(v) for c, v in certificate.squares), sp.S.Zero
    )
    return sp.simplify(sp.expand(form(goal) - total))


@pytest.mark.parametrize("claim_id", PROOFS)
def test_a_step_is_the_sum_that_is_kept(claim_id):
    found = certificates(claim_id)
    assert found
    for goal, certificate in found:
        assert str(left_over(claim_id, goal, certificate)) == (certificate.rest or "0"), goal


def test_another_multiplier_leaves_something():
    (goal, certificate) = certificates("lemmas.storm")[-1]
    assert {p for _, p in certificate.uses} == {"orthogonal", "the centred change", "noise"}
    (first, *rest) = certificate.uses
    wrong = Certificate(((2 * first[0], first[1]), *rest), certificate.squares)
    assert left_over("lemmas.storm", goal, wrong) != 0


def test_a_result_keeps_the_steps_of_its_proof():
    result = check_claim(catalog.get("lemmas.storm"), Budget())
    names = [one["name"] for one in result.steps]
    assert names == ["the centred change", "orthogonal", "noise", "the statement"]
    last = result.steps[-1]
    assert last["by"] == ["orthogonal", "the centred change", "noise"] and "storm <= " in last["formula"]
    assert lines(last)[0].startswith("= (2*(rho - 1)) [orthogonal] + ")
    assert Result.from_json(result.to_json()).steps == result.steps
    known = baseline.read("lemmas")["lemmas.storm"]
    assert (known.steps, known.result.detail) == (len(result.steps), result.detail) == (4, "4 steps")


def test_show_tells_each_step_with_its_sum(monkeypatch):
    text = " ".join("\n".join(laid_out(shown("lemmas.storm", "proof"))).split())
    assert text.startswith("proof of lemmas.storm, 4 steps vectors of the proof, ")  # what letters mean stands first
    assert "(3) noise: ‖e‖² ≤ σ² by variance(e) = (1) [||e||^2 <= sigma2]" in text
    assert " by (2), (1), (3) = (2*(rho - 1)) [orthogonal] + " in text and "[the centred change] + (2*" in text
    with monkeypatch.context() as patched:
        patched.setattr(kernel, "prove", lambda _: pytest.fail("proved again"))
        assert [one["name"] for one in details("lemmas.storm")["proof"]][-1] == "the statement"
    of = shown("strfedavg.lem1", "proof")[0]  # what is refuted has no proof; its correction has one
    assert of[2].startswith("\ue004proof\ue005 of strfedavg.lem1.corrected, 4 steps")
    page = "\n".join(laid_out(shown("strfedavg.lem5.corrected", "proof")))
    assert (
        page.index("vectors of the proof")
        < page.index("\n(A.1) mu <= L: η μ_f ≤ L\n")
        < page.index("\n(3) the statement: ")
    )
    assert page.partition("\n(3) the statement: ")[2].count("\n    = (") == 1  # nothing is left over at the end
    assert shown("strfedavg.rem4", "proof") == ["the baseline has no proof of strfedavg.rem4 in steps"]


def test_a_check_keeps_the_steps_also_of_a_proof_that_no_kernel_knows(monkeypatch):
    result = check_claim(catalog.get("fedrzo.st.5.modulus"), Budget())
    keep_proofs([result])
    monkeypatch.setattr("rateproof.verify.checks.check_claim", lambda *_: pytest.fail("checked again"))
    assert details(result.claim)["proof"] == list(result.steps)
    assert "(1) the statement: " in str(shown(result.claim, "proof"))


def test_a_combination_is_kept_as_one_step():
    claim = catalog.get("fedrzo.st.5.modulus")
    (step,) = check_claim(claim, Budget()).steps
    assert step["by"][1:] == [
        "lem1.iv for modulus_f as gap_grad_h, 1 as dist_xy",
        "moreau-2 for modulus_d as gap_grad_I, 1 as dist_xy",
    ]
    (uses,) = (part["uses"] for part in step["shown"])
    assert [m for m, _ in uses] == ["1", "1", "1"] and uses[2][1] == "-modulus_d + 1/eta_s >= 0"
    other = replace(claim, hypotheses=())
    failed = next(e for e in evidence_on(other, Budget()) if e.finding is not Finding.HOLDS)
    assert failed.finding is Finding.INCONCLUSIVE and failed.steps == ()


def test_every_proof_by_the_kernel_is_kept_with_its_steps():
    missing = []
    for paper in catalog.papers():
        known = baseline.read(paper)
        proofs = [i for i, c in catalog.claims(paper).items() if c.proof and known[i].result.method == "proof"]
        missing += [i for i in proofs if not known[i].steps]
    assert missing == []
