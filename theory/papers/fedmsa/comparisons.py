"""Comparisons, Table 1, complexities, and what the paper quotes of others.

The rate of Theorem 3.1 gives ``O(tau/eps)`` rounds only where ``K`` is at least ``1/tau^2``, ``sigma^2/(M tau)`` and
``sigma/(M tau eps^(1/2))``, and with such a ``K`` also ``O(eps^(-3/2))`` samples; for ``K = 1`` it gives ``eps^(-3/2)``
rounds. For ``eps`` above ``tau`` less than one round would be enough.
"""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.fedmsa import corollary_c1, corollary_d1, one_round, rates, theorem31
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.levels import far_out
from rateproof.theory.papers.fedmsa.rates import C_1
from rateproof.theory.papers.fedmsa.schedules import S_THEOREM
from rateproof.theory.papers.fedmsa.theorem31 import KIND, kindly
from rateproof.theory.proof import Proof, Rounds, Setting, cite, exponents, have, qed, raised, supposed
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, gt, le, premise
from rateproof.theory.symbols import C_O, NONNEG, POS
from rateproof.theory.units import ONE, OUTER

_R = sp.Rational
eps = p.declare("eps", "target of the left side of Theorem 3.1", p.SLOPE**2, latex=r"\epsilon", **POS)
R_eps = p.declare("R_eps", "rounds after which the left side is at most eps", ONE, latex=r"R_\epsilon", **POS)
S_eps = p.declare("S_eps", "samples of all clients in these rounds", ONE, latex=r"S_\epsilon", **POS)
_LEFT = p.P2_out + p.gap2_out
_ROUNDS, _SAMPLES = p.tau / eps, eps ** -_R(3, 2)
RUNS = p.H_("R=R_eps", "the method runs for R_eps rounds, which draw S_eps samples")

#: The local steps for which the first term of the rate is the largest.
ENOUGH = (
    p.H_("K>=1/tau^2", "K >= 1/tau^2", ge(p.K * p.tau**2, 1)),
    p.H_("K>=sigma^2/(M tau)", "K >= sigma^2/(M tau)", ge(p.M * p.K * p.tau, p.sigma**2)),
    p.H_(
        "K>=sigma R^(1/2)/(M tau^(3/2))",
        "K >= sigma R^(1/2)/(M tau^(3/2)), which is of the order sigma/(M tau eps^(1/2)) for R of the order tau/eps",
        ge(p.M * p.K * p.tau ** _R(3, 2), p.sigma * sp.sqrt(p.R)),
    ),
)
POSITIVE = p.H_("tau>0", "tau > 0", gt(p.tau, 0))
#: As many and not more.
FEW_STEPS = p.H_(
    "K<=",
    "K <= 1 + 1/tau^2 + sigma^2/(M tau) + sigma R^(1/2)/(M tau^(3/2))",
    le(p.K, 1 + p.tau**-2 + p.sigma**2 / (p.M * p.tau) + p.sigma * sp.sqrt(p.R) / (p.M * p.tau ** _R(3, 2))),
)
ROUNDS = p.H_(
    "R",
    "4 C tau/eps <= R <= 9 C tau/eps, C the constant of the rate: there is such an R where eps <= 4 C tau",
    every(ge(p.R * eps, 4 * C_1 * p.tau), le(p.R * eps, 9 * C_1 * p.tau)),
)
SUPPOSED = premise(theorem31.THEOREM31, at={C_O: C_1}, about="with a constant C")

# --- step 15: the rate solved for the rounds

