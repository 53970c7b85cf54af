"""Lemma D.1 and Corollary D.1 on compositions of functions of one number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import corollary_d1 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, climb, counts, example, family, growing, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, sin, sqrt
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes, each
from rateproof.verify.form.parts import huber, hyperbola
from rateproof.verify.papers.fedmsa.corollary_c1 import bend
from rateproof.verify.planted.mutate import Sharp


@dataclass(frozen=True)
class Layers:
    """``f^0 = a x + e r(x)`` and ``f^1 = k r(z) - b z`` of one client, where ``r(t) = sqrt(1 + t^2) - 1``."""

    a: Number
    e: Number
    k: Number
    b: Number

    def f(self, x: Number) -> Number:
        """The first layer."""
        return self.a * x + hyperbola(self.e).value(x)

    def A(self, x: Number) -> Number:
        """Its derivative."""
        return self.a + hyperbola(self.e).slope(x)

    def t(self, z: Number) -> Number:
        """The derivative of the second layer."""
        return hyperbola(self.k).slope(z) - self.b

    def answers(self) -> dict[str, Any]:
        """Constants, and the hypotheses that hold for one client with exact oracles."""
        none = 0 * self.a
        said = "the derivatives of r are at most 1, of first and second order"
        return {
            "L_layer": abs(self.a) + self.e,
            "Lp_layer": self.e,
            "T_tail": self.k + abs(self.b),
            "l_T": self.k,
            **dict.fromkeys(("sigma_layer", "sigma_T", "tau_layer", "tau_T"), none),
            "M": 1,
            "N_lev": 1,
            **{key: Fact(True, said) for key in ("G", "H", "I")},
            "independent": Fact(True, "the signs of the noises are independent"),
            "squares": Fact(True, "the mean square of the multiples is (5/4)^2"),
            "mean": Fact(True, "all is that of the mean over the clients"),
        }


#: Coordinates: those of x or ``z^{n-1}``, of ``z^n``, and of the factors behind the first one.
PLACES = {"x": 0, "u": 1, "t": 2}


def along(layout: Outcomes, place: str, size: float | Grid) -> Grid:
    """A vector with one coordinate."""
    return layout.along(COORDINATE, [float(other == place) for other in PLACES]) * size


def in_places(
    of: Layers,
    made: Mapping[str, tuple[str, float]],
    noises: Mapping[str, tuple[str, str, float]] | None = None,
    given: Mapping[str, float] | None = None,
) -> InOutcomes:
    """Points, noises ``name -> (place, source, size)``, and the layers at them; ``given`` is what is no point."""
    sources = ("past", "zeta", "zeta0", "zeta1") if noises is not None else ()
    axes: dict[Axis, Any] = {COORDINATE: [1.0] * 3}
    axes |= {(s,): (1.0, 0.0) if s == "past" else (0.5, 0.5) for s in sources}
    layout = Outcomes(axes, {}, {}, words(axes, "xi"))
    known = given or {}

    def sign(source: str) -> Grid:
        return layout.along((source,), [1.0, -1.0])

    def part(z: Grid, place: str) -> Grid:
        return z.take([PLACES[place] if z.shape[0] > 1 else 0], 0)

    def slopes(z: Grid) -> Grid:
        return each(lambda x: float(of.A(x)), 1, part(z, "x"))[0]

    def tail(z: Grid) -> Grid:
        return each(lambda x: float(of.t(x)), 1, part(z, "u"))[0]

    def layer(z: Grid) -> Grid:
        return each(lambda x: float(of.f(x)), 1, part(z, "x"))[0]

    def at(place: str, image: Callable[[Grid], Grid]) -> Callable[[Grid], tuple[Grid, None]]:
        return lambda z: (along(layout, place, image(z)), None)

    functions = {
        "f^{n-1}": at("u", layer),
        "f^{m,n-1}": at("u", layer),
        "grad f^{n-1} u": at("u", slopes),
        "t": at("t", tail),
        "t along z*": at("t", tail),
        "grad f^{m,0} t": at("x", lambda z: slopes(z) * part(z, "t")),
        "t in Z": at("t", tail),
        "grad f^{m,0}": at("x", lambda z: slopes(z) * part(z, "t")),
    }
    if noises is not None:
        spread = known.get("spread", 0.0)
        functions |= {
            "mean grad f^{m,0}": at("x", lambda z: float(of.A(known["x"])) * part(z, "t")),
            "noise of grad f^{m,0}": at("x", lambda z: known["sigma"] * sign("zeta0") * part(z, "t")),
            "sample of f^{m,n-1}": at("u", lambda z: layer(z) * (1 + spread * sign("zeta"))),
            "sample of grad f^{m,0} t": at(
                "x",
                lambda z: slopes(z) * (1 + spread * sign("zeta0")) * (known["t"] + known["noise"] * sign("zeta1")),
            ),
        }

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        vectors = {name: along(layout, place, x) for name, (place, x) in made.items()}
        vectors |= {name: along(layout, place, sign(s) * x) for name, (place, s, x) in (noises or {}).items()}
        for name in made.keys() & setting.depends.keys():
            if "past" in setting.depends[name].split():
                vectors[name] = vectors[name] + along(layout, "u", layout.along(("past",), [0.0, 1.0]))
        yield Outcomes(axes, vectors, {n: functions[n] for n in setting.functions}, words(axes, "xi"))

    return outcomes


LAYERS = {
    "a": reals(1, 0, -2, zero=True),
    "e": reals(1, 0, 3, zero=True),
    "k": reals(1, 0, 4, zero=True),
    "b": reals(0, 1, -2, zero=True),
}


def points_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`at_points` as vectors."""
    p = in_floats(params)
    of = Layers(**{name: p[name] for name in LAYERS})
    z, zb, u, ub = (p[name] for name in ("z", "zb", "u", "ub"))
    made = {"z": ("x", z), "zb": ("x", zb), "x": ("x", z), "xb": ("x", zb), "u": ("u", u), "ub": ("u", ub)}

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        more = {"t": ("t", float(of.t(u)))} if "t" in setting.depends else {}
        alone = {"fz": ("u", float(of.f(z)))} if "fz" in setting.depends else {}
        return in_places(of, {**made, **more, **alone})(setting)

    return outcomes


