"""``rateproof tune`` for mefbo: exponents, bounds that hold on the instance, best choices."""

import json
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import expand_definitions
from rateproof.theory.papers.mefbo import lemma_d7
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.schedules import S_DEC, S_FIXED
from rateproof.verify.experiments import tune
from rateproof.verify.papers.mefbo import tune as mefbo
from rateproof.verify.papers.mefbo.tune import a, b, e

METRIC = "min E R_t"


study = cache(lambda claim, counted: tune.study(f"mefbo.{claim}", {}, counted))


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    monkeypatch.setattr(mefbo, "MOST", 160)


def test_the_main_theorem_for_a_number_of_rounds_as_json(tuned):
    code, out, err = tuned("mefbo.thm3.4.corrected", "--rounds", "20", "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    paper, best = report["schedules"]
    assert (paper["tau"], best["tau"]) == (4, 1) and paper["conditions_broken"] == []
    assert paper["lambda_theta"] == pytest.approx(1e-3 * 4**0.25 / 20**0.5)
    assert best["bounds"][METRIC] < paper["bounds"][METRIC] and best["certified_gap"] < 1e-5
    for choice in (paper, best):
        assert 0 < choice["measured"][METRIC] <= choice["bounds"][METRIC]
        assert choice["measured"]["iteration count"] == choice["bounds"]["iteration count"] == 20 * choice["tau"]
    # with as many local steps in all rounds noise stays, whatever the server does
    free, kept, any_steps = report["exponents"]
    assert (free["epsilon"], kept["epsilon"], any_steps["epsilon"]) == ("5/2", None, "1")


def test_the_theorem_with_steps_that_fall(tuned):
    code, out, err = tuned("mefbo.thmC.1", "--iterations", "40")
    assert (code, err) == (0, "")
    assert "as mefbo.thmC.1 fails" in out and "at S = 40" in out and "never" in out
    assert "lambda_theta is of the order S^-a, tau of S^b," in out and "to accuracy eps; the paper takes a=" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["thm3.4", "--rounds", "1e6"], ["mefbo.thm3.4 is tuned for at most 40 rounds", "got 1e+06"]),
        (["cor3.5-i", "--rounds", "13"], ["at most 12 rounds"]),
        (["lemD.5", "--rounds", "9"], ["no explicit bound to tune", "one: mefbo.thm3.4, mefbo.rem3.4-1"]),
        (
            ["thm3.4", "--rounds", "9", "--set", "gamma=1/4"],
            ["gamma should be in (0, 1/(2 L_2)) = (0, 0.25), got 0.25"],
        ),
        (["thm3.4", "--rounds", "9", "--set", "P=3"], ["P = 3, n = 2 should satisfy P <= n"]),
        (["cor3.5-i", "--rounds", "9", "--set", "P=1"], ["should satisfy all clients take part, P = n"]),
        (["thm3.4", "--rounds", "9", "--set", "p=1/4"], ["p = 0.25 should satisfy 0 < p < 1/4"]),
        (["thmC.1", "--rounds", "9", "--set", "q=1"], ["q = 1 should satisfy q < 1"]),
        (["thm3.4", "--rounds", "9", "--set", "q=1/2"], ["unknown setting 'q'"]),
        (["thm3.4", "--rounds", "9", "--set", "n=1", "--set", "P=1"], ["n = 1 should satisfy n >= 2"]),
        (["thm3.4", "--rounds", "9", "--set", "n=1e9"], ["n = 1e+09 should be at most 100"]),
        (["thm3.4", "--rounds", "9", "--set", "sigma_g=-1"], ["sigma_g = -1 should be at least 0"]),
    ],
)
def test_bad_input_gets_one_line(refused, arguments, words):
    refused("tune", f"mefbo.{arguments[0]}", *arguments[1:], words=words)


@pytest.mark.parametrize(
    ("claim", "counted", "best", "paper"),
    [
        # the drifts of the paper's client steps are what costs most; (14) would give T = 1/eps
        ("cor3.5-i", "rounds", (Fraction(5, 2), 1), 4),
        ("cor3.5-i", "iterations", (Fraction(7, 2), 2), 8),
        ("thm3.4", "iterations", (Fraction(7, 2), 2), None),
        # the first client step, which is the largest, does not become smaller with T
        ("thmC.1", "rounds", (None, 4), None),
    ],
)
def test_exponents(claim, counted, best, paper):
    found = study(claim, counted)
    free, _, any_steps = tune.answers(found)
    assert (free.best.exponent, any_steps.best.exponent) == best
    assert (free.exponent, any_steps.exponent) == (paper, paper) and free.admissible


@pytest.mark.parametrize("claim", ["thm3.4", "cor3.5-i", "thmC.1"])
@pytest.mark.parametrize("counted", mefbo.HORIZONS)
def test_the_papers_exponents_are_those_of_its_schedule(claim, counted):
    found = study(claim, counted)
    question = found.questions[2]
    plan = S_DEC if claim == "thmC.1" else S_FIXED
    sizes = []
    for horizon in (1e8, 1e12):
        point = found.schedule(horizon)
        rounds = horizon if counted == "rounds" else horizon / point[p.tau]
        known = {"P": 2, "tau": point[p.tau], "T_rounds": rounds, "t_round": 0, "c_lam": 1e-3, "c_eta": 1, "c_0": 1}
        ruled = plan.evaluate({**known, "p_c": 0.1, "q_s": 0.75, "gamma": 0.1, "L_2": 2, "L_1": 1, "n_cl": 2})
        assert ruled["lambda_theta"] == pytest.approx(point[p.lambda_theta])
        sizes.append((ruled["lambda_theta"], point[p.tau], ruled["eta_theta"]))
    for exponent, sign, first, second in zip((a, b, e), (-1, 1, -1), *sizes, strict=True):
        assert math.log10(second / first) / 4 == pytest.approx(sign * float(question.paper[exponent]), abs=1e-9)


