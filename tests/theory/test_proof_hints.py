"""Hints are checked, never believed: a wrong one costs a search, and shows nothing that is false."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory.algebra import private
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.gram import Open, decision
from rateproof.theory.proof import Checked, Proof, Refused, Setting, check, have, kernel, qed, supposed
from rateproof.theory.proof.hints import Hints, digest, multipliers, parsed, texts
from rateproof.theory.proof.kernel import Question
from rateproof.theory.shorthand import ge, le

a, b = sp.symbols("a b", positive=True)
u, v = sp.symbols("u v", real=True)


def two_steps(constant: sp.Expr = sp.S.Zero) -> Claim:
    """``v <= u/(a + b) <= 2/a``, less the constant."""
    return Claim(
        "test.claim",
        Source("test", "here"),
        Kind.INEQUALITY,
        "",
        le(v, 2 / a - constant),
        (Hypothesis("first", "", le((a + b) * v, u)), Hypothesis("second", "", le(a * u, 2 * (a + b)))),
        setting=Setting(measured=(u, v)),
    )


PROOF = Proof(have("u", le(u, 2 * (a + b) / a), by=[supposed("second")]), qed(by=["u", supposed("first")]))


class Everything(Mapping[str, Sequence[str]]):
    """The same hint for every question."""

    def __init__(self, *multipliers: str) -> None:
        self.multipliers = multipliers

    def __getitem__(self, _: str) -> Sequence[str]:
        return self.multipliers

    def __iter__(self) -> Iterator[str]:
        return iter(("",))

    def __len__(self) -> int:
        return 1


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    kernel._searched.cache_clear()


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "_decide", lambda *_, **__: Open("nothing is searched"))


def shown(claim: Claim, hints: Hints | None = None) -> Checked:
    return check(claim, PROOF, {}.get, hints)


@pytest.fixture
def searched() -> Checked:
    found = shown(two_steps())
    kernel._searched.cache_clear()
    return found


def test_what_was_found_is_kept_and_need_not_be_searched(searched, no_search):
    assert len(searched.hints) == 2
    assert shown(two_steps(), searched.hints) == searched
    kernel._searched.cache_clear()
    with pytest.raises(Refused, match="nothing is searched"):
        shown(two_steps())


@pytest.mark.parametrize(
    "wrong",
    [
        *((), ("0",), ("0", "0"), ("1", "1"), ("-1/a", "1"), ("1/a", "1", "1"), ("1/0", "1/0"), ("sqrt(-a)", "a")),
        *(("(", "1"), ("c", "a"), ("1.5", "a"), ("__import__('os')", "a"), ("a**b", "2"), ("9**9**9", "1")),
    ],
)
def test_wrong_hints_show_nothing_and_keep_nothing_from_being_shown(searched, wrong):
    assert shown(two_steps(), Everything(*wrong)) == searched
    with pytest.raises(Refused, match="does not follow"):
        shown(two_steps(sp.Rational(1, 10)), Everything(*wrong))


def test_hints_of_another_step_show_nothing(searched):
    first, second = searched.hints
    exchanged = {first: searched.hints[second], second: searched.hints[first]}
    assert shown(two_steps(), exchanged) == searched


def test_hints_of_a_true_claim_do_not_show_a_false_copy(searched):
    for of in searched.hints:
        with pytest.raises(Refused, match="does not follow"):
            shown(two_steps(sp.Rational(1, 10)), Everything(*searched.hints[of]))


def test_a_question_is_known_by_all_that_it_says():
    asked = Question(le(v, 2 / a), (le((a + b) * v, 2),), (ge(b, a),), (v,))
    others = [replace(asked, goal=le(v, 1 / a)), replace(asked, given=()), replace(asked, assuming=())]
    assert len({digest(q) for q in (asked, *others)}) == 4
    assert digest(asked) == "fa315d3d4d7d3e34"  # in every process


def test_multipliers_survive_as_text_whatever_their_symbols_are_called():
    odd = [private(sp.Max(a, b), "[Max(a, b)]", positive=True), sp.Symbol("lambda", positive=True)]
    odd += [sp.Symbol("γ", positive=True), sp.Symbol("it's", positive=True), sp.Dummy("L", positive=True)]
    x, y, z, s, t = odd
    multiplier = sp.sqrt(x) / (y - 2 * z) ** 2 + sp.Rational(-3, 7) * s * t ** sp.Rational(5, 2) / sp.sqrt(3)
    question = Question(le(v, 0), (le(v * x * y * z * s * t, 0),), (), (v,))
    assert multipliers(question, texts([multiplier])) == (multiplier,)


@pytest.mark.parametrize("text", ["", "a b", "c", "'c'", "1.5", "True", "a.b", "f(a)", "sqrt(a, b)", "a if b else a"])
@pytest.mark.parametrize("around", ["{}", "a + ({})"])
def test_what_is_no_multiplier_is_refused(text, around):
    with pytest.raises(ValueError, match="no "):
        parsed(around.format(text), {"a": a, "b": b})


@pytest.mark.parametrize("text", ["2**100000", "a**b", "a**1000", "a**(1/0)", "a @ b", "a // b", "lambda: a", "[a]"])
def test_what_would_take_for_ever_is_refused(text):
    with pytest.raises(ValueError, match="no p"):
        parsed(text, {"a": a, "b": b})
