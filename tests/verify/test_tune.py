"""The command ``tune``: the paper's schedule beside the best one, and its parts."""

import json
import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

from rateproof.theory import catalog
from rateproof.theory.papers.strfedavg.notation import A1, A2, Q2, T0, Theta_R, W, Y
from rateproof.theory.symbols import R, S, eta, gamma_g, gamma_t, mu_f, p
from rateproof.verify import cli
from rateproof.verify.experiments import tune
from rateproof.verify.papers.strfedavg import tune as strfedavg
from rateproof.verify.papers.strfedavg.instances import weight_sums
from rateproof.verify.papers.strfedavg.rates import explicit_bound

ROUNDS = 1e6


# --- end to end


def test_the_convex_theorem_with_a_plot(tuned, tmp_path):
    target = tmp_path / "trade-off.svg"
    code, out, err = tuned("strfedavg.thm2.i-1", "--rounds", "1e6", "--plot", str(target))
    assert (code, err) == (0, "")
    assert "warning: the claim as printed is refuted" in out
    assert re.search(r"both +a=1/2, b=1/4 +eps\^-4 +eps\^-4", out)
    assert re.search(r"E f - f\* +a=1/2, b=0 +eps\^-2 \* +eps\^-4", out)
    assert "proof: 1/4" in out
    assert "limited by SC16" in out
    # the bound promises a gain that the runs do not show
    assert "times as many" in out and "the bound on it is idle on this instance" in out
    assert "E h - h* is truly larger than under the paper's schedule, although its bound is not" in out
    assert target.read_text().startswith("<?xml")


def test_the_strongly_convex_theorem_as_json():
    done = CliRunner().invoke(cli.cli, ["tune", "strfedavg.thm1.i-2x", "--rounds", "1e6", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["claim"], report["rounds"]) == ("strfedavg.thm1.i-2x", 1e6)
    both = {a["for"]: a for a in report["exponents"]}
    assert both["both"]["best"]["a"] == "1" and both["both"]["epsilon"] == "2"
    assert both["both, a + b <= 1"]["epsilon"] == both["both, a + b <= 1"]["paper_epsilon"] == "3"
    assert both["both, a + b <= 1"]["log"] == "3"
    assert both["both, a + b <= 1"]["paper_optimal"] and not both["both"]["paper_optimal"]
    paper, best = report["schedules"]
    metric, other = "E h - h*", "E f - f*"
    assert paper["conditions_broken"] == [] and paper["certified_gap"] is None
    assert best["bounds"][metric] < paper["bounds"][metric]
    assert best["bounds"][other] <= paper["bounds"][other] * (1 + 1e-9)
    assert 0 <= best["certified_gap"] < 1e-5
    assert best["paper_rounds_to_bound"] > 1e6 and best["paper_rounds_to_measured"] > 1e6


def test_a_claim_about_one_metric_and_a_schedule_that_is_not_admissible(tuned):
    code, out, err = tuned("strfedavg.prop4", "--rounds", "1000")
    assert (code, err) == (0, "")
    assert "exponents" not in out and "E f_eta - f_eta*" in out
    assert "paper: breaks" in out and "promises nothing at this R" in " ".join(out.split())


def test_what_has_no_answer_is_said(tuned):
    code, out, _ = tuned("strfedavg.thm1.i-1x", "--rounds", "10", "--set", "a=1", "--set", "b=1/2")
    assert code == 0
    assert re.search(r"both, a \+ b <= 1 .* excluded", out)
    assert "best: no admissible minimum was found under SC16, R>=16L^2(1+B^2)/mu_f" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["strfedavg.thm2.i-9", "--rounds", "10"], ["unknown claim", "did you mean strfedavg.thm2.i-"]),
        (["strfedavg.lem1", "--rounds", "10"], ["no explicit bound to tune", "strfedavg.thm2.*", "strfedavg.prop1,"]),
        (["strfedavg.prop3.i-3", "--rounds", "10"], ["no explicit bound to tune"]),
        (["textbook.gd.rate", "--rounds", "10"], ["textbook"]),
        (["strfedavg.thm2.i-1"], ["--rounds"]),
        (["strfedavg.thm2.i-1", "--rounds", "many"], ["--rounds many", "such as 1e6"]),
        (["strfedavg.thm2.i-1", "--rounds", "-3"], ["--rounds -3"]),
        (["strfedavg.thm2.i-1", "--rounds", "0"], ["--rounds 0"]),
        (["strfedavg.thm2.i-1", "--rounds", "nan"], ["--rounds nan"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e99"], ["from 3 to 1e+15"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "L_g=1"], ["unknown setting 'L_g'", "L_h"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "L_h"], ["--set L_h should be name=value"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "L_h=big"], ["--set L_h=big", "a=2/3"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "L_h=0"], ["L_h = 0 should be positive"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "sigma_h2=-1"], ["sigma_h2 = -1 should be at least 0"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "N=2.5"], ["N = 2.5 should be a whole number"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "N=4", "--set", "S=5"], ["S should be at most N"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "L_f=1/2"], ["L_f = 0.5 should be at least mu_f"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--set", "a=1/4", "--set", "b=1/2"], ["needs b < a"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--plot", "x.gif"], ["--plot x.gif should end in .png"]),
        (["strfedavg.thm2.i-1", "--rounds", "1e6", "--plot", "nowhere/x.png"], ["no folder nowhere"]),
        (["strfedavg.prop4", "--rounds", "1e6", "--plot", "x.png"], ["--plot shows the trade-off of two metrics"]),
    ],
)
def test_bad_input_gets_one_line(refused, arguments, words):
    refused("tune", *arguments, words=words)


