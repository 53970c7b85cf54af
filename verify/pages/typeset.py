"""Formulas for a reader: as LaTeX, from it as MathML and as a line of Unicode, and what differs between two of them.

There is one printer, that of LaTeX. A page shows the MathML that latex2mathml makes of it, a terminal the text that
:func:`text` reads off that MathML, so that all places print a symbol alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Any
from unicodedata import normalize
from xml.etree import ElementTree as Tree

import sympy as sp
from sympy.printing.latex import LatexPrinter

from rateproof.theory.gram import Vector
from rateproof.theory.gram.vectors import factors
from rateproof.theory.probability import Pr, event_of
from rateproof.theory.proof.folded import InnerProduct, added, groups, ordered
from rateproof.theory.symbols import info
from rateproof.theory.symbols import tex as of_plain
from rateproof.verify.pages.page import MARKS

#: LaTeX of symbols.
Names = Mapping[sp.Symbol, str]
RELATIONS = {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne", "<": "<", ">": ">"}
#: The colours that LaTeX gives to what differs between the print and its correction.
WRONG, RIGHT = "red", "green"


#: Letters that code has short.
_LETTERS = {"lam": r"\lambda", "Lam": r"\Lambda", "eps": r"\epsilon"}


class Marked(sp.Function):
    """A part of a formula that differs from that of another one: a part, and the colour of its mark."""

    nargs = 2
    is_commutative = True

    def sort_key(self, order: str | None = None) -> Any:
        """Among factors it stands where its part does, and behind that, if both are there."""
        return (*self.args[0].sort_key(order), str(self.args[1]))


class _Printer(LatexPrinter):
    """sympy's LaTeX, with names of its own, powers as fractions on one line, and thin spaces between factors.

    What was printed is kept: terms are printed to be sorted, whole sides to see whether they have room.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(dict(settings))
        self._printed: dict[sp.Basic, str] = {}

    def _print(self, expr: Any, **kwargs: Any) -> str:
        if kwargs or not isinstance(expr, sp.Basic):
            return str(super()._print(expr, **kwargs))
        if expr not in self._printed:
            self._printed[expr] = str(super()._print(expr))
        return self._printed[expr]

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        name: str = self._settings["symbol_names"].get(expr) or super()._print_Symbol(expr)
        return name

    def _print_Marked(self, expr: Marked, exp: str | None = None) -> str:
        colour, inner = str(expr.args[1]), self._print(expr.args[0])
        body = rf"\textcolor{{{colour}}}{{{inner}}}"
        return body if exp is None else rf"{{{body}}}^{{{exp}}}"

    def _print_Pr(self, expr: Pr, exp: str | None = None) -> str:
        event = r",\ ".join(map(self._print, event_of(expr)))
        body = rf"\Pr\left[{event}\right]"
        return body if exp is None else rf"{body}^{{{exp}}}"

    def _hprint_Function(self, func: str) -> str:
        """A sequence has a letter as a symbol has one."""
        return _LETTERS.get(func) or str(super()._hprint_Function(func))

    def _print_Relational(self, expr: Any) -> str:
        return rf"{self._print(expr.lhs)} {RELATIONS[expr.rel_op]} {self._print(expr.rhs)}"

    def _print_Exp1(self, expr: sp.Basic, exp: str | None = None) -> str:
        return "e" if exp is None else f"e^{{{exp}}}"

    def _as_ordered_terms(self, expr: sp.Add, order: str | None = None) -> list[sp.Expr]:
        """What is added stands before what is taken away."""
        terms = super()._as_ordered_terms(expr, order=order)
        return sorted(terms, key=lambda term: _signed(self, term))

    def parenthesize_super(self, s: str) -> str:
        """A name with a dash is in brackets below a power, as sympy does for one with a power."""
        base: str = super().parenthesize_super(s)
        return f"{{{base}}}" if "'" in base else base

    def _needs_mul_brackets(self, expr: sp.Basic, first: bool = False, last: bool = False) -> bool:
        if isinstance(expr, Marked):
            return self._needs_mul_brackets(expr.args[0], first, last)
        needed: bool = super()._needs_mul_brackets(expr, first, last)
        return needed


