"""Loss tuning of Section 4 run again on the digits of scikit-learn: FedMSA beside FedNest.

Of the paper are K = 4 and 12, q, the division by q, and the 10 clients with local steps; of the authors' code the
steps, the momentum, four terms of the Neumann series and a fifth of the rows for validation. Smaller: 1,797 images of
64 pixels, the first class only five times as large as the last, 50 clients, one layer of 32 tanh units, mini-batches of
8 rows, ``v_0 = 0`` and no rounds to warm up. The upper variables scale and shift the logits, without constraints. A
round counts every communication: two for an iteration of FedMSA, ``2 T + N + 3 = 8`` for one of FedNest (``T = 1``,
``N = 3``).

``python -m rateproof.verify.papers.fedmsa.tuning --out FILE.jsonl`` runs all cells and adds a line to the file for each
that is not there yet; interrupted, it goes on where it stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rateproof.algos.data import Images, deal_by_level
from rateproof.algos.engine import Progress
from rateproof.algos.methods.fedmsa import FedBLO
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.noise import MiniBatch
from rateproof.algos.problems.bilevel_learning import BilevelNetwork, Rows, levels, thinned
from rateproof.algos.problems.repetitions import Seated
from rateproof.verify.papers.mefbo.experiments.learning import Course, followed, images, recorded

LEVELS = (0.3, 0.1, 0.5)
MSA, NEST, EQUAL = "FedMSA", "FedNest", "FedNest, steps of FedMSA"
#: Communications, and records of a run.
ROUNDS = {MSA: 200, NEST: 2040, EQUAL: 1600}
RECORDS = 50
#: Clients with local steps, and clients a class.
SELECTED, PIECES = 10, 5
#: How many times more rows the first of the classes has than the last.
IMBALANCE, CLASSES = 5.0, 10
COURSES = Path(__file__).with_name("courses.jsonl")


@dataclass(frozen=True)
class Cell:
    """A run: of which method, with ``K`` local steps, on clients of which level."""

    name: str
    K: int
    q: float

    @property
    def repetitions(self) -> int:
        """Each with a division of the data, a start and draws of its own, the same for all methods."""
        return 20 if self.name != NEST and (self.K, self.q) == (12, 0.3) else 10

    def __str__(self) -> str:
        """In words."""
        return f"{self.name}, K = {self.K}, q = {self.q:g}"


#: Figures 1 and 4 first.
CELLS = (
    *(Cell(name, 12, q) for q in LEVELS for name in (MSA, NEST)),
    *(Cell(name, 4, q) for q in LEVELS for name in (MSA, NEST)),
    Cell(EQUAL, 12, 0.3),
)


def problem(q: float, seed: int) -> BilevelNetwork:
    """A quarter of the images for the test, the rest imbalanced and dealt; the upper level weighs classes equally."""
    known = images("digits")
    random = np.random.Generator(np.random.Philox([seed, 1]))
    test, rest = np.split(random.permutation(len(known.label)), [len(known.label) // 4])
    rows = thinned(Rows(known.U[rest], known.label[rest]), IMBALANCE, CLASSES, random)
    dealt = deal_by_level(Images(known.name, rows.D, rows.label), q=q, pieces=PIECES, seed=seed)
    upper, lower = levels(dealt, lambda own: own, 0.2)
    shares = IMBALANCE ** (-np.arange(CLASSES) / (CLASSES - 1))
    return BilevelNetwork(
        "logits",
        upper=upper,
        lower=lower,
        test=Rows(known.U[test], known.label[test]),
        classes=CLASSES,
        hidden=32,
        rc=0.0,
        class_weights=shares.sum() / (CLASSES * shares),
        noise=MiniBatch(8),
        name="loss tuning",
    )


def method(cell: Cell) -> Any:
    """A method with its parameters; a Neumann series takes steps of the size of the outer one."""
    if cell.name == MSA:
        return FedBLO(alpha=0.05, beta=0.1, rho=0.5, K=cell.K, clients_selected=SELECTED, output_rule="last")
    alpha, beta = (0.05, 0.1) if cell.name == EQUAL else (0.02, 0.01)
    return FedNest(alpha=alpha, beta=beta, tau=cell.K, ell=1 / alpha, terms=4, series="sum", P=SELECTED)


def run(cell: Cell, rounds: int, records: int, progress: Progress | None = None) -> Course:
    """Run a cell, all repetitions at once; FedMSA asks all clients, so that all of them have seats."""
    repetitions = [problem(cell.q, seed) for seed in range(cell.repetitions)]
    seats = Seated(repetitions, repetitions[0].m if cell.name == MSA else SELECTED)
    return followed(method(cell), seats, rounds, records=records, progress=progress)


@cache
def courses() -> dict[str, Course]:
    """The recorded runs, by their cells in words."""
    return recorded(COURSES)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing in a file, and print what was reached: the exit status."""
    import argparse

    from rateproof.verify.pages.render import progress_of
    from rateproof.verify.runner import one_blas_thread
    from rateproof.verify.stored.files import check_target

    parser = argparse.ArgumentParser(
        prog="python -m rateproof.verify.papers.fedmsa.tuning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only runs whose name has this in it")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="lines of JSON; it keeps what it has")
    options = parser.parse_args(arguments)
    one_blas_thread()
    try:
        check_target("--out", options.out)
        done = recorded(options.out)
        missing = [cell for cell in CELLS if options.only in str(cell) and str(cell) not in done]
        for cell in missing:
            with np.errstate(over="ignore", invalid="ignore"), progress_of(f"rounds of {cell}") as step:
                course = run(cell, ROUNDS[cell.name], RECORDS, step)
            print(f"{cell}: accuracy {course.accuracy[:, -1].mean():.4f}", flush=True)
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": str(cell), **course.to_json()}) + "\n")
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted; the file has all that was finished", file=sys.stderr)
        return 130
    return 0
