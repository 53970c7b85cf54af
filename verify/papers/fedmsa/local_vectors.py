"""A local step, and all of them one after the other, in the vectors of the proofs: the first coordinate is x."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import lemma_b4 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form.on_a_line import words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.papers.fedmsa.local_steps import WIDTH, Client, Moment, mean_of

SAMPLE: Axis = ("sample",)
STEP: Axis = ("step",)
PATHS: Axis = ("past", "paths")


class InStep:
    """The step after moments that are equally likely, in vectors.

    Args:
        c: the client.
        before: where it may be before the step.
    """

    def __init__(self, c: Client, before: Sequence[Moment]) -> None:
        self.c, self.before = c, before
        xi: list[Axis] = [("xi", i) for i in range(c.b)]
        chances: dict[Axis, Sequence[float]] = {COORDINATE: [1.0, 1.0], PATHS: [1 / len(before)] * len(before)}
        chances |= {SAMPLE: [1 / c.b] * c.b, **dict.fromkeys(xi, (0.5, 0.5))}
        self.flat = Outcomes(chances, {}, {}, words(chances, "xi batch", "sample"))
        self.sign = self.flat.stacked(SAMPLE, [self.flat.along(axis, [1.0, -1.0]) for axis in xi])
        self.signs = self.flat.mean(self.sign, SAMPLE)
        self.x, self.z, self.h, self.q = (
            self.flat.along(PATHS, [getattr(at, of) for at in before]) for of in ("x", "z", "h", "q")
        )
        self.xn, self.zn = c.moved(self)  # type: ignore[arg-type]

    def _cut(self, of: str, x: Grid, z: Grid) -> Grid:
        level, by_x, by_z = (getattr(self.c, f"{of}{part}") for part in "0xz")
        noise: Grid = np.clip(level + by_x * (x - self.c.x) + by_z * (z - self.c.z), -WIDTH, WIDTH)
        return noise

    def _in(self, coordinate: int, grid: Grid) -> Grid:
        placed: Grid = grid * self.flat.along(COORDINATE, [1.0 - coordinate, float(coordinate)])
        return placed

    def estimate(self, of: str, fixed: bool = False) -> dict[str, Grid]:
        """The maps and a sample of them at both points, for p or s: at ``z^*`` where ``fixed``, else where they are."""
        P, P_m, to = (self.c.P, self.c.P_m, 0) if of == "p" else (self.c.S, self.c.S_m, 1)
        x, xn = self.x, self.xn
        z, zn = (self.c.T * x, self.c.T * xn) if fixed else (self.z, self.zn)
        noise, noise_n = self._cut(of, x, z), self._cut(of, xn, zn)
        found = {
            **{"m_x": P_m(x, z), "m_y": P_m(xn, zn), "o_x": P(x, z), "o_y": P(xn, zn)},
            **{"g": P_m(x, z) + self.sign * noise, "e": self.sign * (noise_n - noise)},
            **{"p11": P_m(x, z) + self.signs * noise, "p22": P_m(xn, zn) + self.signs * noise_n},
            "h_m": self.h if of == "p" else self.q,
        }
        found["d"] = found["h_m"] - found["o_x"]
        found["b"] = self.signs * (noise_n - noise)
        found["c_x"], found["c_y"] = found["m_x"] - found["o_x"], found["m_y"] - found["o_y"]
        found["c"] = found["c_y"] - found["c_x"]
        return {name: self._in(to, grid) for name, grid in found.items()}

    def made(self, setting: Setting) -> dict[str, Grid]:
        """The vectors of a setting of one step."""
        of = "s" if "s" in setting.functions or claims.dq2 in setting.metrics else "p"
        if "P_m" in setting.functions or "S_m" in setting.functions:
            to_fixed = self.c.P(self.x, self.c.T * self.x) - self.c.P(self.x, self.z)
            at = {"x": self._both(self.x, self.z), "y": self._both(self.xn, self.zn), "Pd": self._in(0, to_fixed)}
            at |= {"Z": self._in(1, self.z), "Zs": self._in(1, self.c.T * self.x)}
            return {**self.estimate(of), **at}
        if of == "s":
            here = self.estimate("s")
            at = {"x": self._in(0, self.x), "h": self._in(0, self.x - self.xn)}
            at |= {"z": self._in(1, self.z), "q": self._in(1, self.q)}
            return {**here, **(at if setting.functions else {"h": here["h_m"]}), **_renamed(here)}
        here, fixed = self.estimate("p"), self.estimate("p", fixed=True)
        at = {"x": self._in(0, self.x), "h": self._in(0, self.h)}
        at |= {"Zs": self._in(1, self.c.T * self.x), "Zsn": self._in(1, self.c.T * self.xn)}
        at["a"] = here["p22"] - here["p11"] - fixed["p22"] + fixed["p11"]
        samples = {"p11": here["p11"], "p22": here["p22"], "ps1": fixed["p11"], "ps2": fixed["p22"]}
        return {**fixed, **at, **_renamed(fixed), **samples}

    def _both(self, x: Grid, z: Grid) -> Grid:
        both: Grid = self._in(0, x) + self._in(1, z)
        return both


def _renamed(maps: dict[str, Grid]) -> dict[str, Grid]:
    return {"m1": maps["m_x"], "m2": maps["m_y"], "P1": maps["o_x"], "P2": maps["o_y"]}


def in_vectors(c: Client, k: int) -> InOutcomes:
    """The steps of a client: the one to step k, or each of them."""
    paths = c.paths(c.K)

    def step(setting: Setting, at: int, **more: Any) -> Outcomes:
        now = InStep(c, [path[at - 1] for path in c.paths(at)])
        return Outcomes(now.flat.chances, now.made(setting), {}, now.flat.knows, **more)

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        indices = {s for number in setting.meanings for s in number.free_symbols}
        if STEP[0] in setting.sizes:
            yield _all_steps(c, paths)
        elif lemmas.k in indices:
            yield from (step(setting, at, term={lemmas.k: at}) for at in range(1, c.K + 1))
        elif claims.j in indices:
            for at in range(1, c.K + 1):
                yield step(setting, at, term={claims.j: at - 1}, numbers=_partial_sums(c, at))
        elif k > 1:
            yield step(setting, k - 1)

    return outcomes


def _partial_sums(c: Client, at: int) -> dict[str, float]:
    """The sums over the steps before one, without the first step, which does not move."""
    paths = c.paths(at)
    rows = [[c.parts(path, i) for i in range(1, at)] for path in paths]
    return {
        "h_now": mean_of([sum(path[i].h ** 2 for i in range(at - 1)) for path in paths]),
        "a_now": mean_of([sum(part["a"] ** 2 for part in row) for row in rows]),
        "w_now": mean_of([sum(sum(v**2 for v in c.way(path[i])) for i in range(at - 1)) for path in paths]),
        "h2_0": mean_of([path[0].h ** 2 for path in paths]),
    }


def _all_steps(c: Client, paths: Sequence[Sequence[Moment]]) -> Outcomes:
    """The steps ``0, ..., K - 1``, the first of which is where the round starts, all together."""
    chances = {COORDINATE: [1.0], PATHS: [1 / len(paths)] * len(paths), STEP: [1 / c.K] * c.K}
    flat = Outcomes(chances, {}, {}, words(chances, "xi"))
    earlier = [[path[max(k - 1, 0)] for path in paths] for k in range(c.K)]

    def of(value: Any) -> Grid:
        return flat.stacked(STEP, [flat.along(PATHS, [value(at) for at in now]) for now in earlier])

    made = {"h": of(lambda at: at.h), "P": of(lambda at: c.P(at.x, c.T * at.x)), "q": of(lambda at: at.q)}
    made |= {"z": of(lambda at: at.z), "z*": of(lambda at: c.T * at.x), "S": of(lambda at: c.S(at.x, at.z))}
    return Outcomes(chances, made, {}, flat.knows)
