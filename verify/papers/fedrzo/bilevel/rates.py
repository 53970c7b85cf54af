"""Checks of Theorem 1 (ii) and (iii) and of Remark 4 (i): ladders, orders, exponents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction as Q

import sympy as sp

from algos.problems.base import Fact
from theory.asymptotics import compare
from theory.claim import Claim
from theory.papers.fedrzo.bilevel.cases import upper
from theory.papers.fedrzo.bilevel.notation import (
    DRIFT0,
    ELL,
    SPREAD,
    E_y,
    eps_c,
    sum_eps,
)
from theory.papers.fedrzo.notation import D0, H, K_eps, L_imp, grad_kstar, m
from theory.shorthand import le
from theory.symbols import C_O, epsilon, n
from verify.checks import Budget
from verify.deciders import bounds, certificates, growth, machine
from verify.deciders.growth import Ladder
from verify.deciders.machine import Form, Proof, Step
from verify.evidence import Evidence, Finding, Level
from verify.papers.fedrzo.bilevel.closed import Bowl
from verify.papers.fedrzo.bilevel.theorem_proofs import coefficients
from verify.papers.fedrzo.bilevel.unfold import bare
from verify.trial import Trial, conjuncts

VALUES = "explicit numbers"
JUST_BELOW = 0.9
SHARED_LADDER = (
    "f~ = hub_{3/2}(x), m = 1, x_0 at the minimum, exact lower level: E||grad||^2 is about (mK)^{-1/4}/8, as all "
    "steps of a round push the same way, so K_eps grows like 1/(m eps^4)"
)
FAR_LADDER = (
    "f = |x| from x_0 = D, D_0 about D: the gradient is 1 while gamma k <= sqrt(K) <= D - 2, so K_eps > (D - 2)^2"
)
KNOWN = (
    "implicit_lipschitz",
    "lower_level",
    "sets",
    "dissimilarity",
    "lower_sets",
    "one_direction",
    "frequency",
    "equal_rounds",
    "full_rounds",
    "lower_rate",
    "lower_rate_c",
    "lower_accurate",
    "samples",
    "y_lipschitz",
    "k*",
)


def _com(p: int, reached: float, label: str, **values: float) -> Trial:
    """A rung of S-com at K = p^4, m = 1: H = p, gamma = 1/p^2, p^3 rounds; an accuracy that was not reached."""
    known = {
        key: Fact(True, "exact lower level, eps_r = 0" if "rate" in key else "as in the instance") for key in KNOWN
    }
    base = {"m": 1.0, "n": 1.0, "nt": 1.0, "eta_s": 1.0, "mu_h": 1.0, "L_1h": 1.0, "L_h_x": 0.0, "L_y": 0.0, "Lam": 0.0}
    base |= {"B1": 0.0, "B2": 0.0, "eps_c_bl": 0.0, "gamma": float(p) ** -2, "H": float(p), "K_eps": float(p) ** 4}
    base |= {"epsilon": JUST_BELOW * reached, "grad_kstar": reached, "T_R": float(p) ** 4, "rounds": float(p) ** 3}
    return Trial(label, base | values, known, error=1e-9)


def shared_ladder() -> Ladder:
    """K = p^4 on the Huber bowl, from its minimum."""
    trials = []
    for p in (8, 16, 32, 64, 128, 512, 2048, 8192):
        bowl = Bowl(Q(1, p * p), p, 1, p**3)
        reached = float(bowl.many_digits()["grad_kstar"])
        trials.append(_com(p, reached, f"hub_3/2, K = {p}^4, H = {p}, gamma = {p}^-2", L_imp=1.5, D0=0.0))
    return Ladder("K", trials, SHARED_LADDER)


def far_ladder() -> Ladder:
    """f = |x| from D = sqrt(K) + 2: no step has left the slope."""
    trials = []
    for p in (32, 64, 128, 256, 1024, 4096):
        distance = float(p * p + 2)
        trials.append(_com(p, 1.0, f"|x|, x_0 = {distance:g}, K = {p}^4", L_imp=1.0, D0=distance - 0.5))
    return Ladder("D", trials, FAR_LADDER)


def check_iterations(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An iteration complexity of Algorithm 2 along two ladders."""
    tried = growth.decide(
        claim,
        [shared_ladder(), far_ladder()],
        method="closed form",
        steady=growth.POWER,
        detail="S-com, no lower-level error",
    )
    yield tried
    if tried.finding is not Finding.VIOLATION and claim.id.endswith(".corrected"):
        yield _order(claim)


