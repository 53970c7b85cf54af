"""What is particular to the control group; what every record obeys is in test_laws.py."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import fsum

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.papers.textbook import CLAIMS
from rateproof.theory.papers.textbook.notation import lam_h, mu_h, norm2_u, rho_h
from rateproof.theory.proof.copies import copies
from rateproof.theory.symbols import L_h, gamma_l, units
from rateproof.theory.units import clashes
from rateproof.verify import registry
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.deciders.kernel import prove
from rateproof.verify.evidence import Finding, Level, Verdict
from rateproof.verify.papers.textbook.client_sampling import zeros_and_ones
from rateproof.verify.papers.textbook.local_sgd import federated_averaging
from rateproof.verify.papers.textbook.sgd import decreasing_steps
from rateproof.verify.trial import evaluate

IDS = [c.id for c in CLAIMS]
RECORDS = {one.claim.id: one for one in registry.records("textbook")}


def test_every_theorem_has_a_record_that_says_where_it_is_tight():
    assert set(IDS) == RECORDS.keys() and all(one.tight for one in RECORDS.values())
    assert {c.id for c in CLAIMS if c.proof is None} == {"textbook.young_powers", "textbook.jensen_powers"}


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_statements_and_conditions_are_homogeneous(claim):
    relations = [claim.statement, *(h.relation for h in claim.hypotheses if h.relation is not None)]
    assert [clash for relation in relations for clash in clashes(relation, units("textbook"))] == []


@pytest.mark.sweep(3)
@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_a_full_check_accuses_no_theorem(claim):
    verdict = check_claim(claim, Budget(tier="full", seed=5)).verdict
    assert verdict is (Verdict.PROVED if claim.proof else Verdict.SUPPORTED)


@pytest.mark.parametrize("claim_id", IDS)
def test_without_a_hypothesis_that_is_needed_some_corner_misses_it_alone_and_violates(claim_id):
    record = RECORDS[claim_id]
    for key in record.tight.hypotheses:
        bare = replace(record.claim, hypotheses=tuple(h for h in record.claim.hypotheses if h.key != key))
        missing = [t for t in record.trials(bare, 2) if evaluate(record.claim, t).failed.keys() == {key}]
        assert any(o.admissible and o.worst and o.worst.ratio > 1.1 for o in (evaluate(bare, t) for t in missing)), key


# --- families against enumeration


def corner(claim_id, family, **params):
    first = next(family.corners(catalog.get(claim_id), apart=0))
    return family.trial({**first, **params}).values


def test_moments_equal_the_enumeration_of_two_point_noise():
    # two clients, two local steps, one round on x^2 (curvature 2) from 1 with noise +-3: 16 equally likely outcomes
    squares = []
    for noises in product((-3.0, 3.0), repeat=4):
        clients = [1.0, 1.0]
        for i, noise in enumerate(noises):
            clients[i % 2] -= 0.2 * (2 * clients[i % 2] + noise)
        squares.append((sum(clients) / 2) ** 2)
    where = {"gamma_l": Fraction(1, 5), "c": 2, "x0": 1, "loudness": 1, "sigma_h2": 9, "R": 1, "K": 2, "N": 2}
    found = corner("textbook.fedavg_identical", federated_averaging, **where)
    assert found["end2"] == pytest.approx(fsum(squares) / 16, rel=1e-13)


@pytest.mark.parametrize("repeats", [False, True])
def test_sampling_equals_the_enumeration_of_draws(repeats):
    v = [1, 1, 1, 0, 0]
    draws = list(product(v, repeat=2) if repeats else combinations(v, 2))
    square = sum((Fraction(sum(d), 2) - Fraction(3, 5)) ** 2 for d in draws) / len(draws)
    found = corner("textbook.client_sampling", zeros_and_ones, N=5, S=2, ones=3, repeats=repeats)
    assert found["sampling2"] == float(square) and found["zeta2"] == 0.24


def test_decreasing_steps_give_the_harmonic_sum():
    found = corner("textbook.sgd_log", decreasing_steps, R=100, x0=Fraction(5))
    assert found["gap_mean"] == pytest.approx(fsum(1 / k for k in range(1, 101)) / 200, rel=1e-13)


# --- proofs


def proved(claim):
    return prove(claim).finding is Finding.PROOF


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.proof], ids=lambda claim: claim.id)
def test_every_proof_is_a_certificate_without_words(claim):
    assert prove(claim).level is Level.CERTIFICATE


#: Copies that are as true as the claim: its other hypotheses and symbols say what was dropped.
AS_TRUE = {
    ("*", "without R>=1"),  # the number of steps is positive and whole
    ("*", "without attained"),  # the statement speaks of x*
    ("textbook.gd_strongly_convex", "without mu_h<=L_h"),  # no function has less smoothness than curvature
    ("textbook.sgd_quadratic", "without quadratic"),  # additive noise does not mind
    ("textbook.client_sampling", "without S<=N"),  # no more can be drawn than there are, and N = 1 has no bound
}


@pytest.mark.sweep(20)
@pytest.mark.parametrize(
    ("claim", "name", "copy"),
    [
        (c, name, copy)
        for c in CLAIMS
        if c.proof
        for name, copy in copies(c)
        if not {("*", name), (c.id, name)} & AS_TRUE
    ],
    ids=lambda x: x if isinstance(x, str) else x.id.partition(".")[2],
)
def test_no_copy_that_says_more_is_proved(claim, name, copy):
    assert not proved(copy)


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
    assert proved(claim) and not proved(replace(claim, hypotheses=tuple(loose)))


def test_a_square_on_the_right_is_no_part_of_youngs_inequality():
    claim = catalog.get("textbook.young")
    left, right = claim.statement.args
    assert not proved(replace(claim, statement=sp.Le(left, right - norm2_u**2, evaluate=False)))
