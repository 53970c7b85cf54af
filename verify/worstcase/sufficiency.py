"""Which conditions of PEPit are sufficient: whatever satisfies them belongs to a method and a function of the class.

For an upper bound it is enough that conditions are necessary. An instance refutes a bound only where they are
sufficient as well. PEPit's docstrings say which are; the tables have a row for each of its classes and steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TAYLOR = "Taylor, Hendrickx and Glineur 2017, Smooth strongly convex interpolation"
_COMPOSITE = "Taylor, Hendrickx and Glineur 2017, Exact worst-case performance for composite convex optimization"
_RYU = "Ryu, Taylor, Bergeling and Giselsson 2020"
_LINEAR = "Bousselmi, Hendrickx and Glineur 2023"

#: Classes whose conditions are necessary and sufficient, with what PEPit's docstring cites.
SUFFICIENT = {
    "CocoerciveOperator": f"{_RYU}, Proposition 2",
    "ConvexFunction": f"{_TAYLOR}, Theorem 4 without curvature",
    "ConvexIndicatorFunction": f"{_COMPOSITE}, Theorem 3.6; the hull of points has their diameter and radius",
    "ConvexLipschitzFunction": f"{_COMPOSITE}, Theorem 3.5",
    "ConvexQGFunction": "Goujaud, Taylor and Dieuleveut 2022, Theorem 2.6",
    "ConvexSupportFunction": f"{_COMPOSITE}, Corollary 3.7",
    "LinearOperator": f"{_LINEAR}, Theorem 3.1",
    "LipschitzOperator": f"Kirszbraun 1934, Valentine 1943; {_RYU}, Fact 2",
    "MonotoneOperator": "Bauschke and Combettes 2017, Theorem 20.21",
    "NonexpansiveOperator": "Park and Ryu 2023, Theorem 10",
    "SkewSymmetricLinearOperator": f"{_LINEAR}, Corollary 3.2",
    "SmoothConvexFunction": f"{_TAYLOR}, Theorem 4",
    "SmoothConvexLipschitzFunction": f"{_COMPOSITE}; the conjugate is strongly convex on the hull of the gradients",
    "SmoothFunction": f"{_COMPOSITE}, Theorem 3.10",
    "SmoothStronglyConvexFunction": f"{_TAYLOR}, Theorem 4",
    "SmoothStronglyConvexQuadraticFunction": f"{_LINEAR}, Theorem 3.9",
    "StronglyConvexFunction": f"{_TAYLOR}, Corollary 2",
    "StronglyMonotoneOperator": f"{_RYU}, Section 2",
    "SymmetricLinearOperator": f"{_LINEAR}, Theorem 3.3",
}

#: Classes whose conditions are necessary only, in the words of PEPit's docstring. Classes of others count as such.
NECESSARY = {
    "BlockSmoothConvexFunctionCheap": "necessary but a priori not sufficient",
    "BlockSmoothConvexFunctionExpensive": "necessary but a priori not sufficient",
    "CocoerciveStronglyMonotoneOperatorCheap": "might not be sufficient",
    "CocoerciveStronglyMonotoneOperatorExpensive": "might not be sufficient",
    "LipschitzStronglyMonotoneOperatorCheap": "necessary but a priori not sufficient",
    "LipschitzStronglyMonotoneOperatorExpensive": "necessary but a priori not sufficient",
    "NegativelyComonotoneOperator": "might not be sufficient",
    "RsiEbFunction": "list of necessary conditions",
    "SmoothQuadraticLojasiewiczFunctionCheap": "necessary but a priori not sufficient",
    "SmoothQuadraticLojasiewiczFunctionExpensive": "necessary but a priori not sufficient",
}

#: When the conditions of PEPit's steps are sufficient: "always", "never", or where the function is "convex".
STEPS = {
    # "The mirror map is assumed differentiable": where its class is not, the step is the one with a subgradient.
    "bregman_gradient_step": "always",
    # Its points carry no mark: of a function that is not convex the step is read as PEPit writes it, as an equation.
    "bregman_proximal_step": "always",
    # The conjugate is attained at a point of which the condition knows only that the gradient is there.
    "epsilon_subgradient_step": "convex",
    # "a relaxation of the true line/span search conditions"
    "exact_linesearch_step": "never",
    "inexact_gradient_step": "always",
    # As for epsilon_subgradient_step.
    "inexact_proximal_step": "convex",
    "linear_optimization_step": "always",
    # The optimality condition of the minimisation that defines it.
    "proximal_step": "convex",
    # "outputs a stationary point"
    "shifted_optimization_step": "always",
}

#: How PEPit calls the conditions of the steps that add some and are not always exact.
_MARKS = {
    "epsilon_subgradient(": "epsilon_subgradient_step",
    "exact_linesearch(": "exact_linesearch_step",
    "inexact_proximal(": "inexact_proximal_step",
}


def necessary_only(problem: Any) -> tuple[str, ...]:
    """The classes and steps of a prepared ``PEPit.PEP`` whose conditions are not sufficient, in alphabetic order."""
    return tuple(sorted({*_classes(problem), *_steps(problem)}))


def _functions(problem: Any) -> list[Any]:
    """The functions of a problem, as far as PEPit still knows them."""
    from PEPit import Function

    # PEPit also imposes the conditions of functions that were made without declare_function.
    return list({id(f): f for f in [*problem.list_of_functions, *Function.list_of_functions]}.values())


def _classes(problem: Any) -> Iterator[str]:
    functions = _functions(problem)
    transposed = {id(f.T) for f in functions if _exact(f) and type(f).__name__ == "LinearOperator"}
    for function in functions:
        if function.get_is_leaf() and not _exact(function) and id(function) not in transposed:
            yield type(function).__name__
    # Of an older PEP the functions that were not declared are lost, but not their conditions.
    known = [c for f in functions for c in (*f.list_of_class_constraints, *f.list_of_class_psd, *f.list_of_constraints)]
    ids = set(map(id, [*known, *problem.list_of_constraints, *problem.list_of_psd]))
    prepared = [*problem._list_of_prepared_constraints, *problem._list_of_prepared_psd]
    if any(str(c.get_name()).startswith("IC_") and id(c) not in ids for c in prepared):
        yield "a function that was not declared"


def _exact(function: Any) -> bool:
    kind = type(function)
    return kind.__module__.startswith("PEPit.") and kind.__name__ in SUFFICIENT


def _steps(problem: Any) -> Iterator[str]:
    functions = [f for f in _functions(problem) if f.list_of_points]
    everywhere = all(map(_convex, functions))
    for constraint in problem._list_of_prepared_constraints:
        for mark, step in _MARKS.items():
            if str(constraint.get_name()).startswith(mark) and not (STEPS[step] == "convex" and everywhere):
                yield step
    for function in functions:
        # An implicit step: the point depends on the gradient there.
        implicit = any(g.get_is_leaf() and g in x.decomposition_dict for x, g, _ in function.list_of_points)
        if implicit and not _convex(function):
            yield "proximal_step"


def _convex(function: Any) -> bool:
    """Whether an optimality condition of a function is sufficient; of an operator it is the definition of its steps."""
    return all(
        weight >= 0
        and (
            type(leaf).__module__.startswith("PEPit.operators")
            or (type(leaf).__name__ != "SmoothFunction" and not getattr(leaf, "mu", 0) < 0)
        )
        for leaf, weight in function.decomposition_dict.items()
    )
