"""Inner calls on the projection problem (4), and the proofs of Proposition 7 and Theorem 3 (i-2, ii-2), corrected.

The outer loss of problem (4), ``g_i = g`` for every client, has ``L = mu = 1``; Proposition 3 holds with it in the
place of ``f``.
"""

from collections.abc import Sequence

import sympy as sp

from rateproof.theory.assumptions import Minimiser, Returned
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.papers.strfedavg.explicit_bounds import decay
from rateproof.theory.papers.strfedavg.levels import CLOSER, roots_above, roots_of
from rateproof.theory.papers.strfedavg.mended import delta_h
from rateproof.theory.papers.strfedavg.notation import (
    D2,
    A1n,
    A2n,
    B_ncvx2,
    E_dist_n,
    E_err2_n,
    G_h2,
    G_ncvx2,
    M,
    M_g,
    Theta_R,
    eta_g,
    eta_g_hat,
    f_eta_star,
    g_star,
    gap_g_n,
    gap_h_n,
    grad_g_star,
    inf_g,
    s2,
    sigma_g2,
)
from rateproof.theory.papers.strfedavg.schedules import S_IP
from rateproof.theory.papers.strfedavg.two_levels import ANYWHERE
from rateproof.theory.proof import (
    SCHEDULE,
    Argmin,
    Cite,
    Mean,
    Part,
    Proof,
    Setting,
    Step,
    cite,
    have,
    infimum,
    logarithm,
    qed,
    raised,
    rewritten,
    section,
    sharp,
    unfold,
)
from rateproof.theory.shorthand import eq, ge, gt, le
from rateproof.theory.symbols import (
    K,
    L_f,
    L_h,
    N,
    R,
    S,
    a,
    alpha,
    b,
    eta,
    gamma_g,
    gamma_l,
    gamma_t,
    h_star,
    kappa,
    mean_inf_h,
    mu_f,
    p,
    sigma_f2,
    sigma_h2,
    t,
)

x, xs, proj, v, v_star, b_x, b_star, x_0, x_eta = vectors("x x* p g g* b b* x_0 x_eta*")
g_x, h_x, G_x, G_star, G_0 = sp.symbols("g_x h_x G_x G_star G_0", real=True)

#: A call returns ``x``; ``x*`` is the projection that is sought, and ``G = h + eta g``.
CALL_LEVELS = Setting(
    depends={"x": "run", "x_0": "run", "x*": "past", "x_eta*": ""},
    means={"g": Mean("b", "client"), "g*": Mean("b*", "client")},
    sizes={"client": N},
    functions={
        "g": {"x": (x, v, g_x), "x*": (xs, v_star, g_star)},
        "g_i": {"x": (x, b_x, g_x), "x*": (xs, b_star, g_star)},
        "h": {"x": (x, None, h_x), "x*": (xs, None, h_star)},
        "h_i": {"x": (x, None, h_x), "x*": (xs, None, h_star)},
        "G_i": {"x": (x, None, G_x), "minimum": (x_eta, None, f_eta_star)},
        "mean G_i": {"x": (x, None, G_x), "minimum": (x_eta, Vector(), f_eta_star)},
        "G": {
            "x": (x, None, G_x),
            "x*": (xs, None, G_star),
            "start": (x_0, None, G_0),
            "minimum": (x_eta, Vector(), f_eta_star),
        },
        "X_h*": {"x": (x, proj), "x*": (xs, xs)},  # type: ignore[dict-item]
    },
    made={
        "g": Mean("g_i", "client"),
        "h": Mean("h_i", "client"),
        "G_i": {"h_i": sp.S.One, "g_i": eta_g},
        "mean G_i": Mean("G_i", "client"),
        "G": {"h": sp.S.One, "g": eta_g},
        "X_h*": Argmin("h"),
    },
    infima={"g": inf_g, "g_i": sp.S.Zero, "h": h_star, "h_i": mean_inf_h, "G": f_eta_star},
    lengths={E_dist_n: x - proj},
    bounds={grad_g_star: v_star},
    squares={D2: x_0 - x_eta},
    assumes=(Minimiser("g", "x*", over="X_h*"), Returned("x", "mean G_i", "x_0")),
    metrics={gap_g_n: g_x - g_star, gap_h_n: h_x - h_star, E_err2_n: norm2(x - xs)},
    measured=(E_dist_n,),
    constants=(g_star,),
    fixed=(eta_g,),
    counts=(R,),
    words={"x_0": "where the call starts"},
)
_NAMES = {"f": "g", "f_i": "g_i", "phi_i": "G_i", "F": "mean G_i", "f_eta": "G"}
_POINTS = (*ANYWHERE, "f_eta.start", "f_eta.minimum", *(f"{of}.{q}" for of in ("phi_i", "F") for q in ("x", "minimum")))
_PLACES = {q: f"{_NAMES.get(q.split('.')[0], q.split('.')[0])}.{q.split('.')[1]}" for q in _POINTS}
B2_HAT = sp.Max(4 * eta_g_hat, 4 * L_h)
_PROBLEM_4 = {eta: eta_g, mu_f: sp.S.One, L_f: sp.S.One, sigma_f2: sigma_g2}
_CONSTANTS = unfold(A1n, A2n, G_ncvx2, B_ncvx2, inf_g)


