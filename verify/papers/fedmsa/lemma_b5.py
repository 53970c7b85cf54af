"""Lemma B.5: noise of two signs, and a part of P that is linear in Z."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.fedmsa import lemma_b5 as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, sqrt
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Unlisted
from rateproof.verify.papers.fedmsa.momentum import (
    RUN,
    Maps,
    after_signs,
    answers,
    drawn_in,
    in_vectors,
    mean_norm,
    means_of_signs,
)


def _in_rounds(of: str, R: int, sizes: list[float], **params: Any) -> InOutcomes:
    """A run with mean maps and one local step in the vectors of the proofs.

    Raises:
        Unlisted: the maps are sums, or there are several local steps.
    """
    v = in_floats(params)
    if (v["normalisation"] == "sum" and v["M"] > 1) or v["K"] > 1:
        raise Unlisted("the vectors are those of one local step, with means")
    given = {name: v.get(name, 0.0) for name in ("drift", "slope", "in_Z", "gap")}
    maps = Maps(
        of, follows=float(v.get("follows") == "x"), alpha=v["alpha_x"], beta=v["beta_n"], rho=v["rho_m"],
        sizes=[float(s) for s in sizes], **given,
    )  # fmt: skip
    return in_vectors(maps, R, v["M"] * v["b_0"], v["M"] * v["b_batch"])


def two_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`two_rounds`.

    Raises:
        Unlisted: the noise depends on Z.
    """
    if params["in_first"] or params["in_second"]:
        raise Unlisted("the noise is a function of t alone in these vectors")
    return _in_rounds("p", 1, [params["first"], params["second"]], **params)


@family(
    "two rounds",
    None,
    two_in_vectors,
    **RUN,
    rho_m=reals(0.25, 1, 0.5, 0.1, high=1),
    alpha_x=reals(0.5, 0.1),
    first=reals(1, 0, zero=True),
    second=reals(1, 0, -1, zero=True),
    in_first=reals(0, zero=True),
    in_second=reals(0, zero=True),
    in_Z=reals(1, 2, 0, zero=True),
    gap=reals(0, 2, zero=True),
    follows=choice("x", "nothing"),
    beta_n=reals(0.5, 0.1),
    drift=reals(1, zero=True),
    slope=reals(0, 1, zero=True),
    joint=choice(False, True),
)
def two_rounds(
    *,
    rho_m: Number,
    alpha_x: Number,
    first: Number,
    second: Number,
    in_first: Number,
    in_second: Number,
    in_Z: Number,
    gap: Number,
    follows: str,
    beta_n: Number,
    drift: Number,
    slope: Number,
    joint: bool,
    **run: Any,
) -> dict[str, Any]:
    """The first two rounds; the noise is ``first`` and then ``second`` times a sign.

    At Z_0 it is ``first + in_first`` times the sign, at Z_1 ``second + in_second``; at ``Z^* = 0`` as above.

    Raises:
        ValueError: it depends on Z where Z is random, or 0.
    """
    of_Z = in_first != 0 or in_second != 0
    if of_Z and (follows == "x" or gap == 0):
        raise ValueError("the noise is a function of Z, and Z is 0 or random")
    at_first, at_second = first + in_first, second + in_second
    normalisation, M = run["normalisation"], run["M"]
    start, later = drawn_in(*(run[name] for name in ("samples", "M", "K", "b_batch", "b_0")))
    keep, lost = 1 - rho_m, M - 1 if normalisation == "sum" else 0
    pull = alpha_x if follows == "x" else 0 * alpha_x
    # what is left of the gap, but for pull times the noise of the first round
    left, u = (1 - beta_n + pull * in_Z) * gap, (1, 1 - alpha_x * slope)
    apart = [lost**2 * (drift**2 + (slope * at) ** 2) for at in u]
    noise, fresh = at_first**2 / start, (at_second - keep * at_first) ** 2 / later
    signs = means_of_signs(start)
    moved = alpha_x**2 * (drift**2 + slope**2 + (in_Z * gap) ** 2 + noise)
    own = largest(slope, abs(second - first) / (alpha_x * drift), alpha_x / 1000)
    return {
        "d2_before": apart[0] + (in_Z * gap) ** 2 + noise,
        "d1_before": mean_norm(apart[0], signs and [in_Z * gap + at_first * s for s in signs]),
        "d2_now": apart[1] + (in_Z * left) ** 2 + (in_Z * pull + keep) ** 2 * noise + fresh,
        **{"e2_before": noise, "e2_now": keep**2 * noise + fresh},
        "ar2": in_Z**2 * ((left - keep * gap) ** 2 + pull**2 * noise) + (in_second - keep * in_first) ** 2 / later,
        **{"br2": (second - first) ** 2 / later, "cr2": apart[1] + second**2 / later},
        **{"off_41": 0 * drift, "off_42": (keep * lost * slope * (u[1] - u[0])) ** 2},
        **{"gap2_before": gap**2, "gap2_now": left**2 + pull**2 * noise},
        **{"x2_now": moved, "w2_now": moved + (beta_n * gap) ** 2},
        **{
            "sigma_0": largest(abs(first), abs(second)) + largest(abs(in_first), abs(in_second)),
            "L_Z": in_Z,
            "alpha_x": alpha_x,
            "rho_m": rho_m,
        },
        "Lb_p": largest(own, 2 * in_Z) if joint else own,
        **answers(joint=joint and not of_Z, beta_n=beta_n, **run),
    }


