"""What holds of Theorem 3.1, on short runs with all their outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.fedmsa import levels
from rateproof.theory.papers.fedmsa import rates as claims
from rateproof.verify.form import Family, Record, at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, around, exp, largest, log, sqrt
from rateproof.verify.form.on_a_line import PAST, STARTS, words
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import huber, parabola, steps, wave
from rateproof.verify.papers.fedmsa.one_round import Method, Problem, constants, in_vectors, means

#: ``5 e/L_Z`` and ``5 d/delta``, by what of ``P - grad f`` there is.
PARTS = {"slope": (5, 0), "both": (3, 4), "bias": (0, 5)}


def built(q: dict[str, Any]) -> tuple[Problem, Method, tuple[Any, Any]]:
    """The instance, the method and the start, of a slope so far away that the last point alone is not beyond ``x``."""
    L = q["L_hyp"]
    f = huber(L, q["x"]) if q["f"] == "slope" else wave(L) if q["f"] == "waves" else parabola(L)
    e, d = PARTS[q["near"]]
    maps = (q["short"] * q["L_zn"], e * q["L_Z"] / 5, d * q["delta_f"] / 5, q["steep"] * q["lam_n"])
    # along a slope tau and sigma are bounds alone
    loud = 0 if q["f"] in ("slope", "rest") else 1
    apart, sizes = (q["tau_0"], q["tau_n"]), (loud * q["sigma_0"], loud * q["sigma_n"])
    of = Problem(f, *maps, apart, sizes, q["noise"] == "clipped", q["M"])
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


def in_mean_square(of: Problem, how: Method, x: Number) -> Number:
    """``E||grad f(xtilde)||^2`` for ``f = L x^2/2`` and clients that are alike, with constant noise and ``P = grad f``.

    The error of an estimate stays in a round, as the samples of a step have the same noise at both of its points.
    """
    L, total = of.f.slope(1 + 0 * x), 0 * x
    xx, xe, ee = x**2, 0 * x, of.sizes[0] ** 2 / (of.M * how.b0)
    for step in steps(how.K * how.R):
        if step > 0 and step % how.K == 0:
            xe, ee = xe * (1 - how.rho), ee * (1 - how.rho) ** 2 + (how.rho * of.sizes[0]) ** 2 / (of.M * how.B)
        total += xx
        keep = 1 - how.alpha * L
        xx, xe = xx * keep**2 - xe * keep * how.alpha * 2 + ee * how.alpha**2, xe * keep - ee * how.alpha
    return total * L**2 / (how.K * how.R)


def answered(q: dict[str, Any]) -> dict[str, Any]:
    """What a run answers for, its one level also as one of N, with the weight 1."""
    of, how, (x, z) = built(q)
    one = 1 + 0 * x
    if q["f"] == "loud":
        grad2, gap2 = in_mean_square(of, how, x), 0 * one
    elif q["f"] in ("slope", "rest"):
        grad2, gap2 = of.f.slope(x) ** 2, 0 * one
    else:
        grad2, gap2 = means(of, how, (x, z))
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
    return answered(given)


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
        "b_0": q["K"] * q["b_batch"] * q["R_rounds"] if q.get("b_first", 0) == 0 else q["b_first"],
    }


def tuned(q: dict[str, Any]) -> dict[str, Any]:
    """The steps of :func:`tuned_run`, with what there is to gain, which depends on them along a slope.

    With noise a smaller gain makes the steps shorter, and so the gain: what starts above it stays so.
    """

    def gain(chosen: dict[str, Any]) -> Number:
        of, _, (x, z) = built({**q, **chosen})
        at_start = of.f.value(x) - of.f.infimum
        return around(
            q["more"] * (at_start + 4 * q["L_Z"] ** 2 / (chosen["theta_b"] * q["lam_n"]) * (z - of.s * x) ** 2)
        )

    quiet = dict.fromkeys(("sigma_0", "sigma_n"), 0 * q["L_hyp"])
    Delta = gain(with_steps({**q, **quiet}, 1 + 0 * q["L_hyp"]))
    for _ in range(10 if q["f"] == "slope" and q["sigma_0"] > 0 else 0):
        Delta = gain(with_steps(q, Delta))
    return with_steps(q, Delta)


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
    b_first=counts(0, drawn=[0]),
    ratio=reals(1, 2),
    more=reals("11/10", 10),
)
def tuned_run(**given: Any) -> dict[str, Any]:
    """As :func:`run`, with steps and batches that depend on all else; a constant of the printed form that is enough."""
    chosen = tuned(given)
    return {**answered({**given, **chosen}), **chosen}


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

# --- runs on which one term is the largest


_HUGE = 10**16
_TAU, _CURVED, _NOISE = {"tau_0": "1/100", "K": 10**12}, {"K": 10**10, "b_batch": _HUGE}, {"f": "loud", "L_Z": "1e-6"}
#: What limits the steps along a slope, and noise that is all there is.
LIMITS: dict[str, dict[str, Any]] = {
    "heterogeneity": _TAU,
    "the curvature of f": {**_CURVED, "L_hyp": 10**6, "Lb_p": 10**6},
    "L_s": {**_CURVED, "L_s": 160},
    "the samples": {"K": _HUGE},
    "the momentum": {"L_hyp": "1/100", "sigma_0": "3/100", "R_rounds": 10**9},
    "nothing but noise": {**_NOISE, "M": 10**10, "R_rounds": 200, "b_batch": 10**6, "sigma_0": 16 * 10**13},
}
_LATE, _EARLY = {"b_first": 10**30}, {"b_first": 1, "sigma_0": 10**6}


def limited(slope: Family, *which: str, **values: Any) -> tuple[Family, ...]:
    """Runs on which one term is the largest."""
    return tuple(slope.alone(f"{slope.name}, {name}", **LIMITS[name] | values) for name in which or LIMITS)


def noisy(slope: Family) -> tuple[Family, ...]:
    """Two or three rounds from the minimum, with noise in the first estimate alone or in later ones alone."""
    at_minimum = {"f": "loud", "L_Z": "1e-6", "x": 0, "sigma_0": 1, "rho_m": 1}
    return (
        slope.alone(f"{slope.name}, first noise", **at_minimum, R_rounds=2, b_0=1, B_all=10**9),
        slope.alone(f"{slope.name}, later noise", **at_minimum, R_rounds=3, b_0=10**30, B_all=100),
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
OF_ONE, OF_N_LEVELS = (
    (
        record(explicit, families=(*runs, *noisy(runs[1]))),
        record(
            chosen,
            families=(
                *(*steps_of, *limited(steps_of[1])),
                *(limited(steps_of[1], "nothing but noise", **first)[0] for first in (_LATE, _EARLY)),
            ),
        ),
        *(record(claim, families=(*steps_of, *limited(steps_of[1]))) for claim in (rate, form)),
    )
    for runs, steps_of, explicit, chosen, rate, form in (
        (RUNS, TUNED, claims.EXPLICIT, claims.CHOSEN, claims.RATE, claims.FORM),
        (RUNS_OF_N, TUNED_OF_N, claims.EXPLICIT_LEVELS, claims.CHOSEN_LEVELS, claims.RATE_LEVELS, claims.FORM_LEVELS),
    )
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
    alone_ = [runs[1].alone(f"{runs[1].name}, what stays", f="rest", delta_f=1, **_CURVED)]
    if runs is TUNED_OF_N:
        few = {"M": 1, "K": 30, "R_rounds": 30, "b_batch": _HUGE, "sigma_0": 5 * 10**13}
        alone_ += [*limited(runs[1]), *limited(runs[1], "heterogeneity", tau_0=10**4)]
        alone_ += limited(runs[1], "nothing but noise", **few)
    families += (one.narrowed(f"{one.name}, {given.text}", **end) for one in alone_)
    return record(claim, families=families)


AT_ENDS = tuple(at_end(claim) for claim in claims.EDGES)
