"""Lemma C.1 and Corollary C.1 on bilevel problems of one number x and one number w."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import corollary_c1 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, climb, counts, family, growing, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, geometric, largest, sqrt
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import huber, hyperbola
from rateproof.verify.planted.mutate import Sharp


def bend(t: Number) -> Number:
    """The second derivative of ``sqrt(1 + t^2)``."""
    return 1 / ((1 + t**2) * sqrt(1 + t**2))


@dataclass(frozen=True)
class Bilevel:
    """``g = h w^2/2 - k x w + e r(w + i x)``, ``f = a r(w + j x)``, where ``r(t) = sqrt(1 + t^2) - 1``.

    ``e`` and ``a`` are at least 0; the third derivative of r lies between -1 and 1.
    """

    h: Number
    k: Number
    e: Number
    i: Number
    a: Number
    j: Number

    def g_w(self, x: Number, w: Number) -> Number:
        """``grad_w g``."""
        return self.h * w - self.k * x + hyperbola(self.e).slope(w + self.i * x)

    def g_ww(self, x: Number, w: Number) -> Number:
        """``grad_ww g``."""
        return self.h + self.e * bend(w + self.i * x)

    def g_xw(self, x: Number, w: Number) -> Number:
        """``grad_xw g``."""
        return self.i * self.e * bend(w + self.i * x) - self.k

    def f_w(self, x: Number, w: Number) -> Number:
        """``grad_w f``."""
        return hyperbola(self.a).slope(w + self.j * x)

    def f_x(self, x: Number, w: Number) -> Number:
        """``grad_x f``."""
        return self.j * self.f_w(x, w)

    def solution(self, s: Number) -> tuple[Number, Number, Number]:
        """``(x, w*(x), v*(x))`` of the x at which ``w*(x) + i x = s``."""
        x = (self.h * s + hyperbola(self.e).slope(s)) / (self.k + self.h * self.i)
        w = s - self.i * x
        return x, w, self.f_w(x, w) / self.g_ww(x, w)

    def turn(self, x: Number, w: Number) -> Number:
        """The derivative of ``w*``."""
        return -self.g_xw(x, w) / self.g_ww(x, w)

    def S(self, x: Number, w: Number, v: Number) -> tuple[Number, Number]:
        """The map of the lower level in (2)."""
        return self.g_w(x, w), self.g_ww(x, w) * v - self.f_w(x, w)

    def P(self, x: Number, w: Number, v: Number) -> Number:
        """The map of the upper level."""
        return self.f_x(x, w) - self.g_xw(x, w) * v

    def right_side(self, x: Number, w: Number, v: Number) -> Number:
        """``grad_ww g`` times the derivative of ``v*``."""
        s, moves = w + self.i * x, self.turn(x, w)
        third = -3 * s * bend(s) / (1 + s**2)
        return self.a * bend(w + self.j * x) * (self.j + moves) - self.e * third * (self.i + moves) * v

    def answers(self, V: Number) -> dict[str, Any]:
        """Constants of the problem, and facts."""
        none, i, j = 0 * self.h, abs(self.i), abs(self.j)
        r = self.a * abs(self.j + self.k / self.h)
        known = "it is twice differentiable, and the derivative of its curvature is bounded"
        return {
            "lam_1": self.h,
            "L_gw": self.h + self.e,
            "L_xw": largest(abs(self.k), abs(self.i * self.e - self.k)),
            "l_ww": self.e * (1 + i),
            "l_xw": self.e * (1 + i) * i,
            "l_w": self.a,
            "l_fw": self.a,
            "lp_fw": self.a * j,
            "l_fx": self.a * j,
            "l_xx": self.a * j**2,
            "V_v": V,
            # of a quadratic g
            "r_most": r,
            "l_r": r * abs(self.j + self.k / self.h),
            "var_p": none,
            "var_s": none,
            "sigma_p": none,
            "sigma_n": none,
            "M": 1,
            **{key: Fact(True, f"g: {known}") for key in ("D1", "D2")},
            "D3": Fact(True, f"f: {known}"),
            "map (2)": Fact(True, "the maps are those of (2)"),
            "mean": Fact(True, "there is one client"),
            "smooth_x": Fact(True, "f is smooth"),
            "v<=V": Fact(True, "V is the larger of both"),
            "D-mean": Fact(True, "samples are multiples by 1/4 and 7/4, and the constants 5/4 times as large"),
            "r_u": Fact(self.e == 0, "g is quadratic" if self.e == 0 else "g is not quadratic"),
        }


#: ``x``, ``w`` and ``v`` have a coordinate each, and so has the image of a map: that of what it is added to.
PLACES = {"x": 0, "w": 1, "v": 2}
#: The maps of the settings, by the place of their images; all are maps of (x, w, v).
MAPS: dict[str, tuple[str, Callable[[Bilevel, float, float, float], float]]] = {
    "grad_w g": ("w", lambda b, x, w, v: b.g_w(x, w)),
    "Hess g": ("v", lambda b, x, w, v: b.g_ww(x, w) * v),
    "grad_xw g": ("x", lambda b, x, w, v: b.g_xw(x, w) * v),
    "grad_w f": ("v", lambda b, x, w, v: b.f_w(x, w)),
    "grad_x f": ("x", lambda b, x, w, v: b.f_x(x, w)),
    # the right side of the system that the derivative of w* solves
    "grad_xw g u": ("v", lambda b, x, w, v: -b.g_xw(x, w)),
}


def in_places(
    problem: Bilevel, made: Mapping[str, float], given: Mapping[str, float] | None = None, *, sampled: bool = False
) -> InOutcomes:
    """Points, and the maps of a problem at them; ``given`` is what a setting does not name among x, w and v."""
    axes: dict[Axis, Any] = {COORDINATE: [1.0] * 3} | ({("xi",): (0.5, 0.5)} if sampled else {})
    layout = Outcomes(axes, {}, {}, words(axes, "xi"))

    def along(place: str, size: float) -> Grid:
        return layout.along(COORDINATE, [size * (other == place) for other in PLACES])

    def of(name: str) -> Callable[[Grid], tuple[Grid, None]]:
        place, value = MAPS[max((known for known in MAPS if name.startswith(known)), key=len)]
        times = layout.along(("xi",), [7 / 4, 1 / 4]) if sampled else np.ones(1)

        def at(z: Grid) -> tuple[Grid, None]:
            here = [
                float(x) + (given or {}).get(p, 0.0) for x, p in zip(np.ravel(z + along("x", 0.0)), PLACES, strict=True)
            ]
            return along(place, value(problem, *here)) * times, None

        return at

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        maps = {name: of(name) for name in setting.functions if name != "r_u"}
        blocks = {place: [i] for place, i in PLACES.items()}
        yield replace(layout, made={n: along(PLACE_OF[n], x) for n, x in made.items()}, at=maps, blocks=blocks)

    return outcomes


#: Where the vectors of the settings lie.
PLACE_OF = {"x": "x", "xb": "x", "w": "w", "wb": "w", "v": "v", "vb": "v", "y": "v", "yb": "v", "r": "v", "rb": "v"}
PROBLEM = {
    "h": reals(1, 2),
    "k": reals(1, 0.5, 10),
    "e": reals(0, 1, 0.1, 4, zero=True),
    "i": reals(0, 1, zero=True),
    "a": reals(1, 0, 4, zero=True),
    "j": reals(0, 1, -2, zero=True),
}


def problem_of(p: Mapping[str, Any]) -> Bilevel:
    """The problem of some parameters."""
    return Bilevel(**{name: p[name] for name in PROBLEM})


def solutions_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`at_solutions` as vectors."""
    p = in_floats(params)
    b = problem_of(p)
    here, there = ({"x": x, "w": w, "v": v} for x, w, v in (b.solution(p["s"]), b.solution(p["sb"])))

    def of(setting: Setting) -> Iterator[Outcomes]:
        made = {n: here[n] for n in "xw"} | {f"{n}b": there[n] for n in "xw"}
        for end, at in (("", here), ("b", there)):
            if "grad_xw g u" in setting.functions:
                made[f"y{end}"] = b.turn(at["x"], at["w"])
            elif "r_u" in setting.functions:
                made[f"r{end}"] = b.right_side(**at)
                made[f"y{end}"] = made[f"r{end}"] / b.g_ww(at["x"], at["w"])
            else:
                made[f"y{end}"] = at["v"]
        return in_places(b, made)(setting)

    return of


