"""The SQLite ledger of runs and the committed baseline: what is kept, what is refused, what counts as a change."""

import json
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from rateproof.theory import catalog
from rateproof.theory.digest import digest
from rateproof.verify.checks import Budget, check_claim, failed, finish
from rateproof.verify.evidence import Level, Verdict
from rateproof.verify.stored import baseline, implied
from rateproof.verify.stored.baseline import Entry, compare, updated
from rateproof.verify.stored.files import LedgerError, write_atomically
from rateproof.verify.stored.ledger import Ledger, default_path
from rateproof.verify.stored.sources import baseline_path, fingerprint, hashed

QUICK = Budget()


@pytest.fixture
def good(fake):
    return check_claim(catalog.get("fake.good"), QUICK)


def entries(results) -> dict[str, Entry]:
    claims = catalog.claims("fake")
    return {r.claim: Entry(r, "quick", 0, digest(claims[r.claim]) if r.claim in claims else "") for r in results}


# --- runs


def test_results_come_back_for_the_same_tier_seed_and_sources_only(fake, good, monkeypatch):
    with Ledger(fake.ledger) as ledger:
        ledger.put(good, QUICK)
        assert ledger.finished(["fake.good", "fake.bad"], QUICK) == {"fake.good": good}
        assert ledger.finished(["fake.bad"], QUICK) == {}
        assert ledger.finished(["fake.good"], Budget("full")) == {}
        assert ledger.finished(["fake.good"], Budget(seed=1)) == {}
        with monkeypatch.context() as patch:
            patch.setattr("rateproof.verify.stored.ledger.fingerprint", lambda: "other sources")
            assert ledger.finished(["fake.good"], QUICK) == {}


def test_a_later_result_replaces_an_earlier_one_and_survives_reopening(fake, good):
    with Ledger(fake.ledger) as ledger:
        ledger.put(good, QUICK)
        ledger.put(replace(good, instances=99), QUICK)
    with Ledger(fake.ledger) as ledger:
        assert ledger.count() == 1
        assert ledger.finished(["fake.good"], QUICK)["fake.good"].instances == 99


def test_failed_checks_are_not_resumed(fake):
    with Ledger(fake.ledger) as ledger:
        ledger.put(failed(catalog.get("fake.good"), "out of memory"), QUICK)
        assert ledger.finished(["fake.good"], QUICK) == {}


def test_fingerprint_follows_the_sources_of_papers_too(fake):
    before = fingerprint()
    hashed.cache_clear()
    assert fingerprint() == before
    source = fake.root / "checks" / "fake" / "__init__.py"
    source.write_text(source.read_text() + "\n# changed\n")
    hashed.cache_clear()
    assert fingerprint() != before


def test_the_ledger_lies_where_the_environment_says(fake, monkeypatch):
    assert default_path() == fake.ledger
    monkeypatch.delenv("RATEPROOF_HOME")
    assert default_path() == Path(".rateproof/runs.sqlite")


def damage_header(path: Path) -> None:
    path.write_bytes(b"garbage " * 200)


def damage_tail(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])


def damage_middle(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(bytes(raw))


def other_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()


def damage_row(path: Path) -> None:
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE results SET result = '{\"claim\":'")
    db.close()


@pytest.mark.parametrize("damage", [damage_header, damage_tail, damage_middle, other_database, damage_row])
def test_a_damaged_ledger_is_named_and_kept(fake, good, damage):
    with Ledger(fake.ledger) as ledger:
        for i in range(40):
            ledger.put(replace(good, claim=f"fake.{i}"), QUICK)
        ledger.put(good, QUICK)
    damage(fake.ledger)
    before = fake.ledger.read_bytes()
    with pytest.raises(LedgerError, match=r"runs\.sqlite.*move it away"), Ledger(fake.ledger) as ledger:
        ledger.finished(["fake.good"], QUICK)
    assert fake.ledger.read_bytes() == before


def test_a_ledger_that_cannot_be_written_is_an_os_error(fake, good):
    fake.ledger.mkdir(parents=True)
    with pytest.raises(OSError, match=r"runs\.sqlite cannot be written"):
        Ledger(fake.ledger)
    with pytest.raises(OSError, match="driver"):
        Ledger(fake.root / "driver.py" / "runs.sqlite")


# --- files


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "a.txt"
    write_atomically(target, "old")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match=r"a\.txt cannot be written: Permission denied"):
        write_atomically(target, b"new")
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]


