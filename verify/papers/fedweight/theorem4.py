"""Theorem 4 on nodes in two groups, whose weights are one number."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import theorem4 as claims
from rateproof.verify.form import counts, example, family, growing, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.papers.fedweight import theorem3 as t3
from rateproof.verify.papers.fedweight.theorem3 import ENOUGH, Groups, counted, exact, summed
from rateproof.verify.planted.mutate import Sharp


def iterations(of: Groups) -> list[dict[str, Number]]:
    """The iterations of Algorithm 3, in ``u``."""
    u, found = of.start, []
    for s in range(of.S_out):
        wrong, slope, long = of.error(s, 1 / (s + 1 + 0 * of.size)), of.slope(u), of.eta * of.K_nodes
        after, exact = of.within(u - long * (slope + wrong / of.root)), of.within(u - long * slope)
        found.append({"u": u, "slope": slope, "wrong": wrong, "u+": after, "exact": exact})
        u = after
    return found


def measured(*, other: Number, **given: Any) -> dict[str, Any]:
    """What Algorithm 3 on :class:`Groups` has, with errors of ``size/(s + 1)`` along the signs."""
    of = Groups(**given)
    answers, run, K = of.answers(), iterations(of), of.K_nodes
    at, errors = run[-1], [abs(one["wrong"]) for one in run]
    step, wrong = at["u+"] - at["u"], at["wrong"] / of.root
    bar = at["slope"] + wrong
    small = all(error <= 1 / (s + 1 + 0 * of.size) for s, error in enumerate(errors))
    return {
        **answers,
        **{"E_s": errors[-1], "err2_s": errors[-1] ** 2, "moved": abs(step) / of.root, "moved2": step**2 / K},
        **{"station2": (at["u"] - at["exact"]) ** 2 / K, "parted2": (at["u+"] - at["exact"]) ** 2 / K},
        **{"other2": (other - at["u"]) ** 2 / K, "other2_next": (other - at["u+"]) ** 2 / K},
        **{"along_bar": bar * step, "along_other": bar * (other - at["u"]), "along_grad": at["slope"] * step},
        **{"pull": -wrong * step, "F_w": of.loss(at["u"]), "F_w_next": of.loss(at["u+"])},
        **{"F_min": of.loss(of.best()), "gap_start": of.loss(of.start) - of.loss(of.best())},
        "station_out": sum((one["u"] - one["exact"]) ** 2 for one in run) / (K * of.S_out),
        **{"total_E": sum(errors), "total_E2": sum(error**2 for error in errors)},
        "Algorithm 3": Fact(True, "line 11, with the error that is put in"),
        **dict.fromkeys(("E E_s^2<=1/(s+1)^2", "E E_s<=1/(s+1)"), Fact(small, f"size = {of.size} or 0")),
    }


in_vectors = t3.vectors_of(iterations, lambda of, at, given: {"w": at["u"], "v": given["other"]})


@family("two groups of nodes", None, in_vectors, **t3.NODES, other=reals(0, 1, low=0.1, high=1, zero=True))
def two_groups(**given: Any) -> dict[str, Any]:
    """Algorithm 3, in which ``u`` is the weight of one group less that of the other.

    ``curvature``: of the losses of the nodes; ``valid``: the curvature of the loss of the center; ``target``: where
    the loss of the center is least; ``start``: u at the start; ``size``: of the errors, over what is allowed;
    ``other``: another u; ``when``: in which iterations there are errors.
    """
    return measured(**given)


#: What is measured in the last iteration alone.
LAST = (
    *("E_s", "err2_s", "moved", "moved2", "station2", "parted2", "other2", "other2_next"),
    *("along_bar", "along_other", "along_grad", "pull", "F_w", "F_w_next"),
)


@family("two groups of nodes, all iterations", None, in_vectors, **two_groups.ranges)
def all_iterations(**given: Any) -> dict[str, Any]:
    """The same, of which all iterations are summed."""
    return summed(measured(**given), LAST)


#: Equalities where nothing is projected, or where the step is as long as the error.
EQUAL = tuple(
    record(claim, families=[two_groups], tight=Sharp())
    for claim in (claims.PS27_A, claims.PS27_B, claims.PS28_A, claims.PS29_B)
)
LINKS = tuple(
    record(claim, families=[two_groups])
    for claim in (claims.PS28_B, claims.PS28_C, claims.PS29_A, claims.PS29_C, claims.STEP)
)


@family(
    "displays that are attained",
    eta_w=reals(1, 2),
    **dict.fromkeys(("E_s", "err2_s", "moved2"), reals(1, 0, zero=True)),
)
def attained(*, eta_w: Number, E_s: Number, err2_s: Number, moved2: Number) -> dict[str, Any]:
    """Numbers for which every display before holds with equality."""
    parted2, fallen = eta_w**2 * err2_s, moved2 / (2 * eta_w) - 2 * E_s
    values = {"parted2": parted2, "station2": 2 * moved2 + 2 * parted2, "moved": 2, "pull": 2 * E_s}
    return {**values, "F_w": fallen, "F_w_next": 0}


PS29_D = record(claims.PS29_D, families=[two_groups, attained])
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

    ``size``: of the errors, over what is allowed; ``share``: what multiplies the largest measure.
    """
    errors = [size / (s + 1) for s in range(S_out)]
    total, squares = sum(errors), sum(error**2 for error in errors)
    admitted = (4 * gap_start / eta_w + 8 * total / eta_w + 2 * squares) / S_out
    return {
        **{"total_E": total, "total_E2": squares, "station_out": share * eta_w**2 * admitted},
        **dict.fromkeys(("E E_s^2<=1/(s+1)^2", "E E_s<=1/(s+1)"), Fact(size <= 1, f"size = {size}")),
    }


