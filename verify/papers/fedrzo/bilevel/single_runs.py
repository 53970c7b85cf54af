"""Runs whose lower level is a bystander, or answers with a bias, as runs of Algorithm 2 and its variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from rateproof.algos.problems.base import Fact
from rateproof.verify.papers.fedrzo.single.grids import bent, crossing, kinked, renamed
from rateproof.verify.trial import Trial

_STILL = (
    *("implicit_lipschitz", "lower_level", "lower_sets", "y_lipschitz", "mean_lipschitz", "lower_rate", "lower_rate_c"),
    *("lower_accurate", "lower_accurate_client", "lower_accurate_step"),
    *("samples", "samples_client", "samples_step"),
)
_SAME = {name: name for name in ("n", "m", "B1", "B2", "eta_s", "gamma", "H", "K_it", "D0", "grad_kstar")}
_WAYS = ("one_direction", "fresh_client", "fresh_step")


def single_trials() -> Iterator[Trial]:
    """Runs of the single level; ``(2 nu/eta) xi x`` makes the same errors as ``nu xi s(x)``."""
    said = (
        "f~ is the loss of the single level and (2 nu/eta) xi x; it does not depend on y, and h = y^2/2 over the line"
    )
    exact = {"L_y": 0.0, "Lam": 0.0, "sum_eps_bl": 0.0, "mean_eps_bl": 0.0, "eps_c_bl": 0.0}
    for trial in (*kinked(), *bent(), *crossing()):
        of, held = trial.values, trial.at.get("held")
        steep = {"L_imp": of["L0"] + 2 * of["nu"] / of["eta_s"], "T_R": of["K_it"] + 1}
        alone = renamed(trial, _SAME | {"L_mean_bl": "L0"}, **steep, **exact)
        alone = replace(alone, facts={**trial.facts, **{key: Fact(True, said) for key in _STILL}})
        if held is None:
            yield _drawn(alone, *_WAYS[of["m"] > 1 :])
            if of["m"] == 1 and trial.at["noise"] == 0:
                # equal clients with one direction and without samples move as one, so that m is any number
                for m in (1e9, round(of["gamma"] ** 2 * of["K_it"], 6)):
                    yield _drawn(replace(alone, values={**alone.values, "m": m}), "one_direction")
        else:
            # means do not depend on what the clients share
            yield from (_drawn(alone, way) for way in (("fresh_step",) if held == 0 else ("fresh_client", *_WAYS[:1])))


def _drawn(trial: Trial, *ways: str) -> Trial:
    """The trial with the directions drawn so."""
    label = f"{trial.label}; m = {trial.values['m']:g}, directions: {', '.join(ways)}"
    return replace(trial, label=label, facts={**trial.facts, **{key: Fact(key in ways, label) for key in _WAYS}})


@cache
def biased_trials() -> tuple[Trial, ...]:
    """Answers that are wrong to one side, one client, ``y(x) = 0`` and the set {0}, in rounds of one step from 0.

    The loss y, answered by ``sgn z`` at queries ``|z| >= 1``: with eta >= 2 iterates stay in (-1, 0], and estimates are
    1/eta. The loss ``-y^2/2`` over [-1, 1], answered by 1 at z >= 1 with eta = 2: in [0, 1/2] they are -1/4 or 0.
    """
    kept = {
        "minimax_bounded": "-y^2/2 over [-1, 1]",
        "implicit_lipschitz_on_Y": "|y| <= 1",
        "lower_level_on_Y": "y^2/2",
    }
    return (
        _biased(0.5, eta=2, gamma=1e-6, steps=10**9, said={"implicit_lipschitz": "the loss y"}),
        _biased(1 / 16, eta=16, gamma=1.0, steps=2, said={"implicit_lipschitz": "the loss y"}),
        _biased(1 / 8, eta=2, gamma=1e-6, steps=10**9, said=kept),
    )


def _biased(bias: float, *, eta: float, gamma: float, steps: int, said: Mapping[str, str]) -> Trial:
    """The mean gradient ``x/eta`` tends to the mean error of the estimates, and E||.||^2 is at least its square."""
    rate = 1 - gamma / eta
    once, twice = ((1 - rate ** (p * steps)) / (steps * (1 - rate**p)) for p in (1, 2))
    values = {
        **{"n": 1, "m": 1, "eta_s": eta, "gamma": gamma, "H": 1, "B1": 0, "B2": 1, "L_imp": 1e-9, "L_mean_bl": 1e-9},
        **{"L_y": 1, "Lam": 0, "D0": 0, "T_R": steps, "K_it": steps - 1, "sum_eps_bl": steps, "mean_eps_bl": 1},
        **{"eps_c_bl": steps ** (2 / 3), "grad_kstar": bias**2 * (1 - 2 * once + twice)},
    }
    exact = "y(x) = 0 = argmin y^2/2; answers are at most 1 away, eps_r = 1, and the errors depend on the query alone"
    reasons = {
        **dict.fromkeys((*_STILL[1:], *_WAYS), exact),
        **dict.fromkeys(("sets", "dissimilarity"), "the point 0"),
        **{"frequency": "rounds of one step", "k*": "the mean over the iterates"},
        **said,
    }
    label = f"answers wrong to one side, {', '.join(said.values())}, eta = {eta:g}, {steps} steps"
    facts = {key: Fact(True, why) for key, why in reasons.items()}
    if "implicit_lipschitz" not in said:
        facts["implicit_lipschitz"] = Fact(False, "-y^2/2 is not Lipschitz on the line")
    return Trial.exact(label, values, facts, error=1e-9 * bias**2)
