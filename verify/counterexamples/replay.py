"""Stored counterexamples, evaluated again exactly: rationals where the numbers are rational, balls elsewhere.

Shares no code with the float engine. Numbers are python-flint's ``fmpq`` and ``arb``; a comparison of balls counts only
when it is certain, and a hypothesis has to hold without any slack.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from operator import add, mul
from typing import Any

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.probability import OUTCOMES, Pr, chance, drawn, event_of, names_beside, outcomes
from rateproof.theory.symbols import C_O
from rateproof.verify import registry
from rateproof.verify.counterexamples.records import well_formed
from rateproof.verify.stored.sources import baseline_path

#: ``fmpq`` or ``arb``.
Number = Any
#: Numbers by symbol name, and the structural hypotheses that hold with the reasons.
Instance = tuple[Mapping[str, Number], Mapping[str, str]]
BITS = 1000
#: Balls this close to a rational number that a record states are that number.
EQUAL = "1e-200"
#: Integer powers of rationals are kept exact up to this many bits.
EXACT_BITS = 2**20
TERMS = 10_000
#: From rung to rung a ladder's ratio has to grow by this factor.
GROWTH = 10


@dataclass(frozen=True)
class Counterexample:
    """A counterexample to a claim, of its record or of ``verify/papers/<paper>/counterexamples.toml``.

    Attributes:
        claim: that it refutes.
        by_hand: the arithmetic, for a reader with a pencil.
        measured: the instance of ``data``, or the rungs of a ladder; a claim may give some of its numbers.
        left, right: both sides of the violated relation; a decimal number stands for all that round to it.
        ratios: for an O(.) claim, the ratio at each rung with the hidden constant 1.
        data: the instance, for whoever measures it.
        shows: the origin of the reason that it shows, where that is not the first one of the correction.
    """

    claim: Claim
    by_hand: str
    measured: Callable[[Claim, Mapping[str, Any]], Iterable[Instance]] = field(repr=False, compare=False)
    left: str = ""
    right: str = ""
    ratios: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    shows: str = ""

    @property
    def setting(self) -> str:
        """The instance, the point or start, and the numbers, in words; of a later rung what the one before has not."""
        rungs = self.data.get("rungs", ())
        new = [_changed(rung, before) for rung, before in zip(rungs, ({}, *rungs), strict=False)]
        along = [f"rung {i}: {_in_words(rung)}" for i, rung in enumerate(new, start=1)]
        return "; ".join(filter(None, (_in_words(self.data), *along)))

    def instances(self, claim: Claim | None = None) -> list[Instance]:
        """What is measured on it, on each rung where it is a ladder.

        Args:
            claim: what it should refute; its own claim, unless said.
        """
        with precisely():
            return list(self.measured(claim or self.claim, self.data))

    def replayed(self, claim: Claim | None = None) -> Replay | tuple[Number, ...]:
        """It is evaluated again in exact arithmetic, and compared with what it states.

        Args:
            claim: as for :meth:`instances`.

        Raises:
            ValueError: it refutes nothing, misses a hypothesis, or states other numbers; the reason is named.
        """
        claim = claim or self.claim
        instances = self.instances(claim)
        computed = climb(claim, instances) if "rungs" in self.data else replay(claim, *instances[0])
        _check_stated(self, computed)
        return computed

    def to_json(self) -> dict[str, Any]:
        """What is stored of it, as plain values."""
        stated = {name: getattr(self, name) for name in ("by_hand", "left", "right", "ratios", "data")}
        return {"claim": self.claim.id, **stated}


def _changed(rung: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """What a rung has otherwise than the one before it."""
    values = {k: v for k, v in rung.get("values", {}).items() if before.get("values", {}).get(k) != v}
    others = {k: v for k, v in rung.items() if k != "values" and before.get(k) != v}
    return others | ({"values": values} if values else {})


def _in_words(data: Mapping[str, Any]) -> str:
    words = [data["instance"]["says"]] if "instance" in data else []
    if "measure" in data or "at" in data:
        at = ", ".join(f"{k} = {v}" for k, v in data.get("at", {}).items())
        words.append(f"{str(data.get('measure', '')).replace('_', ' ')}{f' ({at})' if at else ''}".strip())
    points = ((key, name) for key, name in (("x", "x"), ("x0", "x^0")) if key in data)
    words += [f"{name} = ({', '.join(map(str, data[key]))})" for key, name in points]
    words += [", ".join(f"{k} = {v}" for k, v in data["values"].items())] if "values" in data else []
    return "; ".join(words)


def stored(paper: str) -> dict[str, Counterexample]:
    """The counterexamples of a paper by claim id, those of its files and those of its records.

    Raises:
        ValueError: the file or a record is damaged; it is named.
    """
    files = content(paper)
    in_files = (_record(paper, record, files.get("instance", {})) for record in files.get("counterexample", ()))
    in_records = (one.counterexample for one in registry.records(paper) if one.counterexample)
    out: dict[str, Counterexample] = {}
    for example in (*in_files, *in_records):
        if example.claim.id in out:
            raise ValueError(f"there are two counterexamples to {example.claim.id}")
        out[example.claim.id] = example
    return out


def counterexample_to(claim: Claim) -> Counterexample | None:
    """The stored counterexample to a claim; None when there is none, or its paper does not say how it is measured.

    A record (:mod:`rateproof.verify.form`) measures its own; a paper with files exports ``measured`` and ``rungs`` from
    its module ``replayed``.

    Raises:
        ValueError: a file is damaged.
    """
    example = registry.record(claim).counterexample
    if example is not None or registry.part(claim.paper, "replayed") is None:
        return example
    return stored(claim.paper).get(claim.id)


def without(paper: str) -> dict[str, str]:
    """Refuted claims of a paper that have no counterexample in round numbers, and why."""
    return {f"{paper}.{claim}": why for claim, why in content(paper).get("without", {}).items()}


def content(paper: str) -> dict[str, Any]:
    """What the files ``verify/papers/<paper>/counterexamples*.toml`` hold together; nothing when there is none.

    Raises:
        ValueError: a file is damaged, or two give one name.
    """
    together: dict[str, Any] = {"without": {}, "instance": {}, "counterexample": []}
    for path in sorted(baseline_path(paper).parent.glob("counterexamples*.toml")):
        try:
            tables = _read(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None
        try:
            well_formed(tables)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        for table in ("without", "instance"):
            if twice := sorted(together[table].keys() & tables.get(table, {}).keys()):
                raise ValueError(f"{path} gives {table} {twice[0]!r}, which another file gives, too")
            together[table] |= tables.get(table, {})
        together["counterexample"] += tables.get("counterexample", [])
    return together


@lru_cache(maxsize=32)
def _read(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def _record(paper: str, record: Mapping[str, Any], instances: Mapping[str, Any]) -> Counterexample:
    claim_id = f"{paper}.{record['claim']}"
    if (claim := catalog.claims(paper).get(claim_id)) is None:
        raise ValueError(f"a counterexample is to {claim_id}, which is no claim of {paper}")
    left, right, ratios = record.get("left", ""), record.get("right", ""), tuple(record.get("ratios", ()))
    if not bool(left and right) ^ bool(ratios):
        raise ValueError(f"the counterexample to {claim_id} needs left and right, or the ratios of a ladder")

    def resolved(part: Mapping[str, Any]) -> dict[str, Any]:
        name = part.get("instance")
        if name is not None and name not in instances:
            raise ValueError(f"the counterexample to {claim_id} names an unknown instance {name!r}")
        return {**part} | ({} if name is None else {"instance": instances[name]})

    data = resolved({k: v for k, v in record.items() if k not in _STATED})
    if "rungs" in data:
        data["rungs"] = [resolved(rung) for rung in data["rungs"]]
    by_hand, shows = " ".join(record["by_hand"].split()), record.get("shows", "")
    return Counterexample(claim, by_hand, _by_paper, left, right, ratios, data, shows)


def _by_paper(claim: Claim, data: Mapping[str, Any]) -> Iterable[Instance]:
    """What the claim's paper measures on an instance, or on the rungs of a ladder."""
    module = registry.part(claim.paper, "replayed")
    assert module is not None
    return module.rungs(claim, data) if "rungs" in data else [module.measured(claim, data)]


