"""The command line: output, exit codes, one line for bad input, and nothing lost."""

import codecs
import csv
import io
import json
import logging
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache

import click
import pytest
import sympy as sp
from distributed import Client, LocalCluster

from rateproof.theory import catalog, proof
from rateproof.theory.claim import Claim, Kind, Source
from rateproof.theory.proof import Setting
from rateproof.theory.proof.rules import RULES
from rateproof.verify import cli
from rateproof.verify.evidence import Verdict
from rateproof.verify.pages import installation as doctor
from rateproof.verify.pages import render
from rateproof.verify.pages.graph import ProofGraph
from rateproof.verify.pages.listed import described, graph_around
from rateproof.verify.pages.page import laid_out, length
from rateproof.verify.pages.render import Column, in_ascii, number, print_table, wrapped
from rateproof.verify.planted import score
from rateproof.verify.planted.deletions import Cut, Cuts, Fate
from rateproof.verify.stored import proofs

FIELDS = {
    *(
        "claim",
        "paper",
        "place",
        "kind",
        "reading",
        "verdict",
        "level",
        "method",
        "worst_ratio",
        "instances",
        "witness",
    ),
    *("violated", "proof_broken_by", "seconds"),
}


def assert_one_line(code: int, out: str, err: str, *words: str) -> None:
    """Bad input: exit code 2, nothing on stdout, one line on stderr that holds the words."""
    assert (code, out) == (2, ""), err
    assert err.startswith("rateproof: ") and err.count("\n") == 1
    for word in words:
        assert word in err


# --- the frame


def test_help_imports_nothing_heavy():
    ours = ("rateproof.theory", "rateproof.algos", "rateproof.verify.checks")
    heavy = {"numpy", "sympy", "scipy", "rich", "cvxpy", *ours}
    code = f"import sys; from rateproof.verify.cli import execute; execute([]); assert not {heavy} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    positions = [done.stdout.index(f"\n  {name} ") for name in ("list", "show", "check", "run", "score", "doctor")]
    assert positions == sorted(positions)


def test_an_unknown_name_is_refused_without_the_papers():
    """All papers together take longer than a reader waits."""
    lines = [
        ["run", "StRFedAvg", "--problem", "diagonal_selection", "--rounds", "3", "--set", "nope=1"],
        ["run", "StRFedAvg", "--problem", "nope", "--rounds", "3"],
        ["score", "strfedavg.nope"],
        *(
            [command, name, *options]
            for command, *options in (
                *(["list"], ["show"], ["check"], ["falsify"], ["score"], ["review"], ["prove"]),
                *(["export", "--rocq", "."], ["report", "--out", "."], ["tune", "--rounds", "9"]),
            )
            for name in ("nope", "nope.lem1", "strfedavg.nope")
        ),
    ]
    code = (
        f"import sys; from rateproof.verify.cli import execute; print(*map(execute, {lines}));"
        "assert not {m for m in sys.modules if m.startswith('rateproof.theory.papers.mefbo')}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"2"}
    for line in done.stderr.splitlines(keepends=True):
        assert_one_line(2, "", line, "nope")
    assert done.stderr.count("\n") == len(lines)


def test_no_arguments_show_the_help(call):
    assert call() == call("--help")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], ["unknown command 'chek'", "did you mean check"]),
        (["zzz"], ["unknown command 'zzz'", "list, show, report, review, check"]),
        (["--jason"], ["--jason"]),
        (["list", "--papr", "fake"], ["--papr", "--paper"]),
        (["list", "--paper", "fakee"], ["unknown paper 'fakee'", "did you mean fake"]),
        (["list", "--kind", "bond"], ["unknown kind 'bond'", "bound"]),
        (["list", "--verdict", "refutd"], ["unknown verdict 'refutd'", "refuted"]),
        (["list", "--severity", "corners"], ["unknown severity 'corners'", "did you mean corner"]),
        (["show"], ["CLAIM"]),
        (["show", "fake.godo"], ["unknown claim or paper 'fake.godo'", "fake.good"]),
        (["show", "fakee"], ["unknown claim or paper 'fakee'", "did you mean fake"]),
        (["check", "fake.godo"], ["unknown claim or paper 'fake.godo'", "fake.good"]),
        (["check", "good"], ["'good' is named without its paper", "did you mean fake.good?"]),
        (["check", "lemma good"], ["'lemma good'"]),
        (["check", "lemma 1"], ["Lemma 1 is a place", "rateproof list 'lemma 1'"]),
        (["show", "lem. 1"], ["no paper has a claim at Lemma 1"]),
        (["show", "fake.joined"], ["unknown claim or paper", "fake.joint"]),
        (["check", "--tier", "fast"], ["'fast'", "quick", "full"]),
        (["check", "--jobs", "0"], ["--jobs", "x>=1"]),
        (["check", "--jobs", "two"], ["--jobs", "'two'"]),
        (["check", "--seed", "-1"], ["--seed", "0<=x"]),
    ],
)
def test_bad_names_and_options_get_one_line_with_a_near_miss(call, arguments, words):
    assert_one_line(*call(*arguments), *words)


