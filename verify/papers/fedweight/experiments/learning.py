"""The classification tasks of Section 5 run again on fewer images: Bi-level and its four rivals on two groups of nodes.

Groups, settings, super-classes and permutations are the printed ones, with 5 and 10 nodes, b = 1/3, tau = 10, q = 1/50
and five epochs a call of Local-SVRG. The model is a linear one, multinomial logistic regression with a ridge, as on
Covtype; steps are chosen from a grid of its own, by the accuracy on the validation set after five outer iterations, as
the paper chooses them. Sizes keep the printed ratio of validation and training sets, one to eight.

``python -m rateproof.verify.papers.fedweight.experiments.learning --out FILE.jsonl`` runs all cells and methods and
adds a line to the file for each that is not there yet; interrupted, it goes on where it stopped.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rateproof.algos import engine
from rateproof.algos.engine import Progress
from rateproof.algos.methods.fedweight import ProximalWeights
from rateproof.algos.methods.local_svrg import LocalSVRG
from rateproof.algos.methods.personalised import Ditto, PFedMe
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.node_groups import Group, NodeGroups, Sizes, grouped, halved
from rateproof.verify.experiments.courses import command, images, parser_of, read, run_missing

RIVALS = ("Local-train", "FedAvg", "Ditto", "pFedMe")
METHODS = ("Bi-level", *RIVALS)
GROUPS: tuple[Group, ...] = ("minority", "majority")
DATA = ("digits", "mnist")
TAU, Q, B, RIDGE, EPOCHS, BATCH = 10, 1 / 50, 1 / 3, 0.01, 5, 20
#: Outer iterations of a run, and those after which parameters are chosen; records of a run, evenly spaced.
ITERATIONS, TRIED, RECORDS = 20, 5, 10
#: What is chosen from: steps of (1), of (15), and of the weights; lambda of Ditto and pFedMe as printed.
GAMMA, GAMMA_H, ETA = (0.1, 0.05), (0.1, 0.01), (0.1, 0.03)
LAMBDA = {"Ditto": (0.05, 0.1, 0.2), "pFedMe": (5.0, 10.0, 15.0)}
#: Repetitions, and the first of them on which parameters are chosen.
REPETITIONS, CHOOSING = 10, 3
#: Validation rows of Tables 4 and 5 beside the 500 of all else, as multiples.
SHARES = (0.2, 0.4, 1.0, 2.0)


@dataclass(frozen=True)
class Cell:
    """One experiment.

    Attributes:
        data: "digits" of scikit-learn (1,797 images of 64 pixels) or "mnist", 5,000 of MNIST at a quarter of the side.
        setting, target: as in the paper; the target is the group that the validation set belongs to.
        share: validation rows, as a multiple of the usual number.
    """

    data: str
    setting: int
    target: Group
    share: float = 1.0

    def __str__(self) -> str:
        """In words."""
        more = f"; validation x {self.share:g}" if self.share != 1 else ""
        return f"{self.data}; setting {self.setting}; {self.target}{more}"

    @property
    def sizes(self) -> Sizes:
        """How many rows there are."""
        train, valid = (160, 20) if self.data == "digits" else (200, 25)
        return Sizes(train=train, valid=round(self.share * valid), test=500)

    @property
    def T(self) -> int:
        """Steps of a call."""
        return EPOCHS * self.sizes.train // BATCH

    @property
    def rounds(self) -> int:
        """Communications of an outer iteration."""
        return 2 * (self.T // TAU + 1) + 1


MAIN = tuple(Cell(*one) for one in product(DATA, (1, 2, 3, 4), GROUPS))
SIZES = tuple(Cell(data, 2, group, share) for data, group, share in product(DATA, GROUPS, SHARES) if share != 1)


@dataclass(frozen=True, eq=False)
class Run:
    """What a method did on all repetitions.

    Attributes:
        rounds, points: communications at the records, and rows that each node has looked at, ``(records,)``.
        accuracy, valid: share of test and of validation rows that are right, ``(repetitions, records)``.
        mass: weight of the similar nodes, ``(repetitions, records)``.
        chosen: parameters.
    """

    rounds: Array
    points: Array
    accuracy: Array
    valid: Array
    mass: Array
    chosen: Mapping[str, float]

    @property
    def reached(self) -> Array:
        """Test accuracy at the best validation accuracy, the last such record, by repetition: as Table 3."""
        at = self.valid.shape[1] - 1 - self.valid[:, ::-1].argmax(axis=1)
        return np.take_along_axis(self.accuracy, at[:, None], axis=1)[:, 0]

    def at_points(self, points: float) -> Array:
        """Test accuracy after so many points, by repetition."""
        return np.array([np.interp(points, self.points, row) for row in self.accuracy])

    def to_json(self) -> dict[str, Any]:
        """Plain values, shares to 1e-4."""
        shares = {name: np.round(getattr(self, name), 4).tolist() for name in ("accuracy", "valid", "mass")}
        counts = {"rounds": self.rounds.astype(int).tolist(), "points": self.points.round().tolist()}
        return {**counts, **shares, "chosen": dict(self.chosen)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Run:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: records are missing.
        """
        found = [np.array(data[name], float) for name in ("rounds", "points", "accuracy", "valid", "mass")]
        if any(a.shape[-1] != len(found[0]) for a in found):
            raise ValueError("records are missing")
        rounds, points, accuracy, valid, mass = found
        return cls(rounds, points, accuracy, valid, mass, data["chosen"])


