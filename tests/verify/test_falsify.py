import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp
from click import ClickException
from hypothesis import strategies as st

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Kind, Source, conjuncts
from rateproof.theory.papers.textbook import CLAIMS
from rateproof.theory.symbols import C_O, L_h, R, S, T
from rateproof.verify import registry
from rateproof.verify.commands import falsify as command
from rateproof.verify.commands.errors import InterruptedRunError
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Finding, Level
from rateproof.verify.falsify import Ended, falsify, spaces_of
from rateproof.verify.falsify import phases as phases_module
from rateproof.verify.falsify.report import describe, to_json
from rateproof.verify.falsify.shrink import simpler, weight
from rateproof.verify.planted.mutate import improve_exponent
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial, evaluate

SHARP = {one.claim.id: one.tight for one in registry.records("textbook") if one.tight}
SPACES = {one.claim.id: one.spaces for one in registry.records("textbook") if one.spaces}

IDS = [c.id for c in CLAIMS]
GD = catalog.get("textbook.gd_smooth")


def search(claim, spaces, examples=1500, **options):
    return falsify(claim, spaces, seconds=math.inf, examples=examples, **options)


def lowered(claim, change):
    """The claim with another bound."""
    (relation,) = conjuncts(claim.statement)
    return replace(claim, statement=sp.Le(relation.lhs, change(relation.rhs), evaluate=False))


def planted():
    for claim in CLAIMS:
        sharp = SHARP[claim.id]
        yield f"{claim.id} constant", lowered(claim, lambda bound: bound * sp.Rational(97, 100))
        for variable in sharp.exponents:
            step = sp.Rational(1, 20)
            yield f"{claim.id} {variable}", lowered(claim, lambda b, v=variable, s=step: improve_exponent(v, s, b))
        for key in sharp.hypotheses:
            kept = tuple(h for h in claim.hypotheses if h.key != key)
            yield f"{claim.id} without {key}", replace(claim, hypotheses=kept)


PLANTED = dict(planted())

# --- the control group