def _order(claim: Claim) -> Evidence:
    """The explicit bound, inverted term by term, against the stated complexity; groups of constants are symbols."""
    if missing := _missing(claim):
        return unlike(missing)
    (relation,) = conjuncts(claim.statement)
    K = sp.Symbol("K", positive=True)
    noise, start, drift, inexact = sp.symbols("noise start drift inexact", positive=True)
    explicit = (6 * start + 136 * drift + 270 * inexact) / sp.sqrt(m * K) + 12 * noise * (m * K) ** sp.Rational(-1, 4)
    together = D0 + SPREAD**2 * DRIFT0 + E_y * eps_c
    known = {
        noise**4 / (m * epsilon**4): (ELL * n**2 * L_imp**2) ** 4 / (m * epsilon**4),
        (start + drift + inexact) ** 2 / (m * epsilon**2): together**2 / (m * epsilon**2),
    }
    stated = sp.S.Zero
    for term in sp.Add.make_args(relation.rhs / C_O):
        ratios = [(name, term / e) for name, e in known.items() if (term / e).free_symbols <= {epsilon, m}]
        if len(ratios) != 1:
            return unlike(f"{term} is not in the groups of constants that the explicit bound has")
        stated += ratios[0][0] * ratios[0][1]
    found = compare(stated, explicit, rounds=K, epsilon=epsilon)
    if found.mismatched or found.log_missing:
        return unlike(f"the explicit bound gives other orders: {found.verdict_hint}")
    return certificates.proved(
        f"each term of the explicit bound, inverted, is a stated one ({found.verdict})", method="orders"
    )


def unlike(why: str) -> Evidence:
    """A proof by exponents that does not check, and why."""
    return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, "orders", why)


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The corrected bound with S-com put in: on the ladders, and by its four substitutions."""
    trials = [*shared_ladder().trials, *far_ladder().trials]
    tried = bounds.decide(claim, trials, method="closed form", detail="the ladders of S-com")
    yield tried
    if tried.finding is not Finding.VIOLATION:
        yield machine.prove(bare(claim), Proof(lambda _: _substituted(claim), "the corrected Theorem 1 (i) at S-com"))


def _substituted(claim: Claim) -> Iterator[Step]:
    """gamma T_R >= sqrt(mK); gamma H <= 2 (mK)^{-1/4}; the mean of eps_r is at most 3c R^{-2/3}, R >= (mK)^{3/4}/2."""
    if missing := _missing(claim):
        raise ValueError(missing)
    (relation,) = conjuncts(claim.statement)
    D, N, M, E = sp.symbols("D N M E", real=True)
    terms = {
        D: D0 / sp.sqrt(m * K_eps),
        N: ELL * n**2 * L_imp**2 * (m * K_eps) ** sp.Rational(-1, 4),
        M: SPREAD**2 * DRIFT0 / sp.sqrt(m * K_eps),
        E: E_y * eps_c / sp.sqrt(m * K_eps),
    }
    bound = coefficients(relation.rhs, terms)
    u, w = sp.symbols("u w", positive=True)
    yield Form("ceil(z) <= 2z for z >= 1: gamma H <= 2 (mK)^{-1/4}", le(u + 1, 2 * u), (), (le(1, u),))
    yield Form("H^2 L_f^2 and H L^2/m together are at most H^2 L^2", le(w, w * u), (), (le(1, u),))
    # 55 * 3 * 2^(2/3) c/sqrt(mK), and 2^(2/3) <= 8/5
    if not sp.Rational(8, 5) ** 3 > 4:
        raise ValueError("2^(2/3) should be below 8/5")
    largest = 6 * D + 6 * 2 * N + 34 * 4 * M + 55 * 3 * sp.Rational(8, 5) * E
    nonneg = tuple(le(0, v) for v in (D, N, M, E))
    yield Form(
        "the four terms", le(grad_kstar, bound), (le(grad_kstar, largest), *nonneg), (), (grad_kstar, D, N, M, E)
    )


_NEEDED = (
    *("step", "S-com", "K_eps>=m^3", "lower_rate_c", "full_rounds", "implicit_lipschitz", "sets", "dissimilarity"),
    *("y_lipschitz", "samples", "one_direction", "lower_accurate", "k*", "frequency"),
)


def _missing(claim: Claim) -> str:
    """What the corrected bound at S-com needs and the claim does not have."""
    missing = sorted(set(_NEEDED) - {h.key for h in claim.hypotheses})
    return f"the proof needs {', '.join(missing)}" if missing else ""


# --- rounds


def check_rounds(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """R = ceil(K/H) <= 2 (mK)^{3/4}: at numbers, and with H >= (K/m^3)^{1/4}."""
    trials = [_rounds(m_, K) for m_ in (1, 2, 10, 100) for K in (m_**3, 2 * m_**3 + 1, 1000 * m_**3, 10**20 * m_**3)]
    fixed = replace(claim, statement=_with_constant(claim, 2))
    tried = bounds.decide(fixed, trials, method=VALUES, detail="explicitly R <= 2 (m K)^{3/4}")
    yield tried
    yield from _by_exponents(claim, tried)


def _with_constant(claim: Claim, constant: int) -> sp.Rel:
    (relation,) = conjuncts(claim.statement)
    return relation.func(relation.lhs, relation.rhs.subs(C_O, constant), evaluate=False)


def _rounds(m_: int, K: int) -> Trial:
    H_ = _ceiling_root(K, m_**3)
    values = {"m": m_, "K_eps": K, "H": H_, "gamma": math.sqrt(m_ / K), "rounds": -(-K // H_)}
    known = {key: Fact(True, "rounds of H steps, the last one shorter") for key in ("equal_rounds", "frequency")}
    return Trial(f"m = {m_}, K = {K}, H = {H_}", {k: float(v) for k, v in values.items()}, known)


def _ceiling_root(K: int, cube: int) -> int:
    """``ceil((K/cube)^(1/4))``."""
    H_ = max(1, round((K / cube) ** 0.25) - 2)
    while H_**4 * cube < K:
        H_ += 1
    return H_


def _by_exponents(claim: Claim, tried: Evidence) -> Iterator[Evidence]:
    (relation,) = conjuncts(claim.statement)
    keys = {h.key for h in claim.hypotheses}
    if tried.finding is not Finding.HOLDS or not {"S-com", "R=ceil(K/H)", "K_eps>=m^3"} <= keys:
        return
    order = K_eps / (K_eps / m**3) ** sp.Rational(1, 4)
    if same(relation.rhs / C_O, order):
        yield certificates.proved(
            "R <= K/H + 1 and H >= (K/m^3)^{1/4}, so R <= (mK)^{3/4} + 1 <= 2 (mK)^{3/4} as mK >= 1", method="exponents"
        )


def same(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two products of powers of positive symbols are the same."""
    plain = {s: sp.Symbol(s.name, positive=True) for s in left.free_symbols | right.free_symbols}
    ratio = (left / right).xreplace(plain)
    return bool(sp.simplify(sp.powsimp(sp.expand_power_base(ratio, force=True), force=True)) == 1)