def test_an_internal_error_is_one_line_and_exit_3(call, monkeypatch):
    def burst(*_: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("rateproof.verify.pages.describe.describe_claim", burst)
    code, out, err = call("show", "fake.good")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "ZeroDivisionError: division by zero" in err and "RATEPROOF_DEBUG" in err
    monkeypatch.setenv("RATEPROOF_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        call("show", "fake.good")


def test_a_wrong_call_deep_inside_is_not_taken_for_bad_input(call, monkeypatch):
    def burst(*_: object) -> None:
        raise ValueError("shapes do not match")

    monkeypatch.setattr("rateproof.verify.checks.finish", burst)
    assert call("check", "fake.good", "--jobs", "1")[0] == 3


def test_a_reader_that_has_gone_leaves_no_traceback(paper_files):
    head = subprocess.Popen(
        paper_files.command("list"), env=paper_files.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    head.stdout.close()
    assert head.wait(60) == 141
    assert head.stderr.read() == b""


def test_output_survives_an_ascii_terminal(paper_files):
    environment = {**paper_files.environment, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(paper_files.command("list"), env=environment, capture_output=True, cwd=paper_files.root)
    assert done.returncode == 0 and b"fake.good" in done.stdout and b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("encoding", "text", "printed"),
    [
        ("cp1252", "γ_l ≤ 2λ², η̂ ∈ Ω", "gamma_l <= 2lambda², eta_hat  in  Omega"),
        ("cp1252", "ϵ ≥ 0, ∇f, é … ς", "epsilon >= 0, grad f, é … sigma"),
        ("ascii", "G² é … ─ 😀", "G^2 e ... - ?"),
        ("latin-1", "|x|² − y", "|x|² - y"),
    ],
)
def test_what_an_encoding_lacks_is_said_in_ascii(encoding, text, printed):
    codecs.register_error("in_ascii", in_ascii)
    assert text.encode(encoding, "in_ascii").decode(encoding) == printed


def test_the_command_prints_so(paper_files):
    environment = {**paper_files.environment, "PYTHONIOENCODING": "cp1252"}
    program = "from rateproof.verify.cli import execute; execute(['--version']); print('\u03b3')"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, cwd=paper_files.root)
    assert done.stdout.split()[-1] == b"gamma"


def terminal(monkeypatch, columns: int, **variables: str) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": str(columns), **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


WIDE = ("strfedavg.tab1.sc.0.corrected", "a place in a long paper", "inconsistent", "1.457e+104", "word " * 40)


@pytest.mark.parametrize("columns", [50, 80, 100, 200])
def test_numbers_ids_and_verdicts_are_never_cut(capsys, monkeypatch, columns):
    terminal(monkeypatch, columns)
    heads = (Column("claim"), Column("place", width=14), Column("verdict"), Column("ratio", right=True))
    print_table([*heads, Column("found", rest=True)], [WIDE, ("a", "b", "proved", "", "")])
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    text = " ".join(lines)
    assert all(word in text for word in (WIDE[0], WIDE[2], WIDE[3], "proved", "word word"))
    assert max(map(len, lines)) <= max(columns, 68)  # what may not be cut takes 68 columns
    assert (len(lines) == 4) is (columns > 92)  # the text stands in its column, or below


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_on_request(capsys, monkeypatch, variables, coloured):
    terminal(monkeypatch, 80, **variables)
    print_table([Column("verdict")], [["refuted"]])
    assert ("\x1b" in capsys.readouterr().out) is coloured


@pytest.mark.parametrize("columns", [60, 90, 140])
def test_text_is_as_wide_as_the_terminal(monkeypatch, columns):
    terminal(monkeypatch, columns)
    lengths = [len(line) for line in wrapped("word " * 100, "  - ")]
    assert columns - 5 < max(lengths) <= columns


def test_a_ratio_that_does_not_exist_is_an_empty_cell():
    assert [number(x) for x in (None, math.nan, math.inf, 0.5)] == ["", "", "inf", "0.5"]


# --- list and show


def test_list_names_every_claim_with_its_baseline_verdict(call):
    code, out, _ = call("list", "--json")
    listed = json.loads(out)
    assert code == 0 and [c["claim"] for c in listed] == list(catalog.claims("fake"))
    assert len(out.splitlines()) == len(listed) + 2  # one object per line
    assert {c["verdict"] for c in listed} == {None}
    call("check", "--jobs", "1", "--update")
    verdicts = {c["claim"]: c["verdict"] for c in json.loads(call("list", "--json")[1])}
    assert verdicts["fake.good"] == "supported" and verdicts["fake.bad"] == "refuted"
    refuted = json.loads(call("list", "--json", "--verdict", "refuted", "--kind", "bound", "--paper", "fake")[1])
    assert [c["claim"] for c in refuted] == ["fake.bad", "fake.joint.amended"]
    assert json.loads(call("list", "--json", "--kind", "identity")[1]) == []
    for names in (("fake",), ("fake.joint", "fake.good")):
        below = [c["claim"] for c in json.loads(call("list", "--json", *names)[1])]
        assert below == [i for i in verdicts if any(f"{i}.".startswith(f"{n}.") for n in names)]
    code, _, err = call("list", "fake.goo")
    assert code == 2 and "unknown claim or paper 'fake.goo'; did you mean" in err
    code, out, err = call("list")
    assert (code, err) == (0, "") and "fake.good" in out and "10 claims" in out
    assert max(map(len, out.splitlines())) <= 110 and "\x1b" not in out


def test_show_begins_with_what_a_reader_asks_first(call):
    unchecked = "\nwhy        No verdict is in the baseline; rateproof check fake.good computes one.\n"
    assert unchecked in call("show", "fake.good")[1]
    call("check", "--jobs", "1", "--update")
    out = call("show", "fake.middle")[1]
    order = [
        "fake.middle Lemma middle, eq. 7\nprinted proved, proof broken\n",
        "\n  η ≤ 1\n",
        "\nwhy        It is proved",
        "\nrests on   bad (refuted); good\n",
        "\nused by    top\n",
        "\nhow sure   fake (argument); largest ratio",
        "\nletters    η: regularisation parameter\n",
        "\nmore       rateproof show fake.middle --graph | --full\n",
    ]
    assert [out.index(part) for part in order] == sorted(out.index(part) for part in order)
    assert "eta_hat" not in out  # a definition that neither statement nor hypotheses use
    assert "corrected refuted\ncorrects fake.joint, printed supported\n" in call("show", "fake.joint.amended")[1]
    assert "\nbreaks     2 claims: middle, top\n" in call("show", "fake.bad")[1]


def test_show_tells_everything_about_a_claim(call):
    call("check", "--jobs", "1", "--update")
    out = call("show", "fake.good", "--full")[1]
    for part in ("eta <= 1", "Lemma good, eq. 7", "R-1", "supported", "not: K >= 1", "but: X is closed"):
        assert part in out
    assert "followed by\n  fake.middle  proved, proof broken\n" in out
    bad = call("show", "fake.bad", "--full")[1]
    assert re.search(r"\nexample    left 2\.0, right 1\.0.*\n           x = 1\n", call("show", "fake.bad")[1])
    assert "violated by\n  x = 1" in bad and "left 2.0, right 1.0" in bad and "note: damaged in print" in bad
    assert (
        "\nhypotheses, with why each holds on" not in bad
        and "\n  K>=1: K ≥ 1\n      K ≥ 1\n" in call("show", "fake.good", "--hypotheses")[1]
    )
    shown = json.loads(call("show", "fake.good", "--json")[1])
    assert shown["switches"][0]["adding"] == [{"key": "closed", "text": "X is closed", "relation": None, "cites": None}]
    assert shown["statement"] == "eta <= 1" and shown["followed_by"] == ["fake.middle"]
    assert shown["verdict"] == "supported" and shown["where"] == {} and shown["stale"] is False


def test_show_draws_the_proof_graph_with_what_breaks_what(call):
    call("check", "--jobs", "1", "--update")
    top = call("show", "fake.top", "--graph")[1]
    tree = """
proof graph (x is refuted or inconsistent and breaks the proofs above it)
  fake.top  supported, proof broken
  └─ fake.middle  proved, proof broken
     ├─ x fake.bad  refuted (substance)
     └─ fake.good  supported
"""
    assert tree in f"\n{top}" and "followed by" not in top
    assert "proof broken by\n  fake.bad" in call("show", "fake.top", "--full")[1]
    bad = call("show", "fake.bad", "--graph")[1]
    assert "breaks\n  fake.middle  proved, proof broken\n  further up in fake: top\n" in bad
    joint = call("show", "fake.joint", "--graph")[1]
    assert "  fake.joint  supported; corrected: refuted\n  ├─ fake.joint.a  supported\n  └─ fake.joint.b" in joint
    assert "corrected by\n  x fake.joint.amended  refuted\n    eta <= 1 as printed\n    - it is wrong" in joint
    assert "breaks" not in joint
    shown = json.loads(call("show", "fake.bad", "--json")[1])
    assert shown["breaks"] == ["fake.middle", "fake.top"] and shown["corrected_by"] == []
    assert {"claim": "fake.middle", "link": "follows from", "other": "fake.bad"} in shown["graph"]["edges"]
    (mended,) = json.loads(call("show", "fake.joint", "--json")[1])["corrected_by"]
    reasons = [{"text": "it is wrong", "origin": ""}]
    assert (mended["claim"], mended["verdict"], mended["why"]) == ("fake.joint.amended", "refuted", reasons)


HALF = """
from rateproof.theory.proof import Proof, have, qed

CLAIMS += (claim("good.half"), claim("upper", follows_from=("fake.good",)),
           claim("shaky", proof=Proof(have("twice", sp.Le(eta, 2, evaluate=False)), qed(by=["twice"]))))
"""


@pytest.fixture
def half(fake):
    """The invented paper with a refuted sub-id of a claim that has a check of its own, and a proof that fails."""
    checks = 'CHECKS |= {"fake." + n: check_for(n) for n in ("good.half", "shaky")}\n'
    for room, text in (("claims", HALF), ("checks", checks)):
        path = fake.root / room / "fake" / "__init__.py"
        path.write_text(path.read_text() + text)
    fake.set(**{"good.half": "violation", "shaky": "violation"})
    return fake


def test_a_claim_with_a_check_of_its_own_is_no_composite(half, call):
    """``good.half`` falls; ``check`` and ``show`` agree that neither ``good`` nor what rests on it is broken by it."""
    call("check", "--jobs", "1", "--update")
    found = {r["claim"]: r for r in json.loads(call("check", "fake.good", "fake.upper", "--jobs", "1", "--json")[1])}
    assert found["fake.good.half"]["verdict"] == "refuted" and found["fake.good"]["verdict"] == "supported"
    assert found["fake.upper"]["proof_broken_by"] == []
    upper, part = (json.loads(call("show", f"fake.{item}", "--json")[1]) for item in ("upper", "good.half"))
    assert part["breaks"] == [] and [n["claim"] for n in upper["graph"]["nodes"]] == ["fake.upper", "fake.good"]
    # a composite has no check, and falls with a part
    half.set(**{"joint.a": "violation"})
    call("check", "--jobs", "1", "--update")
    assert json.loads(call("show", "fake.joint.a", "--json")[1])["breaks"] == ["fake.joint"]


def test_a_proof_that_does_not_go_through_is_marked(half, call):
    assert "\nproof of fake.shaky, 2 steps, not checked yet\n" in call("show", "fake.shaky", "--full")[1]
    call("check", "--jobs", "1", "--update")
    for finding in ("violation", "holds"):
        half.set(shaky=finding)
        call("check", "--jobs", "1", "--update")
        out = call("show", "fake.shaky", "--full")[1]
        stops = "\nproof of fake.shaky, 2 steps, which does not go through\n  it stops at twice: "
        assert stops in out and "\n(1) twice: " in out.partition(stops)[2]
        assert out.count("it stops at") == 1 and "also tried" not in out


def test_show_draws_the_graph_of_a_paper(call):
    call("check", "--jobs", "1", "--update")
    code, out, err = call("show", "fake", "--graph")
    assert (code, err) == (0, "") and "  x bad" not in out  # it is not a root
    for claim_id in catalog.claims("fake"):
        name = claim_id.removeprefix("fake.")
        assert len([line for line in out.splitlines() if f" {name}  " in line]) == 1, name
    assert (
        "  top  supported, proof broken\n  └─ middle  proved, proof broken\n     ├─ x bad  refuted (substance)\n" in out
    )
    assert max(map(len, out.splitlines())) <= 100
    found = json.loads(call("show", "fake", "--json")[1])
    assert found["reference"]["title"] == "fake"
    assert [n["claim"] for n in found["nodes"]] == list(catalog.claims("fake"))
    assert {"claim": "fake.joint", "link": "has part", "other": "fake.joint.a"} in found["edges"]
    assert {"claim": "fake.joint", "link": "corrected by", "other": "fake.joint.amended"} in found["edges"]
    assert next(n for n in found["nodes"] if n["claim"] == "fake.top")["proof_broken_by"] == ["fake.bad"]


def test_the_graph_is_drawn_in_ascii_where_boxes_cannot_be_shown(paper_files):
    environment = {**paper_files.environment, "PYTHONIOENCODING": "ascii"}
    command = paper_files.command("show", "fake.top", "--graph")
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert "  `- fake.middle  -\n     |- fake.bad  -\n     `- fake.good  -\n" in done.stdout and "?" not in done.stdout


def test_shared_nodes_are_drawn_once():
    below = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": ["e"], "z": ["d"]}
    drawn = "\n".join(render.tree(["a", "z"], lambda node, above: below.get(node, []), str.upper))
    assert (
        drawn
        == """\
  A
  ├─ B
  │  └─ D
  │     └─ E
  └─ C
     ├─ D (above)
     └─ E
  Z
  └─ D (above)"""
    )


def test_show_of_a_paper_begins_with_counts_faults_and_results(call):
    assert "\n  printed      9\n" in call("show", "fake")[1]  # without verdict
    call("check", "--jobs", "1", "--update")
    out = call("show", "fake")[1]
    assert "fake: 9 claims as printed, 1 corrected\n" in out
    (printed,) = (line.split() for line in out.splitlines() if line.startswith("  printed  "))
    assert printed == ["printed", "1", "5", "1", "1", "1"]
    faults = out.partition("root faults")[2].partition("\n\n")[0]
    assert [line.split()[:3] for line in faults.splitlines()[2:]] == [["2", "bad", "substance"]]
    rows = [
        line.split() for line in out.partition("\nresults as they are printed\n")[2].partition("\n\n")[0].splitlines()
    ]
    assert [row[0] for row in rows[1:]] == [
        i.removeprefix("fake.") for i in catalog.claims("fake") if "amended" not in i
    ]
    assert ["joint", "supported", "supported", "-", "refuted", "Lemma", "joint"] in rows


@pytest.fixture(scope="module")
def graph():
    return cache(graph_around)


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", [*catalog.papers(), *catalog.all_claims()])
def test_a_page_fits_every_width(graph, monkeypatch, name):
    paper = name.partition(".")[0]
    around = graph(name if name == paper else next(iter(catalog.claims(paper))))
    for view in ("", "graph") if name == paper else ("", "full"):
        page = list(described(name, view, around))
        kept = json.loads(json.dumps(page))
        drawn = {line for one in page if isinstance(one, str) for line in laid_out([one])}
        for columns in (60, 80, 100, 140):
            lines = list(laid_out(page, width=columns))
            assert lines == list(laid_out(kept, width=columns))
            for line in lines:  # what is wider is of the graph, one word, or a cell that is not cut
                assert length(line) <= columns or line in drawn or len(line.split()) <= 3 or name == paper, line
        codecs.register_error("in_ascii", in_ascii)
        text = "\n".join(lines)
        assert text.encode("cp1252", "in_ascii").count(b"?") == text.count("?")


def test_a_page_says_what_each_symbol_means(real):
    printed = " ".join(real("show", "mefbo.lemD.8", "--full")[1].split())
    assert "M₂^′ = 6 Δ² K βₘₐₓ" in printed and "Δ: heterogeneity" in printed
    assert "but: (83a) as its use needs it: eta_theta**2*tau <= gamma**2/36" in printed


def test_claims_are_told_in_formats_to_paste(real):
    code, out, err = real("show", "strfedavg.lem1", "--format", "latex")
    assert (code, err) == (0, "") and r"\textcolor{red}{\frac{1}{N}}" in out
    out = real("list", "textbook.young", "textbook.descent_lemma", "--format", "markdown")[1]
    assert out.count("as printed.") == 2 and "(`textbook.young`)" in out and "\ue000" not in out
    results = real("show", "strfedavg", "--format", "bibtex")[1]
    assert results.startswith("@misc{strfedavg,\n") and results.count("@misc{strfedavg,") == 1
    assert "@misc{rateproof:strfedavg.thm3.i-1," in results and "strfedavg.step." not in results
    for options in (["--format", "latex", "--full"], ["--json", "--proof"], ["--json", "--format", "latex"]):
        assert_one_line(*real("show", "strfedavg.lem1", *options), "leave out")
    assert_one_line(*real("show", "textbook", "--hypotheses"), "textbook is a paper", "rateproof list textbook")
    assert_one_line(*real("show", "strfedavg.thm1"), "is 19 claims; name one of them: strfedavg.thm1.Rcond, ")


def test_numbers_of_an_instance_are_explained(real):
    out = " ".join(real("show", "strfedavg.lem1")[1].split())
    assert "steeper: curvature of fᵢ as a multiple of L_f" in out  # of the family
    assert "d_f, dₕ: distance of the clients' minima from 0" in out and "N: number of clients" in out
    out = " ".join(real("show", "mefbo.sk-30")[1].split())
    assert "xₜ, yₜ, θₜ: where the round starts" in out and "apart: slope in x of the fᵢ" in out


def test_degenerate_refutations_are_marked(call, fake):
    call("check", "--jobs", "1", "--update")
    fake.baseline.write_text(fake.baseline.read_text().replace('"violated": {', '"violated": {"degenerate": true, '))
    assert "violated by (degenerate)" in call("show", "fake.bad", "--full")[1]
    (bad,) = [n for n in json.loads(call("show", "fake", "--json")[1])["nodes"] if n["claim"] == "fake.bad"]
    assert bad["degenerate"]


STALE = "stale: the claim changed since the baseline was written"


def test_a_claim_that_changed_after_its_baseline_is_stale_until_the_next_update(call, monkeypatch):
    call("check", "--jobs", "1", "--update")
    assert "stale" not in call("list")[1] + call("show", "fake.good")[1] + call("show", "fake")[1]
    claims = catalog.claims("fake")
    edited = replace(claims["fake.good"], statement=sp.Le(sp.Symbol("eta", positive=True), 2, evaluate=False))
    monkeypatch.setitem(claims, "fake.good", edited)
    monkeypatch.setattr("rateproof.verify.stored.sources.fingerprint", lambda: "of the edited sources")
    out = call("list")[1]
    assert "[stale] eta <= 1" in out and out.endswith(f"1 {STALE}\n")
    said = f"printed supported {STALE}; rateproof check fake.good --update does it anew; this is what it was before"
    assert said in " ".join(call("show", "fake.good")[1].split())
    assert "fake.good  supported, stale" in call("show", "fake.top", "--graph")[1]
    assert f"1 {STALE}" in call("show", "fake")[1]
    assert [c["claim"] for c in json.loads(call("list", "--json")[1]) if c["stale"]] == ["fake.good"]
    assert call("check", "fake.good", "--jobs", "1", "--json")[0] == 0  # recomputed, and the same
    call("check", "fake.good", "--jobs", "1", "--update")
    assert "stale" not in call("list")[1]


def test_a_table_that_is_no_terminals_is_not_cut_whatever_columns_says(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    print_table([Column("a", width=3), Column("b", rest=True)], [("x" * 50, "a statement\nof two lines, " + "y" * 300)])
    head, rule, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["a"] and set(rule) == {"─"} and len(rule) <= 100  # the text stands under its row
    assert rows == ["x" * 50, "    a statement of two lines,", "    " + "y" * 300]
    print_table(
        [Column("a"), Column("b", rest=True)], [("x" * 9, "a statement that is folded somewhere here"), ("y", "")]
    )
    assert capsys.readouterr().out.splitlines()[2:] == [
        "x" * 9 + " a statement that is folded somewhere",
        " " * 10 + "here",
        "y",
    ]
    monkeypatch.delenv("COLUMNS")
    print_table([Column("a", width=3), Column("b", rest=True)], [("x" * 50, "a statement\nof two lines, " + "y" * 300)])
    assert capsys.readouterr().out.splitlines()[2] == "x" * 50 + " a statement of two lines, " + "y" * 300


# --- check


def test_check_reports_compares_and_updates(call, fake):
    code, out, err = call("check", "--jobs", "1", "--json")
    found = json.loads(out)
    assert code == 1 and "fake.good: new, supported, not in the baseline" in err
    assert [c["claim"] for c in found] == list(catalog.claims("fake")) and found[0].keys() >= FIELDS
    assert not fake.baseline.exists()
    code, out, err = call("check", "--jobs", "1", "--update")
    assert (code, err) == (0, "") and "the baseline is updated" in out
    assert "2 refuted" in out and "2 with a broken proof" in out
    assert "\x1b" not in out and "…" not in out  # no terminal: nothing is cut
    assert len(fake.baseline.read_text().splitlines()) == 10
    code, out, _ = call("check", "--jobs", "1")
    assert code == 0 and out.endswith("as in the baseline\n")


def test_a_change_for_the_worse_fails_and_names_old_and_new(call, fake):
    call("check", "--jobs", "1", "--update")
    before = fake.baseline.read_text()
    fake.set(bad="holds", ratio={"good": 0.75}, fail=[])
    code, out, _ = call("check", "--jobs", "1")
    assert code == 1
    assert "  - fake.bad: verdict was refuted, is supported\n" in out
    assert "  - fake.good: worst ratio was 0.5, is 0.75 (tolerance 1e-06)\n" in out
    assert "  + fake.raises: verdict was undecided, is supported\n" in out
    assert "2 changed for the worse or new, 2 for the better" in out
    assert fake.baseline.read_text() == before
    fake.set(fail=[])
    assert call("check", "--jobs", "1")[0] == 0  # better alone is no failure


def test_a_partial_check_updates_its_own_lines(call, fake):
    call("check", "--jobs", "1", "--update")
    fake.set(ratio={"good": 0.75, "bad": 3})
    assert call("check", "fake.good", "--jobs", "1", "--update")[0] == 0
    ratios = {c["claim"]: c["worst_ratio"] for c in json.loads(call("list", "--json")[1])}
    assert (ratios["fake.good"], ratios["fake.bad"], len(ratios)) == (0.75, 0.5, 10)


def test_an_update_keeps_the_multipliers_of_proofs_and_a_partial_one_those_of_others(call, fake):
    assert "hints" not in call("check", "--jobs", "1", "--json")[1] and not fake.proofs.exists()
    fake.set(good="proof")
    call("check", "--jobs", "1", "--update")
    assert "hints" not in fake.baseline.read_text()
    both = {"fake.good": {"good": ["1"]}, "fake.middle": {"middle": ["1"]}}
    assert proofs.read("fake") == both and fake.proofs.read_text().endswith("}\n")
    fake.set(good="proof", hint=2)
    call("check", "fake.good", "--jobs", "1", "--update")
    assert proofs.read("fake") == both | {"fake.good": {"good": ["2"]}}
    fake.set()
    call("check", "fake.good", "--jobs", "1", "--update")
    assert proofs.read("fake") == {"fake.middle": {"middle": ["1"]}}
    fake.set(middle="holds")
    call("check", "--jobs", "1", "--update")
    assert not fake.proofs.exists()


def test_a_partial_check_knows_the_broken_proofs_below_from_the_baseline(call):
    call("check", "--jobs", "1", "--update")
    (top,) = json.loads(call("check", "fake.top", "--jobs", "1", "--json")[1])
    assert top["proof_broken_by"] == ["fake.bad"]


def test_processes_give_the_results_of_one_process(paper_files):
    def verdicts(jobs: str) -> list[dict]:
        done = paper_files.run("check", "fake.good", "fake.top", "fake.raises", "fake.joint", "--jobs", jobs, "--json")
        assert done.returncode == 1 and "Traceback" not in done.stderr
        return [{k: v for k, v in c.items() if k != "seconds"} for c in json.loads(done.stdout)]

    assert verdicts("2") == verdicts("1")


def test_a_worker_that_dies_costs_only_its_own_claim(paper_files):
    paper_files.set(die=["good"])
    done = paper_files.run("check", "fake.good", "fake.bad", "fake.joint", "--jobs", "2", "--json")
    found = {c["claim"]: c for c in json.loads(done.stdout)}
    assert found["fake.good"]["verdict"] == "undecided" and "its process died" in found["fake.good"]["detail"]
    assert found["fake.bad"]["verdict"] == "refuted" and found["fake.joint"]["verdict"] == "supported"


def test_results_are_kept_and_resumed_only_when_asked(call, fake):
    call("check", "fake.good", "--jobs", "1")
    fake.set(ratio={"good": 0.75})

    def ratio(*options: str) -> float:
        return json.loads(call("check", "fake.good", "--jobs", "1", "--json", *options)[1])[0]["worst_ratio"]

    assert ratio("--resume") == 0.5
    assert ratio("--resume", "--seed", "1") == 0.75
    assert ratio() == 0.75
    assert ratio("--resume") == 0.75


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_finished_and_resume_goes_on(paper_files, jobs):
    paper_files.set(sleep={"joint.b": 60})
    running = subprocess.Popen(
        paper_files.command("check", "--jobs", jobs),
        env=paper_files.environment,
        cwd=paper_files.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a test run in the background of a shell inherits that Ctrl-C is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 50
    while _kept(paper_files) < 8 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the whole group
    out, err = running.communicate(timeout=30)
    kept = _kept(paper_files)
    assert running.returncode == 130
    assert out == "" and err.count("\n") == 1 and f"interrupted: {kept} of 10 claims are finished" in err
    assert "--resume" in err and 8 <= kept < 10
    with pytest.raises(ProcessLookupError):  # no worker is left behind
        _wait_for_group(running.pid)
    paper_files.set(ratio={"good": 0.75})
    done = paper_files.run("check", "--jobs", jobs, "--resume", "--json")
    ratios = {c["claim"]: c["worst_ratio"] for c in json.loads(done.stdout)}
    assert len(ratios) == 10 and ratios["fake.good"] == ratios["fake.joint.b"] == 0.5


def test_a_claim_that_is_finished_as_ctrl_c_comes_is_kept(call, fake, monkeypatch):
    def interrupted(self, claim_id):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("rateproof.verify.times.Left.after", interrupted)
        code, _, err = call("check", "fake.good", "--jobs", "1")
    assert code == 130 and "interrupted: 1 of 1 claims are finished" in err
    fake.set(ratio={"good": 0.75})
    _, out, _ = call("check", "fake.good", "--resume", "--json")
    assert json.loads(out)[0]["worst_ratio"] == 0.5


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_a_check_that_is_killed(paper_files, how):
    paper_files.set(sleep={"joint.b": 600})
    running = subprocess.Popen(
        paper_files.command("check", "--jobs", "2"),
        env=paper_files.environment,
        cwd=paper_files.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 50
        while _kept(paper_files) < 8 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert _kept(paper_files) >= 8  # one worker sleeps, the other one is idle or nearly so
        running.send_signal(how)  # to the parent alone
        running.communicate(timeout=30)  # the output ends with the last process that could write to it
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode == -how


def _kept(paper) -> int:
    try:
        db = sqlite3.connect(f"file:{paper.ledger}?mode=ro", uri=True)
        try:
            return int(db.execute("SELECT count(*) FROM results").fetchone()[0])
        finally:
            db.close()
    except sqlite3.Error:
        return 0


def _wait_for_group(group: int) -> None:
    for _ in range(100):
        os.killpg(group, 0)
        time.sleep(0.05)


def test_dask_without_its_package_is_one_line(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert_one_line(*call("check", "--dask", "tcp://localhost:1"), "'distributed'", "rateproof[dask]")


@pytest.mark.parametrize("written", ["1_0", "٣", "1_0/3"])
def test_a_number_is_written_in_ascii_digits(real, written):
    """As in a file; a name may have such signs."""
    for arguments in (
        ("run", "strfedavg", "--rounds", written),
        ("worstcase", "gradient-descent", "--set", f"n={written}"),
    ):
        assert_one_line(*real(*arguments), written, "digits 0 to 9")
    assert "digits" not in real("show", "strfedavg.lem_1")[2]


def _verdicts(found: str) -> dict[str, tuple[object, ...]]:
    """What a check says of each claim, in any order, but for the time that it took."""
    told = ("verdict", "level", "worst_ratio", "instances", "witness", "detail")
    return {c["claim"]: tuple(c.get(name) for name in told) for c in json.loads(found)}


def test_dask_finds_what_one_process_does_though_a_worker_is_killed(real, tmp_path):
    """A cluster of two processes on this machine, of which one dies while it works."""
    some = [f"textbook.{name}" for name in ("young", "descent_lemma", "jensen_powers", "subgradient", "gd_smooth")]
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
        local_directory=str(tmp_path),
        silence_logs=logging.CRITICAL,
    ) as cluster:
        address, killed = cluster.scheduler_address, []

        def kill() -> None:
            with Client(address) as client:
                processes = client.run(os.getpid)
                while not killed:
                    for worker in (worker for worker, tasks in client.processing().items() if tasks):
                        os.kill(processes[worker], signal.SIGKILL)
                        killed.append(worker)
                        break
                    time.sleep(0.01)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        code, out, err = real("check", *some, "--dask", address, "--json")
        killer.join(timeout=60)
    assert killed and code == 0, err
    assert _verdicts(out) == _verdicts(real("check", *some, "--jobs", "1", "--json")[1])


def test_a_scheduler_that_does_not_answer_is_named(real):
    assert_one_line(*real("check", "textbook.young", "--dask", "nowhere"), "nowhere", "tcp://host:8786")


# --- prove


def test_prove_prints_each_step_and_says_what_shows_it(real, tmp_path, monkeypatch):
    monkeypatch.setenv("RATEPROOF_HOME", str(tmp_path))
    code, out, err = real("prove", "textbook.gd_smooth")
    assert (code, err) == (0, "") and out.startswith("textbook.gd_smooth: proved, ")
    assert "\n(1) " in out and "    by " in out and "    = " in out and "stops" not in out
    code, out, _ = real("prove", "textbook.gd_smooth", "--json")
    found = json.loads(out)
    assert (code, found["proved"], found["level"], found["stopped"]) == (0, True, "certificate", None)
    assert [step["name"] for step in found["steps"]][-1] == "the statement"


def test_prove_says_where_a_proof_stops_and_what_is_missing(real, tmp_path, monkeypatch):
    monkeypatch.setenv("RATEPROOF_HOME", str(tmp_path))
    claim = catalog.get("textbook.gd_smooth")
    halved = replace(claim, statement=sp.Le(claim.statement.lhs, claim.statement.rhs / 2, evaluate=False))
    monkeypatch.setattr(catalog, "get", lambda name: halved)
    code, out, err = real("prove", "textbook.gd_smooth")
    count = len(claim.proof.steps) - 1
    assert (code, err) == (1, "") and out.startswith(f"textbook.gd_smooth: not proved, {count} steps shown\n")
    assert "\nstops at the statement: " in out and "\n    missing: " in out
    code, out, _ = real("prove", "textbook.gd_smooth", "--json")  # as kept
    stopped = json.loads(out)["stopped"]
    assert code == 1 and stopped["step"] == "the statement" and stopped["by"] and stopped["missing"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fake.good", ["fake.good has no proof in steps", "rateproof check fake.good"]),
        ("fake", ["fake is a paper", "one claim"]),
        ("fake.godo", ["unknown claim or paper 'fake.godo'", "fake.good"]),
    ],
)
def test_what_has_no_proof_is_one_line(call, name, words):
    assert_one_line(*call("prove", name), *words)


# --- damaged and unwritable places


@pytest.mark.parametrize("command", [["check", "--update"], ["list"], ["show", "fake.good"]])
def test_a_damaged_baseline_is_named_and_never_overwritten(call, fake, command):
    fake.baseline.write_text('{"claim": "fake.good", "verd')
    assert_one_line(*call(*command), "baseline.jsonl", "half-written", "nothing was overwritten")
    assert fake.baseline.read_text() == '{"claim": "fake.good", "verd'


@pytest.mark.parametrize("line", ["{", "[]\n", '{"claim": "fake.good"}\n', '{"claim": "x", "hints": {"a": "1"}}\n'])
def test_damaged_proofs_are_named_and_never_overwritten(call, fake, line):
    fake.proofs.write_text(line)
    assert_one_line(*call("check", "--update"), "proofs.jsonl", "nothing was overwritten")
    assert fake.proofs.read_text() == line


@pytest.mark.parametrize("options", [[], ["--resume"], ["--update"]])
def test_a_damaged_ledger_is_named_and_never_overwritten(call, fake, options):
    fake.home.mkdir()
    fake.ledger.write_bytes(b"garbage " * 200)
    assert_one_line(*call("check", "--jobs", "1", *options), "runs.sqlite", "damaged", "move it away")
    assert fake.ledger.read_bytes() == b"garbage " * 200 and not fake.baseline.exists()


def test_damage_from_a_shell(paper_files):
    paper_files.baseline.write_text("<<<<<<< HEAD\n")
    done = paper_files.run("check", "--update")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "line 1" in done.stderr


def test_a_ledger_that_cannot_be_written_does_not_cost_the_verdicts(call, fake):
    fake.home.write_text("a file where the folder should be")
    code, out, err = call("check", "fake.good", "--jobs", "1", "--json")
    assert code == 1 and json.loads(out)[0]["verdict"] == "supported"  # 1: it is not in the baseline
    assert "results are not kept" in err and "RATEPROOF_HOME" in err and "Traceback" not in err


def test_a_ledger_that_fills_up_midway_does_not_cost_the_verdicts(call, monkeypatch):
    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("rateproof.verify.stored.ledger.Ledger.put", full)
    code, out, err = call("check", "fake.good", "fake.bad", "--jobs", "1", "--json")
    assert code == 1 and len(json.loads(out)) == 2 and err.count("disk full") == 1


def test_a_folder_that_cannot_be_written_leaves_a_good_check_good(call, fake, monkeypatch):
    call("check", "--jobs", "1", "--update")

    def refused(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("rateproof.verify.stored.ledger.Ledger", refused)
    code, out, err = call("check", "fake.good", "--jobs", "1")
    assert code == 0 and "as in the baseline" in out
    assert err.count("\n") == 1 and "results are not kept" in err and "Permission denied" in err


def test_a_baseline_that_cannot_be_written_is_one_line_after_the_verdicts(call, fake, monkeypatch):
    call("check", "--jobs", "1", "--update")
    before = fake.baseline.read_text()
    fake.set(bad="holds")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    code, out, err = call("check", "--jobs", "1", "--update")
    assert code == 2 and "fake.bad" in out and fake.baseline.read_text() == before
    assert err.count("\n") == 1 and "baseline.jsonl cannot be written: Permission denied" in err


# --- run

STEP = ("--set", "gamma_l=0.1", "--set", "eta=0.1")
RUN = ("run", "StRFedAvg", "--problem", "diagonal_selection", "--rounds", "20")


def test_run_prints_statistics_and_counts(call):
    code, out, err = call(*RUN, *STEP, "--set", "sigma_h=1", "--set", "K=3", "--set", "S=1", "--runs", "4")
    assert (code, err) == (0, "") and "mean over 4 runs" in out and "20 vectors up" in out
    report = json.loads(call(*RUN, *STEP, "--set", "sigma_h=1", "--runs", "4", "--json")[1])
    assert report["rounds"][-1] == 20 and report["counts"]["rounds"] == 20 and report["runs"] == 4
    gap = report["average"]["h - h*"]
    assert len(gap["mean"]) == len(gap["se"]) == len(report["rounds"]) and gap["mean"][-1] > 0 and gap["se"][-1] > 0
    assert report["parameters"]["gamma_g"] == 1 and report["parameters"]["S"] == 2


def test_run_is_reproducible_and_follows_the_seed(call):
    noisy = (*RUN, *STEP, "--set", "sigma_h=1", "--json")
    assert call(*noisy) == call(*noisy)
    assert call(*noisy)[1] != call(*noisy, "--seed", "1")[1]


def test_run_gap_is_measured_from_the_exact_solution(call):
    report = json.loads(call(*RUN, *STEP, "--set", "x0=[0,1]", "--json")[1])
    assert report["average"]["f - f*"]["mean"][0] == pytest.approx(0, abs=1e-12)  # x* = (0, 1) for the defaults
    assert report["average"]["dist"]["mean"][0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["StR-FedAvg", "strfedavg", "st_rfedavg"])
def test_names_of_methods_and_families_are_forgiving(call, name):
    assert call("run", name, "--problem", "Diagonal-Selection", "--rounds", "2", *STEP)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "StRFedAv", *RUN[2:], *STEP], ["unknown method 'StRFedAv'", "StRFedAvg"]),
        (["run", "StRFedAvg", "--problem", "diagonal", "--rounds", "2"], ["unknown family", "diagonal_selection"]),
        ([*RUN[:4], *STEP], ["--rounds"]),
        ([*RUN[:4], *STEP, "--rounds", "0"], ["--rounds", "x>=1"]),
        ([*RUN[:4], *STEP, "--rounds", "many"], ["--rounds", "'many'"]),
        ([*RUN, *STEP, "--runs", "0"], ["--runs", "x>=1"]),
        ([*RUN], ["needs gamma_l, eta", "--set gamma_l=value"]),
        ([*RUN, *STEP, "--set", "gama_g=2"], ["unknown parameter 'gama_g'", "gamma_g"]),
        ([*RUN, *STEP, "--set", "K"], ["'K'", "name=value"]),
        ([*RUN, *STEP, "--set", "K=2", "--set", "K=3"], ["K is set twice"]),
        ([*RUN, *STEP, "--set", "K=0"], ["K is 0", "at least 1"]),
        ([*RUN, *STEP, "--set", "K=2.5"], ["K is 2.5", "whole number"]),
        ([*RUN, *STEP, "--set", "K=many"], ["K is 'many'", "number"]),
        ([*RUN, *STEP, "--set", "S=3"], ["S is 3", "N = 2"]),
        ([*RUN, *STEP, "--set", "S=0"], ["S is 0", "at least 1"]),
        ([*RUN, *STEP, "--set", "gamma_g=-1"], ["gamma_g is -1", "positive"]),
        ([*RUN, *STEP, "--set", "gamma_g=nan"], ["gamma_g is nan", "finite"]),
        ([*RUN, *STEP, "--set", "L_h=inf"], ["L_h is inf", "finite"]),
        ([*RUN, *STEP, "--set", "c=[1,NaN]"], ["c is [1,NaN]", "finite"]),
        ([*RUN, *STEP, "--set", "L_h=-1"], ["L_h", "positive"]),
        ([*RUN, *STEP, "--set", "L_h=[1,2]"], ["L_h is [1, 2]", "one number"]),
        ([*RUN, *STEP, "--set", "sigma_h=-1"], ["sigma_h is -1", "at least 0"]),
        ([*RUN, *STEP, "--set", "noise=gausian"], ["unknown noise", "gaussian"]),
        ([*RUN, *STEP, "--set", "noise=two_point", "--set", "batch_size=2"], ["batch_size", "two_point"]),
        ([*RUN, *STEP, "--set", "avg_normaliser=Q"], ["avg_normaliser", "'Q'", "R-1"]),
        ([*RUN, *STEP, "--set", "index_convention=printd"], ["printd", "printed"]),
        ([*RUN, *STEP, "--set", "d=[1,2,3]"], ["d", "shape"]),
        ([*RUN, *STEP, "--set", "d=[[1],[2,3]]"], ["rateproof"]),
        ([*RUN, *STEP, "--set", "x0=[1,2,3]"], ["x0 has shape (3,)", "n = 2"]),
        ([*RUN, *STEP, "--set", "x0=origin"], ["x0 is 'origin'"]),
        ([*RUN, "--schedule", "S-x"], ["unknown schedule 'S-x'"]),
        ([*RUN, *STEP, "--out", "result.txt"], ["result.txt", ".json or .csv"]),
        ([*RUN, *STEP, "--out", "nowhere/result.csv"], ["nowhere", "create it first"]),
        ([*RUN, *STEP, "--plot", "result.gif"], ["result.gif", ".png"]),
    ],
)
def test_bad_runs_get_one_line(call, arguments, words):
    assert_one_line(*call(*arguments), *words)


def test_run_writes_json_csv_and_a_picture(call, fake):
    noisy = (*RUN, *STEP, "--set", "sigma_h=1", "--runs", "3")
    code, _, err = call(*noisy, "--out", "r.csv", "--plot", "r.png")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO((fake.root / "r.csv").read_text())))
    assert [r["round"] for r in rows][-1] == "20" and float(rows[-1]["average h - h* se"]) > 0
    assert (fake.root / "r.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    call(*noisy, "--out", "r.json")
    assert json.loads((fake.root / "r.json").read_text())["problem"] == "diagonal_selection"


def test_run_says_where_it_cannot_write_and_has_printed_before(call, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    code, out, err = call(*RUN, *STEP, "--out", "r.csv")
    assert code == 2 and "per run:" in out and err.count("\n") == 1 and "Permission denied" in err


def test_a_plot_without_matplotlib_is_refused_before_the_run(call, monkeypatch):
    monkeypatch.setattr("rateproof.verify.commands.run._installed", lambda name: False)
    assert_one_line(*call(*RUN, *STEP, "--plot", "r.png"), "matplotlib", "rateproof[plot]")


# Schedules belong to a paper; these calls see the real catalog.


def test_an_inadmissible_schedule_says_what_fails_by_how_much_and_runs_only_by_force(real):
    scheduled = (*RUN, "--schedule", "S-sc", "--set", "p=2", "--json")
    assert_one_line(*real(*scheduled), "S-sc is not admissible", "R = 20 should be >= ", "off by a factor", "--force")
    code, out, _ = real(*scheduled, "--force")
    report = json.loads(out)
    assert code == 0 and len(report["conditions_ignored"]) == 2 and report["schedule"] == "S-sc"
    given = report["parameters"]
    assert given["gamma_l"] == pytest.approx(20 ** (-2 / 3)) and given["eta"] == pytest.approx(
        2 * math.log(20) / 20 ** (1 / 3)
    )
    assert given["theta"] == pytest.approx(1 / (1 - given["eta"] * given["gamma_l"] / 2))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--schedule", "S-sc"], ["p", "p=value"]),
        (["--schedule", "S-sc", "--set", "p=0.5"], ["S-sc needs p >= 1", "p = 0.5"]),
        (["--schedule", "S-c", "--set", "a=0.25", "--set", "b=0.5"], ["b < a"]),
        (["--schedule", "S-c", "--set", "eta=0.1"], ["eta is set by schedule S-c"]),
        (["--schedule", "S-c", "--set", "a=nan"], ["a is nan"]),
        (["--schedule", "S-c", "--set", "a=x"], ["a is 'x'", "number"]),
        (["--schedule", "S-exp"], ["Gamma"]),
        (["--schedule", "S-exp", "--set", "Gamma=-1"], ["Gamma = -1"]),
    ],
)
def test_bad_schedules_get_one_line(real, arguments, words):
    assert_one_line(*real(*RUN, *arguments), *words)


