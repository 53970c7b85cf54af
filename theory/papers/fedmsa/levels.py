"""N coupled sequences are one in a weighted norm: what Theorem 3.1 needs of ``(S^1, ..., S^N)`` together.

``Z^{n,*}(x) = z^{n,*}(Z^{n-1,*}(x))`` is what ``z^n`` tracks in the end, and ``z^{n,*}(z^{n-1})`` what it tracks now.
"""

import sympy as sp

from rateproof.theory.assumptions import EveryPoint, Lipschitz
from rateproof.theory.claim import Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
    SEQUENCES,
    Proof,
    Setting,
    everywhere,
    have,
    lipschitz,
    section,
    summed,
)
from rateproof.theory.shorthand import every, ge, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER

_R = sp.Rational
w = p.declare("w_lev", "ratio of the weights of two levels", latex="w", **POS)
n = sp.Symbol("n", integer=True, positive=True)
lam = p.declare("lam_each", "least lambda_n of all levels", INNER / p.AREA, latex=r"\lambda_{\min}", **POS)
L_s = p.declare("L_s_each", "largest L_{s,n} of all levels", INNER / p.AREA, latex=r"L_{s,\max}", **POS)
L_z = p.declare("L_z_each", "largest L_{z,n} of all levels", latex=r"L_{z,\max}", **NONNEG)
#: By level: ``||z^n - Z^{n,*}||^2``, ``||z^n - z^{n,*}||^2``, ``||S^n||^2``, ``<z^n - Z^{n,*}, S^n>``, and how far
#: ``Z^{n,*}`` moves with x.
dist, gap, size, moved = (sp.Function(name, nonnegative=True) for name in ("dist", "gap", "size", "shift"))
pull = sp.Function("pull", real=True)


def _sum(name: str, of: str, unit: sp.Expr, latex: str, **sign: bool) -> sp.Symbol:
    return p.declare(name, f"sum_n w^-n {of}", unit, latex=rf"\sum_n w^{{-n}}{latex}", **sign)


_FAR, _NOW = "||z^n - Z^{n,*}(x)||^2", "||z^n - z^{n,*}(z^{n-1})||^2"
sum_dist = _sum("lev_dist", _FAR, p.AREA, r"\|z^n-Z^{n,*}(x)\|^2", **NONNEG)
sum_gap = _sum("lev_gap", _NOW, p.AREA, r"\|z^n-z^{n,*}(z^{n-1})\|^2", **NONNEG)
sum_size = _sum("lev_size", "||S^n||^2", p.FORCE**2, r"\|S^n\|^2", **NONNEG)
sum_pull = _sum("lev_pull", "<z^n - Z^{n,*}(x), S^n>", INNER, r"\langle z^n-Z^{n,*}(x),S^n\rangle")
sum_moved = _sum("lev_shift", "||Z^{n,*}(y) - Z^{n,*}(x)||^2", p.AREA, r"\|Z^{n,*}(y)-Z^{n,*}(x)\|^2", **NONNEG)
moved_x = p.formula("shift_x", "||y - x||^2", p.AREA, **NONNEG)

