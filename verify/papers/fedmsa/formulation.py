"""The maps on bilevel problems of one number x and one w, and on compositions of parabolas.

Slopes of what is a polynomial of x are differences of its values, so that no chain rule is used for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import formulation as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest
from rateproof.verify.form.on_a_line import of_loss
from rateproof.verify.form.outcomes import COORDINATE, Axis, InOutcomes, Outcomes
from rateproof.verify.form.parts import Loss, parabola
from rateproof.verify.planted.mutate import Sharp

CLIENT: Axis = ("client",)


def slope(F: Callable[[Number], Number], x: Number, u: Number) -> Number:
    """The derivative of a polynomial of degree 8 at most, at ``x`` in the direction ``u``: exact differences."""
    ends = [F(x + i * u) - F(x - i * u) for i in (1, 2, 3, 4)]
    return (672 * ends[0] - 168 * ends[1] + 32 * ends[2] - 3 * ends[3]) / 840


def bilevel_numbers(
    *, M: int, start: str, x: Number, u: Number, h: Number, dh: Number, b: Number, db: Number, a: Number, c: Number,
    q: Number, t: Number, dt: Number, e: Number, k: Number,
) -> dict[str, Any]:  # fmt: skip
    """``g^m = h_m w^2/2 - w (b_m x + a x^2/2 + c)`` and ``f^m = q (w - t_m)^2/2 + e x w + k x^2/2``.

    Raises:
        ValueError: g is not strongly convex, or f(x, w*(x)) not convex where its minimiser is asked for.
    """
    like = 0 * x + 0 * u
    hs, bs, ts = ([at + i * by + like for i in range(M)] for at, by in ((h, dh), (b, db), (t, dt)))
    H, B = sum(hs) / M, sum(bs) / M
    if H <= 0:
        raise ValueError(f"g has the curvature {H}")
    if start == "minimiser":
        s, r = B / H, c / H
        bend = q * s**2 + 2 * e * s + k
        if bend <= 0:
            raise ValueError(f"f(x, w*(x)) has the curvature {bend}")
        x = x + (q * s * (sum(ts) / M - r) - e * r) / bend

    def lower(x: Number) -> Number:
        return (B * x + a * x**2 / 2 + c) / H

    def upper(i: int) -> Callable[[Number], Number]:
        return lambda x: q * (lower(x) - ts[i]) ** 2 / 2 + e * x * lower(x) + k * x**2 / 2

    w = lower(x)
    return {
        "x": x,
        "w": w,
        "d": (lower(x + u) - lower(x - u)) / 2,
        "H": H,
        "cross": -(B + a * x),
        "crosses": [-(b + a * x) for b in bs],
        "fx": [e * w + k * x + like for _ in range(M)],
        "fw": [q * (w - t) + e * x for t in ts],
        "slopes": [slope(upper(i), x, u) for i in range(M)],
    }


def solution(of: Mapping[str, Any], solves: str) -> Number:
    """The v of the claim: ``grad^2_ww g v`` is minus grad_w f in (9), grad_w f in (2) and grad_x f in (10a)."""
    M = len(of["fx"])
    right = {"(9)": -sum(of["fw"]), "(2)": sum(of["fw"]), "(10a)": sum(of["fx"])}[solves]
    return right / M / of["H"]


def bilevel_in_vectors(*, solves: str, off_w: Any, off_v: Any, **params: Any) -> InOutcomes:
    """The vectors of :func:`bilevel`."""
    p = in_floats({**params, "off_w": off_w, "off_v": off_v})
    off_w, off_v = p.pop("off_w"), p.pop("off_v")
    of, u, M = bilevel_numbers(**p), p["u"], p["M"]
    v, H, cross, d = solution(of, solves), of["H"], of["cross"], of["d"]
    each = [(i + 1) * u for i in range(M)]
    own = [-w / H for w in of["fw"]]
    lower = Loss("g", lambda w: H * (w - of["w"]) ** 2 / 2, lambda w: H * (w - of["w"]), (H, H), None)
    fixed = {"u": u, "d": d, "v": v, "v'": v + off_v, "Bu": cross * u, "w": of["w"] + off_w, "w*": of["w"]}
    clients = {
        "fxm": of["fx"],
        "fwm": of["fw"],
        "Bvm": [B * v for B in of["crosses"]],
        "um": each,
        "dm": [(i + 1) * d for i in range(M)],
        "vm": own,
        "Hvm": [H * v for v in own],
        "Bum": [cross * u for u in each],
        "Bgm": [cross * v for v in own],
        "Bom": [B * v for B, v in zip(of["crosses"], own, strict=True)],
    }
    return at_clients(fixed, clients, {"g": of_loss(lower), "H": of_loss(parabola(H))})


def at_clients(fixed: Mapping[str, float], clients: Mapping[str, Sequence[float]], at: Mapping[str, Any]) -> InOutcomes:
    """An instance at numbers that all clients share, and at others of which each has its own."""
    M = max(map(len, clients.values()), default=1)
    chances = {COORDINATE: [1.0], CLIENT: [1 / M] * M}
    flat = Outcomes(chances, {}, at, lambda word, at: {CLIENT} if word == CLIENT[0] else set())
    made = {name: flat.along(COORDINATE, [x]) for name, x in fixed.items()}
    made |= {name: flat.along(CLIENT, xs) for name, xs in clients.items()}
    return lambda _: iter([Outcomes(chances, made, at, flat.knows)])


@family(
    "a bilevel problem of two numbers",
    None,
    bilevel_in_vectors,
    solves=choice("(2)", "(9)", "(10a)"),
    start=choice("0", "minimiser"),
    M=counts(1, 2, 3, most=3),
    x=reals(1, 0, -2, zero=True),
    u=reals(1, -2),
    h=reals(1, 2),
    dh=reals(0, 1, zero=True),
    b=reals(1, 0, -2, zero=True),
    db=reals(0, 2, zero=True),
    a=reals(0, 1, zero=True),
    c=reals(0, 1, zero=True),
    q=reals(1, 0, 2, zero=True),
    t=reals(0, 1, zero=True),
    dt=reals(0, 1, zero=True),
    e=reals(0, 1, -1, zero=True),
    k=reals(1, 0, zero=True),
    off_w=reals(0, 1, zero=True),
    off_v=reals(0, 1, zero=True),
)
def bilevel(*, solves: str, off_w: Number, off_v: Number, **given: Any) -> dict[str, Any]:
    """What the equations say at x and w*(x), in the direction u; the clients' directions are u, 2u, ...

    ``solves``: the equation that v solves; ``start``: whether x is as given or the minimiser of f(x, w*(x)); ``x``: the
    point; ``u``: the direction; ``h``: the curvature of g in w at the first client; ``dh``: what each further
    client has more of h; ``db``: what each further client has more of b; ``a``: what multiplies w x^2/2 in -g;
    ``b``: what multiplies w x in -g; ``t``: where f is least in w; ``c``: the slope of -g in w at 0; ``q``: the
    curvature of f in w; ``dt``: by how much its minimiser grows from client to client; ``e``: what multiplies x w in f;
    ``k``: the curvature of f in x; ``off_w``: how far w is from the solution; ``off_v``: how far v is from it.
    """
    of, u, M = bilevel_numbers(**given), given["u"], given["M"]
    v, H, cross, d = solution(of, solves), of["H"], of["cross"], of["d"]
    fx, fw, slopes = of["fx"], of["fw"], of["slopes"]

    def each(terms: Sequence[Number]) -> Number:
        return sum((i + 1) * term for i, term in enumerate(terms)) / M

    def sides(m: str, fx: Number, fw: Number, v: Number) -> dict[str, Number]:
        at = {"fx": fx * u, "fw": fw * d, "Hv": H * v * d, "vH": v * H * d, "Bv": cross * v * u, "vB": v * cross * u}
        return {f"{name}{m}": x for name, x in at.items()}

    own = [-w / H for w in fw]
    defined = Fact(True, "a definition")
    return {
        **sides("", sum(fx) / M, sum(fw) / M, v),
        **sides("m", each(fx), each(fw), each(own)),
        "slope": sum(slopes) / M,
        "slopem": each(slopes),
        "Bv_own": each([B * v for B, v in zip(of["crosses"], own, strict=True)]) * u,
        "fx_d": sum(fx) / M * d,
        "P_mean": sum(x - B * v for x, B in zip(fx, of["crosses"], strict=True)) / M * u,
        "slope_all": sum(slopes) / M,
        **{"gw2": (H * off_w) ** 2, "gs2": 0 * u, "off_w2": off_w**2, "off_v2": off_v**2, "resid2": (H * off_v) ** 2},
        **{"mu_g": H, "L_g": H},
        "strong": Fact(True, f"g(x, .) has the curvature {H} = mu"),
        "smooth": Fact(True, f"g(x, .) has the curvature {H} = L_g"),
        "lower": Fact(True, "grad_w g(x, w*) = 0, and g(x, .) is convex"),
        "mean": defined,
        "sum": defined,
    }


@family("dimensions", signature=choice("R^{d_{n-1}}", "R^{d_n}"), d_n=counts(1, 2, 3), d_b=counts(1, 2, 3))
def dimensions(*, signature: str, d_n: int, d_b: int) -> dict[str, Any]:
    """Of z^n, z^{n-1} and the values of S^n.

    ``signature``: where S^n has its values.
    """
    return {"d_S": d_n if signature == "R^{d_n}" else d_b}


@family("a sum over clients", limit=choice("m", "M"), M=counts(1, 2, 3), m_top=counts(1, 2, 3))
def summands(*, limit: str, M: int, m_top: int) -> dict[str, Any]:
    """The number of its terms.

    ``limit``: up to which number the sum goes.
    """
    return {"n_inner": M if limit == "M" else m_top}


def levels_of(
    *, N_lev: int, M: int, a0: Number, da0: Number, c0: Number, a1: Number, da1: Number, c1: Number, a2: Number,
    da2: Number,
) -> list[list[tuple[Number, Number]]]:  # fmt: skip
    """By level and client, the p and c of ``f^{m,n}(z) = p z + c z^2/2``; the third level is linear."""
    like = 0 * a0
    given = ((a0, da0, c0), (a1, da1, c1), (a2, da2, like))[: N_lev + 1]
    return [[(p + i * by + like, c + like) for i in range(M)] for p, by, c in given]


def value(clients: Sequence[tuple[Number, Number]], z: Number, weight: Number) -> Number:
    """The sum of the clients' values of one level, times a weight."""
    return sum(p * z + c * z**2 / 2 for p, c in clients) * weight


