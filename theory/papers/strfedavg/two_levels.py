"""A random point and the two levels, and the proofs of Propositions 2 and 5 and of their steps.

``x`` is any random point, such as an average of iterates, ``p`` its projection on ``X_h*``; ``x*`` is a solution of the
bilevel problem: it minimises ``f`` over ``X_h*``, and has ``f = f*`` and ``h = h*``.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Minimiser
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.strfedavg.mended import delta_h
from rateproof.theory.papers.strfedavg.notation import (
    E_dist,
    E_sq,
    Err,
    M,
    cs_inner,
    f_eta_star,
    gap_eta,
    gap_f,
    gap_h,
    norm_mean_res,
    vi_inner,
)
from rateproof.theory.papers.strfedavg.point import INFIMA
from rateproof.theory.proof import (
    Argmin,
    Mean,
    Proof,
    Setting,
    cauchy_schwarz,
    convex,
    have,
    infimum,
    optimal,
    qed,
    raised,
    sharp,
    values,
)
from rateproof.theory.proof.steps import Step
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import N, alpha, eta, f_star, grad_f_star, h_star, kappa, mu_f

x, xs, p, g, g_star, b, b_star = vectors("x x* p g g* b b*")
f_x, h_x, F_x, F_star = sp.symbols("f_x h_x F_x F_star", real=True)


def two_levels(*, gap: sp.Symbol, outer: sp.Symbol, inner: sp.Symbol, dist: sp.Symbol, square: sp.Symbol) -> Setting:
    """The setting of metrics at a random point: the regularised, outer and inner gap and the distances."""
    return Setting(
        depends={"x": "run", "x*": "past"},
        means={"g": Mean("b", "client"), "g*": Mean("b*", "client")},
        sizes={"client": N},
        functions={
            "f": {"x": (x, g, f_x), "x*": (xs, g_star, f_star)},
            "h": {"x": (x, None, h_x), "x*": (xs, None, h_star)},
            "f_i": {"x": (x, b, f_x), "x*": (xs, b_star, f_star)},
            "h_i": {"x": (x, None, h_x), "x*": (xs, None, h_star)},
            "f_eta": {"x": (x, None, F_x), "x*": (xs, None, F_star)},
            "X_h*": {"x": (x, p), "x*": (xs, xs)},  # type: ignore[dict-item]
        },
        made={
            "f": Mean("f_i", "client"),
            "h": Mean("h_i", "client"),
            "f_eta": {"h": sp.S.One, "f": eta},
            "X_h*": Argmin("h"),
        },
        infima={**INFIMA, "f_eta": f_eta_star},
        lengths={dist: x - p},
        bounds={grad_f_star: g_star},
        assumes=(Minimiser("f", "x*", over="X_h*"),),
        words={"x": "the point of the run that is judged"},
        metrics={gap: F_x - f_eta_star, outer: f_x - f_star, inner: h_x - h_star, square: norm2(x - xs)},
        sequences={m: m for m in (gap, outer, inner, square)},
        measured=(dist,),
        constants=(f_star,),
        free=(Err, M),
    )


#: The points at which Propositions 2 and 5 are used.
ANYWHERE = {f"{of}.{q}": f"{of}.{q}" for of in ("f", "h", "f_i", "h_i", "f_eta", "X_h*") for q in ("x", "x*")}
TWO_LEVELS = two_levels(gap=gap_eta, outer=gap_f, inner=gap_h, dist=E_dist, square=E_sq)

_ROOT = ((Err + eta * M) / alpha) ** (1 / kappa)
_LEVELS = (
    have(
        "at the solution",
        le(f_eta_star, h_star + eta * f_star),
        by=[infimum("f_eta", "x*"), values("f_eta", "x*")],
        multipliers=[1, -1],
    ),
    have("both levels", le(gap_h + eta * gap_f, Err), by=[values("f_eta", "x"), "at the solution"]),
    have("h >= h*", ge(gap_h, 0), by=[infimum("h", "x")]),
)
_ROOTS = (
    have("inner gap", le(gap_h / alpha, (Err + eta * M) / alpha), by=["both levels"]),
    raised("roots", "inner gap", to=1 / kappa, by=["h >= h*"]),
    have("distance", le(E_dist, _ROOT), by=[sharp("h", "x"), "roots"]),
)


def _sharp(offset: sp.Expr) -> tuple[Step, ...]:
    """Weak sharpness of order 1, up to an offset."""
    return (
        have("sharpness", le(alpha * E_dist, gap_h + offset), by=[sharp("h", "x")]),
        have("dist >= 0", ge(E_dist, 0), by=[cauchy_schwarz(grad_f_star, E_dist)]),
        have(
            "inner gap",
            le(gap_h, 2 * Err + offset),
            by=["both levels", "f at the solution", "sharpness", "dist >= 0"],
            multipliers=[2, 2 * eta, 1, alpha - 2 * eta * grad_f_star],
        ),
    )


def _proof(*steps: Step, curved: sp.Expr, parts: int = 2) -> Proof:
    """The proof of an item from these steps and the lower bound on f."""
    below = have(
        "f at the solution",
        ge(gap_f, curved / 2 * norm2(x - xs) - grad_f_star * E_dist),
        by=[convex("f", "x", "x*"), optimal("f"), cauchy_schwarz(grad_f_star, E_dist)],
    )
    by = [step.name for step in (*_LEVELS, below, *steps)]
    return Proof(*_LEVELS, below, *steps, *(qed(by=by, of=part) for part in range(parts)))


def _sharp_proofs(*items: str, **how: Any) -> dict[str, Proof]:
    """The proofs of items with weak sharpness of order 1: up to an offset, and as printed."""
    readings = {"corrected": _sharp(delta_h), "nonsmooth": _sharp(sp.S.Zero)}
    return {f"{item}.{reading}": _proof(*steps, **how) for item in items for reading, steps in readings.items()}


_INNER = Proof(*_LEVELS, qed(by=["both levels", "h >= h*"]), qed(by=["both levels", "h >= h*"], of=1))
PROPOSITION2 = {
    "i-1": _INNER,
    "i-2": _proof(curved=mu_f),
    "i-3": _proof(curved=mu_f, parts=1),
    "ii-1": _INNER,
    "ii-2": _proof(*_ROOTS, curved=mu_f),
    "ii-3": _proof(*_ROOTS, curved=mu_f, parts=1),
    **_sharp_proofs("iii-1", "iii-2", curved=mu_f),
    **_sharp_proofs("iii-3", curved=mu_f, parts=1),
}
PROPOSITION5 = {
    "i-1": _INNER,
    "i-2": _proof(curved=sp.S.Zero),
    "ii-1": _INNER,
    "ii-2": _proof(*_ROOTS, curved=sp.S.Zero),
    **_sharp_proofs("iii-1", "iii-2", curved=sp.S.Zero),
}

m = vectors("m")[0]
#: The residual too: ``m`` is the mean of ``x - p``.
RESIDUAL = replace(
    TWO_LEVELS,
    depends={**TWO_LEVELS.depends, "m": "past"},
    lengths={**TWO_LEVELS.lengths, norm_mean_res: m},
    metrics={**TWO_LEVELS.metrics, vi_inner: dot(g_star, p - xs), cs_inner: dot(g_star, m)},
    measured=(*TWO_LEVELS.measured, norm_mean_res),
    words={**TWO_LEVELS.words, "m": "the mean of x - p"},
)
VARIATIONAL = Proof(qed(by=[optimal("f")]))
RESIDUAL_BELOW = Proof(qed(by=[cauchy_schwarz(grad_f_star, norm_mean_res)]))
EQUATION5 = Proof(*_LEVELS[:2], qed(by=["at the solution"]), qed(by=["both levels"], of=1))
