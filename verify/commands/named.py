"""Names of claims and papers on a command line: a mistyped one is refused before what takes long is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rateproof.verify.commands.completion import claims, completing
from rateproof.verify.commands.errors import bad_input


def argument(name: str, *, places: bool = False, **options: Any) -> Callable[[Any], Any]:
    """An argument, as of click, that takes ids of claims or papers, or the beginning of ids, and completes them.

    What is none of these is bad input.

    Args:
        name: of the parameter.
        places: a place in papers is a name, too, such as ``lemma 1``.
        options: of click.
    """

    def checked(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        from rateproof.theory.places import named
        from rateproof.verify.pages.listed import require

        for one in value if isinstance(value, tuple) else (value,):
            if one is not None and not (places and named(one)):
                with bad_input():
                    require(one)
        return value

    return click.argument(name, callback=checked, shell_complete=completing(claims), **options)