#: Noise that depends on Z, so that a_r is along the other parts.
noisy_in_Z = two_rounds.narrowed(
    "noise that depends on Z",
    rho_m=reals("1/3", 1),
    first=reals("1/2"),
    second=reals(1),
    in_first=reals("-1/2"),
    in_second=reals("1/3"),
    in_Z=reals(0, 1, zero=True),
    gap=reals(1),
    follows=choice("nothing"),
)


def rounds_of_noise(R: int, turns: str, size: Number, K: int) -> list[Number]:
    """The size of the noise by round; where it turns, a round of K steps is half a wave, and the first has one step."""
    if turns == "stays":
        return [size for _ in range(R + 1)]
    return [size * (1 - 2 / (K + 0 * size)), *(size * (-1) ** r for r in range(R))]


def rounds_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`rounds`."""
    R = params["R_rounds"]
    return _in_rounds("p", R, rounds_of_noise(R, params["turns"], params["size"], 1), **params)


ROUNDS = {
    **RUN,
    "R_rounds": counts(1, 2, 3, 20, most=3),
    "rho_m": reals(1, 0.5, 0.1, 0.25, high=1),
    "alpha_x": reals(0.1, 0.001),
    "turns": choice("stays", "turns"),
    "size": reals(0, 0.25, 1, 0.01, zero=True),
    "beta_n": reals(0.1, 0.5),
    "drift": reals(1, 0.01),
    "joint": choice(False, True),
}


@family(
    "many rounds",
    None,
    rounds_in_vectors,
    **ROUNDS,
    in_Z=reals(2, 1, 0, zero=True),
    gap=reals(1, 0, zero=True),
    slope=reals(0, 1, zero=True),
)
def rounds(
    *,
    R_rounds: int,
    rho_m: Number,
    alpha_x: Number,
    turns: str,
    size: Number,
    beta_n: Number,
    drift: Number,
    joint: bool,
    in_Z: Number,
    gap: Number,
    slope: Number,
    **run: Any,
) -> dict[str, Any]:
    """All rounds; ``z^* = 0``, and the noise stays or turns from round to round."""
    M, K, R = run["M"], run["K"], R_rounds
    start, later = drawn_in(*(run[name] for name in ("samples", "M", "K", "b_batch", "b_0")))
    keep, times = 1 - rho_m, M if run["normalisation"] == "sum" else 1
    sizes = rounds_of_noise(R, turns, size, K)
    change = 2 * size / K if turns == "turns" else 0 * size
    z, u, noise = gap, 1 + 0 * gap, sizes[0] ** 2 / start
    signs = means_of_signs(start)
    values = signs and [sizes[0] * s for s in signs]
    d2, d1, e2, g2, x2, w2, s2, P = [], [], [], [], [], [], [], []
    for r in range(R + 1):
        apart = (times - 1) ** 2 * (drift**2 + (slope * u) ** 2)
        d2.append(apart + noise + (in_Z * z) ** 2)
        d1.append(mean_norm(apart, values and [in_Z * z + v for v in values]))
        e2.append(noise)
        g2.append(z**2)
        steps = K if r else 1
        us = [u * (1 - alpha_x * slope) ** k for k in range(steps + 1)]
        zs = [z * (1 - beta_n) ** k for k in range(steps + 1)]
        # of the local estimates, each of which keeps the noise of those before it
        local = sum((steps - k) ** 2 * change**2 for k in range(1, steps)) / run["b_batch"]
        third = (in_Z * sum(zs[:-1])) ** 2 + steps**2 * noise + local
        x2.append(alpha_x**2 * ((steps * drift) ** 2 + third) + (us[-1] - u) ** 2)
        w2.append(x2[-1] + (zs[-1] - z) ** 2)
        s2.append(
            sum(
                alpha_x**2 * (drift**2 + (slope * us[k]) ** 2 + (in_Z * zs[k]) ** 2 + noise)
                + alpha_x**2 * k * change**2 / run["b_batch"]
                + (beta_n * zs[k]) ** 2
                for k in range(steps)
            )
        )
        P.append([times * sqrt(drift**2 + (slope * us[min(k, steps - 1)]) ** 2) for k in range(K)])
        if r < R:
            fresh, more = sizes[r + 1] - keep * sizes[r], means_of_signs(later)
            values = after_signs(values, more, keep, fresh)
            noise, z, u = keep**2 * noise + fresh**2 / later, zs[-1], us[-1]
    own = largest(slope, change / (alpha_x * drift), alpha_x / 1000)
    known = [v for v in d1 if v is not None]
    return {
        "D1": sum(known[:R]) if len(known) > R - 1 else None,
        "D1_back": known[0] + sum(known[: R - 1]) if len(known) > R - 1 else None,
        **{"D2": sum(d2[:R]), "D2_up": sum(d2[1:]), "D2_back": d2[0] + sum(d2[: R - 1]), "D2_before": sum(d2[:R])},
        **{"D2_first": d2[0], "D2_last": d2[R], "d2_before": d2[0], "e2_before": e2[0]},
        **{"G2": sum(g2[:R]), "X2": sum(x2[: R - 1]) + 0 * gap, "at_Z": sum(e2[:R]), "moves": sum(w2[:R])},
        "P1_in": sum(sum(norms[:-1]) for norms in P[:R]) / K,
        "P2_in": sum(sum(v**2 for v in norms[:-1]) for norms in P[:R]) / K,
        "steps2": sum(s2[:R]) / K,
        **{"sigma_0": size, "sigma_n": 0 * size, "L_Z": in_Z, "R_rounds": R, "rho_m": rho_m, "alpha_x": alpha_x},
        "Lb_p": largest(own, in_Z) if joint else own,
        **answers(joint=joint, beta_n=beta_n, **run),
    }


#: Noise that turns in each round of one step, and adds up over 1/rho rounds.
turning = rounds.narrowed(
    "noise that turns",
    turns=choice("turns"),
    gap=reals(0, zero=True),
    in_Z=reals(0, 1, zero=True),
    size=reals("1/1000", "1/10"),
    rho_m=reals("1/20", "1/2"),
    R_rounds=counts(60, 2, most=3),
    alpha_x=reals("1/10"),
    K=counts(1, 4, most=10),
    b_batch=counts(1, most=2),
    b_0=counts(1, most=2),
    C_h=reals(1, 103),
)


#: Noise alone: where each client draws b samples, and not K b, nothing is divided by K.
noise_alone = rounds.narrowed(
    "noise alone",
    K=counts(400, 1, most=10),
    R_rounds=counts(1, 2, most=3),
    size=reals(1),
    gap=reals(0, zero=True),
    in_Z=reals(0, zero=True),
    drift=reals("1/100"),
    turns=choice("stays"),
)


def tracking_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`tracking`."""
    R = params["R_rounds"]
    return _in_rounds("s", R, rounds_of_noise(R, params["turns"], params["size"], 1), **params)


