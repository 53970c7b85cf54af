"""Lemma B.4: two local steps and more, in which x moves under z, noise grows with the way, and clients differ.

What the parameters of its families stand for: ``mean``: P and S are the sum or the mean over the clients; ``A``,
``B``, ``C``: coefficients of the mean map A x + B z + C of the clients' P^m; ``D``, ``T``: coefficients of the mean map
D (z - T x) of the clients' S^m; ``A_m``: A of client 1 less the mean A; ``B_m``: B of client 1 less the mean B;
``D_m``: D of client 1 less the mean D; ``p0``: noise of p at the start of the round; ``s0``: noise of s at the start of
the round; ``px``: slope of the noise of p in x; ``pz``: slope of the noise of p in z; ``sx``: slope of the noise of s
in x; ``sz``: slope of the noise of s in z; ``x``: x at the start of the round; ``z``: z at the start of the round;
``sigma``: bound on the noise; ``M``: number of clients; ``constant``: value of all the constants of the conditions on
the steps, which the lemma does not give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lemma_b4 as claims
from rateproof.verify.form import choice, counts, example, family, hidden, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.fedmsa.local_steps import Client, Moment, assumed, mean_of
from rateproof.verify.papers.fedmsa.local_vectors import in_vectors
from rateproof.verify.planted.mutate import Sharp


def of_step(at: Moment) -> dict[str, Number]:
    """What (32) and (36) make of the errors, and what moves: the vectors, by the names of their mean squares."""
    last, b, bq = at.last, at.xi * at.change("F_e"), at.zeta * at.change("S_e")
    c, cq = at.change("F_m") - at.change("F"), at.change("S_m") - at.change("S")
    d, dq, printed = last.h - last.F, last.q - last.S, at.S - at.S_m - last.S_m + last.S
    return {
        **{"d2": at.h - at.F, "d2_b": d, "a2": at.a, "b2": b, "c2": c, "cd2": c + d, "bcd2": b + c + d},
        **{"abcd2": at.a + b + c + d, "move_x": at.change("x"), "Eh2_b": last.h},
        **{"dq2": at.q - at.S, "dq2_b": dq, "bq2": bq, "cq2_diff": cq, "bcdq2_diff": bq + cq + dq},
        **{"cq2": printed, "bcdq2": bq + printed + dq, "Eq2_b": last.q},
        **{"move_z": at.change("z"), "move_zb": at.change("x")},
    }


def of_round(c: Client, steps: list[list[Moment]], L_Z: Number) -> dict[str, Number]:
    """What is measured of all steps; step 0 is the start, at which step 1 still is."""
    of: dict[str, Callable[[Moment], Number]] = {
        **{"d": lambda at: at.h - at.F, "dq": lambda at: at.q - at.S, "hw": lambda at: at.h - at.P},
        **{"P": lambda at: at.F, "S": lambda at: at.S, "h": lambda at: at.h, "gap": lambda at: at.z - c.T * at.x},
    }

    def square(name: str, *over: list[Moment]) -> Number:
        return mean_of(lambda at: of[name](at) ** 2, *over)

    start, K, moves = steps[0], c.K + 0 * c.x, mean_of(c.way2, *steps)
    gaps = square("gap", *steps)
    return {
        **{f"mean_{name}": square(name, *steps) / K for name in ("d", "dq", "hw", "P")},
        **{f"mean_{name}b": square(name, start, *steps[:-1]) / K for name in ("d", "dq", "P", "S", "h", "gap")},
        **{"d2_0": square("d", start), "dq2_0": square("dq", start), "first_hw": square("hw", start)},
        **{"mean_gap": gaps / K, "mean_gapZ": gaps / K, "sum_gap2": L_Z * gaps},
        "sum_gap": L_Z * mean_of(lambda at: abs(of["gap"](at)), *steps),
        **{"sum_a": mean_of(lambda at: at.a**2, *steps), "moves_w": moves, "moves_n": moves},
    }


#: The constants of the steps, which the lemma does not give.
OF_STEPS = ("C_B4", "C_B4x", "D_B4", "D_B4x")


@family(
    "local steps of a client",
    None,
    in_vectors,
    **{"M": counts(1, 2, most=2), "K": counts(2, 1, 6, 30, most=3), "k_step": counts(2, 1, 6, most=3)},
    **{"b_batch": counts(1, 2, most=2), "mean": choice("sum", "mean")},
    **{"A": reals(0, 1, -1, zero=True), "D": reals(1, 2)},
    **dict.fromkeys(("B", "C", "T", "A_m", "B_m", "D_m", "x", "z"), reals(0, 1, zero=True)),
    **dict.fromkeys(("p0", "px", "sx"), reals(0, 1, 3, low=0.1, high=3, zero=True)),
    **dict.fromkeys(("pz", "s0", "sz"), reals(0, 1, low=0.1, high=3, zero=True)),
    **dict.fromkeys(("alpha_x", "beta_n"), reals("1/2", 1, "1/100")),
    **dict.fromkeys(("L_p", "L_Z", "L_s", "L_zn", "tau_0", "tau_n", "lam_n"), reals(1, 3)),
    **dict.fromkeys(("Lb_p", "Lb_s"), reals(1, 3, 10)),
    sigma=reals(1000),
    constant=hidden(1, 100, "1/100", answers=OF_STEPS, low=0.01, high=100),
)
def local_round(*, k_step: int, b_batch: int, constant: Number, **given: Any) -> dict[str, Any]:
    """All outcomes of the samples of the momentum phase, at ``rho = 1``, and of the local steps.

    Raises:
        ValueError: there is no such step.
    """
    k, c = k_step.__index__(), Client.of({**given, "b_batch": b_batch})
    if k > c.K:
        raise ValueError(f"there are {c.K} local steps, and no step {k}")
    steps = c.steps()
    rows = [*map(of_step, steps[k - 1])]
    return {
        **assumed(c, given),
        **{"K": c.K, "k_step": k, "b_batch": c.b_batch, "L_hz": given["L_Z"], "L_zall": given["L_zn"]},
        **dict.fromkeys(OF_STEPS, constant),
        **{name: sum(row[name] ** 2 for row in rows) / len(rows) for name in rows[0]},
        **of_round(c, steps, given["L_Z"]),
    }


#: The first step is at the start, and does not move.
START: dict[str, Any] = {"K": 1, "k_step": 1}
TWO_CLIENTS: dict[str, Any] = {**START, "M": 2, "D": 2, "D_m": 1, "z": 1, "lam_n": 3, "tau_n": 3}
UNLIKE = (
    "S^m = 3 z and z with the sum S = 4 z, z_r = 1, no noise, K = k = 1: q_{r,1} = q_{r,0} = 2 and S - S^m = 1 at "
    "client 1, at both steps."
)
#: x moves, under z that rests at its zero.
MOVING: dict[str, Any] = {"C": 1, "sx": 3, "alpha_x": "1/100", "beta_n": "1/100", "Lb_s": "10/3"}
UNDER_Z = (
    "P = 1, S = z with samples z + 3 zeta (x - x_r), zeta = -1 or 1, cut at z +- 1000, x_r = z_r = 0, alpha = beta = "
    "1/100, K = 2: q_{r,1} = 0 and z stays at its zero. Step 1 moves x by -1/100, so that q_{r,2} = -3 zeta/100."
)
moving = local_round.narrowed("x moves under z", **{name: reals(value) for name, value in MOVING.items()})
#: The estimate is wrong by the first sample, and P grows along the way; P(x) = P(x, z^*(x)) = 0. The steps are small.
UPHILL: dict[str, Any] = {"A": -1, "B": 1, "T": 1, "p0": 1, "Lb_p": "3/2", "beta_n": "1/1000000", "tau_0": "1/100"}
AWAY = (
    "P(x, z) = z - x, S = z - x, z^*(x) = x, so P(x) = 0. x_r = z_r = 0 and the momentum sample is P + xi, xi = -1 or "
    "1, Lb_p = 3/2, beta = 1/10^6, so that z all but stays."
)
uphill = local_round.narrowed(
    "P grows along the way",
    **{name: reals(value) for name, value in UPHILL.items()},
    Lb_s=reals(2),
    K=counts(64, 16, most=6),
    k_step=counts(2, 64, 16, most=6),
    alpha_x=reals("1/40", "1/20", "1/100"),
)
apart = local_round.narrowed(
    "clients that differ, under which x moves",
    M=counts(2),
    mean=choice("mean", "sum"),
    **dict.fromkeys(("A", "C", "T", "D_m"), reals(1, 0, zero=True)),
    **dict.fromkeys(("A_m", "B_m"), reals(1, 0, -1, zero=True)),
    **dict.fromkeys(("px", "sx", "z"), reals(0, 1, zero=True)),
    **{"D": reals(2), "x": reals(1, 2), "tau_0": reals(3, "3/2", 2), "tau_n": reals(5, "3/2")},
    **{"alpha_x": reals("1/2", "1/100"), "beta_n": reals("1/100", "1/2"), "Lb_p": reals(3, 10), "Lb_s": reals(5)},
    **dict.fromkeys(("L_p", "L_Z", "L_s", "lam_n"), reals(3)),
)
loud = local_round.narrowed(
    "noise that grows along a long step",
    **{"M": counts(2), "A": reals("1/2"), "px": reals(6), "x": reals(1), "alpha_x": reals(1)},
    **{"tau_0": reals("1/2"), "Lb_p": reals(6, 10)},
)
# one source of an error at a time, which K steps add up: samples that differ as x moves, or clients that differ, of
# which client 1 has S^1 = 0 and P^1 = z as z moves; P^1 = x or z beside the mean as x moves, alone or with z = T x + 1
noise = local_round.alone(
    "only noise",
    **{"C": 1, "px": 1, "sx": 1, "Lb_s": "3/2", **dict.fromkeys(("tau_0", "tau_n", "L_Z"), "1/100")},
)
APART: dict[str, Any] = {"M": 2, "mean": "mean", "K": 16, "k_step": 16}
apart_in_z = local_round.alone(
    "only clients that differ, under which z moves",
    **{**APART, "b_batch": 4, "B_m": 1, "D_m": -1, "z": 1, "Lb_s": 2},
    **{"alpha_x": "1/1000", "beta_n": "1/100", "L_Z": "1/1000"},
)
apart_in_x = local_round.alone(
    "only clients that differ, under which x moves",
    **{**APART, "C": 1, "A_m": 1, "alpha_x": "1/1000", "L_zn": "1/100"},
)
apart_at_fixed_points = local_round.alone(
    "only clients that differ, under which z moves with its zero",
    **{**APART, "C": 1, "B_m": 1, "T": 10, "z": 1, "alpha_x": "1/100000", "beta_n": "1/10000"},
    **{"Lb_p": 10, "L_zn": 10},
)
AT_SAMPLES = [local_round, noise, apart_in_z]
AT_FIXED_POINTS = [local_round, uphill, noise, apart_in_x, apart_at_fixed_points]
LEMMA_B4Q = record(
    claims.LEMMA_B4Q,
    refuted_by=example(
        local_round,
        **MOVING,
        left="9/20000",
        right="0",
        by_hand=f"{UNDER_Z} The mean of the squares is (0 + 9/10000)/2, and nothing on the right differs from 0, "
        "whatever the constants.",
    ),
)
LEMMA_B4Q_CORRECTED = record(claims.LEMMA_B4Q_CORRECTED, families=AT_SAMPLES)
LEMMA_B4H = record(
    claims.LEMMA_B4H,
    families=[local_round, loud],
    refuted_by=example(
        loud,
        left="149/32",
        right="3.34",
        by_hand="P^m = x/2 for both clients, with samples P^m + 6 xi (x - x_r), xi = -1 or 1, cut at P^m +- 1000; the "
        "sum is P = x. S^m = z, x_r = 1, z_r = 0, alpha = 1, K = 2, C = C' = 1. Then nu_0 = 1/2, Lb_p = 6, h_{r,1} = "
        "1/2, x_2 = 1/2 and h_{r,2} = 1/4 - 3 xi. The errors are -1/2 and -1/4 - 3 xi, P is 1 and 1/2, z is at its "
        "zero: the sides are (1/4 + 145/16)/2 and 4 e/4 + 5/8. For smaller C and C' take c P and alpha/c with a large "
        "c.",
    ),
)
LEMMA_B4H_CORRECTED = record(claims.LEMMA_B4H_CORRECTED, families=AT_SAMPLES)
LEMMA_B4H_FIXED = record(claims.LEMMA_B4H_FIXED, families=[*AT_SAMPLES, uphill])
STEP_10A = record(claims.STEP_10A, families=[local_round])
STEP_10B = record(
    claims.STEP_10B,
    refuted_by=example(
        local_round,
        **START,
        p0=1,
        left="1",
        right="2",
        by_hand="P = 0 with samples xi = -1 or 1, K = k = 1: a, b and c are 0 at the start, and d_{r,1} = d_{r,0} = "
        "xi_r has the square 1, which the right side doubles.",
    ),
)
STEP_10B_CORRECTED = record(claims.STEP_10B_CORRECTED, families=[local_round])
STEP_10C = record(claims.STEP_10C, families=[local_round], tight=Sharp(terms=True))
STEP_10D = record(claims.STEP_10D, families=[local_round, apart], tight=Sharp(terms=True))


@family(
    "a sample that is rarely large",
    w=reals(4, 2, 10),
    alpha_x=reals(1, "1/2"),
    Lb_p=reals(1, 2),
)
def rare(*, w: Number, alpha_x: Number, Lb_p: Number) -> dict[str, Any]:
    """``P(x) = x``, a sample of which is ``w x`` with chance ``1/w`` and else 0; from x = 1, the second of 2 steps.

    For ``|x| > WIDTH`` the noise is that at ``+-WIDTH``.

    ``w``: the size of a sample, which it has with chance 1/w.
    """
    one = w / w
    ones = ("A", "D", "x", "beta_n", "tau_0", "tau_n", "L_p", "L_Z", "L_s", "L_zn", "Lb_s", "lam_n")
    zeros = ("B", "C", "T", "A_m", "B_m", "D_m", "z", "p0", "s0")
    p = {**dict.fromkeys(ones, one), **dict.fromkeys(zeros, 0 * w), "alpha_x": alpha_x, "Lb_p": Lb_p}
    p |= {"M": 1, "K": 2, "mean": "mean", "sigma": 1000 * one}
    return {
        **assumed(Client.of(p), p),
        "A4": Fact(Lb_p >= 1, "w with chance 1/w has the mean 1"),
        **dict.fromkeys(("A4 in squares", "A4 at Z^*"), Fact(Lb_p**2 >= w, "w with chance 1/w has the mean square w")),
        **{"K": 2 * one, "k_step": 2 * one, "b_batch": one, "b2": (w - 1) * alpha_x**2, "move_x": alpha_x**2},
        **dict.fromkeys(OF_STEPS, one),
    }


STEP_11A = record(
    claims.STEP_11A,
    families=[local_round, rare],
    refuted_by=example(
        rare,
        left="3",
        right="1",
        by_hand="A sample of P(x) = x is 4 x with chance 1/4 and else 0, for |x| <= 1000, and has that noise beyond: "
        "E|p(x) - p(x')| = |x - x'| and Lb_p = 1. A move from 1 to 0 has the sample change by 4 or 0, of variance 3.",
    ),
)
STEP_11A_CORRECTED = record(claims.STEP_11A_CORRECTED, families=[local_round, rare], tight=Sharp(terms=True))
STEP_11B = record(
    claims.STEP_11B,
    refuted_by=example(
        local_round,
        **START,
        C=1,
        left="0",
        right="1/4",
        by_hand="P = 1, alpha = 1/2, Lb_p = 1, K = k = 1: x_{r+1,1} = x_{r+1,0} = x_r, and h_{r,0} = 1.",
    ),
)
STEP_11B_CORRECTED = record(claims.STEP_11B_CORRECTED, families=[local_round])
STEP_11C = record(
    claims.STEP_11C,
    families=[local_round, apart],
    refuted_by=example(
        local_round,
        **{"M": 2, "A": 1, "B": 1, "T": 1, "x": 1, "z": 1},
        **{"tau_0": "3/2", "tau_n": "3/2", "L_p": 2, "Lb_p": 2},
        left="4",
        right="9/4",
        by_hand="P^m = x + z for both clients, P is the sum, S^m = z - x: P^m - P = -x - z, of slope sqrt 2 < 3/2. At "
        "z = x that is -2 x. With x_r = z_r = 1 h_r is 2, and alpha = 1/2 has x move by 1.",
    ),
)
STEP_11C_FIXED = record(claims.STEP_11C_FIXED, families=[local_round, apart])
STEP_11C_CORRECTED = record(claims.STEP_11C_CORRECTED, families=[local_round, apart])
STEP_11D = record(claims.STEP_11D, families=[local_round])
STEP_11E = record(
    claims.STEP_11E,
    families=[local_round, uphill],
    refuted_by=example(
        local_round,
        **UPHILL,
        K=16,
        alpha_x="1/20",
        left="441/400",
        right="1.0731",
        by_hand=f"{AWAY} alpha = 1/20, K = 16, tau_0 = 1/100, k = 2: h_{{r,2}} = (21/20) xi, a_{{r,2}} = xi/20. The "
        "right side is 17/16 + (1/400) (9/4 + 17/10000) + 2/400.",
    ),
)
STEP_11E_CORRECTED = record(claims.STEP_11E_CORRECTED, families=AT_FIXED_POINTS)
STEP_12A = record(
    claims.STEP_12A,
    families=[local_round, uphill],
    refuted_by=example(
        local_round,
        **UPHILL,
        K=64,
        k_step=64,
        alpha_x="1/40",
        left="22.4",
        right="9.2",
        by_hand=f"{AWAY} alpha = 1/40, K = k = 64, tau_0 = 1/100: h_{{r,k}} = (41/40)^{{k-1}} xi is the error, of "
        "square 22.4 for k = 64. The squares of the h_{r,k-1} add up to 425, those of a_{r,k} = h_{r,k-1}/40 to 0.27. "
        "The right side is 2 e + 0.49 (425/64) + 0.53.",
    ),
)
STEP_12A_CORRECTED = record(claims.STEP_12A_CORRECTED, families=AT_FIXED_POINTS)
STEP_12B = record(
    claims.STEP_12B,
    refuted_by=example(
        local_round,
        **START,
        **{"B": 1, "C": 1, "z": 1},
        left="21.7",
        right="13.6",
        by_hand="P(x, z) = z + 1, S = z, z_r = 1, no noise, K = 1: h_r = 2 and P(x_r) = 1, so ||h||^2 = 4 and ||d||^2 "
        "+ ||P||^2 = 2. With alpha = 1/2, Lb_p = tau_0 = 1 and kappa_p = 3 the sides are 8 e and 5 e.",
    ),
)
twice = local_round.alone("an estimate that is twice the value", **START, B=1, C=1, z=1)
STEP_12B_CORRECTED = record(claims.STEP_12B_CORRECTED, families=[local_round, twice])
STEP_12D = record(
    claims.STEP_12D,
    refuted_by=example(
        local_round,
        **TWO_CLIENTS,
        left="4",
        right="0",
        by_hand=f"{UNLIKE} d_{{r,1}} = d_{{r,0}} = -2, and the printed c_{{r,1}} is 2.",
    ),
)
STEP_12D_CORRECTED = record(claims.STEP_12D_CORRECTED, families=[local_round])
STEP_12E = record(
    claims.STEP_12E,
    refuted_by=example(
        local_round,
        **TWO_CLIENTS | {"D_m": -1, "K": 2, "k_step": 2, "beta_n": 1},
        left="16",
        right="12",
        by_hand="S^m = z and 3 z with the sum S = 4 z, z_r = 1, beta = 1, no noise, K = k = 2: q_{r,1} = 2 and "
        "d_{r,1} = -2, z_2 = -1, and client 1 has q_{r,2} = 2 - 2 = 0, while S = -4. The printed c_{r,2} is -3 + 3.",
    ),
)
STEP_12E_CORRECTED = record(claims.STEP_12E_CORRECTED, families=[local_round])
STEP_12F = record(
    claims.STEP_12F,
    refuted_by=example(
        local_round,
        **MOVING,
        left="9/10000",
        right="0",
        by_hand=f"{UNDER_Z} That is b_{{r,2}}, and z has not moved.",
    ),
)
STEP_12F_CORRECTED = record(claims.STEP_12F_CORRECTED, families=[local_round, moving])
STEP_12G = record(
    claims.STEP_12G,
    refuted_by=example(
        local_round,
        **START,
        z=1,
        left="0",
        right="1/4",
        by_hand="S = z, z_r = 1, beta = 1/2, Lb_s = 1, K = k = 1: z_{r+1,1} = z_{r+1,0} = z_r, and q_{r,0} = 1.",
    ),
)
STEP_12G_CORRECTED = record(claims.STEP_12G_CORRECTED, families=[local_round])
STEP_12H = record(
    claims.STEP_12H,
    families=[local_round, apart],
    refuted_by=example(
        local_round,
        **TWO_CLIENTS,
        left="4",
        right="0",
        by_hand=f"{UNLIKE} The printed c_{{r,1}} is 2, and z has not moved.",
    ),
)
STEP_12H_CORRECTED = record(claims.STEP_12H_CORRECTED, families=[local_round, apart])
STEP_12I = record(claims.STEP_12I, families=[local_round])
STEP_12J = record(
    claims.STEP_12J,
    refuted_by=example(
        local_round,
        **MOVING,
        left="9/10000",
        right="0",
        by_hand=f"{UNDER_Z} d_{{r,0}}, d_{{r,1}} and S are 0.",
    ),
)
STEP_12J_CORRECTED = record(claims.STEP_12J_CORRECTED, families=AT_SAMPLES)
STEP_12K = record(
    claims.STEP_12K,
    refuted_by=example(
        local_round,
        **START,
        **{"D": 2, "z": 1, "lam_n": 2},
        left="16.3",
        right="4.08",
        by_hand="S = 2 z, z_r = 1, no noise, K = 1, and P = 0, for which L_z = 1 is a Lipschitz constant: S^2 = 4 and "
        "L_z z^2 = 1. With beta = 1/2, Lb_s = tau_1 = 1 and kappa_s = 3 both have the factor (3/2) e.",
    ),
)
STEP_12K_CORRECTED = record(claims.STEP_12K_CORRECTED, families=[local_round])


@family(
    "means",
    K=counts(1, 2, 10),
    alpha_x=reals("3/10", "1/10", 1),
    **dict.fromkeys(("rest", "first", "value", "value_0"), reals(0, 1, 10, zero=True)),
    error=reals("39/10", 3, 1, 0, "58/5", zero=True),
    L_Z=reals(1, 4),
)
def means(
    *, K: int, alpha_x: Number, rest: Number, first: Number, value: Number, value_0: Number, error: Number, L_Z: Number
) -> dict[str, Any]:
    """Any means of errors, values and gaps, and some for which the averaged chains hold.

    ``error``: the mean of the squared errors; ``first``: the squared error at the first step; ``rest``: the sum of the
    E||a||^2; ``value``: the mean of P^2 and of the squared gaps; ``value_0``: P^2 and the squared gap at the start.
    """
    before, value_b = error + first / K, value + value_0 / K
    return {
        **{"alpha_x": alpha_x, "beta_n": alpha_x, "K": K, "b_batch": K / K, "L_Z": L_Z, "sum_a": rest},
        **dict.fromkeys(("Lb_p", "Lb_s"), 1 / (K + 0 * error)),
        **dict.fromkeys(("tau_0", "tau_n"), 0 * error),
        **{"mean_d": error, "mean_dq": error, "mean_db": before, "mean_dqb": before, "d2_0": first, "dq2_0": first},
        **{"mean_P": value, "mean_gap": value, "mean_Pb": value_b, "mean_gapb": value_b},
        **{"P2_0": value_0, "gap2_0": value_0},
    }


STEP_12C = record(
    claims.STEP_12C,
    refuted_by=example(
        means,
        K=10,
        alpha_x="9/10",
        value="1/10",
        value_0=1,
        error="3/20",
        left="3/20",
        right="1/10",
        by_hand="K = 10, b = 1, Lb_p = 1/10, tau_0 = 0 and alpha = 9/10: 2 kappa_p e alpha^2 = 0.44. With P = 1 at "
        "x_r = x_{r+1,1} and 0 later the mean of P^2 is 1/10 over k and 2/10 over k - 1. With d_{r,0} = a = 0 the "
        "mean 0.15 of E||d||^2 satisfies (35), as 0.15 <= 0.44 (0.15 + 0.2).",
    ),
)
STEP_12C_CORRECTED = record(claims.STEP_12C_CORRECTED, families=[means])
STEP_12L = record(
    claims.STEP_12L,
    refuted_by=example(
        means,
        K=10,
        alpha_x="9/10",
        value=1,
        value_0=1,
        L_Z=4,
        error=3,
        left="3",
        right="1",
        by_hand="K = 10, b = 1, Lb_s = 1/10, tau_n = 0 and beta = 9/10: 2 kappa_s e beta^2 = 0.44. The squared "
        "gaps are 1 at first and 0 at last, with mean 1 over k and 1.1 over k - 1. With d_{r,0} = 0 and L_z = 4 the "
        "mean 3 of E||d||^2 satisfies (39), as 3 <= 0.44 (3 + 4.4).",
    ),
)
STEP_12L_CORRECTED = record(claims.STEP_12L_CORRECTED, families=[means])
