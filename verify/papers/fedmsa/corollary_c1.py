"""Lemma C.1 and Corollary C.1 on bilevel problems of one number x and one number w.

What the parameters of its families stand for: ``h``, ``k``, ``e``, ``i``: coefficients of g = h w^2/2 - k x w + e r(w +
i x) with r(t) = sqrt(1 + t^2) - 1; ``a``, ``j``, ``m``, ``q``: coefficients of f = a r(w + j x) + m w - q x^2/2 with
r(t) = sqrt(1 + t^2) - 1; ``dw``: w - w^*; ``dv``: v - v^*; ``share``: the weight c as a multiple of
the largest one; ``ratio``: theta as a multiple of the least one; ``more``: Delta as a multiple of the least one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import corollary_c1 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, climb, counts, family, growing, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, around, largest, sqrt
from rateproof.verify.form.family import Family, Range
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes, each
from rateproof.verify.form.parts import Loss, huber, hyperbola
from rateproof.verify.papers.fedmsa import rates
from rateproof.verify.papers.fedmsa.one_round import Method, Problem, facts, in_vectors, means
from rateproof.verify.papers.fedmsa.rates import answered, tuned, with_steps
from rateproof.verify.papers.fedmsa.runs import CONSTANTS, OF_FEDBLO, answers
from rateproof.verify.papers.fedmsa.theorem31 import NO_STEP_KINDLY, QUIET, SAMPLE_MEAN, SLOPE, SMALL
from rateproof.verify.planted.mutate import Sharp


def bend(t: Number) -> Number:
    """The second derivative of ``sqrt(1 + t^2)``."""
    return 1 / ((1 + t**2) * sqrt(1 + t**2))


@dataclass(frozen=True)
class Bilevel:
    """``g = h w^2/2 - k x w + e r(w + i x)``, ``f = a r(w + j x) + m w - q x^2/2``, where ``r(t) = sqrt(1 + t^2) - 1``.

    ``e``, ``a`` and ``q`` are at least 0; the third derivative of r lies between -1 and 1.
    """

    h: Number
    k: Number
    e: Number
    i: Number
    a: Number
    j: Number
    m: Number
    q: Number

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
        return hyperbola(self.a).slope(w + self.j * x) + self.m

    def f_x(self, x: Number, w: Number) -> Number:
        """``grad_x f``."""
        return self.j * (self.f_w(x, w) - self.m) - self.q * x

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

    def f_turn(self, x: Number, w: Number, d: Number) -> Number:
        """The derivative of ``grad_w f`` along ``(1, d)``."""
        return self.a * bend(w + self.j * x) * (self.j + d)

    def g_turn(self, x: Number, w: Number, d: Number) -> Number:
        """The derivative of ``grad_ww g`` along ``(1, d)``."""
        s = w + self.i * x
        return -3 * self.e * s * bend(s) / (1 + s**2) * (self.i + d)

    def v_turn(self, x: Number, w: Number, v: Number) -> Number:
        """The derivative of ``v*``."""
        d = self.turn(x, w)
        return (self.f_turn(x, w, d) - self.g_turn(x, w, d) * v) / self.g_ww(x, w)

    def answers(self, V: Number) -> dict[str, Any]:
        """Constants of the problem, and facts."""
        i, j = abs(self.i), abs(self.j)
        known = Fact(True, "derivatives of r of third order are from -1 to 1, those of fourth order from -3 to 3")
        return {
            "lam_1": self.h,
            "L_gw": self.h + self.e,
            "L_xw": largest(abs(self.k), abs(self.i * self.e - self.k)),
            "l_ww": self.e * (1 + i),
            "l_xw": self.e * (1 + i) * i,
            "l_w": self.a + abs(self.m),
            "l_fw": self.a,
            "lp_fw": self.a * j,
            "l_fx": self.a * j,
            "l_xx": largest(self.q, abs(self.a * j**2 - self.q)),
            "m_f": self.a * (1 + j**2),
            "m_g": 3 * self.e * (1 + i**2),
            "V_v": V,
            **dict.fromkeys(("D1", "D2", "D3", "smooth_x", "third"), known),
            "map (2)": Fact(True, "the maps are those of (2)"),
            "v<=V": Fact(True, "V is the larger of both"),
            "D-mean": Fact(True, "samples are multiples by 1/4 and 7/4, and the constants 5/4 times as large"),
        }


#: The coordinates of x, w, v and of the derivatives of w* and v*. The image of a map is one of what it is added to.
PLACES = ("x", "w", "v", "d", "e")
#: The maps of the settings at ``(x, w, v, d, e)``, by the coordinates of their images.
MAPS: dict[str, Callable[..., dict[str, float]]] = {
    "grad_w g": lambda b, x, w, v, d, e: {"w": b.g_w(x, w)},
    "Hess g": lambda b, x, w, v, d, e: {name: b.g_ww(x, w) * at for name, at in (("v", v), ("d", d), ("e", e))},
    "grad_xw g": lambda b, x, w, v, d, e: {"x": b.g_xw(x, w) * v},
    "grad_w f": lambda b, x, w, v, d, e: {"v": b.f_w(x, w)},
    "grad_x f": lambda b, x, w, v, d, e: {"x": b.f_x(x, w)},
    # the right sides of the systems of the derivatives
    "grad_xw g u": lambda b, x, w, v, d, e: {"d": -b.g_xw(x, w)},
    "D grad_w f": lambda b, x, w, v, d, e: {"e": b.f_turn(x, w, d)},
    "D Hess g": lambda b, x, w, v, d, e: {"e": b.g_turn(x, w, d) * v},
}


def maps_of(
    b: Bilevel, flat: Outcomes, names: Iterable[str], shift: Grid | float = 0.0, times: Grid | float = 1.0
) -> Any:
    """The maps of a problem at points that are ``shift`` further, with samples ``times`` as large."""
    count = len(flat.chances[COORDINATE])

    def of(name: str) -> Callable[[Grid], tuple[Grid, None]]:
        value = MAPS[max((known for known in MAPS if name.startswith(known)), key=len)]

        def image(*at: float) -> tuple[float, ...]:
            found = value(b, *at, *[0.0] * (len(PLACES) - count))
            return tuple(found.get(place, 0.0) for place in PLACES[:count])

        def at(point: Grid) -> tuple[Grid, None]:
            z = point + shift + flat.along(COORDINATE, [0.0] * count)
            parts = each(image, count, *(z[i : i + 1] for i in range(count)))
            return flat.stacked(COORDINATE, parts) * times, None

        return at

    return {name: of(name) for name in names if any(name.startswith(known) for known in MAPS)}


def outcomes_of(b: Bilevel, made: Mapping[str, float], sampled: Mapping[str, float] | None = None) -> InOutcomes:
    """Vectors by name, whose first letter says where they lie; ``sampled`` is the z at which there are samples."""
    axes: dict[Axis, Any] = {COORDINATE: [1.0] * len(PLACES)} | ({("xi",): (0.5, 0.5)} if sampled else {})
    flat = Outcomes(axes, {}, {}, words(axes, "xi"), {place: [i] for i, place in enumerate(PLACES)})

    def along(values: Mapping[str, float]) -> Grid:
        return flat.along(COORDINATE, [values.get(place, 0.0) for place in PLACES])

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        times = flat.along(("xi",), [7 / 4, 1 / 4]) if sampled else 1.0
        at = maps_of(b, flat, setting.functions, along(sampled or {}), times)
        yield replace(flat, made={name: along({name[0]: x}) for name, x in made.items()}, at=at)

    return outcomes


PROBLEM = {
    "h": reals(1, 2),
    "k": reals(1, 0.5, 10),
    "e": reals(0, 1, 0.1, 4, zero=True),
    "i": reals(0, 1, zero=True),
    "a": reals(1, 0, 4, zero=True),
    "j": reals(0, 1, -2, zero=True),
    "m": reals(0),
    "q": reals(0),
}


def exact(zero: Number) -> dict[str, Any]:
    """What an instance of one client with exact oracles answers for E."""
    return dict.fromkeys(("var_p", "var_s", "sigma_p", "sigma_n"), zero) | {"M": 1}


def two_points(q: Mapping[str, Any]) -> tuple[Bilevel, dict[str, Any]]:
    """A problem, and two points with the solutions of the lower level there, by the names of the vectors."""
    b = Bilevel(*(q[name] for name in "hkeiajmq"))
    made: dict[str, Any] = {}
    for end in ("", "b"):
        x, w, v = b.solution(q[f"s{end}"])
        made |= {f"x{end}": x, f"ws{end}": w, f"vs{end}": v, f"w{end}": w + q[f"dw{end}"], f"v{end}": v + q[f"dv{end}"]}
        made |= {f"d{end}": b.turn(x, w), f"e{end}": b.v_turn(x, w, v)}
    return b, made


def points_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`points` as vectors."""
    return outcomes_of(*two_points(in_floats(params)))


