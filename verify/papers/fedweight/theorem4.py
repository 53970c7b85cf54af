"""Theorem 4 on nodes in two groups, whose weights are one number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem4 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import climb, counts, example, family, growing, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.form.outcomes import COORDINATE, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse
from rateproof.verify.papers.fedweight.theorem3 import (
    AT_ONCE,
    BELOW,
    LATER,
    NODES,
    constants,
    counted,
    error_at,
    least,
    nodes,
    of_nodes,
    one_call,
    one_error,
    within,
)
from rateproof.verify.planted.mutate import Sharp


def iterations(
    K_nodes: int, S_out: int, valid: Number, target: Number, start: Number, when: str, size: Number, eta: Number
) -> list[dict[str, Number]]:
    """The iterations of Algorithm 3, in ``u``: a step of the weights along the signs is K times as long in u."""
    u, found = start, []
    for s in range(S_out):
        wrong = error_at(s, S_out, when, size, 1 / (s + 1 + 0 * size))
        slope = valid * (u - target)
        after = within(u - eta * K_nodes * (slope + wrong / sqrt(K_nodes + 0 * size)))
        exact = within(u - eta * K_nodes * slope)
        found.append({"u": u, "slope": slope, "wrong": wrong, "u+": after, "exact": exact})
        u = after
    return found


def in_vectors(**params: Any) -> InOutcomes:
    """The iterations of :func:`two_groups` in the vectors of the proof; where nothing is summed, the last of them."""
    of = in_floats(params)
    refuse(of["S_out"], 8)
    K, v, t = of["K_nodes"], of["valid"], of["target"]
    eta = nodes(K, of["curvature"], v)["eta_w"]
    run = iterations(K, of["S_out"], v, t, of["start"], of["when"], of["size"], eta)
    signs = np.array([1.0, -1.0] * (K // 2))

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        for s, at in enumerate(run):
            if setting.sequences or s == len(run) - 1:
                made = {name: (1 + u * signs) / K for name, u in (("w", at["u"]), ("v", of["other"]))}
                made["e"] = at["wrong"] * signs / K**0.5
                term = {p.s: s} if setting.sequences else {}
                yield Outcomes({COORDINATE: [1.0] * K}, made, of_nodes(v, t, signs), lambda *_: set(), term=term)

    return outcomes


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
    other: Number,
) -> dict[str, Any]:
    """What Algorithm 3 on :func:`nodes` has, with errors of ``size/(s + 1)`` along the signs.

    Raises:
        ValueError: there is no iteration.
    """
    if S_out < 1:
        raise ValueError("there is no iteration")
    constants = nodes(K_nodes, curvature, valid)
    run = iterations(K_nodes, S_out, valid, target, start, when, size, constants["eta_w"])
    at, root = run[-1], sqrt(K_nodes + 0 * size)
    errors = [abs(one["wrong"]) for one in run]
    step, bar = at["u+"] - at["u"], at["slope"] + at["wrong"] / root
    F_w, F_next, F_start, F_min = (
        valid / 2 * (u - target) ** 2 for u in (at["u"], at["u+"], start, least(valid, target))
    )
    small = all(error <= 1 / (s + 1 + 0 * size) for s, error in enumerate(errors))
    return {
        **constants,
        **{"E_s": errors[-1], "err2_s": errors[-1] ** 2, "moved": abs(step) / root, "moved2": step**2 / K_nodes},
        "station2": (at["u"] - at["exact"]) ** 2 / K_nodes,
        "parted2": (at["u+"] - at["exact"]) ** 2 / K_nodes,
        **{"other2": (other - at["u"]) ** 2 / K_nodes, "other2_next": (other - at["u+"]) ** 2 / K_nodes},
        **{"along_bar": bar * step, "along_other": bar * (other - at["u"]), "along_grad": at["slope"] * step},
        "pull": -at["wrong"] / root * step,
        **{"F_w": F_w, "F_w_next": F_next, "F_min": F_min, "gap_start": F_start - F_min},
        "station_out": sum((one["u"] - one["exact"]) ** 2 for one in run) / (K_nodes * S_out),
        **{"total_E": sum(errors), "total_E2": sum(error**2 for error in errors)},
        "Algorithm 3": Fact(True, "line 11, with the error that is put in"),
        **dict.fromkeys(("E E_s^2<=1/(s+1)^2", "E E_s<=1/(s+1)"), Fact(small, f"size = {size} or 0")),
    }


@family("two groups of nodes", None, in_vectors, **NODES, other=reals(0, 1, low=0.1, high=1, zero=True))
def two_groups(**given: Any) -> dict[str, Any]:
    """Algorithm 3, in which ``u`` is the weight of one group less that of the other."""
    return measured(**given)


#: What is measured in the last iteration alone.
LAST = (
    *("E_s", "err2_s", "moved", "moved2", "station2", "parted2", "other2", "other2_next"),
    *("along_bar", "along_other", "along_grad", "pull", "F_w", "F_w_next"),
)


@family("two groups of nodes, all iterations", None, in_vectors, **two_groups.ranges)
def all_iterations(**given: Any) -> dict[str, Any]:
    """The same, of which all iterations are summed."""
    return {name: x for name, x in measured(**given).items() if name not in LAST}


#: Equalities where nothing is projected, or where the step is as long as the error.
EQUAL = tuple(
    record(claim, families=[two_groups], tight=Sharp())
    for claim in (claims.PS27_A, claims.PS27_B, claims.PS28_A, claims.PS29_B)
)
LINKS = tuple(
    record(claim, families=[two_groups])
    for claim in (
        claims.PS28_B,
        claims.PS28_C,
        claims.PS29_A,
        claims.PS29_C,
        claims.PS29_D,
        claims.STEP,
    )
)
SUMMED = tuple(
    record(claim, families=[all_iterations]) for claim in (claims.PS30_A, claims.THM4_0, claims.THM4_0_SHARP)
)


@family(
    "sums of errors",
    S_out=counts(1, 2, 3, 100, most=100),
    eta_w=reals(1, "1/10", 10, low=0.01, high=100),
    gap_start=reals(1, 0, low=0.1, high=10, zero=True),
    size=reals(1, 0, 2, low=0.1, high=3, zero=True),
    share=reals(1, "1/2", 2, low=0.1, high=2),
)
def sums(*, S_out: int, eta_w: Number, gap_start: Number, size: Number, share: Number) -> dict[str, Any]:
    """The largest measure that the average admits, times ``share``, with errors of size/(s + 1).

    Raises:
        ValueError: there is no iteration.
    """
    if S_out < 1:
        raise ValueError("there is no iteration")
    errors = [size / (s + 1) for s in range(S_out)]
    total, squares = sum(errors), sum(error**2 for error in errors)
    admitted = (4 * gap_start / eta_w + 8 * total / eta_w + 2 * squares) / S_out
    return {
        **{"total_E": total, "total_E2": squares, "station_out": share * eta_w**2 * admitted},
        **dict.fromkeys(("E E_s^2<=1/(s+1)^2", "E E_s<=1/(s+1)"), Fact(size <= 1, f"size = {size}")),
    }


PS30_B = record(
    claims.PS30_B,
    families=[sums],
    refuted_by=example(
        sums,
        gap_start=0,
        left="10",
        right="3.28987",
        by_hand="""S = 1, eta = 1, F^(w^0) = F^(w^) and E_0 = 1: the display before says at most 8 + 2 = 10. Claimed is
        at most 8 log(1) + pi^2/3 = 3.29.""",
    ),
)
PS30_B_CORRECTED = record(claims.PS30_B_CORRECTED, families=[sums])


@family("two groups of nodes, in rounds", None, None, **two_groups.ranges, tau_in=counts(1, 2, drawn=(1, 2, 4)))
def in_rounds(*, tau_in: int, **given: Any) -> dict[str, Any]:
    """:func:`two_groups` until the last iteration, where the accuracy is just reached."""
    found = measured(**given)
    of_rounds = counted(2, given["S_out"], tau_in, 1 + 0 * given["size"])
    return {**found, **of_rounds, "S_acc": given["S_out"], "eps_opt": sqrt(found["station_out"]) / found["eta_w"]}


LONG = [4, 8, 16, 32, 64]
ONE, TWO = (
    climb(in_rounds, "S -> infinity", f"{tau} steps between communications", tau_in=tau, S_out=LONG) for tau in (1, 2)
)
THM4_I = record(claims.THM4_I, climbs=[ONE])
THM4_II = record(claims.THM4_II, climbs=[TWO])
PS31_A = record(claims.PS31_A, climbs=[ONE])
PS31_B = record(
    claims.PS31_B,
    families=[one_error],
    refuted_by=example(one_error, order=2, left="1", right="1/4", by_hand=AT_ONCE + "1/4."),
)
PS31_B_CORRECTED = record(claims.PS31_B_CORRECTED, families=[one_error])
PS31_C = record(
    claims.PS31_C,
    families=[one_error],
    refuted_by=example(one_error, order=2, left="1", right="1/16", by_hand=AT_ONCE + "1/16."),
)
PS31_C_CORRECTED = record(claims.PS31_C_CORRECTED, families=[one_error])
PS31_D = record(claims.PS31_D, families=[one_call])
PS31_E = record(
    claims.PS31_E,
    refuted_by=growing(
        LATER,
        ratios=["0.0895458", "0.929287", "9.41188", "96.7086", "973.993"],
        by_hand="""l_1 = mu = 1/200, q = 1/2, tau = 2 and A_1 = A_2 = A_3 = 10^-4/3: 1/gamma_0 is below 1, and M_s =
        (s+1)/100 from s = 100 on. T_s/(tau s) = 3 ln(M_s) (s+1)/s grows like ln s, without limit.""",
    ),
)
PS31_E_CORRECTED = record(
    claims.PS31_E_CORRECTED, families=[one_call.narrowed("one call, order 2", order=counts(2, drawn=(2,)))]
)
PS31_G = record(
    claims.PS31_G, families=[constants], refuted_by=example(constants, C_1="1/2", left="3", right="4", by_hand=BELOW)
)
PS31_G_CORRECTED = record(claims.PS31_G_CORRECTED, families=[constants])
PS31_F = record(claims.PS31_F, families=[sums])