@family(
    "the lower solution at two points",
    None,
    solutions_in_vectors,
    s=reals(1, 0, 0.75, -2, zero=True),
    sb=reals(0, 2, -0.75, zero=True),
    **PROBLEM,
)
def at_solutions(*, s: Number, sb: Number, **given: Number) -> dict[str, Any]:
    """``w* + i x`` is s at x and sb at xb."""
    b = Bilevel(**given)
    (x, w, v), (xb, wb, vb) = here, there = b.solution(s), b.solution(sb)
    slopes = [b.right_side(*at) / b.g_ww(*at[:2]) for at in (here, there)]
    return {
        **b.answers(largest(abs(v), abs(vb))),
        "dx2": (x - xb) ** 2,
        "dw2": (w - wb) ** 2,
        "dv2": (v - vb) ** 2,
        "dWu2": (b.turn(x, w) - b.turn(xb, wb)) ** 2,
        "dvd": abs(slopes[0] - slopes[1]),
        "dPs2": (b.P(*here) - b.P(*there)) ** 2,
        "degenerate": s == sb,
    }


def around_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`around_solution` as vectors."""
    p = in_floats(params)
    b = problem_of(p)
    x, wb, vb = b.solution(p["s"])
    w, v = wb + p["dw"], vb + p["dv"]
    points = {"w": w, "wb": wb, "v": v, "vb": vb}
    returned = {"ex": ("x", b.f_x(x, wb)), "gv": ("x", b.g_xw(x, wb) * vb), "ew": ("w", p["dw"]), "ev": ("v", p["dv"])}

    def of(setting: Setting) -> Iterator[Outcomes]:
        if "ex" not in setting.names:
            yield from in_places(b, points, {"x": x})(setting)
            return
        for one in in_places(b, {})(setting):
            made = {
                n: one.along(COORDINATE, [size * (p == place) for p in PLACES]) for n, (place, size) in returned.items()
            }
            yield replace(one, made=made)

    return of


@family(
    "near the lower solution",
    None,
    around_in_vectors,
    s=reals(1, 0, -2, zero=True),
    dw=reals(1, 0, -0.5, zero=True),
    dv=reals(1, 0, -3, zero=True),
    share=reals(1, 0.1, 2),
    **PROBLEM,
)
def around_solution(*, s: Number, dw: Number, dv: Number, share: Number, **given: Number) -> dict[str, Any]:
    """``z = z* + (dw, dv)`` at one x; a run returns it. The weight c is ``share`` of the largest one."""
    b = Bilevel(**given)
    x, wb, vb = b.solution(s)
    w, v = wb + dw, vb + dv
    S_w, S_v = b.S(x, w, v)
    out = b.answers(largest(abs(v), abs(vb)))
    pulled = 2 * (out["l_fw"] ** 2 + (out["l_ww"] * out["l_w"] / b.h) ** 2)
    c_v = share * b.h**2 / pulled if b.a > 0 else share
    return {
        **out,
        "c_v": c_v,
        "dw2": dw**2,
        "dv2": dv**2,
        "dSw2": (S_w - b.g_w(x, wb)) ** 2,
        "dSv2": (S_v - b.S(x, w, vb)[1]) ** 2,
        "pull_c": dw * S_w + c_v * dv * S_v,
        "gap_c": dw**2 + c_v * dv**2,
        # by the chain rule along w*
        "gf2_out": (b.f_x(x, wb) + b.turn(x, wb) * b.f_w(x, wb)) ** 2,
        "gapw2_out": dw**2,
        "P2_out": b.P(x, wb, vb) ** 2,
        "gap2_out": dw**2 + dv**2,
        "degenerate": dw == 0 and dv == 0,
    }


def points_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`at_points` as vectors."""
    p = in_floats(params)
    b = problem_of(p)
    made = {name: p[name] for name in ("x", "xb", "w", "wb", "v", "vb")}
    if p["law"] == "any":
        return in_places(b, made)
    return in_places(b, {n: p[n] for n in ("x", "xb")}, {n: p[n] for n in "wv"}, sampled=True)


