"""What holds of Theorem 3.1, on short runs with all their outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedmsa import levels
from rateproof.theory.papers.fedmsa import rates as claims
from rateproof.verify.form import Record, at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, around, exp, largest, log, sqrt
from rateproof.verify.form.on_a_line import PAST, STARTS, words
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import huber, parabola, wave
from rateproof.verify.papers.fedmsa.one_round import Method, Problem, constants, in_vectors, means

#: ``5 e/L_Z`` and ``5 d/delta``, by what of ``P - grad f`` there is.
PARTS = {"slope": (5, 0), "both": (3, 4), "bias": (0, 5)}


def built(q: dict[str, Any]) -> tuple[Problem, Method, tuple[Any, Any]]:
    """The instance, the method and the start, of a slope so far away that the last point alone is not beyond ``x``."""
    L = q["L_hyp"]
    f = huber(L, q["x"]) if q["f"] == "slope" else wave(L) if q["f"] == "waves" else parabola(L)
    e, d = PARTS[q["near"]]
    maps = (q["short"] * q["L_zn"], e * q["L_Z"] / 5, d * q["delta_f"] / 5, q["steep"] * q["lam_n"])
    of = Problem(f, *maps, (q["tau_0"], q["tau_n"]), (q["sigma_0"], q["sigma_n"]), q["noise"] == "clipped", q["M"])
    how = Method(q["K"], q["R_rounds"], q["b_batch"], q["B_all"], q["b_0"], q["alpha_x"], q["beta_n"], q["rho_m"])
    far = (q["K"] * q["R_rounds"] - 1) * q["alpha_x"] * (L + of.d) if q["f"] == "slope" else 0
    return of, how, (-of.d / L if q["f"] == "rest" else q["x"] + far, q["z"])


def run_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`run` in the vectors of the proofs."""
    return in_vectors(*built(in_floats(params)))


#: Ranges of an instance in two numbers, and those for the constants that N levels have together.
CONSTANTS = {
    "f": choice("bowl", "waves"),
    "noise": choice("constant", "clipped"),
    "M": counts(2, 1, most=2),
    "K": counts(1, 2, most=2),
    "R_rounds": counts(1, 2, most=2),
    "L_hyp": reals(1, low=0.1, high=1),
    "lam_n": reals(1, low=0.1, high=1),
    "L_s": reals(1, low=1, high=10),
    "L_zn": reals("1/2", 0, low=0.1, high=1, zero=True),
    "L_Z": reals(1, "1/10", low=0.1, high=1),
    "near": choice(*PARTS),
    "delta_f": reals(0, 1, low=0.1, high=1, zero=True),
    "tau_0": reals("1/10", 0, low=0.01, high=0.1, zero=True),
    "tau_n": reals("1/10", 0, low=0.01, high=0.1, zero=True),
    "sigma_0": reals("1/2", 0, low=0.1, high=1, zero=True),
    "sigma_n": reals("1/2", 0, low=0.1, high=1, zero=True),
    "Lb_p": reals(2, low=2, high=10),
    "Lb_s": reals(2, low=2, high=10),
    "omega_w": at_bound(1, 1.1),
    "short": reals(1),
    "steep": reals(1),
    "x": reals(1, -10, zero=True),
    "z": reals(0, 1, zero=True),
}
OF_LEVELS = {
    "lam_n": reals("1/8", low=0.01, high=0.1),
    "L_s": reals("8/5", 16, low=1, high=10),
    "L_zn": reals("3/5"),
    "short": reals("5/12", 0),
    "steep": reals(8),
    "Lb_p": reals(3, low=2, high=10),
    "omega_w": at_bound(1),
}
#: Clients that are alike, without noise, on a function of slope L_h where the run goes or where ``P = 0``, ``z = 0``.
ON_A_SLOPE = {
    "f": choice("slope", "rest"),
    "near": choice("bias"),
    "noise": choice("constant"),
    "M": counts(1, 2, 10**6),
    "K": counts(1, 2, 100),
    "R_rounds": counts(10**6, 1, 10**9),
    "b_batch": counts(1, 2, 100),
    **dict.fromkeys(("tau_0", "tau_n", "sigma_0", "sigma_n", "z", "short"), reals(0)),
    "x": reals(1),
}


def answers(q: dict[str, Any]) -> dict[str, Any]:
    """What a run answers for, its one level also as one of N, with the weight 1."""
    of, how, (x, z) = built(q)
    one = 1 + 0 * x
    still = q["f"] in ("slope", "rest")
    grad2, gap2 = (of.f.slope(x) ** 2, 0 * one) if still else means(of, how, (x, z))
    level = {"lam_each": of.lam, "L_s_each": 5 * q["L_s"] / 8, "L_z_each": of.s, "N_lev": 1, "w_lev": one}
    return {
        **constants(of, x, z, q),
        **level,
        "gf2_out": grad2,
        **dict.fromkeys(("gap2_out", "far_out", "now_out"), gap2),
    }


