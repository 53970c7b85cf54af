"""What Rocq says of the proofs of claims, and why if they are not accepted; kept between runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.verify.deciders.kernel import exported
from rateproof.verify.runner import end_with_parent, one_blas_thread
from rateproof.verify.secondkernel import rocq
from rateproof.verify.stored.files import write_atomically
from rateproof.verify.stored.kept import folder, kept
from rateproof.verify.stored.sources import fingerprint

#: How a page says it.
ALSO = "also checked by Rocq"


class Outcome(StrEnum):
    """What became of a claim."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNSUPPORTED = "unsupported"  # its file is accepted, that of a claim that it cites is not
    NOT_EXPORTED = "not exported"


@dataclass(frozen=True)
class Answer:
    """The outcome of a claim; ``why`` it is not accepted; the claims that it ``cites``."""

    claim: str
    outcome: Outcome
    why: str = ""
    cites: tuple[str, ...] = ()


def answers(claims: Sequence[Claim], coqc: str, jobs: int) -> Iterator[Answer]:
    """What becomes of the file of each claim that has a proof in steps, and of each that these cite, as it comes.

    What an earlier run, or one that was interrupted, exported and checked of the same sources is not done again.
    """
    rocq.compiled_library(coqc)
    begun = {c.id for c in claims if c.proof is not None}
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=end_with_parent)
    try:
        running = {pool.submit(_answer, i, coqc) for i in sorted(begun)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for answer in (future.result() for future in done):
                yield answer
                cited = {i for i in answer.cites if i not in begun and _in_steps(i)}
                begun |= cited
                running |= {pool.submit(_answer, i, coqc) for i in sorted(cited)}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_steps(claim: str) -> bool:
    """Whether a claim of the catalog has a proof in steps; a lemma of a proof's own need not be in it."""
    with suppress(ValueError):
        return catalog.get(claim).proof is not None
    return False


def _answer(claim: str, coqc: str) -> Answer:
    """What becomes of one claim, in a process of its own."""
    one_blas_thread()
    made = kept(f"rocq/exported-{rocq.file_name(claim)}", fingerprint(), lambda: asdict(exported(catalog.get(claim))))
    cites = tuple(made["cites"])
    if not made["text"]:
        return Answer(claim, Outcome.NOT_EXPORTED, made["why"])
    found = rocq.checked(coqc, made["text"])
    return Answer(claim, Outcome.ACCEPTED if found.accepted else Outcome.REFUSED, found.why, cites)


def supported(found: Sequence[Answer]) -> list[Answer]:
    """The answers, where one whose file is accepted counts only if all that it cites counts."""
    good = {a.claim: a for a in found if a.outcome is Outcome.ACCEPTED}
    while lost := [i for i, a in good.items() if not good.keys() >= {*a.cites}]:
        for i in lost:
            del good[i]

    def settled(answer: Answer) -> Answer:
        if answer.outcome is not Outcome.ACCEPTED or answer.claim in good:
            return answer
        missing = ", ".join(i for i in answer.cites if i not in good)
        return replace(answer, outcome=Outcome.UNSUPPORTED, why=f"rests on {missing}, which is not accepted")

    return [settled(a) for a in found]


def keep(found: Iterable[Answer]) -> None:
    """Keep outcomes for pages, with the sources of which they are true."""
    state = fingerprint()
    before = _read()
    claims = before["claims"] if before.get("state") == state else {}
    claims |= {a.claim: asdict(a) for a in found}
    with suppress(OSError):
        _path().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(_path(), json.dumps({"state": state, "claims": claims}))


@cache
def accepted() -> frozenset[str]:
    """The claims that Rocq accepted, of the sources as they are now."""
    kept = _read()
    if not kept or kept.get("state") != fingerprint():
        return frozenset()
    return frozenset(i for i, a in kept["claims"].items() if a["outcome"] == Outcome.ACCEPTED)


def _path() -> Path:
    return folder() / "second_kernel.json"


def _read() -> dict[str, Any]:
    with suppress(OSError, ValueError):
        return json.loads(_path().read_text(encoding="utf-8"))
    return {}


def counts(found: Iterable[Answer]) -> Counter[Outcome]:
    """How many claims have each outcome."""
    return Counter(a.outcome for a in found)
