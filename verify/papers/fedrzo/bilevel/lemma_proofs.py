"""Proofs of the parts of Lemmas 9 and 11 that hold, and of the corrected ones: quadratic forms in L^2.

A vector stands for a random vector and its norm for the root of an expected square, so an inequality between inner
products is one between expectations. The facts are pathwise consequences of Assumption 2 with independent samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, Vector, dot, norm2
from rateproof.theory.papers.fedrzo.bilevel.lemmas import a_k, b_k, sum_theta
from rateproof.theory.papers.fedrzo.bilevel.notation import (
    SPREAD0,
    E_y,
    bias_start,
    chi,
    dir2,
    eb,
    eh,
    eps,
    g2,
    grad2_start,
    inner_start,
    loc,
    move1,
    move2,
    om2,
    ombar2,
    sum_eb,
    sum_eh,
    sum_grad2,
    w2,
    wbar2,
)
from rateproof.theory.papers.fedrzo.notation import B1, B2, H, L_h_x, L_imp, L_y, Lam, eta_s, gamma, mu_h
from rateproof.theory.shorthand import eq, le
from rateproof.theory.symbols import n
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, cite

LIPSCHITZ, MOVING = "implicit_lipschitz", "y_lipschitz"


@dataclass(frozen=True)
class Way:
    """A way to draw directions: the keys of its hypotheses on directions, samples and lower-level accuracy."""

    drawn: str
    samples: str
    accurate: str


SHARED = Way("one_direction", "samples", "lower_accurate_mean")
CLIENT = Way("fresh_client", "samples_client", "lower_accurate_client")
STEP = Way("fresh_step", "samples_step", "lower_accurate_step")
SAMPLED, ACCURATE = SHARED.samples, SHARED.accurate
E_DELTA = sp.Symbol("E|delta|", real=True)
RISE = sp.Symbol("E|rise|^2", real=True)


def _goal(claim: Claim, measured: dict[sp.Symbol, sp.Expr] | None = None) -> Iterator[sp.Rel]:
    """The relations of the statement, definitions put in and metrics replaced by what measures them.

    Raises:
        ValueError: there are none.
    """
    if not (relations := conjuncts(claim.statement)):
        raise ValueError("there is no statement")
    for relation in relations:
        sides = (claim.expand(side).xreplace(measured or {}) for side in relation.args)
        yield relation.func(*sides, evaluate=False)


def _errors(a: Vector, b: Vector, bound: sp.Expr, why: str, needs: tuple[str, ...]) -> Fact:
    return Fact(Given(why, (le(norm2(a), bound), le(norm2(b), bound))), needs)


def _place(way: Way) -> str:
    """Key of the hypothesis of Lemma 11 that k is a step of the round r."""
    return "any_round" if way is STEP else "later_round"


def way_of(claim: Claim) -> Way:
    """Who draws directions in a claim; the way of Algorithm 2 unless it says otherwise."""
    keys = {h.key for h in claim.hypotheses}
    return next((way for way in (STEP, CLIENT) if way.drawn in keys), SHARED)


# --- Lemma 9


def second_moment(claim: Claim) -> Iterator[Step]:
    """||g||^2 = (n^2/eta^2) |f~(x + v) - f~(x)|^2, and the difference is at most L_0^imp(xi) eta."""
    (goal,) = _goal(claim)
    yield _estimate(goal, SHARED)


def _estimate(goal: sp.Rel, way: Way) -> Form:
    why = (
        "|f~(x+v, y(x+v), xi) - f~(x, y(x), xi)| <= L_0^imp(xi) eta wherever x and v are, and E L_0^imp(xi)^2 <= "
        "(L_0^imp)^2"
    )
    fact = Fact(Given(why, (le(RISE, L_imp**2 * eta_s**2),)), (LIPSCHITZ, way.drawn))
    return Form("the estimate", goal, (eq(g2, n**2 / eta_s**2 * RISE), fact), values=(g2, RISE))


def _difference(metric: sp.Symbol, fact: Callable[[Vector, Vector], Fact]) -> Callable[[Claim], Iterator[Step]]:
    def steps(claim: Claim) -> Iterator[Step]:
        far, near = gram.vectors("far near")
        (goal,) = _goal(claim, {metric: norm2(n / eta_s * (far - near))})
        yield Form("the two values", goal, (fact(far, near),))

    return steps


def _mean_of(metric: sp.Symbol, one: sp.Symbol, each: sp.Expr, steps: Callable[[Claim], Iterator[Step]]) -> Proof:
    """A bound on ``||mean_i z_i||^2`` from Jensen's inequality and the bound ``each`` on the mean of ``||z_i||^2``."""

    def both(claim: Claim) -> Iterator[Step]:
        far, near = gram.vectors("far near")
        (goal,) = _goal(claim)
        bounded = le(one, each)
        for step in steps(claim):
            assert isinstance(step, Form)
            measured = le(norm2(n / eta_s * (far - near)), each)
            yield Form("each client", measured, step.given)
        yield Form("Jensen over the clients", goal, (le(metric, one), bounded), values=(metric, one, eh))

    return Proof(both, "||mean z_i||^2 <= mean ||z_i||^2")


