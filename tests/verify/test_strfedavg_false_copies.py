"""Copies of proved claims that need not be true: every proof reads statement, hypotheses and definitions.

Instances are left out here, so that what is tested is the proof alone: it must not go through where it does not apply,
whether or not an instance would contradict it.
"""

import json
from dataclasses import replace
from importlib.resources import files

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.papers.strfedavg import notation as nt
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import C_O, R, T, a, b, eta, gamma_t, p
from rateproof.verify import registry
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence, Finding, Level

CHECKS = {one.claim.id: one.check for one in registry.records("strfedavg") if one.check}
q = sp.Rational
SIZES = ("S<=N", "K>=1", "gamma_g>=1")
CALL = (
    *SIZES,
    "gamma_l <= 1/(16 (L_h + eta)^2 (1 + B_ncvx^2) K gamma_g)",
    "R_t >= 16 (L_h + eta_hat)^2 (1 + B_ncvx^2)",
)

pytestmark = pytest.mark.sweep(20)
BELOW = ("h_smooth", "f_bounded_below")

#: Claims with a proof outside the kernel, and the hypotheses that it does without: the claim is as true without any one
#: of them. Sizes and step conditions are not needed in what is algebra. Copies of claims that the kernel
#: proves are in ``tests/theory/test_proof_strfedavg.py``.
UNNEEDED = {
    "thm1.Rcond": (*SIZES, "f_strongly_convex", "0<b<a<=1", "p>=1"),
    "thm2.Rcond": (*SIZES, "R>=1", "0<b<a<=1"),
    "rem2": (),
    "rem3": ("h_smooth",),
    "rem4": (),
    "rem6": (),
    "id.Flam.envelope.corrected": ("h_smooth",),
    "id.Flam.gradient.corrected": ("h_smooth",),
    "id.etahat.formula": (),
    "id.etahat.eleven.corrected": (),
    "id.etahat.six_over_e.corrected": (),
    "id.huber.corrected": (),
    "id.lsp": (),
    "id.ws-dist.jensen": (),
    "id.ws-dist.eq13.corrected": (),
    "step.1.sum": (),
    "step.1.product": (),
    "step.1.coefficient": (),
    # the definitions of the claim put 1 - a for b
    "step.2.equality.corrected": ("0<b<a<=1", "p>=1", "a+b=1"),
    "step.2.inequality.corrected": ("p>=1", "R>=1"),
    "step.4.weights.corrected": (),
    "step.7.jensen": (*BELOW, "f_convex", "f_smooth"),
    "step.13.general.corrected": ("0<b<a<=1", "p>=1"),
    "step.13.ip": (),
    "step.10.update.corrected": (),
    "step.10.expansion": (),
    "step.10.theta.corrected": (),
    "step.10.condition.corrected": (),
    "step.10.descent.corrected": (),
    "step.10.summed": (),
    "step.10.average": (),
    "step.11.s1": (),
    "step.11.s1'.corrected": (),
    # at T = 1 the right side is 1/ln(1), which counts as +oo
    "step.11.s2.corrected": ("T>=2",),
    "step.11.s3.corrected": ("T>=2",),
    "step.11.s4.corrected": ("kappa>1",),
    "step.11.s5": (),
    "step.11.s6.corrected": (),
    "step.11.s7": (),
    "step.11.s8": (),
    "step.11.s9": (),
    "step.12.subadditivity": (),
    "step.12.factor.corrected": ("kappa>1",),
    "step.15.start.corrected": (
        *("projection", "h_convex", "h_smooth", "X_h_nonempty", "inner_attain_minimum"),
        *("unbiased", "variance_bounded", "independent_noise"),
        *SIZES,
    ),
    "step.15.i-display.corrected": (*CALL, "kappa>1"),
    "step.15.i-schedule.corrected": (*CALL, "kappa>1", "0<b<a", "p>=1"),
    "step.15.ii-display": CALL,
    "step.15.ii-schedule.corrected": (*CALL, "kappa=1", "p>=1", "eta<=alpha/(2||grad F_lambda(x^{t*})||)"),
}