STEP_15 = p.claim(
    "step.15",
    "Section 3, after Theorem 3.1",
    Kind.COMPLEXITY,
    "The rate of Theorem 3.1, solved for the rounds and the samples that an accuracy needs",
    None,
    title="The rate solved for rounds and samples",
    follows_from=("thm3.1",),
)
STEP_15_ROUNDS = p.claim(
    "step.15.rounds",
    "Section 3, after Theorem 3.1",
    Kind.COMPLEXITY,
    "The rate of Theorem 3.1 is at most eps from R = O(tau/eps + 1/(K^(1/2) eps) + sigma^2/(M K eps) + "
    "sigma/(M K eps^(3/2))) on",
    le(
        R_eps,
        C_O * (_ROUNDS + 1 / (sp.sqrt(p.K) * eps) + p.sigma**2 / (p.M * p.K * eps) + p.sigma / (p.M * p.K) * _SAMPLES),
    ),
    title="Rounds for an accuracy",
    hypotheses=(SUPPOSED,),
    setting=Setting(measured=(p.P2_out, p.gap2_out), rounds={R_eps: Rounds(_LEFT, p.R, eps, (C_1,))}),
    proof=Proof(
        have("bound", le(_LEFT, C_1 * p.RATE), by=[supposed("thm3.1")]),
        exponents("rounds", "bound"),
    ),
)
_DOMINATED = (
    have("local steps", ge(p.K * p.tau**2, 1), by=[supposed("K>=1/tau^2")]),
    raised("root of K", "local steps", to=_R(1, 2)),
    have("second", le(1 / (sp.sqrt(p.K) * p.R), p.tau / p.R), by=["root of K"]),
    have("third", le(p.sigma**2 / (p.M * p.K * p.R), p.tau / p.R), by=[supposed("K>=sigma^2/(M tau)")]),
    have(
        "noise",
        le(p.sigma / (p.M * p.K * p.R), (p.tau / p.R) ** _R(3, 2)),
        by=[supposed("K>=sigma R^(1/2)/(M tau^(3/2))")],
    ),
    raised("fourth", "noise", to=_R(2, 3)),
)
_TERMS = ["second", "third", "fourth"]
STEP_15_LOCAL = p.claim(
    "step.15.local",
    "Section 3, after Theorem 3.1",
    Kind.INEQUALITY,
    "For K >= 1/tau^2, K >= sigma^2/(M tau) and K >= sigma R^(1/2)/(M tau^(3/2)) the rate is at most 4 tau/R",
    le(p.RATE, 4 * p.tau / p.R),
    title="Local steps for which heterogeneity decides",
    hypotheses=ENOUGH,
    proof=Proof(*_DOMINATED, qed(by=_TERMS)),
)
_BUDGET = 9 * C_1 * (p.M * (p.tau + 1 / p.tau) + p.sigma**2) / eps + 27 * C_1 ** _R(3, 2) * p.sigma * _SAMPLES
_COUNTED = (
    have("rounds", le(p.R, 9 * C_1 * p.tau / eps), by=[supposed("R")]),
    raised("power of R", "rounds", to=_R(3, 2)),
    have(
        "by steps",
        le(
            p.M * p.K * p.R,
            (p.M * (1 + p.tau**-2) + p.sigma**2 / p.tau) * p.R + p.sigma / p.tau ** _R(3, 2) * p.R ** _R(3, 2),
        ),
        by=[supposed("tau>0"), supposed("K<=")],
    ),
    have(
        "linear",
        le(
            (p.M * (1 + p.tau**-2) + p.sigma**2 / p.tau) * p.R,
            9 * C_1 * (p.M * (p.tau + 1 / p.tau) + p.sigma**2) / eps,
        ),
        by=[supposed("tau>0"), "rounds"],
    ),
    have(
        "power",
        le(p.sigma / p.tau ** _R(3, 2) * p.R ** _R(3, 2), 27 * C_1 ** _R(3, 2) * p.sigma * _SAMPLES),
        by=[supposed("tau>0"), "power of R"],
    ),
)
STEP_15_SAMPLES = p.claim(
    "step.15.samples",
    "Section 3, after Theorem 3.1",
    Kind.COMPLEXITY,
    "With the least such K and R of the order tau/eps, M K R = O((M (tau + 1/tau) + sigma^2)/eps + sigma eps^(-3/2))",
    le(p.M * p.K * p.R, _BUDGET),
    title="Samples with that many local steps",
    hypotheses=(POSITIVE, FEW_STEPS, ROUNDS),
    note="In the first round b_0 = K R samples of each of M clients are as many again.",
    proof=Proof(*_COUNTED, qed(by=["by steps", "linear", "power", supposed("tau>0")])),
)

# --- complexities of the paper

_SAID = every(le(R_eps, C_O * _ROUNDS), le(S_eps, C_O * _SAMPLES))
_KINDLY = kindly(*KIND)
_MANY_STEPS = Switch(
    "local steps",
    "any",
    "as many as heterogeneity asks for",
    "for K = 1 the rate gives sigma/(M eps^(3/2)) rounds",
    adding=(*ENOUGH, FEW_STEPS),
    origin="tau/R in Theorem 3.1, its only term that does not fall with K",
)


