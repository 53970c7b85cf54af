# %% [markdown]
# # Your own theorem in fifteen minutes
#
# You have a lemma with a proof of five lines. **What does it take to have it checked?** Four things: words, a model of
# the method, the claim with its proof, and a family of instances. Here they are for one step of stochastic gradient
# descent, $x^+=x-\gamma(\nabla f(x)+e)$, with a mistake that we make on purpose.

# %% tags=["hide-input"]
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.assumptions import BoundedVariance, Convex, Minimiser, Smooth, Unbiased, WholeSpace
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.proof import Proof, Setting, Stopped, check, fresh, have, qed, smooth_convex, stationary, variance
from rateproof.theory.shorthand import claims_of, ge, le
from rateproof.theory.symbols import NONNEG, POS, vocabulary
from rateproof.theory.units import INNER, LENGTH
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import kernel
from rateproof.verify.form import at_bound, family, reals, record
from rateproof.verify.form.parts import Noise, parabola
from rateproof.verify.pages.notebook import decided, slider, table, text

# %% [markdown]
# ## 1. Words
#
# A symbol is declared once, with its meaning, unit and print.

# %%
declare = vocabulary("mypaper")
gamma = declare("gamma", "step", LENGTH**2 / INNER, latex=r"\gamma", **POS)
L = declare("L", "smoothness constant of f", INNER / LENGTH**2, **POS)
sigma2 = declare("sigma2", "variance of the noise", (INNER / LENGTH) ** 2, latex=r"\sigma^2", **NONNEG)
dist2 = declare("dist2", "E||x - x*||^2", LENGTH**2, latex=r"E\|x-x^*\|^2", **NONNEG)
next2 = declare("next2", "E||x+ - x*||^2", LENGTH**2, latex=r"E\|x^+-x^*\|^2", **NONNEG)

# %% [markdown]
# ## 2. What the method makes
#
# Which vectors there are, of which function they are gradients, on what they depend, and what the metrics are in them.

# %%
x, xs, g, gs, e = vectors("x x* g g* e")
f_x, f_s = sp.symbols("f_x f_s", real=True)
STEP = Setting(
    depends={"x": "past", "x*": "", "e": "past xi"},
    functions={"f": {"x": (x, g, f_x), "x*": (xs, gs, f_s)}},
    metrics={dist2: norm2(x - xs), next2: norm2(x - gamma * (g + e) - xs)},
    words={"x": "where the step starts", "e": "the noise of its gradient"},
)

# %% [markdown]
# ## 3. The claim and its proof
#
# A proof names what each step rests on; multipliers are found. Our mistake: half of the noise.

# %%
mine = claims_of("mypaper")(
    "lem1",
    "Lemma 1",
    Kind.INEQUALITY,
    "one step with gamma <= 2/L: E||x+ - x*||^2 <= E||x - x*||^2 + gamma^2 sigma^2 / 2",
    le(next2, dist2 + gamma**2 * sigma2 / 2),
    title="One step of SGD",
    hypotheses=(
        Hypothesis("convex", "f is convex", says=(Convex("f"),)),
        Hypothesis("smooth", "f is L-smooth", says=(Smooth("f", L),)),
        Hypothesis("solution", "x* minimises f", says=(Minimiser("f", "x*", "space"), WholeSpace("space"))),
        Hypothesis("unbiased", "the noise has mean zero given the past", says=(Unbiased("e", "past"),)),
        Hypothesis("variance", "E||noise||^2 <= sigma^2", says=(BoundedVariance("e", sigma2),)),
        Hypothesis("step", "gamma <= 2/L", le(gamma * L, 2)),
    ),
    setting=STEP,
    proof=Proof(
        have("downhill", ge(L * dot(g, x - xs), norm2(g)), by=[smooth_convex("f", "x", "x*"), stationary("f")]),
        qed(by=["downhill", fresh("e"), variance("e")]),
    ),
)
try:
    check(mine, mine.proof, lambda _: None)
except Stopped as stopped:
    said = str(stopped).splitlines()[0]
text(f"The kernel stops: {said}")

# %% [markdown]
# ## 4. Instances
#
# That a proof is missing proves nothing. A family is one function, of numbers of any kind: it says what the metrics are
# on an instance, and that each hypothesis holds there.

# %%
RANGES = {"L": reals(1, 10), "c": reals(1, 0.1), "start": reals(1, 0), "sigma2": reals(1, 0)}


@family("parabola", None, gamma=at_bound(1, 0.1, 1.1), **RANGES)
def parabolas(*, gamma, L, c, start, sigma2):
    """One step from ``start`` on c/2 x^2, with noise of two values."""
    f, noise = parabola(c), Noise("independent", sigma2)
    return {
        "dist2": start**2,
        "next2": (start - gamma * f.slope(start)) ** 2 + gamma**2 * sigma2,
        "convex": f.convex(),
        "smooth": f.smooth(L),
        "solution": Fact(True, "x* = 0"),
        "unbiased": noise.unbiased(),
        "variance": noise.bounded(sigma2),
    }


found = list(record(mine, families=[parabolas]).check(mine, Budget()))
decided(mine, found)

# %% [markdown]
# Refuted, at an instance that satisfies every hypothesis:

# %%
violated = next(one.violated for one in found if one.violated)
text(f"`{violated.at}`: the left side is {violated.lhs:.4g}, the right side {violated.rhs:.4g}.")

# %%
table(["hypothesis", "why it holds there"], [[h.text, violated.hypotheses[h.key]] for h in mine.hypotheses])

# %% [markdown]
# From the minimiser, with $L=\sigma=1$, there is nothing to see but the noise of the step. With the family itself, in
# fractions:

# %%
values = {}
for k in range(1, 21):
    at = parabolas.read({"gamma": Fraction(k, 10), "L": 1, "c": 1, "start": 0, "sigma2": 1})
    numbers, _ = parabolas.measure(at, Fraction)
    left, noise = float(numbers["next2"]), float(at["gamma"] ** 2)
    values[f"{k / 10:g}"] = {"left side": left, "our bound": noise / 2, "with all of the noise": noise}
slider("gamma", values, "A step from the minimiser beside both bounds; gamma may be at most 2.", start="1")

# %% [markdown]
# ## 5. Mended

# %%
right = replace(
    mine,
    text="one step with gamma <= 2/L: E||x+ - x*||^2 <= E||x - x*||^2 + gamma^2 sigma^2",
    statement=le(next2, dist2 + gamma**2 * sigma2),
)
decided(right, [kernel.prove(right), *record(right, families=[parabolas]).check(right, Budget())])

# %% [markdown]
# Proved, and attained on the family. Is each hypothesis needed? A proof that goes through without one has not used it.

# %%
rows = []
for h in right.hypotheses:
    fewer = replace(right, hypotheses=tuple(one for one in right.hypotheses if one is not h))
    try:
        check(fewer, fewer.proof, lambda _: None)
        rows.append([h.text, "still proved"])
    except Stopped:
        rows.append([h.text, "no proof"])
table(["without", ""], rows)

# %% [markdown]
# `rateproof new mypaper` writes a project with such a claim, and a run of the method against which the model is
# compared. `CONTRIBUTING.md` goes on with $K$ local steps by induction, and with citing one lemma in another.
