"""Explicit bounds in stepsize, local steps and horizon, read from the claims; the paper's schedule, its exponents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts, expand_definitions
from rateproof.theory.linear import rational
from rateproof.theory.papers.fedrzo.bilevel import notation as bilevel
from rateproof.theory.papers.fedrzo.bilevel.theorem import SUM_RATE
from rateproof.theory.papers.fedrzo.notation import (
    B1,
    B2,
    D0,
    L0,
    T_R,
    H,
    K_it,
    L_imp,
    L_y,
    Lam,
    eta_s,
    gamma,
    grad_kstar,
    m,
    nu,
    rounds,
)
from rateproof.theory.papers.fedrzo.single.schedules import S_COM
from rateproof.theory.papers.fedrzo.twostage import notation as twostage
from rateproof.theory.symbols import R, a, n
from rateproof.verify.experiments.tune import ROUNDS, bound_of, limits

METRIC = "E|grad|^2"
#: 1/(1 + ln T_R), which has a monomial minorant; its reciprocal is the growth of a sum of lower-level errors.
slow = sp.Symbol("slow", positive=True)
#: Growth exponents: gamma like horizon^-a, H like horizon^b with b = 0 allowed.
b = sp.Symbol("b", nonnegative=True)


@dataclass(frozen=True)
class Group:
    """Claims that share a bound.

    Attributes:
        members: their ids, without the paper.
        source: id of the claim with the explicit bound that holds.
        printed: id of the claim with the paper's conditions on the stepsize.
        lower_law: claim or hypothesis that bounds the lower-level errors: none, ``round`` or ``step``.
        constants: name of a setting -> its symbol.
    """

    members: tuple[str, ...]
    source: str
    printed: str
    lower_law: str
    constants: Mapping[str, sp.Symbol]

    def bound(self, counted: str, *, slowly: bool = True) -> sp.Expr:
        """The bound in gamma, H and the horizon; all constants are symbols.

        Args:
            counted: what the horizon counts.
            slowly: whether the sum over steps of lower-level errors is written with :data:`slow`.
        """
        claim = catalog.get(f"fedrzo.{self.source}")
        # of several bounds, the one without a Lipschitz constant of the mean loss
        (rhs,) = [
            r.rhs
            for r in conjuncts(claim.statement)
            if r.lhs == grad_kstar and bilevel.L_mean not in r.rhs.free_symbols
        ]
        T = total(counted)
        open_ = expand_definitions(rhs, claim.where).xreplace(self._errors(slowly))
        # H (H - 1) is no posynomial
        return open_.subs(H - 1, H).xreplace({T_R: T, K_it: T - 1})

    def _errors(self, slowly: bool) -> dict[sp.Symbol, sp.Expr]:
        match self.lower_law:
            case "round":
                # in step k of round r, (r + 1) H >= k + 1: also for a last round that is shorter
                assert SUM_RATE.relation is not None
                law = SUM_RATE.relation.rhs.xreplace({rounds: T_R / H})
                return {bilevel.mean_eps: H * law / T_R}
            case "step":
                statement = catalog.get("fedrzo.thm2.iii-b.corrected").statement
                (law,) = [r.rhs for r in conjuncts(statement) if r.lhs == twostage.sum_eps]
                return {twostage.sum_eps: law.xreplace({1 + sp.log(T_R): 1 / slow}) if slowly else law}
        return {}

    def constraints(self, numbers: Mapping[sp.Symbol, sp.Expr]) -> dict[str, sp.Rel]:
        """What the bound needs of the schedule, with numbers for the constants."""
        return _on_schedule(self.source, numbers)

    def conditions(self, numbers: Mapping[sp.Symbol, sp.Expr]) -> dict[str, sp.Rel]:
        """What the paper asks of it."""
        return _on_schedule(self.printed, numbers)

    def notes(self, counted: str) -> tuple[str, ...]:
        """How the bound was read."""
        claim = catalog.get(f"fedrzo.{self.source}")
        out = [f"{METRIC} is E||grad F_eta||^2 at a random iterate of the mean of the clients, {grad_kstar}"]
        out.append(bound_of(claim, claim.amends))
        if self.lower_law == "round":
            out.append("H(H - 1) is bounded by H^2, and the lower level has eps_r <= c (r+1)^(-2/3)")
        if self.lower_law == "step":
            out.append("the sum of the lower-level errors is bounded by thm2.iii-b.corrected")
            if counted == ROUNDS:
                out.append(
                    "1 + ln T_R is bounded by a monomial tangent; what is certified is the bound with it, a surrogate"
                )
        if counted == ROUNDS:
            out.append("R rounds are K + 1 = R H iterations; with more of them per round the bound falls for ever")
        else:
            out.append("K is the last iteration, so that (K + 1)/H rounds are made")
        out.append("H is a whole number; the gap is that to the best real one")
        return tuple(out)


def _on_schedule(item: str, numbers: Mapping[sp.Symbol, sp.Expr]) -> dict[str, sp.Rel]:
    """The inequalities on gamma and H among the hypotheses of a claim."""
    claim = catalog.get(f"fedrzo.{item}")
    return limits({h.text: h.relation for h in claim.hypotheses}, {**claim.where, **numbers}, (gamma, H))


_SHARED = {"n": n, "m": m, "eta": eta_s, "B1": B1, "B2": B2, "D0": D0}
GROUPS = (
    Group(("prop1.i", "prop1.ii"), "prop1.i.corrected", "prop1.i", "none", {**_SHARED, "L0": L0, "nu": nu}),
    Group(
        ("thm1.i", "thm1.ii"),
        "thm1.i.corrected",
        "thm1.i",
        "round",
        {**_SHARED, "L_imp": L_imp, "L_y": L_y, "Lam": Lam, "c": bilevel.eps_c},
    ),
    Group(
        ("thm2.ii", "thm2.iii"),
        "thm2.ii",
        "thm2.ii",
        "step",
        {**_SHARED, "L_imp": L_imp, "L_y": L_y, "B": twostage.B_y},
    ),
)


def total(counted: str) -> sp.Expr:
    """T_R, the local steps of a client, by the horizon."""
    return R * H if counted == ROUNDS else K_it + 1


# --- the paper's schedule, S-com


def _exponent(rule: sp.Expr) -> Fraction:
    """The power of K in a monomial."""
    x = sp.Symbol("x", positive=True)
    at = rule.xreplace({K_it: x})
    return rational(sp.simplify(x * sp.diff(at, x) / at))


@lru_cache(maxsize=1)
def exponents() -> tuple[Fraction, Fraction]:
    """a and b of gamma like K^-a and H like K^b."""
    return -_exponent(S_COM.rules[gamma]), _exponent(S_COM.rules[H].args[0])


def growth(counted: str) -> tuple[Fraction, Fraction]:
    """The same in the horizon: R rounds are K = R^(1/(1-b)) iterations."""
    by_step, by_length = exponents()
    if counted == ROUNDS:
        return by_step / (1 - by_length), by_length / (1 - by_length)
    return by_step, by_length


@lru_cache(maxsize=1)
def _rules() -> tuple[Callable[[int, int], float], Callable[[Fraction, Fraction], Fraction]]:
    """gamma, and the radicand of H, in m and K; the latter is exact."""
    inner = S_COM.rules[H].args[0]
    radicand = sp.powdenest(inner ** (1 / sp.Rational(exponents()[1])), force=True)
    arguments = (m, K_it)
    return tuple(sp.lambdify(arguments, e, modules="math") for e in (S_COM.rules[gamma], radicand))


def schedule(counted: str, clients: int, horizon: int) -> tuple[float, int]:
    """gamma and H of S-com for a horizon.

    For R rounds H solves ``H = ceil((K/m^3)^(1/4))`` at ``K = R H - 1``: the ceiling of the number that solves it
    without the ceiling at ``K = R H``, ``(R/m^3)^(1/3)``, as H^4 m^3 and R H are whole.
    """
    step, radicand = _rules()
    power = 1 / growth(counted)[1]
    size = math.ceil(radicand(Fraction(clients), Fraction(horizon)))
    # the least length whose power is at least the radicand
    length = int(sp.integer_nthroot(size - 1, int(power))[0]) + 1
    return step(clients, horizon * length - 1 if counted == ROUNDS else horizon), length


def paper_rule(counted: str, clients: int, variable: sp.Symbol, horizon: float) -> float:
    """gamma or H of S-com."""
    step, length = schedule(counted, clients, int(horizon))
    return step if variable == gamma else float(length)


# --- exponents


def rates(group: Group, counted: str) -> tuple[sp.Symbol, sp.Expr]:
    """The horizon, and the bound for gamma like horizon^-a and H like horizon^b."""
    at = R if counted == ROUNDS else sp.Symbol("K", positive=True)
    # ln T_R is of the order of ln(horizon), and K + 1 of that of K
    bound = group.bound(counted).xreplace({slow: 1 / sp.log(at)}).xreplace({K_it: at - 1})
    return at, bound.xreplace({gamma: at**-a, H: at**b})
