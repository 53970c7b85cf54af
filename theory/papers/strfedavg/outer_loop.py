"""The two loops, and the proofs of Theorem 3 (i-1, ii-1), corrected.

Iteration ``t`` moves from ``y`` to ``y+ = y - gamma (grad f(y) + (y - x)/lambda)``, where ``x`` is what call ``t``
returns and ``x* = Pi[y]`` what it seeks. ``y``, and with it problem (4) and its solution, is random and known before
the call: so ``D^2`` and ``g*`` of a call are expectations too, and ``D2`` and ``g_star`` the largest of them over the
calls, while ``grad_g_star`` is at least ``dist(y, X_h*)``, whatever the outcome. What the hypothesis on ``M`` says of
the least ``E g - g*``, it says of every call.
"""

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.strfedavg.calls import (
    B2_HAT,
    CALL_LEVELS,
    ETA_HAT,
    at_hat,
    b_star,
    b_x,
    constants,
    g_x,
    v,
    v_star,
    x,
    x_0,
    x_eta,
    xs,
)
from rateproof.theory.papers.strfedavg.levels import roots_of
from rateproof.theory.papers.strfedavg.mended import delta_h
from rateproof.theory.papers.strfedavg.notation import (
    D2,
    A1n,
    A2n,
    B_ncvx2,
    E_err2_n,
    E_grad2_env,
    F_gap0_env,
    F_next,
    F_prev,
    G_ncvx2,
    M_g,
    R_first,
    c_e,
    call,
    eta_g,
    eta_g_hat,
    g_star,
    gamma,
    gap_g_n,
    grad_g_star,
    inf_g,
    lam,
    s2,
    sq_grad_F,
)
from rateproof.theory.proof import (
    SCHEDULE,
    SEQUENCES,
    Ground,
    Part,
    Proof,
    Step,
    cite,
    have,
    infimum,
    largest,
    least,
    logarithm,
    projection,
    qed,
    raised,
    rewritten,
    section,
    smooth,
    special,
    split,
    summed,
    total,
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
    T,
    a,
    alpha,
    b,
    gamma_g,
    gamma_l,
    gamma_t,
    h_star,
    kappa,
    mean_inf_h,
    p,
)

y, y_0, p_next, d, d_next = vectors("y y_0 p+ grad_f grad_f+")
y_next = y - gamma * (d + (y - x) / lam)
f_y, f_next, F_0, F_inf, g_s = sp.symbols("f_y f_y+ F_0 inf_F g_s", real=True)
D_0 = sp.Symbol("D_0^2", nonnegative=True)
F, loss, optimum = (sp.Function(name, real=True) for name in ("F", "g_x", "g_s"))
grad2, err, D0 = (sp.Function(name, nonnegative=True) for name in ("grad2", "err", "D_0^2"))

