"""What ``rateproof review`` writes of a paper."""

import re
from functools import cache

import pytest
from click.testing import CliRunner

from rateproof.theory import catalog
from rateproof.verify.cli import cli
from rateproof.verify.counterexamples.replay import stored
from rateproof.verify.pages import document
from rateproof.verify.pages.document import Code, Formula, Items, Paragraph, Strong, Table, Title
from rateproof.verify.pages.listed import graph_around
from rateproof.verify.pages.review import ROOTS, review, told
from rateproof.verify.severity import BREAKING, HOLDING
from rateproof.verify.stored import baseline

PAPERS = ("strfedavg", "mefbo", "fedrzo", "fedmsa", "fedweight")


@cache
def of(paper):
    return review(paper, graph_around(next(iter(catalog.claims(paper)))))


@cache
def entries(paper):
    return {i: e.result for i, e in baseline.read(paper).items()}


@pytest.fixture(params=PAPERS)
def paper(request):
    return request.param


def test_it_is_a_page_and_a_half(paper):
    text = re.sub(r"\$[^$]*\$", "x", document.markdown(told(of(paper))))
    assert 700 < len(re.findall(r"\S*\w\S*", text)) < 1000


def test_every_id_is_of_a_claim_or_begins_some(paper):
    named = re.findall(r"`([^`]+)`", document.markdown(told(of(paper))))
    ids = [one for one in named if one not in (paper, "rateproof show CLAIM")]
    assert len(ids) > 20
    for one in ids:
        assert catalog.select([one]), one


def test_what_it_calls_true_is_so_in_the_baseline(paper):
    found = entries(paper)
    for line in document.markdown(told(of(paper))).splitlines():
        for verdict, mended in re.findall(r"Corrected: (?:\d+ of them )?(\w+)[^`]*\(`([^`]+)`", line):
            assert str(found[mended].verdict) == verdict
            assert found[mended].verdict in HOLDING
    for fallen in of(paper).fallen:
        for claim in fallen.claims:
            assert found[claim.id].verdict not in HOLDING
            assert not fallen.kindly or found[claim.id].kindly in HOLDING
    for result in of(paper).results:
        assert list(result.printed) == [str(found[c.id].verdict) for c in result.claims]


def test_one_instance_is_told_and_the_words_that_are_used_are_explained(paper):
    text = document.markdown(told(of(paper)))
    assert text.count("Instance:") == 1
    explained = text.split("## Summary")[1].split("\n\n")[2].lower()
    for word in ("vacuous", "misprint", "corner", "condition", "substance"):
        assert (f"{word}:" in explained) is any(f"{end}{word}. " in text for end in ("): ", "refuted, ")), word


def test_the_faults_rest_on_no_other_and_the_first_breaks_most(paper):
    roots = of(paper).roots
    graph = graph_around(next(iter(catalog.claims(paper))))
    assert len(roots) == ROOTS
    assert [r.breaks for r in roots] == sorted((r.breaks for r in roots), reverse=True)
    for root in roots:
        assert entries(paper)[root.facts.id].verdict in BREAKING
        assert not any(map(graph.is_broken, graph.ancestors(root.facts.id)))
        assert root.facts.example or root.facts.reason_for_none


def test_no_sentence_of_a_list_is_told_twice(paper):
    items = [line for line in document.markdown(told(of(paper))).splitlines() if line.startswith("- ")]
    assert len({re.sub(r"\*\*.*?\*\*|`.*?`", "", line) for line in items}) == len(items)


def test_a_condition_is_told_once(paper):
    text = document.unicode(document.markdown(told(of(paper))).split("## The faults")[0])
    said = [
        one
        for part in re.findall(r"(?:, with |supposing also )(.*?)(?:\. Corrected| \(`)", text)
        for one in part.split("; ")
    ]
    conditions = [re.sub(r"^\d+ told above| and \d+ more$", "", one) for one in said]
    assert len(set(conditions) - {""}) == sum(one != "" for one in conditions)


def test_the_table_counts_what_holds(paper):
    (table,) = (block for block in told(of(paper)) if isinstance(block, Table))
    for result, (_, _, _, (kindly,), (corrected,)) in zip(of(paper).results, table.rows, strict=True):
        found = [entries(paper)[c.id] for c in result.claims]
        assert int(kindly) == sum(one.verdict in HOLDING or one.kindly in HOLDING for one in found)
        assert sum(one.verdict in HOLDING for one in found) <= int(corrected) <= len(found)
    abouts = [about for _, about, *_ in table.rows]
    assert len(set(abouts)) == len(abouts)