def test_every_theorem_has_spaces():
    assert set(SPACES) == set(IDS)
    assert all(spaces_of(claim) is SPACES[claim.id] for claim in CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_a_true_theorem_is_never_refuted_and_its_worst_case_is_found(claim):
    found = search(claim, SPACES[claim.id], examples=100)
    assert not found.refuted
    assert found.evidence.finding is Finding.HOLDS
    assert found.evidence.worst_ratio == pytest.approx(1, abs=1e-9)
    assert found.evidence.instances >= 15
    assert found.ended is Ended.SPENT
    assert sum(s.tried for s in found.searched) == 100


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_error_is_refuted_by_an_instance_that_satisfies_every_hypothesis(name):
    claim = PLANTED[name]
    found = search(claim, SPACES[claim.id])
    assert found.refuted
    assert found.ended is Ended.FOUND
    outcome = evaluate(claim, found.built)
    assert outcome.admissible
    assert set(found.evidence.violated.hypotheses) == {h.key for h in claim.hypotheses}
    assert found.evidence.violated.ratio > 1
    assert not found.evidence.violated.degenerate


def test_a_constant_of_99_hundredths_is_found_at_round_numbers():
    found = search(lowered(GD, lambda bound: bound * sp.Rational(99, 100)), SPACES[GD.id])
    assert found.params == {"loss": "huber", "R": 1, "gamma_l": 1, "L_h": 1, "steeper": 1, "x0": 1}


def test_the_same_seed_and_work_give_the_same_result():
    def fingerprint(seed):
        found = replace(search(GD, SPACES[GD.id], examples=250, seed=seed), seconds=0)
        return found.evidence, found.searched, found.params

    assert fingerprint(3) == fingerprint(3)
    assert fingerprint(3)[1] != fingerprint(4)[1] or fingerprint(3)[0] != fingerprint(4)[0]


# --- phases, on a claim about one number


CLAIM = Claim("mine.small", Source("mine", "Theorem 1"), Kind.BOUND, "x <= 1", sp.Le(L_h, 1, evaluate=False))


def line(values=lambda x: x, *, corners=(), strategy=None, numbers=True, **trial):
    """Instances whose metric is a function of one number."""

    def build(x):
        return Trial(f"x = {x:g}", {"L_h": values(x)}, {}, **trial)

    return Space(
        "line",
        corners=lambda claim: corners,
        strategy=lambda claim: strategy if strategy is not None else st.just(0.5),
        build=build,
        numbers=lambda x: {"x": x} if numbers else {},
        at=lambda x, numbers: numbers["x"],
    )


def phases(found):
    return [s.phase for s in found.searched]


def test_corners_come_first_and_a_violation_ends_the_search():
    found = search(CLAIM, [line(corners=(0.5, 3.0, 7.0), numbers=False)])
    assert found.params == 3.0 and phases(found) == ["corners"]
    assert [(s.tried, s.admissible) for s in found.searched] == [(2, 2)]


def test_the_corners_of_all_spaces_are_tried_in_turn():
    first = line(corners=[0.5] * 100)
    second = replace(line(corners=[2.0], numbers=False), name="second")
    found = search(CLAIM, [first, second])
    assert found.space is second and found.evidence.instances == 2


def test_refinement_finds_what_no_draw_has():
    found = search(CLAIM, [line(lambda x: 2 - abs(math.log(x / 3)), strategy=st.just(0.5))])
    assert found.refuted
    assert "refinement" in phases(found) and phases(found)[-1] == "rounding"
    assert found.params == 2.0  # the simplest number near which the metric exceeds 1


def test_refinement_respects_hypotheses():
    capped = replace(
        CLAIM,
        hypotheses=(catalog.get("textbook.jensen_powers").hypotheses[0],),
        statement=sp.Le(L_h, 2, evaluate=False),
    )

    def build(x):
        return Trial(f"x = {x:g}", {"L_h": x, "p_J": 2.5 - x}, {})

    found = search(capped, [replace(line(strategy=st.just(0.5)), build=build)])
    assert not found.refuted
    assert found.evidence.worst_ratio == pytest.approx(0.75, abs=1e-6)


def test_a_violation_is_rounded_to_the_fewest_digits():
    found = search(CLAIM, [line(corners=(3.14159265,))])
    assert found.params == 10.0 or weight(found.params)[0] == 1
    narrow = line(lambda x: 2.0 if 0.2 < x < 0.3 else 0.0, corners=(0.2718281828,))
    assert search(CLAIM, [narrow]).params == 0.25


@pytest.mark.parametrize(
    ("x", "expected"), [(0.3333333333, 1 / 3), (7.002, 7.0), (-0.4999, -0.5), (123456.789, 100000.0)]
)
def test_simpler_numbers_come_simplest_first(x, expected):
    offered = list(simpler(x))
    assert expected in offered
    assert offered[0] in (1.0, -1.0)
    weights = [weight(abs(y)) for y in offered]
    assert weights == sorted(weights) and all(w < weight(abs(x)) for w in weights)


def test_nothing_is_simpler_than_one_and_zero_stays():
    assert list(simpler(1.0)) == list(simpler(0.0)) == list(simpler(math.inf)) == []


def test_nondegenerate_violations_are_preferred():
    def build(x):
        return Trial(f"x = {x:g}", {"L_h": 2.0}, {}, degenerate=x < 5)

    space = replace(line(corners=(1.0, 2.0, 7.0), numbers=False), build=build)
    assert search(CLAIM, [space]).params == 7.0
    only = search(CLAIM, [replace(space, corners=lambda claim: (1.0, 2.0))], examples=20)
    assert only.refuted and only.evidence.violated.degenerate
    assert "only degenerate instances violate it" in only.evidence.detail


def test_parameters_that_make_no_instance_are_skipped_and_other_errors_are_not():
    def build(x):
        if x > 1:
            raise ValueError("no such instance")
        return Trial("x", {"L_h": x}, {})

    space = replace(line(corners=(0.5, 2.0, 3.0), numbers=False), build=build)
    assert search(CLAIM, [space]).skipped == 2
    with pytest.raises(ZeroDivisionError):
        search(CLAIM, [replace(space, build=lambda x: 1 / 0)])
    with pytest.raises(ZeroDivisionError):
        search(CLAIM, [replace(space, corners=lambda claim: (), build=lambda x: 1 / 0)])


def test_a_space_without_more_instances_ends_the_search():
    found = search(CLAIM, [line(numbers=False)])
    assert found.ended is Ended.EXHAUSTED
    assert found.evidence.finding is Finding.HOLDS and found.evidence.worst_ratio == 0.5


def test_without_an_admissible_instance_nothing_is_decided():
    broken = replace(GD, statement=CLAIM.statement)
    found = search(broken, [line()], examples=20)
    assert found.evidence.finding is Finding.INCONCLUSIVE and found.built is None and not found.refuted
    assert any("no admissible instance" in text for text in describe(found))


def test_a_nan_never_counts_as_the_worst_instance():
    found = search(CLAIM, [line(lambda x: x if x == 0.25 else math.nan, corners=(0.5, 0.25, 0.7))], examples=10)
    assert found.evidence.worst_ratio == 0.25


def test_every_conjunct_has_to_be_evaluated():
    both = replace(CLAIM, statement=sp.And(CLAIM.statement, sp.Le(S, 1, evaluate=False), evaluate=False))

    def build(x):
        return Trial("x", {"L_h": 0.5} if x < 1 else {"S": 0.1}, {})

    space = replace(line(corners=(0.5, 2.0), numbers=False), build=build)
    assert search(both, [space]).evidence.finding is Finding.HOLDS
    half = search(both, [replace(space, corners=lambda claim: (0.5,))])
    assert half.evidence.finding is Finding.INCONCLUSIVE
    assert "never evaluated: S <= 1" in half.evidence.detail


def test_a_sampled_violation_refutes_only_with_a_small_error_probability():
    def sampled(probability):
        return line(corners=(2.0,), numbers=False, level=Level.STATISTICAL, error_probability=probability)

    assert search(CLAIM, [sampled(1e-9)]).refuted
    doubtful = search(CLAIM, [sampled(1e-3)], examples=30)
    assert not doubtful.refuted
    assert doubtful.evidence.finding is Finding.VIOLATION and doubtful.evidence.error_probability >= 1e-3
    assert any("by chance" in text for text in describe(doubtful))


@pytest.mark.parametrize(
    ("options", "message"), [({"seconds": 0}, "seconds"), ({"seconds": 1, "examples": 0}, "examples")]
)
def test_bad_budgets(options, message):
    with pytest.raises(ValueError, match=message):
        falsify(CLAIM, [line()], **options)
    with pytest.raises(ValueError, match="no space"):
        falsify(CLAIM, [], seconds=1)


# --- the clock and Ctrl-C


def test_one_endless_instance_does_not_outlast_the_clock():
    def build(x):
        while x == 0.7:
            pass
        return Trial(f"x = {x:g}", {"L_h": x}, {})

    found = falsify(CLAIM, [replace(line(corners=(0.5, 0.7)), build=build)], seconds=0.2)
    assert found.ended is Ended.SPENT
    assert found.evidence.worst_ratio == 0.5


def interrupting(at):
    def build(x):
        if x == at:
            raise KeyboardInterrupt
        return Trial(f"x = {x:g}", {"L_h": x}, {})

    return build


def test_an_interrupted_search_reports_the_best_so_far():
    found = search(CLAIM, [replace(line(corners=(0.3, 0.6, 0.7, 0.9)), build=interrupting(0.7))])
    assert found.ended is Ended.INTERRUPTED
    assert found.evidence.worst_ratio == 0.6 and found.params == 0.6
    drawn = search(CLAIM, [replace(line(strategy=st.sampled_from([0.1, 0.2, 0.7])), build=interrupting(0.7))])
    assert drawn.ended is Ended.INTERRUPTED


# --- O(.) claims


ORDER = Claim(
    "mine.order", Source("mine", "Theorem 2"), Kind.COMPLEXITY, "O(T^2)", sp.Le(R, C_O * T**2, evaluate=False)
)


def ladders(power):
    def build(c):
        rungs = [Trial(f"T = {t:g}", {"T": t, "R": c * t**power}, {}) for t in (10.0**k for k in range(1, 9))]
        return Ladder("T", rungs, f"R grows as T^{power:g}")

    return Space("ladders", lambda claim: (2.0,), lambda claim: st.sampled_from([1.0, 3.0]), build)


def test_ladders_are_judged_by_growth():
    grown = search(ORDER, [ladders(3.0)])
    assert grown.refuted and isinstance(grown.built, Ladder)
    assert "grows without limit" in grown.evidence.detail
    assert any("along T" in text for text in describe(grown))
    bounded = search(ORDER, [ladders(2.0)], examples=10)
    assert not bounded.refuted and bounded.evidence.worst_ratio == pytest.approx(3)


# --- what is printed


def test_what_errors_leave_open_is_no_support():
    def values(x):
        return 1 + 1e-9 if x == 0.5 else 0.25

    found = search(CLAIM, [line(values, corners=(0.25, 0.5), strategy=st.just(0.125))], examples=5)
    assert not found.refuted and found.evidence.finding is Finding.INCONCLUSIVE
    assert "open on x = 0.5: L_h <= 1" in found.evidence.detail
    assert any("which fails by 1e-09, less than the error" in text for text in describe(found))


def test_the_report_prints_sides_as_they_are_stated():
    claim = replace(CLAIM, statement=sp.Ge(L_h, 1, evaluate=False))
    text = "\n".join(describe(search(claim, [line(corners=(0.25,))])))
    assert "left 0.2, right 1" in text and "left - right -0.8, ratio 5" in text


def test_the_report_rounds_floats_and_no_other_fractions():
    space = line(corners=(0.1,), strategy=st.just(0.1), numbers=False)
    space = replace(space, words=lambda x, names: f"x = -{Fraction(x)}, eta = 1/1000000")
    assert "\n  x = -0.1, eta = 1/1000000\n" in "\n".join(describe(search(CLAIM, [space], examples=5)))


def test_the_report_shows_the_instance_both_sides_the_margin_and_every_hypothesis():
    claim = PLANTED["textbook.gd_smooth constant"]
    lines = list(describe(search(claim, SPACES[claim.id])))
    text = "\n".join(lines)
    assert "violated by" in text
    assert "left 0.166666666666667, right 0.161666666666667" in text
    assert "left - right 0.005" in text
    assert all(f"- {h.key}: " in text for h in claim.hypotheses)
    assert "a violation was found" in lines[-1]


@pytest.mark.parametrize(("claim", "spoken"), [("mefbo.sk-d", True), ("mefbo.thmD.11-e", False)])
def test_the_report_names_symbols_as_the_paper_does_and_leaves_out_those_of_other_claims(claim, spoken):
    """The family has numbers for constants of many claims, which an instance of one does not depend on."""
    chosen = catalog.get(claim)
    found = search(chosen, spaces_of(chosen), examples=10)
    text = " ".join("\n".join(describe(found)).split())
    assert found.refuted and " n = " in text and "L_f = " in text and not {"n_cl", "Lip_f"} & set(text.split())
    assert ("C_O = " in text) == spoken and "O_x = " not in text and "O_x" in found.built.label


def run(*arguments):
    return command.falsify.main(list(arguments), standalone_mode=False)


def test_the_command_says_what_it_searched(capsys):
    assert run("textbook.young", "--seconds", "0.3") == 0
    out = capsys.readouterr().out
    assert "no violation was found" in out and "corners" in out and "admissible" in out


def test_the_command_finds_a_violation_and_writes_a_script(tmp_path, capsys):
    path = tmp_path / "again.py"
    assert run("strfedavg.step.12.factor", "--script", str(path), "--json") == 1
    assert '"refuted": true' in capsys.readouterr().out
    assert "violated" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["textbook.yung"], "did you mean textbook.young"),
        (["textbook.young", "--seconds", "-1"], "positive"),
        (["textbook.young", "--seconds", "nan"], "positive"),
        (["textbook.young", "--script", "/no/such/folder/x.py"], "no folder"),
        (["strfedavg.rem2"], "gives no space"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    with pytest.raises(ClickException, match=message) as error:
        run(*arguments)
    assert error.value.exit_code == 2 and "\n" not in error.value.format_message()


@pytest.mark.parametrize("claim", ["fedrzo.thm1.ii", "fedrzo.st.10.17", "fedrzo.sec2.feas"])
def test_without_a_space_the_stored_counterexample_is_evaluated_again(claim, capsys):
    assert run(claim) == 1
    out = capsys.readouterr().out
    assert "evaluated again in exact arithmetic" in out and "by hand: " in out
    assert run(claim, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["refuted"] and found["stored"] and ("ratios" in found or (found["left"] and found["hypotheses"]))


def test_a_stored_counterexample_gives_no_script(tmp_path):
    with pytest.raises(ClickException, match="stored counterexample only") as error:
        run("fedrzo.thm1.ii", "--script", str(tmp_path / "x.py"))
    assert error.value.exit_code == 2 and not (tmp_path / "x.py").exists()


def test_a_record_that_no_longer_refutes_is_no_violation(monkeypatch):
    from rateproof.verify.counterexamples import replay

    record = replay.stored("fedrzo")["fedrzo.st.10.17"]
    wrong = replace(record, left="1", right="0")
    monkeypatch.setattr(replay, "stored", lambda paper: {record.claim.id: wrong})
    with pytest.raises(ClickException, match="states left 1"):
        run(record.claim.id)


def test_a_claim_in_words_names_its_printed_parts():
    with pytest.raises(ValueError, match="name one of its parts: ") as error:
        spaces_of(catalog.get("fedrzo.rem5"))
    assert "fedrzo.rem5.dependence" in str(error.value) and ".corrected" not in str(error.value)


def test_a_claim_without_space_says_where_its_instances_are():
    with pytest.raises(ValueError, match=r"rateproof check fedrzo\.thm1\.ii tries"):
        spaces_of(catalog.get("fedrzo.thm1.ii"))


def test_an_interrupted_command_prints_and_says_so(monkeypatch, capsys):
    real = phases_module.hunt

    def interrupted(*arguments, **options):
        real(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(phases_module, "hunt", interrupted)
    with pytest.raises(InterruptedRunError, match="worst instance so far"):
        run("textbook.young")
    assert "left 1, right 1" in capsys.readouterr().out


def test_a_search_as_json_values_is_plain():
    found = to_json(search(PLANTED["textbook.young constant"], SPACES["textbook.young"]))
    assert json.loads(json.dumps(found)) == found
    assert found["violated"]["hypotheses"] == {}
