"""Runs of FedMSA with one local step a round that are known in closed form, for any number of rounds.

With ``K = 1`` only the means over the clients matter, and clients that differ do no harm.
"""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form import choice, counts, family, hidden, reals
from rateproof.verify.form.arithmetic import Number, geometric, largest, least, sqrt

#: What O(.), Theta(.) and step sizes hide.
CONSTANTS = {name: hidden(1, answers=[name], low=1, high=10) for name in ("c_alpha", "c_beta", "c_rho")}
#: Hypotheses on FedBLO and its maps.
OF_FEDBLO = ("maps of (2)", "map (2)", "D1", "D2", "D3", "D-mean", "smooth_x", "largest")


def answers(
    *,
    R_rounds: int,
    tau_het: Number,
    M: int = 1,
    adds: str = "sum",
    pull: Number = 1,
    P2_out: Number = 0,
    **numbers: Any,
) -> dict[str, Any]:
    """Numbers of a run, and answers for the hypotheses: ``S^{m,n} = pull (z^n - z^{n,*})`` for every client.

    The slopes of the ``P^m`` differ from that of ``P`` by 1/2 where ``P`` is their mean. As a sum ``S^n`` is ``M``
    times every ``S^{m,n}``, so that these differ more.
    """
    one = 1 + 0 * tau_het
    apart = 0 * one if M == 1 else (M - 1) * one if adds == "sum" else one / 2
    beta = least(one, 1 / tau_het) if tau_het != 0 else one
    return {
        **dict.fromkeys(("K", "b_batch", "b_0"), 1),
        **dict.fromkeys(("gap2", "lam_n", "L_hyp", "Lb_p", "lam_47"), one),
        **dict.fromkeys(("gap2_out", "L_z1", "gapw2_out", "var_p", "var_s", "sigma_p", "sigma_n"), 0 * one),
        **{"M": M, "R_rounds": R_rounds, "tau_het": tau_het, "pull": pull * one, "beta_n": beta},
        **dict.fromkeys(("P2_out", "gf2_out"), P2_out * one),
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
        **dict.fromkeys(("K=1 at first", "K at first"), Fact(True, "every round has one local step")),
        **dict.fromkeys(
            ("C", "F"), Fact(apart <= tau_het, f"the slopes of a client and of all differ by at most {apart}")
        ),
        "sum": Fact(adds == "sum" or M == 1, "P is the sum of the P^m"),
        "mean": Fact(adds == "mean" or M == 1, "P is the mean of the P^m"),
        "potential": Fact(True, "in one dimension every field has a potential"),
        "f_below": Fact(True, "f = x^2/2 is at least 0"),
        **dict.fromkeys(OF_FEDBLO, Fact(True, "f^m is a function of x, and g^m = w^2/2")),
        "map (10)": Fact(False, "the maps are those of (2)"),
        "maps of (11)": Fact(False, "P is no derivative of a function of z"),
        **dict.fromkeys(("S-proof", "S-proof, sigma=0"), Fact(False, "the steps are not those of the proof")),
        **numbers,
    }


def of_z(run: dict[str, Any]) -> dict[str, Any]:
    """The same run of z: ``P = 0`` and ``S^m = z``, as where ``f^{m,0} = 0``, maybe with noise, and ``f^{m,1} = z``."""
    not_2 = dict.fromkeys(("maps of (2)", "map (2)"), Fact(False, "f is 0"))
    maps = {**not_2, "maps of (11)": Fact(True, "f^0 = 0, f^1 = z and N = 1")}
    return {**run, "P2_out": run["gap2_out"], "gap2_out": run["P2_out"], "beta_n": run["alpha_x"], **maps}


def root_of(x: Number, one: Number) -> Number:
    """The cubic root."""
    return (x * one) ** (one / 3)


def rho_2(drop: Number, drawn: Number, sigma: Number, R: int) -> Number:
    """The second momentum of the proof, for ``Delta_W L_h = drop`` and ``M K b`` samples."""
    one = 1 + 0 * drop
    return root_of(drop**2 * drawn, one) / root_of(sigma**4 * R**2, one)


