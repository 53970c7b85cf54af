"""``rateproof export``: proofs written for another checker."""

from __future__ import annotations

from pathlib import Path

import click

from rateproof.verify.commands.errors import BadInput, bad_input
from rateproof.verify.commands.named import argument

LEFT = 1


@click.command(short_help="Write proofs for Rocq.")
@argument("names", metavar="CLAIM|PAPER...", nargs=-1, required=True)
@click.option(
    "--rocq",
    "where",
    metavar="DIR",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the files: the library and one for each claim.",
)
def export(names: tuple[str, ...], where: Path) -> int:
    """Write the proofs of claims as theories of Rocq (Coq), one file a claim, with the library on which they rest.

    `coqc -Q DIR RateProof DIR/RateProof.v` compiles the library, `coqc -Q DIR RateProof DIR/CLAIM.v` checks a claim.
    Functions.v, Means.v and Chances.v show the rules that a claim takes as hypotheses.
    `rateproof check --second-kernel` does it for all.

    Exit code 0: all are written. 1: some are not; each is named with the reason. 2: bad input.
    """
    from rateproof.theory import catalog
    from rateproof.verify.deciders.kernel import exported
    from rateproof.verify.secondkernel import rocq

    with bad_input():
        chosen = [c for c in catalog.select(names) if c.proof is not None]
    if not chosen:
        raise BadInput(f"{', '.join(names)} has no proof in steps; name a claim that rateproof prove prints")
    with bad_input():
        try:
            rocq.write_library(where)
        except OSError as error:
            raise ValueError(f"--rocq {where}: {error}") from error
    left = 0
    for claim in chosen:
        found = exported(claim)
        if found.text:
            file = where / f"{rocq.file_name(claim.id)}.v"
            file.write_text(found.text, encoding="utf-8")
            click.echo(f"{claim.id}: {file}")
        else:
            left += 1
            click.echo(f"{claim.id}: not exported: {found.why}")
    click.echo(f"{len(chosen) - left} of {len(chosen)} proofs are written")
    return LEFT if left else 0
