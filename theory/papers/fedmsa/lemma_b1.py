"""Lemma B.1: one local step brings ``z^n`` nearer to ``z^{n,*}``.

It is false in every reading: the factor ``1 - lambda_n beta_n`` needs a map of small condition number. As printed A5
also bounds the pull from above, and A3 says nothing about ``z^n``. With both mended and ``beta_n <= lambda_n/(2
L_{s,n}^2)`` the factor is ``1 - lambda_n beta_n/2``.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Lipschitz
from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.lemmas import ZERO_STEP
from rateproof.theory.papers.lemmas import notation as common
from rateproof.theory.proof import Ground, Proof, Setting, Step, cauchy_schwarz, cite, have, lipschitz, qed, supposed
from rateproof.theory.shorthand import amended, eq, every, le, misprint, premise
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER, LENGTH

_PLACE = "proof of Lemma B.1"
dist = p.formula("dist", "||z_k^n - z_k^{n,*}||", LENGTH, **NONNEG)
miss = p.formula("miss", "||q_k^n - S^n(z_k^{n-1}, z_k^n)||", p.FORCE, **NONNEG)
along = p.formula("along", "<z_k^n - z_k^{n,*}, q_k^n>", INNER)
off_pull = p.formula("off_pull", "<z_k^n - z_k^{n,*}, q_k^n - S^n(z_k^{n-1}, z_k^n)>", INNER)
S_zero = p.formula("S_zero", "||S^n(z_k^{n-1}, z_k^{n,*})||^2", p.FORCE**2, **NONNEG)
S_apart = p.formula("S_apart", "||S^n(z_k^{n-1}, z_k^n) - S^n(z_k^{n-1}, z_k^{n,*})||^2", p.FORCE**2, **NONNEG)

#: What A1 says at ``z_k^{n-1}``, where ``z_k^{n,*} = z^{n,*}(z_k^{n-1})``.
ZERO = p.H_("A1 at z_k^{n-1}", "S^n(z_k^{n-1}, z_k^{n,*}) = 0", eq(S_zero, 0))
#: A3 speaks of the first argument of ``S^{m,n}``, the proofs use the second.
A3_BOTH = p.H_(
    "A3 in z^n",
    "S^n(z^{n-1}, .) is L_{s,n}-Lipschitz, as every S^{m,n}(z^{n-1}, .) is and S^n is their mean",
    None,
    Lipschitz("S", p.L_s),
)
STEP = p.H_("beta_n<=lambda_n/(2L_sn)", "beta_n <= lambda_n/(2 L_{s,n})", le(p.beta, p.lam / (2 * p.L_s)))
STEP_SQUARED = p.H_(
    "beta_n<=lambda_n/(2L_sn^2)", "beta_n <= lambda_n/(2 L_{s,n}^2)", le(p.beta, p.lam / (2 * p.L_s**2))
)
ASSUMPTION_A = (p.A1, ZERO, p.A2, p.A3, p.A5_PRINTED)
PRINTED = (*ASSUMPTION_A, STEP, p.METHOD)
#: What is left of it where a step is all that counts.
MENDED = (ZERO, A3_BOTH, p.A5)

A5_TURNED = Switch(
    "A5",
    "<=",
    ">=",
    "an upper bound lets S^n vanish, so that z^n never moves; strong monotonicity is a lower bound",
    without=(p.A5_PRINTED.key,),
    adding=(p.A5,),
    origin="the first inequality of (13)",
)
A3_IN_Z = Switch(
    "A3",
    "Lipschitz in the first argument",
    "Lipschitz in z^n, too",
    "S^n is taken at two values of z^n",
    adding=(A3_BOTH,),
    origin="the second inequality of (14)",
)
UNITS = Switch(
    "step",
    "beta_n <= lambda_n/(2 L_{s,n})",
    "beta_n <= lambda_n/(2 L_{s,n}^2)",
    "the printed bound has no unit, and a step has that of 1/L_{s,n}",
    without=(STEP.key,),
    adding=(STEP_SQUARED,),
    origin="(14), where 2 L_{s,n}^2 beta_n^2 is to be small against lambda_n beta_n",
)

z, zs, q, S, So = vectors("z z* q S S*")
#: The map ``S^n(z_k^{n-1}, .)`` at ``z_k^n`` and ``z_k^{n,*}``, and what the lemma measures.
STEP_OF = Setting(
    depends=dict.fromkeys(("z", "z*", "q"), ""),
    functions={"S": {"z": (z, S, None), "z*": (zs, So, None)}},
    words={"z": "z_k^n", "z*": "z_k^{n,*}", "q": "q_k^n"},
    metrics={
        S_zero: norm2(So),
        p.gap2: norm2(z - zs),
        p.pull: dot(z - zs, S),
        p.err_q: norm2(q - S),
        p.gap2_moved: norm2(z - p.beta * q - zs),
    },
)
#: The same with what its proof displays.
ONE_STEP = replace(
    STEP_OF,
    metrics={
        **STEP_OF.metrics,
        dist**2: norm2(z - zs),
        p.S2: norm2(S),
        S_apart: norm2(S - So),
        p.q2: norm2(q),
        miss**2: norm2(q - S),
        along: dot(z - zs, q),
        off_pull: dot(z - zs, q - S),
    },
    bounds={dist: z - zs},
    lengths={miss: q - S},
)
_ERROR = p.beta * (1 / p.lam + 2 * p.beta) * p.err_q


def contraction(factor: sp.Expr) -> sp.Rel:
    """The lemma with this factor of ``||z_k^n - z_k^{n,*}||^2``."""
    return le(p.gap2_moved, factor * p.gap2 + _ERROR)


LEMMA_B1 = p.claim(
    "lemB1",
    "Lemma B.1",
    Kind.INEQUALITY,
    "||z_{k+1}^n - z^{n,*}(z_k^{n-1})||^2 <= (1 - lambda_n beta_n) ||z_k^n - z^{n,*}(z_k^{n-1})||^2 + beta_n "
    "(1/lambda_n + 2 beta_n) ||q_k^n - S^n(z_k^{n-1}, z_k^n)||^2",
    contraction(1 - p.lam * p.beta),
    title="Contraction of an inner sequence",
    hypotheses=PRINTED,
    switches=(A5_TURNED, A3_IN_Z, UNITS),
    follows_from=("step.2.sum",),
)
_tau = p.lam * p.beta


def one_step(name: str, gap2: sp.Expr, moved: sp.Expr, err: sp.Expr, pull: Ground) -> Step:
    """The step with the worst error of its direction; these are what it measures, and ``pull`` bounds the pull."""
    left = (1 + 2 * _tau) / (1 + _tau) * (1 - 2 * _tau + p.L_s**2 * p.beta**2)
    by = cite(
        ZERO_STEP,
        at={common.t: _tau / (1 + _tau), common.L: p.L_s, common.gamma: p.beta},
        points={"S.z": "S.z", "S.z*": "S.z*"},
        vectors={"q": q},
    )
    return have(name, le(moved, left * gap2 + p.beta * (1 / p.lam + 2 * p.beta) * err), by=[by, pull])


_WHY = (
    "where S turns and the error of q points against S, more than 1 - lambda_n beta_n of the squared distance stays",
    "A5 needs >= and A3 the Lipschitz constant in z^n",
)


def _corrected(part: str, text: str, factor: sp.Expr, *more: Hypothesis) -> Claim:
    return amended(
        LEMMA_B1,
        _WHY,
        part=part,
        text=f"With A5 as >= and S^n, the mean of the S^{{m,n}}, L_{{s,n}}-Lipschitz in z^n: {text}",
        statement=contraction(factor),
        hypotheses=(*MENDED, p.METHOD, *more),
        follows_from=(),
        setting=STEP_OF,
        proof=Proof(one_step("one step", p.gap2, p.gap2_moved, p.err_q, supposed(p.A5.key)), qed(by=["one step"])),
    )


LEMMA_B1_CORRECTED = _corrected(
    "",
    "as printed with 1 - lambda_n beta_n/2 and beta_n <= lambda_n/(2 L_{s,n}^2)",
    1 - _tau / 2,
    STEP_SQUARED,
)
LEMMA_B1_FREE = _corrected(
    "free",
    "as printed with 1 - lambda_n beta_n + 2 L_{s,n}^2 beta_n^2, for any step",
    1 - _tau + 2 * (p.L_s * p.beta) ** 2,
)
LEMMA_B1_ROUND = _corrected(
    "round",
    "as printed where (L_{s,n}/lambda_n)^2 (1 + 2 lambda_n beta_n) <= 3 in place of the bound on the step",
    1 - _tau,
    p.H_(
        "condition number",
        "(L_{s,n}/lambda_n)^2 (1 + 2 lambda_n beta_n) <= 3",
        le((p.L_s / p.lam) ** 2 * (1 + 2 * p.lam * p.beta), 3),
    ),
)

# --- the steps of the proof, and the tools of the counterexample

STEP_1 = p.claim(
    "step.1",
    _PLACE,
    Kind.IDENTITY,
    "||z_{k+1}^n - z_k^{n,*}||^2 = ||z_k^n - z_k^{n,*}||^2 - 2 beta_n <z_k^n - z_k^{n,*}, q_k^n> + beta_n^2 "
    "||q_k^n||^2",
    eq(p.gap2_moved, p.gap2 - 2 * p.beta * along + p.beta**2 * p.q2),
    equation="12",
    title="One local step, expanded",
    hypotheses=(p.METHOD,),
    setting=ONE_STEP,
    proof=Proof(qed()),
)


def _link(name: str, title: str, text: str, statement: sp.Basic, proof: Proof | None = None, **rest: Any) -> Claim:
    """A link of (13) or (14)."""
    kind = Kind.IDENTITY if isinstance(statement, sp.Eq) else Kind.INEQUALITY
    given: dict[str, Any] = {
        "hypotheses": PRINTED,
        "equation": name.rstrip("abc"),
        "setting": ONE_STEP,
        "proof": proof,
        **rest,
    }
    return p.claim(f"step.2.{name}", _PLACE, kind, text, statement, title=title, **given)


ST_13A = _link(
    "13a",
    "Error of the direction, set apart",
    "-<z - z*, S^n + q - S^n> = -<z - z*, S^n> - <z - z*, q - S^n>",
    eq(-along, -p.pull - off_pull),
    Proof(qed()),
)
ST_13B = _link(
    "13b",
    "Strong monotonicity of S^n",
    "-<z - z*, S^n> - <z - z*, q - S^n> <= -lambda_n ||z - z*||^2 + ||z - z*|| ||q - S^n||",
    le(-p.pull - off_pull, -p.lam * p.gap2 + dist * miss),
    switches=(A5_TURNED,),
)
ST_13B_CORRECTED = amended(
    ST_13B,
    "A5 bounds the pull from above, so that S^n may vanish",
    text=ST_13B.text + ", with A5 as >=",
    hypotheses=MENDED,
    origin="the sentence after (13), which uses A5 as >=",
    proof=Proof(qed(by=[supposed(p.A5.key), cauchy_schwarz(dist, miss)])),
)
_halved = -p.lam * dist**2 + p.lam / 2 * dist**2 + miss**2 / (2 * p.lam)
ST_13C = _link(
    "13c",
    "Young's inequality for the error",
    "-lambda_n ||z - z*||^2 + ||z - z*|| ||q - S^n|| <= -lambda_n ||z - z*||^2 + (lambda_n/2) ||z - z*||^2 + "
    "||q - S^n||^2/(2 lambda_n) <= -(lambda_n/2) ||z - z*||^2 + ||q - S^n||^2/(2 lambda_n)",
    every(le(-p.lam * dist**2 + dist * miss, _halved), le(_halved, -p.lam / 2 * dist**2 + miss**2 / (2 * p.lam))),
    Proof(qed(), qed(of=1)),
    setting=Setting(),
)
_SPLIT = 2 * p.L_s**2 * p.beta**2 * p.gap2 + 2 * p.beta**2 * p.err_q
ST_14A = _link(
    "14a",
    "Direction split at the zero",
    "beta_n^2 ||q||^2 <= 2 beta_n^2 (||S^n(z) - S^n(z*)||^2 + ||q - S^n(z)||^2)",
    le(p.beta**2 * p.q2, 2 * p.beta**2 * (S_apart + p.err_q)),
    Proof(qed(by=[supposed(ZERO.key)])),
)
ST_14B = _link(
    "14b",
    "Lipschitz continuity of S^n",
    "2 beta_n^2 (||S^n(z) - S^n(z*)||^2 + ||q - S^n||^2) <= 2 L_{s,n}^2 beta_n^2 ||z - z*||^2 + 2 beta_n^2 "
    "||q - S^n||^2",
    le(2 * p.beta**2 * (S_apart + p.err_q), _SPLIT),
    switches=(A3_IN_Z,),
)
ST_14B_CORRECTED = amended(
    ST_14B,
    "A3 is about the first argument of S^{m,n}",
    text=ST_14B.text + ", with S^n Lipschitz in z^n",
    hypotheses=MENDED,
    origin="the sentence after (14), which uses A3 in z^n",
    proof=Proof(qed(by=[lipschitz("S", "z", "z*")])),
)
_lipschitz, _error = 2 * p.L_s**2 * p.beta**2 * dist**2, 2 * p.beta**2 * miss**2
ST_14C = _link(
    "14c",
    "Bound on the step, put in",
    "2 L_{s,n}^2 beta_n^2 ||z - z*||^2 + 2 beta_n^2 ||q - S^n||^2 <= ||z - z*|| + 2 beta_n^2 ||q - S^n||^2",
    le(_lipschitz + _error, dist + _error),
    setting=Setting(),
    switches=(
        misprint(
            "||z - z*||^2", "the norm has lost its square", le(_lipschitz + _error, dist**2 + _error), "the line before"
        ),
        UNITS,
        A5_TURNED,
        A3_IN_Z,
    ),
)
ST_14C_CORRECTED = amended(
    ST_14C,
    ("the norm on the right has lost its square, and the step its unit", "the sum needs this term to be small"),
    text="2 L_{s,n}^2 beta_n^2 ||z - z*||^2 + 2 beta_n^2 ||q - S^n||^2 <= lambda_n beta_n ||z - z*||^2 + 2 beta_n^2 "
    "||q - S^n||^2 for beta_n <= lambda_n/(2 L_{s,n}^2)",
    statement=le(_lipschitz + _error, p.lam * p.beta * dist**2 + _error),
    hypotheses=(STEP_SQUARED,),
    proof=Proof(qed()),
)
_OF_13 = p.H_(
    "(13)",
    "-<z - z*, q> <= -(lambda_n/2) ||z - z*||^2 + ||q - S^n||^2/(2 lambda_n)",
    le(-along, -p.lam / 2 * p.gap2 + p.err_q / (2 * p.lam)),
)
_OF_14, _LINE_14 = (
    p.H_(key, f"beta_n^2 ||q||^2 <= {text} + 2 beta_n^2 ||q - S^n||^2", le(p.beta**2 * p.q2, right))
    for key, text, right in (
        ("(14)", "||z - z*||", dist + 2 * p.beta**2 * p.err_q),
        ("second line of (14)", "2 L_{s,n}^2 beta_n^2 ||z - z*||^2", _SPLIT),
    )
)
ST_SUM = _link(
    "sum",
    "Inner product and square, put in",
    "Substituting (13) and (14) into (12) gives the desired result",
    LEMMA_B1.statement,
    hypotheses=(premise(STEP_1), _OF_13, _OF_14, STEP),
    equation="",
    setting=Setting(measured=(p.gap2_moved, p.gap2, along, p.q2, p.err_q)),
    follows_from=("step.1", "step.2.13c", "step.2.14c"),
)
ST_SUM_CORRECTED = amended(
    ST_SUM,
    "what (14) ends with is not small against lambda_n beta_n ||z - z*||^2, so that it cannot be left out",
    text="Substituting (13) and the second line of (14) into (12) gives the factor 1 - lambda_n beta_n + 2 L_{s,n}^2 "
    "beta_n^2",
    statement=LEMMA_B1_FREE.statement,
    hypotheses=(premise(STEP_1), _OF_13, _LINE_14),
    follows_from=("step.1", "step.2.13b.corrected", "step.2.13c", "step.2.14b.corrected"),
    proof=Proof(qed(by=[supposed(h) for h in ("step.1", _OF_13.key, _LINE_14.key)])),
)

weight = p.declare("c_err", "weight of the error of q", (LENGTH / p.FORCE) ** 2, latex="c", **POS)
gain = p.formula("gain", "||u - beta_n e||^2 - c ||e||^2", p.AREA)
gain_most = p.declare(
    "gain_most", "the same at e = -beta_n u/(c - beta_n^2)", p.AREA, latex=r"\max_e\{\|u-\beta_ne\|^2-c\|e\|^2\}"
)
kept = p.formula("kept", "||z_k^n - beta_n S^n(z_k^{n-1}, z_k^n) - z_k^{n,*}||^2", p.AREA, **NONNEG)
u, e = vectors("u e")
_worst = u * (1 + p.beta**2 / (weight - p.beta**2))
_most = kept * weight / (weight - p.beta**2)
ST_SUP = p.claim(
    "step.3.sup",
    _PLACE,
    Kind.PROPERTY,
    "sup_e (||u - beta_n e||^2 - c ||e||^2) = ||u||^2 c/(c - beta_n^2) for c > beta_n^2, u = z - z* - beta_n S^n",
    every(le(gain, _most), eq(gain_most, _most)),
    title="The worst error of a direction",
    hypotheses=(p.H_("c>beta_n^2", "c > beta_n^2", sp.Gt(weight, p.beta**2, evaluate=False)),),
    note="With c = beta_n/lambda_n + 2 beta_n^2 this is what the lemma has to bound. The paper has no step 3.",
    setting=Setting(
        depends={"u": "", "e": ""},
        words={"u": "z_k^n - z_k^{n,*} - beta_n S^n", "e": "any error of q"},
        metrics={
            kept: norm2(u),
            gain: norm2(u - p.beta * e) - weight * norm2(e),
            gain_most: norm2(_worst) - weight * p.beta**2 / (weight - p.beta**2) ** 2 * norm2(u),
        },
    ),
    proof=Proof(qed(), qed(of=1)),
)
ST_SPIRAL = p.claim(
    "step.3.spiral",
    _PLACE,
    Kind.IDENTITY,
    "||z - z* - beta_n S^n||^2 = (1 - 2 lambda_n beta_n + L_{s,n}^2 beta_n^2) ||z - z*||^2 for S^n = (lambda_n I + "
    "omega J) (z - z*) with a quarter turn J and L_{s,n}^2 = lambda_n^2 + omega^2",
    eq(kept, (1 - 2 * p.lam * p.beta + p.L_s**2 * p.beta**2) * p.gap2),
    title="A map that turns, without error",
    hypotheses=(
        p.H_(
            "spiral",
            "S^n = (lambda_n I + omega J) (z - z*), L_{s,n}^2 = lambda_n^2 + omega^2",
            every(eq(p.pull, p.lam * p.gap2), eq(p.S2, p.L_s**2 * p.gap2)),
        ),
    ),
    setting=replace(ONE_STEP, metrics={**ONE_STEP.metrics, kept: norm2(z - p.beta * S - zs)}),
    proof=Proof(qed(by=[supposed("spiral")])),
)
STEP_2 = p.composite(
    "step.2",
    _PLACE,
    "Inner product and square of the direction",
    "(13) bounds the second term of (12), (14) the third one, and both together give the lemma",
)
STEP_3 = p.composite(
    "step.3",
    _PLACE,
    "The worst case of a step",
    "The worst error of q, and a map that turns: not in the paper, it is how far Lemma B.1 can be from what holds",
)
CLAIMS = (
    LEMMA_B1, LEMMA_B1_CORRECTED, LEMMA_B1_FREE, LEMMA_B1_ROUND, STEP_1, STEP_2, ST_13A, ST_13B, ST_13B_CORRECTED,
    ST_13C, ST_14A, ST_14B, ST_14B_CORRECTED, ST_14C, ST_14C_CORRECTED, ST_SUM, ST_SUM_CORRECTED, STEP_3, ST_SUP,
    ST_SPIRAL,
)  # fmt: skip
