"""Corollary 3.5, which is Corollary D.12: samples and rounds that an accuracy needs, from the rate (14)."""

import sympy as sp

from rateproof.theory.claim import Claim, Kind
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.schedules import S_FIXED, WHERE
from rateproof.theory.papers.mefbo.theorem34 import THEOREM34
from rateproof.theory.proof import Proof, have, qed, raised
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import C_O, POS
from rateproof.theory.units import ONE

eps = p.declare("eps", "target of min E R_t", p.FORCE2, latex=r"\epsilon", **POS)
T_eps = p.declare("T_eps", "rounds after which min E R_t <= eps", ONE, latex=r"T_\epsilon", **POS)
tau_c = p.declare("tau_c", "constant of the choice of tau", ONE, latex=r"c_\tau", **POS)

FULL = p.H_("P=n", "all clients take part, P = n", eq(p.P, p.n))
PARTIAL = p.H_("P<n", "not all clients take part, P < n", sp.Lt(p.P, p.n, evaluate=False))
TAU_T = p.H_("tau=O(T)", "tau = c T for a constant c", eq(p.tau, tau_c * T_eps))
TAU_1 = p.H_("tau=O(1)", "tau = c for a constant c", eq(p.tau, tau_c))
_HALF = sp.Rational(1, 2)


def _corollary(cid: str, place: str, first: str, second: str) -> tuple[Claim, Claim]:
    setting = (*THEOREM34.hypotheses, p.H_("T=T_eps", "the method runs for T_eps rounds"))
    return (
        p.claim(
            f"{cid}-i",
            f"{place} (i)",
            Kind.COMPLEXITY,
            "Full participation, tau = O(T): per-client samples tau T = O(eps^-2), rounds T = O(eps^-1)",
            every(le(p.tau * T_eps, C_O * eps**-2), le(T_eps, C_O / eps)),
            title=first,
            hypotheses=(*setting, FULL, TAU_T),
            where=WHERE,
            schedule=S_FIXED,
            follows_from=("thm3.4",),
        ),
        p.claim(
            f"{cid}-ii",
            f"{place} (ii)",
            Kind.COMPLEXITY,
            "Partial participation, tau = O(1): per-client samples tau T = O(P^-2 eps^-2), rounds T = O(P^-2 eps^-2)",
            every(le(p.tau * T_eps, C_O * p.P**-2 * eps**-2), le(T_eps, C_O * p.P**-2 * eps**-2)),
            title=second,
            hypotheses=(*setting, PARTIAL, TAU_1),
            where=WHERE,
            schedule=S_FIXED,
            follows_from=("thm3.4",),
        ),
    )


COR35_I, COR35_II = _corollary(
    "cor3.5", "Corollary 3.5", "Samples and rounds, full participation", "Samples and rounds, partial participation"
)
CORD12_I, CORD12_II = _corollary(
    "corD.12", "Corollary D.12", "The complexity with all clients, again", "The complexity with some clients, again"
)
_QUARTER = _HALF / 2
_ONES = (
    have("rounds", le(1, p.T)),
    have("steps", le(1, p.tau)),
    raised("root of T", "rounds", to=_HALF),
    raised("root of tau", "steps", to=_HALF),
    raised("fourth root of tau", "steps", to=_QUARTER),
)
_ROOTS = [step.name for step in _ONES[2:]]
REMARK = p.claim(
    "cor3.5-rem",
    "after Corollary 3.5",
    Kind.PROPERTY,
    "With partial participation a larger tau does not improve the rate, as P^-1 tau^(1/2) T^(-1/2) dominates in (14)",
    every(
        le((1 / p.T**_HALF / p.tau**_HALF + 1 / p.T / p.tau**_QUARTER) / p.P, 2 * p.tau**_HALF / p.T**_HALF / p.P),
        le(p.RATE_FIXED.subs(p.tau, 1), 3 * p.n / (p.n - p.P) * p.RATE_FIXED),
    ),
    title="The dominant term with partial participation",
    hypotheses=(PARTIAL,),
    note="Dominates: the others together are at most twice as large. Does not improve: tau = 1 leads to the best order "
    "(Appendix D.5). The print leaves out the factor (n - P)/n of (14), on which the constant of that order depends: "
    "for P = n - 1 and tau = n (14) is better than for tau = 1 by a factor of the order n^(1/2).",
    proof=Proof(
        *_ONES,
        qed(by=_ROOTS),
        have("one step", le(p.RATE_FIXED.subs(p.tau, 1) * p.P * p.T**_HALF, 3), by=["root of T"]),
        have("more steps", ge(p.RATE_FIXED * p.P * p.T**_HALF, (p.n - p.P) / p.n), by=["root of tau"]),
        qed(by=["one step", "more steps"], of=1),
    ),
)
ST_COR = p.claim(
    "st-cor",
    "proof of Corollary D.12",
    Kind.COMPLEXITY,
    "(14) with n = P and tau = T is at most eps from T = O(eps^-1) on; with tau = 1 from T = O(P^-2 eps^-2) on",
    every(
        le(p.RATE_FIXED.subs({p.P: p.n, p.tau: p.T}, simultaneous=True), 2 / (p.n * p.T)),
        le(p.RATE_FIXED.subs(p.tau, 1), 3 / (p.P * sp.sqrt(p.T))),
    ),
    equation="114",
    title="The rate solved for the rounds",
    hypotheses=(p.P_N,),
    follows_from=("thm3.4",),
    note="The right sides are at most eps for T >= 2/(P eps) and T >= 9/(P eps)^2.",
    proof=Proof(
        have("rounds", le(1, p.T)),
        raised("root of T", "rounds", to=_HALF),
        raised("fourth root of T", "rounds", to=_QUARTER),
        qed(by=["fourth root of T"]),
        qed(by=["root of T"], of=1),
    ),
)
CLAIMS = (COR35_I, COR35_II, CORD12_I, CORD12_II, REMARK, ST_COR)
