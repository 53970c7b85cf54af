"""Runs of FedMSA with one local step a round that are known in closed form, for any number of rounds.

With ``K = 1`` only the means over the clients matter, and clients that differ do no harm.
"""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form import choice, counts, family, hidden, reals
from rateproof.verify.form.arithmetic import Number, geometric, largest, least, sqrt

#: What O(.), Theta(.) and step sizes hide.
HIDDEN = ("c_alpha", "c_beta", "c_rho")
CONSTANTS = {name: hidden(1, answers=[name], low=1, high=10) for name in HIDDEN}
#: Clients, how they add up to ``P``, and the constant for what they differ in.
CLIENTS = {"M": counts(2, 1, most=10), "adds": choice("sum", "mean"), "tau_het": reals(1)}


def answers(
    *, M: int, R_rounds: int, tau_het: Number, differ: Number, adds: str = "mean", pull: Number = 1, **numbers: Any
) -> dict[str, Any]:
    """Numbers of a run, and answers for the hypotheses: ``S^{m,n} = pull (z^n - z^{n,*})`` for every client.

    The slopes of the ``P^m`` differ from that of ``P`` by ``differ`` where ``P`` is their mean. As a sum ``S^n`` is
    ``M`` times every ``S^{m,n}``, so that these differ more.
    """
    one = tau_het / tau_het if tau_het != 0 else 1
    apart = 0 * one if M == 1 else (M - 1) * one if adds == "sum" else differ * one
    return {
        "K": 1,
        "b_batch": 1,
        "b_0": 1,
        "gap2_out": 0 * one,
        "pull": pull * one,
        "gap2": one,
        "lam_n": one,
        "beta_n": least(one, 1 / tau_het) if tau_het != 0 else one,
        "L_hyp": one,
        "Lb_p": one,
        "L_z1": 0 * one,
        "lam_47": one,
        "A1": Fact(True, "S is linear in z, with a slope that is not 0"),
        "A2": Fact(True, "z^{n,*} and its derivative are Lipschitz continuous"),
        "A3": Fact(True, "P^m and S^{m,n} have bounded slopes in x"),
        "A4": Fact(True, "p^m and s^{m,n} have bounded slopes in x, for every sample"),
        "fedmsa": Fact(True, "it is the recursion of Algorithm 1"),
        "sigma": Fact(True, "sigma is a bound of the noise of every map"),
        "tau": Fact(True, "tau is a bound for every map"),
        "R=R_eps": Fact(True, "eps is what R rounds reach"),
        "A3 in Z": Fact(pull <= 1, "P does not depend on Z, and S is linear in z"),
        "A4 in squares": Fact(True, "the slopes of all samples are bounded"),
        "B": Fact(True, "the noise has two values"),
        "K=1 at first": Fact(True, "every round has one local step"),
        "K at first": Fact(True, "every round has one local step"),
        "C": Fact(apart <= tau_het, f"the slopes of a client and of all differ by at most {apart}"),
        "sum": Fact(adds == "sum" or M == 1, "P is the sum of the P^m"),
        "mean": Fact(adds == "mean" or M == 1, "P is the mean of the P^m"),
        "potential": Fact(True, "in one dimension every field has a potential"),
        "f_below": Fact(True, "f = x^2/2 is at least 0"),
        "maps of (2)": Fact(True, "f^m is a function of x, and g^m = w^2/2"),
        "maps of (11)": Fact(False, "P is no derivative of a function of z"),
        **dict.fromkeys(("S-proof", "S-proof, sigma=0"), Fact(False, "the steps are not those of the proof")),
        "tau_het": tau_het,
        "M": M,
        "R_rounds": R_rounds,
        **numbers,
    }


def root_of(x: Number, one: Number) -> Number:
    """The cubic root."""
    return (x * one) ** (one / 3)