def _signed(printer: LatexPrinter, term: sp.Expr) -> bool:
    return _MARK.sub("", str(printer._print(term))).lstrip().startswith("-")


_MARK = re.compile(r"^\s*\\textcolor\{[a-z]+\}\{")


_PLAIN: Names = {}


def tex(expression: sp.Basic, names: Names = _PLAIN) -> str:
    """LaTeX of an expression or a relation.

    Args:
        expression: it.
        names: LaTeX of its symbols; those without have sympy's.
    """
    if isinstance(expression, sp.And):
        return r",\quad ".join(tex(part, names) for part in expression.args)
    return _with_signs(_printer(frozenset(names.items())).doprint(expression))


def _with_signs(formula: str) -> str:
    """A formula in which no + stands before what is marked with its own sign."""
    return re.sub(r"\+ (?=\\textcolor\{[a-z]+\}\{\s*-)", "", formula)


@lru_cache(maxsize=64)
def _printer(names: frozenset[tuple[sp.Symbol, str]]) -> _Printer:
    settings = {"fold_frac_powers": True, "mul_symbol": r" \, ", "fold_short_frac": False}
    return _Printer({"symbol_names": dict(names), **settings})


def latex_names(symbols: Iterable[sp.Symbol], paper: str, called: Callable[[str], str] = str) -> dict[sp.Symbol, str]:
    """LaTeX of symbols as a paper prints them, no two alike; those that would be have their full names.

    Args:
        symbols: products of vectors may be among them.
        paper: its id.
        called: what a vector is called; itself by default.
    """
    parts = {part for s in symbols for part in ({s} | s.symbols if isinstance(s, InnerProduct) else {s})}
    found = {s: _latex_name(s, paper, called) for s in sorted(parts, key=str) if not isinstance(s, InnerProduct)}
    taken = Counter(found.values())
    names = {s: name if taken[name] == 1 else _words(sp.latex(sp.Symbol(str(s)))) for s, name in found.items()}
    return names | {s: _product(s, names, called) for s in sorted(parts, key=str) if isinstance(s, InnerProduct)}


def _product(of: InnerProduct, names: Names, called: Callable[[str], str]) -> str:
    """LaTeX of an inner product of sums, or of a square."""
    if of.left == of.right:
        return rf"\|{vector(of.left, names, called)}\|^2"
    sides = ", ".join(vector(one, names, called) for one in ordered(of.left, of.right))
    return rf"\langle {sides}\rangle "


#: It stands for a vector, and is printed last.
_VECTOR = sp.Symbol("~")


def _factor(factor: sp.Expr, names: Names) -> str:
    return tex(factor * _VECTOR, {**names, _VECTOR: str(_VECTOR)})


def vector(of: Vector, names: Names, called: Callable[[str], str] = str) -> str:
    """LaTeX of a combination of vectors; ``called`` as for :func:`latex_names`."""
    terms: list[tuple[str, bool]] = []
    for factor, parts, minus in groups(of):
        inside = added((_vectors(called(name)), less) for name, less in parts)
        inside = rf"\left({inside}\right)" if len(parts) > 1 and factor != 1 else inside
        times = "" if factor == 1 else _factor(factor, names)
        terms.append((times.replace(str(_VECTOR), inside) if times else inside, minus))
    return added(terms)


def _latex_name(symbol: sp.Symbol, paper: str, called: Callable[[str], str]) -> str:
    name = str(symbol)
    try:
        known = info(name, paper).latex
    except KeyError:
        if pair := factors(symbol):
            u, v = (_vectors(called(one)) for one in pair)
            return rf"\|{u}\|^2" if u == v else rf"\langle {u}, {v}\rangle "
        return _vectors(name) if "||" in name else _words(str(sp.latex(symbol)))
    return _words(str(sp.latex(symbol))) if known == name else known


def _words(formula: str) -> str:
    """LaTeX in which a word is one, not a product of its letters."""
    return re.sub(r"(?<![\\A-Za-z])[A-Za-z]{2,}", r"\\mathrm{\g<0>}", formula)


