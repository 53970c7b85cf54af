"""Young's inequality, for vectors and for powers."""

import sympy as sp

from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import Proof, Setting, qed
from rateproof.theory.shorthand import le

u, v = vectors("u v")

YOUNG = p.claim(
    "young",
    "Young 1912; Hardy, Littlewood and Polya 1934, Section 2.5",
    Kind.INEQUALITY,
    "<u, v> <= (eps/2) ||u||^2 + ||v||^2 / (2 eps)",
    le(p.inner_uv, p.eps_Y * p.norm2_u / 2 + p.norm2_v / (2 * p.eps_Y)),
    title="Young's inequality for inner products",
    note="Attained by v = eps u.",
    setting=Setting(
        depends={"u": "", "v": ""},
        words={"u": "any vector", "v": "any vector"},
        metrics={p.norm2_u: norm2(u), p.norm2_v: norm2(v), p.inner_uv: dot(u, v)},
    ),
    proof=Proof(qed()),
)

YOUNG_POWERS = p.claim(
    "young_powers",
    "Young 1912; Hardy, Littlewood and Polya 1934, Theorem 61",
    Kind.INEQUALITY,
    "a b <= a^p / p + b^q / q for a, b >= 0, p > 1 and 1/p + 1/q = 1",
    le(p.side_a * p.side_b, p.side_a**p.p_Y / p.p_Y + p.side_b**p.q_Y / p.q_Y),
    title="Young's inequality for conjugate exponents",
    hypotheses=(
        Hypothesis("p>1", "p > 1", sp.Gt(p.p_Y, 1, evaluate=False)),
        Hypothesis("1/p+1/q=1", "1/p + 1/q = 1", sp.Eq(1 / p.p_Y + 1 / p.q_Y, 1, evaluate=False)),
    ),
    note="Attained by a^p = b^q.",
)