@family(
    "two layers at two points",
    None,
    points_in_vectors,
    z=reals(1, 0, -3, zero=True),
    zb=reals(0, 2, zero=True),
    u=reals(1, 0, -3, zero=True),
    ub=reals(0, 2, zero=True),
    **LAYERS,
)
def at_points(*, z: Number, zb: Number, u: Number, ub: Number, **given: Number) -> dict[str, Any]:
    """Any points; x is ``z^0``, and the factor behind is taken at u."""
    of = Layers(**given)
    fz, fb = of.f(z), of.f(zb)
    return {
        **of.answers(),
        "dz2": (z - zb) ** 2,
        "du2": (u - ub) ** 2,
        "dSu2": ((u - fz) - (ub - fz)) ** 2,
        "dzs2": (fz - fb) ** 2,
        "dJ2": (of.A(z) - of.A(zb)) ** 2,
        "dSm2": ((u - fz) - (u - fb)) ** 2,
        "dPx2": ((of.A(z) - of.A(zb)) * of.t(u)) ** 2,
        "dPZ2": (of.A(z) * (of.t(u) - of.t(ub))) ** 2,
        "dPc2": (of.A(z) * of.t(fz) - of.A(zb) * of.t(fb)) ** 2,
        "pull_S": (u - fz) * (u - fz),
        "gap_z": (u - fz) ** 2,
        "degenerate": z == zb or u == ub,
    }


def samples_in_vectors(**params: Any) -> InOutcomes:
    """The noises of :func:`sampled` as vectors."""
    p = in_floats(params)
    of = Layers(**{name: p[name] for name in LAYERS})
    made = {"x": ("x", p["z"]), "xb": ("x", p["zb"]), "z": ("u", p["u"])}
    noises = {"e": ("u", "zeta", p["sigma_layer"]), "e1": ("t", "zeta1", p["sigma_T"])}
    given = {"x": p["z"], "sigma": p["sigma_layer"], "spread": 0.75, "t": float(of.t(p["u"])), "noise": p["sigma_T"]}

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        return in_places(of, {n: v for n, v in made.items() if n in setting.depends}, noises, given)(setting)

    return outcomes