_CALLS = (call, sp.S.Zero, T - 1)
IN_RANGE = (le(call, T - 1),)
TWO_LOOPS = replace(
    CALL_LEVELS,
    depends={**{n: on for n, on in CALL_LEVELS.depends.items() if n != "x*"}, "y_0": "", "y": "past"},
    functions={
        **CALL_LEVELS.functions,
        "g": {"x": (x, v, g_x), "x*": (xs, v_star, g_s)},
        "g_i": {"x": (x, b_x, g_x), "x*": (xs, b_star, g_s)},
        "X_h*": {**CALL_LEVELS.functions["X_h*"], "y": (y, xs), "y+": (y_next, p_next)},  # type: ignore[dict-item]
        "f": {"y": (y, d, f_y), "y+": (y_next, d_next, f_next)},
        "F_lambda": {"y": (y, None, f_y + norm2(y - xs) / (2 * lam)), "y_0": (y_0, None, F_0)},
    },
    made={**CALL_LEVELS.made, "F_lambda": {"f": sp.S.One, "half dist^2": 1 / lam}},
    infima={**CALL_LEVELS.infima, "F_lambda": F_inf},
    words={
        **CALL_LEVELS.words,
        "y": "the outer iterate at which the call is made",
        "y_0": "the first outer iterate",
        "half dist^2": "half the squared distance from X_h*",
    },
    squares={D_0: x_0 - x_eta},
    minima={gap_g_n: (loss(call) - optimum(call), _CALLS)},
    maxima={D2: (D0(call), _CALLS), g_star: (optimum(call), _CALLS)},
    metrics={
        E_err2_n: norm2(x - xs),
        F_prev: f_y + norm2(y - xs) / (2 * lam),
        F_next: f_next + norm2(y_next - p_next) / (2 * lam),
        sq_grad_F: norm2(d + (y - xs) / lam),
        F(0): F_0,
    },
    sequences={
        E_err2_n: err(call),
        F_prev: F(call),
        F_next: F(call + 1),
        sq_grad_F: grad2(call),
        D_0: D0(call),
        g_x: loss(call),
        g_s: optimum(call),
        F_gap0_env: F(0) - F_inf,
        E_grad2_env: sp.Sum(grad2(call), _CALLS) / T,
    },
    measured=(*CALL_LEVELS.measured, F_inf, D_0, F_gap0_env, E_grad2_env),
    constants=(),
    fixed=(D2, g_star, M_g, grad_g_star, R_first, lam, gamma, F_inf),
)

#: With the same ``eta`` in all calls.
TWO_LOOPS_II = replace(TWO_LOOPS, fixed=(*TWO_LOOPS.fixed, eta_g))

_SHARE = gamma / lam**2 + gamma**2 * (L_f * lam + 2) / lam**3
_OUTER = (
    section("Descent over the outer iterations"),
    have("nearer", le(norm2(y_next - p_next), norm2(y_next - xs)), by=[projection("X_h*", "y", "y+")]),
    have(
        "one outer step",
        le(F_next, F_prev - gamma / 2 * sq_grad_F + _SHARE * E_err2_n),
        by=["nearer", smooth("f", "y", "y+")],
    ),
    have(
        "iteration t",
        le(gamma / 2 * grad2(call), F(call) - F(call + 1) + _SHARE * err(call)),
        by=["one outer step", SEQUENCES],
    ),
    summed("all iterations", "iteration t", over=call, start=0, last=T - 1),
    have("F >= inf F", ge(F_prev, F_inf), by=[infimum("F_lambda", "y")]),
    have("F >= inf F at t", ge(F(call), F_inf), by=["F >= inf F", SEQUENCES]),
    special("F >= inf F at T", "F >= inf F at t", {call: T}),
    have(
        "stationarity",
        le(E_grad2_env, 2 / gamma * F_gap0_env / T + c_e * sp.Sum(err(call), _CALLS) / T),
        by=["all iterations", "F >= inf F at T", SEQUENCES, unfold(c_e)],
    ),
)

#: What a call has to do with the largest values over the calls.
_LARGEST = (
    section("This call and the extremes over all calls"),
    have("B^2 >= 0", ge(B_ncvx2, 0), by=[unfold(B_ncvx2)]),
    have("inf h_i", ge(h_star, mean_inf_h), by=[infimum("h")]),
    have("D^2", le(D_0, D2), by=[largest(D2), SEQUENCES], when=IN_RANGE),
    have("g*", le(g_s, g_star), by=[largest(g_star), SEQUENCES], when=IN_RANGE),
    have("g* >= 0", ge(g_s, 0), by=[infimum("g", "x*"), unfold(inf_g)]),
    have("largest at t", le(0, g_star), by=["g*", "g* >= 0"], when=IN_RANGE),
)
#: What holds of the least ``E g - g*`` over the calls holds of this one.
_LEAST = (
    have("gap", ge(g_x - g_s, gap_g_n), by=[least(gap_g_n), SEQUENCES], when=IN_RANGE),
    have("M", sp.Gt(M_g, sp.Max(0, g_s - g_x), evaluate=False), by=["gap"], when=IN_RANGE),
)


