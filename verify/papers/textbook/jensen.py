"""Jensen's inequality for powers: N numbers."""

from __future__ import annotations

from typing import Any

from rateproof.theory.papers.textbook import jensen as claims
from rateproof.theory.symbols import N as NUMBERS
from rateproof.verify.form import counts, family, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.planted.mutate import Sharp


@family(
    "N numbers",
    N=counts(2, 1, 10, 1000),
    p_J=reals(2, 1, 1.5, 4, 0.5, low=0.1, high=10),
    first=reals(1, 3, 0, zero=True),
    others=reals(1, 0, zero=True),
)
def n_numbers(*, N: int, p_J: Number, first: Number, others: Number) -> dict[str, Any]:
    """One number, and N - 1 others that are equal.

    ``first``: the first number; ``others``: all other numbers.
    """
    total = first + (N - 1) * others
    return {"power_of_sum": total**p_J, "sum_of_powers": first**p_J + (N - 1) * others**p_J}


JENSEN_POWERS = record(
    claims.JENSEN_POWERS,
    families=[n_numbers],
    tight=Sharp(exponents=(NUMBERS,), hypotheses=("p>=1",)),
)