@family(
    "samples of two layers",
    None,
    samples_in_vectors,
    law=choice("two noises", "multiples"),
    z=reals(1, 0, -3, zero=True),
    zb=reals(0, 2, zero=True),
    u=reals(1, 0, -3, zero=True),
    sigma_layer=reals(1, 0, 2, zero=True),
    sigma_T=reals(1, 0, 2, zero=True),
    **LAYERS,
)
def sampled(
    *, law: str, z: Number, zb: Number, u: Number, sigma_layer: Number, sigma_T: Number, **given: Number
) -> dict[str, Any]:
    """Noises +-sigma of the first layer and of the factor behind it; or multiples of the first layer by 1/4 and 7/4."""
    of = Layers(**given)
    out, t, A = of.answers(), of.t(u), of.A(z)
    numbers = {
        "sigma_layer": sigma_layer,
        "sigma_T": sigma_T,
        "var_S": sigma_layer**2,
        "var_P": A**2 * sigma_T**2 + sigma_layer**2 * (t**2 + sigma_T**2),
    }
    if law == "multiples":
        # the mean square of the multiples is (5/4)^2
        numbers = {"L_layer": 5 * out["L_layer"] / 4, "Lp_layer": 5 * out["Lp_layer"] / 4, "sigma_T": sigma_T}
        numbers |= {
            "dp_ms": 25 * (A - of.A(zb)) ** 2 * (t**2 + sigma_T**2) / 16,
            "ds_ms": 25 * (of.f(z) - of.f(zb)) ** 2 / 16,
        }
    return {**out, "dz2": (z - zb) ** 2, **numbers, "degenerate": z == zb}


@dataclass(frozen=True)
class Two:
    """Two clients with ``f^{m,0} = a_m x`` and ``f^{m,1} = k r(z) - b_m z``; it is about the first one, or the mean."""

    a: tuple[Number, Number]
    b: tuple[Number, Number]
    k: Number

    @property
    def mean_a(self) -> Number:
        """The derivative of ``f^0``."""
        return sum(self.a) / 2

    def slopes(self, z: Number) -> list[Number]:
        """The derivatives of ``f^{m,1}``."""
        return [hyperbola(self.k).slope(z) - b for b in self.b]

    def answers(self, normal: str) -> dict[str, Any]:
        """Constants, with the mean or the sum in Definition 2.2, and hypotheses."""
        of = sum(self.a) if normal == "sum" else self.mean_a
        levels = [name for name, (one, other) in (("0", self.a), ("1", self.b)) if one != other]
        return {
            "L_layer": largest(*map(abs, self.a)),
            "Lp_layer": 0 * self.k,
            "T_tail": self.k + largest(*map(abs, self.b)),
            "l_T": self.k,
            "tau_layer": largest(*(abs(a - of) for a in self.a)),
            "tau_T": abs(self.b[0] - self.b[1]) / 2,
            **dict.fromkeys(("taup_layer", "taup_T"), 0 * self.k),
            "H second": Fact(True, "the second derivatives are the same for both clients"),
            "M": 2,
            "N_lev": 1,
            **{key: Fact(True, "r has derivatives of at most 1") for key in ("G", "H", "I")},
            "het mean": Fact(normal == "mean", f"Definition 2.2 is read with the {normal}"),
            "het sum": Fact(normal == "sum", f"Definition 2.2 is read with the {normal}"),
            "f (Fed-MCO)": Fact(True, "grad f is that for means"),
            "mean": Fact(True, "P is the mean"),
            "one differs": Fact(len(levels) < 2, f"levels {' and '.join(levels) or 'that differ: none'}"),
        }


CLIENTS = {
    "a_1": reals(1, 2),
    "a_2": reals(3, 1, -1),
    "b_1": reals(0, 1, zero=True),
    "b_2": reals("4/5", 0, 1, zero=True),
    "k": reals(1, 0, 3, zero=True),
}


def two_of(p: Mapping[str, Any]) -> Two:
    """The clients of some parameters."""
    return Two((p["a_1"], p["a_2"]), (p["b_1"], p["b_2"]), p["k"])


