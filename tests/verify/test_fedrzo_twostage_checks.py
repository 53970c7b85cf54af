"""Checks of the two-stage section: verdicts, planted errors, and families against runs of the methods."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.piecewise import absolute, affine, from_slopes
from rateproof.algos.problems.line_lower import LineTwoStage
from rateproof.algos.sets import Box, ClientSets, WholeSpace
from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.papers.fedrzo.notation import D0, m
from rateproof.theory.papers.fedrzo.twostage import CLAIMS
from rateproof.theory.papers.fedrzo.twostage.notation import ACCURATE
from rateproof.theory.symbols import C_O, n
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.counterexamples.replay import stored
from rateproof.verify.deciders import bounds
from rateproof.verify.deciders.growth import with_unit_constant
from rateproof.verify.evidence import Finding, Verdict, verdict
from rateproof.verify.falsify import falsify, spaces_of
from rateproof.verify.papers.fedrzo.branches import trace
from rateproof.verify.papers.fedrzo.twostage import (
    CHECKS,
    SHARP,
    SPACES,
    complexity,
    counts,
    descent,
    explicit,
    families,
    lower,
    runs,
)
from rateproof.verify.papers.fedrzo.twostage.families import pulled
from rateproof.verify.papers.fedrzo.twostage.solved_runs import (
    biased_trial,
    first_call_trial,
    one_step_trial,
    single_trials,
)
from rateproof.verify.planted.mutate import terms
from rateproof.verify.trial import evaluate

REFUTED = {
    *("rem5", "rem5.dependence", "thm2.i", "lem13.i", "lem13.ii", "thm2.i-ii", "thm2.iii", "thm2.iii-b", "thm2.iii-x"),
    *("thm2.iii.exponent", "rem6.i", "rem6.i.rate", "rem6.i.small", "thm2.iv-b", "tab3.rate", "tab3.proj"),
    *("exp4.tau", "exp4.H", "exp4.H.objective", "exp4.tab4"),
}
SUPPORTED = {"rem5.dependence.corrected", "rem5.unsuitable", "exp4.eta"}
COMPOSITES = {"rem5", "rem6.i", "st.14", "st.17", "exp4.vi", "exp4.H"}
ITEMS = [c.id.removeprefix("fedrzo.") for c in CLAIMS]


def claim_of(item):
    return catalog.get(f"fedrzo.{item}")


def judged(claim):
    return verdict(evidence_on(claim, Budget()))


def scaled(item, factor, index=0):
    """The claim with the right side of one relation multiplied."""
    claim = claim_of(item)
    relations = list(conjuncts(claim.statement))
    changed = relations[index]
    relations[index] = changed.func(changed.args[0], sp.Rational(factor) * changed.args[1], evaluate=False)
    return replace(claim, statement=relations[0] if len(relations) == 1 else sp.And(*relations, evaluate=False))


def without(item, key):
    claim = claim_of(item)
    assert any(h.key == key for h in claim.hypotheses)
    return replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key))


def test_verdicts(committed):
    expected = dict.fromkeys(ITEMS, Verdict.PROVED) | dict.fromkeys(REFUTED, Verdict.REFUTED)
    found = {item: result.verdict for item, result in committed("fedrzo", ITEMS).items()}
    assert found == expected | dict.fromkeys(SUPPORTED, Verdict.SUPPORTED)


def test_every_claim_is_checked_or_composite():
    assert {i.removeprefix("fedrzo.") for i in CHECKS} == set(ITEMS) - COMPOSITES
    assert SPACES.keys() | SHARP.keys() <= CHECKS.keys()


@pytest.mark.parametrize("item", sorted(REFUTED - COMPOSITES))
def test_records_refute_in_exact_arithmetic(item):
    example = stored("fedrzo")[f"fedrzo.{item}"]
    example.replayed()
    assert len(example.by_hand) < 500 and example.by_hand.endswith(".")


@pytest.mark.parametrize("item", sorted(i for i in REFUTED - COMPOSITES if f"{i}.corrected" in ITEMS))
def test_records_do_not_refute_what_is_corrected(item):
    example = stored("fedrzo")[f"fedrzo.{item}"]
    with pytest.raises((ValueError, KeyError)):
        example.replayed(claim_of(f"{item}.corrected"))


# --- planted errors: a smaller constant, a dropped hypothesis

SMALLER = [
    *(("lem12.ii", "99/100"), ("lem12.iii", "99/100"), ("lem12.iv", "99/100"), ("lem12.vi", "99/100")),
    *(("thm2.i.corrected", "99/100"), ("thm2.iii-a", "99/100"), ("thm2.iii-b.corrected", "99/100")),
    *(
        ("lem13.i.corrected", "1/3"),
        ("thm2.ii", "1/9"),
        ("thm2.i-ii.corrected", "1/9"),
        ("thm2.iii-x.corrected", "1/9"),
    ),
    *(("thm2.iv-b.corrected", "9/10"), ("rem6.ii", "1/2")),
]


@pytest.mark.parametrize(("item", "factor"), SMALLER)
def test_smaller_constants_are_refuted(item, factor):
    assert judged(scaled(item, factor)) is Verdict.REFUTED


#: Constants that the families do not exhaust: the proof fails, and nothing is called false.
UNPROVED = [
    "lem13.ii.corrected",
    "st.13",
    "st.14.step",
    "st.14.sums",
    "lem12.v",
    "st.17.contraction",
    "st.15",
    "st.17.step",
]


@pytest.mark.parametrize("item", UNPROVED)
def test_other_constants_are_not_proved(item):
    factor = "2" if item == "lem12.v" else "1/2"
    index = next(i for i, r in enumerate(conjuncts(claim_of(item).statement)) if r.rel_op in ("<=", ">="))
    assert judged(scaled(item, factor, index)) is not Verdict.PROVED


@pytest.mark.parametrize("item", ["lem12.ii", "lem12.iii", "lem12.iv", "lem12.vi"])
def test_the_square_of_the_dimension_is_needed(item):
    claim = claim_of(item)
    (relation,) = conjuncts(claim.statement)
    fewer = relation.args[1].xreplace({n**2: n})
    assert fewer != relation.args[1]
    assert judged(replace(claim, statement=sp.Le(relation.args[0], fewer, evaluate=False))) is Verdict.REFUTED


NEEDED = [
    *(("lem12.ii", "implicit_lipschitz_2s"), ("lem12.iii", "accuracy"), ("lem12.iv", "fresh"), ("lem12.v", "sets")),
    *(("lem13.i.corrected", "dissimilarity"), ("thm2.ii", "gamma_smooth_2s"), ("thm2.ii", "gamma_sets_2s")),
    *(("thm2.ii", "accuracy"), ("thm2.iii-a", "t_k"), ("thm2.iv-a", "H_com"), ("st.13", "lem12.v")),
    *(("rem6.i.comparison", "epsilon<=1/m"), ("exp4.vi.map", "costs")),
    *((f"thm2.{i}.corrected", "eps_all") for i in ("i-ii", "iii-b")),
    *(("thm2.iii-x.corrected", key) for key in ("gamma_sets_or_H=1", "frequency", "H_com", "tau", "fresh")),
    *(("thm2.iii-b.corrected", "K=T_R-1"), ("thm2.iii.exponent.corrected", "second_term")),
    ("thm2.i-ii.corrected", "lower_sets_compact"),
]


@pytest.mark.parametrize(("item", "key"), NEEDED)
def test_without_a_hypothesis_nothing_is_proved(item, key):
    assert judged(without(item, key)) is not Verdict.PROVED


@pytest.mark.parametrize("item", ["thm2.iii", "rem6.i.rate", "rem6.i.small", "tab3.rate"])
def test_complexities_need_all_that_the_explicit_bound_needs(item):
    item = f"{item}.corrected"
    assert complexity.from_bound(claim_of(item)).finding is Finding.PROOF
    for key in ("implicit_lipschitz_2s", "sets", "fresh", "alg5", "alpha", "B", "tau", "frequency", "k*", "K=T_R-1"):
        assert complexity.from_bound(without(item, key)).finding is Finding.INCONCLUSIVE


def with_hypothesis(claim, key, factor):
    """The claim with the right side of one hypothesis multiplied."""

    def changed(h):
        parts = [r.func(r.args[0], sp.sympify(factor) * r.args[1], evaluate=False) for r in conjuncts(h.relation)]
        return replace(h, relation=parts[0] if len(parts) == 1 else sp.And(*parts, evaluate=False))

    assert any(h.key == key for h in claim.hypotheses)
    return replace(claim, hypotheses=tuple(changed(h) if h.key == key else h for h in claim.hypotheses))


WEAKENED = [
    *((item, "tau", "1/2") for item in ("st.15", "thm2.iii-a", "thm2.iii-b.corrected", "thm2.iii-x.corrected")),
    *((item, "alpha", "2") for item in ("thm2.i.corrected", "thm2.i-ii.corrected", "thm2.iii.corrected")),
    *(("thm2.iii-a", "t_k", "1/2"), ("thm2.ii", "K=T_R-1", "1/2"), ("rem6.i.comparison", "epsilon<=1/m", "2")),
    *((f"{item}.corrected", "gamma_com", "1/2") for item in ("thm2.iii-x", "tab3.rate")),
    *(("thm2.iii.corrected", "gamma_com_eps", "1/2"), ("rem6.i.rate.corrected", "H_com_eps", "3")),
    ("thm2.iii-x.corrected", "H_com", "3"),
    *(("tab3.rate.corrected", "K>=m", "1/2"), ("thm2.iii.exponent.corrected", "second_term", m)),
]


@pytest.mark.parametrize(("item", "key", "factor"), WEAKENED)
def test_a_proof_is_for_the_hypotheses_as_they_are_stated(item, key, factor):
    copy = with_hypothesis(claim_of(item), key, factor)
    assert judged(copy) in (Verdict.SUPPORTED, Verdict.UNDECIDED, Verdict.INCONSISTENT)


def test_weaker_hypotheses_make_the_claims_false():
    few = lower.law_trial(lower.Law(1000, 2.0, 1.7381))
    for item in ("st.15", "thm2.iii-a", "thm2.iii-b.corrected"):
        assert not evaluate(claim_of(item), few).admissible
        outcome = evaluate(with_hypothesis(claim_of(item), "tau", "1/2"), few)
        assert outcome.admissible and outcome.worst.ratio > 5


@pytest.mark.parametrize("item", ["thm2.iii-x", "thm2.iii", "tab3.rate"])
@pytest.mark.parametrize("name", ["Theta1_2s", "Theta3_2s", "kappa_F"])
def test_a_proof_is_for_the_constants_as_they_are_defined(item, name):
    claim = claim_of(f"{item}.corrected")
    where = {s: 0 * e if str(s) == name else e for s, e in claim.where.items()}
    assert where != dict(claim.where)
    assert judged(replace(claim, where=where)) is not Verdict.PROVED


def test_the_definition_of_the_condition_number_counts():
    claim = claim_of("thm2.i-ii.corrected")
    where = {s: e / 2 if str(s) == "kappa_F" else e for s, e in claim.where.items()}
    assert judged(replace(claim, where=where)) is not Verdict.PROVED


DROPPED = [
    *(("thm2.i.corrected", "monotone_queried"), ("thm2.i-ii.corrected", "monotone_queried")),
    *(("lem13.ii.corrected", "S-lem13_eta"), ("tab3.rate.corrected", "K>=K_0")),
    *(("thm2.iii-x.corrected", "gamma_smooth_2s"), ("thm2.iii-x.corrected", "monotone_queried")),
    ("rem6.i.small.corrected", "monotone_queried"),
]


@pytest.mark.parametrize(("item", "key"), DROPPED)
def test_hypotheses_of_corrected_claims_are_needed(item, key):
    assert judged(without(item, key)) is Verdict.REFUTED


IS_TERM = {"1": lambda t: t == 1, "K_0": lambda t: t.has(sp.Max), "D0": lambda t: t.has(D0)}


def without_term(item, gone):
    claim = claim_of(item)
    (relation,) = conjuncts(claim.statement)
    terms = sp.Add.make_args(sp.expand(relation.args[1] / C_O))
    kept = [t for t in terms if not IS_TERM[gone](t)]
    assert len(kept) == len(terms) - 1
    return replace(claim, statement=sp.Le(relation.args[0], C_O * sp.Add(*kept), evaluate=False))


@pytest.mark.parametrize("gone", sorted(IS_TERM))
def test_dropping_a_term_of_the_corrected_complexity_is_noticed(gone):
    copy = without_term("thm2.iii.corrected", gone)
    assert judged(copy) is Verdict.REFUTED
    # and the proof alone does not go through
    assert complexity.from_bound(copy).finding is Finding.INCONCLUSIVE


def test_one_iteration_is_needed_for_a_large_epsilon():
    claim = without_term("thm2.iii.corrected", "1")
    ratios = []
    for eta in (1e2, 1e4, 1e6):
        trial = with_unit_constant(families.kink(eta))
        outcome = evaluate(claim, trial)
        assert outcome.admissible and trial.values["K_eps"] == 1
        ratios.append(outcome.worst.ratio)
    assert ratios[0] > 5 and ratios[2] > 1e8
    setting = runs.Setting(slopes=(1.0,), kinked=True, width=None, eta=3.0, gamma=1.0, H=1, rounds=2)
    assert runs.whole(setting).values["grad_kstar"] < 10 and runs.whole(setting).values["D0"] == pytest.approx(0)


def test_the_record_of_the_explicit_bound_is_within_the_caps_of_part_ii():
    outcome = evaluate(claim_of("thm2.iii-x"), families.slow_by_rule(15**4, 1e-3))
    assert outcome.admissible and {"gamma_sets_2s", "gamma_smooth_2s"} <= outcome.holds.keys()
    assert outcome.worst.lhs == pytest.approx(0.0613, rel=0.01) and outcome.worst.rhs == pytest.approx(0.0322, rel=0.01)
    assert "gamma_sets_2s" in evaluate(claim_of("thm2.iii-x"), families.slow_by_rule(14**4, 1e-3)).failed


def test_with_one_step_a_round_the_sets_ask_for_no_small_step():
    """K from K_0 on with H = 1, where the first step condition of part (ii) fails: many clients, few iterations."""
    claim, m, eta = claim_of("thm2.iii-x.corrected"), 1e4, 1.0
    trial = families.slide(m, 256 * m * 4 / eta**2, eta=eta)
    outcome = evaluate(claim, trial)
    assert trial.values["H"] == 1 and outcome.admissible and outcome.worst.ratio < 1
    assert evaluate(claim_of("tab3.rate.corrected"), with_unit_constant(trial)).admissible
    assert "gamma_sets_2s" in evaluate(claim_of("thm2.iii-x"), trial).failed


def test_the_case_of_one_step_needs_the_lemmas_of_a_step():
    claim = claim_of("thm2.iii-x.corrected")
    accurate = replace(claim, hypotheses=(*claim.hypotheses, ACCURATE))
    assert descent.without_drift(accurate).finding is Finding.PROOF
    for key in ("accuracy", "fresh", "implicit_lipschitz_2s", "gamma_smooth_2s", "k*", "frequency"):
        copy = replace(accurate, hypotheses=tuple(h for h in accurate.hypotheses if h.key != key))
        assert descent.without_drift(copy).finding is Finding.INCONCLUSIVE


def test_exponents_of_counts():
    claim = claim_of("thm2.iv-a")
    copy = replace(claim, statement=claim.statement.subs(sp.Rational(3, 4), sp.Rational(7, 10)))
    assert copy.statement != claim.statement
    assert judged(copy) is Verdict.REFUTED


# --- families against the methods


def slow_problem(delta):
    """The instance of ``families.slow``, with theta between 2/3 and 4/3 linear."""
    slope = (delta - 1) / (2 / 3)
    theta = from_slopes([-4 / 3, -2 / 3, 2 / 3, 4 / 3], [0.0, -slope, 0.0, slope, 0.0], through=(0.0, 1.0))
    return LineTwoStage(
        [affine(slope=0.0)],
        [affine(slope=1.0)],
        target=affine(slope=0.25, intercept=0.5),
        theta=theta,
        low=absolute(slope=-1.0) + affine(slope=0.0, intercept=-2.0),
        high=absolute(slope=1.0) + affine(slope=0.0, intercept=2.0),
        intervals=[(0.0, 0.0)],
        mu_F=1.0,
        L_F=2.0,
    )


@pytest.mark.parametrize("delta", [0.1, 0.001])
def test_the_slow_family_is_the_method(delta):
    problem = slow_problem(delta)
    facts = problem.facts()
    assert facts["monotone"].holds and not facts["monotone_everywhere"].holds
    c = problem.constants
    values = families.slow_values()
    assert (c.L0, c.L_y, c.B1, c.B2) == (values["L_imp"], values["L_y"], values["B1"], values["B2"])
    method = FedRZO_2s(gamma=0.5, eta=2.0, solver=ProjectionMethod(alpha=0.25, tau=3.5, y0=0.5))
    run = trace(method, problem, 0.0, rounds=12)
    smoothed = problem.smoothed(2.0)
    measured = run.mean(run.grad_F(smoothed) ** 2).mean()
    assert measured == pytest.approx(families.slow_moments(11, 0.5, delta), rel=1e-12)
    assert float(smoothed.F(np.zeros((1, 1)))[0]) - smoothed.F_star == pytest.approx(1 / 16)
    reach = np.abs(np.concatenate([run.x, run.x + run.v])).max() / 4
    assert reach**2 <= values["B_2s"]


def test_the_slow_family_falls_as_slowly_as_claimed():
    for decade in (2, 3, 4):
        epsilon = families.slow_needs(decade).values["epsilon"]
        K = 10**decade - 1
        assert families.slow_moments(K, K**-0.5, 0.1) > epsilon


@pytest.mark.parametrize("m", [3, 12])
def test_the_sliding_family_is_the_method(m):
    K, eta = 11, 0.25
    losses = [affine(slope=1.0)] * m
    problem = LineTwoStage(
        losses, [affine(slope=0.0)] * m, target=affine(slope=0.0), low=-1.0, high=1.0, intervals=[(0.0, 0.0)] * m
    )
    gamma = (m / K) ** 0.5
    x = np.zeros(1)
    smoothed = problem.smoothed(eta)
    total = []
    for _ in range(K + 1):
        slope = smoothed.grad_F(x[:, None])[0, 0]
        total.append(slope**2)
        x = x - gamma * slope
    assert families.slide(m, K, eta=eta).values["grad_kstar"] == pytest.approx(np.mean(total), rel=1e-9)
    assert families.slide(m, K, eta=eta).values["D0"] == pytest.approx(
        smoothed.F(np.zeros((1, 1)))[0] - smoothed.F_star
    )


@pytest.mark.parametrize("m", [7.0, 100.0])
def test_few_iterations_miss_the_accuracy(m):
    needed = families.slide_needs(m).values["K_eps"]
    assert needed == 4 * m
    for K in np.linspace(m / 10, needed - 1, 7):
        assert families.slide(m, K).values["grad_kstar"] > 0.5


def test_far_starts_need_many_iterations():
    for start in (10.0, 100.0):
        needed = families.descent_needs(start).values["K_eps"]
        for K in (needed / 10, needed - 1):
            k = np.arange(int(K) + 1)
            # the other half are not all at the minimum
            assert ((start - k / np.sqrt(int(K)) >= 1).mean()) >= 0.5


def test_counts_are_those_of_the_method():
    problem = slow_problem(0.1)
    method = FedRZO_2s(gamma=0.1, eta=2.0, solver=ProjectionMethod(alpha=0.25, tau=3.5, y0=0.5))
    run = trace(method, problem, 0.0, rounds=8)
    assert run.lower is not None
    assert run.lower.cost.projections == counts.projections_of(7, 3.5, 1)


def test_queries_turn_back_and_forth():
    claim = claim_of("thm2.i")
    for trial in lower.queries():
        outcome = evaluate(claim, trial)
        assert outcome.admissible and outcome.worst.ratio == pytest.approx((4 / 3) ** trial.values["t_2s"])


@pytest.mark.parametrize(("dimension", "clients"), [(1, 1), (1, 2), (4, 1), (3, 2)])
def test_the_cone_is_what_the_estimates_are_there(dimension, clients):
    trial = families.cone(dimension, clients)
    eta, slope, in_y, error = 0.5, 2.0, 3.0, 0.1
    # +-e_j: the first two moments of a direction are those of the uniform law
    draws = [s * np.eye(dimension)[j] for j in range(dimension) for s in (1.0, -1.0)]
    rise = slope * eta
    g = np.array([dimension / eta * rise * u for u in draws])
    w = np.array([dimension / eta * 2 * in_y * error * u for u in draws])
    assert np.abs(g.mean(axis=0)).max() == 0
    for name, of_client, of_mean in (("g2_2s", g, "path2_2s"), ("w2_2s", w, "wbar2_2s")):
        assert trial.values[name] == pytest.approx((of_client**2).sum(axis=1).mean())
        means = of_client if clients == 1 else (of_client[:, None] + of_client[None, :]).reshape(-1, dimension) / 2
        assert trial.values[of_mean] == pytest.approx((means**2).sum(axis=1).mean())
    for item in ("lem12.ii", "lem12.iii", "lem12.iv"):
        outcome = evaluate(claim_of(item), trial)
        assert outcome.admissible and outcome.worst.ratio == pytest.approx(1.0)


def test_enumerated_metrics_where_they_are_known():
    one = runs.Setting(slopes=(1.0,), in_y=1.0, error=0.5, H=2, width=None)
    values = runs.step_values(one, 1)
    assert values["g2_2s"] == pytest.approx(1.0) and values["w2_2s"] == pytest.approx(4 * 0.25)
    drift = runs.step_values(runs.Setting(eta=1 / 480, gamma=1 / 15, H=3), 5)["eb_2s"]
    assert drift == pytest.approx(4.0)
    with pytest.raises(ValueError, match="branches"):
        runs.run_of(runs.Setting(H=20))


@pytest.mark.parametrize("item", ["lem13.i", "lem13.ii", "thm2.i", "thm2.iii-b"])
def test_the_search_finds_the_violations(item):
    claim = claim_of(item)
    found = falsify(claim, spaces_of(claim), seconds=float("inf"), examples=60)
    assert found.evidence.violated is not None


@pytest.mark.parametrize("item", ["lem12.iv", "lem13.i.corrected", "lem13.ii.corrected", "thm2.i.corrected", "thm2.ii"])
def test_the_search_accuses_nothing_true(item):
    claim = claim_of(item)
    found = falsify(claim, spaces_of(claim), seconds=float("inf"), examples=60)
    assert found.evidence.violated is None and found.evidence.instances > 20


@pytest.mark.parametrize("item", sorted(complexity.LADDERS))
def test_ladders_refute_what_is_printed_and_not_what_is_corrected(item):
    for end, refuted in (("", True), (".corrected", False)):
        claim = claim_of(item + end)
        found = falsify(claim, spaces_of(claim), seconds=float("inf"), examples=5)
        assert (found.evidence.violated is not None) is refuted


def test_the_search_finds_the_slow_lower_level():
    claim = claim_of("thm2.i-ii")
    found = falsify(claim, spaces_of(claim), seconds=float("inf"), examples=10)
    assert found.evidence.violated is not None


@pytest.mark.parametrize(
    "bound", [[(0.0, np.inf)], [(0.0, np.inf), None, None], [(-1.0, 1.0), (-2.0, 0.0)], [(0.0, 0.0)]]
)
def test_a_constraint_forces_a_dissimilarity_of_at_least_one(bound):
    sets = ClientSets([WholeSpace(1) if b is None else Box(np.array([b[0]]), np.array([b[1]])) for b in bound])
    assert sets.B2 >= 1
    ratios = []
    for far in (-1e3, -1e6, -1e9):
        x = np.full((1, len(bound), 1), far)
        mean2 = float(sets.dist2(x[:, 0]).mean())
        ratios.append(mean2 / float((x - sets.project(x)).mean() ** 2))
    assert ratios[-1] >= 1 - 1e-6


def test_the_accuracy_of_the_answers_alone_needs_its_term():
    """Theorem 2 (ii): answers that are wrong to one side, and runs whose answers are right."""
    claim = catalog.get("fedrzo.thm2.ii")
    needed = {
        trials: {t.name for t in terms(claim) if (bounds.decide(t.scaled(0), made, method="").worst_ratio or 0) > 1}
        for trials, made in (("biased", [biased_trial()]), ("right", list(single_trials())))
    }
    assert needed["biased"] == {"8*Theta3_2s*sum_eps_2s/T_R"}
    assert {"8*Theta1_2s*gamma/m", "8*H**2*Theta2_2s*Theta5_2s*gamma**2"} < needed["right"]


def solved_metric(eta, gamma, tau, K):
    """The run of ``_SOLVED``: X = {0}, and ``-2^-t_k/eta`` is the estimate, as the queries x +- eta are beyond 1."""
    x = total = 0.0
    for k in range(K + 1):
        total += (x / eta) ** 2
        x -= gamma * (x / eta - 0.5 ** math.ceil(tau * math.log(k + 1)) / eta)
        assert 0 <= x < 1
    return total / (K + 1)


def test_errors_of_the_first_call_are_as_large_as_told():
    told = first_call_trial(10.0).values
    assert told["grad_kstar"] <= solved_metric(10.0, told["gamma"], 3.5, int(told["K_it"]))
    for fewer in (1, 2, 5, 30, 1000, int(told["K_it"]) - 1):
        assert solved_metric(10.0, fewer**-0.5, 3.5, fewer) > told["epsilon"]


def test_errors_that_one_step_halves_are_as_large_as_told():
    assert one_step_trial().values["grad_kstar"] <= 1.01 * solved_metric(2.0, 1e-2, 1e-9, 10**5)


@pytest.mark.parametrize(("start", "gamma"), [(1.0, 0.1), (0.0, 3.0)])
def test_clients_are_pulled_apart_as_the_method_moves_them(start, gamma):
    slope = 0.25
    problem = LineTwoStage(
        [affine(slope=-slope), affine(slope=slope)],
        [affine(slope=0.0)] * 2,
        target=affine(slope=0.0),
        low=-1.0,
        high=1.0,
        intervals=[(-np.inf, 0.0), (-np.inf, np.inf)],
    )
    run = trace(FedRZO_2s(gamma=gamma, eta=1.0, H=2), problem, start, rounds=1)
    told = pulled(start, gamma=gamma, slope=slope).values
    slopes = run.mean(run.grad_F(problem.smoothed(1.0)) ** 2)
    path = run.mean((run.g + run.penalty).mean(axis=2) ** 2)
    found = {"eb_2s": run.mean(run.eb)[1], "sum_grad_2s": slopes[0], "grad2_2s": slopes[1], "path2_2s": path[1]}
    assert found == pytest.approx({name: told[name] for name in found})


def test_the_second_term_of_theorem_2_iii_is_not_needed():
    """Neither where it comes from nor where it goes; the bound without another term is not shown."""
    for item in ("thm2.ii", "thm2.iii-x.corrected"):
        claim = catalog.get(f"fedrzo.{item}")
        shown = explicit.substituted if "iii-x" in item else descent.proof_of
        found = {t.name: shown(t.scaled(0)).finding for t in terms(claim) if "Theta4" in t.name or "Theta3" in t.name}
        assert [name for name, finding in found.items() if finding is Finding.PROOF] == [n for n in found if "a4" in n]