def chain(levels: Sequence[Sequence[tuple[Number, Number]]], x: Number) -> list[Number]:
    """``z^0 = x, z^1, ..., z^{N+1}``, each the mean of the clients' values at the last."""
    z = [x]
    for clients in levels:
        z.append(value(clients, z[-1], (1 + 0 * x) / len(clients)))
    return z


def derivatives(levels: Sequence[Sequence[tuple[Number, Number]]], x: Number) -> list[list[Number]]:
    """By level and client, the derivative at z^n."""
    return [[p + c * z for p, c in clients] for clients, z in zip(levels, chain(levels, x), strict=False)]


def levels_in_vectors(*, x: Any, u: Any, **params: Any) -> InOutcomes:
    """The vectors of :func:`composition`."""
    p = in_floats({**params, "x": x, "u": u})
    x, u = p.pop("x"), p.pop("u")
    slopes, M = derivatives(levels_of(**p), x), p["M"]
    means = [sum(of) / M for of in slopes]
    before = [u]
    for mean in means:
        before.append(before[-1] * mean)

    def behind(n: int) -> list[float]:
        if n == len(slopes):
            return [1.0] * M
        return [s * rest for s, rest in zip(slopes[n], behind(n + 1), strict=True)]

    off = [[s - mean for s in of] for of, mean in zip(slopes, means, strict=True)]
    chances = {COORDINATE: [1.0], CLIENT: [1 / M] * M}
    flat = Outcomes(chances, {}, {}, lambda word, at: {CLIENT} if word == CLIENT[0] else set())
    at = {"J": lambda points: (points * flat.along(CLIENT, off[0]), None)}

    def of(setting: Setting) -> Iterator[Outcomes]:
        if "a+" in setting.names:
            for n in range(len(slopes)):
                made = {"a": flat.along(CLIENT, behind(n)), "a+": flat.along(CLIENT, behind(n + 1))}
                made |= {name: flat.along(COORDINATE, [before[n + i]]) for i, name in enumerate(("t", "t+"))}
                yield Outcomes(chances, made, at, flat.knows, term={claims.j: n})
        elif len(slopes) == 2:
            yield Outcomes(chances, {"err": flat.along(CLIENT, off[1])}, at, flat.knows)

    return of


