"""A round in which clients take local steps, in all outcomes: noises of two values, draws, and a past."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from rateproof.theory.proof import Setting
from rateproof.verify.form.on_a_line import MOST, PAST, STARTS
from rateproof.verify.form.outcomes import COORDINATE, Axes, Axis, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import Unlisted, refuse

CLIENT, STEP = ("client",), ("step",)
#: The vectors of a local step, by name.
Now = Mapping[str, Grid]


class LocalSteps(Axes):
    """The outcomes of a round: of each client and local step its own noises, who is drawn, and where the round starts.

    Args:
        weights: of the clients; their number, where all weigh the same.
        steps: that each of them takes.
        noises: source -> the size of its noise, of both signs; 0 for none.
        draws: draw -> the sets of clients that may be drawn, each as likely as the others.
        coordinates: their number.

    Raises:
        Unlisted: there are too many outcomes, or none.
    """

    def __init__(
        self,
        weights: int | Sequence[float],
        steps: int,
        noises: Mapping[str, Any],
        draws: Mapping[str, Iterable[tuple[int, ...]]] | None = None,
        coordinates: int = 1,
    ) -> None:
        self.weights = [1 / weights] * weights if isinstance(weights, int) else [*weights]
        self.steps, self.noises = steps, noises
        self.draws = {name: [*itertools.islice(sets, MOST)] for name, sets in (draws or {}).items()}
        if not all(self.draws.values()):
            raise Unlisted("there are too few clients to draw from")
        loud = [name for name, size in noises.items() if np.any(size)]
        self.copies: list[Axis] = [*itertools.product(loud, range(len(self.weights)), range(steps))]
        refuse(2 * max(map(len, self.draws.values()), default=1) * 2 ** len(self.copies), MOST)
        self.chances: dict[Axis, Sequence[float]] = {
            COORDINATE: [1.0] * coordinates,
            CLIENT: self.weights,
            STEP: [1 / steps] * steps,
            **dict.fromkeys(self.copies, (0.5, 0.5)),
            **{(name,): [1 / len(sets)] * len(sets) for name, sets in self.draws.items()},
            PAST: STARTS,
        }

    def past(self, x: float | Grid) -> Grid:
        """What is known before the round: another vector at another past, which has no chance."""
        return self.along(PAST, [0.0, 1.0]) + x

    def noise(self, source: str, step: int, client: int | None = None) -> Grid:
        """The noise of a local step, of one client or of all."""
        if client is None:
            return self.stacked(CLIENT, [self.noise(source, step, i) for i in range(len(self.weights))])
        copy = source, client, step
        signs = self.along(copy, [1.0, -1.0]) if copy in self.chances else 1.0
        return self.along(COORDINATE, np.atleast_1d(self.noises[source])) * signs

    def of_all(self, paths: Iterable[Iterable[Now]]) -> list[dict[str, Grid]]:
        """The vectors of local steps of all clients, from those of each."""
        steps = zip(*paths, strict=True)
        return [{name: self.stacked(CLIENT, [one[name] for one in now]) for name in now[0]} for now in steps]

    def outcomes(
        self,
        at: Mapping[str, Callable[[Grid], tuple[Grid | None, Grid | None]]],
        given: Mapping[str, Grid],
        steps: Sequence[Now],
        index: sp.Symbol | None = None,
        alone: int | None = None,
        **more: Any,
    ) -> InOutcomes:
        """The round in the vectors of a setting: with all steps together, or one step after the other.

        Args:
            at: function, map or set -> its gradient or image, and its value, at a point.
            given: vectors of the round, by name.
            steps: those of its local steps, the last time where they end.
            index: that of a proof which goes from one step to the next.
            alone: the step of which settings speak that have neither; all of them, where it is not given.
            more: what else :class:`Outcomes` takes.
        """
        *before, end = steps
        local = {name: self.stacked(STEP, [now[name] for now in before]) for name in before[0]}
        whole = Outcomes(self.chances, {}, at, lambda word, at: set(), drawn=self.draws, **more)

        def of(setting: Setting) -> Iterator[Outcomes]:
            known = any("past" in setting.on(name) for name in setting.names)
            chances = {**self.chances, PAST: STARTS if known else STARTS[:1]}

            def seen(now: Now, k: int | None, **changes: Any) -> Outcomes:
                made = {name: g if known else self.only(g, PAST, 0) for name, g in {**given, **now}.items()}
                return replace(whole, made=made, knows=self.knows(setting, k), **changes)

            if STEP[0] in {*setting.sizes, *setting.all_words} or not local.keys() & {*setting.names}:
                yield seen(local, None, chances=chances)
                return
            chances[STEP] = [1.0]
            goes_on = index is not None and any(index in number.free_symbols for number in setting.meanings)
            which = range(self.steps + 1) if goes_on else range(self.steps) if alone is None else [alone]
            for k in which:
                term = whole.term if index is None else {**whole.term, index: k}
                ends = frozenset(setting.names) - {*given, *end} if k == self.steps else whole.open
                yield seen(steps[k], k, chances=chances, term=term, open=ends)

        return of

    def knows(self, setting: Setting, step: int | None = None) -> Callable[[str, Mapping[str, int]], set[Axis]]:
        """What the words of a setting stand for, at some step where it speaks of one.

        A word for all that belongs to the values of an index stands for all noises, and one that is neither an index,
        a draw nor a noise for those of earlier steps. At one step "past" does where no word does.
        """
        single, everything = {*self.chances} - {*self.copies}, {*setting.together.values()}
        earlier = {w for w in setting.all_words if (w,) not in single and w not in self.noises} - everything
        if step is not None and not earlier:
            earlier = {PAST[0]}

        def knows(word: str, at: Mapping[str, int]) -> set[Axis]:
            now, own = at.get(STEP[0], step), at.get(CLIENT[0])
            found: set[Axis] = {axis for axis in single if axis == (word,)}
            for source, i, j in self.copies:
                mine = own in (None, i) or word in everything
                if word == source:
                    reached = now in (None, j)
                elif word in earlier:
                    reached = now is None or j < now
                else:
                    reached = word in everything
                found |= {(source, i, j)} if mine and reached else set()
            return found

        return knows
