"""The game of Section 6.4: its closed forms against the equilibrium solver, runs of the method, the printed table."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.noise import Streams
from rateproof.algos.problems.cournot import cournot
from rateproof.theory import catalog
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.evidence import Verdict, verdict
from rateproof.verify.papers.fedrzo.twostage import game_checks
from rateproof.verify.papers.fedrzo.twostage.game import Game, all_below, lower_bound
from rateproof.verify.papers.fedrzo.twostage.table4_printed import FOLLOWERS, LOCAL_STEPS, PRINTED, RADII, SLOPES


def judged(claim):
    return verdict(evidence_on(claim, Budget()))


def test_the_table_has_72_numbers():
    assert len(PRINTED) == len(FOLLOWERS) * len(SLOPES) * len(LOCAL_STEPS) * len(RADII) == 72
    assert PRINTED[10, 0.5, 1, 1.0] == "-7.875" and PRINTED[1000, 1.0, 20, 0.01] == "-23.656"
    assert PRINTED[20, 1.0, 20, 0.01] == "-23.342" and PRINTED[100, 0.5, 10, 1.0] == "-40.688"


@pytest.mark.parametrize("followers", FOLLOWERS)
@pytest.mark.parametrize("b", SLOPES)
def test_the_infimum_is_that_of_the_exact_objective(followers, b):
    market = cournot(nt=followers, b=b, c=0.1, c0=0.1, cap=4.0)
    _, value = market.optimum
    game = Game(followers, b)
    assert value == pytest.approx(game.infimum, rel=1e-9)
    x = np.linspace(-5, 60, 4001)[:, None]
    assert market.f(x).min() >= game.infimum * (1 + 1e-9)
    c = market.constants
    assert (c.mu_F, c.L_F) == pytest.approx((game.mu_F, game.L_F))


@pytest.mark.parametrize("followers", [10, 1000])
def test_the_certificate_is_below_the_objective_of_many_games(followers):
    rng = np.random.default_rng(1)
    for b in SLOPES:
        bound = lower_bound(followers, b)
        assert isinstance(bound, Fraction)
        for _ in range(3):
            costs, caps = rng.uniform(0.09, 0.11, followers), rng.uniform(2, 4, followers)
            market = cournot(nt=followers, b=b, c=tuple(costs), c0=0.09, cap=tuple(caps))
            assert market.f(np.linspace(-2, 30, 801)[:, None]).min() > bound
        market = cournot(nt=followers, b=b, c=0.11, c0=0.09, cap=2.0, a_low=12.5 - 1e-9, a_high=12.5)
        assert market.f(np.linspace(0, 25, 2001)[:, None]).min() == pytest.approx(float(bound), rel=1e-3)


def test_all_numbers_lie_below_the_infimum_and_a_wrong_table_is_noticed(monkeypatch):
    assert all_below()
    monkeypatch.setitem(PRINTED, (1000, 1.0, 1, 1.0), "-0.0001")
    assert not all_below()


@pytest.mark.parametrize(("followers", "H", "eta"), [(10, 2, 1.0), (1000, 3, 0.1)])
def test_expected_objectives_are_those_of_the_method(followers, H, eta):
    tau, alpha = FOLLOWERS[followers]
    market = cournot(nt=followers, b=1.0, c=0.1, c0=0.1, cap=4.0, m=4)
    solver = ProjectionMethod(alpha=float(alpha), tau=tau, y0=0.0, shortcut=True)
    method = FedRZO_2s(gamma=1e-3, eta=eta, H=H, solver=solver)
    streams = Streams(7, 0, 50)
    state = method.init(market, np.zeros((50, 1)), streams)
    for _ in range(100):
        state = method.round(market, state, streams)
    values = market.f(state.x)
    expected = Game(followers, 1.0).expected(H, radius=eta, clients=4)
    # six standard errors of 50 independent runs
    assert abs(values.mean() - expected) < 6 * values.std() / np.sqrt(50) + 1e-9


def test_paths_that_may_reach_a_bound_are_refused():
    with pytest.raises(ValueError, match="take b = 1"):
        Game(10, 0.5).expected(1, radius=1.0, clients=1)


def test_more_local_steps_make_the_objective_worse():
    values = {H: Game(1000, 1.0).expected(H, radius=1.0, clients=100) for H in LOCAL_STEPS}
    assert 0 < values[1] < values[10] < values[20]
    own = Game(10, 1.0)
    assert own.expected(20, radius=1.0, clients=100) > own.expected(10, radius=1.0, clients=100)


# --- planted errors


def scaled(item, factor, index):
    claim = catalog.get(f"fedrzo.{item}")
    relations = list(claim.statement.args) if isinstance(claim.statement, sp.And) else [claim.statement]
    old = relations[index]
    relations[index] = old.func(old.args[0], sp.Rational(factor) * old.args[1], evaluate=False)
    return replace(claim, statement=relations[0] if len(relations) == 1 else sp.And(*relations, evaluate=False))


def test_constants_of_the_map_are_attained():
    claim = catalog.get("fedrzo.exp4.vi.map")
    below, above = (next(i for i, r in enumerate(claim.statement.args) if r.rel_op == op) for op in (">=", "<="))
    assert judged(scaled("exp4.vi.map", "99/100", above)) is Verdict.REFUTED
    assert judged(scaled("exp4.vi.map", "101/100", below)) is Verdict.REFUTED
    assert judged(claim) is Verdict.PROVED


def test_a_wrong_marginal_profit_is_not_proved():
    claim = catalog.get("fedrzo.exp4.vi.equilibrium")
    left, right = claim.statement.args
    wrong = replace(claim, statement=sp.Eq(left, right + 1, evaluate=False))
    assert judged(wrong) is not Verdict.PROVED


def test_condition_numbers_do_not_double():
    assert judged(scaled("exp4.kappa", "1/3", 0)) is Verdict.REFUTED


def test_the_printed_numbers_fall_by_no_more_than_they_do():
    assert judged(scaled("exp4.H.printed", "11/10", 0)) is Verdict.REFUTED
    assert judged(scaled("exp4.eta", "1/100", 0)) is Verdict.REFUTED


def test_some_settings_of_tau_would_do():
    claim = catalog.get("fedrzo.exp4.tau")
    weaker = replace(claim, statement=claim.statement.func(claim.statement.args[0], 20, evaluate=False))
    assert judged(weaker) is Verdict.SUPPORTED
    assert len(list(game_checks.step_trials())) == 48