# --- baseline


def test_a_baseline_comes_back_without_seconds_in_catalog_order_with_twelve_digits(fake):
    results = finish(check_claim(c, QUICK) for c in catalog.claims("fake").values())
    first = replace(results[0], worst_ratio=0.1 + 0.2, seconds=3.0)
    baseline.write("fake", reversed(list(entries([first, *results[1:]]).values())))
    read = baseline.read("fake")
    assert list(read) == list(catalog.claims("fake"))
    assert read["fake.good"] == replace(
        entries([first])["fake.good"], result=replace(first, worst_ratio=0.3, seconds=0.0)
    )
    assert "seconds" not in fake.baseline.read_text()


@pytest.mark.parametrize("paper", catalog.papers())
def test_a_line_leaves_out_what_its_claim_says_and_nothing_else(paper):
    claims = catalog.claims(paper)
    there, written = {"place", "kind", "reading"}, baseline_path(paper).read_text().splitlines()
    for claim_id, entry in baseline.read(paper).items():
        if claim := claims.get(claim_id):
            line = json.loads(text := entry.line())
            full = implied.whole(line, claim)
            assert implied.short(full, claim) == line and not {*there, "paper", "seconds", "hints"} & line.keys()
            assert implied.short(full, None).keys() >= there
            assert text in written


def test_an_older_line_with_all_fields_and_the_steps_themselves_still_reads(fake, good):
    data = good.to_json() | {"tier": "quick", "seed": 0, "of": "x", "steps": [{"name": "one"}, {"name": "two"}]}
    del data["seconds"], data["hints"]
    fake.baseline.write_text(json.dumps(data) + "\n")
    assert list(baseline.read("fake").values()) == [Entry(replace(good, seconds=0.0), "quick", 0, "x", 2)]


def test_what_a_line_does_not_say_is_that_of_the_present_claim(fake, monkeypatch):
    bad = check_claim(catalog.get("fake.bad"), QUICK)
    baseline.write("fake", entries([bad]).values())
    assert baseline.read("fake")["fake.bad"].result == replace(bad, seconds=0.0)
    claims = catalog.claims("fake")
    moved = replace(claims["fake.bad"], source=replace(claims["fake.bad"].source, place="Lemma 77"))
    monkeypatch.setitem(claims, "fake.bad", moved)
    assert baseline.read("fake")["fake.bad"].result.place.startswith("Lemma 77")
    monkeypatch.delitem(claims, "fake.bad")
    gone = baseline.read("fake")["fake.bad"].result
    assert (gone.verdict, gone.paper, gone.place) == (bad.verdict, "fake", "")


def test_an_equal_baseline_is_not_touched(fake, good, monkeypatch):
    baseline.write("fake", entries([good]).values())
    monkeypatch.setattr("rateproof.verify.stored.lines.write_atomically", lambda *_: pytest.fail("written again"))
    baseline.write("fake", entries([replace(good, seconds=9.0)]).values())


def test_no_baseline_is_an_empty_one(fake):
    assert baseline.read("fake") == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "half-written"),
        ('{"claim": "fake.good"', "half-written"),
        ('{"claim": "fake.good"\n', "line 1"),
        ('{"claim": "fake.good"}\n', "line 1"),
        ("[]\n", "line 1"),
        ("\n", "line 1"),
        ("<<<<<<< ours\n", "line 1"),
        ("LINE\nLINE\n", "line 2.*twice"),
        ("LINE\nLI", "half-written"),
    ],
)
def test_a_damaged_baseline_is_named_with_its_line(fake, good, text, why):
    line = Entry(good, "quick", 0).line()
    fake.baseline.write_text(text.replace("LINE", line))
    with pytest.raises(LedgerError, match=rf"baseline\.jsonl is .*{why}.*nothing was overwritten"):
        baseline.read("fake")


