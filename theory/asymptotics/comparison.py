"""A printed complexity beside what the paper's explicit bound gives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from rateproof.theory import symbols
from rateproof.theory.asymptotics.domain import Condition, Domain, Parameters, unambiguous
from rateproof.theory.asymptotics.expand import monomials
from rateproof.theory.asymptotics.inversion import Inversion, complexity
from rateproof.theory.asymptotics.monomial import Monomial, tidy
from rateproof.theory.asymptotics.regions import Region, Where, conjunction, domain_of, worst
from rateproof.theory.claim import expand_definitions

#: From the gravest to none: what an explicit bound says of a printed complexity.
VERDICTS = ("differs", "log missing", "loose", "agrees")

Conditions = tuple[Condition, ...]


@dataclass(frozen=True)
class Pair:
    """A term that the explicit bound gives and the stated term that should cover it.

    Attributes:
        explicit: the term.
        stated: the printed one.
        region: where a logarithm is missing; ``true`` when everywhere or when none is.
    """

    explicit: Inversion
    stated: Monomial
    region: sp.Basic = sp.true

    def __str__(self) -> str:
        return f"{self.explicit} against stated {self.stated}{_where(self.region)}"


@dataclass(frozen=True)
class Mismatch:
    """A term that the explicit bound gives and that the stated ones do not cover.

    Attributes:
        explicit: the term.
        nearest: the stated term in most nearly the same variables; None when nothing is stated.
        differing: symbol, or its log, -> (exponent of the explicit bound, stated exponent).
        region: the parameters for which no stated term covers it; ``true`` when all.
    """

    explicit: Inversion
    nearest: Monomial | None
    differing: Mapping[sp.Expr, tuple[sp.Expr, sp.Expr]]
    region: sp.Basic = sp.true

    def __str__(self) -> str:
        parts = ", ".join(f"{v}: {e} (stated {s})" for v, (e, s) in self.differing.items())
        said = f"{self.explicit} against nearest stated {self.nearest}; exponents of {parts}"
        return said + _where(self.region)


def _where(region: sp.Basic) -> str:
    return "" if region == sp.true else f"; where {region}"


@dataclass(frozen=True)
class Comparison:
    """A printed O(.) complexity beside what the explicit bound gives, term by term.

    Attributes:
        agreeing: equal in all powers and logs.
        log_missing: equal in all powers, with a larger log power than stated.
        looser: covered by a larger stated term: larger by a log, or a higher power of the same ratio such as ``Y/eps``,
            or a higher power of ``1/eps``.
        mismatched: explicit terms that no stated term covers for all parameters.
        unmatched_stated: stated terms that no explicit term needs. Alone they do not contradict the explicit bound.
    """

    agreeing: tuple[Pair, ...]
    log_missing: tuple[Pair, ...]
    looser: tuple[Pair, ...]
    mismatched: tuple[Mismatch, ...]
    unmatched_stated: tuple[Monomial, ...]

    @property
    def verdict(self) -> str:
        """One of ``VERDICTS``; ``loose`` when the explicit bound implies the stated complexity and is smaller."""
        loose = self.looser or self.unmatched_stated
        return "differs" if self.mismatched else "log missing" if self.log_missing else "loose" if loose else "agrees"

    @property
    def verdict_hint(self) -> str:
        """``agrees``, ``log missing`` or ``differs``: whether the explicit bound implies the stated complexity."""
        return "agrees" if self.verdict == "loose" else self.verdict

    @property
    def stated(self) -> dict[Monomial, str]:
        """The verdict on each stated term: the gravest among the explicit terms that it stands for."""
        found = dict.fromkeys(self.unmatched_stated, "loose")
        for pairs, verdict in ((self.agreeing, "agrees"), (self.looser, "loose"), (self.log_missing, "log missing")):
            found |= {pair.stated: verdict for pair in pairs}
        return found | {m.nearest: "differs" for m in self.mismatched if m.nearest is not None}


def compare(
    stated: sp.Expr,
    explicit: sp.Expr,
    *,
    rounds: sp.Symbol,
    epsilon: sp.Symbol = symbols.epsilon,
    where: Where | None = None,
    parameters: Parameters = (),
) -> Comparison:
    """Compare a printed complexity with the one that an explicit bound gives.

    Args:
        stated: the expression inside O(.), in epsilon and the constants.
        explicit: the bound as a function of ``rounds``; a lower bound by its magnitude.
        rounds: the variable that the complexity counts.
        epsilon: the accuracy.
        where: definitions and constraints (``{b: 1 - a}``) to substitute in all first.
        parameters: relations between the symbols in exponents, such as ``b < a``.

    Raises:
        ValueError: an expression has no expansion, a term of ``explicit`` does not decay, or two exponents of the same
            ratio differ by what is not linear in the parameters.
    """
    parameters = tuple(parameters)
    unambiguous(*map(sp.sympify, (stated, explicit)), rounds, epsilon, *parameters, *(where or {}))
    stated, explicit = (expand_definitions(sp.sympify(e), where or {}) for e in (stated, explicit))
    parameters = tuple(expand_definitions(relation, where or {}) for relation in parameters)
    domain = Domain.of(parameters)
    printed = monomials(stated, epsilon, to_zero=True, parameters=parameters)
    agreeing, log_missing, looser = [], [], []
    alone: list[tuple[Inversion, sp.Basic]] = []
    for term in complexity(explicit, rounds, epsilon, parameters=parameters):
        m, here = term.monomial, domain.restricted(term.requires)
        partner = next((s for s in printed if _differing(m, s).keys() <= {sp.log(epsilon)}), None)
        if partner == m:
            agreeing.append(Pair(term, partner))
            continue
        uncovered: list[Conditions] = [()]
        for s in printed:
            uncovered = [(*u, *more) for u in uncovered for more in _shortfall(m, s, here.where(*u), epsilon)]
        region = sp.Or(*(sp.And(*(c.relation for c in domain.irredundant(u))) for u in uncovered))
        if not uncovered:
            covering = (s for s in printed if not _shortfall(m, s, here, epsilon))
            looser.append(Pair(term, partner or next(covering, None) or _nearest(m, printed)))
        elif partner is not None:
            log_missing.append(Pair(term, partner, region))
        else:
            alone.append((term, region))
    partners = {pair.stated for pair in (*agreeing, *log_missing, *looser)}
    unmatched = tuple(s for s in printed if s not in partners)
    mismatched = []
    for term, region in alone:
        # A stated term that is already paired is the less likely counterpart.
        near = _nearest(term.monomial, unmatched or printed) if printed else None
        mismatched.append(Mismatch(term, near, {} if near is None else _differing(term.monomial, near), region))
    return Comparison(tuple(agreeing), tuple(log_missing), tuple(looser), tuple(mismatched), unmatched)


def _nearest(m: Monomial, stated: Iterable[Monomial]) -> Monomial:
    """The stated term in most nearly the same constants, then with the fewest unlike exponents."""
    return min(stated, key=lambda s: (len(m.powers.keys() ^ s.powers.keys()), len(_differing(m, s))))


def _shortfall(explicit: Monomial, stated: Monomial, domain: Domain, epsilon: sp.Symbol) -> tuple[Conditions, ...]:
    """Where ``stated`` does not cover ``explicit``: the conditions of each part of the domain, one empty for all of it.

    It does where it equals ``explicit^c epsilon^-d`` up to logarithms with ``c >= 1`` and ``d >= 0``: then it is the
    larger one as soon as both exceed one round, whatever the constants. Logarithms decide where c = 1 and d = 0.
    """
    constants = (explicit.powers.keys() | stated.powers.keys()) - {epsilon}
    unlike_logs = any(explicit.log_power(v) != stated.log_power(v) for v in {*explicit.logs, *stated.logs} - {epsilon})
    if unlike_logs or any(explicit.power(v) == 0 for v in constants):
        return ((),)
    ratios = {tidy(stated.power(v) / explicit.power(v)) for v in constants} or {sp.S.One}
    if len(ratios) > 1:
        return ((),)
    c = ratios.pop()
    d = c * explicit.power(epsilon) - stated.power(epsilon)
    found: list[Conditions] = []
    for c_sign, c_when in domain.cases(c - 1):
        for d_sign, d_when in domain.where(*c_when).cases(d) if c_sign >= 0 else ((-1, ()),):
            when = (*c_when, *d_when)
            if c_sign == 0 and d_sign == 0:
                logs = domain.where(*when).cases(stated.log_power(epsilon) - explicit.log_power(epsilon))
                found += [(*when, *log_when) for log_sign, log_when in logs if log_sign < 0]
            elif d_sign < 0:
                found.append(when)
    return tuple(found)


@dataclass(frozen=True)
class Piece:
    """What the explicit bounds say of a table entry in a region of the parameters.

    Attributes:
        verdict: one of ``VERDICTS``.
        explicit: the terms that dominate there, with their exponents.
        conditions: the region within the domain that was given.
    """

    verdict: str
    explicit: Region
    conditions: Conditions

    @property
    def inequalities(self) -> tuple[sp.Rel, ...]:
        """The conditions as relations such as ``kappa < 5/2``."""
        return tuple(c.relation for c in self.conditions)


@dataclass(frozen=True)
class Entry:
    """A table entry, a power of epsilon, beside what the explicit bounds give.

    Attributes:
        power: stated exponent of ``1/epsilon``.
        log_power: stated exponent of ``ln(1/epsilon)``.
        pieces: the verdict by region of the parameters; together they cover the domain up to shared boundaries.
    """

    power: sp.Expr
    log_power: sp.Expr
    pieces: tuple[Piece, ...]

    @property
    def verdict(self) -> str:
        """The gravest verdict in any region."""
        return min((piece.verdict for piece in self.pieces), key=VERDICTS.index)

    def __str__(self) -> str:
        return "; ".join(
            f"{piece.verdict}{f' where {conjunction(piece.conditions)}' if piece.conditions else ''}: "
            f"explicit {_order(piece.explicit.power, piece.explicit.log_power)}, "
            f"stated {_order(self.power, self.log_power)}"
            for piece in self.pieces
        )


def _order(power: sp.Expr, log_power: sp.Expr) -> str:
    powers = {"eps": -power, "ln(1/eps)": log_power}
    return " ".join(base if e == 1 else f"{base}^({e})" for base, e in powers.items() if e != 0) or "1"


def entry(
    stated: sp.Expr,
    inversions: Iterable[Inversion],
    *,
    parameters: Parameters = (),
    where: Where | None = None,
    epsilon: sp.Symbol = symbols.epsilon,
    logs_hidden: bool = False,
) -> Entry:
    """Compare a table entry such as ``O(eps^-3)`` with a complexity, over a region of the parameters.

    Args:
        stated: the expression inside O(.): one power of epsilon, and of its logarithm.
        inversions: the terms that the explicit bounds give.
        parameters: relations between the symbols in exponents.
        where: values and definitions to substitute in all first.
        epsilon: the accuracy.
        logs_hidden: whether the entry is an O~(.), which ignores logarithms.

    Raises:
        ValueError: the entry is no power of epsilon, or see :func:`worst`.
    """
    domain, stated = domain_of(parameters, where), expand_definitions(sp.sympify(stated), where or {})
    printed = monomials(stated, epsilon, to_zero=True)
    if len(printed) != 1 or printed[0].without(epsilon) != Monomial():
        raise ValueError(f"table entry {stated} should be one power of {epsilon}, without constants")
    power, log_power = tidy(-printed[0].power(epsilon)), printed[0].log_power(epsilon)
    pieces = []
    for region in worst(inversions, parameters=parameters, where=where, epsilon=epsilon):
        here = domain.where(*region.conditions)
        for sign, when in here.cases(region.power - power):
            logs = ((0, ()),) if logs_hidden else here.where(*when).cases(region.log_power - log_power)
            for log_sign, log_when in logs if sign == 0 else ((0, ()),):
                verdict = _verdict(sign or log_sign, by_log=sign == 0)
                # A tie on a mere boundary says nothing new, unless the logarithms make it worse.
                if sign or not when or verdict == "log missing":
                    conditions = domain.irredundant((*region.conditions, *when, *log_when))
                    pieces.append(Piece(verdict, region, conditions))
    return Entry(power, log_power, tuple(pieces))


def _verdict(excess: int, *, by_log: bool) -> str:
    """From the sign of the explicit exponent minus the stated one."""
    return "agrees" if excess == 0 else "loose" if excess < 0 else "log missing" if by_log else "differs"


def _differing(left: Monomial, right: Monomial) -> dict[sp.Expr, tuple[sp.Expr, sp.Expr]]:
    """Symbols and logs of symbols with unlike exponents, with both exponents."""
    keys = {v: (left.power(v), right.power(v)) for v in left.powers.keys() | right.powers.keys()}
    keys |= {sp.log(v): (left.log_power(v), right.log_power(v)) for v in left.logs.keys() | right.logs.keys()}
    unlike = {v: pair for v, pair in keys.items() if pair[0] != pair[1]}
    return dict(sorted(unlike.items(), key=lambda item: str(item[0])))
