"""Section 2 on lower levels of one number y: the problem (2), the penalty function, and the local directions."""

from __future__ import annotations

import itertools
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import reformulation as claims
from rateproof.verify.form import at_bound, choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.parts import hyperbola, wave
from rateproof.verify.papers.mefbo.envelope import PROFILES, at_a_point, at_two_points, weights
from rateproof.verify.papers.mefbo.families import profile
from rateproof.verify.papers.mefbo.rounds import Client, Level, Point, Term, direction, disturbances


@family(
    "a client's sample at a local point",
    law=choice("two signs", "one sign of zeta", "one sign of xi"),
    loss=choice(*PROFILES),
    c=reals(1, 0.1, 10),
    k=reals(1, 0, -2, zero=True),
    gamma=reals(0.1, 1),
    c_t=reals(1, 0.1, 10),
    x=reals(0, 1, zero=True),
    y=reals(1, 0.5, -3, zero=True),
    theta=reals(0, 1, 2, zero=True),
    sig_f=reals(1, 2, 0, zero=True),
    sig_g=reals(1, 2, 0, zero=True),
)
def one_sample(
    *,
    law: str,
    loss: str,
    c: Number,
    k: Number,
    gamma: Number,
    c_t: Number,
    x: Number,
    y: Number,
    theta: Number,
    sig_f: Number,
    sig_g: Number,
) -> dict[str, Any]:
    """Noises ``xi grad M`` and ``zeta grad N`` with signs xi and zeta, where ``M`` and ``N`` are waves; u = 1."""
    one = 1 + 0 * c
    client = Client(
        one,
        Level((Term(hyperbola(one), one, 0), Term(hyperbola(one), 0, one))),
        Level((Term(profile(loss, c), -k, one),)),
        Level((Term(wave(sig_f / 2), one, one, 1),)),
        Level((Term(wave(sig_g / 2), one, -one, 1),)),
    )
    at, names = Point(x, y, theta), ("x", "y", "theta")
    mean, noises = direction(client, at, c_t, gamma), disturbances(client, at, c_t)
    signs = {name: (1,) if law == f"one sign of {name}" else (1, -1) for name in ("xi", "zeta")}
    both = list(itertools.product(*signs.values()))
    h = [sum(m + xi * a + zeta * b for xi, zeta in both) / len(both) for m, a, b in zip(mean, *noises, strict=True)]
    unbiased = {name: Fact(len(s) == 2, f"{name} is {' or '.join(map(str, s))}") for name, s in signs.items()}
    return {
        **{f"drawn_{name}": part for name, part in zip(names, h, strict=True)},
        **{f"true_{name}": part for name, part in zip(names, mean, strict=True)},
        "f_noise": unbiased["xi"],
        "g_noise": unbiased["zeta"],
        "degenerate": sig_f == 0 and sig_g == 0,
    }


@family(
    "clients drawn of all",
    law=choice("uniform", "the first"),
    n_cl=counts(2, 1, 3, 5, most=6),
    P=counts(1, 2, 3, 5, most=6),
    u=reals(1, 0.1),
)
def drawn_clients(*, law: str, n_cl: int, P: int, u: Number) -> dict[str, Any]:
    """Client i of weight in proportion to i has ``a_i = i``; the P clients are drawn, or always the first ones.

    Raises:
        ValueError: more clients are drawn than there are.
    """
    if n_cl < P:
        raise ValueError(f"{P} of {n_cl} clients cannot be drawn")
    w = weights(n_cl, 1 + 0 * u)
    subsets = list(itertools.combinations(range(n_cl), P)) if law == "uniform" else [tuple(range(P))]
    sums = [sum(n_cl * w[i] * (i + 1) for i in drawn) / (P + 0 * u) for drawn in subsets]
    return {
        "drawn_w": u * sum(sums) / len(sums),
        "mean_w": u * sum(w[i] * (i + 1) for i in range(n_cl)),
        "sampled": Fact(law == "uniform", "every subset is equally likely" if law == "uniform" else "always the same"),
        "degenerate": n_cl == P,
    }


EQ2 = record(
    claims.EQ2,
    refuted_by=example(
        at_a_point,
        loss="two wells",
        c=1,
        k=0,
        gamma="1/2",
        y=0,
        theta="4/3",
        left="1/2",
        right="1/18",
        by_hand="G(x, y) = (sqrt(1 + y^2) - 2)^2/2 is 1/2 at y = 0, where it is stationary, and 0 at y = sqrt(3). "
        "With gamma = 1/2, theta -> G(x, theta) + theta^2 is convex, so least at theta = 0: v_gamma(x, 0) = 1/2 and "
        "y = 0 is feasible. But G(x, 4/3) = (5/3 - 2)^2/2 = 1/18. With F = sqrt(1 + x^2) + sqrt(1 + y^2) - 2, (2) has "
        "the value 0 and (1) has sqrt(1 + 3) - 1 = 1.",
    ),
)
EQ2_CORRECTED = record(claims.EQ2_CORRECTED, families=[at_a_point])
NONNEGATIVE = record(claims.NONNEGATIVE, families=[at_a_point])
EQ4_5 = record(claims.EQ4_5, families=[at_a_point])
I_SC = record(claims.I_SC, families=[at_a_point])
# nearer to gamma = 1/rho theta* moves too fast for floats
EQ6 = record(
    claims.EQ6, families=[at_two_points.narrowed("losses of y - k x, at two points", gamma=at_bound(0.9, 0.5, 0.1))]
)
II_SUM = record(claims.II_SUM, families=[at_a_point])
UNB_LOCAL = record(claims.UNB_LOCAL, families=[one_sample])
UNB_AGG = record(claims.UNB_AGG, families=[drawn_clients])
R0 = record(claims.R0, families=[at_a_point])
