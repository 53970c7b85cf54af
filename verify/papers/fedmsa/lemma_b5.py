"""Lemma B.5: noise of two signs, and a part of P that is linear in Z."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lemma_b5 as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Unlisted
from rateproof.verify.papers.fedmsa.momentum import IN_X, IN_Z, Round, Run, W, Z, in_vectors


def run_of(q: dict[str, Any]) -> Run:
    """The maps of a client, and the method; a round of K steps is half a wave where the noise turns."""
    each = q["K"] if q["samples"] == "K b" else 1
    turn, size = 1 if q["turns"] == "stays" else -1, q["size"]
    sizes = [q["first"] * size * (1 - (1 - turn) / q["K"]), *(size * turn**at for at in range(q["R_rounds"]))]
    sizes[0], sizes[1] = sizes[0] + q["in_first"], sizes[1] + q["in_second"]
    clients = q["M"] * each
    return Run(
        W if q["of"] == "p" else Z, q["drift"], q["slope"], q["in_Z"], int(q["follows"] == "x"), q["alpha_x"],
        q["beta_n"], q["rho_m"], q["gap"], q["K"], sizes, clients * q["b_0"], clients * q["b_batch"], q["b_batch"],
    )  # fmt: skip


def run_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`rounds`, where the maps are means.

    Raises:
        Unlisted: they are sums, or the noise depends on Z.
    """
    q = in_floats(params)
    if (q["normalisation"] == "sum" and q["M"] > 1) or q["in_first"] or q["in_second"]:
        raise Unlisted("the vectors are those of means, with noise that is a function of t alone")
    return in_vectors(run_of(q))


#: What holds on all instances.
HOLDS = (
    *("A1", "A2", "A3", "A4", "A4 in squares", "B", "C", "d_{-1}"),
    *("b samples of each", "B of p", "B of s", "A3 of P in Z", "means of p"),
)