@family(
    "two points and the lower solutions",
    None,
    points_in_vectors,
    s=reals(1, 0, 0.75, -2, zero=True),
    sb=reals(0, 2, -0.75, zero=True),
    dw=reals(1, 0, -0.5, zero=True),
    dv=reals(1, 0, -3, 10, zero=True),
    dwb=reals(0, 1, zero=True),
    dvb=reals(0, -10, zero=True),
    share=reals(1, 0.1, 2),
    **PROBLEM,
)
def points(*, share: Number, **given: Number) -> dict[str, Any]:
    """Two points x and xb, and at each of them w and v that are off the lower solution.

    ``s``: w^* + i x at x; ``sb``: w^* + i x at xb; ``dwb``: w - w^* at xb; ``dvb``: v - v^* at xb.
    """
    b, at = two_points(given)
    x, w, v, xb, wb, vb = (at[name] for name in ("x", "w", "v", "xb", "wb", "vb"))
    (S_w, S_v), (Sb_w, Sb_v) = b.S(x, w, v), b.S(xb, wb, vb)
    out = b.answers(largest(abs(v), abs(vb)))
    turned = 2 * (out["l_fw"] ** 2 + (out["l_ww"] * out["l_w"] / b.h) ** 2)
    near_w, near_v = w - at["ws"], v - at["vs"]
    return {
        **out,
        **exact(0 * x),
        "c_v": share * b.h**2 / turned if b.a > 0 else share,
        "dx2": (x - xb) ** 2,
        "dw2": (w - wb) ** 2,
        "dv2": (v - vb) ** 2,
        "dws2": (at["ws"] - at["wsb"]) ** 2,
        "dvs2": (at["vs"] - at["vsb"]) ** 2,
        "dWu2": (at["d"] - at["db"]) ** 2,
        "dvd": abs(at["e"] - at["eb"]),
        "near_w": near_w**2,
        "near_v": near_v**2,
        "pull_w": near_w * S_w,
        "pull_v": near_v * S_v,
        "size_w": S_w**2,
        "size_v": S_v**2,
        "dSw2": (S_w - b.g_w(x, wb)) ** 2,
        "dSv2": (b.g_ww(x, w) * (v - vb)) ** 2,
        "dSmw2": (S_w - Sb_w) ** 2,
        "dSmv2": (S_v - Sb_v) ** 2,
        "dP2": (b.P(x, w, v) - b.P(xb, wb, vb)) ** 2,
        "dPs2": (b.P(x, at["ws"], at["vs"]) - b.P(xb, at["wsb"], at["vsb"])) ** 2,
        "degenerate": given["s"] == given["sb"],
    }


