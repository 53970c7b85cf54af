"""A script that reproduces an instance with numpy alone: the program that measures it, every hypothesis, both sides."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Mapping
from functools import reduce
from inspect import getsource
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.probability import OUTCOMES, Pr, drawn, event_of, of_each
from rateproof.theory.symbols import C_O
from rateproof.verify.deciders.growth import MIN_GROWTH, MIN_LENGTH, POWER, Ladder
from rateproof.verify.evidence import ratio, standing, underflows
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import HYPOTHESIS_SLACK, Trial, compare, evaluate

_HEAD = """\
from __future__ import annotations

import math
import sys

import numpy as np

np.seterr(all="ignore")

# --- what is measured
"""

_JUDGE = '''\
HYPOTHESIS_SLACK = {slack}


{compare}

{ratio}

{underflows}

def shown(name, left, relation, right):
    """Print a hypothesis with its numbers, and return whether it holds; equality may miss it by rounding."""
    holds = compare(left, relation, right)
    print(f"  {{'holds' if holds else 'FAILS'}}: {{name}}: {{left:.12g}} {{relation}} {{right:.12g}}")
    return holds


{standing}

def violated(small, large, strict=False):
    """Whether small <= large (small < large) fails beyond all error."""
    return standing(small, large, strict, {limits}) == "violated"

'''

#: What a script needs besides where something is drawn; a relation holds surely where it does so at the worst outcome.
_DRAWN = '''\

def chance(likely, *event):
    """The probability that all relations of an event hold."""
    sides = np.broadcast_arrays(likely, *(side for left, _, right in event for side in (left, right)))
    parts = [(sides[2 * i + 1], relation, sides[2 * i + 2]) for i, (_, relation, _) in enumerate(event)]
    holds = [all(compare(x[k], op, y[k]) for x, op, y in parts) for k in range(len(likely))]
    return math.fsum(p for p, one in zip(likely, holds) if one)


def worst(likely, left, relation, right):
    """Both sides of a relation at the outcome where it is nearest to fail."""
    p, left, right = np.broadcast_arrays(likely, left, right)
    gap = {"<": left - right, ">": right - left}.get(relation[0], abs(left - right))
    at = np.argmax(np.where(p == 0, -np.inf, gap))
    return left[at], right[at]

'''

_LADDER_END = f"""\
while ratios and ratios[0] == 0:
    ratios.pop(0)
