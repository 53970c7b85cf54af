"""What the paper says of its bounds: against (8), against local training, and against equal weights.

They are comparisons of right sides. Against (8) K stands in the place of ``K log K``: that is a factor ``(log
K)^(1/4)`` where ``nu_H + log(1/delta)`` is not above K, and less where it is. Against local training and (7) they are
limits, which hold. Against equal weights the bound of Corollary 1 is smaller for some G only: with equal constants it
is larger wherever ``epsilon >= (K - J)^(1/2)/K``, and what is needed is that ``epsilon`` and ``n_train^(-1/2)`` are
small against that and G.
"""

import sympy as sp

from rateproof.theory.claim import Kind, Switch
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.proof import Proof, cite, exponential, have, logarithm, qed, raised, supposed, unfold
from rateproof.theory.shorthand import amended, claims_in, every, ge, gt, le
from rateproof.theory.symbols import COUNT, POS
from rateproof.theory.units import ONE

_R = sp.Rational
#: For ``0 < delta < 1`` it is any positive number.
_log = p.declare("log_1_delta", "log(1/delta)", latex=r"\log(1/\delta)", **POS)
small = p.declare("small_o", "what o(.) stands for, as small as one likes", latex="a", **POS)
C_c = p.declare("C_cor", "constant of Corollary 1", p.LOSS, latex="C", **POS)
_of_K, _of_J, _none = (p.nu + size + _log for size in (p.K, p.J, 0))
# --- (8), and what (7) improves of it

EQ8 = p.claim(
    "eq8",
    "Section 3, after Theorem 1",
    Kind.BOUND,
    "L_0(theta^(w)) - L_0(theta*) <= C_g' ((nu_H + log(1/delta))/n_valid)^(1/2) + C_g' (beta/mu)^(1/2) ((nu_H + K log "
    "K + log(1/delta))/(K n_train))^(1/4) + L_0(theta(w)) - L_0(theta*) for weights with 1/beta <= w_k/w_j <= beta",
    None,
    equation="8",
    title="A bound for given weights, quoted",
    note="Quoted of another paper, whose bound is transferred without proof; l_0 and the unit of the second term are "
    "missing in it.",
)
_with, _without = (p.nu + p.K * sp.log(p.K) + _log) / (p.K * p.n_train), _of_K / (p.K * p.n_train)
TWO, THREE = (p.H_(f"K>={least}", f"K >= {least}", ge(p.K, least)) for least in (2, 3))
FEW = p.H_("nu<=K", "nu_H + log(1/delta) <= K", le(p.nu + _log, p.K))
_FACTOR = le(_without * sp.log(p.K), 2 * _with)
LOGK = p.stated(
    "Section 3, after Theorem 1",
    "rem-logK",
    "For b = c/K the right side of (7) improves the first two terms of (8) by a log K term: under the fourth root it "
    "has K where (8) has K log K, at most twice what (8) has there",
    le(_without, 2 * _with),
    title="Theorem 1 improves (8) by log K",
    note="For b = c/K, (7) has c^2 (nu_H + K + log(1/delta))/(K n_train) under the root. With K for K log K that is "
    "less for K >= 3, and for K = 2 up to a constant, as log 2 < 1.",
    switches=(
        Switch(
            "K",
            "any K",
            "K >= 2",
            "for K = 1 there is no log K term",
            adding=(TWO,),
            origin="log(K), which is 0 for K = 1",
        ),
        Switch(
            "term",
            "K in the place of K log K",
            "a factor log K, up to a constant, of all that stands under the root",
            "'by a log(K) term' may be said of a factor; nu_H + log(1/delta) stands beside K and K log K",
            statement=_FACTOR,
        ),
    ),
)
_ONE, _HALF = logarithm("log K", sp.E / p.K), logarithm("log K", p.K, below=True)
LOGK_CORRECTED = amended(
    LOGK,
    "for K = 1 there is no log K term, and nu_H + log(1/delta) may be as small as one likes",
    text="For K >= 2 what (7) has under the fourth root is at most twice what (8) has",
    hypotheses=(TWO,),
    note="",
    proof=Proof(_HALF, qed(by=["log K", supposed(TWO.key)])),
)
_NU = "where nu_H is above K log K it decides both terms, so that there is no factor log K"
LOGK_FACTOR = amended(
    LOGK,
    _NU,
    part="factor",
    text="For K >= 3 and nu_H + log(1/delta) <= K what (7) has under the fourth root is at most 2/log K times what (8) "
    "has",
    statement=_FACTOR,
    hypotheses=(THREE, FEW),
    note="Without the second condition it is not: for any other constant than 2 a larger K, and nu_H = K^2, will do.",
    proof=Proof(_ONE, qed(by=["log K", supposed(THREE.key), supposed(FEW.key)])),
)
LOGK_MOST = amended(
    LOGK,
    _NU,
    part="most",
    text="For K >= 3 what (7) has under the fourth root is at most what (8) has, and at least 1/log K times that",
    statement=every(le(_without, _with), ge(_without * sp.log(p.K), _with)),
    hypotheses=(THREE,),
    note="For K = 2 a constant is needed, as log 2 < 1.",
    proof=Proof(_ONE, *(qed(by=["log K", supposed(THREE.key)], of=part) for part in (0, 1))),
)

