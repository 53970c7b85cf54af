"""Run many checks: in this process, in a pool of processes, or on a Dask cluster. Results come as they finish."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.verify.checks import FAILED, Budget, Result, check_claim, failed
from rateproof.verify.deciders import kernel
from rateproof.verify.evidence import Level

#: How strongly claims are proved, by id; None where they are not.
Levels = dict[str, Level | None]

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def default_jobs() -> int:
    """Two processes, or one on a machine with one core."""
    return min(2, os.cpu_count() or 1)


def run_checks(
    claims: Iterable[Claim], seconds: Mapping[str, float], budget: Budget, *, jobs: int = 1, dask: str | None = None
) -> Iterator[Result]:
    """Results of the checks of some claims, each as soon as it is there; one BLAS thread per process.

    Joint verdicts are left to :func:`rateproof.verify.checks.finish`. A worker process that dies costs its claim the
    verdict `undecided` and no other claim anything.

    Args:
        claims: the claims.
        seconds: what the check of each may take, by claim id; what is quick comes first.
        budget: of each check.
        jobs: processes.
        dask: the scheduler of a cluster to run on instead.

    Raises:
        ValueError: ``dask`` is given and the package is missing or no scheduler answers.
    """
    claims = sorted(claims, key=lambda claim: seconds[claim.id])
    if dask is not None:
        yield from _on_dask(claims, budget, dask)
    elif jobs > 1 and len(claims) > 1:
        yield from _in_processes(claims, budget, min(jobs, len(claims)))
    else:
        one_blas_thread()
        for claim in claims:
            yield _quietly(claim, budget)


def one_blas_thread() -> None:
    """Keep BLAS to one thread, in this process and in those that it starts."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)


def _quietly(claim: Claim, budget: Budget) -> Result:
    with warnings.catch_warnings():
        if not os.environ.get("RATEPROOF_DEBUG"):
            warnings.simplefilter("ignore")
        return check_claim(claim, budget)


def _by_id(claim_id: str, budget: Budget) -> Result:
    """A result in another process, which has the catalog of its own."""
    one_blas_thread()
    return _quietly(catalog.get(claim_id), budget)


def _with_levels(claim_id: str, budget: Budget, levels: Levels) -> tuple[Result, Levels]:
    """A result, and the levels of all claims of which other processes or this one have checked the proof."""
    kernel.LEVELS.update(levels)
    result = _by_id(claim_id, budget)
    if catalog.get(claim_id).proof and result.method != FAILED:
        kernel.level(claim_id)
    return result, kernel.LEVELS


def _in_processes(claims: Sequence[Claim], budget: Budget, jobs: int) -> Iterator[Result]:
    """Results of worker processes, each a pool of its own: when one dies, it is plain at which claim.

    A claim waits for those that its proof cites or that correct it, unless nothing else is left to begin with. A worker
    prefers what shares a paper and lemmas with what it has done, and not with what others have: it keeps what it found.
    Of what is as good to it, the first worker takes what is quick and the others what is long, so that most verdicts
    come early, and none of the long ones begins when all else is done.
    """
    one_blas_thread()
    others = set(multiprocessing.active_children())
    waiting = {c.id: kernel.cited(c).union(other.id for other in kernel.corrections(c)) for c in claims}
    uses: dict[str, set[object]] = {c.id: {c.paper, *map(id, kernel.lemmas_of(c))} for c in claims}
    pools, used = [_worker() for _ in range(jobs)], [set[object]() for _ in range(jobs)]
    running: dict[Future[tuple[Result, Levels]], tuple[str, int]] = {}
    by_id, levels = {c.id: c for c in claims}, Levels()

    def begin() -> None:
        for i in set(range(jobs)) - {i for _, i in running.values()}:
            unfinished = {*waiting, *(claim_id for claim_id, _ in running.values())}
            ready = [claim_id for claim_id, cited in waiting.items() if not cited & unfinished]
            if not ready and (running or not waiting):
                return
            elsewhere = set().union(*used[:i], *used[i + 1 :])
            choice = (ready or [next(iter(waiting))])[:: -1 if i else 1]
            preferred = {c: len(uses[c] & used[i]) - len(uses[c] & elsewhere) for c in choice}
            claim_id = max(preferred, key=preferred.__getitem__)
            used[i] |= uses[claim_id]
            try:
                future = pools[i].submit(_with_levels, claim_id, budget, dict(levels))
            except BrokenProcessPool:  # it died idle
                pools[i] = _worker()
                future = pools[i].submit(_with_levels, claim_id, budget, dict(levels))
            running[future] = claim_id, i
            del waiting[claim_id]

    try:
        with _interrupts_ignored():
            begin()
        while running:
            finished = []
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                claim_id, i = running.pop(future)
                try:
                    result, its = future.result()
                except BrokenProcessPool:
                    why = "its process died (out of memory, or a crash in compiled code)"
                    result = failed(by_id[claim_id], why)
                    pools[i], used[i], its = _worker(), set(), {}
                levels |= its
                finished.append(result)
            with _interrupts_ignored():
                begin()
            yield from finished
    finally:
        # Also reached by Ctrl-C: what is still running is not waited for.
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()


def _worker() -> ProcessPoolExecutor:
    """A pool of one process, which does not outlive this one."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent)


def end_with_parent() -> None:
    """Have this process end as soon as the one that started it is gone, however that ended and whatever is at work.

    It makes many small objects, of which few are in circles.
    """
    gc.set_threshold(50_000, 20, 20)

    def watch() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started inside ignore Ctrl-C from their first instruction on; it is for their parent alone."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not in the main thread, so Ctrl-C does not arrive here
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _on_dask(claims: Sequence[Claim], budget: Budget, address: str) -> Iterator[Result]:
    try:
        from distributed import Client
        from distributed import as_completed as dask_completed
    except ImportError:
        raise ValueError(
            "--dask needs the package 'distributed', which is not installed: pip install 'rateproof[dask]'"
        ) from None
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {address!r} ({error}); give it as tcp://host:8786") from None
    with client:
        futures = {client.submit(_by_id, c.id, budget, pure=False): c for c in claims}
        for future in dask_completed(futures):
            wrong = future.exception()
            yield failed(futures[future], f"{type(wrong).__name__}: {wrong}") if wrong else future.result()
