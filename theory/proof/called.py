"""What the names of a proof are called where it is printed for a reader: as the paper writes them, rules in words.

A setting names its vectors as code does. Where its words for one begin with a formula (``theta^(w)``, or ``x^t, where
the round starts``), and that of no other, the vector is printed so; a gradient is printed as one, ``grad f(x)``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from rateproof.theory.assumptions import (
    Assumption,
    ClosedConvex,
    Convex,
    Lipschitz,
    Monotone,
    Quadratic,
    Smooth,
    StronglyConvex,
)
from rateproof.theory.claim import Claim
from rateproof.theory.gram import Vector
from rateproof.theory.gram.facts import Point
from rateproof.theory.gram.vectors import name_of
from rateproof.theory.proof.folded import InnerProduct, folded, product_said, said
from rateproof.theory.proof.setting import Argmin, Setting
from rateproof.theory.proof.steps import Cite, Ground, Rule
from rateproof.theory.symbols import info, tex

#: A longer formula stands in the legend alone, under the short name.
_LONGEST = 24
#: A rule, in words: what it is, and what it is about; ``{of}`` has names of functions and sets, vectors, numbers,
#: ``{points}`` the points, ``{gradient}`` a map, or the gradient of a function.
_RULES = {
    "affine": ("affine gradient", "of {of}"),
    "bounded": ("bounded gradient", "of {of} at {points}"),
    "cauchy_schwarz": ("Cauchy-Schwarz inequality", "for {of}"),
    "cocoercive": ("cocoercivity", "of the gradient of {of} between {points}"),
    "convex": ("convexity", "of {of} between {points}"),
    "curvature": ("strong convexity below smoothness", "of {of}"),
    "dissimilar": ("dissimilarity", "of the gradients of {of} at {points}"),
    "dudley": ("Dudley's bound", "for {of}"),
    "everywhere": ("hypothesis at every point", "on {of} at {points}"),
    "fresh": ("noise of mean zero", "given the past: {of}"),
    "hoeffding": ("Hoeffding's lemma", "for {of}"),
    "infimum": ("infimum", "of {of} below {points}"),
    "largest": ("maximum", "{of}"),
    "least": ("minimum", "{of}"),
    "lipschitz": ("Lipschitz continuity", "of {gradient} between {points}"),
    "mcdiarmid": ("McDiarmid's inequality", "for {of}"),
    "mean": ("mean", "{of}"),
    "monotone": ("monotonicity", "of {of} between {points}"),
    "optimal": ("optimality", "of the minimum of {of}"),
    "projection": ("projection", "on {of} of {points}"),
    "sampling": ("sampling without replacement", "for {of}"),
    "sharp": ("weak sharpness", "of {of} at {points}"),
    "smooth": ("smoothness", "of {of} between {points}"),
    "smooth_convex": ("smoothness and convexity", "of {of} between {points}"),
    "stationary": ("vanishing gradient", "at the minimum of {of}"),
    "strongly_convex_smooth": ("strong convexity and smoothness", "of {of} between {points}"),
    "symmetrisation": ("symmetrisation", "of {of}"),
    "unprojected": ("no projection", "on {of}, which is the whole space"),
    "values": ("value", "of {of} at {points}"),
    "variance": ("variance", "of {of}"),
    "written_out": ("definition", "of {of}"),
}


def title(rule: str) -> str:
    """What a rule is called in a printed proof."""
    return _RULES[rule][0] if rule in _RULES else rule.replace("_", " ")


@dataclass(frozen=True)
class Called:
    """What a claim's names are called.

    Attributes:
        claim: it.
        coded: whether as in the code: a proof that is shown with what a check found of it has these names.
    """

    claim: Claim
    coded: bool = False

    @cached_property
    def setting(self) -> Setting:
        """The setting of the claim."""
        return self.claim.setting or Setting()

    @cached_property
    def assumed(self) -> list[Assumption]:
        """All that is assumed with a type."""
        return [*self.setting.assumes, *(a for h in self.claim.hypotheses for a in h.says)]

    def has(self, of: str, *kinds: type[Assumption]) -> bool:
        """Whether something of these kinds is assumed of a function, map or set."""
        return any(isinstance(one, kinds) and one.of == of for one in self.assumed)

    def is_set(self, of: str) -> bool:
        """Whether a name is that of a set."""
        return isinstance(self.setting.made.get(of), Argmin) or self.has(of, ClosedConvex)

    def gradient(self, of: str) -> str:
        """What the image of a point is called."""
        if self.has(of, Lipschitz, Monotone):
            return "the image"
        smooth = self.has(of, Smooth, Quadratic) or not self.has(of, Convex, StronglyConvex)
        return "the gradient" if smooth else "a subgradient"

    @cached_property
    def points(self) -> list[tuple[str, str, Point]]:
        """Function, name and point of all points that functions have."""
        known = self.setting.functions.items()
        return [(of, point, at) for of, points in known for point, at in points.items()]

    # --- names

    def vector(self, name: str) -> str:
        """What a basic vector is called."""
        return self._vectors.get(name, name)

    def said(self, vector: Vector) -> str:
        """A combination of vectors."""
        return said(vector, self.vector)

    def form(self, expr: sp.Expr) -> str:
        """An expression with products of sums of vectors."""
        shown = folded(expr)
        products = shown.atoms(InnerProduct)
        return str(shown.xreplace({p: sp.Symbol(product_said(p.left, p.right, self.vector)) for p in products}))

    def function(self, of: str) -> str:
        """What a function is called."""
        head = "" if self.coded else _formula(self.setting.words.get(of, ""))
        return of if " " in head else head or of

    def is_gradient(self, name: str) -> bool:
        """Whether the name of a vector says of what it is the gradient, and where."""
        return self.vector(name).startswith("grad ") and self.vector(name) != name

    def point(self, of: str, name: str) -> str:
        """What a point of a function is called: by its vector, where that is short and no name of code."""
        at = self.setting.functions.get(of, {}).get(name)
        own = self.said(at[0]) if at and not self.coded else ""
        code = at is not None and own == name_of(at[0]) and re.match(r"[A-Za-z]{2}", own)
        return own if 0 < len(own) <= _LONGEST and not code else name

    def words(self, name: str) -> str:
        """The words for a vector or function that its name does not say."""
        word = self.setting.words.get(name, "")
        called = self.function(name) if name in self.setting.functions else self.vector(name)
        return word.removeprefix(called).removeprefix(", ") if called != name else word

    @cached_property
    def _vectors(self) -> Mapping[str, str]:
        """Vectors that have another name for a reader."""
        if self.coded:
            return {}
        names = [name for name in self.setting.names if name not in self.setting.functions]
        found = {name: head for name in names if (head := _formula(self.setting.words.get(name, "")))}
        indexed = {name: f"{name[0]}_{name[1:]}" for name in names if re.fullmatch(r"[A-Za-z]\d+'?", name)}
        found = _apart({**indexed, **found}, names)
        gradients: dict[str, list[str]] = {}
        for of, _, (x, image, *_) in self.points:
            name, at = name_of(image), found.get(name_of(x), name_of(x))
            is_gradient = not self.is_set(of) and self.gradient(of) == "the gradient"
            if name in names and name not in found and at and is_gradient:
                gradients.setdefault(name, []).append(_gradient(self.function(of), at))
        one = {name: told[0] for name, told in gradients.items() if len({*told}) == 1 and told[0]}
        return _apart(found | one, names)

    # --- grounds

    def ground(self, of: Ground) -> str:
        """What a step rests on, but for an earlier step."""
        if self.coded or not isinstance(of, Rule | Cite):
            return str(of)
        if isinstance(of, Rule):
            return self._rule(of) if of.name in _RULES else str(of)
        paper = of.id.partition(".")[0]
        pairs = [(_letter(str(k), paper), str(v)) for k, v in of.at.items()]
        pairs += [(_spot(theirs), self._spot(ours, theirs)) for theirs, ours in of.points.items() if theirs != ours]
        pairs += [(name, self.said(v)) for name, v in of.vectors.items()]
        where = ", ".join(f"{k} = {v}" for k, v in pairs if k != v)
        return f"{of.id}{f' at {where}' if where else ''}"

    def letters(self, text: str) -> str:
        """A text of a step with symbols as the claim's paper prints them."""
        if self.coded:
            return text
        return re.sub(r"(?<![\w.])[A-Za-z]\w*[_\d]\w*(?![\w(])", lambda hit: _letter(hit[0], self.claim.paper), text)

    def _spot(self, ours: str, theirs: str) -> str:
        of, _, name = ours.partition(".")
        here = self.point(of, name)
        return here if theirs.startswith(f"{of}.") else f"{here} of {self.function(of)}"

    def _rule(self, rule: Rule) -> str:
        what, about = _RULES[rule.name]
        of, *points = map(str, rule.about)
        if "{points}" not in about:
            named = [of, *(one for one in points if re.fullmatch(r"[\w'^*+]+", one))]  # no formula of a number
            return f"{what} {about.format(of=_listed(map(self._thing, named)))}"
        strong = isinstance(self._strongly(rule.name, of), StronglyConvex | Monotone)
        name = self.function(of)
        return f"{'strong ' if strong else ''}{what} " + about.format(
            of=name,
            points=_listed(self.point(of, p) for p in points),
            gradient=f"grad {name}" if self.has(of, Smooth) else name,
        )

    def _strongly(self, rule: str, of: str) -> Assumption | None:
        kind = {"convex": StronglyConvex, "monotone": Monotone}.get(rule)
        found = (a for a in self.assumed if kind and isinstance(a, kind) and a.of == of)
        return next((a for a in found if getattr(a, "mu", 0) != 0), None)

    def _thing(self, name: str) -> str:
        return self.function(name) if name in self.setting.functions else self.vector(name)