def _rules(*rules: tuple[sp.Symbol, sp.Expr]) -> tuple[Part, ...]:
    """The rules of the schedule in ``R``, the rounds of a call."""
    later = R_first + call
    return (
        section("The rules of the schedule"),
        have("R", eq(R, later), by=[SCHEDULE]),
        have("t", eq(later, R), by=["R"]),
        *(have(f"{s} in t", eq(s, rule.subs(R, later)), by=[SCHEDULE]) for s, rule in rules),
        *(rewritten(s.name, f"{s} in t", by=["t"]) for s, _ in rules),
        have("R >= R_first", ge(R, R_first), by=["R"]),
    )


def _positive(*ruled: sp.Symbol) -> tuple[Step, ...]:
    """That ``log R`` is positive, and so are what the rules make of it and the local step."""
    return (
        logarithm("tangent of log R", R, below=True),
        have("log R", ge(sp.log(R), sp.Rational(1, 2)), by=["rounds", "tangent of log R"]),
        *(have(f"{s} > 0", gt(s, 0), by=[s.name, "rounds", "log R"]) for s in ruled),
        have("gamma_l > 0", gt(gamma_l, 0), by=[SCHEDULE, "gamma_t > 0"]),
    )


PLACES = {f"{of}.{q}": f"{of}.{q}" for of, known in CALL_LEVELS.functions.items() for q in known}
_power = sp.Rational(7, 12)
_first = R_first**_power
_, _A1, _A2 = constants(g_s)


def _bound(start: sp.Expr, A1: sp.Expr, A2: sp.Expr) -> sp.Expr:
    return start / (R - 1) + (A1 / R ** sp.Rational(1, 6) + A2 / R ** sp.Rational(3, 4)) / sp.log(R)


_STEP_CONDITION = le(16 * K * gamma_g * gamma_l * (L_h + eta_g + B_ncvx2), 1)
CALL_I = (
    *_LARGEST,
    *_LEAST,
    *_rules((gamma_t, R**-_power), (eta_g, 2 * sp.log(R) / R ** sp.Rational(5, 12))),
    *ETA_HAT,
    section("Every call has enough rounds"),
    have("first call", le(16 * (L_h + eta_g_hat + B2_HAT), _first)),
    have("880", ge(_first, 880), by=["first call", unfold(eta_g_hat)]),
    raised("R_first", "880", to=1 / _power),
    have("rounds", ge(R, 3), by=["R_first", "R >= R_first"]),
    *_positive(gamma_t, eta_g),
    section("Constants at the largest eta and g*"),
    *at_hat(g_s, ["g* >= 0"], ["g*"], IN_RANGE, [f"{eta_g} > 0"]),
    section("The step condition of the call"),
    raised("longer", "R >= R_first", to=_power),
    have(
        "effective step",
        le(16 * gamma_t * (L_h + eta_g + B_ncvx2), 1),
        by=[gamma_t.name, "first call", "longer", "eta <= eta_hat", "B^2"],
    ),
    have("step condition", _STEP_CONDITION, by=["effective step", unfold(gamma_t)]),
)

_log = sp.log(R) / R ** sp.Rational(5, 12)
#: What stands under the root of Proposition 7 (i) at these exponents, and the terms of a bound on it.
_small = 2 * _log * (D_0 / (2 * (R - 1)) + M_g) / alpha
_TERMS = (_log * D2 / (R - 1), 4 * _log * M_g)


def _proposition_7(closer: Claim) -> Step:
    at = {a: _power, b: 1 - _power, p: sp.Integer(2)}
    return have(
        "Proposition 7",
        le(E_err2_n, _bound(D_0, _A1, _A2) + 2 * grad_g_star * _small ** (1 / kappa)),
        by=[cite(closer, at=at, points=PLACES), unfold(B_ncvx2, inf_g), "rounds", "log R"],
        when=IN_RANGE,
        multipliers=[1],
    )


