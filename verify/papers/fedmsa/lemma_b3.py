"""Lemma B.3: local steps with a constant direction, a contraction, and an inner sequence that follows x."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.fedmsa import lemma_b3 as claims
from rateproof.verify.form import choice, counts, family, in_floats, reals, record
from rateproof.verify.form.local_steps import STEP, LocalSteps
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.papers.fedmsa.local_steps import Client, assumed
from rateproof.verify.planted.mutate import Sharp

#: Maps, noises, steps and the start of a round.
MAPS = {
    "mean": choice("mean", "sum"),
    "M": counts(1, 2, most=2),
    **{"A": reals(1, 0, -1, zero=True), "B": reals(0, 1, zero=True), "C": reals(0, 1, zero=True)},
    **{"D": reals(1, 2), "T": reals(1, 0, zero=True)},
    **dict.fromkeys(("A_m", "B_m", "D_m"), reals(0, 1, zero=True)),
}
START = {"x": reals(1, 0, zero=True), "z": reals(1, 0, zero=True)}
BOUNDS = {
    **dict.fromkeys(("L_p", "L_Z", "L_s", "L_zn"), reals(4, 1)),
    **dict.fromkeys(("Lb_p", "Lb_s"), reals(4, 1, 10)),
    **dict.fromkeys(("tau_0", "tau_n"), reals(4, 1)),
    "sigma": reals(1000, 1),
    "lam_n": reals(1, 2),
}


def client(p: dict[str, Any], b: int = 1) -> Client:
    """The client of an instance."""
    noises = {name: p.get(name, 0 * p["x"]) for name in ("p0", "px", "pz", "s0", "sx", "sz")}
    own = {name: p[name] for name in ("A", "B", "C", "D", "T", "A_m", "B_m", "D_m", "x", "z")}
    counted = {name: p[name].__index__() for name in ("M", "K")}
    steps = {"alpha": p["alpha_x"], "beta": p["beta_n"]}
    return Client(b=b, mean=p["mean"] == "mean", **counted, **steps, **noises, **own)


def steps_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`local_steps` in the vectors of the proofs, all steps together or the last before step k."""
    p = in_floats(params)
    c, k, K = client(p), p["k_step"], p["K"]
    (path, *_) = c.paths(K)
    local = LocalSteps(1, K, {})

    def over_steps(value: Any, first: int, last: int) -> Any:
        return local.along(STEP, [value(at) if first <= i < last else 0.0 for i, at in enumerate(path, 1)])

    of_x = (lambda at: c.P(at.x, c.T * at.x)), (lambda at: at.h - c.P(at.x, c.T * at.x))
    of_z = (lambda at: c.S(at.x, at.z)), (lambda at: at.q - c.S(at.x, at.z))
    at = path[max(k - 2, 0)]
    one = {"x": at.x, "xr": c.x, "h": at.h, "P": c.P(at.x, c.T * at.x)}

    def outcomes(setting: Any) -> Any:
        of = of_z if claims.far_z in setting.metrics else of_x
        made = {n: over_steps(of[i], 1, k) for i, n in enumerate("ue")} | {
            n: over_steps(of[i], k, K) for i, n in enumerate("wg")
        }
        given = made if STEP[0] in setting.sizes else {n: local.along(STEP, [v]) for n, v in one.items()}
        yield from local.outcomes({}, given, [{}, {}])(setting)

    return outcomes


@family(
    "local steps",
    None,
    steps_in_vectors,
    k_step=counts(3, 1, 2, 10, most=4),
    K=counts(3, 1, 2, 10, 100, most=4),
    **MAPS,
    p0=reals(0, 1, zero=True),
    s0=reals(0, 1, zero=True),
    **START,
    alpha_x=reals("1/2", 1, "1/100"),
    beta_n=reals("1/2", 1, "1/100"),
    **BOUNDS,
)
def local_steps(*, k_step: int, **given: Any) -> dict[str, Any]:
    """The samples of the momentum phase have the sign ``+``, those of local steps no part in what they estimate.

    Raises:
        ValueError: there is no such step.
    """
    c, K, k_step = client(given), given["K"].__index__(), k_step.__index__()
    if k_step > K:
        raise ValueError(f"there are {K} local steps, and no step {k_step}")
    (path, *_) = c.paths(K)
    P, S = ([of(at.x, c.T * at.x if of == c.P else at.z) for at in path] for of in (c.P, c.S))
    size = [P_k**2 + (at.h - P_k) ** 2 for P_k, at in zip(P, path, strict=True)]
    at, before, P_b = path[k_step - 1], path[max(k_step - 2, 0)], P[max(k_step - 2, 0)]
    every = range(K - 1)
    return {
        **assumed(c, given),
        **{"far_x": (at.x - c.x) ** 2, "far_z": (at.z - c.z) ** 2, "far_x_b": (before.x - c.x) ** 2},
        **{"h2_b": before.h**2, "P2_b": P_b**2, "err_hb": (before.h - P_b) ** 2},
        **{"sum_P": sum(P[i] ** 2 for i in every), "sum_dh": sum((path[i].h - P[i]) ** 2 for i in every)},
        **{"sum_S": sum(S[i] ** 2 for i in every), "sum_dq": sum((path[i].q - S[i]) ** 2 for i in every)},
        **{"until_K": sum(size[: K - 1]), "until_k": sum(size[: k_step - 1])},
        "weighted": sum((1 + 1 / (K + c.x * 0 + 1)) ** (i + 2) * size[i] for i in range(k_step - 1)),
    }


LEMMA_B3X = record(claims.LEMMA_B3X, families=[local_steps])
LEMMA_B3Z = record(claims.LEMMA_B3Z, families=[local_steps])
later = local_steps.narrowed(
    "a local step after the first", k_step=counts(3, 2, 10, most=4), K=counts(3, 2, 10, most=4)
)
STEP_9A = record(claims.STEP_9A, families=[later])
# equality where the value is the error
STEP_9B = record(claims.STEP_9B, families=[later], tight=Sharp(terms=True))
STEP_9C = record(claims.STEP_9C, families=[local_steps])
STEP_9D = record(claims.STEP_9D, families=[local_steps])
STEP_9E = record(claims.STEP_9E, families=[local_steps])
