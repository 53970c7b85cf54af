"""The two levels at a random point, and the proofs of Propositions 3 and 6 (corrected).

Propositions 2 and 5 hold at every random point, so at the normalised average too; Propositions 1 and 4 bound the
regularised gap there.

Item ii-3 of Proposition 3 holds with less under its root (``CLOSER``). Either the inner gap is at most
``T_0 + eta M``; then Proposition 2 gives it. Or ``f_eta`` is so large at the average that this is far from ``x_eta*``:
then ``x*`` is no farther from ``x_eta*`` than the average is, and ``NEAR`` bounds both distances.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Returned
from rateproof.theory.claim import Claim, Kind, conjuncts
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.explicit_bounds import SIGNS
from rateproof.theory.papers.strfedavg.mended import G_MENDED, SC16_MENDED
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A1_COMMON,
    A2,
    A2_NOISE,
    ATTAINED,
    B2,
    D2,
    G2,
    KAPPA_GT_1,
    M_VALID_N,
    SIZES,
    STRONGLY_CONVEX,
    T0,
    WHERE,
    E_dist_n,
    E_sq_n,
    Err,
    L,
    M,
    f_eta_star,
    gap_eta_n,
    gap_f_n,
    gap_h_n,
    s2,
)
from rateproof.theory.papers.strfedavg.point import MADE
from rateproof.theory.papers.strfedavg.two_levels import ANYWHERE, F_x, two_levels, x, xs
from rateproof.theory.papers.strfedavg.weighted_average import AVERAGE_CONVEX, AVERAGE_THETA, NEAR, E_near
from rateproof.theory.proof import (
    Cite,
    Ground,
    Part,
    Proof,
    Step,
    cases,
    cauchy_schwarz,
    cite,
    convex,
    have,
    infimum,
    optimal,
    qed,
    raised,
    section,
    sharp,
    unfold,
    values,
)
from rateproof.theory.proof.steps import Raised
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import N, R, S, alpha, eta, f_star, gamma_t, grad_f_star, h_star, kappa, mu_f

x_0, x_eta = vectors("x_0 x_eta*")
F_0 = sp.Symbol("F_0", real=True)


_levels = two_levels(gap=gap_eta_n, outer=gap_f_n, inner=gap_h_n, dist=E_dist_n, square=E_sq_n)
#: The levels at the normalised average of a run that starts at ``x_0``; ``x_eta*`` is the minimiser of ``f_eta``.
_AT_AVERAGE = replace(
    _levels,
    depends={**_levels.depends, "x_0": "run", "x_eta*": ""},
    functions={
        **_levels.functions,
        "f_eta": {**_levels.functions["f_eta"], "start": (x_0, None, F_0), "minimum": (x_eta, Vector(), f_eta_star)},
        "phi_i": {"x": (x, None, F_x), "minimum": (x_eta, None, f_eta_star)},
        "F": {"x": (x, None, F_x), "minimum": (x_eta, Vector(), f_eta_star)},
    },
    made=MADE | {**_levels.made},
    squares={D2: x_0 - x_eta},
    metrics={**_levels.metrics, E_near: norm2(x - x_eta)},
    sequences={**_levels.sequences, E_near: E_near},
    free=(M,),
    counts=(R,),
    assumes=(*_levels.assumes, Returned("x", "F", "x_0")),
    words={"x_0": "where the method starts"},
)
AT_AVERAGE = replace(_AT_AVERAGE, others=(AVERAGE_THETA,))
#: With ``mu_f = 0``.
AT_AVERAGE_CONVEX = replace(_AT_AVERAGE, others=(AVERAGE_CONVEX,))


def proof_of_levels(gap: Claim, levels: Claim, err: sp.Expr, bracket: Claim | None = None) -> Proof:
    """Proposition 3 or 6: a bound on the regularised gap at the average for Err in an item of Proposition 2 or 5.

    Args:
        gap: the bound, of the form ``gap_eta_n <= err``.
        levels: the item.
        err: the bound.
        bracket: where the item has a root of ``Err + eta M``, here of ``err + 2 eta M``: the item that says that
            ``Err + eta M`` is nonnegative.
    """

    def here(claim: Claim) -> Cite:
        return cite(claim.id, at={Err: err, M: M}, points=ANYWHERE)

    steps: list[Step] = [have("the regularised gap", le(gap_eta_n, err), by=[cite(gap.id)])]
    ground: list[Ground] = [here(levels)]
    if bracket is not None:
        small, large = (err + eta * M) / alpha, (err + 2 * eta * M) / alpha
        steps += [
            have("the bracket", le(small, large)),
            have("it is nonnegative", ge(err + eta * M, 0), by=[here(bracket)], multipliers=[1, 1]),
            raised("the root", "the bracket", to=1 / kappa, by=["it is nonnegative"]),
        ]
        ground += ["the root"]
    stated = range(len(conjuncts(levels.statement)))
    return Proof(*steps, *(qed(by=ground, of=i) for i in stated))


ERR = T0 + gamma_t * A1 + gamma_t**2 * A2
_START = T0 + eta * M
_CLOSE = 2 / (mu_f * eta) * ERR + 2 * grad_f_star / mu_f * (_START / alpha) ** (1 / kappa)
_FEW = le(gap_h_n, _START)
#: Proposition 3 (ii-3) with less under the root.
CLOSER = claim(
    "closer",
    "our own, beside Proposition 3 (ii-3)",
    Kind.INEQUALITY,
    "The distance from x*, with only the start and M under the root",
    le(E_sq_n, _CLOSE),
    hypotheses=(*A1_COMMON, *STRONGLY_CONVEX, *A2_NOISE, *ATTAINED, *SIZES, SC16_MENDED, *KAPPA_GT_1, M_VALID_N),
    where=WHERE | G_MENDED,
    setting=AT_AVERAGE,
    proof=Proof(
        section("The gap at the weighted average"),
        have("the regularised gap", le(gap_eta_n, ERR), by=[cite("strfedavg.prop1.corrected")]),
        have("near x_eta*", le(2 * gap_eta_n + eta * mu_f * E_near, 3 * T0 + ERR - T0), by=[cite(NEAR)]),
        have("T_0 >= 0", ge(T0, 0), by=[cite(NEAR)]),
        section("The distance by strong convexity"),
        have(
            "x* and x_eta*",
            le(f_eta_star + eta * mu_f / 2 * norm2(xs - x_eta), h_star + eta * f_star),
            by=[convex("f_eta", "x*", "minimum"), values("f_eta", "x*")],
        ),
        have("two distances", le(norm2(x - xs), 2 * norm2(x - x_eta) + 2 * norm2(xs - x_eta))),
        have(
            "far from X_h*",
            le(eta * mu_f / 2 * E_sq_n, ERR + 2 * (_START - gap_h_n)),
            by=["near x_eta*", "x* and x_eta*", "two distances", values("f_eta", "x")],
        ),
        section("A small inner gap"),
        have(
            "f at the solution",
            ge(gap_f_n, mu_f / 2 * E_sq_n - grad_f_star * E_dist_n),
            by=[convex("f", "x", "x*"), optimal("f"), cauchy_schwarz(grad_f_star, E_dist_n)],
        ),
        have(
            "both levels",
            le(gap_h_n + eta * gap_f_n, ERR),
            by=["the regularised gap", "x* and x_eta*", values("f_eta", "x")],
        ),
        have("h >= h*", ge(gap_h_n, 0), by=[infimum("h", "x")]),
        have("inner gap", le(gap_h_n / alpha, _START / alpha), when=[_FEW]),
        raised("roots", "inner gap", to=1 / kappa, by=["h >= h*"]),
        have(
            "near X_h*",
            le(E_sq_n, _CLOSE),
            by=["f at the solution", "both levels", "h >= h*", sharp("h", "x"), "roots"],
            when=[_FEW],
        ),
        section("A large inner gap, and both cases"),
        have("the start", ge(_START / alpha, 0), by=["T_0 >= 0"]),
        raised("its root", "the start", to=1 / kappa),
        have("elsewhere", le(E_sq_n, _CLOSE), by=["far from X_h*", "its root"], when=[_FEW.negated]),
        cases("the statement", le(E_sq_n, _CLOSE), on=_FEW, yes="near X_h*", no="elsewhere"),
    ),
)

#: What the constants are made of is nonnegative.
_SIGNS = (
    *SIGNS,
    have("B^2 >= 0", ge(B2, 0), by=[unfold(B2)]),
    have("G^2 >= 0", ge(G2, 0), by=["G_f", "G_h", "inf f", "B^2 >= 0", unfold(G2)]),
    have("s^2 >= 0", ge(s2, 0), by=[unfold(s2)]),
    have("L >= 0", ge(L, 0), by=[unfold(L)]),
    have("A_1 >= 0", ge(A1, 0), by=["G^2 >= 0", "s^2 >= 0", unfold(A1)]),
    have("A_2 >= 0", ge(A2, 0), by=["G^2 >= 0", "s^2 >= 0", "L >= 0", unfold(A2)]),
)


def roots_above(
    small: sp.Expr, large: sp.Expr, constants: Mapping[sp.Symbol, sp.Expr], by: Sequence[Ground]
) -> tuple[Step, ...]:
    """``small^{1/kappa}`` is at most the root of ``large``, also without one constant or one summand of one.

    The proof then shows more than the statement: copies of it with a term less under the root.
    """
    less = (large.subs(c, part) for c, value in constants.items() for part in (0, *(value - t for t in value.args)))
    return tuple(
        step
        for i, each in enumerate((large, *less), start=1)
        for step in (
            have(f"under root {i}", le(small, each), by=by),
            raised(f"root {i}", f"under root {i}", to=1 / kappa, by=by),
        )
    )


def roots_of(steps: Sequence[Part]) -> list[str]:
    """The names of the roots among steps."""
    return [step.name for step in steps if isinstance(step, Raised)]


_ROOTS = roots_above(
    _START / alpha,
    (ERR + 2 * eta * M) / alpha,
    {c: WHERE[c] for c in (A1, A2)},
    [step.name for step in _SIGNS[-4:]] + ["T_0 >= 0", "G^2 >= 0"],
)
PROPOSITION3_II3 = Proof(
    section("The bound with less under the root"),
    have("the part of the clients", ge(4 - 4 * S / N, 0)),
    have("with less under the root", le(E_sq_n, _CLOSE), by=[cite(CLOSER)]),
    have("T_0 >= 0", ge(T0, 0), by=[cite(NEAR)]),
    section("Signs of the constants"),
    *_SIGNS,
    section("The root, whole and without single terms"),
    *_ROOTS,
    qed(by=["with less under the root", *roots_of(_ROOTS)], multipliers=[1]),
)
