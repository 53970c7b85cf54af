"""What the claims speak of, measured over all courses of a run on the line: numbers by symbol name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

from rateproof.theory.papers.fedrzo.bilevel import notation as b
from rateproof.theory.papers.fedrzo.bilevel.steps import cross_om, cross_w, full2, shown_eps, step_eps
from rateproof.verify.papers.fedrzo.bilevel.enumeration import Course, Run, steps
from rateproof.verify.papers.fedrzo.bilevel.line import Line, Num

Numbers: TypeAlias = dict[str, Num]


def mean(values: Iterable[Num]) -> Num:
    """The mean of equally likely values."""
    numbers = list(values)
    return sum(numbers, Fraction(0)) / len(numbers)


def constants(line: Line, run: Run) -> Numbers:
    """Constants of the instance and of the run."""
    eps = run.e * run.e
    return {
        "n": run.dim,
        "nt": 1,
        "m": line.m,
        "eta_s": run.eta,
        "gamma": run.gamma,
        "H": run.H,
        "B1": line.B1,
        "B2": line.B2,
        "L_imp": line.L,
        "L_y": line.L_y,
        "L_1h": 1,
        "mu_h": 1,
        "L_h_x": line.lower.L_h_x,
        "Lam": line.Lam,
        "L_mean_bl": line.L_mean,
        "chi_bl": 0 if line.free else 1,
        "eps_bl": eps,
        "T_R": run.rounds * run.H,
        "K_it": run.rounds * run.H - 1,
        "sum_eps_bl": run.rounds * eps,
        "mean_eps_bl": eps,
    }


@dataclass(frozen=True)
class At:
    """All courses at one local step, ``loc`` after the start of its round, with the moments of the steps before."""

    loc: int
    round: int
    numbers: Numbers


#: Metrics whose gradients are those of the line.
_ON_THE_LINE = frozenset(
    map(str, (b.bias, b.bias_start, b.grad2, b.grad2_start, b.inner, b.inner_start, b.sum_grad2, cross_om, cross_w))
)


@lru_cache(maxsize=512)
def local_steps(line: Line, run: Run) -> tuple[At, ...]:
    """Every local step of a run, measured."""
    measured: list[At] = []
    sums: Numbers = {}
    round_ = -1
    for loc, courses in steps(line, run):
        if loc == 0:
            round_ += 1
            sums = {"sum_eb_bl": 0, "sum_eh_bl": 0, "sum_grad2_bl": 0}
        numbers = _moments(line, run, courses)
        measured.append(At(loc, round_, {**numbers, **sums, "loc_bl": loc}))
        for total, one in (("sum_eb_bl", "eb_bl"), ("sum_eh_bl", "eh_bl"), ("sum_grad2_bl", "grad2_bl")):
            sums[total] = sums[total] + numbers[one]
    return tuple(measured)


def _moments(line: Line, run: Run, courses: Sequence[Course]) -> Numbers:
    m = line.m
    grad_f, grad_F = cache(lambda i, x: line.grad_f(i, x, run.eta)), cache(lambda x: line.grad_F(x, run.eta))

    def worst(each: Callable[[Course, int], Num]) -> Num:
        """A client's expectation, the largest over the clients."""
        return max(mean(each(c, i) for c in courses) for i in range(m))

    def ratio_of(top: Callable[[Course, int], Num], bottom: Callable[[Course, int], Num]) -> tuple[Num, Num]:
        """Both expectations of the client with the largest ratio."""
        pairs = [(mean(top(c, i) for c in courses), mean(bottom(c, i) for c in courses)) for i in range(m)]
        return max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else pair[0])

    om2, move2 = ratio_of(lambda c, i: (c.g_delayed[i] - c.g[i]) ** 2, lambda c, i: (c.x[i] - c.start) ** 2)
    gaps = [
        (
            abs(mean(c.g[i] - grad_f(i, c.start) for c in courses)),
            mean(abs(c.x[i] - c.start) for c in courses),
        )
        for i in range(m)
    ]
    bias_start, move1 = max(gaps, key=lambda pair: pair[0] / pair[1] if pair[1] else pair[0])
    pairs = [(c, grad_F(c.mean), grad_F(c.start)) for c in courses]
    dirs = [sum(c.g) / m + sum(c.penalty) / m for c in courses]
    omegas = [sum(c.g_delayed) / m - sum(c.g) / m for c in courses]
    ws = [sum(c.g_used) / m - sum(c.g_delayed) / m for c in courses]
    return {
        str(b.bias): max(abs(mean(c.g[i] - grad_f(i, c.x[i]) for c in courses)) for i in range(m)),
        str(b.bias_start): bias_start,
        str(b.move1): move1,
        str(b.g2): worst(lambda c, i: c.g[i] ** 2),
        str(b.om2): om2,
        str(b.move2): move2,
        str(b.w2): worst(lambda c, i: (c.g_used[i] - c.g_delayed[i]) ** 2),
        str(b.dir2): mean(d * d for d in dirs),
        str(b.ombar2): mean(o * o for o in omegas),
        str(b.wbar2): mean(w * w for w in ws),
        str(b.grad2): mean(g * g for _, g, _ in pairs),
        str(b.grad2_start): mean(s * s for _, _, s in pairs),
        str(b.inner): mean(g * d for (_, g, _), d in zip(pairs, dirs, strict=True)),
        str(b.inner_start): mean(s * d for (_, _, s), d in zip(pairs, dirs, strict=True)),
        str(b.eb): mean(mean((x - c.mean) ** 2 for x in c.x) for c in courses),
        str(b.eh): mean(mean((x - c.start) ** 2 for x in c.x) for c in courses),
        str(cross_om): -run.gamma * mean(g * o for (_, g, _), o in zip(pairs, omegas, strict=True)),
        str(cross_w): -run.gamma * mean(g * w for (_, g, _), w in zip(pairs, ws, strict=True)),
        str(full2): mean((d + o + w) ** 2 for d, o, w in zip(dirs, omegas, ws, strict=True)),
    }


