"""Laws that the claims of every paper obey, so that no proof can be talked into anything."""

import re
from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.assumptions import BoundedVariance, Lipschitz
from rateproof.theory.claim import Claim, Hypothesis, Reason, conjuncts, symbols_of
from rateproof.theory.shorthand import premise, reasons
from rateproof.theory.symbols import L_f, SymbolInfo, info, sigma_f2, sigma_h2


@pytest.mark.parametrize("paper", catalog.papers())
def test_what_is_measured_or_given_has_no_definition(paper):
    """A copy in which a metric, a constant or the hidden constant of an O(.) is defined as 0 says something else."""
    tried = 0
    for claim in catalog.claims(paper).values():
        for symbol in symbols_of(*claim.relations()) - claim.where.keys():
            with pytest.raises(ValueError, match=re.escape(f"defines {symbol}, which is measured")):
                replace(claim, where={**claim.where, symbol: sp.S.Zero})
            tried += 1
    assert tried > len(catalog.claims(paper))


@pytest.mark.parametrize("paper", catalog.papers())
def test_a_definition_that_a_claim_uses_cannot_be_left_out(paper):
    for claim in catalog.claims(paper).values():
        for symbol in symbols_of(*claim.relations()) & claim.where.keys():
            with pytest.raises(ValueError, match="without its definition"):
                replace(claim, where={s: e for s, e in claim.where.items() if s != symbol})


@pytest.mark.parametrize("paper", catalog.papers())
def test_a_key_is_one_hypothesis(paper):
    """An instance answers for a key, and a proof asks for one: neither sees which of two texts is meant."""
    meanings: dict[str, set[Hypothesis]] = {}
    for claim in catalog.claims(paper).values():
        for h in (*claim.hypotheses, *(h for switch in claim.switches for h in switch.adding)):
            meanings.setdefault(h.key, set()).add(replace(h, says=up_to_names(h.says)))
    assert {key: found for key, found in meanings.items() if len(found) > 1} == {}


#: What names a result of a paper, or the id of a claim.
RESULT = re.compile(
    r"\b(?:lemmas?|propositions?|theorems?|corollary|remarks?|cases?|tables?|steps?) \(?\d|\beqs?\. ?\(?\d"
    r"|\b(?:recursion|display|sum) of\b|\b(?:lem|prop|thm|rem|cor|tab|step|st|case)\.?\d",
    re.IGNORECASE,
)
#: Hypotheses that name a result and are not what it states.
NAMED_OTHERWISE = {
    "an assumption that the paper numbers": {"fedrzo.dissimilarity"},
    "results of other papers": {
        *("fedrzo.rate of [66]", "fedrzo.rounds of [66]", "fedrzo.suitable"),
        *("fedrzo.external, Theorem 3.1 in [67]", "fedrzo.external, Theorem 4.2 in [23]"),
    },
    "numbers of an experiment": {"fedrzo.table4", "fedrzo.table4_row", "fedrzo.entry"},
    "the place that assumes it": {
        *("fedrzo.lower_free", "strfedavg.clients_attain_minimum", "strfedavg.inner_attain_minimum"),
        "strfedavg.gamma<=3lam/(4(L_f lam+2))",
    },
    "the choice of exponents that a remark makes": {f"strfedavg.{key}" for key in ("a=2/3,b=1/3", "b=1/3", "a=1/2")}
    | {"strfedavg.a=1/2,b=1/4"},
    "what the proof makes of claims over all rounds and states nowhere": {"strfedavg.unrolled", "strfedavg.summed"},
}


def test_a_hypothesis_that_names_a_claim_is_what_that_claim_states():
    """In words, or typed again, it may say something else."""
    by_words, cited = set(), set()
    for paper in catalog.papers():
        for claim in catalog.claims(paper).values():
            for h in (*claim.hypotheses, *(h for switch in claim.switches for h in switch.adding)):
                if h.cites:
                    cited.add(f"{paper}.{h.key}")
                    assert h.relation == h.cites.read(catalog.get(h.cites.claim)), (claim.id, h.key)
                elif RESULT.search(h.text):
                    by_words.add(f"{paper}.{h.key}")
    assert by_words == set().union(*NAMED_OTHERWISE.values())
    assert len(cited) >= 20


def test_a_premise_is_built_from_its_claim():
    lem5 = catalog.get("strfedavg.lem5")
    assert premise(lem5).relation == lem5.statement and RESULT.search(premise(lem5).text)
    lem4 = catalog.get("fedrzo.lem4.ii")
    (first, second) = conjuncts(lem4.statement)
    assert premise(lem4).relation == lem4.statement and premise(lem4, part=second.lhs).relation == second
    other = sp.Symbol("other", real=True)
    moved = premise(lem4, {first.lhs: other}, part=first.lhs, attained=True).relation
    assert moved == sp.Eq(other, first.rhs, evaluate=False)
    for bad in ({"part": other}, {"stated": catalog.get("fedrzo.tab1.66")}):
        with pytest.raises(ValueError, match="states nothing"):
            premise(**{"stated": lem4, **bad})