def _weighted(u: Number, v: Number, n: int, total: bool = False) -> Number:
    """``sum_{l < n} (v^l - u^l)^2``, or with ``total`` the sum of these sums for all smaller n."""

    def part(q: Number) -> Number:
        return (n - 1 - q * geometric(q, n - 1)) / (1 - q) if total else geometric(q, n)

    return part(v**2) - 2 * part(u * v) + part(u**2)


@family(
    "a parabola with noise",
    of=choice("x", "z"),
    noise=choice("everywhere", "near the start"),
    steps_are=choice("fixed", "proof"),
    first=choice("one", "KR"),
    R_rounds=counts(16, 1, 10**8),
    alpha_tau=reals(1),
    size=reals("1/2", zero=True),
    sigma_max=reals("1/4", zero=True),
    M=counts(2, 1, most=10),
    adds=choice("sum", "mean"),
    tau_het=reals(1),
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
    M: int,
    adds: str,
    tau_het: Number,
    **given: Number,
) -> dict[str, Any]:
    """``P = x`` from ``x_0 = 1``, with noise ``+- size`` of every client, everywhere or only near the start.

    ``of``: the sequence that moves; ``noise``: where there is noise; ``steps_are``: those that the theorem gives, or
    those of its proof; ``first``: samples of the first estimate, one or K R; ``adds``: P is the sum or the mean of the
    clients' maps; ``alpha_tau``: the step alpha as a multiple of 1/tau; ``size``: the noise of a sample.

    ``p^m = w ((1 +- 1/2) x + phi xi)``, where ``w`` is 1, or ``1/M`` if ``P`` is a sum, and ``S = z = 0``. With
    ``a = w alpha`` and ``d_r = h_r/w - x_r``: ``x_{r+1} = (1 - a) x_r - a d_r``. Everywhere ``phi`` is ``size`` and
    ``d_r = (1 - rho) d_{r-1} + rho size xi_r``. Near the start it falls to 0 at ``|x - 1| = a (1 - size)``, where no
    later iterate comes, so that ``d_1 = (1 - rho)(d_0 - size xi_1)`` and ``d_r = (1 - rho) d_{r-1}`` from there on.

    Raises:
        ValueError: a later iterate may come near the start.
    """
    one = size * 0 + 1
    w = one / M if adds == "sum" and of == "x" else one
    steep, b_0 = w * (1 if M == 1 else 3 * one / 2), R_rounds if first == "KR" else 1
    rho, alpha = one / R_rounds, alpha_tau / (tau_het if tau_het != 0 else 1)
    if steps_are == "proof":
        rho = rho_2(one, M, sigma_max, R_rounds) if size != 0 else one
        alpha = least(one, 1 / steep, sqrt(rho * M) / steep, *([1 / tau_het] if tau_het != 0 else []))
    a = w * alpha
    if noise == "near the start" and not (a <= 1 and 2 * size <= 1 - a * (1 - size) and rho <= a):
        raise ValueError(f"size is {size} and a = {a}; later iterates should stay below 1 - a (1 - size)")
    u, v = 1 - a, 1 - rho
    total, last = geometric(u**2, R_rounds), u ** (2 * R_rounds)
    if size != 0:
        weight = (size * a / (a - rho)) ** 2 / M
        total += weight / b_0 * _weighted(u, v, R_rounds)
        last += weight / b_0 * (v**R_rounds - u**R_rounds) ** 2
        if noise == "everywhere":
            total += weight * rho**2 * _weighted(u, v, R_rounds, total=True)
            last += weight * rho**2 * _weighted(u, v, R_rounds)
        else:
            total += weight * v**2 * _weighted(u, v, R_rounds - 1)
            last += weight * (v * (v ** (R_rounds - 1) - u ** (R_rounds - 1))) ** 2
    mean, drop = total / R_rounds, (1 - last) * (1 if of == "z" else one / 2)
    # 1/Delta_W bounds the smoothness of f, which is 1 or 0; without noise rho does not matter
    smooth = one if size == 0 else 1 / drop
    if steps_are == "proof" and size == 0 and sigma_max != 0:
        rho = largest(one / R_rounds, rho_2(drop, M, sigma_max, R_rounds))
    kept = steps_are == "proof" and rho <= 1 and alpha * smooth <= 1 and (size != 0 or alpha * steep <= sqrt(rho * M))
    run = answers(
        M=M,
        R_rounds=R_rounds,
        tau_het=tau_het,
        adds=adds,
        alpha_x=alpha,
        rho_m=rho,
        b_0=b_0,
        sigma_max=sigma_max,
        P2_out=mean,
        Delta_W=drop,
        eps=mean,
        R_eps=R_rounds,
        S_eps=M * (b_0 + R_rounds - 1) + R_rounds,
        L_hyp=smooth,
        Lb_p=steep,
        B=Fact(w * size <= sigma_max, f"the noise has the size {w * size}"),
        var_p=(w * size) ** 2,
        sigma_p=sigma_max,
    )
    run["S-proof" if sigma_max != 0 else "S-proof, sigma=0"] = Fact(kept, "the least of the four bounds of alpha")
    return of_z(run) if of == "z" else run


