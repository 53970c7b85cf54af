"""Lemma B.5: errors of the momentum phase.

As printed it is false: it loses the constant of ``P`` in ``Z`` and ``1/rho``, adds norms to squared norms, and bounds
what the iterates move in a round by a sum over ``k`` that is empty for ``K = 1``. The errors at the points themselves,
``h_r - P(x_r, Z_r)``, obey the recursion of STORM, and their sum over the rounds is bounded by what the iterates move.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import BoundedVariance, Independent, Lipschitz, Unbiased
from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.lemmas import FEDERATED, error, move, r
from rateproof.theory.papers.lemmas import notation as of
from rateproof.theory.proof import (
    SEQUENCES,
    Ground,
    Mean,
    Part,
    Proof,
    Setting,
    cite,
    fresh,
    have,
    lipschitz,
    mean,
    qed,
    raised,
    summed,
    supposed,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint
from rateproof.theory.symbols import POS, N

_PROOF = "proof of Lemma B.5"
_STEP = (_PROOF, Kind.INEQUALITY)

# --- what is measured

C_h = p.declare("C_h", "constant C'' of the step of x", latex="C''", **POS)
D_s = p.declare("D_s", "constant D'' of the steps of z^n", latex="D''", **POS)
E_1 = p.declare("E_1", "noise factor of (40a)", latex=r"E_1(\rho)", defined=True, **POS)
E_2 = p.declare("E_2", "noise factor of (40b)", latex=r"E_2(\rho)", defined=True, **POS)
_ALL, _IN = "sum_{r=0}^{R-1}", "sum_{r=0}^{R-1} (1/K) sum_{k=1}^{K-1}"
_DQ, _S = "q_r^n - S^n(z_r^{n-1}, z_r^n)", "S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n)"
D1, D1_back, P1_in, d1_before = p.measured(
    p.SLOPE,
    D1=f"{_ALL} E||d_r||",
    D1_back=f"{_ALL} E||d_{{r-1}}||",
    P1_in=f"{_IN} E||P(x_{{r+1,k}})||",
    d1_before="E||d_{r-1}||",
)
#: ``at_Z`` and ``e2``: the errors at the points themselves.
D2, D2_up, D2_back, D2_before, D2_first, D2_last, P2_in, at_Z = p.measured(
    p.SLOPE**2,
    D2=f"{_ALL} E||d_r||^2",
    D2_up="sum_{r=1}^R E||d_r||^2",
    D2_back=f"{_ALL} E||d_{{r-1}}||^2",
    D2_before="sum_{r=1}^R E||d_{r-1}||^2",
    D2_first="E||d_0||^2",
    D2_last="E||d_R||^2",
    P2_in=f"{_IN} E||P(x_{{r+1,k}})||^2",
    at_Z=f"{_ALL} E||h_r - P(x_r, Z_r)||^2",
)
d2_now, d2_before, ar2, br2, cr2, e2_now, e2_before, off_41, off_42 = p.measured(
    p.SLOPE**2,
    d2_now="E||d_r||^2",
    d2_before="E||d_{r-1}||^2",
    ar2="E||a_r||^2",
    br2="E||b_r||^2",
    cr2="E||c_r||^2",
    e2_now="E||h_r - P(x_r, Z_r)||^2",
    e2_before="E||h_{r-1} - P(x_{r-1}, Z_{r-1})||^2",
    off_41="E||h_r^m - the right side of (41)||^2",
    off_42="E||d_r - (a_r + (1 - rho) d_{r-1} + rho c_r + (1 - rho) b_r)||^2",
)
G2, X2, steps2, moves, round_moves_n, gap2_now, gap2_before, x2_now, w2_now = p.measured(
    p.AREA,
    G2=f"{_ALL} E||Z_r - Z^*(x_r)||^2",
    X2=f"{_ALL} E||x_r - x_{{r-1}}||^2",
    steps2=f"{_ALL} (1/K) sum_{{k=1}}^K (alpha^2 E||h_{{r,k}}||^2 + sum_n beta_n^2 E||q_{{r,k}}^n||^2)",
    moves=f"{_ALL} (E||x_{{r+1}} - x_r||^2 + E||Z_{{r+1}} - Z_r||^2)",
    round_moves_n=f"{_ALL} (E||z_{{r+1}}^{{n-1}} - z_r^{{n-1}}||^2 + E||z_{{r+1}}^n - z_r^n||^2)",
    gap2_now="E||Z_r - Z^*(x_r)||^2",
    gap2_before="E||Z_{r-1} - Z^*(x_{r-1})||^2",
    x2_now="E||x_r - x_{r-1}||^2",
    w2_now="E||x_r - x_{r-1}||^2 + E||Z_r - Z_{r-1}||^2",
)
Q1, S1_in = p.measured(p.FORCE, Q1=f"{_ALL} E||{_DQ}||", S1_in=f"{_IN} E||{_S}||")
Q2, S2_in = p.measured(p.FORCE**2, Q2=f"{_ALL} E||{_DQ}||^2", S2_in=f"{_IN} E||{_S}||^2")

# --- hypotheses

LOCAL = p.H_("K>=1", "K >= 1", ge(p.K, 1))
STEP_X = p.H_(
    "alpha<=sqrt(rho MKb)/(C'' Lb_p K)",
    "alpha <= sqrt(rho M K b)/(C'' Lb_p K) for some constant C''",
    le(p.alpha * C_h * p.Lb_p * p.K, sp.sqrt(p.rho * p.M * p.K * p.b)),
)
STEP_Z = p.H_(
    "beta_n<=sqrt(rho MKb)/(D'' Lb_{s,n} K)",
    "beta_n <= sqrt(rho M K b)/(D'' Lb_{s,n} K) for some constant D''",
    le(p.beta * D_s * p.Lb_s * p.K, sp.sqrt(p.rho * p.M * p.K * p.b)),
)
BATCH = p.H_("batch", "in round r each client draws b samples, in the first b_0")
BATCH_K = p.H_("batch K", "in round r each client draws K b samples, in the first K b_0")
RUN = (p.A1, p.A2, p.A3, p.A4, p.A5_PRINTED, p.B, p.C, LOCAL, STEP_X, STEP_Z, p.METHOD, p.MOMENTUM, p.SUM, BATCH)
MEAN = Switch(
    "normalisation",
    "sum",
    "mean",
    "h_r is a mean over the clients, and estimates no sum",
    without=("sum",),
    adding=(p.MEAN,),
    origin="line 8 of Algorithm 1",
)
SAMPLES = Switch(
    "batch",
    "b",
    "K b",
    "sigma^2/(M K b) is the variance of a mean over K b samples of each client",
    without=("batch",),
    adding=(BATCH_K,),
    origin="sigma^2/(M K b) in the proof of Lemma B.5",
)
SQUARES = Switch(
    "Lipschitz",
    "in mean",
    "in mean square",
    "(34a) and the bound on b_r square the mean Lipschitz property",
    without=("A4",),
    adding=(p.A4_SQUARES,),
    origin="(34a), ||b_k||^2 <= (Lb_p^2/b) ||x_k - x_{k-1}||^2",
)
READINGS = (MEAN, SAMPLES, SQUARES)
NOISE = {
    E_1: 48 * sp.E * p.rho / p.b + 24 * sp.E / (p.rho * p.R * p.b0),
    E_2: 2 * p.rho / p.b + 1 / (p.rho * p.R * p.b0),
}
_first_noise = p.sigma0**2 / (p.M * p.b0)

# --- the lemma


def _of_h(in_P: sp.Symbol, factor: sp.Expr = sp.S.One) -> sp.Rel:
    return le(D2 / p.R, factor * G2 / p.R + in_P / p.R + E_1 / (p.M * p.K) * p.sigma0**2)


LEMMA_B5_H = p.claim(
    "lemB5.h",
    "Lemma B.5",
    Kind.BOUND,
    "(1/R) sum_r E||h_r - P(x_r)||^2 <= (1/R) sum_r E||Z_r - Z_r^*||^2 + (1/R) sum_r (1/K) sum_{k=1}^{K-1} "
    "E||P(x_{r+1,k})|| + (E_1(rho)/(M K)) sigma_h^2",
    _of_h(P1_in),
    equation="40a",
    title="Error of h in the momentum phase",
    hypotheses=RUN,
    where={E_1: NOISE[E_1]},
    follows_from=("step.13.sum.d", "step.13.last.a", "step.13.last.b"),
    switches=(
        *READINGS,
        misprint(
            "squares, with L_z^2",
            "||P|| has not the unit of ||P||^2, and ||Z - Z^*||^2 lacks the Lipschitz constant of P in Z",
            _of_h(P2_in, p.L_Z**2),
            "the last display of the proof has squares, A3 the constant",
        ),
    ),
    note="sigma_h is sigma. Read with Z_r and x_{r+1,k} in the places of those with tildes, as in the proof.",
)


def _of_q(errors: sp.Symbol, in_S: sp.Symbol) -> sp.Rel:
    return le(errors / p.R, in_S / p.R + E_2 / (p.M * p.K) * p.sigma_n**2)


LEMMA_B5_Q = p.claim(
    "lemB5.q",
    "Lemma B.5",
    Kind.BOUND,
    "(1/R) sum_r E||q_r - S(z_r^{n-1}, z_r^n)|| <= (1/R) sum_r (1/K) sum_{k=1}^{K-1} E||S^n(z_{r+1,k}^{n-1}, "
    "z_{r+1,k}^n)|| + (E_2(rho)/(M K)) sigma_q^2",
    _of_q(Q1, S1_in),
    equation="40b",
    title="Error of q in the momentum phase",
    hypotheses=RUN,
    where={E_2: NOISE[E_2]},
    switches=(
        *READINGS,
        misprint(
            "squares",
            "||q - S|| has not the unit of sigma_q^2",
            _of_q(Q2, S2_in),
            "(40a) has squares, and the proof of (40b) is said to be similar",
        ),
    ),
    note="sigma_q is sigma_n.",
)
DEFINITIONS = p.claim(
    "lemB5.40c",
    "Lemma B.5",
    Kind.IDENTITY,
    "E_1(rho) = 48 e rho/b + 24 e/(rho R b_0), E_2(rho) = 2 rho/b + 1/(rho R b_0)",
    every(*(eq(name, formula) for name, formula in NOISE.items())),
    equation="40c",
    title="Noise factors of the momentum phase",
    note="E_1 = 24 e E_2, where the last inequality of the proof asks for (1 + 1/(24 e)) E_2 only.",
    where=NOISE,
    proof=Proof(qed(by=[unfold(E_1, E_2)]), qed(by=[unfold(E_1, E_2)], of=1)),
)

# --- the steps of the proof


def _step(
    cid: str,
    text: str,
    statement: sp.Rel,
    *switches: Switch,
    hypotheses: tuple[Hypothesis, ...] = RUN,
    **said: Any,
) -> Claim:
    """An inequality of the proof, as printed, with the readings of all of them."""
    return p.claim(
        f"step.13.{cid}", *_STEP, text, statement, hypotheses=hypotheses, switches=(*READINGS, *switches), **said
    )


#: Of one client: the samples at ``Z_r``, the noises of those at ``Z^*``, ``P^m`` there, the same at the last point.
last, pz, pz0, n1, n0, P, P0, hm = vectors("last pz pz0 n1 n0 P P0 h_m")
mz, mz0, m1, m0 = vectors("mz mz0 mean_n1 mean_n0")
_AVERAGES = {"mz": "pz", "mz0": "pz0", "mean_n1": "n1", "mean_n0": "n0", "P": "Pi", "P0": "Pi0"}
_keep = 1 - p.rho
#: ``d, a, b, c`` of (42), with the means over the clients.
_d = mz + _keep * (last - mz0) - P
_a = mz - P - m1 - _keep * (mz0 - P0 - m0)
_b, _c = m1 - m0, m1
_new = p.rho * _c + _keep * _b
CLIENT = Setting(
    depends={
        "last": "past",
        **dict.fromkeys(("Pi", "Pi0"), "past client"),
        **dict.fromkeys(("pz", "pz0", "n1", "n0"), "past client xi"),
    },
    means={name: Mean(mean_of, "client") for name, mean_of in _AVERAGES.items()},
    sums={"h_m": pz + _keep * (last - pz0)},
    sizes={"client": p.M},
    within={"xi": "client"},
    together={"client": "round"},
    words={
        "last": "h_{r-1}",
        "h_m": "h_r^m",
        "Pi": "P^m(x_r)",
        "Pi0": "P^m(x_{r-1})",
        "pz": "p^m(x_r, Z_r; xi)",
        "pz0": "p^m(x_{r-1}, Z_{r-1}; xi)",
        "n1": "p^m(x_r; xi) - P^m(x_r)",
        "n0": "p^m(x_{r-1}; xi) - P^m(x_{r-1})",
    },
    metrics={
        off_41: norm2(hm - pz - _keep * (last - pz0)),
        off_42: norm2(_d - _a - _keep * (last - P0) - _new),
        d2_now: norm2(_d),
        d2_before: norm2(last - P0),
        ar2: norm2(_a),
        br2: norm2(_b),
        cr2: norm2(_c),
    },
)
ST_41 = p.claim(
    "step.13.41",
    _PROOF,
    Kind.IDENTITY,
    "h_r^m = p^m(x_r, Z_r; xi_r^m) + (1 - rho)(h_{r-1} - p^m(x_{r-1}, Z_{r-1}; xi_r^m))",
    eq(off_41, 0),
    equation="41",
    title="The momentum phase of a client",
    hypotheses=(p.METHOD,),
    setting=CLIENT,
    proof=Proof(qed(by=[written_out("h_m")])),
)
ST_42 = p.claim(
    "step.13.42",
    _PROOF,
    Kind.IDENTITY,
    "d_r = a_r + (1 - rho) d_{r-1} + rho c_r + (1 - rho) b_r, with a, b, c, d of (42)",
    eq(off_42, 0),
    equation="42",
    title="The error of h in four parts",
    hypotheses=(p.METHOD, p.SUM),
    switches=(MEAN,),
    note="Without a client's index these are means over the clients. Of the vectors of one client it is not true.",
)
ST_42_CORRECTED = amended(
    ST_42,
    "the mean of P^m(x) over the clients is no sum of them",
    text="As printed, with P = (1/M) sum_m P^m",
    hypotheses=(p.METHOD, p.MEAN),
    origin="line 8 of Algorithm 1",
    setting=CLIENT,
    proof=Proof(qed()),
)
_square = 2 * ar2 + 2 * _keep**2 * d2_before + 2 * p.rho**2 * cr2 + 2 * _keep * br2
ST_SQUARE = _step(
    "square",
    "E_r||d_r||^2 = 2 ||a_r||^2 + 2 (1 - rho)^2 ||d_{r-1}||^2 + 2 rho^2 ||c_r||^2 + 2 (1 - rho) ||b_r||^2",
    eq(d2_now, _square),
    misprint("<=", "only an inequality is used", le(d2_now, _square), "the next line of the display"),
    title="The square of the four parts",
    follows_from=("step.13.42",),
    note="E_r is read as E.",
)
ST_SQUARE_CORRECTED = amended(
    ST_SQUARE,
    "a_r depends on all other parts, and c_r on b_r; only d_{r-1} is orthogonal to both",
    text="E||d_r||^2 <= 2 E||a_r||^2 + 2 (1 - rho)^2 E||d_{r-1}||^2 + 4 rho^2 E||c_r||^2 + 4 (1 - rho)^2 E||b_r||^2",
    statement=le(d2_now, 2 * ar2 + 2 * _keep**2 * d2_before + 4 * p.rho**2 * cr2 + 4 * _keep**2 * br2),
    hypotheses=(
        p.H_(
            "means of p",
            "p^m(x; xi) has the mean P^m(x), given the past",
            None,
            *(Unbiased(noise, "past client") for noise in ("n1", "n0")),
        ),
        p.METHOD,
        p.MEAN,
    ),
    follows_from=("step.13.42.corrected",),
    note="",
    setting=CLIENT,
    proof=Proof(
        have("orthogonal", eq(dot(last - P0, _new), 0), by=[fresh("mean_n1"), fresh("mean_n0")]),
        qed(by=["orthogonal"]),
    ),
)
_samples = p.M * p.K * p.b


def _recursion(before: sp.Symbol, factor: sp.Expr = sp.S.One) -> sp.Rel:
    return le(
        d2_now,
        factor * (2 * gap2_now + 2 * _keep**2 * gap2_before)
        + _keep**2 * before
        + 2 * p.rho**2 * p.sigma0**2 / _samples
        + 2 * _keep**2 * p.Lb_p**2 / _samples * x2_now,
    )


ST_RECURSION = _step(
    "recursion",
    "E_r||d_r||^2 <= 2 ||Z_r - Z^*(x_r)||^2 + 2 (1 - rho)^2 ||Z_{r-1} - Z^*(x_{r-1})||^2 + (1 - rho)^2 ||d_{r-1}|| + "
    "2 rho^2 sigma^2/(M K b) + 2 (1 - rho)^2 (Lb_p^2/(M K b)) ||x_r - x_{r-1}||^2",
    _recursion(d1_before),
    misprint(
        "squares, with L_z^2",
        "||d_{r-1}|| has not the unit of ||d_r||^2, and ||Z - Z^*||^2 lacks the Lipschitz constant of P in Z",
        _recursion(d2_before, p.L_Z**2),
        "the sum over the rounds has squares, A3 the constant",
    ),
    title="The errors of two rounds",
    follows_from=("step.13.square",),
    note="E_r is read as E. From the line before it follows only with 2 (1 - rho)^2 ||d_{r-1}||^2, which does not fall "
    "for rho < 1 - 1/sqrt(2).",
)

# --- what is true: the recursion of STORM at the points themselves

x, z, zs, u, Px, Py, Ps, e, d = vectors("x z z* u P_x P_y P_s e d")
mPx, mPy, mPs, me, md, me0, mean_u = vectors("mean_Px mean_Py mean_Ps mean_e mean_d mean_e0 mean_u")
off, gap, step2 = (sp.Function(name, nonnegative=True) for name in ("off", "gap", "step2"))
OVER = (r, 0, p.R - 1)
#: The last point is that of a round, and the next one where its K local steps lead: ``u`` is one of them.
ROUND = replace(
    FEDERATED,
    depends={
        **dict.fromkeys(("last", "x", "z", "z*"), "past"),
        **dict.fromkeys(("P_x", "P_y"), "past sample"),
        **dict.fromkeys(("e", "d"), "past sample xi"),
        "u": "past step",
        "e0": "first zeta",
    },
    each={"G": "sample xi", "P": "sample"},
    means={
        **FEDERATED.means,
        "mean_Ps": Mean("P_s", "sample"),
        "mean_e0": Mean("e0", "first"),
        "mean_u": Mean("u", "step"),
    },
    sizes={"sample": p.M * p.b, "first": p.M * p.b0, "step": p.K},
    within={"xi": "sample", "zeta": "first"},
    together={"sample": "batch", "first": "start"},
    functions={
        "G": {"x": (x, Px + e - d, None), "y": (x - p.K * mean_u, Py + e, None)},
        "P": {"Z": (z, Px, None), "Z*": (zs, Ps, None)},
    },
    words={
        **{name: said for name, said in FEDERATED.words.items() if name != "y"},
        "first": "a sample of one of the clients in the first round",
        "z": "Z_r",
        "z*": "Z^*(x_r)",
        "P": "P^m(x_r, .)",
        "u": "alpha h_{r,k} and beta_n q_{r,k}^n, of a local step k",
        "e0": "the noise of a sample in the first round",
    },
)
_ERROR = norm2(last - mPx)
_NEXT_ERROR = norm2(mPy + me + _keep * (last - (mPx + me - md)) - mPy)
_MOVED = p.K**2 * norm2(mean_u)


def noises(of: str, at: str, constant: str, Lb: sp.Symbol, sigma: sp.Symbol) -> tuple[Hypothesis, ...]:
    """What the samples of a map of a client have to have."""
    lower = of.lower()
    return (
        p.H_(
            f"A4 of {lower}",
            f"{lower}^m is {constant}-Lipschitz in {at}, in mean square",
            None,
            Lipschitz("G", Lb, random="xi", given="past"),
        ),
        p.H_(
            "b samples of each",
            "each client draws b samples in a round and b_0 in the first, independent of all others and unbiased",
            None,
            *(Unbiased(noise, "past sample") for noise in ("e", "d")),
            *(Independent(noise, "sample") for noise in ("e", "d")),
            Unbiased("e0", "first"),
            Independent("e0", "first"),
        ),
        p.H_(
            f"B of {lower}",
            f"the variance of {lower}^m is at most that of Assumption B",
            None,
            BoundedVariance("e", sigma**2),
            BoundedVariance("e0", sigma**2),
        ),
    )


NOISES = noises("P", "(x, Z)", "Lb_p", p.Lb_p, p.sigma0)
_drawn = p.M * p.b


def storm(before: sp.Expr, now: sp.Expr, moved: sp.Expr, Lb: sp.Symbol, sigma: sp.Symbol) -> tuple[sp.Rel, Ground]:
    """The recursion of STORM of several clients, at two rounds, and why it holds."""
    noise = 2 * p.rho**2 * sigma**2 / _drawn
    return le(now, _keep**2 * before + noise + 2 * _keep**2 * Lb**2 / _drawn * moved), cite(
        lemmas.FEDERATED_STORM,
        at={of.L: Lb, of.rho: p.rho, of.sigma2: sigma**2, N: p.M, of.batch: p.b},
        points={"G.x": "G.x", "G.y": "G.y"},
        vectors={"last": last, "P_x": Px, "P_y": Py, "e": e, "d": d},
    )


_RECURSION, _BY_STORM = storm(e2_before, e2_now, w2_now, p.Lb_p, p.sigma0)
ST_RECURSION_CORRECTED = amended(
    ST_RECURSION,
    "the part of d_r that comes from Z_r - Z^* has not mean zero, so that its product with (1 - rho) d_{r-1} stays; "
    "at the points (x_r, Z_r) themselves there is no such part",
    text="E||h_r - P(x_r, Z_r)||^2 <= (1 - rho)^2 E||h_{r-1} - P(x_{r-1}, Z_{r-1})||^2 + 2 rho^2 sigma^2/(M b) + "
    "2 (1 - rho)^2 (Lb_p^2/(M b)) (E||x_r - x_{r-1}||^2 + E||Z_r - Z_{r-1}||^2), with P the mean of P^m, b samples of "
    "each client, and Lb_p a Lipschitz constant of p^m(x, Z; xi) in (x, Z), in mean square",
    statement=_RECURSION,
    hypotheses=(*NOISES, p.METHOD, p.MEAN),
    follows_from=(),
    note="",
    setting=replace(ROUND, metrics={e2_before: _ERROR, e2_now: _NEXT_ERROR, w2_now: _MOVED}),
    proof=Proof(qed(by=[_BY_STORM])),
)


# --- the sum over the rounds

_first = D1 - _keep * D1_back
_second = D2_up - _keep * D2_back - D2_last + D2_first
_third = 2 * G2 + 2 * _keep**2 * p.Lb_p**2 / _samples * X2 + 2 * p.rho**2 * p.R * p.sigma0**2 / _samples
_BEFORE = p.H_("d_{-1}", "d_{-1} = d_0, as (x_{-1}, Z_{-1}) = (x_0, Z_0)")
_squares_a = eq(p.rho * D2, D2 - _keep * D2_before)
_from_a = "the next line adds ||d_0||^2 - ||d_R||^2 to sums over r = 1, ..., R"
SUM_A = p.claim(
    "step.13.sum.a",
    _PROOF,
    Kind.IDENTITY,
    "rho sum_{r=0}^{R-1} E||d_r|| = sum_{r=0}^{R-1} E||d_r|| - (1 - rho) sum_{r=0}^{R-1} ||d_{r-1}||",
    eq(p.rho * D1, _first),
    title="The sum of the errors, split",
    hypotheses=(*RUN, _BEFORE),
    switches=(
        misprint(
            "squares, r from 1 to R",
            "the sums of ||d_r|| and of ||d_{r-1}|| over the same r differ",
            _squares_a,
            _from_a,
        ),
    ),
)
SUM_B = p.claim(
    "step.13.sum.b",
    _PROOF,
    Kind.IDENTITY,
    "sum_{r=0}^{R-1} E||d_r|| - (1 - rho) sum_{r=0}^{R-1} ||d_{r-1}|| = sum_{r=1}^R E||d_r||^2 - (1 - rho) "
    "sum_{r=0}^{R-1} ||d_{r-1}||^2 - ||d_R||^2 + ||d_0||^2",
    eq(_first, _second),
    title="The sum of the errors, moved",
    hypotheses=(*RUN, _BEFORE),
    switches=(
        misprint(
            "squares",
            "the left side has norms, the right side their squares",
            eq(D2 - _keep * D2_back, _second),
            "the right side",
        ),
    ),
)
SUMS = Setting(
    sequences={
        D2: sp.Sum(off(r), OVER),
        D2_before: sp.Sum(off(r - 1), (r, 1, p.R)),
        D2_up: sp.Sum(off(r), (r, 1, p.R)),
        D2_first: off(0),
        D2_last: off(p.R),
    },
    measured=(D2, D2_before, D2_up, D2_first, D2_last),
    fixed=(p.rho,),
)
SUM_A_CORRECTED, SUM_B_CORRECTED = (
    amended(
        printed,
        f"norms stand for squares, and {why}",
        text=text,
        statement=statement,
        hypotheses=(),
        origin=origin,
        setting=SUMS,
        proof=Proof(qed(by=[SEQUENCES])),
    )
    for printed, why, text, statement, origin in (
        (
            SUM_A,
            "the second sum has another range",
            "rho sum_{r=0}^{R-1} E||d_r||^2 = sum_{r=0}^{R-1} E||d_r||^2 - (1 - rho) sum_{r=1}^R E||d_{r-1}||^2",
            _squares_a,
            _from_a,
        ),
        (
            SUM_B,
            "the sum of ||d_{r-1}||^2 is over the same r as that of ||d_r||^2",
            "sum_{r=0}^{R-1} E||d_r||^2 - (1 - rho) sum_{r=1}^R E||d_{r-1}||^2 = sum_{r=1}^R E||d_r||^2 - (1 - rho) "
            "sum_{r=1}^R E||d_{r-1}||^2 - E||d_R||^2 + E||d_0||^2",
            eq(D2 - _keep * D2_before, D2_up - _keep * D2_before - D2_last + D2_first),
            "the right side, and the recursion for r = 1, ..., R",
        ),
    )
)
SUM_C = _step(
    "sum.c",
    "sum_{r=1}^R E||d_r||^2 - (1 - rho) sum_{r=0}^{R-1} ||d_{r-1}||^2 - ||d_R||^2 + ||d_0||^2 <= 2 sum_r E||Z_r - "
    "Z^*(x_r)||^2 + (2 (1 - rho)^2 Lb_p^2/(M K b)) sum_r E||x_r - x_{r-1}||^2 + 2 rho^2 R sigma^2/(M K b) + E||d_0||^2",
    le(_second, _third + D2_first),
    title="The sum of the recursion",
    hypotheses=(*RUN, _BEFORE),
    follows_from=("step.13.recursion",),
)
SUM_D = _step(
    "sum.d",
    "2 sum_r E||Z_r - Z^*(x_r)||^2 + (2 (1 - rho)^2 Lb_p^2/(M K b)) sum_r E||x_r - x_{r-1}||^2 + 2 rho^2 R "
    "sigma^2/(M K b) + E||d_0||^2 <= the same with sigma^2/(M b_0) for E||d_0||^2",
    le(_third + D2_first, _third + _first_noise),
    title="The error of the first round",
)
SUM_D_CORRECTED = amended(
    SUM_D,
    "h_0 estimates P(x_0, Z_0), and not P(x_0)",
    text="E||h_0 - P(x_0, Z_0)||^2 <= sigma^2/(M b_0), with P the mean of P^m and b_0 samples of each client",
    statement=le(e2_before, _first_noise),
    hypotheses=(*NOISES[1:], p.METHOD, p.MEAN),
    note="In the formula r = 1.",
    setting=replace(ROUND, metrics={e2_before: norm2(me0)}),
    proof=Proof(qed(by=[variance("mean_e0"), variance("e0")])),
)


def all_rounds(
    errors: sp.Symbol, moved: sp.Symbol, Lb: sp.Symbol, sigma: sp.Symbol, sums: dict[sp.Symbol, sp.Expr]
) -> tuple[sp.Rel, Setting, tuple[Part, ...]]:
    """The sum of the recursion over the rounds: what it says, of which errors and moves, and its steps."""
    first, noise, drift = sigma**2 / (p.M * p.b0), 2 * p.rho**2 * sigma**2 / _drawn, 2 * _keep**2 * Lb**2 / _drawn
    total = le(p.rho * errors, first + p.R * noise + drift * moved)
    _, by_storm = storm(error(r), error(r + 1), move(r), Lb, sigma)
    terms = {
        **{error(r): _ERROR, error(r + 1): _NEXT_ERROR, error(0): norm2(me0), move(r): _MOVED, step2(r): norm2(u)},
        **{off(r): norm2(last - mPs), gap(r): norm2(z - zs)},
        **{name: sp.Sum(term, OVER) for name, term in {errors: error(r), moved: move(r), **sums}.items()},
    }
    constants = (p.rho, p.M, p.K, p.b, p.b0, p.Lb_p, p.Lb_s, p.sigma0, p.sigma_n)
    return (
        total,
        replace(ROUND, metrics=terms, fixed=constants),
        (
            have(
                "one round",
                le(p.rho * error(r), error(r) - error(r + 1) + noise + drift * move(r)),
                by=[by_storm, SEQUENCES],
            ),
            summed("all rounds", "one round", over=r, start=0, last=p.R - 1),
            have("the first round", le(error(0), first), by=[variance("mean_e0"), variance("e0")]),
            have("the sum", total, by=["all rounds", "the first round", SEQUENCES]),
        ),
    )


_OF_H, ROUNDS_H, _STEPS_H = all_rounds(at_Z, moves, p.Lb_p, p.sigma0, {D2: off(r), G2: gap(r), steps2: step2(r)})
_, ROUNDS_Q, _STEPS_Q = all_rounds(Q2, round_moves_n, p.Lb_s, p.sigma_n, {})
SUM_C_CORRECTED = amended(
    SUM_C,
    "the recursion is that of the errors at the points (x_r, Z_r)",
    text="rho sum_{r<R} E||h_r - P(x_r, Z_r)||^2 <= sigma^2/(M b_0) + 2 rho^2 R sigma^2/(M b) + (2 (1 - rho)^2 "
    "Lb_p^2/(M b)) sum_{r<R} (E||x_{r+1} - x_r||^2 + E||Z_{r+1} - Z_r||^2), with P the mean of P^m and b samples of "
    "each client",
    statement=_OF_H,
    hypotheses=(*NOISES, p.METHOD, p.MOMENTUM, p.MEAN),
    follows_from=("step.13.recursion.corrected", "step.13.sum.d.corrected"),
    setting=ROUNDS_H,
    proof=Proof(*_STEPS_H, qed(by=["the sum"])),
)
LIPSCHITZ_Z = p.H_("A3 of P in Z", "P^m(x, .) is L_z-Lipschitz", None, Lipschitz("P", p.L_Z))
_per_round = 1 / (p.rho * p.R)
LEMMA_B5_H_CORRECTED = amended(
    LEMMA_B5_H,
    "the constant of P in Z and 1/rho are lost, norms stand beside squares, and what moves in a round is no sum over "
    "k < K; K in sigma^2/(M K b) needs K b samples of each client",
    text="(1/R) sum_r E||h_r - P(x_r)||^2 <= (2 L_z^2/R) sum_r E||Z_r - Z^*(x_r)||^2 + 4 rho sigma^2/(M b) + "
    "2 sigma^2/(rho R M b_0) + (4 (1 - rho)^2 Lb_p^2/(rho R M b)) sum_{r<R} (E||x_{r+1} - x_r||^2 + E||Z_{r+1} - "
    "Z_r||^2), with P the mean of P^m, for any steps",
    statement=le(
        D2 / p.R,
        2 * p.L_Z**2 * G2 / p.R
        + 4 * p.rho * p.sigma0**2 / _drawn
        + 2 * _per_round * _first_noise
        + 4 * _keep**2 * p.Lb_p**2 * _per_round / _drawn * moves,
    ),
    hypotheses=(*NOISES, LIPSCHITZ_Z, p.METHOD, p.MOMENTUM, p.MEAN),
    where={},
    follows_from=("step.13.sum.c.corrected",),
    note="",
    setting=ROUNDS_H,
    proof=Proof(
        have(
            "at Z^*",
            le(norm2(mPx - mPs), p.L_Z**2 * gap(r)),
            by=[lipschitz("P", "Z", "Z*"), mean("mean_Px"), mean("mean_Ps")],
        ),
        have("in two parts", le(off(r), 2 * error(r) + 2 * p.L_Z**2 * gap(r)), by=["at Z^*"]),
        summed("both parts", "in two parts", over=r, start=0, last=p.R - 1),
        have("both sums", le(D2, 2 * at_Z + 2 * p.L_Z**2 * G2), by=["both parts", SEQUENCES]),
        qed(by=["both sums", cite(SUM_C_CORRECTED)]),
    ),
)
LEMMA_B5_Q_CORRECTED = amended(
    LEMMA_B5_Q,
    "norms stand beside a variance, and what z^{n-1} and z^n move in a round is no sum over k < K of S^n",
    text="(1/R) sum_r E||q_r - S^n(z_r^{n-1}, z_r^n)||^2 <= 2 rho sigma_n^2/(M b) + sigma_n^2/(rho R M b_0) + "
    "(2 (1 - rho)^2 Lb_{s,n}^2/(rho R M b)) sum_{r<R} (E||z_{r+1}^{n-1} - z_r^{n-1}||^2 + E||z_{r+1}^n - z_r^n||^2), "
    "with S^n the mean of S^{m,n}, for any steps",
    statement=le(
        Q2 / p.R,
        2 * p.rho * p.sigma_n**2 / _drawn
        + p.sigma_n**2 * _per_round / (p.M * p.b0)
        + 2 * _keep**2 * p.Lb_s**2 * _per_round / _drawn * round_moves_n,
    ),
    hypotheses=(*noises("S", "(z^{n-1}, z^n)", "Lb_{s,n}", p.Lb_s, p.sigma_n), p.METHOD, p.MOMENTUM, p.MEAN),
    where={},
    follows_from=(),
    note="",
    setting=ROUNDS_Q,
    proof=Proof(*_STEPS_Q, qed(by=["the sum"])),
)

# --- the last two inequalities

_middle = 160 * p.Lb_p**2 * p.K**2 * p.alpha**2 / (p.rho * _samples)
_noise = 2 * p.rho * p.sigma0**2 / _samples + _per_round * p.sigma0**2 / (p.M * p.K * p.b0)


def _last(factor: sp.Expr, in_P: sp.Symbol = P2_in) -> sp.Expr:
    return 2 * G2 / p.R + factor / p.R * (D2 + in_P) + _noise


LAST_A = _step(
    "last.a",
    "(1/R) sum_r E||d_r|| <= (2/R) sum_r E||Z_r - Z^*(x_r)||^2 + (160 Lb_p^2 K^2 alpha^2/(rho M K b)) (1/R) sum_r "
    "(E||d_r||^2 + (1/K) sum_{k=1}^{K-1} E||P(x_{r+1,k})||^2) + 2 rho sigma^2/(M K b) + sigma^2/(rho R M K b_0)",
    le(D1 / p.R, _last(_middle)),
    misprint(
        "squares", "||d_r|| has not the unit of ||d_r||^2", le(D2 / p.R, _last(_middle)), "the sums on the right side"
    ),
    title="The mean error by Lemma B.3",
    follows_from=("step.13.sum.d", "lemB3.x"),
    note="In the division by rho R the factor 1/rho of the sum of ||Z - Z^*||^2 is lost, and sigma^2/(M b_0) is "
    "divided by K.",
)
LAST_A_CORRECTED = amended(
    LAST_A,
    "1/rho and the constant of P in Z are lost, and the moves of a round are those of x and Z in all K steps",
    text="(1/R) sum_r E||h_r - P(x_r, Z_r)||^2 <= 2 rho sigma^2/(M b) + sigma^2/(rho R M b_0) + (2 (1 - rho)^2 Lb_p^2 "
    "K^2/(rho M b)) (1/R) sum_r (1/K) sum_{k=1}^K (alpha^2 E||h_{r,k}||^2 + sum_n beta_n^2 E||q_{r,k}^n||^2), with P "
    "the mean of P^m, for any steps",
    statement=le(
        at_Z / p.R,
        2 * p.rho * p.sigma0**2 / _drawn
        + _per_round * _first_noise
        + 2 * _keep**2 * p.Lb_p**2 * p.K**2 / (p.rho * _drawn) * steps2 / p.R,
    ),
    hypotheses=(*NOISES, p.METHOD, p.MOMENTUM, p.MEAN),
    follows_from=("step.13.sum.c.corrected",),
    note="",
    setting=ROUNDS_H,
    proof=Proof(
        have("K steps", le(move(r), p.K**2 * step2(r)), by=[mean("mean_u")]),
        summed("all steps", "K steps", over=r, start=0, last=p.R - 1),
        have("all moves", le(moves, p.K**2 * steps2), by=["all steps", SEQUENCES]),
        qed(by=[cite(SUM_C_CORRECTED), "all moves"]),
    ),
)
C_OF_PROOF = p.H_("C''", "C'' = sqrt(160 (24 e + 1)) or more", ge(C_h**2, 160 * (24 * sp.E + 1)))
LAST_B = p.claim(
    "step.13.last.b",
    *_STEP,
    "the right side of the line before <= the same with 1/(24 e + 1) for 160 Lb_p^2 K^2 alpha^2/(rho M K b)",
    le(_last(_middle), _last(1 / (24 * sp.E + 1))),
    title="The step of x makes the factor small",
    hypotheses=(STEP_X, C_OF_PROOF),
    note="'Here the last inequality uses our assumption on alpha': C'' has to be that large.",
    setting=Setting(measured=(D2, P2_in, G2)),
    proof=Proof(
        have("the step", STEP_X.relation),
        raised("its square", "the step", to=2),
        have(
            "with 160",
            le(160 * (24 * sp.E + 1) * p.Lb_p**2 * p.K**2 * p.alpha**2, p.rho * _samples),
            by=["its square", supposed("C''")],
        ),
        have("the factor", le(_middle, 1 / (24 * sp.E + 1)), by=["with 160"]),
        qed(by=["the factor"]),
    ),
)
STEP_13 = p.composite(
    "step.13", "proof of Lemma B.5", "The errors of the momentum phase", "(41) and (42), the recursion and its sums"
)
CLAIMS: tuple[Claim, ...] = (
    LEMMA_B5_H,
    LEMMA_B5_H_CORRECTED,
    LEMMA_B5_Q,
    LEMMA_B5_Q_CORRECTED,
    DEFINITIONS,
    STEP_13,
    ST_41,
    ST_42,
    ST_42_CORRECTED,
    ST_SQUARE,
    ST_SQUARE_CORRECTED,
    ST_RECURSION,
    ST_RECURSION_CORRECTED,
    SUM_A,
    SUM_A_CORRECTED,
    SUM_B,
    SUM_B_CORRECTED,
    SUM_C,
    SUM_C_CORRECTED,
    SUM_D,
    SUM_D_CORRECTED,
    LAST_A,
    LAST_A_CORRECTED,
    LAST_B,
)