_STATED = ("claim", "by_hand", "shows", "left", "right", "ratios")


# --- numbers


def rational(text: object) -> Number:
    """A rational number from an integer or a text such as ``1/320``, ``0.25`` or ``1e12``.

    Raises:
        ValueError: it is none, or a float, which carries rounding.
    """
    from flint import fmpq

    if isinstance(text, bool | float) or not isinstance(text, int | str):
        raise ValueError(f"an exact number is an integer or a text such as '1/3', got {text!r}")
    value = Fraction(text)
    return fmpq(value.numerator, value.denominator)


def exactly(x: float) -> Number:
    """The rational number that a finite float is."""
    from flint import fmpq

    value = Fraction(x)
    return fmpq(int(value.numerator), int(value.denominator))


def root(x: Number, order: int) -> Number:
    """The root of a number, exact when it is rational."""
    return power(x, rational(f"1/{order}"))


def power(base: Number, exponent: Number) -> Number:
    """``base ** exponent``, exact where it is rational and of moderate size.

    Raises:
        ValueError: zero to a negative power.
    """
    from flint import arb, fmpq

    if isinstance(exponent, fmpq) and isinstance(base, fmpq):
        n, q = int(exponent.p), int(exponent.q)
        if base == 0:
            if n < 0:
                raise ValueError("division by zero")
            return fmpq(0) if n else fmpq(1)
        exact = _rational_root(base, q)
        if exact is not None and abs(n) * max(exact.p.bit_length(), exact.q.bit_length()) <= EXACT_BITS:
            return exact**n
    if isinstance(exponent, fmpq) and exponent.q == 1:
        n, around = int(exponent.p), arb(base)
        # arb has no power of a ball around zero
        return reduce(mul, [around] * n, arb(1)) if 0 <= n <= TERMS and around.contains(0) else around**n
    return arb(base) ** arb(exponent)


