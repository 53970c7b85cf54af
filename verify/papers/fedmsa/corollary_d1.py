"""Lemma D.1 and Corollary D.1 on compositions of functions of one number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import corollary_d1 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, climb, counts, example, family, growing, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, around, largest, sin, sqrt
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes, each
from rateproof.verify.form.parts import huber, hyperbola, parabola
from rateproof.verify.papers.fedmsa.corollary_c1 import bend
from rateproof.verify.papers.fedmsa.one_round import Method, Problem, constants, in_vectors
from rateproof.verify.papers.fedmsa.rates import with_steps
from rateproof.verify.planted.mutate import Sharp

# --- one client at two points, with samples


class Layers(NamedTuple):
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


def imaged(image: Callable[[Grid], Grid], x: Grid) -> tuple[Grid, None]:
    """The image of a map, which has no value."""
    return image(x), None


def layers_in_vectors(**params: Any) -> InOutcomes:
    """The points and noises of :func:`layers`, on a line."""
    q = in_floats(params)
    of = Layers(*(q[name] for name in Layers._fields))
    chances: dict[Axis, Any] = {COORDINATE: [1.0], **{(s,): (0.5, 0.5) for s in ("zeta", "zeta0", "zeta1")}}
    flat = Outcomes(chances, {}, {}, words(chances, "xi"))
    sizes = {"zeta": q["sigma_layer"], "zeta0": q["sigma_layer"], "zeta1": q["sigma_T"]}
    noise, of_A, of_t = (flat.along((source,), [size, -size]) for source, size in sizes.items())
    t, t_star = of.t(q["u"]), of.t(of.f(q["z"]))

    def f(x: Grid) -> Grid:
        return each(of.f, 1, x)[0]

    def A(x: Grid) -> Grid:
        return each(of.A, 1, x)[0]

    images: dict[str, Callable[[Grid], Grid]] = {
        "f^{n-1}": f,
        "f^{m,n-1}": f,
        "grad f^{n-1} u": A,
        "layers behind": lambda z: each(of.t, 1, z)[0],
        "grad f^{m,0} t": lambda x: A(x) * t,
        "grad f^{m,0} t*": lambda x: A(x) * t_star,
        "grad f^{m,0} at z": lambda x: x * of.A(q["z"]),
        "grad f^{m,0} at zb": lambda x: x * of.A(q["zb"]),
        "noise of grad f^{m,0}": lambda x: x * of_A,
        "sample of f^{m,n-1}": lambda x: f(x) + noise,
        "sample of grad f^{m,0} t": lambda x: (A(x) + of_A) * (t + of_t),
    }
    made = {name: flat.along(COORDINATE, [q[name]]) for name in ("z", "zb", "u", "ub")} | {"e": noise, "e1": of_t}
    at = {name: partial(imaged, image) for name, image in images.items()}
    return lambda _: iter([Outcomes(chances, made, at, words(chances, "xi"))])


@family(
    "two layers at two points, and samples of them",
    None,
    layers_in_vectors,
    z=reals(1, 0, -3, zero=True),
    zb=reals(0, 2, zero=True),
    u=reals(1, 0, -3, zero=True),
    ub=reals(0, 2, zero=True),
    sigma_layer=reals(1, 0, 2, zero=True),
    sigma_T=reals(1, 0, 2, zero=True),
    a=reals(1, 0, -2, zero=True),
    e=reals(1, 0, 3, zero=True),
    k=reals(1, 0, 4, zero=True),
    b=reals(0, 1, -2, zero=True),
)
def layers(
    *, z: Number, zb: Number, u: Number, ub: Number, sigma_layer: Number, sigma_T: Number, **given: Number
) -> dict[str, Any]:
    """Any points, and noises +-sigma of the first layer, of its derivative and of the factor behind it, at u.

    ``z``: the point of the first layer; ``zb``: its other point; ``u``: the point of the layer behind it; ``ub``: the
    other point of the layer behind it; ``a``, ``e``: coefficients of the first layer a x + e r(x) with r(t) = sqrt(1 +
    t^2) - 1; ``k``, ``b``: coefficients of the layer behind it, k r(z) - b z.
    """
    of = Layers(**given)
    fz, fb, t, slope, none = of.f(z), of.f(zb), of.t(u), of.A(z), 0 * z
    return {
        "L_layer": abs(of.a) + of.e,
        "Lp_layer": of.e,
        "T_tail": of.k + abs(of.b),
        "l_T": of.k,
        **{"sigma_layer": sigma_layer, "sigma_T": sigma_T, "tau_layer": none, "tau_T": none, "M": 1, "N_lev": 1},
        **{key: Fact(True, "r has derivatives of at most 1, of first and second order") for key in ("G", "H", "I")},
        "independent": Fact(True, "the signs of the noises are independent"),
        "squares": Fact(True, "the noises are the same at all points"),
        "mean": Fact(True, "there is one client"),
        "dz2": (z - zb) ** 2,
        "du2": (u - ub) ** 2,
        "dSu2": ((u - fz) - (ub - fz)) ** 2,
        "dzs2": (fz - fb) ** 2,
        "dJ2": (slope - of.A(zb)) ** 2,
        "dSm2": ((u - fz) - (u - fb)) ** 2,
        "dPx2": ((slope - of.A(zb)) * t) ** 2,
        "dPZ2": (slope * (t - of.t(ub))) ** 2,
        "dPc2": (slope * of.t(fz) - of.A(zb) * of.t(fb)) ** 2,
        "dp_ms": (slope - of.A(zb)) ** 2 * (t**2 + sigma_T**2),
        "ds_ms": (fz - fb) ** 2,
        "pull_S": (u - fz) * (u - fz),
        "gap_z": (u - fz) ** 2,
        "var_S": sigma_layer**2,
        "var_P": slope**2 * sigma_T**2 + sigma_layer**2 * (t**2 + sigma_T**2),
        "degenerate": z == zb or u == ub,
    }


# --- what grows: the O(.) of Lemma D.1


def known(like: Number, M: int = 2) -> dict[str, Any]:
    """Hypotheses of instances that have the constants 1, whatever grows."""
    facts = {key: Fact(True, "all constants are at most 2") for key in ("G", "H", "I")}
    return {**facts, **dict.fromkeys(("sigma_max", "Lb_p", "lam_n"), 1 + 0 * like), "M": M}


@family("clients with the values x - 1 and x + 1, or one", client=choice("1", "2", "alone"), t=reals(1, 0.1))
def apart(*, client: str, t: Number) -> dict[str, Any]:
    """``f^{1,0} = x - 1`` and ``f^{2,0} = x + 1``, or ``f^0 = x`` alone, at ``z^1 = z* + t``, ``z*(x) = x``.

    ``client``: whose map is looked at; ``t``: how far z^1 is from z*.
    """
    shift = {"1": 1, "2": -1, "alone": 0}[client]
    return {**known(t, 1 if client == "alone" else 2), "pull_m": t * (t + shift), "gap_z": t**2}


@family("samples that are large with the chance 1/t^2", law=choice("one event", "two events"), t=reals(10, 100))
def rare(*, law: str, t: Number) -> dict[str, Any]:
    """``f^{1,0}(x; .) = x - s cos(t x)`` and ``f^{1,1}(z; .) = z + s' t sin z``, with signs s and s', on an event; else
    x and z. The first derivative is ``1 + s t sin(t x)`` at x, the second one ``1 + s' t`` at 0.

    Taken are x = 0 and x = 1/t where maps are compared, and else the point where ``sin(t x) = 1``.

    ``law``: whether both layers are large on one event or each on its own; ``t``: how large samples are.
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