def test_a_schedule_that_divides_by_mu_needs_strong_convexity(real):
    flat = ("run", "StRFedAvg", "--problem", "degenerate", "--set", "curvature=0", "--rounds", "9")
    assert_one_line(*real(*flat, "--schedule", "S-sc", "--set", "p=2"), "needs mu_f > 0", "mu_f = 0")


def test_constants_that_a_schedule_does_not_use_may_be_unknown_or_infinite(real):
    sampled = ("run", "StRFedAvg", "--problem", "diabetes", "--set", "features=250", "--set", "batch_size=2")
    code, out, _ = real(*sampled, "--set", "outer=huber", "--rounds", "3", "--schedule", "S-exp", "--set", "Gamma=9")
    assert code == 0 and "does not hold here" in out and "variance_bounded" in out
    free = ("run", "StRFedAvg", "--problem", "degenerate", "--set", "eta=0.5", "--rounds", "3", "--schedule", "S-c-1")
    code, out, _ = real(*free, "--force", "--json")
    assert code == 0 and not any("alpha" in c for c in json.loads(out)["conditions_ignored"])


def test_a_run_that_diverges_is_a_result_and_says_so(call):
    code, out, err = call(*RUN[:4], "--rounds", "400", "--set", "gamma_l=1e9", "--set", "eta=1")
    assert (code, err) == (0, "") and "diverged" in out