def test_a_binary_baseline_is_damaged(fake):
    fake.baseline.write_bytes(b"\xff\xfe\n")
    with pytest.raises(LedgerError, match="cannot be read"):
        baseline.read("fake")


# --- freshness


def test_a_line_is_stale_once_its_claim_has_changed_or_gone(fake, good, monkeypatch):
    baseline.write("fake", [*entries([good]).values(), Entry(replace(good, claim="fake.gone"), "quick", 0)])
    claims = catalog.claims("fake")
    assert {i: e.stale for i, e in baseline.read("fake").items()} == {"fake.good": False, "fake.gone": True}
    monkeypatch.setitem(claims, "fake.good", replace(claims["fake.good"], note="another note"))
    assert not baseline.read("fake")["fake.good"].stale  # what the reader is told does not count
    monkeypatch.setitem(claims, "fake.good", replace(claims["fake.good"], hypotheses=()))
    assert baseline.read("fake")["fake.good"].stale


def test_a_line_that_does_not_say_what_it_is_of_is_read_and_stale(fake, good):
    line = json.loads(entries([good])["fake.good"].line())
    del line["of"]
    fake.baseline.write_text(json.dumps(line) + "\n")
    (read,) = baseline.read("fake").values()
    assert read.result == replace(good, seconds=0.0) and read.stale


def test_an_update_renews_only_the_lines_that_it_computed(fake):
    results = finish(check_claim(c, QUICK) for c in catalog.claims("fake").values())
    old = {i: replace(e, of="before") for i, e in entries(results).items()}
    new = {e.result.claim: e for e in updated(old, results[:1], QUICK, complete=False)}
    assert {i for i, e in new.items() if not e.stale} == {results[0].claim}
    assert not any(e.stale for e in updated(old, results, QUICK, complete=True))


@pytest.mark.parametrize("paper", ["strfedavg", "textbook"])
def test_committed_baselines_are_of_the_present_claims(paper):
    assert [i for i, e in baseline.read(paper).items() if e.stale] == []


# --- changes


def changes(was, now, budget=QUICK):
    return [(c.what, c.worse) for c in compare(entries([was]), [now], budget)]


def test_the_same_result_is_no_change(good):
    assert changes(good, replace(good, seconds=9.0, detail="other words")) == []


DECIDED = [Verdict.PROVED, Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INCONSISTENT, Verdict.VACUOUS]


@pytest.mark.parametrize("was", Verdict)
@pytest.mark.parametrize("now", Verdict)
def test_only_a_first_decision_or_a_proof_is_a_change_for_the_better(good, was, now):
    found = changes(replace(good, verdict=was), replace(good, verdict=now))
    if was is now:
        assert found == []
        return
    ((what, worse),) = found
    assert what.startswith(f"verdict was {was}, is {now}")
    first_decision = was not in DECIDED and now in DECIDED
    proved_now = (was, now) == (Verdict.SUPPORTED, Verdict.PROVED)
    assert worse is not (first_decision or proved_now or (was is Verdict.UNCHECKED and now is Verdict.UNDECIDED))