PS30_B = record(
    claims.PS30_B,
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


@family("two groups of nodes, in rounds", None, in_vectors, **{**two_groups.ranges, **t3.ROUNDS})
def in_rounds(*, tau_in: int, other: Number, **given: Any) -> dict[str, Any]:
    """:func:`two_groups` until the last iteration, where the accuracy is just reached."""
    found, c, S = summed(measured(other=other, **given), LAST), given["curvature"], given["S_out"]
    said = {**exact(given), **counted(2, S, tau_in, c, c, ENOUGH * c / c), "S_acc": S}
    return {**found, **said, "eps_opt": sqrt(found["station_out"]) / found["eta_w"]}


IN_TIME = t3.in_time(in_rounds, "an objective that is the flatter the more iterations there are", **t3.FLATTER)
THM4_I_CORRECTED, THM4_II_CORRECTED = (
    record(claim, climbs=IN_TIME[tau]) for claim, tau in ((claims.THM4_I_CORRECTED, 1), (claims.THM4_II_CORRECTED, 2))
)
_HERE = t3.JUMPS + "So eta^-1 ||w - Proj(w - eta grad F^)|| is 1/eta = 0.096 at all s."
THM4_I, THM4_II = (
    record(
        claim,
        climbs=[t3.jumping(t3.turning, 2, tau, root=12, l_2=105), *IN_TIME[tau]],
        refuted_by=growing(t3.jumping(t3.alternating, 2, tau), ratios=ratios, by_hand=_HERE),
    )
    for claim, tau, ratios in (
        (claims.THM4_I, 1, ["0.727043", "9.68394", "130.756", "1670.13", "20365.6"]),
        (claims.THM4_II, 2, ["71.3539", "4978.94", "574745.0", "6.88429e+07", "8.06722e+09"]),
    )
)
PS31_A = record(claims.PS31_A, climbs=IN_TIME[1])
PS31_B, PS31_C = (
    record(
        claim,
        refuted_by=example(t3.one_error, order=2, left="1", right=right, by_hand=f"{t3.AT_ONCE}{right}."),
    )
    for claim, right in ((claims.PS31_B, "1/4"), (claims.PS31_C, "1/16"))
)
PS31_B_CORRECTED, PS31_C_CORRECTED = (
    record(claim, families=[t3.one_error]) for claim in (claims.PS31_B_CORRECTED, claims.PS31_C_CORRECTED)
)
PS31_D = record(claims.PS31_D, families=[t3.one_call])
PS31_E = record(
    claims.PS31_E,
    refuted_by=growing(
        t3.LATER,
        ratios=["0.0895458", "0.929287", "9.41188", "96.7086", "973.993"],
        by_hand="""l_1 = mu = 1/200, q = 1/2, tau = 2 and A_1 = A_2 = A_3 = 10^-4/3: 1/gamma_0 is below 1, and M_s =
        (s+1)/100 from s = 100 on. T_s/(tau s) = 3 ln(M_s) (s+1)/s grows like ln s, without limit.""",
    ),
)
PS31_E_CORRECTED = record(
    claims.PS31_E_CORRECTED,
    families=[t3.one_call.narrowed("one call, order 2", order=counts(2, drawn=(2,)), s_out=counts(0, 1, 30, most=100))],
)
PS31_F = record(claims.PS31_F, families=[sums])
