"""Proofs of the corrected readings of Theorem 1 (i) for one direction a round, of the server or of each client.

Write ``s = (2n(L + L_y Lam) + 1)/eta``, ``l = (Ln+1)/eta <= s``. For a shared direction a round is one step: its local
directions are compared with those at its start. Vectors stand for random vectors, norms for expected squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, dot, norm2
from rateproof.theory.papers.fedrzo.bilevel.corrected_theorem import SHARED_NOISE
from rateproof.theory.papers.fedrzo.bilevel.notation import DRIFT0, ELL, SPREAD, E_y, g2, mean_eps
from rateproof.theory.papers.fedrzo.bilevel.steps import F_next, F_now
from rateproof.theory.papers.fedrzo.notation import B2, D0, K_IS_T_R, T_R, H, L_imp, Lam, eta_s, gamma, grad_kstar, m
from rateproof.theory.shorthand import eq, le
from rateproof.theory.symbols import n
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, cite
from rateproof.verify.deciders.premises import need_as_is
from rateproof.verify.papers.fedrzo.bilevel.lemma_proofs import CLIENT, parts_of_a_step, way_of
from rateproof.verify.papers.fedrzo.bilevel.lemma_proofs import SHARED as SHARED_WAY
from rateproof.verify.papers.fedrzo.bilevel.unfold import parts

R = sp.Rational
COMMON = ("implicit_lipschitz", "sets", "dissimilarity", "y_lipschitz", "frequency", "k*", "K=T_R-1")
#: Means over all steps of a run, and the terms of the bound.
A, X, DRIFT, D, N, M_T, E = sp.symbols("mean_G2 mean_delta2 s2_drift D_term N_term M_term E_term", real=True)
_TERMS = {D: D0 / (gamma * T_R), M_T: SPREAD**2 * gamma**2 * H * (H - 1) * DRIFT0, E: E_y * mean_eps}


def coefficients(bound: sp.Expr, terms: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The bound with each of its terms as a number times one of the named ones.

    Raises:
        ValueError: a term is no multiple of a named one.
    """
    total = sp.S.Zero
    for term in sp.Add.make_args(bound):
        found = [(name, ratio) for name, e in terms.items() if (ratio := _ratio(term, e)).is_Rational]
        if len(found) != 1:
            raise ValueError(f"{term} is not a number times a term that the proof gives")
        total += found[0][1] * found[0][0]
    return total


def _ratio(term: sp.Expr, e: sp.Expr) -> sp.Expr:
    ratio = term / e
    return ratio if ratio.is_Rational or (ratio.free_symbols.isdisjoint(e.free_symbols)) else sp.cancel(ratio)


def require(claim: Claim, keys: Sequence[str]) -> None:
    """Refuse a claim that lacks hypotheses; one about y in Y counts where f~ is looked at only there.

    Raises:
        ValueError: they are named.
    """
    present = {h.key for h in claim.hypotheses}
    on_Y = {key for key in present if key.endswith("_on_Y")}
    # f~ is looked at in Y only where y_eps stays there, too
    needed = {*keys, "minimax_bounded"} if on_Y else set(keys)
    if missing := sorted(needed - present - {key.removesuffix("_on_Y") for key in on_Y}):
        raise ValueError(f"the proof needs {', '.join(missing)}")


def bounds_of(claim: Claim) -> tuple[sp.Rel, ...]:
    """The relations of a statement that bounds the metric from above.

    Raises:
        ValueError: there are none, or one of them does not.
    """
    if not (relations := conjuncts(claim.statement)):
        raise ValueError("there is no statement")
    for relation in relations:
        if relation.lhs != grad_kstar or relation.rel_op != "<=":
            raise ValueError(f"the proof bounds {grad_kstar} from above, not {relation}")
    return relations


# --- one direction a round


@dataclass(frozen=True)
class Noise:
    """``E ||sum of h mean estimates - h times their mean||^2 <= h^2 n^2 value`` for a round of h <= H steps."""

    value: sp.Expr
    step: Callable[[], Form]
    needs: tuple[str, ...] = ()


def shared_steps(claim: Claim) -> Iterator[Step]:
    """One direction a round, of the server or of each client."""
    need_as_is(claim, K_IS_T_R)
    way = way_of(claim)
    if way is SHARED_WAY:
        require(claim, (*COMMON, way.drawn, way.samples, "lower_accurate"))
        # Lemma 9 (ii) and (iv) are for this way
        noises = [Noise(SHARED_NOISE[0], _noise, ("mean_lipschitz",)), Noise(SHARED_NOISE[1], _whole_noise)]
    else:
        require(claim, (*COMMON, CLIENT.drawn, CLIENT.samples, CLIENT.accurate))
        yield from parts_of_a_step(CLIENT)
        noises = [Noise(H * L_imp**2 / m, _client_noise)]
    read = [_read(relation, noises) for relation in bounds_of(claim)]
    yield from step_conditions(claim)
    yield _change()
    yield from _drift()
    yield _descent()
    for noise, bound in read:
        require(claim, noise.needs)
        yield noise.step()
        yield _together(bound)


