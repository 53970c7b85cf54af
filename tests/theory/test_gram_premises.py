"""Inequalities under premises: steps of proofs of first-order methods, each with planted errors."""

import pytest
import sympy as sp
from test_gram import proved, refuted

from rateproof.theory.gram import (
    Open,
    cocoercive,
    convex,
    decide,
    dot,
    interpolation,
    lipschitz,
    monotone,
    norm2,
    smooth,
    vectors,
)

q = sp.Rational
x, y, z, xs, gx, gy, gz = vectors("x y z xs gx gy gz")
zero = 0 * x
fx, fy, fz, fs = sp.symbols("f_x f_y f_z f_s")
L, mu, gamma, a, b = sp.symbols("L mu gamma a b", positive=True)
X, Y, Z, STAR = (x, gx, fx), (y, gy, fy), (z, gz, fz), (xs, zero, fs)


# --- one outer step with an inexact gradient: y+ = y - gamma (G + e/lam), F smooth with constant L_f + 2/lam

G, e = vectors("G e")
F, F_next = sp.symbols("F F_next")
lam, L_f = sp.symbols("lam L_f", positive=True)
STEP = -gamma * (G + e / lam)
DESCENT = F_next <= F + dot(G, STEP) + (L_f + 2 / lam) / 2 * norm2(STEP)
CAP = lam / (L_f * lam + 2)
ERROR = (gamma / lam**2 + gamma**2 * (L_f * lam + 2) / lam**3) * norm2(e)


def step(c):
    return F_next <= F - gamma * (c - gamma * (L_f * lam + 2) / lam) * norm2(G) + ERROR


def test_inexact_step_coefficient():
    """5/4 is printed where Young with parameter 2 gives 3/4, the best constant for all steps."""
    result = refuted(step(q(5, 4)), given=[DESCENT])
    assert all(len(v) == 1 for v in result.vectors.values())
    proved(step(q(3, 4)), given=[DESCENT])
    refuted(step(q(4, 5)), given=[DESCENT])
    refuted(step(q(751, 1000)), given=[DESCENT])


def test_inexact_step_cap():
    """Descent by gamma/2 ||G||^2 holds up to gamma = lam/(L_f lam + 2), with the printed 3/4 inside."""
    half = F_next <= F - gamma / 2 * norm2(G) + ERROR
    for c in (q(1, 4), q(3, 4), q(1)):
        proved(half, given=[DESCENT], assuming=[gamma <= c * CAP])
    refuted(half, given=[DESCENT], assuming=[gamma <= q(101, 100) * CAP])


def test_inexact_step_with_the_printed_power_of_lambda():
    """gamma/lam ||e||^2 is printed where gamma/lam^2 belongs; it suffices for lam >= 1/2 only."""
    printed = F_next <= F - gamma / 2 * norm2(G) + (gamma / lam + gamma**2 * (L_f * lam + 2) / lam**3) * norm2(e)
    refuted(printed, given=[DESCENT], assuming=[gamma <= q(3, 4) * CAP])
    refuted(printed, given=[DESCENT], assuming=[gamma <= q(3, 4) * CAP, lam <= q(49, 100)])
    proved(printed, given=[DESCENT], assuming=[gamma <= q(3, 4) * CAP, lam >= q(1, 2)])


# --- perturbed strong convexity: <grad f(x), z - y> >= f(z) - f(y) + (mu/4) ||y - z||^2 - L ||z - x||^2


def perturbed(c, k):
    return dot(gx, z - y) >= fz - fy + c * mu * norm2(y - z) - k * L * norm2(z - x)


def test_perturbed_strong_convexity():
    proof = proved(perturbed(q(1, 4), 1), given=[convex(X, Y, mu=mu), smooth(L, X, (z, None, fz))], assuming=[mu <= L])
    assert not proof.minors and [m for _, m in proof.multipliers] == [1, 1]


def test_perturbed_strong_convexity_from_interpolation():
    proved(perturbed(q(1, 4), 1), given=[interpolation(mu, L, X, Y, Z)], assuming=[mu < L])


@pytest.mark.parametrize(("c", "k"), [(q(1, 2), 1), (q(1, 4), q(1, 2))])
def test_perturbed_strong_convexity_with_wrong_constants(c, k):
    """The interpolation conditions hold, so that a smooth strongly convex function takes these values."""
    refuted(perturbed(c, k), given=[interpolation(mu, L, X, Y, Z)], assuming=[mu < L])


def test_perturbed_strong_convexity_needs_its_condition():
    refuted(perturbed(q(1, 4), 1), given=[convex(X, Y, mu=mu), smooth(L, X, (z, None, fz))])


# --- smooth and strongly convex functions


def test_gradient_bound():
    given = [interpolation(0, L, X, STAR)]
    assert dict(proved(norm2(gx) <= 2 * L * (fx - fs), given=given).multipliers).popitem()[1] == 2 * L
    refuted(norm2(gx) <= q(19, 10) * L * (fx - fs), given=given)
    proved(norm2(gx) <= 2 * L * (fx - fy), given=[smooth(L, X, (x - gx / L, None, fz)), fz >= fy])


def test_polyak_lojasiewicz():
    given = [convex(X, STAR, mu=mu)]
    proved(2 * mu * (fx - fs) <= norm2(gx), given=given)
    refuted(q(21, 10) * mu * (fx - fs) <= norm2(gx), given=given)


