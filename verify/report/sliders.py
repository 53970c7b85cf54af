"""What a reader may change on the page of a claim: the parameters of its instance, with both sides and all hypotheses.

Each parameter is moved alone over some values, and the family is measured at each: this table is what sliders walk,
and what the plot shows. Where the family goes through with expressions in the place of numbers, both sides and
hypotheses also become JavaScript, so that several parameters can be moved at once. It is kept only where it says the
same as the family on the whole table and on combinations of its values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from operator import add, eq, ge, gt, le, lt, mul, sub, truediv
from random import Random
from types import CodeType, SimpleNamespace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.digest import definitions
from rateproof.theory.proof.trusted import said
from rateproof.theory.symbols import GREEK
from rateproof.verify import registry
from rateproof.verify.evidence import Verdict
from rateproof.verify.form.arithmetic import root
from rateproof.verify.form.family import Family, Params, Range
from rateproof.verify.form.record import Record
from rateproof.verify.pages.facts import meaning
from rateproof.verify.spaces.space import refusing
from rateproof.verify.stored.baseline import Entry
from rateproof.verify.trial import Outcome, Side, Trial, evaluate

#: What a real parameter is multiplied with: 21 round factors.
_FACTORS = [Fraction(n, 10) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)]
#: Where it is 0 on the instance.
_STEPS = [Fraction(n, 10) for n in range(21)]
#: Combinations of values at which JavaScript is compared with the family, and how closely they have to agree.
_COMBINED, _AGREE = 40, 1e-9
#: Lines of what is still a closed form, parameters that are shown, and instances among which one is chosen.
_LINES, _MOST, _FIRST = 400, 10, 60


@dataclass(frozen=True)
class At:
    """What is found with one parameter changed.

    Attributes:
        left, right, corrected: both sides of the relation, and the corrected larger side; None where there is none.
        violated: whether the relation is, beyond rounding.
        failed: hypotheses that do not hold, by their number.
    """

    left: float | None = None
    right: float | None = None
    corrected: float | None = None
    violated: bool = False
    failed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Moved:
    """A parameter that is moved.

    Attributes:
        name: of the parameter.
        values: as they are printed, and ``numbers``; a choice has none.
        start: which of them is the instance's.
        found: at each value; None where it makes no instance.
        words: what it stands for; empty where nobody says.
    """

    name: str
    values: tuple[str, ...]
    numbers: tuple[float, ...]
    start: int
    found: tuple[At | None, ...]
    words: str = ""


@dataclass(frozen=True)
class Tried:
    """An instance that can be changed.

    Attributes:
        family: its name, and ``about``, what it is in a sentence.
        relation: the number of the relation of the statement that is shown, and ``op`` its sign.
        parameters: those that change anything.
        fixed: the others, with their values.
        inputs: the parameters that may be moved together.
        code: JavaScript that returns left, right, corrected and which hypotheses hold of ``p``, the numbers of these
            by name; it returns null in another case of the family, and null for a hypothesis that it does not know.
            Empty where there is none.
        climbs: the one parameter walks the rungs of a counterexample to an O(.) claim, where the ratio of the sides
            grows; the hidden constant is 1.
    """

    family: str
    about: str
    relation: int
    op: str
    parameters: tuple[Moved, ...]
    fixed: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...] = ()
    code: str = ""
    climbs: bool = False


def tried(claim: Claim, corrected: Claim | None, entry: Entry | None) -> Tried | None:
    """The instance of a claim that violates it, or attains it, with its parameters moved; None where it has none."""
    if (found := instance(claim, entry)) is None:
        return None
    family, params = found
    measured = _Measured(claim, corrected, family)
    first = measured.outcome(params)
    if first is None or (side := _worst(*first)) is None:
        return None
    measured.relation = conjuncts(claim.statement).index(side.relation)
    moved = []
    for name, range_ in family.ranges.items():
        values = values_around(range_, params[name])
        table = tuple(measured.at({**params, name: value}) for value in values)
        if len(set(table)) > 1:
            numbers = () if range_.kind == "choice" else tuple(map(float, values))
            words = meaning(name, claim, family)
            moved.append(Moved(name, tuple(map(printed, values)), numbers, values.index(params[name]), table, words))
    if not moved:
        return None
    shown = chosen(moved)
    names = [one.name for one in shown]
    fixed = tuple((name, printed(x)) for name, x in params.items() if name not in names)
    inputs, code = _script(
        measured, params, {one.name: values_around(family.ranges[one.name], params[one.name]) for one in shown}
    )
    about = re.sub(r":\w+:(?=`)|`", "", said(family.run))
    if about.startswith(("The same", "As ")):  # it speaks of another family
        about = ""
    return Tried(family.name, about, measured.relation, side.relation.rel_op, tuple(shown), fixed, inputs, code)


def instance(claim: Claim, entry: Entry | None) -> tuple[Family, Params] | None:
    """A family of the claim's record and the parameters of the instance to begin with."""
    held = registry.record(claim)
    if not isinstance(held, Record) or held.climbs or claim.statement is None:
        return None
    if held.refuted_by is not None:
        return (held.refuted_by.family, held.shown) if held.refuted_by.climb is None else None
    violated = entry.result.violated if entry else None
    if violated is not None:
        at = dict(violated["at"])
        family = next((one for one in held.families if one.name == at.pop("family", None)), None)
        return None if family is None else (family, family.read(at))
    if held.tight is not None or (entry is not None and entry.result.verdict is Verdict.SUPPORTED):
        family = held.families[0]
        params = _telling(claim, family)
        return None if params is None else (family, params)
    return None