def _rational_root(base: Number, order: int) -> Number | None:
    from flint import fmpq

    if order == 1:
        return base
    if base < 0:
        return None
    p, q = base.p.root(order), base.q.root(order)
    return fmpq(p, q) if p**order == base.p and q**order == base.q else None


def show(x: Number) -> str:
    """A number for a reader: a short fraction, else six digits."""
    from flint import arb, fmpq

    if isinstance(x, fmpq) and len(str(x)) <= 12:
        return str(x)
    return str(arb(x).str(6, radius=False))


def agrees(stated: str, x: Number) -> bool:
    """Whether a stated number is this one: a fraction or integer exactly, a decimal number to its last digit."""
    from flint import arb

    mantissa, _, exponent = stated.partition("e")
    digits = len(mantissa.partition(".")[2])
    tolerance = f"5e{int(exponent or 0) - digits - 1}" if digits else EQUAL
    difference = x - rational(stated)
    return bool(difference == 0 or abs(arb(difference)) < arb(rational(tolerance)))


@contextmanager
def precisely() -> Iterator[None]:
    """Balls with enough bits that only a true equality is left undecided."""
    from flint import ctx

    before, ctx.prec = ctx.prec, BITS
    try:
        yield
    finally:
        ctx.prec = before


# --- expressions


