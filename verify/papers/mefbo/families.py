"""Families of one round of MeFBO: clients on two numbers with levels, noises and constraints to choose.

What their parameters stand for: ``lower``: the shape of every g_i, a function of y - k x; ``k``: slope of the line on
which g_i does not change; ``g``: size of the curvature of g_i; ``f_x``, ``f_y``: curvature of every f_i near 0 in this
direction; ``width``: where the curvature of f_i ends; ``bent``: the clients whose f_i has that curvature; ``apart``:
slope in x of the f_i of two clients, with opposite signs; ``tilt``: slope in y of the g_i of two clients, with opposite
signs; ``u``: size of the noise of gradients of f_i in x; ``v``: of those of g_i in y; ``X``, ``Y``: the constraint
set, a whole or a half line; ``weights``: of the clients; ``lambda_xy``: step of x and y as a part of that of theta;
``x_t``, ``y_t``, ``theta_t``: where the round starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rateproof.verify.form import choice, counts, family, hidden, in_floats, reals
from rateproof.verify.form.arithmetic import Number, around
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Loss, hyperbola, line, parabola, rounded, two_wells, wave
from rateproof.verify.papers.mefbo.rounds import (
    Client,
    Interval,
    Level,
    Point,
    Problem,
    Steps,
    Term,
    lyapunov_weight,
    measured,
    noise,
)


def clients(
    lower: str,
    weights: str,
    X: str,
    Y: str,
    n: int,
    f: tuple[Number, Number],
    apart: Number,
    g: Number,
    k: Number,
    tilt: Number,
    u: Number,
    v: Number,
    gamma: Number,
    bent: str = "all",
    width: Number = 2,
) -> Problem:
    """Clients whose levels differ by linear functions that cancel, and f by who is bent; the minimum of F is at 0."""
    one, none = 1 + 0 * gamma, 0 * gamma
    shares = [3 * one / 4, one / 4] if weights == "uneven" else [one / n] * n
    if len(shares) != n or n > 3:
        raise ValueError(f"{n} clients with {weights} weights are not made")
    signs = [none] if n == 1 else [1 / (2 * shares[0]), -1 / (2 * shares[1]), none]
    common = Term(profile(lower, g), -k, one)
    upper = (Term(rounded(f[0], width * one), one, none), Term(rounded(f[1], width * one), none, one))
    made = [
        Client(
            share,
            Level((*(upper if bent == "all" or i == 1 else ()), Term(line(apart * sign), one, none))),
            Level((common, Term(line(tilt * sign), none, one))),
            Level() if u == 0 else noise(u, none),
            Level() if v == 0 else noise(none, v),
        )
        for i, (share, sign) in enumerate(zip(shares, signs[:n], strict=True))
    ]
    sets = Interval(none if X == "half" else None), Interval(None, none if Y == "half" else None)
    return Problem(tuple(made), gamma, (none, none), *sets)


def profile(name: str, c: Number) -> Loss:
    """A function of one number, of curvatures up to ``c`` in size; the slope is -c."""
    made = {"bowl": parabola, "waves": wave, "hyperbola": hyperbola, "two wells": two_wells, "parabola": parabola}
    if name in ("hill", "bent down"):
        return parabola(-c)
    return line(-c) if name == "slope" else rounded(c, 2 + 0 * c) if name == "smooth" else made[name](c)


def built(p: Mapping[str, Any]) -> tuple[Problem, Steps, Point]:
    """The instance, the steps and the start of :func:`one_round`."""
    taken = ("lower", "weights", "X", "Y", "apart", "g", "k", "tilt", "u", "v", "gamma")
    more = {x: p[x] for x in ("bent", "width") if x in p}
    problem = clients(n=p["n_cl"].__index__(), f=(p["f_x"], p["f_y"]), **{x: p[x] for x in taken}, **more)
    moves = [p[name] for name in (*SERVERS, *LOCAL)]
    return problem, Steps(p["tau"], p["P"], p["c_t"], *moves), Point(p["x_t"], p["y_t"], p["theta_t"])


#: What makes an instance, the steps and the start from parameters.
Build = Callable[[dict[str, Any]], tuple[Problem, Steps, Point]]


def by_the_method(built: Build) -> Callable[..., dict[str, float]]:
    """A round by ``algos``."""

    def of(**params: Any) -> dict[str, float]:
        from rateproof.verify.papers.mefbo.twin import a_round

        return a_round(*built(in_floats(params)))

    return of


def in_vectors(built: Build) -> Callable[..., InOutcomes]:
    """A round in the vectors of the proofs."""

    def of(**params: Any) -> InOutcomes:
        from rateproof.verify.papers.mefbo.vectors import outcomes

        return outcomes(*built(in_floats(params)))

    return of


#: Steps of the server and of the clients.
SERVERS, LOCAL = (tuple(f"{step}_{part}" for part in ("theta", "x", "y")) for step in ("lambda", "eta"))
#: What families of rounds have in common: levels and sets, slopes and noise, curvatures, penalties, where they start.
LEVELS = {"lower": choice("bowl", "slope", "waves"), "X": choice("line", "half"), "Y": choice("line", "half")}
LINEAR = {
    "k": reals(0, 1, low=0.1, high=1, zero=True),
    **dict.fromkeys(("tilt", "u", "v"), reals(0, 1, low=0.1, high=10, zero=True)),
}
CURVED = {"gamma": reals("1/4", "1/5", low=0.01, high=0.2), "L_2": reals(1, 2, low=0.1, high=2)}
PENALTIES = dict.fromkeys(("c_t", "c_next"), reals(1, 10, low=0.1, high=10))
START = {
    "x_t": reals(0, 1, 5, low=0.1, high=10, zero=True),
    **dict.fromkeys(("y_t", "theta_t"), reals(0, -1, low=0.1, high=10, zero=True)),
}


@family(
    "a round of MeFBO",
    by_the_method(built),
    in_vectors(built),
    lower=choice("bowl", "hill", "slope", "smooth", "waves"),
    weights=choice("equal", "uneven"),
    **dict.fromkeys(("X", "Y"), choice("line", "half")),
    **dict.fromkeys(("n_cl", "P"), counts(2, 1, 3, most=3)),
    tau=counts(1, 2, 3, 50, most=2),
    **dict.fromkeys(("f_x", "f_y"), reals(0, 1, low=0.1, high=10)),
    apart=reals(0, 1, low=0.1, high=10, zero=True),
    g=reals(1, low=0.1, high=1),
    **LINEAR,
    gamma=reals("1/5", "1/50", low=0.01, high=0.2),
    **PENALTIES,
    **dict.fromkeys(SERVERS, reals("1/10", 1, low=0.001, high=1)),
    **dict.fromkeys(LOCAL, reals("1/100", "1/2", low=0.001, high=1)),
    **START,
    delta=hidden(1, "1/100", answers=["delta"], low=0.01, high=10),
    L_2=reals(2, low=0.01, high=2),
    O_x=hidden(1000, answers=["O_x"], low=1, high=1000),
    C_O=hidden(1000, answers=["C_O"], low=1, high=1000),
)
def one_round(*, c_next: Number, L_2: Number, **given: Any) -> dict[str, Any]:
    """Expectations over all clients that may be drawn, and all signs of the noise."""
    return measured(*built(given), c_next=c_next, L_2=L_2)


#: Local steps so long that the mean direction of a client may point the other way.
drifting = one_round.narrowed(
    "a round with long local steps",
    lower=choice("bowl", "smooth", "waves"),
    weights=choice("equal"),
    **dict.fromkeys(("X", "Y"), choice("line")),
    **dict.fromkeys(("n_cl", "P"), counts(2, 1, most=2)),
    tau=counts(2, 3, most=2),
    f_x=reals(1, 0, low=0.1, high=1),
    x_t=reals(1, 0, low=0.1, high=1),
    gamma=reals("1/5", low=0.1, high=0.2),
    c_t=reals(1, low=0.1, high=10),
    c_next=reals(1, low=1, high=10),
    **dict.fromkeys(SERVERS, reals("1/100", 1, low=0.001, high=1)),
    **dict.fromkeys(LOCAL, reals(3, "1/5", low=0.1, high=10)),
)

#: Rounds with no lower level: f drifts along a slope, and every g_i is 0, which any L_g bounds.
uphill = one_round.narrowed(
    "a round without a lower level",
    lower=choice("slope"),
    weights=choice("equal"),
    **dict.fromkeys(("X", "Y"), choice("line")),
    **dict.fromkeys(("n_cl", "P"), counts(1, 2, most=2)),
    tau=counts(20, 100, 2, most=20),
    f_y=reals(1, 0, low=0.1, high=1),
    g=reals(0, low=0.1, high=1, zero=True),
    **dict.fromkeys(("k", "tilt", "u", "v"), reals(0, low=0.1, high=1, zero=True)),
    x_t=reals(6, low=6, high=10),
    **dict.fromkeys(LOCAL, reals("1/1000", "1/100", low=0.001, high=0.1)),
)


def ratio_of_steps(L_2: Number, gamma: Number) -> Number:
    """``c_theta`` of Lemma D.8."""
    return (1 / gamma - L_2) ** 3 / (32 * lyapunov_weight(L_2, gamma) * (L_2**2 + 1 / gamma**2))


def built_for_d8(p: dict[str, Any]) -> tuple[Problem, Steps, Point]:
    """The instance, the steps and the start of :func:`admissible_round`: the ratios of the steps that (78) asks for."""
    g = p["L_2"] / 2 if p["k"] != 0 else p["L_2"]
    ratio = ratio_of_steps(p["L_2"], p["gamma"]) / (1 if p["lambda_xy"] == "c_theta" else 2)
    server = around(ratio * p["lambda_theta"])
    steps = {"lambda_x": server, "lambda_y": server, "eta_x": p["eta_theta"], "eta_y": p["eta_theta"]}
    return built({**p, **steps, "weights": "equal", "f_y": 0 * p["f_x"], "g": g})


@family(
    "a round of MeFBO with the steps of Lemma D.8",
    by_the_method(built_for_d8),
    in_vectors(built_for_d8),
    **LEVELS,
    bent=choice("all", "second"),
    lambda_xy=choice("c_theta", "half of it"),
    **dict.fromkeys(("n_cl", "P"), counts(2, 1, most=2)),
    tau=counts(1, 2, most=2),
    f_x=reals(0, 1, low=0.1, high=1, zero=True),
    apart=reals(0, 1, low=0.1, high=10, zero=True),
    **LINEAR,
    **CURVED,
    **PENALTIES,
    lambda_theta=reals("1/100", "1/1000", "1/100000000", low=1e-4, high=0.1),
    eta_theta=reals("1/10000", "1/10", 2, low=1e-5, high=1),
    **START,
    C_O=hidden(1000, 10**6, answers=["C_O", "C_R"], low=1, high=1000),
    O_x=hidden(36, answers=["O_x", "O_y"], low=1, high=100),
)
def admissible_round(*, c_next: Number, L_2: Number, C_O: Number, O_x: Number, **given: Any) -> dict[str, Any]:
    """As the other family, with the ratios of the steps that (78) asks for."""
    answers = measured(*built_for_d8({**given, "L_2": L_2}), c_next=c_next, L_2=L_2)
    return {**answers, "O_y": O_x, "C_R": C_O}
