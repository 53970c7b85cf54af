"""What holds of Theorem 3.1, on short runs with all their outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import levels
from rateproof.theory.papers.fedmsa import rates as claims
from rateproof.verify.form import at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, around, exp, largest, log, sqrt
from rateproof.verify.form.on_a_line import PAST, STARTS, words
from rateproof.verify.form.outcomes import COORDINATE, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import huber, parabola, wave
from rateproof.verify.papers.fedmsa.one_round import Method, Problem, constants, in_vectors, means

#: ``5 e/L_Z`` and ``5 d/delta``, by what of ``P - grad f`` there is.
PARTS = {"slope": (5, 0), "both": (3, 4), "bias": (0, 5)}


def built(q: dict[str, Any]) -> tuple[Problem, Method, tuple[Any, Any]]:
    """The instance, the method and the start of :func:`short_run`."""
    f = parabola(q["L_hyp"]) if q["f"] == "bowl" else wave(q["L_hyp"])
    e, d = PARTS[q["near"]]
    maps = (q.get("L_z_each", q["L_zn"]), e * q["L_Z"] / 5, d * q["delta_f"] / 5, q.get("lam_each", q["lam_n"]))
    of = Problem(f, *maps, (q["tau_0"], q["tau_n"]), (q["sigma_0"], q["sigma_n"]), q["noise"] == "clipped", q["M"])
    how = Method(q["K"], q["R_rounds"], q["b_batch"], q["B_all"], q["b_0"], q["alpha_x"], q["beta_n"], q["rho_m"])
    return of, how, (q["x"], q["z"])


def run_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`short_run` in the vectors of the proofs."""
    return in_vectors(*built(in_floats(params)))


#: Ranges of an instance in two numbers.
CONSTANTS = {
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
    "x": reals(1, -10, zero=True),
    "z": reals(0, 1, zero=True),
}
SIZES = {
    "f": choice("bowl", "waves"),
    "noise": choice("constant", "clipped"),
    "M": counts(2, 1, most=2),
    "K": counts(1, 2, most=2),
    "R_rounds": counts(1, 2, most=2),
    "b_batch": counts(1, 2, most=2),
}
STEPS = {"rho_m": reals(1, "1/10", low=0.1, high=1), "beta_n": at_bound(1, 2), "alpha_x": at_bound(1, 2)}


@family(
    "a run of FedMSA",
    None,
    run_in_vectors,
    **SIZES,
    B_all=counts(1, 2, most=2),
    b_0=counts(1, most=1),
    **CONSTANTS,
    **STEPS,
)
def short_run(**given: Any) -> dict[str, Any]:
    """One or two clients, one or two rounds and local steps."""
    of, how, start = built(given)
    grad2, gap2 = means(of, how, start)
    return {**constants(of, *start, given), "gf2_out": grad2, "gap2_out": gap2}


def ratio_of_steps(q: dict[str, Any]) -> Number:
    """``theta``, a multiple of the least one."""
    return q["ratio"] * largest(9 * q["L_Z"] * q["L_zn"] / q["lam_n"], q["L_Z"] / q["L_s"])


def with_steps(q: dict[str, Any], Delta: Number) -> dict[str, Any]:
    """The steps and batches of the rate, with a bound on what there is to gain."""
    one = 1 + 0 * Delta
    M, K, R, b = (q[name] * one for name in ("M", "K", "R_rounds", "b_batch"))
    Lb = sqrt(q["Lb_p"] ** 2 + (q["omega_w"] * q["Lb_s"]) ** 2)
    tau = sqrt(q["tau_0"] ** 2 + (q["omega_w"] * q["tau_n"]) ** 2)
    sigma = sqrt(q["sigma_0"] ** 2 + (q["omega_w"] * q["sigma_n"]) ** 2)
    theta = ratio_of_steps(q)
    ell = theta * q["L_s"] / q["L_Z"]
    work = ell * Lb * Delta * sigma / (M * K * b * R)
    rate = exp(2 * log(work) / 3) if q["sigma_0"] + q["sigma_n"] > 0 else 0 * one
    inverse = 4 * q["L_hyp"] + 4 * q["L_s"] ** 2 * theta / q["lam_n"]
    inverse += 8 * ell * K * tau + 14 * ell * Lb * sqrt(K / b) + 8 * K * R * rate / Delta
    u = rate**2 * R**2 * M * K * b / (ell * Lb * Delta) ** 2
    alpha = around(1 / inverse)
    momentum = around(1 / (1 + R * u / (R + u)))
    counts_ = {"B_all": q["K"] * q["b_batch"], "b_0": q["K"] * q["b_batch"] * q["R_rounds"]}
    return {
        "alpha_x": alpha,
        "beta_n": around(theta * alpha),
        "theta_b": theta,
        "rho_m": momentum,
        "Delta": Delta,
        **counts_,
    }


