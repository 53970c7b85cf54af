"""Exported certificates: what they say, that Rocq accepts them, and that it refuses planted errors."""

import re
from collections import defaultdict

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.verify.deciders.kernel import exported, lemmas_of
from rateproof.verify.secondkernel import outcomes, planted, rocq
from rateproof.verify.secondkernel.lemmas import Script
from rateproof.verify.secondkernel.printer import NotExportedError, Printer
from rateproof.verify.secondkernel.refutations import refutation
from rateproof.verify.secondkernel.signs import Fact, combination, combination_times, conflict, multiples
from rateproof.verify.secondkernel.terms import log_between

x, y, z = sp.symbols("x y z")

#: A probability, a power of a sum, a sum for all horizons; the same of powers of a number.
LAWS = ("fedweight.ps-12.f", "fedweight.ps-14.a", "fedweight.ps-31.f", "fedweight.prop3.weights")
#: Rounds that an accuracy needs: by powers; with a logarithm.
ROUNDS = ("fedmsa.step.15.rounds", "fedweight.ps-26.a")
SMALL = ("lemmas.storm", "lemmas.descent", "lemmas.young")
with_coqc = pytest.mark.skipif(rocq.found() is None, reason=rocq.ABSENT)


# --- without coqc


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (x / y, "(x * (/ y))"),
        (sp.sqrt(x) ** 3, "((sqrt x) ^ 3)"),
        (x ** sp.Rational(1, 3), "(rpow x (1 / 3))"),
        (-x / 2, "((- 1 / 2) * x)"),
        (sp.Max(x, y), "(Rmax x y)"),
        (sp.log(x) + sp.exp(y), "((exp y) + (ln x))"),
        (sp.exp(-2) * x, "(x * (/ (exp 2)))"),
        (sp.Sum(sp.Symbol("k") * x, (sp.Symbol("k"), 0, y)), "(rsum (fun k : R => (k * x)) 0 y)"),
    ],
)
def test_expressions_are_real_numbers_of_rocq(expr, text):
    assert Printer().text(expr) == text


def test_words_of_rocq_are_no_names():
    printer = Printer()
    assert [printer.text(sp.Symbol(s)) for s in ("S", "R", "at", "x^+", "x_")] == ["S_", "R_", "at_", "x__", "x_"]


def test_what_has_no_counterpart_is_refused_by_name():
    with pytest.raises(NotExportedError, match="zeta"):
        Printer().text(sp.zeta(x))


def test_a_search_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr("rateproof.verify.secondkernel.claims.SECONDS", -1.0)
    assert "seconds of processor time" in exported(catalog.get("textbook.sgd_log")).why


def sum_of(found, facts):
    return sum(p.number * p.beside * sp.Mul(*(facts[i].expr for i in p.facts)) for p in found)


def test_a_sign_is_a_sum_of_products():
    facts = [Fact(x, strict=True), Fact(1 - x), Fact(y), Fact(1 - y)]
    target = 2 - x - x * y
    found = combination(target, facts)
    assert sp.expand(sum_of(found, facts) - target) == 0
    assert all(p.number >= 0 for p in found)


def test_a_sign_that_needs_a_factor_has_one():
    facts = [Fact(x * y - 1), Fact(y, strict=True)]
    assert combination(x, facts) is None
    factor, found = combination_times(x, facts, [y])
    assert sp.expand(sum_of(found, facts) - factor * x) == 0


def test_a_sign_of_high_degree_is_led_by_its_facts():
    facts = [Fact(16 * x**4 * y**4 - 1, equal=True), Fact(16 * x**4 * y**3 * z - 1, equal=True)]
    facts += [Fact(s, strict=True) for s in (x, y, z)]
    factor, found = combination_times(y - z, facts, [x, y, z])
    assert factor.has(x)
    total = sum(p.number * p.beside * sp.Mul(*(facts[i].expr for i in p.facts)) for p in found)
    assert sp.expand(total - factor * (y - z)) == 0
    assert combination_times(y - z, facts, [x, y, z], strict=True) is None


