# %% [markdown]
# # Rate regressions in your own repository
#
# A change of your code keeps all unit tests green and makes the method converge like $R^{-1/2}$ where it was $R^{-1}$.
# **How do you notice?** Installing rateproof also installs assertions, and a pytest plugin, that need no paper and no
# claim: a bound with its constant, and an exponent with an interval.

# %% tags=["hide-input"]
import numpy as np

from rateproof.rates import RateError, assert_bound, assert_rate
from rateproof.verify.experiments.figures import Panel, interval, panels
from rateproof.verify.pages.notebook import figure, table, text

# %% [markdown]
# ## A method, and what a theorem says of it
#
# Stochastic gradient descent on $\frac12x^2$ with noise $\pm1$ and steps $1/(r+1)$. It is the mean of $R$ noises, so
# $\mathrm E\,x_R^2=1/R$. A colleague tries constant steps; they look as good for a while.


# %%
def squares(step, at, runs=4000):
    """The squared distance to the minimiser at some rounds, of independent runs: ``(runs, points)``."""
    noise = np.random.default_rng(0).choice([-1.0, 1.0], size=(at[-1], runs))
    x, kept = np.ones(runs), []
    for r in range(at[-1]):
        x = x - step(r) * (x + noise[r])
        if r + 1 in at:
            kept.append(x**2)
    return np.array(kept).T


R = [10, 20, 50, 100, 200, 500, 1000]
good, bad = squares(lambda r: 1 / (r + 1), R), squares(lambda r: 0.02, R)

# %%
lines = {"steps 1/(r + 1)": (R, *interval(good.T)), "steps 0.02": (R, *interval(bad.T))}
theorem, axes = {"1/R": (R, [1 / r for r in R])}, {"xlabel": "R", "xscale": "log", "yscale": "log"}
figure(
    panels(Panel("mean squared distance", lines, grey=theorem, marked=True, axes=axes)),
    "The mean over 4000 runs with a 95% interval, and what the theorem says.",
    "With steps 1/(r + 1) the means lie on the line 1/R; with constant steps they fall and then stay at one level.",
)

# %% [markdown]
# ## As a test
#
# `assert_bound` takes independent runs as rows. It fails only where betting against the bound would have won: a true
# bound fails with probability at most $10^{-6}$, whatever the distribution. `assert_rate` asks for the exponent.

# %%
bounded = assert_bound(good, [1 / r for r in R], at=R)
rate = assert_rate(good, at=R, exponent=-1, tolerance=0.2)
text(f"- bound: {bounded}\n- rate: {rate}")


# %%
def refused(assertion, *values, **more):
    """What an assertion says where it fails."""
    try:
        assertion(*values, at=R, **more)
    except RateError as error:
        return str(error).splitlines()[0]
    return "passes"


table(
    ["constant steps", "what the test says"],
    [
        ["bound 1/R", refused(assert_bound, bad, [1 / r for r in R])],
        ["exponent -1", refused(assert_rate, bad, exponent=-1, tolerance=0.2)],
    ],
)

# %% [markdown]
# ## In a repository
#
# ```python
# def test_the_rate(rate_snapshot):
#     errors = squares(my_step, R)
#     rate_snapshot(bound=assert_bound(errors, 1 / np.array(R), at=R), error=assert_rate(errors, at=R, exponent=-1))
# ```
#
# `pytest --rates-update` once writes constants and exponents to `__rates__/` beside the test; from then on `pytest`
# fails where they become worse. `@pytest.mark.rateproof_claim("textbook.sgd_quadratic")` makes the check of a theorem
# a test of your own suite.
