"""Lemma B.1 on maps of the plane that turn what they pull, with the error of the direction that is worst for them."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lemma_b1 as claims
from rateproof.verify.form import at_bound, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.planted.mutate import Sharp


def in_vectors(**params: Any) -> InOutcomes:
    """The step of :func:`spiral` in the vectors of the proofs."""
    from rateproof.verify.papers.lemmas.vectors import of_maps

    of = in_floats(params)
    S, e = _step(**{name: of[name] for name in ("far", "lam_n", "pull_by", "turn", "beta_n", "wrong")})
    s, w = of["lam_n"] * of["pull_by"], of["turn"]
    left = [of["far"] - of["beta_n"] * S[0], -of["beta_n"] * S[1]]
    vectors = {"z": [of["far"], 0.0], "z*": [0.0, 0.0], "q": [S[0] + e[0], S[1] + e[1]], "u": left, "e": [*e]}
    vectors |= {name: [0.0, 0.0] for name in ("x", "h", "P", "J")}
    return of_maps(vectors, {"S": [[s, -w], [w, s], [0.0, 0.0]], "fix": [[0.0, 0.0]] * 3})


def _step(
    far: Number, lam_n: Number, pull_by: Number, turn: Number, beta_n: Number, wrong: Number
) -> tuple[tuple[Number, Number], tuple[Number, Number]]:
    """``S^n`` and the error of q; the worst one, for ``wrong = 1``, points against where the step leads without it."""
    S = lam_n * pull_by * far, turn * far
    size = -wrong * lam_n / (1 + lam_n * beta_n)
    return S, (size * (far - beta_n * S[0]), -size * beta_n * S[1])


@family(
    "a map that turns",
    None,
    in_vectors,
    far=reals(1, 3, 0, zero=True),
    lam_n=reals(1, "1/2"),
    L_s=reals("5/4", "13/5", 1, 5),
    pull_by=reals(1, 2, "1/2"),
    turn=reals("3/4", "12/5", 0, zero=True),
    beta_n=at_bound(1, 0.5, 0.1, 2),
    wrong=reals(1, 0, -1, zero=True),
    room=reals(2, "1/2"),
)
def spiral(
    *,
    far: Number,
    lam_n: Number,
    L_s: Number,
    pull_by: Number,
    turn: Number,
    beta_n: Number,
    wrong: Number,
    room: Number,
) -> dict[str, Any]:
    """``S^n(z^{n-1}, z) = pull_by lambda z + turn J z`` with a quarter turn J, at ``(far, 0)``; one client, ``z* = 0``.

    ``far``: how far z is from its fixed point; ``pull_by``: the pull of the map over lambda_n; ``turn``: the part of
    the map that turns; ``wrong``: the error of the direction, over the worst one; ``room``: by how much the factor of
    the error is larger than the squared step, over that.

    Raises:
        ValueError: no step is short enough.
    """
    if beta_n <= 0:
        raise ValueError(f"{beta_n} is no step")
    (s, w), (a, b) = _step(far, lam_n, pull_by, turn, beta_n, wrong)
    u, v = far - beta_n * s, -beta_n * w
    kept, error, c, tau = u**2 + v**2, a**2 + b**2, (1 + room) * beta_n**2, lam_n * beta_n
    moved = (u - beta_n * a) ** 2 + (v - beta_n * b) ** 2
    steepness = lam_n * pull_by * lam_n * pull_by + turn**2
    rises = Fact(steepness <= L_s**2, "its slope is the root of (pull_by lambda)^2 + turn^2")
    fixed = Fact(True, "S^n(z^{n-1}, z) vanishes for z = 0 alone, whatever z^{n-1}, and P is 0, as h is")
    return {
        **{"gap2": far**2, "dist": abs(far), "pull": s * far, "S2": s**2 + w**2, "S_apart": s**2 + w**2, "S_zero": 0},
        **{"q2": (s + a) ** 2 + (w + b) ** 2, "err_q": error, "miss": sqrt(error)},
        **{"along": far * (s + a), "off_pull": far * a},
        **{"gap2_moved": moved, "kept": kept, "c_err": c, "gain": moved - c * error},
        "gain_most": kept * (1 + beta_n**2 / (c - beta_n**2)) ** 2 - c * beta_n**2 / (c - beta_n**2) ** 2 * kept,
        # for one level alone, whose fixed point stays
        **{"gap2_next": moved, "alpha_x": 1, "L_z1": 0, "h2": 0, "P2": 0, "err_h": 0},
        **{"all_gaps": far**2, "all_ends": moved, "sum_27": (tau / 4 - 1) * far**2 + tau / 4 * error},
        "sum_26": beta_n * (1 / lam_n + 2 * beta_n) * error - tau * far**2,
        "A5 for all n": Fact(pull_by <= 1 or far == 0, "the pull is pull_by lambda"),
        "A5 for all n, as used": Fact(pull_by >= 1 or far == 0, "the pull is pull_by lambda"),
        "steps of Lemma B.1": Fact(2 * L_s * beta_n <= lam_n, "the step"),
        **dict.fromkeys(("A1", "A1 for all n", "A2", "A3"), fixed),
        "A3 in z^n": rises,
        "fedmsa": Fact(True, "z_{k+1}^n = z_k^n - beta_n q_k^n"),
    }


#: A map that pulls half as much as A5 admits, and a direction without error.
WEAK = {"L_s": 1, "pull_by": "1/2", "turn": 0, "beta_n": "1/2", "wrong": 0}
_BY_HAND = (
    "One client, S^1(x, z) = z/2, so z^{1,*} = 0 and <z, S^1> = z^2/2 <= z^2 with lambda_1 = 1; L_{s,1} = 1, P = 0. "
)

LEMMA_B1 = record(
    claims.LEMMA_B1,
    families=[spiral],
    # A5 as an equality, A3 in both arguments and a step below both bounds: so it is false in every reading
    refuted_by=example(
        spiral,
        L_s=2,
        turn="3/2",
        beta_n="1/10",
        wrong="11/10",
        left="40293/40000",
        right="9999/10000",
        by_hand="""One client, P = 0, z^1 in the plane: S^1(x, z) = z + (3/2) J z with a quarter turn J. So <z, S^1> =
        ||z||^2 and lambda_1 = 1. ||S^1||^2 = (13/4) ||z||^2, so S^1 is 2-Lipschitz, L_{s,1} = 2, z^{1,*} = 0. From
        z = (1, 0) with beta_1 = 1/10, u = z - beta_1 S^1 = (9/10, -3/20) has ||u||^2 = 333/400. A sample with the
        error -u, q = S^1 - u, leads to (11/10) u, of the square 40293/40000. The right side is 9/10 +
        (1/10) (1 + 2/10) 333/400 = 9999/10000.""",
    ),
)
LEMMA_B1_CORRECTED = record(claims.LEMMA_B1_CORRECTED, families=[spiral])
# without 2 beta_n^2 ||q - S^n||^2 the worst error is (1 + tau)/(1 - tau) times that of the family, with tau = 3/4
LEMMA_B1_FREE = record(
    claims.LEMMA_B1_FREE,
    families=[
        spiral,
        spiral.narrowed(
            "a map that turns far, a long step, the worst error",
            L_s=reals("13/5"),
            turn=reals("12/5"),
            beta_n=reals("3/4"),
            wrong=reals(7),
        ),
    ],
)
# equality at the largest step for a map that turns as much as its Lipschitz constant admits
LEMMA_B1_ROUND = record(
    claims.LEMMA_B1_ROUND,
    families=[spiral],
    tight=Sharp(hypotheses=("condition number", "A5 as used", "A3 in z^n")),
)
STEP_1 = record(claims.STEP_1, families=[spiral])
ST_13A = record(claims.ST_13A, families=[spiral])
ST_13B = record(
    claims.ST_13B,
    refuted_by=example(
        spiral,
        **WEAK,
        left="-1/2",
        right="-1",
        by_hand=_BY_HAND
        + "At z = 1 with q = S^1: the left side is -<z, S^1> = -1/2, the right one -lambda_1 z^2 = -1.",
    ),
)
ST_13B_CORRECTED = record(
    claims.ST_13B_CORRECTED, families=[spiral], tight=Sharp(constant=False, hypotheses=("A5 as used",))
)
ST_13C = record(claims.ST_13C, families=[spiral])
ST_14A = record(claims.ST_14A, families=[spiral])
ST_14B = record(
    claims.ST_14B,
    refuted_by=example(
        spiral,
        lam_n=2,
        L_s=1,
        turn=0,
        beta_n="1/2",
        wrong=0,
        left="2",
        right="1/2",
        by_hand="""One client, S^1(x, z) = 2 z, whose Lipschitz constant in x is 0 <= L_{s,1} = 1; z^{1,*} = 0. At
        z = 1 with lambda_1 = 2, q = S^1 and beta_1 = 1/2 the left side is 2 (1/4) 4 = 2, the right one 2 (1/4) 1.""",
    ),
)
ST_14B_CORRECTED = record(claims.ST_14B_CORRECTED, families=[spiral], tight=Sharp(hypotheses=("A3 in z^n",)))
ST_14C = record(
    claims.ST_14C,
    refuted_by=example(
        spiral,
        far=3,
        **WEAK,
        left="9/2",
        right="3",
        by_hand=_BY_HAND + "At z = 3 with q = S^1 and beta_1 = 1/2 the left side is 2 (1/4) 9 = 9/2, the right one 3.",
    ),
)
ST_14C_CORRECTED = record(claims.ST_14C_CORRECTED, families=[spiral], tight=Sharp())
ST_SUM = record(
    claims.ST_SUM,
    refuted_by=example(
        spiral,
        **WEAK,
        left="9/16",
        right="1/2",
        by_hand=_BY_HAND
        + "From z = 1 with q = S^1 and beta_1 = 1/2, z_{k+1} = 3/4, and (12) is an equality. Both sides "
        "of (13) are -1/2; (14) is 1/16 <= 1. The factor would be 1/2, and 9/16 is left.",
    ),
)
ST_SUM_CORRECTED = record(claims.ST_SUM_CORRECTED, families=[spiral])
# c - beta^2 is room beta^2 for any step
ST_SUP = record(
    claims.ST_SUP, families=[spiral.narrowed("a map that turns, and any step", beta_n=reals("2/5", 1, "1/10"))]
)
ST_SPIRAL = record(claims.ST_SPIRAL, families=[spiral])