def two_in_vectors(**params: Any) -> InOutcomes:
    """The point of :func:`two_clients` as vectors."""
    p = in_floats(params)
    two, x = two_of(p), p["x"]
    zs = two.mean_a * x
    axes: dict[Axis, Any] = {COORDINATE: [1.0] * 3, ("client",): (0.5, 0.5)}
    layout = Outcomes(axes, {}, {}, words(axes, "xi"))
    a = layout.along(("client",), two.a)
    b = layout.along(("client",), two.slopes(zs))
    differs = p["b_1"] != p["b_2"]
    vectors = {
        "zs": ("u", zs),
        "Ab": ("x", two.mean_a * b.mean()),
        "first": ("x", a * b.mean()),
        "second": ("x", two.mean_a * b),
        "ev": ("u", p["gap"]),
        # the factor before is a for all clients, or 1
        "behind": ("u", b if differs else a * b),
        "a": ("x", p["da"]),
        "b": ("u", p["db"]),
    }

    def turn(factor: Any, place: str) -> Callable[[Grid], tuple[Grid, None]]:
        return lambda z: (along(layout, place, z.sum(0, keepdims=True) * factor), None)

    def layer(slope: Any) -> Callable[[Grid], tuple[Grid, Grid]]:
        return lambda z: (along(layout, "u", slope), slope * z.sum(0, keepdims=True))

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        corollary = "zs" in setting.depends
        second = two.k * float(bend(zs))
        at: dict[str, Any] = {
            "f^{m,1}": layer(b),
            "f^1": layer(b.mean()),
            "grad f^{m,0} - grad f^0": turn(a - two.mean_a, "x") if corollary else turn(two.a[0] - two.mean_a, "u"),
            "the factors before": lambda z: (
                along(layout, "x", z.sum(0, keepdims=True) * (two.a[0] if differs else 1.0)),
                None,
            ),
            "grad_x P^m": turn(0.0, "x"),
            "grad_x P": turn(0.0, "x"),
            "grad_z P^m": turn(two.a[0] * second, "x"),
            "grad_z P": turn(two.mean_a * second, "x"),
            **{says.of: turn(0.0, "x") for says in claims.H_SECOND.says},
            # f^{m,0} is linear, and f^{m,1} has one second derivative: of the six parts this one is not 0
            "(grad f^{m,0} - grad f^0) D grad f^{m,1}": turn((two.a[0] - two.mean_a) * second, "x"),
        }
        made = {n: along(layout, place, x) for n, (place, x) in vectors.items() if n in setting.depends}
        yield Outcomes(axes, made, {n: at[n] for n in setting.functions}, words(axes, "xi"))

    return outcomes


@family(
    "two clients at a point",
    None,
    two_in_vectors,
    normal=choice("mean", "sum"),
    x=reals("3/8", 0, 2, zero=True),
    gap=reals(0, 1, zero=True),
    da=reals(1, 0, zero=True),
    db=reals(0, 1, -1, zero=True),
    **CLIENTS,
)
def two_clients(*, normal: str, x: Number, gap: Number, da: Number, db: Number, **given: Number) -> dict[str, Any]:
    """``xtilde = x``, ``ztilde = z* + gap``; derivatives in the direction ``(da, db)``."""
    two = two_of(given)
    zs = two.mean_a * x
    slopes = two.slopes(zs)
    P = sum(a * t for a, t in zip(two.a, slopes, strict=True)) / 2
    f_x = two.mean_a * sum(slopes) / 2
    parts = [db - a * da for a in two.a]
    whole = sum(parts) if normal == "sum" else sum(parts) / 2
    return {
        **two.answers(normal),
        "gf2_mco": f_x**2,
        "P2_out": P**2,
        "bias2": (P - f_x) ** 2,
        "gap2_out": gap**2,
        "het_S2": (parts[0] - whole) ** 2,
        "dir2": da**2 + db**2,
        "het_P": abs((two.a[0] - two.mean_a) * two.k * bend(zs) * db),
        "da2": da**2,
        "db2": db**2,
    }


def factors(law: str, N_lev: int, L_all: Number, tau_all: Number) -> list[tuple[Number, Number]]:
    """The derivatives of both clients from the last level on, and one more: L and L - 2 tau, or they take turns."""
    pair = (L_all, L_all - 2 * tau_all)
    return [pair[::-1] if law == "turned" and n % 2 else pair for n in range(N_lev + 2)]