def compared(normal: str) -> dict[str, Fact]:
    """Whether Definition 2.2 has the mean or the sum."""
    return {f"het {how}": Fact(how == normal, f"maps are compared with the {normal}") for how in ("mean", "sum")}


@family("clients whose slopes are almost 0", tau_het=reals("1/10", 1))
def flat(*, tau_het: Number) -> dict[str, Any]:
    """``f^{m,0} = x``, ``f^{1,1} = tau^2 r(z/tau)`` and ``f^{2,1} = -f^{1,1}``, in the direction of z at z = 0.

    The means are 0, the slopes lie from -tau to tau, and the second derivatives from -1 to 1.
    """
    one = 1 + 0 * tau_het
    return {**known(one), **compared("mean"), "het_P": one, "da2": 0 * one, "db2": one}


@family("clients whose sums are 0", M=counts(2, 4))
def opposite(*, M: int) -> dict[str, Any]:
    """``f^{m,0} = x`` and ``f^{m,1} = r(z)`` for half of the clients, -x and -r(z) for the others, at z = 0.

    ``M``: number of clients.

    Raises:
        ValueError: M is odd.
    """
    if M % 2:
        raise ValueError(f"{M} clients have no halves")
    one = sqrt(M) / sqrt(M)
    # the derivative of every P^m is that of r' and so 1, that of their sum M
    made = {"het_P": one * (M - 1), "da2": 0 * one, "db2": one, "tau_het": one}
    return {**known(one, M), **compared("sum"), **made}


