"""Algorithm 2 on the line over all of its equally likely courses: two directions a draw, two samples a draw.

The arithmetic is that of the numbers given, so with fractions every expectation is exact. Written apart from the
method of :mod:`rateproof.algos.methods.fedrzo`, with which it is compared: records are replayed without the float
engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from typing import Literal

from rateproof.verify.papers.fedrzo.bilevel.line import Line, Num

Directions = Literal["round", "client", "step"]
Errors = tuple[Num, Num]
#: Signs of the lower-level errors at ``xhat + v`` and at ``xhat``, times the sign of ``v``.
OPPOSED, ONE_SIDED, ALIKE = (1, -1), (1, 0), (1, 1)
#: Courses in all; more are refused.
LIMIT = 2**16


@dataclass(frozen=True)
class Run:
    """A run of Algorithm 2: ``e`` is the size of the lower-level errors, so ``eps_r = e^2``.

    ``dim`` is the dimension n of a first round from 0 with radial losses, which stays on the line of its direction.
    """

    gamma: Num
    eta: Num
    H: int = 1
    rounds: int = 1
    x0: Num = 0
    e: Num = 0
    errors: Errors = ONE_SIDED
    directions: Directions = "round"
    dim: int = 1


@dataclass(frozen=True)
class Course:
    """One course at one local step: start of the round, directions, models, estimates and penalties of the clients."""

    start: Num
    v: tuple[Num, ...]
    x: tuple[Num, ...]
    g: tuple[Num, ...] = ()
    g_delayed: tuple[Num, ...] = ()
    g_used: tuple[Num, ...] = ()
    penalty: tuple[Num, ...] = ()

    @property
    def mean(self) -> Num:
        """``xbar_k``."""
        return sum(self.x) / len(self.x)


def steps(line: Line, run: Run) -> Iterator[tuple[int, list[Course]]]:
    """All courses at each local step, with the number of steps since its round began.

    Raises:
        ValueError: there are too many, or errors at ``xhat`` follow a direction, of which there are several.
    """
    if run.e and run.errors[1] and run.directions != "round":
        raise ValueError(f"errors {run.errors} at xhat follow one direction; with several give {ONE_SIDED}")
    per_round = {"round": 1, "client": line.m, "step": line.m * run.H}[run.directions]
    bits = run.rounds * (per_round + (line.m * run.H if line.noisy else 0))
    if 2**bits > LIMIT:
        raise ValueError(f"2^{bits} courses are too many; give fewer rounds, steps or clients")
    starts = [run.x0]
    one = cache(partial(_estimate, line, run))  # many courses differ in other clients alone
    for _ in range(run.rounds):
        courses = [Course(s, v, (s,) * line.m) for s in starts for v in _directions(line, run)]
        for loc in range(run.H):
            if loc and run.directions == "step":
                courses = [replace(c, v=v) for c in courses for v in _directions(line, run)]
            courses = [_estimated(one, c, xi) for c in courses for xi in _samples(line)]
            yield loc, courses
            courses = [_moved(run, c) for c in courses]
        starts = [c.mean for c in courses]


def _directions(line: Line, run: Run) -> Iterator[tuple[Num, ...]]:
    if run.directions == "round":
        yield from ((sign * run.eta,) * line.m for sign in (1, -1))
    else:
        yield from product((run.eta, -run.eta), repeat=line.m)


def _samples(line: Line) -> Iterator[tuple[int, ...]]:
    return product((1, -1), repeat=line.m) if line.noisy else iter([(0,) * line.m])


def _estimated(one: Callable[..., tuple[Num, ...]], c: Course, xi: tuple[int, ...]) -> Course:
    """The three estimates of Definition 7 and the penalties."""
    each = [one(i, c.start, *at) for i, at in enumerate(zip(c.x, c.v, xi, strict=True))]
    g, g_delayed, g_used, penalty = zip(*each, strict=True)
    return replace(c, g=g, g_delayed=g_delayed, g_used=g_used, penalty=penalty)


def _estimate(line: Line, run: Run, i: int, start: Num, x: Num, v: Num, sample: int) -> tuple[Num, ...]:
    """The three estimates and the penalty of one client."""
    client, y = line.clients[i], line.lower.solution
    sign = 1 if v > 0 else -1
    far, near = y(start + v), y(start)
    e_far, e_near = (sign * side * run.e for side in run.errors)
    points = ((y(x + v), y(x)), (far, near), (far + e_far, near + e_near))
    rises = (client.loss(x + v, at_v, sample) - client.loss(x, at_x, sample) for at_v, at_x in points)
    factor = run.dim / (run.eta * run.eta)
    return (*(factor * rise * v for rise in rises), (x - client.project(x)) / run.eta)


def _moved(run: Run, c: Course) -> Course:
    moved = (x - run.gamma * (g + d) for x, g, d in zip(c.x, c.g_used, c.penalty, strict=True))
    return replace(c, x=tuple(moved))