def levels_in_vectors(**params: Any) -> InOutcomes:
    """The products of :func:`levels` as vectors, level by level."""
    p = in_floats(params)
    of = factors(p["law"], p["N_lev"], p["L_all"], p["share"] * p["L_all"])
    axes: dict[Axis, Any] = {COORDINATE: [1.0], ("client",): (0.5, 0.5)}
    layout = Outcomes(axes, {}, {}, words(axes, "xi"))

    def times(factor: Any) -> Callable[[Grid], tuple[Grid, None]]:
        return lambda z: (z * factor, None)

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        each_, tb = layout.along(("client",), of[0]), layout.along(COORDINATE, [sum(of[0]) / 2])
        for k, pair in enumerate(of[1:]):
            a, mean = layout.along(("client",), pair), sum(pair) / 2
            at = {"A": times(mean), "A_m": times(a), "A_m - A": times(a - mean), "A_m - A at tb": times(a - mean)}
            made = {"tb": tb, "dev": each_ - tb, "raw": a * tb}
            yield Outcomes(axes, made, at, words(axes, "xi"), term={claims.k: k})
            each_, tb = each_ * a, tb * mean

    return outcomes


@family(
    "two clients whose derivatives differ at every level",
    None,
    levels_in_vectors,
    law=choice("alike", "turned"),
    N_lev=counts(1, 2, 3, most=6),
    L_all=reals(1, 2),
    share=reals(0.1, 0, 0.5, 1, zero=True),
)
def levels(*, law: str, N_lev: int, L_all: Number, share: Number) -> dict[str, Any]:
    """One client has the derivative L at each level, the other one L - 2 tau, or they take turns; tau = share L."""
    tau = share * L_all
    of = factors(law, N_lev, L_all, tau)
    one = own = other = 1 + 0 * L_all
    for a, b in of[:-1]:
        one, own, other = one * (a + b) / 2, own * a, other * b
    P = (own + other) / 2
    said = "all layers are linear"
    return {
        **{key: Fact(True, said) for key in ("G", "H", "I", "f (Fed-MCO)", "mean", "het mean", "last level")},
        "other levels": Fact(share <= 1, "the derivatives lie from L - 2 tau to L"),
        "M": 2,
        "N_lev": N_lev,
        "L_all": L_all,
        "tau_all": tau,
        "slopes_last": (L_all - tau) ** 2,
        "spread_last": tau**2,
        "off_last": 0 * L_all,
        "gf2_mco": one**2,
        "P2_out": P**2,
        "bias2": (P - one) ** 2,
    }


@family("clients with values 1 and -1", client=choice("1", "2"), t=reals(1, 0.1))
def apart(*, client: str, t: Number) -> dict[str, Any]:
    """``f^{1,0} = x - 1`` and ``f^{2,0} = x + 1``, at ``z^1 = z* + t``, ``z*(x) = x``."""
    pull = t * (t + 1) if client == "1" else t * (t - 1)
    return {**known(t), "M": 2, "lam_n": 1 + 0 * t, "pull_m": pull, "gap_z": t**2}


@family("clients that have one value", t=reals(1, 0.1))
def alike(*, t: Number) -> dict[str, Any]:
    """``f^{m,0} = x``, at ``z^1 = z* + t``, ``z*(x) = x``."""
    return {**known(t), "M": 1, "lam_n": 1 + 0 * t, "pull_m": t**2, "gap_z": t**2}


def known(like: Number) -> dict[str, Any]:
    """Hypotheses of instances that have the constants 1, whatever grows."""
    one = 1 + 0 * like
    facts = {key: Fact(True, "all constants are at most 2") for key in ("G", "H", "I")}
    return {**facts, **dict.fromkeys(("sigma_max", "Lb_p"), one)}


