"""Lemma B.2 on chains of linear maps of the line: one client, exact derivatives, errors of the directions to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedmsa import lemma_b2 as claims
from rateproof.verify.form import Family, Record, at_bound, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.family import Range
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.papers.fedmsa.lemma_b1 import spiral
from rateproof.verify.planted.mutate import Sharp

UPPER = {
    "alpha_x": at_bound(1, 0.5, 0.1),
    "h": reals(1, 0, -1, zero=True),
    "P": reals(1, 0, zero=True),
}


def of_level(i: int) -> dict[str, Range]:
    """Parameters of level i: ``z_k^i - z_k^{i,*}``, the map, its constants, the step and the error of ``q_k^i``."""
    steep = ("1/2", 1) if i == 1 else (1, "1/2")
    return {
        f"u_{i}": reals(1, 0, -2, zero=True),
        f"lam_{i}": reals(*steep),
        f"L_s{i}": reals(*steep, 4),
        f"pull_by_{i}": reals(1, "1/2", 2),
        f"beta_{i}": at_bound(1, 0.5, 0.0625),
        f"e_{i}": reals(1 if i == 1 else 0, 2, -1, zero=True),
        f"L_z{i}": reals(1, "1/4", 2),
        f"share_{i}": reals(1, -1, 2),
    }


def _levels(N: int, of: Mapping[str, Number]) -> list[dict[str, Number]]:
    """What is to be known of each level, the first one first; ``x_k = 0``."""
    made: list[dict[str, Number]] = []
    before, step = 0 * of["h"], of["alpha_x"] * of["h"]
    for i in range(1, N + 1):
        u, slope, t = of[f"u_{i}"], of[f"lam_{i}"] * of[f"pull_by_{i}"], of[f"L_z{i}"] * of[f"share_{i}"]
        q = slope * u + of[f"e_{i}"]
        v, star = u - of[f"beta_{i}"] * q, t * before
        made.append(
            {
                "u": u,
                "slope": slope,
                "t": t,
                "q": q,
                "v": v,
                "shift": t * step,
                "star": star,
                "z": star + u,
                "step": step,
            }
        )
        before, step = star + u, of[f"beta_{i}"] * q
    return made


def in_vectors(N: int) -> Callable[..., InOutcomes]:
    """A step of a chain of N levels in the vectors of the proofs."""

    def of(**params: Any) -> InOutcomes:
        from rateproof.verify.papers.lemmas.vectors import of_maps

        given = in_floats(params)
        made = _levels(N, given)
        top, below = made[-1], made[-2] if N > 1 else None
        vectors = {"x": [0.0], "h": [given["h"]], "P": [given["P"]], "J": [made[0]["shift"]]}
        if below is not None:
            image = below["slope"] * below["u"]
            vectors |= {"JS": [top["t"] * image], "Je": [top["t"] * (below["q"] - image)]}
        maps: dict[str, list[list[float]]] = {}
        names = {**{f"_{i}": level for i, level in enumerate(made, 1)}, "": top, **({"_b": below} if below else {})}
        for name, level in names.items():
            vectors |= {f"z{name}": [level["z"]], f"q{name}": [level["q"]], f"z{name}*": [level["star"]]}
            maps |= {f"S{name}": [[level["slope"]], [level["star"]]], f"fix{name}": [[level["t"]], [0.0]]}
        return of_maps(vectors, maps)

    return of


def measured(N: int, of: Mapping[str, Number]) -> dict[str, Any]:
    """What the claims measure on a chain of N levels: at each of them, and at the last one, level n, and below it."""
    made, h, P = _levels(N, of), of["h"], of["P"]
    out: dict[str, Any] = {"h2": h**2, "P2": P**2, "grad2": P**2, "h2_sum": h**2, "err_h": (h - P) ** 2}
    for i, level in enumerate(made, 1):
        u, v, end = level["u"], level["v"], level["v"] + level["shift"]
        error, pull = level["q"] - level["slope"] * u, level["slope"] * u**2
        gaps = {"gap2": u**2, "moved": v**2, "next2": end**2, "err2": error**2, "pull": pull}
        out |= {f"{name}_{i}": x for name, x in gaps.items()}
        rises = Fact(level["slope"] <= of[f"L_s{i}"], "the Lipschitz constant is the slope of the map")
        stays = Fact(-1 <= of[f"share_{i}"] <= 1, "the fixed point is share L_z times what it follows")
        out |= {f"A3 in z^n for n = {i}": rises, f"A2 for n = {i}": stays}
        if i == N:
            out |= {
                "gap2": u**2,
                "gap2_moved": v**2,
                "gap2_next": end**2,
                "err_q": error**2,
                "pull": pull,
                "away": abs(v),
            }
            out |= {"move2": level["shift"] ** 2, "cross": v * level["shift"], "A3 in z^n": rises}
            out |= {name: of[f"{own}{N}"] for name, own in OWN.items()}
        if i == N - 1:
            image, t, w, beta = level["slope"] * u, made[-1]["t"], made[-1]["v"], of[f"beta_{i}"]
            out |= {"gap2_b": u**2, "gap2_moved_b": v**2, "err_qb": error**2, "pull_b": pull, "dist_b": abs(u)}
            out |= {"size_Sb": abs(image), "turned_S": abs(t * image), "turned_e": abs(t * error), "miss_b": abs(error)}
            out |= {"step2_b": (beta * level["q"]) ** 2, "miss_x": abs(made[-1]["q"] - image)}
            out |= {
                "part_b": -w * beta * t * image,
                "part_c": -w * beta * t * error,
                "slope_n": w * beta * t * level["q"],
            }
            out |= {f"{name[:-1]}b": of[f"{own}{i}"] for name, own in BELOW.items()} | {"A3 in z^{n-1}": rises}
    shift = made[0]["shift"]
    moves = all(-1 <= of[f"share_{i}"] <= 1 for i in range(1, N + 1))
    first = all(level["slope"] * abs(level["t"]) <= of[f"L_s{i}"] for i, level in enumerate(made, 1))
    return {
        **out,
        **{"slope_1": -made[0]["v"] * shift, "slope2": shift**2, "step2_x": made[0]["step"] ** 2},
        "A1": Fact(True, "S^n(y, z) = slope (z - t y) vanishes at t y alone"),
        "A2": Fact(moves, "z^{n,*} is linear, of slope share L_{z,n}"),
        "A3": Fact(first, "S^n is linear, of slope t times its own in z^{n-1}; P does not depend on x and Z"),
        "potential": Fact(True, "f = P x for a number P"),
        "fedmsa": Fact(True, "x_{k+1} = x_k - alpha h_k and z_{k+1}^n = z_k^n - beta_n q_k^n"),
    }


#: Constants of level n, and of the level below it, by those that the levels have.
OWN = {"beta_n": "beta_", "lam_n": "lam_", "L_s": "L_s", "L_zn": "L_z"}
BELOW = {"beta_n": "beta_", "lam_n": "lam_", "L_sn": "L_s", "L_zn": "L_z"}


@family("one level", None, in_vectors(1), **UPPER, **of_level(1))
def one_level(**given: Any) -> dict[str, Any]:
    """``S^1(x, z) = slope (z - t x)`` at ``x = 0``, ``z = u``."""
    return measured(1, given)


@family("two levels", None, in_vectors(2), **UPPER, **of_level(1), **of_level(2))
def two_levels(**given: Any) -> dict[str, Any]:
    """The same, with a second level that follows the first one."""
    return measured(2, given)


@family("three levels", None, in_vectors(3), **UPPER, **of_level(1), **of_level(2), **of_level(3))
def three_levels(**given: Any) -> dict[str, Any]:
    """The same, with a third level that follows the second one."""
    return measured(3, given)


#: Maps of slope one, directions without error, and steps of one half.
PLAIN = {"h": 0, "P": 0, "alpha_x": "1/20"}
PLAIN_1, PLAIN_2, PLAIN_3 = (
    {
        **{f"u_{i}": 1, f"lam_{i}": 1, f"L_s{i}": 1, f"pull_by_{i}": 1, f"beta_{i}": "1/2"},
        **{f"e_{i}": 0, f"L_z{i}": 1, f"share_{i}": 1},
    }
    for i in (1, 2, 3)
)
PLAIN |= PLAIN_1
REST_2, REST_3 = ({**one, f"u_{i}": 0, f"share_{i}": 0} for i, one in ((2, PLAIN_2), (3, PLAIN_3)))
_ONE = "One client, S^1 = z^1 - x, P = 0, q^1 = S^1 and h = 0, so x stays at 0 and z^{1,*} = 0; all constants are 1. "
_TWO = "One client, S^1 = z^1 - x and S^2 = z^2 - z^1, P = 0, h = 0 and x = 0; all constants are 1, so are lambda_n. "
_AT = "At z^1 = 1, z^2 = 2 with q = S and steps 1/2 z^{2,*} = 1 and z_{k+1}^2 - z_k^{2,*} = 1/2"

ST_16, ST_19A, ST_20A, ST_20C, ST_23A = (
    record(claim, families=[two_levels])
    for claim in (claims.ST_16, claims.ST_19A, claims.ST_20A, claims.ST_20C, claims.ST_23A)
)
ST_17A, ST_18A, ST_18B, ST_18C = (
    record(claim, families=[one_level]) for claim in (claims.ST_17A, claims.ST_18A, claims.ST_18B, claims.ST_18C)
)
ST_17B = record(
    claims.ST_17B, families=[one_level.narrowed("one level, any step of x", alpha_x=reals("1/2", "1/20", 1))]
)


def _refuted(
    claim: Claim, family: Family, left: str, right: str, by_hand: str, *others: Family, **params: Any
) -> Record:
    """A link that is false on maps of slope one, but for what is given."""
    plain = PLAIN | (PLAIN_2 if family is two_levels else {})
    shown = example(family, **{**plain, **params}, left=left, right=right, by_hand=by_hand)
    return record(claim, families=[family, *others], refuted_by=shown)


ST_19BC = _refuted(
    claims.ST_19BC,
    two_levels,
    "1/4",
    "-1/4",
    f"{_TWO}{_AT}, and z^1 moves by -1/2: (19a) is (-1/2) (-1/2) = 1/4. (19b) is (-1/2) (1/2) 1 = -1/4, and (19c) is "
    "0.",
)
ST_20B = _refuted(
    claims.ST_20B,
    two_levels,
    "1/2",
    "1/4",
    "One client, S^1 = 2 z^1 - x, of slope -1 in x, so L_{q,1} = 1, lambda_1 = 2, L_{z,1} = 1/2; S^2 = z^2 - z^1 with "
    f"constants 1, P = 0, h = 0 and x = 0. {_AT}. S^1 = 2, so the left side is (1/2) (1/2) 2, the right one (1/2) "
    "(1/2) 1.",
    lam_1=2,
    L_z1="1/2",
)
ST_21A = _refuted(
    claims.ST_21A,
    two_levels,
    "1/4",
    "1/16",
    f"{_TWO}At z^1 = 1/2, z^2 = 3/2 with q^2 = S^2 = 1, S^1 = 1/2, q^1 = -1/2 and steps 1/2: z_{{k+1}}^2 - "
    f"z_k^{{2,*}} = "
    "1/2, so (19c) = (-1/2) (1/2) (-1) = 1/4. The right side is (1/2) (1/2) (1 - 1/2)^2 = 1/16.",
    u_1="1/2",
    e_1=-1,
)
ST_21B = _refuted(
    claims.ST_21B,
    two_levels,
    "9/16",
    "1/4",
    f"{_TWO}At z^1 = -1/2, z^2 = 1/2 with q = S and steps 1/2: q^2 = 1, S^1 = -1/2 and z_{{k+1}}^2 - z_k^{{2,*}} = "
    "1/2. "
    "The left side is (1/2) (1/2) (3/2)^2 = 9/16, the right one 2 (1/2) (1/4) + 0 = 1/4.",
    u_1="-1/2",
)
ST_22 = _refuted(
    claims.ST_22,
    two_levels,
    "1/4",
    "1/8",
    f"{_TWO}At z^1 = 0, z^2 = 1 with q = S, beta_1 = 1/16 and beta_2 = 1/2: z^1 and z^{{2,*}} = 0 stay, and z^2 moves "
    "to "
    "1/2. The left side is 1/4, the right one 8 (1/16) (1/4) = 1/8.",
    u_1=0,
    beta_1="1/16",
)
ST_23B = _refuted(
    claims.ST_23B,
    two_levels,
    "1/4",
    "1/8",
    "One client, S^1 = z^1 - x/2 with L_{z,1} = 1/2, S^2 = z^2 - z^1 with L_{z,2} = 1, P = 0, h = 0 and x = 0; all "
    "other "
    "constants are 1. At z^1 = 1 with q = S and beta_1 = 1/2 z^1 moves by -1/2: the left side is 1/4, the right one "
    "2 (1/4) (1/4) 1 = 1/8.",
    L_z1="1/2",
)
ST_23C = _refuted(
    claims.ST_23C,
    two_levels,
    "1/2",
    "1/8",
    f"{_TWO}At z^1 = 1 with q^1 = S^1 = 1 and beta_1 = 1/2 z_{{k+1}}^1 = 1/2: the left side is 2 (1/4) 1 = 1/2, the "
    "right "
    "one 2 (1/4) (1/2)^2 = 1/8.",
)
ST_24 = _refuted(
    claims.ST_24,
    one_level,
    "1/4",
    "1/10",
    f"{_ONE}From z^1 = 1 the step beta_1 = 1/2 leads to 1/2. With alpha = 1/20 the right side is (8/20) (1/4) = 1/10.",
)
_MOVED = (
    "One client, S^1 = z^1 - x/4 with L_{z,1} = 1/4, S^2 = z^2 - z^1 with L_{z,2} = 1, P = 0, h = 0, x = 0; all other "
    "constants are 1. At z^1 = z^2 = 1 with q = S and steps 1/2 z^1 moves to 1/2, and z^2 = z^{2,*} = 1 stays. "
)
ST_25, ST_26A = (
    _refuted(
        claim,
        two_levels,
        "1/4",
        "5/32",
        _MOVED + "The left side is (1/2)^2, the right one 2 (1/16) (1/4) + (1/4) (1/2) = 5/32.",
        u_2=0,
        L_z1="1/4",
    )
    for claim in (claims.ST_25, claims.ST_26A)
)
ST_26B = _refuted(
    claims.ST_26B,
    one_level,
    "-3/4",
    "-4/5",
    f"{_ONE}From z^1 = 1 the step beta_1 = 1/2 leads to 1/2, so the left side is 1/4 - 1. With alpha = 1/20 the right "
    "one is (8/20) (1/2) - 1 = -4/5.",
    spiral,
)
_FALLS = (
    "One client, S^1 = z^1 - x, P = 0, q^1 = S^1, h = 0 and x = 0; all constants are 1{}. From z^1 = 1 the step "
    "beta_1 = "
    "1/4 leads to 3/4, so the left side is 9/16 - 1 = -7/16. With alpha = 1/20 the right one is C^1 = (8/20) (3/4) - "
    "1 + "
    "2/16 + 1/16 = -41/80."
)
_FALL = {**PLAIN, "beta_1": "1/4"}
#: Turning maps, for which 1 - lambda beta is too small a factor; their step is bounded by no hypothesis of Lemma B.2.
turning = spiral.narrowed(
    "a map that turns far, short steps", L_s=reals("13/5"), turn=reals("12/5"), beta_n=reals("1/10", "1/20")
)
LEMMA_B2 = tuple(
    record(
        pair[0],
        families=[of, turning],
        refuted_by=example(of, **rest, left="-7/16", right="-41/80", by_hand=_FALLS.format(more)),
    )
    for pair, of, rest, more in (
        (claims.LEMMA_B2[0], one_level, _FALL, ""),
        (claims.LEMMA_B2[1], two_levels, _FALL | REST_2, ". S^2 = z^2 with z^2 = 0"),
        (claims.LEMMA_B2[2], three_levels, _FALL | REST_2 | REST_3, ". S^2 = z^2 and S^3 = z^3 with z^2 = z^3 = 0"),
    )
)
LEMMA_B2_CORRECTED = tuple(
    record(pair[1], families=[of])
    for pair, of in zip(claims.LEMMA_B2, (one_level, two_levels, three_levels), strict=True)
)
CORRECTED = tuple(
    record(claim, families=[two_levels])
    for claim in (
        *(claims.ST_19BC_CORRECTED, claims.ST_20B_CORRECTED, claims.ST_21A_CORRECTED, claims.ST_21B_CORRECTED),
        *(claims.ST_22_CORRECTED, claims.ST_23B_CORRECTED, claims.ST_23C_CORRECTED, claims.ST_25_CORRECTED),
        claims.ST_26A_CORRECTED,
    )
)
ST_24_CORRECTED = record(claims.ST_24_CORRECTED, families=[one_level])
ST_26B_CORRECTED = record(claims.ST_26B_CORRECTED, families=[one_level, spiral])


@family(
    "levels at which the bounds are equalities",
    **{name: reals(*corners, zero=True) for name, corners in (("alpha_x", ("1/20", 1)), ("h", (0, 1)), ("P", (0, 1)))},
    **{
        name: reals("1/2", "1/4") if name.startswith("beta") else of
        for i in (1, 2, 3)
        for name, of in of_level(i).items()
        if not name.startswith(("pull_by", "share"))
    },
)
def at_equality(**of: Any) -> dict[str, Any]:
    """Any distances and errors, with those after the step as large as (26a) and (26b) admit.

    Raises:
        ValueError: that is less than nothing.
    """
    h, P, alpha = of["h"], of["P"], of["alpha_x"]
    out = {"h2": h**2, "P2": P**2, "err_h": (h - P) ** 2}
    for i in (1, 2, 3):
        lam, beta, L_z, gap, err = of[f"lam_{i}"], of[f"beta_{i}"], of[f"L_z{i}"], of[f"u_{i}"] ** 2, of[f"e_{i}"] ** 2
        if i == 1:
            factor, rest = 8 * L_z * alpha, alpha / 8 * h**2 + 2 * L_z**2 * alpha**2 * (P**2 + (h - P) ** 2)
        else:
            lam_b, b, L_s, L_b = of[f"lam_{i - 1}"], of[f"beta_{i - 1}"], of[f"L_s{i - 1}"], of[f"L_z{i - 1}"]
            factor = 1 + 8 * L_z**2 * L_s**2 * b / lam_b
            rest = (2 * L_b**2 * L_s**2 * b**2 + lam_b * b / 4) * out[f"gap2_{i - 1}"]
            rest = rest + (2 * L_b**2 * b + lam_b / 4) * b * out[f"err2_{i - 1}"]
        end = factor * ((1 - lam * beta) * gap + beta * (1 / lam + 2 * beta) * err) + rest
        if end < 0:
            raise ValueError(f"||z_{{k+1}}^{i} - z_{{k+1}}^{{{i},*}}||^2 = {end}")
        out |= {f"gap2_{i}": gap, f"err2_{i}": err, f"next2_{i}": end}
    return out


ST_27 = record(
    claims.ST_27,
    families=[at_equality],
    refuted_by=example(
        at_equality,
        **{name: x for name, x in (PLAIN | PLAIN_2 | PLAIN_3).items() if not name.startswith(("pull_by", "share"))}
        | {"u_1": 0, "u_3": 0, "beta_1": "1/4"},
        left="9/8",
        right="11/16",
        by_hand="All constants are 1, beta_1 = 1/4, beta_2 = 1/2, and of all distances and errors only ||z_k^2 - "
        "z_k^{2,*}|| "
        "= 1 is not 0. (26a) admits 3 (1/2) - 1 = 1/2 at n = 2 and 2/4 + 1/8 = 5/8 at n = 3. C^2 is 1/2 + 2/16 + 1/16.",
    ),
)
ST_27_CORRECTED = record(claims.ST_27_CORRECTED, families=[at_equality], tight=Sharp())