def _telling(claim: Claim, family: Family) -> Params | None:
    """The first instance that satisfies all hypotheses and has two sides other than 0, else the simplest."""
    simplest, measured = None, _Measured(claim, None, family)
    for params in islice(family.corners(claim, apart=1), _FIRST):
        simplest = simplest or params
        found = measured.outcome(params)
        side = found[0].worst if found and not (found[0].failed or found[0].open) else None
        if side is not None and all(side.printed):
            return params
    return simplest


def values_around(range_: Range, start: Any) -> list[Any]:
    """The values of a parameter that is moved, that of the instance among them."""
    if range_.kind == "choice":
        return list(range_.corners)
    if range_.kind == "count":
        return sorted({start, *range_.corners, *(n for n in range_.drawn if n <= max(100, 10 * start))})
    if start == 0:
        low = min([*range_.corners, Fraction(0)])
        return [x - 1 for x in _STEPS] if low < 0 else list(_STEPS)
    return sorted(start * factor for factor in _FACTORS)


def printed(x: Any) -> str:
    """A value of a parameter, as it stands beside its slider."""
    if isinstance(x, bool):
        return "yes" if x else "no"
    if isinstance(x, str):
        return x.replace("_", " ")
    return short(float(x), 6) if isinstance(x, Fraction) and x.denominator > 1000 else str(x).replace("-", "−")


@dataclass
class _Measured:
    """A family, and what a claim and its correction say on its instances."""

    claim: Claim
    corrected: Claim | None
    family: Family
    relation: int = 0
    kept: dict[tuple[Any, ...], At | None] = field(default_factory=dict)

    def outcome(self, params: Params) -> tuple[Outcome, Trial] | None:
        try:
            trial = refusing(self.family.quick)(params)
        except ValueError:
            return None  # these parameters make no instance
        return evaluate(self.claim, trial), trial

    def at(self, params: Params) -> At | None:
        """What is found on an instance."""
        key = tuple(params.values())
        if key not in self.kept:
            self.kept[key] = self._at(params)
        return self.kept[key]

    def _at(self, params: Params) -> At | None:
        if (found := self.outcome(params)) is None:
            return None
        outcome, trial = found
        keys = [h.key for h in self.claim.hypotheses]
        failed = tuple(i for i, key in enumerate(keys) if key in outcome.failed or key in outcome.open)
        shown = conjuncts(self.claim.statement)[self.relation]
        sides = [side for side in outcome.sides if side.relation == shown]
        if not sides:
            return At(failed=failed)
        left, right = sides[0].printed
        violated = any(side.standing(trial) == "violated" for side in sides)
        return At(number(left), number(right), self._mended(trial), violated, failed)

    def _mended(self, trial: Trial) -> float | None:
        if (twin := self.twin) is None or self.corrected is None:
            return None
        outcome = evaluate(self.corrected, trial)
        side = next((side for side in outcome.sides if side.relation == twin), None)
        # where a hypothesis of the correction misses, its bound says nothing
        if side is None or (not outcome.admissible and side.standing(trial) == "violated"):
            return None
        return number(side.printed[1])

    @property
    def twin(self) -> sp.Rel | None:
        """The relation of the correction with the same left side."""
        return twin_of(conjuncts(self.claim.statement)[self.relation], self.corrected)


