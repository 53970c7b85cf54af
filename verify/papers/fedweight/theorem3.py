"""Theorem 3 on nodes in two groups, whose weights are one number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem3 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import (
    Climb,
    Family,
    choice,
    climb,
    counts,
    example,
    family,
    growing,
    in_floats,
    reals,
    record,
)
from rateproof.verify.form.arithmetic import Number, exp, sqrt
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse
from rateproof.verify.papers.fedweight.lemma4 import longest
from rateproof.verify.spaces.symbolic import symbolic_space

#: What makes an instance, and what the iterations are.
NODES = {
    "K_nodes": counts(4, 16, drawn=(4, 16, 36, 100)),
    "S_out": counts(1, 2, 6, 31, most=30),
    "curvature": reals("1/2", "1/50", low=0.01, high=0.5),
    "valid": reals("1/2", "-1/2", "1/50", low=0.01, high=0.5),
    "target": reals(-1, 0, "1/2", low=0.1, high=1, zero=True),
    "start": reals(1, 0, low=0.1, high=1, zero=True),
    "when": choice("always", "last", "same"),
    "size": reals(1, 0, -1, 2, low=0.1, high=3, zero=True),
}


@dataclass(frozen=True, kw_only=True)
class Groups:
    """K nodes in two groups, and S iterations with errors along the signs of the groups.

    ``L^_k(theta) = c/2 (theta -+ 1)^2``, one sign for each half of the nodes, and ``L^_0(theta) = v/2 (theta - t)^2``
    on [-1, 1], with 1 added where v is negative. So ``F^(w) = v/2 (u - t)^2``, where ``u`` is the weight of one half
    less that of the other, and a step of the weights along the signs is K times as long in u.
    """

    K_nodes: int
    S_out: int
    curvature: Number
    valid: Number
    target: Number
    start: Number
    when: str
    size: Number
    smooth: str = "(12)"

    @property
    def root(self) -> Number:
        """That of K."""
        return sqrt(self.K_nodes + 0 * self.size)

    @property
    def reach(self) -> int:
        """Theta is [-reach, reach]: where Lemma 1 as corrected is used, theta^ = u is to lie inside."""
        return 1 if self.smooth == "(12)" else 2

    @property
    def eta(self) -> Number:
        """The step, for ``l_F = (8 sqrt(K) + 4 K) c`` of (12), or ``27 K c`` of Lemma 1 as corrected."""
        K = self.K_nodes
        return 1 / (3 * self.curvature * (8 * self.root + 4 * K if self.smooth == "(12)" else 27 * K))

    def answers(self) -> dict[str, Any]:
        """Constants, and facts about the losses.

        Raises:
            ValueError: there is no iteration.
        """
        K, c, v, D = self.K_nodes, self.curvature, self.valid, self.reach
        if self.S_out < 1:
            raise ValueError("there is no iteration")
        fits = Fact(abs(v) <= c, f"losses of curvature c at the nodes, |v| <= c; F^ has K |v| = {K} |{v}|, l_F > 4 K c")
        wide = 1 + D
        return {
            **{"l_0": wide * c, "l_1": c, "l_2": 0, "mu_l": c, "eta_w": self.eta, "l_any": 1 / (3 * self.eta)},
            "A1.1 range": Fact(
                wide**2 * c <= 2 and abs(v) * (D + abs(self.target)) ** 2 <= 2, f"c/2 (theta -+ 1)^2 for |theta| <= {D}"
            ),
            **dict.fromkeys(("A1.1 smooth", "A1.2", "A1.3", "F^ smooth", "F^ smooth, with K", "F^ is l-smooth"), fits),
            "F^ convex": Fact(v >= 0, f"the curvature of F^ is K v = {K} {v}"),
            "simplex": Fact(True, "a simplex is closed and convex"),
            "best w^": Fact(True, "the point of [-1, 1] at which v/2 (u - t)^2 is least"),
            "calls": Fact(False, "errors are put in"),
        }

    def loss(self, u: Number) -> Number:
        """``F^``."""
        return self.valid / 2 * (u - self.target) ** 2

    def slope(self, u: Number) -> Number:
        """Its derivative."""
        return self.valid * (u - self.target)

    def within(self, u: Number) -> Number:
        """The projection on [-1, 1]."""
        return min(max(u, -1 + 0 * u), 1 + 0 * u)

    def best(self) -> Number:
        """Where ``F^`` is least."""
        if self.valid >= 0:
            return self.within(self.target)
        return (-1 if self.target >= 0 else 1) + 0 * self.target

    def error(self, s: int, falls: Number) -> Number:
        """``E_s`` with a sign: ``size``, or times what is allowed, in all iterations or in the last one."""
        if self.when == "same":
            return self.size
        return self.size * falls if self.when == "always" or s == self.S_out - 1 else 0 * self.size


def accelerated(of: Groups) -> list[dict[str, Number]]:
    """The iterations of Algorithm 2, in ``u``."""
    u = ag = of.start
    found = []
    for s in range(of.S_out):
        md = (2 * u + s * ag) / (s + 2)
        wrong = of.error(s, 1 / ((s + 2) ** 2 + 0 * of.size))
        pull = of.K_nodes * of.eta * (of.slope(md) + wrong / of.root)
        after, ag_after = of.within(u - (s + 1) * pull / 4), of.within(md - pull)
        found.append({"u": u, "ag": ag, "md": md, "wrong": wrong, "u+": after, "ag+": ag_after})
        u, ag = after, ag_after
    return found


def vectors_of(
    run: Callable[[Groups], list[dict[str, Number]]],
    points: Callable[[Groups, dict[str, Any], dict[str, Any]], dict[str, Any]],
) -> Callable[..., InOutcomes]:
    """The iterations of :class:`Groups` in the vectors of a proof; where nothing is summed, the last of them."""

    def in_vectors(**params: Any) -> InOutcomes:
        given = in_floats(params)
        refuse(given["S_out"], 8)
        of = Groups(**{name: given[name] for name in (*NODES, "smooth") if name in given})
        signs = np.array([1.0, -1.0] * (of.K_nodes // 2))

        def outcomes(setting: Setting) -> Iterator[Outcomes]:
            found = run(of)
            for s, at in enumerate(found):
                if setting.sequences or s == len(found) - 1:
                    made = {name: (1 + u * signs) / of.K_nodes for name, u in points(of, at, given).items()}
                    made["e"] = at["wrong"] * signs / of.K_nodes**0.5
                    term = {p.s: s} if setting.sequences else {}
                    functions = of_nodes(of.valid, of.target, signs)
                    yield Outcomes({COORDINATE: [1.0] * of.K_nodes}, made, functions, lambda *_: set(), term=term)

        return outcomes

    return in_vectors


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


def measured(**given: Any) -> dict[str, Any]:
    """What Algorithm 2 on :class:`Groups` has, with errors of ``size/(s + 2)^2`` along the signs."""
    of = Groups(**given)
    answers, best, run = of.answers(), of.best(), accelerated(of)
    last, errors = run[-1], [abs(at["wrong"]) for at in run]
    near, F_min = abs(last["u+"] - best) / of.root, of.loss(best)
    small, allowed = (all(error <= 1 / ((s + k) ** 2 + 0 * of.size) for s, error in enumerate(errors)) for k in (2, 1))
    return {
        **answers,
        **{"s_out": of.S_out - 1, "S_acc": of.S_out, "E_s": errors[-1], "err2_s": errors[-1] ** 2},
        **{"near": near, "near2_next": near**2, "near2": (last["u"] - best) ** 2 / of.K_nodes},
        "start2": (of.start - best) ** 2 / of.K_nodes,
        **{"F_ag": of.loss(last["ag"]), "F_ag_next": of.loss(last["ag+"]), "F_md": of.loss(last["md"])},
        **{"F_min": F_min, "gap_ag": of.loss(last["ag+"]) - F_min},
        "sum_E": sum(2 * (s + 1) * error for s, error in enumerate(errors)),
        "sum_E2": sum((s + 1) * (s + 2) * error**2 / 4 for s, error in enumerate(errors)),
        "Algorithm 2": Fact(True, "lines 13 and 14, with the error that is put in"),
        **dict.fromkeys(("||w^-w^{s+1}||<=2 for all s", "||w^-w^s||^2<=2"), Fact(True, "on a simplex")),
        "E E_s<=(E E_s^2)^(1/2)": Fact(True, "the errors are not random"),
        **dict.fromkeys(("E E_s^2<=1/(s+2)^4", "(E E_s^2)^(1/2)<=1/(s+2)^2"), Fact(small, f"size = {of.size} or 0")),
        "E E_s^2<=1/(s+1)^4": Fact(allowed, f"size = {of.size}"),
    }


in_vectors = vectors_of(accelerated, lambda of, at, _: {"w": at["u"], "ag": at["ag"], "w^": of.best()})


@family("two groups of nodes, accelerated", None, in_vectors, **NODES)
def two_groups(**given: Any) -> dict[str, Any]:
    """Algorithm 2, in which ``u`` is the weight of one group less that of the other.

    ``curvature``: c, of the losses of the nodes; ``valid``: v, the curvature of the loss of the center; ``target``: t,
    where the loss of the center is least; ``start``: u at the start; ``when``: the errors are made in all iterations,
    in the last one alone, or the same in all; ``size``: of the errors, over what is allowed.
    """
    return measured(**given)


def summed(found: dict[str, Any], last: tuple[str, ...]) -> dict[str, Any]:
    """What is measured of all iterations, not of the last one alone."""
    return {name: x for name, x in found.items() if name not in last}


#: What is measured in the last iteration alone.
LAST = ("s_out", "E_s", "err2_s", "near", "near2", "near2_next", "F_ag", "F_ag_next", "F_md")


@family("two groups of nodes, accelerated, all iterations", None, in_vectors, **NODES)
def all_iterations(**given: Any) -> dict[str, Any]:
    """The same, of which all iterations are summed."""
    return summed(measured(**given), LAST)


#: One iteration on a flat objective, with an error that leads away from the best weights.
AWAY = {"curvature": "1/32", "valid": "1/48", "target": -1, "start": "1/2", "size": -1}
_AWAY = """Four nodes, b = 1, L^_k = (theta -+ 1)^2/64 and L^_0 = (theta + 1)^2/96 on [-1, 1]: l_0 = 1/16, l_1 = mu =
1/32, l_F = 1, eta = 1/3. F^(w) = (u + 1)^2/96 with u = w_1 - w_2 + w_3 - w_4, and w^ is at u = -1. From u = 1/2 the
error -(1, -1, 1, -1)/8, so E_0 = 1/4, leads to w_ag^1 at u = 5/8, F^ = 169/6144, and to w^1 at u = 17/32. """

PS23_A, PS24_A = (
    record(
        claim,
        refuted_by=example(
            two_groups,
            **AWAY,
            left="169/6144",
            right=right,
            by_hand=f"{_AWAY}||w^ - w||^2 grows from 9/16 to (49/64)^2, 24 times the difference is -291/512, and the "
            f"error adds {added} and 1/96.",
        ),
    )
    for claim, right, added in ((claims.PS23_A, "-563/1536", "49/256"), (claims.PS24_A, "-89/1536", "1/2"))
)
#: From the best weights an error leads away, so far that all that is left is its square.
away = two_groups.alone(
    "an error at the best weights",
    **{"curvature": "1/8", "valid": "1/8", "target": 2, "S_out": 1, "when": "same", "size": "9/20"},
)
PS23_A_CORRECTED = record(claims.PS23_A_CORRECTED, families=[two_groups, away])
PS23_B = record(claims.PS23_B, families=[two_groups], spaces=[symbolic_space(claims.PS23_B, metrics=True)])
#: A flat objective that is nowhere 0, with errors that keep the weights far from the best ones, or at these without.
FLAT = {"valid": "1/60", "target": -2}
HELD = {"S_out": 300, "when": "same", "size": "-1/10"}
held = all_iterations.alone("errors that hold the weights, all iterations", **FLAT, **HELD)
PS24_A_CORRECTED = record(
    claims.PS24_A_CORRECTED,
    families=[
        two_groups,
        two_groups.alone("errors that hold the weights", **FLAT, **HELD),
        two_groups.alone("the best weights from the start", **FLAT, S_out=1, start=-1, size=0),
    ],
)
PS24_B = record(claims.PS24_B, families=[all_iterations, held])
THM3_0, THM3_0_LEMMA4 = (record(claim, families=[all_iterations]) for claim in (claims.THM3_0, claims.THM3_0_LEMMA4))


@family(
    "sums of errors",
    S_out=counts(1, 2, 3, 100, most=100),
    eta_w=reals(1, "1/10", 10, low=0.01, high=100),
    size=reals(1, 0, 2, low=0.1, high=3, zero=True),
    share=reals(1, "1/2", 2, low=0.1, high=2),
)
def sums(*, S_out: int, eta_w: Number, size: Number, share: Number) -> dict[str, Any]:
    """The largest accuracy that the sum over the iterations admits, times ``share``, with errors of size/(s + 2)^2.

    ``size``: of the errors, over what is allowed; ``share``: what multiplies the largest accuracy.
    """
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
    """An error whose mean square is ``size/(s + 1)^order``.

    ``size``: the mean square of the error at s = 0; ``order``: the power with which it falls.
    """
    return {"err2_s": size / (s_out + 1) ** order}


#: At the first iteration Lemma 4 gives no more than 1.
AT_ONCE = "At s = 0 an error with E E_0^2 = 1 is what Lemma 4 allows; claimed is at most "
PS26_B = record(
    claims.PS26_B,
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
    """A call of Local-SVRG in iteration s, of which the first digits are given, with A_1 = A_2 = A_3 = A/3.

    ``first``: the first digits of s; ``zeros``: how many zeros follow them; ``A``: the sum of A_1, A_2 and A_3.
    """
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
PS26_F = record(claims.PS26_F, refuted_by=example(constants, C_1="1/2", left="3", right="4", by_hand=BELOW))
PS26_F_CORRECTED = record(claims.PS26_F_CORRECTED, families=[constants])
PS26_D_CORRECTED = record(claims.PS26_D_CORRECTED, families=[one_call])


# --- rounds of communication

#: Rounds of an iteration outside of Local-SVRG.
MORE = 3


def a_call(s: int, order: int, tau_in: int, l_1: Number, mu: Number, A: Number) -> tuple[int, Number]:
    """Iterations and step of a call in iteration s, for q = 1/2 and A_1 = A_2 = A_3 = A."""
    inverse, power = 1 / longest({"l_1": l_1, "mu_l": mu}, tau_in, l_1 / l_1 / 2), index(order)
    if tau_in > 1:
        root = sqrt((1 + (tau_in - 1) + (tau_in - 1) ** 2) * A)
        inverse = max(inverse, (s + 1) ** (power // 2) * root)
    M = float(inverse)
    long = 3 * math.log(M) if tau_in > 1 else math.log((s + 1) ** power * float(A) * M)
    return math.ceil(max(0, M * long / float(mu))), 1 / inverse


def counted(order: int, S_out: int, tau_in: int, l_1: Number, mu: Number, A: Number) -> dict[str, Any]:
    """Rounds of all iterations for q = 1/2 and A_1 = A_2 = A_3 = A."""
    made = [a_call(s, order, tau_in, l_1, mu, A) for s in range(index(S_out))]
    rounds = sum(MORE + 2 * (T // index(tau_in)) for T, _ in made)
    (_, first), (_, last) = made[0], made[-1]
    return {
        **dict.fromkeys(("N_rounds", "N_acc"), rounds),
        **dict.fromkeys(("A_1", "A_2", "A_3"), A),
        **{"c_more": MORE, "M_s": 1 / last, "M_root": 1 / first, "tau_in": tau_in, "q_in": l_1 / l_1 / 2},
        "gamma_in": last,
        "gamma is 1/M_s": Fact(tau_in > 1, "in the last iteration, and so in each"),
    }


#: Hypotheses about the calls, where hypergradients are exact.
_IN_ALL = ("(47)", "T_s, tau>1", *(f"{of}, order {n}" for of in ("M_s", "T_s, tau=1") for n in (2, 4)))
CALLED = ("x0=0", "outer step", "R", "A5 of the losses", *(f"{key} in all iterations" for key in _IN_ALL))
CALLED += ("(47) in all iterations, tau>1",)


def exact(given: dict[str, Any]) -> dict[str, Any]:
    """What is said of the calls of :class:`Groups`, whose errors are put in: there are none."""
    of = Groups(**given)
    known = Fact(of.size == 0, "hypergradients are exact, with the steps and calls of the theorem")
    steep = abs(of.valid) * (of.reach + abs(of.target)) <= (1 + of.reach) * of.curvature
    return {
        **dict.fromkeys(CALLED, known),
        "R_theta": 1 + 0 * of.size,
        "interior of Theta": Fact(of.reach > 1, f"theta^ = u is at most 1, Theta is [-{of.reach}, {of.reach}]"),
        "A1.2 of node 0": Fact(steep, "slopes of the center are at most |v| (D + |t|)"),
    }


#: What rounds are counted for: local steps, the constant in the step of the weights, and nodes with exact calls.
ROUNDS = {
    "tau_in": counts(1, 2, drawn=(1, 2, 4)),
    "smooth": choice("corrected", "(12)"),
    "curvature": reals("1/8", "1/50", low=0.01, high=0.2),
    "valid": reals("1/8", "-1/8", "1/50", low=0.01, high=0.2),
    "size": reals(0, 1, low=0.1, high=3, zero=True),
}
#: More than all constants of Lemma 4 where rounds are counted.
ENOUGH = 10**5


@family("two groups of nodes, accelerated, in rounds", None, in_vectors, **NODES | ROUNDS)
def in_rounds(*, tau_in: int, **given: Any) -> dict[str, Any]:
    """:func:`two_groups` until the last iteration, where the accuracy is just reached."""
    found, c = summed(measured(**given), LAST), given["curvature"]
    said = {**exact(given), **counted(4, given["S_out"], tau_in, c, c, ENOUGH * c / c)}
    return {**found, **said, "eps_opt": found["gap_ag"]}


#: An objective that is the flatter the more iterations there are, so that the accuracy is of the order S^-2.
SOON = [4, 8, 16, 32, 64]
FLATTER = {"valid": [f"1/{S**2}" for S in SOON], "S_out": SOON}


def in_time(family: Family, why: str, **fixed: Any) -> dict[int, list[Climb]]:
    """Climbs by the local steps, with the constant of Lemma 1 as corrected and with (12)."""
    return {
        tau: [
            climb(family, "S -> infinity", f"{why}, {tau} local steps, {smooth}", tau_in=tau, smooth=smooth, **fixed)
            for smooth in ROUNDS["smooth"].corners
        ]
        for tau in (1, 2)
    }


IN_TIME = in_time(in_rounds, "accuracy of the order S^-2", **FLATTER)
THM3_I_CORRECTED, THM3_II_CORRECTED = (
    record(claim, climbs=IN_TIME[tau]) for claim, tau in ((claims.THM3_I_CORRECTED, 1), (claims.THM3_II_CORRECTED, 2))
)
PS26_A = record(claims.PS26_A, climbs=IN_TIME[1])


@family(
    "two groups whose weights alternate",
    S_out=counts(4, 1, most=30),
    tau_in=counts(1, 2, drawn=(1, 2)),
    order=counts(4, 2, drawn=(2, 4)),
    c=reals("1/1000", "1/100", low=0.001, high=0.01),
)
def alternating(*, S_out: int, tau_in: int, order: int, c: Number) -> dict[str, Any]:
    """Algorithms 2 and 3 where the center is so steep that a step leads from one end of the weights to the other.

    Two nodes have ``c/2 ((x - m)^2 + (y + m)^2/2)``, two have x and y exchanged, for ``m = 3/8``; the center has
    ``(1 - x - y)/2`` on ``[-1/2, 1/2]^2``. Where two nodes share all weight ``F^`` is 1/2, and half way it is 3/8.
    A call is gradient descent there, on curvatures of c/2 at least: of how far it starts it keeps a part of at most r.
    As ``|x|, |y| <= 1/2`` and ``h = -(1/2, 1)/c``, entries of the hypergradient are wrong by 4 r at most.

    ``order``: the power with which the errors of the calls fall, 4 in Algorithm 2 and 2 in Algorithm 3; ``c``: the
    curvature of the losses of the nodes.
    """
    eta, gap, A = 1 / (96 * c), (1 + 0 * c) / 8, 1000000 / (3 + 0 * c)
    T, gamma = a_call(0, order, tau_in, c, c / 2, A)
    r = (T + 1) * (1 / (1 - gamma * c / 2) - 1) / (exp(gamma * c / 2 * (T + 1)) - 1)
    far = eta / 4 * (9 / (16 + 0 * c) - 16 * r)
    said = f"T_0 = {T} and r = {float(r):.2g}: eta/4 (9/16 - 16 r) is {float(far):.3g}, and 1 leads from end to end"
    jumps = Fact(far >= 1, said)
    reason = Fact(True, "quadratic losses of curvature c and c/2 at the nodes, slopes below c, and a linear center")
    return {
        **counted(order, S_out, tau_in, c, c / 2, A),
        **{"K_nodes": 4, "l_0": c, "l_1": c, "l_2": 0, "mu_l": c / 2, "eta_w": eta},
        **dict.fromkeys(("A1.1 range", "A1.1 smooth", "A1.2", "A1.3"), reason),
        **{"F^ convex": Fact(True, "x and y are concave in the weight of a group"), "calls": jumps},
        "A1.2 of node 0": Fact(False, "the slope of the center is above 1/2, and l_0 is c"),
        **{"gap_ag": gap, "gap_start": gap, "station_out": 8 * gap, "eps_opt": (gap if order == 4 else 1 / eta) / 2},
    }


@family(
    "many nodes whose weights alternate",
    S_out=counts(4, 1, most=30),
    tau_in=counts(1, 2, drawn=(1, 2)),
    order=counts(4, 2, drawn=(2, 4)),
    root=counts(50, 12, drawn=(50,)),
    l_2=reals(210, 105, low=100, high=300),
)
def turning(*, S_out: int, tau_in: int, order: int, root: int, l_2: Number) -> dict[str, Any]:
    """Algorithms 2 and 3 where the center is as flat as the nodes, and these are many: K is the square of ``root``.

    Nodes have ``|theta|^2/2 + l_2 (x^2 y/2 - y^3/6) -+ x`` for ``|theta| <= 1/(10 l_2)``, one sign for each half of
    them, and the center has ``-y``; 1/2 is added to all. With the weights ``(1 +- u)/K`` theta^ lies on the curve
    ``x + l_2 x y = u``, ``y = -l_2 (x^2 - y^2)/2``. F^ is a function of u, whose slope ``l_2 x/(1 - l_2^2 |theta|^2)``
    grows with u: it is convex, and least at 0. The cap b is such that ``l_2 x = 21/220`` and ``l_2 y = -1/220`` at the
    largest u. A_1, A_2 and A_3 are 10^6 times the constants of Lemma 4, so that errors are at most 1/1000.
    """
    one = l_2 / l_2
    K, mu, l_1, l_0 = root**2, 9 * one / 10, 11 * one / 10, 1 + 21 / (200 * l_2)
    end, slope = 21 * 219 / (220**2 * l_2), 21 * 220 * one / (220**2 - 21**2 - 1)
    steep = 2 * l_0 * l_1 / mu + l_2 * l_0**2 / mu**2
    eta = 1 / (3 * (steep * root * l_0 / mu + K * l_1 * l_0**2 / mu**2))
    most = 135 * 2 * K * (l_0**2 + steep**2) * l_1 * (l_1 / mu + 1) ** 2 * l_0**2 / mu
    far = eta * K * (slope - one / 500) / (4 if order == 4 else 1) / (2 * end)
    said = f"a step is {float(far):.3g} times as long as from end to end, with errors of at most 1/1000"
    gap, station = one / (220 * l_2), 4 * end**2 / K
    reason = Fact(True, "Hessians are 1 and turned by l_2 times theta, so within 9/10 and 11/10; slopes of f are small")
    return {
        **counted(order, S_out, tau_in, l_1, mu, 10**6 * most),
        **{"K_nodes": K, "l_0": l_0, "l_1": l_1, "l_2": l_2, "mu_l": mu, "eta_w": eta},
        **dict.fromkeys(("A1.1 range", "A1.1 smooth", "A1.2", "A1.3"), reason),
        "A1.2 of node 0": Fact(True, "the slope of the center is 1, below l_0"),
        **{"F^ convex": Fact(True, "its slope grows with u"), "calls": Fact(far >= 1, said)},
        **{"gap_ag": gap, "gap_start": gap, "station_out": station},
        "eps_opt": (gap if order == 4 else sqrt(station) / eta) / 2,
    }


#: What both theorems say of :func:`alternating`.
JUMPS = """K = 4, b = 1, m = 3/8, c = 1/1000, |x|, |y| <= 1/2. L_1 = L_3 = c/2 ((x - m)^2 + (y + m)^2/2), L_2 = L_4 with
x and y exchanged, L_0 = (1 - x - y)/2: l_0 = l_1 = c = 2 mu, l_F = 32 c. At w^(0) = (1, 0, 1, 0)/2 theta^ = (m, -m)
and grad F^ = -(0, 1, 0, 1) 3 m/2. As eta 3 m/2 = 5.9, a step leads to (0, 1, 0, 1)/2, and the next one back. Calls err
by 0.004 at most: those of s = 0, the shortest, keep r < 0.001 of how far they start. """
AGAIN = [1, 10, 100, 1000, 10000]


def jumping(of: Family, order: int, tau_in: int, **fixed: Any) -> Climb:
    """More and more iterations with one accuracy, which none of them has."""
    return climb(
        of, "S -> infinity", "no iteration reaches the accuracy", S_out=AGAIN, order=order, tau_in=tau_in, **fixed
    )


_HERE = JUMPS + "F^(w_ag) is 1/2 at all s, and 3/8 for equal weights."
THM3_I, THM3_II = (
    record(
        claim,
        climbs=[jumping(turning, 4, tau), *IN_TIME[tau]],
        refuted_by=growing(jumping(alternating, 4, tau), ratios=ratios, by_hand=_HERE),
    )
    for claim, tau, ratios in (
        (claims.THM3_I, 1, ["51.0075", "848.412", "13241.4", "183291.0", "2.34707e+06"]),
        (claims.THM3_II, 2, ["47930.3", "2.92253e+07", "3.62984e+10", "4.64603e+13", "5.70483e+16"]),
    )
)