@family(
    "a composition of parabolas",
    None,
    levels_in_vectors,
    N_lev=counts(1, 2, drawn=(1, 2)),
    M=counts(2, 1, 3, most=3),
    x=reals(1, 0, -2, zero=True),
    u=reals(1, -2),
    a0=reals(1, 2),
    da0=reals(0, 2, zero=True),
    c0=reals(0, 1, zero=True),
    a1=reals(-1, 1),
    da1=reals(0, 1, zero=True),
    c1=reals(1, 0, zero=True),
    a2=reals(1, 2),
    da2=reals(0, 1, zero=True),
)
def composition(*, x: Number, u: Number, **given: Any) -> dict[str, Any]:
    """``f^{m,n}(z) = p_{m,n} z + c_n z^2/2`` of client m, where z^n is the mean of the clients' values.

    ``x``: the point; ``u``: the direction; ``a0``: p_{1,0}; ``a1``: p_{1,1}; ``a2``: p_{1,2}; ``da0``: what
    each further client has more of p_{1,0}; ``da1``: what each further client has more of p_{1,1}; ``da2``: what each
    further client has more of p_{1,2}; ``c0``: the curvature of f^{m,0}; ``c1``: the curvature of f^{m,1}.
    """
    levels, M = levels_of(**given), given["M"]
    slopes = derivatives(levels, x)
    products = [1 + 0 * x for _ in range(M)]
    for of in slopes:
        products = [product * s for product, s in zip(products, of, strict=True)]
    off = [[s - sum(of) / M for s in of] for of in slopes]

    def of_appendix(x: Number) -> Number:
        *inner, last = levels
        for clients in inner:
            x = value(clients, x, 1 + 0 * x)
        return value(last, x, (1 + 0 * x) / M)

    differ = sum(any(s != 0 for s in of) for of in off)
    true = Fact(True, "z^n is made so")
    along = slope(lambda x: chain(levels, x)[-1], x, u)
    return {
        "P_mco": sum(products) / M * u,
        "slope_mco": along,
        "slope_D": slope(of_appendix, x, u),
        "off_P2": (sum(products) / M - along / u) ** 2,
        "spread_1": sum(s**2 for s in off[1]) / M,
        "het_0": largest(*(abs(s) for s in off[0]), 0 * x),
        "het_1": largest(*(abs(s) for s in off[1]), 0 * x),
        **{"zeros": true, "zeros_mean": true, "transposed": Fact(True, "derivatives of functions of one number")},
        "tau_0": Fact(True, "tau_0 is the largest deviation"),
        "one_level": Fact(differ <= 1, f"{differ} levels have derivatives that differ"),
        "mean": Fact(True, "a definition"),
        "sum": Fact(True, "a definition"),
    }


