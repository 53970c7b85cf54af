# %% [markdown]
# # What does the momentum of FedMSA keep?
#
# FedMSA, of *Federated Multi-Sequence Stochastic Approximation with Local Hypergradient Estimation* (Ataee Tarzanagh,
# Li, Sharma and Oymak, 2023), takes one sample at two points, $h_r=p(x_r)+(1-\rho)(h_{r-1}-p(x_{r-1}))$. Theorem 3.1
# takes $\rho=1/R$. **How much of the noise is left after $R$ rounds?** To see it and nothing else, take $P=0$ with
# noise $\pm1$ and two clients. By hand the error of $h$ has the variance $v_0=\frac12$ and
# $v_r=(1-\rho)^2v_{r-1}+\rho^2/2$.

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedMSA
from rateproof.algos.problems.linear_sequences import pure_noise
from rateproof.theory import catalog
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, slider, table

# %% tags=["hide-input"]
noise, R = pure_noise(m=2), 200
choices = {"rho = 1": 1.0, "rho = 0.1": 0.1, "rho = 1/R": 1 / R}
rows, lines, by_hand = [], {}, {}
for title, rho in choices.items():
    plain = FedMSA(alpha=0.1, beta=0.1, rho=rho)
    ran = engine.run(plain, noise, np.zeros(2), R=R, runs=2000, record=range(1, R + 1), measures=plain.measures(noise))
    measured = ran.last["|h - P|^2"].mean(axis=1)
    hand = [0.5]
    for _ in range(R - 1):
        hand.append((1 - rho) ** 2 * hand[-1] + rho**2 / 2)
    lines[title], by_hand[f"_{title}"] = (ran.rounds, measured), (ran.rounds, hand)
    rows.append([title, f"{measured[-1]:.4f}", f"{hand[-1]:.4f}"])

# %%
title, axes = r"$\mathrm{E}\|h_r-P\|^2$; grey: by hand", {"xlabel": "round", "yscale": "log"}
figure(
    panels(Panel(title, lines, grey=by_hand, axes=axes)),
    "The error of h over the rounds, of 2000 runs, beside what is computed by hand (grey).",
    "With rho = 1 a level line; with rho = 0.1 it falls to a lower level; with 1/R it falls slowly and keeps a part.",
)

# %%
table(["", "error in round R, 2000 runs", "by hand"], rows)

# %% [markdown]
# With $\rho=1$ the error stays, and with $\rho=\frac1{10}$ it falls to $\rho/(2(2-\rho))$. With $\rho=\frac1R$ a
# share $(1-\frac1R)^{2R}\approx e^{-2}$ of the first sample's error is there after $R$ rounds, for every $R$:

# %%
values = {}
for horizon in (10, 20, 50, 100, 200, 500, 1000):
    rho = 1 / horizon
    kept = (1 - rho) ** (2 * horizon)
    rest = rho / (2 - rho) * (1 - kept)
    values[str(horizon)] = {"of the first sample": kept / 2, "of all later ones": rest / 2}
slider("R", values, "What is left of the error after R rounds with rho = 1/R, by where it comes from.", start="100")

# %% [markdown]
# The theorem needs an error that falls with $R$. The larger first batch $b_0=KR$ of the paper's proof has it;
# Algorithm 1 takes one sample. With $K=1$:

# %%
rows = []
for R in (50, 200, 800):
    row = [R]
    for b0 in (1, R):
        plain = FedMSA(alpha=0.1, beta=0.1, rho=1 / R, first_minibatch=b0)
        ran = engine.run(plain, noise, np.zeros(2), R=R, runs=500, record=[R], measures=plain.measures(noise))
        row.append(f"{ran.last['|h - P|^2'].mean():.4f}")
    rows.append(row)
table(["R", "error with rho = 1/R and one sample", "and b_0 = R samples in round 0"], rows)

# %%
catalog.get("fedmsa.thm3.1")