def test_the_experimental_schedule_sets_all_stepsizes(real):
    given = json.loads(real(*RUN, "--schedule", "S-exp", "--set", "Gamma=5", "--json")[1])["parameters"]
    assert given["gamma_g"] == pytest.approx(2**0.5) and given["gamma_l"] == pytest.approx(0.2)
    assert given["eta"] == pytest.approx(25**-0.25) and given["theta"] == 1


# --- score and doctor


def test_score_prints_shares_and_fails_when_a_true_claim_is_accused(call, fake, monkeypatch):
    def found(refuted: int, verdict: Verdict) -> score.Score:
        true = score.Row("fake.a", "", verdict, verdict is Verdict.PROVED, 1.0, "x")
        planted = [score.Row("fake.a", f"x{i}", Verdict.REFUTED, i < refuted, None, "") for i in range(20)]
        return score.Score((true, *planted))

    def run(refuted: int, verdict: Verdict, *options: str) -> tuple[int, str, str]:
        monkeypatch.setattr(score, "score", lambda seed, progress, *, count, only: found(refuted, verdict))
        return call("score", *options)

    code, out, _ = run(19, Verdict.PROVED)
    assert code == 1 and "worse or new: fake.a: not among the committed scores" in out
    code, out, _ = run(19, Verdict.PROVED, "--update")
    assert code == 0 and "refuted: 19 of 20 (95.0%)" in out and "accused: 0 of 1" in out
    assert "wrong: fake.a with x19" in out
    assert run(19, Verdict.PROVED)[0] == 0
    code, out, _ = run(20, Verdict.PROVED)
    assert code == 0 and "better: fake.a: planted errors refuted were 19 of 20, are 20 of 20" in out
    assert run(18, Verdict.PROVED)[0] == 1 and run(18, Verdict.PROVED, "--update")[0] == 1
    code, out, _ = run(20, Verdict.REFUTED, "--json")
    said = json.loads(out)
    assert code == 1 and (said["mutants"], said["refuted"], said["true_claims"], said["accused"]) == (20, 20, 1, 1)