# --- two clients


def times(factor: Any, z: Grid) -> tuple[Grid, None]:
    """The image of a linear map."""
    return z * factor, None


def of_clients(q: Mapping[str, Any], bent: Number) -> dict[str, tuple[Number, Number]]:
    """Derivatives of both layers of :func:`two_clients`, first and second ones, for each client."""
    at, k = q["z"] / sqrt(1 + q["z"] ** 2), (q["k_1"], q["k_2"])
    return {
        "a": (q["a_1"], q["a_2"]),
        "e": (q["e_1"], q["e_2"]),
        "t": (k[0] * at + q["d"], k[1] * at - q["d"]),
        "s": (k[0] * bent, k[1] * bent),
    }


def products(one: tuple[Number, Number], other: tuple[Number, Number]) -> tuple[Number, ...]:
    """Of the products of two factors: the first client's, the mean, and that of :data:`claims.PARTS`."""
    mean, behind = sum(one) / 2, sum(other) / 2
    each_ = [a * b for a, b in zip(one, other, strict=True)]
    apart_ = [(a - mean) * b for a, b in zip(one, other, strict=True)]
    return each_[0], sum(each_) / 2, apart_[0], sum(apart_) / 2, mean * (other[0] - behind)


def directions_in_vectors(**params: Any) -> InOutcomes:
    """The directions of :func:`two_clients`, and what the first client makes of them, on a line."""
    q = in_floats(params)
    of = of_clients(q, float(bend(q["z"])))
    in_x, in_z = products(of["e"], of["t"]), products(of["a"], of["s"])
    factors_ = dict(zip(("grad_x P^m", "grad_x P", *list(claims.PARTS)[:3]), in_x, strict=True))
    factors_ |= dict(zip(("grad_z P^m", "grad_z P", *list(claims.PARTS)[3:]), in_z, strict=True))
    factors_["grad f^{m,0} - grad f^0"] = q["a_1"] - (q["a_1"] + q["a_2"]) / 2
    chances: dict[Axis, Any] = {COORDINATE: [1.0]}
    flat_ = Outcomes(chances, {}, {}, words(chances, "xi"))
    made = {name: flat_.along(COORDINATE, [q[size]]) for name, size in (("a", "da"), ("b", "db"))}
    at = {name: partial(times, factor) for name, factor in factors_.items()}
    return lambda _: iter([Outcomes(chances, made, at, words(chances, "xi"))])