@family(
    "a run without noise",
    maps=choice("P = J x", "P^1 = P^2 = J x/2", "P = x", "P = 1", "S = -z", "S = 5 z"),
    R_rounds=counts(16, 1, 100),
    **CONSTANTS,
)
def linear(*, maps: str, R_rounds: int, **given: Number) -> dict[str, Any]:
    """From ``|x_0| = 1``, or for S with ``P = 0`` from ``z_0 = 1``, ``rho = 1/R`` and ``tau = 1``; J is a quarter turn.

    One client but for ``P^1 = P^2``, and ``S = z = 0`` but where S is given. A constant map has every Lipschitz
    constant: what A3 and A4 say of S is so for all slopes.

    ``maps``: those that are not 0.
    """
    one = given["c_rho"] / given["c_rho"]
    rho = one / R_rounds
    run: dict[str, Any] = {"alpha_x": one, "rho_m": rho, "b_0": R_rounds, "sigma_max": one}
    if "J" in maps:
        M = 2 if "2" in maps else 1
        run |= {
            "M": M,
            "b_0": 1 if M == 2 else R_rounds,
            "alpha_x": M * one / 4,
            "sigma_max": 0 * one,
            "P2_out": _mean(1 + one / 16, R_rounds),
        }
        run |= {"potential": Fact(False, "the Jacobian of a gradient is symmetric"), "f_below": Fact(False, "no f")}
    elif maps == "P = x":
        run |= {"alpha_x": rho, "sigma_max": 0 * one, "P2_out": _mean((1 - rho) ** 2, R_rounds)}
    elif maps == "P = 1":  # f = x falls by 1 in a round, so that rho_2 = 1
        run |= {"rho_m": one, "P2_out": one, "Delta_W": R_rounds * one}
        run |= {"f_below": Fact(False, "f = x"), "S-proof": Fact(True, "all four bounds of alpha are at least 1")}
    else:
        pull = -one if "-" in maps else 5 * one
        beta = one / 2 if pull > 1 else sqrt(rho) / 2
        run |= {"pull": pull, "alpha_x": sqrt(rho), "beta_n": beta, "gap2_out": _mean((1 - beta * pull) ** 2, R_rounds)}
        run |= {"L_hyp": 0 * one, "S-proof": Fact(True, "the steps are those of the proof, with Delta_W L_h = 0")}
    return answers(R_rounds=R_rounds, tau_het=one, **run)


def _mean(factor: Number, R: int) -> Number:
    """The mean of what is 1 at first and grows by a factor in each round."""
    return geometric(factor, R) / R