_FROM_FIRST = special("largest g* >= 0", "largest at t", {call: sp.S.Zero})
_ROOTS = sp.Add(*((w / alpha) ** (1 / kappa) for w in _TERMS))
NONNEGATIVE = (
    have("G_ncvx^2 >= 0", ge(G_ncvx2, 0), by=["G_h", "B^2 >= 0", "largest g* >= 0", unfold(G_ncvx2, eta_g_hat)]),
    have("A_1 >= 0", ge(A1n, 0), by=["G_ncvx^2 >= 0", unfold(A1n, s2)]),
    have("A_2 >= 0", ge(A2n, 0), by=["G_ncvx^2 >= 0", unfold(A2n, s2, eta_g_hat)]),
)
_ONE_CALL = (
    *NONNEGATIVE,
    have("under the root", le(_small, sp.Add(*_TERMS) / alpha), by=["D^2", "rounds", "log R"], when=IN_RANGE),
    raised("the root", "under the root", to=1 / kappa, by=["rounds", "log R"]),
    split("the root in parts", [w / alpha for w in _TERMS], to=1 / kappa, by=["rounds", "log R"]),
    have(
        "the roots",
        le(2 * grad_g_star * _small ** (1 / kappa), 2 * grad_g_star * _ROOTS),
        by=["the root", "the root in parts"],
        when=IN_RANGE,
    ),
    have(
        "outside the root",
        le(_bound(D_0, _A1, _A2), _bound(D2, A1n, A2n)),
        by=["D^2", "A_1", "A_2", "rounds", "log R"],
        when=IN_RANGE,
    ),
    have(
        "the call",
        le(E_err2_n, _bound(D2, A1n, A2n) + 2 * grad_g_star * _ROOTS),
        by=["Proposition 7", "outside the root", "the roots", "rounds", "log R"],
        when=IN_RANGE,
        multipliers=[1, 1],
    ),
)

# --- what decreases, at t + 2 rounds or fewer

_rounds, _last = R_first + call, R_first + T
_u, _w = call + 2, call + 1
_log_u, _log_last = sp.log(_u), sp.log(_last)


def replaced(
    name: str,
    metric: sp.Expr,
    rest: sp.Expr,
    first: str,
    parts: Sequence[tuple[sp.Expr, sp.Expr, str]],
    by: Sequence[Ground],
    multipliers: Sequence[sp.Expr] | None = None,
) -> tuple[Step, ...]:
    """``metric <= rest + parts`` by the step ``first``; the parts, one after the other, replaced by larger ones.

    ``multipliers``: of what the parts are replaced by, where that speaks of what is measured.
    """
    names = [first, *(f"{name}, {i}" for i in range(1, len(parts))), name]
    return tuple(
        have(
            names[i],
            le(metric, sp.Add(rest, *(new for _, new, _ in parts[:i]), *(old for old, *_ in parts[i:]))),
            by=[names[i - 1], parts[i - 1][2], *by],
            when=IN_RANGE,
            multipliers=[1, *([multipliers[i - 1]] if multipliers else [])],
        )
        for i in range(1, len(parts) + 1)
    )


def _q(numerator: int, denominator: int = 12) -> sp.Rational:
    return sp.Rational(numerator, denominator)