# --- Corollary 1 against local training

A3 = p.A3
_v, _t = (1 / (2 * p.r), 1 / (4 * p.r))
FIRST = p.H_(
    "G=o(n_valid)",
    "G = o(n_valid^(1/(2r) - 1/2)): at most a times that",
    le(p.G, small * p.n_valid ** (_v - _R(1, 2))),
)
SECOND = p.H_(
    "G=o(n_train/n_valid)",
    "G = o(n_train^(1/(4r))/n_valid^(1/2)): at most a times that",
    le(p.G * p.n_train**-_t, small / sp.sqrt(p.n_valid)),
)
MORE_DATA = p.H_(
    "n_train>>n_valid",
    "n_train is much larger than n_valid: n_valid <= a^2 n_train",
    le(p.n_valid, small**2 * p.n_train),
)
_COR1 = 1 / sp.sqrt(p.n_train) + p.G * (p.n_valid**-_v + p.n_train**-_t)
COR1 = p.composite(
    "rem-cor1",
    "Section 3, after Corollary 1",
    "Corollary 1 against local training",
    "Where G is small the bound of Corollary 1 is o(n_valid^(-1/2)), and smaller than that of Proposition 1",
)
COR1_I = p.stated(
    "Section 3, after Corollary 1",
    "rem-cor1.i",
    "For G = o(n_valid^(1/(2r) - 1/2)) and G = o(n_train^(1/(4r))/n_valid^(1/2)) the bound of Corollary 1 is "
    "o(n_valid^(-1/2)): with a for what o(.) stands for, at most 3 a n_valid^(-1/2)",
    le(_COR1, 3 * small / sp.sqrt(p.n_valid)),
    title="Corollary 1 for a small distance",
    hypotheses=(FIRST, SECOND, MORE_DATA, A3),
    follows_from=("cor1",),
    proof=Proof(
        have("data", le(1 / p.n_train, small**2 / p.n_valid), by=[supposed(MORE_DATA.key)]),
        raised("root", "data", to=_R(1, 2)),
        qed(by=["root", supposed(FIRST.key), supposed(SECOND.key)]),
    ),
)
LITTLE = p.H_(
    "a small",
    "a is so small that 3 C a <= 2 C_0 (nu_H + log(1/delta))^(1/2)",
    le(9 * C_c**2 * small**2, 4 * p.C_0**2 * _none),
)
COR1_II = p.stated(
    "Section 3, after Corollary 1",
    "rem-cor1.ii",
    "(P^) has then a better guarantee than local training: the bound of Corollary 1 is at most that of Proposition 1",
    le(C_c * _COR1, 2 * p.C_0 * sp.sqrt(_none / p.n_valid)),
    title="Corollary 1 against Proposition 1",
    hypotheses=(FIRST, SECOND, MORE_DATA, A3, LITTLE),
    follows_from=("rem-cor1.i", "prop1"),
    proof=Proof(
        have(
            "little", le(9 * C_c**2 * small**2 / p.n_valid, 4 * p.C_0**2 * _none / p.n_valid), by=[supposed(LITTLE.key)]
        ),
        raised("roots", "little", to=_R(1, 2)),
        qed(by=[cite(COR1_I), "roots"]),
    ),
)