def _weighted(u: Number, v: Number, n: int, total: bool = False) -> Number:
    """``sum_{l < n} (v^l - u^l)^2``, or with ``total`` the sum of these sums for all smaller n."""

    def part(q: Number) -> Number:
        return (n - 1 - q * geometric(q, n - 1)) / (1 - q) if total else geometric(q, n)

    return part(v**2) - 2 * part(u * v) + part(u**2)


@family(
    "a parabola with noise",
    of=choice("x", "z"),
    noise=choice("everywhere", "near the start"),
    steps_are=choice("fixed", "small", "proof"),
    first=choice("one", "KR"),
    R_rounds=counts(16, 1, 10**8),
    alpha_tau=reals(1),
    size=reals("1/2", zero=True),
    sigma_max=reals("1/4", zero=True),
    differ=reals("1/2", zero=True),
    **CLIENTS,
    **CONSTANTS,
)
def noisy_parabola(
    *,
    of: str,
    noise: str,
    steps_are: str,
    first: str,
    R_rounds: int,
    alpha_tau: Number,
    size: Number,
    sigma_max: Number,
    differ: Number,
    M: int,
    adds: str,
    tau_het: Number,
    **given: Number,
) -> dict[str, Any]:
    """``P = x`` from ``x_0 = 1``, with noise ``+- size`` of every client, everywhere or only near the start.

    ``p^m = w ((1 +- differ) x + phi xi)``, where ``w`` is 1, or ``1/M`` if ``P`` is a sum, and ``S = z = 0``. With
    ``a = w alpha`` and ``d_r = h_r/w - x_r``: ``x_{r+1} = (1 - a) x_r - a d_r``. Everywhere ``phi`` is ``size`` and
    ``d_r = (1 - rho) d_{r-1} + rho size xi_r``. Near the start it falls to 0 at ``|x - 1| = a (1 - size)``, where no
    later iterate comes, so that ``d_1 = (1 - rho)(d_0 - size xi_1)`` and ``d_r = (1 - rho) d_{r-1}`` from there on.
    Of z: ``P = 0`` and ``S^m = z`` with the same noise, as where ``f^{m,0} = 0`` has noisy values, and ``f^{m,1} = z``.

    Raises:
        ValueError: a later iterate may come near the start.
    """
    one = size * 0 + 1
    w = one / M if adds == "sum" and of == "x" else one
    steep, b_0 = w * (1 + differ), R_rounds if first == "KR" else 1
    rho, alpha = one / R_rounds, alpha_tau / (tau_het if tau_het != 0 else 1)
    if steps_are == "small":
        alpha = alpha / R_rounds
    elif steps_are == "proof" and size != 0:
        rho = root_of(M, one) / root_of(sigma_max**4 * R_rounds**2, one)
        alpha = least(1 / steep, sqrt(rho * M) / steep, *([1 / tau_het] if tau_het != 0 else []))
    elif steps_are == "proof":
        alpha = least(one, 1 / steep, *([1 / tau_het] if tau_het != 0 else []))
    a = w * alpha
    if noise == "near the start" and not (a <= 1 and 2 * size <= 1 - a * (1 - size) and rho <= a):
        raise ValueError(f"size is {size} and a = {a}; later iterates should stay below 1 - a (1 - size)")
    u, v = 1 - a, 1 - rho
    total, last = geometric(u**2, R_rounds), u ** (2 * R_rounds)
    if size != 0:
        weight, many = (size * a / (a - rho)) ** 2, one / M
        total += weight * many / b_0 * _weighted(u, v, R_rounds)
        last += weight * many / b_0 * (v**R_rounds - u**R_rounds) ** 2
        if noise == "everywhere":
            total += weight * many * rho**2 * _weighted(u, v, R_rounds, total=True)
            last += weight * many * rho**2 * _weighted(u, v, R_rounds)
        else:
            total += weight * many * v**2 * _weighted(u, v, R_rounds - 1)
            last += weight * many * (v * (v ** (R_rounds - 1) - u ** (R_rounds - 1))) ** 2
    mean, drop = total / R_rounds, 1 - last if of == "z" else (1 - last) / 2
    # 1/Delta_W bounds the smoothness of f, which is 1 or 0; without noise rho does not matter
    smooth = one if size == 0 else 1 / drop
    if steps_are == "proof" and size == 0:
        rho_2 = root_of(drop**2 * M, one) / root_of(sigma_max**4 * R_rounds**2, one) if sigma_max != 0 else one
        rho = largest(one / R_rounds, rho_2)
    kept = rho <= 1 and alpha * smooth <= 1 and (size != 0 or alpha * steep <= sqrt(rho * M))
    run = answers(
        M=M,
        R_rounds=R_rounds,
        tau_het=tau_het,
        differ=differ,
        adds=adds,
        alpha_x=alpha,
        rho_m=rho,
        b_0=b_0,
        P2_out=mean,
        Delta_W=drop,
        eps=mean,
        R_eps=R_rounds,
        S_eps=M * (b_0 + R_rounds - 1) + R_rounds,
        L_hyp=smooth,
        Lb_p=steep,
        B=Fact(w * size <= sigma_max, f"the noise has the size {w * size}"),
    )
    by_the_proof = Fact(steps_are == "proof" and kept, "the steps are those of the proof" if kept else "too large")
    run["S-proof" if sigma_max != 0 else "S-proof, sigma=0"] = by_the_proof
    if of == "z":
        run |= {"P2_out": 0 * mean, "gap2_out": mean, "beta_n": alpha}
        run |= {"maps of (2)": run["maps of (11)"], "maps of (11)": Fact(True, "f^0 = 0, f^1 = z and N = 1")}
    return run