def _proposition3(item: str, *, with_M: bool) -> Cite:
    """An item of Proposition 3 for problem (4)."""
    at = _PROBLEM_4 | ({M: M_g} if with_M else {})
    return cite(f"strfedavg.prop3.{item}.corrected", at=at, points=_PLACES)


_ERR = gamma_t * A1n + gamma_t**2 * A2n
_AT_START = D2 / (gamma_t * Theta_R)


#: As ``g`` is half a squared distance, its infimum is zero.
_OPTIMUM = have("g* >= 0", ge(g_star, 0), by=[infimum("g", "x*"), unfold(inf_g)])


def _begin(power: sp.Expr, rates: Sequence[Step], by: Sequence[str], rules: Sequence[str]) -> tuple[Part, ...]:
    """What every call has: the start decays as ``R^-power``."""
    return (
        section("Signs and the effective step"),
        have("B^2 >= 0", ge(B_ncvx2, 0), by=[unfold(B_ncvx2)]),
        have("inf h_i", ge(h_star, mean_inf_h), by=[infimum("h")]),
        _OPTIMUM,
        have("effective step", le(16 * gamma_t * (L_h + eta_g + B_ncvx2), 1), by=[unfold(gamma_t)]),
        have("mu <= L", le(eta_g, L_h + eta_g + B_ncvx2), by=["B^2 >= 0"]),
        section("The schedule and the rounds"),
        *rates,
        *decay(eta_g, sp.S.One, power, by=by, rules=rules),
    )