def check_inexact(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """H sum eps_r/K with sum eps_r <= 3c R^{1/3} and R <= 2 (mK)^{3/4}, H <= 2 (K/m^3)^{1/4}."""
    (relation,) = conjuncts(claim.statement)
    keys = {h.key for h in claim.hypotheses}
    size = (K_eps / m**3) ** sp.Rational(1, 4) * eps_c * upper ** sp.Rational(1, 3) / K_eps
    needed = {"S-com", "K_eps>=m^3", "sum_rate", "R=ceil(K/H)"}
    if needed <= keys and relation.lhs == H * sum_eps / K_eps and same(relation.rhs / C_O, size):
        yield certificates.proved("(K/m^3)^{1/4} (mK)^{1/4}/K = (mK)^{-1/2}", method="exponents")
    for m_, K in ((1, 16), (2, 8 * 10**4), (10, 10**9)):
        base = _rounds(m_, K)
        bound = 3 * base.values["rounds"] ** (1 / 3)
        known = {**base.facts, "lower_rate": Fact(True, "eps_r = c (r+1)^(-2/3) with c = 1")}
        trial = replace(base, values={**base.values, "eps_c_bl": 1.0, "sum_eps_bl": bound}, facts=known)
        yield bounds.decide(replace(claim, statement=_with_constant(claim, 12)), [trial], method=VALUES)


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.thm1.ii": check_iterations,
    "fedrzo.thm1.ii.corrected": check_iterations,
    "fedrzo.thm1.ii.explicit.corrected": check_explicit,
    "fedrzo.rem4.i.iterations": check_iterations,
    "fedrzo.rem4.i.iterations.corrected": check_iterations,
    "fedrzo.thm1.iii": check_rounds,
    "fedrzo.rem4.i.rounds": check_rounds,
    "fedrzo.rem4.i.inexact": check_inexact,
}