def claim_of(item):
    return catalog.get(f"strfedavg.{item}")


@pytest.fixture(autouse=True)
def without_instances(monkeypatch):
    unseen = Evidence(Finding.INCONCLUSIVE, Level.FLOAT, "left out", "left out")
    monkeypatch.setattr(bounds, "decide", lambda *args, **options: unseen)


def proves(claim):
    return any(e.finding is Finding.PROOF and not e.reading for e in evidence_on(claim, Budget()))


def with_relation(claim, key, change):
    """A copy in which a hypothesis says what ``change`` makes of its relation."""
    changed = [replace(h, relation=change(h.relation)) if h.key == key else h for h in claim.hypotheses]
    assert changed != list(claim.hypotheses)
    return replace(claim, hypotheses=tuple(changed))


TURNED = {"<=": sp.Ge, ">=": sp.Le, "<": sp.Gt, ">": sp.Lt, "==": sp.Le}


def turned(relation, which=0):
    """The same with one of its relations turned round; an equation becomes an inequality."""
    parts = list(conjuncts(relation))
    parts[which] = TURNED[parts[which].rel_op](*parts[which].args, evaluate=False)
    return parts[0] if len(parts) == 1 else sp.And(*parts, evaluate=False)


def test_the_table_is_of_the_claims_with_a_proof():
    lines = (files("rateproof.verify.papers.strfedavg") / "baseline.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    proved = {each["claim"] for each in found if each["verdict"] == "proved" and each["claim"] in CHECKS}
    # proofs in the kernel have copies of their own
    by_kernel = {c.id for c in catalog.claims("strfedavg").values() if c.proof}
    assert proved - by_kernel == {f"strfedavg.{item}" for item in UNNEEDED}


# the others are proved again in the next test, without what they do not need
@pytest.mark.parametrize("item", [item for item, unneeded in UNNEEDED.items() if not unneeded])
def test_the_claim_itself_is_proved(item):
    assert proves(claim_of(item))


@pytest.mark.parametrize("item", UNNEEDED)
def test_a_proof_uses_the_hypotheses_that_it_needs(item):
    claim = claim_of(item)
    unused = set()
    for h in claim.hypotheses:
        if proves(replace(claim, hypotheses=tuple(x for x in claim.hypotheses if x is not h))):
            unused.add(h.key)
    assert unused == set(UNNEEDED[item])


def used_relations():
    for item, unneeded in UNNEEDED.items():
        for h in claim_of(item).hypotheses:
            if h.key not in unneeded:
                yield from ((item, h.key, k) for k, _ in enumerate(conjuncts(h.relation)))


@pytest.mark.parametrize(("item", "key", "which"), list(used_relations()))
def test_a_proof_reads_what_a_hypothesis_says(item, key, which):
    assert not proves(with_relation(claim_of(item), key, lambda relation: turned(relation, which)))


#: Relations that are as true the other way round: both sides are equal.
EITHER_WAY = {("rem3", 0), ("rem3", 1), ("step.8.constant.corrected", 0)}


def directions():
    for item in UNNEEDED:
        for k, relation in enumerate(conjuncts(claim_of(item).statement)):
            if (item, k) not in EITHER_WAY and relation.rel_op != "==":
                yield item, k


@pytest.mark.parametrize(("item", "which"), list(directions()))
def test_a_proof_reads_the_direction_of_its_statement(item, which):
    claim = claim_of(item)
    assert not proves(replace(claim, statement=turned(claim.statement, which)))


def test_an_upper_bound_is_no_equation():
    for item in ("step.10.summed", "step.10.average", "thm1.Rcond", "thm2.Rcond", "rem4", "step.10.update.corrected"):
        claim = claim_of(item)
        (relation,) = conjuncts(claim.statement)
        for other in (sp.Eq, sp.Lt):
            assert not proves(replace(claim, statement=other(*relation.args, evaluate=False))), item


#: Weaker hypotheses and other definitions, by what they are put in for.
WEAKER = {
    "Err bounds half of the gap": ("prop2.i-2", "Err", lambda r: sp.Ge(r.lhs, r.rhs / 2, evaluate=False)),
    "Err is short by 1": ("step.6", "Err", lambda r: sp.Ge(r.lhs, r.rhs - 1, evaluate=False)),
    "M bounds half of the gap": ("prop2.ii-2", "M", lambda r: sp.Gt(r.lhs, sp.Max(0, -nt.gap_f / 2), evaluate=False)),
    "M is positive only": ("prop5.i-1", "M", lambda r: sp.Gt(r.lhs, 0, evaluate=False)),
    "eta twice as large": (
        "prop5.iii-2.corrected",
        "eta<=alpha/(2||grad f(x*)||)",
        lambda r: le(r.lhs / 2, r.rhs),
    ),
    "order above 1/2": ("prop2.ii-3", "kappa>1", lambda r: sp.Gt(r.lhs, q(1, 2), evaluate=False)),
    "order at least 1/2": ("id.ws-dist.jensen", "kappa>=1", lambda r: sp.Ge(r.lhs, q(1, 2), evaluate=False)),
    "roots of order 1/2": ("step.12.subadditivity", "kappa>=1", lambda r: sp.Ge(r.lhs, q(1, 2), evaluate=False)),
    "a smaller threshold": ("thm2.Rcond", "R_threshold_c", lambda r: sp.Ge(r.lhs, r.rhs / 2, evaluate=False)),
    "a threshold for another number": ("thm1.Rcond", "R_threshold", lambda r: sp.Ge(T, r.rhs, evaluate=False)),
    "few rounds": ("thm1.Rcond", "R>=1", lambda r: sp.Ge(r.lhs, q(1, 10), evaluate=False)),
    "theta of any sign": (
        "step.4.factor.corrected",
        "0<eta mu_f gamma_t/2<1",
        lambda r: sp.And(r.args[0], sp.Lt(eta * gamma_t * nt.mu_f / 2, 2, evaluate=False), evaluate=False),
    ),
    "half of Lemma 6": ("step.3", "lem6", lambda r: le(r.lhs / 2, r.rhs)),
    "another telescoped sum": (
        "step.5.average",
        "step.5.telescoping",
        lambda r: sp.Eq(r.lhs, 2 * r.rhs, evaluate=False),
    ),
    "twice the gap": ("step.9.optimum", "f_eta*<=h*+eta f*", lambda r: le(r.lhs, 2 * r.rhs)),
    "a + b up to 2": ("step.15.i-schedule.corrected", "a+b<=1", lambda r: le(a + b, 2)),
    "another stepsize": (
        "step.15.i-schedule.corrected",
        "gamma_t=R_t^-a",
        lambda r: sp.Eq(gamma_t, R ** (-2 * a), evaluate=False),
    ),
    "another regularisation": (
        "step.15.i-schedule.corrected",
        "eta_t=p ln R_t/R_t^b",
        lambda r: sp.Eq(nt.eta_g, p / R**b, evaluate=False),
    ),
    "a display with twice the bound": ("step.15.ii-display", "prop3.iii-3", lambda r: le(r.lhs, 2 * r.rhs)),
    "longer steps": (
        "step.10.descent.corrected",
        "gamma<=3lam/(4(L_f lam+2))",
        lambda r: le(r.lhs, 2 * r.rhs),
    ),
}


@pytest.mark.parametrize("name", WEAKER)
def test_a_weaker_hypothesis_does_not_do(name):
    item, key, change = WEAKER[name]
    assert not proves(with_relation(claim_of(item), key, change))


@pytest.mark.parametrize(
    ("item", "symbol", "change"),
    [
        ("lem2.corrected", nt.B2, lambda d: d / 2),
        ("lem2.corrected", nt.G2, lambda d: d / 2),
        ("lem1.corrected", nt.G_f2, lambda d: d / 2),
        ("lem3.corrected", nt.B_ncvx2, lambda d: d / 2),
        ("lem4", nt.L, lambda d: d / 2),
        ("step.9.curvature.corrected", nt.B2, lambda d: d / 2),
        ("step.9.dissimilarity.corrected", nt.G2, lambda d: d / 2),
        ("step.1.coefficient", nt.theta, lambda d: 2 * d),
        ("step.1.sum", nt.Theta_R, lambda d: d / 2),
        ("step.4.weights.corrected", nt.Theta_R, lambda d: d / 2),
        ("step.15.i-schedule.corrected", nt.T0, lambda d: 2 * d),
        ("step.15.ii-schedule.corrected", nt.theta, lambda d: 2 * d),
        ("thm1.Rcond", nt.B2, lambda d: 2 * d),
        ("thm2.Rcond", nt.B2, lambda d: d / 2),
        ("id.etahat.formula", nt.eta_max_sc, lambda d: 2 * d),
        ("id.etahat.eleven.corrected", nt.eta_max_ip, lambda d: 2 * d),
        ("step.10.summed", nt.c_e, lambda d: d / 4),
    ],
)
def test_a_proof_reads_the_definitions(item, symbol, change):
    claim = claim_of(item)
    assert not proves(replace(claim, where={**claim.where, symbol: change(claim.where[symbol])}))


@pytest.mark.parametrize(
    ("item", "statement"),
    [
        ("rem2", sp.Eq(2 * sp.Max(1, 3, evaluate=False), 3, evaluate=False)),
        ("rem2", None),
        ("rem6", le(nt.eta_g, 0)),
        ("id.etahat.formula", le(nt.eta_max_sc, 0)),
        ("rem4", sp.Eq(sp.Sum(T, (T, 0, 2)), C_O * T**2, evaluate=False)),
        ("step.10.update.corrected", le(nt.E_dist, 0)),
        ("step.15.i-display.corrected", sp.S.true),
        ("step.12.factor.corrected", sp.Ne(nt.w1, 2 * nt.w1, evaluate=False)),
        ("id.Flam.envelope.corrected", sp.Eq(nt.E_dist, nt.dist_y**2 / (2 * nt.lam), evaluate=False)),
    ],
)
def test_another_statement_is_not_proved(item, statement):
    assert not proves(replace(claim_of(item), statement=statement))


@pytest.mark.parametrize(
    ("item", "symbol", "change"),
    [
        ("id.huber.corrected", nt.grad_env_l1_y, lambda side: side.replace(sp.sign, lambda _: sp.S.One)),
        ("id.huber.corrected", nt.env_l1_y, lambda side: side.replace(sp.Abs, lambda x: x)),
        ("id.lsp", nt.prox_lsp, lambda side: side.replace(sp.sign, lambda _: sp.S.One)),
        ("id.lsp", nt.env_lsp, lambda side: side.replace(sp.Abs, lambda x: x)),
    ],
)
def test_an_even_function_is_proved_on_both_sides(item, symbol, change):
    claim = claim_of(item)
    parts = [sp.Eq(r.lhs, change(r.rhs), evaluate=False) if r.lhs == symbol else r for r in conjuncts(claim.statement)]
    assert set(parts) != set(conjuncts(claim.statement))
    assert not proves(replace(claim, statement=sp.And(*parts, evaluate=False)))


def test_sharpness_of_order_1_leaves_constant_losses_only_where_it_is_supposed():
    claim = claim_of("prop2.iii-1")

    def vacuous(copy):
        return any(e.finding is Finding.VACUOUS for e in evidence_on(copy, Budget()))

    assert vacuous(claim)
    for key in ("weak_sharp", "h_smooth", "kappa=1"):
        assert not vacuous(replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key)))
    assert not vacuous(with_relation(claim, "kappa=1", turned))