@family("tracking", None, tracking_in_vectors, **{**ROUNDS, "size": reals(0.25, 1, 0, 0.01, zero=True)})
def tracking(
    *,
    R_rounds: int,
    rho_m: Number,
    alpha_x: Number,
    turns: str,
    size: Number,
    beta_n: Number,
    drift: Number,
    joint: bool,
    **run: Any,
) -> dict[str, Any]:
    """``S = z`` and ``P = drift``: s has the noise, and z starts at ``z^* = 0``.

    Raises:
        ValueError: z moves in several local steps of several rounds.
    """
    M, K, R = run["M"], run["K"], R_rounds
    if R > 1 and K > 1:
        raise ValueError("with noise in s and several local steps the moments are not followed")
    start, later = drawn_in(*(run[name] for name in ("samples", "M", "K", "b_batch", "b_0")))
    keep, lost = 1 - rho_m, M - 1 if run["normalisation"] == "sum" else 0
    sizes = rounds_of_noise(R, turns, size, K)
    signs = means_of_signs(start)
    values = signs and [sizes[0] * s for s in signs]
    zz, ze, ee = 0 * size, 0 * size, sizes[0] ** 2 / start
    q2, q1, z2 = [], [], []
    for r in range(R):
        q2.append(ee - 2 * lost * ze + lost**2 * zz)
        q1.append(None if lost and r else mean_norm(0 * size, values))
        z2.append((alpha_x * drift) ** 2 + beta_n**2 * (zz + 2 * ze + ee))
        fresh, more = sizes[r + 1] - keep * sizes[r], means_of_signs(later)
        values = after_signs(values, more, keep, fresh)
        stays = 1 - beta_n
        zz, ze, ee = (
            stays**2 * zz - 2 * stays * beta_n * ze + beta_n**2 * ee,
            keep * (stays * ze - beta_n * ee),
            keep**2 * ee + fresh**2 / later,
        )
    own = largest(2 * size / K / (alpha_x * drift) if turns == "turns" else 0 * size, 1 + 0 * size)
    return {
        **{"Q1": None if any(q is None for q in q1) else sum(q1), "Q2": sum(q2), "round_moves_n": sum(z2)},
        **{"S1_in": 0 * size, "S2_in": 0 * size, "sigma_0": 0 * size, "sigma_n": size, "L_Z": 0 * size},
        **{"R_rounds": R, "rho_m": rho_m, "alpha_x": alpha_x, "Lb_p": 1},
        **answers(joint=True, beta_n=beta_n, **{**run, "Lb_s": own}),
    }