def with_the_steps(q: dict[str, Any]) -> dict[str, Any]:
    """The parameters of :func:`tuned_run` with its steps."""
    of, _, (x, z) = built({**q, **dict.fromkeys(("B_all", "b_0", "alpha_x", "beta_n", "rho_m"), 1)})
    gain = of.f.value(x) - of.f.infimum + 4 * q["L_Z"] ** 2 / (ratio_of_steps(q) * q["lam_n"]) * (z - of.s * x) ** 2
    return {**q, **with_steps(q, around(q["more"] * gain))}


def tuned_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`tuned_run` in the vectors of the proofs."""
    return in_vectors(*built(with_the_steps(in_floats(params))))


def tuned(given: dict[str, Any]) -> dict[str, Any]:
    """What :func:`tuned_run` answers."""
    q = with_the_steps(given)
    of, how, start = built(q)
    grad2, gap2 = means(of, how, start)
    told = {name: q[name] for name in ("alpha_x", "beta_n", "theta_b", "rho_m", "Delta", "B_all", "b_0")}
    return {
        **constants(of, *start, given),
        **told,
        "gf2_out": grad2,
        "gap2_out": gap2,
        "far_out": gap2,
        "now_out": gap2,
    }


@family(
    "a run of FedMSA with the steps of its rate",
    None,
    tuned_in_vectors,
    **{**SIZES, "b_batch": counts(1, most=1)},
    **CONSTANTS,
    ratio=reals(1, 2),
    more=reals("11/10", 10),
)
def tuned_run(**given: Any) -> dict[str, Any]:
    """One or two clients, one or two rounds and local steps, with steps and batches that depend on these."""
    return tuned(given)


def on_a_slope(q: dict[str, Any], alpha: Number) -> tuple[Problem, Number]:
    """The map of a run along a slope that starts so that all its points but the last are beyond 1.

    With ``delta > 0`` it is one that rests where ``P = 0``.
    """
    zero = 0 * alpha
    f, d, start = huber(q["L_hyp"], 1 + zero), zero, 1 + (q["K"] * q["R_rounds"] - 1) * alpha * q["L_hyp"]
    if q["delta_f"] > 0:
        f, d, start = parabola(q["L_hyp"]), -q["delta_f"], q["delta_f"] / q["L_hyp"] + zero
    maps = (zero, zero, d, q.get("lam_each", q["lam_n"]))
    return Problem(f, *maps, (zero, zero), (zero, zero), False, q["M"]), start


SLOPE = {
    "M": counts(1, 2, 10**6),
    "K": counts(1, 2, 100),
    "R_rounds": counts(10**6, 1, 10**9),
    "b_batch": counts(1, 2, 100),
    **{name: CONSTANTS[name] for name in ("L_hyp", "lam_n", "L_s", "L_Z", "delta_f", "Lb_p", "Lb_s", "omega_w")},
}
NOTHING = dict.fromkeys(("tau_0", "tau_n", "sigma_0", "sigma_n"), reals(0))


def slope_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`along_a_slope`."""
    q = in_floats(params)
    of, start = on_a_slope(q, q["alpha_x"])
    return in_vectors(
        of, built({**q, "f": "bowl", "noise": "constant", "near": "slope", "x": 0.0, "z": 0.0})[1], (start, 0.0)
    )


def sloped(given: dict[str, Any]) -> dict[str, Any]:
    """What :func:`along_a_slope` answers."""
    of, start = on_a_slope(given, given["alpha_x"])
    zero = 0 * start
    return {
        **constants(of, start, zero, given),
        "gf2_out": of.f.slope(start) ** 2,
        "gap2_out": zero,
        "far_out": zero,
    }


@family(
    "a run of FedMSA along a slope",
    None,
    slope_in_vectors,
    **SLOPE,
    **NOTHING,
    L_zn=reals("1/10"),
    B_all=counts(1, 100),
    b_0=counts(1, 100),
    **STEPS,
)
def along_a_slope(**given: Any) -> dict[str, Any]:
    """Clients that are alike, without noise, on a function of slope L_h where the run goes or where ``P = 0``."""
    return sloped(given)


