"""The three lower-level methods of Remark 4 (iii), their cases, and Table 2."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.fedrzo.bilevel.notation import H_low, T_low, a_low, eps, r_up
from rateproof.theory.papers.fedrzo.bilevel.schedules import S_FEDAC, S_LFD, R_low, is_ceiling
from rateproof.theory.papers.fedrzo.bilevel.theorem import THM1_III
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import A2, H_, K_eps, L_1h, declare, m, mu_h, rounds
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint, premise
from rateproof.theory.symbols import C_O, COUNT, NONNEG, POS
from rateproof.theory.units import INNER, LOWER

#: Titles of the claims that share a maker, by id.
TITLES = {
    "tab2.lsgd": "Table 2, Local SGD",
    "tab2.fedac": "Table 2, FedAC",
    "tab2.lfd": "Table 2, LFD",
}

_R = sp.Rational
total = declare(
    "total_bl", "communication rounds of the lower level over the whole run", latex=r"\sum_r\tilde R_r", **POS
)
upper = (m * K_eps) ** _R(3, 4)

IID = H_("lower_iid", "the lower-level data of the clients are iid")
UPPER_ROUNDS = premise(THM1_III, {C_O: sp.S.One}, attained=True, about="the hidden constant being 1")
TOTAL = H_("total", "each round makes two calls of R~_r rounds, the same for all r", eq(total, 2 * rounds * R_low))
TOTAL_SUM = H_(
    "total_sum",
    "each round makes two calls, R~_r rounds each",
    eq(total, 2 * sp.Sum(m ** _R(1, 3) * ((r_up + 1) ** _R(2, 3) / m) ** _R(1, 3), (r_up, 0, rounds - 1))),
)
SUITABLE = H_(
    "suitable",
    "the settings of Corollary 1 in [30]: no constraint on y, unbiased gradients of variance at most sigma^2, smooth "
    "strongly convex h, lower-level data iid",
)
sigma2_low = declare(
    "sigma2_low_bl", "variance bound of the lower-level gradients", (INNER / LOWER) ** 2, latex=r"\sigma^2", **NONNEG
)
start2_low = declare(
    "start2_low_bl", "||y_0 - y(x)||^2 at the start of a lower-level call", LOWER**2, latex=r"\|y_0-y(x)\|^2", **NONNEG
)
#: What Corollary 1 in [30] leaves beside 1/(mu_h^2 m T~), with T~ >= m and H~ - 1 <= T~/m.
hidden_low = declare(
    "hidden_low_bl",
    "constants of the problem that O~ hides",
    (INNER / LOWER) ** 2,
    latex=r"\theta",
    defined=True,
    **NONNEG,
)
HIDDEN_LOW = L_1h / mu_h * sigma2_low + mu_h**2 * start2_low
HIDDEN = Switch(
    "hidden",
    "may depend on the problem",
    "numerical factors alone",
    "Section 1 has O~ ignore logarithmic and constant numerical factors; the result cited also hides the noise, the "
    "start and the condition number",
    {hidden_low: sp.S.One},
)
SETTINGS = Switch(
    "settings",
    "those of [30], y unconstrained",
    "Assumption 2 and iid data, Y(x) any convex set",
    "the case invokes [30] under suitable settings, but Assumption 2 (iv) allows constraints and Algorithm 3 has no "
    "projection",
    without=(SUITABLE.key,),
)
LISTED = H_(
    "S-lsgd",
    "a_r = max{m, 4 kappa_h, r} + 1, gamma~ = 1/(mu_h a_r), T~ = 2 a_r ln a_r, H~ = ceil(T~/m)",
    every(eq(T_low, 2 * a_low * sp.log(a_low)), is_ceiling(H_low, T_low / m)),
)
#: Its other reading is an equation.
CALL_LENGTH = Switch(
    "call_rounds",
    "at most m",
    "m",
    "the print has the accuracy in the R~_r = m th round; T~ iterations in rounds of ceil(T~/m) may take fewer",
)
#: A symbol of its own: R~_r as an order, such as m^{1/3}, is no whole number.
R_whole_low = declare(
    "R_whole_low_bl", "communication rounds of a lower-level call, a whole number", latex=r"\tilde R_r", **COUNT
)
CALL_ROUNDS = H_(
    "R~=ceil(T~/H~)", "R~_r = ceil(T~/H~) rounds make T~ iterations", is_ceiling(R_whole_low, T_low / H_low)
)
#: a_r >= m + 1 >= 2 by its definition.
A_FULL = H_("a_r", "a_r = max{m, 4 kappa_h, r} + 1", eq(a_low, sp.Max(m, 4 * L_1h / mu_h, r_up, evaluate=False) + 1))
A_LOW = H_("a_r>=m+1", "a_r = max{m, 4 kappa_h, r} + 1", sp.Ge(a_low, m + 1, evaluate=False))


def _total(power_m: sp.Expr, power_K: sp.Expr) -> sp.Rel:
    return le(total, C_O * m**power_m * K_eps**power_K)


def _given(source: str) -> str:
    return (
        f"Arithmetic of cited results: the rounds of a call are those of {source}, which is not checked here, K_eps "
        "and the accuracies are those of Theorem 1 (ii); only the product is proved."
    )


def _external(source: str, rounds_of: str) -> Hypothesis:
    return H_(f"external, {source}", f"the result of {source} on which the case rests: {rounds_of}")


_BOTH_ORDERS = "Theorem 1 (ii) has T~_r = O~(m^{-1}(r+1)^{2/3}), Algorithm 3 T~_r = 2 a_r ln a_r"
_AT_LEAST = ge(T_low, (r_up + 1) ** _R(2, 3) / m)
_ENOUGH = "what the accuracies need to sum up is T~_r of at least that order"
_SUM_NEEDS = "the step from eps_r = O~(1/(m T~_r)) to sum_r eps_r = O~(R^{1/3}) in the proof of Theorem 1 (ii)"
CASE1_ITERATIONS = claim(
    "case1.iterations",
    "Case 1",
    Kind.COMPLEXITY,
    "the T~_r = 2 a_r ln a_r iterations of Algorithm 3 are the T~_r = O~(m^{-1}(r+1)^{2/3}) of Theorem 1 (ii)",
    le(T_low, C_O * sp.log(a_low) * (r_up + 1) ** _R(2, 3) / m),
    title="Local SGD at the lower level, iterations",
    hypotheses=(LISTED, A_FULL),
    switches=(misprint("T~_r at least of that order", f"{_BOTH_ORDERS}; {_ENOUGH}", _AT_LEAST, _SUM_NEEDS),),
    note=f"{_BOTH_ORDERS}: one symbol for two schedules, and Case 1 invokes both. What{_ENOUGH.removeprefix('what')}.",
)
CASE1_ITERATIONS_CORRECTED = amended(
    CASE1_ITERATIONS,
    f"{_BOTH_ORDERS}, which is more; {_ENOUGH}",
    text="T~_r = 2 a_r ln a_r >= m^{-1}(r+1)^{2/3}",
    statement=_AT_LEAST,
    origin=_SUM_NEEDS,
)
CASE1 = (
    claim(
        "case1",
        "Case 1",
        Kind.COMPLEXITY,
        "Local SGD [30] with iid data: E||y_eps(x) - y(x)||^2 <= eps_r = O~(1/(mu_h^2 m T~)) in m rounds; in all "
        "O(m^{7/4} K_eps^{3/4}) rounds",
        None,
        title="Local SGD at the lower level",
    ),
    claim(
        "case1.accuracy",
        "Case 1",
        Kind.COMPLEXITY,
        "in view of Corollary 1 in [30] under suitable settings, Local SGD stopped after T~ iterations has "
        "E||y_eps(x) - y(x)||^2 <= eps_r = O~(1/(mu_h^2 m T~))",
        le(eps, C_O * hidden_low * sp.log(a_low) / (mu_h**2 * m * T_low)),
        title="Local SGD at the lower level, accuracy",
        hypotheses=(*(h for h in A2 if h.key in ("lower_level", "lower_sets")), IID, SUITABLE),
        where={hidden_low: HIDDEN_LOW},
        switches=(SETTINGS, HIDDEN),
        note="What O~ hides is written out: ln a_r, and of the problem the noise variance sigma^2, ||y_0 - y(x)||^2, "
        "bounded over r, and through [30] kappa_h. Tried on quadratics alone, where local steps and averages commute; "
        "for other lower levels it rests on Corollary 1 in [30].",
    ),
    claim(
        "case1.rounds",
        "Case 1",
        Kind.INEQUALITY,
        "T~ iterations in rounds of H~ = ceil(T~/m) local steps take at most R~_r = m rounds",
        le(R_whole_low, m),
        title="Local SGD at the lower level, rounds",
        hypotheses=(A_LOW, LISTED, CALL_ROUNDS),
        switches=(CALL_LENGTH,),
        note="The print says in the m-th round; fewer may do.",
    ),
    claim(
        "case1.total",
        "Case 1",
        Kind.COMPLEXITY,
        "m O((m K_eps)^{3/4}) = O(m^{7/4} K_eps^{3/4})",
        _total(_R(7, 4), _R(3, 4)),
        title="Local SGD at the lower level, total",
        hypotheses=(H_("R~=m", "R~_r = m rounds a call", eq(R_low, m)), UPPER_ROUNDS, TOTAL),
        follows_from=("case1.rounds", "thm1.ii", "thm1.iii"),
        note=_given("Corollary 1 in [30]"),
    ),
)
CASE2 = claim(
    "case2",
    "Case 2",
    Kind.COMPLEXITY,
    "FedAC [67] with iid data: the lower-level calls take O(m^{1/3}) rounds, in all O(m^{13/12} K_eps^{3/4})",
    _total(_R(13, 12), _R(3, 4)),
    title="FedAC at the lower level",
    hypotheses=(
        IID,
        _external("Theorem 3.1 in [67]", "O(m^{1/3}) rounds a call"),
        H_("R~=m^(1/3)", "R~_r = m^{1/3} rounds a call", eq(R_low, m ** _R(1, 3))),
        UPPER_ROUNDS,
        TOTAL,
    ),
    schedule=S_FEDAC,
    follows_from=("thm1.ii", "thm1.iii"),
    note=_given("Theorem 3.1 in [67]"),
)
CASE3 = claim(
    "case3",
    "Case 3",
    Kind.COMPLEXITY,
    "LFD [23] with heterogeneous data: m^{1/3} T~^{1/3} rounds a call, T~ = O~(m^{-1}(r+1)^{2/3}), in all "
    "sum_{r=0}^{(m K_eps)^{3/4}} O~(r^{2/9}) = O~((m K_eps)^{11/12})",
    le(total, C_O * (m * K_eps) ** _R(11, 12)),
    title="LFD at the lower level",
    hypotheses=(_external("Theorem 4.2 in [23]", "m^{-1/3} T~^{2/3} local steps a round"), UPPER_ROUNDS, TOTAL_SUM),
    schedule=S_LFD,
    follows_from=("thm1.ii", "thm1.iii", "st.18"),
    note=_given("Theorem 4.2 in [23]"),
)


def _row(item: str, solver: str, per_call: str, of_total: str, case: Claim) -> Claim:
    relations = {"R~=m", "R~=m^(1/3)", UPPER_ROUNDS.key, "total", "total_sum"}
    return claim(
        f"tab2.{item}",
        "Table 2",
        Kind.COMPLEXITY,
        f"{solver}: m^{{3/4}} K^{{3/4}} rounds of the upper level, {per_call} lower ones a call, {of_total} in all",
        every(le(rounds, C_O * m ** _R(3, 4) * K_eps ** _R(3, 4)), case.statement),
        title=TITLES[f"tab2.{item}"],
        hypotheses=tuple(h for h in case.hypotheses if h.key in relations),
        schedule=case.schedule,
        follows_from=("thm1.ii", "thm1.iii", case.id.removeprefix("fedrzo.")),
        note=case.note,
    )


TAB2 = (
    _row("lsgd", "Local SGD [30], iid", "m", "m^{7/4} K^{3/4}", CASE1[3]),
    _row("fedac", "FedAC [67], iid", "m^{1/3}", "m^{13/12} K^{3/4}", CASE2),
    _row("lfd", "LFD [23], heterogeneous", "m^{1/3} K~^{1/3}", "m^{11/12} K^{11/12}", CASE3),
)
CASES = (*CASE1, CASE1_ITERATIONS, CASE1_ITERATIONS_CORRECTED, CASE2, CASE3, *TAB2)
