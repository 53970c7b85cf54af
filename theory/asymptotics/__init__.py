"""Leading terms of bounds, exact exponents, and the inversion of a bound to a complexity.

Everything holds up to numeric factors, for a variable that tends to infinity (an accuracy ``epsilon`` to zero) while
all other symbols stay fixed. Every symbol counts as positive, and one declared negative is refused; the logarithm of
a fixed symbol has a sign where the symbol is known to be above or below one: with ``parameters=(delta < 1,)`` a
confidence's ``log(1/delta)`` is positive. Exponents may be symbolic, and logarithms are kept apart from powers. Which
of two terms is larger is decided from the sign assumptions of the symbols in their exponents and from linear relations
between them, never from a limit; what these do not decide is kept, split into regions, or refused by name.
"""

from rateproof.theory.asymptotics.comparison import VERDICTS, Comparison, Entry, Mismatch, Pair, Piece, compare, entry
from rateproof.theory.asymptotics.domain import Condition, Domain, Linear, Parameters
from rateproof.theory.asymptotics.expand import exponent, monomials
from rateproof.theory.asymptotics.inversion import Inversion, complexity, invert, worst_epsilon_exponent
from rateproof.theory.asymptotics.monomial import Monomial
from rateproof.theory.asymptotics.regions import Region, Where, regions, worst
from rateproof.theory.asymptotics.totals import Total, compose, total

__all__ = [
    "VERDICTS",
    "Comparison",
    "Condition",
    "Domain",
    "Entry",
    "Inversion",
    "Linear",
    "Mismatch",
    "Monomial",
    "Pair",
    "Parameters",
    "Piece",
    "Region",
    "Total",
    "Where",
    "compare",
    "complexity",
    "compose",
    "entry",
    "exponent",
    "invert",
    "monomials",
    "regions",
    "total",
    "worst",
    "worst_epsilon_exponent",
]
