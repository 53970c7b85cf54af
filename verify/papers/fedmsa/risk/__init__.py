"""The risk-averse problem of Section 4 run again: FedMSA beside minibatch gradients of the composition on one machine.

Printed are d = 10, 1,000 rows, noise of variance 0.001, 200 rounds of 5 local steps, and 1,000 iterations. All else is
that of the authors' code: rows whose covariance is the absolute value of a matrix of ``N(0, 1)`` entries, which is none
itself; two clients, one of which takes local steps; samples of 100 rows; ``lam = delta = 0.1``; a start at 0.1; ``rho =
0.5``; the square in ``f^1``. Its steps are 0.0003 of ``x`` and ``z``, falling by factors 0.999 and 0.9 from round to
round, and 0.0001 of the other method. Samples are as in Algorithm 1, new ones in every step, and with replacement;
as there, round 0 has one local step, so that FedMSA takes 996 steps.

``python -m rateproof.verify.papers.fedmsa.risk --out FILE.jsonl`` runs all that the file does not have yet.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product as pairs
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from rateproof.algos import engine
from rateproof.algos.engine import Progress
from rateproof.algos.methods.fedmsa import FedMCO
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.compositional import product
from rateproof.algos.problems.risk_averse import RiskAverse
from rateproof.verify.experiments.courses import command, parser_of, read, run_missing

D, ROWS, BATCH, UPDATES = 10, 1000, 100, 1000
#: Draws of the data; with 20 no count of them has a chance below 1e-6 of each of four errors.
SEEDS, TUNING_SEEDS = range(50), range(1000, 1010)
#: Records of a run, evenly spaced; and what distances count up to, those of runs that diverge, too.
RECORDS, FAR = 10, 100.0
#: Steps of both methods in the authors' code, both for both; and the grids of ``x`` and of ``z``, 0 for that of ``x``.
EQUAL = (0.0001, 0.0003)
ALPHAS, BETAS = (0.0001, 0.0002, 0.0003, 0.0005, 0.0007), (0.0, 0.1, 0.5, 1.0)
LOCAL_STEPS = (1, 5, 20)
COURSES = Path(__file__).with_name("courses.jsonl")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A method with its steps.

    Attributes:
        method: which one.
        alpha: step of ``x``, in the first round.
        beta: step of ``z``.
        K: local steps.
        falling: whether steps fall as in the authors' code.
        tuning: on draws of the data of which nothing else is said.
    """

    method: Literal["FedMSA", "centralised"]
    alpha: float
    beta: float = 0.0
    K: int = 5
    falling: bool = False
    tuning: bool = False

    def __str__(self) -> str:
        """In words."""
        own = f", beta = {self.beta:g}, K = {self.K}" if self.method == "FedMSA" else ""
        return f"{self.method}, alpha = {self.alpha:g}{own}{', falling' * self.falling}{', tuning' * self.tuning}"

    def distances(self, seed: int) -> Array:
        """Distances of ``x`` to the nearer one of ``x*`` and ``-x*`` at the records of one draw, ``(RECORDS + 1,)``."""
        problem = drawn(seed, clients=2 if self.method == "FedMSA" else 1)
        found = (
            _centralised(problem, self.alpha, seed) if self.method == "centralised" else self._federated(problem, seed)
        )
        return np.minimum(np.nan_to_num(found, nan=np.inf), FAR)

    def _federated(self, problem: RiskAverse, seed: int) -> Array:
        how = FedMCO(
            alpha=self.alpha,
            beta=self.beta,
            alpha_decay=0.999 if self.falling else 1.0,
            beta_decay=0.9 if self.falling else 1.0,
            rho=0.5,
            K=self.K,
            output_rule="last",
        )
        R = UPDATES // self.K
        at = [R * k // RECORDS for k in range(RECORDS + 1)]
        return engine.run(how, problem, problem.x0, R=R, seed=seed, record=at, metrics={"far": far}).last["far"][:, 0]


def drawn(seed: int, clients: int) -> RiskAverse:
    """The data of a draw, dealt out to clients."""
    random = np.random.Generator(np.random.Philox([seed, 4]))
    _, scales, axes = np.linalg.svd(random.normal(size=(D, D)))
    a = random.normal(size=(ROWS, D)) * np.sqrt(scales) @ axes
    target = random.normal(size=D)
    v = (a @ target) ** 2 + np.sqrt(0.001) * random.normal(size=ROWS)
    shape = (clients, ROWS // clients)
    given = {"a": a.reshape(*shape, D), "v": v.reshape(shape), "target": target}
    problem = RiskAverse(**given, lam=0.1, delta=0.1, link="square", batch_size=BATCH)
    problem.start = 0.1
    return problem


def far(problem: RiskAverse, w: Array) -> Array:
    """See :meth:`Run.distances`: the objective is the same at ``x`` and ``-x``."""
    assert problem.target is not None
    away = [np.linalg.norm(w[:, :D] - target, axis=1) for target in (problem.target, -problem.target)]
    return np.asarray(np.minimum(*away))


def _centralised(problem: RiskAverse, step: float, seed: int) -> Array:
    """Gradients of the composition of the means over a sample, one sample an iteration."""
    rng, x = Streams(seed, 0, 1), np.full((1, D), problem.start)
    found = [far(problem, x)[0]]
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(1, UPDATES + 1):
            rows = rng.integers("zeta", t, 0, 1, BATCH, np.arange(1), ROWS)[0]
            first = problem.value(0, 0, x, rows)
            parts = [x, first, problem.value(0, 1, first, rows)]
            x = x - step * product([problem.jacobian(0, n, part, rows) for n, part in enumerate(parts)])
            if t % (UPDATES // RECORDS) == 0:
                found.append(far(problem, x)[0])
    return np.array(found)


Courses: TypeAlias = Mapping[str, Array]
"""Distances by the name of a run: ``(draws, RECORDS + 1)``."""

AUTHORS = (Run(method="FedMSA", alpha=0.0003, beta=0.0003, falling=True), Run(method="centralised", alpha=0.0001))
TUNED = (
    *(Run(method="FedMSA", alpha=a, beta=b or a, tuning=True) for a, b in pairs(ALPHAS, BETAS)),
    *(Run(method="centralised", alpha=a, tuning=True) for a in ALPHAS),
)


def equal(step: float) -> tuple[Run, Run]:
    """Both methods with one step, of FedMSA for ``x`` and ``z``."""
    return Run(method="FedMSA", alpha=step, beta=step), Run(method="centralised", alpha=step)


def best(courses: Courses) -> tuple[Run, Run]:
    """Each method at the steps of the grid that end nearest in the mean of the draws for tuning."""
    ours, other = (
        min((run for run in TUNED if run.method == name), key=lambda run: courses[str(run)][:, -1].mean())
        for name in ("FedMSA", "centralised")
    )
    return Run(method="FedMSA", alpha=ours.alpha, beta=ours.beta), Run(method="centralised", alpha=other.alpha)


def sweep(courses: Courses) -> list[Run]:
    """FedMSA at its best steps with other numbers of local ones, for as many updates."""
    ours = best(courses)[0]
    return [Run(method="FedMSA", alpha=ours.alpha, beta=ours.beta, K=K) for K in LOCAL_STEPS]


@cache
def recorded(path: Path = COURSES) -> Courses:
    """Courses that were run before, of the file or those that come with the package.

    Raises:
        ValueError: a line is damaged.
    """
    return read(path, _of_line)


def _of_line(data: Mapping[str, Any]) -> Array:
    found = np.array(data["distances"], float)
    if found.shape != (len(TUNING_SEEDS if "tuning" in data["key"] else SEEDS), RECORDS + 1):
        raise ValueError("draws are missing")
    return found


def interval(differences: Array, chance: float) -> tuple[float, float]:
    """Around the median of what they are drawn from, missed with this chance at most, whatever their law is."""
    from scipy.special import bdtr

    n = len(differences)
    k = max((k for k in range(n // 2) if 2 * bdtr(k, n, 0.5) <= chance), default=None)
    if k is None:
        return -np.inf, np.inf
    ordered = np.sort(differences)
    return float(ordered[k]), float(ordered[n - 1 - k])


def _table(courses: Courses) -> None:
    """Medians with their intervals at 95%, and in how many draws FedMSA is nearer."""

    def median(samples: Array) -> str:
        return "{:.3g} [{:.3g}, {:.3g}]".format(np.median(samples), *interval(samples, 0.05))

    titles = {"the authors' steps": AUTHORS, **{f"steps {s:g}": equal(s) for s in EQUAL}, "best steps": best(courses)}
    for title, (ours, other) in titles.items():
        left, right = courses[str(ours)], courses[str(other)]
        print(f"{title}: {ours}; {other}")
        for said, k in (("as many updates, 1000", RECORDS), ("400 iterations", 4), ("as many rounds, 200", 2)):
            nearer = int((left[:, -1] < right[:, k]).sum())
            print(f"  after {said}: {median(left[:, -1])} and {median(right[:, k])}; nearer in {nearer} of {len(left)}")
    print("local steps, as many updates:")
    for run in sweep(courses):
        print(f"  {run}: {median(courses[str(run)][:, -1])} after {UPDATES // run.K} rounds")


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, and print what was reached: the exit status."""
    parser = parser_of("rateproof.verify.papers.fedmsa.risk", __doc__)
    parser.add_argument("--recorded", action="store_true", help="print what the package has, run nothing")
    return command(parser, _run_all, arguments)


def _run_all(options: Namespace) -> None:
    done = dict(recorded(COURSES if options.recorded else options.out)) if options.recorded or options.out else {}
    if not options.recorded:
        _run_missing(TUNED, done, options.out)
        _run_missing(
            (*AUTHORS, *(run for s in EQUAL for run in equal(s)), *best(done), *sweep(done)), done, options.out
        )
    _table(done)


def _run_missing(runs: Iterable[Run], done: dict[str, Array], out: Path | None) -> None:
    def distances(run: Run, progress: Progress | None) -> Array:
        found = [run.distances(seed) for seed in (TUNING_SEEDS if run.tuning else SEEDS)]
        return np.array([[float(f"{v:.4g}") for v in row] for row in found])

    named = {str(run): partial(distances, run) for run in runs}
    run_missing(named, done, out, lambda found: {"distances": found.tolist()})
