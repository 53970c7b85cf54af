"""Theorem 3 on nodes in two groups, whose weights are one number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import index
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem3 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, climb, counts, example, family, growing, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, exp, sqrt
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse

#: What makes an instance, and what the iterations are.
NODES = {
    "K_nodes": counts(4, 16, drawn=(4, 16, 36, 100)),
    "S_out": counts(1, 2, 6, 31, most=30),
    "curvature": reals("1/2", "1/50", low=0.01, high=0.5),
    "valid": reals("1/2", "-1/2", "1/50", low=0.01, high=0.5),
    "target": reals(-1, 0, "1/2", low=0.1, high=1, zero=True),
    "start": reals(1, 0, low=0.1, high=1, zero=True),
    "when": choice("always", "last"),
    "size": reals(1, 0, -1, 2, low=0.1, high=3, zero=True),
}


def nodes(K_nodes: int, curvature: Number, valid: Number) -> dict[str, Any]:
    """The constants of K nodes in two groups, and what holds of them.

    ``L^_k(theta) = c/2 (theta -+ 1)^2``, one sign for each half of the nodes, and ``L^_0(theta) = v/2 (theta - t)^2``
    on [-1, 1], with 1 added where v is negative. So ``F^(w) = v/2 (u - t)^2``, where ``u`` is the weight of one half
    less that of the other.
    """
    smooth = Fact(
        abs(valid) <= curvature, f"the curvature of F^ is K |v| = {K_nodes} |{valid}|, and l_F is above 4 K c"
    )
    bounded = Fact(4 * curvature <= 2 and abs(valid) <= curvature, "c/2 (theta -+ 1)^2 <= 2 c on [-1, 1]")
    quadratic = Fact(
        abs(valid) <= curvature, "quadratic losses of curvature c at the nodes, and |v| <= c at the center"
    )
    l_F = curvature * (8 * sqrt(K_nodes + 0 * curvature) + 4 * K_nodes)
    return {
        **{"l_0": 2 * curvature, "l_1": curvature, "l_2": 0, "mu_l": curvature, "eta_w": 1 / (3 * l_F)},
        **{"A1.1 range": bounded, "A1.1 smooth": quadratic, "A1.2": quadratic, "A1.3": quadratic},
        "F^ smooth": smooth,
        "F^ convex": Fact(valid >= 0, f"the curvature of F^ is K v = {K_nodes} {valid}"),
        "simplex": Fact(True, "a simplex is closed and convex"),
        "best w^": Fact(True, "the point of [-1, 1] at which v/2 (u - t)^2 is least"),
    }


def within(u: Number) -> Number:
    """The projection on [-1, 1]."""
    return min(max(u, -1 + 0 * u), 1 + 0 * u)


def least(valid: Number, target: Number) -> Number:
    """Where ``v/2 (u - t)^2`` is least on [-1, 1]."""
    return within(target) if valid >= 0 else -1 + 0 * target if target >= 0 else 1 + 0 * target


def error_at(s: int, S_out: int, when: str, size: Number, falls: Number) -> Number:
    """``E_s`` with a sign: ``size`` times what is allowed, in all iterations or in the last one."""
    return size * falls if when == "always" or s == S_out - 1 else 0 * size


def accelerated(
    K_nodes: int, S_out: int, valid: Number, target: Number, start: Number, when: str, size: Number, eta: Number
) -> list[dict[str, Number]]:
    """The iterations of Algorithm 2, in ``u``: a step of the weights along the signs is K times as long in u."""
    u = ag = start
    found = []
    for s in range(S_out):
        md = (2 * u + s * ag) / (s + 2)
        wrong = error_at(s, S_out, when, size, 1 / ((s + 2) ** 2 + 0 * size))
        pull = K_nodes * (valid * (md - target) + wrong / sqrt(K_nodes + 0 * size))
        after, ag_after = within(u - eta * (s + 1) / 4 * pull), within(md - eta * pull)
        found.append({"u": u, "ag": ag, "md": md, "wrong": wrong, "u+": after, "ag+": ag_after})
        u, ag = after, ag_after
    return found


def in_vectors(**params: Any) -> InOutcomes:
    """The iterations of :func:`two_groups` in the vectors of the proof; where nothing is summed, the last of them."""
    of = in_floats(params)
    refuse(of["S_out"], 8)
    K, v, t = of["K_nodes"], of["valid"], of["target"]
    eta = nodes(K, of["curvature"], v)["eta_w"]
    run = accelerated(K, of["S_out"], v, t, of["start"], of["when"], of["size"], eta)
    signs = np.array([1.0, -1.0] * (K // 2))

    def weights(u: float) -> Grid:
        return (1 + u * signs) / K

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        for s, at in enumerate(run):
            if setting.sequences or s == len(run) - 1:
                made = {"w": weights(at["u"]), "ag": weights(at["ag"]), "w^": weights(least(v, t))}
                made["e"] = at["wrong"] * signs / K**0.5
                term = {p.s: s} if setting.sequences else {}
                yield Outcomes({COORDINATE: [1.0] * K}, made, of_nodes(v, t, signs), lambda *_: set(), term=term)

    return outcomes


def of_nodes(valid: float, target: float, signs: np.ndarray) -> dict[str, Any]:
    """``F^`` and the projection on the simplex, at points."""

    def objective(points: Grid) -> tuple[Grid, Grid]:
        off = signs @ points - target
        return valid * off * signs, np.array([valid / 2 * off**2])

    def simplex(points: Grid) -> tuple[Grid, None]:
        falling = np.sort(points)[::-1]
        excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
        return np.maximum(points - excess[falling > excess][-1], 0), None

    return {"F": objective, "W": simplex}


def measured(
    *,
    K_nodes: int,
    S_out: int,
    curvature: Number,
    valid: Number,
    target: Number,
    start: Number,
    when: str,
    size: Number,
) -> dict[str, Any]:
    """What Algorithm 2 on :func:`nodes` has, with errors of ``size/(s + 2)^2`` along the signs.

    Raises:
        ValueError: there is no iteration.
    """
    if S_out < 1:
        raise ValueError("there is no iteration")
    constants = nodes(K_nodes, curvature, valid)
    best = least(valid, target)
    run = accelerated(K_nodes, S_out, valid, target, start, when, size, constants["eta_w"])
    value = {name: valid / 2 * (run[-1][name] - target) ** 2 for name in ("ag", "ag+", "md")}
    near = abs(run[-1]["u+"] - best) / sqrt(K_nodes + 0 * size)
    errors = [abs(at["wrong"]) for at in run]
    F_min = valid / 2 * (best - target) ** 2
    on_simplex = Fact(True, "any two points of a simplex")
    small = all(error <= 1 / ((s + 2) ** 2 + 0 * size) for s, error in enumerate(errors))
    allowed = all(error <= 1 / ((s + 1) ** 2 + 0 * size) for s, error in enumerate(errors))
    return {
        **constants,
        **{
            "s_out": S_out - 1,
            "S_acc": S_out,
            "E_s": errors[-1],
            "err2_s": errors[-1] ** 2,
            "near": near,
            "near2_next": near**2,
        },
        **{"near2": (run[-1]["u"] - best) ** 2 / K_nodes, "start2": (start - best) ** 2 / K_nodes},
        **{"F_ag": value["ag"], "F_ag_next": value["ag+"], "F_md": value["md"], "F_min": F_min},
        "gap_ag": value["ag+"] - F_min,
        "sum_E": sum(2 * (s + 1) * error for s, error in enumerate(errors)),
        "sum_E2": sum((s + 1) * (s + 2) * error**2 / 4 for s, error in enumerate(errors)),
        "Algorithm 2": Fact(True, "lines 13 and 14, with the error that is put in"),
        **dict.fromkeys(("||w^-w^{s+1}||<=2 for all s", "||w^-w^s||^2<=2"), on_simplex),
        "E E_s<=(E E_s^2)^(1/2)": Fact(True, "the errors are not random"),
        "E E_s^2<=1/(s+2)^4": Fact(small, f"size = {size} or 0"),
        "(E E_s^2)^(1/2)<=1/(s+2)^2": Fact(small, f"size = {size} or 0"),
        "E E_s^2<=1/(s+1)^4": Fact(allowed, f"size = {size}"),
    }


@family("two groups of nodes, accelerated", None, in_vectors, **NODES)
def two_groups(**given: Any) -> dict[str, Any]:
    """Algorithm 2, in which ``u`` is the weight of one group less that of the other."""
    return measured(**given)


#: What is measured in the last iteration alone.
LAST = ("s_out", "E_s", "err2_s", "near", "near2", "near2_next", "F_ag", "F_ag_next", "F_md")


@family("two groups of nodes, accelerated, all iterations", None, in_vectors, **NODES)
def all_iterations(**given: Any) -> dict[str, Any]:
    """The same, of which all iterations are summed."""
    return {name: x for name, x in measured(**given).items() if name not in LAST}


#: One iteration on a flat objective, with an error that leads away from the best weights.
AWAY = {"curvature": "1/32", "valid": "1/48", "target": -1, "start": "1/2", "size": -1}
_AWAY = """Four nodes with b = 1, L^_k = (theta -+ 1)^2/64 and L^_0 = (theta + 1)^2/96 on [-1, 1]: l_0 = 1/16, l_1 = mu
= 1/32, l_F = 1, eta = 1/3. F^(w) = (u + 1)^2/96, where u = w_1 - w_2 + w_3 - w_4, and w^ is at u = -1. From u = 1/2,
where the gradient is (1, -1, 1, -1)/32, with an error of -(1, -1, 1, -1)/8, so E_0 = 1/4: w_ag^1 is at u = 5/8 and F^ =
169/6144, w^1 at u = 17/32. """

PS23_A = record(
    claims.PS23_A,
    families=[two_groups],
    refuted_by=example(
        two_groups,
        **AWAY,
        left="169/6144",
        right="-563/1536",
        by_hand=_AWAY
        + """||w^ - w||^2 grows from 9/16 to (49/64)^2, and 24 times the difference is -291/512. The error adds 49/256
        and 1/96. The right side is negative.""",
    ),
)
PS23_A_CORRECTED = record(claims.PS23_A_CORRECTED, families=[two_groups])
PS23_B = record(claims.PS23_B, families=[two_groups])
PS24_A = record(
    claims.PS24_A,
    families=[two_groups],
    refuted_by=example(
        two_groups,
        **AWAY,
        left="169/6144",
        right="-89/1536",
        by_hand=_AWAY
        + """||w^ - w||^2 grows from 9/16 to (49/64)^2, and 24 times the difference is -291/512. The error adds 1/2
        and 1/96. The right side is negative.""",
    ),
)
PS24_A_CORRECTED = record(claims.PS24_A_CORRECTED, families=[two_groups])
PS24_B = record(claims.PS24_B, families=[all_iterations])
THM3_0 = record(claims.THM3_0, families=[all_iterations])
THM3_0_LEMMA4 = record(claims.THM3_0_LEMMA4, families=[all_iterations])


@family(
    "sums of errors",
    S_out=counts(1, 2, 3, 100, most=100),
    eta_w=reals(1, "1/10", 10, low=0.01, high=100),
    size=reals(1, 0, 2, low=0.1, high=3, zero=True),
    share=reals(1, "1/2", 2, low=0.1, high=2),
)
def sums(*, S_out: int, eta_w: Number, size: Number, share: Number) -> dict[str, Any]:
    """The largest accuracy that the sum over the iterations admits, times ``share``, with errors of size/(s + 2)^2.

    Raises:
        ValueError: there is no iteration.
    """
    if S_out < 1:
        raise ValueError("there is no iteration")
    roots = [size / (s + 2) ** 2 for s in range(S_out)]
    sum_E = sum(2 * (s + 1) * root for s, root in enumerate(roots))
    sum_E2 = sum((s + 1) * (s + 2) * root**2 / 4 for s, root in enumerate(roots))
    small = Fact(size <= 1, f"size = {size}")
    return {
        **{"sum_E": sum_E, "sum_E2": sum_E2},
        "gap_ag": share * 2 * (16 / eta_w + sum_E + eta_w * sum_E2) / (S_out * (S_out + 1)),
        **dict.fromkeys(("E E_s^2<=1/(s+2)^4", "(E E_s^2)^(1/2)<=1/(s+2)^2"), small),
    }


PS25 = record(
    claims.PS25,
    families=[sums],
    refuted_by=example(
        sums,
        left="529/32",
        right="16.4112",
        by_hand="""S = 1, eta = 1 and E_0 = 1/4 = 1/(0 + 2)^2: by the sum over the iterations the accuracy is at most
        16 + 1/2 + 1/32 = 529/32 = 16.53. Claimed is at most 32/2 + 4 log(1)/2 + pi^2/24 = 16.41.""",
    ),
)
PS25_CORRECTED = record(claims.PS25_CORRECTED, families=[sums])


@family(
    "one error",
    s_out=counts(0, 1, 30, most=100),
    size=reals(1, 0, 2, low=0.1, high=2, zero=True),
    order=counts(4, 2, drawn=(2, 4)),
)
def one_error(*, s_out: int, size: Number, order: int) -> dict[str, Any]:
    """An error whose mean square is ``size/(s + 1)^order``."""
    return {"err2_s": size / (s_out + 1) ** order}


#: At the first iteration Lemma 4 gives no more than 1.
AT_ONCE = "At s = 0 an error with E E_0^2 = 1 is what Lemma 4 allows; claimed is at most "
PS26_B = record(
    claims.PS26_B,
    families=[one_error],
    refuted_by=example(one_error, left="1", right="1/16", by_hand=AT_ONCE + "1/16."),
)
PS26_B_CORRECTED = record(claims.PS26_B_CORRECTED, families=[one_error])


@family(
    "one call",
    s_out=counts(2, 3, 30, 1, most=100),
    gamma_in=reals("3/40", 1, 100),
    mu_l=reals("1/2", 5),
    A_1=reals(1, "1/100", 100),
    order=counts(4, drawn=(4,)),
)
def one_call(*, s_out: int, gamma_in: Number, mu_l: Number, A_1: Number, order: int) -> dict[str, Any]:
    """A call of Local-SVRG in iteration s, with any positive number as its step."""
    return {
        **{"M_s": (s_out + 1) ** (index(order) // 2) * A_1, "M_root": A_1, "tau_in": 2},
        "gamma is gamma_0": Fact(True, "gamma_0 is 3/(80 l_1) where q is not too small, for any l_1"),
    }


PS26_C = record(claims.PS26_C, families=[one_call])


@family(
    "a late call",
    first=counts(102),
    zeros=counts(0),
    tau_in=counts(2),
    l_1=reals("1/200"),
    mu_l=reals("1/200"),
    q_in=reals("1/2"),
    A=reals("1/100000000"),
)
def late_call(
    *, first: int, zeros: int, tau_in: int, l_1: Number, mu_l: Number, q_in: Number, A: Number
) -> dict[str, Any]:
    """A call of Local-SVRG in iteration s, of which the first digits are given, with A_1 = A_2 = A_3 = A/3."""
    less = Fact(q_in < 1, f"q = {q_in}")
    return {**dict.fromkeys(("A_1", "A_2", "A_3"), A / 3), "s_out": first * 10 ** index(zeros), "q<1": less}


#: From the iteration 100 on ``M_s`` is above 1, so that its logarithm can grow tenfold from rung to rung.
LATE, LATER = (
    climb(
        late_call,
        "s -> infinity",
        "ln(M_s^3) grows with s",
        first=[102, 135, 2300, 1, 1],
        zeros=[0, 0, 0, 16, 143],
        A=A,
    )
    for A in ("1/100000000", "1/10000")
)
PS26_D = record(
    claims.PS26_D,
    refuted_by=growing(
        LATE,
        ratios=["0.00180847", "0.0187234", "0.188319", "1.93417", "19.4799"],
        by_hand="""l_1 = mu = 1/200, q = 1/2, tau = 2 and A_1 = A_2 = A_3 = 10^-8/3: 1/gamma_0 is below 1, and M_s =
        ((s+1)/100)^2 from s = 100 on. T_s/(tau s^2) = (3/100) ln(M_s) ((s+1)/s)^2 grows like ln s, without limit.""",
    ),
)
PS26_E = record(claims.PS26_E, families=[sums])


@family(
    "constants of Lemma 4", tau_in=counts(2, 1, 4), **dict.fromkeys(("C_1", "C_2", "C_3", "C_4"), reals(2, 1, "1/2"))
)
def constants(**given: Any) -> dict[str, Any]:
    """Any numbers in their place."""
    return {}


#: A root that is too small for Lemma 4.
BELOW = """tau = 2, C_1 = 1/2 and C_2 = C_3 = C_4 = 2: A_1 + A_2 + A_3 = 1 + 1 + 1, and in Lemma 4 (2 + 2)/2 + 2 = 4. So
M_s is smaller than Lemma 4 asks."""
PS26_F = record(
    claims.PS26_F, families=[constants], refuted_by=example(constants, C_1="1/2", left="3", right="4", by_hand=BELOW)
)
PS26_F_CORRECTED = record(claims.PS26_F_CORRECTED, families=[constants])
PS26_D_CORRECTED = record(claims.PS26_D_CORRECTED, families=[one_call])


# --- rounds of communication

#: Rounds of an iteration outside of Local-SVRG.
MORE = 3


def counted(order: int, S_out: int, tau_in: int, one: Number) -> dict[str, Any]:
    """Rounds of all iterations for l_1 = mu = q = 1/2 and A_1 = A_2 = A_3 = 1/3; ``one`` is 1 in its kind of number."""
    drift = (tau_in - 1) * (6 * (tau_in - 1) + 40)
    inverse = max(one * 40 / 3, sqrt(5 * exp(one)) * drift / 2)
    root = sqrt((1 + (tau_in - 1) + (tau_in - 1) ** 2) * one / 3)
    rounds = 0
    for s in range(S_out):
        last = max(inverse, (s + 1) ** (order // 2) * root)
        shown = float(last)
        steps = 80 / 3 * math.log((s + 1) ** order * 40 / 9) if tau_in == 1 else 6 * shown * math.log(shown)
        rounds += 2 * (math.ceil(steps) // index(tau_in)) + MORE
    return {
        **{
            "N_rounds": rounds,
            "N_acc": rounds,
            "c_more": MORE,
            "A_1": one / 3,
            "M_s": last,
            "M_root": max(inverse, root),
        },
        "gamma_in": 1 / inverse if tau_in == 1 else 1 / last,
        "gamma is gamma_0": Fact(tau_in == 1, "3/(80 l_1)"),
        "gamma is 1/M_s": Fact(tau_in > 1, "in the last iteration, and so in each"),
    }


@family("two groups of nodes, accelerated, in rounds", None, None, **NODES, tau_in=counts(1, 2, drawn=(1, 2, 4)))
def in_rounds(*, tau_in: int, **given: Any) -> dict[str, Any]:
    """:func:`two_groups` until the last iteration, where the accuracy is just reached."""
    found = measured(**given)
    return {**found, **counted(4, given["S_out"], tau_in, 1 + 0 * given["size"]), "eps_opt": found["gap_ag"]}


#: An objective that is the flatter the more iterations there are, so that the accuracy is of the order S^-2.
SOON = [4, 8, 16, 32, 64]
FLAT = {"valid": [f"1/{S**2}" for S in SOON], "S_out": SOON, "size": 0}
THM3_I = record(claims.THM3_I, climbs=[climb(in_rounds, "S -> infinity", "rounds of one step", tau_in=1, **FLAT)])
THM3_II = record(claims.THM3_II, climbs=[climb(in_rounds, "S -> infinity", "rounds of two steps", tau_in=2, **FLAT)])
PS26_A = record(
    claims.PS26_A,
    climbs=[climb(in_rounds, "S -> infinity", "accuracy of the order S^-2", tau_in=1, **FLAT)],
)
