"""Lemma B.2 on chains of linear maps of the line: one client, exact derivatives, errors of the directions to choose.

What the parameters of its families stand for: ``h``: the direction of x; ``P``: the map P at x; ``u_1``, ``u_2``,
``u_3``: how far z of this level is from its fixed point; ``lam_2``, ``lam_3``: lambda of this level; ``L_s2``,
``L_s3``: Lipschitz constant of S of this level; ``pull_by_1``, ``pull_by_2``, ``pull_by_3``: slope of S of this level
as a multiple of its lambda; ``beta_2``, ``beta_3``: step of z of this level; ``e_1``, ``e_2``, ``e_3``: error of the
direction of z of this level; ``L_z2``, ``L_z3``: Lipschitz constant of the fixed point of this level; ``share_1``,
``share_2``, ``share_3``: slope of the fixed point of this level as a multiple of its Lipschitz constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedmsa import lemma_b2 as claims
from rateproof.theory.proof import Setting
from rateproof.verify.form import Family, Record, at_bound, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.family import Range
from rateproof.verify.form.outcomes import InOutcomes, Outcomes
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
        f"beta_{i}": reals(1, "1/2", "1/16"),
        f"e_{i}": reals(1 if i == 1 else 0, 2, -1, zero=True),
        f"L_z{i}": reals(1, "1/4", 2),
        f"share_{i}": reals(1, -1, 2),
    }


class Level(NamedTuple):
    """The constants of a level, its distance and its error."""

    lam: Number
    beta: Number
    L_s: Number
    L_z: Number
    gap: Number
    err: Number

    def lag(self, L_z: Number) -> Number:
        """The factor that the distance of the level above to its old fixed point has."""
        return 1 + 8 * L_z**2 * self.L_s**2 * self.beta / self.lam

    def own(self, more: Number, by: int = 1) -> Number:
        """What it adds to (15) by itself with the factor ``more``, and ``1 - lambda_n beta_n/by`` in Lemma B.1."""
        left = (more * (1 - self.lam * self.beta / by) - 1) * self.gap
        return left + more * self.beta * (1 / self.lam + 2 * self.beta) * self.err

    def to_above(self, L_z: Number, by: Number = 1) -> Number:
        """What it adds to the level above, with its weight of the error divided by ``by``."""
        near = (2 * L_z**2 * self.L_s**2 * self.beta**2 + self.lam / 4 * self.beta) * self.gap
        return near + (2 * L_z**2 * self.beta + self.lam / (4 * by)) * self.beta * self.err


def level(i: int, of: Mapping[str, Number]) -> Level:
    """The constants of level i, its distance and its error."""
    lam, beta, L_s, L_z, u, e = (of[f"{name}{i}"] for name in ("lam_", "beta_", "L_s", "L_z", "u_", "e_"))
    return Level(lam, beta, L_s, L_z, u**2, e**2)


class Step(NamedTuple):
    """A step of the level ``n``, by linear maps of the line.

    Attributes:
        u, e: how far it is from its fixed point, and the error of its direction.
        slope, t: those of ``S^n(y, .)`` and of ``z^{n,*}``.
        before, back: what the fixed point follows, and how far that goes back.
        star, shift: the fixed point, and how far it moves back.
        q, v: the direction, and how far the step leads from the old fixed point.
    """

    n: Level
    u: Number
    e: Number
    slope: Number
    t: Number
    before: Number
    back: Number
    star: Number
    shift: Number
    q: Number
    v: Number


def chain(N: int, of: Mapping[str, Number]) -> list[Step]:
    """N levels above ``x_k = 0``."""
    made: list[Step] = []
    before, back = 0 * of["h"], of["alpha_x"] * of["h"]
    for i in range(1, N + 1):
        n, u, e = level(i, of), of[f"u_{i}"], of[f"e_{i}"]
        slope, t = n.lam * of[f"pull_by_{i}"], n.L_z * of[f"share_{i}"]
        q = slope * u + e
        made.append(Step(n, u, e, slope, t, before, back, t * before, t * back, q, u - n.beta * q))
        before, back = t * before + u, n.beta * q
    return made


def constants(n: Level, *names: str) -> dict[str, Number]:
    """The constants of a level under these names."""
    return dict(zip(names, n, strict=False))


def in_vectors(N: int) -> Callable[..., InOutcomes]:
    """A step of the last of N levels in the vectors of the proofs."""

    def of(**params: Any) -> InOutcomes:
        from rateproof.verify.papers.lemmas.vectors import of_maps

        given = in_floats(params)
        *lower, top = chain(N, given)
        vectors = {"x": [0.0], "h": [given["h"]], "P": [given["P"]], "J": [top.shift]}
        vectors |= {"z": [top.star + top.u], "z*": [top.star], "q": [top.q]}
        maps = {"S": [[top.slope], [top.star]], "fix": [[top.t], [0.0]]}
        for b in lower:
            vectors |= {"z_b": [b.star + b.u], "z_b*": [b.star], "q_b": [b.q]}
            vectors |= {"JS": [top.t * b.slope * b.u], "Je": [top.t * b.e]}
            maps["S_b"] = [[b.slope], [b.star]]
        return of_maps(vectors, maps)

    return of


def measured(N: int, of: Mapping[str, Number]) -> dict[str, Any]:
    """What is measured of the last of N levels, level n, and of the one below it."""
    h, P, (*lower, top) = of["h"], of["P"], chain(N, of)
    w, step = top.v, of["alpha_x"] * h
    out = {
        **{"h2": h**2, "P2": P**2, "grad2": P**2, "h2_sum": h**2, "err_h": (h - P) ** 2, "step2_x": step**2},
        **{"slope_1": -w * top.shift, "slope2": top.shift**2},
        **constants(top.n, "lam_n", "beta_n", "L_s", "L_zn"),
        **{"gap2": top.u**2, "gap2_moved": w**2, "gap2_next": (w + top.shift) ** 2, "err_q": top.e**2},
        **{"pull": top.slope * top.u**2, "S_zero": 0, "away": abs(w), "move2": top.shift**2, "cross": w * top.shift},
        **facts([*lower, top]),
    }
    for b in lower:
        image, turned = b.slope * b.u, w * b.n.beta * top.t
        out |= constants(b.n, "lam_b", "beta_b", "L_sb", "L_zb")
        out |= {"gap2_b": b.u**2, "gap2_moved_b": b.v**2, "err_qb": b.e**2, "pull_b": b.slope * b.u**2, "S_zero_b": 0}
        out |= {"dist_b": abs(b.u), "miss_b": abs(b.e), "size_Sb": abs(image), "step2_b": (b.n.beta * b.q) ** 2}
        out |= {"turned_S": abs(top.t * image), "turned_e": abs(top.t * b.e), "miss_x": abs(top.q - image)}
        out |= {"part_b": -turned * image, "part_c": -turned * b.e, "slope_n": turned * b.q}
    return out


def facts(levels: Sequence[Step]) -> dict[str, Fact]:
    """What holds for a chain of these levels."""
    moves = all(abs(one.t) <= one.n.L_z for one in levels)
    first = all(one.slope * abs(one.t) <= one.n.L_s for one in levels)
    rises = Fact(all(one.slope <= one.n.L_s for one in levels), "the Lipschitz constants are the slopes of the maps")
    return {
        "A1": Fact(True, "S^n(y, z) = slope (z - t y) vanishes at t y alone"),
        "A2": Fact(moves, "z^{n,*}(y) = t y, and |t| is at most L_{z,n}"),
        "A3": Fact(first, "S^n is linear in z^{n-1}, with a slope of at most L_{s,n}; P does not depend on x and Z"),
        **{"A3 in z^n": rises, "A3 in z^{n-1}": rises},
        "potential": Fact(True, "f = P x for a number P"),
        "fedmsa": Fact(True, "x_{k+1} = x_k - alpha h_k and z_{k+1}^n = z_k^n - beta_n q_k^n"),
    }


@family("one level", None, in_vectors(1), **UPPER, **of_level(1))
def one_level(**given: Any) -> dict[str, Any]:
    """``S^1(x, z) = slope (z - t x)`` at ``x = 0``, ``z = u``."""
    return measured(1, given)


@family("two levels", None, in_vectors(2), **UPPER, **of_level(1), **of_level(2))
def two_levels(**given: Any) -> dict[str, Any]:
    """The same, with a second level that follows the first one."""
    return measured(2, given)


# --- all levels


def sums(levels: Sequence[Level], alpha: Number, ends: Sequence[Number]) -> dict[str, Number]:
    """The sums over all levels, for distances ``ends`` after the step."""
    one, pairs = levels[0], list(pairwise(levels))
    more, less = 1 + 8 * one.L_z**2 * alpha, 8 * one.L_z * alpha
    of_26, printed_26, held = (
        one.own(first, by) + sum(top.own(b.lag(top.L_z), by) for b, top in pairs)
        for first, by in ((more, 1), (less, 1), (more, 2))
    )
    return {
        "all_gaps": sum(n.gap for n in levels),
        "all_ends": sum(ends),
        "sum_27": printed_26
        + one.to_above(one.L_z)
        + sum(b._replace(gap=top.gap, err=top.err).to_above(b.L_z) for b, top in pairs[:-1]),
        "sum_own": printed_26 + sum(b.to_above(b.L_z) for b, _ in pairs),
        "sum_26": of_26 + sum(b.to_above(top.L_z) for b, top in pairs),
        "sum_true": held + sum(b.to_above(top.L_z, b.L_s**2) for b, top in pairs),
    }


def all_in_vectors(**params: Any) -> InOutcomes:
    """The step of every level in the vectors of the proof, one level after the other."""
    from rateproof.verify.papers.lemmas.vectors import of_maps

    given = in_floats(params)
    levels = chain(given["N_lev"], given)

    def outcomes(setting: Setting) -> Iterator[Outcomes]:
        for i, (one, above) in enumerate(zip_longest(levels, levels[1:]), 1):
            vectors = {
                "z": one.star + one.u,
                "q": one.q,
                "y": one.before,
                "y+": one.before - one.back,
                "h": given["h"],
                "P": given["P"],
            }
            maps = {"S": [[one.slope], [one.star]], "fix": [[one.t], [0.0]]}
            numbers = constants(one.n, "lam_n", "beta_n", "L_s", "L_zn")
            numbers |= constants(above.n, "lam_above", "beta_above", "", "L_z_above") if above else {}
            for outcome in of_maps({name: [x] for name, x in vectors.items()}, maps)(setting):
                yield replace(outcome, numbers=numbers, term={claims.n: i})

    return outcomes


@family(
    "N levels",
    None,
    all_in_vectors,
    N_lev=counts(2, 1, 3, most=3),
    **UPPER,
    **of_level(1),
    **{**of_level(2), "beta_2": reals("1/2", 1)},
    **{**of_level(3), "beta_3": reals("1/2", 1)},
)
def all_levels(*, N_lev: int, **of: Any) -> dict[str, Any]:
    """Up to three levels, each of which follows the one below it."""
    return following(N_lev, of)


def following(N_lev: int, of: Mapping[str, Any]) -> dict[str, Any]:
    """What is measured of levels of which each follows the one below it, with its facts."""
    levels, h, P = chain(N_lev, of), of["h"], of["P"]
    pulls, of_steps = "the pull of a map is its slope", "the step of every level, and its bound"
    return {
        **{"h2": h**2, "P2": P**2, "err_h": (h - P) ** 2},
        **sums([one.n for one in levels], of["alpha_x"], [(one.v + one.shift) ** 2 for one in levels]),
        **facts(levels),
        "A1 for all n": Fact(True, "S^n(y, z) = slope (z - t y) vanishes at t y"),
        "A5 for all n": Fact(all(one.slope <= one.n.lam or one.u == 0 for one in levels), pulls),
        "A5 for all n, as used": Fact(all(one.slope >= one.n.lam or one.u == 0 for one in levels), pulls),
        "steps": Fact(all(2 * one.n.L_s**2 * one.n.beta <= one.n.lam for one in levels), of_steps),
        "steps of Lemma B.1": Fact(all(2 * one.n.L_s * one.n.beta <= one.n.lam for one in levels), of_steps),
    }


@family("one level alone", None, partial(all_in_vectors, N_lev=1), **UPPER, **of_level(1))
def only_level(**of: Any) -> dict[str, Any]:
    """One level, and none above it."""
    return {"N_lev": 1, **following(1, of)}


def plain(N: int) -> dict[str, int | str]:
    """Maps of slope one, directions without error, and steps of one half."""
    ones = ("u_", "lam_", "L_s", "pull_by_", "L_z", "share_")
    of = {f"{name}{i}": 1 for i in range(1, N + 1) for name in ones}
    of_steps = {f"beta_{i}": "1/2" for i in range(1, N + 1)} | {f"e_{i}": 0 for i in range(1, N + 1)}
    return {"h": 0, "P": 0, "alpha_x": "1/20", **of, **of_steps}


_ONE = "One client, S^1 = z^1 - x, P = 0, q^1 = S^1 and h = 0, so x stays at 0 and z^{1,*} = 0; all constants are 1. "
_TWO = "One client, S^1 = z^1 - x and S^2 = z^2 - z^1, P = 0, h = 0 and x = 0; all constants are 1, so are lambda_n. "
_AT = "At z^1 = 1, z^2 = 2 with q = S and steps 1/2, z^{2,*} = 1 and z_{k+1}^2 - z_k^{2,*} = 1/2"


def running(family: Family, i: int, **others: Any) -> Family:
    """One instance, on which (26) is nearly an equality at level i: its fixed point runs away from it.

    A short step, whose error sends it on, and what it follows moves so far that Young's inequality is an equality.
    """
    mine = {f"u_{i}": 16, f"e_{i}": -32, f"beta_{i}": "1/32", f"lam_{i}": 1, f"L_s{i}": 1}
    return family.alone(f"{family.name}, the fixed point of level {i} runs away", **mine | others)


BY_X = {"alpha_x": "1/8", "h": 132, "P": 66}
carried = running(one_level, 1, **BY_X)
followed = running(two_levels, 2, u_1=66, e_1=66, beta_1="1/8", lam_1=1, L_s1=1)

ONE_LEVEL = tuple(
    record(claim, families=[one_level])
    for claim in (claims.ST_17A, claims.ST_18A, claims.ST_18B, claims.ST_18C, claims.ST_24_CORRECTED)
)
TWO_LEVELS = tuple(
    record(claim, families=[two_levels])
    for claim in (
        *(claims.ST_16, claims.ST_19A, claims.ST_19BC_CORRECTED, claims.ST_20A, claims.ST_20B_CORRECTED, claims.ST_20C),
        *(claims.ST_21A_CORRECTED, claims.ST_21B_CORRECTED, claims.ST_22_CORRECTED, claims.ST_23A),
        *(claims.ST_23B_CORRECTED, claims.ST_23C_CORRECTED),
    )
)
ST_25_26A = tuple(
    record(claim, families=[two_levels, followed]) for claim in (claims.ST_25_CORRECTED, claims.ST_26A_CORRECTED)
)
ST_17B = record(
    claims.ST_17B, families=[one_level.narrowed("one level, any step of x", alpha_x=reals("1/2", "1/20", 1))]
)


def _refuted(
    claim: Claim, family: Family, left: str, right: str, by_hand: str, *others: Family, **params: Any
) -> Record:
    """A link that is false on maps of slope one, but for what is given."""
    params = plain(2 if family is two_levels else 1) | params
    shown = example(family, **params, left=left, right=right, by_hand=by_hand)
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
    "One client, S^1 = 2 z^1 - x, of slope -1 in x, so L_{q,1} = 1, lambda_1 = 2, L_{z,1} = 1/2; S^2 = z^2 - z^1 "
    f"with constants 1, P = 0, h = 0 and x = 0. {_AT}. S^1 = 2, so the left side is (1/2) (1/2) 2, the right one (1/2) "
    "(1/2) 1.",
    lam_1=2,
    L_z1="1/2",
)
ST_21A = _refuted(
    claims.ST_21A,
    two_levels,
    "1/4",
    "1/16",
    f"{_TWO}At z^1 = 1/2, z^2 = 3/2 with q^2 = S^2 = 1, S^1 = 1/2, q^1 = -1/2 and steps 1/2: z_{{k+1}}^2 - z_k^{{2,*}} "
    "= 1/2, so (19c) = (-1/2) (1/2) (-1) = 1/4. The right side is (1/2) (1/2) (1 - 1/2)^2 = 1/16.",
    u_1="1/2",
    e_1=-1,
)
ST_21B = _refuted(
    claims.ST_21B,
    two_levels,
    "9/16",
    "1/4",
    f"{_TWO}At z^1 = -1/2, z^2 = 1/2 with q = S and steps 1/2: q^2 = 1, S^1 = -1/2 and z_{{k+1}}^2 - z_k^{{2,*}} = "
    "1/2. The left side is (1/2) (1/2) (3/2)^2 = 9/16, the right one 2 (1/2) (1/4) + 0 = 1/4.",
    u_1="-1/2",
)
ST_22 = _refuted(
    claims.ST_22,
    two_levels,
    "1/4",
    "1/8",
    f"{_TWO}At z^1 = 0, z^2 = 1 with q = S, beta_1 = 1/16 and beta_2 = 1/2: z^1 and z^{{2,*}} = 0 stay, and z^2 moves "
    "to 1/2. The left side is 1/4, the right one 8 (1/16) (1/4) = 1/8.",
    u_1=0,
    beta_1="1/16",
)
ST_23B = _refuted(
    claims.ST_23B,
    two_levels,
    "1/4",
    "1/8",
    "One client, S^1 = z^1 - x/2 with L_{z,1} = 1/2, S^2 = z^2 - z^1 with L_{z,2} = 1, P = 0, h = 0 and x = 0; all "
    "other constants are 1. At z^1 = 1 with q = S and beta_1 = 1/2, z^1 moves by -1/2: the left side is 1/4, the right "
    "one 2 (1/4) (1/4) 1 = 1/8.",
    L_z1="1/2",
)
ST_23C = _refuted(
    claims.ST_23C,
    two_levels,
    "1/2",
    "1/8",
    f"{_TWO}At z^1 = 1 with q^1 = S^1 = 1 and beta_1 = 1/2, z_{{k+1}}^1 = 1/2: the left side is 2 (1/4) 1 = 1/2, the "
    "right one 2 (1/4) (1/2)^2 = 1/8.",
)
ST_24 = _refuted(
    claims.ST_24,
    one_level,
    "1/4",
    "1/10",
    f"{_ONE}From z^1 = 1 the step with beta_1 = 1/2 leads to 1/2. With alpha = 1/20 the right side is (8/20) (1/4) = "
    "1/10.",
)
_MOVED = (
    "One client, S^1 = z^1 - x/4 with L_{z,1} = 1/4, S^2 = z^2 - z^1 with L_{z,2} = 1, P = 0, h = 0, x = 0; all other "
    "constants are 1. At z^1 = z^2 = 1 with q = S and steps 1/2, z^1 moves to 1/2, and z^2 = z^{2,*} = 1 stays. "
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
    f"{_ONE}From z^1 = 1 the step with beta_1 = 1/2 leads to 1/2, so the left side is 1/4 - 1. With alpha = 1/20 the "
    "right one is (8/20) (1/2) - 1 = -4/5.",
    spiral,
)
#: Turning maps, for which 1 - lambda beta is too small a factor; their step is bounded by no hypothesis of Lemma B.2.
turning = spiral.narrowed(
    "a map that turns far, short steps", L_s=reals("13/5"), turn=reals("12/5"), beta_n=reals("1/10", "1/20")
)
LEMMA_B2 = record(
    claims.LEMMA_B2,
    families=[all_levels, only_level, turning],
    refuted_by=example(
        only_level,
        **plain(1) | {"beta_1": "1/4"},
        left="-7/16",
        right="-41/80",
        by_hand="""One client, N = 1, S^1 = z^1 - x, P = 0, q^1 = S^1, h = 0 and x = 0; all constants are 1. From z^1 =
        1 the step beta_1 = 1/4 leads to 3/4, so the left side is 9/16 - 1 = -7/16. With alpha = 1/20 the right one is
        C^1 = (8/20) (3/4) - 1 + 2/16 + 1/16 = -41/80.""",
    ),
)
LEMMA_B2_CORRECTED = record(claims.LEMMA_B2_CORRECTED, families=[all_levels, running(all_levels, 1, N_lev=1, **BY_X)])
ST_26B_CORRECTED = record(claims.ST_26B_CORRECTED, families=[one_level, spiral, carried])


@family(
    "levels at which (26a) and (26b) are equalities",
    N_lev=counts(3, 1, 2, most=3),
    **{name: reals(*corners, zero=True) for name, corners in (("alpha_x", ("1/20", 1)), ("h", (0, 1)), ("P", (0, 1)))},
    **{name: of for i in (1, 2, 3) for name, of in of_level(i).items() if not name.startswith(("pull_by", "share"))},
)
def at_equality(*, N_lev: int, alpha_x: Number, h: Number, P: Number, **of: Any) -> dict[str, Any]:
    """Any distances and errors, with those after the step as large as (26a) and (26b) admit.

    Raises:
        ValueError: that is less than nothing.
    """
    one, *later = levels = [level(i, of) for i in range(1, N_lev + 1)]
    out = {"h2": h**2, "P2": P**2, "err_h": (h - P) ** 2}
    from_x = alpha_x / 8 * out["h2"] + 2 * one.L_z**2 * alpha_x**2 * (out["P2"] + out["err_h"])
    ends = [one.gap + one.own(8 * one.L_z * alpha_x) + from_x]
    ends += [n.gap + n.own(b.lag(n.L_z)) + b.to_above(b.L_z) for b, n in zip(levels, later, strict=False)]
    if min(ends) < 0:
        raise ValueError(f"the squares of the distances after the step would be {ends}")
    return out | sums(levels, alpha_x, ends) | dict.fromkeys(("(26a)", "(26b)"), Fact(True, "with equality"))


ST_27 = record(
    claims.ST_27,
    refuted_by=example(
        at_equality,
        **{name: x for name, x in plain(3).items() if not name.startswith(("pull_by", "share"))}
        | {"u_1": 0, "u_3": 0, "beta_1": "1/4"},
        left="9/8",
        right="11/16",
        by_hand="""N = 3, all constants are 1, beta_1 = 1/4, beta_2 = 1/2, and of all distances and errors only ||z_k^2
        - z_k^{2,*}|| = 1 is not 0. (26a) admits 3 (1/2) - 1 = 1/2 at n = 2 and 2/4 + 1/8 = 5/8 at n = 3. C^2 is 1/2 +
        2/16 + 1/16.""",
    ),
)
ST_27_CORRECTED = record(claims.ST_27_CORRECTED, families=[at_equality], tight=Sharp())
