"""What a search sees of the families of the single level: their corners, parameters to draw, standalone programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.single import CLAIMS
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.search import rounded
from rateproof.verify.papers.fedrzo.single import families, long_runs, points, programs, rates
from rateproof.verify.papers.fedrzo.single.families import (
    LOSSES,
    SETS,
    Params,
    line,
    line_arguments,
    run,
    run_arguments,
)
from rateproof.verify.papers.fedrzo.single.grids import RUN, horizon_corners, line_corners, run_corners
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.spaces.symbolic import symbolic_space
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_HEAD = "from math import inf, nan\nimport math\n\nimport numpy as np\n"


def _source(functions: Sequence[Callable[..., Any]], last: str) -> str:
    return "\n\n".join((_HEAD, *map(inspect.getsource, functions), last)) + "\n"


def _call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> str:
    return f"{function.__name__}({', '.join(f'{k}={v!r}' for k, v in arguments.items())})"


def _drawn(options: Mapping[str, Sequence[Any]]) -> Callable[[Claim], SearchStrategy[Params]]:
    def strategy(claim: Claim) -> SearchStrategy[Params]:
        from hypothesis.strategies import fixed_dictionaries, sampled_from

        return fixed_dictionaries({key: sampled_from(values) for key, values in options.items()})

    return strategy


def _space(
    name: str,
    corners: Callable[[], Iterable[Params]],
    options: Mapping[str, Sequence[Any]],
    build: Callable[[Params], Trial],
    function: Callable[..., Any],
    arguments: Callable[[Params], Mapping[str, Any]],
    numbers: Sequence[str],
) -> Space[Params]:
    return Space(
        name=name,
        corners=lambda claim: corners(),
        strategy=_drawn(options),
        build=refusing(build),
        numbers=lambda params: {key: params[key] for key in numbers},
        at=lambda params, found: {**params, **found},
        program=lambda params: _source([function], f"values = {_call(function, arguments(params))}"),
    )


ROUND = rounded(1e-3, 1e3)
TOLD = (1.0, 0.5)
ON_THE_LINE = _space(
    "Algorithm 1 on the line, all runs of few steps",
    line_corners,
    {
        "losses": LOSSES,
        "sets": SETS,
        "a": ROUND,
        "width": ROUND,
        "noise": (0.0, *ROUND),
        "eta": ROUND,
        "x0": (0.0, 1.0, -1.0, 0.1, 5.0),
        "cap": families.CAPS,
        "part": (1.0, 0.5, 0.1, 2.0),
        "H": (1, 2, 3, 6),
        "K": (0, 1, 2, 3, 5),
        "pick": (0.3, 0.0, 0.7),
        "told_L0": TOLD,
        "told_nu": TOLD,
    },
    line,
    programs.enumerated,
    line_arguments,
    ("a", "width", "noise", "eta", "x0", "part"),
)

LONG_RUNS = _space(
    "linear losses, any number of steps",
    run_corners,
    {
        "spread": (0.0, 1.0, 0.5),
        "L0": ROUND,
        "constrained": (True, False),
        "noise": (1.0, 0.0, *ROUND[1:]),
        "told_nu": TOLD,
        "x0": (0.0, 1.0),
        "eta": ROUND,
        "cap": (*families.CAPS, families.COM),
        "part": (1.0, 0.1, 0.01, 2.0),
        "n": (1, 2, 10),
        "m": (1, 2, 10, 100),
        "H": (1, 2, 5, 32),
        "K": (0, 1, 100, 10**4, 10**6),
    },
    run,
    long_runs.linear,
    run_arguments,
    ("L0", "noise", "eta", "part"),
)
ALONG_S_COM = replace(LONG_RUNS, name="linear losses along S-com", corners=lambda _: horizon_corners())
SEQUENCES = _space(
    "the recursion of Lemma 7 with equality",
    points.sequence_corners,
    {
        "H": (1, 2, 3, 10, 100),
        "beta": ROUND,
        "part": (1.0, 0.5, 0.1, 2.0),
        "root": ("beta", "beta H"),
        "pattern": tuple(points.PATTERNS),
        "k": (1, 2, 3, 10, 100),
    },
    points.sequence,
    long_runs.recursion,
    points.sequence_arguments,
    ("beta", "part"),
)

# --- ladders

AXES: Mapping[str, Callable[[Params, int], tuple[Params, float]]] = {
    "epsilon -> 0": lambda base, k: (base, 10.0 ** -(k + 1)),
    "m -> infinity": lambda base, k: ({**base, "m": 2**k}, 0.1 / 4**k),
    "m -> infinity, epsilon kept": lambda base, k: ({**base, "m": 10**k}, base["L0"] ** 2 / 2),
    "L0 -> 0": lambda base, k: ({**base, "L0": base["L0"] * 10.0**-k}, 1e-3),
    "L0 -> infinity": lambda base, k: ({**base, "L0": base["L0"] * 10.0**k}, 10.0 ** (2 * k - 2)),
}
FIXED_CONSTANTS = ("epsilon -> 0", "m -> infinity", "m -> infinity, epsilon kept")
RUNGS = 6


def _rungs(params: Params) -> list[tuple[Params, float]]:
    base = {**RUN, **{k: params[k] for k in ("noise", "L0", "eta")}}
    return [AXES[params["axis"]](base, k) for k in range(RUNGS)]


def _ladder(params: Params) -> Ladder:
    rungs = [rates.horizon_trial(*rung) for rung in _rungs(params)]
    return Ladder(params["axis"], rungs, "linear losses, S-com")


def _ladder_program(params: Params) -> str:
    calls = [_call(long_runs.needed, rates.needed_arguments(*rung)) for rung in _rungs(params)]
    return _source([long_runs.linear, long_runs.needed], "ladder = [\n    " + ",\n    ".join(calls) + ",\n]")


def _ladders(axes: Sequence[str]) -> Space[Params]:
    options = {"axis": axes, "noise": (1.0, 0.0, 0.1), "L0": (1.0, 0.1, 10.0), "eta": (1.0, 0.5, 2.0)}
    first = [{"axis": axis, "noise": noise, "L0": 1.0, "eta": 1.0} for axis in axes for noise in (1.0, 0.0)]
    return Space(
        name="linear losses with their K_eps along one constant",
        corners=lambda claim: first,
        strategy=_drawn(options),
        build=refusing(_ladder),
        program=_ladder_program,
    )


ALL_AXES, FIXED_AXES = _ladders(tuple(AXES)), _ladders(FIXED_CONSTANTS)

_BOTH = ("lem8.a", "lem8.b", "prop1.i", "st.5.mean")
_LINE = (
    *("lem3", "lem4.i", "lem4.ii", "lem4.iii", "lem5.i", "lem5.ii", "lem6.grad", "st.6"),
    *("st.3.split", "st.3.equality", "st.3.nonexpansive", "st.3.sets", "st.3.gradients"),
    *("st.5.modulus", "st.5.descent", "rem.dissim.gradients", "rem.dissim.bounded"),
)
_FEASIBLE = ("sec2.feas.corrected", "sec2.feas.output.corrected")


def _spaces_of(claim: Claim) -> tuple[Space[Any], ...]:
    item, printed = claim.item, claim.printed_item
    if item == "st.4":
        return (ON_THE_LINE, symbolic_space(claim, metrics=True))
    if printed in _BOTH:
        return (LONG_RUNS, ON_THE_LINE)
    if printed == "prop1.ii-x":
        return (ALONG_S_COM,)
    if printed in _LINE or item in _FEASIBLE:
        return (ON_THE_LINE,)
    if printed in ("lem7.a", "lem7.b"):
        return (SEQUENCES,)
    if printed in ("prop1.ii", "prop1.iii"):
        return (ALL_AXES,)
    return (FIXED_AXES,) if printed == "rem1.iterations" else ()


SPACES: dict[str, tuple[Space[Any], ...]] = {claim.id: spaces for claim in CLAIMS if (spaces := _spaces_of(claim))}