@family(
    "two clients at a point",
    None,
    directions_in_vectors,
    normal=choice("mean", "sum"),
    z=reals(0, "3/8", 2, zero=True),
    da=reals(1, 0, zero=True),
    db=reals(1, 0, -1, zero=True),
    a_1=reals(1, 2),
    a_2=reals(3, 1, -1),
    k_1=reals(1, 0, 3, zero=True),
    k_2=reals(1, 0, zero=True),
    e_1=reals(0, zero=True),
    e_2=reals(0, zero=True),
    d=reals(0, zero=True),
)
def two_clients(*, normal: str, da: Number, db: Number, **q: Number) -> dict[str, Any]:
    """``f^{m,0} = a_m x + e_m r(x)`` and ``f^{m,1} = k_m r(z) +- d z``, at x = 0 and z.

    The first client's derivatives in the direction ``(da, db)``. All but the a_m are at least 0.

    ``normal``: whether maps are means or sums over the clients; ``z``: the point; ``da``: the direction in x;
    ``db``: the direction in z; ``a_1``: a of the first client; ``a_2``: a of the second client; ``e_1``: e of the first
    client; ``e_2``: e of the second client; ``k_1``: k of the first client; ``k_2``: k of the second client; ``d``:
    what the slope of the second layer has more at the first client and less at the second.
    """
    count = 2 if normal == "sum" else 1
    of = of_clients(q, bend(q["z"]))

    def differ(name: str) -> Number:
        one, other = q[f"{name}_1"], q[f"{name}_2"]
        mean = count * (one + other) / 2
        return largest(abs(one - mean), abs(other - mean))

    in_x, in_z = products(of["e"], of["t"]), products(of["a"], of["s"])
    smooth, second = largest(q["e_1"], q["e_2"]), largest(q["k_1"], q["k_2"])
    return {
        "L_layer": largest(abs(q["a_1"]), abs(q["a_2"])) + smooth,
        "Lp_layer": smooth,
        "T_tail": second + q["d"],
        "l_T": second,
        "tau_layer": differ("a") + differ("e"),
        "tau_T": differ("k") + q["d"],
        "taup_layer": differ("e"),
        "taup_T": differ("k"),
        **{"M": 2, "N_lev": 1},
        "H second": Fact(True, "those of f^{m,n} are multiples of r''"),
        **{key: Fact(True, "r has derivatives of at most 1") for key in ("G", "H", "I")},
        **compared(normal),
        "het_S2": (db - q["a_1"] * da - count * (db - (q["a_1"] + q["a_2"]) / 2 * da)) ** 2,
        "dir2": da**2 + db**2,
        "het_P": abs((in_x[0] - in_x[1]) * da + (in_z[0] - in_z[1]) * db),
        "da2": da**2,
        "db2": db**2,
    }


def factors(law: str, N_lev: int, L_all: Number, tau_all: Number) -> list[tuple[Number, Number]]:
    """The derivatives of both clients from the last level on, and one more: L and L - 2 tau, or they take turns."""
    pair = (L_all, L_all - 2 * tau_all)
    at = {"alike": [pair] * 2, "turned": [pair, pair[::-1]], "one": [pair, (L_all, L_all)]}[law]
    return [at[0 if n == 0 else n % 2 if law == "turned" else 1] for n in range(N_lev + 2)]


def levels_in_vectors(**params: Any) -> InOutcomes:
    """The products of :func:`levels` as vectors, level by level, and for one that differs all of them."""
    q = in_floats(params)
    of = factors(q["law"], q["N_lev"], q["L_all"], q["share"] * q["L_all"])
    chances: dict[Axis, Any] = {COORDINATE: [1.0], ("client",): (0.5, 0.5)}
    layout = Outcomes(chances, {}, {}, words(chances, "xi"))

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        each_, tb = layout.along(("client",), of[0]), layout.along(COORDINATE, [sum(of[0]) / 2])
        before = {"the factors before": partial(times, q["L_all"] ** q["N_lev"])}
        for k, pair in enumerate(of[1:]):
            a, mean = layout.along(("client",), pair), sum(pair) / 2
            by = {"A": mean, "A_m": a, "A_m - A": a - mean, "A_m - A at tb": a - mean}
            at = {name: partial(times, factor) for name, factor in by.items()}
            made = {"tb": tb, "dev": each_ - tb, "raw": a * tb, "behind": layout.along(("client",), of[0])}
            yield Outcomes(chances, made, at | before, words(chances, "xi"), term={claims.k: k})
            each_, tb = each_ * a, tb * mean

    return outcomes


