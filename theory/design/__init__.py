"""Best schedules: exponents by an exact linear programme, a finite horizon by a geometric programme."""

from rateproof.theory.design.exponents import (
    BestExponents,
    Form,
    Range,
    Rate,
    best_exponents,
    check_multipliers,
    term_rates,
    worst_rate,
)
from rateproof.theory.design.horizon import (
    BestPoint,
    Minorant,
    Programme,
    Term,
    best_finite_horizon,
    lower_bound,
    programme_of,
)

__all__ = [
    "BestExponents",
    "BestPoint",
    "Form",
    "Minorant",
    "Programme",
    "Range",
    "Rate",
    "Term",
    "best_exponents",
    "best_finite_horizon",
    "check_multipliers",
    "lower_bound",
    "programme_of",
    "term_rates",
    "worst_rate",
]