# --- Corollary 2 against Theorem 1

_A, _B = _none / p.n_valid, p.K * p.b**2 * _of_K / p.n_train
_FIRST_40 = p.J * p.b**2 * _of_J / p.n_train
_SECOND_7 = p.l0 / sp.sqrt(p.mu) * _B ** _R(1, 4)
THIRD = p.H_(
    "G=o(n_train)",
    "G = o(n_train^(1/(4r) - 1/4)): at most a times that",
    le(p.G * p.n_train ** (_R(1, 4) - _t), small),
)
COR2 = p.composite(
    "rem-cor2",
    "Appendix D, after Corollary 2",
    "Corollary 2 against Theorem 1",
    "For n_train much larger than n_valid, and G small, the terms of (40) are smaller than those of (7), so that "
    "(40) is tighter",
)
COR2_I = p.stated(
    "Appendix D, after Corollary 2",
    "rem-cor2.i",
    "For n_train much larger than n_valid the first term of (40) is smaller than the right side of (7), with equal "
    "constants: at most a b (J (nu_H + J + log(1/delta))/(nu_H + log(1/delta)))^(1/2) times that",
    le(sp.sqrt(_FIRST_40), small * p.b * sp.sqrt(p.J * _of_J / _none) * (sp.sqrt(_A) + _SECOND_7)),
    title="The first term of (40)",
    hypotheses=(MORE_DATA, p.CAP, p.A2J),
    follows_from=("cor2", "thm1"),
    note="Where B <= 1 and l_0 >= mu^(1/2), it is at most the second term of (7) whatever n_valid.",
    proof=Proof(
        have("inside", le(_FIRST_40, small**2 * p.J * p.b**2 * _of_J / p.n_valid), by=[supposed(MORE_DATA.key)]),
        raised("root", "inside", to=_R(1, 2)),
        qed(by=["root"]),
    ),
)


#: ``B`` times n_train, which is at least 1.
_D = p.declare("D_train", "K b^2 (nu_H + K + log(1/delta))", latex="(n_{\\rm train}B)", defined=True, **POS)
COR2_II = p.stated(
    "Appendix D, after Corollary 2",
    "rem-cor2.ii",
    "For G = o(n_valid^(1/(2r) - 1/2)) the second term of (40) is smaller than the first of (7): at most a (nu_H + "
    "log(1/delta))^(1/(2r) - 1/2) times that",
    le(p.G * _none**_v * p.n_valid**-_v, small * _none**_v / sp.sqrt(p.n_valid)),
    title="The second term of (40)",
    hypotheses=(FIRST, A3),
    follows_from=("cor2", "thm1"),
    proof=Proof(qed(by=[supposed(FIRST.key)])),
)
COR2_III = p.stated(
    "Appendix D, after Corollary 2",
    "rem-cor2.iii",
    "For G = o(n_train^(1/(4r) - 1/4)) the third term of (40) is smaller than the second of (7): at most a times "
    "B^(1/4)",
    le(p.G * _D**_t * p.n_train**-_t, small * _D ** _R(1, 4) * p.n_train ** -_R(1, 4)),
    title="The third term of (40)",
    hypotheses=(THIRD, A3, p.CAP),
    follows_from=("cor2", "thm1"),
    where={_D: p.K * p.b**2 * _of_K},
    note="B is K b^2 (nu_H + K + log(1/delta))/n_train, where the first three factors are at least 1 as b >= 1/K.",
    proof=Proof(
        have("size", le(1, _D), by=[supposed(p.CAP.key), unfold(_D)]),
        have("not 0", gt(_D, 0), by=["size"]),
        raised("power", "size", to=_t),
        logarithm("log", _D, below=True, by=["not 0"]),
        have("powers", le(_t * sp.log(_D), sp.log(_D) / 4), by=["log", "size", supposed(A3.key)]),
        exponential("more", "powers"),
        qed(by=[supposed(THIRD.key), "power", "more"]),
    ),
)

# --- Corollary 1 against equal weights

