"""Lemma B.2: one local step of all inner sequences, whose fixed points move.

As printed it is false: (24) has lost the distance that it starts from, so that ``C^1`` nearly removes it in one step;
indices of ``L_{z,n}`` and of (27) are wrong, and the errors of the level below lack the unit of ``1/L_{q,n-1}^2``.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Lipschitz
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reason, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedmsa import lemma_b1
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
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
    supposed,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER, LENGTH

_R = sp.Rational
_PLACE = "proof of Lemma B.2"
AREA, FORCE = p.AREA, p.FORCE
pull_b = p.formula("pull_b", "<z_k^{n-1} - z_k^{n-1,*}, S^{n-1}(z_k^{n-2}, z_k^{n-1})>", INNER)
gap2_moved_b = p.formula("gap2_moved_b", "||z_{k+1}^{n-1} - z_k^{n-1,*}||^2", AREA, **NONNEG)
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
FIRST = (p.A1, A2_FIRST, p.A3, p.A5_PRINTED, ALPHA, p.METHOD)
LATER = (*lemma_b1.ASSUMPTION_A, A5_BELOW, ALPHA, p.METHOD)
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


# --- the model: levels, one above the other


@dataclass(frozen=True)
class Level:
    """A level in a chain: its constants, what is measured there, and its vectors, whose names end in ``name``."""

    name: str
    beta: sp.Symbol
    lam: sp.Symbol
    L_s: sp.Symbol
    L_z: sp.Symbol
    gap2: sp.Symbol
    moved: sp.Symbol
    ends: sp.Symbol | None
    err: sp.Symbol
    pull: sp.Symbol

    @property
    def tag(self) -> str:
        """What is put behind the names of steps, of which a proof has one for each level."""
        return self.name and f" ({self.name[1:]})"

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """``z_k^n``, its fixed point before and after the step, ``q_k^n`` and ``S^n``."""
        return vectors(f"z{self.name} z{self.name}* y{self.name}* q{self.name} S{self.name}")


TOP = Level("", p.beta, p.lam, p.L_s, p.L_z, p.gap2, p.gap2_moved, p.gap2_next, p.err_q, p.pull)
BOTTOM = replace(TOP, L_z=p.L_z1)
BELOW = Level("_b", p.beta_b, p.lam_b, p.L_sb, p.L_zb, p.gap2_b, gap2_moved_b, None, p.err_qb, pull_b)
x, h, P = vectors("x h P")
_UPPER = {p.h2: norm2(h), p.P2: norm2(P), p.err_h: norm2(h - P)}


def chain(*levels: Level, first: bool) -> Setting:
    """Levels above each other; the fixed point of the first one follows x, where it is the lowest there is."""
    depends = {"x": "", "h": "", "P": ""} if first else {}
    words = {"x": "x_k", "h": "h_k", "P": "P(x_k)"} if first else {}
    functions, metrics = {}, dict(_UPPER) if first else {}
    path = (x, x - p.alpha * h) if first else None
    for level in levels:
        z, zs, zsn, q, S = level.vectors
        n = {"": "n", "_b": "n-1"}.get(level.name, level.name.removeprefix("_"))
        depends |= dict.fromkeys((f"z{level.name}", f"q{level.name}"), "")
        words |= {f"z{level.name}": f"z_k^{{{n}}}", f"q{level.name}": f"q_k^{{{n}}}"}
        functions[f"S{level.name}"] = {f"z{level.name}": (z, S, None), f"z{level.name}*": (zs, Vector(), None)}
        metrics |= {level.gap2: norm2(z - zs), level.err: norm2(q - S), level.pull: dot(z - zs, S)}
        metrics[level.moved] = norm2(z - level.beta * q - zs)
        if path is None:
            depends[f"z{level.name}*"], words[f"z{level.name}*"] = "", f"z_k^{{{n},*}}"
        else:
            functions[f"fix{level.name}"] = {"before": (path[0], zs, None), "after": (path[1], zsn, None)}
            metrics[level.ends] = norm2(z - level.beta * q - zsn)
        path = z, z - level.beta * q
    constants = (c for level in levels for c in (level.beta, level.lam, level.L_s, level.L_z))
    return Setting(
        depends=depends, functions=functions, words=words, metrics=metrics, fixed=(p.alpha, *constants, *metrics)
    )


def _own(setting: Setting, metrics: dict[sp.Expr, Any], **more: Any) -> Setting:
    """The setting of a link, with what it alone measures."""
    wider: dict[str, Any] = {
        name: {**getattr(setting, name), **extra} for name, extra in {"metrics": metrics, **more}.items()
    }
    return replace(setting, fixed=(*setting.fixed, *(m for m in metrics if m.is_Symbol)), **wider)


z, zs, zsn, q, S = TOP.vectors
zb, zbs, _, qb, Sb = BELOW.vectors
_v = z - p.beta * q - zs
J, JS, Je = vectors("J JS Je")
ONE = _own(
    chain(BOTTOM, first=True),
    metrics={move2: norm2(zs - zsn), cross: dot(_v, zs - zsn), step2_x: norm2(p.alpha * h), h2_sum: norm2(h)},
)
AT_X = _own(
    ONE,
    depends={"J": ""},
    words={"J": "-grad z^{1,*}(xhat) (x_{k+1} - x_k)"},
    metrics={slope_1: -dot(_v, J), slope2: norm2(J)},
)
TWO = _own(
    chain(BELOW, TOP, first=False),
    metrics={
        move2: norm2(zs - zsn),
        cross: dot(_v, zs - zsn),
        step2_b: norm2(p.beta_b * qb),
        S_b**2: norm2(Sb),
        dist_b**2: norm2(zb - zbs),
        miss_b**2: norm2(qb - Sb),
    },
)
AT_Z = _own(
    TWO,
    depends={"JS": "", "Je": ""},
    words={"JS": "grad z^{n,*}(zhat)^T S^{n-1}", "Je": "grad z^{n,*}(zhat)^T (q_k^{n-1} - S^{n-1})"},
    metrics={
        slope_n: dot(_v, p.beta_b * (JS + Je)),
        part_b: -dot(_v, p.beta_b * JS),
        part_c: -dot(_v, p.beta_b * Je),
        away**2: norm2(_v),
    },
    bounds={away: -_v},
    lengths={turned_S: JS, turned_e: Je},
)


def _link(
    name: str,
    equation: str,
    title: str,
    text: str,
    statement: sp.Basic,
    hypotheses: tuple[Hypothesis, ...],
    **rest: Any,
) -> Claim:
    kind = Kind.IDENTITY if isinstance(statement, sp.Eq) else Kind.INEQUALITY
    return p.claim(
        f"step.{name}", _PLACE, kind, text, statement, equation=equation, title=title, hypotheses=hypotheses, **rest
    )


def _shown(setting: Setting, *steps: Part) -> dict[str, Any]:
    return {"setting": setting, "proof": Proof(*steps)}


# --- what holds: close to a fixed point that moves

eps = sp.Symbol("eps", positive=True)


def lag(level: Level, below: Level | None) -> sp.Expr:
    """``8 L_z^2 L_q^2 beta/lambda`` of the level below, at the first level ``8 L_z^2 alpha``."""
    if below is None:
        return 8 * level.L_z**2 * p.alpha
    return 8 * level.L_z**2 * below.L_s**2 * below.beta / below.lam


def shift(level: Level, below: Level | None, *, as_printed: bool = False) -> sp.Expr:
    """What a moving fixed point adds to its distance; in print the error below lacks ``1/L_{q,n-1}^2``."""
    square = 2 * level.L_z**2
    if below is None:
        return p.alpha / 8 * p.h2 + square * p.alpha**2 * (p.P2 + p.err_h)
    near = square * below.L_s**2 * below.beta**2 + below.lam * below.beta / 4
    weight = below.lam / (4 if as_printed else 4 * below.L_s**2)
    return near * below.gap2 + (square * below.beta + weight) * below.beta * below.err


def follows(level: Level, below: Level | None) -> tuple[Part, ...]:
    """That the distance after the step is ``(1 + lag)`` times the one to the old fixed point, and the shift."""
    n, (_, zs, zsn, *_) = level.tag, level.vectors
    path = norm2(p.alpha * h) if below is None else norm2(below.beta * below.vectors[3])
    young = 1 + 1 / (lag(level, below) + eps)
    moves, ends = f"the fixed point moves{n}", f"for any eps{n}"
    first = have(moves, le(norm2(zs - zsn), level.L_z**2 * path), by=[lipschitz(f"fix{level.name}", "before", "after")])
    by, multipliers = [moves], [young]
    more: tuple[Part, ...] = ()
    if below is not None:
        direction = f"the direction below{n}"
        bound = 2 * below.L_s**2 * below.gap2 + 2 * below.err
        more = (
            have(
                direction,
                le(norm2(below.vectors[3]), bound),
                by=[lipschitz(f"S{below.name}", f"z{below.name}", f"z{below.name}*")],
            ),
        )
        by, multipliers = [moves, direction], [young, young * (level.L_z * below.beta) ** 2]
    goal = le(level.ends, (1 + lag(level, below) + eps) * level.moved + shift(level, below))
    return (
        first,
        *more,
        have(ends, goal, by=by, multipliers=multipliers),
        limit(f"distance to it{n}", ends, over=eps),
    )


def contracts(level: Level, a5: str) -> tuple[Part, ...]:
    """That a step brings the level nearer to its old fixed point: Lemma B.1, corrected."""
    n = level.tag
    moved = le(level.moved, (1 - level.lam * level.beta / 2) * level.gap2 + error(level))
    one = lemma_b1.one_step(
        f"one step{n}", level.name, a5, level.beta, level.lam, level.L_s, level.gap2, level.moved, level.err
    )
    return one, have(f"nearer{n}", moved, by=[one.name])


def error(level: Level) -> sp.Expr:
    """What the error of the direction adds in a step."""
    return level.beta * (1 / level.lam + 2 * level.beta) * level.err


def progress(level: Level, below: Level | None, *, as_printed: bool = False) -> sp.Rel:
    """(26a) or (26b) as it holds; with the factor of Lemma B.1 and the weight as printed it does not."""
    more, tau = 1 + lag(level, below), level.lam * level.beta
    left = more * (1 - (tau if as_printed else tau / 2)) - 1
    rest = shift(level, below, as_printed=as_printed)
    return le(level.ends - level.gap2, left * level.gap2 + more * error(level) + rest)


# --- the steps of the proof

ST_16 = _link(
    "4", "16", "Distance to the new fixed point, expanded",
    "||z_{k+1}^n - z_{k+1}^{n,*}||^2 = ||z_{k+1}^n - z_k^{n,*}||^2 + ||z_k^{n,*} - z_{k+1}^{n,*}||^2 + 2 <z_{k+1}^n - "
    "z_k^{n,*}, z_k^{n,*} - z_{k+1}^{n,*}>",
    eq(p.gap2_next, p.gap2_moved + move2 + 2 * cross),
    (p.METHOD,),
    **_shown(TWO, qed()),
)  # fmt: skip
_MEAN_VALUE = "the mean value theorem for the inner product along the segment, a function of one number"
ST_17A = _link(
    "5.a", "17", "Mean value theorem for z^{1,*}",
    "<z_{k+1}^1 - z_k^{1,*}, z_k^{1,*} - z_{k+1}^{1,*}> = -<z_{k+1}^1 - z_k^{1,*}, grad z^{1,*}(xhat) (x_{k+1} - "
    "x_k)> for "
    "some xhat between x_k and x_{k+1}",
    eq(cross, -slope_1),
    (A2_FIRST, p.METHOD),
    **_shown(AT_X, in_words("on a segment", eq(cross, -slope_1), _MEAN_VALUE), qed(by=["on a segment"])),
)  # fmt: skip
ST_17B = _link(
    "5.b", "17", "Young's inequality at the first level",
    "-<z_{k+1}^1 - z_k^{1,*}, grad z^{1,*}(xhat) (x_{k+1} - x_k)> <= 4 L_{z,1}^2 alpha ||z_{k+1}^1 - z_k^{1,*}||^2 + "
    "(alpha/16) ||h_k||^2",
    le(-slope_1, 4 * p.L_z1**2 * p.alpha * p.gap2_moved + p.alpha / 16 * p.h2),
    (AT_XHAT, p.METHOD),
    **_shown(
        AT_X,
        have(
            "for any eps",
            le(-slope_1, (4 * p.L_z1**2 * p.alpha + eps) * p.gap2_moved + p.alpha / 16 * p.h2),
            by=[supposed(AT_XHAT.key)],
            multipliers=[1 / (4 * (4 * p.L_z1**2 * p.alpha + eps))],
        ),
        limit("eps to zero", "for any eps", over=eps),
        qed(by=["eps to zero"]),
    ),
)  # fmt: skip
_SUM_18 = 2 * p.L_z1**2 * p.alpha**2 * p.P2 + 2 * p.L_z1**2 * p.alpha**2 * p.err_h
ST_18A, ST_18B, ST_18C = (
    _link(f"6.{name}", "18", title, text, le(left, right), hypotheses, **_shown(ONE, qed(by=by)))
    for name, title, text, left, right, hypotheses, by in (
        (
            "a", "Lipschitz continuity of z^{1,*}",
            "||z_k^{1,*} - z_{k+1}^{1,*}||^2 <= L_{z,1}^2 ||x_k - x_{k+1}||^2",
            move2, p.L_z1**2 * step2_x, (A2_FIRST,), [lipschitz("fix", "before", "after")],
        ),
        (
            "b", "The step of x, put in",
            "L_{z,1}^2 ||x_k - x_{k+1}||^2 <= L_{z,1}^2 alpha^2 ||P(x_k) + h_k - P(x_k)||^2",
            p.L_z1**2 * step2_x, p.L_z1**2 * p.alpha**2 * h2_sum, (p.METHOD,), [],
        ),
        (
            "c", "Direction of x, split",
            "L_{z,1}^2 alpha^2 ||P(x_k) + h_k - P(x_k)||^2 <= 2 L_{z,1}^2 alpha^2 ||P(x_k)||^2 + 2 L_{z,1}^2 alpha^2 "
            "||h_k - P(x_k)||^2",
            p.L_z1**2 * p.alpha**2 * h2_sum, _SUM_18, (), [],
        ),
    )
)  # fmt: skip

# --- later levels

_19 = "<z_k^{n,*} - z_{k+1}^n, z_{k+1}^{n,*} - z_k^{n,*}>"
_19B = "<z_k^{n,*} - z_{k+1}^n, beta_{n-1} grad z^{n,*}(zhat)^T S^{n-1}>"
_19C = "<z_k^{n,*} - z_{k+1}^n, beta_{n-1} grad z^{n,*}(zhat)^T (q^{n-1} - S^{n-1})>"
ST_19A = _link(
    "7.19a", "19a", "Mean value theorem for z^{n,*}",
    f"{_19} = <z_k^{{n,*}} - z_{{k+1}}^n, grad z^{{n,*}}(zhat)^T (z_{{k+1}}^{{n-1}} - z_k^{{n-1}})> for some zhat "
    "between "
    "z_k^{n-1} and z_{k+1}^{n-1}",
    eq(cross, slope_n),
    (p.A2, p.METHOD),
    **_shown(
        AT_Z,
        in_words("on a segment", eq(cross, slope_n), _MEAN_VALUE),
        qed(by=["on a segment"]),
    ),
)  # fmt: skip
_SIGN = "z^{n-1} moves by -beta_{n-1} q^{n-1}"
ST_19BC = _link(
    "7.19bc", "19b", "The step of the level below, split",
    f"(19a) = {_19B} + {_19C}",
    eq(slope_n, part_b + part_c),
    LATER,
    switches=(misprint("with a minus on the right", _SIGN, eq(slope_n, -part_b - part_c), "Algorithm 1, line 15"),),
)  # fmt: skip
ST_19BC_CORRECTED = amended(
    ST_19BC,
    _SIGN,
    text=f"(19a) = -{_19B} - {_19C}",
    statement=eq(slope_n, -part_b - part_c),
    hypotheses=(p.METHOD,),
    origin="Algorithm 1, line 15",
    **_shown(AT_Z, qed()),
)
_L = p.L_z * p.beta_b
_YOUNG = 2 * p.L_z**2 * p.L_sb**2 / p.lam_b * p.beta_b
_ABOVE = "(2 L_{z,n}^2 L_{q,n-1}^2/lambda_{n-1}) beta_{n-1} ||z_k^{n,*} - z_{k+1}^n||^2"
ST_20A = _link(
    "7.20a", "20", "Cauchy and Schwarz for the pull below",
    "(19b) <= L_{z,n} beta_{n-1} ||z_k^{n,*} - z_{k+1}^n|| ||S^{n-1}||",
    le(part_b, _L * away * S_b),
    (AT_HAT, p.METHOD),
    **_shown(
        AT_Z,
        have("lengths", le(away * turned_S, away * p.L_z * S_b), by=[supposed(AT_HAT.key)]),
        qed(by=[cauchy_schwarz(away, turned_S), "lengths"]),
    ),
)  # fmt: skip
ST_20B = _link(
    "7.20b", "20", "Lipschitz continuity of S^{n-1}",
    "L_{z,n} beta_{n-1} ||z_k^{n,*} - z_{k+1}^n|| ||S^{n-1}|| <= L_{z,n} L_{q,n-1} beta_{n-1} ||z_k^{n,*} - "
    "z_{k+1}^n|| "
    "||z_k^{n-1} - z_k^{n-1,*}||",
    le(_L * away * S_b, _L * p.L_sb * away * dist_b),
    LATER,
    switches=(A3_IN_BELOW,),
)  # fmt: skip
ST_20B_CORRECTED = amended(
    ST_20B,
    "A3 is about the first argument of S^{m,n-1}",
    text="As printed, with S^{n-1} L_{q,n-1}-Lipschitz in z^{n-1}",
    hypotheses=(p.A1, A3_BELOW),
    origin="(20), which uses A3 in z^{n-1}",
    **_shown(
        TWO,
        have("squares", le(S_b**2, (p.L_sb * dist_b) ** 2), by=[lipschitz("S_b", "z_b", "z_b*")]),
        raised("lengths", "squares", to=_R(1, 2)),
        qed(by=["lengths"]),
    ),
)
ST_20C = _link(
    "7.20c", "20", "Young's inequality with the distance below",
    "L_{z,n} L_{q,n-1} beta_{n-1} ||z_k^{n,*} - z_{k+1}^n|| ||z_k^{n-1} - z_k^{n-1,*}|| <= " + _ABOVE
    + " + (lambda_{n-1}/8) beta_{n-1} ||z_k^{n-1} - z_k^{n-1,*}||^2",
    le(_L * p.L_sb * away * dist_b, _YOUNG * away**2 + p.lam_b / 8 * p.beta_b * dist_b**2),
    (),
    **_shown(Setting(), qed()),
)  # fmt: skip
_ERROR_BELOW = "||q_k^{n-1} - S^{n-1}||"
_TO_21A = le(part_c, _L * away * miss_b)
_SLIP_21 = "the norm is squared, and q has the index n for n - 1"
ST_21A = _link(
    "7.21a", "21", "Cauchy and Schwarz for the error below",
    "(19c) <= L_{z,n} beta_{n-1} ||z_k^{n,*} - z_{k+1}^n|| ||q_k^n - S^{n-1}||^2",
    le(part_c, _L * away * miss_x**2),
    LATER,
    switches=(misprint(_ERROR_BELOW, _SLIP_21, _TO_21A, "(19c)"),),
)  # fmt: skip
ST_21A_CORRECTED = amended(
    ST_21A,
    _SLIP_21,
    text=f"(19c) <= L_{{z,n}} beta_{{n-1}} ||z_k^{{n,*}} - z_{{k+1}}^n|| {_ERROR_BELOW}",
    statement=_TO_21A,
    hypotheses=(AT_HAT, p.METHOD),
    origin="(19c)",
    **_shown(
        AT_Z,
        have("lengths", le(away * turned_e, away * p.L_z * miss_b), by=[supposed(AT_HAT.key)]),
        qed(by=[cauchy_schwarz(away, turned_e), "lengths"]),
    ),
)


def _by_young(left: sp.Expr, weight: sp.Expr) -> sp.Rel:
    return le(_L * away * left, _YOUNG * away**2 + weight * p.beta_b * miss_b**2)


_NO_UNIT = "Young's inequality gives L_{z,n} alone, without L_{q,n-1}: the weight of the error lacks 1/L_{q,n-1}^2"
ST_21B = _link(
    "7.21b", "21", "Young's inequality with the error below",
    "L_{z,n} beta_{n-1} ||z_k^{n,*} - z_{k+1}^n|| ||q_k^n - S^{n-1}||^2 <= " + _ABOVE
    + f" + (lambda_{{n-1}}/8) beta_{{n-1}} {_ERROR_BELOW}^2",
    _by_young(miss_x**2, p.lam_b / 8),
    LATER,
    switches=(misprint(_ERROR_BELOW + " on the left", _SLIP_21, _by_young(miss_b, p.lam_b / 8), "(19c)"),),
)  # fmt: skip
ST_21B_CORRECTED = amended(
    ST_21B,
    (_SLIP_21, _NO_UNIT),
    text=f"L_{{z,n}} beta_{{n-1}} ||z_k^{{n,*}} - z_{{k+1}}^n|| {_ERROR_BELOW} <= {_ABOVE} + (lambda_{{n-1}}/(8 "
    f"L_{{q,n-1}}^2)) beta_{{n-1}} {_ERROR_BELOW}^2",
    statement=_by_young(miss_b, p.lam_b / (8 * p.L_sb**2)),
    hypotheses=(),
    **_shown(Setting(), qed()),
)


def _first_22(left: sp.Expr, weight: sp.Expr) -> sp.Rel:
    quarter = p.lam_b / 4 * p.beta_b * p.gap2_b
    return le(left, lag(TOP, BELOW) * p.gap2_moved + quarter + weight * p.beta_b * p.err_qb)


_TWICE = "what is bounded is twice (19a), not the distance"
_RIGHT_22 = (
    "<= (8 L_{z,n}^2 L_{q,n-1}^2/lambda_{n-1}) beta_{n-1} ||z_k^{n,*} - z_{k+1}^n||^2 + (lambda_{n-1}/4) beta_{n-1} "
    "||z_k^{n-1} - z_k^{n-1,*}||^2 + "
)
ST_22 = _link(
    "8.22", "22", "The product with the moving fixed point",
    f"||z_{{k+1}}^{{n,*}} - z_{{k+1}}^n||^2 {_RIGHT_22}(lambda_{{n-1}}/4) beta_{{n-1}} {_ERROR_BELOW}^2",
    _first_22(p.gap2_next, p.lam_b / 4),
    LATER,
    switches=(
        misprint("twice (19a)", _TWICE, _first_22(2 * cross, p.lam_b / 4), "the sentence before"), A5_BOTH, A3_IN_BELOW,
    ),
    follows_from=("step.7.19bc", "step.7.20c", "step.7.21b"),
)  # fmt: skip
_MOVES = (
    have("it moves", le(move2, p.L_z**2 * p.beta_b**2 * norm2(qb)), by=[lipschitz("fix", "before", "after")]),
    have(
        "the direction below",
        le(norm2(qb), 2 * p.L_sb**2 * p.gap2_b + 2 * p.err_qb),
        by=[lipschitz("S_b", "z_b", "z_b*")],
    ),
)
_to_eps = lag(TOP, BELOW) + eps
_GOAL_22 = _first_22(2 * cross, p.lam_b / (4 * p.L_sb**2))
ST_22_CORRECTED = amended(
    ST_22,
    (_TWICE, _NO_UNIT),
    text=f"2 {_19} {_RIGHT_22}(lambda_{{n-1}}/(4 L_{{q,n-1}}^2)) beta_{{n-1}} {_ERROR_BELOW}^2",
    statement=_GOAL_22,
    hypotheses=(p.A1, p.A2, A3_BELOW, p.METHOD),
    follows_from=(),
    **_shown(
        TWO,
        *_MOVES,
        have(
            "for any eps",
            le(2 * cross, _GOAL_22.rhs + eps * p.gap2_moved),
            by=["it moves", "the direction below"],
            multipliers=[1 / _to_eps, p.L_z**2 * p.beta_b**2 / _to_eps],
        ),
        limit("eps to zero", "for any eps", over=eps),
        qed(by=["eps to zero"]),
    ),
)


def _line_23(factor: sp.Expr, of: sp.Expr) -> sp.Expr:
    return 2 * factor * p.beta_b**2 * of + 2 * factor * p.beta_b**2 * p.err_qb


_zb2, _zn2 = p.L_zb**2, p.L_z**2
_INDEX = "L_{z,n-1} stands for L_{z,n}, whose fixed point moves"
_AT_K = "S^{n-1} is taken at z_k^{n-1}, not at z_{k+1}^{n-1}"
ST_23A = _link(
    "8.23a", "23", "Lipschitz continuity of z^{n,*}",
    "||z_k^{n,*} - z_{k+1}^{n,*}||^2 <= L_{z,n}^2 ||z_k^{n-1} - z_{k+1}^{n-1}||^2",
    le(move2, _zn2 * step2_b),
    (p.A2, p.METHOD),
    **_shown(TWO, qed(by=[lipschitz("fix", "before", "after")])),
)  # fmt: skip
ST_23B = _link(
    "8.23b", "23", "Direction of the level below, split",
    "L_{z,n}^2 ||z_k^{n-1} - z_{k+1}^{n-1}||^2 <= 2 L_{z,n-1}^2 beta_{n-1}^2 ||S^{n-1}||^2 + 2 L_{z,n-1}^2 "
    "beta_{n-1}^2 ||q_k^{n-1} - S^{n-1}||^2",
    le(_zn2 * step2_b, _line_23(_zb2, S_b**2)),
    LATER,
    switches=(misprint("L_{z,n} on the right", _INDEX, le(_zn2 * step2_b, _line_23(_zn2, S_b**2)), "the line before"),),
)  # fmt: skip
ST_23B_CORRECTED = amended(
    ST_23B,
    _INDEX,
    text="L_{z,n}^2 ||z_k^{n-1} - z_{k+1}^{n-1}||^2 <= 2 L_{z,n}^2 beta_{n-1}^2 ||S^{n-1}||^2 + 2 L_{z,n}^2 "
    "beta_{n-1}^2 "
    "||q_k^{n-1} - S^{n-1}||^2",
    statement=le(_zn2 * step2_b, _line_23(_zn2, S_b**2)),
    hypotheses=(p.METHOD,),
    origin="the line before",
    **_shown(TWO, qed()),
)
_TO_23C = le(_line_23(_zn2, S_b**2), _line_23(_zn2, p.L_sb**2 * p.gap2_b))
ST_23C = _link(
    "8.23c", "23", "Lipschitz continuity of the level below",
    "2 L_{z,n-1}^2 beta_{n-1}^2 (||S^{n-1}||^2 + ||q_k^{n-1} - S^{n-1}||^2) <= 2 L_{z,n-1}^2 L_{q,n-1}^2 beta_{n-1}^2 "
    "||z_k^{n-1,*} - z_{k+1}^{n-1}||^2 + 2 L_{z,n-1}^2 beta_{n-1}^2 ||q_k^{n-1} - S^{n-1}||^2",
    le(_line_23(_zb2, S_b**2), _line_23(_zb2, p.L_sb**2 * gap2_moved_b)),
    LATER,
    switches=(misprint("z_k^{n-1}, and L_{z,n}", f"{_AT_K}; {_INDEX}", _TO_23C, "(25)"), A3_IN_BELOW),
)  # fmt: skip
ST_23C_CORRECTED = amended(
    ST_23C,
    (_AT_K, _INDEX, "A3 is about the first argument of S^{m,n-1}"),
    text="2 L_{z,n}^2 beta_{n-1}^2 (||S^{n-1}||^2 + ||q_k^{n-1} - S^{n-1}||^2) <= 2 L_{z,n}^2 L_{q,n-1}^2 beta_{n-1}^2 "
    "||z_k^{n-1,*} - z_k^{n-1}||^2 + 2 L_{z,n}^2 beta_{n-1}^2 ||q_k^{n-1} - S^{n-1}||^2, with S^{n-1} Lipschitz in "
    "z^{n-1}",
    statement=_TO_23C,
    hypotheses=(p.A1, A3_BELOW),
    origin="(25), where z^{n-1} is taken before the step",
    **_shown(
        TWO,
        have("the image", le(S_b**2, p.L_sb**2 * p.gap2_b), by=[lipschitz("S_b", "z_b", "z_b*")]),
        qed(by=["the image"]),
    ),
)

# --- the distances after the step

_ONE_MORE = "||z_{k+1} - z_k^*||^2 itself, the first term of (16), has been left out"


def _line_24(factor: sp.Expr, slope: sp.Expr) -> sp.Rel:
    moved = factor * p.gap2_moved + p.alpha / 8 * p.h2
    return le(p.gap2_next, moved + 2 * p.L_z1**2 * p.alpha**2 * slope + 2 * p.L_z1**2 * p.alpha**2 * p.err_h)


def _line_25(L_z: sp.Expr, weight: sp.Expr) -> sp.Rel:
    near = (2 * L_z**2 * p.L_sb**2 * p.beta_b**2 + p.lam_b / 4 * p.beta_b) * p.gap2_b
    moved = (1 + lag(TOP, BELOW)) * p.gap2_moved
    return le(p.gap2_next, near + moved + (2 * L_z**2 * p.beta_b + weight) * p.beta_b * p.err_qb)


_lag_1 = lag(BOTTOM, None)
_tau = p.lam * p.beta
_LIPSCHITZ = "With S^n and S^{n-1} Lipschitz in z^n and z^{n-1}: "
_of_24 = (
    "{}||z_{{k+1}}^1 - z_k^{{1,*}}||^2 + (alpha/8) ||h_k||^2 + 2 L_{{z,1}}^2 alpha^2 ||{}||^2 + 2 L_{{z,1}}^2 "
    "alpha^2 ||h_k - P(x_k)||^2"
)
_MENDED_24 = _line_24(1 + _lag_1, p.P2)
ST_24 = _link(
    "8.24", "24", "Distance to the new first fixed point",
    "||z_{k+1}^1 - z_{k+1}^{1,*}||^2 <= " + _of_24.format("8 L_{z,1}^2 alpha ", "grad f(x_k)"),
    _line_24(_lag_1, grad2),
    (*FIRST, p.POTENTIAL),
    switches=(misprint("1 + 8 L_{z,1}^2 alpha, and P for grad f", _ONE_MORE, _MENDED_24, "(16), and (25)"),),
    follows_from=("step.4", "step.5.b", "step.6.c"),
)  # fmt: skip
ST_24_CORRECTED = amended(
    ST_24,
    _ONE_MORE,
    text="||z_{k+1}^1 - z_{k+1}^{1,*}||^2 <= " + _of_24.format("(1 + 8 L_{z,1}^2 alpha) ", "P(x_k)"),
    statement=_MENDED_24,
    hypotheses=(A2_FIRST, p.METHOD),
    origin="(16), and (25)",
    follows_from=(),
    **_shown(ONE, *follows(BOTTOM, None), qed(by=["distance to it"])),
)
_BEFORE = "(2 L_{z,n}^2 L_{q,n-1}^2 beta_{n-1}^2 + (lambda_{n-1}/4) beta_{n-1}) ||z_k^{n-1} - z_k^{n-1,*}||^2 + "
_OF_25 = "||z_{k+1}^{n,*} - z_{k+1}^n||^2 <= " + _BEFORE + "(1 + 8 L_{z,n}^2 L_{q,n-1}^2 beta_{n-1}/lambda_{n-1}) "
_ERR_B = f"beta_{{n-1}} {_ERROR_BELOW}^2"
_MENDED_25 = _line_25(p.L_z, p.lam_b / (4 * p.L_sb**2))
_BY_INDEX = misprint("L_{z,n} for L_{z,n-1}", _INDEX, _line_25(p.L_z, p.lam_b / 4), "the first line of (23)")
_LINE_25 = _line_25(p.L_zb, p.lam_b / 4)
ST_25 = _link(
    "8.25", "25", "Distance to a new later fixed point",
    (_OF_25 + f"||z_k^{{n,*}} - z_{{k+1}}^n||^2 + (2 L_{{z,n}}^2 beta_{{n-1}} + lambda_{{n-1}}/4) {_ERR_B}").replace(
        "(2 L_{z,n}", "(2 L_{z,n-1}"
    ),
    _LINE_25,
    LATER,
    switches=(_BY_INDEX, A5_BOTH, A3_IN_BELOW),
    follows_from=("step.4", "step.8.22", "step.8.23c"),
)  # fmt: skip
ST_25_CORRECTED = amended(
    ST_25,
    (_INDEX, _NO_UNIT),
    text=_OF_25
    + f"||z_k^{{n,*}} - z_{{k+1}}^n||^2 + (2 L_{{z,n}}^2 beta_{{n-1}} + lambda_{{n-1}}/(4 L_{{q,n-1}}^2)) {_ERR_B}",
    statement=_MENDED_25,
    hypotheses=(p.A1, p.A2, A3_BELOW, p.METHOD),
    follows_from=(),
    **_shown(TWO, *follows(TOP, BELOW), qed(by=["distance to it"])),
)
_LEAST_26 = (A5_BOTH, A3_IN_BELOW, lemma_b1.A3_IN_Z, STEPS)
_FACTOR = "the factor 1 - lambda_n beta_n of Lemma B.1"
_SUBTRACTED = "||z_{k+1}^{n,*} - z_{k+1}^n||^2 - ||z_k^{n,*} - z_k^n||^2 <= "
_MORE = "(1 + 8 L_{z,n}^2 L_{q,n-1}^2 beta_{n-1}/lambda_{n-1})"
_OF_26A = (
    _BEFORE.replace("L_{z,n}", "L_{z,n-1}")
    + f"({_MORE} (1 - lambda_n beta_n) - 1) ||z_k^n - z_k^{{n,*}}||^2 + {_MORE} (1/lambda_n + 2 beta_n) beta_n "
    f"||q_k^n - S^n||^2 + (2 L_{{z,n-1}}^2 beta_{{n-1}} + lambda_{{n-1}}/4) {_ERR_B}"
)
_LINE_26A = le(p.gap2_next - p.gap2, _LINE_25.rhs.subs(p.gap2_moved, (1 - _tau) * p.gap2 + error(TOP)) - p.gap2)
ST_26A = _link(
    "8.26a", "26a", "Progress of a later level",
    _SUBTRACTED + _OF_26A,
    _LINE_26A,
    LATER,
    switches=(replace(_BY_INDEX, statement=progress(TOP, BELOW, as_printed=True)), *_LEAST_26),
    follows_from=("lemB1", "step.8.25"),
)  # fmt: skip
ST_26A_CORRECTED = amended(
    ST_26A,
    (_INDEX, _NO_UNIT, Reason(_FACTOR, "fedmsa.lemB1")),
    text=_LIPSCHITZ + "as printed with L_{z,n} for L_{z,n-1}, 1 - lambda_n beta_n/2 for 1 - lambda_n beta_n, "
    "lambda_{n-1}/(4 L_{q,n-1}^2) for lambda_{n-1}/4 beside the error, and beta_n <= lambda_n/(2 L_{s,n}^2)",
    statement=progress(TOP, BELOW),
    hypotheses=(*lemma_b1.MENDED, p.A2, A3_BELOW, lemma_b1.STEP_SQUARED, p.METHOD),
    follows_from=("lemB1.corrected", "step.8.25.corrected"),
    **_shown(
        TWO,
        *follows(TOP, BELOW),
        qed(by=["distance to it", cite(lemma_b1.LEMMA_B1_CORRECTED)], multipliers=[1, 1 + lag(TOP, BELOW)]),
    ),
)
_printed_26b = 8 * p.L_z1 * p.alpha


_LINE_26B = le(
    p.gap2_next - p.gap2,
    (_printed_26b * (1 - _tau) - 1) * p.gap2 + _printed_26b * error(TOP) + shift(BOTTOM, None),
)
ST_26B = _link(
    "8.26b", "26b", "Progress of the first level",
    "||z_{k+1}^1 - z_{k+1}^{1,*}||^2 - ||z_k^1 - z_k^{1,*}||^2 <= (8 L_{z,1} alpha (1 - lambda_1 beta_1) - 1) ||z_k^1 "
    "- "
    "z_k^{1,*}||^2 + 8 L_{z,1} alpha beta_1 (1/lambda_1 + 2 beta_1) ||q_k^1 - S^1||^2 + (alpha/8) ||h_k||^2 + 2 "
    "L_{z,1}^2 alpha^2 (||P(x_k)||^2 + ||h_k - P(x_k)||^2)",
    _LINE_26B,
    FIRST,
    switches=(
        misprint(
            "1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha",
            _ONE_MORE,
            progress(BOTTOM, None, as_printed=True),
            "(16), and (25)",
        ),
        lemma_b1.A5_TURNED,
        lemma_b1.A3_IN_Z,
        STEPS,
    ),
    follows_from=("lemB1", "step.8.24"),
)  # fmt: skip
ST_26B_CORRECTED = amended(
    ST_26B,
    (_ONE_MORE, Reason(_FACTOR, "fedmsa.lemB1")),
    text="With S^1 Lipschitz in z^1: as printed with 1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha, 1 - lambda_1 beta_1/2 "
    "for 1 - lambda_1 beta_1, any alpha and beta_1 <= lambda_1/(2 L_{s,1}^2)",
    statement=progress(BOTTOM, None),
    hypotheses=(*lemma_b1.MENDED, A2_FIRST, lemma_b1.STEP_SQUARED, p.METHOD),
    follows_from=("lemB1.corrected", "step.8.24.corrected"),
    **_shown(
        ONE,
        *follows(BOTTOM, None),
        qed(by=["distance to it", cite(lemma_b1.LEMMA_B1_CORRECTED)], multipliers=[1, 1 + _lag_1]),
    ),
)

# --- the lemma, for N = 1, 2, 3


def _level(i: int) -> Level:
    """The level ``z^i``; the constants of the first one have symbols that other results share."""
    star = f"z_k^{{{i},*}}"
    names = (
        (f"gap2_{i}", f"||z_k^{i} - {star}||^2"),
        (f"moved_{i}", f"||z_{{k+1}}^{i} - {star}||^2"),
        (f"next2_{i}", f"||z_{{k+1}}^{i} - z_{{k+1}}^{{{i},*}}||^2"),
    )
    gap2, moved, ends = (p.formula(name, meaning, AREA, **NONNEG) for name, meaning in names)
    err = p.formula(f"err2_{i}", f"||q_k^{i} - S^{i}||^2", FORCE**2, **NONNEG)
    pull = p.formula(f"pull_{i}", f"<z_k^{i} - {star}, S^{i}>", INNER)
    if i == 1:
        return Level("_1", p.beta_1, p.lam_1, p.L_s1, p.L_z1, gap2, moved, ends, err, pull)
    said = f"of level {i}"
    return Level(
        f"_{i}",
        p.declare(f"beta_{i}", f"step of z^{i}", AREA / INNER, latex=rf"\beta_{i}", **POS),
        p.declare(f"lam_{i}", f"strong monotonicity {said}", INNER / AREA, latex=rf"\lambda_{i}", **POS),
        p.declare(f"L_s{i}", f"Lipschitz constant {said}", INNER / AREA, latex=f"L_{{q,{i}}}", **POS),
        p.declare(f"L_z{i}", f"Lipschitz constant of z^{{{i},*}}", latex=f"L_{{z,{i}}}", **NONNEG),
        gap2,
        moved,
        ends,
        err,
        pull,
    )


LEVELS = tuple(_level(i) for i in (1, 2, 3))


def _at(level: Level, other: Level) -> dict[sp.Expr, sp.Expr]:
    """The symbols of a level -> those of another one."""
    names = [f.name for f in fields(Level) if f.name != "name" and getattr(level, f.name) is not None]
    return {getattr(level, name): getattr(other, name) for name in names}


def coefficients(n: int, N: int, own: int = 0) -> tuple[sp.Expr, sp.Expr]:
    """``C^n`` and ``D^n`` of (27); ``own = 1``: with the index n where it prints n - 1, as (26a) gives it."""
    level, below = LEVELS[n - 1], LEVELS[n - 2] if n > 1 else None
    more = 8 * level.L_z * p.alpha if below is None else 1 + lag(level, below)
    C, D = more * (1 - level.lam * level.beta) - 1, more * error(level) / level.err
    if n == 1 or n < N:
        at = LEVELS[max(n - 2 + own, 0)]
        C += 2 * at.L_z**2 * at.L_s**2 * at.beta**2 + at.lam * at.beta / 4
        D += (2 * at.L_z**2 * at.beta + at.lam / 4) * at.beta
    return C, D


def _left(N: int) -> sp.Expr:
    return sp.Add(*(level.ends - level.gap2 for level in LEVELS[:N]))


def printed(N: int, own: int = 0) -> sp.Rel:
    """(15) with the coefficients (27)."""
    total = shift(LEVELS[0], None)
    for n, level in enumerate(LEVELS[:N], 1):
        C, D = coefficients(n, N, own)
        total += C * level.gap2 + D * level.err
    return le(_left(N), total)


def summed_up(N: int, *, as_printed: bool = False) -> sp.Rel:
    """(15) as it holds: the sum of (26b) and (26a), corrected."""
    pairs = zip(LEVELS[:N], (None, *LEVELS), strict=False)
    return le(_left(N), sp.Add(*(progress(*pair, as_printed=as_printed).rhs for pair in pairs)))


def _of_level(
    key: str, text: str, relation: Callable[[Level], sp.Rel] | None = None, fix: str = ""
) -> tuple[Hypothesis, ...]:
    """A hypothesis for each level; of a map where ``fix`` is its name."""
    return tuple(
        p.H_(
            f"{key} for n = {i}",
            text.replace("_n", f"_{i}").replace("^n", f"^{i}").replace("n}", f"{i}}}").replace("{n,", f"{{{i},"),
            relation and relation(level),
            *([Lipschitz(fix + level.name, level.L_z if fix == "fix" else level.L_s)] if fix else []),
        )
        for i, level in enumerate(LEVELS, 1)
    )


_OF_A5 = "<z^n - z^{n,*}, S^{m,n}> {} lambda_n ||z^n - z^{n,*}||^2"
A5S_PRINTED = _of_level("A5 as printed", _OF_A5.replace("{}", "<="), lambda v: le(v.pull, v.lam * v.gap2))
A5S = _of_level("A5", _OF_A5.replace("{}", ">="), lambda v: ge(v.pull, v.lam * v.gap2))
A2S = _of_level("A2", "z^{n,*} is L_{z,n}-Lipschitz", fix="fix")
A3S = _of_level("A3 in z^n", "S^n is L_{q,n}-Lipschitz in z^n, as every S^{m,n} is and S^n is their mean", fix="S")
STEPS_SQUARED = _of_level("step", "beta_n <= lambda_n/(2 L_{q,n}^2)", lambda v: le(v.beta, v.lam / (2 * v.L_s**2)))
_STEPS_B1 = _of_level("step of Lemma B.1", "beta_n <= lambda_n/(2 L_{q,n})", lambda v: le(v.beta, v.lam / (2 * v.L_s)))


def _lemma_b2(N: int) -> tuple[Claim, Claim]:
    """The lemma for N levels, as printed and as it holds."""
    levels = LEVELS[:N]
    one = p.claim(
        f"lemB2.N{N}",
        "Lemma B.2",
        Kind.INEQUALITY,
        f"For N = {N}: the sum over n of ||z_{{k+1}}^{{n,*}} - z_{{k+1}}^n||^2 - ||z_k^n - z_k^{{n,*}}||^2 is at most "
        "the sum of C^n ||z_k^n - z_k^{n,*}||^2 + D^n ||q_k^n - S^n||^2, of (27), plus 2 L_{z,1}^2 alpha^2 (||h_k - "
        "P(x_k)||^2 + ||P(x_k)||^2) + (alpha/8) ||h_k||^2",
        printed(N),
        equation="15",
        title=f"Progress of all levels, N = {N}",
        hypotheses=(p.A1, p.A2, p.A3, *A5S_PRINTED[:N], ALPHA, p.METHOD),
        switches=(
            replace(lemma_b1.A5_TURNED, without=tuple(h.key for h in A5S_PRINTED[:N]), adding=A5S[:N]),
            replace(lemma_b1.A3_IN_Z, adding=A3S[:N]),
            replace(STEPS, adding=_STEPS_B1[:N]),
            misprint(
                "1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha, and L_{z,n} where z^{n,*} moves",
                f"{_ONE_MORE}; {_INDEX}",
                summed_up(N, as_printed=True),
                "(16), (23) and (26a)",
            ),
        ),
        follows_from=("step.8.26b", "step.8.27")[:N],
    )
    steps: list[Part] = []
    names, multipliers = [], []
    for level, below, a5 in zip(levels, (None, *levels), A5S, strict=False):
        steps += [section(f"Level {level.name[1:]}"), *follows(level, below), *contracts(level, a5.key)]
        names += [f"distance to it{level.tag}", f"nearer{level.tag}"]
        multipliers += [sp.S.One, 1 + lag(level, below)]
    whys = {_ONE_MORE: "step.8.26b", _FACTOR: "lemB1", _NO_UNIT: "step.8.26a"}
    coupling = ", lambda_n/(4 L_{q,n}^2) for lambda_n/4 in D^n, and L_{z,n+1} and the index n in the last terms"
    mended = amended(
        one,
        tuple(Reason(why, f"fedmsa.{of}") for why, of in whys.items())[: 2 if N == 1 else 3],
        text=f"For N = {N}, S^n Lipschitz in z^n, any alpha and beta_n <= lambda_n/(2 L_{{q,n}}^2). It is as printed "
        "with 1 + 8 L_{z,1}^2 alpha for 8 L_{z,1} alpha, 1 - lambda_n beta_n/2 for 1 - lambda_n beta_n"
        + (coupling if N > 1 else ", and without the last terms of C^1 and D^1, which no level above gives rise to"),
        statement=summed_up(N),
        hypotheses=(p.A1, *A2S[:N], *A3S[:N], *A5S[:N], *STEPS_SQUARED[:N], p.METHOD),
        follows_from=("step.8.26b.corrected", "step.8.26a.corrected")[:N],
        **_shown(chain(*levels, first=True), *steps, section("The sum"), qed(by=names, multipliers=multipliers)),
    )
    return one, mended


LEMMA_B2 = tuple(_lemma_b2(N) for N in (1, 2, 3))
_printed_26 = (
    le(LEVELS[0].ends - LEVELS[0].gap2, _LINE_26B.rhs.subs(_at(BOTTOM, LEVELS[0]))),
    *(
        le(level.ends - level.gap2, _LINE_26A.rhs.subs(_at(TOP, level) | _at(BELOW, below)))
        for below, level in pairwise(LEVELS)
    ),
)
_LINES_26 = tuple(
    p.H_(f"(26{'b' if n == 1 else 'a'}) for n = {n}", f"(26{'b' if n == 1 else 'a'}) for n = {n}, as printed", line)
    for n, line in enumerate(_printed_26, 1)
)
_OWN_INDEX = "of level n < N the coefficients come from (26a) at n + 1, where the index is n"
ST_27 = _link(
    "8.27", "27", "Sum of the progress of all levels",
    "Combining (26a) with (26b) gives (15) with C^n and D^n of (27), for N = 3",
    printed(3),
    _LINES_26,
    switches=(misprint("n for n - 1 in C^2 and D^2", _OWN_INDEX, printed(3, own=1), "(26a), summed"),),
    follows_from=("step.8.26a", "step.8.26b"),
)  # fmt: skip
ST_27_CORRECTED = amended(
    ST_27,
    _OWN_INDEX,
    text="Combining (26a) with (26b) gives (15), for N = 3, with the index n for n - 1 in the last terms of C^2 and "
    "D^2",
    statement=printed(3, own=1),
    origin="(26a), summed",
    **_shown(
        Setting(measured=(*(m for v in LEVELS for m in (v.ends, v.gap2, v.err)), p.h2, p.P2, p.err_h)),
        qed(by=[supposed(h.key) for h in _LINES_26], multipliers=[1, 1, 1]),
    ),
)
JOINT = (
    p.composite("lemB2", "Lemma B.2", "Progress of all levels", "(15) with the coefficients (27), for N = 1, 2 and 3"),
    p.composite("step.5", _PLACE, "Product with the first moving fixed point", "(17), an equation and a bound"),
    p.composite("step.6", _PLACE, "How far the first fixed point moves", "(18), three bounds one after the other"),
    p.composite("step.7", _PLACE, "Product with a later moving fixed point", "(19a) to (21), link by link"),
    p.composite("step.8", _PLACE, "From the products to the sum", "(22) to (27), link by link"),
)
CLAIMS: tuple[Claim, ...] = (
    *JOINT, *(claim for pair in LEMMA_B2 for claim in pair), ST_16, ST_17A, ST_17B, ST_18A, ST_18B, ST_18C, ST_19A,
    ST_19BC, ST_19BC_CORRECTED, ST_20A, ST_20B, ST_20B_CORRECTED, ST_20C, ST_21A, ST_21A_CORRECTED, ST_21B,
    ST_21B_CORRECTED, ST_22, ST_22_CORRECTED, ST_23A, ST_23B, ST_23B_CORRECTED, ST_23C, ST_23C_CORRECTED, ST_24,
    ST_24_CORRECTED, ST_25, ST_25_CORRECTED, ST_26A, ST_26A_CORRECTED, ST_26B, ST_26B_CORRECTED, ST_27, ST_27_CORRECTED,
)  # fmt: skip
