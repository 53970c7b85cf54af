"""The Lyapunov function: local steps on parabolas, with an inner zero that moves with x; ``M``: number of clients."""

from __future__ import annotations

from itertools import product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lyapunov as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.on_a_line import at_points
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import parabola

#: What holds on all instances.
FACTS = ("A1", "A2", "A3", "A4", "B", "C", "fedmsa", "potential of P")


def curvature(q: dict[str, Any]) -> Number:
    """That of f."""
    return q["slope"] * (q["M"] if q["normalisation"] == "sum" else 1)


def in_vectors(**params: Any) -> InOutcomes:
    """The first step of :func:`local_steps`."""
    q = in_floats(params)
    points = {"x": q["x"], "h": q["slope"] * q["x"] + q["error_h"]}
    return at_points(points, {"f": parabola(curvature(q))}, past=("x", "h"))


@family(
    "a round of local steps",
    None,
    in_vectors,
    normalisation=choice("sum", "mean"),
    M=counts(2),
    K=counts(2, 1, 4, most=6),
    slope=reals(1, 0.25),
    spread=reals(0, 1, 10, zero=True),
    x=reals(1),
    gap=reals(0, 1, zero=True),
    error_h=reals(0, 1, zero=True),
    error_q=reals(0),
    L_z1=reals(0, 1, zero=True),
    alpha_x=reals(0.5, 0.1, 0.01),
    beta_1=reals(0.5, 0.1),
    lam_1=reals(1),
    C_W=choice("of Lemma B.1"),
    L_hz=reals(1, 0, zero=True),
    in_h=reals(0),
    in_q=reals(0),
)
def local_steps(*, normalisation: str, x: Number, gap: Number, C_W: str, **q: Any) -> dict[str, Any]:
    """K steps of a client of those with slopes ``slope x``, and ``S = lambda (z - L_{z,1} x)``.

    Two clients have ``(slope + spread) x`` and ``(slope - spread) x``. The errors of h and of q have either sign, and
    are kept.

    ``normalisation``: whether P is the sum or the mean of the clients' maps; ``slope``: the mean slope of the clients'
    maps P^m; ``C_W``: which constant is taken; ``spread``: by how much the slopes of two clients differ from their
    mean; ``x``: where the round starts; ``gap``: how far z is from its fixed point there; ``error_h``, ``error_q``: the
    errors of h and of q.
    """
    M, K, L, a, b, lam = (q[name] for name in ("M", "K", "L_z1", "alpha_x", "beta_1", "lam_1"))
    mean, spread, error_h, error_q = q["slope"], q["spread"], q["error_h"], q["error_q"]
    curved = curvature({**q, "normalisation": normalisation})
    slopes = [mean] if M == 1 else [mean + spread, mean - spread]
    runs = []
    for slope, s, t in product(slopes, (1, -1), (1, -1)):
        at, z, h, path = x, L * x + gap, mean * x + s * error_h, []
        for _ in range(K + 1):
            path.append((at, z - L * at, h))
            move = -a * h
            at, z, h = at + move, z - b * (lam * (z - L * at) + t * error_q), h + slope * move
        runs.append(path)

    def average(of: Any) -> Number:
        """The mean over all runs and their steps."""
        return sum(of(*point) for path in runs for point in path[:-1]) / (len(runs) * K)

    (_, _, h), (after, gap_after, _) = runs[0][:2]
    kept = (1 + 8 * L**2 * a) if C_W == "of Lemma B.1" else 2 + 0 * a
    linear, P = Fact(True, "linear maps, and noise of two signs"), curved * x
    return {
        **{"b_batch": 1, "b_0": 1, "R_rounds": 1, "rho_m": 1, "pull": lam, "gap2": 1, "lam_n": lam, "L_s1": lam},
        **{"f_k": P * x / 2, "f_next": curved * after**2 / 2, "move_P": -a * h * P, "push_P": h * P, "P2": P**2},
        **{"h2": h**2, "err_h": (h - P) ** 2, "gaps": gap**2, "gaps_next": gap_after**2, "errs_q": error_q**2},
        "W_start": P * x / 2 + gap**2,
        "W_end": sum(curved * path[-1][0] ** 2 / 2 + path[-1][1] ** 2 for path in runs) / len(runs),
        "P2_mean": average(lambda at, gap, h: (curved * at) ** 2),
        "err_mean": average(lambda at, gap, h: (h - curved * at) ** 2),
        "gaps_mean": average(lambda at, gap, h: gap**2),
        **{"errq_mean": error_q**2, "errq_r": error_q**2, "noise_h": error_h**2, "noise_q": error_q**2},
        **{"err_r": error_h**2 + (mean * x - P) ** 2, "gap_r": gap**2},
        **{"C_W": kept * (1 - lam * b) - 1, "D_W": kept * (1 / lam + 2 * b) * b, "L_hyp": curved},
        **{"sigma_0": abs(error_h), "sigma_n": abs(error_q), "tau_0": spread, "tau_n": 0, "beta_n": b},
        **{"Lb_p": mean + spread, "Lb_s": lam * (1 + L)},
        **dict.fromkeys(FACTS, linear),
        **{key: Fact(M == 1 or normalisation == key, f"P is their {normalisation}") for key in ("sum", "mean")},
    }


