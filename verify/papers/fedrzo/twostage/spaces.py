"""Spaces of instances for the bounds of the two-stage section, by claim id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.twostage import CLAIMS
from rateproof.verify.papers.fedrzo.twostage.complexity import ladders_of
from rateproof.verify.papers.fedrzo.twostage.families import slow
from rateproof.verify.papers.fedrzo.twostage.lower_spaces import CALLS, GAMES, LAWS
from rateproof.verify.papers.fedrzo.twostage.runs import MOST_BITS, Setting, at_cap, at_step, settings, whole
from rateproof.verify.papers.fedrzo.twostage.solved_runs import Solved, solved_runs, solved_trial
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# --- one local step of a run


@dataclass(frozen=True)
class Step:
    """Step ``k`` of a run; ``misstated`` names a constant that is given as a tenth of what it is."""

    setting: Setting
    k: int
    misstated: str = ""


#: Constants that a hypothesis speaks for, and the hypothesis.
_SPOKEN = {
    "L_imp": "implicit_lipschitz_2s",
    "L_y": "implicit_lipschitz_2s",
    "eps_2s": "accuracy",
    "B1": "dissimilarity",
    "B2": "dissimilarity",
}


def misstating(trial: Trial, name: str) -> Trial:
    """The trial with a constant stated as a tenth of what it is, so that its hypothesis fails."""
    if not name or not trial.values[name]:
        return trial
    why = f"{name} is stated as a tenth of what it is"
    sums = ("sum_eps_2s", "sum_eps_round_2s") if name == "eps_2s" else ()
    values = {k: v / 10 if k == name or k in sums else v for k, v in trial.values.items()}
    return replace(
        trial, label=f"{trial.label}; {why}", values=values, facts={**trial.facts, _SPOKEN[name]: Fact(False, why)}
    )


def _step(params: Step) -> Trial:
    if not 0 <= params.k < params.setting.steps:
        raise ValueError(f"the run has {params.setting.steps} steps, there is no step {params.k}")
    return misstating(at_step(params.setting, params.k), params.misstated)


_REAL = ("eta", "gamma", "in_y", "spin", "error", "x0")


def _numbers(setting: Setting) -> dict[str, float]:
    out = {name: getattr(setting, name) for name in _REAL if getattr(setting, name)}
    if setting.width:
        out |= {"width": setting.width, "centres": setting.centres}
    return {name: value for name, value in out.items() if value}


def _with(setting: Setting, numbers: Mapping[str, float]) -> Setting:
    changed: dict[str, Any] = {name: float(value) for name, value in numbers.items()}
    if any(not value > 0 for name, value in changed.items() if name in ("eta", "gamma", "width")):
        raise ValueError(f"eta, gamma and a width are positive, got {changed}")
    return replace(setting, **changed)


def _settings(_: Claim) -> SearchStrategy[Setting]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    slope = st.sampled_from((1.0, -1.0, 0.5, -2.0, 0.1))
    small = st.one_of(st.just(0.0), round_numbers(1e-2, 1e1))
    shapes = st.sampled_from(((1, 2, 2), (2, 2, 2), (2, 3, 2), (1, 3, 3), (2, 1, 3), (3, 2, 1)))

    def built(shape: tuple[int, int, int], slopes: list[float], spin: float, **rest: Any) -> Setting:
        m, H, rounds = shape
        one = Setting(slopes=tuple(slopes[:m]), H=H, rounds=rounds, spin=spin, **rest)
        return one if one.bits <= MOST_BITS - 2 else replace(one, spin=0.0)

    return st.builds(
        built,
        shape=shapes,
        slopes=st.lists(slope, min_size=3, max_size=3),
        spin=st.one_of(st.just(0.0), round_numbers(1e-1, 1e1)),
        kinked=st.booleans(),
        in_y=small,
        opposed=st.booleans(),
        width=st.one_of(st.none(), st.just(0.0), round_numbers(1e-3, 1e1)),
        error=small,
        eta=round_numbers(1e-3, 1e3),
        gamma=round_numbers(1e-4, 1e1),
        x0=st.just(0.0),
    )


def _steps(claim: Claim) -> SearchStrategy[Step]:
    from hypothesis import strategies as st

    return st.builds(
        lambda setting, back: Step(setting, max(0, setting.steps - 1 - back)), _settings(claim), st.integers(0, 3)
    )


def _step_corners(_: Claim) -> Iterator[Step]:
    corners = list(settings())
    yield from (Step(setting, setting.steps - 1) for setting in corners)
    yield from (Step(setting, setting.steps - 1, name) for setting in corners for name in _SPOKEN)
    yield from (Step(setting, k) for setting in corners for k in range(setting.steps - 1))


STEPS: Space[Step] = Space(
    name="steps of Algorithm 4 on the line",
    corners=_step_corners,
    strategy=_steps,
    build=refusing(_step),
    numbers=lambda step: _numbers(step.setting),
    at=lambda step, numbers: replace(step, setting=_with(step.setting, numbers)),
)


def _run_corners(_: Claim) -> Iterable[Setting]:
    return (s for setting in settings() for s in dict.fromkeys((at_cap(setting), setting)))


RUNS: Space[Setting] = Space(
    name="runs of Algorithm 4 on the line",
    corners=_run_corners,
    strategy=_settings,
    build=refusing(whole),
    numbers=_numbers,
    at=_with,
)


def _solved(_: Claim) -> SearchStrategy[Solved]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    return st.builds(
        Solved,
        kinked=st.booleans(),
        free=st.booleans(),
        noise=st.sampled_from((0.0, 1.0, 0.1)),
        start=st.sampled_from((0.0, 1.0, 10.0)),
        y0=st.sampled_from((0.5, 0.0, 5.0)),
        eta=round_numbers(1e-1, 1e3),
        gamma=round_numbers(1e-4, 1e0),
        H=st.integers(1, 2),
        rounds=st.integers(1, 3),
    )


SOLVED: Space[Solved] = Space(
    name="runs of Algorithms 4 and 5 on the line",
    corners=lambda _: solved_runs(),
    strategy=_solved,
    build=refusing(solved_trial),
    numbers=lambda one: {name: value for name in ("eta", "gamma", "y0") if (value := getattr(one, name))},
    at=lambda one, numbers: replace(
        one, eta=numbers.get("eta", one.eta), gamma=numbers.get("gamma", one.gamma), y0=numbers.get("y0", one.y0)
    ),
)

# --- a lower level that contracts slowly outside X


def _slow(params: tuple[int, float, float]) -> Trial:
    K, gamma, delta = params
    if not 0 < gamma <= 1 or not 0 < delta <= 1 or not 0 <= K <= 10**5:
        raise ValueError(f"gamma and delta lie in (0, 1], K in [0, 10^5]; got {params}")
    return slow(K, gamma, delta)


def _slows(_: Claim) -> SearchStrategy[tuple[int, float, float]]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    return st.tuples(st.sampled_from((10, 100, 1000, 10_000)), round_numbers(1e-4, 1e0), round_numbers(1e-3, 1e0))


SLOW: Space[tuple[int, float, float]] = Space(
    name="runs with a lower level that is slow outside X",
    corners=lambda _: ((1000, 0.05, 1e-3), (10_000, 0.02, 1e-3)),
    strategy=_slows,
    build=refusing(_slow),
    numbers=lambda p: {"gamma": p[1], "modulus": p[2]},
    at=lambda p, numbers: (p[0], numbers.get("gamma", p[1]), numbers.get("modulus", p[2])),
)

# --- orders: ladders


def _ladder_space(item: str) -> Space[int]:
    """The ladders of a complexity, by number."""

    def numbered(_: Claim) -> SearchStrategy[int]:
        from hypothesis import strategies as st

        return st.integers(0, len(ladders_of(item)) - 1)

    return Space(
        name="ladders",
        corners=lambda _: range(len(ladders_of(item))),
        strategy=numbered,
        build=lambda index: ladders_of(item)[index],
    )


#: By printed items; a corrected claim has the spaces of what it amends.
_ITEMS: dict[str, tuple[Space[Any], ...]] = {
    **{f"lem12.{item}": (STEPS,) for item in ("i", "ii", "iii", "iv", "v", "vi")},
    **dict.fromkeys(("lem13.i", "lem13.ii"), (STEPS,)),
    "rem10": (STEPS,),
    "thm2.i": (CALLS,),
    "thm2.ii": (RUNS, SOLVED),
    "thm2.i-ii": (SLOW, SOLVED),
    **{item: (_ladder_space(item),) for item in ("thm2.iii", "rem6.i.rate", "rem6.i.small", "tab3.rate")},
    **dict.fromkeys(("thm2.iii-a", "thm2.iii-b", "st.15"), (LAWS,)),
    "exp4.vi.map": (GAMES,),
}
SPACES: dict[str, tuple[Space[Any], ...]] = {
    **{claim.id: _ITEMS[claim.printed_item] for claim in CLAIMS if claim.printed_item in _ITEMS},
    "fedrzo.thm2.iii.exponent": (_ladder_space("thm2.iii.exponent"),),
}