_log_rounds = (
    section("Rounds and logarithms of call t"),
    have("R_t >= t + 4", ge(_rounds, call + 4), by=["R_first"]),
    have("R_t >= t + 2", ge(_rounds, _u), by=["R_t >= t + 4"]),
    have("R_t >= t + 1", ge(_rounds, _w), by=["R_t >= t + 2"]),
    have("R_t <= T + R_first", le(_rounds, _last), when=IN_RANGE),
    logarithm("from t + 2 to R_t", _rounds / _u),
    logarithm("from t + 2 to R_t, below", _rounds / _u, below=True),
    logarithm("from R_t to the last", _last / _rounds, below=True),
    logarithm("log(t + 2), tangent", _u, below=True),
    have("log R_t", ge(sp.log(_rounds), _log_u), by=["from t + 2 to R_t, below", "R_t >= t + 2"]),
    have("log R_t at most", le(sp.log(_rounds), _log_last), by=["from R_t to the last"], when=IN_RANGE),
    have("log(t + 2)", ge(_log_u, _q(1, 2)), by=["log(t + 2), tangent"]),
)
#: Terms of the bound on a call, and what they are at most, as a function of t.
_OUTSIDE = (
    (D2 / (_rounds - 1), D2, 1 / (call + 3), ("R_t >= t + 4",)),
    *(
        (A / (sp.log(_rounds) * _rounds**e), A, 1 / (_log_u * _u**e), (sign, "log R_t", "log(t + 2)", f"(t + 2)^{e}"))
        for A, e, sign in ((A1n, _q(1, 6), "A_1 >= 0"), (A2n, _q(3, 4), "A_2 >= 0"))
    ),
)
_INSIDE = (
    (
        sp.log(_rounds) * D2 / (_rounds ** _q(5) * (_rounds - 1)),
        D2,
        _log_u / (_u ** _q(5) * _w),
        ("log over rounds", "(t + 2)^5/12", "log(t + 2)", "R_t >= t + 2", "log R_t"),
    ),
    (
        4 * sp.log(_rounds) * M_g / _rounds ** _q(5),
        4 * M_g * _log_last,
        1 / _w ** _q(5),
        ("log R_t at most", "(t + 1)^5/12", "log(t + 2)", "log R_t"),
    ),
)
_at_t = [(c / alpha) ** (1 / kappa) * q ** (1 / kappa) for _, c, q, _ in _INSIDE]
_outer_terms = [term for term, *_ in _OUTSIDE]
_SIGNS = ("R_t >= t + 2", "log R_t", "log(t + 2)")
_DECREASING = (
    *_log_rounds,
    section("Terms outside the root, as functions of t"),
    *(raised(f"(t + 2)^{e}", "R_t >= t + 2", to=e) for e in (_q(1, 6), _q(3, 4), _q(5))),
    raised(f"(t + 1)^{_q(5)}", "R_t >= t + 1", to=_q(5)),
    have(
        "log over rounds",
        le(sp.log(_rounds) / (_rounds - 1), _log_u / _w),
        by=["from t + 2 to R_t", "log(t + 2), tangent", "R_t >= t + 2"],
    ),
    *(have(f"term {i}", le(term, c * q), by=by, when=IN_RANGE) for i, (term, c, q, by) in enumerate(_OUTSIDE, start=1)),
    section("Terms under the root, as functions of t"),
    *(
        step
        for i, (term, c, q, by) in enumerate(_INSIDE, start=1)
        for step in (
            have(f"under root {i}", le(term / alpha, c / alpha * q), by=by, when=IN_RANGE),
            raised(f"root {i}", f"under root {i}", to=1 / kappa, by=by),
        )
    ),
    have("under the last root", ge(4 * M_g * _log_last / alpha, 0), by=["log R_t at most", *_SIGNS], when=IN_RANGE),
    have(
        "roots at t",
        le(2 * grad_g_star * _ROOTS.subs(R, _rounds), 2 * grad_g_star * sp.Add(*_at_t)),
        by=[*(f"root {i}" for i in range(1, len(_INSIDE) + 1)), "under the last root"],
        when=IN_RANGE,
    ),
    section("From call t to all calls"),
    rewritten("the call by t", "the call", by=["R"]),
    have(
        "the call, t",
        le(err(call), sp.Add(*_outer_terms) + 2 * grad_g_star * _ROOTS.subs(R, _rounds)),
        by=["the call by t", SEQUENCES, *_SIGNS],
        when=IN_RANGE,
        multipliers=[1],
    ),
    *replaced(
        "call t",
        err(call),
        sp.S.Zero,
        "the call, t",
        [
            *((term, c * q, f"term {i}") for i, (term, c, q, _) in enumerate(_OUTSIDE, start=1)),
            (2 * grad_g_star * _ROOTS.subs(R, _rounds), 2 * grad_g_star * sp.Add(*_at_t), "roots at t"),
        ],
        _SIGNS,
    ),
    summed("all calls", "call t", over=call, start=0, last=T - 1),
)

