"""Lemma B.2: one local step of all inner sequences, whose fixed points move.

As printed it is false: (24) has lost the distance that it starts from, so that ``C^1`` nearly removes it in one step;
indices of ``L_{z,n}`` and of (27) are wrong, and the errors of the level below lack the unit of ``1/L_{q,n-1}^2``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import sympy as sp

from rateproof.theory.assumptions import EveryRound, Lipschitz
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reason, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import lemma_b1
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.lemmas import MOVING_TARGET
from rateproof.theory.papers.lemmas import notation as common
from rateproof.theory.proof import (
    SEQUENCES,
    Ground,
    Part,
    Proof,
    Setting,
    cauchy_schwarz,
    cite,
    have,
    in_words,
    limit,
    lipschitz,
    qed,
    raised,
    section,
    special,
    summed,
    supposed,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint, restated
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER, LENGTH

_PLACE = "proof of Lemma B.2"
AREA, FORCE = p.AREA, p.FORCE
pull_b = p.formula("pull_b", "<z_k^{n-1} - z_k^{n-1,*}, S^{n-1}(z_k^{n-2}, z_k^{n-1})>", INNER)
gap2_moved_b = p.formula("gap2_moved_b", "||z_{k+1}^{n-1} - z_k^{n-1,*}||^2", AREA, **NONNEG)
S_zero_b = p.formula("S_zero_b", "||S^{n-1}(z_k^{n-2}, z_k^{n-1,*})||^2", FORCE**2, **NONNEG)
move2 = p.formula("move2", "||z_k^{n,*} - z_{k+1}^{n,*}||^2", AREA, **NONNEG)
cross = p.formula("cross", "<z_{k+1}^n - z_k^{n,*}, z_k^{n,*} - z_{k+1}^{n,*}>", AREA)
slope_1 = p.formula("slope_1", "<z_{k+1}^1 - z_k^{1,*}, grad z^{1,*}(xhat) (x_{k+1} - x_k)>", AREA)
slope_n = p.formula("slope_n", "<z_k^{n,*} - z_{k+1}^n, grad z^{n,*}(zhat)^T (z_{k+1}^{n-1} - z_k^{n-1})>", AREA)
part_b = p.formula("part_b", "<z_k^{n,*} - z_{k+1}^n, beta_{n-1} grad z^{n,*}(zhat)^T S^{n-1}>", AREA)
part_c = p.formula("part_c", "<z_k^{n,*} - z_{k+1}^n, beta_{n-1} grad z^{n,*}(zhat)^T (q_k^{n-1} - S^{n-1})>", AREA)
turned_S = p.formula("turned_S", "||grad z^{n,*}(zhat)^T S^{n-1}||", LENGTH, **NONNEG)
turned_e = p.formula("turned_e", "||grad z^{n,*}(zhat)^T (q_k^{n-1} - S^{n-1})||", LENGTH, **NONNEG)
slope2 = p.formula("slope2", "||grad z^{1,*}(xhat) (x_{k+1} - x_k)||^2", AREA, **NONNEG)
away = p.formula("away", "||z_k^{n,*} - z_{k+1}^n||", LENGTH, **NONNEG)
S_b = p.formula("size_Sb", "||S^{n-1}(z_k^{n-2}, z_k^{n-1})||", FORCE, **NONNEG)
dist_b = p.formula("dist_b", "||z_k^{n-1} - z_k^{n-1,*}||", LENGTH, **NONNEG)
miss_b = p.formula("miss_b", "||q_k^{n-1} - S^{n-1}(z_k^{n-2}, z_k^{n-1})||", FORCE, **NONNEG)
miss_x = p.formula("miss_x", "||q_k^n - S^{n-1}(z_k^{n-2}, z_k^{n-1})||", FORCE, **NONNEG)
step2_x = p.formula("step2_x", "||x_k - x_{k+1}||^2", AREA, **NONNEG)
step2_b = p.formula("step2_b", "||z_k^{n-1} - z_{k+1}^{n-1}||^2", AREA, **NONNEG)
h2_sum = p.formula("h2_sum", "||P(x_k) + h_k - P(x_k)||^2", p.SLOPE**2, **NONNEG)
grad2 = p.formula("grad2", "||grad f(x_k)||^2", p.SLOPE**2, **NONNEG)

# --- hypotheses

ALPHA = p.H_("alpha<=1/(2L_z1^2)", "alpha <= 1/(2 L_{z,1}^2)", le(2 * p.L_z1**2 * p.alpha, 1))
A2_FIRST = replace(p.A2, says=(Lipschitz("fix", p.L_z1),))
ZERO_BELOW = p.H_("A1 at z_k^{n-2}", "S^{n-1}(z_k^{n-2}, z_k^{n-1,*}) = 0", eq(S_zero_b, 0))
A3_BELOW = p.H_(
    "A3 in z^{n-1}",
    "S^{n-1}(z^{n-2}, .) is L_{q,n-1}-Lipschitz, as every S^{m,n-1}(z^{n-2}, .) is and S^{n-1} is their mean",
    None,
    Lipschitz("S_b", p.L_sb),
)
A5_BELOW = p.H_(
    "A5 below",
    "<z^{n-1} - z^{n-1,*}, S^{m,n-1}> <= lambda_{n-1} ||z^{n-1} - z^{n-1,*}||^2",
    le(pull_b, p.lam_b * p.gap2_b),
)
A5_BELOW_TURNED = p.H_(
    "A5 below, as used",
    "<z^{n-1} - z^{n-1,*}, S^{m,n-1}> >= lambda_{n-1} ||z^{n-1} - z^{n-1,*}||^2",
    ge(pull_b, p.lam_b * p.gap2_b),
)
AT_HAT = p.H_(
    "A2 at zhat",
    "the derivative of z^{n,*}, which is L_{z,n}-Lipschitz, is at most L_{z,n} at zhat^{n-1}",
    every(le(turned_S, p.L_z * S_b), le(turned_e, p.L_z * miss_b)),
)
AT_XHAT = p.H_(
    "A2 at xhat",
    "the derivative of z^{1,*}, which is L_{z,1}-Lipschitz, is at most L_{z,1} at xhat",
    le(slope2, p.L_z1**2 * p.alpha**2 * p.h2),
)
FIRST = (p.A1, lemma_b1.ZERO, A2_FIRST, p.A3, p.A5_PRINTED, ALPHA, p.METHOD)
LATER = (*lemma_b1.ASSUMPTION_A, ZERO_BELOW, A5_BELOW, ALPHA, p.METHOD)
A5_BOTH = replace(lemma_b1.A5_TURNED, without=(p.A5_PRINTED.key, A5_BELOW.key), adding=(p.A5, A5_BELOW_TURNED))
A3_IN_BELOW = replace(lemma_b1.A3_IN_Z, other="Lipschitz in z^{n-1}, too", adding=(A3_BELOW,), origin="(20)")
STEPS = Switch(
    "step",
    "any beta_n",
    "beta_n <= lambda_n/(2 L_{s,n})",
    "Lemma B.1, which the proof uses, supposes it",
    adding=(lemma_b1.STEP,),
    origin="Lemma B.1",
)

# --- the model: a level whose fixed point follows x, or the level below

z, zs, zsn, q, S, x, h, P, J, JS, Je = vectors("z z* y* q S x h P J JS Je")
zb, zbs, qb, Sb, Sob = vectors("z_b z_b* q_b S_b S_b*")
#: The step of the level to its old fixed point, and to the new one.
_v = z - p.beta * q - zs
_end = z - p.beta * q - zsn


def _follows(
    before: Vector, after: Vector, given: Mapping[str, str], metrics: Mapping[sp.Expr, Any], **more: Any
) -> Setting:
    """The level of Lemma B.1, whose fixed point goes from where ``before`` has it to where ``after`` has it.

    Args:
        given: other vectors, in words.
        metrics: what is measured with them; all that is measured is one number.
        more: other fields of the setting, and other maps.
    """
    of, fix = lemma_b1.STEP_OF, {"before": (before, zs, None), "after": (after, zsn, None)}
    ends = {p.gap2_next: norm2(_end), move2: norm2(zs - zsn), cross: dot(_v, zs - zsn)}
    found, words = {**of.metrics, **ends, **metrics}, {"z": "z_k^n", "q": "q_k^n", **given}
    return Setting(
        depends=dict.fromkeys(words, ""),
        functions={**of.functions, "fix": fix, **more.pop("maps", {})},
        words=words,
        metrics=found,
        fixed=(p.alpha, p.L_z1, *(m for m in found if m.is_Symbol)),
        **more,
    )


ONE = _follows(
    x,
    x - p.alpha * h,
    {"x": "x_k", "h": "h_k", "P": "P(x_k)", "J": "-grad z^{1,*}(xhat) (x_{k+1} - x_k)"},
    {
        p.h2: norm2(h),
        h2_sum: norm2(h),
        p.P2: norm2(P),
        p.err_h: norm2(h - P),
        step2_x: norm2(p.alpha * h),
        slope_1: -dot(_v, J),
        slope2: norm2(J),
    },
)
TWO = _follows(
    zb,
    zb - p.beta_b * qb,
    {
        "z_b": "z_k^{n-1}",
        "z_b*": "z_k^{n-1,*}",
        "q_b": "q_k^{n-1}",
        "JS": "grad z^{n,*}(zhat)^T S^{n-1}",
        "Je": "grad z^{n,*}(zhat)^T (q_k^{n-1} - S^{n-1})",
    },
    {
        S_zero_b: norm2(Sob),
        p.gap2_b: norm2(zb - zbs),
        dist_b**2: norm2(zb - zbs),
        gap2_moved_b: norm2(zb - p.beta_b * qb - zbs),
        pull_b: dot(zb - zbs, Sb),
        S_b**2: norm2(Sb),
        p.err_qb: norm2(qb - Sb),
        miss_b**2: norm2(qb - Sb),
        step2_b: norm2(p.beta_b * qb),
        slope_n: dot(_v, p.beta_b * (JS + Je)),
        part_b: -dot(_v, p.beta_b * JS),
        part_c: -dot(_v, p.beta_b * Je),
        away**2: norm2(_v),
    },
    maps={"S_b": {"z_b": (zb, Sb, None), "z_b*": (zbs, Sob, None)}},
    bounds={away: -_v},
    lengths={turned_S: JS, turned_e: Je},
)


def _link(
    name: str,
    title: str,
    text: str,
    statement: sp.Basic,
    hypotheses: tuple[Hypothesis, ...] = LATER,
    equation: str = "",
    **rest: Any,
) -> Claim:
    """A link of the chains, in its equation, of which the names of most tell the number."""
    kind = Kind.IDENTITY if isinstance(statement, sp.Eq) else Kind.INEQUALITY
    given: dict[str, Any] = {
        "equation": equation or name.split(".")[-1].rstrip("abc"),
        "title": title,
        "hypotheses": hypotheses,
    }
    return p.claim(f"step.{name}", _PLACE, kind, text, statement, **given, **rest)


def _shown(setting: Setting, *steps: Part) -> dict[str, Any]:
    return {"setting": setting, "proof": Proof(*steps)}


def _mean_value(slope: sp.Expr) -> tuple[Part, ...]:
    goal, why = (
        eq(cross, slope),
        "the mean value theorem for the inner product along the segment, a function of one number",
    )
    return in_words("on a segment", goal, why), qed(by=["on a segment"])


# --- what a level adds, in symbols of one level or in terms of the level n

n = p.n
#: By level: distances before, after the step and to the old fixed point; errors; the values of ``S^n`` at the fixed
#: point; how far the level moves (the level 0 is x), and its constants.
gap, ends, moved, err, at_zero, step2 = (
    sp.Function(name, nonnegative=True) for name in ("gap", "ends", "moved", "err", "at_zero", "step2")
)
pull = sp.Function("pull", real=True)
lam, beta, L_s = (sp.Function(name, positive=True) for name in ("lam", "beta", "L_s"))
L_z = sp.Function("L_z", nonnegative=True)


class Level(NamedTuple):
    """A level: its constants, its distance and its error."""

    lam: sp.Expr
    beta: sp.Expr
    L_s: sp.Expr
    L_z: sp.Expr
    gap: sp.Expr
    err: sp.Expr

    def lag(self, L_z: sp.Expr) -> sp.Expr:
        """The factor that the distance of the level above to its old fixed point has."""
        return 1 + 8 * L_z**2 * self.L_s**2 * self.beta / self.lam

    def own(self, more: sp.Expr, by: int = 1) -> sp.Expr:
        """What it adds to (15) by itself with the factor ``more``, and ``1 - lambda_n beta_n/by`` in Lemma B.1."""
        left = (more * (1 - self.lam * self.beta / by) - 1) * self.gap
        return left + more * self.beta * (1 / self.lam + 2 * self.beta) * self.err

    def to_above(self, L_z: sp.Expr, by: sp.Expr = sp.S.One) -> sp.Expr:
        """What it adds to the level above, with its weight of the error divided by ``by``."""
        near = (2 * L_z**2 * self.L_s**2 * self.beta**2 + self.lam / 4 * self.beta) * self.gap
        return near + (2 * L_z**2 * self.beta + self.lam / (4 * by)) * self.beta * self.err


def _at(n: sp.Expr) -> Level:
    return Level(*(of(n) for of in (lam, beta, L_s, L_z, gap, err)))


TOP = Level(p.lam, p.beta, p.L_s, p.L_z, p.gap2, p.err_q)
BELOW = Level(p.lam_b, p.beta_b, p.L_sb, p.L_zb, p.gap2_b, p.err_qb)
MORE, MORE_1 = BELOW.lag(p.L_z), 1 + 8 * p.L_z1**2 * p.alpha
#: What x adds to the distance of the first level.
FROM_X = p.alpha / 8 * p.h2 + 2 * p.L_z1**2 * p.alpha**2 * (p.P2 + p.err_h)
_BELOW_TRUE = BELOW.to_above(p.L_z, p.L_sb**2)


def _progress(added: sp.Expr) -> sp.Rel:
    return le(p.gap2_next - p.gap2, added)


def _moving(L_z: sp.Expr, lag: sp.Expr) -> Ground:
    """How far the level is from a fixed point that moves, where ``lag`` weighs how far what it follows moves."""
    return cite(
        MOVING_TARGET,
        at={common.t: 8 * lag, common.L_target: L_z},
        points={"z*.x": "fix.before", "z*.y": "fix.after"},
        vectors={"w": z - p.beta * q},
    )


TO_X = _moving(p.L_z1, p.alpha)
TO_BELOW = (_moving(p.L_z, p.L_sb**2 * p.beta_b / p.lam_b), lipschitz("S_b", "z_b", "z_b*"))

# --- the steps of the proof: the first level

ST_16 = _link(
    "4",
    "Distance to the new fixed point, expanded",
    "||z_{k+1}^n - z_{k+1}^{n,*}||^2 = ||z_{k+1}^n - z_k^{n,*}||^2 + ||z_k^{n,*} - z_{k+1}^{n,*}||^2 + 2 <z_{k+1}^n - "
    "z_k^{n,*}, z_k^{n,*} - z_{k+1}^{n,*}>",
    eq(p.gap2_next, p.gap2_moved + move2 + 2 * cross),
    (p.METHOD,),
    equation="16",
    **_shown(TWO, qed()),
)
_FIRST_LEVEL = "In the formula n = 1."
ST_17A = _link(
    "5.a",
    "Mean value theorem for z^{1,*}",
    "<z_{k+1}^1 - z_k^{1,*}, z_k^{1,*} - z_{k+1}^{1,*}> = -<z_{k+1}^1 - z_k^{1,*}, grad z^{1,*}(xhat) (x_{k+1} - "
    "x_k)> for some xhat between x_k and x_{k+1}",
    eq(cross, -slope_1),
    (A2_FIRST, p.METHOD),
    equation="17",
    note=_FIRST_LEVEL,
    **_shown(ONE, *_mean_value(-slope_1)),
)
eps = sp.Symbol("eps", positive=True)
_wide = 4 * p.L_z1**2 * p.alpha
ST_17B = _link(
    "5.b",
    "Young's inequality at the first level",
    "-<z_{k+1}^1 - z_k^{1,*}, grad z^{1,*}(xhat) (x_{k+1} - x_k)> <= 4 L_{z,1}^2 alpha ||z_{k+1}^1 - z_k^{1,*}||^2 + "
    "(alpha/16) ||h_k||^2",
    le(-slope_1, _wide * p.gap2_moved + p.alpha / 16 * p.h2),
    (AT_XHAT, p.METHOD),
    equation="17",
    note=_FIRST_LEVEL,
    **_shown(
        ONE,
        have(
            "for any eps",
            le(-slope_1, (_wide + eps) * p.gap2_moved + p.alpha / 16 * p.h2),
            by=[supposed(AT_XHAT.key)],
            multipliers=[1 / (4 * (_wide + eps))],
        ),
        limit("eps to zero", "for any eps", over=eps),
        qed(by=["eps to zero"]),
    ),
)
ST_18A = _link(
    "6.a",
    "Lipschitz continuity of z^{1,*}",
    "||z_k^{1,*} - z_{k+1}^{1,*}||^2 <= L_{z,1}^2 ||x_k - x_{k+1}||^2",
    le(move2, p.L_z1**2 * step2_x),
    (A2_FIRST,),
    equation="18",
    note=_FIRST_LEVEL,
    **_shown(ONE, qed(by=[lipschitz("fix", "before", "after")])),
)
ST_18B = _link(
    "6.b",
    "The step of x, put in",
    "L_{z,1}^2 ||x_k - x_{k+1}||^2 <= L_{z,1}^2 alpha^2 ||P(x_k) + h_k - P(x_k)||^2",
    le(p.L_z1**2 * step2_x, p.L_z1**2 * p.alpha**2 * h2_sum),
    (p.METHOD,),
    equation="18",
    **_shown(ONE, qed()),
)
ST_18C = _link(
    "6.c",
    "Direction of x, split",
    "L_{z,1}^2 alpha^2 ||P(x_k) + h_k - P(x_k)||^2 <= 2 L_{z,1}^2 alpha^2 ||P(x_k)||^2 + 2 L_{z,1}^2 alpha^2 "
    "||h_k - P(x_k)||^2",
    le(p.L_z1**2 * p.alpha**2 * h2_sum, 2 * p.L_z1**2 * p.alpha**2 * p.P2 + 2 * p.L_z1**2 * p.alpha**2 * p.err_h),
    (),
    equation="18",
    **_shown(ONE, qed()),
)

# --- later levels

_19 = "<z_k^{n,*} - z_{k+1}^n, z_{k+1}^{n,*} - z_k^{n,*}>"
_19B = "<z_k^{n,*} - z_{k+1}^n, beta_{n-1} grad z^{n,*}(zhat)^T S^{n-1}>"
_19C = "<z_k^{n,*} - z_{k+1}^n, beta_{n-1} grad z^{n,*}(zhat)^T (q^{n-1} - S^{n-1})>"
_ABOVE = "(2 L_{z,n}^2 L_{q,n-1}^2/lambda_{n-1}) beta_{n-1} ||z_k^{n,*} - z_{k+1}^n||^2"
_AWAY = "beta_{n-1} ||z_k^{n,*} - z_{k+1}^n||"
_ERROR = "||q_k^{n-1} - S^{n-1}||"
_OTHER_ERROR = "||q_k^n - S^{n-1}||^2"
_SIGN = "z^{n-1} moves by -beta_{n-1} q^{n-1}"
_SLIP_21 = "the norm is squared, and q has the index n for n - 1"
_A3_FIRST = "A3 is about the first argument of S^{m,n-1}"
_NO_UNIT = "Young's inequality gives L_{z,n} alone, without L_{q,n-1}: the weight of the error lacks 1/L_{q,n-1}^2"
ST_19A = _link(
    "7.19a",
    "Mean value theorem for z^{n,*}",
    f"{_19} = <z_k^{{n,*}} - z_{{k+1}}^n, grad z^{{n,*}}(zhat)^T (z_{{k+1}}^{{n-1}} - z_k^{{n-1}})> for some zhat "
    "between z_k^{n-1} and z_{k+1}^{n-1}",
    eq(cross, slope_n),
    (p.A2, p.METHOD),
    equation="19a",
    **_shown(TWO, *_mean_value(slope_n)),
)
ST_19BC = _link(
    "7.19bc",
    "The step of the level below, split",
    f"(19a) = {_19B} + {_19C}",
    eq(slope_n, part_b + part_c),
    equation="19b",
    switches=(misprint("with a minus on the right", _SIGN, eq(slope_n, -part_b - part_c), "Algorithm 1, line 15"),),
)
ST_19BC_CORRECTED = restated(ST_19BC, text=f"(19a) = -{_19B} - {_19C}", hypotheses=(p.METHOD,), **_shown(TWO, qed()))
_L = p.L_z * p.beta_b
_YOUNG = 2 * p.L_z**2 * p.L_sb**2 / p.lam_b * p.beta_b


def _along_turned(turned: sp.Symbol, by: sp.Expr) -> dict[str, Any]:
    """Cauchy and Schwarz with a vector that the derivative of ``z^{n,*}`` turns, which A2 bounds."""
    lengths = have("lengths", le(away * turned, away * p.L_z * by), by=[supposed(AT_HAT.key)])
    return _shown(TWO, lengths, qed(by=[cauchy_schwarz(away, turned), "lengths"]))


ST_20A = _link(
    "7.20a",
    "Cauchy and Schwarz for the pull below",
    f"(19b) <= L_{{z,n}} {_AWAY} ||S^{{n-1}}||",
    le(part_b, _L * away * S_b),
    (AT_HAT, p.METHOD),
    **_along_turned(turned_S, S_b),
)
ST_20B = _link(
    "7.20b",
    "Lipschitz continuity of S^{n-1}",
    f"L_{{z,n}} {_AWAY} ||S^{{n-1}}|| <= L_{{z,n}} L_{{q,n-1}} {_AWAY} ||z_k^{{n-1}} - z_k^{{n-1,*}}||",
    le(_L * away * S_b, _L * p.L_sb * away * dist_b),
    switches=(A3_IN_BELOW,),
)
ST_20B_CORRECTED = amended(
    ST_20B,
    _A3_FIRST,
    text="As printed, with S^{n-1} L_{q,n-1}-Lipschitz in z^{n-1}",
    hypotheses=(ZERO_BELOW, A3_BELOW),
    origin="(20), which uses A3 in z^{n-1}",
    **_shown(
        TWO,
        have("squares", le(S_b**2, (p.L_sb * dist_b) ** 2), by=[lipschitz("S_b", "z_b", "z_b*")]),
        raised("lengths", "squares", to=sp.S.Half),
        qed(by=["lengths"]),
    ),
)
ST_20C = _link(
    "7.20c",
    "Young's inequality with the distance below",
    f"L_{{z,n}} L_{{q,n-1}} {_AWAY} ||z_k^{{n-1}} - z_k^{{n-1,*}}|| <= {_ABOVE} + (lambda_{{n-1}}/8) beta_{{n-1}} "
    "||z_k^{n-1} - z_k^{n-1,*}||^2",
    le(_L * p.L_sb * away * dist_b, _YOUNG * away**2 + p.lam_b / 8 * p.beta_b * dist_b**2),
    (),
    **_shown(Setting(), qed()),
)
ST_21A = _link(
    "7.21a",
    "Cauchy and Schwarz for the error below",
    f"(19c) <= L_{{z,n}} {_AWAY} {_OTHER_ERROR}",
    le(part_c, _L * away * miss_x**2),
    switches=(misprint(_ERROR, _SLIP_21, le(part_c, _L * away * miss_b), "(19c)"),),
)
ST_21A_CORRECTED = restated(
    ST_21A,
    text=f"(19c) <= L_{{z,n}} {_AWAY} {_ERROR}",
    hypotheses=(AT_HAT, p.METHOD),
    **_along_turned(turned_e, miss_b),
)


def _by_young(left: sp.Expr, weight: sp.Expr) -> sp.Rel:
    return le(_L * away * left, _YOUNG * away**2 + weight * p.beta_b * miss_b**2)


ST_21B = _link(
    "7.21b",
    "Young's inequality with the error below",
    f"L_{{z,n}} {_AWAY} {_OTHER_ERROR} <= {_ABOVE} + (lambda_{{n-1}}/8) beta_{{n-1}} {_ERROR}^2",
    _by_young(miss_x**2, p.lam_b / 8),
    switches=(misprint(_ERROR + " on the left", _SLIP_21, _by_young(miss_b, p.lam_b / 8), "(19c)"),),
)
ST_21B_CORRECTED = amended(
    ST_21B,
    (_SLIP_21, _NO_UNIT),
    text=f"L_{{z,n}} {_AWAY} {_ERROR} <= {_ABOVE} + (lambda_{{n-1}}/(8 L_{{q,n-1}}^2)) beta_{{n-1}} {_ERROR}^2",
    statement=_by_young(miss_b, p.lam_b / (8 * p.L_sb**2)),
    hypotheses=(),
    **_shown(Setting(), qed()),
)


def _line_22(left: sp.Expr, weight: sp.Expr) -> sp.Rel:
    return le(left, (MORE - 1) * p.gap2_moved + p.lam_b / 4 * p.beta_b * p.gap2_b + weight * p.beta_b * p.err_qb)


_TWICE = "what is bounded is twice (19a), not the distance"
_RIGHT_22 = (
    "<= (8 L_{z,n}^2 L_{q,n-1}^2/lambda_{n-1}) beta_{n-1} ||z_k^{n,*} - z_{k+1}^n||^2 + (lambda_{n-1}/4) beta_{n-1} "
    "||z_k^{n-1} - z_k^{n-1,*}||^2 + "
)
ST_22 = _link(
    "8.22",
    "The product with the moving fixed point",
    f"||z_{{k+1}}^{{n,*}} - z_{{k+1}}^n||^2 {_RIGHT_22}(lambda_{{n-1}}/4) beta_{{n-1}} {_ERROR}^2",
    _line_22(p.gap2_next, p.lam_b / 4),
    switches=(
        misprint("twice (19a)", _TWICE, _line_22(2 * cross, p.lam_b / 4), "the sentence before"),
        A5_BOTH,
        A3_IN_BELOW,
    ),
    follows_from=("step.7.19bc", "step.7.20c", "step.7.21b"),
)
ST_22_CORRECTED = amended(
    ST_22,
    (_TWICE, _NO_UNIT),
    text=f"2 {_19} {_RIGHT_22}(lambda_{{n-1}}/(4 L_{{q,n-1}}^2)) beta_{{n-1}} {_ERROR}^2",
    statement=_line_22(2 * cross, p.lam_b / (4 * p.L_sb**2)),
    hypotheses=(ZERO_BELOW, p.A2, A3_BELOW, p.METHOD),
    follows_from=(),
    **_shown(TWO, qed(by=TO_BELOW)),
)


def _line_23(L_z: sp.Expr, of: sp.Expr) -> sp.Expr:
    return 2 * L_z**2 * p.beta_b**2 * of + 2 * L_z**2 * p.beta_b**2 * p.err_qb


_INDEX = "L_{z,n-1} stands for L_{z,n}, whose fixed point moves"
_AT_K = "S^{n-1} is taken at z_k^{n-1}, not at z_{k+1}^{n-1}"
ST_23A = _link(
    "8.23a",
    "Lipschitz continuity of z^{n,*}",
    "||z_k^{n,*} - z_{k+1}^{n,*}||^2 <= L_{z,n}^2 ||z_k^{n-1} - z_{k+1}^{n-1}||^2",
    le(move2, p.L_z**2 * step2_b),
    (p.A2, p.METHOD),
    **_shown(TWO, qed(by=[lipschitz("fix", "before", "after")])),
)
ST_23B = _link(
    "8.23b",
    "Direction of the level below, split",
    "L_{z,n}^2 ||z_k^{n-1} - z_{k+1}^{n-1}||^2 <= 2 L_{z,n-1}^2 beta_{n-1}^2 ||S^{n-1}||^2 + 2 L_{z,n-1}^2 "
    "beta_{n-1}^2 ||q_k^{n-1} - S^{n-1}||^2",
    le(p.L_z**2 * step2_b, _line_23(p.L_zb, S_b**2)),
    switches=(
        misprint("L_{z,n} on the right", _INDEX, le(p.L_z**2 * step2_b, _line_23(p.L_z, S_b**2)), "the line before"),
    ),
)
ST_23B_CORRECTED = restated(
    ST_23B, text=ST_23B.text.replace("L_{z,n-1}", "L_{z,n}"), hypotheses=(p.METHOD,), **_shown(TWO, qed())
)
_TO_23C = le(_line_23(p.L_z, S_b**2), _line_23(p.L_z, p.L_sb**2 * p.gap2_b))
ST_23C = _link(
    "8.23c",
    "Lipschitz continuity of the level below",
    "2 L_{z,n-1}^2 beta_{n-1}^2 (||S^{n-1}||^2 + ||q_k^{n-1} - S^{n-1}||^2) <= 2 L_{z,n-1}^2 L_{q,n-1}^2 beta_{n-1}^2 "
    "||z_k^{n-1,*} - z_{k+1}^{n-1}||^2 + 2 L_{z,n-1}^2 beta_{n-1}^2 ||q_k^{n-1} - S^{n-1}||^2",
    le(_line_23(p.L_zb, S_b**2), _line_23(p.L_zb, p.L_sb**2 * gap2_moved_b)),
    switches=(misprint("z_k^{n-1}, and L_{z,n}", f"{_AT_K}; {_INDEX}", _TO_23C, "(25)"), A3_IN_BELOW),
)
ST_23C_CORRECTED = amended(
    ST_23C,
    (_AT_K, _INDEX, _A3_FIRST),
    text=ST_23C.text.replace("L_{z,n-1}", "L_{z,n}").replace("z_{k+1}", "z_k") + ", with S^{n-1} Lipschitz in z^{n-1}",
    statement=_TO_23C,
    hypotheses=(ZERO_BELOW, A3_BELOW),
    origin="(25), where z^{n-1} is taken before the step",
    **_shown(
        TWO,
        have("the image", le(S_b**2, p.L_sb**2 * p.gap2_b), by=[lipschitz("S_b", "z_b", "z_b*")]),
        qed(by=["the image"]),
    ),
)

# --- the distances after the step

_ONE_MORE = "||z_{k+1} - z_k^*||^2 itself, the first term of (16), has been left out"
_FACTOR = "the factor 1 - lambda_n beta_n of Lemma B.1"
_TRUE_24 = le(p.gap2_next, MORE_1 * p.gap2_moved + FROM_X)
ST_24 = _link(
    "8.24",
    "Distance to the new first fixed point",
    "||z_{k+1}^1 - z_{k+1}^{1,*}||^2 <= 8 L_{z,1}^2 alpha ||z_{k+1}^1 - z_k^{1,*}||^2 + (alpha/8) ||h_k||^2 + 2 "
    "L_{z,1}^2 alpha^2 ||grad f(x_k)||^2 + 2 L_{z,1}^2 alpha^2 ||h_k - P(x_k)||^2",
    le(p.gap2_next, (MORE_1 - 1) * p.gap2_moved + FROM_X.subs(p.P2, grad2)),
    (*FIRST, p.POTENTIAL),
    switches=(
        misprint(
            "1 + 8 L_{z,1}^2 alpha, and P for grad f",
            _ONE_MORE,
            _TRUE_24,
            "(16), and (25)",
        ),
    ),
    follows_from=("step.4", "step.5.b", "step.6.c"),
    note=_FIRST_LEVEL,
)
ST_24_CORRECTED = restated(
    ST_24,
    text=ST_24.text.replace("8 L_{z,1}^2 alpha", "(1 + 8 L_{z,1}^2 alpha)").replace("grad f", "P"),
    hypotheses=(A2_FIRST, p.METHOD),
    follows_from=(),
    **_shown(ONE, qed(by=[TO_X])),
)


def _line_25(added: sp.Expr) -> sp.Rel:
    return le(p.gap2_next, MORE * p.gap2_moved + added)


_BEFORE = "(2 L_{z,n-1}^2 L_{q,n-1}^2 beta_{n-1}^2 + (lambda_{n-1}/4) beta_{n-1}) ||z_k^{n-1} - z_k^{n-1,*}||^2"
_MORE = "(1 + 8 L_{z,n}^2 L_{q,n-1}^2 beta_{n-1}/lambda_{n-1})"
_AFTER = f"(2 L_{{z,n-1}}^2 beta_{{n-1}} + lambda_{{n-1}}/4) beta_{{n-1}} {_ERROR}^2"
_BY_INDEX = misprint("L_{z,n} for L_{z,n-1}", _INDEX, _line_25(BELOW.to_above(p.L_z)), "the first line of (23)")
_TRUE_25 = _line_25(_BELOW_TRUE)
ST_25 = _link(
    "8.25",
    "Distance to a new later fixed point",
    f"||z_{{k+1}}^{{n,*}} - z_{{k+1}}^n||^2 <= {_BEFORE} + {_MORE} ||z_k^{{n,*}} - z_{{k+1}}^n||^2 + {_AFTER}",
    _line_25(BELOW.to_above(p.L_zb)),
    switches=(_BY_INDEX, A5_BOTH, A3_IN_BELOW),
    follows_from=("step.4", "step.8.22", "step.8.23c"),
)
ST_25_CORRECTED = amended(
    ST_25,
    (_INDEX, _NO_UNIT),
    text=ST_25.text.replace("L_{z,n-1}", "L_{z,n}").replace("+ lambda_{n-1}/4)", "+ lambda_{n-1}/(4 L_{q,n-1}^2))"),
    statement=_TRUE_25,
    hypotheses=(ZERO_BELOW, p.A2, A3_BELOW, p.METHOD),
    follows_from=(),
    **_shown(TWO, qed(by=TO_BELOW)),
)
ST_26A = _link(
    "8.26a",
    "Progress of a later level",
    f"||z_{{k+1}}^{{n,*}} - z_{{k+1}}^n||^2 - ||z_k^{{n,*}} - z_k^n||^2 <= {_BEFORE} + ({_MORE} (1 - lambda_n beta_n) "
    f"- 1) ||z_k^n - z_k^{{n,*}}||^2 + {_MORE} (1/lambda_n + 2 beta_n) beta_n ||q_k^n - S^n||^2 + {_AFTER}",
    _progress(TOP.own(MORE) + BELOW.to_above(p.L_zb)),
    equation="26a",
    switches=(
        replace(_BY_INDEX, statement=_progress(TOP.own(MORE) + BELOW.to_above(p.L_z))),
        A5_BOTH,
        A3_IN_BELOW,
        lemma_b1.A3_IN_Z,
        STEPS,
    ),
    follows_from=("lemB1", "step.8.25"),
)
ST_26A_CORRECTED = amended(
    ST_26A,
    (_INDEX, _NO_UNIT, Reason(_FACTOR, "fedmsa.lemB1")),
    text="With S^n and S^{n-1} Lipschitz in z^n and z^{n-1}: as printed with L_{z,n} for L_{z,n-1}, 1 - lambda_n "
    "beta_n/2 for 1 - lambda_n beta_n, lambda_{n-1}/(4 L_{q,n-1}^2) for lambda_{n-1}/4 beside the error, and beta_n <= "
    "lambda_n/(2 L_{s,n}^2)",
    statement=_progress(TOP.own(MORE, 2) + _BELOW_TRUE),
    hypotheses=(*lemma_b1.MENDED, p.A2, ZERO_BELOW, A3_BELOW, lemma_b1.STEP_SQUARED, p.METHOD),
    follows_from=("lemB1.corrected", "step.8.25.corrected"),
    **_shown(
        TWO,
        have("distance", _TRUE_25, by=TO_BELOW),
        qed(by=["distance", cite(lemma_b1.LEMMA_B1_CORRECTED)], multipliers=[1, MORE]),
    ),
)
ST_26B = _link(
    "8.26b",
    "Progress of the first level",
    "||z_{k+1}^1 - z_{k+1}^{1,*}||^2 - ||z_k^1 - z_k^{1,*}||^2 <= (8 L_{z,1} alpha (1 - lambda_1 beta_1) - 1) ||z_k^1 "
    "- z_k^{1,*}||^2 + 8 L_{z,1} alpha beta_1 (1/lambda_1 + 2 beta_1) ||q_k^1 - S^1||^2 + (alpha/8) ||h_k||^2 + 2 "
    "L_{z,1}^2 alpha^2 (||P(x_k)||^2 + ||h_k - P(x_k)||^2)",
    _progress(TOP.own(8 * p.L_z1 * p.alpha) + FROM_X),
    FIRST,
    equation="26b",
    switches=(
        misprint(
            "1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha",
            _ONE_MORE,
            _progress(TOP.own(MORE_1) + FROM_X),
            "(16), and (25)",
        ),
        lemma_b1.A5_TURNED,
        lemma_b1.A3_IN_Z,
        STEPS,
    ),
    follows_from=("lemB1", "step.8.24"),
    note=_FIRST_LEVEL,
)
ST_26B_CORRECTED = amended(
    ST_26B,
    (_ONE_MORE, Reason(_FACTOR, "fedmsa.lemB1")),
    text="With S^1 Lipschitz in z^1: as printed with 1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha, 1 - lambda_1 beta_1/2 "
    "for 1 - lambda_1 beta_1, any alpha and beta_1 <= lambda_1/(2 L_{s,1}^2)",
    statement=_progress(TOP.own(MORE_1, 2) + FROM_X),
    hypotheses=(*lemma_b1.MENDED, A2_FIRST, lemma_b1.STEP_SQUARED, p.METHOD),
    follows_from=("lemB1.corrected", "step.8.24.corrected"),
    **_shown(
        ONE,
        have("distance", _TRUE_24, by=[TO_X]),
        qed(by=["distance", cite(lemma_b1.LEMMA_B1_CORRECTED)], multipliers=[1, MORE_1]),
    ),
)

# --- the lemma: N levels

lam_above, beta_above, L_z_above = (
    p.declare(
        "lam_above", "constant of one-point strong monotonicity of S^{n+1}", INNER / AREA, latex=r"\lambda_{n+1}", **POS
    ),
    p.declare("beta_above", "step of z^{n+1}", AREA / INNER, latex=r"\beta_{n+1}", **POS),
    p.declare("L_z_above", "Lipschitz constant of z^{n+1,*}", latex="L_{z,n+1}", **NONNEG),
)
_OF_SUM = "C^n ||z_k^n - z_k^{n,*}||^2 + D^n ||q_k^n - S^n||^2"
all_gaps = p.formula("all_gaps", "sum_n ||z_k^n - z_k^{n,*}||^2", AREA, **NONNEG)
all_ends = p.formula("all_ends", "sum_n ||z_{k+1}^n - z_{k+1}^{n,*}||^2", AREA, **NONNEG)
sum_27, sum_own, sum_26, sum_true = (
    p.declare(
        name,
        f"sum_n ({_OF_SUM}), {of}",
        AREA,
        latex=rf"\sum_n(C^n\|z_k^n-z_k^{{n,*}}\|^2+D^n\|q_k^n-S^n\|^2)_{{{mark}}}",
    )
    for name, of, mark in (
        ("sum_27", "C^n and D^n of (27)", "(27)"),
        ("sum_own", "(27) with the index n for n - 1 in the last terms", "n"),
        ("sum_26", "(26b) and (26a), summed, with 1 + 8 L_{z,1}^2 alpha and L_{z,n} where z^{n,*} moves", "(26)"),
        ("sum_true", "the same with the factor and the weight that hold", "*"),
    )
)


def total(one: sp.Expr, later: sp.Expr) -> sp.Expr:
    """The first level and what (26a) has at the level n + 1, summed over n < N."""
    return one + sp.Sum(later, (n, 1, p.N - 1))


_N, _TO_N, _1 = _at(n), _at(n + 1), _at(sp.S.One)
_more, _more_1 = _N.lag(_TO_N.L_z), 1 + 8 * _1.L_z**2 * p.alpha
_PRINTED_26A = _TO_N.own(_more) + _N.to_above(_N.L_z)
_PRINTED_26B = _1.own(8 * _1.L_z * p.alpha)
_TRUE_26A = _TO_N.own(_more, 2) + _N.to_above(_TO_N.L_z, _N.L_s**2)
SUMS: dict[sp.Symbol, sp.Expr] = {
    all_gaps: total(gap(1), gap(n + 1)),
    all_ends: total(ends(1), ends(n + 1)),
    sum_27: total(_PRINTED_26B, _TO_N.own(_more))
    + _1.to_above(_1.L_z)
    + sp.Sum(_at(n - 1)._replace(gap=gap(n), err=err(n)).to_above(L_z(n - 1)), (n, 2, p.N - 1)),
    sum_own: total(_PRINTED_26B, _PRINTED_26A),
    sum_26: total(_1.own(_more_1), _TO_N.own(_more) + _N.to_above(_TO_N.L_z)),
    sum_true: total(_1.own(_more_1, 2), _TRUE_26A),
}


def _lemma(of: sp.Symbol) -> sp.Rel:
    return le(all_ends - all_gaps, of + FROM_X)


def _of_all(key: str, text: str, relation: sp.Rel) -> Hypothesis:
    return p.H_(key, text, None, EveryRound(key, relation, n, sp.S.One))


_y, _yn, _So = vectors("y y+ S*")
#: Level n and what its fixed point follows, the level n - 1 or x; ``h`` is the step of x.
LEVELS = Setting(
    depends=dict.fromkeys(("z", "q", "y", "y+", "h", "P"), ""),
    functions={
        "S": {"z": (z, S, None), "z*": (zs, _So, None)},
        "fix": {"before": (_y, zs, None), "after": (_yn, zsn, None)},
    },
    words={
        "z": "z_k^n",
        "q": "q_k^n",
        "h": "h_k",
        "P": "P(x_k)",
        "y": "z_k^{n-1}, for n = 1 it is x_k",
        "y+": "z_{k+1}^{n-1}, for n = 1 it is x_{k+1}",
    },
    metrics={
        gap(n): norm2(z - zs),
        ends(n): norm2(_end),
        moved(n): norm2(_v),
        err(n): norm2(q - S),
        pull(n): dot(z - zs, S),
        at_zero(n): norm2(_So),
        step2(n): norm2(p.beta * q),
        step2(n - 1): norm2(_yn - _y),
        step2(0): norm2(p.alpha * h),
        p.h2: norm2(h),
        p.P2: norm2(P),
        p.err_h: norm2(h - P),
        **dict(zip((lam(n), beta(n), L_s(n), L_z(n)), (p.lam, p.beta, p.L_s, p.L_z), strict=True)),
        **dict(zip((lam(1), beta(1), L_s(1), L_z(1)), (p.lam_1, p.beta_1, p.L_s1, p.L_z1), strict=True)),
        **dict(zip((lam(n + 1), beta(n + 1), L_z(n + 1)), (lam_above, beta_above, L_z_above), strict=True)),
    },
    sequences=SUMS,
    measured=tuple(SUMS),
    fixed=(p.N, p.alpha, p.h2, p.P2, p.err_h, *SUMS),
)
_OF_A5 = "<z^n - z^{n,*}, S^{m,n}> {} lambda_n ||z^n - z^{n,*}||^2 for all n"
A1_ALL = _of_all("A1 for all n", "S^n(z_k^{n-1}, z_k^{n,*}) = 0 for all n", eq(at_zero(n), 0))
A5_ALL_PRINTED = _of_all("A5 for all n", _OF_A5.replace("{}", "<="), le(pull(n), lam(n) * gap(n)))
A5_ALL = _of_all("A5 for all n, as used", _OF_A5.replace("{}", ">="), ge(pull(n), lam(n) * gap(n)))
STEPS_ALL = _of_all("steps", "beta_n <= lambda_n/(2 L_{q,n}^2) for all n", le(2 * L_s(n) ** 2 * beta(n), lam(n)))
_STEPS_B1 = _of_all("steps of Lemma B.1", "beta_n <= lambda_n/(2 L_{q,n}) for all n", le(2 * L_s(n) * beta(n), lam(n)))
LEMMA_B2 = p.claim(
    "lemB2",
    "Lemma B.2",
    Kind.INEQUALITY,
    "The sum over n = 1, ..., N of ||z_{k+1}^{n,*} - z_{k+1}^n||^2 - ||z_k^n - z_k^{n,*}||^2 is at most the sum of C^n "
    "||z_k^n - z_k^{n,*}||^2 + D^n ||q_k^n - S^n||^2, of (27), plus 2 L_{z,1}^2 alpha^2 (||h_k - P(x_k)||^2 + "
    "||P(x_k)||^2) + (alpha/8) ||h_k||^2",
    _lemma(sum_27),
    equation="15",
    title="Progress of all levels",
    hypotheses=(p.A1, A1_ALL, p.A2, p.A3, A5_ALL_PRINTED, ALPHA, p.METHOD),
    setting=LEVELS,
    switches=(
        replace(lemma_b1.A5_TURNED, without=(A5_ALL_PRINTED.key,), adding=(A5_ALL,)),
        lemma_b1.A3_IN_Z,
        replace(STEPS, adding=(_STEPS_B1,)),
        misprint(
            "1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha, and L_{z,n} where z^{n,*} moves",
            f"{_ONE_MORE}; {_INDEX}",
            _lemma(sum_26),
            "(16), (23) and (26a)",
        ),
    ),
    follows_from=("step.8.26b", "step.8.27"),
)
_lag = sp.Symbol("lag", positive=True)
_more_lag = 1 + 8 * _lag * p.L_z**2
LEMMA_B2_CORRECTED = amended(
    LEMMA_B2,
    (Reason(_ONE_MORE, "fedmsa.step.8.26b"), Reason(_FACTOR, "fedmsa.lemB1"), Reason(_NO_UNIT, "fedmsa.step.8.26a")),
    text="With S^n Lipschitz in z^n, any alpha and beta_n <= lambda_n/(2 L_{q,n}^2): as printed with 1 + 8 L_{z,1}^2 "
    "alpha for 8 L_{z,1} alpha, 1 - lambda_n beta_n/2 for 1 - lambda_n beta_n, and as the last terms, of n < N alone, "
    "2 L_{z,n+1}^2 L_{q,n}^2 beta_n^2 + lambda_n beta_n/4 in C^n and (2 L_{z,n+1}^2 beta_n + lambda_n/(4 L_{q,n}^2)) "
    "beta_n in D^n",
    statement=_lemma(sum_true),
    hypotheses=(A1_ALL, p.A2, lemma_b1.A3_BOTH, A5_ALL, STEPS_ALL, p.METHOD),
    follows_from=("step.8.26b.corrected", "step.8.26a.corrected"),
    proof=Proof(
        section("One level"),
        have("zero", eq(norm2(_So), 0), by=[supposed(A1_ALL.key)]),
        have("pull", ge(dot(z - zs, S), p.lam * gap(n)), by=[supposed(A5_ALL.key)]),
        have("short", le(2 * p.L_s**2 * p.beta, p.lam), by=[supposed(STEPS_ALL.key)]),
        lemma_b1.one_step("one step", gap(n), moved(n), err(n), "pull"),
        have(
            "nearer",
            le(moved(n), (1 - p.lam * p.beta / 2) * gap(n) + p.beta * (1 / p.lam + 2 * p.beta) * err(n)),
            by=["one step", "short"],
        ),
        have(
            "at its new target",
            le(ends(n), _more_lag * moved(n) + (p.L_z**2 + 1 / (8 * _lag)) * step2(n - 1)),
            by=[_moving(p.L_z, _lag)],
        ),
        have(
            "for any lag",
            le(ends(n) - gap(n), _N.own(1 + 8 * _lag * L_z(n) ** 2, 2) + (L_z(n) ** 2 + 1 / (8 * _lag)) * step2(n - 1)),
            by=["at its new target", "nearer"],
            multipliers=[1, _more_lag],
        ),
        have(
            "how far a level moves",
            le(step2(n), 2 * beta(n) ** 2 * (L_s(n) ** 2 * gap(n) + err(n))),
            by=[lipschitz("S", "z", "z*"), "zero"],
        ),
        section("All levels"),
        special("the first level", "for any lag", {n: sp.S.One, _lag: p.alpha}),
        have("the step of x", le(step2(0), p.alpha**2 * p.h2)),
        have("its parts", le(p.h2, 2 * p.P2 + 2 * p.err_h)),
        special("the level above", "for any lag", {n: n + 1, _lag: L_s(n) ** 2 * beta(n) / lam(n)}),
        have("(26a)", le(ends(n + 1) - gap(n + 1), _TRUE_26A), by=["the level above", "how far a level moves"]),
        summed("later levels", "(26a)", over=n, start=1, last=p.N - 1),
        qed(by=["later levels", "the first level", "the step of x", "its parts", SEQUENCES]),
    ),
)
_LINE_26A = le(ends(n + 1) - gap(n + 1), _PRINTED_26A)
_LINE_26B = le(ends(1) - gap(1), _PRINTED_26B + FROM_X.subs(p.L_z1, L_z(1)))
_LINES_26 = (
    _of_all("(26a)", "(26a) for n = 2, ..., N, as printed", _LINE_26A),
    _of_all("(26b)", "(26b), as printed", _LINE_26B),
)
ST_27 = _link(
    "8.27",
    "Sum of the progress of all levels",
    "Combining (26a) with (26b) gives (15) with C^n and D^n of (27)",
    _lemma(sum_27),
    _LINES_26,
    setting=LEVELS,
    switches=(
        misprint(
            "n for n - 1 in C^n and D^n",
            "of level n < N the coefficients come from (26a) at n + 1, where the index is n",
            _lemma(sum_own),
            "(26a), summed",
        ),
    ),
    follows_from=("step.8.26a", "step.8.26b"),
)
ST_27_CORRECTED = restated(
    ST_27,
    text="Combining (26a) with (26b) gives (15) with the index n for n - 1 in the last terms of C^n and D^n, n < N, "
    "and without those of C^1 and D^1 for N = 1",
    proof=Proof(
        have("(26a)", _LINE_26A, by=[supposed("(26a)"), SEQUENCES]),
        summed("later levels", "(26a)", over=n, start=1, last=p.N - 1),
        have("(26b)", _LINE_26B, by=[supposed("(26b)"), SEQUENCES]),
        qed(by=["later levels", "(26b)", SEQUENCES]),
    ),
)
STEP_5 = p.composite("step.5", _PLACE, "Product with the first moving fixed point", "(17), an equation and a bound")
STEP_6 = p.composite("step.6", _PLACE, "How far the first fixed point moves", "(18), three bounds one after the other")
STEP_7 = p.composite("step.7", _PLACE, "Product with a later moving fixed point", "(19a) to (21), link by link")
STEP_8 = p.composite("step.8", _PLACE, "From the products to the sum", "(22) to (27), link by link")
CLAIMS: tuple[Claim, ...] = (
    LEMMA_B2, LEMMA_B2_CORRECTED, STEP_5, STEP_6, STEP_7, STEP_8, ST_16, ST_17A, ST_17B, ST_18A, ST_18B, ST_18C,
    ST_19A, ST_19BC, ST_19BC_CORRECTED, ST_20A, ST_20B, ST_20B_CORRECTED, ST_20C, ST_21A, ST_21A_CORRECTED, ST_21B,
    ST_21B_CORRECTED, ST_22, ST_22_CORRECTED, ST_23A, ST_23B, ST_23B_CORRECTED, ST_23C, ST_23C_CORRECTED, ST_24,
    ST_24_CORRECTED, ST_25, ST_25_CORRECTED, ST_26A, ST_26A_CORRECTED, ST_26B, ST_26B_CORRECTED, ST_27,
    ST_27_CORRECTED,
)  # fmt: skip
