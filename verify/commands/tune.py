"""``rateproof tune``: the paper's schedule beside the best one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rateproof.verify.commands.errors import bad_input
from rateproof.verify.commands.named import argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rateproof.verify.experiments.tune import Answer, Choice, Study

PLOT = (".png", ".pdf", ".svg")
FEWEST, MOST = 3.0, 1e15


@click.command(short_help="The paper's schedule beside the best one.")
@argument("claim")
@click.option("--rounds", metavar="R", help="Horizon in communication rounds, such as 1e6.")
@click.option("--iterations", metavar="K", help="Horizon in local iterations, where the paper's schedule has one.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A constant; may be repeated.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="PNG, PDF or SVG.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def tune(
    claim: str,
    rounds: str | None,
    iterations: str | None,
    settings: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
) -> None:
    """Find the schedule that is best by a claim's explicit bound, and run it beside the paper's.

    Exponents come from a linear programme in exact arithmetic, the choice at a horizon from a geometric programme whose
    distance to the optimum is certified. Where the bound is no posynomial, that is an upper bound of it, and the bound
    itself is lowered from there by a local search. Both schedules are then run on an instance that has the constants.

    \b
    For instance:
      rateproof tune strfedavg.thm2.i-1 --rounds 1e6 --set L_h=10 --plot trade-off.png
    """
    import json

    from rateproof.verify.experiments import tune as tuning
    from rateproof.verify.pages.render import progress
    from rateproof.verify.runner import one_blas_thread
    from rateproof.verify.stored import baseline
    from rateproof.verify.stored.files import write_atomically

    one_blas_thread()
    with bad_input(), progress("exponents", None) as step:
        counted, horizon = _horizon({tuning.ROUNDS: rounds, "iterations": iterations})
        _check_plot(plot)
        study = tuning.telling(tuning.study(claim, tuning.parse(settings), counted), step)
        entry = baseline.read(study.claim.paper).get(claim)
        if plot is not None and study.other is None:
            raise ValueError(f"--plot shows the trade-off of two metrics; {claim} bounds {study.metric} alone")
        asked = tuning.answers(study)
        chosen, trouble = tuning.choices(study, horizon)
        points = tuning.curve(study, chosen, horizon) if plot is not None else []
    verdict = entry.result.verdict if entry else None
    if as_json:
        print(json.dumps(summary(study, horizon, asked, chosen, trouble, verdict)))
    else:
        _print_text(_heading(study, verdict))
        _print_exponents(study, asked)
        _print_choices(study, horizon, chosen, trouble)
    if plot is not None:
        with bad_input("--plot "):
            write_atomically(plot, tuning.picture(study, chosen, points, horizon, plot.suffix[1:]))


def summary(
    study: Study,
    horizon: float,
    asked: Sequence[Answer],
    chosen: Sequence[Choice],
    trouble: Sequence[str],
    verdict: Any,
) -> dict[str, Any]:
    """Everything that was found, as plain JSON values; exact numbers are text."""
    from rateproof.verify.checks import plain

    def named(values: Mapping[Any, Any]) -> dict[str, Any]:
        return {str(k): str(v) if isinstance(v, Fraction) else plain(v) for k, v in values.items()}

    return {
        "claim": study.claim.id,
        "verdict": verdict and str(verdict),
        study.counted: horizon,
        "instance": study.instance,
        "constants": named(study.constants),
        "notes": list(study.notes),
        "exponents": [
            {
                "for": a.question.title,
                "best": named(a.best.values),
                "epsilon": _shown(a.best.exponent),
                "log": str(a.best.log),
                "attained": not a.best.excluded,
                "active": [str(x) for x in a.best.active],
                "proof": a.best.proof,
                "paper": named(a.question.paper),
                "paper_admissible": a.admissible,
                "paper_optimal": a.optimal,
                "paper_epsilon": _shown(a.exponent),
                "paper_log": str(a.log),
            }
            for a in asked
        ],
        "schedules": [
            {
                "schedule": c.title,
                **named(c.point),
                "bounds": named(c.bounds),
                "measured": named(c.measured),
                "conditions_broken": list(c.refused),
                "certified_gap": c.solved and plain(c.solved.gap),
                "certified": c.solved and ("surrogate" if study.minorants else "bound"),
                "certified_value": c.solved and plain(c.solved.value),
                "active": list(c.solved.active) if c.solved else [],
                f"paper_{study.counted}_to_bound": plain(c.promised),
                f"paper_{study.counted}_to_measured": plain(c.needed),
            }
            for c in chosen
        ],
        "not_found": list(trouble),
    }


def _print_text(lines: Iterable[str], indent: str = "") -> None:
    from rateproof.verify.pages.render import wrapped

    for line in lines:
        print("\n".join(wrapped(line, indent)))


def _heading(study: Study, verdict: Any) -> Iterable[str]:
    claim = study.claim
    yield f"{claim.id}  ({claim.source.place} of {claim.paper}): bound on {study.metric}"
    if verdict in ("refuted", "inconsistent"):
        yield f"warning: the claim as printed is {verdict}; rateproof show {claim.id} says where"
    elif verdict is not None:
        yield f"verdict: {verdict}"
    yield ""
    yield f"instance: {study.instance}"
    for note in study.notes:
        yield f"note: {note}"


def _print_exponents(study: Study, asked: Sequence[Answer]) -> None:
    from rateproof.verify.pages.render import Column, print_table

    if not asked:
        return
    print(f"\nexponents: {study.counted} to accuracy eps; the paper takes {_values(asked[0].question.paper)}")
    rows = [
        (
            a.question.title,
            _values(a.best.values),
            _complexity(a.best.exponent, a.best.log) + (" *" if a.best.excluded else ""),
            _complexity(a.exponent, a.log) if a.admissible else "excluded",
        )
        for a in asked
    ]
    print_table([Column(h) for h in ("for", "best", study.counted, "with the paper's")], rows)
    if any(a.best.excluded for a in asked):
        print("  * approached and not attained: a strict inequality of the paper holds with equality there")
    for a in asked:
        _print_text([f"{a.question.title}: limited by {'; '.join(map(str, a.best.active))}"], "  ")
        _print_text([f"proof: {a.best.proof}"], "    ")


def _values(values: Mapping[Any, Any]) -> str:
    return ", ".join(f"{k}={v}" for k, v in values.items())


def _complexity(power: Fraction | None, log: Fraction) -> str:
    if power is None:
        return "never"
    return f"eps^-{_power(power)}" + (f" ln(1/eps)^{_power(log)}" if log else "")


def _shown(power: Fraction | None) -> str | None:
    return None if power is None else str(power)


def _power(x: Fraction) -> str:
    return str(x) if x.denominator == 1 else f"({x})"


def _print_choices(study: Study, horizon: float, chosen: Sequence[Choice], trouble: Sequence[str]) -> None:
    from rateproof.verify.experiments.tune import KEPT
    from rateproof.verify.pages.render import Column, number, print_table

    metrics = list(study.bounds)
    print(f"\nat {study.letter} = {horizon:g}")
    headings = ["schedule", *map(str, study.variables)]
    headings += [f"{kind} {m}" for m in metrics for kind in ("bound", "true")]
    rows = [
        [
            c.title,
            *(number(c.point[v]) for v in study.variables),
            *(number(part[m]) for m in metrics for part in (c.bounds, c.measured)),
        ]
        for c in chosen
    ]
    print_table([Column(h, right=i > 0) for i, h in enumerate(headings)], rows)
    if any(c.title == KEPT for c in chosen):
        least = "a small" if study.minorants else "the least"
        print(f"  {KEPT}: {least} bound on {study.metric} with a bound on {study.other} no larger than the paper's")
    _print_text(trouble, "  ")
    paper, *best = chosen
    if paper.refused:
        broken = "; ".join(paper.refused)
        _print_text([f"paper: breaks {broken}, so that its bound promises nothing at this {study.letter}"], "  ")
    for c in best:
        _print_text(_certified(study, c), "  ")
        _print_text(_gain(study, horizon, paper, c), "    ")


def _certified(study: Study, choice: Choice) -> Iterable[str]:
    """What the certificate of a choice is about, and how far from the optimum that is."""
    if choice.solved is None:
        return
    limits = f", limited by {'; '.join(choice.solved.active)}" if choice.solved.active else ""
    near = f"certified within {max(choice.solved.gap, 0.0):.1e} of"
    if not study.minorants:
        yield f"{choice.title}: {near} the optimum{limits}"
        return
    yield (
        f"{choice.title}: a surrogate, the bound with a tangent (see the note), has the value "
        f"{choice.solved.value:.7g}, {near} its optimum{limits}; from there a local search lowered the bound itself to "
        f"{choice.bounds[study.metric]:.7g}, which is not certified to be the least"
    )


def _gain(study: Study, horizon: float, paper: Choice, best: Choice) -> Iterable[str]:
    """What the bound promises in rounds, what the runs say, and whether the two agree."""
    metric = study.metric
    promised = best.promised / horizon if best.promised else None
    if promised is None:
        yield f"by the bound, no number of {study.counted} up to 1e60 takes the paper's schedule there"
    else:
        rounds = f"{best.promised:.3g} {study.counted} to get there: {promised:.3g} times as many"
        yield f"by the bound, the paper's schedule needs {rounds}"
    if best.measured[metric] <= 0:
        yield f"in truth {metric} is {best.measured[metric]:.3g}, at most 0: the bound on it is idle on this instance"
    elif best.needed is None:
        yield f"in truth no number of {study.counted} up to {study.reach:g} takes the paper's schedule there"
    else:
        real = best.needed / horizon
        yield f"in truth it needs {best.needed:.3g} {study.counted}: {real:.3g} times as many"
        if promised is not None and not promised / 2 <= real <= 2 * promised:
            less = f"{'less' if real < promised else 'more'} by a factor {max(real / promised, promised / real):.3g}"
            yield f"the true gain is not the promised one: {less}{', and a loss' if real < 1 else ''}"
    other = study.other
    if other is not None and best.measured[other] > 2 * abs(paper.measured[other]):
        kept = best.bounds[other] <= paper.bounds[other] * (1 + 1e-6)
        how = "although its bound is not" if kept else "as its bound is"
        yield f"{other} is truly larger than under the paper's schedule, {how}"


def _horizon(options: Mapping[str, str | None]) -> tuple[str, float]:
    """What the horizon counts, and how many."""
    horizons = {counted: text for counted, text in options.items() if text is not None}
    if len(horizons) != 1:
        names = " or ".join(f"--{counted}" for counted in options)
        raise ValueError(f"give one horizon, {names}, such as --rounds 1e6")
    (counted, text) = next(iter(horizons.items()))
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not FEWEST <= value <= MOST:
        raise ValueError(f"--{counted} {text} should be a number from {FEWEST:g} to {MOST:g}, such as 1e6")
    return counted, float(int(value))


def _check_plot(path: Path | None) -> None:
    from importlib.util import find_spec

    from rateproof.verify.stored.files import check_target

    check_target("--plot", path, PLOT)
    if path is not None and find_spec("matplotlib") is None:
        raise ValueError("--plot needs matplotlib, which is not installed: pip install 'rateproof[plot]'")
