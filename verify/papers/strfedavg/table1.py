"""What the notebook on Table 1 draws and counts: from explicit bounds to exponents, and from an accuracy to runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
import sympy as sp

from rateproof.algos.problems.base import Array
from rateproof.theory import catalog, symbols
from rateproof.theory.asymptotics import complexity, invert, monomials, worst
from rateproof.theory.claim import expand_definitions
from rateproof.theory.papers.strfedavg.notation import M, Qt2, R_f_up, R_f_up_n, R_h_up, R_h_up_n, W, Y
from rateproof.theory.papers.strfedavg.schedules import B_BELOW_A, S_C, TABLE_C
from rateproof.theory.symbols import R, a, b, epsilon
from rateproof.verify.experiments import figures
from rateproof.verify.papers.strfedavg import rates
from rateproof.verify.papers.strfedavg.instances import diagonal, measure
from rateproof.verify.trial import Trial, evaluate

#: The metrics of the convex row: the bound that the paper prints, and its corrected reading.
ROW = {
    "f": ("thm2.i-1x", R_f_up, "thm2.i-1x.corrected", R_f_up_n, "gap_f_n"),
    "h": ("thm2.i-2x", R_h_up, "thm2.i-2x.corrected", R_h_up_n, "gap_h_n"),
}
_LEVELS = [2, 2.5, 3, 4, 5, 6, 8, 12, 16]


def tex(expression: sp.Basic) -> str:
    """A formula of the paper between dollars."""
    names = {s: symbols.info(s, "strfedavg").latex for s in expression.free_symbols}
    return f"${sp.latex(expression, symbol_names=names)}$"


def power_of(exponent: sp.Basic) -> str:
    """A power of the accuracy between dollars."""
    return f"$\\epsilon^{{-{sp.latex(exponent)}}}$"


def printed_bounds() -> dict[str, sp.Expr]:
    """The explicit bounds behind the convex row, along the paper's schedule."""
    return {m: rates.explicit_bound(f"strfedavg.{claim}", of, S_C.id) for m, (claim, of, *_) in ROW.items()}


def terms(bound: sp.Expr) -> Iterable[tuple[str, str, str, str]]:
    """Each term of a bound: itself, when it decays, the rounds to the accuracy, and these at the paper's exponents."""
    for term in monomials(bound, R):
        found = invert(term, R)
        exponent = -term.power(R)
        form = sp.latex(exponent, order="rev-lex" if exponent.subs({a: 0, b: 0}) else None)
        decays = "always" if found.requires == sp.true else f"${form}>0$"
        constant = tex(_product(term.without(R)) / epsilon).strip("$")
        rounds = f"$({constant})^{{1/({form})}}$"
        yield tex(_product(term)), decays, rounds, power_of(-found.monomial.power(epsilon).subs(TABLE_C))


def _product(term: Any) -> sp.Expr:
    return sp.Mul(*(v**e for v, e in term.powers.items()), *(sp.log(v) ** e for v, e in term.logs.items()))


# --- the plane of exponents


def regions(best: Mapping[sp.Symbol, sp.Rational]) -> Any:
    """A figure: where in the plane of ``a`` and ``b`` which term rules both bounds, and how large the power is.

    Args:
        best: the exponents to mark besides the paper's.
    """
    from matplotlib import colormaps
    from matplotlib.patches import Polygon

    found = worst([t for bound in printed_bounds().values() for t in complexity(bound, R)], parameters=B_BELOW_A)
    drawn, ((ax,),) = figures.figure(1, width=6.0, height=4.8)
    shades = colormaps["Blues"](np.linspace(0.12, 1, len(_LEVELS)))
    x, y = np.meshgrid(np.linspace(1e-3, 1, 101), np.linspace(1e-3, 1, 101))
    ax.add_patch(Polygon(_corners(B_BELOW_A), facecolor="white", edgecolor="0.6", hatch="///", linewidth=0))
    for area in found:
        outline = Polygon(_corners([*B_BELOW_A, *area.inequalities]), fill=False, edgecolor="black", linewidth=1.2)
        ax.add_patch(outline)
        with np.errstate(divide="ignore"):
            power = sp.lambdify((a, b), area.power, "numpy")(x, y) + 0 * x
        power = np.where((power < 0) | (power > 1e3), 1e3, power)
        levels = ax.contourf(x, y, power, levels=_LEVELS, colors=shades, extend="max")
        levels.set_clip_path(outline)
        ruling = ", ".join(tex(c) for term in area.terms for c in term.powers if c in (Qt2, W, Y, M))
        box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
        ax.annotate(ruling, outline.get_xy()[:-1].mean(axis=0), ha="center", va="center", bbox=box)
    ax.plot(float(best[a]), float(best[b]), "o", ms=12, mfc="none", mec="#d55e00", mew=2, label="best exponents")
    ax.plot(*map(float, TABLE_C.values()), "*", ms=11, color="black", label="the paper's")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="a  (stepsize $R^{-a}$)")
    ax.set_ylabel("b  (regularisation $R^{-b}$)")
    ax.legend(loc="upper left", frameon=False, fontsize="small")
    drawn.colorbar(levels, ax=ax, label=r"power of $1/\epsilon$", ticks=_LEVELS)
    return drawn


