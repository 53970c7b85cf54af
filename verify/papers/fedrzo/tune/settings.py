"""From settings to the constants of a bound and to an instance that has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from rateproof.theory.papers.fedrzo.bilevel.notation import L_mean
from rateproof.theory.papers.fedrzo.notation import L_h_x, Lam, mu_h
from rateproof.verify.experiments.tune import settle
from rateproof.verify.papers.fedrzo.tune.bounds import Group
from rateproof.verify.papers.fedrzo.tune.instances import Bowl, Pull

#: Counts, what is positive, what may be zero, and what lies between 0 and 1.
COUNTS = {"n": 1, "m": 10}
POSITIVE = {"eta": Fraction(1), "L0": Fraction(1), "L_imp": Fraction(1)}
NONNEGATIVE = {"nu": 1, "B1": 0, "B2": 0, "D0": 1, "L_y": 1, "Lam": 0, "c": 0, "B": 1}
SHARES = {"spread": Fraction(1, 2), "random": Fraction(1, 2)}
DEFAULTS: Mapping[str, Fraction] = {k: Fraction(v) for k, v in {**COUNTS, **NONNEGATIVE}.items()} | POSITIVE | SHARES
#: Those that belong to the instance alone.
_OWN = {"none": ("spread",), "round": ("spread",), "step": ("spread", "random")}
ROUNDING = 1e-9


@dataclass(frozen=True)
class Chosen:
    """An instance and numbers for all constants of a bound.

    Attributes:
        numbers: symbol -> number.
        instance: what runs are measured on.
        said: it in one line, with the level of what is measured.
    """

    numbers: Mapping[sp.Symbol, float]
    instance: Pull | Bowl
    said: str


def choose(group: Group, given: Mapping[str, Fraction]) -> Chosen:
    """The instance and the constants.

    Args:
        group: claims that share a bound.
        given: changes to ``DEFAULTS``. B_2 and D_0 are those of the instance unless given; larger ones are valid, too.

    Raises:
        ValueError: a setting is unknown, out of range, or smaller than the instance allows.
    """
    names = (*group.constants, *_OWN[group.lower_law])
    defaults = {name: DEFAULTS[name] for name in names}
    chosen = settle(given, defaults, counts=COUNTS, nonnegative=NONNEGATIVE, shares=SHARES)
    value = {k: float(v) for k, v in chosen.items()}
    instance, said = _instance(group, value)
    least = {"B2": instance.B2, "D0": instance.D0} if isinstance(instance, Pull) else {}
    for name, number in least.items():
        if name not in given:
            value[name] = number
        elif value[name] < number * (1 - ROUNDING):
            raise ValueError(f"{name} = {value[name]:g} should be at least {number:.6g}, that of the instance: {said}")
    numbers = {symbol: value[name] for name, symbol in group.constants.items()}
    if group.lower_law == "round":
        # the implicit loss is as steep as its samples, and Lam is L_{0,x}^{grad h}/mu_h
        numbers |= {L_mean: value["L_imp"], mu_h: 1.0, L_h_x: numbers[Lam]}
    return Chosen(numbers, instance, said)


def _instance(group: Group, value: Mapping[str, float]) -> tuple[Pull | Bowl, str]:
    n, m, eta = int(value["n"]), int(value["m"]), value["eta"]
    steep = value["L_imp" if "L_imp" in value else "L0"]
    if group.lower_law == "round" and n == 1:
        bowl = Bowl.of(eta, steep, value["D0"])
        said = (
            f"on the line, all clients with the loss {bowl.curvature:.4g} x^2/2 up to |x| = {bowl.width:.4g} and "
            f"linear beyond, exact lower level, no sets, from {bowl.start:.4g}; exact moments while gamma < "
            f"{1 / bowl.curvature:.4g}"
        )
        return bowl, said
    random = value.get("random", 0.0) if group.lower_law == "step" else 0.0
    slope = steep * math.sqrt(1 - random)
    free = (1 - 2 * value["spread"]) * slope
    pulled = math.ceil(m / 2)
    shared = group.lower_law == "round"

    def noise(steepness: float) -> float:
        """Total variance of an estimate for the loss ``steepness x_1`` with random slope or random values."""
        values = (4 if n == 1 else 2) * (n * value.get("nu", 0.0) / eta) ** 2
        return (n - 1) * steepness**2 + n * random * steep**2 + values

    pull = Pull(
        n, m, eta, pulled, slope, free, 0.0 if shared else noise(slope), 0.0 if shared else noise(free), shared=shared
    )
    sets = f"the set {{0}} for {pulled} of {m} clients, with slope {slope:.4g}"
    rest = f", and none for the others, with slope {free:.4g}" if pulled < m else ""
    extra = "" if group.lower_law == "none" else ", exact lower level"
    return pull, f"linear losses in R^{n}, {sets}{rest}{extra}, from 0; exact moments"
