"""A space of instances: what a search for a counterexample needs to know about a family, and nothing about the search.

A paper exports ``SPACES``: claim id -> spaces, the most promising first. A space serves every copy of a claim (mutated,
re-read, with a hypothesis dropped), so its instances carry every number and fact that the claims speak of.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from rateproof.theory.claim import Claim
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Params = TypeVar("Params")
Built = TypeVar("Built", Trial, Ladder)


def _none(params: object) -> Mapping[str, float]:
    return {}


def _same(params: Params, numbers: Mapping[str, float]) -> Params:
    return params


@dataclass(frozen=True)
class Space(Generic[Params]):
    """A family of instances.

    Attributes:
        name: the family, in a few words.
        corners: parameters to try first, simplest first, for a claim (its unlike units may ask for rescaled copies).
        strategy: a hypothesis strategy for the parameters; it says what simple means.
        build: measures the instance of some parameters: a trial, or for an O(.) claim a ladder of trials. Parameters
            that make no instance raise ValueError; they are skipped.
        numbers: the real parameters of an instance, by name, which a local search may vary.
        at: the parameters with these numbers in place of theirs; some of the names of ``numbers`` may be missing.
        program: source text that needs numpy alone and assigns to ``values`` what ``build`` measures (symbol name ->
            number), by running the method or a recursion on plain arrays; for a ladder it assigns the list of what its
            rungs measure to ``ladder``. None when there is no such program.
        quick: what ``build`` measures, in floats, where that is faster: a search looks at it first, and builds what
            seems to violate a claim. None when there is no such way.
        words: the instance in a line, for a claim whose symbols have the names of a set; None: as ``build`` labels it.
    """

    name: str
    corners: Callable[[Claim], Iterable[Params]]
    strategy: Callable[[Claim], SearchStrategy[Params]]
    build: Callable[[Params], Trial | Ladder]
    numbers: Callable[[Params], Mapping[str, float]] = _none
    at: Callable[[Params, Mapping[str, float]], Params] = _same
    program: Callable[[Params], str] | None = None
    quick: Callable[[Params], Trial] | None = None
    words: Callable[[Params, Container[str]], str] | None = None


def refusing(build: Callable[[Params], Built]) -> Callable[[Params], Built]:
    """The same builder, with arithmetic that fails on odd parameters reported as the ValueError that a search skips."""

    @wraps(build)
    def built(params: Params) -> Built:
        try:
            return build(params)
        except (ArithmeticError, np.linalg.LinAlgError) as error:
            raise ValueError(f"{params} makes no instance: {error}") from None

    return built