@cache
def problem(cell: Cell, repetitions: int = REPETITIONS) -> NodeGroups:
    """The instances of a cell, side by side."""
    known = images(cell.data)
    known = halved(halved(known)) if cell.data == "mnist" else known
    given = {"setting": cell.setting, "target": cell.target, "sizes": cell.sizes}
    return grouped(known, **given, b=B, lam=RIDGE, seeds=range(repetitions))  # type: ignore[arg-type]


def valid_accuracy(one: NodeGroups, z: Array) -> Array:
    """Share of the validation rows that are classified right: ``(runs,)``."""
    theta, out = one.split(z)[1], []
    for r in range(len(z)):
        begin = int(one.begin[r % one.repetitions, 0])
        own = slice(begin, begin + int(one.sizes[0]))
        out.append(one.accuracy(theta[r : r + 1], one.D[own], one.label[own].astype(np.int64)))
    return np.concatenate(out)


METRICS: Mapping[str, Metric] = {"accuracy": NodeGroups.test_accuracy, "valid": valid_accuracy, "mass": NodeGroups.mass}


def method(name: str, cell: Cell, chosen: Mapping[str, float]) -> Any:
    """A method with these parameters.

    Raises:
        ValueError: there is no such method.
    """
    gamma = chosen["gamma"]
    if name == "Bi-level":
        steps = {"eta": chosen["eta"], "gamma": gamma, "gamma_h": chosen["gamma_h"]}
        return ProximalWeights(**steps, tau=TAU, q=Q, steps=cell.T, batch=BATCH, last=True)  # type: ignore[arg-type]
    if name in ("Local-train", "FedAvg"):
        of: Literal["centre", "equal"] = "centre" if name == "Local-train" else "equal"
        return LocalSVRG(gamma=gamma, tau=TAU, q=Q, batch=BATCH, of=of)
    if name not in LAMBDA:
        raise ValueError(f"there is no method {name!r}; there are {', '.join(METHODS)}")
    kind = Ditto if name == "Ditto" else PFedMe
    return kind(gamma=gamma, lam=chosen["lambda"], tau=TAU, batch=BATCH)