@family(
    "many rounds",
    None,
    run_in_vectors,
    of=choice("p"),
    normalisation=choice("sum", "mean"),
    samples=choice("b", "K b"),
    M=counts(1, 2, 10, most=3),
    K=counts(1, 4, most=10),
    b_batch=counts(1, 10, most=2),
    b_0=counts(1, 10, most=2),
    C_h=reals(1, 103),
    R_rounds=counts(1, 2, 3, 20, most=3),
    rho_m=reals(1, 0.5, 0.1, 0.25, high=1),
    alpha_x=reals(0.1, 0.001),
    beta_n=reals(0.1, 0.5),
    turns=choice("stays", "turns"),
    size=reals(0, 0.25, 1, 0.01, zero=True),
    first=reals(1, zero=True),
    in_first=reals(0, zero=True),
    in_second=reals(0, zero=True),
    drift=reals(1, 0.01),
    slope=reals(0, 1, zero=True),
    in_Z=reals(2, 1, 0, zero=True),
    gap=reals(1, 0, zero=True),
    follows=choice("nothing"),
    joint=choice(False, True),
)
def rounds(*, in_first: Number, in_second: Number, joint: bool, **q: Any) -> dict[str, Any]:
    """All rounds, the first with one local step; the noise stays or turns from round to round.

    ``of``: the map, p or s, that is estimated; ``normalisation``: P is the sum or the mean of the clients' maps;
    ``samples``: how many a client draws in a momentum phase; ``turns``: whether the noise stays or changes its sign
    from round to round; ``size``: the noise of a sample; ``first``: the noise at the start as a multiple of ``size``;
    ``drift``: the part of P that is constant, along which x moves; ``slope``: the slope of P in x; ``in_Z``: slope of P
    in z - z^*; ``gap``: z - z^* at the start; ``follows``: what z^* depends on; ``joint``: whether one constant bounds
    all noise.

    ``in_first``: by how much the noise at the start of the first round is larger than at Z^* there; ``in_second``: by
    how much the noise at the start of the second round is larger than at Z^* there.

    Raises:
        ValueError: it depends on Z where Z is random, or ``Z^*``.
    """
    of_Z, M, K, R = in_first != 0 or in_second != 0, q["M"], q["K"], q["R_rounds"]
    if of_Z and (q["follows"] == "x" or q["gap"] == 0 or R > 1):
        raise ValueError("the noise is a function of Z, and Z is 0 or random")
    run, times = run_of({**q, "in_first": in_first, "in_second": in_second}), M if q["normalisation"] == "sum" else 1
    seen, both, zero, keep = [*run.rounds()], (*IN_X, *IN_Z), 0 * q["gap"], 1 - q["rho_m"]

    def in_round(now: Round) -> dict[str, Number | None]:
        """What the sums over the rounds have of one, and of the estimate after it."""
        at, end, star, star_end = (place(now.path[i]) for place in (lambda v: v, run.at_star) for i in (0, -1))
        d, e = now.h - run.mean(star) * times, now.h - run.mean(at) * times
        inside = now.path[: min(K - 1, len(now.steps))]
        often = (K - 1) / len(inside) / K if inside else 0
        P, S = ([run.mean(v) * times for v in points] for points in ([*map(run.at_star, inside)], inside))
        norms = {"P1_in": total([now.length(v, IN_X) for v in P]), "S1_in": total([now.length(v, IN_Z) for v in S])}
        return {
            "D1": now.length(d, IN_X),
            "D2": now.square(d, IN_X),
            "D2_up": now.square(now.h_next - run.mean(star_end) * times, IN_X),
            "at_Z": now.square(e, IN_X),
            "e2_now": now.square(now.h_next - run.mean(end) * times, IN_X),
            "Q1": now.length(e, IN_Z),
            "Q2": now.square(e, IN_Z),
            "G2": now.square(at - star, IN_Z),
            "gap2_now": now.square(end - star_end, IN_Z),
            "x2_now": now.square(end - at, IN_X),
            "moves": now.square(end - at, both),
            "steps2": sum(now.square(step, both) for step in now.steps) / K,
            **{name: None if norm is None else norm * often for name, norm in norms.items()},
            "P2_in": sum((now.square(v, IN_X) for v in P), start=zero) * often,
            "S2_in": sum((now.square(v, IN_Z) for v in S), start=zero) * often,
        }

    def total(terms: list[Any]) -> Number | None:
        """The sum; None where a term is not known."""
        return None if any(v is None for v in terms) else sum(terms, start=zero)

    told = [in_round(now) for now in seen]
    sums = {name: total([one[name] for one in told]) for name in told[0]}
    first, begins, last = seen[0], told[0], told[-1]
    # the four parts of the first momentum phase
    at, end = first.path[0], first.path[-1]
    fixed = [run.sizes[0] - in_first, run.sizes[1] - in_second]
    pz0, pz = (run.mean(v) + run.noise(v, size) for v, size in zip((at, end), run.sizes, strict=False))
    Ps0, Ps = (run.mean(run.at_star(v)) for v in (at, end))
    ps0, ps = (P + run.noise(P, size) for P, size in zip((Ps0, Ps), fixed, strict=True))
    a, b, c = pz - ps - (pz0 - ps0) * keep, ps - ps0 - Ps + Ps0, ps - Ps * times
    d = first.h_next - Ps * times
    off = d - a - (first.h - Ps0 * times + b) * keep - c * q["rho_m"]
    loud = largest(*(abs(size) for size in (*fixed, *run.sizes[2:]))) + largest(abs(in_first), abs(in_second))
    turned = [abs(y - x) / (K if i else 1) for i, (x, y) in enumerate(pairwise(run.sizes))]
    rate, of_p = largest(*turned) / (run.alpha * run.drift), run.noisy == W
    own = largest(run.slope, rate if of_p else zero, run.alpha / 1000)
    linear = Fact(True, "P and S are linear, and noise is a sign times a bounded function of the first number of x")
    alike = Fact(joint and not of_Z, "the constant is that of p or s at all points")
    mine = "there is one client" if M == 1 else f"the maps of the {M} clients are the same"
    drawn = f"{q['samples']} samples of each client"
    return {
        **sums,
        **{"D1_back": total([begins["D1"], *(one["D1"] for one in told[:-1])]), "D2_before": sums["D2"]},
        **{"D2_back": total([begins["D2"], *(one["D2"] for one in told[:-1])]), "round_moves_n": sums["moves"]},
        **{"X2": total([one["x2_now"] for one in told[:-1]]), "D2_first": begins["D2"], "D2_last": last["D2_up"]},
        **{"d1_before": begins["D1"], "d2_before": begins["D2"], "d2_now": begins["D2_up"]},
        **{"e2_before": begins["at_Z"], "e2_now": begins["e2_now"], "w2_now": begins["moves"]},
        **{"gap2_before": begins["G2"], "gap2_now": begins["gap2_now"], "x2_now": begins["x2_now"]},
        **{f"{name}r2": first.square(v, IN_X) for name, v in (("a", a), ("b", b), ("c", c))},
        **{"off_41": zero, "off_42": first.square(off, IN_X)},
        **{"sigma_0": loud if of_p else zero, "sigma_n": zero if of_p else loud, "L_Z": run.in_Z},
        "Lb_p": largest(own, run.in_Z * (1 + run.follows)) if joint else own,
        "Lb_s": 1 + zero if of_p else largest(rate, 1 + zero),
        **{"lam_n": 1, "pull": 1, "gap2": 1, "D_s": 1},
        **dict.fromkeys(HOLDS, linear),
        "fedmsa": Fact(True, "all rounds are those of Algorithm 1"),
        **dict.fromkeys(("A4 of p", "A4 of s"), alike),
        "sum": Fact(q["normalisation"] == "sum" or M == 1, mine),
        "mean": Fact(q["normalisation"] == "mean" or M == 1, mine),
        "batch": Fact(q["samples"] == "b" or K == 1, drawn),
        "batch K": Fact(q["samples"] == "K b" or K == 1, drawn),
    }


