"""``rateproof run``: a method on an instance, many replicates at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rateproof.verify.commands.completion import completing, families, methods, schedules
from rateproof.verify.commands.errors import bad_input

if TYPE_CHECKING:
    from rateproof.algos.engine import Result
    from rateproof.verify.experiments.experiment import Experiment

OUT = (".json", ".csv")
PLOT = (".png", ".pdf", ".svg")
NEWEST = "newest server model"
#: Hypotheses that only some statements make: their keys alone would look like assumptions of the method.
AS_A_SENTENCE = {
    "free": "no client has a set",
    "lower_free": "the lower level has no constraints",
    "lower_fixed": "the set of the lower level does not depend on x",
}


@click.command(short_help="Run a method on an instance.")
@click.argument("method", required=False, shell_complete=completing(methods))
@click.option("--list", "listing", is_flag=True, help="List methods, families and schedules, or describe METHOD.")
@click.option(
    "--problem",
    "family",
    metavar="FAMILY",
    shell_complete=completing(families),
    help="Family of instances.  [required]",
)
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter; may be repeated.")
@click.option("--rounds", type=click.IntRange(min=1), metavar="R", help="Communication rounds.  [required]")
@click.option("--runs", type=click.IntRange(min=1), metavar="S", default=1, show_default=True, help="Replicates.")
@click.option(
    "--schedule",
    metavar="ID",
    shell_complete=completing(schedules),
    help="Take stepsize and regularisation from this schedule of a paper.",
)
@click.option("--force", is_flag=True, help="Run a schedule although its conditions fail.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="PNG, PDF or SVG.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="JSON or CSV.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def run(
    method: str | None,
    listing: bool,
    family: str | None,
    settings: tuple[str, ...],
    rounds: int | None,
    runs: int,
    schedule: str | None,
    force: bool,
    seed: int,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run a method and print how far from the solution it is.

    \b
    For instance:
      rateproof run StRFedAvg --problem diagonal_selection --set gamma_l=0.1 --set eta=0.01 --rounds 1000
      rateproof run --list
    """
    if listing:
        _list(method)
        return
    if method is None:
        raise click.UsageError("Missing argument 'METHOD'; rateproof run --list shows which there are.")
    if family is None:
        raise click.UsageError("Missing option '--problem'; rateproof run --list shows which families there are.")
    if rounds is None:
        raise click.UsageError("Missing option '--rounds'.")
    import json

    import numpy as np

    from rateproof.verify.experiments import experiment
    from rateproof.verify.experiments.settings import parse
    from rateproof.verify.pages.render import progress_of
    from rateproof.verify.runner import one_blas_thread
    from rateproof.verify.stored.files import check_target, write_atomically

    one_blas_thread()
    with bad_input(), np.errstate(over="ignore", invalid="ignore"):
        check_target("--out", out, OUT)
        check_target("--plot", plot, PLOT)
        if plot is not None:
            _require_matplotlib()
        built = experiment.build(method, family, parse(settings), R=rounds, schedule=schedule, force=force)
    from rateproof.algos import engine
    from rateproof.algos.methods.base import Measuring

    metrics = dict(built.problem.metrics)
    if hasattr(built.method, "stationarity") and _defined(built):
        metrics["|grad F|^2"] = built.method.stationarity
    measures = built.method.measures(built.problem) if isinstance(built.method, Measuring) else {}
    with bad_input(), np.errstate(over="ignore", invalid="ignore"), progress_of("rounds") as step:
        done = engine.run(
            *(built.method, built.problem, built.x0),
            R=rounds,
            runs=runs,
            seed=seed,
            metrics=metrics,
            measures=measures,
            progress=step,
        )
        report = summarise(built, done, runs=runs, seed=seed)
    if as_json:
        print(json.dumps(report))
    else:
        _print_report(report)
    if out is not None:
        with bad_input("--out "):
            write_atomically(out, as_csv(report) if out.suffix == ".csv" else json.dumps(report, indent=1) + "\n")
    if plot is not None:
        with bad_input("--plot "):
            write_atomically(plot, _picture(report, plot.suffix[1:]))


def _list(name: str | None) -> None:
    from rateproof.verify.experiments import listing

    with bad_input():
        for line in listing.everything() if name is None else listing.described(name):
            print(line)