@family(
    "the maps at two points",
    None,
    points_in_vectors,
    law=choice("any", "samples at one z"),
    x=reals(1, 0, 2, zero=True),
    xb=reals(0, -1, zero=True),
    w=reals(0, 0.75, zero=True),
    wb=reals(0, -1, zero=True),
    v=reals(1, 0, 10, zero=True),
    vb=reals(1, 0, -10, zero=True),
    **PROBLEM,
)
def at_points(
    *, law: str, x: Number, xb: Number, w: Number, wb: Number, v: Number, vb: Number, **given: Number
) -> dict[str, Any]:
    """Any points; samples are ``1 + 3 xi/4`` times the maps, ``xi = +-1``, whose mean square is ``(5/4)^2``.

    Raises:
        ValueError: samples at two z.
    """
    b = Bilevel(**given)
    if law != "any" and (w, v) != (wb, vb):
        raise ValueError("samples are taken at one z")
    S, Sb = b.S(x, w, v), b.S(xb, wb, vb)
    out = b.answers(largest(abs(v), abs(vb)))
    change, changes = b.P(x, w, v) - b.P(xb, wb, vb), [here - there for here, there in zip(S, Sb, strict=True)]
    size = sum(one**2 for one in changes)
    if law != "any":
        out |= {name: 5 * out[name] / 4 for name in ("l_xx", "l_xw", "L_xw", "l_ww", "lp_fw")}
        spread = [(3 * value / 4) ** 2 for value in (b.P(x, w, v), *S)]
        out |= {
            "var_p": spread[0],
            "var_s": spread[1] + spread[2],
            "sigma_p": sqrt(spread[0]),
            "sigma_n": sqrt(spread[1] + spread[2]),
            "dP_ms": 25 * change**2 / 16,
            "dS_ms": 25 * size / 16,
        }
    return {
        **out,
        "dx2": (x - xb) ** 2,
        "dw2": (w - wb) ** 2,
        "dv2": (v - vb) ** 2,
        "dP2": change**2,
        "dSmw2": changes[0] ** 2,
        "dSmv2": changes[1] ** 2,
        "degenerate": x == xb and w == wb and v == vb,
    }