def test_score_of_named_claims_leaves_the_scores_of_others_as_they_are(call, fake, monkeypatch):
    def found(seed, progress, *, count, only):
        rows = ((i, mutant) for i in only or ("fake.good", "fake.bad") for mutant in ("", "x0"))
        right = {"": Verdict.PROVED, "x0": Verdict.REFUTED}
        return score.Score(tuple(score.Row(i, mutant, right[mutant], True, 1.0, "") for i, mutant in rows))

    monkeypatch.setattr(score, "score", found)
    monkeypatch.setattr(score, "theorems", lambda: {"fake.good": None, "fake.bad": None})
    assert call("score", "fake.bad", "--update")[0] == 0
    code, out, _ = call("score", "fake")
    assert code == 1 and "fake.good: not among the committed scores" in out and "fake.bad" not in out.split("new:")[1]
    assert call("score", "fake.good", "--update")[0] == 0 and call("score")[0] == 0
    code, _, err = call("score", "fake.top")
    assert code == 2 and "a score asks for a claim that is known to be true and is a bound" in err
    assert call("score", "fake.nothing")[0] == 2


def test_score_of_deletions_names_what_stands_and_fails_when_more_does(call, fake, monkeypatch):
    def run(fate: Fate, *options: str) -> tuple[int, str, str]:
        cuts = [
            Cut("fake.a", term, Verdict.SUPPORTED, kind, Fate.STANDS, 1.0)
            for term, kind in (("x", fate), ("y", Fate.REFUTED))
        ]
        monkeypatch.setattr(
            "rateproof.verify.planted.deletions.deletions", lambda seed, progress, *, only: Cuts(tuple(cuts))
        )
        return call("score", "--deletions", *options)

    code, out, _ = run(Fate.REFUTED, "--update")
    assert code == 0 and "terms of supported bounds whose deletion is refuted or shown true: 2 of 2 (100.0%)" in out
    assert run(Fate.SHOWN)[0] == 0
    code, out, _ = run(Fate.STANDS)
    assert code == 1 and "stands: fake.a without x" in out and "worse or new: fake.a: stands without x" in out
    code, out, _ = run(Fate.STANDS, "--json")
    said = json.loads(out)
    assert said["supported"] == {"terms": 2, "refuted": 1, "shown true": 0, "stands": 1, "halves_refuted": 0}
    assert said["holes"] == [{"claim": "fake.a", "term": "x"}] and said["changes"] == ["fake.a: stands without x"]


