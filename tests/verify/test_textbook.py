from dataclasses import replace
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.papers.textbook import CLAIMS
from rateproof.theory.papers.textbook.notation import lam_h, mu_h, norm2_u, rho_h
from rateproof.theory.symbols import L_h, gamma_l, units
from rateproof.theory.units import clashes
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.deciders.machine import prove
from rateproof.verify.evidence import Finding, Verdict
from rateproof.verify.mutate import mutants
from rateproof.verify.papers.textbook import CHECKS, INSTANCES, SHARP, trials
from rateproof.verify.papers.textbook.descent import (
    LOSSES,
    halfline_run,
    huber_closed_form,
    huber_run,
    largest_coordinate_run,
    shrunk2,
    shrunk2_run,
)
from rateproof.verify.papers.textbook.family import scaled
from rateproof.verify.papers.textbook.inequalities import COSINE
from rateproof.verify.papers.textbook.proofs import PROOFS
from rateproof.verify.papers.textbook.stochastic import (
    enumerated,
    half_and_half,
    harmonic,
    local_sgd_closed_form,
    local_sgd_run,
    mean_gap_run,
    sgd_trial,
)
from rateproof.verify.trial import evaluate

IDS = [c.id for c in CLAIMS]
# Where the bound is only approached: ratio at the first tight instance (R = 1), at the last (R = 1e9), and in between.
APPROACHED = {"textbook.sgd_log": (1.0, 0.97, 0.85)}


def test_every_theorem_has_instances_a_check_and_its_sharp_places():
    assert len(IDS) >= 12
    assert set(IDS) == INSTANCES.keys() == CHECKS.keys() == SHARP.keys()


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_statements_and_conditions_are_homogeneous(claim):
    relations = [claim.statement, *(h.relation for h in claim.hypotheses if h.relation is not None)]
    assert [clash for relation in relations for clash in clashes(relation, units("textbook"))] == []


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_tight_instances_attain_the_bound(claim):
    ratios = [evaluate(claim, t).worst.ratio for t in INSTANCES[claim.id].tight(False)]
    first, last, least = APPROACHED.get(claim.id, (1.0, 1.0, 1.0))
    assert ratios[0] == pytest.approx(first, abs=1e-9)
    assert ratios[-1] > last - 1e-6
    assert min(ratios) > least - 0.01
    assert all(evaluate(claim, t).admissible for t in INSTANCES[claim.id].tight(False))


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_instance_exceeds_the_bound(claim, seed):
    outcomes = [evaluate(claim, t) for t in trials(claim.id, seed=seed)]
    ratios = [o.worst.ratio for o in outcomes if o.admissible]
    assert len(ratios) >= 25
    assert max(ratios) <= 1 + 1e-9


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_ordinary_instances_are_admissible(claim):
    assert all(evaluate(claim, t).admissible for t in INSTANCES[claim.id].ordinary(False, 3))


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_broken_instances_miss_one_hypothesis_and_break_the_bound(claim):
    missed = set()
    for trial in INSTANCES[claim.id].broken():
        outcome = evaluate(claim, trial)
        if outcome.admissible:
            pytest.fail(f"{trial.label} misses no hypothesis")
        assert len(outcome.failed) == 1 and not outcome.open
        assert outcome.worst.ratio > 1.3
        missed |= outcome.failed.keys()
    assert missed == set(SHARP[claim.id].hypotheses)


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
@pytest.mark.parametrize("tier", ["quick", "full"])
def test_no_theorem_is_refuted(claim, tier):
    result = check_claim(claim, Budget(tier=tier, seed=5))
    assert result.verdict is (Verdict.PROVED if claim.id in PROOFS else Verdict.SUPPORTED)


def test_huber_run_equals_its_closed_form():
    rounds, gamma = np.array([1.0, 3.0, 50.0, 1000.0]), np.array([1.0, 0.3, 0.5, 1.0])
    closed = [huber_closed_form(R, g) for R, g in zip(rounds, gamma, strict=True)]
    assert huber_run(rounds, gamma) == pytest.approx(closed, rel=1e-12)


def test_contraction_run_equals_its_closed_form():
    gamma_c, rounds = np.array([0.5, 1.5, 2.0**-9, 2.0**-4]), np.array([10.0, 10.0, 1000.0, 333.0])
    closed = [shrunk2(g, R) for g, R in zip(gamma_c, rounds, strict=True)]
    assert shrunk2_run(gamma_c, rounds) == pytest.approx(closed, rel=1e-11)


@pytest.mark.parametrize("R", [1, 7, 400])
def test_subgradient_oracle_never_repeats_a_coordinate(R):
    assert largest_coordinate_run(R, R**-0.5) == R**-0.5
    assert largest_coordinate_run(R, 0.2 * R**-0.5) == R**-0.5


def test_proximal_run_ends_half_way():
    rounds, gamma = np.array([1.0, 10.0, 1000.0]), np.array([1.0, 0.1, 2.0])
    assert halfline_run(rounds, gamma) == pytest.approx(1 / (4 * gamma * rounds), rel=1e-11)


def test_local_sgd_run_equals_its_closed_form():
    c, x0, variance = np.array([0.5, 1.0, 3.0]), np.array([1.0, -2.0, 0.0]), np.array([0.1, 0.0, 2.0])
    run = local_sgd_run(c, x0, variance, 0.25, R=37, K=4, N=5)
    assert run == pytest.approx(local_sgd_closed_form(c, x0, variance, 0.25, R=37, K=4, N=5), rel=1e-12)
    assert run == pytest.approx(local_sgd_run(c, x0, variance / 5, 0.25, R=148), rel=1e-12)


