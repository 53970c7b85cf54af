"""``rateproof falsify``: an adversarial search for a counterexample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rateproof.verify.commands.errors import BadInput, InterruptedRunError, bad_input
from rateproof.verify.commands.named import argument

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim


@click.command(short_help="Search for a counterexample to a claim.")
@argument("claim")
@click.option("--seconds", type=float, default=10.0, show_default=True, metavar="T", help="Stop the search near T.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
@click.option(
    "--script",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a script that reproduces the instance with numpy alone.",
)
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def falsify(claim: str, seconds: float, seed: int, path: Path | None, as_json: bool) -> int:
    """Search for an instance that satisfies every hypothesis of a claim and violates it.

    First the corners of the claim's families, then random and targeted search for a large metric / bound, then local
    refinement; a violation is made simple. Without a violation the worst instance is shown. A refuted claim whose paper
    gives no instances to search is tried on its stored counterexample. Exit code 1 when the claim is violated.

    \b
    For instance:
      rateproof falsify strfedavg.prop3.i-2 --seconds 30 --script prop3.py
    """
    import json

    from rateproof.theory import catalog
    from rateproof.verify.counterexamples.script import script
    from rateproof.verify.falsify import Ended, spaces_of
    from rateproof.verify.falsify import falsify as search
    from rateproof.verify.falsify.report import describe, to_json
    from rateproof.verify.runner import one_blas_thread
    from rateproof.verify.stored.files import check_target, write_atomically

    one_blas_thread()
    with bad_input():
        chosen = catalog.get(claim)
        check_target("--script", path)
        if not 0 < seconds < float("inf"):
            raise ValueError(f"--seconds {seconds:g} should be a positive number, such as 10")
        try:
            spaces = spaces_of(chosen)
        except ValueError:
            if _replayed(chosen, path, as_json):
                return 1
            raise
    result = search(chosen, spaces, seconds=seconds, seed=seed)
    if path is not None and result.built is not None:
        with bad_input("--script "):
            write_atomically(path, script(chosen, result.built, result.space, result.params))
    if as_json:
        print(json.dumps(to_json(result), indent=1))
    else:
        for line in describe(result):
            print(line)
    if path is not None and result.built is None:
        raise BadInput(f"--script {path}: no admissible instance was found, so there is nothing to reproduce")
    if result.ended is Ended.INTERRUPTED:
        raise InterruptedRunError("interrupted; what is shown is the worst instance so far")
    return int(result.refuted)


def _replayed(claim: Claim, path: Path | None, as_json: bool) -> bool:
    """Evaluate the stored counterexample to a claim and print it; False when there is none."""
    import json

    from rateproof.verify.counterexamples.replay import counterexample_to
    from rateproof.verify.falsify.report import describe_replay, replay_to_json

    if (example := counterexample_to(claim)) is None:
        return False
    replayed = example.replayed()
    if path is not None:
        raise BadInput(f"--script {path}: {claim.id} has a stored counterexample only, and no instance in numpy")
    if as_json:
        print(json.dumps(replay_to_json(example, replayed), indent=1))
    else:
        for line in describe_replay(example, replayed):
            print(line)
    return True