def test_a_false_sign_has_no_reason():
    facts = [Fact(x, strict=True), Fact(1 - x)]
    assert combination(x - 1, facts) is None
    assert combination(x * (x - 1), facts, strict=True) is None
    assert combination(1 - x, facts, strict=True) is None  # x = 1 is among them


def test_which_facts_a_sign_needs_is_asked_first():
    facts = [Fact(z - 3), Fact(x - y), Fact(y - 1, strict=True), Fact(x + y + z)]
    assert conflict(x - 1, facts, strict=True) == (1, 2)
    assert conflict(x - 2, facts, strict=False) is False


NONNEGATIVE = [Fact(s) for s in (x, y)]
REFUTED = [
    # no positive factor is known by which it could be multiplied, for both may be zero
    (x - y, [Fact(x**2 - y**2), *NONNEGATIVE]),
    # of a share: (y z + y + z) (1 - x) = y z
    (1 - x, [Fact(y + z - x * (y * z + y + z), equal=True), Fact(y), Fact(z - 1)]),
    (x**3 - y**3, [Fact(x - y), *NONNEGATIVE]),
    (1 - x, [Fact(x**2 - 3 * x + 2), Fact(z - 1, strict=True), Fact(z + 1 - x * z - x)]),
]


@pytest.mark.parametrize(("target", "facts"), REFUTED)
def test_the_contrary_of_a_sign_is_refuted(target, facts):
    found = refutation(target, facts)
    every = [*facts, Fact(-target, strict=True)]
    assert sp.expand(sum_of(found, every)) == 0
    assert all(p.number >= 0 for p in found if not any(every[i].equal for i in p.facts))
    assert any(p.number > 0 and all(every[i].strict for i in p.facts) for p in found)
    assert refutation(target, facts, strict=True) is None
    assert refutation(target - 1, facts) is None


def script_of(*relations):
    script = Script(Printer())
    for i, r in enumerate(relations):
        script.suppose(r, f"h_{i}")
    return script


def test_a_power_has_a_sign_whatever_its_exponent_where_its_base_is_positive():
    power = (x - y) ** z
    assert script_of(sp.Gt(x - y, 0, evaluate=False)).sign(power, ">=")
    with pytest.raises(NotExportedError):
        script_of(sp.Ge(x - y, 0, evaluate=False)).sign(power, ">=")


def test_a_fact_in_factors_is_divided_by_those_that_are_positive():
    a, b = sp.symbols("a b", positive=True)
    told = (sp.Ge((a - 1) * (x - 2 * b), 0, evaluate=False), sp.Gt(a, 1 + b, evaluate=False))
    script = script_of(*told)
    assert script._divide()
    assert Fact(x - 2 * b) in script.facts
    assert not script_of(told[0])._divide()  # a may be less than 1


a, b, c = sp.symbols("a b c", positive=True)


@pytest.mark.parametrize(
    ("expr", "holds"),
    [
        (2 * sp.sqrt(a + b) - sp.sqrt(2) * sp.sqrt(a), True),  # the larger root, and the number by fractions
        (sp.sqrt(a + b) - sp.sqrt(a) * sp.Rational(5, 4), False),
        (sp.sqrt(1 + a) - 1, True),
        (a / 4 - sp.sqrt(a) * sp.sqrt(b) * c + b * c**2, True),  # a square
        (a / 4 - 2 * sp.sqrt(a) * sp.sqrt(b) * c + b * c**2, False),
        (a**2 * (x - y) ** 2 + b * (x + y) ** 2 - b * (x + y) ** 2 / 2, True),  # squares as they are written
    ],
)
def test_the_sign_of_an_expression_with_roots_or_squares(expr, holds):
    script = script_of()
    if holds:
        assert script.sign(expr, ">=")
    else:
        with pytest.raises(NotExportedError, match="no reason"):
            script.sign(expr, ">=")


def test_a_square_is_completed():
    t = sp.Symbol("t", real=True)
    assert script_of().sign((a + 1) / (3 * t**2 - 6 * t + 4), ">")
    with pytest.raises(NotExportedError):
        script_of().sign(3 * t**2 - 6 * t + 2, ">")


