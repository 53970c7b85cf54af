import math
import re
from dataclasses import replace

import pytest
import sympy as sp
from test_falsify import search

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.symbols import C_O, K, L_f, L_h, N, R, S, T, a, b, eta, eta_hat, gamma_l, h_star
from rateproof.verify import registry
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Finding, Verdict
from rateproof.verify.falsify import spaces_of
from rateproof.verify.planted.mutate import terms
from rateproof.verify.spaces.named_sums import with_named_sums
from rateproof.verify.spaces.symbolic import symbolic_space
from rateproof.verify.stored import baseline
from rateproof.verify.trial import evaluate

SOURCE = Source("mine", "Lemma 1")


def claim(statement, *relations, kind=Kind.INEQUALITY, where=None):
    hypotheses = tuple(Hypothesis(str(r), str(r), r) for r in relations)
    return Claim("mine.lemma", SOURCE, kind, "text", statement, hypotheses=hypotheses, where=where or {})


def le(x, y):
    return sp.Le(x, y, evaluate=False)


def searchable():
    for paper in catalog.papers():
        known = baseline.read(paper)
        for cid, found in catalog.claims(paper).items():
            verdict = known[cid].result.verdict
            if verdict is Verdict.UNCHECKED and not any(one.check for one in registry.records(paper)):
                continue  # the paper has proofs, and no checks yet
            try:
                yield cid, found, symbolic_space(found), verdict
            except ValueError:
                continue


SEARCHABLE = list(searchable())


def steps():
    for paper in catalog.papers():
        known = baseline.read(paper)
        for one in registry.records(paper):
            numbers = [space for space in one.spaces if space.name == "numbers"]
            yield from ((one.claim, space, known[one.claim.id].result.verdict) for space in numbers)


STEPS = list(steps())


@pytest.mark.sweep(6)
@pytest.mark.parametrize(("found", "space", "verdict"), STEPS, ids=[s[0].id for s in STEPS])
def test_of_a_step_from_relations_to_another_one_metrics_are_numbers_as_well(found, space, verdict):
    assert len(STEPS) >= 10
    result = search(found, [space], examples=300)
    assert result.evidence.instances > 10 or result.refuted
    assert not (result.refuted and verdict is Verdict.PROVED)


@pytest.mark.parametrize("term", list(terms(catalog.get("fedrzo.st.10.sum"))), ids=lambda term: term.name)
def test_a_step_needs_every_term(term):
    found = catalog.get("fedrzo.st.10.sum")
    space = symbolic_space(found, metrics=True)
    assert not search(found, [space], examples=100).refuted
    assert search(term.scaled(sp.S.Zero), [space], examples=100).refuted


def test_metrics_are_numbers_only_where_the_paper_says_so():
    # true of what a run measures, not of any numbers: |<u, v>| <= |u| |v| is no displayed relation
    with pytest.raises(ValueError, match="measured on an instance"):
        symbolic_space(catalog.get("fedrzo.st.13"))
    assert search(catalog.get("fedrzo.st.13"), [symbolic_space(catalog.get("fedrzo.st.13"), metrics=True)]).refuted


def test_some_claims_of_the_papers_are_about_numbers_alone():
    assert len(SEARCHABLE) >= 35
    assert not any(cid.startswith("textbook") for cid, *_ in SEARCHABLE)
    found = {verdict for *_, verdict in SEARCHABLE}
    assert {Verdict.PROVED, Verdict.REFUTED} <= found
    # Dudley's integral is a rule with its source: as a claim of a proof it has no steps
    assert {cid.rpartition(".")[2] for cid, *_, verdict in SEARCHABLE if verdict is Verdict.SUPPORTED} == {"dudley"}
    assert found <= {Verdict.PROVED, Verdict.REFUTED, Verdict.SUPPORTED}


@pytest.mark.sweep(20)
@pytest.mark.parametrize(("found", "space", "verdict"), [s[1:] for s in SEARCHABLE], ids=[s[0] for s in SEARCHABLE])
def test_no_proved_claim_is_accused_and_the_refuted_ones_are_found(found, space, verdict):
    refuted = verdict is Verdict.REFUTED
    # where many conditions leave little room, a claim has a space of its own
    own = [each for each in spaces_of(found) if each.name != space.name]
    result = search(found, own or [space], examples=600 if refuted else 120)
    assert result.refuted is refuted
    # instances on which no value exceeds the bound say nothing, nor do those that leave a part without a value
    says_nothing = not refuted and re.search(
        "no bound is below the largest value|never evaluated", result.evidence.detail
    )
    expected = Finding.VIOLATION if refuted else Finding.INCONCLUSIVE if says_nothing else Finding.HOLDS
    assert result.evidence.finding is expected
    if refuted:
        built = result.built.trials if isinstance(result.built, Ladder) else [result.built]
        assert built and all(evaluate(found, trial).admissible for trial in built)


