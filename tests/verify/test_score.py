import pytest

from verify.evidence import Evidence, Finding, Level, Verdict, Violated
from verify.papers.textbook import CHECKS
from verify.score import score


@pytest.fixture(scope="module")
def result():
    return score()


def test_planted_errors_are_refuted_and_no_theorem_is_accused(result):
    assert result.true_claims >= 12
    assert result.mutants >= 120
    assert result.share >= 0.95
    assert result.accused == 0
    assert all(row.verdict in (Verdict.PROVED, Verdict.SUPPORTED) for row in result.rows if not row.mutant)


def test_every_kind_of_error_is_planted(result):
    kinds = {row.mutant.split()[0] for row in result.rows if row.mutant}
    assert kinds == {"constant", "term", "exponent", "without"}
    assert "without log(R)" in {row.mutant for row in result.rows}


def test_the_score_is_deterministic_and_counts_add_up(result):
    assert score() == result
    assert result.mutants + result.true_claims == len(result.rows)
    assert result.mutants - result.refuted == sum(bool(row.mutant) for row in result.missed)
    assert result.to_json()["refuted"] == result.refuted and result.to_json()["missed"] == []


def test_another_seed_scores_as_well():
    other = score(seed=1)
    assert other.share >= 0.95 and other.accused == 0


def always(evidence):
    return dict.fromkeys(CHECKS, lambda claim, budget: [evidence])


def test_a_checker_that_sees_nothing_scores_nothing():
    seen = []
    lazy = score(
        progress=lambda done, total: seen.append((done, total)),
        checks=always(Evidence(Finding.HOLDS, Level.EXACT, "lazy", "all is well")),
    )
    assert (lazy.refuted, lazy.share, lazy.accused) == (0, 0, 0)
    assert len(lazy.missed) == lazy.mutants
    assert seen[-1] == (len(lazy.rows), len(lazy.rows)) and len(seen) == len(lazy.rows)


def test_a_checker_that_accuses_everything_is_seen():
    violated = Violated("nothing", 1.0, 0.5, 2.0, "1 <= 0.5")
    paranoid = score(checks=always(Evidence(Finding.VIOLATION, Level.EXACT, "paranoid", "", violated=violated)))
    assert paranoid.refuted == paranoid.mutants
    assert paranoid.accused == paranoid.true_claims


def test_a_checker_that_knows_nothing_accuses_nobody_but_misses_all():
    timid = score(checks=always(Evidence(Finding.INCONCLUSIVE, Level.EXACT, "timid", "")))
    assert (timid.refuted, timid.accused) == (0, 0)
    assert timid.to_json()["missed"][0] == {
        "claim": "textbook.gd_smooth",
        "mutant": "",
        "verdict": "undecided",
        "right": False,
        "worst_ratio": None,
        "witness": "",
    }
    assert len(timid.missed) == len(timid.rows)