class Values:
    """Numbers for symbols, given ones first, else by their definitions."""

    def __init__(self, numbers: Mapping[str, Number], where: Mapping[Any, sp.Expr]) -> None:
        self.numbers = dict(numbers)
        self.where = {str(s): e for s, e in where.items()}
        self.drawn = drawn(numbers)

    def cases(self, relation: sp.Rel) -> list[Values]:
        """The numbers at which a relation has to hold: at all that can be drawn where it speaks of that."""
        if not self.drawn or relation.has(Pr) or self.drawn.isdisjoint(names_beside(relation, self.where)):
            return [self]
        return [at for _, at in self._outcomes()]

    def _outcomes(self) -> list[tuple[Number, Values]]:
        if not self.drawn:
            return [(rational(1), self)]
        return [(p, Values(numbers, self.where)) for p, numbers in outcomes(self.numbers)]

    def __call__(self, expr: sp.Basic) -> Number:
        """The number of an expression.

        Raises:
            KeyError: a symbol that has no number.
            ValueError: a function that is unknown here, a division by zero, or a case that balls cannot decide.
        """
        match expr:
            case sp.Rational():
                return _fraction(expr)
            case sp.Symbol():
                return self._symbol(expr.name if type(expr) is sp.Symbol else str(expr))  # printing takes time
            case sp.Add():
                return reduce(add, map(self, expr.args))
            case sp.Mul():
                return reduce(mul, map(self, expr.args))
            case sp.Pow():
                return power(self(expr.base), self(expr.exp))
            case sp.exp():
                return _ball(self(expr.args[0])).exp()
            case sp.log():
                inner = self(expr.args[0])
                return rational(0) if inner == 1 else _ball(inner).log()
            case sp.Abs():
                return abs(self(expr.args[0]))
            case sp.Max() | sp.Min():
                return reduce(_max if isinstance(expr, sp.Max) else _min, map(self, expr.args))
            case sp.Piecewise():
                return self(next(value for value, condition in expr.args if self.holds(condition)))
            case sp.Sum():
                return self._sum(expr)
            case Pr():
                return self._chance(event_of(expr))
        if expr is sp.E:
            return _ball(1).exp()
        if expr is sp.pi:
            return type(_ball(1)).pi()
        raise ValueError(f"{type(expr).__name__} cannot be evaluated exactly: {expr}")

    def holds(self, condition: sp.Basic) -> bool:
        """Whether a relation or an And of relations holds for certain.

        Raises:
            ValueError: balls cannot decide it.
        """
        if condition in (sp.true, sp.false):
            return bool(condition)
        return all(at.decide(r) for r in conjuncts(condition) for at in self.cases(r))

    def decide(self, relation: sp.Rel) -> bool:
        """Whether a relation holds at these numbers, one about a probability by what is left to 1.

        Raises:
            ValueError: balls cannot decide it.
        """
        said = chance(relation)
        if said is None or said.tail is not None:
            return compare(self(relation.lhs), self(relation.rhs), relation.rel_op)
        # of two balls near 1 nothing is left to tell them apart
        return compare(self._chance(said.event, fails=True), self(said.fails), relation.rel_op.translate(_AT_MOST))

    def _chance(self, event: Iterable[sp.Rel], *, fails: bool = False) -> Number:
        """The probability of an event, or that it fails."""
        return sum((p for p, at in self._outcomes() if all(map(at.holds, event)) is not fails), rational(0))

    def define(self, claim: Claim) -> frozenset[str]:
        """Give symbols the numbers that hypotheses ``symbol = expression`` fix; the keys of those that do.

        A symbol that is itself a product with one unknown factor (``gamma_t = gamma_l gamma_g K``) gives the factor
        its number. A ball given for the symbol that meets the expression's, both to 200 digits, stands for it.
        """
        from flint import arb

        keys = set()
        for h in claim.hypotheses:
            relation = h.relation
            if isinstance(relation, sp.Eq) and isinstance(stated := self.numbers.get(str(relation.lhs)), arb):
                with suppress(KeyError, ValueError):
                    value = arb(self(relation.rhs))
                    if stated.overlaps(value) and all(x.rad() <= arb(EQUAL) * (1 + abs(x)) for x in (stated, value)):
                        keys.add(h.key)
            if (
                isinstance(relation, sp.Eq)
                and isinstance(relation.lhs, sp.Symbol)
                and str(relation.lhs) not in self.numbers
            ):
                product = self.where.get(str(relation.lhs), relation.lhs)
                unknown = [s for s in product.free_symbols if str(s) not in self.numbers | self.where]
                if len(unknown) == 1 and (product / unknown[0]).free_symbols.isdisjoint(unknown):
                    value = self(relation.rhs)
                    self.numbers[str(unknown[0])] = value / self(product / unknown[0])
                    self.numbers[str(relation.lhs)] = value
                    keys.add(h.key)
        return frozenset(keys)

    def _symbol(self, name: str) -> Number:
        if name not in self.numbers:
            self.numbers[name] = self(self.where[name])
        if name in self.drawn or name == OUTCOMES:
            raise KeyError(name)
        return self.numbers[name]

    def _sum(self, expr: sp.Sum) -> Number:
        (index, first, last) = expr.limits[0]
        low, high = self(first), self(last)
        if (
            isinstance(expr.function, sp.Pow)
            and expr.function.exp == index
            and index not in expr.function.base.free_symbols
        ):
            base = self(expr.function.base)
            return high - low + 1 if base == 1 else (power(base, high + 1) - power(base, low)) / (base - 1)
        if not 0 <= high - low <= TERMS:
            raise ValueError(f"a sum over {show(high - low + 1)} terms is not looped over; give its value: {expr}")
        for s in expr.free_symbols:
            self._symbol(str(s))
        terms = (Values(self.numbers | {str(index): low + k}, {})(expr.function) for k in range(int(high - low) + 1))
        return reduce(add, terms)