def test_latex_balances_and_escapes(paper):
    text = document.latex(told(of(paper)))
    bare = re.sub(r"\\[\\{}$%&#_]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert text.count(r"\begin") == text.count(r"\end")
    outside = re.sub(r"\$[^$]*\$", "", bare)
    assert not re.search(r"[_^#%]", outside)
    # what is not ASCII is a letter that inputenc knows
    assert set(re.findall(r"[^\x00-\xff]", text)) == set()


def test_it_is_the_same_twice(paper):
    once, again = (told(review(paper, graph_around(next(iter(catalog.claims(paper)))))) for _ in range(2))
    assert document.markdown(once) == document.markdown(again)
    assert document.latex(once) == document.latex(again)


def test_the_command_writes_a_file_and_knows_papers_from_claims(tmp_path):
    out = tmp_path / "report.tex"
    done = CliRunner().invoke(cli, ["review", "textbook", "--format", "latex", "--out", str(out)])
    assert (done.exit_code, done.output) == (0, "")
    assert out.read_text("utf-8").startswith(r"\documentclass")
    refused = CliRunner().invoke(cli, ["review", "textbook.descent_lemma"])
    assert refused.exit_code == 2
    assert "a review is about a paper" in refused.output


def test_a_document_is_inert():
    text = r"a|b <script> *x $5 \_ 50% ‖γ̃² {q}"
    blocks = [
        Title((text,)),
        Paragraph((text, Code("a_b"), Formula(r"x \le 1"))),
        Items((((Strong("1"),), ("two",)), (("three",),)), numbered=True),
        Table(("h",), (((text,),),), (0.5,)),
    ]
    markdown, latex = document.markdown(blocks), document.latex(blocks)
    assert r"a\|b \<script\> \*x \$5 \\\_ 50% ‖$\tilde \gamma^2$ {q}" in markdown
    assert "`a_b`$x \\le 1$" in markdown
    assert "1. **1**\n\n   two\n2. three" in markdown
    assert r"a$|$b $<$script$>$ *x \$5 \textbackslash{}\_ 50\% $\|$$\tilde \gamma^2$ \{q\}" in latex
    assert r"\texttt{a\_b}$x \le 1$" in latex


@pytest.mark.parametrize(
    ("plain", "set_"),
    [
        ("2 L_Ψ/N", r"2 $L_\Psi$/N"),
        ("E||x_{i,k} - x*||^2", r"E‖$x_{i,k}$ − $x^*$‖${}^2$"),
        ("X_h* and x_eta*", r"$X_h^*$ and $x_\eta^*$"),
        ("0.01^2, 10^-4 and ln(R)^(1/2)", r"$0.01^2$, $10^{-4}$ and ln(R)${}^{1/2}$"),
        ("-alpha <h, P(x)>, a < b, c > d", r"−$\alpha$ ⟨h, P(x)⟩, a \< b, c \> d"),
        ("w*_k, w'_k and w^-n", r"$w^*_k$, $w'_k$ and $w^{-n}$"),
        ("Lb_z, zb and htilde", r"$\bar L_z$, $\bar z$ and $\tilde h$"),
        ("R^nt, 2^(-nu_H) and 2.5e-07", r"$R^{\tilde n}$, $2^{- \nu_H}$ and 2.5·$10^{-7}$"),
        ("along R -> infinity, -0 == 0", r"along R → ∞, 0 = 0"),
        ("xbar^{r-1}", r"$\bar x^{r-1}$"),
        ("theta^(w^) - theta(w^)", r"$\hat \theta(\hat w)$ − $\theta$($\hat w$)"),
        ("that gamma -> 0, what T~_r and 4n^2 do", r"that $\gamma$ → 0, what $\tilde T_r$ and 4$n^2$ do"),
        ("eps_r/2 >= |t|^3, grad F_eta(xhat)", r"$\epsilon_r$/2 ≥ \|t\|${}^3$, ∇$F_\eta$($\hat x$)"),
        ("B_ncvx, a*b, 2 * (1/12)", r"$B_{\mathrm{ncvx}}$, a\*b, 2 \* (1/12)"),
        ("eps^-0.5 and x^2.", r"$\epsilon^{-0.5}$ and $x^2$."),
        ("L^_k at -1/2", r"$\hat L_k$ at −1/2"),
        ("y(.) is Lam-Lipschitz, Lam_t", r"y(.) is $\Lambda$-Lipschitz, $\Lambda_t$"),
        ("T^(-1/2) and (eta_hat L)^(1/2)", r"$T^{- 1/2}$ and ($\hat \eta$ L)${}^{1/2}$"),
        ("mu_f^((a+2b)/2)", r"$\mu_f^{(a+2b)/2}$"),
        ("sum_{i in C} w_i", r"$\sum_{i\in C}$ $w_i$"),
        ("grad_x f and grad_ww g", r"$\nabla_{x}$ f and $\nabla_{ww}$ g"),
        ("dist^2, gap_k, x̄^0 and Q̃²", r"$\mathrm{dist}^2$, $\mathrm{gap}_k$, $\bar x^0$ and $\tilde Q^2$"),
    ],
)
def test_letters_with_an_index_are_formulas(plain, set_):
    assert document.markdown([Paragraph((plain,))]) == f"{set_}\n"


def test_a_terminal_shows_letters_and_signs():
    assert document.unicode("x_1^2 >= 0 and z^{n,*}, gamma_l") == "x₁² ≥ 0 and z^(n,\xa0*), γₗ"
    powers = document.unicode("(C/e)^nu_H, (1 - x)^(T_s+1), 2^(-nu_H)")
    assert powers.replace("\xa0", " ") == "(C/e)^(ν_H), (1 − x)^(Tₛ + 1), 2^(−ν_H)"
    assert document.unicode("w^(s)") == "w⁽ˢ⁾"


def test_latex_knows_every_sign_of_the_records(paper):
    texts = {i: [c.title, c.text, c.note, *(h.text for h in c.hypotheses)] for i, c in catalog.claims(paper).items()}
    for claim_id, one in stored(paper).items():
        texts[claim_id] = [*texts[claim_id], one.setting, one.by_hand]
    for claim_id, those in texts.items():
        assert not re.findall(r"[^\x00-\xff]", document.in_latex((" ".join(those),))), claim_id