@family(
    "two clients whose derivatives differ at every level, or at the last one",
    None,
    levels_in_vectors,
    law=choice("alike", "turned", "one"),
    N_lev=counts(1, 2, 3, most=6),
    L_all=reals(1, 2),
    share=reals(0.1, 0, 0.5, 1, zero=True),
)
def levels(*, law: str, N_lev: int, L_all: Number, share: Number) -> dict[str, Any]:
    """One client has the derivative L at each level, the other one L - 2 tau, or they take turns; tau = share L.

    ``law``: whether one client is steeper at each level, at the last one alone, or both take turns; ``share``: half
    the difference of the derivatives, over the larger one.
    """
    tau = share * L_all
    one = own = other = 1 + 0 * L_all
    for a, b in factors(law, N_lev, L_all, tau)[:-1]:
        one, own, other = one * (a + b) / 2, own * a, other * b
    said = "all layers are linear"
    return {
        **{key: Fact(True, said) for key in ("G", "H", "I", "f (Fed-MCO)", "mean", "het mean", "last level")},
        "other levels": Fact(share <= 1, "the derivatives lie from L - 2 tau to L"),
        "one differs": Fact(law == "one", "the last level alone" if law == "one" else "all levels"),
        **{"M": 2, "N_lev": N_lev, "L_all": L_all, "tau_all": tau},
        "slopes_last": (L_all - tau) ** 2,
        "spread_last": tau**2,
        "off_last": 0 * L_all,
        "bias2": ((own + other) / 2 - one) ** 2,
    }


@family(
    "FedMCO at a zero of P",
    objective=choice("sums", "means"),
    batch=choice("one", "K R"),
    R_rounds=counts(1, 64),
    K=counts(1, 5),
)
def at_a_zero(*, objective: str, batch: str, R_rounds: int, K: int) -> dict[str, Any]:
    """``f^{m,0} = a_m x``, ``f^{m,1} = z^2/2 - b_m z`` for ``|z| <= 4``, from ``z^1 = z*`` and where P = 0.

    With sums inside both clients have a = 1 and b = 1/2, with means a is 1 and 3, and b is 1 and 0.

    ``batch``: the samples of a client at the start; ``objective``: whether f is made of sums or of means over the
    clients.
    """
    one = sqrt(R_rounds) / sqrt(R_rounds)
    slope, tau = (one, 9 * one / 2) if objective == "sums" else (-one / 2, 5 * one)
    return {
        **{key: Fact(True, "there is no noise, and no slope is larger than tau") for key in ("G", "H", "I")},
        "largest of all": Fact(True, "no slope is larger than tau"),
        "f (App. D)": Fact(objective == "sums", f"grad f is that for {objective}"),
        "f (Fed-MCO)": Fact(objective == "means", f"grad f is that for {objective}"),
        "fedmsa": Fact(True, "all rounds are those of Algorithm 1"),
        "S-proof": Fact(True, "x and z stay where they are, whatever the steps"),
        "tau_het": tau,
        **dict.fromkeys(("c_rho", "c_alpha", "c_beta"), 2 * K * tau),
        **{"rho_m": one / R_rounds, "alpha_x": one, "beta_n": one, "M": 2, "K": K, "R_rounds": R_rounds},
        **{"b_0": 1 if batch == "one" else K * R_rounds, "b_batch": 1},
        "sigma_max": 0 * one,
        "gf2_out": slope**2,
        "gap2_out": 0 * one,
    }


def of_rate(
    first: str, L_hyp: Number, tau_all: Number, tau_0: Number, sigma_0: Number, **sizes: int
) -> tuple[dict[str, Any], Problem, tuple[Number, Number]]:
    """The constants and steps of :func:`run_of_rate`, its maps, and where it starts."""
    none, tau2 = 0 * L_hyp, tau_all**2
    one = 1 + none
    s, e = (one / 4, one) if first == "linear" else (one / 10**6, none)
    # |P - grad f| <= 4 L_h |z - x/4| + tau^2, and 9/25 + 16/25 = 1
    q = {
        **sizes,
        "M": 2,
        "N_lev": 1,
        "L_hyp": L_hyp,
        "L_Z": 20 * L_hyp / 3 if first == "linear" else L_hyp / 10**6,
        "delta_f": 5 * tau2 / 4,
        "ratio": 1,
        "more": 1,
    }
    q |= {"lam_n": one / 8, "L_s": 8 * one / 5, "L_zn": 3 * one / 5, "w_lev": one, "omega_w": 28 * q["L_Z"]}
    q |= {"lam_each": one, "L_s_each": one, "L_z_each": one / 4, "sigma_0": sigma_0, "sigma_n": none}
    q |= {"tau_0": 16 * tau_all * L_hyp + tau_0, "tau_n": tau_all}
    q |= {"Lb_p": (4 + 16 * tau_all) * L_hyp, "Lb_s": 5 * one / 4 + tau_all}
    told, f, x, lag = with_steps(q, one), parabola(L_hyp), tau2 / L_hyp, none
    if tau_all == 0:
        f, lag = huber(L_hyp, one), s * L_hyp / told["theta_b"]

    def start(alpha: Number) -> Number:
        return x if tau_all > 0 else 1 + (sizes["K"] * sizes["R_rounds"] - 1) * alpha * L_hyp

    gain = f.value(start(told["alpha_x"])) - f.infimum + 4 * q["L_Z"] ** 2 / (told["theta_b"] * q["lam_n"]) * lag**2
    told = with_steps(q, around(gain))
    x = start(told["alpha_x"])
    return {**q, **told}, Problem(f, s, e, -tau2, one, (none, none), (none, none), False, 2), (x, s * x + lag)


