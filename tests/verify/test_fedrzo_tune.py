"""``rateproof tune`` for fedrzo: schedules, exponents, best choices and what instances truly reach."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.methods.fedrzo_lower import FedRZO_bl
from rateproof.algos.piecewise import affine, huber
from rateproof.algos.problems.line import LineProblem, Steps
from rateproof.algos.problems.line_lower import LineBilevel
from rateproof.theory import catalog
from rateproof.theory.papers.fedrzo.notation import H, K_it, gamma, m
from rateproof.theory.papers.fedrzo.single.schedules import S_COM
from rateproof.theory.symbols import R
from rateproof.verify.experiments import tune
from rateproof.verify.papers.fedrzo import tune as fedrzo
from rateproof.verify.papers.fedrzo.branches import trace
from rateproof.verify.papers.fedrzo.tune.bounds import GROUPS, METRIC, exponents, growth, schedule
from rateproof.verify.papers.fedrzo.tune.instances import Bowl, Pull

ONE_EACH = ("fedrzo.prop1.i", "fedrzo.thm1.i", "fedrzo.thm2.ii")
SETTINGS = (
    {},
    {"n": Fraction(3), "m": Fraction(4), "eta": Fraction(1, 5)},
    {"m": Fraction(1), "B1": Fraction(1, 2), "B2": Fraction(2), "spread": Fraction(1, 4)},
)


# --- end to end


def test_the_first_proposition_for_a_number_of_iterations(tuned):
    code, out, err = tuned("fedrzo.prop1.i", "--iterations", "1000", "--set", "L0=2")
    assert (code, err) == (0, "")
    assert "bound: fedrzo.prop1.i.corrected, as fedrzo.prop1.i fails" in out and "exact moments" in out
    assert "at K = 1000" in out and "iterations to accuracy eps; the paper takes a=1/2, b=1/4" in out
    # the printed step condition fails, and that of the corrected claim
    assert "paper: breaks gamma <= eta/(12 sqrt(3) B_2 (L_0 n + 1) H)" in out


def test_the_first_theorem_for_a_number_of_rounds_as_json(tuned):
    code, out, err = tuned("fedrzo.thm1.ii", "--rounds", "1e6", "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["claim"], report["rounds"]) == ("fedrzo.thm1.ii", 1e6)
    paper, best = report["schedules"]
    # a shared direction: the bound depends on gamma H alone, and 10 local steps are no better than one
    assert (paper["H"], best["H"]) == (10.0, 1.0) and best["gamma"] * best["H"] < paper["gamma"] * paper["H"]
    assert best["bounds"][METRIC] < paper["bounds"][METRIC]
    assert (best["measured"]["iteration count"], paper["measured"]["iteration count"]) == (1e6, 1e7)
    assert best["paper_rounds_to_bound"] > 1e6 and best["certified_gap"] < 1e-5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prop1.i"], ["give one horizon, --rounds or --iterations"]),
        (["prop1.i", "--rounds", "9", "--iterations", "9"], ["give one horizon, --rounds or --iterations"]),
        (["prop1.i", "--iterations", "none"], ["--iterations none", "from 3 to 1e+15"]),
        (["prop1.i.corrected", "--rounds", "9"], ["tune works on the printed claim, fedrzo.prop1.i"]),
        (["tab1.this", "--rounds", "9"], ["no explicit bound to tune", "fedrzo.thm2.*"]),
        (["thm2.ii", "--rounds", "9", "--set", "nu=1"], ["unknown setting 'nu'"]),
        (["prop1.i", "--rounds", "9", "--set", "L0=0"], ["L0 = 0 should be positive"]),
        (["prop1.i", "--rounds", "9", "--set", "m=5/2"], ["m = 2.5 should be a whole number"]),
        (["prop1.i", "--rounds", "9", "--set", "spread=2"], ["spread = 2 should be between 0 and 1"]),
        (["thm1.i", "--rounds", "9", "--set", "c=-1"], ["c = -1 should be at least 0"]),
        (["prop1.i", "--rounds", "9", "--set", "B2=1"], ["B2 = 1 should be at least 1.41421"]),
        (["thm2.ii", "--rounds", "9", "--set", "D0=0"], ["D0 = 0 should be at least"]),
    ],
)
def test_bad_input_gets_one_line(refused, arguments, words):
    refused("tune", f"fedrzo.{arguments[0]}", *arguments[1:], words=words)


def test_a_paper_that_counts_rounds_only_says_so():
    with pytest.raises(ValueError, match="no schedule for a number of iterations; give one of rounds"):
        tune.study("strfedavg.thm2.i-1", {}, "iterations")


# --- the paper's schedule


def test_the_schedule_is_the_encoded_one():
    assert exponents() == (Fraction(1, 2), Fraction(1, 4)) and growth("rounds") == (Fraction(2, 3), Fraction(1, 3))
    for clients in (1, 2, 3, 5, 10):
        for K in (1, 2, 16, 17, 81, 2000, 2001, 10**6, 10**12, 10**12 + 1):
            at = {K_it: sp.Integer(K), m: sp.Integer(clients)}
            step, length = schedule("iterations", clients, K)
            assert length == S_COM.rules[H].subs(at)
            assert step == pytest.approx(float(S_COM.rules[gamma].subs(at)), rel=1e-12)


def test_rounds_are_those_of_the_schedule_at_its_iterations():
    for clients in (1, 2, 5):
        for rounds in (2, 3, 8, 9, 27, 28, 1000, 1001, 10**6 - 1, 10**9):
            step, length = schedule("rounds", clients, rounds)
            assert schedule("iterations", clients, rounds * length - 1) == (pytest.approx(step, rel=1e-12), length)


# --- instances against the engine


@pytest.mark.parametrize(("step", "length", "rounds"), [(0.2, 2, 2), (0.7, 3, 1), (0.3, 1, 4)])
def test_moments_of_the_pull_are_those_of_the_method(step, length, rounds):
    eta, nu, slopes = 0.9, 0.4, (1.3, -0.4)
    problem = LineProblem(
        [affine(slope=a) for a in slopes], [(0.0, 0.0), (-math.inf, math.inf)], nu=nu, noise=Steps(eta)
    )
    run = trace(FedRZO(gamma=step, eta=eta, H=length), problem, 0.0, rounds=rounds)
    smoothed, noise = problem.smoothed(eta), 4 * nu**2 / eta**2
    pull = Pull(1, 2, eta, 1, *slopes, noise, noise)
    true = float(run.mean(run.grad_F(smoothed) ** 2).mean())
    assert pull.measure(step, length, rounds * length) == pytest.approx(true, rel=1e-10)
    start = float(smoothed.F(np.zeros((1, 1)))[0])
    assert pytest.approx(start - smoothed.F_star) == pull.D0 and pytest.approx(problem.constants.B2) == pull.B2
    # local steps matter here: the clients drift to different places
    if length > 1:
        assert pull.measure(step, 1, rounds * length) != pytest.approx(true, rel=1e-3)


@pytest.mark.parametrize("D0", [0.0, 0.1, 3.0])
def test_moments_of_the_bowl_are_those_of_the_method(D0):
    eta, steep = 0.7, 1.2
    bowl = Bowl.of(eta, steep, D0)
    assert pytest.approx(D0) == bowl.D0
    problem = LineBilevel([huber(width=bowl.width, slope=steep)] * 2, [affine(slope=0.5)] * 2, mu=1.0, A=0.0, b=0.0)
    smoothed = problem.smoothed(eta)
    for step, length, rounds in ((0.3, 1, 8), (0.1, 3, 5), (0.9 / bowl.curvature, 4, 4)):
        run = trace(FedRZO_bl(gamma=step, eta=eta, H=length), problem, bowl.start, rounds=rounds)
        true = float(run.mean(run.grad_F(smoothed) ** 2).mean())
        assert bowl.measure(step, length, rounds * length) == pytest.approx(true, rel=1e-10)
    assert math.isnan(bowl.measure(1.1 / bowl.curvature, 1, 10))


def _followed(pull, step, length, steps):
    """The same by its definition: means and covariances of all clients, and of each with the direction of the round."""
    kept = np.array([1 - step / pull.eta] * pull.pulled + [1.0] * (pull.m - pull.pulled))
    slope = np.array([pull.slope] * pull.pulled + [pull.free] * (pull.m - pull.pulled))
    own = np.array([pull.noise_slope] * pull.pulled + [pull.noise_free] * (pull.m - pull.pulled))
    mean, both, along, found = np.zeros(pull.m), np.zeros((pull.m, pull.m)), np.zeros(pull.m), 0.0
    for k in range(steps):
        if k % length == 0:
            mean, both, along = np.full(pull.m, mean.mean()), np.full((pull.m, pull.m), both.mean()), 0 * along
        centre = pull.eta * pull.mean_slope / pull.share + mean.mean()
        found += (pull.share / pull.eta) ** 2 * (centre**2 + both.mean())
        crossed = -step * np.outer(kept * along, slope)
        shared = (pull.n - 1) * np.outer(slope, slope) if pull.shared else np.diag(own)
        both = np.outer(kept, kept) * both + crossed + crossed.T + step**2 * shared
        along = kept * along - step * (pull.n - 1) * slope if pull.shared else along
        mean = kept * mean - step * slope
    return found / steps


@pytest.mark.parametrize("shared", [False, True])
def test_moments_of_the_pull_in_more_dimensions(shared):
    for n, clients, pulled in ((1, 1, 1), (3, 2, 1), (4, 5, 3)):
        pull = Pull(n, clients, 0.9, pulled, 1.3, -0.4, 0.7, 0.2, shared=shared)
        for step, length, steps in ((0.1, 3, 10), (0.01, 7, 100), (0.9, 3, 8), (1.7, 2, 11)):
            assert pull.measure(step, length, steps) == pytest.approx(_followed(pull, step, length, steps), rel=1e-9)


# --- bounds


@pytest.mark.parametrize("claim", ONE_EACH)
@pytest.mark.parametrize("settings", SETTINGS)
def test_bounds_hold_on_the_instance_that_comes_with_them(claim, settings):
    tried = 0
    for counted in fedrzo.HORIZONS:
        found = tune.study(claim, settings, counted)
        for horizon in (30.0, 1e4, 1e7):
            for step in 10.0 ** np.arange(-6, 0.5):
                for length in (1.0, 3.0, 20.0):
                    point = {gamma: float(step), H: length}
                    if not found.violated(point, horizon):
                        tried += 1
                        true = found.measure(point, horizon)
                        for metric, value in true.items():
                            # a last, shorter round counts as one
                            assert value <= found.bound(metric, point, horizon) * (1 + 1e-9) + (metric != METRIC)
    assert tried > 50


def test_the_bound_is_the_claim_with_the_horizon_put_in():
    found = tune.study("fedrzo.prop1.i", {"B1": Fraction(1)}, "iterations")
    at = {s: sp.Float(found.constants[str(s)]) for g in GROUPS[:1] for s in g.constants.values()}
    rhs = catalog.get("fedrzo.prop1.i.corrected").statement.rhs
    value = float(rhs.xreplace(at | {gamma: sp.Float(0.01), H: sp.Integer(3), K_it: sp.Integer(500)}))
    assert found.bound(METRIC, {gamma: 0.01, H: 3.0}, 500.0) == pytest.approx(value, rel=1e-12)
    by_rounds = tune.study("fedrzo.prop1.i", {"B1": Fraction(1)})
    assert by_rounds.bound(METRIC, {gamma: 0.01, H: 3.0}, 167.0) == pytest.approx(value, rel=1e-12)
    # the corrected claim does without one of the printed conditions
    assert set(found.conditions) - set(found.constraints) == {"gamma <= 1/(4H)"}


def test_the_minorant_of_the_logarithm_is_one():
    for rounds in (10.0, 1e6):
        tangent = fedrzo.slow_minorant(rounds)
        for at in (1.0, 7.0, 1e4):
            term = tangent({gamma: 1.0, H: at})
            for length in (1.0, 3.0, at, 1e7):
                monomial = float(term.coefficient) * length ** float(term.powers[H])
                exact = 1 / (1 + math.log(rounds * length))
                assert monomial <= exact * (1 + 1e-12)
                if length == at:
                    assert monomial == pytest.approx(exact)


# --- exponents and best choices


@pytest.mark.parametrize(
    ("claim", "counted", "best", "paper"),
    [
        ("prop1.i", "iterations", 2, 2),
        ("prop1.i", "rounds", Fraction(3, 2), Fraction(3, 2)),
        # noise that local steps share costs the schedule its rate: H = 1 keeps it
        ("thm1.i", "iterations", 2, 4),
        ("thm1.i", "rounds", 2, 3),
        ("thm2.iii", "iterations", 2, 2),
        ("thm2.iii", "rounds", Fraction(3, 2), Fraction(3, 2)),
    ],
)
def test_exponents(claim, counted, best, paper):
    free, kept = tune.answers(tune.study(f"fedrzo.{claim}", {}, counted))
    assert (free.best.exponent, 1 / free.rate) == (best, paper)
    assert free.admissible and kept.admissible and kept.best.exponent >= free.best.exponent
    assert free.optimal == (best == paper)
    assert free.question.variable == (R if counted == "rounds" else sp.Symbol("K", positive=True))


@pytest.mark.parametrize(("claim", "counted"), [("prop1.i", "iterations"), ("thm2.ii", "rounds")])
def test_the_best_choice_beats_a_grid(claim, counted):
    horizon = 1e5
    found = tune.study(f"fedrzo.{claim}", {"m": Fraction(2)}, counted)
    chosen, trouble = tune.choices(found, horizon)
    assert not trouble and len(chosen) == (3 if counted == "iterations" else 2)
    paper, *best = chosen
    for choice in best:
        cap = paper.bounds[found.other] if choice.title == tune.KEPT else math.inf
        assert choice.point[H] == round(choice.point[H]) >= 1 and found.violated(choice.point, horizon) == ()
        assert choice.bounds[found.other] <= cap * (1 + 1e-9) and 0 <= choice.solved.gap < 1e-4
        points = [{gamma: float(g), H: float(h)} for g in np.exp(np.linspace(-14, -4, 40)) for h in range(1, 20)]
        allowed = [
            found.bound(METRIC, p, horizon)
            for p in points
            if not found.violated(p, horizon) and found.bound(found.other, p, horizon) <= cap
        ]
        assert choice.bounds[METRIC] <= min(allowed) * (1 + 1e-6)
    if counted == "iterations":
        assert (best[0].point[H], best[1].point[H]) == (paper.point[H], 1.0)


def test_whole_numbers_next_to_the_best_real_one_are_tried():
    """With rounds that are dear the best H lies between two whole numbers; the gap is that to the real one."""
    found = tune.study("fedrzo.prop1.i", {}, "iterations")
    dear = sp.Add(found.bounds[METRIC], sp.Float(0.02) / H)
    traded = tune.replace(found, bounds={METRIC: dear}, minorants={})
    solved = tune._best(traded, 1e6, traded.schedule(1e6), None)
    assert solved.point[H] == round(solved.point[H]) > 1 and solved.gap > 0
    assert solved.value == pytest.approx(traded.bound(METRIC, solved.point, 1e6), rel=1e-6)
    others = [
        min(traded.bound(METRIC, {gamma: float(g), H: float(h)}, 1e6) for g in np.exp(np.linspace(-14, -4, 100)))
        for h in range(1, 30)
    ]
    assert solved.value <= min(others) * (1 + 1e-6)


def test_the_curve_has_whole_local_steps_only():
    found = tune.study("fedrzo.thm1.i", {}, "iterations")
    chosen, _ = tune.choices(found, 1e6)
    points = tune.curve(found, chosen, 1e6, count=9)
    assert points and all(q.point[H] == round(q.point[H]) >= 1 for q in points)
    assert tune.picture(found, chosen, points, 1e6, "svg").startswith(b"<?xml")
