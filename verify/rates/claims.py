"""A claim of a paper as a test. Papers are found through the catalog; nothing here knows one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Literal

from rateproof.verify.pages.render import wrapped
from rateproof.verify.rates.outcome import RateError
from rateproof.verify.rates.show import chart
from rateproof.verify.rates.spending import spend

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.verify.checks import Result
    from rateproof.verify.trial import Side, Trial

_PASSING = ("proved", "supported")
# Instances of each family that are measured to show how a failing claim depends on its horizon.
_INSTANCES = 64


def assert_claim(
    claim_id: str,
    *,
    expect: str | None = None,
    allow: Collection[str] = (),
    tier: Literal["quick", "full"] = "quick",
    seed: int = 0,
) -> Result:
    """Assert that the check of a claim finds it proved or supported.

    Args:
        claim_id: ``<paper>.<claim>``, as ``rateproof list`` shows it. A claim without a check of its own has the joint
            verdict of its parts.
        expect: the only verdict that passes, such as ``refuted`` for a claim known to be false.
        allow: verdicts that pass too, such as ``("undecided",)``.
        tier, seed: how much work the check does, and the seed that it draws instances from.

    Returns:
        What the check found.

    Raises:
        RateError: another verdict; shows both sides, the instance with its hypotheses and, where instances have a
            horizon ``R``, the ratio of the sides by horizon.
        ValueError: unknown claim, verdict or tier (near misses are suggested), or a seed that is no integer >= 0.
    """
    __tracebackhide__ = True
    check_arguments(claim_id, expect=expect, allow=allow, tier=tier, seed=seed)
    result = found(claim_id, tier=tier, seed=seed)
    judge(result, expect=expect, allow=allow)
    return result


def check_arguments(
    claim_id: str, *, expect: str | None = None, allow: Collection[str] = (), tier: str = "quick", seed: int = 0
) -> None:
    """Check the arguments of :func:`assert_claim`.

    Raises:
        ValueError: unknown claim, verdict or tier, or a seed that is no integer >= 0.
    """
    from rateproof.theory import catalog
    from rateproof.verify.evidence import Verdict

    catalog.get(claim_id)
    if isinstance(allow, str):
        raise ValueError(f"allow should be a tuple of verdicts, such as ({allow!r},)")
    if expect is not None and allow:
        raise ValueError("expect names the only verdict that passes, so allow should be empty")
    for name in (*allow, *([] if expect is None else [expect])):
        if name not in list(Verdict):
            raise ValueError(catalog.unknown("verdict", str(name), list(Verdict)))
    if tier not in ("quick", "full"):
        raise ValueError(f"tier should be quick or full, not {tier!r}")
    if not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed should be an integer >= 0, not {seed!r}")


def found(claim_id: str, *, tier: Literal["quick", "full"] = "quick", seed: int = 0) -> Result:
    """What the check of a claim finds, or of its parts when it has none of its own."""
    from rateproof.theory import catalog
    from rateproof.verify.checks import Budget, check_claim, finish, is_checked

    claim = catalog.get(claim_id)
    claims = [claim] if is_checked(claim) else catalog.select([claim_id])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = finish(check_claim(c, Budget(tier, seed)) for c in claims)
    return next(r for r in results if r.claim == claim_id)


def judge(result: Result, *, expect: str | None = None, allow: Collection[str] = ()) -> None:
    """Assert that a result is as wanted; see :func:`assert_claim`.

    Raises:
        RateError: it is not.
    """
    __tracebackhide__ = True
    spend(result.error_probability)
    wanted = (*_PASSING, *allow) if expect is None else (expect,)
    if result.verdict not in wanted:
        raise RateError("\n".join(_failure(result, wanted)))


def _failure(result: Result, wanted: Collection[str]) -> Iterator[str]:
    from rateproof.theory import catalog
    from rateproof.verify.pages.facts import ratio_said, sides_said

    claim = catalog.get(result.claim)
    yield f"{result.claim} is {result.verdict}, not {' or '.join(wanted)}"
    yield from wrapped(f"{result.place}: {claim.text}", "  ")
    if result.detail:
        yield from wrapped(f"{result.method}: {result.detail}" if result.method else result.detail, "  ")
    if result.violated:
        v = result.violated
        yield from wrapped(f"{v['relation']}: {sides_said(v)}", "  ")
        yield from wrapped(f"instance{' (degenerate)' if v['degenerate'] else ''}: {v['instance']}", "  ")
        for why in v["hypotheses"].values():
            yield from wrapped(why, "    - ")
    else:
        yield from wrapped(ratio_said(result), "  ")
    yield from _ratio_by_horizon(claim)
    yield f"  rateproof {_where(result.paper)}show {result.claim} tells more"


def _where(paper: str) -> str:
    """The option that makes a paper outside of rateproof known, unless it is installed."""
    from shlex import quote

    from rateproof.theory import discovery

    place = discovery.place(paper)
    return f"--papers {quote(str(place.folder))} " if place is not None and place.by_path else ""


def _ratio_by_horizon(claim: Claim) -> Iterator[str]:
    """The largest ratio of the sides at each horizon, over the first instances of the families of a claim."""
    worst: dict[float, Side] = {}
    for trial in _trials(claim):
        horizon, side = trial.values.get("R"), _worst(claim, trial)
        if horizon is None or side is None:
            continue
        if horizon not in worst or side.ratio > worst[horizon].ratio:
            worst[horizon] = side
    if len(worst) > 1:
        at = sorted(worst)
        left, right, ratios = zip(*((*worst[r].printed, worst[r].ratio) for r in at), strict=True)
        yield "  worst instance found at each horizon R:"
        yield chart(at, {"left": left, "right": right, "ratio": ratios}, worst=ratios.index(max(ratios)))


def _trials(claim: Claim) -> Iterator[Trial]:
    from rateproof.verify import registry
    from rateproof.verify.deciders.growth import Ladder

    for space in registry.record(claim).spaces:
        for params in islice(space.corners(claim), _INSTANCES):
            try:
                built = space.build(params)
            except ValueError:  # these parameters make no instance
                continue
            yield from built.trials if isinstance(built, Ladder) else (built,)


def _worst(claim: Claim, trial: Trial) -> Side | None:
    from rateproof.verify.deciders.growth import with_unit_constant
    from rateproof.verify.trial import evaluate

    # The ratio of an O(.) claim is the hidden constant that the instance needs.
    outcome = evaluate(claim, with_unit_constant(trial))
    worst = outcome.worst if outcome.admissible else None
    return worst if worst and math.isfinite(worst.ratio) else None
