"""Small instances on the line, each aimed at one fault or one tight place, and random ones for the corrected bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as Q
from typing import Any

from rateproof.verify.papers.fedrzo.bilevel.enumeration import OPPOSED, Run
from rateproof.verify.papers.fedrzo.bilevel.line import Client, Line, Lower, Num

#: The largest step that S-bl.i admits for f = |x|, eta = 1, H = 2 is 1/48.
SMALL = Q(1, 48)
FREE = "X_i = R, both sides are zero"
POINT = "X_i = {0}: both sides are x^2"


def _times(factor: Num) -> str:
    """A factor as it stands before a letter: nothing for 1."""
    return "" if factor == 1 else f"{factor} "


def hub(b: Num) -> str:
    """What Huber's function is that turns linear at b."""
    return f"hub(x) = x^2/2 for |x| <= {b}, linear beyond"


def absolute(p: Num = Q(1), m: int = 1) -> Line:
    """m clients, f = p |x|, no lower level in it."""
    return Line((Client(p=p),) * m, says=f"m = {m}, f~ = {_times(p)}|x|, h = y^2/2, X = R", B_why=FREE)


def tilted() -> Line:
    """Two clients, f = +-x: the mean never moves, the clients drift apart."""
    clients = (Client(p=Q(1), shape="linear"), Client(p=Q(-1), shape="linear"))
    return Line(clients, says="m = 2, f~_1 = x, f~_2 = -x, h = y^2/2, X = R", B_why=FREE)


def pinned() -> Line:
    """The same on X_i = {0}."""
    clients = tuple(Client(p=p, shape="linear", low=Q(0), high=Q(0)) for p in (Q(1), Q(-1)))
    return Line(clients, B2=Q(1), says="m = 2, f~_1 = x, f~_2 = -x, h = y^2/2, X_i = {0}", B_why=POINT)


def cone(q: Num = Q(1), declared: Num = Q(1, 2)) -> Line:
    """f = q y with y(x) = |x|, the least element of Y(x); h does not depend on x, so any constant is one of it."""
    lower = Lower(A=Q(1), cone=True, L_h_x=declared)
    return Line(
        (Client(q=q),), lower, says=f"m = 1, f~ = {_times(q)}y, Y(x) = {{y >= |x|}}, h = y^2/2, X = R", B_why=FREE
    )


def bent(q: Num = Q(1)) -> Line:
    """f = q |y| with y(x) = x and no constraint: the delay changes an estimate as much as it may."""
    clients = (Client(q=q, part="abs"),)
    return Line(
        clients, Lower(A=Q(1), L_h_x=Q(1)), says=f"m = 1, f~ = {_times(q)}|y|, h = (y - x)^2/2, Y = R", B_why=FREE
    )


def inexact(q: Num = Q(1), declared: Num = Q(1, 100), A: Num = Q(0), m: int = 1) -> Line:
    """f = q y with y(x) = A x: what lower-level errors do."""
    words = f"m = {m}, f~ = {_times(q)}y, h = (y - {_times(A)}x)^2/2, Y = R, X = R"
    return Line((Client(q=q),) * m, Lower(A=A, L_h_x=declared), says=words, B_why=FREE)


def noise(s: Num = Q(1), m: int = 1) -> Line:
    """f~ = xi s |x| with a sign xi: f = 0, only samples matter."""
    return Line((Client(s=s),) * m, says=f"m = {m}, f~ = {_times(s)}xi |x| with xi = +-1, f = 0, X = R", B_why=FREE)


def huber(b: Num, m: int = 1, q: Num = Q(0), L_h_x: Num = Q(0)) -> Line:
    """f = hub_b(x) + q y with y(x) = 0: smooth, convex and least at 0, so D_0 = 0 from there."""
    clients = (Client(p=Q(1), shape="huber", b=b, q=q),) * m
    words = f"m = {m}, f~ = hub(x){f' + {q} y' if q else ''}, {hub(b)}, h = y^2/2, X = R"
    return Line(clients, Lower(L_h_x=L_h_x), says=words, B_why=FREE)


def hidden_cone(b: Num, q: Num) -> Line:
    """f~ = hub_b(x) + q (y - |x|) with y(x) = |x|: q cancels in the implicit loss, not in the delayed one."""
    lower = Lower(A=Q(1), cone=True, L_h_x=Q(0))
    words = f"m = 1, f~ = hub(x) + {_times(q)}(y - |x|), {hub(b)}, Y(x) = {{y >= |x|}}, h = y^2/2, X = R"
    return Line((Client(p=Q(1), shape="huber", b=b, q=q, part="above"),), lower, says=words, B_why=FREE)