def twin_of(shown: sp.Rel, corrected: Claim | None) -> sp.Rel | None:
    """The relation of a correction with the left side of one of the print."""
    others = conjuncts(corrected.statement) if corrected is not None else ()
    return next((one for one in others if one.lhs == shown.lhs and one.rel_op == shown.rel_op), None)


def _worst(outcome: Outcome, trial: Trial) -> Side | None:
    violated = [side for side in outcome.sides if side.standing(trial) == "violated"]
    return next(iter(violated), outcome.worst)


def number(x: float) -> float | None:
    """Twelve digits, which all machines have in common; None where JSON has no number."""
    return float(f"{x:.12g}") if math.isfinite(x) else None


def short(x: float, digits: int = 4) -> str:
    """A number in a few digits, with the power of ten as it is written by hand."""
    mantissa, _, power = f"{x:.{digits}g}".partition("e")
    signed = mantissa.replace("-", "−")
    if not power:
        return signed
    raised = str(int(power)).translate(_RAISED)
    return f"10{raised}" if mantissa == "1" else f"{signed}·10{raised}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def called(name: str) -> str:
    """A parameter in words: a letter keeps its index."""
    if re.fullmatch(r"[A-Za-z]\d", name):
        return f"{name[0]}_{name[1]}"
    return name if re.match(rf"(?:[A-Za-z]b?|{GREEK}|lam)_", name) else name.replace("_", " ")


def chosen(moved: Iterable[Moved]) -> list[Moved]:
    """The parameters that are shown, those that change most first."""
    return sorted(moved, key=_movement, reverse=True)[:_MOST]


def _movement(moved: Moved) -> float:
    """By which factor the ratio of both sides changes while all hypotheses are in force."""
    pairs = ((at.left, at.right) for at in moved.found if at is not None and not at.failed)
    ratios = [abs(a / b) for a, b in pairs if a and b]
    return max(ratios) / min(ratios) if ratios else 0.0


# --- JavaScript


class _Untraceable(ValueError):  # noqa: N818 - it is an answer, not a fault
    """A family that does not go through with expressions."""


