"""Gradient descent, SGD and FedAvg on a loss of one variable, in the vectors of their proofs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import sympy as sp

from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.papers.textbook.local_sgd import m
from rateproof.theory.proof import Setting
from rateproof.verify.form.on_a_line import MOST, PAST, STARTS, of_loss, words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import Loss, Noise, refuse

#: Steps and clients that are looked at together.
MOST_STEPS = 20


def descent(
    h: Loss,
    x0: float,
    stepsize: Callable[[int], float],
    R: int,
    noise: Noise,
    *,
    K: int = 1,
    n: int = 1,
    taking_part: str = "all",
) -> InOutcomes:
    """R rounds of K local steps on n clients with one loss; samples of a mini-batch are clients that take one step.

    Raises:
        Unlisted: there are too many outcomes.
    """
    size = math.sqrt(noise.variance)
    own = [1.0, -1.0] if size and noise.law == "independent" else [1.0]
    drawn = [tuple(range(n))] if taking_part == "all" else [(i,) for i in range(n)]
    refuse(R * K + n, MOST_STEPS)
    refuse(2 * n * (len(drawn) * len(own) ** (n * K)) ** R, MOST)

    def of(setting: Setting) -> Iterator[Outcomes]:
        index: Axis = next(((i,) for i in ("client", "sample") if i in setting.sizes), ("client",))
        copies = [("xi", i) for i in range(n)]
        knows = words([index, PAST, ("draw",), *copies], "xi round batch", "".join(index))
        at = {"h": of_loss(h)}
        # by outcome of the past: its chance, the sign of a noise that is drawn once, and all clients' points
        once = [1.0, -1.0] if size and noise.law == "repeated" else [1.0]
        knowing = any("past" in setting.on(name) for name in setting.names)
        starts = [(c / len(once), s, x0 + i) for s in once for i, c in enumerate(STARTS if knowing else [1.0])]
        chance, sign, y = np.array(starts).T
        y = np.tile(y, (n, 1))
        signs = np.array([*itertools.product(own, repeat=n)]).T

        def seen(now: dict[sp.Symbol, int], *, ends: bool, moves: bool) -> Outcomes:
            chances = {COORDINATE: [1.0], index: [1 / n] * n, PAST: chance}
            chances |= dict.fromkeys(copies, [1 / len(own)] * len(own)) | {("draw",): [1 / len(drawn)] * len(drawn)}
            layout = Outcomes(chances, {}, at, knows)

            def past(rows: np.ndarray) -> Grid:
                return np.reshape(rows, [1, *rows.shape, *[1] * (n + 1)])

            made = {"y": past(y), "x": past(y.mean(0, keepdims=True))}
            if h.minimiser is not None:
                made["x*"] = layout.along(COORDINATE, [float(h.minimiser)])
            if ends:
                made["last"] = made["y"]
            if moves:
                one = [layout.along(copy, own) * size for copy in copies]
                made["noise"] = layout.stacked(index, one) * layout.along(PAST, sign)
            return Outcomes(
                chances, made, at, knows,
                drawn={"draw": drawn}, open=frozenset({"x*", "noise", "last"} - made.keys()), term=now,
            )  # fmt: skip

        for r in range(R):
            for k in range(K):
                yield seen({m: r, p.k: k if "y" in setting.names else r}, ends=False, moves=True)
                slopes, _ = at["h"](y)
                moved = (y - stepsize(r) * slopes)[..., None] - stepsize(r) * size * sign[:, None] * signs[:, None]
                y = moved.reshape(n, -1)
                ways = signs.shape[1]
                chance, sign = np.repeat(chance, ways) / ways, np.repeat(sign, ways)
            if "y" in setting.names:
                yield seen({m: r, p.k: K}, ends=True, moves=False)
            y = np.concatenate([y[list(part)].mean(0) for part in drawn])
            y, chance, sign = np.tile(y, (n, 1)), np.tile(chance, len(drawn)) / len(drawn), np.tile(sign, len(drawn))
        yield seen({m: R, p.k: 0 if "y" in setting.names else R}, ends=False, moves=False)

    return of