def maps(which: str) -> dict[str, Fact]:
    """Of which maps an instance speaks: those of (10), those of (2), or both, where these are the same."""
    same = "grad_x f = grad_w f, so that (10) and (2) are the same"
    return {
        f"map {one}": Fact(which in (one, "both"), same if which == "both" else f"the maps are those of {which}")
        for one in ("(10)", "(2)")
    }


def assumed(like: Number, why: str, **numbers: Number) -> dict[str, Any]:
    """What instances with exact oracles answer for the constants that a claim leaves open, and for D and E."""
    one = 1 + 0 * like
    free = ("lam_1", "L_z1", "L_dz1", "L_p", "L_Z", "L_s1", "Lb_p", "Lb_s")
    zero = dict.fromkeys(("var_p", "var_s", "sigma_p", "sigma_n"), 0 * one)
    return dict.fromkeys(free, one) | zero | dict.fromkeys(("D1", "D2", "D3"), Fact(True, why)) | {"M": 1, **numbers}


@family("f = x^n/n + r(w)", which=choice("(10)", "(2)"), power=counts(4, 2, most=4, drawn=(2, 4)), x=reals(1, 10))
def powers(*, which: str, power: int, x: Number) -> dict[str, Any]:
    """``g = (w - x)^2/2``, so that ``w* = x``, at x and at 0; ``v*`` is grad_x f for (10a), and ``r'(x)`` for (2)."""
    slope = x ** (power - 1)
    v = slope if which == "(10)" else hyperbola(1 + 0 * x).slope(x)
    why = "grad_w f = r'(w) is bounded and 1-Lipschitz, and grad_x f does not depend on w"
    constants = {"L_xw": 1, "l_xw": 0, "l_ww": 0, "l_fx": 0, "l_fw": 1, "lp_fw": 0, "l_w": 1, "l_xx": 1}
    return {
        **assumed(x, why, **constants),
        **maps(which),
        "smooth_x": Fact(power == 2, f"grad_x f = x^{power - 1}"),
        "dx2": x**2,
        "dv2": v**2,
        "dPs2": (slope + v) ** 2,
    }


