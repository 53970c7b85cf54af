"""Comparisons of complexities: Remark 1 with Table 2, Section 4, and what the bounds do when units change.

In ``eps`` the rates of the theorems compare as printed. With (17) as printed, its root over ``5 e`` alone, local steps
do not help: for ``tau > 1`` a call takes more rounds than for ``tau = 1``, and that takes more than gradient descent
with a round in every step.
"""

import sympy as sp

from rateproof.theory.claim import Claim, Kind
from rateproof.theory.papers.fedweight import lemma4, theorem3, theorem4
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import schedules as sch
from rateproof.theory.papers.fedweight.proposition3 import SMALL as SMALL_STEP
from rateproof.theory.proof import Proof, have, logarithm, qed, supposed
from rateproof.theory.shorthand import claims_in, eq, every, ge, le
from rateproof.theory.symbols import NONNEG, POS

_R = sp.Rational
eps, s, mu, l1, tau = p.eps_opt, p.s, p.mu, p.l1, p.tau


def _quoted(cid: str, place: str, text: str, title: str) -> Claim:
    return p.claim(cid, place, Kind.COMPLEXITY, text, None, title=title)


# --- Section 4: the lowest complexity

LOWEST = _quoted(
    "rem-lowest",
    "Section 4",
    "Local-SVRG with the accelerated method has the lowest communication complexity in the literature for the problem",
    "Lowest communication complexity",
)
_PLACE = "Section 4, our comparison"
_FAST = 80 * l1 / 3
digits = p.declare("digits", "ln of the factor by which a call makes its error smaller", latex=r"\ln X", **NONNEG)
GRADIENT = p.stated(
    _PLACE,
    "rem-lowest.gradient",
    "For tau = 1 a call of T_s = ln(X)/(gamma_0 mu) rounds takes at least 80/3 times as many as gradient descent of "
    "step 1/l_1, whose (l_1/mu) ln(X) steps make the squared distance X times smaller",
    ge(digits / (p.gamma * mu), _R(80, 3) * l1 / mu * digits),
    title="Rounds of a call, against gradient descent",
    hypotheses=(SMALL_STEP,),
    note="In eps both are of one order. A round of gradient descent takes all gradients of a node, though.",
    proof=Proof(have("step", le(_FAST, 1 / p.gamma), by=[supposed(SMALL_STEP.key)]), qed(by=["step"])),
)
_LONG = p.H_(
    "M_s>=",
    "M_s >= 1/gamma_0, at least 80 l_1/3 and 3 l_1 (tau - 1)(6(tau - 1) + 8 + 16/(1 - q)), as the root in (17), over 5 "
    "e alone, is above 3, and M_s >= (s+1)^2 A_1^(1/2)",
    every(
        ge(sch.M, _FAST),
        ge(sch.M, 3 * l1 * (tau - 1) * (6 * (tau - 1) + 8 + 16 / (1 - p.q))),
        ge(sch.M**2, sch.A_1 * (s + 1) ** 4),
    ),
)
_logs = sp.log(sch.A_1) + 4 * sp.log(s + 1) + sp.log(l1) + sp.log(80) - sp.log(3)
_POSITIVE = p.H_("T_s>=0", "A_1 (s+1)^4/gamma_0 >= 1 for gamma_0 = 3/(80 l_1), so that T_s >= 0", ge(_logs, 0))
_given = [supposed(h.key) for h in (sch.MORE_STEPS, sch.CHANCE, _LONG, _POSITIVE)]
MORE_STEPS = p.stated(
    _PLACE,
    "rem-lowest.tau",
    "With (17) as printed, its root over 5 e alone, a call of Theorem 3 takes at least as many rounds T_s/tau for "
    "tau > 1 as for tau = 1 and gamma_0 = 3/(80 l_1)",
    ge(3 * sch.M * sp.log(sch.M) / (mu * tau), _FAST * _logs / mu),
    title="Rounds of a call with local steps",
    hypotheses=(sch.MORE_STEPS, sch.CHANCE, _LONG, _POSITIVE),
    note="For tau = 1 the step is 3/(80 l_1) where q >= 3 mu/(20 l_1). So local steps save no round in Theorem 3. "
    "With the root over the whole product the first calls of tau = 2 may take half as many rounds: "
    "for l_1 = mu = 1, q = 1/2, A_1 = 700, and A_2, A_3 below 10.",
    proof=Proof(
        have("more", ge(6 * (tau - 1) + 8 + 16 / (1 - p.q), 24), by=_given),
        have("drift", ge(sch.M, 72 * l1 * (tau - 1)), by=["more", *_given]),
        have("per step", le(_FAST, sch.M / tau), by=["drift", *_given]),
        logarithm("log of the square", sch.M**2 / (sch.A_1 * (s + 1) ** 4), below=True),
        logarithm("log of the rest", sch.M / _FAST, below=True),
        have("logs", le(_logs, 3 * sp.log(sch.M)), by=["log of the square", "log of the rest", *_given]),
        have("fewer", le(_FAST * _logs, sch.M / tau * _logs), by=["per step", *_given]),
        have("as many", le(sch.M / tau * _logs, 3 * sch.M / tau * sp.log(sch.M)), by=["logs"]),
        qed(by=["fewer", "as many"]),
    ),
)

# --- Remark 1 and Table 2

