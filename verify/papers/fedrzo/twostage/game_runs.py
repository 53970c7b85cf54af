"""Runs of Algorithm 4 on the game of Section 6.4 with equal costs, from any start.

Where the closed form of :class:`verify.papers.fedrzo.twostage.game.Game` does not reach: prices may turn negative, and
then no follower sells, at the equilibrium as after any number of steps of Algorithm 5 from y_0 = 0.
"""

from __future__ import annotations

import numpy as np

from verify.papers.fedrzo.branches import Array
from verify.papers.fedrzo.twostage.common import steps_of
from verify.papers.fedrzo.twostage.game import GAMMA, HIGH_A, LOW_A, MEAN_A, ROUNDS, Game
from verify.papers.fedrzo.twostage.table4_printed import FOLLOWERS

CAPACITY = 10.0


def objective(game: Game, x: Array) -> Array:
    """``f(x) = c x^2/2 - x E p`` at the equilibrium, x of any shape in [0, 12.5/b].

    With ``z = a - b x`` the price is ``rho z`` for z > 0 and z else.
    """
    low, high = LOW_A - game.b * x, HIGH_A - game.b * x
    positive = np.where(low > 0, (low + high) / 2, high**2 / (2 * (HIGH_A - LOW_A)))
    price = game.rho * positive + (MEAN_A - game.b * x - positive)
    return np.asarray(game.c / 2 * x**2 - x * price)


def last_models(
    game: Game, steps: int, *, start: float, radius: float, clients: int, replicates: int, seed: int = 0
) -> Array:
    """``xbar_K`` after 100 rounds of ``steps`` local steps from ``x_0 = start``, y_0 = 0, ``(replicates,)``."""
    tau, alpha = FOLLOWERS[game.followers]
    rng = np.random.default_rng(seed)
    x = np.full((replicates, clients), start)

    def loss(at: Array, a: Array, share: float) -> Array:
        z = a - game.b * at
        return np.asarray(game.c / 2 * at**2 - at * np.where(z > 0, share * z, z))

    for k in range(ROUNDS * steps):
        reached = 1 - (1 - float(alpha) * game.L_F) ** steps_of(k, tau)
        share = 1 - game.b * game.followers * reached / game.L_F
        a = rng.uniform(LOW_A, HIGH_A, x.shape)
        v = radius * rng.choice((-1.0, 1.0), x.shape)
        g = (loss(x + v, a, share) - loss(x, a, share)) * v / radius**2
        x = x - GAMMA * (g + (x - np.clip(x, 0, CAPACITY)) / radius)
        if (k + 1) % steps == 0:
            x = np.repeat(x.mean(axis=1, keepdims=True), clients, axis=1)
    return np.asarray(x[:, 0])
