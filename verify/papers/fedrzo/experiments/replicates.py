"""How the learning experiments of Sections 6.1 to 6.3 run a method: replicates, seed and recorded rounds of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol

from rateproof.algos import engine
from rateproof.algos.problems.base import Array


class Horizon(Protocol):
    """What a plan says about its runs: ``R`` rounds, ``runs`` replicates with one start, and the ``seed`` of all."""

    @property
    def R(self) -> int:
        """Rounds."""

    @property
    def runs(self) -> int:
        """Replicates."""

    @property
    def seed(self) -> int:
        """Of all draws."""


def run(
    plan: Horizon, method: Any, problem: Any, x0: Array, metrics: Mapping[str, Callable[[Any, Array], Array]]
) -> engine.Result:
    """Run a method from ``x0``, ``(n,)``, and measure it at the start, about twenty times, and at the end."""
    record = {*range(0, plan.R, max(1, plan.R // 20)), plan.R}
    return engine.run(method, problem, x0, R=plan.R, runs=plan.runs, seed=plan.seed, record=record, metrics=metrics)


def no_command(module: str, says: str | None) -> NoReturn:
    """Answer a call from the command line of a module that has no command: what it is about, and who runs it."""
    import argparse

    runs_it = "It has no command of its own: notebooks/learning_runs.py runs it, with the numbers of its Plan."
    parser = argparse.ArgumentParser(
        prog=f"python -m rateproof.verify.papers.fedrzo.experiments.{module}",
        description=f"{says}\n{runs_it}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args()
    parser.error(runs_it)
