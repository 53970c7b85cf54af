"""Lemmas E.1 to E.3: squared norms of sums. All three are right."""

from rateproof.theory.assumptions import Independent, Unbiased
from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import Mean, Proof, Setting, cite, qed
from rateproof.theory.shorthand import eq, le
from rateproof.theory.symbols import COUNT, NONNEG, POS, N

declare, formula = p.declare, p.formula
m = declare("m_vec", "number of vectors", latex="m", **COUNT)
c = declare("c_split", "any positive number", latex="c", **POS)
sum2 = formula("sum2", "||sum_{i=1}^m x_i||^2", p.AREA, **NONNEG)
squares = formula("squares", "sum_{i=1}^m ||x_i||^2", p.AREA, **NONNEG)
E_sum2 = formula("E_sum2", "E ||sum_{i=1}^m x_i||^2", p.AREA, **NONNEG)
E_squares = formula("E_squares", "sum_{i=1}^m E ||x_i||^2", p.AREA, **NONNEG)
both2 = formula("both2", "||x + y||^2", p.AREA, **NONNEG)
x2 = formula("x2", "||x||^2", p.AREA, **NONNEG)
y2 = formula("y2", "||y||^2", p.AREA, **NONNEG)

x, y, xi, noise, average, noises = vectors("x y x_i noise_i average noises")
E1 = p.claim(
    "lemE1",
    "Lemma E.1",
    Kind.INEQUALITY,
    "||sum_{i=1}^m x_i||^2 <= m sum_{i=1}^m ||x_i||^2",
    le(sum2, m * squares),
    equation="51",
    title="Squared norm of a sum",
    setting=Setting(
        depends={"x_i": "i"},
        means={"average": Mean("x_i", "i")},
        sizes={"i": m},
        metrics={sum2: m**2 * norm2(average), squares: m * norm2(xi)},
        words={"x_i": "one of m vectors"},
    ),
    proof=Proof(qed(by=[cite(lemmas.JENSEN, vectors={"v": xi, "average": average})])),
)
E2 = p.claim(
    "lemE2",
    "Lemma E.2",
    Kind.INEQUALITY,
    "||x + y||^2 <= (1 + c) ||x||^2 + (1 + 1/c) ||y||^2 for c > 0",
    le(both2, (1 + c) * x2 + (1 + 1 / c) * y2),
    equation="52",
    title="Squared norm of a sum, split",
    setting=Setting(
        depends={"x": "", "y": ""},
        metrics={both2: norm2(x) + 2 * dot(x, y) + norm2(y), x2: norm2(x), y2: norm2(y)},
        words={"x": "any vector", "y": "any vector"},
    ),
    proof=Proof(qed(by=[cite(lemmas.SPLIT, at={lemmas.p.t: c}, vectors={"u": x, "v": y})])),
)
E3 = p.claim(
    "lemE3",
    "Lemma E.3",
    Kind.IDENTITY,
    "For independent x_i of mean zero, E ||sum_{i=1}^m x_i||^2 = sum_{i=1}^m E ||x_i||^2",
    eq(E_sum2, E_squares),
    equation="53",
    title="Squared norm of a sum of independent vectors",
    hypotheses=(
        p.H_("mean zero", "every x_i has mean zero", None, Unbiased("noise_i", "i")),
        p.H_("independent x_i", "the x_i are independent", None, Independent("noise_i", over="i")),
    ),
    setting=Setting(
        depends={"noise_i": "i xi"},
        means={"noises": Mean("noise_i", "i")},
        sizes={"i": m},
        within={"xi": "i"},
        together={"i": "all"},
        metrics={E_sum2: m**2 * norm2(noises), E_squares: m * norm2(noise)},
        words={"noise_i": "x_i"},
    ),
    proof=Proof(qed(by=[cite(lemmas.INDEPENDENT, at={N: m}, vectors={"e": noise, "noise": noises})])),
)
CLAIMS = (E1, E2, E3)