def _inexact(way: Way = SHARED) -> Callable[[Vector, Vector], Fact]:
    why = (
        "|f~(., y_eps, xi) - f~(., y, xi)| <= L_{0,y}^f(xi) |y_eps - y| at both points, xi independent of y_eps, "
        "E|y_eps - y|^2 <= eps_r"
    )
    return lambda far, near: _errors(far, near, L_y**2 * eps, why, (LIPSCHITZ, way.accurate, way.samples))


def _delayed(
    bound: sp.Expr, way: Way = SHARED, steep: sp.Expr = Lam, moving: tuple[str, ...] = (MOVING,)
) -> Callable[[Vector, Vector], Fact]:
    """``steep`` is a Lipschitz constant of y(.) by the hypotheses ``moving``."""
    slope = "Lam" if steep == Lam else "(L_{0,x}^{grad h}/mu_h)"
    why = (
        f"|f~(., y(xhat+.), xi) - f~(., y(x+.), xi)| <= L_{{0,y}}^f(xi) {slope} |x - xhat| at both points, xi "
        "independent of x"
    )
    return lambda far, near: _errors(far, near, L_y**2 * steep**2 * bound, why, (LIPSCHITZ, *moving, way.samples))


def parts_of_a_step(way: Way) -> Iterator[Step]:
    """Lemma 9 (ii), (iii) with Lam and (iv), for another way to draw directions."""
    far, near = gram.vectors("far near")
    yield _estimate(le(g2, n**2 * L_imp**2), way)
    error = norm2(n / eta_s * (far - near))
    yield Form("the delay", le(error, 4 * E_y * Lam**2 * move2), (_delayed(move2, way)(far, near),))
    yield Form("the inexactness", le(error, 4 * E_y * eps), (_inexact(way)(far, near),))


def _from_start(G: Vector, q: Vector, delta: Vector) -> tuple[Fact, Fact]:
    """The mean direction split at the start of the round: ``q`` with xhat_r in place of x_{i,k}, ``delta`` the rest."""
    moments = Given(
        "given the past, E q = grad F_eta(xhat_r) (Lemma 1 (i)), and q varies by at most E||g||^2 <= n^2 (L_0^imp)^2",
        (eq(dot(G, q), norm2(G)), le(norm2(q), n**2 * L_imp**2 + norm2(G))),
    )
    spread = Given(
        "|delta_i| <= (2n L_0^imp(xi) + 1)/eta |x_{i,k} - xhat_r|: two values of the loss, and x - P(x) is "
        "nonexpansive",
        (le(norm2(delta), SPREAD0**2 * eh),),
    )
    return Fact(moments, (LIPSCHITZ, SHARED.drawn, SAMPLED)), Fact(spread, (LIPSCHITZ, "sets", SAMPLED))


def anchored(claim: Claim) -> Iterator[Step]:
    """(v) and (vi) corrected, and the steps that multiply them."""
    G, q, delta = gram.vectors("G q delta")
    measured = {dir2: norm2(q + delta), grad2_start: norm2(G), inner_start: dot(G, q + delta)}
    for goal in _goal(claim, measured):
        yield Form("around the start of the round", goal, _from_start(G, q, delta), values=(eh,))


