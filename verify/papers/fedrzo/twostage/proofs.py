"""Proofs of Lemma 12 and Remark 10, and what the proofs of this section share.

Random vectors are vectors of a space with inner product ``E <., .>``; those of all clients together have
``(1/m) sum_i E <., .>``. What the claim's own hypotheses give enters as a :class:`Fact`, so that a copy without one of
them is not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.gram import Given, dot, norm2, vectors
from rateproof.theory.papers.fedrzo.notation import L_imp, L_y, eta_s, m
from rateproof.theory.papers.fedrzo.twostage.notation import (
    ELL,
    bias,
    eb,
    eps_k,
    g2,
    grad2,
    ip_path,
    path2,
    split_bar,
    split_i,
    w2,
    wbar2,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import n
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import machine
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step
from rateproof.verify.evidence import Evidence

NL2 = n**2 * L_imp**2
_LIPSCHITZ, _ACCURATE, _FRESH, _SETS = "implicit_lipschitz_2s", "accuracy", "fresh", "sets"
a, b, z, u, v = vectors("a b z u v")
E_rise2, E_lip2 = sp.symbols("E_rise2 E_lip2", nonnegative=True)


def fact(why: str, *relations: sp.Rel, needs: tuple[str, ...]) -> Fact:
    """Relations that hypotheses of the claim give."""
    return Fact(Given(why, relations), needs)


def bound_on(claim: Claim, metric: sp.Symbol, op: str = "<=", *, beside: tuple[sp.Symbol, ...] = ()) -> sp.Expr:
    """The right side of the statement about ``metric``, definitions put in; ``beside`` are its other metrics.

    Raises:
        ValueError: the statement does not bound the metric once, or it says more.
    """
    relations = conjuncts(claim.statement)
    sides = [r.args[1] for r in relations if r.args[0] == metric and r.rel_op == op]
    others = [r.args[0] for r in relations if r.args[0] in beside]
    if len(sides) != 1 or len(sides) + len(others) != len(relations):
        raise ValueError(f"the proof is for {metric} {op} ..., not for {claim.statement}")
    return claim.expand(sides[0])


def by(steps: Callable[[Claim], Iterable[Step]], said: str = "") -> Check:
    """A check by these steps."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        yield machine.prove(claim, Proof(steps, said))

    return check


# --- Lemma 12


def _unbiased(claim: Claim) -> Iterable[Form]:
    """E g = (n/eta^2) (E f_i(x+v) v - f_i(x) E v), component by component."""
    moment, mean, slope, value = sp.symbols("moment mean slope value", real=True)
    component = n / eta_s**2 * (moment - value * mean) - slope
    given = (
        fact(
            "E[f~_i(., xi) | v] = f_i, as xi does not depend on v, and Lemma 1 (i)",
            eq(moment, eta_s**2 / n * slope),
            needs=(_FRESH, _LIPSCHITZ),
        ),
        fact("E v = 0", eq(mean, 0), needs=(_FRESH,)),
    )
    if bound_on(claim, bias, "==") != 0:
        raise ValueError(f"the proof is for no bias, not for {claim.statement}")
    yield Form("at most", le(component, 0), given, values=(moment, mean, slope))
    yield Form("at least", ge(component, 0), given, values=(moment, mean, slope))


def _second_moment(claim: Claim) -> Iterable[Form]:
    given = (
        eq(g2, n**2 / eta_s**2 * E_rise2),  # |v| = eta
        fact(
            "|f~_i(x+v, xi) - f~_i(x, xi)| <= L_0^imp(xi) eta, xi independent of x",
            le(E_rise2, eta_s**2 * E_lip2),
            le(E_lip2, L_imp**2),
            needs=(_LIPSCHITZ, _FRESH),
        ),
    )
    yield Form("values", le(g2, bound_on(claim, g2)), given, values=(g2, E_rise2, E_lip2))


def _errors_of(x: tuple[sp.Expr, ...]) -> Fact:
    return fact(
        "the loss changes by at most L_{0,y}^f(xi) |y_eps - y|, and |y_eps - y|^2 <= eps_k for every sample",
        *(le(norm, L_y**2 * eps_k) for norm in x),
        needs=(_LIPSCHITZ, _ACCURATE, _FRESH),
    )


def _error(claim: Claim, metric: sp.Symbol) -> Iterable[Form]:
    """u and v are the changes of the loss at x + v and at x."""
    goal = le(n**2 / eta_s**2 * norm2(u - v), bound_on(claim, metric))
    yield Form("the two errors", goal, (_errors_of((norm2(u), norm2(v))),), values=(eps_k,))


def _mean_error(claim: Claim) -> Iterable[Form]:
    goal = le(wbar2, bound_on(claim, wbar2))
    one = machine.cite("fedrzo.lem12.iii", needs=(_LIPSCHITZ, _ACCURATE, _FRESH))
    yield from _error(claim, wbar2)
    yield Form("Jensen", goal, (le(wbar2, w2), one), values=(wbar2, w2, eps_k))


def _smooth() -> Fact:
    """b is the mean of grad F_i(x_i) - grad F_i(xbar)."""
    return fact(
        "grad F_{i,eta} is (L_0^imp n + 1)/eta-Lipschitz (Lemma 1 (iv), and P is nonexpansive), and Jensen",
        le(norm2(b), ELL**2 * eb),
        needs=(_LIPSCHITZ, _SETS),
    )


def _path(claim: Claim) -> Iterable[Form]:
    noise = fact(
        "given F_k the estimates are unbiased (Lemma 12 (i)) and independent, with second moments n^2 (L_0^imp)^2",
        eq(dot(z, a), 0),
        eq(dot(z, b), 0),
        le(norm2(z), NL2 / m),
        needs=(_LIPSCHITZ, _FRESH),
    )
    goal = le(norm2(a + b + z), bound_on(claim, path2).xreplace({grad2: norm2(a)}))
    yield Form("the mean direction", goal, (_smooth(), noise), values=(eb,))


def _alignment(claim: Claim) -> Iterable[Form]:
    goal = ge(dot(a, a + b + z), bound_on(claim, ip_path, ">=").xreplace({grad2: norm2(a)}))
    zero = fact("the noise has mean zero given F_k", eq(dot(a, z), 0), needs=(_FRESH, _LIPSCHITZ))
    yield Form(
        "the mean direction",
        goal.func(dot(a, a + b + z), goal.args[1], evaluate=False),
        (_smooth(), zero),
        values=(eb,),
    )


def _by_definition(claim: Claim) -> Iterable[Form]:
    """w is defined as g^{eta,eps} - g."""
    for metric, other in ((split_i, split_bar), (split_bar, split_i)):
        limit = bound_on(claim, metric, "==", beside=(other,))
        yield Form(str(metric), le(norm2(u - (v + (u - v))), limit))
        yield Form(str(metric), ge(norm2(u - (v + (u - v))), limit))


CHECKS: dict[str, Check] = {
    "lem12.i": by(_unbiased, "component by component"),
    "lem12.ii": by(_second_moment),
    "lem12.iii": by(lambda claim: _error(claim, w2)),
    "lem12.iv": by(_path),
    "lem12.v": by(_alignment),
    "lem12.vi": by(_mean_error),
    "rem10": by(_by_definition, "w_{i,k} is defined as the difference"),
}