def test_local_sgd_moments_equal_the_enumeration_of_two_point_noise():
    # two clients, two local steps, one round on x^2 (curvature 2) from 1 with noise +-3: 16 equally likely outcomes
    gamma, squares = 0.2, []
    for noises in product((-3.0, 3.0), repeat=4):
        clients = [1.0, 1.0]
        for i, noise in enumerate(noises):
            clients[i % 2] -= gamma * (2 * clients[i % 2] + noise)
        squares.append(np.mean(clients) ** 2)
    exact = local_sgd_run(np.array([2.0]), np.array([1.0]), np.array([9.0]), gamma, R=1, K=2, N=2)
    assert exact == pytest.approx(np.mean(squares), rel=1e-13)


@pytest.mark.parametrize("R", [1, 99, 100, 1000])
def test_mean_gap_run_equals_the_harmonic_sum(R):
    assert mean_gap_run(R, 5.0, 2.0) == pytest.approx(2 * harmonic(R) / (2 * R), rel=1e-10)


def test_half_and_half_equals_the_enumeration_of_subsets():
    v = np.array([[0.0]] * 4 + [[1.0]] * 4)
    for S in (1, 3, 8):
        assert half_and_half(8, S) == pytest.approx(enumerated(v, combinations(range(8), S)), rel=1e-12, abs=1e-15)


def test_a_rescaled_trial_is_the_instance_in_other_units():
    c, x0, variance, gamma, x, h = np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([1.0, 0.5]), 0.25, 8.0, 0.5
    plain = {"R": 9, "gamma": gamma, "sigma2": 1.5, "start2": 5}
    trial = sgd_trial("two variables", end2=local_sgd_run(c, x0, variance, gamma, R=9), **plain)
    rescaled = local_sgd_run(c * h / x**2, x0 * x, variance * (h / x) ** 2, gamma * x**2 / h, R=9)
    values = scaled(trial, x, h).values
    assert values["end2"] == pytest.approx(rescaled, rel=1e-13)
    assert values["sigma_h2"] == 1.5 * (h / x) ** 2 and values["gamma_l"] == gamma * x**2 / h and values["R"] == 9


@pytest.mark.parametrize("loss", [*LOSSES, COSINE, LOSSES[1].plus_quadratic(0.1)], ids=lambda loss: loss.name)
def test_losses_have_the_gradients_and_constants_they_say(loss):
    x = np.linspace(-5.02, 4.9, 200)
    step = 1e-6
    assert loss.gradient(x) == pytest.approx((loss.value(x + step) - loss.value(x - step)) / (2 * step), abs=1e-7)
    slopes = np.diff(loss.gradient(x)) / np.diff(x)
    assert slopes.max() <= loss.L * (1 + 1e-9)
    if loss is not COSINE:
        assert slopes.min() >= loss.mu - 1e-9
    assert loss.value(x).min() >= 0


def proved(claim):
    return prove(claim, PROOFS[claim.id]).finding is Finding.PROOF


def test_all_but_the_inequalities_for_powers_have_a_proof():
    assert set(IDS) - PROOFS.keys() == {"textbook.young_powers", "textbook.jensen_powers"}


@pytest.mark.sweep(20)
@pytest.mark.parametrize("claim_id", PROOFS)
def test_no_mutant_of_a_proved_theorem_is_proved(claim_id):
    claim = catalog.get(claim_id)
    planted = list(mutants(claim, SHARP[claim_id], count=5, rng=Random(0)))
    assert len(planted) >= 1
    assert [name for name, false in planted if proved(false)] == []


@pytest.mark.sweep(20)
@pytest.mark.parametrize("claim_id", PROOFS)
def test_a_proof_is_of_the_statement_to_the_last_digit(claim_id):
    claim = catalog.get(claim_id)
    left, right = claim.statement.args
    assert not proved(replace(claim, statement=sp.Le(left, (1 - sp.Rational(1, 10**6)) * right, evaluate=False)))


@pytest.mark.parametrize("claim_id", PROOFS)
def test_a_proof_is_of_the_quantity_that_the_statement_bounds(claim_id):
    claim = catalog.get(claim_id)
    left, right = claim.statement.args
    assert not proved(replace(claim, statement=sp.Le(2 * left, right, evaluate=False)))
    assert not proved(replace(claim, statement=sp.Le(left, right - 1, evaluate=False)))


@pytest.mark.parametrize(
    ("claim_id", "key", "relation"),
    [
        ("textbook.gd_smooth", "gamma_l<=1/L_h", sp.Le(gamma_l * L_h, sp.Rational(8, 5), evaluate=False)),
        ("textbook.gd_strongly_convex", "gamma_l<=2/(L_h+mu_h)", sp.Le(gamma_l * (L_h + mu_h), sp.Rational(21, 10))),
        ("textbook.prox_gradient", "gamma_l<=1/L_h", sp.Le(gamma_l * L_h, sp.Rational(11, 10), evaluate=False)),
        ("textbook.moreau_smooth", "lam_h<=1/(2*rho_h)", sp.Le(lam_h * rho_h, sp.Rational(51, 100), evaluate=False)),
    ],
)
def test_a_proof_uses_the_conditions_as_the_claim_states_them(claim_id, key, relation):
    claim = catalog.get(claim_id)
    loose = [replace(h, relation=relation) if h.key == key else h for h in claim.hypotheses]
    assert [h.key for h in loose if h.relation == relation] == [key]
    assert not proved(replace(claim, hypotheses=tuple(loose)))


def test_a_square_on_the_right_is_no_part_of_youngs_inequality():
    claim = catalog.get("textbook.young")
    left, right = claim.statement.args
    assert not proved(replace(claim, statement=sp.Le(left, right - norm2_u**2, evaluate=False)))