def _read(relation: sp.Rel, noises: Sequence[Noise]) -> tuple[Noise, sp.Expr]:
    """Which noise a bound has, and the bound in terms of the named ones."""
    refusal = ValueError("no noise is known")
    for noise in noises:
        try:
            return noise, coefficients(relation.rhs, {**_TERMS, N: gamma * ELL * n**2 * noise.value})
        except ValueError as error:
            refusal = error
    raise refusal


def _together(bound: sp.Expr) -> Form:
    T, b = sp.symbols("T b", nonnegative=True)  # (s gamma)^2 H (H-1), and B_2^2 times it
    caps = (le(T, R(1, 81)), le(b, R(1, 81)))
    given = (
        le(DRIFT, R(20, 9) * (M_T + 4 * T * E + 4 * b * A)),
        le(X, 2 * DRIFT + 8 * E),
        le(R(23, 36) * A, D + N + R(10, 9) * X),
        le(grad_kstar, 2 * A + 2 * DRIFT),
        *(le(0, v) for v in (A, X, DRIFT, D, N, M_T, E)),
    )
    _linked(T, b)
    unknown = (grad_kstar, A, X, DRIFT, D, N, M_T, E)
    return Form("all rounds together", le(grad_kstar, bound), given, caps, values=unknown)


def _linked(T: sp.Symbol, b: sp.Symbol) -> None:
    """Mean over a round of s^2 E ehat_k <= s^2 (10/9) 4 gamma^2 H (k - T_r) M_r; the mean of k - T_r is (H - 1)/2.

    Raises:
        ValueError: it is not what the last step uses.
    """
    s, M, e, g, B = sp.symbols("s M e g B", positive=True)
    mean = s**2 * R(10, 9) * 4 * gamma**2 * H * (H - 1) / 2 * (M + 4 * e + 4 * B**2 * g)
    square = s**2 * gamma**2 * H * (H - 1)
    used = (R(20, 9) * (M_T + 4 * T * E + 4 * b * A)).subs({M_T: square * M, T: square, E: e, b: square * B**2, A: g})
    if sp.expand(mean - used) != 0:
        raise ValueError("the mean drift is not the one that is used")


def step_conditions(claim: Claim) -> Iterator[Step]:
    """9 gamma H s <= 1 and 9 gamma H s B_2 <= 1 from the step condition; l <= s; beta <= 8 s^2."""
    ruled = [r.lhs / r.rhs for h in relations_of(claim, "step") for whole in conjuncts(h) for r in parts(whole)]
    for needed in (9 * gamma * H * SPREAD, 9 * gamma * H * SPREAD * B2):
        if all(sp.simplify(needed / found) != 1 for found in ruled):
            raise ValueError(f"the step condition should give {needed} <= 1")
    u = sp.Symbol("u", nonnegative=True)
    yield Form("9u <= 1 gives u^2 <= 1/81", le(u**2, R(1, 81)), (), (le(9 * u, 1),))
    yield Form("l <= s", le(ELL, SPREAD))
    beta = 16 * E_y * Lam**2 + 8 / eta_s**2
    yield Form("beta <= 8 s^2", le(beta, 8 * SPREAD**2))


def relations_of(claim: Claim, key: str) -> list[sp.Basic]:
    """What a hypothesis says.

    Raises:
        ValueError: the claim has no such hypothesis, or one in words.
    """
    relations = [h.relation for h in claim.hypotheses if h.key == key and h.relation is not None]
    if not relations:
        raise ValueError(f"the proof needs the relation of {key}")
    return relations


def _noise() -> Form:
    """The sum of the h mean estimates of a round at its start: given v, h times one vector and independent rests."""
    given_v, rest = gram.vectors("given_v rest")
    h, big, small = sp.symbols("h big small", positive=True)  # n L^f and n L
    moments = Given(
        "given v, E g = (n/eta^2)(f(xhat + v) - f(xhat)) v, and the values of clients and steps are independent",
        (
            eq(dot(given_v, rest), 0),
            le(norm2(given_v), big**2),
            le(norm2(rest), h * small**2 / m),
        ),
    )
    goal = le(norm2(h * given_v + rest), h**2 * big**2 + h * small**2 / m)
    return Form("V <= h^2 n^2 (L_0^f)^2 + h n^2 (L_0^imp)^2/m", goal, (facts_of(moments),))


