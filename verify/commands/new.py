"""``rateproof new``: a project for a paper of the user's own."""

from __future__ import annotations

from pathlib import Path

import click

from rateproof.verify.commands.errors import bad_input


@click.command(short_help="Start a paper of your own.")
@click.argument("paper")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=Path(),
    help="Make the project's folder in this one; in the current one unless said.",
)
@click.option(
    "--like",
    type=click.Choice(["descent", "round"]),
    default="descent",
    show_default=True,
    help="Its claim: gradient descent on a quadratic; or a round of FedAvg, with types and a proof in steps.",
)
def new(paper: str, into: Path, like: str) -> None:
    """Write a folder PAPER with one claim, one family, one check, a notebook and tests, all of which run."""
    from rateproof.verify.scaffold import contents, create

    with bad_input():
        project = create(paper, into, like)
    print(f"{project}: {', '.join(contents(paper, like))}")
    print(f"next: rateproof --papers {project} check {paper}")
