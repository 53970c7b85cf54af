"""The Lyapunov function: one local step on a parabola, with an inner zero that moves with x."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lyapunov as claims
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import parabola

#: What holds on all instances.
FACTS = ("A1", "A2", "A3", "A4", "B", "C", "fedmsa", "potential of P")


def step_in_vectors(**params: Any) -> InOutcomes:
    """The step of :func:`one_step`."""
    from rateproof.verify.form.on_a_line import at_points

    v = in_floats(params)
    points = {"x": v["x"], "h": v["L_hyp"] * v["x"] + v["error_h"]}
    return at_points(points, {"f": parabola(v["L_hyp"])}, past=("x", "h"))


def after(x: Number, z: Number, h: Number, q: Number, **of: Number) -> tuple[Number, Number, Number]:
    """f, the squared gap, and both together, after a step."""
    moved, z_moved = x - of["alpha_x"] * h, z - of["beta_1"] * q
    f, gap = of["L_hyp"] * moved**2 / 2, (z_moved - of["L_z1"] * moved) ** 2
    return f, gap, f + gap


@family(
    "one local step",
    None,
    step_in_vectors,
    x=reals(1, 0, zero=True),
    gap=reals(0, 1, zero=True),
    error_h=reals(0, -2, 1, zero=True),
    error_q=reals(0, 1, zero=True),
    L_hyp=reals(1, 4),
    L_z1=reals(1, 0, 0.25, zero=True),
    alpha_x=reals(0.5, 0.25, 0.1),
    beta_1=reals(0.5, 0.1),
    lam_1=reals(1),
    C_W=choice("of Lemma B.1", "1"),
    L_hz=reals(1, 0, zero=True),
    in_h=reals(0, 0.1, zero=True),
    in_q=reals(0, 0.01, zero=True),
)
def one_step(
    *,
    x: Number,
    gap: Number,
    error_h: Number,
    error_q: Number,
    C_W: str,
    L_hz: Number,
    in_h: Number,
    in_q: Number,
    **of: Number,
) -> dict[str, Any]:
    """``f = L^h x^2/2`` and ``S = lambda (z - L_{z,1} x)``, one client and one local step.

    In the mean over a round both errors have either sign.
    """
    L, a, b, lam, curved = of["L_z1"], of["alpha_x"], of["beta_1"], of["lam_1"], of["L_hyp"]
    z, P, S = L * x + gap, curved * x, lam * gap
    h, q = P + error_h, S + error_q
    f, f_next = curved * x**2 / 2, after(x, z, h, q, **of)[0]
    ends = [after(x, z, P + s * error_h, S + t * error_q, **of)[2] for s in (1, -1) for t in (1, -1)]
    kept = (1 + 8 * L**2 * a) if C_W == "of Lemma B.1" else 2 + 0 * a
    C, D = kept * (1 - lam * b) - 1, kept * (1 / lam + 2 * b) * b
    return {
        **{"K": 1, "M": 1, "b_batch": 1, "b_0": 1, "R_rounds": 1, "rho_m": 1, **of},
        **{"f_k": f, "f_next": f_next, "move_P": -a * h * P, "push_P": h * P, "P2": P**2, "h2": h**2},
        **{"err_h": error_h**2, "gaps": gap**2, "gaps_next": after(x, z, h, q, **of)[1], "errs_q": error_q**2},
        **{"W_start": f + gap**2, "W_end": sum(ends) / 4},
        **{"P2_mean": P**2, "err_mean": error_h**2, "errq_mean": error_q**2, "gaps_mean": gap**2},
        **{"err_r": error_h**2, "errq_r": error_q**2, "gap_r": gap**2, "noise_h": error_h**2, "noise_q": error_q**2},
        **{"C_W": C, "D_W": D, "L_hz": L_hz, "in_h": in_h, "in_q": in_q, "sigma_0": abs(error_h)},
        **{"sigma_n": abs(error_q), "lam_n": lam, "pull": lam, "gap2": 1, "L_s1": lam},
        **{"tau_0": 0, "tau_n": 0, "beta_n": b, "Lb_p": curved, "Lb_s": lam * (1 + L)},
        **dict.fromkeys(FACTS, Fact(True, "linear maps, and noise of two signs")),
        **dict.fromkeys(("sum", "mean"), Fact(True, "there is one client")),
    }


@family(
    "a round of local steps",
    normalisation=choice("sum", "mean"),
    K=counts(2, 1, 4, most=6),
    spread=reals(0, 1, 10, zero=True),
    error_h=reals(0, 1, zero=True),
    gap=reals(0, 1, zero=True),
    mean_slope=reals(1, 0.25),
    L_z1=reals(0, 1, zero=True),
    alpha_x=reals(0.5, 0.1, 0.01),
    beta_1=reals(0.5, 0.1),
    L_hz=reals(1, 0, zero=True),
)
def local_steps(
    *,
    normalisation: str,
    K: int,
    spread: Number,
    error_h: Number,
    gap: Number,
    mean_slope: Number,
    L_z1: Number,
    L_hz: Number,
    **of: Number,
) -> dict[str, Any]:
    """K steps of one of the clients ``(mean_slope + spread) x`` and ``(mean_slope - spread) x``; S has no noise.

    The error of h_r has either sign, and is kept.
    """
    a, b, curved = of["alpha_x"], of["beta_1"], mean_slope * (2 if normalisation == "sum" else 1)
    f_end, P2, err, gaps = [], [], [], []
    for slope in (mean_slope + spread, mean_slope - spread):
        for sign in (1, -1):
            x, z = 1 + 0 * a, L_z1 + gap
            h = mean_slope * x + sign * error_h
            for _ in range(K):
                P2.append((curved * x) ** 2)
                err.append((h - curved * x) ** 2)
                gaps.append((z - L_z1 * x) ** 2)
                x, z, h = x - a * h, z - b * (z - L_z1 * x), h - slope * a * h
            f_end.append(curved * x**2 / 2 + (z - L_z1 * x) ** 2)
    kept, h = 1 + 8 * L_z1**2 * a, mean_slope + error_h
    C, D = kept * (1 - b) - 1, kept * (1 + 2 * b) * b
    gap_next = gap + L_z1 - b * gap - L_z1 * (1 - a * h)
    return {
        **{"K": K, "M": 2, "b_batch": 1, "b_0": 1, "R_rounds": 1, "rho_m": 1, "L_z1": L_z1, "L_hyp": curved, **of},
        **{"tau_n": 0, "beta_n": b, "Lb_p": mean_slope + spread, "Lb_s": 1 + L_z1},
        **{"W_start": curved / 2 + gap**2, "W_end": sum(f_end) / 4, "P2_mean": sum(P2) / (4 * K)},
        **{"err_mean": sum(err) / (4 * K), "errq_mean": 0 * a, "gaps_mean": sum(gaps) / (4 * K), "errq_r": 0 * a},
        **{
            "err_r": error_h**2 + (mean_slope - curved) ** 2,
            "gap_r": gap**2,
            "noise_h": error_h**2,
            "noise_q": 0 * a,
            "sigma_0": abs(error_h),
        },
        **{"sigma_n": 0 * a, "C_W": C, "D_W": D, "L_hz": L_hz, "tau_0": spread, "lam_n": 1, "pull": 1, "gap2": 1},
        **{
            "gaps": gap**2,
            "gaps_next": gap_next**2,
            "errs_q": 0 * a,
            "err_h": (h - curved) ** 2,
            "P2": curved**2,
            "h2": h**2,
        },
        **dict.fromkeys(FACTS, Fact(True, "linear maps, and noise of two signs")),
        **{key: Fact(normalisation == key, f"P is their {normalisation}") for key in ("sum", "mean")},
    }


#: Within the steps of Lemma B.4.
short_steps = local_steps.narrowed(
    "short local steps",
    normalisation=choice("mean"),
    alpha_x=reals("1/100", "1/40"),
    beta_1=reals("1/100", "1/20"),
)
#: Where the inner zero does not move.
fixed_zero = one_step.narrowed("a local step with a fixed zero", L_z1=reals(0, zero=True))
#: Where z is at its zero and nothing is noisy, the descent is that of f and of the zero that moves.
AT_ZERO = (
    "f = x^2/2 and S = z - x without noise, from x = z = 1 with alpha = 1/2, so L_{z,1} = 1 and alpha = 1/(2 "
    "L_{z,1}^2). Then h = 1, q = 0, x = 1/2 and z = 1, so W goes from 1/2 to 1/8 + 1/4. "
)
EQ43 = record(claims.EQ43, families=[one_step])
EQ43_A = record(claims.EQ43_A, families=[one_step])
EQ43_B = record(
    claims.EQ43_B,
    families=[one_step],
    refuted_by=example(
        one_step,
        error_h=-2,
        left="5/8",
        right="-7/8",
        by_hand="f = x^2/2, p = x + 2 xi with xi = -1 or 1, x = 1 and alpha = 1/2. Where xi = -1, h = -1: <x_{k+1} - "
        "x_k, P> = 1/2 and <h, P> = -1. Both sides have alpha^2 h^2/2 = 1/8 besides.",
    ),
)
EQ43_B_CORRECTED = record(claims.EQ43_B_CORRECTED, families=[one_step])
EQ43_C = record(
    claims.EQ43_C,
    families=[one_step],
    refuted_by=example(
        one_step,
        left="9/8",
        right="-3/8",
        by_hand="f = x^2/2 without noise, x = 1 and alpha = 1/2: h = P = 1. On the left 1 + 1/8, on the right -1/4 - "
        "1/4 + 1/8.",
    ),
)
EQ43_C_CORRECTED = record(claims.EQ43_C_CORRECTED, families=[one_step])
EQ44 = record(claims.EQ44, families=[one_step])
EQ_W = record(
    claims.EQ_W,
    families=[one_step],
    refuted_by=example(
        one_step,
        left="-1/8",
        right="-1/4",
        by_hand=AT_ZERO + "On the right A = (1/2) (-1/2 + 1) = 1/4, and all else is 0.",
    ),
)
EQ_W_CORRECTED = record(claims.EQ_W_CORRECTED, families=[one_step])
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
EQ45_CORRECTED = record(claims.EQ45_CORRECTED, families=[one_step, local_steps])
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
EQ46_CORRECTED = record(claims.EQ46_CORRECTED, families=[one_step, local_steps])
EQ47_A = record(
    claims.EQ47_A,
    families=[one_step],
    refuted_by=example(
        one_step,
        left="7/8",
        right="1/16",
        by_hand="L_{z,1} = 1 and alpha = 1/2 = 1/(2 L_{z,1}^2): A = (1/2) (-1/2 + 1) = 1/4 and B = (1/2) (3/2) = 3/4, "
        "so the left side is -1/4 + 9/8. Smaller steps have up to 2 alpha on the left.",
    ),
)
EQ47_A_NEVER = record(claims.EQ47_A_NEVER, families=[one_step])
EQ47_A_CORRECTED = record(claims.EQ47_A_CORRECTED, families=[one_step])
EQ47_B = record(
    claims.EQ47_B,
    families=[fixed_zero, one_step],
    refuted_by=example(
        fixed_zero,
        left="2",
        right="-1/2",
        by_hand="S^1 = z^1 and S^2 = z^2, so lambda = L_q = 1 and L_{z,n} = 0, with alpha = beta = 1/2, K = 1 and "
        "L_{h,z} = 1. Then C^2 = -1/2 is the larger C^n, D^2 = (1 + 1)/2 = 1 the larger D^n, and B = 1/2: -1/2 + 1/2 "
        "+ 2. Smaller steps have beta + 4 beta^2 + alpha on the left.",
    ),
)
EQ47_B_CORRECTED = record(claims.EQ47_B_CORRECTED, families=[fixed_zero, one_step])
EQ47_C = record(
    claims.EQ47_C,
    families=[one_step],
    refuted_by=example(
        one_step,
        beta_1="1/10",
        left="3/4",
        right="1/2",
        by_hand="L_{z,1} = 1 and alpha = 1/2: B = (1/2) (3/2) = 3/4. For every alpha B is alpha (1 + L_{z,1}^2 alpha).",
    ),
)
EQ47_C_CORRECTED = record(claims.EQ47_C_CORRECTED, families=[one_step])
