"""The printed names of symbols, and how a page of a claim shows them."""

import math
import operator
import os
import subprocess
import sys
from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.assumptions import Sampled
from rateproof.theory.claim import Claim, Kind, Source
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.proof import Mean, Proof, Setting, cite, have, qed
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import N, S, declare
from rateproof.verify.checks import blank
from rateproof.verify.counterexamples.replay import stored
from rateproof.verify.pages import typeset
from rateproof.verify.pages.describe import describe_claim, describe_full
from rateproof.verify.pages.facts import _with_letters, explained, facts, ratio_said, sentence, sides_said
from rateproof.verify.pages.graph import ProofGraph
from rateproof.verify.pages.listed import graph_around
from rateproof.verify.pages.page import laid_out
from rateproof.verify.pages.printed import (
    formula,
    in_words,
    printed_names,
    renaming,
    symbols_in,
    symbols_of,
    with_formula,
)
from rateproof.verify.pages.render import markdown_table
from rateproof.verify.stored import baseline

PAPER = "letters"
THETA = declare("Theta1_bl", "a constant", latex=r"\Theta_1", paper=PAPER, defined=True)
OTHER = declare("Theta1_2s", "the constant of another section", latex=r"\Theta_1", paper=PAPER)
METRIC = declare("drift_bl", "a metric without a letter", paper=PAPER)
STEP = declare("step_2s", "a stepsize with an accent", latex=r"\tilde\gamma", paper=PAPER)
WORD = declare("rounds", "rounds, which the paper calls R", latex="R", paper=PAPER)
LETTER = declare("drift", "a name that a section's name would take", paper=PAPER)


@pytest.mark.parametrize(
    ("symbols", "shown"),
    [
        ([THETA, METRIC, STEP], {"Theta1_bl": "Theta_1", "drift_bl": "drift", "step_2s": "step"}),
        ([WORD], {"rounds": "rounds"}),
        ([THETA, OTHER], {"Theta1_bl": "Theta1_bl", "Theta1_2s": "Theta1_2s"}),
        ([METRIC, LETTER], {"drift_bl": "drift_bl", "drift": "drift"}),
        ([sp.Symbol("i_undeclared")], {"i_undeclared": "i_undeclared"}),
    ],
)
def test_a_letter_is_printed_where_it_names_one_symbol(symbols, shown):
    assert printed_names(symbols, PAPER) == shown


@pytest.mark.parametrize("paper", ["fedrzo", "strfedavg", "textbook"])
def test_no_page_gives_two_symbols_one_name(paper):
    for claim in catalog.claims(paper).values():
        names = printed_names(symbols_of(claim), paper)
        assert len(set(names.values())) == len(names), claim.id


@pytest.mark.parametrize("paper", catalog.papers())
def test_every_number_of_a_counterexample_has_words(paper):
    assert [(i, name) for i, one in stored(paper).items() for name, says in explained(one).items() if not says] == []


def test_the_reason_is_the_one_that_the_counterexample_shows():
    graph = graph_around("strfedavg.prop3.i-2")
    shown = {i: one.shows for i, one in stored("strfedavg").items() if one.shows}
    assert shown and all(
        origin in [why.origin for why in graph.claims[f"{i}.corrected"].why] for i, origin in shown.items()
    )
    assert sentence(graph.claims["strfedavg.prop3.i-2"], graph) == "The printed weights do not sum to one."


def test_names_of_readings_are_words_or_letters():
    words = {"eta_squared": "eta squared", "of_the_calls": "of the calls"}
    assert {name: in_words(name) for name in (*words, "l_F", "n_train", "eta_f")} == {
        **words,
        **{name: name for name in ("l_F", "n_train", "eta_f")},
    }


def test_an_identity_of_powers_shows_both_sides():
    for claim in map(catalog.get, ("fedrzo.st.12.power", "fedrzo.st.18.term", "fedrzo.st.18.power")):
        left, right = map(typeset.tex, claim.statement.args)
        assert left != right, claim.id


