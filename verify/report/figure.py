"""A plot of both sides along the parameter that moves them most, as a small SVG from the table that sliders walk."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import normalize

from rateproof.theory.symbols import GREEK
from rateproof.verify.pages import typeset
from rateproof.verify.report.sliders import At, Moved, Tried, called, short

WIDTH, HEIGHT = 620, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 28, 14, 44
#: Above this ratio of the largest to the least value an axis is logarithmic.
_WIDE = 25.0


@dataclass(frozen=True)
class Plot:
    """A drawing, and what it says in a sentence."""

    svg: str
    caption: str


def plot(tried: Tried, names: Mapping[str, str]) -> Plot | None:
    """The plot; None where no parameter has three values at which both sides have numbers.

    Args:
        tried: the table.
        names: of parameters, as the paper prints them.
    """
    tables = ((moved, list(_points(moved))) for moved in tried.parameters)
    moved, points = next(((moved, points) for moved, points in tables if len(points) > 2), (None, []))
    if moved is None:
        return None
    named = names.get(moved.name, letters(called(moved.name)))
    if tried.climbs:
        ratios = [_ratio(one) for _, one in points]
        ratios = ratios if tried.op in ("<", "<=") else [1 / ratio for ratio in ratios]
        said = f"Both sides on the instances: from {short(ratios[0], 3)} their ratio grows to {short(ratios[-1], 3)}."
        return Plot(_drawn(named, points, None, tried.op), said)
    said = f"Both sides where only {named} changes, at {len(points)} values."
    violated = [(_ratio(one), x) for x, one in points if one.violated and not one.failed and _ratio(one) > 0]
    if violated and tried.op in ("<", "<=", ">", ">="):
        # of an inequality the other way round the least ratio is the worst
        ratio, x = max(violated) if tried.op in ("<", "<=") else min(violated)
        digits = next((n for n in (4, 6, 9) if short(ratio, n) != "1"), 12)
        said += f" The left side is {short(ratio, digits)} times the printed right side at {named} = {short(x)}."
    return Plot(_drawn(named, points, moved.numbers[moved.start], tried.op), said)


def _points(moved: Moved) -> Iterator[tuple[float, At]]:
    for x, at in zip(moved.numbers, moved.found, strict=False):  # choices have no numbers
        if at is not None and at.left is not None and at.right is not None:
            yield x, at


def _ratio(at: At) -> float:
    return at.left / at.right if at.left and at.right else 0.0


def letters(name: str) -> str:
    """A name, with the letters that it writes out."""
    return re.sub(rf"(?<![A-Za-z])(?:{GREEK})(?![a-z])", lambda hit: typeset.text(f"\\{hit[0]}"), name)


def spans(name: str) -> str:
    """A name for an SVG, its scripts set lower and higher."""
    out, back = "", 0
    for small, sign in ((_BELOW, "_"), (_ABOVE, "^")):
        pieces = re.split(f"([{small}]+)", name)
        name = "".join(f"{sign}({normalize('NFKC', one)})" if i % 2 else one for i, one in enumerate(pieces))
    for piece in re.split(r"([_^](?:\([^()]*\)|[^\W_]+|[*+]))", name.replace("^′", "′")):
        if piece[:1] in ("_", "^") and len(piece) > 1:
            shift = 4 if piece[0] == "_" else -5
            out += f'<tspan dy="{shift + back}" class="script">{escape(piece[1:].strip("()"))}</tspan>'
            back = -shift
        elif piece:
            out += f'<tspan dy="{back}">{escape(piece)}</tspan>' if back else escape(piece)
            back = 0
    return out


#: Letters and signs that Unicode has above and below the line.
_ABOVE, _BELOW = "²³¹⁰-ⁿᴬ-ᵡⱽ", "₀-ₜᵢ-ᵪⱼ"


@dataclass(frozen=True)
class Axis:
    """From numbers to places on an axis, and the numbers that stand beside it."""

    place: Callable[[float], float]
    ticks: Sequence[float]


def axis(values: Sequence[float], start: float, end: float, *, plain: bool = False) -> Axis:
    """The axis from ``start`` to ``end`` for some numbers.

    Where their ratio is large it is logarithmic, and else begins at 0; a ``plain`` one is neither.
    """
    low, high = min(values), max(values)
    if low > 0 and high / low > _WIDE and not plain:
        a, b = math.log10(low), math.log10(high)
        whole = range(math.ceil(a - 1e-9), math.floor(b + 1e-9) + 1)
        ticks = [10.0**k for k in whole][:: max(1, math.ceil(len(whole) / 6))]
        return Axis(lambda x: start + (math.log10(max(x, low)) - a) / (b - a) * (end - start), ticks)
    low, high = min(low, 0.0) if low > -1e-300 and not plain else low, high if high > low else low + 1
    step = 10 ** math.floor(math.log10(high - low))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= 6)
    first = math.ceil(low / step - 1e-9)
    ticks = [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
    return Axis(lambda x: start + (x - low) / (high - low) * (end - start), ticks)


def _curve(points: Sequence[tuple[float, At]], side: str) -> list[tuple[float, float]]:
    return [(x, y) for x, one in points if (y := getattr(one, side)) is not None]


def _drawn(named: str, points: Sequence[tuple[float, At]], at: float | None, sign: str) -> str:
    sides = (("left", "left side"), ("right", "printed right side"), ("corrected", "corrected right side"))
    curves = [(side, title, _curve(points, side)) for side, title in sides]
    curves = [one for one in curves if len(one[2]) > 2]
    heights = [y for _, _, curve in curves for _, y in curve]
    x_axis = axis([x for x, _ in points], _LEFT, WIDTH - _RIGHT)
    y_axis = axis(heights, HEIGHT - _BOTTOM, _TOP)
    described = f"both sides of a relation with {sign} along {named}"
    parts = [f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(described)}">']
    for tick in x_axis.ticks:
        x = x_axis.place(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{HEIGHT - _BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - _BOTTOM + 17}" text-anchor="middle">{short(tick, 6)}</text>')
    for tick in y_axis.ticks:
        y = y_axis.place(tick)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{short(tick, 6)}</text>')
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{spans(named)}</text>')
    if at is not None:
        place = x_axis.place(at)
        parts.append(f'<path class="here" d="M{place:.1f} {_TOP}V{HEIGHT - _BOTTOM}"/>')
    for kind, title, curve in curves:
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in curve]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path class="curve {kind}" d="M{line}"><title>{title}</title></path>')
    for x, one in points:
        assert one.left is not None
        shape = "violated" if one.violated and not one.failed else "kept"
        parts.append(f'<circle class="{shape}" cx="{x_axis.place(x):.1f}" cy="{y_axis.place(one.left):.1f}" r="3.4"/>')
    return "".join([*parts, "</svg>"])