def bias_in_vectors(*, law: str, **params: Any) -> InOutcomes:
    """The vectors of :func:`plug_in`."""
    p = in_floats(params)
    chances = {COORDINATE: [1.0], ("zeta",): (0.5, 0.5)}
    flat = Outcomes(chances, {}, {}, lambda word, at: {("zeta",)} if word == "zeta" else set())
    signs = [p["s"], p["s"] if law == "one sign" else -p["s"]]
    made = {"y": flat.along(COORDINATE, [p["y"]]), "e": flat.along(("zeta",), signs)}
    return lambda _: iter([Outcomes(chances, made, {}, flat.knows)])


@family(
    "noise before a cubic function",
    None,
    bias_in_vectors,
    law=choice("two signs", "one sign"),
    y=reals(1, 0, -2, zero=True),
    s=reals(1, 0, 2, zero=True),
)
def plug_in(*, law: str, y: Number, s: Number) -> dict[str, Any]:
    """``f^0(x; zeta) = y + s zeta`` with zeta = +-1, and ``f^1(z) = z^3/3``, of the slope z^2."""
    seen = (s, s) if law == "one sign" else (s, -s)
    return {
        "cand": sum((y + e) ** 2 for e in seen) / 2,
        "truth": y**2,
        "var_0": s**2,
        "cubic": Fact(True, "f^1(z) = z^3/3"),
        "unbiased_0": Fact(law == "two signs", f"zeta has {law}"),
    }


