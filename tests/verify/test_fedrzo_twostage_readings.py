"""Readings on which verdicts of the two-stage section turn: each is decided, and planted errors are noticed."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.noise import Streams
from rateproof.algos.problems.cournot import cournot
from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.papers.fedrzo.notation import K_it, m
from rateproof.theory.papers.fedrzo.twostage import CLAIMS
from rateproof.theory.papers.fedrzo.twostage.experiment import START_OF_RUN
from rateproof.theory.papers.fedrzo.twostage.notation import L_F, S_2S, SAMPLES_READING, WHERE_VI, kappa_F, mu_F
from rateproof.theory.papers.fedrzo.twostage.tables import TAU_CHOICE
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.deciders import growth
from rateproof.verify.deciders.growth import with_unit_constant
from rateproof.verify.evidence import Finding, Level, Verdict, verdict
from rateproof.verify.papers.fedrzo.twostage import complexity, counts, dependent, families, kappa, runs
from rateproof.verify.papers.fedrzo.twostage.game import Game
from rateproof.verify.papers.fedrzo.twostage.game_checks import high_start_trials, objective_trials
from rateproof.verify.papers.fedrzo.twostage.game_runs import last_models, objective
from rateproof.verify.papers.fedrzo.twostage.table4_printed import FOLLOWERS, SLOPES
from rateproof.verify.trial import evaluate


def claim_of(item):
    return catalog.get(f"fedrzo.{item}")


READINGS = {
    **{(item, "round_lengths"): Verdict.REFUTED for item in ("thm2.iv-a", "tab3.com")},
    **{(item, "stepsize_bound"): Verdict.REFUTED for item in ("thm2.iii", "rem6.i.rate", "rem6.i.small", "tab3.rate")},
    **{(item, "samples"): Verdict.REFUTED for item in ("lem12.i", "lem12.iv", "lem12.v", "thm2.ii")},
    ("exp4.kappa", "sizes"): Verdict.REFUTED,
    ("exp4.kappa", "nested"): Verdict.PROVED,
    ("exp4.H.objective", "start"): Verdict.SUPPORTED,
}
#: Claims that fall as printed, read kindly.
KIND = {
    **dict.fromkeys(("thm2.i", "thm2.i-ii", "thm2.iii", "thm2.iii-x"), Verdict.PROVED),
    **dict.fromkeys(("rem6.i.rate", "rem6.i.small", "tab3.rate"), Verdict.PROVED),
    **dict.fromkeys(("thm2.iv-b", "tab3.proj"), Verdict.SUPPORTED),
    "exp4.H.objective": Verdict.PROVED,
    "exp4.tau": Verdict.VACUOUS,
}


def test_every_switch_is_decided():
    neutral = {(c.id.removeprefix("fedrzo."), s.name) for c in CLAIMS for s in c.switches if not s.origin}
    assert neutral == set(READINGS)
    assert {c.id.removeprefix("fedrzo.") for c in CLAIMS if c.kind_reading} == set(KIND)


def test_what_falls_as_printed_holds_when_it_is_read_kindly(committed):
    results = committed("fedrzo", KIND)
    assert {r.verdict for r in results.values()} == {Verdict.REFUTED}
    assert {item: r.kindly for item, r in results.items()} == KIND


@pytest.mark.parametrize("item", ["thm2.iii", "rem6.i.rate", "tab3.rate"])
def test_both_fair_repairs_are_needed(item):
    claim = claim_of(item)
    for left_out in claim.kind_switches:
        if left_out.statement is not None:
            continue
        kept = tuple(s for s in claim.kind_switches if s is not left_out)
        kind = replace(claim, switches=kept).read_kindly()
        assert growth.decide(kind, complexity.ladders_of(item), method="").finding is Finding.VIOLATION, left_out.name


@pytest.mark.parametrize("factor", [sp.log(1 / (1 - 1 / kappa_F**2)), 1 / K_it])
def test_the_projections_read_kindly_are_of_no_smaller_order(factor):
    kind = claim_of("thm2.iv-b").read_kindly()
    (relation,) = conjuncts(kind.statement)
    smaller = replace(kind, statement=sp.Le(relation.args[0], relation.args[1] * factor, evaluate=False))
    assert growth.decide(smaller, counts.kind_ladders(), method="").finding is Finding.VIOLATION
    assert growth.decide(kind, counts.kind_ladders(), method="").finding is Finding.HOLDS


def test_other_readings(committed):
    results = committed("fedrzo", {item for item, _ in READINGS})
    for (item, name), expected in READINGS.items():
        others = [r["verdict"] for other, r in results[item].readings.items() if other.startswith(f"{name}=")]
        assert others == [expected], (item, name)


# --- tau at its threshold


def with_bound(item, expr):
    claim = claim_of(item)
    (relation,) = conjuncts(claim.statement)
    return replace(claim, statement=sp.Le(relation.args[0], C_O * expr, evaluate=False))


def at_threshold(claim):
    return counts.at_threshold(claim.read(TAU_CHOICE))


LOG = sp.log(1 / (1 - 1 / kappa_F**2))
COUNT = m * K_it * sp.log(K_it)


@pytest.mark.parametrize("expr", [COUNT / LOG + m * K_it, COUNT * (1 + 1 / LOG), COUNT])
def test_a_bound_that_counts_one_step_an_iteration_is_not_refuted_at_the_threshold(expr):
    assert at_threshold(with_bound("thm2.iv-b", expr)).finding is Finding.INCONCLUSIVE


def test_the_limit_is_that_of_the_count():
    claim = claim_of("thm2.iv-b")
    found = at_threshold(claim)
    assert found.level is Level.CERTIFICATE and "2*log(2)/p" in found.detail
    assert "tau = -1/ln(1 - 1/kappa_F^2)" in found.violated.hypotheses["tau_least"]
    (relation,) = conjuncts(claim.statement)
    for p in (2, 8, 30):
        values = {K_it: 2, m: 1, C_O: 1, mu_F: 1, L_F: 1 / sp.sqrt(1 - sp.exp(-sp.Integer(p)))}
        claimed = sp.N(relation.args[1].subs(WHERE_VI).subs(values), 40)
        assert counts.projections_of(2, 1 / p, 1) / claimed == pytest.approx(2 * p / np.log(2))


def test_a_tau_above_its_threshold_is_not_admitted_there():
    claim = claim_of("thm2.iv-b")
    far = replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != "tau"))
    assert at_threshold(far).finding is Finding.VIOLATION
    needy = replace(claim, hypotheses=(*claim.hypotheses, replace(claim.hypotheses[1], key="unheard")))
    assert at_threshold(needy).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize("item", ["thm2.iv-b", "tab3.proj"])
def test_a_constant_that_depends_on_tau_saves_no_reading(item):
    """For one tau, above its threshold from some kappa_F on, the bound falls to 0 and the count stays."""
    (relation,) = conjuncts(claim_of(item).statement)
    p = sp.Symbol("p", positive=True)
    at = {K_it: 2, m: 1, C_O: 1, mu_F: 1, L_F: 1 / sp.sqrt(1 - sp.exp(-p))}
    assert sp.limit(sp.simplify(claim_of(item).expand(relation.args[1]).subs(at)), p, sp.oo) == 0
    assert counts.projections_of(2, 3.5, 1) > 0


# --- rounds


def test_shorter_rounds_are_not_admitted_as_printed():
    claim = claim_of("thm2.iv-a")
    assert all(not evaluate(claim, with_unit_constant(t)).admissible for t in counts.short_ladder().trials)


# --- the number of iterations, and the caps


def test_fewer_iterations_miss_the_accuracy():
    for clients in (4.0, 100.0):
        K_eps = families.slide_needs(clients).values["K_eps"]
        assert all(families.slide(clients, K).values["grad_kstar"] > 0.5 for K in range(1, int(K_eps) + 1))
    for decade in (2, 3):
        needs = families.slow_needs(decade).values
        tried = (K for K in range(1, 10**decade, 7 * 10 ** (decade - 2)))
        assert all(families.slow_moments(K, K**-0.5, 0.1) > needs["epsilon"] for K in tried)


@pytest.mark.parametrize("decade", [2, 3, 4])
def test_the_rate_of_the_slow_lower_level_is_a_lower_bound(decade):
    values = families.slow_after(decade).values
    K = int(values["K_it"])
    assert families.slow_moments(K, values["gamma"], 0.1) >= values["grad_kstar"]
    assert values["grad_kstar"] * np.sqrt(K) > families.slow_after(decade - 1).values["grad_kstar"] * np.sqrt(K / 10)


def test_the_trivial_accuracy_is_called_so():
    (ladder,) = (x for x in complexity.ladders_of("thm2.iii") if "trivially" in x.parameter)
    assert all(t.degenerate for t in ladder.trials)
    others = [x for x in complexity.ladders_of("thm2.iii") if x is not ladder]
    assert len(others) == 5 and not any(t.degenerate for x in others for t in x.trials)


def test_the_slow_lower_level_keeps_the_caps():
    claim = claim_of("tab3.rate")
    capped = replace(claim, hypotheses=(*claim.hypotheses, *S_2S))
    admitted = [evaluate(capped, with_unit_constant(t)).admissible for t in complexity.slow_iterations().trials]
    assert sum(admitted) >= 15 and not admitted[0]
    assert not any(evaluate(capped, with_unit_constant(t)).admissible for t in complexity.few_iterations().trials)


@pytest.mark.parametrize("item", ["thm2.iii", "rem6.i.rate", "rem6.i.small"])
def test_a_complexity_says_what_it_counts(item):
    claim = claim_of(f"{item}.corrected")
    copy = replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != "K_eps_missed"))
    assert complexity.from_bound(copy).finding is Finding.INCONCLUSIVE


# --- condition numbers


def test_condition_numbers_lie_in_their_range():
    rng = np.random.default_rng(5)
    for b in SLOPES:
        for followers in (2, 10, 20, 100):
            low, high = map(float, kappa.range_of(followers, kappa.Fraction(b)))
            assert high < 1.5 * low
            for _ in range(20):
                ends = rng.choice((0.09, 0.11), followers) if rng.random() < 0.5 else rng.uniform(0.09, 0.11, followers)
                assert low * (1 - 1e-12) <= kappa.condition_number(tuple(map(float, ends)), b) <= high * (1 + 1e-12)


def test_costs_further_apart_leave_it_open(monkeypatch):
    monkeypatch.setattr(kappa, "HIGH", kappa.Fraction(2))
    assert not all(kappa._apart().values())


@pytest.mark.parametrize("key", ["game", "kappa_of_game", "sizes"])
def test_condition_numbers_need_what_is_said_of_the_games(key):
    claim = claim_of("exp4.kappa")
    copy = replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key), switches=())
    assert verdict(evidence_on(copy, Budget())) is not Verdict.PROVED


def test_a_turned_condition_number_is_refuted():
    claim = claim_of("exp4.kappa")
    turned = replace(claim, statement=sp.Gt(*claim.statement.args, evaluate=False), switches=())
    assert verdict(evidence_on(turned, Budget())) is Verdict.REFUTED


# --- the start


@pytest.mark.parametrize("b", SLOPES)
def test_the_objective_is_that_of_the_market(b):
    market = cournot(nt=20, b=b, c=0.1, c0=0.1, cap=4.0)
    x = np.linspace(0, 12, 97)
    assert objective(Game(20, b), x) == pytest.approx(market.f(x[:, None]), abs=1e-9)


def test_runs_from_zero_are_those_of_the_closed_form():
    game = Game(100, 1.0)
    values = objective(game, last_models(game, 3, start=0.0, radius=0.5, clients=4, replicates=400))
    # six standard errors of 400 independent runs
    assert abs(values.mean() - game.expected(3, radius=0.5, clients=4)) < 6 * values.std() / 20


@pytest.mark.parametrize(("followers", "b", "start"), [(10, 1.0, 9.5), (1000, 0.5, 9.5), (10, 0.5, 5.0)])
def test_runs_are_those_of_the_method(followers, b, start):
    tau, alpha = FOLLOWERS[followers]
    market = cournot(nt=followers, b=b, c=0.1, c0=0.1, cap=4.0, m=4)
    method = FedRZO_2s(gamma=1e-3, eta=1.0, H=3, solver=ProjectionMethod(alpha=float(alpha), tau=tau, shortcut=True))
    streams = Streams(7, 0, 50)
    state = method.init(market, np.full((50, 1), start), streams)
    for _ in range(100):
        state = method.round(market, state, streams)
    own = last_models(Game(followers, b), 3, start=start, radius=1.0, clients=4, replicates=400)
    theirs = state.x[:, 0]
    error = np.hypot(theirs.std() / np.sqrt(50), own.std() / 20)
    assert abs(theirs.mean() - own.mean()) < 6 * error < 0.1 and abs(own.mean() - start) > 2 * error


def test_the_verdict_turns_with_the_start_and_from_the_middle_with_the_slope():
    for b, better in ((1.0, True), (0.5, False)):
        game = Game(100, b)
        few, many = (
            objective(game, last_models(game, H, start=5.0, radius=1.0, clients=100, replicates=2)).mean()
            for H in (1, 20)
        )
        assert bool(many < few - 0.05) is better
        assert better or many > few + 1


def test_the_reading_that_fixes_the_start_admits_no_other():
    claim = claim_of("exp4.H.objective")
    high = claim.read(START_OF_RUN)
    assert len(high_start_trials()) == 16
    for t in high_start_trials():
        assert evaluate(high, t).admissible and evaluate(claim, t).admissible
    for t in objective_trials():
        assert evaluate(claim, t).admissible and "start_high" in evaluate(high, t).open


def test_near_the_equilibrium_of_the_followers_the_objective_gets_better():
    game, found = Game(1000, 1.0), []
    for H in (1, 10, 20):
        last = last_models(game, H, start=0.0, y0=0.01, radius=0.01, clients=100, replicates=40)
        reached = objective(game, last)
        found.append((reached.mean(), reached.std() / 40**0.5))
    for (few, error), (many, other) in pairwise(found):
        assert few - many > 4 * np.hypot(error, other)
    assert [f"{value:.0e}" for value, _ in found] == ["-7e-06", "-5e-05", "-7e-05"]


def test_runs_from_sales_are_those_of_the_method():
    tau, alpha = FOLLOWERS[10]
    market = cournot(nt=10, b=1.0, c=0.1, c0=0.1, cap=4.0, m=4)
    solver = ProjectionMethod(alpha=float(alpha), tau=tau, y0=0.5, shortcut=True)
    method = FedRZO_2s(gamma=1e-3, eta=1.0, H=3, solver=solver)
    streams = Streams(7, 0, 50)
    state = method.init(market, np.full((50, 1), 5.0), streams)
    for _ in range(100):
        state = method.round(market, state, streams)
    own = last_models(Game(10, 1.0), 3, start=5.0, y0=0.5, radius=1.0, clients=4, replicates=400)
    none = last_models(Game(10, 1.0), 3, start=5.0, radius=1.0, clients=4, replicates=400)
    theirs = state.x[:, 0]
    error = np.hypot(theirs.std() / np.sqrt(50), own.std() / 20)
    assert abs(theirs.mean() - own.mean()) < 6 * error < abs(none.mean() - own.mean())
    with pytest.raises(ValueError, match="between 0 and 2"):
        last_models(Game(10, 1.0), 3, start=5.0, y0=-1.0, radius=1.0, clients=4, replicates=1)


# --- draws that are iid over k only


@pytest.mark.parametrize("item", ["lem12.i", "lem12.ii", "lem12.iii", "lem12.iv", "lem12.v", "lem12.vi", "rem10"])
def test_dependent_draws_are_not_admitted_as_printed(item):
    claim = claim_of(item)
    copy = claim.read(SAMPLES_READING)
    for trial in dependent.dependent_steps():
        assert "fresh" in evaluate(claim, trial).failed
        outcome = evaluate(copy, trial)
        assert outcome.admissible
        # what is about single draws holds all the same
        assert claim.switches or outcome.worst.lhs <= outcome.worst.rhs


def test_numbers_of_dependent_draws():
    claim = claim_of("lem12.iv").read(SAMPLES_READING)
    pair = evaluate(claim, dependent.shared(1, 2)).worst
    assert (pair.lhs, pair.rhs) == pytest.approx((1.0, 0.5))
    # loss xi |x| - x/2 at 0, both signs
    g = [(abs(v) * np.sign(v) - v / 2) * v for v in (1.0, -1.0)]
    values = dependent.signed().values
    assert np.mean(g) == 0.5 and values["bias_2s"] == np.mean(g) + 0.5
    assert values["ip_path_2s"] == -0.5 * np.mean(g) and values["path2_2s"] == values["g2_2s"] == np.mean(np.square(g))
    assert values["grad2_2s"] == 0.25


def test_a_shared_direction_moves_all_clients_as_one():
    for gamma in (1 / 32, 1 / 1024):
        one = runs.Setting(slopes=(1.0,), kinked=True, width=None, eta=1.0, gamma=gamma, H=1, rounds=13)
        exact = runs.whole(one).values["grad_kstar"]
        assert 0.9 * exact < dependent.mean_square(gamma, 13) < exact
    claim = claim_of("thm2.ii").read(SAMPLES_READING)
    (trial,) = dependent.dependent_runs()
    outcome = evaluate(claim, trial)
    assert outcome.admissible and outcome.worst.lhs > 4.5e-4
    assert (
        outcome.worst.rhs == pytest.approx(16 / 1024 / 1000 + 180 / 1024**2, rel=1e-12) and outcome.worst.rhs < 1.9e-4
    )
    # one client alone keeps the bound
    assert evaluate(claim, dependent.shared_run(1)).worst.ratio < 1