def _complexity(cid: str, place: str, text: str, title: str, *given: Hypothesis, note: str = "") -> Claim:
    return p.claim(
        cid,
        place,
        Kind.COMPLEXITY,
        text,
        _SAID,
        title=title,
        hypotheses=(*theorem31.THEOREM31.hypotheses, RUNS, *given),
        schedule=S_THEOREM,
        follows_from=("thm3.1", "step.15.rounds"),
        switches=(_KINDLY, _MANY_STEPS),
        note=note,
    )


GRADIENT = p.H_("P = grad f", "P(x, z^*(x)) = grad f(x), so that delta = 0", eq(one_round.delta, 0))


def _given(rate: Claim) -> Hypothesis:
    """That the corrected rate holds, with its tau_w and sigma_w."""
    at = {one_round.tau: p.tau, one_round.noise: p.sigma}
    return premise(rate, at=at, about="with its tau_w and sigma_w for tau and sigma")


def _enough(
    printed: Claim,
    rate: Claim,
    left: sp.Expr,
    text: str,
    reached: sp.Rel,
    *given: Hypothesis,
    stays: sp.Expr = sp.S.Zero,
) -> Claim:
    """The complexity that the corrected rate has, of what follows from ``given`` besides."""
    return amended(
        printed,
        "the rate gives tau/eps rounds only with enough local steps, which are named nowhere",
        text=f"With the constant C of {rate.item}, and K of at least 1/tau^2, sigma^2/(M tau) and sigma R^(1/2)/(M "
        "tau^(3/2)) and at most one more than their sum, after R of 4 C tau/eps to 9 C tau/eps rounds "
        f"{text}, and M K R is at most 9 C (M (tau + 1/tau) + sigma^2)/eps + 27 C^(3/2) sigma eps^(-3/2)",
        statement=every(reached, le(p.M * p.K * p.R, _BUDGET)),
        hypotheses=(_given(rate), POSITIVE, *ENOUGH, FEW_STEPS, ROUNDS, *given),
        follows_from=(rate.item, "step.15.local", "step.15.samples", *(h.key for h in given if h.cites)),
        schedule=None,
        note="For b = 1 the clients draw M K R samples in all momentum phases, as many in the first round, and K R in "
        "local steps.",
        setting=Setting(measured=(p.gf2_out, p.gap2_out, far_out, corollary_c1.gapw2_out, corollary_d1.bias2)),
        proof=Proof(
            have("rate", le(C_1 * p.RATE, 4 * C_1 * p.tau / p.R), by=[cite(STEP_15_LOCAL)]),
            have("accuracy", le(4 * C_1 * p.tau / p.R, eps), by=[supposed("R")]),
            have("reached", le(left, eps + stays), by=[supposed(rate.item), "rate", "accuracy"]),
            qed(by=["reached", *(supposed(h.key) for h in given)]),
            qed(by=[cite(STEP_15_SAMPLES)], of=1),
        ),
    )


COMMUNICATION = _complexity(
    "cmp.comm",
    "Section 3, after Theorem 3.1",
    "FedMSA needs O(tau eps^-1) rounds of communication and O(eps^-1.5) samples",
    "Communication and samples",
    note="For tau < eps it would be less than one round.",
)
_LEFT_OF_N, _STAYS = rates.left(one_round.ALL), 2 * one_round.delta**2
_MEAN = "E||grad f(xtilde)||^2 + (L_z^2/2) E||ztilde - z^*(xtilde)||^2 is at most eps, where P(x, z^*(x)) = grad f(x)"
COMMUNICATION_CORRECTED = _enough(
    COMMUNICATION, rates.FORM_LEVELS, _LEFT_OF_N, _MEAN, le(_LEFT_OF_N, eps), GRADIENT, stays=_STAYS
)

# --- comparisons of the rate

