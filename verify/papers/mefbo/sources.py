"""A round on which one source of error is at work alone, and the server moves one of x, y and theta, or all.

Both clients have the same levels, unless it is they that differ. What is not at work has a size of ``tiny``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form import choice, counts, family, hidden, reals
from rateproof.verify.form.arithmetic import Number, around
from rateproof.verify.form.parts import line, rounded, wave
from rateproof.verify.papers.mefbo.families import by_the_method, in_vectors, ratio_of_steps
from rateproof.verify.papers.mefbo.rounds import (
    Client,
    Interval,
    Level,
    Point,
    Problem,
    Steps,
    Term,
    measured,
    measured_run,
    noise,
)

#: What O(.) hides, and parameters that only answer for symbols.
HIDDEN = ("C_O", "C_R", "O_x", "O_y")
SYMBOLS = ("delta", "C_O", "n_cl")
#: What is at work, what it moves, and where curvature comes from. "All" are moved by half the steps of Lemma D.8.
CASES = [
    # noise lets one of them drift, from the minimum of both levels
    *("drift of x moves x through f", "drift of y moves y through f", "drift of theta moves theta through gamma"),
    *("drift of x moves y through f", "drift of y moves x through f", "drift of x moves theta through g"),
    *("drift of x moves y through g", "drift of y moves x through g", "drift of theta moves x through g"),
    *(
        "drift of y moves y through gamma",
        "drift of theta moves y through gamma",
        "drift of y moves theta through gamma",
    ),
    # and what drifts lets another one drift
    *("drift of x+theta moves none through g", "drift of y+theta moves none through gamma"),
    *("drift of x+y moves none through g", "drift of theta+y moves none through gamma"),
    # a slope, or the gap itself, lets one drift, so that theta moves away from theta*
    *(
        "slope in x moves theta through g",
        "slope in y moves theta through gamma",
        "gap of theta moves theta through gamma",
    ),
    *("slope in x moves all through g", "slope in y moves all through gamma", "gap of theta moves all through gamma"),
    *("slope in x+none moves x through g", "slope in y moves none through gamma"),
    # noise, a gap, a start off the minimum, and clients that differ, without drift
    *("noise in x moves x through gamma", "noise in x moves x through g", "noise in y moves y through gamma"),
    *("noise in y moves theta through gamma", "gap of none moves x through g", "gap of none moves y through gamma"),
    *("gap of none moves theta through gamma", "start in x moves x through f", "start in y moves y through f"),
    *("clients of none moves theta through gamma", "clients of none moves all through gamma"),
    # drifts of x by g alone, of y by a distance to theta*, and of y by clients with opposite slopes
    *("waves of x moves none through gamma", "gap of x moves none through g", "bend of x moves x through g"),
    *("distance of y moves none through g", "clients of y moves y through f"),
    # clients with opposite slopes who leave the minimum, and noise at the end of an interval
    *("pulls of x moves all through f", "pulls of y moves all through f"),
    *("wall in x moves x through f", "wall in y moves y through f"),
]
#: All of a run but one term of the rates is 0, or as small as ``tiny``; theta is off where the noise waves.
PURE = ("clients of x moves all through f", "clients of y moves all through g", "wave of theta moves all through gamma")
NAMES = ("x", "y", "theta")


def built(
    case: str, steps: str, tau: int, gamma: Number, c_t: Number, eta: Number, lam: Number, u: Number, tiny: Number
) -> tuple[Problem, Steps, Point, Number]:
    """The instance, the steps, the start, and a bound on the curvatures of ``g``."""
    source, _, both, _, moved, _, through = case.split()
    of, _, also = both.partition("+")
    one, none = 1 + 0 * gamma, 0 * gamma
    along = (one, none) if of == "x" else (none, one)
    bowl = rounded(one, 2 * one)
    f, g = Level(), Level((Term(bowl, -one, one),)) if through == "g" else Level()
    noise_f, noise_g, best = Level(), Level(), (none, none)
    X, Y = Interval(), Interval()
    start = Point(none, none, none)
    if source in ("drift", "noise"):
        f = Level((Term(bowl, one, one),)) if through == "f" else f
        # that of g is one of theta, too
        by_f = of == "x" or also == "theta"
        noise_f, noise_g = (noise(u * along[0], u * along[1]), Level()) if by_f else (Level(), noise(none, u))
    elif source == "waves":
        noise_g, start = Level((Term(wave(u), one, one),)), Point(none, one, none)
    elif source == "gap":
        start = Point(none, none, one)
    elif source == "distance":
        start = Point(none, one, one - gamma / (1 + gamma))
    elif source == "start":
        f = Level((Term(rounded(1000 * one, 2 * one), *along),))
        start = Point(tiny * along[0], tiny * along[1], tiny * along[1])
    elif source == "slope":
        f, best = Level((Term(rounded(one, one / 100), *along, -one),)), along
        start = Point(none, none, one / 100 if of == "x" else one / 1000)
    elif source == "wall":
        # x >= 0 or y <= 0; f falls towards 0, and half of the noise takes its slope away
        into = along if of == "x" else (none, -one)
        f, noise_f = Level((Term(line(u), *into),)), noise(u * along[0], u * along[1])
        start = Point(tiny * along[0], -tiny * along[1], -tiny * along[1])
        X, Y = Interval(none, None), Interval(None, none)
    elif source == "wave":
        f, g = Level((Term(bowl, *along),)), Level((Term(line(one / 1000), *along),))
        noise_g, start = Level((Term(wave(u / tiny), *along),)), Point(none, none, -gamma / 1000)
    elif source == "bend":
        # f pulls x as much as the bend of g does
        g, noise_f = Level((Term(rounded(one, one), -one, one),)), noise(one / 100, none)
        f, best = Level((Term(rounded(3 * one / 1000, 10 * one), *along, 30 * one),)), (-30 * one, none)
        start = Point(none, 2 * one, none)
    clients = [Client(one / 2, f, g, noise_f, noise_g)] * 2
    if source == "pulls":
        lines = [Term(line(one / 100 * sign), *along) for sign in (1, -1)]
        away = Term(rounded(10 * one, 2 * one), *along)
        clients = [Client(one / 2, Level((lines[0],)), g), Client(one / 2, Level((lines[1], away)), g)]
    if source == "clients":
        apart = one / 100
        pulls = [Level((Term(line(apart * sign), *along),)) for sign in (1, -1)]
        bent = [pulls[0], Level((*pulls[1].terms, Term(bowl, *along)))]
        if of == "none":
            clients = [Client(one / 2, f, pull) for pull in pulls]
        elif through == "f":
            clients = [Client(one / 2, level, g) for level in bent]
        else:
            clients = [Client(one / 2, f, level) for level in bent]
        if moved != "all" and of == "y":
            rest = -eta * apart / c_t / (2 - eta / c_t + eta / gamma)
            start = Point(none, rest, rest)
    problem = Problem(tuple(clients), gamma, best, X, Y)
    if source == "bend":
        start = Point(start.x, start.y, problem.theta_star(start.x, start.y))
    L_2 = 2 * one if through == "g" else tiny
    size = lam * c_t if steps.startswith("short") else 100 * one
    if moved == "all":
        size = one / (150 if of == "none" else 300) if source in ("clients", "wave") else size
        ratio = around(ratio_of_steps(L_2, gamma) / 2 * size)
        servers = {"lambda_theta": size, "lambda_x": ratio, "lambda_y": ratio}
    else:
        servers = {f"lambda_{name}": size if name == moved else tiny for name in NAMES}
    still = source in ("noise", "start", "wall", "wave") or also == "none"
    local = {f"eta_{n}": eta if n == of and not still else one / 1000 if n == also else tiny for n in NAMES}
    drawn = 1 if steps.endswith("one client") or (source == "clients" and of == "none") else 2
    return problem, Steps(tau=tau, P=drawn, c=c_t, **servers, **local), start, L_2


def a_round(p: Mapping[str, Any]) -> tuple[Problem, Steps, Point]:
    """The instance, the steps and the start, from all parameters."""
    return built(**{name: x for name, x in p.items() if name not in SYMBOLS})[:3]


@family(
    "a round with one source of error",
    by_the_method(a_round),
    in_vectors(a_round),
    case=choice(*CASES),
    steps=choice("short", "short, of one client", "long", "long, of one client"),
    tau=counts(2, 3, most=3),
    gamma=reals("1/5", "1/50", low=0.01, high=0.2),
    c_t=reals(1, "1/1000", low=0.001, high=10),
    eta=reals(100, 1, "1/100", low=0.01, high=100),
    lam=reals("1/100000", "1/1000", low=0.0001, high=0.01),
    u=reals("1/100", low=0.001, high=0.01),
    delta=hidden("1/1000000", 1000, answers=["delta"], low=0.001, high=1000),
    tiny=reals("1/1000000000000", low=1e-9, high=1e-8),
    C_O=hidden(1000, 1, answers=HIDDEN, low=1, high=1000),
    n_cl=counts(2, most=2),
)
def one_source(
    *, case: str, gamma: Number, c_t: Number, delta: Number, C_O: Number, n_cl: int, **given: Any
) -> dict[str, Any]:
    """Two or three local steps of two clients."""
    problem, at, start, L_2 = built(case=case, gamma=gamma, c_t=c_t, **given)
    if " all " in case:
        every = [at] * (2 if case.startswith("wave") else 1)
        answers = measured_run(problem, every, start, L_2)
        answers |= {"S-dec/2": Fact(len(every) == 1, f"{len(every)} rounds"), "t_round": 0}
        answers |= {"q_s": 3 * gamma / (4 * gamma), "p_c": gamma / (16 * gamma)}
    else:
        answers = measured(problem, at, start, c_next=c_t, L_2=L_2)
    return {**answers, **dict.fromkeys(HIDDEN, C_O)}


with_ratios = one_source.narrowed(
    "a round with one source of error and half the steps of Lemma D.8",
    case=choice(*(case for case in CASES if " all " in case)),
)
#: A local step so long that theta's direction vanishes in the mean, and a large weight in Young's inequality.
overshooting = one_source.narrowed(
    "a round with one source of error whose local steps overshoot",
    case=choice(*(case for case in CASES if " theta " in case)),
    steps=choice("long", "long, of one client"),
    c_t=reals(1, low=1, high=10),
    eta=reals("2/5", "1/5", 24, low=0.1, high=24),
    delta=hidden(1000, answers=["delta"], low=1, high=1000),
    C_O=hidden(10, answers=HIDDEN, low=10, high=1000),
)
alone = one_source.narrowed("a run in which one term of the rates is alone", case=choice(*PURE))