class _Lines:
    """Lines of JavaScript, each of which gives a name to an operation; they are Python as well."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        #: Comparisons that were asked for, and held.
        self.noted: list[str] = []

    def named(self, operation: str) -> str:
        """The name of an operation."""
        if len(self.names) > 20 * _LINES:
            raise _Untraceable("too many operations")
        return self.names.setdefault(operation, f"t{len(self.names)}")

    def needed(self, codes: Iterable[str]) -> list[str]:
        """The lines on which some expressions stand, in order."""
        operations = {name: operation for operation, name in self.names.items()}
        wanted, open_ = set[str](), [name for code in codes for name in _NAME.findall(code)]
        while open_:
            if (name := open_.pop()) not in wanted:
                wanted.add(name)
                open_ += _NAME.findall(operations[name])
        if len(wanted) > _LINES:
            raise _Untraceable("too many operations")
        return [f"{name}={operation}" for operation, name in self.names.items() if name in wanted]


_NAME = re.compile(r"\bt\d+\b")


class _Expression:
    """A number of an instance: on this instance, as a name or a number in JavaScript, and exactly where it is constant.

    A comparison is decided by the number and noted: it is a case in which the instance is.
    """

    __slots__ = ("code", "exact", "lines", "x")

    def __init__(self, x: float, code: str, lines: _Lines, exact: Fraction | None = None) -> None:
        self.x, self.code, self.lines, self.exact = x, code, lines, exact

    def _constant(self, x: Fraction) -> _Expression:
        return _Expression(float(x), _literal(x), self.lines, x)

    def _read(self, other: Any) -> _Expression:
        if isinstance(other, _Expression):
            return other
        if isinstance(other, float):  # it may hide what it was made of: then the numbers of the table are others
            return _Expression(other, repr(other), self.lines)
        return self._constant(Fraction(other))

    def _joined(self, other: Any, sign: str, compute: Callable[[Any, Any], Any], turned: bool = False) -> _Expression:
        a, b = (self._read(other), self) if turned else (self, self._read(other))
        if a.exact is not None and b.exact is not None and (sign != "**" or b.exact.denominator == 1):
            return self._constant(Fraction(compute(a.exact, b.exact)))
        for one, two in ((a, b), (b, a)) if sign in "+*" else ((a, b),):
            if two.exact == (0 if sign in "+-" else 1):
                return one
        if sign == "*" and 0 in (a.exact, b.exact):
            return self._constant(Fraction(0))
        text = f"Math.pow({a.code},{b.code})" if sign == "**" else f"{a.code}{sign}{b.code}"
        return _Expression(compute(a.x, b.x), self.lines.named(text), self.lines)

    def __add__(self, other: Any) -> _Expression:
        return self._joined(other, "+", add)

    def __sub__(self, other: Any) -> _Expression:
        return self._joined(other, "-", sub)

    def __rsub__(self, other: Any) -> _Expression:
        return self._joined(other, "-", sub, turned=True)

    def __mul__(self, other: Any) -> _Expression:
        return self._joined(other, "*", mul)

    def __truediv__(self, other: Any) -> _Expression:
        return self._joined(other, "/", truediv)

    def __rtruediv__(self, other: Any) -> _Expression:
        return self._joined(other, "/", truediv, turned=True)

    def __pow__(self, other: Any) -> _Expression:
        return self._joined(other, "**", pow)

    def __rpow__(self, other: Any) -> _Expression:
        return self._joined(other, "**", pow, turned=True)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> _Expression:
        return 0 - self

    def __abs__(self) -> _Expression:
        return self._called("abs", abs)

    def __float__(self) -> float:
        return self.x

    def sqrt(self) -> _Expression:
        """See :func:`rateproof.verify.form.arithmetic.sqrt`."""
        return self._called("sqrt", math.sqrt)

    def function(self, name: str) -> _Expression:
        """See :meth:`rateproof.verify.form.arithmetic.Exact.function`."""
        if name not in _FUNCTIONS:
            raise _Untraceable(name)
        return self._called(name, _FUNCTIONS[name])

    def root(self, slope: Callable[[Any], Any], modulus: Any) -> _Expression:
        """See :func:`rateproof.verify.form.arithmetic.root`: where a secant meets it, on an affine piece."""
        noted = len(self.lines.noted)
        near = root(lambda t: float(slope(self._constant(Fraction(t)))), self.x, float(modulus))
        at, width = Fraction(near).limit_denominator(1000), Fraction(1, 1024)
        low, high = slope(self._constant(at - width)), slope(self._constant(at + width))
        met = at - width + 2 * width * low / (low - high)
        del self.lines.noted[noted:]
        slope(met)  # the piece is that on which the root lies
        return self._read(met)

    def around(self, within: Any = None) -> _Expression:
        """It carries no account of its rounding, as floats do not."""
        return self

    def _called(self, name: str, compute: Callable[[float], float]) -> _Expression:
        called = name if name == "erfc" else f"Math.{name}"
        return _Expression(compute(self.x), self.lines.named(f"{called}({self.code})"), self.lines)

    def _compared(self, other: Any, sign: str, compute: Callable[[float, float], bool]) -> bool:
        two = self._read(other)
        holds = compute(self.x, two.x)
        if self.exact is None or two.exact is None:
            self.lines.noted.append(f"({self.code}{(sign if holds else _OTHERWISE[sign])}{two.code})")
        return holds

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, "<", lt)

    def __le__(self, other: Any) -> bool:
        return self._compared(other, "<=", le)

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, ">", gt)

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, ">=", ge)

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "==", eq)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.x:g}"


_OTHERWISE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!="}
#: What JavaScript has as well; ``erfc`` comes from the script of the pages.
_FUNCTIONS = {name: getattr(math, name) for name in ("exp", "log", "sin", "cos", "atan", "erfc")}
#: What the lines may call, so that they can be evaluated here as well.
_MATH = SimpleNamespace(
    **_FUNCTIONS, pow=math.pow, sqrt=math.sqrt, cbrt=math.cbrt, abs=abs, max=max, min=min, E=math.e, PI=math.pi
)


def _literal(x: Any) -> str:
    if isinstance(x, Fraction) and x.denominator != 1:
        return f"({x.numerator}/{x.denominator})"
    return f"({x})" if x < 0 else str(x)


def _script(measured: _Measured, params: Params, values: Mapping[str, Sequence[Any]]) -> tuple[tuple[str, ...], str]:
    """Names of the parameters that may be moved together, and the JavaScript; empty where there is none."""
    kinds = {name: measured.family.ranges[name].kind for name in values}
    real = [name for name in values if kinds[name] in ("real", "multiple")]
    for names in ([*real, *(name for name in values if kinds[name] == "count")], real):
        # a family may do with its numbers what expressions do not know
        with suppress(_Untraceable, ArithmeticError, ValueError, TypeError, KeyError, AttributeError):
            return tuple(names), _code(measured, params, names, values)
    return (), ""


def _code(measured: _Measured, params: Params, names: Sequence[str], values: Mapping[str, Sequence[Any]]) -> str:
    """The text.

    Raises:
        _Untraceable: there is none, or it does not say what the family says.
    """
    if len(names) < 2:
        raise _Untraceable("one parameter is walked in the table")
    lines = _Lines()

    def traced(name: str, x: Any) -> Any:
        if name in names:
            return _Expression(float(x), f"p.{name}", lines)
        return _Expression(float(x), _literal(x), lines, x) if isinstance(x, Fraction) else x

    inputs = {name: traced(name, x) for name, x in params.items()}
    answers = inputs | {key: x for key, x in measured.family.run(**inputs).items() if x is not None}
    claim, (shown, twin) = measured.claim, (conjuncts(measured.claim.statement)[measured.relation], measured.twin)
    text = _Text(claim, answers, lines)
    sides = [text(shown.lhs), text(shown.rhs)]
    if twin is not None and measured.corrected is not None:
        sides.append(_Text(measured.corrected, answers, lines)(twin.rhs))
    stated = [
        None if h.relation is None else [text.relation(r) for r in conjuncts(h.relation)] for h in claim.hypotheses
    ]
    noted = list(dict.fromkeys(lines.noted))
    told = [*sides, *noted, *(code for own in stated if own is not None for code in own)]
    program = compile(";".join([*lines.needed(told), f"out=[{','.join(told)}]"]), "<closed form>", "exec")
    samples = [
        (at, dict(zip(told, found, strict=True))) for at, found in _samples(measured, params, names, values, program)
    ]
    agree = [_agrees(at, [found[side] for side in sides]) for at, found in samples]
    case = _case(noted, [found for _, found in samples], agree)
    if any(at.corrected is None for at, _ in samples):
        sides = sides[:2]
    inside = [(at, found) for at, found in samples if all(found[one] for one in case)]
    holds = [_holds(i, own, noted, inside) for i, own in enumerate(stated)]
    sides += ["null"] * (3 - len(sides))
    result = f"[{','.join(sides)},[{','.join(holds)}]]"
    used = lines.needed([*case, *sides, *holds])
    return "".join([*(f"const {line};" for line in used), f"return {'&&'.join([*case, result])}||null"])


def _samples(
    measured: _Measured, params: Params, names: Sequence[str], values: Mapping[str, Sequence[Any]], program: CodeType
) -> Iterator[tuple[At, list[Any]]]:
    """What the family and the lines give, on the table and on combinations of its values."""
    drawn = Random(0)
    changes = [{name: x} for name in names for x in values[name]]
    changes += [{name: drawn.choice(values[name]) for name in names} for _ in range(_COMBINED)]
    for change in changes:
        changed = {**params, **change}
        if (at := measured.at(changed)) is not None and at.left is not None:
            p = SimpleNamespace(**{name: float(changed[name]) for name in names})
            known: dict[str, Any] = {"__builtins__": {}, "Math": _MATH, "erfc": math.erfc, "p": p}
            with suppress(ArithmeticError):  # JavaScript has infinities there
                exec(program, known)
                yield at, known["out"]


def _agrees(at: At, sides: Sequence[float]) -> bool:
    known = (at.left, at.right, at.corrected)
    pairs = [(a, b) for a, b in zip(sides, known, strict=False) if b is not None]
    return len(pairs) > 1 and all(math.isclose(a, b, rel_tol=_AGREE, abs_tol=_AGREE) for a, b in pairs)


def _case(noted: Sequence[str], found: Sequence[Mapping[str, Any]], agree: Sequence[bool]) -> list[str]:
    """The comparisons that say where the lines speak of the family.

    Raises:
        _Untraceable: they do not.
    """
    inside = [one for one, same in zip(found, agree, strict=True) if same]
    outside = [one for one, same in zip(found, agree, strict=True) if not same]
    kept = [one for one in noted if all(at[one] for at in inside) and not all(at[one] for at in outside)]
    if 2 * len(inside) < len(found) or any(all(at[one] for one in kept) for at in outside):
        raise _Untraceable("the family gives other numbers")
    return kept


def _holds(
    number: int, stated: Sequence[str] | None, noted: Sequence[str], inside: Sequence[tuple[At, Mapping[str, Any]]]
) -> str:
    """Whether a hypothesis holds: its relations, or for a fact those comparisons that hold wherever it does.

    ``null``, not known, where these do not say what the family says.
    """
    true = [found for at, found in inside if number not in at.failed]
    false = [found for at, found in inside if number in at.failed]
    if stated is None:
        stated = [one for one in noted if all(at[one] for at in true) and not all(at[one] for at in false)]
    if all(at[one] for one in stated for at in true) and not any(all(at[one] for one in stated) for at in false):
        return "&&".join(stated) or "true"
    return "null"


class _Text:
    """JavaScript of the expressions of a claim."""

    def __init__(self, claim: Claim, answers: Mapping[str, Any], lines: _Lines) -> None:
        self.answers, self.lines = answers, lines
        self.where = {str(s): e for s, e in definitions(claim).items()}

    def __call__(self, expression: sp.Basic) -> str:
        if expression.has(sp.Sum):
            expression = expression.doit()
        names = {s: f"S{i}_" for i, s in enumerate(sorted(expression.free_symbols, key=str))}
        code = sp.jscode(expression.xreplace({s: sp.Symbol(name) for s, name in names.items()}))
        if "\n" in code or "?" in code:
            raise _Untraceable("a case, or a function that JavaScript lacks")
        for s, name in names.items():
            code = code.replace(name, self._symbol(str(s)))
        return self.lines.named(code)

    def relation(self, relation: sp.Rel) -> str:
        """A relation; it may be missed by rounding."""
        left, right = self(relation.lhs), self(relation.rhs)
        slack = f"1e-12*Math.max(Math.abs({left}),Math.abs({right}))"
        match relation.rel_op:
            case "<=":
                return f"({left}<={right}+{slack})"
            case ">=":
                return f"({left}>={right}-{slack})"
            case "==":
                return f"(Math.abs({left}-{right})<={slack})"
        return f"({left}{relation.rel_op}{right})"

    def _symbol(self, name: str) -> str:
        x = self.answers.get(name)
        if isinstance(x, _Expression):
            return x.code
        if isinstance(x, int | Fraction) and not isinstance(x, bool):
            return _literal(x)
        if x is None and name in self.where:
            return self(self.where[name])
        raise _Untraceable(f"{name} is {x!r}")
