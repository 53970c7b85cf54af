"""The worked example is a project of its own; ``tests/verify/test_pytest_plugin.py`` runs its tests.

``@pytest.mark.sweep(20)`` on a parametrized test runs 20 of its cases, a sample fixed by its name; ``--sweeps 10`` runs
ten times as many, ``--full`` all. What a fixture measures for many tests is sampled by ``one_in``.

With ``-n`` and ``--dist loadfile`` a process takes a whole file, of the laws those of one kind of result of a paper;
these come last, as they are small, so that no process is left alone with a long file.
"""

import gc
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

collect_ignore = ["worked_example"]
#: The file of the laws, which are many.
LAWS = "test_laws.py"

T = TypeVar("T")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sweeps", type=int, default=1, help="run so many times the usual cases of every sweep")
    parser.addoption("--full", action="store_true", help="run all cases of the sweeps, not a sample fixed by seed")


def pytest_configure(config: pytest.Config) -> None:
    os.environ.pop("COLUMNS", None)  # a process of xdist is given one, and what commands print goes by it
    gc.set_threshold(50_000, 20, 20)  # the papers are many objects that stay
    config.option.loadscopereorder = False  # what has many tests is not what takes long
    config.addinivalue_line("markers", "sweep(size): run a seeded sample of so many cases, or all with --full")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name == LAWS)
    if config.getoption("full"):
        return
    sweeps: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("sweep"):
            sweeps[item.nodeid.partition("[")[0], *mark.args].append(item)
    times = config.getoption("sweeps")
    left_out: set[pytest.Item] = set()
    for (name, size), cases in sweeps.items():
        left_out.update(random.Random(name).sample(cases, max(0, len(cases) - times * size)))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    return _ByFileAndResults(config, log) if config.getoption("dist") == "loadfile" else None


class _ByFileAndResults(LoadFileScheduling):
    """What shares instances and proofs stays in one process: a file, the laws of ``mefbo.lemD.6``, ``lemD.7`` etc."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, case = nodeid.partition("::")
        results = re.match(r"\w*\.[a-zA-Z]*", case.partition("[")[2]) if file.endswith(LAWS) else None
        return f"{file} {results[0]}" if results else file


@pytest.fixture(scope="session")
def one_in(request: pytest.FixtureRequest) -> Callable[[int, Iterable[T]], list[T]]:
    """Of what a fixture measures once for many tests, one in so many; all with ``--full`` or more ``--sweeps``."""
    whole = request.config.getoption("full") or request.config.getoption("sweeps") > 1
    return lambda step, items: list(items)[:: 1 if whole else step]


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What ``list`` and ``show`` keep between runs is not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _cited_as_in_the_baseline() -> Iterator[None]:
    """What a proof cites is proved as the baseline says, unless it has changed: ``rateproof check`` proves it."""
    from rateproof.verify.deciders import kernel
    from rateproof.verify.evidence import Verdict
    from rateproof.verify.stored import baseline

    read, prove = lru_cache(baseline.read), kernel._level_of

    def found(claim_id: str) -> object:
        known = read(claim_id.partition(".")[0]).get(claim_id)
        if known is None or known.stale:
            return prove(claim_id)
        return known.result.level if known.result.verdict is Verdict.PROVED else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_level_of", found)
        yield
