r"""From a bound that decays with the rounds to the rounds that an accuracy needs, uniformly in all constants.

The claim ``rounds <= C_O sum_i G_i``, where ``rounds`` counts those after which a metric may still be above ``eps``,
says: for every admissible ``R`` at which the metric is above ``eps``, ``R <= C_O sum_i G_i`` with the constants of the
problem as they are at this ``R`` (so too with any upper bounds of them, where they change with ``R``). ``C_O`` may
depend on the exponents of ``R``, and on the symbols that are ``held``. As the metric is at most the bound, it
follows from the

Theorem. Let ``R >= 1``, ``t > 0``, ``X_j >= 0``, ``k_j, q_j > 0`` and real ``l_j``, with ``R >= 2`` where some
``l_j < 0``. If ``t < sum_{j <= m} k_j X_j R^{-q_j} (ln R)^{l_j}`` then for some ``j``, with ``Z = X_j/t``, ``q = q_j``,
``l = max(l_j, 0)`` and a number ``C`` that depends on ``m, k_j, q_j, l_j`` alone,

    R <= C Z^{1/q}                              where l = 0,
    R <= C Z^{1/q} (ln(1 + Z^{1/l}))^{l/q}      where l > 0,    and in both cases Z >= z > 0 for such a number z.

Proof. Some term is above ``t/m``. Where ``l_j < 0``, ``(ln R)^{l_j} <= (ln 2)^{l_j}``, a number. With
``y = m k_j Z``: ``R^q < y (ln R)^l``. For ``l = 0`` that is the first line with ``C = (m k_j)^{1/q}``; and
``Z >= 1/(m k_j)``, as ``R >= 1``. For ``l > 0`` it says ``R > 1``, and ``s < w ln s`` for ``s = R^{q/l} > 1`` and
``w = (l/q) y^{1/l}``. As ``s/ln s >= e``, ``w > e``, so ``Z`` is above a number; as ``ln s < sqrt(s)``, ``s < w^2`` and
``s < 2 w ln w``. With ``c = (l/q) (m k_j)^{1/l}``, ``w = c Z^{1/l}`` and ``ln(1 + c u) <= max(1, c) ln(1 + u)``, so the
second line holds with ``C = (2 c max(1, c))^{l/q}``.

A factor ``R^c - 1`` with ``c > 0`` is at most ``R^c``, and at least ``(1 - 2^{-c}) R^c`` for ``R >= 2``. Where the
bound is ``c (sum)^e``, ``e > 0``, ``eps < c (sum)^e`` says ``t = (eps/c)^{1/e} < sum``.

Comparison. A term ``G = P prod_i (ln(1 + A_i))^{e_i}`` of the goal, with monomials ``P`` and ``A_i = Z^{r_i}``,
``r_i, e_i > 0``, is at least a number times the inverted term where ``P = Z^{1/q}``, up to a number, and
``sum e_i >= l/q``: for ``Z >= z``, ``ln(1 + Z^r)`` is at least a number, and at least a number times
``ln(1 + Z^{1/l})``. Factors that are held count as numbers; one that may be zero has to be a factor of ``Z`` too, as
``Z >= z`` then says that it is not. Where apart from them ``Z = eps^{-u}`` and ``P = eps^{-s}`` only, ``s > u/q`` is
enough: ``eps`` is bounded, as ``Z >= z``, and a power of it outweighs logarithms. A factor ``(1 + A)^e`` of the goal is
at least ``A^e``.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cache

import sympy as sp

from rateproof.theory.asymptotics import Monomial
from rateproof.theory.asymptotics.monomial import tidy
from rateproof.theory.proof.rules import Refused

#: ``R^c - 1`` by its exponent.
_LESS_ONE = sp.Function("less_one", positive=True)
#: Whether a relation between parameters is known.
Known = Callable[[sp.Rel], bool]


@dataclass(frozen=True)
class Term:
    """A monomial times powers of ``ln(1 + A)``, up to a number."""

    monomial: Monomial
    logs: tuple[tuple[Monomial, sp.Expr], ...] = ()

    def __mul__(self, other: Term) -> Term:
        return Term(self.monomial * other.monomial, (*self.logs, *other.logs))

    def __pow__(self, exponent: sp.Expr) -> Term:
        return Term(self.monomial**exponent, tuple((a, e * exponent) for a, e in self.logs))

    def __str__(self) -> str:
        logs = (f"ln(1 + {a})^({e})" for a, e in self.logs)
        return " ".join([str(self.monomial), *logs])


@dataclass(frozen=True)
class Inverted:
    """What one term of a bound asks of the variable: ``Z^{1/q}``, times ``ln(1 + Z^{1/l})^{l/q}`` where ``l > 0``."""

    ratio: Monomial
    power: sp.Expr
    log_power: sp.Expr

    def __str__(self) -> str:
        log = f" ln(1 + Z)^({self.log_power / self.power})" if self.log_power != 0 else ""
        return f"Z^({1 / self.power}){log} with Z = {self.ratio}"


def exponents(
    bound: sp.Expr,
    goal: sp.Expr,
    *,
    variable: sp.Symbol,
    target: sp.Symbol,
    held: Container[sp.Symbol],
    known: Known,
) -> str:
    """Why the variable is at most a constant times ``goal`` wherever ``bound`` is above ``target``.

    Raises:
        Refused: it is not shown; the term of the bound is named.
    """
    if variable in goal.free_symbols:
        raise Refused(f"the goal contains {variable}")
    known = cache(known)
    powers = {p.exp for p in bound.atoms(sp.Pow) if p.base.has(variable)}
    reader = _Reader(variable, target, known, held, frozenset().union(*(e.free_symbols for e in powers)))
    terms = [reader.goal(term) for term in sp.Add.make_args(goal)]
    said = []
    for inverted in reader.inverted(bound, Monomial({target: sp.S.One})):
        why = next((str(g) for g in terms if _covers(g, inverted, target, held, known)), None)
        if why is None:
            raise Refused(f"no term of the goal is as large as {inverted}")
        said.append(f"{inverted}: at most {why}")
    return "; ".join(said)


@dataclass(frozen=True)
class _Reader:
    variable: sp.Symbol
    target: sp.Symbol
    known: Known
    held: Container[sp.Symbol]
    exponents: frozenset[sp.Symbol]

    def inverted(self, bound: sp.Expr, target: Monomial) -> list[Inverted]:
        """The bound, term by term."""
        # a sum that is read as one power is not to be multiplied out
        bound = bound.replace(lambda e: e.is_Add and self._decay(e) is not None, self._decay_symbol)
        terms = sp.Add.make_args(sp.expand_mul(bound))
        if len(terms) == 1 and (root := self._root(terms[0])) is not None:
            factor, inside, exponent = root
            return self.inverted(inside, (target * self.term(factor).monomial ** (-1)) ** (1 / exponent))
        return [self._invert(self.term(term).monomial, target) for term in terms]

    def _root(self, term: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr] | None:
        """``c, S, e`` of ``c S^e`` with a sum ``S`` that decays."""
        for factor in sp.Mul.make_args(term):
            if factor.is_Pow and sp.expand_mul(factor.base).is_Add and self._positive(factor.exp):
                rest = term / factor
                if self.variable in rest.free_symbols or self.variable in factor.exp.free_symbols:
                    raise Refused(f"{term} has {self.variable} both inside and outside a power")
                return rest, factor.base, factor.exp
        return None

    def _invert(self, term: Monomial, target: Monomial) -> Inverted:
        q, log = tidy(-term.power(self.variable)), term.log_power(self.variable)
        if not self._positive(q):
            raise Refused(f"{term} is not known to decay with {self.variable}")
        if log != 0 and not self._positive(log):
            if not self.known(sp.Lt(log, 0, evaluate=False)):
                raise Refused(f"the sign of the exponent {log} is not known")
            self._from_two(f"1/log({self.variable})")
            log = sp.S.Zero
        return Inverted(term.without(self.variable) * target ** (-1), q, log)

    def term(self, expr: sp.Expr) -> Term:
        """A product of powers; of the variable also of its logarithm, and ``1/(R^c - 1)``."""
        return self._signed(self._read(expr, {sp.log(self.variable): Term(Monomial({}, {self.variable: sp.S.One}))}))

    def goal(self, expr: sp.Expr) -> Term:
        """A product of powers, of ``1 + A`` and of ``log(1 + A)``."""
        return self._signed(self._read(expr, {}))

    def _signed(self, term: Term) -> Term:
        """The term, where its symbols are nonnegative; positive, where it divides by them."""
        for m in (term.monomial, *(a for a, _ in term.logs)):
            for symbol, exponent in m.powers.items():
                if symbol not in (self.target, self.variable) and not self._is_base(symbol, exponent):
                    raise Refused(f"the sign of {symbol} is not known")
        return term

    def _is_base(self, symbol: sp.Symbol, exponent: sp.Expr) -> bool:
        """Whether the power is a number: of zero, where the exponent is positive."""
        if not symbol.is_positive and self._positive(exponent) and self.known(sp.Ge(symbol, 0, evaluate=False)):
            return True
        return self.known(sp.Gt(symbol, 0, evaluate=False))

    def _read(self, expr: sp.Expr, special: dict[sp.Expr, Term]) -> Term:
        if expr in special:
            return special[expr]
        if isinstance(expr, _LESS_ONE):
            return Term(Monomial({self.variable: expr.args[0]}))
        if expr.is_number and expr.is_positive:
            return Term(Monomial())
        if expr.is_Symbol:
            return Term(Monomial({expr: sp.S.One}))
        if expr.is_Mul:
            out = Term(Monomial())
            for factor in expr.args:
                out *= self._read(factor, special)
            return out
        if expr.is_Pow:
            return self._power(expr.base, expr.exp, special)
        if isinstance(expr, sp.log) and not special:
            return Term(Monomial(), ((self._above_one(expr.args[0]), sp.S.One),))
        raise Refused(f"{expr} is no product of powers and logarithms")

    def _power(self, base: sp.Expr, exponent: sp.Expr, special: dict[sp.Expr, Term]) -> Term:
        if self.variable in exponent.free_symbols:
            raise Refused(f"the exponent {exponent} contains {self.variable}")
        if base.is_Add and not special:
            if not self._positive(exponent):
                raise Refused(f"the exponent {exponent} should be positive")
            return Term(self._above_one(base)) ** exponent
        if base.is_number and (odd := [s for s in exponent.free_symbols - self.exponents if s not in self.held]):
            raise Refused(f"{base**exponent} is no number: {odd[0]} is no exponent of {self.variable} and is not held")
        return self._read(base, special) ** exponent

    def _decay(self, base: sp.Expr) -> sp.Expr | None:
        """``c > 0`` of ``R^c - 1``."""
        power = base + 1
        return power.exp if power.is_Pow and power.base == self.variable and self._positive(power.exp) else None

    def _decay_symbol(self, base: sp.Expr) -> sp.Expr:
        """``R^c`` as a function that is not multiplied out, in the place of ``R^c - 1``."""
        self._from_two(f"1/({base})")
        return _LESS_ONE(self._decay(base))

    def _above_one(self, expr: sp.Expr) -> Monomial:
        """``A`` of ``1 + A``."""
        found = self._read(expr - 1, {}) if expr.is_Add else None
        if found is None or found.logs:
            raise Refused(f"{expr} is no 1 + A with a product A of powers")
        return found.monomial

    def _positive(self, exponent: sp.Expr) -> bool:
        return self.known(sp.Gt(exponent, 0, evaluate=False))

    def _from_two(self, why: str) -> None:
        if not self.known(sp.Ge(self.variable, 2, evaluate=False)):
            raise Refused(f"{why} is bounded for {self.variable} >= 2 only, which is not known")


def _covers(goal: Term, inverted: Inverted, target: sp.Symbol, held: Container[sp.Symbol], known: Known) -> bool:
    """Whether a term of the goal is at least a number times an inverted one."""
    q, log = inverted.power, inverted.log_power

    def free(m: Monomial) -> Monomial:
        return Monomial({s: e for s, e in m.powers.items() if s not in held})

    def follows(relation: type[sp.Rel], expr: sp.Expr) -> bool:
        return known(relation(expr, 0, evaluate=False))

    ratio = free(inverted.ratio)
    # a held factor that is zero makes the goal zero; there the inverted term has to be zero, too: none is above target
    for symbol in {s for m in (goal.monomial, *(a for a, _ in goal.logs)) for s in m.powers if s in held}:
        if not follows(sp.Gt, symbol) and not follows(sp.Gt, inverted.ratio.power(symbol)):
            return False
    for argument, exponent in goal.logs:
        if not follows(sp.Gt, exponent) or _root_of(free(argument), ratio, follows) is None:
            return False
    logs = tidy(sum((e for _, e in goal.logs), sp.S.Zero) - log / q)
    enough = follows(sp.Ge, logs)
    spare = free(goal.monomial) * ratio ** (-1 / q)
    if spare == Monomial():
        return enough
    if not {*ratio.powers} | {*spare.powers} <= {target}:
        return False
    more = tidy(-spare.power(target))
    return follows(sp.Lt, ratio.power(target)) and (follows(sp.Gt, more) or (enough and follows(sp.Ge, more)))


def _root_of(power: Monomial, base: Monomial, follows: Callable[[type[sp.Rel], sp.Expr], bool]) -> sp.Expr | None:
    """``r > 0`` with ``power = base^r``; None where there is none."""
    if not base.powers or power.powers.keys() != base.powers.keys():
        return None
    symbol = next(iter(base.powers))
    r = tidy(power.power(symbol) / base.power(symbol))
    return r if power == base**r and follows(sp.Gt, r) else None
