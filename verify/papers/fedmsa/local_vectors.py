"""A local step, and all of them one after the other, in the vectors of the proofs: the first coordinate is x."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import lemma_b4 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import in_floats
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.papers.fedmsa.local_steps import Client, Moment, mean_of

SAMPLE: Axis = ("sample",)
STEP: Axis = ("step",)
PATHS: Axis = ("past", "paths")


def in_vectors(**params: Any) -> InOutcomes:
    """The steps of a client: the one to step k, or each of them."""
    p = in_floats(params)
    c, k = Client.of(p), p["k_step"]
    steps = c.steps()

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        indices = {s for number in setting.meanings for s in number.free_symbols}
        if STEP[0] in setting.sizes:
            yield _all_steps(c, steps)
        elif lemmas.k in indices:
            yield from (_step(c, now, setting, term={lemmas.k: at}) for at, now in enumerate(steps, 1))
        elif claims.j in indices:
            for at, now in enumerate(steps):
                yield _step(c, now, setting, term={claims.j: at}, numbers=_so_far(c, steps[: at + 1]))
        elif k > 1:
            yield _step(c, steps[k - 2], setting)

    return outcomes


def _step(c: Client, now: Sequence[Moment], setting: Setting, **more: Any) -> Outcomes:
    """The step after moments that are equally likely."""
    xi: list[Axis] = [("xi", i) for i in range(c.b_batch)]
    chances: dict[Axis, Sequence[float]] = {COORDINATE: [1.0, 1.0], PATHS: [1 / len(now)] * len(now)}
    chances |= {SAMPLE: [1 / c.b_batch] * c.b_batch, **dict.fromkeys(xi, (0.5, 0.5))}
    flat = Outcomes(chances, {}, {}, words(chances, "xi batch", "sample"))
    sign = flat.stacked(SAMPLE, [flat.along(axis, [1.0, -1.0]) for axis in xi])
    after = [next(c.after(at)) for at in now]

    def placed(coordinate: int, of: Callable[[Moment], float], moments: Sequence[Moment] = now) -> Grid:
        grid: Grid = flat.along(PATHS, [*map(of, moments)]) * flat.along(COORDINATE, [1.0 - coordinate, coordinate])
        return grid

    # the estimate of S, of P(x, Z^*(x)), or of P(x, Z)
    name = "S" if {claims.dq2, claims.mean_dq} & setting.meanings else "F" if "Z*" in setting.functions else "P"
    x, z, target = (lambda at: at.x), (lambda at: at.z), (lambda at: c.T * at.x)

    def both(of: str) -> list[Grid]:
        return [placed(int(name == "S"), lambda at: getattr(at, of), moments) for moments in (now, after)]

    def samples(moments: Sequence[Moment]) -> Grid:
        noise = placed(0, lambda at: at.P_e, moments)
        return placed(0, lambda at: at.P_m, moments) + flat.mean(sign, SAMPLE) * noise

    (m_x, m_y), (o_x, o_y), (noise_x, noise_y) = both(f"{name}_m"), both(name), both(f"{name}_e")
    made = {
        **{"m_x": m_x, "m_y": m_y, "o_x": o_x, "o_y": o_y, "h_m": both("q" if name == "S" else "h")[0]},
        **{"g": m_x + sign * noise_x, "e": sign * (noise_y - noise_x), "p11": samples(now), "p22": samples(after)},
        "x": placed(0, x) + (0.0 if name == "F" else placed(1, z)),
        "y": placed(0, x, after) + placed(1, z, after),
        **{"u": placed(0, x), "v": placed(0, x) - placed(0, x, after), "z": placed(1, z), "Z": placed(1, z)},
        **{"Zs": placed(1, target), "Zsn": placed(1, target, after), "Pd": placed(0, lambda at: at.F - at.P)},
    }
    return Outcomes(chances, made, {}, flat.knows, **more)


def _so_far(c: Client, steps: Sequence[Sequence[Moment]]) -> dict[str, float]:
    """The sums over the steps before the last of these."""
    first, *_ = steps
    return {
        "h_now": mean_of(lambda at: at.h**2, *steps[:-1]),
        "a_now": mean_of(lambda at: at.a**2, *steps),  # none at the start
        "w_now": mean_of(c.way2, *steps[:-1]),
        "h2_0": mean_of(lambda at: at.h**2, first),
    }


def _all_steps(c: Client, steps: Sequence[Sequence[Moment]]) -> Outcomes:
    """The steps ``0, ..., K - 1``, the first of which is where the round starts, all together."""
    paths = len(steps[-1])
    chances = {COORDINATE: [1.0], PATHS: [1 / paths] * paths, STEP: [1 / c.K] * c.K}
    flat = Outcomes(chances, {}, {}, words(chances, "xi"))

    def of(value: Callable[[Moment], float]) -> Grid:
        rows = ([*map(value, now)] for now in (steps[0], *steps[:-1]))
        return flat.stacked(STEP, [flat.along(PATHS, np.repeat(row, paths // len(row))) for row in rows])

    made = {"h": of(lambda at: at.h), "P": of(lambda at: at.F), "q": of(lambda at: at.q)}
    made |= {"z": of(lambda at: at.z), "z*": of(lambda at: c.T * at.x), "S": of(lambda at: at.S)}
    return Outcomes(chances, made, {}, flat.knows)