def test_a_planted_error_in_a_proved_claim_is_found():
    proved = catalog.get("strfedavg.step.12.subadditivity")
    wrong = replace(proved, statement=le(proved.statement.args[0], proved.statement.args[1] * sp.Rational(97, 100)))
    found = search(wrong, [symbolic_space(proved)])
    assert found.refuted and found.evidence.violated.ratio == pytest.approx(100 / 97)


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (claim(None), "stated in words"),
        (claim(le(L_f, L_h), kind=Kind.PROPERTY), "states a property"),
        (claim(le(h_star, L_h)), "measured on an instance, or have no sign: h_star"),
        (claim(le(L_f, eta_hat), where={eta_hat: h_star**2}), "h_star"),
        (replace(claim(le(L_f, L_h)), hypotheses=(Hypothesis("convex", "h is convex"),)), "hypotheses hold: convex"),
        (claim(le(sp.Sum(sp.log(N + K) / N, (N, 1, T), (K, 1, T)), L_h)), "sum over several indices"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_claim_that_numbers_cannot_decide_is_refused_in_one_line(refused, reason):
    with pytest.raises(ValueError, match=reason) as error:
        spaces_of(refused)
    assert "\n" not in str(error.value)


def points(space, of):
    return [trial for point in space.corners(of) if (trial := built(space, point)) is not None]


def built(space, point):
    try:
        return space.build(point)
    except ValueError:
        return None


def test_equations_are_solved_for_a_symbol():
    bound = claim(le(gamma_l * L_h, K), sp.Eq(gamma_l * L_h, eta + 1, evaluate=False))
    trials = points(symbolic_space(bound), bound)
    kept = [t for t in trials if evaluate(bound, t).admissible]
    assert len(kept) >= 5
    assert all(t.values["gamma_l"] * t.values["L_h"] == pytest.approx(t.values["eta"] + 1) for t in kept)
    assert any(not evaluate(bound, t).admissible for t in trials)  # so that dropping the equation can be tried


def test_bounds_are_met_with_equality_and_missed():
    bound = claim(le(L_f, L_h), le(S, N), le(b, a), le(a, 1))
    trials = points(symbolic_space(bound), bound)
    assert any(t.values["b"] == t.values["a"] == 1 for t in trials)
    assert any(t.values["S"] > t.values["N"] for t in trials)
    assert all(t.values["S"] == round(t.values["S"]) for t in trials)


def test_symbols_keep_their_signs_and_rounds_are_counted():
    bound = claim(le(L_f, R * gamma_l))
    values = [t.values for t in points(symbolic_space(bound), bound)]
    assert any(v["L_f"] == 0 for v in values)
    assert all(v["gamma_l"] > 0 and v["R"] >= 1 and v["R"] == round(v["R"]) for v in values)
    space = symbolic_space(bound)
    point = next(iter(space.corners(bound)))
    assert "R" not in space.numbers(point)
    with pytest.raises(ValueError, match="not a number that gamma_l stands for"):
        space.build({**point, "gamma_l": (False, -1.0)})


def test_identities_that_floats_miss_are_not_accused():
    identity = claim(sp.Eq((1 + L_f) ** 2 - 1 - 2 * L_f, L_f**2, evaluate=False))
    space = symbolic_space(identity)
    trial = space.build({"L_f": (False, 1e-9)})
    assert trial.error > 0.1
    assert not search(identity, [space], examples=300).refuted


def test_an_undefined_statement_is_no_counterexample():
    ratio = claim(sp.Eq(L_f / L_f, 1, evaluate=False), where={})
    division = claim(le(1 / (L_h - L_f), 10**9))
    space = symbolic_space(division)
    with pytest.raises(ValueError, match="undefined"):
        space.build({"L_f": (False, 1.0), "L_h": (False, 1.0)})
    assert not search(ratio, [symbolic_space(ratio)], examples=50).refuted


def test_a_symbol_that_cancels_has_a_number():
    twice = claim(sp.Eq(eta_hat / L_h, 2, evaluate=False), where={eta_hat: 2 * L_h})
    assert search(twice, [symbolic_space(twice)], examples=50).evidence.instances > 10


def test_a_sum_without_a_closed_form_is_a_symbol_of_its_own():
    terms = TERMS
    total = claim(le(terms * L_h, eta_hat * L_h), where={eta_hat: sp.log(T) ** 2 / 2})
    named = with_named_sums(total)
    assert with_named_sums(named) is named
    assert str(named.statement) == str(total.statement) and not named.statement.has(sp.Sum)
    space = symbolic_space(total)
    trial = space.build({"T": (False, 4.0), "L_h": (False, 1.0)})
    assert trial.values[str(terms)] == pytest.approx(math.log(2) / 2 + math.log(3) / 3 + math.log(4) / 4, rel=1e-14)
    assert evaluate(named, trial).worst.ratio == pytest.approx(2 * trial.values[str(terms)] / math.log(4) ** 2)
    with pytest.raises(ValueError, match="a sum of 1000000 terms"):
        space.build({"T": (False, 1e6), "L_h": (False, 1.0)})
    found = search(total, [space])
    assert found.refuted and found.params["T"][1] in (2, 10)


TERMS = sp.Sum(sp.log(N) / N, (N, 1, T))


def test_a_sum_that_a_hypothesis_ties_a_symbol_to_is_added_up_first():
    # T is tied, too: it has to have its number before the sum that eta is a multiple of
    bound = claim(le(eta, sp.log(T) ** 2 / 2 + 1), sp.Eq(eta, 2 * TERMS, evaluate=False), le(T, 7 * K))
    space = symbolic_space(bound)
    trial = space.build({"T": (True, 1.0), "K": (False, 2.0), "eta": (True, 1.0)})
    assert trial.values["T"] == 14
    assert trial.values["eta"] == pytest.approx(2 * sum(math.log(k) / k for k in range(1, 15)), rel=1e-14)
    assert evaluate(with_named_sums(bound), trial).admissible
    assert search(bound, [space]).refuted


def test_a_symbol_is_not_tied_to_a_sum_that_depends_on_it():
    # neither T nor the sum's own symbol may be tied; the equation can only be missed or met by chance
    bound = claim(le(TERMS, eta), le(TERMS, T), sp.Eq(T, TERMS, evaluate=False))
    space = symbolic_space(bound)
    assert not any(tied for point in space.corners(bound) for name, (tied, _) in point.items() if name != "T")
    trial = space.build({"T": (False, 4.0), "eta": (False, 1.0)})
    assert {"T", "eta"} < trial.values.keys()


def test_a_hidden_constant_of_a_hypothesis_is_one():
    order = claim(le(eta, C_O * T), sp.Eq(eta, C_O * T * L_h, evaluate=False), kind=Kind.COMPLEXITY)
    ladder = symbolic_space(order).build({"T": (False, 1.0), "L_h": (False, 2.0), "eta": (True, 1.0)})
    assert all(trial.values["eta"] == 2 * trial.values["T"] for trial in ladder.trials)


def test_a_count_is_rounded_to_the_side_on_which_its_bound_holds():
    below, above = (claim(le(L_f, L_h), relation(S, eta, evaluate=False)) for relation in (sp.Le, sp.Ge))
    for bound, expected in ((below, 2), (above, 3)):
        space = symbolic_space(bound)
        trial = space.build(dict.fromkeys(("L_f", "L_h"), (False, 1.0)) | {"S": (True, 1.0), "eta": (False, 2.5)})
        assert trial.values["S"] == expected
        assert evaluate(bound, trial).admissible


def test_a_ladder_ends_where_its_sums_become_long():
    order = claim(le(TERMS * L_h, C_O * T), kind=Kind.COMPLEXITY)
    ladder = symbolic_space(order).build({"T": (False, 1.0), "L_h": (False, 1.0)})
    assert [trial.values["T"] for trial in ladder.trials] == [1, 10, 100, 1000]
    assert ladder.why.startswith("T grows from 1 to 1e3,")
    # a sum that the first rung is too long for
    always = claim(le(TERMS * L_h, C_O * L_f), sp.Eq(T, 10**4, evaluate=False), kind=Kind.COMPLEXITY)
    with pytest.raises(ValueError, match="a sum of 10000 terms"):
        symbolic_space(always).build({"T": (True, 1.0), "L_h": (False, 1.0), "L_f": (False, 1.0)})


def test_a_sum_up_to_a_number_between_two_whole_ones_ends_below_it():
    total = claim(le(sp.Sum(sp.log(N) / N, (N, 1, eta)), L_h))
    name = str(sp.Sum(sp.log(N) / N, (N, 1, eta)))
    values = {x: symbolic_space(total).build({"eta": (False, x), "L_h": (False, 1.0)}).values[name] for x in (0.5, 2.9)}
    assert values == {0.5: 0, 2.9: pytest.approx(math.log(2) / 2)}


def test_a_claim_without_open_sums_stays_as_it_is():
    closed = claim(le(sp.Sum(N, (N, 1, T)), T**2))
    assert with_named_sums(closed) is closed
    assert search(closed, [symbolic_space(closed)], examples=50).evidence.worst_ratio == 1


def test_an_order_claim_is_searched_along_what_its_bound_speaks_of():
    order = claim(le(T**3 * L_h, C_O * T**2), kind=Kind.COMPLEXITY)
    space = symbolic_space(order)
    ladder = space.build(next(iter(space.corners(order))))
    assert isinstance(ladder, Ladder) and ladder.parameter == "T"
    assert search(order, [space]).refuted
    bounded = claim(le(T * L_h, C_O * T), kind=Kind.COMPLEXITY)
    found = search(bounded, [symbolic_space(bounded)], examples=30)
    assert not found.refuted and math.isfinite(found.evidence.worst_ratio)


def test_metrics_that_are_made_of_vectors_are_no_free_numbers():
    with pytest.raises(ValueError, match="made of vectors"):
        symbolic_space(catalog.get("lemmas.spread"))