_ALONE = p.RATE.subs({p.R: p.M * p.R, p.M: 1}, simultaneous=True)
NOISY = p.H_(
    "noise",
    "the noise has the larger terms, tau/R + 1/(K^(1/2) R) <= sigma^2/(M K R) + (sigma/(M K R))^(2/3)",
    le(p.RATE.subs(p.sigma, 0), p.RATE - p.RATE.subs(p.sigma, 0)),
)
SPEEDUP = p.claim(
    "cmp.speedup",
    "Appendix C, after Corollary C.1",
    Kind.BOUND,
    "Linear speed-up in the clients: what M clients reach in R rounds one client reaches in M R",
    le(p.RATE, C_O * _ALONE),
    title="Linear speed-up in the clients",
    follows_from=("thm3.1",),
    switches=(
        Switch(
            "terms",
            "any",
            "those of the noise are the larger ones",
            "they are what more clients and their samples make smaller",
            adding=(NOISY,),
            origin="'similar to [43]', whose speed-up is that of the noise",
        ),
    ),
    note="Said of the rate. Its first two terms are the same for any number of clients.",
)
SPEEDUP_CORRECTED = amended(
    SPEEDUP,
    "without noise more clients change nothing",
    text="With the constant C of thm3.1.form.corrected, where P(x, z^*(x)) = grad f(x) and the noise has the larger "
    "terms of the rate, what M clients reach in R rounds is at most 2 C times the rate of one client after M R rounds",
    statement=le(_LEFT_OF_N, 2 * C_1 * _ALONE),
    hypotheses=(_given(rates.FORM_LEVELS), GRADIENT, NOISY),
    follows_from=(rates.FORM_LEVELS.item,),
    note="",
    setting=Setting(measured=(p.gf2_out, far_out)),
    proof=Proof(
        # the terms of the noise are enough: one client has the same
        have("rate", le(C_1 * p.RATE, 2 * C_1 * (p.RATE - p.RATE.subs(p.sigma, 0))), by=[supposed("noise")]),
        qed(by=["rate", supposed(rates.FORM_LEVELS.item), supposed(GRADIENT.key)]),
    ),
)
tau_less = p.declare("tau_less", "a smaller heterogeneity", OUTER / p.AREA, latex=r"\tau'", **NONNEG)
HETEROGENEITY = p.claim(
    "cmp.het",
    "Section 3, after Theorem 3.1, and Section 6",
    Kind.PROPERTY,
    "The rate becomes better as tau becomes smaller",
    le(p.RATE.subs(p.tau, tau_less), p.RATE),
    title="Less heterogeneity, a better rate",
    hypotheses=(p.H_("tau'<=tau", "tau' <= tau", le(tau_less, p.tau)),),
    follows_from=("thm3.1",),
    proof=Proof(qed(by=[supposed("tau'<=tau")])),
)
_FACTORS = (p.tau, sp.S.One, p.sigma**2, p.sigma ** _R(2, 3))
STSA = p.claim(
    "cmp.stsa",
    "Section 3, after Theorem 3.1",
    Kind.BOUND,
    "The rate of FedMSA is better than R^(-1/2), that of the non-federated method STSA",
    every(
        le(p.tau / p.R, p.tau / sp.sqrt(p.R)),
        le(1 / (sp.sqrt(p.K) * p.R), 1 / sp.sqrt(p.R)),
        le(p.sigma**2 / (p.M * p.K * p.R), p.sigma**2 / sp.sqrt(p.R)),
        le((p.sigma / (p.M * p.K * p.R)) ** _R(2, 3), p.sigma ** _R(2, 3) / sp.sqrt(p.R)),
    ),
    title="A better rate than that of STSA",
    follows_from=("thm3.1",),
    switches=(
        Switch(
            "counted",
            "in rounds",
            "in samples, M K R of them",
            "a round takes M K samples, one of STSA a single one",
            statement=le(p.RATE, sp.Add(*_FACTORS) / sp.sqrt(p.M * p.K * p.R)),
        ),
    ),
    note="Term by term, with the constants written out. In samples it is not so where K is above R, as tau/R does not "
    "fall with K.",
    proof=Proof(
        have("rounds", ge(p.R, 1)),
        raised("root of R", "rounds", to=_R(1, 2)),
        raised("sixth root of R", "rounds", to=_R(1, 6)),
        have("local steps", ge(p.K, 1)),
        raised("root of K", "local steps", to=_R(1, 2)),
        have("clients", ge(p.M * p.K, 1)),
        raised("power of M K", "clients", to=_R(2, 3)),
        qed(by=["root of R"]),
        qed(by=["root of R", "root of K"], of=1),
        qed(by=["root of R", "clients"], of=2),
        qed(by=["sixth root of R", "power of M K"], of=3),
    ),
)

# --- Table 1, and what is quoted


def _quoted(cid: str, place: str, text: str, title: str) -> Claim:
    return p.claim(cid, place, Kind.COMPLEXITY, text, None, title=title)


def _row(number: int, method: str, samples: str, rounds: str) -> Claim:
    return _quoted(
        f"tab1.{number}",
        f"Table 1, row {number}",
        f"{method}: sample complexity {samples}, communication complexity {rounds}",
        f"Complexities of {method}",
    )