def _whole_noise() -> Form:
    """The same without a look at v: a variance is at most the mean square."""
    h = sp.Symbol("h", positive=True)
    total, one = sp.symbols("total one", real=True)
    sums = Given("V <= E||sum of the h estimates||^2 <= h times the sum of E||g||^2", (le(total, h * one),))
    facts = facts_of(sums), cite("fedrzo.lem9.ii", {g2: one}, terms=h, needs=())
    return Form("V <= h^2 n^2 (L_0^imp)^2", le(total, h**2 * n**2 * L_imp**2), facts, values=(total, one))


def _client_noise() -> Form:
    """The same where clients draw for themselves: their sums are independent, each at most h n L in mean square."""
    h, small = sp.symbols("h small", positive=True)
    total, one = sp.symbols("total one", real=True)
    independent = Given(
        "the clients' sums are independent given the past", (le(total, one / m), le(one, h**2 * small**2))
    )
    return Form(
        "V <= h^2 n^2 (L_0^imp)^2/m", le(total, h**2 * small**2 / m), (facts_of(independent),), values=(total, one)
    )


def _change() -> Form:
    """How far a local direction is from the one at the start of its round, in the mean over the clients."""
    moved, far, near = gram.vectors("moved far near")
    s, eh, e = sp.symbols("s eh e", nonnegative=True)
    why = (
        "|delta| <= (n/eta)(2(L_0^imp(xi) + L_{0,y}^f(xi) Lam)|x - xhat| + L_{0,y}^f(xi)(|e_1| + |e_0|)) + "
        "|x - xhat|/eta"
    )
    facts = facts_of(Given(why, (le(norm2(moved), s**2 * eh), le(norm2(far), e), le(norm2(near), e))))
    goal = le(norm2(moved + far + near), 2 * s**2 * eh + 8 * e)
    name = "|delta|^2 <= 2 s^2 |x - xhat|^2 + 8 (n L_{0,y}^f/eta)^2 eps"
    return Form(name, goal, (facts,), multipliers=(sp.Integer(2), sp.Integer(4), sp.Integer(4)))


def facts_of(given: Given) -> Fact:
    """A fact for every copy of a claim: what it rests on is required before."""
    return Fact(given, ())


def _drift() -> Iterator[Step]:
    """E ehat_k <= (10/9) 4 gamma^2 H (k - T_r) M_r, as (1 + 8/(81H))^H <= e^(8/81) <= 10/9."""
    if not bool(sp.exp(R(8, 81)) < R(10, 9)):
        raise ValueError("e^(8/81) should be below 10/9")
    g, om, w, d = gram.vectors("g om w d")
    four = le(norm2(g + om + w + d), 4 * (norm2(g) + norm2(om) + norm2(w) + norm2(d)))
    yield Form("four parts of a step", four)
    now, S, M, theta = sp.symbols("eh_now S count theta", real=True)
    beta, power, c = sp.symbols("beta power c", positive=True)
    grown = S + H * gamma**2 * (beta * now + theta)
    yield Form(
        "one more term",
        le(grown, (1 + c / H) * S + H * gamma**2 * theta),
        (le(now, S), le(0, S), le(0, now), le(0, theta)),
        (le(beta * gamma**2 * H**2, c),),
        values=(S, now, theta),
    )
    yield Form(
        "the terms so far",
        le((1 + c / H) * S + H * gamma**2 * theta, H * gamma**2 * (1 + c / H) * power * (M + theta)),
        (le(S, H * gamma**2 * power * M), le(0, M), le(0, theta)),
        (le(1, power),),
        values=(S, M, theta),
    )


def _descent() -> Form:
    """A round of h steps, l gamma h <= 1/9: the sum of its directions is Q + Delta."""
    G, Q, Delta = gram.vectors("G Q Delta")
    ell, h = sp.symbols("l h", positive=True)
    V, x = sp.symbols("V x", real=True)
    step = -gamma * (Q + Delta)
    smooth = Given("F_eta is l-smooth", (le(F_next, F_now + dot(G, step) + ell / 2 * norm2(step)),))
    moments = Given(
        "E Q = h grad F_eta(xhat_r) given the past (Lemma 1 (i)); |Delta|^2 <= h sum |delta_k|^2",
        (eq(dot(G, Q), h * norm2(G)), eq(norm2(Q), h**2 * norm2(G) + V), le(norm2(Delta), h**2 * x)),
    )
    goal = le(F_next, F_now - R(23, 36) * gamma * h * norm2(G) + ell * gamma**2 * V + R(10, 9) * gamma * h * x)
    return Form(
        "one round", goal, (facts_of(smooth), facts_of(moments)), (le(9 * ell * gamma * h, 1),), (F_now, F_next, V, x)
    )


SHARED = Proof(
    shared_steps,
    "each round is one step along the sum of its directions; V <= h^2 n^2 (L_0^f)^2 + h n^2 (L_0^imp)^2/m (given v, "
    "values of different clients and steps are independent) and V <= h^2 n^2 (L_0^imp)^2, or V <= h^2 n^2 "
    "(L_0^imp)^2/m where each client draws its own direction",
)
