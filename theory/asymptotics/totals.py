"""Totals over outer iterations, and complexities put into one another."""

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from rateproof.theory import symbols
from rateproof.theory.asymptotics.domain import Condition, Domain, Parameters, unambiguous
from rateproof.theory.asymptotics.expand import monomials, separates, summed, terms_from
from rateproof.theory.asymptotics.inversion import Inversion
from rateproof.theory.asymptotics.monomial import Monomial


@dataclass(frozen=True)
class Total:
    """A total in a region of the parameters: the sum of ``terms`` where all ``conditions`` hold."""

    terms: tuple[Monomial, ...]
    conditions: tuple[Condition, ...] = ()

    @property
    def inequalities(self) -> tuple[sp.Rel, ...]:
        """The conditions as relations such as ``a + b <= 1``."""
        return tuple(c.relation for c in self.conditions)


def total(cost: sp.Expr, t: sp.Symbol, T: sp.Symbol, *, parameters: Parameters = ()) -> tuple[Total, ...]:
    """``sum_{t <= T} cost(t)`` up to numeric factors as ``T -> oo``, for a nonnegative cost.

    The first index is 1, or 2 where the cost is not finite at 1, as with ``1 / ln t``.

    Args:
        cost: see :func:`monomials`; powers of t and of ln t, other symbols in fixed factors.
        t: the index.
        T: the last index.
        parameters: relations between the symbols in exponents.

    Returns:
        The cases that occur, one when the parameters decide: each power ``q`` of ``t`` is above, at or below -1.

    Raises:
        ValueError: the cost has no expansion or is not known to be finite and real, T is in it other than as a factor,
            the sum grows like ``ln ln T``, ``q + 1`` is not linear, or the sum converges and is not known to have
            nonnegative terms with constants as factors only; :func:`monomials` asks the same of a ``Sum``.
    """
    cost, parameters = sp.sympify(cost), tuple(parameters)
    unambiguous(cost, t, T, *parameters)
    domain = Domain.of(parameters)
    factor, cost = cost.as_independent(t, as_Add=False) if T in cost.free_symbols else (sp.S.One, cost)
    if T in cost.free_symbols:
        raise ValueError(f"{T} should be a factor of the cost {cost}, or not occur in it")
    factors = monomials(factor, T, parameters=parameters)
    # as in an expansion, every symbol counts as positive
    positive = {v: sp.Dummy(positive=True) for v in cost.free_symbols - {t} if v.is_positive is None}
    terms = (terms_from(sp.Integer(first), t, cost.xreplace(positive)) for first in (1, 2))
    known = next((term for term in terms if term.is_real), None)
    if known is None:
        raise ValueError(f"the cost {cost} should be finite and real at integers {t}")
    pieces: list[Total] = [Total(())]
    for m in monomials(cost, t, parameters=parameters):
        refined = []
        for piece in pieces:
            here = domain.where(*piece.conditions)
            for when, result in summed(m, t, here):
                converges = t not in result.powers.keys() | result.logs.keys()
                if converges and not separates(cost, t):
                    raise ValueError(f"the sum of {m} converges: constants should be factors of the terms of {cost}")
                if converges and not known.is_nonnegative:
                    raise ValueError(f"the sum of {m} converges: {cost} should be nonnegative at every {t}")
                at_T = result.substitute(t, Monomial({T: sp.S.One}), T)
                grown = dict.fromkeys((*piece.terms, *(f * at_T for f in factors)))
                refined.append(Total(tuple(grown), domain.irredundant((*piece.conditions, *when))))
        pieces = refined
    return tuple(pieces)


def compose(
    cost: Iterable[Monomial],
    outer: Iterable[Inversion],
    variable: sp.Symbol,
    *,
    epsilon: sp.Symbol = symbols.epsilon,
    parameters: Parameters = (),
) -> tuple[Inversion, ...]:
    """The cost at the number of outer iterations that an accuracy needs, up to numeric factors as ``epsilon -> 0``.

    With ``T_eps`` from :func:`complexity` and the rounds of T outer iterations from :func:`total`, these are the total
    rounds. Exponents count as numeric factors: ``ln T_eps ~ ln(1/epsilon)``.

    Args:
        cost: monomials in ``variable``; they may contain epsilon.
        outer: the complexity in ``variable``.
        variable: what ``outer`` counts.
        epsilon: the accuracy.
        parameters: relations between the symbols in exponents.

    Raises:
        ValueError: the cost is not known to grow with ``variable``, or needs an iterated logarithm.
    """
    cost, outer, parameters = tuple(cost), tuple(outer), tuple(parameters)
    unambiguous(variable, epsilon, *parameters, *cost, *(inv.monomial for inv in outer))
    domain = Domain.of(parameters)
    found = []
    for m in cost:
        if m.power(variable) != 0 and domain.sign(m.power(variable)) != 1:
            raise ValueError(f"{m} should grow with {variable}, or not depend on it")
        found += [Inversion(m.substitute(variable, inv.monomial, epsilon), inv.requires) for inv in outer]
    return tuple(dict.fromkeys(found))
