"""What checks are expected to take, in which order they come, and what is said to be left."""

import io
import json
import sqlite3
from dataclasses import replace

import pytest

from rateproof.theory import catalog
from rateproof.verify import times
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.pages import render
from rateproof.verify.runner import run_checks
from rateproof.verify.stored.ledger import Ledger
from rateproof.verify.times import Left, expected

QUICK = Budget()


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands; set ``now`` of it."""
    now = [100.0]
    monkeypatch.setattr(times.time, "monotonic", lambda: now[0])
    return now


def test_what_is_recorded_is_expected_and_else_the_longer_proof_is_the_longer_check():
    claims = [catalog.get(i) for i in ("textbook.young_powers", "textbook.descent_lemma", "textbook.gd_smooth")]
    none, short, long = expected(claims, {}).values()
    assert 0 < none < short < long
    assert expected(claims, {"textbook.descent_lemma": 7.0})["textbook.descent_lemma"] == 7.0


def test_what_is_left_is_expected_at_the_pace_of_this_run(clock):
    left = Left({"a": 1000.0, "b": 600.0, "c": 300.0}, jobs=2)
    clock[0] += 500.0
    assert left.after("a") == "about 10 min left"  # as fast as was expected; the longest check runs in one process
    left = Left({"a": 1000.0, "b": 300.0, "c": 300.0}, jobs=2)
    clock[0] += 1500.0
    assert left.after("a") == "about 15 min left"  # three times as slow
    assert left.after("b").endswith(" min left") and left.after("c") == ""
    left = Left({"a": 1.0, "b": 20.0}, jobs=1)
    clock[0] += 11.0
    assert left.after("a") == "about 38 s left"  # one second says little about the pace


def test_the_ledger_knows_what_checks_took_last(fake):
    good = check_claim(catalog.get("fake.good"), QUICK)
    assert 0 < good.seconds < 5
    with Ledger(fake.ledger) as ledger:
        assert ledger.seconds(QUICK) == {}
        for name, took in (("good", 3.0), ("good", 2.0), ("bad", 5.0), ("top", 0.0), ("middle", 1.0)):
            ledger.put(replace(good, claim=f"fake.{name}", seconds=took), QUICK)
        ledger.put(replace(good, seconds=60.0), Budget("full"))
        with sqlite3.connect(fake.ledger) as other:
            other.execute("UPDATE results SET result = '{' WHERE claim = 'fake.middle'")
        other.close()
        assert ledger.seconds(QUICK) == {"fake.good": 2.0, "fake.bad": 5.0}
        assert ledger.seconds(Budget("full")) == {"fake.good": 60.0}


def test_what_is_quick_comes_first(fake):
    seconds = {"fake.good": 3.0, "fake.bad": 1.0, "fake.top": 2.0}
    claims = map(catalog.get, seconds)
    assert [r.claim for r in run_checks(claims, seconds, QUICK)] == ["fake.bad", "fake.top", "fake.good"]


def test_what_is_left_is_told_on_stderr_alone(fake, call, monkeypatch):
    before = json.loads(call("check", "--jobs", "1", "--json")[1])
    monkeypatch.setattr(render, "BETWEEN", 0.0)
    _, out, err = call("check", "--jobs", "1", "--json")
    assert [c | {"seconds": 0} for c in json.loads(out)] == [c | {"seconds": 0} for c in before]
    lines = [line for line in err.splitlines() if " left" in line]
    assert lines[0].startswith("rateproof: 1 of 10 done, about ") and len(lines) == 9


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self):
        return True


def test_a_terminal_sees_verdicts_as_they_come_above_what_is_left(monkeypatch):
    monkeypatch.setattr("sys.stderr", seen := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with render.progress("starting", 2, "about 3 min left") as step:
        step("fake.good", "about 20 s left", "supported")
    said = seen.getvalue()
    assert said.index("about 3 min left") < said.index("fake.good  supported") < said.index("about 20 s left")


def test_a_long_run_says_at_once_how_long_it_takes(capsys):
    for left in ("about 3 min left", "about 20 s left"):
        with render.progress("starting", 240, left):
            pass
    assert capsys.readouterr().err == "rateproof: 240 to do, about 3 min left\n"