SMALL = p.H_("eps<=1", "eps <= 1", le(eps, 1))
BETTER = p.stated(
    "Remark 1",
    "rem1",
    "For tau = 1 the rounds of Algorithm 3 are of a lower order than eps^-3 and eps^-4: eps^-2 ln(1 + 1/eps) <= eps^-3 "
    "<= eps^-4 for eps <= 1",
    every(le(eps**-2 * sp.log(1 + 1 / eps), eps**-3), le(eps**-3, eps**-4)),
    title="Complexity against other methods",
    hypotheses=(SMALL,),
    follows_from=("thm4.i",),
    note="Said of the orders, whose constants are not compared: that is true whatever becomes of Theorem 4. Algorithm "
    "3 has the first of them where Theorem 4 holds, as read kindly and in fedweight.thm4.i.corrected. For tau > 1 it "
    "has eps^-4, which is not better. Rows 1 and 2 of Table 2 are thm3.i and thm4.i.",
    proof=Proof(
        logarithm("log", 1 + 1 / eps),
        have("small", le(1, 1 / eps), by=[supposed(SMALL.key)]),
        *(qed(by=["log", "small"], of=part) for part in (0, 1)),
    ),
)


#: Rows 1 and 2 are Theorems 3 and 4.
OTHERS = tuple(
    _quoted(
        f"tab2.{number}",
        f"Table 2, row {number}",
        f"{paper}: {structure}, not convex, {rounds} rounds",
        f"Rounds of {paper}",
    )
    for number, paper, structure, rounds in (
        (3, "Chen et al. (2022)", "deterministic", "O~(eps^-2)"),
        (4, "Li et al. (2022)", "expectation", "O~(eps^-3)"),
        (5, "Chen et al. (2022), stochastic", "expectation", "O~(eps^-4)"),
        (6, "Tarzanagh et al. (2022)", "expectation", "O~(eps^-4)"),
    )
)
REASON = _quoted(
    "rem1.why",
    "Remark 1",
    "The complexity is lower because the finite sum allows a deterministic gradient to be computed infrequently",
    "Why the complexity is lower",
)

# --- what the bounds do when units change

by_t = p.declare("by_theta", "factor by which theta is multiplied", latex=r"\sigma", **POS)
by_c = p.declare("by_loss", "factor by which the loss is multiplied", latex="c", **POS)
_OF_THETA = {x: x / by_t**k for x, k in ((p.l0, 1), (l1, 2), (p.l2, 3), (mu, 2), (p.gamma, -2), (p.R, -1))}
_OF_LOSS = {
    **{x: by_c * x for x in (p.l0, l1, p.l2, mu, theorem3.sum_E, theorem4.gap_start, theorem4.total_E)},
    **{x: by_c**2 * x for x in (theorem3.sum_E2, theorem4.total_E2)},
    **{x: x / by_c for x in (p.gamma, p.eta)},
}
_SUM_3 = 16 / p.eta + theorem3.sum_E + p.eta * theorem3.sum_E2
_SUM_4 = (4 * theorem4.gap_start / p.eta + 8 * theorem4.total_E / p.eta + 2 * theorem4.total_E2) / p.S
_l_F = p.DEFINED[p.l_F]
#: The constants of Lemma 4, over the step: in front of its first term, and its second term.
_first = 2 * p.K * (p.l0**2 + lemma4.STEEP**2) * 2 * p.R**2 / (p.gamma * mu) * lemma4.brackets(p.gamma)
_second = p.K * p.l0**2 / mu * l1 * p.gamma**2 * (l1 / mu + 1) ** 2 * p.l0**2


def _scaled(
    name: str, text: str, scaling: dict[sp.Symbol, sp.Expr], *parts: tuple[sp.Expr, sp.Expr], note: str
) -> Claim:
    """That expressions are multiplied by factors."""
    return p.claim(
        f"ps-32.{name}",
        "our check of units",
        Kind.IDENTITY,
        text,
        every(*(eq(part.xreplace(scaling), factor * part) for part, factor in parts)),
        title=f"Bounds when {name} is scaled",
        note=note,
        proof=Proof(*(qed(of=k) for k in range(len(parts)))),
    )


PS32 = p.composite("ps-32", "our check of units", "Bounds when units change", "Bounds when theta or the loss is scaled")
PS32_THETA = _scaled(
    "theta",
    "Where theta is multiplied by a factor, so that l_0, l_1, l_2 and mu are divided by its first, second, third and "
    "second power, l_F of (12) and both terms of (47) stay",
    _OF_THETA,
    *((part, sp.S.One) for part in (_l_F, _first, _second)),
    note="With R^2 in the place of max{R^2, l_0^2/mu^2}, scaled alike, and without numbers and powers of tau - 1.",
)
PS32_LOSS = _scaled(
    "loss",
    "Where the loss is multiplied by c, l_F of (12) is, too. So are the sums over the iterations in the proof of "
    "Theorem 3, for errors c E_s and the step eta/c; those of Theorem 4 are multiplied by c^2",
    _OF_LOSS,
    *((_l_F, by_c), (_SUM_3, by_c), (_SUM_4, by_c**2)),
    note="So the errors 1/(s+1)^2 and 1/(s+1) have the unit of the loss, which lies in [0, 1].",
)
CLAIMS = claims_in(globals())
