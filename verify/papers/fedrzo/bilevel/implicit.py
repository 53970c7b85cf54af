"""Checks of Lemma 2 and its proof (st.9), of Remark 2, and of Definition 7 with Remark 9."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as Q
from itertools import islice, product

import sympy as sp

from rateproof.algos.problems.base import Fact as Known
from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, dot, monotone, norm2
from rateproof.theory.papers.fedrzo.bilevel.implicit import (
    L_x_xi,
    L_y_xi,
    cross,
    diff_f,
    diff_xi,
    dist_x,
    dist_y,
    jump_1,
    jump_2,
    mean_L_x,
    mean_sq_L_x,
    slope,
    step_1,
    step_2,
)
from rateproof.theory.papers.fedrzo.notation import L_h_x, L_x, L_y, mu_h
from rateproof.theory.shorthand import le
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, certificates, growth, machine
from rateproof.verify.deciders.certificates import Combination, Premise
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, cite
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.bilevel import instances
from rateproof.verify.papers.fedrzo.bilevel.enumeration import Course, Run
from rateproof.verify.papers.fedrzo.bilevel.enumeration import steps as courses_of
from rateproof.verify.papers.fedrzo.bilevel.line import Line
from rateproof.verify.trial import Trial

VALUES = "explicit numbers"
LOWER, FREE, BOTH = "lower_level", "lower_free", "lipschitz_xy"


# --- Lemma 2


def pair(mu: Q, A: Q, p: Q, q: Q, x1: Q, x2: Q, *, noise: Q = Q(0), cone: bool = False) -> Trial:
    """``h = (mu/2)(y - A x)^2`` and ``f~ = (1 + noise xi)(p x + q y)`` at two points, or a cone with ``y(x) = A |x|``.

    Args:
        mu: curvature of h.
        A: slope of y(.).
        p, q: weights of the loss.
        x1, x2: the points.
        noise: size of a relative error with a sign xi; constants at one sample are those of xi = 1.
        cone: whether ``Y(x) = {y >= A |x|}`` and ``h = (mu/2) y^2``.
    """
    y1, y2 = (A * (abs(x) if cone else x) for x in (x1, x2))
    d, share = y1 - y2, 1 + noise
    grads = [[mu * (y - (0 if cone else A * x)) for y in (y1, y2)] for x in (x1, x2)]
    rise = p * (x1 - x2) + q * d
    values = {
        "dist_x_bl": abs(x1 - x2),
        "dist_y_bl": abs(d),
        "diff_xi_bl": abs(share * rise),
        "diff_f_bl": abs(rise),
        "L_x_xi_bl": share * abs(p),
        "L_y_xi_bl": share * abs(q),
        "L_x": abs(p) * _root(1 + noise**2),
        "L_y": abs(q) * _root(1 + noise**2),
        "mean_L_x_bl": abs(p),
        "mean_sq_L_x_bl": p**2 * (1 + noise**2),
        "L_h_x": 0 if cone else mu * abs(A),
        "mu_h": mu,
        "L_1h": mu,
        "slope_bl": abs(p + q * A),
        "step_1_bl": d * (grads[0][0] - grads[0][1]),
        "step_2_bl": d * (grads[1][0] - grads[1][1]),
        "cross_bl": d * (-grads[0][0] - grads[0][1] + grads[1][0] + grads[1][1]),
        "jump_1_bl": abs(grads[1][0] - grads[0][0]),
        "jump_2_bl": abs(grads[1][1] - grads[0][1]),
    }
    facts = {
        "lipschitz_xy": Known(True, "linear in x and in y"),
        "lower_level": Known(True, f"h is quadratic in y with curvature {mu}"),
        "sets": Known(True, "X_i = R"),
        "dissimilarity": Known(True, "both sides are zero"),
        "lower_free": Known(not cone, "Y(x) = {y >= A |x|}" if cone else "Y = R"),
        "lower_sets": Known(True, "Y(x) = {y >= A |x|} is a closed half-line for every x" if cone else "Y = R"),
        "differentiable": Known(not cone or not (q and A), "linear" if not cone else "A |x| has a kink"),
        "slope_bounded": Known(True, "piecewise linear"),
    }
    label = f"h = ({mu}/2)(y - {A} x)^2" if not cone else f"h = ({mu}/2) y^2 on y >= {A} |x|"
    label += f", f~ = (1 + {noise} xi)({p} x + {q} y), x_1 = {x1}, x_2 = {x2}"
    return Trial.exact(label, {k: float(v) for k, v in values.items()}, facts, at={"label": label})


def _root(x: Q) -> float | Q:
    from rateproof.verify.papers.fedrzo.bilevel.line import root

    value: float | Q = root(x)
    return value


def pairs() -> Iterator[Trial]:
    """Tight pairs (all parts of one sign), others, and a moving set."""
    for mu, A, (p, q) in product(
        (Q(1), Q(3), Q(1, 100)), (Q(2), Q(-1), Q(0)), ((Q(1), Q(1)), (Q(1), Q(-2)), (Q(0), Q(5)))
    ):
        yield pair(mu, A, p, q, Q(3), Q(-1))
        yield pair(mu, A, p, q, Q(3), Q(-1), noise=Q(3, 4))
    yield pair(Q(1), Q(1), Q(2), Q(1), Q(1), Q(0))
    yield pair(Q(1), Q(1), Q(0), Q(1), Q(1), Q(0), cone=True)


def _contraction(claim: Claim) -> Iterator[Step]:
    """The squares: with g_1(y_1) = 0 = g_2(y_2), g_1(y_1) - g_1(y_2) is what grad_y h changes by at y_2."""
    d, change = gram.vectors("d change")
    convex = Given(
        "mu_h-strong convexity of h(x_1, .)", monotone(mu_h, (d, change), (gram.Vector(), gram.Vector())).relations
    )
    moved = Given("grad_y h(., y) is Lipschitz", (le(norm2(change), L_h_x**2 * dist_x**2),))
    (relation,) = conjuncts(claim.statement)
    bound = relation.rhs.subs(dist_x, sp.Symbol("u", positive=True))
    if relation.lhs != dist_y or relation.rel_op != "<=" or not bound.is_nonnegative:
        raise ValueError(f"the proof is for ||y(x_1) - y(x_2)|| <= a nonnegative number, not for {relation}")
    goal = le(norm2(d), relation.rhs**2)
    yield Form("the squares", goal, (Fact(convex, (LOWER,)), Fact(moved, (LOWER, FREE))))


def _split(metric: sp.Symbol, in_y: sp.Expr, in_x: sp.Expr) -> Callable[[Claim], Iterator[Step]]:
    def steps(claim: Claim) -> Iterator[Step]:
        triangle = Given("through f~(x_1, y(x_2))", (le(metric, in_y * dist_y + in_x * dist_x),))
        (relation,) = conjuncts(claim.statement)
        facts = (Fact(triangle, (BOTH,)), cite("fedrzo.lem2.i", needs=(LOWER, FREE)))
        yield Form("two parts", relation, facts, values=(metric, dist_y, dist_x))

    return steps


def _strong(claim: Claim) -> Iterator[Step]:
    d, one, two = gram.vectors("d c_1 c_2")
    zero = gram.Vector()
    for relation, change in zip(conjuncts(claim.statement), (one, two), strict=True):
        goal = relation.xreplace({dist_y**2: norm2(d), step_1: dot(d, one), step_2: dot(d, two)})
        yield Form("strong convexity", goal, (Fact(monotone(mu_h, (d, change), (zero, zero)), (LOWER,)),))


def _sum(claim: Claim) -> Iterator[Step]:
    """``a = grad_y h(x_1, y_2)`` and ``b = grad_y h(x_2, y_1)``; the other two gradients are zero."""
    d, a, b = gram.vectors("d a b")
    zero = gram.Vector()
    (relation,) = conjuncts(claim.statement)
    goal = relation.xreplace({dist_y**2: norm2(d), cross: dot(d, b - a)})
    convex = monotone(mu_h, (d, -a), (zero, zero)).relations + monotone(mu_h, (d, b), (zero, zero)).relations
    yield Form("both inequalities", goal, (Fact(Given("(12) with zero gradients at y(x_j)", convex), (LOWER, FREE)),))


PROOFS = {
    "lem2.i": Proof(_contraction, "g_1(y(x_1)) = 0 = g_2(y(x_2))"),
    "lem2.ii": Proof(_split(diff_xi, L_y_xi, L_x_xi)),
    "lem2.iii": Proof(_split(diff_f, L_y, L_x), "E L(xi) <= sqrt(E L(xi)^2), and the mean over the clients"),
    "st.9.strong": Proof(_strong),
    "st.9.sum": Proof(_sum),
}
_CAUCHY = Premise(dist_y * (jump_1 + jump_2) - cross, "Cauchy-Schwarz and the triangle inequality")
_DIVIDED = Premise(
    jump_1 + jump_2 - 2 * mu_h * dist_y, "the two inequalities, divided by ||y(x_1) - y(x_2)|| unless it is 0"
)
_JUMPS = [Premise(L_h_x * dist_x - jump, "grad_y h(., y) is Lipschitz") for jump in (jump_1, jump_2)]
ONE = sp.S.One
_SQUARE = Premise(mean_sq_L_x - mean_L_x**2, "Jensen's inequality")
_ROOT = Premise(L_x - mean_L_x, "Jensen: (E L)^2 <= E L^2, and L_x is the largest root")
COMBINATIONS: dict[str, tuple[Sequence[Combination], tuple[str, ...]]] = {
    "st.9.cauchy": (
        [Combination([(ONE, _CAUCHY)]), Combination([(ONE, _DIVIDED), *((ONE, jump) for jump in _JUMPS)])],
        (LOWER, FREE),
    ),
    "st.9.iii": ([Combination([(ONE, _SQUARE)]), Combination([(ONE, _ROOT)])], (BOTH,)),
    "rem2.corrected": (
        [Combination([(ONE, Premise(slope * dist_x - diff_f, "mean value theorem"))])],
        ("differentiable", "slope_bounded"),
    ),
}


def check_pairs(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Pairs of points on quadratic lower levels, for all readings, and a proof."""
    detail = "quadratic lower levels, linear losses"
    tried = bounds.decide(claim, pairs(), method=VALUES, detail=detail)
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield _proof(claim)
    for switch in claim.switches:
        yield bounds.decide(claim.read(switch), pairs(), method=VALUES, detail=detail, reading=switch.reading)


