"""How a page is laid out: what is folded and where, what stands beside what, and what a terminal adds."""

import pytest

from rateproof.verify.pages import page
from rateproof.verify.pages.page import MARKS, beside, formula, key, laid_out, length, link, show, table, text

WRONG, RIGHT = MARKS["red"], MARKS["green"]


def lines(*blocks, width=40, plain=True):
    return list(laid_out(blocks, width=width, plain=plain))


def test_a_text_is_folded_but_not_at_a_sign_of_equality():
    assert lines(text("at  ", "the instance with the numbers N = 2 and L = 1"), width=38) == [
        "at  the instance with the numbers",
        "    N = 2 and L = 1",
    ]


def test_a_formula_is_broken_between_its_pieces_and_then_before_its_signs():
    pieces = ["E‖x‖² ≤", "a (b + c)", "+ d (e + f + g)/(h + k)"]
    assert lines(formula("  ", pieces), width=60) == [f"  {' '.join(pieces)}"]
    assert lines(formula("  ", pieces)) == ["  E‖x‖² ≤ a (b + c)", "      + d (e + f + g)/(h + k)"]
    assert lines(formula("", ["x ≤", "a + b (c + d + e) − f (g + h + i) − j"]), width=30) == [
        "x ≤ a + b (c + d + e)",
        "    − f (g + h + i) − j",
    ]
    assert lines(formula("", ["x ≤", "(aaaa + bbbb + cccc + dddd)/2"]), width=26) == [
        "x ≤ (aaaa + bbbb + cccc",
        "    + dddd)/2",
    ]


def test_a_long_name_stands_above_its_formula():
    assert lines(formula("(1) the mean of all drifts: ", ["(a + b + c)/(d e f) ≤", "x"])) == [
        "(1) the mean of all drifts:",
        "                 (a + b + c)/(d e f) ≤ x",
    ]


def test_accents_take_no_columns():
    assert length("x̂ + ȳ") == 5 and lines(formula("", ["x̂" * 20, "+ y"]), width=24) == ["x̂" * 20 + " + y"]


def test_formulas_stand_beside_each_other_where_there_is_room():
    pairs = [(["a ≤", f"{WRONG[0]}2 b{WRONG[1]}"], ["a ≤", f"{RIGHT[0]}3 b{RIGHT[1]}"]), (["c = 1"], [])]
    two = beside(("printed", "corrected"), pairs)
    assert lines(two, width=60) == ["  printed     corrected", "  a ≤ [2 b]   a ≤ [3 b]", "  c = 1"]
    assert lines(two) == ["  printed    a ≤ [2 b]", "  corrected  a ≤ [3 b]", "  printed    c = 1"]


def test_a_table_cuts_nothing():
    rows = [("refuted", "a long text of many words, none of which is lost"), ("proved", "")]
    out = lines(table(("verdict", "why"), rows), width=48)
    assert out[0].split() == ["verdict", "why"] and out[1].startswith("  refuted  a long") and len(out) == 4
    out = lines(table(("verdict", "why"), rows), width=30)  # too narrow for a column: below its row
    assert out[2] == "  refuted" and " ".join(" ".join(out[3:-1]).split()) == rows[0][1]
    assert out[-1] == "  proved"


def test_marks_end_on_the_line_on_which_they_begin():
    marked = formula("", ["x ≤", f"{WRONG[0]}aaaaaaaa + bbbbbbbb + cccccccc{WRONG[1]}"])
    for line in lines(marked, width=20, plain=False):
        assert line.count(WRONG[0]) == line.count(WRONG[1])
    assert lines(marked, width=20) == ["x ≤ [aaaaaaaa", "  + bbbbbbbb", "  + cccccccc]"]


class Terminal:
    """A stdout that is a terminal of 60 columns."""

    encoding = "utf-8"

    def __init__(self):
        self.written = ""

    def isatty(self):
        return True

    def write(self, part):
        self.written += part

    def flush(self):
        pass


PAGE = [
    text("", f"printed {key('refuted')}"),
    formula("  ", ["x ≤", f"{WRONG[0]}2{WRONG[1]} + {RIGHT[0]}3{RIGHT[1]}"]),
    link("lemmas.py:48", "file:///lemmas.py"),
]


@pytest.fixture
def printed(monkeypatch):
    """What ``show`` prints to a terminal, with some variables of the environment."""

    def run(*, plain=False, **environment):
        for name in ("NO_COLOR", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "60", **environment}.items():
            monkeypatch.setenv(name, value)
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        show(PAGE, plain=plain)
        return terminal.written

    return run


def test_a_terminal_has_colours_and_links(printed):
    out = printed()
    assert "printed \x1b[1;31mrefuted\x1b[0m" in out and "x ≤ \x1b[4;31m2\x1b[0m + \x1b[4;32m3\x1b[0m" in out
    assert "]8;" in out and "file:///lemmas.py" in out and "[2]" not in out


@pytest.mark.parametrize("plainly", [{"plain": True}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_what_is_plain_has_brackets(printed, plainly):
    assert printed(**plainly) == "printed refuted\n  x ≤ [2] + [3]\nlemmas.py:48\n"


def test_what_is_no_terminal_is_as_wide_as_columns_says(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    show([text("", "word " * 40)])
    assert [len(line) for line in capsys.readouterr().out.splitlines()] == [59, 59, 59, 19]
    monkeypatch.delenv("COLUMNS")
    assert page.text_width() == 100
