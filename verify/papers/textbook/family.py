"""How the families of the control group are put together: tight, ordinary and broken instances, and rescaled copies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.symbols import info
from rateproof.verify.trial import Trial

# Powers of two close to 1e4 and 1e-4: rescaling is then exact in binary arithmetic, also where 1 - gamma mu is near 1.
BIG = 2.0**14
SCALES = ((1.0, BIG), (BIG, 1.0), (1 / BIG, BIG), (BIG, 1 / BIG))


@dataclass(frozen=True)
class Family:
    """Instances of one theorem.

    Attributes:
        tight: on which the bound is attained, or approached; ``tight(full)``.
        ordinary: other admissible instances and corner cases; ``ordinary(full, seed)``.
        broken: instances that miss exactly one hypothesis and break the statement; where it is a condition
            on numbers or an assumption that a careless theorem would drop.
        method: how the metrics were computed, for reports.
    """

    tight: Callable[[bool], Iterable[Trial]]
    ordinary: Callable[[bool, int], Iterable[Trial]]
    broken: Callable[[], Iterable[Trial]]
    method: str

    def trials(self, full: bool, seed: int) -> Iterator[Trial]:
        """All instances; the tight ones, a few ordinary ones also rescaled in loss and in space."""
        tight, ordinary = tuple(self.tight(full)), tuple(self.ordinary(full, seed))
        yield from tight
        yield from ordinary
        yield from self.broken()
        some = (*tight, *ordinary) if full else (*tight[:2], *tight[-1:], *ordinary[:2])
        for x, h in SCALES:
            yield from (scaled(trial, x, h) for trial in some)


def trial(
    label: str,
    values: Mapping[str, float],
    facts: Iterable[str],
    *,
    missing: Mapping[str, str] | None = None,
    degenerate: bool = False,
) -> Trial:
    """A trial whose structural facts hold, but for those in ``missing`` (key -> why it fails).

    The instance is reproduced by its label and values, all of which are in ``at``.
    """
    why = "by construction of the instance"
    known = {key: Fact(True, why) for key in facts} | {key: Fact(False, no) for key, no in (missing or {}).items()}
    plain = {name: float(value) for name, value in values.items()}
    return Trial.exact(label, plain, known, at={"instance": label, **plain}, degenerate=degenerate)


def scaled(trial: Trial, x: float, h: float) -> Trial:
    """The same instance in other units: every length times ``x``, the loss times ``h``."""
    factors = {name: _factor(name, x, h, trial.values) for name in trial.values}
    values = {name: value * factors[name] for name, value in trial.values.items()}
    return replace(
        trial,
        label=f"{trial.label}; rescaled: length x{x:.4g}, loss x{h:.4g}",
        values=values,
        at={**trial.at, **values, "scale_x": x, "scale_h": h},
    )


def _factor(name: str, x: float, h: float, values: Mapping[str, float]) -> float:
    px, _, ph, _ = (_number(power, values) for power in info(name, "textbook").unit.powers)
    return float(x**px * h**ph)


def _number(power: sp.Expr, values: Mapping[str, float]) -> float:
    return float(power.subs({s: values[str(s)] for s in power.free_symbols}))
