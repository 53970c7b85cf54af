"""Ratios of times on a machine whose speed changes while we measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits


def one_thread() -> AbstractContextManager[Any]:
    """One BLAS thread inside this context."""
    context: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return context


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def side_by_side(works: Mapping[str, Callable[[], object]], *, repetitions: int) -> dict[str, list[float]]:
    """Times of several works, taken in turn so that a slow spell of the machine meets them all alike."""
    for work in works.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repetitions):
        for name, work in works.items():
            times[name].append(seconds(work))
    return times


def ratio(over: list[float], under: list[float]) -> float:
    """Median of the ratios of neighbouring times."""
    return median(a / b for a, b in zip(over, under, strict=True))


_KEPT: list[dict[str, Any]] = []


@contextmanager
def kept() -> Iterator[list[dict[str, Any]]]:
    """The tables that are shown inside this context, as plain values."""
    _KEPT.clear()
    shown: list[dict[str, Any]] = []
    yield shown
    shown += _KEPT


def show(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a table."""
    _KEPT.append({"title": title, "columns": columns, "rows": rows})
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