# --- the sums over the calls

_n = sp.Symbol("n", integer=True, positive=True)


def _sums(*bounds: tuple[sp.Expr, sp.Expr], first: int = 1, above: sp.Expr | None = None) -> tuple[Step, ...]:
    """Sums over the calls and what they are at most, for any number ``n`` of calls and for ``T``."""
    parameters = {} if above is None else {kappa: above}
    return tuple(
        step
        for term, bound in bounds
        for step in (
            total(f"sum of {term}", le(sp.Sum(term, (call, 0, _n - 1)), bound), _n, first=first, above=parameters),
            special(f"sum of {term} to T", f"sum of {term}", {_n: T}),
        )
    )


_bounds = (
    (1 / (call + 3), sp.log(_n)),
    (1 / (_log_u * _u ** _q(1, 6)), 2 * _n ** _q(5, 6) / sp.log(_n)),
    (1 / (_log_u * _u ** _q(3, 4)), 8 * _n ** _q(1, 4) / sp.log(_n)),
)


def _power_sum(exponent: sp.Expr) -> sp.Expr:
    return _n ** (1 - exponent) / (1 - exponent)


_sharp = _q(17) / kappa
_root_bounds = (
    2 * 2 ** (1 / kappa) * (sp.log(_n) + 1) ** (1 / kappa) * _power_sum(_sharp),
    _power_sum(_q(5) / kappa),
)
_root_terms = tuple(q ** (1 / kappa) for _, _, q, _ in _INSIDE)
#: The roots of the constants, which are not needed, and of their parts are nonnegative.
_OF_CONSTANTS = {
    "A_1": A1n,
    "A_2": A2n,
    "noise in A_1": s2 / (K * S),
    "sampling in A_1": (4 - 4 * S / N) * G_ncvx2 / S,
    "noise in A_2": (9 * L_h + 9 * eta_g_hat) * s2 / (K * gamma_g**2),
    "drift in A_2": (18 * L_h + 18 * eta_g_hat) * G_ncvx2 / gamma_g**2,
}
_PARTS: tuple[Part, ...] = (
    have("s^2 >= 0", ge(s2, 0), by=[unfold(s2)]),
    have("eta_hat >= 0", ge(eta_g_hat, 0), by=[unfold(eta_g_hat)]),
    *(
        have(f"{name} >= 0", ge(part, 0), by=["s^2 >= 0", "G_ncvx^2 >= 0", "eta_hat >= 0"])
        for name, part in _OF_CONSTANTS.items()
        if part not in (A1n, A2n)
    ),
    section("Roots of the constants, and the statement"),
    *(raised(f"root of {name}", f"{name} >= 0", to=1 / kappa) for name in _OF_CONSTANTS),
)
_TOTALS = (
    section("The sums over the calls"),
    *_sums(*_bounds, first=2),
    *_sums((_root_terms[0], _root_bounds[0]), first=2, above=_q(17)),
    *_sums(*zip(_root_terms[1:], _root_bounds[1:], strict=True), above=_q(17)),
    section("Signs of log T and of the constants"),
    logarithm("tangent of log T", T, below=True),
    have("log T", ge(sp.log(T), _q(1, 2)), by=["tangent of log T"]),
    *_PARTS,
    logarithm("tangent of the last", _last, below=True),
    have("log of the last", ge(4 * M_g * _log_last, 0), by=["tangent of the last"]),
    raised("root of the last", "log of the last", to=1 / kappa),
    qed(
        by=[
            "stationarity",
            "all calls",
            *(f"sum of {term} to T" for term in (*(b for b, _ in _bounds), *_root_terms)),
            "log T",
            "A_1 >= 0",
            "A_2 >= 0",
            *roots_of(_PARTS),
            "root of the last",
        ],
        multipliers=[
            1,
            c_e / T,
            *(c_e / T * c for _, c, _, _ in _OUTSIDE),
            *(2 * c_e / T * grad_g_star * (c / alpha) ** (1 / kappa) for _, c, _, _ in _INSIDE),
        ],
    ),
)