def test_descent_lemma():
    given = [smooth(L, X, (x - gx / L, None, fy))]
    proved(fy <= fx - norm2(gx) / (2 * L), given=given)
    refuted(fy <= fx - q(51, 100) * norm2(gx) / L, given=given)


def test_cocoercivity():
    given = [interpolation(0, L, X, Y)]
    proof = proved(L * dot(gx - gy, x - y) >= norm2(gx - gy), given=given)
    assert [m for _, m in proof.multipliers] == [L, L]
    refuted(L * dot(gx - gy, x - y) >= q(11, 10) * norm2(gx - gy), given=given)
    proved(norm2(gx - gy) <= L**2 * norm2(x - y), given=[cocoercive(L, (x, gx), (y, gy))])


def test_facts_bring_their_conditions():
    """Without mu < L and L >= 0 said again; with the conditions taken off, or with a wrong constant, false."""
    monotone_by_mu = dot(gx - gy, x - y) >= mu * norm2(x - y)
    fact = interpolation(mu, L, X, Y)
    proved(monotone_by_mu, given=[fact])
    refuted(monotone_by_mu, given=list(fact.relations))
    refuted(dot(gx - gy, x - y) >= q(11, 10) * mu * norm2(x - y), given=[fact])
    any_L = sp.Symbol("L", real=True)
    proved(any_L * norm2(y) >= 0, given=[smooth(any_L, X, Y)])
    proved(any_L * norm2(y) >= 0, given=[lipschitz(any_L, (x, gx), (y, gy))])
    proved(any_L * norm2(y) >= 0, given=[cocoercive(any_L, (x, gx), (y, gy))])
    refuted(any_L * norm2(y) >= norm2(y), given=[smooth(any_L, X, Y)])
    assert [str(c) for c in interpolation(-any_L, any_L, X, Y).conditions] == ["L >= 0", "-L < L"]
    assert not interpolation(-L, L, X, Y).conditions and not smooth(L, X, Y).conditions  # L is positive already


def test_gradient_descent_contracts():
    given = [interpolation(mu, L, X, STAR)]
    step = norm2(x - gamma * gx - xs) <= (1 - gamma * mu) ** 2 * norm2(x - xs)
    proved(step, given=given, assuming=[mu < L, gamma <= 2 / (mu + L)])
    refuted(step, given=given, assuming=[mu < L, gamma <= q(21, 10) / (mu + L)])


def test_monotone_lipschitz_step_contracts():
    given = [monotone(mu, (x, gx), (y, gy)), lipschitz(L, (x, gx), (y, gy))]
    moved = norm2(x - y - gamma * (gx - gy))
    proof = proved(moved <= (1 - 2 * gamma * mu + gamma**2 * L**2) * norm2(x - y), given=given)
    assert [m for _, m in proof.multipliers] == [2 * gamma, gamma**2]
    result = refuted(moved <= (1 - gamma * mu) * norm2(x - y), given=given, assuming=[mu <= L, gamma <= 1 / L])
    assert len(result.vectors["x"]) == 2


def test_rate_of_one_gradient_step():
    """f(x - g/L) - f* <= L/6 ||x - x*||^2, the exact worst case; four multipliers with freedom."""
    given = [interpolation(0, L, X, (x - gx / L, gy, fy), STAR)]
    proved(fy - fs <= L * norm2(x - xs) / 6, given=given)
    refuted(fy - fs <= q(166, 1000) * L * norm2(x - xs), given=given)


# --- norms


def test_cauchy_schwarz_with_given_norms():
    given = [norm2(x) <= a**2, norm2(y) <= b**2]
    proved(dot(x, y) <= a * b, given=given)
    proved(dot(x, y) <= a * b, given=given, multipliers=[b / (2 * a), a / (2 * b)])
    assert isinstance(decide(dot(x, y) <= a * b, given=given, multipliers=[b / a, a / b]), Open)
    root = sp.sqrt(a / b) / 2
    proved(dot(x, y) <= sp.sqrt(a * b), given=[norm2(x) <= a, norm2(y) <= b], multipliers=[1 / (4 * root), root])
    refuted(dot(x, y) <= q(9, 10) * a * b, given=given)
    proved(dot(x, y) <= 6, given=[norm2(x) <= 4, norm2(y) <= 9])
    result = refuted(dot(x, y) <= 5, given=[norm2(x) <= 4, norm2(y) <= 9])
    assert result.vectors == {"x": (2,), "y": (3,)} and result.excess == 1


def test_equations_have_multipliers_of_any_sign():
    unit = [sp.Eq(norm2(x), 1), sp.Eq(norm2(y), 1)]
    proved(dot(x, y) <= 1, given=unit)
    refuted(dot(x, y) <= q(9, 10), given=unit)
    proved(norm2(x + y) >= 2, given=[sp.Eq(dot(x, y), 0), *unit])


def test_values_are_exact_at_tight_premises():
    """The premise fixes f exactly; a violation has to meet it without slack."""
    result = refuted(fx <= norm2(x), given=[sp.Eq(fx, 3 * norm2(x) / 2 + q(1, 7))])
    assert result.values[fx] == result.evaluate(3 * norm2(x) / 2) + q(1, 7)