def _corners(relations: Sequence[sp.Rel]) -> Array:
    """Corners of a polygon given by linear relations in a and b, in order around it: ``(corners, 2)``."""
    forms = [r.lhs - r.rhs if r.rel_op in (">", ">=") else r.rhs - r.lhs for r in relations]
    points = set()
    for pair in combinations(forms, 2):
        for point in sp.linsolve(pair, (a, b)):
            if not sp.Tuple(*point).free_symbols and all(f.subs({a: point[0], b: point[1]}) >= 0 for f in forms):
                points.add(point)
    # A set has no order, and neighbours at one angle there are none.
    corners = np.array(sorted([float(x) for x in point] for point in points))
    around = corners - corners.mean(axis=0)
    return corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]


# --- and back


@dataclass(frozen=True)
class Members:
    """Two clients ``l/2 (x_1 -+ 1)^2`` and ``m/2 ||x - (1, -+1)||^2``, one sampled a round, with noise, from ``start``.

    ``l = 1`` or ``m = 1``, the other is one of ``smaller``; the bounds at ``L_h = L_f = 1`` hold for all of them.
    """

    start: tuple[float, float] = (2.0, 2.0)
    smaller: tuple[float, ...] = tuple(10 ** (-k / 2) for k in range(11))

    @property
    def curvatures(self) -> list[tuple[float, float]]:
        """``(l, m)`` of each member."""
        return [(1.0, mu) for mu in self.smaller] + [(ell, 1.0) for ell in self.smaller[1:]]

    def run(self, rounds: float, curvatures: tuple[float, float] = (1.0, 1.0)) -> Trial:
        """One member after some rounds, with its exact metrics."""
        params = diagonal((-1.0, 1.0), ((1.0, -1.0), (1.0, 1.0)), *curvatures)
        exponents = float(TABLE_C[a]), float(TABLE_C[b])
        return measure(rates.along_c(params, *exponents, self.start, R=float(round(rounds)), **rates.NOISY))

    def gaps(self, metric: str, rounds: float) -> list[float]:
        """The gap of each member."""
        return [float(self.run(rounds, c).values[ROW[metric][-1]]) for c in self.curvatures]

    @cached_property
    def bounds(self) -> dict[str, Callable[[Any], Any]]:
        """The corrected bound of each metric, as a function of the rounds."""
        values = self.run(10).values
        distances = [np.sum(np.subtract(self.start, end) ** 2) for end in ((0, 0), (1, 0))]  # x_eta* lies between
        known = {**TABLE_C, Qt2: max(distances), M: values["f_star"] - values["inf_f"]}
        out = {}
        for metric, (_, _, claim, counted, _) in ROW.items():
            bound = rates.explicit_bound(f"strfedavg.{claim}", counted, S_C.id).subs(known)
            bound = expand_definitions(bound, catalog.get(f"strfedavg.{claim}").where)
            out[metric] = sp.lambdify(R, bound.subs({s: values[str(s)] for s in bound.free_symbols - {R}}))
        return out

    def admitted(self, metric: str) -> float:
        """From how many rounds on all hypotheses of the printed bound hold."""
        claim = catalog.get(f"strfedavg.{ROW[metric][0]}")
        return first(lambda rounds: evaluate(claim, self.run(rounds)).admissible)


def first(holds: Callable[[float], bool]) -> float:
    """The number of rounds from which on a condition holds, by bisection over 1 to 1e40."""
    low, high = 0.0, 40.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(10.0**middle) else (middle, high)
    return 10.0**high


@cache
def worst_gaps(members: Members, metric: str, grid: tuple[float, ...]) -> Array:
    """The gap of each member at each number of rounds: ``(members, rounds)``."""
    return np.array([members.gaps(metric, rounds) for rounds in grid]).T


def beside_bounds(members: Members, grid: tuple[float, ...]) -> Any:
    """A figure: the members, the largest of them, and the bound, for both metrics."""
    drawn, (axes,) = figures.figure(2, height=4.2)
    x = np.array(grid)
    for ax, metric in zip(axes, ROW, strict=True):
        found = worst_gaps(members, metric, grid)
        for i, one in enumerate(found):
            label = "one member, exact" if i == 0 else None
            ax.plot(x, np.where(one > 0, one, np.nan), color="0.75", linewidth=0.8, label=label)
        largest = found.max(axis=0)
        ax.plot(x, largest, color="#0072b2", linewidth=2.2, label="largest in the family, exact")
        ax.plot(x, members.bounds[metric](x), color="#000000", linewidth=1.8, label="bound (corrected reading)")
        slope = largest[-1] * (x / x[-1]) ** -0.25 / 3
        ax.plot(x, slope, color="#d55e00", linestyle="--", linewidth=1.4, label="slope of $R^{-1/4}$")
        admitted = members.admitted(metric)
        ax.axvline(admitted, color="#009e73", linestyle="-.", linewidth=1.2, label="printed step condition holds")
        floor = 10 ** np.floor(np.log10(largest[-1] / 3))
        ax.set(xscale="log", yscale="log", xlabel="rounds R", ylim=(floor, 1e4))
        ax.set_title(rf"$\mathrm{{E}}\,{metric}(\bar x^R)-{metric}^*$", fontsize="medium")
    axes[1].legend(loc="upper right", frameon=False, fontsize="small")
    return drawn
