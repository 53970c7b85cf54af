"""The learning tasks of Section 4 run again: MeFBO and its rivals on hyper-representation, loss tuning, hyper-cleaning.

What is printed is taken from :mod:`.tables`, the division of the data from the published code of FedNest, which the
paper follows; what neither says is in :class:`Scale`, and in :func:`method`. A round counts every communication, as
that code does: a FedNest iteration with five factors takes nine. The activation is tanh, and all networks have two
layers.

``python -m rateproof.verify.papers.mefbo.experiments.learning --scale digits --out FILE.jsonl`` runs all cells and
methods and adds a line to the file for each that is not there yet; interrupted, it goes on where it stopped.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rateproof.algos.data import Images, deal
from rateproof.algos.engine import Progress
from rateproof.algos.methods.dual import FedBiO, SimFBO
from rateproof.algos.methods.f2sa import F2SA
from rateproof.algos.methods.fednest import FBOAggITD, FedMBO, FedNest, LFedNest
from rateproof.algos.methods.mefbo import MeFBO
from rateproof.algos.noise import MiniBatch
from rateproof.algos.problems.bilevel_learning import BilevelNetwork, Rows, corrupted, levels, thinned
from rateproof.algos.problems.repetitions import Seated
from rateproof.verify.experiments.courses import Course, command, followed, images, parser_of, read, run_missing
from rateproof.verify.papers.mefbo.experiments import tables

Split = Literal["iid", "skewed"]
#: MeFBO with ``gamma (theta - y)`` in the place of ``(theta - y)/gamma``, and with steps for which (9) is stable.
WEIGHTED, SLOWED = "MeFBO, weight gamma", "MeFBO, slow y"
#: Those of the paper, and MeFBO with the other weight.
PRINTED = ("MeFBO", WEIGHTED, "SimFBO", "FedNest", "LFedNest")
#: Others, with the steps of the printed one that is nearest.
OTHERS = (SLOWED, "F2SA", "FedBiO", "FedMBO", "FBO-AggITD")
#: Records of a run, evenly spaced in communications.
RECORDS = 10
#: Of the Neumann series; the code of FedNest takes as many by default.
TERMS = 5


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How large the experiments are.

    Attributes:
        data: "digits" of scikit-learn (1,797 images of 64 pixels) or "mnist", 5,000 images of MNIST.
        m, P: clients, and how many take part.
        hidden: units of the network.
        rounds: communications.
        imbalance: how many times more rows the first class has than the last one in loss tuning; 100 in the code of
            FedNest, for which the digits are too few.
        repetitions: each with a division of the data, a start and draws of its own, the same for all methods.
    """

    data: Literal["digits", "mnist"] = "digits"
    m: int = 20
    P: int = 5
    hidden: int = 32
    rounds: int = 300
    imbalance: float = 20.0
    repetitions: int = 10