@family("a rotation", R_rounds=counts(16, 1, 10**3), alpha_x=reals("1/4"), differ=reals("1/2"), **CLIENTS, **CONSTANTS)
def rotation(
    *, R_rounds: int, alpha_x: Number, differ: Number, M: int, adds: str, tau_het: Number, **given: Number
) -> dict[str, Any]:
    """``P = J x`` in the plane, J a quarter turn, from ``|x_0| = 1``, without noise; ``S = z = 0``."""
    a = alpha_x / (M if adds == "sum" else 1)
    return answers(
        M=M,
        R_rounds=R_rounds,
        tau_het=tau_het,
        differ=differ,
        adds=adds,
        alpha_x=alpha_x,
        rho_m=1 / (R_rounds * (a / a)),
        b_0=R_rounds,
        sigma_max=0 * a,
        P2_out=geometric(1 + a**2, R_rounds) / R_rounds,
        potential=Fact(False, "the Jacobian of a gradient is symmetric"),
        f_below=Fact(False, "there is no f"),
    )


@family("a slope", R_rounds=counts(16, 1, 10**8), tau_het=reals(1), **CONSTANTS)
def slope(*, R_rounds: int, tau_het: Number, **given: Number) -> dict[str, Any]:
    """``P = 1`` everywhere, one client, ``alpha = rho = 1``: ``f = x`` falls by 1 in a round, so that ``rho_2 = 1``."""
    one = tau_het / tau_het
    run = answers(
        M=1,
        R_rounds=R_rounds,
        tau_het=tau_het,
        differ=0 * one,
        alpha_x=one,
        rho_m=one,
        b_0=R_rounds,
        sigma_max=one,
        P2_out=one,
        Delta_W=R_rounds * one,
        f_below=Fact(False, "f = x has no lower bound"),
    )
    return run | {"S-proof": Fact(tau_het <= 1, "rho_2 = 1, and all four bounds of alpha are at least 1")}