def _proof(claim: Claim) -> Evidence:
    item = claim.item
    if item in PROOFS:
        return machine.prove(claim, PROOFS[item])
    proof, needs = COMBINATIONS[item]
    return certificates.lacking(claim, *needs) or certificates.prove(claim, proof)


# --- Remark 2

PARABOLA = "f~ = x^2, h = y^2/2: f = x^2 is differentiable, and |f(t) - f(0)|/t = t"


def check_weaker(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A parabola for the implication; |x| for the other reading."""
    facts = {"differentiable": Known(True, "f = x^2")}
    trials = [
        Trial.exact(f"x_1 = {t:g}, x_2 = 0", {"diff_f_bl": t * t, "dist_x_bl": t}, facts, at={"t": t})
        for t in (10.0**k for k in range(7))
    ]
    yield growth.decide(claim, [Ladder("t", trials, PARABOLA)], method=VALUES)
    for switch in claim.switches:
        said = "f = |x| is 1-Lipschitz, as ||a| - |b|| <= |a - b|, and has no derivative at 0"
        yield replace(certificates.proved(said, method="an example"), reading=switch.reading)


# --- Definition 7 and Remark 9


def check_parts(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The three estimates along exact runs, with omega and w from the differences in y alone; then the identity."""
    tried = bounds.decide(claim, _estimates(), method="all courses", detail="every client and step of exact runs")
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield _identity(claim)


#: Names of the same quantity of one client and of the mean over the clients.
_MEANS = {
    "g_exact_bl": "bar_exact_bl",
    "g_used_bl": "bar_used_bl",
    "om_val_bl": "bar_om_bl",
    "w_val_bl": "bar_w_bl",
}


def _estimates() -> Iterator[Trial]:
    facts = {"algorithm2": Known(True, "the step is computed by the listing")}
    for line, run, k in instances.lemma_corners():
        _, courses = next(islice(courses_of(line, run), k, None))
        for c in courses:
            rows = [_row(line, run, c, i) for i in range(line.m)]
            means = {bar: sum((row[one] for row in rows), Q(0)) / line.m for one, bar in _MEANS.items()}
            for i, row in enumerate(rows):
                values = {name: float(value) for name, value in {**row, **means}.items()}
                size = max(1.0, *map(abs, values.values()))
                yield Trial.exact(f"{line.says}, k = {k}, client {i}", values, facts, absolute_error=1e-12 * size)


def _row(line: Line, run: Run, c: Course, i: int) -> dict[str, Q]:
    """The estimates of one client along its direction, and the two errors from the differences in y alone."""
    client, x, v, y = line.clients[i], c.x[i], c.v[i], line.lower.solution
    sign = 1 if v > 0 else -1
    far, near = y(c.start + v), y(c.start)
    used = [at + sign * side * run.e for at, side in zip((far, near), run.errors, strict=True)]

    def change(at_v: tuple[Q, Q], at_x: tuple[Q, Q]) -> Q:
        rise = client.loss(x + v, at_v[0], 0) - client.loss(x + v, at_v[1], 0)
        difference: Q = run.dim / run.eta * (rise - client.loss(x, at_x[0], 0) + client.loss(x, at_x[1], 0))
        return difference

    return {
        "g_exact_bl": sign * c.g[i],
        "g_delayed_bl": sign * c.g_delayed[i],
        "g_used_bl": sign * c.g_used[i],
        "om_val_bl": change((far, y(x + v)), (near, y(x))),
        "w_val_bl": change((used[0], far), (used[1], near)),
    }


def _identity(claim: Claim) -> Evidence:
    """With the definitions put in, both sides have the same values of the loss, of one client or in the mean."""
    f1, f2, f3, e1, e2, e3 = sp.symbols("f_own f_delayed f_used e_own e_delayed e_used", real=True)
    from rateproof.theory.papers.fedrzo.bilevel import lemmas

    scale = sp.Symbol("scale", positive=True)
    put = {
        lemmas.g_exact: scale * (f1 - e1),
        lemmas.g_delayed: scale * (f2 - e2),
        lemmas.g_used: scale * (f3 - e3),
        lemmas.om_val: scale * ((f2 - f1) - (e2 - e1)),
        lemmas.w_val: scale * ((f3 - f2) - (e3 - e2)),
    }
    means = {lemmas.bar_exact: lemmas.g_exact, lemmas.bar_used: lemmas.g_used}
    means |= {lemmas.bar_om: lemmas.om_val, lemmas.bar_w: lemmas.w_val}
    put |= {bar: put[one] for bar, one in means.items()}
    same = {
        str(r): r.rel_op == "==" and certificates.identity(*(side.xreplace(put) for side in r.args))
        for r in conjuncts(claim.statement)
    }
    return certificates.lacking(claim, "algorithm2") or certificates.when(
        same, "both sides have the same values of the loss with the definitions put in"
    )


_PAIRS = ("lem2.i", "lem2.ii", "lem2.iii", "st.9.strong", "st.9.sum", "st.9.cauchy", "st.9.iii", "rem2.corrected")
CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    **{f"fedrzo.{item}": check_pairs for item in _PAIRS},
    "fedrzo.rem2": check_weaker,
    "fedrzo.def7": check_parts,
    "fedrzo.rem9": check_parts,
}