def test_doctor_says_what_is_there(call, fake):
    code, out, _ = call("doctor", "--json")
    found = json.loads(out)
    assert code == 0 and "CLARABEL" in found["solvers"] and found["versions"]["numpy"]
    assert found["baselines"] == {"fake": "0 of 10 claims"} and "none yet" in found["ledger"]
    assert all(p.endswith(name) for name, p in found["packages"].items())
    fake.home.mkdir()
    fake.ledger.write_bytes(b"garbage " * 200)
    fake.baseline.write_text("x")
    code, out, _ = call("doctor")
    assert code == 0 and "damaged" in out and "half-written" in out


def test_doctor_lists_what_an_author_may_write(call):
    code, out, err = call("doctor", "--vocabulary")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    for word, kind in {
        "StronglyConvex(of, mu)": "assumptions, in says= of a hypothesis",
        "together": "fields of a Setting",
        "SampleMean(of, over, draw)": "what they are made of",
        "induct(name, goal, over=, start=, last=, base=, by=, multipliers=)": "steps of a Proof",
        "cite(claim, at=, points=, vectors=)": "grounds, in by= of a step",
        "supposed(key, at=)": "grounds, in by= of a step",
        "smooth_convex(of, *points)": "rules, which are grounds",
        "amended(printed, why, text=, part=, follows_from=, explicit=, **changes)": "claims",
        "at_bound(*multiples)": "ranges of a family",
        "parabola(c)": "parts of a family",
        "family(name, [twin], [outcomes], **ranges)": "families and records",
        "LocalSteps.noise(source, step, client=)": "runs in vectors, in floats",
    }.items():
        (at,) = (i for i, line in enumerate(lines) if line.startswith(f"  {word} "))
        assert next(line for line in lines[at::-1] if not line.startswith(" ")) == kind