def _vectors(name: str) -> str:
    """LaTeX of a vector, or of a length, that a proof is printed with."""
    indexed = re.sub(r"(?<=[A-Za-z])_([A-Za-z]+)_(\w+)", r"_{\1_\2}", name)
    return of_plain(re.sub(r"(?<=\w)\+(?=[\s,>|)]|$)", "^+", indexed))


#: Letters of which a paper prints one form or the other, where a plain text has one name.
_FORMS = (("l", r"\ell"), (r"\epsilon", r"\varepsilon"), (r"\phi", r"\varphi"))


def forms(formulas: Iterable[str]) -> dict[str, str]:
    """Letters of a plain text that these formulas print in another form, with that form: ``l`` is an ell.

    Where they have a letter in both forms, it is said of its indices.
    """
    used = " ".join(formulas)
    found: dict[str, str] = {}
    for a, b in _FORMS:
        if _letter(b).search(used) and not _letter(a).search(used):
            found[a] = b
            continue
        for index in re.findall(rf"{_letter(b).pattern}(_\w)(?!\w)", used):
            if not _letter(f"{a}{index}").search(used):
                found[f"{a}{index}"] = f"{b}{index}"
    return found


def formed(formula: str, other: Mapping[str, str]) -> str:
    """LaTeX with letters in their other form; see :func:`forms`."""
    for plain, form in other.items():
        formula = _letter(plain).sub(form.replace("\\", r"\\") + " ", formula)
    return formula


@cache
def _letter(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\\A-Za-z]){re.escape(name)}(?![A-Za-z])")


#: Characters of text that a line holds at most, inside brackets too, where no width is asked for.
LINE = 100


def rows(relation: sp.Basic, names: Names, width: int) -> list[str]:
    """LaTeX of a relation on as many lines as it takes.

    It is broken at a + or - of its right side, after its sign, and where one term is too long at the + or - of the
    sum in it; so is a left side that no line holds.

    Args:
        relation: an expression is printed as it is.
        names: LaTeX of its symbols.
        width: characters of its text on a line.
    """
    whole = tex(relation, names)
    if not isinstance(relation, sp.Rel) or len(text(whole)) <= width:
        return [whole]
    left, right = (_joined_to_signs(_pieces(side, names, width or LINE)) for side in (relation.lhs, relation.rhs))
    sign = RELATIONS[relation.rel_op]
    first = " ".join(left)
    if len(text(first)) > (width or LINE):
        return [*_filled(left, width), *_filled([f"{sign} {right[0]}", *right[1:]], width)]
    if len(text(f"{first} {sign} {right[0]}")) > width:
        return [f"{first} {sign}", *_filled(right, width)]
    return _filled([f"{first} {sign} {right[0]}", *right[1:]], width)


#: A sign, and what follows it up to the next one.
_Piece = tuple[str, str]


def _joined_to_signs(pieces: Sequence[_Piece]) -> list[str]:
    """Pieces with their signs, but for a first +."""
    return [body if i == 0 and sign == "+" else _with_signs(f"{sign} {body}") for i, (sign, body) in enumerate(pieces)]


def _pieces(side: sp.Expr, names: Names, line: int) -> list[_Piece]:
    """A side in pieces that follow each other: its terms, and in their place the parts of those that no line holds."""
    if isinstance(side, Marked):
        marked = tex(side, names)
        inner = _pieces(side.args[0], names, line)
        if len(inner) == 1 or len(text(marked)) <= line:
            return [("+", marked)]  # with its sign, which may be what differs
        return [(sign, rf"\textcolor{{{side.args[1]}}}{{{body}}}") for sign, body in inner]
    if isinstance(side, sp.Add):
        terms = _printer(frozenset(names.items()))._as_ordered_terms(side)
        return [piece for term in terms for piece in _pieces(term, names, line)]
    whole = _signed_piece(tex(side, names))
    parts = side.args if isinstance(side, sp.Mul) else (side,)
    long = max((part for part in parts if _is_sum(_base(part))), key=sp.count_ops, default=None)
    if long is None or (long is side and _base(side) is side) or len(text(whole[1])) <= line:
        return [whole]
    others = [part for part in parts if part is not long]
    sign, factor = _signed_piece(tex(sp.Mul._from_args(others), names))
    if len(others) == 1 and _is_sum(others[0]):
        sign, factor = "+", rf"\left({tex(others[0], names)}\right)"
    factor = "" if factor.strip() == "1" else rf"{factor} \, "
    inner = _pieces(_base(long), names, line)
    if len(inner) == 1:
        return [whole]
    power = "" if _base(long) is long else f"^{{{tex(long.exp, names)}}}"
    first, middle, (last_sign, last) = _joined_to_signs(inner)[0], inner[1:-1], inner[-1]
    # each line has brackets of its own height, of which one is not seen
    return [(sign, rf"{factor}\left({first}\right. "), *middle, (last_sign, rf"\left. {last}\right){power}")]


