# %% [markdown]
# # What breaks when a lemma breaks?
#
# Lemma 1 of StR-FedAvg is off by a factor $N$ (`lemma_off_by_n`), and other lemmas have slips of their own. **Does it
# matter?** Claims are nodes of a graph: each names what its printed proof rests on. Where a claim falls, every proof
# above it is marked. A proof that is broken leaves open whether its statement is false, too.
#
# The paper: *Self-tuned Regularized Federated Methods with Guarantees for Optimal Solution Selection* (Ebrahimi, Qiu,
# Cui, Yousefian).

# %% tags=["hide-input"]
import re
from collections import Counter

import numpy as np

from rateproof.algos import exact
from rateproof.algos.problems.quadratic import diagonal_selection
from rateproof.theory import catalog
from rateproof.verify.pages.facts import is_broken, is_printed
from rateproof.verify.pages.listed import graph_around
from rateproof.verify.pages.notebook import slider, table, text, told

graph = graph_around("strfedavg.lem1")
printed = [i for i, one in graph.claims.items() if one.paper == "strfedavg" and is_printed(one)]

# %% [markdown]
# ## Which faults reach furthest?
#
# A root is a claim that falls although all that it rests on stands. By the number of claims above it:

# %%
fallen = [i for i in printed if i in graph.entries and is_broken(str(graph.entries[i].result.verdict))]
roots = [i for i in fallen if not set(graph.ancestors(i)) & set(fallen)]
roots.sort(key=lambda i: -len(graph.breaks(i)))
table(
    ["claim", "", "proofs above it that break", "why it falls"],
    [[f"`{i}`", graph.claims[i].title, len(graph.breaks(i)), told(graph.claims[i]).sentence] for i in roots[:6]],
)

# %% [markdown]
# ## And the statements above?
#
# Of all that rests on Lemma 1, by the kind of result. Of those that are false as printed, "saved" hold in the paper's
# own intentions, read kindly, and for "corrected" we have a changed statement that is proved.

# %%
KINDS = {"lem": "lemmas", "prop": "propositions", "thm": "theorems", "tab1": "entries of Table 1"}
above, counts = graph.breaks("strfedavg.lem1"), {name: Counter() for name in KINDS.values()}
for i in above:
    of, kind = told(graph.claims[i]), KINDS[re.match("|".join(KINDS), i.partition(".")[2])[0]]
    falls, saved = is_broken(of.verdict), of.kindly in ("proved", "supported")
    proved = any(one.verdict.startswith("proved") for one in of.corrections)
    counts[kind].update(all=1, falls=falls, saved=falls and saved, corrected=falls and proved)
table(
    ["", "rest on Lemma 1", "false as printed", "saved", "corrected"],
    [[kind, *(c[key] for key in ("all", "falls", "saved", "corrected"))] for kind, c in counts.items()],
)

# %% [markdown]
# So most of the damage can be repaired. What is not repaired by constants alone is where a second slip meets the
# first. One of these is Proposition 1:

# %%
catalog.get("strfedavg.prop1")

# %% [markdown]
# ## Weights that do not sum to one
#
# Its average is $\sum_{r=1}^{R}\theta^r\bar x^{r-1}\big/\sum_{r=1}^{R-1}\theta^r$: as printed, the lower sum stops one
# term too early. Take one client, $h=\frac12x_1^2$, $f=\frac12\|x-(0,1)\|^2$, no noise, and start at the solution. The
# method stays there and every term of the bound is zero. The exact engine gives the gap at both averages:

# %%
one = diagonal_selection(c=(0,), d=((0, 1),), L_h=1, mu=1)
L, B2 = 2, 4  # L_h + eta L_f and max{4 eta L_f, 4 L_h}
gamma_l = min(1 / (16 * L**2 * (1 + B2)), 1 / (27 * B2 * L))
theta, hessian = 1 / (1 - gamma_l / 2), np.diag([2.0, 1.0])


def gap(R, normaliser):
    """The gap of the regularised loss at the average, exactly."""
    run = {"gamma_l": gamma_l, "gamma_g": 1, "eta": 1, "K": 1, "S": 1, "x0": [0.0, 1.0], "theta": theta}
    return exact.moments(one, R=R, normaliser=normaliser, **run).quadratic_mean(hessian) / 2


LABELS = {"R-1": "weights as printed", "R": "weights of sum one"}
values = {
    str(R): {label: max(0.0, gap(R, key)) for key, label in LABELS.items()} | {"bound": 0.0} for R in (2, 3, 5, 10, 30)
}
slider("R", values, "The gap after R rounds from the solution; the bound of Proposition 1 is zero.", start="3")

# %%
by_hand = {R: (theta**R / sum(theta**r for r in range(1, R))) ** 2 / 2 for R in (3, 100)}
text(
    "By hand it is half the square of what the weights exceed one by: "
    + ", ".join(f"{value:.6f} for R = {R} (engine {gap(R, 'R-1'):.6f})" for R, value in by_hand.items())
    + "."
)

# %% [markdown]
# The corrected statement has weights of sum one and another condition on the steps; it is proved. `rateproof report
# strfedavg --out site` draws the whole graph.