def bias(claim: Claim) -> Iterator[Step]:
    """(i) corrected: E g at the start of the round is the gradient, and the rest is at most its mean size."""
    anchor = "E g(xhat_r; v, xi) = grad f_{i,eta}(xhat_r) (Lemma 1 (i)); ||E z|| <= E||z||"
    start = Given(anchor, (le(bias_start, E_DELTA),))
    rest = Given(
        "|g - g(xhat_r)| <= (n/eta) 2 L_0^imp(xi) |x_{i,k} - xhat_r|, E L_0^imp(xi) <= L_0^imp", (_two_values(),)
    )
    (goal,) = _goal(claim)
    facts = (Fact(start, (SHARED.drawn, SAMPLED)), Fact(rest, (LIPSCHITZ, SAMPLED)))
    yield Form("the two values", goal, facts, values=(bias_start, E_DELTA, move1))


def _two_values() -> sp.Rel:
    return le(E_DELTA, 2 * n * L_imp / eta_s * move1)


def errors_together(claim: Claim) -> Iterator[Step]:
    """(19) corrected from (vii) corrected and (viii)."""
    seven = cite("fedrzo.lem9.vii.corrected", needs=(LIPSCHITZ, MOVING, SAMPLED))
    eight = cite("fedrzo.lem9.viii", needs=(LIPSCHITZ, ACCURATE, SAMPLED))
    (goal,) = _goal(claim)
    yield Form("both errors", goal, (seven, eight), values=(ombar2, wbar2, eh))


# --- Lemma 11

G2, O2, W2, D2, PATH = sp.symbols("sum_g sum_om sum_w sum_D sum_all", real=True)
PENALTY, AT_MEAN, PULL = sp.symbols("D_at_mean d2 pull2", real=True)


def recursion(claim: Claim) -> Iterator[Step]:
    """(i) corrected: four parts of a step, each summed over the steps of the round so far."""
    way = way_of(claim)
    if way is not SHARED:
        yield from parts_of_a_step(way)
    g, om, w, d = gram.vectors("g om w d")
    four = le(norm2(g + om + w + d), 4 * (norm2(g) + norm2(om) + norm2(w) + norm2(d)))
    yield Form("four parts of a step", four)
    near, far = gram.vectors("near far")
    moved = le(norm2(far), 2 * norm2(near) + 2 * norm2(far - near))
    yield Form("a penalty's gradient around the mean", moved)
    facts = (
        Fact(
            Given("|sum_t z_t|^2 <= (k - T_r) sum_t |z_t|^2, and mean |z_i - zbar|^2 <= mean |z_i|^2", _jensen()),
            (_place(way),),
        ),
        Fact(Given("four parts of a step", (le(PATH, 4 * (G2 + O2 + W2 + D2)),)), ()),
        # the steps above show the same for another way to draw
        cite("fedrzo.lem9.ii", {g2: G2}, terms=loc, needs=(LIPSCHITZ, way.drawn, way.samples)),
        cite("fedrzo.lem9.iii.corrected", {om2: O2, move2: sum_eh}, terms=loc, needs=(LIPSCHITZ, MOVING, way.samples)),
        cite("fedrzo.lem9.iv", {w2: W2}, terms=loc, needs=(LIPSCHITZ, way.accurate, way.samples)),
        Fact(
            Given(
                "around the mean; x - P(x) is nonexpansive, and zero for X_i = R^n",
                (le(D2, 2 * chi / eta_s**2 * sum_eb + 2 * AT_MEAN),),
            ),
            ("sets", "chi"),
        ),
        Fact(
            Given("eq. (2) over eta^2", (le(AT_MEAN, loc * B1**2 / eta_s**2 + B2**2 * PULL),)),
            ("dissimilarity",),
        ),
        Fact(
            Given(
                "grad d = grad F - grad f, ||grad f_eta|| <= n L_0^imp",
                (le(PULL, 2 * sum_grad2 + 2 * loc * n**2 * L_imp**2),),
            ),
            (LIPSCHITZ,),
        ),
    )
    unknown = (eb, eh, PATH, G2, O2, W2, D2, AT_MEAN, PULL, sum_eb, sum_eh, sum_grad2)
    c = gamma**2 * loc
    for goal in _goal(claim):
        jensen = (sp.Integer(goal.lhs == eh), sp.Integer(goal.lhs == eb))
        weights = (*jensen, c, 4 * c, 4 * c, 4 * c, 4 * c, 8 * c, 8 * c * B2**2)
        yield Form("the sum", goal, facts, values=unknown, multipliers=weights)