def _signed_piece(printed: str) -> _Piece:
    bare = printed.lstrip()
    return ("-", bare[1:].lstrip()) if bare.startswith("-") else ("+", bare)


def _base(part: sp.Basic) -> sp.Basic:
    """Of a power that is printed as one its base; of a root, a fraction or anything else it itself."""
    is_power = isinstance(part, sp.Pow) and part.exp != sp.Rational(1, 2) and not part.exp.could_extract_minus_sign()
    return part.base if is_power else part


def _is_sum(part: sp.Basic) -> bool:
    """Whether it is a sum, marked or not."""
    return isinstance(part.args[0] if isinstance(part, Marked) else part, sp.Add)


def _filled(pieces: Sequence[str], width: int) -> list[str]:
    out, room = [pieces[0]], width - len(text(pieces[0]))
    for piece in pieces[1:]:
        taken = len(text(f"x {piece}")) - 1  # with the spaces of its sign
        if taken > room:
            out.append(piece)
            room = width + 1
        else:
            out[-1] = f"{out[-1]} {piece}"
        room -= taken
    return [_UNSEEN.sub(_without_unseen, row) for row in out]


#: A bracket that closes unseen, and one that opens so, in the same line: those around them are a pair.
_UNSEEN = re.compile(r"\\right\.((?:(?!\\right\.|\\left\.).)*)\\left\.")


def _without_unseen(hit: re.Match[str]) -> str:
    """What stands between the two, unless they stand in different marks."""
    depths = list(accumulate((char == "{") - (char == "}") for char in hit[1]))
    return hit[0] if depths and (min(depths) < 0 or depths[-1] != 0) else hit[1]


# --- what differs


def difference(printed: sp.Basic, corrected: sp.Basic) -> tuple[sp.Basic, sp.Basic]:
    """Two formulas with the parts marked in which they differ, as small as they can be seen.

    Args:
        printed: its parts are marked :data:`WRONG`.
        corrected: its parts are marked :data:`RIGHT`.
    """
    if printed == corrected:
        return printed, corrected
    kinds = (sp.Rel, sp.Pow, sp.Function, sp.And)
    for kind in (sp.Add, sp.Mul, sp.Max, sp.Min):
        if kind in (printed.func, corrected.func) and (kind is sp.Mul or printed.func == corrected.func):
            return _of_terms(kind, printed, corrected)
    if isinstance(printed, sp.Rel) and isinstance(corrected, sp.Rel):
        sides = [difference(a, b) for a, b in zip(printed.args, corrected.args, strict=True)]
        return tuple(
            one.func(*(side[i] for side in sides), evaluate=False) for i, one in enumerate((printed, corrected))
        )
    same_form = printed.func == corrected.func and len(printed.args) == len(corrected.args)
    if same_form and isinstance(printed, kinds) and not isinstance(printed, Pr):
        pairs = [difference(a, b) for a, b in zip(printed.args, corrected.args, strict=True)]
        return tuple(_remade(printed, [pair[i] for pair in pairs]) for i in range(2))
    if isinstance(printed, Pr) and isinstance(corrected, Pr):
        events = difference(printed.event, corrected.event)
        return Pr(events[0]), Pr(events[1])
    return _mark(printed, WRONG), _mark(corrected, RIGHT)


