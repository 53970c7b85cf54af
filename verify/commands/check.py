"""``rateproof check``: run the checks, keep what they find, and compare it with the committed baseline."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rateproof.verify.commands.errors import BAD_INPUT, InterruptedRunError, bad_input
from rateproof.verify.commands.named import argument

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.theory.proof.hints import Hints
    from rateproof.verify.checks import Budget, Result
    from rateproof.verify.stored.baseline import Change, Entry
    from rateproof.verify.stored.ledger import Ledger

CHANGED = 1


@click.command(short_help="Check claims and compare with the baseline.")
@argument("names", metavar="[CLAIM|PAPER]...", nargs=-1)
@click.option("--tier", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; two unless said.")
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster with this scheduler instead.")
@click.option("--resume", is_flag=True, help="Take finished results of an earlier run with the same sources.")
@click.option("--update", is_flag=True, help="Make what is found the new baseline.")
@click.option("--second-kernel", is_flag=True, help="Check the proofs that stand again, with Rocq (coqc).")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="A JSON array, one object per claim.")
def check(
    names: tuple[str, ...],
    tier: Literal["quick", "full"],
    jobs: int | None,
    dask: str | None,
    resume: bool,
    update: bool,
    second_kernel: bool,
    seed: int,
    as_json: bool,
) -> int:
    """Check claims (all of them unless named) and compare with the baseline.

    Exit code 0: nothing changed for the worse. 1: a verdict changed, as printed or read kindly, a severity got graver,
    a ratio got worse than its tolerance, or Rocq refuses a proof.
    2: bad input, or a paper that cannot be read. 130: interrupted; what was finished is kept, and --resume goes on.
    """
    from rateproof.theory import catalog, discovery
    from rateproof.verify.checks import Budget, finish
    from rateproof.verify.deciders.kernel import cited
    from rateproof.verify.pages.listed import keep_pages, keep_proofs
    from rateproof.verify.pages.render import note, print_json
    from rateproof.verify.stored import baseline, proofs

    budget = Budget(tier, seed)
    with bad_input():
        claims = catalog.select(names)
        left_out = () if names else catalog.unreadable()
        involved = dict.fromkeys(
            discovery.paper_of(i) for c in claims for i in (c.id, *catalog.ancestors(c.id), *cited(c))
        )
        old = {paper: baseline.read(paper) for paper in involved}
        hints = {paper: proofs.read(paper) for paper in involved}
    committed = [e.result for lines in old.values() for e in lines.values()]
    checked, unkept = _run(claims, budget, jobs=jobs, dask=dask, resume=resume)
    results = finish(checked, committed)
    complete = [p for p in old if catalog.claims(p).keys() <= {c.id for c in claims}]
    entries = {i: e for lines in old.values() for i, e in lines.items()}
    changes = baseline.compare(entries, results, budget, complete=complete)
    if as_json:
        print_json({name: v for name, v in r.to_json().items() if name != "hints"} for r in results)
    else:
        _print_results(results)
        _print_open(results, all_of_it=bool(names))
        _print_counts(results)
    unwritten = _update(old, hints, results, budget, complete) if update else []
    _print_changes(changes, update=update, aside=as_json)
    for message in (*unkept, *unwritten):
        note(message)
    if left_out:
        note(f"not checked: {', '.join(left_out)}")
    keep_proofs(results)
    refused = _second_kernel(claims, results, jobs, aside=as_json) if second_kernel else False
    if not names:
        keep_pages(complete)
    if unwritten or left_out:
        return BAD_INPUT
    return CHANGED if refused or (any(c.worse for c in changes) and not update) else 0


def _second_kernel(claims: Sequence[Claim], results: Sequence[Result], jobs: int | None, *, aside: bool) -> bool:
    """Whether Rocq refuses a proof by certificate; says of each that is not accepted why."""
    from rateproof.verify.evidence import Level, Verdict
    from rateproof.verify.pages.render import note, progress
    from rateproof.verify.runner import default_jobs
    from rateproof.verify.secondkernel import outcomes, rocq

    coqc = rocq.found()
    if coqc is None:
        note(rocq.ABSENT)
        return False
    proved = {r.claim for r in results if r.verdict is Verdict.PROVED and r.level is Level.CERTIFICATE}
    chosen = [c for c in claims if c.id in proved and c.proof is not None]
    found = []
    with progress("exporting", len(chosen)) as step:
        for answer in outcomes.answers(chosen, coqc, jobs or default_jobs()):
            found.append(answer)
            if answer.claim in proved:
                step(answer.claim, "", str(answer.outcome))
    settled = {answer.claim: answer for answer in outcomes.supported(found)}
    outcomes.keep(settled.values())
    found = [settled[c.id] for c in chosen]
    for answer in found:
        if answer.outcome is not outcomes.Outcome.ACCEPTED:
            click.echo(f"{answer.claim}: {answer.outcome}: {answer.why}", err=aside)
    counts = outcomes.counts(found)
    said = ", ".join(f"{counts[one]} {one}" for one in outcomes.Outcome)
    click.echo(f"Rocq: of {len(found)} proofs by certificate {said}", err=aside)
    return counts[outcomes.Outcome.REFUSED] > 0


def _run(
    claims: Sequence[Claim], budget: Budget, *, jobs: int | None, dask: str | None, resume: bool
) -> tuple[list[Result], list[str]]:
    """Results in the order of the claims, and what kept them from being stored, if anything did."""
    from rateproof.verify.pages.render import progress
    from rateproof.verify.runner import default_jobs, run_checks
    from rateproof.verify.stored.ledger import default_path
    from rateproof.verify.times import Left, expected

    path = default_path()
    trouble: list[str] = []
    ledger: Ledger | None = None
    try:
        with bad_input():
            ledger = _open(path, trouble)
            done = ledger.finished((c.id for c in claims), budget) if ledger and resume else {}
            took = ledger.seconds(budget) if ledger else {}
        waiting = [c for c in claims if c.id not in done]
        seconds = expected(waiting, took)
        jobs = jobs or default_jobs()
        try:
            left = Left(seconds, jobs)
            with bad_input(), progress("starting", len(seconds), left.now()) as step:
                for result in run_checks(waiting, seconds, budget, jobs=jobs, dask=dask):
                    done[result.claim] = result
                    step(result.claim, left.after(result.claim), str(result.verdict))
                    if ledger and not trouble:
                        _keep(ledger, result, budget, trouble)
        except KeyboardInterrupt:
            if ledger and done and not trouble:  # it may have come when a claim was finished and not kept yet
                _keep(ledger, [*done.values()][-1], budget, trouble)
            kept = "nothing could be kept" if trouble else f"kept in {path}; --resume goes on from there"
            raise InterruptedRunError(
                f"interrupted: {len(done)} of {len(claims)} claims are finished, {kept}"
            ) from None
    finally:
        if ledger:
            ledger.close()
    return [done[c.id] for c in claims], trouble


def _open(path: Path, trouble: list[str]) -> Ledger | None:
    from rateproof.verify.stored.ledger import Ledger

    try:
        return Ledger(path)
    except OSError as error:
        trouble.append(_unkept(error))
        return None


def _keep(ledger: Ledger, result: Result, budget: Budget, trouble: list[str]) -> None:
    try:
        ledger.put(result, budget)
    except OSError as error:
        trouble.append(_unkept(error))


def _unkept(error: OSError) -> str:
    return f"results are not kept: {error}; set RATEPROOF_HOME to a folder that can be written"


def _update(
    old: dict[str, dict[str, Entry]],
    hints: dict[str, dict[str, Hints]],
    results: Sequence[Result],
    budget: Budget,
    complete: Sequence[str],
) -> list[str]:
    """Write the baselines of the papers checked, and what is kept of their proofs; what went wrong."""
    from rateproof.verify.stored import baseline, proofs

    trouble = []
    for paper in dict.fromkeys(r.paper for r in results):
        mine = [r for r in results if r.paper == paper]
        try:
            baseline.write(paper, baseline.updated(old[paper], mine, budget, complete=paper in complete))
            fresh = {r.claim: r.hints for r in mine}
            proofs.write(paper, fresh if paper in complete else hints[paper] | fresh)
        except OSError as error:
            trouble.append(f"baseline {error}")
    return trouble


def _print_results(results: Sequence[Result]) -> None:
    from rateproof.verify.pages.render import PLACE_WIDTH, Column, number, print_table

    columns = (
        Column("claim"),
        Column("place", width=PLACE_WIDTH),
        Column("verdict"),
        Column("kindly"),
        Column("severity"),
        Column("level"),
        Column("ratio", right=True),
        Column("found", rest=True),
    )
    rows = (
        (
            r.claim,
            r.place,
            r.verdict,
            r.kindly or "-",
            r.severity or "-",
            r.level or "-",
            number(r.worst_ratio),
            r.detail,
        )
        for r in results
    )
    print_table(columns, rows)


def _print_counts(results: Sequence[Result]) -> None:
    from rateproof.theory.claim import Severity
    from rateproof.verify.evidence import Verdict, strengths

    broken = sum(bool(r.proof_broken_by) for r in results)
    verdicts = [r.verdict for r in results]
    claims = "1 claim" if len(results) == 1 else f"{len(results)} claims"
    print(f"\n{claims}: {_counts(verdicts, Verdict)}; {broken} with a broken proof")
    if Verdict.PROVED in verdicts:
        print(strengths((r.level, bool(r.untried)) for r in results if r.verdict is Verdict.PROVED))
    if any(r.severity for r in results):
        print(f"read kindly: {_counts([r.kindly or r.verdict for r in results], Verdict)}")
        print(f"severity of the broken: {_counts([r.severity for r in results], Severity)}")


def _counts(values: Sequence[StrEnum | None], among: type[StrEnum]) -> str:
    return ", ".join(f"{values.count(one)} {one}" for one in among if one in values) or "none"


def _print_open(results: Sequence[Result], *, all_of_it: bool) -> None:
    """Why claims are undecided, and on request what came to nothing beside the evidence of others."""
    from rateproof.verify.checks import FAILED
    from rateproof.verify.evidence import Verdict
    from rateproof.verify.pages.render import wrapped

    open_ = [
        (r, [r.detail] * (r.verdict is Verdict.UNDECIDED) + list(r.inconclusive if all_of_it else ()))
        for r in results
        if r.verdict is not Verdict.VACUOUS
    ]
    if any(lines for _, lines in open_):
        print("\nopen")
    for result, lines in open_:
        for line in lines:
            print("\n".join(wrapped(f"{result.claim}: {line}", "  ")))
    if any(r.method == FAILED for r in results) and not os.environ.get("RATEPROOF_DEBUG"):
        print("  RATEPROOF_DEBUG=1 shows the tracebacks")


def _print_changes(changes: Iterable[Change], *, update: bool, aside: bool) -> None:
    listed = sorted(changes, key=lambda c: not c.worse)
    worse = sum(c.worse for c in listed)
    if not listed:
        click.echo("as in the baseline", err=aside)
        return
    done = "; the baseline is updated" if update else ""
    click.echo(f"{worse} changed for the worse or new, {len(listed) - worse} for the better{done}:", err=aside)
    for change in listed:
        click.echo(f"  {'-' if change.worse else '+'} {change}", err=aside)
