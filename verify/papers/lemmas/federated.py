"""STORM of several clients: maps of which each sample turns by a sign of its own, with its noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers import lemmas as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse
from rateproof.verify.planted.mutate import Sharp


def turning_in_vectors(**params: Any) -> InOutcomes:
    """The rounds of :func:`turning_maps` in the vectors of the proofs, one after the other.

    Raises:
        Unlisted: there are too many samples or rounds.
    """
    from rateproof.verify.form.on_a_line import PAST, STARTS, words

    now = in_floats(params)
    samples, R, rho, slope, turn = (now["N"] * now["batch"], now["R"], now["rho"], now["slope"], now["turn"])
    refuse(samples + R, 12)
    copies = [("xi", i) for i in range(samples)]
    chances: dict[Axis, list[float]] = {COORDINATE: [1.0], ("sample",): [1 / samples] * samples}
    chances |= {copy: [0.5, 0.5] for copy in copies}

    def of(_: Setting) -> Iterator[Outcomes]:
        # what is left of the error: its square has the mean of the squares of two signs, and a start without a chance
        square, x = now["error"] ** 2, 0.0
        for r in range(R):
            size = square**0.5
            full = chances | {PAST: [0.5 * STARTS[0], 0.5 * STARTS[0], 0.0]}
            flat = Outcomes(full, {}, {}, words(full, "xi batch", "sample"))
            sign = flat.stacked(("sample",), [flat.along(copy, [1.0, -1.0]) for copy in copies])
            at_x, at_y = flat.along(PAST, [x, x, x + 1]), flat.along(PAST, [x + now["step"], x + now["step"], x])

            def image(w: Grid, y: Grid = at_y, sign: Grid = sign) -> tuple[Grid, Grid]:
                return slope * w + sign * (turn * (w - y) + now["sigma"]), w

            made = {
                "last": slope * at_x + flat.along(PAST, [size, -size, 2.0]),
                **{"x": at_x, "y": at_y, "P_x": slope * at_x, "P_y": slope * at_y},
                **{"e": now["sigma"] * sign, "d": turn * (at_y - at_x) * sign},
            }
            yield Outcomes(full, made, {"G": image}, flat.knows, term={claims.r: r})
            square = (1 - rho) ** 2 * square + (rho * now["sigma"] + (1 - rho) * turn * now["step"]) ** 2 / samples
            x += now["step"]

    return of


@family(
    "maps that turn",
    None,
    turning_in_vectors,
    N=counts(1, 2, 10, 10**6, most=3),
    batch=counts(1, 2, 10, most=2),
    R=counts(1, 2, 10, 1000, most=3),
    error=reals(1, 0, 10, zero=True),
    step=reals(1, 0, 10, zero=True),
    sigma=reals(1, 0, 10, zero=True),
    turn=reals(1, 100),
    slope=reals(0, 1, zero=True),
    rho=reals(0.5, 0.1, 1, 2),
)
def turning_maps(
    *,
    N: int,
    batch: int,
    R: int,
    error: Number,
    step: Number,
    sigma: Number,
    turn: Number,
    slope: Number,
    rho: Number,
) -> dict[str, Any]:
    """Samples of the map ``slope x`` of each client that are wrong by ``+-(sigma + turn (x - y))`` around the point y.

    The points move by ``step`` in each round.

    ``error``: the first error of the estimator; ``step``: by how much a point moves in a round; ``sigma``: the noise
    of a sample; ``turn``: by how much a sample changes with the point; ``slope``: the slope of a client's map.
    """
    one = (rho * sigma + (1 - rho) * turn * step) ** 2 / (N * batch)
    squares = [error**2]
    for _ in range(R):
        squares.append((1 - rho) ** 2 * squares[-1] + one)
    return {
        **{"L_1": slope + turn, "sigma2": sigma**2, "moved": step**2, "before": squares[-2], "fed_storm": squares[-1]},
        **{"fed_first": error**2, "fed_errors": sum(squares[:-1]), "fed_moves": R * step**2},
        "the map of every client is L-Lipschitz in mean square": Fact(
            True, "the square of its slope is slope^2 + turn^2 in the mean"
        ),
        "the noise of a sample has mean zero given the past": Fact(True, "both signs are equally likely"),
        "so has its change between two points": Fact(True, "both signs are equally likely"),
        "its variance is at most sigma^2": Fact(True, "its size is sigma"),
        "samples are independent": Fact(True, "each has a sign of its own"),
        "samples are independent, at both points": Fact(True, "each has a sign of its own"),
    }


# equality where rho sigma = (1 - rho) turn step; of the sum at rho = 1 without noise
STORM = record(claims.FEDERATED_STORM, families=[turning_maps], tight=Sharp(terms=True))
STORM_ROUNDS = record(claims.FEDERATED_STORM_ROUNDS, families=[turning_maps], tight=Sharp(terms=True))