def test_the_vocabulary_is_complete_and_says_what_each_word_is(call):
    found = json.loads(call("doctor", "--vocabulary", "--json")[1])
    assert {*found["fields of a Setting"]} == {f.name for f in fields(Setting)}
    steps = {text.partition("(")[0] for text in found["steps of a Proof"]}
    rules = {text.partition("(")[0] for text in found["rules, which are grounds"]}
    assert not steps & {"cite", "supposed"} and rules == RULES.keys() - {"sequences"}
    exported = {name for name in proof.__all__ if name.islower()} - {"check"}
    grounds = {text.partition("(")[0] for text in found["grounds, in by= of a step"]}
    assert exported <= steps | rules | grounds
    for words in found.values():
        for word, says in words.items():
            assert says.endswith(".") and "\n" not in f"{word}{says}", word


def test_doctor_finds_the_data_files(call, tmp_path, monkeypatch):
    monkeypatch.setenv("RATEPROOF_DATA", str(tmp_path))
    monkeypatch.setattr(doctor, "version", lambda name: None)
    missing = json.loads(call("doctor", "--json")[1])["data"]
    assert "not found" in missing["mnist_5k"] and str(tmp_path) in missing["mnist_5k"]
    for name in ("mnist_5k.csv.gz", "montevideo_bus.json.gz"):
        (tmp_path / name).write_bytes(b"")
    found = json.loads(call("doctor", "--json")[1])["data"]
    assert found["mnist_5k"] == str(tmp_path / "mnist_5k.csv.gz")
    assert found["montevideo_bus"] == str(tmp_path / "montevideo_bus.json.gz")


