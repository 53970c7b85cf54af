"""The shared vocabulary: each symbol that papers have in common once, with its sign, physical unit and meaning.

A paper declares symbols of its own in its own scope, in its ``notation.py``::

    declare = vocabulary("mypaper")
    M = declare("M", "largest gradient", OUTER / LENGTH, **POS)

So two papers may use ``M`` for two things. The shared symbols mean the same everywhere: no paper gives one another
meaning, and whoever needs the letter picks another name and prints it with ``latex=``.
Metrics (what an experiment or an exact computation measures) carry no sign assumption, so that
a statement such as ``0 <= E h - h*`` is not simplified away.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

import sympy as sp

from rateproof.theory.units import INNER, LENGTH, ONE, OUTER, Unit


@dataclass(frozen=True, slots=True)
class SymbolInfo:
    """What a symbol stands for: the sympy symbol, its unit and its meaning in the field's words.

    ``defined`` ones abbreviate an expression that a claim gives; the others are measured, or constants of an instance.
    ``most`` is the largest value that what is measured can have whatever a claim says of it, where one is known.
    """

    symbol: sp.Symbol
    unit: Unit
    meaning: str
    latex: str
    defined: bool = False
    most: float = math.inf


#: Symbols by scope and name; the scope "" holds those that are declared outside of any paper.
_SCOPES: dict[str, dict[str, SymbolInfo]] = {"": {}}
#: Names of the vocabulary of this module, filled at its end.
_SHARED: set[str] = set()


def declare(
    name: str,
    meaning: str,
    unit: Unit = ONE,
    *,
    latex: str | None = None,
    paper: str = "",
    defined: bool = False,
    most: float = math.inf,
    **assumptions: bool,
) -> sp.Symbol:
    """Declare a symbol and return it; the same declaration twice is harmless.

    Args:
        name: ASCII name, the paper's symbol spelled out (``gamma_l``, ``mu_f``).
        meaning: what it is, one line.
        unit: its unit; dimensionless unless said.
        latex: how it is printed; the name unless said.
        paper: id of the paper whose own symbol it is (see :func:`vocabulary`). A symbol declared outside of any paper
            is known to every paper that has none of this name.
        defined: it abbreviates an expression, so that a claim that uses it defines it (``Claim.where``).
        most: the largest value that it can have, of a loss between 0 and 1 for example: an instance on which its bound
            is no smaller supports no claim.
        **assumptions: sympy assumptions; ``real=True`` unless said.

    Raises:
        ValueError: in this scope, or in the shared vocabulary, the name has another meaning, unit or assumption.
    """
    symbol = sp.Symbol(name, **(assumptions or {"real": True}))
    info = SymbolInfo(symbol, unit, meaning, latex or name, defined, most)
    scope = _SCOPES.setdefault("" if name in _SHARED else paper, {})
    known = scope.setdefault(name, info)
    if known != info:
        where = " for all papers" if name in _SHARED else f" in {paper!r}" if paper else ""
        raise ValueError(
            f"symbol {name!r} is already declared as {known.meaning!r}{where}; choose another name for {meaning!r}"
        )
    return known.symbol


def vocabulary(paper: str) -> partial[sp.Symbol]:
    """:func:`declare` for the symbols of one paper, which other papers do not see."""
    return partial(declare, paper=paper)


def formulas(paper: str) -> Callable[..., sp.Symbol]:
    """:func:`declare` for symbols of one paper whose meaning is a formula, which is printed in LaTeX by :func:`tex`."""

    def formula(name: str, meaning: str, unit: Unit = ONE, **given: bool) -> sp.Symbol:
        return declare(name, meaning, unit, latex=tex(meaning), paper=paper, **given)

    return formula


def tex(formula: str) -> str:
    """LaTeX of a plain formula: Greek letters, norms, ``<u, v>``, ``xb`` and ``xtilde``; a sum is put in brackets."""
    found = formula
    for plain, printed in _TEX.items():
        found = re.sub(plain, printed, found)
    outside, inside = found, ""
    while outside != inside:
        outside, inside = re.sub(r"\\\|.*?\\\||\\langle.*?\\rangle|[({][^(){}]*[)}]", "", outside), outside
    return f"({found})" if re.search(" [+-] ", outside) else found


#: Names of Greek letters, for a regular expression.
GREEK = (
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|psi|omega|"
    "Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Upsilon|Omega"
)
#: What stands in a plain formula, and how it is printed.
_TEX = {
    r"\|\|": r"\\|",
    r"<([^<>]*)>": r"\\langle \1\\rangle ",
    r"\bE(_C)?( |(?=\\\|))": r"\\mathbb E\1 ",
    r"\bgrad(_[a-z]+)? ": r"\\nabla\1 ",
    r"\bgradbar\b": r"\\bar\\nabla",
    r"(?<!\\)\b(sum|int)_": r"\\\1_",
    r"(?<!\\)\b(max|min|sup|inf|log|exp)(?=[_({ ])": r"\\\1",
    r"\bsqrt\(([^()]*)\)": r"\\sqrt{\1}",
    r" not in ": r"\\notin ",
    r" in ": r"\\in ",
    rf"\b([A-Za-z]|{GREEK})b\b": r"\\bar \1",
    r"\b([a-z])tilde": r"\\tilde \1",
    r"\b([w-z])hat\b": r"\\hat \1",
    r"(?<![A-Za-z\\])eps(?![a-z])": r"\\epsilon ",
    rf"(?<![A-Za-z\\])({GREEK})(?![a-z])": r"\\\1",
    r"_([a-z]{2,})\b": r"_{\\mathrm{\1}}",
    # a hat stands after its letter, and before an index, an argument in w, or nothing
    rf"(\\theta|\b[A-Za-z])\^(?=[_ )]|\\(?!{GREEK})|\([wu]|$)": r"\\hat \1",
    r"\^\((-?\d+/\d+|-\d+)\)": r"^{\1}",
    r"\^(?:\(\(([^()]*)\)\)|\((?!-?\d+/)([^()]*)\))": r"^{(\1\2)}",
    r"(?<![,{^])\*": "^*",
    r"( ?)(?<![\\A-Za-z{])(?!(?:dist|mod|xx)\b)([A-Za-z]{2,}(?: +[a-z]{2,})*)( ?)": r"\\text{\1\2\3}",
}


def info(symbol: sp.Symbol | str, paper: str = "") -> SymbolInfo:
    """Look a symbol up by name, among the paper's own and the shared ones.

    Raises:
        KeyError: the name is not declared.
    """
    name = str(symbol)
    own = _SCOPES.get(paper, {})
    return own[name] if name in own else _SCOPES[""][name]


def defined(symbol: sp.Symbol, paper: str = "") -> bool:
    """Whether a symbol is one that claims of a paper give a definition; no symbol is that is declared nowhere."""
    known = _known(symbol, paper)
    return known is not None and known.defined


def most(symbol: sp.Basic, paper: str = "") -> float:
    """The largest value that a symbol can have; infinity where none is declared."""
    known = _known(symbol, paper)
    return math.inf if known is None else known.most


def _known(symbol: sp.Basic, paper: str) -> SymbolInfo | None:
    known = _SCOPES.get(paper, {}).get(str(symbol)) or _SCOPES[""].get(str(symbol))
    return known if known is not None and known.symbol == symbol else None


def of_paper(paper: str) -> list[SymbolInfo]:
    """What is known of each symbol that a paper declares itself."""
    return [*_SCOPES.get(paper, {}).values()]


def units(paper: str = "") -> dict[sp.Symbol, Unit]:
    """The unit of every symbol that a paper knows: its own and the shared ones."""
    known = _SCOPES[""] | _SCOPES.get(paper, {})
    return {i.symbol: i.unit for i in known.values()}


class Assumptions(TypedDict, total=False):
    """The sympy assumptions in use."""

    positive: bool
    nonnegative: bool
    integer: bool


POS: Assumptions = {"positive": True}
NONNEG: Assumptions = {"nonnegative": True}
COUNT: Assumptions = {"positive": True, "integer": True}

# Sizes of the federation and of a run
n = declare("n", "dimension of the decision variable", **COUNT)
N = declare("N", "number of clients", **COUNT)
S = declare("S", "clients sampled per communication round", **COUNT)
K = declare("K", "local steps per communication round", **COUNT)
R = declare("R", "communication rounds", **POS)
r = declare("r", "index of a communication round", **COUNT)
t = declare("t", "index of an outer iteration", **COUNT)
T = declare("T", "outer iterations", **COUNT)

# Constants of the problem
L_f = declare("L_f", "smoothness constant of every outer loss f_i", OUTER / LENGTH**2, latex="L_f", **NONNEG)
L_h = declare("L_h", "smoothness constant of every inner loss h_i", INNER / LENGTH**2, latex="L_h", **NONNEG)
mu_f = declare("mu_f", "strong convexity constant of every outer loss f_i", OUTER / LENGTH**2, latex=r"\mu_f", **NONNEG)
sigma_f2 = declare(
    "sigma_f2", "variance bound of the outer stochastic gradient", (OUTER / LENGTH) ** 2, latex=r"\sigma_f^2", **NONNEG
)
sigma_h2 = declare(
    "sigma_h2", "variance bound of the inner stochastic gradient", (INNER / LENGTH) ** 2, latex=r"\sigma_h^2", **NONNEG
)
alpha = declare(
    "alpha", "weak sharpness constant of X_h*", latex=r"\alpha", unit=INNER / LENGTH ** sp.Symbol("kappa", **POS), **POS
)
kappa = declare("kappa", "weak sharpness order of X_h*", latex=r"\kappa", **POS)
f_star = declare("f_star", "optimal value of the bilevel problem, min of f over X_h*", OUTER, latex="f^*")
h_star = declare("h_star", "optimal value of the inner problem, min of h", INNER, latex="h^*")
inf_f = declare("inf_f", "infimum of f over the whole space", OUTER, latex=r"\inf f")
mean_inf_f = declare("mean_inf_f", "mean over clients of inf f_i", OUTER, latex=r"\frac1N\sum_i \inf f_i")
mean_inf_h = declare("mean_inf_h", "mean over clients of inf h_i", INNER, latex=r"\frac1N\sum_i \inf h_i")
grad_f_star = declare(
    "grad_f_star",
    "norm of the gradient of f at the bilevel solution",
    OUTER / LENGTH,
    latex=r"\|\nabla f(x^*)\|",
    **NONNEG,
)

# Schedules
gamma_l = declare("gamma_l", "local stepsize", LENGTH**2 / INNER, latex=r"\gamma_\ell", **POS)
gamma_g = declare("gamma_g", "global (server) stepsize", latex=r"\gamma_g", **POS)
gamma_t = declare(
    "gamma_t", "effective stepsize gamma_l gamma_g K", LENGTH**2 / INNER, latex=r"\tilde\gamma", defined=True, **POS
)
eta = declare("eta", "regularisation parameter", INNER / OUTER, latex=r"\eta", **POS)
eta_hat = declare(
    "eta_hat", "largest regularisation parameter over R", INNER / OUTER, latex=r"\hat\eta", defined=True, **POS
)
a = declare("a", "stepsize exponent", **POS)
b = declare("b", "regularisation exponent", **POS)
p = declare("p", "logarithmic prefactor of the strongly convex schedule", **POS)
Gamma = declare("Gamma", "horizon offset of the experimental schedule", latex=r"\Gamma", **POS)
epsilon = declare("epsilon", "target accuracy", latex=r"\epsilon", **POS)
C_O = declare("C_O", "constant hidden by O(.)", **POS)

_SHARED.update(_SCOPES[""])
