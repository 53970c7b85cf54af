"""Families of the single level, measured in exact rationals (balls where a power is too long).

Each measure takes the parameters of an instance and returns numbers by symbol name and the structural hypotheses that
hold, with reasons. All but the discs are on the line, where a direction is ``+-eta`` with equal probabilities.

``eta``: smoothing parameter and that of the Moreau terms; ``gamma``: stepsize; ``m``: number of clients; ``H``: local
steps of a round; ``K``: index of the last iterate; ``epsilon``: the accuracy that is asked for; ``L0``: slope of the
losses; ``nu``: size of the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.counterexamples.replay import Number, power, rational, root
from rateproof.verify.form import choice, counts, family, reals
from rateproof.verify.ground_truths import stationarity
from rateproof.verify.papers.fedrzo.single.cone import cone_and_half_space, touching_discs
from rateproof.verify.papers.fedrzo.single.crossing import crossing_lines, noisy_bend, noisy_half_lines, overshot_pair
from rateproof.verify.papers.fedrzo.single.dependent import tied_sectors, tied_signs
from rateproof.verify.papers.fedrzo.single.jumps import jumping_clients, jumping_iterates, pulled_iterates, stray_step
from rateproof.verify.papers.fedrzo.single.parameters import (
    NO_NOISE,
    NO_SETS,
    POINT,
    RUN,
    Measured,
    long_horizon,
    numbers,
    whole,
)

# --- Algorithm 1 on the line

#: What holds of exact values on the sets {0}.
STANDING = {**NO_NOISE, **POINT, **RUN}


@family(
    "opposite clients",
    L0=reals(1, 10),
    nu=reals("1/1000"),
    eta=reals("1/36", 1, "1/1200"),
    gamma=reals("1/12", "1/1200"),
    H=counts(2, 3, 10, most=10),
    k=counts(3, 1, 2, 5, 19, most=30),
)
def opposite_clients(*, L0: Number, nu: Number, eta: Number, gamma: Number, H: int, k: int) -> dict[str, Any]:
    """Two clients with the losses ``+-L0 x`` and the sets {0}, from 0, at iterate k: exact values, so no randomness.

    The mean of both stays at 0, where F_eta is stationary; the clients drift apart in each round.

    ``eta``: the regularisation parameter; ``k``: the iterate that is looked at.
    """
    zero = 0 * eta
    x, errors = [zero, zero], zero
    for t in range(k + 1):
        mean = (x[0] + x[1]) / 2
        if t % H == 0:
            x, errors = [mean, mean], zero
        if t < k:
            errors = errors + ((x[0] - mean) ** 2 + (x[1] - mean) ** 2) / 2
            x = [x[0] - gamma * (L0 + x[0] / eta), x[1] - gamma * (-L0 + x[1] / eta)]
    mean = (x[0] + x[1]) / 2
    apart = ((x[0] - mean) ** 2 + (x[1] - mean) ** 2) / 2
    return {
        "n": 1,
        "m": 2,
        "B1": 0,
        "B2": 1,
        "eta_s": eta,
        "k_it": k,
        "j_k": k % H,
        "eb": apart,
        "E_eb": apart,
        "mean_sq_G": (x[0] ** 2 + x[1] ** 2) / 2 / eta**2,
        "sq_grad": (mean / eta) ** 2,
        "sum_eb": errors,
        "sum_grad": zero,
        "split_d": apart / eta**2,
        "mean_sq_pp": apart,
        "mean_sq_d": (mean / eta) ** 2,
        "mean_dist2_xb": mean**2,
        "lipschitz": Fact(True, f"the losses +-{L0} x"),
        "r>0": Fact(k >= H, f"k = {k}, H = {H}"),
        **{key: Fact(True, why) for key, why in STANDING.items()},
    }


@family(
    "one client confined",
    L0=reals(1),
    nu=reals("1/1000"),
    eta=reals(1),
    gamma=reals("1/8", "1/64"),
    root_m=counts(5, 11, most=11),
    H=counts(2, 16, most=16),
    rounds=counts(300, 3000, most=1000),
    j=counts(1, 0, 15, most=16),
    told=choice("B1", "B2"),
)
def confined_client(
    *, L0: Number, nu: Number, eta: Number, gamma: Number, root_m: int, H: int, rounds: int, j: int, told: str
) -> dict[str, Any]:
    """``m = root_m^2 + 1`` clients with the loss ``-L0 x``; the sets are {0} for one, ``|x| <= 2 m eta L0`` for others.

    From 0 they approach a point near ``m eta L0``, where F_eta is stationary and one client alone is far outside of
    its set: only the sets, which differ, are at work. Their heterogeneity is told as ``B_1`` (with ``B_2 = 1``) or as
    ``B_2`` (with ``B_1 = 0``). The iterate is the j-th of a round.
    """
    m = root_m**2 + 1
    reach, q = 2 * m * eta * L0, 1 - gamma / eta

    def averaged(first: Number, others: Number) -> Number:
        return (first + (m - 1) * others) / m

    def moved(x: Number, steps: int) -> tuple[Number, Number]:
        """The points of the first client and of the others, which do not leave their set."""
        return eta * L0 + (x - eta * L0) * q**steps, x + steps * gamma * L0

    # a round is affine: x <- pulled x + pushed
    pushed = averaged(*moved(0 * eta, H))
    pulled = averaged(*moved(0 * eta + 1, H)) - pushed
    start = pushed * (1 - pulled**rounds) / (1 - pulled)
    run = [moved(start, t) for t in range(j + 1)]
    means = [averaged(*x) for x in run]
    apart = [averaged((x[0] - mean) ** 2, (x[1] - mean) ** 2) for x, mean in zip(run, means, strict=True)]
    gone = [averaged((x[0] - start) * (x[0] - start), (x[1] - start) * (x[1] - start)) for x in run]
    slopes = [mean / (m * eta) - L0 for mean in means]
    inside = max(run[-1][1], means[-1]) <= reach
    return {
        "n": 1,
        "m": m,
        "B1": reach * root_m / m if told == "B1" else 0 * eta,
        "B2": 1 if told == "B1" else root_m + 1,
        "eta_s": eta,
        "k_it": rounds * H + j,
        "j_k": j,
        "eb": apart[-1],
        "E_eb": apart[-1],
        "mean_sq_G": averaged(run[-1][0] ** 2, 0 * eta) / eta**2,
        "sq_grad": slopes[-1] ** 2,
        "eh": gone[-1],
        "sum_eh": sum(gone[:-1], 0 * eta),
        "sum_eb": sum(apart[:-1], 0 * eta),
        "sum_grad": sum((slope**2 for slope in slopes[:-1]), 0 * eta),
        **{key: Fact(True, why) for key, why in {**NO_NOISE, **RUN}.items()},
        "lipschitz": Fact(True, f"the losses -{L0} x"),
        "sets": Fact(True, "the point 0, and an interval about it"),
        "algorithm1": Fact(inside, "the recursion of Algorithm 1 from x = 0, in X"),
        "r>0": Fact(rounds > 0, f"{rounds} rounds before"),
        # the distances d_i to the sets differ by at most the reach, so mean d_i^2 - (mean d_i)^2 <= reach^2 (m - 1)/m^2
        # and mean d_i^2 <= m (mean d_i)^2
        "dissimilarity": Fact(True, "B_1^2 = reach^2 (m - 1)/m^2 with B_2 = 1, or B_1 = 0 with B_2^2 >= m"),
    }


def noisy_clients(at: Mapping[str, Any]) -> Measured:
    """m clients with the loss ``L0 x + nu xi s(x)``, xi = +-1 and s(x) = (-1)^floor(x/eta), and the sets {0}, from 0.

    As s(x +- eta) = -s(x), every estimate is L0 +- 2 nu/eta with equal probabilities, wherever the client is. The
    gradient of F_eta at the mean of the clients is L0 + xbar/eta; it follows ``G <- (1 - gamma/eta) G + noise``
    whatever H is, with E noise^2 = (gamma/eta)^2 (4 nu^2/eta^2)/m.
    """
    L0, nu, eta, gamma, m, H, K_ = numbers(at, "L0", "nu", "eta", "gamma", "m", "H", "K")
    return _noisy(L0, nu, eta, gamma, m, H, whole("K", K_))


def _noisy(L0: Number, nu: Number, eta: Number, gamma: Number, m: Number, H: Number, K: int) -> Measured:
    q = gamma / eta
    rate, noise = (1 - q) ** 2, q**2 * 4 * nu**2 / (eta**2 * m)
    level = noise / (1 - rate)

    def second(k: int) -> Number:
        return level + (L0**2 - level) * power(rate, rational(k))

    count = rational(K + 1)
    total = level * count + (L0**2 - level) * (1 - power(rate, count)) / (1 - rate)
    values = {
        "n": rational(1),
        "m": m,
        "L0": L0,
        "nu": nu,
        "B1": rational(0),
        "B2": rational(1),
        "eta_s": eta,
        "gamma": gamma,
        "H": H,
        "K_it": rational(K),
        "k_it": rational(K),
        # F_eta(x) = L0 x + x^2/(2 eta) = eta G^2/2 + constant
        "D0": eta * L0**2 / 2,
        "grad_kstar": total / count,
        "E_sq_grad": second(K),
        "E_F_now": eta * second(K) / 2,
        "E_F_next": eta * second(K + 1) / 2,
    }
    facts = {
        "lipschitz": f"every f_i is {L0} x",
        "unbiased": "xi has mean 0",
        "variance_bounded": "|xi s(x)| = 1",
        **POINT,
        **RUN,
    }
    if H == 1 or m == 1:
        values["E_eb"] = rational(0)
    return values, facts


def noisy_horizon(at: Mapping[str, Any]) -> Measured:
    """The noisy clients with gamma = sqrt(m/K) for a square m/K: K iterations miss the accuracy epsilon.

    So K_eps, from which on it is kept, is more than K; K stands for it.
    """
    L0, nu, eta, m, epsilon, K_ = numbers(at, "L0", "nu", "eta", "m", "epsilon", "K")
    gamma, fourth = root(m / K_, 2), K_ / m**3
    H = 1
    while rational(H) ** 4 < fourth:
        H += 1
    values, facts = _noisy(L0, nu, eta, gamma, m, rational(H), whole("K", K_))
    if not values["grad_kstar"] > epsilon:
        raise ValueError(f"{K_} iterations reach the accuracy {epsilon}")
    more = {"K_eps": K_, "epsilon": epsilon}
    return values | more, facts | {"K_eps": f"{K_} iterations give more than {epsilon}, so K_eps is larger"}


def kink_step(at: Mapping[str, Any]) -> Measured:
    """One client with the loss L0 |x| and the set {0}: the first step from 0, where every estimate is +-L0.

    F_eta(x) = L0 (x^2 + eta^2)/(2 eta) + x^2/(2 eta) for |x| <= eta.
    """
    L0, nu, eta, gamma = numbers(at, "L0", "nu", "eta", "gamma")
    if not gamma * L0 <= eta:
        raise ValueError("the step should stay within eta of 0")

    def value(x: Number) -> Number:
        return (L0 * (x**2 + eta**2) + x**2) / (2 * eta)

    values = {
        "n": rational(1),
        "m": rational(1),
        "L0": L0,
        "nu": nu,
        "B1": rational(0),
        "B2": rational(1),
        "eta_s": eta,
        "gamma": gamma,
        "H": rational(1),
        "F_now": value(rational(0)),
        "F_next": value(gamma * L0),
        "E_sq_grad": rational(0),
        "E_eb": rational(0),
        "E_F_now": value(rational(0)),
        "E_F_next": value(gamma * L0),
        "ip_path": rational(0),
        "sq_path": L0**2,
    }
    return values, {"lipschitz": f"{L0} |x|", **NO_NOISE, **POINT, **RUN}


def noisy_kink(at: Mapping[str, Any]) -> Measured:
    """m clients with the loss ``L0 |x| + noise xi s(x)``, as for noisy clients, and the set {0} or, if free, the line.

    They start at 0, the minimiser of F_eta, and K rounds of one step each hold them within R <= eta. There
    grad F_eta = h x/eta with h = L0 + 1, or h = L0 if free, and the errors of the estimates are +-L0 (1 - |x|/eta)
    plus +-2 noise/eta, so E G^2 grows at least like G <- (1 - h gamma/eta) G + error with
    E error^2 = (h gamma/eta)^2 (L0^2 (1 - R/eta)^2 + 4 noise^2/eta^2)/m. What is told of the gradient is this bound.
    """
    L0, noise, nu, eta, gamma, m, K_, free = numbers(at, "L0", "noise", "nu", "eta", "gamma", "m", "K", "free")
    count = rational(whole("K", K_) + 1)
    h = L0 + 1 - free
    q = gamma * h / eta
    rate = (1 - q) ** 2
    reach = gamma * (L0 + 2 * noise / eta) * (1 - power(1 - q, K_)) / q
    if not (free in (0, 1) and 0 <= noise <= nu and 0 < q < 1 and reach <= eta):
        raise ValueError("noise should be at most nu, and the steps should stay within eta of 0")
    level = q**2 * (L0**2 * (1 - reach / eta) ** 2 + 4 * noise**2 / eta**2) / m / (1 - rate)
    values = {
        **{"n": rational(1), "m": m, "L0": L0, "nu": nu, "B1": rational(0), "B2": 1 - free},
        **{"eta_s": eta, "gamma": gamma, "H": rational(1), "K_it": K_, "D0": rational(0)},
        "grad_kstar": level * (1 - (1 - power(rate, count)) / (count * (1 - rate))),
    }
    facts = {
        "lipschitz": f"every f_i is {L0} |x|",
        "unbiased": "xi has mean 0",
        "variance_bounded": "|xi s(x)| = 1, and the noise is at most nu",
        **POINT,
        **RUN,
    }
    return values, facts | (NO_SETS if free == 1 else {})


def sampled_kink(at: Mapping[str, Any]) -> Measured:
    """The noisy kink with the set {0}, for long runs: of the errors of an estimate only the noise is counted.

    With h = L0 + 1 the gradient h x/eta falls short of that beyond eta, so E x^2 grows at least like
    ``E x^2 <- (1 - 2 h gamma/eta) E x^2 + gamma^2 4 noise^2/(eta^2 m)``. What lies beyond eta is at most E x^4/eta^2:
    a step contracts by ``kept = 1 - gamma/eta``, its error has second and fourth moments of at most size^2/m and
    4 size^4/m^2 for size = L0 + 2 noise/eta, and both signs are equally likely.
    """
    L0, noise, nu, eta, gamma, m, K_ = numbers(at, "L0", "noise", "nu", "eta", "gamma", "m", "K")
    count, h = rational(whole("K", K_) + 1), L0 + 1
    rate, kept, size = 1 - 2 * h * gamma / eta, 1 - gamma / eta, L0 + 2 * noise / eta
    if not (0 <= noise <= nu and rate > 0):
        raise ValueError("noise should be at most nu, and the step be less than half of the curvature's inverse")
    level = gamma**2 * 4 * noise**2 / eta**2 / m / (1 - rate)
    error = (gamma * size) ** 2 / m
    fourth = (6 * kept**2 * error**2 / (1 - kept**2) + 4 * error**2) / (1 - kept**4)
    square = level * (1 - (1 - power(rate, count)) / (count * (1 - rate))) - fourth / eta**2
    values = {
        **{"n": rational(1), "m": m, "L0": L0, "nu": nu, "B1": rational(0), "B2": rational(1), "eta_s": eta},
        **{"gamma": gamma, "H": rational(1), "K_it": K_, "D0": rational(0)},
        "grad_kstar": max(square, 0 * square) * (h / eta) ** 2,
    }
    facts = {
        "lipschitz": f"every f_i is {L0} |x|",
        "unbiased": "xi has mean 0",
        "variance_bounded": "|xi s(x)| = 1, and the noise is at most nu",
        **POINT,
        **RUN,
    }
    return values, facts


def bent_clients(at: Mapping[str, Any]) -> Measured:
    """Half of m clients have the loss ``L0 |x|``, the others ``-slope x``; no sets, exact values, rounds of two steps.

    While |x| <= eta all gradients are affine, and so is the mean of a round. The start is its fixed point, where
    grad F_eta = G is not 0, as the clients with the kink move while the slope of their f_eta does: it is G on average
    at every start of a round, and (1 - L0 gamma/(2 eta)) G one step later, so E G^2 is at least the square. ``held``
    is 1 if a client keeps its direction for both steps.

    No course leaves [-eta, eta]: an estimate of the one half at x > 0 is L0 or ``L0 (2 x/eta - 1)``, and at x < 0 -L0
    or ``L0 (1 - 2 |x|/eta)``, so a round goes back from where these exceed the slope, or are less.
    """
    L0, slope, eta, gamma, m, K_, held, nu = numbers(at, "L0", "slope", "eta", "gamma", "m", "K", "held", "nu")
    q, steps = gamma * L0 / eta, whole("K", K_) + 1
    pull = (2 * slope - q * L0) / (2 - 2 * q) if held == 1 else 2 * slope / (2 - q)
    start, stray = pull * eta / L0, 4 * gamma * L0
    # beyond these, the estimates of a round sum up to at least 2 slope, or at most that, for every client with the kink
    highest, lowest = (1 + slope / (L0 * (1 - q))) * eta / 2, (slope / L0 - 1) * eta / 2
    inside = -eta <= min(start, lowest) - stray and max(start, highest) + stray <= eta
    if held not in (0, 1) or not 0 < slope < L0 * (1 - 4 * q) or not inside or m.p % 2:
        raise ValueError("the clients should be even in number, and no course leave [-eta, eta]")
    G = (pull - slope) / 2
    square = L0**2 * (1 + (1 - 2 * start / eta) ** 2) / 2  # mean of a squared estimate at a kink
    values = {
        **{"n": rational(1), "m": m, "L0": L0, "nu": nu, "B1": rational(0), "B2": rational(0)},
        **{"eta_s": eta, "gamma": gamma, "H": rational(2), "K_it": K_},
        # the curvature of F_eta is L0/(2 eta) between the start and its minimiser slope eta/L0
        "D0": G**2 * eta / L0,
        "grad_kstar": G**2 * (1 + (1 - q / 2) ** 2) * (steps // 2) / steps,
        # one step into a round; F_eta is G^2 eta/L0 at the mean point, and more by a variance of at most that of a step
        "E_sq_grad": (1 - q / 2) ** 2 * G**2,
        "E_F_now": (1 - q / 2) ** 2 * G**2 * eta / L0 + L0 / (4 * eta) * gamma**2 * L0**2 / (2 * m),
        "E_F_next": G**2 * eta / L0,
        "E_eb": gamma**2 * (square / 2 + slope**2 / 2 - G**2 - (square - (start * L0 / eta) ** 2) / (2 * m)),
    }
    facts = {
        "lipschitz": f"{L0} |x| and -{slope} x",
        **{**NO_NOISE, **RUN, **NO_SETS},
        "algorithm1": "the recursion of Algorithm 1 from the fixed point",
    }
    if held == 1:
        del facts["fresh"], facts["fresh_clients"]
    return values, facts


# --- points


def two_discs(at: Mapping[str, Any]) -> Measured:
    """The unit discs around (1, 0) and (-1, 0), which meet in 0, and f(x) = L0 x_2: the minimiser of F_eta is (0, -t).

    t = 2 s/(1 - s^2) and eta = 4 s^3/((1 - s^4) L0) make all numbers rational: the projections of (0, -t) are on the
    rays to the centres, at distance sqrt(1 + t^2) - 1 = 2 s^2/(1 - s^2).

    ``s``: sets the regularisation parameter, which falls like s^3.

    The output of (Meta-ZO) with gamma = sqrt(m/K) tends to it: E||grad F_eta(x_{k*})||^2 -> 0 (prop1.i.corrected with
    H = 1, whose bounds on gamma tend to 0), and F_eta is convex with one minimiser, so that ||grad F_eta|| is at least
    a multiple of the distance from it outside of any ball around it.
    """
    L0, s = numbers(at, "L0", "s")
    if not 0 < s < 1:
        raise ValueError(f"s is {s}; it should lie between 0 and 1")
    t, eta = 2 * s / (1 - s**2), 4 * s**3 / ((1 - s**4) * L0)
    ray = (1 + s**2) / (1 - s**2)
    if ray**2 != 1 + t**2:
        raise ValueError("the distance from the centres is wrong")
    # x - P_i(x) = (x - c_i)(1 - 1/ray); the first coordinates of both cancel
    slope = L0 + (-t * (1 - 1 / ray)) / eta
    if slope != 0:
        raise ValueError("the point is not stationary")
    values = {
        "n": rational(2),
        "m": rational(2),
        "L0": L0,
        "nu": rational(1),
        "B1": rational(2),
        "B2": rational(1),
        "eta_s": eta,
        **long_horizon(rational(2)),
        "dist_X": t,
        "dist_limit": t,
        "norm_grad_F": rational(0),
    }
    facts = {
        "lipschitz": f"the loss {L0} x_2",
        **NO_NOISE,
        "sets": "discs",
        "dissimilarity": "B_2 = 1, B_1^2 = 4: mean dist^2 exceeds ||x - mean P_i||^2 by the variance of the P_i, and "
        "||P_1 - P_2|| <= 4",
        "solution": "F_eta is convex and its gradient vanishes at x",
        "meta_zo": "the recursion with gamma = sqrt(m/K), from 0, where the discs meet",
        "fresh": RUN["fresh"],
        "k*": RUN["k*"],
    }
    return values, facts


def line_point(at: Mapping[str, Any]) -> Measured:
    """A point x of the line, a loss ``slope x + sum_j w_j |x - c_j|`` and the set [low, high] of all clients.

    ``kinks``: weights w_j and points c_j of the loss; ``slope``: its slope besides; ``low``: lower end of the set;
    ``high``: its upper end; ``delta``: radius of the Goldstein set; ``x``: the point that is looked at.
    """
    names = ("slope", "low", "high", "eta", "delta", "x", "m")
    slope, low, high, eta, delta, x, m = (Fraction(str(v)) for v in numbers({k: at[k] for k in names}, *names))
    f = stationarity.kinks([(Fraction(str(w)), Fraction(str(c))) for w, c in at["kinks"]], slope=slope)
    X = stationarity.Interval(low, high)
    gradient = stationarity.penalised_gradient(f, x, eta, [X])
    nearest = X.project(x)
    assert isinstance(nearest, Fraction)
    values = {
        "n": Fraction(1),
        "m": m,
        "L0": f.lipschitz,
        "nu": Fraction(1),
        "B1": Fraction(0),
        "B2": Fraction(1),
        "eta_s": eta,
        "delta": delta,
        "norm_res": abs(x - nearest),
        "gold": stationarity.goldstein(f, x, delta, X).distance(Fraction(0)),
        "gold_2eta": stationarity.goldstein(f, x, 2 * eta, X).distance(Fraction(0)),
    }
    if any(v == float("inf") for v in values.values()):
        raise ValueError("no point of the set lies within the radius; the Goldstein set is empty")
    facts = {
        "lipschitz": f"its slopes are at most {f.lipschitz}",
        **NO_NOISE,
        "sets": "an interval",
        "dissimilarity": POINT["dissimilarity"],
        "identical": "one set for all",
    }
    if gradient == 0:
        facts["stationary"] = "the gradient of F_eta is 0 exactly"
    return {name: rational(str(v)) for name, v in values.items()}, facts


MEASURES: dict[str, Callable[[Mapping[str, Any]], Measured]] = {
    "opposite clients": opposite_clients.exact,
    "one client confined": confined_client.exact,
    "noisy clients": noisy_clients,
    "noisy clients over a horizon": noisy_horizon,
    "jumping clients": jumping_clients,
    "jumping iterates": jumping_iterates,
    "pulled iterates": pulled_iterates,
    "stray step": stray_step,
    "kink step": kink_step,
    "noisy kink": noisy_kink,
    "sampled kink": sampled_kink,
    "bent clients": bent_clients,
    "crossing lines": crossing_lines,
    "noisy half-lines": noisy_half_lines,
    "noisy bend": noisy_bend,
    "overshot pair": overshot_pair,
    "two discs": two_discs,
    "point of the line": line_point,
    "tied signs": tied_signs,
    "tied sectors": tied_sectors,
    "cone and half-space": cone_and_half_space,
    "touching discs": touching_discs,
}