@family("samples that are large with the chance 1/t^2", law=choice("one event", "two events"), t=reals(10, 100))
def rare(*, law: str, t: Number) -> dict[str, Any]:
    """``f^{1,0}(x; .) = x - s cos(t x)`` and ``f^{1,1}(z; .) = z + s' t sin z``, with signs s and s', on an event; else
    x and z. The first derivative is ``1 + s t sin(t x)`` at x, the second one ``1 + s' t`` at 0.

    Taken are x = 0 and x = 1/t where maps are compared, and else the point where ``sin(t x) = 1``.
    """
    one = 1 + 0 * t
    q, both = one / t**2, law == "one event"
    # |1 + s' t| has the mean t for t >= 1
    factor = q * t if both else q * (1 - q + q * t)
    return {
        **known(t),
        **{"L_layer": 2, "T_tail": 2, "sigma_layer": 1, "sigma_T": 1},
        "var_P": 2 + t**2 if both else 3 * one,
        "dz_len": one / t,
        "dz2": q,
        "dp_mean": t * sin(one) * factor,
        "ds_mean": (1 - q) / t + 2 * q * sin(one / 2) ** 2,
        "independent": Fact(not both, "the samples share an event" if both else "the events are independent"),
    }


@family("clients whose slopes are almost 0", tau_het=reals("1/10", 1))
def flat(*, tau_het: Number) -> dict[str, Any]:
    """``f^{m,0} = x``, ``f^{1,1} = tau^2 r(z/tau)`` and ``f^{2,1} = -f^{1,1}``, in the direction of z at z = 0."""
    one = 1 + 0 * tau_het
    why = "the slopes lie from -tau to tau, and the second derivatives from -1 to 1"
    return {
        **known(tau_het),
        "H": Fact(True, why),
        "het mean": Fact(True, "the means are 0"),
        "het sum": Fact(False, "f^{m,0} differs from the sum of both"),
        "het_P": one,
        "da2": 0 * one,
        "db2": one,
    }


@family("clients whose sums are 0", M=counts(2, 4))
def opposite(*, M: int) -> dict[str, Any]:
    """``f^{m,0} = x`` and ``f^{m,1} = r(z)`` for half of the clients, -x and -r(z) for the others, at z = 0.

    Raises:
        ValueError: M is odd.
    """
    if M % 2:
        raise ValueError(f"{M} clients have no halves")
    one = sqrt(M) / sqrt(M)
    # the derivative of every P^m is that of r' and so 1, that of their sum M
    return {
        **known(one),
        "M": M,
        "het sum": Fact(True, "the sums are 0, and the slopes lie from -1 to 1"),
        "het mean": Fact(False, "the difference is that to the sum"),
        "tau_het": one,
        "het_P": one * (M - 1),
        "da2": 0 * one,
        "db2": one,
    }


@family(
    "FedMCO at a zero of P",
    objective=choice("sums", "means"),
    batch=choice("one", "K R"),
    R_rounds=counts(1, 64),
    K=counts(1, 5),
    alpha_x=reals(1, 0.1),
    **CLIENTS,
)
def at_a_zero(
    *,
    objective: str,
    batch: str,
    R_rounds: int,
    K: int,
    alpha_x: Number,
    a_1: Number,
    a_2: Number,
    b_1: Number,
    b_2: Number,
    k: Number,
) -> dict[str, Any]:
    """``f^{m,0} = a_m x``, ``f^{m,1} = k h(z) - b_m z``, h the Huber function, from ``z^1 = z*`` and where P = 0.

    Raises:
        ValueError: P has no zero where h is quadratic.
    """
    one = 1 + 0 * k
    h = huber(k, 4 * one)
    a, b = (a_1 + a_2) / 2, (b_1 + b_2) / 2
    z = (a_1 * b_1 + a_2 * b_2) / (2 * a * k)
    if abs(z) > 2:
        raise ValueError(f"P is 0 at z = {z}; it should be at most 2")
    slope = 2 * a * (h.slope(2 * z) - b) if objective == "sums" else a * (h.slope(z) - b)
    spread = largest(abs(a_1 - a_2), abs(b_1 - b_2)) / 2
    whole = largest(abs(a_1), abs(a_2), 4 * k + abs(b_1), 4 * k + abs(b_2))
    stays = Fact(True, "x and z stay where they are, whatever the steps")
    return {
        **dict.fromkeys(
            ("G", "H", "I", "largest of all"), Fact(True, f"{h.name}: its slopes are at most {h.steepest}")
        ),
        "f (App. D)": Fact(objective == "sums", f"grad f is that for {objective}"),
        "f (Fed-MCO)": Fact(objective == "means", f"grad f is that for {objective}"),
        "fedmsa": Fact(True, "all rounds are those of Algorithm 1"),
        "S-proof": stays,
        # as Definition 2.2 has it, with the mean or with the sum
        "tau_het": largest(spread, whole),
        "sigma_max": 0 * one,
        **dict.fromkeys(("c_rho", "c_alpha", "c_beta"), 2 * K * largest(spread, whole)),
        "rho_m": one / R_rounds,
        "alpha_x": one,
        "beta_n": one,
        "M": 2,
        "K": K,
        "R_rounds": R_rounds,
        "b_0": 1 if batch == "one" else K * R_rounds,
        "b_batch": 1,
        "gf2_mco": slope**2,
        "gap2_out": 0 * one,
    }


