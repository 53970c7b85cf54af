"""The command ``rateproof``.

Only click is imported here: everything else is imported inside the commands, so that ``--help`` is immediate.
Exit codes: 0 as before or better, 1 changed for the worse, 2 bad input, 3 internal error, 130 interrupted.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import click

from rateproof import __version__
from rateproof.verify.commands.battery import battery
from rateproof.verify.commands.check import check
from rateproof.verify.commands.claims import list_claims, show
from rateproof.verify.commands.doctor import doctor
from rateproof.verify.commands.errors import (
    BAD_INPUT,
    INTERNAL,
    INTERRUPTED,
    InterruptedRunError,
    bad_input,
    papers_noted,
    plain_numbers,
)
from rateproof.verify.commands.export import export
from rateproof.verify.commands.falsify import falsify
from rateproof.verify.commands.new import new
from rateproof.verify.commands.prove import prove
from rateproof.verify.commands.report import report
from rateproof.verify.commands.review import review
from rateproof.verify.commands.run import run
from rateproof.verify.commands.score import score
from rateproof.verify.commands.tune import tune
from rateproof.verify.commands.worstcase import worstcase
from rateproof.verify.pages.render import in_ascii, printable

#: The variable by which a shell asks what it may complete.
COMPLETE = "_RATEPROOF_COMPLETE"
#: Longer words, such as a number of 5000 digits, are cut in messages.
LONG = 300
#: How alike (as difflib counts) an option is to a mistyped one that is surely meant.
SURE = 0.75


class Commands(click.Group):
    """A group that lists its commands in the order given and suggests near misses."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = get_close_matches(args[0], self.commands, cutoff=0.5)
            hint = f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(self.commands)}"
            raise click.UsageError(f"unknown command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="rateproof")
@click.pass_context
def cli(context: click.Context) -> None:
    """Theorems of federated hierarchical optimisation as executable, falsifiable records.

    With RATEPROOF_DEBUG=1 in the environment, errors of checks and of rateproof itself show their tracebacks.
    """
    context.with_resource(papers_noted())


def _add_papers(context: click.Context, _: click.Parameter, folders: tuple[Path, ...]) -> None:
    if folders:
        from rateproof.theory import discovery

        with bad_input("--papers: "):
            for folder in folders:
                discovery.add(folder)


#: Of the group and of each command, so that it may stand before or behind the command's name.
_PAPERS = click.Option(
    ["--papers"],
    metavar="PATH",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    callback=_add_papers,
    is_eager=True,  # before names are looked at
    expose_value=False,
    help="The folder of a paper of your own, or one that holds such; may be repeated.",
)
cli.params.append(_PAPERS)
for _command in (
    list_claims,
    show,
    report,
    review,
    check,
    prove,
    export,
    falsify,
    worstcase,
    run,
    tune,
    new,
    score,
    battery,
    doctor,
):
    _command.params.append(_PAPERS)
    cli.add_command(_command)


def execute(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; whatever goes wrong is one line on stderr.

    With RATEPROOF_DEBUG=1 in the environment an internal error shows its traceback.
    """
    codecs.register_error("in_ascii", in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="in_ascii")
    try:
        plain_numbers(arguments)
        with cli.make_context("rateproof", list(arguments) or ["--help"]) as context:
            code = cli.invoke(context)
            sys.stdout.flush()
            return int(code or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.NoSuchOption as error:
        # What is hardly alike may be an option that overwrites something.
        near = get_close_matches(error.option_name, error.possibilities or (), cutoff=SURE)
        return _fail(click.NoSuchOption(error.option_name, possibilities=near).format_message(), BAD_INPUT)
    except click.MissingParameter as error:
        command = error.ctx.command_path if error.ctx else "rateproof"
        return _fail(f"{error.format_message()} {command} --help says what it takes", BAD_INPUT)
    except click.ClickException as error:
        return _fail(error.format_message(), BAD_INPUT)
    except InterruptedRunError as stop:
        return _fail(str(stop), INTERRUPTED)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except MemoryError as error:
        return _fail(f"out of memory ({error or 'nothing more is known'}); ask for something smaller", BAD_INPUT)
    except Exception as error:
        if os.environ.get("RATEPROOF_DEBUG"):
            raise
        return _fail(
            f"internal error, {type(error).__name__}: {error} (RATEPROOF_DEBUG=1 shows where; please report it)",
            INTERNAL,
        )


def _fail(message: str, code: int) -> int:
    words = (word if len(word) <= LONG else f"{word[: LONG // 2]}...{word[-LONG // 4 :]}" for word in message.split())
    print(f"rateproof: {printable(' '.join(words))}", file=sys.stderr)
    return code


def main() -> NoReturn:
    """Entry point of the console script, and what shells call for completion."""
    if instruction := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(cli, {}, "rateproof", COMPLETE, instruction))
    sys.exit(execute(sys.argv[1:]))


if __name__ == "__main__":
    main()
