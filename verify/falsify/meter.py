"""How long a search may go on: by the clock, by the number of instances, or both."""

from __future__ import annotations

import gc
import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

#: What a violation gets to be made simple: this share of the time, and this many instances.
SHARE, TRIES = 0.25, 500
#: Seconds between looks at the clock, and until an instance that swallowed the first interruption gets another.
TICK, PATIENCE = 0.05, 1.0


class Spent(BaseException):
    """The budget is used up; no Exception, so that nothing on the way takes it for an error of an instance."""


@dataclass
class Meter:
    """A budget of seconds and of instances.

    Attributes:
        seconds: by the clock; may be infinite.
        examples: instances that may be built; None for any number.
    """

    seconds: float
    examples: int | None = None
    used: int = 0
    _start: float = field(default_factory=time.monotonic)
    _graced: bool = False
    _interruptible: bool = False

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"seconds should be positive, got {self.seconds:g}")
        if self.examples is not None and self.examples < 1:
            raise ValueError(f"examples should be at least 1, got {self.examples}")
        self._deadline = self._start + self.seconds
        self._again = 0.0
        self._most = math.inf if self.examples is None else self.examples

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    @property
    def half(self) -> bool:
        """Half of the budget is used up."""
        return self.elapsed > self.seconds / 2 or 2 * self.used > self._most

    @property
    def late(self) -> bool:
        """The clock has run out."""
        return time.monotonic() >= self._deadline

    def spend(self) -> None:
        """Pay for one instance.

        Raises:
            Spent: there is nothing left.
        """
        if self.late or self.used >= self._most:
            raise Spent
        self.used += 1

    def grace(self) -> None:
        """Leave something for making a violation simple; the first call counts."""
        if not self._graced:
            self._graced = True
            self._deadline = max(self._deadline, time.monotonic() + SHARE * self.seconds)
            self._most = max(self._most, self.used + TRIES)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, running out of time raises :class:`Spent` at any point (see :meth:`running`)."""
        self._interruptible = True
        try:
            yield
        finally:
            self._interruptible = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Watch the clock also while one instance is built.

        It takes the alarm signal, so elsewhere than in the main thread, on systems without it, or where somebody else
        uses it, the clock is read between instances only.
        """
        mine = (
            math.isfinite(self.seconds)
            and hasattr(signal, "setitimer")
            and threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        )
        if not mine:
            yield
            return

        def ring(number: int, frame: FrameType | None) -> None:
            now = time.monotonic()
            if self._interruptible and self.late and now >= self._again and not _collecting(frame):
                # what is raised must not be interrupted on its way
                self._again = now + PATIENCE
                raise Spent

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _collecting(frame: FrameType | None) -> bool:
    """Whether Python is collecting garbage, where an exception would be swallowed."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in callbacks or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False
