"""A round in which clients take local steps: of what its vectors know, all steps together or one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import sympy as sp

from rateproof.theory.proof import Setting
from rateproof.verify.form.outcomes import Axis, Grid, Outcomes

CLIENT, STEP, SAMPLE, ONE = ("client",), ("step",), ("sample",), ("one",)
#: The noises of a local step; there is one of each for every client and step.
NOISES = ("xi", "zeta")


def knows(word: str, at: Mapping[str, int], step: int | None = None) -> set[Axis]:
    """What the words of a setting stand for, at some step where it speaks of one."""
    k, some = at.get("step", step), range(20)
    clients = [at["client"]] if "client" in at else some
    if word in ("client", "step", "sample", "one", "past"):
        return {(word,)}
    if word in NOISES:
        return {(word, i, j) for i in clients for j in ([k] if k is not None else some)}
    if word == "before":
        return {(e, i, j) for e in NOISES for i in clients for j in (range(k) if k is not None else some)}
    return {(e, i, j) for e in NOISES for i in some for j in some} if word == "round" else set()


def step_by_step(whole: Outcomes, setting: Setting, index: sp.Symbol, ends: Mapping[str, Grid]) -> Iterator[Outcomes]:
    """One local step after the other, and after the last one what is known there."""
    steps = len(whole.chances[STEP])
    alone = replace(whole, chances={**whole.chances, STEP: [1.0]})
    for k in range(steps):
        now = {name: whole.only(g, STEP, k) for name, g in whole.made.items()}
        yield replace(alone, made=now, knows=partial(knows, step=k), term={**whole.term, index: k})
    open_ = frozenset(setting.names) - ends.keys()
    yield replace(alone, made=ends, knows=partial(knows, step=steps), term={**whole.term, index: steps}, open=open_)