_DEFINED = ("log R", "the power > 1", "Theta_R >= R")
_more = R ** (p / 2) - 1
_RATES = (
    have("gamma_t", eq(gamma_t, R**-a)),
    have("eta", eq(eta_g, p * sp.log(R) / R**b)),
    have("rounds", ge(R, 1)),
    raised("power of rounds", "rounds", to=1 - a - b),
    logarithm("log R", R, below=True),
)
_START = (eta_g / 2 * D2 / _more + eta_g * M_g) / alpha
_OPEN = (_AT_START + eta_g * M_g) / alpha
#: Proposition 7 (i) with only the start and M under the root.
CLOSER_CALL = le(
    E_err2_n,
    D2 / _more
    + 2 / (p * sp.log(R) * R ** (a - b)) * (A1n + A2n / R**a)
    + 2 * grad_g_star * (p * sp.log(R) / R**b * (D2 / (2 * _more) + M_g) / alpha) ** (1 / kappa),
)
CLOSER_CALL_PROOF = Proof(
    *_begin(p / 2, _RATES, ["power of rounds"], ["gamma_t", "eta"]),
    section("Proposition 3 along the schedule"),
    have("the bracket", le(_OPEN, _START), by=["start", *_DEFINED]),
    raised("the root", "the bracket", to=1 / kappa, by=["Theta_R >= R"]),
    have(
        "Proposition 3",
        le(E_err2_n, 2 / eta_g * (_AT_START + _ERR) + 2 * grad_g_star * _OPEN ** (1 / kappa)),
        by=[cite(CLOSER, at=_PROBLEM_4 | {M: M_g}, points=_PLACES), _CONSTANTS, "Theta_R >= R"],
        multipliers=[1],
    ),
    have(
        "with the start",
        le(E_err2_n, D2 / _more + 2 / eta_g * _ERR + 2 * grad_g_star * _START ** (1 / kappa)),
        by=["Proposition 3", "start", "the root", *_DEFINED],
        multipliers=[1],
    ),
    rewritten("by R", "with the start", by=["gamma_t", "eta"]),
    qed(by=["by R", *_DEFINED], multipliers=[1]),
)


def proposition_7(closer: Claim, whole: sp.Expr) -> Proof:
    """The proof of item (i) from what holds with less under the root.

    Args:
        closer: ``CLOSER_CALL``.
        whole: what stands under the root.
    """
    signs = ("log R", "the power > 1", "s^2 >= 0", "G^2 >= 0", "A_1 >= 0", "A_2 >= 0")
    less = conjuncts(closer.statement)[0].rhs.atoms(sp.Pow)
    (small,) = (power.base for power in less if power.exp == 1 / kappa)
    roots = roots_above(small, whole, {c: closer.where[c] for c in (A1n, A2n)}, signs)
    return Proof(
        section("Signs of the constants"),
        have("inf h_i", ge(h_star, mean_inf_h), by=[infimum("h")]),
        have("B^2 >= 0", ge(B_ncvx2, 0), by=[unfold(B_ncvx2)]),
        _OPTIMUM,
        have("G^2 >= 0", ge(G_ncvx2, 0), by=["inf h_i", "B^2 >= 0", "g* >= 0", unfold(G_ncvx2, G_h2)]),
        have("s^2 >= 0", ge(s2, 0), by=[unfold(s2)]),
        have("A_1 >= 0", ge(A1n, 0), by=["G^2 >= 0", "s^2 >= 0", unfold(A1n)]),
        have("A_2 >= 0", ge(A2n, 0), by=["G^2 >= 0", "s^2 >= 0", unfold(A2n)]),
        section("The schedule and the rounds"),
        *(step for step in _RATES if step.name == "eta"),
        logarithm("log R", R, below=True),
        logarithm("log of the power", R ** (p / 2)),
        have("the power > 1", ge(R ** (p / 2) - 1, p / 2 * sp.log(R)), by=["log of the power"]),
        section("The root, whole and without single terms"),
        *roots,
        qed(by=[cite(closer), *roots_of(roots), *signs], multipliers=[1]),
    )


#: With a constant ``eta`` the start decays as ``R^{-eta p/2}``.
_CONSTANT = eta_g * p / 2
_RATES_II = (have("gamma_t", eq(gamma_t, p * sp.log(R) / R)), logarithm("log R", R, below=True))
PROPOSITION7_II = Proof(
    *_begin(_CONSTANT, _RATES_II, [], ["gamma_t"]),
    section("Proposition 3 along the schedule"),
    have(
        "Proposition 3",
        le(E_err2_n, (2 * (_AT_START + _ERR) + delta_h) / eta_g),
        by=[_proposition3("iii-3", with_M=False), _CONSTANTS, "Theta_R >= R"],
        multipliers=[1],
    ),
    have(
        "with the start",
        le(E_err2_n, D2 / (R**_CONSTANT - 1) + (2 * _ERR + delta_h) / eta_g),
        by=["Proposition 3", "start", *_DEFINED],
        multipliers=[1],
    ),
    rewritten("by R", "with the start", by=["gamma_t"]),
    qed(by=["by R", *_DEFINED], multipliers=[1]),
)

