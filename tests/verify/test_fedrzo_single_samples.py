"""Samples that depend on the directions, points where condition (2) fails: the instances and what they decide."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rateproof.theory.papers.fedrzo.single import CLAIMS
from rateproof.theory.papers.fedrzo.single.notation import SAMPLES_READING, far_0, mean_dist2, rho, sq_res
from rateproof.theory.papers.fedrzo.single.smoothing import BOUNDED, WHERE_DISSIMILAR
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import C_O
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.counterexamples.replay import rational
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.evidence import Finding, verdict
from rateproof.verify.papers.fedrzo.single import exact, feasibility, remarks
from rateproof.verify.papers.fedrzo.single.dependent import parity
from rateproof.verify.papers.fedrzo.single.grids import tied, tied_signs
from rateproof.verify.trial import evaluate

BY_ID = {c.id.removeprefix("fedrzo."): c for c in CLAIMS}
WEAKER = BY_ID["rem.dissim.weaker"]
SIGNS, SECTORS = tied()


def number(x):
    return Fraction(int(x.p), int(x.q))


def measured(name, **at):
    return {k: number(v) for k, v in exact.MEASURES[name]({k: str(v) for k, v in at.items()})[0].items()}


# --- samples


@pytest.mark.parametrize(("x", "sign"), [("0", 1), ("1", -1), ("-2", 1), ("5/27", -1), ("-4/9", 1), ("1/2", 0)])
def test_the_parity_turns_at_every_power_of_three(x, sign):
    assert parity(rational(x)) == sign
    for step in ("1", "1/3", "-1/81"):
        assert parity(rational(x) + rational(step)) == -sign


@pytest.mark.parametrize("eta", [Fraction(1), Fraction(1, 9)])
def test_tied_signs_are_unbiased_at_every_point_and_biased_along_the_direction(eta):
    L0, nu = Fraction(3), Fraction(1, 3)
    values = measured("tied signs", L0=L0, nu=nu, eta=eta, a=5)

    def loss(x, xi):
        return L0 * x + nu * xi * parity(rational(str(x)))

    for x in (Fraction(0), Fraction(1, 3), Fraction(1, 2)):
        assert sum(loss(x, xi) for xi in (1, -1)) / 2 == L0 * x
        assert sum((loss(x, xi) - L0 * x) ** 2 for xi in (1, -1)) / 2 <= nu**2
    estimates = [(loss(s * eta, s) - loss(0, s)) * s / eta for s in (1, -1)]
    assert sum(estimates) / 2 == values["est_c"] == L0 - 2 * nu / eta != values["grad_F_i_c"]
    assert sum(g**2 for g in estimates) / 2 == values["sq_g"]
    # what independent samples give
    free = [(loss(s * eta, xi) - loss(0, xi)) * s / eta for s in (1, -1) for xi in (1, -1)]
    assert sum(free) / 4 == L0


@pytest.mark.parametrize("signs", [(1, -1), (1,), (-1,)])
def test_the_output_with_tied_signs_is_where_the_measure_says(signs):
    """(Meta-ZO) with eta = 1/3 and gamma = 3^-3 from 0, in exact numbers: from x_1 on the estimates are one number."""
    eta, gamma = Fraction(1, 3), Fraction(1, 27)
    limit = measured("tied signs", L0=1, nu=1, eta=eta, a=3)["dist_limit"]
    assert limit == 2 + eta
    x = Fraction(0)
    for k in range(200):
        xi = signs[k % len(signs)]
        rise = [Fraction(y) + xi * parity(rational(str(y))) for y in (x + xi * eta, x)]
        estimate = (rise[0] - rise[1]) * xi / eta
        assert k == 0 or estimate == 1 + 2 / eta
        x -= gamma * (estimate + x / eta)
    assert abs(float(x + limit)) < 1e-9


@pytest.mark.parametrize("change", [{"eta": "1/2"}, {"L0": 2}, {"L0": "1/2"}, {"nu": "1/5"}])
def test_tied_signs_need_numbers_that_the_parity_knows(change):
    with pytest.raises(ValueError, match=r"eta = .* should be 3\^-j"):
        exact.MEASURES["tied signs"]({"L0": 1, "nu": 1, "eta": 1, "a": 2, **change})


def test_tied_sectors_by_quadrature():
    L0, nu, eta, c = 2.0, 0.5, 3.0, 4
    values = measured("tied sectors", L0=2, nu="1/2", eta=3, c=c)
    angles = (np.arange(3200) + 0.5) * 2 * np.pi / 3200
    drawn = np.floor(angles / (2 * np.pi / c**2)).astype(int)
    # at any one point the error has mean 0 and variance nu^2
    assert np.mean((drawn == drawn[77]) * (c * nu) ** 2) == pytest.approx(nu**2)
    v = eta * np.stack([np.cos(angles), np.sin(angles)])
    estimates = np.concatenate([2 / eta**2 * (L0 * v[0] + s * c * nu) * v for s in (1, -1)], axis=1)
    slope = np.array([[L0], [0.0]])
    assert estimates.mean(axis=1) == pytest.approx([float(values["est_c"]), 0.0], abs=1e-9)
    assert (estimates**2).sum(axis=0).mean() == pytest.approx(float(values["sq_g"]))
    assert ((estimates - slope) ** 2).sum(axis=0).mean() == pytest.approx(float(values["sq_dev"]))


def samples(claim):
    return next((s for s in claim.switches if s.name == SAMPLES_READING.name), None)


SAMPLED = [i for i, c in BY_ID.items() if samples(c) and i != "intro.feas"]


@pytest.mark.parametrize("item", SAMPLED)
def test_a_claim_falls_with_samples_that_depend_on_the_directions_and_with_no_others(item):
    claim = BY_ID[item]
    (other,) = (e for e in evidence_on(claim, Budget()) if e.reading)
    assert other.finding is Finding.VIOLATION and other.violated.at["measure"].startswith("tied")
    held = bounds.decide(claim.read(samples(claim)), tied(), method="").violated.hypotheses
    assert len(held) == len(claim.hypotheses) and not {"fresh", "independent"} & held.keys()
    for trial in (SIGNS, SECTORS):
        assert not evaluate(claim, trial).admissible
    assert bounds.decide(claim, (SIGNS, SECTORS), method="").finding is Finding.INCONCLUSIVE


def test_each_instance_decides_what_it_is_for():
    def falls(item, trial):
        return bounds.decide(BY_ID[item].read(samples(BY_ID[item])), [trial], method="").finding is Finding.VIOLATION

    runs = ("lem4.i", "lem4.ii", "lem4.iii", "lem5.i", "lem5.ii")
    assert [i for i in runs if falls(i, SIGNS)] == ["lem4.i", "lem5.ii"]
    assert [i for i in runs if falls(i, SECTORS)] == ["lem4.ii", "lem4.iii", "lem5.i"]
    # a true statement beside them: a hundred times the bound
    bound = BY_ID["lem4.iii"].statement
    weaker = replace(BY_ID["lem4.iii"], statement=ge(100 * bound.rhs, bound.lhs))
    assert bounds.decide(weaker.read(samples(weaker)), tied(), method="").finding is Finding.HOLDS


def test_equation_8_stands_on_the_line():
    """Errors at x + eta, x - eta and x over six outcomes of the sample, half of them for each direction."""
    rng = np.random.default_rng(7)
    for w in (0.0, 0.5, 1.0, 2.0):
        best = 0.0
        for start in range(20):
            e = rng.standard_normal((3, 6)) * (start % 4 + 1)
            for _ in range(200):
                sign = np.array([1, 1, 1, -1, -1, -1])
                rise = sign * w + np.where(sign > 0, e[0], e[1]) - e[2]
                # a step of steepest ascent, then mean 0 and variance at most 1
                e = e + 0.3 * np.stack([np.where(sign > 0, rise, 0), np.where(sign < 0, rise, 0), -rise])
                e = e - e.mean(axis=1, keepdims=True)
                e = e / np.maximum(1.0, np.sqrt((e**2).mean(axis=1, keepdims=True)))
            rise = sign * w + np.where(sign > 0, e[0], e[1]) - e[2]
            best = max(best, float(np.mean(rise**2)))
        assert best <= 6 + 3 * w**2 + 1e-9
        by_hand = (math.sqrt(2 * w**2 + 2) + 1) ** 2 if w <= 1 else (w + 2) ** 2
        assert best == pytest.approx(by_hand, rel=1e-3)


def test_the_output_with_tied_signs_keeps_away_from_the_set():
    claim = BY_ID["intro.feas"]
    other = claim.read(SAMPLES_READING)
    found = growth.decide(other, [feasibility.tied()], method="")
    assert found.finding is Finding.VIOLATION and found.violated.lhs > 2
    assert growth.decide(claim, [feasibility.tied()], method="").finding is Finding.INCONCLUSIVE
    assert feasibility.output(other).finding is Finding.INCONCLUSIVE
    bounded = replace(other, statement=le(other.statement.lhs, C_O * (2 + other.statement.rhs / C_O)))
    assert growth.decide(bounded, [feasibility.tied()], method="").finding is Finding.HOLDS
    assert tied_signs(eta="1/3").facts["fresh"].holds is False


# --- condition (2)


@pytest.mark.parametrize(("u", "w"), [("1", "1"), ("1/10", "10"), ("3/7", "2/5")])
def test_the_far_point_of_the_cone_and_the_half_space(u, w):
    values = {k: float(v) for k, v in measured("cone and half-space", u=u, w=w, rho=1).items()}
    u_, w_ = float(Fraction(u)), float(Fraction(w))
    c, s = (1 - u_**2) / (1 + u_**2), 2 * u_ / (1 + u_**2)
    h = (1 - c) / (3 + c)
    p = w_ / h * np.array([(1 + h) * c, (1 + h) * s, 1 - h])
    r = math.hypot(p[0], p[1])
    assert abs(p[2]) < r and p[2] > p[0]
    cone = (r + p[2]) / 2 * np.array([p[0] / r, p[1] / r, 1.0])
    half = p - (p[2] - p[0]) / 2 * np.array([-1.0, 0.0, 1.0])
    a, b = p - cone, p - half
    assert values["mean_dist2"] == pytest.approx((a @ a + b @ b) / 2)
    assert values["sq_res"] == pytest.approx((a + b) @ (a + b) / 4)
    assert values["mean_dist2"] / values["sq_res"] == pytest.approx(2 * (1 + u_**2) / u_**2)


def everywhere(claim):
    return claim.read(WHERE_DISSIMILAR)


def test_bounded_iterates_give_2_at_the_iterates_and_not_at_all_points():
    found = list(evidence_on(WEAKER, Budget()))
    assert verdict(found) == "proved"
    (other,) = (e for e in found if e.reading)
    assert other.finding is Finding.VIOLATION and other.violated.at["measure"] == "cone and half-space"
    assert set(other.violated.hypotheses) == {h.key for h in everywhere(WEAKER).hypotheses}
    assert all("at_iterate" not in t.facts for t in remarks.far_points().trials)


@pytest.mark.parametrize("key", ["sets", "bounded", "at_iterate"])
def test_the_weakening_needs_its_hypotheses(key):
    kept = tuple(h for h in WEAKER.hypotheses if h.key != key)
    assert remarks.weaker(WEAKER).finding is Finding.PROOF
    assert remarks.weaker(replace(WEAKER, hypotheses=kept)).finding is Finding.INCONCLUSIVE


def test_a_smaller_right_side_is_not_proved_or_falls():
    alone = replace(WEAKER, statement=le(mean_dist2, C_O * sq_res))
    assert remarks.weaker(alone).finding is Finding.INCONCLUSIVE
    linear = replace(WEAKER, statement=le(mean_dist2, C_O * (rho + far_0)))
    assert verdict(evidence_on(linear, Budget())) == "refuted"
    turned = replace(
        WEAKER,
        hypotheses=tuple(replace(h, relation=ge(*h.relation.args)) if h == BOUNDED else h for h in WEAKER.hypotheses),
    )
    assert remarks.weaker(turned).finding is Finding.INCONCLUSIVE
