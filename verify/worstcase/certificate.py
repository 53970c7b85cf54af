"""A proved upper bound: multipliers whose combination is an identity with a sum of squares, and its exact check."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, final

from rateproof.verify.worstcase.exact import written
from rateproof.verify.worstcase.model import Form, Model, combination, is_exact, malformed, parts, read
from rateproof.verify.worstcase.semidefinite import semidefinite, squares
from rateproof.verify.worstcase.stored import cause, packed, parsed, unpacked

Square = tuple[Fraction, tuple[Fraction, ...]]


@final
@dataclass(frozen=True)
class Certificate:
    """``min(metrics) <= upper`` for every instance of the model.

    The proof: with weights ``w_k >= 0`` that sum to one, multipliers ``lam_i`` (nonnegative for inequalities) and
    positive semidefinite ``Z_l``, identically in the Gram matrix ``G`` and the function values,
    ``sum_k w_k metric_k - sum_i lam_i condition_i + sum_l <Z_l, matrix_l> = upper - <S, G>``
    with ``S`` positive semidefinite.

    Attributes:
        upper: the bound.
        model: the problem, with the conditions that the proof uses and no others.
        weights: of the metrics.
        multipliers: of the conditions.
        matrices: multipliers of the semidefinite conditions.
        claimed: the bound that was hoped for, if there was one.
    """

    upper: Fraction
    model: Model
    weights: tuple[Fraction, ...]
    multipliers: tuple[Fraction, ...]
    matrices: tuple[tuple[tuple[Fraction, ...], ...], ...] = ()
    claimed: Fraction | None = None

    @property
    def slack(self) -> float | None:
        """``upper / claimed - 1``."""
        return float(self.upper / self.claimed - 1) if self.claimed else None

    def gap(self) -> tuple[tuple[Fraction, ...], ...]:
        """The matrix ``S``, for all points of the model."""
        gram, size = self._combination().gram, len(self.model.points)

        def entry(i: int, j: int) -> Fraction:
            return -gram.get((min(i, j), max(i, j)), Fraction(0)) / (1 if i == j else 2)

        return tuple(tuple(entry(i, j) for j in range(size)) for i in range(size))

    def squares(self) -> list[Square]:
        """``<S, G> = sum_k pivot_k ||sum_i row_k[i] p_i||^2`` with positive pivots."""
        return squares(self.gap())

    def problems(self, problem: Any = None) -> Iterator[str]:
        """What is wrong with the proof, one line each; nothing when it holds. See :meth:`check`."""
        model = self.model
        faults = list(malformed(model))
        if not all(map(is_exact, self._numbers())):
            faults.append("a number of the proof is not a fraction")
        if faults:
            yield from faults
            return
        if problem is not None:
            yield from _foreign(model, problem if isinstance(problem, Model) else read(problem))
        sizes = (len(self.weights), len(self.multipliers), len(self.matrices))
        if sizes != (len(model.metrics), len(model.conditions), len(model.semidefinite)):
            yield "the multipliers do not match the model"
            return
        if any(w < 0 for w in self.weights) or sum(self.weights) != 1:
            yield "the weights of the metrics are negative or do not sum to one"
        for condition, multiplier in zip(model.conditions, self.multipliers, strict=True):
            if multiplier < 0 and not condition.equality:
                yield f"the multiplier of {condition.name} is negative"
        for constraint, matrix in zip(model.semidefinite, self.matrices, strict=True):
            size = len(constraint.entries)
            if [len(row) for row in matrix] != [size] * size:
                yield f"the multiplier of {constraint.name} has the wrong size"
                return
            if any(matrix[i][j] != matrix[j][i] for i in range(size) for j in range(i)) or not semidefinite(matrix):
                yield f"the multiplier of {constraint.name} is not positive semidefinite"
        combined = self._combination()
        if combined.values:
            yield "the function values do not cancel"
        if combined.constant != self.upper:
            yield "the multipliers prove another number, not the bound"
        if not semidefinite(self.gap()):
            yield "the remaining quadratic form is not a sum of squares"

    def check(self, problem: Any = None) -> bool:
        """Whether the proof holds, from its own data in exact arithmetic; nothing of the search is used.

        Args:
            problem: a model or PEPit problem; then also whether the proof uses nothing but its conditions.
        """
        return next(self.problems(problem), None) is None

    def to_json(self) -> str:
        """The certificate as text; fractions are written as ``p/q``."""
        return json.dumps(
            {
                "upper": str(self.upper),
                "claimed": None if self.claimed is None else str(self.claimed),
                "weights": [str(x) for x in self.weights],
                "multipliers": [str(x) for x in self.multipliers],
                "matrices": [[[str(x) for x in row] for row in matrix] for matrix in self.matrices],
                **packed(self.model),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """The certificate that :meth:`to_json` wrote; it is not checked.

        Raises:
            ValueError: when the text is no certificate.
        """
        try:
            data = parsed(text)
            return cls(
                written(data["upper"]),
                unpacked(data),
                tuple(map(written, data["weights"])),
                tuple(map(written, data["multipliers"])),
                tuple(tuple(tuple(map(written, row)) for row in matrix) for matrix in data["matrices"]),
                None if data["claimed"] is None else written(data["claimed"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"text is not a certificate, {cause(error)}; give what to_json has written") from None

    def _numbers(self) -> Iterator[Fraction]:
        yield self.upper
        yield from self.weights
        yield from self.multipliers
        yield from (x for matrix in self.matrices for row in matrix for x in row)

    def _combination(self) -> Form:
        terms: list[tuple[Fraction, Form]] = list(zip(self.weights, self.model.metrics, strict=True))
        terms += [(-x, c.form) for x, c in zip(self.multipliers, self.model.conditions, strict=True)]
        for matrix, condition in zip(self.matrices, self.model.semidefinite, strict=True):
            terms += [
                (x, f) for r, fs in zip(matrix, condition.entries, strict=True) for x, f in zip(r, fs, strict=True)
            ]
        return combination(terms)


@final
@dataclass(frozen=True)
class Refusal:
    """No certificate: the reason in one line, and what the search believes the value to be, if it has one."""

    reason: str
    value: float | None = None

    def __bool__(self) -> Literal[False]:
        return False


def trimmed(
    upper: Fraction,
    model: Model,
    weights: Sequence[Fraction],
    multipliers: Sequence[Fraction],
    matrices: Sequence[Sequence[Sequence[Fraction]]],
    claimed: Fraction | None,
) -> Certificate:
    """A certificate whose model has only the conditions with nonzero multipliers."""
    used = [i for i, x in enumerate(multipliers) if x]
    kept = [k for k, matrix in enumerate(matrices) if any(any(row) for row in matrix)]
    return Certificate(
        upper,
        replace(
            model,
            conditions=tuple(model.conditions[i] for i in used),
            semidefinite=tuple(model.semidefinite[k] for k in kept),
        ),
        tuple(weights),
        tuple(multipliers[i] for i in used),
        tuple(tuple(map(tuple, matrices[k])) for k in kept),
        claimed,
    )


def _foreign(model: Model, problem: Model) -> Iterator[str]:
    """Which parts of a model are not in a problem."""
    # PEPit names values and conditions of some classes anew when it is asked again, so that names say nothing.
    if (len(model.points), len(model.values)) != (len(problem.points), len(problem.values)):
        yield "the points or values are not those of the problem"
    if model.metrics != problem.metrics:
        yield "the metrics are not those of the problem"
    theirs = parts(problem)
    for condition in model.conditions:
        if (condition.form, condition.equality) not in theirs["conditions"]:
            yield f"{condition.name} is no condition of the problem"
    for matrix in model.semidefinite:
        if matrix.entries not in theirs["matrix conditions"]:
            yield f"{matrix.name} is no matrix condition of the problem"