def test_a_part_that_is_also_followed_stands_once_in_the_tree():
    def claim(name: str, *rests: str) -> Claim:
        return Claim(f"own.{name}", Source("own", "Lemma", ""), Kind.PROPERTY, "in words", None, follows_from=rests)

    claims = {c.id: c for c in (claim("whole", "own.whole.part"), claim("whole.part"))}
    assert ProofGraph(claims, {}).below("own.whole") == ["own.whole.part"]


def test_every_command_has_help():
    with click.Context(cli.cli) as context:
        for name in cli.cli.list_commands(context):
            assert cli.execute([name, "--help"]) == 0


def test_a_lack_of_memory_is_bad_input(call, monkeypatch):
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 745. GiB")

    monkeypatch.setattr("rateproof.verify.experiments.experiment.build", greedy)
    assert_one_line(*call(*RUN, *STEP), "out of memory", "745. GiB", "something smaller")


def test_a_target_that_cannot_be_written_is_refused_before_the_run(call, tmp_path, monkeypatch):
    monkeypatch.setattr("rateproof.algos.engine.run", lambda *_, **__: pytest.fail("the run began"))
    assert_one_line(*call(*RUN, *STEP, "--out", f"{tmp_path}/x.json/y.json"), "--out", "create it first")
    (tmp_path / "r.json").mkdir()
    assert_one_line(*call(*RUN, *STEP, "--out", f"{tmp_path}/r.json"), "--out", "is a directory")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.touch", refuse)
    assert_one_line(*call(*RUN, *STEP, "--plot", "r.png"), "--plot r.png cannot be written: Permission denied")


def test_what_can_be_run_is_listed(real):
    code, out, _ = real("run", "--list")
    lines = out.splitlines()
    assert code == 0 and "\x1b" not in out
    assert any(line.split()[:3] == ["FedRZO_nn", "gamma,", "eta,"] and "T=None" in line for line in lines)
    assert not any(line.split()[:1] == ["FedRZO"] for line in lines)  # Algorithm 1 has one name
    assert any(line.split()[:2] == ["diagonal_selection", "c=[-1.0,1.0],"] for line in lines)
    assert any(line.split()[:3] == ["S-com", "sets", "gamma,"] and "K_it=<of the run>" in line for line in lines)
    counted = [int(line.split(": ")[1]) for line in lines if not line.startswith(" ") and ": " in line]
    assert sum(counted) == sum(line.startswith("  ") for line in lines)
    assert "sets gamma = " in real("run", "s-bl.i", "--list")[1]
    assert "class Bilevel" in real("run", "FEDRZO_BL", "--list")[1]
    described = real("run", "FedMBO", "--list")[1]
    assert "runs on problems of class SmoothBilevel: hyper_cleaning, " in described and "`" not in described
    assert_one_line(*real("run", "fedrzo_b", "--list"), "unknown method, family or schedule", "FedRZO_bl")
    assert_one_line(*real("run"), "Missing argument 'METHOD'", "run --list")
    assert_one_line(*real("run", "FedAvg"), "Missing option '--problem'", "run --list")


@pytest.mark.parametrize("name", ["strfedavg", "fedavg"])
def test_every_method_runs_on_a_family(call, name):
    step = ["--set", "gamma_l=0.1", "--set", "K=2", "--set", "S=2"]
    extra = ["--set", "gamma_g=1", "--set", "eta=0.1"] if name == "strfedavg" else []
    code, out, _ = call("run", name, "--problem", "diagonal_selection", "--rounds", "3", "--json", *step, *extra)
    assert code == 0, out
    assert json.loads(out)


LONG_NUMBER = "9" * 400
TOO_LARGE = ("run", "StRFedAvg", "--problem", "diagonal_selection", "--rounds", "2", "--set", "eta=0.1", "--set")
TO_TUNE = ("tune", "strfedavg.thm2.i-1", "--rounds", "1e3", "--set")


@pytest.mark.parametrize(
    "arguments",
    [
        (*TOO_LARGE, f"gamma_l={LONG_NUMBER}"),
        (*TOO_LARGE, f"gamma_l=[-{LONG_NUMBER}]"),
        (*TOO_LARGE, "gamma_l=0.1", "--set", f"K={LONG_NUMBER}"),
        (*TOO_LARGE, "gamma_l=0.1", "--set", f"x0=[1, -{LONG_NUMBER}]"),
        (*TOO_LARGE, "gamma_l=0.1", "--set", "c=[1e308,1e308]"),
        (*TO_TUNE, f"mu_f={LONG_NUMBER}"),
        (*TO_TUNE, "L_h=1e308"),
        (*TO_TUNE, "L_h=1e999999999"),
        (*TO_TUNE, f"L_h=1/{LONG_NUMBER}"),
        (*TO_TUNE, "N=1e20"),
        (*TO_TUNE, "N=" + "9" * 5000),
        ("check", "textbook.young", "--seed", LONG_NUMBER),
        ("list", "--paper", "9" * 5000),
    ],
)
def test_numbers_that_are_too_large_are_one_line(capsys, arguments):
    code = cli.execute(arguments)
    out, err = capsys.readouterr()
    assert_one_line(code, out, err)
    assert "internal" not in err and len(err) < 1000