def only(name: str, **corners: Range) -> Family:
    """Points at which one thing changes; what is not named is 0."""
    return points.narrowed(name, **{**dict.fromkeys(points.ranges, reals(0)), "share": reals(1), **corners})


#: What moves a map is what grad_ww g and grad_xw g have of x, what they have of w, or f.
POINTS = (
    points,
    only(
        "two points where w* hardly moves",
        **dict.fromkeys(("i", "e", "m", "dv", "dvb"), reals(1)),
        h=reals(100),
        s=reals("3/4"),
    ),
    only(
        "two points x that are close",
        **dict.fromkeys(("h", "dw", "dv", "dvb"), reals(1)),
        m=reals(1, 0),
        k=reals(100),
        e=reals("1/10"),
        i=reals(0, 1),
        s=reals("3/4"),
    ),
    only(
        "two points where grad_x f and grad_w f are almost linear, and g is quadratic",
        **dict.fromkeys(("h", "j", "q"), reals(1)),
        k=reals("2/5"),
        a=reals(2, 0),
        s=reals("1/100"),
        dwb=reals(0, "1/100"),
        dvb=reals(0, "7/100"),
    ),
)


def samples_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`samples` as vectors."""
    p = in_floats(params)
    b = Bilevel(*(p[name] for name in "hkeiajmq"))
    return outcomes_of(b, {n: p[n] for n in ("x", "xb")}, {n: p[n] for n in "wv"})


@family(
    "samples at two points x and one z",
    None,
    samples_in_vectors,
    x=reals(1, 0, 2, zero=True),
    xb=reals(0, -1, zero=True),
    w=reals(0, 0.75, zero=True),
    v=reals(1, 0, 10, zero=True),
    **PROBLEM,
)
def samples(*, x: Number, xb: Number, w: Number, v: Number, **given: Number) -> dict[str, Any]:
    """Samples are ``1 + 3 xi/4`` times the maps, ``xi = +-1``, whose mean square is ``(5/4)^2``.

    ``x``: the point x; ``xb``: the other point x; ``w``: w at both of them; ``v``: v at both of them.
    """
    b = Bilevel(**given)
    out = b.answers(abs(v))
    maps, maps_b = ((b.P(at, w, v), *b.S(at, w, v)) for at in (x, xb))
    changes = [(here - there) ** 2 for here, there in zip(maps, maps_b, strict=True)]
    spread = [(3 * value / 4) ** 2 for value in maps]
    return {
        **out,
        **{name: 5 * out[name] / 4 for name in ("l_xx", "l_xw", "L_xw", "l_ww", "lp_fw")},
        "var_p": spread[0],
        "var_s": spread[1] + spread[2],
        "sigma_p": sqrt(spread[0]),
        "sigma_n": sqrt(spread[1] + spread[2]),
        "dx2": (x - xb) ** 2,
        "dP_ms": 25 * changes[0] / 16,
        "dS_ms": 25 * (changes[1] + changes[2]) / 16,
        "degenerate": x == xb,
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
    return {
        **dict.fromkeys(free, one),
        **exact(0 * one),
        **dict.fromkeys(("D1", "D2", "D3"), Fact(True, why)),
        **numbers,
    }


@family("f = x^n/n + r(w)", which=choice("(10)", "(2)"), power=counts(4, 2, most=4, drawn=(2, 4)), x=reals(1, 10))
def powers(*, which: str, power: int, x: Number) -> dict[str, Any]:
    """``g = (w - x)^2/2``, so that ``w* = x``, at x and at 0; ``v*`` is grad_x f for (10a), and ``r'(x)`` for (2).

    ``power``: n; ``which``: the equation that v* solves; ``x``: a point, where the other one is 0.
    """
    slope = x ** (power - 1)
    v = slope if which == "(10)" else hyperbola(1 + 0 * x).slope(x)
    why = "grad_w f = r'(w) is bounded and 1-Lipschitz, and grad_x f does not depend on w"
    constants = {"L_xw": 1, "l_xw": 0, "l_ww": 0, "l_fx": 0, "l_fw": 1, "lp_fw": 0, "l_w": 1, "l_xx": 1}
    return {
        **assumed(x, why, **constants),
        **maps(which),
        "smooth_x": Fact(power == 2, f"grad_x f = x^{power - 1}"),
        "dx2": x**2,
        "dvs2": v**2,
        "dPs2": (slope + v) ** 2,
    }


@family("f = 0, g = w^2/2 + r(x + w)", v=reals(1, 10))
def long_v(*, v: Number) -> dict[str, Any]:
    """At w = 0, and x = 0 or 3/4, where r'' is 1 or 64/125.

    ``v``: the size of v.
    """
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
    """``w* = 0`` and ``v*(x) = min(x, 1)`` around x = 1, whose derivative is 1 before and 0 after.

    ``apart``: how far two points x are apart.
    """
    f = huber(1 + 0 * apart, 1 + 0 * apart)
    why = f"{f.name}, of x + w: its gradients are bounded by 1 and 1-Lipschitz"
    return {**assumed(apart, why), **maps("both"), "dx": apart, "dvd": 1 + 0 * apart}


@family("two clients without f", client=choice("1", "2"), t=reals(1, 0.1))
def two_minimisers(*, client: str, t: Number) -> dict[str, Any]:
    """``g^1 = (w + 1)^2/2`` and ``g^2 = (w - 1)^2/2``, f = 0, at ``z = (t, 0)``; ``z* = 0``.

    ``client``: whose map is looked at; ``t``: the first number of z.
    """
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


@family(
    "FedBLO with (10a) where f does not depend on x",
    R_rounds=counts(1, 64),
    K=counts(1, 5),
    batch=choice("one", "K R"),
    alpha_x=reals(1, 0.1),
    start=reals("3/4", 2),
    **CONSTANTS,
)
def at_rest(*, R_rounds: int, K: int, batch: str, alpha_x: Number, start: Number, **given: Number) -> dict[str, Any]:
    """``f = r(w)``, ``g = (w - x)^2/2``, one client, from x = w = start and v = 0, where all directions are 0.

    ``batch``: the samples of a client at the start; ``start``: x and w at first.
    """
    one = 1 + 0 * start
    known = {"tau_het": 0 * one, "differ": 0 * one, "sigma_max": 0 * one, "alpha_x": alpha_x, "rho_m": one / R_rounds}
    why = "f = sqrt(1 + w^2) has a slope of at most 1, which is 1-Lipschitz, and g is quadratic"
    return {
        **answers(M=1, R_rounds=R_rounds, P2_out=0 * one, **known),
        **dict.fromkeys((*OF_FEDBLO, "f_below"), Fact(True, why)),
        **dict.fromkeys(("K=1 at first", "K at first", "S-proof"), Fact(True, "nothing moves, whatever the steps")),
        **maps("(10)"),
        "gf2_out": hyperbola(one).slope(start) ** 2,
        "K": K,
        "b_0": 1 if batch == "one" else K * R_rounds,
    }


# --- runs of FedBLO with the steps of its rate


@dataclass(frozen=True)
class FedBLO(Problem):
    """``z = (w, c^(1/2) v)`` for a quadratic g, without the mixed term.

    Attributes:
        of: the mean problem.
        root: ``c^(1/2)``.
    """

    of: Bilevel
    root: Number

    def mean(self, x: Number, *z: Number) -> tuple[Number, ...]:
        """The means of the maps (2)."""
        w, u = z
        S_w, S_v = self.of.S(x, w, u / self.root)
        return self.of.P(x, w, u / self.root), S_w, self.root * S_v

    def star(self, x: Number) -> tuple[Number, ...]:
        """``x`` and ``z^*(x)``."""
        w = self.of.k * x / self.of.h
        return x, w, self.root * self.of.f_w(x, w) / self.of.h

    def off2(self, x: Number, *z: Number) -> Number:
        """``||w - w*||^2``."""
        return (z[0] - self.star(x)[1]) ** 2


def fedblo(q: dict[str, Any]) -> tuple[FedBLO, Method, tuple[Number, ...], dict[str, Any]]:
    """The maps, the method, the start and the constants of :func:`tuned_run`."""
    h, k, a, j, zero = q["h"], q["k"], q["a"], q["j"], 0 * q["h"]
    t_0, t_1 = (q["tau_0"], q["tau_n"]) if q["M"] > 1 else (zero, zero)
    lam, L_g, steep = h - t_1, h + t_1, j + k / h
    root = q["share"] * 2 * lam / (3 * a)
    loud = (q["sigma_0"], q["sigma_n"]) if q["noise"] == "clipped" else (zero, zero)
    of_p = a * j**2 + t_0 + a * j + k / root + loud[0]
    of_s = k + 2 * L_g + root * a * (1 + j) + loud[1]
    L_Z, mean = largest(2 * a * j, 3 * k / (2 * root)), Bilevel(h, k, zero, zero, a, j, zero, zero)
    known = mean.answers(zero) | {
        **{"lam_1": lam, "L_gw": L_g, "c_v": root**2, "V_v": a / lam},
        **{"lam_n": lam / 2, "L_s": 7 * L_g / 4, "L_Z": L_Z, "omega_w": 7 * L_Z / lam},
        **{"L_zn": k / lam + 2 * root * a * (j + k / lam) / lam, "L_hyp": a * steep**2, "Lb_p": of_p, "Lb_s": of_s},
    }
    f = hyperbola(a)
    along = Loss(
        f"{a} r({steep} x)", lambda x: f.value(steep * x), lambda x: steep * f.slope(steep * x), (0, a * steep**2), 0
    )
    apart, sizes = (q["tau_0"], q["tau_n"], q["tau_n"]), (q["sigma_0"], q["sigma_n"], zero)
    noisy = q["noise"] == "clipped"
    of = FedBLO(along, zero, zero, zero, h, apart, sizes, noisy, q["M"], mean, root)
    x, w, u = of.star(q["x"])
    start = x, w + q["dw"], u + root * q["dv"]
    gap = q["dw"] ** 2 + (root * q["dv"]) ** 2
    full = {**q, **known}
    theta = with_steps(full, 1 + zero)["theta_b"]
    steps = with_steps(full, around(q["more"] * (along.value(x) + 8 * L_Z**2 / (theta * lam) * gap)))
    how = (q["K"], q["R_rounds"], q["b_batch"], steps["B_all"], steps["b_0"])
    method = Method(*how, steps["alpha_x"], steps["beta_n"], steps["rho_m"])
    return of, method, start, {**known, **steps, "steep2": (of_p**2, of_s**2)}


def run_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`tuned_run` in the vectors of the proofs."""
    of, how, start, _ = fedblo(in_floats(params))

    def more(seen: Outcomes, here: Grid, there: Grid) -> Outcomes:
        count = len(start)
        in_x, in_w, in_v = (seen.along(COORDINATE, [float(i == place) for i in range(count)]) for place in range(count))
        z, in_v = here + 0 * in_x, in_v / float(of.root)
        made = {"w": z * in_w, "v": z * in_v, "xb": there * in_x}
        for end, at in (("s", z), ("sb", there)):
            _, w, u = each(of.star, count, at[:1])
            made |= {f"w{end}": w * in_w, f"v{end}": u * in_v}
        maps = maps_of(of.of, seen, claims.STEP.functions)
        return replace(
            seen, made={**seen.made, **made}, at={**maps, **seen.at}, blocks={**seen.blocks, "w": [1], "v": [2]}
        )

    return in_vectors(of, how, start, more)


