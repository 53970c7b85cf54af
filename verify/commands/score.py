"""``rateproof score``: the planted-error test of the deciders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rateproof.verify.commands.errors import bad_input
from rateproof.verify.commands.named import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from rateproof.verify.planted.deletions import Cuts
    from rateproof.verify.planted.score import Score

#: Share of the errors planted in tight theorems that a sound set of deciders refutes.
WANTED = 0.95
TOO_LOW = 1
#: As rateproof.verify.planted.score.COUNT, which is imported only when the command runs.
COUNT = 10


@click.command(short_help="The planted-error test of the deciders.")
@argument("names", metavar="[CLAIM|PAPER]...", nargs=-1)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws other errors.")
@click.option(
    "--count", type=click.IntRange(min=1), default=COUNT, show_default=True, help="Errors in each tight theorem."
)
@click.option("--deletions", is_flag=True, help="Take the terms of bounds away, one by one, and halve them.")
@click.option("--update", is_flag=True, help="Accept the scores as the new baseline.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def score(names: tuple[str, ...], seed: int, count: int, deletions: bool, update: bool, as_json: bool) -> int:
    """Plant random errors in true claims: how many of them are refuted, and how many true claims are accused.

    All claims that are known to be true are scored unless some are named.

    Theorems that are known to be tight get errors that are false for certain; at least 95 % of these must be refuted.
    The other proved bounds get a smaller constant, which may still be true where a bound is loose: what is refuted of
    them says how much room they leave. The scores are compared with the committed ones.

    With --deletions every additive term of every supported and proved bound is left out instead, and halved. A
    deletion is refuted or shown true, or it stands, and the bound is named as one that nobody has seen to need it.

    Exit code 1: a true claim is accused, fewer than 95 % are refuted, or a theorem scores worse than before; with
    --deletions, a bound stands without a term that it was known to need.
    """
    if deletions:
        return _deletions(names, seed, update, as_json)
    import json

    from rateproof.verify.checks import plain
    from rateproof.verify.pages.render import progress_of
    from rateproof.verify.planted import score_baseline
    from rateproof.verify.planted.score import score as compute
    from rateproof.verify.planted.score import theorems
    from rateproof.verify.runner import one_blas_thread

    one_blas_thread()
    with bad_input():
        committed = score_baseline.read() if not update else {}
        only = _chosen(names, theorems) if names else None
    with progress_of("checks") as step:
        result = compute(seed, step, count=count, only=only)
    # scores of claims that are not named stay as they are
    with bad_input():
        now = (score_baseline.read() if names else {}) | score_baseline.tallies(result, seed=seed, count=count)
        if update:
            score_baseline.write(now)
    changes = [] if update else list(score_baseline.changes(now, committed))
    if as_json:
        print(json.dumps(plain(result.to_json() | {"changes": [line for line, _ in changes]})))
    else:
        _print(result)
        for line, worse in changes:
            print(f"{'worse or new' if worse else 'better'}: {line}")
    bad = result.accused or result.share < WANTED or any(worse for _, worse in changes)
    return TOO_LOW if bad else 0


def _chosen(names: tuple[str, ...], scored: Callable[[], Container[str]]) -> list[str]:
    """Ids of the claims that are scored among those with these names, which are looked at first: all papers take long.

    Raises:
        ValueError: there are none, or a name is unknown.
    """
    from rateproof.theory import catalog

    chosen, claims = catalog.select(names), scored()
    if only := [claim.id for claim in chosen if claim.id in claims]:
        return only
    raise ValueError(f"{', '.join(names)}: a score asks for a claim that is known to be true and is a bound")


def _deletions(names: tuple[str, ...], seed: int, update: bool, as_json: bool) -> int:
    import json

    from rateproof.verify.checks import plain
    from rateproof.verify.pages.render import progress_of
    from rateproof.verify.planted import score_baseline
    from rateproof.verify.planted.deletions import bounds_with_terms, deletions
    from rateproof.verify.runner import one_blas_thread

    one_blas_thread()
    with bad_input():
        committed = score_baseline.read_terms() if not update else {}
        only = _chosen(names, bounds_with_terms) if names else None
    with progress_of("terms") as step:
        result = deletions(seed, step, only=only)
    with bad_input():
        now = (score_baseline.read_terms() if names else {}) | score_baseline.terms_of(result)
        if update:
            score_baseline.write(now)
    changes = [] if update else list(score_baseline.terms_changed(now, committed))
    if as_json:
        print(json.dumps(plain(result.to_json() | {"changes": [line for line, _ in changes]})))
    else:
        _print_cuts(result)
        for line, worse in changes:
            print(f"{'worse or new' if worse else 'better'}: {line}")
    return TOO_LOW if any(worse for _, worse in changes) else 0


def _print_cuts(cuts: Cuts) -> None:
    from rateproof.verify.pages.render import Column, print_table
    from rateproof.verify.planted import score_baseline
    from rateproof.verify.planted.deletions import GOOD

    rows = score_baseline.terms_of(cuts).values()
    columns = (Column("bound"), Column("verdict"), *(Column(h, right=True) for h in _COUNTED))
    print_table(columns, ((r.claim, r.verdict, *(str(getattr(r, k)) for k in _COUNTED.values())) for r in rows))
    for hole in cuts.holes:
        print(f"stands: {hole.claim} without {hole.term}")
    print()
    for verdict in GOOD:
        bounds = cuts.of(verdict)
        noticed = sum(not cut.hole for cut in bounds)
        share = f" ({noticed / len(bounds):.1%})" if bounds else ""
        print(f"terms of {verdict} bounds whose deletion is refuted or shown true: {noticed} of {len(bounds)}{share}")


#: Columns of the table of deletions, and the fields that they show.
_COUNTED = {"terms": "terms", "refuted": "refuted", "shown true": "shown", "halves refuted": "halves_refuted"}


def _print(score: Score) -> None:
    from rateproof.verify.pages.render import Column, number, print_table

    tally = score.tally()
    true = sorted(score.true_claims, key=lambda row: not row.tight)
    rows = (
        (r.claim, r.verdict, number(r.worst_ratio), "tight" if r.tight else "not known", *map(str, tally[r.claim]))
        for r in true
    )
    columns = (
        Column("true claim"),
        Column("verdict"),
        Column("ratio", right=True),
        Column("tight"),
        *(Column(h, right=True) for h in ("planted", "refuted")),
    )
    print_table(columns, rows)
    for row in score.missed:
        print(f"wrong: {row.claim}{' with ' + row.mutant if row.mutant else ''} is {row.verdict}")
    counts = score.to_json()
    mutants = f"{counts['mutants']} ({score.share:.1%})" if counts["mutants"] else "0"
    print(f"\n{counts['theorems']} tight theorems, planted errors refuted: {counts['refuted']} of {mutants}")
    refuted, proved, all_ = counts["loose_refuted"], counts["loose_proved"], counts["loose_mutants"]
    loose = f"refuted: {refuted} of {all_}; proved true: {proved}; undecided: {all_ - refuted - proved}"
    print(f"smaller constants in other proved bounds {loose}")
    print(f"refuted by a search, where the check did not: {counts['by_search']}")
    print(f"true claims accused: {counts['accused']} of {counts['true_claims']}")