@family("f = 0, g = w^2/2 + r(x + w)", v=reals(1, 10))
def long_v(*, v: Number) -> dict[str, Any]:
    """At w = 0, and x = 0 or 3/4, where r'' is 1 or 64/125."""
    change = (1 - bend(3 * (1 + 0 * v) / 4)) * v
    slope = hyperbola(1 + 0 * v).slope(3 * (1 + 0 * v) / 4)
    why = "the derivatives of g of second order lie from 0 to 2, and those of third order from -1 to 1"
    return {
        **assumed(v, why),
        **maps("both"),
        "dx": 3 * (1 + 0 * v) / 4,
        "dx2": 9 * (1 + 0 * v) / 16,
        "dP2": change**2,
        "dS2": change**2 + slope**2,
        "dP_mean": abs(change),
        "dS_mean": sqrt(change**2 + slope**2),
    }


@family("f = Huber function of x + w, g = w^2/2", apart=reals(1, 0.1))
def at_a_kink(*, apart: Number) -> dict[str, Any]:
    """``w* = 0`` and ``v*(x) = min(x, 1)`` around x = 1, whose derivative is 1 before and 0 after."""
    f = huber(1 + 0 * apart, 1 + 0 * apart)
    why = f"{f.name}, of x + w: its gradients are bounded by 1 and 1-Lipschitz"
    return {**assumed(apart, why), **maps("both"), "dx": apart, "dvd": 1 + 0 * apart}


@family("two clients without f", client=choice("1", "2"), t=reals(1, 0.1))
def two_minimisers(*, client: str, t: Number) -> dict[str, Any]:
    """``g^1 = (w + 1)^2/2`` and ``g^2 = (w - 1)^2/2``, f = 0, at ``z = (t, 0)``; ``z* = 0``."""
    pull = t * (t + 1) if client == "1" else t * (t - 1)
    why = "both g^m are quadratic of curvature 1, and f = 0"
    return {**assumed(t, why, M=2), **maps("both"), "pull_m": pull, "gap_z": t**2}


@family("f = 4 r(x + w), g = w^2/2", t=reals(1, 0.1))
def one_client(*, t: Number) -> dict[str, Any]:
    """``S = (w, v - 4 r'(w))`` at x = 0, at ``z = (t, t)``; ``z* = 0``."""
    f = hyperbola(4 + 0 * t)
    pull = t**2 + t * (t - f.slope(t))
    why = f"{f.name}, of x + w: its gradients are bounded by 4 and 4-Lipschitz"
    return {**assumed(t, why), **maps("both"), "pull_m": pull, "gap_z": 2 * t**2}


def run(*, R_rounds: int, K: int, batch: str, like: Number, why: str, **numbers: Number) -> dict[str, Any]:
    """What a run of FedBLO on one client answers for steps, samples and hypotheses; nothing is heterogeneous."""
    one = 1 + 0 * like
    b_0 = 1 if batch == "one" else K * R_rounds
    known = {"tau_het": 0 * one, "c_rho": one, "c_alpha": one, "c_beta": one, "rho_m": one / R_rounds, "beta_n": one}
    facts = {
        "F": "there is one client",
        "largest": "sigma is sigma_0, and tau is 0",
        "fedmsa": "all rounds are those of Algorithm 1",
        "smooth_x": why,
        "D-mean": "noise, where there is any, is the same at all points",
        "K=1 at first": "every round has one local step, or nothing moves",
        "K at first": "every round has one local step, or nothing moves",
        "f_below": "f is at least 0",
    }
    return {
        **assumed(like, why),
        **{key: Fact(True, said) for key, said in facts.items()},
        **known,
        "R_rounds": R_rounds,
        "K": K,
        "b_0": b_0,
        "b_batch": 1,
        "sigma_max": 0 * one,
        **numbers,
    }