#: The first two rounds.
two_rounds = rounds.narrowed(
    "two rounds",
    R_rounds=counts(1, most=1),
    rho_m=reals(0.25, 1, 0.5, 0.1, high=1),
    alpha_x=reals(0.5, 0.1),
    beta_n=reals(0.5, 0.1),
    size=reals(1, 0, zero=True),
    first=reals(1, 0.5, 0, zero=True),
    drift=reals(1),
    in_Z=reals(1, 2, 0, zero=True),
    gap=reals(0, 2, zero=True),
    follows=choice("x", "nothing"),
)
#: Noise that depends on Z, so that a_r is along the other parts.
noisy_in_Z = two_rounds.narrowed(
    "noise that depends on Z",
    rho_m=reals("1/3", 1),
    size=reals(1),
    first=reals("1/2"),
    in_first=reals("-1/2"),
    in_second=reals("1/3"),
    in_Z=reals(0, 1, zero=True),
    gap=reals(1),
    follows=choice("nothing"),
)
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
)
#: Noise alone: where each client draws b samples, and not K b, nothing is divided by K.
noise_alone = rounds.narrowed(
    "noise alone",
    K=counts(200, 1, most=10),
    R_rounds=counts(1, 2, most=3),
    size=reals(1),
    gap=reals(0, zero=True),
    in_Z=reals(0, zero=True),
    drift=reals("1/100"),
    turns=choice("stays"),
    joint=choice(True),
)
#: Nothing but what P itself moves: h_r is exact.
exact = noise_alone.narrowed("no noise", size=reals(0, zero=True), C_h=reals(103), R_rounds=counts(2, most=3))
#: ``S = z`` and ``P = drift``: s has the noise, and z starts at ``z^* = 0``.
tracking = rounds.narrowed(
    "tracking",
    of=choice("s"),
    size=reals(0.25, 1, 0, 0.01, zero=True),
    slope=reals(0),
    in_Z=reals(0),
    gap=reals(0),
    joint=choice(True),
)
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
LEMMA_B5_H_CORRECTED = record(claims.LEMMA_B5_H_CORRECTED, families=[rounds, turning, noise_alone])
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
    refuted_by=example(
        rounds,
        R_rounds=3,
        left="9.8644",
        right="8.9322",
        by_hand="P(x, z) = (1, 0, 2 z) and S = z without noise, z_0 = 1, beta = 1/10, R = 3 and rho = 1: |d_r| = 2 "
        "z_r with z = 1, 0.9, 0.81. The left side is 4 (1 + 0.81 + 0.6561), the right side 2 (1 + 0.81 + 0.6561) + 4.",
    ),
)
SUM_C_CORRECTED = record(claims.SUM_C_CORRECTED, families=[rounds, turning, noise_alone])
SUM_D = record(
    claims.SUM_D,
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
    refuted_by=example(
        rounds,
        in_Z=3,
        left="3",
        right="2.00000",
        by_hand="P(x, z) = (1, 0, 3 z) and S = z without noise, z_0 = 1, R = K = 1 and rho = 1: |d_0| = 3, and 2 "
        "|z_0|^2 = 2. As p(x) is the same everywhere, its constant may be 1/10000, and the term with it is less than "
        "10^(-6).",
    ),
)
LAST_A_CORRECTED = record(claims.LAST_A_CORRECTED, families=[rounds, turning, noise_alone])
LAST_B = record(claims.LAST_B, families=[rounds, exact])