def delayed(q: Num) -> Line:
    """f~_i = +-x/1000 + q (y - |x|) with y(x) = |x|: clients drift apart, and the delayed y adds to it."""
    clients = tuple(Client(p=p, shape="linear", q=q, part="above") for p in (Q(1, 1000), Q(-1, 1000)))
    words = f"m = 2, f~ = +-x/1000 + {q} (y - |x|), Y(x) = {{y >= |x|}}, h = y^2/2, X = R"
    return Line(clients, Lower(A=Q(1), cone=True, L_h_x=Q(1, 2)), says=words, B_why=FREE)


#: A set alone, which a step twice as long as the radius overshoots.
OVERSHOT = Line(
    (Client(p=Q(1, 1000), shape="linear", low=Q(0), high=Q(0)),),
    B2=Q(1),
    says="m = 1, f~ = x/1000, h = y^2/2, X = {0}",
    B_why=POINT,
)


# --- printed lemmas: an instance for each fault, and ordinary ones beside them
BIAS = (absolute(), Run(gamma=SMALL, eta=Q(1), H=2, x0=Q(1, 4)), 1)
SHARED = (absolute(m=2), Run(gamma=SMALL, eta=Q(1), x0=Q(0)), 0)
PUSH = (absolute(), Run(gamma=SMALL, eta=Q(1), H=2, x0=Q(0)), 1)
CONE = (cone(), Run(gamma=SMALL, eta=Q(1), H=2, x0=Q(0)), 1)
ERRORS = (inexact(), Run(gamma=SMALL, eta=Q(1), x0=Q(0), e=Q(1)), 0)
SCALED_I = (pinned(), Run(gamma=Q(1, 24), eta=Q(1, 288), H=3, rounds=2, x0=Q(0)), 5)
SCALED_II = (pinned(), Run(gamma=Q(1, 25), eta=Q(1, 650), H=3, rounds=2, x0=Q(0)), 5)
LOST = (tilted(), Run(gamma=Q(1, 32), eta=Q(1), H=4, rounds=2, x0=Q(0)), 7)


def mixed(scale: Num = Q(1)) -> Line:
    """Three clients with unlike losses, sets and parts in y, on a clipped lower level; all lengths times ``scale``."""
    clients = (
        Client(p=Q(1), c=scale, q=Q(1, 2), z=scale / 2, part="abs", low=-scale, high=2 * scale),
        Client(p=Q(-1, 2), c=-scale / 2, q=Q(-1), low=-2 * scale, high=scale),
        Client(p=Q(2), c=Q(0), q=Q(1, 3), part="abs", low=-scale, high=scale),
    )
    # P_i differ by at most scale for |x| large: Var_i(P_i) is 2/9 scale^2 on either side and less in between
    lower = Lower(A=Q(1, 2), low=-scale, high=scale, L_h_x=Q(1, 2))
    why = "mean |x - P_i|^2 = |x - mean P_i|^2 + Var_i(P_i), and Var_i(P_i) <= (2/9) scale^2 < B_1^2"
    return Line(
        clients, lower, B1=scale / 2, B2=Q(1), says=f"three unlike clients on intervals, scale {scale}", B_why=why
    )


def sided() -> Line:
    """Two clients, one on a half-line: mean dist^2 = 2 |x - mean P|^2 for x < 0."""
    clients = (Client(p=Q(1), c=Q(1, 2), low=Q(0)), Client(p=Q(1), q=Q(1), part="abs"))
    lower = Lower(A=Q(-2), b=Q(1), L_h_x=Q(2))
    why = "x^2/2 on the left of 0 is 2 (x/2)^2"
    return Line(clients, lower, B2=Q(3, 2), says="two clients, X_1 = [0, inf), X_2 = R", B_why=why)


def sources() -> tuple[tuple[Line, Num], ...]:
    """Two clients of which one source of error alone moves the models, and a start.

    Sets apart (B_1), sets that differ about one point (B_2), losses that disagree on X_i = {0} or on the line, and
    lower-level errors that push the clients apart.
    """
    pins = (Client(low=Q(-1), high=Q(-1)), Client(low=Q(1), high=Q(1)))
    half = (Client(low=Q(0), high=Q(0)), Client())
    quarrel = (Client(q=Q(1)), Client(q=Q(-1)))
    why_pins = "mean |x - P_i|^2 = x^2 + 1, and the mean of the P_i is 0"
    why_half = "mean |x - P_i|^2 = x^2/2 = 2 |x - mean P_i|^2"
    apart = Line(pins, B1=Q(1), B2=Q(1), says="m = 2, f~ = 0, h = y^2/2, X_1 = {-1}, X_2 = {1}", B_why=why_pins)
    return (
        (apart, Q(0)),
        (Line(half, B2=Q(3, 2), says="m = 2, f~ = 0, h = y^2/2, X_1 = {0}, X_2 = R", B_why=why_half), Q(1)),
        (tilted(), Q(0)),
        (pinned(), Q(0)),
        (Line(quarrel, says="m = 2, f~_1 = y, f~_2 = -y, h = y^2/2, X = R", B_why=FREE), Q(0)),
    )


