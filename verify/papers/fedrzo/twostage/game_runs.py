"""Runs of Algorithm 4 on the game of Section 6.4 with equal costs, from any start.

Where the closed form of :class:`rateproof.verify.papers.fedrzo.twostage.game.Game` does not reach: prices may turn
negative, and then no follower sells at the equilibrium. ``t`` steps of Algorithm 5 take each follower by the share ``1
- (1 - alpha L_F)^t`` of the way from y_0 to ``(a - b x)/L_F``, negative quantities cut off: on that way, once there are
no sales, there are none.
"""

from __future__ import annotations

import numpy as np

from rateproof.verify.papers.fedrzo.branches import Array
from rateproof.verify.papers.fedrzo.twostage.game import GAMMA, HIGH_A, LOW_A, MEAN_A, ROUNDS, Game

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
    game: Game,
    steps: int,
    *,
    start: float,
    radius: float,
    clients: int,
    replicates: int,
    y0: float = 0.0,
    seed: int = 0,
) -> Array:
    """``xbar_K`` after 100 rounds of ``steps`` local steps from ``x_0 = start``, y_0 = ``y0`` each, ``(replicates,)``.

    Raises:
        ValueError: y0 is not between 0 and 2, the least capacity that the section allows.
    """
    if not 0 <= y0 <= 2:
        raise ValueError(f"y0 is a quantity of a follower, between 0 and 2; got {y0:g}")
    rng = np.random.default_rng(seed)
    x = np.full((replicates, clients), start)

    def loss(at: Array, a: Array, reached: float) -> Array:
        z = a - game.b * at
        sold = game.followers * np.maximum(0.0, reached * z / game.L_F + (1 - reached) * y0)
        return np.asarray(game.c / 2 * at**2 - at * (z - game.b * sold))

    for k in range(ROUNDS * steps):
        reached = game.reached(k)
        a = rng.uniform(LOW_A, HIGH_A, x.shape)
        v = radius * rng.choice((-1.0, 1.0), x.shape)
        g = (loss(x + v, a, reached) - loss(x, a, reached)) * v / radius**2
        x = x - GAMMA * (g + (x - np.clip(x, 0, CAPACITY)) / radius)
        if (k + 1) % steps == 0:
            x = np.repeat(x.mean(axis=1, keepdims=True), clients, axis=1)
    return np.asarray(x[:, 0])