def at_step(line: Line, run: Run, k: int) -> Numbers:
    """Everything that the lemmas speak of at local step ``k``, counted from 0 over the rounds."""
    step = local_steps(line, run)[k]
    eps = run.e * run.e
    measured = {k: v for k, v in step.numbers.items() if run.dim == 1 or k not in _ON_THE_LINE}
    of_step = {str(step_eps): run.rounds * run.H * eps, str(shown_eps): run.rounds * (run.H - 1) * eps}
    return {**constants(line, run), **measured, **of_step}


@lru_cache(maxsize=512)
def whole_run(line: Line, run: Run) -> Numbers:
    """Everything that Theorem 1 (i) speaks of.

    Raises:
        ValueError: the gap of the start is not known.
    """
    total = mean(at.numbers[str(b.grad2)] for at in _gradients(line, run))
    return {**constants(line, run), "grad_kstar": total, "D0": line.gap(run.x0, run.eta)}


def _gradients(line: Line, run: Run) -> Iterable[At]:
    for loc, courses in steps(line, run):
        yield At(loc, 0, {str(b.grad2): mean(line.grad_F(c.mean, run.eta) ** 2 for c in courses)})


def as_floats(numbers: Numbers) -> dict[str, float]:
    """The numbers as floats."""
    return {name: float(value) for name, value in numbers.items()}


def as_fractions(numbers: Numbers) -> dict[str, Fraction]:
    """The numbers as fractions.

    Raises:
        ValueError: one carries rounding.
    """
    if rounded := sorted(name for name, value in numbers.items() if isinstance(value, float)):
        raise ValueError(f"{', '.join(rounded)} is not rational on this instance")
    return {name: Fraction(value) for name, value in numbers.items()}