def followed(
    name: str,
    cell: Cell,
    chosen: Mapping[str, float],
    iterations: int,
    records: int,
    repetitions: int = REPETITIONS,
    progress: Progress | None = None,
) -> Run:
    """What a method does in as many communications as the outer iterations have.

    Args:
        name: of the method.
        cell: the experiment.
        chosen: its parameters.
        iterations: of Bi-level.
        records: evenly spaced.
        repetitions: the first so many.
        progress: called with the rounds done, and their number.
    """
    one, how = problem(cell, repetitions), method(name, cell, chosen)
    each = cell.rounds if name == "Bi-level" else 1
    at = [iterations * cell.rounds * k // (records * each) for k in range(records + 1)]
    runs = len(one.test)
    result = engine.run(
        *(how, one, one.x0), R=at[-1], runs=runs, chunk=runs, record=at, metrics=METRICS, progress=progress
    )
    points = result.counts.samples / (1 if name == "Local-train" else one.K) * result.rounds / at[-1]
    accuracy, valid, mass = (result.average[kind].T for kind in ("accuracy", "valid", "mass"))
    return Run(result.rounds.astype(float) * each, points, accuracy, valid, mass, chosen)


@cache
def best(name: str, cell: Cell) -> Mapping[str, float]:
    """The parameters with the best mean validation accuracy after the first iterations, on the first repetitions.

    FedAvg and Local-train take the step of Bi-level, and so do Ditto and pFedMe, whose lambda is chosen.
    """
    if name == "Bi-level":
        options = [dict(zip(("gamma", "gamma_h", "eta"), one, strict=True)) for one in product(GAMMA, GAMMA_H, ETA)]
    else:
        gamma = best("Bi-level", replace(cell, share=1.0))["gamma"]
        options = [{"gamma": gamma, "lambda": lam} for lam in LAMBDA.get(name, ())] or [{"gamma": gamma}]
    if len(options) == 1:
        return options[0]

    def reached(chosen: Mapping[str, float]) -> float:
        return float(followed(name, cell, chosen, TRIED, 1, CHOOSING).valid[:, -1].mean())

    return max(options, key=reached)


def run(name: str, cell: Cell, progress: Progress | None = None) -> Run:
    """Choose the parameters of a method, and run it."""
    return followed(name, cell, best(name, replace(cell, share=1.0)), ITERATIONS, RECORDS, progress=progress)


def key(cell: Cell, name: str) -> str:
    """A key in words."""
    return f"{cell}; {name}"


def recorded(path: Path | None = None) -> dict[str, Run]:
    """Runs that were made before, by :func:`key`.

    Args:
        path: of the file; those that come with the package when left out.

    Raises:
        ValueError: a line is damaged.
    """
    return read(path or Path(__file__).with_name("courses.jsonl"), Run.from_json)


def wanted(only: str = "") -> Iterator[tuple[Cell, str]]:
    """All that is run: every method in the main cells, and Bi-level and Local-train with other validation sets."""
    for cell, name in (*product(MAIN, METHODS), *product(SIZES, METHODS[:2])):
        if only in key(cell, name):
            yield cell, name


def summary(found: Mapping[str, Run]) -> Iterator[str]:
    """Accuracies as in Tables 3 to 5 and the weight of the similar nodes in the end, a line a cell."""
    for cell in (*MAIN, *SIZES):
        runs = {name: found[key(cell, name)] for name in METHODS if key(cell, name) in found}
        said = [f"{name} {run.reached.mean():.3f} +- {run.reached.std(ddof=1):.3f}" for name, run in runs.items()]
        if "Bi-level" in runs:
            said.append(f"similar nodes {runs['Bi-level'].mass[:, -1].mean():.2f}")
        if said:
            yield f"{cell}: {'; '.join(said)}"


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing in a file: the exit status."""
    parser = parser_of("rateproof.verify.papers.fedweight.experiments.learning", __doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only cells and methods whose name has this in it")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument("--show", action="store_true", help="print what the file has, or the package, run nothing")
    return command(parser, _run_chosen, arguments)


def _run_chosen(options: Namespace) -> None:
    """Run what is missing in the file, and add it there.

    Raises:
        ValueError: nothing is chosen, or a line of the file is damaged.
    """
    chosen = {key(*one): one for one in wanted(options.only)}
    if not chosen:
        raise ValueError(f"nothing has {options.only!r} in its name; --list shows the names")
    if options.list or options.show:
        print("\n".join(summary(recorded(options.out)) if options.show else chosen))
        return
    runs = {label: partial(run, name, cell) for label, (cell, name) in chosen.items()}
    run_missing(runs, recorded(options.out) if options.out else {}, options.out, Run.to_json)


if __name__ == "__main__":
    raise SystemExit(main())