steps = [math.log(b / a) if a > 0 and 0 < b < math.inf else math.inf for a, b in zip(ratios, ratios[1:])]
late = steps[-max(1, len(steps) // 3):]
admissible = len(ratios) >= {MIN_LENGTH}
found = admissible and min(ratios) > 0 and (
    math.isinf(ratios[-1])
    or sum(steps) > math.log({MIN_GROWTH!r}) and sum(late) / len(late) >= {POWER!r} * sum(steps) / len(steps)
)
print("ratios where every hypothesis holds:", ", ".join(f"{{r:.6g}}" for r in ratios))
"""

_END = """\
if not admissible:
    print("not admissible: a hypothesis fails")
    sys.exit(2)
print("violated" if found else "holds")
sys.exit(1 if found else 0)
"""


def script(claim: Claim, built: Trial | Ladder, space: Space[Any] | None = None, params: Any = None) -> str:
    """Source text of a script that measures an instance, evaluates a claim on it, and says violated or holds.

    It needs numpy alone and ends with exit code 1 when the claim is violated, 0 when it holds and 2 when a hypothesis
    fails (on a ladder: on all but a few rungs). Where the space has no program, what was measured stands in the script
    as numbers, and the script says so.

    Raises:
        ValueError: an expression of the claim cannot be written as plain Python.
    """
    program = None if space is None or space.program is None else space.program(params)
    trials = built.trials if isinstance(built, Ladder) else (built,)
    lines = [_docstring(claim, built), _HEAD.rstrip("\n")]
    if program is None:
        lines.append("# numbers: no program is known that measures them on plain arrays")
        lines.append("measured = [\n" + "".join(f"    {_plain(t.values)},\n" for t in trials) + "]")
    else:
        lines += [program.rstrip("\n"), f"measured = {'ladder' if isinstance(built, Ladder) else '[values]'}"]
    last = trials[-1]
    sides = evaluate(claim, last).sides
    errors = last.limits(max((side.scale for side in sides), default=0.0))
    limits = {
        "slack": _number(HYPOTHESIS_SLACK),
        "compare": getsource(compare),
        "ratio": getsource(ratio),
        "underflows": getsource(underflows),
        "standing": getsource(standing),
        "limits": ", ".join(f"{name}={_number(x)}" for name, x in errors.items()),
    }
    lines.append(_JUDGE.format(**limits) + (_DRAWN if drawn(last.values) else ""))
    lines.append(f"labels = {[t.label for t in trials]!r}")
    lines.append("found, ratios = False, []\nfor label, values in zip(labels, measured):")
    body = [
        "admissible = True",
        *_numbers(claim, last),
        *_hypotheses(claim, last),
        *_sides(claim, last, ladder=isinstance(built, Ladder)),
    ]
    lines.append("\n".join(f"    {line}" if line else "" for line in body))
    if isinstance(built, Ladder):
        lines.append(_LADDER_END.rstrip("\n"))
    lines.append(_END)
    return "\n".join(lines)


def _docstring(claim: Claim, built: Trial | Ladder) -> str:
    instance = f"along {built.parameter}: {built.why}" if isinstance(built, Ladder) else built.label
    text = f"{claim.id}: {claim.text}\n\nInstance: {instance}\n"
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '"""\n'


def _plain(values: Mapping[str, Any]) -> str:
    written = {name: of_each(_number, x) for name, x in values.items()}
    shown = {name: x if isinstance(x, str) else f"[{', '.join(x)}]" for name, x in written.items()}
    return "{" + ", ".join(f'"{name}": {x}' for name, x in shown.items()) + "}"


def _number(x: float) -> str:
    """A number that Python reads back exactly."""
    return repr(float(x)) if math.isfinite(x) else ("math.nan" if math.isnan(x) else f"{'-' if x < 0 else ''}math.inf")


# --- expressions


def _numbers(claim: Claim, trial: Trial) -> Iterator[str]:
    """Assignments to all symbols that the claim speaks of: measured ones first, then definitions, in order."""
    relations = [*conjuncts(claim.statement), *(r for h in claim.hypotheses for r in conjuncts(h.relation))]
    where = {str(s): e for s, e in claim.where.items()}
    measured, defined = trial.values, dict[str, str]()
    constant = str(C_O)

    def need(expr: sp.Basic) -> None:
        for name in sorted(map(str, _closed(expr).free_symbols)):
            if name == constant and name not in measured:
                defined[name] = "np.float64(1.0)  # the constant hidden by O(.)"
            elif name not in measured and name not in defined:
                if name not in where:
                    # nothing is known of it; what speaks of it cannot be evaluated
                    defined[name] = "np.float64(math.nan)"
                    continue
                need(where[name])
                defined[name] = code(where[name])
            elif name in measured and name not in defined:
                defined[name] = f'np.{"array" if name in random else "float64"}(values["{name}"])'

    random = drawn(measured)
    for relation in relations:
        need(relation)
    yield "# --- numbers and definitions"
    if random:
        yield f'{_LIKELY} = np.array(values["{OUTCOMES}"])'
    yield from (f"{identifier(name)} = {text}" for name, text in defined.items())


def _hypotheses(claim: Claim, trial: Trial) -> Iterator[str]:
    yield from ("", "# --- hypotheses")
    yield "print(label)"
    for h in claim.hypotheses:
        if h.relation is None:
            fact = trial.facts.get(h.key)
            holds = fact is not None and fact.holds
            line = f"  {'holds' if holds else 'FAILS'}: {h.text}: {fact.why if fact else 'nothing is known of it'}"
            yield f"print({line!r})"
            if not holds:
                yield "admissible = False"
        for r in conjuncts(h.relation):
            left, right = map(code, r.args)
            if drawn(trial.values):
                yield f"left, right = worst({_LIKELY}, {left}, {r.rel_op!r}, {right})"
                left, right = "left", "right"
            yield f"admissible &= shown({h.text!r}, {left}, {r.rel_op!r}, {right})"


def _sides(claim: Claim, trial: Trial, *, ladder: bool) -> Iterator[str]:
    yield from ("", "# --- the statement")
    yield "ratios_here = []"
    for r in conjuncts(claim.statement):
        left, right = map(code, r.args)
        some = drawn(trial.values)
        yield f"left, right = {f'worst({_LIKELY}, {left}, {r.rel_op!r}, {right})' if some else f'{left}, {right}'}"
        yield f"print({str(r)!r})"
        yield 'print(f"  left {left:.17g}, right {right:.17g}, left - right {left - right:.6g}")'
        turned = ("right, left",) if r.rel_op in (">=", ">") else ("left, right",)
        both = ("left, right", "right, left") if r.rel_op == "==" else turned
        strict = ", strict=True" if r.rel_op in ("<", ">") else ""
        yield f"found = found or {' or '.join(f'violated({sides}{strict})' for sides in both)}"
        usable = "not underflows({0}) and " if ladder else ""
        for sides in both:
            yield f"ratios_here += [r for r in [ratio({sides})] if {usable.format(sides)}not math.isnan(r)]"
    yield "if not admissible or not ratios_here:"
    yield "    print('  left out: a hypothesis fails, or a side is not defined here')"
    yield "else:"
    yield "    ratios.append(max(ratios_here))"


#: The probabilities of the outcomes, in a script.
_LIKELY = "likely"


def identifier(name: str) -> str:
    """A name that Python takes; the symbols' names are such nearly always."""
    plain = re.sub(r"\W", "_", name)
    modules = ("np", "math", "sys")
    functions = ("compare", "ratio", "shown", "standing", "underflows", "violated")
    names = ("values", "measured", "ratios", "ratios_here", "left", "right", "admissible", "found", "label", "labels")
    used = (*modules, *functions, *names, "chance", "worst", _LIKELY)
    return f"{plain}_" if keyword.iskeyword(plain) or plain in used or plain[:1].isdigit() else plain


def code(expr: sp.Basic) -> str:
    """An expression in Python, for numbers of numpy.

    Raises:
        ValueError: it has a function that is not known here.
    """
    from sympy.printing.numpy import NumPyPrinter

    class Printer(NumPyPrinter):
        def _print_Symbol(self, symbol: sp.Symbol) -> str:
            return identifier(str(symbol))

        def _print_Integer(self, number: sp.Integer) -> str:
            # numpy raises integers only to nonnegative powers
            return f"{int(number)}.0"

        def _print_Rational(self, number: sp.Rational) -> str:
            return f"{number.p}.0/{number.q}.0"

        def _print_Max(self, most: sp.Max) -> str:
            return reduce(lambda a, b: f"np.maximum({a}, {b})", map(self._print, most.args))

        def _print_Min(self, least: sp.Min) -> str:
            return reduce(lambda a, b: f"np.minimum({a}, {b})", map(self._print, least.args))

        def _print_Pr(self, chance: Pr) -> str:
            parts = (f"({self._print(r.lhs)}, {r.rel_op!r}, {self._print(r.rhs)})" for r in event_of(chance))
            return f"chance({_LIKELY}, {', '.join(parts)})"

        def _print_Sum(self, total: sp.Sum) -> str:
            (index, low, high), *more = total.limits
            if more:
                raise ValueError(f"a sum over several indices is not written as Python: {total}")
            ends = f"range(int({self._print(low)}), int({self._print(high)}) + 1)"
            return f"sum({self._print(total.function)} for {self._print(index)} in map(np.float64, {ends}))"

    try:
        text: str = Printer({"strict": True}).doprint(_closed(expr))
    except NotImplementedError:
        raise ValueError(f"this is not written as plain Python: {expr}") from None
    return text.replace("numpy.", "np.")


def _closed(expr: sp.Basic) -> sp.Basic:
    """Sums in closed form where there is one, as the engine evaluates them."""
    return expr.doit() if expr.has(sp.Sum) else expr