#: Within the steps of Lemma B.4.
short_steps = local_steps.narrowed(
    "short local steps",
    normalisation=choice("mean"),
    alpha_x=reals("1/100", "1/40"),
    beta_1=reals("1/100", "1/20"),
)
one_step = local_steps.narrowed(
    "one local step",
    M=counts(1),
    K=counts(1),
    normalisation=choice("sum"),
    slope=reals(1, 4),
    spread=reals(0),
    x=reals(1, 0, zero=True),
    error_h=reals(0, -2, 1, zero=True),
    error_q=reals(0, 1, zero=True),
    L_z1=reals(1, 0, 0.25, zero=True),
    alpha_x=reals(0.5, 0.25, 0.1),
    C_W=choice("of Lemma B.1", "1"),
    in_h=reals(0, 0.1, zero=True),
    in_q=reals(0, 0.01, zero=True),
)
#: The drawn slopes of z^* are too large for the steps of the last line of (47), as printed and as corrected.
fixed_point = one_step.narrowed(
    "one local step, z^* does not move", L_z1=reals(0, zero=True), C_W=choice("of Lemma B.1")
)


@family(
    "rounds at which (31), (40) and the sum of eqW are equalities",
    K=counts(1, 4),
    **{name: reals(1) for name in ("alpha_x", "L_z1", "L_hz", "C_W", "D_W")},
    **{name: reals(1, 0, zero=True) for name in ("P2_mean", "gaps_mean", "gap_r", "noise_h", "noise_q")},
)
def at_equality(*, K: int, gap_r: Number, **q: Number) -> dict[str, Any]:
    """All errors, and what W gains, are as large as their bounds admit, but that 4 e is 271/25 or 272/25."""
    a, P2, gaps = q["alpha_x"], q["P2_mean"], q["gaps_mean"]
    err_r, errq_r = gap_r + q["noise_h"] + 25 * P2 / 544, 25 * gap_r / 272 + q["noise_q"]
    err, errq = 271 * err_r / 25 + P2 + q["L_hz"] * K * gaps, 271 * errq_r / 25 + gaps
    descent = 2 * a**2 * q["L_z1"] ** 2 * (P2 + err) + a / 2 * (err - P2)
    out = {"err_r": err_r, "errq_r": errq_r, "err_mean": err, "errq_mean": errq}
    return {**out, "W_start": 0, "W_end": K * (descent + q["C_W"] * gaps + q["D_W"] * errq)}