def theorem3_i1(closer: Claim) -> Proof:
    """The proof of item (i-1) from Proposition 7 (i) with less under the root."""
    call_at_most = (section("Proposition 7 at the largest constants"), _FROM_FIRST, _proposition_7(closer), *_ONE_CALL)
    return Proof(*_OUTER, *CALL_I, *call_at_most, *_DECREASING, *_TOTALS)


# --- weak sharpness of order 1


def _log_over(name: str, small: sp.Expr, large: sp.Expr, by: str) -> tuple[Step, ...]:
    """``log(large)/large <= log(small)/small`` for ``large >= small >= 3``, by the step ``by``."""
    return (
        logarithm(f"log({name}), tangent", small / sp.E, below=True),
        have(f"log({name}) >= 1", ge(sp.log(small), 1), by=[f"log({name}), tangent"]),
        logarithm(f"from {name} on", large / small),
        have(
            f"log({name}) over {name}",
            le(sp.log(large) / large, sp.log(small) / small),
            by=[f"from {name} on", f"log({name}) >= 1", by],
        ),
    )


_u3 = call + 3
_log_3 = sp.log(_u3) / _u3
_growth = R ** (eta_g * p / 2)


def _parts(start: sp.Expr, A1: sp.Expr, A2: sp.Expr, rounds: sp.Expr = R) -> list[sp.Expr]:
    """The terms of Proposition 7 (ii), but for that of sharpness, where ``R^{eta p/2} >= R``."""
    log = sp.log(rounds) / rounds
    return [start / (rounds - 1), 2 * p / eta_g * A1 * log, 2 * p**2 / eta_g * A2 * log**2]


_offset = delta_h / eta_g
_of_call, _at_most, _by_t = _parts(D_0, _A1, _A2), _parts(D2, A1n, A2n), _parts(D2, A1n, A2n, _rounds)
_of_call[0] = D_0 / (_growth - 1)
_summands = ((D2, 1 / _w), (2 * p / eta_g * A1n, _log_3), (2 * p**2 / eta_g * A2n, _log_3**2))
_times_eta = sp.Add(delta_h, *(eta_g * c * q for c, q in _summands))
_totals_ii = (1 + sp.log(_n), sp.log(_n + 2) ** 2, sp.Integer(2))


#: What a call has to do with all of them, and its step condition, from that of the first.
ONE_CALL_II = (
    *_LARGEST,
    *_rules((gamma_t, p * sp.log(R) / R)),
    have("rounds", ge(R, 3), by=["R >= R_first"]),
    *_positive(gamma_t),
    section("The step condition of the call"),
    *_log_over("R_first", R_first, R, "R >= R_first"),
    have("first call", le(16 * p * sp.log(R_first) / R_first * (L_h + eta_g + B_ncvx2), 1)),
    have(
        "effective step",
        le(16 * gamma_t * (L_h + eta_g + B_ncvx2), 1),
        by=[gamma_t.name, "first call", "log(R_first) over R_first"],
    ),
    have("step condition", _STEP_CONDITION, by=["effective step", unfold(gamma_t)]),
    section("Constants at the largest eta and g*"),
    have("eta <= eta_hat", le(eta_g, eta_g_hat), by=[unfold(eta_g_hat)]),
    *at_hat(g_s, ["g* >= 0"], ["g*"], IN_RANGE),
)