UP = [20**k for k in range(1, 6)]
DOWN = [f"1/{n}" for n in UP]
ROUNDS = [64**k for k in range(1, 6)]
AHEAD = climb(apart, "z^1 -> z*", "S^{1,1}(x, z*) = 1", t=DOWN)
BEHIND = climb(apart, "z^1 -> z*", "S^{2,1}(x, z*) = -1", client="2", t=DOWN)
ALIKE = climb(alike, "z^1 -> z*", "S(x, z*) = 0", t=DOWN)
SHARED = climb(rare, "t -> infinity", "both factors are large at once", t=UP)
APART = climb(rare, "t -> infinity, two events", "both factors are rarely large at once", law="two events", t=UP)
MORE = climb(opposite, "M -> infinity", "the sum of equal maps grows with M", M=UP)
FLAT = climb(flat, "tau -> 0", "second derivatives do not fall with tau", tau_het=DOWN)
EQUAL = {"a_1": 1, "a_2": 1, "b_1": "1/2", "b_2": "1/2"}
SUMS = climb(at_a_zero, "R -> infinity", "grad f is not 0 where P is", R_rounds=ROUNDS, **EQUAL)
UNLIKE = {"objective": "means", "a_1": 1, "a_2": 3, "b_1": 1, "b_2": 0}
MEANS = climb(at_a_zero, "R -> infinity, means inside", "grad f is not 0 where P is", R_rounds=ROUNDS, **UNLIKE)
MANY = climb(
    at_a_zero,
    "R -> infinity, means inside, b_0 = K R",
    "grad f is not 0 where P is",
    R_rounds=ROUNDS,
    batch="K R",
    **UNLIKE,
)
SUMS_MANY = climb(
    at_a_zero, "R -> infinity, b_0 = K R", "grad f is not 0 where P is", R_rounds=ROUNDS, batch="K R", **EQUAL
)

WITH_MEANS = two_clients.narrowed("two clients at a point, with means", normal=choice("mean"))
ONE_FIRST = WITH_MEANS.narrowed("two clients with one first layer", a_1=reals(2), a_2=reals(2))
ONE_SECOND = WITH_MEANS.narrowed("two clients with one second layer", b_1=reals("1/2"), b_2=reals("1/2"))

