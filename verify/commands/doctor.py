"""``rateproof doctor``: versions, solvers, threads, data."""

from __future__ import annotations

from typing import Any

import click


@click.command(short_help="Show versions, solvers, threads and data.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
@click.option("--trusted", is_flag=True, help="What proofs rest on: rules, steps and deciders, with their theorems.")
@click.option("--vocabulary", is_flag=True, help="What an author may write, with its arguments.")
def doctor(as_json: bool, trusted: bool, vocabulary: bool) -> None:
    """Show versions, solvers, BLAS threads, data, ledger and package folders."""
    import json

    from rateproof.verify.pages.installation import examine

    if trusted:
        from rateproof.theory.proof.trusted import trusted as base

        parts: dict[str, Any] = base()
    elif vocabulary:
        from rateproof.verify.pages.vocabulary import vocabulary as words

        parts = words()
    else:
        parts = examine()
    if as_json:
        print(json.dumps(parts, indent=1))
        return
    for heading, value in parts.items():
        if isinstance(value, dict):
            print(heading)
            for name, entry in value.items():
                print(f"  {name:14} {entry}")
        else:
            print(f"{heading:16} {', '.join(value) if isinstance(value, list) else value}")
