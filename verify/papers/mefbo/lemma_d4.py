"""Lemma D.4: ``Phi`` at a point, at two points, and at the two ends of a round."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import lemma_d4 as claims
from rateproof.verify.form import at_bound, choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.parts import hyperbola
from rateproof.verify.papers.mefbo.envelope import at_a_point, at_two_points, interval, profile, told, weights
from rateproof.verify.papers.mefbo.rounds import Client, Level, Point, Problem, Steps, Term, noise, play


@family(
    "a round on steep upper losses",
    loss=choice("hyperbola", "waves", "bent down"),
    Y=choice("line", "half-line"),
    n_cl=counts(1, 2, most=3),
    P=counts(1, 2, most=3),
    scale=reals(100, 10, 1),
    L_2=reals(1, 2),
    steeper=reals(0, 1, 1.5, zero=True),
    gamma=at_bound(Fraction(2, 3), 0.9, 0.1, 1.2),
    c_t=reals(1, 0.1, 10),
    step=reals(1, 0.1),
    y=reals(0, 0.01, zero=True),
    theta=reals("-3/400", 0.01, -1, zero=True),
    sig_f=reals(0, 1, zero=True),
    sig_g=reals(0, 1, zero=True),
)
def steep_round(
    *,
    loss: str,
    Y: str,
    n_cl: int,
    P: int,
    scale: Number,
    L_2: Number,
    steeper: Number,
    gamma: Number,
    c_t: Number,
    step: Number,
    y: Number,
    theta: Number,
    sig_f: Number,
    sig_g: Number,
) -> dict[str, Any]:
    """``f_i = (sqrt(1 + (scale y)^2) - 1)/scale``, of slopes up to 1 and curvatures up to ``scale``.

    Raises:
        ValueError: more clients are drawn than there are.
    """
    if n_cl < P:
        raise ValueError(f"{P} of {n_cl} clients cannot be drawn")
    one = 1 + 0 * gamma
    f, g = Level((Term(hyperbola(1 / scale), 0, scale),)), Level((Term(profile(loss, steeper * L_2), 0, one),))
    noises = [noise(0 * one, s) if s != 0 else Level() for s in (sig_f, sig_g)]
    clients = tuple(Client(w, f, g, *noises) for w in weights(n_cl, one))
    problem = Problem(clients, gamma, (0 * one, 0 * one), Y=interval(Y, one))
    steps = Steps(1, P, c_t, step * gamma, step * gamma, step * gamma, one, one, one)
    r = play(problem, steps, Point(0 * one, y, theta))
    star = problem.theta_star(0 * one, y)
    start, (_, slope) = problem.Phi(0 * one, y, c_t, star), problem.grad_Phi(0 * one, y, c_t, star)

    def rest(y_end: Number) -> Number:
        end = problem.Phi(0 * one, y_end, c_t, problem.theta_star(0 * one, y_end))
        return end - start - slope * (y_end - y)

    contained = problem.contains(0 * one, y) and problem.Y.project(theta) == theta
    return {
        **steps.told(),
        "Phi_rest": r.mean(lambda o: rest(o.end.y)),
        "dx2_at": 0 * one,
        "dy2_at": r.mean(lambda o: (o.end.y - y) ** 2),
        **told(problem, L_2=L_2),
        "mefbo": Fact(contained, f"it starts at (0, {y}), theta = {theta}"),
    }


PHI_POS = record(claims.PHI_POS, families=[at_a_point])
LEMMA_D4 = record(claims.LEMMA_D4, families=[at_two_points])
ST_40 = record(
    claims.ST_40,
    families=[steep_round],
    refuted_by=example(
        steep_round,
        left="1/400",
        right="9/80000",
        by_hand="f(y) = (sqrt(1 + (100 y)^2) - 1)/100 has slopes up to L_f = 1; g = 0, L_2 = 1, gamma = 1/3, c_t = 1. "
        "From y = 0, theta = -3/400 the step lambda_y = 1/3 of h_y = 3 theta leads to y = 3/400. There f is "
        "(5/4 - 1)/100 = 1/400, and v_gamma = 0. The right side is (1 + 0 + 3)/2 (3/400)^2 = 9/80000.",
    ),
)
ST_40_CORRECTED = record(claims.ST_40_CORRECTED, families=[steep_round])