# --- the paper's part


def test_bounds_hold_on_the_instance_that_comes_with_them():
    assert len(strfedavg.TUNABLE) > 30
    assert {"strfedavg.thm1.i-1x", "strfedavg.thm2.ii", "strfedavg.prop3.iii-3"} <= set(strfedavg.TUNABLE)
    assert not {"strfedavg.prop3.i-3", "strfedavg.thm1.Rcond", "strfedavg.tab1.c.0"} & set(strfedavg.TUNABLE)
    one_each = {i.rpartition("-")[0]: i for i in strfedavg.TUNABLE}
    for claim in one_each.values():
        found = tune.study(claim, {})
        point = found.schedule(ROUNDS)
        for metric in found.bounds:
            # the metrics are at most their bounds: the instance and the bounds have the same constants
            assert found.measure(point, ROUNDS)[metric] <= found.bound(metric, point, ROUNDS) < math.inf
        assert "SC16" in found.constraints


@pytest.mark.parametrize("claim", ["thm1.i-1x", "thm1.i-2x", "thm2.i-1x", "thm2.i-2x"])
def test_the_free_bound_along_the_schedule_is_the_printed_one(claim):
    """The theorems' displays are the propositions' bounds with the schedule put in."""
    group, counted = strfedavg._place(catalog.get(f"strfedavg.{claim}"))
    free = catalog.get(f"strfedavg.{group.free[counted]}")
    (rhs,) = [r.rhs for r in free.statement.args if r.lhs == strfedavg.METRIC[counted]] or [free.statement.rhs]
    rules = group.schedule.rules
    decay = rules[eta] * mu_f / 2 * Q2 / (R ** (p / 2) - 1)
    put = {A1: Y / S, A2: W / gamma_g**2, T0: decay, gamma_t: rules[gamma_t], eta: rules[eta]}
    printed = catalog.get(f"strfedavg.{claim}").statement.rhs
    positive = {s: sp.Symbol(f"{s}_", positive=True) for s in (rhs.subs(put) - printed).free_symbols}
    assert sp.simplify((rhs.subs(put, simultaneous=True) - printed).xreplace(positive)) == 0
    assert explicit_bound(f"strfedavg.{claim}", counted, group.schedule.id) == printed


def test_the_minorant_of_the_weights_is_one():
    rng = np.random.default_rng(0)
    for rounds in (10.0, 1e4, 1e9):
        tangent = strfedavg.weights_minorant(0.5, {}, rounds)
        for at in 10 ** rng.uniform(-2, 1.2, 20):
            term = tangent({gamma_t: 4 * at / rounds, eta: 1.0})
            for v in [at, *(10 ** rng.uniform(-3, 1.3, 20))]:
                u = v / rounds
                if u >= 1:
                    continue
                weight = weight_sums(u, rounds)[0]
                assert strfedavg._weights(0.5, {}, {gamma_t: 4 * u, eta: 1.0}, rounds) == pytest.approx(weight)
                monomial = float(term.coefficient) * (4 * u) ** float(term.powers[gamma_t])
                assert monomial <= weight * (1 + 1e-9)
                if v == at and u < 1e-4:
                    assert monomial == pytest.approx(weight, rel=u * (1 + v) + 1e-9)


@pytest.mark.parametrize("claim", ["strfedavg.thm2.i-1", "strfedavg.thm1.iii-2"])
def test_the_best_choice_beats_a_grid(claim):
    found = tune.study(claim, {})
    chosen, trouble = tune.choices(found, ROUNDS)
    assert not trouble or not found.alone
    paper, best = chosen[:2]
    assert paper.refused == () and best.bounds[found.metric] < paper.bounds[found.metric]
    assert best.solved is not None and best.solved.gap < 1e-5
    # what is certified is an upper bound of the printed one, and touches it here
    assert best.solved.value == pytest.approx(best.bounds[found.metric], rel=1e-4)
    assert found.violated(best.point, ROUNDS) == ()
    least = math.inf
    for g in np.exp(np.linspace(-16, -3, 60)):
        for e in np.exp(np.linspace(-6, 4, 60)):
            point = {gamma_t: float(g), eta: float(e)}
            kept = found.bound(found.other, point, ROUNDS) <= paper.bounds[found.other]
            if kept and not found.violated(point, ROUNDS):
                least = min(least, found.bound(found.metric, point, ROUNDS))
    assert best.bounds[found.metric] <= least * (1 + 1e-4)