#: How large the chance of failing is, where that of the event is ``>=`` or ``>`` a level, or this below it.
_AT_MOST = str.maketrans(">", "<")


def _fraction(x: sp.Rational) -> Number:
    from flint import fmpq

    return fmpq(x.p, x.q)


def _ball(x: Number) -> Number:
    from flint import arb

    return arb(x)


def compare(left: Number, right: Number, op: str) -> bool:
    """Whether a relation between two numbers holds.

    Raises:
        ValueError: two balls overlap, or one is not a number.
    """
    below, above = left < right, left > right
    equal = left == right
    certain = {
        "<": (below, above or equal),
        "<=": (below or equal, above),
        ">": (above, below or equal),
        ">=": (above or equal, below),
        "==": (equal, below or above),
        "!=": (below or above, equal),
    }
    holds, fails = certain[op]
    if holds == fails:
        raise ValueError(f"{show(left)} {op} {show(right)} cannot be decided")
    return bool(holds)


def _max(x: Number, y: Number) -> Number:
    from flint import arb, fmpq

    return max(x, y) if isinstance(x, fmpq) and isinstance(y, fmpq) else arb(x).max(arb(y))


def _min(x: Number, y: Number) -> Number:
    return -_max(-x, -y)


# --- claims


@dataclass(frozen=True)
class Replay:
    """A violated conjunct with both sides, and every hypothesis with the reason why it holds."""

    relation: sp.Rel
    left: Number
    right: Number
    hypotheses: Mapping[str, str]


def replay(claim: Claim, numbers: Mapping[str, Number], facts: Mapping[str, str]) -> Replay:
    """Evaluate all hypotheses and the statement at exact numbers, and return the conjunct that fails for certain.

    Args:
        claim: the claim to refute.
        numbers: by symbol name; a derived symbol given here takes precedence over its definition.
        facts: structural hypotheses that hold, with the reason.

    Raises:
        ValueError: a hypothesis that fails or is not certain, or a statement that is not violated; it is named.
    """
    with precisely():
        values = Values(numbers, claim.where)
        defining = values.define(claim)
        hypotheses = {
            h.key: str(h.relation) if h.key in defining else _hypothesis(claim, h.key, h.relation, values, facts)
            for h in claim.hypotheses
        }
        seen = []
        for relation in conjuncts(claim.statement):
            try:
                for at in values.cases(relation):
                    left, right = map(at, relation.args)
                    if not at.decide(relation):
                        return Replay(relation, left, right, hypotheses)
            except (KeyError, ValueError) as error:
                seen.append(f"{relation}: {error}")
                continue
            seen.append(f"{relation}: {show(left)} {relation.rel_op} {show(right)}")
    raise ValueError(f"{claim.id} is not violated: {'; '.join(seen)}")


def standing(
    claim: Claim, numbers: Mapping[str, Number], facts: Mapping[str, str]
) -> tuple[frozenset[str], dict[sp.Rel, tuple[Number, Number]]]:
    """What holds at exact numbers that need not refute a claim.

    Args:
        claim, numbers, facts: as for :func:`replay`.

    Returns:
        The keys of the hypotheses that do not hold for certain, and both sides of those relations of the statement that
        have numbers; where something is drawn, at its first outcome.
    """
    values = Values(numbers, claim.where)
    defining = values.define(claim)
    failed = set()
    for h in claim.hypotheses:
        try:
            if h.key not in defining:
                _hypothesis(claim, h.key, h.relation, values, facts)
        except ValueError:
            failed.add(h.key)
    sides = {}
    for relation in conjuncts(claim.statement):
        with suppress(KeyError, ValueError):
            left, right = map(values.cases(relation)[0], relation.args)
            sides[relation] = (left, right)
    return frozenset(failed), sides