@family(
    "a run of FedMSA",
    None,
    run_in_vectors,
    **CONSTANTS,
    b_batch=counts(1, 2, most=2),
    B_all=counts(1, 2, most=2),
    b_0=counts(1, most=1),
    rho_m=reals(1, "1/10", low=0.1, high=1),
    beta_n=at_bound(1, 2),
    alpha_x=at_bound(1, 2),
)
def run(**given: Any) -> dict[str, Any]:
    """One or two clients, one or two rounds and local steps."""
    return answers(given)


def with_steps(q: dict[str, Any], Delta: Number) -> dict[str, Any]:
    """The steps and batches of the rate, with a bound on what there is to gain."""
    one = 1 + 0 * Delta
    M, K, R, b = (q[name] * one for name in ("M", "K", "R_rounds", "b_batch"))
    Lb, tau, sigma = (
        sqrt(q[of_p] ** 2 + (q["omega_w"] * q[of_s]) ** 2)
        for of_p, of_s in (("Lb_p", "Lb_s"), ("tau_0", "tau_n"), ("sigma_0", "sigma_n"))
    )
    theta = q["ratio"] * largest(9 * q["L_Z"] * q["L_zn"] / q["lam_n"], q["L_Z"] / q["L_s"])
    ell = theta * q["L_s"] / q["L_Z"]
    work = ell * Lb * Delta * sigma / (M * K * b * R)
    rate = exp(2 * log(work) / 3) if q["sigma_0"] + q["sigma_n"] > 0 else 0 * one
    inverse = 4 * q["L_hyp"] + 4 * q["L_s"] ** 2 * theta / q["lam_n"]
    inverse += 8 * ell * K * tau + 14 * ell * Lb * sqrt(K / b) + 8 * K * R * rate / Delta
    u = rate**2 * R**2 * M * K * b / (ell * Lb * Delta) ** 2
    alpha = around(1 / inverse)
    work_2_3 = exp(2 * log(ell * Lb * Delta) / 3)
    by_K = 8 * Delta * (q["L_hyp"] + q["L_s"] ** 2 * theta / q["lam_n"]) + 28 * ell * Lb * Delta
    enough = q["more"] * largest(16 * ell * Delta, by_K, 32 * one, 32 * work_2_3) * 101 / 100
    return {
        "alpha_x": alpha,
        "beta_n": around(theta * alpha),
        "theta_b": theta,
        "rho_m": around(1 / (1 + R * u / (R + u))),
        "Delta": Delta,
        "C_1": around(enough),
        "B_all": q["K"] * q["b_batch"],
        "b_0": q["K"] * q["b_batch"] * q["R_rounds"],
    }


def tuned(q: dict[str, Any]) -> dict[str, Any]:
    """The steps of :func:`tuned_run`: what there is to gain depends on them along a slope, where they do not on it."""
    first = with_steps(q, 1 + 0 * q["L_hyp"])
    of, _, (x, z) = built({**q, **first})
    gain = of.f.value(x) - of.f.infimum + 4 * q["L_Z"] ** 2 / (first["theta_b"] * q["lam_n"]) * (z - of.s * x) ** 2
    return with_steps(q, around(q["more"] * gain))