#: "paper" is what is printed but for the images, of which there are 5,000.
SCALES = {
    "digits": Scale(),
    "mnist": Scale(data="mnist", m=50, imbalance=100.0),
    "paper": Scale(data="mnist", m=100, P=10, hidden=200, rounds=1500, imbalance=100.0),
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One setting of an experiment.

    Attributes:
        task: "appendix F" is the hyper-cleaning there.
        split: "iid", or "skewed": every client has two shards of the rows sorted by class.
        rc: regularisation, a row of Tables 3 to 5; None where the steps are those in words, at the default ``rc``.
        tau: local steps.
        corruption: share of training rows that get a class at random.
    """

    task: Literal["representation", "loss", "cleaning", "appendix F"]
    split: Split = "iid"
    rc: str | None = None
    tau: int = 1
    corruption: float = 0.0

    @property
    def regularisation(self) -> float:
        """The weight of ``||y||^2``."""
        return float(self.rc) if self.rc is not None else (0.05 if self.task == "representation" else 0.0)

    def __str__(self) -> str:
        """In words."""
        parts = [self.task, self.split, f"rc = {self.regularisation:g}"]
        parts += [f"tau = {self.tau}"] if self.task == "loss" else []
        parts += [f"cr = {self.corruption:g}"] if self.corruption else []
        return ", ".join(parts) + (" (table)" if self.rc is not None else "")


SPLITS: tuple[Split, ...] = ("iid", "skewed")
#: Rows of the tables that are run of loss tuning and hyper-cleaning.
SOME_RC = ("0", "0.07")
MAIN = (
    *(Cell(task="representation", split=s) for s in SPLITS),
    *(Cell(task="loss", split=s, tau=tau) for tau in (1, 3) for s in SPLITS),
    *(Cell(task="cleaning", split=s, corruption=cr) for cr in (0.7, 0.9) for s in SPLITS),
    Cell(task="appendix F", corruption=0.7),
)
SWEEPS = (
    *(Cell(task="representation", rc=rc) for rc in tables.RC),
    *(Cell(task="loss", rc=rc, tau=3) for rc in SOME_RC),
    *(Cell(task="cleaning", rc=rc, corruption=0.9) for rc in SOME_RC),
)


def problem(cell: Cell, scale: Scale, seed: int) -> BilevelNetwork:
    """The instance of a cell: a quarter of the images for the test, each client's rows in halves for the levels.

    In loss tuning the classes of both levels are imbalanced, and the upper level weighs them equally.

    Raises:
        ValueError: a client gets no rows.
    """
    known = images(scale.data)
    random = np.random.Generator(np.random.Philox([seed, 1]))
    order = random.permutation(len(known.label))
    test, rest = np.split(order, [len(order) // 4])
    classes = int(known.label.max()) + 1
    rows = Rows(known.U[rest], known.label[rest])
    weights = None
    if cell.task == "loss":
        rows = thinned(rows, scale.imbalance, classes, random)
        shares = np.bincount(rows.label, minlength=classes) / len(rows.label)
        weights = 1 / (classes * np.maximum(shares, 1 / len(rows.label)))
    few = Images(known.name, rows.D, rows.label)
    dealt = deal(few, m=scale.m, shards=2 if cell.split == "skewed" else None, seed=seed)
    upper, lower = levels(dealt, lambda own: corrupted(own, cell.corruption, classes, random))
    return BilevelNetwork(
        "cleaning" if cell.task == "appendix F" else cell.task,
        upper=upper,
        lower=lower,
        test=Rows(known.U[test], known.label[test]),
        classes=classes,
        hidden=scale.hidden,
        rc=cell.regularisation,
        class_weights=weights,
        noise=MiniBatch({"cleaning": 10, "appendix F": 256}.get(cell.task, 64)),
        name=cell.task,
    )


def method(name: str, cell: Cell, scale: Scale) -> Any:
    """A method with the printed steps of a cell.

    Neumann series take steps of the size of the outer one, as in the published code of FedNest.
    FedMBO and FBO-AggITD take the steps of FedNest, FedBiO those of SimFBO, F2SA those of MeFBO with its multiplier
    ``c_0``; and ``"MeFBO, slow y"`` has ``lambda_theta = gamma`` and ``lambda_y = gamma/2``.

    Raises:
        ValueError: there is no such method.
    """
    P, tau = scale.P, cell.tau
    column = {"FedBiO": "SimFBO", "FedMBO": "FedNest", "FBO-AggITD": "FedNest"}.get(name, name)
    column = "MeFBO" if name in (WEIGHTED, SLOWED, "F2SA") else column
    if column not in tables.COLUMNS:
        raise ValueError(f"there is no method {name!r}; there are {'; '.join((*PRINTED, *OTHERS))}")
    steps = tuple(map(float, tables.steps(cell.task, column, rc=cell.rc, tau=tau, split=cell.split)))
    if column == "MeFBO":
        (x, y, theta), (c0, p, gamma) = steps, map(float, tables.PENALTIES[cell.task])
        if name == "F2SA":
            return F2SA(alpha=y / c0, gamma=y, xi=x / y, lambda0=c0, tau=tau, P=P)
        if name == SLOWED:
            y, theta = gamma / 2, gamma
        if name == WEIGHTED:
            gamma = 1 / gamma
        return MeFBO(gamma=gamma, lambda_theta=theta, lambda_x=x, lambda_y=y, tau=tau, c0=c0, p=p, P=P)
    if column == "SimFBO":
        x, y, v = steps
        if name == "FedBiO":
            return FedBiO(gamma=y, rho=v, eta=x, tau=tau, P=P)
        return SimFBO(eta_x=x, eta_y=y, eta_v=v, tau=tau, P=P)
    inner, outer = steps
    shared: dict[str, Any] = {"alpha": outer, "beta": inner, "tau": tau, "ell": 1 / outer, "P": P}
    if name == "FBO-AggITD":
        return FBOAggITD(**shared, inner=TERMS)
    return {"FedNest": FedNest, "LFedNest": LFedNest, "FedMBO": FedMBO}[name](**shared, terms=TERMS)


def run(name: str, cell: Cell, scale: Scale, progress: Progress | None = None) -> Course:
    """Run a method in a cell, all repetitions at once.

    Args:
        name: of the method.
        cell: the setting.
        scale: its size.
        progress: called with the rounds done, and their number.

    Raises:
        ValueError: no such method, or a client without rows.
    """
    if cell.task == "appendix F":
        scale = replace(scale, m=20, P=2)
    how = method(name, cell, scale)
    repetitions = [problem(cell, scale, seed) for seed in range(scale.repetitions)]
    return followed(how, Seated(repetitions, scale.P), scale.rounds, records=RECORDS, progress=progress)


Key = tuple[str, Cell, str]
"""Scale, cell and method."""


def key(scale: str, cell: Cell, name: str) -> str:
    """A key in words."""
    return f"{scale}; {cell}; {name}"


def recorded(path: Path | None = None) -> dict[str, Course]:
    """Courses that were run before, by :func:`key`.

    Args:
        path: of the file; those that come with the package when left out.

    Raises:
        ValueError: a line is damaged.
    """
    return read(path or Path(__file__).with_name("courses.jsonl"), Course.from_json)


#: What belongs together: the printed methods in the main cells and along the tables, and the other methods.
PARTS = {"main": (MAIN, PRINTED), "tables": (SWEEPS, PRINTED), "others": (MAIN, OTHERS)}


def wanted(scale: str, parts: Iterable[str] = PARTS, only: str = "") -> Iterator[Key]:
    """All that is run at a scale.

    Args:
        scale: its name.
        parts: of :data:`PARTS`.
        only: what the key should contain.
    """
    for part in parts:
        for cell, name in product(*PARTS[part]):
            # of one local step FedBiO is SimFBO
            if only in key(scale, cell, name) and (name != "FedBiO" or cell.tau > 1):
                yield scale, cell, name


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing in a file, and print what was reached: the exit status."""
    parser = parser_of("rateproof.verify.papers.mefbo.experiments.learning", __doc__)
    parser.add_argument("--scale", choices=SCALES, default="digits", help="size of the experiments")
    parser.add_argument("--part", choices=PARTS, action="append", help="main cells, rows of tables, other methods")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cells and methods whose name has this in it")
    parser.add_argument("--repetitions", type=int, metavar="N", help="of every run")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    return command(parser, _run_chosen, arguments)


def _run_chosen(options: Namespace) -> None:
    """Run what is missing in the file, and add it there.

    Raises:
        ValueError: nothing is chosen, or a line of the file is damaged or has another number of repetitions.
    """
    chosen = {key(*one): one for one in wanted(options.scale, options.part or PARTS, options.only)}
    if not chosen:
        raise ValueError(f"nothing has {options.only!r} in its name; --list shows the names")
    if options.list:
        print("\n".join(chosen))
        return
    scale, out = SCALES[options.scale], options.out
    if options.repetitions is not None:
        if options.repetitions < 1:
            raise ValueError(f"--repetitions is {options.repetitions}; it should be at least 1")
        scale = replace(scale, repetitions=options.repetitions)
    done = recorded(out) if out else {}
    for name in chosen.keys() & done.keys():
        if (given := len(done[name].accuracy)) != scale.repetitions:
            raise ValueError(f"{out} has {name} with {given} repetitions, not {scale.repetitions}; name another file")
    runs = {label: partial(run, name, cell, scale) for label, (_, cell, name) in chosen.items()}
    run_missing(runs, done, out, Course.to_json)


if __name__ == "__main__":
    raise SystemExit(main())
