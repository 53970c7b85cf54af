"""``rateproof review``: a referee's report on a paper."""

from __future__ import annotations

from pathlib import Path

import click

from rateproof.verify.commands.errors import bad_input
from rateproof.verify.commands.named import argument


@click.command(short_help="Write a referee's report on a paper.")
@argument("paper", metavar="PAPER")
@click.option(
    "--format", "kind", type=click.Choice(["markdown", "latex"]), default="markdown", show_default=True, help="Of it."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Else it is printed.")
def review(paper: str, kind: str, out: Path | None) -> None:
    """Write a page and a half for a referee: what holds, what falls, when it holds again, and what to ask.

    All of it comes from the records and the committed baseline, and names its claims.
    """
    from rateproof.verify.pages.listed import reviewed

    with bad_input():
        text = reviewed(paper)[kind]
        if out is not None:
            out.write_text(text, encoding="utf-8")
    if out is None:
        print(text, end="")