def tuned_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`tuned_run` in the vectors of the proofs."""
    q = in_floats(params)
    return in_vectors(*built({**q, **tuned(q)}))


@family(
    "a run of FedMSA with the steps of its rate",
    None,
    tuned_in_vectors,
    **CONSTANTS,
    b_batch=counts(1, most=1),
    ratio=reals(1, 2),
    more=reals("11/10", 10),
)
def tuned_run(**given: Any) -> dict[str, Any]:
    """As :func:`run`, with steps and batches that depend on all else; a constant of the printed form that is enough."""
    steps = tuned(given)
    return {**answers({**given, **steps}), **steps}


RUNS = (
    run,
    run.narrowed(
        "a run of FedMSA along a slope",
        **ON_A_SLOPE,
        L_zn=reals("1/10"),
        B_all=counts(1, 100),
        b_0=counts(1, 100),
    ),
)
TUNED = (
    tuned_run,
    tuned_run.narrowed(
        "a run of FedMSA along a slope with the steps of its rate",
        **ON_A_SLOPE,
        L_zn=reals(0),
        ratio=reals(1),
        more=reals(1),
    ),
)
RUNS_OF_N, TUNED_OF_N = (
    (
        one.narrowed(f"{one.name}, one of N levels", **OF_LEVELS),
        slope.narrowed(f"{slope.name}, one of N levels", **OF_LEVELS | {"short": reals(0)}),
    )
    for one, slope in (RUNS, TUNED)
)


def along_levels(q: dict[str, Any], first: Number) -> list[Number]:
    """``Z^*`` of a point, the point itself first."""
    points = [first]
    for _ in range(q["N_lev"]):
        points.append(q["L_z_each"] * points[-1])
    return points


def points_of_levels(q: dict[str, Any]) -> tuple[list[Number], list[Number], list[Number]]:
    """The points ``x, z^1, ..., z^N``, of which each is off its target, what they track in the end, and that of y."""
    points = [q["x"]]
    for i in range(q["N_lev"]):
        points.append(q["L_z_each"] * points[-1] + (q["off"] if i % 2 == 0 else -q["off"]))
    return points, along_levels(q, q["x"]), along_levels(q, q["x"] + q["step"])


def stack_in_vectors(**params: Any) -> InOutcomes:
    """The levels of :func:`stack`, one after the other."""
    q = in_floats(params)
    points, ends, others = points_of_levels(q)
    chances = {COORDINATE: [1.0], PAST: STARTS}
    flat = Outcomes(chances, {}, {}, words(chances, "xi"))

    def known(x: float) -> Grid:
        return flat.along(PAST, [x, x + 1])

    def level(i: int) -> Outcomes:
        made = {"u": points[i], "ub": points[i - 1], "Tb": ends[i - 1], "Tyb": others[i - 1]}
        target = q["L_z_each"] * known(points[i - 1])
        at = {
            "S^n": lambda point: (q["lam_each"] * (point - target), None),
            "z^{n,*}": lambda point: (q["L_z_each"] * point, None),
        }
        return replace(flat, made={name: known(x) for name, x in made.items()}, at=at, term={levels.n: i})

    return lambda _: (level(i) for i in range(1, q["N_lev"] + 1))


@family(
    "linear levels on a line",
    None,
    stack_in_vectors,
    N_lev=counts(2, 1, 4, most=6),
    lam_each=reals(1, low=0.1, high=1),
    L_s_each=reals(1, 2, low=1, high=10),
    L_z_each=reals(1, 0, 10, low=0.1, high=10, zero=True),
    w_lev=at_bound(1, 0.1, 2),
    x=reals(0, 1, zero=True),
    off=reals(1, 0, -1, zero=True),
    step=reals(1, zero=True),
)
def stack(**given: Any) -> dict[str, Any]:
    """``S^n = lambda (z^n - s z^{n-1})``, where every level is as far from its target as the others."""
    points, ends, others = points_of_levels(given)
    s, lam, w = given["L_z_each"], given["lam_each"], given["w_lev"]
    sums = dict.fromkeys(("lev_dist", "lev_gap", "lev_size", "lev_pull", "lev_shift"), 0 * w)
    for i in range(1, given["N_lev"] + 1):
        now, far = points[i] - s * points[i - 1], points[i] - ends[i]
        terms = far**2, now**2, (lam * now) ** 2, lam * now * far, (others[i] - ends[i]) ** 2
        for name, term in zip(sums, terms, strict=True):
            sums[name] += term / w**i
    linear = Fact(True, "S^n is a multiple of z^n - s z^{n-1}")
    short = Fact(bool(lam <= given["L_s_each"]), "the slope of S^n in z^n is lambda")
    return {**sums, "shift_x": given["step"] ** 2, "A5/levels": linear, "A2/levels": linear, "A3/levels": short}


LEVELS = record(levels.LEVELS, families=[stack])
OF_ONE = (
    record(claims.EXPLICIT, families=RUNS),
    *(record(claim, families=TUNED) for claim in (claims.CHOSEN, claims.RATE, claims.FORM)),
)
OF_N_LEVELS = (
    record(claims.EXPLICIT_LEVELS, families=RUNS_OF_N),
    *(record(claim, families=TUNED_OF_N) for claim in (claims.CHOSEN_LEVELS, claims.RATE_LEVELS, claims.FORM_LEVELS)),
)


def at_end(claim: Claim) -> Record:
    """What holds at an end of a range, on runs that differ in their sizes alone."""
    given = claim.hypotheses[-1]
    end = {
        relation.lhs.name: counts(1, most=1) if relation.lhs.is_integer else reals(0)
        for relation in conjuncts(given.relation)
    }
    runs = TUNED_OF_N if claim.follows_from == (claims.RATE_LEVELS.id,) else RUNS_OF_N
    families = []
    for one in runs:
        first = {name: replace(of, corners=of.corners[:1]) for name, of in one.ranges.items() if of.kind != "count"}
        families.append(one.narrowed(f"{one.name}, {given.text}", **first | end))
    return record(claim, families=families)


AT_ENDS = tuple(at_end(claim) for claim in claims.EDGES)