_AT_MINIMISER = bilevel.narrowed(
    "a bilevel problem of two numbers, at a minimum",
    solves=choice("(9)", "(2)"),
    start=choice("minimiser", "0"),
    x=reals(0, 1, zero=True),
    t=reals(1, 0, zero=True),
)
_OF_9 = bilevel.narrowed("a bilevel problem of two numbers, v of (9)", solves=choice("(9)", "(2)"))
_OF_10A = bilevel.narrowed("a bilevel problem of two numbers, v of (10a)", solves=choice("(10a)", "(2)"))
_ONE = composition.narrowed("a composition of parabolas, one client", M=counts(1, most=1))
EQ1 = record(claims.EQ1, families=[_AT_MINIMISER])
EQ2 = record(claims.EQ2, families=[bilevel])
EQ3 = record(claims.EQ3, families=[_ONE])
MSA = record(
    claims.MSA,
    refuted_by=example(
        dimensions,
        d_n=2,
        d_b=1,
        left="1",
        right="2",
        by_hand="With z^0 = x in R^1 and z^1 in R^2, S^1 is printed with values in R^1. Line 15 subtracts beta_1 q^1, "
        "an estimate of such a value, from z^1 in R^2.",
    ),
)
MSA_CORRECTED = record(
    claims.MSA_CORRECTED, families=[dimensions.narrowed("dimensions", signature=choice("R^{d_n}", "R^{d_{n-1}}"))]
)
EQ8 = record(claims.EQ8, families=[_OF_9])
SEC22 = record(
    claims.SEC22,
    refuted_by=example(
        _OF_9,
        M=2,
        b=0,
        db=2,
        k=0,
        left="-2",
        right="3/2",
        by_hand="Two clients, g^1 = w^2/2, g^2 = w^2/2 - 2 w x and f^m = w^2/2: g = w^2/2 - w x, w*(x) = x, and "
        "f^m(x, w*(x)) = x^2/2 has the slope 1 at x = 1 for both. (9) is v = -w* = -1. (10b) is 0 for client 1, and "
        "-(-2)(-1) = -2 for client 2; with the v = 1 of (2) it is 0 and 2. The sides are means over both clients, "
        "the first in the direction 1 of x, the second in the direction 2.",
    ),
)
SEC22_CORRECTED = record(claims.SEC22_CORRECTED, families=[_OF_9])
SEC22_DIFFERENCE = record(claims.SEC22_DIFFERENCE, families=[_OF_9])
MEAN = record(
    claims.MEAN,
    refuted_by=example(
        _OF_10A,
        k=0,
        left="0",
        right="1",
        by_hand="One client, g = (w - x)^2/2 and f = w^2/2: (10a) is zero where w = x and v = grad_x f = 0. There P is "
        "0 - (-1) 0 = 0, and f(x, w*(x)) = x^2/2 has the slope 1 at x = 1.",
    ),
)
MEAN_CORRECTED = record(claims.MEAN_CORRECTED, families=[bilevel])
MCO_LIMIT = record(
    claims.MCO_LIMIT,
    refuted_by=example(
        summands,
        M=2,
        left="1",
        right="2",
        by_hand="M = 2 clients and m = 1: the innermost sum has the term f_1^0(x) alone, and is divided by 2.",
    ),
)
MCO_LIMIT_CORRECTED = record(
    claims.MCO_LIMIT_CORRECTED, families=[summands.narrowed("a sum over clients", limit=choice("M", "m"))]
)
MCO_MEAN = record(
    claims.MCO_MEAN,
    refuted_by=example(
        composition,
        da0=2,
        da1=1,
        left="7/2",
        right="3",
        by_hand="f^{1,0} = x, f^{2,0} = 3x, f^{1,1} = z^2/2 - z, f^{2,1} = z^2/2: f(x) = (2x)^2/2 - x has the slope "
        "4 - 1 = 3 at x = 1. There z^1 = 2, and the mean of 1 (2 - 1) and 3 (2) is 7/2.",
    ),
)
MCO_CORRECTED = record(
    claims.MCO_CORRECTED,
    families=[composition.narrowed("a composition of parabolas, two levels", da0=reals(2, 0), da1=reals(1, 0))],
    tight=Sharp(terms=True),
)
MCO_ONE_LEVEL = record(claims.MCO_ONE_LEVEL, families=[composition])
BIAS = record(claims.BIAS, families=[plug_in])