def _of_terms(kind: Any, printed: sp.Basic, corrected: sp.Basic) -> tuple[sp.Basic, sp.Basic]:
    """Of two sums, products or maxima: what both have is left, and of what remains, parts are compared in pairs."""
    both = [list(one.args) if one.func == kind else [one] for one in (printed, corrected)]
    own, other = ([x for x in those if x not in rest] for those, rest in (both, reversed(both)))
    apart = len(own) + len(other) == len(both[0]) + len(both[1]) and len(own) != len(other)
    # a sign stands before the product, not where its factor would be marked, and a fraction is not torn
    signed = any(x.is_negative and x.is_Number for x in (*own, *other))
    torn = own and other and any(sp.fraction(x)[1] != 1 for x in (*own, *other))
    if apart or (kind is sp.Mul and (signed or torn)):
        return _mark(printed, WRONG), _mark(corrected, RIGHT)
    if kind is sp.Mul and max(len(own), len(other)) > 1:
        # one mark for all factors that differ, not one beside the other
        return tuple(
            sp.Mul(*(x for x in all_ if x not in those), *((_mark(sp.Mul(*those), colour),) if those else ()))
            for all_, those, colour in zip(both, (own, other), (WRONG, RIGHT), strict=True)
        )
    if len(own) == len(other):
        pairs = [(one, *difference(one, two)) for one, two in _matched(own, other)]
        changed = (
            {one: a for one, a, _ in pairs},
            {two: b for (_, two), (_, _, b) in zip(_matched(own, other), pairs, strict=True)},
        )
    else:
        changed = {x: _mark(x, WRONG) for x in own}, {x: _mark(x, RIGHT) for x in other}
    return tuple(kind(*(new.get(x, x) for x in those)) for those, new in zip(both, changed, strict=True))


def _matched(own: Sequence[sp.Basic], other: Sequence[sp.Basic]) -> list[tuple[sp.Basic, sp.Basic]]:
    """Each with the one of the others that shares most symbols with it."""
    left, pairs = list(other), []
    for one in own:
        best = max(left, key=lambda two: (len(one.free_symbols & two.free_symbols), one.func == two.func))
        left.remove(best)
        pairs.append((one, best))
    return pairs


def _remade(whole: sp.Basic, args: Sequence[sp.Basic]) -> sp.Basic:
    if isinstance(whole, (sp.Rel, sp.And)):
        return whole.func(*args, evaluate=False)
    return whole.func(*args)


def _mark(part: sp.Basic, colour: str) -> sp.Basic:
    return part if isinstance(part, (sp.Rel, sp.And)) else Marked(part, sp.Symbol(colour))


# --- MathML


#: Letters that MathML in browsers knows as characters only.
_STYLES = {"double-struck": "DOUBLE-STRUCK", "script": "SCRIPT", "bold": "BOLD", "fraktur": "FRAKTUR"}
_BARE = re.compile(r"(\\(?:mathbb|mathbf|mathcal|mathrm|mathfrak))\s*([A-Za-z0-9])")
_MATHML = "http://www.w3.org/1998/Math/MathML"
#: What latex2mathml hands on where it does not know a command.
_UNKNOWN = re.compile(r"\\[A-Za-z]+|&")


class TypesettingError(ValueError):
    """LaTeX that cannot be shown; it is named."""


@cache
def _tree(formula: str) -> Tree.Element:
    from latex2mathml.converter import convert

    try:
        root = Tree.fromstring(convert(_BARE.sub(r"\1{\2}", formula)))
    except Exception as error:
        raise TypesettingError(f"{formula!r} is no LaTeX that latex2mathml reads: {error}") from error
    for node in root.iter():
        node.tag = node.tag.removeprefix(f"{{{_MATHML}}}")
        if node.text and _UNKNOWN.search(node.text):
            raise TypesettingError(f"latex2mathml does not know {node.text} in {formula!r}")
        if node.tag == "mi" and node.text == ";":
            node.tag = "mo"
        if (style := node.attrib.pop("mathvariant", None)) in _STYLES and node.text:
            node.text = "".join(_styled(_STYLES[style], letter) for letter in node.text)
        elif style == "normal":
            node.set("mathvariant", style)
    return root