def _letter(name: str, paper: str) -> str:
    """A symbol of a paper as a plain text has it, where its print is a letter with an index at most."""
    try:
        latex = info(name, paper).latex
    except KeyError:
        return name
    return re.sub(r"[\\{}]", "", latex) if re.fullmatch(r"(?:[A-Za-z]|\\[A-Za-z]+)(?:_\{?\w+\}?)?", latex) else name


def _spot(point: str) -> str:
    of, _, name = point.partition(".")
    return f"{name} of {of}"


def _gradient(of: str, at: str) -> str:
    """The gradient of a function at a point, where a formula says it that is short."""
    formula = f"grad {of}({at})"
    short = " " not in f"{of}{at}" and _length(formula) <= _LONGEST
    return formula if short and not _has_words(of) and not _has_words(at) else ""


def _formula(words: str) -> str:
    """The formula with which words begin, where it is short and they go on in words, or end."""
    head, comma, rest = words.partition(", ")
    while comma and head.count("(") + head.count("{") > head.count(")") + head.count("}"):
        more, comma, rest = rest.partition(", ")
        head = f"{head}, {more}"
    fits = head and _length(head) <= _LONGEST and not re.search(r"->|:|\.\.\.", head)
    return head if fits and not _has_words(head) and (not comma or _has_words(rest)) else ""


def _length(formula: str) -> int:
    """The letters and signs of a formula."""
    return len(re.sub(r"[{}_^ ]", "", formula))


def _has_words(text: str) -> bool:
    return r"\text{" in tex(text)


def _apart(called: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Names but for those that another vector has, too."""
    known = {*names}
    taken = Counter([*called.values(), *(known - called.keys())])
    return {name: own for name, own in called.items() if taken[own] == 1}


def _listed(names: Iterable[str]) -> str:
    *first, last = [*names] or [""]
    return f"{', '.join(first)} and {last}" if first else last
