"""Algorithm 1 with maps of two numbers x and z, in all outcomes, and its messages counted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import algorithm1 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import Unlisted, refuse
from rateproof.verify.papers.fedmsa.formulation import CLIENT, at_clients

WAY: Axis = ("way",)


def numbers_in_vectors(**made: float) -> InOutcomes:
    """An instance at numbers that are fixed."""
    return at_clients(made, {}, {})


def round_of(*, K: int, x: Any, z: Any, h: Any, q: Any, alpha_x: Any, beta_n: Any, c: Any, signs: Any) -> list[Any]:
    """(x, z, h, q) of local steps 0, 1, ..., K of the drawn client, where x and z are those at which h is evaluated.

    ``p = (1 + c xi) (x + z)`` and ``s = (1 + c xi) (z - x)``; in step 1 both points are one.
    """
    path = [(x, z, h, q)]
    before = x, z
    for sign in signs[:K]:
        draw = 1 + c * sign
        h = h + draw * (x + z) - draw * sum(before)
        q = q + draw * (z - x) - draw * (before[1] - before[0])
        path.append((x, z, h, q))
        before, x, z = (x, z), x - alpha_x * h, z - beta_n * q
    return path


def signs_of(K: int) -> list[tuple[int, ...]]:
    """All signs that the samples of K local steps may have.

    Raises:
        ValueError: there are too many.
    """
    refuse(2**K, 64)
    return [*itertools.product((1, -1), repeat=K)]


def round_in_vectors(*, order: str, u: Any, **params: Any) -> InOutcomes:
    """The vectors of :func:`local_round`.

    Raises:
        Unlisted: x and z are not updated at once.
    """
    p = in_floats({**params, "u": u})
    if order != "at once":
        raise Unlisted("the updates are not those of the algorithm")
    u, ways = p.pop("u"), signs_of(p["K"])
    paths = [round_of(signs=signs, **p) for signs in ways]
    chances = {COORDINATE: [1.0], WAY: [1 / len(ways)] * len(ways)}
    flat = Outcomes(chances, {}, {}, lambda word, at: {WAY})

    def each(of: Any) -> Grid:
        return flat.along(WAY, [of(path) for path in paths])

    def of(setting: Setting) -> Iterator[Outcomes]:
        if "zk" in setting.names:
            made = {"zk": each(lambda path: path[-1][1]), "qk": each(lambda path: path[-1][3])}
            yield Outcomes(chances, made, {}, flat.knows, numbers={"beta_n": p["beta_n"]})
        elif "pt" in setting.names:
            draws = np.array([1 + p["c"] * signs[0] for signs in ways])
            made = {name: flat.along(COORDINATE, [p[name]]) for name in ("h", "q")}
            made |= {"pt": flat.along(WAY, draws * (p["x"] + p["z"])), "st": flat.along(WAY, draws * (p["z"] - p["x"]))}
            yield Outcomes(chances, made, {}, flat.knows)
        else:
            for k in range(p["K"]):
                made = {
                    "hk": each(lambda path, k=k: path[k][2]),
                    "change": each(lambda path, k=k: path[k + 1][2] - path[k][2]),
                    "Pk": each(lambda path, k=k: path[k][0] + path[k][1]),
                    "Pk+": each(lambda path, k=k: path[k + 1][0] + path[k + 1][1]),
                    "u": flat.along(COORDINATE, [u]),
                }
                yield Outcomes(chances, made, {}, flat.knows, term={claims.k: k})

    return of


@family(
    "a round of local steps",
    None,
    round_in_vectors,
    order=choice("at once", "x first"),
    K=counts(2, 1, 3, most=4),
    x=reals(1, 0, -2, zero=True),
    z=reals(0, 1, zero=True),
    h=reals(1, 0, zero=True),
    q=reals(1, 0, zero=True),
    alpha_x=reals(0.5, 1, 0.1),
    beta_n=reals(0.5, 1, 0.1),
    c=reals(0, 1, zero=True),
    u=reals(1, -2),
)
def local_round(*, order: str, u: Number, **given: Any) -> dict[str, Any]:
    """K local steps with ``p = (1 + c xi) (x + z)`` and ``s = (1 + c xi) (z - x)``, in all outcomes of the signs xi.

    Samples of two clients have signs of their own.

    ``K``: local steps of the round; ``order``: which of x and z is updated first, if any; ``x``, ``z``: where the round
    starts; ``h``, ``q``: the directions at its start; ``c``: the noise of samples, relative to their values; ``u``: the
    vector along which is measured.
    """
    K, x, z, c = given["K"], given["x"], given["z"], given["c"]
    ways = signs_of(K)
    paths = [round_of(signs=signs, **given) for signs in ways]
    changed = 0 * x
    for signs, path in zip(ways, paths, strict=True):
        for k in range(2, K + 1):
            changed = changed + (1 + c * signs[k - 1]) * (path[k][0] + path[k][1] - path[k - 1][0] - path[k - 1][1])
    apart = 0 * x
    for at_x, at_z, at_h, at_q in [path[-1] for path in paths]:
        # where x is updated first, and s evaluated at what it is then
        late = at_q - given["alpha_x"] * -at_h if order == "x first" else at_q
        apart = apart + (at_z - given["beta_n"] * at_q - (at_z - given["beta_n"] * late)) ** 2 + 0 * at_x
    pairs = itertools.product((1, -1), repeat=2)
    return {
        "mixed2": sum(((1 + c * own) * (x + z) - (1 + c * drawn) * (x + z)) ** 2 for own, drawn in pairs) / 4,
        "dev_h2": sum((path[1][2] - given["h"]) ** 2 for path in paths) / len(ways),
        "dev_q2": sum((path[1][3] - given["q"]) ** 2 for path in paths) / len(ways),
        "h_K": sum(path[-1][2] for path in paths) / len(ways) * u,
        "h_0": given["h"] * u,
        "changes": changed / len(ways) * u,
        "P_K": sum(path[-1][0] + path[-1][1] for path in paths) / len(ways) * u,
        "P_0": (x + z) * u,
        "order2": apart / len(ways),
        "fedmsa": Fact(order == "at once", f"x and z are updated {order}"),
        "exact": Fact(c == 0, f"samples have the relative noise {c}"),
        "line11": Fact(True, "both points of the first step are (x, z)"),
        "6a": Fact(True, "the samples of the two clients are drawn apart"),
    }


def rounds_of(
    *, M: int, R_rounds: int, K: int, x: Any, t: Any, alpha_x: Any, rho_m: Any, line_4: str, hb: Any, c: Any
) -> tuple[Any, list[tuple[Any, list[Any]]]]:
    """1 - rho of round 0, and (h_r, P^m(x_r) of all clients) of rounds 0, ..., R, for :func:`rounds`."""
    slopes = [1 + t * i + 0 * x for i in range(M)]
    first = 0 * x if line_4 == "holds" else 1 - rho_m + 0 * x
    h, before, seen = hb, x, []
    for r in range(R_rounds + 1):
        keep, noise = (first if r == 0 else 1 - rho_m), c if r % 2 == 0 else -c
        h = sum(s * x + noise + keep * (h - s * before - noise) for s in slopes) / M
        seen.append((h, [s * x for s in slopes]))
        before, local = x, h
        for _ in range(1 if r == 0 else K):
            x, last = x - alpha_x * local, x
            local = local + slopes[r % M] * (x - last)
    return first, seen


def rounds_in_vectors(**params: Any) -> InOutcomes:
    """The vectors of :func:`rounds`; signs of both kinds in the first round, and no noise in the others."""
    p = in_floats(params)
    keep, seen = rounds_of(**p)
    P0, copies = seen[0][1], [("xi", m) for m in range(p["M"])]
    chances: dict[Axis, Any] = {COORDINATE: [1.0], CLIENT: [1 / p["M"]] * p["M"], **dict.fromkeys(copies, (0.5, 0.5))}
    flat = Outcomes(chances, {}, {}, words(chances, "xi", "client"))

    def of(setting: Setting) -> Iterator[Outcomes]:
        if "p0" in setting.names:
            signs = flat.stacked(CLIENT, [flat.along(copy, [1.0, -1.0]) for copy in copies])
            made = {"p0": flat.along(CLIENT, P0) + p["c"] * signs, "before": flat.along(COORDINATE, [p["hb"]])}
            yield Outcomes(chances, made, {}, flat.knows)
            return
        for r, ((h, here), (_, there)) in enumerate(itertools.pairwise(seen if p["c"] == 0 else [])):
            made = {"h": flat.along(COORDINATE, [h]), "Pm": flat.along(CLIENT, here), "Pm+": flat.along(CLIENT, there)}
            made |= {"P0": flat.along(CLIENT, P0), "hm0": flat.along(CLIENT, [x + keep * (p["hb"] - x) for x in P0])}
            yield Outcomes(chances, made, {}, flat.knows, term={claims.r: r})

    return of


@family(
    "rounds with linear maps",
    None,
    rounds_in_vectors,
    M=counts(2, 1, 3, most=3),
    R_rounds=counts(2, 1, 3, most=5),
    K=counts(2, 1, 3, most=4),
    x=reals(1, 0, -2, zero=True),
    t=reals(1, 0, 2, zero=True),
    alpha_x=reals(0.5, 0.1),
    rho_m=reals(0.5, 1, 0.1, 2),
    line_4=choice("holds", "does not"),
    hb=reals(0, 1, zero=True),
    c=reals(0, 1, zero=True),
)
def rounds(**given: Any) -> dict[str, Any]:
    """``P^m(x) = (1 + t m) x`` from h_{-1} = hb; client r mod M takes the local steps of round r.

    ``p^m = P^m + c xi``, where xi is 1 in even rounds and -1 in odd ones, and any sign for what round 0 may be.

    Raises:
        ValueError: there are too many rounds or steps.
    """
    refuse(given["R_rounds"] * given["K"], 64)
    M, c = given["M"], given["c"]
    keep, seen = rounds_of(**given)
    h, last = seen[-1]
    return {
        "off_R": (h - sum(last) / M) ** 2,
        "off_sum": (h - sum(last)) ** 2,
        "dev_0": sum((keep * (given["hb"] - p - e)) ** 2 for p in seen[0][1] for e in (c, -c)) / (2 * M),
        "fedmsa": Fact(True, "the run is that of the algorithm"),
        "no_noise": Fact(c == 0, f"the noise is {c}"),
        "mean": Fact(True, "a definition"),
        "sum": Fact(True, "a definition"),
    }


@family("messages", line_9=choice("client m~", "all clients"), M=counts(2, 1, 3, 100))
def messages(*, line_9: str, M: int) -> dict[str, Any]:
    """All clients send to the server, line 9 sends back, the drawn client sends its model, all are sent the new one.

    ``line_9``: to whom line 9 sends.
    """
    knows = range(1) if line_9 == "client m~" else range(M)
    way = ["to the server", "from the server", "to the server", "from the server"]
    turns = [i for i, to in enumerate(way) if to == "to the server"]
    return {"messages": len(way), "trips": len(turns), "informed": len(knows)}


@family("a drawn iterate", r=counts(1, 2), K=counts(3, 1, 2, 5), k_out=counts(1, 2, 3, 5))
def drawn_iterate(*, r: int, K: int, k_out: int) -> dict[str, Any]:
    """The last x_{r,k} of a round is x_{r,K+1}, and K = 1 in round 0.

    ``r``: the round.
    """
    return {"k_last": 2 if r == 1 else K + 1}


def step_of(
    *, x: Any, w: Any, v: Any, h: Any, hw: Any, b: Any, a: Any, qf: Any, e: Any, alpha: Any, beta: Any
) -> dict[str, Any]:
    """A local step of FedBLO: ``g = hw w^2/2 - w (b x + a x^2/2)`` and ``f = qf (w - 1)^2/2 + e x w``."""

    def parts(x: Any, w: Any, v: Any) -> tuple[Any, Any]:
        return e * w, -(b + a * x) * v

    q_w, q_v = hw * w - b * x - a * x**2 / 2, hw * v - qf * (w - 1) - e * x
    fx, Bv = parts(x, w, v)
    fx_next, Bv_next = parts(x - alpha * h, w - beta * q_w, v - beta * q_v)
    return {"fx": fx, "Bv": Bv, "fx+": fx_next, "Bv+": Bv_next, "Bq": -(b + a * x) * q_v}


def step_in_vectors(*, h: Any, u: Any, alpha_x: Any, beta_n: Any, **params: Any) -> InOutcomes:
    """The vectors of :func:`hypergradient_step`."""
    p = in_floats({**params, "h": h, "u": u, "alpha": alpha_x, "beta": beta_n})
    u = p.pop("u")
    of = step_of(**p)

    def run(setting: Setting) -> Iterator[Outcomes]:
        if "Bqk" in setting.names:
            constant = {"Bvk": of["Bv"], "Bqk": of["Bq"]}
            yield from numbers_in_vectors(**constant)(setting) if p["a"] == 0 else ()
            return
        ends = {"fxk": of["fx"], "fxk+": of["fx+"], "Bvk": of["Bv"], "Bvk+": of["Bv+"]}
        yield from numbers_in_vectors(hk=p["h"], u=u, **ends)(setting)

    return run


@family(
    "a local step of FedBLO",
    None,
    step_in_vectors,
    x=reals(1, 0, -2, zero=True),
    w=reals(0, 1, zero=True),
    v=reals(1, 0, zero=True),
    h=reals(1, 0, zero=True),
    hw=reals(1, 2),
    b=reals(1, 0, -2, zero=True),
    a=reals(0, 1, zero=True),
    qf=reals(1, 0, zero=True),
    e=reals(1, 0, zero=True),
    alpha_x=reals(0.5, 0.1),
    beta_n=reals(0.5, 0.1),
    u=reals(1, -2),
)
def hypergradient_step(*, h: Number, u: Number, alpha_x: Number, beta_n: Number, **given: Any) -> dict[str, Any]:
    """From (x, w, v), along h in x and along the maps of the client in w and v."""
    of = step_of(h=h, alpha=alpha_x, beta=beta_n, **given)
    moved = h + (of["fx+"] - of["Bv+"]) - (of["fx"] - of["Bv"])
    return {
        "h_moved": (moved - h) * u,
        "direct": (of["fx+"] - of["fx"]) * u,
        "indirect": (of["Bv+"] - of["Bv"]) * u,
        "indirect2": (of["Bv+"] - of["Bv"]) ** 2,
        "Bq2": of["Bq"] ** 2,
        "fedmsa": Fact(True, "the run is that of the algorithm"),
        "blo": Fact(True, "the maps are those of (10)"),
        "constant cross": Fact(given["a"] == 0, f"its slope in x is {given['a']}"),
    }


K1_H = record(
    claims.K1_H,
    refuted_by=example(
        local_round,
        c=1,
        left="2",
        right="0",
        by_hand="p(x; xi) = (1 + xi) x with signs xi, at x = 1, where both points are. With the signs of two clients "
        "h_{r,1} - h_r = (1 + xi^m) - (1 + xi^{m~}), which is 0, 0, 2 or -2: its mean square is 2.",
    ),
)
K1_H_CORRECTED = record(claims.K1_H_CORRECTED, families=[local_round])
K1_Q = record(claims.K1_Q, families=[local_round])
R0 = record(
    claims.R0,
    families=[rounds.narrowed("the first round", line_4=choice("does not"), rho_m=reals(1, 0.5, 0.1), hb=reals(1, 0))],
)
TELESCOPE = record(claims.TELESCOPE, families=[local_round])
TELESCOPE_EXACT = record(claims.TELESCOPE_EXACT, families=[local_round])
STORM = record(claims.STORM, families=[rounds])
COMM_TRIPS = record(claims.COMM_TRIPS, families=[messages])
COMM_DIRECTIONS = record(
    claims.COMM_DIRECTIONS,
    refuted_by=example(
        messages,
        left="1",
        right="2",
        by_hand="Of two clients line 9 of round r - 1 sends (h_{r-1}, q_{r-1}) to the one drawn. In line 6 of round r "
        "both compute (5), and the other one does not have it.",
    ),
)
COMM_CORRECTED = record(
    claims.COMM_CORRECTED,
    families=[messages.narrowed("messages", line_9=choice("all clients", "client m~"))],
)
OUTPUT = record(
    claims.OUTPUT,
    refuted_by=example(
        drawn_iterate,
        k_out=3,
        left="3",
        right="2",
        by_hand="K = 3. Round 0 has one local step: it computes x_{1,0} = x_{1,1} = x_0 and x_{1,2} = x_1. The draw "
        "r = 1, k = 3 asks for x_{1,3}.",
    ),
)
OUTPUT_CORRECTED = record(claims.OUTPUT_CORRECTED, families=[drawn_iterate.narrowed("a drawn iterate", r=counts(2, 1))])
INDIRECT = record(claims.INDIRECT, families=[hypergradient_step])
INDIRECT_MOVES = record(claims.INDIRECT_MOVES, families=[hypergradient_step])
SIMUL = record(claims.SIMUL, families=[local_round])