def _styled(style: str, letter: str) -> str:
    from unicodedata import lookup

    size = "CAPITAL" if letter.isupper() else "SMALL"
    for name in (f"{style} {size} {letter.upper()}", f"MATHEMATICAL {style} {size} {letter.upper()}"):
        try:
            return lookup(name)
        except KeyError:
            continue
    return letter


def mathml(formula: str, *, block: bool = False) -> str:
    """MathML of LaTeX, as a page contains it; marks have the classes ``wrong`` and ``right``.

    Raises:
        TypesettingError: latex2mathml does not know a command in it.
    """
    root = Tree.fromstring(Tree.tostring(_tree(formula)))
    root.attrib = {"display": "block" if block else "inline"}
    for above in root.iter():
        for before, node in pairwise(above):  # a sign that is marked with what it takes away stands between two terms
            sign = next((one for one in node.iter() if one.text), None) if node.tag == "mstyle" else None
            if sign is not None and sign.text in ("-", "−") and before.text not in _BEFORE_SIGNS:
                sign.set("form", "infix")
    for node in root.iter("mstyle"):
        colour = node.attrib.pop("mathcolor", "")
        if colour in (WRONG, RIGHT):
            node.set("class", "wrong" if colour == WRONG else "right")
    return Tree.tostring(root, encoding="unicode")


# --- text


_ABOVE = str.maketrans(
    "0123456789+-=()aAbBcdDeEfgGhHiIjJkKlLmMnNoOpPrRstTuUvVwWxyz*\N{MINUS SIGN}βγδθφχ",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᴬᵇᴮᶜᵈᴰᵉᴱᶠᵍᴳʰᴴⁱᴵʲᴶᵏᴷˡᴸᵐᴹⁿᴺᵒᴼᵖᴾʳᴿˢᵗᵀᵘᵁᵛⱽʷᵂˣʸᶻ*⁻ᵝᵞᵟᶿᵠᵡ",
)
_BELOW = str.maketrans("0123456789+-=()aehijklmnoprstuvx\N{MINUS SIGN}βγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₋ᵦᵧᵨᵩᵪ")
_ACCENTS = {"^": "\u0302", "~": "\u0303", "\N{HORIZONTAL BAR}": "\u0304", "\N{MACRON}": "\u0304", "_": "\u0304"}
_ACCENTS |= {"\u02c6": "\u0302", "\u02dc": "\u0303", "\u00af": "\u0304", "\u203e": "\u0304", "\u2015": "\u0304"}
_UNDER = {"\N{HORIZONTAL BAR}", "_"}
#: After these a sign is that of a term, and none between two terms.
_BEFORE_SIGNS = ("(", "[", "=", "≤", "≥", "<", ">", ",")
_SPACED = set("=<>≤≥≠+−-∈≔→∣≈∉⊂±")
_NAMED = re.compile(r"[A-Za-z]{2,}|\N{N-ARY SUMMATION}|\N{N-ARY PRODUCT}|\N{INTEGRAL}")


@cache
def text(formula: str) -> str:
    """A line of Unicode that says what a formula in LaTeX says; marked parts stand between :data:`MARKS`.

    Raises:
        TypesettingError: as for :func:`mathml`.
    """
    line = normalize("NFC", _line(_tree(formula)))
    return re.sub(r"(?<=[(\[⟨]) +| +(?=[)\],;⟩])", "", re.sub(r"[ \u00a0]+", " ", line)).strip()


def _line(node: Tree.Element) -> str:
    inner = list(node)
    match node.tag:
        case "mfrac":
            return _fraction(*map(_line, inner))
        case "msup":
            return _line(inner[0]) + _script(_line(inner[1]), _ABOVE, "^")
        case "munder" if _line(inner[1]) in _UNDER:
            return f"{_line(inner[0])}\N{COMBINING LOW LINE}"
        case "msub" | "munder":
            return _line(inner[0]) + _script(_line(inner[1]), _BELOW, "_")
        case "msubsup" | "munderover":
            low, high = _script(_line(inner[1]), _BELOW, "_"), _script(_line(inner[2]), _ABOVE, "^")
            return _line(inner[0]) + low + high
        case "mover":
            return _accented(_line(inner[0]), _line(inner[1]))
        case "msqrt":
            body = _joined(inner)
            return f"√{body}" if len(body) == 1 else f"√({body})"
        case "mroot":
            body, root = _line(inner[0]), f"^(1/{_line(inner[1])})"
            return f"{body}{root}" if len(body) == 1 else f"({body}){root}"
        case "mspace":
            return " "
        case "mstyle" if node.get("mathcolor") in MARKS:
            begin, end = MARKS[node.get("mathcolor", "")]
            return f"{begin}{_joined(inner)}{end}"
        case "mtable":
            return "; ".join(" ".join(filter(None, map(_line, row))) for row in inner)
        case "mo" | "mi" | "mn" | "mtext":
            return node.text or ""
    return _joined(inner)


