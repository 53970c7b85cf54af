"""The instances of this section for the reference method: Theorem 1 (i) measured on all branches of longer runs.

The exact engine of :mod:`enumeration` and the reference method share no code; each is a check of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rateproof.algos.methods.fedrzo_lower import FedRZO_bl, Prescribed
from rateproof.algos.piecewise import Piecewise, absolute, affine, huber
from rateproof.algos.problems.line_lower import LineBilevel
from rateproof.verify.papers.fedrzo.bilevel import instances
from rateproof.verify.papers.fedrzo.bilevel.enumeration import OPPOSED, Directions, Run
from rateproof.verify.papers.fedrzo.bilevel.line import Client, Line
from rateproof.verify.papers.fedrzo.bilevel.measure import constants
from rateproof.verify.papers.fedrzo.bilevel.trials import facts
from rateproof.verify.papers.fedrzo.branches import trace
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.algos.problems.line_parts import Loss

METHOD = "all branches of the reference method"


def problem(line: Line) -> LineBilevel:
    """The same instance as a problem of :mod:`algos`."""
    lower = line.lower
    free = None if line.free else [_interval(c) for c in line.clients]
    phi, psi = [_phi(c) for c in line.clients], [_psi(c) for c in line.clients]
    low, high = (None if end is None else float(end) for end in (lower.low, lower.high))
    return LineBilevel(
        phi,
        psi,
        A=0.0 if lower.cone else float(lower.A),
        b=float(lower.b),
        low=absolute(slope=float(lower.A)) if lower.cone else low,
        high=high,
        intervals=free,
        L_h_x=float(lower.L_h_x),
        name=line.says,
    )


def _interval(client: Client) -> tuple[float, float]:
    low = float("-inf") if client.low is None else float(client.low)
    return low, float("inf") if client.high is None else float(client.high)


def _phi(client: Client) -> Loss:
    p, c = float(client.p), float(client.c)
    match client.shape:
        case "abs":
            loss = absolute(slope=p, centre=c)
        case "linear":
            loss = affine(slope=p, intercept=-p * c)
        case _:
            loss = huber(width=float(client.b), slope=p * float(client.b), centre=c)
    if client.part == "above":
        loss = loss + absolute(slope=-float(client.q))
    if not client.s:
        return loss
    return loss + absolute(slope=float(client.s)), loss + absolute(slope=-float(client.s))


def _psi(client: Client) -> Piecewise:
    q = float(client.q)
    return absolute(slope=q, centre=float(client.z)) if client.part == "abs" else affine(slope=q)


def method(run: Run) -> FedRZO_bl:
    """The same run as a method of :mod:`algos`.

    Raises:
        ValueError: errors at ``xhat`` that follow a direction, of which there are several.
    """
    e = float(run.e)
    errors = Prescribed(at_v_along=e * run.errors[0], at_x_along=e * run.errors[1]) if e else None
    return FedRZO_bl(gamma=float(run.gamma), eta=float(run.eta), H=run.H, directions=run.directions, errors=errors)


def trial(line: Line, run: Run) -> Trial:
    """What Theorem 1 (i) speaks of, on all branches of the reference method."""
    instance = problem(line)
    traced = trace(method(run), instance, float(run.x0), rounds=run.rounds)
    smoothed = instance.smoothed(float(run.eta))
    start = float(smoothed.F(traced.xb[0, :1].reshape(1, 1))[0])
    grad = float(traced.mean(traced.grad_F(smoothed) ** 2).mean())
    values = {name: float(x) for name, x in constants(line, run).items()}
    values |= {"grad_kstar": grad, "D0": start - smoothed.F_star}
    label = f"{line.says}; gamma = {float(run.gamma):g}, eta = {float(run.eta):g}, H = {run.H}, {run.rounds} rounds"
    return Trial.exact(label, values, facts(line, run), error=1e-9, absolute_error=1e-12 * max(1.0, abs(start), grad))


def attack() -> Iterator[Trial]:
    """Longer runs at the caps of the corrected bounds: kinks, clients that differ, noise, inexact lower levels."""
    ways: tuple[Directions, ...] = ("round", "client", "step")
    for line in (instances.absolute(), instances.tilted(), instances.sided(), instances.mixed()):
        for way in ways:
            for H, x0, share in ((1, 0.0, 1.0), (4, 0.5, 1.0), (2, 3.0, 0.1)):
                L, L_y, B2 = float(line.L), float(line.L_y), float(line.B2)
                s = 2 * (L + L_y * float(line.Lam)) + 1
                # both caps: 9 gamma H s max{1, B_2} <= 1 and S-bl.i
                cap = min(1 / (9 * H * s * max(1.0, B2)), 1 / (24 * (L + 1)), 1 / (8 * H))
                cap /= 1 if way != "step" else max(1.0, 12 * B2)
                rounds = {"round": 10, "client": max(1, 10 // line.m), "step": max(1, 10 // (line.m * H))}[way]
                run = Run(gamma=share * cap, eta=1.0, H=H, rounds=rounds, x0=x0, e=0.2, directions=way)
                run = replace(run, errors=OPPOSED) if way == "round" else run
                if 2 ** (rounds * {"round": 1, "client": line.m, "step": line.m * H}[way]) <= 2**14:
                    yield trial(line, run)
