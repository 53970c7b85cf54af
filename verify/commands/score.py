"""``rateproof score``: the planted-error test of the deciders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rateproof.verify.commands.completion import claims, completing
from rateproof.verify.commands.errors import bad_input

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
@click.argument("names", metavar="[CLAIM|PAPER]...", nargs=-1, shell_complete=completing(claims))
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
        known = score_baseline.read() if not update else {}
        only = _chosen(names, theorems) if names else None
    with progress_of("checks") as step:
        found = compute(seed, step, count=count, only=only)
    # scores of claims that are not named stay as they are
    with bad_input():
        now = (score_baseline.read() if names else {}) | score_baseline.tallies(found, seed=seed, count=count)
        if update:
            score_baseline.write(now)
    changes = [] if update else list(score_baseline.changes(now, known))
    if as_json:
        print(json.dumps(plain(found.to_json() | {"changes": [line for line, _ in changes]})))
    else:
        _print(found)
        for line, worse in changes:
            print(f"{'worse or new' if worse else 'better'}: {line}")
    bad = found.accused or found.share < WANTED or any(worse for _, worse in changes)
    return TOO_LOW if bad else 0


def _chosen(names: tuple[str, ...], scored: Callable[[], Container[str]]) -> list[str]:
    """Ids of the claims that are scored among those with these names, which are looked at first: all papers take long.

    Raises:
        ValueError: there are none, or a name is unknown.
    """
    from rateproof.theory import catalog

    chosen, known = catalog.select(names), scored()
    if only := [claim.id for claim in chosen if claim.id in known]:
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
        known = score_baseline.read_terms() if not update else {}
        only = _chosen(names, bounds_with_terms) if names else None
    with progress_of("terms") as step:
        found = deletions(seed, step, only=only)
    with bad_input():
        now = (score_baseline.read_terms() if names else {}) | score_baseline.terms_of(found)
        if update:
            score_baseline.write(now)
    changes = [] if update else list(score_baseline.terms_changed(now, known))
    if as_json:
        print(json.dumps(plain(found.to_json() | {"changes": [line for line, _ in changes]})))
    else:
        _print_cuts(found)
        for line, worse in changes:
            print(f"{'worse or new' if worse else 'better'}: {line}")
    return TOO_LOW if any(worse for _, worse in changes) else 0


def _print_cuts(found: Cuts) -> None:
    from rateproof.verify.pages.render import Column, print_table
    from rateproof.verify.planted import score_baseline
    from rateproof.verify.planted.deletions import GOOD

    rows = score_baseline.terms_of(found).values()
    columns = (Column("bound"), Column("verdict"), *(Column(h, right=True) for h in _COUNTED))
    print_table(columns, ((r.claim, r.verdict, *(str(getattr(r, k)) for k in _COUNTED.values())) for r in rows))
    for hole in found.holes:
        print(f"stands: {hole.claim} without {hole.term}")
    print()
    for verdict in GOOD:
        cuts = found.of(verdict)
        told = sum(not cut.hole for cut in cuts)
        share = f" ({told / len(cuts):.1%})" if cuts else ""
        print(f"terms of {verdict} bounds whose deletion is refuted or shown true: {told} of {len(cuts)}{share}")


#: Columns of the table of deletions, and the fields that they show.
_COUNTED = {"terms": "terms", "refuted": "refuted", "shown true": "shown", "halves refuted": "halves_refuted"}


def _print(found: Score) -> None:
    from rateproof.verify.pages.render import Column, number, print_table

    tally = found.tally()
    true = sorted(found.true_claims, key=lambda row: not row.tight)
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
    for row in found.missed:
        print(f"wrong: {row.claim}{' with ' + row.mutant if row.mutant else ''} is {row.verdict}")
    said = found.to_json()
    share = f" ({found.share:.1%})" if said["mutants"] else ""
    print(f"\n{said['theorems']} tight theorems, planted errors refuted: {said['refuted']} of {said['mutants']}{share}")
    refuted, proved, all_ = said["loose_refuted"], said["loose_proved"], said["loose_mutants"]
    loose = f"refuted: {refuted} of {all_}; proved true: {proved}; undecided: {all_ - refuted - proved}"
    print(f"smaller constants in other proved bounds {loose}")
    print(f"refuted by a search, where the check did not: {said['by_search']}")
    print(f"true claims accused: {said['accused']} of {said['true_claims']}")
