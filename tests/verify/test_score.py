import json

import pytest

from rateproof.verify import registry
from rateproof.verify.evidence import Evidence, Finding, Level, Verdict, Violated
from rateproof.verify.planted import score_baseline
from rateproof.verify.planted.score import COUNT, Score, score, theorems
from rateproof.verify.planted.score_baseline import changes, tallies
from rateproof.verify.stored.files import LedgerError

CHECKS = {one.claim.id: one.check for one in registry.records("textbook") if one.check}

TIGHT = [i for i, sharp in theorems().items() if sharp]


@pytest.fixture(scope="module")
def scored_claims(one_in):
    some = {*one_in(6, TIGHT[2:]), *TIGHT[:2], "textbook.young", "textbook.sgd_log"}
    return [i for i in TIGHT if i in some]


@pytest.fixture(scope="module")
def result(scored_claims):
    return score(only=scored_claims)


def test_planted_errors_are_refuted_and_no_theorem_is_accused(result, scored_claims):
    assert len(result.true_claims) >= 20 and {r.claim.partition(".")[0] for r in result.rows} >= {"strfedavg"}
    assert len(result.planted()) >= 8 * len(scored_claims)
    assert result.share >= 0.95
    assert result.accused == ()
    assert all(row.verdict in (Verdict.PROVED, Verdict.SUPPORTED) for row in result.true_claims)


def test_every_kind_of_error_is_planted(result):
    kinds = {row.mutant.split()[0] for row in result.rows if row.mutant}
    assert kinds == {"constant", "term", "exponent", "without"}
    assert "without log(R)" in {row.mutant for row in result.rows}


def test_the_score_is_deterministic_and_counts_add_up(result, scored_claims):
    some = scored_claims[:3]
    assert score(only=some).rows == tuple(row for row in result.rows if row.claim in some)
    said = result.to_json()
    assert said["mutants"] + said["true_claims"] == len(result.rows)
    assert said["mutants"] - said["refuted"] == sum(bool(row.mutant) for row in result.missed)


@pytest.fixture(scope="module")
def usual_errors():
    return {r.mutant for r in score(0, only=list(CHECKS), count=5).rows}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [1, 2])
def test_other_errors_are_refuted_as_well(seed, usual_errors):
    other = score(seed, only=list(CHECKS), count=5)
    assert other.share >= 0.95 and other.accused == ()
    assert {r.mutant for r in other.rows} != usual_errors


def test_other_proved_bounds_are_scored_and_nothing_is_demanded_of_them():
    loose = [i for i, sharp in theorems().items() if sharp is None]
    assert len(loose) > 30
    # any constant up to 8 will do at T = 1, where the bound is attained by nothing
    found = score(only=["strfedavg.step.11.s7"])
    assert found.planted() == () and len(found.planted(tight=False)) == 3
    assert found.share == 1.0 and found.missed == () and found.to_json()["loose_mutants"] == 3


def test_an_unknown_theorem_is_named():
    with pytest.raises(ValueError, match=r"unknown scored claim 'textbook.gd'.*textbook.gd_smooth"):
        score(only=["textbook.gd"])


def always(evidence):
    return dict.fromkeys(CHECKS, lambda claim, budget: [evidence])


def test_a_checker_that_sees_nothing_scores_nothing():
    seen = []
    lazy = score(
        progress=lambda done, total: seen.append((done, total)),
        only=CHECKS,
        checks=always(Evidence(Finding.HOLDS, Level.EXACT, "lazy", "all is well")),
    )
    assert (lazy.share, lazy.accused) == (0, ())
    assert lazy.missed == lazy.planted()
    assert seen[-1] == (len(lazy.rows), len(lazy.rows)) and len(seen) == len(lazy.rows)


def test_a_checker_that_accuses_everything_is_seen():
    violated = Violated("nothing", 1.0, 0.5, 2.0, "1 <= 0.5")
    evidence = Evidence(Finding.VIOLATION, Level.EXACT, "paranoid", "", violated=violated)
    paranoid = score(only=CHECKS, checks=always(evidence))
    assert paranoid.share == 1 and paranoid.accused == paranoid.true_claims


def test_a_checker_that_knows_nothing_accuses_nobody_but_misses_all():
    timid = score(only=CHECKS, checks=always(Evidence(Finding.INCONCLUSIVE, Level.EXACT, "timid", "")))
    assert (timid.share, timid.accused) == (0, ())
    first = timid.to_json()["missed"][0]
    assert (first["claim"], first["mutant"], first["verdict"]) == ("textbook.gd_smooth", "", "undecided")
    assert len(timid.missed) == len(timid.rows)


# --- the committed scores


def test_the_committed_scores_are_those_of_the_theorems_that_are_scored(result):
    known = score_baseline.read()
    assert known.keys() == theorems().keys()
    now = tallies(result, seed=0, count=COUNT)
    assert list(changes(known | now, known)) == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(score_baseline, "path_of", lambda paper: tmp_path / f"{paper}.jsonl")
    return tmp_path


def scored(result, claim, drop=0):
    rows = [r for r in result.rows if r.claim == claim]
    return Score(tuple(rows[: len(rows) - drop]))


def test_scores_are_kept_and_compared(result, folder):
    now = tallies(scored(result, "textbook.young"), seed=0, count=COUNT)
    assert score_baseline.write(now) == [folder / "textbook.jsonl"]
    known = score_baseline.read()
    assert known == now and list(changes(now, known)) == []
    worse = {i: type(t)(**(vars(t) | {"refuted": t.refuted - 1})) for i, t in now.items()}
    ((line, is_worse),) = changes(worse, known)
    assert is_worse and f"were {known['textbook.young'].refuted} of" in line
    ((_, is_worse),) = changes(known, worse)
    assert not is_worse
    assert [w for _, w in changes({}, known)] == [True] and [w for _, w in changes(now, {})] == [True]
    other = tallies(scored(result, "textbook.young"), seed=1, count=COUNT)
    assert list(changes(other, known)) == []


@pytest.mark.parametrize("line", ["{", "[]", json.dumps({"claim": "x"})])
def test_a_damaged_file_is_named(folder, line):
    (folder / "textbook.jsonl").write_text(line + "\n")
    with pytest.raises(LedgerError, match=r"textbook.jsonl, line 1 is damaged .*--update"):
        score_baseline.read()