def test_a_sum_is_one_of_multiples_term_by_term():
    inverse = 1 / (x - 1)
    given = [(y * inverse - z, False), (b - x * y, True)]
    target = a * (y * inverse - z) / b + a * b - a * x * y + c
    found = multiples(target, given, lambda e: bool(e.is_nonnegative))
    assert found is not None
    assert sp.simplify(target - sum(times * (1 if i is None else given[i][0]) for times, i in found)) == 0
    assert multiples(target - 2 * c, given, lambda e: bool(e.is_nonnegative)) is None


def test_what_divides_is_not_zero_where_nothing_is():
    with pytest.raises(NotExportedError):
        script_of().sign(1 / (x - a), "!=")
    assert script_of(sp.Gt(x, a, evaluate=False)).sign(1 / (x - a), "!=")


def test_the_powers_of_a_number_above_one_are_bounded_by_induction():
    exported_ = exported(catalog.get("fedweight.prop3.weights"))
    assert "induct" in exported_.text
    assert not exported_.why


@pytest.mark.parametrize("number", [2, 3, 80, 2**40])
def test_a_logarithm_is_between_fractions(number):
    below, above = (sp.Rational(*log_between(number, relation)) for relation in (">=", "<="))
    assert below < sp.log(number) < above < below + sp.Rational(1, 100)


@pytest.mark.parametrize("claim", SMALL)
def test_a_claim_is_a_theorem(claim):
    text = exported(catalog.get(claim)).text
    assert text.count("\nLemma ") == text.count("\nProof.") - 1 == text.count("\nQed.") - 1
    assert not re.search(r"\b(Admitted|Axiom|admit|Abort)\b", text)
    assert "Theorem statement" in text and text.endswith("Print Assumptions statement.\n")


@pytest.mark.parametrize("claim", ROUNDS)
def test_what_o_hides_is_a_number_of_what_is_held(claim):
    before, _, after = exported(catalog.get(claim)).text.partition("Section Claim.")
    counted = next(iter(catalog.get(claim).setting.rounds.values()))
    binder = re.search(r"Definition C_O \(([^:]*) : R\) : R :=", before)[1].split()
    assert {*binder} <= {s.name for s in counted.held}
    theorem = re.search(r"^Theorem statement : (.*)\.$", after, re.MULTILINE)[1]
    assert theorem.startswith(f"0 < (C_O {' '.join(binder)}) /\\ ({counted.target} < ")
    assert f"-> {counted.over} <= " in theorem
    assert not re.search(r"(Hypothesis|Variables?) [^:]*C_O", after)


def test_rules_are_hypotheses_by_name():
    text = exported(catalog.get("lemmas.storm")).text
    assert "Hypothesis fresh_e : (dot v_e v_u) = 0." in text
    assert "Hypothesis lipschitz_G_x_y" in text


def test_files_have_names_of_rocq():
    assert rocq.file_name("mefbo.st-42/43") == "mefbo_st_42_43"


def test_a_claim_counts_only_where_all_that_it_cites_does():
    accepted, refused = outcomes.Outcome.ACCEPTED, outcomes.Outcome.REFUSED
    found = [
        outcomes.Answer("first", accepted, cites=("second",)),
        outcomes.Answer("second", accepted, cites=("third", "fourth")),
        outcomes.Answer("third", refused, "an error"),
        outcomes.Answer("fourth", accepted),
        outcomes.Answer("fifth", accepted, cites=("fourth",)),
        outcomes.Answer("sixth", accepted, cites=("has no steps",)),
    ]
    settled = {a.claim: (str(a.outcome), a.why) for a in outcomes.supported(found)}
    assert settled == {
        "first": ("unsupported", "rests on second, which is not accepted"),
        "second": ("unsupported", "rests on third, which is not accepted"),
        "third": ("refused", "an error"),
        "fourth": ("accepted", ""),
        "fifth": ("accepted", ""),
        "sixth": ("unsupported", "rests on has no steps, which is not accepted"),
    }


# --- with coqc


def test_what_may_be_drawn_is_a_function_of_the_outcome():
    text = exported(catalog.get("fedweight.ps-12.f")).text
    assert "Variable dev_w : Omega -> R." in text
    assert "Variables delta : R." in text  # it stands beside a probability
    said = "(1 + ((- 1) * delta)) <= (pr (fun o : Omega => (dev_w o) <= ((C_a o) * (sqrt (B_train o)))))"
    assert f"Hypothesis hyp_lem3_i : {said}." in text