def is_between(before: str) -> bool:
    """Whether a sign stands between two terms, and is not that of one, by what is written before it."""
    return bool(before.strip()) and not before.rstrip().endswith(_BEFORE_SIGNS)


def _joined(nodes: Sequence[Tree.Element]) -> str:
    """Nodes beside each other: relations and sums with spaces, a name of letters apart from what follows."""
    out = ""
    for i, node in enumerate(nodes):
        part = _line(node)
        if node.tag == "mo" and part in _SPACED:
            binary = is_between(out)
            part = "−" if part in "-−" else part
            out += f" {part} " if binary or part not in "+−" else part
            continue
        if node.tag == "mo" and part in ",;":
            out += f"{part} "
            continue
        if node.tag == "mfrac" and "/" in part and i + 1 < len(nodes) and nodes[i + 1].tag not in ("mo", "mspace"):
            part = f"({part})"
        if node.tag == "mstyle" and part[1:2] in ("-", "−") and is_between(out):
            part = f" {part[0]}− {part[2:]}"  # a sign that is marked with what it takes away
        named = _NAMED.search(part) and node.tag in ("mo", "msub", "msubsup", "munder", "munderover")
        if named and out and (out[-1].isalnum() or out[-1] in ")]"):
            out += " "
        out += part
        if named and i + 1 < len(nodes) and (nodes[i + 1].tag != "mo" and _line(nodes[i + 1])[:1] != "("):
            out += " "
    return out


def _script(part: str, alphabet: Mapping[int, int], sign: str) -> str:
    part = part.strip()
    bare = part.replace(" ", "")
    if part == "*" and sign == "^":
        return "*"
    word = len(bare) > 3 and bare.isalpha()  # not every letter has a small form, and n_train stands beside n_valid
    if bare and not word and all(ord(c) in alphabet for c in bare):
        return bare.translate(alphabet)
    alone = len(part) == 1 or (part.isalnum() and (sign == "_" or part.isascii()))
    return f"{sign}{part}" if alone else f"{sign}({part})"


#: Fractions with a character of their own.
_FRACTIONS = {("1", "2"): "½", ("1", "4"): "¼", ("3", "4"): "¾", ("1", "3"): "⅓", ("2", "3"): "⅔"}


def _fraction(over: str, under: str) -> str:
    over, under = over.strip(), under.strip()
    if (over, under) in _FRACTIONS:
        return _FRACTIONS[over, under]
    # a product may stand over a stroke, not under it
    above = over if not re.search(r"[+−/]", _outside(over).lstrip("−")) else f"({over})"
    below = under if not re.search(r"[\s+−/]", _outside(under)) else f"({under})"
    return f"{above}/{below}"


def _outside(line: str) -> str:
    """A line without what stands in brackets."""
    while (shorter := re.sub(r"[(\[⟨][^()\[\]⟨⟩]*[)\]⟩]", "", line)) != line:
        line = shorter
    return line


def _accented(part: str, accent: str) -> str:
    mark = _ACCENTS.get(accent)
    if mark is None:
        return f"{part}^{accent}"
    return f"{part[0]}{mark}{part[1:]}" if len(part) == 1 or part[1:2] in "₀₁₂₃₄₅₆₇₈₉_" else f"mean({part})"


def symbols_of(expressions: Iterable[sp.Basic]) -> Iterator[sp.Symbol]:
    """The symbols of expressions, each once, in the order of their names."""
    yield from sorted({s for one in expressions for s in one.atoms(sp.Symbol)}, key=str)