def test_only_whole_names_are_replaced():
    told = renaming({"Theta1_bl": "Theta_1", "K_it": "K", "n": "n"})
    assert told("2*Theta1_bl**2/K_it + Theta1_blue + xK_it") == "2*Theta_1**2/K + Theta1_blue + xK_it"
    assert renaming({"n": "n"})("n") == "n"
    assert symbols_in("drift_bl = 1, while rounds and drift are words, nor is other_bl one", PAPER) == [METRIC]


def test_what_a_proof_takes_from_the_method_is_said():
    setting = Setting(assumes=(Sampled("sample", S, N),))
    assert "Sampled(sample, S, N)" in page(METRIC <= WORD, setting=setting, proof=Proof())
    assert "Sampled" not in page(METRIC <= WORD, setting=setting)


def page(statement, **rest) -> str:
    where = {THETA: 2 * WORD}
    source = Source(PAPER, "Lemma 1", "")
    claim = Claim(f"{PAPER}.one", source, Kind.BOUND, "as printed", statement, where=where, **rest)
    graph = ProofGraph({claim.id: claim}, {})
    return "\n".join(laid_out(describe_full(facts(claim, graph, width=0), graph)))


def test_a_page_prints_letters_and_says_what_they_are():
    out = page(sp.Le(METRIC, THETA / STEP, evaluate=False))
    assert "  drift_bl ≤ Θ₁/γ̃\n" in out and "  Θ₁ = 2 R\n" in out
    assert "  Θ₁: a constant (name: Theta1_bl)\n" in out and "_bl*" not in out


def test_a_page_says_what_the_names_in_the_proof_are():
    v, average = vectors("v average")
    setting = Setting(
        depends={"v": "client", "average": ""},
        means={"average": Mean("v", "client")},
        sizes={"client": N},
        metrics={METRIC: norm2(average - v)},
        words={"v": "what a client has"},
    )
    shown = page(le(METRIC, WORD), setting=setting, proof=Proof(qed())).partition("vectors of the proof")[2]
    wanted = ("average: the mean of v over client", "v: what a client has", "drift = ||average - v||^2", "client: v")
    assert all(f"{line}\n" in shown for line in wanted)
    assert "\nproof of letters.one, 1 step, not checked yet\n" in page(
        le(METRIC, WORD), setting=setting, proof=Proof(qed())
    )


LABEL = declare("A1", "a constant", latex="A_1", paper=PAPER)


def test_labels_of_steps_are_no_symbols():
    lemma = Claim(f"{PAPER}.half", Source(PAPER, "a step"), Kind.BOUND, "", le(LABEL, 1), proof=Proof(qed()))
    out = page(le(LABEL, THETA), setting=Setting(), proof=Proof(have("first", le(LABEL, 1), by=[cite(lemma)]), qed()))
    assert "  A₁: a constant (name: A1)\n" in out and "\n(A.1) the statement: A₁ ≤ 1\n" in out


#: The page of a claim with the symbols B_d and b_d.
CASES = """
from rateproof.verify.pages.listed import shown

print(*shown("mefbo.lemD.7", "full"), sep="\\n")
"""


def test_a_page_is_the_same_in_every_run():
    """Symbols that differ in case only stand in one order, whatever the order of a set is."""
    seeds = [
        subprocess.Popen(
            [sys.executable, "-c", CASES], env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE
        )
        for seed in ("0", "1")
    ]
    first, second = (process.communicate()[0].decode() for process in seeds)
    assert first == second and first.index("B: ") < first.index("b: ")


def test_a_table_in_markdown_keeps_asterisks_formulas_and_code():
    table = markdown_table(["f - f*", "$x^*$"], [["f* | x*", "`a*b` and $y^*$ of f*"], [1.5, None]])
    assert table.splitlines() == [
        r"| f - f\* | $x^*$ |",
        "| --- | --- |",
        r"| f\* \| x\* | `a*b` and $y^*$ of f\* |",
        "| 1.5 | None |",
    ]


