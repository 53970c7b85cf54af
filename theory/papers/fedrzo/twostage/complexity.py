"""Theorem 2 (iii) and Remark 6 (i): iteration complexities of Algorithm 4."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Reason, Switch
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import A3, D0, K_eps, m
from rateproof.theory.papers.fedrzo.twostage.notation import (
    A3_QUERIED,
    COM_EPS,
    EPSILON,
    K_0,
    MISSED,
    QUERIED,
    STEPSIZE_BOUND,
    WHERE,
    WHERE_VI,
    B_y,
    Th1,
    Th2,
    Th3,
    Th4,
    Th5,
)
from rateproof.theory.papers.fedrzo.twostage.theorem2 import ALSO, QUERIES, RULE, RUN_III
from rateproof.theory.shorthand import big_o, eq, every, le, misprint
from rateproof.theory.symbols import epsilon

_FIRST = (Th1**2 + Th2**2 * Th5**2) / (m * epsilon**2)
_SECOND = B_y * Th2 * Th4
_THIRD = B_y * Th3 / epsilon
_THIRDS = m ** sp.Rational(1, 3) * epsilon ** sp.Rational(2, 3)
_TILDE = "O~ hides logarithms and constant numerical factors (Section 1)."
#: Of the printed claims, all of which have no bound on gamma, as part (iii) has none.
_NEEDED = (
    "Read as the least number of iterations that give epsilon; the least from which on they do is no smaller, and all "
    "that refutes the one refutes the other."
)
_HIDDEN = "The hidden constant may depend on everything but m and epsilon."
_K_EPS = "K_eps, the number of iterations such that E||grad F_eta(xbar_{k*})||^2 <= epsilon, is"
_SECOND_TERM = Hypothesis(
    "second_term",
    "K is the number at which B Theta_2 Theta_4/sqrt(m K^3) falls to epsilon",
    eq(K_eps**3 * m * epsilon**2, _SECOND**2),
)
_MENDED = ((D0**2 + Th1**2 + Th2**2 * Th5**2) / (m * epsilon**2), _SECOND ** sp.Rational(2, 3) / _THIRDS, _THIRD)
EPSILON_0 = Switch(
    "accuracies",
    "any epsilon > 0",
    "epsilon so small that 1 + K_0 <= (D_0^2 + Theta_1^2 + Theta_2^2 Theta_5^2)/(m epsilon^2)",
    "O~(.) is read for epsilon below a threshold that may depend on what is held fixed; the K_0 iterations from which "
    "on gamma = sqrt(m/K) meets its bound are then no more than the first term",
    adding=(
        Hypothesis(
            "epsilon<=epsilon_0",
            "1 + K_0 <= (D_0^2 + Theta_1^2 + Theta_2^2 Theta_5^2)/(m epsilon^2)",
            le(1 + K_0, _MENDED[0]),
        ),
    ),
    origin="part (ii), whose bound part (iii) takes, has a condition on gamma; Remark 6 (i) has epsilon <= 1/m",
)
PART_III = (
    claim(
        "thm2.iii",
        "Theorem 2 (iii)",
        Kind.COMPLEXITY,
        f"Under Assumption 3, {RULE}, any epsilon > 0: {_K_EPS} O~((Theta_1^2 + Theta_2^2 Theta_5^2)/(m epsilon^2) "
        "+ (B Theta_2 Theta_4)^{4/3}/(m^{1/3} epsilon^{2/3}) + B Theta_3/epsilon)",
        big_o(K_eps, _FIRST, _SECOND ** sp.Rational(4, 3) / _THIRDS, _THIRD),
        title="Iteration complexity, two stages",
        hypotheses=(*A3, *RUN_III, *COM_EPS, MISSED, EPSILON),
        where=WHERE | WHERE_VI,
        follows_from=("thm2.iii-x",),
        explicit="thm2.iii-x",
        switches=(
            STEPSIZE_BOUND,
            misprint(
                "D_0^2 beside Theta_1^2, and the exponent 2/3 of B Theta_2 Theta_4",
                "the terms of the bound are solved for K",
                big_o(K_eps, *_MENDED),
                "thm2.iii-x, the bound of the proof, has 8 D_0 + 8 Theta_1 and K^{3/2}",
            ),
            QUERIED,
            EPSILON_0,
        ),
        note=f"{_TILDE} {_NEEDED}",
    ),
    claim(
        "thm2.iii.exponent",
        "Theorem 2 (iii)",
        Kind.COMPLEXITY,
        "the K with B Theta_2 Theta_4/sqrt(m K^3) = epsilon, the second term of the proof's bound without its "
        "logarithm, is O((B Theta_2 Theta_4)^{4/3}/(m^{1/3} epsilon^{2/3}))",
        big_o(K_eps, _SECOND ** sp.Rational(4, 3) / _THIRDS),
        title="Second term of the iteration complexity",
        hypotheses=(EPSILON, _SECOND_TERM),
        where={s: WHERE[s] for s in (Th2, Th4)},
        note="The step from the proof's bound to the second term of the theorem.",
    ),
    claim(
        "thm2.iii.exponent.corrected",
        "Theorem 2 (iii)",
        Kind.COMPLEXITY,
        "the K with B Theta_2 Theta_4/sqrt(m K^3) = epsilon is O((B Theta_2 Theta_4)^{2/3}/(m^{1/3} epsilon^{2/3}))",
        big_o(K_eps, _SECOND ** sp.Rational(2, 3) / _THIRDS),
        title="Second term of the iteration complexity",
        hypotheses=(EPSILON, _SECOND_TERM),
        where={s: WHERE[s] for s in (Th2, Th4)},
        reading=Reading.CORRECTED,
        amends="thm2.iii.exponent",
        origin="the bound of the proof, from which the term comes",
        why="K^{3/2} = B Theta_2 Theta_4/(sqrt(m) epsilon) has the exponent 2/3",
    ),
    claim(
        "thm2.iii.corrected",
        "Theorem 2 (iii)",
        Kind.COMPLEXITY,
        f"Under Assumption 3 with {ALSO}, {RULE}, any epsilon > 0: {_K_EPS} O~(1 + K_0 + (D_0^2 + Theta_1^2 "
        "+ Theta_2^2 Theta_5^2)/(m epsilon^2) + (B Theta_2 Theta_4)^{2/3}/(m^{1/3} epsilon^{2/3}) + B "
        "Theta_3/epsilon), K_0 = max{256 m (L_0^imp n + 1)^2/eta^2, 16 864^2 B_2^4 Theta_2^2/m}",
        big_o(
            K_eps,
            sp.S.One,
            K_0,
            (D0**2 + Th1**2 + Th2**2 * Th5**2) / (m * epsilon**2),
            _SECOND ** sp.Rational(2, 3) / _THIRDS,
            _THIRD,
        ),
        title="Iteration complexity, two stages",
        hypotheses=(*A3_QUERIED, *RUN_III, *COM_EPS, MISSED, EPSILON),
        where=WHERE | WHERE_VI,
        follows_from=("thm2.iii-x.corrected", "thm2.iii.exponent.corrected"),
        explicit="thm2.iii-x.corrected",
        reading=Reading.CORRECTED,
        amends="thm2.iii",
        why=(
            QUERIES,
            "D_0 and the step conditions of part (ii) are dropped",
            Reason("the exponent 4/3 should be 2/3", "fedrzo.thm2.iii.exponent"),
            "the first iteration, which the schedule needs however large epsilon is, is not counted",
        ),
        note=f"{_TILDE} The proof bounds the least number from which on all do.",
    ),
)

# --- Remark 6 (i)
_SHORT = f"Under Assumption 3, {RULE}"
_ORDERS = (1 / (m * epsilon**2), 1 / _THIRDS, 1 / epsilon)
SMALL = Hypothesis("epsilon<=1/m", "epsilon <= 1/m", le(m * epsilon, 1))
SMALL_EPSILON = Switch(
    "accuracies",
    "any epsilon > 0",
    "epsilon <= 1/m",
    "O~(.) is read for epsilon below a threshold that may depend on m; m iterations are then at most 1/(m epsilon^2)",
    adding=(SMALL,),
    origin="the remark itself goes on with epsilon <= 1/m",
)
_HYP = (*A3, *RUN_III, *COM_EPS, MISSED, EPSILON)
_HYP_Q = (*A3_QUERIED, *RUN_III, *COM_EPS, MISSED, EPSILON)
_SHORT_Q = f"Under Assumption 3 with {ALSO}, {RULE}"
REM6_I = (
    claim(
        "rem6.i",
        "Remark 6 (i)",
        Kind.COMPLEXITY,
        "K_eps = O~(1/(m epsilon^2) + 1/(m^{1/3} epsilon^{2/3}) + 1/epsilon); if epsilon <= 1/m, every term is at most "
        "1/(m epsilon^2)",
        None,
        title="Iterations in the accuracy, two stages",
        follows_from=("thm2.iii",),
    ),
    claim(
        "rem6.i.rate",
        "Remark 6 (i)",
        Kind.COMPLEXITY,
        f"{_SHORT}: K_eps = O~(1/(m epsilon^2) + 1/(m^{{1/3}} epsilon^{{2/3}}) + 1/epsilon)",
        big_o(K_eps, *_ORDERS),
        title="Iteration rate, two stages",
        hypotheses=_HYP,
        where=WHERE | WHERE_VI,
        follows_from=("thm2.iii",),
        explicit="thm2.iii-x",
        switches=(STEPSIZE_BOUND, QUERIED, SMALL_EPSILON),
        note=f"{_HIDDEN} {_NEEDED}",
    ),
    claim(
        "rem6.i.comparison",
        "Remark 6 (i)",
        Kind.INEQUALITY,
        "if epsilon <= 1/m, then 1/(m^{1/3} epsilon^{2/3}) <= 1/(m epsilon^2) and 1/epsilon <= 1/(m epsilon^2)",
        every(le(_ORDERS[1], _ORDERS[0]), le(_ORDERS[2], _ORDERS[0])),
        title="Leading term for small accuracies",
        hypotheses=(EPSILON, SMALL),
    ),
    claim(
        "rem6.i.small",
        "Remark 6 (i)",
        Kind.COMPLEXITY,
        f"{_SHORT}, epsilon <= 1/m: K_eps = O~(1/(m epsilon^2))",
        big_o(K_eps, _ORDERS[0]),
        title="Iterations for small accuracies, two stages",
        hypotheses=(*_HYP, SMALL),
        where=WHERE | WHERE_VI,
        follows_from=("rem6.i.rate", "rem6.i.comparison"),
        explicit="thm2.iii-x",
        switches=(STEPSIZE_BOUND, QUERIED),
        note=f"{_HIDDEN} {_NEEDED}",
    ),
    claim(
        "rem6.i.rate.corrected",
        "Remark 6 (i)",
        Kind.COMPLEXITY,
        f"{_SHORT_Q}: K_eps = O~(m + 1/(m epsilon^2) + 1/(m^{{1/3}} epsilon^{{2/3}}) + 1/epsilon)",
        big_o(K_eps, m, *_ORDERS),
        title="Iteration rate, two stages",
        hypotheses=_HYP_Q,
        where=WHERE | WHERE_VI,
        follows_from=("thm2.iii.corrected",),
        explicit="thm2.iii-x.corrected",
        reading=Reading.CORRECTED,
        amends="rem6.i.rate",
        why=(QUERIES, "the stepsize sqrt(m/K) is small enough only from K of order m on"),
        note=f"{_HIDDEN} The proof bounds the least number from which on all do.",
    ),
    claim(
        "rem6.i.small.corrected",
        "Remark 6 (i)",
        Kind.COMPLEXITY,
        f"{_SHORT_Q}, epsilon <= 1/m: K_eps = O~(1/(m epsilon^2))",
        big_o(K_eps, _ORDERS[0]),
        title="Iterations for small accuracies, two stages",
        hypotheses=(*_HYP_Q, SMALL),
        where=WHERE | WHERE_VI,
        follows_from=("rem6.i.rate.corrected", "rem6.i.comparison"),
        explicit="thm2.iii-x.corrected",
        reading=Reading.CORRECTED,
        amends="rem6.i.small",
        why=QUERIES,
        note=f"{_HIDDEN} The proof bounds the least number from which on all do.",
    ),
)
CLAIMS: tuple[Claim, ...] = (*PART_III, *REM6_I)