@pytest.mark.parametrize("claim", ["thm3.4", "thmC.1"])
def test_the_bound_is_the_corrected_one_with_its_mean_round(claim):
    """Every symbol of the claim has a number; those of the mean round are bounds, at the steps of the point."""
    found = tune.study(f"mefbo.{claim}", {"P": Fraction(1)})
    source = catalog.get(f"mefbo.{mefbo._GROUPS[claim].source}")
    point, T = {p.lambda_theta: 1e-3, p.tau: 3.0}, 50.0
    eta = 1e-3 * 3 ** (-7 / 8) * (T**-0.25 if claim == "thm3.4" else 1)
    at = {p.tau: 3, p.lambda_theta: 1e-3, p.T: T, p.c_t: 1, p.eta_theta: eta}
    symbols = expand_definitions(source.statement.rhs, source.where).free_symbols
    numbers = {s: found.constants[str(s)] for s in symbols if str(s) in found.constants} | at
    numbers |= {s: 1e-3 for s in symbols if str(s) == "lambda_0"} | {s: 0.75 for s in symbols if str(s) == "q_s"}
    bounds = mefbo._worst({"width": Fraction(1)})
    known = {p.gamma: 0.1, p.L_f: found.constants["Lip_f"], p.L_g: found.constants["Lip_g"], p.c_0: 1}
    known |= {p.sig_f: found.constants["sig_f"], p.sig_g: found.constants["sig_g"]} | at
    numbers |= {s: float(bounds[str(s)].subs(known)) for s in symbols if str(s) in bounds}
    exact = float(expand_definitions(source.statement.rhs, source.where).subs(numbers))
    assert exact <= found.bound(METRIC, point, T) <= exact * 1.02  # (T + 1)^(q-1) is bounded by T^(q-1)


@pytest.mark.parametrize("eta", [0.01, 0.3])
def test_directions_and_drifts_stay_below_their_bounds(eta):
    """Local steps of both clients from the corners of Y and far apart in x, over 2,000 draws of the noise."""
    chosen = mefbo.DEFAULTS | {"sigma_f": Fraction(1), "sigma_g": Fraction(1), "width": Fraction(2)}
    problem, gamma, tau = mefbo._problem(chosen), 0.1, 6
    numbers = mefbo._numbers(problem, chosen) | {p.tau: tau, p.eta_theta: eta, p.c_t: 1}
    bounds = {name: float(bound.subs(numbers)) for name, bound in mefbo._worst(chosen).items()}
    rng, runs = np.random.default_rng(0), 2000
    for i in range(problem.m):
        for x0, y0, theta0 in ((0.0, 1.0, -1.0), (5.0, 1.0, -1.0), (-3.0, -1.0, 1.0), (1.0, 0.5, 0.5)):
            z, theta = np.tile([x0, y0], (runs, 1)), np.full((runs, 1), theta0)
            seen = dict.fromkeys(bounds, 0.0)
            for _ in range(tau):
                at_theta = np.concatenate([z[:, :1], theta], axis=1)
                df, dg, dt = problem.gradient_f(i, z), problem.gradient_g(i, z), problem.gradient_g(i, at_theta)
                pull = (theta - z[:, 1:]) / gamma
                h_x, h_y, h_t = df[:, :1] + dg[:, :1] - dt[:, :1], df[:, 1:] + dg[:, 1:] + pull, dt[:, 1:] + pull
                squares = {
                    "D_x": (z[:, 0] - x0) ** 2,
                    "D_y": (z[:, 1] - y0) ** 2,
                    "D_theta": (theta[:, 0] - theta0) ** 2,
                }
                squares |= {str(lemma_d7.dir2_y): h_y[:, 0] ** 2, str(lemma_d7.dir2_theta): h_t[:, 0] ** 2}
                for name, square in squares.items():
                    seen[f"{name}_mean"] += float(square.mean()) / tau
                xi, zeta = (rng.choice([-1, 1], (runs, 1)) / math.sqrt(2) for _ in range(2))
                theta, step = theta - eta * (h_t + zeta), np.concatenate([h_x + xi, h_y + xi + zeta], axis=1)
                z = z - eta * step
            assert all(seen[name] <= bounds[name] for name in bounds), (i, x0, seen, bounds)


@pytest.mark.parametrize("counted", mefbo.HORIZONS)
def test_the_best_choice_beats_a_grid(counted):
    found, horizon = tune.study("mefbo.thm3.4", {"c_eta": Fraction(1, 100)}, counted), 40.0
    paper, *best = tune.choices(found, horizon)[0]
    assert [c.title for c in best] == ([tune.KEPT] if counted == "rounds" else [tune.KEPT, tune.ALONE])
    for choice in best:
        cap = paper.bounds[found.other] if choice.title == tune.KEPT else math.inf
        grid = [{p.lambda_theta: float(s), p.tau: float(k)} for s in np.geomspace(1e-6, 1e-1, 60) for k in range(1, 12)]
        allowed = [q for q in grid if not found.violated(q, horizon) and found.bound(found.other, q, horizon) <= cap]
        assert choice.bounds[METRIC] <= min(found.bound(METRIC, q, horizon) for q in allowed) * (1 + 1e-6)
        assert found.violated(choice.point, horizon) == () and sp.sympify(choice.point[p.tau]) >= 1