def test_a_wide_formula_is_broken_before_its_signs():
    wide = sp.Le(METRIC, sp.Add(*(THETA**k / (STEP + k) for k in range(1, 15))), evaluate=False)
    lines = page(wide).partition("\n\n")[2].partition("\n  Θ₁ =")[0].splitlines()
    assert len(lines) > 1 and all(line.startswith("      + ") for line in lines[1:])
    assert max(map(len, lines)) <= 100 and sum(line.count("γ̃") for line in lines) == 14


OPS = {" <= ": operator.le, " >= ": operator.ge, " < ": operator.lt, " > ": operator.gt}


@pytest.mark.parametrize("paper", ["strfedavg", "fedrzo"])
def test_no_violated_relation_reads_as_satisfied(paper):
    violated = [e.result.violated for e in baseline.read(paper).values() if e.result.violated]
    assert len(violated) > 40 and any(" >= " in v["relation"] for v in violated)
    for v in violated:
        ops = [holds for op, holds in OPS.items() if op in v["relation"]]
        left, right = float(v["lhs"]), float(v["rhs"])
        assert left != right if v["relation"].startswith("Eq(") else not ops[0](left, right), v


def test_ratios_say_no_more_than_was_seen():
    base = replace(blank(catalog.get("textbook.gd_smooth")), instances=7)
    assert ratio_said(replace(base, instances=0)) == ""
    assert (
        ratio_said(replace(base, worst_ratio=0.5))
        == "largest ratio of the sides 0.5 on the 7 admissible instances tried"
    )
    assert ratio_said(replace(base, worst_ratio=20.0, violated={"lhs": 1})).startswith(
        "ratio of the sides at least 20 on"
    )
    assert ratio_said(replace(base, worst_ratio=20.0, kind=str(Kind.COMPLEXITY))).startswith(
        "hidden constant at least 20"
    )
    assert "nan" not in ratio_said(base) and "both are 0" in ratio_said(base)
    assert "infinite on one of the 7" in ratio_said(replace(base, worst_ratio=math.inf))


def test_an_infinite_side_is_no_number():
    assert sides_said({"lhs": "inf", "rhs": 2.0, "ratio": "inf"}) == "left too large for a float, right 2.0"
    assert sides_said({"lhs": 1.0, "rhs": -2.0, "ratio": "inf"}) == "left 1.0, right -2.0"


def test_a_statement_that_the_signs_of_its_symbols_decide_is_shown():
    claim = Claim("x.thm1", Source("x", "Theorem 1"), Kind.PROPERTY, "-S is negative", sp.Lt(-S, 0, evaluate=False))
    graph = ProofGraph({claim.id: claim}, {})
    page = "\n".join(laid_out(describe_claim(facts(claim, graph), graph)))
    assert "−S < 0" in page and "True" not in page


def test_a_hypothesis_that_only_names_its_relation_comes_with_it():
    relation = sp.Le(sp.Symbol("x"), sp.Symbol("c"))
    assert with_formula("condition (78a)", relation) == "condition (78a): x <= c"
    assert with_formula("x <= c", relation) == "x <= c" and with_formula("F is smooth", None) == "F is smooth"
    equal = sp.Eq(sp.Symbol("x"), sp.Symbol("c"), evaluate=False)
    assert formula(sp.And(equal, relation, evaluate=False)) in ("x = c and x <= c", "x <= c and x = c")


def test_where_a_step_holds_is_said_in_letters():
    assert _with_letters("where call <= T_outer - 1", "strfedavg") == "where t <= T_outer - 1"
    assert _with_letters("where gap_h <= M*eta + T0", "strfedavg") == "where gap_h <= M*eta + T0"
