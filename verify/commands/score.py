"""``rateproof score``: the planted-error test of the deciders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from verify.score import Score

#: Share of the planted errors that a sound set of deciders refutes.
WANTED = 0.95
TOO_LOW = 1


@click.command(short_help="The planted-error test of the deciders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def score(seed: int, as_json: bool) -> int:
    """Plant errors in true claims: how many of them are refuted, and how many true claims are accused.

    Exit code 1: a true claim is accused, or fewer than 95 % of the planted errors are refuted.
    """
    import json

    from verify.checks import plain
    from verify.render import progress_of
    from verify.runner import one_blas_thread
    from verify.score import score as compute

    one_blas_thread()
    with progress_of("checks") as step:
        found = compute(seed, step)
    if as_json:
        print(json.dumps(plain(found.to_json())))
    else:
        _print(found)
    return TOO_LOW if found.accused or found.refuted < WANTED * found.mutants else 0


def _print(found: Score) -> None:
    from verify.render import Column, number, print_table

    rows = []
    for true in (row for row in found.rows if not row.mutant):
        planted = [row for row in found.rows if row.claim == true.claim and row.mutant]
        refuted = sum(row.right for row in planted)
        rows.append((true.claim, true.verdict, number(true.worst_ratio), len(planted), refuted))
    columns = (
        Column("true claim"),
        Column("verdict"),
        *(Column(h, right=True) for h in ("ratio", "planted", "refuted")),
    )
    print_table(columns, rows)
    for row in found.missed:
        print(f"wrong: {row.claim}{' with ' + row.mutant if row.mutant else ''} is {row.verdict}")
    share = f" ({found.share:.1%})" if found.mutants else ""
    print(f"\nplanted errors refuted: {found.refuted} of {found.mutants}{share}")
    print(f"true claims accused: {found.accused} of {found.true_claims}")