def source_runs(gamma: Num, **how: Any) -> Iterator[tuple[Line, Run, int]]:
    """Local steps of all sources; errors where the losses have a part in y alone."""
    for line, x0 in sources():
        e = Q(1) if any(client.q for client in line.clients) else Q(0)
        run = Run(gamma=gamma, eta=Q(1), H=3, x0=x0, e=e, **how)
        yield from ((line, run, k) for k in range(run.H * run.rounds))


def lemma_corners() -> tuple[tuple[Line, Run, int], ...]:
    """Local steps for Lemmas 9 and 11: the aimed ones first, then tight and ordinary ones."""
    corners = [BIAS, SHARED, PUSH, CONE, ERRORS, SCALED_I, SCALED_II, LOST]
    for n in (1, 2, 5):
        corners.append((absolute(Q(2)), Run(gamma=SMALL, eta=Q(3), x0=Q(0), dim=n), 0))
        corners.append((inexact(Q(3)), Run(gamma=SMALL, eta=Q(2), x0=Q(0), e=Q(1, 2), errors=OPPOSED, dim=n), 0))
        corners.append((inexact(Q(3), m=2), Run(gamma=SMALL, eta=Q(2), x0=Q(0), e=Q(1, 2), errors=OPPOSED, dim=n), 0))
        corners.append((cone(Q(2), Q(1, 4)), Run(gamma=Q(1, 100), eta=Q(1), H=2, x0=Q(0), dim=n), 1))
    runs = [
        (absolute(), Run(gamma=Q(1, 10), eta=Q(1), H=3, rounds=2, x0=Q(1, 3))),
        (absolute(m=3), Run(gamma=Q(1, 1000), eta=Q(1), H=2, rounds=2, x0=Q(0))),
        (noise(m=2), Run(gamma=Q(1, 10), eta=Q(1), H=2, x0=Q(0))),
        (bent(), Run(gamma=SMALL, eta=Q(1), H=2, x0=Q(0))),
        (inexact(Q(1), Q(2), Q(2)), Run(gamma=Q(1, 20), eta=Q(1), H=3, rounds=2, x0=Q(0), e=Q(1), errors=OPPOSED)),
        (sided(), Run(gamma=Q(1, 30), eta=Q(1, 2), H=3, rounds=2, x0=Q(-1), e=Q(1, 10), errors=OPPOSED)),
    ]
    for scale in (Q(1, 100), Q(1), Q(100)):
        run = Run(gamma=scale / 50, eta=scale / 4, H=3, rounds=2, x0=scale / 5, e=scale / 10, errors=OPPOSED)
        runs += [(mixed(scale), run), (mixed(scale), Run(gamma=scale / 200, eta=scale, H=4, rounds=2, x0=3 * scale))]
    corners += [(line, run, k) for line, run in runs for k in range(run.H * run.rounds)]
    corners += source_runs(Q(1, 50), rounds=2)
    corners += [
        (delayed(Q(100)), Run(gamma=Q(1, 10), eta=Q(1), H=3, rounds=2), 5),
        (OVERSHOT, Run(gamma=Q(2), eta=Q(1), H=2, x0=Q(1)), 1),
        (absolute(Q(1, 10)), Run(gamma=SMALL, eta=Q(1)), 0),
    ]
    return tuple(corners)


def fresh_corners() -> tuple[tuple[Line, Run, int], ...]:
    """Local steps for Lemma 11 where every client draws a direction in every step; errors at ``xhat`` follow none."""
    corners = []
    for scale in (Q(1, 100), Q(1), Q(100)):
        run = Run(gamma=scale / 50, eta=scale / 4, H=2, x0=scale / 5, e=scale / 10, directions="step")
        corners.append((mixed(scale), run))
    three, twice = Run(gamma=Q(1, 32), eta=Q(1), H=3, directions="step"), Run(Q(1, 24), Q(1, 2), H=2, rounds=2)
    twice = replace(twice, directions="step")
    corners += [
        *((line, replace(three, x0=Q(0))) for line in (tilted(), pinned(), absolute(m=2), noise())),
        *((line, replace(twice, x0=Q(1, 3))) for line in (tilted(), pinned(), absolute(m=2), sided())),
        (cone(), replace(three, rounds=2, x0=Q(0), e=Q(1))),
    ]
    alone = source_runs(Q(1, 50), directions="step")
    late = (delayed(Q(100)), Run(gamma=Q(1, 10), eta=Q(1), H=3, rounds=2, directions="step"), 5)
    return (*((line, run, k) for line, run in corners for k in range(run.H * run.rounds)), *alone, late)
