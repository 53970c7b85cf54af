"""What holds of Theorem 3.1, on short runs with all their outcomes."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.fedmsa import rates as claims
from rateproof.verify.form import at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import hyperbola, parabola, wave
from rateproof.verify.papers.fedmsa.one_round import Method, Problem, constants, in_vectors, means

LOSSES = {"bowl": parabola, "waves": wave, "hyperbola": hyperbola}


def built(q: dict[str, Any]) -> tuple[Problem, Method, tuple[Any, Any]]:
    """The instance, the method and the start of :func:`short_run`."""
    f = LOSSES[q["f"]](q["L_hyp"])
    maps = (q["L_zn"], q["L_Z"], q["lam_n"])
    of = Problem(f, *maps, (q["tau_0"], q["tau_n"]), (q["sigma_0"], q["sigma_n"]), q["noise"] == "clipped", q["M"])
    how = Method(q["K"], q["R_rounds"], q["b_batch"], q["B_all"], q["b_0"], q["alpha_x"], q["beta_n"], q["rho_m"])
    return of, how, (q["x"], q["z"])


def run_in_vectors(**params: Any) -> InOutcomes:
    """The first round of :func:`short_run` in the vectors of the proofs."""
    return in_vectors(*built(in_floats(params)))


@family(
    "a run of FedMSA",
    None,
    run_in_vectors,
    f=choice("bowl", "waves"),
    noise=choice("constant", "clipped"),
    M=counts(2, 1, most=2),
    K=counts(1, 2, most=2),
    R_rounds=counts(1, 2, most=2),
    b_batch=counts(1, 2, most=2),
    B_all=counts(1, 2, most=2),
    b_0=counts(1, most=1),
    L_hyp=reals(1, low=0.1, high=1),
    lam_n=reals(1, low=0.1, high=1),
    L_s=reals(1, 2, low=1, high=10),
    L_zn=reals("1/2", 0, low=0.1, high=1, zero=True),
    L_Z=reals(1, "1/10", low=0.1, high=1),
    tau_0=reals("1/10", 0, low=0.01, high=0.1, zero=True),
    tau_n=reals("1/10", 0, low=0.01, high=0.1, zero=True),
    sigma_0=reals("1/2", 0, 10, low=0.1, high=1, zero=True),
    sigma_n=reals("1/2", 0, 10, low=0.1, high=1, zero=True),
    Lb_p=reals(2, 20, low=2, high=10),
    Lb_s=reals(2, 20, low=2, high=10),
    omega_w=at_bound(1, 0.5, 1.1),
    rho_m=reals(1, "1/2", "1/10", low=0.1, high=1),
    beta_n=at_bound(1, 0.5, 2),
    alpha_x=at_bound(1, 0.1, 2),
    x=reals(1, 0, -10, zero=True),
    z=reals(0, 1, zero=True),
)
def short_run(**given: Any) -> dict[str, Any]:
    """One or two clients, one or two rounds and local steps."""
    of, how, start = built(given)
    grad2, gap2 = means(of, how, start)
    return {**constants(of, *start, given), "P2_out": grad2, "gap2_out": gap2}


EXPLICIT = record(claims.EXPLICIT, families=[short_run])
