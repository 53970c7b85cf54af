"""``rateproof report``: what is found, as a site to read offline."""

from __future__ import annotations

from pathlib import Path

import click

from rateproof.verify.commands.errors import bad_input
from rateproof.verify.commands.named import argument


@click.command(short_help="Write what is found as a site to read offline.")
@argument("name", metavar="[PAPER|CLAIM]", required=False)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    required=True,
    help="Write the pages into this folder.",
)
@click.option(
    "--benchmarks",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Show the times that `python -m benchmarks --json FILE` wrote.",
)
@click.option("--open", "opened", is_flag=True, help="Open the first page in the browser.")
def report(name: str | None, out: Path, benchmarks: Path | None, opened: bool) -> None:
    """Write a site: an index over all papers, an overview of each, a page of each claim.

    With PAPER only that paper, with CLAIM only its page. The pages need no network and no server.
    """
    with bad_input():
        from rateproof.verify.report.site import write

        first = write(name, out, benchmarks)
    print(first)
    if opened:
        click.launch(str(first))