@family("an inner sequence", R_rounds=counts(4, 1, 100), mu=reals(-1, 5), tau_het=reals(1), **CONSTANTS)
def inner_sequence(*, R_rounds: int, mu: Number, tau_het: Number, **given: Number) -> dict[str, Any]:
    """``S = mu z`` from ``z_0 = 1``, and ``P = 0``, one client, no noise, ``L_{s,1} = lambda = 1`` and ``rho = 1/R``.

    A constant map has every Lipschitz constant: what A3 and A4 say of S is so for all mu. Where that is not enough
    beta is 1/2, else half the root of rho.
    """
    one = tau_het / tau_het
    rho = one / R_rounds
    beta = one / 2 if mu > 1 else sqrt(rho) / 2
    run = answers(
        M=1,
        R_rounds=R_rounds,
        tau_het=tau_het,
        differ=0 * one,
        pull=mu,
        alpha_x=least(1 / tau_het, sqrt(rho)),
        beta_n=beta,
        rho_m=rho,
        b_0=R_rounds,
        sigma_max=one,
        P2_out=0 * one,
        gap2_out=geometric((1 - beta * mu) ** 2, R_rounds) / R_rounds,
        L_hyp=0 * one,
    )
    return run | {"S-proof": Fact(tau_het <= 2, "the steps are those of the proof, with Delta_W L_h = 0")}


@family("a round alone", K=counts(16, 1, 10**8), first=choice("one", "KR"), **CONSTANTS)
def one_round(*, K: int, first: str, **given: Number) -> dict[str, Any]:
    """``P = x`` for one client, from ``x_0 = 1`` without noise: the first round has one step whatever K is.

    So the one point that can be returned is ``x_0``. With ``alpha = K^(-1/2)``, ``Delta_W`` is less than that, and
    ``rho_2`` less than 1.
    """
    one = given["c_rho"] / given["c_rho"]
    run = answers(M=1, R_rounds=1, tau_het=0 * one, differ=0 * one, alpha_x=1 / sqrt(K * one), rho_m=one, sigma_max=one)
    said = {
        "K=1 at first": Fact(True, "the only round has one step"),
        "K at first": Fact(K == 1, f"the only round has one step, and K is {K}"),
        "S-proof": Fact(True, "alpha = 1/((K/b)^(1/2) Lb_p) with Lb_p = L_h = 1, and rho = rho_1 = 1"),
    }
    return run | said | {"P2_out": one, "K": K, "b_0": K if first == "KR" else 1}


@family(
    "rounds of many steps",
    of=choice("x", "z"),
    R_rounds=counts(16, 1, 10**8),
    K=counts(16, 1, 10**4),
    sigma_max=reals("1/2", 1),
    tau_het=reals(1),
    **CONSTANTS,
)
def many_steps(
    *, of: str, R_rounds: int, K: int, sigma_max: Number, tau_het: Number, **given: Number
) -> dict[str, Any]:
    """``P = x`` for one client from ``x_0 = 2`` without noise, ``alpha = 1/(tau K)``, with K steps in every round.

    Of z: ``P = 0`` and ``S = z`` from ``z_0 = 2``, as where ``f^0 = 0`` and ``f^1 = z``.
    """
    one = tau_het / tau_het
    alpha = 1 / (tau_het * K)
    reached = 4 * geometric((1 - alpha) ** 2, K * R_rounds) / (K * R_rounds)
    drop = (4 if of == "z" else 2) * (1 - (1 - alpha) ** (2 * K * R_rounds))
    rho_2 = root_of(drop**2 * K, one) / root_of(sigma_max**4 * R_rounds**2, one)
    rho = largest(one / R_rounds, rho_2)
    least_of_four = rho_2 <= 1 and alpha * sqrt(K * one) <= 1 and alpha * K <= sqrt(rho * K)
    run = answers(
        M=1, R_rounds=R_rounds, tau_het=tau_het, differ=0 * one, alpha_x=alpha, rho_m=rho, sigma_max=sigma_max
    )
    said = {
        "K=1 at first": Fact(K == 1, f"the first round has {K} steps"),
        "S-proof": Fact(least_of_four, "the least of the four bounds of alpha is 1/(tau K)"),
    }
    made = {"P2_out": reached, "eps": reached, "R_eps": R_rounds, "S_eps": K * (3 * R_rounds - 1)}
    if of == "z":
        made |= {"P2_out": 0 * one, "gap2_out": reached, "beta_n": alpha}
        made |= {"maps of (2)": Fact(False, "f is 0"), "maps of (11)": Fact(True, "f^0 = 0, f^1 = z and N = 1")}
    return run | said | made | {"K": K, "b_0": K * R_rounds}