@family(
    "a run of FedBLO with the steps of its rate",
    None,
    run_in_vectors,
    noise=choice("constant", "clipped"),
    M=counts(2, 1, most=2),
    K=counts(1, 2, most=2),
    R_rounds=counts(1, 2, most=2),
    b_batch=counts(1, most=1),
    h=reals(1, 2, low=1, high=2),
    k=reals(1, "1/2", low=0.1, high=1),
    a=reals(1, "1/4", low=0.1, high=1),
    j=reals(0, 1, low=0.1, high=1, zero=True),
    share=reals(1, "1/10", 2, low=0.1, high=1),
    **{name: rates.CONSTANTS[name] for name in ("tau_0", "tau_n", "sigma_0", "sigma_n", "x")},
    dw=reals(0, 1, zero=True),
    dv=reals(0, -1, zero=True),
    ratio=reals(1, 2),
    more=reals("11/10", 10),
)
def tuned_run(**given: Any) -> dict[str, Any]:
    """``f = a r(w + j x)``, ``g = h w^2/2 - k x w``; clients add ``+-tau_0 x^2/2`` to f and ``+-tau_1 w^2/2`` to g."""
    of, how, start, told = fedblo(given)
    grad2, gapw2 = means(of, how, start)
    known = facts(of, start, {**given, **told}, told.pop("steep2"))
    norm = Fact(True, "c is the square of its root, and g is quadratic")
    return {**known, **told, "z=(w,v)": norm, "gf2_out": grad2, "gapw2_out": gapw2}