#: Where z is at its zero and nothing is noisy, the descent is that of f and of the zero that moves.
AT_ZERO = (
    "f = x^2/2 and S = z - x without noise, from x = z = 1 with alpha = 1/2, so L_{z,1} = 1 and alpha = 1/(2 "
    "L_{z,1}^2). Then h = 1, q = 0, x = 1/2 and z = 1, so W goes from 1/2 to 1/8 + 1/4. "
)
EQ43_B = record(
    claims.EQ43_B,
    refuted_by=example(
        one_step,
        error_h=-2,
        left="5/8",
        right="-7/8",
        by_hand="f = x^2/2, p = x + 2 xi with xi = -1 or 1, x = 1 and alpha = 1/2. Where xi = -1, h = -1: <x_{k+1} - "
        "x_k, P> = 1/2 and <h, P> = -1. Both sides have alpha^2 h^2/2 = 1/8 besides.",
    ),
)
EQ43_C = record(
    claims.EQ43_C,
    refuted_by=example(
        one_step,
        left="9/8",
        right="-3/8",
        by_hand="f = x^2/2 without noise, x = 1 and alpha = 1/2: h = P = 1. On the left 1 + 1/8, on the right -1/4 - "
        "1/4 + 1/8.",
    ),
)
EQ_W = record(
    claims.EQ_W,
    refuted_by=example(
        one_step,
        left="-1/8",
        right="-1/4",
        by_hand=AT_ZERO + "On the right A = (1/2) (-1/2 + 1) = 1/4, and all else is 0.",
    ),
)
EQ45 = record(
    claims.EQ45,
    families=[one_step, local_steps, short_steps],
    refuted_by=example(
        one_step,
        left="-1/8",
        right="-1",
        by_hand=AT_ZERO + "On the right A = 1/4 and B = (1/2) (3/2) = 3/4, and all else is 0.",
    ),
)
EQ45_CORRECTED = record(claims.EQ45_CORRECTED, families=[one_step, local_steps, at_equality])
EQ46 = record(
    claims.EQ46,
    families=[one_step, local_steps, short_steps],
    refuted_by=example(
        one_step,
        left="0",
        right="-11/8",
        by_hand=AT_ZERO + "On the left stands W_{r+1} - W_{r+1}; W_{r+1} - W_r = -1/8 is too large as well. On the "
        "right A = 1/4 and B = (1/2) (3/2) = 3/4, and all else is 0.",
    ),
)
EQ46_CORRECTED = record(claims.EQ46_CORRECTED, families=[one_step, local_steps, at_equality])
EQ47_A = record(
    claims.EQ47_A,
    refuted_by=example(
        one_step,
        left="7/8",
        right="1/16",
        by_hand="L_{z,1} = 1 and alpha = 1/2 = 1/(2 L_{z,1}^2): A = (1/2) (-1/2 + 1) = 1/4 and B = (1/2) (3/2) = 3/4, "
        "so the left side is -1/4 + 9/8. Smaller steps have up to 2 alpha on the left.",
    ),
)
EQ47_B = record(
    claims.EQ47_B,
    refuted_by=example(
        fixed_point,
        left="2",
        right="-1/2",
        by_hand="S^1 = z^1 and S^2 = z^2, so lambda = L_q = 1 and L_{z,n} = 0, with alpha = beta = 1/2, K = 1 and "
        "L_{h,z} = 1. Then C^2 = -1/2 is the larger C^n, D^2 = (1 + 1)/2 = 1 the larger D^n, and B = 1/2: -1/2 + 1/2 "
        "+ 2. Smaller steps have beta + 4 beta^2 + alpha on the left.",
    ),
)
EQ47_C = record(
    claims.EQ47_C,
    refuted_by=example(
        one_step,
        beta_1="1/10",
        left="3/4",
        right="1/2",
        by_hand="L_{z,1} = 1 and alpha = 1/2: B = (1/2) (3/2) = 3/4. For every alpha B is alpha (1 + L_{z,1}^2 alpha).",
    ),
)
EQ43 = record(claims.EQ43, families=[one_step])
EQ43_A = record(claims.EQ43_A, families=[one_step])
EQ43_B_CORRECTED = record(claims.EQ43_B_CORRECTED, families=[one_step])
EQ43_C_CORRECTED = record(claims.EQ43_C_CORRECTED, families=[one_step])
EQ44 = record(claims.EQ44, families=[one_step])
EQ_W_CORRECTED = record(claims.EQ_W_CORRECTED, families=[one_step])
EQ47_A_NEVER = record(claims.EQ47_A_NEVER, families=[one_step])
EQ47_A_CORRECTED = record(claims.EQ47_A_CORRECTED, families=[one_step])
EQ47_B_CORRECTED = record(claims.EQ47_B_CORRECTED, families=[one_step, fixed_point])
EQ47_C_CORRECTED = record(claims.EQ47_C_CORRECTED, families=[one_step])
