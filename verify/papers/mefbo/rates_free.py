"""What holds of the rates without constraints, on short runs with all their outcomes."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import rates_free as claims
from rateproof.verify.form import choice, counts, family, reals, record
from rateproof.verify.form.arithmetic import around, sqrt
from rateproof.verify.form.parts import steps
from rateproof.verify.papers.mefbo.families import CURVED, LINEAR, START, in_vectors, ratio_of_steps
from rateproof.verify.papers.mefbo.rates import Built, by_the_method, first_round, two_clients
from rateproof.verify.papers.mefbo.rounds import Steps, measured_run
from rateproof.verify.papers.mefbo.runs import along_a_slope


def built(p: dict[str, Any]) -> Built:
    """The instance, the steps of all rounds and the start of :func:`free_run`."""
    (problem, start), one = two_clients(p, "line", "line"), 1 + 0 * p["gamma"]
    printed, every = around(ratio_of_steps(p["L_2"], p["gamma"])), []
    for t in steps(p["T_rounds"]):
        server, client, after = p["lambda_0"], p["eta_0"], (t + 1) * one
        if p["steps_are"] == "decreasing":
            server, client = server / after ** p["q_s"], client / sqrt(sqrt(after))
        moves = around((printed if p["ratio"] == "c_theta" else p["other"]) * server)
        penalty = p["c_0"] * after ** p["p_c"]
        every.append(Steps(p["tau"], p["P"], penalty, server, moves, moves, *[client] * 3))
    return problem, every, start


@family(
    "a run of MeFBO without constraints",
    by_the_method(built),
    in_vectors(first_round(built)),
    lower=choice("bowl", "slope", "waves"),
    steps_are=choice("fixed", "fast", "decreasing"),
    ratio=choice("c_theta", "other"),
    T_rounds=counts(1, 2, most=2),
    P=counts(2, 1, most=2),
    tau=counts(1, 2, most=2),
    f_x=reals(1, 0, low=0.1, high=1, zero=True),
    apart=reals(0, 1, low=0.1, high=10, zero=True),
    **LINEAR,
    **CURVED,
    c_0=reals("1/100", 1, low=0.01, high=10),
    p_c=reals("1/16"),
    q_s=reals("3/4", "11/20"),
    lambda_0=reals("1/18", "1/30", "1/10000", low=1e-4, high=0.06),
    other=reals("1/50", "1/8", low=0.001, high=0.13),
    eta_0=reals("1/100000", "1/10", low=1e-6, high=1e-4),
    eps=reals(150000, 10**8, low=10**4, high=10**10),
    **START,
)
def free_run(**given: Any) -> dict[str, Any]:
    """Two clients on the whole line; the steps do not depend on the round, or fall."""
    problem, every, start = built(given)
    T, tau, P, one = given["T_rounds"], given["tau"], given["P"], 1 + 0 * given["gamma"]
    how, said = given["steps_are"], f"the steps are {given['steps_are']}, tau = {tau}"
    if how == "fast":
        factors = {"c_lam": sqrt(T * one / (P * tau)), "c_eta": tau * sqrt(sqrt(P * tau * T * one))}
    else:
        eighth = sqrt(sqrt(sqrt(tau * one)))
        factors = {"c_lam": sqrt(T * one) / eighth**2, "c_eta": eighth**7 * sqrt(sqrt(T * one)) * sqrt(P * one)}
    return {
        **measured_run(problem, every, start, given["L_2"]),
        "t_round": 0,
        "eta_0": given["eta_0"],
        "c_lam": given["lambda_0"] * factors["c_lam"],
        "c_eta": given["eta_0"] * factors["c_eta"],
        **dict.fromkeys(("S-speed", "C-speed"), Fact(how == "fast", said)),
        **dict.fromkeys(("S-fixed/free", "C-fixed/free"), Fact(how == "fixed", said)),
        "S-fixed at tau=1": Fact(how == "fixed" and tau == 1, said),
        "S-dec/free": Fact(how == "decreasing", said),
    }


#: Towards the minimum of f alone, in a short run, and along a slope in a long one; a client of two that differ.
far = free_run.narrowed(
    "a run without constraints towards the minimum of f",
    lower=choice("bowl"),
    k=reals(0),
    x_t=reals(1, low=0.1, high=1),
    y_t=reals(0),
    theta_t=reals(0),
    u=reals(0),
    v=reals(0),
)
one_of_two = free_run.narrowed(
    "one of two clients without constraints",
    P=counts(1, most=1),
    lambda_0=reals("1/40", "1/10000", low=1e-4, high=0.03),
)
long_slope = along_a_slope.narrowed(
    "identical clients along a slope, with one penalty",
    p_c=reals(0),
    T_rounds=counts(10**8, 16, 1),
    c_lam=reals("1/80"),
)
falling = free_run.narrowed("a run without constraints with steps that fall", steps_are=choice("decreasing"))
falling_far = far.narrowed(
    "a run without constraints towards the minimum of f with steps that fall", steps_are=choice("decreasing")
)
_SHORT = (free_run, far, one_of_two)
D11_110, SK_34 = (record(claim, families=_SHORT) for claim in claims.CLAIMS[:2])
THEOREM34, D11 = (record(claim, families=(*_SHORT, long_slope)) for claim in claims.CLAIMS[2:4])
#: The same with steps that grow with the clients and the local steps.
_FAST = tuple(each.narrowed(f"{each.name}, with longer steps", steps_are=choice("fast")) for each in _SHORT)
REM34_1, TAB1_6 = (record(claim, families=_FAST) for claim in claims.CLAIMS[4:6])
REM34_2, REMD1 = (record(claim, families=_SHORT) for claim in claims.CLAIMS[6:8])
COR35_I, CORD12_I = (record(claim, families=_FAST) for claim in claims.CLAIMS[8:10])
some_of_all = _FAST[-1].narrowed(f"{_FAST[-1].name}, to some accuracy", eps=reals(10**8, 10**6, low=10**4, high=10**10))
COR35_II, CORD12_II = (record(claim, families=[some_of_all]) for claim in claims.CLAIMS[10:12])
C1, GRAD_F = (record(claim, families=[falling, falling_far]) for claim in claims.CLAIMS[12:])
