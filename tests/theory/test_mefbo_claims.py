"""MeFBO: the steps that Lemma D.8 admits, and which corrected readings have proofs."""

from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import one_round_free, rates_free, schedules
from rateproof.theory.papers.mefbo.lemma_g1 import FREE
from rateproof.theory.proof import Refused, check
from rateproof.verify.stored import proofs

_R = sp.Rational
CONSTANTS = {p.L_1: 1, p.L_2: 2, p.gamma: 0.2, p.c_t: 2, p.n: 10, p.P: 5, p.beta_max: 1, p.tau: 5}


def test_the_largest_admissible_steps():
    server, client = schedules.largest_steps(CONSTANTS)
    assert server > 0 and client > 0
    constants = {s: sp.Float(v) for s, v in CONSTANTS.items()}
    ratio = schedules.lyapunov(2, 0.2)["c_theta"]
    for share, admissible in ((0.999, True), (1.001, False)):
        steps = {p.lambda_theta: share * server, p.eta_theta: share * client}
        steps |= {p.lambda_x: ratio * share * server, p.lambda_y: ratio * share * server}
        steps |= {p.eta_x: share * client, p.eta_y: share * client}
        held = [
            bool(left <= right + 1e-9)
            for c in schedules.MENDED
            for left, right in [[schedules.expanded(side).subs({**constants, **steps}) for side in c.relation.args]]
            if c.relation.rel_op == "<="
        ]
        assert all(held) is admissible


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({p.gamma: 0.25}, r"gamma should be in \(0, 1/\(2 L_2\)\) = \(0, 0.25\)"),
        ({p.P: 11}, "P should be at most n = 10"),
    ],
)
def test_constants_out_of_range(changed, said):
    with pytest.raises(ValueError, match=said):
        schedules.largest_steps({**CONSTANTS, **changed})


def test_every_id_of_the_print_is_there():
    # 111 of the catalog, the step sizes of the experiments, and ten links of displayed chains
    assert len([c for c in catalog.claims("mefbo").values() if not c.amends]) == 122


@pytest.mark.parametrize("lemma", [one_round_free.MEASURE, one_round_free.TRACKING], ids=lambda lemma: lemma.id)
def test_the_round_without_constraints_rests_on_whole_spaces(lemma):
    check(lemma, lemma.proof, {}.get, proofs.merged(proofs.read("mefbo").values()))
    constrained = replace(lemma, hypotheses=tuple(h for h in lemma.hypotheses if h is not FREE))
    with pytest.raises(Refused, match="WholeSpace"):
        check(constrained, lemma.proof, {}.get)


def test_without_constraints_the_rate_is_that_of_all_work():
    claim = rates_free.SPEED_UP_FREE
    assert claim.statement.rhs == rates_free.C_free / sp.sqrt(p.P * p.tau * p.T)
    constant = claim.where[rates_free.C_free]
    assert not constant.has(p.T, p.P)
    # with all clients it stays bounded as the local steps grow
    of_tau = constant.subs(p.B_P, 0).subs(dict.fromkeys(constant.free_symbols - {p.tau}, 1))
    assert float(of_tau.subs(p.tau, 10**9)) < 3 * float(of_tau.subs(p.tau, 2))
    free = catalog.get("mefbo.thm3.4.free.corrected")
    amending = [c.id for c in catalog.claims("mefbo").values() if c.amends == "mefbo.thm3.4"]
    assert amending[0] == free.id