def _jensen() -> tuple[sp.Rel, ...]:
    return le(eh, gamma**2 * loc * PATH), le(eb, gamma**2 * loc * PATH)


def unrolled(claim: Claim) -> Iterator[Step]:
    """(ii) and (iii) corrected: Lemma 10 for the recursion of (i), beta_1 = 8 chi/eta^2, beta_2 = 16 (n L_y Lam/eta)^2.

    That recursion is ``lem11.i.corrected``.
    """
    way = way_of(claim)
    per_step = (1 + 4 * B2**2) * n**2 * L_imp**2 + 2 * B1**2 / eta_s**2 + 4 * E_y * eps
    ruled = [r for h in claim.hypotheses if h.key == "step11" for r in conjuncts(h.relation)]
    small = [r.lhs for r in ruled if r.rhs == 1 and r.rel_op == "<="]
    for beta in (8 * chi / eta_s**2, 16 * E_y * Lam**2):
        # chi is 0 or 1, so it is its own square
        if all(sp.expand((u**2 - 2 * beta * gamma**2 * H**2).subs(chi, 1)) != 0 for u in small):
            raise ValueError(f"2 beta gamma^2 H^2 <= 1 with beta = {beta} is no squared part of the step condition")
    u = sp.Symbol("u", nonnegative=True)
    yield Form("u <= 1 gives u^2 <= 1: 2 beta gamma^2 H^2 <= 1 for both of Lemma 10", le(u**2, 1), (), (le(u, 1),))
    used = cite(
        "fedrzo.lem10",
        {a_k: eb, b_k: eh, sum_theta: 4 * (4 * B2**2 * sum_grad2 + loc * per_step)},
        needs=(
            *(LIPSCHITZ, MOVING, way.samples, way.accurate, "sets", "dissimilarity", "chi", way.drawn),
            *("frequency", _place(way)),
        ),
    )
    within = Fact(Given("k - T_r <= H", ()), ("frequency", _place(way)))
    (goal,) = _goal(claim)
    yield Form("at most H steps", goal, (used, within), assuming=(le(loc, H),), values=(eb, eh, sum_grad2))


_INEXACT = _difference(w2, _inexact())
#: Lemma 2 (i), which needs an unconstrained lower level.
_STEEP = L_h_x / mu_h


def _free(bound: sp.Expr) -> Callable[[Claim], Iterator[Step]]:
    return _difference(om2, _delayed(bound, steep=_STEEP, moving=("lower_level", "lower_free")))


PROOFS: dict[str, Proof] = {
    "lem9.ii": Proof(second_moment),
    "lem9.iv": Proof(_INEXACT),
    "lem9.viii": _mean_of(wbar2, w2, 4 * E_y * eps, _INEXACT),
    "lem9.i.corrected": Proof(bias),
    # as printed, for the reading with an unconstrained lower level
    "lem9.iii": Proof(_free(move2)),
    "lem9.vii": _mean_of(ombar2, om2, 4 * E_y * _STEEP**2 * eh, _free(eh)),
    "lem9.iii.corrected": Proof(_difference(om2, _delayed(move2))),
    "lem9.v.corrected": Proof(anchored, "gbar_k + Gbar_k = q + delta"),
    "lem9.vi.corrected": Proof(anchored, "gbar_k + Gbar_k = q + delta"),
    "lem9.vii.corrected": _mean_of(ombar2, om2, 4 * E_y * Lam**2 * eh, _difference(om2, _delayed(eh))),
    "lem11.i.corrected": Proof(recursion),
    "lem11.ii.corrected": Proof(unrolled),
    "lem11.iii.corrected": Proof(unrolled),
    "lem11.i.fresh.corrected": Proof(recursion),
    "lem11.iii.fresh.corrected": Proof(unrolled),
    "st.10.17.corrected": Proof(anchored),
    "st.10.18.corrected": Proof(anchored),
    "st.10.19.corrected": Proof(errors_together),
}
