"""Theorem 3.4 without constraints: on short runs with all outcomes, and on a slope, where it is tight but for 8."""

from rateproof.theory.papers.mefbo import unconstrained as claims
from rateproof.verify.form import choice, counts, reals, record
from rateproof.verify.papers.mefbo.rates import one_of_two, short_run
from rateproof.verify.papers.mefbo.runs import along_a_slope

_FREE = dict.fromkeys(("X", "Y"), choice("line"))
free_run = short_run.narrowed("a run of MeFBO without constraints", **_FREE, steps_are=choice("fixed"))
free_of_two = one_of_two.narrowed("one of two clients, without constraints", **_FREE, steps_are=choice("fixed"))
long_slope = along_a_slope.narrowed(
    "identical clients along a slope, with one penalty",
    p_c=reals(0),
    T_rounds=counts(10**8, 16, 1),
    c_lam=reals("1/80"),
)
THEOREM34_FREE = record(claims.THEOREM34_FREE, families=[free_run, free_of_two, long_slope])