#: The same of s: noise that turns with z^{n-1}.
turning_s = tracking.narrowed(
    "noise of s that turns",
    turns=choice("turns"),
    size=reals("1/4", "1/10"),
    rho_m=reals("1/2", "1/10"),
    R_rounds=counts(3, 20, most=3),
    K=counts(1, most=1),
    b_batch=counts(1, most=2),
    b_0=counts(1, most=2),
    C_h=reals("1/10", 1),
)

LEMMA_B5_H = record(
    claims.LEMMA_B5_H,
    families=[rounds, turning, noise_alone],
    refuted_by=example(
        rounds,
        left="4",
        right="1",
        by_hand="One client, P(x, z) = (1, 0, 2 z) and S = z without noise, z_0 = 1 and R = K = 1. Then z^* = 0, h_0 "
        "= (1, 0, 2) and P(x_0) = (1, 0, 0), so the left side is 4. On the right |z_0 - z^*|^2 = 1, and the sum over "
        "k from 1 to K - 1 = 0 is empty.",
    ),
)
LEMMA_B5_H_CORRECTED = record(claims.LEMMA_B5_H_CORRECTED, families=[rounds, turning])
LEMMA_B5_Q = record(
    claims.LEMMA_B5_Q,
    families=[tracking, turning_s],
    refuted_by=example(
        tracking,
        left="1/4",
        right="3/16",
        by_hand="One client, S = z with s = z + zeta/4, zeta = -1 or 1, z_0 = 0 and R = K = b = b_0 = rho = 1. Then "
        "|q_0 - S| = 1/4. On the right the sum over k is empty, E_2 = 3 and sigma_q^2 = 1/16.",
    ),
)
LEMMA_B5_Q_CORRECTED = record(claims.LEMMA_B5_Q_CORRECTED, families=[tracking, turning_s])
DEFINITIONS = record(claims.DEFINITIONS, families=[tracking])
ST_41 = record(claims.ST_41, families=[two_rounds])
ST_42 = record(
    claims.ST_42,
    families=[two_rounds],
    refuted_by=example(
        two_rounds,
        normalisation="sum",
        M=2,
        slope=1,
        left="9/64",
        right="0",
        by_hand="Two clients with P^m(x) = x in one coordinate, so P = 2 x, without noise, from x_0 = 1 with alpha = "
        "1/2 and rho = 1/4. Then h = x and x_1 = 1/2, so d_0 = 1 - 2 and d_1 = 1/2 - 1. As a = b = 0, c_1 = -1/2, the "
        "right side is -3/4 - 1/8, and differs by 3/8.",
    ),
)
ST_42_CORRECTED = record(claims.ST_42_CORRECTED, families=[two_rounds])
ST_SQUARE = record(
    claims.ST_SQUARE,
    families=[two_rounds, noisy_in_Z],
    refuted_by=example(
        two_rounds,
        rho_m="1/2",
        in_Z=0,
        left="1/2",
        right="1",
        by_hand="One client with P = 1 in a coordinate that has no noise, and noise xi = -1 or 1 in another one, rho "
        "= 1/2. Then d_0 = xi_0 and d_1 = xi_0/2 + xi_1/2, so E|d_1|^2 = 1/2. On the right a = b = 0, and 2/4 + 2/4 "
        "is left.",
    ),
)
ST_SQUARE_CORRECTED = record(claims.ST_SQUARE_CORRECTED, families=[two_rounds, noisy_in_Z])
ST_RECURSION = record(
    claims.ST_RECURSION,
    families=[two_rounds, noisy_in_Z],
    refuted_by=example(
        two_rounds,
        left="1.625",
        right="1.1875",
        by_hand="P = S = z - x and p = P + xi, xi = -1 or 1, from x_0 = z_0 = 0 with alpha = 1/2, rho = 1/4. Then z^* "
        "= x, d_0 = xi_0, x_1 = -xi_0/2, z_1 = 0, and d_1 = xi_0/2 + 3 xi_0/4 + xi_1/4: 25/16 + 1/16. The right side "
        "is 2/4 + 9/16 + 2/16, as p(x) has no slope.",
    ),
)
jointly = two_rounds.narrowed("two rounds, with one constant for x and Z", joint=choice(True))
ST_RECURSION_CORRECTED = record(claims.ST_RECURSION_CORRECTED, families=[jointly])
SUM_A = record(
    claims.SUM_A,
    families=[rounds],
    refuted_by=example(
        rounds,
        R_rounds=2,
        rho_m="1/2",
        left="19/10",
        right="9/5",
        by_hand="P(x, z) = (1, 0, 2 z) and S = z without noise, z_0 = 1, beta = 1/10, rho = 1/2 and R = 2: |d_0| = 2 "
        "and |d_1| = 9/5. The left side is 3.8/2. With d_{-1} = d_0 the right side is 3.8 - 4/2, with d_{-1} = 0 it "
        "is 3.8 - 2/2.",
    ),
)
SUM_A_CORRECTED = record(claims.SUM_A_CORRECTED, families=[rounds])
SUM_B = record(
    claims.SUM_B,
    families=[rounds],
    refuted_by=example(
        rounds,
        left="2",
        right="4",
        by_hand="P(x, z) = (1, 0, 2 z) and S = z without noise, z_0 = 1, R = 1 and rho = 1: |d_0| = 2. The left side "
        "is |d_0|, the right side |d_0|^2.",
    ),
)
SUM_B_CORRECTED = record(claims.SUM_B_CORRECTED, families=[rounds])
SUM_C = record(
    claims.SUM_C,
    families=[rounds],
    refuted_by=example(
        rounds,
        R_rounds=3,
        left="9.8644",
        right="8.9322",
        by_hand="P(x, z) = (1, 0, 2 z) and S = z without noise, z_0 = 1, beta = 1/10, R = 3 and rho = 1: |d_r| = 2 "
        "z_r with z = 1, 0.9, 0.81. The left side is 4 (1 + 0.81 + 0.6561), the right side 2 (1 + 0.81 + 0.6561) + 4.",
    ),
)
SUM_C_CORRECTED = record(claims.SUM_C_CORRECTED, families=[rounds, turning])
SUM_D = record(
    claims.SUM_D,
    families=[rounds],
    refuted_by=example(
        rounds,
        left="6",
        right="2",
        by_hand="P(x, z) = (1, 0, 2 z) and S = z without noise, z_0 = 1, R = 1 and rho = 1: |d_0|^2 = 4 and sigma = "
        "0. Both sides have 2 |z_0|^2 besides.",
    ),
)
SUM_D_CORRECTED = record(claims.SUM_D_CORRECTED, families=[rounds])
LAST_A = record(
    claims.LAST_A,
    families=[rounds],
    refuted_by=example(
        rounds,
        in_Z=3,
        left="3",
        right="2.00000",
        by_hand="P(x, z) = (1, 0, 3 z) and S = z without noise, z_0 = 1, R = K = 1 and rho = 1: |d_0| = 3, and 2 "
        "|z_0|^2 = 2. As p(x) is the same everywhere, its constant may be 1/10000, and the term with it is 10^-8.",
    ),
)
LAST_A_CORRECTED = record(claims.LAST_A_CORRECTED, families=[rounds, turning])
LAST_B = record(claims.LAST_B, families=[rounds])