@family(
    "FedBLO with (10a) where f does not depend on x",
    R_rounds=counts(1, 64),
    K=counts(1, 5),
    batch=choice("one", "K R"),
    alpha_x=reals(1, 0.1),
    start=reals("3/4", 2),
)
def at_rest(*, R_rounds: int, K: int, batch: str, alpha_x: Number, start: Number) -> dict[str, Any]:
    """``f = r(w)``, ``g = (w - x)^2/2``, from x = w = start and v = 0, where all directions are 0."""
    slope = hyperbola(1 + 0 * start).slope(start)
    why = "f = sqrt(1 + w^2) has a slope of at most 1, which is 1-Lipschitz, and g is quadratic"
    return {
        **run(R_rounds=R_rounds, K=K, batch=batch, like=start, why=why, alpha_x=alpha_x),
        **maps("(10)"),
        "gf2_out": slope**2,
        "gapw2_out": 0 * start,
        "S-proof": Fact(True, "alpha, beta and rho may be any"),
    }


@family(
    "FedBLO where f = x^2/2",
    R_rounds=counts(1, 64),
    noise=reals(1, 0, zero=True),
    batch=choice("one", "K R"),
    alpha_R=reals(1, zero=True),
    start=reals(0, 1, zero=True),
)
def noisy(*, R_rounds: int, noise: Number, batch: str, alpha_R: Number, start: Number) -> dict[str, Any]:
    """``p = x + noise xi``, ``xi = +-1``, ``g = w^2/2`` from w = v = 0; K = 1, rho = 1/R.

    With noise the step is 1, so that ``x_{r+1}`` is minus the error of ``h_r``, ``(1 - rho)`` times the last one and
    ``rho noise xi_r``. Without noise the step is ``alpha_R/R``.

    Raises:
        ValueError: there is noise, and more than one sample or a step that is not 1.
    """
    one = 1 + 0 * start
    rho = one / R_rounds
    if noise != 0 and (batch != "one" or alpha_R != 1 or start != 0):
        raise ValueError("the run with noise is that with single samples, from 0")
    if noise != 0:
        q = (1 - rho) ** 2
        # E x_{r+1}^2 = noise^2 (q^r + rho^2 (1 + q + ... + q^(r-1))); of x_0, ..., x_{R-1} the first is 0
        last, all_ = rho / (2 - rho), geometric(q, R_rounds - 1)
        mean = noise**2 * (last * (R_rounds - 1) + (1 - last) * all_) / R_rounds
        alpha = one
    else:
        alpha = alpha_R / R_rounds
        mean = start**2 * geometric((1 - alpha) ** 2, R_rounds) / R_rounds
    why = "f = x^2/2 does not depend on w, and g = w^2/2"
    return {
        **run(R_rounds=R_rounds, K=1, batch=batch, like=start, why=why, alpha_x=alpha, sigma_max=noise, sigma_p=noise),
        **maps("(2)"),
        "var_p": noise**2,
        "gf2_out": mean,
        "gapw2_out": 0 * start,
    }


@family("FedBLO that gets nowhere", which=choice("f = x", "R = 1"), R_rounds=counts(1, 64), K=counts(1, 64))
def nowhere(*, which: str, R_rounds: int, K: int) -> dict[str, Any]:
    """``g = w^2/2`` from w = v = 0, one client without noise, sigma = 1: f = x with K = 1 and ``alpha = rho = 1``; or
    ``f = x^2/2`` from x = 1, where the only round has one step and returns x_0, with ``alpha = K^(-1/2)``.

    Raises:
        ValueError: K or R is more than 1 where it should not be.
    """
    slope = which == "f = x"
    if (K if slope else R_rounds) != 1:
        raise ValueError("either K or R is 1")
    one = sqrt(K) / sqrt(K)
    why = f"{'f = x' if slope else 'f = x^2/2'} does not depend on w, and g = w^2/2"
    steps = {"alpha_x": 1 / sqrt(K), "beta_n": 1 / (2 * sqrt(K)), "rho_m": one, "sigma_max": one, "sigma_p": one}
    return {
        **run(R_rounds=R_rounds, K=K, batch="K R", like=one, why=why, **steps),
        **maps("(2)"),
        "gf2_out": one,
        "gapw2_out": 0 * one,
        "f_below": Fact(not slope, why),
        "K at first": Fact(K == 1, "the first round has one step"),
        "S-proof": Fact(True, "rho_2 is at most 1, and alpha the least of the four with L_h = Lb_p = 1"),
    }