@family(
    "rounds of many steps",
    of=choice("x", "z"),
    first=choice("K steps", "one step"),
    batch=choice("KR", "one"),
    R_rounds=counts(16, 1, 10**8),
    K=counts(16, 1, 10**4),
    start=reals(2, 1),
    sigma_max=reals("1/2", 1),
    tau_het=reals(1, zero=True),
    **CONSTANTS,
)
def many_steps(
    *,
    of: str,
    first: str,
    batch: str,
    R_rounds: int,
    K: int,
    start: Number,
    sigma_max: Number,
    tau_het: Number,
    **given: Number,
) -> dict[str, Any]:
    """``P = x`` for one client without noise, ``alpha = 1/(tau K)``, or ``K^(-1/2)`` for ``tau = 0``.

    The output is one of the points where a local step starts: of one round with one step that is ``x_0``.

    ``of``: whether x or z moves; ``first``: how long the first round is; ``batch``: the samples of a client at the
    start; ``start``: where the run starts.
    """
    one = 1 + 0 * start
    steps = K * R_rounds if first == "K steps" else K * (R_rounds - 1) + 1
    square = 1 / (tau_het * K) ** 2 if tau_het != 0 else one / K
    alpha = sqrt(square)
    reached = start**2 * geometric((1 - alpha) ** 2, steps) / steps
    drop = start**2 * (1 if of == "z" else one / 2) * (1 - (1 - alpha) ** (2 * steps))
    first_rho, second_rho = one / R_rounds, rho_2(drop, K, sigma_max, R_rounds)
    rho = first_rho if second_rho <= first_rho else second_rho
    least_of_four = rho <= 1 and square * K <= 1 and square * K <= rho
    run = answers(
        R_rounds=R_rounds,
        tau_het=tau_het,
        alpha_x=alpha,
        rho_m=rho,
        sigma_max=sigma_max,
        K=K,
        b_0=K * R_rounds if batch == "KR" else 1,
        P2_out=reached,
        eps=reached,
        R_eps=R_rounds,
        S_eps=K * (3 * R_rounds - 1),
    )
    run |= {
        "K=1 at first": Fact(K == 1 or first == "one step", f"the first round has {first}, and K is {K}"),
        "K at first": Fact(K == 1 or first == "K steps", f"the first round has {first}, and K is {K}"),
        "S-proof": Fact(least_of_four, "alpha is the least of the four bounds"),
    }
    return of_z(run) if of == "z" else run


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
    """``rho`` is the larger of ``rho_1`` and ``rho_2``, and ``alpha`` the least of its four bounds.

    ``factor``: what multiplies the constants.
    """
    one = tau_het / tau_het
    drawn = M * K * b_batch * one
    rho = largest(one / R_rounds, rho_2(Delta_W * L_hyp, drawn, sigma_max, R_rounds))
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
    apart=reals(0, 1, zero=True),
    L_Z=reals(1),
    of=choice("x"),
)
def rate(
    *,
    accuracy: str,
    L_Z: Number,
    of: str,
    R_rounds: int,
    M: int,
    K: int,
    tau_het: Number,
    sigma_max: Number,
    share: Number,
    apart: Number,
) -> dict[str, Any]:
    """Numbers alone, the left side of Theorem 3.1 being the rate itself: what is said of the rate needs no run.

    ``accuracy``: what eps is a share of; ``share``: what multiplies it in eps; ``apart``: by how much the clients
    differ; ``of``: whether x or z moves.
    """
    one = share / share
    drawn = M * K * R_rounds * one
    bias = tau_het / R_rounds + 1 / (sqrt(K * one) * R_rounds)
    whole = bias + sigma_max**2 / drawn + root_of((sigma_max / drawn) ** 2, one)
    return {
        **{"P2_out": whole, "gap2_out": 0 * one, "far_out": 0 * one, "C_1": one},
        **{"gf2_out": whole + 2 * apart**4, "gapw2_out": 0 * one, "delta_f": apart**2, "bias2": apart**4},
        **({"gf2_out": 0 * one, "gapw2_out": 2 * whole / L_Z**2} if of == "z" else {}),
        **{"N_lev": 1, "L_all": one, "tau_all": apart},
        "eps": share * (whole if accuracy == "the rate" else 4 * tau_het / R_rounds),
        "R_eps": R_rounds,
        "tau_less": tau_het / 2,
    }


#: As many local steps as heterogeneity, or noise, asks for.
enough_steps = rate.narrowed(
    "as many local steps as heterogeneity asks for",
    accuracy=choice("4 tau/R"),
    R_rounds=counts(16, 64, 1024),
    M=counts(2, 1, 10),
    K=counts(16, 17, 64),
    tau_het=reals("1/4", 1),
    sigma_max=reals(1, "1/10", zero=True),
    share=reals(1, 2),
    L_Z=reals(1, 10),
    of=choice("x", "z"),
)
MANY_STEPS = (
    enough_steps,
    enough_steps.narrowed(
        "far more noise",
        R_rounds=counts(16),
        M=counts(1),
        K=counts(10**4),
        tau_het=reals(1),
        sigma_max=reals(100),
        share=reals(2),
    ),
    enough_steps.narrowed("one step", K=counts(1), tau_het=reals(4), sigma_max=reals(0), share=reals(2)),
)