eps = p.declare("eps_10", "the right side of (10)", latex=r"\varepsilon", **POS)
others = p.declare("K_other", "number of the nodes that are not in J, K - J", latex="(K-J)", **COUNT)
OF_10 = p.H_("(10)", "epsilon is the right side of (10)")
GROUPS = p.H_("K-J>=1", "J of the nodes have the distribution of the target, and K - J >= 1 have not", ge(others, 1))
_K = p.J + others
of_40, of_prop, share = (
    p.declare(name, text, unit, latex=latex, defined=True, **POS)
    for name, text, unit, latex in (
        ("first_40", "first term of (40)", p.LOSS, "f"),
        ("first_prop", "first term of Proposition 2", p.LOSS, "f'"),
        ("share_out", "(K - J)^(1/2)/K", ONE, "s"),
    )
)
_TERMS = {
    of_40: C_c * sp.sqrt(_FIRST_40),
    of_prop: C_c * sp.sqrt((p.nu + _K + _log) / (_K * p.n_train)),
    share: sp.sqrt(others) / _K,
}
_OF_COR, _OF_PROP = of_40 + 2 * eps * p.G, of_prop + 2 * share * p.G
LARGE = p.H_(
    "eps<=bJ^(1/2)/(K-J)", "epsilon <= b J^(1/2)/(K - J), as (40) supposes", le(eps, p.b * sp.sqrt(p.J) / others)
)
BELOW_1 = p.H_("b<=1", "b <= 1", le(p.b, 1))
NOT_EMPTY = p.H_("bJ>=1", "W* is not empty: b J >= 1", ge(p.b * p.J, 1))
NEAR = p.H_("eps<=", "epsilon <= (K - J)^(1/2)/(2 K)", le(2 * _K * eps, sp.sqrt(others)))
APART = p.H_(
    "G>=",
    "G >= C K (J b^2 (nu_H + J + log(1/delta))/(n_train (K - J)))^(1/2)",
    le(C_c**2 * _FIRST_40, p.G**2 * others / _K**2),
)
PROP2 = p.stated(
    "Appendix E, after Proposition 2, and Section 3, after Corollary 1",
    "rem-prop2",
    "The bound of Proposition 2 for equal weights is strictly worse than that of Corollary 1 for any value of G",
    gt(_OF_PROP, _OF_COR),
    title="Corollary 1 against equal weights",
    hypotheses=(GROUPS, A3, BELOW_1, NOT_EMPTY, OF_10, LARGE),
    where=_TERMS,
    follows_from=("cor1", "prop2"),
    note="With the terms of (40) for Corollary 1 and one constant C in both bounds; that of (40) is the larger one.",
    switches=(
        Switch(
            "n_train",
            "any that Corollary 1 admits",
            "so large that epsilon and n_train^(-1/2) are small against G",
            "it is the factor epsilon of G that is to be small",
            adding=(NEAR, APART),
            origin="o(G) in the next sentence, a limit for a given G",
        ),
    ),
)
PROP2_CORRECTED = amended(
    PROP2,
    "with equal constants the bound of Corollary 1 is the larger one for G = 0, and for every G where epsilon >= (K - "
    "J)^(1/2)/K",
    text="As printed where epsilon <= (K - J)^(1/2)/(2 K) and G >= C K (J b^2 (nu_H + J + log(1/delta))/(n_train (K - "
    "J)))^(1/2)",
    hypotheses=(*PROP2.hypotheses, NEAR, APART),
    follows_from=("cor2.corrected", "prop2.corrected"),
    proof=Proof(
        have("far", le(C_c**2 * _FIRST_40, p.G**2 * others / _K**2), by=[supposed(APART.key)]),
        raised("root", "far", to=_R(1, 2)),
        have("first", le(of_40, share * p.G), by=["root", unfold(of_40), unfold(share)]),
        have("near", le(2 * eps, share), by=[supposed(NEAR.key), unfold(share)]),
        have("second", le(2 * eps * p.G, share * p.G), by=["near"]),
        have("positive", gt(of_prop, 0), by=[unfold(of_prop)]),
        qed(by=["first", "second", "positive"]),
    ),
)
CLAIMS = claims_in(globals())