@pytest.mark.parametrize(
    ("verdict", "level", "was", "now", "worse"),
    [
        (Verdict.SUPPORTED, Level.EXACT, 0.5, 0.5 * (1 + 9e-7), None),
        (Verdict.SUPPORTED, Level.EXACT, 0.5, 0.5 * (1 + 2e-6), True),
        (Verdict.SUPPORTED, Level.EXACT, 0.5, 0.4, False),
        (Verdict.SUPPORTED, Level.STATISTICAL, 0.5, 0.52, None),
        (Verdict.SUPPORTED, Level.STATISTICAL, 0.5, 0.53, True),
        (Verdict.REFUTED, Level.EXACT, 2.0, 1.5, True),
        (Verdict.REFUTED, Level.EXACT, 2.0, 3.0, False),
        (Verdict.REFUTED, Level.EXACT, float("inf"), float("inf"), None),
        (Verdict.REFUTED, Level.EXACT, float("inf"), 2.0, True),
        (Verdict.SUPPORTED, Level.EXACT, 0.5, float("inf"), True),
        (Verdict.SUPPORTED, Level.EXACT, 0.5, None, True),
        (Verdict.SUPPORTED, Level.EXACT, 0.5, float("nan"), True),
        (Verdict.SUPPORTED, Level.EXACT, float("nan"), float("nan"), None),
        (Verdict.SUPPORTED, Level.EXACT, None, 0.5, None),
        (Verdict.SUPPORTED, Level.EXACT, 0.0, 1e-13, None),
        (Verdict.SUPPORTED, Level.EXACT, 0.0, 1e-3, True),
    ],
)
def test_ratios_change_beyond_their_tolerance_only(good, verdict, level, was, now, worse):
    base = replace(good, verdict=verdict, level=level)
    found = changes(replace(base, worst_ratio=was), replace(base, worst_ratio=now))
    assert [w for _, w in found] == ([] if worse is None else [worse])


def test_ratios_of_another_tier_or_seed_are_not_compared_but_verdicts_are(good):
    now = replace(good, worst_ratio=0.9)
    assert changes(good, now, Budget("full")) == changes(good, now, Budget(seed=1)) == []
    assert changes(good, replace(now, verdict=Verdict.REFUTED), Budget("full"))[0][1]


def test_readings_are_compared(good):
    refuted = replace(good, readings={"norm=R": {"verdict": "refuted", "worst_ratio": 2.0}})
    assert changes(good, refuted) == [("reading norm=R was supported, is refuted", True)]
    assert changes(good, replace(good, readings={})) == [("reading norm=R was supported, is not there", True)]
    assert changes(replace(good, readings={}), good) == [("reading norm=R was not there, is supported", False)]
    proved = replace(good, readings={"norm=R": {"verdict": "proved", "worst_ratio": None}})
    assert changes(good, proved) == [("reading norm=R was supported, is proved", False)]
    assert changes(proved, good) == [("reading norm=R was proved, is supported", True)]


def test_new_and_vanished_claims_count(fake, good):
    ((new,)) = compare({}, [good], QUICK)
    assert new.worse and "not in the baseline" in new.what
    gone = replace(good, claim="fake.gone")
    assert compare(entries([gone, good]), [good], QUICK) == []
    (change,) = compare(entries([gone, good]), [good], QUICK, complete=["fake"])
    assert change.worse and change.claim == "fake.gone"


def test_a_partial_update_keeps_the_other_lines_and_recomputes_what_rests_on_the_new_ones(fake):
    results = finish(check_claim(c, QUICK) for c in catalog.claims("fake").values())
    old = entries([*results, replace(results[0], claim="fake.gone")])
    fake.set(bad="holds", **{"joint.a": "violation"})
    new = [check_claim(catalog.get(i), Budget("full", 7)) for i in ("fake.bad", "fake.joint.a")]
    lines = {e.result.claim: e for e in updated(old, new, Budget("full", 7), complete=False)}
    assert lines.keys() == old.keys()
    assert (lines["fake.bad"].tier, lines["fake.bad"].seed) == ("full", 7)
    assert (lines["fake.good"].tier, lines["fake.good"].seed) == ("quick", 0)
    assert old["fake.top"].result.proof_broken_by and not lines["fake.top"].result.proof_broken_by
    assert lines["fake.joint"].result.verdict is Verdict.REFUTED


def test_a_complete_update_drops_claims_that_are_gone(fake):
    results = finish(check_claim(c, QUICK) for c in catalog.claims("fake").values())
    old = entries([*results, replace(results[0], claim="fake.gone")])
    assert {e.result.claim for e in updated(old, results, QUICK, complete=True)} == set(catalog.claims("fake"))