MAPS_2 = p.H_("maps of (2)", "P^m and S^m are those of a bilevel problem")
MAPS_11 = p.H_("maps of (11)", "P^m and S^{m,n} are those of a compositional problem")
_OURS = {
    number: _complexity(
        f"tab1.{number}",
        f"Table 1, row {number}",
        f"FedMSA for {what}: sample complexity eps^-1.5, communication complexity tau eps^-1",
        f"Complexities of FedMSA for {what}",
        *given,
        note="As for fedmsa.cmp.comm.",
    )
    for number, what, given in ((2, "MSA", ()), (6, "BLO", (MAPS_2,)), (10, "MCO, N >= 1", (MAPS_11,)))
}
MSA_CORRECTED = _enough(_OURS[2], rates.FORM_LEVELS, _LEFT_OF_N, _MEAN, le(_LEFT_OF_N, eps), GRADIENT, stays=_STAYS)
BLO_CORRECTED = _enough(
    _OURS[6],
    corollary_c1.FORM,
    p.gf2_out + p.L_Z**2 / 2 * corollary_c1.gapw2_out,
    "E||grad f(xtilde)||^2 + E||wtilde - w*(xtilde)||^2 is at most (1 + 2/L_z^2) eps",
    le(p.gf2_out + corollary_c1.gapw2_out, (1 + 2 / p.L_Z**2) * eps),
    p.H_("L_Z>0", "L_z > 0", gt(p.L_Z, 0)),
)
MCO_CORRECTED = _enough(
    _OURS[10],
    rates.FORM_LEVELS,
    _LEFT_OF_N,
    "E||grad f(xtilde)||^2 is at most eps + (N (N + 1) L^(N-1) tau_f^2)^2, with the L and tau_f of corD.1.levels",
    le(p.gf2_out, eps + (p.N * (p.N + 1) * corollary_d1.L_all ** (p.N - 1) * corollary_d1.tau_all**2) ** 2),
    corollary_d1.BIAS,
    premise(corollary_d1.CORD1_LEVELS),
    stays=_STAYS,
)
_OTHERS = {
    1: ("STSA for MSA", "eps^-2", "not applicable"),
    3: ("FedNest for BLO", "eps^-2", "eps^-2"),
    4: ("FedMBO for BLO", "eps^-2", "eps^-2"),
    5: ("AdaFBiO for BLO", "eps^-1.5", "eps^-1.5"),
    7: ("ComFedL for MCO, N = 1", "eps^-2", "eps^-2"),
    8: ("FedNest for MCO, N = 1", "eps^-2", "eps^-2"),
    9: ("AdaMFCGD for MCO, N = 1", "eps^-1.5", "eps^-1.5"),
}
OURS_CORRECTED = (MSA_CORRECTED, BLO_CORRECTED, MCO_CORRECTED)
ROWS = tuple(_OURS[k] if k in _OURS else _row(k, *_OTHERS[k]) for k in range(1, 11))
FIRST = _quoted(
    "cmp.first",
    "Appendix D, after Corollary D.1",
    "The first analysis of communication for compositional problems of more than two levels; earlier ones have N = 1",
    "The first analysis for many levels",
)
_RELATED = (
    ("Linear SA on two time scales [49]: eps^-1, which is tight", "Linear approximation on two time scales"),
    ("Nonlinear SA on two time scales [23]: eps^-1.5", "Nonlinear approximation on two time scales"),
    (
        "STSA [90, 91]: eps^-2 where all sequences but the main one are strongly monotone",
        "Several sequences on one time scale",
    ),
    (
        "SGDA for problems nonconvex in x and strongly concave in y: eps^-2, with a batch of eps^-1 [60] or O(1) [11]",
        "Descent and ascent",
    ),
    (
        "SCGD and ASC-PG [101, 102]: worse than eps^-2, with two time scales",
        "Compositional gradients on two time scales",
    ),
    (
        "Compositional problems of several sequences on one machine [90]: eps^-2",
        "Compositional problems on one machine",
    ),
    ("On two time scales alpha_k/beta_k tends to 0", "Steps on two time scales"),
    (
        "SCAFFOLD [51] has a rate without heterogeneity, FedAvg one that is worse with more of it",
        "Heterogeneity elsewhere",
    ),
    (
        "FedNest, FedMBO, AdaFBiO, [105] and [106] keep the indirect part of the hypergradient during local steps",
        "What other methods keep fixed",
    ),
)
RELATED = tuple(
    _quoted(f"rw.{number}", "Section 5 and Appendix A", text, title)
    for number, (text, title) in enumerate(_RELATED, start=1)
)
CLAIMS = claims_in(globals())