def tuned_along(given: dict[str, Any]) -> dict[str, Any]:
    """What :func:`tuned_slope` answers."""
    one = 1 + 0 * given["L_hyp"]
    told = with_steps(given, one)
    of, start = on_a_slope(given, told["alpha_x"])
    told["Delta"] = around(of.f.value(start) - of.f.infimum)
    zero = 0 * start
    return {
        **constants(of, start, zero, given),
        **told,
        "gf2_out": of.f.slope(start) ** 2,
        "gap2_out": zero,
        "far_out": zero,
    }


@family(
    "a run of FedMSA along a slope with the steps of its rate",
    None,
    None,
    **SLOPE,
    **NOTHING,
    L_zn=reals(0),
    ratio=reals(1),
)
def tuned_slope(**given: Any) -> dict[str, Any]:
    """As :func:`along_a_slope`."""
    return tuned_along(given)


#: One level with the constants that N levels have together.
OF_LEVELS = {
    "lam_n": reals("1/8", low=0.01, high=0.1),
    "L_s": reals("8/5", 16, low=1, high=10),
    "L_zn": reals("3/5"),
    "L_z_each": reals("1/4", 0, low=0.1, high=0.3, zero=True),
    "Lb_p": reals(3, low=2, high=10),
    "omega_w": at_bound(1),
}


def of_levels(q: dict[str, Any]) -> dict[str, Any]:
    """The constants of each level, and the weights."""
    return {"lam_each": 8 * q["lam_n"], "L_s_each": 5 * q["L_s"] / 8, "N_lev": 1, "w_lev": 1 + 0 * q["lam_n"]}


def levels_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`run_of_levels`."""
    q = in_floats(params)
    return in_vectors(*built({**q, **of_levels(q)}))


@family(
    "a run of FedMSA with one of N levels",
    None,
    levels_in_vectors,
    **SIZES,
    B_all=counts(1, 2, most=2),
    b_0=counts(1, most=1),
    **{**CONSTANTS, **OF_LEVELS},
    **STEPS,
)
def run_of_levels(**given: Any) -> dict[str, Any]:
    """As :func:`short_run`, with the weight 1 of its level."""
    q = {**given, **of_levels(given)}
    of, how, start = built(q)
    grad2, gap2 = means(of, how, start)
    return {**constants(of, *start, given), **of_levels(given), "gf2_out": grad2, "far_out": gap2, "now_out": gap2}


def tuned_levels_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`tuned_levels`."""
    q = in_floats(params)
    return in_vectors(*built(with_the_steps({**q, **of_levels(q)})))


@family(
    "a run of FedMSA with one of N levels and the steps of its rate",
    None,
    tuned_levels_in_vectors,
    **{**SIZES, "b_batch": counts(1, most=1)},
    **{**CONSTANTS, **OF_LEVELS},
    ratio=reals(1, 2),
    more=reals("11/10", 10),
)
def tuned_levels(**given: Any) -> dict[str, Any]:
    """As :func:`tuned_run`, with the weight 1 of its level."""
    return {**of_levels(given), **tuned({**given, **of_levels(given)})}


@family(
    "a run of FedMSA with one of N levels along a slope",
    None,
    None,
    **{**SLOPE, **OF_LEVELS, "L_z_each": reals(0)},
    **NOTHING,
    B_all=counts(1, 100),
    b_0=counts(1, 100),
    **STEPS,
)
def slope_of_levels(**given: Any) -> dict[str, Any]:
    """As :func:`along_a_slope`, with the weight 1 of its level."""
    return {**of_levels(given), **sloped({**given, **of_levels(given)})}


@family(
    "a run of FedMSA with one of N levels along a slope with the steps of its rate",
    None,
    None,
    **{**SLOPE, **OF_LEVELS, "L_z_each": reals(0)},
    **NOTHING,
    ratio=reals(1),
)
def tuned_slope_of_levels(**given: Any) -> dict[str, Any]:
    """As :func:`tuned_slope`, with the weight 1 of its level."""
    return {**of_levels(given), **tuned_along({**given, **of_levels(given)})}


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
EXPLICIT = record(claims.EXPLICIT, families=[short_run, along_a_slope])
RATE = record(claims.RATE, families=[tuned_run, tuned_slope])
EXPLICIT_LEVELS = record(claims.EXPLICIT_LEVELS, families=[run_of_levels, slope_of_levels])
RATE_LEVELS = record(claims.RATE_LEVELS, families=[tuned_levels, tuned_slope_of_levels])
