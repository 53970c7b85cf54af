"""Along which instances the rates of the paper are tried: rounds, clients and local steps that grow."""

from rateproof.verify.form import choice, climb, counts
from rateproof.verify.papers.mefbo.runs import (
    along_a_slope,
    clients_at_rest,
    identical_clients,
    noise_alone,
    noise_at_an_end,
    pulled_by_the_upper_level,
)

ROUNDS = [16**k for k in (1, 3, 5, 7, 9)]
CROWDS = [4 * 16**k for k in range(5)]
LARGER_CROWDS = [64 * 11**k for k in range(5)]
#: Local steps, as many as rounds.
LONG = [1024 * 64**k for k in range(5)]

NOISE = climb(noise_at_an_end, "T -> infinity", "the measure does not become smaller", T_rounds=ROUNDS)
NOISE_ALONE = climb(
    noise_alone,
    "T -> infinity",
    "every round moves y by the noise",
    T_rounds=[3000 * 120**k for k in range(5)],
    L_2="1/4",
    gamma="3/2",
    c_lam=2,
)
ONE_CLIENT = climb(
    noise_at_an_end, "T -> infinity", "the measure does not become smaller", T_rounds=ROUNDS, n_cl=1, P=1
)
DECREASING = climb(
    noise_at_an_end,
    "T -> infinity",
    "the measure is 1/(4 c_t^2)",
    T_rounds=ROUNDS,
    level="upper",
    steps_are="decreasing",
    p_c="1/64",
    q_s="11/20",
)
one_of_two = noise_at_an_end.narrowed(
    "noise at the end of an interval, one of two clients",
    level=choice("upper"),
    steps_are=choice("fixed"),
    n_cl=counts(2, most=2),
    P=counts(1, most=1),
)
#: At ``p = 1/16`` an accuracy ``eps`` needs ``T`` with ``T^(-1/8)/2 = eps``.
SOME_CLIENTS = climb(one_of_two, "eps -> 0", "the measure is 1/(2 c_t^2)", T_rounds=ROUNDS)
CROWD = climb(identical_clients, "n = P -> infinity", "nothing depends on P", n_cl=CROWDS, P=CROWDS, T_rounds=1)
#: Rounds as many as the square of the clients, so that the terms in T^-1 do not count.
SLOPE = climb(
    along_a_slope,
    "n = P -> infinity, T = P^2",
    "nothing depends on P, but the step T^(-1/2)",
    n_cl=LARGER_CROWDS,
    P=LARGER_CROWDS,
    T_rounds=[P**2 for P in LARGER_CROWDS],
    c_lam=1,
    p_c="1/256",
)
#: One client without constraints.
alone_along_a_slope = along_a_slope.narrowed("one client along a slope", n_cl=counts(1, most=1), P=counts(1, most=1))
ALONE = climb(alone_along_a_slope, "T -> infinity", "the start is worth the same", T_rounds=ROUNDS)
DRIFT = climb(
    clients_at_rest,
    "T = tau -> infinity",
    "local steps end where G is not least, by tau eta of the order tau^(1/8) T^(-1/4)",
    T_rounds=LONG,
    tau=LONG,
    c_eta=1,
)
AT_THE_SOLUTION = climb(
    pulled_by_the_upper_level,
    "T -> infinity",
    "grad F is not 0 at the solution",
    T_rounds=ROUNDS,
    q_s="11/20",
    p_c="1/64",
)
