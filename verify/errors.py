"""How a command says that its input is wrong: one line, exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

BAD_INPUT = 2
INTERNAL = 3
INTERRUPTED = 130


class BadInput(click.ClickException):
    """The input is wrong; the message names it, what is wrong with it and what would be right."""

    exit_code = BAD_INPUT


class InterruptedRunError(Exception):
    """Ctrl-C, with a message on what was kept."""


@contextmanager
def bad_input(prefix: str = "") -> Iterator[None]:
    """A ValueError raised inside is about the user's input, an OSError about a place that the user named."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise BadInput(prefix + str(error)) from error
