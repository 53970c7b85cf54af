"""What the README and the documentation show must run and be true."""

import re
import shlex
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rateproof import __version__
from rateproof.theory import catalog
from rateproof.verify.cli import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "notebooks" / "docs"
PAGES = [README, *sorted(p for p in DOCS.rglob("*.md") if "made" not in p.parts)]
NAMES = [str(p.relative_to(ROOT)) for p in PAGES]
LINKED = re.compile(r"\]\((?!https?:)([^)#]+)\)|\{doc\}`([^`]+)`")


def text(page):
    return page.read_text(encoding="utf-8")


def blocks(page, kind):
    """The fenced blocks of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text(page), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.stem)
def test_the_python_of_a_page_runs_and_prints_what_the_page_says(page, capsys):
    names = {}
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text(page), flags=re.DOTALL | re.MULTILINE)
    for code, said in found:
        exec(compile(code, str(page), "exec"), names)
        assert capsys.readouterr().out == said


def commands(page):
    """The commands of a page that are ours, as arguments, without the words behind them."""
    shown = [line for block in blocks(page, "console") for line in block.splitlines()]
    shown += re.findall(r"`(rateproof [a-z]+ [^`]*)`", text(page))
    for line in shown:
        bare = re.split(r"\s{2,}|\s#", line.strip())[0]
        if bare.startswith("rateproof ") and not re.search(r"\b[A-Z]{4,}\b|\.\.\.|\|", bare):
            yield tuple(shlex.split(bare)[1:])


COMMANDS = sorted({(one, name) for page, name in zip(PAGES, NAMES, strict=True) for one in commands(page)})


@pytest.mark.parametrize(("arguments", "page"), COMMANDS, ids=[" ".join(one) for one, _ in COMMANDS])
def test_a_command_that_is_shown_exists(arguments, page, tmp_path, monkeypatch):
    """It has these options, and the claims and papers that it names exist; of files that it reads, any do."""
    monkeypatch.chdir(tmp_path)
    for file in re.findall(r"[\w.]+\.(?:json|py)\b", " ".join(arguments)):
        Path(file).touch()
    options = list(arguments)
    if "--papers" in options:  # a paper that does not exist yet: another one stands for it
        at = options.index("--papers")
        mine = options[at + 1]
        options = ["textbook" if word.partition(".")[0] == mine else word for word in options]
        del options[at : at + 2]
    with cli.make_context("rateproof", options) as context:
        name, command, rest = cli.resolve_command(context, context._protected_args + context.args)
        with command.make_context(name, rest, parent=context):
            pass
    for word in options[1:]:
        paper = word.partition(".")[0]
        if paper in catalog.papers():
            assert catalog.select([word])


FIVE = [one for one in commands(README) if one != ("rateproof",)]


@pytest.mark.parametrize("arguments", FIVE, ids=" ".join)
def test_the_commands_to_try_run(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert len(done.stdout) > 100


def test_there_are_five_commands_to_try():
    assert len(FIVE) == 5


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    for file, doc in LINKED.findall(text(page)):
        targets = [page.parent / name for name in ((file,) if file else (f"{doc}.md", f"{doc}.ipynb"))]
        assert any(target.exists() for target in targets), f"{page}: {file or doc}"


def test_the_readme_is_short():
    assert len(text(README).splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_page_is_in_the_contents(page):
    listed = [one for p in PAGES for block in blocks(p, r"\{toctree\}") for one in block.split()]
    assert page in (README, DOCS / "index.md") or any(page.stem == Path(one).name for one in listed)


def test_the_version_is_one():
    assert f"version: {__version__}" in text(ROOT / "CITATION.cff")
    assert f"## {__version__}" in text(ROOT / "CHANGELOG.md")


def test_commands_are_those_of_click():
    """The page of the commands is made of these."""
    assert all(isinstance(one, click.Command) and one.help for one in cli.commands.values())


def test_the_commands_without_json_are_named():
    (said,) = re.findall(r"Every command but (.*?) takes `--json`", text(DOCS / "howto" / "read.md"), flags=re.DOTALL)
    without = {name for name, one in cli.commands.items() if not any("--json" in p.opts for p in one.params)}
    assert set(re.findall(r"`(\w+)`", said)) == without


def test_counts_match_the_baseline():
    from rateproof.verify.evidence import strengths
    from rateproof.verify.stored import baseline

    entries = [e for paper in catalog.papers() for e in baseline.read(paper).values()]
    verdicts = [str(e.result.verdict) for e in entries]
    (line,) = re.findall(r"^ +(\d+ claims: .*)$", text(README), flags=re.MULTILINE)
    shown = {name: int(count) for count, name in re.findall(r"(\d+) ([a-z]+)[,;]", line)}
    assert int(line.split()[0]) == len(entries)
    for name in ("proved", "supported", "refuted", "inconsistent", "vacuous", "undecided", "unchecked"):
        assert shown[name] == verdicts.count(name), name
    broken = sum(bool(e.result.proof_broken_by) for e in entries)
    assert f"{broken} with a broken proof" in line
    proved = [e.result for e in entries if str(e.result.verdict) == "proved"]
    assert strengths((r.level, bool(r.untried)) for r in proved) in text(README)
    for title, among in (
        ("read kindly", [e.result.kindly for e in entries]),
        ("severity of the broken", [e.result.severity for e in entries if e.result.severity]),
    ):
        (line,) = re.findall(rf"^ +{title}: (.*)$", text(README), flags=re.MULTILINE)
        assert {name: int(count) for count, name in re.findall(r"(\d+) ([a-z]+)", line)} == Counter(map(str, among))