def test_what_a_cited_claim_supposes_of_what_is_drawn_it_supposes_surely():
    text = exported(catalog.get("fedweight.thm1.fn3.corrected")).text
    surely = "(forall (o : Omega), (dev_0 o) <= (Rmax (G_down o) (G_up o))) -> "
    assert re.search(rf"Hypothesis cited_fedweight_lem2_corrected : .*{re.escape(surely)}", text)


@with_coqc
@pytest.mark.parametrize("claim", (*SMALL, *LAWS, *ROUNDS))
def test_rocq_accepts(claim):
    assert rocq.checked(rocq.found(), exported(catalog.get(claim)).text) == rocq.Answer(True)


@with_coqc
@pytest.mark.parametrize(
    "said",
    [
        "rpow x (1 / 6) ^ 2 * sqrt x = rpow x (2 / 3) * rpow x (1 / 6)",
        "rpow (x * / sqrt y) (2 / 3) = rpow x (2 / 3) * / rpow y (1 / 3)",
    ],
    ids=["roots of one number", "a power of a quotient"],
)
def test_powers_are_compared_by_their_exponents(said):
    def told(said):
        lemma = f"Lemma powers x y : 0 < x -> 0 < y -> {said}.\nProof. intros. ident. Qed.\n"
        return rocq.checked(rocq.found(), f"From RateProof Require Import RateProof.\n{lemma}")

    assert told(said).accepted
    assert not told(said.replace("(2 / 3)", "(3 / 4)", 1)).accepted


@with_coqc
def test_what_is_cited_is_checked_too():
    claim = catalog.get("lemmas.federated_storm_rounds")
    cites = exported(claim).cites
    assert cites
    found = [*outcomes.answers([claim], rocq.found(), 1)]
    assert {a.claim for a in found} >= {claim.id, *cites}
    assert {a.outcome for a in outcomes.supported(found)} == {outcomes.Outcome.ACCEPTED}


@with_coqc
def test_a_lemma_of_a_claims_own_is_checked_beside_it():
    claim = catalog.get("mefbo.lemG.1-a")
    (lemma,) = lemmas_of(claim)
    assert catalog.find(lemma.id) is None
    found = outcomes.supported([*outcomes.answers([claim], rocq.found(), 1)])
    assert {a.claim: a.outcome for a in found} == dict.fromkeys((claim.id, lemma.id), outcomes.Outcome.ACCEPTED)


@with_coqc
def test_an_admitted_step_is_refused():
    text = exported(catalog.get("lemmas.young")).text
    first = re.search(r"Proof\.\n.*?\nQed\.", text, re.DOTALL)
    answer = rocq.checked(rocq.found(), text.replace(first[0], "Admitted.", 1))
    assert not answer.accepted


def errors():
    """Planted errors by kind; of each kind one of each claim first."""
    found = defaultdict(list)
    for claim in (*SMALL, "lemmas.federated_storm_rounds", *LAWS, *ROUNDS):
        for error in planted.planted(exported(catalog.get(claim)).text):
            found[error.kind].append(error)
    return found


@with_coqc
def test_planted_errors_are_refused(request):
    """Sixty of them with ``--full``, else one of each kind."""
    most = 15 if request.config.getoption("full") else 1
    found = errors()
    assert {*found} == {*planted.KINDS}
    tried = [error for kind in planted.KINDS for error in found[kind][:most]]
    assert len(tried) >= (60 if most > 1 else len(planted.KINDS))
    accepted = [(e.kind, e.place) for e in tried if rocq.checked(rocq.found(), e.text).accepted]
    assert not accepted


@with_coqc
@pytest.mark.parametrize("claim", LAWS)
def test_a_law_shows_no_more_than_it_says(claim):
    errors = [e for e in planted.planted(exported(catalog.get(claim)).text) if e.kind in ("law", "event")]
    assert errors
    assert not rocq.checked(rocq.found(), errors[0].text).accepted