def doubt(claim: Claim, numbers: Mapping[str, Number]) -> str:
    """Why exact numbers do not violate a claim; empty where they do, and where they cannot be put into it.

    Of a hypothesis that balls leave open, such as a stepsize at a cap with a root, nothing is said.
    """
    values = Values(numbers, claim.where)
    values.define(claim)
    for relation in (r for h in claim.hypotheses for r in conjuncts(h.relation)):
        with suppress(KeyError, ValueError):
            if not values.holds(relation):
                return f"{relation} does not hold"
    compared = []
    for relation in conjuncts(claim.statement):
        for at in values.cases(relation):
            try:
                left, right = map(at, relation.args)
            except (KeyError, ValueError):
                return ""
            try:
                if not at.decide(relation):
                    return ""
            except ValueError:  # balls as narrow as these overlap where the sides are equal
                pass
        compared.append(f"{show(left)} {relation.rel_op} {show(right)}")
    return f"the statement holds: {'; '.join(compared)}"


def climb(claim: Claim, rungs: Iterable[Instance]) -> tuple[Number, ...]:
    """The ratios metric / bound of an O(.) claim along a ladder, the hidden constant taken as 1.

    Args:
        claim: the claim to refute.
        rungs: for each rung numbers by symbol name, among them what the claim bounds, and the structural hypotheses.
            Where it has several relations, the largest ratio counts of those whose sides have numbers.

    Raises:
        ValueError: a hypothesis that fails at a rung, or ratios that do not grow tenfold from rung to rung.
    """
    ratios: list[Number] = []
    with precisely():
        for numbers, facts in rungs:
            values = Values({str(C_O): rational(1), **numbers}, claim.where)
            defining = values.define(claim)
            for h in claim.hypotheses:
                if h.key not in defining:
                    _hypothesis(claim, h.key, h.relation, values, facts)
            ratios.append(_largest_ratio(claim, values))
        for before, after in pairwise(ratios):
            if not after > GROWTH * before:
                raise ValueError(f"{claim.id} is not refuted: the ratios {', '.join(map(show, ratios))} do not grow")
    return tuple(ratios)


def _largest_ratio(claim: Claim, values: Values) -> Number:
    ratios = []
    for relation in conjuncts(claim.statement):
        with suppress(KeyError):
            small, large = map(values, relation.args if relation.rel_op in ("<=", "<") else reversed(relation.args))
            ratios.append(small / large)
    if not ratios:
        raise ValueError(f"{claim.id} bounds nothing that has a number")
    return reduce(_max, ratios)


def _hypothesis(claim: Claim, key: str, relation: sp.Basic | None, values: Values, facts: Mapping[str, str]) -> str:
    if relation is None:
        if key not in facts:
            raise ValueError(f"{claim.id}: nothing says that hypothesis {key} holds on this instance")
        return facts[key]
    try:
        if not values.holds(relation):
            cases = [(r, at) for r in conjuncts(relation) for at in values.cases(r)]
            sides = "; ".join(f"{show(at(r.lhs))} {r.rel_op} {show(at(r.rhs))}" for r, at in cases)
            raise ValueError(f"it says {sides}")
    except KeyError as gap:
        raise ValueError(f"{claim.id}: hypothesis {key} needs {gap}") from None
    except ValueError as error:
        raise ValueError(f"{claim.id}: hypothesis {key} does not hold: {error}") from None
    return str(relation)


def _check_stated(example: Counterexample, computed: Replay | Sequence[Number]) -> None:
    """Compare the numbers that a counterexample states with those that were computed.

    Raises:
        ValueError: one differs; it is named.
    """
    states = f"the counterexample to {example.claim.id} states"
    if isinstance(computed, Replay):
        pairs = [("left", example.left, computed.left), ("right", example.right, computed.right)]
    elif len(example.ratios) == len(computed):
        pairs = [("ratio", stated, x) for stated, x in zip(example.ratios, computed, strict=True)]
    else:
        raise ValueError(f"{states} {len(example.ratios)} ratios of {len(computed)}")
    for name, stated, x in pairs:
        with precisely():
            if not agrees(stated, x):
                raise ValueError(f"{states} {name} {stated}, computed is {show(x)}")