#: Powers of which the roots that occur are rational.
SIXTH = counts(1, 64, 4096, most=4096, drawn=(1, 64, 729, 4096))
CUBE = reals(1, 8, "1/8")


@family(
    "constants and the steps of the proof",
    R_rounds=SIXTH,
    M=SIXTH,
    K=SIXTH,
    b_batch=SIXTH,
    Delta_W=CUBE,
    L_hyp=CUBE,
    sigma_max=CUBE,
    tau_het=reals(1, 10),
    Lb_p=reals(1, 10),
    factor=reals(2, 1),
)
def schedule(
    *,
    R_rounds: int,
    M: int,
    K: int,
    b_batch: int,
    Delta_W: Number,
    L_hyp: Number,
    sigma_max: Number,
    tau_het: Number,
    Lb_p: Number,
    factor: Number,
) -> dict[str, Any]:
    """``rho`` is the larger of ``rho_1`` and ``rho_2``, and ``alpha`` the least of its four bounds."""
    one = tau_het / tau_het
    drawn = M * K * b_batch * one
    rho_2 = root_of((Delta_W * L_hyp) ** 2 * drawn, one) / root_of(sigma_max**4 * R_rounds**2, one)
    rho = largest(one / R_rounds, rho_2)
    steps = (1 / (tau_het * K), sqrt(b_batch * one / K) / Lb_p, 1 / L_hyp, sqrt(rho * drawn) / (Lb_p * K))
    return {"b_0": K * R_rounds, "rho_m": rho, "alpha_x": least(*steps)}


@family(
    "numbers in the rate",
    accuracy=choice("the rate", "4 tau/R"),
    R_rounds=counts(16, 1, 10**8),
    M=counts(2, 1, 100),
    K=counts(16, 1, 10**4),
    tau_het=reals("1/4", 1, 100, 0),
    sigma_max=reals(1, "1/100", 100, zero=True),
    share=reals(1, "1/2", low=0.1, high=2),
)
def rate(
    *, accuracy: str, R_rounds: int, M: int, K: int, tau_het: Number, sigma_max: Number, share: Number
) -> dict[str, Any]:
    """Numbers alone, the left side of Theorem 3.1 being the rate itself: what is said of the rate needs no run."""
    one = share / share
    drawn = M * K * R_rounds * one
    bias = tau_het / R_rounds + 1 / (sqrt(K * one) * R_rounds)
    whole = bias + sigma_max**2 / drawn + root_of((sigma_max / drawn) ** 2, one)
    return {
        **{"P2_out": whole, "gap2_out": 0 * one, "far_out": 0 * one, "L_Z": one, "C_1": one},
        **{"gf2_out": whole, "gapw2_out": 0 * one, "gf2_mco": 2 * whole, "N_lev": 1, "L_all": one, "tau_all": 0 * one},
        "eps": share * (whole if accuracy == "the rate" else 4 * tau_het / R_rounds),
        "R_eps": R_rounds,
        "tau_less": tau_het / 2,
    }


enough_steps = rate.narrowed(
    "as many local steps as heterogeneity asks for",
    accuracy=choice("4 tau/R"),
    R_rounds=counts(16, 64, 1024),
    M=counts(2, 1, 10),
    K=counts(16, 17, 64),
    tau_het=reals("1/4", 1),
    sigma_max=reals(1, "1/10", zero=True),
    share=reals(1, 2),
)
