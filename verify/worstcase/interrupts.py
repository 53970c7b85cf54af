"""Ctrl-C while SCS is at work, which takes the signal for itself: solving, it returns; setting up, it goes on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, Ctrl-C raises KeyboardInterrupt from SCS too, whoever calls it: cvxpy and PEPit do."""
    try:
        spec = find_spec("scs")
    except ValueError:  # a module without a spec, or None in its place
        spec = None
    if spec is None:
        yield
        return
    import scs

    set_up, solve = scs.SCS.__init__, scs.SCS.solve

    def held_back(self: Any, *arguments: Any, **settings: Any) -> None:
        with _held_back():
            set_up(self, *arguments, **settings)

    def heeded(self: Any, *arguments: Any, **settings: Any) -> Any:
        solution = solve(self, *arguments, **settings)
        if solution["info"]["status_val"] == scs.SIGINT:
            raise KeyboardInterrupt
        return solution

    scs.SCS.__init__, scs.SCS.solve = held_back, heeded
    try:
        yield
    finally:
        scs.SCS.__init__, scs.SCS.solve = set_up, solve


@contextmanager
def _held_back() -> Iterator[None]:
    """Ctrl-C waits, where the system can do this and no thread of another library takes it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
