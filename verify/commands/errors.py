"""How a command says that its input is wrong: one line, exit code 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

import click

BAD_INPUT = 2
INTERNAL = 3
INTERRUPTED = 130


class BadInput(click.ClickException):
    """The input is wrong; the message names it, what is wrong with it and what would be right."""

    exit_code = BAD_INPUT


def plain_numbers(arguments: Iterable[str]) -> None:
    """See that numbers are written as in a file: Python reads more signs as digits than a reader of the page does.

    Raises:
        BadInput: an argument, or what stands behind its ``=``, is such a number.
    """
    for argument in arguments:
        for part in argument.rpartition("=")[-1].split("/"):
            try:
                value = float(part)
            except ValueError:
                continue
            if "_" in part or not part.isascii():
                raise BadInput(f"{argument} has a number that is not written in the digits 0 to 9; write {value:g}")


class InterruptedRunError(Exception):
    """Ctrl-C, with a message on what was kept."""


@contextmanager
def papers_noted() -> Iterator[None]:
    """Inside, a paper that cannot be read and is left out is noted in one line on stderr, once."""
    import warnings

    from rateproof.theory.discovery import PaperWarning
    from rateproof.verify.pages.render import note

    with warnings.catch_warnings():
        show, noted = warnings.showwarning, set[str]()

        def shown(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, PaperWarning):
                show(message, category, filename, lineno, file, line)
            elif str(message) not in noted:
                noted.add(str(message))
                note(str(message))

        warnings.simplefilter("always", PaperWarning)
        warnings.showwarning = shown
        yield


@contextmanager
def bad_input(prefix: str = "") -> Iterator[None]:
    """Errors raised inside are about the user's input: its values, places that it names, numbers that are too large."""
    try:
        yield
    except BrokenPipeError:  # the reader of the output has gone; that is nobody's input
        raise
    except OverflowError as error:
        raise BadInput(f"{prefix}the numbers given are too large or too small to compute with: {error}") from error
    except (ValueError, OSError) as error:
        raise BadInput(prefix + str(error)) from error