A1 = record(claims.A1, families=[at_points])
A2 = record(claims.A2, families=[at_points])
A3_P = record(claims.A3_P, families=[at_points])
A3_PX = record(claims.A3_PX, families=[at_points])
A3_Z = record(claims.A3_Z, families=[at_points])
A3_S = record(claims.A3_S, families=[at_points], tight=Sharp())
A4 = record(
    claims.A4,
    climbs=[APART],
    refuted_by=growing(
        SHARED,
        ratios=["16.8294", "336.588", "6731.77", "1.34635e5", "2.69271e6"],
        by_hand="""Samples x - s cos(t x) and z + s' t sin z on an event of the chance 1/t^2, with signs s and s',
        and x and z else. They are unbiased, of variance 1 and less, Lipschitz in the mean with constants below 2.
        Between x = 0 and 1/t the first derivative changes by t sin 1 there, where the second one is 1 + s' t at z = 0,
        of mean size t. So E||p - p'|| = sin 1, which is t sin 1 times 1/t.""",
    ),
)
A4_CORRECTED = record(
    claims.A4_CORRECTED, families=[sampled.narrowed("multiples of two layers", law=choice("multiples"))]
)
A5 = record(
    claims.A5,
    climbs=[BEHIND, ALIKE],
    refuted_by=growing(
        AHEAD,
        ratios=["21", "401", "8001", "1.60001e5", "3.2e6"],
        by_hand="""f^{1,0}(x) = x - 1 and f^{2,0}(x) = x + 1: z*(x) = x. At z = x + t, S^1 = z - f^{1,0}(x) = t + 1,
        and t (t + 1) is at most lambda t^2 for no lambda and all t. With >= instead, S^2 = t - 1 gives t (t - 1) <
        0 for t < 1.""",
    ),
)
A5_CORRECTED = record(claims.A5_CORRECTED, families=[at_points])
B_P = record(
    claims.B_P,
    climbs=[APART],
    refuted_by=growing(
        SHARED,
        ratios=["402", "160002", "6.40000e7", "2.56e10", "1.024e13"],
        by_hand="""As for A4: where sin(t x) = 1 and z = 0, the two derivatives are 1 + s t and 1 + s' t on an event
        of the chance 1/t^2, and 1 else. Each has the variance 1. Their product has the mean 1, and its mean square
        distance from that is (2 t^2 + t^4)/t^2 = 2 + t^2.""",
    ),
)
B_P_CORRECTED = record(claims.B_P_CORRECTED, families=[sampled], tight=Sharp(terms=True))
B_S = record(claims.B_S, families=[sampled], tight=Sharp())
C_S = record(
    claims.C_S,
    families=[two_clients],
    refuted_by=example(
        two_clients,
        normal="sum",
        a_1=1,
        a_2=1,
        da=1,
        db=-1,
        left="4",
        right="2",
        by_hand="""Two clients with f^{m,0}(x) = x: grad f^{m,0} and the sum 2 differ by tau_0 = 1. S^m = z - x and
        S = 2 z - 2 x: in the direction (1, -1) of (x, z), their derivatives are -2 and -4. The square of the
        difference is 4, that of the direction is 2.""",
    ),
)
C_S_CORRECTED = record(claims.C_S_CORRECTED, families=[WITH_MEANS], tight=Sharp())
C_P = record(
    claims.C_P,
    climbs=[FLAT],
    refuted_by=growing(
        MORE,
        ratios=["361", "159201", "6.3984e7", "2.55997e10", "1.024e13"],
        by_hand="""M clients, half of them with f^{m,0} = x and f^{m,1} = sqrt(1 + z^2), the others with minus both: all
        sums are 0 and all slopes at most 1, so tau_0 = tau_1 = 1. P^m = z/sqrt(1 + z^2) for every client, of the
        derivative 1 at z = 0, and P, the sum, has M: they differ by M - 1. With the mean, take f^{m,0} = x for two
        clients, f^{1,1}(z) = tau^2 sqrt(1 + (z/tau)^2) and f^{2,1} = -f^{1,1}: tau_0 = 0, tau_1 = tau. The derivative
        of P^1 = -P^2 in z is 1 at z = 0, and P = 0: they differ by 1, for every tau.""",
    ),
)
C_P_CORRECTED = record(claims.C_P_CORRECTED, families=[WITH_MEANS])
C_P_SECOND = record(claims.C_P_SECOND, families=[WITH_MEANS])
CORD1 = record(
    claims.CORD1,
    climbs=[SUMS_MANY, MEANS, MANY],
    refuted_by=growing(
        SUMS,
        ratios=["11.6364", "744.727", "47662.5", "3.05040e6", "1.95226e8"],
        by_hand="""Two equal clients, exact oracles: f^{m,0} = x, f^{m,1} = z^2/2 - z/2 for |z| <= 4, linear beyond.
        From x = z = 1/2 nothing moves: S = z - x = 0, P = z - 1/2 = 0. With sums inside, f(x) = f^{1,1}(2 x) has
        the slope 2 (2 x - 1/2) = 1. Claimed is (tau + 1)/R for K = 1, where tau is at most
        9/2. With means and a = (1, 3), b = (1, 0), P = 4 x - 1/2 = 0 at x = 1/8, where grad f = 4 x - 1 = -1/2.""",
    ),
)
CORD1_CORRECTED = record(claims.CORD1_CORRECTED, families=[WITH_MEANS], tight=Sharp(metrics=(claims.bias2,)))
CORD1_ONE = record(claims.CORD1_ONE, families=[ONE_FIRST, ONE_SECOND])
CORD1_LEVELS = record(claims.CORD1_LEVELS, families=[levels], tight=Sharp(metrics=(claims.bias2,)))