def test_where_a_surrogate_is_certified_the_printed_bound_is_lowered_and_not_called_optimal(tuned):
    found = tune.study("strfedavg.thm1.i-2x", {})
    assert found.minorants
    (paper, best), _ = tune.choices(found, 1e4)
    touched = found.bound(found.metric, best.solved.point, 1e4)
    assert best.solved.gap < 1e-5 and best.bounds[found.metric] < (1 - 1e-4) * touched < best.solved.value
    assert found.violated(best.point, 1e4) == ()
    assert best.bounds[found.other] <= paper.bounds[found.other] * (1 + 1e-8)
    code, out, _ = tuned("strfedavg.thm1.i-2x", "--rounds", "1e4")
    said = " ".join(out.split())
    assert code == 0 and "of its optimum" in said and "of the optimum" not in said
    assert "a surrogate" in said and "not certified to be the least" in said
    # where the bound itself is certified, nothing is searched
    plain = tune.study("strfedavg.thm2.i-1", {})
    (_, best, *_), _ = tune.choices(plain, 1e4)
    assert not plain.minorants and best.point == best.solved.point


def test_settings_change_bound_and_instance_alike():
    base, other = (tune.study("strfedavg.thm2.i-2", s) for s in ({}, {"L_h": Fraction(4), "conflict": Fraction(0)}))
    assert (base.constants["L_h"], other.constants["L_h"]) == (1, 4)
    assert other.constants["M"] == pytest.approx(0, abs=1e-8) and base.constants["M"] == pytest.approx(0.005)
    point = base.schedule(ROUNDS)
    assert base.bound(base.metric, point, ROUNDS) != other.bound(other.metric, point, ROUNDS)
    assert base.measure(point, ROUNDS) != other.measure(point, ROUNDS)


# --- the shared part


def test_the_first_horizon_from_which_something_holds():
    assert tune.first_from(lambda r: r >= 12345, 1e9) == pytest.approx(12345, rel=2e-3)
    assert tune.first_from(lambda r: False, 1e9) is None
    assert tune.first_from(lambda r: True, 1e9) == tune.FIRST
    # what holds for a while and then not does not count
    assert tune.first_from(lambda r: r <= 100 or r >= 1e6, 1e9) == pytest.approx(1e6, rel=2e-3)


def test_no_horizon_is_run_twice_and_every_run_is_told():
    tried, lines = [], []
    tune.first_from(lambda r: tried.append(r) or r >= 12345, 1e9)
    assert len(tried) == len(set(tried))
    found = tune.study("strfedavg.thm2.i-1", {})
    point = found.schedule(ROUNDS)
    assert tune.telling(found, lines.append).measure(point, ROUNDS) == found.measure(point, ROUNDS)
    assert lines == ["runs on the instance, R = 1e+06"]


def test_values_are_numbers_or_fractions():
    assert tune.parse(["a=2/3", "L_h=1e-3"]) == {"a": Fraction(2, 3), "L_h": Fraction(1, 1000)}
    for text in ("a", "=1", "a=", "a=1/0", "a=x"):
        with pytest.raises(ValueError, match="name=value"):
            tune.parse([text])


def test_the_curve_holds_the_best_choice_and_only_admissible_points():
    found = tune.study("strfedavg.thm2.i-1", {})
    chosen, _ = tune.choices(found, ROUNDS)
    points = tune.curve(found, chosen, ROUNDS, count=25)
    assert len(points) == 25
    assert all(found.violated(q.point, ROUNDS) == () for q in points)
    least = min(q.bounds[found.metric] for q in points)
    best = chosen[-1].bounds[found.metric]
    assert best * (1 - 1e-6) <= least <= 1.2 * best
    lone = replace(found, bounds={found.metric: found.bounds[found.metric]})
    with pytest.raises(ValueError, match="no trade-off"):
        tune.picture(lone, chosen, points, ROUNDS, "png")


def test_a_paper_without_a_part_of_its_own_has_none():
    assert tune.adapter("textbook") is None and tune.adapter("nowhere") is None
    assert tune.adapter("strfedavg") is strfedavg
    assert Theta_R in tune.study("strfedavg.prop1", {}).exact