def theorem3_ii1(inner: Claim) -> Proof:
    """The proof of item (ii-1) from Proposition 7 (ii)."""
    in_r = ("R^{eta p/2} >= R", "rounds", "log R")
    in_t = ("R_t >= t + 3", "log(t + 3) >= 1")
    return Proof(
        *_OUTER,
        *ONE_CALL_II,
        section("Signs of the largest constants"),
        _FROM_FIRST,
        *NONNEGATIVE,
        section("Proposition 7 at the largest constants"),
        have("weight", ge(eta_g * p / 2, 1)),
        have("one round", ge(R, 1), by=["rounds"]),
        raised("growth", "one round", to=eta_g * p / 2 - 1, by=["rounds"]),
        have("R^{eta p/2} >= R", ge(_growth, R), by=["growth", "rounds"]),
        have(
            "Proposition 7",
            le(E_err2_n, sp.Add(*_of_call, _offset)),
            by=[
                cite(inner, points=PLACES),
                unfold(B_ncvx2, inf_g, s2, eta_g_hat),
                "rounds",
                "R^{eta p/2} >= R",
            ],
            multipliers=[1],
        ),
        have("start decays", le(D_0 / (_growth - 1), D_0 / (R - 1)), by=["R^{eta p/2} >= R", "rounds"]),
        have("largest start", le(_of_call[0], _at_most[0]), by=["start decays", "D^2", *in_r], when=IN_RANGE),
        *replaced(
            "the call",
            E_err2_n,
            _offset,
            "Proposition 7",
            [*zip(_of_call, _at_most, ("largest start", "A_1", "A_2"), strict=True)],
            in_r,
            multipliers=[sp.S.One, *(2 * (p * sp.log(R) / R) ** i / eta_g for i in (1, 2))],
        ),
        section("Terms of a call, as functions of t"),
        rewritten("the call by t", "the call", by=["R"]),
        have("R_t >= t + 3", ge(_rounds, _u3)),
        *_log_over("t + 3", _u3, _rounds, "R_t >= t + 3"),
        rewritten("log R_t", "log R", by=["R"]),
        raised("squares", "log(t + 3) over t + 3", to=2, by=["log R_t"]),
        *(
            have(f"term {i}", le(old, c * q), by=by)
            for i, (old, (c, q), by) in enumerate(
                zip(
                    _by_t,
                    _summands,
                    (["R_t >= t + 3"], ["A_1 >= 0", "log(t + 3) over t + 3"], ["A_2 >= 0", "squares"]),
                    strict=True,
                ),
                start=1,
            )
        ),
        section("From call t to all calls"),
        have("the call, t", le(err(call), sp.Add(*_by_t, _offset)), by=["the call by t", SEQUENCES], when=IN_RANGE),
        *replaced(
            "call t",
            err(call),
            _offset,
            "the call, t",
            [(old, c * q, f"term {i}") for i, (old, (c, q)) in enumerate(zip(_by_t, _summands, strict=True), 1)],
            in_t,
        ),
        have(
            "call t, times eta",
            le(eta_g * err(call), _times_eta),
            by=["call t", *in_t],
            when=IN_RANGE,
            multipliers=[eta_g],
        ),
        summed("all calls", "call t, times eta", over=call, start=0, last=T - 1),
        section("The sums over the calls"),
        *_sums(*zip((q for _, q in _summands), _totals_ii, strict=True)),
        qed(
            by=["stationarity", "all calls", *(f"sum of {q} to T" for _, q in _summands), "A_1 >= 0", "A_2 >= 0"],
            multipliers=[1, c_e / (T * eta_g), *(c_e / T * c for c, _ in _summands)],
        ),
    )