@family(
    "a run of FedBLO along a slope with the steps of its rate",
    None,
    None,
    **{
        **rates.CONSTANTS,
        **rates.ON_A_SLOPE,
        **{"f": choice("slope"), "delta_f": reals(0), "L_zn": reals(0)},
        **{
            "M": counts(1, 10**6),
            "K": counts(1, 100),
            "R_rounds": counts(10**6, 1, 10**9),
            "b_batch": counts(1, 10**12),
        },
        **{"L_hyp": reals(1, "1/10"), "tau_0": reals(0, 10**4), "sigma_0": reals(0, 2)},
        "lam_n": reals("1/4", low=0.1, high=0.25),
        "omega_w": reals(14, low=14, high=100),
    },
    ratio=reals(1),
    more=reals(1),
)
def tuned_slope(**given: Any) -> dict[str, Any]:
    """f is a Huber function of x, of slope L_h where the run goes, ``g = lambda_1 w^2/2`` and w = v = 0.

    Oracles are exact and clients alike, whatever the steps allow for.
    """
    zero = 0 * given["lam_n"]
    steps = tuned(given)
    none = dict.fromkeys(("L_xw", "l_xw", "l_ww", "l_fx", "l_fw", "lp_fw", "l_w", "V_v"), zero)
    lam = 2 * given["lam_n"]
    quadratic = Fact(True, "f is a function of x, and g is quadratic")
    return {
        **answered({**given, **steps}),
        **steps,
        **none,
        **{"lam_1": lam, "L_gw": lam, "c_v": 1 + zero, "gapw2_out": zero},
        **dict.fromkeys(("D1", "D2", "D3", "map (2)", "z=(w,v)"), quadratic),
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
A1 = record(claims.A1, families=[points])
A2_W = record(claims.A2_W, families=[points], tight=Sharp())
A2_DW = record(claims.A2_DW, families=POINTS)
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
A2_V_CORRECTED = record(claims.A2_V_CORRECTED, families=POINTS)
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
A2_DV_CORRECTED = record(claims.A2_DV_CORRECTED, families=POINTS)
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
A3_P_CORRECTED = record(claims.A3_P_CORRECTED, families=POINTS)
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
A3_PZ_CORRECTED = record(claims.A3_PZ_CORRECTED, families=POINTS)
A3_S = record(
    claims.A3_S,
    refuted_by=growing(
        LONG,
        ratios=["4234.31", "4.23367e7", "4.23367e11", "4.23367e15", "4.23367e19"],
        by_hand="""f = 0 and g = w^2/2 + r(x + w), as for P. At w = 0, S = (r'(x), (1 + r''(x)) v), where r'' is 1
        at x = 0 and 64/125 at x = 3/4, and r' is 0 and 3/5. The square of the change is (61/125)^2 v^2 + 9/25.""",
    ),
)
A3_S_CORRECTED = record(claims.A3_S_CORRECTED, families=POINTS)
A4 = record(
    claims.A4,
    refuted_by=growing(
        LONG,
        ratios=["65.0716", "6506.67", "6.50667e5", "6.50667e7", "6.50667e9"],
        by_hand="""As for A3, f = 0 and g = w^2/2 + r(x + w), with samples that are exact: between x = 0 and x =
        3/4, at w = 0, s and p change by (61/125) v and more.""",
    ),
)
A4_CORRECTED = record(claims.A4_CORRECTED, families=[samples])
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
A5_CORRECTED = record(claims.A5_CORRECTED, families=[points])
B = record(claims.B, families=[samples], tight=Sharp())
CORC1 = record(
    claims.CORC1,
    climbs=[RESTED, SAMPLE_MEAN, SMALL, SLOPE, NO_STEP_KINDLY, QUIET],
    refuted_by=growing(
        REST,
        ratios=["23.04", "1474.56", "94371.8", "6.03980e6", "3.86547e8"],
        by_hand="""One client, exact oracles: f = sqrt(1 + w^2), g = (w - x)^2/2, from x = w = 3/4, v = 0. (10a) has
        S = (w - x, v - grad_x f) = (0, v) = 0, and P = grad_x f + v = 0: nothing ever moves, whatever alpha, beta,
        rho and K. But f(x) = sqrt(1 + x^2) has the slope 3/5 there. The metric is 9/25; tau = sigma = 0, so 1/R is
        claimed, for K = 1.""",
    ),
)
CORC1_CORRECTED = record(claims.CORC1_CORRECTED, families=[tuned_run, tuned_slope])
FORM = record(claims.FORM, families=[tuned_run, tuned_slope])
