"""Trials of the bilevel section: numbers from :mod:`measure`, and an answer for every structural hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.evidence import Level
from rateproof.verify.papers.fedrzo.bilevel.enumeration import Run
from rateproof.verify.papers.fedrzo.bilevel.line import Line
from rateproof.verify.papers.fedrzo.bilevel.measure import Numbers, as_floats, at_step, whole_run
from rateproof.verify.trial import Trial

METHOD = "all courses"
#: Accuracy and sampling as Algorithm 2 and as its variants with more directions need them.
_ACCURATE = ("lower_accurate", "lower_accurate_mean", "lower_accurate_client", "lower_accurate_step")
_SAMPLES = ("samples", "samples_client", "samples_step")


def facts(line: Line, run: Run, *, round_: int | None = None) -> dict[str, Fact]:
    """Every structural hypothesis of the section, with the reason; ``round_`` is the round of a measured step."""
    cone = line.lower.cone
    fixed = not cone
    moving = "Y(x) = {y >= A |x|} is a closed half-line for every x"
    whole = line.lower.low is None and line.lower.high is None and fixed
    steep = "y(x) = A |x|" if cone else "y(.) is a line of slope A, clipped"
    said = {
        "implicit_lipschitz": "piecewise linear losses (Huber ones are linear at the ends), steepest slopes computed",
        "lower_level": "h = (y - A x - b)^2/2" if fixed else "h = y^2/2, whose gradient does not depend on x",
        "sets": "intervals or the whole line",
        "dissimilarity": line.B_why or ("X_i = R, both sides are zero" if line.free else "B_1 and B_2 as given"),
        "lower_sets": "Y is the same interval for all x" if fixed else moving,
        "frequency": "all rounds have H steps",
        "any_round": "it is a local step",
        "k*": "the mean over all iterates is computed",
        **dict.fromkeys(_ACCURATE, "the lower-level errors are at most sqrt(eps_r) in size, at every query"),
        **dict.fromkeys(_SAMPLES, "all courses are equally likely; lower-level errors follow the sign of v or nothing"),
        "y_lipschitz": steep,
        "mean_lipschitz": "steepest slope of the mean loss computed",
        "chi": "chi is set so",
        "smooth_F": "f_eta has slopes (f(x+eta) - f(x-eta))/(2 eta), and the update is computed",
        "algorithm2": "the step is computed by the listing",
    }
    out = {key: Fact(True, why) for key, why in said.items()}
    if line.lower.L_h_x < abs(line.lower.A) and fixed:
        out["lower_level"] = Fact(False, "grad_y h has the Lipschitz constant A in x, more than declared")
    out["free"] = Fact(line.free, "every X_i is the line" if line.free else "some X_i is bounded on a side")
    out["lower_free"] = Fact(whole, "Y = R" if whole else "Y(x) is not the whole line")
    out["later_round"] = Fact(bool(round_), f"round {round_}" if round_ else "the first round, r = 0")
    return out | _sampling(line, run)


def _sampling(line: Line, run: Run) -> dict[str, Fact]:
    """Who draws directions; one client or one step make some of the ways the same.

    An error at ``xhat_r`` that follows ``v`` depends on a direction drawn later, which the way "step" excludes.
    """
    drawn: set[str] = {run.directions}
    if line.m == 1 and drawn & {"round", "client"}:
        drawn |= {"round", "client"}
    if run.H == 1 and drawn & {"client", "step"}:
        drawn |= {"client", "step"}
    if line.m == run.H == 1:
        drawn = {"round", "client", "step"}
    if run.e and run.errors[1]:
        drawn -= {"step"}
    names = {"one_direction": "round", "fresh_client": "client", "fresh_step": "step"}
    ways = {
        "round": "one direction a round",
        "client": "one direction a client and round",
        "step": "a direction a step",
    }
    said = ways[run.directions] + ("; the error at xhat_r follows v" if run.e and run.errors[1] else "")
    return {key: Fact(way in drawn, said) for key, way in names.items()}


def lemma_trial(line: Line, run: Run, k: int) -> Trial:
    """Local step ``k`` of a run."""
    numbers = at_step(line, run, k)
    return _trial(line, run, numbers, facts(line, run, round_=k // run.H), f"k = {k}")


def run_trial(line: Line, run: Run) -> Trial:
    """A whole run; a ValueError when the gap of its start is not known."""
    return _trial(line, run, whole_run(line, run), facts(line, run), f"{run.rounds} rounds")


def _trial(line: Line, run: Run, numbers: Numbers, facts: Mapping[str, Fact], at: str) -> Trial:
    label = f"{line.says}; gamma = {run.gamma}, eta = {run.eta}, H = {run.H}, {at}, x_0 = {run.x0}"
    label += f", lower-level errors {run.e} x {run.errors}" if run.e else ""
    floats = as_floats(numbers)
    exact = not any(isinstance(value, float) for value in numbers.values())
    return Trial(
        label,
        floats,
        facts,
        level=Level.EXACT,
        absolute_error=0.0 if exact else _rounding(line, run, floats),
        at=described(line, run),
    )


def _rounding(line: Line, run: Run, floats: Mapping[str, float]) -> float:
    """Absolute error of the moments: an estimate is a difference of losses over ``eta``, and moments square it."""
    scale = max(abs(floats.get(name, 0.0)) for name in ("g2_bl", "grad_kstar", "eh_bl", "dir2_bl"))
    weight = max(abs(float(size)) for c in line.clients for size in (c.p, c.q, c.s))
    centre = max(abs(float(place)) for c in line.clients for place in (c.c, c.z))
    reach = abs(float(run.x0)) + centre + float(run.eta) + float(run.e) + abs(floats.get("eh_bl", 0.0)) ** 0.5
    size = weight * (1 + abs(float(line.lower.A))) * reach / float(run.eta)
    return 1e-14 * max(scale, size, size * scale**0.5)


def described(line: Line, run: Run) -> dict[str, Any]:
    """What reproduces the instance."""
    return {"instance": line.says, "clients": [str(c) for c in line.clients], "lower": str(line.lower), "run": str(run)}
