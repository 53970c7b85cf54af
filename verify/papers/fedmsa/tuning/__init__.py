"""Loss tuning of Section 4 run again on the digits of scikit-learn and on some of MNIST: FedMSA beside FedNest.

Of the paper are K = 4, 8 and 12, q, the division by q, and the 10 clients with local steps; of the authors' code the
steps, the momentum, four terms of the Neumann series and a fifth of the rows for validation. Smaller: 1,797 images of
64 pixels or 5,000 of 784, the first class only five times as large as the last, 50 clients, one layer of 32 tanh units,
mini-batches of 8 rows, ``v_0 = 0`` and no rounds to warm up. The upper variables scale and shift the logits, without
constraints. A round counts every communication: two for an iteration of FedMSA, ``2 T + N + 3 = 8`` for one of FedNest
(``T = 1``, ``N = 3``).

At ``K = 12`` FedMSA diverges in some repetitions: 12 steps of 0.05 a round move a scale of the logits, which nothing
constrains, below 0. There the least eigenvalue of the lower level's Hessian falls from -0.03 to -1, and ``v`` grows
threefold a round, ``(1 + 0.1)^12``. Beside it runs FedMSA with scales that are kept from 0.1.

``python -m rateproof.verify.papers.fedmsa.tuning --out FILE.jsonl`` runs all cells and adds a line to the file for each
that is not there yet; interrupted, it goes on where it stopped.
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rateproof.algos.data import Images, deal_by_level
from rateproof.algos.engine import Progress
from rateproof.algos.methods.fedmsa import FedBLO, State
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.noise import MiniBatch, Streams
from rateproof.algos.problems.bilevel_learning import BilevelNetwork, Rows, levels, thinned
from rateproof.algos.problems.repetitions import Seated
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel
from rateproof.verify.experiments.courses import Course, command, followed, images, parser_of, read, run_missing

Data = Literal["digits", "mnist"]
DATA: tuple[Data, ...] = ("digits", "mnist")
LEVELS = (0.3, 0.1, 0.5)
LOCAL_STEPS = (4, 8, 12)
MSA, NEST, EQUAL, KEPT = "FedMSA", "FedNest", "FedNest, steps of FedMSA", "FedMSA, scales from 0.1"
#: Communications, and records of a run.
ROUNDS = {MSA: 200, NEST: 2040, EQUAL: 1600, KEPT: 200}
RECORDS = 50
#: Clients with local steps, and clients a class.
SELECTED, PIECES = 10, 5
#: How many times more rows the first of the classes has than the last.
IMBALANCE, CLASSES = 5.0, 10
COURSES = Path(__file__).with_name("courses.jsonl")


@dataclass(frozen=True)
class Cell:
    """A run: of which method, with ``K`` local steps, on clients of which level, with which images."""

    name: str
    K: int
    q: float
    data: Data = "digits"

    @property
    def repetitions(self) -> int:
        """Each with a division of the data, a start and draws of its own, the same for all methods."""
        if self.data == "mnist":
            return 5
        return 20 if self.name != NEST and (self.K, self.q) == (12, 0.3) else 10

    @property
    def length(self) -> int:
        """How many times as long as others of the method: FedNest goes on until it has 90 percent."""
        return 2 if self == Cell(NEST, 12, 0.3) else 1

    def __str__(self) -> str:
        """In words."""
        return f"{self.name}, K = {self.K}, q = {self.q:g}{', MNIST' * (self.data == 'mnist')}"


#: Figures 1 and 4 first.
CELLS = (
    *(Cell(name, K, q) for K in (12, 4) for q in LEVELS for name in (MSA, NEST)),
    *(Cell(name, 8, 0.3) for name in (MSA, NEST)),
    *(Cell(name, 12, 0.3) for name in (EQUAL, KEPT)),
    *(Cell(name, 12, 0.3, "mnist") for name in (MSA, NEST)),
)


class Kept(FedBLO):
    """FedMSA where no scale of the logits falls below 0.1."""

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:  # type: ignore[override]
        """State after one more iteration, moved back."""
        state = super().round(problem, state, rng)  # type: ignore[arg-type]
        scales, others = np.split(state.w, [CLASSES], axis=1)
        return replace(state, w=np.concatenate([np.maximum(scales, 0.1), others], axis=1))


def problem(q: float, seed: int, data: Data = "digits") -> BilevelNetwork:
    """A quarter of the images for the test, the rest imbalanced and dealt; the upper level weighs classes equally."""
    known = images(data)
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
    if cell.name in (MSA, KEPT):
        kind = Kept if cell.name == KEPT else FedBLO
        return kind(alpha=0.05, beta=0.1, rho=0.5, K=cell.K, clients_selected=SELECTED, output_rule="last")
    alpha, beta = (0.05, 0.1) if cell.name == EQUAL else (0.02, 0.01)
    return FedNest(alpha=alpha, beta=beta, tau=cell.K, ell=1 / alpha, terms=4, series="sum", P=SELECTED)


def run(cell: Cell, rounds: int, records: int, progress: Progress | None = None) -> Course:
    """Run a cell, all repetitions at once; FedMSA asks all clients, so that all of them have seats."""
    repetitions = [problem(cell.q, seed, cell.data) for seed in range(cell.repetitions)]
    seats = Seated(repetitions, repetitions[0].m if cell.name in (MSA, KEPT) else SELECTED)
    return followed(method(cell), seats, rounds, records=records, progress=progress)


@cache
def courses() -> dict[str, Course]:
    """The recorded runs, by their cells in words."""
    return read(COURSES, Course.from_json)


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing in a file, and print what was reached: the exit status."""
    parser = parser_of("rateproof.verify.papers.fedmsa.tuning", __doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only runs whose name has this in it")
    return command(parser, _run_chosen, arguments)


def _run_chosen(options: Namespace) -> None:
    runs = {
        str(cell): partial(run, cell, ROUNDS[cell.name] * cell.length, RECORDS * cell.length)
        for cell in CELLS
        if options.only in str(cell)
    }
    run_missing(runs, read(options.out, Course.from_json) if options.out else {}, options.out, Course.to_json)