UP = [100**k for k in range(1, 6)]
DOWN = [f"1/{20**k}" for k in range(1, 6)]
CUBIC = climb(powers, "x -> infinity", "grad_x f = x^3", x=UP)
STRAIGHT = climb(powers, "x -> infinity", "v* is bounded", which="(2)", x=UP)
SMOOTH = climb(powers, "x -> infinity, f = x^2/2 + r(w)", "v* is bounded", which="(2)", power=2, x=UP)
LONG = climb(long_v, "||v|| -> infinity", "second derivatives times v", v=UP)
KINK = climb(at_a_kink, "x - xb -> 0", "the derivative of v* jumps by 1", apart=DOWN)
AHEAD = climb(two_minimisers, "z -> z*", "S^m(x, z*) = 1", t=DOWN)
BEHIND = climb(two_minimisers, "z -> z*", "S^m(x, z*) = -1", client="2", t=DOWN)
ALONE = climb(one_client, "z -> z*", "v is pulled by 4 w", t=DOWN)

ROUNDS = [64**k for k in range(1, 6)]
REST = climb(at_rest, "R -> infinity", "x, w and v stay where they are", R_rounds=ROUNDS)
RESTED = climb(at_rest, "R -> infinity, b_0 = K R", "x, w and v stay where they are", R_rounds=ROUNDS, batch="K R")
FIRST = climb(noisy, "R -> infinity", "the noise of the first sample stays", R_rounds=ROUNDS)
SLOW = climb(
    noisy,
    "R -> infinity, alpha = 1/R",
    "x goes R alpha times as far as its gradient",
    R_rounds=ROUNDS,
    noise=0,
    batch="K R",
    start=1,
)
SLOPE = climb(nowhere, "R -> infinity, f = x", "grad f is 1 everywhere", R_rounds=ROUNDS)
ROUND = climb(nowhere, "K -> infinity, R = 1", "the first round has one step", which="R = 1", R_rounds=1, K=ROUNDS)

