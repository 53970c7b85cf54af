"""Small problems with a lower level, in exact rationals: the implicit objective and inexact estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from rateproof.verify.papers.fedrzo.single.points import trial
from rateproof.verify.trial import Trial

Q = Fraction
Loss = Callable[[int, int], Fraction]
GRID = range(-2, 3)


def bias_trials() -> Iterator[Trial]:
    """Loss q y on the line, y(x) = x/2, y_eps = y +- e1 at x + v and y +- e2 at x: errors of nonzero mean."""
    for q, e1, e2, eta in product((Q(1), Q(-3)), (Q(0), Q(1, 10)), (Q(0), Q(1, 7)), (Q(1), Q(1, 4))):
        x = Q(2, 3)
        estimates, errors = [], []
        for s in (1, -1):
            rise = q * (((x + s * eta) / 2 + s * e1) - (x / 2 + s * e2))
            estimates.append(rise * s / eta)
            errors.append(q * (s * e1 - s * e2) * s / eta)
        values = {
            "n": 1,
            "eta_s": eta,
            "est_inexact_c": sum(estimates, Q(0)) / 2,
            "grad_f_i_c": (q * (x + eta) / 2 - q * (x - eta) / 2) / (2 * eta),
            "error_c": sum(errors, Q(0)) / 2,
        }
        yield trial(f"loss {q} y, y = x/2, errors of size {e1} and {e2}, eta = {eta}", values)


def implicit_trials() -> Iterator[Trial]:
    """Problems solved as they stand, by trying all pairs, and through their implicit objective."""
    for seed in range(8):
        allowed = {x: [y for y in GRID if x + y <= 1 + seed % 2] for x in GRID}
        upper, lower = _upper(seed), _lower(seed)
        # a solution is a pair whose y no other y beats
        pairs = [
            (x, y) for x in GRID for y in allowed[x] if all(lower(x, y) < lower(x, z) for z in allowed[x] if z != y)
        ]
        if len(pairs) == len(GRID):
            direct = min(upper(x, y) for x, y in pairs)
            through = min(upper(x, _argmin(lower, x, allowed[x])) for x in GRID)
            yield trial(f"bilevel on a grid, number {seed}", {"opt_two_level": direct, "opt_implicit": through})
        if all(len({lower(x, y) for y in ys}) == len(ys) for x, ys in allowed.items()):
            yield trial(f"minimax on a grid, number {seed}", _minimax(lower, allowed))
    for c, shift in product((Q(1), Q(3)), (Q(-1), Q(1, 2), Q(2))):
        yield trial(f"two stages, Y = [0, {c}], shift {shift}", _two_stage(c, shift))


def _upper(seed: int) -> Loss:
    return lambda x, y: Q((7 * x * x + 3 * x * y + 5 * y + seed * x) % 11 - 5, 3)


def _lower(seed: int) -> Loss:
    return lambda x, y: Q((y + 2) * ((x * x + seed) % 3 - 1) * 10 + (y - x) ** 2 * 3 + y, 7)


def _argmin(loss: Loss, x: int, choices: Sequence[int]) -> int:
    best = choices[0]
    for y in choices:
        if loss(x, y) < loss(x, best):
            best = y
    return best


def _minimax(loss: Loss, allowed: Mapping[int, Sequence[int]]) -> dict[str, Fraction]:
    """min over x of max over y, and the implicit objective at the unique maximiser, which minimises the negative."""

    def negative(x: int, y: int) -> Fraction:
        return -loss(x, y)

    return {
        "opt_two_level": min(max(loss(x, y) for y in ys) for x, ys in allowed.items()),
        "opt_implicit": min(loss(x, _argmin(negative, x, ys)) for x, ys in allowed.items()),
    }


def _two_stage(c: Fraction, shift: Fraction) -> dict[str, Fraction]:
    """E[(x - 1)^2 - y(x, xi)] on a grid, xi = +-shift, y(x, xi) the solution of VI([0, c], y - |x| - xi).

    Once by trying the ends and the zero of the map against the inequality, once by the formula of the solution.
    """
    grid = [Q(p, 2) for p in range(-4, 5)]

    def solves(y: Fraction, x: Fraction, xi: Fraction) -> bool:
        return 0 <= y <= c and all((y - abs(x) - xi) * (z - y) >= 0 for z in (Q(0), c))

    def solution(x: Fraction, xi: Fraction) -> Fraction:
        return next(y for y in (Q(0), c, abs(x) + xi) if solves(y, x, xi))

    def formula(x: Fraction, xi: Fraction) -> Fraction:
        return min(max(abs(x) + xi, Q(0)), c)

    return {
        "opt_two_level": min((x - 1) ** 2 - (solution(x, shift) + solution(x, -shift)) / 2 for x in grid),
        "opt_implicit": min((x - 1) ** 2 - (formula(x, shift) + formula(x, -shift)) / 2 for x in grid),
    }