@pytest.mark.parametrize("paper", catalog.papers())
def test_reasons_say_where_they_come_from(paper):
    """A correction's own reasons stand first; the others name a claim that has them, or a place of the paper."""
    for claim in catalog.claims(paper).values():
        assert bool(claim.why) == bool(claim.amends), claim.id
        origins = [reason.origin for reason in claim.why]
        assert origins == sorted(origins, key=bool) and len({*claim.why}) == len(claim.why)
        for origin in filter(None, origins):
            known = origin in catalog.claims(paper) and origin not in (claim.id, claim.amends)
            assert known or not origin.startswith(f"{paper}."), (claim.id, origin)
            assert origin.startswith(f"{paper}.") or origin in {"problem (4)"}


def test_reasons_are_records_each_once_own_first():
    other, own = Reason("it falls", "p.lem1"), Reason("it is wrong", "p.lem2")
    assert reasons([other, "a root is lost", own, other], "p.lem2") == (
        Reason("a root is lost"),
        Reason("it is wrong"),
        other,
    )
    assert reasons("one") == (Reason("one"),) and reasons(()) == () and str(other) == "it falls (p.lem1)"
    claim = catalog.get("strfedavg.lem1.corrected")
    with pytest.raises(ValueError, match=r"give Reason\(text\)"):
        replace(claim, why="it is wrong")


def up_to_names(said):
    """Typed assumptions with numbered constants: the outer loss of an inner call is g, whose noise is sigma_g^2."""
    constants = dict.fromkeys(s for a in said for e in a.constants.values() for s in sorted(e.free_symbols, key=str))
    numbered = {s: sp.Symbol(f"c_{i}") for i, s in enumerate(constants)}
    return tuple(a.at(numbered) for a in said)


def test_assumptions_that_differ_by_more_than_names_are_told_apart():
    said = (BoundedVariance("n_f", sigma_f2), BoundedVariance("n_h", sigma_h2))
    assert up_to_names(said) == up_to_names(tuple(a.at({sigma_f2: L_f}) for a in said))
    for other in (said[:1], said[::-1], (said[0], said[0]), (said[0].at({sigma_f2: 2 * sigma_f2}), said[1])):
        assert up_to_names(other) != up_to_names(said)
    assert up_to_names(tuple(a.at({sigma_f2: sigma_h2}) for a in said)) != up_to_names(said)


@pytest.mark.parametrize("paper", catalog.papers())
def test_every_claim_has_a_title_of_a_few_words(paper):
    claims = catalog.claims(paper).values()
    assert [c.id for c in claims if not (0 < len(c.title.split()) <= 8 and c.title[0].isupper())] == []
    assert [c.id for c in claims if c.amends and c.title != catalog.get(c.amends).title] == []
    printed = [c.title for c in claims if not c.amends]
    assert {title for title in printed if printed.count(title) > 1} == set()


#: A name that LaTeX prints right as it is.
LETTER = re.compile(r"[A-Za-z](_[A-Za-z0-9])?")
#: Innermost brackets and norms, with what is in them.
CLOSED = re.compile(
    r"\\\{[^{}]*\\\}|(?<!\\)\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]|\\\|[^|{}]*?\\\||\|[^|{}]*\||\\langle[^{}]*?\\rangle"
)


def symbols_told(claim: Claim) -> dict[str, SymbolInfo]:
    """What is declared of every symbol of a claim and of its other readings, by name."""
    used = claim.symbols.union(*(other.symbols for _, other in claim.readings()))
    return {str(s): info(s, claim.paper) for s in used}


@pytest.mark.parametrize("paper", catalog.papers())
def test_every_symbol_of_a_claim_has_latex(paper):
    told = {s: i for claim in catalog.claims(paper).values() for s, i in symbols_told(claim).items()}
    assert len(told) > 15
    assert [name for name, one in told.items() if one.latex == name and not LETTER.fullmatch(name)] == []
    assert [name for name, one in told.items() if not is_factor(one.latex)] == []


@pytest.mark.parametrize("paper", catalog.papers())
def test_no_claim_prints_two_symbols_alike(paper):
    alike = {}
    for claim in catalog.claims(paper).values():
        renamed = {s for s, e in claim.where.items() if e.is_Symbol}
        names = {str(s): info(s, paper).latex for s in symbols_of(*claim.relations()) if s not in renamed}
        if twice := {name: latex for name, latex in names.items() if list(names.values()).count(latex) > 1}:
            alike[claim.id] = twice
    assert alike == {}


def is_factor(latex: str) -> bool:
    """Whether LaTeX is balanced in braces and can stand in a product: no bare sum or difference."""
    while (shorter := CLOSED.sub("", latex)) != latex:
        latex = shorter
    return not set("+-{}[]()|") & set(latex)


def test_what_latex_cannot_stand_in_a_product():
    assert is_factor(r"\|\frac1m\sum_i(x_i-y)\|^{2}") and is_factor(r"\min_y\{|u|+(u-y)^2\}")
    assert not any(map(is_factor, (r"f(x)-\inf f", r"\frac{a}{b", r"-\gamma E[g]", r"\|x\|^2+1", r"(a-b))")))


@pytest.mark.parametrize("paper", catalog.papers())
def test_a_map_is_said_to_be_lipschitz_in_mean_square_where_its_type_is_random(paper):
    told = [(h.text, a) for c in catalog.claims(paper).values() for h in c.hypotheses for a in h.says]
    odd = {(text, a) for text, a in told if isinstance(a, Lipschitz) and ("mean square" in text) != bool(a.random)}
    assert odd == set()