A1 = record(claims.A1, families=[around_solution])
A2_W = record(claims.A2_W, families=[at_solutions], tight=Sharp())
A2_DW = record(claims.A2_DW, families=[at_solutions])
A2_V = record(
    claims.A2_V,
    climbs=[STRAIGHT],
    refuted_by=growing(
        CUBIC,
        ratios=["1e8", "1e16", "1e24", "1e32", "1e40"],
        by_hand="""f = x^4/4 + sqrt(1 + w^2) and g = (w - x)^2/2. Here grad_w f is bounded and 1-Lipschitz, grad_x f =
        x^3 does not depend on w, so D1 to D3 hold. With w*(x) = x and grad_ww g = 1 the second block of (10a) is v -
        x^3: v*(x) = x^3, v*(0) = 0. Then ||v*(x) - v*(0)||^2 = x^6 is x^4 times x^2.""",
    ),
)
A2_V_CORRECTED = record(claims.A2_V_CORRECTED, families=[at_solutions])
A2_DV = record(
    claims.A2_DV,
    refuted_by=growing(
        KINK,
        ratios=["20", "400", "8000", "1.6e5", "3.2e6"],
        by_hand="""g = w^2/2 and f the Huber function of x + w: (x + w)^2/2 up to |x + w| = 1, then |x + w| - 1/2. Its
        gradients in x and w are the same, bounded by 1 and 1-Lipschitz. Here w* = 0, and v*(x) = min(x, 1) for x >
        0 has the derivative 1 before x = 1 and 0 after it: a change by 1 over any distance.""",
    ),
)
A2_DV_CORRECTED = record(claims.A2_DV_CORRECTED, families=[at_solutions])
A3_P = record(
    claims.A3_P,
    climbs=[STRAIGHT, SMOOTH],
    refuted_by=growing(
        CUBIC,
        ratios=["4e8", "4e16", "4e24", "4e32", "4e40"],
        by_hand="""f = x^4/4 + sqrt(1 + w^2) and g = (w - x)^2/2, as for v*: w* = x and grad_xw g = -1. So P(x) =
        x^3 + v*, which is 2 x^3 for (10) and x^3 + x/sqrt(1 + x^2) for (2). P(0) = 0, and P(x)^2 = 4 x^6 is 4 x^4
        times x^2.""",
    ),
)
A3_P_CORRECTED = record(claims.A3_P_CORRECTED, families=[at_solutions])
A3_PZ = record(
    claims.A3_PZ,
    refuted_by=growing(
        LONG,
        ratios=["4233.67", "4.23367e7", "4.23367e11", "4.23367e15", "4.23367e19"],
        by_hand="""f = 0 and g = w^2/2 + r(x + w), r(t) = sqrt(1 + t^2): 1 <= grad_ww g <= 2, 0 <= grad_xw g <= 1,
        and third derivatives are bounded by 1. At w = 0, grad_xw g = r''(x) is 1 at x = 0 and (4/5)^3 = 64/125 at x
        = 3/4. P = -r''(x) v differs by (61/125) v, whose square is (244/375)^2 v^2 times (3/4)^2.""",
    ),
)
A3_PZ_CORRECTED = record(claims.A3_PZ_CORRECTED, families=[at_points])
A3_S = record(
    claims.A3_S,
    refuted_by=growing(
        LONG,
        ratios=["4234.31", "4.23367e7", "4.23367e11", "4.23367e15", "4.23367e19"],
        by_hand="""f = 0 and g = w^2/2 + r(x + w), as for P. At w = 0, S = (r'(x), (1 + r''(x)) v), where r'' is 1
        at x = 0 and 64/125 at x = 3/4, and r' is 0 and 3/5. The square of the change is (61/125)^2 v^2 + 9/25.""",
    ),
)
A3_S_CORRECTED = record(claims.A3_S_CORRECTED, families=[at_points])
A4 = record(
    claims.A4,
    refuted_by=growing(
        LONG,
        ratios=["65.0716", "6506.67", "6.50667e5", "6.50667e7", "6.50667e9"],
        by_hand="""As for A3, f = 0 and g = w^2/2 + r(x + w), with samples that are exact: between x = 0 and x =
        3/4, at w = 0, s and p change by (61/125) v and more.""",
    ),
)
A4_CORRECTED = record(claims.A4_CORRECTED, families=[at_points])
A5 = record(
    claims.A5,
    climbs=[BEHIND, ALONE],
    refuted_by=growing(
        AHEAD,
        ratios=["21", "401", "8001", "1.60001e5", "3.2e6"],
        by_hand="""g^1 = (w + 1)^2/2, g^2 = (w - 1)^2/2, f = 0: g is least at w* = 0, and v* = 0. At z = (t, 0), S^1
        = (t + 1, 0) and <z - z*, S^1> = t^2 + t. No lambda makes this at most lambda t^2 for all t. With >=
        instead, S^2 = (t - 1, 0) gives t^2 - t < 0 for t < 1.""",
    ),
)
A5_CORRECTED = record(claims.A5_CORRECTED, families=[around_solution])
B = record(claims.B, families=[at_points], tight=Sharp())
CORC1 = record(
    claims.CORC1,
    climbs=[RESTED, FIRST, SLOW, SLOPE, ROUND],
    refuted_by=growing(
        REST,
        ratios=["23.04", "1474.56", "94371.8", "6.03980e6", "3.86547e8"],
        by_hand="""One client, exact oracles: f = sqrt(1 + w^2), g = (w - x)^2/2, from x = w = 3/4, v = 0. (10a) has
        S = (w - x, v - grad_x f) = (0, v) = 0, and P = grad_x f + v = 0: nothing ever moves, whatever alpha, beta,
        rho and K. But f(x) = sqrt(1 + x^2) has the slope 3/5 there. The metric is 9/25; tau = sigma = 0, so 1/R is
        claimed, for K = 1.""",
    ),
)
CORC1_CORRECTED = record(claims.CORC1_CORRECTED, families=[around_solution])
