"""Theorem D.11, which is Theorems 3.4 and C.1, and the steps of its proof."""

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.mefbo import lemma_d5
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_d6 import MOVED
from rateproof.theory.papers.mefbo.lemma_d8 import L_THETA_SQUARED, LYAPUNOV_WHERE, SIGNS, SMALL_CLIENT_STEPS
from rateproof.theory.papers.mefbo.one_round import END, NORMAL_CONE, ROUND, fx, fy, gx, gy, inside, s, sx, wider, x, y
from rateproof.theory.papers.mefbo.schedules import CONDITIONS, S_DEC, S_FIXED, WHERE
from rateproof.theory.papers.mefbo.theorem34 import FIXED, P_QUARTER, WHOLE_SPACES
from rateproof.theory.papers.mefbo.theorem_c1 import DECREASING, EXPONENTS
from rateproof.theory.proof import (
    SEQUENCES,
    NormalCone,
    Proof,
    Setting,
    cite,
    have,
    lipschitz,
    logarithm,
    projection,
    qed,
    raised,
    special,
    total,
    unfold,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint, restated
from rateproof.theory.symbols import C_O, NONNEG, POS
from rateproof.theory.units import INNER, LENGTH, OUTER

_R = sp.Rational
declare = p.declare

R_fixed = declare(
    "R_fixed",
    "min over t < T of E R_t(x^{t+1}, y^{t+1}) with fixed steps",
    p.FORCE2,
    latex=r"\min_{t<T}\mathbb E[R_t^{\rm fix}(z^{t+1})]",
    **NONNEG,
)
grad_F = p.formula("grad_F", "min_{t<T} E ||grad F(x^{t+1}, y^{t+1})||", OUTER / LENGTH, **NONNEG)
sum_moved = declare(
    "sum_moved",
    "sum_t (4 K L_theta^2/(rho lambda_theta)) (E||x^{t+1} - x^t||^2 + E||y^{t+1} - y^t||^2) + (1/(64 K L_theta^2)) "
    "(L_2^2 + 1/gamma^2) lambda_theta rho gap^2",
    INNER,
    latex=r"\sum_{t<T}\{\frac{4KL_\theta^2}{\rho\lambda_\theta}(\|\Delta x\|^2+\|\Delta y\|^2)+\dots\}",
    **NONNEG,
)
sum_l = p.formula("sum_l", "sum_{t<T} lambda_theta", p.STEP, **POS)
sum_l2 = p.formula("sum_l2", "sum_{t<T} lambda_theta^2", p.STEP**2, **POS)
sum_e2l = p.formula("sum_e2l", "sum_{t<T} eta_theta^2 lambda_theta", p.STEP**3, **POS)
sum_l2e2 = p.formula("sum_l2e2", "sum_{t<T} lambda_theta^2 eta_theta^2", p.STEP**4, **POS)
sum_lR = p.formula("sum_lR", "sum_{t<T} lambda_theta R_t(x^{t+1}, y^{t+1})", INNER, **NONNEG)
err_sqrt_x = p.formula("err_sqrt_x", "||grad_x Phi_{c_t}(z^t) - htilde_x||", p.FORCE, **NONNEG)
err_sqrt_y = p.formula("err_sqrt_y", "||grad_y Phi_{c_t}(z^t) - htilde_y||", p.FORCE, **NONNEG)
gap = p.formula("gap", "||theta^t - theta*_gamma(z^t)||", LENGTH, **NONNEG)
C_R = declare("C_R", "constant C_R of (109)", **{"positive": True})
dist_e = declare(
    "dist_e",
    "dist((e_x, e_y), grad Upsilon_{c_t}(z^{t+1}) + N(z^{t+1}))",
    p.FORCE,
    latex=r"\operatorname{dist}((e_x,e_y),\nabla\Upsilon_{c_t}(z^{t+1})+\mathcal N(z^{t+1}))",
    **NONNEG,
)
cone_x = declare(
    "cone_x",
    "<-h_x - (x^{t+1} - x^t)/lambda_x, v - x^{t+1}>, for any v in X",
    INNER,
    latex=r"\langle-h_x-(x^{t+1}-x^t)/\lambda_x,v-x^{t+1}\rangle",
)
cone_y = declare(
    "cone_y",
    "<-h_y - (y^{t+1} - y^t)/lambda_y, v - y^{t+1}>, for any v in Y",
    INNER,
    latex=r"\langle-h_y-(y^{t+1}-y^t)/\lambda_y,v-y^{t+1}\rangle",
)

_SCHEDULES = p.H_(
    "S-dec or S-fixed",
    "(i) speaks of the decreasing steps with 0 < p < (1 - q)/2, (ii) of the fixed ones with 0 < p < 1/4",
)
THEOREM_D11 = p.claim(
    "thmD.11",
    "Theorem D.11",
    Kind.BOUND,
    "(i) decreasing steps: the rate (21), printed as (99); (ii) fixed steps: the rate (14), printed as (101)",
    every(le(p.R_best, C_O * p.RATE_DECREASING), le(R_fixed, C_O * p.RATE_FIXED)),
    equation="99",
    title="Rates with both kinds of steps",
    hypotheses=(*p.RUN, p.ONE_PENALTY, _SCHEDULES, *EXPONENTS[:2], *CONDITIONS),
    where=WHERE,
    follows_from=("lemD.8", "thmD.11-103", "thmD.11-110"),
    switches=(WHOLE_SPACES,),
)
GRAD_F = p.claim(
    "thmD.11-gradF",
    "proof of Theorem D.11",
    Kind.BOUND,
    "For 0 < p < (1-q)/2: min E[grad F(x^{t+1}, y^{t+1})] = O((1/P) (1/(T^(1-q-2p) tau^(1/2)) + tau^(1/2) (n - P)/"
    "(T^(1-q-2p) n) + 1/(T^(3/2-q-2p) tau^(1/4)))), which ensures the convergence of grad F",
    le(grad_F, C_O * p.rate_of(1 - p.q - 2 * p.p, _R(3, 2) - p.q - 2 * p.p)),
    equation="113",
    title="Convergence of the upper gradient",
    hypotheses=(*p.RUN, p.ONE_PENALTY, *EXPONENTS, DECREASING, *CONDITIONS),
    where=WHERE,
    schedule=S_DEC,
    follows_from=("thmD.11",),
    note="Read with the norm of grad F, which need not vanish at a solution.",
)
MOVES = 4 * p.K * p.L_theta**2 / (p.rho * p.lambda_theta) * (p.step_x + p.step_y)
TRACKS = p.G2 * p.lambda_theta * p.rho * p.gap2 / (64 * p.K * p.L_theta**2)
D11_103 = p.claim(
    "thmD.11-103",
    "proof of Theorem D.11",
    Kind.BOUND,
    "The telescoped sum of (102) is at most O(M_1'/(P sqrt(tau))) + O(M_2' (1/P) ((n-P)/(n-1)) sqrt(tau)) + "
    "O(sqrt(tau) (1/P) (M_3' + P Psi_{c_0}))",
    le(
        sum_moved,
        C_O
        * (
            p.M_1 / (p.P * sp.sqrt(p.tau))
            + p.M_2 / p.P * p.B_P * sp.sqrt(p.tau)
            + sp.sqrt(p.tau) / p.P * (p.M_3 + p.P * p.Psi_0)
        ),
    ),
    equation="103",
    title="The telescoped descent",
    note="Here for the fixed steps.",
    hypotheses=(*p.RUN, p.ONE_PENALTY, P_QUARTER, FIXED, *CONDITIONS),
    where=LYAPUNOV_WHERE,
    schedule=S_FIXED,
    follows_from=("lemD.8",),
)
_KNOWS = "the projected step knows the directions h_x, h_y, not their means"
_IN_CONE = every(le(cone_x, 0), le(cone_y, 0))
_PROJECTED = "(12) and (43), where the projected step is along h_x"
D11_E = p.claim(
    "thmD.11-e",
    "proof of Theorem D.11",
    Kind.PROPERTY,
    "(e_x, e_y) is in grad Upsilon_{c_t}(z^{t+1}) + N(z^{t+1}), with e_x = grad_x Phi_{c_t}(z^{t+1}) - htilde_x - "
    "(x^{t+1} - x^t)/lambda_x and e_y likewise",
    eq(dist_e, 0),
    title="An element of the generalised gradient",
    hypotheses=p.RUN,
    switches=(misprint("h_x for htilde_x", _KNOWS, _IN_CONE, _PROJECTED),),
    note="The projected step gives it with h_x, h_y in the place of their means htilde_x, htilde_y.",
)
_hx, _xp, _vx, _hy, _yp, _vy = vectors("HX xp vx HY yp vy")
D11_E_CORRECTED = restated(
    D11_E,
    text="With h_x for htilde_x, <e_x - grad_x Phi_{c_t}(z^{t+1}), v - x^{t+1}> <= 0 for every v in X, so e_x - grad_x "
    "Phi_{c_t}(z^{t+1}) is in the normal cone of X at x^{t+1}; and e_y likewise",
    hypotheses=(p.SETS, p.METHOD),
    follows_from=("st-42/43",),
    note="",
    setting=Setting(
        depends={"x": "past", "y": "past", **dict.fromkeys(("HX", "HY", "vx", "vy"), END)},
        words={
            **{name: ROUND.words[name] for name in ("x", "y")},
            **{f"H{k.upper()}": f"h_{k}, the direction of {k}" for k in "xy"},
            **{f"v{k}": f"any point of {k.upper()}" for k in "xy"},
        },
        functions={
            "X": {"v": (_vx, _vx, inside), "x+": (x - p.lambda_x * _hx, _xp, inside)},
            "Y": {"v": (_vy, _vy, inside), "y+": (y - p.lambda_y * _hy, _yp, inside)},
        },
        metrics={
            cone_x: dot((x - _xp) / p.lambda_x - _hx, _vx - _xp),
            cone_y: dot((y - _yp) / p.lambda_y - _hy, _vy - _yp),
        },
    ),
    proof=Proof(
        have("x", le(cone_x, 0), by=[projection("X", "v", "x+")]),
        have("y", le(cone_y, 0), by=[projection("Y", "v", "y+")]),
    ),
)
_DRIFT = "the drift, which (52) has, does not become small with lambda_theta"
_ERRORS = every(lemma_d5.ST_52.statement, lemma_d5.ST_52Y.statement)
_FROM_52 = "(52), from which (106) is said to follow"
D11_106 = p.claim(
    "thmD.11-106",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "||grad_x Phi - htilde_x|| <= L_2 ||theta - theta*|| + O((tau eta_theta^2 lambda_theta)^(1/2)), and with 1/gamma "
    "for L_2 in y",
    every(
        le(err_sqrt_x, p.L_2 * gap + C_O * p.eta_theta * sp.sqrt(p.tau * p.lambda_theta)),
        le(err_sqrt_y, gap / p.gamma + C_O * p.eta_theta * sp.sqrt(p.tau * p.lambda_theta)),
    ),
    equation="106",
    title="Error of the mean directions",
    hypotheses=(*p.RUN, *CONDITIONS),
    where=WHERE,
    follows_from=("lemD.7",),
    switches=(SMALL_CLIENT_STEPS, misprint("the drift terms of (52)", _DRIFT, _ERRORS, _FROM_52)),
    note="By (52) the last term is of the order of the root of the drift, which does not become small with "
    "lambda_theta alone.",
)
D11_106_CORRECTED = amended(
    D11_106,
    _DRIFT,
    text="(52), and the same in y",
    origin=_FROM_52,
    statement=_ERRORS,
    hypotheses=lemma_d5.ST_52.hypotheses,
    where={},
    follows_from=("st-52", "st-52y"),
    note="",
    setting=lemma_d5.ST_52.setting,
    proof=Proof(
        have("x", lemma_d5.ST_52.statement, by=[cite("mefbo.st-52")]),
        have("y", lemma_d5.ST_52Y.statement, by=[cite("mefbo.st-52y")]),
    ),
)

err_h_x = p.formula("err_h_x", "E ||grad_x Phi_{c_t}(z^t) - h_x||", p.FORCE, **NONNEG)
_NOISY = "h_x has noise, which no server step makes small; (52) has its mean htilde_x, with the drift"
D11_106_H = p.claim(
    "thmD.11-106.h",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "The second link of (106): ||grad_x Phi - h_x|| <= L_2 ||theta - theta*|| + O((tau eta_theta^2 "
    "lambda_theta)^(1/2))",
    le(err_h_x, p.L_2 * gap + C_O * p.eta_theta * sp.sqrt(p.tau * p.lambda_theta)),
    equation="106",
    title="Error of the directions themselves",
    hypotheses=D11_106.hypotheses,
    where=WHERE,
    switches=(misprint("htilde_x, and the drift terms of (52)", _NOISY, lemma_d5.ST_52.statement, _FROM_52),),
    note="The left side of (106) has the gradient of Psi, its middle that of phi; both are that of Phi. Read in the "
    "mean.",
)
D11_106_H_CORRECTED = restated(
    D11_106_H,
    text="(52)",
    hypotheses=lemma_d5.ST_52.hypotheses,
    where={},
    follows_from=("st-52",),
    note="",
    setting=lemma_d5.ST_52.setting,
    proof=Proof(have("x", lemma_d5.ST_52.statement, by=[cite("mefbo.st-52")])),
)

# --- the sums of errors (107) and D_t, as they follow from what stands before

e_x = p.formula("e_x", "||e_x||", p.FORCE, **NONNEG)
e_y = p.formula("e_y", "||e_y||", p.FORCE, **NONNEG)
D_t = declare("D_t", "dist(0, grad Upsilon_{c_t}(z^{t+1}) + N(z^{t+1}))", p.FORCE, latex="D_t", **NONNEG)
L_psi1 = declare("L_psi1", "Lipschitz constant of (105)", p.CURVATURE, latex=r"L_{\psi_1}", **NONNEG)
L_psi2 = declare("L_psi2", "Lipschitz constant of (105), in y", p.CURVATURE, latex=r"L_{\psi_2}", **NONNEG)
changed = p.formula("changed", "||grad_x Psi(z^{t+1}) - grad_x Psi(z^t)||", p.FORCE, **NONNEG)
moved_z = p.formula("moved_z", "||z^{t+1} - z^t||", LENGTH, **NONNEG)
moved_x = p.formula("moved_x", "||x^{t+1} - x^t||", LENGTH, **NONNEG)
moved_y = p.formula("moved_y", "||y^{t+1} - y^t||", LENGTH, **NONNEG)
o_x = declare("o_x", "the last term of (106)", p.FORCE, latex=r"o_x", **NONNEG)
o_y = declare("o_y", "the last term of (108)", p.FORCE, latex=r"o_y", **NONNEG)


def _of_107(gaps: sp.Expr) -> sp.Rel:
    """(107), with a factor of the gap."""
    return le(e_x, L_psi1 * moved_z + moved_x / p.lambda_x + gaps * gap + o_x)


_104 = (
    p.H_("(104)", "(104)", le(e_x, changed + err_sqrt_x + moved_x / p.lambda_x)),
    p.H_("(105)", "(105)", le(changed, L_psi1 * moved_z)),
    p.H_("(106)", "(106), with some last term", le(err_sqrt_x, p.L_2 * gap + o_x)),
)
_LOST = "the factor L_2 of (106) is left out"
D11_107 = p.claim(
    "thmD.11-107",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "By (104), (105) and (106), ||e_x|| <= L_psi1 ||z^{t+1} - z^t|| + ||x^{t+1} - x^t||/lambda_x + ||theta - theta*|| "
    "+ O(...), with the last term of (106)",
    _of_107(sp.S.One),
    equation="107",
    title="The size of the element in x",
    hypotheses=_104,
    switches=(misprint("L_2 times the gap", _LOST, _of_107(p.L_2), "(106), which is put in"),),
)
D11_107_CORRECTED = restated(
    D11_107,
    text="As printed with L_2 ||theta - theta*||",
    setting=Setting(measured=(err_sqrt_x,)),
    proof=Proof(*(have(h.key, h.relation) for h in _104), qed(by=[h.key for h in _104])),
)


def _of_sum(second: sp.Expr, factor: sp.Expr) -> sp.Rel:
    """The bound on D_t, with a second Lipschitz constant and a second factor of the gap."""
    moves = moved_x / p.lambda_x + moved_y / p.lambda_y
    return le(D_t, (L_psi1 + second) * moved_z + (p.L_2 + factor) * gap + moves + o_x + o_y)


_107 = (
    p.H_("D_t", "D_t <= ||(e_x, e_y)|| <= ||e_x|| + ||e_y||", le(D_t, e_x + e_y)),
    p.H_("(107)", "(107), with the factor L_2 of (106)", _of_107(p.L_2)),
    p.H_("(108)", "(108)", le(e_y, L_psi2 * moved_z + moved_y / p.lambda_y + gap / p.gamma + o_y)),
)
_TWICE = "L_psi1 stands twice, and the factor of the gap in (108) is 1/gamma, which c_t/gamma is below where c_t < 1"
_SUMMED = "(107) and (108), which are added"
D11_DT = p.claim(
    "thmD.11-D_t",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "By (107) and (108), D_t <= (L_psi1 + L_psi1) ||z^{t+1} - z^t|| + (L_2 + c_t/gamma) ||theta - theta*|| + "
    "||x^{t+1} - x^t||/lambda_x + ||y^{t+1} - y^t||/lambda_y + O(...)",
    _of_sum(L_psi1, p.c_t / p.gamma),
    title="The distance from the generalised gradient",
    hypotheses=_107,
    switches=(misprint("L_psi1 + L_psi2 and L_2 + 1/gamma", _TWICE, _of_sum(L_psi2, 1 / p.gamma), _SUMMED),),
    note="The O(.) is the sum of those of (107) and (108). The paper does not define D_t; it is read as the root of "
    "R_t, (13).",
)
D11_DT_CORRECTED = restated(
    D11_DT,
    text="As printed with L_psi1 + L_psi2 and L_2 + 1/gamma",
    note="",
    proof=Proof(*(have(h.key, h.relation) for h in _107), qed(by=[h.key for h in _107])),
)

#: Where a round ends, with the normal cone N of X x Y there. ``n`` is what thmD.11-e.corrected finds in it, and ``n*``
#: the point of it next to minus the gradient ``grad`` of the penalty function, so that R_t is ``||grad + n*||^2``.
_sp = lemma_d5.sp_
GRAD = lemma_d5.fxp / p.c_t + lemma_d5.gxp - lemma_d5.pxp + lemma_d5.fyp / p.c_t + lemma_d5.gyp
GRAD = GRAD - (_yp - _sp) / p.gamma
_nearest = vectors("nsx")[0] + vectors("nsy")[0]
_found = lemma_d5.END.functions["X"]["x+"][0] - _xp, lemma_d5.END.functions["Y"]["y+"][0] - _yp
ELEMENT = _found[0] / p.lambda_x + _found[1] / p.lambda_y
MEASURED = wider(
    lemma_d5.END,
    functions={"N": {"n*": (-1 * GRAD, _nearest, inside), "n": (ELEMENT, ELEMENT, inside)}},
    made={"N": NormalCone("X x Y")},
    words={"N": NORMAL_CONE},
    metrics={p.R_end: norm2(GRAD + _nearest)},
)
_both = p.step_x + p.step_y
_envelope = p.L_2**2 + 2 / p.gamma**2
CHANGE = 3 * (p.L_1**2 / p.c_t**2 + 4 * p.L_theta**2 / p.gamma**2)
_of_F, _of_G = lemma_d5.fxp - fx + lemma_d5.fyp - fy, lemma_d5.gxp - gx + lemma_d5.gyp - gy
_of_v = lemma_d5.pxp - sx + ((_yp - y) - (_sp - s)) / p.gamma
OF_PHI = _of_F / p.c_t + _of_G - _of_v
_rest = p.err_x + p.err_y + lemma_d5.var_x + lemma_d5.var_y + p.step_x / p.lambda_x**2 + p.step_y / p.lambda_y**2
MEASURE_TEXT = (
    "(E||x^{t+1} - x^t||^2/lambda_x^2 + E||y^{t+1} - y^t||^2/lambda_y^2 + L_R^2 (E||x^{t+1} - x^t||^2 + E||y^{t+1} - "
    "y^t||^2) + E||grad Phi - htilde||^2 + E||h - htilde||^2), with L_R^2 = 3 (L_1^2/c^2 + 4 L_theta^2/gamma^2), for "
    "any steps"
)
MEASURE_BOUND = 4 * (CHANGE * _both + _rest)
D11_109 = p.claim(
    "thmD.11-109",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "There is C_R > 0: lambda_theta R_t(z^{t+1}) <= C_R ((4 K L_theta^2/(rho lambda_theta)) (||x^{t+1} - x^t||^2 + "
    "||y^{t+1} - y^t||^2) + (1/(64 K L_theta^2)) (L_2^2 + 1/gamma^2) lambda_theta rho ||theta - theta*||^2) + "
    "O(lambda_theta^2 tau eta_theta^2)",
    le(p.lambda_theta * p.R_end, C_R * (MOVES + TRACKS) + C_O * p.lambda_theta**2 * p.tau * p.eta_theta**2),
    equation="109",
    title="The measure against moves and gap",
    hypotheses=(*p.RUN, *CONDITIONS),
    where=WHERE,
    follows_from=("thmD.11-e", "thmD.11-106"),
    switches=(SMALL_CLIENT_STEPS,),
)
#: How far the gradient of ``Phi`` moves in the round.
GRADIENT_MOVES = (
    have("change of grad F", le(norm2(_of_F), p.L_1**2 * _both), by=[lipschitz("F", "z+", "z")]),
    have("change of grad G", le(norm2(_of_G), p.L_2**2 * _both), by=[lipschitz("G", "z+", "z")]),
    have("theta* moves", le(norm2(_sp - s), p.L_theta**2 * _both), by=[MOVED]),
    have(
        "change at theta*",
        le(norm2(lemma_d5.pxp - sx), p.L_2**2 * (p.step_x + norm2(_sp - s))),
        by=[lipschitz("G", "theta*+", "theta*")],
    ),
    have(
        "change of grad v",
        le(norm2(_of_v), _envelope * (1 + p.L_theta**2) * _both),
        by=["change at theta*", "theta* moves"],
        multipliers=[1, _envelope],
    ),
    SIGNS[0],
    L_THETA_SQUARED,
    have(
        "one constant",
        le(p.L_2**2 + _envelope * (1 + p.L_theta**2), 4 * p.L_theta**2 / p.gamma**2),
        by=["L_theta squared", "rho", unfold(p.rho)],
    ),
    have(
        "change of the gradient",
        le(norm2(OF_PHI), CHANGE * _both),
        by=["change of grad F", "change of grad G", "change of grad v", "one constant"],
        multipliers=[3 / p.c_t**2, 3, 3],
    ),
)
D11_109_CORRECTED = amended(
    D11_109,
    "the errors of the mean directions do not become small with lambda_theta, and the projected step knows the "
    "directions, not their means",
    text=f"lambda_theta R_t(z^{{t+1}}) <= 4 lambda_theta {MEASURE_TEXT}",
    statement=le(p.lambda_theta * p.R_end, p.lambda_theta * MEASURE_BOUND),
    hypotheses=p.RUN,
    where=p.LIP,
    follows_from=("thmD.11-e.corrected",),
    setting=MEASURED,
    proof=Proof(
        *GRADIENT_MOVES,
        have("the least element", le(p.R_end, norm2(GRAD + ELEMENT)), by=[projection("N", "n", "n*")]),
        have("its parts", le(norm2(GRAD + ELEMENT), 4 * (norm2(OF_PHI) + _rest))),
        have(
            "the measure",
            le(p.R_end, MEASURE_BOUND),
            by=["the least element", "its parts", "change of the gradient"],
            multipliers=[1, 1, 4],
        ),
        qed(by=["the measure"], multipliers=[p.lambda_theta]),
    ),
)
_M1 = p.Psi_0 + p.M_1 + p.M_3
D11_110 = p.claim(
    "thmD.11-110",
    "proof of Theorem D.11",
    Kind.BOUND,
    "sum_t lambda_theta R_t <= O(M_1 sum lambda_theta^2/(P tau)) + O(M_2 (1/P) ((n-P)/(n-1)) sum lambda_theta^2) + "
    "O(sum lambda_theta^2 tau eta_theta^2), with M_1 = E Psi_{c_0} + M_1' + M_3' and M_2 = M_2'",
    le(sum_lR, C_O * (_M1 * sum_l2 / (p.P * p.tau) + p.M_2 / p.P * p.B_P * sum_l2 + p.tau * sum_l2e2)),
    equation="110",
    title="The weighted sum of the measures",
    hypotheses=(*p.RUN, p.ONE_PENALTY, *CONDITIONS),
    where=LYAPUNOV_WHERE,
    follows_from=("thmD.11-103", "thmD.11-109"),
    note="The initial value E Psi_{c_0}, which (103) has without a factor, is multiplied by sum lambda_theta^2/(P "
    "tau) here.",
)
C_111 = declare("C_111", "constant hidden in (111)", latex=r"C_{111}", defined=True, **{"positive": True})
C_l2 = declare("C_l2", "constant hidden in the sum of lambda_theta^2", latex="C_1", defined=True, **{"positive": True})
C_e2l = declare(
    "C_e2l", "constant hidden in the sum of eta_theta^2 lambda_theta", latex="C_2", defined=True, **{"positive": True}
)
_any = sp.Symbol("n", integer=True, positive=True)
_powers = sp.Sum((p.t + 1) ** -p.q, (p.t, 0, _any - 1))
_HALF = {p.q: _R(1, 2)}
D11_111 = p.claim(
    "thmD.11-111",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "sum_t (t + 1)^(-q) is at least of the order (T + 1)^(1-q)/(1 - q), for 1/2 < q < 1",
    ge(C_111 * _powers.subs(_any, p.T), (p.T + 1) ** (1 - p.q) / (1 - p.q)),
    equation="111",
    title="Growth of the sum of the steps",
    hypotheses=EXPONENTS[:2],
    where={C_111: (3 - p.q) / (1 - p.q)},
    note="The hidden constant depends on q: for q near 1 the right side is large at T = 1.",
    setting=Setting(fixed=(p.q,)),
    proof=Proof(
        total(
            "integral", ge(_powers, ((_any + 1) ** (1 - p.q) - 1) / (1 - p.q)), _any, above=_HALF, below={p.q: sp.S.One}
        ),
        special("integral to T", "integral", {_any: p.T}),
        logarithm("tangent", sp.S(2) ** (1 - p.q)),
        logarithm("log 2", sp.S(2), below=True),
        have("two rounds", le(2, p.T + 1)),
        raised("the power of two rounds", "two rounds", to=1 - p.q),
        have(
            "the power",
            ge((p.T + 1) ** (1 - p.q), 1 + (1 - p.q) / 2),
            by=["tangent", "log 2", "the power of two rounds"],
        ),
        qed(by=["integral to T", "the power", unfold(C_111)]),
    ),
)
_l = p.c_lam * p.tau ** _R(1, 4)
_e2 = p.c_eta**2 * p.tau ** _R(-7, 4) / p.P


def _steps(server: sp.Expr, client2: sp.Expr) -> Setting:
    """The sums of powers of the steps, which are ``server`` and the root of ``client2``."""

    def over(term: sp.Expr) -> sp.Expr:
        return sp.Sum(term, (p.t, 0, p.T - 1))

    sums = {sum_l: server, sum_l2: server**2, sum_e2l: client2 * server, sum_l2e2: client2 * server**2}
    return Setting(sequences={metric: over(term) for metric, term in sums.items()}, fixed=(p.q,))


SUM_FIXED = p.claim(
    "st-sum-fixed",
    "proof of Theorem D.11",
    Kind.IDENTITY,
    "Fixed steps: sum lambda_theta = c_lambda tau^(1/4) T^(1/2), sum lambda_theta^2 = c_lambda^2 tau^(1/2), "
    "sum eta_theta^2 lambda_theta = c_lambda c_eta^2 tau^(-3/2)/P, sum lambda_theta^2 eta_theta^2 = "
    "c_lambda^2 c_eta^2 tau^(-5/4)/(P T^(1/2))",
    every(
        eq(sum_l, _l * sp.sqrt(p.T)), eq(sum_l2, _l**2), eq(sum_e2l, _l * _e2), eq(sum_l2e2, _l**2 * _e2 / sp.sqrt(p.T))
    ),
    title="Sums of the fixed steps",
    hypotheses=(FIXED,),
    schedule=S_FIXED,
    setting=_steps(_l / sp.sqrt(p.T), _e2 / sp.sqrt(p.T)),
    proof=Proof(*(qed(by=[SEQUENCES], of=k) for k in range(4))),
)
_fourth, _half = _R(1, 4), _R(1, 2)
root4 = declare("root4_tau", "tau^(1/4)", latex=r"\tau^{1/4}", defined=True, **POS)
#: The sums of st-sum-fixed.
_sum_l, _sum_l2, _sum_l2e2 = _l * sp.sqrt(p.T), _l**2, _l**2 * _e2 / sp.sqrt(p.T)
SUM_FIXED_QUOTIENTS = p.claim(
    "st-sum-fixed.quotients",
    "proof of Theorem D.11",
    Kind.INEQUALITY,
    "Fixed steps: the sums on the right of (110), as st-sum-fixed gives them, are at most sum lambda_theta times "
    "constants times the terms of (14)",
    every(
        *(
            le(left.subs(p.tau, root4**4), right.subs(p.tau, root4**4))
            for left, right in (
                (_sum_l2 / (p.P * p.tau), _sum_l * p.c_lam * p.T**-_half * p.tau**-_half / p.P),
                (p.B_P / p.P * _sum_l2, _sum_l * 2 * p.c_lam * p.tau**_half * (p.n - p.P) / (p.T**_half * p.n) / p.P),
                (p.tau * _sum_l2e2, _sum_l * p.c_lam * p.c_eta**2 / (p.T * p.tau**_fourth) / p.P),
            )
        )
    ),
    equation="14",
    title="From the sums to the rate",
    hypotheses=(p.P_N, p.TWO_CLIENTS),
    where={p.B_P: p.SAMPLING[p.B_P], root4: p.tau**_fourth},
    schedule=S_FIXED,
    follows_from=("st-sum-fixed",),
    note="They are not the terms of (14), with which those of (34) are said to align: each is smaller by the factor "
    "tau^(1/4); the second is larger by n/(n - 1), at most 2, besides.",
    proof=Proof(
        have("one step", le(1, p.tau)),
        raised("fourth root", "one step", to=_fourth),
        have("root", ge(root4, 1), by=["fourth root", unfold(root4)]),
        have("B_P", le(p.B_P * p.n, 2 * (p.n - p.P)), by=[unfold(p.B_P)]),
        *(qed(by=["root", "B_P"], of=k) for k in range(3)),
    ),
)
_squares = sp.Sum((p.t + 1) ** (-2 * p.q), (p.t, 0, _any - 1))
_mixed = sp.Sum((p.t + 1) ** (-p.q - _R(1, 2)), (p.t, 0, _any - 1))
SUM_DEC = p.claim(
    "st-sum-dec",
    "proof of Theorem D.11",
    Kind.BOUND,
    "Decreasing steps: sum lambda_theta^2 = O(1) and sum eta_theta^2 lambda_theta = O(1)",
    every(le(sum_l2, C_l2 * _l**2), le(sum_e2l, C_e2l * _l * _e2)),
    title="Sums of the decreasing steps",
    hypotheses=(*EXPONENTS[:2], DECREASING),
    where={C_l2: 2 * p.q / (2 * p.q - 1), C_e2l: (2 * p.q + 1) / (2 * p.q - 1)},
    schedule=S_DEC,
    note="The hidden constants depend on q: they grow without limit as q tends to 1/2.",
    setting=_steps(_l * (p.t + 1) ** -p.q, _e2 * (p.t + 1) ** -_R(1, 2)),
    proof=Proof(
        total("squares", le(_squares, 2 * p.q / (2 * p.q - 1)), _any, above=_HALF),
        total("mixed", le(_mixed, (2 * p.q + 1) / (2 * p.q - 1)), _any, above=_HALF),
        special("squares to T", "squares", {_any: p.T}),
        special("mixed to T", "mixed", {_any: p.T}),
        qed(by=[SEQUENCES, "squares to T", unfold(C_l2)]),
        qed(by=[SEQUENCES, "mixed to T", unfold(C_e2l)], of=1),
    ),
)
ST_113 = p.claim(
    "st-113",
    "proof of Theorem D.11",
    Kind.PROPERTY,
    "Times c_t^2 of the order T^(2p), the rate (112) has the exponents 1 - q - 2p and 3/2 - q - 2p, which are positive "
    "for 0 < p < (1 - q)/2",
    every(sp.Gt(1 - p.q - 2 * p.p, 0, evaluate=False), sp.Gt(_R(3, 2) - p.q - 2 * p.p, 0, evaluate=False)),
    equation="113",
    title="Exponents of the rate times the penalty",
    hypotheses=EXPONENTS,
    proof=Proof(qed(), qed(of=1)),
)
CLAIMS = (
    THEOREM_D11, GRAD_F, D11_103, D11_E, D11_E_CORRECTED, D11_106, D11_106_CORRECTED, D11_109, D11_109_CORRECTED,
    D11_106_H, D11_106_H_CORRECTED, D11_107, D11_107_CORRECTED, D11_DT, D11_DT_CORRECTED,
    D11_110, D11_111, SUM_FIXED, SUM_FIXED_QUOTIENTS, SUM_DEC, ST_113,
)  # fmt: skip
