"""Propositions 1 and 2, Remarks 1 and 8, and Table 1."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import (
    A1,
    A1_I,
    B1,
    B2,
    D0,
    FREE,
    FREQUENCY,
    KSTAR,
    L0,
    READ_EQUAL,
    H,
    K_eps,
    K_it,
    eta_s,
    gamma,
    grad_kstar,
    m,
    nu,
    rounds,
)
from rateproof.theory.papers.fedrzo.single.notation import (
    CAP_NN,
    CAP_PROP2,
    EQUAL_ROUNDS,
    G_66,
    GAMMA_COM,
    H_COM,
    H_COM_PROOF,
    IDENTICAL,
    K_66,
    ROUND_LENGTH,
    RUN,
    STATIONARY,
    WHERE_ROUNDS,
    dist_clarke,
    dist_goldstein,
    gold,
    grad_f_excess,
    norm_res,
    radius,
    rounds_66,
)
from rateproof.theory.shorthand import big_o, eq, every, ge, le, premise
from rateproof.theory.symbols import C_O, epsilon, n

#: Titles of the claims that share a maker, by id.
TITLES = {
    "rem1.rounds": "Rounds of FedRZO in the iterations",
    "tab1.66": "Table 1, bounded gradients",
    "tab1.61": "Table 1, smooth nonconvex functions",
    "tab1.21": "Table 1, PL condition",
    "tab1.this.rounds": "Table 1, rounds of FedRZO",
}

PROP1_RUN = (*RUN, KSTAR)
#: The three constants of Proposition 1 (i) as printed.
NOISE_TERM = 12 * L0 * n**3 / eta_s * (2 * nu**2 / eta_s**2 + L0**2)
DRIFT_TERM = (
    36 * (L0 * n + 1) ** 2 / eta_s**2 * ((6 * n**2 * nu**2 + 2 * B1**2) / eta_s**2 + (3 + 4 * B2**2) * L0**2 * n**2)
)
_DRIFT_TEXT = "36 (L_0 n + 1)²/η² ((6n²ν² + 2B_1²)/η² + (3 + 4B_2²)L_0²n²)"
_METRIC = "E||∇F_η(x̄_{k*})||²"
ACCURACY = Hypothesis(
    "K_eps",
    "K_eps is the least number from which on K iterations with gamma = sqrt(m/K), H = ceil((K/m^3)^(1/4)) give "
    "E||grad F_eta(xbar_{k*})||^2 <= epsilon",
)
_NO_SMALLER = "On the instances that refute it the least number of iterations that reaches ε is the same K_ε."
ACCURACY_OF_NORM = Switch(
    "accuracy",
    "E||∇F_η(x̄_{k*})||² <= ε, as in Proposition 1 (ii)",
    "sqrt(E||∇F_η(x̄_{k*})||²) <= ε",
    "ε-Clarke stationary points are defined by a norm (Section 2); K_ε iterations give the norm sqrt(ε)",
    {epsilon: sp.sqrt(epsilon)},
)
SMALL_ACCURACY = Switch(
    "accuracies",
    "any ε > 0",
    "ε <= 1/m",
    "O(.) is read for ε below a threshold that may depend on m; m iterations, below which γ is too long, are then no "
    "more than 1/(mε²)",
    adding=(Hypothesis("epsilon<=1/m", "epsilon <= 1/m", le(m * epsilon, 1)),),
    origin="Remark 6 (i) compares the same terms for ε <= 1/m",
)
#: The parts of the constant of Proposition 1 (ii) that the paper keeps.
KEPT = (
    L0 * n**3 * nu**2 / eta_s**3,
    L0**3 * n**3 / eta_s,
    L0**2 * n**4 * nu**2 / eta_s**4,
    L0**2 * n**2 * B1**2 / eta_s**4,
    B2**2 * L0**4 * n**4 / eta_s**2,
)
#: The answer that the constants presuppose losses that are not flat.
STEEP = Switch(
    "scale",
    printed="any L_0 > 0",
    other="L_0 >= 1",
    why="the modulus (L_0 n + 1)/η stands as L_0 n/η, which is of its order where L_0 n is not small",
    adding=(Hypothesis("L0>=1", "L_0 >= 1", ge(L0, 1)),),
    origin="part (i), which has (L_0 n + 1) for the drift and L_0 n for the noise",
)
PROP1 = (
    claim(
        "prop1.i",
        "Proposition 1",
        Kind.BOUND,
        "If γ <= min{η/(4L_0 n), 1/(4H), η/(12 sqrt(3) B_2 (L_0 n + 1)H)} and k* is uniform on {0, ..., K}, then "
        f"{_METRIC} <= 8(E F_η(x̄_0) - F_η*)/(γ(K+1)) + (12γL_0 n³/(ηm))(2ν²/η² + L_0²) + H²γ² {_DRIFT_TEXT}",
        le(grad_kstar, 8 * D0 / (gamma * (K_it + 1)) + gamma / m * NOISE_TERM + H**2 * gamma**2 * DRIFT_TERM),
        title="Stationarity of FedRZO, single level",
        hypotheses=(*PROP1_RUN, *CAP_NN),
        follows_from=("lem5.i", "lem5.ii", "lem8.b", "st.5", "st.6", "st.7"),
    ),
    claim(
        "prop1.ii",
        "Proposition 1",
        Kind.COMPLEXITY,
        "Let γ = sqrt(m/K) and H = ceil((K/m³)^{1/4}). The iteration complexity is K_ε = O((L_0 n³ν²/η³ + L_0³n³/η + "
        "L_0²n⁴ν²/η⁴ + L_0²n²B_1²/η⁴ + B_2²L_0⁴n⁴/η²)²/(mε²))",
        le(K_eps, C_O * (sp.Add(*KEPT) ** 2 / (m * epsilon**2))),
        title="Iteration complexity, single level",
        hypotheses=(*PROP1_RUN, ACCURACY),
        follows_from=("prop1.i", "prop1.ii-x"),
        explicit="prop1.ii-x",
        switches=(STEEP, SMALL_ACCURACY),
        note="E||∇f_η||² is printed for E||∇F_η||²; for a linear loss that is constant. The γ and H of "
        f"this part are in K_ε. {_NO_SMALLER}",
    ),
    claim(
        "prop1.ii-x",
        "proof of Proposition 1",
        Kind.BOUND,
        "Substituting γ = sqrt(m/K) and H = (K/m³)^{1/4} gives "
        f"{_METRIC} <= (8(E F_η(x̄_0) - F_η*) + (12L_0 n³/η)(2ν²/η² + L_0²) + {_DRIFT_TEXT})/sqrt(mK)",
        le(grad_kstar, (8 * D0 + NOISE_TERM + DRIFT_TERM) / sp.sqrt(m * K_it)),
        title="Stationarity under the schedule, single level",
        hypotheses=(*PROP1_RUN, GAMMA_COM, H_COM_PROOF, *CAP_NN),
        follows_from=("prop1.i", "st.8"),
    ),
    claim(
        "prop1.iii",
        "Proposition 1",
        Kind.COMPLEXITY,
        "If K_ε >= m³, the number of communication rounds to achieve the accuracy is R = O((m K_ε)^{3/4})",
        big_o(rounds, (m * K_eps) ** sp.Rational(3, 4)),
        title="Communication complexity, single level",
        hypotheses=(
            Hypothesis("K_eps>=m^3", "K_eps >= m^3", ge(K_eps, m**3)),
            Hypothesis("K=K_eps", "K_ε iterations are made", eq(K_it, K_eps)),
            FREQUENCY,
            EQUAL_ROUNDS,
            H_COM,
        ),
        where=WHERE_ROUNDS,
        switches=(ROUND_LENGTH,),
        note=READ_EQUAL,
    ),
)
_COMMUNICATION = "O(m^{3/4} K^{3/4})"
COMMUNICATION = (FREQUENCY, EQUAL_ROUNDS, H_COM)
RATE_66 = eq(epsilon, G_66**2 / sp.sqrt(m * K_66))


def _rounds(cid: str, place: str, text: str) -> Claim:
    """The communication complexity, which Remark 1 and Table 1 both print."""
    return claim(
        cid,
        place,
        Kind.COMPLEXITY,
        text,
        big_o(rounds, (m * K_it) ** sp.Rational(3, 4)),
        title=TITLES[cid],
        hypotheses=COMMUNICATION,
        where=WHERE_ROUNDS,
        switches=(ROUND_LENGTH,),
        follows_from=("prop1.iii",),
        note=READ_EQUAL,
    )


_ITERATIONS = claim(
    "rem1.iterations",
    "Remark 1",
    Kind.COMPLEXITY,
    "FedRZO_nn achieves an iteration complexity of O(1/(mε²))",
    big_o(K_eps, 1 / (m * epsilon**2)),
    title="Iterations of FedRZO in the accuracy",
    hypotheses=(*PROP1_RUN, ACCURACY),
    follows_from=("prop1.ii",),
    switches=(ACCURACY_OF_NORM, SMALL_ACCURACY),
    note="The hidden constant may depend on everything but m and ε. Steps within the bound on γ of Proposition 1 "
    f"(i) need K >= 16 m (L_0 n/η)², so that asking for them, too, does not help. {_NO_SMALLER}",
)
_ROUNDS = _rounds("rem1.rounds", "Remark 1", f"FedRZO_nn achieves a communication complexity of {_COMMUNICATION}")
REM1 = (
    claim(
        "rem1",
        "Remark 1",
        Kind.COMPLEXITY,
        f"FedRZO_nn achieves an iteration complexity of O(1/(mε²)) and a communication complexity of {_COMMUNICATION}; "
        "both match the bounds for smooth nonconvex federated optimisation",
        None,
        title="Complexities of FedRZO, single level",
    ),
    _ITERATIONS,
    _ROUNDS,
    claim(
        "rem1.match",
        "Remark 1",
        Kind.COMPLEXITY,
        "Both of these bounds match the standard existing bounds for smooth nonconvex federated optimisation [66]: "
        "K_ε and R are those of [66] up to factors free of m, ε and K",
        every(eq(G_66**4 * K_eps, C_O * K_66), eq(rounds, C_O * rounds_66)),
        title="Complexities match smooth nonconvex federated optimisation",
        hypotheses=(
            premise(_ITERATIONS, attained=True),
            premise(_ROUNDS, attained=True),
            Hypothesis("rate of [66]", "after K iterations the accuracy of [66] is G²/sqrt(mK) (Table 1)", RATE_66),
            Hypothesis(
                "rounds of [66]",
                "in K iterations [66] makes m^{3/4} K^{3/4} rounds (Table 1)",
                eq(rounds_66, m ** sp.Rational(3, 4) * K_it ** sp.Rational(3, 4)),
            ),
        ),
        note="It compares bounds; whether Remark 1's own hold is rem1.iterations and rem1.rounds, and what [66] proves "
        "is not checked.",
    ),
)

# --- Proposition 2
_RADIUS = {radius: 2 * eta_s}
PROP2 = (
    claim(
        "prop2.i",
        "Proposition 2",
        Kind.PROPERTY,
        "If X_i = R^n for all i, then ∇f_η(x) ∈ ∂_{2η} f(x) for any η > 0; so ∇f_η(x) = 0 gives 0 ∈ ∂_{2η} f(x)",
        le(grad_f_excess, 0),
        title="Smoothed gradient in the Goldstein set",
        hypotheses=(*A1, FREE),
        where=_RADIUS,
    ),
    claim(
        "prop2.ii-a",
        "Proposition 2",
        Kind.INEQUALITY,
        "If X_i = X for all i, ∇F_η(x) = 0 and η <= δ/max{2, n L_0}, then ||x - P_X(x)|| <= η n L_0",
        le(norm_res, eta_s * n * L0),
        title="Infeasibility of smoothed stationary points",
        hypotheses=(*A1, IDENTICAL, STATIONARY, CAP_PROP2),
        follows_from=("lem6.grad", "moreau-1"),
    ),
    claim(
        "prop2.ii-b",
        "Proposition 2",
        Kind.PROPERTY,
        "If X_i = X for all i, ∇F_η(x) = 0 and η <= δ/max{2, n L_0}, then 0 ∈ ∂_δ(f + I_X)(x)",
        le(gold, 0),
        title="Smoothed stationary points are Goldstein stationary",
        hypotheses=(*A1, IDENTICAL, STATIONARY, CAP_PROP2),
        follows_from=("prop2.i", "prop2.ii-a", "st.16"),
    ),
)
REM8 = claim(
    "rem8",
    "Remark 8",
    Kind.PROPERTY,
    "An approximate Clarke stationary point, dist(0, ∂_δ f(x)) <= ε, is also referred to as Goldstein stationary point",
    eq(dist_clarke, dist_goldstein),
    title="Clarke and Goldstein stationarity agree",
    hypotheses=(A1_I,),
    note="Goldstein's set is the hull of the limits of gradients at points within δ of x.",
)

# --- Table 1
_ROOT = C_O / sp.sqrt(m * K_it)
STEPSIZE_BOUND = Switch(
    "stepsize_bound",
    "this γ for every K",
    "this γ where it keeps the bound of Proposition 1 (i)",
    "the table refers to Proposition 1; its part (i) bounds γ, while part (ii), as the table, has no condition on K",
    adding=CAP_NN,
    origin="Proposition 1 (i), to which the table refers, bounds γ",
)


def _other(item: str, method: str, rate: str, rounds_text: str, assumption: str) -> Claim:
    return claim(
        f"tab1.{item}",
        "Table 1",
        Kind.COMPLEXITY,
        f"{method}: rate {rate}, communication complexity {rounds_text}, for {assumption}",
        None,
        title=TITLES[f"tab1.{item}"],
        note="A result of another paper.",
    )


TAB1 = (
    _other("66", "[66], ||∇f||²", "G²/sqrt(mK)", "m^{3/4} K^{3/4}", "bounded gradients, L-smooth nonconvex functions"),
    _other("61", "[61], ||∇f||²", "1/sqrt(mK)", "m^{3/2} K^{1/2}", "L-smooth nonconvex functions"),
    _other("21", "[21], f - f*", "1/(mK)", "m^{1/3} K^{1/3}", "L-smooth functions with the PL condition"),
    claim(
        "tab1.this",
        "Table 1",
        Kind.COMPLEXITY,
        f"FedRZO_nn, ||∇F_η||²: rate 1/sqrt(mK), communication complexity {_COMMUNICATION}, for Lipschitz functions",
        None,
        title="Table 1, FedRZO",
    ),
    claim(
        "tab1.this.rate",
        "Table 1",
        Kind.COMPLEXITY,
        "FedRZO_nn, ||∇F_η||²: rate 1/sqrt(mK) for Lipschitz functions",
        le(grad_kstar, _ROOT),
        title="Table 1, rate of FedRZO",
        hypotheses=(*PROP1_RUN, GAMMA_COM, H_COM),
        follows_from=("prop1.ii-x",),
        switches=(STEPSIZE_BOUND,),
        note="The table refers to Proposition 1: γ and H of its part (ii), for every K as there. The hidden constant "
        "may depend on everything but m and K.",
    ),
    _rounds("tab1.this.rounds", "Table 1", f"FedRZO_nn: communication complexity {_COMMUNICATION}"),
)

CLAIMS = (*PROP1, *REM1, *PROP2, REM8, *TAB1)
