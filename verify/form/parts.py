"""Parts that instances are made of: losses, regularisers and noises that know their facts and exact constants.

A part answers for a hypothesis with whether it holds and why. Its numbers may be of any kind (see
:mod:`rateproof.verify.form.arithmetic`); scripts carry its source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form.arithmetic import Number, exp, geometric, largest, least, log, pi, sin, sqrt


@dataclass(frozen=True)
class Loss:
    """A loss of one real variable.

    Attributes:
        name: in a few words.
        value: ``h(x)``.
        slope: ``h'(x)``, or the subgradient that an oracle returns.
        curvature: the smallest and the largest difference quotient of the slope, None where it has no bound.
        minimiser: a point where it is least; None when there is none.
        infimum: of its values; None when there is none.
        steepest: the largest size of a slope; None when there is none.
        quadratic: it is a quadratic function.
        twice: it is twice continuously differentiable.
        jump: ``jump(x, gamma, R)`` is the point after R gradient steps where that is known at once, else None.
    """

    name: str
    value: Callable[[Number], Number]
    slope: Callable[[Number], Number]
    curvature: tuple[Number | None, Number | None]
    minimiser: Number | None
    infimum: Number | None = 0
    steepest: Number | None = None
    quadratic: bool = False
    twice: bool = True
    jump: Callable[[Number, Number, Number], Number | None] = lambda x, gamma, R: None

    def gap(self, x: Number) -> Number | None:
        """``h(x) - inf h``; None when there is no infimum."""
        return None if self.infimum is None else self.value(x) - self.infimum

    def distance2(self, x: Number) -> Number | None:
        """``(x - x*)^2``; None when there is no minimiser."""
        return None if self.minimiser is None else (x - self.minimiser) ** 2

    def convex(self) -> Fact:
        """Whether it is convex."""
        return self.weakly_convex(0)

    def weakly_convex(self, rho: Number) -> Fact:
        """Whether ``h + rho/2 x^2`` is convex."""
        low = self.curvature[0]
        return Fact(low is not None and low >= -rho, f"{self.name}: its curvature is {low} and more; rho = {rho}")

    def strongly_convex(self, mu: Number) -> Fact:
        """Whether ``h - mu/2 x^2`` is convex."""
        low = self.curvature[0]
        return Fact(low is not None and low >= mu, f"{self.name}: its curvature is {low} and more; mu = {mu}")

    def smooth(self, L: Number) -> Fact:
        """Whether its slope is L-Lipschitz."""
        low, high = self.curvature
        bounded = low is not None and high is not None and high <= L and -low <= L
        return Fact(bounded, f"{self.name}: its curvature lies in [{low}, {high}]; L = {L}")

    def lipschitz(self, M: Number) -> Fact:
        """Whether no slope is larger than M."""
        bounded = self.steepest is not None and self.steepest <= M
        return Fact(bounded, f"{self.name}: its slopes are at most {self.steepest}; M = {M}")

    def attained(self) -> Fact:
        """Whether it has a minimiser."""
        return Fact(self.minimiser is not None, f"{self.name}: its minimiser is {self.minimiser}")

    def bounded_below(self) -> Fact:
        """Whether it has an infimum."""
        return Fact(self.infimum is not None, f"{self.name}: its infimum is {self.infimum}")

    def is_quadratic(self) -> Fact:
        """Whether it is quadratic."""
        return Fact(self.quadratic, f"{self.name} is {'' if self.quadratic else 'not '}quadratic")

    def descend(self, x: Number, gamma: Number, R: int) -> Number:
        """The point after R gradient steps from ``x``.

        Raises:
            ValueError: it is not known at once, and so many steps are not run.
        """
        end = self.jump(x, gamma, R)
        if end is None:
            end = x
            for _ in steps(R):
                end = end - gamma * self.slope(end)
        return end


def dissimilar(gradients: Sequence[tuple[Number, Number]], bound: Number, growth: Number) -> Fact:
    """Whether ``mean_i g_i^2 <= bound + growth (mean_i g_i)^2`` at every x, for gradients ``g_i(x) = a_i x + b_i``.

    Exact: a parabola is nowhere negative iff its ends and its discriminant say so. ``gradients``: the pairs (a_i, b_i).
    """
    n = len(gradients)
    a, b = (sum(pair[i] for pair in gradients) / n for i in (0, 1))
    square, mixed, constant = (sum(g[i] * g[j] for g in gradients) / n for i, j in ((0, 0), (0, 1), (1, 1)))
    p, q, r = growth * a * a - square, growth * a * b - mixed, bound + growth * b * b - constant
    shown = p >= 0 and r >= 0 and p * r >= q * q
    return Fact(bool(shown), f"bound + growth F'^2 - mean f_i'^2 = {p} x^2 + {2 * q} x + {r}")


def at_least_zero(**numbers: Number) -> None:
    """Refuse what would make another function of it than its facts are about.

    Raises:
        ValueError: a number is negative; it is named.
    """
    for name, x in numbers.items():
        if x < 0:
            raise ValueError(f"{name} is {x}; it should be at least 0")


def steps(R: int) -> range:
    """The steps of a run.

    Raises:
        ValueError: there are too many.
    """
    if R > 1000:
        raise ValueError(f"{R} steps are not run")
    return range(R)


class Unlisted(ValueError):  # noqa: N818 - it is an answer, not a fault
    """Outcomes that are not listed."""


def refuse(outcomes: int, most: int) -> None:
    """Refuse to list too many outcomes.

    Raises:
        Unlisted: there are too many.
    """
    if outcomes > most:
        raise Unlisted(f"{outcomes} outcomes are not listed; there should be at most {most}")


def parabola(c: Number) -> Loss:
    """``c/2 x^2``; concave for c < 0."""
    low = 0 if c >= 0 else None
    return Loss(
        f"{c}/2 x^2",
        lambda x: c * x**2 / 2,
        lambda x: c * x,
        (c, c),
        minimiser=low,
        infimum=low,
        quadratic=True,
        jump=lambda x, gamma, R: (1 - gamma * c) ** R * x,
    )


def huber(c: Number, t: Number) -> Loss:
    """``c/2 x^2`` up to the threshold ``|x| = t``, and linear beyond."""
    at_least_zero(c=c, t=t)

    def value(x: Number) -> Number:
        inside = least(abs(x), t)
        return c * inside * (abs(x) - inside / 2)

    def jump(x: Number, gamma: Number, R: Number) -> Number | None:
        end = x - R * gamma * c * t
        return end if end >= t else None

    def slope(x: Number) -> Number:
        return c * least(largest(x, -t), t)

    name = f"Huber function, {c}/2 x^2 up to {t}"
    return Loss(name, value, slope, (0, c), 0, steepest=c * t, twice=False, jump=jump)


def rounded(c: Number, t: Number) -> Loss:
    """``c/2 x^2`` up to ``|x| = t``, of a curvature that falls to 0 at ``2t``, and linear beyond: twice smooth."""
    at_least_zero(c=c, t=t)

    def value(x: Number) -> Number:
        inner, bend = least(abs(x), t), least(largest(abs(x) - t, 0 * t), t)
        beyond = largest(abs(x) - 2 * t, 0 * t)
        return c * (inner**2 / 2 + t * bend + bend**2 / 2 - bend**3 / (6 * t) + 3 * t * beyond / 2)

    def slope(x: Number) -> Number:
        inner, bend = least(abs(x), t), least(largest(abs(x) - t, 0 * t), t)
        size = c * (inner + bend - bend**2 / (2 * t))
        return size if x >= 0 else -size

    return Loss(f"{c}/2 x^2 up to {t}, linear from {2 * t}", value, slope, (0, c), 0, steepest=3 * c * t / 2)


def hyperbola(c: Number) -> Loss:
    """``c (sqrt(1 + x^2) - 1)``."""
    at_least_zero(c=c)

    def root(x: Number) -> Number:
        return sqrt(1 + x**2)

    return Loss(
        f"{c} (sqrt(1 + x^2) - 1)",
        lambda x: c * x**2 / (1 + root(x)),
        lambda x: c * x / root(x),
        (0, c),
        minimiser=0,
        steepest=c,
    )


def kink(left: Number, right: Number) -> Loss:
    """``left/2 x^2`` for x < 0 and ``right/2 x^2`` for x > 0: its curvature jumps."""
    at_least_zero(left=left, right=right)

    def pick(x: Number) -> Number:
        return right if x > 0 else left

    ends = (least(left, right), largest(left, right))
    name = f"{left}/2 x^2, {right}/2 x^2"
    return Loss(name, lambda x: pick(x) * x**2 / 2, lambda x: pick(x) * x, ends, 0, twice=False)


def logistic(c: Number) -> Loss:
    """``4 c (ln(1 + e^x) + ln(1 + e^-x) - 2 ln 2) / 2``, whose largest curvature is ``c``, at 0."""
    at_least_zero(c=c)

    def value(x: Number) -> Number:
        return 2 * c * (abs(x) + 2 * log(1 + exp(-abs(x))) - 2 * log(2 + 0 * x))

    def slope(x: Number) -> Number:
        return 2 * c * (1 - exp(-x)) / (1 + exp(-x))

    return Loss(f"logistic loss of curvature {c}", value, slope, (0, c), 0, steepest=2 * c)


def plus_parabola(h: Loss, mu: Number) -> Loss:
    """``h + mu/2 x^2`` for a loss that is least at 0."""
    low, high = h.curvature
    return Loss(
        f"{h.name} + {mu}/2 x^2",
        lambda x: h.value(x) + mu * x**2 / 2,
        lambda x: h.slope(x) + mu * x,
        (None if low is None else low + mu, None if high is None else high + mu),
        minimiser=0,
        twice=h.twice,
    )


def cosine(c: Number) -> Loss:
    """``c (1 + cos x)``, least at pi; not convex."""
    at_least_zero(c=c)
    return Loss(
        f"{c} (1 + cos x)",
        lambda x: 2 * c * (1 - sin(x / 2) ** 2),
        lambda x: -c * sin(x),
        (-c, c),
        minimiser=pi(c),
        steepest=c,
    )


def wave(c: Number) -> Loss:
    """``c (1 - cos x)``, least at 0; not convex."""
    at_least_zero(c=c)
    return Loss(f"{c} (1 - cos x)", lambda x: 2 * c * sin(x / 2) ** 2, lambda x: c * sin(x), (-c, c), 0, steepest=c)


def two_wells(c: Number) -> Loss:
    """``c (x^2/2 - 2 sqrt(1 + x^2) + 5/2)``, least at ``sqrt 3`` and ``-sqrt 3``; at 0 it bends down."""
    at_least_zero(c=c)
    return Loss(
        f"{c} (x^2/2 - 2 sqrt(1 + x^2) + 5/2)",
        lambda x: c * (sqrt(1 + x**2) - 2) ** 2 / 2,
        lambda x: c * x * (1 - 2 / sqrt(1 + x**2)),
        (-c, c),
        minimiser=sqrt(3 + 0 * c),
    )


def line(slope: Number) -> Loss:
    """``slope x``, which is unbounded below."""
    return Loss(
        f"{slope} x",
        lambda x: slope * x,
        lambda x: slope,
        (0, 0),
        minimiser=None,
        infimum=None,
        steepest=abs(slope),
        jump=lambda x, gamma, R: x - R * gamma * slope,
    )


def decaying(c: Number) -> Loss:
    """``4 c ln(1 + e^-x)``, of curvature at most ``c``, whose infimum 0 is not attained."""
    at_least_zero(c=c)

    def value(x: Number) -> Number:
        return 4 * c * (log(1 + exp(-abs(x))) + largest(-x, 0 * x))

    def slope(x: Number) -> Number:
        # for x < 0 by the same formula in e^x, which does not overflow
        e = exp(-abs(x))
        return -4 * c * (e if x >= 0 else 1) / (1 + e)

    return Loss(f"4 {c} ln(1 + e^-x)", value, slope, (0, c), minimiser=None, steepest=4 * c)


@dataclass(frozen=True)
class Regulariser:
    """The part of a composite loss on the real line that is not smooth, by its proximal map ``prox(x, gamma)``."""

    name: str
    value: Callable[[Number], Number]
    prox: Callable[[Number, Number], Number]
    is_convex: bool = True

    def convex(self) -> Fact:
        """Whether it is convex."""
        return Fact(self.is_convex, f"{self.name} is {'' if self.is_convex else 'not '}convex")


def point() -> Regulariser:
    """The indicator of {0}, at 0."""
    return Regulariser("the indicator of a point", lambda x: 0 * x, lambda x, gamma: 0 * x)


def nothing() -> Regulariser:
    """The function 0."""
    return Regulariser("0", lambda x: 0 * x, lambda x, gamma: x)


def halfline() -> Regulariser:
    """The indicator of x >= 0, at points of it."""
    return Regulariser("the indicator of x >= 0", lambda x: 0 * x, lambda x, gamma: largest(x, 0 * x))


def absolute(w: Number) -> Regulariser:
    """``w |x|``."""
    at_least_zero(w=w)

    def prox(x: Number, gamma: Number) -> Number:
        return x - least(largest(x, -gamma * w), gamma * w)

    return Regulariser(f"{w} |x|", lambda x: w * abs(x), prox)


def two_points(a: Number) -> Regulariser:
    """The indicator of {0, a}, at points of it: not convex."""

    def prox(x: Number, gamma: Number) -> Number:
        return a if abs(x - a) <= abs(x) else 0 * x

    return Regulariser(f"the indicator of two points, 0 and {a}", lambda x: 0 * x, prox, is_convex=False)


@dataclass(frozen=True)
class Noise:
    """Additive noise +-s with variance ``s^2``: "independent" draws, "biased" (always s) or "repeated" (one draw)."""

    law: str
    variance: Number

    def unbiased(self) -> Fact:
        """Whether its mean is zero."""
        always = self.law == "biased"
        return Fact(not always, "the noise is always the same number" if always else "+s and -s are equally likely")

    def independent(self) -> Fact:
        """Whether draws are independent."""
        once = self.law == "repeated"
        return Fact(not once, "one draw serves all steps" if once else "draws are independent, whatever the point")

    def bounded(self, sigma2: Number) -> Fact:
        """Whether its mean square is at most ``sigma2``."""
        return Fact(self.variance <= sigma2, f"E noise^2 = {self.variance}; sigma^2 = {sigma2}")

    def moments(
        self, mean: Number, spread: Number, q: Number, gamma: Number, n: Number, divisor: Any = 1
    ) -> tuple[Number, Number]:
        """Mean and spread after n steps ``x <- q x - gamma noise``; the spread is what :meth:`square` adds.

        Independent draws are means of ``divisor`` ones; their spread is a variance. Of one repeated draw it is the
        deviation that goes with the draw +s.
        """
        if self.law == "independent":
            added = gamma**2 * self.variance / divisor * geometric(q**2, n)
            return q**n * mean, q ** (2 * n) * spread + added
        shift = gamma * sqrt(self.variance) * geometric(q, n)
        return (q**n * mean - shift, spread) if self.law == "biased" else (q**n * mean, q**n * spread - shift)

    def square(self, mean: Number, spread: Number) -> Number:
        """``E x^2``."""
        return mean**2 + (spread**2 if self.law == "repeated" else spread)


def descend_everywhere(h: Loss, x: Number, gamma: Number, noise: Noise, R: int) -> list[Number]:
    """The equally likely points after R stochastic gradient steps, for all draws of an independent noise +-s."""
    points, size = [x], gamma * sqrt(noise.variance)
    for _ in steps(R):
        moved = [y - gamma * h.slope(y) for y in points]
        points = [y + s for s in (-size, size) for y in moved]
    return points