def rate_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`run_of_rate`."""
    q, of, start = of_rate(**in_floats(params))
    sizes = (q[name] for name in ("K", "R_rounds", "b_batch", "B_all", "b_0", "alpha_x", "beta_n", "rho_m"))
    return in_vectors(of, Method(*sizes), start)


@family(
    "a run of FedMCO with the steps of its rate",
    None,
    rate_in_vectors,
    R_rounds=counts(1, 10**9),
    K=counts(1, 2, 100),
    b_batch=counts(1, 100),
    L_hyp=reals(1, low=0.1, high=1),
    tau_all=reals(1, 0, low=0.1, high=1, zero=True),
    first=choice("linear"),
    tau_0=reals(0),
    sigma_0=reals(0),
)
def run_of_rate(**given: Any) -> dict[str, Any]:
    """``f^{m,0} = (1/4 +- tau) x`` and ``f^{m,1} = f(4 z) -+ tau z`` for two clients.

    For tau > 0, f is a parabola, and nothing moves from where P = 0. Else f is the Huber function, and x moves along
    its slope, with z always as far from its target. Oracles are exact, whatever the steps allow for; for a first layer
    that is not linear it is a multiple of f, and ``10^6 f^{m,0} = x`` where the run goes.
    """
    q, of, (x, z) = of_rate(**given)
    gap = (z - of.s * x) ** 2
    return {
        **q,
        # what the clients differ by is no part of these maps, whose points it does not change
        **constants(of, x, z, q),
        "f (Fed-MCO)": Fact(True, "grad f is that for means"),
        **{"L_all": 1, "tau_all": given["tau_all"], "bias2": of.d**2},
        **{"gf2_out": of.f.slope(x) ** 2, "far_out": gap, "now_out": gap},
    }


UP = [20**k for k in range(1, 6)]
DOWN = [f"1/{n}" for n in UP]
ROUNDS = [64**k for k in range(1, 6)]
AHEAD = climb(apart, "z^1 -> z*", "S^{1,1}(x, z*) = 1", t=DOWN)
BEHIND = climb(apart, "z^1 -> z*", "S^{2,1}(x, z*) = -1", client="2", t=DOWN)
ALONE = climb(apart, "z^1 -> z*", "S(x, z*) = 0", client="alone", t=DOWN)
SHARED = climb(rare, "t -> infinity", "both factors are large at once", t=UP)
APART = climb(rare, "t -> infinity, two events", "both factors are rarely large at once", law="two events", t=UP)
MORE = climb(opposite, "M -> infinity", "the sum of equal maps grows with M", M=UP)
FLAT = climb(flat, "tau -> 0", "second derivatives do not fall with tau", tau_het=DOWN)
STAYS = {
    (objective, batch): climb(
        at_a_zero,
        f"R -> infinity, {objective} inside, {batch} at first",
        "grad f is not 0 where P is",
        **{"objective": objective, "batch": batch, "R_rounds": ROUNDS},
    )
    for objective in ("sums", "means")
    for batch in ("one", "K R")
}
WITH_MEANS = two_clients.narrowed("two clients at a point, with means", normal=choice("mean"))
#: What the clients differ by is in the second derivatives of the first layer, or in the first ones of the second layer.
IN_X = WITH_MEANS.narrowed(
    "two clients at a point, in the direction of x",
    **dict.fromkeys(("da", "a_1", "a_2", "k_1", "k_2", "e_1"), reals(1)),
    z=reals(2),
    db=reals(0),
    e_2=reals(0, 1, zero=True),
    d=reals(0, 1, zero=True),
)

AT_POINTS = tuple(
    record(claim, families=[layers])
    for claim in (claims.A1, claims.A2, claims.A3_P, claims.A3_PX, claims.A3_Z, claims.A3_S, claims.A5_CORRECTED)
)
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
A4_CORRECTED = record(claims.A4_CORRECTED, families=[layers])
A5 = record(
    claims.A5,
    climbs=[BEHIND, ALONE],
    refuted_by=growing(
        AHEAD,
        ratios=["21", "401", "8001", "1.60001e5", "3.2e6"],
        by_hand="""f^{1,0}(x) = x - 1 and f^{2,0}(x) = x + 1: z*(x) = x. At z = x + t, S^1 = z - f^{1,0}(x) = t + 1,
        and t (t + 1) is at most lambda t^2 for no lambda and all t. With >= instead, S^2 = t - 1 gives t (t - 1) <
        0 for t < 1.""",
    ),
)
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
B_P_CORRECTED = record(claims.B_P_CORRECTED, families=[layers], tight=Sharp(terms=True))
B_S = record(claims.B_S, families=[layers], tight=Sharp())
C_S = record(
    claims.C_S,
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
        sums are 0 and no slope exceeds 1: tau_0 = tau_1 = 1. P^m = z/sqrt(1 + z^2) for every client, of the
        derivative 1 at z = 0, and P, the sum, has M: they differ by M - 1. With the mean, take f^{m,0} = x for two
        clients, f^{1,1}(z) = tau^2 sqrt(1 + (z/tau)^2) and f^{2,1} = -f^{1,1}: tau_0 = 0, tau_1 = tau. The derivative
        of P^1 = -P^2 in z is 1 at z = 0, and P = 0: they differ by 1, for every tau.""",
    ),
)
C_P_CORRECTED = record(claims.C_P_CORRECTED, families=[WITH_MEANS, IN_X])
C_P_SECOND = record(claims.C_P_SECOND, families=[WITH_MEANS, IN_X])
CORD1 = record(
    claims.CORD1,
    climbs=[STAYS["sums", "K R"], STAYS["means", "one"], STAYS["means", "K R"]],
    refuted_by=growing(
        STAYS["sums", "one"],
        ratios=["11.6364", "744.727", "47662.5", "3.05040e6", "1.95226e8"],
        by_hand="""Two equal clients, exact oracles: f^{m,0} = x, f^{m,1} = z^2/2 - z/2 for |z| <= 4, linear beyond.
        From x = z = 1/2 nothing moves: S = z - x = 0, P = z - 1/2 = 0. With sums inside, f(x) = f^{1,1}(2 x) has
        the slope 2 (2 x - 1/2) = 1. Claimed is (tau + 1)/R for K = 1, where tau is at most
        9/2. With means and a = (1, 3), b = (1, 0), P = 4 x - 1/2 = 0 at x = 1/8, where grad f = 4 x - 1 = -1/2.""",
    ),
)
CORD1_ONE = record(claims.CORD1_ONE, families=[levels.narrowed("one level differs", law=choice("one"))])
CORD1_LEVELS = record(claims.CORD1_LEVELS, families=[levels], tight=Sharp())
SHORT = run_of_rate.narrowed("FedMCO in a round or two", R_rounds=counts(1, 2), b_batch=counts(1), tau_all=reals(0))
SLOPE = run_of_rate.narrowed(
    "FedMCO along a slope",
    R_rounds=counts(10**7, 10**9),
    K=counts(1, 100),
    b_batch=counts(1, 10**12),
    tau_all=reals(0),
    first=choice("linear", "not linear"),
    tau_0=reals(0, 10**4),
    sigma_0=reals(0, 200),
)
CORD1_CORRECTED = record(claims.CORD1_CORRECTED, families=[run_of_rate, SLOPE])
CORD1_RATE = record(claims.CORD1_RATE, families=[SHORT, SLOPE])
