# %% [markdown]
# # How bad can gradient descent be, exactly?
#
# A textbook bound says $f(x^n)-f^*\le L\|x^0-x^*\|^2/(4n+2)$ after $n$ steps of size $1/L$ on a smooth convex function.
# **Is there a function that is as bad as that?** Performance estimation makes it a semidefinite programme. A solver
# answers with a number on either side of the truth; here its answer is rounded to fractions and proved.

# %% tags=["hide-input"]
import numpy as np

from rateproof.theory import catalog
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, right_side, slider, table, text
from rateproof.verify.worstcase import certify, exact, interpolant, worst_function
from rateproof.verify.worstcase.methods.descent import gradient_descent
from rateproof.verify.worstcase.methods.known import gradient_descent_gap

# %%
claim = catalog.get("textbook.gd_smooth")
claim

# %% [markdown]
# ## From above and from below
#
# From above, a certificate: multipliers in fractions, checked without a solver. From below, a function with fractions
# as points and gradients, on which the method attains its value exactly. With $L=1$ and $\|x^0-x^*\|=1$:

# %%
STEPS = (1, 2, 3, 4, 6)


def textbook(n):
    """The right side of the claim, as a fraction."""
    return right_side(claim, {"L_h": 1, "start2": 1, "gamma_l": 1, "R": n})


rows, found, upper = [], {}, {}
for n in STEPS:
    case = gradient_descent(n=n)
    proof = certify(case.problem)
    found[n], upper[n] = worst_function(case.problem), float(proof.upper)
    holds = "yes" if proof.check() else "no"
    rows.append([n, textbook(n), f"{upper[n]:.8f}", found[n].lower, holds])
table(["n", "textbook", "certified upper bound", "attained", "certificate holds"], rows)

# %% [markdown]
# The three agree to the slack that certificates keep: the textbook bound cannot be improved. The function that attains
# it can be drawn.

# %%
n = 3
worst = interpolant(found[n])
at = np.linspace(-0.6, 1.2, 181)
ns = np.arange(1, 31)
parabolas = {rf"${c:g}\,x^2/2$": (ns, c / 2 * (1 - c) ** (2 * ns)) for c in (0.3, 0.1, 0.02)}
certified = {"certified": (list(upper), list(upper.values()))}
figure(
    panels(
        Panel(
            f"n = {n}",
            {"iterates and minimiser": (worst.x[:, 0], worst.f)},
            grey={"worst function": (at, [worst([x])[0] for x in at])},
            dots=True,
            axes={"xlabel": "x", "ylabel": "f"},
        ),
        Panel(
            "gap after n steps",
            certified | parabolas,
            grey={"textbook": (ns, [float(textbook(int(n))) for n in ns])},
            axes={"xlabel": "n", "xscale": "log", "yscale": "log", "ylim": (1e-6, 1)},
        ),
    ),
    "Left, a function on which the bound is attained. Right, single parabolas beside the bound.",
    "A parabola with a linear piece; the iterates lie on the linear piece. Curves of parabolas stay below the bound.",
)

# %% [markdown]
# No single parabola is as bad for every $n$; the worst function changes with $n$. It is a parabola near its minimiser
# and linear beyond, so that all steps have the same length.
#
# ## Other steps
#
# Which step size is best in the worst case? The tight value is known in closed form for every step below $2/L$; for
# five steps:

# %%
values = {}
for k in range(4, 40):
    known = gradient_descent_gap(5, exact(1), exact(0), exact(k, 20))
    values[f"{k / 20:g}"] = {"worst case": float(known.value), "step 1": float(textbook(5))}
best = min(values, key=lambda step: values[step]["worst case"])
slider("gamma", values, "The worst gap after five steps, beside that of the step 1.", start="1")

# %%
case = gradient_descent(n=5, gamma=best)
proof = certify(case.problem)
text(
    f"On this grid {best} is best, with {values[best]['worst case']:.5f}; the certificate says at most "
    f"{float(proof.upper):.5f}, and it {'holds' if proof.check() else 'fails'}."
)

# %% [markdown]
# `rateproof worstcase --list` shows the other methods, among them FedAvg and StR-FedAvg;
# `--model mine.py:problem` takes any PEPit problem of yours.