now2 = p.formula("now2", "||z^n - z^{n,*}(z^{n-1})||^2", p.AREA, **NONNEG)
size2 = p.formula("size2", "||S^n(z^{n-1}, z^n)||^2", p.FORCE**2, **NONNEG)
far2 = p.formula("far2", "||z^n - Z^{n,*}(x)||^2", p.AREA, **NONNEG)
far_out = _sum(
    "far_out", "E ||ztilde^n - Z^{n,*}(xtilde)||^2", p.AREA, r"E\|\tilde z^n-Z^{n,*}(\tilde x)\|^2", **NONNEG
)
now_all = p.formula("now_all", "sum_n w^-n ||z^n - z^{n,*}(z^{n-1})||^2 at a local step", p.AREA, **NONNEG)
now_out = _sum(
    "now_out",
    "E ||ztilde^n - z^{n,*}(ztilde^{n-1})||^2",
    p.AREA,
    r"E\|\tilde z^n-z^{n,*}(\tilde z^{n-1})\|^2",
    **NONNEG,
)
far2_b = p.formula("far2_b", "||z^{n-1} - Z^{n-1,*}(x)||^2", p.AREA, **NONNEG)
pull_far = p.formula("pull_far", "<z^n - Z^{n,*}(x), S^n>", INNER)
shift2 = p.formula("shift2", "||Z^{n,*}(y) - Z^{n,*}(x)||^2", p.AREA, **NONNEG)
shift2_b = p.formula("shift2_b", "||Z^{n-1,*}(y) - Z^{n-1,*}(x)||^2", p.AREA, **NONNEG)
u, ub, t, T, Tb, Ty, Tyb, S = vectors("u ub t T Tb Ty Tyb S")
PULL = p.H_(
    "A5/levels",
    "<z^n - z^{n,*}(z^{n-1}), S^n(z^{n-1}, z^n)> >= lambda_min ||z^n - z^{n,*}(z^{n-1})||^2 for all n <= N",
    None,
    EveryPoint("S^n", "z", ge(dot(u - t, S), lam * norm2(u - t))),
)
FORCE = p.H_("A3/levels", "S^n(z^{n-1}, .) is L_{s,max}-Lipschitz for all n <= N", None, Lipschitz("S^n", L_s))
SOLUTION = p.H_("A2/levels", "z^{n,*} is L_{z,max}-Lipschitz for all n <= N", None, Lipschitz("z^{n,*}", L_z))
RATIO = p.H_("w", "w >= 4 L_{z,max}^2 (1 + L_{s,max}^2/lambda_min^2)", ge(w, 4 * L_z**2 * (1 + L_s**2 / lam**2)))
_OVER = (n, 1, p.N)
_SUMS = {sum_dist: dist, sum_gap: gap, sum_size: size, sum_pull: pull, sum_moved: moved}
SETTING = Setting(
    depends=dict.fromkeys(("u", "ub", "Tb", "Tyb"), "past"),
    functions={
        "S^n": {"z": (u, S, None), "z*": (t, Vector(), None)},
        "z^{n,*}": {"now": (ub, t, None), "then": (Tb, T, None), "elsewhere": (Tyb, Ty, None)},
    },
    metrics={
        far2: norm2(u - T),
        far2_b: norm2(ub - Tb),
        now2: norm2(u - t),
        size2: norm2(S),
        pull_far: dot(u - T, S),
        shift2: norm2(Ty - T),
        shift2_b: norm2(Tyb - Tb),
    },
    sequences={
        **{far2: dist(n), far2_b: dist(n - 1), now2: gap(n), size2: size(n), pull_far: pull(n)},
        **{shift2: moved(n), shift2_b: moved(n - 1)},
        **{total: sp.Sum(w**-n * of(n), _OVER) for total, of in _SUMS.items()},
        dist(0): sp.S.Zero,
        moved_x: moved(0),
    },
    measured=(*_SUMS, moved_x),
    fixed=(p.N, w, lam, L_s, L_z, moved_x),
    words={
        **{"u": "z^n", "ub": "z^{n-1}, for n = 1 it is x", "t": "z^{n,*}(z^{n-1})", "T": "Z^{n,*}(x)"},
        **{"Tb": "Z^{n-1,*}(x), for n = 1 it is x", "Tyb": "Z^{n-1,*}(y), for n = 1 it is y"},
    },
)
_far = norm2(t - T)
_ONE_LEVEL = {"size": "force", **{name: f"{name} of a level" for name in ("pull", "gap", "shift")}}
FROM_ONE = (ge(n, 1),)
_TERMS = {
    "pull": ge(pull(n), lam / 4 * dist(n) - lam / 8 * w * dist(n - 1)),
    "gap": le(gap(n), 2 * dist(n) + w / 2 * dist(n - 1)),
    "size": le(size(n), L_s**2 * gap(n)),
    "shift": le(4 * moved(n), w * moved(n - 1)),
}
STATED = (
    ge(sum_pull, lam / 8 * sum_dist),
    le(sum_size, _R(5, 2) * L_s**2 * sum_dist),
    le(sum_moved, moved_x / 3),
    le(sum_gap, _R(5, 2) * sum_dist),
)
LEVELS = p.claim(
    "thm3.1.levels",
    "Theorem 3.1",
    Kind.INEQUALITY,
    "For N levels, lambda_min = min lambda_n, L_{s,max} = max L_{s,n}, L_{z,max} = max L_{z,n} and w >= 4 "
    "L_{z,max}^2 (1 + L_{s,max}^2/lambda_min^2), in the norm sum_n w^-n ||.||^2: S = (S^1, ..., S^N) is one-point "
    "strongly monotone at Z^*(x) with lambda_min/8; ||S||^2 <= (5/2) L_{s,max}^2 ||Z - Z^*(x)||^2; Z^* is "
    "3^(-1/2)-Lipschitz; and the sum of w^-n ||z^n - z^{n,*}(z^{n-1})||^2 is at most (5/2) ||Z - Z^*(x)||^2",
    every(*STATED),
    title="N levels are one in a weighted norm",
    hypotheses=(PULL, FORCE, SOLUTION, RATIO),
    setting=SETTING,
    proof=Proof(
        section("One level"),
        have("at z^{n,*}", ge(dot(u - t, S), lam * now2), by=[everywhere("S^n", "z")]),
        have("force", le(size2, L_s**2 * now2), by=[lipschitz("S^n", "z", "z*")]),
        have("two targets", le(_far, L_z**2 * far2_b), by=[lipschitz("z^{n,*}", "now", "then")]),
        have(
            "pull",
            ge(pull_far, lam / 2 * now2 - L_s**2 / (2 * lam) * _far),
            by=["at z^{n,*}", "force"],
            multipliers=[1, lam / (2 * L_s**2)],
        ),
        have("far", le(far2, 2 * now2 + 2 * _far)),
        have("near", le(now2, 2 * far2 + 2 * _far)),
        have("ratio", RATIO.relation),
        have("wide", le(4 * L_z**2, w), by=["ratio"]),
        have(
            "pull of a level",
            ge(pull_far, lam / 4 * far2 - lam / 8 * w * far2_b),
            by=["pull", "far", "two targets", "ratio"],
        ),
        have("gap of a level", le(now2, 2 * far2 + w / 2 * far2_b), by=["near", "two targets", "wide"]),
        have(
            "shift of a level",
            le(4 * shift2, w * shift2_b),
            by=[lipschitz("z^{n,*}", "elsewhere", "then"), "wide"],
        ),
        section("All levels"),
        *(
            step
            for name in _TERMS
            for step in (
                have(f"{name} at n", _TERMS[name], by=[_ONE_LEVEL[name], SEQUENCES], when=FROM_ONE),
                summed(f"{name} in all", f"{name} at n", over=n, start=1, last=p.N, weight=w**-n),
            )
        ),
        section("The first and the last level"),
        have("last", ge(w**-p.N * dist(p.N), 0)),
        have("last shift", ge(w**-p.N * moved(p.N), 0)),
        have("sum of gaps", STATED[3], by=["gap in all", "last", SEQUENCES]),
        have("monotone", STATED[0], by=["pull in all", "last", SEQUENCES]),
        have("Lipschitz", STATED[1], by=["size in all", "sum of gaps", SEQUENCES], multipliers=[1, L_s**2]),
        have("the solution", STATED[2], by=["shift in all", "last shift", SEQUENCES]),
    ),
)