def summarise(built: Experiment, done: Result, *, runs: int, seed: int) -> dict[str, Any]:
    """Means and standard errors over the runs, as plain JSON values (NaN is null)."""
    from dataclasses import asdict, fields

    import numpy as np

    from rateproof.verify.checks import plain

    c = built.problem.constants
    # What is known of the smallest values: f* may not be, and other classes of problems have no such constants.
    shift = {name: value for name in ("f", "h") if not np.isnan(value := getattr(c, f"{name}_star", np.nan))}
    names = {name: f"{name} - {name}*" for name in shift}

    def column(values: Any) -> list[float | None]:
        return [None if np.isnan(v) else plain(v) for v in values]

    def statistics(metrics: Any) -> dict[str, Any]:
        out = {}
        for name, values in metrics.items():
            gaps = values - shift.get(name, 0.0)
            error = gaps.std(axis=1, ddof=1) / np.sqrt(runs) if runs > 1 else np.full(len(gaps), np.nan)
            out[names.get(name, name)] = {"mean": column(gaps.mean(axis=1)), "se": column(error)}
        return out

    parameters = {f.name: getattr(built.method, f.name) for f in fields(built.method)}
    return {
        "method": type(built.method).__name__,
        "parameters": plain(parameters),
        "problem": built.problem.name,
        "instance": plain(built.problem.params),
        "constants": plain({f.name: getattr(c, f.name) for f in fields(c)}),
        "facts": {k: {"holds": fact.holds, "why": fact.why} for k, fact in built.problem.facts().items()},
        "schedule": built.schedule,
        "conditions_ignored": list(built.ignored),
        "notes": list(built.notes),
        "smallest": _smallest(built.problem),
        "runs": runs,
        "seed": seed,
        "rounds": plain(done.rounds),
        "output": getattr(built.method, "output_name", "weighted average"),
        "average": statistics(done.average),
        "last": statistics(done.last),
        "counts": asdict(done.counts),
    }


def _smallest(problem: Any) -> dict[str, Any] | None:
    """The least loss over the feasible set and where it is taken, of a problem that knows them."""
    from rateproof.verify.checks import plain

    optimum = getattr(problem, "optimum", None)
    return None if optimum is None else {"f*": plain(optimum[1]), "x*": plain(optimum[0])}


def _defined(built: Experiment) -> bool:
    """Whether the method's stationarity is known on this problem."""
    try:
        built.method.stationarity(built.problem, built.x0[None])
    except ValueError:
        return False
    return True


def as_csv(report: dict[str, Any]) -> str:
    """A report as CSV: a row per recorded round, a column per point, metric and statistic."""
    import csv
    import io

    columns = {
        f"{point} {metric} {statistic}": values
        for point in ("average", "last")
        for metric, statistics in report[point].items()
        for statistic, values in statistics.items()
    }
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["round", *columns])
    writer.writerows(zip(report["rounds"], *columns.values(), strict=True))
    return text.getvalue()


def _print_report(report: dict[str, Any]) -> None:
    shown = {k: v for k, v in report["parameters"].items() if v is not None}
    print(f"{report['method']} on {report['problem']}")
    print(", ".join(f"{k} = {_short(v)}" for k, v in shown.items()))
    for note in report["notes"]:
        print(f"note: {note}")
    if failing := {k: fact["why"] for k, fact in report["facts"].items() if not fact["holds"]}:
        print("does not hold here:")
        for k, why in failing.items():
            print(f"  {AS_A_SENTENCE.get(k, k)} ({why})")
    for condition in report["conditions_ignored"]:
        print(f"ignored: {condition}")
    if (least := report["smallest"]) is not None:
        print(f"f* = {_short(least['f*'])}, the least loss over the feasible set, at x = {_short(least['x*'])}")
    _print_statistics(report, "average", report["output"])
    if report["output"] != NEWEST:
        _print_statistics(report, "last", NEWEST)
    if any(s["mean"][-1] is None or s["mean"][-1] == "inf" for s in report["last"].values()):
        print("\ndiverged: the last model is not finite")
    print("\nper run: " + ", ".join(f"{v} {k.replace('_', ' ')}" for k, v in report["counts"].items() if v))


def _print_statistics(report: dict[str, Any], point: str, title: str) -> None:
    from rateproof.verify.pages.render import Column, number, print_table

    metrics = report[point]
    shown = {"mean": 4} if report["runs"] == 1 else {"mean": 4, "se": 2}
    headings = [heading for name in metrics for heading in (name, "s.e.")[: len(shown)]]
    columns = [Column(heading, right=True) for heading in ("round", *headings)]
    rows = [
        [r, *(number(_float(m[part][i]), digits) for m in metrics.values() for part, digits in shown.items())]
        for i, r in enumerate(report["rounds"])
    ]
    print(f"\n{title}" + (f", mean over {report['runs']} runs" if report["runs"] > 1 else ""))
    print_table(columns, rows)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _picture(report: dict[str, Any], kind: str) -> bytes:
    import io

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(report["average"]), figsize=(12, 3.6), layout="constrained")
    for axis, metric in zip(axes, report["average"], strict=True):
        for point, style in (("average", "-"), ("last", ":")):
            means = [float("nan") if v is None else float(v) for v in report[point][metric]["mean"]]
            errors = [0.0 if v is None else float(v) for v in report[point][metric]["se"]]
            low, high = ([m + s * e for m, e in zip(means, errors, strict=True)] for s in (-1, 1))
            axis.plot(report["rounds"], means, style, label=report["output"] if point == "average" else "last model")
            axis.fill_between(report["rounds"], low, high, alpha=0.2)
        axis.set(xlabel="communication rounds", title=metric, xscale="log")
        if all(v is not None and float(v) > 0 for v in report["average"][metric]["mean"][1:]):
            axis.set_yscale("log")
    axes[0].legend()
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, dpi=120)
    plt.close(figure)
    return stream.getvalue()


def _require_matplotlib() -> None:
    if not _installed("matplotlib"):
        raise ValueError("--plot needs matplotlib, which is not installed: pip install 'rateproof[plot]'")


def _installed(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None
