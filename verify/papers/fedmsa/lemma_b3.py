"""Lemma B.3: local steps with a constant direction, a contraction, and an inner sequence that follows x.

What the parameters of its families stand for: ``mean``: P and S are the sum or the mean over the clients; ``A``,
``B``, ``C``: coefficients of the mean map A x + B z + C of the clients' P^m; ``D``, ``T``: coefficients of the mean map
D (z - T x) of the clients' S^m; ``A_m``: A of client 1 less the mean A; ``B_m``: B of client 1 less the mean B;
``D_m``: D of client 1 less the mean D; ``p0``: noise of p at the start of the round; ``s0``: noise of s at the start of
the round; ``x``: x at the start of the round; ``z``: z at the start of the round.
"""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedmsa import lemma_b3 as claims
from rateproof.verify.form import choice, counts, family, in_floats, reals, record
from rateproof.verify.form.local_steps import STEP, LocalSteps
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.papers.fedmsa.local_steps import Client, Moment
from rateproof.verify.planted.mutate import Sharp


def path(given: dict[str, Any]) -> list[Moment]:
    """The local steps of one outcome."""
    return [outcomes[0] for outcomes in Client.of(given).steps()]


def steps_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`local_steps` in the vectors of the proofs, all steps together or the last before step k."""
    p = in_floats(params)
    k, K, steps = p["k_step"], p["K"], path(p)
    local = LocalSteps(1, K, {})

    def outcomes(setting: Any) -> Any:
        of_x = claims.far_z not in setting.metrics
        parts = [(at.F, at.h - at.F) if of_x else (at.S, at.q - at.S) for at in steps]
        # of the steps before step k, and of those from there to K - 1
        spans = {"ue": range(k - 1), "wg": range(k - 1, K - 1)}
        made = {
            name: local.along(STEP, [parts[i][part] if i in span else 0.0 for i in range(K)])
            for names, span in spans.items()
            for part, name in enumerate(names)
        }
        at = steps[max(k - 2, 0)]
        one = {name: local.along(STEP, [x]) for name, x in {"x": at.x, "xr": p["x"], "h": at.h, "P": at.F}.items()}
        yield from local.outcomes({}, made if STEP[0] in setting.sizes else one, [{}, {}])(setting)

    return outcomes


@family(
    "local steps",
    None,
    steps_in_vectors,
    k_step=counts(3, 1, 2, 10, most=4),
    K=counts(3, 1, 2, 10, 100, most=4),
    mean=choice("mean", "sum"),
    M=counts(1, 2, most=2),
    A=reals(1, 0, -1, zero=True),
    D=reals(1, 2),
    T=reals(1, 0, zero=True),
    **dict.fromkeys(("B", "C", "A_m", "B_m", "D_m", "p0", "s0"), reals(0, 1, zero=True)),
    **dict.fromkeys(("x", "z"), reals(1, 0, zero=True)),
    **dict.fromkeys(("alpha_x", "beta_n"), reals("1/2", 1, "1/100")),
)
def local_steps(*, k_step: int, K: int, x: Any, z: Any, **given: Any) -> dict[str, Any]:
    """The samples of the momentum phase have the sign ``+``, those of local steps no part in what they estimate.

    Raises:
        ValueError: there is no such step.
    """
    K, k_step = K.__index__(), k_step.__index__()
    if k_step > K:
        raise ValueError(f"there are {K} local steps, and no step {k_step}")
    steps = path({**given, "K": K, "x": x, "z": z})
    at, before, every = steps[k_step - 1], steps[max(k_step - 2, 0)], steps[:-1]
    size = [at.F**2 + (at.h - at.F) ** 2 for at in every]
    return {
        "fedmsa": Fact(True, "a round of Algorithm 1 is run, with rho = 1"),
        **{"far_x": (at.x - x) ** 2, "far_z": (at.z - z) ** 2, "far_x_b": (before.x - x) ** 2},
        **{"h2_b": before.h**2, "P2_b": before.F**2, "err_hb": (before.h - before.F) ** 2},
        **{"sum_P": sum(at.F**2 for at in every), "sum_dh": sum((at.h - at.F) ** 2 for at in every)},
        **{"sum_S": sum(at.S**2 for at in every), "sum_dq": sum((at.q - at.S) ** 2 for at in every)},
        **{"until_K": sum(size), "until_k": sum(size[: k_step - 1])},
        "weighted": sum((1 + 1 / (K + 0 * x + 1)) ** (i + 2) * size[i] for i in range(k_step - 1)),
    }


later = local_steps.narrowed(
    "a local step after the first", k_step=counts(3, 2, 10, most=4), K=counts(3, 2, 10, most=4)
)
# the directions are errors, which stay
errors = local_steps.alone(
    "only errors",
    **{**dict.fromkeys(("k_step", "K"), 10), **dict.fromkeys(("p0", "s0"), 1)},
    **{**dict.fromkeys("ATxz", 0), **dict.fromkeys(("alpha_x", "beta_n"), "1/100")},
)
LEMMA_B3X = record(claims.LEMMA_B3X, families=[local_steps, errors])
LEMMA_B3Z = record(claims.LEMMA_B3Z, families=[local_steps, errors])
STEP_9A = record(claims.STEP_9A, families=[later])
# equality where the value is the error
STEP_9B = record(claims.STEP_9B, families=[later], tight=Sharp(terms=True))
STEP_9C = record(claims.STEP_9C, families=[local_steps])
STEP_9D = record(claims.STEP_9D, families=[local_steps])
STEP_9E = record(claims.STEP_9E, families=[local_steps])