# --- Theorem 3: the distance from X_h*, for calls of R = t rounds


def _rounds(*rules: tuple[sp.Symbol, sp.Expr]) -> tuple[Step, ...]:
    """The rules in t, then in R; that ``log R`` is positive."""
    return (
        have("R", eq(R, t), by=[SCHEDULE]),
        have("t", eq(t, R), by=["R"]),
        *(have(f"{symbol} in t", eq(symbol, rule), by=[SCHEDULE]) for symbol, rule in rules),
        *(rewritten(symbol.name, f"{symbol} in t", by=["t"]) for symbol, _ in rules),
        have("rounds", ge(R, 2), by=["R"]),
        logarithm("tangent of log R", R, below=True),
        have("log R", ge(sp.log(R), sp.Rational(1, 2)), by=["rounds", "tangent of log R"]),
        *(have(f"{symbol} > 0", gt(symbol, 0), by=[symbol.name, "rounds", "log R"]) for symbol, _ in rules),
        have("gamma_l > 0", gt(gamma_l, 0), by=[SCHEDULE, "gamma_t > 0"]),
    )


_NOISE = 2 * eta_g**2 * sigma_g2 + 2 * sigma_h2


def constants(optimum: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """``G_ncvx^2``, ``A_1`` and ``A_2`` of a call, at its own eta and optimal value."""
    G2 = 2 * G_h2 + B_ncvx2 * eta_g * optimum
    A1 = _NOISE / (K * S) + (1 - S / N) * 4 * G2 / S
    return G2, A1, 9 * (L_h + eta_g) * _NOISE / (K * gamma_g**2) + 18 * (L_h + eta_g) * G2 / gamma_g**2


ETA_HAT = (
    logarithm("log of R^{5/12}", R ** sp.Rational(5, 12)),
    have("eta <= eta_hat", le(eta_g, eta_g_hat), by=[eta_g.name, "log of R^{5/12}", unfold(eta_g_hat)]),
)


def at_hat(
    optimum: sp.Expr,
    nonnegative: Sequence[str] = (),
    least: Sequence[str] = (),
    when: Sequence[sp.Rel] = (),
    positive: Sequence[str] = (),
) -> tuple[Step, ...]:
    """That these are at most those at the largest eta and optimal value, where ``eta <= eta_hat`` was shown.

    Args:
        optimum: the optimal value of the call.
        nonnegative, least: why it is nonnegative and at most the largest, where it is not that itself.
        when: under which conditions.
        positive: why the eta of the call is not negative, where it follows from a rule.
    """
    G2, A1, A2 = constants(optimum)
    sign = "eta >= 0"
    return (
        have(sign, ge(eta_g, 0), by=positive),
        have("G_h", ge(G_h2, 0), by=["inf h_i", unfold(G_h2)]),
        have("maximum", le(sp.Max(4 * eta_g, 4 * L_h), B2_HAT), by=["eta <= eta_hat"]),
        have("B^2", le(B_ncvx2, B2_HAT), by=["maximum", unfold(B_ncvx2)]),
        have("s^2", le(_NOISE, s2), by=["eta <= eta_hat", sign, unfold(s2)]),
        have("G^2 >= 0", ge(G2, 0), by=["G_h", "B^2 >= 0", sign, *nonnegative]),
        have(
            "G^2",
            le(G2, G_ncvx2),
            by=["eta <= eta_hat", sign, "B^2", "B^2 >= 0", *nonnegative, *least, unfold(G_ncvx2)],
            when=when,
        ),
        have("A_1", le(A1, A1n), by=["s^2", "G^2", unfold(A1n)], when=when),
        have("drift and s^2", le((L_h + eta_g) * _NOISE, (L_h + eta_g_hat) * s2), by=["s^2", "eta <= eta_hat", sign]),
        have(
            "drift and G^2",
            le((L_h + eta_g) * G2, (L_h + eta_g_hat) * G_ncvx2),
            by=["G^2", "G^2 >= 0", "eta <= eta_hat", sign],
            when=when,
        ),
        have("A_2", le(A2, A2n), by=["drift and s^2", "drift and G^2", unfold(A2n)], when=when),
    )


_G2, _A1, _A2 = constants(g_star)
_gamma, _eta = S_IP.rules[gamma_t], S_IP.rules[eta]
_AT_HAT = gamma_t * A1n + gamma_t**2 * A2n + 2 * eta_g * M_g
THEOREM3_I2 = Proof(
    *_begin(sp.S.One, _rounds((gamma_t, _gamma), (eta_g, _eta)), [], [gamma_t.name, eta_g.name]),
    section("Constants at the largest eta"),
    *ETA_HAT,
    *at_hat(g_star, ["g* >= 0"]),
    section("From Proposition 3 to the distance"),
    have(
        "Proposition 3",
        le(gap_h_n, _AT_START + gamma_t * _A1 + gamma_t**2 * _A2 + 2 * eta_g * M_g),
        by=[_proposition3("ii-1", with_M=True), unfold(B_ncvx2, inf_g), "Theta_R >= R"],
        multipliers=[0, 1],
    ),
    have(
        "inner gap",
        le(gap_h_n / alpha, (eta_g / 2 * D2 / (R - 1) + _AT_HAT) / alpha),
        by=["Proposition 3", "start", "A_1", "A_2", *_DEFINED, "rounds"],
        multipliers=[1 / alpha],
    ),
    have("h >= h*", ge(gap_h_n, 0), by=[infimum("h", "x")]),
    raised("the root", "inner gap", to=1 / kappa, by=["h >= h*"]),
    have("distance", le(E_dist_n, (gap_h_n / alpha) ** (1 / kappa)), by=[sharp("h", "x")]),
    have(
        "with the start",
        le(E_dist_n, ((eta_g / 2 * D2 / (R - 1) + _AT_HAT) / alpha) ** (1 / kappa)),
        by=["distance", "the root", "rounds"],
    ),
    rewritten("by R", "with the start", by=[gamma_t.name, eta_g.name]),
    rewritten("by t", "by R", by=["R"]),
    qed(by=["by t"], multipliers=[1]),
)
THEOREM3_II2 = Proof(
    *_begin(
        sp.S.One,
        (*_rounds((gamma_t, p * sp.log(t) / t)), have("weight", ge(eta_g * p, 2))),
        ["weight", "gamma_t > 0"],
        [gamma_t.name],
    ),
    section("From Proposition 3 to the distance"),
    have(
        "Proposition 3",
        le(gap_h_n, 2 * (_AT_START + _ERR) + delta_h),
        by=[_proposition3("iii-1", with_M=False), _CONSTANTS, "Theta_R >= R", "gamma_t > 0"],
        multipliers=[0, 1],
    ),
    have("distance", le(alpha * E_dist_n, gap_h_n + delta_h), by=[sharp("h", "x")]),
    have(
        "with the start",
        le(E_dist_n, (eta_g * D2 / (R - 1) + 2 * _ERR + 2 * delta_h) / alpha),
        by=["Proposition 3", "distance", "start", *_DEFINED, "rounds", "gamma_t > 0"],
        multipliers=[1 / alpha, 1 / alpha],
    ),
    rewritten("by R", "with the start", by=[gamma_t.name]),
    rewritten("by t", "by R", by=["R"]),
    qed(by=["by t"], multipliers=[1]),
)
