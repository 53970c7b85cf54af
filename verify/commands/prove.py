"""``rateproof prove``: the proof of one claim, checked now."""

from __future__ import annotations

import json

import click

from rateproof.verify.commands.errors import bad_input
from rateproof.verify.commands.named import argument

REFUSED = 1


@click.command(short_help="Check the proof of one claim, step by step.")
@argument("name", metavar="CLAIM")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def prove(name: str, as_json: bool) -> int:
    """Check the proof that stands beside a claim, as the sources have it now, and print its steps.

    A proof that does not go through is printed as far as it goes, with the step where it stops and what is missing.
    The verdict `proved` asks for an admissible instance too: that is what `rateproof check` adds.

    Exit code 0: it goes through. 1: it does not. 2: bad input, such as a claim without a proof in steps.
    """
    from rateproof.verify.pages import page
    from rateproof.verify.pages.listed import attempted

    with bad_input():
        attempt, lines = attempted(name)
    if as_json:
        print(json.dumps(attempt, indent=1))
    else:
        page.show(lines)
    return 0 if attempt["proved"] else REFUSED
